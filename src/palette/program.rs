//! What must be calculated for one instance of a rig, worked out once: moved joints, and the matrices that follow them.
//!
//! What no clip moves is multiplied in double precision here and is gone: a chain of joints at rest becomes part of the
//! next moved joint's keys, or of `joint_from_mesh`.
//!
//! A program is of one clip, or of several that are blended: then a joint that any of them moves, or that they leave in
//! different places, is one that moves, with a [`Part`] for each clip.

use super::packing::{distance_to_similarity, scale_and_rotation, unevenness_of};
use super::tremble::{stilled, stilled_rest};
use super::{Mirroring, Packing, PaletteLayout, Section};
use crate::math::{Affine, Transform};
use crate::model::{Clip, Interpolation, Joint, Keys, Model, Track};
use crate::pose::HandPose;
use crate::pose::rows::{Channel, ClipRows, RowsBuilder, in_range};
use nalgebra::{Quaternion, Unit, UnitQuaternion, Vector3, Vector4};

/// The largest number that a product along a chain may reach; beyond, single precision has no room to multiply.
const LARGEST: f64 = 1e30;

/// Arcs up to this many radians take the shorter polynomials.
pub(super) const SHORT_ARC: f64 = 0.4;

/// Everything that the lanes calculate for one instance.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub(super) packing: Packing,
    pub(super) rows: ClipRows,
    /// Length of each clip in seconds; more than one are blended.
    pub(super) durations_secs: Vec<f64>,
    /// Parents before children.
    pub(super) nodes: Vec<Node>,
    /// Where each node's map comes from: for each node one for each clip.
    pub(super) parts: Vec<Part>,
    /// Matrices to be written: first those of [`placed`](Self::placed), then those of each node in turn.
    pub(super) slots: Vec<Slot>,
    /// How many slots follow no node, but where the instance stands.
    pub(super) placed: usize,
    /// Texels of morph weights that no clip moves.
    pub(super) fixed_weights: Vec<(usize, [f32; 4])>,
    /// Texels of morph weights that a clip moves.
    pub(super) moved_weights: Vec<usize>,
    /// What moves them: for each texel one for each clip.
    pub(super) weight_parts: Vec<WeightPart>,
    /// Texels of an instance.
    pub(super) stride: usize,
    /// For each section, whether it mirrors where instances themselves do not.
    pub(super) mirroring: Vec<Mirroring>,
    /// The largest number of any matrix, before an instance's own placement.
    pub(super) bound: f64,
}

/// A joint that moves, or a map that no transform can hold.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The parent's number plus one; 0 for where the instance stands.
    pub(super) parent: usize,
    /// Whether its parts are blended; else the first is all of it.
    pub(super) blended: bool,
    /// How many slots follow it.
    pub(super) slot_count: usize,
}

/// How one clip moves a node.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) rotation: RotationSource,
    /// Where it comes from when it moves.
    pub(super) translation: Option<Channel>,
    /// As above; for [`Packing::Similarity`] its X.
    pub(super) scale: Option<Channel>,
    /// What does not move.
    pub(super) fixed: Fixed,
}

/// How one clip sets four morph weights.
#[derive(Clone, Copy, Debug)]
pub(super) enum WeightPart {
    Fixed([f32; 4]),
    Moved(Channel),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RotationSource {
    Fixed,
    /// All arcs are at most [`SHORT_ARC`].
    Short(Channel),
    Long(Channel),
    Spline(Channel),
}

/// The parts of a node at rest.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fixed {
    /// Rotation, or with a scale that does not move either, both; rows.
    pub(super) linear: [f32; 9],
    /// For [`Packing::Similarity`], and where a spline of rotations passes through zero.
    pub(super) rotation: [f32; 4],
    pub(super) translation: [f32; 3],
    /// For [`Packing::Similarity`] three times the same, with its sign.
    pub(super) scale: [f32; 3],
}

