//! Images, decoded in parallel.

use super::diagnostic::{DiagnosticKind, Problem};
use super::diagnostics::Diagnostics;
use super::image_codec;
use super::limits::{Limit, PolicyChange};
use super::options::{ImageLoading, ImportOptions};
use super::source::GltfFile;
use super::texture_sources;
use crate::gltf_format::ImageFormat;
use crate::model::{Image, ImageIndex, Material, Texture, shrunk_size};
use crate::util::parallel::*;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

/// An image to decode.
struct Job<'a> {
    image: usize,
    format: ImageFormat,
    bytes: Cow<'a, [u8]>,
}

/// Images of a file while they are read.
struct ImageLoader<'a> {
    gltf_file: &'a GltfFile,
    /// Per canonical image: `true` if a material uses it.
    used: Vec<bool>,
    /// Per canonical image: `true` if it is to be decoded.
    requested: Vec<bool>,
    /// Per image: the first one with the same URI or buffer view.
    canonical: Vec<usize>,
    /// Per image: `true` if it cannot be decoded.
    broken: Vec<bool>,
    images: Vec<Image>,
}

/// Reads the images of `gltf_file`. Removes undecodable ones from textures and merges duplicates.
///
/// Decodes only images that a material uses, as far as the options request them; of the others, only the size is read.
pub(super) fn read(
    gltf_file: &GltfFile,
    options: &ImportOptions,
    materials: &[Material],
    textures: &mut [Texture],
    diagnostics: &mut Diagnostics,
) -> Vec<Image> {
    let json = &gltf_file.document.images;
    let images: Vec<Image> = json.iter().map(|image| Image { name: name(image), ..Image::default() }).collect();
    if options.images == ImageLoading::Skip || images.is_empty() {
        return images;
    }
    let replaced = apply_image_fallbacks(gltf_file, textures, diagnostics);
    let canonical = canonical_images(gltf_file);
    let used = used_images(&canonical, materials, textures);
    let requested = match options.images {
        ImageLoading::Decode | ImageLoading::Verify => used.clone(),
        ImageLoading::DecodeWithoutVariants => {
            used_images(&canonical, default_materials(gltf_file, materials), textures)
        }
        ImageLoading::SizesOnly | ImageLoading::Skip => vec![false; images.len()],
    };
    let mut loader = ImageLoader { gltf_file, used, requested, canonical, broken: vec![false; images.len()], images };
    let jobs = loader.read_sizes(&replaced, options.max_image_dimension.unwrap_or(u32::MAX), diagnostics);
    loader.decode(&jobs, options, textures, diagnostics);
    loader.merge_duplicates(textures);
    loader.images
}

impl<'a> ImageLoader<'a> {
    /// Reads all sizes. Returns the images to decode, in file order, so that every run applies the limits alike.
    ///
    /// Does not report the `replaced` images again.
    fn read_sizes(
        &mut self,
        replaced: &HashSet<usize>,
        max_dimension: u32,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Job<'a>> {
        let limits = &self.gltf_file.policy.limits;
        let mut jobs = Vec::new();
        let (mut decoded_bytes, mut file_bytes) = (0_u64, 0);
        for i in 0..self.images.len() {
            if self.canonical.get(i) != Some(&i) {
                continue;
            }
            let is_used = self.used.get(i).copied().unwrap_or(false);
            let mut is_dds = false;
            let found = self.encoded_image(i, file_bytes).and_then(|bytes| {
                is_dds = ImageFormat::sniff(&bytes) == Some(ImageFormat::Dds);
                file_bytes += if let Cow::Owned(bytes) = &bytes { bytes.len() as u64 } else { 0 };
                let (width, height, format) = image_codec::size(&bytes, limits)?;
                Ok((width, height, Job { image: i, format, bytes }))
            });
            let result = found.and_then(|(width, height, job)| {
                if let Some(image) = self.images.get_mut(i) {
                    (image.width, image.height) = (width, height);
                }
                if !self.requested.get(i).is_some_and(|requested| *requested) {
                    return Ok(());
                }
                let [kept_width, kept_height] = shrunk_size([width, height], max_dimension);
                let size_bytes = (u64::from(kept_width) * u64::from(kept_height)).saturating_mul(4);
                // Mip levels add one third.
                let mip_bytes = if job.format == ImageFormat::Ktx2 { size_bytes / 3 } else { 0 };
                let total = decoded_bytes.saturating_add(size_bytes.saturating_add(mip_bytes));
                if total > limits.get(Limit::Images) {
                    let max = Limit::Images.format(limits.get(Limit::Images));
                    let message = format!("with it, the images of the file would take more than {max}");
                    let change = PolicyChange::RaiseLimit { limit: Limit::Images, needed: total };
                    return Err(Problem::with_change(message, change));
                }
                decoded_bytes = total;
                jobs.push(job);
                Ok(())
            });
            if let Err(problem) = result {
                // An unused DDS image belongs to an extension, which is reported.
                if !replaced.contains(&i) && (is_used || !is_dds) {
                    // The file itself or a limit is the reason.
                    self.report_undecodable(i, &problem, is_used, DiagnosticKind::Unsupported, diagnostics);
                }
                self.set_broken(i);
            }
        }
        jobs
    }

