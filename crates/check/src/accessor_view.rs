//! Bounds-checked reading of accessor elements.

use super::checked_file::{Accessor, CheckedFile, Sparse};
use rigview_core::gltf_format::accessor_layout::element_bytes;
use rigview_core::gltf_format::{ComponentType, ElementFormat};

/// The elements of an accessor whose bytes all exist.
pub(super) struct AccessorView<'a> {
    pub(super) format: ElementFormat,
    pub(super) component_count: usize,
    pub(super) count: u64,
    /// Bytes and stride of the buffer view; without one, all elements are 0.
    base: Option<(&'a [u8], u64)>,
    sparse: Option<SparseElements<'a>>,
}

struct SparseElements<'a> {
    /// In stored order. The binary search in them finds nothing if an invalid file does not sort them.
    indices: Vec<u64>,
    values: &'a [u8],
    /// Bytes of one value.
    size: usize,
}

impl<'a> AccessorView<'a> {
    /// Returns `None` for a malformed accessor, or if bytes are missing.
    pub(super) fn new(file: &'a CheckedFile<'_>, accessor: &Accessor) -> Option<Self> {
        let (component, count) = (accessor.component?, accessor.count?);
        let format = accessor.format();
        let base = match accessor.view {
            Some(view) => {
                let view = file.views.get(view)?;
                let bytes = file.view_bytes(view)?;
                let stride = view.stride.unwrap_or(format.padded_size() as u64);
                let offset = accessor.offset?;
                if stride < format.size() as u64 || !offset.is_multiple_of(component.size() as u64) {
                    return None;
                }
                Some((element_bytes(bytes, offset, count, stride, format.size() as u64)?, stride))
            }
            None => None,
        };
        let sparse = match &accessor.sparse {
            Some(sparse) => Some(SparseElements::new(file, sparse, format).filter(|_| sparse.count <= accessor.count)?),
            None => None,
        };
        Some(Self { format, component_count: format.component_count(), count, base, sparse })
    }

    pub(super) fn component(&self) -> ComponentType {
        self.format.component
    }

    /// Writes the components of element `i`, as stored, to the front of `out`.
    pub(super) fn get(&self, i: u64, out: &mut [f64; 16]) {
        let (component, out) = (self.format.component, &mut out[..self.component_count]);
        if let Some(sparse) = &self.sparse
            && let Ok(position) = sparse.indices.binary_search(&i)
        {
            let bytes = sparse.values.get(position * sparse.size..).unwrap_or_default();
            for (out, bytes) in out.iter_mut().zip(bytes.chunks(component.size())) {
                *out = component.decode(bytes);
            }
            return;
        }
        let Some((bytes, stride)) = self.base else { return out.fill(0.0) };
        // No overflow: the whole accessor is in memory.
        let bytes = bytes.get((i * stride) as usize..).unwrap_or_default();
        for (k, out) in out.iter_mut().enumerate() {
            *out = component.decode(bytes.get(self.format.component_offset(k)..).unwrap_or_default());
        }
    }

    /// Indices of the replaced elements, in stored order.
    pub(super) fn sparse_indices(&self) -> &[u64] {
        self.sparse.as_ref().map_or(&[], |sparse| &sparse.indices)
    }
}

impl<'a> SparseElements<'a> {
    fn new(file: &'a CheckedFile<'_>, sparse: &Sparse, format: ElementFormat) -> Option<Self> {
        let (count, component) = (sparse.count?, sparse.component?);
        let bytes = |view: Option<usize>, offset: Option<u64>, size: usize| {
            let bytes = file.view_bytes(file.views.get(view?)?)?;
            element_bytes(bytes, offset?, count, size as u64, size as u64)
        };
        let indices = bytes(sparse.indices_view, sparse.indices_offset, component.size())?;
        let size = format.component.size() * format.component_count();
        let values = bytes(sparse.values_view, sparse.values_offset, size)?;
        let indices = indices.chunks(component.size()).map(|bytes| component.decode(bytes) as u64).collect();
        Some(Self { indices, values, size })
    }
}
