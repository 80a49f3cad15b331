//! Loader: reads and checks files on two worker threads.

use super::event::{CheckResult, EventSink, LoadRequest, LoadResult, UserEvent, ViewportSide};
use super::file_stamp::{FileStamp, file_stamps};
use super::latest_worker::LatestWorker;
use crate::app::AppError;
use crate::app::files::model_file::check_model;
use crate::app::scene::LoadedScene;
use crate::app::scene::lookup::find_by_name_or_index;
use crate::request::{SceneRequest, TimeRequest};
use rigview_core::import::{ImageProgress, ImportOptions, ImportPolicy, SupportedBlockFormats};
use rigview_core::model::ClipIndex;
use rigview_core::util::panic_guard::catch;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

/// Loads files one after another. A waiting request is superseded by a later one.
pub(crate) struct Loader {
    /// Block-compressed formats that the GPU supports; set once there is a window.
    pub(crate) block_formats: Arc<OnceLock<SupportedBlockFormats>>,
    pending: Pending,
    worker: LatestWorker<Job>,
}

struct Job {
    id: u64,
    request: LoadRequest,
    options: ImportOptions,
}

struct CheckJob {
    id: u64,
    file: PathBuf,
    policy: ImportPolicy,
}

impl Loader {
    pub(crate) fn new(sink: EventSink, side: ViewportSide) -> Self {
        let check_sink = sink.clone();
        // A check may take long; the next file must not wait for it.
        let checker = LatestWorker::new(move |CheckJob { id, file, policy }| {
            let issues = catch(|| check_model(&file, &policy, None)).unwrap_or_default();
            check_sink(UserEvent::Checked(CheckResult { id, issues }));
        });
        let worker = LatestWorker::new(move |job: Job| {
            let check =
                CheckJob { id: job.id, file: job.request.file.clone(), policy: job.request.scene.import.policy() };
            let loaded = load(job, side);
            let is_loaded = loaded.result.is_ok();
            if sink(UserEvent::Loaded(Box::new(loaded))) && is_loaded && side == ViewportSide::First {
                checker.submit(check);
            }
        });
        Self { block_formats: Arc::default(), pending: Pending::default(), worker }
    }

    /// Requests a file. That of the first side is also checked.
    pub(crate) fn start(&mut self, request: LoadRequest) {
        let images = Arc::default();
        let id = self.pending.add(&request.file, &images);
        let options =
            ImportOptions::default().with_block_formats(Arc::clone(&self.block_formats)).with_progress(images);
        self.worker.submit(Job { id, request, options });
    }

    /// Returns `true` if request `id` loaded the visible file.
    pub(crate) fn is_visible(&self, id: u64) -> bool {
        self.pending.visible == id
    }

