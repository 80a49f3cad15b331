//! `rigview bench`.

use super::TrustArgs;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `bench`.
#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    /// The .glb or .gltf file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The clip to play, by name or by number from 0; `none` for the rest pose [default: the first]
    #[arg(long, value_name = "NAME|INDEX|none")]
    pub clip: Option<String>,

    /// How many instances, each at its own phase of the clip
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub instances: u32,

    /// Frames in each of the rounds of which the median is told [default: as many as take about 0.1 s]
    #[arg(long, value_name = "F", value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: Option<u32>,

    /// Threads that animate
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,

    /// The instructions to use: `scalar` is the double precision path that the others are measured against
    /// [default: the widest that this processor has]
    #[arg(long, value_name = "LEVEL")]
    pub dispatch: Option<DispatchArg>,

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
pub enum DispatchArg {
    /// 16 lanes.
    Avx512,
    /// 8 lanes.
    Avx2,
    /// 4 lanes.
    Baseline,
    /// One instance after the other, in double precision.
    Scalar,
}
