//! Material extensions.

use super::*;
use crate::model::{Material, TextureIndex, TextureSlot, VariantIndex};

/// The triangle with one texture and a material with these extensions.
fn with(extensions: Value) -> File {
    let mut file = File::triangle();
    let uv = file.floats("VEC2", &[0.0; 6]);
    let image_data = image::DynamicImage::ImageRgb8(image::RgbImage::new(1, 1));
    let mut bytes = std::io::Cursor::new(Vec::new());
    image_data.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    let view = file.view(&bytes.into_inner());
    file.set("/meshes/0/primitives/0/attributes/TEXCOORD_0", json!(uv));
    file.set("/images", json!([{ "bufferView": view, "mimeType": "image/png" }]));
    file.set("/textures", json!([{ "source": 0 }]));
    file.set("/materials", json!([{ "name": "Glaze", "extensions": extensions }]));
    file.set("/meshes/0/primitives/0/material", json!(0));
    file
}

fn material(extensions: Value) -> (Material, Vec<String>) {
    let (loaded, messages) = with(extensions).loaded();
    (loaded.model.materials[0].clone(), messages)
}

#[test]
fn all_properties_and_textures_are_read() {
    let texture = json!({ "index": 0 });
    let (material, messages) = material(json!({
        "KHR_materials_ior": { "ior": 1.25 },
        "KHR_materials_specular": { "specularFactor": 0.5, "specularTexture": texture,
            "specularColorFactor": [2, 0.5, 0], "specularColorTexture": texture },
        "KHR_materials_clearcoat": { "clearcoatFactor": 0.75, "clearcoatTexture": texture,
            "clearcoatRoughnessFactor": 0.25, "clearcoatRoughnessTexture": texture,
            "clearcoatNormalTexture": { "index": 0, "scale": 0.5,
                "extensions": { "KHR_texture_transform": { "scale": [4, 4] } } } },
        "KHR_materials_sheen": { "sheenColorFactor": [1, 0.5, 0.25], "sheenColorTexture": texture,
            "sheenRoughnessFactor": 0.3, "sheenRoughnessTexture": texture },
        "KHR_materials_anisotropy": { "anisotropyStrength": 0.6, "anisotropyRotation": -7.5, "anisotropyTexture": texture },
        "KHR_materials_iridescence": { "iridescenceFactor": 0.9, "iridescenceTexture": texture, "iridescenceIor": 1.8,
            "iridescenceThicknessMinimum": 500, "iridescenceThicknessMaximum": 200, "iridescenceThicknessTexture": texture },
        "KHR_materials_transmission": { "transmissionFactor": 0.8, "transmissionTexture": texture },
        "KHR_materials_volume": { "thicknessFactor": 2, "thicknessTexture": texture, "attenuationColor": [0, 0.5, 1],
            "attenuationDistance": 3 },
        "KHR_materials_dispersion": { "dispersion": 0.4 },
        "KHR_materials_diffuse_transmission": { "diffuseTransmissionFactor": 0.2, "diffuseTransmissionTexture": texture,
            "diffuseTransmissionColorFactor": [0.1, 0.2, 0.3], "diffuseTransmissionColorTexture": texture },
    }));
    let [message] = &messages[..] else { panic!("{messages:?}") };
    assert!(message.contains("it has 14 textures"), "{message}");
    assert_eq!((material.ior, material.dispersion), (1.25, 0.4));
    let specular = material.specular.as_ref().unwrap();
    assert_eq!((specular.factor, specular.color), (0.5, [2.0, 0.5, 0.0]));
    let coat = material.clearcoat.as_ref().unwrap();
    assert_eq!((coat.factor, coat.roughness, coat.normal_scale), (0.75, 0.25, 0.5));
    assert_eq!(material.textures[TextureSlot::ClearcoatNormal].unwrap().transform.scale, [4.0, 4.0]);
    let sheen = material.sheen.as_ref().unwrap();
    assert_eq!((sheen.color, sheen.roughness), ([1.0, 0.5, 0.25], 0.3));
    let anisotropy = material.anisotropy.as_ref().unwrap();
    assert_eq!((anisotropy.strength, anisotropy.rotation), (0.6, -7.5));
    let film = material.iridescence.as_ref().unwrap();
    assert_eq!((film.factor, film.ior, film.thickness), (0.9, 1.8, [500.0, 200.0]));
    assert_eq!(material.transmission.as_ref().unwrap().factor, 0.8);
    let volume = material.volume.as_ref().unwrap();
    assert_eq!((volume.thickness, volume.attenuation_distance), (2.0, 3.0));
    assert_eq!(volume.attenuation_color, [0.0, 0.5, 1.0]);
    let diffuse = material.diffuse_transmission.as_ref().unwrap();
    assert_eq!((diffuse.factor, diffuse.color), (0.2, [0.1, 0.2, 0.3]));
    assert_eq!(material.textures.iter().filter(|texture| texture.texture == TextureIndex(0)).count(), 14);
}

#[test]
fn empty_extension_has_default_values() {
    let (material, messages) = material(json!({
        "KHR_materials_ior": {}, "KHR_materials_specular": {}, "KHR_materials_clearcoat": {}, "KHR_materials_sheen": {},
        "KHR_materials_anisotropy": {}, "KHR_materials_iridescence": {}, "KHR_materials_transmission": {},
        "KHR_materials_volume": {}, "KHR_materials_dispersion": {}, "KHR_materials_diffuse_transmission": {},
    }));
    assert_eq!(messages, [""; 0]);
    assert_eq!((material.ior, material.dispersion), (1.5, 0.0));
    let specular = material.specular.unwrap();
    assert_eq!((specular.factor, specular.color), (1.0, [1.0; 3]));
    assert_eq!(material.clearcoat.unwrap().factor, 0.0);
    assert_eq!(material.sheen.unwrap().color, [0.0; 3]);
    let film = material.iridescence.unwrap();
    assert_eq!((film.factor, film.ior, film.thickness), (0.0, 1.3, [100.0, 400.0]));
    let volume = material.volume.unwrap();
    assert_eq!((volume.thickness, volume.attenuation_color), (0.0, [1.0; 3]));
    assert_eq!(volume.attenuation_distance, f32::INFINITY);
    assert_eq!(material.diffuse_transmission.unwrap().color, [1.0; 3]);
}

