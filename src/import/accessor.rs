//! The one reader of stored numbers: every encoding of glTF 2.0, section 3.6.2, with each bound checked.

use super::error::AccessorError;
use super::limits::Limit;
use super::source::Asset;
use gltf::json::accessor::{ComponentType, Type};
use gltf::json::validation::Checked;
use std::borrow::Cow;
use std::cell::Cell;

const SPARSE_TYPE: &str = "component type of sparse indices";

/// Reads accessors of one asset, and keeps count of the memory that they take.
pub(super) struct Reader<'a> {
    asset: &'a Asset,
    decoded: Cell<u64>,
    from_nothing: Cell<u64>,
}

/// What an accessor holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    pub(super) component: ComponentType,
    pub(super) kind: Type,
    pub(super) normalized: bool,
}

/// The items of an accessor without gaps, sparse ones in their places, still encoded.
pub(super) struct Packed<'a> {
    pub(super) format: Format,
    pub(super) count: usize,
    bytes: Cow<'a, [u8]>,
}

impl Format {
    /// Numbers in an item.
    pub(super) fn width(self) -> usize {
        match self.kind {
            Type::Scalar => 1,
            Type::Vec2 => 2,
            Type::Vec3 => 3,
            Type::Vec4 | Type::Mat2 => 4,
            Type::Mat3 => 9,
            Type::Mat4 => 16,
        }
    }

    /// Bytes of an item. The columns of small matrices begin at multiples of 4.
    pub(super) fn size(self) -> usize {
        let component = self.component.size();
        match (self.kind, component) {
            (Type::Mat2, 1) => 8,
            (Type::Mat3, 1) => 12,
            (Type::Mat3, 2) => 24,
            _ => self.width() * component,
        }
    }

    /// Whether it is one of unsigned or signed integers.
    pub(super) fn is_integer(self) -> bool {
        self.component != ComponentType::F32
    }

    /// Whether colors, weights, texture coordinates may be stored so: floats, or normalized unsigned integers.
    pub(super) fn is_float_or_unsigned_fraction(self) -> bool {
        match self.component {
            ComponentType::F32 => true,
            ComponentType::U8 | ComponentType::U16 => self.normalized,
            _ => false,
        }
    }

