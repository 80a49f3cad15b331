//! Text of transforms and animation channels for panels and clipboard.

use super::euler_angles::nearest_euler_angles;
use rigview_core::math::Affine;
use rigview_core::model::{Clip, Interpolation, JointIndex, KeyValues};
use rigview_core::util::text::fixed;

/// One line per matrix row.
pub fn matrix(affine: &Affine, number: fn(f64) -> String) -> Vec<String> {
    let m = affine.to_matrix4();
    (0..4).map(|row| (0..4).map(|column| number(m[(row, column)])).collect::<Vec<_>>().join(" ")).collect()
}

/// Location, rotation and scale, with the matrix if there is shear. The rotation has the Euler angles nearest to others.
pub fn transform_lines(affine: &Affine, near: [f64; 3], number: fn(f64) -> String) -> Vec<String> {
    let transform = affine.to_transform();
    let line = |name: &str, numbers: [f64; 3]| format!("{name} {}", numbers.map(number).join(" "));
    let mut lines = vec![
        line("Location", transform.translation.into()),
        line("Rotation", nearest_euler_angles(&transform.rotation, near).map(f64::to_degrees)),
        line("Scale   ", transform.scale.into()),
    ];
    let back = transform.to_affine();
    let size = affine.linear.amax().max(f64::MIN_POSITIVE);
    if (back.linear - affine.linear).amax() > 1e-4 * size {
        lines.push("Matrix (sheared):".to_owned());
        lines.extend(matrix(affine, number));
    }
    lines
}

/// `x` with at most this number of decimals.
pub fn trimmed(x: f64, decimals: usize) -> String {
    let text = fixed(x, decimals);
    if decimals == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

/// At least nine characters: at most three decimals, with the decimal points of all numbers below each other.
pub fn aligned(x: f64) -> String {
    if x.abs() >= 1e5 {
        return format!("{x:9.3e}");
    }
    let (fixed, trimmed) = (fixed(x, 3), trimmed(x, 3));
    let spaces = fixed.len() - trimmed.len();
    format!("{trimmed:>width$}{:spaces$}", "", width = 9_usize.saturating_sub(spaces))
}

/// The animation channels of a joint, one line each.
pub fn channels(clip: &Clip, joint: JointIndex) -> Vec<String> {
    let tracks = clip.tracks.iter().filter(|track| track.joint == joint);
    tracks
        .map(|track| {
            let what = match track.keys {
                KeyValues::Translation(_) => "Location",
                KeyValues::Rotation(_) => "Rotation",
                KeyValues::Scale(_) => "Scale",
                KeyValues::Weights(_) => "Morph weights",
            };
            let times = clip.timelines[track.timeline].times_secs();
            let how = match track.interpolation {
                Interpolation::Step => "step",
                Interpolation::Linear => "linear",
                Interpolation::CubicSpline => "cubic spline",
            };
            let keys = if times.len() == 1 { "key" } else { "keys" };
            let (first, last) = (times.first().copied().unwrap_or(0.0), times.last().copied().unwrap_or(0.0));
            format!("{what}: {} {keys}, {first:.2} to {last:.2} s, {how}", times.len())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix3, Vector3};
    use rigview_core::model::{Timeline, Track};

    #[test]
    fn decimals_are_trimmed_and_aligned() {
        assert_eq!([0.5, -0.0001, 12.3456, 100.0].map(|x| trimmed(x, 3)), ["0.5", "0", "12.346", "100"]);
        assert_eq!([0.5, -10.0, 12.3456].map(aligned), ["    0.5  ", "  -10    ", "   12.346"]);
    }

    #[test]
    fn matrix_has_one_line_per_row() {
        let lines = matrix(&Affine::from_translation(Vector3::new(1.0, -2.5, 1e7)), aligned);
        assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["1", "0", "0", "1"]);
        assert!(lines[2].ends_with("1.000e7") && lines[3].trim_start().starts_with("0 "), "{lines:?}");
    }

    #[test]
    fn sheared_transform_has_its_matrix() {
        let mut affine = Affine { linear: Matrix3::identity() * 2.0, translation: Vector3::y() };
        assert_eq!(transform_lines(&affine, [0.0; 3], aligned).len(), 3);
        assert!(transform_lines(&affine, [0.0; 3], aligned)[2].contains(" 2 "));
        affine.linear[(0, 1)] = 1.0;
        assert_eq!(transform_lines(&affine, [0.0; 3], aligned).len(), 8);
    }

    #[test]
    fn channels_list_their_keys() {
        let clip = Clip {
            timelines: vec![Timeline::new([0.5, 1.0])],
            tracks: vec![Track {
                joint: JointIndex(3),
                timeline: 0.into(),
                interpolation: Interpolation::Step,
                keys: KeyValues::Scale([Vector3::zeros(); 2].into()),
            }],
            ..Clip::default()
        };
        assert_eq!(channels(&clip, JointIndex(3)), ["Scale: 2 keys, 0.50 to 1.00 s, step"]);
        assert!(channels(&clip, JointIndex(0)).is_empty());
    }
}
