//! Window title: file and clip, and the time of a paused clip.

use crate::app::viewer::state::document::Document;
use rigview_core::util::text::{file_name, one_line};
use std::path::Path;
use std::time::{Duration, Instant};

/// Minimum time between two updates; window managers are slow at it.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// Time for which an error stays in the title.
const ERROR_DURATION: Duration = Duration::from_secs(5);

#[derive(Default)]
pub(crate) struct WindowTitle {
    text: String,
    updated_at: Option<Instant>,
    /// The error text and its expiry.
    error: Option<(String, Instant)>,
}

impl WindowTitle {
    /// Allows an update at once.
    pub(crate) fn refresh(&mut self) {
        self.updated_at = None;
    }

    /// Shows for some seconds that `file` failed to open.
    pub(crate) fn show_error(&mut self, file: &Path, now: Instant) {
        self.error = Some((format!("cannot open {}", file_name(file)), now + ERROR_DURATION));
        self.refresh();
    }

    /// The time of the next update without other events.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.error.as_ref().map(|(_, until)| *until)
    }

    /// Returns the new title; `None` if it is unchanged.
    pub(crate) fn update(&mut self, now: Instant, document: Option<&Document>, loading: Option<&Path>) -> Option<&str> {
        if self.error.as_ref().is_some_and(|(_, until)| *until <= now) {
            self.error = None;
            self.refresh();
        }
        if self.updated_at.is_some_and(|updated_at| now - updated_at < UPDATE_INTERVAL) {
            return None;
        }
        let error = self.error.as_ref().map(|(text, _)| text.clone());
        let loading = loading.map(|file| format!("loading {}", file_name(file)));
        let parts: Vec<String> = [error, document.map(document_title), loading].into_iter().flatten().collect();
        let text = parts.iter().map(String::as_str).chain(["rigview"]).collect::<Vec<_>>().join(" - ");
        if text == self.text {
            return None;
        }
        (self.text, self.updated_at) = (text, Some(now));
        Some(&self.text)
    }
}

/// File and clip, with the time while it stands still: a running clock would be a change ten times per second.
fn document_title(document: &Document) -> String {
    let playback = &document.playback;
    let clip = match document.scene.playing_clip() {
        Some(clip) => {
            let name = one_line(clip.name.as_deref().unwrap_or("clip"));
            let paused = if playback.playing { "" } else { " (paused)" };
            match playback.is_running() {
                true => name,
                false => format!("{name} - {:.2} / {:.2} s{paused}", playback.time_secs, clip.duration_secs),
            }
        }
        None => "rest pose".to_owned(),
    };
    format!("{} - {clip}", file_name(&document.scene.file))
}
