//! Diagnostics of an import.

use std::fmt::{self, Display};

/// An element that is not shown as stored, and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// JSON Pointer (RFC 6901) to the element; empty for the whole file.
    pub pointer: String,
    /// One line for the user: lower case, without a full stop, with a hint if there is one.
    pub message: String,
}

impl Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The location of an element, for programs and for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonLocation {
    /// JSON Pointer (RFC 6901).
    pub pointer: String,
    /// For messages, such as `mesh 2 "Body", primitive 0`.
    pub display_name: String,
}

impl JsonLocation {
    /// A property or item of this element.
    pub(super) fn child(&self, pointer: impl Display, display_name: impl Display) -> Self {
        Self {
            pointer: format!("{}/{pointer}", self.pointer),
            display_name: format!("{}, {display_name}", self.display_name),
        }
    }
}

impl Display for JsonLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display_name)
    }
}

/// The diagnostics of one import, in order.
#[derive(Default)]
pub(super) struct Diagnostics {
    list: Vec<Diagnostic>,
    left_out: usize,
}

impl Diagnostics {
    /// A hostile file could cause millions.
    const MAX: usize = 1000;

    /// Adds `place: message`.
    pub(super) fn add(&mut self, place: &JsonLocation, message: impl Display) {
        self.push(place.pointer.clone(), format!("{place}: {message}"));
    }

    /// Adds a message that already names its element.
    pub(super) fn push(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        if self.list.len() < Self::MAX {
            self.list.push(Diagnostic { pointer: pointer.into(), message: message.into() });
        } else {
            self.left_out += 1;
        }
    }

    /// Returns all diagnostics; the last one counts those above the maximum.
    pub(super) fn into_vec(mut self) -> Vec<Diagnostic> {
        if self.left_out > 0 {
            let message = format!("{} more notices are not listed", self.left_out);
            self.list.push(Diagnostic { pointer: String::new(), message });
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_notices_are_counted() {
        let mut diagnostics = Diagnostics::default();
        for i in 0..1500 {
            diagnostics.push("", format!("{i}"));
        }
        let list = diagnostics.into_vec();
        assert_eq!((list.len(), list[1000].message.as_str()), (1001, "500 more notices are not listed"));
    }
}
