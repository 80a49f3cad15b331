//! The renderer: uploads models and palettes, and draws frames pass by pass.

use crate::gpu::{DeviceType, Gpu, GpuError, PassTimer, ProgramUse, VisibilityQuery, WarmUp};
use crate::render::bindings::unit;
use crate::render::error::RenderError;
use crate::render::gpu_model::{GpuModel, ModelLevels, ModelUpload, PreparedModel, UploadOptions};
use crate::render::palette::{PageLayout, PaletteBuffers};
use crate::render::passes::{
    AmbientOcclusionPass, BackgroundPass, ComparePass, Comparison, DebugViewPass, EnvironmentTexture, GpuCrowd,
    MeshPass, PassInput, ResolvePass, SampledLightPass, SunShadowPass, TransmissionBackground, Viewport,
};
use crate::render::shader::{DrawMode, ShaderCache, ShaderKey};
use crate::render::target::Target;
use crate::render::uniforms::{
    DrawUniforms, FrameUniforms, MaterialFeatureUniforms, MaterialUniforms, ResolveUniforms,
};
use crate::scene::{Background, DebugView, Frame, FrameSample, Lighting, PosedCrowd, ToneMapping, ViewMode};
use rigview_core::model::Model;
use rigview_core::palette::{Palette, PaletteLayout};
use serde::Serialize;
use smallvec::SmallVec;
use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

/// Options of a [`Renderer`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RenderOptions {
    /// Maximum texels of a buffer texture, if lower than the driver's limit. Does not affect images.
    pub max_palette_texels: Option<usize>,
    /// Rows of the tiles that an image is drawn in, rounded up to an even number; `None` chooses by memory and work.
    pub rows_per_tile: Option<u32>,
    /// Maximum width and height of a texture, if lower than the driver's limit. Larger images are halved.
    pub max_texture_size: Option<u32>,
    /// Draws each primitive of each node with calls of its own. Does not affect images.
    pub separate_draw_calls: bool,
}

/// Counts of a frame's meshes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawStatistics {
    /// Number of draw calls, without shadow maps and views of triangles.
    pub draw_calls: usize,
    /// Number of vertices of these calls over all instances; fewer with levels of detail.
    pub vertices: u64,
    /// Number of programs that the renderer has compiled for meshes, in all frames.
    pub programs: usize,
}

/// The passes of a frame, in order. The palettes of all crowds are uploaded before the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FramePass {
    /// Samples of a progressive image only. Reads meshes; writes the shadow map of one light, its reflective shadow map, and the
    /// translucent shadow map.
    SampledLight,
    /// Reads meshes; writes the shadow map of the sun.
    SunShadow,
    /// Reads meshes, environment and the shadow map of the sun; writes the G-buffer, and from it the ambient occlusion texture.
    AmbientOcclusion,
    /// Frames with transmissive materials only. Reads opaque meshes and all of the above; writes the HDR image, and from it the
    /// background that transmissive materials refract.
    TransmissionBackground,
    /// Reads meshes and all of the above; writes the HDR image: background, opaque meshes, shadow catcher, blended meshes.
    Meshes,
    /// Reads meshes and overlay geometry; blends views of triangles and overlays over the HDR image.
    DebugView,
    /// Reads the HDR image; writes the image, or adds to the mean of a progressive image.
    Resolve,
}

impl FramePass {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::SampledLight => "sampled light",
            Self::SunShadow => "sun shadow",
            Self::AmbientOcclusion => "ambient occlusion",
            Self::TransmissionBackground => "transmission background",
            Self::Meshes => "meshes",
            Self::DebugView => "debug view",
            Self::Resolve => "resolve",
        }
    }
}

