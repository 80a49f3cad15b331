//! `rigview shot`: a picture without a screen.

use super::progress::Progress;
use super::stage::Stage;
use super::stage::find;
use super::{AppError, output, report};
use crate::cli::{BackgroundArg, ShotArgs};
use crate::export;
use crate::import::ImageLoading;
use crate::platform::headless::Headless;
use crate::render::{RenderOptions, Renderer, Target};
use crate::scene::{Background, Camera, Frame, Light, Lighting, Orbit};
use nalgebra::Vector3;

/// Takes the picture and writes it.
pub(super) fn run(args: &ShotArgs) -> Result<(), AppError> {
    let background = match args.background {
        None => Background::Studio,
        Some(BackgroundArg::Transparent) => Background::Transparent,
        Some(BackgroundArg::Colour(colour)) => Background::Colour(colour.map(|c| c as f32)),
    };
    let progress = Progress::start(format!("reading {}", args.file.display()));
    // The driver takes as long to start as most files take to load.
    let (stage, studio) = std::thread::scope(|scope| {
        let stage = scope.spawn(|| -> Result<Stage, AppError> {
            let mut stage = Stage::open(&args.file, &args.pose, ImageLoading::Decode)?;
            stage.pose(args.pose.time);
            Ok(stage)
        });
        let studio = Studio::new(args, background);
        (stage.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), studio)
    });
    // What is wrong with the file goes first: it is what a person can do something about.
    let stage = stage?;
    let mut studio = studio?;
    drop(progress);
    let progress = Progress::start("drawing".to_owned());

    let [width, height] = args.size;
    let camera = camera(args, &stage)?;
    let lighting = lighting(args, &stage);
    let model = studio.renderer.upload(stage.model(), &stage.layout)?;
    let frame = Frame { layout: &stage.layout, palette: &stage.palette, camera, lighting: &lighting, background };
    studio.renderer.draw(&model, &frame, &mut studio.target)?;
    let rgba = studio.target.read_rgba();
    output::write_whole(&args.output, &export::png(width, height, &rgba))?;

    drop(progress);

    report::notices(&args.file, &stage.loaded.notices);
    if stage.layout.draws.is_empty() {
        report::notice(format_args!("{}: the scene has no mesh: there is nothing to see", args.file.display()));
    }
    let samples = studio.target.samples();
    if samples != args.samples {
        report::notice(format_args!("--samples {} is not to be had here; the picture has {}", args.samples, samples));
    }
    Ok(())
}

/// What draws, before there is anything to draw; the context goes last.
struct Studio {
    target: Target,
    renderer: Renderer,
    _headless: Headless,
}

impl Studio {
    fn new(args: &ShotArgs, background: Background) -> Result<Self, AppError> {
        let headless = Headless::new()?;
        let mut renderer = Renderer::new(headless.gpu(), RenderOptions::default())?;
        let target = Target::new(headless.gpu(), args.size[0], args.size[1], args.samples)?;
        renderer.prepare(&target, background)?;
        Ok(Self { target, renderer, _headless: headless })
    }
}

/// The camera that was asked for, else one that shows the whole clip.
fn camera(args: &ShotArgs, stage: &Stage) -> Result<Camera, AppError> {
    if let Some(asked) = &args.camera {
        let cameras = &stage.model().cameras;
        let number = find("camera", asked, cameras.iter().map(|camera| camera.name.as_deref()))
            .map_err(|source| AppError::File { file: args.file.clone(), source: Box::new(source) })?;
        let placed = &cameras[number];
        return Ok(Camera::of_file(&placed.projection, &stage.world_from_joint(placed.joint, args.pose.time)));
    }
    let aspect = f64::from(args.size[0]) / f64::from(args.size[1]);
    let mut orbit = Orbit::framing(&stage.hull, aspect);
    if let Some(degrees) = args.fov {
        orbit.fov_y = degrees.to_radians();
        orbit.frame(&stage.hull, aspect);
    }
    if let Some(target) = args.target {
        orbit.target = target.into();
    }
    Ok(match args.eye {
        None => orbit.camera(stage.bounds()),
        Some(eye) => {
            let target = args.target.map_or(stage.bounds().centre(), Vector3::from);
            let mut camera = Camera::look_at(eye.into(), target, orbit.fov_y);
            camera.fit_depth(stage.bounds());
            camera
        }
    })
}

/// The lights that were asked for and nothing else, or the usual ones.
fn lighting(args: &ShotArgs, stage: &Stage) -> Lighting {
    if args.lights.is_empty() {
        return stage.lighting(args.pose.time);
    }
    let light = |&[x, y, z, lux]: &[f64; 4]| Light::directional(Vector3::new(x, y, z), lux);
    Lighting::only(args.lights.iter().map(light).collect())
}
