//! Offsets and lines of JSON values in the text, to sort issues and to give them lines.

use rigview_core::gltf_format::json_pointer::escape;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum bytes of a key in JSON that [`JsonPath`](super::json_path::JsonPath) can contain, all characters escaped.
const MAX_RAW_KEY_BYTES: usize = 6000;

#[derive(Default)]
pub(super) struct SourceMap {
    /// Byte offset and line, from 1, by JSON Pointer.
    locations: BTreeMap<String, (usize, u32)>,
}

/// An array or object that is not closed yet.
struct Open {
    /// Bytes of the pointer before its last token.
    pointer: usize,
    /// Index of the current item of an array; `None` in an object.
    item: Option<usize>,
}

impl SourceMap {
    /// Locates the values at `pointers` in valid JSON.
    pub(super) fn new(text: &[u8], pointers: &BTreeSet<&str>) -> Self {
        let mut found = Self::default();
        let mut open: Vec<Open> = Vec::new();
        let mut pointer = String::new();
        let (mut at, mut line) = (0, 1);
        let mut key_next = false;
        while let Some(byte) = text.get(at) {
            match byte {
                b'\n' => line += 1,
                b'"' => {
                    let end = string_end(text, at + 1);
                    if key_next && let Some(top) = open.last() {
                        pointer.truncate(top.pointer);
                        let raw = text.get(at..=end).unwrap_or_default();
                        // Longer keys are not part of a `JsonPath` either.
                        if raw.len() <= MAX_RAW_KEY_BYTES {
                            let key: String = serde_json::from_slice(raw).unwrap_or_default();
                            pointer.push('/');
                            pointer.push_str(&escape(&key));
                        }
                        found.add(&pointer, at, line, pointers);
                        key_next = false;
                    }
                    at = end;
                }
                b'{' | b'[' => {
                    let item = (*byte == b'[').then_some(0);
                    open.push(Open { pointer: pointer.len(), item });
                    key_next = item.is_none();
                    if item.is_some() {
                        pointer.push_str("/0");
                        found.add(&pointer, at + 1, line, pointers);
                    }
                }
                b',' => {
                    if let Some(top) = open.last_mut() {
                        pointer.truncate(top.pointer);
                        match &mut top.item {
                            Some(item) => {
                                *item += 1;
                                pointer.push('/');
                                pointer.push_str(&item.to_string());
                                found.add(&pointer, at + 1, line, pointers);
                            }
                            None => key_next = true,
                        }
                    }
                }
                b'}' | b']' => {
                    if let Some(top) = open.pop() {
                        pointer.truncate(top.pointer);
                    }
                    key_next = false;
                }
                _ => {}
            }
            at += 1;
        }
        found
    }

    fn add(&mut self, pointer: &str, at: usize, line: u32, pointers: &BTreeSet<&str>) {
        if pointers.contains(pointer) {
            self.locations.entry(pointer.to_owned()).or_insert((at, line));
        }
    }

    /// Byte offset and line of the value, or of its nearest known ancestor.
    pub(super) fn locate(&self, pointer: &str) -> (usize, u32) {
        ancestors(pointer).find_map(|pointer| self.locations.get(pointer).copied()).unwrap_or((0, 1))
    }
}

/// A pointer and those of its ancestors, from the inside out, without the root.
pub(super) fn ancestors(pointer: &str) -> impl Iterator<Item = &str> {
    fn named(pointer: &str) -> Option<&str> {
        Some(pointer).filter(|pointer| !pointer.is_empty())
    }
    std::iter::successors(named(pointer), |inner| named(&inner[..inner.rfind('/')?]))
}

/// The position of the closing quotation mark.
fn string_end(text: &[u8], mut at: usize) -> usize {
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => break,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_located_by_pointer() {
        let text = b"{\"b\": [1,\n {\"x\": \"a,]\\\"\"}],\n\"a/c\": {}}";
        let pointers = BTreeSet::from(["/b/0", "/b/1/x", "/a~1c", "/b/1/y", "/b/1"]);
        let map = SourceMap::new(text, &pointers);
        assert_eq!(map.locate("/b/0").1, 1);
        assert_eq!(map.locate("/b/1/x").1, 2);
        assert_eq!(map.locate("/a~1c").1, 3);
        assert_eq!(map.locate("/b/1/y"), map.locate("/b/1"), "a missing value is at its parent");
        assert!(map.locate("/b/0") < map.locate("/a~1c"));
        assert_eq!(map.locate(""), (0, 1));
    }
}
