//! How a picture is cut into bands of rows, so that its scene takes little memory.
//!
//! A pixel of the scene takes 12 bytes a sample. Drawn band after band, a picture needs that memory for one band only; but
//! every band draws all vertices again, so a picture of many vertices is not cut for thrift alone.

/// Bytes of one sample: half floats of light, and a distance.
const SAMPLE_BYTES: u64 = 8 + 4;

/// A scene larger than this is cut where that costs little.
const THRIFTY_BYTES: u64 = 8 << 20;

/// For thrift alone, no more bands than this.
const MOST_BANDS: u64 = 6;

/// For thrift alone, no more vertices than this in all bands together.
const MOST_VERTICES: u64 = 500_000;

/// A scene larger than this is cut whatever it costs.
const LARGEST_BYTES: u64 = 512 << 20;

/// Rows of each band but the last, which may have fewer, for a picture that draws `vertices` once.
///
/// It depends on nothing but these, so that equal pictures are cut alike in a window and in a file.
pub(crate) fn rows_per_tile((width, height): (u32, u32), samples: u32, vertices: u64) -> u32 {
    let bytes = u64::from(width) * u64::from(height) * u64::from(samples) * SAMPLE_BYTES;
    let thrifty = bytes.div_ceil(THRIFTY_BYTES).min(MOST_BANDS).min((MOST_VERTICES / vertices.max(1)).max(1));
    let bands = thrifty.max(bytes.div_ceil(LARGEST_BYTES));
    u64::from(height).div_ceil(bands).max(1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_pictures_are_whole_and_large_ones_cut() {
        assert_eq!(rows_per_tile((320, 180), 4, 10_000), 180);
        assert_eq!(rows_per_tile((1280, 720), 4, 10_000), 120);
        assert_eq!(rows_per_tile((1280, 720), 1, 10_000), 360);
        assert_eq!(rows_per_tile((3840, 2160), 4, 10_000), 360);
        assert_eq!(rows_per_tile((1280, 721), 4, 10_000), 121);
    }

    #[test]
    fn many_vertices_are_drawn_once_while_memory_lasts() {
        assert_eq!(rows_per_tile((1280, 720), 4, 200_000), 360);
        assert_eq!(rows_per_tile((1280, 720), 4, 1_000_000), 720);
        assert_eq!(rows_per_tile((16_384, 16_384), 4, u64::MAX), 16_384_u32.div_ceil(24));
        assert_eq!(rows_per_tile((16_384, 1), 64, 0), 1);
    }
}
