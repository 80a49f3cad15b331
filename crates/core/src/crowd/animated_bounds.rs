//! Conservative bounds of an instance over all times of its clips.

use crate::math::{Aabb, BoundingSphere, Transform};
use crate::model::{Clip, Interpolation, JointIndex, KeyValues, Model, MorphTarget, Primitive, Track};
use crate::palette::{MatrixRangeIndex, PaletteLayout, Rig};
use crate::pose::PoseOverride;
use nalgebra::{Quaternion, UnitQuaternion, Vector3, Vector4};
use smallvec::SmallVec;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Bounds of the vertices of each palette matrix, independent of clips.
#[derive(Clone, Debug, Default)]
pub(super) struct MeshBounds {
    /// For each matrix, the vertices that it influences, in the space that it applies to.
    boxes: Vec<Aabb>,
    /// Ordered by matrix range.
    targets: Vec<MorphBounds>,
}

/// Bounds of the morph targets of one draw.
#[derive(Clone, Debug)]
struct MorphBounds {
    matrix_range: MatrixRangeIndex,
    joint: JointIndex,
    /// Position deltas of each target, including zero.
    deltas: Arc<[Aabb]>,
}

/// Bounds of one primitive, which several draws may share.
struct PrimitiveBounds {
    /// Positions by skin slot; by slot 0 for a rigid mesh.
    of_slots: BTreeMap<usize, Aabb>,
    deltas: Arc<[Aabb]>,
}

impl PrimitiveBounds {
    fn new(primitive: &Primitive, is_skinned: bool) -> Self {
        let mut of_slots = BTreeMap::new();
        let influences = primitive.vertices.influences.as_ref().filter(|_| is_skinned);
        let mut add = |slot: usize, position| of_slots.entry(slot).or_insert(Aabb::EMPTY).add(position);
        for (vertex, position) in primitive.vertices.positions.iter().enumerate() {
            let position = Vector3::from(*position).cast();
            match influences {
                None => add(0, position),
                Some(influences) => {
                    let used = influences.of_vertex(vertex).filter(|(_, weight)| *weight > 0.0);
                    used.for_each(|(slot, _)| add(slot.get(), position));
                }
            }
        }
        Self { of_slots, deltas: primitive.targets.iter().map(delta_bounds).collect() }
    }
}

impl MeshBounds {
    pub(super) fn new(rig: &Rig) -> Self {
        let (model, layout) = (rig.model(), rig.layout());
        let mut bounds = Self { boxes: vec![Aabb::EMPTY; layout.matrix_count as usize], targets: Vec::new() };
        let mut known = HashMap::new();
        let mut added = HashSet::new();
        for draw in &layout.draws {
            let primitive = &model.meshes[draw.mesh.get()].primitives[draw.primitive];
            let matrix_range = &layout.matrix_ranges[draw.matrix_range];
            let shared = (Arc::as_ptr(&primitive.vertices), Arc::as_ptr(&primitive.targets));
            let of_primitive =
                known.entry((shared, draw.skinned)).or_insert_with(|| PrimitiveBounds::new(primitive, draw.skinned));
            if added.insert((draw.matrix_range, shared, draw.skinned)) {
                // As [`PaletteLayout::positions`], which rounds to single precision.
                let offset = Vector3::from(matrix_range.position_offset);
                let relative = |corner: Vector3<f64>| (corner.cast::<f32>() - offset).cast::<f64>();
                for (slot, of_slot) in &of_primitive.of_slots {
                    let of_slot = Aabb { min: relative(of_slot.min), max: relative(of_slot.max) };
                    bounds.boxes[matrix_range.first_matrix as usize + slot].merge(&of_slot);
                }
            }
            if draw.first_morph_weight.is_some() {
                let deltas = Arc::clone(&of_primitive.deltas);
                bounds.targets.push(MorphBounds { matrix_range: draw.matrix_range, joint: draw.joint, deltas });
            }
        }
        bounds.targets.sort_by_key(|target| target.matrix_range);
        bounds
    }
}

