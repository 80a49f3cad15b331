//! `rigview test`: writing and removing goldens.

use crate::support::rigs;
use crate::support::run::{Output, rigview_in};
use crate::support::schema::{schema, validate};
use crate::support::suite_world::World;
use image::RgbaImage;
use serde_json::Value;

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
    // The page copies such a command for the selected shots.
    let only = |name: &str| run(&world, &["--accept", "part-1", "part-2", "--dry-run", "--filter", name]);
    assert!(only("mill-t1").stderr.contains("1 golden to write"), "{}", only("mill-t1").report());
    assert!(only("mill-t").stderr.contains("2 goldens to write"), "{}", only("mill-t").report());
    let accepted = run(&world, &["--accept", "part-1", "part-2", "--filter", "mill"]);
    assert_eq!(accepted.code, Some(0), "{}", accepted.report());
    assert!(accepted.stdout.contains("written  mill-t2: new\n"), "{}", accepted.report());
    assert!(accepted.stderr.contains("2 goldens written; review"), "{}", accepted.report());
    assert!(std::fs::read(world.golden("mill-t1")).expect("a golden") == original);
    assert!(std::fs::read(world.golden("hare")).expect("a golden") == edited);

    // A merged report serves as well.
    run(&world, &["--merge", "part-1", "part-2", "-o", "all"]);
    let accepted = run(&world, &["suite.toml", "--accept", "all"]);
    assert!(accepted.code == Some(0) && accepted.stderr.contains("3 goldens written"), "{}", accepted.report());
    let passed = world.test(&[]);
    assert_eq!(passed.code, Some(0), "{}", passed.report());
    let accepted = run(&world, &["suite.toml", "--accept", "report"]);
    assert!(accepted.code == Some(0) && accepted.stderr.contains("no golden to write"), "{}", accepted.report());
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

#[test]
fn update_modes_write_missing_or_changed_goldens() {
    let (world, original) = changed_world();
    let edited = std::fs::read(world.golden("mill-t1")).expect("a golden");
    for words in [&["--update", "--dry-run"][..], &["--update=all", "--dry-run"]] {
        let listed = world.test(words);
        assert!(listed.code == Some(0) && listed.stderr.contains("3 goldens to write"), "{}", listed.report());
        assert!(listed.stdout.contains("to write mill-t2: new\n"), "{}", listed.report());
        assert!(listed.stdout.contains("to write hare: max-channel-diff "), "{}", listed.report());
        assert!(!world.golden("mill-t2").exists());
    }
    let missing = world.test(&["--update=missing"]);
    assert!(missing.code == Some(1) && missing.stderr.contains("error: 2 of 5 images changed"), "{}", missing.report());
    assert!(missing.stderr.contains("1 golden written"), "{}", missing.report());
    assert!(world.golden("mill-t2").exists());
    assert!(std::fs::read(world.golden("mill-t1")).expect("a golden") == edited);

    std::fs::remove_file(world.golden("mill-t2")).expect("a golden");
    let changed = world.test(&["--update=changed"]);
    assert!(changed.code == Some(1), "{}", changed.report());
    assert!(changed.stderr.contains("error: 1 of 5 images has no golden (--update writes it)"), "{}", changed.report());
    assert!(!world.golden("mill-t2").exists());
    assert!(std::fs::read(world.golden("mill-t1")).expect("a golden") == original);

    assert_eq!(world.test(&["--update"]).code, Some(0));
    let nothing = world.test(&["--update"]);
    assert!(nothing.code == Some(0) && nothing.stderr == "notice: no golden to write\n", "{}", nothing.report());
}

#[test]
fn goldens_are_smaller_than_images_of_the_report() {
    let world = World::blessed("[[shot]]\nname = \"hare\"\nmodel = \"models/hare.glb\"\nsize = \"160x120\"\n");
    let pixels = |file: &std::path::Path| image::open(file).expect("an image").to_rgba8();
    let bytes = |file: &std::path::Path| std::fs::metadata(file).expect("a file").len();
    let (golden, actual) = (world.golden("hare"), world.path("report/images/hare-actual.png"));
    assert_eq!(pixels(&golden), pixels(&actual));
    assert!(bytes(&golden) * 10 < bytes(&actual) * 9, "{} and {} bytes", bytes(&golden), bytes(&actual));
}

