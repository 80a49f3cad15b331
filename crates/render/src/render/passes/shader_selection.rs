//! Selects the shader permutation of a draw.

use super::pass_input::{GpuCrowd, PassInput};
use crate::render::gpu_model::{GpuDraw, GpuModel};
use crate::render::shader::{DebugViewKey, DrawMode, Facing, ShaderKey, ShaderOutput, Shading};
use crate::scene::{Frame, Reads};
use rigview_core::model::TextureSlot;
use rigview_core::palette::{Palette, Skinning};

/// Returns the key of the vertex shader of a draw, without textures and lights.
fn vertex_key(model: &GpuModel, draw: &GpuDraw, palette: &Palette) -> ShaderKey {
    let primitive = &model.primitives[draw.primitive];
    ShaderKey {
        influences: draw.influences(model),
        texels_per_morph_delta: if model.morphs.is_some() { primitive.texels_per_morph_delta } else { 0 },
        has_normals: primitive.has_normals,
        ..ShaderKey::minimal(palette.format())
    }
}

/// Returns the key of the shader that draws the material of a draw.
pub(super) fn material_key(
    &GpuCrowd { model, palette, .. }: &GpuCrowd<'_>,
    draw: &GpuDraw,
    &PassInput {
        frame,
        sun_camera,
        sampled_light,
        texture_lod_bias,
        is_tone_mapped_later,
        has_translucent_shadow_map,
        has_ambient_occlusion,
        ..
    }: &PassInput<'_>,
    facing: Facing,
) -> ShaderKey {
    let primitive = &model.primitives[draw.primitive];
    let material = &draw.material;
    // Points and lines without normals are unlit (glTF 2.0, section 3.7.2.1).
    let unlit = material.factors.unlit || !(primitive.has_normals || primitive.topology.has_triangles());
    ShaderKey {
        has_tangents: primitive.draws_tangents,
        has_colors: primitive.has_colors,
        tex_coord_sets: primitive.tex_coord_sets.len(),
        textures: std::array::from_fn(|slot| material.textures[slot].as_ref().map(|texture| texture.set)),
        has_texture_transforms: material.has_transforms,
        has_texture_lod_bias: texture_lod_bias.is_some(),
        alpha: material.alpha,
        shading: if unlit { Shading::Unlit } else { Shading::Lit },
        has_lights: !frame.lighting.lights.is_empty(),
        has_sun_shadow: sun_camera.is_some(),
        has_sampled_light: sampled_light.is_some(),
        reads_reflective_shadow_map: sampled_light.is_some(),
        reads_translucent_shadow_map: has_translucent_shadow_map,
        has_ambient_occlusion,
        has_inverse_tone_mapping: is_tone_mapped_later,
        has_environment: frame.lighting.environment.is_some(),
        has_environment_cube_map: frame
            .lighting
            .environment
            .as_ref()
            .is_some_and(|light| light.environment.cube_map().is_some()),
        features: material.features,
        tone_mapping: frame.lighting.tone_mapping,
        facing,
        skinning: skinning_of(draw, frame.debug_view.skinning),
        ..vertex_key(model, draw, palette)
    }
    .simplified()
}

/// The method of skinning of a draw: linear for a rigid mesh, so that it shares a shader.
fn skinning_of(draw: &GpuDraw, skinning: Skinning) -> Skinning {
    if draw.draw.skinned { skinning } else { Skinning::Linear }
}

/// Returns the key of the vertex shader of a draw for transform feedback.
pub(crate) fn feedback_key(model: &GpuModel, draw: &GpuDraw, palette: &Palette, skinning: Skinning) -> ShaderKey {
    let has_tangents = model.primitives[draw.primitive].has_tangents;
    let skinning = skinning_of(draw, skinning);
    ShaderKey { has_tangents, skinning, output: ShaderOutput::Vertices, ..vertex_key(model, draw, palette) }
        .simplified()
}

/// Returns the key of the debug view shader of a draw; `None` if `mode` uses the mesh shader.
pub(super) fn debug_view_key(
    &GpuCrowd { model, palette, .. }: &GpuCrowd<'_>,
    draw: &GpuDraw,
    frame: &Frame<'_>,
    mode: DrawMode,
) -> Option<DebugViewKey> {
    let primitive = &model.primitives[draw.primitive];
    if mode == DrawMode::Material || mode.is_map() {
        return None;
    }
    let reads = mode.reads();
    let sets = &primitive.tex_coord_sets;
    let shown_set = match reads {
        Reads::TexCoords => sets.iter().position(|set| *set == 0).filter(|_| primitive.has_first_tex_coords),
        // Density is that of triangles.
        Reads::BaseColorTexels => {
            let texture = draw.material.textures[TextureSlot::BaseColor as usize];
            let has_density = draw.material.texels_per_uv > 0.0 && primitive.topology.has_triangles();
            texture.filter(|_| has_density).map(|texture| usize::from(texture.set))
        }
        _ => None,
    };
    let is_attribute_missing = match reads {
        // The shader derives flat normals of triangles.
        Reads::Normals => !primitive.has_normals && !primitive.topology.has_triangles(),
        Reads::Tangents => !primitive.draws_tangents,
        Reads::TexCoords | Reads::BaseColorTexels => shown_set.is_none(),
        Reads::Colors => !primitive.has_colors,
        Reads::Nothing | Reads::SelectedJoint | Reads::JointTable | Reads::VertexValues => false,
    };
    let (tex_coord_sets, shown_tex_coord_set) = shown_set.map(|shown| (sets.len(), shown)).unwrap_or_default();
    Some(DebugViewKey {
        mode,
        is_attribute_missing,
        influences: draw.influences(model),
        matrix_format: palette.format(),
        texels_per_morph_delta: if model.morphs.is_some() { primitive.texels_per_morph_delta } else { 0 },
        draws_triangles: primitive.topology.has_triangles(),
        has_normals: primitive.has_normals,
        has_tangents: reads == Reads::Tangents && primitive.draws_tangents,
        has_colors: reads == Reads::Colors && primitive.has_colors,
        tex_coord_sets,
        shown_tex_coord_set,
        skinning: skinning_of(draw, frame.debug_view.skinning),
        has_instance_list: false,
    })
}
