//! The parts of a file as the checks look at them: whatever is well formed, without the rest.

use super::accessor_view::{Budget, Component, width};
use super::extension_schemas::Extensions;
use super::issue::{JsonPath, Issues};
use super::schema::{MAX_INTEGER, index, integer};
use serde_json::Value;
use std::borrow::Cow;
use std::ops::Range;

/// A file while it is checked.
pub(super) struct CheckedFile<'a> {
    pub(super) root: &'a Value,
    pub(super) extensions: &'a Extensions<'a>,
    pub(super) accessors: Vec<Accessor>,
    pub(super) views: Vec<View>,
    pub(super) buffers: Vec<Option<Cow<'a, [u8]>>>,
    pub(super) budget: Budget,
}

/// An accessor; what is missing or malformed is `None`.
#[derive(Clone, Debug, Default)]
pub(super) struct Accessor {
    /// Its buffer view, which need not exist.
    pub(super) view: Option<usize>,
    pub(super) offset: Option<u64>,
    pub(super) component: Option<Component>,
    pub(super) count: Option<u64>,
    pub(super) kind: Option<String>,
    pub(super) normalized: bool,
    pub(super) min: Option<Vec<f64>>,
    pub(super) max: Option<Vec<f64>>,
    pub(super) sparse: Option<Sparse>,
}

/// The sparse part of an accessor.
#[derive(Clone, Debug, Default)]
pub(super) struct Sparse {
    pub(super) count: Option<u64>,
    pub(super) component: Option<Component>,
    pub(super) indices_view: Option<usize>,
    pub(super) indices_offset: Option<u64>,
    pub(super) values_view: Option<usize>,
    pub(super) values_offset: Option<u64>,
}

/// A buffer view.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    pub(super) buffer: Option<usize>,
    pub(super) offset: Option<u64>,
    pub(super) length: Option<u64>,
    pub(super) stride: Option<u64>,
    pub(super) target: Option<i128>,
    /// What it holds, if that stands compressed in another buffer.
    pub(super) unpacked: Option<Vec<u8>>,
}

/// One of the file's lists; empty where it is none.
pub(super) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The element that a member of `value` refers to, whether it exists or not.
pub(super) fn reference(value: &Value, name: &str) -> Option<usize> {
    value.get(name).and_then(index)
}

/// A number that is not negative; so far below what 64 bits hold that sums do not overflow.
pub(super) fn unsigned(value: &Value, name: &str) -> Option<u64> {
    value.get(name).and_then(integer).and_then(|x| u64::try_from(x).ok()).filter(|x| *x <= MAX_INTEGER)
}

/// An offset, which is 0 where it is missing.
fn offset(value: &Value) -> Option<u64> {
    if value.get("byteOffset").is_none() { Some(0) } else { unsigned(value, "byteOffset") }
}

fn component(value: &Value) -> Option<Component> {
    value.get("componentType").and_then(integer).and_then(Component::new)
}

impl View {
    fn new(value: &Value) -> Self {
        Self {
            buffer: reference(value, "buffer"),
            offset: offset(value),
            length: unsigned(value, "byteLength").filter(|length| *length > 0),
            stride: unsigned(value, "byteStride").filter(|stride| (4..=252).contains(stride)),
            target: value.get("target").and_then(integer),
            unpacked: None,
        }
    }
}

impl Accessor {
    fn new(value: &Value) -> Self {
        let component = component(value);
        let kind = value.get("type").and_then(Value::as_str).filter(|kind| width(kind).is_some()).map(str::to_owned);
        let bound = |name: &str| {
            let list = list(value, name);
            let numbers: Option<Vec<f64>> = list.iter().map(Value::as_f64).collect();
            let single = component == Some(Component::F32);
            let numbers =
                numbers?.into_iter().map(|x| if single { f64::from(x as f32) } else { x }).collect::<Vec<_>>();
            (component.is_some() && Some(numbers.len()) == width(kind.as_deref()?)).then_some(numbers)
        };
        Self {
            view: reference(value, "bufferView"),
            offset: offset(value),
            component,
            count: unsigned(value, "count").filter(|count| *count > 0),
            normalized: value.get("normalized") == Some(&Value::Bool(true)),
            min: bound("min"),
            max: bound("max"),
            sparse: value.get("sparse").filter(|sparse| sparse.is_object()).map(Sparse::new),
            kind,
        }
    }

    /// Numbers in an item.
    pub(super) fn width(&self) -> usize {
        self.kind.as_deref().and_then(width).unwrap_or(1)
    }

