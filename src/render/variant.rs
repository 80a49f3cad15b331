//! The one mesh shader, compiled for what a draw needs and no more.

use super::debug_view_shader::DebugViewShaders;
use super::material_features::{Layer, Layers};
use super::palette_source::PaletteSource;
use super::uniforms::{DRAW_BINDING, FRAME_BINDING, GROUND_BINDING, LAYERS_BINDING};
use crate::gpu::{ColorSpace, Gpu, GpuError, Program, ProgramSource, shader_source, shader_source_of};
use crate::model::{Material, TextureRef};
use crate::palette::MatrixFormat;
use crate::scene::{Environment, Light, LightSource, MAX_LIGHTS, ToneMapping};
use std::collections::HashMap;
use std::rc::Rc;

/// Attribute numbers.
pub(crate) mod attribute {
    /// Three floats.
    pub(crate) const POSITION: u32 = 0;
    /// Three floats.
    pub(crate) const NORMAL: u32 = 1;
    /// Four floats.
    pub(crate) const TANGENT: u32 = 2;
    /// Four floats.
    pub(crate) const COLOR: u32 = 3;
    /// Two floats, for up to four sets.
    pub(crate) const TEX_COORDS: u32 = 4;
    /// Up to four integers, twice.
    pub(crate) const SLOTS: u32 = 8;
    /// Up to four floats, twice.
    pub(crate) const WEIGHTS: u32 = 10;
    /// Two integers.
    pub(crate) const MORPH_RUN: u32 = 12;
    /// One float: what the weights of the file sum to, less 1. Zero where it is missing.
    pub(crate) const WEIGHT_EXCESS: u32 = 13;
}

/// Texture units.
pub(crate) mod unit {
    /// Textures of the plain material, in the order of [`TextureSlot`](super::TextureRole).
    pub(crate) const MATERIAL: u32 = 0;
    /// Matrices.
    pub(crate) const PALETTE_MATRICES: u32 = 5;
    /// Morph weights; often the same texels.
    pub(crate) const PALETTE_WEIGHTS: u32 = 6;
    /// Morph targets.
    pub(crate) const MORPH_DELTAS: u32 = 7;
    /// Light from all around.
    pub(crate) const ENVIRONMENT: u32 = 8;
    /// What is opaque, for what it shines through.
    pub(crate) const BEHIND: u32 = 9;
    /// What fibers return in all.
    pub(crate) const SHEEN_ALBEDO: u32 = 10;
    /// What the sun sees.
    pub(crate) const SUN: u32 = 11;
    /// What a look knows of each matrix.
    pub(crate) const LOOK_TABLE: u32 = 15;
    /// Textures of layers, in the order of their roles. A fragment shader uses at most 16 of all these.
    pub(crate) const LAYERS: u32 = 16;
    /// How many there are.
    pub(crate) const COUNT: u32 = LAYERS + super::TextureSlot::OF_LAYERS as u32;
}

/// Where the palette is bound where it is a block or a storage buffer.
pub(crate) const PALETTE_BINDING: u32 = 6;
/// The palette where it is an array of uniforms.
pub(crate) const PALETTE_UNIFORMS: &str = "palette_texels";

/// What a texture is for; its number is its place among the material's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextureSlot {
    /// Color and opacity.
    BaseColor,
    /// Roughness in green, metalness in blue.
    MetallicRoughness,
    /// Emitted light.
    Emissive,
    /// Ambient occlusion in red.
    Occlusion,
    /// Normals in tangent space.
    Normal,
    /// Strength of a dielectric's reflections.
    Specular,
    /// Their color; or, in old files, color and gloss of all reflections.
    SpecularColor,
    /// Share of the coat.
    Clearcoat,
    /// Its roughness.
    ClearcoatRoughness,
    /// Its normals.
    ClearcoatNormal,
    /// Color of the fibers.
    SheenColor,
    /// Their roughness.
    SheenRoughness,
    /// How and which way highlights are drawn out.
    Anisotropy,
    /// Share of the film.
    Iridescence,
    /// Its thickness.
    IridescenceThickness,
    /// Share of light that passes through.
    Transmission,
    /// Thickness of the volume.
    Thickness,
    /// Share of light that seeps through.
    DiffuseTransmission,
    /// Its color.
    DiffuseTransmissionColor,
}

