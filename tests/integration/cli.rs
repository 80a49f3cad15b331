//! The command line: exit codes, messages, and files on disk.

use crate::support::bake::run_bake;
use crate::support::models::shipped;
use crate::support::rigs;
use crate::support::run::{names, rigview, rigview_in};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder with `arm.glb`.
fn arm_in_a_folder() -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a folder for temporary files");
    let file = rigs::arm().rig.write_glb(folder.path(), "arm");
    (folder, file)
}

#[test]
fn names_in_files_cannot_forge_output() {
    let (folder, _) = arm_in_a_folder();
    let mut rig = rigs::arm().rig;
    rig.object("nodes", 0)["name"] = serde_json::json!("hip\n::error::forged\u{202e}\u{85}");
    rig.object("meshes", 0)["name"] = serde_json::json!("arm\n::error::forged\u{202e}\u{85}");
    rig.write_glb(folder.path(), "forged");
    for arguments in [
        &["info", "forged.glb"][..],
        &["info", "forged.glb", "--json"],
        &["check", "forged.glb"],
        &["check", "forged.glb", "--json", "--junit", "a.xml", "--sarif", "a.json"],
        &["diff", "arm.glb", "forged.glb"],
        &["diff", "arm.glb", "forged.glb", "--json"],
    ] {
        let run = rigview_in(folder.path(), arguments);
        let files =
            ["a.xml", "a.json"].map(|file| std::fs::read_to_string(folder.path().join(file)).unwrap_or_default());
        for text in [&run.stdout, &run.stderr, &files[0], &files[1]] {
            assert!(!text.contains("\n::error") && !text.contains(['\u{202e}', '\u{85}']), "{}\n{text}", run.report());
        }
    }
    let info = rigview_in(folder.path(), &["info", "forged.glb", "--json"]).stdout;
    let info: serde_json::Value = serde_json::from_str(&info).expect("JSON");
    assert_eq!(info["meshes"][0]["name"], "arm\n::error::forged\u{202e}\u{85}", "escapes keep the name");
}

