//! Channels of textures.

/// A set of the channels red, green, blue and alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Channels([bool; 4]);

impl Channels {
    /// Red only.
    pub const R: Self = Self([true, false, false, false]);
    pub(crate) const G: Self = Self([false, true, false, false]);
    /// Green and blue.
    pub const GB: Self = Self([false, true, true, false]);
    /// All but alpha.
    pub const RGB: Self = Self([true, true, true, false]);
    pub(crate) const A: Self = Self([false, false, false, true]);
    /// All channels.
    pub const RGBA: Self = Self([true; 4]);

    /// Returns the channels that are in either set.
    pub(crate) fn union(self, other: Self) -> Self {
        Self([0, 1, 2, 3].map(|i| self.0[i] || other.0[i]))
    }

    /// Returns the indices of the channels in RGBA, in ascending order.
    pub(crate) fn indices(self) -> impl Iterator<Item = usize> {
        (0..4).filter(move |&i| self.0[i])
    }

    /// Returns the bytes per texel of a texture that holds these channels: as many as channels up to two, else four.
    pub fn texel_bytes(self) -> usize {
        match self.indices().count() {
            count @ ..=2 => count,
            _ => 4,
        }
    }
}
