//! Ways of looking at a model.

use super::values::finite;
use crate::scene::ViewMode;
use clap::Args;

/// Ways of looking at a model.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct LookArgs {
    /// What surfaces show [default: material]: solid; weights:JOINT, how strongly a joint moves each vertex, blue 0 to red 1;
    /// influences, how many joints do; dominant-joint, which one does most; weight-sum, sums other than 1; rigid, each vertex
    /// on its strongest joint alone; stretch, edges against the mesh as modeled; normals, tangents, uv, vertex-colors,
    /// face-orientation, depth, wireframe
    #[arg(long, value_name = "LOOK", value_parser = look, help_heading = "Ways of looking")]
    pub look: Option<LookArg>,

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
    #[arg(long, value_name = "N[:SECONDS]", value_parser = ghosts, help_heading = "Ways of looking")]
    pub ghosts: Option<GhostsArg>,

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

/// What surfaces show, as asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookArg {
    /// What they show.
    pub surface: ViewMode,
    /// The joint that is meant, by name or by node number.
    pub joint: Option<String>,
    /// Whether each vertex follows its strongest joint alone.
    pub rigid: bool,
}

/// Poses before and after, as asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GhostsArg {
    /// How many each way.
    pub count: u32,
    /// Seconds from one to the next.
    pub spacing_secs: f64,
}

/// Seconds between ghosts unless asked for otherwise.
const GHOST_SPACING_SECS: f64 = 0.1;

impl std::fmt::Display for LookArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.joint, self.rigid) {
            (_, true) => f.write_str("rigid"),
            (Some(joint), _) => write!(f, "{}:{joint}", self.surface.name()),
            (None, _) => f.write_str(self.surface.name()),
        }
    }
}

impl std::fmt::Display for GhostsArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.count, self.spacing_secs)
    }
}

fn look(text: &str) -> Result<LookArg, String> {
    if text == "rigid" {
        return Ok(LookArg { surface: ViewMode::Material, joint: None, rigid: true });
    }
    let (name, joint) = match text.split_once(':') {
        Some((name, joint)) => (name, Some(joint.to_owned()).filter(|joint| !joint.is_empty())),
        None => (text, None),
    };
    let Some(surface) = ViewMode::from_name(name) else {
        let names: Vec<&str> = ViewMode::ALL.iter().map(|surface| surface.name()).collect();
        return Err(format!("expected one of {}, rigid", names.join(", ")));
    };
    match (surface.needs_joint(), &joint) {
        (true, None) => Err(format!("which joint? Such as {name}:Head")),
        (false, Some(_)) => Err(format!("`{name}` takes no joint")),
        _ => Ok(LookArg { surface, joint, rigid: false }),
    }
}

fn ghosts(text: &str) -> Result<GhostsArg, String> {
    let (count, spacing_secs) = match text.split_once(':') {
        Some((count, secs)) => (count, finite(secs)?),
        None => (text, GHOST_SPACING_SECS),
    };
    match count.parse() {
        Ok(count) if (1..=20).contains(&count) && spacing_secs > 0.0 => Ok(GhostsArg { count, spacing_secs }),
        _ => Err("expected a number from 1 to 20, and seconds above 0: such as 3 or 3:0.05".to_owned()),
    }
}
