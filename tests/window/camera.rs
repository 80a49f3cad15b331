//! Camera gestures: zoom towards the pointer, pivot, framing, projection, view gizmo.

use super::capture::Image;
use super::viewer::{Viewer, asset, is_paused};

const SIZE: [u32; 2] = [400, 300];

/// Color of the upper end of the view gizmo in the first view.
const UP_AXIS: [u8; 3] = [72, 132, 26];

#[test]
fn wheel_zooms_towards_pointer() {
    let viewer = Viewer::paused(SIZE, "hare.glb");
    let framed = Image::shot(&asset("hare.glb"), SIZE, &[]);
    viewer.wait_for_same("the first view", &framed);
    let ([x, y], size) = framed.fur();
    viewer.display.xdotool("mousemove 40 30 click 5 click 5 click 5");
    viewer.wait_for_image("the model moves towards the pointer", |image| {
        let ([zoomed_x, zoomed_y], zoomed) = image.fur();
        let scale = (zoomed as f64 / size as f64).sqrt();
        let expected = [40.0 + (x - 40.0) * scale, 30.0 + (y - 30.0) * scale];
        scale < 0.8 && (zoomed_x - expected[0]).abs() < 8.0 && (zoomed_y - expected[1]).abs() < 8.0
    });
    viewer.key("Home");
    viewer.wait_for_same("framed", &framed);
    viewer.close();
}

#[test]
fn double_click_sets_pivot_and_f_frames_selection() {
    let viewer = Viewer::paused(SIZE, "hare.glb");
    let framed = Image::shot(&asset("hare.glb"), SIZE, &[]);
    viewer.wait_for_same("the first view", &framed);
    let ([x, y], _) = framed.fur();
    let (pointer_x, pointer_y) = (x.round() as i32 - 15, y.round() as i32);
    viewer.display.xdotool(&format!("mousemove {pointer_x} {pointer_y} click 1 click 1"));
    let expected = x + 200.0 - f64::from(pointer_x);
    viewer.wait_for_image("the point is in the center", |image| {
        let ([moved, _], _) = image.fur();
        *image != framed && (moved - expected).abs() < 12.0
    });
    // The first click selected a joint.
    let pivoted = viewer.image();
    viewer.key("f");
    let close = viewer.wait_for_image("the joint is framed", |image| *image != pivoted);
    viewer.key("Home");
    viewer.wait_for_same("everything is framed", &framed);
    assert!(close != framed, "the joint is not the whole model");
    viewer.close();
}

#[test]
fn axis_of_view_gizmo_sets_direction() {
    let viewer = Viewer::open_with_panels([1000, 700], &[asset("hare.glb").to_str().unwrap()]);
    viewer.key("space");
    viewer.wait_for_title("it pauses", is_paused);
    let before = viewer.wait_for_image("the gizmo is there", |image| image.pixels_of(UP_AXIS).1 > 40);
    let ([x, y], _) = before.pixels_of(UP_AXIS);
    viewer.display.xdotool(&format!("mousemove {} {} click 1 mousemove 500 690", x.round(), y.round()));
    viewer.wait_for_image("the view is another one", |image| image.pixels_of(UP_AXIS).1 == 0);
    viewer.wait_for_rest();
    let from_above = viewer.image();
    viewer.key("7");
    viewer.wait_for_rest();
    assert!(viewer.image() == from_above, "the key of the same view changes nothing");
    viewer.close();
}
