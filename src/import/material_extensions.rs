//! What extensions add to a material of the file.
//!
//! A number that makes no sense is told of, and the nearest that does, or the usual one, is taken instead.

use super::diagnostic::{Diagnostics, JsonLocation};
use super::error::ImportError;
use super::json::Document;
use super::materials::texture_ref;
use crate::model::{
    Anisotropy, Clearcoat, DiffuseTransmission, Iridescence, Material, Sheen, Specular, SpecularGlossiness, TextureRef,
    Transmission, Volume,
};
use serde_json::Value;

/// Numbers that single precision still squares.
const LARGEST: f32 = 1e18;

/// Adds to `material` what the extensions of its JSON object say. An unlit material takes on none that needs light.
pub(super) fn read(
    document: &Document,
    (json, at): (&Value, &JsonLocation),
    material: &mut Material,
    diagnostics: &mut Diagnostics,
) -> Result<(), ImportError> {
    let extensions = json.get("extensions").unwrap_or(&Value::Null);
    let of = |name: &'static str| -> Option<Fields<'_>> {
        let value = extensions.get(name).filter(|value| value.is_object())?;
        Some(Fields { document, value, at: at.child(format_args!("extensions/{name}"), name), wrong: Vec::new() })
    };
    let mut tell = |fields: Fields<'_>| {
        for (key, problem) in fields.wrong {
            diagnostics.add(&fields.at.child(key, key), problem);
        }
    };
    if let Some(mut fields) = of("KHR_materials_emissive_strength") {
        material.emissive_strength = fields.number("emissiveStrength", 1.0, 0.0, f32::MAX);
        tell(fields);
    }
    if material.unlit {
        return Ok(());
    }
    if let Some(mut fields) = of("KHR_materials_pbrSpecularGlossiness") {
        specular_glossiness(&mut fields, material)?;
        tell(fields);
        // The extension stands alone: none of the others may be used beside it.
        return Ok(());
    }
    if let Some(mut fields) = of("KHR_materials_ior") {
        let ior = fields.number("ior", Material::USUAL_IOR, 0.0, LARGEST);
        material.ior = if ior > 0.0 { fields.number("ior", Material::USUAL_IOR, 1.0, LARGEST) } else { 0.0 };
        fields.wrong.dedup();
        tell(fields);
    }
    if let Some(mut fields) = of("KHR_materials_specular") {
        material.specular = Some(Specular {
            factor: fields.share("specularFactor", 1.0),
            texture: fields.texture("specularTexture")?,
            color: fields.color("specularColorFactor", [1.0; 3], LARGEST),
            color_texture: fields.texture("specularColorTexture")?,
        });
        tell(fields);
    }
    if let Some(mut fields) = of("KHR_materials_clearcoat") {
        let normal = fields.value.get("clearcoatNormalTexture").and_then(|texture| texture.get("scale"));
        material.clearcoat = Some(Clearcoat {
            factor: fields.share("clearcoatFactor", 0.0),
            texture: fields.texture("clearcoatTexture")?,
            roughness: fields.share("clearcoatRoughnessFactor", 0.0),
            roughness_texture: fields.texture("clearcoatRoughnessTexture")?,
            normal_texture: fields.texture("clearcoatNormalTexture")?,
            normal_scale: normal.and_then(Value::as_f64).map_or(1.0, |x| x as f32),
        });
        tell(fields);
    }
    if let Some(mut fields) = of("KHR_materials_sheen") {
        material.sheen = Some(Sheen {
            color: fields.color("sheenColorFactor", [0.0; 3], 1.0),
            color_texture: fields.texture("sheenColorTexture")?,
            roughness: fields.share("sheenRoughnessFactor", 0.0),
            roughness_texture: fields.texture("sheenRoughnessTexture")?,
        });
        tell(fields);
    }
    if let Some(mut fields) = of("KHR_materials_anisotropy") {
        material.anisotropy = Some(Anisotropy {
            strength: fields.share("anisotropyStrength", 0.0),
            rotation: fields.number("anisotropyRotation", 0.0, -LARGEST, LARGEST),
            texture: fields.texture("anisotropyTexture")?,
        });
        tell(fields);
    }
    if let Some(mut fields) = of("KHR_materials_iridescence") {
        material.iridescence = Some(Iridescence {
            factor: fields.share("iridescenceFactor", 0.0),
            texture: fields.texture("iridescenceTexture")?,
            ior: fields.number("iridescenceIor", 1.3, 1.0, LARGEST),
            thickness: [
                fields.number("iridescenceThicknessMinimum", 100.0, 0.0, LARGEST),
                fields.number("iridescenceThicknessMaximum", 400.0, 0.0, LARGEST),
            ],
            thickness_texture: fields.texture("iridescenceThicknessTexture")?,
        });
        tell(fields);
    }
    if let Some(mut fields) = of("KHR_materials_transmission") {
        material.transmission = Some(Transmission {
            factor: fields.share("transmissionFactor", 0.0),
            texture: fields.texture("transmissionTexture")?,
        });
        tell(fields);
    }
    if let Some(mut fields) = of("KHR_materials_volume") {
        let distance = fields.value.get("attenuationDistance").filter(|value| !value.is_null());
        let attenuation_distance = match distance {
            None => f32::INFINITY,
            Some(_) => fields.number("attenuationDistance", f32::INFINITY, f32::MIN_POSITIVE, f32::MAX),
        };
        material.volume = Some(Volume {
            thickness: fields.number("thicknessFactor", 0.0, 0.0, LARGEST),
            thickness_texture: fields.texture("thicknessTexture")?,
            attenuation_color: fields.color("attenuationColor", [1.0; 3], 1.0),
            attenuation_distance,
        });
        tell(fields);
    }
    if let Some(mut fields) = of("KHR_materials_dispersion") {
        material.dispersion = fields.number("dispersion", 0.0, 0.0, LARGEST);
        tell(fields);
    }
    if let Some(mut fields) = of("KHR_materials_diffuse_transmission") {
        material.diffuse_transmission = Some(DiffuseTransmission {
            factor: fields.share("diffuseTransmissionFactor", 0.0),
            texture: fields.texture("diffuseTransmissionTexture")?,
            color: fields.color("diffuseTransmissionColorFactor", [1.0; 3], 1.0),
            color_texture: fields.texture("diffuseTransmissionColorTexture")?,
        });
        tell(fields);
    }
    Ok(())
}

