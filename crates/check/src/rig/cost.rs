//! Lints of cost: oversized textures, and the cost per instance.

use super::joints::skinned_drawables;
use super::rest_rig::RestRig;
use crate::issue::Issues;
use rigview_core::palette::{MatrixFormat, PaletteLayout};
use rigview_core::util::text::{counted, quoted};

/// Maximum side of a texture that may be mostly unused, in texels.
const MAX_UNUSED_SIDE: u32 = 512;
/// Maximum side of a texture that is mostly used, in texels.
const MAX_SIDE: u32 = 4096;
/// Fraction of a texture below which it counts as mostly unused.
const MIN_USED_FRACTION: f64 = 0.25;

pub(super) fn check(rig: &RestRig<'_>, issues: &mut Issues) {
    check_textures(rig, issues);
    check_instance_cost(rig, issues);
}

/// Compares the size of each image with the bounds of the texture coordinates that use it.
fn check_textures(rig: &RestRig<'_>, issues: &mut Issues) {
    let model = rig.model;
    let mut bounds: Vec<Option<[f32; 4]>> = vec![None; model.images.len()];
    for primitive in model.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        let Some(material) = primitive.material.and_then(|material| model.materials.get(material.get())) else {
            continue;
        };
        for texture in material.textures.iter() {
            let image = model.textures.get(texture.texture.get()).and_then(|texture| texture.image);
            let Some(area) = image.and_then(|image| bounds.get_mut(image.get())) else { continue };
            let is_transformed = texture.transform != Default::default();
            let coordinates = primitive.vertices.tex_coords.get(texture.tex_coord as usize).filter(|_| !is_transformed);
            let [mut u0, mut v0, mut u1, mut v1] = area.unwrap_or([f32::MAX, f32::MAX, f32::MIN, f32::MIN]);
            match coordinates {
                Some(list) => {
                    for [u, v] in list {
                        (u0, v0, u1, v1) = (u0.min(*u), v0.min(*v), u1.max(*u), v1.max(*v));
                    }
                }
                // Transformed or unknown: it may use the whole image.
                None => (u0, v0, u1, v1) = (0.0, 0.0, 1.0, 1.0),
            }
            *area = Some([u0, v0, u1, v1]);
        }
    }
    for (i, (image, area)) in model.images.iter().zip(&bounds).enumerate() {
        let (width, height) = (image.width, image.height);
        let mebibytes = f64::from(width) * f64::from(height) * 4.0 * 4.0 / 3.0 / 1_048_576.0;
        let name = image.name.as_deref().map_or_else(|| format!("image {i}"), quoted);
        let at = format_args!("/images/{i}");
        if let Some([u0, v0, u1, v1]) = area
            && width.max(height) > MAX_UNUSED_SIDE
        {
            let used = f64::from(u1 - u0).clamp(0.0, 1.0) * f64::from(v1 - v0).clamp(0.0, 1.0);
            if used < MIN_USED_FRACTION {
                let message = format_args!(
                    "{name} has {width} x {height} texels ({mebibytes:.1} MiB), but the UV maps use at most {:.0} % of it; crop it, or pack the UV islands to fill it",
                    used * 100.0
                );
                issues.add("RIGVIEW_TEXTURE_SIZE", at, message);
                continue;
            }
        }
        if width.max(height) > MAX_SIDE {
            let message = format_args!(
                "{name} has {width} x {height} texels, {mebibytes:.0} MiB of GPU memory, more than most screens can show; scale it to half in Blender's Image menu"
            );
            issues.add("RIGVIEW_TEXTURE_SIZE", at, message);
        }
    }
}

/// Reports the cost of each further instance.
fn check_instance_cost(rig: &RestRig<'_>, issues: &mut Issues) {
    let model = rig.model;
    if skinned_drawables(model) == 0 || model.default_scene.get() >= model.scenes.len() {
        return;
    }
    let layout = PaletteLayout::new(model, model.default_scene);
    if layout.draws.is_empty() {
        return;
    }
    let format = MatrixFormat::choose(model, &layout);
    let bytes =
        16 * (layout.matrix_count as usize * format.texels_per_matrix() + layout.morph_weight_texels() as usize);
    let joints: usize = model.skins.iter().map(|skin| skin.joints.len()).sum();
    let message = format_args!(
        "in a crowd, each instance costs {}, {}, {} and {bytes} bytes of matrices per frame; fewer materials and bones reduce the cost",
        counted(joints, "joint", "joints"),
        counted(layout.draws.len(), "draw", "draws"),
        counted(layout.vertex_count(model) as usize, "vertex", "vertices"),
    );
    issues.add("RIGVIEW_INSTANCE_COST", "", message);
}
