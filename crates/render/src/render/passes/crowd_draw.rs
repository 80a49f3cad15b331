//! Crowds of a frame with their GPU resources.

use crate::render::gpu_model::GpuModel;
use crate::render::palette::{PagePlan, PaletteBuffers};
use crate::scene::{DetailSelection, Frame, LightSample, LobeSample};
use rigview_core::palette::{Palette, PaletteLayout};

/// A crowd with its GPU resources.
#[derive(Clone, Copy)]
pub(crate) struct CrowdDraw<'a> {
    pub(crate) model: &'a GpuModel,
    pub(crate) layout: &'a PaletteLayout,
    pub(crate) palette: &'a Palette,
    pub(crate) detail: Option<&'a DetailSelection>,
    /// Split of the palette into pages.
    pub(crate) plan: &'a PagePlan,
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

/// A frame with the GPU resources of its crowds.
#[derive(Clone, Copy)]
pub(crate) struct FrameDraw<'a> {
    pub(crate) frame: &'a Frame<'a>,
    pub(crate) crowds: &'a [CrowdDraw<'a>],
    pub(crate) viewport: Viewport,
    /// Distance in world space that is too small to see, in meters. Levels of detail may differ by it from the full mesh.
    pub(crate) permitted_error: f32,
    /// The light whose shadow a sample of a progressive image shows.
    pub(crate) light_sample: Option<&'a LightSample>,
    /// Added to the mip level of material textures, in samples of a progressive image.
    pub(crate) texture_lod_bias: Option<f32>,
    /// Part of the lobes that reflections show, in samples of a progressive image.
    pub(crate) lobe: Option<LobeSample>,
    /// The image is tone-mapped by [`ToneMapping::Neutral`](crate::scene::ToneMapping::Neutral) later.
    pub(crate) is_tone_mapped_later: bool,
    /// The light that transmissive surfaces transmit of the light sample is drawn and bound.
    pub(crate) has_transmission_map: bool,
    /// The ambient occlusion of the frame is drawn and bound.
    pub(crate) has_ambient_occlusion: bool,
}

impl<'a> FrameDraw<'a> {
    /// A frame of full meshes that is not a sample of a progressive image.
    pub(crate) fn new(frame: &'a Frame<'a>, crowds: &'a [CrowdDraw<'a>], viewport: Viewport) -> Self {
        Self {
            frame,
            crowds,
            viewport,
            permitted_error: 0.0,
            light_sample: None,
            texture_lod_bias: None,
            lobe: None,
            is_tone_mapped_later: false,
            has_transmission_map: false,
            has_ambient_occlusion: false,
        }
    }
}
