//! The command line: exit codes, messages, and files on disk.

use crate::support::bake::run_bake;
use crate::support::models::shipped;
use crate::support::rigs;
use crate::support::run::{names, rigview, rigview_in};
use clap::CommandFactory as _;
use rigview::cli::Cli;
use std::collections::BTreeSet;
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
    const FORGED: &str = "x\n::error::forged\u{1b}[31m\u{202e}\u{85}";
    let (folder, _) = arm_in_a_folder();
    let mut rig = rigs::arm().rig;
    for list in ["nodes", "meshes", "animations"] {
        rig.object(list, 0)["name"] = serde_json::json!(FORGED);
    }
    rig.write_glb(folder.path(), "forged");
    let mut seen = BTreeSet::new();
    for (code, command) in [
        (0, "info forged.glb"),
        (0, "info forged.glb --json"),
        (0, "info --gpu"),
        (0, "check forged.glb"),
        (0, "check forged.glb --json --junit a.xml --sarif a.json"),
        (1, "diff arm.glb forged.glb"),
        (1, "diff arm.glb forged.glb --json"),
        (0, "bench forged.glb --instances 2 --frames 1"),
        (0, "bench forged.glb --instances 2 --frames 1 --json"),
        (0, "bench frame forged.glb --clip 0 --frames 1 --size 16x16"),
        (0, "bench frame forged.glb --clip 0 --frames 1 --size 16x16 --json"),
        (0, "shot forged.glb --clip 0 --size 16x16 -o shot.png"),
        (1, "shot forged.glb --clip missing --size 16x16 -o no.png"),
        (1, "shot forged.glb --pose missing=0,0,0 --size 16x16 -o no.png"),
        (0, "sheet forged.glb --clip 0 --thumbnail-size 64x64 -o sheet.png"),
        (0, "thumbnail forged.glb thumbnail.png --size 16"),
        (0, "video forged.glb --clip 0 --size 16x16 --fps 2 -o video.gif"),
        (0, "bake forged.glb --clip 0 -o baked.glb"),
        (1, "bake forged.glb --clip missing -o no.glb"),
        (0, "rig-map forged.glb"),
        (0, "rig-map forged.glb --json"),
        (1, "retarget forged.glb arm.glb -o no.glb"),
        (0, "test --init forged.glb"),
        (0, "test suite.toml --list"),
        (0, "test suite.toml --update"),
        (0, "test suite.toml --github"),
        (0, "compare shot.png shot.png"),
        (2, "store verify suite.toml"),
        (0, "completions bash"),
        (0, "man pages"),
    ] {
        let arguments: Vec<&str> = command.split(' ').collect();
        seen.insert(arguments[0].to_owned());
        let run = rigview_in(folder.path(), &arguments);
        assert_eq!(run.code, Some(code), "{}", run.report());
        let files = ["a.xml", "a.json", "suite.toml", "rigview-report/junit.xml", "rigview-report/report.jsonl"];
        let files = files.map(|file| std::fs::read_to_string(folder.path().join(file)).unwrap_or_default());
        for text in [&run.stdout, &run.stderr].into_iter().chain(&files) {
            let forged = text.contains("\n::error") || text.contains(['\u{202e}', '\u{85}', '\u{1b}']);
            assert!(!forged || command.starts_with("completions"), "{}\n{text:?}", run.report());
        }
    }
    let all: BTreeSet<String> = Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect();
    assert_eq!(seen, all, "each command is run");
    let info = rigview_in(folder.path(), &["info", "forged.glb", "--json"]).stdout;
    let info: serde_json::Value = serde_json::from_str(&info).expect("JSON");
    assert_eq!(info["meshes"][0]["name"], FORGED, "escapes keep the name");
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
        assert!(run.code == Some(2) && run.stderr.contains(message), "{}", run.report());
        assert_eq!(names(folder.path()), ["arm.glb", "model.png"], "{}", run.report());
    }
    assert!(std::fs::read(&file).expect("the model") == bytes);
}

