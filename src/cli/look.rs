//! Ways of looking at a model.

use crate::request::{DebugViewRequest, GhostsRequest, ViewModeRequest};
use clap::Args;

/// Ways of looking at a model.
#[derive(Clone, Debug, Args)]
pub struct LookArgs {
    /// What surfaces show [default: material]: solid; weights:JOINT, how strongly a joint moves each vertex, blue 0 to red 1;
    /// influences, how many joints do; dominant-joint, which one does most; weight-sum, sums other than 1; rigid, each vertex
    /// on its strongest joint alone; stretch, edges against the mesh as modeled; normals, tangents, uv, vertex-colors,
    /// face-orientation, depth, wireframe
    #[arg(long, value_name = "LOOK", help_heading = "Ways of looking")]
    pub look: Option<ViewModeRequest>,

    /// Draw the edges of triangles over the surface
    #[arg(long, help_heading = "Ways of looking")]
    pub wireframe: bool,

    /// Draw the bones, seen through the model
    #[arg(long, help_heading = "Ways of looking")]
    pub skeleton: bool,

    /// Draw the axes of every joint: X red, Y green, Z blue
    #[arg(long, help_heading = "Ways of looking")]
    pub axes: bool,

    /// A joint that stands out among the bones, by name or by node number
    #[arg(long, value_name = "JOINT", help_heading = "Ways of looking")]
    pub joint: Option<String>,

    /// Draw the box around the whole clip
    #[arg(long, help_heading = "Ways of looking")]
    pub bounds: bool,

    /// Draw the ground as a grid, in cells of a power of ten, the X axis red and the Z axis blue
    #[arg(long, help_heading = "Ways of looking")]
    pub grid: bool,

    /// Show N poses before and N after, so many seconds apart [default: 0.1]: blue before, orange after
    #[arg(long, value_name = "N[:SECONDS]", help_heading = "Ways of looking")]
    pub ghosts: Option<GhostsRequest>,

    /// Draw the way of a joint through the clip, from blue to orange. May be repeated
    #[arg(long = "trail", value_name = "JOINT", help_heading = "Ways of looking")]
    pub trails: Vec<String>,

    /// Show the rest pose beside
    #[arg(long, help_heading = "Ways of looking")]
    pub rest_beside: bool,

    /// Write into the corner what the colors mean, and how large the cells of the grid are
    #[arg(long, help_heading = "Ways of looking")]
    pub legend: bool,
}

impl From<&LookArgs> for DebugViewRequest {
    fn from(args: &LookArgs) -> Self {
        Self {
            view_mode: args.look.clone(),
            wireframe: args.wireframe,
            skeleton: args.skeleton,
            axes: args.axes,
            joint: args.joint.clone(),
            bounds: args.bounds,
            grid: args.grid,
            ghosts: args.ghosts,
            motion_paths: args.trails.clone(),
            rest_pose: args.rest_beside,
            legend: args.legend,
        }
    }
}
