//! What is done to JSON before it is taken for glTF: it is weighed before it is parsed, and mended after.

use super::arrays::ROOT_ARRAYS;
use serde_json::Value;

/// About how many bytes of memory the parsed JSON will take.
///
/// Counted are objects, which are costly, and what commas part; `[0,0,0,...` takes sixteen times its length.
pub(super) fn estimate_parsed_size(text: &[u8]) -> u64 {
    const OBJECT: u64 = 700;
    const VALUE: u64 = 80;
    let mut weight = text.len() as u64;
    let mut rest = text;
    while let [byte, tail @ ..] = rest {
        rest = tail;
        match byte {
            b'"' => rest = behind_string(tail),
            b'{' => weight += OBJECT,
            b',' | b'[' => weight += VALUE,
            _ => {}
        }
    }
    weight
}

/// What stands behind a string whose first character `text` begins with.
fn behind_string(mut text: &[u8]) -> &[u8] {
    loop {
        // Embedded buffers are strings of megabytes: go by blocks that hold no end.
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

/// Why the mending pass gave up; the path runs from the inside out.
pub(super) struct Fault {
    pub(super) path: Vec<String>,
    pub(super) problem: &'static str,
}

/// Which part of the file the mending pass is in.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Scope {
    Core,
    Extension,
}

/// Makes the JSON fit for the types of the `gltf` crate.
///
/// They read `1.0` as no integer, cut an index to 32 bits, and take a list for an object; each would refuse a good
/// file or accept a bad one. Recursion is safe, since the parser refuses what is nested deeper than 128.
pub(super) fn normalize(value: &mut Value, key: &str, inside: Scope) -> Result<(), Fault> {
    match value {
        Value::Number(number) => {
            let long = matches!(key, "byteLength" | "byteOffset" | "byteStride" | "count");
            let max = if long { (1u64 << 53) as f64 } else { f64::from(u32::MAX) };
            if let Some(integer) = number.as_u64() {
                // An index that needs more than 32 bits would lose its upper ones; as a float it is refused by name.
                if !long && integer > u64::from(u32::MAX) {
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
            let objects = inside == Scope::Core && is_list_of_objects(key);
            for (i, item) in items.iter_mut().enumerate() {
                if objects && !item.is_object() {
                    return Err(Fault { path: vec![i.to_string()], problem: "this is not an object" });
                }
                normalize(item, key, inside).map_err(|fault| fault.within(i))?;
            }
            Ok(())
        }
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                if name == "extras" {
                    continue;
                }
                if inside == Scope::Core {
                    if is_list_of_objects(name) && !member.is_array() {
                        return Err(Fault { path: vec![name.clone()], problem: "this is not a list" });
                    }
                    if is_object(name) && member.is_array() {
                        return Err(Fault { path: vec![name.clone()], problem: "this is not an object" });
                    }
                }
                let inside = if name == "extensions" { Scope::Extension } else { inside };
                normalize(member, name, inside).map_err(|fault| fault.within(name))?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

impl Fault {
    fn within(mut self, step: impl ToString) -> Self {
        self.path.push(step.to_string());
        self
    }
}

fn is_list_of_objects(key: &str) -> bool {
    ROOT_ARRAYS.iter().any(|(list, _)| *list == key) && key != "nodes"
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