/// What a shader is compiled with for a tone mapping.
pub(crate) fn tone_constants(tone_mapping: ToneMapping) -> impl Iterator<Item = &'static str> {
    let name = match tone_mapping {
        ToneMapping::None => None,
        ToneMapping::Neutral => Some("TONE_NEUTRAL"),
        ToneMapping::Aces => Some("TONE_ACES"),
        ToneMapping::Agx => Some("TONE_AGX"),
    };
    name.into_iter().flat_map(|name| ["TONE_MAPPING", name])
}

impl TextureSlot {
    /// The texture that a material has for this, whether it shows or not.
    pub(crate) fn of(self, material: &Material) -> Option<TextureRef> {
        material.textures[crate::model::TextureSlot::ALL[self as usize]]
    }

    /// The rows of what is done to its coordinates.
    pub(crate) fn transform_rows(self, material: &Material) -> [[f32; 4]; 2] {
        let transform = self.of(material).map(|texture| texture.transform).unwrap_or_default();
        transform.rows().map(|[x, y, offset]| [x, y, offset, 0.0])
    }
}

/// How many roles there are.
pub(crate) const ROLES: usize = TextureSlot::ALL.len();

/// A role with the names of its sampler, and of its set of texture coordinates, in the shaders.
const ROLE_NAMES: [(TextureSlot, &str, &str); ROLES] = [
    (TextureSlot::BaseColor, "base_color_texture", "BASE_COLOR_SET"),
    (TextureSlot::MetallicRoughness, "metallic_roughness_texture", "METALLIC_ROUGHNESS_SET"),
    (TextureSlot::Emissive, "emissive_texture", "EMISSIVE_SET"),
    (TextureSlot::Occlusion, "occlusion_texture", "OCCLUSION_SET"),
    (TextureSlot::Normal, "normal_texture", "NORMAL_SET"),
    (TextureSlot::Specular, "specular_texture", "SPECULAR_SET"),
    (TextureSlot::SpecularColor, "specular_color_texture", "SPECULAR_COLOR_SET"),
    (TextureSlot::Clearcoat, "clearcoat_texture", "CLEARCOAT_SET"),
    (TextureSlot::ClearcoatRoughness, "clearcoat_roughness_texture", "CLEARCOAT_ROUGHNESS_SET"),
    (TextureSlot::ClearcoatNormal, "clearcoat_normal_texture", "CLEARCOAT_NORMAL_SET"),
    (TextureSlot::SheenColor, "sheen_color_texture", "SHEEN_COLOR_SET"),
    (TextureSlot::SheenRoughness, "sheen_roughness_texture", "SHEEN_ROUGHNESS_SET"),
    (TextureSlot::Anisotropy, "anisotropy_texture", "ANISOTROPY_SET"),
    (TextureSlot::Iridescence, "iridescence_texture", "IRIDESCENCE_SET"),
    (TextureSlot::IridescenceThickness, "iridescence_thickness_texture", "IRIDESCENCE_THICKNESS_SET"),
    (TextureSlot::Transmission, "transmission_texture", "TRANSMISSION_SET"),
    (TextureSlot::Thickness, "thickness_texture", "THICKNESS_SET"),
    (TextureSlot::DiffuseTransmission, "diffuse_transmission_texture", "DIFFUSE_TRANSMISSION_SET"),
    (TextureSlot::DiffuseTransmissionColor, "diffuse_transmission_color_texture", "DIFFUSE_TRANSMISSION_COLOR_SET"),
];

impl TextureSlot {
    /// Every role, in order.
    pub(crate) const ALL: [Self; 19] = [
        Self::BaseColor,
        Self::MetallicRoughness,
        Self::Emissive,
        Self::Occlusion,
        Self::Normal,
        Self::Specular,
        Self::SpecularColor,
        Self::Clearcoat,
        Self::ClearcoatRoughness,
        Self::ClearcoatNormal,
        Self::SheenColor,
        Self::SheenRoughness,
        Self::Anisotropy,
        Self::Iridescence,
        Self::IridescenceThickness,
        Self::Transmission,
        Self::Thickness,
        Self::DiffuseTransmission,
        Self::DiffuseTransmissionColor,
    ];
    /// The first that a layer has.
    pub(crate) const FIRST_OF_LAYERS: usize = Self::Specular as usize;
    /// How many layers have.
    pub(crate) const OF_LAYERS: usize = Self::ALL.len() - Self::FIRST_OF_LAYERS;

    /// The texture unit that its texture is shown at.
    pub(crate) fn unit(self) -> u32 {
        match (self as usize).checked_sub(Self::FIRST_OF_LAYERS) {
            None => unit::MATERIAL + self as u32,
            Some(number) => unit::LAYERS + number as u32,
        }
    }

