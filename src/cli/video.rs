//! Arguments of `rigview video`.

use super::RenderArgs;
use super::values::size;
use crate::request::{VideoRequest, finite, numbers};
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct VideoArgs {
    /// Video to write: .gif, .png (animated), .mp4 or .webm (both need ffmpeg), or an image sequence such as frames/%04d.png
    #[arg(short, long, value_name = "OUT.gif|.png|.mp4|.webm|%04d.png")]
    pub output: PathBuf,

    /// Orbit the camera once around the model; the video lasts complete loops of the clip
    #[arg(long, conflicts_with = "camera")]
    pub turntable: bool,

    /// Frames per second; the frame rate is adjusted slightly so that the video loops seamlessly
    #[arg(long, value_name = "N", default_value_t = 30.0, value_parser = frame_rate)]
    pub fps: f64,

    /// Number of times the clip plays [default: 1; with --turntable, as often as fills four seconds]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub loops: Option<u32>,

    /// Part of the clip to play, from START to END in seconds [default: the whole clip]
    #[arg(long, value_name = "START,END", value_parser = range, conflicts_with_all = ["time", "layers"])]
    pub range: Option<[f64; 2]>,

    /// Duration in seconds of a video without a clip
    #[arg(long, value_name = "SECONDS", default_value_t = 4.0, value_parser = duration)]
    pub seconds: f64,

    /// Width and height of the video, in pixels
    #[arg(long, visible_alias = "resolution", value_name = "WxH", default_value = "640x360", value_parser = size)]
    pub size: [u32; 2],

    #[command(flatten)]
    pub render: RenderArgs,
}

impl From<&VideoArgs> for VideoRequest {
    fn from(args: &VideoArgs) -> Self {
        let mut frame = args.render.to_request(args.size);
        if let Some([start, _]) = args.range {
            frame.scene.time_secs = start;
        }
        Self {
            frame,
            turntable: args.turntable,
            fps: args.fps,
            loops: args.loops,
            range_secs: args.range,
            duration_secs: args.seconds,
        }
    }
}

fn frame_rate(text: &str) -> Result<f64, String> {
    match finite(text)? {
        rate if (0.1..=240.0).contains(&rate) => Ok(rate),
        _ => Err("expected frames per second from 0.1 to 240".to_owned()),
    }
}

fn range(text: &str) -> Result<[f64; 2], String> {
    match numbers::<2>(text)? {
        [start, end] if 0.0 <= start && start < end => Ok([start, end]),
        _ => Err("expected a start and a later end, such as 0.5,2".to_owned()),
    }
}

fn duration(text: &str) -> Result<f64, String> {
    match finite(text)? {
        secs if (0.01..=3600.0).contains(&secs) => Ok(secs),
        _ => Err("expected seconds from 0.01 to 3600".to_owned()),
    }
}