#[test]
fn last_failed_runs_the_failed_shots_of_the_former_report() {
    let (world, _) = changed_world();
    std::fs::remove_dir_all(world.path("report")).expect("a report");
    let run = world.test(&["--last-failed"]);
    assert!(run.code == Some(2) && run.stderr.contains("needs the report of a former run"), "{}", run.report());
    world.test(&[]);
    let suite = std::fs::read_to_string(world.path("suite.toml")).expect("a suite");
    std::fs::write(world.path("suite.toml"), format!("{suite}\nbroken")).expect("a suite");
    let run = world.test(&["--last-failed"]);
    assert!(run.code == Some(2), "{}", run.report());
    // The error keeps the former report.
    std::fs::write(world.path("suite.toml"), suite).expect("a suite");
    let run = world.test(&["--last-failed"]);
    assert!(run.code == Some(1) && run.stdout.contains("(3 of 5 shots chosen)"), "{}", run.report());
    assert_eq!(world.names("report"), ["mill-t1", "mill-t2", "hare"]);
    world.test(&["--last-failed", "--update", "--filter", "mill"]);
    let run = world.test(&[]);
    assert!(run.code == Some(1) && run.stderr.contains("error: 1 of 5 images changed"), "{}", run.report());
    let run = world.test(&["--last-failed", "--update"]);
    assert!(run.code == Some(0) && world.names("report") == ["hare"], "{}", run.report());
    let run = world.test(&["--last-failed"]);
    assert!(run.code == Some(0) && run.stderr.contains("running all shots"), "{}", run.report());
    assert_eq!(world.names("report").len(), 5);
    // As after SIGKILL: the file ends after the second result.
    let lines = std::fs::read_to_string(world.path("report/report.jsonl")).expect("a report");
    let planned: String =
        world.names("report").iter().map(|name| format!("{{\"kind\":\"planned\",\"name\":\"{name}\"}}\n")).collect();
    let stopped: String = lines.split_inclusive('\n').take(3).collect();
    std::fs::write(world.path("report/report.jsonl"), stopped + &planned).expect("a report");
    let run = world.test(&["--last-failed", "--dry-run"]);
    assert!(
        run.stderr.contains("stopped early: 3 shots have no result, and --last-failed runs them"),
        "{}",
        run.report()
    );
    assert!(run.stdout.contains("suite.toml: 3 shots, "), "{}", run.report());
    assert_eq!(std::fs::read_to_string(world.path("report/.gitignore")).expect("a file"), "*\n");
}

#[test]
fn list_has_shots_goldens_and_obsolete_files() {
    let (world, _) = changed_world();
    let suite = SUITE.replace("name = \"hare\"", "name = \"rabbit\"\nskip = \"waits for the new ears\"");
    std::fs::write(world.path("suite.toml"), suite).expect("a suite");
    let before = std::fs::read(world.path("report/report.jsonl")).expect("a report");
    let list = run(&world, &["suite.toml", "--dry-run", "--filter", "t2", "--filter", "t3", "--filter", "rabbit"]);
    let expected = "missing  mill-t2: ./goldens/mill-t2.png does not exist\n\
                    golden   mill-t3: ./goldens/mill-t3.png\n\
                    skipped  rabbit: waits for the new ears\n\
                    obsolete hare.png: a golden without a shot\n\
                    suite.toml: 3 shots, 1 without a golden, 1 skipped, 1 obsolete\n";
    assert!(list.code == Some(0) && list.stdout == expected, "{}", list.report());
    assert!(std::fs::read(world.path("report/report.jsonl")).expect("a report") == before);
}