#[test]
fn specular_glossiness_converts_to_base_color_and_roughness() {
    let (material, messages) = material(json!({
        "KHR_materials_pbrSpecularGlossiness": { "diffuseFactor": [0.5, 0.25, 1, 0.75], "diffuseTexture": { "index": 0 },
            "specularFactor": [0.2, 0.3, 0.4], "glossinessFactor": 0.25, "specularGlossinessTexture": { "index": 0 } },
        "KHR_materials_clearcoat": { "clearcoatFactor": 1 },
    }));
    assert_eq!(messages, [""; 0]);
    assert_eq!((material.base_color, material.metallic, material.roughness), ([0.5, 0.25, 1.0, 0.75], 0.0, 0.75));
    assert!(material.textures[TextureSlot::BaseColor].is_some() && material.clearcoat.is_none());
    assert_eq!(material.specular_glossiness.unwrap().specular, [0.2, 0.3, 0.4]);
}

#[test]
fn invalid_values_are_reported_and_replaced() {
    let (material, messages) = material(json!({
        "KHR_materials_ior": { "ior": 0.5 },
        "KHR_materials_clearcoat": { "clearcoatFactor": 7, "clearcoatRoughnessFactor": "rough" },
        "KHR_materials_sheen": { "sheenColorFactor": [1, 2, -3], "sheenRoughnessFactor": null },
        "KHR_materials_specular": { "specularColorFactor": [1, 2] },
        "KHR_materials_volume": { "attenuationDistance": 0, "attenuationColor": "red", "thicknessFactor": 1e39 },
        "KHR_materials_dispersion": { "dispersion": 1e300 },
        "KHR_materials_iridescence": 7,
        "KHR_materials_transmission": { "transmissionFactor": [0.5] },
    }));
    assert_eq!((material.ior, material.dispersion), (1.0, 0.0));
    let coat = material.clearcoat.unwrap();
    assert_eq!((coat.factor, coat.roughness), (1.0, 0.0));
    assert_eq!(material.sheen.unwrap().color, [1.0, 1.0, 0.0]);
    assert_eq!(material.specular.unwrap().color, [1.0; 3]);
    let volume = material.volume.unwrap();
    assert_eq!((volume.thickness, volume.attenuation_color), (0.0, [1.0; 3]));
    assert!(volume.attenuation_distance > 0.0 && material.iridescence.is_none());
    assert_eq!(material.transmission.unwrap().factor, 0.0);
    let expected = "material 0 \"Glaze\", KHR_materials_clearcoat, clearcoatFactor: 7 is out of range; using 1";
    assert!(messages.iter().any(|message| message == expected), "{messages:#?}");
    assert_eq!(messages.len(), 12, "{messages:#?}");
    with(json!({ "KHR_materials_sheen": { "sheenColorTexture": { "index": 5 } } })).notice("texture 5 does not exist");
}

#[test]
fn unlit_material_ignores_extensions_that_need_light() {
    let (material, messages) =
        material(json!({ "KHR_materials_unlit": {}, "KHR_materials_clearcoat": { "clearcoatFactor": 1 } }));
    assert_eq!(messages, [""; 0]);
    assert!(material.unlit && material.clearcoat.is_none());
}

#[test]
fn primitive_has_the_material_of_its_variant() {
    let mut file = with(json!({}));
    file.set("/materials/-", json!({ "name": "Other" }));
    file.set(
        "/extensions",
        json!({ "KHR_materials_variants": { "variants": [{ "name": "day" }, {}, { "name": "dusk" }] } }),
    );
    file.set(
        "/meshes/0/primitives/0/extensions",
        json!({ "KHR_materials_variants": { "mappings": [{ "material": 1, "variants": [2, 0] }] } }),
    );
    let (loaded, messages) = file.loaded();
    assert_eq!(messages.len(), 1);
    assert!(messages[0].contains("variants, 1: name is missing"), "{messages:?}");
    let mut model = loaded.model;
    assert_eq!(model.variants, [Some("day".to_owned()), None, Some("dusk".to_owned())]);
    for (variant, expected) in [(Some(1), 0), (Some(2), 1), (Some(1), 0), (Some(0), 1), (None, 0)] {
        model.set_variant(variant.map(VariantIndex)).unwrap();
        assert_eq!(model.meshes[0].primitives[0].material.unwrap().get(), expected, "{variant:?}");
    }
    let error = model.set_variant(Some(VariantIndex(3))).unwrap_err().to_string();
    assert_eq!(error, "there is no material variant 3, the model has 3");
    // A mapping to a missing material is ignored and reported.
    for mapping in [json!({ "material": 9, "variants": [0] }), json!({ "material": 1, "variants": [3] }), json!(7)] {
        file.set("/meshes/0/primitives/0/extensions/KHR_materials_variants/mappings", json!([mapping]));
        let loaded = file.reported("variant mapping 0: ");
        assert!(loaded.model.meshes[0].primitives[0].variant_materials.is_empty());
    }
}
