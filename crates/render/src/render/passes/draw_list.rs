//! Draw calls of a mesh pass, in order, with shader, state and uniforms.

use super::draw_bounds::{is_outside, view_distance};
use super::pass_input::{GpuCrowd, PassInput};
use super::shader_selection::{debug_view_key, material_key};
use crate::gpu::{Blending, Culling, DrawState, Gpu, Program};
use crate::render::error::RenderError;
use crate::render::gpu_model::{GpuDraw, GpuModel, InstanceEntry};
use crate::render::material_features::{MaterialFeature, MaterialFeatures};
use crate::render::palette::PageLayout;
use crate::render::shader::{Alpha, DebugViewKey, DrawMode, Facing, ShaderCache, ShaderKey};
use crate::render::uniforms::DrawUniforms;
use crate::scene::DebugView;
use bytemuck::Zeroable;
use rigview_core::math::Frustum;
use rigview_core::model::MaterialIndex;
use rigview_core::palette::{BlockIndex, Mirroring, Palette, PaletteLayout};
use smallvec::{SmallVec, smallvec};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// Maximum number of blended instances that are sorted individually; larger crowds are sorted per draw.
const MAX_SORTED_INSTANCES: usize = 4096;

/// One draw call.
pub(super) struct DrawCall {
    /// Index of the crowd.
    pub(super) crowd: usize,
    /// Index of the draw in the crowd's model; the first one, if the call draws an instance list.
    pub(super) draw: usize,
    pub(super) instances: InstanceRange,
    pub(super) state: DrawState,
    pub(super) program: Rc<Program>,
    pub(super) uniforms: DrawUniforms,
    /// Samples the transmission background.
    pub(super) transmissive: bool,
    /// The sheen lookup table is bound.
    pub(super) has_sheen: bool,
    /// Position among opaque calls.
    order: CallOrder,
}

/// Sort key of opaque calls.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct CallOrder {
    /// Index of the first call of the group.
    first_of_group: usize,
    /// Slot of the material.
    material: usize,
    index: usize,
}

/// Opaque calls that share a program if materials of a kind do. Whether these do is not part of it: surfaces at equal depth
/// look alike in an image and in an animation, and in each frame.
#[derive(PartialEq, Eq, Hash)]
struct CallGroup {
    crowd: usize,
    kind_of_material: usize,
    influences: usize,
    texels_per_morph_delta: usize,
    has_instance_list: bool,
    /// Normals, tangents and colors.
    attributes: [bool; 3],
}

/// Instances of a draw call, all in the same pages.
#[derive(Clone, Copy)]
pub(super) struct InstanceRange {
    /// Index of the draw.
    draw: usize,
    /// Block of the palette that the first instance has.
    pub(super) first_block: usize,
    /// Number of instances that the call draws.
    pub(super) count: usize,
    /// Index of the first entry in [`DrawList::instances`]; `None` for consecutive instances of one draw.
    pub(super) first_instance_entry: Option<usize>,
    /// Level of detail; 0 for the full mesh.
    pub(super) level: usize,
    /// Indices of a merged primitive to draw; `None` for all indices.
    pub(super) indices: Option<IndexRange>,
}

/// Consecutive indices of a primitive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct IndexRange {
    pub(super) first: usize,
    pub(super) count: usize,
}

/// Draw calls of a pass. Buffers are reused from frame to frame.
#[derive(Default)]
pub(super) struct DrawList {
    /// Opaque calls, then transmissive ones, then blended ones from back to front.
    pub(super) calls: Vec<DrawCall>,
    /// Number of opaque calls.
    pub(super) opaque: usize,
    /// Instance lists of all calls.
    pub(super) instances: Vec<InstanceEntry>,
    /// Number of vertices of all calls.
    pub(super) vertices: u64,
    items: Vec<RenderItem>,
    transmissive_draws: Vec<RenderItem>,
    sorted: Vec<BlendedDraw>,
    /// Index of the first opaque call of each group.
    first_calls: HashMap<CallGroup, usize>,
    runs: Vec<InstanceRange>,
    /// Level of detail of each instance of the draws that share the next calls.
    levels: Vec<u8>,
}

