//! Key of a mesh shader permutation.

use crate::render::material_features::{MaterialFeature, MaterialFeatures};
use rigview_core::model::{Material, TextureSlot};
use rigview_core::palette::{MatrixFormat, Skinning};

use crate::scene::ToneMapping;

/// Treatment of a material's alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Alpha {
    Opaque,
    /// Alpha test.
    Mask,
    /// Alpha test with antialiased edges by alpha to coverage.
    Coverage,
    Blend,
}

/// Lighting model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shading {
    Unlit,
    Lit,
}

/// Test for back faces in the fragment shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Facing {
    Ignored,
    /// All matrices mirror, or none does.
    PerDraw,
    /// Some matrices mirror: a vertex shader output holds the winding sign.
    PerVertex,
}

/// Output of a mesh shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ShaderOutput {
    /// Light to the camera.
    Light,
    Depth,
    /// Albedo and one-bounce radiance.
    ReflectiveShadowMap,
    /// Transmittance and depth.
    TranslucentShadowMap,
    /// Diffuse radiance, normal and depth.
    GBuffer,
    /// Transform feedback of the vertex shader, without a fragment shader.
    Vertices,
}

/// Key of a compiled mesh shader.
///
/// Uniforms select what costs nothing in a shader that does not use it: kinds, number and placement of lights, exposure, and
/// placement of the environment. The rest of the lighting is in the key. llvmpipe compiles and runs both sides of a branch on a
/// uniform: an image of one frame of Box and of Fox then takes 9 to 13 % more CPU time with lights in all shaders, 13 to 21 % more
/// with the shadow of the sun, 13 % more with ambient occlusion, and 20 to 28 % more with all tone mapping operators.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ShaderKey {
    /// Matrices blended per vertex: 0 for a rigid mesh, else 1, 2, 4 or 8.
    pub(crate) influences: usize,
    pub(crate) matrix_format: MatrixFormat,
    /// Texels of one morph target's deltas per vertex; 0 without morph targets.
    pub(crate) texels_per_morph_delta: usize,
    pub(crate) has_normals: bool,
    pub(crate) has_tangents: bool,
    pub(crate) has_colors: bool,
    pub(crate) tex_coord_sets: usize,
    /// Texture coordinate set of each slot's texture.
    pub(crate) textures: [Option<u8>; TextureSlot::COUNT],
    pub(crate) has_texture_transforms: bool,
    /// Adds the bias of the frame to the mip level of textures.
    pub(crate) has_texture_lod_bias: bool,
    pub(crate) alpha: Alpha,
    pub(crate) shading: Shading,
    pub(crate) has_lights: bool,
    pub(crate) has_sun_shadow: bool,
    /// Subtracts the shadowed part of one light.
    pub(crate) has_sampled_light: bool,
    /// Reads the reflective shadow map of that light.
    pub(crate) reads_reflective_shadow_map: bool,
    /// Reads the translucent shadow map of that light.
    pub(crate) reads_translucent_shadow_map: bool,
    /// Reads the ambient occlusion of the frame.
    pub(crate) has_ambient_occlusion: bool,
    pub(crate) has_environment: bool,
    /// Reads sharp reflections from the environment's cube map.
    pub(crate) has_environment_cube_map: bool,
    pub(crate) features: MaterialFeatures,
    pub(crate) tone_mapping: ToneMapping,
    /// The frame is a sample of an image that is tone-mapped by [`ToneMapping::Neutral`] later.
    pub(crate) has_inverse_tone_mapping: bool,
    pub(crate) facing: Facing,
    pub(crate) skinning: Skinning,
    pub(crate) output: ShaderOutput,
    /// Reads palette offsets from an instance list.
    pub(crate) has_instance_list: bool,
}

impl ShaderKey {
    /// Returns the key of a lit rigid mesh with nothing optional.
    pub(crate) fn minimal(matrix_format: MatrixFormat) -> Self {
        Self {
            influences: 0,
            matrix_format,
            texels_per_morph_delta: 0,
            has_normals: false,
            has_tangents: false,
            has_colors: false,
            tex_coord_sets: 0,
            textures: [None; TextureSlot::COUNT],
            has_texture_transforms: false,
            has_texture_lod_bias: false,
            alpha: Alpha::Opaque,
            shading: Shading::Lit,
            has_lights: false,
            has_sun_shadow: false,
            has_sampled_light: false,
            reads_reflective_shadow_map: false,
            reads_translucent_shadow_map: false,
            has_ambient_occlusion: false,
            has_environment: false,
            has_environment_cube_map: false,
            features: MaterialFeatures::default(),
            tone_mapping: ToneMapping::None,
            has_inverse_tone_mapping: false,
            facing: Facing::Ignored,
            skinning: Skinning::Linear,
            output: ShaderOutput::Light,
            has_instance_list: false,
        }
    }

