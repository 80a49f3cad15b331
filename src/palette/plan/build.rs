//! Joints become nodes, and what lies still between them a part of these.

use super::local::{Local, sign};
use super::{Fixed, LARGEST, Node, Part, RotationSource, SHORT_ARC};
use crate::math::{Affine, Transform};
use crate::model::{Interpolation, Keys, Model};
use crate::palette::matrix_format::{distance_to_similarity, scale_and_rotation, unevenness_of};
use crate::palette::{MatrixFormat, PaletteLayout};
use crate::pose::packed_keys::{RowsBuilder, in_range};
use nalgebra::{Quaternion, Unit, UnitQuaternion, Vector3};

/// Where a joint stands: a node and the fixed way from it.
#[derive(Clone, Copy)]
pub(super) struct Standing {
    pub(super) node: usize,
    pub(super) node_from_joint: Affine,
    pub(super) sign: Option<f64>,
}
pub(super) struct Builder<'a> {
    pub(super) rows: RowsBuilder<'a>,
    pub(super) packing: MatrixFormat,
    /// For each joint what is folded into its node behind it: turn and scale of the first matrix that follows it.
    pub(super) binds: Vec<(UnitQuaternion<f64>, f64)>,
    pub(super) nodes: Vec<Node>,
    pub(super) parts: Vec<Part>,
    /// For the placement and each node, the largest linear part and translation.
    pub(super) bounds: Vec<(f64, f64)>,
}

