//! Names of shots, which are also file names.

use std::path::{Component, Path};

/// Maximum bytes of a name, with room for suffixes in a file name.
pub(super) const MAX_NAME_BYTES: usize = 120;

pub(super) fn is_valid(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= MAX_NAME_BYTES
        && !name.starts_with(['.', '-'])
        && name.chars().all(is_name_character)
}

/// Returns `true` if Windows has a device of this name, so that it refuses such files with any extension.
pub(super) fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let has_number =
        |device| stem.strip_prefix(device).is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']));
    ["con", "prn", "aux", "nul"].contains(&&*stem) || has_number("com") || has_number("lpt")
}

fn is_name_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// Replaces characters that a name cannot contain with `_`.
pub(super) fn slug(text: &str) -> String {
    text.chars().map(|c| if is_name_character(c) { c } else { '_' }).collect()
}

/// Maximum bytes of a prefix, with room for a name and suffixes in a file name.
const MAX_PREFIX_BYTES: usize = 100;

/// The start of the names of a suite's shots: the slug of its path without extension, whose parts are separated by `.`.
pub fn prefix_of(suite: &Path) -> String {
    let parts = suite.components().filter_map(|part| match part {
        Component::Normal(name) => Some(slug(&name.to_string_lossy())),
        _ => None,
    });
    let path = parts.collect::<Vec<_>>().join(".");
    let path = path.strip_suffix(".toml").unwrap_or(&path);
    let prefix = &path[path.ceil_char_boundary(path.len().saturating_sub(MAX_PREFIX_BYTES))..];
    match prefix.trim_start_matches(['.', '-']) {
        "" => "suite".to_owned(),
        prefix => prefix.to_owned(),
    }
}

/// The slug of a model's file name without extension.
pub(super) fn stem(model: &str) -> String {
    let file = model.rsplit('/').next().unwrap_or(model);
    Path::new(file).file_stem().map_or_else(String::new, |stem| slug(&stem.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_windows_devices_are_reserved() {
        assert!(["con", "AUX.1", "nul", "com1", "Lpt9.side"].into_iter().all(is_reserved));
        assert!(!["cone", "com", "com0", "com10", "a.con", "auxiliary"].into_iter().any(is_reserved));
    }
}
