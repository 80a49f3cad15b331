//! Goldens that belong to no shot.

use super::inputs::InputHashes;
use super::planned_shot::PlannedShot;
use super::suite_files::SuiteFiles;
use crate::app::AppError;
use crate::cli::Shell;
use rigview_render::image_file::png_metadata;
use rigview_suite::golden_record::{GoldenRecord, parse_golden};
use rigview_suite::report::{ShotCommand, ShotResult, Status};
use rigview_suite::stray_goldens::{PresentModels, Stray};
use rigview_suite::suite::{ShotKind, is_shot_name};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const IMAGE: &str = ".png";
const POSE: &str = ".pose.txt";

/// The goldens in the folders or stores of the suites that belong to no shot.
#[derive(Default)]
pub(crate) struct StrayGoldens {
    /// Of shots that the suite no longer has.
    pub(crate) obsolete: Vec<StrayGolden>,
    /// Of models and clips that do not exist any more. Each is a shot that fails.
    pub(crate) gone: Vec<GoneGolden>,
    /// The clips of a model cannot be listed, so that goldens without a record may be its own.
    pub(crate) has_broken_models: bool,
}

#[derive(Clone)]
pub(crate) struct StrayGolden {
    suite: Arc<SuiteFiles>,
    folder: PathBuf,
    name: String,
}

pub(crate) struct GoneGolden {
    pub(crate) golden: StrayGolden,
    record: GoldenRecord,
    message: String,
}

impl StrayGolden {
    /// The name of its shot in the suite.
    fn shot(&self) -> &str {
        self.name.strip_suffix(POSE).or_else(|| self.name.strip_suffix(IMAGE)).unwrap_or(&self.name)
    }

    pub(crate) fn read(&self, renderer: Option<&str>) -> Option<Vec<u8>> {
        self.suite.read_golden(&self.name, renderer).ok()?
    }

    /// Deletes it, unless `dry_run`. Returns `false` for files that rigview did not write, such as textures, and for links.
    pub(crate) fn prune(&self, renderer: Option<&str>, dry_run: bool) -> bool {
        if let Some(store) = &self.suite.store {
            return dry_run || store.remove(&self.name).is_ok();
        }
        let file = self.folder.join(&self.name);
        let is_own = file.symlink_metadata().is_ok_and(|found| found.is_file())
            && self.read(renderer).is_some_and(|bytes| {
                let software = png_metadata(&bytes).and_then(|metadata| metadata.software);
                bytes.starts_with(b"rigview pose ") || software.is_some_and(|software| software.starts_with("rigview "))
            });
        is_own && (dry_run || std::fs::remove_file(file).is_ok())
    }
}

impl GoneGolden {
    /// The names of its shot in the report and in the suite.
    pub(crate) fn names(&self) -> [String; 2] {
        let shot = self.golden.shot();
        [format!("{}{shot}", self.golden.suite.prefix), shot.to_owned()]
    }

    /// The failed result of its shot.
    pub(crate) fn result(&self, index: usize) -> ShotResult {
        let [name, _] = self.names();
        let suite = &self.golden.suite;
        ShotResult {
            name,
            index,
            suite: suite.file.display().to_string(),
            line: 1,
            status: Status::Gone,
            model: suite.folder.join(&self.record.command.models[0]).display().to_string(),
            message: format!("{}; --prune deletes its golden", self.message),
            ..ShotResult::default()
        }
    }
}

fn record_of(bytes: &[u8]) -> Option<GoldenRecord> {
    if let Ok((record, _)) =
        std::str::from_utf8(bytes).map_err(|_| ()).and_then(|text| parse_golden(text).map_err(|_| ()))
    {
        return Some(record);
    }
    let metadata = png_metadata(bytes)?;
    Some(GoldenRecord { command: ShotCommand::parse(&metadata.command?), inputs: metadata.inputs })
}

