//! EXT_meshopt_compression and KHR_meshopt_compression: buffer views whose bytes stand compressed in another buffer.
//!
//! The bit streams are those of the extensions' appendices; every read is checked, and what a stream may unfold to is
//! known before memory is asked for.

mod attributes;
mod filters;
mod indices;
#[cfg(test)]
mod tests;

use super::error::ImportError;
use super::json::{Document, integer};
use super::limits::Limit;
use filters::Filter;
use rayon::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;

/// The extensions' names. They differ in what an encoder may write; the decoder reads all of it.
const NAMES: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// Whether a buffer only stands in for those who cannot decompress; its bytes are not needed.
pub(super) fn is_fallback(document: &Document, buffer: usize) -> bool {
    let fallback = |found: &Value| found.get("fallback").and_then(Value::as_bool).unwrap_or(false);
    extension(document.element("buffers", buffer)).is_some_and(|(_, found)| fallback(found))
}

/// The extension's object of a buffer or buffer view, with its name.
fn extension(element: &Value) -> Option<(&'static str, &Value)> {
    let extensions = element.get("extensions").filter(|_| cfg!(feature = "meshopt"))?;
    NAMES.into_iter().find_map(|name| extensions.get(name).filter(|found| found.is_object()).map(|found| (name, found)))
}

/// How a buffer view is compressed.
struct Compressed<'a> {
    bytes: &'a [u8],
    mode: Mode,
    filter: Filter,
    count: usize,
    stride: usize,
}

/// What a stream holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Items of any kind, each `stride` bytes.
    Attributes,
    /// Vertex numbers, three for each triangle.
    Triangles,
    /// Vertex numbers in any order.
    Indices,
}

/// Why a compressed buffer view could not be unpacked.
pub(crate) struct Fault {
    /// The buffer view.
    view: usize,
    kind: FaultKind,
}

enum FaultKind {
    /// The extension by its name, and what is wrong.
    Broken(&'static str, String),
    /// Bytes of all buffer views up to this one, unpacked, and the most that they may be.
    TooMuch(u64, u64),
}

impl Fault {
    fn broken(view: usize, name: &'static str, problem: impl Into<String>) -> Self {
        Self { view, kind: FaultKind::Broken(name, problem.into()) }
    }

    /// The same, with the names of the file.
    pub(super) fn in_document(self, document: &Document) -> ImportError {
        let at = document.place("bufferViews", self.view);
        match self.kind {
            FaultKind::Broken(name, problem) => {
                let problem = format!("its {name} cannot be read: {problem}; copy or export the file again");
                ImportError::InvalidData { at, problem }
            }
            FaultKind::TooMuch(count, limit) => {
                let what = format!("{at}: bytes of all decompressed buffer views");
                ImportError::Limit { pointer: at.pointer, what, over: Limit::Decompressed, count, limit }
            }
        }
    }
}

/// The bytes of all compressed buffer views of the list, by the view's number; at most `max` of them in all.
///
/// `buffer` gives a buffer's bytes.
pub(crate) fn decode_views<'a>(
    views: &[Value],
    buffer: impl Fn(usize) -> Option<&'a [u8]>,
    max: u64,
) -> Result<BTreeMap<usize, Vec<u8>>, Fault> {
    let mut jobs = Vec::new();
    let mut total = 0_u64;
    for (view, json) in views.iter().enumerate() {
        let Some((name, found)) = extension(json) else { continue };
        let job = Compressed::read(found, &buffer).map_err(|problem| Fault::broken(view, name, problem))?;
        total = total.saturating_add(job.count as u64 * job.stride as u64);
        if total > max {
            return Err(Fault { view, kind: FaultKind::TooMuch(total, max) });
        }
        jobs.push((view, name, job));
    }
    let unpack = |(view, name, job): (usize, &'static str, Compressed<'_>)| {
        Ok((view, job.decode().map_err(|problem| Fault::broken(view, name, problem))?))
    };
    // Small ones are done before another core has woken up.
    if total < 1 << 16 { jobs.into_iter().map(unpack).collect() } else { jobs.into_par_iter().map(unpack).collect() }
}

