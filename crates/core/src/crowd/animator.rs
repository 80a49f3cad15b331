//! The per-frame update of a crowd.

use super::culling::FrustumCuller;
use super::instances::Crowd;
use super::plan_cache::PlanCache;
use super::posed_instance::PosedInstance;
use crate::animate::{KernelScratch, PoseJob};
use crate::ik::PoseConstraints;
use crate::math::simd::MAX_LANES;
use crate::math::{Affine, BoundingSphere, Frustum, SimdLevel};
use crate::model::{InstanceIndex, JointIndex};
use crate::palette::{BlockIndex, BlockWriter, Palette, PaletteLayout, Rig, hide_draws};
use crate::pose::{HiddenJoints, ModelPose, Pose};
use crate::util::parallel::*;
use nalgebra::{Matrix3, Vector3};
use std::cell::RefCell;
use std::ops::Range;

/// Instances per parallel task of the SIMD path.
const SIMD_TASK_INSTANCES: usize = 4 * MAX_LANES;

/// Instances per parallel task of the double-precision path.
const REFERENCE_TASK_INSTANCES: usize = 16;

/// Maximum size of a palette that is assumed to stay in the processor's caches.
///
/// A batch writes to as many instances as it has lanes. Memory outside the caches is slow at such scattered writes: without
/// staging, 100,000 instances reach 0.60 to 0.81 of the speed with AVX2 and 0.54 to 0.68 with AVX-512. Non-temporal stores
/// were no faster with AVX-512, and slower with AVX2 and SSE2.
const MAX_CACHED_BYTES: usize = 16 << 20;

thread_local! {
    static SCRATCH: RefCell<KernelScratch> = RefCell::default();
    static HIDDEN_JOINTS: RefCell<HiddenJoints> = RefCell::default();
}

/// Animates crowds of one rig: compiled clips, frustum culling and the resulting palette.
///
/// The SIMD path assigns an instance to each lane and works in single precision. Matrices differ from the reference by at
/// most 2.2e-6 of their magnitude in the sample models; by up to 6.4e-4 where a spline of scales passes through 0. Results do not depend on the number of threads or the [`SimdLevel`].
///
/// ```
/// use rigview_core::crowd::{Crowd, CrowdAnimator};
/// use rigview_core::model::ClipIndex;
/// use rigview_core::palette::Rig;
///
/// # use rigview_core::import::{ImportOptions, open};
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
/// # let model = open(file, &ImportOptions::default()).unwrap().model;
/// let scene = model.default_scene;
/// let rig = Rig::new(model, scene).unwrap();
/// let (mut crowd, mut animator) = (Crowd::single(Some(ClipIndex(0))), CrowdAnimator::new(&rig));
/// for frame in 0..3 {
///     animator.update(&mut crowd, f64::from(frame) / 60.0);
///     // Upload these bytes into the buffer of a buffer texture of format RGBA32F.
///     let bytes: &[u8] = bytemuck::cast_slice(animator.palette().texels());
///     assert_eq!(bytes.len(), 16 * animator.palette().stride_texels());
/// }
/// ```
#[derive(Clone, Debug)]
pub struct CrowdAnimator {
    rig: Rig,
    simd_level: SimdLevel,
    plans: PlanCache,
    constraints: Option<PoseConstraints>,
    culler: Option<FrustumCuller>,
    palette: Palette,
}

impl CrowdAnimator {
    /// Creates an animator with an empty palette.
    pub fn new(rig: &Rig) -> Self {
        Self {
            rig: rig.clone(),
            simd_level: SimdLevel::best(),
            plans: PlanCache::default(),
            constraints: None,
            culler: None,
            palette: Palette::new(rig.layout(), rig.format()),
        }
    }

    /// The rig.
    pub fn rig(&self) -> &Rig {
        &self.rig
    }

    /// Drops the texels of all images of the rig, such as after their upload; see [`Model::drop_texels`](crate::model::Model::drop_texels).
    /// Clones a shared model.
    pub fn drop_texels(&mut self) {
        self.rig.drop_texels();
    }

    /// Matrices and morph weights of the last update.
    pub fn palette(&self) -> &Palette {
        &self.palette
    }

    /// Returns the palette of the last update.
    pub fn into_palette(self) -> Palette {
        self.palette
    }

    /// Selects the instruction set. The default is [`SimdLevel::best`].
    ///
    /// # Panics
    /// If this processor does not support it.
    pub fn set_simd_level(&mut self, level: SimdLevel) {
        assert!(level.is_available(), "this processor does not support {}", level.name());
        self.simd_level = level;
    }

    /// Sets the constraints after sampling, which every update applies; see [`PoseConstraints`]. Their targets are those of the crowd: see
    /// [`Crowd::set_target`] and [`Crowd::set_ground`]. [`Crowd::pose`] is the pose before them, and so are bounds and culling, beside
    /// [`Crowd::set_culling_margin`]. The next update compiles the clips again.
    ///
    /// # Panics
    /// If the constraints are those of another skeleton.
    pub fn set_constraints(&mut self, constraints: Option<PoseConstraints>) {
        let joint_count = self.rig.model().skeleton.len();
        assert!(
            constraints.as_ref().is_none_or(|constraints| constraints.joint_count() == joint_count),
            "constraints of another skeleton"
        );
        (self.constraints, self.plans) = (constraints, PlanCache::default());
    }

    /// The constraints after sampling.
    pub fn constraints(&self) -> Option<&PoseConstraints> {
        self.constraints.as_ref()
    }

    /// Poses every visible instance at the clock's `clock_secs` and writes the palette.
    ///
    /// Palette blocks are in the order of [`Crowd::instance_of_block`]. Compiles clips when a crowd first plays them; see
    /// [`prepare`](Self::prepare).
    ///
    /// # Panics
    /// If the crowd plays a clip, or has a joint mask, that the rig does not have.
    pub fn update(&mut self, crowd: &mut Crowd, clock_secs: f64) {
        self.update_visible(crowd, clock_secs, None);
    }

