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
    /// View transform "AgX" of Blender 5.0 with the look "None".
    Agx,
    /// View transform "Filmic" of Blender 5.0 with the look "None".
    ///
    /// The look "Medium Contrast" has the same curve, but paler bright colors.
    Filmic,
}
