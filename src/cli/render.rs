//! Options that `shot` and `video` share.

use super::{CameraArgs, DebugViewArgs, LightArgs, PoseArgs};
use crate::request::{MAX_SAMPLES, ModelSpec, Quality, RenderRequest, SceneRequest};
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

    /// Quality: `high` averages many draws, for shadows of the environment and of all lights, and smooth edges. Takes
    /// about as many times longer as there are samples
    #[arg(long, value_name = "standard|high", default_value = "standard")]
    pub quality: QualityArg,

    /// Samples per pixel, at most 4096: for standard quality 4, 1 for no anti-aliasing; for high quality 256. More samples than
    /// the GPU supports, for example 16, are several draws, with the pixel filter of Cycles
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SAMPLES)))]
    pub samples: Option<u32>,

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

/// Quality of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum QualityArg {
    /// One draw
    Standard,
    /// Many draws: shadows of all light
    High,
}

impl From<QualityArg> for Quality {
    fn from(quality: QualityArg) -> Self {
        match quality {
            QualityArg::Standard => Self::Standard,
            QualityArg::High => Self::High,
        }
    }
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
        let needs_high = self.camera.aperture.is_some() || self.camera.shutter.is_some();
        let quality = if needs_high { Quality::High } else { self.quality.into() };
        let mut request = RenderRequest {
            scene,
            size,
            light: (&self.light).into(),
            debug_view: (&self.debug_view).into(),
            quality,
            samples: self.samples.unwrap_or(quality.default_samples()),
            level_of_detail: self.lod == LodArg::Auto,
            ..RenderRequest::new(file)
        };
        self.camera.apply_to(&mut request);
        request
    }
}
