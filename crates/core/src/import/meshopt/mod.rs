//! Compressed buffer views (EXT_meshopt_compression, KHR_meshopt_compression).
//!
//! The bit streams are specified in the appendices of the extensions. Every read is bounds-checked, and the decompressed
//! size is checked before memory is allocated.

mod attributes;
mod filters;
mod indices;
#[cfg(all(test, feature = "meshopt"))]
mod tests;

use super::error::ImportError;
use super::json::{GltfJson, integer};
use super::limits::Limit;
use crate::util::parallel::*;
use filters::Filter;
use serde_json::Value;
use std::collections::BTreeMap;

/// The extensions differ in what encoders may write; the decoder supports all of it.
const NAMES: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// Returns `true` if a buffer is only a fallback for readers without decompression.
pub(super) fn is_fallback(document: &GltfJson, buffer: usize) -> bool {
    let fallback = |found: &Value| found.get("fallback").and_then(Value::as_bool).unwrap_or(false);
    extension(document.element("buffers", buffer)).is_some_and(|(_, found)| fallback(found))
}

/// Returns the extension object of a buffer or buffer view, with the extension's name.
fn extension(element: &Value) -> Option<(&'static str, &Value)> {
    let extensions = element.get("extensions").filter(|_| cfg!(feature = "meshopt"))?;
    NAMES.into_iter().find_map(|name| extensions.get(name).filter(|found| found.is_object()).map(|found| (name, found)))
}

/// A compressed buffer view.
struct CompressedView<'a> {
    bytes: &'a [u8],
    mode: Mode,
    filter: Filter,
    count: usize,
    stride: usize,
}

/// Contents of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Elements of `stride` bytes.
    Attributes,
    /// Three vertex indices per triangle.
    Triangles,
    /// Vertex indices in any order.
    Indices,
}

/// An error of [`decode_views`].
pub struct ViewError {
    /// The buffer view.
    view: usize,
    kind: ViewErrorKind,
}

enum ViewErrorKind {
    Invalid {
        extension: &'static str,
        problem: String,
    },
    /// The decompressed bytes of all buffer views up to this one exceed the maximum.
    TooLarge {
        size_bytes: u64,
        max: u64,
    },
}

impl ViewError {
    fn invalid(view: usize, extension: &'static str, problem: impl Into<String>) -> Self {
        Self { view, kind: ViewErrorKind::Invalid { extension, problem: problem.into() } }
    }

    /// Adds the location in the document.
    pub(super) fn in_document(self, document: &GltfJson) -> ImportError {
        let at = document.location("bufferViews", self.view);
        match self.kind {
            ViewErrorKind::Invalid { extension, problem } => {
                let problem = format!("its {extension} cannot be read: {problem}; copy or export the file again");
                ImportError::InvalidData { at, problem }
            }
            ViewErrorKind::TooLarge { size_bytes, max } => {
                let what = format!("{at}: bytes of all decompressed buffer views");
                ImportError::Limit { pointer: at.pointer, what, count: size_bytes, limit: Limit::Decompressed, max }
            }
        }
    }
}

/// Decompresses all compressed buffer views, at most `max` bytes in total. Returns the bytes, or the error, by view index.
///
/// `buffer` returns the bytes of a buffer.
///
/// # Errors
/// If the decompressed bytes exceed `max`.
pub fn decode_views<'a>(
    views: &[Value],
    buffer: impl Fn(usize) -> Option<&'a [u8]>,
    max: u64,
) -> Result<BTreeMap<usize, Result<Vec<u8>, ViewError>>, ViewError> {
    let (mut jobs, mut invalid) = (Vec::new(), Vec::new());
    let mut total = 0_u64;
    for (view, json) in views.iter().enumerate() {
        let Some((name, found)) = extension(json) else { continue };
        let job = match CompressedView::read(found, &buffer) {
            Ok(job) => job,
            Err(problem) => {
                invalid.push((view, Err(ViewError::invalid(view, name, problem))));
                continue;
            }
        };
        total = total.saturating_add(job.count as u64 * job.stride as u64);
        if total > max {
            return Err(ViewError { view, kind: ViewErrorKind::TooLarge { size_bytes: total, max } });
        }
        jobs.push((view, name, job));
    }
    let decode = |(view, name, job): (usize, &'static str, CompressedView<'_>)| {
        (view, job.decode().map_err(|problem| ViewError::invalid(view, name, problem)))
    };
    // Small views decode faster than another thread starts.
    let mut decoded: BTreeMap<usize, _> = if total < 1 << 16 {
        jobs.into_iter().map(decode).collect()
    } else {
        jobs.into_par_iter().map(decode).collect()
    };
    decoded.extend(invalid);
    Ok(decoded)
}

impl<'a> CompressedView<'a> {
    /// Reads and checks an extension object.
    fn read(found: &Value, buffer: impl Fn(usize) -> Option<&'a [u8]>) -> Result<Self, String> {
        let missing = |name: &str| format!("{name} is missing or not an integer");
        let number = |name: &str| integer(found.get(name)?);
        let required = |name: &str| number(name).ok_or_else(|| missing(name));
        let (source, length) = (required("buffer")?, required("byteLength")?);
        let offset = if found.get("byteOffset").is_some() { required("byteOffset")? } else { 0 };
        let (count, stride) = (required("count")?, required("byteStride")?);
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
            Some(_) => return Err("its filter is not defined in the extension".into()),
        };
        let fits = match mode {
            Mode::Attributes => stride > 0 && stride <= 256 && stride.is_multiple_of(4) && filter.fits(stride),
            Mode::Triangles => matches!(stride, 2 | 4) && count.is_multiple_of(3) && filter == Filter::None,
            Mode::Indices => matches!(stride, 2 | 4) && filter == Filter::None,
        };
        if !fits {
            return Err(format!("{count} elements of {stride} bytes do not fit mode {mode:?} and filter {filter:?}"));
        }
        let job = Self { bytes, mode, filter, count, stride };
        if bytes.len() < job.min_encoded_size() {
            return Err(format!("{} bytes are too few for {count} elements", bytes.len()));
        }
        Ok(job)
    }

    fn min_encoded_size(&self) -> usize {
        match self.mode {
            Mode::Attributes => attributes::min_encoded_size(self.count, self.stride),
            // Header, one byte per triangle, code table. Or: header, one byte per index, tail.
            Mode::Triangles => 1 + self.count / 3 + 16,
            Mode::Indices => 1_usize.saturating_add(self.count).saturating_add(4),
        }
    }

    /// Decompresses the view to `count * stride` bytes.
    fn decode(&self) -> Result<Vec<u8>, &'static str> {
        match self.mode {
            Mode::Attributes => {
                let mut bytes = attributes::decode(self.bytes, self.count, self.stride)?;
                self.filter.decode(&mut bytes, self.stride);
                Ok(bytes)
            }
            Mode::Triangles => Ok(index_bytes(&indices::decode_triangles(self.bytes, self.count)?, self.stride)),
            Mode::Indices => Ok(index_bytes(&indices::decode_sequence(self.bytes, self.count)?, self.stride)),
        }
    }
}

/// Stores vertex indices in two or four bytes each.
fn index_bytes(indices: &[u32], stride: usize) -> Vec<u8> {
    match stride {
        2 => indices.iter().flat_map(|index| (*index as u16).to_le_bytes()).collect(),
        _ => indices.iter().flat_map(|index| index.to_le_bytes()).collect(),
    }
}
