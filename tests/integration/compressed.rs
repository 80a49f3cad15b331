//! Compressed files: meshopt, Draco, quantization.

use crate::support::bake::{Shot, bake, run_bake};
use crate::support::compare::compare;
use crate::support::meshopt::compressed;
use crate::support::models::{name, samples, shipped};
use crate::support::reference::{Instant, PosedCrowd, chunks, list};
use crate::support::run::rigview;
use crate::support::tolerance;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Poses a model at a time of its first clip.
fn posed(path: &Path, shot: &Shot) -> PosedCrowd {
    bake(path, &shot.options).unwrap_or_else(|fault| panic!("{}: {fault}", name(path))).pose(Instant::default())
}

/// Returns `true` if the file is a GLB whose only buffer is its BIN chunk.
fn is_whole(bytes: &[u8]) -> bool {
    if !bytes.starts_with(b"glTF") {
        return false;
    }
    let json: serde_json::Value = serde_json::from_slice(chunks(bytes).0).expect("the model's JSON");
    let views = list(&json, "bufferViews");
    list(&json, "buffers").len() == 1 && views.iter().all(|view| view.get("extensions").is_none())
}

#[test]
fn meshopt_matches_uncompressed() {
    assert_eq!(check_meshopt(&shipped()), shipped().len());
}

#[test]
#[ignore = "slow: make test-all"]
fn dense_meshopt_matches_uncompressed() {
    check_meshopt(&samples("dense_meshopt_matches_uncompressed").unwrap_or_default());
}

/// Compares models with compressed copies; returns their number. Files of several parts are left out.
fn check_meshopt(models: &[PathBuf]) -> usize {
    let folder = TempDir::new().expect("a folder for temporary files");
    let small = folder.path().join("model.glb");
    let mut count = 0;
    for path in models {
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
    count
}

fn points(posed: &PosedCrowd) -> Vec<[f64; 3]> {
    posed.meshes.iter().flat_map(|mesh| &mesh.primitives).flat_map(|p| p.positions.iter().copied()).collect()
}

/// Maximum distance from a point of `from` to its nearest point of `to`.
fn farthest(from: &[[f64; 3]], to: &[[f64; 3]]) -> f64 {
    let squared = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>();
    let nearest = |a: &[f64; 3]| to.iter().map(|b| squared(a, b)).fold(f64::INFINITY, f64::min);
    from.iter().map(nearest).fold(0.0, f64::max).sqrt()
}

/// Compares encodings of a model with the uncompressed one, independent of vertex order.
fn check_forms(plain: &Path, forms: &[PathBuf], shots: &[Shot]) {
    for shot in shots {
        let expected = posed(plain, shot);
        let (size, expected) = (expected.size(), points(&expected));
        for form in forms {
            let found = points(&posed(form, shot));
            let distance = farthest(&found, &expected).max(farthest(&expected, &found));
            println!("{} [{}]: off by {:.6} of its size", name(form), shot.options.join(" "), distance / size);
            assert!(distance < 0.003 * size, "{} [{}]: {distance} of {size}", name(form), shot.options.join(" "));
        }
    }
}

#[test]
fn encodings_of_tube_pose_equal() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/compressed");
    let forms = ["draco-edgebreaker", "draco-sequential", "meshopt-medium", "meshopt-high"];
    let forms: Vec<PathBuf> = forms.iter().map(|form| folder.join(format!("tube-{form}.glb"))).collect();
    check_forms(&folder.join("tube.glb"), &forms, &[Shot::rest(), Shot::at(0.6), Shot::at(1.0)]);
    for form in &forms {
        let run = rigview(&["check", &form.to_string_lossy()]);
        assert_eq!(run.code, Some(0), "{}", run.report());
        let run = rigview(&["info", &form.to_string_lossy()]);
        assert!(run.stdout.contains("_compression") && run.stdout.contains("no notices"), "{}", run.report());
    }
}

#[test]
fn encodings_of_sample_models_pose_equal() {
    let Some(models) = samples("encodings_of_sample_models_pose_equal") else { return };
    let mut count = 0;
    for form in models.iter().filter(|path| {
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
        folder == "glTF-Draco" || folder == "glTF-Meshopt" || folder == "glTF-Quantized"
    }) {
        let model = form.parent().and_then(Path::parent).expect("a model's folder");
        let plain =
            |path: &&PathBuf| path.starts_with(model.join("glTF-Binary")) || path.starts_with(model.join("glTF"));
        let Some(plain) = models.iter().find(plain) else { continue };
        let moves = rigview(&["info", &form.to_string_lossy(), "--json"]).stdout.contains("duration_secs");
        let shots = if moves { vec![Shot::rest(), Shot::at(0.4)] } else { vec![Shot::still()] };
        check_forms(plain, std::slice::from_ref(form), &shots);
        count += 1;
    }
    println!("{count} forms");
}

#[test]
fn broken_compressed_meshes_are_refused() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let forms = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/compressed");
    let broken = folder.path().join("broken.glb");
    for form in ["draco-edgebreaker", "draco-sequential", "meshopt-high"] {
        let bytes = std::fs::read(forms.join(format!("tube-{form}.glb"))).expect("a fixture");
        let json = chunks(&bytes).0.len();
        let mut refused = 0;
        for (i, at) in (28 + json..bytes.len()).step_by((bytes.len() - json) / 12).enumerate() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (i % 8);
            changed[at + 1] = 0xff;
            std::fs::write(&broken, &changed).expect("a writable folder");
            let output = folder.path().join("posed.glb");
            let run = run_bake(&broken, &output, &[]);
            match run.code {
                Some(0) => {}
                _ => {
                    run.refusal(&broken).unwrap_or_else(|fault| panic!("{form}, byte {at}: {fault}"));
                    refused += 1;
                }
            }
        }
        assert!(refused > 0, "{form}: nothing was refused");
    }
}

