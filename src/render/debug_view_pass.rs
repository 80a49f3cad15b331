//! What a look adds to a frame: its parameters, companions, wires and overlay.

use super::crowd_draw::Drawn;
use super::debug_view_shader::Paint;
use super::mesh_pass::{Calls, MeshPass, Raster};
use super::overlay_pass::OverlayPass;
use super::palette_buffers::PaletteBuffers;
use super::variant::{ShaderCache, unit};
use super::{RenderError, Target, textures};
use crate::gpu::{Buffer, BufferTexture, Gpu, GpuError};
use crate::scene::{Background, Frame, ViewMode};
use bytemuck::{Pod, Zeroable};
use nalgebra::Vector3;
use std::rc::Rc;

/// Binding point of [`DebugViewUniforms`].
pub(crate) const LOOK_BINDING: u32 = 2;

/// The block of `shaders/debug_view.glsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct DebugViewUniforms {
    size: [f32; 4],
    depth: [f32; 4],
    tint: [f32; 4],
}

/// What draws looks; made when the first is asked for.
pub(crate) struct DebugViewPass {
    block: Buffer,
    table: BufferTexture,
    wires: MeshPass,
    ghosts: Vec<(MeshPass, PaletteBuffers)>,
    overlay: OverlayPass,
}

/// What a look adds to the frame at hand.
#[derive(Default)]
pub(crate) struct DebugViewDraws {
    wires: Option<Calls>,
    ghosts: Vec<Calls>,
}

impl DebugViewPass {
    /// A pass that has compiled nothing yet.
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Ok(Self {
            block: Buffer::new(gpu)?,
            table: BufferTexture::new(gpu)?,
            wires: MeshPass::new(gpu)?,
            ghosts: Vec::new(),
            overlay: OverlayPass::new(gpu)?,
        })
    }

    /// Makes ready what every band of `frame` is drawn with.
    ///
    /// # Panics
    /// If a companion's palette is of another layout, or the look's table of another number of matrices.
    pub(crate) fn begin(
        &mut self,
        gpu: &Rc<Gpu>,
        variants: &mut ShaderCache,
        (frame, crowds, target): (&Frame<'_>, &[Drawn<'_>], &Target),
    ) -> Result<DebugViewDraws, RenderError> {
        let look = &frame.debug_view;
        let texels = look.joint_table.map_or(&[][..], |table| table.texels());
        let (needed, limit) = (frame.layout.matrix_count as usize, gpu.limits().buffer_texels);
        assert!(look.joint_table.is_none() || texels.len() == needed, "a look's table of another layout");
        if texels.len() > limit {
            return Err(RenderError::DebugViewTooLarge { matrices: needed, limit });
        }
        // A look without a table sees joints of one color, none selected, of lengths as they are.
        let plain = vec![[0.6, 0.6, 0.6, 1.0]; if texels.is_empty() { needed.clamp(1, limit) } else { 0 }];
        self.table.upload_orphaning(if texels.is_empty() { &plain } else { texels })?;
        let mut calls = DebugViewDraws::default();
        if look.wireframe && look.mode != ViewMode::Wireframe {
            calls.wires =
                Some(self.wires.begin(gpu, variants, (frame, crowds, Raster::of(target)), Paint::WiresOver)?);
        }
        while self.ghosts.len() < look.ghosts.len() {
            self.ghosts.push((MeshPass::new(gpu)?, PaletteBuffers::default()));
        }
        for (companion, (pass, pages)) in look.ghosts.iter().zip(&mut self.ghosts) {
            let palette = companion.palette;
            assert_eq!(crowds[0].plan.stride(), palette.stride_texels(), "a companion of another layout");
            pages.update(gpu, palette, crowds[0].plan, Default::default())?;
            let drawn = [Drawn { palette, pages, ..crowds[0] }];
            let paint = if companion.color.is_some() { Paint::Ghost } else { Paint::of(look.mode) };
            calls.ghosts.push(pass.begin(gpu, variants, (frame, &drawn, Raster::of(target)), paint)?);
        }
        if let Some(overlay) = look.overlay {
            self.overlay.prepare(gpu, overlay)?;
        }
        Ok(calls)
    }

    /// Binds what the frame's own surfaces need.
    pub(crate) fn bind(&mut self, frame: &Frame<'_>, target: &Target) -> Result<(), RenderError> {
        self.table.bind(unit::LOOK_TABLE);
        self.bind_tint(frame, target, wire_tint(frame))
    }

    /// Draws what goes over the frame's own surfaces into the scene that is bound.
    pub(crate) fn draw_band(
        &mut self,
        gpu: &Rc<Gpu>,
        (frame, crowds, target): (&Frame<'_>, &[Drawn<'_>], &Target),
        calls: &DebugViewDraws,
    ) -> Result<(), RenderError> {
        for (number, companion) in frame.debug_view.ghosts.iter().enumerate() {
            let ghost = companion.color.map(|[r, g, b, a]| linear([r, g, b], a));
            self.bind_tint(frame, target, ghost.unwrap_or_else(|| wire_tint(frame)))?;
            let (pass, pages) = &mut self.ghosts[number];
            let drawn = [Drawn { palette: companion.palette, pages, ..crowds[0] }];
            pass.draw_band(gpu, &drawn, &calls.ghosts[number])?;
        }
        if let Some(wires) = &calls.wires {
            self.bind_tint(frame, target, wire_tint(frame))?;
            self.wires.draw_band(gpu, crowds, wires)?;
        }
        if frame.debug_view.overlay.is_some() {
            self.overlay.draw(gpu)?;
        }
        Ok(())
    }

    fn bind_tint(&mut self, frame: &Frame<'_>, target: &Target, tint: [f32; 4]) -> Result<(), RenderError> {
        let camera = &frame.camera;
        let (near, far) = (camera.near, if camera.far.is_finite() { camera.far } else { camera.near * 1000.0 });
        let forward: Vector3<f64> = -camera.world_from_view.linear.column(2);
        let row = forward / (far - near);
        let depth = row.push(-(row.dot(&camera.eye_in_world()) + near / (far - near)));
        let (width, height) = (target.width() as f32, target.height() as f32);
        let block = DebugViewUniforms { size: [width, height, 0.0, 0.0], depth: depth.cast::<f32>().into(), tint };
        self.block.upload_orphaning(bytemuck::bytes_of(&block))?;
        self.block.bind_uniform_range(LOOK_BINDING, 0, size_of::<DebugViewUniforms>());
        Ok(())
    }
}

/// Wires that can be told from what is behind them.
fn wire_tint(frame: &Frame<'_>) -> [f32; 4] {
    let over_dark = match (frame.debug_view.mode, frame.background) {
        (ViewMode::Material, _) => true,
        (ViewMode::Wireframe, Background::Color([r, g, b])) => 0.3 * r + 0.6 * g + 0.1 * b < 0.6,
        (ViewMode::Wireframe, _) => true,
        _ => false,
    };
    match (over_dark, frame.debug_view.mode) {
        (true, ViewMode::Wireframe) => linear([0.93, 0.94, 0.96], 0.9),
        (true, _) => linear([1.0, 1.0, 1.0], 0.42),
        (false, _) => linear([0.05, 0.05, 0.07], 0.6),
    }
}

/// An sRGB-encoded color as the blocks have it.
fn linear(color: [f32; 3], alpha: f32) -> [f32; 4] {
    let [r, g, b] = color.map(|x| textures::decode_srgb(f64::from(x)) as f32);
    [r, g, b, alpha]
}