impl Fixed {
    /// Whether nothing is scaled.
    #[inline(always)]
    pub(super) fn unscaled(&self) -> bool {
        self.scale == [1.0; 3]
    }
}

/// One matrix of the palette.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// Its first texel in the instance's block.
    pub(super) texel: usize,
    /// From the mesh, counted from its section's origin, to the node.
    pub(super) node_from_mesh: Fixed,
    /// Whether [`node_from_mesh`](Self::node_from_mesh) is but a translation; only told for [`Packing::Similarity`].
    pub(super) shift_only: bool,
}

/// A joint on the way through the builder.
struct Local<'a> {
    /// With tracks that never change folded in.
    transform: Transform,
    sheared: Option<Affine>,
    rotation: Option<&'a Track>,
    translation: Option<&'a Track>,
    scale: Option<&'a Track>,
}

impl Local<'_> {
    fn moves(&self) -> bool {
        self.rotation.is_some() || self.translation.is_some() || self.scale.is_some()
    }

    fn at_rest(&self) -> Affine {
        self.sheared.unwrap_or_else(|| self.transform.to_affine())
    }

    /// Whether both rest, and in the same place.
    fn rests_as(&self, other: &Self) -> bool {
        let (a, b) = (&self.transform, &other.transform);
        let same_rotation = a.rotation.coords == b.rotation.coords || a.rotation.coords == -b.rotation.coords;
        let same = a.translation == b.translation && same_rotation && a.scale == b.scale;
        !self.moves() && !other.moves() && (self.sheared.is_some() || same)
    }

    /// Whether no scale is ever zero or below.
    fn keeps_sides(&self) -> bool {
        match self.scale {
            Some(track) => {
                matches!(&track.keys, Keys::Scale(values) if track.interpolation != Interpolation::CubicSpline
                && values.iter().all(|v| v.iter().all(|&x| x > 0.0)))
            }
            None => self.transform.scale.iter().all(|&x| x > 0.0),
        }
    }

    /// Sign of the determinant; none where it changes or may be zero on the way.
    fn sign(&self) -> Option<f64> {
        match self.scale {
            Some(track) => sign_of_track(track),
            None if self.sheared.is_some() => Some(sign(self.at_rest().determinant())),
            None => Some(sign(self.transform.scale.product())),
        }
    }
}

