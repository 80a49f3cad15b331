//! Prepares the vertices and indices of a primitive as bytes.
//!
//! Triangles and vertices are reordered for the GPU's caches where that does not affect the image.

use super::morphs::MorphRuns;
use super::tangents::TangentSpaces;
use super::vertex_order::{optimize_triangle_order, optimize_vertex_order};
use crate::gpu::{AttributeFormat, AttributeType, IndexType};
use crate::render::bindings::attribute;
use rigview_core::math::Aabb;
use rigview_core::model::{Influences, Primitive, Topology, Vertices};
use std::borrow::Cow;

/// Vertices as bytes.
pub(super) struct PreparedVertices {
    pub(super) layout: VertexLayout,
    pub(super) bytes: Vec<u8>,
}

/// Where a vertex buffer has which vertex and which attribute.
pub(super) struct VertexLayout {
    /// File index of each vertex; copies have indices past the file's. `None` for the identity.
    pub(super) source_indices: Option<Vec<u32>>,
    /// File index of each copy.
    pub(super) copies: Vec<u32>,
    pub(super) attributes: Vec<(u32, AttributeFormat)>,
    texels_per_morph_delta: usize,
    bounds: Aabb,
}

/// A primitive as bytes.
pub(super) struct PreparedPrimitive {
    pub(super) info: PrimitiveInfo,
    /// Index of its vertices in the [`PreparedModel`](super::prepared::PreparedModel).
    pub(super) vertices: usize,
    /// Its indices as bytes; `None` for a primitive without indices.
    pub(super) indices: Option<Vec<u8>>,
}

/// Description of a primitive on the GPU.
pub(crate) struct PrimitiveInfo {
    pub(crate) topology: Topology,
    /// Vertices in the file.
    pub(crate) vertex_count: usize,
    /// Vertices on the GPU: those of the file and copies with other tangents.
    pub(crate) gpu_vertex_count: usize,
    /// Number and type of indices; `None` for a primitive without indices.
    pub(crate) indices: Option<(usize, IndexType)>,
    /// Matrices blended per vertex; 0 without influences.
    pub(crate) influences: usize,
    /// Texels per vertex of the deltas of one morph target; 0 without morph targets.
    pub(crate) texels_per_morph_delta: usize,
    pub(crate) has_normals: bool,
    /// The file has tangents.
    pub(crate) has_tangents: bool,
    /// The vertices have tangents, from the file or generated.
    pub(crate) draws_tangents: bool,
    pub(crate) has_colors: bool,
    /// Texture coordinate sets, by their numbers in the file.
    pub(crate) tex_coord_sets: Vec<u32>,
    /// The file has `TEXCOORD_0`; a missing set is all zeros.
    pub(crate) has_first_tex_coords: bool,
    /// Contains the vertices before morphing, relative to the position offset.
    pub(crate) bounds: Aabb,
}

/// What a primitive is prepared from.
pub(super) struct PrimitiveContent<'a> {
    pub(super) primitive: &'a Primitive,
    /// Positions relative to the position offset.
    pub(super) positions: &'a [[f32; 3]],
    /// Generated tangents.
    pub(super) tangent_spaces: Option<&'a TangentSpaces>,
    /// Texture coordinate sets to upload.
    pub(super) tex_coord_sets: Vec<u32>,
    pub(super) morph: Option<&'a MorphRuns>,
    pub(super) order: TriangleOrder,
}

/// Order in which triangles may be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TriangleOrder {
    /// Any: opaque triangles hide each other by depth.
    Any,
    /// As in the file, for blended triangles.
    Preserved,
}

impl PreparedVertices {
    /// Prepares vertices, in the order of the file without `order`.
    pub(super) fn new(source: &PrimitiveContent<'_>, order: Option<Vec<u32>>) -> Self {
        let copies = source.tangent_spaces.map_or(Vec::new(), |spaces| spaces.copies.clone());
        let mut arrays = AttributeArrays { copies, order, ..AttributeArrays::default() };
        arrays.add(attribute::POSITION, AttributeType::F32, 3, source.positions);
        add_vertices(&mut arrays, &source.primitive.vertices, source.tangent_spaces, &source.tex_coord_sets);
        if let Some(morph) = source.morph {
            arrays.add(attribute::MORPH_RUN, AttributeType::U32, 2, &morph.runs);
        }
        let layout = VertexLayout {
            texels_per_morph_delta: source.morph.map_or(0, |morph| morph.texels_per_entry),
            bounds: Aabb::from_positions(source.positions),
            source_indices: arrays.order,
            copies: arrays.copies,
            attributes: arrays.attributes,
        };
        Self { layout, bytes: arrays.bytes }
    }
}

