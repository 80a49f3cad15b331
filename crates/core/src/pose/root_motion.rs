//! Root motion: the displacement of a walking clip, moved from its root joint to the placement of instances.

use super::blend_weights::{LayerWeight, layer_weights};
use super::sample::{KeyInterval, interpolate_component};
use super::{Layer, LayerMode, MAX_LAYERS};
use crate::model::{Interpolation, JointIndex, KeyValues, Model, Timeline, Track};
use nalgebra::{Matrix3, Vector3};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// The horizontal motion of a root joint in each clip of a model.
///
/// ```
/// use rigview_core::crowd::{Crowd, Instance};
/// use rigview_core::math::Affine;
/// use rigview_core::model::{ClipIndex, InstanceIndex, JointIndex};
/// use rigview_core::pose::RootMotion;
///
/// # use rigview_core::import::{ImportOptions, open};
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
/// # let mut model = open(file, &ImportOptions::default()).unwrap().model;
/// // Before the rig is made: the clips of `model` then stay in place. The masks of its layers are those of the model.
/// let root_motion = RootMotion::extract(&mut model, JointIndex(0));
/// let mut crowd = Crowd::new([Instance::new(Affine::IDENTITY, Some(ClipIndex(0)), 0.0)]);
/// // In each frame, the instance walks as far as its clips do.
/// let instance = InstanceIndex(0);
/// let in_model = root_motion.displacement(&model, crowd.layers(instance), 0.5..0.6);
/// let mut placement = crowd.placement(instance);
/// placement.translation += placement.linear * in_model;
/// crowd.set_world_from_model(instance, &placement);
/// ```
#[derive(Clone, Debug)]
pub struct RootMotion {
    joint: JointIndex,
    /// One per clip of the model.
    clips: Vec<ClipRootMotion>,
}

/// The motion of the root joint in one clip.
#[derive(Clone, Debug)]
struct ClipRootMotion {
    /// The clip has a track for the joint.
    is_animated: bool,
    /// `None` if the clip does not move the joint.
    track: Option<RootTrack>,
}

/// Horizontal positions of the joint in model space, relative to the first key.
#[derive(Clone, Debug)]
struct RootTrack {
    duration_secs: f64,
    interpolation: Interpolation,
    timeline: Timeline,
    /// Keys, with tangents for splines.
    values: Vec<Vector3<f64>>,
}

impl RootMotion {
    /// Removes the horizontal motion of `joint`, along X and Z of model space, from all clips of `model`.
    ///
    /// In each clip, the joint then keeps the horizontal position of its first key. The ancestors of the joint must be at rest: an
    /// animated one adds a motion that is not extracted. Does nothing for a joint whose ancestors have no inverse at rest.
    pub fn extract(model: &mut Model, joint: JointIndex) -> Self {
        let model_from_parent = model
            .skeleton
            .joint(joint)
            .parent
            .map_or(Matrix3::identity(), |parent| model.skeleton.rest_model_from_joint(parent).linear);
        let inverse = model_from_parent.try_inverse();
        let extract = |clip: &mut crate::model::Clip| {
            let parent_from_model = inverse?;
            let track = clip
                .tracks
                .iter_mut()
                .find(|track| track.joint == joint && matches!(track.keys, KeyValues::Translation(_)))?;
            let KeyValues::Translation(keys) = &mut track.keys else { return None };
            let is_spline = track.interpolation == Interpolation::CubicSpline;
            let first: Vector3<f64> = keys.get(usize::from(is_spline))?.cast();
            let mut values = Vec::with_capacity(keys.len());
            for (index, key) in Arc::make_mut(keys).iter_mut().enumerate() {
                // Tangents are directions.
                let origin = if is_spline && index % 3 != 1 { Vector3::zeros() } else { first };
                let in_model = model_from_parent * (key.cast::<f64>() - origin);
                let horizontal = Vector3::new(in_model.x, 0.0, in_model.z);
                *key = (key.cast::<f64>() - parent_from_model * horizontal).cast();
                values.push(horizontal);
            }
            Some(RootTrack {
                duration_secs: f64::from(clip.duration_secs),
                interpolation: track.interpolation,
                timeline: clip.timelines[track.timeline].clone(),
                values,
            })
        };
        let clips = model.clips.iter_mut().map(|clip| {
            let of_joint = |track: &Track| track.joint == joint && !matches!(track.keys, KeyValues::Weights(_));
            ClipRootMotion { is_animated: clip.tracks.iter().any(of_joint), track: extract(clip) }
        });
        Self { joint, clips: clips.collect() }
    }

