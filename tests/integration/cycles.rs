//! Images of high quality against an image that Cycles rendered.

use crate::support::run::rigview_in;
use image::RgbImage;
use rigview::compare::{ImageMetrics, RgbaImage};
use std::path::{Path, PathBuf};

fn file(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.join(name).to_str().expect("a UTF-8 path").to_owned()
}

fn read(path: PathBuf) -> RgbaImage {
    let image: RgbImage = image::open(path).expect("an image").into_rgb8();
    let (width, height) = image.dimensions();
    RgbaImage::new(width, height, image.pixels().flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255]).collect())
}

#[test]
fn high_quality_approaches_cycles_as_samples_are_added() {
    let expected = read(file("tests/against-cycles/convergence/windmill.png").into());
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let flip = |options: &[&str]| {
        let (model, sky) = (file("assets/windmill.glb"), file("tests/against-cycles/convergence/sky.hdr"));
        let fixed = "-o high.png --size 256x256 --clip none --fov 40 --eye=14,17.5,27.5 --target=0,7.7,0 --tone-mapping none \
                     --background 0,0,0";
        let fixed: Vec<&str> = fixed.split_whitespace().collect();
        let words = [&["shot", &model, "--environment", &sky], &fixed[..], options];
        let run = rigview_in(folder.path(), &words.concat());
        assert_eq!(run.code, Some(0), "{}", run.report());
        ImageMetrics::between(&expected, &read(folder.path().join("high.png"))).expect("equal sizes").flip_mean
    };
    let once = flip(&[]);
    let [few, more, many] = ["4", "16", "64"].map(|samples| flip(&["--quality", "high", "--samples", samples]));
    assert!(many < more && more < few && many < 0.75 * once, "{once}, {few}, {more}, {many}");
    let occluded = flip(&["--occlusion", "on"]);
    assert!(occluded < 0.95 * once, "{occluded} of {once}");
}
