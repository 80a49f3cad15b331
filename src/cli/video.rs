//! Arguments of `rigview video`.

use super::RenderArgs;
use crate::request::{TimeRequest, VideoRequest, size};
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct VideoArgs {
    /// Video to write: .gif, .png (animated), .mp4 or .webm (both need ffmpeg), or an image sequence such as frames/%04d.png
    #[arg(short, long, value_name = "OUT.gif")]
    pub output: PathBuf,

    #[command(flatten)]
    pub options: VideoRequest,

    /// Width and height of the video, in pixels
    #[arg(long, value_name = "WxH", default_value = "640x360", value_parser = size)]
    pub size: [u32; 2],

    #[command(flatten)]
    pub render: RenderArgs,
}

impl From<&VideoArgs> for VideoRequest {
    fn from(args: &VideoArgs) -> Self {
        let mut frame = args.render.to_request(args.size);
        if let Some([start, _]) = args.options.range_secs {
            frame.scene.time = TimeRequest::Secs(start);
        }
        Self { frame, ..args.options.clone() }
    }
}