    /// Returns the bytes of an image, unless more than the limit of `file_bytes` was read before it.
    fn encoded_image(&self, image: usize, file_bytes: u64) -> Result<Cow<'a, [u8]>, Problem> {
        let max = self.gltf_file.policy.limits.get(Limit::ImageFiles);
        if file_bytes > max && self.gltf_file.image_is_file(image) {
            let message = format!("the image files before it have more than {} already", Limit::ImageFiles.format(max));
            let change = PolicyChange::RaiseLimit { limit: Limit::ImageFiles, needed: file_bytes + 1 };
            return Err(Problem::with_change(message, change));
        }
        self.gltf_file.encoded_image(image)
    }

    /// Decodes images in parallel.
    fn decode(
        &mut self,
        jobs: &[Job<'_>],
        options: &ImportOptions,
        textures: &[Texture],
        diagnostics: &mut Diagnostics,
    ) {
        let may_have_blocks = jobs.iter().any(|job| job.format == ImageFormat::Ktx2);
        let support = options.block_formats.as_ref().filter(|_| may_have_blocks);
        let support = support.map(|query| query.0()).unwrap_or_default();
        let progress = options.progress.as_deref();
        progress.inspect(|progress| progress.expect(jobs.len()));
        let mipmapped = textures.iter().filter(|texture| texture.sampler.mipmap.is_some());
        let mipmapped: HashSet<ImageIndex> = mipmapped.filter_map(|texture| texture.image).collect();
        let decode = |job: &Job<'_>| {
            let mut image = self.images.get(job.image).cloned().unwrap_or_default();
            let needs_mip_levels = mipmapped.contains(&ImageIndex(job.image as u32));
            let limits = &self.gltf_file.policy.limits;
            let result = image_codec::decode(&job.bytes, job.format, limits, &support, needs_mip_levels, &mut image);
            progress.inspect(|progress| progress.count_one());
            image.shrink(options.max_image_dimension.unwrap_or(u32::MAX));
            if options.images == ImageLoading::Verify {
                (image.rgba, image.mipmaps, image.compressed) = Default::default();
            }
            (job.image, result.map(|()| image))
        };
        let decoded: Vec<_> = match jobs {
            [job] => vec![decode(job)],
            jobs => jobs.par_iter().map(decode).collect(),
        };
        for (i, result) in decoded {
            let Some(image) = self.images.get_mut(i) else { continue };
            match result {
                Ok(decoded) => *image = decoded,
                Err(problem) => {
                    (image.width, image.height) = (0, 0);
                    self.report_undecodable(i, &problem.into(), true, DiagnosticKind::LeftOut, diagnostics);
                    self.set_broken(i);
                }
            }
        }
    }

    /// Gives duplicates their size, and replaces them in textures. Removes undecodable images from textures.
    fn merge_duplicates(&mut self, textures: &mut [Texture]) {
        for (i, &canonical) in self.canonical.iter().enumerate().filter(|(i, canonical)| i != *canonical) {
            if let Some((width, height)) = self.images.get(canonical).map(|image| (image.width, image.height))
                && let Some(image) = self.images.get_mut(i)
            {
                (image.width, image.height) = (width, height);
            }
        }
        for texture in textures {
            texture.image = texture.image.and_then(|image| {
                let canonical = self.canonical.get(image.get()).copied()?;
                (self.broken.get(canonical) == Some(&false)).then_some(ImageIndex(canonical as u32))
            });
        }
    }

    fn report_undecodable(
        &self,
        image: usize,
        problem: &Problem,
        is_used: bool,
        kind: DiagnosticKind,
        diagnostics: &mut Diagnostics,
    ) {
        let at = self.gltf_file.document.location("images", image);
        let replacement = if is_used { "; a checkerboard replaces it" } else { "" };
        diagnostics.add_problem(&at, problem, replacement, kind);
    }

    fn set_broken(&mut self, image: usize) {
        if let Some(broken) = self.broken.get_mut(image) {
            *broken = true;
        }
    }
}

