//! Debug view pass: wireframe, highlight, ghosts and overlay, and the uniforms of debug view shaders.

use super::mesh::{MeshCalls, MeshPass};
use super::overlay::OverlayPass;
use super::pass_input::{GpuCrowd, PassInput, Viewport};
use crate::gpu::{Buffer, DoubleBufferedTexture, Gpu, GpuError};
use crate::render::bindings::{block, unit};
use crate::render::error::RenderError;
use crate::render::palette::PaletteBuffers;
use crate::render::shader::{DrawMode, ShaderCache};
use crate::render::srgb::linear_rgba;
use crate::render::uniforms::DebugViewUniforms;
use crate::scene::{Background, DEFAULT_TEXELS_PER_METER, Frame, ViewMode};
use nalgebra::Vector3;
use std::rc::Rc;

/// sRGB-encoded color of highlighted parts, and its opacity at their outline.
const HIGHLIGHT_COLOR: [f32; 4] = [1.0, 0.55, 0.1, 0.85];

/// Draws debug views.
pub(crate) struct DebugViewPass {
    uniforms: Buffer,
    joint_table: DoubleBufferedTexture,
    wireframe: MeshPass,
    highlight: MeshPass,
    ghosts: Vec<(MeshPass, PaletteBuffers)>,
    overlay: OverlayPass,
}

/// Prepared draw calls of a debug view.
#[derive(Default)]
pub(crate) struct DebugViewCalls {
    wireframe: Option<MeshCalls>,
    highlight: Option<MeshCalls>,
    ghosts: Vec<MeshCalls>,
}

