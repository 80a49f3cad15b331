//! Which extensions are understood, and what is said of the others.

use super::diagnostic::Diagnostics;
use super::json::Document;
use crate::util::text::{excerpt, quoted};

/// Extensions that are shown as they are meant.
const SUPPORTED: [&str; 26] = [
    "EXT_mesh_gpu_instancing",
    "EXT_meshopt_compression",
    "EXT_texture_avif",
    "EXT_texture_webp",
    "KHR_animation_pointer",
    "KHR_draco_mesh_compression",
    "KHR_lights_punctual",
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_diffuse_transmission",
    "KHR_materials_dispersion",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_iridescence",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_unlit",
    "KHR_materials_variants",
    "KHR_materials_volume",
    "KHR_mesh_quantization",
    "KHR_meshopt_compression",
    "KHR_node_visibility",
    "KHR_texture_basisu",
    "KHR_texture_transform",
];

/// Extensions that add nothing to see.
const INVISIBLE: [&str; 3] = ["KHR_xmp", "KHR_xmp_json_ld", "EXT_structural_metadata"];

/// Prefixes of vendors that glTF's registry knows, for telling a missing feature from a stranger.
const REGISTERED: [&str; 12] =
    ["KHR_", "EXT_", "ADOBE_", "AGI_", "CESIUM_", "FB_", "GODOT_", "GRIFFEL_", "MPEG_", "MSFT_", "NV_", "VRMC_"];

/// Whether a file that requires the extension is refused.
pub(crate) fn is_lacking(name: &str) -> bool {
    [&SUPPORTED[..], &INVISIBLE].iter().all(|known| !known.contains(&name))
}

/// Tells once of each extension that is not shown, and returns those of them that the file calls indispensable.
pub(super) fn check(document: &Document, notices: &mut Diagnostics) -> Vec<String> {
    /// More of them are no honest file's.
    const MAX: usize = 100;
    let lists = [("extensionsUsed", &document.extensions_used), ("extensionsRequired", &document.extensions_required)];
    let mut told: Vec<&str> = Vec::new();
    let mut lacking: Vec<String> = Vec::new();
    for (list, names) in lists {
        for (i, name) in names.iter().enumerate().filter(|(_, name)| is_lacking(name)) {
            if !told.contains(&name.as_str()) && told.len() < MAX {
                told.push(name);
                let message = if REGISTERED.iter().any(|prefix| name.starts_with(prefix)) {
                    format!("{} is not shown yet", excerpt(name))
                } else {
                    format!("the extension {} is unknown; what it adds is left out", quoted(name))
                };
                notices.push(format!("/{list}/{i}"), message);
            }
            let name = excerpt(name);
            let indispensable = list == "extensionsRequired";
            if indispensable && !lacking.contains(&name) && lacking.len() < MAX {
                lacking.push(name);
            }
        }
    }
    lacking
}
