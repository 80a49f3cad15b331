//! Diagnostics of an import.

use super::limits::PolicyChange;
use std::fmt::{self, Display};

/// A non-fatal finding: an element that is ignored, replaced or repaired.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// JSON Pointer (RFC 6901) to the element; empty for the whole file.
    pub pointer: String,
    /// One line for the user: lower case, without a full stop. It may end with a hint.
    pub message: String,
    /// The change of the policy that avoids it, if there is one.
    pub policy_change: Option<PolicyChange>,
    /// What it says about the file.
    pub kind: DiagnosticKind,
}

/// What a diagnostic says about the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiagnosticKind {
    /// An element is damaged, and is left out or replaced.
    LeftOut,
    /// An element is valid, but not supported, and is left out or replaced.
    Unsupported,
    /// Anything else.
    #[default]
    Note,
}

impl Diagnostic {
    /// Creates a note that no change of the policy avoids.
    pub fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into(), policy_change: None, kind: DiagnosticKind::Note }
    }

    /// Returns `true` if it is about the whole file, its skeleton or its clips, and so concerns clips that are copied to another model.
    pub fn is_about_motion(&self) -> bool {
        let part = self.pointer.split('/').nth(1).unwrap_or_default();
        ["", "nodes", "skins", "animations", "extensions"].contains(&part)
    }
}

impl Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The reason why data is not available.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct Problem {
    /// One line for the user: lower case, without a full stop. It may end with a hint.
    pub message: String,
    /// The change of the policy that makes the data available, if there is one.
    pub policy_change: Option<PolicyChange>,
}

impl From<String> for Problem {
    fn from(message: String) -> Self {
        Self { message, policy_change: None }
    }
}

impl From<&str> for Problem {
    fn from(message: &str) -> Self {
        message.to_owned().into()
    }
}

impl Problem {
    /// Returns a problem that `change` solves.
    pub(super) fn with_change(message: String, change: PolicyChange) -> Self {
        Self { message, policy_change: Some(change) }
    }
}

/// The location of an element, for programs and for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JsonLocation {
    /// JSON Pointer (RFC 6901).
    pub pointer: String,
    /// For messages, such as `mesh 2 "Body", primitive 0`.
    pub display_name: String,
}

impl JsonLocation {
    /// Returns the location of a property or item of this element.
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
