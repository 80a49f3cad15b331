//! Errors of an import.

use super::diagnostic::JsonLocation;
use super::limits::Limit;
use std::io;

/// Why a file cannot be opened. The caller adds the name of the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The system did not let us read a file.
    #[error("cannot read {what}")]
    Read {
        /// The file, as a message calls it.
        what: String,
        /// The system's reason.
        source: io::Error,
    },
    /// A directory, a pipe or a device stands where a file is needed.
    #[error("{what} is not a regular file")]
    NotAFile {
        /// The file, as a message calls it.
        what: String,
    },
    /// The bytes are neither a GLB container nor JSON.
    #[error("this is not a glTF file: {found}; rigview opens .glb and .gltf")]
    NotGltf {
        /// What it seems to be.
        found: &'static str,
    },
    /// A file that should light the scene does not.
    #[error("this is no environment: {problem}")]
    Environment {
        /// What is wrong.
        problem: String,
    },
    /// The GLB container is broken.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// The text is not JSON.
    #[error("its JSON cannot be read; if it was edited by hand, undo that, else copy or export it again")]
    Json {
        /// Where and why.
        source: serde_json::Error,
    },
    /// An element has not the form that glTF gives it.
    #[error("{at}: {problem}")]
    InvalidJson {
        /// The element.
        at: JsonLocation,
        /// What is wrong, such as a missing property.
        problem: String,
    },
    /// Made for another version of glTF.
    #[error("it is made for glTF {found}; rigview opens glTF 2.0: export it again as glTF 2.0")]
    Version {
        /// The version that the file gives, made fit for a message.
        found: String,
    },
    /// Larger than rigview opens.
    #[error(
        "{what}: {count} is more than the {limit} that rigview opens; if you trust the file, add {}", over.hint(*.count)
    )]
    Limit {
        /// JSON Pointer to the element; empty for the whole file.
        pointer: String,
        /// What is too large or too many.
        what: String,
        /// How large or many.
        count: u64,
        /// The limit that it is over.
        over: Limit,
        /// How large or many it may be.
        limit: u64,
    },
    /// An element refers to another that does not exist.
    #[error("{at}: {kind} {index} does not exist, the file has {count}")]
    MissingReference {
        /// The referring element.
        at: JsonLocation,
        /// What is referred to, such as `node`.
        kind: &'static str,
        /// Its number.
        index: usize,
        /// How many of them the file has.
        count: usize,
    },
    /// A buffer's bytes are not to be had.
    #[error("{at}: {problem}")]
    Buffer {
        /// The buffer.
        at: JsonLocation,
        /// What is wrong.
        problem: String,
    },
    /// Stored numbers cannot be read.
    #[error("{at}: {fault}")]
    Accessor {
        /// The element that needs them.
        at: JsonLocation,
        /// What is wrong.
        fault: AccessorError,
    },
    /// An accessor is broken, whoever needs it.
    #[error("{fault}")]
    UnreadableAccessor {
        /// JSON Pointer to the accessor.
        pointer: String,
        /// What is wrong.
        fault: AccessorError,
    },
    /// The file requires a codec that this build lacks.
    #[error("the file requires {extension}, which needs the cargo feature `{feature}`; this build of rigview lacks it")]
    MissingCodec {
        /// The extension.
        extension: &'static str,
        /// The cargo feature.
        feature: &'static str,
    },
    /// Stored numbers do not fit together, or are none (NaN, infinity).
    #[error("{at}: {problem}")]
    InvalidData {
        /// The element.
        at: JsonLocation,
        /// What is wrong.
        problem: String,
    },
    /// Nodes that are not a tree.
    #[error("{at}: {problem}")]
    Hierarchy {
        /// The node.
        at: JsonLocation,
        /// What is wrong.
        problem: String,
    },
    /// An image's bytes are not to be had.
    #[error("{at}: {problem}")]
    Image {
        /// The image.
        at: JsonLocation,
        /// What is wrong.
        problem: String,
    },
}

impl ImportError {
    /// JSON Pointer (RFC 6901) to the element at fault; empty for the container or the whole file.
    pub fn pointer(&self) -> &str {
        match self {
            Self::InvalidJson { at, .. }
            | Self::MissingReference { at, .. }
            | Self::Buffer { at, .. }
            | Self::InvalidData { at, .. }
            | Self::Hierarchy { at, .. }
            | Self::Image { at, .. }
            | Self::Accessor { at, .. } => &at.pointer,
            Self::Limit { pointer, .. } | Self::UnreadableAccessor { pointer, .. } => pointer,
            Self::Version { .. } => "/asset/version",
            Self::Read { .. }
            | Self::NotAFile { .. }
            | Self::Environment { .. }
            | Self::NotGltf { .. }
            | Self::Container(_)
            | Self::MissingCodec { .. }
            | Self::Json { .. } => "",
        }
    }
}

