//! Shots of a suite with their command-line arguments.

use crate::app::AppError;
use crate::cli::{TestArgs, parse_shot_options};
use crate::request::RenderRequest;
use crate::suite::{self, Shot, Suite, SuiteErrorKind};
use std::path::{Path, PathBuf};

pub(crate) struct PlannedShot {
    pub(crate) shot: Shot,
    pub(crate) request: RenderRequest,
    /// The request with the suite's own file names, for the command in the report.
    pub(crate) display_request: RenderRequest,
}

/// A suite whose shots are parsed.
pub(crate) struct PlannedSuite {
    /// Folder of the suite file.
    pub(crate) folder: PathBuf,
    /// Folder of the goldens.
    pub(crate) goldens: PathBuf,
    /// Hash of all shots.
    pub(crate) hash: String,
    pub(crate) shots: Vec<PlannedShot>,
}

impl PlannedSuite {
    /// Reads a suite and parses all shots, so that an error in the suite fails every shard and every filter.
    pub(crate) fn open(file: &Path, args: &TestArgs) -> Result<Self, AppError> {
        let in_suite = |source| AppError::Suite { file: file.to_owned(), source };
        let folder = suite::folder_of(file);
        let Suite { goldens, shots } = suite::open(file).map_err(in_suite)?;
        let hash = suite::hash(&shots);
        let plan = |shot: Shot| {
            let display_request = parse_shot_options(folder.join(&shot.model), &shot.options)
                .map_err(|message| in_suite(SuiteErrorKind::Option { message }.at(shot.line)))?
                .with_import(&(&args.policy).into());
            Ok(PlannedShot { shot, request: display_request.clone().with_files_in(folder), display_request })
        };
        let shots = shots.into_iter().map(plan).collect::<Result<_, AppError>>()?;
        Ok(Self { folder: folder.to_owned(), goldens, hash, shots })
    }

    /// Names of all shots.
    pub(crate) fn names(&self) -> Vec<String> {
        self.shots.iter().map(|planned| planned.shot.name.clone()).collect()
    }
}