fn delta_bounds(target: &MorphTarget) -> Aabb {
    let mut bounds = Aabb::EMPTY;
    bounds.add(Vector3::zeros());
    for delta in target.positions.iter().flatten() {
        bounds.add(Vector3::from(*delta).cast());
    }
    bounds
}

/// Returns a sphere in model space that contains every vertex at any time of any blend of the clips of `motion`.
///
/// Three steps bound a vertex: (1) Skinning blends the positions that its
/// joints give it, so it is within a sphere that contains them all. (2) The vertices of a joint and of its descendants
/// are within a sphere in the joint's space; its center moves in the parent's space like one point. (3) Between two
/// keys, that point is within the sagitta of its arc from the chord.
pub(super) fn animated_bounds(
    rig: &Rig,
    mesh_bounds: &MeshBounds,
    motion: &SetMotion<'_>,
    pose_override: Option<&PoseOverride>,
) -> BoundingSphere {
    let (model, layout) = (rig.model(), rig.layout());
    let mut spheres = vec![BoundingSphere::EMPTY; model.skeleton.len()];
    let mut matrix = 0;
    let mut targets = mesh_bounds.targets.iter().peekable();
    // Of the last joint: the primitives of a mesh have common weights.
    let mut ranges = (None, Vec::new());
    for (range_index, matrix_range) in layout.matrix_ranges.iter().enumerate() {
        let mut growth = Aabb { min: Vector3::zeros(), max: Vector3::zeros() };
        while let Some(target) = targets.next_if(|target| target.matrix_range.get() == range_index) {
            if ranges.0 != Some(target.joint) {
                ranges = (Some(target.joint), motion.weight_ranges(model, target.joint, pose_override));
            }
            growth.merge(&morph_bounds(&target.deltas, &ranges.1));
        }
        for (joint, joint_from_offset_mesh) in PaletteLayout::matrices_of(model, matrix_range) {
            let mut bounds = mesh_bounds.boxes[matrix];
            matrix += 1;
            if !bounds.is_empty() {
                (bounds.min, bounds.max) = (bounds.min + growth.min, bounds.max + growth.max);
                spheres[joint.get()].merge(&BoundingSphere::from_aabb(&bounds).transformed(&joint_from_offset_mesh));
            }
        }
    }
    let mut all = BoundingSphere::EMPTY;
    for (index, joint) in model.skeleton.joints().iter().enumerate().rev() {
        if spheres[index].is_empty() {
            continue;
        }
        let overridden = pose_override.and_then(|pose| pose.get(JointIndex(index as u32)));
        let mut sphere = match overridden {
            _ if joint.has_shear() => BoundingSphere::EMPTY,
            Some(transform) => bounds_of_rotations(&spheres[index], transform),
            None => motion.joint(index, &joint.rest).sphere_in_parent(&spheres[index]),
        };
        if let Some(parent_from_joint) = &joint.exact_rest_matrix {
            sphere.merge(&spheres[index].transformed(parent_from_joint));
        }
        match joint.parent {
            Some(parent) => spheres[parent.get()].merge(&sphere),
            None => all.merge(&sphere),
        }
    }
    all
}

/// Returns a sphere in the parent's space that contains the joint's sphere at any rotation. Bounds then hold while a pose override
/// turns a head.
fn bounds_of_rotations(in_joint: &BoundingSphere, parent_from_joint: &Transform) -> BoundingSphere {
    let reach = in_joint.center.norm() + in_joint.radius;
    BoundingSphere { center: parent_from_joint.translation, radius: parent_from_joint.scale.amax() * reach }
}