/// Inputs of a [`DrawList`].
pub(super) struct DrawListInput<'a> {
    pub(super) gpu: &'a Rc<Gpu>,
    pub(super) shaders: &'a mut ShaderCache,
    pub(super) input: &'a PassInput<'a>,
    pub(super) mode: DrawMode,
}

/// A draw of one crowd.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct DrawIndex {
    crowd: usize,
    draw: usize,
}

/// A draw of a crowd with its instances.
#[derive(Clone)]
struct RenderItem {
    index: DrawIndex,
    key: BatchKey,
    instances: Range<usize>,
}

/// Consecutive draws with equal keys share draw calls: they have the same vertices, material, shader and state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum BatchKey {
    /// The draw has calls of its own.
    Draw(DrawIndex),
    Primitive {
        crowd: usize,
        primitive: usize,
        /// `None` for merged primitives, too, which have one material.
        material: Option<MaterialIndex>,
        skinned: bool,
        mirroring: Mirroring,
    },
}

/// A blended draw. Draws at equal distance keep their order.
struct BlendedDraw {
    distance: f64,
    order: usize,
    draw: RenderItem,
}

/// Culling and side selection of one pass over a draw.
#[derive(Clone, Copy)]
struct CullPass {
    culling: Culling,
    facing: Facing,
    /// As in [`DrawUniforms::side`].
    side: f32,
}

/// Returns `true` if the debug view hides a draw, or does not highlight it in the highlight pass.
fn is_excluded(view: &DebugView<'_>, mode: DrawMode, index: DrawIndex) -> bool {
    let is_marked = |marks: &[bool]| index.crowd == 0 && marks.get(index.draw).is_some_and(|marked| *marked);
    is_marked(view.hidden_draws) || mode == DrawMode::Highlight && !is_marked(view.highlighted_draws)
}

impl DrawList {
    /// Rebuilds the list.
    pub(super) fn build(&mut self, mut source: DrawListInput<'_>) -> Result<(), RenderError> {
        let (input, mode) = (source.input, source.mode);
        let crowds = input.crowds;
        let is_blended = |draw: &GpuDraw| mode == DrawMode::Material && draw.material.alpha == Alpha::Blend;
        let blended_instances = |crowd: &GpuCrowd<'_>| {
            crowd.model.draws.iter().filter(|draw| is_blended(draw)).count() * crowd.palette.instance_count()
        };
        let sort_instances = crowds.iter().map(blended_instances).sum::<usize>() <= MAX_SORTED_INSTANCES;
        let frustum = Frustum::new(&input.frame.camera.projection_from_world(input.viewport.aspect()));

