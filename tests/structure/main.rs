//! Rules of the source tree: import cycles, public items, vocabulary, shaders.

mod layering;
mod public_items;
mod shaders;
mod vocabulary;

use std::path::{Path, PathBuf};

/// The source folders of the workspace, with the names of their crates.
const CRATES: [(&str, &str); 5] = [
    ("rigview", "src"),
    ("rigview_core", "crates/core/src"),
    ("rigview_check", "crates/check/src"),
    ("rigview_suite", "crates/suite/src"),
    ("rigview_render", "crates/render/src"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Adds the files below `path` whose extension is one of `extensions`, sorted.
fn add_files(path: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        entries.iter().for_each(|entry| add_files(entry, extensions, found));
    } else if path.extension().and_then(|extension| extension.to_str()).is_some_and(|e| extensions.contains(&e)) {
        found.push(path.to_owned());
    }
}
