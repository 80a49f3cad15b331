//! Axis-aligned view directions.

/// The side of the model that faces the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ViewDirection {
    /// Camera on +Z; glTF models face +Z.
    Front,
    Back,
    /// Camera on -X, the model's right side.
    Right,
    Left,
    Top,
    Bottom,
}
