//! Arguments of `rigview bench`.

use crate::request::ImportRequest;
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    /// Model to animate (.glb or .gltf)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Clip to play, by name or by index from 0; `none` for the rest pose [default: the first clip]
    #[arg(long, value_name = "NAME|INDEX|none")]
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

    /// SIMD instruction set; `scalar` is the double-precision reference [default: the widest that the CPU supports]
    #[arg(long, value_name = "LEVEL")]
    pub dispatch: Option<SimdLevelArg>,

    /// Measure only the animation, without drawing; needs no OpenGL
    #[arg(long)]
    pub cpu_only: bool,

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
