//! The part of a model that a layout draws, on the GPU.

use super::levels::ModelLevels;
use super::material::GpuMaterial;
use super::material_buffer::MaterialBuffer;
use super::merged::MergedRange;
use super::primitive::GpuPrimitive;
use crate::gpu::{ArrayTexture, Gpu, Sampler, Texture2d};
use crate::render::error::RenderError;
use crate::render::material_features::MaterialFeature;
use nalgebra::Vector3;
use rigview_core::math::Aabb;
use rigview_core::model::Primitive;
use rigview_core::palette::PrimitiveDraw;
use std::rc::Rc;
use std::sync::Arc;

/// Vertices, textures and materials of what one [`PaletteLayout`](rigview_core::palette::PaletteLayout) draws.
///
/// Holds nothing that varies between instances or frames.
pub struct GpuModel {
    pub(crate) gpu: Rc<Gpu>,
    /// Unique in the process.
    pub(crate) id: u64,
    pub(crate) primitives: Vec<GpuPrimitive>,
    pub(crate) draws: Vec<GpuDraw>,
    pub(crate) textures: Vec<Texture2d>,
    pub(crate) samplers: Vec<Sampler>,
    pub(crate) morphs: Option<ArrayTexture>,
    pub(crate) materials: MaterialBuffer,
    /// Draws of one primitive share a draw call. Set from 16 saved calls on, which outweigh the compilation of shaders.
    pub(crate) batches_draws: bool,
}

/// One draw of the layout.
pub(crate) struct GpuDraw {
    pub(crate) draw: PrimitiveDraw,
    /// Index into [`GpuModel::primitives`].
    pub(crate) primitive: usize,
    pub(crate) material: Arc<GpuMaterial>,
    pub(crate) sort_point: DepthSortPoint,
    /// Part of a merged primitive.
    pub(crate) merged: Option<MergedRange>,
}

impl GpuDraw {
    /// The draw that locates the matrices which the vertices' influences count from.
    pub(crate) fn palette_draw(&self) -> PrimitiveDraw {
        let matrix_range = self.merged.as_ref().map_or(self.draw.matrix_range, |merged| merged.first_range);
        PrimitiveDraw { matrix_range, ..self.draw }
    }

    /// Matrices that are blended per vertex; 0 for one matrix of all vertices.
    pub(crate) fn influences(&self, model: &GpuModel) -> usize {
        let has_influences = self.draw.skinned || self.merged.is_some();
        if has_influences { model.primitives[self.primitive].influences } else { 0 }
    }

    /// Vertices that one instance draws.
    fn element_count(&self, primitives: &[GpuPrimitive]) -> usize {
        let merged = self.merged.as_ref().map(|merged| merged.indices.len());
        merged.unwrap_or_else(|| primitives[self.primitive].element_count())
    }
}

/// Reference point for depth sorting.
#[derive(Default)]
pub(crate) struct DepthSortPoint {
    /// Center of the vertices, relative to the position offset.
    pub(crate) position: Vector3<f64>,
    /// The joint slot with the largest total weight.
    pub(crate) slot: usize,
}

impl Drop for GpuModel {
    fn drop(&mut self) {
        let (primitives, textures) = (std::mem::take(&mut self.primitives), std::mem::take(&mut self.textures));
        self.gpu.drop_model((primitives, textures, self.morphs.take()));
    }
}

impl GpuModel {
    /// Uploads levels of detail of this model.
    pub(crate) fn set_levels(&mut self, gpu: &Rc<Gpu>, levels: &ModelLevels) -> Result<(), RenderError> {
        let mut draws: Vec<&GpuDraw> = self.draws.iter().filter(|draw| draw.merged.is_none()).collect();
        // Of equal meshes, the levels of a skinned one: their error is also a bound for a rigid one.
        draws.sort_by_key(|draw| (draw.primitive, !draw.draw.skinned));
        draws.dedup_by_key(|draw| draw.primitive);
        for draw in draws {
            self.primitives[draw.primitive].set_levels(gpu, levels.of_primitive(&draw.draw))?;
        }
        Ok(())
    }

    /// Uploads a value for each vertex of each draw of the layout.
    pub(crate) fn set_vertex_values(&self, gpu: &Rc<Gpu>, of_draws: &[Vec<f32>]) -> Result<(), RenderError> {
        for (draw, values) in self.draws.iter().zip(of_draws).filter(|(_, values)| !values.is_empty()) {
            self.primitives[draw.primitive].set_vertex_values(gpu, values)?;
        }
        Ok(())
    }

    pub(crate) fn has_transmissive_draws(&self) -> bool {
        self.draws.iter().any(|draw| draw.material.features.has(MaterialFeature::Transmission))
    }

    /// Returns the number of vertices that one instance draws.
    pub(crate) fn element_count(&self) -> u64 {
        self.draws.iter().map(|draw| draw.element_count(&self.primitives) as u64).sum()
    }
}

impl DepthSortPoint {
    pub(super) fn new(primitive: &Primitive, bounds: Aabb, skinned: bool) -> Self {
        let mut weights = vec![0.0_f64; 1];
        if let Some(influences) = primitive.vertices.influences.as_ref().filter(|_| skinned) {
            for (slot, weight) in influences.slots.iter().zip(&influences.weights) {
                let slot = usize::from(slot.0);
                weights.resize(weights.len().max(slot + 1), 0.0);
                weights[slot] += f64::from(*weight);
            }
        }
        let slot = (0..weights.len()).rev().max_by(|a, b| weights[*a].total_cmp(&weights[*b])).unwrap_or(0);
        Self { position: bounds.center(), slot }
    }
}
