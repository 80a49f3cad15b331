//! Primitives, materials, textures, images and extensions.

use super::*;
use crate::model::{AlphaMode, Filter, ImageIndex, TextureSlot, Topology, Wrap};
use std::sync::Arc;

pub(super) fn encoded(format: image::ImageFormat, image: image::DynamicImage) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// The triangle with a material whose base color texture has these image bytes.
pub(super) fn textured(bytes: &[u8]) -> File {
    let mut file = File::triangle();
    let (view, uv) = (file.view(bytes), file.floats("VEC2", &[0.0; 6]));
    file.set("/meshes/0/primitives/0/attributes/TEXCOORD_0", json!(uv));
    file.set("/images", json!([{ "bufferView": view, "mimeType": "image/png", "name": "Skin" }]));
    file.set("/textures", json!([{ "source": 0 }]));
    file.set("/materials", json!([{ "name": "Fur", "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }]));
    file.set("/meshes/0/primitives/0/material", json!(0));
    file
}

#[test]
fn images_convert_to_rgba8() {
    use image::{DynamicImage, ImageFormat::Png};
    let gray = image::GrayImage::from_raw(1, 1, vec![100]).unwrap();
    let deep = image::ImageBuffer::<image::Rgb<u16>, _>::from_raw(1, 1, vec![65535, 0x8080, 128]).unwrap();
    let clear = image::RgbaImage::from_raw(1, 1, vec![1, 2, 3, 0]).unwrap();
    for (image, expected) in [
        (DynamicImage::ImageLuma8(gray), [100, 100, 100, 255]),
        (DynamicImage::ImageRgb16(deep), [255, 128, 0, 255]),
        (DynamicImage::ImageRgba8(clear), [1, 2, 3, 0]),
    ] {
        let (loaded, messages) = textured(&encoded(Png, image)).loaded();
        assert_eq!(messages, [""; 0]);
        assert_eq!(loaded.model.images[0].rgba, expected);
        assert_eq!(loaded.model.textures[0].image, Some(ImageIndex(0)));
        assert_eq!(loaded.gltf_file.image_bytes(0).unwrap().1, "image/png");
    }
    // 129 of 65535 is just above half of a step of 1/255.
    let deep = image::ImageBuffer::<image::Luma<u16>, _>::from_raw(2, 1, vec![128, 129]).unwrap();
    let loaded = textured(&encoded(Png, DynamicImage::ImageLuma16(deep))).load().unwrap();
    assert_eq!(loaded.model.images[0].rgba, [0, 0, 0, 255, 1, 1, 1, 255]);
}

#[test]
fn image_format_is_detected_from_the_bytes() {
    let image = image::DynamicImage::ImageRgb8(image::RgbImage::from_pixel(8, 8, image::Rgb([255, 255, 255])));
    let (loaded, messages) = textured(&encoded(image::ImageFormat::Jpeg, image)).loaded();
    assert_eq!((loaded.gltf_file.image_bytes(0).unwrap().1, messages.len()), ("image/jpeg", 0));
    assert_eq!(loaded.model.images[0].rgba[..4], [255; 4]);
}

/// A chunk of a PNG file.
fn png_chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let body = [&kind[..], data].concat();
    [&(data.len() as u32).to_be_bytes()[..], &body, &crc(&body).to_be_bytes()].concat()
}

#[test]
fn color_spaces_pixel_ratios_and_animations_of_images_are_ignored() {
    let rgba = |bytes: &[u8]| textured(bytes).loaded().0.model.images[0].rgba.clone();
    let image = |value: u8| {
        let image = image::RgbImage::from_pixel(8, 8, image::Rgb([value, 90, 30]));
        encoded(image::ImageFormat::Png, image::DynamicImage::ImageRgb8(image))
    };
    let (png, other) = (image(200), image(10));
    // Signature and IHDR are 33 bytes. The pixels of the other image are the second frame of the animation.
    let pixels = |png: &[u8]| {
        let at = 4 + png.windows(4).position(|kind| kind == b"IDAT").unwrap();
        let length = u32::from_be_bytes(png[at - 8..at - 4].try_into().unwrap()) as usize;
        png[at..at + length].to_vec()
    };
    let numbers = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_be_bytes()).collect::<Vec<u8>>();
    let frame = |sequence: u32| [numbers(&[sequence, 8, 8, 0, 0]), vec![0, 1, 0, 10, 0, 0]].concat();
    let wide = numbers(&[31270, 32900, 73470, 26530, 26500, 69000, 15000, 6000]);
    for chunks in [
        png_chunk(b"gAMA", &numbers(&[100_000])),
        png_chunk(b"cHRM", &wide),
        png_chunk(b"pHYs", &[0, 0, 0, 2, 0, 0, 0, 1, 0]),
        // A profile that is no profile, in an uncompressed zlib stream.
        png_chunk(b"iCCP", b"wide\0\0\x78\x01\x01\x04\0\xfb\xff....\x02\x94\0\xb9"),
        [png_chunk(b"acTL", &numbers(&[2, 0])), png_chunk(b"fcTL", &frame(0))].concat(),
    ] {
        let end = png.len() - 12;
        let second = [png_chunk(b"fcTL", &frame(1)), png_chunk(b"fdAT", &[numbers(&[2]), pixels(&other)].concat())];
        let is_animated = chunks.windows(4).any(|kind| kind == b"acTL");
        let second = if is_animated { second.concat() } else { Vec::new() };
        let bytes = [&png[..33], &chunks, &png[33..end], &second, &png[end..]].concat();
        assert_eq!(rgba(&bytes), rgba(&png), "{}", String::from_utf8_lossy(&chunks[4..8]));
    }
    let jpeg = image::DynamicImage::ImageRgb8(image::RgbImage::from_pixel(8, 8, image::Rgb([200, 90, 30])));
    let jpeg = encoded(image::ImageFormat::Jpeg, jpeg);
    let profile = b"\xff\xe2\0\x14ICC_PROFILE\0\x01\x01....";
    assert_eq!(rgba(&[&jpeg[..2], &profile[..], &jpeg[2..]].concat()), rgba(&jpeg));
}

#[test]
fn undecodable_images_are_removed_from_textures() {
    let image = image::DynamicImage::ImageRgb8(image::RgbImage::new(4, 4));
    let good = encoded(image::ImageFormat::Png, image);
    for bytes in
        [&good[..good.len() / 2], b"RIFF....WEBPVP8 ", b"\xabKTX 20\xbb\r\n\x1a\n", b"DDS ", b"nothing at all", b""]
    {
        let loaded = textured(bytes).notice("image 0 \"Skin\": ");
        assert_eq!(loaded.model.textures[0].image, None);
    }
    // A palette of four bytes makes the decoder panic; the panic must be caught.
    let palette = [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        png_chunk(b"IHDR", &[0, 0, 0, 1, 0, 0, 0, 1, 8, 3, 0, 0, 0]),
        png_chunk(b"PLTE", &[1, 2, 3, 4]),
        png_chunk(b"IDAT", &[0x78, 1, 1, 2, 0, 0xfd, 0xff, 0, 1, 0, 3, 0, 2]),
        png_chunk(b"IEND", &[]),
    ];
    textured(&palette.concat()).load().unwrap();
    let mut huge = good.clone();
    huge[16..20].copy_from_slice(&100_000u32.to_be_bytes());
    let crc = crc(&huge[12..29]).to_be_bytes();
    huge[29..33].copy_from_slice(&crc);
    textured(&huge).notice("100000 x 4 texels; rigview opens images up to 16384 a side");
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 })
    })
}

