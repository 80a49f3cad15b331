//! The loaded file: JSON, buffers and encoded images.

use super::container;
use super::diagnostic::Problem;
use super::diagnostics::Diagnostics;
use super::error::{AccessorError, ImportError};
use super::image_codec;
use super::json::{BYTE_ORDER_MARK, EmbeddedData, GltfJson};
use super::limits::{ImportPolicy, Limit, Limits, PolicyChange};
use super::meshopt;
use super::metadata::thumbnail_image;
use super::options::ImportOptions;
use super::resolver::FileResolver;
use super::uri::{self, external_file};
use crate::model::Image;
use crate::util::fallible::fallible;
use crate::util::git_lfs::{LFS_POINTER, LFS_START, is_lfs_pointer};
use crate::util::regular_file::{open_regular, open_regular_beneath};
use crate::util::text::quoted;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A loaded file: JSON, buffers and encoded images. A [`Model`](crate::model::Model) is imported from it.
///
/// It has what the model omits, such as `extras` and application-specific vertex attributes:
///
/// ```
/// use rigview_core::import::{ImportOptions, from_bytes};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let text = br#"{ "asset": { "version": "2.0" }, "nodes": [{ "mesh": 0, "extras": { "team": "red" } }],
///     "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "_WETNESS": 1 } }] }],
///     "accessors": [{ "componentType": 5126, "count": 3, "type": "VEC3" },
///         { "bufferView": 0, "componentType": 5121, "normalized": true, "count": 3, "type": "SCALAR" }],
///     "bufferViews": [{ "buffer": 0, "byteLength": 3 }], "buffers": [{ "byteLength": 3, "uri": "data:;base64,AP8A" }] }"#;
/// let imported = from_bytes(text, None, &ImportOptions::default())?;
/// let json = imported.gltf_file.json();
/// let node = imported.model.skeleton.joints()[0].node;
/// assert_eq!(json["nodes"][node]["extras"]["team"], "red");
/// let accessor = json["meshes"][0]["primitives"][0]["attributes"]["_WETNESS"].as_u64().ok_or("no such attribute")?;
/// assert_eq!(imported.gltf_file.accessor_floats(accessor as usize)?, [0.0, 1.0, 0.0]);
/// # Ok(())
/// # }
/// ```
pub struct GltfFile {
    pub(super) document: GltfJson,
    pub(super) policy: ImportPolicy,
    /// The whole file if it is a GLB container; buffers may refer to it.
    file: Vec<u8>,
    buffers: Vec<Buffer>,
    /// Decompressed bytes of compressed buffer views, by view index.
    decoded_views: BTreeMap<usize, Vec<u8>>,
    /// Tightly packed elements of Draco-compressed accessors, by accessor index; `None` if they cannot be decoded.
    pub(super) decoded_accessors: BTreeMap<usize, Option<Vec<u8>>>,
    /// Buffer views that are invalid, which is reported.
    invalid_views: BTreeSet<usize>,
    /// Images from `data:` URIs, by image index; an error message for those that cannot be decoded.
    images: BTreeMap<usize, Result<Vec<u8>, Problem>>,
    /// The folder of the file.
    base: Option<PathBuf>,
    resolver: Option<FileResolver>,
    /// Bytes of the file and of its external buffers.
    size_bytes: u64,
}

impl std::fmt::Debug for GltfFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GltfFile").field("size_bytes", &self.size_bytes).finish_non_exhaustive()
    }
}

/// The storage of a buffer.
enum Buffer {
    /// The first bytes of a chunk.
    Chunk(Range<usize>),
    /// Bytes of an external file or of a `data:` URI.
    Owned(Vec<u8>),
    /// No data, as extensions allow.
    Absent,
}

