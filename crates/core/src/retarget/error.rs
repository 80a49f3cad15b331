//! Errors of retargeting.

/// Error of [`retarget_clips`](super::retarget_clips), or of joints that a [`RigMap`](super::RigMap) lacks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RetargetError {
    /// A map lacks roles.
    #[error("the {which} has no joints for {roles}")]
    MissingRoles {
        /// `source`, `target`, or `model` if there is only one.
        which: &'static str,
        /// The roles, separated by commas.
        roles: String,
    },
    /// The legs have no length.
    #[error(
        "the legs of the {which} have no length at rest; in Blender: apply the scale of the armature, and export again"
    )]
    NoLegs {
        /// `source`, `target`, or `model` if there is only one.
        which: &'static str,
    },
    /// Keys of a clip are beyond single precision on the target.
    #[error("the clip {clip} of the source has keys that are not finite on the target; scale the source to meters")]
    NotFinite {
        /// The name of the clip, in one line.
        clip: String,
    },
    /// A quadruped and a humanoid.
    #[error("one rig is a quadruped and the other is a biped; retarget between rigs of the same kind")]
    OtherBody,
    /// A body of the kind [`Other`](super::BodyKind::Other), whose joints are not those of the other model.
    #[error(
        "the {which} is neither a biped nor a quadruped (it has no joints for {roles}), and {matched} of {animated} animated joints of the \
         source have the name of a joint of the target"
    )]
    OtherKind {
        /// `source` or `target`.
        which: &'static str,
        /// The roles without a joint, separated by commas.
        roles: String,
        /// Number of animated joints of the source that have a joint of the same name in the target.
        matched: usize,
        /// Number of animated joints of the source.
        animated: usize,
    },
}

impl RetargetError {
    /// Returns `true` if the reason is in the source: a message names its file.
    pub fn is_of_source(&self) -> bool {
        match self {
            Self::MissingRoles { which, .. } | Self::NoLegs { which } | Self::OtherKind { which, .. } => {
                *which == "source"
            }
            Self::NotFinite { .. } => true,
            Self::OtherBody => false,
        }
    }
}
