//! Merges small rigid primitives of one material, so that one draw call draws many nodes.
//!
//! A vertex of a merged primitive has one influence: the matrix of its node.

use super::material::GpuMaterial;
use super::vertex_order::optimize_triangle_order;
use crate::render::shader::Alpha;
use rigview_core::math::Aabb;
use rigview_core::model::{
    Influences, MaterialIndex, MeshIndex, Model, Primitive, SkinSlot, TextureSlot, Topology, Vertices,
};
use rigview_core::palette::{MatrixRangeIndex, PaletteLayout, PrimitiveDraw};
use std::collections::HashMap;
use std::ops::Range;

/// Draws of one material from which a merged primitive is worth its shader.
const MIN_MERGED_DRAWS: usize = 16;

/// Vertices of the largest primitive that is merged: larger ones take longer to draw than a draw call.
const MAX_MERGED_VERTICES: usize = 1024;

/// Vertices of the largest merged primitive, which keeps its buffer far below the limit of 2 GiB.
const MAX_GROUP_VERTICES: usize = 1 << 20;

/// Nodes of a primitive from which they are instances of it.
const MIN_INSTANCED_NODES: usize = 4;

/// Ranges of a draw in a merged primitive.
#[derive(Clone, Debug)]
pub(crate) struct MergedRange {
    /// Its indices.
    pub(crate) indices: Range<usize>,
    /// Its vertices, in the order before their reordering for the GPU.
    pub(crate) vertices: Range<usize>,
    /// MatrixRange whose first matrix the influences count from.
    pub(crate) first_range: MatrixRangeIndex,
    /// Bounds of its vertices in the space of its own matrix range.
    pub(crate) bounds: Aabb,
}

/// Content of a merged primitive.
pub(super) struct MergedPrimitive {
    pub(super) primitive: Primitive,
    /// The draws with their indices in the layout.
    pub(super) draws: Vec<(usize, MergedRange)>,
}

/// Properties that merged primitives have in common.
#[derive(PartialEq, Eq, Hash, PartialOrd, Ord)]
struct MergeKey {
    material: Option<MaterialIndex>,
    textures: [Option<[usize; 3]>; TextureSlot::COUNT],
    tex_coord_sets: Vec<u32>,
    /// Normals, tangents, colors, and each texture coordinate set.
    attributes: Vec<bool>,
}

/// A primitive that may be merged, and the material that its draws have.
#[derive(Clone, Copy)]
pub(super) struct MergeCandidate<'a> {
    pub(super) draw: &'a PrimitiveDraw,
    pub(super) primitive: &'a Primitive,
    pub(super) tex_coord_sets: &'a [u32],
    pub(super) material: &'a GpuMaterial,
    /// The vertices need generated tangents.
    pub(super) generates_tangents: bool,
}

/// Returns groups of draws whose primitives are worth merging, in the order of their matrix ranges. `candidates` are the draws of a
/// layout.
pub(super) fn merge_groups(layout: &PaletteLayout, candidates: &[MergeCandidate<'_>]) -> Vec<Vec<usize>> {
    let mut node_counts: HashMap<(MeshIndex, usize), usize> = HashMap::new();
    for MergeCandidate { draw, .. } in candidates {
        *node_counts.entry((draw.mesh, draw.primitive)).or_default() += 1;
    }
    let mut group_of_key = HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        let count = candidate.primitive.vertices.positions.len();
        let is_small = (1..=MAX_MERGED_VERTICES).contains(&count);
        let is_rigid = !candidate.draw.skinned && candidate.draw.first_morph_weight.is_none();
        let is_unordered = candidate.material.alpha != Alpha::Blend;
        let is_instanced = node_counts[&(candidate.draw.mesh, candidate.draw.primitive)] >= MIN_INSTANCED_NODES;
        let is_triangles = candidate.primitive.topology == Topology::Triangles;
        if is_small && is_rigid && is_unordered && is_triangles && !is_instanced && !candidate.generates_tangents {
            let group = *group_of_key.entry(merge_key(candidate)).or_insert(groups.len());
            groups.resize(groups.len().max(group + 1), Vec::new());
            groups[group].push(index);
        }
    }
    let first_matrix = |index: usize| layout.matrix_ranges[candidates[index].draw.matrix_range].first_matrix;
    let mut merged = Vec::new();
    for mut group in groups {
        group.sort_unstable_by_key(|&index| (first_matrix(index), index));
        while let Some(&first) = group.first() {
            // Influences have 16 bits.
            let in_reach = |index: usize| first_matrix(index) - first_matrix(first) <= u32::from(u16::MAX);
            let vertices = |index: usize| candidates[index].primitive.vertices.positions.len();
            let fits = |total: &mut usize, &index: &usize| {
                *total += vertices(index);
                (in_reach(index) && *total <= MAX_GROUP_VERTICES).then_some(())
            };
            let rest = group.split_off(group.iter().scan(0, fits).count());
            if group.len() >= MIN_MERGED_DRAWS {
                merged.push(group);
            }
            group = rest;
        }
    }
    merged
}

