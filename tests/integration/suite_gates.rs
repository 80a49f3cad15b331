//! `rigview test` as a gate: what must fail, and what must be kept.

use crate::support::glb::{Channel, Rig};
use crate::support::rigs::{NO_TURN, QUARTER_ABOUT_Z, arm};
use crate::support::run::{Output, rigview_in, watched};
use crate::support::suite_world::World;
use std::time::Duration;

const SUITE: &str = r#"
[defaults]
size = "32x32"

[[shot]]
model = "models/*.glb"
clip = "*"
time = "50%"

[[shot]]
model = "models/*.glb"
kind = "pose"
"#;

/// The arm with clips of these names.
fn arm_with(world: &World, name: &str, clips: &[&str]) {
    let arm = arm();
    let (mut rig, node): (Rig, _) = (arm.rig, arm.joints[1]);
    for clip in clips {
        let times = rig.floats("SCALAR", &[0.0, 1.0]);
        let values = rig.floats("VEC4", &[NO_TURN, QUARTER_ABOUT_Z].concat());
        rig.clip(clip, &[Channel { node, path: "rotation", interpolation: "LINEAR", times, values }]);
    }
    rig.write_glb(&world.path("models"), name);
}

/// A world with the models `a`, `b` and `c`, of the clips `bend`, `Run` and `Walk`, and their goldens.
fn world() -> World {
    let world = World::new(SUITE);
    for shipped in ["windmill", "hare"] {
        std::fs::remove_file(world.path(&format!("models/{shipped}.glb"))).expect("a model");
    }
    for name in ["a", "b", "c"] {
        arm_with(&world, name, &["Run", "Walk"]);
    }
    let run = world.test(&["--update"]);
    assert!(run.code == Some(0) && run.stderr.contains("21 goldens written"), "{}", run.report());
    world
}

fn goldens(world: &World, start: &str) -> usize {
    let files = std::fs::read_dir(world.path("goldens")).expect("goldens").flatten();
    files.filter(|file| file.file_name().to_string_lossy().starts_with(start)).count()
}

fn merged(world: &World) -> Output {
    for part in ["1/2", "2/2"] {
        rigview_in(world.0.path(), &["test", "suite.toml", "--shard", part, "-o", &format!("part-{}", &part[..1])]);
    }
    rigview_in(world.0.path(), &["test", "--merge", "part-1", "part-2", "-o", "report"])
}

#[test]
fn lost_clips_and_deleted_models_fail() {
    let world = world();
    arm_with(&world, "a", &["Walk"]);
    std::fs::remove_file(world.path("models/c.glb")).expect("a model");
    let lost_clip = "gone     a-Run-t50pct: clip Run of models/a.glb is gone; --prune deletes its golden\n";
    let lost_model = "gone     c-Walk-t50pct: the model models/c.glb is gone; --prune deletes its golden\n";
    let whole = world.test(&[]);
    let message = "error: the model or clip of 9 of 21 images is gone (--prune deletes them)";
    assert!(whole.code == Some(1) && whole.stderr.contains(message), "{}", whole.report());
    assert!(whole.stdout.contains(lost_clip) && whole.stdout.contains(lost_model), "{}", whole.report());
    assert!(world.junit().iter().filter(|case| case.result.as_deref() == Some("failure")).count() == 9);
    let parts = merged(&world);
    assert!(parts.code == Some(1) && parts.stdout.contains(lost_clip) && parts.stdout.contains(lost_model));
    assert_eq!(world.names("report").len(), 21, "{}", parts.report());
    // The gone ones of the filter count, and --last-failed has them again.
    assert_eq!(world.test(&["--filter", "b-*"]).code, Some(0));
    assert_eq!(world.test(&["--filter", "a-Run*"]).code, Some(1));
    let again = world.test(&["--last-failed"]);
    assert!(again.code == Some(1) && again.stdout.contains("1 gone"), "{}", again.report());

    let listed = world.test(&["--prune", "--dry-run"]);
    assert!(listed.stdout.contains("to delete c-pose: the model models/c.glb is gone"), "{}", listed.report());
    assert_eq!(goldens(&world, "c-"), 7);
    let pruned = world.test(&["--prune"]);
    assert!(pruned.code == Some(0) && pruned.stdout.contains("deleted  a-Run-t50pct: clip Run"), "{}", pruned.report());
    assert_eq!((goldens(&world, ""), world.test(&[]).code), (12, Some(0)));
}

#[test]
fn goldens_of_a_broken_model_are_kept() {
    let world = world();
    let file = world.path("models/b.glb");
    let bytes = std::fs::read(&file).expect("a model");
    std::fs::write(&file, &bytes[..300]).expect("a model");
    for words in [&["--filter", "a-*", "--prune"][..], &["--prune"], &["--update", "--prune"]] {
        let run = world.test(words);
        assert!(run.stderr.contains("notice: no golden is deleted, since models cannot be read"), "{}", run.report());
        assert!(!run.stdout.contains("obsolete") && !run.stdout.contains("gone"), "{}", run.report());
        assert_eq!(goldens(&world, "b-"), 7);
    }
    std::fs::write(&file, &bytes).expect("a model");
    assert_eq!(world.test(&[]).code, Some(0));
}

