//! Which extensions are understood, and what is said of the others.

use super::json::Document;
use super::notice::{Notices, plain, quoted};

/// Extensions that are shown as they are meant.
const SUPPORTED: [&str; 4] =
    ["KHR_materials_unlit", "KHR_texture_transform", "KHR_mesh_quantization", "KHR_materials_emissive_strength"];

/// Prefixes of vendors that glTF's registry knows, for telling a missing feature from a stranger.
const REGISTERED: [&str; 12] =
    ["KHR_", "EXT_", "ADOBE_", "AGI_", "CESIUM_", "FB_", "GODOT_", "GRIFFEL_", "MPEG_", "MSFT_", "NV_", "VRMC_"];

/// Tells once of each extension that is not shown, and returns those of them without which the file asks not to be opened.
pub(super) fn check(document: &Document, notices: &mut Notices) -> Vec<String> {
    let mut told: Vec<&str> = Vec::new();
    let used = document.extensions_used.iter().map(|name| ("extensionsUsed", name));
    let required = document.extensions_required.iter().map(|name| ("extensionsRequired", name));
    let mut counters = [0usize; 2];
    for (list, name) in used.chain(required) {
        let counter = &mut counters[usize::from(list == "extensionsRequired")];
        let pointer = format!("/{list}/{counter}");
        *counter += 1;
        if SUPPORTED.contains(&name.as_str()) || told.contains(&name.as_str()) || told.len() >= 100 {
            continue;
        }
        told.push(name);
        let message = if REGISTERED.iter().any(|prefix| name.starts_with(prefix)) {
            format!("{} is not shown yet", plain(name))
        } else {
            format!("the extension {} is unknown; what it adds is left out", quoted(name))
        };
        notices.push(pointer, message);
    }
    let mut lacking: Vec<String> = Vec::new();
    for name in &document.extensions_required {
        if !SUPPORTED.contains(&name.as_str()) && !lacking.contains(name) && lacking.len() < 100 {
            lacking.push(name.clone());
        }
    }
    lacking
}
