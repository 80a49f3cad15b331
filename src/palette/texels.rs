//! The palette itself: texels of all instances.

use super::{Packing, PaletteLayout};
use crate::math::Affine;
use crate::model::Model;
use crate::pose::{ModelPose, Pose};
use std::sync::atomic::{AtomicU64, Ordering};

/// Every instance's matrices and morph weights, as a shader reads them.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    packing: Packing,
    stride_texels: usize,
    texels: Vec<[f32; 4]>,
    instance_count: usize,
    mirroring: Vec<Mirroring>,
    revision: u64,
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
    pub fn new(layout: &PaletteLayout, packing: Packing) -> Self {
        Self {
            packing,
            stride_texels: layout.matrix_count as usize * packing.texels_per_matrix() + layout.weight_texels() as usize,
            ..Self::default()
        }
    }

    /// How matrices lie in texels.
    pub fn packing(&self) -> Packing {
        self.packing
    }

    /// Texels of one instance.
    pub fn stride_texels(&self) -> usize {
        self.stride_texels
    }

    /// Number of instances.
    pub fn instance_count(&self) -> usize {
        self.instance_count
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

    /// Makes room for `instance_count` instances; texels keep no meaning.
    pub(super) fn resize(&mut self, instance_count: usize) -> &mut [[f32; 4]] {
        self.revision = NEXT_REVISION.fetch_add(1, Ordering::Relaxed);
        self.instance_count = instance_count;
        self.texels.resize(instance_count * self.stride_texels, [0.0; 4]);
        &mut self.texels
    }

    /// Notes what [`write_instance`] found over all instances.
    pub(super) fn set_mirroring(&mut self, mirroring: Vec<Mirroring>) {
        self.mirroring = mirroring;
    }
}

/// Writes one instance's block and returns for each section whether it mirrors.
///
/// A matrix is `world_from_model * model_from_joint * joint_from_mesh * mesh_from_origin`, multiplied in double precision
/// and rounded once.
pub(super) fn write_instance(
    block: &mut [[f32; 4]],
    packing: Packing,
    model: &Model,
    layout: &PaletteLayout,
    world_from_model: &Affine,
    (pose, model_pose): (&Pose, &ModelPose),
    mirroring: &mut [Option<Mirroring>],
) {
    let texels_per_matrix = packing.texels_per_matrix();
    let mut next = 0;
    for (section, mirroring) in layout.sections.iter().zip(mirroring) {
        for (joint, joint_from_origin) in PaletteLayout::joints_of(model, section) {
            let world_from_joint = *world_from_model * *model_pose.model_from_joint(joint);
            let world_from_origin = world_from_joint * joint_from_origin;
            packing.write(&world_from_origin, &mut block[next..next + texels_per_matrix]);
            next += texels_per_matrix;
            let mirrors = if world_from_origin.determinant() < 0.0 { Mirroring::Always } else { Mirroring::Never };
            *mirroring = Some(mirroring.map_or(mirrors, |m| m.and(mirrors)));
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
