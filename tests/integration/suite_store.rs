//! Goldens in a store.

use crate::support::run::rigview_in;
use crate::support::suite_world::World;

const SUITE: &str = r#"
goldens = "store:../shared"

[defaults]
size = "32x32"

[[shot]]
model = "../models/windmill.glb"
clip = ["turn", "yaw"]

[[shot]]
model = "../models/hare.glb"
kind = "pose"
"#;

/// A world whose suite is in the folder `tests`, with its goldens in the store `shared`.
fn world() -> World {
    let world = World::new("");
    std::fs::create_dir(world.path("tests")).expect("a folder");
    std::fs::write(world.path("tests/suite.toml"), SUITE).expect("a suite");
    let run = rig(&world, &["test", "--update"]);
    assert!(run.code == Some(0) && run.stderr.contains("5 goldens written"), "{}", run.report());
    world
}

fn rig(world: &World, words: &[&str]) -> crate::support::run::Output {
    let mut words = words.to_vec();
    let at = if words[0] == "store" { 2 } else { 1 };
    words.insert(at, "tests/suite.toml");
    rigview_in(world.0.path(), &words)
}

/// The object of a golden.
fn object(world: &World, name: &str) -> std::path::PathBuf {
    let manifest = std::fs::read_to_string(world.path("tests/suite.goldens")).expect("a manifest");
    let line = manifest.lines().find(|line| line.ends_with(name)).expect("a line");
    world.path(&format!("shared/{}/{}", &line[..2], &line[2..64]))
}

#[test]
fn goldens_of_a_store_pass_change_and_are_deleted() {
    let world = world();
    let run = rig(&world, &["test"]);
    assert!(run.code == Some(0) && run.stdout.contains(": 5 passed; "), "{}", run.report());
    assert!(!world.path("tests/goldens").exists());
    assert_eq!(rig(&world, &["store", "verify"]).stdout, "5 goldens, none missing or damaged\n");

    let turn = object(&world, "windmill-turn.png");
    let mut image = image::load_from_memory(&std::fs::read(&turn).expect("a golden")).expect("a PNG").to_rgba8();
    image.pixels_mut().for_each(|pixel| pixel.0[0] ^= 0x40);
    image.save_with_format(&turn, image::ImageFormat::Png).expect("the golden");
    let run = rig(&world, &["test"]);
    assert!(
        run.code == Some(1)
            && run.stdout.contains("changed  windmill-turn: the golden cannot be read: ")
            && run.stdout.contains("is not the file of its hash"),
        "{}",
        run.report()
    );
    let damaged = rig(&world, &["store", "verify"]);
    assert!(
        damaged.code == Some(1) && damaged.stdout.contains("windmill-turn.png: ") && damaged.stdout.contains("damaged")
    );
    assert!(damaged.stderr.contains("1 golden missing or damaged"), "{}", damaged.report());

    std::fs::remove_file(&turn).expect("a golden");
    std::fs::remove_file(object(&world, "hare-pose.pose.txt")).expect("a golden");
    let run = rig(&world, &["test"]);
    assert!(
        run.code == Some(1) && run.stdout.matches("is it mounted and synchronized?").count() == 2,
        "{}",
        run.report()
    );
    assert_eq!(
        rig(&world, &["test", "--update=missing"]).code,
        Some(1),
        "a golden that is not synchronized is not new"
    );
    let accepted = rigview_in(world.0.path(), &["test", "tests/suite.toml", "--accept", "rigview-report"]);
    assert_eq!(accepted.code, Some(0), "{}", accepted.report());
    assert_eq!(rig(&world, &["test", "--update", "--isolate"]).code, Some(0));
    assert_eq!(rig(&world, &["test"]).code, Some(0));

    std::fs::write(world.path("tests/suite.toml"), SUITE.replace("[\"turn\", \"yaw\"]", "[\"turn\"]"))
        .expect("a suite");
    let renamed = rig(&world, &["test", "--update", "--prune"]);
    assert!(renamed.stdout.contains("deleted  windmill-yaw.png"), "{}", renamed.report());
    let young = rig(&world, &["store", "gc"]);
    assert!(young.code == Some(0) && young.stdout.starts_with("0 goldens"), "{}", young.report());
    let listed = rig(&world, &["store", "gc", "--days", "0", "--dry-run"]);
    let deleted = rig(&world, &["store", "gc", "--days", "0"]);
    assert!(listed.stdout.contains("to delete") && deleted.stdout.contains(" deleted"), "{}", deleted.report());
    assert!(!deleted.stdout.starts_with("0 goldens"), "{}", deleted.report());
    assert_eq!(rig(&world, &["store", "verify"]).code, Some(0));
}

#[test]
fn stores_of_strangers_and_broken_manifests_are_refused() {
    let world = world();
    let run = rig(&world, &["test", "--untrusted"]);
    assert!(run.code == Some(2) && run.stderr.contains("a suite cannot name a store of goldens"), "{}", run.report());
    std::fs::write(world.path("tests/suite.goldens"), "<<<<<<< HEAD\n").expect("a manifest");
    for words in [&["test"][..], &["store", "verify"]] {
        let run = rig(&world, words);
        assert!(run.code == Some(2) && run.stderr.contains("is a merge unfinished?"), "{}", run.report());
    }
}
