//! Clips of bodies without common roles, which are transferred to the joints of the same names.

use super::directions::rotation_of;
use super::reference::{BodyKind, Reference, ReferenceSource};
use super::rig::missing_roles;
use super::{RetargetError, RigMap};
use crate::import::{Unmatched, copy_clips_by_joint_name};
use crate::math::Affine;
use crate::model::{Interpolation, JointIndex, KeyValues, Model, Track};
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3, Vector4};

/// The part of the animated joints above which names are those of the same kind of body.
const MIN_MATCHED: f64 = 0.5;

/// The joints of the target that follow those of the same names in the source.
pub(super) struct NamedJoints {
    /// From lengths of the source to those of the target.
    pub(super) size: f64,
    /// By joint of the target.
    conversions: Vec<Option<Conversion>>,
    pub(super) references: [Reference; 2],
}

/// Conversion of the keys of a joint. Rest poses correspond.
struct Conversion {
    /// A rotation of the source is between these.
    rotation: [UnitQuaternion<f64>; 2],
    /// Translations at rest of source and target, and the map of displacements from rest.
    rest: [Vector3<f64>; 2],
    displacement: Matrix3<f64>,
}

impl NamedJoints {
    /// Finds the joints of the same names.
    ///
    /// # Errors
    /// If most animated joints of the source have no joint of the same name.
    pub(super) fn find(source: &Model, target: &Model, maps: [&RigMap; 2]) -> Result<Self, RetargetError> {
        let matches = source.skeleton.match_joints(&target.skeleton);
        let [of_source, of_target] = [source, target].map(|model| model.skeleton.joints());
        let mut is_animated = vec![false; of_source.len()];
        for track in source.clips.iter().flat_map(|clip| &clip.tracks) {
            is_animated[track.joint.get()] |= !matches!(track.keys, KeyValues::Weights(_));
        }
        let found = |i: usize| matches[i].filter(|_| of_source[i].name.is_some());
        let animated: Vec<usize> = (0..of_source.len()).filter(|i| is_animated[*i]).collect();
        let matched = animated.iter().filter(|i| found(**i).is_some()).count();
        let part = matched as f64 / animated.len().max(1) as f64;
        if part <= MIN_MATCHED {
            let other = maps.iter().zip(["source", "target"]).find(|(map, _)| map.kind() == BodyKind::Other);
            return Err(match other {
                None => RetargetError::OtherBody,
                Some((map, which)) => {
                    RetargetError::OtherKind { which, roles: missing_roles(map), matched, animated: animated.len() }
                }
            });
        }
        let rests = [source, target].map(|model| model.skeleton.rest_model_pose());
        let parents = |i: usize, found: JointIndex| {
            let [from, to] = [of_source[i].parent, of_target[found.get()].parent];
            let above = |parent: Option<JointIndex>, rest: &[Affine]| {
                parent.map_or(Affine::IDENTITY, |parent| rest[parent.get()])
            };
            [above(from, &rests[0]), above(to, &rests[1])]
        };
        // The size of the target in that of the source: by the bones between joints that both have.
        let mut lengths = [0.0; 2];
        for (i, found) in (0..of_source.len()).filter_map(|i| Some((i, found(i)?))) {
            let has_parents = of_source[i].parent.is_some() && of_target[found.get()].parent.is_some();
            if has_parents {
                let [from, to] = parents(i, found).map(|parent| parent.translation);
                lengths[0] += (rests[0][i].translation - from).norm();
                lengths[1] += (rests[1][found.get()].translation - to).norm();
            }
        }
        let size = lengths[1] / lengths[0];
        let size = if size.is_finite() && size > 0.0 { size } else { 1.0 };
        let mut conversions: Vec<Option<Conversion>> = of_target.iter().map(|_| None).collect();
        for i in animated {
            let Some(found) = found(i) else { continue };
            let [from, to] = parents(i, found);
            let turn = rotation_of(&to).inverse() * rotation_of(&from);
            let [rest_from, rest_to] = [&of_source[i].rest, &of_target[found.get()].rest];
            let before = rest_from.rotation.inverse() * turn.inverse() * rest_to.rotation;
            let displacement = to.linear.try_inverse().map_or(Matrix3::identity(), |to| to * from.linear * size);
            let rest = [rest_from.translation, rest_to.translation];
            conversions[found.get()] = Some(Conversion { rotation: [turn, before], rest, displacement });
        }
        let reference = |map: &RigMap| Reference {
            source: ReferenceSource::Rest,
            is_set: false,
            kind: map.kind(),
            up: Vector3::y(),
            facing: Vector3::z(),
            ground: 0.0,
            sides_are_exchanged: false,
            from_clips: false,
            confidence: part as f32,
        };
        Ok(Self { conversions, size, references: maps.map(reference) })
    }

    /// Adds the clips of `source` to `target`.
    pub(super) fn copy(&self, target: &mut Model, source: &Model) -> Unmatched {
        let first = target.clips.len();
        let unmatched = copy_clips_by_joint_name(target, source);
        for track in target.clips[first..].iter_mut().flat_map(|clip| &mut clip.tracks) {
            if let Some(conversion) = &self.conversions[track.joint.get()] {
                conversion.convert(track);
            }
        }
        unmatched
    }
}

impl Conversion {
    fn convert(&self, track: &mut Track) {
        let per_key = track.interpolation.values_per_key();
        let is_value = |i: usize| track.interpolation != Interpolation::CubicSpline || i % per_key == 1;
        match &mut track.keys {
            KeyValues::Rotation(keys) => {
                // Linear in the coordinates, so that tangents are converted like values.
                let [before, after] = self.rotation;
                let convert = |key: &Vector4<f32>| {
                    let key = Quaternion::from(key.cast::<f64>());
                    (before.into_inner() * key * after.into_inner()).coords.cast()
                };
                *keys = keys.iter().map(convert).collect();
            }
            KeyValues::Translation(keys) => {
                let [from, to] = self.rest;
                let convert = |(i, key): (usize, &Vector3<f32>)| {
                    let key = key.cast::<f64>();
                    let key = match is_value(i) {
                        true => to + self.displacement * (key - from),
                        false => self.displacement * key,
                    };
                    key.cast()
                };
                *keys = keys.iter().enumerate().map(convert).collect();
            }
            KeyValues::Scale(_) | KeyValues::Weights(_) => {}
        }
    }
}
