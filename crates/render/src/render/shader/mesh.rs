//! Compiles the mesh shader for a [`ShaderKey`].

use super::key::{Alpha, Facing, ShaderKey, ShaderOutput, Shading};
use super::tone_mapping::tone_mapping_defines;
use crate::gpu::{Gpu, GpuError, Program, ProgramSource, ShaderSource};
use crate::render::bindings::{attribute, block, unit};
use crate::render::sheen_albedo_lut;
use crate::render::texture_slot::{SlotSampler, texture_unit};
use rigview_core::model::TextureSlot;
use rigview_core::palette::Skinning;

use crate::scene::{Environment, MAX_LIGHTS, ToneMapping};
use std::rc::Rc;

fn defines(key: &ShaderKey) -> Vec<(&'static str, String)> {
    let is_feedback = key.output == ShaderOutput::Vertices;
    let mut defines = vec![
        ("MAX_LIGHTS", MAX_LIGHTS.to_string()),
        ("INFLUENCES", key.influences.to_string()),
        ("TEXELS_PER_MATRIX", key.matrix_format.texels_per_matrix().to_string()),
        ("TEX_COORD_SETS", key.tex_coord_sets.to_string()),
    ];
    defines.extend(attribute::DEFINES.map(|(name, location)| (name, location.to_string())));
    if key.texels_per_morph_delta > 0 {
        defines.push(("TEXELS_PER_MORPH_DELTA", key.texels_per_morph_delta.to_string()));
    }
    let sets = TextureSlot::ALL.into_iter().zip(key.textures);
    defines.extend(sets.filter_map(|(slot, set)| Some((SlotSampler::of(slot).tex_coord_set_define, set?.to_string()))));
    if key.features.any() {
        defines.push(("SHEEN_LUT_SIZE", format!("{}.0", sheen_albedo_lut::SIZE)));
    }
    if key.has_environment {
        defines.push(("ENVIRONMENT_LAYERS", format!("{}.0", Environment::LAYERS)));
    }
    let flags = [
        ("MATERIAL_FEATURES", key.features.any()),
        ("POSITION_OUT", key.shading != Shading::Unlit || is_feedback),
        ("NORMALS", key.has_normals),
        ("TANGENTS", key.has_tangents),
        ("COLORS", key.has_colors),
        ("TEXTURE_TRANSFORMS", key.has_texture_transforms),
        ("TEXTURE_LOD_BIAS", key.has_texture_lod_bias),
        ("ALPHA_MASK", key.alpha == Alpha::Mask),
        ("ALPHA_BLEND", key.alpha == Alpha::Blend),
        ("LIGHTS", key.has_lights),
        ("SUN_SHADOW", key.has_sun_shadow),
        ("SAMPLED_LIGHT", key.has_sampled_light),
        ("REFLECTIVE_SHADOW_MAP", key.reads_reflective_shadow_map),
        ("TRANSLUCENT_SHADOW_MAP", key.reads_translucent_shadow_map),
        ("ENVIRONMENT_CUBE_MAP", key.has_environment_cube_map),
        ("AMBIENT_OCCLUSION", key.has_ambient_occlusion),
        ("ALPHA_COVERAGE", key.alpha == Alpha::Coverage),
        ("DEPTH", key.output == ShaderOutput::Depth),
        ("REFLECTIVE_SHADOW_MAP_OUT", key.output == ShaderOutput::ReflectiveShadowMap),
        ("TRANSLUCENT_SHADOW_MAP_OUT", key.output == ShaderOutput::TranslucentShadowMap),
        ("G_BUFFER_OUT", key.output == ShaderOutput::GBuffer),
        ("UNLIT", key.shading == Shading::Unlit),
        ("FACING", key.facing != Facing::Ignored),
        ("WINDING_SIGN_OUT", key.facing == Facing::PerVertex || is_feedback),
        ("RIGID_SKINNING", key.skinning == Skinning::Rigid),
        ("DUAL_QUATERNION_SKINNING", key.skinning == Skinning::DualQuaternion),
        ("INSTANCE_LIST", key.has_instance_list),
    ];
    let flags = flags.into_iter().filter(|(_, on)| *on).map(|(name, _)| name);
    let inverse = key.has_inverse_tone_mapping.then_some(["INVERSE_TONE_MAPPING", "TONE_NEUTRAL"]);
    let names = flags.chain(key.features.defines()).chain(tone_mapping_defines(key.tone_mapping));
    let names = names.chain(inverse.into_iter().flatten());
    defines.extend(names.map(|name| (name, String::from("1"))));
    defines
}

