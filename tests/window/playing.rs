//! Playing, pausing, stepping, clips.

use super::capture::Image;
use super::viewer::{Viewer, asset, is_paused};

const SIZE: [u32; 2] = [400, 300];

#[test]
fn space_pauses_playback() {
    let viewer = Viewer::open(SIZE, &[asset("windmill.glb").to_str().unwrap()]);
    let first = viewer.wait_for_title("the clip is named", |title| title.starts_with("windmill.glb - turn - "));
    assert_eq!(first, "windmill.glb - turn - rigview", "no clock while it plays");
    let before = viewer.image();
    viewer.wait_for_image("the sails turn", |image| image.size == before.size && *image != before);

    viewer.key("space");
    let paused = viewer.wait_for_title("it pauses", is_paused);
    viewer.wait_for_rest();
    let still = viewer.image();
    viewer.wait_for_rest();
    assert!(viewer.image() == still && viewer.title() == paused);

    viewer.key("space");
    viewer.wait_for_title("it plays on", |title| title == first);
    viewer.close();
}

#[test]
fn arrow_key_steps_to_exact_image() {
    let viewer = Viewer::paused(SIZE, "windmill.glb");
    // The window draws whole microseconds.
    let shot = |seconds: f64| Image::shot(&asset("windmill.glb"), SIZE, &["--time", &format!("{seconds:.6}")]);
    viewer.wait_for_same("the start of the clip", &shot(0.0));
    viewer.key("Right");
    let right = "windmill.glb - turn - 0.04 / 4.00 s (paused) - rigview";
    viewer.wait_for_title(right, |title| title == right);
    viewer.wait_for_same("a frame later", &shot(1.0 / 24.0));
    viewer.close();
}

#[test]
fn rest_pose_does_not_redraw() {
    let hare = asset("hare.glb");
    let viewer = Viewer::open(SIZE, &[hare.to_str().unwrap(), "--clip", "none"]);
    viewer.wait_for_title("the rest pose", |title| title == "hare.glb - rest pose - rigview");
    viewer.wait_for_same("the rest pose", &Image::shot(&hare, SIZE, &["--clip", "none"]));
    viewer.wait_for_rest();
    viewer.close();
}
