//! Offscreen rendering with a headless OpenGL context.

use crate::app::files::caches::cache_programs;
use crate::app::scene::debug_view::DebugViewBuilder;
use crate::app::scene::lighting::LightSetup;
use crate::app::scene::lookup::find_by_name_or_index;
use crate::app::scene::{GpuScene, LoadedScene};
use crate::app::{AppError, FileError};
use crate::cli::{Shell, shot_command_line};
use crate::request::{LightRequest, Quality, RenderRequest};
use nalgebra::{Rotation3, Vector3};
use rigview_core::math::{Aabb, SupportHull};
use rigview_core::model::CameraIndex;
use rigview_render::gpu::Gpu;
use rigview_render::image_file::{PngMetadata, encode_png_strips};
use rigview_render::image_text::LegendPanel;
use rigview_render::platform::headless::Headless;
use rigview_render::render::{RenderError, RenderOptions, Renderer, Target};
use rigview_render::scene::{Background, Camera, DebugView, FrameSamples, Lighting, turntable_hull};
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

/// A headless context with a renderer. Images do not depend on earlier ones.
pub(crate) struct OffscreenRenderer {
    // In drop order; the context goes last.
    target: Option<(TargetShape, Target)>,
    /// Lighting of the last image, reused if the next request has the same; without it, the environment is read again.
    pub(crate) light: Option<(LightRequest, LightSetup)>,
    pub(crate) renderer: Renderer,
    pub(crate) headless: Headless,
    /// Samples of the present image of high quality that are drawn.
    pub(crate) samples_done: Arc<AtomicU32>,
    /// Time at which an image of several draws is given up, with [`AppError::DrawTimeout`].
    pub(crate) draw_end: Option<Instant>,
    /// Camera that replaces the automatic one. Its depth range is extended to that of the automatic one.
    pub(crate) fixed_camera: Option<Camera>,
}

/// Width and height, quality and requested samples.
type TargetShape = ([u32; 2], Quality, u32);

/// A drawn image in the memory of the GPU.
pub(crate) struct DrawnImage<'a> {
    offscreen: &'a OffscreenRenderer,
    target: &'a Target,
    legend: Option<LegendPanel>,
    /// Actual samples per pixel.
    pub(crate) samples: u32,
    camera: Camera,
    automatic_camera: Option<Camera>,
    /// No pixel of a model is in view.
    pub(crate) is_empty: bool,
}

pub(crate) struct RenderedImage {
    /// Width and height in pixels.
    pub(crate) size: [u32; 2],
    /// RGBA8, top row first, straight alpha.
    pub(crate) rgba: Vec<u8>,
    /// Actual samples per pixel.
    pub(crate) samples: u32,
    pub(crate) camera: Camera,
    /// The camera without a fixed one; `None` for a camera of the file.
    pub(crate) automatic_camera: Option<Camera>,
    /// No pixel of a model is in view.
    pub(crate) is_empty: bool,
}

impl OffscreenRenderer {
    /// Creates a context on the first usable device.
    pub(crate) fn new() -> Result<Self, AppError> {
        let headless = Headless::new()?;
        cache_programs(headless.gpu());
        let mut renderer = Renderer::new(headless.gpu(), RenderOptions::default())?;
        renderer.enable_visibility_query();
        Ok(Self {
            target: None,
            light: None,
            renderer,
            headless,
            samples_done: Arc::default(),
            draw_end: None,
            fixed_camera: None,
        })
    }

    /// Compiles the shaders and uploads the lighting that do not depend on the model.
    pub(crate) fn prepare(&mut self, request: &RenderRequest) -> Result<(), AppError> {
        let background = request.background.map_or(Background::Studio, Into::into);
        let lighting = self.light_setup(request)?.base_lighting();
        let (renderer, target) = self.with_target(request)?;
        Ok(renderer.prepare(target, &lighting, background)?)
    }

    pub(crate) fn upload(&self, scene: &LoadedScene, level_of_detail: bool) -> Result<GpuScene, AppError> {
        let mut models = GpuScene::new(&self.renderer, scene)?;
        if level_of_detail {
            models.add_levels(&self.renderer, scene)?;
        }
        Ok(models)
    }

