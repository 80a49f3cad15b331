//! Errors of commands.

use crate::cli::{did_you_mean, limit_option, policy_advice};
use rigview_core::export::ExportError;
use rigview_core::import::{ImportError, Limit};
use rigview_core::retarget::{RetargetError, RigMapError as RigMapChangesError};
use rigview_core::util::text::excerpt;
use rigview_render::platform::PlatformError;
use rigview_render::render::RenderError;
use rigview_render::scene::layout::LayoutError;
use rigview_suite::suite::SuiteError;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The error of a command, with the text of each variant. `main` prints it with its sources, outer to inner.
///
/// `file`, `folder` and `before` are paths as given by the user; messages have the remedy.
#[derive(Debug, Error)]
pub(crate) enum AppError {
    #[error("{}", .file.display())]
    File { file: PathBuf, source: Box<FileError> },
    #[error("{}: the folder cannot be read", .folder.display())]
    FolderRead { folder: PathBuf, source: std::io::Error },
    #[error("{}: no .glb, .gltf, .vrm, .vrma, .bvh or .zip file in this folder or its subfolders", .0.display())]
    NoModels(PathBuf),
    #[error("{}: cannot be written{}", .file.display(), write_hint(.source))]
    Output { file: PathBuf, source: std::io::Error },
    #[error("standard output cannot be written")]
    Stdout(#[source] std::io::Error),
    #[error("threads cannot be started; use fewer")]
    Threads(#[source] rayon::ThreadPoolBuildError),
    /// A panic while processing a file.
    #[error("{}: rigview crashed on this file; please report the bug and attach the file", .0.display())]
    Crashed(PathBuf),
    /// A checked file has issues, which are already printed.
    #[error("{file}: {summary}")]
    CheckFailed { file: String, summary: String },
    #[error(transparent)]
    Platform(PlatformError),
    #[error("{0}; `rigview shot` renders screenshots without a window")]
    NoWindow(PlatformError),
    #[error(transparent)]
    Render(#[from] RenderError),
    #[error("{}", .file.display())]
    Suite { file: PathBuf, source: SuiteError },
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    ExportFailed(String),
    /// Two files differ; the differences are already printed.
    #[error("{before} and {after} differ")]
    Differs { before: String, after: String },
    /// An exact comparison with parts of the files that are not compared; they are already printed.
    #[error("parts of {before} and {after} are not compared; without --tolerance exact, that is no failure")]
    NotCompared { before: String, after: String },
    #[error("--compare shows two files, not {0}: rigview old.glb new.glb --compare")]
    CompareTwo(usize),
    #[error("cannot compare")]
    CannotCompare(#[source] Box<AppError>),
    #[error("stopped after {done} of {draws} draws: the time limit of the shot or of the run is over; raise --timeout")]
    DrawTimeout { done: u32, draws: u32 },
    /// The user has interrupted the command.
    #[error("stopped; nothing was written")]
    Cancelled,
    #[error("{0}")]
    TestsDiffer(String),
    #[error("{0}")]
    TestsBroken(String),
    /// A suite cannot run, or its report cannot be written.
    #[error("cannot test")]
    CannotTest(#[source] Box<AppError>),
}

impl AppError {
    /// Creates the error of an input file.
    pub(crate) fn in_file<E: Into<FileError>>(file: &Path, source: E) -> Self {
        Self::File { file: file.to_owned(), source: Box::new(source.into()) }
    }

    /// Creates the error of an output file, without the name of the temporary file that `tempfile` appends to the reason.
    pub(crate) fn output(file: &Path, source: std::io::Error) -> Self {
        let source = match source.to_string().split_once(" at path ") {
            Some((reason, _)) => std::io::Error::new(source.kind(), reason.to_owned()),
            None => source,
        };
        Self::Output { file: file.to_owned(), source }
    }

    /// Returns `true` for an output file without room on the disk.
    pub(crate) fn is_full_disk(&self) -> bool {
        matches!(self, Self::Output { source, .. } if is_full(source.kind()))
    }

    /// Replaces the file `from` of the error by `to`.
    pub(crate) fn with_file_name(self, from: &Path, to: &Path) -> Self {
        match self {
            Self::CannotCompare(error) => Self::CannotCompare(Box::new(error.with_file_name(from, to))),
            Self::File { file, source } if file == from => Self::File { file: to.to_owned(), source },
            other => other,
        }
    }

    /// The file or folder that caused the error.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::File { file, .. } | Self::Output { file, .. } | Self::Crashed(file) => Some(file),
            Self::FolderRead { folder, .. } | Self::NoModels(folder) => Some(folder),
            _ => None,
        }
    }

    /// Process exit code: usually 1. For `test`, 1 means that an image differs.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Suite { .. } | Self::Usage(_) | Self::CannotCompare(_) | Self::CompareTwo(_) => 2,
            Self::Cancelled => rigview_render::platform::shutdown::EXIT_INTERRUPTED,
            Self::TestsBroken(_) | Self::CannotTest(_) => 3,
            _ => 1,
        }
    }
}

impl From<PlatformError> for AppError {
    fn from(error: PlatformError) -> Self {
        match error {
            PlatformError::NoDisplay { .. } | PlatformError::NoLibraries { .. } => Self::NoWindow(error),
            _ => Self::Platform(error),
        }
    }
}

/// An error in an input file, with the text of each variant.
#[derive(Debug, Error)]
pub(crate) enum FileError {
    #[error(transparent)]
    Import(ImportError),
    /// The file cannot be imported; an option or another command can open it.
    #[error("{error}{advice}")]
    Refused { error: Box<ImportError>, advice: String },
    /// Another program did not convert the file.
    #[error("{0}")]
    NotConverted(String),
    #[error("at most {0} clips can play together, --layer included; choose fewer, or one by --clip NAME")]
    TooManyClips(usize),
    #[error(
        "requires {}, which rigview does not support yet; --ignore-required shows the file without it", .0.join(", ")
    )]
    RequiredExtensions(Vec<String>),
    #[error("has no joint `{}` among its {count}; {hint}", excerpt(.requested))]
    NoSuchJoint { requested: String, count: usize, hint: String },
    #[error("has no vertex {vertex} at node `{}`, whose mesh has {count}", excerpt(.node))]
    NoSuchVertex { node: String, vertex: usize, count: usize },
    #[error(
        "the matrix of joint `{}` has shear, so that it cannot be posed; in Blender, apply the scale of its parents and \
         export again",
        excerpt(.0)
    )]
    ShearedJoint(String),
    #[error("the mask's joint `{}` moves no vertex; choose a joint with weights", excerpt(.0))]
    UnusedJoint(String),
    /// Unknown clip, scene, camera, variant or morph target; `names` exist.
    #[error("has no {kind} `{}`; {}", excerpt(.requested), choices(.kind, .requested, .names))]
    NoSuch { kind: &'static str, requested: String, names: Vec<String> },
    #[error("has no joint of rank {rank} in `rigview check --flex`; it has {}", flex_ranks(*.joints))]
    NoFlexRank { rank: usize, joints: usize },
    /// A vertex to explain that does not exist or is not drawn.
    #[error("{0}")]
    NotExplained(String),
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A line of a layout file names an unknown clip.
    #[error("line {line}")]
    LayoutLine { line: usize, source: Box<FileError> },
    #[error("cannot be read as the layout of a crowd; `grid` and `scatter` need no file")]
    LayoutRead(#[source] std::io::Error),
    #[error("is not a layout: expected `grid`, `scatter`, or a .csv or .json file")]
    LayoutKind,
    #[error(
        "has {count} placements, but {instances} instances were requested; omit the instance count of the first model"
    )]
    LayoutCount { count: usize, instances: usize },
    #[error(
        "has {count} placements, more than {max}; use fewer, or add {}",
        limit_option(Limit::Instances, *.count as u64)
    )]
    TooManyPlacements { count: usize, max: u64 },
    #[error("has no clips to import")]
    NoClips,
    /// `needed` and `limit` are bytes.
    #[error(
        "{instances} instances of this rig need {} MiB of matrices, more than {}; use fewer, or add {}",
        .needed >> 20, Limit::Matrices.format(*.limit), limit_option(Limit::Matrices, *.needed)
    )]
    TooManyInstances { instances: u32, needed: u64, limit: u64 },
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error(transparent)]
    RigMap(#[from] RigMapError),
    #[error("its triangles cover no area of the plane of X and Z; name a model of a ground, with +Y up")]
    NoGround,
    /// The reference pose of a rig is uncertain.
    #[error("{0}; without --deny low-confidence, this is a notice")]
    LowConfidence(String),
    /// Clips cannot be retargeted, or the legs are unknown. The error has no source.
    #[error("{}{}", .0, retarget_hint(.0))]
    Retarget(RetargetError),
}

