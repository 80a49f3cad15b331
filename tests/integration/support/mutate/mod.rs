//! Hostile files: seeded, structure-aware mutations of valid files.
//!
//! Most mutated files are valid except for one wrong length, count, reference or image size, since flipped bits are
//! rejected early. Each class below is one kind of mutation.

mod archive;
mod data;
mod disguise;
mod image_bomb;
mod json;
mod structure;

use super::glb::container;
use super::random::Random;
use super::reference::{chunks, fetch, list};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// A valid file: its JSON, and all data in one buffer.
#[derive(Clone)]
pub(crate) struct Original {
    pub(crate) name: String,
    pub(crate) json: Value,
    pub(crate) bin: Vec<u8>,
}

/// A hostile file.
pub(crate) struct Mutant {
    /// Description of the mutation.
    pub(crate) what: String,
    /// Class of the mutation.
    pub(crate) class: &'static str,
    /// File name, `.glb`, `.gltf` or `.zip`.
    pub(crate) file: &'static str,
    /// The file.
    pub(crate) bytes: Vec<u8>,
}

/// A file during mutation.
struct Work {
    json: Value,
    bin: Vec<u8>,
    file: &'static str,
    /// The whole file, if it is no longer a container of `json` and `bin`.
    bytes: Option<Vec<u8>>,
}

/// Mutates the file and returns a description.
type Harm = fn(&mut Work, &mut Random) -> String;

/// Mutation classes with their probabilities.
const CLASSES: [(&str, usize, Harm); 21] = [
    ("cut", 4, structure::cut),
    ("container", 6, structure::container_lies),
    ("bits of the JSON", 3, structure::flip_json),
    ("bits of the data", 4, structure::flip_data),
    ("overflow", 10, json::overflow),
    ("replaced", 8, json::replace),
    ("references", 8, json::references),
    ("cycle", 4, json::cycle),
    ("nesting", 2, json::nesting),
    ("many", 5, json::many),
    ("text", 5, json::text),
    ("address", 6, json::address),
    ("extension", 5, json::extension),
    ("numbers", 7, data::not_numbers),
    ("indices", 5, data::indices),
    ("nothing", 5, data::from_nothing),
    ("sparse", 3, data::sparse),
    ("image", 8, image_bomb::image),
    ("compressed", 5, data::compressed),
    ("archive", 4, archive::archive),
    ("disguise", 4, disguise::disguise),
];

impl Original {
    /// Reads a `.glb` or `.gltf` with its buffers and images. A small image replaces large ones, since decoding is not
    /// tested here.
    pub(crate) fn open(name: String, path: &Path) -> Self {
        Self::new(name, &read(path), path.parent())
    }

    /// Parses bytes as [`open`](Self::open) does; `folder` is the start of relative URIs.
    pub(crate) fn new(name: String, bytes: &[u8], folder: Option<&Path>) -> Self {
        const LARGE: usize = 64 << 10;
        Self::packed(name, bytes, folder, LARGE)
    }

    /// Reads a file with its original images.
    pub(crate) fn whole(name: String, path: &Path) -> Self {
        Self::packed(name, &read(path), path.parent(), usize::MAX)
    }

    fn packed(name: String, bytes: &[u8], folder: Option<&Path>, large: usize) -> Self {
        let (json, bin) = chunks(bytes);
        let mut json: Value = serde_json::from_slice(json).expect("JSON");
        let mut all = Vec::new();
        let mut starts = Vec::new();
        for buffer in list(&json, "buffers") {
            starts.push(all.len());
            let data =
                buffer["uri"].as_str().map_or_else(|| bin.unwrap_or_default().to_vec(), |uri| fetch(uri, folder));
            all.extend_from_slice(&data);
            all.resize(all.len().next_multiple_of(4), 0);
        }
        for view in json["bufferViews"].as_array_mut().into_iter().flatten() {
            let start = starts[view["buffer"].as_u64().expect("a number") as usize] as u64;
            view["byteOffset"] = json!(view["byteOffset"].as_u64().unwrap_or(0) + start);
            view["buffer"] = json!(0);
        }
        for i in 0..list(&json, "images").len() {
            let image = json["images"][i].clone();
            let view = image["bufferView"].as_u64().map(|view| json["bufferViews"][view as usize].clone());
            let is_large =
                view.as_ref().is_some_and(|view| view["byteLength"].as_u64().expect("a number") as usize > large);
            let mut image = image["uri"].as_str().map(|uri| fetch(uri, folder));
            if is_large || image.as_ref().is_some_and(|image| image.len() > large) {
                image = Some(image_bomb::small());
            }
            let Some(image) = image else { continue };
            let view = push(
                &mut json,
                "bufferViews",
                json!({"buffer": 0, "byteOffset": all.len(), "byteLength": image.len()}),
            );
            let mime = if image.starts_with(b"\x89PNG") { "image/png" } else { "image/jpeg" };
            json["images"][i] = json!({"bufferView": view, "mimeType": mime});
            all.extend_from_slice(&image);
            all.resize(all.len().next_multiple_of(4), 0);
        }
        if !all.is_empty() {
            json["buffers"] = json!([{"byteLength": all.len()}]);
        }
        Self { name, json, bin: all }
    }