    /// Returns a key that uses every uniform, for comparing block layouts with the driver's.
    pub(crate) fn with_all_uniforms() -> Self {
        Self {
            influences: 8,
            texels_per_morph_delta: 3,
            has_normals: true,
            has_tangents: true,
            has_colors: true,
            tex_coord_sets: 4,
            // The core slots and one slot of a feature: more would exceed 16 texture units.
            textures: TextureSlot::ALL.map(|slot| match slot as usize {
                index @ 0..5 => Some(index as u8 % 4),
                _ => (slot == TextureSlot::ClearcoatNormal).then_some(0),
            }),
            has_texture_transforms: true,
            alpha: Alpha::Blend,
            has_lights: true,
            has_sun_shadow: true,
            has_environment: true,
            features: MaterialFeatures::all(),
            tone_mapping: ToneMapping::Neutral,
            facing: Facing::PerVertex,
            ..Self::minimal(MatrixFormat::Mat3x4)
        }
    }

    /// Clears options that do not affect the result, so that equal shaders have equal keys.
    pub(crate) fn simplified(mut self) -> Self {
        let is_feedback = self.output == ShaderOutput::Vertices;
        if self.shading == Shading::Unlit {
            self.textures[1..].fill(None);
            self.has_normals &= is_feedback;
            (self.has_lights, self.has_environment, self.tone_mapping) = (false, false, ToneMapping::None);
            (self.has_sun_shadow, self.has_sampled_light) = (false, false);
            self.features = MaterialFeatures::default();
        } else {
            self.has_inverse_tone_mapping = false;
        }
        if self.features.without(MaterialFeature::Dielectric).any() {
            // The shader of any other feature reads the index of refraction, too.
            self.features = self.features.without(MaterialFeature::Dielectric);
        }
        // Each effect reads a texture besides those of the material. They are in order of priority: the last ones are off if
        // no texture unit is left.
        let mut used_units = self.textures.iter().flatten().count();
        let mut has_unit = |is_on: bool| {
            let has_unit = is_on && used_units < Material::MAX_TEXTURES;
            used_units += usize::from(has_unit);
            has_unit
        };
        let has_shadow_map = has_unit(self.has_sun_shadow || self.has_sampled_light);
        self.has_sun_shadow &= has_shadow_map;
        self.has_sampled_light &= has_shadow_map;
        self.reads_reflective_shadow_map = has_unit(self.reads_reflective_shadow_map && self.has_sampled_light);
        self.reads_translucent_shadow_map = has_unit(self.reads_translucent_shadow_map && self.has_sampled_light);
        // The depth of the occlusion is that of opaque surfaces.
        let is_opaque = self.alpha != Alpha::Blend && !self.features.has(MaterialFeature::Transmission);
        let may_be_occluded = !self.has_sampled_light && self.shading == Shading::Lit && is_opaque;
        self.has_ambient_occlusion = has_unit(self.has_ambient_occlusion && may_be_occluded);
        self.has_environment_cube_map = has_unit(self.has_environment_cube_map && self.has_environment);
        if !self.has_environment || self.has_sampled_light {
            // Occlusion affects only the environment's light without a sampled light.
            self.textures[TextureSlot::Occlusion as usize] = None;
        }
        if self.facing == Facing::PerDraw && !self.has_normals && self.output != ShaderOutput::ReflectiveShadowMap {
            self.facing = Facing::Ignored;
        }
        let has = |slot: TextureSlot| self.textures[slot as usize].is_some();
        let normal_mapped = has(TextureSlot::Normal) || has(TextureSlot::ClearcoatNormal);
        let anisotropic = self.features.has(MaterialFeature::Anisotropy);
        self.has_tangents &= is_feedback || (self.has_normals && (normal_mapped || anisotropic));
        if anisotropic && !self.has_tangents && self.tex_coord_sets == 0 {
            // Without tangents or texture coordinates anisotropy has no direction.
            self.features = self.features.without(MaterialFeature::Anisotropy);
        }
        self.has_texture_transforms &= self.textures != [None; TextureSlot::COUNT];
        self.has_texture_lod_bias &= self.textures != [None; TextureSlot::COUNT];
        // Anisotropy reads the first set without a texture, too.
        let anisotropy = self.features.has(MaterialFeature::Anisotropy).then_some(0);
        let last_set = self.textures.iter().flatten().copied().chain(anisotropy).max();
        self.tex_coord_sets = self.tex_coord_sets.min(last_set.map_or(0, |set| usize::from(set) + 1));
        self
    }

