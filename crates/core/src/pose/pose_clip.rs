//! Clips of one pose.

use super::{ModelPose, Pose};
use crate::math::Affine;
use crate::model::{Clip, Interpolation, JointIndex, KeyValues, Skeleton, Timeline, TimelineIndex, Track};

/// Returns a clip with one key at 0 s per property that differs from the rest pose.
///
/// `constrained` is the same pose after constraints, which act in model space; without them, that of [`ModelPose::update`].
pub fn pose_clip(name: &str, skeleton: &Skeleton, pose: &Pose, constrained: &ModelPose) -> Clip {
    let mut free = ModelPose::default();
    free.update(skeleton, pose);
    let mut tracks = Vec::new();
    for (i, joint) in skeleton.joints().iter().enumerate() {
        let index = JointIndex(i as u32);
        let local = |of: &ModelPose| {
            let parent = joint.parent.map_or(Affine::IDENTITY, |parent| *of.model_from_joint(parent));
            Some(parent.inverse()? * *of.model_from_joint(index))
        };
        let mut transform = pose.parent_from_joint[i];
        if let Some((before, after)) = local(&free).zip(local(constrained))
            && (before.linear - after.linear).amax().max((before.translation - after.translation).amax()) > 1e-9
        {
            transform = after.to_transform();
        }
        let (rest, weights) = (&joint.rest, pose.morph_weights_of(skeleton, index));
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