        self.calls.clear();
        self.instances.clear();
        self.vertices = 0;
        let mut opaque = std::mem::take(&mut self.items);
        let mut transmissive = std::mem::take(&mut self.transmissive_draws);
        let mut sorted = std::mem::take(&mut self.sorted);
        for (crowd_index, &crowd) in crowds.iter().enumerate() {
            let GpuCrowd { model, layout, palette, .. } = crowd;
            assert_eq!(model.draws.len(), layout.draws.len(), "the frame is of another model");
            let all_instances = 0..palette.instance_count();
            for (draw_index, draw) in model.draws.iter().enumerate() {
                let index = DrawIndex { crowd: crowd_index, draw: draw_index };
                let left_out = is_excluded(&input.frame.debug_view, mode, index);
                if left_out || model.primitives[draw.primitive].vertex_count == 0 || palette.is_hidden(draw.draw.joint)
                {
                    continue;
                }
                let is_transmissive = draw.material.features.has(MaterialFeature::Transmission);
                if mode.is_map() && is_transmissive != (mode == DrawMode::TranslucentShadowMap)
                    || draw.material.alpha == Alpha::Blend && mode == DrawMode::GBuffer
                {
                    continue;
                }
                // Ghosts are drawn farther from the camera than their vertices are.
                if mode != DrawMode::Ghost && is_outside(&frustum, &crowd, draw) {
                    continue;
                }
                let key = batch_key(&crowd, draw, index, mode);
                let listed = |instances: Range<usize>| RenderItem { index, key, instances };
                let mut push_blended = |instances: Range<usize>| {
                    let distance = view_distance(input.frame, &crowd, draw, BlockIndex(instances.start as u32));
                    sorted.push(BlendedDraw { distance, order: sorted.len(), draw: listed(instances) });
                };
                if !is_blended(draw) && mode == DrawMode::Material && is_transmissive {
                    transmissive.push(listed(all_instances.clone()));
                } else if !is_blended(draw) {
                    opaque.push(listed(all_instances.clone()));
                } else if sort_instances {
                    all_instances.clone().for_each(|i| push_blended(i..i + 1));
                } else if !all_instances.is_empty() {
                    push_blended(all_instances.clone());
                }
            }
        }
        for unordered in [&mut opaque, &mut transmissive].into_iter().filter(|_| !mode.blends()) {
            unordered.sort_unstable_by_key(|draw| (draw.key, draw.index));
        }
        self.add_draws(&mut source, &opaque)?;
        self.opaque = self.calls.len();
        if mode == DrawMode::Material || mode.is_map() {
            self.sort_opaque(crowds);
        }
        self.add_draws(&mut source, &transmissive)?;
        sorted.sort_unstable_by(|a, b| b.distance.total_cmp(&a.distance).then(a.order.cmp(&b.order)));
        opaque.clear();
        opaque.extend(sorted.drain(..).map(|sorted| sorted.draw));
        self.add_draws(&mut source, &opaque)?;
        opaque.clear();
        transmissive.clear();
        (self.items, self.transmissive_draws, self.sorted) = (opaque, transmissive, sorted);
        Ok(())
    }

    /// Sorts opaque calls by group and material, so that few calls change their program. Groups are in the order of their first call.
    fn sort_opaque(&mut self, crowds: &[GpuCrowd<'_>]) {
        self.first_calls.clear();
        for (index, call) in self.calls.iter_mut().enumerate() {
            let model = crowds[call.crowd].model;
            let draw = &model.draws[call.draw];
            let primitive = &model.primitives[draw.primitive];
            let group = CallGroup {
                crowd: call.crowd,
                kind_of_material: draw.material.kind,
                influences: draw.influences(model),
                texels_per_morph_delta: primitive.texels_per_morph_delta,
                has_instance_list: call.instances.first_instance_entry.is_some(),
                attributes: [primitive.has_normals, primitive.draws_tangents, primitive.has_colors],
            };
            let first_of_group = *self.first_calls.entry(group).or_insert(index);
            call.order = CallOrder { first_of_group, material: draw.material.slot, index };
        }
        self.calls.sort_unstable_by_key(|call| call.order);
    }

    /// Adds the calls of draws in order.
    fn add_draws(&mut self, source: &mut DrawListInput<'_>, draws: &[RenderItem]) -> Result<(), RenderError> {
        for draws in draws.chunk_by(|a, b| a.key == b.key) {
            let index = draws[0].index;
            let crowd = &source.input.crowds[index.crowd];
            if self.select_levels(source, draws) {
                self.add_levels(crowd, draws);
                self.add_calls(source, index)?;
                continue;
            }
            match draws[0].key {
                BatchKey::Draw(_) => {
                    for draw in draws {
                        self.add_range(crowd, draw);
                        self.add_calls(source, index)?;
                    }
                }
                BatchKey::Primitive { .. } if crowd.model.draws[index.draw].merged.is_some() => {
                    self.add_merged(crowd, draws, source.mode.blends());
                    self.add_calls(source, index)?;
                }
                BatchKey::Primitive { .. } => {
                    self.add_instance_list(crowd, draws, None);
                    self.add_calls(source, index)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the runs of consecutive instances of one draw.
    fn add_range(&mut self, crowd: &GpuCrowd<'_>, RenderItem { index, instances, .. }: &RenderItem) {
        let draw = index.draw;
        let run = |batch: Range<usize>| InstanceRange {
            draw,
            first_block: batch.start,
            count: batch.len(),
            first_instance_entry: None,
            level: 0,
            indices: None,
        };
        self.runs.extend(crowd.page_layout.batches(instances.clone()).map(run));
    }

    /// Adds the runs of draws of one merged primitive. Neighbors in its index buffer share a run, of one instance if the order
    /// of draws matters.
    fn add_merged(&mut self, crowd: &GpuCrowd<'_>, draws: &[RenderItem], is_ordered: bool) {
        let range =
            |draw: &RenderItem| crowd.model.draws[draw.index.draw].merged.as_ref().map(|merged| &merged.indices);
        let follows = |a: &RenderItem, b: &RenderItem| {
            let ends = range(a).zip(range(b)).map(|(a, b)| (a.end, b.start));
            ends.is_some_and(|(end, start)| end == start)
                && a.instances == b.instances
                && (a.instances.len() == 1 || !is_ordered)
        };
        for neighbors in draws.chunk_by(follows) {
            let count = neighbors.iter().filter_map(range).map(ExactSizeIterator::len).sum();
            let first_run = self.runs.len();
            self.add_range(crowd, &neighbors[0]);
            let indices = range(&neighbors[0]).map(|range| IndexRange { first: range.start, count });
            self.runs[first_run..].iter_mut().for_each(|run| run.indices = indices);
        }
    }

    /// Selects the level of detail of each instance of draws that share their calls. Returns `false` if all are full meshes.
    fn select_levels(&mut self, source: &DrawListInput<'_>, draws: &[RenderItem]) -> bool {
        self.levels.clear();
        let crowd = &source.input.crowds[draws[0].index.crowd];
        let primitive = &crowd.model.primitives[crowd.model.draws[draws[0].index.draw].primitive];
        let has_levels = (source.mode == DrawMode::Material || source.mode.is_map()) && primitive.has_levels();
        let Some(detail) = crowd.detail.filter(|_| has_levels) else { return false };
        for RenderItem { index, instances, .. } in draws {
            let matrix_range = crowd.model.draws[index.draw].draw.matrix_range;
            let level = |block| {
                let max_error = detail.max_error(block, matrix_range, source.input.permitted_error);
                primitive.level_within(max_error) as u8
            };
            self.levels.extend(instances.clone().map(level));
        }
        self.levels.iter().any(|level| *level > 0)
    }

    /// Adds the instances of draws to the instance list, level by level.
    fn add_levels(&mut self, crowd: &GpuCrowd<'_>, draws: &[RenderItem]) {
        for level in 0..=self.levels.iter().copied().max().unwrap_or(0) {
            if self.levels.contains(&level) {
                self.add_instance_list(crowd, draws, Some(level));
            }
        }
    }

    /// Adds the instances of several draws as entries of the instance list, and a run for each change of pages. With a level,
    /// adds the instances of that level of detail.
    fn add_instance_list(&mut self, crowd: &GpuCrowd<'_>, draws: &[RenderItem], level: Option<u8>) {
        let GpuCrowd { model, layout, palette, page_layout, .. } = *crowd;
        let mut last_pages = None;
        let mut levels = self.levels.iter();
        for RenderItem { index: DrawIndex { draw, .. }, instances, .. } in draws {
            let draw_source = &model.draws[*draw].draw;
            let (matrices, weights) = page_layout.locate(layout, palette.format(), draw_source);
            for block in instances.clone() {
                if level.is_some_and(|level| levels.next() != Some(&level)) {
                    continue;
                }
                let pages = [matrices, weights].map(|location| page_layout.page(block, location.part));
                if last_pages.replace(pages) != Some(pages) {
                    let first_instance_entry = Some(self.instances.len());
                    let level = level.map_or(0, usize::from);
                    let run = InstanceRange {
                        draw: *draw,
                        first_block: block,
                        count: 0,
                        first_instance_entry,
                        level,
                        indices: None,
                    };
                    self.runs.push(run);
                }
                let first_texel = page_layout.index_in_page(block) * page_layout.stride();
                self.instances.push(InstanceEntry {
                    first_matrix: (first_texel + matrices.texel) as i32,
                    first_morph_weights: (first_texel + weights.texel) as i32,
                    first_table_entry: layout.matrix_ranges[draw_source.matrix_range].first_matrix as i32,
                });
                self.runs.last_mut().expect("a run of these pages").count += 1;
            }
        }
    }

    /// Adds the calls of the runs, which are of one draw or share its shader and state.
    fn add_calls(&mut self, source: &mut DrawListInput<'_>, index: DrawIndex) -> Result<(), RenderError> {
        let DrawListInput { gpu, shaders, input, mode } = source;
        let crowd = &input.crowds[index.crowd];
        let GpuCrowd { model, layout, palette, page_layout, .. } = *crowd;
        let draw = &model.draws[index.draw];
        let mode = if index.crowd == 0 { *mode } else { mode.without_joint_table() };
        let mirroring = mirroring_of(palette, draw);
        let has_instance_list = self.runs.first().is_some_and(|run| run.first_instance_entry.is_some());
        for mut pass in cull_passes(model, draw, mirroring) {
            // A volume is counted once, where light enters it.
            let is_thin = !draw.material.features.has(MaterialFeature::Volume);
            if mode.is_shadow() || mode == DrawMode::TranslucentShadowMap && is_thin {
                // Both sides block light, as in Blender.
                (pass.culling, pass.side) = (Culling::Off, 0.0);
            }
            let mut features = MaterialFeatures::default();
            let (program, culling, blending) = match debug_view_key(crowd, draw, input.frame, mode) {
                None => {
                    let key = material_key(crowd, draw, input, pass.facing);
                    let mut key = ShaderKey { has_instance_list, ..key };
                    let blends = mode == DrawMode::Material && draw.material.alpha == Alpha::Blend;
                    let mut blending = if blends { Blending::Over } else { Blending::Off };
                    if mode == DrawMode::ReflectiveShadowMap {
                        key = key.for_reflective_shadow_map();
                    } else if mode == DrawMode::GBuffer {
                        key = key.for_g_buffer();
                    } else if mode == DrawMode::TranslucentShadowMap {
                        key = key.for_translucent_shadow_map();
                        blending = Blending::Multiply;
                    } else if mode.is_map() {
                        key = key.for_depth();
                    } else if input.viewport.samples > 1
                        && !key.features.has(MaterialFeature::Transmission)
                        && key.alpha == Alpha::Mask
                    {
                        key.alpha = Alpha::Coverage;
                        blending = Blending::Coverage;
                    }
                    features = key.features;
                    (shaders.material(gpu, &key)?, pass.culling, blending)
                }
                Some(key) => {
                    let culling = if mode.is_double_sided() { Culling::Off } else { pass.culling };
                    let blending = if mode.blends() { Blending::Over } else { Blending::Off };
                    (shaders.debug_view(gpu, &DebugViewKey { has_instance_list, ..key })?, culling, blending)
                }
            };
            for &instances in &self.runs {
                let primitive = &model.primitives[draw.primitive];
                let vertices = match instances.indices {
                    Some(indices) => indices.count,
                    None => primitive.vertices_of_level(instances.level),
                };
                self.vertices += (vertices * instances.count) as u64;
                let mut uniforms = DrawUniforms::zeroed();
                set_palette_offsets(&mut uniforms, page_layout, layout, palette, draw, instances.first_block);
                uniforms.side = pass.side;
                uniforms.texels_per_uv = draw.material.texels_per_uv;
                uniforms.winding_sign = if mirroring == Mirroring::Always { -1.0 } else { 1.0 };
                self.calls.push(DrawCall {
                    crowd: index.crowd,
                    draw: instances.draw,
                    instances,
                    state: DrawState { culling, blending, depth: true },
                    program: Rc::clone(&program),
                    uniforms,
                    transmissive: features.has(MaterialFeature::Transmission),
                    has_sheen: features.has(MaterialFeature::Sheen),
                    order: CallOrder::default(),
                });
            }
        }
        self.runs.clear();
        Ok(())
    }
}

/// Returns the key of the calls of a draw.
fn batch_key(crowd: &GpuCrowd<'_>, draw: &GpuDraw, index: DrawIndex, mode: DrawMode) -> BatchKey {
    let mirroring = mirroring_of(crowd.palette, draw);
    let shares_calls = draw.merged.is_some() || crowd.model.batches_draws;
    // Back faces of one blended draw come before its front faces, and both before the next draw.
    let is_ordered = mode.blends() || mode == DrawMode::Material && draw.material.alpha == Alpha::Blend;
    if !shares_calls || is_ordered && cull_passes(crowd.model, draw, mirroring).len() > 1 {
        return BatchKey::Draw(index);
    }
    BatchKey::Primitive {
        crowd: index.crowd,
        primitive: draw.primitive,
        material: draw.material.index.filter(|_| draw.merged.is_none()),
        skinned: draw.draw.skinned,
        mirroring,
    }
}

/// Returns the mirroring of a draw's matrices. A palette that was never written has no mirroring information.
fn mirroring_of(palette: &Palette, draw: &GpuDraw) -> Mirroring {
    palette.mirroring().get(draw.draw.matrix_range.get()).copied().unwrap_or_default()
}

/// Returns the passes over a draw, in order.
fn cull_passes(model: &GpuModel, draw: &GpuDraw, mirroring: Mirroring) -> SmallVec<[CullPass; 2]> {
    if !model.primitives[draw.primitive].topology.has_triangles() {
        return smallvec![CullPass { culling: Culling::Off, facing: Facing::Ignored, side: 0.0 }];
    }
    // Culling cannot select a side if some matrices mirror and others do not.
    let (cull_backs, cull_fronts, facing) = match mirroring {
        Mirroring::Never => (Culling::Clockwise, Culling::CounterClockwise, Facing::PerDraw),
        Mirroring::Always => (Culling::CounterClockwise, Culling::Clockwise, Facing::PerDraw),
        Mirroring::Mixed => (Culling::Off, Culling::Off, Facing::PerVertex),
    };
    let fronts = CullPass { culling: cull_backs, facing, side: 1.0 };
    let backs = CullPass { culling: cull_fronts, facing, side: -1.0 };
    match (draw.material.factors.double_sided, draw.material.alpha) {
        (false, _) if facing == Facing::PerDraw && !draw.material.tests_back_faces => {
            smallvec![CullPass { facing: Facing::Ignored, ..fronts }]
        }
        (false, _) => smallvec![fronts],
        (true, Alpha::Blend) => smallvec![backs, fronts],
        (true, _) => smallvec![CullPass { culling: Culling::Off, facing, side: 0.0 }],
    }
}

/// Sets the texel offsets of the matrices and weights of `draw`, for the blocks from `first_block` on.
pub(super) fn set_palette_offsets(
    uniforms: &mut DrawUniforms,
    page_layout: &PageLayout,
    layout: &PaletteLayout,
    palette: &Palette,
    draw: &GpuDraw,
    first_block: usize,
) {
    let palette_draw = draw.palette_draw();
    let (matrices, weights) = page_layout.locate(layout, palette.format(), &palette_draw);
    let first_texel = page_layout.index_in_page(first_block) * page_layout.stride();
    uniforms.first_table_entry = layout.matrix_ranges[palette_draw.matrix_range].first_matrix as i32;
    uniforms.first_matrix = (first_texel + matrices.texel) as i32;
    uniforms.first_morph_weights = (first_texel + weights.texel) as i32;
    uniforms.stride = page_layout.stride() as i32;
}
