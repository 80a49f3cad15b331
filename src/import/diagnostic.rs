//! What an import says beside the model: where in the file, and in which words.

use std::fmt::{self, Display};

/// Something in the file that could not be shown as it stands, and what was done instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// JSON Pointer (RFC 6901) to the element; empty for the whole file.
    pub pointer: String,
    /// One line for the user: lower case, without a full stop, with the cure where there is one.
    pub message: String,
}

impl Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// An element of the file: how JSON finds it, and how a message calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// JSON Pointer (RFC 6901).
    pub pointer: String,
    /// For messages, such as `mesh 2 "Body", primitive 0`.
    pub label: String,
}

impl Place {
    /// A part of this element.
    pub(super) fn part(&self, pointer: impl Display, label: impl Display) -> Self {
        Self { pointer: format!("{}/{pointer}", self.pointer), label: format!("{}, {label}", self.label) }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label)
    }
}

/// The notices of one import, in the order in which they came up.
#[derive(Default)]
pub(super) struct Diagnostics {
    list: Vec<Diagnostic>,
    left_out: usize,
}

impl Diagnostics {
    /// More than these help nobody, and a hostile file could ask for millions.
    const MAX: usize = 1000;

    /// Adds `place: message`.
    pub(super) fn add(&mut self, place: &Place, message: impl Display) {
        self.push(place.pointer.clone(), format!("{place}: {message}"));
    }

    /// Adds a message that names its element itself.
    pub(super) fn push(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        if self.list.len() < Self::MAX {
            self.list.push(Diagnostic { pointer: pointer.into(), message: message.into() });
        } else {
            self.left_out += 1;
        }
    }

    /// All of them; the last one counts those that were too many.
    pub(super) fn into_vec(mut self) -> Vec<Diagnostic> {
        if self.left_out > 0 {
            let message = format!("{} more notices are not listed", self.left_out);
            self.list.push(Diagnostic { pointer: String::new(), message });
        }
        self.list
    }
}

/// `text` from a file, in quotes, made fit for one line of a terminal: at most 80 characters, none of them invisible.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", plain(text))
}

/// As [`quoted`], without the quotes.
pub(super) fn plain(text: &str) -> String {
    escaped(text, 80)
}

/// The first `most` characters of `text`, none of them invisible.
pub(super) fn escaped(text: &str, most: usize) -> String {
    let mut out = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == most {
            out.push('…');
            break;
        }
        // Control characters move a terminal's cursor; the others turn the direction of text or have no width.
        let hidden = matches!(u32::from(c), 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff);
        if c.is_control() || hidden {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// `count` things: `1 vertex`, `2 vertices`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_a_file_is_made_harmless_and_short() {
        assert_eq!(quoted("Body"), "\"Body\"");
        assert_eq!(quoted("a\u{1b}[2J\nb"), "\"a\\u{1b}[2J\\nb\"");
        assert_eq!(quoted("\u{202e}exe"), "\"\\u{202e}exe\"");
        assert_eq!(quoted(&"é".repeat(100)).chars().count(), 83);
    }

    #[test]
    fn too_many_notices_are_counted() {
        let mut notices = Diagnostics::default();
        for i in 0..1500 {
            notices.push("", format!("{i}"));
        }
        let list = notices.into_vec();
        assert_eq!((list.len(), list[1000].message.as_str()), (1001, "500 more notices are not listed"));
    }
}
