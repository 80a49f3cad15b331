//! Images of the file, decoded on all cores.

use super::limits::{Limit, Limits};
use super::notice::{Notices, quoted};
use super::source::Asset;
use crate::model::{Image, ImageIndex, Material, Texture};
use image::{ImageFormat, ImageReader};
use rayon::prelude::*;
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// How much is done with images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImageLoading {
    /// They are decoded.
    #[default]
    Decode,
    /// Their sizes are read; texels stay empty.
    SizesOnly,
    /// They are not looked at; sizes are 0.
    Skip,
}

/// The MIME type of an encoded image by the look of its bytes; `""` for an unknown one.
pub(crate) fn mime_type(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        [0xab, b'K', b'T', b'X', b' ', b'2', b'0', 0xbb, ..] => "image/ktx2",
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', ..] => "image/avif",
        [b'D', b'D', b'S', b' ', ..] => "image/vnd-ms.dds",
        _ => "",
    }
}

/// Reads the images of `asset`; textures lose those that cannot be read, and share those that are the same.
///
/// Only images that a material shows are decoded; of the others the size is read.
pub(super) fn read(
    asset: &Asset,
    loading: ImageLoading,
    materials: &[Material],
    textures: &mut [Texture],
    notices: &mut Notices,
) -> Vec<Image> {
    let json = &asset.document.images;
    let limits = &asset.trust.limits;
    let empty = |i: usize| {
        let name = json.get(i).and_then(|image| image.name.clone());
        Image { name, width: 0, height: 0, rgba: Vec::new() }
    };
    let mut images: Vec<Image> = (0..json.len()).map(empty).collect();
    if loading == ImageLoading::Skip || images.is_empty() {
        return images;
    }
    let shown = shown(images.len(), materials, textures);
    let first_of_same = first_of_same(asset);

    // What to decode is settled in file order, so that the same images fit into the limit on every run.
    let mut jobs = Vec::new();
    let mut broken = vec![false; images.len()];
    let (mut total, mut read) = (0, 0);
    for (i, image) in images.iter_mut().enumerate() {
        if first_of_same.get(i).is_some_and(|first| *first != i) {
            continue;
        }
        let is_shown = shown.get(i).copied().unwrap_or(false);
        let found = if read > limits.get(Limit::ImageFiles) && asset.image_is_file(i) {
            let (most, cure) = (limits.get(Limit::ImageFiles), Limit::ImageFiles.cure(read + 1));
            Err(format!(
                "the image files before it have more than {} already; if you trust them, add {cure}",
                Limit::ImageFiles.shown(most)
            ))
        } else {
            asset.encoded_image(i)
        };
        let mut other_format = false;
        let found = found.and_then(|bytes| {
            other_format = !matches!(mime_type(&bytes), "" | "image/png" | "image/jpeg");
            read += if let Cow::Owned(bytes) = &bytes { bytes.len() as u64 } else { 0 };
            let (width, height, format) = size(&bytes, limits)?;
            Ok((width, height, format, bytes))
        });
        let problem = match found {
            Ok((width, height, format, bytes)) => {
                (image.width, image.height) = (width, height);
                let size_bytes = u64::from(width) * u64::from(height) * 4;
                if loading != ImageLoading::Decode || !is_shown {
                    None
                } else if total + size_bytes > limits.get(Limit::Images) {
                    let (most, cure) = (limits.get(Limit::Images), Limit::Images.cure(total + size_bytes));
                    Some(format!(
                        "with it, the images of the file would take more than {}; if you trust them, add {cure}",
                        Limit::Images.shown(most)
                    ))
                } else {
                    total += size_bytes;
                    jobs.push((i, format, bytes));
                    None
                }
            }
            Err(problem) => Some(problem),
        };
        if let Some(problem) = problem {
            // Files carry images in other formats beside the ones that are shown; their extensions are told of.
            if is_shown || !other_format {
                tell(asset, i, &problem, is_shown, notices);
            }
            if let Some(broken) = broken.get_mut(i) {
                *broken = true;
            }
        }
    }

    let decoded: Vec<_> = match jobs.as_slice() {
        [(i, format, bytes)] => vec![(*i, decode(bytes, *format, limits))],
        jobs => jobs.par_iter().map(|(i, format, bytes)| (*i, decode(bytes, *format, limits))).collect(),
    };
    for (i, result) in decoded {
        match (result, images.get_mut(i)) {
            (Ok(rgba), Some(image)) => image.rgba = rgba,
            (Err(problem), Some(image)) => {
                (image.width, image.height) = (0, 0);
                tell(asset, i, &problem, true, notices);
                if let Some(broken) = broken.get_mut(i) {
                    *broken = true;
                }
            }
            (_, None) => {}
        }
    }
    for i in 0..images.len() {
        if let Some(first) = first_of_same.get(i).filter(|first| **first != i)
            && let Some((width, height)) = images.get(*first).map(|image| (image.width, image.height))
            && let Some(image) = images.get_mut(i)
        {
            (image.width, image.height) = (width, height);
        }
    }
    for texture in textures {
        texture.image = texture.image.and_then(|image| {
            let first = first_of_same.get(image.get()).copied()?;
            (!broken.get(first).copied().unwrap_or(true)).then_some(ImageIndex(first as u32))
        });
    }
    images
}

