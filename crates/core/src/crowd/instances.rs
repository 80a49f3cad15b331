//! Instances of one model: placement and playback.

use super::animation_sets::{AnimationSet, AnimationSets, INLINE_LAYERS, PoseOverrideIndex, SetLayer, next_revision};
use super::block_order::BlockOrder;
use super::prepared::{CrowdBounds, CrowdPlans};
use crate::animate::{InstanceData, InstanceRecord, LayerState, PlacementSigns, ReferenceInstance};
use crate::ik::{ConstraintIndex, ConstraintTargets, Ground, Target};
use crate::math::simd::Float4;
use crate::math::{Affine, Transform};
use crate::model::{ClipIndex, InstanceIndex, JointIndex, Model};
use crate::palette::{BlockIndex, distance_to_similarity, scale_and_rotation};
use crate::pose::{
    AnimatedProperties, Layer, LayerScratch, LoopMode, MAX_LAYERS, Playback, Pose, PoseOverride, WHOLE, positive_weight,
};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Initial state of one instance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance {
    /// Placement.
    pub world_from_model: Affine,
    /// The clip that plays; `None` for the rest pose.
    pub clip: Option<ClipIndex>,
    /// Maps the clock to clip time.
    pub playback: Playback,
}

impl Instance {
    /// A single instance as in the file: no placement, clip time equals the clock.
    pub fn single(clip: Option<ClipIndex>) -> Self {
        Self { world_from_model: Affine::IDENTITY, clip, playback: Playback::ONCE }
    }

    /// An instance that loops a clip, ahead of the clock by `start_offset_secs`.
    pub fn new(world_from_model: Affine, clip: Option<ClipIndex>, start_offset_secs: f64) -> Self {
        Self { world_from_model, clip, playback: Playback::looping(start_offset_secs) }
    }
}

/// Instances of a model with a common clock. They may move, come and go between updates.
///
/// Takes 64 bytes per instance: 4 more for the block order if instances play different clips or are culled, 48 more if a
/// placement has shear or non-uniform scale. Linear parts have single precision, translations twice that.
///
/// Methods panic if an instance or a pose override does not exist.
///
/// ```
/// use rigview_core::crowd::{Crowd, Instance};
/// use rigview_core::math::Affine;
/// use rigview_core::model::{ClipIndex, InstanceIndex};
/// use rigview_core::pose::{Layer, Playback};
///
/// // A row of instances, each a tenth of a second ahead of the one before.
/// let mut crowd = Crowd::new((0..10).map(|i| {
///     let placement = Affine { translation: [f64::from(i), 0.0, 0.0].into(), ..Affine::IDENTITY };
///     Instance::new(placement, Some(ClipIndex(0)), 0.1 * f64::from(i))
/// }));
/// // The first one blends two clips.
/// let [walk, wave] = [0, 1].map(|clip| Layer::new(Some(ClipIndex(clip)), Playback::looping(0.0)));
/// crowd.set_layers(InstanceIndex(0), &Layer::cross_fade(walk, wave, 0.5));
/// assert_eq!(crowd.clips(), [ClipIndex(0), ClipIndex(1)]);
/// // The second one moves up, and the third one leaves.
/// let higher = Affine { translation: [1.0, 2.0, 0.0].into(), ..Affine::IDENTITY };
/// crowd.set_world_from_model(InstanceIndex(1), &higher);
/// crowd.swap_remove(InstanceIndex(2));
/// assert_eq!(crowd.len(), 9);
/// ```
#[derive(Clone, Debug)]
pub struct Crowd {
    pub(super) data: InstanceData,
    pub(super) placement_signs: PlacementSigns,
    /// At least the sum of the magnitudes of any linear part; NaN if one is NaN.
    pub(super) max_linear_sum: f64,
    /// At least the magnitude of any translation component; NaN if one is NaN.
    pub(super) max_translation: f64,
    pub(super) sets: AnimationSets,
    /// For each set, its new index when sets are removed. Kept to reuse its memory.
    used_sets: Vec<Option<u32>>,
    /// Memory for the next compaction of layers.
    spare_layers: Vec<LayerState>,
    targets: ConstraintTargets,
    culling_margin: f64,
    /// The plans of the animator that prepared the crowd last.
    pub(super) plans: CrowdPlans,
    pub(super) bounds: CrowdBounds,
    /// All instances.
    order: BlockOrder,
    /// The visible instances, if `is_culled`.
    visible: BlockOrder,
    is_culled: bool,
    /// `true` if `order` must be rebuilt.
    is_stale: bool,
    /// Changes with the animation sets and pose overrides, and differs between crowds.
    revision: u64,
    /// Changes with placements.
    placements_revision: u64,
}

