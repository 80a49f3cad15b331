//! The GLB container, chunk by chunk, going on after a fault (glTF 2.0, section 4.4).

use super::issue::{JsonPath, Issues};
use std::ops::Range;

const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;
const JSON: [u8; 4] = *b"JSON";
const BIN: [u8; 4] = *b"BIN\0";

/// What of a container can be read, faults or not.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Parts {
    /// The JSON text.
    pub(super) json: Option<Range<usize>>,
    /// The bytes of buffer 0.
    pub(super) bin: Option<Range<usize>>,
}

/// Whether the bytes are meant as GLB: JSON never begins with this letter.
pub(super) fn is_glb(bytes: &[u8]) -> bool {
    bytes.starts_with(b"g")
}

/// Finds the chunks.
pub(super) fn check(bytes: &[u8], issues: &mut Issues) -> Parts {
    let mut parts = Parts::default();
    let mut tally = |code, message: std::fmt::Arguments<'_>| issues.add(code, JsonPath::ROOT, message);
    let size = bytes.len();
    let (Some(magic), Some(version), Some(total)) = (word(bytes, 0), word(bytes, 4), word(bytes, 8)) else {
        let message = format_args!("the file ends after {size} bytes, within the GLB header; copy or export it again");
        tally("GLB_UNEXPECTED_END_OF_HEADER", message);
        return parts;
    };
    if magic.to_le_bytes() != *b"glTF" {
        tally("GLB_INVALID_MAGIC", format_args!("the file begins with {magic:#010x} and not with `glTF`"));
        return parts;
    }
    if version != 2 {
        tally("GLB_INVALID_VERSION", format_args!("GLB version {version}, not 2; export it again as glTF 2.0"));
        return parts;
    }
    let total = total as usize;
    if total <= HEADER {
        tally("GLB_LENGTH_TOO_SMALL", format_args!("the GLB header says {total} bytes, too few for a chunk"));
    }

    let (mut at, mut chunk) = (HEADER, 0);
    loop {
        if at == size {
            if total != size {
                let message =
                    format_args!("the GLB header says {total} bytes, the file has {size}; copy or export it again");
                tally("GLB_LENGTH_MISMATCH", message);
            }
            return parts;
        }
        if at == total {
            tally("GLB_EXTRA_DATA", format_args!("{} bytes behind the GLB container mean nothing", size - at));
            return parts;
        }
        let start = at + CHUNK_HEADER;
        let (Some(length), Some(kind), true) = (word(bytes, at), word(bytes, at + 4), start <= size) else {
            tally("GLB_UNEXPECTED_END_OF_CHUNK_HEADER", format_args!("the file ends within the head of chunk {chunk}"));
            return parts;
        };
        let (length, kind) = (length as usize, kind.to_le_bytes());
        let name = String::from_utf8_lossy(&kind).replace(|c: char| !c.is_ascii_graphic(), "");
        if length % 4 != 0 {
            let message = format_args!("chunk {chunk} ({name}) has {length} bytes, which is not a multiple of 4");
            tally("GLB_CHUNK_LENGTH_UNALIGNED", message);
        }
        // A chunk's length is below 2^32; in 64 bits the sum cannot overflow.
        if start as u64 + length as u64 > total as u64 {
            let message =
                format_args!("chunk {chunk} ({name}) says {length} bytes, more than the GLB header leaves for it");
            tally("GLB_CHUNK_TOO_BIG", message);
        }
        if chunk == 0 && kind != JSON {
            tally("GLB_UNEXPECTED_FIRST_CHUNK", format_args!("the first chunk is {name:?} and not JSON"));
        }
        if kind == BIN && chunk > 1 && parts.bin.is_none() {
            tally("GLB_UNEXPECTED_BIN_CHUNK", format_args!("the BIN chunk is number {chunk} and must be number 1"));
        }
        let range = start..start.saturating_add(length).min(size);
        match kind {
            JSON | BIN => {
                if length == 0 && kind == JSON {
                    tally("GLB_EMPTY_CHUNK", format_args!("the JSON chunk is empty"));
                } else if length == 0 {
                    tally("GLB_EMPTY_BIN_CHUNK", format_args!("the BIN chunk is empty and can be left out"));
                }
                let place = if kind == JSON { &mut parts.json } else { &mut parts.bin };
                if place.is_some() {
                    tally("GLB_DUPLICATE_CHUNK", format_args!("chunk {chunk} is a second {name} chunk"));
                } else {
                    *place = Some(range.clone());
                }
            }
            _ => tally("GLB_UNKNOWN_CHUNK_TYPE", format_args!("chunk {chunk} is of the unknown kind {name:?}")),
        }
        if range.len() < length {
            let left = range.len();
            let message =
                format_args!("chunk {chunk} ({name}) says {length} bytes, but the file ends after {left} of them");
            tally("GLB_UNEXPECTED_END_OF_CHUNK_DATA", message);
            return parts;
        }
        at = range.end;
        chunk += 1;
    }
}

/// The little-endian number at `at`.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk::<4>().map(|word| u32::from_le_bytes(*word))
}
