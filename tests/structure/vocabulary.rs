//! The vocabulary of the project: source code, shaders, documentation and help texts use the standard terms of glTF,
//! OpenGL and Blender. This test refuses the private words that those terms replace.

use crate::{add_files, root};
use std::fs;

/// Refused words and phrases, lower case, each with the term to use.
const REFUSED: &[(&str, &str)] = &[
    // Code is no person.
    ("whoever", "the caller, the user"),
    ("somebody", "the user, the caller, an instance"),
    ("someone", "the user, the caller, an instance"),
    ("anybody", "any instance, any caller"),
    ("nobody", "none, no instance, no user"),
    ("everybody", "all"),
    ("told", "reported"),
    ("tell", "report, return"),
    ("tells", "reports, returns"),
    ("asks", "requests"),
    ("asked", "requested"),
    ("knows", "stores, has"),
    ("wants", "requests"),
    ("hears", "receives"),
    ("lets go", "releases"),
    ("let go of", "release, clear"),
    ("in the hand", "dragged"),
    // Circumlocutions of standard terms.
    ("by hand", "manually; a pose override"),
    ("put by", "overridden by"),
    ("no number", "NaN"),
    ("endless", "infinite"),
    ("reckon", "compute"),
    ("reckoned", "computed"),
    ("reckons", "computes"),
    ("tremble", "noise"),
    ("trembles", "has noise"),
    ("trembling", "noise"),
    ("cure", "hint, fix"),
    ("cures", "hints, fixes"),
    ("picture", "image, frame, texture, thumbnail, screenshot"),
    ("pictures", "images, frames, textures, thumbnails, screenshots"),
    ("ways of looking", "view modes"),
    ("way of looking", "view mode"),
    ("small copies", "mip levels"),
    ("smaller copies", "mip levels"),
    ("unfolds to", "decompresses to"),
    ("hangs from", "is a child of"),
    ("taken for", "treated as, replaced by"),
    ("whole number", "integer"),
    ("goes in step", "is synchronized"),
    ("beside the window", "in the background"),
    // Archaic syntax.
    ("anew", "again"),
    ("of late", "recent"),
    ("to be had", "available, supported"),
    ("as ever", "as usual"),
    ("be it", "whether"),
    ("means harm", "is hostile"),
    // One spelling: that of glTF, GLSL, egui and Rust.
    ("colour", "color"),
    ("colours", "colors"),
    ("centre", "center"),
    ("grey", "gray"),
    ("metre", "meter"),
    ("metres", "meters"),
    ("neighbour", "neighbor"),
    ("neighbours", "neighbors"),
];

/// Places where a refused word is right: end of the file's name, word.
// The old spelling of a command-line value.
const EXCEPTIONS: &[(&str, &str)] =
    &[("crates/render/src/scene/debug_view.rs", "colours"), ("crates/core/src/import/avif.rs", "picture")];

const EXTENSIONS: &[&str] =
    &["rs", "mjs", "py", "md", "vert", "frag", "geom", "glsl", "html", "js", "css", "yml", "toml", "desktop"];

/// The words of a line in lower case, one space before, between and after them.
fn words(line: &str) -> String {
    let mut text = String::from(" ");
    for word in line.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()) {
        text.push_str(&word.to_lowercase());
        text.push(' ');
    }
    text
}

#[test]
fn texts_use_standard_terms() {
    let root = root();
    let mut files = Vec::new();
    for place in [
        "src",
        "crates",
        "shaders",
        "tests/gl",
        "tests/integration",
        "tests/structure/layering.rs",
        "tests/structure/main.rs",
        "tests/structure/public_items.rs",
        "tests/structure/shaders.rs",
        "tests/window",
        "tests/against-three/compare.mjs",
        "benches/crowd.rs",
        "benches/detail.rs",
        "fuzz/src",
        "fuzz/fuzz_targets",
        "fuzz/README.md",
        "docs",
        "examples",
        "packaging",
        "Cargo.toml",
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "action.yml",
        ".github",
    ] {
        add_files(&root.join(place), EXTENSIONS, &mut files);
    }
    assert!(files.len() > 100, "the sources are missing: {files:?}");
    let mut wrong = Vec::new();
    for file in &files {
        let name = file.strip_prefix(root).unwrap().display().to_string();
        for (number, line) in fs::read_to_string(file).unwrap().lines().enumerate() {
            let text = words(line);
            for (word, standard) in REFUSED {
                let is_exception = EXCEPTIONS.iter().any(|(file, other)| name.ends_with(file) && other == word);
                if text.contains(&format!(" {word} ")) && !is_exception {
                    wrong.push(format!("{name}:{}: \"{word}\": use {standard}: {}", number + 1, line.trim()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} refused words:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn texts_of_the_window_name_the_modifier_key_of_the_system() {
    let mut files = Vec::new();
    add_files(&root().join("src/app/viewer"), EXTENSIONS, &mut files);
    assert!(files.len() > 50, "the sources are missing: {files:?}");
    // The page of the guide is equal on all systems. Some bindings exist on macOS only.
    files.retain(|file| !["actions/keys_page.rs", "actions/keymap.rs"].iter().any(|other| file.ends_with(other)));
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let program = text.split("#[cfg(test)]\nmod ").next().unwrap();
        for (i, line) in program.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            let literal = ["Ctrl", "Cmd"].into_iter().find(|key| line.contains(key));
            assert_eq!(literal, None, "{}:{}: use `modifier_key!()`", file.display(), i + 1);
        }
    }
}
