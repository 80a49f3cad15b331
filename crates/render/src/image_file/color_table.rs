//! Color table of GIF files, quantized from a few frames, and ordered dithering.

use color_quant::NeuQuant;
use std::collections::HashMap;

/// Colors of the table; one more index is transparent.
const COLORS: usize = 255;

/// Maximum number of pixels for the color quantization.
const MAX_SAMPLES: usize = 400_000;

/// Strength of the dithering in 256ths; full strength looks noisy.
const DITHER_STRENGTH: i32 = 160;

/// Ordered dithering thresholds (Bayer).
const BAYER_4X4: [usize; 16] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

/// Up to 255 colors, and a 4x4 dither pattern of table indices per color.
///
/// Ordered dithering does not flicker in static areas, so that unchanged pixels need not be stored.
#[derive(Debug)]
pub struct ColorTable {
    colors: Vec<[u8; 3]>,
    dither_patterns: HashMap<[u8; 3], [u8; 16]>,
}

impl ColorTable {
    /// The index of transparent pixels.
    pub const CLEAR: u8 = COLORS as u8;

    /// Chooses colors for images, each RGBA rows of bytes. Up to 255 distinct colors stay as they are; more are quantized.
    pub fn choose(samples: &[Vec<u8>]) -> Self {
        let pixels: usize = samples.iter().map(|sample| sample.len() / 4).sum();
        let step = pixels.div_ceil(MAX_SAMPLES).max(1);
        let drawn: Vec<[u8; 4]> = (samples.iter().flat_map(|sample| sample.as_chunks::<4>().0))
            .step_by(step)
            .filter(|pixel| pixel[3] >= 128)
            .map(|[r, g, b, _]| [*r, *g, *b, 255])
            .collect();
        let mut distinct: Vec<[u8; 3]> = drawn.iter().map(|[r, g, b, _]| [*r, *g, *b]).collect();
        distinct.sort_unstable();
        distinct.dedup();
        // Images with few colors stay lossless.
        let colors = if distinct.len() <= COLORS {
            distinct
        } else {
            let table = NeuQuant::new(3, COLORS, drawn.as_flattened()).color_map_rgb();
            table.as_chunks::<3>().0.to_vec()
        };
        let colors = if colors.is_empty() { vec![[0; 3]] } else { colors };
        Self { colors, dither_patterns: HashMap::new() }
    }

    /// Returns 256 colors of three bytes; the last one is unused.
    pub fn bytes(&self) -> Vec<u8> {
        let mut table = self.colors.clone();
        table.resize(COLORS + 1, [0; 3]);
        table.into_flattened()
    }

    fn nearest(&self, [r, g, b]: [i32; 3]) -> usize {
        let distance = |c: &[u8; 3]| {
            let [dr, dg, db] = [r - i32::from(c[0]), g - i32::from(c[1]), b - i32::from(c[2])];
            // Approximate perceptual weights.
            3 * dr * dr + 6 * dg * dg + db * db
        };
        (0..self.colors.len()).min_by_key(|&i| distance(&self.colors[i])).unwrap_or(0)
    }

    /// Returns 16 table indices whose mean color is `color`, from dark to light (Thomas Knoll's pattern dithering).
    fn mix(&mut self, color: [u8; 3]) -> [u8; 16] {
        if let Some(mix) = self.dither_patterns.get(&color) {
            return *mix;
        }
        let target = color.map(i32::from);
        let mut error = [0_i32; 3];
        let mut mix = [0_usize; 16];
        for index in &mut mix {
            let corrected = [0, 1, 2].map(|i| (target[i] + error[i] * DITHER_STRENGTH / 256).clamp(0, 255));
            *index = self.nearest(corrected);
            for i in 0..3 {
                error[i] += target[i] - i32::from(self.colors[*index][i]);
            }
        }
        let luma = |i: usize| self.colors[i].map(u32::from);
        mix.sort_by_key(|&i| {
            let [r, g, b] = luma(i);
            (2 * r + 5 * g + b, i)
        });
        let mix = mix.map(|i| i as u8);
        self.dither_patterns.insert(color, mix);
        mix
    }

    /// Returns the table index of each pixel of an RGBA image. Pixels with an alpha below one half are clear.
    pub fn indices(&mut self, rgba: &[u8], width: usize) -> Vec<u8> {
        let mut indices = Vec::with_capacity(rgba.len() / 4);
        for (i, [r, g, b, a]) in rgba.as_chunks::<4>().0.iter().enumerate() {
            let (x, y) = (i % width, i / width);
            let threshold = BAYER_4X4[y % 4 * 4 + x % 4];
            indices.push(if *a < 128 { Self::CLEAR } else { self.mix([*r, *g, *b])[threshold] });
        }
        indices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colors_are_lossless() {
        let rgba: Vec<u8> = (0..64_u8).flat_map(|i| [i * 4, 255 - i, 7, 255]).collect();
        let mut colors = ColorTable::choose(std::slice::from_ref(&rgba));
        let indices = colors.indices(&rgba, 8);
        let back: Vec<u8> = indices
            .iter()
            .flat_map(|i| {
                let [r, g, b] = colors.colors[*i as usize];
                [r, g, b, 255]
            })
            .collect();
        assert_eq!(back, rgba);
    }

    #[test]
    fn dithering_preserves_the_mean_color() {
        let ramp: Vec<u8> = (0..256 * 256_usize)
            .flat_map(|i| [(i % 256) as u8, (i / 256) as u8, ((i % 256 + i / 256) / 2) as u8, 255])
            .collect();
        let mut colors = ColorTable::choose(std::slice::from_ref(&ramp));
        let indices = colors.indices(&ramp, 256);
        // Compares the means of blocks of 16 x 16 pixels.
        for (by, bx) in (1..15).flat_map(|by| (1..15).map(move |bx| (by, bx))) {
            for channel in 0..3 {
                let (mut was, mut is) = (0_i32, 0_i32);
                for i in (0..256).map(|i| (by * 16 + i / 16) * 256 + bx * 16 + i % 16) {
                    was += i32::from(ramp[i * 4 + channel]);
                    is += i32::from(colors.colors[indices[i] as usize][channel]);
                }
                assert!((was - is).abs() <= 5 * 256, "{bx}, {by}, {channel}: {was} {is}");
            }
        }
    }
}