#[test]
fn draco_triangle_strips_are_triangles() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/compressed/tube-draco-sequential.glb");
    let bytes = std::fs::read(&fixture).expect("a fixture");
    let (json, binary) = chunks(&bytes);
    let mut document: serde_json::Value = serde_json::from_slice(json).expect("a document");
    let [mut meshes, mut accessors] = ["meshes", "accessors"].map(|list| document[list].take());
    for primitive in
        meshes.as_array_mut().expect("meshes").iter_mut().flat_map(|mesh| mesh["primitives"].as_array_mut()).flatten()
    {
        primitive["mode"] = serde_json::json!(5);
        // A strip has about a third of the indices.
        let accessor = &mut accessors[primitive["indices"].as_u64().expect("an accessor") as usize];
        accessor["count"] = (accessor["count"].as_u64().expect("a count") / 3 + 2).into();
    }
    (document["meshes"], document["accessors"]) = (meshes, accessors);
    let strip = folder.path().join("strip.glb");
    let text = serde_json::to_vec(&document).expect("a document");
    std::fs::write(&strip, crate::support::glb::container(&text, binary.expect("a buffer")))
        .expect("a writable folder");
    let [expected, found] = [&fixture, &strip].map(|path| posed(path, &Shot::at(0.4)));
    assert_eq!(points(&expected), points(&found));
}

/// A fixture with changed JSON, and with `data` behind its buffer.
fn edited(fixture: &str, path: &Path, data: &[u8], edit: impl FnOnce(&mut serde_json::Value)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/compressed");
    let bytes = std::fs::read(folder.join(fixture)).expect("a fixture");
    let (json, binary) = chunks(&bytes);
    let mut document: serde_json::Value = serde_json::from_slice(json).expect("a document");
    let mut binary = binary.expect("a buffer").to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let view = serde_json::json!({"buffer": 0, "byteOffset": binary.len(), "byteLength": data.len()});
    document["bufferViews"].as_array_mut().expect("views").push(view);
    binary.extend(data);
    document["buffers"][0]["byteLength"] = binary.len().into();
    edit(&mut document);
    let text = serde_json::to_vec(&document).expect("a document");
    std::fs::write(path, crate::support::glb::container(&text, &binary)).expect("a writable folder");
}

/// Vertices of the tube, uncompressed and compressed.
const TUBE_VERTICES: usize = 130;

#[test]
fn draco_data_replaces_that_of_accessors() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let path = folder.path().join("both.glb");
    let name = "tube-draco-edgebreaker.glb";
    edited(name, &path, &[0; 16 * TUBE_VERTICES], |document| {
        let view = list(document, "bufferViews").len() - 1;
        // Position and weights; the offset would be beyond the view.
        for accessor in [1, 6] {
            document["accessors"][accessor]["bufferView"] = view.into();
            document["accessors"][accessor]["byteOffset"] = 8.into();
        }
    });
    let plain = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/compressed").join(name);
    let [expected, found] = [&plain, &path].map(|path| posed(path, &Shot::at(0.6)));
    assert_eq!(points(&expected), points(&found));
}

#[test]
fn attributes_that_are_not_compressed_are_those_of_their_accessors() {
    let folder = TempDir::new().expect("a folder for temporary files");
    // All weight is on the first joint; then it is on the last one.
    let paths = [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]].map(|weights: [f32; 4]| {
        let joints: Vec<u8> = [0, 1, 2, 0].repeat(TUBE_VERTICES);
        let weights = weights.repeat(TUBE_VERTICES);
        let data: Vec<u8> = joints.into_iter().chain(weights.into_iter().flat_map(f32::to_le_bytes)).collect();
        ["tube.glb", "tube-draco-edgebreaker.glb"].map(|fixture| {
            let path = folder.path().join(format!("{}-{fixture}", data[4 * TUBE_VERTICES + 3]));
            edited(fixture, &path, &data, |document| {
                let view = list(document, "bufferViews").len() - 1;
                for (accessor, offset) in [(5, 0), (6, 4 * TUBE_VERTICES)] {
                    document["accessors"][accessor]["bufferView"] = view.into();
                    document["accessors"][accessor]["byteOffset"] = offset.into();
                }
                let compressed =
                    &mut document["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"];
                if let Some(attributes) = compressed["attributes"].as_object_mut() {
                    attributes.retain(|name, _| !["JOINTS_0", "WEIGHTS_0"].contains(&name.as_str()));
                }
            });
            path
        })
    });
    for [plain, form] in &paths {
        check_forms(plain, std::slice::from_ref(form), &[Shot::at(0.6)]);
    }
    let [first, last] = paths.map(|[_, form]| points(&posed(&form, &Shot::at(0.6))));
    assert!(farthest(&first, &last) > 0.1, "the joints move apart");
}

#[test]
fn baked_image_of_unknown_format_keeps_its_type() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let mut rig = crate::support::rigs::arm().rig;
    rig.add("images", serde_json::json!({"uri": "data:image/png;base64,R0lGODlhAQABAIAAAAAAAAAAACwAAAAAAQABAAA=", "mimeType": "image/png"}));
    let texture = rig.add("textures", serde_json::json!({"source": 0}));
    let material =
        rig.add("materials", serde_json::json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": texture}}}));
    rig.object("meshes", 0)["primitives"][0]["material"] = material.into();
    let (file, output) = (rig.write_glb(folder.path(), "gif.glb"), folder.path().join("posed.glb"));
    let run = run_bake(&file, &output, &[]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    let baked = crate::support::reference::Document::open(&output);
    assert_eq!(baked.object("images", 0)["mimeType"], "image/png");
}
