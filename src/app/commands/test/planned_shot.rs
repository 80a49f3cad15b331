//! Shots of the suites of a run, with their command-line arguments.

use super::suite_files::SuiteFiles;
use crate::app::AppError;
use crate::app::console::report::line_of;
use crate::cli::{Shell, TestArgs, limit_option, parse_shot_options, shot_command_line, shot_option_names};
use crate::request::{ImportRequest, RenderRequest, is_convertible};
use rigview_core::import::Limit;
use rigview_core::util::hash::{FNV_OFFSET_BASIS, fnv1a};
use rigview_core::util::text::excerpt;
use rigview_suite::report::{ShotResult, Status};
use rigview_suite::store::Store;
use rigview_suite::suite::{
    self, Filter, InputFile, MaskRegion, Shot, ShotKind, Suite, SuiteErrorKind, Trust, is_beneath,
};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) struct PlannedShot {
    /// The name in the report, unique in the run: that of the shot, after the prefix of its suite.
    pub(crate) name: String,
    /// Position in the suites of the run.
    index: usize,
    pub(crate) suite: Arc<SuiteFiles>,
    pub(crate) shot: Shot,
    pub(crate) request: RenderRequest,
    /// The request with the suite's own file names, for the command in the report.
    pub(crate) suite_request: RenderRequest,
    /// The golden under the former name of the model, which the shot is compared with until it has its own.
    pub(crate) former_golden: Option<String>,
}

impl PlannedShot {
    /// Returns `true` if the filters select the shot, by its name in the report or in the suite.
    pub(crate) fn is_selected(&self, filters: &[Filter]) -> bool {
        filters.is_empty() || filters.iter().any(|filter| self.names().iter().any(|name| filter.matches(name)))
    }

    /// The names in the report and in the suite.
    pub(crate) fn names(&self) -> [&str; 2] {
        [&self.name, &self.shot.name]
    }

    /// The result of a shot before it is rendered, or that of a skipped shot.
    pub(crate) fn result(&self) -> ShotResult {
        let Self { shot, request, .. } = self;
        ShotResult {
            name: self.name.clone(),
            index: self.index,
            suite: self.suite.file.display().to_string(),
            status: if shot.skip.is_some() { Status::Skipped } else { Status::NotRun },
            message: shot.skip.clone().unwrap_or_default(),
            command: self.command(Shell::NATIVE),
            shot_hash: suite::hash(std::slice::from_ref(shot)),
            line: shot.line,
            model: request.file.display().to_string(),
            size: if shot.kind == ShotKind::Image { request.size } else { [0; 2] },
            limits: shot.limits,
            reason: shot.reason.clone(),
            ..ShotResult::default()
        }
    }

    pub(crate) fn command(&self, shell: Shell) -> String {
        match self.shot.kind {
            ShotKind::Image => self.image_command(shell),
            _ => format!("rigview test {} --filter={}", self.suite.file.display(), self.name),
        }
    }

    /// All files that the result depends on, besides the golden, and the buffers and images of models.
    pub(crate) fn input_files(&self) -> Vec<InputFile> {
        input_files(&self.suite.folder, &self.shot, &self.request)
    }

    /// The command that renders model, clip and time of the shot, also of a pose.
    pub(crate) fn image_command(&self, shell: Shell) -> String {
        shot_command_line(&self.suite_request, Path::new(&self.shot.model), shell)
    }

    pub(crate) fn golden_name(&self) -> String {
        let extension = match self.shot.kind {
            ShotKind::Image => "png",
            ShotKind::Pose { .. } => "pose.txt",
            // It has none, and a file of this name does not belong to the suite.
            ShotKind::Check { .. } => "check",
        };
        format!("{}.{extension}", self.shot.name)
    }

    /// The golden, if `renderer` is the GL renderer, on which poses do not depend.
    pub(crate) fn golden(&self, renderer: Option<&str>) -> PathBuf {
        match &self.suite.store {
            Some(store) => store.path_of(&self.golden_name()),
            None => self.suite.goldens(self.renderer_of_golden(renderer)).join(self.golden_name()),
        }
    }