impl Crowd {
    /// Creates a crowd.
    ///
    /// # Panics
    /// If there are more than 2^32 - 1 instances.
    pub fn new(instances: impl IntoIterator<Item = Instance>) -> Self {
        let instances = instances.into_iter();
        let mut crowd = Self {
            data: InstanceData { records: Vec::with_capacity(instances.size_hint().0), ..InstanceData::default() },
            placement_signs: PlacementSigns::default(),
            max_linear_sum: 0.0,
            max_translation: 0.0,
            sets: AnimationSets::default(),
            used_sets: Vec::new(),
            spare_layers: Vec::new(),
            targets: ConstraintTargets::default(),
            culling_margin: 0.0,
            plans: CrowdPlans::default(),
            bounds: CrowdBounds::default(),
            order: BlockOrder::default(),
            visible: BlockOrder::default(),
            is_culled: false,
            is_stale: true,
            revision: 0,
            placements_revision: 0,
        };
        instances.for_each(|instance| _ = crowd.push(instance));
        crowd
    }

    /// Reserves memory for more instances.
    pub fn reserve(&mut self, additional: usize) {
        self.data.records.reserve(additional);
        if !self.data.linear_rows.is_empty() {
            self.data.linear_rows.reserve(additional);
        }
    }

    /// Adds an instance after the others. Returns its index.
    ///
    /// # Panics
    /// If there are 2^32 - 1 instances.
    pub fn push(&mut self, Instance { world_from_model, clip, playback }: Instance) -> InstanceIndex {
        assert!(self.len() < u32::MAX as usize, "too many instances");
        let mut record = InstanceRecord::new(Vector3::zeros(), 1.0, UnitQuaternion::identity(), &playback);
        record.set_animation_set(self.sets.index_of(AnimationSet {
            layers: smallvec![SetLayer { clip, ..SetLayer::default() }],
            pose_override: None,
        }));
        self.data.records.push(record);
        if !self.data.linear_rows.is_empty() {
            self.data.linear_rows.push(rows_of(&Affine::IDENTITY));
        }
        self.is_stale = true;
        let instance = InstanceIndex(self.len() as u32 - 1);
        self.set_world_from_model(instance, &world_from_model);
        instance
    }

    /// Removes an instance; the last one takes its place and its number, with its targets.
    pub fn swap_remove(&mut self, instance: InstanceIndex) {
        self.targets.swap_remove(instance, self.len());
        self.data.records.swap_remove(instance.get());
        if !self.data.linear_rows.is_empty() {
            self.data.linear_rows.swap_remove(instance.get());
        }
        self.is_stale = true;
        self.placements_revision += 1;
    }

    /// Sets the target of an instance for a constraint of [`CrowdAnimator::set_constraints`](super::CrowdAnimator::set_constraints).
    pub fn set_target(&mut self, constraint: ConstraintIndex, instance: InstanceIndex, target: Target) {
        assert!(instance.get() < self.len(), "no instance {instance}");
        self.targets.set(constraint, instance, target);
    }

    /// Sets the target of all instances for a constraint, also of those that come later. Returns `true` if one changes.
    pub fn set_common_target(&mut self, constraint: ConstraintIndex, target: Target) -> bool {
        self.targets.set_all(constraint, target)
    }

    /// Sets the ground of feet; `None` for feet as in the clips. Costs nothing else, so that the ground may change in each frame.
    pub fn set_ground(&mut self, ground: Option<Arc<Ground>>) {
        self.targets.set_ground(ground);
    }

    /// The targets of the constraints.
    pub fn targets(&self) -> &ConstraintTargets {
        &self.targets
    }

    /// Replaces all targets, such as by those of another crowd.
    pub fn set_targets(&mut self, targets: ConstraintTargets) {
        self.targets = targets;
        self.targets.truncate(self.len());
    }

