//! `rigview bench`.

use super::TrustArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Arguments of `bench`.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, disable_help_subcommand = true)]
pub struct BenchArgs {
    /// What to compare, instead.
    #[command(subcommand)]
    pub contest: Option<Contest>,

    /// What to measure.
    #[command(flatten)]
    pub update: UpdateArgs,
}

/// Ways to draw that are compared: in turn, frame by frame.
#[derive(Clone, Debug, Subcommand)]
pub enum Contest {
    /// Draw one crowd by each way that matrices have to a vertex shader, to the same pixels
    #[command(after_help = "Examples:\n  \
        rigview bench transports fox.glb\n  \
        rigview bench transports fox.glb --instances 1000 --json | jq .rows")]
    Transports(ContestArgs),
    /// Draw one crowd with the influences of its file, with one for each vertex, and without a skin
    #[command(after_help = "Examples:\n  \
        rigview bench skinning fox.glb\n  \
        rigview bench skinning fox.glb --instances 400 --frames 50")]
    Skinning(ContestArgs),
}

/// Arguments of a contest.
#[derive(Clone, Debug, Args)]
pub struct ContestArgs {
    /// The .glb or .gltf file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The clip to play, by name or by number from 0; `none` for the rest pose [default: the first]
    #[arg(long, value_name = "NAME|INDEX|none")]
    pub clip: Option<String>,

    /// How many instances, each at its own phase of the clip
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub instances: u32,

    /// Frames of which the median is told
    #[arg(long, value_name = "F", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub frames: u32,

    /// Width and height of the pictures
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = super::values::size)]
    pub size: [u32; 2],

    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,

    /// How far the file is trusted.
    #[command(flatten)]
    pub trust: TrustArgs,
}

/// Arguments of `bench FILE`.
#[derive(Clone, Debug, Args)]
pub struct UpdateArgs {
    /// The .glb or .gltf file
    #[arg(value_name = "FILE", required = true)]
    pub file: Option<PathBuf>,

    /// The clip to play, by name or by number from 0; `none` for the rest pose [default: the first]
    #[arg(long, value_name = "NAME|INDEX|none")]
    pub clip: Option<String>,

    /// How many instances, each at its own phase of the clip
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub instances: u32,

    /// The share of the clip over which phases are spread: 0 for all at the same moment, which share what is read of it
    #[arg(long, value_name = "0..1", value_parser = super::values::from_0_to_1)]
    pub phase_spread: Option<f64>,

    /// Frames in each of the rounds of which the median is told [default: as many as take about 0.1 s]
    #[arg(long, value_name = "F", value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: Option<u32>,

    /// Threads that animate
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,

    /// The instructions to use: `scalar` is the double precision path that the others are measured against
    /// [default: the widest that this processor has]
    #[arg(long, value_name = "LEVEL")]
    pub dispatch: Option<SimdLevelArg>,

    /// Only the animation; needs no OpenGL
    #[arg(long)]
    pub cpu_only: bool,

    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,

    /// How far the file is trusted.
    #[command(flatten)]
    pub trust: TrustArgs,
}

/// How a crowd is animated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum SimdLevelArg {
    /// 16 lanes.
    Avx512,
    /// 8 lanes.
    Avx2,
    /// 4 lanes.
    Baseline,
    /// One instance after the other, in double precision.
    Scalar,
}
