//! Skins.

use super::JointIndex;
use crate::math::Affine;
use std::sync::Arc;

/// Skin: the joints of a skinned mesh, indexed by [`SkinSlot`](super::SkinSlot).
#[derive(Clone, Debug, Default)]
pub struct Skin {
    /// Name in the file.
    pub name: Option<String>,
    /// Joint per slot; never empty.
    pub joints: Vec<JointIndex>,
    /// Inverse bind matrix per slot; identity if the file has none. Skins with the same accessor share them.
    pub joint_from_mesh: Arc<[Affine]>,
}
