//! A frame to pixels.
//!
//! Window, pictures and tests share one path: linear light into half floats with several samples a pixel, then one pass
//! that averages the samples, puts the background behind and encodes into bytes ([`Target`]), which are read back or
//! shown in a window.

mod background_pass;
mod compare_pass;
mod crowd_draw;
mod debug_view_pass;
mod debug_view_shader;
mod draw_list;
mod environment;
mod error;
mod gpu_model;
mod gpu_primitive;
mod lights;
mod material_features;
mod mesh_pass;
mod morphs;
mod overlay_pass;
mod pages;
mod palette_buffers;
mod palette_source;
mod readback;
mod resolve_pass;
mod row_tiles;
mod shadow_catcher_pass;
mod sheen_albedo_lut;
mod skinning_readback;
mod tangents;
mod target;
mod textures;
mod transmission_background;
mod uniforms;
mod variant;

pub use compare_pass::Comparison;
pub use error::RenderError;
pub use gpu_model::GpuModel;
pub use palette_source::{PaletteSource, PaletteUpload};
pub use target::Target;

use crate::gpu::{Gpu, GpuError, Timer};
use crate::model::Model;
use crate::palette::{Palette, PaletteLayout};
use crate::scene::{Background, Frame, Lighting, PosedCrowd};
use background_pass::BackgroundPass;
use compare_pass::ComparePass;
use crowd_draw::Drawn;
use debug_view_pass::DebugViewPass;
use debug_view_shader::Paint;
use environment::EnvironmentTexture;
use mesh_pass::{MeshPass, Raster};
use pages::PagePlan;
use palette_buffers::PaletteBuffers;
use resolve_pass::EncodePass;
use shadow_catcher_pass::ShadowCatcherPass;
use smallvec::SmallVec;
use std::rc::Rc;
use transmission_background::Behind;
use variant::ShaderCache;

/// Choices that hold for everything a renderer draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RenderOptions {
    /// The most texels of a buffer texture, if fewer than the driver's own limit. Pictures do not depend on it.
    pub max_palette_texels: Option<usize>,
    /// Rows of the bands that a picture is drawn in; `None` for as many as memory and work suggest.
    pub rows_per_tile: Option<u32>,
    /// How vertex shaders read palettes: other ways than the usual one are there to be compared with it.
    pub palette_source: PaletteSource,
    /// How palettes get to the driver: likewise.
    pub palette_upload: PaletteUpload,
    /// The most texels along a side of a texture, if fewer than the driver's own limit. Larger ones are halved.
    pub max_texture_size: Option<u32>,
}

/// Draws frames. It keeps shaders and buffers from one frame to the next.
pub struct Renderer {
    gpu: Rc<Gpu>,
    max_palette_texels: usize,
    palette_source: PaletteSource,
    palette_upload: PaletteUpload,
    rows_per_tile: Option<u32>,
    max_texture_size: u32,
    variants: ShaderCache,
    /// For each crowd of the last frame its palette, and how it was cut.
    palettes: Vec<PaletteBuffers>,
    plans: Vec<PagePlan>,
    environment: EnvironmentTexture,
    behind: Behind,
    mesh_pass: MeshPass,
    /// What draws ground, once some was asked for.
    ground_pass: Option<ShadowCatcherPass>,
    encode_pass: EncodePass,
    /// What draws the surroundings, once they were to be seen.
    backdrop_pass: Option<BackgroundPass>,
    /// What draws looks, once one was asked for.
    look_pass: Option<DebugViewPass>,
    /// What puts two pictures together, once that was asked for.
    compare_pass: Option<ComparePass>,
    /// What measures the GPU, once that was asked for.
    timer: Option<Timer>,
}

