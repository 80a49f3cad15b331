//! `rigview test`: writing and removing goldens.

use crate::support::run::{Output, rigview_in};
use crate::support::suite_world::World;
use image::RgbaImage;

const SUITE: &str = r#"
[defaults]
size = "48x32"

[[shot]]
name = "mill"
model = "models/windmill.glb"
time = [0, 1, 2, 3]

[[shot]]
name = "hare"
model = "models/hare.glb"
"#;

fn swap_red_and_blue(image: &mut RgbaImage) {
    image.pixels_mut().for_each(|pixel| pixel.0.swap(0, 2));
}

/// A folder whose shots mill-t1 and hare changed, and mill-t2 has no golden.
fn changed_world() -> (World, Vec<u8>) {
    let world = World::blessed(SUITE);
    let original = std::fs::read(world.golden("mill-t1")).expect("a golden");
    world.edit("mill-t1", swap_red_and_blue);
    world.edit("hare", swap_red_and_blue);
    std::fs::remove_file(world.golden("mill-t2")).expect("a golden");
    (world, original)
}

fn run(world: &World, words: &[&str]) -> Output {
    rigview_in(world.0.path(), &[&["test"], words].concat())
}

#[test]
fn images_of_reports_are_accepted_as_goldens() {
    let (world, original) = changed_world();
    let edited = std::fs::read(world.golden("hare")).expect("a golden");
    for part in ["1/2", "2/2"] {
        run(&world, &["suite.toml", "--shard", part, "-o", &format!("part-{}", &part[..1])]);
    }
    let accepted = run(&world, &["--accept", "part-1", "part-2", "--filter", "mill"]);
    assert_eq!(accepted.code, Some(0), "{}", accepted.report());
    assert!(accepted.stdout.contains("written  mill-t2: new\n"), "{}", accepted.report());
    assert!(accepted.stderr.contains("2 goldens written; review them"), "{}", accepted.report());
    assert!(std::fs::read(world.golden("mill-t1")).expect("a golden") == original);
    assert!(std::fs::read(world.golden("hare")).expect("a golden") == edited);

    // A merged report serves as well.
    run(&world, &["--merge", "part-1", "part-2", "-o", "all"]);
    let accepted = run(&world, &["suite.toml", "--accept", "all"]);
    assert!(accepted.code == Some(0) && accepted.stderr.contains("3 goldens written"), "{}", accepted.report());
    let passed = world.test(&[]);
    assert_eq!(passed.code, Some(0), "{}", passed.report());
    let accepted = run(&world, &["suite.toml", "--accept", "report"]);
    assert!(accepted.code == Some(0) && accepted.stderr.contains("no golden was written"), "{}", accepted.report());
}

#[test]
fn images_of_other_suites_versions_and_files_are_not_accepted() {
    let (world, _) = changed_world();
    let edited = std::fs::read(world.golden("mill-t1")).expect("a golden");
    world.test(&[]);
    let lines = std::fs::read_to_string(world.path("report/report.jsonl")).expect("a report");
    let actual = world.path("report/images/mill-t1-actual.png");
    let image = std::fs::read(&actual).expect("an image");
    let own = format!("\"rigview\":\"{}\"", env!("CARGO_PKG_VERSION"));
    let refused = |words: &[&str], message: &str| {
        let refused = run(&world, &[&["suite.toml", "--accept", "report"], words].concat());
        assert!(refused.code == Some(2) && refused.stderr.contains(message), "{message}: {}", refused.report());
        assert!(std::fs::read(world.golden("mill-t1")).expect("a golden") == edited);
        assert!(!world.golden("mill-t2").exists());
    };
    let with_lines = |lines: &str, message: &str| {
        std::fs::write(world.path("report/report.jsonl"), lines).expect("a report");
        refused(&[], message);
    };
    with_lines(&lines.replace(&own, "\"rigview\":\"0.0.1\""), "is from rigview 0.0.1, this is rigview ");
    with_lines(&lines.replace("\"mill-t2\"", "\"mill-t9\""), "the shot `mill-t9` is not in the suite");
    with_lines(&lines.replace("\"mill-t2\"", "\"../mill-t2\""), "the name of the shot is not a valid file name");
    with_lines(&lines.replace("--time=2", "--time=5"), "is from another run than the report");
    std::fs::write(world.path("report/report.jsonl"), &lines).expect("a report");
    refused(&["report"], "is also in report");
    refused(&["models"], "models: not a report");
    refused(&["--filter", "nothing"], "--filter matches none of the 5 shots");

    std::fs::write(&actual, &image[..image.len() / 2]).expect("an image");
    refused(&[], "the image mill-t1-actual.png cannot be read");
    std::fs::copy(world.golden("mill-t0"), &actual).expect("an image");
    refused(&[], "is from another run than the report");
    RgbaImage::new(48, 33).save(&actual).expect("an image");
    refused(&[], "does not have 48 x 32 pixels");
    std::fs::remove_file(&actual).expect("an image");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(world.golden("mill-t0"), &actual).expect("a link");
        refused(&[], "a report contains no links");
        std::fs::remove_file(&actual).expect("a link");
    }
    std::fs::write(&actual, &image).expect("an image");
    std::fs::write(world.path("suite.toml"), SUITE.replace("48x32", "48x33")).expect("a suite");
    refused(&[], "the suite has another model, other options or other limits for the shot `mill-t1`");
}
