//! A context, a renderer, and a model posed before a camera.

use nalgebra::Vector3;
use rigview::math::{Bounds, Hull};
use rigview::model::{Model, SceneIndex};
use rigview::palette::{Crowd, Packing, Palette, PaletteLayout};
use rigview::platform::headless::Headless;
use rigview::render::{RenderOptions, Renderer, Target};
use rigview::scene::{Background, Camera, Frame, Lighting};

/// Everything that a test draws with.
pub(crate) struct Stage {
    // In drop order: the context goes last.
    pub(crate) renderer: Renderer,
    pub(crate) headless: Headless,
}

impl Stage {
    /// A context of its own.
    pub(crate) fn new() -> Self {
        Self::with_palette_limit(None)
    }

    /// One whose buffer textures are taken to hold fewer texels.
    pub(crate) fn with_palette_limit(palette_texel_limit: Option<usize>) -> Self {
        let headless = Headless::new().unwrap_or_else(|error| panic!("these tests need OpenGL: {error}"));
        let renderer = Renderer::new(headless.gpu(), RenderOptions { palette_texel_limit }).unwrap();
        Self { renderer, headless }
    }

    /// The picture of one frame.
    pub(crate) fn picture(&mut self, shot: &Shot<'_>, size: (u32, u32), samples: u32) -> Vec<u8> {
        let target = Target::new(self.headless.gpu(), size.0, size.1, samples).unwrap();
        let model = self.renderer.upload(shot.model, &shot.layout).unwrap();
        self.renderer.draw(&model, &shot.frame(), &target).unwrap();
        target.read_rgba()
    }
}

/// A model in a pose, seen and lit.
pub(crate) struct Shot<'a> {
    pub(crate) model: &'a Model,
    pub(crate) layout: PaletteLayout,
    pub(crate) palette: Palette,
    pub(crate) camera: Camera,
    pub(crate) lighting: Lighting,
    pub(crate) background: Background,
}

impl<'a> Shot<'a> {
    /// The rest pose of `count` instances in the studio, before black.
    pub(crate) fn new(model: &'a Model, packing: Packing, count: usize) -> Self {
        let layout = PaletteLayout::new(model, SceneIndex(0));
        let mut palette = Palette::new(&layout, packing);
        let bounds = Bounds { min: Vector3::new(-1.5, 0.0, -1.5), max: Vector3::new(1.5, 4.0, 3.0) };
        let mut crowd = Crowd::on_grid(count, &bounds, 0.0);
        crowd.update(model, &layout, None, 0.0, &mut palette);
        let bounds = *crowd.hull(&Hull::of_bounds(&bounds)).bounds();
        let eye = bounds.centre() + Vector3::new(0.5, 0.35, 1.0).normalize() * bounds.diagonal() * 1.3;
        let mut camera = Camera::look_at(eye, bounds.centre(), 0.7);
        camera.fit_depth(&bounds);
        Self { model, layout, palette, camera, lighting: Lighting::Studio, background: Background::Colour([0.0; 3]) }
    }

    pub(crate) fn frame(&self) -> Frame<'_> {
        Frame {
            layout: &self.layout,
            palette: &self.palette,
            camera: self.camera,
            lighting: &self.lighting,
            background: self.background,
        }
    }
}
