//! Arguments of `rigview shot`.

use super::RenderArgs;
use crate::request::{RenderRequest, size};
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct ShotArgs {
    /// PNG file to write
    #[arg(short, long, value_name = "OUT.png")]
    pub output: PathBuf,

    /// Width and height of the image, in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = size)]
    pub size: [u32; 2],

    #[command(flatten)]
    pub render: RenderArgs,
}

impl From<&ShotArgs> for RenderRequest {
    fn from(args: &ShotArgs) -> Self {
        args.render.to_request(args.size)
    }
}
