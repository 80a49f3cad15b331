//! Images, decoded in parallel.

use super::diagnostic::Diagnostics;
use super::image_codec::{self, BlockSupport, Format};
use super::limits::Limit;
use super::options::{ImageLoading, ImportOptions};
use super::source::Asset;
use super::texture_sources;
use crate::gltf_format::ImageFormat;
use crate::model::{Image, ImageIndex, Material, Texture};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How long to wait for the block formats of the GPU.
const GPU_QUERY_TIMEOUT: Duration = Duration::from_secs(2);

/// Reads the images of `asset`. Removes undecodable ones from textures and merges duplicates.
///
/// Decodes only images that a material uses; of the others, only the size is read.
pub(super) fn read(
    asset: &Asset,
    options: &ImportOptions,
    materials: &[Material],
    textures: &mut [Texture],
    diagnostics: &mut Diagnostics,
) -> Vec<Image> {
    let json = &asset.document.images;
    let (limits, loading) = (&asset.policy.limits, options.images);
    let empty = |i: usize| {
        let name = json.get(i).and_then(|image| image.name.clone());
        Image { name, ..Image::default() }
    };
    let mut images: Vec<Image> = (0..json.len()).map(empty).collect();
    if loading == ImageLoading::Skip || images.is_empty() {
        return images;
    }
    let reported = apply_image_fallbacks(asset, textures, diagnostics);
    let shown = shown(images.len(), materials, textures);
    let canonical_image = canonical_image(asset);

    // Selected in file order, so that the same images fit into the limit in every run.
    let mut jobs = Vec::new();
    let mut broken = vec![false; images.len()];
    let (mut total, mut read) = (0_u64, 0);
    for (i, image) in images.iter_mut().enumerate() {
        if canonical_image.get(i).is_some_and(|first| *first != i) {
            continue;
        }
        let is_shown = shown.get(i).copied().unwrap_or(false);
        let found = if read > limits.get(Limit::ImageFiles) && asset.image_is_file(i) {
            let (max, hint) = (limits.get(Limit::ImageFiles), Limit::ImageFiles.hint(read + 1));
            Err(format!(
                "the image files before it have more than {} already; if you trust them, add {hint}",
                Limit::ImageFiles.format(max)
            ))
        } else {
            asset.encoded_image(i)
        };
        let mut other_format = false;
        let found = found.and_then(|bytes| {
            other_format = ImageFormat::sniff(&bytes) == Some(ImageFormat::Dds);
            read += if let Cow::Owned(bytes) = &bytes { bytes.len() as u64 } else { 0 };
            let (width, height, format) = image_codec::size(&bytes, limits)?;
            Ok((width, height, format, bytes))
        });
        let problem = match found {
            Ok((width, height, format, bytes)) => {
                (image.width, image.height) = (width, height);
                let mut size_bytes = (u64::from(width) * u64::from(height)).saturating_mul(4);
                if format.has_mip_levels() {
                    // Mip levels add one third.
                    size_bytes = size_bytes.saturating_add(size_bytes / 3);
                }
                if loading != ImageLoading::Decode || !is_shown {
                    None
                } else if total.saturating_add(size_bytes) > limits.get(Limit::Images) {
                    let (max, hint) = (limits.get(Limit::Images), Limit::Images.hint(total.saturating_add(size_bytes)));
                    Some(format!(
                        "with it, the images of the file would take more than {}; if you trust them, add {hint}",
                        Limit::Images.format(max)
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
            // Unused images in other formats belong to extensions, which are reported.
            if !reported.contains(&i) && (is_shown || !other_format) {
                report_undecodable(asset, i, &problem, is_shown, diagnostics);
            }
            if let Some(broken) = broken.get_mut(i) {
                *broken = true;
            }
        }
    }

    let support = if jobs.iter().any(|(_, format, _)| format.has_mip_levels()) {
        wait_for(options.blocks.as_ref())
    } else {
        None
    };
    let support = support.cloned().unwrap_or_default();
    let progress = options.progress.as_deref();
    progress.inspect(|progress| progress.expect(jobs.len()));
    let decode = |(i, format, bytes): &(usize, Format, Cow<'_, [u8]>)| {
        let mut image = images.get(*i).cloned().unwrap_or_default();
        let whole = textures.iter().any(|t| t.image == Some(ImageIndex(*i as u32)) && t.sampler.mipmap.is_some());
        let result = image_codec::decode(bytes, *format, limits, &support, whole, &mut image);
        progress.inspect(|progress| progress.count_one());
        (*i, result.map(|()| image))
    };
    let decoded: Vec<_> = match jobs.as_slice() {
        [job] => vec![decode(job)],
        jobs => jobs.par_iter().map(decode).collect(),
    };
    for (i, result) in decoded {
        match (result, images.get_mut(i)) {
            (Ok(decoded), Some(image)) => *image = decoded,
            (Err(problem), Some(image)) => {
                (image.width, image.height) = (0, 0);
                report_undecodable(asset, i, &problem, true, diagnostics);
                if let Some(broken) = broken.get_mut(i) {
                    *broken = true;
                }
            }
            (_, None) => {}
        }
    }
    for i in 0..images.len() {
        if let Some(first) = canonical_image.get(i).filter(|first| **first != i)
            && let Some((width, height)) = images.get(*first).map(|image| (image.width, image.height))
            && let Some(image) = images.get_mut(i)
        {
            (image.width, image.height) = (width, height);
        }
    }
    for texture in textures {
        texture.image = texture.image.and_then(|image| {
            let first = canonical_image.get(image.get()).copied()?;
            (!broken.get(first).copied().unwrap_or(true)).then_some(ImageIndex(first as u32))
        });
    }
    images
}

/// Replaces undecodable images by their fallback. Returns the replaced images.
fn apply_image_fallbacks(asset: &Asset, textures: &mut [Texture], diagnostics: &mut Diagnostics) -> Vec<usize> {
    let mut reported = Vec::new();
    for (i, texture) in textures.iter_mut().enumerate() {
        let Ok(Some(plain)) = texture_sources::fallback_image(&asset.document, i) else { continue };
        let Some(other) = texture.image.filter(|image| *image != plain) else { continue };
        let found = asset.encoded_image(other.get());
        if let Err(problem) = found.and_then(|bytes| image_codec::size(&bytes, &asset.policy.limits)) {
            let at = asset.document.location("images", other.get());
            diagnostics.add(&at, format!("{problem}; image {} is shown instead", plain.get()));
            texture.image = Some(plain);
            reported.push(other.get());
        }
    }
    reported
}

/// Waits for the block formats of the GPU.
fn wait_for(blocks: Option<&Arc<OnceLock<BlockSupport>>>) -> Option<&BlockSupport> {
    let start = Instant::now();
    let blocks = blocks?;
    while blocks.get().is_none() && start.elapsed() < GPU_QUERY_TIMEOUT {
        std::thread::sleep(Duration::from_millis(2));
    }
    blocks.get()
}

fn report_undecodable(asset: &Asset, image: usize, problem: &str, is_shown: bool, diagnostics: &mut Diagnostics) {
    let stand_in = if is_shown { "; a checkerboard replaces it" } else { "" };
    diagnostics.add(&asset.document.location("images", image), format!("{problem}{stand_in}"));
}

/// Returns per image `true` if a material uses it.
fn shown(count: usize, materials: &[Material], textures: &[Texture]) -> Vec<bool> {
    let mut shown = vec![false; count];
    for texture in materials.iter().flat_map(|material| material.textures.iter()) {
        if let Some(image) = textures.get(texture.texture.get()).and_then(|texture| texture.image)
            && let Some(shown) = shown.get_mut(image.get())
        {
            *shown = true;
        }
    }
    shown
}

/// Returns per image the first one with the same URI or buffer view.
fn canonical_image(asset: &Asset) -> Vec<usize> {
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
