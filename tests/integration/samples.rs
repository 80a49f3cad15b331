//! Shipped models, sample models, and generated rigs on the GPU, compared with the reference.

use crate::support::bake::{Shot, bake, run_bake};
use crate::support::compare::compare;
use crate::support::models::{REQUIRED_EXTENSIONS, name, samples, shipped};
use crate::support::reference::{Document, Instant, PosedCrowd, chunks, list};
use crate::support::run::rigview;
use crate::support::{rigs, tolerance};
use rayon::prelude::*;
use rigview::check::diff::{RigDiff, Tolerances};
use rigview::check::{Issue, Severity, check_bytes};
use rigview::import::{ImageLoading, ImportOptions, ImportPolicy, from_bytes};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Which times of the clips of a model are compared.
#[derive(Clone, Copy)]
enum Times {
    /// Within the first clip, and after its end.
    Few,
    /// Five of each of the first four clips.
    Dense,
}

/// Unsupported required extensions of a file. Reads only the JSON, since its buffers may be unreadable.
fn lacking(path: &Path) -> Vec<String> {
    let bytes = std::fs::read(path).expect("a readable model");
    let json: serde_json::Value = serde_json::from_slice(chunks(&bytes).0).expect("the model's JSON");
    let required = list(&json, "extensionsRequired").iter().filter_map(|extension| extension.as_str());
    required.filter(|extension| !REQUIRED_EXTENSIONS.contains(extension)).map(str::to_owned).collect()
}

/// The rest pose, and times of clips.
fn shots(document: &Document, times: Times) -> Vec<Shot> {
    let clips = document.count("animations");
    let mut shots = vec![if clips == 0 { Shot::still() } else { Shot::rest() }];
    let (max_clips, shares) = match times {
        Times::Few => (1, &[0.37, 1.5][..]),
        Times::Dense => (4, &[0.0, 0.37, 0.81, 1.0, 1.5][..]),
    };
    for clip in 0..clips.min(max_clips) {
        let duration = document.duration(clip);
        shots.extend(shares.iter().map(|share| Shot::clip(clip, f64::from((share * duration) as f32))));
    }
    shots
}

/// Asserts that the file is refused with the extension's name and without output.
fn check_refusal(path: &Path, extensions: &[String]) -> Result<(), String> {
    println!("{} requires {}: expected to be refused", name(path), extensions.join(", "));
    let folder = TempDir::new().expect("a folder for temporary files");
    let output = folder.path().join("posed.glb");
    let run = run_bake(path, &output, &[]);
    let message = run.refusal(path)?;
    if !extensions.iter().any(|extension| message.contains(extension)) || output.exists() {
        return Err(format!("expected a message that names {extensions:?} and no output\n{}", run.report()));
    }
    Ok(())
}

/// Bakes a model at a time.
fn baked(path: &Path, shot: &Shot, gpu: bool) -> Result<PosedCrowd, String> {
    let shot = if gpu { shot.clone().with(&["--gpu"]) } else { shot.clone() };
    Ok(bake(path, &shot.options)?.pose(Instant::default()))
}

/// Compares `bake` and `bake --gpu` with the reference and with each other.
fn check_pose(path: &Path, document: &Document, shot: &Shot) -> Result<(), String> {
    let title = format!("{} [{}]", name(path), shot.options.join(" "));
    let (reference, cpu, gpu) = (document.pose(shot.instant), baked(path, shot, false)?, baked(path, shot, true)?);
    compare(&format!("{title}: bake differs from the reference"), &reference, &cpu, tolerance::REFERENCE)?;
    compare(&format!("{title}: bake --gpu differs from the reference"), &reference, &gpu, tolerance::REFERENCE)?;
    let [cpu, gpu] = [cpu, gpu].map(without_directions);
    compare(&format!("{title}: bake --gpu differs from bake"), &cpu, &gpu, tolerance::GPU)
}

/// A pose without normals and tangents, whose achievable precision only the reference has.
fn without_directions(mut posed: PosedCrowd) -> PosedCrowd {
    for primitive in posed.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        (primitive.normals, primitive.tangents) = (None, None);
    }
    posed
}

