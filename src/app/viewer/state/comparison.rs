//! Comparison of the open file with a second one, or with its version before the last reload.

use super::document::Document;
use crate::app::scene::clip_blend::Fade;
use crate::request::SceneRequest;
use rigview_check::diff::DiffLine;
use rigview_core::util::text::file_name;
use rigview_render::drop_elsewhere;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time per file in blink mode.
const BLINK_INTERVAL: Duration = Duration::from_millis(600);

/// Minimum width of the gap between two panes, in pixels.
const MIN_PANE_GAP: u32 = 2;

/// Returns the width of each of two panes in a viewport of this width, in pixels: one at its left and one at its right edge.
pub(crate) fn pane_width(viewport_width: u32) -> u32 {
    (viewport_width.saturating_sub(MIN_PANE_GAP) / 2).max(1)
}

/// Presentation of two files in one viewport.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CompareMode {
    /// One viewport with a divider.
    #[default]
    Split,
    /// Two panes.
    SideBySide,
    /// Alternating.
    Blink,
    /// Per-pixel difference.
    Difference,
}

impl CompareMode {
    pub(crate) const ALL: [(Self, &'static str); 4] = [
        (Self::Split, "Split"),
        (Self::SideBySide, "Side by side"),
        (Self::Blink, "Blink"),
        (Self::Difference, "Difference"),
    ];
}

pub(crate) struct ComparisonState {
    /// The second file; for a version, the open file.
    pub(crate) file: PathBuf,
    /// The second document is the version of the open file before the last reload.
    pub(crate) is_before_reload: bool,
    pub(crate) is_loading: bool,
    /// `None` until it is loaded.
    pub(crate) document: Option<Document>,
    pub(crate) mode: CompareMode,
    /// Divider position as a fraction of the viewport width.
    pub(crate) split: f64,
    /// Differences of the rigs; `None` until they are known.
    pub(crate) differences: Option<Vec<DiffLine>>,
    blink_since: Instant,
    last_visible_file: Option<usize>,
    /// Request and cross-fade of the first document that the second one shows.
    synced: Option<(SceneRequest, Option<Fade>)>,
}

impl ComparisonState {
    pub(crate) fn new(file: PathBuf) -> Self {
        Self {
            file,
            is_before_reload: false,
            is_loading: true,
            document: None,
            mode: CompareMode::Split,
            split: 0.5,
            differences: None,
            blink_since: Instant::now(),
            last_visible_file: None,
            synced: None,
        }
    }

    /// Compares with an earlier version of the open file.
    pub(crate) fn with_before_reload(version: Document) -> Self {
        let file = version.scene.file.clone();
        Self { is_before_reload: true, is_loading: false, document: Some(version), ..Self::new(file) }
    }

    /// Names of both documents; `first` is the open file.
    pub(crate) fn names(&self, first: &Path) -> [String; 2] {
        let suffixes = if self.is_before_reload { [" (now)", " (before)"] } else { [""; 2] };
        [file_name(first) + suffixes[0], file_name(&self.file) + suffixes[1]]
    }

    pub(crate) fn set_document(&mut self, document: Document) {
        drop_elsewhere(self.document.replace(document));
        self.synced = None;
    }

    pub(crate) fn set_mode(&mut self, mode: CompareMode, now: Instant) {
        (self.mode, self.blink_since) = (mode, now);
    }

    pub(crate) fn set_split(&mut self, split: f64) {
        (self.mode, self.split) = (CompareMode::Split, split.clamp(0.0, 1.0));
    }

    /// Returns `true` if each document has its own pane.
    pub(crate) fn has_panes(&self) -> bool {
        self.mode == CompareMode::SideBySide && self.document.is_some()
    }

    fn blink_count(&self, now: Instant) -> u32 {
        (now.saturating_duration_since(self.blink_since).as_millis() / BLINK_INTERVAL.as_millis()) as u32
    }

    /// The index (0 or 1) of the visible file in blink mode.
    pub(crate) fn visible_file(&self, now: Instant) -> Option<usize> {
        (self.mode == CompareMode::Blink).then(|| (self.blink_count(now) % 2) as usize)
    }

    /// Returns `true` if the visible file changed since the last call.
    pub(crate) fn blinked(&mut self, now: Instant) -> bool {
        let visible_file = self.visible_file(now);
        visible_file != std::mem::replace(&mut self.last_visible_file, visible_file)
    }

    /// The time of the next blink.
    pub(crate) fn next_blink(&self, now: Instant) -> Option<Instant> {
        let blinks = self.mode == CompareMode::Blink && self.document.is_some();
        blinks.then(|| self.blink_since + BLINK_INTERVAL * (self.blink_count(now) + 1))
    }

    /// Copies view and animation of `first` to the second document.
    pub(crate) fn sync_from(&mut self, first: &Document) {
        let Some(document) = &mut self.document else { return };
        let state = (first.request().clone(), first.scene.blend().fade);
        if self.synced.as_ref() != Some(&state) {
            document.copy_request_of(first);
            self.synced = Some(state);
        }
        document.sync_from(first);
    }
}

#[cfg(test)]
mod tests {
    use super::pane_width;

    #[test]
    fn equal_panes_leave_a_gap() {
        assert_eq!([400, 401, 402, 403].map(pane_width), [199, 199, 200, 200]);
        assert_eq!([0, 1, 2, 3, 4].map(pane_width), [1; 5], "a target has pixels");
    }
}
