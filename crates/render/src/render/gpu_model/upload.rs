//! Uploads a prepared model, a slice at a time.

use super::material_buffer::MaterialBuffer;
use super::mipmaps::Texels;
use super::model::GpuModel;
use super::prepared::PreparedModel;
use super::primitive::{GpuPrimitive, GpuVertices};
use super::textures::PreparedTexture;
use super::vertices::{PreparedPrimitive, PreparedVertices};
use crate::background_drop::drop_elsewhere;
use crate::gpu::{ArrayTexture, Buffer, Gpu, GpuError, Sampler, Texture2d};
use crate::render::error::RenderError;
use std::mem::take;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::vec::IntoIter;

/// Bytes of a slice. Rows of texels or blocks are not divided, and mip levels of compressed blocks only with ARB_texture_storage.
const SLICE_BYTES: usize = 4 << 20;

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

/// The upload of a [`PreparedModel`], in slices between which the context does other work.
///
/// Frees the bytes that are uploaded.
pub struct ModelUpload {
    gpu: Rc<Gpu>,
    pending: PendingBytes,
    /// A buffer of which a part is filled, and the end of this part.
    buffer: Option<(Buffer, usize)>,
    /// The number of rows of the morph targets that are uploaded.
    morph_rows: usize,
    /// A texture of which a part is filled: a level, and the number of its rows that are not.
    texture: Option<(Texture2d, usize, usize)>,
    uploaded_vertices: Vec<Rc<GpuVertices>>,
    /// What is uploaded.
    model: GpuModel,
    uploaded_bytes: u64,
    total_bytes: u64,
}

/// What is not uploaded, in the order of the upload. The first object may be uploaded in part.
#[derive(Default)]
struct PendingBytes {
    vertices: IntoIter<PreparedVertices>,
    primitives: IntoIter<PreparedPrimitive>,
    /// Texels in whole rows, and their number without the padding.
    morphs: (Vec<[f32; 4]>, usize),
    textures: IntoIter<PreparedTexture>,
}

impl Drop for PendingBytes {
    /// After the end of an upload that is not finished, frees the bytes on another thread: it takes longer than a frame.
    fn drop(&mut self) {
        if self.vertices.len() + self.primitives.len() + self.textures.len() > 0 {
            let Self { vertices, primitives, morphs, textures } = self;
            drop_elsewhere((take(vertices), take(primitives), take(morphs), take(textures)));
        }
    }
}

impl ModelUpload {
    pub(crate) fn new(gpu: &Rc<Gpu>, prepared: PreparedModel) -> Result<Self, RenderError> {
        let total_bytes = prepared.size_bytes();
        let PreparedModel { vertices, primitives, draws, textures, samplers, morphs, materials, batches_draws } =
            prepared;
        let limit = ArrayTexture::capacity(gpu);
        if morphs.1 > limit {
            return Err(RenderError::MorphsTooLarge { texels: morphs.1, limit });
        }
        let model = GpuModel {
            gpu: Rc::clone(gpu),
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            primitives: Vec::with_capacity(primitives.len()),
            draws,
            textures: Vec::with_capacity(textures.len()),
            samplers: samplers.iter().map(|sampler| Sampler::new(gpu, sampler)).collect::<Result<_, _>>()?,
            morphs: None,
            materials: MaterialBuffer::new(gpu, materials)?,
            batches_draws,
        };
        Ok(Self {
            gpu: Rc::clone(gpu),
            pending: PendingBytes {
                vertices: vertices.into_iter(),
                primitives: primitives.into_iter(),
                morphs,
                textures: textures.into_iter(),
            },
            buffer: None,
            morph_rows: 0,
            texture: None,
            uploaded_vertices: Vec::new(),
            model,
            uploaded_bytes: 0,
            total_bytes,
        })
    }

