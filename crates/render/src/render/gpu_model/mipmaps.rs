//! Mip levels of images, generated on the CPU so that they do not depend on the driver.

use crate::gpu::ColorSpace;
use crate::render::srgb::decode_srgb;
use rayon::prelude::*;
use rigview_core::model::Image;
use std::sync::{Arc, LazyLock};

/// One mip level.
pub(super) struct MipLevel {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) texels: Texels,
}

/// Bytes of a mip level.
pub(super) enum Texels {
    Own(Vec<u8>),
    /// Those of an image, at this mip level of its file: texels, or compressed blocks.
    OfImage(Arc<Image>, usize),
}

impl Texels {
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::OfImage(image, level) => match (&image.compressed, level) {
                (Some(blocks), level) => &blocks.levels[*level],
                (None, 0) => &image.rgba,
                (None, level) => &image.mipmaps[level - 1],
            },
        }
    }
}

/// Scales the alpha of generated mip levels so that each passes the alpha test for the same fraction of texels as the image
/// (Castano 2010). Mip levels from the file are left unchanged.
pub(super) fn preserve_alpha_coverage(levels: &mut [MipLevel], cutoff: f32) {
    let Some((first, generated)) = levels.split_first_mut() else { return };
    let cutoff = cutoff * 255.0;
    if !(cutoff > 0.0 && cutoff <= 255.0) {
        return;
    }
    let target: f64 = alpha_histogram(first)[cutoff.ceil() as usize..].iter().sum();
    if target <= 0.0 || target >= 1.0 {
        return;
    }
    for level in generated {
        let Texels::Own(rgba) = &level.texels else { continue };
        debug_assert_eq!(rgba.len(), level.width as usize * level.height as usize * 4);
        let histogram = alpha_histogram(level);
        // The alpha threshold with the closest coverage.
        let (mut coverage, mut min_error, mut threshold) = (0.0, target, 256);
        for alpha in (1..256).rev() {
            coverage += histogram[alpha];
            if (coverage - target).abs() < min_error {
                (min_error, threshold) = ((coverage - target).abs(), alpha);
            }
        }
        if threshold == 256 {
            continue;
        }
        let scale = cutoff / threshold as f32;
        if let Texels::Own(rgba) = &mut level.texels {
            for texel in rgba.as_chunks_mut::<4>().0 {
                // Rounded up, so that the threshold itself passes.
                texel[3] = (f32::from(texel[3]) * scale).ceil().min(255.0) as u8;
            }
        }
    }
}

/// Levels with fewer texels are also sampled between texel centers.
const MIN_TEXELS_FOR_POINT_SAMPLES: u32 = 4096;

/// Returns the fraction of bilinear samples with each alpha value.
fn alpha_histogram(level: &MipLevel) -> [f64; 256] {
    let (width, height) = (level.width as usize, level.height as usize);
    let steps = if level.width * level.height < MIN_TEXELS_FOR_POINT_SAMPLES { 4 } else { 1 };
    let rgba = level.texels.bytes();
    let alpha = |x: usize, y: usize| f32::from(rgba[(y % height * width + x % width) * 4 + 3]);
    let mut counts = [0_u64; 256];
    for y in 0..height {
        for x in 0..width {
            let corners = [alpha(x, y), alpha(x + 1, y), alpha(x, y + 1), alpha(x + 1, y + 1)];
            for step in 0..steps * steps {
                let [u, v] = [step % steps, step / steps].map(|step| step as f32 / steps as f32);
                let row = |left: f32, right: f32| left * (1.0 - u) + right * u;
                let mixed = row(corners[0], corners[1]) * (1.0 - v) + row(corners[2], corners[3]) * v;
                counts[(mixed + 0.5) as usize] += 1;
            }
        }
    }
    let total = (width * height * steps * steps) as f64;
    counts.map(|count| count as f64 / total)
}

