//! Material extensions, read by the table of material properties.
//!
//! An invalid value is reported and replaced by the nearest valid one, or by the default.

use super::diagnostic::JsonLocation;
use super::diagnostics::Diagnostics;
use super::error::ImportError;
use super::json::GltfJson;
use super::texture_refs::texture_ref;
use crate::model::{
    MATERIAL_EXTENSIONS, MATERIAL_PROPERTIES, Material, MaterialProperty, MaterialPropertyDescriptor,
    SPECULAR_GLOSSINESS, TEXTURE_SLOTS, key_in_extension,
};
use serde_json::Value;

/// Reads the extensions of the material `json`. An unlit material gets none that needs lighting.
pub(super) fn read(
    document: &GltfJson,
    json: &Value,
    at: &JsonLocation,
    material: &mut Material,
    diagnostics: &mut Diagnostics,
) -> Result<(), ImportError> {
    let extensions = json.get("extensions").unwrap_or(&Value::Null);
    for (name, add) in MATERIAL_EXTENSIONS {
        if material.unlit && name != "KHR_materials_emissive_strength" {
            break;
        }
        let Some(value) = extensions.get(name).filter(|value| value.is_object()) else { continue };
        let at = at.child(format_args!("extensions/{name}"), name);
        add(material);
        for (slot, pointer) in TEXTURE_SLOTS {
            if let Some(key) = key_in_extension(pointer, name) {
                material.textures[*slot] = texture_ref(document, value, key, &at, diagnostics)?;
            }
        }
        for info in MATERIAL_PROPERTIES.iter().filter(|info| key_in_extension(info.pointer, name).is_some()) {
            read_property(value, info, material, |problem| diagnostics.add(&at.child(info.key(), info.key()), problem));
        }
        if name == SPECULAR_GLOSSINESS {
            material.roughness = 1.0 - material.roughness;
            // It excludes all other extensions.
            break;
        }
    }
    Ok(())
}

fn read_property(
    extension: &Value,
    info: &MaterialPropertyDescriptor,
    material: &mut Material,
    mut report: impl FnMut(String),
) {
    let [mut min, max] = info.range;
    let Some(out) = material.property_mut(info.property) else { return };
    out.fill(info.default);
    if info.property == MaterialProperty::ClearcoatNormalScale {
        let scale = extension.pointer("/clearcoatNormalTexture/scale").and_then(Value::as_f64);
        return out.fill(scale.map_or(info.default, |scale| scale as f32));
    }
    let value = match extension.get(info.key()) {
        None | Some(Value::Null) => return,
        Some(value) => value,
    };
    let finite = |value: &Value| value.as_f64().map(|x| x as f32).filter(|x| x.is_finite());
    let (found, problem): (Vec<f32>, _) = if info.component_count == 1 {
        (finite(value).into_iter().collect(), format!("not a number; using {}", info.default))
    } else {
        let components = value.as_array().into_iter().flatten().filter_map(finite).collect();
        (components, format!("not {} numbers; using the default", info.component_count))
    };
    if found.len() != out.len() {
        return report(problem);
    }
    if info.property == MaterialProperty::Ior && found[0] > 0.0 {
        // 0 encodes total reflection.
        min = 1.0;
    }
    out.iter_mut().zip(&found).for_each(|(out, x)| *out = x.clamp(min, max));
    if *out != *found {
        match (found.as_slice(), &*out) {
            ([x], [nearest]) => report(format!("{x} is out of range; using {nearest}")),
            (x, nearest) => report(format!("{x:?} is out of range; using {nearest:?}")),
        }
    }
}