    /// How the numbers of its texture are meant. A role that looks at opacity alone takes either, and so may share a
    /// picture with the color that it usually lies beside.
    pub(crate) fn color_space(self) -> ColorSpace {
        match self {
            Self::BaseColor
            | Self::Emissive
            | Self::Specular
            | Self::SpecularColor
            | Self::SheenColor
            | Self::SheenRoughness
            | Self::DiffuseTransmission
            | Self::DiffuseTransmissionColor => ColorSpace::Srgb,
            _ => ColorSpace::Linear,
        }
    }
}

/// What opacity does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Alpha {
    /// Nothing.
    Opaque,
    /// It cuts holes.
    Mask,
    /// It cuts holes whose edges cover a share of a pixel's samples.
    Coverage,
    /// It lets shine through.
    Blend,
}

/// Whether light is reckoned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shading {
    /// It is not.
    Unlit,
    /// It is.
    Lit,
}

/// Which lights there are besides the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lights {
    /// None.
    None,
    /// All of them far away.
    Parallel,
    /// Some with a place.
    Placed,
}

impl Lights {
    /// The kind of some lights.
    pub(crate) fn of(lights: &[Light]) -> Self {
        match lights {
            [] => Self::None,
            _ if lights.iter().any(|light| matches!(light.source, LightSource::Punctual { .. })) => Self::Placed,
            _ => Self::Parallel,
        }
    }
}

/// Whether the fragment shader asks which side of a surface it sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Facing {
    /// It does not.
    Ignored,
    /// It does; all matrices mirror or none does.
    Uniform,
    /// It does, and each vertex tells whether its matrix mirrors.
    PerVertex,
}

/// What a compiled variant can do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Variant {
    /// Matrices blended for a vertex: 0 for a rigid mesh, else 1, 2, 4 or 8.
    pub(crate) influences: usize,
    /// How matrices lie in texels.
    pub(crate) packing: MatrixFormat,
    /// How the palette comes, and the texels of an instance where it comes by instances.
    pub(crate) palette_source: (PaletteSource, usize),
    /// Texels of one target's deltas for one vertex; 0 without morph targets.
    pub(crate) morph_texels: usize,
    /// Whether vertices have normals.
    pub(crate) normals: bool,
    /// Whether vertices have tangents.
    pub(crate) tangents: bool,
    /// Whether vertices have colors.
    pub(crate) colors: bool,
    /// Sets of texture coordinates.
    pub(crate) tex_coord_sets: usize,
    /// For each role, the set that its texture takes.
    pub(crate) textures: [Option<u8>; ROLES],
    /// Whether texture coordinates are moved.
    pub(crate) texture_transforms: bool,
    /// What opacity does.
    pub(crate) alpha: Alpha,
    /// Whether light is reckoned.
    pub(crate) shading: Shading,
    /// Which lights there are.
    pub(crate) lights: Lights,
    /// Whether shadows fall where one of them is the sun.
    pub(crate) sun_shadow: bool,
    /// Whether there is light from all around.
    pub(crate) environment: bool,
    /// What extensions add.
    pub(crate) layers: Layers,
    /// What becomes of bright light.
    pub(crate) tone_mapping: ToneMapping,
    /// Which sides are told apart.
    pub(crate) facing: Facing,
    /// Whether each vertex follows its strongest joint alone.
    pub(crate) rigid_skinning: bool,
    /// Whether distances are drawn instead of colors.
    pub(crate) distances: bool,
    /// Whether vertices are read back instead of drawn.
    pub(crate) feedback: bool,
}

impl Variant {
    /// One that uses every parameter, to ask a driver where it puts them.
    pub(crate) fn with_everything() -> Self {
        Self {
            influences: 8,
            packing: MatrixFormat::Mat3x4,
            palette_source: Default::default(),
            morph_texels: 3,
            normals: true,
            tangents: true,
            colors: true,
            tex_coord_sets: 4,
            // No more than any driver takes: the layers' blocks are there with one texture of theirs.
            textures: TextureSlot::ALL.map(|role| match role as usize {
                number @ 0..5 => Some(number as u8 % 4),
                _ => (role == TextureSlot::ClearcoatNormal).then_some(0),
            }),
            texture_transforms: true,
            alpha: Alpha::Blend,
            shading: Shading::Lit,
            lights: Lights::Placed,
            sun_shadow: true,
            environment: true,
            layers: Layers::all(),
            tone_mapping: ToneMapping::Neutral,
            facing: Facing::PerVertex,
            rigid_skinning: false,
            distances: false,
            feedback: false,
        }
    }

