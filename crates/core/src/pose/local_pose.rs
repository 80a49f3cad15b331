//! Local pose of a skeleton.

use super::ModelPose;
use crate::math::{Affine, Transform};
use crate::model::{Clip, Interpolation, JointIndex, KeyValues, Skeleton, Timeline, TimelineIndex, Track};

/// `parent_from_joint` of every joint, and every morph weight, at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// One per joint, in hierarchy order.
    pub parent_from_joint: Vec<Transform>,
    /// Morph weights of all joints, laid out as [`Skeleton::rest_morph_weights`].
    pub morph_weights: Vec<f32>,
}

impl Pose {
    /// The rest pose.
    pub fn rest(skeleton: &Skeleton) -> Self {
        let mut pose = Self::default();
        pose.reset(skeleton);
        pose
    }

    /// Resets to the rest pose and keeps the allocations.
    pub fn reset(&mut self, skeleton: &Skeleton) {
        self.parent_from_joint.clear();
        self.parent_from_joint.extend(skeleton.joints().iter().map(|joint| joint.rest));
        self.morph_weights.clear();
        self.morph_weights.extend_from_slice(skeleton.rest_morph_weights());
    }

    /// The morph weights of one joint's mesh.
    pub fn morph_weights_of(&self, skeleton: &Skeleton, joint: JointIndex) -> &[f32] {
        &self.morph_weights[skeleton.joint(joint).morph_weights.clone()]
    }

    /// Returns a clip with one key at 0 s per property that differs from the rest pose.
    ///
    /// `constrained` is the same pose after constraints, which act in model space; a [`ModelPose`] of this pose without them.
    pub fn to_clip(&self, name: &str, skeleton: &Skeleton, constrained: &ModelPose) -> Clip {
        let mut free = ModelPose::default();
        free.update(skeleton, self);
        let mut tracks = Vec::new();
        for (i, joint) in skeleton.joints().iter().enumerate() {
            let index = JointIndex(i as u32);
            let local = |pose: &ModelPose| {
                let parent = joint.parent.map_or(Affine::IDENTITY, |parent| *pose.model_from_joint(parent));
                Some(parent.inverse()? * *pose.model_from_joint(index))
            };
            let mut transform = self.parent_from_joint[i];
            if let Some((before, after)) = local(&free).zip(local(constrained))
                && (before.linear - after.linear).amax().max((before.translation - after.translation).amax()) > 1e-9
            {
                transform = after.to_transform();
            }
            let (rest, weights) = (&joint.rest, self.morph_weights_of(skeleton, index));
            let keys = [
                (transform.translation != rest.translation)
                    .then(|| KeyValues::Translation([transform.translation.cast()].into())),
                (transform.rotation != rest.rotation)
                    .then(|| KeyValues::Rotation([transform.rotation.coords.cast()].into())),
                (transform.scale != rest.scale).then(|| KeyValues::Scale([transform.scale.cast()].into())),
                (*weights != skeleton.rest_morph_weights()[joint.morph_weights.clone()])
                    .then(|| KeyValues::Weights(weights.into())),
            ];
            let track =
                |keys| Track { joint: index, timeline: TimelineIndex(0), interpolation: Interpolation::Linear, keys };
            tracks.extend(keys.into_iter().flatten().map(track));
        }
        Clip { name: Some(name.to_owned()), timelines: vec![Timeline::new([0.0])], tracks, ..Clip::default() }
    }
}
