//! Camera directions.

/// A side to look from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// From +Z, where a model looks to.
    Front,
    /// From -Z.
    Back,
    /// From the model's right hand, -X.
    Right,
    /// From the model's left hand, +X.
    Left,
    /// From above.
    Top,
    /// From below.
    Bottom,
}
