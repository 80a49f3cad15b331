//! The palette itself: texels of all instances.

use super::{MatrixFormat, PaletteLayout};
use crate::math::Affine;
use crate::math::huge_pages::prefer_large_pages;
use crate::model::{JointIndex, Model};
use crate::pose::{AnimatedProperties, ModelPose, Pose};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// Every instance's matrices and morph weights, as a shader reads them.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    packing: MatrixFormat,
    stride_texels: usize,
    texels: Vec<[f32; 4]>,
    instance_count: usize,
    crowd_count: usize,
    mirroring: Vec<Mirroring>,
    flags: MirrorFlags,
    revision: u64,
    values: AnimatedProperties,
}

/// For each section, which kinds of matrices were found: noted from many threads, read when all are done.
#[derive(Debug, Default)]
pub(super) struct MirrorFlags(Vec<AtomicU8>);

impl Clone for MirrorFlags {
    /// What was found is read at once, so that a copy need not have it.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl MirrorFlags {
    const KEEPS: u8 = 1;
    const MIRRORS: u8 = 2;

    fn reset(&mut self, sections: usize) {
        self.0.resize_with(sections, AtomicU8::default);
        self.0.iter_mut().for_each(|flags| *flags.get_mut() = 0);
    }

    /// Notes what was found of a section.
    pub(super) fn note(&self, section: usize, found: Mirroring) {
        let bits = match found {
            Mirroring::Never => Self::KEEPS,
            Mirroring::Always => Self::MIRRORS,
            Mirroring::Mixed => Self::KEEPS | Self::MIRRORS,
        };
        // Most find what is known already, and need not take the cache line from the others.
        if self.0[section].load(Ordering::Relaxed) & bits != bits {
            self.0[section].fetch_or(bits, Ordering::Relaxed);
        }
    }

    fn found(&self) -> impl Iterator<Item = Mirroring> {
        self.0.iter().map(|flags| match flags.load(Ordering::Relaxed) {
            0 | Self::KEEPS => Mirroring::Never,
            Self::MIRRORS => Mirroring::Always,
            _ => Mirroring::Mixed,
        })
    }
}

/// The revision of the palette that is written next, whichever that is.
static NEXT_REVISION: AtomicU64 = AtomicU64::new(1);

/// Whether the matrices of a section turn surfaces inside out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mirroring {
    /// No matrix does.
    #[default]
    Never,
    /// Every matrix does.
    Always,
    /// Some do: the shader must look at each.
    Mixed,
}

impl Mirroring {
    /// The mirroring of two sets of matrices together.
    pub fn and(self, other: Self) -> Self {
        if self == other { self } else { Self::Mixed }
    }
}

impl Palette {
    /// An empty palette for `layout`, with matrices packed as `packing` says.
    pub fn new(layout: &PaletteLayout, packing: MatrixFormat) -> Self {
        Self {
            packing,
            stride_texels: layout.matrix_count as usize * packing.texels_per_matrix() + layout.weight_texels() as usize,
            ..Self::default()
        }
    }

    /// How matrices lie in texels.
    pub fn packing(&self) -> MatrixFormat {
        self.packing
    }

    /// Texels of one instance.
    pub fn stride_texels(&self) -> usize {
        self.stride_texels
    }

    /// Number of instances that are in it.
    pub fn instance_count(&self) -> usize {
        self.instance_count
    }

    /// Number of instances of the crowd, of which some may have been left out.
    pub fn crowd_count(&self) -> usize {
        self.crowd_count
    }

    /// All texels: [`stride_texels`](Self::stride_texels) for each instance.
    pub fn texels(&self) -> &[[f32; 4]] {
        &self.texels
    }

    /// The texels of one instance.
    pub fn block(&self, instance: usize) -> &[[f32; 4]] {
        &self.texels[instance * self.stride_texels..][..self.stride_texels]
    }

