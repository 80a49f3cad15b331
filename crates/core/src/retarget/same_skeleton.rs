//! Clips of the same skeleton, which are copied.

use super::body::Body;
use super::directions::rotation_of;
use super::reference::{ReferenceSettings, ReferenceSource};
use super::rig_map::RigMap;
use crate::import::{Unmatched, copy_clips_by_joint_name};
use crate::math::Affine;
use crate::model::{Interpolation, JointIndex, KeyValues, Model, Track};
use nalgebra::{Matrix3, Vector3};
use std::collections::HashMap;

/// Largest difference of the offsets of a joint from its parent, relative to the longest offset.
const OFFSET_TOLERANCE: f64 = 1e-3;

/// Largest difference of the rotations of the nodes above both skeletons, in radians.
const ROOT_TOLERANCE: f64 = 1e-3;

/// Angle between the rest rotations of a joint above which the axes of two rest poses differ, in radians.
const AXES_TOLERANCE: f64 = 1.75;

/// Fewest joints that make a skeleton.
const MIN_JOINTS: usize = 3;

/// The largest part of the animated joints that the target may lack, such as ends of fingers.
const MAX_UNMATCHED: f64 = 0.1;

/// Conversion of keys of the source to those of the target.
pub(super) struct SameSkeleton {
    /// From the offsets of joints in the source to those in the target.
    scale: f64,
    /// From lengths of the source to those of the target, in model space.
    pub(super) size: f64,
    /// Conversion of the translations of the topmost animated joints, by joint of the target.
    tops: HashMap<JointIndex, Affine>,
}

impl SameSkeleton {
    /// Returns the conversion if the joints that the clips animate have the same names, the same hierarchy, and the same offsets from
    /// their parents up to one scale. `bodies` are source and target if they have the roles of a body.
    pub(super) fn find(
        source: &Model,
        target: &Model,
        maps: [&RigMap; 2],
        bodies: Option<[&Body<'_>; 2]>,
    ) -> Option<Self> {
        if maps.iter().any(|map| *map.settings() != ReferenceSettings::default()) {
            return None;
        }
        let matches = source.skeleton.match_joints(&target.skeleton);
        let [of_source, of_target] = [source, target].map(|model| model.skeleton.joints());
        let mut is_animated = vec![false; of_source.len()];
        for track in source.clips.iter().flat_map(|clip| &clip.tracks) {
            is_animated[track.joint.get()] |= !matches!(track.keys, KeyValues::Weights(_));
        }
        // Whether a joint above is animated.
        let mut is_below = vec![false; of_source.len()];
        let (mut offsets, mut tops, mut matched, mut unmatched) = (Vec::new(), Vec::new(), 0, 0);
        for (i, joint) in of_source.iter().enumerate() {
            let parent = joint.parent.map(JointIndex::get);
            is_below[i] = parent.is_some_and(|parent| is_below[parent] || is_animated[parent]);
            if !is_animated[i] && !is_below[i] {
                continue;
            }
            let Some(found) = matches[i].filter(|_| joint.name.is_some()) else {
                unmatched += usize::from(is_animated[i]);
                continue;
            };
            let other = &of_target[found.get()];
            if !is_below[i] {
                tops.push((i, found));
            } else if other.parent.is_none() || other.parent != parent.and_then(|parent| matches[parent]) {
                return None;
            } else {
                offsets.push([joint.rest.translation, other.rest.translation]);
            }
            matched += usize::from(is_animated[i]);
        }
        if offsets.len() < MIN_JOINTS || unmatched as f64 > MAX_UNMATCHED * matched as f64 {
            return None;
        }
        let squares: f64 = offsets.iter().map(|[from, _]| from.norm_squared()).sum();
        let mut scale = (offsets.iter().map(|[from, to]| from.norm() * to.norm()).sum::<f64>()) / squares;
        if (scale - 1.0).abs() < 1e-5 {
            scale = 1.0;
        }
        let longest = offsets.iter().map(|[_, to]| to.norm()).fold(0.0, f64::max);
        let agrees = |[from, to]: &[Vector3<f64>; 2]| (from * scale - to).norm() <= OFFSET_TOLERANCE * longest;
        // NaN is no scale.
        let is_scaled = scale > 0.0 && scale.is_finite() && longest > 0.0 && offsets.iter().all(agrees);
        if !is_scaled {
            return None;
        }
        let rests = [source, target].map(|model| model.skeleton.rest_model_pose());
        // Offsets do not show a rotation about a bone, but two rest poses do.
        let have_rest_poses = bodies.is_some_and(|bodies| {
            bodies.iter().all(|body| body.reference.source == ReferenceSource::Rest && body.reference.confidence > 0.85)
        });
        let differ = |(i, found): (usize, &Option<JointIndex>)| {
            let Some(found) = found.filter(|_| is_animated[i]) else { return false };
            rotation_of(&rests[0][i]).angle_to(&rotation_of(&rests[1][found.get()])) > AXES_TOLERANCE
        };
        if have_rest_poses && matches.iter().enumerate().any(differ) {
            return None;
        }
        let (mut conversions, mut size) = (HashMap::new(), scale);
        for (i, found) in tops {
            let above = [of_source[i].parent, of_target[found.get()].parent];
            let mut above = above.into_iter().zip(&rests);
            let mut next =
                || above.next().and_then(|(parent, rest)| Some(rest[parent?.get()])).unwrap_or(Affine::IDENTITY);
            let (from, to) = (next(), next());
            let sizes = [from, to].map(|affine| affine.determinant().abs().cbrt());
            let is_mirrored = (from.determinant() < 0.0) != (to.determinant() < 0.0);
            if is_mirrored || rotation_of(&from).angle_to(&rotation_of(&to)) > ROOT_TOLERANCE {
                return None;
            }
            size = scale * sizes[1] / sizes[0];
            let bigger = Affine { linear: Matrix3::identity() * size, translation: Vector3::zeros() };
            let conversion = to.inverse()? * bigger * from;
            conversions.insert(found, conversion);
        }
        Some(Self { scale, size, tops: conversions })
    }

    /// Adds the clips of `source` to `target`.
    pub(super) fn copy(&self, target: &mut Model, source: &Model) -> Unmatched {
        let first = target.clips.len();
        let unmatched = copy_clips_by_joint_name(target, source);
        for track in target.clips[first..].iter_mut().flat_map(|clip| &mut clip.tracks) {
            let below = Affine { linear: Matrix3::identity() * self.scale, translation: Vector3::zeros() };
            let conversion = *self.tops.get(&track.joint).unwrap_or(&below);
            convert(track, &conversion);
        }
        unmatched
    }
}

/// Converts the translations of a track; those that stay remain exactly the same.
fn convert(track: &mut Track, conversion: &Affine) {
    let difference = (conversion.linear - Matrix3::identity()).amax().max(conversion.translation.amax());
    let KeyValues::Translation(keys) = &mut track.keys else { return };
    if difference < 1e-9 {
        return;
    }
    let per_key = track.interpolation.values_per_key();
    let is_value = |i: usize| track.interpolation != Interpolation::CubicSpline || i % per_key == 1;
    let convert = |(i, key): (usize, &Vector3<f32>)| -> Vector3<f32> {
        let key = key.cast();
        match is_value(i) {
            true => conversion.transform_point(key).cast(),
            false => conversion.transform_vector(key).cast(),
        }
    };
    *keys = keys.iter().enumerate().map(convert).collect();
}
