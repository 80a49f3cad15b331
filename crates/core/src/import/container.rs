//! Splits a GLB container into its JSON and BIN chunks (glTF 2.0, section 4.4).

use super::error::ContainerError;
use crate::gltf_format::glb::{BIN_CHUNK, CHUNK_HEADER_BYTES, Chunks, GlbHeader, HEADER_BYTES, JSON_CHUNK, MAGIC};
use std::ops::Range;

/// Byte ranges of the parts of a GLB file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Container {
    /// The JSON text; not empty.
    pub(super) json: Range<usize>,
    /// The data of buffer 0.
    pub(super) bin: Option<Range<usize>>,
    /// Index and length of the last chunk, if it is not padded to a multiple of 4.
    pub(super) unaligned: Option<(usize, u32)>,
    /// Length of the data after the container, which is ignored.
    pub(super) trailing_bytes: usize,
}

/// Returns `true` if the file begins with the signature of GLB.
pub(super) fn is_glb(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Finds the chunks of a GLB file without parsing them.
pub(super) fn split(bytes: &[u8]) -> Result<Container, ContainerError> {
    let size = bytes.len();
    let header = GlbHeader::read(bytes).ok_or(ContainerError::TruncatedHeader { size })?;
    if header.version != 2 {
        return Err(ContainerError::Version { version: header.version });
    }
    let stated = header.length;
    if stated < (HEADER_BYTES + CHUNK_HEADER_BYTES) as u32 {
        return Err(ContainerError::LengthTooSmall { stated });
    }
    let end = stated as usize;
    let container = bytes.get(..end).ok_or(ContainerError::Length { stated, size })?;

    let (mut json, mut bin, mut unaligned) = (None, None, None);
    for chunk in Chunks::new(container) {
        let chunk = chunk.map_err(|error| ContainerError::TruncatedChunkHeader { chunk: error.index })?;
        let (index, stated) = (chunk.index, chunk.stated_length);
        if chunk.is_truncated() {
            return Err(ContainerError::TruncatedChunk { chunk: index, stated, rest: chunk.data.len() });
        }
        // Without padding, the header of a next chunk would be unaligned, and its place unclear.
        if !chunk.is_aligned() {
            if chunk.data.end < end {
                return Err(ContainerError::ChunkUnaligned { chunk: index, stated });
            }
            unaligned = Some((index, stated));
        }
        match (chunk.kind, index) {
            (JSON_CHUNK, 0) if chunk.data.is_empty() => return Err(ContainerError::EmptyJson),
            (JSON_CHUNK, 0) => json = Some(chunk.data),
            (_, 0) => return Err(ContainerError::FirstNotJson),
            (JSON_CHUNK, _) => return Err(ContainerError::Duplicate { chunk: index, kind: "JSON" }),
            (BIN_CHUNK, 1) => bin = Some(chunk.data),
            (BIN_CHUNK, _) if bin.is_some() => return Err(ContainerError::Duplicate { chunk: index, kind: "BIN" }),
            (BIN_CHUNK, _) => return Err(ContainerError::BinNotSecond { chunk: index }),
            // Other chunks belong to extensions and are ignored.
            _ => {}
        }
    }
    let json = json.ok_or(ContainerError::FirstNotJson)?;
    Ok(Container { json, bin, unaligned, trailing_bytes: size - end })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glb(version: u32, chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let length = HEADER_BYTES + chunks.iter().map(|(_, data)| CHUNK_HEADER_BYTES + data.len()).sum::<usize>();
        let mut out = [&MAGIC[..], &version.to_le_bytes(), &(length as u32).to_le_bytes()].concat();
        for (kind, data) in chunks {
            out.extend((data.len() as u32).to_le_bytes());
            out.extend(*kind);
            out.extend(*data);
        }
        out
    }

    #[test]
    fn chunks_split() {
        let bytes = glb(2, &[(b"JSON", b"{  }"), (b"BIN\0", b"12345678"), (b"EXT1", b"....")]);
        let found = split(&bytes).unwrap();
        assert_eq!(&bytes[found.json], b"{  }");
        assert_eq!(&bytes[found.bin.unwrap()], b"12345678");
        assert_eq!(split(&glb(2, &[(b"JSON", b"{  }")])).unwrap().bin, None);
        assert_eq!(split(&[bytes, vec![0; 5]].concat()).unwrap().trailing_bytes, 5);
        // The last chunk may lack its padding.
        let bytes = glb(2, &[(b"JSON", b"{  }"), (b"BIN\0", b"123456789")]);
        let found = split(&bytes).unwrap();
        assert_eq!((&bytes[found.bin.unwrap()], found.unaligned), (&b"123456789"[..], Some((1, 9))));
    }

    #[test]
    fn malformed_containers_give_distinct_errors() {
        use ContainerError as E;
        let error = |bytes: &[u8]| split(bytes).unwrap_err();
        assert_eq!(error(b"glTF"), E::TruncatedHeader { size: 4 });
        assert_eq!(error(&glb(1, &[])), E::Version { version: 1 });
        assert_eq!(error(&glb(3, &[(b"JSON", b"{  }")])), E::Version { version: 3 });
        assert_eq!(error(&glb(2, &[])), E::LengthTooSmall { stated: 12 });
        assert_eq!(error(&glb(2, &[(b"BIN\0", b"")])), E::FirstNotJson);
        assert_eq!(error(&glb(2, &[(b"JSON", b"")])), E::EmptyJson);
        assert_eq!(
            error(&glb(2, &[(b"JSON", b"{}"), (b"BIN\0", b"12345678")])),
            E::ChunkUnaligned { chunk: 0, stated: 2 }
        );
        assert_eq!(error(&glb(2, &[(b"JSON", b"{  }"), (b"JSON", b"{  }")])), E::Duplicate { chunk: 1, kind: "JSON" });
        let two_bins = glb(2, &[(b"JSON", b"{  }"), (b"BIN\0", b""), (b"BIN\0", b"")]);
        assert_eq!(error(&two_bins), E::Duplicate { chunk: 2, kind: "BIN" });
        let late_bin = glb(2, &[(b"JSON", b"{  }"), (b"EXT1", b""), (b"BIN\0", b"")]);
        assert_eq!(error(&late_bin), E::BinNotSecond { chunk: 2 });

        let whole = glb(2, &[(b"JSON", b"{  }"), (b"BIN\0", b"12345678")]);
        assert_eq!(error(&whole[..whole.len() - 1]), E::Length { stated: 40, size: 39 });
        let mut too_long = whole.clone();
        too_long[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(error(&too_long), E::TruncatedChunk { chunk: 0, stated: u32::MAX, rest: 20 });
        let mut cut_head = whole.clone();
        cut_head[8..12].copy_from_slice(&28u32.to_le_bytes());
        assert_eq!(error(&cut_head), E::TruncatedChunkHeader { chunk: 1 });
    }
}
