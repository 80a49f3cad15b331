//! Arguments of `rigview bench`.

use super::RenderArgs;
use crate::request::{ImportRequest, size, with_names};
use clap::builder::StringValueParser;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct BenchArgs {
    #[command(subcommand)]
    pub command: Option<BenchCommand>,

    #[command(flatten)]
    pub crowd: CrowdBenchArgs,
}

#[derive(Clone, Debug, Subcommand)]
pub enum BenchCommand {
    /// Measure whole frames with the options of `shot`: wall time, CPU time to submit, and GPU time of each pass
    #[command(after_help = "Examples:\n  \
        rigview bench frame fox.glb --size 1920x1080 --samples 4 --occlusion on\n  \
        rigview bench frame fox.glb:10000 --frames 30 --json | jq .frame_ms")]
    Frame(Box<FrameBenchArgs>),
}

#[derive(Clone, Debug, Args)]
pub struct FrameBenchArgs {
    /// Width and height of the image, in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = size)]
    pub size: [u32; 2],

    /// Number of measured frames, 1/60 s of the clip apart
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub frames: u32,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub render: RenderArgs,
}

#[derive(Clone, Debug, Args)]
pub struct CrowdBenchArgs {
    /// Model to animate (.glb or .gltf)
    #[arg(value_name = "FILE", required = true)]
    pub file: Option<PathBuf>,

    /// Clip to play, by name or by index from 0; `none` for the rest pose [default: the first clip]
    #[arg(long, value_name = "NAME|INDEX|none", hide_possible_values = true,
        value_parser = with_names(StringValueParser::new(), ["none"]))]
    pub clip: Option<String>,

    /// Number of instances, each with its own start time in the clip
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub instances: u32,

    /// Spread of the start times, as a fraction of the clip; 0: all instances show the same time [default: 1]
    #[arg(long, value_name = "0..1", value_parser = crate::request::from_0_to_1)]
    pub phase_spread: Option<f64>,

    /// Number of frames per round; the median of the rounds is reported [default: as many as take about 0.1 s]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: Option<u32>,

    /// Number of animation threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub policy: ImportRequest,
}
