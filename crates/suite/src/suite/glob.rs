//! Globs of model files.

use super::error::SuiteErrorKind;
use globset::{GlobBuilder, GlobMatcher};
use rigview_core::util::panic_guard::catch_silently;
use rigview_core::util::text::excerpt;
use std::path::Path;
use walkdir::WalkDir;

/// Maximum files and folders that a glob visits.
const MAX_VISITED: usize = 200_000;
/// Maximum depth of folders that `**` visits.
const MAX_DEPTH: usize = 32;

/// Returns `true` if `path` has a wildcard.
pub fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// Returns the folders of a pattern before the first wildcard, where the search begins.
pub(super) fn literal_prefix(pattern: &str) -> &str {
    let parts = pattern.split_inclusive('/').take_while(|part| !is_pattern(part));
    &pattern[..parts.map(str::len).sum()]
}

/// Compiles a glob; the error is the reason. With `literal_separator`, only `**` matches slashes.
pub(super) fn compile(pattern: &str, literal_separator: bool) -> Result<GlobMatcher, String> {
    let compile = || {
        let glob = GlobBuilder::new(pattern).literal_separator(literal_separator).build();
        glob.map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
    };
    // The library panics if the regular expression of the glob is too large or too deeply nested.
    catch_silently(compile).unwrap_or_else(|| Err("it is too complex".to_owned()))
}

/// Returns `true` if a part of the path begins with a dot, except `.` and `..`.
fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.') && part != "." && part != "..")
}

/// The files that match `pattern`, sorted, relative to `folder`, with slashes.
///
/// Hidden files, such as `._fox.glb` of macOS, match only if a part of the pattern begins with a dot.
/// Links to folders are not followed, which could be cyclic.
///
/// # Errors
/// If the pattern is invalid, a folder cannot be read, the search visits too many files, or no file matches.
pub fn matches(pattern: &str, folder: &Path) -> Result<Vec<String>, SuiteErrorKind> {
    let matcher = compile(pattern, true)
        .map_err(|reason| SuiteErrorKind::BadGlob { pattern: excerpt(pattern), reason: excerpt(&reason) })?;
    let prefix = literal_prefix(pattern);
    let depth = if pattern.contains("**") { MAX_DEPTH } else { pattern[prefix.len()..].split('/').count() };
    let mut found = Vec::new();
    for (visited, entry) in WalkDir::new(folder.join(prefix)).min_depth(1).max_depth(depth).into_iter().enumerate() {
        if visited >= MAX_VISITED {
            return Err(SuiteErrorKind::TooManyFiles { pattern: excerpt(pattern), limit: MAX_VISITED });
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) if error.io_error().is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound) => {
                continue;
            }
            Err(error) => {
                let folder = excerpt(&error.path().unwrap_or(folder).to_string_lossy());
                return Err(SuiteErrorKind::Folder { folder, source: error.into() });
            }
        };
        let path = entry.path().strip_prefix(folder).ok().and_then(Path::to_str);
        if let Some(path) = path.map(|path| path.replace(std::path::MAIN_SEPARATOR, "/"))
            && !entry.file_type().is_dir()
            && (is_hidden(pattern) || !is_hidden(&path))
            && matcher.is_match(&path)
        {
            found.push(path);
        }
    }
    if found.is_empty() {
        return Err(SuiteErrorKind::NothingMatches { pattern: excerpt(pattern) });
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeply_nested_braces_are_an_error() {
        let pattern = format!("{}a{}", "{".repeat(250), "}".repeat(250));
        let message = matches(&pattern, Path::new(".")).unwrap_err().to_string();
        assert!(message.ends_with("is not a valid glob: it is too complex") && message.len() < 200, "{message}");
    }

    #[test]
    fn hidden_files_match_only_patterns_with_a_dot() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".cache")).unwrap();
        for file in ["fox.glb", "._fox.glb", ".cache/fox.glb"] {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        let found = |pattern: &str| matches(pattern, folder.path()).unwrap();
        assert_eq!((found("*.glb"), found("**/*.glb")), (vec!["fox.glb".to_owned()], vec!["fox.glb".to_owned()]));
        assert_eq!(
            (found(".*.glb"), found(".cache/*")),
            (vec!["._fox.glb".to_owned()], vec![".cache/fox.glb".to_owned()])
        );
    }

    #[test]
    fn glob_error_has_no_control_characters() {
        let message = matches("a[?'?\u{99}-\u{7}m]", Path::new(".")).unwrap_err().to_string();
        assert!(message.contains("invalid range") && !message.contains(char::is_control), "{message:?}");
    }
}
