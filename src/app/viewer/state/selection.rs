//! Selection.

use crate::model::{JointIndex, MaterialIndex, MeshIndex, SkinIndex};

/// Something of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Selection {
    /// A node of the file.
    Joint(JointIndex),
    /// A skin.
    Skin(SkinIndex),
    /// A mesh.
    Mesh(MeshIndex),
    /// A material.
    Material(MaterialIndex),
}
