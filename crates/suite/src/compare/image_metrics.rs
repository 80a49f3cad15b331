//! Metrics of the difference between two images.

use super::{RgbaImage, antialias, flip};
use serde::{Deserialize, Serialize};

/// Differences of two images of the same size; none by default.
///
/// Fully transparent pixels are equal, whatever their color.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImageMetrics {
    /// Maximum difference of a channel, 0 to 255.
    pub max_channel_diff: u8,
    /// Fraction of pixels with any difference, 0 to 1.
    pub changed_pixels: f64,
    /// Number of pixels with any difference.
    #[serde(default)]
    pub changed_count: u64,
    /// Bounding box of the pixels with any difference: left, top, width and height. `None` for equal images.
    #[serde(default)]
    pub changed_rect: Option<[u32; 4]>,
    /// Mean difference of a channel, 0 to 255.
    pub mean_channel_diff: f64,
    /// Mean of FLIP, 0 to 1: the difference that a viewer perceives when the images alternate.
    pub flip_mean: f64,
    /// 99th percentile of FLIP, 0 to 1.
    pub flip_p99: f64,
    /// Fraction of pixels of another color, except on anti-aliased edges, 0 to 1.
    pub different_pixels: f64,
    /// Number of pixels of another color, except on anti-aliased edges.
    pub different_count: u64,
    /// Fraction of pixels of another color on anti-aliased edges, 0 to 1.
    pub edge_pixels: f64,
    /// Mean difference of alpha, 0 to 1.
    pub alpha_mean: f64,
    /// Fraction of pixels whose alpha differs more than an edge explains, 0 to 1.
    pub alpha_pixels: f64,
}

/// Difference of alpha, of 255, that a differently rasterized edge can explain.
const MAX_EDGE_ALPHA_DIFF: u8 = 48;

impl ImageMetrics {
    /// Compares two images; `None` if their sizes differ.
    pub fn between(expected: &RgbaImage, actual: &RgbaImage) -> Option<Self> {
        if expected.size() != actual.size() {
            return None;
        }
        if expected.rgba() == actual.rgba() {
            return Some(Self::default());
        }
        let (mut max_channel_diff, mut changed, mut sum) = (0, 0_u64, 0_u64);
        let (mut alpha_sum, mut alpha_pixels) = (0_u64, 0_u64);
        // First and last column and row with a difference.
        let (mut first, mut last) = ([u32::MAX; 2], [0; 2]);
        let width = expected.width() as usize;
        for (i, (a, b)) in expected.pixels().zip(actual.pixels()).enumerate() {
            let (a, b) = (visible_color(a), visible_color(b));
            let diff: [u8; 4] = std::array::from_fn(|i| a[i].abs_diff(b[i]));
            let max = diff.into_iter().max().unwrap_or(0);
            max_channel_diff = max_channel_diff.max(max);
            if max > 0 {
                changed += 1;
                let position = [(i % width) as u32, (i / width) as u32];
                first = [0, 1].map(|axis| first[axis].min(position[axis]));
                last = [0, 1].map(|axis| last[axis].max(position[axis]));
            }
            sum += diff.into_iter().map(u64::from).sum::<u64>();
            alpha_sum += u64::from(diff[3]);
            alpha_pixels += u64::from(diff[3] > MAX_EDGE_ALPHA_DIFF);
        }
        if max_channel_diff == 0 {
            return Some(Self::default());
        }
        let count = f64::from(expected.width()) * f64::from(expected.height());
        let fraction = |pixels: u64| pixels as f64 / count;
        let [gray_expected, gray_actual] = [expected, actual].map(RgbaImage::over_gray);
        let size = (expected.width() as usize, expected.height() as usize);
        let (flip_mean, flip_p99) = flip::mean_and_p99(&gray_expected, &gray_actual, size);
        let counts = antialias::count(&gray_expected, &gray_actual, size);
        Some(Self {
            max_channel_diff,
            changed_pixels: fraction(changed),
            changed_count: changed,
            changed_rect: Some([first[0], first[1], last[0] - first[0] + 1, last[1] - first[1] + 1]),
            mean_channel_diff: sum as f64 / count / 4.0,
            flip_mean,
            flip_p99,
            different_pixels: fraction(counts.different),
            different_count: counts.different,
            edge_pixels: fraction(counts.edges),
            alpha_mean: alpha_sum as f64 / count / 255.0,
            alpha_pixels: fraction(alpha_pixels),
        })
    }

    /// Returns `true` if no visible pixel differs.
    pub fn is_equal(&self) -> bool {
        self.max_channel_diff == 0
    }
}

/// Returns for each pixel whether it differs, as in [`ImageMetrics::changed_count`]. Both images have the same size.
pub fn changed_pixels<'a>(expected: &'a RgbaImage, actual: &'a RgbaImage) -> impl Iterator<Item = bool> + 'a {
    expected.pixels().zip(actual.pixels()).map(|(a, b)| visible_color(a) != visible_color(b))
}

fn visible_color(pixel: [u8; 4]) -> [u8; 4] {
    if pixel[3] == 0 { [0; 4] } else { pixel }
}
