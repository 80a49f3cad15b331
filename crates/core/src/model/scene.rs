//! Scenes.

use super::{JointIndex, LightIndex, MeshIndex, SkinIndex};

/// Scene: the mesh nodes and lights that are shown together.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// Name in the file.
    pub name: Option<String>,
    /// Meshes, depth first from the roots, roots and children in file order.
    pub mesh_nodes: Vec<MeshNode>,
    /// Lights, in the same order.
    pub lights: Vec<LightIndex>,
}

/// Mesh node: a joint with a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshNode {
    /// The joint with the mesh and its morph weights.
    pub joint: JointIndex,
    /// The mesh.
    pub mesh: MeshIndex,
    /// The skin. Skinned vertices ignore the transform of [`joint`](Self::joint) (glTF 2.0, section 3.7.3.2).
    ///
    /// Primitives without influences still follow that joint.
    pub skin: Option<SkinIndex>,
}
