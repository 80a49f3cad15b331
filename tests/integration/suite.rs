//! `rigview test` through the program.

use crate::support::reports::junit_cases;
use crate::support::run::{rigview_in, rigview_with, watched};
use crate::support::suite_world::World;
use image::RgbaImage;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
#[cfg(unix)]
use tempfile::TempDir;

const SUITE: &str = r#"
[defaults]
size = "96x64"

[[shot]]
name = "mill"
model = "models/windmill.glb"
time = [0, 1, 2.5]
clip = ["none", "yaw"]

[[shot]]
name = "hare"
model = "models/*.glb"
background = ["transparent", [0.1, 0.2, 0.3]]
samples = 1
"#;

/// Six shots of the mill; two models of the hare with two backgrounds each.
const SHOTS: usize = 10;

#[test]
fn suite_passes_repeatedly() {
    let world = World::blessed(SUITE);
    let goldens = std::fs::read_dir(world.path("goldens")).expect("goldens").count();
    assert_eq!(goldens, SHOTS);
    for jobs in ["1", "4"] {
        let run = world.test(&["--jobs", jobs]);
        assert!(run.code == Some(0) && run.stderr.is_empty(), "{}", run.report());
        assert!(run.stdout.starts_with("suite.toml: 10 passed; "), "{}", run.report());
        let shots = world.shots("report");
        assert_eq!(shots.len(), SHOTS);
        for shot in shots {
            assert_eq!(
                (&shot["measures"]["max_channel_diff"], &shot["same_driver"]),
                (&0.into(), &true.into()),
                "{shot}"
            );
        }
    }
}

#[test]
fn suite_shot_matches_shot_command() {
    let world = World::blessed(SUITE);
    for shot in world.shots("report").iter().step_by(3) {
        let command = shot["command"].as_str().expect("a command");
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        let run = rigview_in(world.0.path(), &words);
        assert_eq!(run.code, Some(0), "{}", run.report());
        let golden = world.golden(shot["name"].as_str().expect("a name"));
        let [alone, golden] =
            [world.path("OUT.png"), golden].map(|file| image::open(file).expect("an image").to_rgba8());
        assert!(alone == golden, "{command}");
    }
}