    /// Like [`upload`](Self::upload), and frees the files' bytes and the texels.
    pub(crate) fn upload_and_free_images(
        &self,
        scene: &mut LoadedScene,
        level_of_detail: bool,
    ) -> Result<GpuScene, AppError> {
        let mut models = GpuScene::new_freeing_images(&self.renderer, scene)?;
        if level_of_detail {
            models.add_levels(&self.renderer, scene)?;
        }
        Ok(models)
    }

    /// Poses the scene at the time of `request`, draws it and reads the image.
    pub(crate) fn render(
        &mut self,
        scene: &mut LoadedScene,
        models: &GpuScene,
        request: &RenderRequest,
    ) -> Result<RenderedImage, AppError> {
        self.draw(scene, models, request, None)?.read()
    }

    /// Poses the scene at the time of `request` and draws it, with the camera rotated by `turntable_angle` radians about the
    /// vertical axis through the target. Then the model stays in view for a full turn.
    pub(crate) fn draw(
        &mut self,
        scene: &mut LoadedScene,
        models: &GpuScene,
        request: &RenderRequest,
        turntable_angle: Option<f64>,
    ) -> Result<DrawnImage<'_>, AppError> {
        let in_file = |source| AppError::in_file(&request.file, source);
        let time_secs = scene.time_secs(&request.scene);
        let new_builder = |scene: &LoadedScene| DebugViewBuilder::new(&request.debug_view, scene, time_secs);
        let mut builder = new_builder(scene).map_err(in_file)?;
        let hull = builder.hull(scene);
        let hull = if turntable_angle.is_some() { turntable_hull(&hull) } else { hull };
        // Overlays move with the heads. So the camera that the heads look at does not depend on overlays.
        let aimed_at = camera(request, scene, &hull, hull.bounds(), turntable_angle).map_err(in_file)?;
        if scene.aim_heads(&aimed_at) {
            builder = new_builder(scene).map_err(in_file)?;
        }
        let depth_bounds = builder.depth_bounds(&hull);
        let mut camera = camera(request, scene, &hull, &depth_bounds, turntable_angle).map_err(in_file)?;
        let automatic_camera = request.camera.is_none().then_some(camera);
        if let (Some(fixed), Some(automatic)) = (self.fixed_camera, automatic_camera) {
            camera = Camera { near: fixed.near.min(automatic.near), far: fixed.far.max(automatic.far), ..fixed };
        }
        let ghosts = builder.ghosts();
        let lighting = self.light_setup(request)?.at(scene, scene.time_secs(&request.scene));
        let debug_view = builder.debug_view(&ghosts);
        let aspect = f64::from(request.size[0]) / f64::from(request.size[1]);
        scene.cull(&camera, aspect, &debug_view, &lighting);
        if request.quality == Quality::High {
            // Invisible instances cast shadows.
            scene.show_all();
        }
        scene.pose_at_clip_time(scene.time_secs(&request.scene));
        // An image does not depend on earlier ones.
        scene.select_detail(&camera, None);
        scene.select_detail(&camera, Some(request.size).filter(|_| request.level_of_detail));
        models.prepare_view(&self.renderer, scene, debug_view.mode)?;
        let background = request.background.map_or(Background::Studio, Into::into);
        let samples_done = Arc::clone(&self.samples_done);
        let (gpu, draw_end) = (Rc::clone(self.headless.gpu()), self.draw_end);
        let (renderer, target) = self.with_target(request)?;
        let draws = request.samples().div_ceil(target.samples());
        let sequence = match request.quality {
            Quality::Standard if draws == 1 => None,
            Quality::Standard => Some(FrameSamples::antialiasing(draws, target.samples() > 1)),
            Quality::High => {
                let virtual_point_lights = models.virtual_point_lights(scene, draws)?;
                Some(FrameSamples::new(&lighting, virtual_point_lights, scene.bounds(), draws))
            }
        };
        let others = scene.posed_others();
        let frame = scene.frame(&others, camera, &lighting, background, debug_view);
        match sequence {
            None => renderer.draw(&models.models(), &frame, target)?,
            Some(sequence) => {
                target.begin_accumulation()?;
                for index in 0..draws {
                    if let Some(end) = draw_end {
                        // A driver can queue many draws before it works.
                        gpu.finish();
                        if Instant::now() >= end {
                            return Err(AppError::DrawTimeout { done: index, draws });
                        }
                    }
                    let sample = sequence.get(index);
                    renderer.accumulate(&models.models(), &frame, &sample, target)?;
                    samples_done.store((index + 1) * target.samples(), Ordering::Relaxed);
                }
                renderer.resolve_accumulation(&frame, target)?;
            }
        }
        let samples = draws * target.samples();
        let legend = builder.legend(scene, request.size);
        let is_skeleton_in_view =
            || scene.has_no_mesh() && builder.overlay.has_point_in_view(&camera.projection_from_world(aspect));
        let is_empty = !renderer.is_model_in_view() && !is_skeleton_in_view();
        let offscreen = &*self;
        let (_, target) = offscreen.target.as_ref().expect("drawn above");
        Ok(DrawnImage { offscreen, target, legend, samples, camera, automatic_camera, is_empty })
    }

    /// Uploads the palettes of a posed scene, as [`draw`](Self::draw) does.
    pub(crate) fn upload_palettes(&mut self, scene: &LoadedScene) -> Result<(), AppError> {
        let (others, lighting) = (scene.posed_others(), Lighting::default());
        let camera = scene.first_view(&scene.hull, 1.0).camera(scene.bounds());
        let frame = scene.frame(&others, camera, &lighting, Background::Transparent, DebugView::default());
        Ok(self.renderer.upload_palettes(&frame)?)
    }

    /// The GL renderer.
    pub(crate) fn renderer_name(&self) -> String {
        self.headless.gpu().renderer().to_owned()
    }

    /// PNG metadata of an image with `samples` per pixel; `file` is the model in the command line.
    pub(crate) fn png_metadata(&self, request: &RenderRequest, file: &Path, samples: u32) -> PngMetadata {
        let command = shot_command_line(request, file, Shell::Posix);
        png_metadata(self.headless.gpu(), Some(command), Some(samples.to_string()))
    }

    /// Returns the light setup of the request, cached.
    fn light_setup(&mut self, request: &RenderRequest) -> Result<&LightSetup, AppError> {
        if self.light.as_ref().is_none_or(|(cached, _)| *cached != request.light) {
            self.light =
                Some((request.light.clone(), LightSetup::open(&request.light, &request.scene.import.policy().limits)?));
        }
        let (_, light) = self.light.as_ref().expect("set above");
        Ok(light)
    }

    fn with_target(&mut self, request: &RenderRequest) -> Result<(&mut Renderer, &mut Target), AppError> {
        let shape = (request.size, request.quality, request.samples());
        if self.target.as_ref().is_none_or(|(cached, _)| *cached != shape) {
            // Frees the old target first.
            self.target = None;
            let [width, height] = request.size;
            // The draws of high quality differ in their positions within the pixel.
            let target_samples = if request.quality == Quality::High { 1 } else { request.samples() };
            let target = Target::new(self.headless.gpu(), width, height, target_samples)?;
            self.target = Some((shape, target));
        }
        let (_, target) = self.target.as_mut().expect("set above");
        self.renderer.set_texture_anisotropy(request.anisotropy);
        Ok((&mut self.renderer, target))
    }
}