/// Error of a file with a map. Names are quoted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum RigMapError {
    #[error("{file}: {problem}")]
    File { file: String, problem: String },
    #[error("line {line}: {message}; write one line per role, such as leftFoot = \"foot.l\"")]
    Syntax { line: usize, message: String },
    /// Unknown roles, joints or values.
    #[error(transparent)]
    Changes(#[from] RigMapChangesError),
}

impl From<RetargetError> for FileError {
    fn from(error: RetargetError) -> Self {
        Self::Retarget(error)
    }
}

/// The remedy for a rig that cannot be retargeted.
fn retarget_hint(error: &RetargetError) -> &'static str {
    match error {
        RetargetError::MissingRoles { .. } | RetargetError::OtherKind { .. } => {
            "; write its map by `rigview rig-map MODEL -o MODEL.rigmap.toml`, and add them"
        }
        _ => "",
    }
}

impl From<ImportError> for FileError {
    fn from(error: ImportError) -> Self {
        let advice = match &error {
            ImportError::NotGltf { found } if found.contains("PNG") => {
                "; `rigview compare` compares two images".to_owned()
            }
            _ => policy_advice(error.policy_change()),
        };
        if advice.is_empty() { Self::Import(error) } else { Self::Refused { error: error.into(), advice } }
    }
}