impl GltfFile {
    /// Parses `bytes` as a GLB container or as JSON, and reads the buffers.
    pub(super) fn new(
        bytes: Cow<'_, [u8]>,
        base: Option<&Path>,
        options: &ImportOptions,
        diagnostics: &mut Diagnostics,
    ) -> Result<Self, ImportError> {
        let policy = &options.policy;
        let mut size_bytes = bytes.len() as u64;
        let (file, bin, (document, embedded)) = if container::is_glb(&bytes) {
            let parts = container::split(&bytes)?;
            if parts.trailing_bytes > 0 {
                diagnostics.push("", format!("{} bytes after the GLB container are ignored", parts.trailing_bytes));
            }
            if let Some((chunk, length)) = parts.unaligned {
                let message = format!("GLB chunk {chunk} has {length} bytes, which is not a multiple of 4; it is read");
                diagnostics.push("", message);
            }
            let parsed = GltfJson::parse(bytes.get(parts.json).unwrap_or_default(), &policy.limits, diagnostics)?;
            (bytes.into_owned(), parts.bin, parsed)
        } else {
            reject_other_formats(&bytes)?;
            (Vec::new(), None, GltfJson::parse(&bytes, &policy.limits, diagnostics)?)
        };
        let EmbeddedData { buffers: mut data, images } = embedded;
        let mut buffers = Vec::with_capacity(document.buffers.len());
        for i in 0..document.buffers.len() {
            let chunk = bin.as_ref().filter(|_| i == 0);
            let buffer = read_buffer(&document, i, chunk, data.remove(&i), base, options, &mut size_bytes);
            let buffer = match buffer {
                Ok(buffer) => buffer,
                Err(error) => {
                    diagnostics.leave_out_geometry(error, WITHOUT_DATA)?;
                    Buffer::Absent
                }
            };
            if let Some(error) = length_error(&document, i, &buffer) {
                diagnostics.leave_out_geometry(error, "what reads past its end is left out")?;
            }
            buffers.push(buffer);
        }
        let (decoded_views, base, policy) = (BTreeMap::new(), base.map(Path::to_owned), policy.clone());
        let decoded_accessors = BTreeMap::new();
        let mut gltf_file = Self {
            document,
            policy,
            file,
            buffers,
            decoded_views,
            decoded_accessors,
            invalid_views: BTreeSet::new(),
            images,
            base,
            resolver: options.resolver.clone(),
            size_bytes,
        };
        gltf_file.check_views(diagnostics)?;
        let views =
            gltf_file.document.value.get("bufferViews").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let max = gltf_file.policy.limits.get(Limit::Decompressed);
        let decoded = meshopt::decode_views(views, |buffer| gltf_file.buffer(buffer), max);
        let decoded = decoded.map_err(|error| error.in_document(&gltf_file.document))?;
        for (view, result) in decoded {
            match result {
                Ok(bytes) => {
                    gltf_file.decoded_views.insert(view, bytes);
                }
                Err(error) => {
                    diagnostics.leave_out_geometry(error.in_document(&gltf_file.document), WITHOUT_DATA)?;
                    gltf_file.invalid_views.insert(view);
                }
            }
        }
        Ok(gltf_file)
    }

    /// Returns the JSON of the file, without the payload of `data:` URIs.
    pub fn json(&self) -> &Value {
        &self.document.value
    }

    /// Returns the bytes of a buffer; `None` if there is no such buffer or it has no data.
    pub fn buffer(&self, buffer: usize) -> Option<&[u8]> {
        match self.buffers.get(buffer)? {
            Buffer::Chunk(range) => self.file.get(range.clone()),
            Buffer::Owned(bytes) => Some(bytes),
            Buffer::Absent => None,
        }
    }

    /// Drops buffers and encoded images. Keeps the JSON.
    pub fn drop_payloads(&mut self) {
        self.file = Vec::new();
        self.buffers.fill_with(|| Buffer::Absent);
        self.decoded_views.clear();
        self.decoded_accessors.clear();
        self.images.clear();
    }

    /// Returns the paths of external buffers and images in the folder of the model, whether they exist or not.
    pub fn external_files(&self) -> Vec<PathBuf> {
        let buffers = self.document.buffers.iter().filter_map(|buffer| buffer.uri.as_deref());
        let images = self.document.images.iter().filter_map(|image| image.uri.as_deref());
        let uris = buffers.chain(images).filter(|uri| !uri::is_data(uri));
        let allow_external_paths = self.policy.allow_external_paths;
        let path = |uri: &str| uri::paths(uri, self.base.as_deref(), allow_external_paths).ok()?.into_iter().next();
        uris.filter_map(path).collect()
    }

