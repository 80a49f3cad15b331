//! `rigview test --init`: writes a starter suite.

use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::atomic_write;
use crate::app::files::model_file::open_model;
use crate::cli::shot_option_names;
use rigview_core::import::{ImageLoading, ImportOptions, ImportPolicy};
use rigview_core::util::text::counted;
use rigview_suite::suite::{self, SuiteClip, SuiteModel};
use std::path::{Component, Path, PathBuf};

pub(crate) fn run(file: &Path, models: &[PathBuf], policy: &ImportPolicy) -> Result<(), AppError> {
    if file.symlink_metadata().is_ok() {
        let message = format!("{}: the file exists; use --init=OTHER.toml for another name", file.display());
        return Err(AppError::TestUsage { message });
    }
    let mut models_in_suite = Vec::new();
    for model in models {
        let options = ImportOptions { images: ImageLoading::Skip, policy: policy.clone(), ..ImportOptions::default() };
        let loaded = open_model(model, &options)?;
        let clips = loaded.model.clips.iter().map(|clip| SuiteClip {
            name: clip.name.clone(),
            range_secs: [clip.first_key_secs, clip.duration_secs].map(f64::from),
        });
        models_in_suite.push(SuiteModel { path: path_from(suite::folder_of(file), model), clips: clips.collect() });
    }
    let text = suite::starter_suite(&models_in_suite);
    // Validate the suite before it is written.
    let shots = suite::from_text(&text, suite::folder_of(file), &shot_option_names())
        .map_err(|source| AppError::Suite { file: file.to_owned(), source })?
        .shots;
    atomic_write::write_atomic(file, text.as_bytes())?;
    let name = file.display();
    report::line(format_args!(
        "{name}: {}; `rigview test {name} --update` writes the goldens",
        counted(shots.len(), "shot", "shots")
    ))
}

/// Returns the relative path from `folder` to `file`, with forward slashes.
fn path_from(folder: &Path, file: &Path) -> String {
    let joined = |path: &Path| without_verbatim_prefix(&path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"));
    let (Ok(folder), Ok(file)) = (folder.canonicalize(), file.canonicalize()) else { return joined(file) };
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (folder.components().collect(), file.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if common <= 1 {
        return joined(&file);
    }
    let up = from[common..].iter().map(|_| Component::ParentDir);
    joined(&up.chain(to[common..].iter().copied()).collect::<PathBuf>())
}

/// Removes the prefix of canonical paths of Windows from a path with forward slashes: `//?/C:/a` is `C:/a`.
fn without_verbatim_prefix(path: &str) -> String {
    match (path.strip_prefix("//?/UNC/"), path.strip_prefix("//?/")) {
        (Some(rest), _) => format!("//{rest}"),
        (None, rest) => rest.unwrap_or(path).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbatim_prefix_of_windows_is_removed() {
        let paths = ["//?/C:/m/hare.glb", "//?/UNC/server/share/hare.glb", "C:/m/hare.glb", "../hare.glb"];
        let expected = ["C:/m/hare.glb", "//server/share/hare.glb", "C:/m/hare.glb", "../hare.glb"];
        assert_eq!(paths.map(without_verbatim_prefix), expected);
    }
}