    /// Uploads about 4 MiB, or one object with fewer bytes. Returns `false` if there is nothing left.
    ///
    /// # Errors
    /// When the driver cannot hold the model.
    pub fn upload_slice(&mut self) -> Result<bool, RenderError> {
        if let [next, ..] = self.pending.vertices.as_slice() {
            if let Some(buffer) = fill_buffer(&self.gpu, &mut self.buffer, &next.bytes, &mut self.uploaded_bytes)?
                && let Some(PreparedVertices { layout, .. }) = self.pending.vertices.next()
            {
                self.uploaded_vertices.push(GpuVertices { layout, buffer }.into());
            }
        } else if let [next, ..] = self.pending.primitives.as_slice() {
            let (indices, is_indexed) = (next.indices.as_deref().unwrap_or_default(), next.indices.is_some());
            let index_buffer = match is_indexed {
                true => fill_buffer(&self.gpu, &mut self.buffer, indices, &mut self.uploaded_bytes)?,
                false => None,
            };
            if is_indexed == index_buffer.is_some()
                && let Some(PreparedPrimitive { info, vertices, .. }) = self.pending.primitives.next()
            {
                let vertices = Rc::clone(&self.uploaded_vertices[vertices]);
                self.model.primitives.push(GpuPrimitive::new(&self.gpu, info, vertices, index_buffer)?);
            }
        } else if !self.pending.morphs.0.is_empty() {
            self.upload_morph_rows()?;
        } else if !self.pending.textures.as_slice().is_empty() {
            self.upload_texture_rows()?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Uploads what is left.
    ///
    /// # Errors
    /// When the driver cannot hold the model.
    pub fn finish(mut self) -> Result<GpuModel, RenderError> {
        while self.upload_slice()? {}
        Ok(self.model)
    }

    /// The bytes that are uploaded, and all bytes.
    pub fn progress(&self) -> [u64; 2] {
        [self.uploaded_bytes, self.total_bytes]
    }

    fn upload_morph_rows(&mut self) -> Result<(), RenderError> {
        const ROWS: usize = SLICE_BYTES / size_of::<[f32; 4]>() / ArrayTexture::SIDE;
        let (texels, count) = &self.pending.morphs;
        if self.model.morphs.is_none() {
            self.model.morphs = Some(ArrayTexture::new(&self.gpu, *count)?);
        }
        let rows = texels.chunks(ArrayTexture::SIDE * ROWS).nth(self.morph_rows / ROWS);
        if let (Some(texture), Some(rows)) = (&self.model.morphs, rows) {
            texture.write_rows(self.morph_rows, rows)?;
            self.morph_rows += ROWS;
            self.uploaded_bytes += size_of_val(rows) as u64;
        }
        if self.morph_rows * ArrayTexture::SIDE >= texels.len() {
            self.pending.morphs.0 = Vec::new();
        }
        Ok(())
    }

    fn upload_texture_rows(&mut self) -> Result<(), RenderError> {
        let [prepared, ..] = self.pending.textures.as_mut_slice() else { return Ok(()) };
        let (texture, level, rows_left) = match self.texture.take() {
            Some(begun) => begun,
            None => {
                let sizes = prepared.levels.iter().map(|level| [level.width, level.height]).collect();
                let texture = Texture2d::new(&self.gpu, prepared.format, sizes)?;
                let (rows, _) = texture.rows(0);
                (texture, 0, rows)
            }
        };
        let (_, row_bytes) = texture.rows(level);
        // From the last rows on, because a vector can be truncated.
        let first = rows_left.saturating_sub((SLICE_BYTES / row_bytes).max(1));
        let texels = &mut prepared.levels[level].texels;
        let rows = &texels.bytes()[first * row_bytes..rows_left * row_bytes];
        texture.write(level, first as u32, rows)?;
        self.uploaded_bytes += rows.len() as u64;
        texels.truncate(first * row_bytes);
        self.texture = match (first, level + 1 < prepared.levels.len()) {
            (0, false) => {
                self.model.textures.push(texture);
                self.pending.textures.next();
                None
            }
            (0, true) => {
                let (rows, _) = texture.rows(level + 1);
                Some((texture, level + 1, rows))
            }
            _ => Some((texture, level, first)),
        };
        Ok(())
    }
}

/// Fills `buffer` with the next slice of `bytes`. Returns it once it is full.
fn fill_buffer(
    gpu: &Rc<Gpu>,
    begun: &mut Option<(Buffer, usize)>,
    bytes: &[u8],
    uploaded_bytes: &mut u64,
) -> Result<Option<Buffer>, GpuError> {
    let (buffer, start, end) = match begun.take() {
        None if bytes.len() <= SLICE_BYTES => (Buffer::with_bytes(gpu, bytes)?, 0, bytes.len()),
        begun => {
            let (buffer, start) = match begun {
                Some(begun) => begun,
                None => (Buffer::with_size(gpu, bytes.len())?, 0),
            };
            let end = bytes.len().min(start + SLICE_BYTES);
            buffer.write(start, &bytes[start..end])?;
            (buffer, start, end)
        }
    };
    *uploaded_bytes += (end - start) as u64;
    if end < bytes.len() {
        *begun = Some((buffer, end));
        return Ok(None);
    }
    Ok(Some(buffer))
}

impl Texels {
    /// Frees the bytes from `length` on, unless others share them.
    fn truncate(&mut self, length: usize) {
        let bytes = match self {
            Self::Own(bytes) => Some(bytes),
            Self::OfImage(image, 0) => Arc::get_mut(image).map(|image| &mut image.rgba),
            Self::OfImage(..) => None,
        };
        if let Some(bytes) = bytes {
            bytes.truncate(length);
            bytes.shrink_to_fit();
        }
    }
}