/// Returns for each matrix range the largest factor by which its matrices scale a distance, at any time of any blend of the clips of `motion`.
pub(super) fn animated_scales(rig: &Rig, motion: &SetMotion<'_>, pose_override: Option<&PoseOverride>) -> Vec<f64> {
    let (model, layout) = (rig.model(), rig.layout());
    let unit = BoundingSphere { center: Vector3::zeros(), radius: 1.0 };
    let mut scales: Vec<f64> = Vec::with_capacity(model.skeleton.len());
    for (index, joint) in model.skeleton.joints().iter().enumerate() {
        let overridden = pose_override.and_then(|pose| pose.get(JointIndex(index as u32)));
        let exact =
            joint.exact_rest_matrix.map_or(0.0, |parent_from_joint| unit.transformed(&parent_from_joint).radius);
        let scale = match overridden {
            _ if joint.has_shear() => exact,
            Some(transform) => transform.scale.amax().max(exact),
            None => motion.joint(index, &joint.rest).max_scale().max(exact),
        };
        scales.push(scale * joint.parent.map_or(1.0, |parent| scales[parent.get()]));
    }
    let of_range = |matrix_range| {
        let matrices = PaletteLayout::matrices_of(model, matrix_range);
        let of_matrix = matrices.map(|(joint, map)| scales[joint.get()] * unit.transformed(&map).radius);
        of_matrix.fold(0.0, f64::max)
    };
    layout.matrix_ranges.iter().map(of_range).collect()
}

/// Returns the bounds of all sums of deltas with weights in these ranges.
fn morph_bounds(deltas: &[Aabb], weights: &[[f64; 2]]) -> Aabb {
    let mut all = Aabb { min: Vector3::zeros(), max: Vector3::zeros() };
    for (deltas, [min, max]) in deltas.iter().zip(weights) {
        let corners = [deltas.min * *min, deltas.min * *max, deltas.max * *min, deltas.max * *max];
        all.min += corners.iter().fold(Vector3::zeros(), |min: Vector3<f64>, corner| min.inf(corner));
        all.max += corners.iter().fold(Vector3::zeros(), |max: Vector3<f64>, corner| max.sup(corner));
    }
    all
}

/// The ranges of the values of one clip.
#[derive(Clone, Debug)]
pub(super) struct ClipRanges {
    /// One per joint.
    joints: Vec<JointRanges>,
}

/// The ranges of the values of one joint in a clip. Empty without a track.
#[derive(Clone, Debug)]
struct JointRanges {
    translation: Aabb,
    scale: Aabb,
    /// Indices of the rotation tracks in the clip: none, or one from an import.
    rotation_tracks: SmallVec<[u32; 1]>,
    /// Minimum and maximum of each morph weight.
    morph_weights: Vec<[f64; 2]>,
}

impl ClipRanges {
    pub(super) fn new(model: &Model, clip: &Clip) -> Self {
        let (translation, scale) = (Aabb::EMPTY, Aabb::EMPTY);
        let none = JointRanges { translation, scale, rotation_tracks: SmallVec::new(), morph_weights: Vec::new() };
        let mut joints = vec![none; model.skeleton.len()];
        for (index, track) in clip.tracks.iter().enumerate() {
            let joint = &mut joints[track.joint.get()];
            let times_secs = clip.timelines[track.timeline].times_secs();
            match &track.keys {
                KeyValues::Translation(values) => add_vectors(&mut joint.translation, track, times_secs, values),
                KeyValues::Scale(values) => add_vectors(&mut joint.scale, track, times_secs, values),
                KeyValues::Rotation(_) => joint.rotation_tracks.push(index as u32),
                KeyValues::Weights(values) => {
                    let count = model.skeleton.joint(track.joint).morph_weights.len();
                    joint.morph_weights.resize(count, [f64::INFINITY, f64::NEG_INFINITY]);
                    for (i, range) in joint.morph_weights.iter_mut().enumerate() {
                        let [min, max] = value_range(track, times_secs, |value| values[value * count + i]);
                        *range = [range[0].min(min), range[1].max(max)];
                    }
                }
            }
        }
        Self { joints }
    }
}

fn add_vectors(bounds: &mut Aabb, track: &Track, times_secs: &[f32], values: &[Vector3<f32>]) {
    let ranges = [0, 1, 2].map(|axis| value_range(track, times_secs, |value| values[value][axis]));
    (0..2).for_each(|end| bounds.add(Vector3::from(ranges.map(|range| range[end]))));
}

