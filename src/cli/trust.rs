//! How far a file is trusted: common to everything that opens one.

use super::values::limit;
use crate::import::Limit;
use crate::request::ImportRequest;
use clap::Args;

/// How far a file is trusted.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Trust")]
pub struct TrustArgs {
    /// Let the model read files outside its own folder too, such as ../textures/fur.png; never from a network
    #[arg(long = "allow-external-files")]
    pub allow_external_paths: bool,

    /// Raise or lower a limit on what is opened, such as images=4G or elements=2000000; an unknown name lists them all. May
    /// be repeated
    #[arg(long = "limit", value_name = "LIMIT=VALUE", value_parser = limit)]
    pub limits: Vec<(Limit, u64)>,
}

impl From<&TrustArgs> for ImportRequest {
    fn from(args: &TrustArgs) -> Self {
        Self { allow_external_paths: args.allow_external_paths, limits: args.limits.clone() }
    }
}
