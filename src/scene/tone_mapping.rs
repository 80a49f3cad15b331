//! From light to what a screen can show.

/// How light that is brighter than the screen becomes a color of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ToneMapping {
    /// It is cut off.
    #[default]
    None,
    /// Khronos PBR Neutral: colors of surfaces stay as they are, highlights bend to white.
    Neutral,
    /// ACES, by Stephen Hill's fit: the film look of games.
    Aces,
    /// AgX, as in Blender: bright colors fade to white.
    Agx,
}
