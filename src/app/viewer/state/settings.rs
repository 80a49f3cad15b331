//! Persistent settings.

use crate::app::viewer::state::{ExportSettings, Hints, Navigation};
use crate::request::BackgroundRequest;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A panel around the viewport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Panel {
    Outliner,
    /// The tabs at the right.
    Sidebar,
    Timeline,
    /// Thumbnails of several files.
    Files,
    /// The rows of the joints below the timeline.
    DopeSheet,
    /// Curves of the selected joint in place of the keys of the dope sheet.
    Curves,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Tab {
    #[default]
    Clips,
    Properties,
    Shading,
    Light,
    Morphs,
    Crowd,
    Problems,
    Flex,
    Retarget,
    Compare,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Theme {
    /// The theme of the system.
    #[default]
    System,
    Dark,
    Light,
}

/// Smallest and largest [`Settings::ui_scale`].
const UI_SCALES: [f64; 2] = [0.5, 3.0];

/// Persistent settings. Missing and invalid values are replaced by defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    /// Frames per second of the timeline.
    pub(crate) frames_per_sec: f64,
    pub(crate) theme: Theme,
    /// Factor of the size of text and panels, besides the scale of the display.
    pub(crate) ui_scale: f64,
    /// `None` is a gradient.
    pub(crate) background: Option<BackgroundRequest>,
    pub(crate) navigation: Navigation,
    /// The latest first.
    pub(crate) recent: Vec<PathBuf>,
    /// Files with clips, the latest first.
    pub(crate) motions: Vec<PathBuf>,
    /// The rules of a project, by which each open file is checked, too.
    pub(crate) profile: Option<PathBuf>,
    pub(crate) panels: Panels,
    pub(crate) hints: Hints,
    pub(crate) export: ExportSettings,
    /// Width and height of the window in logical pixels.
    pub(crate) window: [f64; 2],
}

/// Visibility of the panels, and their sizes in logical pixels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Panels {
    /// Hides all panels. Not remembered: a window without panels does not show how to bring them back.
    #[serde(skip)]
    pub(crate) hidden: bool,
    pub(crate) outliner: bool,
    pub(crate) sidebar: bool,
    pub(crate) timeline: bool,
    pub(crate) files: bool,
    pub(crate) dope_sheet: bool,
    pub(crate) curves: bool,
    pub(crate) tab: Tab,
    pub(crate) outliner_width: f32,
    pub(crate) sidebar_width: f32,
    /// Height of the timeline with the dope sheet in logical pixels.
    pub(crate) timeline_height: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            frames_per_sec: 24.0,
            theme: Theme::default(),
            ui_scale: 1.0,
            background: None,
            navigation: Navigation::default(),
            recent: Vec::new(),
            motions: Vec::new(),
            profile: None,
            panels: Panels::default(),
            hints: Hints::default(),
            export: ExportSettings::default(),
            window: [1280.0, 800.0],
        }
    }
}

impl Default for Panels {
    fn default() -> Self {
        Self {
            hidden: false,
            outliner: true,
            sidebar: true,
            timeline: true,
            files: true,
            dope_sheet: false,
            curves: false,
            tab: Tab::default(),
            outliner_width: 240.0,
            sidebar_width: 362.0,
            timeline_height: 240.0,
        }
    }
}

impl Settings {
    /// Parses settings. Invalid values are replaced by defaults, one by one.
    pub(crate) fn from_text(text: &str) -> Self {
        let table = text.parse::<toml::Table>().unwrap_or_default();
        let is_valid =
            |entry: &(String, toml::Value)| toml::Table::from_iter([entry.clone()]).try_into::<Self>().is_ok();
        let valid: toml::Table = table.into_iter().filter(is_valid).collect();
        let mut settings = valid.try_into().unwrap_or_else(|_| Self::default());
        settings.sanitize();
        settings
    }

    /// Changes the scale of the interface by tenths; 0 restores the default.
    pub(crate) fn step_ui_scale(&mut self, tenths: i32) {
        let scale = if tenths == 0 { 1.0 } else { (self.ui_scale * 10.0).round() / 10.0 + f64::from(tenths) / 10.0 };
        self.ui_scale = scale.clamp(UI_SCALES[0], UI_SCALES[1]);
    }

    fn sanitize(&mut self) {
        let defaults = Self::default();
        let sanitize = |number: &mut f64, min: f64, max: f64, default: f64| {
            *number = if number.is_finite() { number.clamp(min, max) } else { default };
        };
        sanitize(&mut self.frames_per_sec, 1.0, 240.0, defaults.frames_per_sec);
        sanitize(&mut self.ui_scale, UI_SCALES[0], UI_SCALES[1], defaults.ui_scale);
        sanitize(&mut self.window[0], 320.0, 16384.0, defaults.window[0]);
        sanitize(&mut self.window[1], 240.0, 16384.0, defaults.window[1]);
        for (width, defaults) in [
            (&mut self.panels.outliner_width, defaults.panels.outliner_width),
            (&mut self.panels.sidebar_width, defaults.panels.sidebar_width),
            (&mut self.panels.timeline_height, defaults.panels.timeline_height),
        ] {
            *width = if width.is_finite() { width.clamp(120.0, 2000.0) } else { defaults };
        }
        // Their files are not open at the next start.
        if matches!(self.panels.tab, Tab::Compare | Tab::Retarget) {
            self.panels.tab = Tab::default();
        }
        self.export.sanitize();
        self.recent.truncate(64);
        self.motions.truncate(64);
    }
}