/// Halves a level with a box filter in linear light.
pub(super) fn downsample(level: &MipLevel, space: ColorSpace) -> MipLevel {
    let (columns, rows) = (taps(level.width), taps(level.height));
    let (width, height) = (columns.len() as u32, rows.len() as u32);
    let decode: &[f32; 256] = match space {
        ColorSpace::Srgb => &DECODE_SRGB,
        ColorSpace::Linear => &DECODE_LINEAR,
    };
    let encode_srgb: &[u8] = match space {
        ColorSpace::Srgb => &ENCODE_SRGB,
        ColorSpace::Linear => &[],
    };
    let encode = |texel: &mut [u8; 4], sum: [f32; 4]| {
        *texel = match space {
            ColorSpace::Srgb => {
                let [r, g, b, _] = sum.map(|sum| encode_srgb[(sum * ENCODE_STEPS + 0.5) as usize]);
                [r, g, b, (sum[3] * 255.0 + 0.5) as u8]
            }
            ColorSpace::Linear => sum.map(|sum| (sum * 255.0 + 0.5) as u8),
        }
    };
    let weighted = |texel: &[u8; 4], weight: f32| {
        let [r, g, b, alpha] = *texel;
        let [r, g, b] = [r, g, b].map(|x| decode[usize::from(x)] * weight);
        [r, g, b, f32::from(alpha) * (weight / 255.0)]
    };
    let add = |a: [f32; 4], b: [f32; 4]| [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]];
    let is_even = level.width.is_multiple_of(2) && level.height.is_multiple_of(2);
    let texels: &[[u8; 4]] = level.texels.bytes().as_chunks().0;
    let mut halved = vec![[0; 4]; width as usize * height as usize];
    halved.par_chunks_mut(width as usize).zip(rows).for_each(|(out, row)| {
        let source_row = |y: usize| &texels[y * level.width as usize..][..level.width as usize];
        if is_even {
            // As below with four equal weights, in a fraction of the time.
            let [upper, lower] = [row.first, row.first + 1].map(|y| source_row(y).as_chunks::<2>().0);
            for (texel, ([a, b], [c, d])) in out.iter_mut().zip(upper.iter().zip(lower)) {
                let [a, b, c, d] = [a, b, c, d].map(|texel| weighted(texel, 0.25));
                encode(texel, add(add(add(a, b), c), d));
            }
            return;
        }
        for (texel, column) in out.iter_mut().zip(&columns) {
            let mut sum = [0.0_f32; 4];
            for (y, weight_y) in (row.first..).zip(&row.weights[..row.count]) {
                let from = &source_row(y)[column.first..][..column.count];
                for (from, weight_x) in from.iter().zip(&column.weights) {
                    sum = add(sum, weighted(from, weight_x * weight_y));
                }
            }
            encode(texel, sum);
        }
    });
    MipLevel { width, height, texels: Texels::Own(halved.into_flattened()) }
}

/// Source texels of an output texel along one axis, and their weights.
struct Taps {
    first: usize,
    count: usize,
    weights: [f32; 3],
}

/// Returns the taps of each output texel along an axis of `size` texels.
fn taps(size: u32) -> Vec<Taps> {
    let half = (size / 2).max(1) as usize;
    let taps = |i: usize| match size {
        1 => Taps { first: 0, count: 1, weights: [1.0, 0.0, 0.0] },
        _ if size.is_multiple_of(2) => Taps { first: 2 * i, count: 2, weights: [0.5, 0.5, 0.0] },
        _ => {
            // An odd size 2n + 1 needs a three-tap polyphase filter.
            let (n, i, size) = (half as f32, i as f32, size as f32);
            Taps { first: 2 * i as usize, count: 3, weights: [(n - i) / size, n / size, (i + 1.0) / size] }
        }
    };
    (0..half).map(taps).collect()
}

/// Resolution of [`ENCODE_SRGB`]: finer than one 8-bit step even in dark colors.
const ENCODE_STEPS: f32 = 8191.0;

static DECODE_LINEAR: LazyLock<[f32; 256]> = LazyLock::new(|| std::array::from_fn(|byte| byte as f32 / 255.0));

static DECODE_SRGB: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| decode_srgb(byte as f64 / 255.0) as f32));

