//! Files without a mesh: the skeleton is the model.

use crate::support::glb::{Channel, Rig};
use crate::support::run::rigview_in;
use image::RgbaImage;
use serde_json::json;
use std::path::Path;
use tempfile::TempDir;

/// A chain of three joints, two meters high, whose clip bends it by 90 degrees. Report godotengine/godot#56615.
fn motion_capture() -> Rig {
    motion_capture_at(0.0)
}

/// The same, with keys at `start_secs` and a second later.
fn motion_capture_at(start_secs: f64) -> Rig {
    let mut rig = Rig::new();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    rig.node(json!({"name": "Hips", "children": [1]}));
    let spine = rig.node(json!({"name": "Spine", "translation": [0, 1, 0], "children": [2]}));
    rig.node(json!({"name": "Head", "translation": [0, 1, 0]}));
    let (times, values) = (
        rig.floats("SCALAR", &[start_secs, start_secs + 1.0]),
        rig.floats("VEC4", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half]),
    );
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
fn info_counts_joints_and_has_the_size_of_the_skeleton() {
    let folder = TempDir::new().expect("a folder for temporary files");
    motion_capture().write_glb(folder.path(), "capture");
    let run = rigview_in(folder.path(), &["info", "capture.glb"]);
    assert!(run.stdout.contains("skeleton: 3 joints, shown as bones, since there is no mesh"), "{}", run.report());
    // The last bone is half as long as the one before.
    assert!(run.stdout.contains("size over the first clip: 1.500 x 2.500 x 0.000 m"), "{}", run.report());
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

#[test]
fn sheets_and_videos_of_a_skeleton_have_a_notice() {
    let folder = TempDir::new().expect("a folder for temporary files");
    motion_capture().write_glb(folder.path(), "capture");
    for words in [&["sheet", "capture.glb", "-o", "out.png"][..], &["video", "capture.glb", "-o", "out.gif", "--fps=2"]]
    {
        let run = rigview_in(folder.path(), words);
        assert_eq!(run.code, Some(0), "{}", run.report());
        assert!(run.stderr.contains("the scene has no mesh; its bones"), "{}", run.report());
    }
    // Nothing at all.
    std::fs::write(folder.path().join("nothing.gltf"), r#"{"asset":{"version":"2.0"}}"#).expect("a file");
    let run = rigview_in(folder.path(), &["sheet", "nothing.gltf", "-o", "out.png"]);
    assert!(run.stderr.contains("the scene has no mesh; nothing is shown"), "{}", run.report());
    assert!(run.stderr.contains("nothing of the model is in view"), "{}", run.report());
}

/// A timecode of an hour: images and videos begin at the first key.
#[test]
fn clip_that_begins_late_is_sampled_from_its_first_key() {
    let folder = TempDir::new().expect("a folder for temporary files");
    motion_capture_at(0.0).write_glb(folder.path(), "early");
    motion_capture_at(3600.0).write_glb(folder.path(), "late");
    for name in ["early", "late"] {
        let (file, frames) = (format!("{name}.glb"), format!("{name}-%d.png"));
        let words = ["video", &file, "-o", &frames, "--fps=4", "--size=64x64", "--samples=1"];
        let run = rigview_in(folder.path(), &words);
        assert_eq!(run.code, Some(0), "{}", run.report());
    }
    let pixels = |name: &str| image::open(folder.path().join(name)).expect("a frame").into_rgba8();
    for frame in 0..4 {
        assert_eq!(pixels(&format!("early-{frame}.png")), pixels(&format!("late-{frame}.png")), "frame {frame}");
    }
    assert_ne!(pixels("late-0.png"), pixels("late-3.png"));
    assert!(!folder.path().join("late-4.png").exists());

    let run = rigview_in(folder.path(), &["test", "--init=late.toml", "late.glb"]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    let suite = std::fs::read_to_string(folder.path().join("late.toml")).expect("a suite");
    assert!(suite.contains("time = [3600.25, 3600.75]"), "{suite}");
}

/// An export in lux is white at the default exposure.
#[test]
fn overexposure_by_lights_of_the_file_has_a_notice() {
    let folder = TempDir::new().expect("a folder for temporary files");
    for (lux, is_reported) in [(100_000, true), (3, false)] {
        let mut rig = Rig::new();
        rig.set("extensionsUsed", json!(["KHR_lights_punctual"]));
        let light = json!({"type": "directional", "intensity": lux});
        rig.set("extensions", json!({"KHR_lights_punctual": {"lights": [light]}}));
        let mesh = rig.triangle();
        rig.node(json!({"mesh": mesh, "extensions": {"KHR_lights_punctual": {"light": 0}}}));
        rig.write_glb(folder.path(), "lit");
        let notice = "its lights are 15 stops too bright, so that surfaces are white; add --exposure auto";
        assert_eq!(shot(folder.path(), "lit.glb", &[]).1.contains(notice), is_reported, "{lux}");
        assert!(!shot(folder.path(), "lit.glb", &["--exposure=auto"]).1.contains("too bright"));
    }
}
