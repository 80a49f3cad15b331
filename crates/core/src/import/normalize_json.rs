//! Normalizes the JSON of a glTF file, and estimates its memory use before it is parsed.

use super::arrays::ROOT_ARRAYS;
use serde_json::Value;

/// Estimates the memory of the parsed JSON in bytes.
///
/// Counts objects, which are costly, and values separated by commas: `[0,0,0,...` needs sixteen times its length.
pub(super) fn estimate_parsed_size(text: &[u8]) -> u64 {
    const OBJECT: u64 = 700;
    const VALUE: u64 = 80;
    let mut estimate = text.len() as u64;
    let mut rest = text;
    while let [byte, tail @ ..] = rest {
        rest = tail;
        match byte {
            b'"' => rest = skip_string(tail),
            b'{' => estimate += OBJECT,
            b',' | b'[' => estimate += VALUE,
            _ => {}
        }
    }
    estimate
}

/// Returns the text after a string. `text` starts after the opening quote.
fn skip_string(mut text: &[u8]) -> &[u8] {
    loop {
        // Embedded buffers are strings of megabytes, so blocks without a quote are skipped at once.
        while let Some((block, tail)) = text.split_first_chunk::<32>()
            && !block.iter().fold(false, |found, byte| found | (*byte == b'"') | (*byte == b'\\'))
        {
            text = tail;
        }
        match text {
            [b'"', tail @ ..] => return tail,
            [b'\\', _, tail @ ..] | [_, tail @ ..] => text = tail,
            [] => return text,
        }
    }
}

/// An error of [`normalize`].
pub(super) struct NormalizeError {
    /// Keys and indices, from the innermost outwards.
    pub(super) path: Vec<String>,
    pub(super) problem: &'static str,
}

/// The kind of object that is normalized.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Scope {
    Core,
    Extension,
}

/// Normalizes the JSON for the types of the `gltf` crate.
///
/// Those types reject `1.0` as an integer, truncate an index to 32 bits, and accept an array as an object. Recursion is
/// safe, since the parser rejects nesting deeper than 128.
pub(super) fn normalize(value: &mut Value, key: &str, scope: Scope) -> Result<(), NormalizeError> {
    match value {
        Value::Number(number) => {
            let is_64_bit = matches!(key, "byteLength" | "byteOffset" | "byteStride" | "count");
            let max = if is_64_bit { (1u64 << 53) as f64 } else { f64::from(u32::MAX) };
            if let Some(integer) = number.as_u64() {
                // An index above 32 bits would be truncated. The `gltf` crate rejects a float.
                if !is_64_bit && integer > u64::from(u32::MAX) {
                    *value = Value::from(integer as f64);
                }
            } else if let Some(float) =
                number.as_f64().filter(|x| x.is_sign_positive() && x.fract() == 0.0 && *x <= max)
            {
                *value = Value::from(float as u64);
            }
            Ok(())
        }
        Value::Array(items) => {
            let has_objects = scope == Scope::Core && is_array_of_objects(key);
            for (i, item) in items.iter_mut().enumerate() {
                if has_objects && !item.is_object() {
                    return Err(NormalizeError { path: vec![i.to_string()], problem: "this is not an object" });
                }
                normalize(item, key, scope).map_err(|error| error.within(i))?;
            }
            Ok(())
        }
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                if name == "extras" {
                    continue;
                }
                if scope == Scope::Core {
                    if is_array_of_objects(name) && !member.is_array() {
                        return Err(NormalizeError { path: vec![name.clone()], problem: "this is not an array" });
                    }
                    if is_object(name) && member.is_array() {
                        return Err(NormalizeError { path: vec![name.clone()], problem: "this is not an object" });
                    }
                }
                let scope = if name == "extensions" { Scope::Extension } else { scope };
                normalize(member, name, scope).map_err(|error| error.within(name))?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

impl NormalizeError {
    fn within(mut self, step: impl ToString) -> Self {
        self.path.push(step.to_string());
        self
    }
}

fn is_array_of_objects(key: &str) -> bool {
    ROOT_ARRAYS.iter().any(|(name, _)| *name == key) && key != "nodes"
        || matches!(key, "channels" | "primitives" | "targets")
}

fn is_object(key: &str) -> bool {
    key.ends_with("Texture")
        || matches!(
            key,
            "asset"
                | "attributes"
                | "extensions"
                | "orthographic"
                | "perspective"
                | "pbrMetallicRoughness"
                | "sparse"
                | "target"
        )
}