    /// Bytes of the file and of its external buffers.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Returns an image as encoded in the file, and its MIME type by signature; `""` if that is unknown.
    ///
    /// Each call reads an external image file again.
    ///
    /// # Errors
    /// If the image does not exist, has no data, or its file cannot be read.
    pub fn image_bytes(&self, image: usize) -> Result<(Cow<'_, [u8]>, &'static str), ImportError> {
        let at = self.document.location("images", image);
        let bytes = self.encoded_image(image).map_err(|problem| ImportError::Image { at, problem })?;
        let mime = crate::gltf_format::mime_type(&bytes);
        Ok((bytes, mime))
    }

    /// Decodes the thumbnail that the file contains, with at most `max_dimension` texels a side.
    ///
    /// VRM avatars have one. `None` without one, and if it cannot be decoded.
    pub fn thumbnail(&self, max_dimension: u32) -> Option<Image> {
        let bytes = self.encoded_image(thumbnail_image(self.json())?).ok()?;
        let (width, height, format) = image_codec::size(&bytes, &self.policy.limits).ok()?;
        let mut image = Image { width, height, ..Image::default() };
        image_codec::decode(&bytes, format, &self.policy.limits, &Default::default(), false, &mut image).ok()?;
        image.shrink(max_dimension);
        Some(image)
    }

    /// Returns `true` if an image is an external file.
    pub(super) fn image_is_file(&self, image: usize) -> bool {
        let uri = self.document.images.get(image).and_then(|image| image.uri.as_ref());
        uri.is_some() && !self.images.contains_key(&image)
    }

    /// Returns the bytes of an encoded image, or the reason why they are not available.
    pub(super) fn encoded_image(&self, image: usize) -> Result<Cow<'_, [u8]>, Problem> {
        let Some(json) = self.document.images.get(image) else {
            return Err(format!("it does not exist, the file has {}", self.document.images.len()).into());
        };
        if let Some(data) = self.images.get(&image) {
            return data.as_ref().map(|bytes| Cow::Borrowed(bytes.as_slice())).map_err(Problem::clone);
        }
        if let Some(uri) = &json.uri {
            return read_uri(uri, self.base.as_deref(), self.resolver.as_ref(), &self.policy, None).map(Cow::Owned);
        }
        let Some(view) = json.buffer_view else { return Err("it has neither a URI nor a buffer view".into()) };
        match self.view(view.value()) {
            Some(bytes) => Ok(Cow::Borrowed(bytes)),
            None => Err(format!("its buffer view {} has no data", view.value()).into()),
        }
    }

    /// Returns the bytes of a buffer view; `None` if it does not exist or its buffer has no data.
    pub(super) fn view(&self, view: usize) -> Option<&[u8]> {
        if let Some(bytes) = self.decoded_views.get(&view) {
            return Some(bytes);
        }
        let json = self.document.buffer_views.get(view).filter(|_| !self.invalid_views.contains(&view))?;
        let range = view_range(json)?;
        self.buffer(json.buffer.value())?.get(range)
    }

    /// Returns the bytes of the buffer view that an accessor reads.
    pub(super) fn accessor_view(&self, accessor: usize, view: usize) -> Result<&[u8], AccessorError> {
        let count = self.document.buffer_views.len();
        let json = self.document.buffer_views.get(view).ok_or(AccessorError::MissingView { accessor, view, count })?;
        if self.invalid_views.contains(&view) {
            return Err(AccessorError::InvalidView { accessor, view });
        }
        self.view(view).ok_or(AccessorError::NoData { accessor, buffer: json.buffer.value() })
    }

    /// Finds the buffer views that exceed their buffer or have an invalid stride.
    fn check_views(&mut self, diagnostics: &mut Diagnostics) -> Result<(), ImportError> {
        for view in 0..self.document.buffer_views.len() {
            if self.document.is_invalid("bufferViews", view) {
                self.invalid_views.insert(view);
            } else if let Err(error) = self.check_view(view) {
                diagnostics.leave_out_geometry(error, WITHOUT_DATA)?;
                self.invalid_views.insert(view);
            }
        }
        Ok(())
    }

    fn check_view(&self, i: usize) -> Result<(), ImportError> {
        let Some(view) = self.document.buffer_views.get(i) else { return Ok(()) };
        let at = || self.document.location("bufferViews", i);
        let buffer = view.buffer.value();
        let Some(json) = self.document.buffers.get(buffer) else {
            let count = self.document.buffers.len();
            return Err(ImportError::MissingReference { at: at(), kind: "buffer", index: buffer, count });
        };
        // A buffer may be padded beyond its `byteLength`.
        let buffer_bytes = match self.buffer(buffer) {
            Some(bytes) => bytes.len() as u64,
            None => json.byte_length.0,
        };
        if view_range(view).is_none_or(|range| range.end as u64 > buffer_bytes) {
            let offset = view.byte_offset.map_or(0, |offset| offset.0);
            let problem = format!(
                "it reaches past the end of buffer {buffer}: {} bytes from {offset} on, of {buffer_bytes}",
                view.byte_length.0
            );
            return Err(ImportError::InvalidData { at: at(), problem });
        }
        if let Some(stride) = view.byte_stride
            && !(4..=252).contains(&stride.0)
        {
            let problem = format!("its byteStride is {}, it must be from 4 to 252", stride.0);
            return Err(ImportError::InvalidData { at: at(), problem });
        }
        Ok(())
    }
}