    /// Like [`update`](Self::update), but calls `modify` with the pose of each visible instance that `selects`, after it is sampled and
    /// before its matrices are written.
    ///
    /// There a program aims heads, plants feet on the ground, or attaches ragdolls. The calls are made by several threads, in any order.
    /// The selected instances are posed in double precision, which takes many times as long as SIMD; the others are not
    /// affected. Culling needs [`Crowd::set_culling_margin`] for vertices that leave the bounds of the pose before. A rig of the format
    /// [`QuatTranslationScale`](crate::palette::MatrixFormat::QuatTranslationScale) holds rotations, translations and uniform scales only.
    ///
    /// `modify` is called after the constraints; a joint that it moves takes the joints below it along as they are, with what constraints
    /// changed in them. It may start work of rayon and update other crowds.
    ///
    /// ```
    /// use rigview_core::crowd::{Crowd, CrowdAnimator, Instance};
    /// use rigview_core::math::Affine;
    /// use rigview_core::model::ClipIndex;
    /// use rigview_core::nalgebra::{UnitQuaternion, Vector3};
    /// use rigview_core::palette::Rig;
    ///
    /// # use rigview_core::import::{ImportOptions, open};
    /// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
    /// # let model = open(file, &ImportOptions::default()).unwrap().model;
    /// let (scene, head) = (model.default_scene, model.skeleton.find("head").unwrap());
    /// let rig = Rig::new(model, scene).unwrap();
    /// let mut crowd = Crowd::new((0..10).map(|_| Instance::new(Affine::IDENTITY, Some(ClipIndex(0)), 0.0)));
    /// let mut animator = CrowdAnimator::new(&rig);
    /// // Three of ten look at a point of the world.
    /// let point = Vector3::new(3.0, 1.0, 4.0);
    /// animator.update_with(&mut crowd, 0.5, |instance| instance.get() < 3, |pose| {
    ///     let Some(model_from_world) = pose.world_from_model().inverse() else { return };
    ///     let mut model_from_head = *pose.model_from_joint(head);
    ///     let forward = model_from_head.linear * Vector3::z();
    ///     let to_point = model_from_world.transform_point(point) - model_from_head.translation;
    ///     if let Some(turn) = UnitQuaternion::rotation_between(&forward, &to_point) {
    ///         model_from_head.linear = turn.to_rotation_matrix() * model_from_head.linear;
    ///         pose.set_model_from_joint(head, model_from_head);
    ///     }
    /// });
    /// ```
    ///
    /// # Panics
    /// If the crowd plays a clip, or has a joint mask, that the rig does not have.
    pub fn update_with(
        &mut self,
        crowd: &mut Crowd,
        clock_secs: f64,
        selects: impl Fn(InstanceIndex) -> bool + Sync,
        modify: impl Fn(&mut PosedInstance<'_>) + Sync,
    ) {
        self.update_visible(crowd, clock_secs, Some(PoseModifier { selects: &selects, modify: &modify }));
    }

    fn update_visible(&mut self, crowd: &mut Crowd, clock_secs: f64, modifier: Option<PoseModifier<'_>>) {
        self.prepare(crowd);
        let count = self.begin_update(crowd);
        let mut texels = self.palette.take_texels(count);
        self.write_blocks(crowd, clock_secs, &mut texels, modifier);
        self.palette.set_texels(texels);
    }

    /// Returns the number of texels that an update of `crowd` writes.
    pub fn texel_count(&self, crowd: &mut Crowd) -> usize {
        crowd.rebuild_order();
        crowd.visible_order().len() * self.palette.stride_texels()
    }

    /// Like [`update`](Self::update), but writes the texels into `texels`, such as the mapped memory of a GPU buffer. The texels of
    /// [`palette`](Self::palette) are empty then.
    ///
    /// # Panics
    /// If `texels` has not [`texel_count`](Self::texel_count) texels, or the crowd plays a clip, or has a joint mask, that the rig does not have.
    pub fn update_into(&mut self, crowd: &mut Crowd, clock_secs: f64, texels: &mut [[f32; 4]]) {
        self.prepare(crowd);
        assert_eq!(texels.len(), self.begin_update(crowd), "texels of another crowd");
        self.palette.set_texels(Vec::new());
        self.write_blocks(crowd, clock_secs, texels, None);
    }

    /// Returns the number of each posed instance and its `world_from_joint`, as of the last [`update`](Self::update) of `crowd`.
    ///
    /// In single precision, in the order of [`Crowd::instance_of_block`]. Zero for joints of hidden meshes.
    ///
    /// ```
    /// use rigview_core::crowd::{Crowd, CrowdAnimator, Instance};
    /// use rigview_core::math::Affine;
    /// use rigview_core::model::{ClipIndex, JointIndex};
    /// use rigview_core::palette::Rig;
    ///
    /// # use rigview_core::import::{ImportOptions, open};
    /// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
    /// # let model = open(file, &ImportOptions::default()).unwrap().model;
    /// // The joint that holds a sword.
    /// let hand = JointIndex(1);
    /// let scene = model.default_scene;
    /// let rig = Rig::new(model, scene).unwrap().with_joints(&[hand]);
    /// let mut crowd = Crowd::new((0..10).map(|_| Instance::new(Affine::IDENTITY, Some(ClipIndex(0)), 0.0)));
    /// let mut animator = CrowdAnimator::new(&rig);
    /// animator.update(&mut crowd, 0.5);
    /// let mut swords = [Affine::IDENTITY; 10];
    /// for (instance, world_from_hand) in animator.joint_matrices(&crowd, hand) {
    ///     swords[instance.get()] = world_from_hand;
    /// }
    /// assert!(swords.iter().all(|world_from_sword| world_from_sword.determinant() > 0.0));
    /// ```
    ///
    /// # Panics
    /// If the palette has no matrix of the joint; see [`Rig::with_joints`].
    pub fn joint_matrices<'a>(
        &'a self,
        crowd: &'a Crowd,
        joint: JointIndex,
    ) -> impl ExactSizeIterator<Item = (InstanceIndex, Affine)> + 'a {
        let (model, layout, format) = (self.rig.model(), self.rig.layout(), self.rig.format());
        let matrices = layout
            .matrix_ranges
            .iter()
            .flat_map(|matrix_range| PaletteLayout::matrices_of(model, matrix_range))
            .enumerate();
        let of_joint = matrices.filter(|(_, (other, _))| *other == joint);
        let inverses = of_joint.filter_map(|(matrix, (_, joint_from_mesh))| Some((matrix, joint_from_mesh.inverse()?)));
        // The last one of the joint itself, without a bind: that of `Rig::with_joints`.
        let found = inverses.max_by_key(|(_, mesh_from_joint)| *mesh_from_joint == Affine::IDENTITY);
        let (matrix, mesh_from_joint) = found.expect("a joint with a matrix; see `Rig::with_joints`");
        let first = matrix * format.texels_per_matrix();
        (0..self.palette.texels().len() / self.palette.stride_texels()).map(move |block| {
            let block = BlockIndex(block as u32);
            let rows = format.read(&self.palette.block(block)[first..first + format.texels_per_matrix()]);
            let linear = Matrix3::from_fn(|row, column| f64::from(rows[row][column]));
            let translation = Vector3::from_fn(|row, _| f64::from(rows[row][3]));
            (crowd.instance_of_block(block), Affine { linear, translation } * mesh_from_joint)
        })
    }

    /// Begins an update of the palette, and returns the number of its texels.
    fn begin_update(&mut self, crowd: &Crowd) -> usize {
        self.palette.begin_update(crowd.visible_order().len(), crowd.len(), self.rig.layout().matrix_ranges.len())
    }

    /// Poses the visible instances by SIMD.
    fn write_blocks(
        &mut self,
        crowd: &Crowd,
        clock_secs: f64,
        texels: &mut [[f32; 4]],
        modifier: Option<PoseModifier<'_>>,
    ) {
        let Self { rig, simd_level, palette, constraints, .. } = self;
        let constraints = constraints.as_ref();
        let (stride, flags, order) = (palette.stride_texels(), palette.flags(), crowd.visible_order());
        let fits_cache = size_of_val(texels) <= MAX_CACHED_BYTES;
        let update = Update { crowd, clock_secs, stride, constraints, writer: BlockWriter { rig, flags } };
        run_tasks(texels, stride, SIMD_TASK_INSTANCES, |first, texels| {
            let blocks = first..first + texels.len() / stride;
            for run in order.plan_runs_within(blocks.clone()) {
                let texels = &mut texels[(run.blocks.start - first) * stride..(run.blocks.end - first) * stride];
                let Some(plan) = crowd.plans.plan(run.animation_set) else {
                    update.write_in_double_precision(run.blocks, texels);
                    continue;
                };
                // A query of the ground may start another update on this thread.
                let mut scratch = SCRATCH.take();
                let instances = order.instances(run.blocks);
                simd_level.dispatch(PoseJob {
                    plan,
                    constraints: constraints.map(|constraints| (constraints, crowd.targets(), *simd_level)),
                    data: &crowd.data,
                    rotation_of: &|instance, joint| crowd.override_rotation(InstanceIndex(instance as u32), joint),
                    instances,
                    texels,
                    fits_cache,
                    clock_secs,
                    scratch: &mut scratch,
                });
                SCRATCH.set(scratch);
            }
            if let Some(modifier) = modifier {
                update.modify(blocks, texels, modifier);
            }
        });
        for plan in order.plan_runs().filter_map(|run| crowd.plans.plan(run.animation_set)) {
            for (matrix_range, mirroring) in plan.mirroring_with(crowd.placement_signs).enumerate() {
                flags.record(matrix_range, mirroring);
            }
        }
        self.finish(crowd, clock_secs, texels);
    }

    /// Like [`update`](Self::update), but in double precision and without SIMD.
    ///
    /// # Panics
    /// If the crowd plays a clip, or has a joint mask, that the rig does not have.
    pub fn update_in_double_precision(&mut self, crowd: &mut Crowd, clock_secs: f64) {
        crowd.rebuild_order();
        let count = self.begin_update(crowd);
        let mut texels = self.palette.take_texels(count);
        let stride = self.palette.stride_texels();
        let writer = BlockWriter { rig: &self.rig, flags: self.palette.flags() };
        let update = Update { crowd, clock_secs, stride, constraints: self.constraints.as_ref(), writer };
        run_tasks(&mut texels, stride, REFERENCE_TASK_INSTANCES, |first, texels| {
            update.write_in_double_precision(first..first + texels.len() / stride, texels);
        });
        self.finish(crowd, clock_secs, &mut texels);
        self.palette.set_texels(texels);
    }

    /// Packs the keys of the clips that `crowd` plays, each once, and compiles the plans of their blends.
    ///
    /// [`update`](Self::update) does this when needed; call it to choose the time. Some instances use the double-precision path
    /// instead: those whose values exceed 1e12, those that the rig's matrix format cannot hold, and those whose morph
    /// weights are overridden.
    pub fn prepare(&mut self, crowd: &mut Crowd) {
        crowd.rebuild_order();
        self.plans.prepare(&self.rig, self.constraints.as_ref(), crowd);
    }

    /// Restricts updates to the instances that intersect `frustum`, or lifts the restriction for `None`.
    ///
    /// Returns `true` if the visible set changed. Conservative: never culls a vertex that is visible at any time, if constraints and
    /// [`update_with`](Self::update_with) move it by the [margin](Crowd::set_culling_margin) at most. Ignores shadows cast from outside the
    /// frustum.
    pub fn cull(&mut self, crowd: &mut Crowd, frustum: Option<&Frustum>) -> bool {
        match frustum {
            Some(frustum) => self.culler_for(crowd).cull(crowd, frustum),
            None => {
                crowd.rebuild_order();
                crowd.clear_visibility()
            }
        }
    }

    /// Returns a sphere in world space that contains an instance at all times.
    pub fn bounding_sphere(&mut self, crowd: &mut Crowd, instance: InstanceIndex) -> BoundingSphere {
        self.culler_for(crowd);
        crowd.bounding_sphere(instance)
    }

    /// Returns for each matrix range of the layout the largest factor by which joints scale distances, at any time of any instance.
    pub fn range_scales<'a>(&mut self, crowd: &'a mut Crowd) -> &'a [f64] {
        self.culler_for(crowd);
        &crowd.bounds.range_scales
    }

    /// Updates the bounds of `crowd` and returns the culler.
    fn culler_for(&mut self, crowd: &mut Crowd) -> &mut FrustumCuller {
        crowd.rebuild_order();
        let culler = self.culler.get_or_insert_with(|| FrustumCuller::new(&self.rig));
        culler.update_bounds(&self.rig, crowd);
        culler
    }

    /// Number of instances of `crowd` that use the SIMD path, as of the last [`prepare`](Self::prepare).
    pub fn simd_instance_count(&self, crowd: &Crowd) -> usize {
        let plan_runs = crowd.full_order().plan_runs();
        plan_runs.filter(|run| crowd.plans.plan(run.animation_set).is_some()).map(|run| run.blocks.len()).sum()
    }

    /// Maximum number of animated joints over the compiled plans.
    pub fn animated_joint_count(&self) -> usize {
        self.plans.plans().map(|plan| plan.nodes.len()).max().unwrap_or(0)
    }

    /// Size of the packed keys of all clips that were played.
    pub fn packed_key_bytes(&self) -> usize {
        self.plans.packed_key_bytes()
    }

    #[cfg(test)]
    pub(super) fn plan_count(&self) -> usize {
        self.plans.plans().count()
    }

    /// Updates mirroring, animated properties and visibility after all blocks are written.
    fn finish(&mut self, crowd: &Crowd, clock_secs: f64, texels: &mut [[f32; 4]]) {
        let Self { rig, palette, .. } = self;
        palette.collect_mirroring();
        let first = (!crowd.is_empty()).then(|| crowd.animated_properties(InstanceIndex(0), rig.model(), clock_secs));
        palette.set_animated_properties(first.unwrap_or_default());
        if !rig.can_hide_joints() {
            return;
        }
        let (order, stride) = (crowd.visible_order(), palette.stride_texels());
        run_tasks(texels, stride, REFERENCE_TASK_INSTANCES, |first, texels| {
            let instances = order.instances(first..first + texels.len() / stride);
            HIDDEN_JOINTS.with_borrow_mut(|hidden| {
                for (instance, block) in instances.iter().zip(texels.chunks_mut(stride)) {
                    crowd.with_layers(instance, |layers| hidden.sample(rig.model(), layers, clock_secs));
                    if !hidden.is_empty() {
                        hide_draws(rig, hidden, block);
                    }
                }
            });
        });
    }
}

