//! Masks: regions of an image that the comparison ignores.

use super::error::{SuiteError, SuiteErrorKind};
use super::value::{Value, number, wrong_value};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use toml::de::{DeArray, DeTable, DeValue};

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
    /// The boxes, in the image, of the vertices that a joint moves.
    Joint {
        /// Name of the joint, or its node index.
        joint: String,
        /// Margin of the box in pixels.
        margin: u32,
    },
}

impl MaskRegion {
    /// The PNG file of the mask, relative to the suite's folder; `None` for a region without one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(file) => Some(file),
            Self::Pixels(_) | Self::Fraction(_) | Self::Joint { .. } => None,
        }
    }
}

/// Margin of a joint's box in pixels, for anti-aliased edges.
const DEFAULT_MARGIN: u32 = 2;

const EXPECTED: &str = "a PNG file, or left, top, width and height in pixels or in fractions from 0.0 to 1.0";
const EXPECTED_IN_SUITE: &str =
    "a PNG file, or left, top, width and height in pixels or in fractions from 0.0 to 1.0, or { joint = \"NAME\" }";

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
        DeValue::Table(table) => return joint_region(table, value, line),
        DeValue::String(file) => Some(MaskRegion::File(PathBuf::from(file.as_ref()))),
        DeValue::Array(values) => rectangle(values),
        _ => None,
    };
    region.ok_or_else(|| wrong_value("mask", EXPECTED_IN_SUITE, value, line))
}

/// Reads `{ joint = "NAME", margin = PIXELS }`.
fn joint_region(table: &DeTable<'_>, value: &Value<'_>, line: usize) -> Result<MaskRegion, SuiteError> {
    let (mut joint, mut margin) = (None, DEFAULT_MARGIN);
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "joint" => joint = value.get_ref().as_str().map(str::to_owned),
            "margin" => {
                let pixels = number(value).and_then(|number| number.parse().ok());
                margin = pixels.ok_or_else(|| wrong_value("margin", "a number of pixels", value, line))?;
            }
            key => return Err(SuiteErrorKind::unknown_key(key, ["joint", "margin"], "joint, margin").at(line)),
        }
    }
    let joint = joint.ok_or_else(|| wrong_value("mask", EXPECTED_IN_SUITE, value, line))?;
    Ok(MaskRegion::Joint { joint, margin })
}

/// Reads a rectangle; with a decimal point in one of its numbers, in fractions.
fn rectangle(values: &DeArray<'_>) -> Option<MaskRegion> {
    let numbers: Option<Vec<f64>> = values.iter().map(|value| number(value)?.parse().ok()).collect();
    let is_fraction = values.iter().any(|value| matches!(value.get_ref(), DeValue::Float(_)));
    MaskRegion::rectangle(numbers?.try_into().ok()?, is_fraction)
}

impl MaskRegion {
    /// A rectangle in pixels or in fractions; `None` if it is empty or out of range.
    fn rectangle(rect: [f64; 4], is_fraction: bool) -> Option<Self> {
        let [.., width, height] = rect;
        let in_range = |max: f64| rect.iter().all(|number| (0.0..=max).contains(number)) && width > 0.0 && height > 0.0;
        if is_fraction {
            return in_range(1.0).then_some(Self::Fraction(rect));
        }
        let is_integer = rect.iter().all(|number| number.fract() == 0.0);
        (is_integer && in_range(f64::from(u32::MAX))).then(|| Self::Pixels(rect.map(|number| number as u32)))
    }
}

impl FromStr for MaskRegion {
    type Err = String;

    /// Reads `LEFT,TOP,WIDTH,HEIGHT`, in fractions if there is a decimal point, or the name of a PNG file.
    fn from_str(text: &str) -> Result<Self, String> {
        if text.to_ascii_lowercase().ends_with(".png") {
            return Ok(Self::File(PathBuf::from(text)));
        }
        let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
        let rect = numbers.and_then(|numbers| numbers.try_into().ok());
        rect.and_then(|rect| Self::rectangle(rect, text.contains('.'))).ok_or_else(|| format!("expected {EXPECTED}"))
    }
}
