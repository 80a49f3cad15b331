//! Comparison of two pose texts.

use super::HEADER;
use nalgebra::{Matrix3, Vector3};
use std::collections::{HashMap, HashSet};

/// Largest difference of two numbers, relative to the larger of 1 and the number.
pub const DEFAULT_TOLERANCE: f64 = 1e-4;

/// Half of the last decimal of each of two numbers.
const ROUNDING: f64 = 1e-6;

/// Returns the differences of two texts, one per line that differs by more than `tolerance`.
///
/// # Errors
/// If `golden` is no text of this format.
pub fn differences(golden: &str, actual: &str, tolerance: f64) -> Result<Vec<String>, String> {
    let header = golden.lines().next().unwrap_or_default();
    if header != HEADER {
        return Err(format!("its first line is not `{HEADER}`; write it again with --update"));
    }
    let parse =
        |text| -> Vec<(&str, &str)> { str::lines(text).skip(1).filter_map(|line| line.rsplit_once(": ")).collect() };
    let (golden, actual) = (parse(golden), parse(actual));
    let expected: HashMap<&str, &str> = golden.iter().copied().collect();
    let present: HashSet<&str> = actual.iter().map(|(key, _)| *key).collect();
    let missing = golden.iter().filter(|(key, _)| !present.contains(key)).map(|(key, _)| format!("{key}: is missing"));
    let changed = actual.iter().filter_map(|(key, value)| match expected.get(key) {
        None => Some(format!("{key}: is new")),
        Some(expected) => Some(format!("{key}: {}", difference(expected, value, tolerance)?)),
    });
    Ok(changed.chain(missing).collect())
}

/// Describes how two values differ; `None` if they are equal within the tolerance.
fn difference(expected: &str, value: &str, tolerance: f64) -> Option<String> {
    if expected == value {
        return None;
    }
    let parse = |text: &str| text.split(' ').map(|x| x.parse::<f64>().ok()).collect::<Option<Vec<f64>>>();
    let (Some(a), Some(b)) = (parse(expected), parse(value)) else { return Some(format!("{expected} is now {value}")) };
    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= tolerance * a.abs().max(1.0) + ROUNDING;
    if a.len() == b.len() && a.iter().zip(&b).all(is_near) {
        return None;
    }
    match (<[f64; 12]>::try_from(a), <[f64; 12]>::try_from(b)) {
        (Ok(a), Ok(b)) => Some(matrix_difference(&a, &b)),
        _ => Some(format!("{expected} is now {value}")),
    }
}

fn matrix_difference(a: &[f64; 12], b: &[f64; 12]) -> String {
    let translation = |m: &[f64; 12]| Vector3::new(m[3], m[7], m[11]);
    let linear = |m: &[f64; 12]| Matrix3::new(m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]);
    let (linear_a, linear_b) = (linear(a), linear(b));
    let axes = || linear_a.column_iter().zip(linear_b.column_iter());
    let moved = (translation(a) - translation(b)).norm();
    let rotated = axes().map(|(a, b)| a.angle(&b).to_degrees()).fold(0.0, f64::max);
    let scaled = axes().map(|(a, b)| b.norm() / a.norm()).max_by(|a, b| (a - 1.0).abs().total_cmp(&(b - 1.0).abs()));
    let scaled = scaled.filter(|scale| (scale - 1.0).abs() > ROUNDING);
    let parts = [
        (moved > ROUNDING).then(|| format!("moved by {moved:.6}")),
        // The angle of nearly parallel axes is that of the rounding.
        (rotated > 1e-3).then(|| format!("rotated by {rotated:.3} degrees")),
        scaled.map(|scale| format!("scaled by {scale:.6}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "differs".to_owned() } else { parts.join(", ") }
}
