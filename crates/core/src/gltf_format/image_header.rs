//! Encoded images: their format by signature, and their size by header.

/// A format of images in glTF files, whether rigview decodes it or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageFormat {
    /// `image/png`
    Png,
    /// `image/jpeg`
    Jpeg,
    /// `image/webp` of EXT_texture_webp
    WebP,
    /// A KTX2 container, of Basis Universal in glTF.
    Ktx2,
    /// `image/avif` of EXT_texture_avif
    Avif,
    /// DirectDraw Surface, which no supported extension reads.
    Dds,
}

/// An error in the header of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageHeaderError {
    /// The file ends within the header.
    Truncated,
    /// Contains the reason.
    Invalid(&'static str),
    /// Headers of AVIF and DDS are not parsed here.
    NotParsed,
}

use ImageHeaderError::{Invalid, NotParsed, Truncated};

/// Width and height in texels.
type SizeResult = Result<(u32, u32), ImageHeaderError>;

impl ImageFormat {
    /// Detects the format by the signature of `bytes`.
    pub fn sniff(bytes: &[u8]) -> Option<Self> {
        Some(match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Self::Png,
            [0xff, 0xd8, 0xff, ..] => Self::Jpeg,
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Self::WebP,
            [0xab, b'K', b'T', b'X', b' ', b'2', b'0', 0xbb, ..] => Self::Ktx2,
            [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', ..] => Self::Avif,
            [b'D', b'D', b'S', b' ', ..] => Self::Dds,
            _ => return None,
        })
    }

    /// The message for an image whose codec is not in this build.
    pub(crate) fn missing_codec_message(self) -> String {
        let feature = match self {
            Self::Png | Self::Jpeg => "images",
            Self::WebP => "webp",
            Self::Ktx2 => "basisu",
            Self::Avif => "avif",
            Self::Dds => return "DDS is not supported; in Blender, choose PNG or JPEG for images".to_owned(),
        };
        format!("{} needs the cargo feature `{feature}`, which this build lacks", self.mime_type())
    }

    /// Returns the media type that glTF uses.
    pub fn mime_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::WebP => "image/webp",
            Self::Ktx2 => "image/ktx2",
            Self::Avif => "image/avif",
            Self::Dds => "image/vnd-ms.dds",
        }
    }

    /// Returns width and height by the header.
    ///
    /// # Errors
    /// If the header is truncated, invalid, or of a format whose header is not parsed.
    pub fn size(self, bytes: &[u8]) -> SizeResult {
        match self {
            Self::Png => png_size(bytes),
            Self::Jpeg => jpeg_size(bytes),
            Self::WebP => webp_size(bytes),
            Self::Ktx2 => ktx2_size(bytes),
            Self::Avif | Self::Dds => Err(NotParsed),
        }
    }
}