#[test]
fn skipped_and_expected_shots_do_not_fail() {
    let (world, _) = changed_world();
    let with = |line: &str| {
        let suite = SUITE.replace("name = \"hare\"", &format!("name = \"hare\"\n{line}"));
        std::fs::write(world.path("suite.toml"), suite).expect("a suite");
        world.test(&["--filter", "hare"])
    };
    let edited = std::fs::read(world.golden("hare")).expect("a golden");
    assert_eq!(with("").code, Some(1));
    for (line, status) in [("skip = \"new ears\"", "skipped"), ("expect-failure = \"new ears\"", "expected")] {
        let run = with(line);
        assert!(run.code == Some(0) && run.stdout.contains(&format!("0 passed, 1 {status};")), "{}", run.report());
        assert_eq!(world.junit()[0].result.as_deref(), Some("skipped"));
        assert_eq!(world.test(&["--filter", "hare", "--update"]).code, Some(0));
        assert!(std::fs::read(world.golden("hare")).expect("a golden") == edited, "{line} was updated");
    }
    assert!(world.shots("report")[0]["message"].as_str().is_some_and(|text| text.starts_with("new ears (max-channel")));
    with("");
    world.test(&["--update"]);
    let run = with("expect-failure = \"new ears\"");
    assert!(run.code == Some(1) && run.stdout.contains("passed, but the suite expects a failure"), "{}", run.report());
    let run = with("skip = \" \"");
    assert!(run.code == Some(2) && run.stderr.contains("`skip` takes a reason"), "{}", run.report());
}

#[test]
fn clips_and_models_without_a_shot_are_denied() {
    let every = |rest: &str| format!("[defaults]\nsize = \"32x32\"\n[[shot]]\nmodel = \"models/windmill.glb\"\n{rest}");
    let world = World::blessed(&every("clip = \"*\"\ntime = [\"0%\", \"50%\"]"));
    assert_eq!(
        world.names("report"),
        [
            "windmill-turn-t0pct",
            "windmill-turn-t50pct",
            "windmill-yaw-t0pct",
            "windmill-yaw-t50pct",
            "windmill-gust-t0pct",
            "windmill-gust-t50pct"
        ]
    );
    let command = world.shots("report")[3]["command"].clone();
    assert!(command.as_str().is_some_and(|text| text.contains("--clip=yaw --time=50%")), "{command}");
    let denied = world.test(&["--deny", "uncovered"]);
    let hare = format!("uncovered .{0}models{0}hare.glb has no shot", std::path::MAIN_SEPARATOR);
    assert!(denied.code == Some(1) && denied.stdout.contains(&hare), "{}", denied.report());
    assert!(denied.stderr.contains("1 model or clip without a shot"), "{}", denied.report());
    std::fs::write(world.path("suite.toml"), every("clip = \"yaw\"")).expect("a suite");
    std::fs::remove_file(world.path("models/hare.glb")).expect("the model");
    let denied = world.test(&["--update", "--deny", "uncovered", "--deny", "obsolete"]);
    assert!(
        denied.code == Some(1) && denied.stdout.contains("windmill.glb: clip `gust` has no shot"),
        "{}",
        denied.report()
    );
    assert_eq!(world.test(&["--deny", "obsolete", "--prune"]).code, Some(0));
}

#[test]
fn obsolete_goldens_are_denied_and_pruned() {
    let world = World::blessed(SUITE);
    let suite = SUITE.replace("name = \"hare\"", "name = \"rabbit\"");
    std::fs::write(world.path("suite.toml"), suite).expect("a suite");
    world.test(&["--update"]);
    RgbaImage::new(4, 4).save(world.golden("texture")).expect("a texture");
    for (part, report) in [("1/2", "part-1"), ("2/2", "part-2")] {
        let part = run(&world, &["suite.toml", "--shard", part, "-o", report, "--deny", "obsolete"]);
        assert!(part.code == Some(1) && part.stderr.contains("2 obsolete goldens"), "{}", part.report());
    }
    let merged = run(&world, &["--merge", "part-1", "part-2", "-o", "all"]);
    assert!(merged.code == Some(0) && merged.stdout.matches("obsolete hare.png").count() == 1, "{}", merged.report());
    let merged = run(&world, &["--merge", "part-1", "part-2", "-o", "all", "--deny", "obsolete"]);
    assert_eq!(merged.code, Some(1), "{}", merged.report());

    let listed = world.test(&["--prune", "--dry-run"]);
    assert!(listed.stdout.contains("to delete hare.png") && world.golden("hare").exists(), "{}", listed.report());
    let pruned = world.test(&["--prune", "--shard", "1/2"]);
    assert!(pruned.code == Some(0) && pruned.stdout.contains("deleted  hare.png"), "{}", pruned.report());
    assert!(pruned.stdout.contains("obsolete texture.png"), "{}", pruned.report());
    assert!(!world.golden("hare").exists() && world.golden("texture").exists() && world.golden("rabbit").exists());
}

