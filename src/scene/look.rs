//! Ways of looking at a model: what its surfaces show instead of their materials, and what stands beside and over them.

use super::{Overlay, joint_colour};
use crate::model::{JointIndex, Model};
use crate::palette::{Palette, PaletteLayout, Source};
use crate::pose::{ModelPose, Pose};

/// A way of looking at a frame. The default shows the model as it is, and costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look<'a> {
    /// What surfaces show.
    pub surface: Surface,
    /// What is known of each matrix; some surfaces need it.
    pub table: Option<&'a LookTable>,
    /// Whether each vertex follows its strongest joint alone, as with rigid binding.
    pub one_bone: bool,
    /// Whether the edges of triangles are drawn over the surface.
    pub wires: bool,
    /// What is drawn over the model.
    pub overlay: Option<&'a Overlay>,
    /// The same model in other poses.
    pub companions: &'a [Companion<'a>],
}

impl Look<'_> {
    /// Whether it shows materials and nothing else.
    pub fn is_plain(&self) -> bool {
        self.surface == Surface::Material && !self.wires && self.overlay.is_none() && self.companions.is_empty()
    }
}

/// The model once more, in another pose or place.
#[derive(Clone, Copy, Debug)]
pub struct Companion<'a> {
    /// Its matrices, of the frame's own layout.
    pub palette: &'a Palette,
    /// A ghost's colour (sRGB-encoded) and opacity; `None` shows it as the model itself.
    pub ghost: Option<[f32; 4]>,
}

/// What a surface shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Surface {
    /// Its material in its light.
    #[default]
    Material,
    /// Matte grey, the shape alone.
    Clay,
    /// How strongly the selected joint moves each vertex, by Blender's ramp from blue to red.
    Weights,
    /// How many joints move each vertex.
    Influences,
    /// The colour of the joint that moves each vertex most.
    Dominant,
    /// How far the weights in the file are from a sum of 1.
    WeightError,
    /// The edges of each triangle against those of the mesh as it was modelled.
    Stretch,
    /// The vertices' normals in world space: X red, Y green, Z blue.
    Normals,
    /// Their tangents likewise.
    Tangents,
    /// A checker of the first texture coordinates.
    Uv,
    /// The vertices' colours, without light.
    VertexColours,
    /// Fronts blue, backs red.
    Facing,
    /// The distance along the view, near ones light.
    Depth,
    /// The edges of triangles alone.
    Wires,
}

impl Surface {
    /// Every surface, in the order of menus.
    pub const ALL: [Self; 14] = [
        Self::Material,
        Self::Clay,
        Self::Weights,
        Self::Influences,
        Self::Dominant,
        Self::WeightError,
        Self::Stretch,
        Self::Normals,
        Self::Tangents,
        Self::Uv,
        Self::VertexColours,
        Self::Facing,
        Self::Depth,
        Self::Wires,
    ];

    /// What it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Material => "material",
            Self::Clay => "clay",
            Self::Weights => "weights",
            Self::Influences => "influences",
            Self::Dominant => "dominant",
            Self::WeightError => "weight-error",
            Self::Stretch => "stretch",
            Self::Normals => "normals",
            Self::Tangents => "tangents",
            Self::Uv => "uv",
            Self::VertexColours => "vertex-colours",
            Self::Facing => "facing",
            Self::Depth => "depth",
            Self::Wires => "wireframe",
        }
    }

    /// Whether it is meaningless without a selected joint.
    pub fn needs_joint(self) -> bool {
        self == Self::Weights
    }
}

/// What a look knows of each matrix of an instance, in the palette's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LookTable {
    texels: Vec<[f32; 4]>,
}

impl LookTable {
    /// The table of a layout in which `selected` is the joint whose weights are shown.
    pub fn new(model: &Model, layout: &PaletteLayout, selected: Option<JointIndex>) -> Self {
        let mut at_rest = ModelPose::default();
        at_rest.update(&model.skeleton, &Pose::rest(&model.skeleton));
        let mut texels = Vec::with_capacity(layout.matrix_count as usize);
        let mut add = |joint: JointIndex, determinant: f64| {
            let scale = determinant.abs().cbrt();
            let scale = if scale.is_finite() && scale > 0.0 { scale as f32 } else { 1.0 };
            let [r, g, b] = joint_colour(joint);
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

    /// One texel a matrix: the joint's colour (sRGB-encoded), and the length that a unit of the mesh has at rest, negative
    /// for the selected joint.
    pub fn texels(&self) -> &[[f32; 4]] {
        &self.texels
    }
}
