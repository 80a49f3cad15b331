//! Failures of the machine: a full disk, a closed pipe, a driver error. Each gives one error line, not a crash.

use crate::support::models::shipped;
#[cfg(target_os = "linux")]
use crate::support::run::rigview;
use crate::support::run::{names, rigview_with};
#[cfg(unix)]
use crate::support::run::{program, rigview_in};
use std::process::{Command, Stdio};
use tempfile::TempDir;

fn model() -> String {
    shipped()[0].display().to_string()
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_error_has_remedy() {
    let model = model();
    for words in [&["shot", &model, "-o", "/dev/full", "--size=32x32"][..], &["bake", &model, "-o", "/dev/full"]] {
        let run = rigview(words);
        assert_eq!(run.code, Some(1), "{}", run.report());
        assert_eq!(run.stderr, "error: /dev/full: cannot be written; make room on the disk: No space left on device\n");
    }
    for words in ["info", "check", "bench"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full disk");
        let mut command = Command::new(env!("CARGO_BIN_EXE_rigview"));
        let more: &[&str] = if words == "bench" { &["--instances=2", "--frames=1"] } else { &[] };
        let run =
            command.arg(words).arg(&model).args(more).stdout(full).stderr(Stdio::piped()).output().expect("a run");
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.code() == Some(1) && said.contains("standard output cannot be written"), "{words}: {said}");
    }
}

#[test]
fn closed_stdout_pipe_is_no_error() {
    let model = model();
    for (words, code, said) in [
        (&["info", &model][..], 0, ""),
        (&["info", &model, "--json"], 0, ""),
        (&["check", &model], 0, ""),
        (&["check", "no.glb", "--json"], 1, "error: no.glb: 1 error\n"),
        (&["bench", &model, "--instances=2", "--frames=1"], 0, ""),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rigview"));
        let mut child = command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a run");
        drop(child.stdout.take());
        let run = child.wait_with_output().expect("its end");
        assert_eq!((run.status.code(), String::from_utf8_lossy(&run.stderr).as_ref()), (Some(code), said), "{words:?}");
    }
}

#[cfg(unix)]
#[test]
fn file_size_limit_error_leaves_no_output() {
    let (model, folder) = (model(), TempDir::new().expect("a folder for temporary files"));
    for words in ["shot {} -o out.png --size=256x256", "bake {} -o out.glb", "video {} -o out.gif --size=64x64 --fps=5"]
    {
        // Blocks of 512 or of 1024 bytes: 4 KiB at most.
        let line = format!("ulimit -f 4; exec \"$0\" {}", words.replace("{}", "\"$1\""));
        let mut command = Command::new("sh");
        command.args(["-c", &line]).arg(program()).arg(&model).current_dir(folder.path());
        let run = command.output().expect("a run");
        let said = String::from_utf8_lossy(&run.stderr);
        let expected =
            said.starts_with("error: out.") && said.contains("cannot be written") && said.contains("too large");
        assert!(run.status.code() == Some(1) && expected, "{words}: {:?}: {said}", run.status);
        assert!(names(folder.path()).is_empty(), "{words} leaves {:?}", names(folder.path()));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_limit_error_is_reported() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let nodes = vec![serde_json::json!({"mesh": 0}); 900_000];
    let json = serde_json::json!({"asset": {"version": "2.0"}, "nodes": nodes});
    std::fs::write(folder.path().join("a.gltf"), json.to_string()).expect("a file");
    // Without a backtrace, which `RUST_BACKTRACE` requests. 1 is a result of `diff` and `test`.
    for (words, code) in [
        ("check a.gltf --limit json-memory=4G", 1),
        ("info a.gltf --limit json-memory=4G", 1),
        ("diff a.gltf a.gltf --limit json-memory=4G", 2),
        ("test --init a.gltf --limit json-memory=4G", 3),
    ] {
        let line = format!("ulimit -v 300000; exec \"$0\" {words}");
        let mut command = Command::new("sh");
        command.args(["-c", &line]).arg(program()).env("RUST_BACKTRACE", "1").current_dir(folder.path());
        let run = command.output().expect("a run");
        let said = String::from_utf8_lossy(&run.stderr);
        let reported = said.starts_with("error: out of memory") && said.lines().count() == 1;
        assert!(run.status.code() == Some(code) && reported, "{words}: {:?}: {said}", run.status);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn closed_stderr_does_not_crash() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let image = folder.path().join("out.png");
    for (file, code) in [(model(), 0), ("no.glb".to_owned(), 1)] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full disk");
        let mut command = Command::new(program());
        command.args(["shot", &file, "--size=32x32", "--samples=64", "-o"]).arg(&image).stderr(full);
        assert_eq!(command.status().expect("a run").code(), Some(code));
    }
}

#[cfg(unix)]
#[test]
fn file_names_cannot_control_terminal() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let name = "\u{1b}[2Ja\nb\u{202e}.glb";
    std::fs::copy(model(), folder.path().join(name)).expect("a model");
    std::fs::write(folder.path().join("\u{1b}[2J.glb"), "no model").expect("a file");
    for (words, code) in [
        (&["shot", name, "-o", "out.png", "--size=32x32", "--samples=64"][..], 0),
        (&["shot", "\u{1b}[2J.glb", "-o", "out.png"], 1),
        (&["info", name], 0),
        (&["check", name], 0),
        (&["check", "\u{1b}[2J.glb"], 1),
        (&["shot", name, "-o", "\u{1b}[2J/out.png", "--size=32x32"], 1),
    ] {
        let run = rigview_in(folder.path(), words);
        assert_eq!(run.code, Some(code), "{}", run.report());
        let steers = |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(!said.contains(steers), "{words:?}: {said:?}");
    }
}

#[test]
fn driver_error_is_quoted_and_leaves_no_image() {
    let (model, folder) = (model(), TempDir::new().expect("a folder for temporary files"));
    let image = folder.path().join("out.png").display().to_string();
    let words = ["shot", &model, "-o", &image, "--size=32x32"];
    for (variable, value, said) in [
        // A shader language that is older than the shaders; Mesa then finds no `main` in them.
        ("MESA_GLSL_VERSION_OVERRIDE", "110", "error: the driver cannot"),
        ("MESA_GL_VERSION_OVERRIDE", "2.1", "3.3"),
        ("RIGVIEW_EGL_DEVICE", "99", "RIGVIEW_EGL_DEVICE"),
    ] {
        // The version comes first, so that a test of the version itself overrides it.
        let run = rigview_with(&[("MESA_GL_VERSION_OVERRIDE", "3.3"), (variable, value)], &words);
        // Another driver than Mesa does as it likes.
        if run.code == Some(0) && variable.starts_with("MESA") {
            assert!(!run.stderr.contains("Mesa"), "{}", run.report());
            continue;
        }
        assert_eq!(run.code, Some(1), "{}", run.report());
        let one_line = run.stderr.trim_end().lines().count() == 1;
        assert!(run.stderr.contains(said) && run.stderr.starts_with("error: ") && one_line, "{}", run.report());
        assert!(names(folder.path()).is_empty(), "{}", run.report());
    }
}