/// Draws frames. Keeps shaders and buffers from frame to frame.
///
/// An image of the first clip at half a second:
///
/// ```no_run
/// use rigview_core::{crowd::*, import::*, math::Affine, model::ClipIndex, palette::Rig};
/// use rigview_render::{platform::headless::Headless, render::*, scene::*};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = open(std::path::Path::new("hare.glb"), &ImportOptions::default())?.model;
/// let scene = model.default_scene;
/// let rig = Rig::new(model, scene).unwrap();
/// let mut crowd = Crowd::new([Instance::new(Affine::IDENTITY, Some(ClipIndex(0)), 0.0)]);
/// let mut animator = CrowdAnimator::new(&rig);
/// animator.update(&mut crowd, 0.5);
///
/// let headless = Headless::new()?;
/// let mut renderer = Renderer::new(headless.gpu(), RenderOptions::default())?;
/// let gpu_model = renderer.upload(rig.model(), rig.layout())?;
/// let mut target = Target::new(headless.gpu(), 640, 360, 4)?;
/// let hull = clip_hull(&rig, Some(ClipIndex(0)));
/// let frame = Frame {
///     layout: rig.layout(),
///     palette: animator.palette(),
///     detail: None,
///     other_crowds: &[],
///     camera: Orbit::framing(&hull, 640.0 / 360.0).camera(hull.bounds()),
///     lighting: &Lighting::studio(),
///     background: Background::Studio,
///     debug_view: DebugView::default(),
/// };
/// renderer.draw(&[&gpu_model], &frame, &mut target)?;
/// let rgba: Vec<u8> = target.read_rgba()?;
/// # Ok(())
/// # }
/// ```
pub struct Renderer {
    pub(super) gpu: Rc<Gpu>,
    max_palette_texels: usize,
    rows_per_tile: Option<u32>,
    max_texture_size: u32,
    separate_draw_calls: bool,
    texture_anisotropy: u32,
    draws_while_compiling: bool,
    /// Time of a step that compiles programs; `None` if frames wait for them.
    step_time: Option<Duration>,
    /// Models whose frames are warmed up, and the warm-up of others.
    warm_models: HashSet<u64>,
    warm_up: Option<(Vec<u64>, WarmUp)>,
    is_compiling: bool,
    has_skipped_frame: bool,
    pub(super) shaders: ShaderCache,
    /// Palette of each crowd of the last frame.
    pub(super) palettes: Vec<PaletteBuffers>,
    /// Split of each palette into pages.
    page_layouts: Vec<PageLayout>,
    environment: EnvironmentTexture,
    transmission_background: TransmissionBackground,
    pub(super) mesh_pass: MeshPass,
    resolve_pass: ResolvePass,
    // Created at their first use.
    ambient_occlusion_pass: Option<AmbientOcclusionPass>,
    sampled_light_pass: Option<SampledLightPass>,
    sun_shadow_pass: Option<SunShadowPass>,
    background_pass: Option<BackgroundPass>,
    debug_view_pass: Option<DebugViewPass>,
    compare_pass: Option<ComparePass>,
    visibility: Option<VisibilityQuery>,
    pass_timer: Option<PassTimer<FramePass>>,
    statistics: DrawStatistics,
}

/// Parameters of one sample of a progressive image.
#[derive(Clone, Copy)]
struct SampleParams<'a> {
    sample: &'a FrameSample,
    /// Tone mapping of the mean; `None` if each sample is tone-mapped.
    tone_mapping: Option<ToneMapping>,
}

impl Renderer {
    /// Creates a renderer without compiling shaders.
    ///
    /// # Errors
    /// When the driver cannot create buffers.
    pub fn new(gpu: &Rc<Gpu>, options: RenderOptions) -> Result<Self, RenderError> {
        let capacity = gpu.limits().buffer_texels;
        let texture_size = gpu.limits().texture_size;
        Ok(Self {
            gpu: Rc::clone(gpu),
            max_palette_texels: options.max_palette_texels.map_or(capacity, |texels| texels.min(capacity)),
            rows_per_tile: options.rows_per_tile,
            max_texture_size: options.max_texture_size.map_or(texture_size, |size| size.clamp(1, texture_size)),
            separate_draw_calls: options.separate_draw_calls,
            texture_anisotropy: 1,
            draws_while_compiling: false,
            step_time: None,
            warm_models: HashSet::new(),
            warm_up: None,
            is_compiling: false,
            has_skipped_frame: false,
            shaders: ShaderCache::default(),
            palettes: Vec::new(),
            page_layouts: Vec::new(),
            environment: EnvironmentTexture::default(),
            transmission_background: TransmissionBackground::default(),
            mesh_pass: MeshPass::new(gpu)?,
            resolve_pass: ResolvePass::new(gpu)?,
            ambient_occlusion_pass: None,
            sampled_light_pass: None,
            sun_shadow_pass: None,
            background_pass: None,
            debug_view_pass: None,
            compare_pass: None,
            visibility: None,
            pass_timer: None,
            statistics: DrawStatistics::default(),
        })
    }

