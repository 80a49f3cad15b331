//! The diagnostics of one import while it runs.

use super::diagnostic::{Diagnostic, DiagnosticKind, JsonLocation, Problem};
use super::error::ImportError;
use std::fmt::Display;

/// The consequence of an error for its element.
pub(super) const LEFT_OUT: &str = "it is left out";

/// The diagnostics of one import, in order.
#[derive(Default)]
pub(super) struct Diagnostics {
    list: Vec<Diagnostic>,
    dropped_count: usize,
    /// The first error that left out geometry.
    pub(super) geometry_error: Option<ImportError>,
}

impl Diagnostics {
    /// Maximum number of diagnostics. A hostile file could cause millions.
    const MAX_COUNT: usize = 1000;

    /// Adds `location: message`.
    pub(super) fn add(&mut self, location: &JsonLocation, message: impl Display) {
        self.push(location.pointer.clone(), format!("{location}: {message}"));
    }

    /// Adds `location: problem`, followed by the text `effect`.
    pub(super) fn add_problem(
        &mut self,
        location: &JsonLocation,
        problem: &Problem,
        effect: impl Display,
        kind: DiagnosticKind,
    ) {
        let (pointer, message) = (location.pointer.clone(), format!("{location}: {problem}{effect}"));
        self.push_kind(Diagnostic { pointer, message, policy_change: problem.policy_change, kind });
    }

    /// Adds a message that already names its element.
    pub(super) fn push(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        self.push_kind(Diagnostic::new(pointer, message));
    }

    fn push_kind(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < Self::MAX_COUNT {
            self.list.push(diagnostic);
        } else {
            self.dropped_count += 1;
        }
    }

    /// Reports an error whose element is left out or replaced. `consequence` says what is shown.
    ///
    /// # Errors
    /// The error, if it is an exceeded limit, which the user can raise.
    pub(super) fn leave_out(&mut self, error: ImportError, consequence: &str) -> Result<(), ImportError> {
        if error.is_limit() {
            return Err(error);
        }
        self.report(&error, consequence);
        Ok(())
    }

    /// Reports an error like [`leave_out`](Self::leave_out). If nothing is left to draw, it is the error of the import.
    pub(super) fn leave_out_geometry(&mut self, error: ImportError, consequence: &str) -> Result<(), ImportError> {
        if error.is_limit() {
            return Err(error);
        }
        self.report(&error, consequence);
        self.geometry_error.get_or_insert(error);
        Ok(())
    }

    fn report(&mut self, error: &ImportError, consequence: &str) {
        let kind = if error.is_unsupported() { DiagnosticKind::Unsupported } else { DiagnosticKind::LeftOut };
        let message = format!("{error}; {consequence}");
        let policy_change = error.policy_change();
        self.push_kind(Diagnostic { pointer: error.pointer().to_owned(), message, policy_change, kind });
    }

    /// Returns the value, or reports the error of an element that is left out.
    pub(super) fn or_leave_out<T>(
        &mut self,
        result: Result<T, ImportError>,
        consequence: &str,
    ) -> Result<Option<T>, ImportError> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error) => self.leave_out(error, consequence).map(|()| None),
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