fn is_full(kind: std::io::ErrorKind) -> bool {
    use std::io::ErrorKind;
    matches!(kind, ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)
}

/// The remedy for a write error.
fn write_hint(error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind;
    // ERROR_SHARING_VIOLATION and ERROR_LOCK_VIOLATION have no kind.
    let is_open_elsewhere = cfg!(windows) && matches!(error.raw_os_error(), Some(32 | 33));
    match error.kind() {
        _ if is_open_elsewhere => "; is the file closed in other programs?",
        kind if is_full(kind) => "; make room on the disk",
        ErrorKind::IsADirectory => "; name a file in it",
        ErrorKind::NotFound => "; does the folder exist?",
        ErrorKind::PermissionDenied | ErrorKind::ResourceBusy if cfg!(windows) => {
            "; is the folder writable, and is the file closed in other programs?"
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "; is the folder writable?",
        _ => "; does the folder exist, and is it writable?",
    }
}

fn flex_ranks(joints: usize) -> String {
    match joints.checked_sub(1) {
        None => "no joint that the range of motion test poses".to_owned(),
        Some(last) => format!("the ranks 0 to {last}"),
    }
}

fn choices(kind: &str, requested: &str, names: &[String]) -> String {
    const MAX_LISTED: usize = 12;
    if names.is_empty() {
        return format!("it has no {kind}s");
    }
    let mut list: Vec<String> = names
        .iter()
        .take(MAX_LISTED)
        .enumerate()
        .map(|(number, name)| format!("{number} `{}`", excerpt(name)))
        .collect();
    if names.len() > MAX_LISTED {
        list.push(format!("and {} more", names.len() - MAX_LISTED));
    }
    let it_has = format!("it has {}", list.join(", "));
    match did_you_mean(requested, names.iter().map(String::as_str)) {
        Some(hint) => format!("{hint} {it_has}"),
        None => it_has,
    }
}

impl From<rigview_render::gpu::GpuError> for AppError {
    fn from(error: rigview_render::gpu::GpuError) -> Self {
        RenderError::from(error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::import::{ImportOptions, from_bytes};

    #[test]
    fn refused_files_name_the_option_or_the_command() {
        let mut options = ImportOptions::default();
        options.policy.limits.set(Limit::Elements, 1);
        let message = |options: &ImportOptions, bytes: &[u8]| {
            let error = from_bytes(bytes.to_vec(), Some(Path::new("models")), options).err();
            error.map_or_else(String::new, |error| FileError::from(error).to_string())
        };
        let nodes = message(&options, br#"{"asset": {"version": "2.0"}, "nodes": [{}, {}]}"#);
        assert!(nodes.ends_with("; if you trust the file, add --limit elements=2"), "{nodes}");
        // A model without its vertices is refused.
        options.policy.limits.set(Limit::Elements, 100);
        let outside = message(
            &options,
            br#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "accessors": [{"bufferView": 0, "componentType": 5126,
            "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]}], "bufferViews": [{"buffer": 0, "byteLength": 36}],
            "buffers": [{"byteLength": 36, "uri": "/a.bin"}]}"#,
        );
        assert!(outside.ends_with("; if you trust the model, --allow-external-files reads it from there"), "{outside}");
        assert!(message(&options, b"\x89PNG\r\n\x1a\n").ends_with("; `rigview compare` compares two images"));
        assert!(!message(&options, b"BM").contains("; `"));
    }
}
