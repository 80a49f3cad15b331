//! Uniform blocks in std140 layout. They mirror the blocks of the same names in `shaders/`; tests compare the two.

use crate::gpu::{GpuError, MIN_UNIFORM_BLOCK_BYTES, Program};
use crate::render::texture_slot::{FEATURE_COUNT, FIRST_FEATURE};
use crate::scene::MAX_LIGHTS;
use bytemuck::{Pod, Zeroable};
use std::mem::offset_of;

/// Name and member offsets of a uniform block.
pub(crate) struct BlockLayout {
    pub(crate) name: &'static str,
    /// Names and byte offsets, in order. Names that begin with `padding` are not in GLSL.
    members: &'static [(&'static str, usize)],
}

/// Defines a uniform block and its [`BlockLayout`].
macro_rules! uniform_block {
    ($(#[$doc:meta])* $block:ident ($size:expr) { $($(#[$member_doc:meta])* $member:ident: $ty:ty,)* }) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Pod, Zeroable)]
        pub(crate) struct $block {
            $($(#[$member_doc])* pub(crate) $member: $ty,)*
        }

        impl $block {
            #[allow(dead_code, reason = "some layouts are only read by tests")]
            pub(crate) const LAYOUT: BlockLayout = BlockLayout {
                name: stringify!($block),
                members: &[$((stringify!($member), offset_of!($block, $member))),*],
            };
        }

        const _: () = assert!(size_of::<$block>() == $size && $size <= MIN_UNIFORM_BLOCK_BYTES);
    };
}

uniform_block! {
    /// Camera and lights.
    FrameUniforms (2 * 64 + 6 * 16 + 3 * 16 * MAX_LIGHTS + 3 * 16) {
        projection_from_world: [[f32; 4]; 4],
        /// Camera position and 1; for parallel rays the unit vector towards the camera and 0.
        eye_in_world: [f32; 4],
        /// Plane equation of the view depth in meters.
        view_depth: [f32; 4],
        /// Cosine and sine of the environment's rotation about Y, half the fraction of its texels within the border, and
        /// its intensity.
        environment: [f32; 4],
        /// Position and 1; for directional lights the unit vector towards the light and 0.
        light_in_world: [[f32; 4]; MAX_LIGHTS],
        /// Color times lux or candela, and 1 / range²; 0 for an infinite range.
        light_color: [[f32; 4]; MAX_LIGHTS],
        /// Cone axis and offset: the dot product of light direction and axis, plus the offset, is 1 at the inner and 0 at
        /// the outer angle.
        light_cone: [[f32; 4]; MAX_LIGHTS],
        light_count: i32,
        /// Factor applied to linear light before tone mapping.
        exposure: f32,
        /// Index of the light that casts the shadow; negative for none.
        sun: i32,
        /// Index of the sampled light; -1 for the environment, -2 for a virtual point light.
        sampled_light: i32,
        /// Light of the shadow map, which is the sampled one or the sun: position and 1; for parallel rays the unit vector towards
        /// the light and 0.
        shadow_light_in_world: [f32; 4],
        /// Illuminance of a direction of the environment, and its solid angle. Of a virtual point light the intensity
        /// along its normal, and its area.
        sampled_light_intensity: [f32; 4],
        /// Unit normal of a virtual point light.
        sampled_light_normal: [f32; 4],
        /// From the world to homogeneous coordinates and depth of the shadow map, each from 0 to 1.
        shadow_from_world: [[f32; 4]; 4],
        /// Inverse probability of the sampled light.
        shadow_inverse_probability: f32,
        /// Width of a texel of the shadow map in meters; with perspective at a distance of one meter.
        shadow_texel_width: f32,
        /// Random pair for GGX importance sampling.
        ggx_random: [f32; 2],
        /// Solid angle of one sample over that of the lobe; selects the mip level.
        ggx_sample_fraction: f32,
        /// Added to the mip level of material textures.
        texture_lod_bias: f32,
        padding: [f32; 2],
    }
}

uniform_block! {
    /// Parameters of one draw call.
    DrawUniforms (2 * 16) {
        /// Texel of the first instance's matrix for slot 0.
        first_matrix: i32,
        /// Texel of the first instance's morph weights.
        first_morph_weights: i32,
        /// Texels per instance.
        stride: i32,
        /// Sides to draw where culling cannot decide: 1 front, -1 back, 0 both.
        side: f32,
        /// Sign of the winding order: 1 where front faces are counter-clockwise, -1 where all matrices mirror.
        winding_sign: f32,
        /// Entry of the debug view's table for slot 0.
        first_table_entry: i32,
        /// Width of the base color texture in texels, after its transform: the root of texels per unit square of texture coordinates.
        texels_per_uv: f32,
        padding: f32,
    }
}

uniform_block! {
    /// Core factors of a material.
    MaterialUniforms (3 * 16 + 10 * 16) {
        /// Linear color and opacity.
        base_color: [f32; 4],
        /// Linear emission and the alpha cutoff.
        emissive: [f32; 4],
        metallic: f32,
        /// Perceptual roughness.
        roughness: f32,
        occlusion_strength: f32,
        normal_scale: f32,
        /// Two matrix rows per core texture.
        texture_transform: [[f32; 4]; 2 * FIRST_FEATURE],
    }
}

uniform_block! {
    /// Parameters of material extensions.
    MaterialFeatureUniforms (8 * 16 + 2 * 16 * FEATURE_COUNT) {
        /// Linear color of a dielectric's reflection at normal incidence, and the weight of all its reflections.
        specular: [f32; 4],
        /// Linear color and perceptual roughness.
        sheen: [f32; 4],
        /// Absorption coefficient of the volume in 1/m, and its thickness in mesh units.
        absorption: [f32; 4],
        /// Linear color and factor.
        diffuse_transmission: [f32; 4],
        ior: f32,
        clearcoat: f32,
        /// Perceptual roughness.
        clearcoat_roughness: f32,
        clearcoat_normal_scale: f32,
        anisotropy: f32,
        /// Cosine of the angle from the tangent to the direction of anisotropy.
        anisotropy_cos: f32,
        anisotropy_sin: f32,
        iridescence: f32,
        iridescence_ior: f32,
        /// Film thickness in nanometers at texel value 0.
        iridescence_thickness_min: f32,
        /// Film thickness in nanometers at texel value 1.
        iridescence_thickness_max: f32,
        transmission: f32,
        dispersion: f32,
        padding: [f32; 3],
        /// Two matrix rows per extension texture.
        feature_transform: [[f32; 4]; 2 * FEATURE_COUNT],
    }
}

uniform_block! {
    /// Parameters of the resolve pass.
    ResolveUniforms (64) {
        /// sRGB-encoded background color.
        background: [f32; 4],
        background_linear: [f32; 4],
        /// Width and height of the image in pixels, and their inverses.
        size: [f32; 4],
        /// Row of the image that is the first of the HDR image.
        first_row: i32,
        /// HDR pixels per output pixel along each axis.
        step: i32,
        /// Factor of accumulated light.
        weight: f32,
        padding: i32,
    }
}

uniform_block! {
    /// Parameters of the shadow catcher.
    ShadowCatcherUniforms (2 * 64 + 4 * 16) {
        projection_from_world: [[f32; 4]; 4],
        /// From the world to shadow map coordinates and depth, each from 0 to 1.
        shadow_from_world: [[f32; 4]; 4],
        /// Center, and the radius at which it has faded.
        place: [f32; 4],
        /// Part of the plane that the shadow reaches: least x and z, largest x and z.
        rect: [f32; 4],
        /// Depth of the plane in the shadow map: its factors of the coordinates, and its value at the origin; depth range in meters.
        plane_depth: [f32; 4],
        /// Distance along the light of the farthest caster in meters, and the same as a fraction of the map's width; sine of the
        /// angular radius of the light; strength of the shadow.
        sun: [f32; 4],
    }
}

uniform_block! {
    /// Parameters of ambient occlusion.
    AmbientOcclusionUniforms (64 + 4 * 16) {
        world_from_view: [[f32; 4]; 4],
        /// Numerator and denominator of the view depth, each linear in the depth `z` of a texel: `a z + b`, `c z + d`.
        view_depth: [f32; 4],
        /// Scale and offset from normalized device coordinates to view coordinates, at view depth 1.
        unproject: [f32; 4],
        /// Width and height of the map in texels, largest sampled distance in texels, 1 for a perspective projection.
        size: [f32; 4],
        /// Jitter of slice angle and step, from 0 to 1, per frame.
        position: [f32; 2],
        /// Unused.
        padding: [f32; 2],
    }
}

uniform_block! {
    /// View rays of the background pass.
    BackgroundUniforms (3 * 16) {
        /// From the center of the image to its right edge, at distance 1.
        right_in_world: [f32; 4],
        /// From the center of the image to its upper edge, at distance 1.
        up_in_world: [f32; 4],
        /// From the camera to the center of the image at distance 1, and the blur as a roughness from 0 to 1.
        forward_in_world: [f32; 4],
    }
}

uniform_block! {
    /// Parameters of a debug view.
    DebugViewUniforms (3 * 16) {
        /// Width and height of the image in pixels, the target of the texel density in texels per meter, and pixels per unit of line width.
        size: [f32; 4],
        /// Plane equation of the depth along the view: 0 at the near plane, 1 at the far plane.
        depth: [f32; 4],
        /// Linear color and opacity of wires or of a ghost.
        tint: [f32; 4],
    }
}

/// Members that are arrays: drivers report them as `name[0]`.
const ARRAYS: [&str; 5] = ["light_in_world", "light_color", "light_cone", "texture_transform", "feature_transform"];

impl BlockLayout {
    fn members(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.members.iter().copied().filter(|(name, _)| !name.starts_with("padding"))
    }

    /// Describes each member that `program` places at another offset than Rust does.
    ///
    /// # Errors
    /// When the program does not compile.
    pub(crate) fn mismatches(&self, program: &Program) -> Result<Vec<String>, GpuError> {
        let suffix = |name: &str| if ARRAYS.contains(&name) { "[0]" } else { "" };
        let names: Vec<String> =
            self.members().map(|(member, _)| format!("{}.{member}{}", self.name, suffix(member))).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let offsets = program.offsets_in_block(&names)?;
        let mismatches = self.members().zip(offsets).filter(|((_, ours), driver)| *driver != Some(*ours)).map(
            |((member, ours), driver)| {
                format!("{}.{member}: offset {ours} in Rust, {driver:?} in the driver", self.name)
            },
        );
        Ok(mismatches.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a block's GLSL text and lays its members out by the rules of std140 (OpenGL 3.3, section 2.11.4).
    fn std140(text: &str, block: &str) -> Vec<(String, usize)> {
        let start = text.find(&format!("uniform {block} {{")).expect("the block is in the text");
        let body = &text[start..][text[start..].find('{').unwrap() + 1..];
        let body = &body[..body.find('}').unwrap()];
        let mut end = 0_usize;
        let mut members = Vec::new();
        for line in body.lines().map(|line| line.split("//").next().unwrap().trim()).filter(|line| !line.is_empty()) {
            let (ty, name) = line.strip_suffix(';').expect("one member per line").split_once(' ').unwrap();
            let (name, count) = match name.split_once('[') {
                None => (name, None),
                Some((name, "MAX_LIGHTS]")) => (name, Some(MAX_LIGHTS)),
                Some((name, count)) => (name, Some(count.strip_suffix(']').unwrap().parse().unwrap())),
            };
            let (alignment, size) = match ty {
                "float" | "int" => (4, 4),
                "vec2" => (8, 8),
                "vec4" => (16, 16),
                "mat4" => (16, 64),
                other => panic!("no rule for {other}"),
            };
            let (alignment, size) = match count {
                None => (alignment, size),
                Some(count) => (16, usize::next_multiple_of(size, 16) * count),
            };
            let offset = end.next_multiple_of(alignment);
            members.push((name.to_owned(), offset));
            end = offset + size;
        }
        members
    }

    #[test]
    fn rust_and_glsl_blocks_have_the_same_layout() {
        let uniforms = rigview_shaders::UNIFORMS_GLSL;
        for (file, layout) in [
            (uniforms, FrameUniforms::LAYOUT),
            (uniforms, DrawUniforms::LAYOUT),
            (uniforms, MaterialUniforms::LAYOUT),
            (rigview_shaders::MATERIAL_FEATURES_GLSL, MaterialFeatureUniforms::LAYOUT),
            (rigview_shaders::RESOLVE_FRAG, ResolveUniforms::LAYOUT),
            (rigview_shaders::BACKGROUND_VERT, BackgroundUniforms::LAYOUT),
            (rigview_shaders::BACKGROUND_FRAG, BackgroundUniforms::LAYOUT),
            (rigview_shaders::SHADOW_CATCHER_GLSL, ShadowCatcherUniforms::LAYOUT),
            (rigview_shaders::DEBUG_VIEW_GLSL, DebugViewUniforms::LAYOUT),
            (rigview_shaders::AMBIENT_OCCLUSION_FRAG, AmbientOcclusionUniforms::LAYOUT),
        ] {
            let ours: Vec<(String, usize)> = layout.members().map(|(name, offset)| (name.to_owned(), offset)).collect();
            assert_eq!(ours, std140(file.text, layout.name), "{}", layout.name);
        }
    }
}
