//! Arguments of `shot` and `video`.

use crate::request::{BackgroundRequest, ModelSpec, RenderRequest, with_names};
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct RenderArgs {
    /// Model to draw (.glb or .gltf); FILE:N for a crowd of N
    #[arg(value_name = "FILE[:N]")]
    pub file: PathBuf,

    /// More models in the same scene.
    ///
    /// A grid or scatter mixes them; the entries of a layout file go to one model after the other
    #[arg(value_name = "FILE[:N]")]
    pub more_models: Vec<ModelSpec>,

    /// The options, as parsed.
    #[command(flatten)]
    pub options: RenderRequest,

    #[command(flatten)]
    pub background: BackgroundArgs,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Camera and background")]
pub struct BackgroundArgs {
    /// Background: a color, `transparent` or the `environment` [default: a gray gradient].
    ///
    /// A color of the screen has components from 0 to 1. The environment is blurred from 0 to 1, as in environment:0.5
    #[arg(long, value_name = "R,G,B|NAME", hide_possible_values = true,
        value_parser = with_names(str::parse::<BackgroundRequest>, ["transparent", "environment"]))]
    pub background: Option<BackgroundRequest>,
}

impl RenderArgs {
    /// Returns the request for an image of `size` pixels.
    pub(crate) fn to_request(&self, size: [u32; 2]) -> RenderRequest {
        let mut request = RenderRequest { size, background: self.background.background, ..self.options.clone() };
        request.file = request.scene.crowd.set_models(self.file.clone(), self.more_models.clone());
        request
    }
}