/// What is wrong with a GLB container (glTF 2.0, section 4.4).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContainerError {
    /// Shorter than its header.
    #[error("the file ends after {size} bytes, within the header of the GLB container; copy or export it again")]
    TruncatedHeader {
        /// Length of the file in bytes.
        size: usize,
    },
    /// Not version 2 of the container.
    #[error("it is a GLB container of version {version}, rigview opens version 2: export it again as glTF 2.0")]
    Version {
        /// The version that the header gives.
        version: u32,
    },
    /// The header gives another length than the file has.
    #[error("the GLB header says {stated} bytes, the file has {size}; it was cut short: copy or export it again")]
    Length {
        /// The length that the header gives.
        stated: u32,
        /// Length of the file in bytes.
        size: usize,
    },
    /// The header gives a length below its own.
    #[error("the GLB header says {stated} bytes, too few for a header and a chunk")]
    LengthTooSmall {
        /// The length that the header gives.
        stated: u32,
    },
    /// The file ends within the head of a chunk.
    #[error("the file ends within the head of GLB chunk {chunk}")]
    TruncatedChunkHeader {
        /// The chunk's number, from 0.
        chunk: usize,
    },
    /// The file ends within a chunk.
    #[error("GLB chunk {chunk} says {stated} bytes, but only {rest} are left; copy or export the file again")]
    TruncatedChunk {
        /// The chunk's number, from 0.
        chunk: usize,
        /// The length that the chunk gives.
        stated: u32,
        /// Bytes left in the file.
        rest: usize,
    },
    /// A chunk's length is not a multiple of 4.
    #[error("GLB chunk {chunk} has {stated} bytes, which is not a multiple of 4")]
    ChunkUnaligned {
        /// The chunk's number, from 0.
        chunk: usize,
        /// The length that the chunk gives.
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
        /// The chunk's number, from 0.
        chunk: usize,
        /// `JSON` or `BIN`.
        kind: &'static str,
    },
    /// The BIN chunk is not the second one.
    #[error("GLB chunk {chunk} is the BIN chunk, which must be the second one")]
    BinNotSecond {
        /// The chunk's number, from 0.
        chunk: usize,
    },
}

/// What is wrong with an accessor, or with the buffer views that it reads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessorError {
    /// There is no such accessor.
    #[error("accessor {accessor} does not exist, the file has {count}")]
    MissingAccessor {
        /// Its number.
        accessor: usize,
        /// How many the file has.
        count: usize,
    },
    /// There is no such buffer view.
    #[error("accessor {accessor} reads buffer view {view}, which does not exist: the file has {count}")]
    MissingView {
        /// The accessor.
        accessor: usize,
        /// The view's number.
        view: usize,
        /// How many the file has.
        count: usize,
    },
    /// Component type or type is none that glTF knows.
    #[error("accessor {accessor} has a {what} that glTF does not know")]
    UnknownType {
        /// The accessor.
        accessor: usize,
        /// `component type` or `type`.
        what: &'static str,
    },
    /// It ends behind its buffer view.
    #[error("accessor {accessor} reads past the end of its buffer view: {needs} bytes of {has} in buffer view {view}")]
    PastView {
        /// The accessor.
        accessor: usize,
        /// The view.
        view: usize,
        /// Bytes from the start of the view to its last byte.
        needs: u128,
        /// Bytes of the view.
        has: usize,
    },
    /// The items of a buffer view overlap.
    #[error("accessor {accessor} has items of {size} bytes, but buffer view {view} places them {stride} bytes apart")]
    Overlap {
        /// The accessor.
        accessor: usize,
        /// The view.
        view: usize,
        /// Bytes of an item.
        size: usize,
        /// The view's stride.
        stride: usize,
    },
    /// The type does not fit the use.
    #[error("accessor {accessor} holds {found}, {expected} is needed")]
    Format {
        /// The accessor.
        accessor: usize,
        /// What it holds, such as `VEC2 of FLOAT`.
        found: String,
        /// What the use asks for.
        expected: &'static str,
    },
    /// More sparse items than items.
    #[error("accessor {accessor} replaces {sparse} items, but has {count}")]
    SparseCount {
        /// The accessor.
        accessor: usize,
        /// Items that are replaced.
        sparse: u64,
        /// Items in all.
        count: usize,
    },
    /// A sparse index beyond the items, or out of order.
    #[error("accessor {accessor} has item number {index} at position {position} of its sparse indices, {rule}")]
    SparseIndex {
        /// The accessor.
        accessor: usize,
        /// Position in the array of sparse indices.
        position: usize,
        /// What stands there.
        index: u32,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// The buffer has no bytes.
    #[error("accessor {accessor} reads buffer {buffer}, which has no data")]
    NoData {
        /// The accessor.
        accessor: usize,
        /// The buffer.
        buffer: usize,
    },
    /// Decoded, the file would be too large.
    #[error(
        "accessor {accessor} has {count} items, more than rigview decodes: {limit} bytes in all; if you trust the file, \
         add {}", over.hint(*.needs)
    )]
    TooMuch {
        /// The accessor.
        accessor: usize,
        /// Its item count.
        count: u64,
        /// The limit that it is over.
        over: Limit,
        /// The bytes that would be decoded with it.
        needs: u64,
        /// The bytes that may be decoded.
        limit: u64,
    },
}
