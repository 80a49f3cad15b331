//! Opening other files in the same window.

use super::capture::Image;
use super::drop::drop_on;
use super::viewer::{Viewer, asset, is_paused};
use std::path::Path;

const SIZE: [u32; 2] = [400, 300];

impl Viewer {
    fn drop_files(&self, files: &[&Path]) {
        drop_on(&self.display, self.window, files);
    }
}

#[test]
fn dropped_file_opens_and_broken_file_changes_nothing() {
    let viewer = Viewer::open(SIZE, &[asset("windmill.glb").to_str().unwrap(), "--clip", "yaw"]);
    let (windmill, hare) = (asset("windmill.glb"), asset("hare.glb"));
    viewer.drop_files(&[&hare]);
    viewer.wait_for_title("the hare plays", |title| title.starts_with("hare.glb - nod - ") && !is_paused(title));
    viewer.key("space");
    viewer.wait_for_title("it pauses", is_paused);
    viewer.go_to_start();
    let image = Image::shot(&hare, SIZE, &[]);
    viewer.wait_for_same("the hare", &image);

    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.glb");
    std::fs::write(&broken, b"glTF, or so it says").unwrap();
    let texture = folder.path().join("texture.png");
    std::fs::write(&texture, b"").unwrap();
    viewer.drop_files(&[&broken]);
    viewer
        .wait_for_title("the title shows the error", |title| title.starts_with("cannot open broken.glb - hare.glb - "));
    viewer.wait_for_title("but not for ever", |title| title == "hare.glb - nod - 0.00 / 3.00 s (paused) - rigview");
    viewer.wait_for_same("still the hare", &image);

    // Several in a row: the last one stays. Several at once: the model, not what lies beside it.
    viewer.drop_files(&[&windmill]);
    viewer.drop_files(&[&hare]);
    viewer.drop_files(&[&windmill, &texture]);
    viewer.wait_for_title("the windmill", |title| title.starts_with("windmill.glb - turn - "));
    viewer.key("ctrl+q");
    let (code, lines) = viewer.end();
    assert_eq!(code, Some(0));
    let [line] = &lines[..] else { panic!("expected one line: {lines:?}") };
    assert!(line.starts_with("error: ") && line.contains("broken.glb: "), "{line}");
}

#[test]
fn dropped_motion_plays_on_the_open_character() {
    let motion = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book/motion").join(name);
    let viewer = Viewer::open(SIZE, &[motion("body.glb").to_str().unwrap()]);
    viewer.drop_files(&[&motion("walk.bvh")]);
    viewer.wait_for_title("the character walks", |title| title.starts_with("body.glb - walk - ") && !is_paused(title));
    viewer.key("ctrl+q");
    let (code, lines) = viewer.end();
    let [line] = &lines[..] else { panic!("expected one line: {lines:?}") };
    assert!(code == Some(0) && line.starts_with("notice: ") && line.contains("other names"), "{line}");
}

#[test]
fn motion_plays_on_the_model_that_is_dropped_with_it() {
    let motion = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book/motion").join(name);
    let viewer = Viewer::open(SIZE, &[asset("hare.glb").to_str().unwrap()]);
    viewer.drop_files(&[&motion("walk.bvh"), &motion("body.glb")]);
    viewer.wait_for_title("the new character walks", |title| title.starts_with("body.glb - walk - "));
    viewer.key("ctrl+q");
    assert_eq!(viewer.end().0, Some(0));
}

