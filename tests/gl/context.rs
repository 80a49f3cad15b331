//! A GL context, a renderer, and a posed model in front of a camera.

use nalgebra::{Matrix3, Vector3};
use rigview::crowd::{Crowd, CrowdAnimator};
use rigview::math::{Aabb, Affine, SupportHull};
use rigview::model::{Model, SceneIndex};
use rigview::palette::{MatrixFormat, Palette, PaletteLayout, Rig};
use rigview::platform::headless::Headless;
use rigview::render::{RenderError, RenderOptions, Renderer, Target};
use rigview::scene::layout::{PlaybackRules, grid};
use rigview::scene::{Background, Camera, DebugView, Frame, Lens, Light, Lighting, PosedCrowd};

/// Context and renderer of a test.
pub(crate) struct GlTestContext {
    // In drop order: the context goes last.
    pub(crate) renderer: Renderer,
    pub(crate) headless: Headless,
}

impl GlTestContext {
    pub(crate) fn new() -> Self {
        Self::with(RenderOptions::default())
    }

    /// Limits buffer textures to fewer texels.
    pub(crate) fn with_palette_limit(max_palette_texels: Option<usize>) -> Self {
        Self::with(RenderOptions { max_palette_texels, ..RenderOptions::default() })
    }

    pub(crate) fn with(options: RenderOptions) -> Self {
        let headless = Headless::new().unwrap_or_else(|error| panic!("these tests need OpenGL: {error}"));
        let renderer = Renderer::new(headless.gpu(), options).unwrap();
        Self { renderer, headless }
    }

    /// Renders one frame without multisampling.
    pub(crate) fn image(&mut self, shot: &Shot<'_>) -> RenderedImage {
        self.try_render(shot, 1).unwrap()
    }

    /// Renders several crowds with the camera of the first.
    pub(crate) fn render_all(&mut self, shots: &[&Shot<'_>]) -> RenderedImage {
        let first = shots[0];
        let mut target = Target::new(self.headless.gpu(), first.size.0, first.size.1, 1).unwrap();
        let upload = |shot: &&Shot<'_>| self.renderer.upload(shot.model, &shot.layout).unwrap();
        let models: Vec<_> = shots.iter().map(upload).collect();
        let others: Vec<_> = shots[1..]
            .iter()
            .map(|shot| PosedCrowd { layout: &shot.layout, palette: &shot.palette, detail: None })
            .collect();
        let frame = Frame { other_crowds: &others, ..first.frame() };
        self.renderer.draw(&models.iter().collect::<Vec<_>>(), &frame, &mut target).unwrap();
        RenderedImage { width: first.size.0, rgba: target.read_rgba().unwrap() }
    }

    pub(crate) fn try_render(&mut self, shot: &Shot<'_>, samples: u32) -> Result<RenderedImage, RenderError> {
        let mut target = Target::new(self.headless.gpu(), shot.size.0, shot.size.1, samples)?;
        let model = self.renderer.upload(shot.model, &shot.layout)?;
        self.renderer.draw(&[&model], &shot.frame(), &mut target)?;
        Ok(RenderedImage { width: shot.size.0, rgba: target.read_rgba()? })
    }
}

/// An image that was read back.
#[derive(Clone, PartialEq)]
pub(crate) struct RenderedImage {
    width: u32,
    pub(crate) rgba: Vec<u8>,
}

impl RenderedImage {
    pub(crate) fn new(width: u32, rgba: Vec<u8>) -> Self {
        Self { width, rgba }
    }

    /// A pixel; the origin is the upper left corner.
    pub(crate) fn at(&self, x: u32, y: u32) -> [u8; 4] {
        self.rgba[((y * self.width + x) * 4) as usize..][..4].try_into().unwrap()
    }

    /// The pixel in the middle.
    pub(crate) fn middle(&self) -> [u8; 4] {
        self.at(self.width / 2, self.rgba.len() as u32 / 4 / self.width / 2)
    }