impl Builder<'_> {
    /// Where a joint stands whose parent stands at `parent`; `locals` are the joint as each clip has it.
    pub(super) fn stand(&mut self, parent: &Standing, locals: &[&Local<'_>], joint: usize) -> Option<Standing> {
        let own_sign = match locals {
            [local] => local.sign(),
            // Between scales of different signs each number passes through zero at its own time.
            locals if locals.iter().all(|local| local.keeps_sides()) => Some(1.0),
            locals if locals.iter().all(|local| local.rests_as(locals[0])) => locals[0].sign(),
            _ => None,
        };
        let sign = parent.sign.zip(own_sign).map(|(a, b)| a * b);
        if locals.iter().all(|local| local.rests_as(locals[0])) {
            return Some(Standing { node_from_joint: parent.node_from_joint * locals[0].at_rest(), sign, ..*parent });
        }
        let (parent_node, before) = match foldable(&parent.node_from_joint) {
            Some(before) => (parent.node, before),
            None => {
                let fixed = self.fixed_map(&parent.node_from_joint)?;
                let linear = parent.node_from_joint.linear.abs().sum();
                let translation = parent.node_from_joint.translation.abs().sum();
                let part = Part { rotation: RotationSource::Fixed, translation: None, scale: None, fixed };
                let parts = vec![part; locals.len()];
                (self.push(parent.node, parts, false, [linear, translation])?, Transform::identity())
            }
        };
        let (bind_rotation, bind_scale) = self.binds[joint];
        let node = self.add_moved(parent_node, &before, locals, (bind_rotation, bind_scale))?;
        let linear = bind_rotation.inverse().to_rotation_matrix().into_inner() / bind_scale;
        Some(Standing { node, node_from_joint: Affine { linear, ..Affine::IDENTITY }, sign })
    }

    fn push(
        &mut self,
        parent: usize,
        parts: Vec<Part>,
        blended: bool,
        [linear_bound, translation_bound]: [f64; 2],
    ) -> Option<usize> {
        let (parent_linear, parent_translation) = self.bounds[parent];
        let bound = (3.0 * parent_linear * linear_bound, parent_linear * translation_bound + parent_translation);
        if !(bound.0 <= LARGEST && bound.1 <= LARGEST) {
            return None;
        }
        self.bounds.push(bound);
        self.nodes.push(Node { parent, blended, slot_count: 0 });
        self.parts.extend(parts);
        Some(self.nodes.len())
    }

    /// A node for a joint that moves, with the fixed way `before` it and the turn and scale behind folded into its keys.
    ///
    /// Both are the same for all clips, so that weighted sums of them are sums with it folded in.
    fn add_moved(
        &mut self,
        parent: usize,
        before: &Transform,
        locals: &[&Local<'_>],
        bind: (UnitQuaternion<f64>, f64),
    ) -> Option<usize> {
        let (mut parts, mut bounds) = (Vec::new(), [0.0_f64; 2]);
        let mut turn_of_all: Option<UnitQuaternion<f64>> = None;
        for (clip, local) in locals.iter().enumerate() {
            let (scale, turn) = self.scale_of(local)?;
            if *turn_of_all.get_or_insert(turn) != turn {
                return None;
            }
            let (part, bound) = self.part(clip, before, local, bind, (scale, turn))?;
            parts.push(part);
            bounds = [0, 1].map(|i| bounds[i].max(bound[i]));
        }
        self.push(parent, parts, locals.len() > 1, bounds)
    }

    /// How one clip moves a joint; and the largest of its linear part and of its translation.
    fn part(
        &mut self,
        clip: usize,
        before: &Transform,
        local: &Local<'_>,
        (bind_rotation, bind_scale): (UnitQuaternion<f64>, f64),
        (scale, turn): (Vector3<f64>, UnitQuaternion<f64>),
    ) -> Option<(Part, [f64; 2])> {
        let before_map = before.to_affine();
        let around_scale = before.scale.x * bind_scale;
        let turn = turn * bind_rotation;
        let rest = before.rotation * local.transform.rotation * turn;
        let rotation = match local.rotation {
            None => RotationSource::Fixed,
            Some(track) => {
                let Keys::Rotation(values) = &track.keys else { return None };
                let value = |i: usize| {
                    let stored = Quaternion::from(values[i].cast::<f64>());
                    (before.rotation.quaternion() * stored * turn.quaternion()).coords
                };
                let (channel, longest) = self.rows.add_rotation((clip, track), &rest, value);
                match channel.spline {
                    true => RotationSource::Spline(channel),
                    false if longest <= SHORT_ARC => RotationSource::Short(channel),
                    false => RotationSource::Long(channel),
                }
            }
        };
        let translation = before_map.point(local.transform.translation);
        let translation_channel = match local.translation {
            None => None,
            Some(track) => {
                let Keys::Translation(values) = &track.keys else { return None };
                let spline = track.interpolation == Interpolation::CubicSpline;
                let value = |i: usize| {
                    let v = values[i].cast::<f64>();
                    // Tangents are directions.
                    let v = if spline && i % 3 != 1 { before_map.vector(v) } else { before_map.point(v) };
                    v.push(0.0)
                };
                Some(self.rows.add_numbers((clip, track), true, value))
            }
        };
        let factor = scale.component_div(&local.transform.scale.map(|s| if s == 0.0 { 1.0 } else { s }));
        let scale_channel = match local.scale {
            None => None,
            Some(track) => {
                let Keys::Scale(values) = &track.keys else { return None };
                let similar = self.packing == MatrixFormat::QuatTranslationScale;
                let value = |i: usize| {
                    let v = values[i].cast::<f64>();
                    let v = if similar { Vector3::repeat(v.x * factor.x) } else { v };
                    (v * around_scale).push(0.0)
                };
                Some(self.rows.add_numbers((clip, track), true, value))
            }
        };
        let scale = scale * around_scale;
        let mut linear = *rest.to_rotation_matrix().matrix();
        if scale_channel.is_none() {
            for axis in 0..3 {
                linear.column_mut(axis).scale_mut(scale[axis]);
            }
        }
        let fixed = Fixed {
            linear: rows_of(&linear),
            rotation: rest.coords.map(|x| x as f32).into(),
            translation: translation.map(|x| x as f32).into(),
            scale: scale.map(|x| x as f32).into(),
        };
        let largest_scale = scale_channel.map_or(scale.abs().max(), |channel| self.rows.bound(channel));
        let farthest = translation_channel.map_or(translation.norm(), |channel| self.rows.bound(channel));
        if !fixed.linear.iter().chain(&fixed.translation).chain(&fixed.scale).all(|&x| in_range(x)) {
            return None;
        }
        Some((
            Part { rotation, translation: translation_channel, scale: scale_channel, fixed },
            [largest_scale, farthest],
        ))
    }

    /// The scale to use for a joint and a turn that makes up for its signs: none but where it must be uniform.
    ///
    /// With moving scales the joint's own is replaced by 1 or -1, for the sign by which X is to be multiplied.
    fn scale_of(&self, local: &Local<'_>) -> Option<(Vector3<f64>, UnitQuaternion<f64>)> {
        let scale = local.transform.scale;
        if self.packing == MatrixFormat::Mat3x4 {
            return Some((scale, UnitQuaternion::identity()));
        }
        let Some(track) = local.scale else {
            let (signed, turn) = uniform(scale)?;
            return Some((Vector3::repeat(signed), turn));
        };
        let Keys::Scale(values) = &track.keys else { return None };
        let spline = track.interpolation == Interpolation::CubicSpline;
        let even = |v: &Vector3<f32>| v.x == v.y && v.y == v.z;
        let x = if scale.x == 0.0 { 1.0 } else { scale.x };
        if values.iter().all(even) {
            return Some((Vector3::repeat(x), UnitQuaternion::identity()));
        }
        let signs = |v: &Vector3<f32>| v.map(f32::signum);
        let at = |key: usize| &values[if spline { 3 * key + 1 } else { key }];
        let keys = values.len() / track.interpolation.values_per_key();
        if spline || (0..keys).any(|key| signs(at(key)) != signs(at(0)) || uniform(at(key).cast()).is_none()) {
            return None;
        }
        let (signed, turn) = uniform(at(0).cast())?;
        let flip = sign(signed) * f64::from(at(0).x.signum());
        Some((Vector3::repeat(x * if flip < 0.0 { -1.0 } else { 1.0 }), turn))
    }

    /// A map as the lanes multiply by it; `None` where the packing cannot hold it.
    pub(super) fn fixed_map(&self, map: &Affine) -> Option<Fixed> {
        let mut fixed = Fixed {
            linear: rows_of(&map.linear),
            translation: [0, 1, 2].map(|i| map.translation[i] as f32),
            ..Fixed::default()
        };
        if self.packing == MatrixFormat::QuatTranslationScale {
            if map.linear.amax() > 0.0 && distance_to_similarity(map) > 1e-6 {
                return None;
            }
            let (scale, rotation) = scale_and_rotation(map);
            fixed.rotation = rotation.coords.map(|x| x as f32).into();
            fixed.scale = [scale as f32; 3];
        } else {
            fixed.scale = [f32::NAN; 3];
        }
        fixed.linear.iter().chain(&fixed.translation).all(|&x| in_range(x)).then_some(fixed)
    }
}

fn rows_of(m: &nalgebra::Matrix3<f64>) -> [f32; 9] {
    std::array::from_fn(|i| m[(i / 3, i % 3)] as f32)
}

/// The transform that is exactly `map`, if it is a turn, a shift and a uniform scale above zero.
fn foldable(map: &Affine) -> Option<Transform> {
    if *map == Affine::IDENTITY {
        return Some(Transform::identity());
    }
    let mut transform = map.to_transform();
    let scale = transform.scale.x;
    transform.scale = Vector3::repeat(scale);
    let again = transform.to_affine();
    let exact = (again.linear - map.linear).amax() <= 1e-12 * scale;
    (map.is_finite() && scale > 0.0 && exact).then_some(transform)
}

/// The signed uniform scale with a turn that together make `scale`, whose numbers differ by sign alone.
///
/// An even number of minus signs is half a turn about the axis that keeps its sign, an odd number that and a point
/// reflection.
fn uniform(scale: Vector3<f64>) -> Option<(f64, UnitQuaternion<f64>)> {
    if unevenness_of(scale) > 1e-6 {
        return None;
    }
    let negative = scale.map(|s| s < 0.0);
    let odd = negative.iter().filter(|&&n| n).count() % 2 == 1;
    let size = scale.abs().sum() / 3.0;
    // After the point reflection the signs are the other ones.
    let axis = (0..3).find(|&i| {
        (negative[i] != odd) != (negative[(i + 1) % 3] != odd) && (negative[i] != odd) != (negative[(i + 2) % 3] != odd)
    });
    let turn = axis.map_or(UnitQuaternion::identity(), |axis| {
        UnitQuaternion::from_axis_angle(&Unit::new_unchecked(Vector3::ith(axis, 1.0)), std::f64::consts::PI)
    });
    Some((if odd { -size } else { size }, turn))
}

/// For each joint, turn and scale of the first matrix that follows it, so that a node's rotation is the palette's.
///
/// Only for [`MatrixFormat::QuatTranslationScale`]: maps with shear cannot be folded into a rotation.
pub(super) fn binds_of(
    model: &Model,
    layout: &PaletteLayout,
    packing: MatrixFormat,
) -> Vec<(UnitQuaternion<f64>, f64)> {
    let mut binds = vec![None; model.skeleton.len()];
    if packing == MatrixFormat::QuatTranslationScale {
        for (joint, map) in layout.sections.iter().flat_map(|section| PaletteLayout::joints_of(model, section)) {
            let (scale, rotation) = scale_and_rotation(&map);
            if (1e-6..1e6).contains(&scale) {
                binds[joint.get()].get_or_insert((rotation, scale));
            }
        }
    }
    binds.into_iter().map(|bind| bind.unwrap_or((UnitQuaternion::identity(), 1.0))).collect()
}
