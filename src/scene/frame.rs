//! The seam between posing and drawing.

use super::{Camera, DebugView, Lighting};
use crate::palette::{Palette, PaletteLayout};

/// Everything that a picture depends on, but for the model's own vertices and textures.
///
/// Window, pictures and tests all draw from it.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// What is drawn and where its matrices lie.
    pub layout: &'a PaletteLayout,
    /// Every instance's matrices.
    pub palette: &'a Palette,
    /// Crowds of other models in the same scene. A look is about the first crowd alone.
    pub other_crowds: &'a [PosedCrowd<'a>],
    /// Where it is seen from.
    pub camera: Camera,
    /// What lights it.
    pub lighting: &'a Lighting,
    /// What is behind it.
    pub background: Background,
    /// The way of looking at it: the default shows it as it is.
    pub debug_view: DebugView<'a>,
}

/// A crowd of one model, posed.
#[derive(Clone, Copy, Debug)]
pub struct PosedCrowd<'a> {
    /// What is drawn and where its matrices lie.
    pub layout: &'a PaletteLayout,
    /// Every instance's matrices.
    pub palette: &'a Palette,
}

impl<'a> Frame<'a> {
    /// All crowds: the one that a look is about, then the other_crowds.
    pub fn crowds(&self) -> impl Iterator<Item = PosedCrowd<'a>> + use<'a> {
        let first = PosedCrowd { layout: self.layout, palette: self.palette };
        std::iter::once(first).chain(self.other_crowds.iter().copied())
    }
}

/// What is seen where no surface is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Background {
    /// A quiet backdrop, lighter towards the middle.
    Studio,
    /// One color: red, green, blue from 0 to 1 as they appear on the screen (sRGB-encoded).
    Color([f32; 3]),
    /// Nothing: the picture gets straight alpha.
    Transparent,
    /// The surroundings; black where there are none.
    Environment {
        /// How far they are blurred: as by a mirror of this roughness, 0 to 1.
        blur: f32,
    },
}
