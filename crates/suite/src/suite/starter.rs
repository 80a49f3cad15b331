//! A starter suite for given models.

use super::shot_name::{MAX_NAME_BYTES, model_names, slug};
use super::suite::Suite;
use rigview_core::util::text::is_unprintable;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

/// Maximum bytes of a name, before a suffix that makes it unique, and that of the time.
const MAX_STEM_BYTES: usize = MAX_NAME_BYTES - 40;

/// A model of a starter suite.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteModel {
    /// Path relative to the suite's folder.
    pub path: String,
    /// Its clips.
    pub clips: Vec<SuiteClip>,
}

/// A clip of a model in a starter suite.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteClip {
    /// Its name in the file.
    pub name: Option<String>,
    /// Times of the first and the last key in seconds.
    pub range_secs: [f64; 2],
}

/// Returns the text of a suite with each clip of each model, at 1/4 and 3/4 of its duration.
///
/// Start and end are omitted, because they are equal in a looping clip.
pub fn starter_suite(models: &[SuiteModel]) -> String {
    let mut text = String::from(
        "# Image tests. `rigview test` with this file's name renders the shots and compares them with the goldens;\n\
         # with --update it writes the goldens. Keys are the options of `rigview shot`; an array of values makes as\n\
         # many shots. Paths are relative to this file's folder.\n\n\
         goldens = \"goldens\"\n\n\
         [defaults]\n\
         size = \"640x360\"\n",
    );
    text += &added_shots(models, &Suite::default());
    text
}

/// Returns the text of the shots that [`starter_suite`] makes of these models, to be added to `suite`.
///
/// Their names differ from those in the suite.
pub fn added_shots(models: &[SuiteModel], suite: &Suite) -> String {
    let mut text = String::new();
    let mut names: HashSet<String> = suite.shots.iter().map(|shot| shot.name.to_lowercase()).collect();
    let mut paths: Vec<String> = models.iter().map(|model| model.path.clone()).collect();
    let known: BTreeSet<&String> = suite.shots.iter().map(|shot| &shot.model).collect();
    paths.extend(known.into_iter().cloned());
    for (model, stem) in models.iter().zip(model_names(&paths)) {
        let path = quoted(&model.path);
        if model.clips.is_empty() {
            let name = unique(stem.clone(), &mut names);
            write!(text, "\n[[shot]]\nname = \"{name}\"\nmodel = {path}\n").expect("text");
        }
        for (index, SuiteClip { name, range_secs: [start, end] }) in model.clips.iter().enumerate() {
            let same = |other: &SuiteClip| other.name == *name;
            let first = model.clips.iter().position(same) == Some(index);
            // A name refers to the first of several clips; an index refers to the others.
            let clip = match name {
                Some(name) if first && name != "none" => quoted(name),
                _ => quoted(&index.to_string()),
            };
            let name = name.as_ref().map_or_else(|| index.to_string(), |name| slug(name));
            let name = unique(format!("{stem}-{name}"), &mut names);
            write!(text, "\n[[shot]]\nname = \"{name}\"\nmodel = {path}\nclip = {clip}\n").expect("text");
            let [early, late] =
                [0.25, 0.75].map(|fraction| ((start + fraction * (end - start)) * 1000.0).round() / 1000.0);
            if early < late {
                writeln!(text, "time = [{early:?}, {late:?}]").expect("text");
            }
        }
    }
    text
}

/// The name, with a number appended if another shot has it.
fn unique(name: String, names: &mut HashSet<String>) -> String {
    let base = &name[..name.floor_char_boundary(MAX_STEM_BYTES)];
    let numbered = |n: u32| if n == 1 { base.to_owned() } else { format!("{base}-{n}") };
    (1..).map(numbered).find(|name| names.insert(name.to_lowercase())).expect("some number is unused")
}

/// A basic string of TOML, in which unprintable characters are escaped.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            _ if is_unprintable(c) => write!(out, "\\u{:04X}", u32::from(c)).expect("text"),
            _ => out.push(c),
        }
    }
    out + "\""
}
