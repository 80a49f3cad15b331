//! The bytes of buffers: in the container, in the JSON, in files beside it.

use super::file::{CheckedFile, list, unsigned};
use super::issue::{JsonPath, Issues};
use crate::import::{
    ImportPolicy, Limit, Limits, ResourceError, data_uri_type, decode_data_uri, decode_views, is_data_uri,
    read_external,
};
use crate::util::text::{counted, quoted};
use serde_json::Value;
use std::borrow::Cow;
use std::path::Path;

/// Where the file's parts come from.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    /// The folder that URIs are relative to.
    pub(super) base: Option<&'a Path>,
    /// How far the file is trusted.
    pub(super) trust: &'a ImportPolicy,
    /// Whether it is a GLB container.
    pub(super) is_glb: bool,
    /// The BIN chunk.
    pub(super) bin: Option<&'a [u8]>,
    /// Whether that chunk is shorter than it says, which has been told already.
    pub(super) bin_is_cut: bool,
}

/// Reads all buffers.
pub(super) fn read<'a>(root: &'a Value, source: Source<'a>, issues: &mut Issues) -> Vec<Option<Cow<'a, [u8]>>> {
    let at_list = JsonPath::ROOT.key("buffers");
    let mut left = source.trust.limits.get(Limit::File);
    list(root, "buffers")
        .iter()
        .enumerate()
        .map(|(i, buffer)| read_one(buffer, i, source, &mut left, &at_list.item(i), issues))
        .collect()
}

fn read_one<'a>(
    buffer: &'a Value,
    number: usize,
    source: Source<'a>,
    left: &mut u64,
    at: &JsonPath<'_>,
    issues: &mut Issues,
) -> Option<Cow<'a, [u8]>> {
    let length = unsigned(buffer, "byteLength").filter(|length| *length > 0);
    let Some(uri) = buffer.get("uri") else {
        let length = length.filter(|_| source.is_glb && number == 0)?;
        let Some(bin) = source.bin else {
            let message =
                format_args!("it is to lie in the BIN chunk, but there is none; copy or export the file again");
            issues.add("BUFFER_MISSING_GLB_DATA", at, message);
            return None;
        };
        let extra = (bin.len() as u64).saturating_sub(length.next_multiple_of(4));
        if extra > 0 {
            let message = format_args!(
                "the BIN chunk has {} more than the buffer needs",
                counted(extra as usize, "byte", "bytes")
            );
            issues.add("BUFFER_GLB_CHUNK_TOO_BIG", at, message);
        }
        if source.bin_is_cut && (bin.len() as u64) < length {
            return None;
        }
        return long_enough(Cow::Borrowed(bin), length, at, issues);
    };
    let uri = uri.as_str()?;
    let at_uri = at.key("uri");
    report_uri_in_glb(source, uri, &at_uri, issues);
    if is_data_uri(uri) {
        let mime = data_uri_type(uri).to_ascii_lowercase();
        let bytes = decode(uri, &at_uri, issues)?;
        if !matches!(mime.as_str(), "application/octet-stream" | "application/gltf-buffer") {
            let message = format_args!("its data is of type {}, not application/octet-stream", quoted(&mime));
            issues.add("BUFFER_DATA_URI_MIME_TYPE_INVALID", at_uri, message);
            return None;
        }
        return long_enough(Cow::Owned(bytes), length?, at, issues);
    }
    let length = length?;
    if !check_uri(uri, &at_uri, issues) {
        return None;
    }
    let Some(rest) = left.checked_sub(length) else {
        let most = source.trust.limits.get(Limit::File);
        let (shown, cure) = (Limit::File.format(most), Limit::File.hint(most - *left + length));
        let message = format_args!("the buffers have more than {shown}; if you trust the file, add {cure}");
        issues.add("RIGVIEW_LIMIT", at, message);
        return None;
    };
    *left = rest;
    let bytes = beside(uri, source, Some(length), &at_uri, issues)?;
    long_enough(Cow::Owned(bytes), length, at, issues)
}

fn long_enough<'a>(bytes: Cow<'a, [u8]>, length: u64, at: &JsonPath<'_>, issues: &mut Issues) -> Option<Cow<'a, [u8]>> {
    if (bytes.len() as u64) < length {
        let message = format_args!(
            "it has {}, but says {length}; copy or export the file again",
            counted(bytes.len(), "byte", "bytes")
        );
        issues.add("BUFFER_BYTE_LENGTH_MISMATCH", at, message);
        return None;
    }
    Some(bytes)
}

/// What a GLB is for is to hold everything.
pub(super) fn report_uri_in_glb(source: Source<'_>, uri: &str, at: &JsonPath<'_>, issues: &mut Issues) {
    if source.is_glb {
        issues.add("URI_GLB", at, format_args!("a GLB file is best on its own, without files beside it"));
        if is_data_uri(uri) {
            issues.add("DATA_URI_GLB", at, format_args!("data in text is a third larger than in the BIN chunk"));
        }
    }
}

/// The data of a `data:` URI.
pub(super) fn decode(uri: &str, at: &JsonPath<'_>, issues: &mut Issues) -> Option<Vec<u8>> {
    match decode_data_uri(uri) {
        Ok(bytes) => Some(bytes),
        Err(problem) => {
            issues.add("INVALID_URI", at, format_args!("{problem}"));
            None
        }
    }
}

/// Checks the form of a URI that names a file; whether it is one at all.
pub(super) fn check_uri(uri: &str, at: &JsonPath<'_>, issues: &mut Issues) -> bool {
    let head = uri.split(['/', '?', '#']).next().unwrap_or_default();
    let scheme = head.split_once(':').map(|(scheme, _)| scheme);
    let well_formed = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    };
    let colon_first = scheme == Some("");
    if colon_first || uri.contains("//[") {
        issues.add("INVALID_URI", at, format_args!("{} is no URI; rename the file and export again", quoted(uri)));
        return false;
    }
    if scheme.is_some_and(well_formed) || uri.starts_with('/') || uri.contains(['?', '#']) {
        let message = format_args!("{} is no path relative to the model; put the file beside it", quoted(uri));
        issues.add("NON_RELATIVE_URI", at, message);
    }
    true
}

/// The bytes of the file that a relative URI names; the first ones only, where a length is given.
pub(super) fn beside(
    uri: &str,
    source: Source<'_>,
    length: Option<u64>,
    at: &JsonPath<'_>,
    issues: &mut Issues,
) -> Option<Vec<u8>> {
    match read_external(uri, source.base, source.trust, length) {
        Ok(bytes) => Some(bytes),
        Err(ResourceError(problem)) => {
            issues.add("IO_ERROR", at, format_args!("{problem}"));
            None
        }
    }
}

impl<'a> CheckedFile<'a> {
    /// Gives the file its buffers.
    pub(super) fn with_buffers(mut self, buffers: Vec<Option<Cow<'a, [u8]>>>, limits: &Limits) -> Self {
        self.buffers = buffers;
        let bytes = |buffer: usize| self.buffers.get(buffer)?.as_deref();
        // The import tells of those that cannot be unpacked.
        for (view, bytes) in
            decode_views(self.list("bufferViews"), bytes, limits.get(Limit::Decompressed)).unwrap_or_default()
        {
            if let Some(view) = self.views.get_mut(view) {
                view.unpacked = Some(bytes);
            }
        }
        self
    }
}
