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
    assert!(run.code == Some(0) && run.stdout == "no differences\n" && run.stderr.is_empty(), "{}", run.report());
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

#[test]
fn tolerances_and_exact_are_applied() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let hare = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/hare.glb");
    let write = |name: &str, roughness: f64, attribute: &str| {
        let text = serde_json::json!({
            "asset": { "version": "2.0" }, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
            "materials": [{ "name": "Fur", "pbrMetallicRoughness": { "roughnessFactor": roughness } }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, attribute: 0 }, "material": 0 }] }],
            "accessors": [{ "componentType": 5126, "count": 3, "type": "VEC3" }],
        });
        let path = folder.path().join(name);
        std::fs::write(&path, text.to_string()).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (a, b) = (write("a.gltf", 0.5, "POSITION"), write("b.gltf", 0.50004, "POSITION"));
    let code = |arguments: &[&str]| rigview(&[&["diff"], arguments].concat()).code;
    assert_eq!(code(&[&a, &b]), Some(0));
    assert_eq!(code(&[&a, &b, "--tolerance", "value=1e-6"]), Some(1));
    assert_eq!(code(&[&a, &b, "--tolerance", "values=1"]), Some(2));
    let run = rigview(&["diff", &a, &b, "--exact"]);
    assert!(run.code == Some(1) && run.stdout.contains("~ Fur: roughness: 0.5 -> 0.50004"), "{}", run.report());
    let hare = hare.to_str().unwrap();
    assert_eq!(code(&[hare, hare, "--exact"]), Some(0));
    // What is not compared fails with --exact only, and is named.
    let wet = write("wet.gltf", 0.5, "_WETNESS");
    let run = rigview(&["diff", &wet, &wet]);
    let lines = "no differences\nnot compared\n  vertex attribute _WETNESS\n";
    assert!(run.code == Some(0) && run.stdout == lines, "{}", run.report());
    let run = rigview(&["diff", &wet, &wet, "--exact"]);
    assert!(run.code == Some(1) && run.stderr.contains("not compared"), "{}", run.report());
}
