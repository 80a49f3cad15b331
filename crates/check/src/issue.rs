//! Issues and their severities, and the bounded list that collects them.

use super::codes::{Severity, severity};
use super::source_map::{SourceMap, ancestors};
use rigview_core::import::PolicyChange;
use rigview_core::util::text::{counted, one_line};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::{self, Display};

/// One finding of the checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// Severity of the code.
    pub severity: Severity,
    /// The Khronos validator's code, or one of rigview's own, which begin with `RIGVIEW_`.
    pub code: &'static str,
    /// JSON Pointer (RFC 6901) to the element; empty for the container or the whole file.
    pub pointer: String,
    /// Line of the element in a .gltf file, from 1.
    #[serde(skip)]
    pub line: Option<u32>,
    /// One line of text without control characters.
    pub message: String,
    /// The change of the import policy that avoids it, if there is one.
    #[serde(skip)]
    pub policy_change: Option<PolicyChange>,
}

impl Issue {
    /// Returns the numbers of errors and warnings, such as `1 error, 2 warnings`.
    pub fn summary(issues: &[Self]) -> String {
        let count = |severity| issues.iter().filter(|issue| issue.severity == severity).count();
        let errors = counted(count(Severity::Error), "error", "errors");
        match count(Severity::Warning) {
            0 => errors,
            warnings => format!("{errors}, {}", counted(warnings, "warning", "warnings")),
        }
    }
}

/// The issue without its severity as one line.
impl Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.pointer.is_empty() { "" } else { " " };
        write!(f, "{}{space}{}: {}", self.code, one_line(&self.pointer), self.message)
    }
}

/// Maximum issues that are listed per code; the others are counted.
pub const MAX_ISSUES_PER_CODE: usize = 100;

/// The issues of one file during the checks.
#[derive(Default)]
pub(super) struct Issues {
    list: Vec<Issue>,
    counts: BTreeMap<&'static str, usize>,
}

impl Issues {
    /// Adds an issue, or only counts it beyond [`MAX_ISSUES_PER_CODE`], without formatting its message.
    pub(super) fn add(&mut self, code: &'static str, at: impl Display, message: fmt::Arguments<'_>) {
        self.add_with_change(code, at, message, None);
    }

    /// Like [`add`](Self::add), with the change of the import policy that avoids the issue.
    pub(super) fn add_with_change(
        &mut self,
        code: &'static str,
        at: impl Display,
        message: fmt::Arguments<'_>,
        policy_change: Option<PolicyChange>,
    ) {
        let count = self.counts.entry(code).or_default();
        *count += 1;
        if *count <= MAX_ISSUES_PER_CODE {
            let message = one_line(&message.to_string());
            let pointer = at.to_string();
            self.list.push(Issue { severity: severity(code), code, pointer, line: None, message, policy_change });
        }
    }

    /// The listed issues so far.
    pub(super) fn list(&self) -> &[Issue] {
        &self.list
    }

    pub(super) fn any_error(&self) -> bool {
        self.counts.keys().any(|code| severity(code) == Severity::Error)
    }

    pub(super) fn has(&self, code: &str) -> bool {
        self.counts.contains_key(code)
    }

    /// All issues in the order of the JSON text, then one issue per code that counts those not listed.
    ///
    /// `with_lines` sets [`Issue::line`]: for JSON that is a file of its own.
    pub(super) fn into_vec(mut self, text: &[u8], with_lines: bool) -> Vec<Issue> {
        let pointers = self.list.iter().flat_map(|issue| ancestors(&issue.pointer)).collect();
        let map = SourceMap::new(text, &pointers);
        self.list.sort_by_cached_key(|issue| map.locate(&issue.pointer).0);
        if with_lines {
            self.list.iter_mut().for_each(|issue| issue.line = Some(map.locate(&issue.pointer).1));
        }
        for (code, count) in self.counts.into_iter().filter(|(_, count)| *count > MAX_ISSUES_PER_CODE) {
            let message = format!("{} more of {code} are not listed", count - MAX_ISSUES_PER_CODE);
            self.list.push(Issue {
                severity: Severity::Info,
                code,
                pointer: String::new(),
                line: None,
                message,
                policy_change: None,
            });
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json_path::JsonPath;

    #[test]
    fn issues_beyond_the_maximum_are_counted() {
        let mut issues = Issues::default();
        for i in 0..250 {
            issues.add("INVALID_INDEX", JsonPath::ROOT.item(i), format_args!("line\nbreak"));
        }
        issues.add("NODE_LOOP", JsonPath::ROOT, format_args!("x"));
        let list = issues.into_vec(b"", false);
        assert_eq!(list.len(), 102);
        assert_eq!(list[0].message, "line break");
        let last = &list[101];
        assert_eq!((last.code, last.severity), ("INVALID_INDEX", Severity::Info));
        assert!(last.message.starts_with("150 "));
    }
}
