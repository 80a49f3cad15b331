//! Validation of JSON against the schemas.

use super::extensions::Extensions;
use super::issue::Issues;
use super::json_path::JsonPath;
use super::json_values::{index, version};
use super::object_rules;
use rigview_core::schema::{
    MAX_INTEGER, Presence, Property, PropertyType, Schema, extended_objects, integer, is_exclusive,
};
use rigview_core::util::text::quoted;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt::Display;

pub(super) struct SchemaValidator<'a> {
    pub(super) issues: &'a mut Issues,
    pub(super) extensions: &'a Extensions<'a>,
}

impl SchemaValidator<'_> {
    /// Checks an object, its extension objects and everything below.
    pub(super) fn object(&mut self, value: &Value, schema: &Schema, at: &JsonPath<'_>) {
        let Some(map) = value.as_object() else { return };
        for property in schema.properties {
            self.member(map, property, &at.key(property.name));
        }
        for key in map.keys() {
            let known = |property: &Property| property.name == key;
            if key != "extensions" && key != "extras" && !schema.properties.iter().any(known) {
                let quoted_key = quoted(key);
                let message = format_args!("unknown property {quoted_key}: it is ignored");
                self.issues.add("UNEXPECTED_PROPERTY", at.key(key), message);
            }
        }
        self.extension_objects(map, schema, at);
        if map.get("extras").is_some_and(|extras| !extras.is_object() && !extras.is_null()) {
            self.issues.add("NON_OBJECT_EXTRAS", at.key("extras"), format_args!("extras should be an object"));
        }
        if let Some(rules) = object_rules::rules(schema) {
            rules(map, at, self.issues);
        }
    }

    fn member(&mut self, map: &Map<String, Value>, property: &Property, at: &JsonPath<'_>) {
        let value = map.get(property.name);
        let object;
        let (mut kind, mut required) = (&property.kind, property.presence == Presence::Required);
        if let PropertyType::ObjectOfType(schema) = kind
            && map.get("type").and_then(Value::as_str) == Some(property.name)
        {
            object = PropertyType::Object(schema);
            (kind, required) = (&object, true);
        }
        match value {
            // Without its `type`, the property is ignored.
            Some(Value::Null) if matches!(kind, PropertyType::ObjectOfType(_)) => {}
            Some(Value::Null) => self.type_mismatch("TYPE_MISMATCH", &Value::Null, kind.json_type().0, at),
            Some(value) => self.property(value, kind, at),
            None => {}
        }
        if required && value.is_none_or(Value::is_null) {
            let message = format_args!("`{}` is missing here; export the file again", property.name);
            self.issues.add("UNDEFINED_PROPERTY", at.parent(), message);
        }
    }

    fn extension_objects(&mut self, map: &Map<String, Value>, schema: &Schema, at: &JsonPath<'_>) {
        let at = at.key("extensions");
        let Some(value) = map.get("extensions") else { return };
        let Some(extensions) = value.as_object() else {
            return self.type_mismatch("TYPE_MISMATCH", value, "an object", at);
        };
        for (name, value) in extensions {
            let at = at.key(name);
            if !value.is_object() {
                self.type_mismatch("TYPE_MISMATCH", value, "an object", at);
            }
            if !self.extensions.is_declared(name) {
                let name = quoted(name);
                let message = format_args!("{name} is not listed in extensionsUsed; export the file again");
                self.issues.add("UNDECLARED_EXTENSION", at, message);
                continue;
            }
            let Some(objects) = extended_objects(name) else { continue };
            match objects.iter().find(|(object, _)| *object == schema.name) {
                None => {
                    let name = quoted(name);
                    let message = format_args!("{name} does not extend this kind of object");
                    self.issues.add("UNEXPECTED_EXTENSION_OBJECT", at, message);
                }
                Some((_, extension)) => self.object(value, extension, &at),
            }
            if extensions.len() > 1 && is_exclusive(name) {
                let name = quoted(name);
                let message = format_args!("{name} may contradict the other extensions of this object");
                self.issues.add("MULTIPLE_EXTENSIONS", at, message);
            }
        }
    }

    fn property(&mut self, value: &Value, kind: &PropertyType, at: &JsonPath<'_>) {
        let (expected, matches_type) = kind.json_type();
        if !matches_type(value) {
            return self.type_mismatch("TYPE_MISMATCH", value, expected, at);
        }
        match kind {
            PropertyType::Bool | PropertyType::String | PropertyType::ObjectOfType(_) | PropertyType::Any => {}
            PropertyType::Index => {
                if integer(value).is_some_and(|x| x < 0) {
                    self.invalid_index(value, at);
                }
            }
            PropertyType::Integer(min, max) => {
                let has_max = *max < MAX_INTEGER;
                if integer(value).is_some_and(|x| x < i128::from(*min) || has_max && x > i128::from(*max)) {
                    if has_max {
                        self.out_of_range(value, format_args!("{min} to {max}"), at);
                    } else {
                        self.out_of_range(value, format_args!("{min} or more"), at);
                    }
                }
            }
            PropertyType::Number(is_valid, range) => {
                if value.as_f64().is_some_and(|x| !is_valid(x)) {
                    self.out_of_range(value, range, at);
                }
            }
            PropertyType::IntEnum(values) => {
                if !values.iter().any(|one| integer(value) == Some(i128::from(*one))) {
                    let message = format_args!("{} is not one of the values of glTF: {values:?}", shown(value));
                    self.issues.add("VALUE_NOT_IN_LIST", at, message);
                }
            }
            PropertyType::StringEnum(values) => {
                let word = value.as_str().unwrap_or_default();
                if !values.contains(&word) && !self.extensions.extends_enum(values, word) {
                    let values = values.join(", ");
                    let message = format_args!("{} is not one of the values of glTF: {values}", quoted(word));
                    self.issues.add("VALUE_NOT_IN_LIST", at, message);
                }
            }
            PropertyType::Version => {
                if version(value).is_none() {
                    let value = shown(value);
                    let message = format_args!("{value} is not a version such as 2.0");
                    self.issues.add("PATTERN_MISMATCH", at, message);
                }
            }
            PropertyType::JsonPointer => {
                let text = value.as_str().unwrap_or_default();
                let is_invalid_escape = |part: &str| !part.starts_with(['0', '1']);
                if !(text.is_empty() || text.starts_with('/')) || text.split('~').skip(1).any(is_invalid_escape) {
                    self.issues.add("PATTERN_MISMATCH", at, format_args!("{} is not a JSON Pointer", quoted(text)));
                }
            }
            PropertyType::Object(schema) => self.object(value, schema, at),
            PropertyType::ObjectMap(schema) => {
                for (name, member) in value.as_object().into_iter().flatten() {
                    self.property(member, &PropertyType::Object(schema), &at.key(name));
                }
            }
            PropertyType::ObjectList(schema) => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    self.property(item, &PropertyType::Object(schema), &at.item(i));
                }
            }
            PropertyType::Attributes => match value.as_object() {
                Some(map) if map.is_empty() => self.empty(at),
                _ => self.attributes(value, at),
            },
            _ => self.array(value.as_array().map_or(&[], Vec::as_slice), kind, at),
        }
    }

    fn array(&mut self, items: &[Value], kind: &PropertyType, at: &JsonPath<'_>) {
        if items.is_empty() {
            return self.empty(at);
        }
        if let PropertyType::Numbers(lengths, ..) = kind
            && !lengths.is_empty()
            && !lengths.contains(&items.len())
        {
            let message = format_args!("{} numbers, but {} are needed", items.len(), lengths[0]);
            return self.issues.add("ARRAY_LENGTH_NOT_IN_LIST", at, message);
        }
        let (mut indices, mut strings) = (BTreeSet::new(), BTreeSet::new());
        for (i, item) in items.iter().enumerate() {
            let at_item = at.item(i);
            match kind {
                PropertyType::Numbers(_, min, max) => match item.as_f64() {
                    None => self.type_mismatch("ARRAY_TYPE_MISMATCH", item, "a number", at_item),
                    Some(x) if !(min..=max).contains(&&x) || !x.is_finite() => {
                        self.out_of_range(item, format_args!("{min} to {max}"), &at_item);
                    }
                    Some(_) => {}
                },
                PropertyType::Indices => match index(item) {
                    None => self.invalid_index(item, &at_item),
                    Some(index) if !indices.insert(index) => self.duplicate(item, at_item),
                    Some(_) => {}
                },
                PropertyType::Strings => match item.as_str() {
                    None => self.type_mismatch("ARRAY_TYPE_MISMATCH", item, "a string", at_item),
                    Some(text) if !strings.insert(text) => self.duplicate(item, at_item),
                    Some(_) => {}
                },
                PropertyType::Objects(schema) if item.is_object() => self.object(item, schema, &at_item),
                PropertyType::Objects(_) => {
                    // The Khronos validator distinguishes the two.
                    let code = if at.is_in_root() { "TYPE_MISMATCH" } else { "ARRAY_TYPE_MISMATCH" };
                    self.type_mismatch(code, item, "an object", at_item);
                }
                _ => match item.as_object() {
                    None => self.type_mismatch("ARRAY_TYPE_MISMATCH", item, "an object", at_item),
                    Some(map) if map.is_empty() => {
                        self.issues.add("EMPTY_ENTITY", at_item, format_args!("this morph target moves nothing"));
                    }
                    Some(_) => self.attributes(item, &at_item),
                },
            }
        }
    }

    fn attributes(&mut self, value: &Value, at: &JsonPath<'_>) {
        for (name, accessor) in value.as_object().into_iter().flatten() {
            if index(accessor).is_none() {
                self.invalid_index(accessor, &at.key(name));
            }
        }
    }

    fn type_mismatch(&mut self, code: &'static str, value: &Value, expected: &str, at: impl Display) {
        self.issues.add(code, at, format_args!("found {}, expected {expected}", type_name(value)));
    }

    fn out_of_range(&mut self, value: &Value, range: impl Display, at: &JsonPath<'_>) {
        self.issues.add("VALUE_NOT_IN_RANGE", at, format_args!("{} is out of range: {range}", shown(value)));
    }

    fn invalid_index(&mut self, value: &Value, at: &JsonPath<'_>) {
        let value = shown(value);
        let message = format_args!("{value} is not an index: an integer of 0 or more is needed");
        self.issues.add("INVALID_INDEX", at, message);
    }

    fn duplicate(&mut self, item: &Value, at: JsonPath<'_>) {
        self.issues.add("DUPLICATE_ELEMENTS", at, format_args!("{} is listed twice", shown(item)));
    }

    fn empty(&mut self, at: &JsonPath<'_>) {
        self.issues.add("EMPTY_ENTITY", at, format_args!("this is empty; remove it, or export the file again"));
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(number) if number.is_f64() => "a fraction",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A value for a message: numbers and short strings in full, others as their type.
fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => quoted(text),
        other => type_name(other).to_owned(),
    }
}
