//! View mode and overlays of a request.

use super::ownership::{OfView, ownership};
use super::parse::{NamedValues, finite, one_of, with_names};
use clap::Args;
use rigview_core::palette::Skinning;
use rigview_render::scene::{DEFAULT_TEXELS_PER_METER, ViewMode};
use std::fmt;
use std::str::FromStr;

/// View mode, overlays and hidden parts. Joints are given by name or by node index.
#[derive(Clone, Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "View modes and overlays")]
pub struct DebugViewRequest {
    /// Surface shading, such as solid, normals, stretch or weights:Head
    #[arg(long, value_name = "MODE", hide_possible_values = true, long_help = view_mode_help(),
        value_parser = with_names(str::parse::<ViewModeRequest>, view_mode_names()))]
    pub view_mode: Option<ViewModeRequest>,

    /// Overlays to draw, such as skeleton,legend; repeatable
    #[arg(long = "overlay", value_name = "NAME,...", value_delimiter = ',', value_parser = one_of(&OVERLAYS))]
    pub overlays: Vec<OverlayRequest>,

    /// Joint to highlight among the bones, by name or by node index
    #[arg(long, value_name = "JOINT")]
    pub joint: Option<String>,

    /// Draw ghosts (onion skin): N poses before (blue) and N after (orange), SECONDS apart [default: 0.1]
    #[arg(long, value_name = "N[:SECONDS]")]
    pub ghosts: Option<GhostsRequest>,

    /// Draw the path of a joint, or of a vertex of a node's mesh, through the clip, from blue to orange; repeatable
    #[arg(long = "motion-path", value_name = "JOINT|NODE:VERTEX")]
    pub motion_paths: Vec<String>,

    /// Do not draw a part: a node with its descendants, mesh:NAME, material:NAME or skin:NAME; repeatable
    #[arg(long, value_name = "PART")]
    pub hide: Vec<PartRequest>,

    /// Draw only this part
    #[arg(long, value_name = "PART")]
    pub isolate: Option<PartRequest>,

    /// Tint a part orange
    #[arg(long, value_name = "PART")]
    pub highlight: Option<PartRequest>,

    /// Method of skinning: linear (that of glTF), rigid or dual-quaternion [default: linear].
    ///
    /// dual-quaternion keeps volume, and is not glTF; rigid binds each vertex to its strongest joint only
    #[arg(long, value_name = "METHOD", hide_possible_values = true,
        value_parser = with_names(skinning, SKINNING_NAMES.map(|(_, name)| name)))]
    pub skinning: Option<Skinning>,
}

ownership!(DebugViewRequest {
    file: [joint, motion_paths, hide, isolate, highlight],
    view: [overlays, ghosts, skinning],
    parts: [view_mode]
});

impl OfView for Option<ViewModeRequest> {
    fn of_view(&self) -> Self {
        self.as_ref().map(|mode| ViewModeRequest { joint: None, ..mode.clone() })
    }
}

const SKINNING_NAMES: [(Skinning, &str); 3] =
    [(Skinning::Linear, "linear"), (Skinning::Rigid, "rigid"), (Skinning::DualQuaternion, "dual-quaternion")];

/// Returns the name of a method of skinning on the command line.
pub(crate) fn skinning_name(skinning: Skinning) -> &'static str {
    SKINNING_NAMES.into_iter().find(|(found, _)| *found == skinning).map_or("", |(_, name)| name)
}

impl DebugViewRequest {
    /// Returns `true` if the overlay is drawn.
    pub(crate) fn has(&self, overlay: OverlayRequest) -> bool {
        self.overlays.contains(&overlay)
    }
}

/// An overlay that is drawn or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlayRequest {
    /// The bones.
    Skeleton,
    /// Joint axes.
    Axes,
    /// Triangle edges.
    Wireframe,
    /// The bounding box of the clip.
    Bounds,
    /// The ground grid.
    Grid,
    /// A person and a ruler.
    ScaleFigure,
    /// The skeleton of a retargeted clip.
    MotionSource,
    /// The rest pose.
    RestPose,
    /// Colors and grid size.
    Legend,
}

/// Names of the overlays, in the order of a command.
pub(crate) const OVERLAYS: NamedValues<OverlayRequest, 9> = [
    (OverlayRequest::Skeleton, "skeleton", "The bones in front of the model"),
    (OverlayRequest::Axes, "axes", "The axes of all joints: X red, Y green, Z blue"),
    (OverlayRequest::Wireframe, "wireframe", "The triangle edges over the surface"),
    (OverlayRequest::Bounds, "bounds", "The bounding box of the whole clip"),
    (
        OverlayRequest::Grid,
        "grid",
        "A ground grid; its cell size is a power of ten, the X axis is red and the Z axis is blue",
    ),
    (OverlayRequest::ScaleFigure, "scale-figure", "The outline of a person of 1.8 m and a ruler beside the model"),
    (OverlayRequest::MotionSource, "motion-source", "The skeleton of a clip that is fitted to the model, beside it"),
    (OverlayRequest::RestPose, "rest-pose", "The rest pose next to the animated model"),
    (OverlayRequest::Legend, "legend", "A legend of the colors and the grid size in the corner"),
];

