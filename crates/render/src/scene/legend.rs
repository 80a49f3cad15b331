//! Legends of view modes.

use super::ViewMode;
use super::joint_color::joint_color;
use super::view_mode::LegendEntry;
use rigview_core::model::{JointIndex, Skeleton};

/// Legend of a view mode. Colors are sRGB-encoded, from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub enum Legend {
    /// A continuous ramp.
    Ramp {
        /// The measured quantity.
        title: &'static str,
        /// Equally spaced colors from the first to the last value.
        colors: Vec<[f32; 3]>,
        /// Positions along the ramp, 0 to 1, with labels.
        marks: Vec<(f32, &'static str)>,
    },
    /// Discrete colors.
    Steps {
        /// The quantity.
        title: &'static str,
        /// Colors with labels.
        steps: Vec<([f32; 3], String)>,
    },
}

/// Number of colors of a ramp.
const RAMP_STEPS: usize = 64;

impl ViewMode {
    /// Returns the legend; `None` if the colors have no meaning.
    ///
    /// [`ViewMode::DominantJoint`] lists `joints` of `skeleton`, in their order.
    pub fn legend(self, skeleton: &Skeleton, joints: &[JointIndex]) -> Option<Legend> {
        match &self.entry().legend {
            LegendEntry::None => None,
            LegendEntry::Ramp(title, color, marks) => Some(Legend::Ramp {
                title,
                colors: (0..RAMP_STEPS).map(|i| color(i as f32 / (RAMP_STEPS - 1) as f32)).collect(),
                marks: marks.to_vec(),
            }),
            LegendEntry::Steps(title, steps) => Some(Legend::Steps {
                title,
                steps: steps.iter().map(|(color, text)| (*color, (*text).to_owned())).collect(),
            }),
            LegendEntry::Joints(title) => Some(Legend::Steps {
                title,
                steps: (joints.iter())
                    .map(|index| {
                        let joint = skeleton.joint(*index);
                        (joint_color(*index), joint.name.clone().unwrap_or_else(|| format!("node {}", joint.node)))
                    })
                    .collect(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::weight_color;

    #[test]
    fn neighboring_joints_differ_in_color() {
        for joint in 0..500 {
            let [a, b] = [joint, joint + 1].map(|i| joint_color(JointIndex(i)));
            let distance: f32 = a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum();
            assert!(distance > 0.3 && a.iter().all(|x| (0.0..=1.0).contains(x)), "{joint}: {a:?}, {b:?}");
        }
    }

    #[test]
    fn legend_of_a_ramp_spans_its_range() {
        let skeleton = Skeleton::default();
        let Some(Legend::Ramp { colors, marks, .. }) = ViewMode::Weights.legend(&skeleton, &[]) else { panic!() };
        assert_eq!((colors[0], colors[RAMP_STEPS - 1]), (weight_color(0.0), weight_color(1.0)));
        assert_eq!((marks[0].0, marks[marks.len() - 1].0), (0.0, 1.0));
        assert_eq!(ViewMode::Material.legend(&skeleton, &[]), None);
    }
}
