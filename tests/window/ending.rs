//! The ways in which it ends.

use super::display::Display;
use super::picture::Picture;
use super::viewer::{Viewer, asset, end, start};
use x11rb::protocol::xproto::ConnectionExt;

const SIZE: [u32; 2] = [400, 300];

fn open() -> Viewer {
    Viewer::open(SIZE, &[asset("hare.glb").to_str().unwrap()])
}

#[test]
fn its_key_closes_it_and_escape_where_there_is_nothing_but_the_model() {
    open().close();
    let viewer = open();
    viewer.key("Escape");
    assert_eq!(viewer.end(), (Some(0), vec![]));
}

#[test]
fn the_window_manager_closes_it() {
    let viewer = open();
    let delete = viewer.display.atom("WM_DELETE_WINDOW");
    viewer.display.send(viewer.window, "WM_PROTOCOLS", [delete, x11rb::CURRENT_TIME, 0, 0, 0]);
    assert_eq!(viewer.end(), (Some(0), vec![]));
}

#[test]
fn a_window_that_is_taken_away_ends_it() {
    let viewer = Viewer::paused(SIZE, "hare.glb");
    viewer.wait_for_same("at rest", &Picture::shot(&asset("hare.glb"), SIZE, &[]));
    viewer.display.connection.destroy_window(viewer.window).unwrap().check().unwrap();
    assert_eq!(viewer.end(), (Some(0), vec![]));
}

#[test]
fn a_file_that_cannot_be_read_ends_it_with_a_line() {
    let display = Display::start();
    let (code, lines) = end(start(Some(&display), &["no-such-file.glb"]));
    assert_eq!(code, Some(1));
    assert!(lines.len() == 1 && lines[0].starts_with("error: no-such-file.glb: cannot read"), "{lines:?}");
}

#[test]
fn without_a_display_it_names_another_way() {
    let hare = asset("hare.glb");
    let (code, lines) = end(start(None, &[hare.to_str().unwrap()]));
    assert_eq!(code, Some(1));
    assert!(lines.len() == 1 && lines[0].contains("no display") && lines[0].contains("`rigview shot`"), "{lines:?}");
    assert!(!lines[0].contains(".rs"), "{lines:?}");
}
