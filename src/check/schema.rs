//! How tables say what each kind of object may hold.

use super::issue::At;
use super::schema_validator::Walk;
use serde_json::{Map, Value};

/// What a property may hold.
pub(super) enum Kind {
    /// Whatever JSON can say.
    Any,
    /// `true` or `false`.
    Bool,
    /// The number of another element.
    Index,
    /// A whole number from the first to the second.
    Integer(u64, u64),
    /// One of these whole numbers.
    OneOf(&'static [u64]),
    /// A number that passes the test, which the text describes.
    Number(fn(f64) -> bool, &'static str),
    /// Any text.
    Text,
    /// One of these texts.
    Word(&'static [&'static str]),
    /// A version such as `2.0`.
    Version,
    /// A JSON Pointer.
    Pointer,
    /// A list of so many numbers (any count where none is given), each from the first to the second.
    Numbers(&'static [usize], f64, f64),
    /// A list of element numbers, each once.
    Indices,
    /// A list of texts, each once.
    Texts,
    /// An object.
    Object(&'static Schema),
    /// A list of objects.
    Objects(&'static Schema),
    /// Vertex attributes: names to accessor numbers.
    Attributes,
    /// Morph targets: a list of such.
    Targets,
}

/// One property of an object.
pub(super) struct Property {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) required: bool,
}

/// A kind of object.
pub(super) struct Schema {
    /// The type's name, by which extensions know it.
    pub(super) name: &'static str,
    pub(super) properties: &'static [Property],
    /// What else must hold within one such object.
    pub(super) also: Option<Also>,
}

/// A check of one object beyond its properties' own forms.
pub(super) type Also = fn(&mut Walk<'_>, &Map<String, Value>, &At<'_>);

/// A property that may be missing.
pub(super) const fn may(name: &'static str, kind: Kind) -> Property {
    Property { name, kind, required: false }
}

/// A property that must be there.
pub(super) const fn must(name: &'static str, kind: Kind) -> Property {
    Property { name, kind, required: true }
}

/// The largest whole number that every JSON parser keeps.
pub(super) const MOST: u64 = (1 << 53) - 1;

/// A whole number, which may be written `1.0` and may be negative.
pub(super) fn integer(value: &Value) -> Option<i128> {
    let number = value.as_number()?;
    if let Some(integer) = number.as_i128() {
        return Some(integer);
    }
    number.as_f64().filter(|x| x.fract() == 0.0 && x.abs() < 1e30).map(|x| x as i128)
}

/// The number of an element, if it is one.
pub(super) fn index(value: &Value) -> Option<usize> {
    integer(value).and_then(|integer| usize::try_from(integer).ok())
}

impl Kind {
    /// What is to stand there, for messages.
    pub(super) fn wanted(&self) -> &'static str {
        match self {
            Self::Any => "anything",
            Self::Bool => "true or false",
            Self::Index | Self::Integer(..) | Self::OneOf(_) => "a whole number",
            Self::Number(..) => "a number",
            Self::Text | Self::Word(_) | Self::Version | Self::Pointer => "a text",
            Self::Object(_) | Self::Attributes => "an object",
            Self::Numbers(..) | Self::Indices | Self::Texts | Self::Objects(_) | Self::Targets => "a list",
        }
    }

    /// Whether the JSON type is the right one.
    pub(super) fn is_form_of(&self, value: &Value) -> bool {
        match self {
            Self::Any => true,
            Self::Bool => value.is_boolean(),
            Self::Index | Self::Integer(..) | Self::OneOf(_) => integer(value).is_some(),
            Self::Number(..) => value.is_number(),
            Self::Text | Self::Word(_) | Self::Version | Self::Pointer => value.is_string(),
            Self::Object(_) | Self::Attributes => value.is_object(),
            Self::Numbers(..) | Self::Indices | Self::Texts | Self::Objects(_) | Self::Targets => value.is_array(),
        }
    }
}

/// Major and minor number of a version.
pub(super) fn version(value: &Value) -> Option<(u64, u64)> {
    let (major, minor) = value.as_str()?.split_once('.')?;
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?;
    Some((number(major)?, number(minor)?))
}