#[test]
fn image_loading_can_be_skipped() {
    let bytes = encoded(image::ImageFormat::Png, image::DynamicImage::ImageRgb8(image::RgbImage::new(4, 2)));
    let file = textured(&bytes);
    for (images, size, texels) in
        [(ImageLoading::Decode, (4, 2), 32), (ImageLoading::SizesOnly, (4, 2), 0), (ImageLoading::Skip, (0, 0), 0)]
    {
        let loaded = from_bytes(file.glb(), None, &ImportOptions::default().with_images(images)).unwrap();
        let image = &loaded.model.images[0];
        assert_eq!(((image.width, image.height), image.rgba.len()), (size, texels));
        assert_eq!(loaded.model.textures[0].image, Some(ImageIndex(0)));
    }
}

#[test]
fn duplicate_images_are_decoded_once() {
    let bytes = encoded(image::ImageFormat::Png, image::DynamicImage::ImageRgb8(image::RgbImage::new(4, 2)));
    let mut file = textured(&bytes);
    let view = file.json["images"][0]["bufferView"].clone();
    file.set("/images/-", json!({ "bufferView": view })).set("/textures/-", json!({ "source": 1 }));
    file.set("/materials/0/emissiveTexture", json!({ "index": 1 }));
    let model = file.load().unwrap().model;
    assert_eq!(model.textures[1].image, Some(ImageIndex(0)));
    assert_eq!((model.images[1].width, model.images[1].rgba.len()), (4, 0));
    // The first of them without a material.
    file.set("/materials/0", json!({ "emissiveTexture": { "index": 1 } }));
    assert_eq!(file.load().unwrap().model.images[0].rgba.len(), 32);
}

