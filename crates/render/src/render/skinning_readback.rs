//! Reads back vertices skinned by the vertex shader, for comparison with the CPU.

use crate::gpu::Buffer;
use crate::render::error::RenderError;
use crate::render::gpu_model::GpuModel;
use crate::render::passes::{InstanceParams, feedback_key};
use crate::render::renderer::Renderer;
use crate::render::target::Target;
use rigview_core::palette::{BlockIndex, Palette, PaletteLayout, PosedVertices, Skinning};

impl Renderer {
    /// Skins the vertices of one draw for one instance with the shader that draws them, and reads them back.
    ///
    /// Mirrors [`SkinningInputs::skin`](rigview_core::palette::SkinningInputs::skin) within rounding.
    ///
    /// # Errors
    /// When the driver fails, or its buffer textures cannot hold a matrix range of the palette.
    ///
    /// # Panics
    /// If `draw` or `block` does not exist, or if model, layout and palette do not belong together.
    pub fn skinning_readback(
        &mut self,
        model: &GpuModel,
        layout: &PaletteLayout,
        palette: &Palette,
        draw: usize,
        block: BlockIndex,
        skinning: Skinning,
    ) -> Result<PosedVertices, RenderError> {
        assert!(block.get() < palette.instance_count(), "block {block} is not in the palette");
        let draw = &model.draws[draw];
        let primitive = &model.primitives[draw.primitive];
        let key = feedback_key(model, draw, palette, skinning);
        let mut posed = PosedVertices {
            normals: key.has_normals.then(Vec::new),
            tangents: key.has_tangents.then(Vec::new),
            ..PosedVertices::default()
        };
        if primitive.vertex_count == 0 {
            return Ok(posed);
        }

        let page_layout = self.upload_palette(0, layout, palette)?;
        let program = self.shaders.material(&self.gpu, &key)?;
        let floats = 4 + if key.has_normals { 3 } else { 0 } + if key.has_tangents { 4 } else { 0 };
        let mut outputs = vec![0.0_f32; primitive.gpu_vertex_count * floats];
        let mut buffer = Buffer::new(&self.gpu)?;
        buffer.allocate_for_readback(size_of_val(outputs.as_slice()))?;
        // GL requires a complete framebuffer even with rasterization disabled.
        let target = Target::new(&self.gpu, 1, 1, 1)?;
        self.gpu.begin_pass();
        target.image.bind();
        let pages = &self.palettes[0];
        let source =
            InstanceParams { model, layout, palette, pages, page_layout: &page_layout, draw, block: block.get() };
        self.mesh_pass.transform_feedback(&self.gpu, &program, &source, &buffer)?;
        buffer.read(bytemuck::cast_slice_mut(&mut outputs));
        self.gpu.end_pass();
        self.gpu.check_errors("reading vertices back")?;

        let mut gpu_vertices = vec![0; primitive.vertex_count];
        for (gpu_vertex, file_vertex) in primitive.source_vertices().enumerate() {
            if let Some(file_vertex) = file_vertex {
                gpu_vertices[file_vertex] = gpu_vertex;
            }
        }
        let all = 0..gpu_vertices.len();
        let vertices = draw.merged.as_ref().map_or(all, |merged| merged.vertices.clone());
        for &gpu_vertex in &gpu_vertices[vertices] {
            let vertex = &outputs[gpu_vertex * floats..][..floats];
            let (position, rest) = vertex.split_first_chunk::<3>().expect("at least four floats");
            posed.positions.push(*position);
            posed.mirrored.push(rest[0] < 0.0);
            let mut rest = &rest[1..];
            if let (Some(normals), Some((normal, after))) = (&mut posed.normals, rest.split_first_chunk::<3>()) {
                normals.push(*normal);
                rest = after;
            }
            if let (Some(tangents), Some(tangent)) = (&mut posed.tangents, rest.first_chunk::<4>()) {
                tangents.push(*tangent);
            }
        }
        Ok(posed)
    }
}
