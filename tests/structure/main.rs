//! Rules of the source tree: import cycles, public items, shaders, names of keys, coverage of the specification, claims.

mod claims;
mod files;
mod layering;
mod public_items;
mod shaders;
mod spec_coverage;

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

#[test]
fn texts_of_the_window_name_the_modifier_key_of_the_system() {
    let mut files = Vec::new();
    add_files(&root().join("src/app/viewer"), &["rs"], &mut files);
    assert!(files.len() > 50, "the sources are missing: {files:?}");
    // The page of the guide is equal on all systems. Some bindings exist on macOS only.
    let others = ["actions/keys_page.rs", "actions/keymap.rs", "state/modifier_key.rs"];
    files.retain(|file| !others.iter().any(|other| file.ends_with(other)));
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let program = text.split("#[cfg(test)]\nmod ").next().unwrap();
        for (i, line) in program.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            let literal = ["Ctrl", "Cmd"].into_iter().find(|key| line.contains(key));
            assert_eq!(literal, None, "{}:{}: use `modifier_key!()`", file.display(), i + 1);
        }
    }
}
