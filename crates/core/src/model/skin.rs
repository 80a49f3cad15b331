//! Skins.

use super::JointIndex;
use crate::math::Affine;

/// Skin: the joints of a skinned mesh, indexed by [`SkinSlot`](super::SkinSlot).
#[derive(Clone, Debug, Default)]
pub struct Skin {
    /// Name in the file.
    pub name: Option<String>,
    /// Joint per slot; never empty.
    pub joints: Vec<JointIndex>,
    /// Inverse bind matrix per slot; identity if the file has none.
    pub joint_from_mesh: Vec<Affine>,
}
