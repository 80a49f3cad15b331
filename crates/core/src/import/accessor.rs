//! Reads accessors: every encoding of glTF 2.0, section 3.6.2, with all bounds checked.

use super::error::AccessorError;
use super::json::integer;
use super::limits::Limit;
use super::source::GltfFile;
use crate::gltf_format::accessor_layout::{decode_index, deinterleave, element_bytes, span_bytes};
use crate::gltf_format::{ComponentType, ElementFormat, ElementType};
use gltf::json::accessor as json;
use serde_json::Value;
use std::borrow::Cow;
use std::cell::Cell;

/// Reads accessors of one file and counts the memory of the decoded data.
pub(super) struct AccessorReader<'a> {
    gltf_file: &'a GltfFile,
    decoded_bytes: Cell<u64>,
    zero_bytes: Cell<u64>,
}

/// The elements of an accessor, tightly packed and with sparse values applied, not yet decoded.
pub(super) struct AccessorData<'a> {
    pub(super) format: ElementFormat,
    pub(super) count: usize,
    bytes: Cow<'a, [u8]>,
}

/// Start of the elements of an accessor, or of its sparse indices or values.
#[derive(Clone, Copy)]
struct ElementLocation {
    accessor: usize,
    view: usize,
    offset: u64,
}

/// Bytes of each element.
#[derive(Clone, Copy)]
struct ElementSize {
    size: usize,
    /// Bytes of the last element.
    last_size: usize,
}

impl ElementSize {
    /// All elements have `size` bytes.
    fn of_all(size: usize) -> Self {
        Self { size, last_size: size }
    }
}

impl<'a> AccessorReader<'a> {
    pub(super) fn new(gltf_file: &'a GltfFile) -> Self {
        Self { gltf_file, decoded_bytes: Cell::new(0), zero_bytes: Cell::new(0) }
    }

    /// Element format and count of accessor `index`.
    pub(super) fn format(&self, index: usize) -> Result<(ElementFormat, u64), AccessorError> {
        let accessors = &self.gltf_file.document.accessors;
        let json =
            accessors.get(index).ok_or(AccessorError::MissingAccessor { accessor: index, count: accessors.len() })?;
        let value = self.gltf_file.document.element("accessors", index);
        if value.is_null() {
            return Err(AccessorError::InvalidAccessor { accessor: index });
        }
        let unknown = |what| AccessorError::UnknownType { accessor: index, what };
        let component = component_type(value).ok_or_else(|| unknown("component type"))?;
        let element = value.get("type").and_then(Value::as_str).and_then(ElementType::from_name);
        let element = element.ok_or_else(|| unknown("type"))?;
        Ok((ElementFormat { element, component, normalized: json.normalized }, json.count.0))
    }

    /// Returns `true` if the accessor has no stored bytes, so that every element is zero.
    pub(super) fn is_all_zero(&self, index: usize) -> bool {
        let is_empty = |json: &json::Accessor| json.buffer_view.is_none() && json.sparse.is_none();
        self.gltf_file.document.accessors.get(index).is_some_and(is_empty)
            && !self.gltf_file.decoded_accessors.contains_key(&index)
    }

    /// Checks that the elements of an accessor lie within its buffer views. Views without data are not checked.
    pub(super) fn check(&self, index: usize) -> Result<(), AccessorError> {
        let (format, count) = self.format(index)?;
        let Some(json) = self.gltf_file.document.accessors.get(index) else { return Ok(()) };
        let check = |location, size, count| match self.locate(location, size, count) {
            Err(AccessorError::NoData { .. }) => Ok(()),
            other => other.map(|_| ()),
        };
        // The padding after the last column of the last matrix is optional.
        let size = ElementSize { size: format.padded_size(), last_size: format.size() };
        if let Some(location) = dense_location(index, json) {
            check(location, size, count)?;
        }
        if let Some(sparse) = &json.sparse {
            let (component, indices, values) = self.sparse_sources(index, sparse)?;
            check(indices, ElementSize::of_all(component.size()), sparse.count.0)?;
            check(values, size, sparse.count.0)?;
        }
        Ok(())
    }

    /// Returns the bytes of `count` elements of a size, and their stride, which is at least the size.
    fn locate(
        &self,
        location: ElementLocation,
        ElementSize { size, last_size }: ElementSize,
        count: u64,
    ) -> Result<(&'a [u8], usize), AccessorError> {
        let ElementLocation { accessor, view, offset } = location;
        let bytes = self.gltf_file.accessor_view(accessor, view)?;
        let stride =
            self.gltf_file.document.buffer_views.get(view).and_then(|view| view.byte_stride).map_or(size, |s| s.0);
        if stride < size && count > 1 {
            return Err(AccessorError::Overlap { accessor, view, size, stride });
        }
        let found = element_bytes(bytes, offset, count, stride as u64, last_size as u64).ok_or_else(|| {
            let required_bytes = u128::from(offset) + span_bytes(count, stride as u64, last_size as u64);
            AccessorError::PastView { accessor, view, required_bytes, view_bytes: bytes.len() }
        })?;
        // The stride of a single element may be any number.
        Ok((found, stride.max(size)))
    }