pub(super) fn compile(gpu: &Rc<Gpu>, key: &ShaderKey) -> Result<Program, GpuError> {
    let (defines, outputs) = (defines(key), key.feedback_outputs());
    let uniforms = rigview_shaders::UNIFORMS_GLSL;
    let vertex = ShaderSource::new(&defines, &[uniforms, rigview_shaders::MESH_VERT]);
    let optional_files = [
        (key.shading != Shading::Unlit, rigview_shaders::BRDF_GLSL),
        (
            key.shading != Shading::Unlit && (key.has_ambient_occlusion || key.output == ShaderOutput::GBuffer),
            rigview_shaders::G_BUFFER_GLSL,
        ),
        (key.has_ambient_occlusion, rigview_shaders::AMBIENT_OCCLUSION_GLSL),
        (key.has_environment, rigview_shaders::ENVIRONMENT_GLSL),
        (key.tone_mapping != ToneMapping::None || key.has_inverse_tone_mapping, rigview_shaders::TONE_GLSL),
        (key.features.any(), rigview_shaders::MATERIAL_FEATURES_GLSL),
        (key.has_sun_shadow || key.has_sampled_light, rigview_shaders::SHADOW_GLSL),
        (key.has_sampled_light, rigview_shaders::SAMPLED_LIGHT_GLSL),
        (true, rigview_shaders::MESH_FRAG),
        (key.features.any(), rigview_shaders::MATERIAL_FEATURE_INPUTS_GLSL),
    ];
    let mut fragment_files = vec![uniforms];
    fragment_files.extend(optional_files.into_iter().filter(|(used, _)| *used).map(|(_, text)| text));
    let is_feedback = key.output == ShaderOutput::Vertices;
    let fragment = (!is_feedback).then(|| ShaderSource::new(&defines, &fragment_files));
    let mut samplers = vec![
        ("palette_matrices", unit::PALETTE_MATRICES),
        ("morph_weights", unit::MORPH_WEIGHTS),
        ("morph_deltas", unit::MORPH_DELTAS),
        ("environment_layers", unit::ENVIRONMENT),
        ("transmission_background", unit::TRANSMISSION_BACKGROUND),
        ("sheen_albedo_lut", unit::SHEEN_ALBEDO_LUT),
        ("shadow_map", unit::SHADOW_MAP),
        ("reflective_shadow_map", unit::REFLECTIVE_SHADOW_MAP),
        ("translucent_shadow_map", unit::TRANSLUCENT_SHADOW_MAP),
        ("ambient_occlusion", unit::AMBIENT_OCCLUSION),
        ("environment_cube_map", unit::ENVIRONMENT_CUBE_MAP),
    ];
    samplers.extend(TextureSlot::ALL.map(|slot| (SlotSampler::of(slot).uniform, texture_unit(slot))));
    Program::new(
        gpu,
        ProgramSource {
            name: "the mesh shader",
            vertex,
            geometry: None,
            fragment,
            feedback: if is_feedback { &outputs } else { &[] },
            blocks: &[
                ("FrameUniforms", block::FRAME),
                ("DrawUniforms", block::DRAW),
                ("MaterialUniforms", block::MATERIAL),
                ("MaterialFeatureUniforms", block::MATERIAL_FEATURES),
            ],
            samplers: &samplers,
        },
    )
}