impl ImageFormat {
    /// Returns the first feature of a PNG or WebP image that glTF ignores: color spaces other than sRGB, pixels that are not
    /// square, or animation (glTF 2.0, section 3.8.3).
    pub fn ignored_feature(self, bytes: &[u8]) -> Option<&'static str> {
        match self {
            Self::Png => png_ignored_feature(bytes),
            Self::WebP if bytes.get(12..16) == Some(b"VP8X") => match bytes.get(20)? {
                flags if flags & 0x20 != 0 => Some("a color profile"),
                flags if flags & 0x02 != 0 => Some("animation"),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The MIME type of an encoded image by its signature; empty if unknown.
pub fn mime_type(bytes: &[u8]) -> &'static str {
    ImageFormat::sniff(bytes).map_or("", ImageFormat::mime_type)
}

fn u32_be(bytes: &[u8], offset: usize) -> Result<u32, ImageHeaderError> {
    bytes.get(offset..).and_then(<[u8]>::first_chunk).map(|bytes| u32::from_be_bytes(*bytes)).ok_or(Truncated)
}

/// Also checks the order of the chunks up to the pixels.
fn png_size(bytes: &[u8]) -> SizeResult {
    let mut offset = 8;
    let mut size = None;
    loop {
        let (length, kind) = (u32_be(bytes, offset)?, bytes.get(offset + 4..offset + 8).ok_or(Truncated)?);
        let length = usize::try_from(length).map_err(|_| Truncated)?;
        match (kind, size) {
            (b"IHDR", None) if length != 13 => return Err(Invalid("its header has the wrong length")),
            (b"IHDR", None) => {
                size = Some((u32_be(bytes, offset + 8)?, u32_be(bytes, offset + 12)?));
                bytes.get(offset + 20).ok_or(Truncated)?;
            }
            (b"IHDR", Some(_)) => return Err(Invalid("it has two headers")),
            (_, None) => return Err(Invalid("it does not begin with its header")),
            (b"IDAT", Some(size)) => return Ok(size),
            _ => {}
        }
        offset = offset.checked_add(12).and_then(|offset| offset.checked_add(length)).ok_or(Truncated)?;
    }
}

/// Reads the chunks up to the pixels, as far as they exist.
fn png_ignored_feature(bytes: &[u8]) -> Option<&'static str> {
    /// White point and primaries of sRGB.
    const SRGB_CHROMATICITIES: [u32; 8] = [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000];
    /// Those of sRGB and of linear values.
    const GAMMAS: [u32; 2] = [45_455, 100_000];
    let (mut is_srgb, mut color_space, mut other) = (false, None, None);
    let mut offset = 8;
    while let (Ok(length), Some(kind)) = (u32_be(bytes, offset), bytes.get(offset + 4..offset + 8)) {
        let number = |index: usize| u32_be(bytes, offset + 8 + 4 * index).ok();
        match kind {
            b"IDAT" => break,
            b"sRGB" => is_srgb = true,
            b"iCCP" => color_space = Some("a color profile"),
            b"gAMA" if number(0).is_none_or(|gamma| !GAMMAS.contains(&gamma)) => {
                color_space = color_space.or(Some("a gamma other than that of sRGB"));
            }
            b"cHRM" if (0..8).any(|i| number(i) != Some(SRGB_CHROMATICITIES[i])) => {
                color_space = color_space.or(Some("color primaries other than those of sRGB"));
            }
            b"pHYs" if number(0) != number(1) => other = Some("pixels that are not square"),
            b"acTL" => other = Some("animation"),
            _ => {}
        }
        offset = offset.checked_add(12)?.checked_add(usize::try_from(length).ok()?)?;
    }
    // The chunk for sRGB overrides the others.
    color_space.filter(|_| !is_srgb).or(other)
}

fn jpeg_size(bytes: &[u8]) -> SizeResult {
    let mut offset = 2;
    loop {
        let marker = bytes.get(offset..offset + 2).ok_or(Truncated)?;
        if marker[0] != 0xff {
            return Err(Invalid("its marker bytes are wrong"));
        }
        match marker[1] {
            0xff => offset += 1,
            // Markers without a segment.
            0x01 | 0xd0..=0xd8 => offset += 2,
            kind => {
                let length = bytes.get(offset + 2..offset + 4).ok_or(Truncated)?;
                let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
                if length < 2 {
                    return Err(Invalid("a segment is too short"));
                }
                // Start of frame.
                if matches!(kind, 0xc0..=0xcf) && !matches!(kind, 0xc4 | 0xc8 | 0xcc) {
                    let size = bytes.get(offset + 5..offset + 9).ok_or(Truncated)?;
                    let [height, width] =
                        [[size[0], size[1]], [size[2], size[3]]].map(|b| u32::from(u16::from_be_bytes(b)));
                    return Ok((width, height));
                }
                offset += 2 + length;
            }
        }
    }
}

fn webp_size(bytes: &[u8]) -> SizeResult {
    let header = bytes.get(12..30).ok_or(Truncated)?;
    let u16_at = |offset: usize| u32::from(u16::from_le_bytes([header[offset], header[offset + 1]]));
    let u24_at = |offset: usize| u16_at(offset) | u32::from(header[offset + 2]) << 16;
    match &header[..4] {
        b"VP8 " => Ok((u16_at(14) & 0x3fff, u16_at(16) & 0x3fff)),
        b"VP8L" if header[8] == 0x2f => {
            let bits = u16_at(9) | u16_at(11) << 16;
            Ok(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8X" => Ok((u24_at(12) + 1, u24_at(15) + 1)),
        _ => Err(Invalid("its header is wrong")),
    }
}

fn ktx2_size(bytes: &[u8]) -> SizeResult {
    let u32_at = |offset: usize| bytes.get(offset..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    let [width, height] = [20, 24].map(u32_at);
    match (width, height, bytes.len() >= 80) {
        (Some(0), ..) | (_, Some(0), _) => Err(Invalid("it has no texels")),
        (Some(width), Some(height), true) => Ok((width, height)),
        _ => Err(Truncated),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_features_are_those_before_the_pixels() {
        let png = |chunks: &[(&[u8; 4], &[u32])]| {
            let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
            for (kind, numbers) in chunks {
                bytes.extend((numbers.len() as u32 * 4).to_be_bytes());
                bytes.extend_from_slice(*kind);
                bytes.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
                bytes.extend([0; 4]);
            }
            ImageFormat::Png.ignored_feature(&bytes)
        };
        let srgb = [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000];
        let mut wide = srgb;
        wide[2] = 68000;
        assert_eq!(png(&[(b"gAMA", &[45_455]), (b"cHRM", &srgb), (b"pHYs", &[2835, 2835])]), None);
        assert_eq!(png(&[(b"gAMA", &[100_000])]), None);
        assert_eq!(png(&[(b"gAMA", &[50_000])]), Some("a gamma other than that of sRGB"));
        assert_eq!(png(&[(b"cHRM", &wide)]), Some("color primaries other than those of sRGB"));
        assert_eq!(png(&[(b"iCCP", &[0]), (b"gAMA", &[50_000])]), Some("a color profile"));
        assert_eq!(png(&[(b"cHRM", &wide), (b"gAMA", &[1]), (b"sRGB", &[0])]), None);
        assert_eq!(png(&[(b"sRGB", &[0]), (b"pHYs", &[2, 1])]), Some("pixels that are not square"));
        assert_eq!(png(&[(b"acTL", &[2, 0])]), Some("animation"));
        assert_eq!(png(&[(b"IDAT", &[]), (b"gAMA", &[50_000])]), None);
        assert_eq!(ImageFormat::Png.ignored_feature(b"\x89PNG\r\n\x1a\n\0\0"), None);

        let webp = |flags: u8| {
            let bytes = [&b"RIFF....WEBPVP8X...."[..], &[flags, 0, 0, 0]].concat();
            ImageFormat::WebP.ignored_feature(&bytes)
        };
        assert_eq!([0x10, 0x02, 0x22].map(webp), [None, Some("animation"), Some("a color profile")]);
    }
}
