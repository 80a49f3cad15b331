//! Joints of one clip, with constant tracks folded into their transforms.

use crate::math::{Affine, Transform};
use crate::model::{Clip, Interpolation, Joint, JointIndex, KeyValues, Model, Track};
use crate::palette::{MatrixFormat, denoised_rest, denoised_scale};
use nalgebra::{Quaternion, SVector, UnitQuaternion, Vector3};
use std::collections::BTreeMap;

/// A joint, and the tracks of a clip that change it.
pub(super) struct ResolvedJoint<'a> {
    /// The rest transform, replaced by constant tracks.
    pub(super) transform: Transform,
    /// Replaces the transform: a matrix with shear, or the exact one of a joint at rest.
    pub(super) exact_matrix: Option<Affine>,
    pub(super) rotation: Option<&'a Track>,
    pub(super) translation: Option<&'a Track>,
    pub(super) scale: Option<&'a Track>,
    /// `true` if the clip has a track for it, also one that does not change it.
    pub(super) is_animated: bool,
}

/// A joint that no track changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConstantJoint {
    transform: Transform,
    exact_matrix: Option<Affine>,
}

impl ConstantJoint {
    pub(super) fn parent_from_joint(&self) -> Affine {
        self.exact_matrix.unwrap_or_else(|| self.transform.to_affine())
    }

    /// Returns `true` if both are the same, up to the sign of the quaternions.
    pub(super) fn is_equal(&self, other: &Self) -> bool {
        let (a, b) = (&self.transform, &other.transform);
        let same_rotation = a.rotation.coords == b.rotation.coords || a.rotation.coords == -b.rotation.coords;
        let is_same = a.translation == b.translation && same_rotation && a.scale == b.scale;
        self.exact_matrix == other.exact_matrix && (self.exact_matrix.is_some() || is_same)
    }
}

impl ResolvedJoint<'_> {
    /// Returns the joint if no track changes it.
    pub(super) fn constant(&self) -> Option<ConstantJoint> {
        let moves = self.rotation.is_some() || self.translation.is_some() || self.scale.is_some();
        (!moves).then_some(ConstantJoint { transform: self.transform, exact_matrix: self.exact_matrix })
    }

    /// Returns `true` if the scale is always positive.
    pub(super) fn preserves_handedness(&self) -> bool {
        let Some(track) = self.scale else { return self.transform.scale.iter().all(|&x| x > 0.0) };
        let KeyValues::Scale(values) = &track.keys else { return false };
        track.interpolation != Interpolation::CubicSpline && values.iter().all(|v| v.iter().all(|&x| x > 0.0))
    }

    /// Sign of the determinant; `None` if it changes or may be zero between keys.
    pub(super) fn sign(&self) -> Option<f64> {
        match self.scale {
            Some(track) => sign_of_track(track),
            None => Some(sign(
                self.exact_matrix.map_or(self.transform.scale.product(), |transform| transform.determinant()),
            )),
        }
    }
}

pub(super) fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

fn sign_of_track(track: &Track) -> Option<f64> {
    let KeyValues::Scale(values) = &track.keys else { return None };
    if track.interpolation == Interpolation::CubicSpline {
        return None;
    }
    let signs = |v: &Vector3<f32>| v.map(|x| sign(f64::from(x)));
    let first = signs(&values[0]);
    (first.product() != 0.0 && values.iter().all(|v| signs(v) == first)).then(|| first.product())
}

/// Resolves every joint for a clip.
///
/// Replaces noisy scales by constants if the format requires uniform scale.
pub(super) fn resolve_joints<'a>(
    model: &Model,
    clip: Option<&'a Clip>,
    format: MatrixFormat,
) -> Vec<ResolvedJoint<'a>> {
    let mut joints: Vec<_> =
        model.skeleton.joints().iter().map(|joint| ResolvedJoint::at_rest(joint, format)).collect();
    for track in clip.into_iter().flat_map(|clip| &clip.tracks) {
        joints[track.joint.get()].add_track(model, track, format);
    }
    joints
}

/// [`resolve_joints`] of the joints with tracks alone, in a time that does not depend on the number of others.
pub(super) fn resolve_animated_joints<'a>(
    model: &Model,
    clip: &'a Clip,
    format: MatrixFormat,
) -> BTreeMap<JointIndex, ResolvedJoint<'a>> {
    let mut joints = BTreeMap::new();
    for track in &clip.tracks {
        let at_rest = || ResolvedJoint::at_rest(model.skeleton.joint(track.joint), format);
        joints.entry(track.joint).or_insert_with(at_rest).add_track(model, track, format);
    }
    joints
}

impl<'a> ResolvedJoint<'a> {
    fn at_rest(joint: &Joint, format: MatrixFormat) -> Self {
        let needs_uniform = format == MatrixFormat::QuatTranslationScale;
        Self {
            transform: match needs_uniform {
                true => Transform { scale: denoised_rest(joint.rest.scale), ..joint.rest },
                false => joint.rest,
            },
            exact_matrix: joint.exact_rest_matrix.filter(|_| joint.has_shear() || !needs_uniform),
            rotation: None,
            translation: None,
            scale: None,
            is_animated: false,
        }
    }

    fn add_track(&mut self, model: &Model, track: &'a Track, format: MatrixFormat) {
        let needs_uniform = format == MatrixFormat::QuatTranslationScale;
        if model.skeleton.joint(track.joint).has_shear() {
            return;
        }
        self.exact_matrix = None;
        self.is_animated |= !matches!(track.keys, KeyValues::Weights(_));
        let interpolation = track.interpolation;
        match &track.keys {
            KeyValues::Translation(values) => match constant_value(values, interpolation) {
                Some(value) => (self.transform.translation, self.translation) = (value.cast(), None),
                None => self.translation = Some(track),
            },
            KeyValues::Scale(values) => match constant_value(values, interpolation) {
                Some(value) if needs_uniform => {
                    (self.transform.scale, self.scale) = (denoised_rest(value.cast()), None);
                }
                Some(value) => (self.transform.scale, self.scale) = (value.cast(), None),
                None => match denoised_scale(values, interpolation).filter(|_| needs_uniform) {
                    Some(scale) => (self.transform.scale, self.scale) = (Vector3::repeat(scale), None),
                    None => self.scale = Some(track),
                },
            },
            KeyValues::Rotation(values) => match constant_value(values, interpolation) {
                Some(value) => {
                    let rotation = UnitQuaternion::try_new(Quaternion::from(value.cast()), 0.0);
                    self.transform.rotation = rotation.unwrap_or(self.transform.rotation);
                    self.rotation = None;
                }
                None => self.rotation = Some(track),
            },
            KeyValues::Weights(_) => {}
        }
    }
}

/// Returns the value of a constant track.
fn constant_value<const N: usize>(values: &[SVector<f32, N>], interpolation: Interpolation) -> Option<SVector<f32, N>> {
    if interpolation == Interpolation::CubicSpline {
        let is_constant =
            values.chunks(3).all(|key| key[1] == values[1] && key[0].amax() == 0.0 && key[2].amax() == 0.0);
        return is_constant.then_some(values[1]);
    }
    values.iter().all(|value| *value == values[0]).then_some(values[0])
}
