//! Joints that are mirror images of each other.

use nalgebra::Vector3;
use rigview_core::model::{JointIndex, Model};
use rigview_core::pose::ModelPose;

/// Largest distance between a joint and the mirror image of another, in sizes of the rig.
const TOLERANCE: f64 = 0.01;

/// Maximum joints that one joint is compared with.
const MAX_CANDIDATES: usize = 64;

/// The joints of skins with their positions at rest, and their extent.
struct JointPositions {
    joints: Vec<(JointIndex, Vector3<f64>, usize)>,
    min: Vector3<f64>,
    max: Vector3<f64>,
}

impl JointPositions {
    fn new(model: &Model, rest: &ModelPose) -> Self {
        let mut depths = Vec::with_capacity(model.skeleton.len());
        for joint in model.skeleton.joints() {
            depths.push(joint.parent.map_or(0, |parent: JointIndex| depths[parent.get()] + 1));
        }
        let in_skins: std::collections::BTreeSet<JointIndex> =
            model.skins.iter().flat_map(|skin| skin.joints.iter().copied()).collect();
        let position = |joint: JointIndex| (joint, rest.model_from_joint(joint).translation, depths[joint.get()]);
        let joints: Vec<_> = in_skins.into_iter().map(position).collect();
        let (mut min, mut max) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
        for (_, position, _) in &joints {
            (min, max) = (min.inf(position), max.sup(position));
        }
        Self { joints, min, max }
    }

    fn size(&self) -> f64 {
        Some((self.max - self.min).norm()).filter(|size| size.is_finite()).unwrap_or(0.0)
    }

    /// Returns the pairs about a plane across `axis`; none if a third of the joints beside the plane have no mirror image.
    fn pairs(&self, axis: usize, plane: f64) -> Vec<[JointIndex; 2]> {
        let tolerance = TOLERANCE * self.size();
        let side = |sign: f64| {
            let beside = self.joints.iter().filter(move |(_, position, _)| sign * (position[axis] - plane) > tolerance);
            let mut beside: Vec<_> = beside.collect();
            beside.sort_by(|a, b| (a.1[axis] - plane).abs().total_cmp(&(b.1[axis] - plane).abs()));
            beside
        };
        let (left, right) = (side(1.0), side(-1.0));
        let mut pairs = Vec::new();
        for (joint, position, depth) in &left {
            let mut mirrored = *position;
            mirrored[axis] = 2.0 * plane - position[axis];
            let distance = position[axis] - plane;
            let first = right.partition_point(|(_, other, _)| plane - other[axis] < distance - tolerance);
            let candidates = right[first..].iter().take(MAX_CANDIDATES).filter(|(_, _, other)| other == depth);
            let nearest = candidates
                .map(|(other, position, _)| (*other, (position - mirrored).norm()))
                .min_by(|a, b| a.1.total_cmp(&b.1));
            if let Some((other, _)) = nearest.filter(|(_, distance)| *distance <= tolerance) {
                pairs.push([*joint, other]);
            }
        }
        if 3 * pairs.len() < left.len() + right.len() { Vec::new() } else { pairs }
    }
}

/// Diagonal of the joints of all skins at rest; 0 without joints.
pub(super) fn rig_size(model: &Model, rest: &ModelPose) -> f64 {
    JointPositions::new(model, rest).size()
}

/// The plane across an axis about which most joints are mirror images.
#[derive(Default)]
pub(super) struct Symmetry {
    /// 0 for X, 1 for Y, 2 for Z of model space.
    pub(super) axis: usize,
    /// Position of the plane on the axis.
    pub(super) plane: f64,
    /// Joints and their mirror images; empty without symmetry.
    pub(super) pairs: Vec<[JointIndex; 2]>,
}

impl Symmetry {
    /// Finds the symmetry of the joints of all skins at rest.
    pub(super) fn find(model: &Model, rest: &ModelPose) -> Self {
        let positions = JointPositions::new(model, rest);
        let Some((_, root, _)) = positions.joints.first() else { return Self::default() };
        let center = (positions.min + positions.max) / 2.0;
        let planes = (0..3).flat_map(|axis| [(axis, root[axis]), (axis, center[axis])]);
        let candidates = planes.map(|(axis, plane)| Self { axis, plane, pairs: positions.pairs(axis, plane) });
        candidates.max_by_key(|symmetry| symmetry.pairs.len()).unwrap_or_default()
    }
}