    /// The file without mutations.
    pub(crate) fn glb(&self) -> Vec<u8> {
        container(&text(&self.json), &self.bin)
    }

    /// The file with one value of the JSON removed or replaced, for all values and all replacements.
    pub(crate) fn with_all_replacements(&self) -> impl Iterator<Item = (String, Vec<u8>)> {
        json::all_replacements(&self.json).map(|(what, json)| (what, container(&text(&json), &self.bin)))
    }

    /// A mutated file, deterministic for the random numbers.
    pub(crate) fn mutant(&self, random: &mut Random) -> Mutant {
        let (class, mutate) = class(random);
        let mut work = Work { json: self.json.clone(), bin: self.bin.clone(), file: "model.glb", bytes: None };
        let mut what = mutate(&mut work, random);
        // Some files get a second mutation.
        if work.bytes.is_none() && random.below(4) == 0 {
            let (second, _, mutate) = &CLASSES[4 + random.below(CLASSES.len() - 6)];
            // The first mutation may make the second one impossible.
            let more = catch_unwind(AssertUnwindSafe(|| mutate(&mut work, random)));
            if let Ok(more) = more {
                what = format!("{what}; {second}: {more}");
            }
        }
        let bytes = work.bytes.unwrap_or_else(|| container(&text(&work.json), &work.bin));
        Mutant { what, class, file: work.file, bytes }
    }
}

/// A random class and its mutation.
fn class(random: &mut Random) -> (&'static str, Harm) {
    let total: usize = CLASSES.iter().map(|(_, weight, _)| weight).sum();
    let mut at = random.below(total);
    for (class, weight, mutate) in CLASSES {
        if at < weight {
            return (class, mutate);
        }
        at -= weight;
    }
    unreachable!("the number is below the sum of the weights")
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// JSON as bytes, with raw bytes of [`json::raw`] that `serde_json` cannot store.
fn text(value: &Value) -> Vec<u8> {
    json::finish(&serde_json::to_string(value).expect("JSON"))
}

/// Appends to a top-level array and returns the index.
fn push(json: &mut Value, name: &str, value: Value) -> usize {
    if !json[name].is_array() {
        json[name] = json!([]);
    }
    let list = json[name].as_array_mut().expect("a list");
    list.push(value);
    list.len() - 1
}

/// A random element.
fn one_of<'a, T>(of: &'a [T], random: &mut Random) -> &'a T {
    &of[random.below(of.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::rigs;

    #[test]
    fn seeds_are_deterministic_and_cover_all_mutations() {
        let original = Original::new("arm".into(), &rigs::arm().rig.glb(), None);
        for seed in 0..60 {
            let (a, b) = (original.mutant(&mut Random(seed)), original.mutant(&mut Random(seed)));
            assert!((&a.what, &a.bytes, a.file) == (&b.what, &b.bytes, b.file), "{}", a.what);
            assert!(a.bytes.len() < 64 << 20, "{}: {} bytes", a.what, a.bytes.len());
        }
        let classes: std::collections::BTreeSet<_> = (0..600).map(|seed| class(&mut Random(seed)).0).collect();
        assert_eq!(classes.len(), CLASSES.len(), "{classes:?}");
    }
}