/// The consequence of an invalid buffer or buffer view.
const WITHOUT_DATA: &str = "what reads it is left out";

fn view_range(view: &gltf::json::buffer::View) -> Option<Range<usize>> {
    let start = usize::try_from(view.byte_offset.map_or(0, |offset| offset.0)).ok()?;
    Some(start..start.checked_add(usize::try_from(view.byte_length.0).ok()?)?)
}

/// Returns an error that names the format of `bytes` if it is certainly not glTF.
pub fn reject_other_formats(bytes: &[u8]) -> Result<(), ImportError> {
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let found = match text.trim_ascii_start() {
        [] => "it is empty",
        [b'{', ..] => return Ok(()),
        [b'K', b'a', b'y', b'd', b'a', b'r', b'a', ..] => {
            "it is an FBX file; import it into Blender and export glTF 2.0"
        }
        [b'B', b'L', b'E', b'N', b'D', b'E', b'R', ..] => "it is a Blender file; open it there and export glTF 2.0",
        [b'P', b'K', 3, 4, ..] => "it is a ZIP archive; unpack it first",
        [0x89, b'P', b'N', b'G', ..] => "it is a PNG image",
        _ if is_lfs_pointer(bytes) => LFS_POINTER,
        _ if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) => {
            "it is UTF-16 text; save it as UTF-8"
        }
        _ => "it begins neither like GLB nor like JSON",
    };
    Err(ImportError::NotGltf { found })
}

/// Reads buffer `i`. Adds the size of an external buffer to `total_bytes`.
fn read_buffer(
    document: &GltfJson,
    i: usize,
    chunk: Option<&Range<usize>>,
    data: Option<Result<Vec<u8>, Problem>>,
    base: Option<&Path>,
    options: &ImportOptions,
    total_bytes: &mut u64,
) -> Result<Buffer, ImportError> {
    let at = || document.location("buffers", i);
    let error = |problem: Problem| ImportError::Buffer { at: at(), problem };
    let Some(json) = document.buffers.get(i).filter(|_| !meshopt::is_fallback(document, i)) else {
        return Ok(Buffer::Absent);
    };
    if document.is_invalid("buffers", i) {
        return Ok(Buffer::Absent);
    }
    let byte_length = json.byte_length.0;
    if let Some(data) = data {
        return Ok(Buffer::Owned(data.map_err(error)?));
    }
    if let Some(uri) = &json.uri {
        *total_bytes = total_bytes.saturating_add(byte_length);
        document
            .check_limit(Limit::File, *total_bytes, || (at().pointer, format!("{}: bytes of all buffers", at())))?;
        let bytes = read_uri(uri, base, options.resolver.as_ref(), &options.policy, Some(byte_length));
        return Ok(Buffer::Owned(bytes.map_err(error)?));
    }
    match chunk {
        Some(chunk) => {
            let size_bytes = usize::try_from(byte_length).map_or(chunk.len(), |length| length.min(chunk.len()));
            Ok(Buffer::Chunk(chunk.start..chunk.start + size_bytes))
        }
        // Valid: extensions provide the data. Accessors that read it without an extension are an error.
        None => Ok(Buffer::Absent),
    }
}

