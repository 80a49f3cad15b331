//! Constant folding for a whole rig: the maps that all clips have in common.

use super::resolved_joint::{ConstantJoint, resolve_animated_joints, resolve_joints};
use crate::ik::PoseConstraints;
use crate::math::{Affine, Transform};
use crate::model::{Clip, JointIndex};
use crate::palette::{MatrixFormat, PaletteLayout, Rig, scale_and_rotation};
use nalgebra::{UnitQuaternion, Vector3};

/// The maps that the keys of every clip of a rig contain beside the clip's own values.
///
/// Joints that all clips hold in one transform are multiplied into the keys of the joints that follow them. The keys of a clip then
/// fit every plan of the rig.
#[derive(Clone, Debug)]
pub(crate) struct FoldedRig {
    pub(super) joints: Vec<FoldedJoint>,
}

#[derive(Clone, Debug)]
pub(super) struct FoldedJoint {
    /// `true` if a palette matrix or a point of a constraint follows the joint or a descendant.
    pub(super) is_used: bool,
    /// The transform in which all clips hold the joint.
    pub(super) constant: Option<ConstantJoint>,
    /// The nearest ancestor that is not constant; `None` for the placement.
    pub(super) anchor: Option<JointIndex>,
    /// From the parent to the node of `anchor`, as the keys contain it; `None` if a transform cannot represent it.
    pub(super) anchor_from_parent: Option<Transform>,
    /// The bind that the keys contain.
    pub(super) bind: FoldedBind,
}

/// Rotation and uniform scale of the first matrix that follows a joint, so that a node's rotation is the palette's.
///
/// The identity for [`MatrixFormat::Mat3x4`], whose maps with shear cannot be folded into a rotation.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoldedBind {
    pub(super) rotation: UnitQuaternion<f64>,
    pub(super) scale: f64,
}

impl FoldedBind {
    pub(super) fn joint_from_node(&self) -> Affine {
        let linear = self.rotation.to_rotation_matrix().into_inner() * self.scale;
        Affine { linear, ..Affine::IDENTITY }
    }

    pub(super) fn node_from_joint(&self) -> Affine {
        let linear = self.rotation.inverse().to_rotation_matrix().into_inner() / self.scale;
        Affine { linear, ..Affine::IDENTITY }
    }
}

impl FoldedRig {
    pub(crate) fn new(rig: &Rig, constraints: Option<&PoseConstraints>) -> Self {
        let model = rig.model();
        let constants_of = |clip: Option<&Clip>| {
            let joints = resolve_joints(model, clip, rig.format());
            joints.into_iter().map(|joint| joint.constant()).collect::<Vec<_>>()
        };
        let mut constants = constants_of(model.clips.first());
        let keep_equal = |constant: &mut Option<ConstantJoint>, other: Option<ConstantJoint>| {
            *constant = constant.filter(|constant| other.is_some_and(|other| constant.is_equal(&other)));
        };
        // Numbers of clips with a track for each joint; in others it is at rest. Linear in tracks, not in clips times joints.
        let (mut animating, others) = (vec![0; constants.len()], model.clips.get(1..).unwrap_or_default());
        for clip in others {
            for (joint, resolved) in resolve_animated_joints(model, clip, rig.format()) {
                animating[joint.get()] += 1;
                keep_equal(&mut constants[joint.get()], resolved.constant());
            }
        }
        for ((constant, at_rest), animating) in constants.iter_mut().zip(constants_of(None)).zip(animating) {
            if animating < others.len() {
                keep_equal(constant, at_rest);
            }
        }
        let (mut used, binds) = (rig.layout().used_joints(model), folded_binds(rig));
        for joint in constraints.into_iter().flat_map(PoseConstraints::points).filter_map(|point| point.joint) {
            let ancestors = std::iter::successors(Some(joint), |joint| model.skeleton.joint(*joint).parent);
            ancestors.for_each(|joint| used[joint.get()] = true);
        }
        let mut joints: Vec<FoldedJoint> = Vec::with_capacity(constants.len());
        // The anchor of the children of each joint, and its transform from the joint.
        let mut anchors: Vec<(Option<JointIndex>, Affine)> = Vec::with_capacity(constants.len());
        for (i, joint) in model.skeleton.joints().iter().enumerate() {
            let (anchor, transform) = joint.parent.map_or((None, Affine::IDENTITY), |parent| anchors[parent.get()]);
            let (constant, bind) = (constants[i], binds[i]);
            anchors.push(match constant {
                Some(constant) => (anchor, transform * constant.parent_from_joint()),
                None => (Some(JointIndex(i as u32)), bind.node_from_joint()),
            });
            let anchor_from_parent = to_similarity(&transform);
            joints.push(FoldedJoint { is_used: used[i], constant, anchor, anchor_from_parent, bind });
        }
        Self { joints }
    }
}

/// Returns `affine` as a [`Transform`] if it is a rotation, translation and positive uniform scale within rounding.
pub(super) fn to_similarity(affine: &Affine) -> Option<Transform> {
    if *affine == Affine::IDENTITY {
        return Some(Transform::identity());
    }
    let mut transform = affine.to_transform();
    let scale = transform.scale.x;
    transform.scale = Vector3::repeat(scale);
    let recomposed = transform.to_affine();
    let is_exact = (recomposed.linear - affine.linear).amax() <= 1e-12 * scale;
    (affine.is_finite() && scale > 0.0 && is_exact).then_some(transform)
}

fn folded_binds(rig: &Rig) -> Vec<FoldedBind> {
    let mut binds = vec![None; rig.model().skeleton.len()];
    if rig.format() == MatrixFormat::QuatTranslationScale {
        let matrix_ranges = rig.layout().matrix_ranges.iter();
        for (joint, transform) in
            matrix_ranges.flat_map(|matrix_range| PaletteLayout::matrices_of(rig.model(), matrix_range))
        {
            let (scale, rotation) = scale_and_rotation(&transform);
            if (1e-6..1e6).contains(&scale) {
                binds[joint.get()].get_or_insert(FoldedBind { rotation, scale });
            }
        }
    }
    let identity = FoldedBind { rotation: UnitQuaternion::identity(), scale: 1.0 };
    binds.into_iter().map(|bind| bind.unwrap_or(identity)).collect()
}
