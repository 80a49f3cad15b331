//! Other formats, by converters: assimp of the system, and scripts in its place.

use crate::support::models::samples;
use crate::support::rigs;
use crate::support::run::{names, rigview_in, rigview_with};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Exports a model by assimp; `None` without it.
fn exported(model: &Path, file: &Path, format: &str) -> Option<()> {
    let assimp = Command::new("assimp").arg("export").args([model, file]).arg(format!("-f{format}")).output();
    let Ok(output) = assimp else {
        eprintln!("skipped: converters needs assimp (apt install assimp-utils)");
        return None;
    };
    assert!(file.exists(), "{}", String::from_utf8_lossy(&output.stdout));
    Some(())
}

/// The sample model whose folder has this name.
fn sample(name: &str) -> Option<PathBuf> {
    let is_sample = |path: &PathBuf| path.ends_with(format!("{name}/glTF-Binary/{name}.glb"));
    samples("converters")?.into_iter().find(is_sample)
}

fn info(folder: &Path, words: &[&str]) -> Value {
    let run = rigview_in(folder, &[&["info", "--json"], words].concat());
    assert_eq!(run.code, Some(0), "{}", run.report());
    serde_json::from_str(&run.stdout).expect("JSON")
}

#[test]
fn files_of_assimp_keep_what_the_notice_counts() {
    // assimp 5.2 writes FBX as text only in a form that it reads. Its Collada export of textures fails.
    for (name, format, extension, expected) in [
        ("CesiumMan", "fbxa", "fbx", "1 mesh, 19 skin joints, 1 clip"),
        ("Fox", "fbxa", "FBX", "1 mesh, 24 skin joints, 3 clips"),
        ("RiggedSimple", "collada", "dae", "1 mesh, 2 skin joints, 1 clip"),
        // OBJ has neither.
        ("CesiumMan", "obj", "obj", "1 mesh, 0 skin joints, 0 clips"),
    ] {
        let Some(model) = sample(name) else { return };
        let folder = TempDir::new().expect("a folder for temporary files");
        let file = format!("my model.{extension}");
        let Some(()) = exported(&model, &folder.path().join(&file), format) else { return };
        let run = rigview_in(folder.path(), &["shot", &file, "-o", "a.png", "--size", "64x64"]);
        let notice = format!("{file}: converted to glTF by assimp, which may lose data; the result has {expected}");
        assert!(run.code == Some(0) && run.stderr.contains(&notice), "{notice}: {}", run.report());
        if expected.contains("1 clip") || expected.contains("3 clips") {
            let check = rigview_in(folder.path(), &["check", &file]);
            assert!(check.stdout.contains("RIGVIEW_INSTANCE_COST"), "{}", check.report());
        }
        // What is lost shows in the counts.
        let found = info(folder.path(), &[&file]);
        let clips = found["clips"].as_array().expect("clips");
        let keys: u64 = clips.iter().map(|clip| clip["keys"].as_u64().expect("a number")).sum();
        let motion = run.stderr.split(" with ").nth(1).map(|rest| rest.split(" keys").next().unwrap_or_default());
        assert_eq!(motion, (!clips.is_empty()).then_some(keys.to_string()).as_deref(), "{}", run.report());
    }
}

#[test]
fn files_of_strangers_are_not_converted() {
    let folder = TempDir::new().expect("a folder for temporary files");
    std::fs::write(folder.path().join("a.fbx"), "; FBX 7.4.0 project file").expect("a file");
    std::fs::write(folder.path().join("b.glb"), rigs::arm().rig.glb()).expect("a file");
    std::fs::write(folder.path().join("run.sh"), "touch \"$0.was-run\"; cp b.glb \"$2\"").expect("a file");
    let run = rigview_in(folder.path(), &["thumbnail", "a.fbx", "a.png"]);
    assert!(run.refusal(Path::new("a.fbx")).is_ok(), "{}", run.report());
    for (shot, expected) in [
        ("model = \"a.fbx\"", "a suite has no models that need a converter; convert it once, and test the .glb"),
        ("model = \"b.glb\"\nclips-from = [\"a.fbx\"]", "a suite has no models that need a converter"),
        ("model = \"b.glb\"\nconverter = \"sh run.sh {in} {out}\"", "a suite cannot name a converter"),
    ] {
        std::fs::write(folder.path().join("suite.toml"), format!("[[shot]]\nname = \"a\"\n{shot}\n")).expect("a file");
        for words in [&["test", "suite.toml"][..], &["test", "--untrusted", "suite.toml"]] {
            let run = rigview_in(folder.path(), words);
            assert!(run.code != Some(0) && run.stderr.contains(expected), "{expected}: {}", run.report());
        }
    }
    assert!(!names(folder.path()).iter().any(|name| name.contains("was-run")), "the converter was run");
    // A folder has models only.
    let run = rigview_in(folder.path(), &["info", "."]);
    assert!(run.code == Some(0) && !run.stdout.contains("fbx"), "{}", run.report());
}

#[test]
fn a_script_converts_for_each_command() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let program = folder.path().join("to glb.sh");
    let model = folder.path().join("b.glb");
    std::fs::write(&model, rigs::arm().rig.glb()).expect("a file");
    std::fs::write(&program, format!("cp '{}' \"$2\"", model.display())).expect("a file");
    std::fs::write(folder.path().join("it's \"a\".blend"), "BLENDER").expect("a file");
    let converter = format!("sh '{}' {{in}} {{out}}", program.display());
    let file = "it's \"a\".blend";
    for words in [
        &["info", file][..],
        &["check", file],
        &["diff", file, "b.glb"],
        &["shot", file, "-o", "a.png", "--size", "32x32"],
        &["bake", file, "-o", "out.glb"],
        &["sheet", file, "-o", "sheet.png", "--size", "32x32", "--frames", "1"],
        &["shot", "b.glb", "--clips-from", file, "-o", "a.png", "--size", "32x32"],
        &["rig-map", file],
    ] {
        let run = rigview_in(folder.path(), &[words, &["--converter", &converter]].concat());
        assert_eq!(run.code, Some(0), "{}", run.report());
    }
    std::fs::write(&program, "echo 'error: no license' >&2; exit 1").expect("a file");
    let run = rigview_in(folder.path(), &["shot", file, "-o", "b.png", "--converter", &converter]);
    assert_eq!(run.refusal(Path::new(file)), Ok("sh failed: error: no license"));
    let run = rigview_in(folder.path(), &["check", file, "--converter", &converter]);
    assert!(
        run.code == Some(1) && run.stdout.contains("error IO_ERROR: sh failed: error: no license"),
        "{}",
        run.report()
    );
}

#[test]
fn without_a_converter_the_error_has_a_remedy() {
    let folder = TempDir::new().expect("a folder for temporary files");
    for (name, expected) in [
        ("a.fbx", "(FBX2glTF, blender, assimp): install one (such as `"),
        ("a.blend", "(blender): install Blender, or in Blender: File > Export > glTF 2.0"),
    ] {
        let file = folder.path().join(name);
        std::fs::write(&file, "").expect("a file");
        let words = ["info", file.to_str().expect("UTF-8")];
        let run = rigview_with(&[("PATH", "/no/such/folder:.")], &words);
        assert!(run.refusal(&file).is_ok_and(|error| error.contains(expected)), "{}", run.report());
    }
}
