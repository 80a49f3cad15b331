//! Reading files on other threads.

use crate::app::AppError;
use crate::app::scene::LoadedScene;
use crate::app::scene::lookup::find_by_name_or_index;
use crate::app::viewer::app::UserEvent;
use crate::app::viewer::jobs::file_watcher::{FileStamp, file_stamps};
use crate::app::viewer::loading::without_file_specific_args;
use crate::check::{self, Issue};
use crate::import::{BlockSupport, ImageProgress, ImportOptions};
use crate::request::SceneRequest;
use crate::util::panic_guard::catch;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use winit::event_loop::EventLoopProxy;

/// A file to be read, and how it is to be shown.
#[derive(Clone, Debug)]
pub(crate) struct LoadRequest {
    /// The file.
    pub(crate) file: PathBuf,
    /// What of it.
    pub(crate) args: SceneRequest,
    /// The file is on screen and is read again.
    pub(crate) again: Option<ReloadState>,
}

/// What of a file on screen stays when it is read again, as far as it is still there.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ReloadState {
    /// Name and number of the clip; `None` for the rest pose.
    pub(crate) clip: Option<(Option<String>, u32)>,
    /// Name and number of the scene.
    pub(crate) scene: (Option<String>, u32),
    /// The variant of its materials.
    pub(crate) variant: Option<usize>,
    /// It was written anew; perhaps it still is being written.
    pub(crate) triggered_by_watcher: bool,
}

/// Which of two files that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// The first, or the only one.
    First,
    /// The one beside it.
    Second,
}

/// A file that was being read is ready, or is not to be had.
pub(crate) struct LoadResult {
    /// Which of two files it is.
    pub(crate) slot: Slot,
    /// Which of the requests this answers.
    request: u64,
    /// What was asked for.
    pub(crate) wish: LoadRequest,
    /// The file, ready to be shown.
    pub(crate) result: Result<Box<LoadedScene>, AppError>,
    /// All files that were read, and their states at the time.
    pub(crate) files: (Vec<PathBuf>, Vec<Option<FileStamp>>),
}

/// What is odd about a file.
pub(crate) struct CheckResult {
    /// The file.
    pub(crate) file: PathBuf,
    /// All that is odd.
    pub(crate) issues: Vec<Issue>,
}

/// The files that are being read.
///
/// Each has a thread. They may become ready in any order; one that was asked for before the one on screen comes too late.
pub(crate) struct Loader {
    slot: Slot,
    proxy: EventLoopProxy<UserEvent>,
    /// What the window's GPU samples; told once there is a window.
    pub(crate) blocks: Arc<OnceLock<BlockSupport>>,
    pending: Pending,
}

impl Loader {
    /// A loader of one of two files that tells `proxy`'s event loop.
    pub(crate) fn new(proxy: EventLoopProxy<UserEvent>, slot: Slot) -> Self {
        Self { slot, proxy, blocks: Arc::default(), pending: Pending::default() }
    }

    /// Starts reading a file.
    pub(crate) fn start(&mut self, wish: LoadRequest) {
        let images = Arc::default();
        let (request, slot) = (self.pending.add(&wish.file, &images), self.slot);
        let options = ImportOptions {
            blocks: Some(Arc::clone(&self.blocks)),
            progress: Some(images),
            ..ImportOptions::default()
        };
        let proxy = self.proxy.clone();
        std::thread::spawn(move || {
            let mut files = vec![wish.file.clone()];
            let mut seen = file_stamps(&files);
            // The last net: whatever goes wrong in a thread, the window hears of it.
            let opened = catch(|| wish.open(&options));
            let result = opened.unwrap_or_else(|| Err(AppError::Crashed { file: wish.file.clone() })).map(Box::new);
            let trust = wish.args.import.policy();
            let file = result.is_ok().then(|| wish.file.clone());
            if let Ok(scene) = &result {
                files.extend(scene.asset.external_files());
                seen.extend(file_stamps(&files[1..]));
            }
            let loaded = LoadResult { slot, request, wish, result, files: (files, seen) };
            // The window may be gone by now; then nobody waits.
            let heard = proxy.send_event(UserEvent::Loaded(Box::new(loaded)));
            if let (Ok(()), Some(file), Slot::First) = (heard, file, slot) {
                let issues = catch(|| check::check_file(&file, &trust)).unwrap_or_default();
                let _ = proxy.send_event(UserEvent::Checked(CheckResult { file, issues }));
            }
        });
    }

    /// Notes that a file has been read; whether it is to be shown, or comes too late.
    pub(crate) fn finish(&mut self, loaded: &LoadResult) -> bool {
        self.pending.finish(loaded.request, loaded.result.is_ok())
    }

    /// The file that was asked for last, of those not read yet.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.pending.files.last().map(|pending| pending.file.as_path())
    }

    /// How many of its images are decoded, and how many are to be.
    pub(crate) fn images(&self) -> (usize, usize) {
        self.pending.files.last().map_or((0, 0), |pending| pending.images.counts())
    }
}