fn skinning(text: &str) -> Result<Skinning, String> {
    let found = SKINNING_NAMES.into_iter().find(|(_, name)| *name == text);
    found.map(|(skinning, _)| skinning).ok_or_else(|| "expected linear, rigid or dual-quaternion".to_owned())
}

/// The view modes, each with what it shows.
fn view_mode_help() -> String {
    let modes = ViewMode::ALL.map(|mode| {
        let argument = match mode {
            ViewMode::TexelDensity => "[:TEXELS_PER_METER]",
            mode if mode.needs_joint() => ":JOINT",
            _ => "",
        };
        format!("{}{argument} ({})", mode.name(), mode.help())
    });
    format!("Surface shading: {}. Example: --view-mode weights:Head", modes.join(", "))
}

/// The names of view modes that are complete without a joint.
fn view_mode_names() -> impl Iterator<Item = &'static str> {
    ViewMode::ALL.into_iter().filter(|mode| !mode.needs_joint()).map(ViewMode::name)
}

/// A view mode: `MODE`, `weights:JOINT`, `weight-paint:JOINT` or `texel-density:TARGET`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewModeRequest {
    /// Surface shading.
    pub view_mode: ViewMode,
    /// The joint of a mode that needs one, by name or by node index.
    pub joint: Option<String>,
    /// The target of `texel-density` in texels per meter, above 0; `None` for the default.
    pub texels_per_meter: Option<u32>,
}

impl From<ViewMode> for ViewModeRequest {
    fn from(view_mode: ViewMode) -> Self {
        Self { view_mode, joint: None, texels_per_meter: None }
    }
}

impl fmt::Display for ViewModeRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = self.texels_per_meter.map(|target| target.to_string());
        match self.joint.as_ref().or(target.as_ref()) {
            Some(argument) => write!(f, "{}:{argument}", self.view_mode.name()),
            None => f.write_str(self.view_mode.name()),
        }
    }
}

impl FromStr for ViewModeRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, argument) = match text.split_once(':') {
            Some((name, argument)) => (name, Some(argument).filter(|argument| !argument.is_empty())),
            None => (text, None),
        };
        let Some(view_mode) = ViewMode::from_name(name) else {
            let names: Vec<&str> = ViewMode::ALL.iter().map(|mode| mode.name()).collect();
            return Err(format!("expected one of {}", names.join(", ")));
        };
        match argument {
            None if view_mode.needs_joint() => Err(format!("expected a joint, such as {name}:Head")),
            Some(joint) if view_mode.needs_joint() => Ok(Self { joint: Some(joint.to_owned()), ..view_mode.into() }),
            Some(target) if view_mode == ViewMode::TexelDensity => match target.parse() {
                Ok(target @ 1..) => Ok(Self { texels_per_meter: Some(target), ..view_mode.into() }),
                _ => Err(format!("expected whole texels per meter, such as {name}:{DEFAULT_TEXELS_PER_METER}")),
            },
            Some(_) => Err(format!("`{name}` takes no joint")),
            None => Ok(view_mode.into()),
        }
    }
}

/// A part of a model: `NODE` with its descendants, `node:NODE`, `mesh:NAME`, `material:NAME` or `skin:NAME`. Names may be
/// indices of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartRequest {
    /// Kind of part.
    pub kind: PartKind,
    /// Name or index.
    pub name: String,
}

/// Kind of a part of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// A node with its descendants.
    Node,
    /// A mesh, wherever it is drawn.
    Mesh,
    /// Everything with a material.
    Material,
    /// Everything with a skin.
    Skin,
}

impl PartKind {
    const ALL: [(Self, &str); 4] =
        [(Self::Node, "node:"), (Self::Mesh, "mesh:"), (Self::Material, "material:"), (Self::Skin, "skin:")];
}

impl fmt::Display for PartRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = PartKind::ALL.into_iter().find(|(kind, _)| *kind == self.kind).map_or("", |(_, prefix)| prefix);
        let is_plain = self.kind == PartKind::Node && !self.name.contains(':');
        write!(f, "{}{}", if is_plain { "" } else { prefix }, self.name)
    }
}

impl FromStr for PartRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let prefixed = PartKind::ALL.into_iter().find_map(|(kind, prefix)| Some((kind, text.strip_prefix(prefix)?)));
        let (kind, name) = prefixed.unwrap_or((PartKind::Node, text));
        match name {
            "" => Err("expected a node, mesh:NAME, material:NAME or skin:NAME".to_owned()),
            name => Ok(Self { kind, name: name.to_owned() }),
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

impl Default for GhostsRequest {
    fn default() -> Self {
        Self { count: 3, spacing_secs: DEFAULT_GHOST_SPACING_SECS }
    }
}

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
