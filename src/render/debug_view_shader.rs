//! The shaders of looks: the mesh's vertex shader with another end, compiled when first used.

use super::crowd_draw::Drawn;
use super::debug_view_pass::LOOK_BINDING;
use super::gpu_model::GpuDraw;
use super::uniforms::{DRAW_BINDING, FRAME_BINDING};
use super::variant::{attribute, unit};
use crate::gpu::{Gpu, GpuError, Program, ProgramSource, shader_source};
use crate::palette::MatrixFormat;
use crate::scene::{Frame, MAX_LIGHTS, ViewMode};
use std::collections::HashMap;
use std::rc::Rc;

/// What the meshes of a frame are drawn as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Paint {
    /// Their materials.
    Material,
    /// What a look shows; not [`ViewMode::Material`].
    DebugView(ViewMode),
    /// The edges of triangles, over what is there.
    WiresOver,
    /// A transparent shape.
    Ghost,
    /// How far away they are.
    Distances,
}

impl Paint {
    /// What a frame's surfaces are drawn as.
    pub(crate) fn of(surface: ViewMode) -> Self {
        if surface == ViewMode::Material { Self::Material } else { Self::DebugView(surface) }
    }

    /// What crowds are drawn as that the look is not about: its table knows nothing of their joints.
    pub(crate) fn of_others(self) -> Self {
        match self {
            Self::DebugView(ViewMode::Weights | ViewMode::DominantJoint | ViewMode::Stretch) => {
                Self::DebugView(ViewMode::Solid)
            }
            paint => paint,
        }
    }

    /// Whether backs of one-sided materials are drawn too.
    pub(crate) fn shows_both_sides(self) -> bool {
        matches!(self, Self::DebugView(ViewMode::Wireframe | ViewMode::FaceOrientation))
    }

    /// Whether what is behind shines through.
    pub(crate) fn blends(self) -> bool {
        matches!(self, Self::DebugView(ViewMode::Wireframe) | Self::WiresOver | Self::Ghost)
    }
}

/// What a compiled look can do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DebugViewShader {
    paint: Paint,
    /// Whether the file has what the look shows.
    missing: bool,
    influences: usize,
    packing: MatrixFormat,
    morph_texels: usize,
    triangles: bool,
    normals: bool,
    tangents: bool,
    colors: bool,
    /// Sets of texture coordinates, and the place of the first set of the file among them.
    tex_coords: Option<(usize, usize)>,
    weight_excess: bool,
    rigid_skinning: bool,
}

impl DebugViewShader {
    /// The program that draws `draw` so; `None` for its material.
    pub(crate) fn of(
        &Drawn { model, palette, .. }: &Drawn<'_>,
        draw: &GpuDraw,
        frame: &Frame<'_>,
        paint: Paint,
    ) -> Option<Self> {
        let primitive = &model.primitives[draw.primitive];
        let surface = match paint {
            Paint::Material | Paint::Distances => return None,
            Paint::DebugView(surface) => Some(surface),
            Paint::WiresOver | Paint::Ghost => None,
        };
        let shows = |asked: ViewMode| surface == Some(asked);
        let sets = &primitive.tex_coord_sets;
        let first_set = sets.iter().position(|set| *set == 0).filter(|_| primitive.has_first_tex_coords);
        let missing = match surface {
            Some(ViewMode::Normals) => !primitive.normals,
            Some(ViewMode::Tangents) => !primitive.drawn_tangents,
            Some(ViewMode::Uv) => first_set.is_none(),
            Some(ViewMode::VertexColors) => !primitive.colors,
            _ => false,
        };
        Some(Self {
            paint,
            missing,
            influences: if draw.draw.skinned { primitive.influences } else { 0 },
            packing: palette.format(),
            morph_texels: if model.morphs.is_some() { primitive.morph_texels } else { 0 },
            triangles: primitive.topology.has_triangles(),
            normals: primitive.normals,
            tangents: shows(ViewMode::Tangents) && primitive.drawn_tangents,
            colors: shows(ViewMode::VertexColors) && primitive.colors,
            tex_coords: first_set.filter(|_| shows(ViewMode::Uv)).map(|first| (sets.len(), first)),
            weight_excess: shows(ViewMode::WeightSum) && draw.draw.skinned,
            rigid_skinning: frame.debug_view.rigid_skinning && draw.draw.skinned,
        })
    }

