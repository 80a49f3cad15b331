//! Parameters as the shaders see them: `shaders/uniforms.glsl` and `shaders/resolve.frag` have the same structs.

use super::material_features::MaterialFeatureUniforms;
use crate::scene::MAX_LIGHTS;
use bytemuck::{Pod, Zeroable};
use std::mem::offset_of;

/// Binding point of [`FrameUniforms`], and of [`EncodeUniforms`] in the other pass.
pub(crate) const FRAME_BINDING: u32 = 0;
/// Binding point of [`DrawUniforms`].
pub(crate) const DRAW_BINDING: u32 = 1;
/// Binding point of [`MaterialFeatureUniforms`].
pub(crate) const LAYERS_BINDING: u32 = 3;
/// Binding point of [`ShadowCatcherUniforms`].
pub(crate) const GROUND_BINDING: u32 = 4;
/// Binding point of [`BackgroundUniforms`].
pub(crate) const BACKDROP_BINDING: u32 = 5;

/// What all draws of a frame share.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct FrameUniforms {
    /// From the world to OpenGL's cube, column by column.
    pub(crate) projection_from_world: [[f32; 4]; 4],
    /// Where the camera stands, and 1; for parallel rays the direction towards it, and 0.
    pub(crate) eye_in_world: [f32; 4],
    /// Cosine and sine of the environment's turn about Y, half the share of its texels that lie within its border, and
    /// what its light is multiplied with.
    pub(crate) environment: [f32; 4],
    /// What a white diffuse surface returns of it, by its normal: nine coefficients, as the environment has them.
    pub(crate) irradiance: [[f32; 4]; 9],
    /// Where lights stand, and 1; for parallel light the unit vector towards it, and 0.
    pub(crate) light_in_world: [[f32; 4]; MAX_LIGHTS],
    /// Their colors times lux or candela; in the last number one over the square of their range, 0 without one.
    pub(crate) light_color: [[f32; 4]; MAX_LIGHTS],
    /// Axes of their cones, and a number: the scalar product of the direction of light with the axis, plus the number,
    /// is 1 where light begins to fade, and 0 where it has faded.
    pub(crate) light_cone: [[f32; 4]; MAX_LIGHTS],
    /// How many of them there are.
    pub(crate) light_count: i32,
    /// What light is multiplied with before it becomes a picture.
    pub(crate) exposure: f32,
    /// Which of them is the sun whose shadows are shown; none where it is negative.
    pub(crate) sun: i32,
    pub(crate) padding: i32,
}

/// What one draw call needs to know.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct DrawUniforms {
    /// Texel of the first instance's matrix for slot 0.
    pub(crate) first_matrix: i32,
    /// Texel of the first instance's morph weights.
    pub(crate) first_weights: i32,
    /// Texels from an instance to the next.
    pub(crate) stride: i32,
    /// Which sides of a surface are drawn where culling cannot tell: 1 fronts, -1 backs, 0 both.
    pub(crate) side: f32,
    /// Linear color and opacity.
    pub(crate) base_color: [f32; 4],
    /// Emitted light, linear; in the last number the smallest opacity that is drawn.
    pub(crate) emissive: [f32; 4],
    /// 0 for dielectrics, 1 for metals.
    pub(crate) metallic: f32,
    /// Perceptual roughness.
    pub(crate) roughness: f32,
    /// How strongly occlusion is applied.
    pub(crate) occlusion_strength: f32,
    /// 1 where front faces run counter-clockwise, -1 where all matrices mirror.
    pub(crate) handedness: f32,
    /// How far the normal texture bends normals.
    pub(crate) normal_scale: f32,
    /// The entry of the look's table for slot 0.
    pub(crate) first_entry: i32,
    /// Arrays begin at multiples of 16 bytes.
    pub(crate) padding: [f32; 2],
    /// For each texture two rows of what is done to its coordinates.
    pub(crate) texture_transform: [[f32; 4]; 10],
}

/// What turns linear light into the picture.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct EncodeUniforms {
    /// The background as it appears, encoded.
    pub(crate) background: [f32; 4],
    /// The same, linear.
    pub(crate) background_linear: [f32; 4],
    /// Width and height of the picture in pixels, and their inverses.
    pub(crate) size: [f32; 4],
    /// The row of the picture that is the scene's first.
    pub(crate) first_row: i32,
    /// Pixels of the scene, each way, for one that is written.
    pub(crate) step: i32,
    /// Blocks are multiples of 16 bytes.
    pub(crate) padding: [i32; 2],
}

/// Ground and the sun that it lies in: the same struct as in `shaders/shadow_catcher.vert` and `shaders/shadow.glsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct ShadowCatcherUniforms {
    /// From the world to OpenGL's cube, seen by the viewer.
    pub(crate) projection_from_world: [[f32; 4]; 4],
    /// From the world to the sun's picture: 0 to 1 each way, and 0 to 1 away from the sun.
    pub(crate) shadow_from_world: [[f32; 4]; 4],
    /// The ground's middle, and how far from there it fades to nothing.
    pub(crate) center: [f32; 4],
    /// Meters along the side of the sun's picture; meters that its depth holds; how much wider a shadow's edge is for each
    /// meter from what casts it; and the share of light that the darkest shadow takes.
    pub(crate) sun: [f32; 4],
}

/// Where the eye looks: the same struct as in `shaders/background.vert`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct BackgroundUniforms {
    /// From the middle of the picture to its right edge, one unit ahead.
    pub(crate) right_in_world: [f32; 4],
    /// From the middle of the picture to its upper edge, one unit ahead.
    pub(crate) up_in_world: [f32; 4],
    /// One unit ahead, and how rough a mirror would blur as much, 0 to 1.
    pub(crate) ahead_in_world: [f32; 4],
}

