//! Commands that read a git repository.

use crate::support::rigs::arm;
use crate::support::run::rigview_in;
use crate::support::suite_world::World;
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

/// The arm with a longer upper arm.
fn longer() -> crate::support::glb::Rig {
    let mut arm = arm();
    let elbow = arm.joints[1];
    arm.rig.object("nodes", elbow)["translation"] = serde_json::json!([0, 1.25, 0]);
    arm.rig
}

#[test]
fn only_shots_that_changed_since_a_revision_run() {
    let world = repository();
    let chosen = |expected: &[&str]| {
        let run = world.test(&["--changed-since", "HEAD"]);
        assert_eq!(world.names("report"), expected, "{}", run.report());
        run
    };
    let none = chosen(&[]);
    assert!(none.code == Some(0) && none.stderr.contains("no shot has changed since HEAD"), "{}", none.report());
    longer().write_glb(&world.path("models"), "arm");
    assert_eq!(chosen(&["arm-pose", "arm-pose-bend"]).code, Some(1));
    arm().rig.write_glb(&world.path("models"), "arm");
    chosen(&[]);
    let side_file = world.path("models/side dätä.bin");
    let bytes = std::fs::read(&side_file).expect("a side file");
    std::fs::write(&side_file, [&bytes[..], &[0; 4]].concat()).expect("a side file");
    chosen(&["side-pose", "side-pose-bend"]);
    git(world.0.path(), &["checkout", "-q", "models"]);
    std::fs::remove_file(world.path("goldens/arm-pose.pose.txt")).expect("a golden");
    chosen(&["arm-pose"]);
    git(world.0.path(), &["checkout", "-q", "goldens"]);
    // The map of joints beside a model, new and deleted.
    let map = world.path("models/arm.rigmap.toml");
    std::fs::write(&map, "hips = ''\n").expect("a map");
    chosen(&["arm-pose"]);
    git(world.0.path(), &["add", "-A"]);
    git(world.0.path(), &["commit", "-qm", "map"]);
    chosen(&[]);
    std::fs::remove_file(&map).expect("the map");
    chosen(&["arm-pose"]);
    git(world.0.path(), &["checkout", "-q", "models"]);
    std::fs::write(world.path("suite.toml"), SUITE.to_owned() + "tolerance = 0.5\n").expect("a suite");
    chosen(&["side-pose", "side-pose-bend"]);
    std::fs::write(world.path("suite.toml"), SUITE.replace("arm.glb", "hare.glb")).expect("a suite");
    let run = world.test(&["--changed-since", "HEAD"]);
    let names = world.names("report");
    assert!(names.len() > 1 && names.iter().all(|name| name.starts_with("hare-pose")), "{}", run.report());
    let missing = world.test(&["--changed-since", "missing"]);
    assert!(missing.code == Some(2) && missing.stderr.contains("`missing` is no revision"), "{}", missing.report());
}

#[test]
fn diff_reads_the_old_file_and_its_side_files_from_a_revision() {
    let world = repository();
    let diff = |arguments: &[&str]| rigview_in(&world.path("models"), &[&["diff"], arguments].concat());
    for file in ["arm.glb", "side.gltf"] {
        let same = diff(&[file, "--against-git", "HEAD"]);
        assert_eq!(same.code, Some(0), "{}", same.report());
    }
    longer().write_glb(&world.path("models"), "arm");
    longer().write_gltf(&world.path("models"), "side");
    for file in ["arm.glb", "side.gltf"] {
        let changed = diff(&[file, "--against-git", "HEAD"]);
        assert!(changed.code == Some(1) && changed.stdout.contains("elbow"), "{}", changed.report());
        assert!(changed.stderr.contains(&format!("HEAD:{file} and {file} differ")), "{}", changed.report());
    }
    let other = diff(&["side.gltf", "arm.glb", "--against-git", "HEAD"]);
    assert_eq!(other.code, Some(1), "{}", other.report());
    std::fs::write(world.path("models/arm.glb"), "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
        .expect("it");
    git(world.0.path(), &["commit", "-qam", "pointer"]);
    let pointer = diff(&["arm.glb", "--against-git", "HEAD"]);
    assert!(pointer.code == Some(2) && pointer.stderr.contains("LFS"), "{}", pointer.report());
    let pointer = diff(&["arm.glb", "side.gltf", "--against-git", "HEAD"]);
    assert!(pointer.code == Some(2) && pointer.stderr.contains("HEAD:arm.glb: "), "{}", pointer.report());
    for (arguments, message) in [
        (&["arm.glb", "--against-git=--all"][..], "`--all` is no revision"),
        (&["new.glb", "--against-git", "HEAD"], "the revision does not have this file"),
        (&["arm.glb"], "required"),
    ] {
        let run = diff(arguments);
        assert!(run.code == Some(2) && run.stderr.contains(message), "{}", run.report());
    }
}

#[test]
fn info_of_several_files_is_a_table_or_a_line_of_json_per_file() {
    let world = repository();
    let info = |arguments: &[&str]| rigview_in(world.0.path(), &[&["info"], arguments].concat());
    let table = info(&["models"]);
    let lines: Vec<&str> = table.stdout.lines().collect();
    assert!(table.code == Some(0) && lines.len() == 5 && lines[0].trim().starts_with("size"), "{}", table.report());
    assert!(lines[1].ends_with("arm.glb") && lines[1].split_whitespace().nth(2) == Some("1"), "{}", table.report());
    let json = info(&["models/arm.glb", "models/hare.glb", "--json"]);
    let files: Vec<serde_json::Value> =
        json.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((files.len(), &files[1]["file"]), (2, &"models/hare.glb".into()));
    std::fs::write(world.path("models/broken.glb"), "").expect("a file");
    let broken = info(&["models/*.glb"]);
    assert!(broken.code == Some(1) && broken.stdout.lines().count() == 4, "{}", broken.report());
    assert!(broken.stderr.contains("broken.glb"), "{}", broken.report());
    let one = info(&["models/arm.glb"]);
    assert!(one.stdout.contains("1 clip\n  0 bend"), "{}", one.report());
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