impl DrawnImage<'_> {
    /// Bytes of the rows that are read at once for encoding.
    const STRIP_BYTES: u32 = 1 << 18;

    /// Reads the whole image.
    pub(crate) fn read(self) -> Result<RenderedImage, AppError> {
        let size = [self.target.width(), self.target.height()];
        let rgba = self.read_rows(0..size[1])?;
        let Self { samples, camera, automatic_camera, is_empty, .. } = self;
        Ok(RenderedImage { size, rgba, samples, camera, automatic_camera, is_empty })
    }

    /// Returns the image as PNG with the metadata of `request`. Its pixels are in memory a few rows at a time.
    pub(crate) fn encode_png(&self, request: &RenderRequest) -> Result<Vec<u8>, AppError> {
        let size @ [width, height] = [self.target.width(), self.target.height()];
        let metadata = self.offscreen.png_metadata(request, &request.file, self.samples);
        let strip_rows = (Self::STRIP_BYTES / (width * 4)).max(1);
        let firsts = (0..height).step_by(strip_rows as usize);
        let strips = firsts.map(|first| self.read_rows(first..height.min(first + strip_rows)));
        Ok(encode_png_strips(size, strips, &metadata)?)
    }

    /// Reads RGBA8 rows with straight alpha, from the top.
    fn read_rows(&self, rows: Range<u32>) -> Result<Vec<u8>, RenderError> {
        let first_row = rows.start;
        let mut rgba = self.target.read_rows(rows)?;
        if let Some(legend) = &self.legend {
            legend.draw(&mut rgba, first_row);
        }
        Ok(rgba)
    }
}

