//! The words on the window's frame.

use super::shown::Shown;
use std::path::Path;

/// File, clip and time.
pub(super) fn title(shown: Option<&Shown>, loading: Option<&Path>) -> String {
    let name = |file: &Path| {
        file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().replace(|c: char| c.is_control(), " ")
    };
    let loading = loading.map(|file| format!("loading {}", name(file)));
    let shown = shown.map(|shown| {
        let clip = match shown.stage.playing() {
            Some(clip) => format!(
                "{} - {:.2} / {:.2} s{}",
                clip.name.as_deref().unwrap_or("clip").replace(|c: char| c.is_control(), " "),
                shown.playback.time_secs,
                clip.duration_secs,
                if shown.playback.playing { "" } else { " (paused)" },
            ),
            None => "rest pose".to_owned(),
        };
        format!("{} - {clip}", name(&shown.stage.file))
    });
    let parts: Vec<String> = [shown, loading].into_iter().flatten().collect();
    format!("{} - rigview", parts.join(" - "))
}
