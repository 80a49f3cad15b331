//! The import policy for the files of a request.

use super::FILE_ACCESS_HEADING;
use super::parse::limit;
use clap::Args;
use rigview_core::import::{ImportPolicy, Limit};

/// The import policy as changes to the default one.
#[derive(Clone, Debug, Default, PartialEq, Args)]
#[command(next_help_heading = FILE_ACCESS_HEADING)]
pub struct ImportRequest {
    /// Allow the model to read files outside its own folder, such as ../textures/fur.png; network paths stay blocked
    #[arg(long = "allow-external-files")]
    pub allow_external_paths: bool,

    /// Change an import limit, such as images=4G or elements=2000000; an unknown name lists all limits. Repeatable
    #[arg(long = "limit", value_name = "NAME=VALUE", value_parser = limit)]
    pub limits: Vec<(Limit, u64)>,
}

impl ImportRequest {
    /// Returns the resulting policy. Of equal limits, the last counts.
    pub fn policy(&self) -> ImportPolicy {
        let mut policy = ImportPolicy::default();
        policy.allow_external_paths = self.allow_external_paths;
        self.limits.iter().for_each(|(limit, value)| policy.limits.set(*limit, *value));
        policy
    }
}
