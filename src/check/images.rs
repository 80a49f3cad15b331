//! Images: that their bytes are there, and are what they are said to be.

use super::buffers::{Source, beside, check_uri, decode, report_uri_in_glb};
use super::file::{CheckedFile, reference};
use super::issue::{JsonPath, Issues};
use crate::import::{Limit, data_uri_type, decode_data_uri, is_data_uri, mime_type};
use crate::util::text::quoted;
use serde_json::Value;
use std::borrow::Cow;

/// Checks all images.
pub(super) fn check(file: &CheckedFile<'_>, source: Source<'_>, issues: &mut Issues) {
    let at_list = JsonPath::ROOT.key("images");
    let most = source.trust.limits.get(Limit::ImageFiles);
    let mut read = 0;
    for (i, image) in file.list("images").iter().enumerate().filter(|(_, image)| image.is_object()) {
        let at = at_list.item(i);
        let at_uri = at.key("uri");
        let uri = image.get("uri").and_then(Value::as_str);
        let bytes = match uri {
            Some(uri) => {
                report_uri_in_glb(source, uri, &at_uri, issues);
                if is_data_uri(uri) {
                    decode(uri, &at_uri, issues).filter(|bytes| {
                        let (stated, found) = (data_uri_type(uri).to_ascii_lowercase(), mime_type(bytes));
                        if stated != found {
                            let message =
                                format_args!("its data is said to be {}, but is {}", quoted(&stated), named(found));
                            issues.add("INVALID_URI", at_uri, message);
                        }
                        stated == found
                    })
                } else if !check_uri(uri, &at_uri, issues) || !image.get("extensions").is_none_or(is_empty) {
                    None
                } else if read > most {
                    let (shown, cure) = (Limit::ImageFiles.shown(most), Limit::ImageFiles.cure(read + 1));
                    let message = format_args!(
                        "it is not checked: the image files before it have more than {shown}; if you trust them, add {cure}"
                    );
                    issues.add("RIGVIEW_CHECK_SKIPPED", at, message);
                    None
                } else {
                    let bytes = beside(uri, source, None, &at_uri, issues);
                    read += bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
                    bytes
                }
                .map(Cow::Owned)
            }
            None => view_bytes(file, image).map(Cow::Borrowed),
        };
        if let Some(bytes) = bytes {
            content(file, image, &bytes, &at, issues);
        }
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty)
}

fn view_bytes<'a>(file: &'a CheckedFile<'_>, image: &Value) -> Option<&'a [u8]> {
    file.view_bytes(file.views.get(reference(image, "bufferView")?)?)
}

/// The front of an image that lies in the file itself.
pub(super) fn embedded_bytes<'a>(file: &'a CheckedFile<'_>, image: &Value) -> Option<Cow<'a, [u8]>> {
    match image.get("uri").and_then(Value::as_str) {
        Some(uri) if is_data_uri(uri) => decode_data_uri(uri).ok().map(Cow::Owned),
        Some(_) => None,
        None => view_bytes(file, image).map(Cow::Borrowed),
    }
}

fn named(mime: &str) -> &str {
    if mime.is_empty() { "of an unknown kind" } else { mime }
}

fn content(file: &CheckedFile<'_>, image: &Value, bytes: &[u8], at: &JsonPath<'_>, issues: &mut Issues) {
    let found = mime_type(bytes);
    if bytes.is_empty() {
        return issues.add("IMAGE_UNEXPECTED_EOS", at, format_args!("the image is empty; export the file again"));
    }
    let size = match found {
        "image/png" => png(bytes),
        "image/jpeg" => jpeg(bytes),
        "image/webp" => webp(bytes),
        "image/ktx2" => ktx2(bytes),
        // Its size stands deep in boxes within boxes.
        "image/avif" => return,
        _ => {
            let message = format_args!("its format is unknown; save the image as PNG or JPEG");
            return issues.add("IMAGE_UNRECOGNIZED_FORMAT", at, message);
        }
    };
    let (width, height) = match size {
        Ok(size) => size,
        Err(Broken::Cut) => {
            let message = format_args!("the image ends in its middle; save it again");
            return issues.add("IMAGE_UNEXPECTED_EOS", at, message);
        }
        Err(Broken::Wrong(what)) => {
            return issues.add("IMAGE_DATA_INVALID", at, format_args!("{what}; save the image again"));
        }
    };
    if !file.extensions.allows_image(found) {
        let message = format_args!("{found} needs an extension; save the image as PNG or JPEG");
        issues.add("IMAGE_NON_ENABLED_MIME_TYPE", at, message);
    }
    let stated = image.get("mimeType").and_then(Value::as_str);
    if let Some(stated) = stated.filter(|stated| *stated != found) {
        let place = if image.get("uri").is_some() { "uri" } else { "bufferView" };
        let message = format_args!("it is said to be {}, but is {found}", quoted(stated));
        issues.add("IMAGE_MIME_TYPE_INVALID", at.key(place), message);
    }
    if found == "image/ktx2" && (width % 4 != 0 || height % 4 != 0) {
        let message =
            format_args!("{width} x {height} are no multiples of 4, as blocks want them; save the image anew");
        issues.add("IMAGE_DATA_INVALID", at, message);
    }
    if !(width.is_power_of_two() && height.is_power_of_two()) {
        let message = format_args!("{width} x {height} is no power of two, which old devices want");
        issues.add("IMAGE_NPOT_DIMENSIONS", at, message);
    }
}