    /// Removes a finished request, and those that it superseded.
    pub(crate) fn finish(&mut self, loaded: &LoadResult) {
        self.pending.finish(loaded.id, loaded.result.is_ok());
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

fn load(Job { id, request, options }: Job, side: ViewportSide) -> LoadResult {
    let mut files = vec![request.file.clone()];
    let mut stamps = file_stamps(&files);
    let started = SystemTime::now();
    let opened = catch(|| open_request(&request, &options));
    let result = opened.unwrap_or_else(|| Err(AppError::Crashed { file: request.file.clone() })).map(Box::new);
    if let Ok(scene) = &result {
        files.extend(scene.gltf_file.external_files());
        // A side file that was written meanwhile may be read half: without a stamp it is read again.
        let meanwhile = started..SystemTime::now();
        let is_whole = |(_, modified): &FileStamp| modified.is_none_or(|time| !meanwhile.contains(&time));
        stamps.extend(file_stamps(&files[1..]).into_iter().map(|stamp| stamp.filter(is_whole)));
    }
    LoadResult { side, id, request, result, files, stamps }
}

/// The material variant that `scene`, the result of `request`, shows.
pub(crate) fn variant_of(request: &LoadRequest, scene: &LoadedScene) -> Option<usize> {
    let variants = &scene.model().variants;
    match (&request.reload, &request.scene.variant) {
        (Some(reload), _) => reload.variant.filter(|variant| *variant < variants.len()),
        (None, Some(name)) => find_by_name_or_index("variant", name, variants.iter().map(Option::as_deref)).ok(),
        (None, None) => None,
    }
}

fn open_request(request: &LoadRequest, options: &ImportOptions) -> Result<LoadedScene, AppError> {
    let open = |scene: &SceneRequest| LoadedScene::open_as(&request.file, scene, options.clone());
    let Some(reload) = &request.reload else { return open(&request.scene) };
    // Elements that the new file lacks are not an error here.
    let rest_pose = SceneRequest {
        clip: Some("none".to_owned()),
        time: request.scene.time,
        ..without_file_specific_items(&request.scene)
    };
    let mut scene = open(&rest_pose)?;
    let variant = reload.variant.filter(|variant| *variant < scene.model().variants.len());
    if let Some(variant) = variant {
        scene.animator.rig_mut().appearance_mut().0.choose_variant(variant);
    }
    let scenes = scene.model().scenes.iter().map(|scene| scene.name.as_deref());
    if let Some(index) = find_by_name(&reload.scene, scenes).filter(|&index| index != scene.scene_index.0) {
        let variant = variant.map(|variant| variant.to_string());
        scene = open(&SceneRequest { scene: Some(index.to_string()), variant, ..rest_pose })?;
    }
    let clips = scene.model().clips.iter().map(|clip| clip.name.as_deref());
    if let Some(clip) = reload.clip.as_ref().and_then(|clip| find_by_name(clip, clips)) {
        scene.play(Some(ClipIndex(clip)));
    }
    Ok(scene)
}

/// Removes everything that names items of one file.
pub(crate) fn without_file_specific_items(request: &SceneRequest) -> SceneRequest {
    SceneRequest {
        clip: None,
        scene: None,
        variant: None,
        time: TimeRequest::default(),
        layers: Vec::new(),
        joint_poses: Vec::new(),
        expressions: Vec::new(),
        morph_weights: Vec::new(),
        ..request.clone()
    }
}

/// Returns the index of the element named `name`; else `index`, clamped to the count.
fn find_by_name<'a>(
    (name, index): &(Option<String>, u32),
    names: impl ExactSizeIterator<Item = Option<&'a str>> + Clone,
) -> Option<u32> {
    let by_name = |name: &str| names.clone().position(|other| other == Some(name)).map(|index| index as u32);
    let last = (names.len() as u32).checked_sub(1);
    name.as_deref().and_then(by_name).or_else(|| last.map(|last| (*index).min(last)))
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
    use crate::app::viewer::state::document::ReloadState;
    use crate::request::SceneRequest;

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
    fn elements_match_by_name_else_by_index() {
        let at = |name: Option<&str>, number, names: &[Option<&'static str>]| {
            find_by_name(&(name.map(str::to_owned), number), names.iter().copied())
        };
        assert_eq!(at(Some("Run"), 0, &[Some("Walk"), Some("Run")]), Some(1));
        assert_eq!(at(Some("Run"), 5, &[Some("Walk"), None]), Some(1));
        assert_eq!(at(None, 1, &[None, None]), Some(1));
        assert_eq!(at(Some("Run"), 0, &[]), None);
    }

    #[test]
    fn reload_keeps_clip_and_crowd() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/windmill.glb");
        let open = |clip| {
            let crowd = crate::request::CrowdRequest { instances: 3, ..Default::default() };
            let args = SceneRequest { clip: Some("no longer there".to_owned()), crowd, ..SceneRequest::default() };
            let again = Some(ReloadState { clip, ..ReloadState::default() });
            open_request(&LoadRequest { file: file.clone(), scene: args, reload: again }, &ImportOptions::default())
                .unwrap()
        };
        let scene = open(Some((Some("yaw".to_owned()), 0)));
        assert_eq!(scene.playing_clip().and_then(|clip| clip.name.as_deref()), Some("yaw"));
        assert_eq!(scene.crowd.len(), 3);
        assert_eq!(open(None).clip, None);
    }
}