    /// Returns the key of the shader that writes depth with the same alpha test.
    pub(crate) fn for_depth(mut self) -> Self {
        (self.shading, self.output, self.has_inverse_tone_mapping) = (Shading::Unlit, ShaderOutput::Depth, false);
        match self.alpha {
            Alpha::Opaque => (self.has_colors, self.textures[TextureSlot::BaseColor as usize]) = (false, None),
            Alpha::Mask | Alpha::Coverage | Alpha::Blend => self.alpha = Alpha::Mask,
        }
        self.simplified()
    }

    /// Returns the key of the shader that writes a reflective shadow map with the same alpha test.
    pub(crate) fn for_reflective_shadow_map(mut self) -> Self {
        (self.output, self.has_normals, self.has_inverse_tone_mapping) =
            (ShaderOutput::ReflectiveShadowMap, false, false);
        (self.has_environment, self.tone_mapping, self.reads_reflective_shadow_map) = (false, ToneMapping::None, false);
        self.features = MaterialFeatures::default();
        if self.facing == Facing::Ignored {
            self.facing = Facing::PerDraw;
        }
        if self.alpha != Alpha::Opaque {
            self.alpha = Alpha::Mask;
        }
        if !self.has_sampled_light {
            // Only the color is written.
            self.shading = Shading::Unlit;
        }
        let is_used = |slot| matches!(slot, TextureSlot::BaseColor | TextureSlot::MetallicRoughness);
        for slot in TextureSlot::ALL.into_iter().filter(|slot| !is_used(*slot)) {
            self.textures[slot as usize] = None;
        }
        self.simplified()
    }

    /// Returns the key of the shader that writes the G-buffer with the same alpha test.
    pub(crate) fn for_g_buffer(mut self) -> Self {
        (self.output, self.has_environment_cube_map, self.has_ambient_occlusion) =
            (ShaderOutput::GBuffer, false, false);
        (self.tone_mapping, self.has_inverse_tone_mapping) = (ToneMapping::None, false);
        self.features = MaterialFeatures::default();
        if self.alpha != Alpha::Opaque {
            self.alpha = Alpha::Mask;
        }
        let is_used =
            |slot| matches!(slot, TextureSlot::BaseColor | TextureSlot::MetallicRoughness | TextureSlot::Emissive);
        for slot in TextureSlot::ALL.into_iter().filter(|slot| !is_used(*slot)) {
            self.textures[slot as usize] = None;
        }
        self.simplified()
    }

    /// Returns the key of the shader that writes a translucent shadow map.
    pub(crate) fn for_translucent_shadow_map(mut self) -> Self {
        (self.output, self.has_inverse_tone_mapping) = (ShaderOutput::TranslucentShadowMap, false);
        (self.has_environment, self.tone_mapping) = (false, ToneMapping::None);
        self.textures[TextureSlot::Emissive as usize] = None;
        if self.facing == Facing::Ignored {
            self.facing = Facing::PerDraw;
        }
        self.simplified()
    }

    /// Returns the vertex shader outputs that transform feedback writes, in order.
    pub(crate) fn feedback_outputs(&self) -> Vec<&'static str> {
        let mut outputs = vec!["position_in_world", "winding_sign"];
        if self.has_normals {
            outputs.push("normal_in_world");
        }
        if self.has_tangents {
            outputs.push("tangent_in_world");
        }
        outputs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_texture_coordinate_sets_are_cleared() {
        let mut key =
            ShaderKey { tex_coord_sets: 3, has_texture_transforms: true, ..ShaderKey::minimal(MatrixFormat::Mat3x4) };
        let sets_of = |key: &ShaderKey| {
            let key = key.clone().simplified();
            (key.tex_coord_sets, key.has_texture_transforms)
        };
        assert_eq!(sets_of(&key), (0, false));
        key.textures[TextureSlot::BaseColor as usize] = Some(1);
        assert_eq!(sets_of(&key), (2, true));
        key.textures = [None; TextureSlot::COUNT];
        (key.has_normals, key.features) = (true, MaterialFeatures::default().with(MaterialFeature::Anisotropy));
        assert_eq!(sets_of(&key), (1, false));
    }
}
