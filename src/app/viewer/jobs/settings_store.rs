//! Settings file of the viewer.

use crate::app::files::atomic_write::write_atomic;
use crate::app::viewer::state::Settings;
use rigview_core::util::regular_file::read_text;
use std::path::{Path, PathBuf};

/// Larger files are ignored: they were not written by this program.
const MAX_SETTINGS_BYTES: u64 = 1 << 20;

#[derive(Debug)]
pub(crate) struct SettingsStore {
    /// `None` if settings are not persistent.
    file: Option<PathBuf>,
    saved: Option<Settings>,
}

impl SettingsStore {
    /// The settings file of the user in the platform's configuration folder.
    pub(crate) fn new(persistent: bool) -> Self {
        let file = || Some(directories::ProjectDirs::from("", "", "rigview")?.config_dir().join("window.toml"));
        Self { file: if persistent { file() } else { None }, saved: None }
    }

    /// Loads the settings; defaults if there are none.
    pub(crate) fn load(&mut self) -> Settings {
        let text = self.file.as_deref().and_then(|file| read_text(file, MAX_SETTINGS_BYTES).ok());
        let settings = text.map_or_else(Settings::default, |text| Settings::from_text(&text));
        self.saved = Some(settings.clone());
        settings
    }

    /// Saves changed settings. Errors are ignored.
    pub(crate) fn save(&mut self, settings: &Settings) {
        if self.saved.as_ref() == Some(settings) {
            return;
        }
        if let (Some(file), Ok(text)) = (&self.file, toml::to_string(settings)) {
            let folder = file.parent().unwrap_or(Path::new(""));
            let _ = std::fs::create_dir_all(folder).map(|()| write_atomic(file, text.as_bytes()));
        }
        self.saved = Some(settings.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::viewer::state::{ExportSize, Navigation, Panel, Tab, Theme};

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_no_settings() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for file in [pipe, PathBuf::from("/dev/zero")] {
            assert_eq!(SettingsStore { file: Some(file), saved: None }.load(), Settings::default());
        }
    }

    #[test]
    fn changed_settings_round_trip() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deeper").join("window.toml");
        let mut store = SettingsStore { file: Some(file.clone()), saved: None };
        let mut settings = store.load();
        assert_eq!(settings, Settings::default());
        store.save(&settings);
        assert!(!file.exists(), "unchanged settings are not written");
        settings.recent.push("/a b/\u{fc}.glb".into());
        settings.profile = Some("/rules/mobile.toml".into());
        settings.panels.show_tab(Tab::Problems);
        settings.theme = Theme::Light;
        settings.panels.toggle(Panel::DopeSheet);
        settings.panels.timeline_height = 300.0;
        settings.export.video_size = ExportSize::Custom([64, 48]);
        settings.export.image_size = ExportSize::View(2);
        settings.export.folder = "/exports".into();
        settings.navigation = Navigation::Maya;
        store.save(&settings);
        assert_eq!(SettingsStore { file: Some(file), saved: None }.load(), settings);
    }
}