fn merge_key(candidate: &MergeCandidate<'_>) -> MergeKey {
    let MergeCandidate { primitive, tex_coord_sets, material, .. } = candidate;
    let vertices = &primitive.vertices;
    let has_set = |set: &u32| vertices.tex_coords.get(*set as usize).is_some_and(|coords| !coords.is_empty());
    let attributes = [vertices.normals.is_some(), vertices.tangents.is_some(), vertices.colors.is_some(), has_set(&0)];
    MergeKey {
        material: primitive.material,
        textures: std::array::from_fn(|slot| {
            material.textures[slot].map(|texture| [texture.texture, texture.sampler, usize::from(texture.set)])
        }),
        tex_coord_sets: tex_coord_sets.to_vec(),
        attributes: attributes.into_iter().chain(tex_coord_sets.iter().map(has_set)).collect(),
    }
}

/// Concatenates the primitives of a group of draws.
pub(super) fn merge(
    model: &Model,
    layout: &PaletteLayout,
    candidates: &[MergeCandidate<'_>],
    group: &[usize],
) -> MergedPrimitive {
    let first_range = candidates[group[0]].draw.matrix_range;
    let first = &candidates[group[0]].primitive.vertices;
    let mut vertices = Vertices {
        normals: first.normals.as_ref().map(|_| Vec::new()),
        tangents: first.tangents.as_ref().map(|_| Vec::new()),
        colors: first.colors.as_ref().map(|_| Vec::new()),
        tex_coords: vec![Vec::new(); first.tex_coords.len()],
        ..Vertices::default()
    };
    let mut influences = Influences { per_vertex: 1, ..Influences::default() };
    let (mut indices, mut draws) = (Vec::new(), Vec::new());
    for &index in group {
        let MergeCandidate { draw, primitive, .. } = candidates[index];
        let positions = layout.positions(model, draw);
        let (count, first_vertex, first_index) = (positions.len(), vertices.positions.len(), indices.len());
        let own = &primitive.vertices;
        let slot =
            layout.matrix_ranges[draw.matrix_range].first_matrix - layout.matrix_ranges[first_range].first_matrix;
        influences.slots.extend(std::iter::repeat_n(SkinSlot(slot as u16), count));
        influences.weights.extend(std::iter::repeat_n(1.0, count));
        vertices.positions.extend_from_slice(&positions);
        extend(&mut vertices.normals, &own.normals);
        extend(&mut vertices.tangents, &own.tangents);
        extend(&mut vertices.colors, &own.colors);
        for (merged, own) in vertices.tex_coords.iter_mut().zip(&own.tex_coords) {
            merged.extend_from_slice(own);
        }
        let triangles = primitive.triangles();
        let optimized = optimize_triangle_order(&triangles, count).unwrap_or(triangles);
        indices.extend(optimized.into_iter().map(|vertex| vertex + first_vertex as u32));
        let merged = MergedRange {
            indices: first_index..indices.len(),
            vertices: first_vertex..first_vertex + count,
            first_range,
            bounds: Aabb::from_positions(&positions),
        };
        draws.push((index, merged));
    }
    vertices.influences = Some(influences);
    let primitive = Primitive {
        topology: Topology::Triangles,
        vertices: vertices.into(),
        indices: Some(indices.into()),
        material: candidates[group[0]].primitive.material,
        ..Primitive::default()
    };
    MergedPrimitive { primitive, draws }
}

fn extend<T: Copy>(merged: &mut Option<Vec<T>>, own: &Option<Vec<T>>) {
    if let (Some(merged), Some(own)) = (merged, own) {
        merged.extend_from_slice(own);
    }
}
