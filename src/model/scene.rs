//! What is shown together.

use super::{JointIndex, LightIndex, MeshIndex, SkinIndex};

/// A scene of the file.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// Its name in the file.
    pub name: Option<String>,
    /// The meshes in it: depth first from its roots, roots and children in the file's order.
    pub drawables: Vec<Drawable>,
    /// The lights in it, in the same order.
    pub lights: Vec<LightIndex>,
}

/// A mesh as a joint carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawable {
    /// The joint that carries it and owns its morph weights.
    pub joint: JointIndex,
    /// The mesh.
    pub mesh: MeshIndex,
    /// The skin that moves its vertices; they then ignore the carrying joint's own transform (glTF 2.0, section 3.7.3.2).
    ///
    /// A primitive without influences is moved by the carrying joint even so.
    pub skin: Option<SkinIndex>,
}
