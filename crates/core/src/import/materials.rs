//! Materials, textures and samplers of the file.

use super::diagnostics::Diagnostics;
use super::error::ImportError;
use super::json::GltfJson;
use super::material_extensions;
use super::texture_refs::{finite, texture_ref};
use crate::model::{AlphaMode, Filter, Material, Sampler, Texture, TextureSlot, Wrap};
use gltf::json;
use json::material::AlphaMode as JsonAlphaMode;
use json::texture::{MagFilter, MinFilter, WrappingMode};
use json::validation::Checked;
use serde_json::Value;

pub(super) fn read(document: &GltfJson, diagnostics: &mut Diagnostics) -> Result<Vec<Material>, ImportError> {
    let mut materials = Vec::with_capacity(document.material_count);
    for i in 0..document.material_count {
        materials.push(read_material(document, i, diagnostics)?);
    }
    Ok(materials)
}

fn read_material(document: &GltfJson, i: usize, diagnostics: &mut Diagnostics) -> Result<Material, ImportError> {
    let at = document.location("materials", i);
    let value = document.element("materials", i);
    let json = if document.is_invalid("materials", i) { None } else { Some(document.material(i)) };
    let json = json.map(|json| diagnostics.or_leave_out(json, "the default material replaces it")).transpose()?;
    let Some(json) = json.flatten() else { return Ok(Material::default()) };
    let pbr = &json.pbr_metallic_roughness;
    let pbr_value = value.get("pbrMetallicRoughness").unwrap_or(&Value::Null);
    let extensions = value.get("extensions").unwrap_or(&Value::Null);
    let alpha_mode = match json.alpha_mode {
        Checked::Valid(JsonAlphaMode::Opaque) => AlphaMode::Opaque,
        Checked::Valid(JsonAlphaMode::Mask) => {
            AlphaMode::Mask { cutoff: finite(json.alpha_cutoff.map_or(0.5, |cutoff| cutoff.0), 0.5) }
        }
        Checked::Valid(JsonAlphaMode::Blend) => AlphaMode::Blend,
        Checked::Invalid => {
            diagnostics.add(
                &at.child("alphaMode", "alphaMode"),
                "the value is not defined in glTF; the material is drawn opaque",
            );
            AlphaMode::Opaque
        }
    };
    let mut material = Material {
        name: json.name.clone(),
        base_color: pbr.base_color_factor.0.map(|x| finite(x, 1.0)),
        metallic: finite(pbr.metallic_factor.0, 1.0),
        roughness: finite(pbr.roughness_factor.0, 1.0),
        normal_scale: finite(json.normal_texture.as_ref().map_or(1.0, |normal| normal.scale), 1.0),
        occlusion_strength: finite(json.occlusion_texture.as_ref().map_or(1.0, |occlusion| occlusion.strength.0), 1.0),
        emissive: json.emissive_factor.0.map(|x| finite(x, 0.0)),
        alpha_mode,
        double_sided: json.double_sided,
        unlit: extensions.get("KHR_materials_unlit").is_some(),
        ..Material::default()
    };
    for (slot, parent, key) in [
        (TextureSlot::BaseColor, pbr_value, "baseColorTexture"),
        (TextureSlot::MetallicRoughness, pbr_value, "metallicRoughnessTexture"),
        (TextureSlot::Normal, value, "normalTexture"),
        (TextureSlot::Occlusion, value, "occlusionTexture"),
        (TextureSlot::Emissive, value, "emissiveTexture"),
    ] {
        material.textures[slot] = texture_ref(document, parent, key, &at, diagnostics)?;
    }
    material_extensions::read(document, value, &at, &mut material, diagnostics)?;
    let (textures, max) = (material.textures.iter().count(), Material::MAX_TEXTURES);
    if textures > max && !material.unlit {
        let text = format!("it has {textures} textures, of which GPUs are certain to support {max}");
        diagnostics.add(&at, format!("{text}; missing ones may be visible; bake some of them into fewer textures"));
    } else if let Some(effects) = effects_without_texture_unit(textures).filter(|_| !material.unlit) {
        let text = format!("it has {textures} textures, so that no texture unit is left for {effects}");
        diagnostics.add(&at, format!("{text}; bake some of them into fewer textures"));
    }
    Ok(material)
}

