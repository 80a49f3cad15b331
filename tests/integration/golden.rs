//! Golden pictures of the shipped models, taken by the program itself.
//!
//! On the renderer that made the goldens a picture may differ by 2/255 on 0.01 % of its pixels (another processor may
//! fuse multiplications); on another renderer edges fall elsewhere, so the mean and the share of clearly different pixels
//! count. `RIGVIEW_BLESS=1` takes the pictures as the new goldens, and fails, so that nothing passes unseen.

use crate::support::run::rigview;
use image::RgbaImage;
use rigview::platform::headless::Headless;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Name, file and further arguments of each picture.
const SHOTS: [(&str, &str, &[&str]); 8] = [
    ("windmill", "windmill.glb", &["--time", "1"]),
    ("windmill-rest", "windmill.glb", &["--clip", "none"]),
    ("windmill-yaw", "windmill.glb", &["--clip", "yaw", "--time", "2.5"]),
    ("windmill-gust", "windmill.glb", &["--clip", "gust", "--time", "1.9", "--samples", "1"]),
    ("hare", "hare.glb", &["--time", "0.75"]),
    ("hare-transparent", "hare.glb", &["--clip", "listen", "--time", "2", "--background", "transparent"]),
    (
        "hare-sun",
        "hare.glb",
        &["--light", "1,2,1,3", "--background", "0.2,0.3,0.4", "--eye", "0.3,0.5,1.2", "--target", "0,0.3,0"],
    ),
    ("crowd", "windmill.glb", &["--instances", "12", "--time", "0.5"]),
];

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// What draws here, in words.
fn renderer() -> String {
    let headless = Headless::new().expect("a golden picture needs OpenGL");
    let version = headless.gpu().version();
    // Mesa puts the GL version that was asked for in front of its own.
    let version = version.find("Mesa").map_or(version, |start| &version[start..]);
    format!("{}, {version}", headless.gpu().renderer())
}

/// How two pictures differ.
struct Difference {
    /// Largest difference of a channel.
    largest: u8,
    /// Share of pixels that differ by more than 2.
    visible: f64,
    /// Share of pixels that differ by more than 48: not an edge that falls elsewhere.
    clear: f64,
    /// Mean difference of a channel.
    mean: f64,
}

/// Compares colours as seen: where both pictures are transparent, nothing is.
fn difference(expected: &RgbaImage, actual: &RgbaImage) -> Difference {
    let (mut largest, mut visible, mut clear, mut sum) = (0, 0_u64, 0_u64, 0_u64);
    for (a, b) in expected.pixels().zip(actual.pixels()) {
        let seen = |p: &image::Rgba<u8>| if p[3] == 0 { [0; 4] } else { p.0 };
        let (a, b) = (seen(a), seen(b));
        let far = [0, 1, 2, 3].map(|i| a[i].abs_diff(b[i]));
        let most = far.into_iter().max().unwrap_or(0);
        largest = largest.max(most);
        visible += u64::from(most > 2);
        clear += u64::from(most > 48);
        sum += far.into_iter().map(u64::from).sum::<u64>();
    }
    let pixels = f64::from(expected.width()) * f64::from(expected.height());
    Difference {
        largest,
        visible: visible as f64 / pixels,
        clear: clear as f64 / pixels,
        mean: sum as f64 / pixels / 4.0,
    }
}

impl Difference {
    fn is_small(&self, same_renderer: bool) -> bool {
        if same_renderer { self.visible <= 1e-4 } else { self.mean <= 1.0 && self.clear <= 0.01 }
    }
}

/// Expected, difference (stretched) and actual, side by side.
fn side_by_side(expected: &RgbaImage, actual: &RgbaImage) -> RgbaImage {
    let (width, height) = expected.dimensions();
    RgbaImage::from_fn(width * 3, height, |x, y| match x / width {
        0 => *expected.get_pixel(x, y),
        2 => *actual.get_pixel(x - 2 * width, y),
        _ => {
            let (a, b) = (expected.get_pixel(x - width, y), actual.get_pixel(x - width, y));
            let far = [0, 1, 2].map(|i| a[i].abs_diff(b[i]).max(a[3].abs_diff(b[3])).saturating_mul(8));
            image::Rgba([far[0], far[1], far[2], 255])
        }
    })
}