#[test]
fn images_of_variants_are_decoded_on_request() {
    let bytes = encoded(image::ImageFormat::Png, image::DynamicImage::ImageRgb8(image::RgbImage::new(4, 2)));
    let mut file = textured(&bytes);
    let view = file.view(&bytes);
    file.set("/images/-", json!({ "bufferView": view }));
    file.set("/textures/-", json!({ "source": 1 }));
    file.set("/materials/-", json!({ "emissiveTexture": { "index": 1 } }));
    file.set("/extensions", json!({ "KHR_materials_variants": { "variants": [{ "name": "night" }] } }));
    let mappings = json!([{ "material": 1, "variants": [0] }]);
    file.set("/meshes/0/primitives/0/material", json!(0));
    file.set("/meshes/0/primitives/0/extensions", json!({ "KHR_materials_variants": { "mappings": mappings } }));
    for (images, texels) in [(ImageLoading::Decode, 32), (ImageLoading::DecodeWithoutVariants, 0)] {
        let loaded = from_bytes(file.glb(), None, &ImportOptions::default().with_images(images)).unwrap();
        let images = &loaded.model.images;
        assert_eq!([images[0].rgba.len(), images[1].rgba.len()], [32, texels]);
        assert_eq!((images[1].width, images[1].height), (4, 2));
    }
}

#[test]
fn plain_materials_decode_no_images_of_details() {
    let bytes = encoded(image::ImageFormat::Png, image::DynamicImage::ImageRgb8(image::RgbImage::new(4, 2)));
    let mut file = textured(&bytes);
    let view = file.view(&bytes);
    file.set("/images/-", json!({ "bufferView": view }));
    file.set("/textures/-", json!({ "source": 1 }));
    file.set("/materials/0/normalTexture", json!({ "index": 1 }));
    let extensions = json!({
        "KHR_materials_clearcoat": { "clearcoatFactor": 1, "clearcoatTexture": { "index": 1 } },
        "KHR_materials_specular": { "specularColorTexture": { "index": 1 } },
        "KHR_materials_sheen": { "sheenColorFactor": [1, 0, 0] },
    });
    file.set("/materials/0/extensions", extensions);
    for (options, texels) in [(ImportOptions::default(), 32), (ImportOptions::default().with_plain_materials(), 0)] {
        let model = from_bytes(file.glb(), None, &options).unwrap().model;
        assert_eq!([model.images[0].rgba.len(), model.images[1].rgba.len()], [32, texels]);
        let material = &model.materials[0];
        let details = [material.clearcoat.is_some(), material.specular.is_some(), material.textures.iter().count() > 1];
        assert_eq!(details, [texels > 0; 3]);
        assert!(material.sheen.is_some() && material.textures[TextureSlot::BaseColor].is_some());
    }
}

#[test]
fn unused_images_in_other_formats_are_not_reported() {
    let mut file = textured(b"DDS ....");
    file.set("/materials", json!([{}])).load().unwrap();
    assert_eq!(file.loaded().1, [""; 0]);
    textured(b"DDS ....").notice("image 0 \"Skin\": DDS is not supported; in Blender, choose PNG or JPEG");
}

