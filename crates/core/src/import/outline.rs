//! What the JSON of a model file lists, read without its data.

use super::container;
use super::error::ImportError;
use super::json;
use super::limits::{ImportPolicy, Limit};
use super::model_file::open_stream;
use super::side_files::SideFiles;
use super::uri;
use crate::gltf_format::glb::{CHUNK_HEADER_BYTES, Chunks, HEADER_BYTES};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Clip names and external files of a glTF file, read without buffers and images.
///
/// URIs have the rules of an import: files outside of the model's folder are not opened, and limits apply.
pub struct ModelOutline {
    clip_names: Vec<Option<String>>,
    /// URIs that are not data, and for buffers their length.
    files: Vec<(String, Option<u64>)>,
    side_files: SideFiles,
    policy: ImportPolicy,
}

impl ModelOutline {
    /// Reads the JSON of a GLB container or a .gltf file.
    ///
    /// # Errors
    /// If the file cannot be read, its JSON exceeds a limit or is invalid, or it is another format such as BVH.
    pub fn open(path: &Path, policy: &ImportPolicy) -> Result<Self, ImportError> {
        let read = |source| ImportError::Read { what: "the file".into(), source };
        let (mut file, side_files) = open_stream(path, &policy.limits)?;
        let mut start = Vec::new();
        (&mut file).take((HEADER_BYTES + CHUNK_HEADER_BYTES) as u64).read_to_end(&mut start).map_err(read)?;
        let mut text = Vec::new();
        // A longer text exceeds the limit, which the parser reports.
        let max = policy.limits.get(Limit::Json).saturating_add(1);
        if container::is_glb(&start) {
            let size = Chunks::new(&start).next().and_then(|chunk| Some(chunk.ok()?.stated_length));
            file.take(u64::from(size.unwrap_or(0)).min(max)).read_to_end(&mut text).map_err(read)?;
        } else {
            start.chain(file).take(max).read_to_end(&mut text).map_err(read)?;
        }
        let (json, _) = json::parse(&text, &policy.limits)?;
        let array = |name: &str| json.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let uri = |value: &Value| text(value, "uri").filter(|uri| !uri::is_data(uri));
        let buffers = array("buffers").iter().filter_map(|buffer| {
            Some((uri(buffer)?, Some(buffer.get("byteLength").and_then(Value::as_u64).unwrap_or(0))))
        });
        let images = array("images").iter().filter_map(|image| Some((uri(image)?, None)));
        Ok(Self {
            clip_names: array("animations").iter().map(|clip| text(clip, "name")).collect(),
            files: buffers.chain(images).collect(),
            side_files,
            policy: policy.clone(),
        })
    }

    /// Returns the name of each clip.
    pub fn clip_names(&self) -> &[Option<String>] {
        &self.clip_names
    }

    /// Returns the paths of the buffers and images that the policy permits, whether they exist or not.
    pub fn external_files(&self) -> Vec<PathBuf> {
        self.side_files.paths(self.files.iter().map(|(uri, _)| uri.as_str()), &self.policy)
    }

    /// Passes the contents of the external files to `sink`, in blocks, as far as an import reads them. A file that it does not read
    /// contributes its URI only.
    pub fn stream_external_files(&self, sink: &mut dyn FnMut(&[u8])) {
        let limits = &self.policy.limits;
        let (mut buffers, mut images) = (limits.get(Limit::File), limits.get(Limit::ImageFiles));
        for (uri, length) in &self.files {
            sink(uri.as_bytes());
            let rest = if length.is_some() { &mut buffers } else { &mut images };
            if length.unwrap_or(0) <= *rest && *rest > 0 {
                let read = self.side_files.stream(uri, &self.policy, *length, sink);
                *rest = rest.saturating_sub(read.unwrap_or(0));
            }
        }
    }
}
