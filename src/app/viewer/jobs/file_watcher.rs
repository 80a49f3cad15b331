//! Notices when the file on screen, or one that it names, has been written anew.

use crate::app::viewer::app::UserEvent;
use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use winit::event_loop::EventLoopProxy;

/// A file that has been still for so long is taken for whole.
const DEBOUNCE_DELAY: Duration = Duration::from_millis(200);

/// How long a file that cannot be read is taken for half-written: it is tried again after each of these.
const RETRY_DELAYS: [Duration; 5] = [
    Duration::from_millis(300),
    Duration::from_millis(500),
    Duration::from_millis(1000),
    Duration::from_millis(2000),
    Duration::from_millis(4000),
];

/// The files behind what is on screen.
pub(crate) struct FileWatcher {
    proxy: EventLoopProxy<UserEvent>,
    watcher: Option<RecommendedWatcher>,
    files: Vec<PathBuf>,
    /// The files as they were when they were read.
    seen: Vec<Option<FileStamp>>,
    settling: Debounce,
}

/// What tells one state of a file from another without reading it.
pub(crate) type FileStamp = (u64, Option<SystemTime>);

impl FileWatcher {
    /// Watches nothing yet; tells `proxy`'s event loop.
    pub(crate) fn new(proxy: EventLoopProxy<UserEvent>) -> Self {
        Self { proxy, watcher: None, files: Vec::new(), seen: Vec::new(), settling: Debounce::default() }
    }

    /// Watches these files from now on, which are as `seen` when they were read.
    ///
    /// Whoever writes a file may write another one and rename it, so that their folders are watched. Where the system
    /// cannot do that, nothing is noticed: a key reads the file again.
    pub(crate) fn follow(&mut self, files: Vec<PathBuf>, seen: Vec<Option<FileStamp>>) {
        self.settling = Debounce::default();
        self.seen = seen;
        if self.files == files && self.watcher.is_some() {
            return;
        }
        let (proxy, names) = (self.proxy.clone(), absolute(&files));
        let tell = move |event: notify::Result<notify::Event>| {
            let changes = |event: &notify::Event| {
                let writes = match event.kind {
                    EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
                    _ => true,
                };
                writes && event.paths.iter().any(|path| names.contains(path))
            };
            if event.is_ok_and(|event| changes(&event)) {
                // The window may be gone by now.
                let _ = proxy.send_event(UserEvent::FileChanged);
            }
        };
        self.watcher = notify::recommended_watcher(tell).ok();
        let mut folders: Vec<PathBuf> =
            absolute(&files).iter().filter_map(|file| file.parent().map(Path::to_owned)).collect();
        folders.sort();
        folders.dedup();
        if let Some(watcher) = &mut self.watcher {
            for folder in &folders {
                let _ = watcher.watch(folder, RecursiveMode::NonRecursive);
            }
        }
        self.files = files;
    }

    /// Hears that one of the files has been touched.
    pub(crate) fn touched(&mut self, now: Instant) {
        self.settling.touched(now);
    }

    /// Whether it is time to read the files again.
    pub(crate) fn is_due(&mut self, now: Instant) -> bool {
        if !self.settling.is_due(now) {
            return false;
        }
        // Touched is not changed.
        file_stamps(&self.files) != self.seen
    }

    /// When to ask again.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.settling.due
    }

    /// Hears that the files could not be read; whether they are tried once more, since they may be half-written.
    pub(crate) fn failed(&mut self, now: Instant) -> bool {
        self.settling.failed(now)
    }
}

/// The states of files at present.
pub(crate) fn file_stamps(files: &[PathBuf]) -> Vec<Option<FileStamp>> {
    let print = |file: &PathBuf| {
        let metadata = std::fs::metadata(file).ok()?;
        Some((metadata.len(), metadata.modified().ok()))
    };
    files.iter().map(print).collect()
}

fn absolute(files: &[PathBuf]) -> Vec<PathBuf> {
    // As the watcher calls them: folders by their own names, without links.
    let name = |file: &PathBuf| {
        let folder = file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        let folder = folder.canonicalize().ok()?;
        Some(folder.join(file.file_name()?))
    };
    files.iter().filter_map(name).collect()
}

/// When a file that is being written can be read.
#[derive(Debug, Default)]
struct Debounce {
    due: Option<Instant>,
    /// Tries since the last change that did not succeed.
    tries: usize,
}

impl Debounce {
    fn touched(&mut self, now: Instant) {
        (self.due, self.tries) = (Some(now + DEBOUNCE_DELAY), 0);
    }

    fn is_due(&mut self, now: Instant) -> bool {
        let due = self.due.is_some_and(|due| due <= now);
        if due {
            self.due = None;
        }
        due
    }

    fn failed(&mut self, now: Instant) -> bool {
        let wait = RETRY_DELAYS.get(self.tries);
        self.tries += 1;
        // A change that came meanwhile has its own time.
        if let (Some(wait), None) = (wait, self.due) {
            self.due = Some(now + *wait);
        }
        self.due.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_when_it_has_been_still() {
        let (mut settling, start) = (Debounce::default(), Instant::now());
        assert!(!settling.is_due(start));
        settling.touched(start);
        settling.touched(start + DEBOUNCE_DELAY / 2);
        assert!(!settling.is_due(start + DEBOUNCE_DELAY));
        assert!(settling.is_due(start + DEBOUNCE_DELAY * 2));
        assert!(!settling.is_due(start + DEBOUNCE_DELAY * 3), "once");
    }

    #[test]
    fn a_half_written_file_is_tried_again_but_not_for_ever() {
        let (mut settling, mut now) = (Debounce::default(), Instant::now());
        settling.touched(now);
        for _ in RETRY_DELAYS {
            now += Duration::from_secs(10);
            assert!(settling.is_due(now));
            assert!(settling.failed(now));
        }
        now += Duration::from_secs(10);
        assert!(settling.is_due(now));
        assert!(!settling.failed(now) && settling.due.is_none());
        settling.touched(now);
        assert!(settling.is_due(now + DEBOUNCE_DELAY) && settling.failed(now), "a new change is a new beginning");
    }

    #[test]
    fn a_file_that_is_written_differs_from_what_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let files = vec![folder.path().join("a.glb"), folder.path().join("missing.bin")];
        std::fs::write(&files[0], b"1").unwrap();
        let before = file_stamps(&files);
        assert!(before[0].is_some() && before[1].is_none());
        assert_eq!(before, file_stamps(&files));
        std::fs::write(&files[0], b"12").unwrap();
        assert_ne!(before, file_stamps(&files));
        assert_eq!(absolute(&files).len(), 2);
    }
}
