//! Loader: reads and checks files on background threads.

use super::event::{CheckResult, EventSink, JobEvent, LoadRequest, LoadResult, Slot};
use super::file_stamp::file_stamps;
use crate::app::AppError;
use crate::app::scene::LoadedScene;
use crate::app::scene::lookup::find_by_name_or_index;
use crate::check;
use crate::import::{BlockSupport, ImageProgress, ImportOptions};
use crate::model::ClipIndex;
use crate::request::SceneRequest;
use crate::util::panic_guard::catch;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Loads files, one thread per request. Results that are older than the visible file are superseded.
pub(crate) struct Loader {
    slot: Slot,
    sink: EventSink,
    /// Block-compressed formats that the GPU supports; set once there is a window.
    pub(crate) blocks: Arc<OnceLock<BlockSupport>>,
    pending: Pending,
}

impl Loader {
    pub(crate) fn new(sink: EventSink, slot: Slot) -> Self {
        Self { slot, sink, blocks: Arc::default(), pending: Pending::default() }
    }

    /// Starts to load a file. The first slot is also checked.
    pub(crate) fn start(&mut self, request: LoadRequest) {
        let images = Arc::default();
        let (id, slot) = (self.pending.add(&request.file, &images), self.slot);
        let options = ImportOptions {
            block_support: Some(Arc::clone(&self.blocks)),
            progress: Some(images),
            ..ImportOptions::default()
        };
        let sink = self.sink.clone();
        std::thread::spawn(move || {
            let mut files = vec![request.file.clone()];
            let mut stamps = file_stamps(&files);
            let file = request.file.clone();
            let opened = catch(|| open_request(&request, &options));
            let result = opened.unwrap_or_else(|| Err(AppError::Crashed { file: file.clone() })).map(Box::new);
            let policy = request.scene.import.policy();
            let is_loaded = result.is_ok();
            if let Ok(scene) = &result {
                files.extend(scene.asset.external_files());
                stamps.extend(file_stamps(&files[1..]));
            }
            let loaded = LoadResult { slot, id, request, result, files, stamps };
            if sink(JobEvent::Loaded(Box::new(loaded))) && is_loaded && slot == Slot::First {
                let issues = catch(|| check::check_file(&file, &policy)).unwrap_or_default();
                sink(JobEvent::Checked(CheckResult { file, issues }));
            }
        });
    }

    /// Removes a finished request. Returns `false` if a newer file is already visible.
    pub(crate) fn finish(&mut self, loaded: &LoadResult) -> bool {
        self.pending.finish(loaded.id, loaded.result.is_ok())
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
        time_secs: request.scene.time_secs,
        ..without_file_specific_items(&request.scene)
    };
    let mut scene = open(&rest_pose)?;
    let variant = reload.variant.filter(|variant| *variant < scene.model().variants.len());
    if let Some(variant) = variant {
        scene.animator.rig_mut().appearance_mut().0.choose_variant(variant);
    }
    let scenes = scene.model().scenes.iter().map(|scene| scene.name.as_deref());
    if let Some(index) = find_by_name(&reload.scene, scenes).filter(|&index| index != scene.scene.0) {
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
        time_secs: 0.0,
        layers: Vec::new(),
        joint_poses: Vec::new(),
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

    fn finish(&mut self, id: u64, succeeded: bool) -> bool {
        self.files.retain(|pending| pending.id != id);
        let is_current = id > self.visible;
        if is_current && succeeded {
            self.visible = id;
        }
        is_current
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::viewer::state::document::ReloadState;
    use crate::request::SceneRequest;

    #[test]
    fn latest_request_wins_in_any_order() {
        let mut pending = Pending::default();
        let [a, b, c] = ["a", "b", "c"].map(|file| pending.add(Path::new(file), &Arc::default()));
        assert!(pending.finish(b, true));
        assert!(!pending.finish(a, true));
        assert_eq!(pending.files.last().map(|pending| pending.file.as_path()), Some(Path::new("c")));
        assert!(pending.finish(c, true));
        assert!(pending.files.is_empty());
    }

    #[test]
    fn failed_request_does_not_supersede_an_earlier_one() {
        let mut pending = Pending::default();
        let [a, b] = ["a", "b"].map(|file| pending.add(Path::new(file), &Arc::default()));
        assert!(pending.finish(b, false));
        assert!(pending.finish(a, true));
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