    /// Returns the displacement in model space of a blend of `layers` between two times of the clock.
    ///
    /// The weighted sum over the layers, with the weights of the joint in the masks of `model`; each loop adds the displacement of a whole
    /// clip. Ranges that follow each other add up.
    ///
    /// # Panics
    /// If there are more than [`MAX_LAYERS`], or the model has no such clip or mask.
    pub fn displacement(
        &self,
        model: &Model,
        layers: impl IntoIterator<Item = Layer>,
        clock_secs: Range<f64>,
    ) -> Vector3<f64> {
        let layers: SmallVec<[Layer; 8]> = layers.into_iter().collect();
        assert!(layers.len() <= MAX_LAYERS, "too many layers");
        let factor = |layer: &Layer| layer.mask.map_or(1.0, |mask| model.joint_masks[mask.get()].factor(self.joint));
        let weight_of = |layer: &Layer| LayerWeight {
            weight: layer.blend_weight() * factor(layer),
            mode: LayerMode::Blend,
            is_animated: layer.clip.is_none_or(|clip| self.clips[clip.get()].is_animated),
        };
        let mut weights: SmallVec<[f64; 8]> = SmallVec::from_elem(0.0, layers.len());
        layer_weights(layers.iter().map(weight_of), &mut weights);
        let displacement = |layer: &Layer| {
            let track = layer.clip.and_then(|clip| self.clips[clip.get()].track.as_ref());
            track.map_or(Vector3::zeros(), |track| {
                let [from, to] = [clock_secs.start, clock_secs.end].map(|clock| track.displacement(layer, clock));
                to - from
            })
        };
        layers.iter().zip(weights).map(|(layer, weight)| displacement(layer) * weight).sum()
    }
}

impl RootTrack {
    /// Returns the displacement from the first key at the clock's `clock_secs`, with that of all loops.
    fn displacement(&self, layer: &Layer, clock_secs: f64) -> Vector3<f64> {
        let playback = &layer.playback;
        let loops = playback.completed_loops(clock_secs, self.duration_secs);
        let at = self.position(playback.clip_time(clock_secs, self.duration_secs));
        at + (self.position(self.duration_secs) - self.position(0.0)) * loops
    }