    /// Returns the context.
    pub fn gpu(&self) -> &Rc<Gpu> {
        &self.gpu
    }

    /// Uploads the vertices and textures that `layout` draws of `model`.
    ///
    /// # Errors
    /// When the driver cannot hold them.
    pub fn upload(&self, model: &Model, layout: &PaletteLayout) -> Result<GpuModel, RenderError> {
        self.start_upload(PreparedModel::new(model, layout, self.upload_options()))?.finish()
    }

    /// Prepares an upload for few frames, to [start](Self::start_upload) after the texels of the model's images are dropped: materials
    /// share shaders, which take longer to compile than a frame to draw.
    pub fn prepare_for_few_frames(&self, model: &Model, layout: &PaletteLayout) -> PreparedModel {
        let options = UploadOptions { merges_permutations: true, ..self.upload_options() };
        PreparedModel::new(model, layout, options)
    }

    /// Starts to upload a model that another thread may have prepared, with [`upload_options`](Self::upload_options) of this renderer.
    ///
    /// # Errors
    /// When the driver cannot hold the model.
    pub fn start_upload(&self, prepared: PreparedModel) -> Result<ModelUpload, RenderError> {
        ModelUpload::new(&self.gpu, prepared)
    }

    /// What [`PreparedModel::new`] needs to know of this renderer.
    pub fn upload_options(&self) -> UploadOptions {
        UploadOptions {
            max_texture_size: self.max_texture_size,
            max_palette_texels: self.max_palette_texels,
            batches_draws: !self.separate_draw_calls,
            merges_permutations: false,
        }
    }

    /// Uploads levels of detail. Frames with a [`DetailSelection`](crate::scene::DetailSelection) use them.
    ///
    /// # Errors
    /// When the driver cannot hold them.
    ///
    /// # Panics
    /// If the levels are of another model.
    pub fn upload_levels(&self, model: &mut GpuModel, levels: &ModelLevels) -> Result<(), RenderError> {
        model.set_levels(&self.gpu, levels)
    }

    /// Uploads one value per vertex of each draw of the layout, in place of earlier ones. A draw may have none.
    ///
    /// [`ViewMode::WeightSymmetry`] shows the difference from the weights of the mirrored vertex, -1 without one.
    ///
    /// # Errors
    /// When the driver cannot hold them.
    ///
    /// # Panics
    /// If a list has fewer values than its draw has vertices.
    pub fn upload_vertex_values(&self, model: &GpuModel, of_draws: &[Vec<f32>]) -> Result<(), RenderError> {
        model.set_vertex_values(&self.gpu, of_draws)
    }

    /// Does the work that does not depend on a model ahead of the first frame, for example while a file loads.
    ///
    /// # Errors
    /// When the driver fails.
    pub fn prepare(&mut self, target: &Target, lighting: &Lighting, background: Background) -> Result<(), RenderError> {
        self.gpu.begin_pass();
        self.upload_environment(lighting)?;
        self.resolve_pass.prepare(&self.gpu, target, background)?;
        self.gpu.end_pass();
        Ok(self.gpu.debug_check("preparing to draw")?)
    }

    /// Uploads the palettes of `frame`, unless they are already uploaded. [`draw`](Self::draw) also does this.
    ///
    /// # Errors
    /// When the driver fails, or its buffer textures cannot hold a matrix range of a palette.
    pub fn upload_palettes(&mut self, frame: &Frame<'_>) -> Result<(), RenderError> {
        self.page_layouts.clear();
        for (index, PosedCrowd { layout, palette, .. }) in frame.crowds().enumerate() {
            let page_layout = self.upload_palette(index, layout, palette)?;
            self.page_layouts.push(page_layout);
        }
        self.palettes.truncate(self.page_layouts.len());
        Ok(())
    }

