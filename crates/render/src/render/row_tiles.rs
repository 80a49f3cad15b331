//! Splits images into tiles of rows to bound the memory of the HDR image.
//!
//! An HDR image takes 12 bytes per sample, and tiles share the memory of one. Every tile draws all vertices again, so images of
//! many vertices are split only where memory requires it.

use crate::gpu::DeviceType;

/// RGBA16F color and 32-bit depth.
const SAMPLE_BYTES: u64 = 8 + 4;

/// Software renderers split images larger than this where that is cheap: the tile stays in the caches of the CPU.
const SOFT_LIMIT_BYTES: u64 = 8 << 20;

/// Maximum number of tiles because of the soft limit.
const MAX_SOFT_TILES: u64 = 6;

/// Maximum number of vertices in all tiles together because of the soft limit.
const MAX_SOFT_VERTICES: u64 = 500_000;

/// Scenes larger than this are always split.
const HARD_LIMIT_BYTES: u64 = 512 << 20;

/// Returns the rows per tile of an image that draws `vertices` vertices. The last tile may have fewer.
///
/// Depends on nothing else, so that equal images are split alike in a window and in a file.
pub(crate) fn rows_per_tile(device_type: DeviceType, (width, height): (u32, u32), samples: u32, vertices: u64) -> u32 {
    let bytes = u64::from(width) * u64::from(height) * u64::from(samples) * SAMPLE_BYTES;
    let soft_tiles = match device_type {
        DeviceType::Software => {
            bytes.div_ceil(SOFT_LIMIT_BYTES).min(MAX_SOFT_TILES).min((MAX_SOFT_VERTICES / vertices.max(1)).max(1))
        }
        DeviceType::Hardware => 1,
    };
    let tiles = soft_tiles.max(bytes.div_ceil(HARD_LIMIT_BYTES));
    u64::from(height).div_ceil(tiles).max(1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_per_tile_bounds_memory_and_vertices() {
        for (size, samples, vertices, expected) in [
            // Small images are not split.
            ((320, 180), 4, 10_000, 180),
            ((1280, 720), 4, 10_000, 120),
            ((1280, 720), 1, 10_000, 360),
            ((3840, 2160), 4, 10_000, 360),
            ((1280, 721), 4, 10_000, 121),
            // Many vertices are drawn once while memory permits.
            ((1280, 720), 4, 200_000, 360),
            ((1280, 720), 4, 1_000_000, 720),
            ((16_384, 16_384), 4, u64::MAX, 16_384_u32.div_ceil(24)),
            ((16_384, 1), 64, 0, 1),
        ] {
            let rows = rows_per_tile(DeviceType::Software, size, samples, vertices);
            assert_eq!(rows, expected, "{size:?}, {samples}, {vertices}");
        }
        assert_eq!(rows_per_tile(DeviceType::Hardware, (3840, 2160), 4, 10_000), 2160);
        assert_eq!(rows_per_tile(DeviceType::Hardware, (16_384, 16_384), 4, 0), 16_384_u32.div_ceil(24));
    }
}
