//! Which joints move a skinned mesh.

use super::JointIndex;
use crate::math::Affine;

/// The joints that a skinned mesh follows, in the order that its vertices count them ([`SkinSlot`](super::SkinSlot)).
#[derive(Clone, Debug)]
pub struct Skin {
    /// Its name in the file.
    pub name: Option<String>,
    /// The joint of each slot; never empty.
    pub joints: Vec<JointIndex>,
    /// `joint_from_mesh` of each slot (glTF's inverse bind matrix); identities where the file has none.
    pub joint_from_mesh: Vec<Affine>,
}