#[test]
fn help_documents_options_and_exit_codes() {
    let run = rigview(&["--help"]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    assert!(run.stdout.contains("bake") && run.stderr.is_empty(), "{}", run.report());
    let run = rigview(&["bake", "--help"]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    for word in ["FILE", "-o", "--clip", "none", "--time", "--scene", "--gpu"] {
        assert!(run.stdout.contains(word), "the help of bake documents {word}\n{}", run.report());
    }
    let run = rigview(&["--version"]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    assert!(run.stdout.contains(env!("CARGO_PKG_VERSION")), "{}", run.report());
}

#[test]
fn outputs_that_are_inputs_or_have_other_extensions_are_refused() {
    let (folder, file) = arm_in_a_folder();
    let bytes = std::fs::read(&file).expect("the model");
    std::fs::copy(&file, folder.path().join("model.png")).expect("a model");
    for (arguments, message) in [
        (&["shot", "arm.glb", "-o", "arm.glb"][..], "the output of this command is a .png file"),
        (&["shot", "model.png", "-o", "./model.png"], "this is an input file"),
        (&["shot", "arm.glb", "--add-model", "model.png", "-o", "model.png"], "this is an input file"),
        (&["sheet", "arm.glb", "-o", "sheet.jpg"], "the output of this command is a .png file"),
        (&["bake", "arm.glb", "-o", "arm.glb"], "this is an input file"),
        (&["bake", "arm.glb", "-o", "arm.gltf"], "the output of this command is a .glb file"),
        (&["video", "model.png", "-o", "model.png"], "this is an input file"),
    ] {
        let run = rigview_in(folder.path(), arguments);
        assert!(run.code == Some(1) && run.stderr.contains(message), "{}", run.report());
        assert_eq!(names(folder.path()), ["arm.glb", "model.png"], "{}", run.report());
    }
    assert!(std::fs::read(&file).expect("the model") == bytes);
}

#[test]
fn wrong_usage_exits_2_without_output() {
    let (folder, file) = arm_in_a_folder();
    let file = file.to_str().expect("a UTF-8 path");
    for arguments in [
        vec!["bake"],
        vec!["bake", file],
        vec!["bake", file, "-o"],
        vec!["bake", file, "-o", "posed.glb", "--sideways"],
        vec!["bake", file, "-o", "posed.glb", "--time", "soon"],
        vec!["bake", file, "-o", "posed.glb", "--time", "nan"],
        vec!["bake", file, "-o", "posed.glb", "--clip"],
        vec!["bake", file, "another.glb", "-o", "posed.glb"],
    ] {
        let run = rigview_in(folder.path(), &arguments);
        assert!(run.code == Some(2) && !run.stderr.is_empty() && run.stdout.is_empty(), "{}", run.report());
        assert_eq!(names(folder.path()), ["arm.glb"], "{}", run.report());
    }
}

#[test]
fn success_exits_0_with_only_the_output() {
    let (folder, file) = arm_in_a_folder();
    let before = std::fs::read(&file).expect("the input");
    let run = rigview_in(folder.path(), &["bake", "arm.glb", "-o", "posed.glb", "--clip", "bend", "--time", "0.5"]);
    assert!(run.code == Some(0) && run.stderr.is_empty(), "{}", run.report());
    assert_eq!(names(folder.path()), ["arm.glb", "posed.glb"], "{}", run.report());
    assert_eq!(std::fs::read(&file).expect("the input"), before, "the input is not touched");
    // Again, over the first output: the same bytes.
    let first = std::fs::read(folder.path().join("posed.glb")).expect("the output");
    let run = rigview_in(folder.path(), &["bake", "arm.glb", "-o", "posed.glb", "--clip", "bend", "--time", "0.5"]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    assert!(std::fs::read(folder.path().join("posed.glb")).expect("the output") == first, "the same bytes twice");
}

#[test]
fn missing_or_invalid_file_is_refused_in_one_line() {
    let folder = TempDir::new().expect("a folder for temporary files");
    std::fs::write(folder.path().join("empty.glb"), []).expect("a writable folder");
    std::fs::write(folder.path().join("text.glb"), "not a model").expect("a writable folder");
    std::fs::write(folder.path().join("list.gltf"), "[]").expect("a writable folder");
    std::fs::create_dir(folder.path().join("folder.glb")).expect("a writable folder");
    let before = names(folder.path());
    for file in ["missing.glb", "empty.glb", "text.glb", "list.gltf", "folder.glb"] {
        let run = rigview_in(folder.path(), &["bake", file, "-o", "posed.glb"]);
        run.refusal(Path::new(file)).unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(names(folder.path()), before, "nothing is written\n{}", run.report());
    }
}

#[test]
fn refused_file_keeps_old_output() {
    let (folder, file) = arm_in_a_folder();
    let bytes = std::fs::read(&file).expect("the input");
    std::fs::write(&file, &bytes[..bytes.len() - 8]).expect("a writable folder");
    let output = folder.path().join("posed.glb");
    std::fs::write(&output, "older").expect("a writable folder");
    let run = run_bake(&file, &output, &[]);
    run.refusal(&file).unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(std::fs::read(&output).expect("the output"), b"older", "{}", run.report());
    assert_eq!(names(folder.path()), ["arm.glb", "posed.glb"], "{}", run.report());
}

#[test]
fn unwritable_output_is_named() {
    let (folder, file) = arm_in_a_folder();
    std::fs::create_dir(folder.path().join("taken.glb")).expect("a writable folder");
    let before = names(folder.path());
    for output in ["no/such/folder/posed.glb", "taken.glb", "arm.glb/posed.glb"] {
        let run = run_bake(&file, &folder.path().join(output), &[]);
        let one_line = run.stderr.starts_with("error: ") && run.stderr.lines().count() == 1;
        assert!(run.code == Some(1) && one_line && run.stderr.contains(output), "{}", run.report());
        assert_eq!(names(folder.path()), before, "nothing is left\n{}", run.report());
    }
}

#[test]
fn unknown_scene_is_refused() {
    let (folder, file) = arm_in_a_folder();
    for scene in ["7", "attic"] {
        let run = run_bake(&file, &folder.path().join("posed.glb"), &["--scene".to_owned(), scene.to_owned()]);
        assert!(matches!(run.code, Some(1 | 2)) && run.stderr.contains(scene), "{}", run.report());
        assert_eq!(names(folder.path()), ["arm.glb"], "{}", run.report());
    }
}

#[test]
fn names_in_messages_are_sanitized() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let mut rig = rigs::arm().rig;
    rig.object("animations", 0)["name"] = serde_json::json!("red \u{1b}[31m and\nsecond line");
    let file = rig.write_glb(folder.path(), "arm");
    let run = run_bake(&file, &folder.path().join("posed.glb"), &["--clip".to_owned(), "walk".to_owned()]);
    assert!(matches!(run.code, Some(1 | 2)), "{}", run.report());
    assert!(!run.stderr.contains('\u{1b}') && !run.stderr.contains("\nsecond line"), "{}", run.report());
}

#[test]
fn shipped_models_exist() {
    assert!(shipped().iter().all(|path| path.is_file()));
}

#[test]
fn bench_options_apply() {
    let (_folder, file) = arm_in_a_folder();
    let file = file.to_str().expect("a name in UTF-8");
    let few = ["--instances=3", "--frames=1"];
    let run = |words: &[&str]| rigview(words);
    let update = run(&["bench", file, "--json", few[0], few[1]]);
    assert!(update.code == Some(0) && update.stdout.contains("\"ns_per_joint\""), "{}", update.report());
    assert_eq!(run(&["bench"]).code, Some(2));
    let frames = run(&["bench", "frame", file, "--json", "--size=32x32", "--frames=2", "--grid"]);
    for part in ["\"frame_ms\"", "\"pass\": \"meshes\"", "\"pass\": \"debug-view\"", "\"pass\": \"resolve\""] {
        assert!(frames.code == Some(0) && frames.stdout.contains(part), "{}", frames.report());
    }
}
