//! Normalizes the JSON of a glTF file by the schemas, and estimates its memory use before it is parsed.

use crate::schema::{MAX_INTEGER, Presence, Property, PropertyType, ROOT, Schema, extended_objects, integer};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

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

/// The consequence of a fault in the JSON.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Consequence {
    /// The value, null or -1, is read as absent.
    ReadAsAbsent,
    /// The property is ignored.
    Ignored,
    /// The object is left out, since it has no meaning without the property.
    LeftOut,
}

/// A fault in the JSON, or several of the same kind.
pub(super) struct Fault {
    /// Keys and indices of the first one.
    pub(super) path: Vec<String>,
    pub(super) problem: String,
    pub(super) consequence: Consequence,
    pub(super) count: usize,
}

/// Normalizes the JSON for the types of the `gltf` crate. Returns the faults.
///
/// Those types reject `1.0` as an integer, truncate an index to 32 bits, and accept an array as an object. Only properties
/// that the schemas know are read. An item of an array that has no meaning becomes null, so that indices stay valid.
///
/// # Errors
/// The fault, if a property that the scene depends on is invalid.
pub(super) fn normalize(root: &mut Map<String, Value>) -> Result<Vec<Fault>, Fault> {
    let mut normalizer = Normalizer::default();
    let result = normalizer.object(root, &ROOT, &Path::Root);
    match (result, normalizer.last) {
        (Err(Broken), Some(fault)) => Err(fault),
        _ => Ok(normalizer.faults.into_values().collect()),
    }
}

/// The object has no meaning. The fault is recorded.
struct Broken;

/// Keys and indices from the root.
enum Path<'a> {
    Root,
    Key(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn steps(&self) -> Vec<String> {
        let (mut steps, mut path) = (Vec::new(), self);
        loop {
            path = match path {
                Self::Root => break,
                Self::Key(parent, key) => {
                    steps.push((*key).to_owned());
                    parent
                }
                Self::Index(parent, index) => {
                    steps.push(index.to_string());
                    parent
                }
            };
        }
        steps.reverse();
        steps
    }
}

/// The value of a property, after normalization.
enum Normalized {
    Valid,
    /// The property is removed.
    Absent,
    Invalid,
}

/// A property of an object in the file.
#[derive(Clone, Copy)]
struct Site<'a> {
    schema: &'static str,
    property: &'static str,
    /// The consequence of an invalid value.
    consequence: Consequence,
    at: &'a Path<'a>,
}

#[derive(Default)]
struct Normalizer {
    /// By schema, property, consequence and problem.
    faults: BTreeMap<(&'static str, &'static str, Consequence, String), Fault>,
    /// The last fault that left out an object.
    last: Option<Fault>,
}

impl Normalizer {
    fn report(&mut self, site: Site<'_>, problem: impl Into<String>) {
        let Site { schema, property, consequence, at } = site;
        let problem = problem.into();
        if consequence == Consequence::LeftOut {
            self.last = Some(Fault { path: at.steps(), problem: problem.clone(), consequence, count: 1 });
        }
        let key = (schema, property, consequence, problem.clone());
        self.faults.entry(key).or_insert_with(|| Fault { path: at.steps(), problem, consequence, count: 0 }).count += 1;
    }

    fn report_absent(&mut self, site: Site<'_>, value: &Value) {
        self.report(Site { consequence: Consequence::ReadAsAbsent, ..site }, value.to_string());
    }

    fn object(&mut self, map: &mut Map<String, Value>, schema: &'static Schema, at: &Path<'_>) -> Result<(), Broken> {
        for property in schema.properties {
            let consequence = match property.presence {
                Presence::Optional => Consequence::Ignored,
                Presence::Essential | Presence::Required => Consequence::LeftOut,
            };
            let path = Path::Key(at, property.name);
            let site = Site { schema: schema.name, property: property.name, consequence, at: &path };
            match self.member(map, property, site) {
                Normalized::Valid => continue,
                Normalized::Absent => {}
                Normalized::Invalid if property.presence == Presence::Optional => {}
                Normalized::Invalid => return Err(Broken),
            }
            map.remove(property.name);
            if property.presence == Presence::Required {
                self.report(Site { at, ..site }, format!("{} is missing", property.name));
                return Err(Broken);
            }
        }
        self.extension_objects(map, schema, at);
        Ok(())
    }

    fn member(&mut self, map: &mut Map<String, Value>, property: &'static Property, site: Site<'_>) -> Normalized {
        let has_type = map.get("type").and_then(Value::as_str) == Some(property.name);
        let Some(value) = map.get_mut(property.name) else { return Normalized::Absent };
        match &property.kind {
            PropertyType::ObjectOfType(schema) if has_type || value.is_object() => {
                self.value(value, &PropertyType::Object(schema), site)
            }
            // Without its `type`, the property is ignored.
            PropertyType::ObjectOfType(_) => Normalized::Absent,
            kind => self.value(value, kind, site),
        }
    }

