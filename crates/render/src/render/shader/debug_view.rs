//! Debug view shaders: the mesh's vertex shader with `debug_view.vert` appended.
//!
//! The geometry shader passes the values of three corners on. By `gl_VertexID` of draws without indices, the vertex shader would have to
//! read indices and all attributes, in each of their formats, from buffer textures, and morph and skin three vertices: more code than
//! the 67 lines of the geometry shader.

use super::draw_mode::DrawMode;
use crate::gpu::{Gpu, GpuError, Program, ProgramSource, ShaderSource};
use crate::render::bindings::{attribute, block, unit};
use crate::scene::{MAX_LIGHTS, Reads, ViewMode, color_defines};
use rigview_core::palette::{MatrixFormat, Skinning};
use rigview_shaders::GlslFile;
use std::rc::Rc;

/// Key of a compiled debug view shader.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DebugViewKey {
    pub(crate) mode: DrawMode,
    /// The primitive lacks the attribute that the view shows.
    pub(crate) is_attribute_missing: bool,
    pub(crate) influences: usize,
    pub(crate) matrix_format: MatrixFormat,
    pub(crate) texels_per_morph_delta: usize,
    pub(crate) draws_triangles: bool,
    pub(crate) has_normals: bool,
    pub(crate) has_tangents: bool,
    pub(crate) has_colors: bool,
    pub(crate) tex_coord_sets: usize,
    /// Index of the shown texture coordinates among the sets.
    pub(crate) shown_tex_coord_set: usize,
    pub(crate) skinning: Skinning,
    /// Reads palette offsets from an instance list.
    pub(crate) has_instance_list: bool,
}

impl DebugViewKey {
    /// Returns the define that selects the view.
    ///
    /// # Panics
    /// For [`DrawMode::Material`] and the modes of maps, which the mesh shader draws.
    fn mode_define(&self) -> &'static str {
        match self.mode {
            DrawMode::Material
            | DrawMode::ShadowDepth
            | DrawMode::GBuffer
            | DrawMode::ReflectiveShadowMap
            | DrawMode::TranslucentShadowMap => {
                unreachable!("drawn by the mesh shader")
            }
            DrawMode::DebugView(mode) => mode.define(),
            DrawMode::WireframeOverlay => ViewMode::Wireframe.define(),
            DrawMode::Ghost => "VIEW_GHOST",
            DrawMode::Highlight => "VIEW_HIGHLIGHT",
        }
    }

    fn defines(&self) -> Vec<(&'static str, String)> {
        let mut defines = vec![
            ("MAX_LIGHTS", MAX_LIGHTS.to_string()),
            ("INFLUENCES", self.influences.to_string()),
            ("TEXELS_PER_MATRIX", self.matrix_format.texels_per_matrix().to_string()),
            ("TEX_COORD_SETS", self.tex_coord_sets.to_string()),
            ("VIEW_UV_SET", self.shown_tex_coord_set.to_string()),
        ];
        defines.extend(attribute::DEFINES.map(|(name, location)| (name, location.to_string())));
        if self.texels_per_morph_delta > 0 {
            defines.push(("TEXELS_PER_MORPH_DELTA", self.texels_per_morph_delta.to_string()));
        }
        defines.extend(color_defines());
        let flags = [
            ("DEBUG_VIEW", true),
            (self.mode_define(), true),
            ("VERTEX_VALUES", self.mode.reads() == Reads::VertexValues),
            ("TRIANGLES", self.draws_triangles),
            ("NORMALS", self.has_normals),
            ("TANGENTS", self.has_tangents),
            ("COLORS", self.has_colors),
            ("WINDING_SIGN_OUT", self.mode == DrawMode::DebugView(ViewMode::FaceOrientation)),
            ("VIEW_MISSING", self.is_attribute_missing),
            ("RIGID_SKINNING", self.skinning == Skinning::Rigid),
            ("DUAL_QUATERNION_SKINNING", self.skinning == Skinning::DualQuaternion),
            ("INSTANCE_LIST", self.has_instance_list),
            ("IN_FRONT_OF_SURFACE", matches!(self.mode, DrawMode::WireframeOverlay | DrawMode::Highlight)),
        ];
        defines.extend(flags.into_iter().filter(|(_, on)| *on).map(|(name, _)| (name, String::from("1"))));
        defines
    }
}

pub(super) fn compile(gpu: &Rc<Gpu>, key: &DebugViewKey) -> Result<Program, GpuError> {
    let defines = key.defines();
    let source = |files: &[GlslFile]| {
        let common = [rigview_shaders::UNIFORMS_GLSL, rigview_shaders::DEBUG_VIEW_GLSL];
        ShaderSource::new(&defines, &[&common, files].concat())
    };
    let vertex = source(&[rigview_shaders::MESH_VERT, rigview_shaders::DEBUG_VIEW_VERT]);
    let geometry = source(&[rigview_shaders::DEBUG_VIEW_GEOM]);
    let fragment = source(&[rigview_shaders::DEBUG_VIEW_FRAG]);
    Program::new(
        gpu,
        ProgramSource {
            name: "the debug view shader",
            vertex,
            geometry: key.draws_triangles.then_some(geometry),
            fragment: Some(fragment),
            feedback: &[],
            blocks: &[
                ("FrameUniforms", block::FRAME),
                ("DrawUniforms", block::DRAW),
                ("DebugViewUniforms", block::DEBUG_VIEW),
            ],
            samplers: &[
                ("palette_matrices", unit::PALETTE_MATRICES),
                ("morph_weights", unit::MORPH_WEIGHTS),
                ("morph_deltas", unit::MORPH_DELTAS),
                ("debug_view_table", unit::DEBUG_VIEW_TABLE),
            ],
        },
    )
}
