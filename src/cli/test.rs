//! `rigview test`.

use super::TrustArgs;
use crate::suite::{Filter, Shard};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `test`.
#[derive(Clone, Debug, Args)]
pub struct TestArgs {
    /// The suite; with --init the models, with --merge the folders of the reports
    #[arg(value_name = "SUITE.toml", required = true)]
    pub files: Vec<PathBuf>,

    /// Write a first suite for the named models, to SUITE.toml or to the file given with `=`
    #[arg(long, value_name = "SUITE.toml", num_args = 0..=1, require_equals = true,
        default_missing_value = "suite.toml", conflicts_with_all = ["merge", "bless", "filters", "shard"])]
    pub init: Option<PathBuf>,

    /// Make one report of the reports of all shards
    #[arg(long, conflicts_with_all = ["bless", "filters", "shard", "fail_fast"])]
    pub merge: bool,

    /// The folder of the report
    #[arg(short, long, value_name = "FOLDER", default_value = "rigview-report")]
    pub output: PathBuf,

    /// Take the pictures as the goldens where they differ; such a run ends with 1
    #[arg(long)]
    pub bless: bool,

    /// Only shots with TEXT in their name; with `*` or `?` in it, only those whose whole name matches. May be repeated
    #[arg(long = "filter", value_name = "TEXT")]
    pub filters: Vec<Filter>,

    /// Only a part of the suite, such as 2/8; all parts together are the suite
    #[arg(long, value_name = "PART/PARTS")]
    pub shard: Option<Shard>,

    /// Stop at the first picture that is not as it should be
    #[arg(long)]
    pub fail_fast: bool,

    /// How many models are read ahead while others are drawn [default: one for each processor, at most 4]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub jobs: Option<u32>,

    /// How far the models are trusted, beside what their shots say.
    #[command(flatten)]
    pub trust: TrustArgs,
}
