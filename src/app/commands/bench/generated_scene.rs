//! Cost of draw calls: a generated scene of many nodes, with a call per node and with shared calls.

use super::comparison::{Candidate, count_different_pixels, draw_alternating};
use crate::app::AppError;
use crate::app::scene::LoadedScene;
use crate::cli::SceneBenchArgs;
use crate::request::SceneRequest;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rigview_core::import::ImageLoading;
use rigview_core::util::text::counted;
use rigview_render::platform::headless::Headless;
use rigview_render::render::RenderOptions;
use serde::Serialize;
use serde_json::json;
use std::f32::consts::{PI, TAU};
use std::io::Write;

/// Rings of triangles of a sphere, from pole to pole.
const RINGS: u16 = 8;
/// Triangles of a ring next to a pole, and half of those of any other ring.
const SIDES: u16 = 13;

const FLOAT: u32 = 5126;
const UNSIGNED_SHORT: u32 = 5123;

#[derive(Serialize)]
struct Report {
    nodes: u32,
    meshes: u32,
    materials: u32,
    vertices: u64,
    /// GL renderer.
    renderer: String,
    width: u32,
    height: u32,
    frames: u32,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    draws: &'static str,
    draw_calls: usize,
    upload_and_draw_ms: f64,
    cpu_ms: Option<f64>,
    /// CPU time relative to separate calls; wall time if CPU time is unavailable.
    over_separate: f64,
    /// Pixels that differ from separate calls by more than 1 of 255.
    differing_pixels: usize,
}

pub(crate) fn run(args: &SceneBenchArgs) -> Result<(), AppError> {
    let not_written = |source| AppError::Output { file: std::env::temp_dir(), source };
    let mut file = tempfile::Builder::new().suffix(".gltf").tempfile().map_err(not_written)?;
    file.write_all(generated_gltf(args).as_bytes()).map_err(not_written)?;
    let mut scenes = [LoadedScene::open(file.path(), &SceneRequest::default(), ImageLoading::Skip)?];
    let headless = Headless::new()?;
    let candidates = [true, false].map(|separate_draw_calls| {
        Candidate::new(0, RenderOptions { separate_draw_calls, ..RenderOptions::default() })
    });
    let costs = draw_alternating(&args.frames, &headless, &mut scenes, &candidates)?;
    let base = &costs[0];
    let rows = ["a call per node", "shared calls"].into_iter().zip(&costs).map(|(draws, cost)| Row {
        draws,
        draw_calls: cost.draw_calls,
        upload_and_draw_ms: cost.wall_ms,
        cpu_ms: cost.cpu_ms,
        over_separate: match (cost.cpu_ms, base.cpu_ms) {
            (Some(cost), Some(base)) => cost / base,
            _ => cost.wall_ms / base.wall_ms,
        },
        differing_pixels: count_different_pixels(&base.rgba, &cost.rgba),
    });
    let [width, height] = args.frames.size;
    let report = Report {
        nodes: args.nodes,
        meshes: args.meshes.min(args.nodes),
        materials: args.materials.min(args.meshes),
        vertices: scenes[0].layout().vertex_count(scenes[0].model()),
        renderer: headless.gpu().renderer().to_owned(),
        width,
        height,
        frames: args.frames.count,
        rows: rows.collect(),
    };
    super::output::print(&report, args.frames.json, Report::text)
}

