//! Models of a folder.

use crate::app::AppError;
use crate::request::is_model_file;
use rigview_check::names::natural_order;
use rigview_core::import::{Limits, models_in_archive};
use rigview_suite::suite::{self, SuiteErrorKind};
use std::fs::DirEntry;
use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf};

/// Entries read per folder, so that a huge folder does not block the window. The system's order decides which are read.
const MAX_ENTRIES_READ: usize = 100_000;

/// Levels of subfolders that are searched, so that links to a folder above end.
const MAX_LEVELS: u32 = 16;

/// Returns the model files in `folder` and its subfolders, those of fewer levels first, then in natural order. Skips hidden files and
/// folders.
///
/// # Errors
/// If the folder cannot be read or has no models.
pub(crate) fn models_in_folder(folder: &Path) -> Result<Vec<PathBuf>, AppError> {
    let unreadable = |source| AppError::FolderRead { folder: folder.to_owned(), source };
    std::fs::read_dir(folder).map_err(unreadable)?;
    let mut folders = vec![folder.to_owned()];
    let (mut models, mut entries_left) = (Vec::new(), MAX_ENTRIES_READ);
    for _ in 0..=MAX_LEVELS {
        let (mut files, mut subfolders) = (Vec::new(), Vec::new());
        let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
        for entry in entries.take(entries_left).flatten() {
            entries_left -= 1;
            let (name, path) = (entry.file_name(), entry.path());
            if name.to_string_lossy().starts_with('.') {
                continue;
            }
            // Follows links.
            if path.is_dir() {
                subfolders.push(path);
            } else if is_model_file(&path) && path.is_file() {
                files.push(path);
            }
        }
        let mut files: Vec<PathBuf> = files.into_iter().flat_map(|file| models_of(file, true)).collect();
        files.sort_by(|a, b| natural_order(&name_of(a), &name_of(b)).then_with(|| a.cmp(b)));
        models.extend(files);
        folders = subfolders;
    }
    if models.is_empty() { Err(AppError::NoModels(folder.to_owned())) } else { Ok(models) }
}

/// Returns the names of all entries of a folder in natural order, those of folders with a separator; none if it cannot be read.
pub(crate) fn names_in_folder(folder: &Path) -> Vec<String> {
    let name = |entry: DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        // Follows links.
        if entry.path().is_dir() { name + MAIN_SEPARATOR_STR } else { name }
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_ENTRIES_READ);
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort_by(|a, b| natural_order(&a.to_lowercase(), &b.to_lowercase()));
    names
}

/// Returns the models of an archive, or `file` itself: if it is no archive, has one model, or cannot be read. Without any, an archive
/// that was `found` in a folder is left out.
fn models_of(file: PathBuf, found: bool) -> Vec<PathBuf> {
    if !file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zip")) {
        return vec![file];
    }
    match models_in_archive(&file, &Limits::default()) {
        Ok(models) if models.len() > 1 => models,
        Ok(models) if models.is_empty() && found => models,
        // Opening it reports the error.
        _ => vec![file],
    }
}

/// Replaces each folder and archive among `paths` by its models. Returns an error for each folder without models.
pub(crate) fn expand_folders(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<AppError>) {
    let (mut files, mut errors) = (Vec::new(), Vec::new());
    for path in paths {
        if !path.is_dir() {
            files.extend(models_of(path.clone(), false));
            continue;
        }
        match models_in_folder(path) {
            Ok(models) => files.extend(models),
            Err(error) => errors.push(error),
        }
    }
    (files, errors)
}

/// Returns `files`, with the models in each archive, in each folder and its subfolders, and the files that match each pattern.
pub(crate) fn model_files(files: &[PathBuf]) -> Result<Vec<PathBuf>, AppError> {
    let mut models = Vec::new();
    for file in files {
        let pattern = file.to_str().filter(|text| suite::is_pattern(text) && !file.exists());
        let (folder, pattern) = match pattern {
            Some(pattern) if file.has_root() => (Path::new("/"), pattern.trim_start_matches('/')),
            Some(pattern) => (Path::new("."), pattern),
            None if file.is_dir() && !is_model_file(file) => (file.as_path(), "**/*"),
            None => {
                models.extend(models_of(file.clone(), false));
                continue;
            }
        };
        let refused = |reason: String| AppError::Usage(format!("{}: {reason}", file.display()));
        let found = match suite::matches(pattern, folder) {
            Err(SuiteErrorKind::NothingMatches { .. }) if file.is_dir() => Vec::new(),
            found => found.map_err(|error| refused(error.to_string()))?,
        };
        let before = models.len();
        let found = found.into_iter().map(|found| folder.join(found)).filter(|found| is_model_file(found));
        models.extend(found.flat_map(|found| models_of(found, true)));
        if models.len() == before {
            return Err(refused("no .glb, .gltf, .vrm, .vrma, .bvh or .zip file is here".to_owned()));
        }
    }
    Ok(models)
}

fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_lists_visible_models_in_natural_order() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["fox10.glb", "Fox2.GLTF", "fox1.vrm", "fox02.glb", "walk.bvh", ".hidden.glb", "fox.png", "fox.bin"]
        {
            std::fs::write(folder.path().join(name), b"").unwrap();
        }
        std::fs::create_dir(folder.path().join("folder.glb")).unwrap();
        let files = models_in_folder(folder.path()).unwrap();
        let names: Vec<_> = files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["fox1.vrm", "fox02.glb", "Fox2.GLTF", "fox10.glb", "walk.bvh"]);
    }

    #[test]
    fn folder_of_folders_lists_their_models() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["fox/glTF", "fox/glTF-Binary", "car/a/b/deep", "box", ".hidden/a"] {
            let folder = folder.path().join(name);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("model.glb"), b"").unwrap();
        }
        let expected = ["box", "fox/glTF", "fox/glTF-Binary", "car/a/b/deep"]
            .map(|name| folder.path().join(name).join("model.glb"));
        assert_eq!(models_in_folder(folder.path()).unwrap(), expected);
    }

    #[test]
    fn folder_without_models_is_an_error_with_a_remedy() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("notes.txt"), b"").unwrap();
        let error = models_in_folder(folder.path()).unwrap_err();
        assert_eq!(error.file(), Some(folder.path()));
        assert!(
            error
                .to_string()
                .ends_with("no .glb, .gltf, .vrm, .vrma, .bvh or .zip file in this folder or its subfolders")
        );
        let missing = models_in_folder(&folder.path().join("missing")).unwrap_err();
        assert!(matches!(missing, AppError::FolderRead { .. }), "{missing}");
    }

    #[test]
    fn folders_among_files_expand_in_place() {
        let [models, empty] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let inside = models.path().join("a.glb");
        std::fs::write(&inside, b"").unwrap();
        let paths = [PathBuf::from("missing.glb"), models.path().to_owned(), empty.path().to_owned()];
        let (files, errors) = expand_folders(&paths);
        assert_eq!(files, [paths[0].clone(), inside]);
        assert!(matches!(&errors[..], [AppError::NoModels(folder)] if folder == empty.path()), "{errors:?}");
    }
}
