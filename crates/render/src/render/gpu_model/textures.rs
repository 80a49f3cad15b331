//! Uploads a model's images as textures.

use super::mipmaps::{MipLevel, downsample, preserve_alpha_coverage};
use crate::gpu::{Channels, ColorSpace, CompressedLevel, Gpu, GpuError, Texture2d, TextureLevel};
use rigview_core::model::Image;
use std::borrow::Cow;
use std::rc::Rc;

/// Sides of the placeholder image and of its squares, in texels.
const CHECKER: (u32, u32) = (64, 8);

/// Use of an image by materials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TextureUsage {
    pub(super) space: ColorSpace,
    /// Channels that materials read.
    pub(super) channels: Channels,
    pub(super) mipmaps: bool,
    /// Alpha cutoff, if a material uses the image as a mask.
    pub(super) cutoff: Option<f32>,
}

/// Content of a texture to upload.
pub(super) enum TextureContent<'a> {
    /// An image, with its texels given separately.
    Image(&'a Image, Cow<'a, [u8]>),
    /// A checkerboard.
    Placeholder,
    White,
}

/// Uploads a texture.
///
/// Images larger than `max_size` are halved until they fit. Block-compressed images are known to fit.
pub(super) fn upload_texture(
    gpu: &Rc<Gpu>,
    max_size: u32,
    content: TextureContent<'_>,
    TextureUsage { space, channels, mipmaps, cutoff }: TextureUsage,
) -> Result<Texture2d, GpuError> {
    if let TextureContent::Image(image, _) = &content
        && let Some(blocks) = &image.compressed
    {
        let level = |(level, blocks): (usize, _)| CompressedLevel {
            width: (image.width >> level).max(1),
            height: (image.height >> level).max(1),
            blocks,
        };
        let levels: Vec<_> = blocks.levels.iter().map(|blocks| &**blocks).enumerate().map(level).collect();
        let count = if mipmaps { levels.len() } else { 1 };
        return Texture2d::from_blocks(gpu, space, blocks.format, &levels[..count]);
    }
    let mut levels = match content {
        TextureContent::Image(image, texels) if !texels.is_empty() => file_levels(image, texels),
        TextureContent::Image(..) | TextureContent::Placeholder => vec![checker()],
        TextureContent::White => vec![MipLevel { width: 2, height: 2, rgba: Cow::Owned(vec![255; 16]) }],
    };
    while levels[0].width > max_size || levels[0].height > max_size {
        if levels.len() > 1 {
            levels.remove(0);
        } else {
            levels[0] = downsample(&levels[0], space);
        }
    }
    if !mipmaps {
        levels.truncate(1);
    }
    while mipmaps && levels.last().is_some_and(|level| level.width > 1 || level.height > 1) {
        levels.push(downsample(&levels[levels.len() - 1], space));
    }
    if let Some(cutoff) = cutoff {
        preserve_alpha_coverage(&mut levels, cutoff);
    }
    let levels = levels.into_iter().map(|MipLevel { width, height, rgba }| TextureLevel { width, height, rgba });
    Texture2d::new(gpu, space, channels, levels.collect())
}

/// Returns the mip levels that the file has. An image of one texel gets four, because software drivers compile shaders once more for
/// textures of one level.
fn file_levels<'a>(image: &'a Image, texels: Cow<'a, [u8]>) -> Vec<MipLevel<'a>> {
    if image.width == 1 && image.height == 1 {
        return vec![MipLevel { width: 2, height: 2, rgba: Cow::Owned(texels.repeat(4)) }];
    }
    let smaller = image.mipmaps.iter().map(|rgba| Cow::Borrowed(&rgba[..]));
    let level = |(level, rgba): (u32, Cow<'a, [u8]>)| MipLevel {
        width: (image.width >> level).max(1),
        height: (image.height >> level).max(1),
        rgba,
    };
    (0..).zip(std::iter::once(texels).chain(smaller)).map(level).collect()
}

/// Returns a magenta and gray placeholder for an image that could not be read.
fn checker() -> MipLevel<'static> {
    let (side, square) = CHECKER;
    let texel = |i: u32| match (i % side / square + i / side / square) % 2 {
        0 => [255, 0, 255, 255],
        _ => [96, 96, 96, 255],
    };
    MipLevel { width: side, height: side, rgba: Cow::Owned((0..side * side).flat_map(texel).collect()) }
}
