//! Schemas of glTF objects: their properties, with types and ranges.
//!
//! `import` normalizes JSON by them, and `check` validates it.

mod core_objects;
mod extension_objects;
mod human_bones;
mod vrm_objects;

pub use core_objects::{IMAGE_TYPES, MATERIAL, PATHS, ROOT};
pub use extension_objects::{ExtendedObjects, extended_objects, is_exclusive};
pub use human_bones::{HumanBone, HumanBoneNeed, PRESET_EXPRESSIONS, human_bones};

use serde_json::Value;

/// Largest integer that every JSON parser represents exactly.
pub const MAX_INTEGER: u64 = (1 << 53) - 1;

/// Type and range of a property.
pub enum PropertyType {
    /// `true` or `false`.
    Bool,
    /// The index of another element.
    Index,
    /// An integer from the first to the second number; [`MAX_INTEGER`] is no limit.
    Integer(u64, u64),
    /// One of these integers.
    IntEnum(&'static [u64]),
    /// A number that satisfies the predicate, which the text describes.
    Number(fn(f64) -> bool, &'static str),
    /// Any string.
    String,
    /// One of these strings.
    StringEnum(&'static [&'static str]),
    /// A version such as `2.0`.
    Version,
    /// A JSON Pointer (RFC 6901).
    JsonPointer,
    /// An array of numbers from the second to the third value, of one of the lengths, or of any length for `&[]`.
    Numbers(&'static [usize], f64, f64),
    /// An array of unique indices.
    Indices,
    /// An array of unique strings.
    Strings,
    /// An object.
    Object(&'static Schema),
    /// An object that is required if the sibling `type` equals the property's name, and ignored otherwise.
    ObjectOfType(&'static Schema),
    /// An array of objects.
    Objects(&'static Schema),
    /// An array of objects that may be empty.
    ObjectList(&'static Schema),
    /// An object whose members are objects.
    ObjectMap(&'static Schema),
    /// Vertex attributes: an object of accessor indices.
    Attributes,
    /// Morph targets: an array of vertex attributes.
    MorphTargets,
    /// Any value.
    Any,
}

/// The effect of an absent or invalid property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It may be absent. Without it the object keeps its meaning, so an invalid value can be ignored.
    Optional,
    /// It may be absent, but with an invalid value the object has no meaning.
    Essential,
    /// Without it the object has no meaning.
    Required,
}

/// A property of a kind of object.
pub struct Property {
    /// The key.
    pub name: &'static str,
    /// Type and range.
    pub kind: PropertyType,
    /// The effect of its absence.
    pub presence: Presence,
}

/// A kind of object.
pub struct Schema {
    /// The name by which the extension tables refer to it.
    pub name: &'static str,
    /// All properties except `extensions` and `extras`.
    pub properties: &'static [Property],
}

const fn optional(name: &'static str, kind: PropertyType) -> Property {
    Property { name, kind, presence: Presence::Optional }
}

const fn essential(name: &'static str, kind: PropertyType) -> Property {
    Property { name, kind, presence: Presence::Essential }
}

const fn required(name: &'static str, kind: PropertyType) -> Property {
    Property { name, kind, presence: Presence::Required }
}

/// Declares [`Schema`]s: identifier, name, properties.
macro_rules! schemas {
    ($($vis:vis $id:ident $name:literal { $($property:expr),* $(,)? })*) => {
        $(#[doc = concat!("The schema `", $name, "`.")]
        $vis static $id: Schema = Schema { name: $name, properties: &[$($property),*] };)*
    };
}
use schemas;

impl PropertyType {
    /// Name of the expected JSON type for messages, and its test.
    pub fn json_type(&self) -> (&'static str, fn(&Value) -> bool) {
        match self {
            Self::ObjectOfType(_) | Self::Any => ("anything", |_| true),
            Self::Bool => ("true or false", Value::is_boolean),
            Self::Index | Self::Integer(..) | Self::IntEnum(_) => ("an integer", |value| integer(value).is_some()),
            Self::Number(..) => ("a number", Value::is_number),
            Self::String | Self::StringEnum(_) | Self::Version | Self::JsonPointer => ("a string", Value::is_string),
            Self::Object(_) | Self::ObjectMap(_) | Self::Attributes => ("an object", Value::is_object),
            Self::Numbers(..)
            | Self::Indices
            | Self::Strings
            | Self::Objects(_)
            | Self::ObjectList(_)
            | Self::MorphTargets => ("an array", Value::is_array),
        }
    }
}

/// An integer of any sign, also when written as `1.0` or `1e300`; saturates.
pub fn integer(value: &Value) -> Option<i128> {
    let number = value.as_number()?;
    if let Some(integer) = number.as_i128() {
        return Some(integer);
    }
    number.as_f64().filter(|x| x.fract() == 0.0).map(|x| x as i128)
}
