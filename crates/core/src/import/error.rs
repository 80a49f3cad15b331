//! Errors of an import.

use super::diagnostic::{JsonLocation, Problem};
use super::limits::{Limit, PolicyChange};
use crate::util::text::line_of_causes;
use std::path::PathBuf;
use std::{fmt, io};

/// An error of [`open()`](super::open()): the file and the reason.
///
/// `{}` prints the file, as [`source`](std::error::Error::source) has the reason. [`report`](Self::report) and `{:?}` have both, so that
/// `fn main() -> Result<(), OpenError>` prints them:
///
/// ```
/// use rigview_core::import::{ImportOptions, open};
///
/// let error = open("missing.glb".as_ref(), &ImportOptions::default()).unwrap_err();
/// assert_eq!(error.to_string(), "cannot open missing.glb");
/// assert!(error.report().starts_with("cannot open missing.glb: "), "{error:?}");
/// ```
#[derive(thiserror::Error)]
#[error("cannot open {}", path.display())]
#[non_exhaustive]
pub struct OpenError {
    /// The path as given by the caller.
    pub path: PathBuf,
    /// The reason, without the name of the file.
    pub source: Box<ImportError>,
}

impl OpenError {
    /// Returns one line with the file and the reason, and the reason of that.
    pub fn report(&self) -> String {
        line_of_causes(self)
    }
}

impl fmt::Debug for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.report())
    }
}

/// An error of an import. It does not name the file, which may be in memory; [`OpenError`] does.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A file could not be read.
    #[error("cannot read {what}")]
    Read {
        /// The file, as it is named in messages.
        what: String,
        /// The system error.
        source: io::Error,
    },
    /// The path is a directory, a pipe or a device.
    #[error("{what} is not a regular file")]
    NotAFile {
        /// The file, as it is named in messages.
        what: String,
    },
    /// The bytes are neither a GLB container nor JSON.
    #[error("this is not a glTF file: {found}; rigview opens .glb, .gltf, .vrm, .bvh and .zip")]
    NotGltf {
        /// The detected format.
        found: &'static str,
    },
    /// A ZIP archive, or a file in it, cannot be read.
    #[error("{problem}")]
    Archive {
        /// The problem, with its remedy.
        problem: String,
    },
    /// A BVH file is invalid.
    #[error("line {line}: {problem}")]
    Bvh {
        /// The line, from 1.
        line: usize,
        /// The problem.
        problem: String,
    },
    /// An environment map is invalid.
    #[error("this is not an environment map: {problem}")]
    Environment {
        /// The problem.
        problem: Problem,
    },
    /// The GLB container is broken.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// The JSON is malformed.
    #[error("its JSON cannot be read; if it was edited in a text editor, undo that; otherwise copy or export it again")]
    Json {
        /// The parse error.
        source: serde_json::Error,
    },
    /// An element does not match the glTF schema.
    #[error("{at}: {problem}")]
    InvalidJson {
        /// The element.
        at: JsonLocation,
        /// The problem, such as a missing property.
        problem: String,
    },
    /// Unsupported version of glTF.
    #[error("it is made for glTF {found}; rigview opens glTF 2.0: export it again as glTF 2.0")]
    Version {
        /// The version in the file, escaped.
        found: String,
    },
    /// A limit is exceeded.
    #[error("{what}: {count} is more than the {max} that rigview opens")]
    Limit {
        /// JSON Pointer to the element; empty for the whole file.
        pointer: String,
        /// The limited quantity.
        what: String,
        /// Its value.
        count: u64,
        /// The exceeded limit.
        limit: Limit,
        /// The maximum.
        max: u64,
    },
    /// An element refers to another that does not exist.
    #[error("{at}: {kind} {index} does not exist, the file has {count}")]
    MissingReference {
        /// The referring element.
        at: JsonLocation,
        /// The kind of the missing element, such as `node`.
        kind: &'static str,
        /// Its index.
        index: usize,
        /// Number of such elements in the file.
        count: usize,
    },
    /// The data of a buffer is not available.
    #[error("{at}: {problem}")]
    Buffer {
        /// The buffer.
        at: JsonLocation,
        /// The problem.
        problem: Problem,
    },
    /// An accessor that an element uses is invalid.
    #[error("{at}: {problem}")]
    Accessor {
        /// The element that uses the accessor.
        at: JsonLocation,
        /// The problem.
        problem: AccessorError,
    },
    /// An accessor is invalid, used or not.
    #[error("{problem}")]
    UnreadableAccessor {
        /// JSON Pointer to the accessor.
        pointer: String,
        /// The problem.
        problem: AccessorError,
    },
    /// The file requires a codec that this build lacks.
    #[error("the file requires {extension}, which needs the cargo feature `{feature}`; this build of rigview lacks it")]
    MissingCodec {
        /// The extension.
        extension: &'static str,
        /// The cargo feature.
        feature: &'static str,
    },
    /// Values are inconsistent, NaN or infinite.
    #[error("{at}: {problem}")]
    InvalidData {
        /// The element.
        at: JsonLocation,
        /// The problem.
        problem: String,
    },
    /// Numbers exceed single precision, in which models are drawn.
    #[error("{at}: a number is larger than 3.4e38, more than rigview draws")]
    BeyondSinglePrecision {
        /// The property with the number.
        at: JsonLocation,
    },
    /// The nodes do not form a tree.
    #[error("{at}: {problem}")]
    Hierarchy {
        /// The node.
        at: JsonLocation,
        /// The problem.
        problem: String,
    },
    /// The data of an image is not available.
    #[error("{at}: {problem}")]
    Image {
        /// The image.
        at: JsonLocation,
        /// The problem.
        problem: Problem,
    },
}