    fn position(&self, time_secs: f64) -> Vector3<f64> {
        let times_secs = self.timeline.times_secs();
        let key = times_secs.partition_point(|&at| f64::from(at) <= time_secs).saturating_sub(1);
        let interval = KeyInterval::at(times_secs, key, time_secs);
        Vector3::from_fn(|axis, _| interpolate_component(|i| self.values[i][axis], self.interpolation, interval))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::{Clip, ClipIndex, Joint, JointMask, JointMaskIndex, Skeleton, Timeline, Track};
    use crate::pose::{Cursor, LayerScratch, LoopMode, ModelPose, Playback, Pose, sample, sample_layers};
    use nalgebra::UnitQuaternion;

    /// A hip below an armature that turns Z up to Y up, which walks along the model's -Z and bobs.
    fn walking(interpolation: Interpolation) -> Model {
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), -std::f64::consts::FRAC_PI_2);
        let rests = [Transform { rotation, ..Transform::identity() }, Transform::identity()];
        let joints = rests.into_iter().zip([None, Some(JointIndex(0))]).map(|(rest, parent)| Joint {
            name: None,
            node: 0,
            parent,
            rest,
            exact_rest_matrix: None,
            morph_weights: 0..0,
        });
        let positions = [[0.0, 1.0, 0.5], [0.0, 2.0, 0.75], [0.5, 4.0, 0.5]].map(Vector3::from);
        let spline = positions.iter().flat_map(|p| [Vector3::new(0.0, 1.0, 0.0), *p, Vector3::new(0.5, 1.0, 0.25)]);
        let keys = match interpolation {
            Interpolation::CubicSpline => spline.collect(),
            _ => positions.into(),
        };
        let keys = KeyValues::Translation(keys);
        let clip = Clip {
            duration_secs: 1.0,
            timelines: vec![Timeline::new([0.0, 0.25, 1.0])],
            tracks: vec![Track { joint: JointIndex(1), timeline: 0.into(), interpolation, keys }],
            ..Clip::default()
        };
        Model { skeleton: Skeleton::new(joints.collect(), Vec::new()), clips: vec![clip], ..Model::default() }
    }

    fn hip(model: &Model, time_secs: f64) -> Vector3<f64> {
        let (mut pose, mut model_pose) = (Pose::default(), ModelPose::default());
        sample(&model.skeleton, &model.clips[0], time_secs, &mut Cursor::default(), &mut pose);
        model_pose.update(&model.skeleton, &pose);
        model_pose.model_from_joint(JointIndex(1)).translation
    }

    #[test]
    fn displacement_and_clip_in_place_add_up_to_the_walk() {
        for interpolation in [Interpolation::Linear, Interpolation::Step, Interpolation::CubicSpline] {
            let walk = walking(interpolation);
            let mut in_place = walk.clone();
            let root_motion = RootMotion::extract(&mut in_place, JointIndex(1));
            let layer = Layer::new(Some(ClipIndex(0)), Playback::ONCE);
            for time_secs in [0.0, 0.1, 0.25, 0.8, 1.0] {
                let (found, at) = (hip(&in_place, time_secs), hip(&walk, time_secs));
                let way = root_motion.displacement(&walk, [layer], 0.0..time_secs);
                assert!((found + way - at).amax() < 1e-6, "{interpolation:?} at {time_secs}");
                let start = hip(&walk, 0.0);
                assert!((found.x - start.x).abs() < 1e-6 && (found.z - start.z).abs() < 1e-6 && way.y == 0.0);
            }
        }
    }

    #[test]
    fn loops_and_frames_add_up() {
        let mut model = walking(Interpolation::Linear);
        let root_motion = RootMotion::extract(&mut model, JointIndex(1));
        let of_clip = Vector3::new(0.5, 0.0, -3.0);
        let way = |speed, loop_mode, clock_secs: Range<f64>| {
            let playback = Playback { speed, start_offset_secs: 0.25, loop_mode };
            root_motion.displacement(&model, [Layer::new(Some(ClipIndex(0)), playback)], clock_secs)
        };
        assert!((way(1.0, LoopMode::Loop, 0.0..3.0) - of_clip * 3.0).amax() < 1e-6);
        assert!((way(-2.0, LoopMode::Loop, 0.0..3.0) + of_clip * 6.0).amax() < 1e-6);
        assert!(way(1.0, LoopMode::PingPong, 0.0..2.0).amax() < 1e-6);
        let frames = (0..30).map(|i| way(1.0, LoopMode::Loop, f64::from(i) / 10.0..f64::from(i + 1) / 10.0));
        assert!((frames.sum::<Vector3<f64>>() - of_clip * 3.0).amax() < 1e-6);
    }

    #[test]
    fn blend_walks_by_weights() {
        let mut model = walking(Interpolation::Linear);
        let root_motion = RootMotion::extract(&mut model, JointIndex(1));
        let walk = Layer::new(Some(ClipIndex(0)), Playback::looping(0.0));
        let stand = Layer::new(None, Playback::looping(0.0));
        let way = root_motion.displacement(&model, Layer::cross_fade(stand, walk, 0.25), 0.0..1.0);
        assert!((way - Vector3::new(0.125, 0.0, -0.75)).amax() < 1e-6);
        let mut pose = Pose::default();
        sample_layers(&model, &[walk], 0.5, &mut LayerScratch::default(), &mut pose);
        assert!(pose.parent_from_joint[1].translation.x.abs() < 1e-6);
    }

    #[test]
    fn masked_layers_walk_as_far_as_they_move_the_joint() {
        let walk = walking(Interpolation::Linear);
        let mut model = walk.clone();
        let root_motion = RootMotion::extract(&mut model, JointIndex(1));
        let [mut none, mut half] = [JointMask::default(), JointMask::default()];
        none.set(JointIndex(0), 1.0);
        half.set(JointIndex(1), 0.5);
        model.joint_masks = vec![none, half];
        let playback = Playback::ONCE;
        let [walks, stands] = [Some(ClipIndex(0)), None].map(|clip| Layer::new(clip, playback));
        let masked = |layer, mask, weight| Layer { mask: Some(JointMaskIndex(mask)), weight, ..layer };
        for layers in [
            vec![walks, masked(stands, 0, 9.0)],
            vec![walks, masked(stands, 1, 2.0)],
            vec![stands, masked(walks, 1, 3.0)],
            vec![masked(walks, 1, 1.0)],
        ] {
            let found = root_motion.displacement(&model, layers.iter().copied(), 0.0..0.8);
            // The sampled walk moves as far.
            let sampled = Model { joint_masks: model.joint_masks.clone(), ..walk.clone() };
            let at = |time_secs| {
                let (mut pose, mut model_pose) = (Pose::default(), ModelPose::default());
                sample_layers(&sampled, &layers, time_secs, &mut LayerScratch::default(), &mut pose);
                model_pose.update(&sampled.skeleton, &pose);
                model_pose.model_from_joint(JointIndex(1)).translation
            };
            let mut expected = at(0.8) - at(0.0);
            expected.y = 0.0;
            assert!((found - expected).amax() < 1e-6, "{layers:?}: {found}, not {expected}");
        }
    }
}
