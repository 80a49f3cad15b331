//! Reports the extensions that are not supported.

use super::diagnostics::Diagnostics;
use super::error::ImportError;
use super::json::GltfJson;
use crate::gltf_format::extensions::{find, is_registered, is_unsupported, missing_codec_feature};
use crate::util::text::{excerpt, quoted};
use serde_json::Value;

/// Reports each unsupported extension once. Returns those that the file requires.
///
/// Compressed meshes without their codec are an error; images without it have a replacement.
pub(super) fn check(document: &GltfJson, diagnostics: &mut Diagnostics) -> Result<Vec<String>, ImportError> {
    /// More occur in hostile files only.
    const MAX_REPORTED: usize = 100;
    report_draft_properties(&document.value, diagnostics);
    let lists = [("extensionsUsed", &document.extensions_used), ("extensionsRequired", &document.extensions_required)];
    let mut reported: Vec<&str> = Vec::new();
    let mut required: Vec<String> = Vec::new();
    for (list, names) in lists {
        for (i, name) in names.iter().enumerate() {
            if let Some(notice) = find(name).and_then(|extension| extension.notice)
                && list == "extensionsUsed"
                && !reported.contains(&name.as_str())
            {
                reported.push(name);
                diagnostics.push(format!("/{list}/{i}"), notice);
            }
            if !is_unsupported(name) {
                continue;
            }
            if !reported.contains(&name.as_str()) && reported.len() < MAX_REPORTED {
                reported.push(name);
                let message = if let Some(feature) = missing_codec_feature(name) {
                    format!("{name} needs the cargo feature `{feature}`, which this build lacks")
                } else if is_registered(name) {
                    format!("{} is not supported", excerpt(name))
                } else {
                    format!("the extension {} is unknown and is ignored", quoted(name))
                };
                diagnostics.push(format!("/{list}/{i}"), message);
            }
            let is_required = list == "extensionsRequired";
            if is_required
                && let Some(extension) = find(name).filter(|extension| extension.texture_image.is_none())
                && let Some(feature) = extension.codec
            {
                return Err(ImportError::MissingCodec { extension: extension.name, feature });
            }
            let name = excerpt(name);
            if is_required && !required.contains(&name) && required.len() < MAX_REPORTED {
                required.push(name);
            }
        }
    }
    Ok(required)
}

/// Reports the properties that the draft of glTF 2.1 adds. None of them is read.
fn report_draft_properties(root: &Value, diagnostics: &mut Diagnostics) {
    for name in ["externalAssets", "files", "shapes"] {
        if root.get(name).and_then(Value::as_array).is_some_and(|list| !list.is_empty()) {
            let message = format!("{name} (draft of glTF 2.1) are not supported; nothing of them is shown");
            diagnostics.push(format!("/{name}"), message);
        }
    }
}
