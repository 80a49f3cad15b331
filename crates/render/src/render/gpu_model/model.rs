//! The part of a model that a layout draws, on the GPU.

use super::equal_meshes::first_equal_meshes;
use super::levels::ModelLevels;
use super::material::{
    GpuMaterial, MaterialTracks, TextureRequests, TextureSource, group_by_kind, has_tex_coords, merge_permutations,
};
use super::material_buffer::MaterialBuffer;
use super::merged::{MergeCandidate, MergedPrimitive, MergedRange, merge, merge_groups};
use super::morphs::MorphDeltas;
use super::primitive::{GpuPrimitive, GpuVertices, PrimitiveContent, TriangleOrder};
use super::tangents::{self, TangentKey, TangentSpaces};
use super::textures::{TextureContent, upload_texture};
use crate::gpu::{ArrayTexture, Gpu, Sampler, Texture2d};
use crate::render::error::RenderError;
use crate::render::material_features::MaterialFeature;
use crate::render::shader::Alpha;
use nalgebra::Vector3;
use rayon::prelude::*;
use rigview_core::math::Aabb;
use rigview_core::model::{MeshIndex, Model, MorphTarget, Primitive, TextureRef, Vertices};
use rigview_core::palette::{PaletteLayout, PrimitiveDraw};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Vertices, textures and materials of what one [`PaletteLayout`] draws.
///
/// Holds nothing that varies between instances or frames.
pub struct GpuModel {
    /// Unique in the process.
    pub(crate) id: u64,
    pub(crate) primitives: Vec<GpuPrimitive>,
    pub(crate) draws: Vec<GpuDraw>,
    pub(crate) textures: Vec<Texture2d>,
    pub(crate) samplers: Vec<Sampler>,
    pub(crate) morphs: Option<ArrayTexture>,
    pub(crate) materials: MaterialBuffer,
    /// Draws of one primitive share a draw call. Set from 16 saved calls on, which outweigh the compilation of shaders.
    pub(crate) batches_draws: bool,
}

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

/// Saved draw calls from which shaders with instance lists are worth their compilation.
const MIN_SAVED_DRAW_CALLS: usize = 16;

/// One draw of the layout.
pub(crate) struct GpuDraw {
    pub(crate) draw: PrimitiveDraw,
    /// Index into [`GpuModel::primitives`].
    pub(crate) primitive: usize,
    pub(crate) material: Rc<GpuMaterial>,
    pub(crate) sort_point: DepthSortPoint,
    /// Part of a merged primitive.
    pub(crate) merged: Option<MergedRange>,
}

impl GpuDraw {
    /// The draw that locates the matrices which the vertices' influences count from.
    pub(crate) fn palette_draw(&self) -> PrimitiveDraw {
        let matrix_range = self.merged.as_ref().map_or(self.draw.matrix_range, |merged| merged.first_range);
        PrimitiveDraw { matrix_range, ..self.draw }
    }

    /// Matrices that are blended per vertex; 0 for one matrix of all vertices.
    pub(crate) fn influences(&self, model: &GpuModel) -> usize {
        let has_influences = self.draw.skinned || self.merged.is_some();
        if has_influences { model.primitives[self.primitive].influences } else { 0 }
    }

    /// Vertices that one instance draws.
    fn element_count(&self, primitives: &[GpuPrimitive]) -> usize {
        let merged = self.merged.as_ref().map(|merged| merged.indices.len());
        merged.unwrap_or_else(|| primitives[self.primitive].element_count())
    }
}

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
struct GpuVertexKey {
    vertices: *const Vertices,
    targets: *const Vec<MorphTarget>,
    position_offset: [u32; 3],
    tex_coord_sets: Vec<u32>,
}

impl GpuVertexKey {
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

/// Options of an upload.
#[derive(Clone, Copy)]
pub(crate) struct UploadOptions {
    pub(crate) max_texture_size: u32,
    /// Nodes share draw calls.
    pub(crate) batches_draws: bool,
    /// All matrices of an instance are in one page, as merged primitives require.
    pub(crate) fits_one_page: bool,
}

/// Reference point for depth sorting.
#[derive(Default)]
pub(crate) struct DepthSortPoint {
    /// Center of the vertices, relative to the position offset.
    pub(crate) position: Vector3<f64>,
    /// The joint slot with the largest total weight.
    pub(crate) slot: usize,
}

impl GpuModel {
    /// Uploads what `layout` draws of `model`.
    pub(crate) fn new(
        gpu: &Rc<Gpu>,
        options: UploadOptions,
        model: &Model,
        layout: &PaletteLayout,
    ) -> Result<Self, RenderError> {
        let (mut uploaded, requests) = Self::without_textures(gpu, options, model, layout, false)?;
        for (source, usage) in requests.textures {
            let content = match source {
                TextureSource::Image(index) => {
                    let image = &model.images[index.get()];
                    TextureContent::Image(image, Cow::Borrowed(&image.rgba[..]))
                }
                TextureSource::Placeholder => TextureContent::Placeholder,
                TextureSource::White => TextureContent::White,
            };
            uploaded.textures.push(upload_texture(gpu, options.max_texture_size, content, usage)?);
        }
        Ok(uploaded)
    }

