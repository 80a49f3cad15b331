//! Captured images and their features.

use rigview::compare::RgbaImage;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An image without transparency.
#[derive(PartialEq)]
pub(crate) struct Image {
    pub(crate) size: [u32; 2],
    rgb: Vec<u8>,
}

impl Image {
    pub(crate) fn new((size, rgb): ([u32; 2], Vec<u8>)) -> Self {
        Self { size, rgb }
    }

    /// The image of `rigview shot` with ambient occlusion and a shadow catcher, which the window has by default.
    pub(crate) fn shot(model: &Path, [width, height]: [u32; 2], arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shot.png");
        let mut shot = Command::new(env!("CARGO_BIN_EXE_rigview"));
        shot.arg("shot").arg(model).arg("-o").arg(&file).args(["--size", &format!("{width}x{height}")]).args(arguments);
        shot.args(["--occlusion=on", "--shadow-catcher"]);
        assert!(shot.status().unwrap().success(), "{shot:?}");
        Self::new(([width, height], image::open(file).unwrap().into_rgb8().into_raw()))
    }

    /// The image for metrics.
    pub(crate) fn to_rgba(&self) -> RgbaImage {
        let rgba = self.rgb.chunks_exact(3).flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255]).collect();
        RgbaImage::new(self.size[0], self.size[1], rgba)
    }

    /// The color at a position.
    pub(crate) fn pixel(&self, [x, y]: [u32; 2]) -> [u8; 3] {
        let first = 3 * (y * self.size[0] + x) as usize;
        [self.rgb[first], self.rgb[first + 1], self.rgb[first + 2]]
    }

    /// The columns from `left` on.
    pub(crate) fn columns(&self, left: u32, width: u32) -> Self {
        self.crop([left, 0], [width, self.size[1]])
    }

    /// The rectangle of `size` from `left` and `top` on.
    pub(crate) fn crop(&self, [left, top]: [u32; 2], size: [u32; 2]) -> Self {
        let rows = self.rgb.chunks_exact(3 * self.size[0] as usize).skip(top as usize).take(size[1] as usize);
        let range = 3 * left as usize..3 * (left + size[0]) as usize;
        Self { size, rgb: rows.flat_map(|row| row[range.clone()].to_vec()).collect() }
    }

    /// Centroid and number of pixels with warm colors, the fur of the hare.
    pub(crate) fn fur(&self) -> ([f64; 2], usize) {
        let (mut sum, mut count) = ([0.0; 2], 0);
        for (i, pixel) in self.rgb.chunks_exact(3).enumerate() {
            if pixel[0] > pixel[2].saturating_add(25) {
                sum[0] += f64::from(i as u32 % self.size[0]);
                sum[1] += f64::from(i as u32 / self.size[0]);
                count += 1;
            }
        }
        (sum.map(|sum| sum / count.max(1) as f64), count)
    }

    /// Centroid and number of the pixels of an exact color.
    pub(crate) fn pixels_of(&self, color: [u8; 3]) -> ([f64; 2], usize) {
        let (mut sum, mut count) = ([0.0; 2], 0);
        for (i, _) in self.rgb.chunks_exact(3).enumerate().filter(|(_, pixel)| *pixel == color) {
            sum[0] += f64::from(i as u32 % self.size[0]);
            sum[1] += f64::from(i as u32 / self.size[0]);
            count += 1;
        }
        (sum.map(|sum| sum / count.max(1) as f64), count)
    }

    /// Returns `true` if the image has no colors.
    pub(crate) fn is_gray(&self) -> bool {
        self.rgb.chunks_exact(3).all(|pixel| pixel[0] == pixel[1] && pixel[1] == pixel[2])
    }

    /// Describes the difference of two images.
    pub(crate) fn difference(&self, other: &Self) -> String {
        if self.size != other.size {
            return format!("sizes {:?} and {:?}", self.size, other.size);
        }
        let differences = || self.rgb.iter().zip(&other.rgb).map(|(a, b)| a.abs_diff(*b));
        let count = differences().filter(|&difference| difference > 0).count();
        format!("{count} of {} bytes differ, by {} at most", self.rgb.len(), differences().max().unwrap_or(0))
    }

    /// Writes the image next to the test binaries for review, and returns its path.
    pub(crate) fn keep(&self, name: &str) -> PathBuf {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name.replace([' ', ','], "-")).with_extension("png");
        let [width, height] = self.size;
        image::save_buffer(&file, &self.rgb, width, height, image::ColorType::Rgb8).unwrap();
        file
    }
}
