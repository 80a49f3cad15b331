//! Selects the image of a texture. Extensions offer formats that core glTF lacks.

use super::diagnostics::Diagnostics;
use super::error::ImportError;
use super::json::GltfJson;
use crate::model::ImageIndex;
use serde_json::Value;

/// Extensions for other image formats, in order of preference.
const FORMATS: [&str; 3] = ["KHR_texture_basisu", "EXT_texture_avif", "EXT_texture_webp"];

/// Extensions for unsupported formats.
const OTHER_FORMATS: [(&str, &str); 1] = [("MSFT_texture_dds", "DDS")];

/// Returns the image of texture `i`; `None`, with a diagnostic, if it has none in a supported format.
pub(super) fn select_image(
    document: &GltfJson,
    i: usize,
    diagnostics: &mut Diagnostics,
) -> Result<Option<ImageIndex>, ImportError> {
    let extensions = document.element("textures", i).get("extensions").unwrap_or(&Value::Null);
    for name in FORMATS {
        if let Some(source) = extensions.get(name).and_then(|extension| extension.get("source")) {
            let image = image_index(document, i, source);
            if let Some(image) = diagnostics.or_leave_out(image, "it is ignored")? {
                return Ok(Some(image));
            }
        }
    }
    let fallback = fallback_image(document, i);
    if let Some(fallback) = diagnostics.or_leave_out(fallback, "it is ignored")?.flatten() {
        return Ok(Some(fallback));
    }
    let problem = match OTHER_FORMATS.iter().find(|(name, _)| extensions.get(name).is_some()) {
        Some((name, format)) => format!(
            "its image is {format} only ({name}), which is not supported; in Blender, choose PNG or JPEG for images"
        ),
        None => "it has no image".into(),
    };
    diagnostics.add(&document.location("textures", i), format!("{problem}; a checkerboard replaces it"));
    Ok(None)
}

/// Returns the core glTF image of texture `i`, for loaders without the extension.
pub(super) fn fallback_image(document: &GltfJson, i: usize) -> Result<Option<ImageIndex>, ImportError> {
    match document.element("textures", i).get("source").filter(|source| !source.is_null()) {
        Some(source) => image_index(document, i, source).map(Some),
        None => Ok(None),
    }
}

/// Parses and checks an image index.
fn image_index(document: &GltfJson, texture: usize, source: &Value) -> Result<ImageIndex, ImportError> {
    let at = || document.location("textures", texture);
    let Some(index) = super::json::integer(source) else {
        return Err(ImportError::InvalidJson { at: at(), problem: "its source is not an image index".into() });
    };
    let count = document.images.len();
    if index >= count {
        return Err(ImportError::MissingReference { at: at(), kind: "image", index, count });
    }
    Ok(ImageIndex(index as u32))
}