    /// Whether each section, by number, mirrors, over all instances.
    pub fn mirroring(&self) -> &[Mirroring] {
        &self.mirroring
    }

    /// A number that no other content of any palette has had: whoever keeps a copy knows by it whether it is stale.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// What the first instance's clips make of materials.
    pub fn values(&self) -> &AnimatedProperties {
        &self.values
    }

    /// Whether a joint is hidden in all instances, as far as that is known without a look at each.
    pub fn is_hidden(&self, joint: JointIndex) -> bool {
        self.crowd_count == 1 && self.values.is_hidden(joint)
    }

    pub(super) fn set_values(&mut self, values: AnimatedProperties) {
        self.values = values;
    }

    /// Collapses to nothing what an instance hides: zeros for matrices, whose triangles cover no pixel.
    pub(super) fn hide(&mut self, layout: &PaletteLayout, block: usize, values: &AnimatedProperties) {
        let per_matrix = self.packing.texels_per_matrix();
        let block = &mut self.texels[block * self.stride_texels..][..self.stride_texels];
        for draw in layout.draws.iter().filter(|draw| values.is_hidden(draw.joint)) {
            let section = &layout.sections[draw.section];
            let first = section.first_matrix as usize * per_matrix;
            block[first..first + section.len as usize * per_matrix].fill([0.0; 4]);
        }
    }

    /// Makes room for `instance_count` instances of a crowd of `crowd_count`; texels keep no meaning. What is found of the sections' mirroring is noted
    /// in the flags.
    pub(super) fn resize(
        &mut self,
        (instance_count, crowd_count): (usize, usize),
        sections: usize,
    ) -> (&mut [[f32; 4]], &MirrorFlags) {
        self.revision = NEXT_REVISION.fetch_add(1, Ordering::Relaxed);
        (self.instance_count, self.crowd_count) = (instance_count, crowd_count);
        let count = instance_count * self.stride_texels;
        if count > self.texels.capacity() {
            self.texels = Vec::with_capacity(count);
            prefer_large_pages(self.texels.spare_capacity_mut());
        }
        self.texels.resize(count, [0.0; 4]);
        self.flags.reset(sections);
        (&mut self.texels, &self.flags)
    }

    /// Reads the flags, when all instances are written.
    pub(super) fn note_mirroring(&mut self) {
        self.mirroring.clear();
        self.mirroring.extend(self.flags.found());
    }
}

/// Writes one instance's block and notes for each section whether it mirrors.
///
/// A matrix is `world_from_model * model_from_joint * joint_from_mesh * mesh_from_origin`, multiplied in double precision
/// and rounded once.
pub(super) fn write_instance(
    block: &mut [[f32; 4]],
    packing: MatrixFormat,
    model: &Model,
    layout: &PaletteLayout,
    world_from_model: &Affine,
    (pose, model_pose): (&Pose, &ModelPose),
    flags: &MirrorFlags,
) {
    let texels_per_matrix = packing.texels_per_matrix();
    let mut next = 0;
    for (number, section) in layout.sections.iter().enumerate() {
        for (joint, joint_from_origin) in PaletteLayout::joints_of(model, section) {
            let world_from_joint = *world_from_model * *model_pose.model_from_joint(joint);
            let world_from_origin = world_from_joint * joint_from_origin;
            packing.write(&world_from_origin, &mut block[next..next + texels_per_matrix]);
            next += texels_per_matrix;
            let mirrors = world_from_origin.determinant() < 0.0;
            flags.note(number, if mirrors { Mirroring::Always } else { Mirroring::Never });
        }
    }
    for &(joint, first) in &layout.weights {
        let weights = pose.weights_of(&model.skeleton, joint);
        let run = next + first as usize / 4;
        for (texel, four) in block[run..].iter_mut().zip(weights.chunks(4)) {
            *texel = [0, 1, 2, 3].map(|i| four.get(i).copied().unwrap_or(0.0));
        }
    }
}
