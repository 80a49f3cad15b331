//! Prepares what a layout draws of a model as bytes for the GPU.

use super::equal_meshes::first_equal_meshes;
use super::material::{
    GpuMaterial, MaterialTracks, TextureRequests, TextureSource, group_by_kind, has_tex_coords, merge_permutations,
};
use super::merged::{MergeCandidate, MergedPrimitive, merge, merge_groups};
use super::model::{DepthSortPoint, GpuDraw};
use super::morphs::MorphDeltas;
use super::tangents::{self, TangentKey, TangentSpaces};
use super::textures::{PreparedTexture, TextureContent, TextureUsage};
use super::vertices::{PreparedPrimitive, PreparedVertices, PrimitiveContent, TriangleOrder};
use crate::render::palette::PageLayout;
use crate::render::shader::Alpha;
use rayon::prelude::*;
use rigview_core::model::{MeshIndex, Model, MorphTarget, Primitive, Sampler, TextureRef, Vertices};
use rigview_core::palette::{MatrixFormat, PaletteLayout, PrimitiveDraw};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What a layout draws of a model, as bytes for the GPU: everything that an upload needs to compute. Made on any thread, without a
/// context; [`Renderer::start_upload`](crate::render::Renderer::start_upload) uploads it.
///
/// Shares the texels of the model's images.
pub struct PreparedModel {
    pub(super) vertices: Vec<PreparedVertices>,
    pub(super) primitives: Vec<PreparedPrimitive>,
    pub(super) draws: Vec<GpuDraw>,
    pub(super) textures: Vec<PreparedTexture>,
    pub(super) samplers: Vec<Sampler>,
    /// Texels of the morph targets in whole rows, and their number without the padding.
    pub(super) morphs: (Vec<[f32; 4]>, usize),
    /// By [`GpuMaterial::slot`].
    pub(super) materials: Vec<Arc<GpuMaterial>>,
    pub(super) batches_draws: bool,
}

/// What a preparation needs to know of a renderer: [`Renderer::upload_options`](crate::render::Renderer::upload_options).
#[derive(Clone, Copy, Debug)]
pub struct UploadOptions {
    pub(crate) max_texture_size: u32,
    pub(crate) max_palette_texels: usize,
    /// Nodes share draw calls.
    pub(crate) batches_draws: bool,
    /// Materials share shaders, which take longer to compile than one frame to draw.
    pub(crate) merges_permutations: bool,
}

/// Saved draw calls from which shaders with instance lists are worth their compilation.
const MIN_SAVED_DRAW_CALLS: usize = 16;

/// Draws of equal keys share the primitive on the GPU.
#[derive(PartialEq, Eq, Hash)]
struct PrimitiveKey {
    /// The first mesh with equal vertices and indices.
    mesh: MeshIndex,
    primitive: usize,
    /// That of the matrix range, as bits: a mesh with two skins may have two.
    position_offset: [u32; 3],
    tex_coord_sets: Vec<u32>,
    tangents: Option<TangentKey>,
    order: TriangleOrder,
}

/// Primitives of equal keys share vertices on the GPU.
#[derive(PartialEq, Eq, Hash)]
struct VertexKey {
    vertices: *const Vertices,
    targets: *const Vec<MorphTarget>,
    position_offset: [u32; 3],
    tex_coord_sets: Vec<u32>,
}

impl VertexKey {
    fn new(primitive: &Primitive, key: &PrimitiveKey) -> Self {
        Self {
            vertices: Arc::as_ptr(&primitive.vertices),
            targets: Arc::as_ptr(&primitive.targets),
            position_offset: key.position_offset,
            tex_coord_sets: key.tex_coord_sets.clone(),
        }
    }
}

/// Returns the vertices that several of the drawn primitives have. Their order suits no single one of them.
fn shared_vertices(
    model: &Model,
    layout: &PaletteLayout,
    first_equal_meshes: &[MeshIndex],
) -> HashSet<*const Vertices> {
    let mut first_use = HashMap::new();
    let users = layout.draws.iter().map(|draw| {
        let vertices = Arc::as_ptr(&model.meshes[draw.mesh.get()].primitives[draw.primitive].vertices);
        (vertices, (first_equal_meshes[draw.mesh.get()], draw.primitive))
    });
    users
        .filter(|(vertices, user)| *first_use.entry(*vertices).or_insert(*user) != *user)
        .map(|(vertices, _)| vertices)
        .collect()
}

