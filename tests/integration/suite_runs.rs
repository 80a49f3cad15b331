//! `rigview test`: runs that are stopped or crash, large suites, and the schema of `check --json`.

use crate::support::run::{Output, rigview, watched};
use crate::support::schema::{schema, validate};
use crate::support::suite_world::World;

const THREE_MODELS: &str = r#"
[defaults]
size = "48x32"

[[shot]]
name = "hare"
model = "models/hare.glb"
time = [0, 0.5]

[[shot]]
name = "huge"
model = "models/windmill.glb"
samples = 256
quality = "high"
size = "4000x4000"

[[shot]]
name = "mill"
model = "models/windmill.glb"
instances = 2
"#;

/// Starts `rigview test --isolate`, and kills the process of each model whose report says that the shot `victim` has begun.
#[cfg(target_os = "linux")]
fn isolated_with_crash(world: &World, victim: &str) -> Output {
    use std::time::{Duration, Instant};
    let program = crate::support::run::program();
    let mut command = std::process::Command::new(program);
    let temporary = world.path("temporary");
    std::fs::create_dir(&temporary).expect("a folder");
    command.args(["test", "suite.toml", "-o", "report", "--isolate"]).current_dir(world.0.path());
    command.env("TMPDIR", &temporary);
    let mut child =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().expect("a run");
    let started = Instant::now();
    let parent = child.id();
    while child.try_wait().expect("a status").is_none() && started.elapsed() < Duration::from_secs(100) {
        let folders = std::fs::read_dir(&temporary).into_iter().flatten().flatten();
        let lines = folders.filter_map(|entry| std::fs::read_to_string(entry.path().join("report.jsonl")).ok());
        let begun = format!("{{\"kind\":\"begun\",\"name\":\"{victim}\"}}");
        let has_begun = lines.into_iter().any(|lines| lines.contains(&begun));
        let children = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
        for process in children.split_whitespace().filter(|_| has_begun) {
            std::process::Command::new("kill").args(["-SEGV", process]).status().expect("a signal");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let ended = child.wait_with_output().expect("its end");
    Output {
        command: "rigview test --isolate".to_owned(),
        code: ended.status.code(),
        timed_out: false,
        stdout: String::from_utf8_lossy(&ended.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&ended.stderr).into_owned(),
    }
}

#[cfg(target_os = "linux")]
#[test]
fn isolated_run_survives_the_crash_of_a_shot() {
    let world = World::new(THREE_MODELS);
    let run = isolated_with_crash(&world, "huge");
    assert_eq!(run.code, Some(3), "{}", run.report());
    let expected = "error    huge: the process ended (signal: 11 (SIGSEGV)";
    assert!(run.stdout.contains(expected) && run.stdout.contains("0 passed, 3 new, 1 error"), "{}", run.report());
    assert_eq!(world.names("report"), ["hare-t0", "hare-t0.5", "huge", "mill"]);
    let files = crate::support::run::names(&world.path("report"));
    assert_eq!(files, [".gitignore", "images", "junit.xml", "report.html", "report.jsonl"], "the files of a report");
    let left = crate::support::run::names(&world.path("temporary"));
    assert_eq!(left, [""; 0], "the folders of the processes are deleted");
    assert!(world.path("report/images/mill-actual.png").is_file());
}

/// The images are compared and the results are printed, whatever room is left on the disk of the report.
#[cfg(target_os = "linux")]
#[test]
fn full_disk_of_the_report_does_not_end_the_comparison() {
    let shots = ["hare", "windmill"]
        .map(|name| format!("[[shot]]\nmodel = \"models/{name}.glb\"\ntime = [0, 0.5]\nsize = [120, 120]\n"));
    let world = World::new(&shots.concat());
    std::fs::create_dir(world.path("disk")).expect("a folder");
    for isolate in ["", "--isolate"] {
        for kib in [4, 12, 40] {
            let script = format!(
                "mount -t tmpfs -o size={kib}k none disk || exit 77; exec {:?} test suite.toml -o disk/report {isolate}",
                crate::support::run::program()
            );
            let mut command = std::process::Command::new("unshare");
            command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]).current_dir(world.0.path());
            let Ok(run) = command.output().map_err(|error| eprintln!("skipped: {error}")) else { return };
            let [stdout, stderr] = [run.stdout, run.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            if !matches!(run.status.code(), Some(0..=3)) || stderr.contains("unshare") {
                return eprintln!("skipped, because no file system can be mounted: {stderr}");
            }
            assert_eq!(run.status.code(), Some(3), "{isolate} {kib}: {stdout}{stderr}");
            assert!(stdout.contains("0 passed, 4 new"), "{isolate} {kib}: {stdout}{stderr}");
            assert!(stderr.contains("cannot be written; make room on the disk"), "{isolate} {kib}: {stdout}{stderr}");
        }
    }
}

/// A shot that takes minutes, between two that take no time.
const SLOW_SUITE: &str = r#"
[[shot]]
name = "first"
model = "models/hare.glb"
size = "48x32"

[[shot]]
name = "slow"
model = "models/windmill.glb"
size = "1600x1200"
quality = "high"
samples = 4096

[[shot]]
name = "last"
model = "models/hare.glb"
time = 0.5
size = "48x32"
"#;

/// Status and message of each shot in the report, which has a page and a JUnit report.
fn statuses(world: &World) -> Vec<(String, String, String)> {
    assert!(world.path("report/report.html").is_file() && world.junit().len() == 3);
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let shots = world.shots("report");
    shots.iter().map(|shot| (text(&shot["name"]), text(&shot["status"]), text(&shot["message"]))).collect()
}

#[cfg(unix)]
#[test]
fn stopped_run_reports_its_results_and_names_the_current_shot() {
    let world = World::new(SLOW_SUITE);
    for signal in ["TERM", "INT"] {
        let mut command = std::process::Command::new(crate::support::run::program());
        command.args(["test", "suite.toml", "-o", "report"]).current_dir(world.0.path());
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
        let child = command.spawn().expect("a run");
        // The former report is deleted when the run starts.
        let started = std::time::Instant::now();
        let is_slow = || {
            let lines = std::fs::read_to_string(world.path("report/report.jsonl")).unwrap_or_default();
            lines.contains("\"kind\":\"begun\",\"name\":\"slow\"") && !world.path("report/report.html").exists()
        };
        while !is_slow() && started.elapsed().as_secs() < 60 {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let pid = child.id().to_string();
        std::process::Command::new("kill").args([&format!("-{signal}"), &pid]).status().expect("a signal");
        let run = child.wait_with_output().expect("its end");
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.code() == Some(130) && stderr.contains("the run was stopped, during slow"), "{stderr}");
        let found = statuses(&world);
        assert!(found.iter().any(|(name, status, _)| name == "slow" && status == "error"), "{found:?}");
    }
}

#[test]
fn large_suite_is_read_in_linear_time() {
    let took = |shots: usize| {
        let table = |i| format!("[[shot]]\nname = \"s{i}\"\nmodel = \"a.glb\"\n");
        let world = World::new(&(0..shots).map(table).collect::<String>());
        let arguments = ["test", "suite.toml", "--filter", "none", "-o", "report"];
        let run = watched(world.0.path(), &[], &arguments, std::time::Duration::from_secs(120));
        assert_eq!(run.output.code, Some(2), "{}", run.output.report());
        run.took
    };
    // Four times as many shots take 13 times as long in quadratic time.
    let (few, many) = (took(2_000), took(8_000));
    assert!(many < few * 8, "{few:?}, {many:?}");
}

#[test]
fn json_of_check_matches_its_published_schema() {
    let report = schema("report.json");
    for line in [serde_json::json!({"kind": "shot"}), serde_json::json!({"kind": "other"})] {
        assert!(validate(&report, &line, "").is_err());
    }
    for model in crate::support::models::shipped() {
        let output = rigview(&["check".as_ref(), model.as_os_str(), "--json".as_ref()]).stdout;
        let output: serde_json::Value = serde_json::from_str(&output).expect("JSON");
        validate(&schema("check.json"), &output, "").unwrap_or_else(|error| panic!("{error}"));
        assert!(output["issues"].as_array().is_some_and(|issues| !issues.is_empty()));
    }
}
