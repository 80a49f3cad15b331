//! KTX2 images with Basis Universal (KHR_texture_basisu), transcoded to texels or to GPU blocks.

use crate::model::{BlockFormat, CompressedImage};
use basisu::{DecodeFlags, SourceFormat, TargetFormat, Transcoder};

const HEADER_BYTES: usize = 80;
/// Maximum mip levels: more than the largest image has.
const MAX_LEVELS: u32 = 16;

/// Texels per mip level, or GPU blocks.
type Decoded = (Vec<Vec<u8>>, Option<CompressedImage>);

/// Transcodes to the best of `formats`, or to texels.
///
/// With `needs_mip_levels`, blocks are chosen only if the image has all mip levels.
pub(super) fn decode(bytes: &[u8], formats: &[BlockFormat], needs_mip_levels: bool) -> Result<Decoded, String> {
    let image = Ktx2Image::new(bytes)?;
    let has_needed_levels = !needs_mip_levels || image.sizes.last() == Some(&(1, 1));
    match image.pick_target(formats).filter(|_| has_needed_levels) {
        Some(format) => Ok((Vec::new(), Some(CompressedImage { format, levels: image.blocks(format)? }))),
        None => Ok((image.texels()?, None)),
    }
}

/// A KTX2 image with a valid header.
struct Ktx2Image<'a> {
    transcoder: Transcoder<'a>,
    /// Width and height of each mip level, the largest first.
    sizes: Vec<(u32, u32)>,
}

/// Checks the header. Returns width and height.
pub(super) fn size(bytes: &[u8]) -> Result<(u32, u32), String> {
    let word = |at: usize| bytes.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word));
    let truncated = || "the KTX2 image ends within its header".to_owned();
    let words: Option<Vec<u32>> = (12..48).step_by(4).map(word).collect();
    let Some([format, _, width, height, depth, layers, faces, levels, scheme]) = words.as_deref() else {
        return Err(truncated());
    };
    if *format != 0 {
        return Err("the KTX2 image is not Basis Universal, which glTF requires".into());
    }
    if *depth > 0 || *layers > 0 || *faces != 1 {
        return Err("the KTX2 file holds more than one image".into());
    }
    if *levels > MAX_LEVELS || *levels > 32 - width.max(height).leading_zeros() {
        return Err(format!("the KTX2 image has {levels} mip levels by its header, too many for {width} x {height}"));
    }
    // The transcoder does not check the decompressed sizes.
    for level in 0..(*levels).max(1) {
        let entry = HEADER_BYTES + 24 * level as usize;
        let long = |at: usize| bytes.get(at..)?.first_chunk().map(|long| u64::from_le_bytes(*long));
        let (Some(offset), Some(length), Some(decompressed)) = (long(entry), long(entry + 8), long(entry + 16)) else {
            return Err(truncated());
        };
        if offset.checked_add(length).is_none_or(|end| end > bytes.len() as u64) {
            return Err("the KTX2 image was cut short".into());
        }
        let blocks = |side: u32| u64::from((side >> level).max(1).div_ceil(4));
        // Zstandard; blocks are 16 bytes each.
        if *scheme == 2 && decompressed != (blocks(*width) * blocks(*height)).saturating_mul(16) {
            return Err(format!("level {level} of the KTX2 image does not have the size in its header"));
        }
    }
    Ok((*width, *height))
}

impl<'a> Ktx2Image<'a> {
    /// Reads the header and the codebooks.
    fn new(bytes: &'a [u8]) -> Result<Self, String> {
        let (width, height) = size(bytes)?;
        let broken = |_| "the KTX2 image is broken".to_owned();
        let transcoder = Transcoder::new(bytes).map_err(broken)?;
        if !matches!(transcoder.source_format(), SourceFormat::Etc1s | SourceFormat::UastcLdr) {
            return Err("the KTX2 image is neither ETC1S nor UASTC, which glTF requires".into());
        }
        let levels = transcoder.level_count();
        let sizes: Vec<_> = (0..levels).map(|level| ((width >> level).max(1), (height >> level).max(1))).collect();
        for (level, size) in (0..).zip(&sizes) {
            let found = transcoder.image_level_info(level).map_err(broken)?;
            if (found.width, found.height) != *size {
                return Err(format!("level {level} of the KTX2 image does not have the size in its header"));
            }
        }
        Ok(Self { transcoder, sizes })
    }

    /// Returns the supported format with the best quality.
    fn pick_target(&self, formats: &[BlockFormat]) -> Option<BlockFormat> {
        use BlockFormat::{Astc4x4, Bc3, Bc7, Etc2};
        let order = match self.transcoder.source_format() {
            SourceFormat::UastcLdr => [Bc7, Astc4x4, Etc2, Bc3],
            _ => [Bc7, Etc2, Astc4x4, Bc3],
        };
        order.into_iter().find(|format| formats.contains(format))
    }

    /// RGBA texels of every mip level.
    fn texels(&self) -> Result<Vec<Vec<u8>>, String> {
        self.levels(TargetFormat::Rgba32, |(width, height)| width as usize * height as usize * 4)
    }

    /// Transcodes every mip level to GPU blocks.
    fn blocks(&self, format: BlockFormat) -> Result<Vec<Vec<u8>>, String> {
        let target = match format {
            BlockFormat::Astc4x4 => TargetFormat::Astc4x4Rgba,
            BlockFormat::Bc3 => TargetFormat::Bc3Rgba,
            BlockFormat::Bc7 => TargetFormat::Bc7Rgba,
            BlockFormat::Etc2 => TargetFormat::Etc2Rgba,
        };
        self.levels(target, |(width, height)| BlockFormat::level_bytes(width, height))
    }

    fn levels(&self, target: TargetFormat, bytes: impl Fn((u32, u32)) -> usize) -> Result<Vec<Vec<u8>>, String> {
        let transcode = |(level, size): (u32, &(u32, u32))| {
            let level_bytes = self.transcoder.transcode(level, target, DecodeFlags::NONE).ok();
            let level_bytes = level_bytes.filter(|level_bytes| level_bytes.len() == bytes(*size));
            level_bytes.ok_or_else(|| format!("level {level} of the KTX2 image is broken"))
        };
        (0..).zip(&self.sizes).map(transcode).collect()
    }
}
