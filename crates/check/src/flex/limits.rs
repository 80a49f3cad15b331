//! Limits of the measures, from a TOML file.

use rigview_core::util::text::one_line;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// Limits of the measures of [`measure`](super::measure); a joint beyond one is an issue.
///
/// ```
/// use rigview_check::flex::FlexLimits;
///
/// let limits = FlexLimits::from_toml("stretch = 6.0")?;
/// assert_eq!((limits.stretch, limits.volume), (6.0, FlexLimits::default().volume));
/// assert!(FlexLimits::from_toml("tension = 6.0").is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FlexLimits {
    /// Smallest volume that is kept around a joint, relative to the rest pose.
    #[serde(deserialize_with = "positive")]
    pub volume: f64,
    /// Smallest mean radius of the cross-section at a joint, relative to the rest pose.
    #[serde(deserialize_with = "positive")]
    pub cross_section: f64,
    /// Largest ratio of posed to rest length of 95 % of the edges around a joint.
    #[serde(deserialize_with = "positive")]
    pub stretch: f64,
    /// Largest ratio of posed to rest area around a joint.
    #[serde(deserialize_with = "positive")]
    pub area: f64,
    /// Largest fraction of the triangles around a joint that intersect others, only in the pose.
    #[serde(deserialize_with = "positive")]
    pub intersections: f64,
    /// Largest distance of a boundary between two joints from the joint that separates them, in radii of the boundary.
    #[serde(deserialize_with = "positive")]
    pub boundary_distance: f64,
    /// Largest difference between left and right: ratio of areas, and of stretches.
    #[serde(deserialize_with = "positive")]
    pub asymmetry: f64,
    /// Largest part of a joint's surface that follows the joint above as much.
    #[serde(deserialize_with = "positive")]
    pub smear: f64,
    /// Largest offset between the bind position of a joint and that of its parent, in lengths of the bone.
    #[serde(deserialize_with = "positive")]
    pub bind_offset: f64,
}

impl Default for FlexLimits {
    fn default() -> Self {
        Self {
            volume: 0.5,
            cross_section: 0.4,
            stretch: 5.0,
            area: 3.0,
            intersections: 0.6,
            boundary_distance: 3.0,
            asymmetry: 2.0,
            smear: 0.6,
            bind_offset: 0.25,
        }
    }
}

impl FlexLimits {
    /// Reads a TOML table. Missing keys have the defaults.
    ///
    /// # Errors
    /// If it is not TOML, has an unknown key, or a limit is not a number above 0: one line.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| {
            let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or_default();
            format!("line {}: {}", 1 + before.matches('\n').count(), one_line(error.message()))
        })
    }
}

fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let limit = f64::deserialize(deserializer)?;
    let is_valid = limit > 0.0 && limit.is_finite();
    is_valid.then_some(limit).ok_or_else(|| D::Error::custom(format!("{limit} is not a number above 0")))
}
