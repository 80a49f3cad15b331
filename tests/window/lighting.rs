//! Light: gestures in the view, dropped panoramas, automatic exposure.

use super::capture::Image;
use super::drop::drop_on;
use super::viewer::{Viewer, asset, is_paused};
use std::path::{Path, PathBuf};

const SIZE: [u32; 2] = [400, 300];

/// Color of the sun that turns the key light.
const SUN: [u8; 3] = [255, 214, 90];

/// Writes a panorama: orange above, dark blue below.
fn write_panorama(folder: &Path) -> PathBuf {
    let mut bytes = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 4 +X 8\n".to_vec();
    for i in 0..32 {
        bytes.extend(if i < 16 { [250, 120, 30, 129] } else { [10, 20, 80, 128] });
    }
    let file = folder.join("dusk.hdr");
    std::fs::write(&file, bytes).unwrap();
    file
}

/// Writes a triangle that a directional light of this illuminance lights from the front.
fn write_lit_triangle(folder: &Path, lux: u32) -> PathBuf {
    let positions: Vec<u8> = [-1.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.5, 0.0].map(f32::to_le_bytes).concat();
    std::fs::write(folder.join("triangle.bin"), positions).unwrap();
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0,1]}}],
        "nodes":[{{"mesh":0}},{{"extensions":{{"KHR_lights_punctual":{{"light":0}}}}}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[-1,0,0],"max":[1,1.5,0]}}],
        "bufferViews":[{{"buffer":0,"byteLength":36}}],"buffers":[{{"uri":"triangle.bin","byteLength":36}}],
        "extensionsUsed":["KHR_lights_punctual"],
        "extensions":{{"KHR_lights_punctual":{{"lights":[{{"type":"directional","intensity":{lux}}}]}}}}}}"#
    );
    let file = folder.join("lit.gltf");
    std::fs::write(&file, json).unwrap();
    file
}

#[test]
fn shift_right_drag_rotates_environment() {
    let viewer = Viewer::paused(SIZE, "hare.glb");
    viewer.wait_for_same("the default light", &Image::shot(&asset("hare.glb"), SIZE, &[]));
    // 100 of 300 pixels are a third of 180 degrees.
    viewer.display.xdotool("mousemove 150 150 keydown shift mousedown 3 mousemove 250 150 mouseup 3 keyup shift");
    let rotated = Image::shot(&asset("hare.glb"), SIZE, &["--environment-rotation", "60"]);
    viewer.wait_for_same("the rotated light", &rotated);
    viewer.close();
}

#[test]
fn dropped_panorama_lights_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let panorama = write_panorama(folder.path());
    let viewer = Viewer::paused(SIZE, "hare.glb");
    drop_on(&viewer.display, viewer.window, &[&panorama]);
    let lit = Image::shot(&asset("hare.glb"), SIZE, &["--environment", panorama.to_str().unwrap()]);
    viewer.wait_for_same("light of the panorama", &lit);
    assert!(viewer.title().starts_with("hare.glb"), "the model stays open: {}", viewer.title());
    viewer.close();
}

#[test]
fn still_image_becomes_that_of_high_quality() {
    let file = asset("hare.glb");
    let viewer = Viewer::open(SIZE, &[file.to_str().unwrap(), "--quality", "high", "--samples", "1"]);
    viewer.key("space");
    viewer.wait_for_title("it pauses", is_paused);
    viewer.go_to_start();
    viewer.wait_for_same("all samples", &Image::shot(&file, SIZE, &["--quality", "high"]));
    viewer.wait_for_rest();
    // An overlay is drawn once.
    viewer.key("g");
    viewer.wait_for_same("the grid", &Image::shot(&file, SIZE, &["--samples", "1", "--overlay", "grid"]));
    viewer.key("g");
    viewer.wait_for_same("all samples again", &Image::shot(&file, SIZE, &["--quality", "high"]));
    viewer.close();
}

#[test]
fn sun_in_view_turns_key_light() {
    // The light comes from the camera, so that the sun is in the center of the view.
    let options = ["--light=0.5064,0.2474,0.826,3", "--environment=neutral"];
    let hare = asset("hare.glb");
    let arguments = [&[hare.to_str().unwrap()], &options[..]].concat();
    let viewer = Viewer::open_with_panels([1000, 700], &arguments);
    viewer.key("space");
    viewer.wait_for_title("it pauses", is_paused);
    viewer.key("shift+F9");
    viewer.wait_for_image("the sun is there", |image| image.pixels_of(SUN).1 > 80);
    viewer.wait_for_rest();
    let before = viewer.image();
    let ([x, y], _) = before.pixels_of(SUN);
    let (x, y) = (x.round() as i32, y.round() as i32);
    let end = x - 60;
    viewer.display.xdotool(&format!("mousemove {x} {y} mousedown 1 mousemove {} {y}", end + 20));
    viewer.wait_for_image("the drag is visible", |image| *image != before);
    viewer.display.xdotool(&format!("mousemove {end} {y} mouseup 1"));
    viewer.display.xdotool("mousemove 500 690");
    viewer.wait_for_image("the sun follows the pointer", |image| {
        let ([moved, _], count) = image.pixels_of(SUN);
        count > 80 && (moved - f64::from(end)).abs() < 3.0
    });
    viewer.key("Tab");
    let turned = viewer.image();
    assert!(turned != Image::shot(&asset("hare.glb"), [1000, 700], &options), "the light is another one");
    viewer.close();
}

#[test]
fn physical_light_opens_with_automatic_exposure() {
    let folder = tempfile::tempdir().unwrap();
    let file = write_lit_triangle(folder.path(), 5000);
    let [white, metered] = ["0", "auto"].map(|exposure| Image::shot(&file, SIZE, &["--exposure", exposure]));
    assert!(white != metered, "{}", white.difference(&metered));
    let viewer = Viewer::open(SIZE, &[file.to_str().unwrap()]);
    viewer.wait_for_same("metered", &metered);
    viewer.close();
    let viewer = Viewer::open(SIZE, &[file.to_str().unwrap(), "--exposure", "0"]);
    viewer.wait_for_same("fixed", &white);
    viewer.close();
}