/// Returns the effects that a material with so many textures is drawn without, since each of them reads another texture.
fn effects_without_texture_unit(textures: usize) -> Option<&'static str> {
    match Material::MAX_TEXTURES - textures.min(Material::MAX_TEXTURES) {
        0 => Some("sharp reflections of the environment, ambient occlusion and shadows"),
        1 => Some("sharp reflections of the environment and ambient occlusion"),
        2 => Some("sharp reflections of the environment"),
        _ => None,
    }
}

/// Reads the names of the material variants (KHR_materials_variants).
pub(super) fn variants(document: &GltfJson) -> Vec<Option<String>> {
    let list = document.value.pointer("/extensions/KHR_materials_variants/variants").and_then(Value::as_array);
    let name = |variant: &Value| variant.get("name").and_then(Value::as_str).map(str::to_owned);
    list.into_iter().flatten().map(name).collect()
}

/// Reads all textures. Their images may be undecodable.
pub(super) fn read_textures(document: &GltfJson, diagnostics: &mut Diagnostics) -> Result<Vec<Texture>, ImportError> {
    let mut textures = Vec::with_capacity(document.textures.len());
    for (i, json) in document.textures.iter().enumerate() {
        let at = || document.location("textures", i);
        let image = super::texture_sources::select_image(document, i, diagnostics)?;
        let sampler = match json.sampler.map(|sampler| sampler.value()) {
            None => Sampler::default(),
            Some(index) => match document.samplers.get(index) {
                Some(sampler) => read_sampler(document, index, sampler, diagnostics),
                None => {
                    let count = document.samplers.len();
                    let error = ImportError::MissingReference { at: at(), kind: "sampler", index, count };
                    diagnostics.leave_out(error, "the default sampler replaces it")?;
                    Sampler::default()
                }
            },
        };
        textures.push(Texture { name: json.name.clone(), image, sampler });
    }
    Ok(textures)
}

fn read_sampler(
    document: &GltfJson,
    i: usize,
    json: &json::texture::Sampler,
    diagnostics: &mut Diagnostics,
) -> Sampler {
    let mut out = Sampler::default();
    let mut report = |key: &str| {
        diagnostics.add(
            &document.location("samplers", i).child(key, key),
            "the value is not defined in glTF; the default is used",
        );
    };
    match json.mag_filter {
        Some(Checked::Valid(MagFilter::Nearest)) => out.magnify = Filter::Nearest,
        Some(Checked::Invalid) => report("magFilter"),
        Some(Checked::Valid(MagFilter::Linear)) | None => {}
    }
    match json.min_filter {
        Some(Checked::Valid(filter)) => {
            (out.minify, out.mipmap) = match filter {
                MinFilter::Nearest => (Filter::Nearest, None),
                MinFilter::Linear => (Filter::Linear, None),
                MinFilter::NearestMipmapNearest => (Filter::Nearest, Some(Filter::Nearest)),
                MinFilter::LinearMipmapNearest => (Filter::Linear, Some(Filter::Nearest)),
                MinFilter::NearestMipmapLinear => (Filter::Nearest, Some(Filter::Linear)),
                MinFilter::LinearMipmapLinear => (Filter::Linear, Some(Filter::Linear)),
            }
        }
        Some(Checked::Invalid) => report("minFilter"),
        None => {}
    }
    let mut wrap = |mode: Checked<WrappingMode>, key: &str| match mode {
        Checked::Valid(WrappingMode::ClampToEdge) => Wrap::ClampToEdge,
        Checked::Valid(WrappingMode::MirroredRepeat) => Wrap::MirroredRepeat,
        Checked::Valid(WrappingMode::Repeat) => Wrap::Repeat,
        Checked::Invalid => {
            report(key);
            Wrap::Repeat
        }
    };
    out.wrap_u = wrap(json.wrap_s, "wrapS");
    out.wrap_v = wrap(json.wrap_t, "wrapT");
    out
}