/// Returns a glTF file: nodes in a cubic grid, each with a sphere.
fn generated_gltf(args: &SceneBenchArgs) -> String {
    let (directions, indices) = sphere();
    let normals: &[u8] = bytemuck::cast_slice(&directions);
    let indices_bytes: &[u8] = bytemuck::cast_slice(&indices);
    let mut bin = [normals, indices_bytes].concat();
    let mesh_count = args.meshes.min(args.nodes);
    let mut views = vec![
        json!({"buffer": 0, "byteLength": normals.len()}),
        json!({"buffer": 0, "byteOffset": normals.len(), "byteLength": indices_bytes.len()}),
    ];
    let mut accessors = vec![
        json!({"bufferView": 0, "componentType": FLOAT, "count": directions.len(), "type": "VEC3"}),
        json!({"bufferView": 1, "componentType": UNSIGNED_SHORT, "count": indices.len(), "type": "SCALAR"}),
    ];
    let mut meshes = Vec::new();
    for mesh in 0..mesh_count {
        let radius = 0.25 + 0.2 * (mesh * 7919 % 97) as f32 / 97.0;
        let positions: Vec<[f32; 3]> = directions.iter().map(|direction| direction.map(|x| x * radius)).collect();
        views.push(json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": normals.len()}));
        bin.extend_from_slice(bytemuck::cast_slice(&positions));
        accessors.push(json!({
            "bufferView": views.len() - 1, "componentType": FLOAT, "count": positions.len(), "type": "VEC3",
            "min": [-radius, -radius, -radius], "max": [radius, radius, radius],
        }));
        meshes.push(json!({"primitives": [{
            "attributes": {"POSITION": accessors.len() - 1, "NORMAL": 0},
            "indices": 1,
            "material": mesh % args.materials,
        }]}));
    }
    let side = f64::from(args.nodes).cbrt().ceil() as u32;
    let node = |i: u32| json!({"mesh": i % mesh_count, "translation": [i % side, i / side % side, i / side / side]});
    let channel = |i: u32, factor: u32| f64::from(i * factor % 100) / 100.0;
    let material = |i: u32| {
        let color = [channel(i, 37), 0.2 + 0.8 * channel(i, 61), channel(i, 83), 1.0];
        json!({"pbrMetallicRoughness": {"baseColorFactor": color, "metallicFactor": 0.0, "roughnessFactor": 0.6}})
    };
    let document = json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": (0..args.nodes).collect::<Vec<_>>()}],
        "nodes": (0..args.nodes).map(node).collect::<Vec<_>>(),
        "meshes": meshes,
        "materials": (0..args.materials).map(material).collect::<Vec<_>>(),
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": bin.len(), "uri": format!("data:application/octet-stream;base64,{}", STANDARD.encode(&bin))}],
    });
    document.to_string()
}

/// Returns the vertices of a unit sphere and the indices of its triangles, counter-clockwise from outside.
fn sphere() -> (Vec<[f32; 3]>, Vec<u16>) {
    let mut directions = Vec::new();
    for ring in 0..=RINGS {
        let polar = PI * f32::from(ring) / f32::from(RINGS);
        for side in 0..=SIDES {
            let azimuth = TAU * f32::from(side) / f32::from(SIDES);
            directions.push([polar.sin() * azimuth.cos(), polar.cos(), -polar.sin() * azimuth.sin()]);
        }
    }
    let mut indices = Vec::new();
    for (ring, side) in (0..RINGS).flat_map(|ring| (0..SIDES).map(move |side| (ring, side))) {
        let at = |r: u16, s: u16| (ring + r) * (SIDES + 1) + side + s;
        if ring > 0 {
            indices.extend([at(0, 0), at(1, 0), at(0, 1)]);
        }
        if ring + 1 < RINGS {
            indices.extend([at(0, 1), at(1, 0), at(1, 1)]);
        }
    }
    (directions, indices)
}

impl Report {
    fn text(&self) -> String {
        let mut text = format!(
            "{} with {} and {}, {} vertices, {} x {}, median of {} alternating frames, {}\n\n",
            counted(self.nodes as usize, "node", "nodes"),
            counted(self.meshes as usize, "mesh", "meshes"),
            counted(self.materials as usize, "material", "materials"),
            self.vertices,
            self.width,
            self.height,
            self.frames,
            self.renderer,
        );
        text += "                      calls    ms/frame      CPU ms   over separate     different pixels\n";
        for row in &self.rows {
            text += &format!(
                "{:<18}{:>9}{:>12.2}{:>12}{:>16.2}{:>21}\n",
                row.draws,
                row.draw_calls,
                row.upload_and_draw_ms,
                row.cpu_ms.map_or("-".to_owned(), |millis| format!("{millis:.2}")),
                row.over_separate,
                row.differing_pixels,
            );
        }
        text
    }
}
