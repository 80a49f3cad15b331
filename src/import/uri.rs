//! URIs in a file: data inside them, or paths beside the file.

use super::notice::quoted;
use base64::Engine;
use base64::engine::general_purpose::GeneralPurpose;
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};
use percent_encoding::percent_decode;
use std::path::{Path, PathBuf};

/// Whether the data is in the URI itself.
pub(crate) fn is_data(uri: &str) -> bool {
    uri.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// The MIME type that a `data:` URI gives; text, where it gives none.
pub(crate) fn data_type(uri: &str) -> &str {
    let head = uri.get(5..).unwrap_or_default().split(',').next().unwrap_or_default();
    match head.split(';').next().unwrap_or_default() {
        "" => "text/plain",
        mime => mime,
    }
}

/// The data of a `data:` URI (RFC 2397), or what is wrong with it.
pub(crate) fn decode_data(uri: &str) -> Result<Vec<u8>, String> {
    let (head, payload) = uri.split_once(',').ok_or("its data URI has no comma, so it has no data")?;
    let is_base64 =
        head.len() >= 7 && head.get(head.len() - 7..).is_some_and(|end| end.eq_ignore_ascii_case(";base64"));
    if !is_base64 {
        return Ok(percent_decode(payload.as_bytes()).collect());
    }
    // Padding may be missing, and line breaks or percent signs may be in between; none of them changes the data.
    const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    const STANDARD: GeneralPurpose = GeneralPurpose::new(&base64::alphabet::STANDARD, CONFIG);
    let decoded = if payload.bytes().any(|byte| byte == b'%' || byte.is_ascii_whitespace()) {
        let clean: Vec<u8> = percent_decode(payload.as_bytes()).filter(|byte| !byte.is_ascii_whitespace()).collect();
        STANDARD.decode(clean)
    } else {
        STANDARD.decode(payload)
    };
    decoded.map_err(|error| format!("its data URI is not base64: {}", error.to_string().to_lowercase()))
}

/// The files that a relative URI may mean, likeliest first, or why it means none.
///
/// Only files named relative to the model's folder are read: no scheme, no absolute path.
pub(super) fn paths(uri: &str, base: Option<&Path>) -> Result<Vec<PathBuf>, String> {
    let Some(base) = base else {
        return Err(format!(
            "it needs the file {}, but the model was not opened from a folder; open it by its path, or embed the file",
            quoted(uri)
        ));
    };
    if let Some((scheme, _)) = uri.split_once(':')
        && !scheme.contains(['/', '?', '#', '%'])
    {
        return Err(format!("{} is not a path relative to the model; only files beside it are read", quoted(uri)));
    }
    let decoded = percent_decode(uri.as_bytes()).decode_utf8();
    let decoded = decoded.map_err(|_| format!("its URI {} is not UTF-8 once it is decoded", quoted(uri)))?.into_owned();
    // Some exporters forget to encode; some write the separators of Windows.
    let mut found: Vec<PathBuf> = Vec::new();
    for name in [decoded.clone(), uri.to_owned(), decoded.replace('\\', "/")] {
        if name.is_empty() || name.contains('\0') {
            return Err(format!("its URI {} names no file", quoted(uri)));
        }
        let drive = name.as_bytes().get(1) == Some(&b':');
        if name.starts_with(['/', '\\']) || drive || Path::new(&name).is_absolute() {
            return Err(format!("{} is an absolute path; only files beside the model are read", quoted(uri)));
        }
        let path = base.join(name);
        if !found.contains(&path) {
            found.push(path);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_uris_come_in_many_dresses() {
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
        assert!(decode_data("data:;base64").is_err());
        assert!(decode_data("data:;base64,a!b").is_err());
        assert!(!is_data("datum.bin") && !is_data("dat"));
    }

    #[test]
    fn only_relative_paths_are_files() {
        let base = Some(Path::new("models"));
        assert_eq!(paths("a%20b.bin", base).unwrap(), [Path::new("models/a b.bin"), Path::new("models/a%20b.bin")]);
        assert_eq!(paths("../textures/a.png", base).unwrap(), [Path::new("models/../textures/a.png")]);
        assert_eq!(paths("t\\a.png", base).unwrap()[1], Path::new("models/t/a.png"));
        for uri in [
            "http://example.com/a.bin",
            "file:///etc/passwd",
            "C:\\a.bin",
            "/dev/zero",
            "%2Fdev/zero",
            "\\\\host\\a",
            "",
            "a\0b",
            "a%00b",
            "%FF.bin",
            "C%3A\\a.bin",
        ] {
            assert!(paths(uri, base).is_err(), "{uri}");
        }
        assert!(paths("a.bin", None).unwrap_err().contains("\"a.bin\""));
    }
}