    /// Number of pixels with this color.
    pub(crate) fn count(&self, color: [u8; 4]) -> usize {
        self.rgba.chunks_exact(4).filter(|pixel| **pixel == color).count()
    }
}

/// A posed model with camera and light.
pub(crate) struct Shot<'a> {
    pub(crate) model: &'a Model,
    pub(crate) layout: PaletteLayout,
    pub(crate) palette: Palette,
    pub(crate) camera: Camera,
    pub(crate) lighting: Lighting,
    pub(crate) background: Background,
    pub(crate) size: (u32, u32),
    pub(crate) look: DebugView<'a>,
}

impl<'a> Shot<'a> {
    /// The rest pose of `count` instances in the studio light, seen from above on black.
    pub(crate) fn of_crowd(model: &'a Model, packing: MatrixFormat, count: usize) -> Self {
        let layout = PaletteLayout::new(model, SceneIndex(0));
        let bounds = Aabb { min: Vector3::new(-1.5, 0.0, -1.5), max: Vector3::new(1.5, 4.0, 3.0) };
        let mut crowd = PlaybackRules::for_clip(None).crowd(&grid(count, &bounds), &[], model);
        let palette = posed(model, &layout, packing, &mut crowd, 0.0);
        let bounds = *crowd.hull(&SupportHull::from_aabb(&bounds)).bounds();
        let eye = bounds.center() + Vector3::new(0.5, 0.35, 1.0).normalize() * bounds.diagonal() * 1.3;
        let mut camera = Camera::look_at(eye, bounds.center(), 0.7);
        camera.fit_depth(&bounds);
        let (lighting, background) = (Lighting::studio(), Background::Color([0.0; 3]));
        Self { model, layout, palette, camera, lighting, background, size: (160, 120), look: DebugView::default() }
    }

    /// One instance in 32 x 32 pixels, seen along -Z. The image spans -1 to 1, and depths from +10 to -10.
    pub(crate) fn flat(model: &'a Model) -> Self {
        let world_from_view = Affine { linear: Matrix3::identity(), translation: Vector3::new(0.0, 0.0, 10.0) };
        let lens = Lens::Orthographic { half_size: [1.0, 1.0] };
        let camera = Camera { world_from_view, lens, shift: [0.0; 2], near: 0.0, far: 20.0 };
        Self { camera, size: (32, 32), ..Self::of_crowd(model, MatrixFormat::Mat3x4, 1) }
    }

    /// Replaces the background.
    pub(crate) fn before(mut self, background: Background) -> Self {
        self.background = background;
        self
    }

    /// Replaces the lights by one light.
    pub(crate) fn under(mut self, to_light_in_world: Vector3<f64>, illuminance_lux: f64) -> Self {
        self.lighting = Lighting::from_lights(vec![Light::directional(to_light_in_world, illuminance_lux)]);
        self
    }

    /// The rig with the palette's format.
    pub(crate) fn rig(&self) -> Rig {
        Rig::with_layout(self.model.clone(), self.layout.clone(), self.palette.format())
    }

    pub(crate) fn frame(&self) -> Frame<'_> {
        Frame {
            layout: &self.layout,
            palette: &self.palette,
            detail: None,
            other_crowds: &[],
            camera: self.camera,
            lighting: &self.lighting,
            background: self.background,
            debug_view: self.look,
        }
    }
}

/// The palette of a crowd, in double precision.
pub(crate) fn posed(
    model: &Model,
    layout: &PaletteLayout,
    format: MatrixFormat,
    crowd: &mut Crowd,
    time_secs: f64,
) -> Palette {
    let mut animator = CrowdAnimator::new(&Rig::with_layout(model.clone(), layout.clone(), format));
    animator.update_in_double_precision(crowd, time_secs);
    animator.into_palette()
}

/// sRGB byte of a linear value.
pub(crate) fn byte(linear: f64) -> u8 {
    let linear = linear.clamp(0.0, 1.0);
    let encoded = if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
    (encoded * 255.0).round() as u8
}

/// Asserts that two colors differ by at most 1 per channel.
pub(crate) fn assert_close(found: [u8; 4], expected: [u8; 4]) {
    assert!(found.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= 1), "found {found:?}, expected {expected:?}");
}

/// Linear value of an sRGB-encoded byte.
pub(crate) fn linear(byte: u8) -> f64 {
    let x = f64::from(byte) / 255.0;
    if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}