    /// The same variant without what its fragment shader would not look at.
    pub(crate) fn simplified(mut self) -> Self {
        if self.shading == Shading::Unlit {
            self.textures[1..].fill(None);
            self.normals &= self.feedback;
            (self.lights, self.environment, self.tone_mapping) = (Lights::None, false, ToneMapping::None);
            (self.sun_shadow, self.layers) = (false, Layers::default());
        }
        if self.textures.iter().flatten().count() >= Material::MAX_TEXTURES {
            // A shader takes no more.
            self.sun_shadow = false;
        }
        if !self.environment {
            // There is no light from all around to be occluded.
            self.textures[TextureSlot::Occlusion as usize] = None;
        }
        if self.facing == Facing::Uniform && !self.normals {
            self.facing = Facing::Ignored;
        }
        let has = |role: TextureSlot| self.textures[role as usize].is_some();
        let bends = has(TextureSlot::Normal) || has(TextureSlot::ClearcoatNormal);
        let turns = self.layers.has(Layer::Anisotropy);
        self.tangents &= self.feedback || (self.normals && (bends || turns));
        if turns && !self.tangents && self.tex_coord_sets == 0 {
            // Nothing tells which way.
            self.layers = self.layers.without(Layer::Anisotropy);
        }
        if self.textures == [None; ROLES] && !self.layers.has(Layer::Anisotropy) {
            (self.tex_coord_sets, self.texture_transforms) = (0, false);
        }
        self
    }

    /// The variant that draws distances, with the same holes.
    pub(crate) fn of_distances(mut self) -> Self {
        (self.shading, self.distances) = (Shading::Unlit, true);
        match self.alpha {
            Alpha::Opaque => (self.colors, self.textures[TextureSlot::BaseColor as usize]) = (false, None),
            Alpha::Mask | Alpha::Coverage | Alpha::Blend => self.alpha = Alpha::Mask,
        }
        self.simplified()
    }

