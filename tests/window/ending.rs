//! Ways to quit.

use super::capture::Image;
use super::display::Display;
use super::viewer::{Viewer, asset, end, start};
use x11rb::protocol::xproto::ConnectionExt;

const SIZE: [u32; 2] = [400, 300];

fn open() -> Viewer {
    Viewer::open(SIZE, &[asset("hare.glb").to_str().unwrap()])
}

#[test]
fn quit_key_closes_and_escape_closes_bare_view() {
    open().close();
    let viewer = open();
    viewer.key("Escape");
    assert_eq!(viewer.end(), (Some(0), vec![]));
}

#[test]
fn window_manager_close_quits() {
    let viewer = open();
    let delete = viewer.display.atom("WM_DELETE_WINDOW");
    viewer.display.send(viewer.window, "WM_PROTOCOLS", [delete, x11rb::CURRENT_TIME, 0, 0, 0]);
    assert_eq!(viewer.end(), (Some(0), vec![]));
}

#[test]
fn destroyed_window_quits() {
    let viewer = Viewer::paused(SIZE, "hare.glb");
    viewer.wait_for_same("at rest", &Image::shot(&asset("hare.glb"), SIZE, &[]));
    viewer.display.connection.destroy_window(viewer.window).unwrap().check().unwrap();
    assert_eq!(viewer.end(), (Some(0), vec![]));
}

#[test]
fn unreadable_file_exits_with_error_line() {
    let display = Display::start();
    let (code, lines) = end(start(Some(&display), &["no-such-file.glb"]));
    assert_eq!(code, Some(1));
    assert!(lines.len() == 1 && lines[0].starts_with("error: no-such-file.glb: cannot read"), "{lines:?}");
}

#[test]
fn missing_display_error_suggests_shot() {
    let hare = asset("hare.glb");
    let (code, lines) = end(start(None, &[hare.to_str().unwrap()]));
    assert_eq!(code, Some(1));
    assert!(lines.len() == 1 && lines[0].contains("no display") && lines[0].contains("`rigview shot`"), "{lines:?}");
    assert!(!lines[0].contains(".rs"), "{lines:?}");
}