static ENCODE_SRGB: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut byte = 0_u8;
    (0..=ENCODE_STEPS as usize)
        .map(|step| {
            let linear = step as f64 / f64::from(ENCODE_STEPS);
            while byte < u8::MAX && decode_srgb((f64::from(byte) + 0.5) / 255.0) <= linear {
                byte += 1;
            }
            byte
        })
        .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    fn halve(width: u32, height: u32, rgba: Vec<u8>, space: ColorSpace) -> (u32, u32, Vec<u8>) {
        let level = downsample(&MipLevel { width, height, texels: Texels::Own(rgba) }, space);
        (level.width, level.height, level.texels.bytes().to_vec())
    }

    #[test]
    fn flat_image_is_unchanged_at_any_size() {
        for (width, height) in [(2, 2), (3, 5), (1, 7), (8, 1), (13, 4)] {
            for byte in [0_u8, 1, 2, 13, 127, 128, 254, 255] {
                for space in [ColorSpace::Srgb, ColorSpace::Linear] {
                    let (w, h, rgba) = halve(width, height, vec![byte; (width * height * 4) as usize], space);
                    assert_eq!((w, h), ((width / 2).max(1), (height / 2).max(1)));
                    assert!(rgba.iter().all(|b| *b == byte), "{width} x {height} of {byte}: {rgba:?}");
                }
            }
        }
    }

    /// A mask of single-texel leaves that cover a fifth of the image, and its mip levels.
    fn leaves() -> Vec<MipLevel> {
        let mut state = 1_u32;
        let mut opacity = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if (state >> 8).is_multiple_of(5) { 255 } else { 0 }
        };
        let rgba = (0..256 * 256).flat_map(|_| [255, 255, 255, opacity()]).collect();
        let mut levels = vec![MipLevel { width: 256, height: 256, texels: Texels::Own(rgba) }];
        while levels[levels.len() - 1].width > 1 {
            levels.push(downsample(&levels[levels.len() - 1], ColorSpace::Linear));
        }
        levels
    }

    #[test]
    fn mip_levels_preserve_alpha_coverage() {
        let drawn = |level: &MipLevel| alpha_histogram(level)[128..].iter().sum::<f64>();
        let plain: Vec<f64> = leaves().iter().map(drawn).collect();
        assert!(plain[3..].iter().all(|coverage| *coverage == 0.0), "plain averages lose the leaves: {plain:?}");
        let mut kept = leaves();
        preserve_alpha_coverage(&mut kept, 0.5);
        assert!(kept[0].texels.bytes() == leaves()[0].texels.bytes(), "the image itself is unchanged");
        for level in &kept[1..6] {
            assert!((drawn(level) - drawn(&kept[0])).abs() < 0.05, "{}: {}", level.width, drawn(level));
        }
        // Cutoffs without a threshold change nothing.
        for cutoff in [0.0, -1.0, 2.0, f32::NAN] {
            let mut levels = leaves();
            preserve_alpha_coverage(&mut levels, cutoff);
            assert!(levels.iter().zip(leaves()).all(|(a, b)| a.texels.bytes() == b.texels.bytes()), "{cutoff}");
        }
    }

    #[test]
    fn even_level_equals_the_weighted_sum_of_its_texels() {
        let texel = |i: usize| [i * 7, i * 13 + 5, i * 29, i * 3 + 100].map(|x| x as u8);
        let rgba: Vec<u8> = (0..64 * 4).flat_map(texel).collect();
        for (space, decode) in [(ColorSpace::Srgb, &DECODE_SRGB), (ColorSpace::Linear, &DECODE_LINEAR)] {
            let (_, _, halved) = halve(64, 4, rgba.clone(), space);
            for (i, byte) in halved.iter().enumerate() {
                let (x, y, channel) = (i / 4 % 32, i / 4 / 32, i % 4);
                let mut sum = 0.0;
                for (y, x) in [(2 * y, 2 * x), (2 * y, 2 * x + 1), (2 * y + 1, 2 * x), (2 * y + 1, 2 * x + 1)] {
                    let byte = rgba[(y * 64 + x) * 4 + channel];
                    sum +=
                        if channel < 3 { decode[usize::from(byte)] * 0.25 } else { f32::from(byte) * (0.25 / 255.0) };
                }
                let expected = match space {
                    ColorSpace::Srgb if channel < 3 => ENCODE_SRGB[(sum * ENCODE_STEPS + 0.5) as usize],
                    _ => (sum * 255.0 + 0.5) as u8,
                };
                assert_eq!(*byte, expected, "{space:?}, byte {i}");
            }
        }
    }

    #[test]
    fn colors_are_averaged_in_linear_light_and_alpha_is_not_decoded() {
        let rgba = vec![0, 0, 0, 0, 255, 255, 255, 255];
        assert_eq!(halve(2, 1, rgba.clone(), ColorSpace::Srgb).2, [188, 188, 188, 128]);
        assert_eq!(halve(2, 1, rgba, ColorSpace::Linear).2, [128, 128, 128, 128]);
    }
}