/// What is wrong with an image's bytes.
enum Broken {
    Cut,
    Wrong(&'static str),
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk::<4>().map(|word| u32::from_be_bytes(*word))
}

/// The size that a PNG gives, and whether its chunks stand in order up to the pixels.
fn png(bytes: &[u8]) -> Result<(u32, u32), Broken> {
    let mut at = 8;
    let mut size = None;
    loop {
        let (length, kind) = (word(bytes, at).ok_or(Broken::Cut)?, bytes.get(at + 4..at + 8).ok_or(Broken::Cut)?);
        let length = usize::try_from(length).map_err(|_| Broken::Cut)?;
        match (kind, size) {
            (b"IHDR", None) if length != 13 => return Err(Broken::Wrong("its header has the wrong length")),
            (b"IHDR", None) => {
                let (width, height) =
                    (word(bytes, at + 8).ok_or(Broken::Cut)?, word(bytes, at + 12).ok_or(Broken::Cut)?);
                bytes.get(at + 20).ok_or(Broken::Cut)?;
                size = Some((width, height));
            }
            (b"IHDR", Some(_)) => return Err(Broken::Wrong("it has two headers")),
            (_, None) => return Err(Broken::Wrong("it does not begin with its header")),
            (b"IDAT", Some(size)) => return Ok(size),
            _ => {}
        }
        at = at.checked_add(12).and_then(|at| at.checked_add(length)).ok_or(Broken::Cut)?;
    }
}

/// The size that a JPEG gives.
fn jpeg(bytes: &[u8]) -> Result<(u32, u32), Broken> {
    let mut at = 2;
    loop {
        let marker = bytes.get(at..at + 2).ok_or(Broken::Cut)?;
        if marker[0] != 0xff {
            return Err(Broken::Wrong("its marker bytes are wrong"));
        }
        match marker[1] {
            0xff => at += 1,
            // Markers that stand alone.
            0x01 | 0xd0..=0xd8 => at += 2,
            kind => {
                let length = bytes.get(at + 2..at + 4).ok_or(Broken::Cut)?;
                let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
                if length < 2 {
                    return Err(Broken::Wrong("a segment is too short"));
                }
                if matches!(kind, 0xc0..=0xcf) && !matches!(kind, 0xc4 | 0xc8 | 0xcc) {
                    let size = bytes.get(at + 5..at + 9).ok_or(Broken::Cut)?;
                    let [height, width] =
                        [[size[0], size[1]], [size[2], size[3]]].map(|b| u32::from(u16::from_be_bytes(b)));
                    return Ok((width, height));
                }
                at += 2 + length;
            }
        }
    }
}

/// The size that a WebP gives.
fn webp(bytes: &[u8]) -> Result<(u32, u32), Broken> {
    let head = bytes.get(12..30).ok_or(Broken::Cut)?;
    let pair = |at: usize| u32::from(u16::from_le_bytes([head[at], head[at + 1]]));
    let triple = |at: usize| pair(at) | u32::from(head[at + 2]) << 16;
    match &head[..4] {
        b"VP8 " => Ok((pair(14) & 0x3fff, pair(16) & 0x3fff)),
        b"VP8L" if head[8] == 0x2f => {
            let bits = pair(9) | pair(11) << 16;
            Ok(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8X" => Ok((triple(12) + 1, triple(15) + 1)),
        _ => Err(Broken::Wrong("its header is wrong")),
    }
}

/// The size that a KTX2 gives.
fn ktx2(bytes: &[u8]) -> Result<(u32, u32), Broken> {
    let [width, height] = [20, 24].map(|at| bytes.get(at..)?.first_chunk::<4>().map(|word| u32::from_le_bytes(*word)));
    match (width, height, bytes.len() >= 80) {
        (Some(0), ..) | (_, Some(0), _) => Err(Broken::Wrong("it has no texels")),
        (Some(width), Some(height), true) => Ok((width, height)),
        _ => Err(Broken::Cut),
    }
}
