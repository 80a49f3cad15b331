//! The command line: exit codes, messages, and files on disk.

use crate::support::rigs;
use crate::support::run::{names, rigview_in};
use clap::CommandFactory as _;
use rigview::cli::Cli;
use std::collections::BTreeSet;
use std::path::PathBuf;
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
        (0, "check forged.glb --json --report a.xml --report a.sarif"),
        (1, "diff arm.glb forged.glb"),
        (1, "diff arm.glb forged.glb --json"),
        (0, "bench forged.glb --instances 2 --frames 1"),
        (0, "bench forged.glb --instances 2 --frames 1 --json"),
        (0, "bench frame forged.glb --clip 0 --frames 1 --size 16x16"),
        (0, "bench frame forged.glb --clip 0 --frames 1 --size 16x16 --json"),
        (0, "shot forged.glb --clip 0 --size 16x16 -o shot.png"),
        (1, "shot forged.glb --clip missing --size 16x16 -o no.png"),
        (1, "shot forged.glb --pose missing=0,0,0 --size 16x16 -o no.png"),
        (0, "sheet forged.glb --clip 0 --size 64x64 -o sheet.png"),
        (0, "thumbnail forged.glb thumbnail.png --size 16"),
        (0, "video forged.glb --clip 0 --size 16x16 --fps 2 -o video.gif"),
        (0, "bake forged.glb --clip 0 -o baked.glb"),
        (1, "bake forged.glb --clip missing -o no.glb"),
        (0, "explain forged.glb --vertex 1"),
        (0, "explain forged.glb --vertex 1 --json"),
        (1, "explain forged.glb --vertex 9"),
        (0, "rig-map forged.glb"),
        (0, "rig-map forged.glb --json"),
        (1, "retarget forged.glb arm.glb -o no.glb"),
        (0, "test --init forged.glb"),
        (0, "test suite.toml --dry-run"),
        (0, "test suite.toml --update"),
        (0, "compare shot.png shot.png"),
        (2, "store verify suite.toml"),
        (0, "completions bash"),
        (0, "man pages"),
        (0, "session"),
    ] {
        let arguments: Vec<&str> = command.split(' ').collect();
        seen.insert(arguments[0].to_owned());
        let run = rigview_in(folder.path(), &arguments);
        assert_eq!(run.code, Some(code), "{}", run.report());
        let files = ["a.xml", "a.sarif", "suite.toml", "rigview-report/junit.xml", "rigview-report/report.jsonl"];
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
fn usage_errors_of_every_command_exit_2() {
    let (folder, _) = arm_in_a_folder();
    let cases: String =
        crate::cases::files().iter().map(|file| std::fs::read_to_string(file).expect("cases")).collect();
    let lines: Vec<&str> = cases.lines().collect();
    let has_case = |command: &str| {
        lines.windows(2).any(|pair| {
            pair[1] == "exit 2"
                && pair[0].strip_prefix("$ ").is_some_and(|words| words.split(' ').next() == Some(command))
        })
    };
    for command in Cli::command().get_subcommands().map(|command| command.get_name()) {
        assert!(has_case(command), "{command} has no case of wrong usage in tests/cases");
        let run = rigview_in(folder.path(), &[command, "--no-such-option"]);
        assert!(run.code == Some(2) && run.stdout.is_empty(), "{}", run.report());
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
