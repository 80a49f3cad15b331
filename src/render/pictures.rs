//! A model's images as textures.

use crate::gpu::{ColourSpace, Gpu, GpuError, PictureTexture};
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

impl<'a> Level<'a> {
    fn borrowed(((width, height), rgba): ((u32, u32), &'a Vec<u8>)) -> Self {
        Self { width, height, rgba: Cow::Borrowed(rgba) }
    }
}

/// Uploads an image, with mipmaps if asked for; a checker where there is none.
///
/// An image of more than `limit` texels along a side is halved until it fits; whether one in blocks does is known before.
pub(crate) fn upload_picture(
    gpu: &Rc<Gpu>,
    limit: u32,
    image: Option<&Image>,
    space: ColourSpace,
    mipmaps: bool,
) -> Result<PictureTexture, GpuError> {
    if let Some((image, blocks)) = image.and_then(|image| Some((image, image.blocks.as_ref()?))) {
        let size = |level: usize| ((image.width >> level).max(1), (image.height >> level).max(1));
        let levels: Vec<(u32, u32, &[u8])> =
            blocks.levels.iter().enumerate().map(|(level, bytes)| (size(level).0, size(level).1, &**bytes)).collect();
        let wanted = if mipmaps { levels.len() } else { 1 };
        return PictureTexture::of_blocks(gpu, space, blocks.format, &levels[..wanted]);
    }
    let mut levels = match image.filter(|image| !image.rgba.is_empty()) {
        Some(image) => all_levels(image),
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
    let levels: Vec<(u32, u32, &[u8])> = levels.iter().map(|l| (l.width, l.height, &*l.rgba)).collect();
    PictureTexture::new(gpu, space, &levels)
}

/// The image and the smaller copies that its file brings.
fn all_levels(image: &Image) -> Vec<Level<'_>> {
    let size = |level: u32| ((image.width >> level).max(1), (image.height >> level).max(1));
    let levels = std::iter::once(&image.rgba).chain(&image.mipmaps);
    (0..).zip(levels).map(|(level, rgba)| (size(level), rgba)).map(Level::borrowed).collect()
}

/// What stands in for an image that cannot be read: magenta and grey, to be noticed.
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
fn halved(level: &Level<'_>, space: ColourSpace) -> Level<'static> {
    let (columns, rows) = (taps(level.width), taps(level.height));
    let (width, height) = (columns.len() as u32, rows.len() as u32);
    let decode: &[f32; 256] = match space {
        ColourSpace::Srgb => &DECODE_SRGB,
        ColourSpace::Linear => &DECODE_LINEAR,
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
                    ColourSpace::Srgb if channel < 3 => ENCODE_SRGB[(sum * ENCODE_STEPS + 0.5) as usize],
                    _ => (sum * 255.0 + 0.5) as u8,
                };
            }
        }
    });
    Level { width, height, rgba: Cow::Owned(rgba) }
}

/// The neighbours that a texel covers along one side, and their weights.
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

    fn halve(width: u32, height: u32, rgba: Vec<u8>, space: ColourSpace) -> (u32, u32, Vec<u8>) {
        let level = halved(&Level { width, height, rgba: Cow::Owned(rgba) }, space);
        (level.width, level.height, level.rgba.into_owned())
    }

    #[test]
    fn a_flat_picture_stays_as_it_is_at_any_size() {
        for (width, height) in [(2, 2), (3, 5), (1, 7), (8, 1), (13, 4)] {
            for byte in [0_u8, 1, 2, 13, 127, 128, 254, 255] {
                for space in [ColourSpace::Srgb, ColourSpace::Linear] {
                    let (w, h, rgba) = halve(width, height, vec![byte; (width * height * 4) as usize], space);
                    assert_eq!((w, h), ((width / 2).max(1), (height / 2).max(1)));
                    assert!(rgba.iter().all(|b| *b == byte), "{width} x {height} of {byte}: {rgba:?}");
                }
            }
        }
    }

    #[test]
    fn colours_are_averaged_in_linear_light_and_opacity_as_it_is() {
        let rgba = vec![0, 0, 0, 0, 255, 255, 255, 255];
        assert_eq!(halve(2, 1, rgba.clone(), ColourSpace::Srgb).2, [188, 188, 188, 128]);
        assert_eq!(halve(2, 1, rgba, ColourSpace::Linear).2, [128, 128, 128, 128]);
    }
}
