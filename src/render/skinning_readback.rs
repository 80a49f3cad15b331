//! Vertices as the shader poses them, read back to be compared with the CPU's.

use super::draw_list::feedback_variant;
use super::{GpuModel, RenderError, Renderer, Target};
use crate::gpu::Buffer;
use crate::palette::{Palette, PaletteLayout, PosedVertices};

impl Renderer {
    /// Poses the vertices of one draw for one instance with the shader that draws them, and reads them back.
    ///
    /// The twin of [`skin_on_cpu`](crate::palette::skin_on_cpu), which gives the same within rounding.
    ///
    /// # Errors
    /// When the driver fails, or its buffer textures cannot hold a section of the palette.
    ///
    /// # Panics
    /// If `draw` or `instance` does not exist, or model, layout and palette do not belong together.
    pub fn skinning_readback(
        &mut self,
        model: &GpuModel,
        layout: &PaletteLayout,
        palette: &Palette,
        draw: usize,
        instance: usize,
    ) -> Result<PosedVertices, RenderError> {
        assert!(instance < palette.instance_count(), "instance {instance} is not in the palette");
        let draw = &model.draws[draw];
        let primitive = &model.primitives[draw.primitive];
        let variant = feedback_variant(model, draw, palette);
        let mut posed = PosedVertices {
            normals: variant.normals.then(Vec::new),
            tangents: variant.tangents.then(Vec::new),
            ..PosedVertices::default()
        };
        if primitive.vertex_count == 0 {
            return Ok(posed);
        }

        let plan = self.upload_palette(0, layout, palette)?;
        let program = self.variants.get(&self.gpu, &variant)?;
        let floats = 4 + if variant.normals { 3 } else { 0 } + if variant.tangents { 4 } else { 0 };
        let mut outputs = vec![0.0_f32; primitive.drawn_count * floats];
        let mut buffer = Buffer::new(&self.gpu)?;
        buffer.make_room(size_of_val(outputs.as_slice()))?;
        // Nothing is drawn, but GL wants somewhere to draw to, and off screen there is no other place.
        let nowhere = Target::new(&self.gpu, 1, 1, 1)?;
        self.gpu.begin_pass();
        nowhere.picture.bind();
        self.mesh_pass.transform_feedback(
            &self.gpu,
            &program,
            (model, layout, palette),
            (&self.palettes[0], &plan),
            (draw, instance),
            &buffer,
        )?;
        buffer.read(bytemuck::cast_slice_mut(&mut outputs));
        self.gpu.end_pass(super::variant::unit::COUNT);
        self.gpu.check_always("reading vertices back")?;

        let mut in_file = vec![0; primitive.vertex_count];
        for (place, number) in primitive.places_in_file().enumerate().filter_map(|(i, number)| Some((i, number?))) {
            in_file[number] = place;
        }
        for place in in_file {
            let vertex = &outputs[place * floats..][..floats];
            let (position, rest) = vertex.split_first_chunk::<3>().expect("four floats at least");
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
