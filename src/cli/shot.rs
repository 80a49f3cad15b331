//! `rigview shot`.

use super::values::{background, field_of_view, size};
use super::{LightArgs, LookArgs, PoseArgs};
use crate::request::{BackgroundRequest, ModelSpec, RenderRequest, SceneRequest, numbers};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `shot`.
#[derive(Clone, Debug, Args)]
pub struct ShotArgs {
    /// The .glb or .gltf file; FILE:N for a crowd of N
    #[arg(value_name = "FILE[:N]")]
    pub file: PathBuf,

    /// More models in the same scene, each with its number: the same as --with
    #[arg(value_name = "FILE[:N]")]
    pub others: Vec<ModelSpec>,

    /// The PNG file to write
    #[arg(short, long, value_name = "OUT.png")]
    pub output: PathBuf,

    /// What is shown of it.
    #[command(flatten)]
    pub pose: PoseArgs,

    /// Width and height of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = size)]
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
    #[arg(long, value_name = "NAME|INDEX")]
    pub camera: Option<String>,

    /// Behind the model: a color, 0 to 1 as seen on screen; `transparent`; or what lights it, `environment`, blurred from
    /// 0 to 1 as in `environment:0.5` [default: a quiet backdrop]
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

impl From<&ShotArgs> for RenderRequest {
    fn from(args: &ShotArgs) -> Self {
        let mut scene = SceneRequest::from(&args.pose);
        Self {
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
        }
    }
}
