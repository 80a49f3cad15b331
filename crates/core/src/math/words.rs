//! Affine maps as text.

use super::Affine;
use nalgebra::Vector3;

/// Smallest rotation that has an axis, in degrees; single precision rounds below it.
const MIN_DEGREES: f64 = 1e-3;

/// Relative deviations of scales below it are rounding of single precision.
const ROUNDING: f64 = 1e-5;

/// The same for right angles, which lose more digits in a product of many rotations: 1e-4 is 0.006 degrees.
const MIN_SHEAR: f64 = 1e-4;

/// A translation of less than this part of the mapped coordinates is rounding of single precision.
const MIN_TRANSLATION: f64 = 1e-6;

/// Significant digits of the largest of three numbers.
const DIGITS: i32 = 6;

/// A map by its parts, applied in the order scale, rotation, translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AffineParts {
    /// Unit axis of the rotation and its angle in degrees, above 0; `None` without rotation.
    pub rotation: Option<(Vector3<f64>, f64)>,
    /// Scale along the source's own axes; `None` if it is 1. A mirroring map has a negative X.
    pub scale: Option<Vector3<f64>>,
    /// Translation.
    pub translation: Vector3<f64>,
    /// `true` if the map has shear, which the other parts lack.
    pub has_shear: bool,
}

impl From<&Affine> for AffineParts {
    fn from(map: &Affine) -> Self {
        let transform = map.to_transform();
        let size = map.linear.amax();
        let has_shear = (transform.to_affine().linear - map.linear).amax() > MIN_SHEAR * size;
        let axis_angle = transform.rotation.axis_angle().map(|(axis, angle)| (axis.into_inner(), angle.to_degrees()));
        let is_scaled = (transform.scale - Vector3::repeat(1.0)).amax() > ROUNDING;
        Self {
            rotation: axis_angle.filter(|(_, degrees)| *degrees >= MIN_DEGREES),
            scale: is_scaled.then_some(transform.scale),
            translation: transform.translation,
            has_shear,
        }
    }
}

impl Affine {
    /// Describes the map: rotation as axis and degrees, scale, translation; a map with shear also by its rows.
    ///
    /// `extent` is the largest coordinate of the mapped points. A translation below a millionth of it is left out as rounding.
    ///
    /// ```
    /// use rigview_core::math::Affine;
    /// # use nalgebra::Vector3;
    ///
    /// let raised = Affine::from_translation(Vector3::new(0.0, 1.5, 0.0));
    /// assert_eq!(raised.in_words(1.0), "translation (0, 1.5, 0)");
    /// assert_eq!(Affine::IDENTITY.in_words(1.0), "identity");
    /// ```
    pub fn in_words(&self, extent: f64) -> String {
        let AffineParts { rotation, scale, translation, has_shear } = self.into();
        let mut parts = Vec::new();
        parts.extend(rotation.map(|(axis, degrees)| {
            format!("rotation {}\u{b0} about {}", rounded(degrees, 2), tuple(axis.map(|x| rounded(x, 3))))
        }));
        parts.extend(scale.map(|scale| {
            let is_uniform = (scale - Vector3::repeat(scale.x)).amax() <= ROUNDING * scale.amax();
            format!("scale {}", if is_uniform { short(scale.x).to_string() } else { short_triple(scale) })
        }));
        if translation.amax() > MIN_TRANSLATION * self.linear.amax() * extent {
            parts.push(format!("translation {}", short_triple(translation)));
        }
        if has_shear {
            let rows: Vec<String> = self.linear.row_iter().map(|row| short_triple(row.transpose())).collect();
            parts.push(format!("shear, by the rows {}", rows.join(" ")));
        }
        if parts.is_empty() { "identity".to_owned() } else { parts.join(", ") }
    }
}

/// Three numbers in parentheses, with six significant digits of the largest one.
pub fn short_triple(v: Vector3<f64>) -> String {
    let decimals = decimals_of(v.amax());
    tuple(v.map(|x| rounded(x, decimals)))
}

fn short(x: f64) -> f64 {
    rounded(x, decimals_of(x.abs()))
}

/// Decimals that give a number of this size six significant digits.
fn decimals_of(size: f64) -> i32 {
    if size > 0.0 && size.is_finite() { DIGITS - 1 - size.log10().floor() as i32 } else { DIGITS }
}

fn rounded(x: f64, decimals: i32) -> f64 {
    let power = 10.0_f64.powi(decimals.abs());
    let rounded = if decimals < 0 { (x / power).round() * power } else { (x * power).round() / power };
    // A number beyond the range of the product keeps its value. Adding 0 turns -0 into 0.
    if rounded.is_finite() { rounded + 0.0 } else { x }
}

fn tuple(v: Vector3<f64>) -> String {
    format!("({}, {}, {})", v.x, v.y, v.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use nalgebra::UnitQuaternion;

    #[test]
    fn parts_are_named_and_rounding_is_not() {
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 35.25_f64.to_radians());
        let mut map = Transform { translation: Vector3::new(0.1, 0.0, -2.0), rotation, ..Transform::identity() };
        assert_eq!(map.to_affine().in_words(1.0), "rotation 35.25\u{b0} about (0, 0, 1), translation (0.1, 0, -2)");
        map.scale = Vector3::repeat(2.0);
        assert!(map.to_affine().in_words(1.0).contains(", scale 2, "), "{}", map.to_affine().in_words(1.0));
        map.scale = Vector3::new(-1.0, 1.0, 0.5);
        let mirrored = map.to_affine();
        assert!(mirrored.in_words(1.0).contains("scale (-1, 1, 0.5)") && !mirrored.in_words(1.0).contains("shear"));
        let almost = Transform { scale: Vector3::repeat(1.0 + 1e-6), ..Transform::identity() }.to_affine();
        assert_eq!(almost.in_words(1.0), "identity");
        let moved = Affine::from_translation(Vector3::new(1e-9, 0.0, 0.0));
        assert_eq!(moved.in_words(1.0), "identity");
        assert_eq!(moved.in_words(0.0), "translation (0.000000001, 0, 0)");
        let mut sheared = Affine::IDENTITY;
        sheared.linear[(0, 1)] = 0.5;
        assert!(sheared.in_words(1.0).ends_with("shear, by the rows (1, 0.5, 0) (0, 1, 0) (0, 0, 1)"));
    }

    #[test]
    fn numbers_have_six_digits_of_the_largest() {
        let text = |x, y, z| short_triple(Vector3::new(x, y, z));
        assert_eq!(text(1.0 / 3.0, -1e-9, 2.0), "(0.33333, 0, 2)");
        assert_eq!(text(1e-5 / 3.0, 0.0, 0.0), "(0.00000333333, 0, 0)");
        assert_eq!(text(1_234_567.0, 1.0, 0.0), "(1234570, 0, 0)");
        for x in [0.0, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, f64::NAN] {
            assert!(!text(x, x, x).is_empty());
        }
    }
}