/// The clips of an animation set.
pub(super) struct SetMotion<'a> {
    /// Without the rest pose.
    pub(super) layers: Vec<LayerMotion<'a>>,
    /// `true` if several clips are blended, so that the rest pose may contribute.
    pub(super) is_blended: bool,
}

/// One layer of an animation set.
pub(super) struct LayerMotion<'a> {
    pub(super) clip: &'a Clip,
    pub(super) ranges: &'a ClipRanges,
    pub(super) is_additive: bool,
}

/// Largest bound of the ratio of two scales in an additive layer, whose keys may pass through zero.
const MAX_SCALE_RATIO: f64 = 1e15;

/// The range of a joint's transform over the clips of an animation set.
struct JointMotion<'a> {
    translations: Aabb,
    scales: Aabb,
    rotations: RotationRange<'a>,
}

enum RotationRange<'a> {
    Constant(UnitQuaternion<f64>),
    Track(&'a Track),
    Any,
}

impl SetMotion<'_> {
    /// Returns the range of a joint with this rest transform.
    fn joint(&self, index: usize, rest: &Transform) -> JointMotion<'_> {
        let (mut translations, mut scales, mut rotations) =
            (Aabb::EMPTY, Aabb::EMPTY, RotationRange::Constant(rest.rotation));
        let blended = self.layers.iter().filter(|layer| !layer.is_additive);
        for LayerMotion { clip, ranges, .. } in blended {
            let joint = &ranges.joints[index];
            translations.merge(&joint.translation);
            scales.merge(&joint.scale);
            match joint.rotation_tracks[..] {
                [] => {}
                [track] if !self.is_blended => rotations = RotationRange::Track(&clip.tracks[track as usize]),
                _ => rotations = RotationRange::Any,
            }
        }
        for (bounds, at_rest) in [(&mut translations, rest.translation), (&mut scales, rest.scale)] {
            if bounds.is_empty() || self.is_blended {
                bounds.add(at_rest);
            }
        }
        for LayerMotion { ranges, .. } in self.layers.iter().filter(|layer| layer.is_additive) {
            let JointRanges { translation, scale, rotation_tracks, .. } = &ranges.joints[index];
            (translations.min, translations.max) =
                (translations.min - translation.extent(), translations.max + translation.extent());
            if !rotation_tracks.is_empty() {
                rotations = RotationRange::Any;
            }
            if !scale.is_empty() {
                let (min, max) = (scale.min.abs().inf(&scale.max.abs()), scale.min.abs().sup(&scale.max.abs()));
                let ratios = min.zip_zip_map(&max, &scale.min.component_mul(&scale.max), |min, max, product| {
                    if product > 0.0 { (max / min).min(MAX_SCALE_RATIO) } else { MAX_SCALE_RATIO }
                });
                let size = scales.min.abs().sup(&scales.max.abs()).component_mul(&ratios);
                (scales.min, scales.max) = (-size, size);
            }
        }
        JointMotion { translations, scales, rotations }
    }

    /// Returns the minimum and maximum of each morph weight of a joint.
    fn weight_ranges(&self, model: &Model, joint: JointIndex, pose_override: Option<&PoseOverride>) -> Vec<[f64; 2]> {
        let indices = model.skeleton.joint(joint).morph_weights.clone();
        let of_layers = |is_additive: bool| {
            let layers = self.layers.iter().filter(move |layer| layer.is_additive == is_additive);
            layers.map(|layer| &layer.ranges.joints[joint.get()].morph_weights)
        };
        let of_clips = || of_layers(false);
        let has_rest = self.is_blended || of_clips().all(Vec::is_empty);
        let range = |(i, rest): (usize, &f32)| {
            let rest = f64::from(*rest);
            let first = if has_rest { [rest; 2] } else { [f64::INFINITY, f64::NEG_INFINITY] };
            let tracks = of_clips().filter_map(|ranges| ranges.get(i));
            let [min, max] = tracks.fold(first, |[min, max], range| [min.min(range[0]), max.max(range[1])]);
            let extent: f64 = of_layers(true).filter_map(|ranges| ranges.get(i)).map(|[min, max]| max - min).sum();
            [min - extent, max + extent]
        };
        let at_rest = &model.skeleton.rest_morph_weights()[indices.clone()];
        let mut ranges: Vec<[f64; 2]> = at_rest.iter().enumerate().map(range).collect();
        for (index, weight) in pose_override.map_or(&[][..], PoseOverride::morph_weights) {
            if let Some(range) = index.checked_sub(indices.start).and_then(|i| ranges.get_mut(i)) {
                *range = [f64::from(*weight); 2];
            }
        }
        ranges
    }
}