#[test]
fn untrusted_suites_stay_in_their_folder_and_within_the_limits() {
    let world = World::blessed(SUITE);
    let passed = world.test(&["--untrusted"]);
    assert_eq!(passed.code, Some(0), "{}", passed.report());
    std::fs::create_dir(world.path("inner")).expect("a folder");
    std::fs::copy(world.path("models/hare.glb"), world.path("inner/hare.glb")).expect("a model");
    #[cfg(unix)]
    std::os::unix::fs::symlink(world.path("models/hare.glb"), world.path("inner/link.glb")).expect("a link");
    for (line, message) in [
        ("model = \"hare.glb\"\nlimit = \"images=4G\"", "a suite cannot raise the limit `images`"),
        ("model = \"hare.glb\"\nallow-external-files = true", "a suite cannot allow external files"),
        ("model = \"../models/hare.glb\"", "../models/hare.glb is outside the suite's folder"),
        ("model = \"hare.glb\"\nmore-models = \"/etc/passwd\"", "/etc/passwd is outside the suite's folder"),
        ("model = \"hare.glb\"\nenvironment = \"/etc/passwd\"", "/etc/passwd is outside the suite's folder"),
        ("model = \"hare.glb\"\nmask = \"../mask.png\"", "../mask.png is outside the suite's folder"),
        #[cfg(unix)]
        ("model = \"*.glb\"", "link.glb is outside the suite's folder"),
    ] {
        std::fs::write(world.path("inner/suite.toml"), format!("[[shot]]\n{line}\n")).expect("a suite");
        let refused = run(&world, &["inner/suite.toml", "--untrusted", "-o", "report"]);
        assert_eq!(refused.code, Some(2), "{}", refused.report());
        assert!(refused.stderr.contains(message), "{message}: {}", refused.report());
        assert!(refused.stderr.contains("inner/suite.toml: line 1: --untrusted: "), "{}", refused.report());
    }
    #[cfg(unix)]
    {
        std::fs::rename(world.golden("hare"), world.path("golden.png")).expect("a golden");
        std::os::unix::fs::symlink(world.path("golden.png"), world.golden("hare")).expect("a link");
        assert_eq!(world.test(&[]).code, Some(0));
        let refused = world.test(&["--untrusted"]);
        assert!(refused.code == Some(1) && refused.stdout.contains("it is a link"), "{}", refused.report());
    }
}