    /// Draws `frame` into `target`. `models` are those of its crowds.
    ///
    /// # Errors
    /// When the driver fails, its buffer textures cannot hold a matrix range of a palette, or there are too many lights.
    ///
    /// # Panics
    /// If the number of models differs from the number of crowds, or a model is of another layout than its crowd.
    pub fn draw(&mut self, models: &[&GpuModel], frame: &Frame<'_>, target: &mut Target) -> Result<(), RenderError> {
        if let Some(step_time) = self.step_time {
            self.has_skipped_frame = !self.draw_or_warm_up(models, frame, target, step_time)?;
            self.is_compiling = self.has_skipped_frame;
            return Ok(());
        }
        self.has_skipped_frame = false;
        self.is_compiling = !self.try_draw_frame(models, frame, None, target)?;
        if self.is_compiling {
            let DebugView { overlay, hidden_draws, skinning, .. } = frame.debug_view;
            let mode = ViewMode::Solid;
            let debug_view = DebugView { mode, overlay, hidden_draws, skinning, ..DebugView::default() };
            self.draw_frame(models, &Frame { lighting: &Lighting::default(), debug_view, ..*frame }, None, target)?;
        }
        Ok(())
    }

    /// Draws frames as [`ViewMode::Solid`] from now on while the driver compiles their programs. Without this, a frame waits. The
    /// shaders of this view are small; a frame waits for them.
    pub fn draw_while_compiling(&mut self) {
        self.draws_while_compiling = true;
    }

    /// Selects if frames whose programs are not compiled leave their target as it is from now on. Instead, they take a step of the
    /// compilation: one program, or several within 8 ms. Only for drivers that draw on the CPU: they compile at the first draw, on the
    /// calling thread.
    ///
    /// One warm-up takes steps at a time: the frame of other models waits until [`has_skipped_frame`](Self::has_skipped_frame) returns
    /// `false`, which it does from this call to the next skipped frame.
    pub fn compile_in_steps(&mut self, in_steps: bool) {
        self.has_skipped_frame = false;
        const STEP_TIME: Duration = Duration::from_millis(8);
        let is_software = self.gpu.device_type() == DeviceType::Software;
        self.step_time = (in_steps && is_software).then_some(STEP_TIME);
    }

    /// Returns `true` if the last [`draw`](Self::draw) has left its target as it was: [`compile_in_steps`](Self::compile_in_steps).
    pub fn has_skipped_frame(&self) -> bool {
        self.has_skipped_frame
    }

    /// Returns `true` if the last [`draw`](Self::draw) has drawn [`ViewMode::Solid`] or nothing, because programs were not compiled.
    pub fn is_compiling(&self) -> bool {
        self.is_compiling
    }

    /// Adds one sample of a progressive image to `target`, after [`Target::begin_accumulation`]. All samples have the same models.
    ///
    /// The mean of many samples has antialiased edges, shadows of the environment and of all lights, and light that surfaces reflect and
    /// emit. Transmissive surfaces color the light that passes them, and do not bend it.
    /// [`resolve_accumulation`](Self::resolve_accumulation) applies the frame's tone mapping to the mean, which is linear light.
    /// Occlusion textures are not used. Unlit colors keep their values under [`ToneMapping::Neutral`] as far as its range
    /// permits: bright saturated ones are paler. Other operators apply to them.
    ///
    /// After [`draw_while_compiling`](Self::draw_while_compiling), adds nothing until programs are compiled.
    ///
    /// Samples without a light have the shading, the ambient occlusion and the sun shadow of [`draw`](Self::draw), and are
    /// tone-mapped one by one.
    ///
    /// # Errors
    /// As [`draw`](Self::draw).
    ///
    /// # Panics
    /// As [`draw`](Self::draw).
    pub fn accumulate(
        &mut self,
        models: &[&GpuModel],
        frame: &Frame<'_>,
        sample: &FrameSample,
        target: &mut Target,
    ) -> Result<(), RenderError> {
        let mut lighting = frame.lighting.clone();
        let tone_mapping = sample.light.map(|_| std::mem::replace(&mut lighting.tone_mapping, ToneMapping::None));
        let camera = sample.camera(&frame.camera, [target.width(), target.height()]);
        let frame = Frame { camera, lighting: &lighting, ..*frame };
        let draw = SampleParams { sample, tone_mapping };
        self.try_draw_frame(models, &frame, Some(draw), target)?;
        self.gpu.throttle_software_renderer();
        Ok(())
    }

