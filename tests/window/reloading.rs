//! Reload of a changed file.

use super::capture::Image;
use super::viewer::{Viewer, asset, is_paused, time};

const SIZE: [u32; 2] = [400, 300];

#[test]
fn reload_keeps_state_and_broken_file_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.glb");
    std::fs::copy(asset("windmill.glb"), &file).unwrap();
    let viewer = Viewer::open(SIZE, &[file.to_str().unwrap(), "--clip", "gust"]);
    viewer.key("space");
    viewer.wait_for_title("it pauses", is_paused);
    viewer.go_to_start();
    viewer.key("shift+Right");
    viewer.key("1");
    let there = viewer.wait_for_title("ten frames on", |title| time(title) == Some(0.42));
    let gust = |name: &str| Image::shot(&asset(name), SIZE, &["--clip", "gust", "--time", "0.4166666"]);
    viewer.wait_for_image("from the front", |image| *image != gust("windmill.glb"));
    viewer.wait_for_rest();
    let before = viewer.image();

    // Reload of the same file: a notification appears for some seconds.
    std::fs::copy(asset("windmill.glb"), &file).unwrap();
    viewer.wait_for_image("a notification appears", |image| *image != before);
    viewer.wait_for_same("all as it was", &before);
    assert_eq!(viewer.title(), there);

    // A truncated file, then the rest: the truncated one causes no notification.
    let bytes = std::fs::read(asset("windmill.glb")).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(400));
    assert_eq!(viewer.title(), there);
    std::fs::write(&file, &bytes).unwrap();
    viewer.wait_for_image("a notification of the complete file", |image| *image != before);
    viewer.wait_for_same("all as it was, again", &before);

    // Another model in its place, by renaming, as careful programs write: what is no longer there is let go.
    let beside = folder.path().join("model.tmp");
    std::fs::copy(asset("hare.glb"), &beside).unwrap();
    std::fs::rename(&beside, &file).unwrap();
    // Of a clip that is gone, the one in its place.
    viewer.wait_for_title("the hare", |title| title.starts_with("model.glb - listen - 0.42 / ") && is_paused(title));
    viewer.close();
}

#[test]
fn version_before_reload_is_compared_without_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.glb");
    std::fs::copy(asset("hare.glb"), &file).unwrap();
    let viewer = Viewer::open(SIZE, &[file.to_str().unwrap(), "--clip", "none"]);
    // The comparison frames both versions, unless the user moved the camera.
    viewer.key("plus");
    viewer.wait_for_rest();
    let before = viewer.image();
    std::fs::copy(asset("windmill.glb"), &file).unwrap();
    viewer.wait_for_image("the view of the new version", |image| *image != before);
    let after = viewer.wait_for_last_notification();
    std::fs::remove_file(&file).unwrap();
    viewer.key("ctrl+shift+r");
    viewer.key("i");
    viewer.wait_for_same("the version before the reload", &before);
    viewer.wait_for_same("the version after the reload", &after);
    viewer.close();
}
