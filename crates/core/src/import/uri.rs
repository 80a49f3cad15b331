//! URIs: embedded data, or paths of external files.

use super::diagnostic::Problem;
use super::limits::PolicyChange;
use crate::util::text::quoted;
use std::path::{Path, PathBuf};

/// Returns `true` for a `data:` URI.
pub fn is_data(uri: &str) -> bool {
    uri.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// Returns the MIME type of a `data:` URI; `text/plain` by default.
pub fn data_type(uri: &str) -> &str {
    let head = uri.get(5..).unwrap_or_default().split(',').next().unwrap_or_default();
    match head.split(';').next().unwrap_or_default() {
        "" => "text/plain",
        mime => mime,
    }
}

/// Decodes a `data:` URI (RFC 2397).
pub fn decode_data(uri: &str) -> Result<Vec<u8>, Problem> {
    let (head, payload) = uri.split_once(',').ok_or("its data URI has no comma, so it has no data")?;
    let is_base64 =
        head.len() >= 7 && head.get(head.len() - 7..).is_some_and(|end| end.eq_ignore_ascii_case(";base64"));
    if !is_base64 {
        return Ok(percent_decode(payload));
    }
    // Line breaks and percent-encoding do not change the data.
    let decoded = if payload.bytes().any(|byte| byte == b'%' || byte.is_ascii_whitespace()) {
        let mut clean = percent_decode(payload);
        clean.retain(|byte| !byte.is_ascii_whitespace());
        decode_base64(&clean)
    } else {
        decode_base64(payload.as_bytes())
    };
    decoded.ok_or_else(|| "its data URI is not base64; copy or export the file again".into())
}

/// Replaces `%` and two hexadecimal digits by their byte (RFC 3986). Another `%` stays.
fn percent_decode(text: &str) -> Vec<u8> {
    let (mut rest, mut decoded) = (text.as_bytes(), Vec::with_capacity(text.len()));
    while let [first, tail @ ..] = rest {
        let digit = |i: usize| (*first == b'%').then(|| char::from(*tail.get(i)?).to_digit(16)).flatten();
        (rest, _) = match digit(0).zip(digit(1)) {
            Some((high, low)) => (&tail[2..], decoded.push((16 * high + low) as u8)),
            None => (tail, decoded.push(*first)),
        };
    }
    decoded
}

/// Decodes base64 (RFC 4648). Padding may be missing, and bits beyond the last byte are ignored. `None` if it is malformed.
fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    /// The value of each character; 64 for others.
    const VALUES: [u8; 256] = {
        let (alphabet, mut values, mut i) =
            (b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", [64; 256], 0);
        while i < 64 {
            values[alphabet[i] as usize] = i as u8;
            i += 1;
        }
        values
    };
    let digits = text.strip_suffix(b"==").or(text.strip_suffix(b"=")).unwrap_or(text);
    let missing = (4 - digits.len() % 4) % 4;
    if missing == 3 || text.len() - digits.len() > missing {
        return None;
    }
    let mut decoded = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let mut invalid = 0;
    for group in digits.chunks(4) {
        let values = [0, 1, 2, 3].map(|i| group.get(i).map_or(0, |digit| VALUES[usize::from(*digit)]));
        invalid |= values.into_iter().fold(0, |all, value| all | value);
        let [a, b, c, d] = values.map(u32::from);
        decoded.extend_from_slice(&(a << 18 | b << 12 | c << 6 | d).to_be_bytes()[1..]);
    }
    decoded.truncate(decoded.len() - missing);
    (invalid & 64 == 0).then_some(decoded)
}

/// Returns the refusal of a file outside of the model's folder. `what` names the file.
pub(super) fn external_file(what: &str) -> Problem {
    let message = format!("{what}; put the file into the model's folder, or export as .glb");
    Problem::with_change(message, PolicyChange::AllowExternalPaths)
}

/// Returns the paths that a URI may refer to, the most probable first, or the reason why it is refused.
///
/// Only paths within the model's folder `base` are allowed. Absolute paths, `..` that leads out of the folder, drives and
/// `file:` URIs need `allow_external_paths`, percent-encoded or not. Other schemes are always refused. Symbolic links are
/// not resolved here.
pub(super) fn paths(uri: &str, base: Option<&Path>, allow_external_paths: bool) -> Result<Vec<PathBuf>, Problem> {
    let Some(base) = base else {
        return Err(format!(
            "it needs the file {}, but the model was not opened from a folder; open it by its path, or embed the file",
            quoted(uri)
        )
        .into());
    };
    let paths = relative_paths(uri, allow_external_paths)?;
    Ok(paths.into_iter().map(|path| base.join(path)).collect())
}

/// Returns the decoded paths of a URI, relative to the model. See [`paths`].
pub(super) fn relative_paths(uri: &str, allow_external_paths: bool) -> Result<Vec<String>, Problem> {
    let file_path = file_uri_path(uri);
    let encoded = file_path.unwrap_or(uri);
    if file_path.is_none()
        && let Some((scheme, _)) = uri.split_once(':')
        && !scheme.contains(['/', '\\', '?', '#', '%'])
        && !is_drive(uri)
    {
        let hint = "rigview does not read from a network; download the file into the model's folder and change the URI";
        return Err(format!("{} is not a local file: {hint}", quoted(uri)).into());
    }
    let decoded = String::from_utf8(percent_decode(encoded));
    let decoded = decoded.map_err(|_| format!("its URI {} does not decode to UTF-8", quoted(uri)))?;
    // Some exporters do not percent-encode, others write the separators of Windows.
    let mut paths: Vec<String> = Vec::new();
    for path in [decoded.clone(), encoded.to_owned(), decoded.replace('\\', "/")] {
        if path.is_empty() || path.contains('\0') {
            return Err(format!("its URI {} has no path", quoted(uri)).into());
        }
        if !allow_external_paths && (file_path.is_some() || leaves_folder(&path)) {
            return Err(external_file(&format!("{} is outside the model's folder", quoted(uri))));
        }
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// Removes `.`, empty segments, and `..` after another segment from a path.
pub(super) fn without_dots(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            "" if !parts.is_empty() => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, "" | "..")) => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns the path of a `file:` URI without a host, or with the host `localhost`.
fn file_uri_path(uri: &str) -> Option<&str> {
    let rest = uri.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("file:")).and(uri.get(5..))?;
    let Some(authority) = rest.strip_prefix("//") else { return Some(rest) };
    let path = authority.strip_prefix("localhost").unwrap_or(authority);
    let path = path.starts_with('/').then_some(path)?;
    // `/C:/a` is a path on a drive.
    Some(path.strip_prefix('/').filter(|path| is_drive(path)).unwrap_or(path))
}

/// Returns `true` if a path begins with a Windows drive.
fn is_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// Returns `true` if a path is absolute, or leaves its folder. Accepts the separators of all systems.
pub(super) fn leaves_folder(path: &str) -> bool {
    if path.starts_with(['/', '\\']) || is_drive(path) || Path::new(path).is_absolute() {
        return true;
    }
    let mut depth = 0usize;
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::hash::splitmix64;

    #[test]
    fn data_uri_variants_decode() {
        let text = |uri: &str| decode_data(uri).map(|bytes| String::from_utf8(bytes).unwrap());
        for uri in [
            "data:application/octet-stream;base64,aGVsbG8=",
            "data:application/octet-stream;base64,aGVsbG8",
            "data:;base64,aGVsbG8=",
            "DATA:;BASE64,aGVs\nbG8=",
            "data:;base64,aGVsbG8%3D",
            "data:,hello",
            "data:text/plain,%68ell%6f",
        ] {
            assert!(is_data(uri));
            assert_eq!(text(uri).as_deref(), Ok("hello"), "{uri}");
        }
        for malformed in ["", ",a!b", ",aaaa=", ",aaaa==", ",aaa==", ",a", ",a===", ",aa=a", ",aGVs\u{e4}"] {
            assert!(decode_data(&format!("data:;base64{malformed}")).is_err(), "{malformed}");
        }
        assert!(!is_data("datum.bin") && !is_data("dat"));
        assert_eq!(percent_decode("%4"), b"%4");
        assert_eq!(percent_decode("%%41%+1%zz%"), b"%A%+1%zz%");
    }

    #[test]
    fn base64_decodes_as_by_another_implementation() {
        use base64::Engine;
        let mut state = 1;
        for length in 0..200 {
            let bytes: Vec<u8> = (0..length).map(|_| splitmix64(&mut state) as u8).collect();
            let text = base64::engine::general_purpose::STANDARD.encode(&bytes);
            for text in [&text, text.trim_end_matches('=')] {
                assert_eq!(decode_base64(text.as_bytes()).as_ref(), Some(&bytes), "{text}");
            }
        }
    }

    fn found(uri: &str, allow_external_paths: bool) -> Result<Vec<PathBuf>, Problem> {
        paths(uri, Some(Path::new("models")), allow_external_paths)
    }

    #[test]
    fn paths_in_the_model_folder_resolve() {
        let found = |uri: &str| found(uri, false).unwrap();
        assert_eq!(found("a%20b.bin"), [Path::new("models/a b.bin"), Path::new("models/a%20b.bin")]);
        assert_eq!(found("t\\a.png").last().unwrap(), Path::new("models/t/a.png"));
        for inside in ["t/../a.png", "./a.png", "t/./../u/..a", "..a/b", "a..", "t%2fa.png", "t/a:b", "%252e%252e/a"] {
            assert!(!found(inside).is_empty(), "{inside}");
        }
    }

    #[test]
    fn external_paths_need_permission() {
        for uri in [
            "../a.png",
            "t/../../a.png",
            "..",
            "%2e%2e/a.png",
            "%2E%2E%2Fa.png",
            "..%5ca.png",
            "..\\a.png",
            "t\\..\\..\\a.png",
            "t/..\\../a.png",
            "/etc/passwd",
            "%2Fdev/zero",
            "\\a.png",
            "\\\\host\\share\\a.png",
            "//host/share/a.png",
            "\\\\?\\C:\\a.png",
            "C:\\a.bin",
            "C:a.bin",
            "c:/a.bin",
            "C%3A\\a.bin",
            "file:///etc/passwd",
            "FILE:/etc/passwd",
            "file:../a.bin",
            "file://localhost/a.bin",
            "file:///C:/a.bin",
        ] {
            let refusal = found(uri, false).unwrap_err();
            assert!(refusal.message.contains("outside the model's folder"), "{refusal}");
            assert_eq!(refusal.policy_change, Some(PolicyChange::AllowExternalPaths));
            assert!(!found(uri, true).unwrap().is_empty(), "{uri}");
        }
        assert_eq!(found("../t/a.png", true).unwrap()[0], Path::new("models/../t/a.png"));
        assert_eq!(found("file:///t/a%20b.png", true).unwrap()[0], Path::new("/t/a b.png"));
        assert_eq!(found("file://localhost/a.png", true).unwrap()[0], Path::new("/a.png"));
        assert_eq!(found("file:///C:/a.png", true).unwrap()[0], Path::new("models").join("C:/a.png"));
    }

    #[test]
    fn network_and_invalid_uris_are_refused() {
        for allow_external_paths in [false, true] {
            for uri in ["http://example.com/a.bin", "HTTPS://a/b", "ftp://a", "smb://a/b", "file://host/a"] {
                let refusal = found(uri, allow_external_paths).unwrap_err();
                assert!(refusal.message.contains("network") || refusal.message.contains("outside"), "{uri}: {refusal}");
            }
            for uri in ["", "a\0b", "a%00b", "%FF.bin"] {
                assert!(found(uri, allow_external_paths).is_err(), "{uri}");
            }
            assert!(paths("a.bin", None, allow_external_paths).unwrap_err().message.contains("\"a.bin\""));
        }
    }
}
