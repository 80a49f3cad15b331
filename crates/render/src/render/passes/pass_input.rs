//! Input of the passes: a frame with the GPU resources of its crowds.

use crate::render::gpu_model::GpuModel;
use crate::render::palette::{PageLayout, PaletteBuffers};
use crate::scene::{Camera, DetailSelection, Frame, GgxSample, SampledLight};
use rigview_core::palette::{Palette, PaletteLayout};

/// A crowd with its GPU resources.
#[derive(Clone, Copy)]
pub(crate) struct GpuCrowd<'a> {
    pub(crate) model: &'a GpuModel,
    pub(crate) layout: &'a PaletteLayout,
    pub(crate) palette: &'a Palette,
    pub(crate) detail: Option<&'a DetailSelection>,
    /// Split of the palette into pages.
    pub(crate) page_layout: &'a PageLayout,
    /// The uploaded pages.
    pub(crate) pages: &'a PaletteBuffers,
}

/// Size and sample count of the image that a frame is drawn for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Viewport {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) samples: u32,
}

impl Viewport {
    pub(crate) fn aspect(self) -> f64 {
        f64::from(self.width) / f64::from(self.height)
    }
}

/// Input of the passes: a frame with the GPU resources of its crowds.
#[derive(Clone, Copy)]
pub(crate) struct PassInput<'a> {
    pub(crate) frame: &'a Frame<'a>,
    pub(crate) crowds: &'a [GpuCrowd<'a>],
    pub(crate) viewport: Viewport,
    /// Distance in world space that is too small to see, in meters. Levels of detail may differ by it from the full mesh.
    pub(crate) permitted_error: f32,
    /// Camera of the shadow map of the sun, which is drawn and bound.
    pub(crate) sun_camera: Option<Camera>,
    /// The light that a sample of a progressive image shadows.
    pub(crate) sampled_light: Option<&'a SampledLight>,
    /// Added to the mip level of material textures, in samples of a progressive image.
    pub(crate) texture_lod_bias: Option<f32>,
    /// Importance sampling of reflections, in samples of a progressive image.
    pub(crate) ggx: Option<GgxSample>,
    /// The image is tone-mapped by [`ToneMapping::Neutral`](crate::scene::ToneMapping::Neutral) later.
    pub(crate) is_tone_mapped_later: bool,
    /// The translucent shadow map of the sampled light is drawn and bound.
    pub(crate) has_translucent_shadow_map: bool,
    /// The ambient occlusion of the frame is drawn and bound.
    pub(crate) has_ambient_occlusion: bool,
}

impl<'a> PassInput<'a> {
    /// A frame of full meshes that is not a sample of a progressive image.
    pub(crate) fn new(frame: &'a Frame<'a>, crowds: &'a [GpuCrowd<'a>], viewport: Viewport) -> Self {
        Self {
            frame,
            crowds,
            viewport,
            permitted_error: 0.0,
            sun_camera: None,
            sampled_light: None,
            texture_lod_bias: None,
            ggx: None,
            is_tone_mapped_later: false,
            has_translucent_shadow_map: false,
            has_ambient_occlusion: false,
        }
    }
}
