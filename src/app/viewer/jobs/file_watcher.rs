//! File watcher: reports when the open file, or a file that it references, was written.

use super::event::{EventSink, UserEvent};
use crate::app::files::file_stamp::{FileStamp, file_stamps};
use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use rigview_core::import::file_on_disk;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time without events after which a file counts as completely written.
const DEBOUNCE_DELAY: Duration = Duration::from_millis(200);

/// Delays between attempts to read a file that may be incomplete.
const RETRY_DELAYS: [Duration; 5] = [
    Duration::from_millis(300),
    Duration::from_millis(500),
    Duration::from_millis(1000),
    Duration::from_millis(2000),
    Duration::from_millis(4000),
];

pub(crate) struct FileWatcher {
    sink: EventSink,
    watcher: Option<RecommendedWatcher>,
    /// The model that is watched with its other files comes first.
    pub(crate) files: Vec<PathBuf>,
    /// Stamps of `files` when they were read.
    stamps: Vec<Option<FileStamp>>,
    debounce: Debounce,
}

impl FileWatcher {
    pub(crate) fn new(sink: EventSink) -> Self {
        Self { sink, watcher: None, files: Vec::new(), stamps: Vec::new(), debounce: Debounce::default() }
    }

    /// Replaces the watched files. Those that changed since they were read are due again.
    ///
    /// Watches parent directories, because many exporters write a temporary file and rename it. Errors of the watcher are
    /// ignored; the user can reload manually.
    pub(crate) fn watch(&mut self, files: Vec<PathBuf>, stamps: Vec<Option<FileStamp>>) {
        self.debounce = Debounce::default();
        if file_stamps(&files) != stamps {
            self.debounce.touched(Instant::now());
        }
        self.stamps = stamps;
        if self.files == files && self.watcher.is_some() {
            return;
        }
        let (sink, watched) = (self.sink.clone(), canonical_paths(&files));
        let on_event = move |event: notify::Result<notify::Event>| {
            let is_write = |event: &notify::Event| {
                let writes = match event.kind {
                    EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
                    _ => true,
                };
                writes && event.paths.iter().any(|path| watched.contains(path))
            };
            if event.is_ok_and(|event| is_write(&event)) {
                sink(UserEvent::FileChanged);
            }
        };
        self.watcher = notify::recommended_watcher(on_event).ok();
        let mut folders: Vec<PathBuf> =
            canonical_paths(&files).iter().filter_map(|file| file.parent().map(Path::to_owned)).collect();
        folders.sort();
        folders.dedup();
        if let Some(watcher) = &mut self.watcher {
            for folder in &folders {
                let _ = watcher.watch(folder, RecursiveMode::NonRecursive);
            }
        }
        self.files = files;
    }

    /// Restarts the debounce delay after a write event.
    pub(crate) fn on_change(&mut self, now: Instant) {
        self.debounce.touched(now);
    }

    /// Returns `true` if the files should be read again. Write events without a change of the stamps do not count.
    pub(crate) fn is_due(&mut self, now: Instant) -> bool {
        self.debounce.is_due(now) && file_stamps(&self.files) != self.stamps
    }

    /// The time of the next check.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.debounce.due
    }

    /// Schedules another attempt after a failed read. Returns `false` after the last one.
    pub(crate) fn retry(&mut self, now: Instant) -> bool {
        self.debounce.failed(now)
    }
}

/// Paths as the watcher reports them: folders without symbolic links.
fn canonical_paths(files: &[PathBuf]) -> Vec<PathBuf> {
    let canonical = |file: &PathBuf| {
        let file = file_on_disk(file);
        let folder = file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(file.file_name()?))
    };
    files.iter().filter_map(canonical).collect()
}

#[derive(Debug, Default)]
struct Debounce {
    due: Option<Instant>,
    /// Failed attempts since the last change.
    attempts: usize,
}

impl Debounce {
    fn touched(&mut self, now: Instant) {
        (self.due, self.attempts) = (Some(now + DEBOUNCE_DELAY), 0);
    }

    fn is_due(&mut self, now: Instant) -> bool {
        let due = self.due.is_some_and(|due| due <= now);
        if due {
            self.due = None;
        }
        due
    }

    fn failed(&mut self, now: Instant) -> bool {
        let delay = RETRY_DELAYS.get(self.attempts);
        self.attempts += 1;
        // A newer change has its own delay.
        if let (Some(delay), None) = (delay, self.due) {
            self.due = Some(now + *delay);
        }
        self.due.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debounce_is_due_once_after_the_last_write() {
        let (mut debounce, start) = (Debounce::default(), Instant::now());
        assert!(!debounce.is_due(start));
        debounce.touched(start);
        debounce.touched(start + DEBOUNCE_DELAY / 2);
        assert!(!debounce.is_due(start + DEBOUNCE_DELAY));
        assert!(debounce.is_due(start + DEBOUNCE_DELAY * 2));
        assert!(!debounce.is_due(start + DEBOUNCE_DELAY * 3), "once");
    }

    #[test]
    fn failed_reads_are_retried_a_limited_number_of_times() {
        let (mut debounce, mut now) = (Debounce::default(), Instant::now());
        debounce.touched(now);
        for _ in RETRY_DELAYS {
            now += Duration::from_secs(10);
            assert!(debounce.is_due(now));
            assert!(debounce.failed(now));
        }
        now += Duration::from_secs(10);
        assert!(debounce.is_due(now));
        assert!(!debounce.failed(now) && debounce.due.is_none());
        debounce.touched(now);
        assert!(debounce.is_due(now + DEBOUNCE_DELAY) && debounce.failed(now), "a new change resets the attempts");
    }

    #[test]
    fn file_stamps_change_when_a_file_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let files = vec![folder.path().join("a.glb"), folder.path().join("missing.bin")];
        std::fs::write(&files[0], b"1").unwrap();
        let before = file_stamps(&files);
        assert!(before[0].is_some() && before[1].is_none());
        assert_eq!(before, file_stamps(&files));
        std::fs::write(&files[0], b"12").unwrap();
        assert_ne!(before, file_stamps(&files));
        assert_eq!(canonical_paths(&files).len(), 2);
    }
}
