//! A driver that loses the context of the window.

use super::display::wait_for;
use super::viewer::{Viewer, asset, is_paused};
use std::path::{Path, PathBuf};

const SIZE: [u32; 2] = [900, 600];

const NOTICE: &str = "notice: the graphics driver was reset; all is uploaded again";

/// Opens a paused model with panels. Returns the window, and the file whose existence loses its context.
fn open(folder: &Path) -> (Viewer, PathBuf) {
    let trigger = folder.join("lose");
    let variable = ("RIGVIEW_LOSE_CONTEXT", trigger.to_str().unwrap());
    let viewer = Viewer::open_with_variable(SIZE, variable, &[asset("hare.glb").to_str().unwrap()]);
    viewer.key("space");
    viewer.wait_for_title("it pauses", is_paused);
    viewer.go_to_start();
    (viewer, trigger)
}

/// Loses the context at the next frame, which the pointer over a panel draws.
fn lose(viewer: &Viewer, trigger: &Path) {
    std::fs::write(trigger, []).unwrap();
    let mut row = 0;
    wait_for("the context is lost", || {
        row = (row + 7) % 200;
        viewer.display.xdotool(&format!("mousemove 20 {}", 100 + row));
        (!trigger.exists()).then_some(())
    });
    viewer.display.xdotool("mousemove 450 300");
}

#[test]
fn lost_context_is_replaced_and_nothing_else_changes() {
    let folder = tempfile::tempdir().unwrap();
    let (viewer, trigger) = open(folder.path());
    for key in ["Right", "Right", "h"] {
        viewer.key(key);
        viewer.wait_for_rest();
    }
    viewer.display.xdotool("mousemove 450 300 click 4 click 4");
    let before = viewer.wait_for_last_notification();
    let title = viewer.title();
    for _ in 0..2 {
        lose(&viewer, &trigger);
        viewer.wait_for_same("the same view, pose and panels", &before);
        viewer.wait_for_title("the same clip and time", |now| now == title);
    }
    viewer.key("ctrl+z");
    viewer.wait_for_image("the change before the loss is undone", |image| *image != before);
    viewer.key("ctrl+q");
    assert_eq!(viewer.end(), (Some(0), vec![NOTICE.to_owned(); 2]));
}

#[test]
fn context_that_is_lost_again_and_again_ends_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let (viewer, trigger) = open(folder.path());
    (0..4).for_each(|_| lose(&viewer, &trigger));
    let (code, lines) = viewer.end();
    assert_eq!((code, lines.len()), (Some(1), 4), "{lines:?}");
    assert_eq!(lines[..3], [NOTICE; 3]);
    let error = "error: the graphics driver was reset several times in a minute, while drawing in the window";
    assert!(lines[3].starts_with(error), "{lines:?}");
}