#[test]
fn annotations_begin_with_errors_and_are_one_per_model() {
    let world = world();
    for copy in 0..12 {
        arm_with(&world, &format!("aa{copy}"), &["Run"]);
    }
    let bytes = std::fs::read(world.path("models/c.glb")).expect("a model");
    std::fs::write(world.path("models/c.glb"), &bytes[..300]).expect("a model");
    arm_with(&world, "b", &["Run"]);
    let words = ["test", "suite.toml"];
    let run = watched(world.0.path(), &[("GITHUB_ACTIONS", "true")], &words, Duration::from_secs(60)).output;
    let lines: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("::")).collect();
    assert_eq!((run.code, lines.len()), (Some(3), 10), "{}", run.report());
    assert!(lines[0].contains("c.glb%3A error::") && lines[1].contains("%3A gone::"), "{lines:?}");
    assert!(lines[2..].iter().all(|line| line.contains("%3A new::")), "{lines:?}");
    assert!(lines[9].contains("20 more in the summary of the job"), "{lines:?}");
}

#[test]
fn renamed_models_keep_their_goldens() {
    let world = world();
    arm_with(&world, "b", &["Run", "Jump"]);
    world.test(&["--update", "--prune"]);
    let golden = std::fs::read(world.golden("b-Run-t50pct")).expect("a golden");
    std::fs::rename(world.path("models/b.glb"), world.path("models/hero.glb")).expect("a model");
    let run = world.test(&[]);
    let message = "new      hero-Run-t50pct: the model was renamed: --update moves the golden b-Run-t50pct.png\n";
    assert!(run.code == Some(1) && run.stdout.contains(message) && run.stdout.contains(" 7 new"), "{}", run.report());
    assert!(!run.stdout.contains("gone") && !run.stdout.contains("obsolete"), "{}", run.report());
    let moved = world.test(&["--update"]);
    assert!(moved.code == Some(0) && moved.stdout.contains("written  hero-pose-Jump: moved\n"), "{}", moved.report());
    assert_eq!((goldens(&world, "b-"), goldens(&world, "hero-"), world.test(&[]).code), (0, 7, Some(0)));
    let pixels = |bytes: &[u8]| image::load_from_memory(bytes).expect("a golden").to_rgba8();
    assert_eq!(pixels(&golden), pixels(&std::fs::read(world.golden("hero-Run-t50pct")).expect("a golden")));
    // Another model is not a renamed one.
    std::fs::remove_file(world.path("models/hero.glb")).expect("a model");
    arm_with(&world, "other", &["Run", "Walk", "Jump"]);
    let run = world.test(&[]);
    assert!(run.stdout.contains("7 gone") && !run.stdout.contains("renamed"), "{}", run.report());
}

#[test]
fn images_of_a_report_are_copies_and_can_be_those_of_failed_shots_only() {
    let world = world();
    assert_eq!(world.test(&[]).code, Some(0));
    let image = |name: &str| std::fs::read(world.path(&format!("report/images/{name}"))).ok();
    let golden = std::fs::read(world.golden("a-Run-t50pct")).expect("a golden");
    assert_eq!(image("a-Run-t50pct-golden.png"), Some(golden), "the golden is copied");
    world.edit("b-Run-t50pct", |image| image.pixels_mut().for_each(|pixel| pixel.0[0] ^= 0x40));
    for words in [&["--report-images", "failed"][..], &["--report-images", "failed", "--isolate"]] {
        let run = world.test(words);
        assert_eq!(run.code, Some(1), "{}", run.report());
        assert!(image("a-Run-t50pct-golden.png").is_none() && image("a-Run-t50pct-thumbnail.png").is_none());
        assert!(image("b-Run-t50pct-actual.png").is_some() && image("b-Run-t50pct-golden.png").is_some());
    }
}

#[test]
fn a_report_that_cannot_be_written_does_not_end_the_comparison() {
    let world = world();
    world.edit("c-Walk-t50pct", |image| image.pixels_mut().for_each(|pixel| pixel.0[0] ^= 0x40));
    // A folder is in the place of an image, as if the disk was full.
    std::fs::remove_dir_all(world.path("report")).expect("a report");
    std::fs::create_dir_all(world.path("report/images/a-Run-t50pct-thumbnail.png/x")).expect("a folder");
    let run = world.test(&[]);
    assert!(run.code == Some(3) && run.stderr.contains("a-Run-t50pct-thumbnail.png"), "{}", run.report());
    assert!(run.stdout.contains("changed  c-Walk-t50pct: ") && run.stdout.contains("20 passed"), "{}", run.report());
    assert_eq!(world.names("report").len(), 21);
}

/// A shot that checks a model has no golden, and the errors of `rigview check` with those of its profile.
#[test]
fn checks_of_a_suite_fail_for_the_rules_of_its_profile() {
    let suite = "[[shot]]\nmodel = 'models/arm.glb'\nkind = 'check'\nprofile = 'rules.toml'\n";
    let world = World::new(suite);
    arm_with(&world, "arm", &["wave"]);
    let rules = |text: &str| std::fs::write(world.path("rules.toml"), text).expect("a profile");
    rules("[clips]\nrequired = ['wave']");
    let passed = world.test(&["--update"]);
    assert_eq!(passed.code, Some(0), "{}", passed.report());
    assert!(!world.path("goldens").exists(), "a check has no golden");
    rules("[clips]\nrequired = ['wave', 'jump']");
    for arguments in [&[][..], &["--update"]] {
        let failed = world.test(arguments);
        assert_eq!(failed.code, Some(1), "{}", failed.report());
        let message = world.shots("report")[0]["message"].as_str().expect("a message").to_owned();
        assert!(message.starts_with("RIGVIEW_PROFILE_CLIP /animations: the clip \"jump\" is missing"), "{message}");
    }
    let accepted = rigview_in(world.0.path(), &["test", "suite.toml", "--accept", "report"]);
    assert!(!world.path("goldens").exists(), "{}", accepted.report());
    let refused = world.test(&["--untrusted"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("cannot have a profile"), "{}", refused.report());
}
