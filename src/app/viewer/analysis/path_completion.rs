//! Completion of typed file paths.

use crate::request::is_model_file;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

const MAX_COMPLETIONS: usize = 40;

/// Entries read per folder, so that large folders stay responsive.
const MAX_ENTRIES_READ: usize = 20_000;

/// A completion of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Completion {
    /// A folder, with a trailing separator.
    Folder(String),
    /// A model file.
    Model(String),
}

/// Files and folders that match a typed path.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathMatches {
    pub(crate) is_file: bool,
    pub(crate) completions: Vec<Completion>,
}

impl PathMatches {
    /// Reads the disk, which may take long.
    pub(crate) fn of(text: &str) -> Self {
        Self { is_file: path_of(text).is_file(), completions: completions(text) }
    }
}

/// Returns `true` if `text` is a path rather than a name.
pub(crate) fn is_path(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with(['/', '~', '\\'])
        || text.starts_with("./")
        || text.starts_with("../")
        || matches!(text.get(1..3), Some(":\\" | ":/"))
}

/// Expands `~` to the home folder.
pub(crate) fn path_of(text: &str) -> PathBuf {
    let text = text.trim();
    let home = || directories::BaseDirs::new().map(|folders| folders.home_dir().to_owned());
    match text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with(['/', MAIN_SEPARATOR])) {
        Some(rest) => {
            home().map_or_else(|| PathBuf::from(text), |home| home.join(rest.trim_start_matches(['/', '\\'])))
        }
        None => PathBuf::from(text),
    }
}

/// Completions: folders, then models, by name. Hidden entries only after a dot.
fn completions(text: &str) -> Vec<Completion> {
    let text = text.trim_start();
    if !is_path(text) {
        return Vec::new();
    }
    let (folder, start) = match text.rfind(['/', MAIN_SEPARATOR]) {
        Some(separator) => text.split_at(separator + 1),
        // `~` alone.
        None => return vec![Completion::Folder(format!("{text}{MAIN_SEPARATOR}"))],
    };
    let Ok(entries) = std::fs::read_dir(path_of(folder)) else { return Vec::new() };
    let start_lower = start.to_lowercase();
    let mut found = Vec::new();
    for entry in entries.take(MAX_ENTRIES_READ).flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.to_lowercase().starts_with(&start_lower) || (name.starts_with('.') && !start.starts_with('.')) {
            continue;
        }
        // Follows links.
        let Ok(kind) = std::fs::metadata(entry.path()) else { continue };
        if kind.is_dir() {
            found.push(Completion::Folder(format!("{folder}{name}{MAIN_SEPARATOR}")));
        } else if kind.is_file() && is_model_file(Path::new(&name)) {
            found.push(Completion::Model(format!("{folder}{name}")));
        }
    }
    found.sort();
    found.truncate(MAX_COMPLETIONS);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_with_a_root_or_a_dot() {
        assert!(["/a", "~", "./a", "../a", "C:\\a", "C:/a", "\\\\server"].into_iter().all(is_path));
        assert!(!["a/b", "hare", "a: b", "C:"].into_iter().any(is_path));
    }

    #[test]
    fn only_folders_and_models_complete() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["Fox.glb", "fog.GLTF", "notes.txt", ".hidden.glb"] {
            std::fs::write(folder.path().join(name), b"").unwrap();
        }
        std::fs::create_dir(folder.path().join("forest")).unwrap();
        let at = |rest: &str| format!("{}/{rest}", folder.path().display());
        let (forest, fog, fox) = (
            Completion::Folder(format!("{}{MAIN_SEPARATOR}", at("forest"))),
            Completion::Model(at("fog.GLTF")),
            Completion::Model(at("Fox.glb")),
        );
        assert_eq!(completions(&at("")), [forest.clone(), fox.clone(), fog.clone()]);
        assert_eq!(completions(&at("FO")), [forest, fox.clone(), fog]);
        assert_eq!(completions(&format!("  {}", at("fox"))), [fox]);
        assert_eq!(completions(&at(".h")), [Completion::Model(at(".hidden.glb"))]);
        assert!(completions(&at("no/such")).is_empty() && completions("walk").is_empty() && completions("").is_empty());
    }

    #[test]
    fn tilde_expands_to_home() {
        let home = directories::BaseDirs::new().unwrap().home_dir().to_owned();
        assert_eq!(path_of("~"), home);
        assert_eq!(path_of(" ~/a b.glb "), home.join("a b.glb"));
        assert_eq!(path_of("~x/a.glb"), PathBuf::from("~x/a.glb"));
    }
}
