//! Buffer views and accessors: ranges and alignment.

use super::json_path::JsonPath;
use super::json_values::integer;
use super::reference_pass::{ReferencePass, ViewUse};
use rigview_core::gltf_format::accessor_layout::span_bytes;

impl ReferencePass<'_> {
    pub(super) fn views(&mut self) {
        let at_array = JsonPath::ROOT.key("bufferViews");
        for (i, view) in self.file.views.iter().enumerate() {
            let at = at_array.item(i);
            let Some(buffer) = view.buffer else { continue };
            let Some(buffer) = self.file.resolve(buffer, "buffers", &at.key("buffer"), self.issues) else { continue };
            let length = self.file.array("buffers").get(buffer).and_then(|buffer| buffer.get("byteLength"));
            let length = length.and_then(integer).filter(|length| *length > 0);
            let (Some(available), Some(offset)) = (length, view.offset.map(i128::from)) else { continue };
            let end = offset + i128::from(view.length.unwrap_or(0));
            if offset >= available || end > available {
                let at = at.key(if offset >= available { "byteOffset" } else { "byteLength" });
                let message = format_args!(
                    "it ends at byte {end} of buffer {buffer}, which has {available}; copy or export the file again"
                );
                self.issues.add("BUFFER_VIEW_TOO_LONG", at, message);
            }
        }
    }

    pub(super) fn accessors(&mut self) {
        let at_array = JsonPath::ROOT.key("accessors");
        for (i, accessor) in self.file.accessors.iter().enumerate() {
            let at = at_array.item(i);
            let (Some(component), Some(count), Some(_)) = (accessor.component, accessor.count, accessor.element) else {
                continue;
            };
            let format = accessor.format();
            if let Some(view) = accessor.view
                && let Some(view) = self.file.resolve(view, "bufferViews", &at.key("bufferView"), self.issues)
            {
                let (stride, size) = (self.file.views[view].stride, format.size() as u64);
                if let Some(stride) = stride.filter(|stride| *stride < size) {
                    let message = format_args!(
                        "its elements of {size} bytes overlap: the stride of buffer view {view} is {stride} bytes"
                    );
                    self.issues.add("ACCESSOR_SMALL_BYTESTRIDE", at, message);
                }
                let length = span_bytes(count, stride.unwrap_or(format.padded_size() as u64), size);
                self.check_range(accessor.offset, component.size(), length, view, &at);
            }
            let Some(sparse) = &accessor.sparse else { continue };
            let at = at.key("sparse");
            let Some(replaced) = sparse.count else { continue };
            if replaced > count {
                let message = format_args!("it replaces {replaced} elements of {count}");
                self.issues.add("ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE", at.key("count"), message);
            }
            let index_size = sparse.component.map(|component| (component.size(), component.size()));
            let value_size = Some((component.size(), component.size() * format.component_count()));
            let parts = [
                ("indices", sparse.indices_view, sparse.indices_offset, index_size),
                ("values", sparse.values_view, sparse.values_offset, value_size),
            ];
            for (name, view, offset, size) in parts {
                let at = at.key(name);
                let at_view = at.key("bufferView");
                let Some(view) = view.and_then(|view| self.file.resolve(view, "bufferViews", &at_view, self.issues))
                else {
                    continue;
                };
                self.use_view(view, ViewUse::Other, at_view);
                if self.file.views[view].stride.is_some() {
                    let message = format_args!("sparse {name} must be contiguous, without a byteStride");
                    self.issues.add("BUFFER_VIEW_INVALID_BYTE_STRIDE", at_view, message);
                }
                if let Some((alignment, size)) = size {
                    self.check_range(offset, alignment, size as u128 * u128::from(replaced), view, &at);
                }
            }
        }
    }

    /// Checks that `length` bytes from `offset` are inside a buffer view, and aligned.
    fn check_range(&mut self, offset: Option<u64>, alignment: usize, length: u128, view: usize, at: &JsonPath<'_>) {
        let (Some(offset), alignment) = (offset, alignment as u64) else { return };
        if !offset.is_multiple_of(alignment) {
            let message = format_args!("offset {offset} is not a multiple of the component size {alignment}");
            self.issues.add("ACCESSOR_OFFSET_ALIGNMENT", at.key("byteOffset"), message);
        }
        let target = &self.file.views[view];
        let Some(start) = target.offset.map(|start| start + offset) else { return };
        if !start.is_multiple_of(alignment) {
            let message = format_args!("it begins at byte {start} of the buffer, not at a multiple of {alignment}");
            self.issues.add("ACCESSOR_TOTAL_OFFSET_ALIGNMENT", at, message);
        }
        let Some(available) = target.length else { return };
        let needed = length + u128::from(offset);
        if offset > available || needed > u128::from(available) {
            let message =
                format_args!("it needs {needed} bytes, but buffer view {view} has {available}; export the file again");
            let at_offset = at.key("byteOffset");
            self.issues.add("ACCESSOR_TOO_LONG", if offset > available { &at_offset } else { at }, message);
        }
    }
}