#[test]
fn primitives_share_vertices_of_the_same_accessors() {
    let mut file = File::triangle();
    let positions = file.floats("VEC3", &[0.5; 9000]);
    let target = json!([{ "POSITION": file.floats("VEC3", &[1.0; 9000]) }]);
    let shared = json!({ "attributes": { "POSITION": positions }, "targets": target });
    let primitives = vec![shared; 60].into_iter().chain([json!({ "attributes": { "POSITION": 0 }, "targets": [{}] })]);
    file.set("/meshes/0/primitives", primitives.collect());
    let limited = |limit, max| {
        let mut options = ImportOptions::default();
        options.policy.limits.set(limit, max);
        from_bytes(file.glb(), None, &options).map(|loaded| loaded.model)
    };
    // The limit counts shared data once; 60 copies have more than 32 times the size of the file.
    let model = limited(Limit::AccessorData, 0).unwrap();
    let [first, .., other] = model.meshes[0].primitives.as_slice() else { panic!("too few primitives") };
    let second = &model.meshes[0].primitives[1];
    assert!(Arc::ptr_eq(&first.vertices, &second.vertices) && Arc::ptr_eq(&first.targets, &second.targets));
    assert_eq!((first.vertices.positions.len(), other.vertices.positions.len()), (3000, 3));
    let error = limited(Limit::Vertices, 202_502).unwrap_err();
    assert_eq!(error.policy_change(), Some(PolicyChange::RaiseLimit { limit: Limit::Vertices, needed: 202_503 }));
}

#[test]
fn primitives_share_indices_of_the_same_accessor() {
    let mut file = File::triangle();
    let indices = file.accessor(&[0, 1, 2].repeat(3000), UNSIGNED_BYTE, "SCALAR", 9000);
    let shared = json!({ "attributes": { "POSITION": 0 }, "indices": indices });
    let strip = json!({ "attributes": { "POSITION": 0 }, "indices": indices, "mode": 5 });
    file.set("/meshes/0/primitives", vec![shared; 60].into_iter().chain([strip]).collect());
    let limited = |limit, max| {
        let mut options = ImportOptions::default();
        options.policy.limits.set(limit, max);
        from_bytes(file.glb(), None, &options).map(|loaded| loaded.model)
    };
    // The limit counts shared data once; 61 copies have more than 32 times the size of the file.
    let model = limited(Limit::AccessorData, 0).unwrap();
    let indices: Vec<_> = model.meshes[0].primitives.iter().map(|p| p.indices.clone().unwrap()).collect();
    assert!(Arc::ptr_eq(&indices[0], &indices[59]) && indices[60].len() == 9000);
    let error = limited(Limit::Vertices, 91_499).unwrap_err();
    assert_eq!(error.policy_change(), Some(PolicyChange::RaiseLimit { limit: Limit::Vertices, needed: 91_500 }));
}

#[test]
fn skins_of_different_sizes_share_no_vertices() {
    let mut file = File::skinned();
    let mesh = file.json["meshes"][0].clone();
    file.set("/meshes/-", mesh).set("/nodes/-", json!({ "mesh": 1, "skin": 1 }));
    file.set("/skins/-", json!({ "joints": [1] })).set("/scenes/0/nodes", json!([0, 1, 3]));
    // The second skin lacks the joint of the second vertex.
    let model = file.reported("vertex 1 follows joint 1 of its skin, which has 1").model;
    let [both, one] = [0, 1].map(|mesh| model.meshes[mesh].primitives[0].vertices.influences.is_some());
    assert_eq!((both, one), (true, false));
}

#[test]
fn textures_without_a_readable_image_report_the_extension() {
    let mut file = textured(&[]);
    file.set("/textures", json!([{ "extensions": { "MSFT_texture_dds": { "source": 0 } } }]));
    file.set("/images", json!([]));
    file.set("/extensionsUsed", json!(["MSFT_texture_dds"])).set("/extensionsRequired", json!(["MSFT_texture_dds"]));
    let (loaded, messages) = file.loaded();
    assert_eq!(loaded.unsupported_required_extensions, ["MSFT_texture_dds"]);
    assert!(
        messages[0] == "MSFT_texture_dds is not supported" && messages[1].contains("texture 0: its image is DDS only")
    );
}

