//! Arbitrary bytes as an image: the texels match its size, or are empty.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview_fuzz::{container, open};
use serde_json::json;

fuzz_target!(init: rigview_fuzz::allow_caught_panics(), |bytes: &[u8]| {
    let (head, image_bytes) = bytes.split_at(bytes.len().min(1));
    let mime =
        ["image/png", "image/jpeg", "image/webp", "image/ktx2"][usize::from(head.first().copied().unwrap_or(0) % 4)];
    let json = json!({
        "asset": {"version": "2.0"}, "buffers": [{"byteLength": image_bytes.len()}],
        "bufferViews": [{"buffer": 0, "byteLength": image_bytes.len()}], "images": [{"bufferView": 0, "mimeType": mime}],
        "extensionsUsed": ["KHR_texture_basisu", "EXT_texture_webp"],
        "textures": [{
            "source": 0, "extensions": {"KHR_texture_basisu": {"source": 0}, "EXT_texture_webp": {"source": 0}}
        }],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "nodes": [{}], "scenes": [{"nodes": [0]}],
    });
    if let Ok(loaded) = open(container(json.to_string().as_bytes(), image_bytes)) {
        for image in loaded.model.images {
            let texels = image.width as usize * image.height as usize;
            assert!(image.rgba.len() <= texels * 4 + texels, "{} x {}", image.width, image.height);
        }
    }
});
