//! GPU buffers.

use super::object::Object;
use super::{Gpu, GpuError};
use glow::HasContext;
use rayon::prelude::*;
use std::mem::MaybeUninit;
use std::rc::Rc;

/// `glUnmapBuffer`: 0 if the content was lost while it was mapped, such as by a change of the display mode (OpenGL 3.3 core, section 2.9.3).
pub(super) type UnmapBuffer = Option<unsafe extern "system" fn(target: u32) -> u8>;

/// A buffer object.
///
/// Always bound as `GL_ARRAY_BUFFER` for uploads: buffers have no type, and that binding is not vertex array state.
pub struct Buffer {
    object: Object<glow::Buffer>,
    size_bytes: usize,
}

impl Buffer {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        let object = Object::new(gpu, "buffer", glow::Context::create_buffer, glow::Context::delete_buffer)?;
        Ok(Self { object, size_bytes: 0 })
    }

    /// Creates a buffer with immutable content.
    pub(crate) fn with_bytes(gpu: &Rc<Gpu>, bytes: &[u8]) -> Result<Self, GpuError> {
        let mut buffer = Self::new(gpu)?;
        gl_size(bytes.len())?;
        buffer.size_bytes = bytes.len();
        // SAFETY: the `Gpu` invariant; GL copies the slice before it returns, and its size fits.
        unsafe {
            gpu.functions().bind_buffer(glow::ARRAY_BUFFER, Some(buffer.object.id));
            gpu.functions().buffer_data_u8_slice(glow::ARRAY_BUFFER, bytes, glow::STATIC_DRAW);
        }
        // Checked in release builds too: memory may run out.
        gpu.check_errors("filling a buffer")?;
        Ok(buffer)
    }

    /// Creates a buffer whose content is undefined until [`write`](Self::write).
    pub(crate) fn with_size(gpu: &Rc<Gpu>, size_bytes: usize) -> Result<Self, GpuError> {
        let mut buffer = Self::new(gpu)?;
        buffer.allocate(size_bytes, glow::STATIC_DRAW)?;
        gpu.check_errors("allocating a buffer")?;
        Ok(buffer)
    }

    /// Replaces the bytes from `offset` on.
    ///
    /// # Panics
    /// If they end past the end of the buffer.
    pub(crate) fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), GpuError> {
        assert!(offset + bytes.len() <= self.size_bytes, "write past the end of a buffer");
        // SAFETY: the `Gpu` invariant; GL copies the slice before it returns. The range is checked above, and buffers are smaller than
        // 2 GiB.
        unsafe {
            self.object.gpu.functions().bind_buffer(glow::ARRAY_BUFFER, Some(self.object.id));
            self.object.gpu.functions().buffer_sub_data_u8_slice(glow::ARRAY_BUFFER, offset as i32, bytes);
        }
        self.object.gpu.check_errors("filling a buffer")
    }

    /// Replaces the content.
    ///
    /// Orphans the old storage, so that the driver does not wait for draws that still read it.
    pub(crate) fn upload_orphaning(&mut self, bytes: &[u8]) -> Result<(), GpuError> {
        self.allocate(bytes.len(), glow::STREAM_DRAW)?;
        // SAFETY: the `Gpu` invariant; the buffer has this size.
        unsafe { self.object.gpu.functions().buffer_sub_data_u8_slice(glow::ARRAY_BUFFER, 0, bytes) };
        self.object.gpu.debug_check("streaming a buffer")
    }

    /// Replaces the content by way of mapped memory, which all threads of the pool fill. The GPU no longer reads the buffer.
    ///
    /// Returns `true` if the buffer has new storage. It keeps its storage for content of another size, within limits.
    pub(crate) fn write_mapped(&mut self, bytes: &[u8]) -> Result<bool, GpuError> {
        // A buffer texture has at least one texel.
        let size_bytes = bytes.len().max(size_of::<[f32; 4]>());
        let is_allocated = size_bytes > self.size_bytes || size_bytes < self.size_bytes / 4;
        if is_allocated {
            self.allocate(size_bytes, glow::STREAM_DRAW)?;
            self.object.gpu.check_errors("allocating a buffer texture")?;
        }
        let size = gl_size(bytes.len())?;
        if bytes.is_empty() {
            return Ok(is_allocated);
        }
        // A second attempt if the content was lost.
        let is_filled = self.fill_mapped(bytes, size) || self.fill_mapped(bytes, size);
        if !is_filled {
            let gl = self.object.gpu.functions();
            // SAFETY: the `Gpu` invariant; the buffer is bound, and has at least this size.
            unsafe { gl.buffer_sub_data_u8_slice(glow::ARRAY_BUFFER, 0, bytes) };
        }
        self.object.gpu.debug_check("streaming a buffer texture")?;
        Ok(is_allocated)
    }

    /// Binds the buffer, and writes its first `size` bytes by way of mapped memory. Returns `false` if it cannot be mapped, or if the content was
    /// lost.
    fn fill_mapped(&self, bytes: &[u8], size: i32) -> bool {
        /// Bytes that one thread copies at a time.
        const CHUNK_BYTES: usize = 1 << 18;
        let gl = self.object.gpu.functions();
        // SAFETY: the `Gpu` invariant; the buffer has at least this size.
        let mapped = unsafe {
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(self.object.id));
            gl.map_buffer_range(glow::ARRAY_BUFFER, 0, size, glow::MAP_WRITE_BIT | glow::MAP_INVALIDATE_BUFFER_BIT)
        };
        if mapped.is_null() {
            return false;
        }
        // SAFETY: the driver maps this many bytes, for the buffer alone, until they are unmapped below. They are only written.
        let mapped = unsafe { std::slice::from_raw_parts_mut(mapped.cast::<MaybeUninit<u8>>(), bytes.len()) };
        let chunks = mapped.par_chunks_mut(CHUNK_BYTES).zip(bytes.par_chunks(CHUNK_BYTES));
        chunks.for_each(|(to, from)| {
            to.write_copy_of_slice(from);
        });
        // SAFETY: the `Gpu` invariant; the buffer is bound and mapped.
        self.object.gpu.unmap_buffer.is_some_and(|unmap| unsafe { unmap(glow::ARRAY_BUFFER) } != 0)
    }

    /// Allocates `size_bytes` for the GPU to write.
    pub(crate) fn allocate_for_readback(&mut self, size_bytes: usize) -> Result<(), GpuError> {
        self.allocate(size_bytes, glow::STREAM_READ)?;
        self.object.gpu.check_errors("allocating a buffer")
    }

    /// Allocates storage and leaves the buffer bound.
    fn allocate(&mut self, size_bytes: usize, usage: u32) -> Result<(), GpuError> {
        let size = gl_size(size_bytes)?;
        self.size_bytes = size_bytes;
        // SAFETY: the `Gpu` invariant.
        unsafe {
            self.object.gpu.functions().bind_buffer(glow::ARRAY_BUFFER, Some(self.object.id));
            self.object.gpu.functions().buffer_data_size(glow::ARRAY_BUFFER, size, usage);
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
            self.object.gpu.functions().bind_buffer(glow::ARRAY_BUFFER, Some(self.object.id));
            self.object.gpu.functions().get_buffer_sub_data(glow::ARRAY_BUFFER, 0, bytes);
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
            self.object.gpu.functions().bind_buffer_range(
                glow::UNIFORM_BUFFER,
                binding,
                Some(self.object.id),
                offset,
                size,
            );
        }
    }

    pub(super) fn id(&self) -> glow::Buffer {
        self.object.id
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.size_bytes
    }
}

