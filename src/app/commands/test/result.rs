//! What came of a run, as it is written and read back.

use crate::compare::{ImageMetrics, Tolerances, Violation};
use serde::{Deserialize, Serialize};

/// A run of a suite, or of a part of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    /// rigview's version.
    pub(crate) rigview: String,
    /// The suite file as it was named.
    pub(crate) suite: String,
    /// Which part of the suite, such as `2/8`; nothing for all of it.
    pub(crate) shard: Option<String>,
    /// Shots in the whole suite.
    pub(crate) shots_in_suite: usize,
    /// Shots that filter and shard leave.
    pub(crate) shots_chosen: usize,
    /// What drew.
    pub(crate) renderer: String,
    /// Its version.
    pub(crate) driver: String,
    /// Whether goldens were taken.
    pub(crate) blessing: bool,
    /// How long it took.
    pub(crate) wall_secs: f64,
    /// Files beside the goldens that belong to no shot.
    pub(crate) strays: Vec<String>,
}

/// What came of a shot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    /// The picture counts as its golden.
    Same,
    /// It does not.
    Differs,
    /// There is no golden.
    Missing,
    /// There is no picture.
    Failed,
}

impl Status {
    /// In a word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Differs => "differs",
            Self::Missing => "missing",
            Self::Failed => "failed",
        }
    }
}

/// A shot and what came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// The shot's name.
    pub(crate) name: String,
    /// What came of it.
    pub(crate) status: Status,
    /// Why, and what to do; empty when all is well.
    pub(crate) message: String,
    /// The command that makes the picture.
    pub(crate) command: String,
    /// Its line in the suite file.
    pub(crate) line: usize,
    /// Width and height that were asked for.
    pub(crate) size: [u32; 2],
    /// How far the picture is from its golden, if they can be compared.
    pub(crate) measures: Option<ImageMetrics>,
    /// Whether the golden was drawn by the present renderer, if it tells.
    pub(crate) same_driver: Option<bool>,
    /// What drew the golden, if it tells.
    pub(crate) golden_renderer: Option<String>,
    /// What it may differ by.
    pub(crate) limits: Tolerances,
    /// Why the limits are not the usual ones.
    pub(crate) reason: Option<String>,
    /// The limits that it goes beyond.
    pub(crate) exceeded: Vec<Violation>,
    /// What was taken as the golden: `new` or `changed`.
    pub(crate) blessed: Option<String>,
    /// What the model's file is shown without.
    pub(crate) notices: Vec<String>,
    /// Seconds to read the model, if it was read for this shot, and otherwise to pose it.
    pub(crate) load_secs: f64,
    /// Seconds to draw.
    pub(crate) draw_secs: f64,
    /// Seconds to compare.
    pub(crate) compare_secs: f64,
    /// Which of its pictures are in the report's folder.
    pub(crate) pictures: Vec<Kind>,
}

/// A picture of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// As the golden has it.
    Golden,
    /// As it was taken.
    Actual,
    /// Where they differ.
    Difference,
    /// The three beside each other.
    SideBySide,
    /// The picture taken, small.
    Thumbnail,
}

impl Kind {
    /// The file of a shot's picture, in the folder of the pictures.
    pub(crate) fn file(self, name: &str) -> String {
        let kind = match self {
            Self::Golden => "golden",
            Self::Actual => "actual",
            Self::Difference => "difference",
            Self::SideBySide => "side-by-side",
            Self::Thumbnail => "thumbnail",
        };
        format!("{name}-{kind}.png")
    }
}