    /// Outputs that are read back, in order.
    pub(crate) fn feedback_outputs(&self) -> Vec<&'static str> {
        let mut outputs = vec!["position_in_world", "handedness"];
        if self.normals {
            outputs.push("normal_in_world");
        }
        if self.tangents {
            outputs.push("tangent_in_world");
        }
        outputs
    }

    fn constants(&self) -> Vec<(&'static str, String)> {
        let mut constants = vec![
            ("MAX_LIGHTS", MAX_LIGHTS.to_string()),
            ("ATTRIBUTE_POSITION", attribute::POSITION.to_string()),
            ("ATTRIBUTE_NORMAL", attribute::NORMAL.to_string()),
            ("ATTRIBUTE_TANGENT", attribute::TANGENT.to_string()),
            ("ATTRIBUTE_COLOR", attribute::COLOR.to_string()),
            ("ATTRIBUTE_TEX_COORDS", attribute::TEX_COORDS.to_string()),
            ("ATTRIBUTE_SLOTS", attribute::SLOTS.to_string()),
            ("ATTRIBUTE_WEIGHTS", attribute::WEIGHTS.to_string()),
            ("ATTRIBUTE_MORPH_RUN", attribute::MORPH_RUN.to_string()),
            ("INFLUENCES", self.influences.to_string()),
            ("TEXELS_PER_MATRIX", self.packing.texels_per_matrix().to_string()),
            ("TEX_COORD_SETS", self.tex_coord_sets.to_string()),
        ];
        match self.palette_source {
            (PaletteSource::BufferTexture, _) => {}
            (PaletteSource::UniformArray, texels) => constants.push(("PALETTE_UNIFORMS", texels.to_string())),
            (PaletteSource::UniformBlock, texels) => constants.push(("PALETTE_BLOCK", texels.to_string())),
            (PaletteSource::StorageBuffer, _) => constants.push(("PALETTE_STORAGE", PALETTE_BINDING.to_string())),
        }
        if self.morph_texels > 0 {
            constants.push(("MORPH_TEXELS", self.morph_texels.to_string()));
        }
        let sets = ROLE_NAMES.iter().zip(self.textures);
        constants.extend(sets.filter_map(|((_, _, name), set)| Some((*name, set?.to_string()))));
        if self.layers.any() {
            constants.push(("LAYERS", "1".into()));
            constants.extend(self.layers.names().map(|name| (name, String::from("1"))));
            constants.push(("SHEEN_SIDE", format!("{}.0", super::sheen_albedo_lut::SIDE)));
        }
        if self.environment {
            constants.push(("ENVIRONMENT_LAYERS", format!("{}.0", Environment::LAYERS)));
        }
        constants.extend(tone_constants(self.tone_mapping).map(|name| (name, String::from("1"))));
        let flags = [
            ("POSITION_OUT", self.shading != Shading::Unlit || self.feedback),
            ("NORMALS", self.normals),
            ("TANGENTS", self.tangents),
            ("COLORS", self.colors),
            ("TEXTURE_TRANSFORMS", self.texture_transforms),
            ("ALPHA_MASK", self.alpha == Alpha::Mask),
            ("ALPHA_BLEND", self.alpha == Alpha::Blend),
            ("LIGHTS", self.lights != Lights::None),
            ("PLACED_LIGHTS", self.lights == Lights::Placed),
            ("SUN_SHADOW", self.sun_shadow),
            ("ALPHA_COVERAGE", self.alpha == Alpha::Coverage),
            ("DISTANCES", self.distances),
            ("UNLIT", self.shading == Shading::Unlit),
            ("FACING", self.facing != Facing::Ignored),
            ("HANDEDNESS_OUT", self.facing == Facing::PerVertex || self.feedback),
            ("ONE_BONE", self.rigid_skinning),
        ];
        constants.extend(flags.into_iter().filter(|(_, on)| *on).map(|(name, _)| (name, String::from("1"))));
        constants
    }

    fn compile(&self, gpu: &Rc<Gpu>) -> Result<Program, GpuError> {
        let (constants, outputs) = (self.constants(), self.feedback_outputs());
        let blocks = include_str!("../../shaders/uniforms.glsl");
        let version = if self.palette_source.0 == PaletteSource::StorageBuffer { 430 } else { 330 };
        let vertex = shader_source_of(version, &constants, &[blocks, include_str!("../../shaders/mesh.vert")]);
        let mut files = vec![blocks];
        if self.shading != Shading::Unlit {
            files.push(include_str!("../../shaders/brdf.glsl"));
        }
        if self.environment {
            files.push(include_str!("../../shaders/environment.glsl"));
        }
        if self.tone_mapping != ToneMapping::None {
            files.push(include_str!("../../shaders/tone.glsl"));
        }
        if self.layers.any() {
            files.push(include_str!("../../shaders/material_features.glsl"));
        }
        if self.sun_shadow {
            files.push(include_str!("../../shaders/shadow.glsl"));
        }
        files.push(include_str!("../../shaders/mesh.frag"));
        if self.layers.any() {
            files.push(include_str!("../../shaders/material_feature_inputs.glsl"));
        }
        let fragment = (!self.feedback).then(|| shader_source(&constants, &files));
        let mut samplers = vec![
            ("palette_matrices", unit::PALETTE_MATRICES),
            ("palette_weights", unit::PALETTE_WEIGHTS),
            ("morph_deltas", unit::MORPH_DELTAS),
            ("environment_layers", unit::ENVIRONMENT),
            ("behind", unit::BEHIND),
            ("sheen_albedo", unit::SHEEN_ALBEDO),
            ("seen_by_sun", unit::SUN),
        ];
        samplers.extend(ROLE_NAMES.iter().map(|(role, name, _)| (*name, role.unit())));
        Program::new(
            gpu,
            &ProgramSource {
                name: "the mesh shader",
                vertex: &vertex,
                fragment: fragment.as_deref(),
                feedback: if self.feedback { &outputs } else { &[] },
                blocks: &[
                    ("FrameBlock", FRAME_BINDING),
                    ("DrawBlock", DRAW_BINDING),
                    ("LayersBlock", LAYERS_BINDING),
                    ("GroundBlock", GROUND_BINDING),
                    ("PaletteBlock", PALETTE_BINDING),
                ],
                samplers: &samplers,
            },
        )
    }
}

/// The variants compiled so far.
#[derive(Default)]
pub(crate) struct ShaderCache {
    /// Those that show something else than materials.
    pub(crate) looks: DebugViewShaders,
    programs: HashMap<Variant, Rc<Program>>,
}

impl ShaderCache {
    /// The program of a variant, compiled when it is first asked for.
    pub(crate) fn get(&mut self, gpu: &Rc<Gpu>, variant: &Variant) -> Result<Rc<Program>, GpuError> {
        if let Some(program) = self.programs.get(variant) {
            return Ok(Rc::clone(program));
        }
        let program = Rc::new(variant.compile(gpu)?);
        self.programs.insert(variant.clone(), Rc::clone(&program));
        Ok(program)
    }
}
