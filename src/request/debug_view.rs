//! View mode and overlays of a request.

use super::parse::finite;
use crate::scene::ViewMode;
use std::fmt;
use std::str::FromStr;

/// View mode and overlays. Joints are given by name or by node index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DebugViewRequest {
    /// Without one, the materials.
    pub view_mode: Option<ViewModeRequest>,
    /// Draws triangle edges over the surface.
    pub wireframe: bool,
    /// Draws the bones in front of the model.
    pub skeleton: bool,
    /// Draws the axes of every joint.
    pub axes: bool,
    /// The highlighted joint.
    pub joint: Option<String>,
    /// Draws the bounding box of the whole clip.
    pub bounds: bool,
    /// Draws a grid on the ground.
    pub grid: bool,
    /// Poses before and after the current time.
    pub ghosts: Option<GhostsRequest>,
    /// Joints whose motion path through the clip is drawn.
    pub motion_paths: Vec<String>,
    /// Draws the rest pose next to the model.
    pub rest_pose: bool,
    /// Writes the legend of the colors into the image.
    pub legend: bool,
}

/// A view mode: `MODE`, `weights:JOINT` or `rigid`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewModeRequest {
    /// Surface shading.
    pub view_mode: ViewMode,
    /// The joint of `weights`, by name or by node index.
    pub joint: Option<String>,
    /// Binds each vertex to its strongest joint only.
    pub rigid: bool,
}

impl fmt::Display for ViewModeRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.joint, self.rigid) {
            (_, true) => f.write_str("rigid"),
            (Some(joint), _) => write!(f, "{}:{joint}", self.view_mode.name()),
            (None, _) => f.write_str(self.view_mode.name()),
        }
    }
}

impl FromStr for ViewModeRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "rigid" {
            return Ok(Self { view_mode: ViewMode::Material, joint: None, rigid: true });
        }
        let (name, joint) = match text.split_once(':') {
            Some((name, joint)) => (name, Some(joint.to_owned()).filter(|joint| !joint.is_empty())),
            None => (text, None),
        };
        let Some(view_mode) = ViewMode::from_name(name) else {
            let names: Vec<&str> = ViewMode::ALL.iter().map(|mode| mode.name()).collect();
            return Err(format!("expected one of {}, rigid", names.join(", ")));
        };
        match (view_mode.needs_joint(), &joint) {
            (true, None) => Err(format!("expected a joint, such as {name}:Head")),
            (false, Some(_)) => Err(format!("`{name}` takes no joint")),
            _ => Ok(Self { view_mode, joint, rigid: false }),
        }
    }
}

/// Ghosts (onion skin): `N` or `N:SECONDS`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GhostsRequest {
    /// Ghosts on each side of the current time.
    pub count: u32,
    /// Seconds between ghosts.
    pub spacing_secs: f64,
}

const DEFAULT_GHOST_SPACING_SECS: f64 = 0.1;

impl fmt::Display for GhostsRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.count, self.spacing_secs)
    }
}

impl FromStr for GhostsRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (count, spacing_secs) = match text.split_once(':') {
            Some((count, secs)) => (count, finite(secs)?),
            None => (text, DEFAULT_GHOST_SPACING_SECS),
        };
        match count.parse() {
            Ok(count) if (1..=20).contains(&count) && spacing_secs > 0.0 => Ok(Self { count, spacing_secs }),
            _ => Err("expected a number from 1 to 20, and seconds above 0: such as 3 or 3:0.05".to_owned()),
        }
    }
}
