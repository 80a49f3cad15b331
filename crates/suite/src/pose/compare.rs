//! Comparison of two pose texts.

use super::track_text::{Keys, ROTATION, Track, WEIGHTS, number, numbers, parse_keys, parse_track};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use std::collections::{HashMap, HashSet};

/// Largest difference of two numbers, relative to the larger of 1 and the number; of rotations in radians.
pub const DEFAULT_TOLERANCE: f64 = 1e-4;

/// Half of the last decimal of each of two numbers.
const ROUNDING: f64 = 1e-6;

/// A parsed text.
struct Facts<'a> {
    /// Name and value, in the order of the text.
    lines: Vec<(&'a str, &'a str)>,
    keys: Keys<'a>,
}

impl<'a> Facts<'a> {
    fn parse(text: &'a str) -> Self {
        let (keys, lines): (Vec<_>, Vec<_>) =
            text.lines().filter_map(|line| line.rsplit_once(": ")).partition(|(name, _)| name.starts_with("keys "));
        let keys = keys.into_iter().filter_map(|(name, value)| Some((name, parse_keys(value)?))).collect();
        Self { lines, keys }
    }
}

/// Returns the differences of two texts of a rig or of a clip, one per fact or key that differs by more than `tolerance`.
pub fn differences(golden: &str, actual: &str, tolerance: f64) -> Vec<String> {
    let (golden, actual) = (Facts::parse(golden), Facts::parse(actual));
    let expected: HashMap<&str, &str> = golden.lines.iter().copied().collect();
    let present: HashSet<&str> = actual.lines.iter().map(|(name, _)| *name).collect();
    let (mut found, same_keys) = (Vec::new(), golden.keys == actual.keys);
    for (name, value) in &actual.lines {
        let Some(expected) = expected.get(name) else {
            found.push(format!("{name}: is new"));
            continue;
        };
        if expected == value && same_keys {
            continue;
        }
        let tracks = (parse_track(expected, &golden.keys), parse_track(value, &actual.keys));
        match (name.rsplit_once(' '), tracks) {
            (Some((joint, property)), (Some(a), Some(b))) => {
                track_differences(joint, property, &a, &b, tolerance, &mut found);
            }
            _ => found.extend(difference(expected, value, tolerance).map(|text| format!("{name}: {text}"))),
        }
    }
    let missing = golden.lines.iter().filter(|(name, _)| !present.contains(name));
    found.extend(missing.map(|(name, _)| format!("{name}: is missing")));
    found
}

/// Adds the keys at which two tracks differ.
fn track_differences(
    joint: &str,
    property: &str,
    a: &Track<'_>,
    b: &Track<'_>,
    tolerance: f64,
    found: &mut Vec<String>,
) {
    if a.interpolation != b.interpolation {
        found.push(format!("{joint} {property}: {} is now {}", a.interpolation, b.interpolation));
    }
    let compare = |key_a: usize, key_b: usize, time_secs: Option<f64>| {
        let text = value_difference(property, &a.at(key_a), &b.at(key_b), tolerance, a.unit.max(b.unit))?;
        let time = time_secs.map_or_else(String::new, |time| format!(" at {} s", number(time)));
        Some(format!("{joint}{time}: {text}"))
    };
    // A constant track has the same value at each key of the other.
    match (a.times_secs, b.times_secs) {
        ([], []) => found.extend(compare(0, 0, None)),
        ([], times) => found.extend(times.iter().enumerate().filter_map(|(key, time)| compare(0, key, Some(*time)))),
        (times, []) => found.extend(times.iter().enumerate().filter_map(|(key, time)| compare(key, 0, Some(*time)))),
        (times_a, times_b) => {
            let (mut i, mut j) = (0, 0);
            while i < times_a.len() || j < times_b.len() {
                let [at_a, at_b] = [times_a.get(i), times_b.get(j)].map(|time| time.copied().unwrap_or(f64::INFINITY));
                if (at_a - at_b).abs() <= tolerance * at_a.abs().max(1.0) + 2.0 * ROUNDING {
                    found.extend(compare(i, j, Some(at_b)));
                    (i, j) = (i + 1, j + 1);
                } else {
                    let (what, time) = if at_a < at_b { ("missing", at_a) } else { ("new", at_b) };
                    found.push(format!("{joint} {property} at {} s: is {what}", number(time)));
                    if at_a < at_b { i += 1 } else { j += 1 }
                }
            }
        }
    }
}

/// Describes how two values of a property differ; `None` if they are equal within the tolerance and the rounding to `unit`.
fn value_difference(property: &str, a: &[f64], b: &[f64], tolerance: f64, unit: f64) -> Option<String> {
    if property == ROTATION
        && let (&[ax, ay, az], &[bx, by, bz]) = (a, b)
    {
        let rotation =
            |x: f64, y: f64, z: f64| UnitQuaternion::from_scaled_axis(Vector3::new(x, y, z).map(f64::to_radians));
        let angle = rotation(ax, ay, az).angle_to(&rotation(bx, by, bz));
        // Each of three components of both is rounded by half a unit.
        let rounding = 3_f64.sqrt() * unit.to_radians();
        return (angle > tolerance + rounding).then(|| format!("rotated by {:.3} degrees", angle.to_degrees()));
    }
    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= tolerance * a.abs().max(1.0) + 1.001 * unit;
    if a.len() == b.len() && a.iter().zip(b).all(is_near) {
        return None;
    }
    let text = |values: &[f64]| numbers(values.iter());
    match (property, a, b) {
        ("translation", &[ax, ay, az], &[bx, by, bz]) => {
            Some(format!("moved by {:.6}", Vector3::new(ax - bx, ay - by, az - bz).norm()))
        }
        (WEIGHTS, a, b) if a.len() == b.len() => {
            let index = a.iter().zip(b).position(|pair| !is_near(pair))?;
            Some(format!("morph weight {index} is {} instead of {}", text(&b[index..=index]), text(&a[index..=index])))
        }
        _ => Some(format!("{property} {} is now {}", text(a), text(b))),
    }
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