    /// Sets the distance in meters by which constraints and [`CrowdAnimator::update_with`](super::CrowdAnimator::update_with) move vertices
    /// out of the sampled poses at most. Bounding spheres and culling include it; the default is 0.
    ///
    /// For feet it is the largest height of the ground above or below the placements and half a leg more, for a limb twice its length.
    ///
    /// # Panics
    /// If the margin is negative or not finite.
    pub fn set_culling_margin(&mut self, margin: f64) {
        assert!(margin >= 0.0 && margin.is_finite(), "a distance");
        self.culling_margin = margin;
        self.placements_revision += 1;
    }

    pub(super) fn culling_margin(&self) -> f64 {
        self.culling_margin
    }

    /// Moves an instance to `world_from_model`. Changes the instance's record only, unless it is the first one with shear or
    /// non-uniform scale.
    pub fn set_world_from_model(&mut self, instance: InstanceIndex, world_from_model: &Affine) {
        let transform = world_from_model;
        let (scale, rotation) = match transform.linear == Matrix3::identity() {
            true => (1.0, UnitQuaternion::identity()),
            false => scale_and_rotation(transform),
        };
        if self.data.linear_rows.is_empty()
            && transform.linear != Matrix3::identity()
            && distance_to_similarity(transform) > 1e-6
        {
            self.data.linear_rows =
                self.data.records.iter().map(|record| rows_of(&record.world_from_model())).collect();
            self.revision = next_revision();
        }
        self.place(instance, transform.translation, scale, rotation);
        // A stretched transform may have neither scale nor rotation on average.
        self.data.has_linear_part |= transform.linear != Matrix3::identity();
        if let Some(rows) = self.data.linear_rows.get_mut(instance.get()) {
            *rows = rows_of(transform);
        }
        self.extend_bounds(transform.determinant(), transform.linear.abs().sum(), transform.translation.amax());
    }

    /// Like [`set_world_from_model`](Self::set_world_from_model). A uniform scale needs no decomposition of a matrix.
    pub fn set_transform(&mut self, instance: InstanceIndex, world_from_model: &Transform) {
        let Transform { translation, rotation, scale } = *world_from_model;
        if !(scale.x == scale.y && scale.y == scale.z) {
            return self.set_world_from_model(instance, &world_from_model.to_affine());
        }
        self.place(instance, translation, scale.x, rotation);
        if let Some(rows) = self.data.linear_rows.get_mut(instance.get()) {
            *rows = rows_of(&world_from_model.to_affine());
        }
        // The components of a rotation matrix sum to at most three times the square root of 3.
        self.extend_bounds(scale.x, 5.2 * scale.x.abs(), translation.amax());
    }

    fn place(&mut self, instance: InstanceIndex, translation: Vector3<f64>, scale: f64, rotation: UnitQuaternion<f64>) {
        self.data.has_linear_part |= scale != 1.0 || rotation != UnitQuaternion::identity();
        self.data.records[instance.get()].set_world_from_model(translation, scale, rotation);
        self.placements_revision += 1;
    }

    /// Extends the bounds of all placements by one with this determinant.
    fn extend_bounds(&mut self, determinant: f64, linear_sum: f64, max_translation: f64) {
        self.placement_signs.any_positive |= determinant > 0.0;
        self.placement_signs.any_negative |= determinant < 0.0;
        self.placement_signs.any_zero |= determinant == 0.0 || determinant.is_nan();
        for (bound, x) in [(&mut self.max_linear_sum, linear_sum), (&mut self.max_translation, max_translation)] {
            // NaN persists. Powers of two, so that an instance that moves away changes the bound seldom.
            if !(x <= *bound || bound.is_nan()) {
                *bound = if x.is_finite() { x.log2().ceil().exp2().max(x) } else { x };
                self.revision = next_revision();
            }
        }
    }

    /// A crowd of one [`Instance::single`].
    pub fn single(clip: Option<ClipIndex>) -> Self {
        Self::new([Instance::single(clip)])
    }

    /// Number of instances.
    pub fn len(&self) -> usize {
        self.data.records.len()
    }

    /// Returns the indices of all instances, in ascending order.
    pub fn indices(&self) -> impl ExactSizeIterator<Item = InstanceIndex> + Clone + use<> {
        (0..self.len() as u32).map(InstanceIndex)
    }

    /// Returns `true` if there are no instances.
    pub fn is_empty(&self) -> bool {
        self.data.records.is_empty()
    }

