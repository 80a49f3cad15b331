//! Options that `shot` and `video` share.

use super::{CameraArgs, DebugViewArgs, LightArgs, PoseArgs};
use crate::request::{ModelSpec, RenderRequest, SceneRequest};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct RenderArgs {
    /// Model to draw (.glb or .gltf); FILE:N for a crowd of N
    #[arg(value_name = "FILE[:N]")]
    pub file: PathBuf,

    /// More models in the same scene: the same as --add-model
    #[arg(value_name = "FILE[:N]")]
    pub more_models: Vec<ModelSpec>,

    /// Anti-aliasing samples per pixel; 1 for none. Limited to what the GPU supports
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub samples: u32,

    /// Level of detail: `auto` draws distant instances with fewer triangles, within half a pixel of the full mesh. For large
    /// crowds, for example `fox.glb:10000 --lod auto`
    #[arg(long, value_name = "auto|off", default_value = "off")]
    pub lod: LodArg,

    #[command(flatten)]
    pub camera: CameraArgs,

    #[command(flatten)]
    pub pose: PoseArgs,

    #[command(flatten)]
    pub light: LightArgs,

    #[command(flatten)]
    pub debug_view: DebugViewArgs,
}

/// Use of levels of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LodArg {
    /// As few triangles as an error of half a pixel permits
    Auto,
    /// Full meshes
    Off,
}

impl RenderArgs {
    /// Returns the request for an image of `size` pixels.
    pub(super) fn to_request(&self, size: [u32; 2]) -> RenderRequest {
        let mut scene = SceneRequest::from(&self.pose);
        let file = scene.crowd.add_models(self.file.clone(), self.more_models.iter().cloned());
        let mut request = RenderRequest {
            scene,
            size,
            light: (&self.light).into(),
            debug_view: (&self.debug_view).into(),
            samples: self.samples,
            level_of_detail: self.lod == LodArg::Auto,
            ..RenderRequest::new(file)
        };
        self.camera.apply_to(&mut request);
        request
    }
}
