//! Arguments of `rigview shot`.

use super::values::size;
use super::{CameraArgs, DebugViewArgs, LightArgs, PoseArgs};
use crate::request::{ModelSpec, RenderRequest, SceneRequest};
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct ShotArgs {
    /// Model to draw (.glb or .gltf); FILE:N for a crowd of N
    #[arg(value_name = "FILE[:N]")]
    pub file: PathBuf,

    /// More models in the same scene: the same as --add-model
    #[arg(value_name = "FILE[:N]")]
    pub more_models: Vec<ModelSpec>,

    /// PNG file to write
    #[arg(short, long, value_name = "OUT.png")]
    pub output: PathBuf,

    /// Width and height of the image, in pixels
    #[arg(long, visible_alias = "resolution", value_name = "WxH", default_value = "1280x720", value_parser = size)]
    pub size: [u32; 2],

    /// Anti-aliasing samples per pixel; 1 for none. Limited to what the GPU supports
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub samples: u32,

    #[command(flatten)]
    pub camera: CameraArgs,

    #[command(flatten)]
    pub pose: PoseArgs,

    #[command(flatten)]
    pub light: LightArgs,

    #[command(flatten)]
    pub debug_view: DebugViewArgs,
}

impl From<&ShotArgs> for RenderRequest {
    fn from(args: &ShotArgs) -> Self {
        let mut scene = SceneRequest::from(&args.pose);
        let file = scene.crowd.add_models(args.file.clone(), args.more_models.iter().cloned());
        let mut request = Self {
            scene,
            size: args.size,
            light: (&args.light).into(),
            debug_view: (&args.debug_view).into(),
            samples: args.samples,
            ..Self::new(file)
        };
        args.camera.apply_to(&mut request);
        request
    }
}