    /// Fills the image of `target` with the mean of its samples.
    ///
    /// # Errors
    /// When the driver fails.
    pub fn resolve_accumulation(&mut self, frame: &Frame<'_>, target: &Target) -> Result<(), RenderError> {
        if let Some(accumulation) = &target.accumulation {
            self.gpu.begin_pass();
            // Debug views are not tone-mapped.
            let is_material = frame.debug_view.mode == ViewMode::Material;
            let is_tone_mapped = accumulation.is_tone_mapped || !is_material;
            let tone_mapping = if is_tone_mapped { ToneMapping::None } else { frame.lighting.tone_mapping };
            self.resolve_pass.draw_accumulated(&self.gpu, target, accumulation, frame.background, tone_mapping)?;
            self.gpu.end_pass();
        }
        Ok(())
    }

    /// Draws a frame if its programs are compiled. Otherwise takes a step of their compilation, and returns `false`.
    fn draw_or_warm_up(
        &mut self,
        models: &[&GpuModel],
        frame: &Frame<'_>,
        target: &mut Target,
        step_time: Duration,
    ) -> Result<bool, RenderError> {
        let ids: Vec<u64> = models.iter().map(|model| model.id).collect();
        // The frame of other models leaves a warm-up as it is, unless it begins one.
        let begun = self.warm_up.as_ref().filter(|(models, _)| *models == ids).map(|(_, warm_up)| *warm_up);
        if begun.is_none()
            && ids.iter().all(|id| self.warm_models.contains(id))
            && self.draw_with(ProgramUse::FailsIfNew, models, frame, None, target)?
        {
            return Ok(true);
        }
        self.gpu.set_warm_up(Some(begun.unwrap_or_else(|| WarmUp::new(step_time)).next_step()));
        let drawn = self.draw_with(ProgramUse::Waits, models, frame, None, target);
        let warm_up = self.gpu.set_warm_up(None).filter(WarmUp::is_over);
        drawn?;
        self.warm_up = warm_up.map(|warm_up| (ids.clone(), warm_up));
        if self.warm_up.is_none() {
            self.warm_models.extend(ids);
        }
        Ok(false)
    }

    /// Draws like [`draw_frame`](Self::draw_frame). Returns `false` if that would wait for programs, and frames do not wait. Each
    /// pass submits its programs before it uses them, so that passes compile one after the other, at most.
    fn try_draw_frame(
        &mut self,
        models: &[&GpuModel],
        frame: &Frame<'_>,
        accumulation: Option<SampleParams<'_>>,
        target: &mut Target,
    ) -> Result<bool, RenderError> {
        let program_use = match self.draws_while_compiling {
            true => ProgramUse::FailsWhileCompiling,
            false => ProgramUse::Waits,
        };
        self.draw_with(program_use, models, frame, accumulation, target)
    }

    fn draw_with(
        &mut self,
        program_use: ProgramUse,
        models: &[&GpuModel],
        frame: &Frame<'_>,
        accumulation: Option<SampleParams<'_>>,
        target: &mut Target,
    ) -> Result<bool, RenderError> {
        self.gpu.set_program_use(program_use);
        let drawn = self.draw_frame(models, frame, accumulation, target);
        self.gpu.set_program_use(ProgramUse::Waits);
        match drawn {
            Err(RenderError::Gpu(GpuError::Compiling)) => {
                self.gpu.end_pass();
                Ok(false)
            }
            drawn => drawn.map(|()| true),
        }
    }