    /// Rows of a column, and bytes from one column to the next: those of small matrices begin at multiples of 4.
    pub(super) fn columns(&self) -> (usize, usize) {
        let size = self.component.map_or(4, Component::size) as usize;
        let rows = match self.kind.as_deref() {
            Some("MAT2") => 2,
            Some("MAT3") => 3,
            Some("MAT4") => 4,
            _ => return (16, 64),
        };
        (rows, (rows * size).next_multiple_of(4))
    }

    /// Bytes from the first number of an item to the end of its last.
    pub(super) fn item_bytes(&self) -> u64 {
        let size = self.component.map_or(4, Component::size);
        let (rows, column) = self.columns();
        match self.kind.as_deref() {
            Some("MAT2" | "MAT3" | "MAT4") => ((rows - 1) * column) as u64 + rows as u64 * size,
            _ => self.width() as u64 * size,
        }
    }

    /// Bytes from one item to the next where no stride says otherwise.
    pub(super) fn step(&self) -> u64 {
        let (rows, column) = self.columns();
        if rows == 16 { self.item_bytes() } else { (rows * column) as u64 }
    }

    /// Bytes from the first item to the end of the last; `None` beyond all bounds.
    pub(super) fn length(&self, stride: u64) -> Option<u64> {
        stride.checked_mul(self.count?.checked_sub(1)?)?.checked_add(self.item_bytes())
    }

    /// As glTF writes it, such as `VEC3 of FLOAT`.
    pub(super) fn format(&self) -> String {
        let component = match self.component {
            Some(Component::I8) => "BYTE",
            Some(Component::U8) => "UNSIGNED_BYTE",
            Some(Component::I16) => "SHORT",
            Some(Component::U16) => "UNSIGNED_SHORT",
            Some(Component::U32) => "UNSIGNED_INT",
            Some(Component::F32) => "FLOAT",
            None => "nothing known",
        };
        let normalized = if self.normalized { "normalized " } else { "" };
        format!("{} of {normalized}{component}", self.kind.as_deref().unwrap_or("items"))
    }
}

impl Sparse {
    fn new(value: &Value) -> Self {
        let (indices, values) = (value.get("indices"), value.get("values"));
        Self {
            count: unsigned(value, "count").filter(|count| *count > 0),
            component: indices
                .and_then(component)
                .filter(|c| matches!(c, Component::U8 | Component::U16 | Component::U32)),
            indices_view: indices.and_then(|indices| reference(indices, "bufferView")),
            indices_offset: indices.and_then(offset),
            values_view: values.and_then(|values| reference(values, "bufferView")),
            values_offset: values.and_then(offset),
        }
    }
}

impl<'a> CheckedFile<'a> {
    pub(super) fn new(root: &'a Value, extensions: &'a Extensions<'a>, size_bytes: u64) -> Self {
        Self {
            root,
            extensions,
            accessors: list(root, "accessors").iter().map(Accessor::new).collect(),
            views: list(root, "bufferViews").iter().map(View::new).collect(),
            buffers: Vec::new(),
            budget: Budget::new(size_bytes),
        }
    }

    /// One of the file's lists.
    pub(super) fn list(&self, name: &str) -> &'a [Value] {
        list(self.root, name)
    }

    /// An element that exists and is an object.
    pub(super) fn element(&self, list: &str, index: Option<usize>) -> Option<&'a Value> {
        self.list(list).get(index?).filter(|value| value.is_object())
    }

    /// The element that a member of `value` refers to; one that does not exist is an issue.
    pub(super) fn follow(
        &self,
        value: &Value,
        name: &str,
        target: &str,
        at: &JsonPath<'_>,
        issues: &mut Issues,
    ) -> Option<usize> {
        let index = reference(value, name)?;
        self.resolve(index, target, &at.key(name), issues)
    }

    /// `index` if there is such an element; otherwise an issue.
    pub(super) fn resolve(&self, index: usize, target: &str, at: &JsonPath<'_>, issues: &mut Issues) -> Option<usize> {
        if self.element(target, Some(index)).is_some() {
            return Some(index);
        }
        let count = self.list(target).len();
        let message =
            format_args!("number {index} of {target} does not exist, the file has {count}; export the file again");
        issues.add("UNRESOLVED_REFERENCE", at, message);
        None
    }

    /// The bytes of a buffer view; `None` where they do not exist.
    pub(super) fn view_bytes<'f>(&'f self, view: &'f View) -> Option<&'f [u8]> {
        if let Some(bytes) = &view.unpacked {
            return Some(bytes);
        }
        let start = usize::try_from(view.offset?).ok()?;
        let range: Range<usize> = start..start.checked_add(usize::try_from(view.length?).ok()?)?;
        self.buffers.get(view.buffer?)?.as_deref()?.get(range)
    }
}
