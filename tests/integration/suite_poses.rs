//! `rigview test` with shots of poses.

use crate::support::glb::{Channel, Rig};
use crate::support::rigs::{NO_TURN, QUARTER_ABOUT_Z, arm};
use crate::support::run::rigview_in;
use crate::support::suite_world::World;

const SUITE: &str = r#"
[defaults]
size = "32x32"

[[shot]]
model = "models/arm.glb"
kind = "pose"
"#;

/// The arm with a clip of three keys, whose middle key is `middle`.
fn waving(middle: [f64; 4]) -> Rig {
    let arm = arm();
    let (mut rig, node) = (arm.rig, arm.joints[1]);
    let times = rig.floats("SCALAR", &[0.0, 0.5, 1.0]);
    let values = rig.floats("VEC4", &[NO_TURN, middle, NO_TURN].concat());
    rig.clip("wave", &[Channel { node, path: "rotation", interpolation: "LINEAR", times, values }]);
    rig
}

fn world() -> World {
    let world = World::new(SUITE);
    waving(NO_TURN).write_glb(&world.path("models"), "arm");
    let run = world.test(&["--update"]);
    assert!(run.code == Some(0) && run.stdout.contains("written  arm-pose-wave: new"), "{}", run.report());
    world
}

#[test]
fn pose_goldens_are_text_without_a_renderer_and_find_a_moved_key() {
    let world = world();
    let golden = world.path("goldens/arm-pose-wave.pose.txt");
    let text = std::fs::read_to_string(&golden).expect("a golden");
    let start = "rigview pose 2\ncommand: rigview shot models/arm.glb --clip=wave -o OUT.png\ninputs: ";
    let line = "joint \"elbow\" rotation: linear; unit 0.001; 0; 0; 0\n";
    assert!(text.starts_with(start) && text.ends_with(line), "a constant track has one value: {text}");
    let run = world.test(&[]);
    assert!(run.code == Some(0) && run.stdout.starts_with("suite.toml: 3 passed; "), "{}", run.report());
    assert!(!run.stdout.contains(" on "), "no renderer is started: {}", run.report());
    let isolated = world.test(&["--isolate"]);
    assert!(isolated.code == Some(0) && isolated.stdout.starts_with("suite.toml: 3 passed; "), "{}", isolated.report());

    waving(QUARTER_ABOUT_Z).write_glb(&world.path("models"), "arm");
    let run = world.test(&[]);
    let message = "changed  arm-pose-wave: clip \"wave\" joint \"elbow\" at 0.5 s: rotated by 90.000 degrees\n";
    assert!(run.code == Some(1) && run.stdout.contains(message), "{}", run.report());
    let cases = world.junit();
    assert_eq!(cases.iter().filter(|case| case.result.as_deref() == Some("failure")).count(), 1, "{cases:?}");
    let page = std::fs::read_to_string(world.path("report/report.html")).expect("a page");
    assert!(page.contains("rotated by 90.000 degrees"));
    let shots = world.shots("report");
    assert_eq!(shots[2]["command"], "rigview test suite.toml --filter=arm-pose-wave");

    let accepted = rigview_in(world.0.path(), &["test", "suite.toml", "--accept", "report"]);
    assert!(accepted.code == Some(0) && accepted.stderr.contains("1 result"), "{}", accepted.report());
    let dry = world.test(&["--update", "--dry-run"]);
    assert!(dry.stdout.contains("to write arm-pose-wave") && std::fs::read_to_string(&golden).expect("it") == text);
    let updated = world.test(&["--update"]);
    assert!(updated.code == Some(0) && updated.stdout.contains("written  arm-pose-wave"), "{}", updated.report());
    let now = std::fs::read_to_string(&golden).expect("a golden");
    // The line of the track, that of its key times, and the hash of the files.
    let changed = now.lines().filter(|line| !text.lines().any(|other| other == *line)).count();
    assert_eq!((changed, now.lines().count()), (3, text.lines().count() + 1), "{now}");
    assert_eq!(world.test(&["--filter", "arm-pose"]).code, Some(0));
}

#[test]
fn broken_and_obsolete_pose_goldens_are_reported() {
    let world = world();
    let golden = world.path("goldens/arm-pose.pose.txt");
    std::fs::write(&golden, "version https://git-lfs.github.com/spec/v1\n").expect("a pointer");
    let run = world.test(&["--filter", "arm-pose"]);
    assert!(run.code == Some(1) && run.stdout.contains("git lfs pull"), "{}", run.report());
    let image = "[[shot]]\nmodel = \"models/hare.glb\"\nsize = \"32x32\"";
    std::fs::write(world.path("suite.toml"), image).expect("a suite");
    world.test(&["--update"]);
    std::fs::write(world.path("goldens/old.pose.txt"), "rigview pose 2\n").expect("a golden");
    let run = world.test(&["--prune"]);
    assert!(run.stdout.contains("deleted  old.pose.txt"), "{}", run.report());
    assert!(run.stdout.contains("obsolete arm-pose.pose.txt") && golden.exists(), "{}", run.report());
    let broken = SUITE.replace("models/arm.glb", "models/none.glb");
    std::fs::write(world.path("suite.toml"), broken).expect("a suite");
    let run = world.test(&[]);
    assert!(run.code == Some(3) && run.stdout.contains("error    none-pose: ./models/none.glb"), "{}", run.report());
    let outside = SUITE.replace("models/arm.glb", "../arm.glb");
    std::fs::write(world.path("suite.toml"), outside).expect("a suite");
    let run = world.test(&["--untrusted"]);
    assert!(run.code == Some(2) && run.stderr.contains("outside the suite's folder"), "{}", run.report());
}
