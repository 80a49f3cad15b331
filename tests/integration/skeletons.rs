//! Files without a mesh: the skeleton is the model.

use crate::support::glb::{Channel, Rig};
use crate::support::run::rigview_in;
use image::RgbaImage;
use serde_json::json;
use std::path::Path;
use tempfile::TempDir;

/// A chain of three joints, two meters high, whose clip bends it by 90 degrees. Report godotengine/godot#56615.
fn motion_capture() -> Rig {
    let mut rig = Rig::new();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    rig.node(json!({"name": "Hips", "children": [1]}));
    let spine = rig.node(json!({"name": "Spine", "translation": [0, 1, 0], "children": [2]}));
    rig.node(json!({"name": "Head", "translation": [0, 1, 0]}));
    let (times, values) =
        (rig.floats("SCALAR", &[0.0, 1.0]), rig.floats("VEC4", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half]));
    rig.clip("bend", &[Channel { node: spine, path: "rotation", interpolation: "LINEAR", times, values }]);
    rig
}

/// Runs `shot`, and returns the image and the messages.
fn shot(folder: &Path, file: &str, options: &[&str]) -> (RgbaImage, String) {
    let arguments = [&["shot", file, "-o", "out.png", "--size=192x192", "--background=0,0,0"], options].concat();
    let run = rigview_in(folder, &arguments);
    assert_eq!(run.code, Some(0), "{}", run.report());
    (image::open(folder.join("out.png")).expect("an image").into_rgba8(), run.stderr)
}

/// The rectangle of all pixels that are not black: left, top, right, bottom.
fn drawn_rect(image: &RgbaImage) -> [u32; 4] {
    let drawn = || image.enumerate_pixels().filter(|(.., pixel)| pixel.0[..3] != [0; 3]);
    let range = |values: Vec<u32>| (values.iter().min().copied(), values.iter().max().copied());
    let (x, y) = (range(drawn().map(|(x, ..)| x).collect()), range(drawn().map(|(_, y, _)| y).collect()));
    [x.0, y.0, x.1, y.1].map(|edge| edge.expect("a drawn pixel"))
}

#[test]
fn skeleton_without_a_mesh_is_drawn_and_framed_over_the_clip() {
    let folder = TempDir::new().expect("a folder for temporary files");
    motion_capture().write_glb(folder.path(), "capture");
    let (start, messages) = shot(folder.path(), "capture.glb", &["--time=0"]);
    let (end, _) = shot(folder.path(), "capture.glb", &["--time=1"]);
    assert_eq!(messages, "notice: capture.glb: the scene has no mesh; its bones, cameras and lights are shown\n");
    let ([left, top, right, bottom], [end_left, end_top, _, end_bottom]) = (drawn_rect(&start), drawn_rect(&end));
    // Upright, then bent to the left. Both are in view with a margin.
    assert!(bottom - top > 120 && right - left < 40, "{:?}", drawn_rect(&start));
    assert!(end_left + 40 < left && end_top > top + 40 && end_bottom == bottom, "{:?}", drawn_rect(&end));
    assert!(top > 0 && end_left > 0 && bottom < 191, "{top} {end_left} {bottom}");
    // `--overlay skeleton` draws the same.
    assert_eq!(shot(folder.path(), "capture.glb", &["--time=0", "--overlay=skeleton"]).0, start);
}

#[test]
fn empties_cameras_and_lights_have_symbols() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let mut rects = Vec::new();
    for (name, node) in [
        ("empty", json!({})),
        ("camera", json!({"camera": 0})),
        ("light", json!({"extensions": {"KHR_lights_punctual": {"light": 0}}})),
    ] {
        let mut rig = Rig::new();
        rig.set("extensionsUsed", json!(["KHR_lights_punctual"]));
        rig.set("extensions", json!({"KHR_lights_punctual": {"lights": [{"type": "point"}]}}));
        rig.add("cameras", json!({"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}));
        rig.node(node);
        rig.write_glb(folder.path(), name);
        let (image, _) = shot(folder.path(), &format!("{name}.glb"), &[]);
        rects.push((drawn_rect(&image), image));
    }
    assert!(rects.iter().all(|([left, top, right, bottom], _)| right - left > 40 && bottom - top > 40));
    assert!(rects[0].1 != rects[1].1 && rects[0].1 != rects[2].1 && rects[1].1 != rects[2].1);
}