    fn renderer_of_golden<'a>(&self, renderer: Option<&'a str>) -> Option<&'a str> {
        if self.shot.kind == ShotKind::Image { renderer } else { Some("pose") }
    }

    /// Reads the golden, or the one under the model's former name; `None` without one.
    ///
    /// # Errors
    /// The reason, as for [`SuiteFiles::read_golden`].
    pub(crate) fn read_golden(&self, renderer: Option<&str>) -> Result<Option<Vec<u8>>, String> {
        let renderer = self.renderer_of_golden(renderer);
        match (self.suite.read_golden(&self.golden_name(), renderer), &self.former_golden) {
            (Ok(None), Some(former)) => self.suite.read_golden(former, renderer),
            (golden, _) => golden,
        }
    }

    /// Makes a shot that passed with the golden under the model's former name one whose golden has to be moved.
    pub(crate) fn set_moved(&self, result: &mut ShotResult) {
        if let Some(former) = self.former_golden.as_ref().filter(|_| result.status == Status::Passed) {
            result.status = Status::New;
            result.message = format!("the model was renamed: --update moves the golden {former}");
        }
    }

    /// Deletes the golden under the model's former name, after the shot has its own.
    pub(crate) fn delete_former_golden(&self, renderer: Option<&str>) {
        let Some(former) = &self.former_golden else { return };
        // It is obsolete in the next run if it remains.
        let _ = match &self.suite.store {
            Some(store) => store.remove(former).map_err(drop),
            None => {
                let folder = self.suite.goldens(self.renderer_of_golden(renderer));
                std::fs::remove_file(folder.join(former)).map_err(drop)
            }
        };
    }
}

/// The suites of a run, whose shots are parsed.
pub(crate) struct PlannedRun {
    pub(crate) suites: Vec<Arc<SuiteFiles>>,
    /// Hash of all shots.
    pub(crate) hash: String,
    pub(crate) shots: Vec<PlannedShot>,
}

impl PlannedRun {
    /// Reads suites and parses all shots, so that an error in a suite fails every shard and every filter.
    pub(crate) fn open(files: &[PathBuf], args: &TestArgs) -> Result<Self, AppError> {
        let (mut suites, mut hashes, mut shots) = (Vec::new(), Vec::new(), Vec::<PlannedShot>::new());
        for (file, prefix) in files.iter().zip(suite::prefixes(files)) {
            let (suite, hash, of_suite) = open(file, prefix, args)?;
            suites.push(suite);
            hashes.push(hash);
            shots.extend(of_suite);
        }
        shots.iter_mut().enumerate().for_each(|(index, planned)| planned.index = index);
        check_unique(&shots)?;
        let hash = match hashes.as_slice() {
            [hash] => hash.clone(),
            _ => format!("{:016x}", fnv1a(FNV_OFFSET_BASIS, hashes.concat().bytes())),
        };
        Ok(Self { suites, hash, shots })
    }
}

/// Refuses two shots with one name in the report, or with one golden.
fn check_unique(shots: &[PlannedShot]) -> Result<(), AppError> {
    let (mut names, mut goldens) = (HashMap::new(), HashMap::new());
    for planned in shots {
        let golden = (planned.suite.golden_folder(), planned.shot.name.to_lowercase());
        let others = [names.insert(planned.name.to_lowercase(), planned), goldens.insert(golden, planned)];
        if let Some(other) = others.into_iter().flatten().next() {
            let [file, other_file] = [planned, other].map(|planned| planned.suite.file.display());
            let message = format!("duplicate shot `{}`: {other_file} and {file}", planned.shot.name);
            return Err(AppError::Usage(format!("{message}; give one of them another name or folder of goldens")));
        }
    }
    Ok(())
}

fn open(file: &Path, prefix: String, args: &TestArgs) -> Result<(Arc<SuiteFiles>, String, Vec<PlannedShot>), AppError> {
    let in_suite = |source| AppError::Suite { file: file.to_owned(), source };
    let folder = suite::folder_of(file);
    let trust = if args.untrusted { Trust::Untrusted } else { Trust::Trusted };
    let Suite { goldens, store, shots } = suite::open(file, &shot_option_names(), trust).map_err(in_suite)?;
    let mut suite = SuiteFiles::new(file, folder, goldens, prefix, trust);
    let store = store.map(|store| Store::open(&store, &file.with_extension("goldens"))).transpose();
    suite.store = store.map_err(|error| AppError::Usage(line_of(&error)))?;
    let suite = Arc::new(suite);
    suite.check_goldens(None)?;
    let hash = suite::hash(&shots);
    let plan = |shot: Shot| {
        let suite_request = parse_shot_options(folder.join(&shot.model), &shot.options)
            .map_err(|message| in_suite(SuiteErrorKind::Option { message }.at(line_of_mistake(&shot))))?;
        check_unconverted(folder, &shot, &suite_request)
            .map_err(|message| in_suite(SuiteErrorKind::Option { message }.at(shot.line)))?;
        if args.untrusted {
            check_untrusted(&suite, &shot, &suite_request, &args.policy)
                .map_err(|message| in_suite(SuiteErrorKind::Option { message }.at(shot.line)))?;
        }
        let suite_request = suite_request.with_import(&args.policy);
        let name = format!("{}{}", suite.prefix, shot.name);
        let request = suite_request.clone().with_files_in(folder);
        Ok(PlannedShot { name, index: 0, suite: Arc::clone(&suite), shot, request, suite_request, former_golden: None })
    };
    let shots = shots.into_iter().map(plan).collect::<Result<_, AppError>>()?;
    Ok((suite, hash, shots))
}