    /// Returns `world_from_model` of an instance.
    pub fn placement(&self, instance: InstanceIndex) -> Affine {
        let record = &self.data.records[instance.get()];
        match self.data.linear_rows.get(instance.get()) {
            None => record.world_from_model(),
            Some(rows) => {
                let linear = Matrix3::from_fn(|row, column| f64::from(rows[row].0[column]));
                Affine { linear, translation: record.translation() }
            }
        }
    }

    /// Returns the layers of an instance, at least one.
    pub fn layers(&self, instance: InstanceIndex) -> impl ExactSizeIterator<Item = Layer> + '_ {
        let record = &self.data.records[instance.get()];
        let layers = &self.set_of(instance).layers;
        let is_single = record.layer_count() == 0;
        let count = if is_single { 1 } else { record.layer_count() };
        (0..count).map(move |i| {
            if is_single {
                return Layer::new(layers[0].clip, record.playback());
            }
            let LayerState { playback, weight } = self.data.layers[record.first_layer as usize + i];
            let SetLayer { clip, mode, mask } = layers[i];
            Layer { clip, weight, playback, mode, mask }
        })
    }

    /// Replaces the layers of an instance. Cheap while the clips stay the same.
    ///
    /// # Panics
    /// If there are more than [`MAX_LAYERS`].
    pub fn set_layers(&mut self, instance: InstanceIndex, layers: &[Layer]) {
        assert!(layers.len() <= MAX_LAYERS, "too many layers");
        let is_masked = layers.iter().any(|layer| layer.mask.is_some());
        let sum: f64 = layers.iter().map(|layer| positive_weight(layer.blend_weight())).sum();
        let has_rest = sum < WHOLE || is_masked;
        let of_set = || layers.iter().map(SetLayer::from).chain(has_rest.then(SetLayer::default));
        let set = self.set_of(instance);
        if !set.layers.iter().copied().eq(of_set()) {
            let set = AnimationSet { layers: of_set().collect(), pose_override: set.pose_override };
            self.set_animation_set(instance, set);
        }
        let record = &mut self.data.records[instance.get()];
        if let ([layer], false) = (layers, has_rest) {
            record.set_playback(&layer.playback);
            record.set_layer_count(0);
            return;
        }
        let states = &mut self.data.layers;
        if record.layer_count() != layers.len() {
            record.first_layer = states.len() as u32;
            record.set_layer_count(layers.len());
            states.resize(states.len() + layers.len(), LayerState { playback: Playback::ONCE, weight: 0.0 });
        }
        for (state, layer) in states[record.first_layer as usize..].iter_mut().zip(layers) {
            *state = LayerState { playback: layer.playback, weight: layer.weight };
        }
    }

    /// Adds a pose override for [`set_override`](Self::set_override).
    pub fn add_override(&mut self, pose: PoseOverride) -> PoseOverrideIndex {
        self.is_stale = true;
        self.sets.add_override(pose)
    }

    /// Removes a pose override, also from all instances that use it. A later [`add_override`](Self::add_override) may return its index.
    pub fn remove_override(&mut self, index: PoseOverrideIndex) {
        for instance in self.indices() {
            if self.override_of(instance) == Some(index) {
                self.set_override(instance, None);
            }
        }
        self.sets.remove_override(index);
        self.is_stale = true;
    }

    /// Overrides one joint of a pose override, for all instances that use it. Costs nothing else if only its rotation changes, such as
    /// that of a head that looks at a point.
    pub fn override_joint(&mut self, index: PoseOverrideIndex, joint: JointIndex, parent_from_joint: Transform) {
        self.is_stale |= self.sets.override_joint(index, joint, parent_from_joint);
    }

    /// Replaces a pose override, for all instances that use it. Costs nothing else if only rotations change.
    pub fn update_override(&mut self, index: PoseOverrideIndex, pose: PoseOverride) {
        // The kernel reads rotations at each update.
        self.is_stale |= self.sets.update_override(index, pose);
    }

    /// Returns a pose override.
    pub fn pose_override(&self, index: PoseOverrideIndex) -> &PoseOverride {
        self.sets.pose_override(index)
    }

    /// Sets or removes the pose override of an instance.
    pub fn set_override(&mut self, instance: InstanceIndex, pose_override: Option<PoseOverrideIndex>) {
        let set = self.set_of(instance);
        if set.pose_override != pose_override {
            let set = AnimationSet { layers: set.layers.clone(), pose_override };
            self.set_animation_set(instance, set);
        }
    }

    /// Returns the pose override of an instance.
    pub fn override_of(&self, instance: InstanceIndex) -> Option<PoseOverrideIndex> {
        self.set_of(instance).pose_override
    }

    /// Returns the clips that any instance plays, in ascending order.
    pub fn clips(&self) -> Vec<ClipIndex> {
        let mut used = vec![false; self.sets.len()];
        self.data.records.iter().for_each(|record| used[record.animation_set() as usize] = true);
        let sets = (0..).zip(used).filter_map(|(set, used)| used.then_some(self.sets.get(set)));
        let mut clips: Vec<ClipIndex> = sets.flat_map(|set| &set.layers).filter_map(|layer| layer.clip).collect();
        clips.sort_unstable();
        clips.dedup();
        clips
    }

    /// Returns `true` if all instances play one and the same clip at speed 1, so that the pose repeats each loop.
    pub fn is_synchronized(&self) -> bool {
        let Some(first) = self.data.records.first() else { return true };
        let is_same = |record: &InstanceRecord| {
            let Playback { speed, loop_mode, .. } = record.playback();
            let same_set = record.animation_set() == first.animation_set();
            same_set && record.layer_count() == 0 && speed == 1.0 && loop_mode != LoopMode::PingPong
        };
        self.data.records.iter().all(is_same)
    }

    /// Returns the palette block of an instance, as of the last update; `None` if it is culled, or before the first update.
    pub fn block_of_instance(&self, instance: InstanceIndex) -> Option<BlockIndex> {
        let order = self.visible_order();
        let block = order.instances(0..order.len()).iter().position(|other| other == instance);
        block.map(|block| BlockIndex(block as u32))
    }

    /// Returns the instance of a palette block, as of the last update.
    ///
    /// # Panics
    /// If the block does not exist.
    pub fn instance_of_block(&self, block: BlockIndex) -> InstanceIndex {
        self.visible_order().instance(block.get())
    }

    /// Samples the material, light, camera and visibility properties of an instance at the clock's `clock_secs`, including its pose
    /// override.
    pub fn animated_properties(&self, instance: InstanceIndex, model: &Model, clock_secs: f64) -> AnimatedProperties {
        let mut properties = self.with_layers(instance, |layers| AnimatedProperties::new(model, layers, clock_secs));
        if let Some(pose_override) = self.sets.override_of(self.data.records[instance.get()].animation_set()) {
            properties.apply_override(model, pose_override);
        }
        properties
    }

    /// Sets `pose` to that of an instance at the clock's `clock_secs`, including its pose override.
    ///
    /// # Panics
    /// If the crowd plays a clip that `model` does not have.
    pub fn pose(
        &self,
        instance: InstanceIndex,
        model: &Model,
        clock_secs: f64,
        scratch: &mut LayerScratch,
        pose: &mut Pose,
    ) {
        self.with_reference(instance, |reference| reference.pose(model, clock_secs, scratch, pose));
    }

    /// Calls `f` with an instance as input of the double-precision path.
    pub(super) fn with_reference<R>(&self, instance: InstanceIndex, f: impl FnOnce(&ReferenceInstance<'_>) -> R) -> R {
        let set = self.data.records[instance.get()].animation_set();
        let pose_override = self.sets.override_of(set);
        let world_from_model = self.placement(instance);
        self.with_layers(instance, |layers| f(&ReferenceInstance { layers, pose_override, world_from_model }))
    }

    pub(super) fn with_layers<R>(&self, instance: InstanceIndex, f: impl FnOnce(&[Layer]) -> R) -> R {
        f(&self.layers(instance).collect::<SmallVec<[Layer; INLINE_LAYERS]>>())
    }

    fn set_of(&self, instance: InstanceIndex) -> &AnimationSet {
        self.sets.get(self.data.records[instance.get()].animation_set())
    }

    fn set_animation_set(&mut self, instance: InstanceIndex, set: AnimationSet) {
        let index = self.sets.index_of(set);
        self.data.records[instance.get()].set_animation_set(index);
        self.is_stale = true;
    }

    /// Order of the instances to pose.
    pub(super) fn visible_order(&self) -> &BlockOrder {
        if self.is_culled { &self.visible } else { &self.order }
    }

    /// Order of all instances.
    pub(super) fn full_order(&self) -> &BlockOrder {
        &self.order
    }

    /// Makes all instances visible. Returns `true` if the crowd was culled.
    pub(super) fn clear_visibility(&mut self) -> bool {
        std::mem::replace(&mut self.is_culled, false)
    }

    /// Restricts posing to the instances of `visible`, which receives the old order. Returns `true` if they changed.
    pub(super) fn set_visible(&mut self, visible: &mut BlockOrder) -> bool {
        let is_same = self.is_culled && self.visible == *visible;
        std::mem::swap(&mut self.visible, visible);
        self.is_culled = true;
        !is_same
    }

    /// Rebuilds the block order if animation sets have changed. Lifts culling in that case.
    pub(super) fn rebuild_order(&mut self) {
        if self.is_stale {
            self.compact_layers();
            if self.sets.needs_compaction() {
                self.compact_sets();
            }
            self.sets.update_keys();
            self.order.fill(&self.data.records, self.sets.groups());
            (self.is_stale, self.is_culled) = (false, false);
            self.revision = next_revision();
        }
    }

    /// Returns the group of an instance's animation set, by its first set. Valid after [`rebuild_order`](Self::rebuild_order).
    pub(super) fn group_of(&self, instance: InstanceIndex) -> u32 {
        self.sets.groups()[self.data.records[instance.get()].animation_set() as usize]
    }

    /// Returns the rotation of a joint in the pose override of an instance.
    pub(super) fn override_rotation(&self, instance: InstanceIndex, joint: JointIndex) -> UnitQuaternion<f64> {
        let pose = self.sets.override_of(self.data.records[instance.get()].animation_set());
        pose.and_then(|pose| pose.get(joint)).map_or_else(UnitQuaternion::identity, |transform| transform.rotation)
    }

    /// Changes with placements.
    pub(super) fn placements_revision(&self) -> u64 {
        self.placements_revision
    }

    /// Changes with the animation sets and pose overrides. Valid after [`rebuild_order`](Self::rebuild_order).
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// Removes the animation sets of no instance.
    fn compact_sets(&mut self) {
        self.used_sets.clear();
        self.used_sets.resize(self.sets.len(), None);
        self.data.records.iter().for_each(|record| self.used_sets[record.animation_set() as usize] = Some(0));
        self.sets.retain(&mut self.used_sets);
        for record in &mut self.data.records {
            record.set_animation_set(self.used_sets[record.animation_set() as usize].unwrap_or_default());
        }
    }

    /// Removes unreferenced layers once they are the majority.
    fn compact_layers(&mut self) {
        let InstanceData { records, layers, .. } = &mut self.data;
        let used: usize = records.iter().map(InstanceRecord::layer_count).sum();
        if layers.len() <= 2 * used + 1024 {
            return;
        }
        let compacted = &mut self.spare_layers;
        compacted.clear();
        compacted.reserve(layers.capacity());
        for record in records.iter_mut().filter(|record| record.layer_count() > 0) {
            let first = record.first_layer as usize;
            record.first_layer = compacted.len() as u32;
            compacted.extend_from_slice(&layers[first..][..record.layer_count()]);
        }
        std::mem::swap(layers, compacted);
    }
}

