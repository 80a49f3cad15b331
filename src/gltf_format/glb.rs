//! The GLB container: a header, then chunks (glTF 2.0, section 4.4).

use std::ops::Range;

pub(crate) const MAGIC: [u8; 4] = *b"glTF";
pub(crate) const JSON_CHUNK: [u8; 4] = *b"JSON";
pub(crate) const BIN_CHUNK: [u8; 4] = *b"BIN\0";
pub(crate) const HEADER_BYTES: usize = 12;
pub(crate) const CHUNK_HEADER_BYTES: usize = 8;

/// The header of a GLB file, unchecked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GlbHeader {
    pub(crate) magic: [u8; 4],
    pub(crate) version: u32,
    /// Length of the whole container in bytes.
    pub(crate) length: u32,
}

impl GlbHeader {
    /// Reads the header; `None` if `bytes` is too short.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let magic = bytes.first_chunk()?;
        Some(Self { magic: *magic, version: u32_at(bytes, 4)?, length: u32_at(bytes, 8)? })
    }
}

/// One chunk. Its data may be truncated.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    pub(crate) index: usize,
    pub(crate) kind: [u8; 4],
    /// Length in bytes by the chunk's header.
    pub(crate) stated_length: u32,
    /// Byte range of its data in the file; shorter than `stated_length` if the file ends within the chunk.
    pub(crate) data: Range<usize>,
}

impl Chunk {
    pub(crate) fn is_truncated(&self) -> bool {
        self.data.len() < self.stated_length as usize
    }

    pub(crate) fn is_aligned(&self) -> bool {
        self.stated_length.is_multiple_of(4)
    }
}

/// The bytes end within the header of this chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TruncatedChunkHeader {
    pub(crate) index: usize,
}

/// Iterates over the chunks of a container, up to the end of the bytes or the first truncated chunk.
#[derive(Clone, Debug)]
pub(crate) struct Chunks<'a> {
    bytes: &'a [u8],
    position: usize,
    index: usize,
}

impl<'a> Chunks<'a> {
    /// `bytes` begins with the GLB header.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: HEADER_BYTES, index: 0 }
    }

    /// Byte offset of the next chunk's header.
    pub(crate) fn position(&self) -> usize {
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
        let (Some(length), Some(kind)) = (u32_at(self.bytes, offset), u32_at(self.bytes, offset + 4)) else {
            self.position = size;
            return Some(Err(TruncatedChunkHeader { index }));
        };
        let start = offset + CHUNK_HEADER_BYTES;
        let data = start..start.saturating_add(length as usize).min(size);
        self.position = data.end;
        self.index += 1;
        Some(Ok(Chunk { index, kind: kind.to_le_bytes(), stated_length: length, data }))
    }
}

/// The little-endian integer at `offset`.
fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    bytes.get(offset..)?.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes))
}
