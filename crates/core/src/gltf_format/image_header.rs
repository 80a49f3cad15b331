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
