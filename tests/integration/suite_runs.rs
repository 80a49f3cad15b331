//! `rigview test`: runs of several suites, repeated shots, notices and what the report says about a shot.

use crate::support::run::rigview_in;
use crate::support::suite_world::World;

const LOOKS_AWAY: &str = r#"
[defaults]
size = "64x48"
background = [0.2, 0.3, 0.4]

[[shot]]
name = "away"
model = "models/windmill.glb"
eye = [0, 0, 30]
target = [0, 0, 60]

[[shot]]
name = "towards"
model = "models/windmill.glb"
eye = [0, 0, 30]
target = [0, 0, 0]

[[shot]]
name = "shadow-away"
model = "models/windmill.glb"
eye = [0, 2, 30]
target = [0, 0, 60]
shadow-catcher = true
"#;

#[test]
fn image_without_its_model_is_a_notice() {
    let world = World::blessed(LOOKS_AWAY);
    let run = world.test(&[]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    assert!(run.stderr.contains("nothing of the model is in view in away and 1 more"), "{}", run.report());
    let empty: Vec<bool> = world.shots("report").iter().map(|shot| shot["empty"] == true).collect();
    assert_eq!(empty, [true, false, true]);

    let shot = |target: &str| {
        let target = format!("--target={target}");
        rigview_in(
            world.0.path(),
            &["shot", "models/windmill.glb", "--eye=0,0,30", &target, "--size=64x48", "-o", "a.png"],
        )
    };
    let (away, towards) = (shot("0,0,60"), shot("0,0,0"));
    assert!(away.code == Some(0) && towards.code == Some(0), "{}{}", away.report(), towards.report());
    assert!(
        away.stderr.contains("nothing of the model is in view; the image shows only the background"),
        "{}",
        away.report()
    );
    assert!(towards.stderr.is_empty(), "{}", towards.report());
}

const MILL: &str = r#"
[[shot]]
name = "mill"
model = "models/windmill.glb"
size = "64x48"
time = 0.5
"#;

#[test]
fn repeated_renders_are_equal() {
    let world = World::blessed(MILL);
    let run = world.test(&["--repeat", "3"]);
    assert!(run.code == Some(0) && run.stdout.starts_with("suite.toml: 1 passed;"), "{}", run.report());
    let run = world.test(&["--repeat", "0"]);
    assert_eq!(run.code, Some(2), "{}", run.report());
}

#[test]
fn changed_options_and_samples_are_named() {
    let world = World::blessed(MILL);
    let suite = MILL.replace("0.5", "1").replace("[[shot]]", "[[shot]]\nsamples = 1\nwireframe = true");
    std::fs::write(world.path("suite.toml"), suite).expect("a suite");
    let run = world.test(&[]);
    assert_eq!(run.code, Some(1), "{}", run.report());
    let expected = "; since the golden: option --time=0.5 is now --time=1, option --samples=1 is new, option --wireframe is new, \
                    4 samples per pixel are now 1";
    assert!(run.stdout.contains(expected), "{}", run.report());
    assert_eq!(world.shots("report")[0]["golden_differences"][0], "option --time=0.5 is now --time=1");
}
