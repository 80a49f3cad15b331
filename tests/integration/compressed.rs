//! Files whose numbers are compressed.

use crate::support::bake::{Shot, bake};
use crate::support::compare::compare;
use crate::support::meshopt::compressed;
use crate::support::models::{name, samples, shipped};
use crate::support::reference::{Instant, list};
use crate::support::run::rigview;
use crate::support::tolerance;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Poses a model at an instant of its first clip.
fn posed(path: &Path, shot: &Shot) -> crate::support::reference::Posed {
    bake(path, &shot.options).unwrap_or_else(|fault| panic!("{}: {fault}", name(path))).pose(Instant::default())
}

/// Whether a model can be rewritten: a container whose only buffer is its own.
fn is_whole(bytes: &[u8]) -> bool {
    if !bytes.starts_with(b"glTF") {
        return false;
    }
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).expect("the model's JSON");
    let views = list(&json, "bufferViews");
    list(&json, "buffers").len() == 1 && views.iter().all(|view| view.get("extensions").is_none())
}

#[test]
fn meshopt_poses_like_the_plain_form() {
    let models: Vec<PathBuf> =
        shipped().into_iter().chain(samples("meshopt_poses_like_the_plain_form").unwrap_or_default()).collect();
    let folder = TempDir::new().expect("a folder for temporary files");
    let small = folder.path().join("model.glb");
    let mut count = 0;
    for path in &models {
        let bytes = std::fs::read(path).expect("a readable model");
        if !is_whole(&bytes) {
            continue;
        }
        std::fs::write(&small, compressed(&bytes)).expect("a writable folder");
        let moves = rigview(&["info", &path.to_string_lossy(), "--json"]).stdout.contains("duration_secs");
        let shot = if moves { Shot::at(0.4) } else { Shot::still() }.with(&["--ignore-required"]);
        let (plain, unpacked) = (posed(path, &shot), posed(&small, &shot));
        let title = format!("{}: compressed, it poses otherwise", name(path));
        compare(&title, &plain, &unpacked, tolerance::REFERENCE).unwrap_or_else(|fault| panic!("{fault}"));
        count += 1;
    }
    println!("{count} models");
    assert!(count >= shipped().len());
}
