//! Vertices and indices of a primitive on the GPU.
//!
//! Triangles and vertices are reordered for the GPU's caches where that does not affect the image.

use super::levels::Level;
use super::morphs::MorphRuns;
use super::tangents::TangentSpaces;
use super::vertex_order::{optimize_triangle_order, optimize_vertex_order};
use crate::gpu::{AttributeFormat, AttributeType, Buffer, Gpu, GpuError, IndexType, VertexArray};
use crate::render::bindings::attribute;
use rigview_core::math::Aabb;
use rigview_core::model::{Influences, Primitive, Topology, Vertices};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

/// One primitive on the GPU.
pub(crate) struct GpuPrimitive {
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
    /// Size of vertices and indices, without levels.
    bytes: usize,
    /// Contains the vertices before morphing, relative to the position offset.
    pub(crate) bounds: Aabb,
    // In drop order: the array refers to the buffers.
    vertex_array: VertexArray,
    vertices: Rc<GpuVertices>,
    index_buffer: Option<Buffer>,
    vertex_values: RefCell<Option<Buffer>>,
    /// Levels of detail, from fine to coarse.
    levels: Vec<GpuLevel>,
}

/// Vertices on the GPU. Primitives may share them.
pub(super) struct GpuVertices {
    /// File index of each vertex; copies have indices past the file's. `None` for the identity.
    source_indices: Option<Vec<u32>>,
    /// File index of each copy.
    copies: Vec<u32>,
    attributes: Vec<(u32, AttributeFormat)>,
    texels_per_morph_delta: usize,
    size_bytes: usize,
    bounds: Aabb,
    buffer: Buffer,
}

impl GpuVertices {
    /// Uploads vertices, in the order of the file without `order`.
    pub(super) fn new(gpu: &Rc<Gpu>, source: &PrimitiveContent<'_>, order: Option<Vec<u32>>) -> Result<Self, GpuError> {
        let copies = source.tangent_spaces.map_or(Vec::new(), |spaces| spaces.copies.clone());
        let mut arrays = AttributeArrays { copies, order, ..AttributeArrays::default() };
        arrays.add(attribute::POSITION, AttributeType::F32, 3, source.positions);
        add_vertices(&mut arrays, &source.primitive.vertices, source.tangent_spaces, &source.tex_coord_sets);
        if let Some(morph) = source.morph {
            arrays.add(attribute::MORPH_RUN, AttributeType::U32, 2, &morph.runs);
        }
        Ok(Self {
            buffer: Buffer::with_bytes(gpu, &arrays.bytes)?,
            size_bytes: arrays.bytes.len(),
            texels_per_morph_delta: source.morph.map_or(0, |morph| morph.texels_per_entry),
            bounds: Aabb::from_positions(source.positions),
            source_indices: arrays.order,
            copies: arrays.copies,
            attributes: arrays.attributes,
        })
    }
}

/// A level of detail on the GPU.
struct GpuLevel {
    /// Maximum distance from the full mesh, in mesh units.
    error: f32,
    /// Number of indices.
    count: usize,
    /// Number of vertices that the indices refer to.
    vertex_count: usize,
    index_type: IndexType,
    index_buffer: Buffer,
}

/// One instance of an instance list: where the palette holds its matrices and weights.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub(crate) struct InstanceEntry {
    /// Texel of the matrix for slot 0.
    pub(crate) first_matrix: i32,
    /// Texel of the first morph weight.
    pub(crate) first_morph_weights: i32,
    /// Entry of the debug view's table for slot 0.
    pub(crate) first_table_entry: i32,
}

/// Content of a [`GpuPrimitive`].
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

/// Smallest distance in bytes between attribute arrays of equal stride.
///
/// Mesa merges closer arrays into one vertex buffer and compiles a vertex shader for each distance between them. This is
/// one more than its `GL_MAX_VERTEX_ATTRIB_RELATIVE_OFFSET`.
const MIN_ARRAY_DISTANCE: usize = 2048;

