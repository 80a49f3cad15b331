//! `rigview thumbnail`: embedded thumbnails, streams, limits.

use crate::support::glb::Rig;
use crate::support::rigs;
use crate::support::run::{Output, names, program, rigview_in};
use base64::Engine as _;
use rigview::export::{PngMetadata, encode_png};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

const RED: [u8; 4] = [255, 0, 0, 255];

/// The arm with a red image of 40 by 20 texels, and with changes of its JSON.
fn with_image(changes: &[(&str, Value)]) -> Rig {
    let mut rig = rigs::arm().rig;
    let png = encode_png(40, 20, &RED.repeat(800), &PngMetadata::default());
    let uri = format!("data:image/png;base64,{}", base64::engine::general_purpose::STANDARD.encode(png));
    rig.add("images", json!({"uri": uri}));
    rig.add("textures", json!({"source": 0}));
    changes.iter().for_each(|(name, value)| rig.set(name, value.clone()));
    rig
}

/// Runs the command on `arm.glb` of a folder. Returns the size of the image and its middle pixel.
fn thumbnail(folder: &Path, size: &str) -> ([u32; 2], [u8; 4]) {
    let run = rigview_in(folder, &["thumbnail", "arm.glb", "out.png", "--size", size]);
    assert!(run.code == Some(0) && run.stdout.is_empty() && run.stderr.is_empty(), "{}", run.report());
    let image = image::open(folder.join("out.png")).expect("a PNG").into_rgba8();
    ([image.width(), image.height()], image.get_pixel(image.width() / 2, image.height() / 2).0)
}

/// Runs `rigview` with `input` as standard input. Returns exit code, standard output and standard error.
fn piped(arguments: &[&str], input: &[u8]) -> (Option<i32>, Vec<u8>, String) {
    let mut command = Command::new(program());
    let command = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program");
    let (mut stdin, mut stdout) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    // The program may end before it has read all.
    let _ = stdin.write_all(input);
    drop(stdin);
    let mut bytes = Vec::new();
    stdout.read_to_end(&mut bytes).expect("standard output");
    let ended = child.wait_with_output().expect("the program");
    (ended.status.code(), bytes, String::from_utf8_lossy(&ended.stderr).into_owned())
}

#[test]
fn embedded_thumbnails_replace_the_rendering() {
    let vrm_0 = json!({"VRM": {"meta": {"texture": 0}}});
    let vrm_1 = json!({"VRMC_vrm": {"specVersion": "1.0", "meta": {"thumbnailImage": 0}}});
    for changes in [[("extensions", vrm_0)], [("extensions", vrm_1)]] {
        let folder = TempDir::new().unwrap();
        with_image(&changes).write_glb(folder.path(), "arm");
        assert_eq!(thumbnail(folder.path(), "256"), ([40, 20], RED), "{changes:?}");
        assert_eq!(thumbnail(folder.path(), "16"), ([10, 5], RED), "{changes:?}");
    }
}

#[test]
fn models_without_a_readable_thumbnail_are_rendered() {
    for thumbnail_image in [json!(0), json!(7), json!("0"), json!(-1)] {
        let folder = TempDir::new().unwrap();
        let mut rig = with_image(&[("extensions", json!({"VRMC_vrm": {"meta": {"thumbnailImage": thumbnail_image}}}))]);
        rig.object("images", 0)["uri"] = json!("data:image/png;base64,AAAA");
        rig.write_glb(folder.path(), "arm");
        let (size, pixel) = thumbnail(folder.path(), "32");
        assert!(size == [32, 32] && pixel != RED && pixel[3] == 255, "{pixel:?}");
    }
}

#[test]
fn streams_have_the_image_of_files() {
    let folder = TempDir::new().unwrap();
    let glb = rigs::arm().rig.glb();
    std::fs::write(folder.path().join("arm.glb"), &glb).unwrap();
    thumbnail(folder.path(), "32");
    let expected = std::fs::read(folder.path().join("out.png")).unwrap();
    let (code, png, stderr) = piped(&["thumbnail", "-", "-", "--size", "32"], &glb);
    assert!(code == Some(0) && png == expected && stderr.is_empty(), "{code:?} {stderr}");
    let motion = "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nEnd Site\n{\nOFFSET 0 9 0\n}\n}\n\
                  MOTION\nFrames: 1\nFrame Time: 0.03\n0 0 0\n";
    let (code, png, stderr) = piped(&["thumbnail", "-", "-"], motion.as_bytes());
    assert!(code == Some(0) && image::load_from_memory(&png).is_ok(), "{code:?} {stderr}");
}

#[test]
fn damaged_streams_and_exceeded_limits_write_nothing() {
    let folder = TempDir::new().unwrap();
    let glb = rigs::arm().rig.glb();
    std::fs::write(folder.path().join("arm.glb"), &glb).unwrap();
    for (options, input, expected) in [
        (&["--size", "32"][..], &glb[..glb.len() / 2], "error: standard input: "),
        (&[], b"", "error: standard input: this is not a glTF file: it is empty"),
        (&["--limit", "file=100"], &glb, "; if you trust the file, add --limit file="),
    ] {
        let (code, png, stderr) = piped(&[&["thumbnail", "-", "-"], options].concat(), input);
        assert!(code == Some(1) && png.is_empty() && stderr.contains(expected), "{code:?} {stderr}");
    }
    let run: Output = rigview_in(folder.path(), &["thumbnail", "arm.glb", "out.png", "--timeout", "0.000001"]);
    assert!(
        run.code == Some(1) && run.stderr == "error: stopped after 0.000001 s; raise --timeout\n",
        "{}",
        run.report()
    );
    assert_eq!(names(folder.path()), ["arm.glb"]);
}
