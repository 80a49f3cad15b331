//! Tone mapping operators.

/// Maps high dynamic range to the range of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ToneMapping {
    /// Clamps.
    #[default]
    None,
    /// Khronos PBR Neutral: preserves base colors, compresses highlights.
    Neutral,
    /// ACES (Hill fit).
    Aces,
    /// AgX, as in Blender.
    Agx,
}
