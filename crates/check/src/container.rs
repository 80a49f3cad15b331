//! The GLB container (glTF 2.0, section 4.4), chunk by chunk; continues after an error.

use super::issue::Issues;
use super::json_path::JsonPath;
use rigview_core::gltf_format::glb::{BIN_CHUNK, Chunk, Chunks, GlbHeader, HEADER_BYTES, JSON_CHUNK, MAGIC};
use std::ops::Range;

/// The readable parts of a container.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Parts {
    pub(super) json: Option<Range<usize>>,
    /// The content of buffer 0.
    pub(super) bin: Option<Range<usize>>,
}

/// Returns `true` if the bytes are meant as GLB: JSON cannot begin with this letter.
pub(super) fn is_glb(bytes: &[u8]) -> bool {
    bytes.starts_with(b"g")
}

pub(super) fn check(bytes: &[u8], issues: &mut Issues) -> Parts {
    let mut parts = Parts::default();
    let mut report = |code, message: std::fmt::Arguments<'_>| issues.add(code, JsonPath::ROOT, message);
    let size = bytes.len();
    let Some(GlbHeader { magic, version, length: total }) = GlbHeader::read(bytes) else {
        let message = format_args!("the file ends after {size} bytes, within the GLB header; copy or export it again");
        report("GLB_UNEXPECTED_END_OF_HEADER", message);
        return parts;
    };
    if magic != MAGIC {
        let magic = u32::from_le_bytes(magic);
        report("GLB_INVALID_MAGIC", format_args!("the file begins with {magic:#010x} instead of `glTF`"));
        return parts;
    }
    if version != 2 {
        report("GLB_INVALID_VERSION", format_args!("GLB version {version}, not 2; export it again as glTF 2.0"));
        return parts;
    }
    let total = total as usize;
    if total <= HEADER_BYTES {
        report("GLB_LENGTH_TOO_SMALL", format_args!("the length in the GLB header is {total}, too small for a chunk"));
    }

    let mut chunks = Chunks::new(bytes);
    loop {
        let at = chunks.position();
        if at != size && at == total {
            report("GLB_EXTRA_DATA", format_args!("{} bytes after the GLB container are ignored", size - at));
            return parts;
        }
        let chunk = match chunks.next() {
            None => {
                if total != size {
                    let message = format_args!(
                        "the length in the GLB header is {total}, but the file has {size} bytes; copy or export it again"
                    );
                    report("GLB_LENGTH_MISMATCH", message);
                }
                return parts;
            }
            Some(Err(truncated)) => {
                let message = format_args!("the file ends within the header of chunk {}", truncated.index);
                report("GLB_UNEXPECTED_END_OF_CHUNK_HEADER", message);
                return parts;
            }
            Some(Ok(chunk)) => chunk,
        };
        check_chunk(&chunk, total, &mut parts, &mut report);
        if chunk.is_truncated() {
            let (index, name, length, found) = (chunk.index, chunk_name(&chunk), chunk.stated_length, chunk.data.len());
            let message = format_args!(
                "chunk {index} ({name}) should have {length} bytes, but the file ends after {found} of them"
            );
            report("GLB_UNEXPECTED_END_OF_CHUNK_DATA", message);
            return parts;
        }
    }
}

fn chunk_name(chunk: &Chunk) -> String {
    String::from_utf8_lossy(&chunk.kind).replace(|c: char| !c.is_ascii_graphic(), "")
}

/// Checks one chunk, and stores the first chunk of its type in `parts`. `total` is the length in the GLB header.
fn check_chunk(
    chunk: &Chunk,
    total: usize,
    parts: &mut Parts,
    report: &mut impl FnMut(&'static str, std::fmt::Arguments<'_>),
) {
    let (index, length, kind) = (chunk.index, chunk.stated_length, chunk.kind);
    let name = chunk_name(chunk);
    if !chunk.is_aligned() {
        let message = format_args!("chunk {index} ({name}) has {length} bytes, which is not a multiple of 4");
        report("GLB_CHUNK_LENGTH_UNALIGNED", message);
    }
    if chunk.data.start.saturating_add(length as usize) > total {
        let message =
            format_args!("chunk {index} ({name}) has {length} bytes, more than the length in the GLB header allows");
        report("GLB_CHUNK_TOO_BIG", message);
    }
    if index == 0 && kind != JSON_CHUNK {
        report("GLB_UNEXPECTED_FIRST_CHUNK", format_args!("the first chunk is {name:?} instead of JSON"));
    }
    if kind == BIN_CHUNK && index > 1 && parts.bin.is_none() {
        report("GLB_UNEXPECTED_BIN_CHUNK", format_args!("the BIN chunk is chunk {index} instead of chunk 1"));
    }
    match kind {
        JSON_CHUNK | BIN_CHUNK => {
            let is_json = kind == JSON_CHUNK;
            if length == 0 && is_json {
                report("GLB_EMPTY_CHUNK", format_args!("the JSON chunk is empty"));
            } else if length == 0 {
                report("GLB_EMPTY_BIN_CHUNK", format_args!("the BIN chunk is empty and can be omitted"));
            }
            let part = if is_json { &mut parts.json } else { &mut parts.bin };
            if part.is_some() {
                report("GLB_DUPLICATE_CHUNK", format_args!("chunk {index} is a second {name} chunk"));
            } else {
                *part = Some(chunk.data.clone());
            }
        }
        _ => report("GLB_UNKNOWN_CHUNK_TYPE", format_args!("chunk {index} has the unknown type {name:?}")),
    }
}
