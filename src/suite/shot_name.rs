//! Names of shots, which are also file names.

use std::path::Path;

/// Maximum bytes of a name, with room for suffixes in a file name.
pub(super) const MAX_NAME_BYTES: usize = 120;

pub(super) fn is_valid(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= MAX_NAME_BYTES
        && !name.starts_with(['.', '-'])
        && name.chars().all(is_name_character)
}

fn is_name_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// Replaces characters that a name cannot contain with `_`.
pub(super) fn slug(text: &str) -> String {
    text.chars().map(|c| if is_name_character(c) { c } else { '_' }).collect()
}

/// The slug of a model's file name without extension.
pub(super) fn stem(model: &str) -> String {
    let file = model.rsplit('/').next().unwrap_or(model);
    Path::new(file).file_stem().map_or_else(String::new, |stem| slug(&stem.to_string_lossy()))
}