fn sign(x: f64) -> f64 {
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

/// Where a joint stands: a node and the fixed way from it.
#[derive(Clone, Copy)]
struct Standing {
    node: usize,
    node_from_joint: Affine,
    sign: Option<f64>,
}

impl Program {
    /// The program of `model` playing one of its clips, or several at once, with joints put by `hand`, written as `packing`
    /// says; `None` where lanes cannot hold it. A clip that is none is the rest pose.
    ///
    /// # Panics
    /// If there is no clip, not even none.
    pub(super) fn new(
        model: &Model,
        layout: &PaletteLayout,
        clips: &[Option<&Clip>],
        hand: Option<&HandPose>,
        packing: Packing,
    ) -> Option<Self> {
        assert!(!clips.is_empty(), "a program of nothing");
        let mut builder = Builder {
            rows: RowsBuilder::new(clips),
            packing,
            binds: binds_of(model, layout, packing),
            nodes: Vec::new(),
            parts: Vec::new(),
            bounds: vec![(1.0, 0.0)],
        };
        let locals: Vec<Vec<Local<'_>>> = clips.iter().map(|clip| locals_of(model, *clip, hand, packing)).collect();
        let used = used_joints(model, layout);
        let mut standings: Vec<Option<Standing>> = vec![None; model.skeleton.len()];
        for (i, joint) in model.skeleton.joints().iter().enumerate() {
            if used[i] {
                let parent = match joint.parent {
                    Some(parent) => standings[parent.get()]?,
                    None => Standing { node: 0, node_from_joint: Affine::IDENTITY, sign: Some(1.0) },
                };
                let of_clips: Vec<&Local<'_>> = locals.iter().map(|locals| &locals[i]).collect();
                standings[i] = Some(builder.stand(&parent, &of_clips, i)?);
            }
        }
        let durations_secs = clips.iter().map(|clip| clip.map_or(0.0, |clip| f64::from(clip.duration_secs))).collect();
        let mut program = Self { packing, durations_secs, ..Self::default() };
        let mut by_node = vec![Vec::new(); builder.nodes.len() + 1];
        let mut texel = 0;
        for section in &layout.sections {
            let mut mirroring = None;
            for (joint, joint_from_mesh) in PaletteLayout::joints_of(model, section) {
                let standing = standings[joint.get()]?;
                let node_from_mesh = standing.node_from_joint * joint_from_mesh;
                let fixed = builder.fixed_map(&node_from_mesh)?;
                let [x, y, z, _] = fixed.rotation;
                let turns = [x, y, z, fixed.scale[0] - 1.0].iter().any(|off| off.abs() > 1e-9);
                by_node[standing.node].push(Slot { texel, node_from_mesh: fixed, shift_only: !turns });
                texel += packing.texels_per_matrix();
                let (linear, translation) = builder.bounds[standing.node];
                let reach = node_from_mesh.linear.abs().sum() + node_from_mesh.translation.abs().sum();
                program.bound = program.bound.max(linear * reach + translation);
                let mirrors = match standing.sign.map(|s| s * sign(joint_from_mesh.determinant())) {
                    Some(s) if s < 0.0 => Mirroring::Always,
                    Some(s) if s > 0.0 => Mirroring::Never,
                    _ => Mirroring::Mixed,
                };
                mirroring = Some(mirroring.map_or(mirrors, |m: Mirroring| m.and(mirrors)));
            }
            program.mirroring.push(mirroring.unwrap_or_default());
        }
        program.placed = by_node[0].len();
        for (node, slots) in builder.nodes.iter_mut().zip(&by_node[1..]) {
            node.slot_count = slots.len();
        }
        program.slots = by_node.concat();
        program.add_weights(&mut builder.rows, model, layout, clips, texel);
        program.nodes = builder.nodes;
        program.parts = builder.parts;
        program.rows = builder.rows.build()?;
        program.stride = texel + layout.weight_texels() as usize;
        (program.bound <= LARGEST).then_some(program)
    }

    fn add_weights(
        &mut self,
        rows: &mut RowsBuilder<'_>,
        model: &Model,
        layout: &PaletteLayout,
        clips: &[Option<&Clip>],
        first_texel: usize,
    ) {
        for &(joint, first) in &layout.weights {
            let range = model.skeleton.joint(joint).weights.clone();
            let rest = &model.skeleton.rest_weights()[range.clone()];
            // Copies of a mesh share the weights of the joint that they hang from.
            let moves = |track: &&Track| {
                matches!(track.keys, Keys::Weights(_)) && model.skeleton.joint(track.joint).weights == range
            };
            let track_of = |clip: Option<_>| clip.and_then(|clip: &Clip| clip.tracks.iter().rfind(moves));
            let tracks: Vec<Option<&Track>> = clips.iter().map(|clip| track_of(*clip)).collect();
            for four in 0..rest.len().div_ceil(4) {
                let texel = first_texel + first as usize / 4 + four;
                let count = rest.len() - 4 * four;
                let at_rest = [0, 1, 2, 3].map(|i| if i < count { rest[4 * four + i] } else { 0.0 });
                if tracks.iter().all(Option::is_none) {
                    self.fixed_weights.push((texel, at_rest));
                    continue;
                }
                self.moved_weights.push(texel);
                for (clip, track) in tracks.iter().enumerate() {
                    let part = match track.map(|track| (track, &track.keys)) {
                        Some((track, Keys::Weights(values))) => {
                            let value = |key: usize| {
                                let stored = &values[key * rest.len() + 4 * four..];
                                Vector4::from_fn(|i, _| if i < count { f64::from(stored[i]) } else { 0.0 })
                            };
                            WeightPart::Moved(rows.add_numbers((clip, track), false, value))
                        }
                        _ => WeightPart::Fixed(at_rest),
                    };
                    self.weight_parts.push(part);
                }
            }
        }
    }

    /// Whether each section mirrors, for the signs of the instances' own placements: any above, below and at zero.
    pub(super) fn mirroring_of(
        &self,
        [any_kept, any_mirrored, any_flat]: [bool; 3],
    ) -> impl Iterator<Item = Mirroring> {
        self.mirroring.iter().map(move |&kept| {
            let mirrored = match kept {
                Mirroring::Never => Mirroring::Always,
                Mirroring::Always => Mirroring::Never,
                Mirroring::Mixed => Mirroring::Mixed,
            };
            let found = [(any_kept, kept), (any_mirrored, mirrored), (any_flat, Mirroring::Never)];
            found.into_iter().filter_map(|(any, m)| any.then_some(m)).reduce(Mirroring::and).unwrap_or_default()
        })
    }
}

struct Builder<'a> {
    rows: RowsBuilder<'a>,
    packing: Packing,
    /// For each joint what is folded into its node behind it: turn and scale of the first matrix that follows it.
    binds: Vec<(UnitQuaternion<f64>, f64)>,
    nodes: Vec<Node>,
    parts: Vec<Part>,
    /// For the placement and each node, the largest linear part and translation.
    bounds: Vec<(f64, f64)>,
}

