//! Exports from the dialog.

use super::display::wait_for;
use super::viewer::{Viewer, asset, is_paused};
use std::path::Path;
use std::time::{Duration, Instant};

const SIZE: [u32; 2] = [800, 600];

/// A folder with a model, and a program `xdg-open` that writes its argument to a file.
fn folder() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(asset("hare.glb"), folder.path().join("hare.glb")).unwrap();
    std::fs::create_dir(folder.path().join("bin")).unwrap();
    let program = folder.path().join("bin/xdg-open");
    let opened = folder.path().join("opened");
    std::fs::write(&program, format!("#!/bin/sh\nprintf %s \"$1\" > {}\n", opened.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// Opens the dialog, types a name, and starts the export of an image with Enter.
fn export_as(viewer: &Viewer, name: &str) {
    let before = viewer.image();
    viewer.key("ctrl+e");
    viewer.wait_for_image("the dialog", |image| *image != before);
    // The field of the name.
    let [x, y] = [SIZE[0] / 2 - 20, SIZE[1] / 5 + 81];
    viewer.display.xdotool(&format!("mousemove {x} {y} click 1"));
    viewer.key("ctrl+a");
    viewer.display.xdotool(&format!("type {name}"));
    viewer.key("Return");
}

fn open(folder: &Path) -> Viewer {
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap());
    let model = folder.join("hare.glb");
    let viewer = Viewer::open_with_path(SIZE, &path, &["--no-ui", model.to_str().unwrap()]);
    viewer.key("space");
    viewer.wait_for_title("it pauses", is_paused);
    viewer
}

#[test]
fn image_is_exported_by_name_and_its_folder_opens() {
    let folder = folder();
    let viewer = open(folder.path());
    export_as(&viewer, "ears");
    let file = folder.path().join("ears.png");
    let image = wait_for("the image", || image::open(&file).ok());
    assert_eq!([image.width(), image.height()], [1440, 1080], "1080p in the aspect of the view");
    // The card of the notification is centered; its width depends on the path.
    let clicked = (30..400).step_by(12).any(|x| {
        viewer.display.xdotool(&format!("mousemove {x} {} click 1", SIZE[1] - 32));
        std::thread::sleep(Duration::from_millis(150));
        folder.path().join("opened").exists()
    });
    assert!(clicked, "no button opens the folder");
    let opened = wait_for("the argument", || {
        std::fs::read_to_string(folder.path().join("opened")).ok().filter(|text| !text.is_empty())
    });
    assert_eq!(Path::new(&opened), folder.path().canonicalize().unwrap());
    viewer.close();
}

#[test]
fn window_closes_during_an_export_without_partial_files() {
    let folder = folder();
    let viewer = open(folder.path());
    export_as(&viewer, "late");
    std::thread::sleep(Duration::from_millis(150));
    let start = Instant::now();
    viewer.key("ctrl+q");
    let (code, lines) = viewer.end();
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert_eq!(code, Some(0), "{lines:?}");
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let is_known = ["hare.glb", "bin"].iter().any(|name| path.ends_with(name));
        assert!(is_known || (path.ends_with("late.png") && image::open(&path).is_ok()), "{}", path.display());
    }
}

/// The video tab of the export dialog, and the export button of a video.
const EXPORT_VIDEO: [[u32; 2]; 2] = [[408, 187], [640, 405]];

fn click(viewer: &Viewer, [x, y]: [u32; 2]) {
    viewer.display.xdotool(&format!("mousemove {x} {y}"));
    viewer.wait_for_rest();
    viewer.display.xdotool("click 1");
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
    let viewer = Viewer::open_with_panels([1000, 700], &[file.to_str().unwrap()]);
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
