//! Goldens that belong to no shot of a suite: of a model or clip that is gone, or of a shot that the suite no longer has.

use crate::golden_record::GoldenRecord;
use rigview_core::import::{ImportPolicy, ModelOutline};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Why a golden belongs to no shot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stray {
    /// Its model or clip does not exist any more; the message names it.
    Gone(String),
    /// Its model cannot be read, so that the suite lacks its shots for the moment.
    OfBrokenModel,
    /// The suite no longer has the shot, or nothing is recorded.
    Obsolete,
}

/// The models of a suite at present.
pub struct PresentModels<'a> {
    folder: &'a Path,
    broken: HashSet<&'a str>,
    /// The clips by model, as far as they were needed; `None` if the file cannot be read.
    clips: HashMap<PathBuf, Option<Vec<Option<String>>>>,
}

impl<'a> PresentModels<'a> {
    /// `folder` is that of the suite. `broken` are the models whose clips cannot be listed.
    pub fn new(folder: &'a Path, broken: impl IntoIterator<Item = &'a str>) -> Self {
        Self { folder, broken: broken.into_iter().collect(), clips: HashMap::new() }
    }

    /// Returns why a golden with this record belongs to no shot.
    pub fn why_stray(&mut self, record: &GoldenRecord) -> Stray {
        let Some(model) = record.command.models.first() else { return Stray::Obsolete };
        if self.broken.contains(model.as_str()) {
            return Stray::OfBrokenModel;
        }
        let file = self.folder.join(model);
        if !file.exists() {
            return Stray::Gone(format!("the model {model} is gone"));
        }
        let Some(clip) = record.command.clip().filter(|clip| !["all", "none"].contains(clip)) else {
            return Stray::Obsolete;
        };
        let clips = self.clips.entry(file).or_insert_with_key(|file| {
            Some(ModelOutline::open(file, &ImportPolicy::default()).ok()?.clip_names().to_vec())
        });
        let Some(clips) = clips else { return Stray::Obsolete };
        let is_index = clip.parse::<usize>().is_ok_and(|index| index < clips.len());
        match is_index || clips.iter().any(|name| name.as_deref() == Some(clip)) {
            true => Stray::Obsolete,
            false => Stray::Gone(format!("clip {clip} of {model} is gone")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::ShotCommand;

    #[test]
    fn lost_clips_and_models_are_gone_and_goldens_of_broken_models_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.gltf"), r#"{"animations":[{"name":"Walk"},{}]}"#).unwrap();
        std::fs::write(folder.path().join("b.gltf"), "{").unwrap();
        let mut present = PresentModels::new(folder.path(), ["b.gltf"]);
        let mut why = |command: &str| {
            let command = ShotCommand::parse(command);
            present.why_stray(&GoldenRecord { command, inputs: None })
        };
        let gone = |text: &str| Stray::Gone(text.to_owned());
        assert_eq!(why("rigview shot a.gltf --clip=Walk --time=1 -o OUT.png"), Stray::Obsolete);
        assert_eq!(why("rigview shot a.gltf --clip=1 -o OUT.png"), Stray::Obsolete);
        assert_eq!(why("rigview shot a.gltf --clip=none -o OUT.png"), Stray::Obsolete);
        assert_eq!(why("rigview shot a.gltf '--clip=Big jump' -o OUT.png"), gone("clip Big jump of a.gltf is gone"));
        assert_eq!(why("rigview shot a.gltf --clip=2 -o OUT.png"), gone("clip 2 of a.gltf is gone"));
        assert_eq!(why("rigview shot c.gltf --time=1 -o OUT.png"), gone("the model c.gltf is gone"));
        assert_eq!(why("rigview shot b.gltf --clip=Run -o OUT.png"), Stray::OfBrokenModel);
        assert_eq!(why(""), Stray::Obsolete);
    }
}