impl<'a> Compressed<'a> {
    /// Reads and checks the extension's object.
    fn read(found: &Value, buffer: impl Fn(usize) -> Option<&'a [u8]>) -> Result<Self, String> {
        let missing = |name: &str| format!("{name} is missing or no whole number");
        let number = |name: &str| integer(found.get(name)?);
        let needed = |name: &str| number(name).ok_or_else(|| missing(name));
        let (source, length) = (needed("buffer")?, needed("byteLength")?);
        let offset = if found.get("byteOffset").is_some() { needed("byteOffset")? } else { 0 };
        let (count, stride) = (needed("count")?, needed("byteStride")?);
        let bytes = buffer(source).ok_or_else(|| format!("buffer {source} has no data"))?;
        let bytes = offset.checked_add(length).and_then(|end| bytes.get(offset..end)).ok_or_else(|| {
            format!("it reaches past the end of buffer {source}: {length} bytes from {offset} on, of {}", bytes.len())
        })?;
        let mode = match found.get("mode").and_then(Value::as_str) {
            Some("ATTRIBUTES") => Mode::Attributes,
            Some("TRIANGLES") => Mode::Triangles,
            Some("INDICES") => Mode::Indices,
            _ => return Err("its mode is none of ATTRIBUTES, TRIANGLES and INDICES".into()),
        };
        let filter = match found.get("filter").map(Value::as_str) {
            None | Some(Some("NONE")) => Filter::None,
            Some(Some("OCTAHEDRAL")) => Filter::Octahedral,
            Some(Some("QUATERNION")) => Filter::Quaternion,
            Some(Some("EXPONENTIAL")) => Filter::Exponential,
            Some(Some("COLOR")) => Filter::Color,
            Some(_) => return Err("its filter is none that the extension knows".into()),
        };
        let fits = match mode {
            Mode::Attributes => stride > 0 && stride <= 256 && stride.is_multiple_of(4) && filter.fits(stride),
            Mode::Triangles => matches!(stride, 2 | 4) && count.is_multiple_of(3) && filter == Filter::None,
            Mode::Indices => matches!(stride, 2 | 4) && filter == Filter::None,
        };
        if !fits {
            return Err(format!("{count} items of {stride} bytes do not go with mode {mode:?} and filter {filter:?}"));
        }
        let job = Self { bytes, mode, filter, count, stride };
        if bytes.len() < job.least_bytes() {
            return Err(format!("{} bytes are too few for {count} items", bytes.len()));
        }
        Ok(job)
    }

    /// The fewest bytes that so many items can be compressed to.
    fn least_bytes(&self) -> usize {
        match self.mode {
            Mode::Attributes => attributes::least_bytes(self.count, self.stride),
            // Header, a byte for each triangle, a table; header, a byte for each number, a tail.
            Mode::Triangles => 1 + self.count / 3 + 16,
            Mode::Indices => 1_usize.saturating_add(self.count).saturating_add(4),
        }
    }

    /// The bytes as they were before compression, `count * stride` of them.
    fn decode(&self) -> Result<Vec<u8>, &'static str> {
        match self.mode {
            Mode::Attributes => {
                let mut bytes = attributes::decode(self.bytes, self.count, self.stride)?;
                self.filter.undo(&mut bytes, self.stride);
                Ok(bytes)
            }
            Mode::Triangles => Ok(packed(&indices::triangles(self.bytes, self.count)?, self.stride)),
            Mode::Indices => Ok(packed(&indices::sequence(self.bytes, self.count)?, self.stride)),
        }
    }
}

/// Vertex numbers in two or four bytes each.
fn packed(numbers: &[u32], stride: usize) -> Vec<u8> {
    match stride {
        2 => numbers.iter().flat_map(|number| (*number as u16).to_le_bytes()).collect(),
        _ => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
    }
}