/// Returns an error if a buffer has fewer bytes than its `byteLength`.
fn length_error(document: &GltfJson, i: usize, buffer: &Buffer) -> Option<ImportError> {
    let found = match buffer {
        Buffer::Chunk(range) => range.len() as u64,
        Buffer::Owned(bytes) => bytes.len() as u64,
        Buffer::Absent => return None,
    };
    let byte_length = document.buffers.get(i)?.byte_length.0;
    let problem = format!("it has {found} bytes, but its byteLength is {byte_length}; copy or export the file again");
    (found < byte_length).then(|| ImportError::Buffer { at: document.location("buffers", i), problem: problem.into() })
}

/// Reads the file of a relative URI from the resolver, else from the folder `base`. See [`read_external`].
fn read_uri(
    uri: &str,
    base: Option<&Path>,
    resolver: Option<&FileResolver>,
    policy: &ImportPolicy,
    length: Option<u64>,
) -> Result<Vec<u8>, Problem> {
    let Some(resolver) = resolver else { return read_external(uri, base, policy, length) };
    let max_image = policy.limits.get(Limit::ImageFile);
    for path in uri::relative_paths(uri, policy.allow_external_paths)? {
        return match resolver.read(&uri::without_dots(&path)) {
            Ok(bytes) if is_lfs_pointer(&bytes) => Err(format!("the file {}: {LFS_POINTER}", quoted(uri)).into()),
            Ok(bytes) if length.is_none() && bytes.len() as u64 > max_image => {
                Err(too_long(uri, bytes.len() as u64, max_image))
            }
            Ok(mut bytes) => {
                bytes.truncate(length.and_then(|length| usize::try_from(length).ok()).unwrap_or(usize::MAX));
                Ok(bytes)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => Err(format!("cannot read {}: {error}", quoted(uri)).into()),
        };
    }
    Err(format!("the file {} is missing", quoted(uri)).into())
}

/// Returns the problem of an image file that exceeds its limit.
fn too_long(uri: &str, size: u64, limit: u64) -> Problem {
    let message = format!("{} has {size} bytes, more than the {limit} that rigview reads", quoted(uri));
    Problem::with_change(message, PolicyChange::RaiseLimit { limit: Limit::ImageFile, needed: size })
}

/// Reads the file of a relative URI: the first `length` bytes, or all of an image within its limit.
///
/// # Errors
/// A message that starts like `the file "a.bin" is missing`.
pub fn read_external(
    uri: &str,
    base: Option<&Path>,
    policy: &ImportPolicy,
    length: Option<u64>,
) -> Result<Vec<u8>, Problem> {
    let max_length = length;
    // A pointer of Git LFS may be longer than the buffer.
    let first = |length: u64| ReadLength::First(length.max(LFS_START.len() as u64));
    let length = length.map_or(ReadLength::AllOf(policy.limits.get(Limit::ImageFile)), first);
    let mut missing = None;
    for path in uri::paths(uri, base, policy.allow_external_paths)? {
        let file = match base {
            Some(base) if !policy.allow_external_paths => open_inside(&path, base),
            _ => open_regular(&path).map_err(FileError::Io),
        };
        match file.and_then(|file| read_file(file, length)) {
            Ok(bytes) if is_lfs_pointer(&bytes) => {
                return Err(format!("the file {}: {LFS_POINTER}", quoted(uri)).into());
            }
            Ok(mut bytes) => {
                let max_length = max_length.and_then(|length| usize::try_from(length).ok());
                bytes.truncate(max_length.unwrap_or(usize::MAX));
                return Ok(bytes);
            }
            Err(FileError::Outside) => {
                return Err(external_file(&format!("{} is a link that leads out of the model's folder", quoted(uri))));
            }
            Err(FileError::NotAFile) => return Err(format!("{} is not a regular file", quoted(uri)).into()),
            Err(FileError::TooLong { size, limit }) => return Err(too_long(uri, size, limit)),
            Err(FileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                missing.get_or_insert(path);
            }
            Err(FileError::Io(error)) => return Err(format!("cannot read {}: {error}", quoted(uri)).into()),
        }
    }
    let uri = quoted(uri);
    let message = match missing.map(|path| similar_file(&path)) {
        Some(Some(name)) => format!("the file {uri} is missing, but {} exists; rename it", quoted(&name)),
        Some(None) => format!("the file {uri} is missing; put it into the model's folder, or export as .glb"),
        None => format!("its URI {uri} has no path"),
    };
    Err(message.into())
}

/// Returns the name of a file in the folder of `path` that differs in case, or from which `path` has a query such as `?v=1`.
fn similar_file(path: &Path) -> Option<String> {
    // Each missing file reads the folder.
    const MAX_ENTRIES: usize = 1000;
    let name = path.file_name()?.to_str()?;
    let name = name.split(['?', '#']).next().unwrap_or_default();
    let entries = std::fs::read_dir(path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new(".")));
    let names = entries.ok()?.take(MAX_ENTRIES).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|found| found.to_lowercase() == name.to_lowercase()).min()
}