impl ImportError {
    /// Returns `true` if the file may be valid, but has content that rigview does not support.
    pub fn is_unsupported(&self) -> bool {
        match self {
            Self::Version { .. } | Self::MissingCodec { .. } | Self::BeyondSinglePrecision { .. } => true,
            Self::Accessor { problem, .. } | Self::UnreadableAccessor { problem, .. } => {
                matches!(problem, AccessorError::UnknownType { .. } | AccessorError::NoData { .. })
            }
            _ => false,
        }
    }

    /// Returns the change of the policy that permits the file, if there is one.
    pub fn policy_change(&self) -> Option<PolicyChange> {
        match self {
            Self::Limit { limit, count, .. } => Some(PolicyChange::RaiseLimit { limit: *limit, needed: *count }),
            Self::Accessor { problem, .. } | Self::UnreadableAccessor { problem, .. } => match problem {
                AccessorError::TooLarge { limit, required_bytes, .. } => {
                    Some(PolicyChange::RaiseLimit { limit: *limit, needed: *required_bytes })
                }
                _ => None,
            },
            Self::Buffer { problem, .. } | Self::Image { problem, .. } | Self::Environment { problem } => {
                problem.policy_change
            }
            _ => None,
        }
    }

    /// Returns `true` if the file exceeds a limit that the user can raise.
    pub fn is_limit(&self) -> bool {
        matches!(self.policy_change(), Some(PolicyChange::RaiseLimit { .. }))
    }

    /// Returns the JSON Pointer (RFC 6901) to the invalid element; empty for the container or the whole file.
    pub fn pointer(&self) -> &str {
        match self {
            Self::InvalidJson { at, .. }
            | Self::MissingReference { at, .. }
            | Self::Buffer { at, .. }
            | Self::InvalidData { at, .. }
            | Self::BeyondSinglePrecision { at }
            | Self::Hierarchy { at, .. }
            | Self::Image { at, .. }
            | Self::Accessor { at, .. } => &at.pointer,
            Self::Limit { pointer, .. } | Self::UnreadableAccessor { pointer, .. } => pointer,
            Self::Version { .. } => "/asset/version",
            Self::Read { .. }
            | Self::NotAFile { .. }
            | Self::Environment { .. }
            | Self::NotGltf { .. }
            | Self::Archive { .. }
            | Self::Bvh { .. }
            | Self::Container(_)
            | Self::MissingCodec { .. }
            | Self::Json { .. } => "",
        }
    }
}

/// An error in a GLB container (glTF 2.0, section 4.4).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// Shorter than its header.
    #[error("the file ends after {size} bytes, within the header of the GLB container; copy or export it again")]
    TruncatedHeader {
        /// Length of the file in bytes.
        size: usize,
    },
    /// Neither version 2 nor 3 of the container.
    #[error("it is a GLB container of version {version}, rigview opens version 2: export it again as glTF 2.0")]
    Version {
        /// The version in the header.
        version: u32,
    },
    /// The length in the header differs from that of the file.
    #[error("the GLB header gives a length of {stated} bytes, but the file has {size}; copy or export it again")]
    Length {
        /// The length in the header.
        stated: u32,
        /// Length of the file in bytes.
        size: usize,
    },
    /// The length in the header is less than that of the header.
    #[error("the GLB header gives a length of {stated} bytes, too few for a header and a chunk")]
    LengthTooSmall {
        /// The length in the header.
        stated: u32,
    },
    /// The file ends within a chunk header.
    #[error("the file ends within the header of GLB chunk {chunk}")]
    TruncatedChunkHeader {
        /// Chunk index, from 0.
        chunk: usize,
    },
    /// The file ends within a chunk.
    #[error(
        "GLB chunk {chunk} has a length of {stated} bytes, but only {rest} are left; copy or export the file again"
    )]
    TruncatedChunk {
        /// Chunk index, from 0.
        chunk: usize,
        /// The length in the chunk header.
        stated: u32,
        /// Bytes left in the file.
        rest: usize,
    },
    /// A chunk's length is not a multiple of 4.
    #[error("GLB chunk {chunk} has {stated} bytes, which is not a multiple of 4")]
    ChunkUnaligned {
        /// Chunk index, from 0.
        chunk: usize,
        /// The length in the chunk header.
        stated: u32,
    },
    /// The first chunk is not JSON.
    #[error("the first GLB chunk is not JSON")]
    FirstNotJson,
    /// The JSON chunk is empty.
    #[error("the JSON chunk of the GLB container is empty")]
    EmptyJson,
    /// A second JSON or BIN chunk.
    #[error("GLB chunk {chunk} is a second {kind} chunk")]
    Duplicate {
        /// Chunk index, from 0.
        chunk: usize,
        /// `JSON` or `BIN`.
        kind: &'static str,
    },
    /// The BIN chunk is not the second one.
    #[error("GLB chunk {chunk} is the BIN chunk, which must be the second one")]
    BinNotSecond {
        /// Chunk index, from 0.
        chunk: usize,
    },
}

