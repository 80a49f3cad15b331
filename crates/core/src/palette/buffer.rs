//! The texel buffer of a palette.

use super::layout::PaletteLayout;
use super::matrix_format::MatrixFormat;
use super::mirroring::{MirrorFlags, Mirroring};
use super::rig::Rig;
use crate::math::Affine;
use crate::memory::advise_huge_pages;
use crate::model::{JointIndex, index_type};
use crate::pose::{AnimatedProperties, HiddenJoints, ModelPose, Pose};
use std::sync::atomic::{AtomicU64, Ordering};

/// Matrices and morph weights of every posed instance, as a shader reads them.
///
/// [`CrowdAnimator::update`](crate::crowd::CrowdAnimator::update) fills it. The matrix of slot `i` of a matrix range begins at texel
/// `block * stride_texels + (first_matrix + i) * texels_per_matrix`:
///
/// ```
/// use rigview_core::palette::BlockIndex;
/// # use rigview_core::{crowd::*, model::ClipIndex, palette::Rig};
/// # use rigview_core::import::{ImportOptions, open};
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
/// # let model = open(file, &ImportOptions::default()).unwrap().model;
/// # let scene = model.default_scene;
/// # let rig = Rig::new(model, scene).unwrap();
/// # let (mut crowd, mut animator) = (Crowd::single(Some(ClipIndex(0))), CrowdAnimator::new(&rig));
/// animator.update(&mut crowd, 0.5);
/// let (palette, matrix_range) = (animator.palette(), &rig.layout().matrix_ranges[0]);
/// let first = matrix_range.first_matrix as usize * palette.format().texels_per_matrix();
/// let world_from_mesh = &palette.block(BlockIndex(0))[first..first + palette.format().texels_per_matrix()];
/// assert!(world_from_mesh.iter().flatten().all(|x| x.is_finite()));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Palette {
    format: MatrixFormat,
    stride_texels: usize,
    texels: Vec<[f32; 4]>,
    instance_count: usize,
    total_instance_count: usize,
    mirroring: Vec<Mirroring>,
    flags: MirrorFlags,
    revision: u64,
    properties: AnimatedProperties,
}

index_type!(
    /// A block of a palette: an instance that is not culled, see
    /// [`Crowd::block_of_instance`](crate::crowd::Crowd::block_of_instance).
    BlockIndex(u32)
);

/// The revision of the next update of any palette.
static NEXT_REVISION: AtomicU64 = AtomicU64::new(1);

impl Palette {
    /// Creates an empty palette.
    pub fn new(layout: &PaletteLayout, format: MatrixFormat) -> Self {
        Self {
            format,
            stride_texels: layout.matrix_count as usize * format.texels_per_matrix()
                + layout.morph_weight_texels() as usize,
            ..Self::default()
        }
    }

    /// Layout of one matrix in texels.
    pub fn format(&self) -> MatrixFormat {
        self.format
    }

    /// Texels per instance.
    pub fn stride_texels(&self) -> usize {
        self.stride_texels
    }

    /// Number of instances in the palette, without culled ones.
    pub fn instance_count(&self) -> usize {
        self.instance_count
    }

    /// Number of instances of the crowd, including culled ones.
    pub fn total_instance_count(&self) -> usize {
        self.total_instance_count
    }

    /// All texels: [`stride_texels`](Self::stride_texels) per instance.
    pub fn texels(&self) -> &[[f32; 4]] {
        &self.texels
    }

