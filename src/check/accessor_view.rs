//! Stored numbers of any accessor, read where they lie, each bound checked.

use super::file::{Accessor, CheckedFile, Sparse};
use std::cell::Cell;

/// Numbers in an item of this type.
pub(super) fn width(kind: &str) -> Option<usize> {
    Some(match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" | "MAT2" => 4,
        "MAT3" => 9,
        "MAT4" => 16,
        _ => return None,
    })
}

/// What can be stored in a component type: `Some(None)` for floats, `None` for no component type at all.
pub(super) fn range(component: i128) -> Option<Option<(i128, i128)>> {
    Some(match component {
        5120 => Some((-128, 127)),
        5121 => Some((0, 255)),
        5122 => Some((-32768, 32767)),
        5123 => Some((0, 65535)),
        5125 => Some((0, u32::MAX.into())),
        5126 => None,
        _ => return None,
    })
}

/// glTF's component types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    pub(super) fn new(code: i128) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    /// Bytes of a number.
    pub(super) fn size(self) -> u64 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The largest integer; the index that restarts a strip.
    pub(super) fn max_value(self) -> f64 {
        match self {
            Self::I8 => 127.0,
            Self::U8 => 255.0,
            Self::I16 => 32767.0,
            Self::U16 => 65535.0,
            Self::U32 => f64::from(u32::MAX),
            Self::F32 => f64::INFINITY,
        }
    }

    fn read(self, bytes: &[u8]) -> f64 {
        match (self, bytes) {
            (Self::I8, [a, ..]) => (*a as i8).into(),
            (Self::U8, [a, ..]) => (*a).into(),
            (Self::I16, [a, b, ..]) => i16::from_le_bytes([*a, *b]).into(),
            (Self::U16, [a, b, ..]) => u16::from_le_bytes([*a, *b]).into(),
            (Self::U32, [a, b, c, d, ..]) => u32::from_le_bytes([*a, *b, *c, *d]).into(),
            (Self::F32, [a, b, c, d, ..]) => f32::from_le_bytes([*a, *b, *c, *d]).into(),
            _ => 0.0,
        }
    }

    /// A normalized integer as the fraction it stands for.
    pub(super) fn to_real(self, x: f64) -> f64 {
        match self {
            Self::F32 | Self::U32 => x,
            Self::I8 | Self::I16 => (x / self.max_value()).max(-1.0),
            Self::U8 | Self::U16 => x / self.max_value(),
        }
    }
}

/// How many numbers may still be looked at: many accessors over the same bytes would take for ever.
pub(super) struct Budget {
    left: Cell<u64>,
}

impl Budget {
    pub(super) fn new(size_bytes: u64) -> Self {
        Self { left: Cell::new((256 << 20) + size_bytes.saturating_mul(8)) }
    }

    /// Takes `count` out of it; whether there was enough.
    pub(super) fn take(&self, count: u64) -> bool {
        let enough = self.left.get() >= count;
        self.left.set(self.left.get().saturating_sub(if enough { count } else { 0 }));
        enough
    }
}

/// The items of an accessor.
pub(super) struct AccessorView<'a> {
    pub(super) component: Component,
    pub(super) width: usize,
    pub(super) count: u64,
    columns: (usize, usize),
    base: Option<(&'a [u8], u64)>,
    sparse: Option<SparseItems<'a>>,
}

struct SparseItems<'a> {
    /// Item numbers in stored order; sorted, or else only looked at from the front.
    places: Vec<u64>,
    values: &'a [u8],
    size: u64,
}

impl<'a> AccessorView<'a> {
    /// The items, if the accessor is well formed and all of its bytes are there.
    pub(super) fn new(file: &'a CheckedFile<'_>, accessor: &Accessor) -> Option<Self> {
        let (component, count) = (accessor.component?, accessor.count?);
        let size = component.size();
        let columns = accessor.columns();
        let base = match accessor.view {
            Some(view) => {
                let view = file.views.get(view)?;
                let bytes = file.view_bytes(view)?;
                let stride = view.stride.unwrap_or(accessor.step());
                if stride < accessor.item_bytes() || accessor.offset? % size != 0 {
                    return None;
                }
                let start = usize::try_from(accessor.offset?).ok()?;
                let end = accessor.offset?.checked_add(accessor.length(stride)?)?;
                Some((bytes.get(start..usize::try_from(end).ok()?)?, stride))
            }
            None => None,
        };
        let sparse = match &accessor.sparse {
            Some(sparse) => Some(SparseItems::new(file, accessor, sparse, component)?),
            None => None,
        };
        Some(Self { component, width: accessor.width(), count, columns, base, sparse })
    }

    /// Puts the numbers of item `i` into `out`, as they are stored.
    pub(super) fn get(&self, i: u64, out: &mut [f64; 16]) {
        let size = self.component.size() as usize;
        if let Some(sparse) = &self.sparse
            && let Ok(place) = sparse.places.binary_search(&i)
        {
            let bytes = sparse.values.get(place * sparse.size as usize..).unwrap_or_default();
            for (out, bytes) in out.iter_mut().zip(bytes.chunks(size)).take(self.width) {
                *out = self.component.read(bytes);
            }
            return;
        }
        let Some((bytes, stride)) = self.base else {
            out[..self.width].fill(0.0);
            return;
        };
        // Fits: the whole accessor lies in memory.
        let bytes = bytes.get((i * stride) as usize..).unwrap_or_default();
        let (rows, column_bytes) = self.columns;
        for (k, out) in out.iter_mut().enumerate().take(self.width) {
            let at = k / rows * column_bytes + k % rows * size;
            *out = self.component.read(bytes.get(at..).unwrap_or_default());
        }
    }

    /// The sparse item numbers, as stored.
    pub(super) fn places(&self) -> &[u64] {
        self.sparse.as_ref().map_or(&[], |sparse| &sparse.places)
    }
}

impl<'a> SparseItems<'a> {
    fn new(file: &'a CheckedFile<'_>, accessor: &Accessor, sparse: &Sparse, component: Component) -> Option<Self> {
        let (count, kind) = (sparse.count?, sparse.component?);
        let bytes = |view: Option<usize>, offset: Option<u64>, size: u64| {
            let bytes = file.view_bytes(file.views.get(view?)?)?;
            let start = usize::try_from(offset?).ok()?;
            bytes.get(start..start.checked_add(usize::try_from(size.checked_mul(count)?).ok()?)?)
        };
        let indices = bytes(sparse.indices_view, sparse.indices_offset, kind.size())?;
        let size = component.size() * accessor.width() as u64;
        let values = bytes(sparse.values_view, sparse.values_offset, size)?;
        if count > accessor.count? {
            return None;
        }
        let places = indices.chunks(kind.size() as usize).map(|bytes| kind.read(bytes) as u64).collect();
        Some(Self { places, values, size })
    }
}
