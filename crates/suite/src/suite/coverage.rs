//! Models and clips without a shot.

use super::error::SuiteErrorKind;
use super::glob;
use rigview_core::import::{ImportPolicy, ModelOutline};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// A model of a shot.
#[derive(Clone, Debug)]
pub struct ModelOfShot {
    /// The model file.
    pub file: PathBuf,
    /// The clips that the shot names, by name or index; `None` for all.
    pub clips: Option<Vec<String>>,
}

/// Returns the clips that no shot names, of models with a shot, and the models without a shot in the folders of the others, and
/// below. `is_model` selects the models of a folder. A shot plays the only clip of a model without naming it.
///
/// # Errors
/// If a folder cannot be read or has too many files.
pub fn uncovered(models: &[ModelOfShot], is_model: fn(&Path) -> bool) -> Result<Vec<String>, SuiteErrorKind> {
    let mut played: BTreeMap<&Path, Option<BTreeSet<&str>>> = BTreeMap::new();
    for ModelOfShot { file, clips } in models {
        let played = played.entry(file).or_insert_with(|| Some(BTreeSet::new()));
        match (&mut *played, clips) {
            (Some(played), Some(clips)) => played.extend(clips.iter().map(String::as_str)),
            _ => *played = None,
        }
    }
    let mut found = Vec::new();
    for (file, played) in &played {
        let outline = ModelOutline::open(file, &ImportPolicy::default());
        let names = outline.as_ref().map_or(&[][..], ModelOutline::clip_names);
        // A name refers to the first of several clips.
        let first: HashMap<_, _> =
            names.iter().enumerate().rev().map(|(index, name)| (name.as_deref(), index)).collect();
        for (index, name) in names.iter().enumerate() {
            let by_name = name.as_deref().filter(|name| first[&Some(*name)] == index);
            let number = index.to_string();
            let by_number = Some(number.as_str()).filter(|number| !first.contains_key(&Some(*number)));
            let is_played =
                |played: &BTreeSet<&str>| by_name.into_iter().chain(by_number).any(|clip| played.contains(clip));
            if names.len() > 1 && !played.as_ref().is_none_or(is_played) {
                let name = name.as_ref().map_or(number, |name| format!("`{name}`"));
                found.push(format!("{}: clip {name}", file.display()));
            }
        }
    }
    let resolved = |file: &Path| file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let mut known: BTreeSet<PathBuf> = played.keys().map(|file| resolved(file)).collect();
    let folders: BTreeSet<&Path> = played.keys().filter_map(|file| file.parent()).collect();
    for folder in folders {
        let folder = if folder == Path::new("") { Path::new(".") } else { folder };
        let files = match glob::matches("**/*", folder) {
            // The model of the shot does not exist.
            Err(SuiteErrorKind::NothingMatches { .. }) => continue,
            files => files?,
        };
        for file in files.into_iter().map(|file| folder.join(file)) {
            if is_model(&file) && known.insert(resolved(&file)) {
                found.push(file.display().to_string());
            }
        }
    }
    Ok(found)
}