    /// Returns the indices of all blocks, in ascending order.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = BlockIndex> + Clone + use<> {
        (0..self.instance_count as u32).map(BlockIndex)
    }

    /// Returns the texels of one block.
    ///
    /// # Panics
    /// If the block does not exist.
    pub fn block(&self, block: BlockIndex) -> &[[f32; 4]] {
        &self.texels[block.get() * self.stride_texels..][..self.stride_texels]
    }

    /// Mirroring of each matrix range, over all instances.
    pub fn mirroring(&self) -> &[Mirroring] {
        &self.mirroring
    }

    /// Number of the last update, unique in the process. A copy of the texels with another revision is stale.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Animated material, light and camera properties of the first instance.
    pub fn animated_properties(&self) -> &AnimatedProperties {
        &self.properties
    }

    /// Returns `true` if a joint is hidden in all instances. Always `false` for crowds of more than one.
    pub fn is_hidden(&self, joint: JointIndex) -> bool {
        self.total_instance_count == 1 && self.properties.is_hidden(joint)
    }

    pub(crate) fn set_animated_properties(&mut self, properties: AnimatedProperties) {
        self.properties = properties;
    }

    /// Begins an update of `instance_count` of the `total_instance_count` instances of a crowd. Returns the number of texels.
    pub(crate) fn begin_update(
        &mut self,
        instance_count: usize,
        total_instance_count: usize,
        section_count: usize,
    ) -> usize {
        self.revision = NEXT_REVISION.fetch_add(1, Ordering::Relaxed);
        (self.instance_count, self.total_instance_count) = (instance_count, total_instance_count);
        self.flags.reset(section_count);
        instance_count * self.stride_texels
    }

    /// Returns memory for the blocks of all posed instances, with unspecified content; [`set_texels`](Self::set_texels) takes it back.
    pub(crate) fn take_texels(&mut self, count: usize) -> Vec<[f32; 4]> {
        let mut texels = std::mem::take(&mut self.texels);
        if count > texels.capacity() {
            texels = Vec::with_capacity(count);
            advise_huge_pages(texels.spare_capacity_mut());
        }
        texels.resize(count, [0.0; 4]);
        texels
    }

    pub(crate) fn set_texels(&mut self, texels: Vec<[f32; 4]>) {
        self.texels = texels;
    }

    pub(crate) fn flags(&self) -> &MirrorFlags {
        &self.flags
    }

    /// Collects the mirroring flags after all blocks are written.
    pub(crate) fn collect_mirroring(&mut self) {
        self.mirroring.clear();
        self.mirroring.extend(self.flags.found());
    }
}

/// Writes blocks from poses in double precision.
#[derive(Clone, Copy)]
pub(crate) struct BlockWriter<'a> {
    pub(crate) rig: &'a Rig,
    pub(crate) flags: &'a MirrorFlags,
}

impl BlockWriter<'_> {
    /// Writes one instance's block and records the mirroring of each matrix range.
    ///
    /// A matrix is `world_from_model * model_from_joint * joint_from_mesh * mesh_from_offset_mesh`, multiplied in double
    /// precision and rounded once.
    pub(crate) fn write(self, world_from_model: &Affine, pose: &Pose, model_pose: &ModelPose, block: &mut [[f32; 4]]) {
        let (model, layout, format) = (self.rig.model(), self.rig.layout(), self.rig.format());
        let texels_per_matrix = format.texels_per_matrix();
        let mut next = 0;
        for (range_index, matrix_range) in layout.matrix_ranges.iter().enumerate() {
            for (joint, joint_from_offset_mesh) in PaletteLayout::matrices_of(model, matrix_range) {
                let world_from_joint = *world_from_model * *model_pose.model_from_joint(joint);
                let world_from_offset_mesh = world_from_joint * joint_from_offset_mesh;
                format.write(&world_from_offset_mesh, &mut block[next..next + texels_per_matrix]);
                next += texels_per_matrix;
                let mirrors = world_from_offset_mesh.determinant() < 0.0;
                self.flags.record(range_index, if mirrors { Mirroring::Always } else { Mirroring::Never });
            }
        }
        for &(joint, first) in &layout.morph_weights {
            let weights = pose.morph_weights_of(&model.skeleton, joint);
            let first_texel = next + first as usize / 4;
            for (texel, four) in block[first_texel..].iter_mut().zip(weights.chunks(4)) {
                *texel = [0, 1, 2, 3].map(|i| four.get(i).copied().unwrap_or(0.0));
            }
        }
    }
}

/// Writes zeros for the matrices of hidden draws into a block: their triangles cover no pixel.
pub(crate) fn hide_draws(rig: &Rig, hidden: &HiddenJoints, block: &mut [[f32; 4]]) {
    let (layout, per_matrix) = (rig.layout(), rig.format().texels_per_matrix());
    for draw in layout.draws.iter().filter(|draw| hidden.contains(draw.joint)) {
        let matrix_range = &layout.matrix_ranges[draw.matrix_range];
        let first = matrix_range.first_matrix as usize * per_matrix;
        block[first..first + matrix_range.len as usize * per_matrix].fill([0.0; 4]);
    }
}
