//! Captures of the window in the guide, compared with the committed ones.
//!
//! The text is drawn with the fonts of the program, and Mesa draws the model, so captures of one renderer are almost equal. The
//! tolerances are those between renderers: they cover other versions of Mesa. A panel that changes exceeds them.
//! `RIGVIEW_UPDATE_CAPTURES=1 cargo test --test window guide` renews the captures.

use super::capture::Image;
use super::viewer::{Viewer, is_paused, time};
use image::ImageEncoder as _;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use rigview::compare::{Baseline, ImageMetrics, Mask, RgbaImage, Tolerances};
use std::path::Path;

const SIZE: [u32; 2] = [960, 600];

/// Opens the window, sends input by xdotool, and compares the window with the capture `name`. Pixels of `masks` are ignored: left,
/// top, width, height.
fn capture(name: &str, arguments: &[&str], inputs: &[&str], masks: &[[u32; 4]]) {
    let viewer = Viewer::open_with_panels(SIZE, arguments);
    if arguments.is_empty() {
        // Other processes draw the thumbnails of hare and windmill, at both sides of the center of the view.
        let is_drawn = |image: &Image, left| image.columns(left, 88).fur().1 > 200;
        viewer.wait_for_image("both thumbnails", |image| is_drawn(image, 339) && is_drawn(image, 427));
    } else {
        viewer.key("space");
        viewer.wait_for_title("it pauses", is_paused);
        viewer.key("ctrl+Home");
        viewer.wait_for_title("the start of the clip", |title| time(title) == Some(0.0));
    }
    for input in inputs {
        viewer.display.xdotool(input);
        viewer.wait_for_rest();
    }
    // The pointer is over no control.
    viewer.display.xdotool("mousemove 959 599");
    viewer.wait_for_rest();
    let actual = viewer.image().to_rgba();
    viewer.close();

    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book/src/captures").join(name).with_extension("png");
    if std::env::var_os("RIGVIEW_UPDATE_CAPTURES").is_some() {
        let mut png = Vec::new();
        let rgb: Vec<u8> = actual.rgba().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Best, FilterType::Adaptive);
        encoder.write_image(&rgb, SIZE[0], SIZE[1], image::ExtendedColorType::Rgb8).unwrap();
        std::fs::write(&file, png).unwrap();
        panic!("{} renewed: review and commit it", file.display());
    }
    let expected = image::open(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display())).into_rgba8();
    let expected = RgbaImage::new(expected.width(), expected.height(), expected.into_raw());
    let mut mask = Mask::new(SIZE);
    masks.iter().for_each(|rect| mask.add_rect(*rect));
    let metrics = ImageMetrics::between(&expected, &mask.apply(&expected, &actual)).unwrap();
    let violations = Tolerances::default().violations(&metrics, Baseline::OtherRenderer);
    if !violations.is_empty() {
        let seen = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name).with_extension("png");
        image::save_buffer(&seen, actual.rgba(), SIZE[0], SIZE[1], image::ColorType::Rgba8).unwrap();
        panic!("{violations:?}: {} and {}; RIGVIEW_UPDATE_CAPTURES=1 renews captures", file.display(), seen.display());
    }
}

/// Row of the joint "head" in the outliner.
const SELECT_HEAD: &str = "mousemove 80 128 click 1";

/// Twelve frames.
const HALF_A_SECOND: &str = "key --repeat 12 --delay 50 Right";

#[test]
fn empty_window() {
    capture("empty", &[], &[], &[]);
}

#[test]
fn clips_tab() {
    capture("clips", &["assets/hare.glb"], &[], &[]);
}

#[test]
fn weights_of_a_joint() {
    capture("weights", &["assets/hare.glb"], &[SELECT_HEAD, "key h", "key F9"], &[]);
}

#[test]
fn light_tab() {
    capture("light", &["assets/hare.glb"], &["key shift+F9"], &[]);
}

#[test]
fn pose_of_a_joint() {
    capture("pose", &["assets/hare.glb"], &[SELECT_HEAD, "key x", "key y", "key F7"], &[]);
}

#[test]
fn crowd_tab() {
    // Without a played frame, the panel has no graph of frame times.
    let inputs = ["key F10", "key space sleep 2 key space", "key ctrl+Home"];
    let times = [616, 424, 344, 96];
    capture("crowd", &["assets/windmill.glb", "--instances", "25"], &inputs, &[times]);
}

#[test]
fn problems_tab() {
    capture("problems", &["docs/book/faults/unweighted-vertices.glb"], &[HALF_A_SECOND, "key F8"], &[]);
}

#[test]
fn flex_tab() {
    capture("flex", &["assets/mannequin.glb"], &["key shift+F8", "mousemove 840 212 click 1"], &[]);
}

#[test]
fn retarget_tab() {
    let files = [
        "docs/book/motion/body.glb",
        "--clips-from",
        "docs/book/motion/walk.bvh",
        "--retarget",
        "--overlay",
        "motion-source",
    ];
    capture(
        "retarget",
        &files,
        &[
            "key ctrl+k",
            "type retarget",
            "key Return",
            "key --repeat 40 --delay 50 Right",
            "mousemove 430 300 click --repeat 3 5",
        ],
        &[],
    );
}

#[test]
fn dope_sheet() {
    capture("dope-sheet", &["assets/hare.glb"], &[SELECT_HEAD, "key shift+F12"], &[]);
}

#[test]
fn curves() {
    capture("curves", &["assets/hare.glb"], &[SELECT_HEAD, "key shift+F6"], &[]);
}

#[test]
fn comparison_of_two_files() {
    let files = ["docs/book/faults/healthy.glb", "docs/book/faults/stretched-bone.glb", "--compare"];
    capture("compare", &files, &[HALF_A_SECOND, "key shift+v"], &[]);
}

#[test]
fn export_dialog() {
    let folder = std::env::temp_dir().join("rigview-guide");
    std::fs::create_dir_all(&folder).unwrap();
    let model = folder.join("hare.glb");
    std::fs::copy("assets/hare.glb", &model).unwrap();
    // The folder differs between machines.
    capture("export", &[model.to_str().unwrap()], &["key ctrl+e"], &[[320, 294, 240, 20]]);
}
