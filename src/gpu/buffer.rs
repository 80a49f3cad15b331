//! Memory of the driver.

use super::{Gpu, GpuError};
use glow::HasContext;
use std::rc::Rc;

/// A run of bytes that the driver owns.
///
/// It is filled as a `GL_ARRAY_BUFFER` whatever it is used for: buffers have no type of their own, and that binding
/// belongs to no vertex array.
pub(crate) struct Buffer {
    gpu: Rc<Gpu>,
    id: glow::Buffer,
    size_bytes: usize,
}

impl Buffer {
    /// An empty buffer.
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        // SAFETY: the common ground.
        let id = unsafe { gpu.gl.create_buffer() }.map_err(|reason| GpuError::Create { object: "buffer", reason })?;
        Ok(Self { gpu: Rc::clone(gpu), id, size_bytes: 0 })
    }

    /// A buffer of `bytes` that will not change.
    pub(crate) fn with_bytes(gpu: &Rc<Gpu>, bytes: &[u8]) -> Result<Self, GpuError> {
        let mut buffer = Self::new(gpu)?;
        buffer.size_bytes = bytes.len();
        // SAFETY: the common ground; GL copies the slice before it returns.
        unsafe {
            gpu.gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer.id));
            gpu.gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, bytes, glow::STATIC_DRAW);
        }
        // Memory may run out, which a release build must notice too.
        gpu.check_always("filling a buffer")?;
        Ok(buffer)
    }

    /// Replaces all bytes.
    ///
    /// The old memory is let go first, so that the driver need not wait for draws that still read it.
    pub(crate) fn upload_orphaning(&mut self, bytes: &[u8]) -> Result<(), GpuError> {
        self.allocate(bytes.len(), glow::STREAM_DRAW)?;
        // SAFETY: the common ground; the buffer was just given this size.
        unsafe { self.gpu.gl.buffer_sub_data_u8_slice(glow::ARRAY_BUFFER, 0, bytes) };
        self.gpu.check("streaming a buffer")
    }

    /// Replaces all bytes through a mapping: declared void first, or (`invalidate` false) by whoever knows that the GPU is
    /// done with the old ones.
    pub(crate) fn upload_mapped(&mut self, bytes: &[u8], invalidate: bool) -> Result<(), GpuError> {
        if self.size_bytes != bytes.len() {
            self.allocate(bytes.len(), glow::STREAM_DRAW)?;
        }
        if bytes.is_empty() {
            return Ok(());
        }
        let how = if invalidate { glow::MAP_INVALIDATE_BUFFER_BIT } else { glow::MAP_UNSYNCHRONIZED_BIT };
        // SAFETY: the common ground; the buffer has just this size, and what is mapped is written whole before it is let go.
        unsafe {
            let gl = &self.gpu.gl;
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(self.id));
            let mapped = gl.map_buffer_range(glow::ARRAY_BUFFER, 0, bytes.len() as i32, glow::MAP_WRITE_BIT | how);
            if mapped.is_null() {
                return Err(GpuError::Gl { during: "mapping a buffer", code: gl.get_error() });
            }
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), mapped, bytes.len());
            gl.unmap_buffer(glow::ARRAY_BUFFER);
        }
        self.gpu.check("streaming a buffer")
    }

    /// Makes room for `size_bytes` that the GPU will write.
    pub(crate) fn allocate_for_readback(&mut self, size_bytes: usize) -> Result<(), GpuError> {
        self.allocate(size_bytes, glow::STREAM_READ)?;
        self.gpu.check_always("making room in a buffer")
    }

    /// Allocates, and leaves the buffer bound.
    fn allocate(&mut self, size_bytes: usize, usage: u32) -> Result<(), GpuError> {
        let size = i32::try_from(size_bytes).map_err(|_| GpuError::TooLarge { object: "buffer", size_bytes })?;
        self.size_bytes = size_bytes;
        // SAFETY: the common ground.
        unsafe {
            self.gpu.gl.bind_buffer(glow::ARRAY_BUFFER, Some(self.id));
            self.gpu.gl.buffer_data_size(glow::ARRAY_BUFFER, size, usage);
        }
        Ok(())
    }

    /// Reads the first bytes back; waits for the GPU.
    ///
    /// # Panics
    /// If `bytes` is longer than the buffer.
    pub(crate) fn read(&self, bytes: &mut [u8]) {
        assert!(bytes.len() <= self.size_bytes, "read past the end of a buffer");
        // SAFETY: the common ground; the range was just checked.
        unsafe {
            self.gpu.gl.bind_buffer(glow::ARRAY_BUFFER, Some(self.id));
            self.gpu.gl.get_buffer_sub_data(glow::ARRAY_BUFFER, 0, bytes);
        }
    }

    /// Shows `size_bytes` from `offset` on as the uniform block at `binding`.
    ///
    /// # Panics
    /// If the range is not within the buffer.
    pub(crate) fn bind_uniform_range(&self, binding: u32, offset: usize, size_bytes: usize) {
        assert!(offset + size_bytes <= self.size_bytes, "a uniform block past the end of its buffer");
        // SAFETY: the common ground; the range was just checked, and buffers are smaller than 2 GiB.
        unsafe {
            let (offset, size) = (offset as i32, size_bytes as i32);
            self.gpu.gl.bind_buffer_range(glow::UNIFORM_BUFFER, binding, Some(self.id), offset, size);
        }
    }

    /// Shows all of it as the storage buffer at `binding`: where the context has such.
    pub(crate) fn bind_storage(&self, binding: u32) {
        // SAFETY: the common ground; whoever asks has seen that the limits tell of storage buffers.
        unsafe { self.gpu.gl.bind_buffer_base(glow::SHADER_STORAGE_BUFFER, binding, Some(self.id)) };
    }

    pub(super) fn id(&self) -> glow::Buffer {
        self.id
    }

    pub(super) fn size_bytes(&self) -> usize {
        self.size_bytes
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the common ground.
        unsafe { self.gpu.gl.delete_buffer(self.id) };
    }
}