#[test]
fn material_properties_are_read() {
    let mut file =
        textured(&encoded(image::ImageFormat::Png, image::DynamicImage::ImageRgb8(image::RgbImage::new(1, 1))));
    file.set(
        "/materials/0",
        json!({
            "pbrMetallicRoughness": {
                "baseColorFactor": [1, 0.5, 0.25, 0.75],
                "baseColorTexture": { "index": 0, "texCoord": 3, "extensions": {
                    "KHR_texture_transform": { "offset": [0.5, 0], "rotation": 1.5, "scale": [2, 2], "texCoord": 0 } } },
                "metallicFactor": 0, "roughnessFactor": 0.5,
            },
            "normalTexture": { "index": 0, "scale": 0.5, "extensions": { "KHR_texture_transform": { "scale": [3, 3] } } },
            "occlusionTexture": { "index": 0, "strength": 0.25 },
            "emissiveFactor": [1, 0, 0.5], "alphaMode": "MASK", "doubleSided": true,
            "extensions": { "KHR_materials_unlit": {}, "KHR_materials_emissive_strength": { "emissiveStrength": 4.0 } },
        }),
    );
    file.set("/samplers", json!([{ "magFilter": 9728, "minFilter": 9985, "wrapS": 33071, "wrapT": 33648 }]));
    file.set("/textures/0/sampler", json!(0));
    let (loaded, messages) = file.loaded();
    assert_eq!(messages, [""; 0]);
    let material = &loaded.model.materials[0];
    assert_eq!((material.base_color, material.metallic, material.roughness), ([1.0, 0.5, 0.25, 0.75], 0.0, 0.5));
    let base = material.textures[TextureSlot::BaseColor].unwrap();
    assert_eq!((base.tex_coord, base.transform.offset, base.transform.rotation), (0, [0.5, 0.0], 1.5));
    assert_eq!(material.textures[TextureSlot::Normal].unwrap().transform.scale, [3.0, 3.0]);
    assert_eq!((material.normal_scale, material.occlusion_strength), (0.5, 0.25));
    assert_eq!((material.emitted(), material.unlit, material.double_sided), ([4.0, 0.0, 2.0], true, true));
    assert_eq!(material.alpha_mode, AlphaMode::Mask { cutoff: 0.5 });
    let sampler = loaded.model.textures[0].sampler;
    assert_eq!(
        (sampler.magnify, sampler.minify, sampler.mipmap),
        (Filter::Nearest, Filter::Linear, Some(Filter::Nearest))
    );
    assert_eq!((sampler.wrap_u, sampler.wrap_v), (Wrap::ClampToEdge, Wrap::MirroredRepeat));

    file.set("/materials/0/normalTexture/index", json!(4))
        .reported("material 0, normalTexture: texture 4 does not exist");
    file.set("/materials/0", json!({ "alphaMode": "DITHER" })).notice("alphaMode: the value is not defined in glTF");
    file.set("/materials/0", json!({ "normalTexture": { "index": 0, "texCoord": 1 } })).notice("needs TEXCOORD_1");
    file.set("/meshes/0/primitives/0/material", json!(4)).reported("material 4 does not exist, the file has 1");
    file.set("/textures/0/source", json!(4)).reported("texture 0: image 4 does not exist, the file has 1");
}

#[test]
fn unsupported_attributes_are_reported() {
    let mut file = File::triangle();
    let colors = file.accessor(&[0; 12], UNSIGNED_BYTE, "VEC4", 3);
    file.set(&format!("/accessors/{colors}/normalized"), json!(true));
    file.set("/meshes/0/primitives/0/attributes/_TEMPERATURE", json!(colors));
    assert_eq!(file.loaded().1, [""; 0]);
    file.set("/meshes/0/primitives/0/attributes/COLOR_0", json!(colors));
    file.set("/meshes/0/primitives/0/attributes/COLOR_1", json!(colors))
        .notice("its attribute \"COLOR_1\" is not supported");
    let uv = file.accessor(&[0; 12], UNSIGNED_SHORT, "VEC2", 3);
    file.set("/meshes/0/primitives/0/attributes/TEXCOORD_0", json!(uv))
        .reported("TEXCOORD_0: accessor 2 holds VEC2 of UNSIGNED_SHORT");
}

