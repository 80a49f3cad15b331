//! Results of a run and its shots, as stored in the report.

use super::planned_shot::PlannedShot;
use crate::cli::{Shell, shot_command_line};
use rigview_suite::compare::{ImageMetrics, Tolerances, Violation};
use rigview_suite::suite::{self, Shot};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// A run of a suite or of one shard.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Run {
    /// Version of rigview.
    pub(crate) rigview: String,
    /// Suite file as given on the command line; several are separated by commas.
    pub(crate) suite: String,
    /// Hash of the names, models, options and tolerances of all shots in the suites.
    pub(crate) suite_hash: String,
    /// Start of the run in UTC, as ISO 8601.
    pub(crate) started: String,
    /// Name of the machine.
    pub(crate) hostname: String,
    /// Such as `2/8`; `None` for the whole suite.
    pub(crate) shard: Option<String>,
    pub(crate) shots_in_suite: usize,
    /// After the filters.
    pub(crate) shots_filtered: usize,
    /// After the filters and the shard.
    pub(crate) shots_chosen: usize,
    /// GL renderer.
    pub(crate) renderer: String,
    /// GL version.
    pub(crate) driver: String,
    #[serde(rename = "blessing")]
    pub(crate) updating: bool,
    /// The goldens to write are listed, and none is written.
    pub(crate) dry_run: bool,
    pub(crate) wall_secs: f64,
    /// PNG files in the folder of the goldens that belong to no shot; with their folder if there are several suites.
    #[serde(rename = "strays")]
    pub(crate) obsolete_goldens: Vec<String>,
    /// Obsolete goldens that `--prune` deleted.
    pub(crate) pruned_goldens: Vec<String>,
}

impl Run {
    /// A run of this version of rigview on this machine that starts now.
    pub(crate) fn started_now() -> Self {
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
    pub(crate) fn facts(&self) -> String {
        match self.renderer.as_str() {
            "" => format!("{:.1} s", self.wall_secs),
            renderer => format!("{:.1} s on {renderer}, {}", self.wall_secs, self.driver),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    /// The image matches its golden within the tolerances.
    Passed,
    /// The image exceeds a tolerance, or the golden is unreadable.
    Changed,
    /// There is no golden yet.
    New,
    /// Repeated renders differ.
    Unstable,
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
    pub(crate) const ALL: [Self; 7] =
        [Self::Passed, Self::Changed, Self::New, Self::Unstable, Self::Error, Self::Skipped, Self::Expected];

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Changed => "changed",
            Self::New => "new",
            Self::Unstable => "unstable",
            Self::Error => "error",
            Self::Skipped => "skipped",
            Self::Expected => "expected",
            Self::NotRun => "not run",
        }
    }
}

/// Result of one shot.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ShotResult {
    /// Unique in the run.
    pub(crate) name: String,
    /// Suite file as given on the command line.
    pub(crate) suite: String,
    pub(crate) status: Status,
    /// Reason and remedy; empty if passed.
    pub(crate) message: String,
    /// Command that renders the image.
    pub(crate) command: String,
    /// Hash of the name, model, options and tolerances.
    pub(crate) shot_hash: String,
    /// Line in the suite file.
    pub(crate) line: usize,
    /// Requested size in pixels.
    pub(crate) size: [u32; 2],
    /// Metrics of the difference from the golden; `None` if they cannot be compared.
    pub(crate) measures: Option<ImageMetrics>,
    /// Number of pixels that the mask ignores.
    pub(crate) masked_pixels: usize,
    /// The current renderer rendered the golden; `None` without driver metadata.
    pub(crate) same_driver: Option<bool>,
    pub(crate) golden_renderer: Option<String>,
    pub(crate) limits: Tolerances,
    /// Reason for limits other than the defaults.
    pub(crate) reason: Option<String>,
    pub(crate) exceeded: Vec<Violation>,
    /// Differences of the command, the version and the samples from those that the golden records, in words.
    pub(crate) golden_differences: Vec<String>,
    /// `new` or `changed` if the golden was written, or would be without `--dry-run`.
    pub(crate) updated: Option<String>,
    /// Import diagnostics and notices of the renderer.
    pub(crate) notices: Vec<String>,
    /// The image shows nothing of the model.
    #[serde(rename = "empty")]
    pub(crate) is_empty: bool,
    /// Time to load the model for the first shot of it, otherwise to pose it.
    pub(crate) load_secs: f64,
    pub(crate) draw_secs: f64,
    pub(crate) compare_secs: f64,
    /// Images in the folder of the report.
    #[serde(rename = "pictures")]
    pub(crate) images: Vec<ImageKind>,
}

impl ShotResult {
    /// The result of a shot before it is rendered, or that of a skipped shot.
    pub(crate) fn new(planned: &PlannedShot) -> Self {
        let PlannedShot { shot, request, display_request, .. } = planned;
        Self {
            name: planned.name.clone(),
            suite: planned.suite.file.display().to_string(),
            status: if shot.skip.is_some() { Status::Skipped } else { Status::NotRun },
            message: shot.skip.clone().unwrap_or_default(),
            command: shot_command_line(display_request, Path::new(&shot.model), Shell::NATIVE),
            shot_hash: suite::hash(std::slice::from_ref(shot)),
            line: shot.line,
            size: request.size,
            limits: shot.limits,
            reason: shot.reason.clone(),
            ..Self::default()
        }
    }

    /// Returns `true` if the shot passed, was skipped, failed as expected, or its golden was written.
    pub(crate) fn is_settled(&self) -> bool {
        match self.status {
            Status::Passed | Status::Skipped | Status::Expected => true,
            Status::Changed | Status::New => self.updated.is_some(),
            Status::Unstable | Status::Error | Status::NotRun => false,
        }
    }

    /// Applies the expectation of `shot`, if it has one.
    pub(crate) fn with_expectation(mut self, shot: &Shot) -> Self {
        let Some(reason) = &shot.expect_failure else { return self };
        match self.status {
            Status::Changed | Status::Unstable | Status::Error => {
                self.status = Status::Expected;
                self.message = format!("{reason} ({})", self.message);
            }
            Status::Passed => {
                self.status = Status::Changed;
                self.message = format!("passed, but the suite expects a failure ({reason}); remove expect-failure");
            }
            Status::New | Status::Skipped | Status::Expected | Status::NotRun => {}
        }
        self
    }
}

/// An image of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ImageKind {
    Golden,
    Actual,
    /// A repeated render that differs.
    Repeat,
    Difference,
    /// Golden or repeat, difference and actual in one image.
    SideBySide,
    Thumbnail,
}

impl ImageKind {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Golden => "golden",
            Self::Actual => "actual",
            Self::Repeat => "repeat",
            Self::Difference => "difference",
            Self::SideBySide => "side-by-side",
            Self::Thumbnail => "thumbnail",
        }
    }

    /// File name for the shot `name`, in the folder of the images.
    pub(crate) fn file(self, name: &str) -> String {
        format!("{name}-{}.png", self.label())
    }
}