#[test]
fn shipped_models_look_as_they_did() {
    let bless = std::env::var_os("RIGVIEW_BLESS").is_some();
    let output = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/output");
    std::fs::create_dir_all(&output).expect("a folder for pictures");
    let (here, recorded) = (renderer(), std::fs::read_to_string(golden("RENDERER")).unwrap_or_default());
    let same_renderer = here == recorded.trim();
    let mut faults = String::new();
    for (name, model, arguments) in SHOTS {
        let file = format!("{}/assets/{model}", env!("CARGO_MANIFEST_DIR"));
        let taken = output.join(format!("{name}.png"));
        let taken_name = taken.to_string_lossy().into_owned();
        let mut words = vec!["shot", &file, "-o", &taken_name, "--size", "320x180"];
        words.extend(arguments);
        let run = rigview(&words);
        assert!(run.code == Some(0) && run.stderr.is_empty(), "{}", run.report());
        let actual = image::open(&taken).expect("the picture just taken").to_rgba8();
        if bless {
            std::fs::copy(&taken, golden(&format!("{name}.png"))).expect("the golden");
            continue;
        }
        let Ok(expected) = image::open(golden(&format!("{name}.png"))).map(|picture| picture.to_rgba8()) else {
            writeln!(faults, "{name}: there is no golden; RIGVIEW_BLESS=1 takes one").expect("text");
            continue;
        };
        assert_eq!(expected.dimensions(), actual.dimensions(), "{name}");
        let found = difference(&expected, &actual);
        if !found.is_small(same_renderer) {
            let panels = output.join(format!("{name}-expected-difference-actual.png"));
            side_by_side(&expected, &actual).save(&panels).expect("the panels");
            let Difference { largest, visible, clear, mean } = found;
            writeln!(
                faults,
                "{name}: differs by up to {largest}/255, mean {mean:.3}; {:.3} % of pixels visibly, {:.3} % clearly: {}",
                visible * 100.0,
                clear * 100.0,
                panels.display()
            )
            .expect("text");
        }
    }
    if bless {
        std::fs::write(golden("RENDERER"), format!("{here}\n")).expect("the renderer's name");
        panic!("goldens were taken anew on {here}: look at them, and run again without RIGVIEW_BLESS");
    }
    assert!(faults.is_empty(), "drawn by {here}, goldens by {recorded}{faults}");
}

#[test]
fn the_comparison_sees_what_it_should() {
    let picture =
        RgbaImage::from_fn(320, 180, |x, y| image::Rgba([x as u8, y as u8, ((x / 8 + y / 8) % 16 * 16) as u8, 255]));
    let alike = |change: &dyn Fn(&mut RgbaImage)| {
        let mut other = picture.clone();
        change(&mut other);
        let found = difference(&picture, &other);
        [found.is_small(true), found.is_small(false)]
    };
    assert_eq!(alike(&|_| ()), [true, true]);
    assert_eq!(alike(&|p| p.pixels_mut().for_each(|p| p[0] ^= 2)), [true, true]);
    assert_eq!(alike(&|p| (0..5).for_each(|x| p.get_pixel_mut(x, 9)[1] ^= 0x80)), [true, true]);
    assert_eq!(alike(&|p| (0..6).for_each(|x| p.get_pixel_mut(x, 9)[1] ^= 0x80)), [false, true]);
    // A mirrored picture, a swapped channel, a colour cast, an empty picture.
    assert_eq!(alike(&image::imageops::flip_horizontal_in_place), [false, false]);
    assert_eq!(alike(&|p| p.pixels_mut().for_each(|p| p.0.swap(0, 2))), [false, false]);
    assert_eq!(alike(&|p| p.pixels_mut().for_each(|p| p[2] = p[2].saturating_add(9))), [false, false]);
    assert_eq!(alike(&|p| p.fill(0)), [false, false]);
}

#[test]
fn a_picture_does_not_depend_on_threads() {
    let folder = tempfile::TempDir::new().expect("a folder for temporary files");
    let file = format!("{}/assets/windmill.glb", env!("CARGO_MANIFEST_DIR"));
    let mut pictures = Vec::new();
    for threads in ["1", "2", "7"] {
        let picture = folder.path().join(format!("{threads}.png"));
        let picture_name = picture.to_string_lossy().into_owned();
        let mut words = vec!["shot", file.as_str(), "-o", &picture_name];
        words.extend(["--size", "160x90", "--instances", "100", "--time", "1.3"]);
        let run =
            crate::support::run::rigview_with(&[("RAYON_NUM_THREADS", threads), ("LP_NUM_THREADS", threads)], &words);
        assert_eq!(run.code, Some(0), "{}", run.report());
        pictures.push(std::fs::read(picture).expect("the picture"));
    }
    assert!(pictures.iter().all(|picture| *picture == pictures[0]));
}