fn specular_glossiness(fields: &mut Fields<'_>, material: &mut Material) -> Result<(), ImportError> {
    let [r, g, b, a] = fields.numbers("diffuseFactor", [1.0; 4], 1.0);
    (material.base_color, material.base_color_texture) = ([r, g, b, a], fields.texture("diffuseTexture")?);
    (material.metallic, material.metallic_roughness_texture) = (0.0, None);
    material.roughness = 1.0 - fields.share("glossinessFactor", 1.0);
    material.specular_glossiness = Some(SpecularGlossiness {
        specular: fields.color("specularFactor", [1.0; 3], 1.0),
        texture: fields.texture("specularGlossinessTexture")?,
    });
    Ok(())
}

/// The object of one extension, and what is wrong in it by key.
struct Fields<'a> {
    document: &'a Document,
    value: &'a Value,
    at: JsonLocation,
    wrong: Vec<(&'static str, String)>,
}

impl Fields<'_> {
    fn number(&mut self, key: &'static str, otherwise: f32, min: f32, max: f32) -> f32 {
        match self.value.get(key) {
            None | Some(Value::Null) => otherwise,
            Some(value) => match value.as_f64().map(|x| x as f32).filter(|x| x.is_finite()) {
                Some(x) if (min..=max).contains(&x) => x,
                Some(x) => {
                    let nearest = x.clamp(min, max);
                    self.wrong.push((key, format!("{x} is out of range; {nearest} is taken")));
                    nearest
                }
                None => {
                    self.wrong.push((key, format!("it is no number; {otherwise} is taken")));
                    otherwise
                }
            },
        }
    }

    /// A number from 0 to 1.
    fn share(&mut self, key: &'static str, otherwise: f32) -> f32 {
        self.number(key, otherwise, 0.0, 1.0)
    }

    /// A linear color, each of it from 0 to `max`.
    fn color(&mut self, key: &'static str, otherwise: [f32; 3], max: f32) -> [f32; 3] {
        self.numbers(key, otherwise, max)
    }

    fn numbers<const N: usize>(&mut self, key: &'static str, otherwise: [f32; N], max: f32) -> [f32; N] {
        let value = match self.value.get(key) {
            None | Some(Value::Null) => return otherwise,
            Some(value) => value.as_array().map_or(&[][..], Vec::as_slice),
        };
        let numbers: Vec<f32> =
            value.iter().filter_map(Value::as_f64).map(|x| x as f32).filter(|x| x.is_finite()).collect();
        let Ok(numbers) = <[f32; N]>::try_from(numbers) else {
            self.wrong.push((key, format!("it is not {N} numbers; the usual ones are taken")));
            return otherwise;
        };
        let nearest = numbers.map(|x| x.clamp(0.0, max));
        if nearest != numbers {
            self.wrong.push((key, format!("{numbers:?} is out of range; {nearest:?} is taken")));
        }
        nearest
    }

    fn texture(&self, key: &str) -> Result<Option<TextureRef>, ImportError> {
        texture_ref(self.document, self.value, key, &self.at)
    }
}