/// Opens a file, if it is in the folder `base` after links are resolved.
fn open_inside(path: &Path, base: &Path) -> Result<Option<File>, FileError> {
    let base = if base == Path::new("") { Path::new(".") } else { base };
    let (real, base) = (path.canonicalize().map_err(FileError::Io)?, base.canonicalize().map_err(FileError::Io)?);
    let within = real.strip_prefix(&base).map_err(|_| FileError::Outside)?;
    // A link may have been created since.
    open_regular_beneath(&base, within).map_err(|error| match error.kind() {
        io::ErrorKind::CrossesDevices => FileError::Outside,
        _ => FileError::Io(error),
    })
}

/// The part of a file to read, in bytes.
#[derive(Clone, Copy)]
enum ReadLength {
    /// At most the first bytes.
    First(u64),
    /// The whole file; a longer one is an error.
    AllOf(u64),
}

/// An error of reading a file.
enum FileError {
    /// A link leads out of the model's folder.
    Outside,
    /// A directory, a pipe or a device.
    NotAFile,
    /// The file exceeds [`ReadLength::AllOf`].
    TooLong { size: u64, limit: u64 },
    /// A system error.
    Io(io::Error),
}

/// Reads a regular file; `None` is a file of another kind.
fn read_file(file: Option<File>, length: ReadLength) -> Result<Vec<u8>, FileError> {
    let file = file.ok_or(FileError::NotAFile)?;
    let size = file.metadata().map_err(FileError::Io)?.len();
    let max = match length {
        ReadLength::First(max) => max,
        ReadLength::AllOf(limit) if size > limit => return Err(FileError::TooLong { size, limit }),
        ReadLength::AllOf(limit) => limit,
    };
    let mut bytes = Vec::new();
    let capacity = usize::try_from(size.min(max)).unwrap_or(usize::MAX);
    fallible(|| bytes.try_reserve_exact(capacity)).map_err(|_| FileError::Io(io::ErrorKind::OutOfMemory.into()))?;
    file.take(max).read_to_end(&mut bytes).map_err(FileError::Io)?;
    Ok(bytes)
}

/// Reads a model file or an environment.
pub fn read_main_file(path: &Path, limits: &Limits) -> Result<Vec<u8>, ImportError> {
    let file = open_regular(path).map_err(FileError::Io);
    let bytes = file.and_then(|file| read_file(file, ReadLength::AllOf(limits.get(Limit::File))));
    bytes.map_err(FileError::of_main_file)
}

/// Reads a model from a stream, such as standard input.
pub fn read_stream(stream: impl Read, limits: &Limits) -> Result<Vec<u8>, ImportError> {
    let (mut bytes, limit) = (Vec::new(), limits.get(Limit::File));
    let read = stream.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(FileError::Io);
    let fits =
        |size: usize| if size as u64 > limit { Err(FileError::TooLong { size: size as u64, limit }) } else { Ok(()) };
    read.and_then(fits).map_err(FileError::of_main_file)?;
    Ok(bytes)
}

impl FileError {
    fn of_main_file(self) -> ImportError {
        match self {
            Self::NotAFile | Self::Outside => ImportError::NotAFile { what: "it".into() },
            Self::Io(source) => ImportError::Read { what: "the file".into(), source },
            Self::TooLong { size, limit } => {
                let (pointer, what) = (String::new(), "bytes".into());
                ImportError::Limit { pointer, what, count: size, limit: Limit::File, max: limit }
            }
        }
    }
}
