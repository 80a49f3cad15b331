//! Decodes one image: format, size, texels.

use super::diagnostic::Problem;
use super::limits::{Limit, Limits, PolicyChange};
use crate::gltf_format::ImageFormat;
use crate::model::{BlockFormat, Image};
use crate::util::git_lfs::{LFS_POINTER, is_lfs_pointer};

/// The block-compressed texture formats that the GPU supports.
#[derive(Clone, Debug, Default)]
pub struct SupportedBlockFormats {
    /// Supported formats.
    pub formats: Vec<BlockFormat>,
    /// Maximum width and height of a texture in texels.
    pub max_dimension: u32,
}

/// Returns width, height and format of an encoded image, or the reason why it cannot be decoded.
pub(super) fn size(bytes: &[u8], limits: &Limits) -> Result<(u32, u32, ImageFormat), Problem> {
    let unknown = if is_lfs_pointer(bytes) { LFS_POINTER } else { "it is none of PNG, JPEG, WebP, AVIF and KTX2" };
    let format = ImageFormat::sniff(bytes).ok_or(unknown)?;
    let size: Result<(u32, u32), String> = match format {
        #[cfg(feature = "basisu")]
        ImageFormat::Ktx2 => super::ktx2::size(bytes),
        #[cfg(feature = "avif")]
        ImageFormat::Avif => super::avif::size(bytes),
        #[cfg(feature = "images")]
        _ => super::raster::size(bytes, format, limits),
        #[cfg(not(feature = "images"))]
        _ => Err(format.missing_codec_message()),
    };
    let (width, height) = size?;
    let dimension = u64::from(width.max(height));
    let size_bytes = (u64::from(width) * u64::from(height)).saturating_mul(4);
    let too_large = |limit: Limit, needed: u64, max: String| {
        let message = format!("it has {width} x {height} texels; rigview opens images up to {max}");
        Err(Problem::with_change(message, PolicyChange::RaiseLimit { limit, needed }))
    };
    if size_bytes == 0 {
        return Err(format!("it has {width} x {height} texels").into());
    }
    if dimension > limits.get(Limit::ImageDimension) {
        return too_large(Limit::ImageDimension, dimension, format!("{} a side", limits.get(Limit::ImageDimension)));
    }
    if size_bytes > limits.get(Limit::Image) {
        return too_large(Limit::Image, size_bytes, Limit::Image.format(limits.get(Limit::Image)));
    }
    Ok((width, height, format))
}

/// Decodes an image into `image`, whose [`size`] is already set.
///
/// With `needs_mip_levels`, GPU blocks are kept only if all mip levels are present, since they cannot be generated.
#[cfg_attr(not(all(feature = "basisu", feature = "images")), expect(unused_variables, reason = "each codec uses some"))]
pub(super) fn decode(
    bytes: &[u8],
    format: ImageFormat,
    limits: &Limits,
    support: &SupportedBlockFormats,
    needs_mip_levels: bool,
    image: &mut Image,
) -> Result<(), String> {
    match format {
        #[cfg(feature = "avif")]
        ImageFormat::Avif => super::avif::decode(bytes, (image.width, image.height)).map(|texels| image.rgba = texels),
        #[cfg(feature = "basisu")]
        ImageFormat::Ktx2 => {
            let fits = image.width.max(image.height) <= support.max_dimension;
            let formats = if fits { support.formats.as_slice() } else { &[] };
            let decode = || super::ktx2::decode(bytes, formats, needs_mip_levels);
            let decoded = crate::util::panic_guard::catch_silently(decode);
            let (mut levels, blocks) = decoded.unwrap_or_else(|| Err("it cannot be decoded".to_owned()))?;
            if !levels.is_empty() {
                image.rgba = levels.remove(0);
            }
            (image.mipmaps, image.compressed) = (levels, blocks);
            Ok(())
        }
        #[cfg(feature = "images")]
        _ => super::raster::decode(bytes, format, limits).map(|texels| image.rgba = texels),
        #[cfg(not(feature = "images"))]
        _ => Err(format.missing_codec_message()),
    }
}
