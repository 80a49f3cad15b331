//! Archives with wrong headers, sizes, paths and content.

use super::{Work, one_of, text};
use crate::support::glb::container;
use crate::support::random::Random;
use crate::support::zip::{Fields, Zip};
use serde_json::json;

/// Puts the file into an archive, with its data beside it, and damages that.
pub(super) fn archive(work: &mut Work, random: &mut Random) -> String {
    let mut json = work.json.clone();
    let is_split = random.below(2) == 0 && json["buffers"][0].is_object();
    let mut zip = Zip::default();
    let (method, mut damage) = (*one_of(&[0, 8], random), "");
    let mut model = Fields { method, ..Fields::default() };
    match random.below(8) {
        0 => (model.size, damage) = (Some(random.bits() as u32), ", another size"),
        1 => (model.offset, damage) = (Some(random.bits() as u32 % 4096), ", another offset"),
        2 => (model.method, damage) = (random.bits() as u16, ", another method"),
        3 => (model.mode, damage) = (0o120_777, ", a link"),
        4 => {
            damage = ", a path outside";
            let name = *one_of(&["../a", "/a", "C:/a", "a/../../b", "..\\a", "a\0"], random);
            zip.add(name.as_bytes(), b"-", Fields::default());
        }
        5 => {
            damage = ", a bomb";
            zip.add(b"data.bin", &vec![0; 32 << 20], Fields::default());
        }
        _ => {}
    }
    if is_split {
        json["buffers"][0]["uri"] = json!("data.bin");
        zip.add(b"model.gltf", &text(&json), model);
        zip.add(b"data.bin", &work.bin, Fields { method, ..Fields::default() });
    } else {
        zip.add(b"model.glb", &container(&text(&json), &work.bin), model);
    }
    let mut bytes = zip.finish();
    let flips = random.below(4);
    for _ in 0..flips {
        // The directory is at the end.
        let at = bytes.len() - 1 - random.below(bytes.len().min(400));
        bytes[at] = random.bits() as u8;
    }
    if random.below(8) == 0 {
        bytes.truncate(random.below(bytes.len()));
    }
    work.file = *one_of(&["model.zip", "model.glb"], random);
    work.bytes = Some(bytes);
    format!("{}{damage}, {flips} bytes of the directory replaced", if is_split { "split" } else { "whole" })
}
