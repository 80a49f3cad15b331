//! The direction of the arrows between modules: a new one is an edit of this table, made on purpose.

use std::fs;
use std::path::{Path, PathBuf};

/// Each module of `src/`, and the modules that it may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("math", &[]),
    ("model", &["math"]),
    ("import", &["math", "model"]),
    ("pose", &["math", "model"]),
    ("palette", &["math", "model", "pose"]),
    ("scene", &["math", "model", "pose", "palette"]),
    ("check", &["math", "model", "import", "pose", "palette"]),
    ("export", &["math", "model", "import", "palette"]),
    ("compare", &[]),
    // For the limits that a shot may set.
    ("suite", &["compare"]),
    // The GL line: nothing above names a crate of the screen.
    // For the words of its topologies and samplers, which need no second copy.
    ("gpu", &["model"]),
    ("render", &["math", "model", "palette", "scene", "gpu"]),
    ("platform", &["gpu"]),
    // For which shots of a suite are meant, how far a file is trusted, the words for what surfaces show, and what a joint put
    // by hand is.
    ("cli", &["math", "import", "scene", "suite"]),
    (
        "app",
        &[
            "math", "model", "import", "pose", "palette", "scene", "check", "export", "compare", "suite", "gpu",
            "render", "platform", "cli",
        ],
    ),
];

const ABOVE_THE_GL_LINE: &[&str] =
    &["math", "model", "import", "pose", "palette", "scene", "check", "export", "compare", "suite", "cli"];
const CRATES_OF_THE_SCREEN: &[&str] =
    &["glow", "winit", "glutin", "glutin_winit", "egui", "egui_winit", "egui_glow", "rfd"];

fn sources(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            sources(&entry.unwrap().path(), found);
        }
    } else if path.extension().is_some_and(|e| e == "rs") {
        found.push(path.to_owned());
    }
}

/// Calls `look` with the name of the module, the file and each line of code in it.
fn for_each_line(mut look: impl FnMut(&str, &Path, &str)) {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    for file in &files {
        let inside = file.strip_prefix(&src).unwrap();
        let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
        let module = first.trim_end_matches(".rs");
        if !["lib", "main"].contains(&module) {
            for line in fs::read_to_string(file).unwrap().lines().filter(|l| !l.trim_start().starts_with("//")) {
                look(module, inside, line);
            }
        }
    }
}

#[test]
fn arrows_between_modules_point_one_way() {
    let mut wrong = Vec::new();
    for_each_line(|module, file, line| {
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == module) else {
            wrong.push(format!("{}: module `{module}` has no row in the table", file.display()));
            return;
        };
        for used in line.split("crate::").skip(1) {
            // `some_crate::item` is no path of ours; neither is a macro's `$crate`.
            let used: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let is_module = MAY_USE.iter().any(|(name, _)| *name == used);
            if is_module && used != module && !allowed.contains(&used.as_str()) {
                wrong.push(format!("{}: `{module}` uses `{used}`: {}", file.display(), line.trim()));
            }
        }
    });
    assert!(wrong.is_empty(), "arrows that point the wrong way:\n{}", wrong.join("\n"));
}

#[test]
fn the_core_does_not_know_the_screen() {
    let mut wrong = Vec::new();
    for_each_line(|module, file, line| {
        let names = |name: &&&str| line.contains(&format!("{name}::"));
        if let (true, Some(name)) = (ABOVE_THE_GL_LINE.contains(&module), CRATES_OF_THE_SCREEN.iter().find(names)) {
            wrong.push(format!("{}: names {name}: {}", file.display(), line.trim()));
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_importer_names_the_gltf_crate() {
    let mut wrong = Vec::new();
    for_each_line(|module, file, line| {
        if module != "import" && (line.contains("gltf::") || line.contains("use gltf")) {
            wrong.push(format!("{}: {}", file.display(), line.trim()));
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
