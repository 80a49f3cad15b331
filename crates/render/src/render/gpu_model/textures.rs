//! Prepares a model's images as textures.

use super::mipmaps::{MipLevel, Texels, downsample, preserve_alpha_coverage};
use crate::gpu::{Channels, ColorSpace, TextureFormat};
use rigview_core::model::Image;
use std::sync::Arc;

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

/// A texture as bytes.
pub(super) struct PreparedTexture {
    pub(super) format: TextureFormat,
    /// From large to small.
    pub(super) levels: Vec<MipLevel>,
}

/// Content of a texture.
pub(super) enum TextureContent<'a> {
    Image(&'a Arc<Image>),
    /// A checkerboard.
    Placeholder,
    White,
}

impl PreparedTexture {
    /// Generates mip levels, and drops channels that materials do not read.
    ///
    /// Images larger than `max_size` are halved until they fit. Block-compressed images are known to fit.
    pub(super) fn new(
        max_size: u32,
        content: TextureContent<'_>,
        TextureUsage { space, channels, mipmaps, cutoff }: TextureUsage,
    ) -> Self {
        if let TextureContent::Image(image) = content
            && let Some(blocks) = &image.compressed
        {
            let count = if mipmaps { blocks.levels.len() } else { 1 };
            return Self { format: TextureFormat::Blocks(space, blocks.format), levels: levels_of(image, count) };
        }
        let mut levels = match content {
            TextureContent::Image(image) if !image.rgba.is_empty() => file_levels(image),
            TextureContent::Image(_) | TextureContent::Placeholder => vec![checker()],
            TextureContent::White => vec![MipLevel { width: 2, height: 2, texels: Texels::Own(vec![255; 16]) }],
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
        if channels.texel_bytes() < 4 {
            for level in &mut levels {
                level.texels = Texels::Own(pack(level.texels.bytes(), channels));
            }
        }
        Self { format: TextureFormat::Texels(space, channels), levels }
    }
}

/// Returns one or two `channels` of RGBA texels.
fn pack(rgba: &[u8], channels: Channels) -> Vec<u8> {
    let (texels, mut indices) = (rgba.as_chunks::<4>().0, channels.indices());
    match (indices.next(), indices.next()) {
        (Some(a), Some(b)) => texels.iter().flat_map(|texel| [texel[a], texel[b]]).collect(),
        (Some(a), None) => texels.iter().map(|texel| texel[a]).collect(),
        _ => Vec::new(),
    }
}

/// Returns the mip levels that the file has. An image of one texel gets four, because software drivers compile shaders once more for
/// textures of one level.
fn file_levels(image: &Arc<Image>) -> Vec<MipLevel> {
    if image.width == 1 && image.height == 1 {
        return vec![MipLevel { width: 2, height: 2, texels: Texels::Own(image.rgba.repeat(4)) }];
    }
    levels_of(image, 1 + image.mipmaps.len())
}

/// Returns the first levels of an image.
fn levels_of(image: &Arc<Image>, count: usize) -> Vec<MipLevel> {
    let level = |level: usize| MipLevel {
        width: (image.width >> level).max(1),
        height: (image.height >> level).max(1),
        texels: Texels::OfImage(Arc::clone(image), level),
    };
    (0..count).map(level).collect()
}

/// Returns a magenta and gray placeholder for an image that could not be read.
fn checker() -> MipLevel {
    let (side, square) = CHECKER;
    let texel = |i: u32| match (i % side / square + i / side / square) % 2 {
        0 => [255, 0, 255, 255],
        _ => [96, 96, 96, 255],
    };
    MipLevel { width: side, height: side, texels: Texels::Own((0..side * side).flat_map(texel).collect()) }
}