/// An error in an accessor, or in the buffer views that it reads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AccessorError {
    /// There is no such accessor.
    #[error("accessor {accessor} does not exist, the file has {count}")]
    MissingAccessor {
        /// Its index.
        accessor: usize,
        /// Number of such elements in the file.
        count: usize,
    },
    /// There is no such buffer view.
    #[error("accessor {accessor} reads buffer view {view}, which does not exist: the file has {count}")]
    MissingView {
        /// The accessor.
        accessor: usize,
        /// Index of the view.
        view: usize,
        /// Number of such elements in the file.
        count: usize,
    },
    /// The accessor itself is invalid, which is reported.
    #[error("accessor {accessor} is invalid")]
    InvalidAccessor {
        /// The accessor.
        accessor: usize,
    },
    /// The buffer view is invalid, which is reported.
    #[error("accessor {accessor} reads buffer view {view}, which is invalid")]
    InvalidView {
        /// The accessor.
        accessor: usize,
        /// The view.
        view: usize,
    },
    /// Its compressed data cannot be decoded, which is reported.
    #[error("accessor {accessor} has no data, since it could not be decompressed")]
    NotDecoded {
        /// The accessor.
        accessor: usize,
    },
    /// Component type or type is not defined in glTF.
    #[error("accessor {accessor} has a {what} that is not defined in glTF")]
    UnknownType {
        /// The accessor.
        accessor: usize,
        /// `component type` or `type`.
        what: &'static str,
    },
    /// It exceeds its buffer view.
    #[error(
        "accessor {accessor} reads past the end of its buffer view: {required_bytes} bytes of {view_bytes} in buffer \
         view {view}"
    )]
    PastView {
        /// The accessor.
        accessor: usize,
        /// The view.
        view: usize,
        /// Bytes from the start of the view to its last byte.
        required_bytes: u128,
        /// Bytes of the view.
        view_bytes: usize,
    },
    /// The elements overlap.
    #[error("accessor {accessor} has items of {size} bytes, but buffer view {view} places them {stride} bytes apart")]
    Overlap {
        /// The accessor.
        accessor: usize,
        /// The view.
        view: usize,
        /// Bytes per element.
        size: usize,
        /// The view's stride.
        stride: usize,
    },
    /// The element format does not fit the use.
    #[error("accessor {accessor} holds {found}, {expected} is needed")]
    Format {
        /// The accessor.
        accessor: usize,
        /// Its format, such as `VEC2 of FLOAT`.
        found: String,
        /// The formats that the use allows.
        expected: &'static str,
    },
    /// More sparse elements than elements.
    #[error("accessor {accessor} replaces {sparse} items, but has {count}")]
    SparseCount {
        /// The accessor.
        accessor: usize,
        /// Number of replaced elements.
        sparse: u64,
        /// Number of elements.
        count: usize,
    },
    /// A sparse index is out of range or not increasing.
    #[error("accessor {accessor} has item number {index} at position {position} of its sparse indices, {rule}")]
    SparseIndex {
        /// The accessor.
        accessor: usize,
        /// Position in the array of sparse indices.
        position: usize,
        /// The index there.
        index: u32,
        /// The violated rule.
        rule: &'static str,
    },
    /// The buffer has no data.
    #[error("accessor {accessor} reads buffer {buffer}, which has no data")]
    NoData {
        /// The accessor.
        accessor: usize,
        /// The buffer.
        buffer: usize,
    },
    /// The decoded file would be too large.
    #[error("accessor {accessor} has {count} items, more than rigview decodes: {max} bytes in all")]
    TooLarge {
        /// The accessor.
        accessor: usize,
        /// Its element count.
        count: u64,
        /// The exceeded limit.
        limit: Limit,
        /// Decoded bytes of all accessors up to this one.
        required_bytes: u64,
        /// Maximum of decoded bytes.
        max: u64,
    },
}