/// Changes the poses of some instances.
#[derive(Clone, Copy)]
struct PoseModifier<'a> {
    selects: &'a (dyn Fn(InstanceIndex) -> bool + Sync),
    modify: &'a (dyn Fn(&mut PosedInstance<'_>) + Sync),
}

/// Inputs of one update.
struct Update<'a> {
    crowd: &'a Crowd,
    clock_secs: f64,
    /// Texels per instance.
    stride: usize,
    constraints: Option<&'a PoseConstraints>,
    writer: BlockWriter<'a>,
}

impl Update<'_> {
    /// Poses a range of blocks in double precision.
    fn write_in_double_precision(&self, blocks: Range<usize>, texels: &mut [[f32; 4]]) {
        let instances = self.crowd.visible_order().instances(blocks);
        for (instance, block) in instances.iter().zip(texels.chunks_mut(self.stride)) {
            self.write_block(instance, block, |_, _, _| {});
        }
    }

    /// Poses the selected instances of a range of blocks again, in double precision, and modifies their poses.
    fn modify(&self, blocks: Range<usize>, texels: &mut [[f32; 4]], modifier: PoseModifier<'_>) {
        let instances = self.crowd.visible_order().instances(blocks);
        for (instance, block) in instances.iter().zip(texels.chunks_mut(self.stride)) {
            if (modifier.selects)(instance) {
                let skeleton = &self.writer.rig.model().skeleton;
                self.write_block(instance, block, |world_from_model, pose, model_pose| {
                    (modifier.modify)(&mut PosedInstance { instance, skeleton, world_from_model, pose, model_pose });
                });
            }
        }
    }

    fn write_block(
        &self,
        instance: InstanceIndex,
        block: &mut [[f32; 4]],
        modify: impl FnOnce(&Affine, &Pose, &mut ModelPose),
    ) {
        self.crowd.with_reference(instance, |reference| {
            let world_from_model = &reference.world_from_model;
            let modify = |pose: &Pose, model_pose: &mut ModelPose| {
                if let Some(constraints) = self.constraints {
                    constraints.apply(self.crowd.targets(), instance, world_from_model, model_pose);
                }
                modify(world_from_model, pose, model_pose);
            };
            reference.write_block(self.writer, self.clock_secs, block, modify);
        });
    }
}

