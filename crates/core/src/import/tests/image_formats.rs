//! Image formats of extensions.

use super::surfaces::{encoded, textured};
use super::*;
use crate::model::{BlockFormat, Filter, Image, ImageIndex};
use std::sync::Arc;

/// An image written by the Basis Universal encoder.
macro_rules! ktx2 {
    ($name:literal) => {
        include_bytes!(concat!("../../../assets/", $name, ".ktx2"))
    };
}

/// Loads a file with this image for a GPU that supports `formats`.
fn load_for(bytes: &[u8], formats: &[BlockFormat], change: impl FnOnce(&mut File)) -> (Image, Vec<String>) {
    let support = SupportedBlockFormats { formats: formats.to_vec(), max_dimension: 4096 };
    let options = ImportOptions::default().with_block_formats(move || support.clone());
    let mut file = textured(bytes);
    change(&mut file);
    let loaded = from_bytes(file.glb(), None, &options).unwrap();
    let messages = loaded.diagnostics.iter().map(|notice| notice.message.clone()).collect();
    (Image::clone(&loaded.model.images[0]), messages)
}

/// The source image: red increases to the right, green downwards, blue is a checkerboard.
fn original(width: u32, height: u32, fades: bool) -> Vec<u8> {
    let gradient = |x: u32, max: u32| (255.0 * f64::from(x) / f64::from(max - 1)).round() as u8;
    let texel = |(x, y): (u32, u32)| {
        let opacity =
            if fades { (255.0 * (1.0 - f64::from(x) / f64::from(width - 1) * 0.8)).round() as u8 } else { 255 };
        [gradient(x, width), gradient(y, height), if ((x >> 3) + (y >> 3)) & 1 == 1 { 200 } else { 60 }, opacity]
    };
    (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).flat_map(texel).collect()
}

/// Returns the mean difference of the bytes of two images.
fn distance(a: &[u8], b: &[u8]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / a.len() as f64
}

#[test]
fn ktx2_decodes_to_texels_of_all_mip_levels() {
    for (bytes, size, fades, levels, max) in [
        (&ktx2!("etc1s")[..], (32, 24), false, 6, 8.0),
        (ktx2!("etc1s-alpha"), (32, 32), true, 6, 8.0),
        (ktx2!("uastc"), (32, 24), false, 6, 2.0),
        (ktx2!("uastc-zstd"), (32, 32), true, 6, 2.0),
        (ktx2!("uastc-one-level"), (32, 32), true, 1, 2.0),
    ] {
        let (image, messages) = load_for(bytes, &[], |_| {});
        assert_eq!(messages, [""; 0]);
        assert_eq!(((image.width, image.height), image.mipmaps.len() + 1), (size, levels));
        assert!(image.compressed.is_none());
        let found = distance(&image.rgba, &original(size.0, size.1, fades));
        assert!(found < max, "{size:?}, {fades}: {found}");
        let lengths: Vec<usize> = image.mipmaps.iter().map(Vec::len).collect();
        let halves = (1..levels).map(|level| ((size.0 >> level).max(1) * (size.1 >> level).max(1) * 4) as usize);
        assert_eq!(lengths, halves.collect::<Vec<_>>());
    }
}

#[test]
fn ktx2_with_a_huge_size_is_an_error() {
    // Found by fuzzing: the size in bytes overflows 64 bits.
    for (bytes, side, problem) in [
        (&ktx2!("uastc")[..], 0xFFFF_FFDC_u32, "it has 4294967260 x 4294967260 texels"),
        (ktx2!("uastc-zstd"), u32::MAX, "does not have the size in its header"),
    ] {
        let mut bytes = bytes.to_vec();
        for at in [20, 24] {
            bytes[at..at + 4].copy_from_slice(&side.to_le_bytes());
        }
        let (_, messages) = load_for(&bytes, &[], |_| {});
        assert!(messages.len() == 1 && messages[0].contains(problem), "{messages:?}");
    }
}

#[test]
fn ktx2_transcodes_to_supported_gpu_blocks() {
    use BlockFormat::{Astc4x4, Bc3, Bc7, Etc2};
    for (formats, of_etc1s, of_uastc) in
        [(&[Bc3, Etc2, Bc7, Astc4x4][..], Bc7, Bc7), (&[Bc3, Etc2, Astc4x4], Etc2, Astc4x4), (&[Bc3], Bc3, Bc3)]
    {
        for (bytes, expected) in [(&ktx2!("etc1s-alpha")[..], of_etc1s), (ktx2!("uastc-zstd"), of_uastc)] {
            let (image, _) = load_for(bytes, formats, |_| {});
            let blocks = image.compressed.unwrap();
            assert_eq!((blocks.format, image.rgba.len(), image.mipmaps.len()), (expected, 0, 0));
            let lengths: Vec<usize> = blocks.levels.iter().map(Vec::len).collect();
            assert_eq!(lengths, [1024, 256, 64, 16, 16, 16]);
        }
    }
    // Mip levels of blocks cannot be generated: without them the image decodes to texels, unless the sampler needs none.
    let (image, _) = load_for(ktx2!("uastc-one-level"), &[Bc7], |_| {});
    assert!(image.compressed.is_none() && image.rgba.len() == 4096);
    let (image, _) = load_for(ktx2!("uastc-one-level"), &[Bc7], |file| {
        file.set("/samplers", json!([{ "minFilter": 9729 }])).set("/textures/0/sampler", json!(0));
    });
    assert_eq!(image.compressed.unwrap().levels.len(), 1);
}

