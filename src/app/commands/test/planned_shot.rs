//! Shots of a suite with their command-line arguments.

use crate::app::AppError;
use crate::cli::{TestArgs, parse_shot_options, shot_option_names};
use crate::request::{ImportRequest, RenderRequest};
use crate::suite::{self, MaskRegion, Shot, Suite, SuiteErrorKind};
use crate::util::text::excerpt;
use std::path::{Component, Path, PathBuf};

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
        let Suite { goldens, shots } = suite::open(file, &shot_option_names()).map_err(in_suite)?;
        if args.untrusted && goldens.exists() && !is_beneath(folder, &goldens) {
            let message = "--untrusted: the folder of the goldens is a link out of the suite's folder".to_owned();
            return Err(in_suite(SuiteErrorKind::Option { message }.into()));
        }
        let hash = suite::hash(&shots);
        let plan = |shot: Shot| {
            let display_request = parse_shot_options(folder.join(&shot.model), &shot.options)
                .map_err(|message| in_suite(SuiteErrorKind::Option { message }.at(line_of_mistake(&shot))))?;
            if args.untrusted {
                check_untrusted(folder, &shot, &display_request)
                    .map_err(|message| in_suite(SuiteErrorKind::Option { message }.at(shot.line)))?;
            }
            let display_request = display_request.with_import(&(&args.policy).into());
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

/// Returns the line of the first option that is wrong on its own, else that of the table.
fn line_of_mistake(shot: &Shot) -> usize {
    let is_wrong = |option: &String| parse_shot_options(PathBuf::new(), std::slice::from_ref(option)).is_err();
    let mistake = shot.options.iter().position(is_wrong);
    mistake.and_then(|index| shot.option_lines.get(index).copied()).unwrap_or(shot.line)
}

/// Refuses a shot that raises an import limit, or whose files are outside the suite's `folder`.
fn check_untrusted(folder: &Path, shot: &Shot, request: &RenderRequest) -> Result<(), String> {
    let ImportRequest { allow_external_paths, limits } = &request.scene.import;
    if *allow_external_paths {
        return Err("--untrusted: a suite cannot allow external files".to_owned());
    }
    if let Some((limit, _)) = limits.iter().find(|(limit, value)| *value > limit.default_value()) {
        return Err(format!("--untrusted: a suite cannot raise the limit `{limit}`"));
    }
    let masks = shot.mask.iter().filter_map(|region| match region {
        MaskRegion::File(file) => Some(folder.join(file)),
        MaskRegion::Pixels(_) | MaskRegion::Fraction(_) => None,
    });
    let request = request.clone().with_files_in(folder);
    match request.input_files().map(Path::to_owned).chain(masks).find(|file| !is_beneath(folder, file)) {
        Some(file) => Err(format!("--untrusted: {} is outside the suite's folder", excerpt(&file.to_string_lossy()))),
        None => Ok(()),
    }
}

/// Returns `true` if `file` is beneath `folder` without `..`, also after links are resolved. It need not exist.
fn is_beneath(folder: &Path, file: &Path) -> bool {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let resolved = || Some(file.canonicalize().ok()?.starts_with(folder.canonicalize().ok()?));
    file.strip_prefix(folder).is_ok_and(|inside| inside.components().all(is_plain)) && resolved() != Some(false)
}