    /// Draws a frame into the image, or adds it to the accumulation as one sample.
    fn draw_frame(
        &mut self,
        models: &[&GpuModel],
        frame: &Frame<'_>,
        accumulation: Option<SampleParams<'_>>,
        target: &mut Target,
    ) -> Result<(), RenderError> {
        assert_eq!(models.len(), 1 + frame.other_crowds.len(), "one model per crowd");
        let has_debug_view = !frame.debug_view.is_default();
        self.upload_palettes(frame)?;
        self.gpu.begin_pass();
        self.upload_environment(frame.lighting)?;
        let samplers = models.iter().flat_map(|model| &model.samplers);
        samplers.for_each(|sampler| sampler.set_anisotropy(self.texture_anisotropy));
        let Self { gpu, shaders, palettes, page_layouts, mesh_pass, resolve_pass, pass_timer, .. } = self;
        pass_timer.as_mut().map_or(Ok(()), PassTimer::begin)?;
        let mut end_pass = |pass: FramePass| pass_timer.as_mut().map_or(Ok(()), |timer| timer.end_pass(pass));
        let crowds = gpu_crowds(models, frame, page_layouts, palettes);
        let tiles = target.split_into_tiles(self.rows_per_tile, element_count(&crowds))?;
        let viewport = Viewport { width: target.width(), height: target.height(), samples: target.samples() };
        let sampled_light = accumulation.and_then(|draw| draw.sample.light.as_ref());
        let is_material = frame.debug_view.mode == ViewMode::Material;
        let has_ambient_occlusion = frame.lighting.ambient_occlusion && is_material && sampled_light.is_none();
        let sun_camera = (frame.lighting.sun_shadow)
            .filter(|_| is_material && sampled_light.is_none() && frame.lighting.sun().is_some())
            .map(|shadow| shadow.camera_of_view(&frame.camera, viewport.aspect()));
        let has_translucent_shadow_map =
            sampled_light.is_some() && crowds.iter().any(|crowd| crowd.model.has_transmissive_draws());
        let input = PassInput {
            sun_camera,
            sampled_light,
            has_translucent_shadow_map,
            texture_lod_bias: accumulation.map(|draw| draw.sample.texture_lod_bias as f32),
            ggx: accumulation.map(|draw| draw.sample.ggx),
            has_ambient_occlusion,
            is_tone_mapped_later: accumulation.is_some_and(|draw| draw.tone_mapping == Some(ToneMapping::Neutral)),
            ..PassInput::new(frame, &crowds, viewport)
        };
        if let Some(draw) = accumulation.filter(|_| sampled_light.is_some()) {
            let pass = get_or_try_insert(&mut self.sampled_light_pass, || SampledLightPass::new(gpu))?;
            pass.draw(gpu, shaders, &input, draw.sample)?;
            end_pass(FramePass::SampledLight)?;
        }
        let sampled_light_pass = self.sampled_light_pass.as_ref().filter(|_| sampled_light.is_some());
        let draws = mesh_pass.begin(gpu, shaders, &input, DrawMode::of(frame.debug_view.mode))?;
        let mut debug_view = None;
        if has_debug_view {
            let pass = get_or_try_insert(&mut self.debug_view_pass, || DebugViewPass::new(gpu))?;
            let draws = pass.begin(gpu, shaders, &input)?;
            debug_view = Some((pass, draws));
        }
        // Light samples have shadows of their own on the models.
        let sun_shadow = frame.lighting.sun_shadow.filter(|shadow| sun_camera.is_some() || shadow.catcher.is_some());
        if let Some(shadow) = &sun_shadow {
            let pass = get_or_try_insert(&mut self.sun_shadow_pass, || SunShadowPass::new(gpu))?;
            let has_same_detail =
                accumulation.is_some() && target.accumulation.as_ref().is_some_and(|sum| sum.count > 0);
            pass.begin(gpu, shaders, &input, shadow, has_same_detail)?;
            end_pass(FramePass::SunShadow)?;
        }
        let sun_shadow_pass = self.sun_shadow_pass.as_ref().filter(|_| sun_shadow.is_some());
        if has_ambient_occlusion {
            let pass = get_or_try_insert(&mut self.ambient_occlusion_pass, || AmbientOcclusionPass::new(gpu))?;
            self.environment.bind();
            sun_shadow_pass.inspect(|pass| pass.bind());
            pass.draw(gpu, shaders, &input)?;
            end_pass(FramePass::AmbientOcclusion)?;
        }
        let ambient_occlusion_pass = self.ambient_occlusion_pass.as_ref().filter(|_| has_ambient_occlusion);
        let shadow_catcher = sun_shadow_pass.filter(|_| sun_shadow.is_some_and(|shadow| shadow.catcher.is_some()));
        let shows_background = BackgroundPass::is_visible(frame);
        if shows_background {
            let pass = get_or_try_insert(&mut self.background_pass, || BackgroundPass::new(gpu))?;
            pass.begin(gpu, frame, viewport.aspect())?;
        }
        let background = self.background_pass.as_ref().filter(|_| shows_background);
        let visibility = &mut self.visibility;
        if let Some(query) = visibility {
            query.reset();
        }
        let mut draw_meshes = |mesh_pass: &mut MeshPass, calls: Range<usize>| match visibility {
            Some(query) => query.measure(|| mesh_pass.draw(gpu, &crowds, &draws, calls))?,
            None => mesh_pass.draw(gpu, &crowds, &draws, calls),
        };
        let environment = &self.environment;
        let begin_tile = |mesh_pass: &MeshPass, rows: &Range<u32>| {
            gpu.begin_pass();
            environment.bind();
            sun_shadow_pass.inspect(|pass| pass.bind());
            sampled_light_pass.inspect(|pass| pass.bind());
            ambient_occlusion_pass.inspect(|pass| pass.bind());
            target.hdr.bind_with_row_offset(rows.start, target.height());
            target.hdr.clear();
            mesh_pass.bind_frame_uniforms();
            background.map_or(Ok(()), |pass| pass.draw(gpu, frame))
        };
        if draws.any_transmissive() {
            let copy = self.transmission_background.framebuffer(gpu, target)?;
            for rows in &tiles {
                begin_tile(mesh_pass, rows)?;
                // Measured as below: llvmpipe compiles the shaders again for draws with a query.
                draw_meshes(mesh_pass, draws.opaque())?;
                shadow_catcher.map_or(Ok(()), |pass| pass.draw_catcher(gpu))?;
                resolve_pass.draw_linear(gpu, target, copy, rows, frame.background)?;
            }
            self.transmission_background.finish();
            end_pass(FramePass::TransmissionBackground)?;
        }
        for rows in &tiles {
            begin_tile(mesh_pass, rows)?;
            self.transmission_background.bind(unit::TRANSMISSION_BACKGROUND);
            if let Some((pass, _)) = &mut debug_view {
                pass.bind(&input)?;
            }
            if let Some(pass) = shadow_catcher {
                // Blended meshes cover the shadow.
                draw_meshes(mesh_pass, draws.opaque())?;
                pass.draw_catcher(gpu)?;
                draw_meshes(mesh_pass, draws.after_opaque())?;
            } else {
                draw_meshes(mesh_pass, draws.all())?;
            }
            end_pass(FramePass::Meshes)?;
            if let Some((pass, draws)) = &mut debug_view {
                pass.draw(gpu, &input, draws)?;
                end_pass(FramePass::DebugView)?;
            }
            match &target.accumulation {
                Some(sum) if accumulation.is_some() => resolve_pass.accumulate(gpu, target, sum, rows)?,
                _ => resolve_pass.draw(gpu, target, rows, frame.background)?,
            }
            end_pass(FramePass::Resolve)?;
        }
        if let (Some(sum), Some(draw)) = (&mut target.accumulation, accumulation) {
            sum.count += 1;
            sum.is_tone_mapped = draw.tone_mapping.is_none();
        }
        self.statistics = DrawStatistics {
            draw_calls: draws.all().len(),
            vertices: draws.vertices(),
            programs: shaders.program_count(),
        };
        mesh_pass.recycle(draws);
        self.gpu.end_pass();
        Ok(self.gpu.debug_check("drawing a frame")?)
    }

