//! Clip blending by mouse, and background exports.

use super::capture::Image;
use super::display::wait_for;
use super::viewer::{Viewer, asset, is_paused};
use std::path::Path;

const SIZE: [u32; 2] = [1000, 700];

/// The field of the second clip's weight, and the end of a drag that sets it to 1.
const WEIGHT: [[u32; 2]; 2] = [[926, 99], [1070, 99]];
/// The cross-fade button of the third clip.
const FADE_TO_THIRD: [u32; 2] = [971, 120];
/// The video tab of the export dialog while it shows an image, and the export button of a video.
const EXPORT_VIDEO: [[u32; 2]; 2] = [[412, 295], [638, 475]];

/// The windmill with panels, paused at the start of its first clip.
fn paused(options: &[&str]) -> Viewer {
    let viewer = Viewer::open_with_panels(SIZE, &[&[asset("windmill.glb").to_str().unwrap()], options].concat());
    viewer.key("space");
    viewer.wait_for_title("it pauses", is_paused);
    viewer.go_to_start();
    viewer
}

fn click(viewer: &Viewer, [x, y]: [u32; 2]) {
    viewer.display.xdotool(&format!("mousemove {x} {y}"));
    viewer.wait_for_rest();
    viewer.display.xdotool("click 1");
}

/// Drags with the pointer.
fn drag(viewer: &Viewer, [x, y]: [u32; 2], [to_x, to_y]: [u32; 2]) {
    viewer.display.xdotool(&format!("mousemove {x} {y}"));
    viewer.wait_for_rest();
    viewer.display.xdotool("mousedown 1");
    viewer.display.xdotool(&format!("mousemove {to_x} {to_y}"));
    viewer.wait_for_rest();
    viewer.display.xdotool("mouseup 1");
}

#[test]
fn clip_weight_matches_screenshot() {
    let [none, all] = WEIGHT;
    let shot = |layers: &[&str]| Image::shot(&asset("windmill.glb"), SIZE, layers);
    // The layer is part of the command, so that both are framed with it.
    let viewer = paused(&["--layer", "yaw:1"]);
    drag(&viewer, none, [none[0] - 144, none[1]]);
    drag(&viewer, none, all);
    viewer.key("Tab");
    viewer.wait_for_same("the second clip, all of it", &shot(&["--layer", "yaw:1"]));
    viewer.close();
    // And back again.
    let viewer = paused(&[]);
    drag(&viewer, none, all);
    drag(&viewer, none, [none[0] - 144, none[1]]);
    viewer.key("Tab");
    viewer.wait_for_same("without it", &shot(&[]));
    viewer.close();
}

#[test]
fn cross_fade_ends_with_target_clip() {
    let viewer = paused(&[]);
    click(&viewer, FADE_TO_THIRD);
    viewer.wait_for_title("it has gone over, playing", |title| {
        title.starts_with("windmill.glb - gust - ") && !is_paused(title)
    });
    viewer.close();
}

/// Files of a folder other than the model.
fn made(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name != "windmill.glb").collect()
}

#[test]
fn video_export_runs_in_background_and_cancels() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("windmill.glb");
    std::fs::copy(asset("windmill.glb"), &file).unwrap();
    let viewer = Viewer::open_with_panels(SIZE, &[file.to_str().unwrap()]);
    viewer.key("space");
    viewer.wait_for_title("it pauses", is_paused);
    let make = || {
        viewer.key("ctrl+e");
        viewer.wait_for_rest();
        let [tab, export] = EXPORT_VIDEO;
        click(&viewer, tab);
        viewer.wait_for_rest();
        click(&viewer, export);
        wait_for("something is being written", || made(folder.path()).pop())
    };
    let unfinished = make();
    assert!(unfinished.ends_with(".tmp"), "{unfinished}");
    // The window goes on meanwhile.
    viewer.key("space");
    viewer.wait_for_title("it plays", |title| !is_paused(title));
    viewer.key("space");
    viewer.wait_for_title("it pauses again", is_paused);
    viewer.key("ctrl+k");
    viewer.display.xdotool("type cancel export");
    viewer.key("Return");
    wait_for("nothing is left", || made(folder.path()).is_empty().then_some(()));
    // Who ends the program by a signal stops what it makes.
    make();
    viewer.ask_to_end();
    assert_eq!(viewer.end(), (Some(0), vec![]));
    assert!(made(folder.path()).is_empty(), "{:?}", made(folder.path()));
}
