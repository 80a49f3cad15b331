//! What a rig costs: textures that are larger than they show, and a crowd of it.

use super::super::issue::Issues;
use super::Rig;
use super::joints::skinned_drawables;
use crate::palette::{MatrixFormat, PaletteLayout};
use crate::util::text::{counted, quoted};

/// Up to this side, a texture is worth no word.
const SMALL_SIDE: u32 = 512;
/// Beyond this side, a texture is large whatever it shows.
const LARGE_SIDE: u32 = 4096;

pub(super) fn check(rig: &Rig<'_>, issues: &mut Issues) {
    textures(rig, issues);
    crowd(rig, issues);
}

/// The box of texture coordinates that each image is shown with.
fn textures(rig: &Rig<'_>, issues: &mut Issues) {
    let model = rig.model;
    let mut boxes: Vec<Option<[f32; 4]>> = vec![None; model.images.len()];
    for primitive in model.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        let Some(material) = primitive.material.and_then(|material| model.materials.get(material.get())) else {
            continue;
        };
        for texture in material.texture_refs() {
            let image = model.textures.get(texture.texture.get()).and_then(|texture| texture.image);
            let Some(area) = image.and_then(|image| boxes.get_mut(image.get())) else { continue };
            let moved = texture.transform != Default::default();
            let coordinates = primitive.vertices.tex_coords.get(texture.tex_coord as usize).filter(|_| !moved);
            let [mut u0, mut v0, mut u1, mut v1] = area.unwrap_or([f32::MAX, f32::MAX, f32::MIN, f32::MIN]);
            match coordinates {
                Some(list) => {
                    for [u, v] in list {
                        (u0, v0, u1, v1) = (u0.min(*u), v0.min(*v), u1.max(*u), v1.max(*v));
                    }
                }
                // Moved or not known: it may show all.
                None => (u0, v0, u1, v1) = (0.0, 0.0, 1.0, 1.0),
            }
            *area = Some([u0, v0, u1, v1]);
        }
    }
    for (i, (image, area)) in model.images.iter().zip(&boxes).enumerate() {
        let (width, height) = (image.width, image.height);
        let mebibytes = f64::from(width) * f64::from(height) * 4.0 * 4.0 / 3.0 / 1_048_576.0;
        let name = image.name.as_deref().map_or_else(|| format!("image {i}"), quoted);
        let at = format_args!("/images/{i}");
        if let Some([u0, v0, u1, v1]) = area
            && width.max(height) > SMALL_SIDE
        {
            let share = f64::from(u1 - u0).clamp(0.0, 1.0) * f64::from(v1 - v0).clamp(0.0, 1.0);
            if share < 0.25 {
                let message = format_args!(
                    "{name} has {width} x {height} texels ({mebibytes:.1} MiB), but the UV maps show {:.0} % of it at most; crop it, or pack the UV islands over all of it",
                    share * 100.0
                );
                issues.add("RIGVIEW_TEXTURE_SIZE", at, message);
                continue;
            }
        }
        if width.max(height) > LARGE_SIDE {
            let message = format_args!(
                "{name} has {width} x {height} texels, {mebibytes:.0} MiB in a graphics card, more than most screens show of it; scale it to half in Blender's Image menu"
            );
            issues.add("RIGVIEW_TEXTURE_SIZE", at, message);
        }
    }
}

/// What each further instance costs.
fn crowd(rig: &Rig<'_>, issues: &mut Issues) {
    let model = rig.model;
    if skinned_drawables(model) == 0 || model.default_scene.get() >= model.scenes.len() {
        return;
    }
    let layout = PaletteLayout::new(model, model.default_scene);
    if layout.draws.is_empty() {
        return;
    }
    let packing = MatrixFormat::choose(model, &layout);
    let bytes = 16 * (layout.matrix_count as usize * packing.texels_per_matrix() + layout.weight_texels() as usize);
    let joints: usize = model.skins.iter().map(|skin| skin.joints.len()).sum();
    let message = format_args!(
        "in a crowd, each instance costs {}, {}, {} and {bytes} bytes of matrices a frame; fewer materials and bones make it cheaper",
        counted(joints, "joint", "joints"),
        counted(layout.draws.len(), "draw", "draws"),
        counted(layout.vertex_count(model) as usize, "vertex", "vertices"),
    );
    issues.add("RIGVIEW_INSTANCE_COST", "", message);
}
