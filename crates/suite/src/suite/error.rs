//! Errors in suite files.

use rigview_core::util::text::excerpt;
use std::fmt;

/// Minimum Jaro similarity of a suggested key. Names with one wrong letter have 0.83 and more, unrelated ones up to 0.78.
const MIN_SIMILARITY: f64 = 0.8;

/// An error in a suite file, with its line.
#[derive(Debug, thiserror::Error)]
#[error("{}{kind}", LinePrefix(*.line))]
pub struct SuiteError {
    /// The line, from 1; `None` for the whole file.
    pub line: Option<usize>,
    /// The problem.
    pub kind: SuiteErrorKind,
}

struct LinePrefix(Option<usize>);

impl fmt::Display for LinePrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |line| write!(f, "line {line}: "))
    }
}

/// A problem in a suite file.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages and the names of the fields describe them")]
pub enum SuiteErrorKind {
    #[error("cannot be read: {source}")]
    Unreadable { source: std::io::Error },
    #[error("is not UTF-8 text; a suite is a TOML file (`rigview test --init MODELS...` writes a starter suite)")]
    NotUtf8,
    #[error("{message}")]
    InvalidToml { message: String },
    #[error("there is no [[shot]] in it; `rigview test --init MODELS...` writes a starter suite")]
    NoShots,
    #[error("unknown key `{key}`; {hint}")]
    UnknownKey { key: String, hint: String },
    #[error("`{key}` is a key of [[shot]], not of [defaults]")]
    OnlyInShot { key: String },
    #[error("`{key}` takes {expected}, not {found}")]
    WrongValue { key: String, expected: &'static str, found: String },
    #[error("this shot has no model")]
    NoModel,
    #[error("a shot of kind = \"{kind}\" takes no `{key}`")]
    OtherKind { kind: &'static str, key: String },
    #[error("a mask has at most {limit} regions; combine them in a PNG file")]
    TooManyRegions { limit: usize },
    #[error("limits need a reason: reason = \"why this image may differ\"")]
    NoReason,
    #[error("the goldens must be in the suite's own folder or in one inside it, not in `{folder}`")]
    GoldensOutside { folder: String },
    #[error(
        "`{name}` is not a valid shot name: letters, digits, `.`, `_` and `-`, at most {limit} bytes, not beginning with `.` or `-`"
    )]
    InvalidName { name: String, limit: usize },
    #[error("`{name}` is a device on Windows, which refuses such files; give the shot another name = \"...\"")]
    ReservedName { name: String },
    #[error("duplicate shot `{name}`, the first is in line {first}; give one of them another name = \"...\"")]
    DuplicateName { name: String, first: usize },
    #[error("this makes more than {limit} shots; split the suite")]
    TooManyShots { limit: usize },
    #[error("this has more than {limit} options")]
    TooManyOptions { limit: usize },
    #[error("the options of all shots have more than {} MiB; split the suite", .limit >> 20)]
    TooMuchText { limit: usize },
    #[error("`{pattern}` is not a valid glob: {reason}")]
    BadGlob { pattern: String, reason: String },
    #[error(
        "no file matches `{pattern}`; {}",
        if .pattern.contains('\\') { "globs separate folders by `/`" } else { "paths are relative to the suite's folder" }
    )]
    NothingMatches { pattern: String },
    #[error("--untrusted: {path} is outside the suite's folder")]
    OutsideFolder { path: String },
    #[error("`{pattern}` searches more than {limit} files; name a more specific folder")]
    TooManyFiles { pattern: String, limit: usize },
    #[error("the folder `{folder}` cannot be read: {source}")]
    Folder { folder: String, source: std::io::Error },
    /// An option that `rigview shot` rejects.
    #[error("{message}")]
    Option { message: String },
}

impl SuiteErrorKind {
    /// An unknown key, with the most similar of the `known` keys, else the text `all`.
    pub(crate) fn unknown_key<'a>(key: &str, known: impl IntoIterator<Item = &'a str>, all: &str) -> Self {
        let similarity = |known: &'a str| (strsim::jaro(&key.replace('_', "-"), known), known);
        let closest = known.into_iter().map(similarity).max_by(|(a, _), (b, _)| a.total_cmp(b));
        let hint = match closest {
            Some((similarity, known)) if similarity >= MIN_SIMILARITY => format!("did you mean `{known}`?"),
            _ => format!("known are {all}"),
        };
        Self::UnknownKey { key: excerpt(key), hint }
    }

    /// The error with its line.
    pub fn at(self, line: usize) -> SuiteError {
        SuiteError { line: Some(line), kind: self }
    }
}

impl From<SuiteErrorKind> for SuiteError {
    fn from(kind: SuiteErrorKind) -> Self {
        Self { line: None, kind }
    }
}
