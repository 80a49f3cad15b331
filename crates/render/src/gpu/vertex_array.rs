//! Vertex array objects.

use super::object::Object;
use super::{Buffer, Gpu, GpuError};
use glow::HasContext;
use std::rc::Rc;

/// Vertex attributes and an optional index buffer.
pub(crate) struct VertexArray(Object<glow::VertexArray>);

/// Component type of an attribute in memory and in the shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttributeType {
    F32,
    /// Read as integers.
    U8,
    /// Read as integers.
    U16,
    /// Read as integers.
    U32,
    /// Read as integers.
    I32,
    /// Normalized to 0..1.
    U8Norm,
    /// Normalized to 0..1.
    U16Norm,
}

/// Format and location of an attribute in a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttributeFormat {
    pub(crate) ty: AttributeType,
    /// Components per vertex.
    pub(crate) components: usize,
    /// Byte offset of the first vertex.
    pub(crate) offset: usize,
    /// Bytes from one vertex to the next.
    pub(crate) stride: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexType {
    U16,
    U32,
}

impl IndexType {
    /// Size of an index in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::U16 => 2,
            Self::U32 => 4,
        }
    }

    pub(super) fn gl(self) -> u32 {
        match self {
            Self::U16 => glow::UNSIGNED_SHORT,
            Self::U32 => glow::UNSIGNED_INT,
        }
    }
}

impl VertexArray {
    /// Creates a vertex array without attributes.
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        let (create, delete) = (glow::Context::create_vertex_array, glow::Context::delete_vertex_array);
        Ok(Self(Object::new(gpu, "vertex array", create, delete)?))
    }

    /// Reads attribute `location` from `buffer`.
    ///
    /// The caller keeps the buffer alive as long as this object, and draws no more vertices than it holds.
    ///
    /// # Panics
    /// If the first vertex is not in the buffer.
    pub(crate) fn set_attribute(&self, location: u32, format: AttributeFormat, buffer: &Buffer) {
        self.set_attribute_pointer(location, format, buffer);
    }

    /// Reads attribute `location` from `buffer` once per instance. Leaves the array bound.
    ///
    /// The caller draws no more instances than the buffer holds.
    ///
    /// # Panics
    /// If the first instance is not in the buffer.
    pub(crate) fn bind_instance_attribute(&self, location: u32, format: AttributeFormat, buffer: &Buffer) {
        self.set_attribute_pointer(location, format, buffer);
        self.bind();
        // SAFETY: the `Gpu` invariant.
        unsafe { self.0.gpu.functions().vertex_attrib_divisor(location, 1) };
    }

    fn set_attribute_pointer(&self, location: u32, format: AttributeFormat, buffer: &Buffer) {
        let AttributeFormat { ty, components, offset, stride } = format;
        assert!(offset <= buffer.size_bytes(), "an attribute past the end of its buffer");
        // Buffers are smaller than 2 GiB.
        let [count, offset, stride] = [components, offset, stride].map(|x| i32::try_from(x).expect("less than 2 GiB"));
        let gl = self.0.gpu.functions();
        // SAFETY: the `Gpu` invariant.
        unsafe {
            gl.bind_vertex_array(Some(self.0.id));
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer.id()));
            gl.enable_vertex_attrib_array(location);
            let integers = |ty: u32| gl.vertex_attrib_pointer_i32(location, count, ty, stride, offset);
            let floats = |ty: u32, normalized: bool| {
                gl.vertex_attrib_pointer_f32(location, count, ty, normalized, stride, offset);
            };
            match ty {
                AttributeType::F32 => floats(glow::FLOAT, false),
                AttributeType::U8 => integers(glow::UNSIGNED_BYTE),
                AttributeType::U16 => integers(glow::UNSIGNED_SHORT),
                AttributeType::U32 => integers(glow::UNSIGNED_INT),
                AttributeType::I32 => integers(glow::INT),
                AttributeType::U8Norm => floats(glow::UNSIGNED_BYTE, true),
                AttributeType::U16Norm => floats(glow::UNSIGNED_SHORT, true),
            }
            gl.bind_vertex_array(None);
        }
    }

    /// Replaces the index buffer of the bound vertex array.
    pub(crate) fn replace_index_buffer(&self, buffer: &Buffer) {
        // SAFETY: the `Gpu` invariant.
        unsafe { self.0.gpu.functions().bind_buffer(glow::ELEMENT_ARRAY_BUFFER, Some(buffer.id())) };
    }

    /// Sets the index buffer, which the caller keeps alive as long as this object.
    pub(crate) fn set_index_buffer(&mut self, buffer: &Buffer) {
        // SAFETY: the `Gpu` invariant.
        unsafe {
            self.0.gpu.functions().bind_vertex_array(Some(self.0.id));
            self.0.gpu.functions().bind_buffer(glow::ELEMENT_ARRAY_BUFFER, Some(buffer.id()));
            self.0.gpu.functions().bind_vertex_array(None);
        }
    }

    pub(crate) fn bind(&self) {
        // SAFETY: the `Gpu` invariant.
        unsafe { self.0.gpu.functions().bind_vertex_array(Some(self.0.id)) };
    }
}