impl Renderer {
    /// A renderer that has compiled nothing yet.
    ///
    /// # Errors
    /// When the driver has no buffer or vertex array left.
    pub fn new(gpu: &Rc<Gpu>, options: RenderOptions) -> Result<Self, RenderError> {
        let limit = options.palette_source.capacity(gpu.limits()).unwrap_or(0);
        let max_texture_size = gpu.limits().texture_size;
        Ok(Self {
            gpu: Rc::clone(gpu),
            max_palette_texels: options.max_palette_texels.map_or(limit, |texels| texels.min(limit)),
            palette_source: options.palette_source,
            palette_upload: options.palette_upload,
            rows_per_tile: options.rows_per_tile,
            max_texture_size: options
                .max_texture_size
                .map_or(max_texture_size, |texels| texels.clamp(1, max_texture_size)),
            variants: ShaderCache::default(),
            palettes: Vec::new(),
            plans: Vec::new(),
            environment: EnvironmentTexture::default(),
            behind: Behind::default(),
            mesh_pass: MeshPass::new(gpu)?,
            ground_pass: None,
            encode_pass: EncodePass::new(gpu)?,
            backdrop_pass: None,
            look_pass: None,
            compare_pass: None,
            timer: None,
        })
    }

    /// Uploads the vertices and textures that `layout` draws of `model`.
    ///
    /// # Errors
    /// When the driver cannot hold them.
    pub fn upload(&self, model: &Model, layout: &PaletteLayout) -> Result<GpuModel, RenderError> {
        GpuModel::new(&self.gpu, self.max_texture_size, model, layout)
    }

    /// The same for a model that is uploaded only once: its pictures' texels are gone afterwards.
    ///
    /// # Errors
    /// When the driver cannot hold them.
    pub fn upload_and_free_images(&self, model: &mut Model, layout: &PaletteLayout) -> Result<GpuModel, RenderError> {
        GpuModel::taking(&self.gpu, self.max_texture_size, model, layout)
    }

    /// Does beforehand what does not depend on the model, above all compiling: while a file is still being read, say.
    ///
    /// What is drawn afterwards does not depend on it.
    ///
    /// # Errors
    /// When the driver fails.
    pub fn prepare(&mut self, target: &Target, lighting: &Lighting, background: Background) -> Result<(), RenderError> {
        self.gpu.begin_pass();
        self.upload_environment(lighting)?;
        self.encode_pass.prepare(&self.gpu, target, background)?;
        self.gpu.end_pass(variant::unit::COUNT);
        Ok(self.gpu.check("preparing to draw")?)
    }

    /// Uploads the palettes of `frame`, unless they are there already. [`draw`](Self::draw) does so by itself; this is for
    /// those who want to choose the moment.
    ///
    /// # Errors
    /// When the driver fails, or its buffer textures cannot hold a section of a palette.
    pub fn upload_palettes(&mut self, frame: &Frame<'_>) -> Result<(), RenderError> {
        self.plans.clear();
        for (number, PosedCrowd { layout, palette }) in frame.crowds().enumerate() {
            let plan = self.upload_palette(number, layout, palette)?;
            self.plans.push(plan);
        }
        self.palettes.truncate(self.plans.len());
        Ok(())
    }

    /// Draws `frame`, whose crowds are of these models, and leaves the finished picture in `target`.
    ///
    /// # Errors
    /// When the driver fails, its buffer textures cannot hold a section of a palette, or there are too many lights.
    ///
    /// # Panics
    /// If `frame` has another number of crowds, or one of another layout than its model was uploaded for; or if an instance
    /// exceeds the [`capacity`](Transport::capacity) of another transport than the usual one, which draw plain looks only.
    pub fn draw(&mut self, models: &[&GpuModel], frame: &Frame<'_>, target: &mut Target) -> Result<(), RenderError> {
        if let Some(timer) = &mut self.timer {
            timer.start();
        }
        let drawn = self.draw_untimed(models, frame, target);
        if let Some(timer) = &mut self.timer {
            timer.stop();
        }
        drawn
    }

