//! Tolerances of an image comparison.

use super::ImageMetrics;
use serde::{Deserialize, Serialize};

/// The renderer of the expected image, relative to that of the actual one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// The same renderer and version: images are equal up to rounding.
    SameRenderer,
    /// Another one: edges are rasterized differently, so only perceptual metrics count.
    OtherRenderer,
}

/// Maximum metrics of images that count as equal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tolerances {
    /// Same renderer: maximum difference of a channel, 0 to 255.
    pub max_channel_diff: u8,
    /// Same renderer: fraction of pixels with any difference.
    pub changed_pixels: f64,
    /// Number of pixels that may differ, in place of [`max_channel_diff`](Self::max_channel_diff) and the fractions of
    /// pixels. Other renderer: pixels of another color, except on anti-aliased edges.
    #[serde(rename = "pixels")]
    pub pixel_count: Option<u64>,
    /// Other renderer: mean of FLIP.
    pub flip_mean: f64,
    /// Other renderer: 99th percentile of FLIP.
    pub flip_p99: f64,
    /// Other renderer: fraction of pixels of another color, except on anti-aliased edges.
    pub different_pixels: f64,
    /// Other renderer: mean difference of alpha.
    pub alpha_mean: f64,
    /// Other renderer: fraction of pixels with clearly different alpha.
    pub alpha_pixels: f64,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self {
            max_channel_diff: 2,
            changed_pixels: 1e-4,
            pixel_count: None,
            // The images of an NVIDIA H100 and of llvmpipe have up to 0.0132 (34 images), since GPUs filter textures with weights of
            // 8 bits.
            flip_mean: 0.015,
            flip_p99: 0.2,
            different_pixels: 0.003,
            alpha_mean: 0.004,
            alpha_pixels: 0.01,
        }
    }
}

/// A metric that exceeds its tolerance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Violation {
    /// Name of the tolerance in suite files.
    pub name: String,
    /// The measured value.
    pub found: f64,
    /// The tolerance.
    pub limit: f64,
}

impl Tolerances {
    /// Sets the tolerance of this name in suite files, and returns `false` if there is none.
    ///
    /// # Errors
    /// The expected form, if `value` is out of range.
    pub fn set(&mut self, name: &str, value: f64) -> Result<bool, &'static str> {
        let is_integer = value.fract() == 0.0;
        let fraction = match name {
            "max-channel-diff" => {
                let is_valid = is_integer && (0.0..=255.0).contains(&value);
                self.max_channel_diff = is_valid.then_some(value as u8).ok_or("an integer from 0 to 255")?;
                return Ok(true);
            }
            "pixels" => {
                let count = (is_integer && value >= 0.0).then_some(value as u64);
                self.pixel_count = Some(count.ok_or("a number of pixels, such as 40")?);
                return Ok(true);
            }
            "changed-pixels" => &mut self.changed_pixels,
            "flip-mean" => &mut self.flip_mean,
            "flip-p99" => &mut self.flip_p99,
            "different-pixels" => &mut self.different_pixels,
            "alpha-mean" => &mut self.alpha_mean,
            "alpha-pixels" => &mut self.alpha_pixels,
            _ => return Ok(false),
        };
        *fraction = Some(value).filter(|value| (0.0..=1.0).contains(value)).ok_or("a number from 0 to 1")?;
        Ok(true)
    }

    /// The metrics that exceed their tolerances; empty if the images count as equal. NaN exceeds every tolerance.
    pub fn violations(&self, metrics: &ImageMetrics, baseline: Baseline) -> Vec<Violation> {
        let pixels = |count: u64| self.pixel_count.map(|limit| ("pixels", count as f64, limit as f64));
        let checks: Vec<(&str, f64, f64)> = match baseline {
            Baseline::SameRenderer => match pixels(metrics.changed_count) {
                Some(pixels) => vec![pixels],
                None => vec![
                    ("max-channel-diff", metrics.max_channel_diff.into(), self.max_channel_diff.into()),
                    ("changed-pixels", metrics.changed_pixels, self.changed_pixels),
                ],
            },
            Baseline::OtherRenderer => vec![
                ("flip-mean", metrics.flip_mean, self.flip_mean),
                ("flip-p99", metrics.flip_p99, self.flip_p99),
                pixels(metrics.different_count).unwrap_or((
                    "different-pixels",
                    metrics.different_pixels,
                    self.different_pixels,
                )),
                ("alpha-mean", metrics.alpha_mean, self.alpha_mean),
                ("alpha-pixels", metrics.alpha_pixels, self.alpha_pixels),
            ],
        };
        let exceeded =
            checks.iter().filter(|(_, found, limit)| !matches!(found.partial_cmp(limit), Some(o) if o.is_le()));
        exceeded.map(|&(name, found, limit)| Violation { name: name.to_owned(), found, limit }).collect()
    }
}