/// Replaces undecodable images by their fallback. Returns the replaced images.
fn apply_image_fallbacks(
    gltf_file: &GltfFile,
    textures: &mut [Texture],
    diagnostics: &mut Diagnostics,
) -> HashSet<usize> {
    let mut replaced = HashSet::new();
    // Whether an image is decodable, once for all of its textures.
    let mut known: HashMap<ImageIndex, Result<(), Problem>> = HashMap::new();
    for (i, texture) in textures.iter_mut().enumerate() {
        let Ok(Some(fallback)) = texture_sources::fallback_image(&gltf_file.document, i) else { continue };
        let Some(other) = texture.image.filter(|image| *image != fallback) else { continue };
        let size = || {
            let found = gltf_file.encoded_image(other.get());
            found.and_then(|bytes| image_codec::size(&bytes, &gltf_file.policy.limits)).map(|_| ())
        };
        if let Err(problem) = known.entry(other).or_insert_with(size) {
            let at = gltf_file.document.location("images", other.get());
            let effect = format!("; image {} is shown instead", fallback.get());
            diagnostics.add_problem(&at, problem, effect, DiagnosticKind::Unsupported);
            texture.image = Some(fallback);
            replaced.insert(other.get());
        }
    }
    replaced
}

/// Returns the materials that primitives have without a material variant.
fn default_materials<'a>(
    gltf_file: &GltfFile,
    materials: &'a [Material],
) -> impl Iterator<Item = &'a Material> + use<'a> {
    let primitives = gltf_file.document.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let indices: BTreeSet<usize> = primitives.filter_map(|primitive| Some(primitive.material?.value())).collect();
    indices.into_iter().filter_map(|index| materials.get(index))
}

/// Returns per canonical image `true` if one of `materials` uses it or a duplicate.
fn used_images<'a>(
    canonical: &[usize],
    materials: impl IntoIterator<Item = &'a Material>,
    textures: &[Texture],
) -> Vec<bool> {
    let mut used = vec![false; canonical.len()];
    for texture in materials.into_iter().flat_map(|material| material.textures.iter()) {
        if let Some(image) = textures.get(texture.texture.get()).and_then(|texture| texture.image)
            && let Some(used) = canonical.get(image.get()).and_then(|&image| used.get_mut(image))
        {
            *used = true;
        }
    }
    used
}

/// The name of an image, else that of its file.
fn name(image: &gltf::json::Image) -> Option<String> {
    let file =
        image.uri.as_deref().filter(|uri| !super::uri::is_data(uri)).map(|uri| uri.rsplit('/').next().unwrap_or(uri));
    image.name.clone().or(file.map(str::to_owned))
}

/// Returns per image the first one with the same URI or buffer view.
fn canonical_images(gltf_file: &GltfFile) -> Vec<usize> {
    let mut first_of_key = HashMap::new();
    let mut canonical = Vec::with_capacity(gltf_file.document.images.len());
    for (i, image) in gltf_file.document.images.iter().enumerate() {
        let key = match (&image.uri, image.buffer_view) {
            (Some(uri), _) if !super::uri::is_data(uri) => (1, uri.as_str(), 0),
            (None, Some(view)) => (2, "", view.value()),
            _ => (3, "", i),
        };
        canonical.push(*first_of_key.entry(key).or_insert(i));
    }
    canonical
}