#[test]
fn two_images_are_compared_like_goldens() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let image = |name: &str, change: &[(u32, u32, u8)]| {
        let mut image = RgbaImage::from_pixel(32, 16, image::Rgba([100, 120, 140, 255]));
        change.iter().for_each(|(x, y, red)| image.get_pixel_mut(*x, *y).0[0] = *red);
        image.save(folder.path().join(name)).expect("an image");
    };
    image("a.png", &[]);
    image("b.png", &[(3, 4, 200), (20, 9, 0)]);
    RgbaImage::new(8, 8).save(folder.path().join("small.png")).expect("an image");
    std::fs::write(folder.path().join("text.png"), "text").expect("a file");
    for (words, code, expected) in [
        (&["a.png", "a.png"][..], 0, "equal\n"),
        (
            &["a.png", "b.png"],
            1,
            "max-channel-diff 100 > 2, changed-pixels 0.00391 > 0.0001; 2 pixels differ, within 18 x 6",
        ),
        (&["a.png", "b.png", "--tolerance", "pixels=2"], 0, "within the tolerances: 2 pixels differ, by at most 100"),
        (&["a.png", "b.png", "--tolerance", "pixels=1"], 1, "pixels 2 > 1"),
        (&["a.png", "b.png", "--mask", "0,0,8,8", "--mask", "0.5,0.5,0.5,0.5"], 0, "equal\n"),
        (&["a.png", "b.png", "--mask", "0,0,8,8", "--json"], 1, "\"masked_pixels\": 64"),
        (&["a.png", "small.png"], 1, "has 32 x 16 pixels, the image 8 x 8"),
        (&["a.png", "no.png"], 2, "cannot compare: no.png: cannot be read: "),
        (&["no.png", "a.png"], 2, "cannot compare: no.png: cannot be read: it does not exist"),
        (&["text.png", "a.png"], 2, "cannot compare: text.png: cannot be read: "),
        (&["a.png", "b.png", "-o", "a.png"], 2, "this is an input file"),
        (&["a.png", "b.png", "--mask", "1,2,3"], 2, "expected a PNG file, or left, top, width and height"),
        (&["a.png", "b.png", "--tolerance", "pixels=0.5"], 2, "pixels takes a number of pixels"),
        (&["a.png", "b.png", "--tolerance", "pixel=5"], 2, "expected max-channel-diff, "),
    ] {
        let run = rigview_in(folder.path(), &[&["compare"], words].concat());
        let text = format!("{}{}", run.stdout, run.stderr);
        assert!(run.code == Some(code) && text.contains(expected), "{expected}: {}", run.report());
    }
    // A screenshot records its renderer, an edited copy does not.
    let hare = format!("{}/assets/hare.glb", env!("CARGO_MANIFEST_DIR"));
    let run = rigview_in(folder.path(), &["shot", hare.as_str(), "--size", "64x48", "-o", "shot.png"]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    let mut edited = image::open(folder.path().join("shot.png")).expect("an image").to_rgba8();
    edited.get_pixel_mut(0, 0).0 = [255, 0, 0, 255];
    edited.save(folder.path().join("edited.png")).expect("an image");
    for words in [["compare", "shot.png", "edited.png"], ["compare", "edited.png", "shot.png"]] {
        let run = rigview_in(folder.path(), &words);
        let expected = "1 pixel differs, within 1 x 1 pixels at (0, 0); no renderer is recorded";
        assert!(run.code == Some(1) && run.stdout.contains(expected), "{}", run.report());
    }
    let run = rigview_in(folder.path(), &["compare", "a.png", "b.png", "-o", "diff.png"]);
    assert!(run.code == Some(1) && run.stderr == "error: a.png and b.png differ\n", "{}", run.report());
    let difference = image::open(folder.path().join("diff.png")).expect("an image").to_rgba8();
    assert!(difference.get_pixel(3, 4).0 != difference.get_pixel(4, 4).0 && difference.dimensions() == (32, 16));
}

#[test]
fn reports_match_their_published_schemas() {
    let (world, _) = changed_world();
    let hare =
        "name = \"hare\"\nlimits = { pixels = 1, reason = \"fur\" }\nmask = [0, 0, 1, 1]\nexpect-failure = \"ears\"";
    let more = "\n[[shot]]\nname = \"no\"\nmodel = \"no.glb\"\n[[shot]]\nname = \"later\"\nmodel = \"no.glb\"\nskip = \"ears\"\n";
    std::fs::write(world.path("suite.toml"), SUITE.replace("name = \"hare\"", hare) + more).expect("a suite");
    let report = schema("report.json");
    let mut statuses = std::collections::BTreeSet::new();
    for words in [&[][..], &["--update=missing", "--shard", "1/1"], &["--prune"]] {
        world.test(words);
        let text = std::fs::read_to_string(world.path("report/report.jsonl")).expect("a report");
        for line in text.lines() {
            let line: Value = serde_json::from_str(line).expect("JSON");
            validate(&report, &line, "").unwrap_or_else(|error| panic!("{error}"));
            statuses.extend(line["status"].as_str().map(str::to_owned));
        }
    }
    assert_eq!(statuses.into_iter().collect::<Vec<_>>(), ["changed", "error", "expected", "new", "passed", "skipped"]);
    let mut line: Value = serde_json::json!({ "kind": "shot" });
    assert!(validate(&report, &line, "").is_err());
    line["kind"] = "other".into();
    assert!(validate(&report, &line, "").is_err());

    let check = schema("check.json");
    for model in ["hare.glb", "windmill.glb"] {
        let output = run_command(&world, &["check", &format!("models/{model}"), "--json"]);
        let output: Value = serde_json::from_str(&output.stdout).expect("JSON");
        validate(&check, &output, "").unwrap_or_else(|error| panic!("{error}"));
        assert!(output["issues"].as_array().is_some_and(|issues| !issues.is_empty()));
    }
}

