//! Handedness of the matrices of each palette matrix range.

use std::sync::atomic::{AtomicU8, Ordering};

/// Mirroring of the matrices of a matrix range. A matrix that mirrors flips the winding of triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mirroring {
    /// No matrix mirrors.
    #[default]
    Never,
    /// Every matrix mirrors.
    Always,
    /// Some may mirror: the shader tests each.
    Mixed,
}

impl Mirroring {
    /// Returns the mirroring of the union of two sets of matrices.
    pub fn union(self, other: Self) -> Self {
        if self == other { self } else { Self::Mixed }
    }
}

/// Mirroring found per matrix range. Written from many threads, read after all have finished.
#[derive(Debug, Default)]
pub(crate) struct MirrorFlags(Vec<AtomicU8>);

impl Clone for MirrorFlags {
    /// Returns empty flags: they are only valid within one update.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl MirrorFlags {
    const PRESERVES: u8 = 1;
    const MIRRORS: u8 = 2;

    pub(super) fn reset(&mut self, section_count: usize) {
        self.0.resize_with(section_count, AtomicU8::default);
        self.0.iter_mut().for_each(|flags| *flags.get_mut() = 0);
    }

    /// Merges `found` into the flags of a matrix range.
    pub(crate) fn record(&self, matrix_range: usize, found: Mirroring) {
        let bits = match found {
            Mirroring::Never => Self::PRESERVES,
            Mirroring::Always => Self::MIRRORS,
            Mirroring::Mixed => Self::PRESERVES | Self::MIRRORS,
        };
        // Most bits are set already. The load avoids contention for the cache line.
        if self.0[matrix_range].load(Ordering::Relaxed) & bits != bits {
            self.0[matrix_range].fetch_or(bits, Ordering::Relaxed);
        }
    }

    pub(super) fn found(&self) -> impl Iterator<Item = Mirroring> {
        self.0.iter().map(|flags| match flags.load(Ordering::Relaxed) {
            0 | Self::PRESERVES => Mirroring::Never,
            Self::MIRRORS => Mirroring::Always,
            _ => Mirroring::Mixed,
        })
    }
}
