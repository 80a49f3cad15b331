//! A suite file to the list of its shots.
//!
//! A suite is TOML. Each `[[shot]]` names models (globs too) and says, under the names of `rigview shot`'s own options,
//! how their pictures are taken; an option with several values stands for as many shots. The file is never trusted: its
//! size, its shots and the folders that its globs look into are bounded, and a mistake in it is told with its line.

mod error;
mod expand;
mod glob;
mod parse;
mod select;
mod starter;

pub use error::{Problem, SuiteError};
pub use select::{Filter, Shard};
pub use starter::{FirstModel, first_suite};

use crate::compare::Limits;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// The most bytes of a suite file.
const MAX_FILE: u64 = 4 << 20;
/// The most shots of a suite.
pub const MAX_SHOTS: usize = 20_000;

/// A suite: shots and where their goldens are.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// The folder of the goldens: that of the suite file, or one inside it.
    pub goldens: PathBuf,
    /// The shots, in the order of the file; no two have the same name, whatever the case of its letters.
    pub shots: Vec<Shot>,
}

/// One picture to take and to compare.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    /// Its name: letters, digits, `.`, `_` and `-`, so that it is a file's name too.
    pub name: String,
    /// The model, as the suite writes it: relative to the suite file.
    pub model: String,
    /// Options of `rigview shot`, such as `--time=0.5`.
    pub options: Vec<String>,
    /// How far the picture may be from its golden.
    pub limits: Limits,
    /// Why the limits are not the usual ones.
    pub reason: Option<String>,
    /// The line of the suite file that it stands in, from 1.
    pub line: usize,
}

/// Reads the suite at `path`.
///
/// # Errors
/// When it cannot be read, or says something that it cannot mean; with the line where there is one.
pub fn open(path: &Path) -> Result<Suite, SuiteError> {
    let text = read(path).map_err(|source| SuiteError { line: None, problem: Problem::Unreadable { source } })?;
    let text = String::from_utf8(text).map_err(|_| SuiteError { line: None, problem: Problem::NotUtf8 })?;
    from_text(&text, folder_of(path))
}

/// Reads a suite that is in memory; `folder` is where its paths begin.
///
/// # Errors
/// When it says something that it cannot mean; with the line where there is one.
pub fn from_text(text: &str, folder: &Path) -> Result<Suite, SuiteError> {
    let plan = parse::plan(text)?;
    let goldens = folder.join(&plan.goldens);
    let shots = expand::shots(&plan, folder)?;
    Ok(Suite { goldens, shots })
}

/// The folder that a suite's paths begin at.
pub fn folder_of(suite: &Path) -> &Path {
    match suite.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = std::fs::File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("it is no file"));
    }
    let mut text = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MAX_FILE {
        return Err(std::io::Error::other(format!("it is larger than {} MiB", MAX_FILE >> 20)));
    }
    Ok(text)
}

/// Whether a path stays inside the folder that it begins at.
fn stays_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests;
