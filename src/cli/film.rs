//! `rigview film`.

use super::values::{background, field_of_view, size};
use super::{LightArgs, LookArgs, PoseArgs};
use crate::request::{BackgroundRequest, ModelSpec, RenderRequest, SceneRequest, VideoRequest, finite, numbers};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `film`.
#[derive(Clone, Debug, Args)]
pub struct FilmArgs {
    /// The .glb or .gltf file; FILE:N for a crowd of N
    #[arg(value_name = "FILE[:N]")]
    pub file: PathBuf,

    /// More models in the same scene, each with its number: the same as --with
    #[arg(value_name = "FILE[:N]")]
    pub others: Vec<ModelSpec>,

    /// The film to write: .gif, .png (animated), .mp4 or .webm (both need ffmpeg), or pictures such as frames/%04d.png
    #[arg(short, long, value_name = "OUT.gif|.png|.mp4|.webm|%04d.png")]
    pub output: PathBuf,

    /// What is shown of it.
    #[command(flatten)]
    pub pose: PoseArgs,

    /// Turn once around the model, in whole rounds of the clip
    #[arg(long)]
    pub turntable: bool,

    /// Frames in a second; the last frame leads to the first, so that the film goes round without a jolt
    #[arg(long, value_name = "N", default_value_t = 30.0, value_parser = rate)]
    pub fps: f64,

    /// How often the clip is played [default: once; with --turntable, for four seconds at least]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub loops: Option<u32>,

    /// How long a film without a clip is, in seconds
    #[arg(long, value_name = "S", default_value_t = 4.0, value_parser = length)]
    pub seconds: f64,

    /// Width and height of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "640x360", value_parser = size)]
    pub size: [u32; 2],

    /// Where the camera stands, in meters [default: so that the whole clip is in the picture]
    #[arg(long, value_name = "X,Y,Z", value_parser = numbers::<3>, allow_hyphen_values = true, conflicts_with = "camera")]
    pub eye: Option<[f64; 3]>,

    /// The point that the camera looks at [default: the middle of the model]
    #[arg(long, value_name = "X,Y,Z", value_parser = numbers::<3>, allow_hyphen_values = true, conflicts_with = "camera")]
    pub target: Option<[f64; 3]>,

    /// Vertical field of view in degrees [default: 35]
    #[arg(long, value_name = "DEG", value_parser = field_of_view, conflicts_with = "camera")]
    pub fov: Option<f64>,

    /// A camera of the file, by name or by number from 0
    #[arg(long, value_name = "NAME|INDEX", conflicts_with = "turntable")]
    pub camera: Option<String>,

    /// Behind the model: a color, 0 to 1 as seen on screen, `transparent`, or what lights it, `environment` [default: a quiet
    /// backdrop]
    #[arg(long, value_name = "R,G,B|transparent|environment[:BLUR]", value_parser = background)]
    pub background: Option<BackgroundRequest>,

    /// What lights it.
    #[command(flatten)]
    pub light: LightArgs,

    /// How it is looked at.
    #[command(flatten)]
    pub look: LookArgs,

    /// Anti-aliasing samples for each pixel; 1 for none. At most what the driver offers
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub samples: u32,
}

impl From<&FilmArgs> for VideoRequest {
    fn from(args: &FilmArgs) -> Self {
        let mut scene = SceneRequest::from(&args.pose);
        Self {
            frame: RenderRequest {
                file: scene.crowd.add_models(args.file.clone(), args.others.iter().cloned()),
                scene,
                size: args.size,
                eye: args.eye,
                target: args.target,
                fov_degrees: args.fov,
                camera: args.camera.clone(),
                background: args.background,
                light: (&args.light).into(),
                debug_view: (&args.look).into(),
                samples: args.samples,
            },
            turntable: args.turntable,
            fps: args.fps,
            loops: args.loops,
            duration_secs: args.seconds,
        }
    }
}

fn rate(text: &str) -> Result<f64, String> {
    match finite(text)? {
        rate if (0.1..=240.0).contains(&rate) => Ok(rate),
        _ => Err("expected frames in a second from 0.1 to 240".to_owned()),
    }
}

fn length(text: &str) -> Result<f64, String> {
    match finite(text)? {
        secs if (0.01..=3600.0).contains(&secs) => Ok(secs),
        _ => Err("expected seconds from 0.01 to 3600".to_owned()),
    }
}
