//! Image comparison: numerical and perceptual metrics, tolerances, difference images.
//!
//! All arithmetic is in a fixed order and uses `libm`, so results are equal on every machine and for any number of threads.

mod antialias;
mod diff_image;
mod flip;
mod image_metrics;
mod mask;
mod rgba_image;
#[cfg(test)]
mod tests;
mod tolerances;

pub use diff_image::{difference, side_by_side, thumbnail};
pub use image_metrics::{ImageMetrics, changed_pixels};
pub use mask::Mask;
pub use rgba_image::RgbaImage;
pub use tolerances::{Baseline, Tolerances, Violation};
