//! Several models in one scene.

use crate::support::glb::Rig;
use crate::support::run::rigview_in;
use serde_json::json;
use std::path::Path;

/// Pixels of a screenshot by the program.
fn image(arguments: &[&str]) -> image::RgbaImage {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out.png");
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let arguments =
        [&["shot"], arguments, &["--size", "96x64", "--samples", "1", "-o", file.to_str().unwrap()]].concat();
    let run = rigview_in(&assets, &arguments);
    assert!(run.code == Some(0) && run.stderr.is_empty(), "{}", run.report());
    image::open(&file).unwrap().into_rgba8()
}

#[test]
fn several_models_render_in_one_image() {
    let both = image(&["windmill.glb:3", "hare.glb:6"]);
    assert_eq!(both, image(&["windmill.glb", "--instances", "3", "hare.glb:6"]), "the long way to say it");
    assert_ne!(both, image(&["windmill.glb:9"]));
    assert_ne!(both, image(&["hare.glb:9"]));
    assert_ne!(both, image(&["windmill.glb:3", "hare.glb:6", "--seed", "7"]), "others stand elsewhere");
    assert_ne!(both, image(&["windmill.glb:3", "hare.glb:6", "--time", "1.3"]), "all of them move");
}

#[test]
fn layout_places_models_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let layout = folder.path().join("yard.csv");
    std::fs::write(&layout, "x,z,clip\n0,0,turn\n0,20,gust\n15,0,\n15,20,nod\n").unwrap();
    let layout = format!("--layout={}", layout.display());
    let both = image(&["windmill.glb:2", "hare.glb:2", &layout]);
    assert_eq!(both, image(&["windmill.glb", "hare.glb:2", &layout]), "the rest is the first model's");

    let run = |arguments: &[&str]| {
        let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
        let out = folder.path().join("none.png");
        let run = rigview_in(&assets, &[&["shot"], arguments, &["-o", out.to_str().unwrap()]].concat());
        assert!(run.code == Some(1) && !out.exists(), "{}", run.report());
        run.stderr
    };
    assert!(
        run(&["windmill.glb:3", "hare.glb:2", &layout]).contains("has 4 placements, but 5 instances were requested")
    );
    assert!(run(&["windmill.glb:1", "hare.glb:3", &layout]).contains("line 3: "), "hares know no gust");
    let gone = run(&["windmill.glb", "gone.glb:3"]);
    assert!(gone.starts_with("error: gone.glb: "), "{gone}");
}

#[test]
fn camera_is_found_by_the_name_of_its_node() {
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    rig.node(json!({"mesh": mesh}));
    rig.add("cameras", json!({"name": "Lens", "type": "perspective", "perspective": {"yfov": 0.5, "znear": 0.1}}));
    rig.node(json!({"name": "Shot 1", "camera": 0, "translation": [0.5, 0.5, 5]}));
    let folder = tempfile::tempdir().unwrap();
    let file = rig.write_glb(folder.path(), "camera");
    let from = |camera: &str| image(&[file.to_str().unwrap(), "--camera", camera]);
    assert_eq!(from("Shot 1"), from("Lens"));
    assert_ne!(from("Lens"), image(&[file.to_str().unwrap()]));
}