    fn draw_untimed(
        &mut self,
        models: &[&GpuModel],
        frame: &Frame<'_>,
        target: &mut Target,
    ) -> Result<(), RenderError> {
        assert_eq!(models.len(), 1 + frame.other_crowds.len(), "a model for each crowd");
        let plain = self.palette_source == PaletteSource::BufferTexture || frame.debug_view.is_default();
        assert!(plain, "looks read buffer textures");
        self.upload_palettes(frame)?;
        self.gpu.begin_pass();
        self.upload_environment(frame.lighting)?;
        let Self { gpu, variants, palettes, plans, mesh_pass, ground_pass, look_pass, .. } = self;
        let crowds: SmallVec<[Drawn<'_>; 4]> = frame
            .crowds()
            .zip(models)
            .zip(plans.iter().zip(palettes.iter()))
            .map(|((PosedCrowd { layout, palette }, model), (plan, pages))| Drawn {
                model,
                layout,
                palette,
                plan,
                pages,
            })
            .collect();
        // Those left out, too: bands must not depend on them.
        let vertices_of =
            |drawn: &Drawn<'_>| drawn.model.drawn_vertices().saturating_mul(drawn.palette.crowd_count() as u64);
        let vertices = crowds.iter().map(vertices_of).fold(0, u64::saturating_add);
        let bands = target.cut(self.rows_per_tile, vertices)?;
        let (paint, raster) = (Paint::of(frame.debug_view.mode), Raster::of(target));
        let calls = mesh_pass.begin(gpu, variants, (frame, &crowds, raster), paint)?;
        let look_calls = match frame.debug_view.is_default() {
            true => None,
            false => {
                Some(made(look_pass, || DebugViewPass::new(gpu))?.begin(gpu, variants, (frame, &crowds, target))?)
            }
        };
        let ground = match &frame.lighting.shadow_catcher {
            Some(ground) => {
                let pass = made(ground_pass, || ShadowCatcherPass::new(gpu))?;
                pass.begin(gpu, variants, (frame, &crowds, ground), raster.aspect)?;
                Some(&*pass)
            }
            None => None,
        };
        let backdrop = match BackgroundPass::is_wanted(frame) {
            true => {
                let pass = made(&mut self.backdrop_pass, || BackgroundPass::new(gpu))?;
                pass.begin(gpu, frame, raster.aspect)?;
                Some(&*pass)
            }
            false => None,
        };
        if calls.any_sees_through() {
            let behind = self.behind.framebuffer(gpu, target)?;
            for rows in &bands {
                gpu.begin_pass();
                self.environment.bind(variant::unit::ENVIRONMENT);
                ground.inspect(|ground| ground.bind());
                target.scene.bind_as_rows(rows.start, target.height());
                target.scene.clear();
                if let Some(backdrop) = backdrop {
                    mesh_pass.bind_frame();
                    backdrop.draw(gpu, frame)?;
                }
                mesh_pass.draw_calls(gpu, &crowds, (&calls, calls.opaque()))?;
                if let Some(ground) = ground {
                    ground.draw(gpu)?;
                }
                self.encode_pass.draw_linear(gpu, (target, behind), rows, frame.background)?;
            }
            self.behind.finish();
        }
        for rows in &bands {
            gpu.begin_pass();
            self.environment.bind(variant::unit::ENVIRONMENT);
            self.behind.bind(variant::unit::BEHIND);
            ground.inspect(|ground| ground.bind());
            target.scene.bind_as_rows(rows.start, target.height());
            target.scene.clear();
            if let Some(backdrop) = backdrop {
                mesh_pass.bind_frame();
                backdrop.draw(gpu, frame)?;
            }
            let mut look = look_pass.as_mut().zip(look_calls.as_ref());
            if let Some((look_pass, _)) = &mut look {
                look_pass.bind(frame, target)?;
            }
            if let Some(ground) = ground {
                // Behind what is blended over it.
                mesh_pass.draw_calls(gpu, &crowds, (&calls, calls.opaque()))?;
                ground.draw(gpu)?;
                mesh_pass.draw_calls(gpu, &crowds, (&calls, calls.after_opaque()))?;
            } else {
                mesh_pass.draw_band(gpu, &crowds, &calls)?;
            }
            if let Some((look_pass, look_calls)) = look {
                look_pass.draw_band(gpu, (frame, &crowds, target), look_calls)?;
            }
            self.encode_pass.draw(gpu, target, rows, frame.background)?;
        }
        mesh_pass.keep(calls);
        self.gpu.end_pass(variant::unit::COUNT);
        Ok(self.gpu.check("drawing a frame")?)
    }

    /// Measures from now on how long the GPU takes for each [`draw`](Self::draw).
    ///
    /// # Errors
    /// When the driver has no query left.
    pub fn enable_gpu_timer(&mut self) -> Result<(), RenderError> {
        self.timer = Some(Timer::new(&self.gpu)?);
        Ok(())
    }

    /// How long the GPU took for a picture of late: the last that it has told of, without waiting.
    pub fn gpu_time(&self) -> Option<std::time::Duration> {
        self.timer.as_ref().and_then(Timer::last)
    }

    /// Puts two pictures of one size together in `into`, another one of that size.
    ///
    /// # Errors
    /// When the driver fails.
    pub fn compare(&mut self, pictures: [&Target; 2], how: Comparison, into: &mut Target) -> Result<(), RenderError> {
        made(&mut self.compare_pass, || ComparePass::new(&self.gpu))?.draw(&self.gpu, pictures, how, into)
    }

    /// Where the driver lays out parameters otherwise than this program does, in words; nothing when all is well.
    ///
    /// # Errors
    /// When a shader does not compile.
    pub fn uniform_layout_mismatches(&mut self) -> Result<Vec<String>, RenderError> {
        let mesh = self.variants.get(&self.gpu, &variant::Variant::with_everything())?;
        let encode = self.encode_pass.any_program(&self.gpu)?;
        let mut differences = uniforms::FRAME_LAYOUT.differences(&mesh);
        differences.extend(uniforms::DRAW_LAYOUT.differences(&mesh));
        differences.extend(uniforms::LAYERS_LAYOUT.differences(&mesh));
        differences.extend(uniforms::ENCODE_LAYOUT.differences(encode));
        Ok(differences)
    }

    fn upload_environment(&mut self, lighting: &Lighting) -> Result<(), RenderError> {
        match &lighting.environment {
            Some(surroundings) => Ok(self.environment.set(&self.gpu, &surroundings.environment)?),
            None => Ok(()),
        }
    }

    /// Puts a palette where that of the crowd of this number lies; how it was cut.
    fn upload_palette(
        &mut self,
        number: usize,
        layout: &PaletteLayout,
        palette: &Palette,
    ) -> Result<PagePlan, RenderError> {
        let mut plan = PagePlan::new(layout, palette.format(), self.max_palette_texels)?;
        if self.palette_source.is_by_instance() {
            plan = plan.one_by_one();
        }
        assert!(
            self.palette_source == PaletteSource::BufferTexture || plan.is_whole(),
            "a transport that cannot hold an instance"
        );
        assert_eq!(plan.stride(), palette.stride_texels(), "a palette of another layout");
        if self.palettes.len() <= number {
            self.palettes.resize_with(number + 1, PaletteBuffers::default);
        }
        self.palettes[number].update(&self.gpu, palette, &plan, (self.palette_source, self.palette_upload))?;
        Ok(plan)
    }
}

/// What `place` holds; made if it holds nothing yet.
fn made<T>(place: &mut Option<T>, make: impl FnOnce() -> Result<T, GpuError>) -> Result<&mut T, GpuError> {
    match place {
        Some(made) => Ok(made),
        none => Ok(none.insert(make()?)),
    }
}