    /// Reads an accessor. Returns an error that names the `expected` format if `is_allowed` rejects the stored one.
    pub(super) fn read(
        &self,
        index: usize,
        expected: &'static str,
        is_allowed: impl Fn(ElementFormat) -> bool,
    ) -> Result<AccessorData<'a>, AccessorError> {
        let (format, count) = self.format(index)?;
        if !is_allowed(format) {
            return Err(AccessorError::Format { accessor: index, found: format.name(), expected });
        }
        let json = self.gltf_file.document.accessors.get(index);
        let json = json.ok_or(AccessorError::MissingAccessor { accessor: index, count: 0 })?;
        let size = format.padded_size();
        // Decoded components have four bytes each.
        let float_bytes = u128::from(count) * format.component_count() as u128 * 4;
        let decoded_bytes = u64::try_from(float_bytes).unwrap_or(u64::MAX).saturating_add(self.decoded_bytes.get());
        let too_large =
            |limit, required_bytes, max| AccessorError::TooLarge { accessor: index, count, limit, required_bytes, max };
        let limits = &self.gltf_file.policy.limits;
        // Many accessors may read the same bytes, so that a small file could need much memory.
        let max = limits.get(Limit::AccessorData).max(self.gltf_file.size_bytes().saturating_mul(32));
        if decoded_bytes > max {
            // A count that exceeds the buffer view is the clearer error.
            self.check(index)?;
            return Err(too_large(Limit::AccessorData, decoded_bytes, max));
        }

        let decoded = self.gltf_file.decoded_accessors.get(&index).map(Option::as_deref);
        let mut bytes = match (decoded, dense_location(index, json)) {
            (Some(Some(decoded)), _) => Cow::Borrowed(decoded),
            (Some(None), None) => return Err(AccessorError::NotDecoded { accessor: index }),
            (_, Some(location)) => {
                let (elements, stride) = self.locate(location, ElementSize::of_all(size), count)?;
                if stride == size { Cow::Borrowed(elements) } else { deinterleave(elements, size, stride).into() }
            }
            (None, None) => {
                let max = limits.get(Limit::ZeroAccessors).max(self.gltf_file.size_bytes().saturating_mul(4));
                let zero_bytes = (count as u128 * size as u128).saturating_add(u128::from(self.zero_bytes.get()));
                let zero_bytes = u64::try_from(zero_bytes).unwrap_or(u64::MAX);
                if zero_bytes > max {
                    return Err(too_large(Limit::ZeroAccessors, zero_bytes, max));
                }
                self.zero_bytes.set(zero_bytes);
                Cow::Owned(vec![0; count as usize * size])
            }
        };
        self.decoded_bytes.set(decoded_bytes);
        let count = count as usize;
        if let Some(sparse) = &json.sparse {
            self.apply_sparse(index, sparse, size, count, bytes.to_mut())?;
        }
        Ok(AccessorData { format, count, bytes })
    }

    /// Returns component type and location of the indices, and the location of the values.
    fn sparse_sources(
        &self,
        accessor: usize,
        sparse: &json::sparse::Sparse,
    ) -> Result<(ComponentType, ElementLocation, ElementLocation), AccessorError> {
        let json = self.gltf_file.document.element("accessors", accessor).pointer("/sparse/indices");
        let component = json.and_then(component_type).filter(|component| component.is_unsigned());
        let unknown = AccessorError::UnknownType { accessor, what: "component type of sparse indices" };
        let (indices, values) = (&sparse.indices, &sparse.values);
        let location = |view: usize, offset: u64| ElementLocation { accessor, view, offset };
        let indices = location(indices.buffer_view.value(), indices.byte_offset.0);
        Ok((component.ok_or(unknown)?, indices, location(values.buffer_view.value(), values.byte_offset.0)))
    }

    /// Overwrites elements with the sparse values of an accessor.
    fn apply_sparse(
        &self,
        accessor: usize,
        sparse: &json::sparse::Sparse,
        size: usize,
        count: usize,
        bytes: &mut [u8],
    ) -> Result<(), AccessorError> {
        let sparse_count = sparse.count.0;
        if sparse_count > count as u64 {
            return Err(AccessorError::SparseCount { accessor, sparse: sparse_count, count });
        }
        let (component, indices, values) = self.sparse_sources(accessor, sparse)?;
        let (indices, index_stride) = self.locate(indices, ElementSize::of_all(component.size()), sparse_count)?;
        let (values, stride) = self.locate(values, ElementSize::of_all(size), sparse_count)?;
        let mut previous = None;
        for (position, (index, value)) in indices.chunks(index_stride).zip(values.chunks(stride)).enumerate() {
            let index = decode_index(component, index);
            let error = |rule| AccessorError::SparseIndex { accessor, position, index, rule };
            if previous.is_some_and(|previous| previous >= index) {
                return Err(error("they must increase"));
            }
            previous = Some(index);
            let start = (index as usize).checked_mul(size);
            let target = start.and_then(|start| bytes.get_mut(start..)?.get_mut(..size));
            let (Some(target), Some(value)) = (target, value.get(..size)) else {
                return Err(error("beyond the last element"));
            };
            target.copy_from_slice(value);
        }
        Ok(())
    }
}