fn rows_of(transform: &Affine) -> [Float4; 3] {
    [0, 1, 2].map(|row| Float4([0, 1, 2, 3].map(|i| if i < 3 { transform.linear[(row, i)] as f32 } else { 0.0 })))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::crowd) fn placement(i: usize) -> Affine {
        let angle = i as f64 * 0.37;
        Transform {
            translation: Vector3::new(i as f64 * 1234.5, 0.1, -(i as f64).sqrt()),
            rotation: UnitQuaternion::from_euler_angles(angle, -angle, 0.5 * angle),
            scale: Vector3::repeat(if i.is_multiple_of(3) { -0.5 } else { 2.0 }),
        }
        .to_affine()
    }

    #[test]
    fn placements_and_playback_round_trip() {
        let playback = Playback { speed: -0.25, start_offset_secs: 0.1, loop_mode: LoopMode::PingPong };
        let instance = |i| Instance { world_from_model: placement(i), clip: Some(ClipIndex(i as u32 % 3)), playback };
        let crowd = Crowd::new((0..50).map(instance));
        for i in 0..50 {
            let (got, expected) = (crowd.placement(InstanceIndex(i as u32)), placement(i));
            assert!((got.linear - expected.linear).amax() < 1e-6, "{i}");
            assert!((got.translation - expected.translation).amax() < 1e-9 * expected.translation.amax(), "{i}");
            assert_eq!(
                crowd.layers(InstanceIndex(i as u32)).collect::<Vec<_>>(),
                [Layer::new(Some(ClipIndex(i as u32 % 3)), playback)]
            );
        }
        let mut by_transform = crowd.clone();
        for i in 0..50 {
            let scale = Vector3::repeat(if i == 7 { -0.5 } else { 0.25 * i as f64 });
            let turned = Transform { scale, ..placement(i).to_transform() };
            by_transform.set_transform(InstanceIndex(i as u32), &turned);
            let (got, expected) = (by_transform.placement(InstanceIndex(i as u32)), turned.to_affine());
            assert!((got.linear - expected.linear).amax() < 1e-6 * scale.amax().max(1.0), "{i}");
            assert!((got.translation - expected.translation).amax() < 1e-9 * expected.translation.amax(), "{i}");
        }
        let sheared = Transform { scale: Vector3::new(1.0, -2.0, 3.0), ..placement(3).to_transform() };
        by_transform.set_transform(InstanceIndex(3), &sheared);
        by_transform.set_transform(InstanceIndex(4), &placement(6).to_transform());
        assert!((by_transform.placement(InstanceIndex(3)).linear - sheared.to_affine().linear).amax() < 1e-6);
        let non_uniform = Transform { scale: Vector3::new(1.0, 2.0, 3.0), ..Transform::identity() }.to_affine();
        let crowd = Crowd::new([placement(1), non_uniform].map(|place| Instance::new(place, None, 0.0)));
        assert_eq!(crowd.placement(InstanceIndex(1)), non_uniform);
        assert!((crowd.placement(InstanceIndex(0)).linear - placement(1).linear).amax() < 1e-6);
    }

    #[test]
    fn replaced_layers_round_trip_and_are_compacted() {
        let mut crowd = Crowd::new([0, 1, 2].map(|i| Instance::new(placement(i), Some(ClipIndex(0)), 0.0)));
        let layer = |clip, weight| Layer { weight, ..Layer::new(Some(ClipIndex(clip)), Playback::looping(0.5)) };
        for round in 0..10_000 {
            let fade = Layer::cross_fade(layer(0, 1.0), layer(round % 2, 1.0), round as f32 / 10_000.0);
            crowd.set_layers(InstanceIndex(1), &fade);
            assert_eq!(crowd.layers(InstanceIndex(1)).collect::<Vec<_>>(), fade);
            crowd.set_layers(InstanceIndex(2), &[layer(2, 0.5)]);
            assert_eq!(crowd.layers(InstanceIndex(2)).collect::<Vec<_>>(), [layer(2, 0.5)]);
            crowd.set_layers(InstanceIndex(1), &[layer(1, 1.0)]);
            crowd.rebuild_order();
        }
        assert_eq!(crowd.layers(InstanceIndex(0)).next().unwrap().clip, Some(ClipIndex(0)));
        assert_eq!(crowd.clips(), [0, 1, 2].map(ClipIndex));
        assert!(crowd.data.layers.len() < 5000 && crowd.sets.len() <= 5);
    }

    #[test]
    fn unused_animation_sets_are_removed() {
        let mut crowd = Crowd::new([0, 1, 2].map(|i| Instance::new(placement(i), Some(ClipIndex(i as u32)), 0.0)));
        for clip in 3..100_000 {
            crowd.set_layers(InstanceIndex(1), &[Layer::new(Some(ClipIndex(clip)), Playback::looping(0.5))]);
            crowd.rebuild_order();
        }
        assert!(crowd.sets.len() < 200, "{}", crowd.sets.len());
        assert_eq!(crowd.clips(), [0, 2, 99_999].map(ClipIndex));
        assert_eq!([0, 1, 2].map(|block| crowd.instance_of_block(BlockIndex(block)).0), [0, 2, 1]);
        assert_eq!(
            [0, 1, 2, 3].map(|instance| crowd.block_of_instance(InstanceIndex(instance))),
            [Some(0), Some(2), Some(1), None].map(|block| block.map(BlockIndex))
        );
    }

    #[test]
    fn every_instance_may_play_another_clip() {
        let count = 70_000;
        let mut crowd = Crowd::new((0..count).map(|i| Instance::new(Affine::IDENTITY, Some(ClipIndex(i)), 0.0)));
        crowd.rebuild_order();
        assert_eq!((crowd.clips().len(), crowd.full_order().plan_runs().count()), (70_000, 70_000));
        let clip = crowd.layers(InstanceIndex(69_999)).next().and_then(|layer| layer.clip);
        assert_eq!((clip, crowd.instance_of_block(BlockIndex(69_999)).0), (Some(ClipIndex(69_999)), 69_999));
    }

    #[test]
    fn pose_override_applies_to_chosen_instance() {
        let mut crowd = Crowd::new([0, 1, 2].map(|i| Instance::new(placement(i), None, 0.0)));
        let mut pose = PoseOverride::new();
        pose.set(JointIndex(0), Transform::identity());
        let pose_override = crowd.add_override(pose);
        crowd.set_override(InstanceIndex(1), Some(pose_override));
        assert_eq!([0, 1, 2].map(|i| crowd.override_of(InstanceIndex(i as u32))), [None, Some(pose_override), None]);
        crowd.rebuild_order();
        assert_eq!([0, 1, 2].map(|block| crowd.instance_of_block(BlockIndex(block)).0), [0, 2, 1]);
        crowd.set_override(InstanceIndex(1), None);
        crowd.rebuild_order();
        assert_eq!([0, 1, 2].map(|block| crowd.instance_of_block(BlockIndex(block)).0), [0, 1, 2]);
    }

    #[test]
    fn changed_overrides_are_grouped_once() {
        let count = 500;
        let mut crowd = Crowd::new((0..count).map(|i| Instance::new(placement(i), None, 0.0)));
        let overrides: Vec<_> = (0..count).map(|_| crowd.add_override(PoseOverride::new())).collect();
        overrides.iter().enumerate().for_each(|(i, index)| crowd.set_override(InstanceIndex(i as u32), Some(*index)));
        crowd.rebuild_order();
        assert_eq!(crowd.full_order().plan_runs().count(), 1);
        let allocations = allocation_counter::measure(|| {
            for (i, index) in overrides.iter().enumerate() {
                let translation = Vector3::x() * (i % 2) as f64;
                crowd.override_joint(*index, JointIndex(0), Transform { translation, ..Transform::identity() });
            }
            crowd.rebuild_order();
        });
        assert_eq!(crowd.full_order().plan_runs().count(), 2);
        assert!(allocations.count_total < 10 * count as u64, "{}", allocations.count_total);
    }

    #[test]
    fn removed_override_leaves_its_instances_and_its_index_is_reused() {
        let mut crowd = Crowd::new([0, 1, 2].map(|i| Instance::new(placement(i), None, 0.0)));
        let at = |x: f64| Transform { translation: Vector3::x() * x, ..Transform::identity() };
        let pose = |x| {
            let mut pose = PoseOverride::new();
            pose.set(JointIndex(0), at(x));
            pose
        };
        let [first, second] = [1.0, 2.0].map(|x| crowd.add_override(pose(x)));
        crowd.set_override(InstanceIndex(0), Some(first));
        crowd.set_override(InstanceIndex(1), Some(second));
        crowd.remove_override(first);
        crowd.remove_override(first);
        assert_eq!([0, 1, 2].map(|i| crowd.override_of(InstanceIndex(i as u32))), [None, Some(second), None]);
        let [third, fourth] = [3.0, 4.0].map(|x| crowd.add_override(pose(x)));
        assert!(third == first && fourth != first && fourth != second);
        crowd.set_override(InstanceIndex(2), Some(third));
        crowd.override_joint(second, JointIndex(0), at(3.0));
        assert_eq!(crowd.pose_override(second), crowd.pose_override(third));
        crowd.rebuild_order();
        assert_eq!(crowd.full_order().plan_runs().map(|run| run.blocks).collect::<Vec<_>>(), [0..1, 1..3]);
    }
}
