//! Arguments of `rigview test`.

use crate::request::ImportRequest;
use crate::request::non_negative;
use clap::{Args, ValueEnum};
use rigview_suite::suite::{Filter, Shard};
use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

#[derive(Clone, Debug, Args)]
pub struct TestArgs {
    /// Suites to run; with --init models, folders or patterns in quotes, with --merge the report folders
    #[arg(value_name = "SUITE.toml", required_unless_present = "accept")]
    pub files: Vec<PathBuf>,

    /// Write a starter suite for the given models, to suite.toml or to the file given with `=`; add those that an existing suite lacks
    #[arg(long, value_name = "SUITE.toml", num_args = 0..=1, require_equals = true,
        default_missing_value = "suite.toml",
        conflicts_with_all = ["merge", "update", "dry_run", "filters", "shard"])]
    pub init: Option<PathBuf>,

    /// Merge the reports of all shards into one
    #[arg(long, conflicts_with_all = ["update", "filters", "shard", "fail_fast"])]
    pub merge: bool,

    /// Write the new and changed images of reports, such as those of CI, as goldens; without SUITE.toml, of ./suite.toml
    #[arg(long, value_name = "REPORT", num_args = 1..,
        conflicts_with_all = ["init", "merge", "update", "shard", "fail_fast"])]
    pub accept: Vec<PathBuf>,

    /// Folder of the report
    #[arg(short, long, value_name = "FOLDER", default_value = "rigview-report")]
    pub output: PathBuf,

    /// Write images as goldens: new ones with `=missing`, changed ones with `=changed`, by default both
    #[arg(short, long, value_name = "WHICH", num_args = 0..=1, require_equals = true,
        default_missing_value = "all")]
    pub update: Option<UpdateMode>,

    /// List the shots with their goldens, and render nothing; with --update, --accept or --prune, list the goldens to write or delete
    #[arg(long, conflicts_with = "merge")]
    pub dry_run: bool,

    /// Run only the shots that did not pass or did not run in the former report; all if all passed
    #[arg(long, conflicts_with_all = ["init", "merge", "accept"])]
    pub last_failed: bool,

    /// Run or accept only shots with TEXT in their name, or the shot of this name; `*` and `?` match parts of a whole name. Repeatable
    #[arg(long = "filter", value_name = "TEXT")]
    pub filters: Vec<Filter>,

    /// Run only shots whose model, side files, golden or entry in the suite differ from this revision of git, such as main
    #[arg(long, value_name = "REV", conflicts_with_all = ["init", "merge", "accept"])]
    pub changed_since: Option<String>,

    /// Run only one part of the suite, such as 2/8, to split it over several machines
    #[arg(long, value_name = "PART/PARTS")]
    pub shard: Option<Shard>,

    /// Pass shots without a draw whose goldens record the same files, options, version of rigview and renderer
    #[arg(long, conflicts_with_all = ["init", "merge", "accept"])]
    pub skip_unchanged: bool,

    /// Stop at the first shot that does not pass
    #[arg(long)]
    pub fail_fast: bool,

    /// Fail if a golden belongs to no shot; if a clip of a model, or a model in the same folders, has no shot; or if a golden is of
    /// another renderer. Repeatable
    #[arg(long, value_name = "obsolete|uncovered|other-renderer", conflicts_with_all = ["init", "accept"])]
    pub deny: Vec<DenyTest>,

    /// Images in the report: of all shots, or only of those that did not pass
    #[arg(long, value_name = "all|failed", default_value = "all", conflicts_with_all = ["init", "merge", "accept"])]
    pub report_images: ReportImages,

    /// Delete goldens that belong to no shot of this suite, if rigview wrote them; none if a model cannot be read
    #[arg(long, conflicts_with_all = ["init", "merge", "accept"])]
    pub prune: bool,

    /// Refuse a suite that raises import limits, or that names files or links outside its folder: for suites of strangers
    #[arg(long, conflicts_with_all = ["init", "merge"])]
    pub untrusted: bool,

    /// Stop after this time; the shots that did not run are errors. A shot that hangs ends the program 10 s later. A shot that takes
    /// longer than the second time to load and render is an error, too
    #[arg(long, value_name = "SECS[:SHOT_SECS]", conflicts_with_all = ["init", "merge", "accept"])]
    pub timeout: Option<Timeout>,

    /// Render each model in a process of its own, so that a crash or missing memory fails one shot
    #[arg(long, conflicts_with_all = ["init", "merge", "accept"])]
    pub isolate: bool,

    /// Number of models to load in advance [default: the number of CPU cores, at most 4]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub jobs: Option<u32>,

    #[command(flatten)]
    pub policy: ImportRequest,
}

/// Time limits of a run, as `1200`, or `1200:60` with one for each shot. In seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timeout {
    pub run_secs: f64,
    pub shot_secs: Option<f64>,
}

impl FromStr for Timeout {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (run, shot) = text.split_once(':').map_or((text, None), |(run, shot)| (run, Some(shot)));
        Ok(Self { run_secs: non_negative(run)?, shot_secs: shot.map(non_negative).transpose()? })
    }
}

impl fmt::Display for Timeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.run_secs)?;
        self.shot_secs.map_or(Ok(()), |secs| write!(f, ":{secs}"))
    }
}

/// Goldens that `--update` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum UpdateMode {
    /// Missing goldens
    Missing,
    /// Goldens that differ
    Changed,
    /// Missing goldens, goldens that differ, and goldens of another renderer
    All,
}

/// Findings that make `test` fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum DenyTest {
    /// Goldens that belong to no shot
    Obsolete,
    /// Models and clips without a shot
    Uncovered,
    /// Goldens of another renderer, or of another version of it
    OtherRenderer,
}

/// Shots with images in the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ReportImages {
    /// All shots
    All,
    /// Shots that did not pass
    Failed,
}

impl TestArgs {
    /// The arguments of a process that runs the shots `names`, with its report in `output`, within `timeout`.
    pub(crate) fn isolated<'a>(
        &self,
        names: impl Iterator<Item = &'a str>,
        output: &Path,
        timeout: Option<Timeout>,
    ) -> Vec<OsString> {
        let update = self.update.and_then(|mode| mode.to_possible_value());
        let limits = self.policy.limits.iter().map(|(limit, value)| format!("--limit={limit}={value}"));
        let values = names.map(|name| format!("--filter={name}"));
        let values = values.chain(update.map(|mode| format!("--update={}", mode.get_name())));
        let values = values.chain(timeout.map(|timeout| format!("--timeout={timeout}"))).chain(limits);
        let flags = [
            ("--dry-run", self.dry_run),
            ("--fail-fast", self.fail_fast),
            ("--deny=other-renderer", self.deny.contains(&DenyTest::OtherRenderer)),
            ("--report-images=failed", self.report_images == ReportImages::Failed),
            ("--skip-unchanged", self.skip_unchanged),
            ("--untrusted", self.untrusted),
            ("--allow-external-files", self.policy.allow_external_paths),
        ];
        let flags = flags.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name.to_owned());
        let mut arguments: Vec<OsString> = vec!["test".into(), "--output".into(), output.into()];
        arguments.extend(values.chain(flags).map(OsString::from));
        arguments.push("--".into());
        arguments.extend(self.files.iter().map(OsString::from));
        arguments
    }

    /// Returns the filters for shots of these names. The text of a filter that is a name selects this shot only.
    pub(crate) fn filters_for<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<Filter> {
        let names: HashSet<&str> = names.collect();
        self.filters.iter().map(|filter| filter.clone().for_names(&names)).collect()
    }
}