/// Finds the goldens of `suites` that belong to none of the `planned` shots, which are all.
pub(crate) fn find(
    suites: &[Arc<SuiteFiles>],
    planned: &[PlannedShot],
    renderer: Option<&str>,
) -> Result<StrayGoldens, AppError> {
    let resolved = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let place = |suite: &SuiteFiles| match &suite.store {
        Some(store) => store.manifest().to_owned(),
        None => resolved(&suite.goldens(renderer)),
    };
    let places: HashMap<&Path, PathBuf> = suites.iter().map(|suite| (suite.file.as_path(), place(suite))).collect();
    let known: HashSet<(&PathBuf, String)> =
        planned.iter().map(|planned| (&places[planned.suite.file.as_path()], planned.golden_name())).collect();
    let (mut found, mut searched) = (StrayGoldens::default(), HashSet::new());
    for suite in suites {
        // Without a renderer, the folder is unknown.
        if suite.needs_renderer() && renderer.is_none() {
            continue;
        }
        suite.check_goldens(renderer)?;
        let of_suite = planned.iter().filter(|planned| planned.suite.file == suite.file);
        // `clip = "*"` stays if the model cannot be read.
        let is_broken = |planned: &&PlannedShot| planned.shot.options.iter().any(|option| option == "--clip=*");
        let broken: HashSet<&str> = of_suite.filter(is_broken).map(|planned| planned.shot.model.as_str()).collect();
        found.has_broken_models |= !broken.is_empty();
        let (place, folder) = (&places[suite.file.as_path()], suite.goldens(renderer));
        if !searched.insert(place) {
            continue;
        }
        let mut names = match &suite.store {
            Some(store) => store.names(),
            None => {
                let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
                files.filter_map(|file| file.file_name().into_string().ok()).collect()
            }
        };
        names.retain(|name| (name.ends_with(IMAGE) || name.ends_with(POSE)) && !known.contains(&(place, name.clone())));
        names.sort();
        let mut models = PresentModels::new(&suite.folder, broken);
        for name in names {
            let folder = suite.store.as_ref().map_or_else(|| folder.clone(), |store| store.manifest().to_owned());
            let golden = StrayGolden { suite: Arc::clone(suite), folder, name };
            let record = golden.read(renderer).and_then(|bytes| record_of(&bytes));
            let record = record.filter(|record| {
                let model = record.command.models.first();
                is_shot_name(golden.shot()) && model.is_some_and(|model| suite.may_open(&suite.folder.join(model)))
            });
            match record.as_ref().map_or(Stray::Obsolete, |record| models.why_stray(record)) {
                Stray::OfBrokenModel => {}
                Stray::Obsolete => found.obsolete.push(golden),
                Stray::Gone(message) => {
                    found.gone.push(GoneGolden { golden, record: record.unwrap_or_default(), message });
                }
            }
        }
    }
    let mut shots = HashSet::new();
    found.gone.retain(|gone| shots.insert(gone.names()));
    Ok(found)
}

/// Gives the shots of a model that was renamed the goldens under its former name: a golden of a model that is gone records the files of
/// a shot without a golden.
pub(crate) fn follow_renamed_models(
    planned: &mut [PlannedShot],
    strays: &mut StrayGoldens,
    inputs: &InputHashes,
    renderer: Option<&str>,
) {
    let model = |gone: &GoneGolden| gone.record.command.models[0].clone();
    let is_without_model = |gone: &&GoneGolden| !gone.golden.suite.folder.join(model(gone)).exists();
    let (mut models, mut goldens) = (HashMap::new(), HashMap::new());
    for gone in strays.gone.iter().filter(is_without_model) {
        let suite = gone.golden.suite.file.clone();
        if let Some(inputs) = &gone.record.inputs {
            models.insert((suite.clone(), inputs.clone()), model(gone));
        }
        let is_pose = gone.golden.name.ends_with(POSE);
        goldens.insert((suite, is_pose, gone.record.command.clone()), gone.golden.name.clone());
    }
    if models.is_empty() {
        return;
    }
    let mut new: Vec<&mut PlannedShot> = planned
        .iter_mut()
        .filter(|planned| !matches!(planned.shot.kind, ShotKind::Check { .. }))
        .filter(|planned| planned.shot.skip.is_none() && !planned.golden(renderer).exists())
        .collect();
    let (mut former_names, mut used) = (HashMap::new(), HashSet::new());
    for planned in &new {
        let suite = &planned.suite.file;
        let former = inputs.of(planned).and_then(|inputs| models.get(&(suite.clone(), inputs)));
        let key = (suite.clone(), planned.shot.model.clone());
        if let Some(former) = former.filter(|_| !former_names.contains_key(&key))
            && used.insert((suite.clone(), former.clone()))
        {
            former_names.insert(key, former.clone());
        }
    }
    let mut moved = HashSet::new();
    for planned in &mut new {
        let suite = planned.suite.file.clone();
        let Some(former) = former_names.get(&(suite.clone(), planned.shot.model.clone())) else { continue };
        let mut command = ShotCommand::parse(&planned.image_command(Shell::Posix));
        command.models[0].clone_from(former);
        let is_pose = planned.shot.kind != ShotKind::Image;
        if let Some(name) = goldens.remove(&(suite.clone(), is_pose, command)) {
            moved.insert((suite, name.clone()));
            planned.former_golden = Some(name);
        }
    }
    strays.gone.retain(|gone| !moved.contains(&(gone.golden.suite.file.clone(), gone.golden.name.clone())));
}

/// The names of goldens for messages: file names if there is one suite, else paths.
pub(crate) fn display_names(goldens: &[StrayGolden], suites: &[Arc<SuiteFiles>]) -> Vec<String> {
    let name = |golden: &StrayGolden| match suites.len() {
        1 => golden.name.clone(),
        _ => golden.folder.join(&golden.name).display().to_string(),
    };
    goldens.iter().map(name).collect()
}
