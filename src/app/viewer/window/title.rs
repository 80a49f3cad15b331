//! The words on the window's frame.

use crate::app::viewer::state::document::Document;
use crate::util::text::{file_name, one_line};
use std::path::Path;
use std::time::{Duration, Instant};

/// The title follows the time no more often than this; window managers are slow at it.
const INTERVAL: Duration = Duration::from_millis(100);

/// How long it tells of a file that could not be opened.
const TROUBLE_FOR: Duration = Duration::from_secs(5);

/// The title as it was set last, and when it may be set again.
#[derive(Default)]
pub(crate) struct Title {
    text: String,
    set_at: Option<Instant>,
    /// A file that could not be opened, and until when that is told.
    trouble: Option<(String, Instant)>,
}

impl Title {
    /// Lets the next update through, however soon it comes.
    pub(crate) fn refresh(&mut self) {
        self.set_at = None;
    }

    /// Tells for a while that `file` could not be opened.
    pub(crate) fn tell_trouble(&mut self, file: &Path, now: Instant) {
        self.trouble = Some((format!("cannot open {}", file_name(file)), now + TROUBLE_FOR));
        self.refresh();
    }

    /// When to look at it again even if nothing happens.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.trouble.as_ref().map(|(_, until)| *until)
    }

    /// The title to set; `None` while the present one does.
    pub(crate) fn update(&mut self, now: Instant, document: Option<&Document>, loading: Option<&Path>) -> Option<&str> {
        if self.trouble.as_ref().is_some_and(|(_, until)| *until <= now) {
            self.trouble = None;
            self.refresh();
        }
        if self.set_at.is_some_and(|set_at| now - set_at < INTERVAL) {
            return None;
        }
        let trouble = self.trouble.as_ref().map(|(text, _)| text.clone());
        let loading = loading.map(|file| format!("loading {}", file_name(file)));
        let parts: Vec<String> = [trouble, document.map(show), loading].into_iter().flatten().collect();
        let text = format!("{} - rigview", parts.join(" - "));
        if text == self.text {
            return None;
        }
        (self.text, self.set_at) = (text, Some(now));
        Some(&self.text)
    }
}

/// File, clip and time.
fn show(document: &Document) -> String {
    let clip = match document.scene.playing() {
        Some(clip) => format!(
            "{} - {:.2} / {:.2} s{}",
            one_line(clip.name.as_deref().unwrap_or("clip")),
            document.playback.time_secs,
            clip.duration_secs,
            if document.playback.playing { "" } else { " (paused)" },
        ),
        None => "rest pose".to_owned(),
    };
    format!("{} - {clip}", file_name(&document.scene.file))
}
