//! Commands that read a git repository.

use crate::support::rigs::{Arm, arm};
use crate::support::run::rigview_in;
use crate::support::suite_world::World;
use serde_json::json;
use std::path::Path;
use std::process::Command;

const SUITE: &str = r#"
[[shot]]
model = "models/arm.glb"
kind = "pose"

[[shot]]
model = "models/side.gltf"
kind = "pose"
"#;

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]);
    let status = command.args(arguments).status().expect("git");
    assert!(status.success(), "{arguments:?}");
}

/// A repository with a suite of two models, one with a side file, and its goldens.
fn repository() -> World {
    let world = World::new(SUITE);
    arm().rig.write_glb(&world.path("models"), "arm");
    arm().rig.write_gltf(&world.path("models"), "side");
    assert_eq!(world.test(&["--update"]).code, Some(0));
    std::fs::write(world.path(".gitignore"), "report\n").expect("a file");
    git(world.0.path(), &["init", "-q"]);
    git(world.0.path(), &["add", "-A"]);
    git(world.0.path(), &["commit", "-qm", "first"]);
    world
}

/// The map of joints beside a model, new and deleted.
#[test]
fn shots_whose_map_of_joints_changed_since_a_revision_run() {
    let world = repository();
    let chosen = |expected: &[&str]| {
        let run = world.test(&["--changed-since", "HEAD"]);
        assert!(matches!(run.code, Some(0 | 1 | 3)), "{}", run.report());
        let names = if expected.is_empty() { Vec::new() } else { world.names("report") };
        let is_expected = |name: &String| expected.iter().any(|start| name.starts_with(start));
        assert!(expected.is_empty() == names.is_empty() && names.iter().all(is_expected), "{names:?}");
    };
    let map = world.path("models/arm.rigmap.toml");
    std::fs::write(&map, "hips = ''\n").expect("a map");
    chosen(&["arm-pose"]);
    git(world.0.path(), &["add", "-A"]);
    git(world.0.path(), &["commit", "-qm", "map"]);
    chosen(&[]);
    std::fs::remove_file(&map).expect("the map");
    chosen(&["arm-pose"]);
}

/// A failed image has the changes of its model since the commit that wrote its golden, also in a store.
#[test]
fn failed_image_has_the_differences_of_its_model_since_the_golden() {
    for goldens in ["", "goldens = \"store:store\"\n"] {
        let world = World::new(&format!("{goldens}[[shot]]\nmodel = \"models/arm.glb\"\nsize = [64, 64]\n"));
        let Arm { rig: mut arm, joints: [shoulder, _], .. } = arm();
        arm.write_glb(&world.path("models"), "arm");
        git(world.0.path(), &["init", "-q"]);
        std::fs::write(world.path(".gitignore"), "report\n").expect("a file");
        let commit = || {
            git(world.0.path(), &["add", "-A"]);
            git(world.0.path(), &["commit", "-qm", "a"]);
        };
        commit();
        let updated = world.test(&["--update"]);
        assert_eq!(updated.code, Some(0), "{}", updated.report());
        let message = || world.shots("report")[0]["message"].as_str().unwrap_or_default().to_owned();
        // 60 degrees about Z.
        arm.object("nodes", shoulder)["rotation"] = json!([0.0, 0.0, 0.5, 0.75_f64.sqrt()]);
        arm.write_glb(&world.path("models"), "arm");
        assert_eq!(world.test(&[]).code, Some(1));
        assert!(!message().contains("commit"), "the golden has no commit: {}", message());
        // Instead, the parts under the changed pixels.
        let parts = message().split_once("; of the changed pixels of this image are ").unwrap_or_default().1.to_owned();
        assert!(parts.contains(" % on \"shoulder\"") && parts.contains(" % on no surface"), "{}", message());
        let differences = world.shots("report")[0]["golden_differences"].clone();
        assert!(differences[0].as_str().is_some_and(|line| line.ends_with(&parts)), "{differences}");
        // The golden of the former model.
        git(world.0.path(), &["checkout", "-q", "models"]);
        commit();
        arm.write_glb(&world.path("models"), "arm");
        commit();
        assert_eq!(world.test(&[]).code, Some(1));
        assert!(message().contains("; the model differs from commit "), "{}", message());
        assert!(message().contains("rotated by 60"), "{}", message());
    }
}

/// The configuration of an unpacked folder may name programs, which git would run.
#[cfg(unix)]
#[test]
fn configuration_of_the_repository_runs_nothing() {
    let world = repository();
    let ran = world.path("ran");
    let config = |key: &str, value: &str| git(world.0.path(), &["config", key, value]);
    let program = |end: &str| format!("touch {}; {end}", ran.display());
    config("core.fsmonitor", &program("false"));
    config("core.sshCommand", &program("false"));
    config("filter.x.clean", &program("cat"));
    config("filter.x.process", &program("false"));
    config("core.repositoryformatversion", "1");
    config("extensions.partialClone", "origin");
    config("remote.origin.promisor", "true");
    config("remote.origin.url", &format!("ext::sh -c touch% {}", ran.display()));
    config("protocol.ext.allow", "always");
    std::fs::write(world.path(".git/info/attributes"), "*.glb filter=x\n").expect("a file");
    // Equal contents, which git has to read again.
    let model = world.path("models/arm.glb");
    let bytes = std::fs::read(&model).expect("a model");
    std::fs::remove_file(&model).expect("the model");
    std::fs::write(&model, &bytes).expect("a model");
    world.test(&["--changed-since", "HEAD"]);
    assert!(!ran.exists(), "test --changed-since runs a program");
    // An object that a fetch would get.
    let hash = Command::new("git").current_dir(world.0.path()).args(["rev-parse", "HEAD:models/arm.glb"]).output();
    let hash = String::from_utf8(hash.expect("git").stdout).expect("a hash");
    let _ = std::fs::remove_file(&ran);
    std::fs::remove_file(world.path(&format!(".git/objects/{}/{}", &hash[..2], hash[2..].trim()))).expect("an object");
    let diff = rigview_in(world.0.path(), &["diff", "models/arm.glb", "--against-git", "HEAD"]);
    assert!(!ran.exists(), "diff --against-git runs a program");
    assert!(diff.code == Some(2) && diff.stderr.contains("partial clone"), "{}", diff.report());
    config("remote.origin.url", "ssh://x/y");
    rigview_in(world.0.path(), &["diff", "models/arm.glb", "--against-git", "HEAD"]);
    assert!(!ran.exists(), "diff --against-git runs core.sshCommand");
}