    /// Sets the maximum anisotropy of material textures from the next frame on, as far as the driver supports it. It is 1 at
    /// first, which filters alike on all drivers: images of different renderers are then comparable.
    pub fn set_texture_anisotropy(&mut self, anisotropy: u32) {
        self.texture_anisotropy = anisotropy.max(1);
    }

    /// Returns the counts of the last [`draw`](Self::draw).
    pub fn statistics(&self) -> DrawStatistics {
        self.statistics
    }

    /// Measures the GPU time of the passes of each [`draw`](Self::draw) from now on.
    pub fn enable_pass_timer(&mut self) {
        self.pass_timer = Some(PassTimer::new(&self.gpu));
    }

    /// Returns the GPU times of the passes of the last [`draw`](Self::draw), in order. Waits for the GPU.
    pub fn pass_times(&self) -> Vec<(FramePass, Duration)> {
        self.pass_timer.as_ref().map(PassTimer::times).unwrap_or_default()
    }

    /// Finds out from now on if the models of each [`draw`](Self::draw) are in view.
    pub fn enable_visibility_query(&mut self) {
        self.visibility = Some(VisibilityQuery::new(&self.gpu));
    }

    /// Returns `true` if a sample of a model passed the depth test in the last [`draw`](Self::draw), or without the query.
    /// Waits for the GPU.
    pub fn is_model_in_view(&self) -> bool {
        self.visibility.as_ref().is_none_or(VisibilityQuery::any_passed)
    }