    fn extension_objects(&mut self, map: &mut Map<String, Value>, schema: &'static Schema, at: &Path<'_>) {
        let at = &Path::Key(at, "extensions");
        let site = Site { schema: schema.name, property: "extensions", consequence: Consequence::Ignored, at };
        match map.get_mut("extensions") {
            None => {}
            Some(Value::Object(extensions)) => extensions.retain(|name, value| {
                let at = &Path::Key(at, name);
                match value {
                    Value::Object(object) => {
                        // The decoders report their faults, and a license without a name must not cost the expressions of VRM.
                        let is_exempt = name.ends_with("_compression") || name.starts_with("VRM");
                        let objects = extended_objects(name).filter(|_| !is_exempt).unwrap_or_default();
                        let inner = objects.iter().find(|(object, _)| *object == schema.name);
                        inner.is_none_or(|(_, inner)| self.object(object, inner, at).is_ok())
                    }
                    value => {
                        self.not_an_object(value, Site { at, ..site });
                        false
                    }
                }
            }),
            Some(value) => {
                self.not_an_object(value, site);
                map.remove("extensions");
            }
        }
    }

    fn not_an_object(&mut self, value: &Value, site: Site<'_>) {
        match value {
            Value::Null => self.report_absent(site, value),
            _ => self.report(site, "this is not an object"),
        }
    }

    fn value(&mut self, value: &mut Value, kind: &PropertyType, site: Site<'_>) -> Normalized {
        if value.is_null() {
            self.report_absent(site, value);
            return Normalized::Absent;
        }
        let (expected, has_type) = kind.json_type();
        if !has_type(value) {
            self.report(site, format!("this is not {expected}"));
            return Normalized::Invalid;
        }
        let is_valid = match (kind, value) {
            // Older exporters write -1 for no index or no value, and 0 for contiguous elements.
            (PropertyType::Index | PropertyType::IntEnum(_), value) if integer(value) == Some(-1) => {
                self.report_absent(site, value);
                return Normalized::Absent;
            }
            (PropertyType::Integer(min, max), value)
                if *max < MAX_INTEGER && (integer(value) == Some(-1) || *min > 0 && integer(value) == Some(0)) =>
            {
                self.report_absent(site, value);
                return Normalized::Absent;
            }
            (PropertyType::Index | PropertyType::IntEnum(_), value) => self.integer(value, u32::MAX.into(), site),
            (PropertyType::Integer(..), value) => {
                // The uses of a size report that it is too large.
                if integer(value).is_some_and(|found| found > i128::from(u64::MAX)) {
                    *value = Value::from(u64::MAX);
                }
                self.integer(value, u64::MAX, site)
            }
            (PropertyType::Numbers(lengths, ..), Value::Array(items)) => {
                let is_valid =
                    (lengths.is_empty() || lengths.contains(&items.len())) && items.iter().all(Value::is_number);
                if !is_valid {
                    let count = lengths.first().map(|length| format!("{length} ")).unwrap_or_default();
                    self.report(site, format!("these are not {count}numbers"));
                }
                is_valid
            }
            (PropertyType::Indices, Value::Array(items)) => {
                let (mut position, count) = (0.., items.len());
                items.retain_mut(|item| {
                    let at = &Path::Index(site.at, position.next().unwrap_or_default());
                    self.integer(item, u32::MAX.into(), Site { at, ..site })
                });
                items.len() == count || site.consequence == Consequence::Ignored
            }
            (PropertyType::Object(schema), Value::Object(map)) => self.object(map, schema, site.at).is_ok(),
            (PropertyType::Objects(schema) | PropertyType::ObjectList(schema), Value::Array(items)) => {
                for (i, item) in items.iter_mut().enumerate() {
                    let at = &Path::Index(site.at, i);
                    let is_valid = match item {
                        Value::Object(map) => self.object(map, schema, at).is_ok(),
                        _ => {
                            let consequence = Consequence::LeftOut;
                            self.report(Site { at, consequence, ..site }, "this is not an object");
                            false
                        }
                    };
                    if !is_valid {
                        *item = if schema.name == "mesh.primitive" { json!({ "attributes": {} }) } else { Value::Null };
                    }
                }
                true
            }
            (PropertyType::Attributes, Value::Object(map)) => {
                self.attributes(map, site);
                true
            }
            (PropertyType::MorphTargets, Value::Array(items)) => {
                for (i, item) in items.iter_mut().enumerate() {
                    let site = Site { at: &Path::Index(site.at, i), ..site };
                    if let Value::Object(map) = item {
                        self.attributes(map, site);
                    } else {
                        self.not_an_object(item, site);
                        *item = json!({});
                    }
                }
                true
            }
            _ => true,
        };
        if is_valid { Normalized::Valid } else { Normalized::Invalid }
    }

    /// Normalizes an integer from 0 to `max`. Reports any other value, and returns `false`.
    fn integer(&mut self, value: &mut Value, max: u64, site: Site<'_>) -> bool {
        let Some(found) = integer(value).filter(|found| (0..=i128::from(max)).contains(found)) else {
            let max = if max == u64::MAX { String::new() } else { format!(" to {max}") };
            self.report(site, format!("this is not an integer from 0{max}"));
            return false;
        };
        if !value.is_u64() {
            *value = Value::from(found as u64);
        }
        true
    }

    /// Removes attributes without an accessor index.
    fn attributes(&mut self, map: &mut Map<String, Value>, site: Site<'_>) {
        map.retain(|name, value| {
            let site = Site { consequence: Consequence::Ignored, at: &Path::Key(site.at, name), ..site };
            if value.is_null() || integer(value) == Some(-1) {
                self.report_absent(site, value);
                return false;
            }
            self.integer(value, u32::MAX.into(), site)
        });
    }
}
