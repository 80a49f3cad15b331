//! The import policy for the files of a request.

use rigview_core::import::{ImportPolicy, Limit};

/// The import policy as changes to the default one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportRequest {
    /// Allows external files outside the model's folder.
    pub allow_external_paths: bool,
    /// Limits that differ from the default; of equal ones, the last counts.
    pub limits: Vec<(Limit, u64)>,
}

impl ImportRequest {
    /// Returns the resulting policy.
    pub fn policy(&self) -> ImportPolicy {
        let mut policy = ImportPolicy { allow_external_paths: self.allow_external_paths, ..ImportPolicy::default() };
        self.limits.iter().for_each(|(limit, value)| policy.limits.set(*limit, *value));
        policy
    }
}
