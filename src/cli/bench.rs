//! Arguments of `rigview bench`.

use crate::request::ImportRequest;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, disable_help_subcommand = true)]
pub struct BenchArgs {
    #[command(subcommand)]
    pub comparison: Option<BenchComparison>,

    #[command(flatten)]
    pub animation: AnimationBenchArgs,
}

/// Drawing methods that are measured frame by frame in turn.
#[derive(Clone, Debug, Subcommand)]
pub enum BenchComparison {
    /// Compare skinning with all influences, with one influence per vertex, and without a skin
    #[command(after_help = "Examples:\n  \
        rigview bench skinning fox.glb\n  \
        rigview bench skinning fox.glb --instances 400 --frames 50")]
    Skinning(ComparisonArgs),
    /// Compare levels of detail with full meshes, from three distances
    #[command(after_help = "Examples:\n  \
        rigview bench detail fox.glb\n  \
        rigview bench detail windmill.glb --instances 10000 --frames 3")]
    Detail(ComparisonArgs),
    /// Compare one draw call per node with shared draw calls, on a generated scene
    #[command(after_help = "Examples:\n  \
        rigview bench scene                               20,000 nodes that show one mesh\n  \
        rigview bench scene --meshes 20 --materials 5\n  \
        rigview bench scene --nodes 5000 --size 64x64 --json | jq .rows")]
    Scene(SceneBenchArgs),
}

/// A generated scene: a cube of spheres, one per node.
#[derive(Clone, Debug, Args)]
pub struct SceneBenchArgs {
    /// Number of nodes
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub nodes: u32,

    /// Number of meshes; the nodes show them in turn
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub meshes: u32,

    /// Number of materials; the meshes have them in turn
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub materials: u32,

    #[command(flatten)]
    pub frames: FrameBenchArgs,
}

#[derive(Clone, Debug, Args)]
pub struct ComparisonArgs {
    /// Model to draw (.glb or .gltf)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Clip to play, by name or by index from 0; `none` for the rest pose [default: the first clip]
    #[arg(long, value_name = "NAME|INDEX|none")]
    pub clip: Option<String>,

    /// Number of instances, each with its own start time in the clip
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub instances: u32,

    #[command(flatten)]
    pub frames: FrameBenchArgs,

    #[command(flatten)]
    pub policy: ImportRequest,
}

#[derive(Clone, Debug, Args)]
pub struct FrameBenchArgs {
    /// Number of frames to draw; the median is reported
    #[arg(long = "frames", value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub count: u32,

    /// Width and height of the frames, in pixels
    #[arg(long, visible_alias = "resolution", value_name = "WxH", default_value = "1280x720", value_parser = crate::request::size)]
    pub size: [u32; 2],

    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
pub struct AnimationBenchArgs {
    /// Model to animate (.glb or .gltf)
    #[arg(value_name = "FILE", required = true)]
    pub file: Option<PathBuf>,

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