    /// As glTF writes it, such as `VEC3 of FLOAT`.
    pub(super) fn name(self) -> String {
        let kind = match self.kind {
            Type::Scalar => "SCALAR",
            Type::Vec2 => "VEC2",
            Type::Vec3 => "VEC3",
            Type::Vec4 => "VEC4",
            Type::Mat2 => "MAT2",
            Type::Mat3 => "MAT3",
            Type::Mat4 => "MAT4",
        };
        let component = match self.component {
            ComponentType::I8 => "BYTE",
            ComponentType::U8 => "UNSIGNED_BYTE",
            ComponentType::I16 => "SHORT",
            ComponentType::U16 => "UNSIGNED_SHORT",
            ComponentType::U32 => "UNSIGNED_INT",
            ComponentType::F32 => "FLOAT",
        };
        format!("{kind} of {}{component}", if self.normalized { "normalized " } else { "" })
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(asset: &'a Asset) -> Self {
        Self { asset, decoded: Cell::new(0), from_nothing: Cell::new(0) }
    }

    /// What accessor `index` holds, and how many items.
    pub(super) fn format(&self, index: usize) -> Result<(Format, u64), AccessorError> {
        let accessors = &self.asset.document.accessors;
        let json =
            accessors.get(index).ok_or(AccessorError::NoSuchAccessor { accessor: index, count: accessors.len() })?;
        let Checked::Valid(component) = json.component_type else {
            return Err(AccessorError::UnknownType { accessor: index, what: "component type" });
        };
        let Checked::Valid(kind) = json.type_ else {
            return Err(AccessorError::UnknownType { accessor: index, what: "type" });
        };
        Ok((Format { component: component.0, kind, normalized: json.normalized }, json.count.0))
    }

    /// Whether the accessor has no bytes at all, so that every item is zero.
    pub(super) fn is_all_zero(&self, index: usize) -> bool {
        let is_empty = |json: &gltf::json::Accessor| json.buffer_view.is_none() && json.sparse.is_none();
        self.asset.document.accessors.get(index).is_some_and(is_empty) && self.asset.unpacked_items(index).is_none()
    }

    /// Checks one accessor against its buffer views without reading it; one without data passes.
    pub(super) fn check(&self, index: usize) -> Result<(), AccessorError> {
        let (format, count) = self.format(index)?;
        let Some(json) = self.asset.document.accessors.get(index) else { return Ok(()) };
        let check =
            |view: usize, offset: u64, size: usize, count: u64| match self.items(index, view, offset, size, count) {
                Err(AccessorError::NoData { .. }) => Ok(()),
                other => other.map(|_| ()),
            };
        if let Some(view) = json.buffer_view {
            check(view.value(), json.byte_offset.map_or(0, |offset| offset.0), format.size(), count)?;
        }
        if let Some(sparse) = &json.sparse {
            let (indices, values) = (&sparse.indices, &sparse.values);
            let Checked::Valid(component) = indices.component_type else {
                return Err(AccessorError::UnknownType { accessor: index, what: SPARSE_TYPE });
            };
            check(indices.buffer_view.value(), indices.byte_offset.0, component.0.size(), sparse.count.0)?;
            check(values.buffer_view.value(), values.byte_offset.0, format.size(), sparse.count.0)?;
        }
        Ok(())
    }

    /// The bytes of `count` items in a buffer view, and how far apart they are.
    fn items(
        &self,
        accessor: usize,
        view: usize,
        offset: u64,
        size: usize,
        count: u64,
    ) -> Result<(&'a [u8], usize), AccessorError> {
        let bytes = self.asset.view_of(accessor, view)?;
        let stride = self.asset.document.buffer_views.get(view).and_then(|view| view.byte_stride).map_or(size, |s| s.0);
        if stride < size && count > 1 {
            return Err(AccessorError::Overlap { accessor, view, size, stride });
        }
        // In 128 bits nothing overflows.
        let length = if count == 0 { 0 } else { u128::from(count - 1) * stride as u128 + size as u128 };
        let needs = u128::from(offset) + length;
        let range = usize::try_from(offset).ok().zip(usize::try_from(needs).ok());
        let items = range.and_then(|(start, end)| bytes.get(start..end));
        Ok((items.ok_or(AccessorError::PastView { accessor, view, needs, has: bytes.len() })?, stride))
    }

    /// The items of an accessor, if its format fits.
    pub(super) fn read(
        &self,
        index: usize,
        expected: &'static str,
        fits: impl Fn(Format) -> bool,
    ) -> Result<Packed<'a>, AccessorError> {
        let (format, count) = self.format(index)?;
        if !fits(format) {
            return Err(AccessorError::Format { accessor: index, found: format.name(), expected });
        }
        let json = self.asset.document.accessors.get(index);
        let json = json.ok_or(AccessorError::NoSuchAccessor { accessor: index, count: 0 })?;
        let size = format.size();
        // Whatever becomes of them, four bytes a number is about what they will take.
        let as_floats = u128::from(count) * format.width() as u128 * 4;
        let total = u64::try_from(as_floats).unwrap_or(u64::MAX).saturating_add(self.decoded.get());
        let too_much = |over, needs, limit| AccessorError::TooMuch { accessor: index, count, over, needs, limit };
        let limits = &self.asset.trust.limits;
        // Many may read the same bytes, so that a small file could ask for much.
        let limit = limits.get(Limit::Numbers).max(self.asset.size_bytes().saturating_mul(32));
        if total > limit {
            // A count beyond its own buffer view is the plainer thing to say.
            self.check(index)?;
            return Err(too_much(Limit::Numbers, total, limit));
        }

        let mut bytes = match (self.asset.unpacked_items(index), json.buffer_view) {
            (Some(items), _) => Cow::Borrowed(items),
            (None, Some(view)) => {
                let offset = json.byte_offset.map_or(0, |offset| offset.0);
                let (items, stride) = self.items(index, view.value(), offset, size, count)?;
                if stride == size { Cow::Borrowed(items) } else { Cow::Owned(without_gaps(items, size, stride)) }
            }
            (None, None) => {
                let limit = limits.get(Limit::Zeros).max(self.asset.size_bytes().saturating_mul(4));
                let asked = (count as u128 * size as u128).saturating_add(u128::from(self.from_nothing.get()));
                let asked = u64::try_from(asked).unwrap_or(u64::MAX);
                if asked > limit {
                    return Err(too_much(Limit::Zeros, asked, limit));
                }
                self.from_nothing.set(asked);
                Cow::Owned(vec![0; count as usize * size])
            }
        };
        self.decoded.set(total);
        let count = count as usize;
        if let Some(sparse) = &json.sparse {
            self.replace(index, sparse, size, count, bytes.to_mut())?;
        }
        Ok(Packed { format, count, bytes })
    }

