//! Loader and checker: read and check files on two worker threads.

use super::event::{
    EventSink, LoadPurpose, LoadRequest, LoadResult, LoadedContents, LoadedFile, PreparedScene, UserEvent, ViewportSide,
};
use super::latest_worker::LatestWorker;
use crate::app::AppError;
use crate::app::files::file_stamp::{FileStamp, file_stamps};
use crate::app::files::model_file::check_model;
use crate::app::scene::{LoadedGround, LoadedScene, SceneUpload};
use crate::app::viewer::state::app_state::Checked;
use crate::request::{ConversionRequest, GroundRequest, rig_map_file};
use rigview_check::profile::Profile;
use rigview_core::import::{ImageProgress, ImportOptions, ImportPolicy, SupportedBlockFormats};
use rigview_core::util::panic_guard::catch;
use rigview_core::util::parallel::wait_for;
use rigview_render::render::UploadOptions;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

/// Maximum time to wait for the block formats of the GPU.
const GPU_QUERY_TIMEOUT: Duration = Duration::from_secs(2);

/// Loads files one after another. A waiting request is superseded by a later one.
pub(crate) struct Loader {
    pub(crate) gpu: GpuOptions,
    pending: Pending,
    worker: LatestWorker<Job>,
}

/// What a loader needs to know of the GPU. Set once there is a window, which loaders wait for.
#[derive(Clone, Default)]
pub(crate) struct GpuOptions {
    pub(crate) block_formats: Arc<OnceLock<SupportedBlockFormats>>,
    pub(crate) upload: Arc<OnceLock<UploadOptions>>,
}

struct Job {
    id: u64,
    request: LoadRequest,
    options: ImportOptions,
    gpu: GpuOptions,
}

pub(crate) struct CheckJob {
    /// The number of its load request.
    pub(crate) id: u64,
    pub(crate) file: PathBuf,
    pub(crate) policy: ImportPolicy,
    pub(crate) conversion: ConversionRequest,
    /// A file with the rules of a project.
    pub(crate) profile: Option<PathBuf>,
}

/// The worker that checks files. It reads the profile for each of them, so that a change of its file counts.
pub(crate) fn checker(sink: EventSink) -> LatestWorker<CheckJob> {
    LatestWorker::new(move |CheckJob { id, file, policy, conversion, profile }| {
        let profile = profile.map(|profile| Profile::open(&profile));
        let rules = profile.as_ref().and_then(|profile| profile.as_ref().ok());
        let issues = catch(|| check_model(&file, &conversion, &policy, None, rules)).unwrap_or_default();
        let profile = profile.map(|profile| profile.map(|profile| profile.name().to_owned()));
        sink(UserEvent::Checked(id, Checked { issues, profile }));
    })
}

impl Loader {
    pub(crate) fn new(sink: EventSink, side: ViewportSide) -> Self {
        let worker = LatestWorker::new(move |job: Job| _ = sink(UserEvent::Loaded(Box::new(load(job, side)))));
        Self { gpu: GpuOptions::default(), pending: Pending::default(), worker }
    }

    pub(crate) fn start(&mut self, request: LoadRequest) {
        let images = Arc::default();
        let id = self.pending.add(&request.file, &images);
        let gpu = self.gpu.clone();
        let cell = Arc::clone(&gpu.block_formats);
        let block_formats = move || wait_for(&cell, GPU_QUERY_TIMEOUT).cloned().unwrap_or_default();
        let options = ImportOptions::default().with_block_formats(block_formats).with_progress(images);
        self.worker.submit(Job { id, request, options, gpu });
    }

    /// Requests the last of the files again whose uploads were lost, unless a later one is requested. Undo restores a ground.
    pub(crate) fn start_again(&mut self, lost: Vec<LoadedFile>) {
        lost.iter().for_each(|file| self.finish(file, false));
        let is_ground = |file: &LoadedFile| matches!(file.request.purpose, LoadPurpose::Ground { .. });
        if self.file().is_none()
            && let Some(file) = lost.into_iter().min_by_key(is_ground)
            && !matches!(file.request.purpose, LoadPurpose::Upload(_))
        {
            self.start(file.request);
        }
    }

