//! Selected elements of the file.

use crate::model::{JointIndex, MaterialIndex, MeshIndex, SkinIndex};

/// A selected element of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Selection {
    Joint(JointIndex),
    Skin(SkinIndex),
    Mesh(MeshIndex),
    Material(MaterialIndex),
}