const _: () = assert!(size_of::<BackgroundUniforms>() == 3 * 16);
const _: () = assert!(size_of::<ShadowCatcherUniforms>() == 2 * 64 + 2 * 16);
const _: () = assert!(size_of::<FrameUniforms>() == 64 + 2 * 16 + 9 * 16 + 3 * 16 * MAX_LIGHTS + 16);
const _: () = assert!(size_of::<DrawUniforms>() == 16 + 2 * 16 + 2 * 16 + 10 * 16);
const _: () = assert!(size_of::<EncodeUniforms>() == 64);

/// The members of a block as Rust lays them out.
pub(crate) struct BlockLayout {
    /// Its name in GLSL.
    pub(crate) name: &'static str,
    /// Names and byte offsets, in order.
    pub(crate) members: &'static [(&'static str, usize)],
}

macro_rules! layout {
    ($block:ident { $($member:ident),* $(,)? }) => {
        BlockLayout { name: stringify!($block), members: &[$((stringify!($member), offset_of!($block, $member))),*] }
    };
}

/// [`FrameUniforms`].
pub(crate) const FRAME_LAYOUT: BlockLayout = layout!(FrameUniforms {
    projection_from_world,
    eye_in_world,
    environment,
    irradiance,
    light_in_world,
    light_color,
    light_cone,
    light_count,
    exposure,
    sun,
});

/// [`BackgroundUniforms`].
#[cfg(test)]
const BACKDROP_LAYOUT: BlockLayout = layout!(BackgroundUniforms { right_in_world, up_in_world, ahead_in_world });

/// [`DrawUniforms`].
pub(crate) const DRAW_LAYOUT: BlockLayout = layout!(DrawUniforms {
    first_matrix,
    first_weights,
    stride,
    side,
    base_color,
    emissive,
    metallic,
    roughness,
    occlusion_strength,
    handedness,
    normal_scale,
    first_entry,
    texture_transform,
});

/// [`MaterialFeatureUniforms`].
pub(crate) const LAYERS_LAYOUT: BlockLayout = layout!(MaterialFeatureUniforms {
    specular,
    sheen,
    absorption,
    diffuse_transmission,
    ior,
    clearcoat,
    clearcoat_roughness,
    clearcoat_normal_scale,
    anisotropy,
    anisotropy_cos,
    anisotropy_sin,
    iridescence,
    iridescence_ior,
    iridescence_least,
    iridescence_most,
    transmission,
    dispersion,
    layer_transform,
});

/// [`ShadowCatcherUniforms`].
#[cfg(test)]
const GROUND_LAYOUT: BlockLayout =
    layout!(ShadowCatcherUniforms { projection_from_world, shadow_from_world, center, sun });

/// [`EncodeUniforms`].
pub(crate) const ENCODE_LAYOUT: BlockLayout =
    layout!(EncodeUniforms { background, background_linear, size, first_row, step });

impl BlockLayout {
    /// Where `program` puts members elsewhere than Rust does, in words; nothing when all agree.
    pub(crate) fn differences(&self, program: &crate::gpu::Program) -> Vec<String> {
        let is_array = |name: &str| {
            matches!(
                name,
                "irradiance"
                    | "light_in_world"
                    | "light_color"
                    | "light_cone"
                    | "texture_transform"
                    | "layer_transform"
            )
        };
        let names: Vec<String> = self
            .members
            .iter()
            .map(|(member, _)| format!("{}.{member}{}", self.name, if is_array(member) { "[0]" } else { "" }))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let offsets = program.offsets_in_block(&names);
        self.members
            .iter()
            .zip(offsets)
            .filter(|((_, ours), theirs)| *theirs != Some(*ours))
            .map(|((member, ours), theirs)| {
                format!("{}.{member} is at byte {ours}, but the driver's is at {theirs:?}", self.name)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names and offsets of a block's members by the rules of std140 (OpenGL 3.3, section 2.11.4), from its GLSL text.
    fn std140(text: &str, block: &str) -> Vec<(String, usize)> {
        let start = text.find(&format!("uniform {block} {{")).expect("the block is in the text");
        let body = &text[start..][text[start..].find('{').unwrap() + 1..];
        let body = &body[..body.find('}').unwrap()];
        let mut end = 0_usize;
        let mut members = Vec::new();
        for line in body.lines().map(|line| line.split("//").next().unwrap().trim()).filter(|line| !line.is_empty()) {
            let (ty, name) = line.strip_suffix(';').expect("one member a line").split_once(' ').unwrap();
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
    fn rust_and_glsl_lay_out_the_blocks_alike() {
        let blocks = include_str!("../../shaders/uniforms.glsl");
        let encode = include_str!("../../shaders/resolve.frag");
        let layers = include_str!("../../shaders/material_features.glsl");
        for (text, layout) in [
            (blocks, &FRAME_LAYOUT),
            (blocks, &DRAW_LAYOUT),
            (layers, &LAYERS_LAYOUT),
            (encode, &ENCODE_LAYOUT),
            (include_str!("../../shaders/background.vert"), &BACKDROP_LAYOUT),
            (include_str!("../../shaders/background.frag"), &BACKDROP_LAYOUT),
            (include_str!("../../shaders/shadow_catcher.vert"), &GROUND_LAYOUT),
            (include_str!("../../shaders/shadow.glsl"), &GROUND_LAYOUT),
        ] {
            let ours: Vec<(String, usize)> =
                layout.members.iter().map(|&(name, offset)| (name.to_owned(), offset)).collect();
            assert_eq!(ours, std140(text, layout.name), "{}", layout.name);
        }
    }
}
