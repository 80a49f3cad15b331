//! Motion from other files: BVH.

use crate::support::run::rigview;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A hip that walks along Z with a leg that bends.
const WALK_BVH: &str = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
    JOINT Leg\n{\nOFFSET 0 -10 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 -80 0\n}\n}\n}\n\
    MOTION\nFrames: 3\nFrame Time: 0.5\n0 90 0 0 0 0 0 0 0\n0 90 40 0 0 0 0 30 0\n0 90 80 0 0 0 0 0 0\n";

fn write(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Runs the program and returns its standard output.
fn run(arguments: &[&str]) -> String {
    let output = rigview(arguments);
    assert_eq!(output.code, Some(0), "{arguments:?}: {}", output.stderr);
    output.stdout
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn bvh_opens_in_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let bvh = write(&folder, "walk.bvh", WALK_BVH);
    let info: Value = serde_json::from_str(&run(&["info", text(&bvh), "--json"])).unwrap();
    assert_eq!(info["clips"][0]["name"], "walk");
    assert_eq!(info["clips"][0]["duration_secs"], 1.0);
    assert!(run(&["check", text(&bvh)]).lines().all(|line| line.starts_with("info ")));
    for (command, output) in [("shot", "a.png"), ("sheet", "b.png"), ("bake", "c.glb"), ("video", "d.gif")] {
        let output = folder.path().join(output);
        run(&[command, text(&bvh), "-o", text(&output)]);
        assert!(std::fs::metadata(&output).unwrap().len() > 0, "{command}");
    }
}

#[test]
fn broken_bvh_is_refused_with_line_and_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let bvh = write(&folder, "walk.bvh", &WALK_BVH.replace("0 90 80", "0 90 eighty"));
    for command in [&["info", text(&bvh)][..], &["shot", text(&bvh), "-o", "a.png"]] {
        let output = rigview(command);
        let expected = "line 21: \"eighty\" in frame 2 is not a number; export the file again";
        let error = &output.stderr;
        assert!(output.code == Some(1) && error.contains(expected) && error.contains("walk.bvh"), "{error}");
    }
    let output = rigview(&["check", text(&bvh)]);
    assert!(output.code == Some(1) && output.stdout.contains("line 21: "), "{}", output.stdout);
}
