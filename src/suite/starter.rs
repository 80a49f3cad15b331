//! A first suite for a team's models.

use super::expand::{slug, stem};
use std::collections::HashSet;
use std::fmt::Write;

/// Characters of a name before what tells its shots apart.
const MAX_STEM: usize = 24;

/// What of a model a first suite shows.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstModel {
    /// The path to it from the suite's folder.
    pub path: String,
    /// The names of its clips, if they have any, and how long they are in seconds.
    pub clips: Vec<(Option<String>, f64)>,
}

/// The text of a suite: each clip of each model at a quarter of its length, and again half a clip later.
///
/// Not at its start and end, which are alike in a clip that loops.
pub fn first_suite(models: &[FirstModel]) -> String {
    let mut text = String::from(
        "# Picture tests. `rigview test` with this file's name takes the pictures and compares them with the goldens;\n\
         # with --update it takes them as the goldens. Keys are the options of `rigview shot`; a list of values is as many\n\
         # shots. Paths begin at this file's folder.\n\n\
         goldens = \"goldens\"\n\n\
         [defaults]\n\
         size = \"640x360\"\n",
    );
    let mut names = HashSet::new();
    for model in models {
        let path = quoted(&model.path);
        let stem = stem(&model.path);
        if model.clips.is_empty() {
            let name = unique(stem.clone(), &mut names);
            write!(text, "\n[[shot]]\nname = \"{name}\"\nmodel = {path}\n").expect("text");
        }
        for (number, (name, duration_secs)) in model.clips.iter().enumerate() {
            let same = |(other, _): &(Option<String>, f64)| other == name;
            let first = model.clips.iter().position(same) == Some(number);
            // A name that another clip has too finds only the first of them; then its number is what tells it.
            let clip = match name {
                Some(name) if first && name != "none" => quoted(name),
                _ => quoted(&number.to_string()),
            };
            let name = name.as_ref().map_or_else(|| number.to_string(), |name| slug(name));
            let name = unique(format!("{stem}-{name}"), &mut names);
            write!(text, "\n[[shot]]\nname = \"{name}\"\nmodel = {path}\nclip = {clip}\n").expect("text");
            let [early, late] = [0.25, 0.75].map(|share| (share * duration_secs * 1000.0).round() / 1000.0);
            if early < late {
                writeln!(text, "time = [{early:?}, {late:?}]").expect("text");
            }
        }
    }
    text
}

/// The name, with a number behind it where it is another shot's already.
fn unique(name: String, names: &mut HashSet<String>) -> String {
    let base: String = name.chars().take(MAX_STEM).collect();
    let numbered = |n: u32| if n == 1 { base.clone() } else { format!("{base}-{n}") };
    (1..).map(numbered).find(|name| names.insert(name.to_lowercase())).expect("a number that is free")
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