/// A size as the functions of GL take it. All buffers are smaller than 2 GiB.
fn gl_size(size_bytes: usize) -> Result<i32, GpuError> {
    i32::try_from(size_bytes).map_err(|_| GpuError::TooLarge { object: "buffer", size_bytes })
}

#[cfg(test)]
mod tests {
    use super::super::fake_driver::{LOST_MAPPINGS, MAPPINGS, STORAGE, new_gpu};
    use super::*;

    #[test]
    fn lost_content_of_a_mapped_buffer_is_written_again() {
        let gpu = new_gpu().expect("the fake driver");
        let bytes: Vec<u8> = (0..100_u8).collect();
        for lost in 0..=3 {
            let mut buffer = Buffer::new(&gpu).expect("a buffer");
            LOST_MAPPINGS.set(lost);
            MAPPINGS.set(0);
            buffer.write_mapped(&bytes).expect("no error");
            assert_eq!(STORAGE.take(), bytes, "{lost} mappings are lost");
            assert_eq!(MAPPINGS.get(), (lost + 1).min(2));
        }
        LOST_MAPPINGS.set(0);
    }

    #[test]
    fn sizes_of_2_gib_are_refused() {
        assert_eq!(gl_size((1 << 31) - 1).ok(), Some(i32::MAX));
        let error = gl_size(1 << 31).expect_err("too large").to_string();
        assert_eq!(error, "a buffer of 2147483648 bytes is too large; use fewer instances or smaller meshes");
    }
}
