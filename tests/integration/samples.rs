//! Shipped models, sample models, and generated rigs on the GPU, compared with the reference.

use crate::support::bake::{Shot, bake, run_bake};
use crate::support::compare::compare;
use crate::support::models::{REQUIRED_EXTENSIONS, name, samples, shipped};
use crate::support::reference::{Document, Instant, PosedCrowd, chunks, list};
use crate::support::run::rigview;
use crate::support::{rigs, tolerance};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Maximum number of clips per model.
const CLIPS: usize = 4;

/// Unsupported required extensions of a file. Reads only the JSON, since its buffers may be unreadable.
fn lacking(path: &Path) -> Vec<String> {
    let bytes = std::fs::read(path).expect("a readable model");
    let json: serde_json::Value = serde_json::from_slice(chunks(&bytes).0).expect("the model's JSON");
    let required = list(&json, "extensionsRequired").iter().filter_map(|extension| extension.as_str());
    required.filter(|extension| !REQUIRED_EXTENSIONS.contains(extension)).map(str::to_owned).collect()
}

/// Sample times: the rest pose, and several times of the first clips.
fn shots(document: &Document) -> Vec<Shot> {
    let clips = document.count("animations");
    let mut shots = vec![if clips == 0 { Shot::still() } else { Shot::rest() }];
    for clip in 0..clips.min(CLIPS) {
        let duration = document.duration(clip);
        let at = |share: f64| Shot::clip(clip, f64::from((share * duration) as f32));
        shots.extend([at(0.0), at(0.37), at(0.81), at(1.0), at(1.5)]);
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

/// Compares `bake` with the reference.
fn check_on_cpu(path: &Path, document: &Document, shot: &Shot) -> Result<(), String> {
    let title = format!("{} [{}]: bake differs from the reference", name(path), shot.options.join(" "));
    compare(&title, &document.pose(shot.instant), &baked(path, shot, false)?, tolerance::REFERENCE)
}

/// Compares `bake --gpu` with the reference and with `bake`.
fn check_on_gpu(path: &Path, document: &Document, shot: &Shot) -> Result<(), String> {
    let title = format!("{} [{} --gpu]", name(path), shot.options.join(" "));
    let (reference, cpu, gpu) = (document.pose(shot.instant), baked(path, shot, false)?, baked(path, shot, true)?);
    compare(&format!("{title}: differs from the reference"), &reference, &gpu, tolerance::REFERENCE)?;
    compare(
        &format!("{title}: differs from the CPU"),
        &without_directions(cpu),
        &without_directions(gpu),
        tolerance::GPU,
    )
}

/// A pose without normals and tangents, whose achievable precision only the reference has.
fn without_directions(mut posed: PosedCrowd) -> PosedCrowd {
    for primitive in posed.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        (primitive.normals, primitive.tangents) = (None, None);
    }
    posed
}

/// Runs a check on every model at every time, and fails with all errors.
fn check_all(models: &[PathBuf], check: fn(&Path, &Document, &Shot) -> Result<(), String>) {
    let (mut faults, mut count) = (Vec::new(), 0);
    for path in models {
        let extensions = lacking(path);
        if !extensions.is_empty() {
            faults.extend(check_refusal(path, &extensions).err());
            continue;
        }
        let document = Document::open(path);
        // What is compressed the reference cannot read; those files are held against their plain forms elsewhere.
        if document.uses("KHR_draco_mesh_compression") || document.uses("EXT_meshopt_compression") {
            continue;
        }
        for shot in shots(&document) {
            count += 1;
            faults.extend(check(path, &document, &shot).err());
        }
    }
    println!("{} models, {count} poses", models.len());
    assert!(faults.is_empty(), "{} of {count} poses are wrong:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn shipped_models_match_reference() {
    check_all(&shipped(), check_on_cpu);
}

#[test]
fn shipped_models_match_reference_on_gpu() {
    check_all(&shipped(), check_on_gpu);
}

#[test]
fn sample_models_match_reference() {
    if let Some(models) = samples("sample_models_match_reference") {
        check_all(&models, check_on_cpu);
    }
}

#[test]
fn sample_models_match_reference_on_gpu() {
    if let Some(models) = samples("sample_models_match_reference_on_gpu") {
        check_all(&models, check_on_gpu);
    }
}

#[test]
fn rig_kinds_match_reference_on_gpu() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let models: Vec<PathBuf> =
        rigs::all().into_iter().map(|(name, rig)| rig.write_glb(folder.path(), &name.replace(' ', "-"))).collect();
    check_all(&models, check_on_gpu);
}

#[test]
fn sample_models_render() {
    const BACKGROUND: [u8; 3] = [255, 0, 255];
    let Some(models) = samples("sample_models_render") else { return };
    let folder = TempDir::new().expect("a folder for temporary files");
    let output = folder.path().join("image.png");
    let mut faults = Vec::new();
    for path in &models {
        let extensions = lacking(path);
        let (model, image) = (path.to_string_lossy(), output.to_string_lossy());
        let mut words = vec!["shot", &model, "-o", &image, "--size", "160x90", "--time", "0.4"];
        words.extend(["--background", "1,0,1", "--ignore-required"]);
        let run = rigview(&words);
        if run.code != Some(0) {
            faults.push(run.report());
            continue;
        }
        let image = image::open(&output).expect("the image").to_rgba8();
        let drawn = image.pixels().filter(|pixel| pixel.0[..3] != BACKGROUND).count();
        // What is compressed in a way that rigview cannot read leaves nothing to draw.
        if drawn < 50 && extensions.is_empty() {
            faults.push(format!("{}: only {drawn} pixels are drawn", name(path)));
        }
    }
    println!("{} models", models.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
