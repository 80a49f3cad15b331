//! Diagnostics of an import.

use super::limits::PolicyChange;
use std::fmt::{self, Display};

/// A non-fatal finding: an element that is ignored, replaced or repaired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// JSON Pointer (RFC 6901) to the element; empty for the whole file.
    pub pointer: String,
    /// One line for the user: lower case, without a full stop. It may end with a hint.
    pub message: String,
    /// The change of the policy that avoids it, if there is one.
    pub policy_change: Option<PolicyChange>,
}

impl Diagnostic {
    /// Creates a diagnostic that no change of the policy avoids.
    pub fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into(), policy_change: None }
    }
}

impl Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The reason why data is not available.
#[derive(Clone, Debug, PartialEq, Eq)]
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

impl Display for Problem {
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

/// The diagnostics of one import, in order.
#[derive(Default)]
pub(super) struct Diagnostics {
    list: Vec<Diagnostic>,
    dropped_count: usize,
}

impl Diagnostics {
    /// Maximum number of diagnostics. A hostile file could cause millions.
    const MAX_COUNT: usize = 1000;

    /// Adds `location: message`.
    pub(super) fn add(&mut self, location: &JsonLocation, message: impl Display) {
        self.push(location.pointer.clone(), format!("{location}: {message}"));
    }

    /// Adds `location: problem`, followed by the text `effect`.
    pub(super) fn add_problem(&mut self, location: &JsonLocation, problem: &Problem, effect: impl Display) {
        self.push_diagnostic(Diagnostic {
            policy_change: problem.policy_change,
            ..Diagnostic::new(location.pointer.as_str(), format!("{location}: {problem}{effect}"))
        });
    }

    /// Adds a message that already names its element.
    pub(super) fn push(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        self.push_diagnostic(Diagnostic::new(pointer, message));
    }

    fn push_diagnostic(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < Self::MAX_COUNT {
            self.list.push(diagnostic);
        } else {
            self.dropped_count += 1;
        }
    }

    /// Returns all diagnostics; the last one counts those above the maximum.
    pub(super) fn into_vec(mut self) -> Vec<Diagnostic> {
        if self.dropped_count > 0 {
            let message = format!("{} more diagnostics are not listed", self.dropped_count);
            self.list.push(Diagnostic::new("", message));
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics_above_the_maximum_are_counted() {
        let mut diagnostics = Diagnostics::default();
        for i in 0..1500 {
            diagnostics.push("", format!("{i}"));
        }
        let list = diagnostics.into_vec();
        assert_eq!((list.len(), list[1000].message.as_str()), (1001, "500 more diagnostics are not listed"));
    }
}