/// Attributes stored one after another, each as a contiguous array over all vertices.
#[derive(Default)]
struct AttributeArrays {
    bytes: Vec<u8>,
    attributes: Vec<(u32, AttributeFormat)>,
    /// File index of each copied vertex; copies are numbered after the file's vertices.
    copies: Vec<u32>,
    /// Index of the vertex at each position of an array; `None` for the identity.
    order: Option<Vec<u32>>,
}

impl AttributeArrays {
    /// Appends an attribute of the file's vertices, and repeats it for the copies.
    fn add<T: bytemuck::Pod>(&mut self, location: u32, ty: AttributeType, components: usize, items: &[T]) {
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

impl GpuPrimitive {
    /// Uploads a primitive. With `shared` vertices, only its indices.
    pub(super) fn new(
        gpu: &Rc<Gpu>,
        source: PrimitiveContent<'_>,
        shared: Option<Rc<GpuVertices>>,
    ) -> Result<Self, GpuError> {
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
        let uploaded = match shared {
            Some(shared) => shared,
            None => Rc::new(GpuVertices::new(gpu, &source, vertex_order)?),
        };
        let mut vertex_array = VertexArray::new(gpu)?;
        for &(location, format) in &uploaded.attributes {
            vertex_array.set_attribute(location, format, &uploaded.buffer);
        }
        let (index_buffer, indices) = match indices {
            None => (None, None),
            Some(indices) => {
                let (buffer, ty) = upload_indices(gpu, &indices)?;
                vertex_array.set_index_buffer(&buffer);
                (Some(buffer), Some((indices.len(), ty)))
            }
        };
        Ok(Self {
            topology,
            vertex_count: vertices.positions.len(),
            gpu_vertex_count,
            indices,
            influences: vertices.influences.as_ref().map_or(0, |influences| influences.per_vertex),
            texels_per_morph_delta: uploaded.texels_per_morph_delta,
            has_normals: vertices.normals.is_some(),
            has_tangents: vertices.tangents.is_some(),
            draws_tangents: vertices.tangents.is_some() || tangent_spaces.is_some(),
            has_colors: vertices.colors.is_some(),
            tex_coord_sets: source.tex_coord_sets,
            has_first_tex_coords: vertices.tex_coords.first().is_some_and(|coords| !coords.is_empty()),
            bytes: uploaded.size_bytes + indices.map_or(0, |(count, ty)| count * ty.size()),
            bounds: uploaded.bounds,
            vertex_array,
            vertices: uploaded,
            index_buffer,
            vertex_values: RefCell::default(),
            levels: Vec::new(),
        })
    }

    /// Returns the file index of each GPU vertex; `None` for copies.
    pub(crate) fn source_vertices(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        let index =
            |vertex: usize| self.vertices.source_indices.as_ref().map_or(vertex, |indices| indices[vertex] as usize);
        (0..self.gpu_vertex_count).map(index).map(|index| (index < self.vertex_count).then_some(index))
    }

    pub(crate) fn bind(&self) {
        self.vertex_array.bind();
    }

    /// Uploads the values of a view mode, one per vertex.
    pub(super) fn set_vertex_values(&self, gpu: &Rc<Gpu>, values: &[f32]) -> Result<(), GpuError> {
        let mut arrays = AttributeArrays {
            copies: self.vertices.copies.clone(),
            order: self.vertices.source_indices.clone(),
            ..AttributeArrays::default()
        };
        arrays.add(attribute::VERTEX_VALUE, AttributeType::F32, 1, values);
        let buffer = Buffer::with_bytes(gpu, &arrays.bytes)?;
        for &(location, format) in &arrays.attributes {
            self.vertex_array.set_attribute(location, format, &buffer);
        }
        *self.vertex_values.borrow_mut() = Some(buffer);
        Ok(())
    }

    /// Uploads levels of detail, the coarser ones first, while they take at most half the memory of the full mesh.
    pub(super) fn set_levels(&mut self, gpu: &Rc<Gpu>, levels: &[Level]) -> Result<(), GpuError> {
        let mut available_bytes = self.bytes / 2;
        // GPU index of each vertex in the order of the file.
        let mut gpu_indices: Vec<u32> = (0..self.gpu_vertex_count as u32).collect();
        for (gpu_index, source_index) in self.vertices.source_indices.iter().flatten().enumerate() {
            gpu_indices[*source_index as usize] = gpu_index as u32;
        }
        self.levels.clear();
        for level in levels.iter().rev() {
            let indices: Vec<u32> = level.indices.iter().map(|&vertex| gpu_indices[vertex as usize]).collect();
            let (index_buffer, index_type) = upload_indices(gpu, &indices)?;
            let Some(left) = available_bytes.checked_sub(indices.len() * index_type.size()) else { break };
            available_bytes = left;
            let vertex_count = indices.iter().collect::<HashSet<_>>().len();
            let (error, count) = (level.error as f32, indices.len());
            self.levels.push(GpuLevel { error, count, vertex_count, index_type, index_buffer });
        }
        self.levels.reverse();
        Ok(())
    }

    pub(crate) fn has_levels(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Returns the coarsest level within `max_error`; 0 is the full mesh.
    pub(crate) fn level_within(&self, max_error: f32) -> usize {
        self.levels.partition_point(|level| level.error <= max_error)
    }

    /// Number of vertices that a level reads; level 0 is the full mesh.
    pub(crate) fn vertices_of_level(&self, level: usize) -> usize {
        level.checked_sub(1).map_or(self.vertex_count, |index| self.levels[index].vertex_count)
    }

    /// Draws instances of a level of detail with the bound program and state; level 0 is the full mesh.
    pub(crate) fn draw_level(&self, gpu: &Gpu, level: usize, instances: usize) {
        let Some(level) = level.checked_sub(1).map(|index| &self.levels[index]) else {
            return self.draw(gpu, instances);
        };
        if level.count == 0 {
            return;
        }
        self.vertex_array.replace_index_buffer(&level.index_buffer);
        gpu.draw_indexed(Topology::Triangles, level.index_type, 0..level.count, instances);
        if let Some(buffer) = &self.index_buffer {
            self.vertex_array.replace_index_buffer(buffer);
        }
    }

    /// Draws instances of a part of a merged primitive with the bound program and state.
    pub(crate) fn draw_part(&self, gpu: &Gpu, indices: Range<usize>, instances: usize) {
        if let Some((count, ty)) = self.indices {
            assert!(indices.end <= count, "indices past the end of their buffer");
            gpu.draw_indexed(self.topology, ty, indices, instances);
        }
    }

    /// Binds the vertices and, from entry `first` on, an instance list.
    pub(crate) fn bind_instance_attribute(&self, list: &Buffer, first: usize) {
        let stride = size_of::<InstanceEntry>();
        let format = AttributeFormat { ty: AttributeType::I32, components: 3, offset: first * stride, stride };
        self.vertex_array.bind_instance_attribute(attribute::INSTANCE, format, list);
    }

    /// Returns the number of vertices that one instance draws, by index.
    pub(crate) fn element_count(&self) -> usize {
        self.indices.map_or(self.vertex_count, |(count, _)| count)
    }

    /// Draws `instances` instances with the bound program and state.
    fn draw(&self, gpu: &Gpu, instances: usize) {
        match self.indices {
            Some((count, ty)) => gpu.draw_indexed(self.topology, ty, 0..count, instances),
            None => gpu.draw_arrays(self.topology, self.vertex_count, instances),
        }
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

/// Uploads indices as `u16` where they fit. 65,535 is excluded: some drivers treat it as primitive restart.
fn upload_indices(gpu: &Rc<Gpu>, indices: &[u32]) -> Result<(Buffer, IndexType), GpuError> {
    let narrow: Option<Vec<u16>> =
        indices.iter().map(|&index| u16::try_from(index).ok().filter(|&index| index < u16::MAX)).collect();
    Ok(match narrow {
        Some(narrow) => (Buffer::with_bytes(gpu, bytemuck::cast_slice(&narrow))?, IndexType::U16),
        None => (Buffer::with_bytes(gpu, bytemuck::cast_slice(indices))?, IndexType::U32),
    })
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
