//! Small files with large results take bounded memory.

use crate::support::glb::Rig;
use crate::support::reference::chunks;
use crate::support::run::{Watched, watched};
use serde_json::{Value, json};
use std::time::Duration;
use tempfile::TempDir;

const TIME_LIMIT: Duration = Duration::from_secs(600);

/// A grid of triangles with normals and optional tangents, drawn by many nodes one meter apart.
fn many(nodes: usize, vertices: usize, tangents: bool) -> Rig {
    let mut rig = Rig::new();
    let positions: Vec<f64> = (0..vertices).flat_map(|i| [(i % 2) as f64, (i % 7) as f64, i as f64 / 100.0]).collect();
    let mut attributes = json!({
        "POSITION": rig.floats("VEC3", &positions),
        "NORMAL": rig.floats("VEC3", &[0.0, 0.0, 1.0].repeat(vertices)),
    });
    if tangents {
        attributes["TANGENT"] = json!(rig.floats("VEC4", &[1.0, 0.0, 0.0, 1.0].repeat(vertices)));
    }
    let mesh = rig.add("meshes", json!({"primitives": [{"attributes": attributes}]}));
    for node in 0..nodes {
        rig.node(json!({"mesh": mesh, "translation": [node, 0, 0]}));
    }
    rig
}

/// Runs `bake`; returns the run and the output folder.
fn baked(rig: &Rig) -> (Watched, TempDir) {
    let folder = TempDir::new().expect("a folder for temporary files");
    std::fs::write(folder.path().join("a.glb"), rig.glb()).expect("a file");
    (watched(folder.path(), &[], &["bake", "a.glb", "-o", "b.glb"], TIME_LIMIT), folder)
}

/// The JSON and the binary chunk of the result.
fn result(folder: &TempDir) -> (Value, Vec<u8>) {
    let bytes = std::fs::read(folder.path().join("b.glb")).expect("a result");
    let (json, bin) = chunks(&bytes);
    (serde_json::from_slice(json).expect("JSON"), bin.expect("a binary chunk").to_vec())
}

#[test]
fn baking_instanced_mesh_bounds_memory() {
    // 144 MB of vertices, in 3000 nodes: more than what stays in memory, several times what is posed at a time.
    let (nodes, vertices) = (3000, 2000);
    let (run, folder) = baked(&many(nodes, vertices, false));
    assert_eq!(run.output.code, Some(0), "{}", run.output.report());
    assert!(run.memory < 192 << 20, "{} MiB", run.memory >> 20);
    let (json, bin) = result(&folder);
    assert_eq!(json["nodes"].as_array().map(Vec::len), Some(nodes));
    assert_eq!(bin.len(), nodes * vertices * 24);
    for node in [0, 1, 1499, nodes - 1] {
        let mesh = json["nodes"][node]["mesh"].as_u64().expect("a mesh") as usize;
        let accessor = &json["meshes"][mesh]["primitives"][0]["attributes"]["POSITION"];
        let accessor = &json["accessors"][accessor.as_u64().expect("a number") as usize];
        let view = &json["bufferViews"][accessor["bufferView"].as_u64().expect("a number") as usize];
        let at = view["byteOffset"].as_u64().expect("a number") as usize;
        let position = |vertex: usize| -> [f32; 3] {
            let at = at + vertex * 12;
            std::array::from_fn(|i| f32::from_le_bytes(bin[at + i * 4..][..4].try_into().expect("four bytes")))
        };
        for vertex in [0, vertices - 1] {
            let expected = [(node + vertex % 2) as f32, (vertex % 7) as f32, vertex as f32 / 100.0];
            let near = position(vertex).iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3);
            assert!(near, "node {node}, vertex {vertex}: {:?}, {expected:?}", position(vertex));
        }
        assert!((accessor["min"][0].as_f64().expect("a number") - node as f64).abs() < 1e-3, "{accessor}");
    }
    let left = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 2, "the file and the result");
}

#[test]
fn bake_size_is_checked_before_posing() {
    // 16 million vertices over the 3000 meters of the nodes.
    let folder = TempDir::new().expect("a folder for temporary files");
    std::fs::write(folder.path().join("a.glb"), many(3000, 5400, false).glb()).expect("a file");
    let run = watched(folder.path(), &[], &["info", "a.glb", "--json"], TIME_LIMIT);
    assert_eq!(run.output.code, Some(0), "{}", run.output.report());
    let info: Value = serde_json::from_str(&run.output.stdout).expect("JSON");
    let corner = |end: usize, axis: usize| info["totals"]["bounds"][end][axis].as_f64().expect("a number");
    for (axis, expected) in [3000.0, 6.0, 53.99].into_iter().enumerate() {
        let size = corner(1, axis) - corner(0, axis);
        assert!((size - expected).abs() < 1e-3, "axis {axis}: {size}, not {expected}");
    }
    assert!(run.took < Duration::from_secs(3), "{:?}", run.took);
}

#[test]
fn many_draws_render_in_bounded_memory() {
    let folder = TempDir::new().expect("a folder for temporary files");
    std::fs::write(folder.path().join("a.glb"), many(60_000, 3, false).glb()).expect("a file");
    let words = ["shot", "a.glb", "-o", "b.png", "--size=64x64", "--samples=1"];
    let run = watched(folder.path(), &[], &words, TIME_LIMIT);
    assert_eq!(run.output.code, Some(0), "{}", run.output.report());
    assert!(run.memory < 700 << 20, "{} MiB", run.memory >> 20);
}

#[test]
fn oversized_glb_is_refused_early() {
    // 4.4 GB of 110 million vertices.
    let folder = TempDir::new().expect("a folder for temporary files");
    std::fs::write(folder.path().join("a.glb"), many(55_000, 2000, true).glb()).expect("a file");
    let words = ["bake", "a.glb", "-o", "b.glb", "--limit", "vertices=200M"];
    let run = watched(folder.path(), &[], &words, TIME_LIMIT);
    assert_eq!(run.output.code, Some(1), "{}", run.output.report());
    let expected = "error: a.glb: the file exceeds the 4 GiB of a .glb; write fewer instances or clips\n";
    assert_eq!(run.output.stderr, expected);
    assert!(run.took < Duration::from_secs(10) && run.memory < 512 << 20, "{:?}, {}", run.took, run.memory >> 20);
    assert!(!folder.path().join("b.glb").exists());
}

#[test]
fn shared_images_are_baked_once() {
    let mut rig = many(1, 3, false);
    let mut image = std::io::Cursor::new(Vec::new());
    let noise =
        image::RgbImage::from_fn(64, 64, |x, y| image::Rgb([((x * 7) ^ (y * 13)) as u8, (x * y) as u8, y as u8]));
    noise.write_to(&mut image, image::ImageFormat::Png).expect("an image");
    let bytes = image.into_inner();
    let uri = {
        use base64::Engine as _;
        format!("data:image/png;base64,{}", base64::engine::general_purpose::STANDARD.encode(&bytes))
    };
    for _ in 0..20 {
        let image = rig.add("images", json!({"uri": uri}));
        rig.add("textures", json!({"source": image}));
    }
    let (run, folder) = baked(&rig);
    assert_eq!(run.output.code, Some(0), "{}", run.output.report());
    let (json, bin) = result(&folder);
    assert_eq!(
        (json["images"].as_array().map(Vec::len), &json["images"][19]["bufferView"]),
        (Some(20), &json["images"][0]["bufferView"])
    );
    assert_eq!(json["textures"][19]["source"], json!(19));
    assert!(bin.len() < bytes.len() + 200, "{} bytes of {}", bin.len(), bytes.len());
}
