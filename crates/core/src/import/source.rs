//! The loaded file: JSON, buffers and encoded images.

use super::container;
use super::diagnostic::Problem;
use super::diagnostics::Diagnostics;
use super::error::{AccessorError, ImportError};
use super::image_codec;
use super::json::{BYTE_ORDER_MARK, EmbeddedData, GltfJson};
use super::limits::{ImportPolicy, Limit};
use super::meshopt;
use super::metadata::thumbnail_image;
use super::options::ImportOptions;
use super::side_files::SideFiles;

use crate::model::Image;
use crate::util::git_lfs::{LFS_POINTER, is_lfs_pointer};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;

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
    side_files: SideFiles,
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
        side_files: SideFiles,
        options: &ImportOptions,
        diagnostics: &mut Diagnostics,
    ) -> Result<Self, ImportError> {
        let policy = &options.policy;
        let side_files = options.resolver.clone().map_or(side_files, SideFiles::Resolver);
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
            let buffer = read_buffer(&document, i, chunk, data.remove(&i), &side_files, policy, &mut size_bytes);
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
        let (decoded_views, policy) = (BTreeMap::new(), policy.clone());
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
            side_files,
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
        self.side_files.paths(buffers.chain(images), &self.policy)
    }

    /// Returns the policy of the import.
    pub fn policy(&self) -> &ImportPolicy {
        &self.policy
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
            return self.side_files.read(uri, &self.policy, None).map(Cow::Owned);
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
    side_files: &SideFiles,
    policy: &ImportPolicy,
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
        let bytes = side_files.read(uri, policy, Some(byte_length));
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