impl PreparedModel {
    /// Prepares what `layout` draws of `model`.
    pub fn new(model: &Model, layout: &PaletteLayout, options: UploadOptions) -> Self {
        let material_tracks = MaterialTracks::new(model);
        let mut tangent_spaces = tangent_spaces(model, layout, &material_tracks);
        let mut requests = TextureRequests::new(model);
        let mut morphs = MorphDeltas::default();
        let (mut vertices, mut primitives) = (Vec::new(), Vec::new());
        let first_equal_meshes = first_equal_meshes(model);
        let mut primitive_indices: HashMap<PrimitiveKey, usize> = HashMap::new();
        let mut material_indices: HashMap<(MeshIndex, usize), usize> = HashMap::new();
        let mut materials: Vec<(Vec<u32>, GpuMaterial)> = Vec::new();
        for draw in &layout.draws {
            material_indices.entry((draw.mesh, draw.primitive)).or_insert_with(|| {
                let primitive = &model.meshes[draw.mesh.get()].primitives[draw.primitive];
                materials.push(GpuMaterial::new(model, &material_tracks, primitive, &mut requests));
                materials.len() - 1
            });
        }
        let groups = group_by_kind(&mut materials);
        if options.merges_permutations {
            merge_permutations(groups, &mut materials, &mut requests);
        }
        let mut slots = HashMap::new();
        for (_, material) in &mut materials {
            let next = slots.len();
            material.slot = *slots.entry(material.index).or_insert(next);
        }
        let materials: Vec<_> = materials.into_iter().map(|(sets, material)| (sets, Arc::new(material))).collect();
        let candidates = layout.draws.iter().map(|draw| {
            let PrimitiveDraw { mesh, primitive, .. } = *draw;
            let (tex_coord_sets, material) = &materials[material_indices[&(mesh, primitive)]];
            let generates_tangents = tangent_spaces.contains_key(&(mesh, primitive));
            let primitive = &model.meshes[mesh.get()].primitives[primitive];
            MergeCandidate { draw, primitive, tex_coord_sets, material, generates_tangents }
        });
        let candidates: Vec<MergeCandidate<'_>> = candidates.collect();
        // All matrices of an instance are in one page, as merged primitives require. This format takes the most texels.
        let pages = PageLayout::new(layout, MatrixFormat::Mat3x4, options.max_palette_texels);
        let merges = options.batches_draws && pages.is_ok_and(|pages| pages.fits_one_page());
        let mut merged_draws = HashMap::new();
        for group in if merges { merge_groups(layout, &candidates) } else { Vec::new() } {
            let MergedPrimitive { primitive, draws } = merge(model, layout, &candidates, &group);
            let source = PrimitiveContent {
                primitive: &primitive,
                positions: &primitive.vertices.positions,
                tangent_spaces: None,
                tex_coord_sets: candidates[group[0]].tex_coord_sets.to_vec(),
                morph: None,
                order: TriangleOrder::Preserved,
            };
            let index = primitives.len();
            primitives.push(PreparedPrimitive::new(source, None, &mut vertices));
            merged_draws.extend(draws.into_iter().map(|(draw, merged)| (draw, (index, merged))));
        }
        let shared = shared_vertices(model, layout, &first_equal_meshes);
        let mut vertices_of_key: HashMap<VertexKey, usize> = HashMap::new();
        let mut draws: Vec<GpuDraw> = Vec::new();
        for (draw_index, draw) in layout.draws.iter().enumerate() {
            let primitive = &model.meshes[draw.mesh.get()].primitives[draw.primitive];
            let (sets, material) = &materials[material_indices[&(draw.mesh, draw.primitive)]];
            if let Some((primitive, merged)) = merged_draws.remove(&draw_index) {
                let (material, sort_point) = (Arc::clone(material), DepthSortPoint::default());
                draws.push(GpuDraw { draw: *draw, primitive, material, sort_point, merged: Some(merged) });
                continue;
            }
            let order = match material.alpha {
                Alpha::Blend => TriangleOrder::Preserved,
                _ => TriangleOrder::Any,
            };
            let key = PrimitiveKey {
                mesh: first_equal_meshes[draw.mesh.get()],
                primitive: draw.primitive,
                position_offset: layout.matrix_ranges[draw.matrix_range].position_offset.map(f32::to_bits),
                tex_coord_sets: sets.clone(),
                tangents: material.tangent_texture.map(TangentKey::new),
                order,
            };
            let positions = || layout.positions(model, draw);
            let index = match primitive_indices.get(&key) {
                Some(&index) => index,
                None => {
                    let spaces = tangent_spaces.remove(&(draw.mesh, draw.primitive));
                    let is_shared = shared.contains(&Arc::as_ptr(&primitive.vertices)) && spaces.is_none();
                    let shared_key = is_shared.then(|| VertexKey::new(primitive, &key));
                    let known = shared_key.as_ref().and_then(|key| vertices_of_key.get(key)).copied();
                    let morph = if known.is_none() { morphs.add(primitive, sets) } else { None };
                    let source = PrimitiveContent {
                        primitive,
                        positions: &positions(),
                        tangent_spaces: spaces.as_ref(),
                        tex_coord_sets: sets.clone(),
                        morph: morph.as_ref(),
                        order,
                    };
                    let shared = known.or_else(|| {
                        vertices_of_key.insert(shared_key?, vertices.len());
                        vertices.push(PreparedVertices::new(&source, None));
                        Some(vertices.len() - 1)
                    });
                    primitives.push(PreparedPrimitive::new(source, shared, &mut vertices));
                    primitive_indices.insert(key, primitives.len() - 1);
                    primitives.len() - 1
                }
            };
            draws.push(GpuDraw {
                draw: *draw,
                primitive: index,
                // Only blended draws are sorted.
                sort_point: match material.alpha {
                    Alpha::Blend => DepthSortPoint::new(primitive, primitives[index].info.bounds, draw.skinned),
                    _ => DepthSortPoint::default(),
                },
                material: Arc::clone(material),
                merged: None,
            });
        }
        let mut of_slots: Vec<_> = materials.iter().map(|(_, material)| Arc::clone(material)).collect();
        of_slots.sort_by_key(|material| material.slot);
        of_slots.dedup_by_key(|material| material.slot);
        let unmerged = || draws.iter().filter(|draw| draw.merged.is_none());
        let calls: HashSet<_> = unmerged().map(|draw| (draw.primitive, draw.material.index)).collect();
        let saved = unmerged().count() - calls.len();
        let batches_draws = options.batches_draws && saved >= MIN_SAVED_DRAW_CALLS;
        let prepare = |(source, usage): &(TextureSource, TextureUsage)| {
            let content = match *source {
                TextureSource::Image(index) => TextureContent::Image(&model.images[index.get()]),
                TextureSource::Placeholder => TextureContent::Placeholder,
                TextureSource::White => TextureContent::White,
            };
            PreparedTexture::new(options.max_texture_size, content, *usage)
        };
        let textures = requests.textures.par_iter().map(prepare).collect();
        let (samplers, morphs) = (requests.samplers, morphs.into_rows());
        Self { vertices, primitives, draws, textures, samplers, morphs, materials: of_slots, batches_draws }
    }

