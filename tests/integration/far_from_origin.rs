//! Models far from the origin, where single precision is coarser than the model.

use crate::support::glb::Rig;
use crate::support::rigs::{self, Arm};
use crate::support::run::rigview_in;
use image::RgbaImage;
use serde_json::json;
use std::path::Path;
use tempfile::TempDir;

/// The bending arm, below a node at this distance on the X axis.
fn arm_at(distance: f64) -> Rig {
    let Arm { mut rig, joints: [shoulder, _], body } = rigs::arm();
    rig.node(json!({"name": "map", "translation": [distance, 0, 0], "children": [shoulder, body]}));
    rig
}

fn shot(folder: &Path, file: &str, options: &[&str]) -> RgbaImage {
    let arguments = [&["shot", file, "-o", "out.png", "--size=96x96", "--time=0.6"], options].concat();
    let run = rigview_in(folder, &arguments);
    assert!(run.code == Some(0) && run.stderr.is_empty(), "{}", run.report());
    image::open(folder.join("out.png")).expect("an image").into_rgba8()
}

/// Number of pixels that differ visibly.
fn differing(a: &RgbaImage, b: &RgbaImage) -> usize {
    a.pixels().zip(b.pixels()).filter(|(a, b)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 8)).count()
}

#[test]
fn crowds_do_not_depend_on_the_distance_from_the_origin() {
    let folder = TempDir::new().expect("a folder for temporary files");
    arm_at(6e6).write_glb(folder.path(), "far");
    // Scattered models rotate about their centers if these are far from the origin.
    let layouts: [(f64, &[&str]); 3] =
        [(0.0, &["--instances=9"]), (1e4, &["--instances=9", "--layout=scatter"]), (0.0, &["MODEL:4"])];
    for (distance, layout) in layouts {
        arm_at(distance).write_glb(folder.path(), "near");
        let [near, far] = ["near.glb", "far.glb"].map(|file| {
            let options: Vec<String> = layout.iter().map(|option| option.replace("MODEL", file)).collect();
            shot(folder.path(), file, &options.iter().map(String::as_str).collect::<Vec<_>>())
        });
        let background = near.get_pixel(0, 0);
        assert!(near.pixels().filter(|pixel| *pixel != background).count() > 200, "{layout:?}");
        assert!(differing(&near, &far) <= 12, "{layout:?}: {} pixels", differing(&near, &far));
    }
}

#[test]
fn image_does_not_depend_on_the_distance_from_the_origin() {
    let folder = TempDir::new().expect("a folder for temporary files");
    arm_at(0.0).write_glb(folder.path(), "near");
    let near = shot(folder.path(), "near.glb", &[]);
    let near_from = shot(folder.path(), "near.glb", &["--eye=0.5,1,4", "--target=0,1,0"]);
    assert_ne!(near, near_from);
    for distance in [1e3, 1e6, 6e6] {
        arm_at(distance).write_glb(folder.path(), "far");
        let far = shot(folder.path(), "far.glb", &[]);
        assert!(differing(&near, &far) <= 4, "{distance}: {} pixels", differing(&near, &far));
        let (eye, target) = (format!("--eye={},1,4", distance + 0.5), format!("--target={distance},1,0"));
        let far_from = shot(folder.path(), "far.glb", &[&eye, &target]);
        assert!(differing(&near_from, &far_from) <= 4, "{distance}: {} pixels", differing(&near_from, &far_from));
    }
}

#[test]
fn bake_keeps_the_position_of_the_model() {
    let folder = TempDir::new().expect("a folder for temporary files");
    arm_at(1e6).write_glb(folder.path(), "far");
    let run = rigview_in(folder.path(), &["bake", "far.glb", "-o", "baked.glb"]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    let info = rigview_in(folder.path(), &["info", "baked.glb", "--json"]);
    let info: serde_json::Value = serde_json::from_str(&info.stdout).expect("JSON");
    let left = info["totals"]["bounds"][0][0].as_f64().expect("a number");
    assert!((left - 999_999.0).abs() < 1.5, "{left}");
}