fn tell(asset: &Asset, image: usize, problem: &str, is_shown: bool, notices: &mut Notices) {
    let stand_in = if is_shown { "; a checker stands in for it" } else { "" };
    notices.add(&asset.document.place("images", image), format!("{problem}{stand_in}"));
}

/// Which images are the texture of a material.
fn shown(count: usize, materials: &[Material], textures: &[Texture]) -> Vec<bool> {
    let mut shown = vec![false; count];
    for texture in materials.iter().flat_map(Material::texture_refs) {
        if let Some(image) = textures.get(texture.texture.get()).and_then(|texture| texture.image)
            && let Some(shown) = shown.get_mut(image.get())
        {
            *shown = true;
        }
    }
    shown
}

/// For each image the first one with the same bytes, as far as the JSON tells.
fn first_of_same(asset: &Asset) -> Vec<usize> {
    let mut firsts = HashMap::new();
    let mut same = Vec::with_capacity(asset.document.images.len());
    for (i, image) in asset.document.images.iter().enumerate() {
        let key = match (&image.uri, image.buffer_view) {
            (Some(uri), _) if !super::uri::is_data(uri) => (1, uri.as_str(), 0),
            (None, Some(view)) => (2, "", view.value()),
            _ => (3, "", i),
        };
        same.push(*firsts.entry(key).or_insert(i));
    }
    same
}

/// Width, height and format of an encoded image, or why it cannot be read.
fn size(bytes: &[u8], limits: &Limits) -> Result<(u32, u32, ImageFormat), String> {
    let format = match mime_type(bytes) {
        "image/png" => ImageFormat::Png,
        "image/jpeg" => ImageFormat::Jpeg,
        "" => return Err("it is neither PNG nor JPEG".into()),
        other => {
            let kind = other.trim_start_matches("image/").to_uppercase();
            return Err(format!("{kind} is not read yet; in Blender, choose PNG or JPEG for images"));
        }
    };
    let (width, height) = guarded(|| reader(bytes, format, limits).into_dimensions())?;
    let (side, size_bytes) = (u64::from(width.max(height)), u64::from(width) * u64::from(height) * 4);
    let too_large = |limit: Limit, needs: u64, most: String| {
        let cure = limit.cure(needs);
        Err(format!("it has {width} x {height} texels; rigview opens images up to {most}; if you trust it, add {cure}"))
    };
    if size_bytes == 0 {
        return Err(format!("it has {width} x {height} texels"));
    }
    if side > limits.get(Limit::ImageSide) {
        return too_large(Limit::ImageSide, side, format!("{} a side", limits.get(Limit::ImageSide)));
    }
    if size_bytes > limits.get(Limit::Image) {
        return too_large(Limit::Image, size_bytes, Limit::Image.shown(limits.get(Limit::Image)));
    }
    Ok((width, height, format))
}

fn decode(bytes: &[u8], format: ImageFormat, limits: &Limits) -> Result<Vec<u8>, String> {
    guarded(|| reader(bytes, format, limits).decode().map(|image| image.into_rgba8().into_raw()))
}

fn reader<'a>(bytes: &'a [u8], format: ImageFormat, limits: &Limits) -> ImageReader<Cursor<&'a [u8]>> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    // The sides are checked by hand, for a message that tells them. 16-bit images take twice the room on the way.
    let mut own = image::Limits::no_limits();
    own.max_alloc = Some(limits.get(Limit::Image).saturating_mul(2));
    reader.limits(own);
    reader
}

thread_local! {
    /// Whether a panic on this thread is expected and says nothing to anybody.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder; its panics (some broken palettes cause one) become errors and are not printed.
pub(super) fn guarded<T>(run: impl FnOnce() -> image::ImageResult<T>) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    let was = QUIET.replace(true);
    // Nothing that a decoder could leave half done is used again.
    let result = catch_unwind(AssertUnwindSafe(run));
    QUIET.set(was);
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => {
            let text = quoted(&error.to_string());
            Err(format!("it cannot be decoded: {}", text.trim_matches('"')))
        }
        Err(_) => Err("it cannot be decoded".into()),
    }
}
