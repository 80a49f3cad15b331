//! `rigview diff`: exit codes, text and JSON.

use crate::support::rigs;
use crate::support::run::rigview;
use std::path::Path;
use tempfile::TempDir;

#[test]
fn diff_exit_codes_are_0_equal_1_different_2_error() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let arm = rigs::arm().rig.write_glb(folder.path(), "arm");
    let (hare, broken) =
        (Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/hare.glb"), folder.path().join("broken.glb"));
    std::fs::write(&broken, b"glTF").unwrap();
    let diff = |a: &Path, b: &Path, json: bool| {
        let mut arguments = vec!["diff", a.to_str().unwrap(), b.to_str().unwrap()];
        arguments.extend(json.then_some("--json"));
        rigview(&arguments)
    };
    let run = diff(&hare, &hare, false);
    assert!(
        run.code == Some(0) && run.stdout == "the rigs are the same\n" && run.stderr.is_empty(),
        "{}",
        run.report()
    );
    let run = diff(&hare, &arm, false);
    assert!(run.code == Some(1) && run.stderr.ends_with(" differ\n"), "{}", run.report());
    for words in ["joints\n", "clips\n", "meshes\n", "- nod\n", "- listen\n"] {
        assert!(run.stdout.contains(words), "{words}: {}", run.report());
    }
    for (a, b) in [(&hare, &broken), (&broken, &hare)] {
        let run = diff(a, b, false);
        let reported = run.stderr.starts_with("error: cannot compare: ") && run.stderr.contains("broken.glb");
        assert!(run.code == Some(2) && run.stdout.is_empty() && reported, "{}", run.report());
    }

    let same: serde_json::Value = serde_json::from_str(&diff(&hare, &hare, true).stdout).expect("JSON");
    assert_eq!((&same["same"], same["joints"]["added"].as_array().map(Vec::len)), (&true.into(), Some(0)));
    let other: serde_json::Value = serde_json::from_str(&diff(&hare, &arm, true).stdout).expect("JSON");
    assert_eq!(other["same"], false);
    assert_eq!(other["clips"]["removed"], serde_json::json!(["nod", "listen"]));
}
