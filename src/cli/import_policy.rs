//! File access and import limits, common to all commands that open a file.

use super::values::limit;
use crate::request::ImportRequest;
use clap::Args;
use rigview_core::import::Limit;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "File access and limits")]
pub struct ImportPolicyArgs {
    /// Allow the model to read files outside its own folder, such as ../textures/fur.png; network paths stay blocked
    #[arg(long)]
    pub allow_external_files: bool,

    /// Change an import limit, such as images=4G or elements=2000000; an unknown name lists all limits. Repeatable
    #[arg(long = "limit", value_name = "NAME=VALUE", value_parser = limit)]
    pub limits: Vec<(Limit, u64)>,
}

impl From<&ImportPolicyArgs> for ImportRequest {
    fn from(args: &ImportPolicyArgs) -> Self {
        Self { allow_external_paths: args.allow_external_files, limits: args.limits.clone() }
    }
}