#[test]
fn corrupt_ktx2_is_reported_and_does_not_panic() {
    for (at, value, message) in [
        (20, 0, "0 x 32 texels"),
        (20, 1 << 20, "texels; rigview opens images up to 16384 a side"),
        (20, 16_384, "level 0 of the KTX2 image is broken"),
    ] {
        let mut bytes = ktx2!("uastc-one-level").to_vec();
        bytes[at..at + 4].copy_from_slice(&u32::to_le_bytes(value));
        textured(&bytes).notice(message);
    }
    for (at, value, message) in [
        (12, 37, "is not Basis Universal"),
        (20, 16_384, "level 0 of the KTX2 image does not have the size in its header"),
        (32, 2, "more than one image"),
        (36, 6, "more than one image"),
        (40, 7, "7 mip levels by its header, too many for 32 x 32"),
        (80, u32::MAX, "cut short"),
        (96, u32::MAX, "level 0 of the KTX2 image does not have the size in its header"),
    ] {
        let mut bytes = ktx2!("uastc-zstd").to_vec();
        bytes[at..at + 4].copy_from_slice(&u32::to_le_bytes(value));
        textured(&bytes).notice(message);
    }
    for bytes in [&ktx2!("etc1s-alpha")[..], ktx2!("uastc-zstd")] {
        for length in (0..bytes.len()).step_by(11) {
            textured(&bytes[..length]).load().unwrap();
        }
        for at in (12..bytes.len()).step_by(3) {
            let mut broken = bytes.to_vec();
            broken[at] ^= 1 << (at % 8);
            textured(&broken).load().unwrap();
        }
    }
}

#[test]
fn decoded_images_are_counted() {
    let progress = Arc::new(ImageProgress::default());
    let load = |file: &File, images| {
        let options = ImportOptions::default().with_images(images).with_progress(Arc::clone(&progress));
        from_bytes(file.glb(), None, &options).unwrap()
    };
    let encoded_image = encoded(image::ImageFormat::Png, image::DynamicImage::new_rgb8(40, 40));
    let mut file = textured(&encoded_image);
    load(&file, ImageLoading::SizesOnly);
    assert_eq!(progress.counts(), (0, 0), "nothing is decoded");
    load(&file, ImageLoading::Decode);
    assert_eq!(progress.counts(), (1, 1));
    let view = file.json["images"][0]["bufferView"].clone();
    file.set(&format!("/bufferViews/{view}/byteLength"), json!(encoded_image.len() - 30));
    assert_eq!(load(&file, ImageLoading::Decode).model.textures[0].image, None, "it is broken");
    assert_eq!(progress.counts(), (2, 2), "counts all files and undecodable images");
}

#[test]
fn webp_decodes() {
    let texels = original(16, 12, true);
    let encoded_image = image::DynamicImage::ImageRgba8(image::RgbaImage::from_raw(16, 12, texels.clone()).unwrap());
    let mut file = textured(&encoded(image::ImageFormat::WebP, encoded_image));
    file.set("/textures", json!([{ "extensions": { "EXT_texture_webp": { "source": 0 } } }]));
    let extensions = json!(["EXT_texture_webp"]);
    file.set("/extensionsUsed", extensions.clone()).set("/extensionsRequired", extensions);
    let (loaded, messages) = file.loaded();
    assert_eq!((messages, loaded.unsupported_required_extensions.len()), (Vec::new(), 0));
    assert_eq!(loaded.model.images[0].rgba, texels);
    assert_eq!(loaded.model.textures[0].sampler.minify, Filter::Linear);
}

#[test]
fn fallback_image_replaces_an_undecodable_one() {
    let plain = encoded(image::ImageFormat::Png, image::DynamicImage::ImageRgb8(image::RgbImage::new(4, 4)));
    let mut file = textured(&plain);
    let view = file.view(&ktx2!("etc1s")[..60]);
    file.set("/images/-", json!({ "bufferView": view, "mimeType": "image/ktx2" }));
    file.set("/textures", json!([{ "source": 0, "extensions": { "KHR_texture_basisu": { "source": 1 } } }]));
    file.set("/extensionsUsed", json!(["KHR_texture_basisu"]));
    let loaded = file.notice("image 1: the KTX2 image ends within its header; image 0 is shown instead");
    assert_eq!((loaded.model.textures[0].image, loaded.model.images[0].rgba.len()), (Some(ImageIndex(0)), 64));

    file.json["bufferViews"].as_array_mut().unwrap().pop();
    let view = file.view(ktx2!("etc1s"));
    file.set("/images/1", json!({ "bufferView": view, "mimeType": "image/ktx2" }));
    let (loaded, messages) = file.loaded();
    assert_eq!((messages.len(), loaded.model.textures[0].image), (0, Some(ImageIndex(1))));
    assert_eq!((loaded.model.images[0].rgba.len(), loaded.model.images[1].rgba.len()), (0, 32 * 24 * 4));
    file.set("/textures/0/extensions/KHR_texture_basisu/source", json!(2))
        .notice("image 2 does not exist, the file has 2; it is ignored");
}
