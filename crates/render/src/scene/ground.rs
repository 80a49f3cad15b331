//! The ground under feet: height fields of models, and models of formulas.

use crate::image_file::{PngMetadata, encode_png};
use nalgebra::Vector3;
use rigview_core::crowd::{Crowd, CrowdAnimator};
use rigview_core::gltf_format::glb;
use rigview_core::ik::Ground;
use rigview_core::palette::{BlockIndex, Rig, skin_positions_on_cpu};
use serde_json::json;

/// Returns the height field of a model at rest; see [`Ground::from_triangles`]. `None` if its triangles cover no area of the ground.
pub fn ground_of_rig(rig: &Rig, smooth_radius: f64) -> Option<Ground> {
    let (mut crowd, mut animator) = (Crowd::single(None), CrowdAnimator::new(rig));
    animator.update_in_double_precision(&mut crowd, 0.0);
    let mut triangles = Vec::new();
    for draw in &rig.layout().draws {
        let primitive = &rig.model().meshes[draw.mesh.get()].primitives[draw.primitive];
        if primitive.topology.has_triangles() {
            let positions = skin_positions_on_cpu(rig, animator.palette(), BlockIndex(0), draw);
            let corner = |vertex: &u32| Vector3::from(positions[*vertex as usize]);
            triangles
                .extend(primitive.triangles().as_chunks::<3>().0.iter().map(|corners| corners.each_ref().map(corner)));
        }
    }
    Ground::from_triangles(triangles.iter().map(|corners| corners.map(|corner| corner.cast())), smooth_radius)
}

/// Width of a square of the pattern in pixels, and its gray values.
const SQUARE_PIXELS: u32 = 32;
const SQUARE_GRAYS: [u8; 2] = [255, 226];

/// Returns a .glb file with the surface of a slope or of steps around the origin; `None` for the ground of a model.
///
/// Its pattern of squares, with sides of the length `square`, shows whether feet slide.
pub fn ground_glb(ground: &Ground, radius: f64, square: f64) -> Option<Vec<u8>> {
    let lines = ground.preview_quads(radius);
    let mut corners = Vec::new();
    for [[a, b], [c, d]] in lines.iter().zip(lines.get(1..)?).map(|(near, far)| [*near, *far]) {
        // Seen from above, corners are counter-clockwise.
        corners.extend([a, c, b, b, c, d].map(|corner| corner.map(|x| x as f32)));
    }
    let extreme = |of: fn(&Vector3<f32>, &Vector3<f32>) -> Vector3<f32>| -> Option<[f32; 3]> {
        Some(corners.iter().copied().reduce(|a, b| of(&a, &b))?.into())
    };
    let (min, max) = (extreme(|a, b| a.inf(b))?, extreme(|a, b| a.sup(b))?);
    let mut bytes: Vec<u8> = corners.iter().flat_map(|corner| corner.iter().flat_map(|x| x.to_le_bytes())).collect();
    let positions_len = bytes.len();
    let uv = |corner: &Vector3<f32>| [corner.x, corner.z].map(|at| (f64::from(at) / (2.0 * square)) as f32);
    bytes.extend(corners.iter().flat_map(uv).flat_map(f32::to_le_bytes));
    let uvs_len = bytes.len() - positions_len;
    let size = 2 * SQUARE_PIXELS;
    let pixel = |i: u32| {
        let gray = SQUARE_GRAYS[((i % size / SQUARE_PIXELS) ^ (i / size / SQUARE_PIXELS)) as usize];
        [gray, gray, gray, 255]
    };
    let png = encode_png(size, size, &(0..size * size).flat_map(pixel).collect::<Vec<_>>(), &PngMetadata::default());
    let png_offset = bytes.len();
    bytes.extend(&png);
    let json = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "name": "Ground", "mesh": 0 }],
        "meshes": [{ "name": "Ground", "primitives": [{ "attributes": { "POSITION": 0, "TEXCOORD_0": 1 }, "material": 0 }] }],
        "materials": [{ "name": "Ground", "doubleSided": true,
            "pbrMetallicRoughness": { "baseColorFactor": [0.39, 0.39, 0.39, 1.0], "baseColorTexture": { "index": 0 },
                "metallicFactor": 0.0 } }],
        "textures": [{ "source": 0 }],
        "images": [{ "bufferView": 2, "mimeType": "image/png" }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": corners.len(), "type": "VEC3", "min": min, "max": max },
            { "bufferView": 1, "componentType": 5126, "count": corners.len(), "type": "VEC2" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": positions_len },
            { "buffer": 0, "byteOffset": positions_len, "byteLength": uvs_len },
            { "buffer": 0, "byteOffset": png_offset, "byteLength": png.len() },
        ],
        "buffers": [{ "byteLength": bytes.len() }],
    });
    glb::write(&json, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::import::{ImportOptions, from_bytes};

    #[test]
    fn surface_of_a_formula_is_its_own_height_field() {
        for ground in [Ground::slope(20.0), Ground::slope(-35.0), Ground::steps(0.17)] {
            let glb = ground_glb(&ground, 3.0, 1.0).unwrap();
            let imported = from_bytes(glb, None, &ImportOptions::default()).unwrap();
            assert!(imported.diagnostics.is_empty(), "{:?}", imported.diagnostics);
            let field =
                ground_of_rig(&Rig::new(imported.model, rigview_core::model::SceneIndex(0)).unwrap(), 0.1).unwrap();
            let (mut off, count) = (0.0, 400);
            for i in 0..count {
                let (x, z) = (f64::from(i % 20) * 0.1, f64::from(i / 20) * 0.2 - 3.0);
                off += (field.height(x, z) - ground.height(x, z)).abs();
            }
            // Steps have rises that are shorter than the cells.
            assert!(off / f64::from(count) < 2e-3, "{ground:?}: {off}");
            assert!(ground_glb(&field, 1.0, 1.0).is_none());
        }
    }
}
