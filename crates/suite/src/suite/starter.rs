//! A starter suite for given models.

use super::shot_name::{model_names, stem};
use super::suite::Suite;
use rigview_core::util::text::is_unprintable;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Returns the text of a suite with each clip of each model, at 1/4 and 3/4 of its duration. `models` are paths and patterns.
///
/// Start and end are omitted, because they are equal in a looping clip.
pub fn starter_suite(models: &[String]) -> String {
    let mut text = String::from(
        "# Image tests. `rigview test` with this file's name renders the shots and compares them with the goldens;\n\
         # with --update it writes the goldens. Keys are the options of `rigview shot`; an array of values makes as\n\
         # many shots. Paths are relative to this file's folder.\n\n\
         goldens = \"goldens\"\n\n\
         [defaults]\n\
         size = \"640x360\"\n",
    );
    text += &table(None, models);
    text
}

/// Returns the text of such shots for further models, to be added to `suite`.
///
/// A model whose file has the name of another model gets a name that differs.
pub fn added_shots(models: &[String], suite: &Suite) -> String {
    let known: BTreeSet<&String> = suite.shots.iter().map(|shot| &shot.model).collect();
    let paths: Vec<String> = models.iter().chain(known).cloned().collect();
    let names = model_names(&paths);
    let (mut others, mut named) = (Vec::new(), String::new());
    for (model, name) in models.iter().zip(&names) {
        match *name == stem(model) {
            true => others.push(model.clone()),
            false => named += &table(Some(name), std::slice::from_ref(model)),
        }
    }
    table(None, &others) + &named
}

/// A table of shots; nothing without models.
fn table(name: Option<&str>, models: &[String]) -> String {
    let model = match models {
        [] => return String::new(),
        [model] => quoted(model),
        models => format!("[\n{}]", models.iter().map(|model| format!("    {},\n", quoted(model))).collect::<String>()),
    };
    let name = name.map_or_else(String::new, |name| format!("name = {}\n", quoted(name)));
    format!("\n[[shot]]\n{name}model = {model}\nclip = \"*\"\ntime = [\"17%\", \"61%\"]\n")
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
