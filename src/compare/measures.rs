//! How far two pictures are apart, in numbers.

use super::{Picture, antialias, flip};
use serde::{Deserialize, Serialize};

/// How far two pictures of one size are apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// Largest difference of a channel, of 255. Where both pictures are transparent, nothing is.
    pub largest: u8,
    /// Share of pixels that differ at all, 0 to 1.
    pub changed: f64,
    /// Mean difference of a channel, of 255.
    pub mean: f64,
    /// Mean of FLIP, 0 to 1: what an eye notices when the two are flipped back and forth.
    pub flip_mean: f64,
    /// What 99 of 100 pixels stay below in FLIP, 0 to 1.
    pub flip_p99: f64,
    /// Share of pixels of another color that no anti-aliased edge explains, 0 to 1.
    pub pixels: f64,
    /// Share of pixels of another color on an anti-aliased edge, 0 to 1.
    pub edges: f64,
    /// Mean difference of opacity, 0 to 1.
    pub alpha_mean: f64,
    /// Share of pixels whose opacity differs by more than 48 of 255: not an edge that falls elsewhere. 0 to 1.
    pub alpha_pixels: f64,
}

/// A difference of opacity that no edge explains, of 255.
const CLEAR_ALPHA: u8 = 48;

impl Measures {
    /// The measures of equal pictures.
    pub const SAME: Self = Self {
        largest: 0,
        changed: 0.0,
        mean: 0.0,
        flip_mean: 0.0,
        flip_p99: 0.0,
        pixels: 0.0,
        edges: 0.0,
        alpha_mean: 0.0,
        alpha_pixels: 0.0,
    };

    /// Measures two pictures; `None` when their sizes differ.
    pub fn of(expected: &Picture, actual: &Picture) -> Option<Self> {
        if expected.size() != actual.size() {
            return None;
        }
        if expected.rgba == actual.rgba {
            return Some(Self::SAME);
        }
        let (mut largest, mut changed, mut sum) = (0, 0_u64, 0_u64);
        let (mut alpha_sum, mut alpha_pixels) = (0_u64, 0_u64);
        for (a, b) in expected.pixels().zip(actual.pixels()) {
            let (a, b) = (as_seen(a), as_seen(b));
            let far: [u8; 4] = std::array::from_fn(|i| a[i].abs_diff(b[i]));
            let most = far.into_iter().max().unwrap_or(0);
            largest = largest.max(most);
            changed += u64::from(most > 0);
            sum += far.into_iter().map(u64::from).sum::<u64>();
            alpha_sum += u64::from(far[3]);
            alpha_pixels += u64::from(far[3] > CLEAR_ALPHA);
        }
        if largest == 0 {
            return Some(Self::SAME);
        }
        let count = f64::from(expected.width) * f64::from(expected.height);
        let share = |pixels: u64| pixels as f64 / count;
        let [gray_expected, gray_actual] = [expected, actual].map(Picture::over_gray);
        let size = (expected.width as usize, expected.height as usize);
        let (flip_mean, flip_p99) = flip::mean_and_p99(&gray_expected, &gray_actual, size);
        let kinds = antialias::count(&gray_expected, &gray_actual, size);
        Some(Self {
            largest,
            changed: share(changed),
            mean: sum as f64 / count / 4.0,
            flip_mean,
            flip_p99,
            pixels: share(kinds.different),
            edges: share(kinds.edges),
            alpha_mean: alpha_sum as f64 / count / 255.0,
            alpha_pixels: share(alpha_pixels),
        })
    }

    /// Whether no pixel differs as seen.
    pub fn is_same(&self) -> bool {
        self.largest == 0
    }
}

/// Nothing is nothing, whatever its color.
fn as_seen(pixel: [u8; 4]) -> [u8; 4] {
    if pixel[3] == 0 { [0; 4] } else { pixel }
}