#[test]
fn reports_and_images_do_not_overwrite_inputs() {
    let (folder, _) = arm_in_a_folder();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("side.gltf"), r#"{"asset":{"version":"2.0"},"images":[{"uri":"te%78ture.png"}]}"#).unwrap();
    std::fs::write(path("texture.png"), "texture").unwrap();
    std::fs::write(path("mask.png"), "mask").unwrap();
    std::fs::write(path("junit.xml"), "[[shot]]\nmodel = \"arm.glb\"\n").unwrap();
    let shot = rigview_in(folder.path(), &["shot", "arm.glb", "--size", "16x16", "-o", "shot.png"]);
    assert_eq!(shot.code, Some(0), "{}", shot.report());
    let read = || names(folder.path()).into_iter().map(|name| (std::fs::read(path(&name)).ok(), name)).collect();
    let before: Vec<(Option<Vec<u8>>, String)> = read();
    for command in [
        "check arm.glb --junit arm.glb",
        "check arm.glb --sarif arm.glb",
        "check shot.png arm.glb --junit ./shot.png",
        "check side.gltf --junit texture.png",
        "check arm.glb --junit report --sarif report",
        "shot side.gltf -o texture.png",
        "sheet side.gltf -o texture.png",
        "thumbnail side.gltf texture.png",
        "video side.gltf -o texture.png",
        "compare shot.png shot.png --mask mask.png -o mask.png",
        "test junit.xml -o .",
    ] {
        let run = rigview_in(folder.path(), &command.split(' ').collect::<Vec<_>>());
        let is_refused = run.stderr.contains("input file") || run.stderr.contains("two outputs");
        assert!(run.code == Some(2) && is_refused, "{}", run.report());
        assert!(read() == before, "nothing is written: {}", run.report());
    }
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
fn usage_errors_of_every_command_exit_2() {
    let (folder, _) = arm_in_a_folder();
    let mut commands: BTreeSet<String> =
        Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect();
    for command in [
        "shot arm.glb -o shot.jpg",
        "video arm.glb --clip bend --range 900,901 -o video.gif",
        "video arm.glb --clip bend --loops 1000 --fps 240 -o video.gif",
        "video arm.glb -o video.xyz",
        "video arm.glb --background transparent -o video.mp4",
        "sheet arm.glb --thumbnail-size 16384x16384 -o sheet.png",
        "sheet arm.glb -o sheet.jpg",
        "thumbnail arm.glb arm.glb",
        "bake arm.glb -o arm.glb",
        "retarget arm.glb arm.glb -o arm.glb",
        "rig-map arm.glb -o arm.json",
        "info arm.glb --gpu",
        "check arm.glb --junit report --sarif report",
        "diff arm.glb",
        "diff arm.glb missing.glb",
        "test arm.glb --dry-run",
        "test missing.toml",
        "compare missing.png missing.png",
        "store verify missing.toml",
        "store gc",
        "bench",
        "bench frame arm.glb --size 0x0",
        "completions tcsh",
        "man",
    ] {
        let arguments: Vec<&str> = command.split(' ').collect();
        commands.remove(arguments[0]);
        let run = rigview_in(folder.path(), &arguments);
        assert!(run.code == Some(2) && !run.stderr.is_empty() && run.stdout.is_empty(), "{}", run.report());
        let run = rigview_in(folder.path(), &[arguments[0], "--no-such-option"]);
        assert!(run.code == Some(2) && run.stdout.is_empty(), "{}", run.report());
    }
    assert!(commands.is_empty(), "each command has an example: {commands:?}");
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

#[test]
fn mistyped_commands_times_and_environments_have_hints() {
    let (folder, _) = arm_in_a_folder();
    for (command, code, message) in [
        ("sho arm.glb -o a.png", 2, "no command and no file `sho`; did you mean `shot`?"),
        ("chek", 2, "did you mean `check`?"),
        ("shot arm.glb -o a.png --environment dawn", 2, "`neutral`, `overcast`, `sunset`, `night` or `none`"),
        ("shot arm.glb -o a.png --clip none --size 16x16", 0, ""),
        (
            "shot arm.glb -o a.png --size 16x16 --time 99",
            0,
            "notice: the time 99 s is outside of the clip; the image shows 1 s",
        ),
    ] {
        let run = rigview_in(folder.path(), &command.split(' ').collect::<Vec<_>>());
        assert!(run.code == Some(code) && run.stderr.contains(message), "{}", run.report());
    }
}

#[cfg(unix)]
#[test]
fn interrupted_commands_end_with_130_and_one_line() {
    let (folder, _) = arm_in_a_folder();
    for command in
        ["shot arm.glb -o a.png --quality high --samples 4096 --size 1600x1200", "bench arm.glb --frames 1000000"]
    {
        let mut child = std::process::Command::new(crate::support::run::program());
        child.args(command.split(' ')).current_dir(folder.path());
        child.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
        let child = child.spawn().expect("a run");
        std::thread::sleep(std::time::Duration::from_secs(1));
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("a signal");
        let run = child.wait_with_output().expect("its end");
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert!(
            run.status.code() == Some(130) && stderr.ends_with("error: stopped; nothing was written\n"),
            "{command}: {stderr}"
        );
        assert_eq!(names(folder.path()), ["arm.glb"], "{command}");
    }
}
