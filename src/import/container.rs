//! The GLB container: one JSON chunk and perhaps one of bytes (glTF 2.0, section 4.4).

use super::error::ContainerError;
use std::ops::Range;

const MAGIC: &[u8; 4] = b"glTF";
const JSON: [u8; 4] = *b"JSON";
const BIN: [u8; 4] = *b"BIN\0";
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;

/// Where the parts of a GLB file lie in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Container {
    /// The JSON text; not empty.
    pub(super) json: Range<usize>,
    /// The bytes of buffer 0.
    pub(super) bin: Option<Range<usize>>,
    /// Bytes behind the container, which mean nothing.
    pub(super) trailing: usize,
}

/// Whether the bytes claim to be a GLB container.
pub(super) fn is_glb(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Finds the chunks of a GLB file, without a look into them.
pub(super) fn split(bytes: &[u8]) -> Result<Container, ContainerError> {
    let size = bytes.len();
    let (Some(version), Some(stated)) = (word(bytes, 4), word(bytes, 8)) else {
        return Err(ContainerError::HeaderCut { size });
    };
    if version != 2 {
        return Err(ContainerError::Version { version });
    }
    let end = stated as usize;
    if end < HEADER + CHUNK_HEADER {
        return Err(ContainerError::LengthTooSmall { stated });
    }
    if end > size {
        return Err(ContainerError::Length { stated, size });
    }

    let (mut json, mut bin) = (None, None);
    let (mut at, mut chunk) = (HEADER, 0);
    while at < end {
        let start = at + CHUNK_HEADER;
        let (Some(length), Some(kind)) = (word(bytes, at), word(bytes, at + 4)) else {
            return Err(ContainerError::ChunkHeaderCut { chunk });
        };
        if start > end {
            return Err(ContainerError::ChunkHeaderCut { chunk });
        }
        // `end` is below 2^32 and so is every length: the sum fits even where a usize has 32 bits, if checked.
        let rest = end - start;
        if length as usize > rest {
            return Err(ContainerError::ChunkCut { chunk, stated: length, rest });
        }
        if length % 4 != 0 {
            return Err(ContainerError::ChunkUnaligned { chunk, stated: length });
        }
        let range = start..start + length as usize;
        match (kind.to_le_bytes(), chunk) {
            (JSON, 0) if range.is_empty() => return Err(ContainerError::EmptyJson),
            (JSON, 0) => json = Some(range.clone()),
            (_, 0) => return Err(ContainerError::FirstNotJson),
            (JSON, _) => return Err(ContainerError::Duplicate { chunk, kind: "JSON" }),
            (BIN, 1) => bin = Some(range.clone()),
            (BIN, _) if bin.is_some() => return Err(ContainerError::Duplicate { chunk, kind: "BIN" }),
            (BIN, _) => return Err(ContainerError::LateBin { chunk }),
            // Chunks of other kinds are for extensions; a reader steps over them.
            _ => {}
        }
        at = range.end;
        chunk += 1;
    }
    Ok(Container { json: json.ok_or(ContainerError::FirstNotJson)?, bin, trailing: size - end })
}

/// The little-endian number at `at`.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk::<4>().map(|word| u32::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glb(version: u32, chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let length = HEADER + chunks.iter().map(|(_, data)| CHUNK_HEADER + data.len()).sum::<usize>();
        let mut out = [&MAGIC[..], &version.to_le_bytes(), &(length as u32).to_le_bytes()].concat();
        for (kind, data) in chunks {
            out.extend((data.len() as u32).to_le_bytes());
            out.extend(*kind);
            out.extend(*data);
        }
        out
    }

    #[test]
    fn chunks_are_found() {
        let bytes = glb(2, &[(b"JSON", b"{  }"), (b"BIN\0", b"12345678"), (b"EXT1", b"....")]);
        let found = split(&bytes).unwrap();
        assert_eq!(&bytes[found.json], b"{  }");
        assert_eq!(&bytes[found.bin.unwrap()], b"12345678");
        assert_eq!(split(&glb(2, &[(b"JSON", b"{  }")])).unwrap().bin, None);
        assert_eq!(split(&[bytes, vec![0; 5]].concat()).unwrap().trailing, 5);
    }

    #[test]
    fn each_fault_has_its_own_error() {
        use ContainerError as E;
        let error = |bytes: &[u8]| split(bytes).unwrap_err();
        assert_eq!(error(b"glTF"), E::HeaderCut { size: 4 });
        assert_eq!(error(&glb(1, &[])), E::Version { version: 1 });
        assert_eq!(error(&glb(2, &[])), E::LengthTooSmall { stated: 12 });
        assert_eq!(error(&glb(2, &[(b"BIN\0", b"")])), E::FirstNotJson);
        assert_eq!(error(&glb(2, &[(b"JSON", b"")])), E::EmptyJson);
        assert_eq!(error(&glb(2, &[(b"JSON", b"{}")])), E::ChunkUnaligned { chunk: 0, stated: 2 });
        assert_eq!(error(&glb(2, &[(b"JSON", b"{  }"), (b"JSON", b"{  }")])), E::Duplicate { chunk: 1, kind: "JSON" });
        let two_bins = glb(2, &[(b"JSON", b"{  }"), (b"BIN\0", b""), (b"BIN\0", b"")]);
        assert_eq!(error(&two_bins), E::Duplicate { chunk: 2, kind: "BIN" });
        let late_bin = glb(2, &[(b"JSON", b"{  }"), (b"EXT1", b""), (b"BIN\0", b"")]);
        assert_eq!(error(&late_bin), E::LateBin { chunk: 2 });

        let whole = glb(2, &[(b"JSON", b"{  }"), (b"BIN\0", b"12345678")]);
        assert_eq!(error(&whole[..whole.len() - 1]), E::Length { stated: 40, size: 39 });
        let mut too_long = whole.clone();
        too_long[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(error(&too_long), E::ChunkCut { chunk: 0, stated: u32::MAX, rest: 20 });
        let mut cut_head = whole.clone();
        cut_head[8..12].copy_from_slice(&28u32.to_le_bytes());
        assert_eq!(error(&cut_head), E::ChunkHeaderCut { chunk: 1 });
    }
}