/// Checks the image of a model: it is not empty.
fn check_image(path: &Path) -> Result<(), String> {
    const BACKGROUND: [u8; 3] = [255, 0, 255];
    let folder = TempDir::new().expect("a folder for temporary files");
    let output = folder.path().join("image.png");
    let mut words = vec!["shot", path.to_str().expect("a UTF-8 path"), "-o", output.to_str().expect("a UTF-8 path")];
    words.extend(["--size", "160x90", "--time", "0.4", "--background", "1,0,1", "--ignore-required"]);
    let run = rigview(&words);
    if run.code != Some(0) {
        return Err(run.report());
    }
    let image = image::open(&output).expect("the image").to_rgba8();
    let drawn = image.pixels().filter(|pixel| pixel.0[..3] != BACKGROUND).count();
    // What is compressed in a way that rigview cannot read leaves nothing to draw.
    if drawn < 50 && lacking(path).is_empty() {
        return Err(format!("{}: only {drawn} pixels are drawn", name(path)));
    }
    Ok(())
}

/// Checks a file without the program: it has no errors, and does not differ from itself.
fn check_file(path: &Path) -> Result<(), String> {
    let bytes = std::fs::read(path).expect("a readable model");
    let issues = check_bytes(bytes.clone(), path.parent(), &ImportPolicy::default());
    // Two sample models lack tangents that their materials need.
    let is_fault =
        |issue: &&Issue| issue.severity == Severity::Error && issue.code != "MESH_PRIMITIVE_NO_TANGENT_SPACE";
    if let Some(issue) = issues.iter().find(is_fault) {
        return Err(format!("{}: {issue:?}", name(path)));
    }
    let options = ImportOptions::default().with_images(ImageLoading::Skip);
    // Some files require extensions that are not supported.
    let Ok(imported) = from_bytes(bytes, path.parent(), &options) else { return Ok(()) };
    let diff = RigDiff::of_files(&imported, &imported, &Tolerances::EXACT);
    if diff.is_empty() { Ok(()) } else { Err(format!("{}: {}", name(path), diff.text())) }
}

/// Checks models: their poses at some times, and `check_other`. Fails with all errors.
fn check_all(models: &[PathBuf], times: Times, check_other: impl Fn(&Path) -> Result<(), String> + Sync) {
    let check_model = |path: &PathBuf| {
        let mut faults: Vec<String> = check_other(path).err().into_iter().collect();
        let extensions = lacking(path);
        if !extensions.is_empty() {
            faults.extend(check_refusal(path, &extensions).err());
            return (faults, 0);
        }
        let document = Document::open(path);
        // What is compressed the reference cannot read; those files are held against their plain forms elsewhere.
        if document.uses("KHR_draco_mesh_compression") || document.uses("EXT_meshopt_compression") {
            return (faults, 0);
        }
        let shots = shots(&document, times);
        faults.extend(shots.iter().filter_map(|shot| check_pose(path, &document, shot).err()));
        (faults, shots.len())
    };
    let (faults, counts): (Vec<Vec<String>>, Vec<usize>) = models.par_iter().map(check_model).unzip();
    let (faults, count) = (faults.concat(), counts.iter().sum::<usize>());
    println!("{} models, {count} poses", models.len());
    assert!(faults.is_empty(), "{} of {count} poses are wrong:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn shipped_models_match_reference() {
    check_all(&shipped(), Times::Dense, |path| check_file(path).and_then(|()| check_image(path)));
}

#[test]
fn sample_models_match_reference() {
    if let Some(models) = samples("sample_models_match_reference") {
        check_all(&models, Times::Few, |path| check_file(path).and_then(|()| check_image(path)));
    }
}

#[test]
#[ignore = "slow: make test-all"]
fn dense_sample_models_match_reference() {
    if let Some(models) = samples("dense_sample_models_match_reference") {
        check_all(&models, Times::Dense, |_| Ok(()));
    }
}

#[test]
fn rig_kinds_match_reference() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let random = (10..13).map(|seed| {
        let [joints, influences, vertices] = [2, 1, 3].map(|factor| 2 + factor * seed as usize % 17);
        ("random", rigs::tangle(joints + 6, influences.min(6), vertices, seed))
    });
    let rigs = rigs::all().into_iter().chain(random).enumerate();
    let models: Vec<PathBuf> =
        rigs.map(|(i, (name, rig))| rig.write_glb(folder.path(), &format!("{i}-{}", name.replace(' ', "-")))).collect();
    check_all(&models, Times::Dense, |_| Ok(()));
}