    /// The number of the request that loaded the visible file.
    pub(crate) fn visible(&self) -> u64 {
        self.pending.visible
    }

    /// Removes a finished request, and those that it superseded.
    pub(crate) fn finish(&mut self, loaded: &LoadedFile, is_ok: bool) {
        self.pending.finish(loaded.id, is_ok);
    }

    /// The latest file that is still loading.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.pending.files.last().map(|pending| pending.file.as_path())
    }

    /// Decoded and total images of [`file`](Self::file).
    pub(crate) fn images(&self) -> (usize, usize) {
        self.pending.files.last().map_or((0, 0), |pending| pending.images.counts())
    }
}

fn load(Job { id, mut request, options, gpu }: Job, side: ViewportSide) -> LoadResult {
    let mut files = vec![request.file.clone()];
    let mut stamps = file_stamps(&files);
    let started = SystemTime::now();
    let prepared = catch(|| {
        let contents = open_request(&mut request, options)?;
        let upload_options = *gpu.upload.wait();
        let models = match &contents {
            LoadedContents::Scene(scene) => SceneUpload::prepare(&scene.rigs(), upload_options),
            LoadedContents::Ground(ground) => SceneUpload::prepare([ground.surface.rig()], upload_options),
            LoadedContents::Rigs(rigs) => SceneUpload::prepare(rigs, upload_options),
        };
        Ok(PreparedScene { contents, models })
    });
    let result = prepared.unwrap_or_else(|| Err(AppError::Crashed(request.file.clone())));
    if let Ok(PreparedScene { contents: LoadedContents::Scene(scene), .. }) = &result {
        files.extend(scene.gltf_file.external_files());
        files.push(rig_map_file(&request.file));
        // A side file that was written meanwhile may be read half: without a stamp it is read again.
        let meanwhile = started..SystemTime::now();
        let is_whole = |(_, modified): &FileStamp| modified.is_none_or(|time| !meanwhile.contains(&time));
        stamps.extend(file_stamps(&files[1..]).into_iter().map(|stamp| stamp.filter(is_whole)));
    }
    LoadResult { file: LoadedFile { side, id, request, files, stamps }, result }
}

fn open_request(request: &mut LoadRequest, options: ImportOptions) -> Result<LoadedContents, AppError> {
    let LoadRequest { file, scene, purpose } = request;
    let scene = match purpose {
        // Elements that the new file lacks are not an error here.
        LoadPurpose::Reload(_, clip) => LoadedScene::open_again(file, scene, *clip, options)?,
        LoadPurpose::Open => LoadedScene::open_as(file, scene, options)?,
        LoadPurpose::Upload(rigs) => return Ok(LoadedContents::Rigs(std::mem::take(rigs))),
        LoadPurpose::Ground { leg_length, .. } => {
            let (ground, options) = (GroundRequest::File(file.clone()), options.with_policy(scene.import.policy()));
            return Ok(LoadedContents::Ground(Box::new(LoadedGround::open(&ground, *leg_length, 1, scene, &options)?)));
        }
    };
    Ok(LoadedContents::Scene(Box::new(scene)))
}

#[derive(Default)]
struct Pending {
    /// Unfinished requests, oldest first.
    files: Vec<PendingFile>,
    last_id: u64,
    /// The request of the visible file; 0 before the first.
    visible: u64,
}

struct PendingFile {
    id: u64,
    file: PathBuf,
    images: Arc<ImageProgress>,
}

impl Pending {
    fn add(&mut self, file: &Path, images: &Arc<ImageProgress>) -> u64 {
        self.last_id += 1;
        self.files.push(PendingFile { id: self.last_id, file: file.to_owned(), images: Arc::clone(images) });
        self.last_id
    }

