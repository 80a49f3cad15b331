//! What the window remembers from one day to the next.

use crate::app::viewer::state::{Backdrop, Navigation};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A panel around the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Panel {
    /// The tree of the file, at the left.
    Tree,
    /// Clips, problems and so on, at the right.
    Side,
    /// The timeline, at the bottom.
    Timeline,
}

/// What the panel at the right shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Tab {
    /// The clips of the file.
    #[default]
    Clips,
    /// The numbers of what is selected.
    Details,
    /// The ways of looking.
    DebugView,
    /// Many of the model.
    Crowd,
    /// What is odd about the file.
    Problems,
    /// What differs between two files.
    Compare,
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Dark.
    Dark,
    /// Light.
    Light,
}

/// What the window remembers. Whatever a file does not say, or says wrongly, is as in a new one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    /// Frames in a second of a clip.
    pub(crate) frames_per_sec: f64,
    /// Light or dark.
    pub(crate) theme: Theme,
    /// What is behind the model.
    pub(crate) backdrop: Backdrop,
    /// What the pointer's buttons do.
    pub(crate) navigation: Navigation,
    /// Files opened lately, the latest first.
    pub(crate) recent: Vec<PathBuf>,
    /// The panels.
    pub(crate) panels: Panels,
    /// Size of the window, in units of the display's scale.
    pub(crate) window: [f64; 2],
}

/// Which panels are there, and how large. Sizes are in units of the display's scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Panels {
    /// Whether only the model is shown, whatever else is said here.
    pub(crate) hidden: bool,
    /// The tree of the file.
    pub(crate) tree: bool,
    /// Clips, problems and so on.
    pub(crate) side: bool,
    /// The timeline.
    pub(crate) timeline: bool,
    /// What the panel at the right shows.
    pub(crate) tab: Tab,
    /// Width of the tree.
    pub(crate) tree_width: f32,
    /// Width of the panel at the right.
    pub(crate) side_width: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            frames_per_sec: 24.0,
            theme: Theme::default(),
            backdrop: Backdrop::default(),
            navigation: Navigation::default(),
            recent: Vec::new(),
            panels: Panels::default(),
            window: [1280.0, 800.0],
        }
    }
}

impl Default for Panels {
    fn default() -> Self {
        Self {
            hidden: false,
            tree: true,
            side: true,
            timeline: true,
            tab: Tab::default(),
            tree_width: 240.0,
            side_width: 290.0,
        }
    }
}

impl Settings {
    /// The settings in `text`, item by item: what cannot be understood is as in new ones, and spoils nothing else.
    pub(crate) fn from_text(text: &str) -> Self {
        let mut settings = Self::default();
        let Ok(table) = text.parse::<toml::Table>() else { return settings };
        fn take<T: serde::de::DeserializeOwned>(table: &toml::Table, name: &str, to: &mut T) {
            if let Some(value) = table.get(name).and_then(|value| value.clone().try_into().ok()) {
                *to = value;
            }
        }
        take(&table, "frames_per_sec", &mut settings.frames_per_sec);
        take(&table, "theme", &mut settings.theme);
        take(&table, "backdrop", &mut settings.backdrop);
        take(&table, "navigation", &mut settings.navigation);
        take(&table, "recent", &mut settings.recent);
        take(&table, "panels", &mut settings.panels);
        take(&table, "window", &mut settings.window);
        settings.mend();
        settings
    }

    /// Brings numbers into bounds.
    fn mend(&mut self) {
        let fresh = Self::default();
        let mend = |number: &mut f64, least: f64, most: f64, fresh: f64| {
            *number = if number.is_finite() { number.clamp(least, most) } else { fresh };
        };
        mend(&mut self.frames_per_sec, 1.0, 240.0, fresh.frames_per_sec);
        mend(&mut self.window[0], 320.0, 16384.0, fresh.window[0]);
        mend(&mut self.window[1], 240.0, 16384.0, fresh.window[1]);
        for (width, fresh) in [
            (&mut self.panels.tree_width, fresh.panels.tree_width),
            (&mut self.panels.side_width, fresh.panels.side_width),
        ] {
            *width = if width.is_finite() { width.clamp(120.0, 2000.0) } else { fresh };
        }
        self.recent.truncate(64);
    }
}

impl Panels {
    /// Shows a panel, or hides it. With all panels hidden it is shown.
    pub(crate) fn toggle(&mut self, panel: Panel) {
        let document = match panel {
            Panel::Tree => &mut self.tree,
            Panel::Side => &mut self.side,
            Panel::Timeline => &mut self.timeline,
        };
        *document = self.hidden || !*document;
        self.hidden = false;
    }

    /// Shows one of the panels at the right.
    pub(crate) fn show_tab(&mut self, tab: Tab) {
        (self.tab, self.side, self.hidden) = (tab, true, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_spoils_nothing_else() {
        let text = "frames_per_sec = nan\ntheme = 'mauve'\nbackdrop = 'black'\nwindow = [1e9, -5]\nunknown = 1\n\
                    [panels]\ntree = false\ntree_width = -3.0";
        let settings = Settings::from_text(text);
        assert_eq!((settings.frames_per_sec, settings.theme), (24.0, Theme::System));
        assert_eq!((settings.backdrop, settings.window), (Backdrop::Black, [16384.0, 240.0]));
        assert_eq!((settings.panels.tree, settings.panels.tree_width, settings.panels.side), (false, 120.0, true));
        assert_eq!(Settings::from_text("]["), Settings::default());
    }

    #[test]
    fn a_panel_that_is_asked_for_is_shown_even_with_all_hidden() {
        let mut panels = Panels { hidden: true, ..Panels::default() };
        panels.toggle(Panel::Tree);
        assert!(panels.tree && !panels.hidden);
        panels.toggle(Panel::Tree);
        assert!(!panels.tree);
        panels.hidden = true;
        panels.show_tab(Tab::Details);
        assert!(panels.side && !panels.hidden && panels.tab == Tab::Details);
    }
}
