//! The GLB container: a header, then chunks (glTF 2.0, section 4.4).

use serde_json::Value;
use std::ops::Range;

/// First bytes of a GLB container.
pub const MAGIC: [u8; 4] = *b"glTF";
/// Type of the first chunk.
pub const JSON_CHUNK: [u8; 4] = *b"JSON";
/// Type of the chunk that holds the first buffer.
pub const BIN_CHUNK: [u8; 4] = *b"BIN\0";
/// Size of the header in bytes.
pub const HEADER_BYTES: usize = 12;
/// Size of the header of a chunk in bytes.
pub const CHUNK_HEADER_BYTES: usize = 8;

/// The header of a GLB file, unchecked.
#[derive(Clone, Copy, Debug)]
pub struct GlbHeader {
    /// [`MAGIC`] in a GLB container.
    pub magic: [u8; 4],
    /// Version of the container; only 2 has the chunks of [`Chunks`].
    pub version: u32,
    /// Length of the whole container in bytes.
    pub length: u32,
}

impl GlbHeader {
    /// Reads the header; `None` if `bytes` is too short.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (magic, version) = (bytes.first_chunk()?, u32_at(bytes, 4)?);
        Some(Self { magic: *magic, version, length: u32_at(bytes, 8)? })
    }
}

/// One chunk. Its data may be truncated.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// Position among the chunks.
    pub index: usize,
    /// [`JSON_CHUNK`], [`BIN_CHUNK`], or a type to ignore.
    pub kind: [u8; 4],
    /// Length in bytes by the chunk's header.
    pub stated_length: u32,
    /// Byte range of its data in the file; shorter than `stated_length` if the file ends within the chunk.
    pub data: Range<usize>,
}

impl Chunk {
    /// Returns `true` if the file ends before the chunk.
    pub fn is_truncated(&self) -> bool {
        self.data.len() < self.stated_length as usize
    }

    /// Returns `true` if the length is a multiple of 4, as the specification requires.
    pub fn is_aligned(&self) -> bool {
        self.stated_length.is_multiple_of(4)
    }
}

/// The bytes end within the header of this chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TruncatedChunkHeader {
    /// Position among the chunks.
    pub index: usize,
}

/// Iterates over the chunks of a container, up to the end of the bytes or the first truncated chunk.
#[derive(Clone, Debug)]
pub struct Chunks<'a> {
    bytes: &'a [u8],
    position: usize,
    index: usize,
}

impl<'a> Chunks<'a> {
    /// `bytes` begins with the GLB header.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: HEADER_BYTES, index: 0 }
    }

    /// Byte offset of the next chunk's header.
    pub fn position(&self) -> usize {
        self.position
    }
}

impl Iterator for Chunks<'_> {
    type Item = Result<Chunk, TruncatedChunkHeader>;

    fn next(&mut self) -> Option<Self::Item> {
        let (size, offset, index) = (self.bytes.len(), self.position, self.index);
        if offset >= size {
            return None;
        }
        let header = u32_at(self.bytes, offset + 4).zip(u32_at(self.bytes, offset));
        let Some((kind, stated_length)) = header else {
            self.position = size;
            return Some(Err(TruncatedChunkHeader { index }));
        };
        let start = offset + CHUNK_HEADER_BYTES;
        let end = start.saturating_add(stated_length as usize).min(size);
        self.position = end;
        self.index += 1;
        Some(Ok(Chunk { index, kind: kind.to_le_bytes(), stated_length, data: start..end }))
    }
}

/// The little-endian integer at `offset`.
fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    bytes.get(offset..)?.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes))
}

/// Returns a container with JSON and one buffer; `None` if it exceeds 4 GiB.
pub fn write(json: &Value, bin: Vec<u8>) -> Option<Vec<u8>> {
    write_text(json.to_string().into_bytes(), bin)
}

/// [`write()`] for JSON that is text.
pub(crate) fn write_text(mut text: Vec<u8>, mut bin: Vec<u8>) -> Option<Vec<u8>> {
    text.resize(text.len().next_multiple_of(4), b' ');
    bin.resize(bin.len().next_multiple_of(4), 0);
    let size = HEADER_BYTES + 2 * CHUNK_HEADER_BYTES + text.len() + bin.len();
    let mut glb = Vec::with_capacity(size);
    glb.extend(MAGIC);
    glb.extend(2_u32.to_le_bytes());
    glb.extend(u32::try_from(size).ok()?.to_le_bytes());
    for (kind, chunk) in [(JSON_CHUNK, text), (BIN_CHUNK, bin)] {
        glb.extend((chunk.len() as u32).to_le_bytes());
        glb.extend(kind);
        glb.extend(chunk);
    }
    Some(glb)
}