impl PreparedPrimitive {
    /// Prepares a primitive. Adds its vertices to `all_vertices`, unless the index of `shared` ones is given. Those keep the order of the
    /// file.
    pub(super) fn new(
        source: PrimitiveContent<'_>,
        shared: Option<usize>,
        all_vertices: &mut Vec<PreparedVertices>,
    ) -> Self {
        let PrimitiveContent { primitive, tangent_spaces, order, .. } = source;
        let vertices = &primitive.vertices;
        let gpu_vertex_count = vertices.positions.len() + tangent_spaces.map_or(0, |spaces| spaces.copies.len());
        let topology = if tangent_spaces.is_some() { Topology::Triangles } else { primitive.topology };
        let generated = tangent_spaces.map(|spaces| spaces.indices.as_slice());
        let mut indices = generated.or(primitive.indices.as_deref()).map(Cow::from);
        let mut vertex_order = None;
        if let Some(indices) = indices.as_mut().filter(|_| topology == Topology::Triangles) {
            if order == TriangleOrder::Any
                && let Some(optimized) = optimize_triangle_order(indices, gpu_vertex_count)
            {
                *indices = optimized.into();
            }
            if shared.is_none()
                && let Some(optimized) = optimize_vertex_order(indices, gpu_vertex_count)
            {
                vertex_order = Some(optimized.order);
                *indices = optimized.indices.into();
            }
        }
        let index = shared.unwrap_or_else(|| {
            all_vertices.push(PreparedVertices::new(&source, vertex_order));
            all_vertices.len() - 1
        });
        let layout = &all_vertices[index].layout;
        let indices = indices.map(|indices| (indices.len(), index_bytes(&indices)));
        let info = PrimitiveInfo {
            topology,
            vertex_count: vertices.positions.len(),
            gpu_vertex_count,
            indices: indices.as_ref().map(|(count, (_, ty))| (*count, *ty)),
            influences: vertices.influences.as_ref().map_or(0, |influences| influences.per_vertex),
            texels_per_morph_delta: layout.texels_per_morph_delta,
            has_normals: vertices.normals.is_some(),
            has_tangents: vertices.tangents.is_some(),
            draws_tangents: vertices.tangents.is_some() || tangent_spaces.is_some(),
            has_colors: vertices.colors.is_some(),
            tex_coord_sets: source.tex_coord_sets,
            has_first_tex_coords: vertices.tex_coords.first().is_some_and(|coords| !coords.is_empty()),
            bounds: layout.bounds,
        };
        Self { info, vertices: index, indices: indices.map(|(_, (bytes, _))| bytes) }
    }
}

/// Smallest distance in bytes between attribute arrays of equal stride.
///
/// Mesa merges closer arrays into one vertex buffer and compiles a vertex shader for each distance between them. This is
/// one more than its `GL_MAX_VERTEX_ATTRIB_RELATIVE_OFFSET`.
const MIN_ARRAY_DISTANCE: usize = 2048;

/// Attributes stored one after another, each as a contiguous array over all vertices.
#[derive(Default)]
pub(super) struct AttributeArrays {
    pub(super) bytes: Vec<u8>,
    pub(super) attributes: Vec<(u32, AttributeFormat)>,
    /// File index of each copied vertex; copies are numbered after the file's vertices.
    pub(super) copies: Vec<u32>,
    /// Index of the vertex at each position of an array; `None` for the identity.
    pub(super) order: Option<Vec<u32>>,
}

impl AttributeArrays {
    /// Appends an attribute of the file's vertices, and repeats it for the copies.
    pub(super) fn add<T: bytemuck::Pod>(&mut self, location: u32, ty: AttributeType, components: usize, items: &[T]) {
        if self.copies.is_empty() {
            self.add_with_copies(location, ty, components, items);
        } else {
            let copies = self.copies.iter().map(|&copy| items[copy as usize]);
            let items: Vec<T> = items.iter().copied().chain(copies).collect();
            self.add_with_copies(location, ty, components, &items);
        }
    }