impl Builder<'_> {
    /// Where a joint stands whose parent stands at `parent`; `locals` are the joint as each clip has it.
    fn stand(&mut self, parent: &Standing, locals: &[&Local<'_>], joint: usize) -> Option<Standing> {
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
                let similar = self.packing == Packing::Similarity;
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
        if self.packing == Packing::Rows {
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
    fn fixed_map(&self, map: &Affine) -> Option<Fixed> {
        let mut fixed = Fixed {
            linear: rows_of(&map.linear),
            translation: [0, 1, 2].map(|i| map.translation[i] as f32),
            ..Fixed::default()
        };
        if self.packing == Packing::Similarity {
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
/// Only for [`Packing::Similarity`]: maps with shear cannot be folded into a rotation.
fn binds_of(model: &Model, layout: &PaletteLayout, packing: Packing) -> Vec<(UnitQuaternion<f64>, f64)> {
    let mut binds = vec![None; model.skeleton.len()];
    if packing == Packing::Similarity {
        for (joint, map) in layout.sections.iter().flat_map(|section| PaletteLayout::joints_of(model, section)) {
            let (scale, rotation) = scale_and_rotation(&map);
            if (1e-6..1e6).contains(&scale) {
                binds[joint.get()].get_or_insert((rotation, scale));
            }
        }
    }
    binds.into_iter().map(|bind| bind.unwrap_or((UnitQuaternion::identity(), 1.0))).collect()
}

/// Joints that a matrix follows, and their ancestors.
pub(super) fn used_joints(model: &Model, layout: &PaletteLayout) -> Vec<bool> {
    let joints = model.skeleton.joints();
    let mut used = vec![false; joints.len()];
    let followed =
        |section: &Section| PaletteLayout::joints_of(model, section).map(|(joint, _)| joint).collect::<Vec<_>>();
    for joint in layout.sections.iter().flat_map(followed) {
        used[joint.get()] = true;
    }
    for i in (0..joints.len()).rev() {
        if let (true, Some(parent)) = (used[i], joints[i].parent) {
            used[parent.get()] = true;
        }
    }
    used
}

/// Every joint with its tracks; those that never change are folded into its transform, and those of joints put by hand are
/// gone. Where scales have to be uniform, those that only tremble are still.
fn locals_of<'a>(model: &Model, clip: Option<&'a Clip>, hand: Option<&HandPose>, packing: Packing) -> Vec<Local<'a>> {
    let similar = packing == Packing::Similarity;
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
    for (joint, transform) in hand.into_iter().flat_map(HandPose::joints) {
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
