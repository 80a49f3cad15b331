//! Masks: regions of an image that the comparison ignores.

use super::error::{SuiteError, SuiteErrorKind};
use super::parse::{Value, number, wrong_value};
use std::path::PathBuf;
use toml::de::{DeArray, DeValue};

/// Maximum number of regions of a mask.
const MAX_REGIONS: usize = 100;

/// A region of an image that the comparison ignores.
#[derive(Clone, Debug, PartialEq)]
pub enum MaskRegion {
    /// Left, top, width and height in pixels.
    Pixels([u32; 4]),
    /// Left, top, width and height as fractions of the image, 0 to 1.
    Fraction([f64; 4]),
    /// A PNG file of the image's size, relative to the suite's folder: its black and transparent pixels are compared.
    File(PathBuf),
}

/// Reads a rectangle, the name of a PNG file, or an array of both.
pub(super) fn regions(value: &Value<'_>, line: usize) -> Result<Vec<MaskRegion>, SuiteError> {
    match value.get_ref() {
        DeValue::Array(values) if values.len() == 4 && values.iter().all(|value| number(value).is_some()) => {
            Ok(vec![region(value, line)?])
        }
        DeValue::Array(values) if values.len() > MAX_REGIONS => {
            Err(SuiteErrorKind::TooManyRegions { limit: MAX_REGIONS }.at(line))
        }
        DeValue::Array(values) => values.iter().map(|value| region(value, line)).collect(),
        _ => Ok(vec![region(value, line)?]),
    }
}

fn region(value: &Value<'_>, line: usize) -> Result<MaskRegion, SuiteError> {
    let region = match value.get_ref() {
        DeValue::String(file) => Some(MaskRegion::File(PathBuf::from(file.as_ref()))),
        DeValue::Array(values) => rectangle(values),
        _ => None,
    };
    const EXPECTED: &str = "a PNG file, or [left, top, width, height] in pixels or in fractions from 0.0 to 1.0";
    region.ok_or_else(|| wrong_value("mask", EXPECTED, value, line))
}

/// Reads a rectangle; with a decimal point in one of its numbers, in fractions.
fn rectangle(values: &DeArray<'_>) -> Option<MaskRegion> {
    let numbers: Option<Vec<f64>> = values.iter().map(|value| number(value)?.parse().ok()).collect();
    let rect: [f64; 4] = numbers?.try_into().ok()?;
    let [.., width, height] = rect;
    let in_range = |max: f64| rect.iter().all(|number| (0.0..=max).contains(number)) && width > 0.0 && height > 0.0;
    if values.iter().any(|value| matches!(value.get_ref(), DeValue::Float(_))) {
        return in_range(1.0).then_some(MaskRegion::Fraction(rect));
    }
    in_range(f64::from(u32::MAX)).then(|| MaskRegion::Pixels(rect.map(|number| number as u32)))
}
