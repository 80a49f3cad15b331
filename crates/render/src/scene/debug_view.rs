//! Debug views: view modes, wireframe, overlay and ghosts.

use super::joint_color::joint_color;
use super::{Overlay, ViewMode};
use rigview_core::model::{JointIndex, Model};
use rigview_core::palette::{Palette, PaletteLayout, RangeJoints, Skinning};
use rigview_core::pose::ModelPose;

/// Debug view of a frame. The default draws materials only.
#[derive(Clone, Copy, Debug, Default)]
pub struct DebugView<'a> {
    /// Content of surfaces.
    pub mode: ViewMode,
    /// Per-joint data; required by some view modes.
    pub joint_table: Option<&'a JointTable>,
    /// Target of [`ViewMode::TexelDensity`] in texels per meter; `None` for [`DEFAULT_TEXELS_PER_METER`](super::DEFAULT_TEXELS_PER_METER).
    pub texels_per_meter: Option<u32>,
    /// Pixels per unit of the widths of lines and edges; `None` for 1. More on screens that enlarge text.
    pub pixels_per_point: Option<f32>,
    /// Method of skinning.
    pub skinning: Skinning,
    /// Draws triangle edges over the surface.
    pub wireframe: bool,
    /// Debug lines and ground grid.
    pub overlay: Option<&'a Overlay>,
    /// Other poses of the same model.
    pub ghosts: &'a [GhostPose<'a>],
    /// `true` for each draw of the layout that is left out; empty if all are drawn.
    pub hidden_draws: &'a [bool],
    /// `true` for each draw of the layout that is tinted; empty if none is.
    pub highlighted_draws: &'a [bool],
}

impl DebugView<'_> {
    /// Returns `true` if only materials are drawn.
    pub fn is_default(&self) -> bool {
        self.mode == ViewMode::Material
            && !self.wireframe
            && self.overlay.is_none()
            && self.ghosts.is_empty()
            && self.highlighted_draws.is_empty()
    }
}

/// Another pose of the frame's model.
#[derive(Clone, Copy, Debug)]
pub struct GhostPose<'a> {
    /// Matrices in the frame's layout.
    pub palette: &'a Palette,
    /// sRGB-encoded color and opacity; `None` draws the model's own appearance.
    pub color: Option<[f32; 4]>,
}

/// Per-matrix data for debug views, in palette order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointTable {
    texels: Vec<[f32; 4]>,
}

impl JointTable {
    /// Creates the table of a layout; `selected` is the joint whose weights are shown.
    pub fn new(model: &Model, layout: &PaletteLayout, selected: Option<JointIndex>) -> Self {
        let at_rest = ModelPose::rest(&model.skeleton);
        let mut texels = Vec::with_capacity(layout.matrix_count as usize);
        let mut add = |joint: JointIndex, determinant: f64| {
            let scale = determinant.abs().cbrt();
            let scale = if scale.is_finite() && scale > 0.0 { scale as f32 } else { 1.0 };
            let [r, g, b] = joint_color(joint);
            texels.push([r, g, b, if selected == Some(joint) { -scale } else { scale }]);
        };
        for matrix_range in &layout.matrix_ranges {
            match matrix_range.joints {
                RangeJoints::Joint(joint) => add(joint, at_rest.model_from_joint(joint).determinant()),
                RangeJoints::Skin(skin) => {
                    let skin = &model.skins[skin.get()];
                    for (joint, joint_from_mesh) in skin.joints.iter().zip(&*skin.joint_from_mesh) {
                        add(*joint, (*at_rest.model_from_joint(*joint) * *joint_from_mesh).determinant());
                    }
                }
            }
        }
        Self { texels }
    }

    /// Returns one texel per matrix: the joint's sRGB-encoded color, and its scale at rest, negative for the selected
    /// joint.
    pub fn texels(&self) -> &[[f32; 4]] {
        &self.texels
    }
}