#[test]
fn quantized_vertices_need_the_extension() {
    let mut file = File::triangle();
    file.set("/accessors/0/componentType", json!(SHORT));
    file.refused("VEC3 of FLOAT (integers need KHR_mesh_quantization) is needed");
}

#[test]
fn indices_are_checked_and_incomplete_primitives_dropped() {
    let with = |bytes: &[u8], component: u32, mode: u32| {
        let mut file = File::triangle();
        let indices =
            file.accessor(bytes, component, "SCALAR", bytes.len() / if component == UNSIGNED_BYTE { 1 } else { 2 });
        file.set("/meshes/0/primitives/0/indices", json!(indices)).set("/meshes/0/primitives/0/mode", json!(mode));
        file
    };
    let (loaded, messages) = with(&[0, 1, 2], UNSIGNED_BYTE, 4).loaded();
    assert_eq!((primitive(&loaded).indices.as_deref(), messages.len()), (Some(&[0, 1, 2][..]), 0));
    let loaded =
        with(&[0, 1, 2, 0, 1], UNSIGNED_BYTE, 4).notice("5 vertices are not a multiple of 3; the last two are not");
    assert_eq!(primitive(&loaded).indices.as_deref(), Some(&[0, 1, 2][..]));
    let loaded = with(&[0, 1, 2], UNSIGNED_BYTE, 1).notice("the last one is not drawn");
    assert_eq!((primitive(&loaded).topology, primitive(&loaded).indices.as_ref().unwrap().len()), (Topology::Lines, 2));
    assert!(with(&[0, 1], UNSIGNED_BYTE, 4).notice("too few for").model.meshes[0].primitives.is_empty());
    with(&[0, 1, 3], UNSIGNED_BYTE, 4).refused("primitive 0, indices: index 2 is 3, but there are 3 vertices");
    with(&[0, 1, 255], UNSIGNED_BYTE, 4).refused("index 2 is 255, which glTF reserves for primitive restart");
    with(&[0, 0, 255, 255], UNSIGNED_SHORT, 0).refused("index 1 is 65535, which glTF reserves for primitive restart");
    with(&[0, 1, 2], UNSIGNED_BYTE, 9).refused("primitive 0, mode: it must be from 0 to 6");
    for mode in 0..7 {
        with(&[0, 1, 2], UNSIGNED_BYTE, mode).load().unwrap();
    }
}