#[test]
fn files_play_on_the_pinned_model() {
    let (motion, folder) =
        (Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book/motion"), tempfile::tempdir().unwrap());
    std::fs::create_dir(folder.path().join("clips")).unwrap();
    for (from, to) in [("body.glb", "a.glb"), ("walk.bvh", "clips/b.bvh"), ("walk.bvh", "clips/c.bvh")] {
        std::fs::copy(motion.join(from), folder.path().join(to)).unwrap();
    }
    let viewer = Viewer::open(SIZE, &[folder.path().to_str().unwrap()]);
    viewer.wait_for_title("the character", |title| title.starts_with("a.glb - "));
    viewer.key("shift+k");
    for (key, title) in [("Next", "a.glb - b - "), ("Next", "a.glb - c - "), ("Prior", "a.glb - b - ")] {
        viewer.key(key);
        viewer.wait_for_title(title, |seen| seen.starts_with(title));
    }
    viewer.drop_files(&[&motion.join("walk.bvh")]);
    viewer.wait_for_title("the dropped motion", |title| title.starts_with("a.glb - walk - "));
    viewer.key("F12");
    let text = super::display::wait_for("the image is saved", || {
        let names = || std::fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.path());
        let image = names().find(|file| file.extension().is_some_and(|extension| extension == "png"))?;
        Some(String::from_utf8_lossy(&std::fs::read(image).ok()?).into_owned()).filter(|text| text.contains("IEND"))
    });
    assert!(text.contains("walk.bvh") && !text.contains("clips/b.bvh"), "the command");
    viewer.key("shift+k");
    viewer.key("Next");
    viewer.wait_for_title("the file after the model", |title| title.starts_with("b.bvh - "));
    viewer.key("ctrl+q");
    assert_eq!(viewer.end().0, Some(0));
}

#[test]
fn broken_file_dropped_on_empty_window_opens_when_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.glb");
    std::fs::write(&broken, b"glTF, or so it says").unwrap();
    let viewer = Viewer::open(SIZE, &[]);
    viewer.drop_files(&[&broken]);
    viewer.wait_for_title("the title shows the error", |title| title.starts_with("cannot open broken.glb"));
    std::fs::copy(asset("hare.glb"), &broken).unwrap();
    viewer.wait_for_title("the hare", |title| title.starts_with("broken.glb - "));
    viewer.key("ctrl+q");
    let (code, lines) = viewer.end();
    assert_eq!((code, lines.len()), (Some(0), 1), "{lines:?}");
}

/// A folder with models whose natural order differs from their alphabetical one.
fn folder_of_models() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (model, name) in [("windmill.glb", "m10.glb"), ("hare.glb", "m9.glb"), ("hare.glb", ".m1.glb")] {
        std::fs::copy(asset(model), folder.path().join(name)).unwrap();
    }
    folder
}

#[test]
fn folder_on_the_command_line_is_the_file_list() {
    let folder = folder_of_models();
    let viewer = Viewer::open(SIZE, &[folder.path().to_str().unwrap()]);
    viewer.wait_for_title("the first model", |title| title.starts_with("m9.glb - nod - "));
    viewer.key("Next");
    viewer.wait_for_title("the second model", |title| title.starts_with("m10.glb - turn - "));
    viewer.key("Next");
    viewer.wait_for_title("the first model again", |title| title.starts_with("m9.glb - nod - "));
    viewer.close();
}

#[test]
fn dropped_folder_replaces_the_file_list_and_an_empty_one_changes_nothing() {
    let (folder, empty) = (folder_of_models(), tempfile::tempdir().unwrap());
    let viewer = Viewer::open(SIZE, &[asset("windmill.glb").to_str().unwrap()]);
    viewer.drop_files(&[folder.path()]);
    viewer.wait_for_title("the first model", |title| title.starts_with("m9.glb - nod - "));
    viewer.key("Prior");
    viewer.wait_for_title("the last model", |title| title.starts_with("m10.glb - turn - "));
    viewer.drop_files(&[empty.path()]);
    viewer.wait_for_title("the error", |title| title.starts_with("cannot open "));
    viewer.wait_for_title("the model stays", |title| title.starts_with("m10.glb - turn - "));
    viewer.key("Next");
    viewer.wait_for_title("the list stays", |title| title.starts_with("m9.glb - nod - "));
    viewer.key("ctrl+q");
    let (code, lines) = viewer.end();
    assert_eq!(code, Some(0));
    let [line] = &lines[..] else { panic!("expected one line: {lines:?}") };
    assert!(
        line.ends_with("no .glb, .gltf, .vrm, .vrma, .bvh or .zip file in this folder or its subfolders"),
        "{line}"
    );
}

#[test]
fn empty_folder_on_the_command_line_opens_window_with_error() {
    let empty = tempfile::tempdir().unwrap();
    let viewer = Viewer::open(SIZE, &[empty.path().to_str().unwrap()]);
    viewer.wait_for_title("the error", |title| title.starts_with("cannot open "));
    viewer.key("ctrl+q");
    let (code, lines) = viewer.end();
    assert_eq!((code, lines.len()), (Some(0), 1), "{lines:?}");
}