fn run_command(world: &World, words: &[&str]) -> Output {
    rigview_in(world.0.path(), words)
}

#[test]
fn time_limits_of_run_and_shot_fail() {
    let world = World::blessed(SUITE);
    let passed = world.test(&["--timeout", "1000", "--shot-timeout", "1000"]);
    assert_eq!(passed.code, Some(0), "{}", passed.report());
    let stopped = world.test(&["--timeout", "0"]);
    assert!(stopped.code == Some(3), "{}", stopped.report());
    assert!(stopped.stderr.contains("time limit of 0 s is exceeded: 5 of 5 shots did not run"), "{}", stopped.report());
    assert!(world.junit().iter().all(|case| case.result.as_deref() == Some("error")));
    let slow = world.test(&["--shot-timeout", "0"]);
    assert!(
        slow.code == Some(3) && slow.stdout.contains("error    hare: loading and rendering took"),
        "{}",
        slow.report()
    );
}

#[test]
fn changed_key_changes_only_the_shots_of_its_time() {
    let world =
        World::new("[defaults]\nsize = \"96x96\"\n[[shot]]\nmodel = \"models/arm.glb\"\ntime = [0, 0.5, 1.7]\n");
    let write = |degrees_of_last_key: f64| {
        let mut rig = rigs::arm().rig;
        let half = (0.5 * degrees_of_last_key).to_radians();
        let input = rig.floats("SCALAR", &[0.0, 1.0, 2.0]);
        let quarter = std::f64::consts::FRAC_1_SQRT_2;
        let last = [0.0, 0.0, half.sin(), half.cos()];
        let output = rig.floats("VEC4", &[[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, quarter, quarter], last].concat());
        rig.object("animations", 0)["samplers"][0] = serde_json::json!({"input": input, "output": output});
        rig.write_glb(&world.path("models"), "arm");
    };
    write(0.0);
    assert_eq!(world.test(&["--update"]).code, Some(0));
    let unchanged = world.test(&[]);
    assert!(unchanged.code == Some(0) && unchanged.stderr.is_empty(), "{}", unchanged.report());
    write(-170.0);
    let run = world.test(&[]);
    assert!(run.code == Some(1) && run.stdout.contains("2 passed, 1 changed"), "{}", run.report());
    assert!(run.stdout.contains("changed  arm-t1.7: "), "{}", run.report());
    assert!(run.stderr.contains("the automatic camera would move in arm-t0 and 2 more"), "{}", run.report());
    // Other options have another framing.
    let suite = std::fs::read_to_string(world.path("suite.toml")).expect("a suite");
    std::fs::write(world.path("suite.toml"), suite.replace("[[shot]]", "exposure = 0.5\n[[shot]]")).expect("a suite");
    let run = world.test(&[]);
    assert!(run.stdout.contains("3 changed") && !run.stderr.contains("automatic camera"), "{}", run.report());
    std::fs::write(world.path("suite.toml"), suite).expect("a suite");
    // --update moves the camera of all shots.
    let run = world.test(&["--update"]);
    assert!(run.code == Some(0) && run.stderr.contains("3 goldens written"), "{}", run.report());
    let run = world.test(&[]);
    assert!(run.code == Some(0) && !run.stderr.contains("automatic camera"), "{}", run.report());
}

/// A shot that takes minutes, between two that take no time.
const SLOW_SUITE: &str = r#"
[[shot]]
name = "first"
model = "models/hare.glb"
size = "48x32"