    fn finish(&mut self, id: u64, succeeded: bool) {
        self.files.retain(|pending| pending.id > id);
        if succeeded {
            self.visible = id;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::viewer::state::document::Reload;
    use crate::request::{CrowdRequest, SceneRequest};
    use rigview_core::model::ClipIndex;

    #[test]
    fn finished_request_removes_superseded_ones() {
        let mut pending = Pending::default();
        let [a, b, c] = ["a", "b", "c"].map(|file| pending.add(Path::new(file), &Arc::default()));
        pending.finish(a, true);
        pending.finish(b, false);
        assert_eq!(pending.visible, a, "a failed request leaves the file before it visible");
        assert_eq!(pending.files.last().map(|pending| pending.file.as_path()), Some(Path::new("c")));
        let d = pending.add(Path::new("d"), &Arc::default());
        pending.finish(d, true);
        assert!(pending.files.is_empty() && c < d, "the worker dropped c");
    }

    #[test]
    fn each_check_reads_the_profile_and_a_missing_one_does_not_stop_it() {
        let folder = tempfile::tempdir().unwrap();
        let rules = folder.path().join("rules.toml");
        let (results, finished) = std::sync::mpsc::channel();
        let checker = checker(Arc::new(move |event| match event {
            UserEvent::Checked(id, checked) => results.send((id, checked)).is_ok(),
            _ => false,
        }));
        let check = |id, profile: Option<&str>| {
            profile.iter().for_each(|text| std::fs::write(&rules, text).unwrap());
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/windmill.glb");
            let (policy, conversion) = (ImportPolicy::default(), ConversionRequest::default());
            checker.submit(CheckJob { id, file, policy, conversion, profile: Some(rules.clone()) });
            let (checked_id, checked) = finished.recv().unwrap();
            assert_eq!(checked_id, id);
            (checked.issues.len(), checked.profile.unwrap())
        };
        let (without, missing) = check(1, None);
        assert!(missing.unwrap_err().contains("rules.toml: "));
        assert_eq!(check(2, Some("name = 'small'\n[limits]\ntriangles = 3")), (without + 1, Ok("small".to_owned())));
        let (issues, broken) = check(3, Some("[limits]\npolygons = 3"));
        assert!(issues == without && broken.as_ref().unwrap_err().contains("polygons"), "{broken:?}");
    }

    #[test]
    fn reload_keeps_what_the_new_version_has() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/windmill.glb");
        let open = |clip: &str, index: u32| {
            let crowd = CrowdRequest { instances: 3, ..CrowdRequest::default() };
            let scene = SceneRequest {
                clip: Some(clip.to_owned()),
                variant: Some("no longer there".to_owned()),
                layers: vec!["no longer there:0.5".parse().unwrap()],
                joint_poses: ["gone", "tower"].map(|joint| format!("{joint}=0,30,0").parse().unwrap()).into(),
                crowd,
                ..SceneRequest::default()
            };
            let purpose = LoadPurpose::Reload(Reload::Changed { is_watched: true }, Some(ClipIndex(index)));
            let mut request = LoadRequest { file: file.clone(), scene, purpose };
            let contents = open_request(&mut request, ImportOptions::default()).unwrap();
            let LoadedContents::Scene(scene) = contents else { panic!("no scene") };
            assert_eq!((scene.crowd.len(), request.scene.variant, request.scene.layers.len()), (3, None, 0));
            scene.playing_clip().and_then(|clip| clip.name.clone())
        };
        assert_eq!(open("yaw", 0).as_deref(), Some("yaw"));
        let names = |index| open("renamed", index);
        assert_eq!(names(9), names(2), "the last clip in place of one that is gone");
        assert!(names(0) != names(1) && names(0).is_some());
        assert_eq!(open("none", 0), None);
    }
}
