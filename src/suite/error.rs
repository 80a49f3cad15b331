//! What can be wrong with a suite file.

use std::fmt;

/// A mistake in a suite file, with its line.
#[derive(Debug, thiserror::Error)]
#[error("{}{problem}", Line(*.line))]
pub struct SuiteError {
    /// The line, from 1; `None` where it is the whole file.
    pub line: Option<usize>,
    /// What is wrong.
    pub problem: Problem,
}

struct Line(Option<usize>);

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |line| write!(f, "line {line}: "))
    }
}

/// What is wrong with a suite file.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// It cannot be read.
    #[error("cannot be read: {source}")]
    Unreadable {
        /// What the system says.
        source: std::io::Error,
    },
    /// It is no text.
    #[error("is not UTF-8 text; a suite is a TOML file (`rigview test --init MODELS...` writes a first one)")]
    NotUtf8,
    /// It is no TOML.
    #[error("{message}")]
    NotToml {
        /// What the reader says.
        message: String,
    },
    /// It has no shots.
    #[error("there is no [[shot]] in it; `rigview test --init MODELS...` writes a first suite")]
    NoShots,
    /// A key that means nothing.
    #[error("`{key}` means nothing here; what does is {known}")]
    UnknownKey {
        /// The key.
        key: String,
        /// Those that mean something.
        known: &'static str,
    },
    /// A value of the wrong kind.
    #[error("`{key}` takes {expected}, not {found}")]
    WrongValue {
        /// Its key.
        key: String,
        /// What it takes.
        expected: &'static str,
        /// What it has.
        found: String,
    },
    /// A shot without a model.
    #[error("this shot names no model")]
    NoModel,
    /// Limits without a reason.
    #[error("limits need a reason: reason = \"why this picture may differ\"")]
    NoReason,
    /// Goldens outside the suite's folder.
    #[error("the goldens must be in the suite's own folder or in one inside it, not in `{folder}`")]
    GoldensOutside {
        /// The folder.
        folder: String,
    },
    /// A name that is no file's name.
    #[error("`{name}` is no name for a shot: letters, digits, `.`, `_` and `-`, at most {limit} bytes, not `.` first")]
    BadName {
        /// The name.
        name: String,
        /// The most bytes.
        limit: usize,
    },
    /// Two shots of one name.
    #[error("there is a second shot `{name}`, the first is of line {first}; give one of them another name = \"...\"")]
    SameName {
        /// The name.
        name: String,
        /// The first one's line.
        first: usize,
    },
    /// More shots than a suite may have.
    #[error("this makes more than {limit} shots; split the suite")]
    TooManyShots {
        /// The most.
        limit: usize,
    },
    /// A pattern that is none.
    #[error("`{pattern}` is no pattern of files: {reason}")]
    BadGlob {
        /// The pattern.
        pattern: String,
        /// Why.
        reason: String,
    },
    /// A pattern that no file matches.
    #[error("no file matches `{pattern}`; paths begin at the suite's own folder")]
    NothingMatches {
        /// The pattern.
        pattern: String,
    },
    /// A pattern that looks at too many files.
    #[error("`{pattern}` looks through more than {limit} files; name a folder nearer to them")]
    TooManyFiles {
        /// The pattern.
        pattern: String,
        /// The most.
        limit: usize,
    },
    /// A folder cannot be read.
    #[error("the folder `{folder}` cannot be read: {source}")]
    Folder {
        /// The folder.
        folder: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// An option that `rigview shot` refuses.
    #[error("{message}")]
    Option {
        /// What it says.
        message: String,
    },
}

impl Problem {
    /// The mistake, in a line.
    pub fn at(self, line: usize) -> SuiteError {
        SuiteError { line: Some(line), problem: self }
    }
}