    /// Uploads like [`new`](Self::new) for few frames: frees each image's texels after its last use, so that few are in
    /// memory twice, and shares shaders among materials.
    pub(crate) fn new_freeing_images(
        gpu: &Rc<Gpu>,
        options: UploadOptions,
        model: &mut Model,
        layout: &PaletteLayout,
    ) -> Result<Self, RenderError> {
        let (mut uploaded, requests) = Self::without_textures(gpu, options, model, layout, true)?;
        let last_uses: HashMap<TextureSource, usize> =
            requests.textures.iter().enumerate().map(|(i, (source, _))| (*source, i)).collect();
        for (i, (source, usage)) in requests.textures.iter().enumerate() {
            let used_again = last_uses[source] != i;
            let content = match *source {
                TextureSource::Image(index) => {
                    let image = &mut model.images[index.get()];
                    let owned = (!used_again).then(|| std::mem::take(&mut image.rgba));
                    TextureContent::Image(image, owned.map_or(Cow::Borrowed(&image.rgba[..]), Cow::Owned))
                }
                TextureSource::Placeholder => TextureContent::Placeholder,
                TextureSource::White => TextureContent::White,
            };
            uploaded.textures.push(upload_texture(gpu, options.max_texture_size, content, *usage)?);
            if let TextureSource::Image(index) = *source
                && !used_again
            {
                let image = &mut model.images[index.get()];
                (image.mipmaps, image.compressed) = (Vec::new(), None);
            }
        }
        Ok(uploaded)
    }