/// Returns the line of the first option that is wrong on its own, else that of the table.
fn line_of_mistake(shot: &Shot) -> usize {
    let is_wrong = |option: &String| parse_shot_options(PathBuf::new(), std::slice::from_ref(option)).is_err();
    let mistake = shot.options.iter().position(is_wrong);
    mistake.and_then(|index| shot.option_lines.get(index).copied()).unwrap_or(shot.line)
}

/// The files of the request of a shot, its masks and its profile.
fn input_files(folder: &Path, shot: &Shot, request: &RenderRequest) -> Vec<InputFile> {
    let masks = shot.mask.iter().filter_map(MaskRegion::file).map(|file| folder.join(file));
    let profile = match &shot.kind {
        ShotKind::Check { profile } => profile.as_ref().map(|file| folder.join(file)),
        _ => None,
    };
    let others = masks.chain(profile).map(|path| InputFile { path, is_optional: false });
    request.input_files().into_iter().chain(others).collect()
}

/// Refuses a shot that needs a converter: its result depends on the version of a program, and a suite may be of a stranger.
fn check_unconverted(folder: &Path, shot: &Shot, request: &RenderRequest) -> Result<(), String> {
    if request.scene.conversion.converter.is_some() {
        return Err("a suite cannot name a converter".to_owned());
    }
    match input_files(folder, shot, request).into_iter().find(|file| is_convertible(&file.path)) {
        Some(file) => {
            let file = excerpt(&file.path.to_string_lossy());
            Err(format!("{file}: a suite has no models that need a converter; convert it once, and test the .glb"))
        }
        None => Ok(()),
    }
}

/// Refuses a shot that raises an import limit, that is too large to draw, or whose files are outside the suite's folder. `own` are the
/// limits of the command line.
fn check_untrusted(
    suite: &SuiteFiles,
    shot: &Shot,
    request: &RenderRequest,
    own: &ImportRequest,
) -> Result<(), String> {
    // It may name further files.
    if matches!(shot.kind, ShotKind::Check { profile: Some(_) }) {
        return Err("--untrusted: a suite cannot have a profile".to_owned());
    }
    let ImportRequest { allow_external_paths, limits } = &request.scene.import;
    if *allow_external_paths {
        return Err("--untrusted: a suite cannot allow external files".to_owned());
    }
    if let Some((limit, _)) = limits.iter().find(|(limit, value)| *value > limit.default_value()) {
        return Err(format!("--untrusted: a suite cannot raise the limit `{limit}`"));
    }
    // The memory of the image with its samples, and the time of its draws.
    let limits = own.policy().limits;
    let [width, height] = request.size.map(u64::from);
    let crowd = &request.scene.crowd;
    let instances =
        u64::from(crowd.instances) + crowd.other_models.iter().map(|other| u64::from(other.instances())).sum::<u64>();
    let samples = request.samples.unwrap_or(request.quality.default_samples());
    let needs = [
        (Limit::Image, 4 * width * height * u64::from(samples), "bytes of all samples of its pixels"),
        (Limit::Instances, instances, "instances"),
    ];
    if let Some((limit, needed, what)) = needs.into_iter().find(|(limit, needed, _)| *needed > limits.get(*limit)) {
        let advice = limit_option(limit, needed);
        return Err(format!("--untrusted: {needed} {what} are more than {}; add {advice}", limits.get(limit)));
    }
    let request = request.clone().with_files_in(&suite.folder);
    let files = input_files(&suite.folder, shot, &request);
    match files.into_iter().map(|file| file.path).find(|file| !is_beneath(&suite.folder, file)) {
        Some(file) => Err(format!("--untrusted: {} is outside the suite's folder", excerpt(&file.to_string_lossy()))),
        None => Ok(()),
    }
}
