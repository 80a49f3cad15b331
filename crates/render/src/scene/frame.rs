//! A frame: input of the renderer.

use super::{Camera, DebugView, DetailSelection, Lighting};
use rigview_core::palette::{Palette, PaletteLayout};

/// Everything that an image depends on, except the models' vertices and textures.
///
/// Windows, screenshots and tests draw frames.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Draws, and the layout of the palette.
    pub layout: &'a PaletteLayout,
    /// Matrices of all instances.
    pub palette: &'a Palette,
    /// Levels of detail; `None` for full meshes.
    pub detail: Option<&'a DetailSelection>,
    /// Crowds of other models. Debug views apply to the first crowd only.
    pub other_crowds: &'a [PosedCrowd<'a>],
    /// The camera.
    pub camera: Camera,
    /// The lights.
    pub lighting: &'a Lighting,
    /// The background.
    pub background: Background,
    /// Debug view; the default draws materials.
    pub debug_view: DebugView<'a>,
}

/// A posed crowd of one model.
#[derive(Clone, Copy, Debug)]
pub struct PosedCrowd<'a> {
    /// Draws, and the layout of the palette.
    pub layout: &'a PaletteLayout,
    /// Matrices of all instances.
    pub palette: &'a Palette,
    /// Levels of detail; `None` for full meshes.
    pub detail: Option<&'a DetailSelection>,
}

impl<'a> Frame<'a> {
    /// Returns all crowds, the frame's own first.
    pub fn crowds(&self) -> impl Iterator<Item = PosedCrowd<'a>> + use<'a> {
        let first = PosedCrowd { layout: self.layout, palette: self.palette, detail: self.detail };
        std::iter::once(first).chain(self.other_crowds.iter().copied())
    }
}

/// Background of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Background {
    /// Gray gradient, lighter in the middle.
    Studio,
    /// An sRGB-encoded color, 0 to 1.
    Color([f32; 3]),
    /// Transparent, with straight alpha in the image.
    Transparent,
    /// The environment; black without one.
    Environment {
        /// Blur as a roughness from 0 to 1.
        blur: f32,
    },
}