    /// Combines two images into the image of `into`. All three have the same size.
    ///
    /// # Errors
    /// When the driver fails.
    pub fn compare(
        &mut self,
        images: [&Target; 2],
        comparison: Comparison,
        into: &mut Target,
    ) -> Result<(), RenderError> {
        let pass = get_or_try_insert(&mut self.compare_pass, || ComparePass::new(&self.gpu))?;
        pass.draw(&self.gpu, images, comparison, into)
    }

    /// Describes each uniform block member that the driver places at another offset than Rust does.
    ///
    /// # Errors
    /// When a shader does not compile.
    pub fn uniform_layout_mismatches(&mut self) -> Result<Vec<String>, RenderError> {
        let mesh = self.shaders.material(&self.gpu, &ShaderKey::with_all_uniforms())?;
        let resolve = self.resolve_pass.any_program(&self.gpu)?;
        let mut mismatches = FrameUniforms::LAYOUT.mismatches(&mesh)?;
        mismatches.extend(DrawUniforms::LAYOUT.mismatches(&mesh)?);
        mismatches.extend(MaterialUniforms::LAYOUT.mismatches(&mesh)?);
        mismatches.extend(MaterialFeatureUniforms::LAYOUT.mismatches(&mesh)?);
        mismatches.extend(ResolveUniforms::LAYOUT.mismatches(resolve)?);
        Ok(mismatches)
    }

    fn upload_environment(&mut self, lighting: &Lighting) -> Result<(), RenderError> {
        match &lighting.environment {
            Some(light) => Ok(self.environment.set(&self.gpu, &light.environment)?),
            None => Ok(()),
        }
    }

    /// Uploads the palette of crowd `index`.
    pub(super) fn upload_palette(
        &mut self,
        index: usize,
        layout: &PaletteLayout,
        palette: &Palette,
    ) -> Result<PageLayout, RenderError> {
        let page_layout = PageLayout::new(layout, palette.format(), self.max_palette_texels)?;
        assert_eq!(page_layout.stride(), palette.stride_texels(), "the palette is of another layout");
        while self.palettes.len() <= index {
            self.palettes.push(PaletteBuffers::default());
        }
        self.palettes[index].update(&self.gpu, palette, &page_layout)?;
        Ok(page_layout)
    }
}

/// Pairs the crowds of `frame` with their GPU resources.
fn gpu_crowds<'a>(
    models: &[&'a GpuModel],
    frame: &'a Frame<'_>,
    page_layouts: &'a [PageLayout],
    palettes: &'a [PaletteBuffers],
) -> SmallVec<[GpuCrowd<'a>; 4]> {
    let resources = models.iter().zip(page_layouts.iter().zip(palettes));
    let draw = |(PosedCrowd { layout, palette, detail }, (&model, (page_layout, pages)))| GpuCrowd {
        model,
        layout,
        palette,
        detail,
        page_layout,
        pages,
    };
    frame.crowds().zip(resources).map(draw).collect()
}

/// Counts the vertices of all instances. Includes culled instances, because tiles must not depend on culling.
fn element_count(crowds: &[GpuCrowd<'_>]) -> u64 {
    let vertices =
        |crowd: &GpuCrowd<'_>| crowd.model.element_count().saturating_mul(crowd.palette.total_instance_count() as u64);
    crowds.iter().map(vertices).fold(0, u64::saturating_add)
}

/// Returns the value of `option`, creating it if it is `None`.
fn get_or_try_insert<T>(
    option: &mut Option<T>,
    create: impl FnOnce() -> Result<T, GpuError>,
) -> Result<&mut T, GpuError> {
    match option {
        Some(value) => Ok(value),
        none => Ok(none.insert(create()?)),
    }
}

#[cfg(test)]
mod tests;
