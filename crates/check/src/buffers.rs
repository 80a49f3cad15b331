//! The contents of buffers.

use super::checked_file::CheckedFile;
use super::issue::Issues;
use super::json_path::JsonPath;
use super::json_values::{array, unsigned};
use super::resources::{Resources, check_uri, decode_data};
use rigview_core::import::{Limit, Limits, PolicyChange, data_uri_type, decode_views, is_data_uri};
use rigview_core::util::text::{counted, quoted};
use serde_json::Value;
use std::borrow::Cow;

type Bytes<'a> = Cow<'a, [u8]>;

/// Reads all buffers; `None` for those that are missing or too short.
pub(super) fn read<'a>(root: &'a Value, resources: Resources<'a>, issues: &mut Issues) -> Vec<Option<Bytes<'a>>> {
    let at_array = JsonPath::ROOT.key("buffers");
    let mut reader = BufferReader { resources, remaining: resources.policy.limits.get(Limit::File), issues };
    let buffers = array(root, "buffers").iter().enumerate();
    buffers.map(|(i, buffer)| reader.read(buffer, i, &at_array.item(i))).collect()
}

struct BufferReader<'a, 'i> {
    resources: Resources<'a>,
    /// Bytes of external files that may still be read.
    remaining: u64,
    issues: &'i mut Issues,
}

impl<'a> BufferReader<'a, '_> {
    fn read(&mut self, buffer: &'a Value, index: usize, at: &JsonPath<'_>) -> Option<Bytes<'a>> {
        let length = unsigned(buffer, "byteLength").filter(|length| *length > 0);
        let Some(uri) = buffer.get("uri") else { return self.bin_chunk(index, length?, at) };
        let uri = uri.as_str()?;
        let at_uri = at.key("uri");
        self.resources.report_uri_in_glb(uri, &at_uri, self.issues);
        if is_data_uri(uri) {
            let mime = data_uri_type(uri).to_ascii_lowercase();
            let bytes = decode_data(uri, &at_uri, self.issues)?;
            if !matches!(mime.as_str(), "application/octet-stream" | "application/gltf-buffer") {
                let mime = quoted(&mime);
                let message = format_args!("its data is of type {mime}, not application/octet-stream");
                self.issues.add("BUFFER_DATA_URI_MIME_TYPE_INVALID", at_uri, message);
                return None;
            }
            return self.require_length(Cow::Owned(bytes), length?, at);
        }
        let length = length?;
        if !check_uri(uri, &at_uri, self.issues) {
            return None;
        }
        let Some(remaining) = self.remaining.checked_sub(length) else {
            let max = self.resources.policy.limits.get(Limit::File);
            let shown = Limit::File.format(max);
            let change = PolicyChange::RaiseLimit { limit: Limit::File, needed: max - self.remaining + length };
            let message = format_args!("the buffers have more than {shown}");
            self.issues.add_with_change("RIGVIEW_LIMIT", at, message, Some(change));
            return None;
        };
        self.remaining = remaining;
        let bytes = self.resources.read_external(uri, Some(length), &at_uri, self.issues)?;
        self.require_length(Cow::Owned(bytes), length, at)
    }

    /// The BIN chunk, which only buffer 0 of a GLB file can be.
    fn bin_chunk(&mut self, index: usize, length: u64, at: &JsonPath<'_>) -> Option<Bytes<'a>> {
        if !self.resources.is_glb || index != 0 {
            return None;
        }
        let Some(bin) = self.resources.bin else {
            let message = format_args!("it refers to the BIN chunk, which is missing; copy or export the file again");
            self.issues.add("BUFFER_MISSING_GLB_DATA", at, message);
            return None;
        };
        let extra = (bin.len() as u64).saturating_sub(length.next_multiple_of(4));
        if extra > 0 {
            let extra = counted(extra as usize, "byte", "bytes");
            let message = format_args!("the BIN chunk has {extra} more than the buffer needs");
            self.issues.add("BUFFER_GLB_CHUNK_TOO_BIG", at, message);
        }
        if self.resources.bin_is_truncated && (bin.len() as u64) < length {
            return None;
        }
        self.require_length(Cow::Borrowed(bin), length, at)
    }

    fn require_length(&mut self, bytes: Bytes<'a>, length: u64, at: &JsonPath<'_>) -> Option<Bytes<'a>> {
        if (bytes.len() as u64) < length {
            let found = counted(bytes.len(), "byte", "bytes");
            let message = format_args!("it has {found}, but byteLength is {length}; copy or export the file again");
            self.issues.add("BUFFER_BYTE_LENGTH_MISMATCH", at, message);
            return None;
        }
        Some(bytes)
    }
}

impl<'a> CheckedFile<'a> {
    /// Adds the buffers, and decompresses compressed buffer views. The import reports those that fail.
    pub(super) fn with_buffers(mut self, buffers: Vec<Option<Bytes<'a>>>, limits: &Limits) -> Self {
        self.buffers = buffers;
        let bytes = |buffer: usize| self.buffers.get(buffer)?.as_deref();
        let views = decode_views(self.array("bufferViews"), bytes, limits.get(Limit::Decompressed));
        for (view, bytes) in views.unwrap_or_default() {
            if let Some(view) = self.views.get_mut(view) {
                view.decompressed = bytes.ok();
            }
        }
        self
    }
}
