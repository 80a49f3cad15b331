//! Ways of looking at a model: what its surfaces show instead of their materials, and what stands beside and over them.

use super::{Overlay, joint_color};
use crate::model::{JointIndex, Model};
use crate::palette::{Palette, PaletteLayout, Source};
use crate::pose::{ModelPose, Pose};

/// A way of looking at a frame. The default shows the model as it is, and costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct DebugView<'a> {
    /// What surfaces show.
    pub mode: ViewMode,
    /// What is known of each matrix; some surfaces need it.
    pub joint_table: Option<&'a JointTable>,
    /// Whether each vertex follows its strongest joint alone, as with rigid binding.
    pub rigid_skinning: bool,
    /// Whether the edges of triangles are drawn over the surface.
    pub wireframe: bool,
    /// What is drawn over the model.
    pub overlay: Option<&'a Overlay>,
    /// The same model in other poses.
    pub ghosts: &'a [GhostPose<'a>],
}

impl DebugView<'_> {
    /// Whether it shows materials and nothing else.
    pub fn is_default(&self) -> bool {
        self.mode == ViewMode::Material && !self.wireframe && self.overlay.is_none() && self.ghosts.is_empty()
    }
}

/// The model once more, in another pose or place.
#[derive(Clone, Copy, Debug)]
pub struct GhostPose<'a> {
    /// Its matrices, of the frame's own layout.
    pub palette: &'a Palette,
    /// A ghost's color (sRGB-encoded) and opacity; `None` shows it as the model itself.
    pub color: Option<[f32; 4]>,
}

/// What a surface shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ViewMode {
    /// Its material in its light.
    #[default]
    Material,
    /// Matte gray, the shape alone.
    Solid,
    /// How strongly the selected joint moves each vertex, by Blender's ramp from blue to red.
    Weights,
    /// How many joints move each vertex.
    Influences,
    /// The color of the joint that moves each vertex most.
    DominantJoint,
    /// How far the weights in the file are from a sum of 1.
    WeightSum,
    /// The edges of each triangle against those of the mesh as it was modeled.
    Stretch,
    /// The vertices' normals in world space: X red, Y green, Z blue.
    Normals,
    /// Their tangents likewise.
    Tangents,
    /// A checker of the first texture coordinates.
    Uv,
    /// The vertices' colors, without light.
    VertexColors,
    /// Fronts blue, backs red.
    FaceOrientation,
    /// The distance along the view, near ones light.
    Depth,
    /// The edges of triangles alone.
    Wireframe,
}

impl ViewMode {
    /// Every surface, in the order of menus.
    pub const ALL: [Self; 14] = [
        Self::Material,
        Self::Solid,
        Self::Weights,
        Self::Influences,
        Self::DominantJoint,
        Self::WeightSum,
        Self::Stretch,
        Self::Normals,
        Self::Tangents,
        Self::Uv,
        Self::VertexColors,
        Self::FaceOrientation,
        Self::Depth,
        Self::Wireframe,
    ];

    /// What it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Material => "material",
            Self::Solid => "solid",
            Self::Weights => "weights",
            Self::Influences => "influences",
            Self::DominantJoint => "dominant-joint",
            Self::WeightSum => "weight-sum",
            Self::Stretch => "stretch",
            Self::Normals => "normals",
            Self::Tangents => "tangents",
            Self::Uv => "uv",
            Self::VertexColors => "vertex-colors",
            Self::FaceOrientation => "face-orientation",
            Self::Depth => "depth",
            Self::Wireframe => "wireframe",
        }
    }

    /// Returns the mode with this name or former name.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = match name {
            "clay" => "solid",
            "facing" => "face-orientation",
            "dominant" => "dominant-joint",
            "weight-error" => "weight-sum",
            "vertex-colours" => "vertex-colors",
            name => name,
        };
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Whether it is meaningless without a selected joint.
    pub fn needs_joint(self) -> bool {
        self == Self::Weights
    }
}

/// What a look knows of each matrix of an instance, in the palette's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointTable {
    texels: Vec<[f32; 4]>,
}

impl JointTable {
    /// The table of a layout in which `selected` is the joint whose weights are shown.
    pub fn new(model: &Model, layout: &PaletteLayout, selected: Option<JointIndex>) -> Self {
        let mut at_rest = ModelPose::default();
        at_rest.update(&model.skeleton, &Pose::rest(&model.skeleton));
        let mut texels = Vec::with_capacity(layout.matrix_count as usize);
        let mut add = |joint: JointIndex, determinant: f64| {
            let scale = determinant.abs().cbrt();
            let scale = if scale.is_finite() && scale > 0.0 { scale as f32 } else { 1.0 };
            let [r, g, b] = joint_color(joint);
            texels.push([r, g, b, if selected == Some(joint) { -scale } else { scale }]);
        };
        for section in &layout.sections {
            match section.source {
                Source::Joint(joint) => add(joint, at_rest.model_from_joint(joint).determinant()),
                Source::Skin(skin) => {
                    let skin = &model.skins[skin.get()];
                    for (joint, joint_from_mesh) in skin.joints.iter().zip(&skin.joint_from_mesh) {
                        add(*joint, (*at_rest.model_from_joint(*joint) * *joint_from_mesh).determinant());
                    }
                }
            }
        }
        Self { texels }
    }

    /// One texel a matrix: the joint's color (sRGB-encoded), and the length that a unit of the mesh has at rest, negative
    /// for the selected joint.
    pub fn texels(&self) -> &[[f32; 4]] {
        &self.texels
    }
}
