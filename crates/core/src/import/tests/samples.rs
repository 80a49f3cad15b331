//! Sample models.

use super::*;
use std::path::PathBuf;

/// Imports every model of the folder RIGVIEW_SAMPLE_MODELS.
#[test]
fn all_sample_models_open() {
    let Some(folder) = std::env::var_os("RIGVIEW_SAMPLE_MODELS") else {
        eprintln!("all_sample_models_open: skipped, RIGVIEW_SAMPLE_MODELS is not set");
        return;
    };
    let (mut stack, mut files): (Vec<PathBuf>, Vec<PathBuf>) = (vec![folder.into()], Vec::new());
    while let Some(path) = stack.pop() {
        if path.is_dir() {
            stack.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "glb" || extension == "gltf") {
            files.push(path);
        }
    }
    files.sort();
    assert!(!files.is_empty());
    let mut failed = Vec::new();
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let start = std::time::Instant::now();
        match open(&path, &ImportOptions::default()) {
            Ok(loaded) => {
                println!("{name}: {:.2} ms {:?}", start.elapsed().as_secs_f64() * 1e3, loaded.required_unsupported);
                for notice in loaded.diagnostics {
                    println!("    {} {}", notice.pointer, notice.message);
                }
            }
            Err(error) => failed.push(format!("{name}: {error}")),
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
