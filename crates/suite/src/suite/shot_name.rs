//! Names of shots, which are also file names.

use std::collections::{BTreeMap, HashSet};
use std::path::{Component, Path, PathBuf};

/// Maximum bytes of a name, with room for suffixes in a file name.
pub(super) const MAX_NAME_BYTES: usize = 120;

/// Returns `true` for a valid name of a shot.
pub fn is_valid(name: &str) -> bool {
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
fn prefix_of(suite: &Path) -> String {
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

/// The prefix of the names of each suite's shots: none for one suite, else the file's name, or its path if two names are equal.
pub fn prefixes(files: &[PathBuf]) -> Vec<String> {
    if let [_] = files {
        return vec![String::new()];
    }
    let stem = |file: &PathBuf| prefix_of(Path::new(file.file_name().unwrap_or_default()));
    let mut stems: Vec<String> = files.iter().map(|file| stem(file).to_lowercase()).collect();
    stems.sort();
    stems.dedup();
    let are_unique = stems.len() == files.len();
    files.iter().map(|file| if are_unique { stem(file) } else { prefix_of(file) } + ".").collect()
}

/// The slug of a model's file name without extension.
pub(super) fn stem(model: &str) -> String {
    let file = model.rsplit('/').next().unwrap_or(model);
    Path::new(file).file_stem().map_or_else(String::new, |stem| slug(&stem.to_string_lossy()))
}

/// Returns a name for each model: that of its file. Models with one file name are named by the parts of their paths that differ.
///
/// These are as many folders as needed, from the end: `a/model.gltf` and `b/model.gltf` are `a` and `b`. A model added in
/// another folder does not change these names, unless the names of the folders are equal, too. A file that is named as one of
/// its folders keeps this name in front: `fox/glTF/fox.gltf` and `fox/glb/fox.glb` are `fox-glTF` and `fox-glb`.
pub(super) fn model_names(models: &[String]) -> Vec<String> {
    let mut names: Vec<String> = models.iter().map(|model| stem(model)).collect();
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, name) in names.iter().enumerate() {
        groups.entry(name.to_lowercase()).or_default().push(index);
    }
    let mut used: HashSet<String> =
        groups.iter().filter(|(_, group)| group.len() == 1).map(|(name, _)| name.clone()).collect();
    for group in groups.into_values().filter(|group| group.len() > 1) {
        let paths: Vec<Vec<&str>> = group.iter().map(|&index| folders(&models[index])).collect();
        let folder_from_end =
            |path: &[&str], depth: usize| path.iter().rev().nth(depth).map(|part| part.to_lowercase());
        let deepest = paths.iter().map(Vec::len).max().unwrap_or(0);
        let are_equal = |depth: &usize| {
            let first = folder_from_end(&paths[0], *depth);
            paths.iter().all(|path| folder_from_end(path, *depth) == first)
        };
        let common = (0..deepest).take_while(are_equal).count();
        for count in 1..=deepest - common {
            let differing = |path: &Vec<&str>| {
                let end = path.len().saturating_sub(common);
                slug(&path[end.saturating_sub(count)..end].join("-"))
            };
            let candidates: Vec<String> = paths.iter().map(differing).collect();
            let unique: HashSet<String> = candidates.iter().map(|name| name.to_lowercase()).collect();
            if unique.len() == group.len() {
                for (&index, name) in group.iter().zip(candidates) {
                    if !name.is_empty() {
                        let stem = &names[index];
                        let is_same = |text: &str| slug(text).to_lowercase() == stem.to_lowercase();
                        let is_named_as_folder = !is_same(&name) && folders(&models[index]).into_iter().any(is_same);
                        let is_unusable = !is_valid(&name) || used.contains(&name.to_lowercase());
                        names[index] = if is_unusable || is_named_as_folder { format!("{stem}-{name}") } else { name };
                    }
                    used.insert(names[index].to_lowercase());
                }
                break;
            }
        }
    }
    names
}

/// The folders of a path with slashes.
fn folders(path: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
    parts.pop();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_with_one_file_name_are_named_by_what_differs() {
        for (models, expected) in [
            (&["fox.glb", "x/hare.gltf"][..], &["fox", "hare"][..]),
            (&["a/model.gltf", "b/model.gltf"], &["a", "b"]),
            (&["a/v1/model.gltf", "b/v1/model.gltf", "c/fox.glb"], &["a", "b", "fox"]),
            (&["chars/a/m.glb", "chars/b/m.glb", "props/c/m.glb"], &["a", "b", "c"]),
            (&["chars/a/m.glb", "props/a/m.glb", "props/b/m.glb"], &["chars-a", "props-a", "props-b"]),
            (&["a/m.glb", "b/m.glb", "A.glb"], &["m-a", "b", "A"]),
            (&["m.glb", "a/m.gltf"], &["m", "a"]),
            (&["m.glb", "m.gltf", "m.glb"], &["m", "m", "m"]),
            (&["a/M.glb", "./b c/m.glb"], &["a", "b_c"]),
            (&["fox/gltf/fox.gltf", "fox/glb/fox.glb"], &["fox-gltf", "fox-glb"]),
            (&["fox/fox.glb", "hare/fox.glb"], &["fox", "hare"]),
        ] {
            let models: Vec<String> = models.iter().map(|model| (*model).to_owned()).collect();
            assert_eq!(model_names(&models), expected, "{models:?}");
        }
    }

    #[test]
    fn names_of_windows_devices_are_reserved() {
        assert!(["con", "AUX.1", "nul", "com1", "Lpt9.side"].into_iter().all(is_reserved));
        assert!(!["cone", "com", "com0", "com10", "a.con", "auxiliary"].into_iter().any(is_reserved));
    }

    #[test]
    fn prefixes_are_the_shortest_names_that_differ() {
        let of = |files: &[&str]| prefixes(&files.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(of(&["x/suite.toml"]), [""]);
        assert_eq!(of(&["x/fox.toml", "y/hare.toml"]), ["fox.", "hare."]);
        assert_eq!(of(&["x/suite.toml", "../y z/Suite.toml"]), ["x.suite.", "y_z.Suite."]);
        assert_eq!(of(&["-.toml", "b.toml"]), ["suite.", "b."]);
        let long = "体".repeat(80);
        let [prefix, other] = of(&[&format!("{long}.toml"), "b.toml"]).try_into().unwrap();
        assert!((98..=101).contains(&prefix.len()) && other == "b.", "{prefix}");
    }
}