    /// The name that the shaders know the paint by.
    fn flag(&self) -> &'static str {
        match self.paint {
            Paint::Material | Paint::Distances => unreachable!("materials have their own shader"),
            Paint::DebugView(surface) => match surface {
                ViewMode::Material => "LOOK_CLAY",
                ViewMode::Solid => "LOOK_CLAY",
                ViewMode::Weights => "LOOK_WEIGHTS",
                ViewMode::Influences => "LOOK_INFLUENCES",
                ViewMode::DominantJoint => "LOOK_DOMINANT",
                ViewMode::WeightSum => "LOOK_WEIGHT_ERROR",
                ViewMode::Stretch => "LOOK_STRETCH",
                ViewMode::Normals => "LOOK_NORMALS",
                ViewMode::Tangents => "LOOK_TANGENTS",
                ViewMode::Uv => "LOOK_UV",
                ViewMode::VertexColors => "LOOK_VERTEX_COLORS",
                ViewMode::FaceOrientation => "LOOK_FACING",
                ViewMode::Depth => "LOOK_DEPTH",
                ViewMode::Wireframe => "LOOK_WIRES",
            },
            Paint::WiresOver => "LOOK_WIRES",
            Paint::Ghost => "LOOK_GHOST",
        }
    }

    fn constants(&self) -> Vec<(&'static str, String)> {
        let (sets, first_set) = self.tex_coords.unwrap_or_default();
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
            ("ATTRIBUTE_WEIGHT_EXCESS", attribute::WEIGHT_EXCESS.to_string()),
            ("INFLUENCES", self.influences.to_string()),
            ("TEXELS_PER_MATRIX", self.packing.texels_per_matrix().to_string()),
            ("TEX_COORD_SETS", sets.to_string()),
            ("LOOK_UV_SET", first_set.to_string()),
            ("LOOK", String::from("1")),
            (self.flag(), String::from("1")),
        ];
        if self.morph_texels > 0 {
            constants.push(("MORPH_TEXELS", self.morph_texels.to_string()));
        }
        let flags = [
            ("TRIANGLES", self.triangles),
            ("NORMALS", self.normals),
            ("TANGENTS", self.tangents),
            ("COLORS", self.colors),
            ("HANDEDNESS_OUT", self.paint == Paint::DebugView(ViewMode::FaceOrientation)),
            ("LOOK_MISSING", self.missing),
            ("ONE_BONE", self.rigid_skinning),
            ("BEFORE_SURFACE", self.paint == Paint::WiresOver),
        ];
        constants.extend(flags.into_iter().filter(|(_, on)| *on).map(|(name, _)| (name, String::from("1"))));
        constants
    }

    fn compile(&self, gpu: &Rc<Gpu>) -> Result<Program, GpuError> {
        let constants = self.constants();
        let (blocks, look) =
            (include_str!("../../shaders/uniforms.glsl"), include_str!("../../shaders/debug_view.glsl"));
        let (vertex, end) = (include_str!("../../shaders/mesh.vert"), include_str!("../../shaders/debug_view.vert"));
        let geometry = shader_source(&constants, &[blocks, look, include_str!("../../shaders/debug_view.geom")]);
        Program::with_geometry(
            gpu,
            &ProgramSource {
                name: "the shader of a look",
                vertex: &shader_source(&constants, &[blocks, look, vertex, end]),
                fragment: Some(&shader_source(
                    &constants,
                    &[blocks, look, include_str!("../../shaders/debug_view.frag")],
                )),
                feedback: &[],
                blocks: &[("FrameBlock", FRAME_BINDING), ("DrawBlock", DRAW_BINDING), ("LookBlock", LOOK_BINDING)],
                samplers: &[
                    ("palette_matrices", unit::PALETTE_MATRICES),
                    ("palette_weights", unit::PALETTE_WEIGHTS),
                    ("morph_deltas", unit::MORPH_DELTAS),
                    ("look_table", unit::LOOK_TABLE),
                ],
            },
            self.triangles.then_some(geometry.as_str()),
        )
    }
}

/// The looks compiled so far.
#[derive(Default)]
pub(crate) struct DebugViewShaders {
    programs: HashMap<DebugViewShader, Rc<Program>>,
}

impl DebugViewShaders {
    /// A program, compiled when it is first asked for.
    pub(crate) fn get(&mut self, gpu: &Rc<Gpu>, look: &DebugViewShader) -> Result<Rc<Program>, GpuError> {
        if let Some(program) = self.programs.get(look) {
            return Ok(Rc::clone(program));
        }
        let program = Rc::new(look.compile(gpu)?);
        self.programs.insert(look.clone(), Rc::clone(&program));
        Ok(program)
    }
}