#[test]
fn invalid_vertices_are_left_out_or_repaired() {
    let mut file = File::triangle();
    let normals = file.floats("VEC3", &[0.0; 6]);
    file.set("/meshes/0/primitives/0/attributes/NORMAL", json!(normals)).reported("NORMAL has 2 items, POSITION 3");
    let normals = file.floats("VEC3", &[0.0, 0.0, 0.0, f32::NAN, 1.0, 0.0, 0.0, 0.0, 1.0]);
    file.set("/meshes/0/primitives/0/attributes/NORMAL", json!(normals));
    let (loaded, messages) = file.loaded();
    assert_eq!(primitive(&loaded).vertices.normals.as_ref().unwrap()[..2], [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
    assert!(messages[0].contains("not finite") && messages[1].contains("length 0") && messages.len() == 2);
    let mut file = File::triangle();
    let positions = file.floats("VEC3", &[0.0, 0.0, 0.0, 0.0, f32::NAN, 0.0, 0.0, 0.0, 1.0]);
    file.set("/meshes/0/primitives/0/attributes/POSITION", json!(positions));
    file.refused("mesh 0 \"Body\", primitive 0: the position of vertex 1 is not finite");
    file.set("/meshes/0/primitives/0/attributes", json!({})).notice("it has no POSITION and is not drawn");
    let mut file = File::triangle();
    file.set("/accessors/0/type", json!("VEC2")).refused("POSITION: accessor 0 holds VEC2 of FLOAT, VEC3 of FLOAT");
}

#[test]
fn tangents_without_normals_are_ignored() {
    let mut file = File::triangle();
    let (normals, tangents) = (file.floats("VEC3", &[0.0, 0.0, 1.0].repeat(3)), file.floats("VEC4", &[1.0; 12]));
    file.set("/meshes/0/primitives/0/attributes/TANGENT", json!(tangents));
    assert_eq!(primitive(&file.load().unwrap()).vertices.tangents, None);
    file.set("/meshes/0/primitives/0/attributes/NORMAL", json!(normals));
    assert_eq!(primitive(&file.load().unwrap()).vertices.tangents, Some(vec![[1.0; 4]; 3]));
}

#[test]
fn colors_are_clamped() {
    let mut file = File::triangle();
    let colors = file.floats("VEC4", &[1.5, 0.5, -0.25, 2.0].repeat(3));
    file.set("/meshes/0/primitives/0/attributes/COLOR_0", json!(colors));
    assert_eq!(primitive(&file.load().unwrap()).vertices.colors, Some(vec![[1.0, 0.5, 0.0, 1.0]; 3]));
}

#[test]
fn textures_without_a_sampler_repeat_and_primitives_without_a_material_have_none() {
    let png = encoded(image::ImageFormat::Png, image::DynamicImage::ImageRgb8(image::RgbImage::new(1, 1)));
    let mut file = textured(&png);
    file.set("/meshes/0/primitives/-", json!({ "attributes": { "POSITION": 0 } }));
    let model = file.load().unwrap().model;
    let sampler = model.textures[0].sampler;
    assert_eq!((sampler.wrap_u, sampler.wrap_v), (Wrap::Repeat, Wrap::Repeat));
    let materials: Vec<_> = model.meshes[0].primitives.iter().map(|primitive| primitive.material).collect();
    assert_eq!(materials, [Some(crate::model::MaterialIndex(0)), None]);
}

#[test]
fn morph_targets_without_data_are_zero() {
    let mut file = File::triangle();
    file.set("/accessors/-", json!({ "componentType": FLOAT, "type": "VEC3", "count": 3 }));
    file.set("/meshes/0/primitives/0/targets", json!([{ "POSITION": 1, "NORMAL": 1, "TEXCOORD_0": 1 }]));
    let loaded = file.notice("morph targets of TEXCOORD_0 are not supported");
    assert!(primitive(&loaded).targets[0].positions.is_none());
    file.set("/accessors/1/count", json!(4)).reported("POSITION of morph target 0 has 4 items, POSITION 3");
}

#[cfg(feature = "draco")]
#[test]
fn corrupt_compressed_data_is_an_error() {
    let mut file = File::triangle();
    let (view, indices) =
        (file.view(b"DRACO\x02\x02\x01\x01\0\0"), file.accessor(&[0, 1, 2], UNSIGNED_BYTE, "SCALAR", 3));
    let draco = json!({ "bufferView": view, "attributes": { "POSITION": 0 } });
    file.set("/meshes/0/primitives/0/extensions", json!({ "KHR_draco_mesh_compression": draco }));
    // The accessors have data without compression, too.
    file.reported("primitive 0: its KHR_draco_mesh_compression cannot be read: the primitive has no indices");
    file.set("/meshes/0/primitives/0/indices", json!(indices));
    file.reported("mesh 0 \"Body\", primitive 0: its KHR_draco_mesh_compression cannot be read: ");
    file.set("/accessors/0/count", json!(1_u64 << 40)).set("/accessors/0/bufferView", Value::Null);
    file.refused("bytes of all decompressed meshes: 13194139533315 is more than the 1073741824 that rigview opens");
    file.set("/accessors/0/count", json!(3));
    file.set("/meshes/0/primitives/0/mode", json!(0)).refused("its mode is neither TRIANGLES nor TRIANGLE_STRIP");
    let pointer = "/meshes/0/primitives/0/extensions/KHR_draco_mesh_compression/bufferView";
    file.set(pointer, json!(77)).refused("its buffer view has no data");
}

#[test]
fn extensions_are_reported_once() {
    let mut file = File::triangle();
    file.set(
        "/extensionsUsed",
        json!(["KHR_materials_subsurface", "KHR_materials_unlit", "ACME_thing\u{7}", "KHR_materials_subsurface"]),
    );
    file.set("/extensionsRequired", json!(["KHR_materials_subsurface", "KHR_lights_punctual"]));
    let (loaded, messages) = file.loaded();
    assert_eq!(loaded.unsupported_required_extensions, ["KHR_materials_subsurface"]);
    let unknown = "the extension \"ACME_thing\\u{7}\" is unknown and is ignored";
    assert_eq!(messages, ["KHR_materials_subsurface is not supported", unknown]);
    assert_eq!(loaded.diagnostics[1].pointer, "/extensionsUsed/2");
}

#[test]
fn extensions_that_are_not_shown_are_reported_and_may_be_required() {
    let mut file = File::triangle();
    let names = json!(["KHR_gaussian_splatting", "KHR_interactivity", "KHR_node_selectability", "VRMC_vrm"]);
    file.set("/extensionsUsed", names.clone()).set("/extensionsRequired", names);
    file.set("/meshes/0/primitives/0/mode", json!(0));
    let splats = json!({ "KHR_gaussian_splatting": { "kernel": "ellipse", "colorSpace": "srgb_rec709_display" } });
    file.set("/meshes/0/primitives/0/extensions", splats);
    file.set("/meshes/0/primitives/0/attributes/KHR_gaussian_splatting:SCALE", json!(0));
    let (imported, messages) = file.loaded();
    assert_eq!(imported.model.meshes[0].primitives[0].topology, Topology::Points);
    assert_eq!((messages.len(), imported.unsupported_required_extensions.len()), (3, 0), "{messages:?}");
    for (message, part) in messages.iter().zip(["are drawn as points", "behavior", "first-person"]) {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn properties_of_the_draft_of_gltf_2_1_are_reported_once_each() {
    let mut file = File::triangle();
    file.set("/externalAssets", json!(vec![json!({ "file": 0 }); 10])).set("/shapes", json!([]));
    file.set("/files", json!([{ "uri": "tree.glb", "mimeType": "model/gltf-binary" }]));
    let message = |name: &str| format!("{name} (draft of glTF 2.1) are not supported; nothing of them is shown");
    assert_eq!(file.loaded().1, ["externalAssets", "files"].map(message));
}

#[test]
fn pointers_of_git_lfs_are_named() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 36\n";
    let error = read_panorama(pointer, &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("run git lfs pull"), "{error}");
    let mut file = File::triangle();
    let view = file.view(pointer);
    file.set("/images", json!([{ "bufferView": view, "mimeType": "image/png" }]));
    file.set("/textures", json!([{ "source": 0 }]));
    file.set("/materials", json!([{ "emissiveTexture": { "index": 0 } }]));
    file.set("/meshes/0/primitives/0/material", json!(0));
    let (_, messages) = file.loaded();
    let expected = "image 0: it is a pointer of Git LFS; run git lfs pull; a checkerboard replaces it";
    assert_eq!(messages.last().unwrap(), expected);
}

#[test]
fn models_of_alpha_0_are_reported() {
    let with_alpha = |mode: &str, alpha: f64| {
        let mut file = File::triangle();
        let color = json!({ "baseColorFactor": [1, 1, 1, alpha] });
        file.set("/materials", json!([{ "alphaMode": mode, "pbrMetallicRoughness": color }]));
        file.set("/meshes/0/primitives/0/material", json!(0));
        file
    };
    let (_, messages) = with_alpha("BLEND", 0.0).loaded();
    assert!(messages.len() == 1 && messages[0].starts_with("every surface has alpha 0"), "{messages:?}");
    let mut colored = with_alpha("BLEND", 1.0);
    let colors = colored.floats("VEC4", &[1.0, 1.0, 1.0, 0.0].repeat(3));
    let (_, messages) = colored.set("/meshes/0/primitives/0/attributes/COLOR_0", json!(colors)).loaded();
    assert!(messages.len() == 1 && messages[0].starts_with("every surface has alpha 0"), "{messages:?}");
    let mut other = with_alpha("BLEND", 0.0);
    other.set("/meshes/0/primitives/-", json!({ "attributes": { "POSITION": 0 } }));
    for file in [with_alpha("BLEND", 0.1), with_alpha("OPAQUE", 0.0), other] {
        assert_eq!(file.loaded().1, [""; 0]);
    }
}
