//! A walk over the JSON by tables of what each kind of object may hold.

use super::extension_schemas::Extensions;
use super::issue::{At, Issues};
use super::schema::{Kind, MOST, Property, Schema, index, integer, version};
use crate::util::text::quoted;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt::Display;

/// The walk: what it found, and which extensions the file declares.
pub(super) struct Walk<'a> {
    pub(super) issues: &'a mut Issues,
    pub(super) extensions: &'a Extensions<'a>,
}

impl Walk<'_> {
    fn wrong_type(&mut self, code: &'static str, value: &Value, wanted: &str, at: impl Display) {
        self.issues.add(code, at, format_args!("this is {}, {wanted} is needed", what(value)));
    }

    /// Checks one object against its schema.
    pub(super) fn object(&mut self, value: &Value, schema: &Schema, at: &At<'_>) {
        let Some(map) = value.as_object() else { return };
        for property in schema.properties {
            let at = at.key(property.name);
            let value = map.get(property.name);
            if let Some(value) = value {
                if value.is_null() {
                    self.wrong_type("TYPE_MISMATCH", value, property.kind.wanted(), at);
                } else {
                    self.property(value, &property.kind, &at);
                }
            }
            if property.required && value.is_none_or(Value::is_null) {
                let message = format_args!("`{}` is missing here; export the file again", property.name);
                self.issues.add("UNDEFINED_PROPERTY", at.parent(), message);
            }
        }
        for key in map.keys() {
            let known = |property: &Property| property.name == key;
            if key != "extensions" && key != "extras" && !schema.properties.iter().any(known) {
                let message = format_args!("the property {} is not glTF's, and means nothing here", quoted(key));
                self.issues.add("UNEXPECTED_PROPERTY", at.key(key), message);
            }
        }
        self.extension_objects(map, schema, at);
        if map.get("extras").is_some_and(|extras| !extras.is_object() && !extras.is_null()) {
            self.issues.add("NON_OBJECT_EXTRAS", at.key("extras"), format_args!("extras are best an object"));
        }
        if let Some(also) = schema.also {
            also(self, map, at);
        }
    }

    fn extension_objects(&mut self, map: &Map<String, Value>, schema: &Schema, at: &At<'_>) {
        let at = at.key("extensions");
        let Some(value) = map.get("extensions") else { return };
        let Some(extensions) = value.as_object() else {
            return self.wrong_type("TYPE_MISMATCH", value, "an object", at);
        };
        for (name, value) in extensions {
            let at = at.key(name);
            if !value.is_object() {
                self.wrong_type("TYPE_MISMATCH", value, "an object", at);
            }
            if !self.extensions.is_declared(name) {
                let message = format_args!("{} is not listed in extensionsUsed; export the file again", quoted(name));
                self.issues.add("UNDECLARED_EXTENSION", at, message);
                continue;
            }
            let Some(places) = super::extension_schemas::places(name) else { continue };
            match places.iter().find(|(place, _)| *place == schema.name) {
                None => {
                    let message = format_args!("{} has no meaning in this place", quoted(name));
                    self.issues.add("UNEXPECTED_EXTENSION_OBJECT", at, message);
                }
                Some((_, inner)) => self.object(value, inner, &at),
            }
            if extensions.len() > 1 && super::extension_schemas::stands_alone(name) {
                let message = format_args!("{} may contradict the other extensions beside it", quoted(name));
                self.issues.add("MULTIPLE_EXTENSIONS", at, message);
            }
        }
    }

    fn property(&mut self, value: &Value, kind: &Kind, at: &At<'_>) {
        if !kind.is_form_of(value) {
            return self.wrong_type("TYPE_MISMATCH", value, kind.wanted(), at);
        }
        let out_of_range = |issues: &mut Issues, wanted: &dyn Display| {
            issues.add("VALUE_NOT_IN_RANGE", at, format_args!("{} is out of range: {wanted}", shown(value)));
        };
        match kind {
            Kind::Any | Kind::Bool | Kind::Text => {}
            Kind::Index => {
                if integer(value).is_some_and(|x| x < 0) {
                    self.bad_index(value, at);
                }
            }
            Kind::Integer(least, most) => {
                if integer(value).is_some_and(|x| x < i128::from(*least) || x > i128::from(*most)) {
                    if *most >= MOST {
                        out_of_range(self.issues, &format_args!("{least} or more"));
                    } else {
                        out_of_range(self.issues, &format_args!("{least} to {most}"));
                    }
                }
            }
            Kind::OneOf(list) => {
                if !list.iter().any(|one| integer(value) == Some(i128::from(*one))) {
                    let message = format_args!("{} is none of the values glTF knows: {list:?}", shown(value));
                    self.issues.add("VALUE_NOT_IN_LIST", at, message);
                }
            }
            Kind::Number(fits, text) => {
                if value.as_f64().is_some_and(|x| !fits(x)) {
                    out_of_range(self.issues, text);
                }
            }
            Kind::Word(list) => {
                let word = value.as_str().unwrap_or_default();
                if !list.contains(&word) && !self.extensions.adds_word(list, word) {
                    let list = list.join(", ");
                    let message = format_args!("{} is none of the words glTF knows: {list}", quoted(word));
                    self.issues.add("VALUE_NOT_IN_LIST", at, message);
                }
            }
            Kind::Version => {
                if version(value).is_none() {
                    let message = format_args!("{} is no version such as 2.0", shown(value));
                    self.issues.add("PATTERN_MISMATCH", at, message);
                }
            }
            Kind::Pointer => {
                let text = value.as_str().unwrap_or_default();
                let tilde = |part: &str| !part.starts_with(['0', '1']);
                if !(text.is_empty() || text.starts_with('/')) || text.split('~').skip(1).any(tilde) {
                    self.issues.add("PATTERN_MISMATCH", at, format_args!("{} is no JSON Pointer", quoted(text)));
                }
            }
            Kind::Object(schema) => self.object(value, schema, at),
            Kind::Numbers(..) | Kind::Indices | Kind::Texts | Kind::Objects(_) | Kind::Attributes | Kind::Targets => {
                self.collection(value, kind, at)
            }
        }
    }

    fn collection(&mut self, value: &Value, kind: &Kind, at: &At<'_>) {
        let list = value.as_array().map_or(&[][..], Vec::as_slice);
        if list.is_empty() && value.as_object().is_none_or(Map::is_empty) {
            let message = format_args!("this is empty; leave it out, or export the file again");
            return self.issues.add("EMPTY_ENTITY", at, message);
        }
        match kind {
            Kind::Numbers(lengths, least, most) => self.numbers(list, lengths, *least, *most, at),
            Kind::Indices => {
                let mut seen = BTreeSet::new();
                for (i, item) in list.iter().enumerate() {
                    match index(item) {
                        None => self.bad_index(item, &at.item(i)),
                        Some(index) if !seen.insert(index) => {
                            self.issues.add("DUPLICATE_ELEMENTS", at.item(i), format_args!("{index} is listed twice"));
                        }
                        Some(_) => {}
                    }
                }
            }
            Kind::Texts => {
                let mut seen = BTreeSet::new();
                for (i, item) in list.iter().enumerate() {
                    match item.as_str() {
                        None => self.wrong_type("ARRAY_TYPE_MISMATCH", item, "a text", at.item(i)),
                        Some(text) if !seen.insert(text) => {
                            let message = format_args!("{} is listed twice", quoted(text));
                            self.issues.add("DUPLICATE_ELEMENTS", at.item(i), message);
                        }
                        Some(_) => {}
                    }
                }
            }
            Kind::Objects(schema) => {
                // The Khronos validator tells the two apart.
                let code = if at.is_in_root() { "TYPE_MISMATCH" } else { "ARRAY_TYPE_MISMATCH" };
                for (i, item) in list.iter().enumerate() {
                    if item.is_object() {
                        self.object(item, schema, &at.item(i));
                    } else {
                        self.wrong_type(code, item, "an object", at.item(i));
                    }
                }
            }
            Kind::Attributes => self.attributes(value, at),
            _ => {
                for (i, item) in list.iter().enumerate() {
                    let at = at.item(i);
                    match item.as_object() {
                        None => self.wrong_type("ARRAY_TYPE_MISMATCH", item, "an object", at),
                        Some(map) if map.is_empty() => {
                            self.issues.add("EMPTY_ENTITY", at, format_args!("this morph target moves nothing"));
                        }
                        Some(_) => self.attributes(item, &at),
                    }
                }
            }
        }
    }

    fn numbers(&mut self, list: &[Value], lengths: &[usize], least: f64, most: f64, at: &At<'_>) {
        if !lengths.is_empty() && !lengths.contains(&list.len()) {
            let message = format_args!("{} numbers stand here, {} are needed", list.len(), lengths[0]);
            return self.issues.add("ARRAY_LENGTH_NOT_IN_LIST", at, message);
        }
        for (i, item) in list.iter().enumerate() {
            match item.as_f64() {
                None => self.wrong_type("ARRAY_TYPE_MISMATCH", item, "a number", at.item(i)),
                Some(x) if !(least..=most).contains(&x) || !x.is_finite() => {
                    let message = format_args!("{x} is out of range: {least} to {most}");
                    self.issues.add("VALUE_NOT_IN_RANGE", at.item(i), message);
                }
                Some(_) => {}
            }
        }
    }

    fn attributes(&mut self, value: &Value, at: &At<'_>) {
        for (name, accessor) in value.as_object().into_iter().flatten() {
            if index(accessor).is_none() {
                self.bad_index(accessor, &at.key(name));
            }
        }
    }

    fn bad_index(&mut self, value: &Value, at: &At<'_>) {
        let message = format_args!("{} is no number of an element: 0 or more is needed", shown(value));
        self.issues.add("INVALID_INDEX", at, message);
    }
}

fn what(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(number) if number.is_f64() => "a fraction",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A value in a message: numbers and short texts as they are, the rest by kind.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => quoted(text),
        other => what(other).to_owned(),
    }
}
