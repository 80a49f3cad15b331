//! Results of a run and its shots, as stored in the report.

use crate::compare::{ImageMetrics, Tolerances, Violation};
use crate::suite::Shot;
use serde::{Deserialize, Serialize};
use std::time::{SystemTime, UNIX_EPOCH};

/// A run of a suite or of one shard.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Run {
    /// Version of rigview.
    pub rigview: String,
    /// Suite file as given on the command line; several are separated by commas.
    pub suite: String,
    /// Hash of the names, models, options and tolerances of all shots in the suites.
    pub suite_hash: String,
    /// Start of the run in UTC, as ISO 8601.
    pub started: String,
    /// Name of the machine.
    pub hostname: String,
    /// Such as `2/8`; `None` for the whole suite.
    pub shard: Option<String>,
    /// Of all suites of the run.
    pub shots_in_suite: usize,
    /// After the filters.
    pub shots_filtered: usize,
    /// After the filters and the shard.
    pub shots_chosen: usize,
    /// GL renderer.
    pub renderer: String,
    /// GL version.
    pub driver: String,
    /// The run writes goldens.
    pub updating: bool,
    /// The goldens to write are listed, and none is written.
    pub dry_run: bool,
    /// From start to end.
    pub wall_secs: f64,
    /// PNG files in the folder of the goldens that belong to no shot; with their folder if there are several suites.
    pub obsolete_goldens: Vec<String>,
    /// Obsolete goldens that `--prune` deleted.
    pub pruned_goldens: Vec<String>,
    /// Models and clips without a shot, if they are denied.
    #[serde(default)]
    pub uncovered: Vec<String>,
}

impl Run {
    /// A run of this version of rigview on this machine that starts now.
    pub fn started_now() -> Self {
        let file = || Some(std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?.trim().to_owned());
        let variable = || ["HOSTNAME", "COMPUTERNAME"].iter().find_map(|name| std::env::var(name).ok());
        Self {
            rigview: env!("CARGO_PKG_VERSION").to_owned(),
            // It panics for times before 1970.
            started: humantime::format_rfc3339_seconds(SystemTime::now().max(UNIX_EPOCH)).to_string(),
            hostname: file().or_else(variable).unwrap_or_else(|| "localhost".to_owned()),
            ..Self::default()
        }
    }

    /// Duration and renderer, in words.
    pub fn facts(&self) -> String {
        match self.renderer.as_str() {
            "" => format!("{:.1} s", self.wall_secs),
            renderer => format!("{:.1} s on {renderer}, {}", self.wall_secs, self.driver),
        }
    }
}

/// Outcome of a shot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The image matches its golden within the tolerances.
    Passed,
    /// The image exceeds a tolerance, or the golden is unreadable.
    Changed,
    /// There is no golden yet.
    New,
    /// There is a golden, but its model or clip does not exist any more.
    Gone,
    /// The image could not be rendered.
    #[default]
    Error,
    /// The suite excludes the shot.
    Skipped,
    /// The image differs or could not be rendered, as the suite expects.
    Expected,
    /// The run stopped before the shot. The report omits it.
    #[serde(skip_deserializing)]
    NotRun,
}

impl Status {
    /// Those in the report, in the order of the summary.
    pub const ALL: [Self; 7] =
        [Self::Passed, Self::Changed, Self::New, Self::Gone, Self::Error, Self::Skipped, Self::Expected];

    /// The rank of shots that did not pass, the most important ones first: errors, changed, gone and new ones.
    pub fn rank(self) -> usize {
        const RANKS: [Status; 4] = [Status::Error, Status::Changed, Status::Gone, Status::New];
        RANKS.iter().position(|status| *status == self).unwrap_or(RANKS.len())
    }

    /// The word for it in reports.
    pub fn label(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Changed => "changed",
            Self::New => "new",
            Self::Gone => "gone",
            Self::Error => "error",
            Self::Skipped => "skipped",
            Self::Expected => "expected",
            Self::NotRun => "not run",
        }
    }
}