#[test]
fn changed_and_missing_goldens_and_models_are_reported() {
    let world = World::blessed(SUITE);
    world.edit("mill-none-t1", |image| image.get_pixel_mut(40, 30).0[0] ^= 0x40);
    world.edit("hare-hare-background-transparent", |image| *image = RgbaImage::new(96, 65));
    std::fs::remove_file(world.golden("mill-yaw-t2.5")).expect("a golden");
    std::fs::write(world.golden("mill-yaw-t0"), "not an image").expect("a golden");
    std::fs::write(world.golden("former"), "").expect("a file");
    let run = world.test(&[]);
    assert_eq!(run.code, Some(1), "{}", run.report());
    for line in [
        "changed  mill-none-t1: max-channel-diff 64 > 2, changed-pixels 0.000163 > 0.0001; 1 pixel differs, within 1 x 1 pixels at (40, 30)",
        "changed  hare-hare-background-transparent: the golden has 96 x 65 pixels, the image 96 x 64",
        "changed  mill-yaw-t0: the golden cannot be read",
        "new      mill-yaw-t2.5: no golden yet",
        "obsolete former.png",
        "6 passed, 3 changed, 1 new;",
    ] {
        assert!(run.stdout.contains(line), "{line}\n{}", run.report());
    }
    let images = |kind: &str| world.path(&format!("report/images/mill-none-t1-{kind}.png"));
    for kind in ["actual", "golden", "difference", "side-by-side", "thumbnail"] {
        image::open(images(kind)).unwrap_or_else(|error| panic!("{kind}: {error}"));
    }

    // What is blessed is what was drawn, and the next run passes and takes its predecessor's images away.
    let run = world.test(&["--update"]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    assert!(run.stdout.contains("written  mill-yaw-t2.5: new"), "{}", run.report());
    assert!(run.stderr.contains("4 goldens written"), "{}", run.report());
    let run = world.test(&[]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    assert!(!images("actual").exists() && images("thumbnail").exists());
}

#[test]
fn unrenderable_model_exits_3_and_is_not_updated() {
    let suite =
        format!("{SUITE}\n[[shot]]\nname = \"lost\"\nmodel = [\"no.glb\", \"models/hare.glb\"]\nclip = \"run\"\n");
    let world = World::new(&suite);
    let run = world.test(&["--update"]);
    assert_eq!(run.code, Some(3), "{}", run.report());
    assert!(run.stdout.contains("error    lost-no: ./no.glb: cannot read the file"), "{}", run.report());
    assert!(run.stdout.contains("error    lost-hare: ./models/hare.glb: has no clip `run`"), "{}", run.report());
    assert!(!world.golden("lost-no").exists() && world.golden("mill-none-t0").exists());
    let run = world.test(&[]);
    assert_eq!(run.code, Some(3), "{}", run.report());
    assert_eq!((world.status("lost-no").as_str(), world.status("mill-none-t0").as_str()), ("error", "passed"));
}

#[test]
fn missing_renderer_exits_3() {
    let world = World::new(SUITE);
    let suite = world.path("suite.toml").display().to_string();
    let report = world.path("report").display().to_string();
    let run = rigview_with(&[("RIGVIEW_EGL_DEVICE", "99")], &["test", &suite, "-o", &report]);
    assert_eq!(run.code, Some(3), "{}", run.report());
    assert!(run.stderr.starts_with("error: cannot test: RIGVIEW_EGL_DEVICE is \"99\""), "{}", run.report());
}

#[cfg(unix)]
#[test]
fn pipe_is_no_suite() {
    let world = World::new("");
    assert!(std::process::Command::new("mkfifo").arg(world.path("pipe")).status().expect("mkfifo").success());
    let run = rigview_in(world.0.path(), &["test", "pipe"]);
    let message = "error: pipe: cannot be read: it is not a regular file";
    assert!(run.code == Some(2) && run.stderr.starts_with(message), "{}", run.report());
}

#[test]
fn shards_cover_suite_and_merge() {
    let world = World::blessed(SUITE);
    world.edit("mill-none-t1", |image| image.pixels_mut().for_each(|p| p.0.swap(0, 2)));
    let mut names = BTreeSet::new();
    for part in ["1/3", "2/3", "3/3"] {
        let report = format!("part-{}", &part[..1]);
        let run = rigview_in(world.0.path(), &["test", "suite.toml", "--shard", part, "-o", &report]);
        assert!(run.stdout.contains(&format!("(part {part} of 10 shots)")), "{}", run.report());
        for name in world.names(&report) {
            assert!(names.insert(name.clone()), "{name} is in two parts");
        }
    }
    let whole = world.test(&[]);
    assert_eq!(whole.code, Some(1), "{}", whole.report());
    assert_eq!(names, world.names("report").into_iter().collect());
    let run = rigview_in(world.0.path(), &["test", "--merge", "part-1", "part-2", "part-3", "-o", "all"]);
    assert_eq!(run.code, Some(1), "{}", run.report());
    assert!(run.stdout.contains("9 passed, 1 changed;"), "{}", run.report());
    assert_eq!(world.names("all"), world.names("report"), "in the order of the suite");
    assert!(world.path("all/images/mill-none-t1-difference.png").exists());
    let run = rigview_in(world.0.path(), &["test", "--merge", "part-1", "part-3", "-o", "all"]);
    assert!(run.code == Some(3) && run.stderr.contains("shards are missing: 2/3"), "{}", run.report());
    let found = [world.names("part-1"), world.names("part-3")].concat().into_iter().collect::<BTreeSet<_>>();
    assert_eq!(world.names("all").into_iter().collect::<BTreeSet<_>>(), found, "those of the other shards");
    assert!(run.stdout.contains(&format!("{} not run;", SHOTS - found.len())), "{}", run.report());
    let run = rigview_in(world.0.path(), &["test", "--merge", "part-1", "part-1", "-o", "all"]);
    assert_eq!(run.code, Some(2), "{}", run.report());
}

#[test]
fn filter_selects_shots_and_fail_fast_stops() {
    let world = World::blessed(SUITE);
    world.test(&["--filter", "yaw", "--filter", "hare-hare-*"]);
    let chosen = ["mill-yaw-t0", "mill-yaw-t1", "mill-yaw-t2.5"];
    let hares = ["hare-hare-background-transparent", "hare-hare-background-0.1_0.2_0.3"];
    assert_eq!(world.names("report"), [&chosen[..], &hares].concat());
    for name in chosen {
        std::fs::remove_file(world.golden(name)).expect("a golden");
    }
    let run = world.test(&["--fail-fast"]);
    assert_eq!(run.code, Some(1), "{}", run.report());
    assert_eq!(world.names("report").last().map(String::as_str), Some("mill-yaw-t0"));
    assert!(run.stdout.contains("3 passed, 1 new, 6 not run;"), "{}", run.report());
    let results: Vec<_> = world.junit().into_iter().map(|case| case.result.unwrap_or_default()).collect();
    assert_eq!(results, [&[""; 3][..], &["failure"], &["error"; 6]].concat());
}

#[test]
fn failed_run_leaves_no_former_report() {
    let world = World::blessed(SUITE);
    let reports = || ["report.html", "report.jsonl"].map(|file| world.path("report").join(file).exists());
    let suite = world.path("suite.toml").display().to_string();
    let report = world.path("report").display().to_string();
    assert_eq!((reports(), world.junit().len()), ([true; 2], SHOTS));
    let run = rigview_with(&[("RIGVIEW_EGL_DEVICE", "99")], &["test", &suite, "-o", &report]);
    assert!(run.code == Some(3) && reports() == [false, true] && world.names("report").is_empty(), "{}", run.report());
    let cases = world.junit();
    assert!(cases.len() == SHOTS && cases.iter().all(|case| case.result.as_deref() == Some("error")), "{cases:?}");

    assert_eq!(world.test(&[]).code, Some(0));
    std::fs::write(world.path("suite.toml"), "[[shot").expect("a suite");
    let run = world.test(&[]);
    assert!(run.code == Some(2) && reports() == [false; 2], "{}", run.report());
    assert!(!world.path("report/images/mill-none-t0-thumbnail.png").exists());
    let cases = world.junit();
    assert!(cases.len() == 1 && cases[0].result.as_deref() == Some("error"), "{cases:?}");
}

#[test]
fn incomplete_and_different_parts_do_not_merge() {
    let world = World::blessed(SUITE);
    let part = |number: u32| {
        let (shard, report) = (format!("{number}/2"), format!("part-{number}"));
        let run = rigview_in(world.0.path(), &["test", "suite.toml", "--shard", &shard, "-o", &report]);
        assert_eq!(run.code, Some(0), "{}", run.report());
    };
    let merge = || rigview_in(world.0.path(), &["test", "--merge", "part-1", "part-2", "-o", "report"]);
    (1..=2).for_each(part);
    assert_eq!(merge().code, Some(0));

    let lines = std::fs::read_to_string(world.path("part-2/report.jsonl")).expect("a report");
    let cut = lines.trim_end().rsplit_once('\n').expect("several lines").0;
    std::fs::write(world.path("part-2/report.jsonl"), cut).expect("a report");
    let run = merge();
    assert!(run.code == Some(3) && run.stderr.contains("part-2: has "), "{}", run.report());
    assert!(
        world.path("report/report.html").exists() && run.stdout.contains("8 passed, 2 not run;"),
        "{}",
        run.report()
    );
    let results: Vec<_> = world.junit().into_iter().map(|case| case.result.unwrap_or_default()).collect();
    assert_eq!(results, [&[""; 8][..], &["error"]].concat(), "a missing part fails the report");

    let own = env!("CARGO_PKG_VERSION");
    let other = lines.replace(&format!("\"rigview\":\"{own}\""), "\"rigview\":\"0.0.1\"");
    std::fs::write(world.path("part-2/report.jsonl"), other).expect("a report");
    let run = merge();
    assert!(run.code == Some(2) && run.stderr.contains("is from rigview 0.0.1"), "{}", run.report());

    let loose = format!("[limits]\nchanged-pixels = 1\nreason = \"a test\"\n{SUITE}");
    std::fs::write(world.path("suite.toml"), loose).expect("a suite");
    part(2);
    let run = merge();
    assert!(run.code == Some(2) && run.stderr.contains("another version"), "{}", run.report());
}

#[cfg(unix)]
#[test]
fn report_does_not_follow_links() {
    use std::os::unix::fs::symlink;
    let world = World::blessed("[[shot]]\nname = \"hare\"\nmodel = \"models/hare.glb\"\nsize = \"32x32\"\n");
    let outside = TempDir::new().expect("a folder");
    let victim = outside.path().join("victim");
    let mine = || assert_eq!(std::fs::read(&victim).expect("a file"), b"mine");
    std::fs::write(&victim, "mine").expect("a file");

    // An image that a former report does not list.
    std::fs::remove_dir_all(world.path("report")).expect("a report");
    std::fs::create_dir_all(world.path("report/images")).expect("a folder");
    symlink(&victim, world.path("report/images/hare-thumbnail.png")).expect("a link");
    let run = world.test(&[]);
    assert!(run.code == Some(2) && run.stderr.contains("a report contains no links"), "{}", run.report());
    mine();

    std::fs::remove_dir_all(world.path("report")).expect("a report");
    std::fs::create_dir(world.path("report")).expect("a folder");
    symlink(outside.path(), world.path("report/images")).expect("a link");
    let run = world.test(&[]);
    assert!(run.code == Some(2) && run.stderr.contains("a report contains no links"), "{}", run.report());
    std::fs::remove_file(world.path("report/images")).expect("the link");
    for file in ["report.html", "report.jsonl", "junit.xml"] {
        symlink(&victim, world.path("report").join(file)).expect("a link");
    }
    let run = world.test(&[]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    mine();

    std::fs::rename(world.path("report/report.jsonl"), world.path("lines")).expect("a report");
    symlink(world.path("lines"), world.path("report/report.jsonl")).expect("a link");
    let run = rigview_in(world.0.path(), &["test", "--merge", "report", "-o", "all"]);
    assert!(run.code == Some(2) && run.stderr.contains("contains no links"), "{}", run.report());
}

#[test]
fn hostile_goldens_are_reported_in_few_words() {
    let world = World::blessed("[[shot]]\nname = \"hare\"\nmodel = \"models/hare.glb\"\nsize = \"32x32\"\n");
    let golden = std::fs::read(world.golden("hare")).expect("a golden");
    // The signature and a header of 16384 x 16384 pixels, which end there.
    let mut large = golden[..33].to_vec();
    large[16..24].copy_from_slice(&[0, 0, 0x40, 0, 0, 0, 0x40, 0]);
    let crc = crc32(&large[12..29]);
    large[29..33].copy_from_slice(&crc.to_be_bytes());
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
    for (bytes, message) in [
        (&large[..], "the golden has 16384 x 16384 pixels, the image 32 x 32"),
        (pointer, "the golden cannot be read: it is a pointer of Git LFS; run git lfs pull"),
    ] {
        std::fs::write(world.golden("hare"), bytes).expect("a golden");
        let run = world.test(&[]);
        assert!(run.code == Some(1) && run.stdout.contains(message), "{}", run.report());
    }
}

#[test]
fn shot_limits_with_reason_apply() {
    let limits = "limits = { max-channel-diff = 255, changed-pixels = 1, reason = \"the artist is at it\" }";
    let world = World::blessed(&SUITE.replace("name = \"hare\"", &format!("name = \"hare\"\n{limits}")));
    for name in ["mill-none-t0", "hare-hare-background-transparent"] {
        world.edit(name, |image| image.pixels_mut().for_each(|p| p.0.swap(0, 2)));
    }
    let run = world.test(&[]);
    assert_eq!(run.code, Some(1), "{}", run.report());
    assert_eq!(world.status("mill-none-t0"), "changed");
    assert_eq!(world.status("hare-hare-background-transparent"), "passed");
}

#[test]
fn reports_are_well_formed_and_self_contained() {
    let world = World::blessed(SUITE);
    world.edit("mill-none-t1", |image| image.pixels_mut().for_each(|p| p.0.swap(0, 2)));
    std::fs::rename(world.path("suite.toml"), world.path("a<b>&'c.toml")).expect("a name");
    let run = rigview_in(world.0.path(), &["test", "a<b>&'c.toml", "-o", "report"]);
    assert_eq!(run.code, Some(1), "{}", run.report());

    let junit = std::fs::read_to_string(world.path("report/junit.xml")).expect("a report");
    let cases = junit_cases(&junit);
    assert_eq!(cases.len(), SHOTS);
    let failed: Vec<_> = cases.iter().filter(|case| case.result.is_some()).collect();
    assert!(failed.len() == 1 && failed[0].name == "mill-none-t1" && failed[0].result.as_deref() == Some("failure"));
    assert!(failed[0].text.starts_with("rigview shot "), "{}", failed[0].text);
    assert!(junit.contains("name=\"a&lt;b&gt;&amp;'c.toml\""), "{junit}");
    assert!(junit.contains("[[ATTACHMENT|report/images/mill-none-t1-side-by-side.png]]"), "{junit}");
    assert!(junit.contains("file=\"a&lt;b&gt;&amp;'c.toml\" line=\"5\" time="), "{junit}");
    assert!(junit.contains("timestamp=\"20") && junit.contains("\" hostname=\""), "{junit}");

    let page = std::fs::read_to_string(world.path("report/report.html")).expect("a page");
    for outside in ["http:", "https:", "//cdn", "src=\"", "href=", "@import", "url(", "fetch("] {
        assert!(!page.contains(outside), "the page has {outside}");
    }
    let data = page.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>")).expect("data").0;
    let data: Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(data["run"]["suite"], "a<b>&'c.toml");
    let differing = &data["shots"].as_array().expect("shots")[1];
    for kind in ["golden", "actual", "difference", "thumbnail"] {
        let address = differing["images"][kind].as_str().expect("an image");
        assert!(address.starts_with("data:image/png;base64,"), "{kind}");
    }
}

#[test]
fn large_suite_is_read_in_linear_time() {
    let took = |shots: usize| {
        let table = |i| format!("[[shot]]\nname = \"s{i}\"\nmodel = \"a.glb\"\n");
        let world = World::new(&(0..shots).map(table).collect::<String>());
        let arguments = ["test", "suite.toml", "--filter", "none", "-o", "report"];
        let run = watched(world.0.path(), &[], &arguments, std::time::Duration::from_secs(120));
        assert_eq!(run.output.code, Some(2), "{}", run.output.report());
        run.took
    };
    // Four times as many shots take 13 times as long in quadratic time.
    let (few, many) = (took(2_000), took(8_000));
    assert!(many < few * 8, "{few:?}, {many:?}");
}

#[test]
fn golden_of_other_renderer_uses_perceptual_tolerances() {
    let world = World::blessed("[[shot]]\nname = \"hare\"\nmodel = \"models/hare.glb\"\nsize = \"96x64\"\n");
    let golden = world.golden("hare");
    let bytes = std::fs::read(&golden).expect("a golden");
    let text = b"GL renderer\0\0\0\0\0";
    let at = bytes.windows(text.len()).position(|window| window == text).expect("the chunk of the renderer");
    let size = u32::from_be_bytes(bytes[at - 8..at - 4].try_into().expect("four bytes")) as usize;
    // Replaces the renderer's name and recomputes the checksum of the text chunk.
    let mut other = bytes.clone();
    other[at + text.len()..at + size].fill(b'x');
    let crc = crc32(&other[at - 4..at + size]);
    other[at + size..at + size + 4].copy_from_slice(&crc.to_be_bytes());
    std::fs::write(&golden, &other).expect("the golden");
    let run = world.test(&[]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    assert_eq!(world.shots("report")[0]["same_driver"], false);
    assert!(run.stdout.contains("1 passed, 1 with the golden of another renderer;"), "{}", run.report());
    let run = world.test(&["--deny", "other-renderer"]);
    assert!(run.code == Some(1) && run.stdout.contains("rendered by another renderer: xxx"), "{}", run.report());
    // Blessing makes it this renderer's.
    let run = world.test(&["--update"]);
    assert!(run.stdout.contains("unchanged, but rendered by another renderer"), "{}", run.report());
    assert!(std::fs::read(&golden).expect("a golden") == bytes);
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

#[cfg(unix)]
#[test]
fn goldens_are_not_written_through_external_links() {
    let world = World::blessed("[[shot]]\nname = \"hare\"\nmodel = \"models/hare.glb\"\nsize = \"32x32\"\n");
    let outside = TempDir::new().expect("a folder");
    let victim = outside.path().join("victim");
    std::fs::write(&victim, "mine").expect("a file");
    std::fs::remove_file(world.golden("hare")).expect("a golden");
    std::os::unix::fs::symlink(&victim, world.golden("hare")).expect("a link");
    let run = world.test(&["--update"]);
    assert!(run.code == Some(3) && run.stdout.contains("leads out of the suite's folder"), "{}", run.report());
    assert_eq!(std::fs::read(&victim).expect("a file"), b"mine");
}

#[test]
fn starter_suite_runs() {
    let world = World::new("");
    std::fs::remove_file(world.path("suite.toml")).expect("the suite");
    let run = rigview_in(world.0.path(), &["test", "--init", "models/hare.glb", "models/windmill.glb"]);
    assert!(run.code == Some(0) && run.stdout.starts_with("suite.toml: "), "{}", run.report());
    let text = std::fs::read_to_string(world.path("suite.toml")).expect("a suite");
    std::fs::write(world.path("suite.toml"), text.replace("640x360", "64x36")).expect("a suite");
    assert_eq!(world.test(&["--update"]).code, Some(0));
    assert_eq!(world.test(&[]).code, Some(0));
    let inside = Path::new("models/first.toml");
    let run = rigview_in(world.0.path(), &["test", "--init=models/first.toml", "models/hare.glb"]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    let text = std::fs::read_to_string(world.path(&inside.to_string_lossy())).expect("a suite");
    assert!(text.contains("model = \"hare.glb\""), "{text}");
}

#[test]
fn starter_suite_takes_folders_and_patterns_and_skips_unreadable_files() {
    let world = World::new("");
    std::fs::remove_file(world.path("suite.toml")).expect("the suite");
    for folder in ["chars/a", "chars/b", "chars/c"] {
        std::fs::create_dir_all(world.path(folder)).expect("a folder");
    }
    let copy = |to: &str| std::fs::copy(world.path("models/hare.glb"), world.path(to)).expect("a model");
    let init = |words: &[&str]| rigview_in(world.0.path(), &[&["test"], words].concat());
    let shots = || {
        let list = rigview_in(world.0.path(), &["test", "suite.toml", "--dry-run"]).stdout;
        let names = list.lines().filter_map(|line| line.strip_prefix("missing  ")?.split_once(':'));
        names.map(|(name, _)| name.split('-').next().unwrap_or_default().to_owned()).collect::<BTreeSet<_>>()
    };
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    copy("chars/a/model.glb");
    copy("chars/b/model.glb");
    std::fs::write(world.path("chars/old.glb"), b"glTF\x01\0\0\0").expect("a file");
    std::fs::write(world.path("chars/notes.txt"), "notes").expect("a file");
    let run = init(&["--init", "chars"]);
    assert!(run.code == Some(0) && run.stdout.contains("1 file skipped"), "{}", run.report());
    assert!(run.stderr.starts_with("notice: skipped: ") && run.stderr.contains("old.glb: "), "{}", run.report());
    assert_eq!(shots(), set(&["a", "b"]));
    let text = std::fs::read_to_string(world.path("suite.toml")).expect("a suite");
    copy("chars/c/model.glb");
    let run = init(&["--init", "chars/*/*.glb", "models/hare.glb"]);
    assert!(run.code == Some(0) && run.stderr.is_empty(), "{}", run.report());
    assert_eq!(shots(), set(&["a", "b", "c", "hare"]));
    let added = std::fs::read_to_string(world.path("suite.toml")).expect("a suite");
    assert!(added.starts_with(&text), "{added}");
    let run = init(&["--init", "chars"]);
    assert!(run.code == Some(0) && run.stdout.starts_with("suite.toml: 0 shots added"), "{}", run.report());
    assert_eq!(std::fs::read_to_string(world.path("suite.toml")).expect("a suite"), added);
    for (words, code, message) in [
        (&["--init=x.toml", "chars/old.glb"][..], 1, "error: chars/old.glb: "),
        (&["--init=x.toml", "*.glb"], 2, "no file matches"),
    ] {
        let run = init(words);
        assert!(run.code == Some(code) && run.stderr.contains(message), "{}", run.report());
        assert!(!world.path("x.toml").exists());
    }
    // One pattern of models with one file name.
    std::fs::write(world.path("suite.toml"), "[[shot]]\nmodel = \"chars/*/model.glb\"\n").expect("a suite");
    assert_eq!(shots(), set(&["a", "b", "c"]));
}

#[test]
fn masked_pixels_are_ignored_and_hatched() {
    let shot = |mask: &str| {
        format!("[[shot]]\nname = \"hare\"\nmodel = \"models/hare.glb\"\nsize = \"48x32\"\nmask = {mask}\n")
    };
    let world = World::blessed(&shot("[]"));
    world.edit("hare", |image| {
        image.get_pixel_mut(3, 2).0[0] ^= 0x80;
        image.get_pixel_mut(40, 30).0[0] ^= 0x80;
    });
    let test = |mask: &str| {
        std::fs::write(world.path("suite.toml"), shot(mask)).expect("a suite");
        world.test(&[])
    };
    let run = test("[0, 0, 8, 8]");
    assert!(run.code == Some(1), "{}", run.report());
    assert!(run.stdout.contains("1 pixel differs, within 1 x 1 pixels at (40, 30)"), "{}", run.report());
    let difference = image::open(world.path("report/images/hare-difference.png")).expect("an image").to_rgba8();
    let stripe = |x: u32, y: u32| difference.get_pixel(x, y).0 == [40, 110, 110, 255];
    assert!(stripe(0, 0) && !stripe(3, 2) && stripe(7, 7) && !stripe(8, 8));
    assert_eq!(world.shots("report")[0]["masked_pixels"], 64);

    let mut mask = RgbaImage::new(48, 32);
    [(3, 2), (40, 30)].iter().for_each(|(x, y)| mask.get_pixel_mut(*x, *y).0 = [255; 4]);
    mask.save(world.path("mask.png")).expect("a mask");
    for mask in ["\"mask.png\"", "[[0, 0, 8, 8], [0.75, 0.75, 0.25, 0.25]]"] {
        let run = test(mask);
        assert_eq!(run.code, Some(0), "{}", run.report());
    }
    RgbaImage::new(48, 33).save(world.path("mask.png")).expect("a mask");
    for (mask, message) in [
        ("\"mask.png\"", "the mask mask.png cannot be read: it has 48 x 33 pixels, the image 48 x 32"),
        ("\"no.png\"", "the mask no.png cannot be read: "),
        ("[0.0, 0.0, 1.0, 1.0]", "the mask covers the whole image"),
    ] {
        let run = test(mask);
        assert!(run.code == Some(3) && run.stdout.contains(message), "{}", run.report());
    }
}

#[test]
fn github_annotations_and_summary_list_the_shots_that_did_not_pass() {
    let world = World::blessed(SUITE);
    world.edit("mill-none-t1", |image| image.pixels_mut().for_each(|pixel| pixel.0.swap(0, 2)));
    let summary = world.path("summary.md");
    let run = |words: &[&str]| {
        std::fs::remove_file(&summary).ok();
        let variables = [
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_WORKSPACE", world.0.path().parent().and_then(Path::to_str).expect("a path")),
            ("GITHUB_STEP_SUMMARY", summary.to_str().expect("a path")),
        ];
        let words = [&["test", "suite.toml", "-o", "report"], words].concat();
        let run = watched(world.0.path(), &variables, &words, std::time::Duration::from_secs(120)).output;
        (run, std::fs::read_to_string(&summary).unwrap_or_default())
    };
    let folder = world.0.path().file_name().and_then(std::ffi::OsStr::to_str).expect("a name");
    let (whole, text) = run(&[]);
    let annotation =
        format!("\n::error file={folder}/suite.toml,line=5,title=mill-none-t1%3A changed::max-channel-diff ");
    assert!(whole.stdout.contains(&annotation), "{annotation}{}", whole.report());
    assert!(
        text.contains("1 of 10 shots did not pass") && text.contains("| changed | mill&#45;none&#45;t1 |"),
        "{text}"
    );
    let (part, text) = run(&["--shard", "1/1"]);
    assert!(!part.stdout.contains("::error") && text.is_empty(), "{}", part.report());
    std::fs::write(world.path("suite.toml"), "[[shot]]\nmodel = \"%\n").expect("a suite");
    let (broken, text) = run(&[]);
    let annotation = format!("::error file={folder}/suite.toml,line=2,title=image tests::suite.toml: line 2: ");
    assert!(broken.code == Some(2) && broken.stdout.starts_with(&annotation), "{annotation}{}", broken.report());
    assert!(text.contains("suite&#46;toml"), "{text}");
}
