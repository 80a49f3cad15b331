//! Vertices and indices of a primitive on the GPU.

use super::levels::Level;
use super::vertices::{AttributeArrays, PrimitiveInfo, VertexLayout, index_bytes};
use crate::gpu::{AttributeFormat, AttributeType, Buffer, Gpu, GpuError, IndexType, VertexArray};
use crate::render::bindings::attribute;
use rigview_core::model::Topology;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::{Deref, Range};
use std::rc::Rc;

/// One primitive on the GPU.
pub(crate) struct GpuPrimitive {
    info: PrimitiveInfo,
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
    pub(super) layout: VertexLayout,
    pub(super) buffer: Buffer,
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

impl Deref for GpuPrimitive {
    type Target = PrimitiveInfo;

    fn deref(&self) -> &PrimitiveInfo {
        &self.info
    }
}

impl GpuPrimitive {
    /// Connects uploaded vertices and indices.
    pub(super) fn new(
        gpu: &Rc<Gpu>,
        info: PrimitiveInfo,
        vertices: Rc<GpuVertices>,
        index_buffer: Option<Buffer>,
    ) -> Result<Self, GpuError> {
        let mut vertex_array = VertexArray::new(gpu)?;
        for &(location, format) in &vertices.layout.attributes {
            vertex_array.set_attribute(location, format, &vertices.buffer);
        }
        if let Some(buffer) = &index_buffer {
            vertex_array.set_index_buffer(buffer);
        }
        let (vertex_values, levels) = (RefCell::default(), Vec::new());
        Ok(Self { info, vertex_array, vertices, index_buffer, vertex_values, levels })
    }

    /// Returns the file index of each GPU vertex; `None` for copies.
    pub(crate) fn source_vertices(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        let index = |vertex: usize| {
            self.vertices.layout.source_indices.as_ref().map_or(vertex, |indices| indices[vertex] as usize)
        };
        (0..self.gpu_vertex_count).map(index).map(|index| (index < self.vertex_count).then_some(index))
    }

    pub(crate) fn bind(&self) {
        self.vertex_array.bind();
    }

    /// Uploads the values of a view mode, one per vertex.
    pub(super) fn set_vertex_values(&self, gpu: &Rc<Gpu>, values: &[f32]) -> Result<(), GpuError> {
        let mut arrays = AttributeArrays {
            copies: self.vertices.layout.copies.clone(),
            order: self.vertices.layout.source_indices.clone(),
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
        let index_bytes_of_mesh = self.indices.map_or(0, |(count, ty)| count * ty.size());
        let mut available_bytes = (self.vertices.buffer.size_bytes() + index_bytes_of_mesh) / 2;
        // GPU index of each vertex in the order of the file.
        let mut gpu_indices: Vec<u32> = (0..self.gpu_vertex_count as u32).collect();
        for (gpu_index, source_index) in self.vertices.layout.source_indices.iter().flatten().enumerate() {
            gpu_indices[*source_index as usize] = gpu_index as u32;
        }
        self.levels.clear();
        for level in levels.iter().rev() {
            let indices: Vec<u32> = level.indices.iter().map(|&vertex| gpu_indices[vertex as usize]).collect();
            let (bytes, index_type) = index_bytes(&indices);
            let index_buffer = Buffer::with_bytes(gpu, &bytes)?;
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