impl DebugViewPass {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Ok(Self {
            uniforms: Buffer::new(gpu)?,
            joint_table: DoubleBufferedTexture::new(gpu),
            wireframe: MeshPass::new(gpu)?,
            highlight: MeshPass::new(gpu)?,
            ghosts: Vec::new(),
            overlay: OverlayPass::new(gpu)?,
        })
    }

    /// Prepares the draw calls of a frame.
    ///
    /// # Panics
    /// If a ghost's palette or the joint table is of another layout.
    pub(crate) fn begin(
        &mut self,
        gpu: &Rc<Gpu>,
        shaders: &mut ShaderCache,
        input: &PassInput<'_>,
    ) -> Result<DebugViewCalls, RenderError> {
        let PassInput { frame, crowds, .. } = *input;
        let view = &frame.debug_view;
        let texels = view.joint_table.map_or(&[][..], |table| table.texels());
        let (matrices, limit) = (frame.layout.matrix_count as usize, gpu.limits().buffer_texels);
        assert!(view.joint_table.is_none() || texels.len() == matrices, "the joint table is of another layout");
        if texels.len() > limit {
            return Err(RenderError::DebugViewTooLarge { matrices, limit });
        }
        // Default table: joints of one color, none selected, at unit scale.
        let default = vec![[0.6, 0.6, 0.6, 1.0]; if texels.is_empty() { matrices.clamp(1, limit) } else { 0 }];
        self.joint_table.write(if texels.is_empty() { &default } else { texels })?;
        let mut draws = DebugViewCalls::default();
        if view.wireframe && view.mode != ViewMode::Wireframe {
            draws.wireframe = Some(self.wireframe.begin(gpu, shaders, input, DrawMode::WireframeOverlay)?);
        }
        if !view.highlighted_draws.is_empty() {
            draws.highlight = Some(self.highlight.begin(gpu, shaders, input, DrawMode::Highlight)?);
        }
        while self.ghosts.len() < view.ghosts.len() {
            self.ghosts.push((MeshPass::new(gpu)?, PaletteBuffers::default()));
        }
        for (ghost, (pass, pages)) in view.ghosts.iter().zip(&mut self.ghosts) {
            let palette = ghost.palette;
            assert_eq!(crowds[0].page_layout.stride(), palette.stride_texels(), "a ghost is of another layout");
            pages.update(gpu, palette, crowds[0].page_layout)?;
            let crowds = [GpuCrowd { palette, pages, ..crowds[0] }];
            let mode = if ghost.color.is_some() { DrawMode::Ghost } else { DrawMode::of(view.mode) };
            draws.ghosts.push(pass.begin(gpu, shaders, &PassInput { crowds: &crowds, ..*input }, mode)?);
        }
        if let Some(overlay) = view.overlay {
            self.overlay.prepare(gpu, overlay)?;
        }
        Ok(draws)
    }

    /// Binds what debug view shaders need for the frame's own meshes.
    pub(crate) fn bind(&mut self, input: &PassInput<'_>) -> Result<(), RenderError> {
        self.joint_table.bind(unit::DEBUG_VIEW_TABLE);
        self.bind_uniforms(input.frame, input.viewport, wireframe_tint(input.frame))
    }

    /// Draws ghosts, highlight, wireframe and overlay into the bound framebuffer.
    pub(crate) fn draw(
        &mut self,
        gpu: &Rc<Gpu>,
        input: &PassInput<'_>,
        draws: &DebugViewCalls,
    ) -> Result<(), RenderError> {
        let PassInput { frame, crowds, viewport, .. } = *input;
        for (i, ghost) in frame.debug_view.ghosts.iter().enumerate() {
            let tint = ghost.color.map(|[r, g, b, a]| linear_rgba([r, g, b], a));
            self.bind_uniforms(frame, viewport, tint.unwrap_or_else(|| wireframe_tint(frame)))?;
            let (pass, pages) = &mut self.ghosts[i];
            let crowds = [GpuCrowd { palette: ghost.palette, pages, ..crowds[0] }];
            pass.draw(gpu, &crowds, &draws.ghosts[i], draws.ghosts[i].all())?;
        }
        if let Some(highlight) = &draws.highlight {
            let [r, g, b, opacity] = HIGHLIGHT_COLOR;
            self.bind_uniforms(frame, viewport, linear_rgba([r, g, b], opacity))?;
            self.highlight.draw(gpu, crowds, highlight, highlight.all())?;
        }
        if let Some(wireframe) = &draws.wireframe {
            self.bind_uniforms(frame, viewport, wireframe_tint(frame))?;
            self.wireframe.draw(gpu, crowds, wireframe, wireframe.all())?;
        }
        if frame.debug_view.overlay.is_some() {
            self.overlay.draw(gpu)?;
        }
        Ok(())
    }

    fn bind_uniforms(&mut self, frame: &Frame<'_>, viewport: Viewport, tint: [f32; 4]) -> Result<(), RenderError> {
        let camera = &frame.camera;
        let (near, far) = (camera.near, if camera.far.is_finite() { camera.far } else { camera.near * 1000.0 });
        let forward: Vector3<f64> = -camera.world_from_view.linear.column(2);
        let normal = forward / (far - near);
        let depth = normal.push(-(normal.dot(&camera.eye_in_world()) + near / (far - near)));
        let (width, height) = (viewport.width as f32, viewport.height as f32);
        let scale = frame.debug_view.pixels_per_point.unwrap_or(1.0);
        let target = frame.debug_view.texels_per_meter.unwrap_or(DEFAULT_TEXELS_PER_METER) as f32;
        let uniforms =
            DebugViewUniforms { size: [width, height, target, scale], depth: depth.cast::<f32>().into(), tint };
        self.uniforms.upload_orphaning(bytemuck::bytes_of(&uniforms))?;
        self.uniforms.bind_uniform_range(block::DEBUG_VIEW, 0, size_of::<DebugViewUniforms>());
        Ok(())
    }
}

/// Returns the color of edges. Over a surface it is dark; the shader adds a bright border.
fn wireframe_tint(frame: &Frame<'_>) -> [f32; 4] {
    let is_over_dark = match frame.background {
        Background::Color([r, g, b]) => 0.3 * r + 0.6 * g + 0.1 * b < 0.6,
        _ => true,
    };
    match frame.debug_view.mode == ViewMode::Wireframe && is_over_dark {
        true => linear_rgba([0.93, 0.94, 0.96], 0.9),
        false => linear_rgba([0.05, 0.05, 0.07], 0.6),
    }
}