impl JointMotion<'_> {
    /// Returns the largest magnitude of the scale along any axis.
    fn max_scale(&self) -> f64 {
        self.scales.min.abs().sup(&self.scales.max.abs()).max()
    }

    /// Returns a sphere in the parent's space that contains `sphere` of the joint's space at all times.
    fn sphere_in_parent(&self, sphere: &BoundingSphere) -> BoundingSphere {
        // Positions of the sphere's center after scaling.
        let mut scaled = Aabb::EMPTY;
        [self.scales.min, self.scales.max].iter().for_each(|scale| scaled.add(scale.component_mul(&sphere.center)));
        let (center, slack) = (scaled.center(), 0.5 * scaled.diagonal());
        let rotated = match self.rotations {
            RotationRange::Constant(rotation) => BoundingSphere { center: rotation * center, radius: 0.0 },
            RotationRange::Track(track) => rotated_point_bounds(track, &center),
            RotationRange::Any => BoundingSphere { center: Vector3::zeros(), radius: center.norm() },
        };
        BoundingSphere {
            center: self.translations.center() + rotated.center,
            radius: 0.5 * self.translations.diagonal() + rotated.radius + slack + self.max_scale() * sphere.radius,
        }
    }
}

/// Returns a sphere that contains `point` after any rotation of a track.
fn rotated_point_bounds(track: &Track, point: &Vector3<f64>) -> BoundingSphere {
    let distance = point.norm();
    let anywhere = BoundingSphere { center: Vector3::zeros(), radius: distance };
    let KeyValues::Rotation(values) = &track.keys else { return anywhere };
    if track.interpolation == Interpolation::CubicSpline {
        return anywhere;
    }
    let rotation = |value: &Vector4<f32>| UnitQuaternion::new_normalize(Quaternion::from(value.cast::<f64>()));
    let mut bounds = Aabb::EMPTY;
    values.iter().for_each(|value| bounds.add(rotation(value) * point));
    let mut sphere = BoundingSphere::from_aabb(&bounds);
    if track.interpolation == Interpolation::Linear {
        let sagitta = |pair: &[Vector4<f32>]| {
            let angle = rotation(&pair[0]).angle_to(&rotation(&pair[1]));
            distance * (1.0 - libm::cos(0.5 * angle))
        };
        sphere.radius += values.windows(2).map(sagitta).fold(0.0, f64::max);
    }
    if sphere.radius < distance { sphere } else { anywhere }
}

/// Returns the minimum and maximum of one component of a track; `component` returns it for a stored value.
///
/// A spline stays within the control points of its Bézier curve, a third of the key distance along the tangents.
fn value_range(track: &Track, times_secs: &[f32], component: impl Fn(usize) -> f32) -> [f64; 2] {
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    let mut add = |x: f64| range = [range[0].min(x), range[1].max(x)];
    let at = |value: usize| f64::from(component(value));
    let is_spline = track.interpolation == Interpolation::CubicSpline;
    for (key, time) in times_secs.iter().enumerate() {
        if !is_spline {
            add(at(key));
            continue;
        }
        let value = at(3 * key + 1);
        add(value);
        let third = |other: &f32| f64::from(other - time).abs() / 3.0;
        if let Some(before) = key.checked_sub(1) {
            add(value - at(3 * key) * third(&times_secs[before]));
        }
        if let Some(after) = times_secs.get(key + 1) {
            add(value + at(3 * key + 2) * third(after));
        }
    }
    range
}
