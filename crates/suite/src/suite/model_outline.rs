//! What the JSON of a model file lists, read without its data.

use percent_encoding::percent_decode_str;
use rigview_core::util::regular_file::open_regular;
use serde::Deserialize;
use serde_json::Value;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// Maximum bytes of the JSON of a model.
const MAX_JSON_BYTES: u64 = 256 << 20;

/// Names and URIs of a glTF file; all else is skipped without being stored.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Outline {
    buffers: Vec<ExternalUri>,
    images: Vec<ExternalUri>,
    animations: Vec<Animation>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ExternalUri {
    uri: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Animation {
    name: Value,
}

fn outline(model: &Path) -> Option<Outline> {
    let mut file = open_regular(model).ok()??.take(MAX_JSON_BYTES);
    let mut start = [0; 20];
    file.read_exact(&mut start).ok()?;
    let json = BufReader::new(file);
    match start.strip_prefix(b"glTF") {
        Some(header) => {
            let size_bytes = u32::from_le_bytes(*header.get(8..)?.first_chunk()?);
            serde_json::from_reader(json.take(size_bytes.into())).ok()
        }
        None => serde_json::from_reader(start.chain(json)).ok(),
    }
}

/// Returns the paths of buffers and images next to a glTF file; none if the file cannot be read.
pub fn external_files(model: &Path) -> Vec<PathBuf> {
    let Outline { buffers, images, .. } = outline(model).unwrap_or_default();
    let uris = buffers.into_iter().chain(images).filter_map(|item| item.uri);
    let decoded = |uri: String| percent_decode_str(&uri).decode_utf8_lossy().into_owned();
    uris.filter(|uri| !uri.starts_with("data:")).map(|uri| model.with_file_name(decoded(uri))).collect()
}

/// Returns the name of each clip of a glTF file; `None` if the file cannot be read.
pub fn clip_names(model: &Path) -> Option<Vec<Option<String>>> {
    let name = |animation: Animation| animation.name.as_str().map(str::to_owned);
    Some(outline(model)?.animations.into_iter().map(name).collect())
}
