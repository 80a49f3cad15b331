//! Legends and color ramps of view modes. Must match `shaders/debug_view.frag`.

use super::ViewMode;
use super::joint_color::joint_color;
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
        let ramp = |title, color: fn(f32) -> [f32; 3], marks| Legend::Ramp {
            title,
            colors: (0..RAMP_STEPS).map(|i| color(i as f32 / (RAMP_STEPS - 1) as f32)).collect(),
            marks,
        };
        let steps = |title, steps: &[([f32; 3], &str)]| Legend::Steps {
            title,
            steps: steps.iter().map(|(color, text)| (*color, (*text).to_owned())).collect(),
        };
        match self {
            Self::Weights => Some(ramp(
                "weight of the joint",
                weight_color,
                vec![(0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, "1")],
            )),
            Self::Influences => Some(Legend::Steps {
                title: "joints that move a vertex",
                steps: (0..=8)
                    .map(|count| {
                        let text = if count == 0 { "rigid".to_owned() } else { count.to_string() };
                        (influence_color(count), text)
                    })
                    .collect(),
            }),
            Self::DominantJoint => Some(Legend::Steps {
                title: "strongest joint",
                steps: (joints.iter())
                    .map(|index| {
                        let joint = skeleton.joint(*index);
                        (joint_color(*index), joint.name.clone().unwrap_or_else(|| format!("node {}", joint.node)))
                    })
                    .collect(),
            }),
            Self::WeightSum => Some(ramp(
                "sum of the weights in the file",
                |x| diverging_color(2.0 * x - 1.0),
                vec![(0.0, "0.5 or less"), (0.5, "1"), (1.0, "1.5 or more")],
            )),
            Self::WeightSymmetry => Some(ramp(
                "weights, against the mirrored vertex",
                |x| diverging_color(2.0 * x - 1.0),
                vec![(0.0, "no such vertex"), (0.5, "equal"), (1.0, "0.25 or more")],
            )),
            Self::Stretch => Some(ramp(
                "edges, against the mesh as modeled",
                |x| diverging_color(2.0 * x - 1.0),
                vec![(0.0, "half"), (0.5, "the same"), (1.0, "twice")],
            )),
            Self::Volume => Some(ramp(
                "volume at a vertex, against its joints",
                |x| diverging_color(2.0 * x - 1.0),
                vec![(0.0, "half or less"), (0.5, "the same"), (1.0, "twice or more")],
            )),
            Self::Normals | Self::Tangents => Some(steps(
                "direction in the world",
                &[([1.0, 0.5, 0.5], "+X"), ([0.5, 1.0, 0.5], "+Y"), ([0.5, 0.5, 1.0], "+Z")],
            )),
            Self::FaceOrientation => Some(steps("side", &[(FRONT, "front"), (BACK, "back")])),
            Self::Depth => Some(ramp(
                "distance from the viewer",
                |x| [1.0 - 0.92 * x; 3],
                vec![(0.0, "nearest"), (1.0, "farthest")],
            )),
            Self::Material | Self::Solid | Self::Uv | Self::VertexColors | Self::Wireframe => None,
        }
    }
}

/// Front faces, as in Blender's face orientation.
const FRONT: [f32; 3] = [0.25, 0.42, 0.9];
/// Back faces.
const BACK: [f32; 3] = [0.9, 0.24, 0.2];

/// Returns Blender's sRGB-encoded color of a weight from 0 to 1 (`BKE_defvert_weight_to_rgb`).
pub fn weight_color(weight: f32) -> [f32; 3] {
    let w = weight.clamp(0.0, 1.0);
    let bright = 0.5 * w + 0.5;
    let up = |from: f32| ((w - from) * 4.0).clamp(0.0, 1.0);
    [bright * up(0.5), bright * up(0.0) * (1.0 - up(0.75)), bright * (1.0 - up(0.25))]
}

/// Returns the sRGB-encoded color of a joint count; 0 is a rigid mesh.
pub fn influence_color(count: usize) -> [f32; 3] {
    const COLORS: [[f32; 3]; 9] = [
        [0.55, 0.55, 0.55],
        [0.20, 0.36, 0.80],
        [0.13, 0.62, 0.77],
        [0.22, 0.72, 0.42],
        [0.66, 0.81, 0.25],
        [0.97, 0.78, 0.20],
        [0.96, 0.53, 0.17],
        [0.88, 0.26, 0.20],
        [0.70, 0.14, 0.45],
    ];
    COLORS[count.min(COLORS.len() - 1)]
}

/// Returns an sRGB-encoded diverging color: blue at -1, light gray at 0, red at 1.
pub fn diverging_color(x: f32) -> [f32; 3] {
    let (middle, low, high) = ([0.86, 0.86, 0.84], [0.13, 0.35, 0.85], [0.84, 0.15, 0.12]);
    let (end, t) = if x < 0.0 { (low, -x) } else { (high, x) };
    let t = t.min(1.0);
    [0, 1, 2].map(|i| middle[i] + (end[i] - middle[i]) * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weight_colors_match_blender() {
        assert_eq!(weight_color(0.0), [0.0, 0.0, 0.5]);
        assert_eq!(weight_color(0.25), [0.0, 0.625, 0.625]);
        assert_eq!(weight_color(0.5), [0.0, 0.75, 0.0]);
        assert_eq!(weight_color(0.75), [0.875, 0.875, 0.0]);
        assert_eq!(weight_color(1.0), [1.0, 0.0, 0.0]);
    }

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