    /// Appends an attribute whose `items` already include the copies.
    fn add_with_copies<T: bytemuck::Pod>(&mut self, location: u32, ty: AttributeType, components: usize, items: &[T]) {
        let stride = size_of::<T>();
        if let Some((_, last)) = self.attributes.iter().rfind(|(_, format)| format.stride == stride) {
            self.bytes.resize(self.bytes.len().max(last.offset + MIN_ARRAY_DISTANCE), 0);
        }
        let format = AttributeFormat { ty, components, offset: self.bytes.len(), stride };
        self.attributes.push((location, format));
        match &self.order {
            None => self.bytes.extend_from_slice(bytemuck::cast_slice(items)),
            Some(order) => {
                for &index in order {
                    self.bytes.extend_from_slice(bytemuck::bytes_of(&items[index as usize]));
                }
            }
        }
        // Attribute arrays are aligned to four bytes.
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

/// Adds all attributes but the positions.
fn add_vertices(
    arrays: &mut AttributeArrays,
    vertices: &Vertices,
    tangent_spaces: Option<&TangentSpaces>,
    tex_coord_sets: &[u32],
) {
    if let Some(normals) = &vertices.normals {
        arrays.add(attribute::NORMAL, AttributeType::F32, 3, normals);
    }
    if let Some(spaces) = tangent_spaces {
        arrays.add_with_copies(attribute::TANGENT, AttributeType::F32, 4, &spaces.tangents);
    } else if let Some(tangents) = &vertices.tangents {
        arrays.add(attribute::TANGENT, AttributeType::F32, 4, tangents);
    }
    if let Some(colors) = &vertices.colors {
        add_normalized(arrays, attribute::COLOR, 4, colors);
    }
    for (location, set) in (attribute::TEX_COORDS..).zip(tex_coord_sets) {
        match vertices.tex_coords.get(*set as usize) {
            Some(coords) => arrays.add(location, AttributeType::F32, 2, coords),
            None => arrays.add(location, AttributeType::F32, 2, &vec![[0.0_f32; 2]; vertices.positions.len()]),
        }
    }
    if let Some(influences) = &vertices.influences {
        add_influences(arrays, influences);
    }
    if !vertices.unnormalized_weights.is_empty() {
        let mut excess = vec![0.0_f32; vertices.positions.len()];
        for &(vertex, sum) in &vertices.unnormalized_weights {
            excess[vertex as usize] = sum - 1.0;
        }
        arrays.add(attribute::WEIGHT_SUM_ERROR, AttributeType::F32, 1, &excess);
    }
}

/// Adds joint slots and weights, up to four of each per attribute.
fn add_influences(arrays: &mut AttributeArrays, influences: &Influences) {
    let per_vertex = influences.per_vertex;
    let needs_u16 = influences.slots.iter().any(|slot| slot.0 > u16::from(u8::MAX));
    for (index, first) in (0..per_vertex).step_by(4).enumerate() {
        let count = (per_vertex - first).min(4);
        let vertices = influences.slots.chunks_exact(per_vertex).zip(influences.weights.chunks_exact(per_vertex));
        // Padded with zeros to four components, so that items stay aligned to four bytes.
        let slots =
            vertices.clone().map(|(slots, _)| [0, 1, 2, 3].map(|i| if i < count { slots[first + i].0 } else { 0 }));
        let location = attribute::SLOTS + index as u32;
        if needs_u16 {
            arrays.add(location, AttributeType::U16, count, &slots.collect::<Vec<[u16; 4]>>());
        } else {
            let slots: Vec<[u8; 4]> = slots.map(|slots| slots.map(|slot| slot as u8)).collect();
            arrays.add(location, AttributeType::U8, count, &slots);
        }
        let weights: Vec<[f32; 4]> = vertices
            .map(|(_, weights)| [0, 1, 2, 3].map(|i| if i < count { weights[first + i] } else { 0.0 }))
            .collect();
        add_normalized(arrays, attribute::WEIGHTS + index as u32, count, &weights);
    }
}

/// Adds values from 0 to 1 in the smallest type that represents each of them exactly.
fn add_normalized(arrays: &mut AttributeArrays, location: u32, components: usize, items: &[[f32; 4]]) {
    if let Some(bytes) = to_normalized::<u8>(items, 255.0) {
        arrays.add(location, AttributeType::U8Norm, components, &bytes);
    } else if let Some(shorts) = to_normalized::<u16>(items, 65_535.0) {
        arrays.add(location, AttributeType::U16Norm, components, &shorts);
    } else {
        arrays.add(location, AttributeType::F32, components, items);
    }
}

/// Converts to normalized integers (glTF 2.0, section 3.6.2.2); `None` if a value has no exact representation.
fn to_normalized<T: TryFrom<u32> + Copy>(items: &[[f32; 4]], max: f32) -> Option<Vec<[T; 4]>> {
    let convert = |x: f32| {
        let integer = (x * max).round();
        // NaN and values out of range compare unequal.
        let exact = integer / max == x;
        T::try_from(integer as u32).ok().filter(|_| exact)
    };
    let convert_item = |item: &[f32; 4]| {
        let [a, b, c, d] = *item;
        Some([convert(a)?, convert(b)?, convert(c)?, convert(d)?])
    };
    items.iter().map(convert_item).collect()
}

/// Returns indices as `u16` where they fit. 65,535 is excluded: some drivers treat it as primitive restart.
pub(super) fn index_bytes(indices: &[u32]) -> (Vec<u8>, IndexType) {
    let narrow: Option<Vec<u16>> =
        indices.iter().map(|&index| u16::try_from(index).ok().filter(|&index| index < u16::MAX)).collect();
    match narrow {
        Some(narrow) => (bytemuck::cast_slice(&narrow).to_vec(), IndexType::U16),
        None => (bytemuck::cast_slice(indices).to_vec(), IndexType::U32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_values_become_normalized_integers() {
        let bytes = [[0.0, 1.0, 128.0 / 255.0, 3.0 / 255.0]];
        assert_eq!(to_normalized::<u8>(&bytes, 255.0), Some(vec![[0, 255, 128, 3]]));
        // Every `u8` value is also representable as `u16`.
        assert_eq!(to_normalized::<u16>(&bytes, 65_535.0), Some(vec![[0, 65_535, 32_896, 771]]));
        let shorts = [[1.0 / 65_535.0, 0.0, 1.0, 40_000.0 / 65_535.0]];
        assert_eq!(to_normalized::<u8>(&shorts, 255.0), None);
        assert_eq!(to_normalized::<u16>(&shorts, 65_535.0), Some(vec![[1, 0, 65_535, 40_000]]));
        for other in [0.3, -0.1, 1.5, f32::NAN, f32::INFINITY] {
            let item = [[other, 0.0, 0.0, 0.0]];
            assert_eq!(
                (to_normalized::<u8>(&item, 255.0), to_normalized::<u16>(&item, 65_535.0)),
                (None, None),
                "{other}"
            );
        }
    }

    #[test]
    fn copies_follow_in_remapped_order() {
        let mut arrays =
            AttributeArrays { copies: vec![1], order: Some(vec![3, 0, 2, 1]), ..AttributeArrays::default() };
        arrays.add(0, AttributeType::U32, 1, &[10_u32, 11, 12]);
        arrays.add_with_copies(1, AttributeType::U32, 1, &[0_u32, 1, 2, 3]);
        let [first, second] = [0, 1].map(|i| arrays.attributes[i].1.offset);
        assert_eq!(bytemuck::cast_slice::<u8, u32>(&arrays.bytes[first..first + 16]), [11, 10, 12, 11]);
        assert_eq!(bytemuck::cast_slice::<u8, u32>(&arrays.bytes[second..]), [3, 0, 2, 1]);
    }

    #[test]
    fn arrays_of_equal_stride_keep_their_distance() {
        let mut arrays = AttributeArrays::default();
        arrays.add(0, AttributeType::F32, 3, &[[0.0_f32; 3]; 4]);
        arrays.add(1, AttributeType::F32, 2, &[[0.0_f32; 2]; 4]);
        arrays.add(2, AttributeType::F32, 3, &[[0.0_f32; 3]; 300]);
        arrays.add(3, AttributeType::F32, 3, &[[0.0_f32; 3]; 4]);
        let offsets: Vec<usize> = arrays.attributes.iter().map(|(_, format)| format.offset).collect();
        assert_eq!(offsets, [0, 48, MIN_ARRAY_DISTANCE, MIN_ARRAY_DISTANCE + 3600]);
    }
}