    /// Puts the sparse items of an accessor into their places.
    fn replace(
        &self,
        accessor: usize,
        sparse: &gltf::json::accessor::sparse::Sparse,
        size: usize,
        count: usize,
        bytes: &mut [u8],
    ) -> Result<(), AccessorError> {
        let replaced = sparse.count.0;
        if replaced > count as u64 {
            return Err(AccessorError::SparseCount { accessor, sparse: replaced, count });
        }
        let Checked::Valid(component) = sparse.indices.component_type else {
            return Err(AccessorError::UnknownType { accessor, what: SPARSE_TYPE });
        };
        let component = component.0;
        let view = sparse.indices.buffer_view.value();
        let (indices, step) = self.items(accessor, view, sparse.indices.byte_offset.0, component.size(), replaced)?;
        let view = sparse.values.buffer_view.value();
        let (values, stride) = self.items(accessor, view, sparse.values.byte_offset.0, size, replaced)?;
        let mut previous = None;
        for (place, (index, value)) in indices.chunks(step).zip(values.chunks(stride)).enumerate() {
            let index = integer(component, index);
            let wrong = |rule| AccessorError::SparseIndex { accessor, place, index, rule };
            if previous.is_some_and(|previous| previous >= index) {
                return Err(wrong("they must increase"));
            }
            previous = Some(index);
            let start = (index as usize).checked_mul(size);
            let target = start.and_then(|start| bytes.get_mut(start..)?.get_mut(..size));
            let (Some(target), Some(value)) = (target, value.get(..size)) else {
                return Err(wrong("beyond the last item"));
            };
            target.copy_from_slice(value);
        }
        Ok(())
    }
}

/// Items of `size` bytes that stand `stride` bytes apart, side by side.
fn without_gaps(bytes: &[u8], size: usize, stride: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() / stride.max(1) * size + size);
    for item in bytes.chunks(stride) {
        // The last item has no gap behind it.
        out.extend_from_slice(item.get(..size).unwrap_or_default());
    }
    out
}

/// One unsigned integer.
fn integer(component: ComponentType, bytes: &[u8]) -> u32 {
    match (component, bytes) {
        (ComponentType::U16, [a, b, ..]) => u16::from_le_bytes([*a, *b]).into(),
        (ComponentType::U32, [a, b, c, d, ..]) => u32::from_le_bytes([*a, *b, *c, *d]),
        (_, [a, ..]) => (*a).into(),
        (_, []) => 0,
    }
}

impl Packed<'_> {
    /// Items of `N` numbers as floats; normalized integers become fractions (glTF 2.0, section 3.6.2.2).
    ///
    /// `N` is the width of the format that was asked for.
    pub(super) fn floats<const N: usize>(&self) -> Vec<[f32; N]> {
        let bytes = &*self.bytes;
        match (self.format.component, self.format.normalized) {
            (ComponentType::F32, _) => items(bytes, f32::from_le_bytes),
            (ComponentType::U8, true) => items(bytes, |[x]: [u8; 1]| f32::from(x) / 255.0),
            (ComponentType::U8, false) => items(bytes, |[x]: [u8; 1]| f32::from(x)),
            (ComponentType::I8, true) => items(bytes, |[x]: [u8; 1]| (f32::from(x as i8) / 127.0).max(-1.0)),
            (ComponentType::I8, false) => items(bytes, |[x]: [u8; 1]| f32::from(x as i8)),
            (ComponentType::U16, true) => items(bytes, |x| f32::from(u16::from_le_bytes(x)) / 65535.0),
            (ComponentType::U16, false) => items(bytes, |x| f32::from(u16::from_le_bytes(x))),
            (ComponentType::I16, true) => items(bytes, |x| (f32::from(i16::from_le_bytes(x)) / 32767.0).max(-1.0)),
            (ComponentType::I16, false) => items(bytes, |x| f32::from(i16::from_le_bytes(x))),
            // Not legal where floats are asked for, but without a doubt about its meaning.
            (ComponentType::U32, _) => items(bytes, |x| u32::from_le_bytes(x) as f32),
        }
    }

    /// Scalars as floats.
    pub(super) fn scalars(&self) -> Vec<f32> {
        self.floats::<1>().into_iter().map(|[x]| x).collect()
    }

    /// Items of `N` unsigned integers.
    pub(super) fn integers<const N: usize>(&self) -> Vec<[u32; N]> {
        let bytes = &*self.bytes;
        match self.format.component {
            ComponentType::U16 | ComponentType::I16 => items(bytes, |x| u16::from_le_bytes(x).into()),
            ComponentType::U32 | ComponentType::F32 => items(bytes, u32::from_le_bytes),
            ComponentType::U8 | ComponentType::I8 => items(bytes, |[x]: [u8; 1]| x.into()),
        }
    }
}

/// `bytes` as items of `N` numbers of `B` bytes.
fn items<T, const B: usize, const N: usize>(bytes: &[u8], number: impl Fn([u8; B]) -> T) -> Vec<[T; N]> {
    let (numbers, _) = bytes.as_chunks::<B>();
    let (items, _) = numbers.as_chunks::<N>();
    items.iter().map(|item| item.map(&number)).collect()
}
