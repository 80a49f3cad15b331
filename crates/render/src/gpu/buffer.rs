//! GPU buffers.

use super::{Gpu, GpuError};
use glow::HasContext;
use std::rc::Rc;

/// A buffer object.
///
/// Always bound as `GL_ARRAY_BUFFER` for uploads: buffers have no type, and that binding is not vertex array state.
pub struct Buffer {
    gpu: Rc<Gpu>,
    id: glow::Buffer,
    size_bytes: usize,
}

impl Buffer {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        // SAFETY: the `Gpu` invariant.
        let id = unsafe { gpu.functions().create_buffer() }
            .map_err(|reason| GpuError::Create { object: "buffer", reason })?;
        Ok(Self { gpu: Rc::clone(gpu), id, size_bytes: 0 })
    }

    /// Creates a buffer with immutable content.
    pub(crate) fn with_bytes(gpu: &Rc<Gpu>, bytes: &[u8]) -> Result<Self, GpuError> {
        let mut buffer = Self::new(gpu)?;
        gl_size(bytes.len())?;
        buffer.size_bytes = bytes.len();
        // SAFETY: the `Gpu` invariant; GL copies the slice before it returns, and its size fits.
        unsafe {
            gpu.functions().bind_buffer(glow::ARRAY_BUFFER, Some(buffer.id));
            gpu.functions().buffer_data_u8_slice(glow::ARRAY_BUFFER, bytes, glow::STATIC_DRAW);
        }
        // Checked in release builds too: memory may run out.
        gpu.check_errors("filling a buffer")?;
        Ok(buffer)
    }

    /// Replaces the content.
    ///
    /// Orphans the old storage, so that the driver does not wait for draws that still read it.
    pub(crate) fn upload_orphaning(&mut self, bytes: &[u8]) -> Result<(), GpuError> {
        self.allocate(bytes.len(), glow::STREAM_DRAW)?;
        // SAFETY: the `Gpu` invariant; the buffer has this size.
        unsafe { self.gpu.functions().buffer_sub_data_u8_slice(glow::ARRAY_BUFFER, 0, bytes) };
        self.gpu.debug_check("streaming a buffer")
    }

    /// Allocates `size_bytes` for the GPU to write.
    pub(crate) fn allocate_for_readback(&mut self, size_bytes: usize) -> Result<(), GpuError> {
        self.allocate(size_bytes, glow::STREAM_READ)?;
        self.gpu.check_errors("allocating a buffer")
    }

    /// Allocates storage and leaves the buffer bound.
    fn allocate(&mut self, size_bytes: usize, usage: u32) -> Result<(), GpuError> {
        let size = gl_size(size_bytes)?;
        self.size_bytes = size_bytes;
        // SAFETY: the `Gpu` invariant.
        unsafe {
            self.gpu.functions().bind_buffer(glow::ARRAY_BUFFER, Some(self.id));
            self.gpu.functions().buffer_data_size(glow::ARRAY_BUFFER, size, usage);
        }
        Ok(())
    }

    /// Reads the first bytes. Waits for the GPU.
    ///
    /// # Panics
    /// If `bytes` is longer than the buffer.
    pub(crate) fn read(&self, bytes: &mut [u8]) {
        assert!(bytes.len() <= self.size_bytes, "read past the end of a buffer");
        // SAFETY: the `Gpu` invariant; the range is checked above.
        unsafe {
            self.gpu.functions().bind_buffer(glow::ARRAY_BUFFER, Some(self.id));
            self.gpu.functions().get_buffer_sub_data(glow::ARRAY_BUFFER, 0, bytes);
        }
    }

    /// Binds `size_bytes` bytes at `offset` as the uniform block at `binding`.
    ///
    /// # Panics
    /// If the range exceeds the buffer.
    pub(crate) fn bind_uniform_range(&self, binding: u32, offset: usize, size_bytes: usize) {
        assert!(offset + size_bytes <= self.size_bytes, "uniform block past the end of its buffer");
        // SAFETY: the `Gpu` invariant; the range is checked above, and buffers are smaller than 2 GiB.
        unsafe {
            let (offset, size) = (offset as i32, size_bytes as i32);
            self.gpu.functions().bind_buffer_range(glow::UNIFORM_BUFFER, binding, Some(self.id), offset, size);
        }
    }

    pub(super) fn id(&self) -> glow::Buffer {
        self.id
    }

    pub(super) fn size_bytes(&self) -> usize {
        self.size_bytes
    }
}

/// A size as the functions of GL take it. All buffers are smaller than 2 GiB.
fn gl_size(size_bytes: usize) -> Result<i32, GpuError> {
    i32::try_from(size_bytes).map_err(|_| GpuError::TooLarge { object: "buffer", size_bytes })
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the `Gpu` invariant.
        unsafe { self.gpu.functions().delete_buffer(self.id) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_2_gib_are_refused() {
        assert_eq!(gl_size((1 << 31) - 1).ok(), Some(i32::MAX));
        let error = gl_size(1 << 31).expect_err("too large").to_string();
        assert_eq!(error, "a buffer of 2147483648 bytes is too large; use fewer instances or smaller meshes");
    }
}
