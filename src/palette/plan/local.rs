//! Joints as a clip has them: what never changes is folded into where they rest.

use crate::math::{Affine, Transform};
use crate::model::{Clip, Interpolation, Joint, Keys, Model, Track};
use crate::palette::MatrixFormat;
use crate::palette::scale_noise::{stilled, stilled_rest};
use crate::pose::PoseOverride;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// A joint on the way through the builder.
pub(super) struct Local<'a> {
    /// With tracks that never change folded in.
    pub(super) transform: Transform,
    pub(super) sheared: Option<Affine>,
    pub(super) rotation: Option<&'a Track>,
    pub(super) translation: Option<&'a Track>,
    pub(super) scale: Option<&'a Track>,
}

impl Local<'_> {
    pub(super) fn moves(&self) -> bool {
        self.rotation.is_some() || self.translation.is_some() || self.scale.is_some()
    }

    pub(super) fn at_rest(&self) -> Affine {
        self.sheared.unwrap_or_else(|| self.transform.to_affine())
    }

    /// Whether both rest, and in the same place.
    pub(super) fn rests_as(&self, other: &Self) -> bool {
        let (a, b) = (&self.transform, &other.transform);
        let same_rotation = a.rotation.coords == b.rotation.coords || a.rotation.coords == -b.rotation.coords;
        let same = a.translation == b.translation && same_rotation && a.scale == b.scale;
        !self.moves() && !other.moves() && (self.sheared.is_some() || same)
    }

    /// Whether no scale is ever zero or below.
    pub(super) fn keeps_sides(&self) -> bool {
        match self.scale {
            Some(track) => {
                matches!(&track.keys, Keys::Scale(values) if track.interpolation != Interpolation::CubicSpline
                && values.iter().all(|v| v.iter().all(|&x| x > 0.0)))
            }
            None => self.transform.scale.iter().all(|&x| x > 0.0),
        }
    }

    /// Sign of the determinant; none where it changes or may be zero on the way.
    pub(super) fn sign(&self) -> Option<f64> {
        match self.scale {
            Some(track) => sign_of_track(track),
            None if self.sheared.is_some() => Some(sign(self.at_rest().determinant())),
            None => Some(sign(self.transform.scale.product())),
        }
    }
}

pub(super) fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

fn sign_of_track(track: &Track) -> Option<f64> {
    let Keys::Scale(values) = &track.keys else { return None };
    if track.interpolation == Interpolation::CubicSpline {
        return None;
    }
    let signs = |v: &Vector3<f32>| v.map(|x| sign(f64::from(x)));
    let first = signs(&values[0]);
    (first.product() != 0.0 && values.iter().all(|v| signs(v) == first)).then(|| first.product())
}
/// Every joint with its tracks; those that never change are folded into its transform, and those of joints put by hand are
/// gone. Where scales have to be uniform, those that only tremble are still.
pub(super) fn locals_of<'a>(
    model: &Model,
    clip: Option<&'a Clip>,
    hand: Option<&PoseOverride>,
    packing: MatrixFormat,
) -> Vec<Local<'a>> {
    let similar = packing == MatrixFormat::QuatTranslationScale;
    let local = |joint: &Joint| Local {
        transform: match similar {
            true => Transform { scale: stilled_rest(joint.rest.scale), ..joint.rest },
            false => joint.rest,
        },
        sheared: joint.sheared_rest,
        rotation: None,
        translation: None,
        scale: None,
    };
    let mut locals: Vec<_> = model.skeleton.joints().iter().map(local).collect();
    for track in clip.into_iter().flat_map(|clip| &clip.tracks) {
        let local = &mut locals[track.joint.get()];
        if local.sheared.is_some() {
            continue;
        }
        let interpolation = track.interpolation;
        match &track.keys {
            Keys::Translation(values) => match constant(values, interpolation) {
                Some(value) => (local.transform.translation, local.translation) = (value.cast(), None),
                None => local.translation = Some(track),
            },
            Keys::Scale(values) => match constant(values, interpolation) {
                Some(value) if similar => (local.transform.scale, local.scale) = (stilled_rest(value.cast()), None),
                Some(value) => (local.transform.scale, local.scale) = (value.cast(), None),
                None => match stilled(values, interpolation).filter(|_| similar) {
                    Some(scale) => (local.transform.scale, local.scale) = (Vector3::repeat(scale), None),
                    None => local.scale = Some(track),
                },
            },
            Keys::Rotation(values) => match constant(values, interpolation) {
                Some(value) => {
                    let rotation = UnitQuaternion::try_new(Quaternion::from(value.cast()), 0.0);
                    local.transform.rotation = rotation.unwrap_or(local.transform.rotation);
                    local.rotation = None;
                }
                None => local.rotation = Some(track),
            },
            Keys::Weights(_) => {}
        }
    }
    for (joint, transform) in hand.into_iter().flat_map(PoseOverride::joints) {
        let local = &mut locals[joint.get()];
        if local.sheared.is_none() {
            *local = Local { transform: *transform, sheared: None, rotation: None, translation: None, scale: None };
        }
    }
    locals
}

/// The value that a track always has, if it has one.
fn constant<const N: usize>(
    values: &[nalgebra::SVector<f32, N>],
    interpolation: Interpolation,
) -> Option<nalgebra::SVector<f32, N>> {
    if interpolation == Interpolation::CubicSpline {
        let still = values.chunks(3).all(|key| key[1] == values[1] && key[0].amax() == 0.0 && key[2].amax() == 0.0);
        return still.then_some(values[1]);
    }
    values.iter().all(|value| *value == values[0]).then_some(values[0])
}
