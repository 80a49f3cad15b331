//! Ways to quit.

use super::capture::Image;
use super::display::{Display, Program, wait_for};
use super::viewer::{Viewer, asset, end, start};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use x11rb::protocol::xproto::ConnectionExt;

const SIZE: [u32; 2] = [400, 300];

fn open() -> Viewer {
    Viewer::open(SIZE, &[asset("hare.glb").to_str().unwrap()])
}

#[test]
fn escape_shows_panels_and_never_quits() {
    let viewer = Viewer::paused(SIZE, "hare.glb");
    let shot = Image::shot(&asset("hare.glb"), SIZE, &[]);
    viewer.wait_for_same("only the model", &shot);
    viewer.key("Escape");
    viewer.wait_for_image("panels", |image| *image != shot);
    viewer.key("Escape");
    viewer.key("Escape");
    viewer.key("Tab");
    viewer.close();
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
fn unreadable_file_opens_window_with_error() {
    let viewer = Viewer::open_with_panels(SIZE, &["no-such-file.glb"]);
    viewer.wait_for_title("the error", |title| title == "cannot open no-such-file.glb - rigview");
    viewer.key("ctrl+q");
    let (code, lines) = viewer.end();
    assert_eq!(code, Some(0));
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

#[test]
fn start_from_the_desktop_without_opengl_shows_the_error_in_a_dialog() {
    let folder = tempfile::tempdir().unwrap();
    let (zenity, text) = (folder.path().join("zenity"), folder.path().join("text"));
    std::fs::write(&zenity, format!("#!/bin/sh\necho \"$@\" > '{}'\n", text.display())).unwrap();
    std::fs::set_permissions(&zenity, PermissionsExt::from_mode(0o755)).unwrap();
    let display = Display::start();
    let run = |stdout: Stdio| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rigview"));
        command.env("DISPLAY", &display.name).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        command
            .env("PATH", format!("{}:/usr/bin:/bin", folder.path().display()))
            .env("MESA_GL_VERSION_OVERRIDE", "2.1");
        command.arg("--no-config").arg(asset("hare.glb")).stdin(Stdio::null()).stdout(stdout).stderr(Stdio::null());
        let mut program = Program(command.spawn().unwrap());
        wait_for("the program ends", || program.0.try_wait().unwrap()).code()
    };
    assert_eq!(run(Stdio::piped()), Some(1));
    assert!(!text.exists(), "a script gets no dialog");
    assert_eq!(run(Stdio::null()), Some(1));
    let text = std::fs::read_to_string(text).unwrap();
    assert!(text.contains("--error") && text.contains("OpenGL"), "{text}");
}
