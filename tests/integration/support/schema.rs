//! Validation by the JSON schemas of `docs/schemas`, as far as those use the language.

use serde_json::Value;
use std::path::Path;

/// A schema of `docs/schemas`.
pub(crate) fn schema(name: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schemas").join(name);
    serde_json::from_str(&std::fs::read_to_string(file).expect("a schema")).expect("JSON")
}

/// Checks `value`. The error is the place and the keyword. A keyword that is not implemented panics.
pub(crate) fn validate(schema: &Value, value: &Value, place: &str) -> Result<(), String> {
    let fields = schema.as_object().expect("a schema is an object");
    for (keyword, expected) in fields {
        let list = || expected.as_array().expect("an array");
        let has_type = |name: &Value| match name.as_str().expect("a type") {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            "number" => value.is_number(),
            "integer" => value.is_u64() || value.is_i64(),
            other => panic!("type {other}"),
        };
        let number = |holds: fn(f64, f64) -> bool| {
            value.as_f64().is_none_or(|value| holds(value, expected.as_f64().expect("a number")))
        };
        let count = |holds: fn(usize, usize) -> bool| {
            let expected = expected.as_u64().expect("a count") as usize;
            value.as_array().is_none_or(|items| holds(items.len(), expected))
        };
        let holds = match keyword.as_str() {
            "$schema" | "title" | "description" | "additionalProperties" | "pattern" => true,
            "type" => {
                if expected.is_array() {
                    list().iter().any(has_type)
                } else {
                    has_type(expected)
                }
            }
            "const" => value == expected,
            "enum" => list().contains(value),
            "minimum" => number(|value, limit| value >= limit),
            "maximum" => number(|value, limit| value <= limit),
            "minItems" => count(|items, limit| items >= limit),
            "maxItems" => count(|items, limit| items <= limit),
            "oneOf" => {
                let results: Vec<_> = list().iter().map(|schema| validate(schema, value, place)).collect();
                let errors: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
                if errors.len() + 1 != results.len() {
                    return Err(format!("{place}: {errors:?}"));
                }
                true
            }
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    validate(expected, item, &format!("{place}/{i}"))?;
                }
                true
            }
            "required" => value
                .as_object()
                .is_none_or(|value| list().iter().all(|name| value.contains_key(name.as_str().expect("a name")))),
            "properties" => {
                for (name, value) in value.as_object().into_iter().flatten() {
                    let place = format!("{place}/{name}");
                    let schema = expected.get(name).ok_or_else(|| format!("{place} is not in the schema"))?;
                    validate(schema, value, &place)?;
                }
                true
            }
            other => panic!("keyword {other}"),
        };
        if !holds {
            return Err(format!("{place}: {keyword} {expected}, not {value}"));
        }
    }
    Ok(())
}
