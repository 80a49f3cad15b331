//! Texture references of materials (KHR_texture_transform included).

use super::diagnostic::JsonLocation;
use super::diagnostics::{Diagnostics, LEFT_OUT};
use super::error::ImportError;
use super::json::GltfJson;
use crate::model::{TextureIndex, TextureRef, TextureTransform};
use gltf::json;
use serde::Deserialize;
use serde_json::Value;

/// Reads the texture reference `key` of `parent`. An invalid one is reported and left out.
///
/// It is read from the JSON, since the typed normal and occlusion textures lack KHR_texture_transform.
pub(super) fn texture_ref(
    document: &GltfJson,
    parent: &Value,
    key: &str,
    at: &JsonLocation,
    diagnostics: &mut Diagnostics,
) -> Result<Option<TextureRef>, ImportError> {
    let Some(value) = parent.get(key).filter(|value| !value.is_null()) else { return Ok(None) };
    let at = || at.child(key, key);
    let schema_error = |error: serde_json::Error| ImportError::InvalidJson { at: at(), problem: error.to_string() };
    let info = json::texture::Info::deserialize(value).map_err(schema_error);
    let Some(info) = diagnostics.or_leave_out(info, LEFT_OUT)? else { return Ok(None) };
    let (texture, count) = (info.index.value(), document.textures.len());
    if texture >= count {
        let error = ImportError::MissingReference { at: at(), kind: "texture", index: texture, count };
        diagnostics.leave_out(error, LEFT_OUT)?;
        return Ok(None);
    }
    let mut tex_coord = info.tex_coord;
    let mut transform = TextureTransform::default();
    if let Some(found) = info.extensions.and_then(|extensions| extensions.texture_transform) {
        tex_coord = found.tex_coord.unwrap_or(tex_coord);
        transform = TextureTransform {
            offset: found.offset.0.map(|x| finite(x, 0.0)),
            rotation: finite(found.rotation.0, 0.0),
            scale: found.scale.0.map(|x| finite(x, 1.0)),
        };
    }
    Ok(Some(TextureRef { texture: TextureIndex(texture as u32), tex_coord, transform }))
}

/// Returns `x`, or `default` if it overflowed single precision.
pub(super) fn finite(x: f32, default: f32) -> f32 {
    if x.is_finite() { x } else { default }
}
