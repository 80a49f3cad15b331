//! Why a command failed.

use crate::export::ExportError;
use crate::import::{ImportError, Limit};
use crate::platform::PlatformError;
use crate::render::RenderError;
use crate::scene::layout::LayoutError;
use crate::suite::SuiteError;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a command failed. `main` prints it with its sources, outer to inner.
#[derive(Debug, Error)]
pub enum AppError {
    /// Something is wrong with, or because of, the opened file.
    #[error("{}", .file.display())]
    File {
        /// The file as it was named.
        file: PathBuf,
        /// What is wrong.
        #[source]
        source: Box<FileError>,
    },
    /// A result could not be written.
    #[error("{}: cannot be written{}", .file.display(), writing_cure(.source.kind()))]
    Output {
        /// The file as it was named.
        file: PathBuf,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// A result could not be written to standard output.
    #[error("standard output cannot be written")]
    Stdout(#[source] std::io::Error),
    /// Threads could not be started.
    #[error("threads cannot be started; ask for fewer")]
    Threads(#[source] rayon::ThreadPoolBuildError),
    /// A file made the program panic: a fault of rigview.
    #[error("{}: rigview itself broke on this file; please report it with the file", .file.display())]
    Crashed {
        /// The file as it was named.
        file: PathBuf,
    },
    /// A file was checked and found faulty; what is wrong has been told.
    #[error("{file}: {summary}")]
    Faulty {
        /// The file as it was named.
        file: String,
        /// How much is wrong.
        summary: String,
    },
    /// There is no window or no OpenGL.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// OpenGL failed.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A suite file says something that it cannot mean.
    #[error("{}", .file.display())]
    Suite {
        /// The file as it was named.
        file: PathBuf,
        /// What is wrong with it.
        #[source]
        source: SuiteError,
    },
    /// The command line asks a test for something that is not there.
    #[error("{message}")]
    TestUsage {
        /// What, and what to do.
        message: String,
    },
    /// A film or a sheet cannot be made.
    #[error("{reason}")]
    NotMade {
        /// Why, and what to do.
        reason: String,
    },
    /// Two files differ; how has been told.
    #[error("{before} and {after} differ")]
    Differs {
        /// The one, as it was named.
        before: String,
        /// The other.
        after: String,
    },
    /// Other than two files are to be compared in the window.
    #[error("--compare shows two files, not {count}: rigview old.glb new.glb --compare")]
    CompareTwo {
        /// Files that were named.
        count: usize,
    },
    /// One of two files cannot be compared.
    #[error("cannot compare")]
    CannotCompare(#[source] Box<AppError>),
    /// A person has stopped the program.
    #[error("stopped; nothing was written")]
    Cancelled,
    /// Pictures are not as they should be, or were taken as goldens.
    #[error("{message}")]
    TestsDiffer {
        /// How many, and where to look.
        message: String,
    },
    /// Some pictures of a suite could not be taken.
    #[error("{message}")]
    TestsBroken {
        /// How many, and where to look.
        message: String,
    },
    /// No picture of a suite could be taken, or no report written.
    #[error("cannot test")]
    CannotTest(#[source] Box<AppError>),
}

impl AppError {
    /// The file that the error is about.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::File { file, .. } | Self::Output { file, .. } | Self::Crashed { file } => Some(file),
            _ => None,
        }
    }

    /// What the program ends with: 1, but for `test`, whose 1 means that a picture differs.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Suite { .. } | Self::TestUsage { .. } | Self::CannotCompare(_) | Self::CompareTwo { .. } => 2,
            Self::Cancelled => crate::platform::shutdown::EXIT_INTERRUPTED,
            Self::TestsBroken { .. } | Self::CannotTest(_) => 3,
            _ => 1,
        }
    }
}

/// What can be wrong with an opened file.
#[derive(Debug, Error)]
pub enum FileError {
    /// It cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// More clips are to play at once than can.
    #[error("more than {most} clips cannot play beside the first: leave some --layer out")]
    TooManyLayers {
        /// As many can.
        most: usize,
    },
    /// It says that it must not be shown without extensions that are missing here.
    #[error(
        "requires {}, which rigview does not support yet; --ignore-required shows the file without it",
        .extensions.join(", ")
    )]
    RequiredExtensions {
        /// Their names.
        extensions: Vec<String>,
    },
    /// The command line names a joint that the file does not have.
    #[error("has no joint `{asked}` among its {count}; such as {}", .like.join(", "))]
    NoSuchJoint {
        /// What was asked for.
        asked: String,
        /// How many joints there are.
        count: usize,
        /// Names that are there, the likest first.
        like: Vec<String>,
    },
    /// The command line names something that the file does not have.
    #[error("has no {kind} `{asked}`; {}", choices(.kind, .names))]
    NoSuch {
        /// What was asked for: a clip, a scene, a camera.
        kind: &'static str,
        /// Its name or number as given.
        asked: String,
        /// Those that the file has.
        names: Vec<String>,
    },
    /// A layout file says something that it cannot mean.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A line of a layout file asks for what the model does not have.
    #[error("line {line}")]
    LayoutLine {
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        #[source]
        source: Box<FileError>,
    },
    /// A layout file cannot be read.
    #[error("cannot be read as the layout of a crowd; `grid` and `scatter` need no file")]
    LayoutRead(#[source] std::io::Error),
    /// A layout file is not named as its format.
    #[error("is neither grid nor scatter, nor a file whose name ends with .csv or .json")]
    LayoutKind,
    /// Both a layout file and a number of instances.
    #[error("lays out {count}, but {instances} are asked for; leave the number of the first model out")]
    LayoutCount {
        /// How many the file lays out.
        count: usize,
        /// How many were asked for, of all models.
        instances: usize,
    },
    /// Several models were to become one file.
    #[error("is baked alone: leave --add-model out, and bake each model by itself")]
    BakesOne,
    /// A file was to lend clips and has none.
    #[error("has no clip to lend")]
    NothingToLend,
    /// The processor lacks instructions that were asked for.
    #[error("this processor has no {name}; leave --dispatch out, or ask for `baseline`")]
    NoSuchInstructions {
        /// What was asked for.
        name: &'static str,
    },
    /// The lanes do not cover the clip.
    #[error("this clip is only animated in double precision; ask for `--dispatch scalar`")]
    ScalarOnly,
    /// The crowd would not fit in memory.
    #[error(
        "{instances} instances of this rig need {} MiB of matrices, more than {}; ask for fewer, or add {}",
        .needed >> 20, Limit::Matrices.format(*.limit), Limit::Matrices.hint(*.needed)
    )]
    TooManyInstances {
        /// How many were asked for.
        instances: u32,
        /// Bytes that they would need.
        needed: u64,
        /// Bytes that are granted.
        limit: u64,
    },
    /// Drawing it would take for ever.
    #[error(
        "its nodes draw {vertices} vertices, more than {limit}; do many nodes show one large mesh? If you trust the file, \
         add {}", Limit::Vertices.hint(*.vertices)
    )]
    TooManyVertices {
        /// How many are drawn.
        vertices: u64,
        /// How many are granted.
        limit: u64,
    },
    /// The posed mesh cannot be written.
    #[error(transparent)]
    Export(#[from] ExportError),
}

/// What helps against a failure to write.
fn writing_cure(kind: std::io::ErrorKind) -> &'static str {
    use std::io::ErrorKind;
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => "; make room on the disk",
        ErrorKind::IsADirectory => "; name a file in it",
        ErrorKind::NotFound => "; is the folder there?",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "; may you write to the folder?",
        _ => "; is the folder there, and may you write to it?",
    }
}

fn choices(kind: &str, names: &[String]) -> String {
    const SHOWN: usize = 12;
    if names.is_empty() {
        return format!("it has no {kind}s at all");
    }
    let mut list: Vec<String> =
        names.iter().take(SHOWN).enumerate().map(|(number, name)| format!("{number} `{name}`")).collect();
    if names.len() > SHOWN {
        list.push(format!("and {} more", names.len() - SHOWN));
    }
    format!("it has {}", list.join(", "))
}
