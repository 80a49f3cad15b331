//! Material factors as uniforms.

use crate::render::texture_slot::{FIRST_FEATURE, transform_rows};
use crate::render::uniforms::{DrawUniforms, MaterialFeatureUniforms};
use bytemuck::Zeroable;
use rigview_core::model::{AlphaMode, Material, TextureSlot};

/// Lower bound of attenuation colors, whose logarithm must be finite.
const MIN_ATTENUATION_COLOR: f32 = 1e-6;

/// Returns draw uniforms with the core factors of `material`; the rest is zero.
pub(super) fn material_uniforms(material: &Material) -> DrawUniforms {
    let cutoff = match material.alpha_mode {
        AlphaMode::Mask { cutoff } => cutoff,
        AlphaMode::Opaque | AlphaMode::Blend => 0.0,
    };
    let [r, g, b] = material.emitted();
    let mut uniforms = DrawUniforms {
        base_color: material.base_color,
        emissive: [r, g, b, cutoff],
        metallic: material.metallic,
        roughness: material.roughness,
        occlusion_strength: material.occlusion_strength,
        normal_scale: material.normal_scale,
        ..DrawUniforms::zeroed()
    };
    for (rows, slot) in uniforms.texture_transform.chunks_exact_mut(2).zip(TextureSlot::ALL) {
        rows.copy_from_slice(&transform_rows(slot, material));
    }
    uniforms
}

/// Returns the uniforms of the extensions of `material`.
pub(super) fn material_feature_uniforms(material: &Material) -> MaterialFeatureUniforms {
    let mut uniforms = MaterialFeatureUniforms {
        specular: [1.0; 4],
        ior: material.ior,
        dispersion: material.dispersion,
        ..MaterialFeatureUniforms::zeroed()
    };
    if let Some(specular) = &material.specular {
        let [r, g, b] = specular.color;
        uniforms.specular = [r, g, b, specular.factor];
    }
    if let Some(specular_glossiness) = &material.specular_glossiness {
        let [r, g, b] = specular_glossiness.specular;
        // An index of refraction of 0 makes the reflectance at normal incidence equal to this color.
        (uniforms.specular, uniforms.ior) = ([r, g, b, 1.0], 0.0);
    }
    if let Some(coat) = &material.clearcoat {
        (uniforms.clearcoat, uniforms.clearcoat_roughness) = (coat.factor, coat.roughness);
        uniforms.clearcoat_normal_scale = coat.normal_scale;
    }
    if let Some(sheen) = &material.sheen {
        let [r, g, b] = sheen.color;
        uniforms.sheen = [r, g, b, sheen.roughness];
    }
    if let Some(anisotropy) = &material.anisotropy {
        uniforms.anisotropy = anisotropy.strength;
        (uniforms.anisotropy_cos, uniforms.anisotropy_sin) =
            (libm::cosf(anisotropy.rotation), libm::sinf(anisotropy.rotation));
    }
    if let Some(film) = &material.iridescence {
        (uniforms.iridescence, uniforms.iridescence_ior) = (film.factor, film.ior);
        [uniforms.iridescence_thickness_min, uniforms.iridescence_thickness_max] = film.thickness;
    }
    uniforms.transmission = material.transmission.as_ref().map_or(0.0, |transmission| transmission.factor);
    if let Some(volume) = &material.volume {
        let absorption =
            |color: f32| (-libm::logf(color.max(MIN_ATTENUATION_COLOR)) / volume.attenuation_distance).clamp(0.0, 1e18);
        let [r, g, b] = volume.attenuation_color.map(absorption);
        uniforms.absorption = [r, g, b, volume.thickness];
    }
    if let Some(diffuse) = &material.diffuse_transmission {
        let [r, g, b] = diffuse.color;
        uniforms.diffuse_transmission = [r, g, b, diffuse.factor];
    }
    let slots = &TextureSlot::ALL[FIRST_FEATURE..];
    for (rows, slot) in uniforms.feature_transform.chunks_exact_mut(2).zip(slots) {
        rows.copy_from_slice(&transform_rows(*slot, material));
    }
    uniforms
}
