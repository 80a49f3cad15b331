//! A model's images as textures.

use crate::gpu::{ColorSpace, Gpu, GpuError, Texture2d};
use crate::model::Image;
use rayon::prelude::*;
use std::borrow::Cow;
use std::rc::Rc;
use std::sync::LazyLock;

/// Side of the stand-in's picture and of its squares, in texels.
const CHECKER: (u32, u32) = (64, 8);

/// One size of a picture.
struct Level<'a> {
    width: u32,
    height: u32,
    rgba: Cow<'a, [u8]>,
}

/// What a picture is uploaded for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PictureUse {
    /// How its numbers are meant.
    pub(crate) space: ColorSpace,
    /// Whether anybody samples its smaller copies.
    pub(crate) mipmaps: bool,
    /// The opacity from which on texels are drawn, where opacity is a mask.
    pub(crate) cutoff: Option<f32>,
}

/// Uploads an image, whose largest level is the texels beside it; a checker where there is none.
///
/// An image of more than `limit` texels along a side is halved until it fits; whether one in blocks does is known before.
pub(crate) fn upload_picture(
    gpu: &Rc<Gpu>,
    limit: u32,
    image: Option<(&Image, Cow<'_, [u8]>)>,
    PictureUse { space, mipmaps, cutoff }: PictureUse,
) -> Result<Texture2d, GpuError> {
    if let Some((image, blocks)) = image.as_ref().and_then(|(image, _)| Some((image, image.blocks.as_ref()?))) {
        let size = |level: usize| ((image.width >> level).max(1), (image.height >> level).max(1));
        let levels: Vec<(u32, u32, &[u8])> =
            blocks.levels.iter().enumerate().map(|(level, bytes)| (size(level).0, size(level).1, &**bytes)).collect();
        let wanted = if mipmaps { levels.len() } else { 1 };
        return Texture2d::of_blocks(gpu, space, blocks.format, &levels[..wanted]);
    }
    let mut levels = match image.filter(|(_, texels)| !texels.is_empty()) {
        Some((image, texels)) => all_levels(image, texels),
        None => vec![checker()],
    };
    while levels[0].width > limit || levels[0].height > limit {
        if levels.len() > 1 {
            levels.remove(0);
        } else {
            levels[0] = halved(&levels[0], space);
        }
    }
    if !mipmaps {
        levels.truncate(1);
    }
    while mipmaps && levels.last().is_some_and(|level| level.width > 1 || level.height > 1) {
        levels.push(halved(&levels[levels.len() - 1], space));
    }
    if let Some(cutoff) = cutoff {
        keep_coverage(&mut levels, cutoff);
    }
    let levels = levels.into_iter().map(|level| (level.width, level.height, level.rgba)).collect();
    Texture2d::new(gpu, space, levels)
}

/// Makes as large a share of each smaller copy opaque as of the picture itself (Castano 2010): holes and leaves seen from
/// afar would else close up or vanish, since a mean is seldom where a mask draws its line.
///
/// Copies that the file brings stay as they are.
fn keep_coverage(levels: &mut [Level<'_>], cutoff: f32) {
    let Some((first, smaller)) = levels.split_first_mut() else { return };
    let cutoff = cutoff * 255.0;
    if !(cutoff > 0.0 && cutoff <= 255.0) {
        return;
    }
    let drawn: f64 = opacities(first)[cutoff.ceil() as usize..].iter().sum();
    // All or nothing is kept by any mean.
    if drawn <= 0.0 || drawn >= 1.0 {
        return;
    }
    for level in smaller {
        let Cow::Owned(rgba) = &level.rgba else { continue };
        debug_assert_eq!(rgba.len(), level.width as usize * level.height as usize * 4);
        let shares = opacities(level);
        // The opacity from which on the share comes nearest.
        let (mut sum, mut nearest, mut line) = (0.0, drawn, 256);
        for opacity in (1..256).rev() {
            sum += shares[opacity];
            if (sum - drawn).abs() < nearest {
                (nearest, line) = ((sum - drawn).abs(), opacity);
            }
        }
        if line == 256 {
            continue;
        }
        let scale = cutoff / line as f32;
        if let Cow::Owned(rgba) = &mut level.rgba {
            for texel in rgba.as_chunks_mut::<4>().0 {
                // Rounded up, so that what is on the line stays drawn.
                texel[3] = (f32::from(texel[3]) * scale).ceil().min(255.0) as u8;
            }
        }
    }
}

/// Copies of fewer texels are looked at between their texels too.
const FEW_TEXELS: u32 = 4096;

/// Which share of a picture, as it is sampled smoothly, has each opacity.
fn opacities(level: &Level<'_>) -> [f64; 256] {
    let (width, height) = (level.width as usize, level.height as usize);
    let steps = if level.width * level.height < FEW_TEXELS { 4 } else { 1 };
    let opacity = |x: usize, y: usize| f32::from(level.rgba[(y % height * width + x % width) * 4 + 3]);
    let mut counts = [0_u64; 256];
    for y in 0..height {
        for x in 0..width {
            let corners = [opacity(x, y), opacity(x + 1, y), opacity(x, y + 1), opacity(x + 1, y + 1)];
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

/// The image and the smaller copies that its file brings.
fn all_levels<'a>(image: &'a Image, texels: Cow<'a, [u8]>) -> Vec<Level<'a>> {
    let smaller = image.mipmaps.iter().map(|rgba| Cow::Borrowed(&rgba[..]));
    let level = |(level, rgba): (u32, Cow<'a, [u8]>)| Level {
        width: (image.width >> level).max(1),
        height: (image.height >> level).max(1),
        rgba,
    };
    (0..).zip(std::iter::once(texels).chain(smaller)).map(level).collect()
}

/// What stands in for an image that cannot be read: magenta and gray, to be noticed.
fn checker() -> Level<'static> {
    let (side, square) = CHECKER;
    let texel = |i: u32| match (i % side / square + i / side / square) % 2 {
        0 => [255, 0, 255, 255],
        _ => [96, 96, 96, 255],
    };
    Level { width: side, height: side, rgba: Cow::Owned((0..side * side).flat_map(texel).collect()) }
}

/// The picture at half its size, each texel the mean of those that it covers, in linear light.
///
/// Made here and not by the driver, so that it is the same everywhere.
fn halved(level: &Level<'_>, space: ColorSpace) -> Level<'static> {
    let (columns, rows) = (taps(level.width), taps(level.height));
    let (width, height) = (columns.len() as u32, rows.len() as u32);
    let decode: &[f32; 256] = match space {
        ColorSpace::Srgb => &DECODE_SRGB,
        ColorSpace::Linear => &DECODE_LINEAR,
    };
    let mut rgba = vec![0; width as usize * height as usize * 4];
    let stride = level.width as usize * 4;
    rgba.par_chunks_mut(width as usize * 4).zip(rows).for_each(|(out, row)| {
        for (texel, column) in out.chunks_exact_mut(4).zip(&columns) {
            let mut sum = [0.0_f32; 4];
            for (y, weight_y) in (row.first..).zip(&row.weights[..row.count]) {
                let from = &level.rgba[y * stride + column.first * 4..][..column.count * 4];
                for (from, weight_x) in from.chunks_exact(4).zip(&column.weights) {
                    let weight = weight_x * weight_y;
                    for channel in 0..3 {
                        sum[channel] += decode[usize::from(from[channel])] * weight;
                    }
                    sum[3] += f32::from(from[3]) * (weight / 255.0);
                }
            }
            for (channel, (byte, sum)) in texel.iter_mut().zip(sum).enumerate() {
                *byte = match space {
                    ColorSpace::Srgb if channel < 3 => ENCODE_SRGB[(sum * ENCODE_STEPS + 0.5) as usize],
                    _ => (sum * 255.0 + 0.5) as u8,
                };
            }
        }
    });
    Level { width, height, rgba: Cow::Owned(rgba) }
}

/// The neighbors that a texel covers along one side, and their weights.
struct Taps {
    first: usize,
    count: usize,
    weights: [f32; 3],
}

/// What each texel along the halved side covers.
fn taps(size: u32) -> Vec<Taps> {
    let half = (size / 2).max(1) as usize;
    let taps = |i: usize| match size {
        1 => Taps { first: 0, count: 1, weights: [1.0, 0.0, 0.0] },
        _ if size.is_multiple_of(2) => Taps { first: 2 * i, count: 2, weights: [0.5, 0.5, 0.0] },
        _ => {
            // 2n + 1 texels over n: each covers two and a bit, and the bit moves along.
            let (n, i, all) = (half as f32, i as f32, size as f32);
            Taps { first: 2 * i as usize, count: 3, weights: [(n - i) / all, n / all, (i + 1.0) / all] }
        }
    };
    (0..half).map(taps).collect()
}

/// Steps of linear light that are told apart when it is encoded: finer than a byte's even in the dark.
const ENCODE_STEPS: f32 = 8191.0;

static DECODE_LINEAR: LazyLock<[f32; 256]> = LazyLock::new(|| std::array::from_fn(|byte| byte as f32 / 255.0));

static DECODE_SRGB: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| decode_srgb(byte as f64 / 255.0) as f32));

static ENCODE_SRGB: LazyLock<Vec<u8>> = LazyLock::new(|| {
    // A byte for each step: bytes rise with light, so their thresholds are walked along with it.
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

/// Linear light of an encoded number from 0 to 1.
pub(super) fn decode_srgb(encoded: f64) -> f64 {
    if encoded <= 0.04045 { encoded / 12.92 } else { libm::pow((encoded + 0.055) / 1.055, 2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn halve(width: u32, height: u32, rgba: Vec<u8>, space: ColorSpace) -> (u32, u32, Vec<u8>) {
        let level = halved(&Level { width, height, rgba: Cow::Owned(rgba) }, space);
        (level.width, level.height, level.rgba.into_owned())
    }

    #[test]
    fn a_flat_picture_stays_as_it_is_at_any_size() {
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

    /// A picture of leaves as small as a texel, which cover a fifth of it, and its smaller copies.
    fn leaves() -> Vec<Level<'static>> {
        let mut state = 1_u32;
        let mut opacity = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if (state >> 8).is_multiple_of(5) { 255 } else { 0 }
        };
        let rgba = (0..256 * 256).flat_map(|_| [255, 255, 255, opacity()]).collect();
        let mut levels = vec![Level { width: 256, height: 256, rgba: Cow::Owned(rgba) }];
        while levels[levels.len() - 1].width > 1 {
            levels.push(halved(&levels[levels.len() - 1], ColorSpace::Linear));
        }
        levels
    }

    #[test]
    fn smaller_copies_keep_what_a_mask_lets_through() {
        let drawn = |level: &Level<'_>| opacities(level)[128..].iter().sum::<f64>();
        let plain: Vec<f64> = leaves().iter().map(drawn).collect();
        assert!(plain[3..].iter().all(|share| *share == 0.0), "means alone lose the leaves: {plain:?}");
        let mut kept = leaves();
        keep_coverage(&mut kept, 0.5);
        assert!(kept[0].rgba == leaves()[0].rgba, "the picture itself stays as it is");
        for level in &kept[1..6] {
            assert!((drawn(level) - drawn(&kept[0])).abs() < 0.05, "{}: {}", level.width, drawn(level));
        }
        // What is opaque throughout, or has no line, stays as it is.
        for cutoff in [0.0, -1.0, 2.0, f32::NAN] {
            let mut levels = leaves();
            keep_coverage(&mut levels, cutoff);
            assert!(levels.iter().zip(leaves()).all(|(a, b)| a.rgba == b.rgba), "{cutoff}");
        }
    }

    #[test]
    fn colors_are_averaged_in_linear_light_and_opacity_as_it_is() {
        let rgba = vec![0, 0, 0, 0, 255, 255, 255, 255];
        assert_eq!(halve(2, 1, rgba.clone(), ColorSpace::Srgb).2, [188, 188, 188, 128]);
        assert_eq!(halve(2, 1, rgba, ColorSpace::Linear).2, [128, 128, 128, 128]);
    }
}
