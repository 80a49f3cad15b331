//! Arguments of `rigview bench`.

use super::RenderArgs;
use crate::request::{ImportRequest, MotionRequest, size, with_names};
use clap::builder::StringValueParser;
use clap::{Args, Subcommand};
use rigview_core::math::SimdLevel;
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
        rigview bench frame fox.glb:10000 --frames 30 --in-flight 1 --json | jq .frame_ms")]
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

    /// Number of submitted frames that the GPU may still draw
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = in_flight)]
    pub in_flight: usize,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub render: RenderArgs,
}

fn in_flight(text: &str) -> Result<usize, &'static str> {
    text.parse().ok().filter(|count| (0..=16).contains(count)).ok_or("expected a number from 0 to 16")
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

    #[command(flatten)]
    pub motion: MotionRequest,

    /// Number of frames per round; the median of the rounds is reported [default: as many as take about 0.1 s]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: Option<u32>,

    /// Number of animation threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,

    /// SIMD instruction set; `scalar` is the double-precision reference [default: the widest that the CPU supports]
    #[arg(long, value_name = "LEVEL")]
    pub dispatch: Option<SimdLevelArg>,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub policy: ImportRequest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum SimdLevelArg {
    /// 16 lanes
    Avx512,
    /// 8 lanes
    Avx2,
    /// 4 lanes
    Baseline,
    /// One instance at a time, in double precision
    Scalar,
}

impl SimdLevelArg {
    /// Returns the instruction set; `None` for double precision.
    pub(crate) fn level(self) -> Option<SimdLevel> {
        match self {
            Self::Scalar => None,
            Self::Baseline => Some(SimdLevel::Baseline),
            Self::Avx2 => Some(SimdLevel::Avx2),
            Self::Avx512 => Some(SimdLevel::Avx512),
        }
    }
}
