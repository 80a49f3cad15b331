//! View modes and overlays.

use crate::request::{DebugViewRequest, GhostsRequest, PartRequest, ViewModeRequest};
use clap::Args;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "View modes and overlays")]
pub struct DebugViewArgs {
    /// Surface shading:
    ///
    /// material (default), solid, wireframe, normals, tangents, uv, vertex-colors, face-orientation, depth;
    /// weights:JOINT (weight of one joint, blue 0 to red 1), influences (joints per vertex), dominant-joint (largest weight),
    /// weight-sum (sums other than 1), rigid (each vertex follows its strongest joint only), stretch (edge
    /// lengths relative to the rest pose). Example: --view-mode weights:Head
    #[arg(long, value_name = "MODE")]
    pub view_mode: Option<ViewModeRequest>,

    /// Draw the triangle edges over the surface
    #[arg(long, visible_alias = "edges")]
    pub wireframe: bool,

    /// Draw the bones in front of the model
    #[arg(long, visible_alias = "armature")]
    pub skeleton: bool,

    /// Draw the axes of all joints: X red, Y green, Z blue
    #[arg(long)]
    pub axes: bool,

    /// Joint to highlight among the bones, by name or by node index
    #[arg(long, value_name = "JOINT")]
    pub joint: Option<String>,

    /// Draw the bounding box of the whole clip
    #[arg(long)]
    pub bounds: bool,

    /// Draw a ground grid; its cell size is a power of ten, the X axis is red and the Z axis is blue
    #[arg(long)]
    pub grid: bool,

    /// Draw ghosts (onion skin): N poses before (blue) and N after (orange), SECONDS apart [default: 0.1]
    #[arg(long, value_name = "N[:SECONDS]")]
    pub ghosts: Option<GhostsRequest>,

    /// Draw the path of a joint through the clip, from blue to orange; repeatable
    #[arg(long = "motion-path", value_name = "JOINT")]
    pub motion_paths: Vec<String>,

    /// Show the rest pose next to the animated model
    #[arg(long)]
    pub show_rest_pose: bool,

    /// Do not draw a part: a node with its descendants, mesh:NAME, material:NAME or skin:NAME; repeatable
    #[arg(long, value_name = "PART")]
    pub hide: Vec<PartRequest>,

    /// Draw only this part
    #[arg(long, value_name = "PART")]
    pub isolate: Option<PartRequest>,

    /// Tint a part orange
    #[arg(long, value_name = "PART")]
    pub highlight: Option<PartRequest>,

    /// Draw a legend of the colors and the grid size in the corner
    #[arg(long)]
    pub legend: bool,
}

impl From<&DebugViewArgs> for DebugViewRequest {
    fn from(args: &DebugViewArgs) -> Self {
        Self {
            view_mode: args.view_mode.clone(),
            wireframe: args.wireframe,
            skeleton: args.skeleton,
            axes: args.axes,
            joint: args.joint.clone(),
            bounds: args.bounds,
            grid: args.grid,
            ghosts: args.ghosts,
            motion_paths: args.motion_paths.clone(),
            rest_pose: args.show_rest_pose,
            hide: args.hide.clone(),
            isolate: args.isolate.clone(),
            highlight: args.highlight.clone(),
            legend: args.legend,
        }
    }
}
