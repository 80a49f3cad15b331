//! The panels, driven by mouse and keyboard.

use super::capture::Image;
use super::display::wait_for;
use super::viewer::{Viewer, asset, is_paused, time};
use std::path::Path;

const SIZE: [u32; 2] = [1000, 700];

/// The program with panels, paused at the start of its first clip.
fn paused(model: &str) -> Viewer {
    let viewer = Viewer::open_with_panels(SIZE, &[asset(model).to_str().unwrap()]);
    viewer.key("space");
    viewer.wait_for_title("it pauses", is_paused);
    viewer.go_to_start();
    viewer
}

#[test]
fn tab_hides_panels_and_shows_exact_image() {
    let viewer = paused("windmill.glb");
    let shot = Image::shot(&asset("windmill.glb"), SIZE, &[]);
    let with_panels = viewer.wait_for_image("panels are there", |image| *image != shot);
    viewer.key("Tab");
    viewer.wait_for_same("only the model", &shot);
    viewer.key("Tab");
    viewer.wait_for_same("the panels again", &with_panels);
    viewer.wait_for_rest();
    viewer.close();
}

#[test]
fn click_selects_joint_and_drag_does_not() {
    let viewer = paused("hare.glb");
    viewer.display.xdotool("mousemove 480 10");
    viewer.wait_for_rest();
    let before = viewer.image();
    let [x, y] = before.fur().0;
    viewer.display.xdotool(&format!("mousemove {x:.0} {y:.0} click 1 mousemove 480 10"));
    viewer.wait_for_image("something is selected", |image| *image != before);
    viewer.key("ctrl+shift+a");
    viewer.display.xdotool("mousemove 480 10");
    // The tree keeps what has been opened to show the joint; what is next to it is as it was.
    viewer.wait_for_rest();
    viewer.close();
}

#[test]
fn page_keys_step_through_files() {
    let files = [asset("windmill.glb"), asset("hare.glb")].map(|file| file.to_str().unwrap().to_owned());
    let viewer = Viewer::open([400, 300], &[&files[0], &files[1]]);
    viewer.wait_for_title("the first", |title| title.starts_with("windmill.glb - "));
    for (key, name) in [("Next", "hare.glb - "), ("Next", "windmill.glb - "), ("Prior", "hare.glb - ")] {
        viewer.key(key);
        viewer.wait_for_title(name, |title| title.starts_with(name));
    }
    viewer.close();
}

#[test]
fn click_on_a_thumbnail_opens_its_file() {
    let files = [asset("windmill.glb"), asset("hare.glb")].map(|file| file.to_str().unwrap().to_owned());
    let viewer = Viewer::open_with_panels([1000, 700], &[&files[0], &files[1]]);
    // The second tile, between the view, where a sail can have the color of the fur, and the timeline.
    let [left, top] = [220, 530];
    let tile = |image: &Image| image.crop([left, top], [88, 90]);
    let has_fur = |image: &Image| tile(image).fur().1 > 100;
    let [x, y] = tile(&viewer.wait_for_image("the thumbnail of the hare", has_fur)).fur().0;
    let [x, y] = [f64::from(left) + x.round(), f64::from(top) + y.round()];
    viewer.display.xdotool(&format!("mousemove {x} {y} click 1"));
    viewer.wait_for_title("the hare", |title| title.starts_with("hare.glb - "));
    viewer.key("shift+F4");
    viewer.wait_for_image("no strip", |image| !has_fur(image));
    viewer.close();
}

#[test]
fn problems_include_broken_rules_of_a_profile() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("rules.toml");
    // The windmill has 11,155 triangles and neither errors nor warnings.
    for (limit, is_broken) in [(11_155, false), (11_154, true)] {
        std::fs::write(&profile, format!("[limits]\ntriangles = {limit}\n")).unwrap();
        let model = asset("windmill.glb");
        let arguments = [model.to_str().unwrap(), "--profile", profile.to_str().unwrap()];
        let viewer = Viewer::open_with_panels(SIZE, &arguments);
        viewer.key("F8");
        // The severity in the color of errors.
        let has_error = |image: &Image| image.pixels_of([242, 112, 106]).1 > 10;
        if is_broken {
            viewer.wait_for_image("an error", has_error);
        } else {
            viewer.key("space");
            viewer.wait_for_rest();
            assert!(!has_error(&viewer.image()), "an error within the limit");
        }
        viewer.close();
    }
}

#[test]
fn flex_tab_shows_worst_poses_and_undo_restores_the_clip() {
    let viewer = Viewer::open_with_panels(SIZE, &[asset("mannequin.glb").to_str().unwrap()]);
    viewer.key("space");
    viewer.wait_for_title("it pauses", is_paused);
    viewer.key("shift+F8");
    viewer.wait_for_rest();
    // The card of the second joint.
    viewer.display.xdotool("mousemove 900 212 click 1 mousemove 480 10");
    viewer.wait_for_title("the rest pose", |title| title.starts_with("mannequin.glb - rest pose"));
    viewer.key("Tab");
    // Gray is no weight, green a half, red all; the mannequin is orange.
    let has = |image: &Image, is_color: fn([u8; 4]) -> bool| {
        image.to_rgba().rgba().as_chunks().0.iter().any(|pixel| is_color(*pixel))
    };
    viewer.wait_for_image("its weights from near", |image| {
        has(image, |[r, g, b, _]| g > 150 && r < 60 && b < 60) && has(image, |[r, g, b, _]| r > 180 && g < 60 && b < 60)
    });
    viewer.key("ctrl+z");
    viewer.wait_for_title("the clip", |title| title.starts_with("mannequin.glb - walk"));
    viewer.key("Tab");
    viewer.wait_for_rest();
    viewer.display.xdotool("mousemove 690 101 click 1");
    viewer.wait_for_title("the range of motion test", |title| title.starts_with("mannequin.glb - rest pose"));
    let first = viewer.image();
    viewer.wait_for_image("it moves", |image| *image != first);
    viewer.close();
}