/// A point of the request relative to the origin of the scene.
fn in_scene(point: Option<[f64; 3]>, scene: &LoadedScene) -> Option<Vector3<f64>> {
    point.map(|point| Vector3::from(point) - scene.origin)
}

/// The requested camera, else one that frames `hull`. Its depth range contains `depth_bounds`.
fn camera(
    request: &RenderRequest,
    scene: &LoadedScene,
    hull: &SupportHull,
    depth_bounds: &Aabb,
    turntable_angle: Option<f64>,
) -> Result<Camera, FileError> {
    if let Some(requested) = &request.camera {
        let cameras = &scene.model().cameras;
        // Exporters name the node of a camera, too.
        let joints = scene.model().skeleton.joints();
        let of_node = cameras.iter().position(|camera| joints[camera.joint.get()].name.as_ref() == Some(requested));
        let names = cameras.iter().map(|camera| camera.name.as_deref());
        let index = find_by_name_or_index("camera", requested, names).or_else(|error| of_node.ok_or(error))?;
        return Ok(scene.camera(CameraIndex(index as u32), scene.time_secs(&request.scene)));
    }
    let aspect = f64::from(request.size[0]) / f64::from(request.size[1]);
    let mut orbit = scene.first_view(hull, aspect);
    orbit.fov_y = request.fov_degrees.map_or(orbit.fov_y, f64::to_radians);
    orbit.orthographic = request.orthographic;
    orbit.frame(hull, aspect);
    if let Some(target) = in_scene(request.target, scene) {
        orbit.target = target;
    }
    let angle = turntable_angle.unwrap_or_default();
    orbit.yaw += angle;
    Ok(match in_scene(request.eye, scene) {
        None => orbit.camera(depth_bounds),
        Some(eye) => {
            let target = in_scene(request.target, scene).unwrap_or(hull.bounds().center());
            let rotation = Rotation3::from_axis_angle(&Vector3::y_axis(), angle);
            let eye = target + rotation * (eye - target);
            let mut camera = if request.orthographic {
                Camera::look_at_orthographic(eye, target, orbit.fov_y, depth_bounds)
            } else {
                Camera::look_at(eye, target, orbit.fov_y)
            };
            camera.fit_depth(depth_bounds);
            camera
        }
    })
}

/// PNG metadata of an image that `gpu` draws.
pub(crate) fn png_metadata(gpu: &Gpu, command: Option<String>, samples: Option<String>) -> PngMetadata {
    let version = gpu.version();
    // Mesa puts the requested GL version in front of its own.
    let version = version.find("Mesa").map_or(version, |start| &version[start..]);
    PngMetadata {
        software: Some(concat!("rigview ", env!("CARGO_PKG_VERSION")).to_owned()),
        renderer: Some(gpu.renderer().to_owned()),
        driver: Some(version.to_owned()),
        command,
        samples,
        ..PngMetadata::default()
    }
}
