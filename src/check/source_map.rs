//! Where each element stands in the JSON text, so that issues can be told in that order and with their line.

use std::collections::{BTreeMap, BTreeSet};

/// Where issues' elements stand in a JSON text.
#[derive(Default)]
pub(super) struct SourceMap {
    /// Offset in the text and line, from 1.
    places: BTreeMap<String, (usize, u32)>,
}

/// A list or object that is open at some point of the text.
struct Open {
    /// Length of the pointer in front of its last step.
    pointer: usize,
    /// The next item of a list; `None` in an object.
    item: Option<usize>,
}

impl SourceMap {
    /// Looks for the elements that `pointers` name, and those around them, in text that has been parsed before.
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
                        // A key as long as the file is part of no pointer.
                        if raw.len() <= 6000 {
                            let key: String = serde_json::from_slice(raw).unwrap_or_default();
                            pointer.push('/');
                            pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                        }
                        found.note(&pointer, at, line, pointers);
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
                        found.note(&pointer, at + 1, line, pointers);
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
                                found.note(&pointer, at + 1, line, pointers);
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

    fn note(&mut self, pointer: &str, at: usize, line: u32, pointers: &BTreeSet<&str>) {
        if pointers.contains(pointer) {
            self.places.entry(pointer.to_owned()).or_insert((at, line));
        }
    }

    /// Where the element stands, or the nearest one around it that is known.
    pub(super) fn place(&self, pointer: &str) -> (usize, u32) {
        ancestors(pointer).find_map(|pointer| self.places.get(pointer).copied()).unwrap_or((0, 1))
    }
}

/// A pointer and those of the elements around it, inside out, without the root.
pub(super) fn ancestors(pointer: &str) -> impl Iterator<Item = &str> {
    fn named(pointer: &str) -> Option<&str> {
        Some(pointer).filter(|pointer| !pointer.is_empty())
    }
    std::iter::successors(named(pointer), |inner| named(&inner[..inner.rfind('/')?]))
}

/// The place of the quotation mark that ends a string.
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
    fn elements_are_found_where_they_stand() {
        let text = b"{\"b\": [1,\n {\"x\": \"a,]\\\"\"}],\n\"a/c\": {}}";
        let pointers = BTreeSet::from(["/b/0", "/b/1/x", "/a~1c", "/b/1/y", "/b/1"]);
        let order = SourceMap::new(text, &pointers);
        assert_eq!(order.place("/b/0").1, 1);
        assert_eq!(order.place("/b/1/x").1, 2);
        assert_eq!(order.place("/a~1c").1, 3);
        assert_eq!(order.place("/b/1/y"), order.place("/b/1"), "what is missing is where it should be");
        assert!(order.place("/b/0") < order.place("/a~1c"));
        assert_eq!(order.place(""), (0, 1));
    }
}