/// Result of one shot.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ShotResult {
    /// Unique in the run.
    pub name: String,
    /// Position in the suites of the run, from 0.
    pub index: usize,
    /// Suite file as given on the command line.
    pub suite: String,
    /// The outcome.
    pub status: Status,
    /// Reason and remedy; empty if passed.
    pub message: String,
    /// Command that renders the image.
    pub command: String,
    /// Hash of the name, model, options and tolerances.
    pub shot_hash: String,
    /// Line in the suite file.
    pub line: usize,
    /// The model file.
    #[serde(default)]
    pub model: String,
    /// Git has changed the model file since the revision that the job compares with.
    #[serde(default, rename = "model_changed")]
    pub is_model_changed: bool,
    /// Requested size in pixels.
    pub size: [u32; 2],
    /// Metrics of the difference from the golden; `None` if they cannot be compared.
    pub measures: Option<ImageMetrics>,
    /// Number of pixels that the mask ignores.
    pub masked_pixels: usize,
    /// The current renderer rendered the golden; `None` without driver metadata.
    pub same_driver: Option<bool>,
    /// Renderer and driver that the golden records.
    pub golden_renderer: Option<String>,
    /// Tolerances of the comparison.
    pub limits: Tolerances,
    /// Reason for limits other than the defaults.
    pub reason: Option<String>,
    /// Tolerances that the difference exceeds.
    pub exceeded: Vec<Violation>,
    /// Differences of the command, the version and the samples from those that the golden records, and those of the model or the parts
    /// under the changed pixels, in words.
    pub golden_differences: Vec<String>,
    /// `new`, `moved`, `changed` or `deleted` if the golden was written or deleted, or would be without `--dry-run`.
    pub updated: Option<String>,
    /// Import diagnostics and notices of the renderer.
    pub notices: Vec<String>,
    /// The golden records the same files, options, version and renderer, so that the image was not drawn.
    #[serde(rename = "unchanged")]
    pub is_unchanged: bool,
    /// The image shows nothing of the model.
    #[serde(rename = "empty")]
    pub is_empty: bool,
    /// Time to load the model for the first shot of it, otherwise to pose it.
    pub load_secs: f64,
    /// Time to render the image.
    pub draw_secs: f64,
    /// Time to compare it with the golden.
    pub compare_secs: f64,
    /// Images in the folder of the report.
    pub images: Vec<ImageKind>,
}

impl ShotResult {
    /// Returns `true` if the shot passed, was skipped, failed as expected, or its golden was written.
    pub fn is_ok(&self) -> bool {
        match self.status {
            Status::Passed | Status::Skipped | Status::Expected => true,
            Status::Changed | Status::New | Status::Gone => self.updated.is_some(),
            Status::Error | Status::NotRun => false,
        }
    }

    /// Applies the expectation of `shot`, if it has one.
    pub fn with_expectation(mut self, shot: &Shot) -> Self {
        let Some(reason) = &shot.expect_failure else { return self };
        match self.status {
            Status::Changed | Status::Error => {
                self.status = Status::Expected;
                self.message = format!("{reason} ({})", self.message);
            }
            Status::Passed => {
                self.status = Status::Changed;
                self.message = format!("passed, but the suite expects a failure ({reason}); remove expect-failure");
            }
            Status::New | Status::Gone | Status::Skipped | Status::Expected | Status::NotRun => {}
        }
        self
    }
}

/// An image of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImageKind {
    /// The stored image.
    Golden,
    /// The rendered image.
    Actual,
    /// Where golden and actual differ.
    Difference,
    /// Golden, difference and actual in one image.
    SideBySide,
    /// A small actual image.
    Thumbnail,
}

impl ImageKind {
    /// The name of the image in file names and on the page.
    pub fn label(self) -> &'static str {
        match self {
            Self::Golden => "golden",
            Self::Actual => "actual",
            Self::Difference => "difference",
            Self::SideBySide => "side-by-side",
            Self::Thumbnail => "thumbnail",
        }
    }

    /// File name for the shot `name`, in the folder of the images.
    pub fn file(self, name: &str) -> String {
        format!("{name}-{}.png", self.label())
    }
}
