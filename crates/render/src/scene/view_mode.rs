//! Table of the view modes: all about them but the code of their shader (`shaders/debug_view.vert` and `.frag`).

use super::view_colors::{BACK, FRONT, INFLUENCE_COLORS, diverging_color, weight_color, weight_paint_color};

/// A row of the table.
pub(super) struct ViewModeEntry {
    name: &'static str,
    /// It selects the mode in the shader.
    define: &'static str,
    help: &'static str,
    reads: Reads,
    pub(super) legend: LegendEntry,
}

/// What a view mode reads besides positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reads {
    Nothing,
    /// The color and scale of each joint, of which one is selected.
    SelectedJoint,
    /// The color and scale of each joint.
    JointTable,
    Normals,
    Tangents,
    TexCoords,
    /// Texture coordinates and size of the base color texture.
    BaseColorTexels,
    Colors,
    /// Values that [`Renderer::upload_vertex_values`](crate::render::Renderer::upload_vertex_values) sets.
    VertexValues,
}

/// The legend of a view mode.
pub(super) enum LegendEntry {
    /// The colors have no meaning.
    None,
    /// Title, color from 0 to 1, and labels at positions.
    Ramp(&'static str, fn(f32) -> [f32; 3], &'static [(f32, &'static str)]),
    /// Title, and colors with labels.
    Steps(&'static str, &'static [([f32; 3], &'static str)]),
    /// Title; the colors are those of joints.
    Joints(&'static str),
}

/// Declares [`ViewMode`] and its table.
macro_rules! view_modes {
    ($($(#[$attribute:meta])* $mode:ident: $name:literal, $define:literal, $help:literal, $reads:ident, $legend:expr;)*) => {
        /// Content of surfaces.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum ViewMode {
            $($(#[$attribute])* #[doc = $help] $mode,)*
        }

        impl ViewMode {
            /// All modes, in menu order.
            pub const ALL: [Self; [$(Self::$mode),*].len()] = [$(Self::$mode),*];
        }

        static TABLE: [ViewModeEntry; ViewMode::ALL.len()] =
            [$(ViewModeEntry { name: $name, define: $define, help: $help, reads: Reads::$reads, legend: $legend }),*];
    };
}

view_modes! {
    #[default]
    Material: "material", "VIEW_SOLID", "lit materials", Nothing, LegendEntry::None;
    Solid: "solid", "VIEW_SOLID", "matte gray", Nothing, LegendEntry::None;
    Weights: "weights", "VIEW_WEIGHTS", "weight of one joint, gray 0 to red 1", SelectedJoint, LegendEntry::Ramp(
        "weight of the joint", weight_color, &WEIGHT_MARKS,
    );
    WeightPaint: "weight-paint", "VIEW_WEIGHT_PAINT", "weight of one joint in the colors of Blender, blue 0 to red 1", SelectedJoint,
    LegendEntry::Ramp("weight of the joint", weight_paint_color, &WEIGHT_MARKS);
    Influences: "influences", "VIEW_INFLUENCES", "joints per vertex", Nothing, LegendEntry::Steps("joints that move a vertex", &INFLUENCE_COLORS);
    DominantJoint: "dominant-joint", "VIEW_DOMINANT_JOINT", "joint of the largest weight", JointTable, LegendEntry::Joints("strongest joint");
    WeightSum: "weight-sum", "VIEW_WEIGHT_SUM", "sums of weights other than 1", Nothing, LegendEntry::Ramp(
        "sum of the weights in the file", diverging_ramp, &[(0.0, "0.5 or less"), (0.5, "1"), (1.0, "1.5 or more")],
    );
    WeightSymmetry: "weight-symmetry", "VIEW_WEIGHT_SYMMETRY", "weights against the mirrored vertex", VertexValues, LegendEntry::Ramp(
        "weights, against the mirrored vertex", diverging_ramp,
        &[(0.0, "unpaired"), (0.5, "equal"), (1.0, "0.25 or more")],
    );
    Stretch: "stretch", "VIEW_STRETCH", "edge lengths relative to the rest pose", JointTable, LegendEntry::Ramp(
        "edges, against the mesh as modeled", diverging_ramp, &[(0.0, "half"), (0.5, "the same"), (1.0, "twice")],
    );
    Volume: "volume", "VIEW_VOLUME", "volume of each vertex relative to its joints", Nothing, LegendEntry::Ramp(
        "volume at a vertex, against its joints", diverging_ramp,
        &[(0.0, "half or less"), (0.5, "the same"), (1.0, "twice or more")],
    );
    Normals: "normals", "VIEW_NORMALS", "normals in world space: X red, Y green, Z blue", Normals, DIRECTIONS;
    Tangents: "tangents", "VIEW_TANGENTS", "tangents in world space", Tangents, DIRECTIONS;
    Uv: "uv", "VIEW_UV", "checkerboard of the first texture coordinates", TexCoords, LegendEntry::None;
    TexelDensity: "texel-density", "VIEW_TEXEL_DENSITY", "texels of the base color texture per meter, against a target", BaseColorTexels,
    LegendEntry::Ramp("texels per meter, against the target", diverging_ramp, &[(0.0, "half or less"), (0.5, "equal"), (1.0, "twice or more")]);
    VertexColors: "vertex-colors", "VIEW_VERTEX_COLORS", "vertex colors without lighting", Colors, LegendEntry::None;
    FaceOrientation: "face-orientation", "VIEW_FACE_ORIENTATION", "front faces blue, back faces red", Nothing, LegendEntry::Steps(
        "side", &[(FRONT, "front"), (BACK, "back")],
    );
    Depth: "depth", "VIEW_DEPTH", "distance along the view; near is light", Nothing, LegendEntry::Ramp(
        "distance from the viewer", |x| [1.0 - 0.92 * x; 3], &[(0.0, "nearest"), (1.0, "farthest")],
    );
    Wireframe: "wireframe", "VIEW_WIREFRAME", "triangle edges only", Nothing, LegendEntry::None;
}

const WEIGHT_MARKS: [(f32, &str); 5] = [(0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, "1")];

/// Target of [`ViewMode::TexelDensity`] in texels per meter, without another one.
pub const DEFAULT_TEXELS_PER_METER: u32 = 512;

const DIRECTIONS: LegendEntry = LegendEntry::Steps(
    "direction in the world",
    &[([1.0, 0.5, 0.5], "+X"), ([0.5, 1.0, 0.5], "+Y"), ([0.5, 0.5, 1.0], "+Z")],
);

fn diverging_ramp(x: f32) -> [f32; 3] {
    diverging_color(2.0 * x - 1.0)
}

impl ViewMode {
    pub(super) fn entry(self) -> &'static ViewModeEntry {
        &TABLE[self as usize]
    }

    /// Returns the name for the command line.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Returns what surfaces show, in a few words.
    pub fn help(self) -> &'static str {
        self.entry().help
    }

    /// Returns the mode with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Returns `true` if the mode needs a selected joint.
    pub fn needs_joint(self) -> bool {
        self.reads() == Reads::SelectedJoint
    }

    /// Returns `true` if the mode needs a [`JointTable`](super::JointTable).
    pub fn needs_joint_table(self) -> bool {
        matches!(self.reads(), Reads::SelectedJoint | Reads::JointTable)
    }

    pub(crate) fn reads(self) -> Reads {
        self.entry().reads
    }

    /// Returns the define that selects the mode in the shader.
    pub(crate) fn define(self) -> &'static str {
        self.entry().define
    }
}
