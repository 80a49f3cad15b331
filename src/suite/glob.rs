//! Patterns of files to files.

use super::error::Problem;
use crate::util::text::excerpt;
use globset::GlobBuilder;
use std::path::Path;

/// The most files and folders that a pattern looks at.
const MAX_LOOKED_AT: usize = 200_000;
/// The most folders inside each other that it goes down.
const MAX_DEPTH: usize = 32;

/// Whether a path is a pattern.
pub(super) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// The files that match `pattern`, relative to `folder` and with slashes, sorted; `**` goes through folders.
///
/// Links to folders are not followed, so that there is an end to it.
pub(super) fn matches(pattern: &str, folder: &Path) -> Result<Vec<String>, Problem> {
    let bad = |reason: String| Problem::BadGlob { pattern: excerpt(pattern), reason: excerpt(&reason) };
    let matcher = GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map_err(|error| bad(error.kind().to_string()))?
        .compile_matcher();
    // Folders without a pattern in them are walked into, not through.
    let fixed =
        pattern.split('/').take_while(|part| !is_pattern(part)).map(|part| format!("{part}/")).collect::<String>();
    let deep = pattern.contains("**");
    let depth = if deep { MAX_DEPTH } else { pattern[fixed.len()..].split('/').count() };
    let mut found = Vec::new();
    let mut looked_at = 0;
    let mut open = vec![(fixed, depth)];
    while let Some((inside, depth)) = open.pop() {
        let path = if inside.is_empty() { folder.to_owned() } else { folder.join(&inside) };
        let entries = match std::fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(source) => return Err(Problem::Folder { folder: excerpt(&inside), source }),
        };
        for entry in entries {
            looked_at += 1;
            if looked_at > MAX_LOOKED_AT {
                return Err(Problem::TooManyFiles { pattern: excerpt(pattern), limit: MAX_LOOKED_AT });
            }
            let entry = entry.map_err(|source| Problem::Folder { folder: excerpt(&inside), source })?;
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            let path = format!("{inside}{name}");
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth > 1 => open.push((format!("{path}/"), depth - 1)),
                Ok(kind) if !kind.is_dir() && matcher.is_match(&path) => found.push(path),
                _ => {}
            }
        }
    }
    if found.is_empty() {
        return Err(Problem::NothingMatches { pattern: excerpt(pattern) });
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_pattern_lacks_is_told_without_moving_a_cursor() {
        let message = matches("a[?'?\u{99}-\u{7}m]", Path::new(".")).unwrap_err().to_string();
        assert!(message.contains("invalid range") && !message.contains(char::is_control), "{message:?}");
    }
}
