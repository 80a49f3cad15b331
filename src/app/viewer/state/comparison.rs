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

/// Width of a change that the divider can divide, as a fraction of the viewport width.
const MIN_DIVISIBLE: f64 = 0.03;

/// Maximum red of equal pixels in the image of [`CompareMode::Difference`]: `compare.frag` draws them with 0.3 of their luminance.
const MAX_EQUAL_RED: u8 = 77;

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
    /// The next image places the divider: the first, unless the user chose a mode or a place, and that of an item of the list.
    pub(crate) places_split: bool,
    /// Differences of the rigs; `None` until they are known.
    pub(crate) differences: Option<Vec<DiffLine>>,
    pub(crate) blink_since: Instant,
    /// Mode, divider and visible file of the last frame.
    last_shown: (CompareMode, f64, Option<usize>),
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
            places_split: true,
            differences: None,
            blink_since: Instant::now(),
            last_shown: (CompareMode::Split, 0.5, None),
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

    pub(crate) fn set_split(&mut self, split: f64) {
        (self.mode, self.split, self.places_split) = (CompareMode::Split, split.clamp(0.0, 1.0), false);
    }

    /// Moves the divider into the middle of the changed pixels, or shows panes if it would cover them. `heat_map` is the image of
    /// [`CompareMode::Difference`] in RGBA, `width` its width in pixels.
    pub(crate) fn place_split(&mut self, heat_map: &[u8], width: usize) {
        self.places_split = false;
        let mut columns = vec![0_usize; width];
        for (i, rgba) in heat_map.chunks_exact(4).enumerate() {
            columns[i % width] += usize::from(rgba[0] > MAX_EQUAL_RED);
        }
        let total: usize = columns.iter().sum();
        // The column where this fraction of the changed pixels is left of it.
        let column = |fraction: f64| {
            let mut sum = 0;
            columns.iter().position(|count| (sum += count, sum as f64 > fraction * total as f64).1)
        };
        let [Some(first), Some(middle), Some(last)] = [0.05, 0.5, 0.95].map(column) else { return };
        self.split = (middle as f64 + 0.5) / width as f64;
        if ((last - first) as f64) < MIN_DIVISIBLE * width as f64 {
            self.mode = CompareMode::SideBySide;
        }
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

    /// Returns `true` if the visible file, the mode or the divider changed since the last call.
    pub(crate) fn changed(&mut self, now: Instant) -> bool {
        let shown = (self.mode, self.split, self.visible_file(now));
        shown != std::mem::replace(&mut self.last_shown, shown)
    }

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
    use super::*;

    #[test]
    fn equal_panes_leave_a_gap() {
        assert_eq!([400, 401, 402, 403].map(pane_width), [199, 199, 200, 200]);
        assert_eq!([0, 1, 2, 3, 4].map(pane_width), [1; 5], "a target has pixels");
    }

    #[test]
    fn divider_is_in_the_middle_of_the_change_and_leaves_that_of_the_user() {
        // Two rows of 100 pixels, which differ in these columns.
        let placed = |changed: std::ops::Range<usize>| {
            let mut comparison = ComparisonState::new(PathBuf::new());
            let pixel = |i: usize| if changed.contains(&(i % 100)) { [255, 40, 0, 255] } else { [77, 77, 77, 255] };
            comparison.place_split(&(0..200).flat_map(pixel).collect::<Vec<_>>(), 100);
            (comparison.split, comparison.mode, comparison.places_split)
        };
        assert_eq!(placed(60..80), (0.705, CompareMode::Split, false));
        assert_eq!(placed(0..100), (0.505, CompareMode::Split, false));
        assert_eq!(placed(90..91), (0.905, CompareMode::SideBySide, false), "the divider would cover it");
        assert_eq!(placed(0..0), (0.5, CompareMode::Split, false), "no visible change");
        let mut comparison = ComparisonState::new(PathBuf::new());
        comparison.set_split(0.2);
        assert!(!comparison.places_split);
    }
}