fn dense_location(accessor: usize, json: &json::Accessor) -> Option<ElementLocation> {
    let view = json.buffer_view?.value();
    Some(ElementLocation { accessor, view, offset: json.byte_offset.map_or(0, |offset| offset.0) })
}

/// Returns the component type of the JSON of an accessor or of sparse indices.
fn component_type(json: &Value) -> Option<ComponentType> {
    json.get("componentType").and_then(integer).and_then(|code| ComponentType::from_gl_enum(code as i128))
}

impl GltfFile {
    /// Returns the components of all elements of an accessor, contiguous. Normalized integers are mapped to -1 to 1.
    ///
    /// # Errors
    /// If the accessor is invalid or larger than the limits, or if its matrices have padding.
    pub fn accessor_floats(&self, accessor: usize) -> Result<Vec<f32>, AccessorError> {
        let fits = |format: ElementFormat| format.padded_size() == format.component_count() * format.component.size();
        Ok(AccessorReader::new(self).read(accessor, "an element without padding", fits)?.scalars())
    }
}

impl AccessorData<'_> {
    /// Returns RGBA colors; those of three components get this alpha.
    pub(super) fn colors(&self, alpha: f32) -> Vec<[f32; 4]> {
        match self.format.element {
            ElementType::Vec3 => self.floats().into_iter().map(|[r, g, b]| [r, g, b, alpha]).collect(),
            _ => self.floats(),
        }
    }

    /// Decodes elements of `N` components. Maps normalized integers to 0 to 1, or -1 to 1 (glTF 2.0, section 3.6.2.2).
    ///
    /// `N` is the component count of the format that was read.
    pub(super) fn floats<const N: usize>(&self) -> Vec<[f32; N]> {
        let bytes = &*self.bytes;
        match (self.format.component, self.format.normalized) {
            (ComponentType::F32, _) => decode(bytes, f32::from_le_bytes),
            (ComponentType::U8, true) => decode(bytes, |[x]: [u8; 1]| f32::from(x) / 255.0),
            (ComponentType::U8, false) => decode(bytes, |[x]: [u8; 1]| f32::from(x)),
            (ComponentType::I8, true) => decode(bytes, |[x]: [u8; 1]| (f32::from(x as i8) / 127.0).max(-1.0)),
            (ComponentType::I8, false) => decode(bytes, |[x]: [u8; 1]| f32::from(x as i8)),
            (ComponentType::U16, true) => decode(bytes, |x| f32::from(u16::from_le_bytes(x)) / 65535.0),
            (ComponentType::U16, false) => decode(bytes, |x| f32::from(u16::from_le_bytes(x))),
            (ComponentType::I16, true) => decode(bytes, |x| (f32::from(i16::from_le_bytes(x)) / 32767.0).max(-1.0)),
            (ComponentType::I16, false) => decode(bytes, |x| f32::from(i16::from_le_bytes(x))),
            // Callers reject it where glTF requires floats.
            (ComponentType::U32, _) => decode(bytes, |x| u32::from_le_bytes(x) as f32),
        }
    }

    /// Decodes scalars.
    pub(super) fn scalars(&self) -> Vec<f32> {
        self.floats::<1>().into_iter().map(|[x]| x).collect()
    }

    /// Decodes elements of `N` unsigned integers.
    pub(super) fn integers<const N: usize>(&self) -> Vec<[u32; N]> {
        let bytes = &*self.bytes;
        match self.format.component {
            ComponentType::U16 | ComponentType::I16 => decode(bytes, |x| u16::from_le_bytes(x).into()),
            ComponentType::U32 | ComponentType::F32 => decode(bytes, u32::from_le_bytes),
            ComponentType::U8 | ComponentType::I8 => decode(bytes, |[x]: [u8; 1]| x.into()),
        }
    }
}

/// Decodes `bytes` as elements of `N` components of `B` bytes.
fn decode<T, const B: usize, const N: usize>(bytes: &[u8], component: impl Fn([u8; B]) -> T) -> Vec<[T; N]> {
    let (components, _) = bytes.as_chunks::<B>();
    let (elements, _) = components.as_chunks::<N>();
    elements.iter().map(|element| element.map(&component)).collect()
}