#[test]
fn dragged_hand_moves_its_arm() {
    let viewer = Viewer::open_with_panels(SIZE, &[asset("mannequin.glb").to_str().unwrap(), "--clip", "none"]);
    viewer.key("1");
    // The row of the left hand in the outliner.
    viewer.display.xdotool("mousemove 125 249 click 1 key y mousemove 585 296");
    viewer.wait_for_rest();
    let before = viewer.image();
    let marker = before.pixel([585, 296]);
    // Rings and the other marks cover a part of the mark.
    let is_marked =
        |image: &Image, [x, y]: [u32; 2]| (x - 6..x + 6).any(|x| (y - 6..y + 6).any(|y| image.pixel([x, y]) == marker));
    assert!(!is_marked(&before, [520, 220]));
    viewer.display.xdotool("mousedown 1 mousemove 560 280 mousemove 520 220 mouseup 1");
    viewer.wait_for_image("the hand is at the pointer", |image| {
        is_marked(image, [520, 220]) && !is_marked(image, [585, 296])
    });
    viewer.key("ctrl+z");
    viewer.display.xdotool("mousemove 585 296");
    viewer.wait_for_image("the hand is back", |image| is_marked(image, [585, 296]));
    viewer.close();
}

/// A character with a walk of another rig in a folder, paused at the start, with its panels.
fn retargeted(folder: &Path) -> Viewer {
    let motion = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book/motion");
    let [body, walk] = ["body.glb", "walk.bvh"].map(|name| {
        std::fs::copy(motion.join(name), folder.join(name)).unwrap();
        folder.join(name).to_str().unwrap().to_owned()
    });
    let viewer = Viewer::open_with_panels(SIZE, &[&body, "--clips-from", &walk, "--retarget"]);
    viewer.key("space");
    viewer.wait_for_title("it pauses", is_paused);
    viewer.key("ctrl+Home");
    viewer.wait_for_title("the start", |title| title.starts_with("body.glb - walk") && time(title) == Some(0.0));
    viewer
}

#[test]
fn changed_role_is_saved_and_fits_the_clip_again() {
    let folder = tempfile::tempdir().unwrap();
    let viewer = retargeted(folder.path());
    viewer.key("ctrl+k");
    viewer.display.xdotool("type retarget");
    viewer.key("Return");
    viewer.wait_for_rest();
    // The joint of the model for the left lower arm, then the first entry of its menu: none.
    viewer.display.xdotool("mousemove 920 473 click 1");
    viewer.wait_for_rest();
    viewer.display.xdotool("mousemove 920 148 click 1");
    let map = folder.path().join("body.rigmap.toml");
    let text = wait_for("the map is saved", || std::fs::read_to_string(&map).ok());
    assert!(text.contains("leftLowerArm = ''") && text.contains("rightUpperLeg = \"thigh.R\""), "{text}");
    viewer.wait_for_rest();
    let printed = std::process::Command::new(env!("CARGO_BIN_EXE_rigview"))
        .args(["rig-map", folder.path().join("body.glb").to_str().unwrap()])
        .output()
        .unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert!(printed.lines().any(|line| line.contains("leftLowerArm") && line.ends_with("missing")), "{printed}");
    viewer.key("ctrl+q");
    assert_eq!(viewer.end().0, Some(0));
}

#[test]
fn head_follows_the_pointer() {
    let viewer = Viewer::open_with_panels(SIZE, &[asset("mannequin.glb").to_str().unwrap(), "--clip", "none"]);
    viewer.wait_for_rest();
    let at = |position: &str| {
        viewer.display.xdotool(&format!("mousemove {position}"));
        viewer.wait_for_rest();
        viewer.image()
    };
    let [left, right] = ["260 300", "560 300"];
    assert!(at(left) == at(right), "the head is as in the clip");
    viewer.display.xdotool("mousemove 896 201 click 1");
    viewer.wait_for_rest();
    let seen = [at(left), at(right), at(left)];
    assert!(seen[0] != seen[1] && seen[0] == seen[2], "the head turns and comes back");
    viewer.close();
}

#[test]
fn keyboard_focus_moves_through_the_panels() {
    let viewer = paused("windmill.glb");
    viewer.display.xdotool("mousemove 480 10");
    viewer.wait_for_rest();
    let before = viewer.image();
    viewer.key("ctrl+Tab");
    let focused = viewer.wait_for_image("the first control has the focus", |image| *image != before);
    viewer.key("Tab");
    viewer.wait_for_image("the next control has the focus", |image| *image != focused && *image != before);
    viewer.key("space");
    viewer.wait_for_rest();
    assert!(is_paused(&viewer.title()), "Space activates the control and does not play");
    viewer.key("Escape");
    viewer.key("Escape");
    viewer.wait_for_same("the view has the keyboard again", &before);
    viewer.key("space");
    viewer.wait_for_title("it plays", |title| !is_paused(title));
    viewer.close();
}
