//! Reading files on other threads.

use crate::app::AppError;
use crate::app::stage::Stage;
use crate::cli::PoseArgs;
use crate::import::ImageLoading;
use std::path::{Path, PathBuf};
use winit::event_loop::EventLoopProxy;

/// A file that was being read is ready, or is not to be had.
pub(super) struct Loaded {
    /// Which of the requests this answers.
    request: u64,
    /// Seconds into the clip at which it starts.
    pub(super) start_secs: f64,
    /// The file, ready to be shown.
    pub(super) result: Result<Box<Stage>, AppError>,
}

/// The files that are being read.
///
/// Each has a thread. They may become ready in any order; one that was asked for before the one on screen comes too late.
pub(super) struct Loader {
    proxy: EventLoopProxy<Loaded>,
    pending: Pending,
}

impl Loader {
    /// A loader that tells `proxy`'s event loop.
    pub(super) fn new(proxy: EventLoopProxy<Loaded>) -> Self {
        Self { proxy, pending: Pending::default() }
    }

    /// Starts reading a file.
    pub(super) fn start(&mut self, file: PathBuf, args: PoseArgs) {
        let request = self.pending.add(&file);
        let proxy = self.proxy.clone();
        std::thread::spawn(move || {
            // The last net: whatever goes wrong in a thread, the window hears of it.
            let opened = std::panic::catch_unwind(|| Stage::open(&file, &args, ImageLoading::Decode));
            let result = opened.unwrap_or_else(|_| Err(AppError::Crashed { file: file.clone() })).map(Box::new);
            // The window may be gone by now; then nobody waits.
            let _ = proxy.send_event(Loaded { request, start_secs: args.time, result });
        });
    }

    /// Notes that a file has been read; whether it is to be shown, or comes too late.
    pub(super) fn finish(&mut self, loaded: &Loaded) -> bool {
        self.pending.finish(loaded.request, loaded.result.is_ok())
    }

    /// The file that was asked for last, of those not read yet.
    pub(super) fn file(&self) -> Option<&Path> {
        self.pending.files.last().map(|(_, file)| file.as_path())
    }
}

/// The order of requests.
#[derive(Default)]
struct Pending {
    /// Not answered yet, in the order of asking.
    files: Vec<(u64, PathBuf)>,
    last_request: u64,
    /// The one on screen; 0 before the first.
    shown: u64,
}

impl Pending {
    fn add(&mut self, file: &Path) -> u64 {
        self.last_request += 1;
        self.files.push((self.last_request, file.to_owned()));
        self.last_request
    }

    fn finish(&mut self, request: u64, is_ready: bool) -> bool {
        self.files.retain(|(pending, _)| *pending != request);
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
        let [a, b, c] = ["a", "b", "c"].map(|file| pending.add(Path::new(file)));
        assert!(pending.finish(b, true));
        assert!(!pending.finish(a, true));
        assert_eq!(pending.files.last().map(|(_, file)| file.as_path()), Some(Path::new("c")));
        assert!(pending.finish(c, true));
        assert!(pending.files.is_empty());
    }

    #[test]
    fn a_broken_file_does_not_stand_in_the_way_of_an_earlier_one() {
        let mut pending = Pending::default();
        let [a, b] = ["a", "b"].map(|file| pending.add(Path::new(file)));
        assert!(pending.finish(b, false));
        assert!(pending.finish(a, true));
    }
}
