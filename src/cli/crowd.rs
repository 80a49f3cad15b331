//! A crowd: where they stand, and what each plays.

use super::values::from_0_to_1;
use crate::request::{ClipWeight, CrowdRequest, LayoutRequest, MAX_INSTANCES, ModelSpec};
use clap::Args;

/// What tells a crowd from one alone.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Crowds")]
pub struct CrowdArgs {
    /// How many to show, each at its own phase of its clip; FILE:N means the same
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_INSTANCES)))]
    pub instances: u32,

    /// Another model in the same scene, and how many of it; may be given again. Their places are mixed, those of a layout's
    /// file go to one model after the other
    #[arg(long, value_name = "FILE[:N]")]
    pub with: Vec<ModelSpec>,

    /// Where they stand: on a `grid`, `scatter`ed and turned at random, or as a file says: lines of
    /// x,y,z,yaw,scale,clip,phase,speed (.csv, with a line of column names), or objects with position, yaw, ... (.json).
    /// Meters, degrees, seconds [default: grid]
    #[arg(long, value_name = "grid|scatter|FILE")]
    pub layout: Option<LayoutRequest>,

    /// What they play: clips by name or number, each with its weight, such as Walk:2,Run:1; a .glb or .gltf file lends its
    /// clips to joints of the same names [default: --clip]
    #[arg(long, value_name = "CLIP[:WEIGHT],...", value_delimiter = ',', conflicts_with = "clip")]
    pub clips: Vec<ClipWeight>,

    /// The share of its clip over which phases are spread: 0 for all at the same moment [default: 1]
    #[arg(long, value_name = "0..1", value_parser = from_0_to_1)]
    pub phase_spread: Option<f64>,

    /// How much faster or slower some are: 0.2 for speeds from 0.8 to 1.2
    #[arg(long, value_name = "0..1", default_value_t = 0.0, value_parser = from_0_to_1)]
    pub speed_spread: f64,

    /// What chance begins with: the same number, the same crowd
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

impl From<&CrowdArgs> for CrowdRequest {
    fn from(args: &CrowdArgs) -> Self {
        Self {
            instances: args.instances,
            other_models: args.with.clone(),
            layout: args.layout.clone(),
            clips: args.clips.clone(),
            phase_spread: args.phase_spread,
            speed_spread: args.speed_spread,
            seed: args.seed,
        }
    }
}
