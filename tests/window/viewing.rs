//! Navigation and window size.

use super::capture::Image;
use super::viewer::{Viewer, asset, is_paused};

const SIZE: [u32; 2] = [400, 300];

/// Drags from the center of the window by an offset, with a button.
fn drag(viewer: &Viewer, button: u32, [right, down]: [i32; 2]) {
    let [x, y] = SIZE.map(|side| side as i32 / 2);
    let (end_x, end_y) = (x + right, y + down);
    viewer.display.xdotool(&format!("mousemove {x} {y} mousedown {button}"));
    viewer.display.xdotool(&format!("mousemove {end_x} {end_y} mouseup {button}"));
}

#[test]
fn pointer_navigates_and_keys_reset_view() {
    let viewer = Viewer::paused(SIZE, "hare.glb");
    let framed = Image::shot(&asset("hare.glb"), SIZE, &[]);
    viewer.wait_for_same("the first view", &framed);
    let ([x, y], size) = framed.fur();
    assert!(size > 5000, "the hare is visible");

    drag(&viewer, 3, [40, -20]);
    viewer.wait_for_image("the model follows the pointer", |image| {
        let ([panned_x, panned_y], _) = image.fur();
        (panned_x - x - 40.0).abs() < 8.0 && (panned_y - y + 20.0).abs() < 8.0
    });
    viewer.key("f");
    viewer.wait_for_same("framed after panning", &framed);

    viewer.display.xdotool("mousemove 200 150 click 5 click 5 click 5");
    viewer.wait_for_image("zooming out", |image| {
        // Three steps of 10 %, or six: winit 0.30 reports each notch of a button wheel twice, at press and
        // release.
        (0.2..0.62).contains(&(image.fur().1 as f64 / size as f64))
    });
    viewer.display.xdotool("click 4 click 4 click 4");
    viewer.wait_for_image("zooming in", |image| (image.fur().1 as f64 / size as f64 - 1.0).abs() < 0.01);
    viewer.key("f");
    viewer.wait_for_same("framed after zooming", &framed);

    drag(&viewer, 1, [60, 0]);
    let turned = viewer.wait_for_image("orbiting", |image| *image != framed);
    let ([turned_x, _], _) = turned.fur();
    assert!((turned_x - x).abs() < 40.0, "it turns where it stands");
    viewer.key("f");
    viewer.key("r");
    viewer.wait_for_title("it plays again", |title| !is_paused(title));
    viewer.key("space");
    viewer.wait_for_title("it pauses", is_paused);
    viewer.go_to_start();
    viewer.wait_for_same("the first view again", &framed);
    viewer.close();
}

#[test]
fn focus_loss_ends_drag() {
    let viewer = Viewer::paused(SIZE, "hare.glb");
    let framed = Image::shot(&asset("hare.glb"), SIZE, &[]);
    viewer.wait_for_same("the first view", &framed);
    viewer.display.xdotool("mousemove 200 150 mousedown 1");
    viewer.display.focus(viewer.display.root);
    viewer.display.focus(viewer.window);
    viewer.display.xdotool("mousemove 300 150");
    // A step and back: what the pointer did has been heard by then.
    viewer.key("Right");
    viewer.wait_for_title("a step", |title| title.contains(" 0.04 / "));
    viewer.key("Left");
    viewer.wait_for_same("the view has not turned", &framed);
    viewer.display.xdotool("mouseup 1");
    viewer.close();
}

#[test]
fn resize_updates_image() {
    let viewer = Viewer::paused(SIZE, "hare.glb");
    for size in [[640, 480], [1200, 100], [60, 600], [1, 1], SIZE] {
        viewer.display.resize(viewer.window, size);
        viewer.wait_for_same(&format!("{size:?}"), &Image::shot(&asset("hare.glb"), size, &[]));
    }
    // A storm of sizes; only the last one counts.
    for side in 100..200 {
        viewer.display.resize(viewer.window, [2 * side, side]);
    }
    viewer.wait_for_same("after a storm", &Image::shot(&asset("hare.glb"), [398, 199], &[]));
    viewer.wait_for_rest();
    viewer.close();
}
