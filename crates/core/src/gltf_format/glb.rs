//! The GLB container: a header, then chunks (glTF 2.0, section 4.4). Version 3 is that of the draft of glTF 2.1.

use serde_json::Value;
use std::ops::Range;

/// First bytes of a GLB container.
pub const MAGIC: [u8; 4] = *b"glTF";
/// Type of the first chunk.
pub const JSON_CHUNK: [u8; 4] = *b"JSON";
/// Type of the chunk that holds the first buffer.
pub const BIN_CHUNK: [u8; 4] = *b"BIN\0";
/// Size of the header of version 2 in bytes.
pub const HEADER_BYTES: usize = 12;
/// Size of the header of a chunk of version 2 in bytes.
pub const CHUNK_HEADER_BYTES: usize = 8;
/// Size of the header of version 3, and of the header of each of its chunks, which begin at multiples of 8 bytes.
const HEADER_BYTES_3: usize = 16;

/// The header of a GLB file, unchecked.
#[derive(Clone, Copy, Debug)]
pub struct GlbHeader {
    /// [`MAGIC`] in a GLB container.
    pub magic: [u8; 4],
    /// Version of the container: 2 or 3.
    pub version: u32,
    /// Length of the whole container in bytes.
    pub length: u64,
}

impl GlbHeader {
    /// Reads the header; `None` if `bytes` is too short.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (magic, version) = (bytes.first_chunk()?, u32_at(bytes, 4)?);
        let length = if version == 3 { u64_at(bytes, 8)? } else { u32_at(bytes, 8)?.into() };
        Some(Self { magic: *magic, version, length })
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
    pub stated_length: u64,
    /// 0 for plain data. Version 2 has no other encoding.
    pub encoding: u32,
    /// Byte range of its data in the file; shorter than `stated_length` if the file ends within the chunk.
    pub data: Range<usize>,
}

impl Chunk {
    /// Returns `true` if the file ends before the chunk.
    pub fn is_truncated(&self) -> bool {
        (self.data.len() as u64) < self.stated_length
    }

    /// Returns `true` if the length is a multiple of 4, as version 2 requires.
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
    version: u32,
    position: usize,
    index: usize,
}

impl<'a> Chunks<'a> {
    /// `bytes` begins with the GLB header.
    pub fn new(bytes: &'a [u8]) -> Self {
        let version = GlbHeader::read(bytes).map_or(2, |header| header.version);
        Self { bytes, version, position: if version == 3 { HEADER_BYTES_3 } else { HEADER_BYTES }, index: 0 }
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
        let number = |at: usize| u32_at(self.bytes, offset + at);
        let (header, header_bytes) = match self.version {
            3 => (number(0).zip(number(4)).zip(u64_at(self.bytes, offset + 8)), HEADER_BYTES_3),
            _ => (number(4).zip(Some(0)).zip(number(0).map(u64::from)), CHUNK_HEADER_BYTES),
        };
        let Some(((kind, encoding), stated_length)) = header else {
            self.position = size;
            return Some(Err(TruncatedChunkHeader { index }));
        };
        let start = offset + header_bytes;
        let end = usize::try_from(stated_length).map_or(size, |length| start.saturating_add(length).min(size));
        self.position = if self.version == 3 { end.next_multiple_of(8).min(size) } else { end };
        self.index += 1;
        Some(Ok(Chunk { index, kind: kind.to_le_bytes(), stated_length, encoding, data: start..end }))
    }
}

fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    bytes.get(offset..)?.first_chunk::<8>().map(|bytes| u64::from_le_bytes(*bytes))
}

/// The little-endian integer at `offset`.
fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    bytes.get(offset..)?.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes))
}
/// Returns a container of version 2 with JSON and one buffer; `None` if it exceeds 4 GiB.
pub fn write(json: &Value, mut bin: Vec<u8>) -> Option<Vec<u8>> {
    let mut text = json.to_string().into_bytes();
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