    /// The bytes that an upload copies.
    pub(super) fn size_bytes(&self) -> u64 {
        let vertices = self.vertices.iter().map(|vertices| vertices.bytes.len());
        let indices = self.primitives.iter().filter_map(|primitive| Some(primitive.indices.as_ref()?.len()));
        let levels = self.textures.iter().flat_map(|texture| &texture.levels);
        let bytes = vertices.chain(indices).chain(levels.map(|level| level.texels.bytes().len()));
        bytes.chain([size_of_val(&self.morphs.0[..])]).sum::<usize>() as u64
    }
}

/// Generates tangent spaces in parallel for the primitives that need them and have none in the file.
fn tangent_spaces(
    model: &Model,
    layout: &PaletteLayout,
    tracks: &MaterialTracks<'_>,
) -> HashMap<(MeshIndex, usize), TangentSpaces> {
    let mut needed: Vec<((MeshIndex, usize), TextureRef)> = Vec::new();
    let mut known = HashSet::new();
    for draw in &layout.draws {
        let (key, primitive) = ((draw.mesh, draw.primitive), &model.meshes[draw.mesh.get()].primitives[draw.primitive]);
        let Some(texture) = primitive.material.and_then(|index| tracks.tangent_texture(model, index)) else { continue };
        let vertices = &primitive.vertices;
        let lacks_tangents = vertices.normals.is_some() && vertices.tangents.is_none();
        if lacks_tangents && has_tex_coords(primitive, texture.tex_coord) && known.insert(key) {
            needed.push((key, texture));
        }
    }
    let generate = |(key, texture): ((MeshIndex, usize), TextureRef)| {
        let primitive = &model.meshes[key.0.get()].primitives[key.1];
        Some((key, tangents::generate(primitive, texture)?))
    };
    needed.into_par_iter().filter_map(generate).collect::<Vec<_>>().into_iter().collect()
}
