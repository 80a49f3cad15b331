//! The command in a saved image renders the same bytes, in another folder.

use super::display::wait_for;
use super::viewer::{Viewer, asset, is_paused};
use std::path::Path;
use std::process::Command;

const SIZE: [u32; 2] = [400, 300];

/// Turns and moves the camera, so that the command names it.
const ORBIT: &str = "mousemove 200 150 mousedown 1 mousemove 170 160 mouseup 1";
const ZOOM: &str = "mousemove 120 90 click 4";

/// Model, options, and input of each view.
const VIEWS: [(&str, &[&str], &[&str]); 14] = [
    ("hare.glb", &[], &[]),
    ("hare.glb", &["--overlay", "grid"], &[]),
    ("hare.glb", &[], &["key g", ORBIT, ZOOM]),
    ("hare.glb", &["--view-mode", "weights:head"], &["key w", ORBIT]),
    ("hare.glb", &["--clip", "1", "--overlay", "skeleton,axes,bounds,scale-figure"], &["key o", "key t", "key s"]),
    ("hare.glb", &["--overlay", "rest-pose,grid"], &[]),
    ("hare.glb", &["--overlay", "grid"], &["key 5", "key 7", ZOOM]),
    ("hare.glb", &["--light", "0.6,0.5,0.4,2", "--exposure", "0.37"], &["key g", "key q", "key k", ORBIT]),
    ("hare.glb", &["--instances", "9", "--layout", "scatter", "--seed", "3"], &[ZOOM]),
    (
        "windmill.glb",
        &["--environment", "sunset", "--overlay", "grid"],
        &["key q", "key k", "key k", "key k", "key k", ORBIT],
    ),
    ("mannequin.glb", &["--feet-on", "slope:20", "--look-at", "camera"], &[ORBIT]),
    ("mannequin.glb", &["--pose", "hips=0,20,0,0.5,1,0", "--skinning", "dual-quaternion"], &["key g", "key d"]),
    ("hare.glb", &["--layer", "1:0.5", "--pose", "head=0,40,10", "--hide", "mesh:0"], &["key n", ORBIT]),
    ("hare.glb", &["--samples", "1"], &["key g", ORBIT]),
];

/// The text of a PNG.
fn command_of(file: &Path) -> Option<String> {
    let reader = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(file).ok()?)).read_info().ok()?;
    let info = reader.info();
    let plain =
        info.uncompressed_latin1_text.iter().find(|text| text.keyword == "Command").map(|text| text.text.clone());
    plain.or_else(|| info.utf8_text.iter().find(|text| text.keyword == "Command")?.get_text().ok())
}

#[test]
fn saved_image_equals_that_of_its_command() {
    let mut failed = Vec::new();
    for (model, options, inputs) in VIEWS {
        let [folder, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let file = folder.path().join(model);
        std::fs::copy(asset(model), &file).unwrap();
        let viewer = Viewer::open(SIZE, &[&[file.to_str().unwrap()], options].concat());
        viewer.key("space");
        viewer.wait_for_title("it pauses", is_paused);
        inputs.iter().for_each(|input| viewer.display.xdotool(input));
        viewer.wait_for_rest();
        viewer.key("F12");
        let image = file.with_file_name(format!("{}-1.png", file.file_stem().unwrap().to_str().unwrap()));
        let command = wait_for("the image", || command_of(&image));
        let programs = Path::new(env!("CARGO_BIN_EXE_rigview")).parent().unwrap().display();
        let path = format!("{programs}:{}", std::env::var("PATH").unwrap());
        let shot =
            Command::new("sh").args(["-c", &command]).env("PATH", path).current_dir(other.path()).output().unwrap();
        assert!(shot.status.success(), "{command}: {shot:?}");
        let [window, shot] =
            [&image, &other.path().join("OUT.png")].map(|file| image::open(file).unwrap().into_rgba8());
        let different = window.pixels().zip(shot.pixels()).filter(|(a, b)| a != b).count();
        if window.dimensions() != shot.dimensions() || different > 0 {
            for (image, is) in [(&window, "window"), (&shot, "command")] {
                let name = format!("view {} {is}.png", failed.len());
                image.save(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name.replace(' ', "-"))).unwrap();
            }
            failed.push(format!("{different} pixels differ, {inputs:?}: {command}"));
        }
        viewer.close();
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
