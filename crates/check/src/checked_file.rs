//! The parts of a glTF file in the form that the checks need: what is well formed, and `None` for the rest.

use super::extensions::Extensions;
use super::issue::Issues;
use super::json_path::JsonPath;
use super::json_values::{array, integer, reference, unsigned};
use rigview_core::gltf_format::{ComponentType, ElementFormat, ElementType};
use serde_json::Value;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

pub(super) struct CheckedFile<'a> {
    pub(super) root: &'a Value,
    pub(super) extensions: &'a Extensions<'a>,
    pub(super) accessors: Vec<Accessor>,
    pub(super) views: Vec<View>,
    pub(super) buffers: Vec<Option<Cow<'a, [u8]>>>,
    pub(super) budget: Budget,
    /// Array and index of each element to which another refers.
    used: RefCell<BTreeSet<(&'static str, usize)>>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Accessor {
    /// Index of the buffer view, which need not exist.
    pub(super) view: Option<usize>,
    pub(super) offset: Option<u64>,
    pub(super) component: Option<ComponentType>,
    pub(super) count: Option<u64>,
    pub(super) element: Option<ElementType>,
    pub(super) normalized: bool,
    pub(super) min: Option<Vec<f64>>,
    pub(super) max: Option<Vec<f64>>,
    pub(super) sparse: Option<Sparse>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Sparse {
    pub(super) count: Option<u64>,
    pub(super) component: Option<ComponentType>,
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
    /// The decompressed content of a compressed view.
    pub(super) decompressed: Option<Vec<u8>>,
}

/// Components that may still be read. Many accessors over the same bytes could otherwise take forever.
pub(super) struct Budget(Cell<u64>);

impl Budget {
    fn new(file_bytes: u64) -> Self {
        Self(Cell::new((256 << 20) + file_bytes.saturating_mul(8)))
    }

    /// Spends `count`; returns `false`, and spends nothing, if less is left.
    pub(super) fn spend(&self, count: u64) -> bool {
        let left = self.0.get().checked_sub(count);
        self.0.set(left.unwrap_or(self.0.get()));
        left.is_some()
    }
}

/// `byteOffset`, whose default is 0.
fn offset(value: &Value) -> Option<u64> {
    if value.get("byteOffset").is_none() { Some(0) } else { unsigned(value, "byteOffset") }
}

fn component(value: &Value) -> Option<ComponentType> {
    value.get("componentType").and_then(integer).and_then(ComponentType::from_gl_enum)
}

impl View {
    fn new(value: &Value) -> Self {
        Self {
            buffer: reference(value, "buffer"),
            offset: offset(value),
            length: unsigned(value, "byteLength").filter(|length| *length > 0),
            stride: unsigned(value, "byteStride").filter(|stride| (4..=252).contains(stride)),
            target: value.get("target").and_then(integer),
            decompressed: None,
        }
    }
}

impl Accessor {
    fn new(value: &Value) -> Self {
        let component = component(value);
        let element = value.get("type").and_then(Value::as_str).and_then(ElementType::from_name);
        let bound = |name: &str| {
            let numbers: Option<Vec<f64>> = array(value, name).iter().map(Value::as_f64).collect();
            let mut numbers =
                numbers.filter(|numbers| element.is_some_and(|e| e.component_count() == numbers.len()))?;
            if component? == ComponentType::F32 {
                numbers.iter_mut().for_each(|x| *x = f64::from(*x as f32));
            }
            Some(numbers)
        };
        Self {
            view: reference(value, "bufferView"),
            offset: offset(value),
            component,
            count: unsigned(value, "count").filter(|count| *count > 0),
            element,
            normalized: value.get("normalized") == Some(&Value::Bool(true)),
            min: bound("min"),
            max: bound("max"),
            sparse: value.get("sparse").filter(|sparse| sparse.is_object()).map(Sparse::new),
        }
    }

    /// The format, with defaults for a missing element or component type.
    pub(super) fn format(&self) -> ElementFormat {
        ElementFormat {
            element: self.element.unwrap_or(ElementType::Scalar),
            component: self.component.unwrap_or(ComponentType::F32),
            normalized: self.normalized,
        }
    }

    /// Returns `true` if the format is complete and one of `formats`.
    pub(super) fn has_format(&self, formats: &[ElementFormat]) -> bool {
        self.element.is_some() && self.component.is_some() && formats.contains(&self.format())
    }

    /// For messages, such as `VEC3 of FLOAT`.
    pub(super) fn format_name(&self) -> String {
        match (self.element, self.component) {
            (Some(_), Some(_)) => self.format().name(),
            (element, component) => {
                let (element, component) = (element.map(ElementType::name), component.map(ComponentType::name));
                format!("{} of {}", element.unwrap_or("elements"), component.unwrap_or("an unknown type"))
            }
        }
    }
}

impl Sparse {
    fn new(value: &Value) -> Self {
        let (indices, values) = (value.get("indices"), value.get("values"));
        Self {
            count: unsigned(value, "count").filter(|count| *count > 0),
            component: indices.and_then(component).filter(|component| component.is_unsigned()),
            indices_view: indices.and_then(|indices| reference(indices, "bufferView")),
            indices_offset: indices.and_then(offset),
            values_view: values.and_then(|values| reference(values, "bufferView")),
            values_offset: values.and_then(offset),
        }
    }
}

impl<'a> CheckedFile<'a> {
    /// Reads accessors and buffer views; the caller fills in the buffers.
    pub(super) fn new(root: &'a Value, extensions: &'a Extensions<'a>, file_bytes: u64) -> Self {
        Self {
            root,
            extensions,
            accessors: array(root, "accessors").iter().map(Accessor::new).collect(),
            views: array(root, "bufferViews").iter().map(View::new).collect(),
            buffers: Vec::new(),
            budget: Budget::new(file_bytes),
            used: RefCell::default(),
        }
    }

    /// One of the document's arrays, or an empty one.
    pub(super) fn array(&self, name: &str) -> &'a [Value] {
        array(self.root, name)
    }

    /// An element that exists and is an object.
    pub(super) fn element(&self, array: &str, index: Option<usize>) -> Option<&'a Value> {
        self.array(array).get(index?).filter(|value| value.is_object())
    }

    /// The index in the member `name` of `value`; reports an issue if there is no such element in `target`.
    pub(super) fn follow(
        &self,
        value: &Value,
        name: &str,
        target: &'static str,
        at: &JsonPath<'_>,
        issues: &mut Issues,
    ) -> Option<usize> {
        self.resolve(reference(value, name)?, target, &at.key(name), issues)
    }

    /// Returns `index`; reports an issue if there is no such element in `target`.
    pub(super) fn resolve(
        &self,
        index: usize,
        target: &'static str,
        at: &JsonPath<'_>,
        issues: &mut Issues,
    ) -> Option<usize> {
        if self.element(target, Some(index)).is_some() {
            self.set_used(target, index);
            return Some(index);
        }
        let count = self.array(target).len();
        let message = format_args!("{target}[{index}] does not exist: the file has {count}; export the file again");
        issues.add("UNRESOLVED_REFERENCE", at, message);
        None
    }

    pub(super) fn set_used(&self, list: &'static str, index: usize) {
        self.used.borrow_mut().insert((list, index));
    }

    /// Returns `true` if another element refers to this one.
    pub(super) fn is_used(&self, list: &'static str, index: usize) -> bool {
        self.used.borrow().contains(&(list, index))
    }

    /// The bytes of a buffer view; `None` if the buffer does not contain them all.
    pub(super) fn view_bytes<'f>(&'f self, view: &'f View) -> Option<&'f [u8]> {
        if let Some(bytes) = &view.decompressed {
            return Some(bytes);
        }
        let start = usize::try_from(view.offset?).ok()?;
        let end = start.checked_add(usize::try_from(view.length?).ok()?)?;
        self.buffers.get(view.buffer?)?.as_deref()?.get(start..end)
    }
}
