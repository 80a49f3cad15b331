//! `rigview check`: output formats and exit codes.

use crate::support::reports::{junit_cases, sarif_results};
use crate::support::rigs;
use crate::support::run::{rigview_in, watched};
use serde_json::json;
use std::time::Duration;
use tempfile::TempDir;

/// A folder with `good.glb`, and `bad.glb` whose animation names a node that does not exist.
fn folder() -> TempDir {
    let folder = TempDir::new().expect("a folder for temporary files");
    let mut rig = rigs::arm().rig;
    rig.write_glb(folder.path(), "good");
    rig.object("animations", 0)["channels"][0]["target"]["node"] = json!(99);
    rig.object("animations", 0)["name"] = json!("red \u{1b}[31m");
    rig.write_glb(folder.path(), "bad");
    folder
}

#[test]
fn sarif_and_junit_reports_are_valid() {
    let folder = folder();
    let arguments = ["check", "good.glb", "bad.glb", "--report", "a.sarif", "--report", "a.xml"];
    let run = rigview_in(folder.path(), &arguments);
    assert_eq!(run.code, Some(1), "{}", run.report());
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a report");
    let results = sarif_results(&read("a.sarif"));
    assert!(results.iter().any(|result| result["ruleId"] == "UNRESOLVED_REFERENCE"), "{results:?}");
    let cases = junit_cases(&read("a.xml"));
    let reported: Vec<_> = cases.iter().map(|case| (case.name.as_str(), case.result.as_deref())).collect();
    assert_eq!(reported, [("good.glb", None), ("bad.glb", Some("failure"))]);
    assert!(cases[1].text.contains("UNRESOLVED_REFERENCE"), "{}", cases[1].text);
}

/// Text, JSON and reports have the same issue, with the measured and the permitted value.
#[test]
fn profile_of_a_file_is_kept_by_it_and_broken_by_another() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let drafted = rigview_in(folder.path(), &["check", "--init", "good.glb"]);
    assert_eq!(drafted.code, Some(0), "{}", drafted.report());
    std::fs::write(path("p.toml"), &drafted.stdout).expect("a profile");
    let kept = rigview_in(folder.path(), &["check", "good.glb", "--profile", "p.toml"]);
    assert_eq!(kept.code, Some(0), "{}", kept.report());
    std::fs::write(path("p.toml"), "name = 'arms'\n[limits]\njoints = 1").expect("a profile");
    let reports = ["--json", "--report", "a.sarif", "--report", "a.xml"];
    let broken = rigview_in(folder.path(), &[&["check", "good.glb", "--profile", "p.toml"], &reports[..]].concat());
    assert_eq!(broken.code, Some(1), "{}", broken.report());
    let read = |name: &str| std::fs::read_to_string(path(name)).expect("a report");
    let message = "joints: skin 0 has 2 joints; the profile \\\"arms\\\" permits at most 1 joint;";
    assert!(broken.stdout.contains(message) && broken.stdout.contains("\"/skins/0\""), "{}", broken.stdout);
    let results = sarif_results(&read("a.sarif"));
    assert!(results.iter().any(|result| result["ruleId"] == "RIGVIEW_PROFILE_LIMIT"), "{results:?}");
    assert!(junit_cases(&read("a.xml"))[0].text.contains("RIGVIEW_PROFILE_LIMIT"), "{}", read("a.xml"));
    std::fs::write(path("p.toml"), "[limits]\nbones = 1").expect("a profile");
    let wrong = rigview_in(folder.path(), &["check", "good.glb", "--profile", "p.toml"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.report());
    assert!(wrong.stderr.contains("p.toml: line 2: unknown variant `bones`, expected one of"), "{}", wrong.stderr);
}