[[shot]]
name = "slow"
model = "models/windmill.glb"
size = "1600x1200"
quality = "high"
samples = 4096

[[shot]]
name = "last"
model = "models/hare.glb"
time = 0.5
size = "48x32"
"#;

/// Status and message of each shot in the report, which has a page and a JUnit report.
fn statuses(world: &World) -> Vec<(String, String, String)> {
    assert!(world.path("report/report.html").is_file() && world.junit().len() == 3);
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let shots = world.shots("report");
    shots.iter().map(|shot| (text(&shot["name"]), text(&shot["status"]), text(&shot["message"]))).collect()
}

#[test]
fn slow_shot_is_ended_by_its_limit_and_others_run() {
    let world = World::new(SLOW_SUITE);
    let run = world.test(&["--shot-timeout", "3"]);
    assert_eq!(run.code, Some(3), "{}", run.report());
    let found = statuses(&world);
    let status: Vec<_> = found.iter().map(|(name, status, _)| (name.as_str(), status.as_str())).collect();
    assert_eq!(status, [("first", "new"), ("slow", "error"), ("last", "new")], "{}", run.report());
    assert!(found[1].2.contains("of 4096 draws: the time limit of the shot"), "{}", found[1].2);
}

#[test]
fn run_that_is_out_of_time_names_the_slow_shot() {
    let world = World::new(SLOW_SUITE);
    let run = world.test(&["--timeout", "4"]);
    assert_eq!(run.code, Some(3), "{}", run.report());
    let found = statuses(&world);
    assert!(found.iter().any(|(name, status, _)| name == "slow" && status == "error"), "{}", run.report());
    assert!(run.stdout.contains("error    slow: stopped after "), "{}", run.report());
}

#[cfg(unix)]
#[test]
fn stopped_run_reports_its_results_and_names_the_current_shot() {
    let world = World::new(SLOW_SUITE);
    for signal in ["TERM", "INT"] {
        let mut command = std::process::Command::new(crate::support::run::program());
        command.args(["test", "suite.toml", "-o", "report"]).current_dir(world.0.path());
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
        let child = command.spawn().expect("a run");
        // The former report is deleted when the run starts.
        let started = std::time::Instant::now();
        let is_slow = || {
            let lines = std::fs::read_to_string(world.path("report/report.jsonl")).unwrap_or_default();
            let begun = lines.contains("{\"kind\":\"begun\",\"name\":\"slow\"}");
            begun && !world.path("report/report.html").exists()
        };
        while !is_slow() && started.elapsed().as_secs() < 60 {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let pid = child.id().to_string();
        std::process::Command::new("kill").args([&format!("-{signal}"), &pid]).status().expect("a signal");
        let run = child.wait_with_output().expect("its end");
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.code() == Some(130) && stderr.contains("the run was stopped, during slow"), "{stderr}");
        let found = statuses(&world);
        assert!(found.iter().any(|(name, status, _)| name == "slow" && status == "error"), "{found:?}");
    }
}

#[test]
fn part_without_shots_is_a_notice_and_merges() {
    let world = World::blessed("[[shot]]\nname = \"hare\"\nmodel = \"models/hare.glb\"\nsize = \"48x32\"\n");
    let parts =
        ["1/2", "2/2"].map(|part| run(&world, &["suite.toml", "--shard", part, "-o", &format!("part-{}", &part[..1])]));
    assert!(parts.iter().all(|part| part.code == Some(0)), "{parts:?}");
    let [empty] = parts.iter().filter(|part| part.stdout.contains(": 0 passed")).collect::<Vec<_>>()[..] else {
        panic!("{parts:?}")
    };
    assert!(empty.stderr.contains("has no shots") && empty.stdout.ends_with(" s\n"), "{}", empty.report());
    for order in [["part-1", "part-2"], ["part-2", "part-1"]] {
        let merged = run(&world, &["--merge", order[0], order[1], "-o", "all"]);
        assert!(merged.code == Some(0) && !merged.stdout.contains("several renderers"), "{}", merged.report());
        assert!(merged.stdout.contains(" s on "), "{}", merged.report());
    }
}