    fn without_textures(
        gpu: &Rc<Gpu>,
        options: UploadOptions,
        model: &Model,
        layout: &PaletteLayout,
        merges_permutations: bool,
    ) -> Result<(Self, TextureRequests), RenderError> {
        let material_tracks = MaterialTracks::new(model);
        let mut tangent_spaces = tangent_spaces(model, layout, &material_tracks);
        let mut requests = TextureRequests::new(model);
        let mut texels_per_morph_delta = MorphDeltas::default();
        let mut primitives = Vec::new();
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
        if merges_permutations {
            merge_permutations(groups, &mut materials, &mut requests);
        }
        let mut slots = HashMap::new();
        for (_, material) in &mut materials {
            let next = slots.len();
            material.slot = *slots.entry(material.index).or_insert(next);
        }
        let materials: Vec<_> = materials.into_iter().map(|(sets, material)| (sets, Rc::new(material))).collect();
        let candidates = layout.draws.iter().map(|draw| {
            let PrimitiveDraw { mesh, primitive, .. } = *draw;
            let (tex_coord_sets, material) = &materials[material_indices[&(mesh, primitive)]];
            let generates_tangents = tangent_spaces.contains_key(&(mesh, primitive));
            let primitive = &model.meshes[mesh.get()].primitives[primitive];
            MergeCandidate { draw, primitive, tex_coord_sets, material, generates_tangents }
        });
        let candidates: Vec<MergeCandidate<'_>> = candidates.collect();
        let merges = options.batches_draws && options.fits_one_page;
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
            primitives.push(GpuPrimitive::new(gpu, source, None)?);
            merged_draws.extend(draws.into_iter().map(|(draw, merged)| (draw, (index, merged))));
        }
        let shared = shared_vertices(model, layout, &first_equal_meshes);
        let mut uploaded_vertices: HashMap<GpuVertexKey, Rc<GpuVertices>> = HashMap::new();
        let mut draws: Vec<GpuDraw> = Vec::new();
        for (draw_index, draw) in layout.draws.iter().enumerate() {
            let primitive = &model.meshes[draw.mesh.get()].primitives[draw.primitive];
            let (sets, material) = &materials[material_indices[&(draw.mesh, draw.primitive)]];
            if let Some((primitive, merged)) = merged_draws.remove(&draw_index) {
                let (material, sort_point) = (Rc::clone(material), DepthSortPoint::default());
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
                    let shared_key = is_shared.then(|| GpuVertexKey::new(primitive, &key));
                    let known = shared_key.as_ref().and_then(|key| uploaded_vertices.get(key)).map(Rc::clone);
                    let morph = if known.is_none() { texels_per_morph_delta.add(primitive, sets) } else { None };
                    let source = PrimitiveContent {
                        primitive,
                        positions: &positions(),
                        tangent_spaces: spaces.as_ref(),
                        tex_coord_sets: sets.clone(),
                        morph: morph.as_ref(),
                        order,
                    };
                    let vertices = match (known, shared_key) {
                        (None, Some(key)) => {
                            let uploaded = Rc::new(GpuVertices::new(gpu, &source, None)?);
                            uploaded_vertices.insert(key, Rc::clone(&uploaded));
                            Some(uploaded)
                        }
                        (known, _) => known,
                    };
                    primitives.push(GpuPrimitive::new(gpu, source, vertices)?);
                    primitive_indices.insert(key, primitives.len() - 1);
                    primitives.len() - 1
                }
            };
            draws.push(GpuDraw {
                draw: *draw,
                primitive: index,
                // Only blended draws are sorted.
                sort_point: match material.alpha {
                    Alpha::Blend => DepthSortPoint::new(primitive, primitives[index].bounds, draw.skinned),
                    _ => DepthSortPoint::default(),
                },
                material: Rc::clone(material),
                merged: None,
            });
        }
        let samplers = requests.samplers.iter().map(|s| Sampler::new(gpu, s)).collect::<Result<_, _>>()?;
        let morphs = texels_per_morph_delta.upload(gpu)?;
        let mut of_slots: Vec<_> = materials.iter().map(|(_, material)| Rc::clone(material)).collect();
        of_slots.sort_by_key(|material| material.slot);
        of_slots.dedup_by_key(|material| material.slot);
        let unmerged = || draws.iter().filter(|draw| draw.merged.is_none());
        let calls: HashSet<_> = unmerged().map(|draw| (draw.primitive, draw.material.index)).collect();
        let saved = unmerged().count() - calls.len();
        let batches_draws = options.batches_draws && saved >= MIN_SAVED_DRAW_CALLS;
        Ok((
            Self {
                id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
                primitives,
                draws,
                textures: Vec::new(),
                samplers,
                morphs,
                materials: MaterialBuffer::new(gpu, of_slots)?,
                batches_draws,
            },
            requests,
        ))
    }

    /// Uploads levels of detail of this model.
    pub(crate) fn set_levels(&mut self, gpu: &Rc<Gpu>, levels: &ModelLevels) -> Result<(), RenderError> {
        let mut draws: Vec<&GpuDraw> = self.draws.iter().filter(|draw| draw.merged.is_none()).collect();
        // Of equal meshes, the levels of a skinned one: their error is also a bound for a rigid one.
        draws.sort_by_key(|draw| (draw.primitive, !draw.draw.skinned));
        draws.dedup_by_key(|draw| draw.primitive);
        for draw in draws {
            self.primitives[draw.primitive].set_levels(gpu, levels.of_primitive(&draw.draw))?;
        }
        Ok(())
    }

    /// Uploads a value for each vertex of each draw of the layout.
    pub(crate) fn set_vertex_values(&self, gpu: &Rc<Gpu>, of_draws: &[Vec<f32>]) -> Result<(), RenderError> {
        for (draw, values) in self.draws.iter().zip(of_draws).filter(|(_, values)| !values.is_empty()) {
            self.primitives[draw.primitive].set_vertex_values(gpu, values)?;
        }
        Ok(())
    }

    pub(crate) fn has_transmissive_draws(&self) -> bool {
        self.draws.iter().any(|draw| draw.material.features.has(MaterialFeature::Transmission))
    }

    /// Returns the number of vertices that one instance draws.
    pub(crate) fn element_count(&self) -> u64 {
        self.draws.iter().map(|draw| draw.element_count(&self.primitives) as u64).sum()
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

impl DepthSortPoint {
    fn new(primitive: &Primitive, bounds: Aabb, skinned: bool) -> Self {
        let mut weights = vec![0.0_f64; 1];
        if let Some(influences) = primitive.vertices.influences.as_ref().filter(|_| skinned) {
            for (slot, weight) in influences.slots.iter().zip(&influences.weights) {
                let slot = usize::from(slot.0);
                weights.resize(weights.len().max(slot + 1), 0.0);
                weights[slot] += f64::from(*weight);
            }
        }
        let slot = (0..weights.len()).rev().max_by(|a, b| weights[*a].total_cmp(&weights[*b])).unwrap_or(0);
        Self { position: bounds.center(), slot }
    }
}