#[test]
fn reports_escape_names_and_text() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let text = "<a href=\"x\">&amp;'\u{1}\u{1b}[2J\u{202e}\u{fffe}]]>-->\u{1f3a8}";
    let json =
        json!({"asset": {"version": "2.0"}, "nodes": [{"name": text, "mesh": 7, "bones": 1}], "<b>&\u{2}": text});
    // Not all systems take any name.
    let name = if cfg!(unix) { "a <b>&\"c'%20\u{1}\u{1f98a}.gltf" } else { "a &c'%20.gltf" };
    std::fs::write(folder.path().join(name), json.to_string()).expect("a file");
    let run = rigview_in(folder.path(), &["check", name, "--report", "a.sarif", "--report", "a.xml"]);
    assert_eq!(run.code, Some(1), "{}", run.report());
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a report");
    let results = sarif_results(&read("a.sarif"));
    let uri = results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().expect("an address");
    let back = percent_encoding::percent_decode_str(uri).decode_utf8().expect("UTF-8");
    assert!(results.len() > 2 && back == name, "{back:?}");
    let cases = junit_cases(&read("a.xml"));
    assert_eq!((cases.len(), cases[0].result.as_deref()), (1, Some("failure")));
    assert_eq!(cases[0].name.replace('\u{fffd}', "\u{1}"), name);
}

#[test]
fn baseline_folders_and_annotations() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let run = |words: &[&str]| crate::support::run::rigview_in(folder.path(), words);
    std::fs::create_dir_all(folder.path().join("a/b")).expect("a folder");
    let broken = |name: &str, nodes: &str| {
        let text = format!("{{\n\"asset\": {{\"version\": \"2.0\"}},\n\"nodes\": [{nodes}]\n}}");
        std::fs::write(folder.path().join(name), text).expect("a model");
    };
    broken("a/one.gltf", "{\"mesh\": 3}");
    broken("a/b/two.gltf", "{\"camera\": 3}");
    let found = run(&["check", "a", "--json"]);
    assert!(found.code == Some(1) && found.stdout.lines().count() == 2, "{}", found.report());
    std::fs::write(folder.path().join("known.json"), &found.stdout).expect("a baseline");
    let known = run(&["check", "./a", "--baseline", "known.json"]);
    assert!(known.code == Some(0) && known.stderr.contains("issues of the baseline"), "{}", known.report());
    assert!(!known.stdout.contains("::error"), "{}", known.report());
    std::fs::rename(folder.path().join("a/one.gltf"), folder.path().join("a/uno.gltf")).expect("a model");
    let renamed = run(&["check", "a", "--baseline", "known.json"]);
    assert!(renamed.code == Some(0) && renamed.stderr.contains("issues of the baseline"), "{}", renamed.report());
    std::fs::remove_file(folder.path().join("a/uno.gltf")).expect("a model");
    broken("a/one.gltf", "{\"mesh\": 3},\n{\"mesh\": 4}");
    let arguments = ["check", "a", "--baseline", "known.json"];
    let new = watched(folder.path(), &[("GITHUB_ACTIONS", "true")], &arguments, Duration::from_secs(60)).output;
    assert!(new.code == Some(1) && new.stdout.contains("/nodes/1/mesh"), "{}", new.report());
    let annotation = "::error file=a/one.gltf,line=4,title=";
    assert_eq!(new.stdout.lines().filter(|line| line.starts_with("::error")).count(), 1, "{}", new.report());
    assert!(new.stdout.contains(annotation), "{}", new.report());
    assert!(new.stdout.contains(" /nodes/1/mesh::"), "the title has the pointer: {}", new.report());
    // Each of twelve files with two errors: the first of ten files, and the number of the others.
    for file in 0..12 {
        broken(&format!("a/f{file}.gltf"), "{\"mesh\": 3},\n{\"mesh\": 4}");
    }
    let arguments = ["check", "a"];
    let many = watched(folder.path(), &[("GITHUB_ACTIONS", "true")], &arguments, Duration::from_secs(60)).output;
    let errors: Vec<&str> = many.stdout.lines().filter(|line| line.starts_with("::error")).collect();
    assert!(errors.len() == 10 && errors.iter().all(|line| !line.contains("/nodes/1/mesh")), "{}", many.report());
    assert!(errors[9].contains("; 17 more in the output"), "{}", many.report());
}
