//! `rigview test`: runs of several suites, repeated shots, notices and what the report says about a shot.

use crate::support::reports::junit_cases;
use crate::support::run::{Output, rigview_in, watched};
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
fn image_without_its_model_is_a_notice_and_no_golden() {
    let world = World::new(LOOKS_AWAY);
    let run = world.test(&["--update"]);
    assert_eq!(run.code, Some(3), "{}", run.report());
    assert!(world.golden("towards").exists() && !world.golden("away").exists(), "{}", run.report());
    let message = world.shots("report")[0]["message"].as_str().expect("a message").to_owned();
    assert!(message.contains("no golden is written; check camera, clip and time"), "{message}");
    let run = world.test(&[]);
    assert_eq!(run.code, Some(1), "{}", run.report());
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
fn changed_options_and_samples_are_named() {
    let world = World::blessed(MILL);
    let suite = MILL.replace("0.5", "1").replace("[[shot]]", "[[shot]]\nsamples = 1\noverlay = \"wireframe\"");
    std::fs::write(world.path("suite.toml"), suite).expect("a suite");
    let run = world.test(&[]);
    assert_eq!(run.code, Some(1), "{}", run.report());
    let expected = "; since the golden: option --time=0.5 is now --time=1, option --samples=1 is new, option --overlay=wireframe is new, \
                    4 samples per pixel are now 1";
    assert!(run.stdout.contains(expected), "{}", run.report());
    assert_eq!(world.shots("report")[0]["golden_differences"][0], "option --time=0.5 is now --time=1");
}

/// A world with the suites `a.toml` and `b.toml`, which share the folder of their goldens.
fn two_suites() -> World {
    let world = World::new(MILL);
    std::fs::write(world.path("a.toml"), MILL).expect("a suite");
    let b = MILL.replace("\"mill\"", "\"hare\"").replace("windmill", "hare");
    std::fs::write(world.path("b.toml"), b).expect("a suite");
    let run = test_both(&world, &["--update"]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    world
}

fn test_both(world: &World, words: &[&str]) -> Output {
    let words: Vec<&str> = ["test", "a.toml", "b.toml", "-o", "report"].iter().chain(words).copied().collect();
    rigview_in(world.0.path(), &words)
}

#[test]
fn several_suites_run_with_one_report() {
    let world = two_suites();
    assert!(world.golden("mill").is_file() && world.golden("hare").is_file());
    let run = test_both(&world, &["--deny", "obsolete"]);
    assert!(run.code == Some(0) && run.stdout.starts_with("a.toml, b.toml: 2 passed;"), "{}", run.report());
    assert_eq!(world.names("report"), ["a.mill", "b.hare"]);
    let junit = std::fs::read_to_string(world.path("report/junit.xml")).expect("a report");
    assert_eq!(junit.matches("<testsuite name=").count(), 2, "{junit}");
    assert!(junit.contains("<testcase classname=\"b.toml\" name=\"b.hare\" file=\"b.toml\" line=\"2\""), "{junit}");

    // One suite alone finds the other's golden obsolete, both together find a third.
    let alone = rigview_in(world.0.path(), &["test", "a.toml", "-o", "alone"]);
    assert!(alone.stdout.contains("obsolete hare.png"), "{}", alone.report());
    std::fs::copy(world.golden("hare"), world.golden("former")).expect("a golden");
    let listed = test_both(&world, &["--dry-run"]);
    assert!(
        listed.stdout.contains("a.toml, b.toml: 2 shots, 0 without a golden, 0 skipped, 1 obsolete"),
        "{}",
        listed.report()
    );
    let pruned = test_both(&world, &["--prune"]);
    let golden = std::path::Path::new("goldens").join("former.png");
    assert!(pruned.stdout.contains(&format!("{}: a golden without a shot", golden.display())), "{}", pruned.report());
    assert!(!world.golden("former").exists() && world.golden("hare").exists());
}

#[test]
fn images_of_several_suites_are_filtered_merged_and_accepted() {
    let world = two_suites();
    world.edit("hare", |image| image.pixels_mut().for_each(|pixel| pixel.0 = [9, 9, 9, 255]));
    let run = test_both(&world, &[]);
    assert_eq!(run.code, Some(1), "{}", run.report());
    assert!(run.stdout.contains("changed  b.hare: "), "{}", run.report());
    let run = test_both(&world, &["--last-failed"]);
    assert!(run.code == Some(1) && run.stdout.contains("(1 of 2 shots chosen)"), "{}", run.report());
    for filter in ["b.hare", "hare*", "b.*"] {
        let run = test_both(&world, &["--filter", filter]);
        assert_eq!(
            (run.code, world.names("report")),
            (Some(1), vec!["b.hare".to_owned()]),
            "{filter}: {}",
            run.report()
        );
    }
    for part in ["1/2", "2/2"] {
        let report = format!("part-{}", &part[..1]);
        rigview_in(world.0.path(), &["test", "a.toml", "b.toml", "--shard", part, "-o", &report]);
    }
    let run = rigview_in(world.0.path(), &["test", "--merge", "part-1", "part-2", "-o", "all"]);
    assert!(run.code == Some(1) && run.stdout.contains("1 passed, 1 changed"), "{}", run.report());
    let cases = junit_cases(&std::fs::read_to_string(world.path("all/junit.xml")).expect("a report"));
    assert_eq!(cases.iter().map(|case| case.name.as_str()).collect::<Vec<_>>(), ["a.mill", "b.hare"]);
    let run = rigview_in(world.0.path(), &["test", "a.toml", "b.toml", "--accept", "all"]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    assert_eq!(test_both(&world, &[]).code, Some(0));
}

#[test]
fn suites_with_one_golden_are_refused() {
    let world = two_suites();
    std::fs::write(world.path("b.toml"), MILL).expect("a suite");
    for files in [["a.toml", "b.toml"], ["a.toml", "./a.toml"]] {
        let run = rigview_in(world.0.path(), &["test", files[0], files[1]]);
        assert!(run.code == Some(2) && run.stderr.contains("duplicate shot `mill`: a.toml and "), "{}", run.report());
    }
    std::fs::write(world.path("b.toml"), format!("goldens = \"other\"\n{MILL}")).expect("a suite");
    let run = test_both(&world, &[]);
    assert!(run.code == Some(1) && run.stdout.contains("1 passed, 1 new"), "{}", run.report());
}

#[test]
fn goldens_per_renderer_have_a_folder_each() {
    let suite = format!("goldens = \"goldens/{{renderer}}\"\n{MILL}");
    let world = World::blessed(&suite);
    assert!(world.path("goldens/llvmpipe/mill.png").is_file(), "the tests run with llvmpipe");
    assert_eq!(world.test(&[]).code, Some(0));
    let listed = world.test(&["--dry-run"]);
    assert!(listed.stdout.contains("llvmpipe") && listed.stdout.contains("0 without a golden"), "{}", listed.report());
    std::fs::copy(world.path("goldens/llvmpipe/mill.png"), world.path("goldens/llvmpipe/former.png"))
        .expect("a golden");
    let run = world.test(&["--prune"]);
    assert!(run.stdout.contains("deleted  former.png"), "{}", run.report());
    std::fs::remove_file(world.path("goldens/llvmpipe/mill.png")).expect("a golden");
    assert_eq!(world.test(&[]).code, Some(1));
    let run = rigview_in(world.0.path(), &["test", "suite.toml", "--accept", "report"]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    assert!(world.path("goldens/llvmpipe/mill.png").is_file());
}

#[cfg(unix)]
#[test]
fn untrusted_goldens_of_a_renderer_are_no_link_out_of_the_suite() {
    let world = World::new(&format!("goldens = \"goldens/{{renderer}}\"\n{MILL}"));
    let outside = tempfile::TempDir::new().expect("a folder");
    std::fs::create_dir(world.path("goldens")).expect("a folder");
    std::os::unix::fs::symlink(outside.path(), world.path("goldens/llvmpipe")).expect("a link");
    let trusted = world.test(&["--update"]);
    assert_eq!(trusted.code, Some(3), "{}", trusted.report());
    let untrusted = world.test(&["--untrusted"]);
    assert!(
        untrusted.code == Some(2) && untrusted.stderr.contains("is a link out of the suite's folder"),
        "{}",
        untrusted.report()
    );
    assert_eq!(std::fs::read_dir(outside.path()).expect("a folder").count(), 0);
}

#[test]
fn joint_mask_covers_the_vertices_of_the_joint() {
    let suite = |pose: &str, mask: &str| {
        format!(
            "[[shot]]\nname = \"hare\"\nmodel = \"models/hare.glb\"\nclip = \"none\"\nsize = \"160x120\"\n\
             eye = [1, 1, 4]\ntarget = [0, 0.5, 0]\n{pose}{mask}"
        )
    };
    let turned = "pose = \"ear.L.002=4,0,0\"\n";
    let world = World::blessed(&suite("pose = \"ear.L.002=0,0,0\"\n", ""));
    for (mask, code) in [
        ("", 1),
        ("mask = { joint = \"ear.R.002\" }\n", 1),
        ("mask = { joint = \"ear.L.002\", margin = 4 }\n", 0),
        ("mask = { joint = \"ear.L.02\" }\n", 3),
        ("mask = { joint = \"ear.L.002\", margin = 900 }\n", 3),
    ] {
        std::fs::write(world.path("suite.toml"), suite(turned, mask)).expect("a suite");
        let run = world.test(&[]);
        assert_eq!(run.code, Some(code), "{mask}{}", run.report());
        let masked = world.shots("report")[0]["masked_pixels"].as_u64().expect("a number");
        assert_eq!(masked > 0 && masked < 160 * 120 / 4, mask.contains('2') && code != 3, "{mask}: {masked}");
        if code == 3 {
            assert!(
                run.stdout.contains("has no joint `ear.L.02`") || run.stdout.contains("covers the whole image"),
                "{}",
                run.report()
            );
        }
    }
}

const THREE_MODELS: &str = r#"
[defaults]
size = "48x32"

[[shot]]
name = "hare"
model = "models/hare.glb"
time = [0, 0.5]

[[shot]]
name = "huge"
model = "models/windmill.glb"
samples = 256
quality = "high"
size = "4000x4000"

[[shot]]
name = "mill"
model = "models/windmill.glb"
instances = 2
"#;

/// Starts `rigview test --isolate`, and kills the process of each model whose report says that the shot `victim` has begun.
#[cfg(target_os = "linux")]
fn isolated_with_crash(world: &World, victim: &str) -> Output {
    use std::time::{Duration, Instant};
    let program = crate::support::run::program();
    let mut command = std::process::Command::new(program);
    command.args(["test", "suite.toml", "-o", "report", "--isolate"]).current_dir(world.0.path());
    let mut child =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().expect("a run");
    let started = Instant::now();
    let parent = child.id();
    while child.try_wait().expect("a status").is_none() && started.elapsed() < Duration::from_secs(100) {
        let folders = std::fs::read_dir(world.path("report")).into_iter().flatten().flatten();
        let lines = folders.filter_map(|entry| std::fs::read_to_string(entry.path().join("report.jsonl")).ok());
        let begun = format!("{{\"kind\":\"begun\",\"name\":\"{victim}\"}}");
        let has_begun = lines.into_iter().any(|lines| lines.contains(&begun));
        let children = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
        for process in children.split_whitespace().filter(|_| has_begun) {
            std::process::Command::new("kill").args(["-SEGV", process]).status().expect("a signal");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let ended = child.wait_with_output().expect("its end");
    Output {
        command: "rigview test --isolate".to_owned(),
        code: ended.status.code(),
        timed_out: false,
        stdout: String::from_utf8_lossy(&ended.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&ended.stderr).into_owned(),
    }
}

#[cfg(target_os = "linux")]
#[test]
fn isolated_run_survives_the_crash_of_a_shot() {
    let world = World::new(THREE_MODELS);
    let run = isolated_with_crash(&world, "huge");
    assert_eq!(run.code, Some(3), "{}", run.report());
    let expected = "error    huge: the process ended (signal: 11 (SIGSEGV)";
    assert!(run.stdout.contains(expected) && run.stdout.contains("0 passed, 3 new, 1 error"), "{}", run.report());
    assert_eq!(world.names("report"), ["hare-t0", "hare-t0.5", "huge", "mill"]);
    let files = crate::support::run::names(&world.path("report"));
    assert_eq!(
        files,
        [".gitignore", "images", "junit.xml", "report.html", "report.jsonl"],
        "the folders of the processes are deleted"
    );
    assert!(world.path("report/images/mill-actual.png").is_file());
}

#[test]
fn isolated_run_has_the_results_of_a_common_one() {
    let world = World::blessed(&THREE_MODELS.replace("4000x4000", "40x40"));
    world.edit("mill", |image| image.pixels_mut().for_each(|pixel| pixel.0 = [9, 9, 9, 255]));
    let found = [&["--isolate"][..], &[]].map(|words| {
        let run = world.test(words);
        assert_eq!(run.code, Some(1), "{}", run.report());
        let mut shots = world.shots("report");
        for shot in &mut shots {
            ["load_secs", "draw_secs", "compare_secs"].into_iter().for_each(|time| shot[time] = 0.into());
        }
        (shots, run.stdout.split(';').next().map(str::to_owned))
    });
    assert_eq!(found[0], found[1]);
    let run = world.test(&["--isolate", "--update", "--filter", "mill"]);
    assert!(run.code == Some(0) && run.stderr.contains("1 golden written"), "{}", run.report());
    assert_eq!(world.test(&[]).code, Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn isolated_run_without_memory_for_a_model_renders_the_others() {
    let world = World::new(
        &THREE_MODELS.replace("samples = 256\nquality = \"high\"\nsize = \"4000x4000\"", "size = \"8192x8192\""),
    );
    let program = crate::support::run::program();
    let script = format!("ulimit -v 1500000; exec {} test suite.toml -o report --isolate", program.display());
    let run = crate::support::run::watched_program(
        std::path::Path::new("sh"),
        world.0.path(),
        &[],
        &["-c", &script],
        std::time::Duration::from_secs(100),
    );
    let run = run.output;
    assert_eq!(run.code, Some(3), "{}", run.report());
    let statuses = ["hare-t0", "hare-t0.5", "huge", "mill"].map(|name| world.status(name));
    assert_eq!(statuses, ["new", "new", "error", "new"], "{}", run.report());
}

#[test]
fn new_notices_are_part_of_the_message_of_a_changed_shot() {
    let world = World::new("[[shot]]\nname = \"plane\"\nmodel = \"models/plane.gltf\"\nsize = \"48x48\"\n");
    let mut rig = crate::support::glb::Rig::new();
    let positions = rig.floats("VEC3", &[-1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 0.0, 1.0, 0.0]);
    let uv = rig.floats("VEC2", &[0.0, 0.0, 1.0, 0.0, 0.5, 1.0]);
    let primitive = serde_json::json!({"attributes": {"POSITION": positions, "TEXCOORD_0": uv}, "material": 0});
    let mesh = rig.add("meshes", serde_json::json!({"primitives": [primitive]}));
    rig.add("images", serde_json::json!({"uri": "fur.png"}));
    rig.add("textures", serde_json::json!({"source": 0}));
    rig.add("materials", serde_json::json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}));
    rig.node(serde_json::json!({"mesh": mesh}));
    std::fs::write(world.path("models/plane.gltf"), rig.glb()).expect("a model");
    image::RgbaImage::from_pixel(4, 4, image::Rgba([200, 20, 20, 255]))
        .save(world.path("models/fur.png"))
        .expect("an image");
    assert_eq!(world.test(&["--update"]).code, Some(0));
    std::fs::remove_file(world.path("models/fur.png")).expect("an image");
    let words = ["test", "suite.toml", "-o", "report"];
    let run = watched(world.0.path(), &[("GITHUB_ACTIONS", "true")], &words, std::time::Duration::from_secs(60)).output;
    assert_eq!(run.code, Some(1), "{}", run.report());
    let line = run.stdout.lines().find(|line| line.starts_with("changed  plane: ")).expect("a line").to_owned();
    assert!(line.contains("; new notice: ") && line.contains("fur.png"), "{line}");
    assert!(
        run.stdout.lines().any(|line| line.starts_with("::error ") && line.contains("fur.png")),
        "{}",
        run.report()
    );
    let junit = std::fs::read_to_string(world.path("report/junit.xml")).expect("a report");
    assert!(junit.contains("; new notice: "), "{junit}");
    // A golden records its notices, so that they are not new.
    assert_eq!(world.test(&["--update"]).code, Some(0));
    let suite = std::fs::read_to_string(world.path("suite.toml")).expect("a suite");
    std::fs::write(world.path("suite.toml"), suite + "background = [1, 0, 0]\n").expect("a suite");
    let run = world.test(&[]);
    assert!(run.code == Some(1) && !run.stdout.contains("new notice"), "{}", run.report());
}

#[test]
fn unchanged_shots_pass_without_a_draw() {
    let world = World::blessed(
        "[defaults]\nsize = \"48x48\"\n[[shot]]\nmodel = \"models/hare.glb\"\ntime = [0, 1]\n[[shot]]\nname = \"mill\"\nmodel = \"models/windmill.glb\"\n",
    );
    let run = |expected: &str| {
        let run = world.test(&["--skip-unchanged"]);
        assert!(run.stdout.contains(expected), "{expected}: {}", run.report());
    };
    run("3 passed, 3 unchanged and not drawn; ");
    assert_eq!(world.shots("report")[0]["draw_secs"], 0.0);
    assert!(world.test(&[]).stdout.contains("3 passed; "), "all are drawn without the option");
    // Another option, and another file with the same animation.
    let suite = std::fs::read_to_string(world.path("suite.toml")).expect("a suite");
    std::fs::write(world.path("suite.toml"), suite.replace("windmill.glb\"", "windmill.glb\"\nfov = 41"))
        .expect("a suite");
    run("2 passed, 1 changed, 2 unchanged and not drawn; ");
    let mut bytes = std::fs::read(world.path("models/hare.glb")).expect("a model");
    bytes.extend([0; 4]);
    std::fs::write(world.path("models/hare.glb"), bytes).expect("a model");
    run("2 passed, 1 changed; ");
    // A side file that changes.
    let rig = crate::support::rigs::arm().rig;
    rig.write_gltf(&world.path("models"), "arm");
    std::fs::write(world.path("suite.toml"), "[[shot]]\nmodel = \"models/arm.gltf\"\nsize = \"48x48\"\n")
        .expect("a suite");
    assert_eq!(world.test(&["--update"]).code, Some(0));
    run("1 passed, 1 unchanged and not drawn; ");
    let bytes = std::fs::read(world.path("models/arm dätä.bin")).expect("a side file");
    let mut other = bytes.clone();
    *other.last_mut().expect("a byte") ^= 1;
    std::fs::write(world.path("models/arm dätä.bin"), other).expect("a side file");
    let changed = world.test(&["--skip-unchanged"]);
    assert!(!changed.stdout.contains("not drawn"), "{}", changed.report());
    // The map of joints beside a model.
    std::fs::write(world.path("models/arm dätä.bin"), bytes).expect("a side file");
    run("1 passed, 1 unchanged and not drawn; ");
    std::fs::write(world.path("models/arm.rigmap.toml"), "hips = ''\n").expect("a map");
    let changed = world.test(&["--skip-unchanged"]);
    assert!(!changed.stdout.contains("not drawn"), "{}", changed.report());
}

/// A shot with a single draw of a billion vertices, and one that takes no time.
const HANGS: &str = r#"
[[shot]]
name = "hangs"
model = "models/windmill.glb"
size = "64x48"
instances = 100000

[[shot]]
name = "hare"
model = "models/hare.glb"
size = "64x48"
"#;

#[test]
fn run_whose_draw_hangs_ends_with_its_report() {
    let world = World::new(HANGS);
    let run = world.test(&["--timeout", "5"]);
    assert_eq!(run.code, Some(3), "{}", run.report());
    assert!(run.stderr.contains("the time limit of 5 s is exceeded, during hangs; 1 of 2 shots"), "{}", run.report());
    assert!(world.path("report/report.html").is_file() && world.status("hangs") == "error", "{}", run.report());
}

#[test]
fn isolated_draw_that_hangs_is_ended_and_the_others_run() {
    let world = World::new(HANGS);
    let run = world.test(&["--isolate", "--shot-timeout", "3"]);
    assert_eq!(run.code, Some(3), "{}", run.report());
    assert!(run.stdout.contains("error    hangs: the process hangs, and was ended"), "{}", run.report());
    assert_eq!((world.status("hangs").as_str(), world.status("hare").as_str()), ("error", "new"));
}