impl LoadRequest {
    /// The variant of its materials that `scene`, which came of this, shows.
    pub(crate) fn variant_of(&self, scene: &LoadedScene) -> Option<usize> {
        let variants = &scene.model().variants;
        match (&self.again, &self.args.variant) {
            (Some(again), _) => again.variant.filter(|variant| *variant < variants.len()),
            (None, Some(asked)) => find_by_name_or_index("variant", asked, variants.iter().map(Option::as_deref)).ok(),
            (None, None) => None,
        }
    }

    /// Reads the file, as `options` say.
    fn open(&self, options: &ImportOptions) -> Result<LoadedScene, AppError> {
        let open = |args: &SceneRequest| LoadedScene::open_as(&self.file, args, options.clone());
        let Some(again) = &self.again else { return open(&self.args) };
        // What was there before may be gone; that is no error here, but for what the file itself says.
        let args = SceneRequest {
            clip: Some("none".to_owned()),
            time_secs: self.args.time_secs,
            ..without_file_specific_args(&self.args)
        };
        let mut scene = open(&args)?;
        let variant = again.variant.filter(|variant| *variant < scene.model().variants.len());
        if let Some(variant) = variant {
            scene.animator.rig_mut().appearance_mut().0.choose_variant(variant);
        }
        let scenes = scene.model().scenes.iter().map(|scene| scene.name.as_deref());
        if let Some(index) = again_at(&again.scene, scenes).filter(|&index| index != scene.scene.0) {
            let variant = variant.map(|variant| variant.to_string());
            scene = open(&SceneRequest { scene: Some(index.to_string()), variant, ..args })?;
        }
        let clips = scene.model().clips.iter().map(|clip| clip.name.as_deref());
        if let Some(clip) = again.clip.as_ref().and_then(|clip| again_at(clip, clips)) {
            scene.play(Some(crate::model::ClipIndex(clip)));
        }
        Ok(scene)
    }
}

/// The number of what had this name, or without such a name this number.
fn again_at<'a>(
    (name, number): &(Option<String>, u32),
    names: impl ExactSizeIterator<Item = Option<&'a str>> + Clone,
) -> Option<u32> {
    let same = |name: &str| names.clone().position(|other| other == Some(name)).map(|place| place as u32);
    let last = (names.len() as u32).checked_sub(1);
    name.as_deref().and_then(same).or_else(|| last.map(|last| (*number).min(last)))
}

/// The order of requests.
#[derive(Default)]
struct Pending {
    /// Not answered yet, in the order of asking.
    files: Vec<PendingFile>,
    last_request: u64,
    /// The one on screen; 0 before the first.
    shown: u64,
}

/// A file that is being read.
struct PendingFile {
    request: u64,
    file: PathBuf,
    images: Arc<ImageProgress>,
}

impl Pending {
    fn add(&mut self, file: &Path, images: &Arc<ImageProgress>) -> u64 {
        self.last_request += 1;
        let (request, file, images) = (self.last_request, file.to_owned(), Arc::clone(images));
        self.files.push(PendingFile { request, file, images });
        self.last_request
    }

    fn finish(&mut self, request: u64, is_ready: bool) -> bool {
        self.files.retain(|pending| pending.request != request);
        let in_time = request > self.shown;
        if in_time && is_ready {
            self.shown = request;
        }
        in_time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_file_wins_whichever_is_ready_first() {
        let mut pending = Pending::default();
        let [a, b, c] = ["a", "b", "c"].map(|file| pending.add(Path::new(file), &Arc::default()));
        assert!(pending.finish(b, true));
        assert!(!pending.finish(a, true));
        assert_eq!(pending.files.last().map(|pending| pending.file.as_path()), Some(Path::new("c")));
        assert!(pending.finish(c, true));
        assert!(pending.files.is_empty());
    }

    #[test]
    fn a_broken_file_does_not_stand_in_the_way_of_an_earlier_one() {
        let mut pending = Pending::default();
        let [a, b] = ["a", "b"].map(|file| pending.add(Path::new(file), &Arc::default()));
        assert!(pending.finish(b, false));
        assert!(pending.finish(a, true));
    }

    #[test]
    fn what_was_there_is_found_by_name_and_else_by_number() {
        let at = |name: Option<&str>, number, names: &[Option<&'static str>]| {
            again_at(&(name.map(str::to_owned), number), names.iter().copied())
        };
        assert_eq!(at(Some("Run"), 0, &[Some("Walk"), Some("Run")]), Some(1));
        assert_eq!(at(Some("Run"), 5, &[Some("Walk"), None]), Some(1));
        assert_eq!(at(None, 1, &[None, None]), Some(1));
        assert_eq!(at(Some("Run"), 0, &[]), None);
    }

    #[test]
    fn a_file_is_read_again_as_it_was_shown() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/windmill.glb");
        let open = |clip| {
            let crowd = crate::request::CrowdRequest { instances: 3, ..Default::default() };
            let args = SceneRequest { clip: Some("no longer there".to_owned()), crowd, ..SceneRequest::default() };
            let again = Some(ReloadState { clip, ..ReloadState::default() });
            LoadRequest { file: file.clone(), args, again }.open(&ImportOptions::default()).unwrap()
        };
        let scene = open(Some((Some("yaw".to_owned()), 0)));
        assert_eq!(scene.playing().and_then(|clip| clip.name.as_deref()), Some("yaw"));
        assert_eq!(scene.crowd.len(), 3);
        assert_eq!(open(None).clip, None);
    }
}
