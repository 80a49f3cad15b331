//! Path of a JSON value from the root, written out as a JSON Pointer (RFC 6901) only when an issue needs it.

use rigview_core::gltf_format::json_pointer::escape;
use std::fmt::{self, Display};

/// Maximum bytes of a key in a pointer; a key can be as long as the file.
const MAX_KEY_BYTES: usize = 1000;

#[derive(Clone, Copy)]
pub(super) struct JsonPath<'a> {
    parent: Option<&'a JsonPath<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

impl<'a> JsonPath<'a> {
    pub(super) const ROOT: JsonPath<'static> = JsonPath { parent: None, step: Step::Root };

    pub(super) fn key(&'a self, key: &'a str) -> Self {
        Self { parent: Some(self), step: Step::Key(key) }
    }

    pub(super) fn item(&'a self, index: usize) -> Self {
        Self { parent: Some(self), step: Step::Index(index) }
    }

    /// Returns `true` for a direct member of the document.
    pub(super) fn is_in_root(&self) -> bool {
        self.parent.is_some_and(|parent| parent.parent.is_none())
    }

    pub(super) fn parent(&self) -> JsonPath<'a> {
        self.parent.copied().unwrap_or(JsonPath::ROOT)
    }
}

impl Display for JsonPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.step {
            Step::Index(index) => write!(f, "/{index}"),
            Step::Key(key) if key.len() <= MAX_KEY_BYTES => write!(f, "/{}", escape(key)),
            Step::Root | Step::Key(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointer_escapes_keys() {
        let at = JsonPath::ROOT.key("a/b~c");
        assert_eq!(at.item(3).to_string(), "/a~1b~0c/3");
        assert_eq!(JsonPath::ROOT.to_string(), "");
    }
}