/// Splits `texels` into tasks and runs them in parallel. Passes the first block and the texels of each task to `run`.
///
/// The task size is fixed, so that the split does not depend on the number of threads.
fn run_tasks(
    texels: &mut [[f32; 4]],
    stride: usize,
    instances_per_task: usize,
    run: impl Fn(usize, &mut [[f32; 4]]) + Sync,
) {
    // The blocks of an empty layout have no texels.
    if stride == 0 {
        return;
    }
    let task_texels = stride * instances_per_task;
    let run = |(task, texels): (usize, &mut [[f32; 4]])| run(task * instances_per_task, texels);
    if texels.len() <= task_texels || current_num_threads() == 1 {
        texels.chunks_mut(task_texels).enumerate().for_each(run);
    } else {
        texels.par_chunks_mut(task_texels).enumerate().for_each(run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crowd::Instance;
    use crate::import::{ImageLoading, ImportOptions, open};
    use crate::math::Transform;
    use crate::model::{
        Clip, ClipIndex, InstanceIndex, Interpolation, Joint, JointMask, JointMaskIndex, KeyValues, Mesh, MeshIndex,
        MeshNode, Model, Scene, SceneIndex, Skeleton, Timeline, Track,
    };
    use crate::palette::MatrixFormat;
    use crate::pose::{Layer, LayerMode, LayerScratch, Playback, PoseOverride};
    use crate::util::hash::{FNV_OFFSET_BASIS, fnv1a};
    use nalgebra::UnitQuaternion;
    use std::path::Path;

    /// Hash of the palettes of a crowd of a shipped model at several times.
    fn palette_hash(name: &str, format: MatrixFormat) -> u64 {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name);
        let options = ImportOptions::default().with_images(ImageLoading::Skip);
        let model = open(&file, &options).expect("a shipped model").model;
        let clip_count = model.clips.len() as u32;
        let rig = Rig::new(model.clone(), model.default_scene).unwrap().with_format(format);
        let instances = (0..37_u32).map(|i| {
            let place = Transform {
                translation: Vector3::new(f64::from(i) * 1.7, 0.0, f64::from(i % 5)),
                rotation: UnitQuaternion::from_euler_angles(0.0, 0.31 * f64::from(i), 0.0),
                scale: Vector3::repeat(1.0 + 0.01 * f64::from(i)),
            };
            Instance::new(place.to_affine(), Some(ClipIndex(i % clip_count)), 0.13 * f64::from(i))
        });
        let mut crowd = Crowd::new(instances);
        let mut animator = CrowdAnimator::new(&rig);
        [0.0, 0.37, 1.91, 12.5].into_iter().fold(FNV_OFFSET_BASIS, |hash, clock_secs| {
            animator.update(&mut crowd, clock_secs);
            let texels = animator.palette().texels();
            fnv1a(hash, texels.iter().flatten().flat_map(|x| x.to_bits().to_le_bytes()))
        })
    }

    #[test]
    fn palettes_have_same_bits_on_every_architecture() {
        let hash =
            |name| [MatrixFormat::QuatTranslationScale, MatrixFormat::Mat3x4].map(|format| palette_hash(name, format));
        let expected = [[0xB0F5_283A_5BCD_A566, 0x85FF_0593_610C_45DE], [0x5908_0751_4045_91E8, 0xC25B_F3A8_7D5A_C910]];
        assert_eq!([hash("windmill.glb"), hash("hare.glb")], expected);
    }

    fn shipped(name: &str) -> Rig {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name);
        let options = ImportOptions::default().with_images(ImageLoading::Skip);
        let model = open(&file, &options).expect("a shipped model").model;
        let scene = model.default_scene;
        Rig::new(model, scene).unwrap()
    }

    fn placed(i: u32) -> Instance {
        let place = Transform {
            translation: Vector3::new(f64::from(i) * 1.7, 0.0, f64::from(i % 5)),
            rotation: UnitQuaternion::from_euler_angles(0.0, 0.31 * f64::from(i), 0.0),
            scale: Vector3::repeat(1.0 + 0.01 * f64::from(i)),
        };
        Instance::new(place.to_affine(), Some(ClipIndex(0)), 0.13 * f64::from(i))
    }

    #[test]
    fn crowd_that_changes_equals_a_new_crowd() {
        let rig = shipped("hare.glb");
        let sheared = |i: u32| {
            let mut map = placed(i).world_from_model;
            map.linear[(0, 1)] += 0.5;
            map
        };
        let (mut changing, mut animator) = (Crowd::new([]), CrowdAnimator::new(&rig));
        animator.update(&mut changing, 0.0);
        assert!(changing.is_empty() && animator.palette().texels().is_empty());
        changing.reserve(40);
        (0..40).for_each(|i| assert_eq!(changing.push(placed(i)), InstanceIndex(i)));
        animator.update(&mut changing, 0.2);
        // The last one takes the place of the removed one.
        let mut expected: Vec<Instance> = (0..40).map(placed).collect();
        for removed in [3, 38, 0] {
            changing.swap_remove(InstanceIndex(removed as u32));
            expected.swap_remove(removed);
        }
        for (moved, map) in
            [(5, placed(90).world_from_model), (7, sheared(7)), (8, sheared(1)), (8, placed(2).world_from_model)]
        {
            changing.set_world_from_model(InstanceIndex(moved as u32), &map);
            expected[moved].world_from_model = map;
        }
        changing.push(placed(70));
        expected.push(placed(70));
        let mut built = Crowd::new(expected);
        let mut fresh = CrowdAnimator::new(&rig);
        for clock_secs in [0.2, 0.9] {
            animator.update(&mut changing, clock_secs);
            fresh.update(&mut built, clock_secs);
            assert_eq!(animator.simd_instance_count(&changing), fresh.simd_instance_count(&built));
            let found = animator.palette().texels().iter().flatten();
            let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-5 * (1.0 + b.abs());
            assert!(found.zip(fresh.palette().texels().iter().flatten()).all(is_near), "at {clock_secs} s");
            let spheres = |animator: &mut CrowdAnimator, crowd: &mut Crowd| {
                (0..crowd.len()).map(|i| animator.bounding_sphere(crowd, InstanceIndex(i as u32))).collect::<Vec<_>>()
            };
            let (found, expected) = (spheres(&mut animator, &mut changing), spheres(&mut fresh, &mut built));
            let is_near = |(a, b): (&BoundingSphere, &BoundingSphere)| {
                (a.center - b.center).amax() + (a.radius - b.radius).abs() < 1e-4
            };
            assert!(found.iter().zip(&expected).all(is_near), "at {clock_secs} s");
        }
    }

    #[test]
    fn update_into_writes_the_texels_of_update() {
        let rig = shipped("hare.glb");
        let (mut crowd, mut animator) = (Crowd::new((0..30).map(placed)), CrowdAnimator::new(&rig));
        animator.update(&mut crowd, 0.4);
        let (expected, mirroring) = (animator.palette().texels().to_vec(), animator.palette().mirroring().to_vec());
        let mut texels = vec![[f32::NAN; 4]; animator.texel_count(&mut crowd)];
        animator.update_into(&mut crowd, 0.4, &mut texels);
        assert_eq!(texels, expected);
        assert_eq!((animator.palette().mirroring(), animator.palette().texels().len()), (&mirroring[..], 0));
        assert_eq!(animator.palette().instance_count(), 30);
    }

    #[test]
    fn joint_matrices_are_those_of_the_pose_at_every_simd_level() {
        for (name, format) in [("windmill.glb", MatrixFormat::QuatTranslationScale), ("hare.glb", MatrixFormat::Mat3x4)]
        {
            let rig = shipped(name).with_format(format);
            let model = rig.model();
            for joint in (0..model.skeleton.len() as u32).map(JointIndex) {
                let rig = rig.with_joints(&[joint]);
                let (mut crowd, mut animator) = (Crowd::new((0..19).map(placed)), CrowdAnimator::new(&rig));
                let mut of_levels = SimdLevel::ALL.into_iter().filter(|level| level.is_available()).map(|level| {
                    animator.set_simd_level(level);
                    animator.update(&mut crowd, 0.7);
                    animator.joint_matrices(&crowd, joint).collect::<Vec<_>>()
                });
                let found = of_levels.next().unwrap();
                assert!(of_levels.all(|other| other == found), "{joint:?}");
                let (mut pose, mut model_pose) = (Pose::default(), ModelPose::default());
                assert_eq!(found.len(), 19);
                for (instance, map) in found {
                    crowd.pose(instance, model, 0.7, &mut LayerScratch::default(), &mut pose);
                    model_pose.update(&model.skeleton, &pose);
                    let expected = crowd.placement(instance) * *model_pose.model_from_joint(joint);
                    let off = (map.linear - expected.linear).amax() / expected.linear.amax();
                    let moved = (map.translation - expected.translation).amax() / (1.0 + expected.translation.amax());
                    assert!(off < 2e-6 && moved < 2e-6, "{name}: {joint:?} of {instance}: {off:e}, {moved:e}");
                }
            }
        }
    }

    #[test]
    fn rotations_of_overrides_differ_per_lane() {
        for (name, format) in [("windmill.glb", MatrixFormat::QuatTranslationScale), ("hare.glb", MatrixFormat::Mat3x4)]
        {
            let rig = shipped(name).with_format(format);
            let joint_count = rig.model().skeleton.len() as u32;
            let joints = [joint_count / 4, joint_count / 2].map(JointIndex);
            let mut crowd = Crowd::new((0..40).map(placed));
            // Some instances blend two clips, some have no override.
            let layers = [
                crowd.layers(InstanceIndex(0)).next().unwrap(),
                Layer { clip: Some(ClipIndex(1)), ..crowd.layers(InstanceIndex(1)).next().unwrap() },
            ];
            (0..40).step_by(3).for_each(|i| {
                crowd.set_layers(InstanceIndex(i as u32), &layers.map(|layer| Layer { weight: 0.5, ..layer }))
            });
            let turned = |i: usize, clock_secs: f64| {
                let mut pose = PoseOverride::new();
                for joint in joints {
                    let rotation = UnitQuaternion::from_euler_angles(0.1 * i as f64, clock_secs, -0.07 * i as f64);
                    pose.set(joint, Transform { rotation, ..rig.model().skeleton.joint(joint).rest });
                }
                pose
            };
            let overrides: Vec<_> = (4..40).map(|i| (i, crowd.add_override(turned(i, 0.0)))).collect();
            overrides.iter().for_each(|&(i, index)| crowd.set_override(InstanceIndex(i as u32), Some(index)));
            let (mut simd, mut reference) = (CrowdAnimator::new(&rig), CrowdAnimator::new(&rig));
            simd.update(&mut crowd, 0.0);
            let revision = crowd.revision();
            for clock_secs in [0.3, 1.7] {
                overrides.iter().for_each(|&(i, index)| crowd.update_override(index, turned(i, clock_secs)));
                simd.update(&mut crowd, clock_secs);
                assert_eq!(simd.simd_instance_count(&crowd), 40);
                reference.update_in_double_precision(&mut crowd, clock_secs);
                let pairs = simd.palette().texels().iter().flatten().zip(reference.palette().texels().iter().flatten());
                // A quaternion and its negative are one rotation.
                let off = pairs.map(|(a, b)| (a - b).abs().min((a + b).abs()) / (1.0 + b.abs())).fold(0.0, f32::max);
                assert!(off < 1e-5, "{format:?} at {clock_secs} s: {off:e}");
            }
            assert_eq!(crowd.revision(), revision, "rotations compile nothing");
        }
    }

    #[test]
    fn masked_and_additive_layers_match_double_precision_and_stay_in_bounds() {
        for (name, format) in [("windmill.glb", MatrixFormat::QuatTranslationScale), ("hare.glb", MatrixFormat::Mat3x4)]
        {
            let mut model = shipped(name).model().clone();
            let joint = |i: usize| JointIndex((i % model.skeleton.len()) as u32);
            let mut mask = JointMask::subtree(&model.skeleton, joint(1));
            mask.set(joint(2), 0.25);
            let other = JointMask::subtree(&model.skeleton, joint(3));
            model.joint_masks = vec![mask, other];
            let (clip_count, scene) = (model.clips.len() as u32, model.default_scene);
            let rig = Rig::new(model, scene).unwrap().with_format(format);
            let mut crowd = Crowd::new((0..60).map(placed));
            for i in 0..60 {
                let layer = |k: u32| {
                    Layer::new(Some(ClipIndex((i as u32 + k) % clip_count)), Playback::looping(0.1 * k as f64))
                };
                let (mask, mode) = (Some(JointMaskIndex(i as u32 % 2)), LayerMode::Additive);
                let weight = 0.03 * i as f32;
                let layers = match i % 4 {
                    0 => vec![layer(0), Layer { weight, mask, ..layer(1) }],
                    1 => vec![layer(0), Layer { weight, mode, ..layer(1) }],
                    2 => vec![Layer { weight, mode, mask, ..layer(0) }, layer(1), Layer { weight, mask, ..layer(2) }],
                    _ => vec![Layer { weight, mode, ..layer(0) }],
                };
                crowd.set_layers(InstanceIndex(i as u32), &layers);
                assert_eq!(crowd.layers(InstanceIndex(i as u32)).collect::<Vec<_>>(), layers);
            }
            let (mut simd, mut reference) = (CrowdAnimator::new(&rig), CrowdAnimator::new(&rig));
            for clock_secs in [0.0, 0.3, 1.7] {
                simd.update(&mut crowd, clock_secs);
                assert_eq!(simd.simd_instance_count(&crowd), 60);
                reference.update_in_double_precision(&mut crowd, clock_secs);
                let pairs = simd.palette().texels().iter().flatten().zip(reference.palette().texels().iter().flatten());
                // A quaternion and its negative are one rotation.
                let off = pairs.map(|(a, b)| (a - b).abs().min((a + b).abs()) / (1.0 + b.abs())).fold(0.0, f32::max);
                assert!(off < 1e-5, "{format:?} at {clock_secs} s: {off:e}");
                let found = simd.palette().texels().to_vec();
                for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
                    simd.set_simd_level(level);
                    simd.update(&mut crowd, clock_secs);
                    assert!(simd.palette().texels() == found, "{}", level.name());
                }
                let (mut pose, mut model_pose) = (Pose::default(), ModelPose::default());
                for instance in 0..60 {
                    let sphere = simd.bounding_sphere(&mut crowd, InstanceIndex(instance as u32));
                    crowd.pose(
                        InstanceIndex(instance as u32),
                        rig.model(),
                        clock_secs,
                        &mut LayerScratch::default(),
                        &mut pose,
                    );
                    model_pose.update(&rig.model().skeleton, &pose);
                    for draw in rig.layout().draws.iter().filter(|draw| !draw.skinned) {
                        let mesh = &rig.model().meshes[draw.mesh.get()].primitives[draw.primitive];
                        let map =
                            crowd.placement(InstanceIndex(instance as u32)) * *model_pose.model_from_joint(draw.joint);
                        for position in mesh.vertices.positions.iter().step_by(7) {
                            let at = map.transform_point(Vector3::from(*position).cast());
                            assert!((at - sphere.center).norm() <= sphere.radius, "{name}: {instance}");
                        }
                    }
                }
            }
        }
    }

    /// A model with the first clip, and with a clip for the tracks of each joint in it. Morph weights have a clip of their own.
    fn with_a_clip_per_joint(name: &str) -> (Model, Vec<ClipIndex>) {
        let mut model = shipped(name).model().clone();
        let whole = model.clips.swap_remove(0);
        let key = |track: &Track| (track.joint.0, matches!(track.keys, KeyValues::Weights(_)));
        let mut keys: Vec<_> = whole.tracks.iter().map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        let part = |of: &(u32, bool)| {
            let tracks = whole.tracks.iter().filter(|track| key(track) == *of).cloned().collect();
            Clip { tracks, ..whole.clone() }
        };
        let parts: Vec<Clip> = keys.iter().map(part).collect();
        let indices = (1..=parts.len() as u32).map(ClipIndex).collect();
        model.clips = std::iter::once(whole).chain(parts).collect();
        (model, indices)
    }

    #[test]
    fn clips_of_different_joints_play_in_full_together() {
        for (name, format) in [("windmill.glb", MatrixFormat::QuatTranslationScale), ("hare.glb", MatrixFormat::Mat3x4)]
        {
            let (model, parts) = with_a_clip_per_joint(name);
            assert!(parts.len() > 2, "{name}: {}", parts.len());
            let scene = model.default_scene;
            let rig = Rig::new(model, scene).unwrap().with_format(format);
            let mut whole = Crowd::new((0..20).map(placed));
            // With weights above 1, and with the whole clip, which animates each joint with one of the others.
            for (weight, has_whole) in [(1.0, false), (2.5, false), (1.0, true)] {
                let mut together = Crowd::new((0..20).map(placed));
                for instance in together.indices() {
                    let playback = Playback::looping(0.13 * f64::from(instance.0));
                    let layer = |clip, weight| Layer { weight, ..Layer::new(Some(clip), playback) };
                    let others = parts.iter().map(|part| layer(*part, weight));
                    let layers = others.chain(has_whole.then(|| layer(ClipIndex(0), 1.0))).collect::<Vec<_>>();
                    together.set_layers(instance, &layers);
                    assert_eq!(together.layers(instance).collect::<Vec<_>>(), layers);
                    whole.set_layers(instance, &[layer(ClipIndex(0), 1.0)]);
                }
                for clock_secs in [0.0, 0.3, 1.7] {
                    let [mut expected, mut simd, mut reference] = [(); 3].map(|()| CrowdAnimator::new(&rig));
                    expected.update_in_double_precision(&mut whole, clock_secs);
                    simd.update(&mut together, clock_secs);
                    assert_eq!(simd.simd_instance_count(&together), 20);
                    reference.update_in_double_precision(&mut together, clock_secs);
                    let texels = |animator: &CrowdAnimator| animator.palette().texels().as_flattened().to_vec();
                    let off = [simd, reference].map(|animator| {
                        let pairs = texels(&animator).into_iter().zip(texels(&expected));
                        // A quaternion and its negative are one rotation.
                        pairs.map(|(a, b)| (a - b).abs().min((a + b).abs()) / (1.0 + b.abs())).fold(0.0, f32::max)
                    });
                    assert!(off[0] < 1e-5 && off[1] < 1e-6, "{name} at {clock_secs} s: {off:?}");
                }
            }
        }
    }

    #[test]
    fn joints_that_a_faded_clip_does_not_animate_fade_to_rest() {
        let (model, parts) = with_a_clip_per_joint("hare.glb");
        let still = Clip { name: None, ..Clip::default() };
        let mut model = model;
        model.clips.push(still);
        let still = ClipIndex(model.clips.len() as u32 - 1);
        let layer = |clip, weight| Layer { weight, ..Layer::new(Some(clip), Playback::looping(0.0)) };
        let (mut scratch, mut pose, mut expected) = (LayerScratch::default(), Pose::default(), Pose::default());
        let mut at = |layers: &[Layer], pose: &mut Pose| {
            crate::pose::sample_layers(&model, layers, 0.7, &mut scratch, pose);
        };
        // Below a sum of 1, a clip without tracks is the rest pose.
        at(&[layer(parts[0], 0.25), layer(still, 0.75)], &mut pose);
        at(&[layer(parts[0], 0.25)], &mut expected);
        assert_eq!(pose.parent_from_joint, expected.parent_from_joint);
        // Above 1, it has what the others leave.
        at(&[layer(parts[0], 0.25), layer(still, 40.0)], &mut pose);
        let is_near = |a: &Transform, b: &Transform| {
            (a.translation - b.translation).amax() < 1e-12 && a.rotation.angle_to(&b.rotation) < 1e-7
        };
        assert!(pose.parent_from_joint.iter().zip(&expected.parent_from_joint).all(|(a, b)| is_near(a, b)));
    }

    #[test]
    fn modified_joints_move_with_their_descendants_and_others_stay() {
        for (name, format) in [("windmill.glb", MatrixFormat::QuatTranslationScale), ("hare.glb", MatrixFormat::Mat3x4)]
        {
            let all: Vec<JointIndex> = (0..shipped(name).model().skeleton.len() as u32).map(JointIndex).collect();
            let rig = shipped(name).with_format(format).with_joints(&all);
            let skeleton = &rig.model().skeleton;
            let (moved, place) = (all[all.len() / 3], placed(77).world_from_model);
            let (mut crowd, mut animator) = (Crowd::new((0..40).map(placed)), CrowdAnimator::new(&rig));
            animator.update(&mut crowd, 0.7);
            let before: Vec<Vec<(InstanceIndex, Affine)>> =
                all.iter().map(|joint| animator.joint_matrices(&crowd, *joint).collect()).collect();
            let modify = |pose: &mut PosedInstance<'_>| {
                let model_from_joint = place * *pose.model_from_joint(moved);
                pose.set_model_from_joint(moved, model_from_joint);
                let placement = Crowd::new([placed(pose.instance().0)]).placement(InstanceIndex(0));
                assert_eq!(*pose.world_from_model(), placement);
            };
            animator.update_with(&mut crowd, 0.7, |instance| instance.0 % 3 == 1, modify);
            let mut follows = vec![false; all.len()];
            for (joint, before) in all.iter().zip(before) {
                let parent = skeleton.joint(*joint).parent;
                follows[joint.get()] = *joint == moved || parent.is_some_and(|parent| follows[parent.get()]);
                for ((instance, found), (_, before)) in animator.joint_matrices(&crowd, *joint).zip(before) {
                    let placement = crowd.placement(instance);
                    let change = if instance.0 % 3 == 1 && follows[joint.get()] { place } else { Affine::IDENTITY };
                    let expected = placement * change * placement.inverse().unwrap() * before;
                    let off = (found.linear - expected.linear).amax() / expected.linear.amax();
                    let away = (found.translation - expected.translation).amax() / (1.0 + expected.translation.amax());
                    assert!(off < 1e-5 && away < 1e-5, "{name}: {joint:?} of {instance}: {off:e}, {away:e}");
                }
            }
        }
    }

    #[test]
    fn bounds_stay_while_an_override_turns_a_joint() {
        let rig = shipped("hare.glb");
        let head = rig.model().skins[0].joints[1];
        let rest = rig.model().skeleton.joint(head).rest;
        let (mut crowd, mut animator) = (Crowd::new((0..3).map(placed)), CrowdAnimator::new(&rig));
        let turned = |angle: f64| {
            let mut pose = PoseOverride::new();
            pose.set(head, Transform { rotation: UnitQuaternion::from_euler_angles(angle, 0.0, 0.3), ..rest });
            pose
        };
        let index = crowd.add_override(turned(0.0));
        crowd.set_override(InstanceIndex(1), Some(index));
        let sphere = animator.bounding_sphere(&mut crowd, InstanceIndex(1));
        let revision = crowd.revision();
        for angle in [0.5, 1.5, 3.0] {
            crowd.update_override(index, turned(angle));
            assert_eq!(animator.bounding_sphere(&mut crowd, InstanceIndex(1)), sphere);
        }
        assert_eq!(crowd.revision(), revision);
        let mut moved = PoseOverride::new();
        moved.set(head, Transform { translation: rest.translation + Vector3::new(9.0, 0.0, 0.0), ..rest });
        crowd.update_override(index, moved);
        assert!(animator.bounding_sphere(&mut crowd, InstanceIndex(1)).radius > sphere.radius + 1.0);
    }

    /// A joint with a mesh, which two clips translate and scale. The tracks of a clip share a timeline if `is_shared`.
    fn translated_and_scaled(is_shared: bool, interpolation: Interpolation) -> Model {
        let clip = |size: f32| {
            let value = |i: usize| Vector3::new(1.0, -2.0, 3.0) * size * (i + 1) as f32;
            let count = 2 * interpolation.values_per_key();
            let track = |timeline: u32, keys: KeyValues| Track {
                joint: JointIndex(0),
                timeline: timeline.into(),
                interpolation,
                keys,
            };
            let scales = (0..count).map(|i| Vector3::repeat(size + i as f32));
            Clip {
                duration_secs: 1.0,
                timelines: vec![Timeline::new([0.0, 1.0]); 2],
                tracks: vec![
                    track(0, KeyValues::Translation((0..count).map(value).collect())),
                    track(u32::from(!is_shared), KeyValues::Scale(scales.collect())),
                ],
                ..Clip::default()
            }
        };
        let rest = Transform::identity();
        let joint = Joint { name: None, node: 0, parent: None, rest, exact_rest_matrix: None, morph_weights: 0..0 };
        let mesh_node = MeshNode { joint: JointIndex(0), mesh: MeshIndex(0), skin: None };
        Model {
            skeleton: Skeleton::new(vec![joint], Vec::new()),
            meshes: vec![Mesh::default()],
            scenes: vec![Scene { mesh_nodes: vec![mesh_node], ..Scene::default() }],
            clips: vec![clip(0.5), clip(1.5)],
            ..Model::default()
        }
    }

    #[test]
    fn scales_with_the_key_times_of_translations_are_packed_with_them() {
        use Interpolation::{CubicSpline, Linear, Step};
        for interpolation in [Linear, Step, CubicSpline] {
            let [shared, separate] = [true, false].map(|is_shared| {
                let rig = Rig::new(translated_and_scaled(is_shared, interpolation), SceneIndex(0)).unwrap();
                let rig = rig.with_format(MatrixFormat::QuatTranslationScale);
                let instance = |i: u32| Instance::new(Affine::IDENTITY, Some(ClipIndex(i % 2)), 0.06 * f64::from(i));
                let mut crowd = Crowd::new((0..20).map(instance));
                let layers: Vec<Layer> = crowd.layers(InstanceIndex(0)).chain(crowd.layers(InstanceIndex(1))).collect();
                (16..20).for_each(|i| crowd.set_layers(InstanceIndex(i as u32), &layers));
                let mut animator = CrowdAnimator::new(&rig);
                animator.update_in_double_precision(&mut crowd, 0.1);
                let reference = animator.palette().texels().to_vec();
                animator.update(&mut crowd, 0.1);
                assert_eq!(animator.simd_instance_count(&crowd), 20);
                for (a, b) in animator.palette().texels().iter().flatten().zip(reference.iter().flatten()) {
                    assert!((a - b).abs() <= 1e-6 * (1.0 + b.abs()), "{interpolation:?}: {a} instead of {b}");
                }
                animator.packed_key_bytes()
            });
            // Two of four vectors per key, but for splines.
            assert_eq!(shared, if interpolation == CubicSpline { separate } else { separate / 2 });
        }
    }
}