impl Panels {
    /// Toggles a panel. Shows it if all panels are hidden.
    pub(crate) fn toggle(&mut self, panel: Panel) {
        let is_visible = match panel {
            Panel::Outliner => &mut self.outliner,
            Panel::Sidebar => &mut self.sidebar,
            Panel::Timeline => &mut self.timeline,
            Panel::Files => &mut self.files,
            Panel::DopeSheet => {
                // It is part of the timeline.
                self.hidden |= !std::mem::replace(&mut self.timeline, true);
                &mut self.dope_sheet
            }
            Panel::Curves => {
                self.hidden |= !(std::mem::replace(&mut self.timeline, true) && self.dope_sheet);
                self.dope_sheet = true;
                &mut self.curves
            }
        };
        *is_visible = self.hidden || !*is_visible;
        self.hidden = false;
    }

    pub(crate) fn show_tab(&mut self, tab: Tab) {
        (self.tab, self.sidebar, self.hidden) = (tab, true, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::viewer::state::export::ExportSize;

    #[test]
    fn tabs_of_other_files_are_not_restored() {
        let tab = |tab: Tab| {
            let mut settings = Settings::default();
            settings.panels.tab = tab;
            Settings::from_text(&toml::to_string(&settings).unwrap()).panels.tab
        };
        assert_eq!([Tab::Light, Tab::Compare, Tab::Retarget].map(tab), [Tab::Light, Tab::default(), Tab::default()]);
    }

    #[test]
    fn invalid_values_are_replaced_by_defaults() {
        let text = "frames_per_sec = nan\ntheme = 'mauve'\nbackground = { color = [0, 0, 0.5] }\nwindow = [1e9, -5]\nunknown = 1\n\
                    [export]\nfps = 900.0\nfolder = '/out'\nimage_size = { height = 720 }\n\
                    [panels]\noutliner = false\ntab = 'properties'\noutliner_width = -3.0";
        let settings = Settings::from_text(text);
        assert_eq!((settings.frames_per_sec, settings.theme), (24.0, Theme::System));
        let background = Some(BackgroundRequest::Color([0.0, 0.0, 0.5]));
        assert_eq!((settings.background, settings.window), (background, [16384.0, 240.0]));
        assert_eq!(settings.panels.tab, Tab::Properties);
        assert_eq!(
            (settings.panels.outliner, settings.panels.outliner_width, settings.panels.sidebar),
            (false, 120.0, true)
        );
        let export = &settings.export;
        assert_eq!((export.fps, export.image_size), (120.0, ExportSize::Height(720)));
        assert_eq!(export.folder, PathBuf::from("/out"));
        assert_eq!(Settings::from_text("]["), Settings::default());
    }

    #[test]
    fn mutated_settings_are_read() {
        use rigview_core::util::hash::splitmix64;
        let (original, mut state) = (toml::to_string(&Settings::default()).unwrap(), 1);
        for _ in 0..2000 {
            let mut bytes = original.clone().into_bytes();
            for _ in 0..=splitmix64(&mut state) % 3 {
                let at = splitmix64(&mut state) as usize % bytes.len();
                let inserted = ["nan", "-1e300", "[", "{", "\n", "\"", "99999999999999999999", "= = "];
                match splitmix64(&mut state) % 3 {
                    0 => bytes[at] ^= 1 << (splitmix64(&mut state) % 8),
                    1 => drop(bytes.splice(at..at, inserted[splitmix64(&mut state) as usize % inserted.len()].bytes())),
                    _ => bytes.truncate(at.max(1)),
                }
            }
            let settings = Settings::from_text(&String::from_utf8_lossy(&bytes));
            assert!(settings.window.iter().all(|side| (240.0..=16384.0).contains(side)));
            assert!((0.5..=3.0).contains(&settings.ui_scale) && settings.frames_per_sec > 0.0);
        }
    }

    #[test]
    fn interface_scale_changes_by_tenths_within_limits() {
        let mut settings = Settings::from_text("ui_scale = 1.24");
        settings.step_ui_scale(1);
        assert!((settings.ui_scale - 1.3).abs() < 1e-12);
        settings.step_ui_scale(-50);
        assert_eq!(settings.ui_scale, 0.5);
        settings.step_ui_scale(0);
        assert_eq!(settings, Settings::default());
        assert_eq!(Settings::from_text("ui_scale = 99").ui_scale, 3.0);
    }

    #[test]
    fn toggling_a_panel_reveals_hidden_panels() {
        let mut panels = Panels { hidden: true, ..Panels::default() };
        panels.toggle(Panel::Outliner);
        assert!(panels.outliner && !panels.hidden);
        panels.toggle(Panel::Outliner);
        assert!(!panels.outliner);
        (panels.timeline, panels.dope_sheet) = (false, true);
        panels.toggle(Panel::DopeSheet);
        assert!(panels.timeline && panels.dope_sheet && !panels.hidden);
        panels.toggle(Panel::DopeSheet);
        assert!(panels.timeline && !panels.dope_sheet);
        panels.toggle(Panel::Curves);
        assert!(panels.dope_sheet && panels.curves);
        panels.toggle(Panel::Curves);
        assert!(panels.dope_sheet && !panels.curves);
        panels.hidden = true;
        panels.show_tab(Tab::Properties);
        assert!(panels.sidebar && !panels.hidden && panels.tab == Tab::Properties);
    }
}
