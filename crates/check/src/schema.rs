//! Schemas: which properties a kind of object has, and their types.

use super::issue::Issues;
use super::json_path::JsonPath;
use super::json_values::integer;
use serde_json::{Map, Value};

/// Type and range of a property.
pub(super) enum PropertyType {
    Bool,
    /// The index of another element.
    Index,
    /// An integer from the first to the second number; `MAX_INTEGER` is no limit.
    Integer(u64, u64),
    IntEnum(&'static [u64]),
    /// A number that satisfies the predicate, which the text describes.
    Number(fn(f64) -> bool, &'static str),
    String,
    StringEnum(&'static [&'static str]),
    /// A version such as `2.0`.
    Version,
    JsonPointer,
    /// An array of numbers from the second to the third value, of one of the lengths, or of any length for `&[]`.
    Numbers(&'static [usize], f64, f64),
    /// An array of unique indices.
    Indices,
    /// An array of unique strings.
    Strings,
    Object(&'static Schema),
    /// An object that is required if the sibling `type` equals the property's name, and ignored otherwise.
    ObjectOfType(&'static Schema),
    Objects(&'static Schema),
    /// Vertex attributes: an object of accessor indices.
    Attributes,
    /// Morph targets: an array of vertex attributes.
    MorphTargets,
}

pub(super) struct Property {
    pub(super) name: &'static str,
    pub(super) kind: PropertyType,
    pub(super) required: bool,
}

/// A kind of object.
pub(super) struct Schema {
    /// The name by which the extension tables refer to it.
    pub(super) name: &'static str,
    pub(super) properties: &'static [Property],
    /// Checks beyond the types of the properties.
    pub(super) extra_rules: &'static [ExtraRules],
}

/// Properties of an object.
pub(super) type Members = Map<String, Value>;

pub(super) type ExtraRules = fn(&Members, &JsonPath<'_>, &mut Issues);

pub(super) const fn optional(name: &'static str, kind: PropertyType) -> Property {
    Property { name, kind, required: false }
}

pub(super) const fn required(name: &'static str, kind: PropertyType) -> Property {
    Property { name, kind, required: true }
}

/// Declares [`Schema`]s: identifier, name, [`ExtraRules`] if there are any, properties.
macro_rules! schemas {
    ($($id:ident $name:literal $(($extra_rules:expr))? { $($property:expr),* $(,)? })*) => {
        $(pub(super) static $id: Schema =
            Schema { name: $name, properties: &[$($property),*], extra_rules: &[$($extra_rules)?] };)*
    };
}
pub(super) use schemas;

impl PropertyType {
    /// Name of the expected JSON type for messages, and its test.
    pub(super) fn json_type(&self) -> (&'static str, fn(&Value) -> bool) {
        match self {
            Self::ObjectOfType(_) => ("anything", |_| true),
            Self::Bool => ("true or false", Value::is_boolean),
            Self::Index | Self::Integer(..) | Self::IntEnum(_) => ("an integer", |value| integer(value).is_some()),
            Self::Number(..) => ("a number", Value::is_number),
            Self::String | Self::StringEnum(_) | Self::Version | Self::JsonPointer => ("a string", Value::is_string),
            Self::Object(_) | Self::Attributes => ("an object", Value::is_object),
            Self::Numbers(..) | Self::Indices | Self::Strings | Self::Objects(_) | Self::MorphTargets => {
                ("an array", Value::is_array)
            }
        }
    }
}
