//! Crowd options: number, layout and playback of instances.

use super::values::from_0_to_1;
use crate::request::{ClipWeight, CrowdRequest, LayoutRequest, MAX_INSTANCES, ModelSpec};
use clap::Args;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Crowd")]
pub struct CrowdArgs {
    /// Number of instances, each with its own start time in its clip; the same as FILE:N
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_INSTANCES)))]
    pub instances: u32,

    /// Add N instances of another model to the scene. A grid or scatter mixes the models; the entries of a layout file go to
    /// one model after the other. Repeatable
    #[arg(long = "add-model", value_name = "FILE[:N]")]
    pub models: Vec<ModelSpec>,

    /// Placement of the instances: a `grid`, a random `scatter`, or a file: a .csv with the columns
    /// x,y,z,yaw,scale,clip,phase,speed, or a .json with objects with position, yaw and so on; in meters, degrees and
    /// seconds [default: grid]
    #[arg(long, value_name = "grid|scatter|FILE")]
    pub layout: Option<LayoutRequest>,

    /// Clips that the instances choose from at random, by name or by index, with relative weights such as Walk:2,Run:1; a
    /// .glb or .gltf file stands for all its clips, imported onto joints of the same names [default: --clip]
    #[arg(long, value_name = "CLIP[:WEIGHT],...", value_delimiter = ',', conflicts_with = "clip")]
    pub clips: Vec<ClipWeight>,

    /// Random start times, as a fraction of the clip; 0: all instances start together [default: 1]
    #[arg(long, value_name = "0..1", value_parser = from_0_to_1)]
    pub phase_spread: Option<f64>,

    /// Random playback speeds: 0.2 for speeds from 0.8 to 1.2
    #[arg(long, value_name = "0..1", default_value_t = 0.0, value_parser = from_0_to_1)]
    pub speed_spread: f64,

    /// Random seed: the same seed gives the same crowd
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

impl From<&CrowdArgs> for CrowdRequest {
    fn from(args: &CrowdArgs) -> Self {
        Self {
            instances: args.instances,
            other_models: args.models.clone(),
            layout: args.layout.clone(),
            clips: args.clips.clone(),
            phase_spread: args.phase_spread,
            speed_spread: args.speed_spread,
            seed: args.seed,
        }
    }
}
