//! `rigview explain`: its numbers are those of `bake`, and its steps lead to them.

use crate::support::bake::bake;
use crate::support::models::{samples, shipped};
use crate::support::reference::{Instant, Vec3, distance};
use crate::support::rigs;
use crate::support::run::rigview;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::Path;
use tempfile::TempDir;

/// Sample models with a skin, morph targets, and animated nodes.
const SAMPLES: [&str; 7] =
    ["CesiumMan", "Fox", "RiggedSimple", "AnimatedMorphCube", "MorphPrimitivesTest", "SimpleMorph", "BoxAnimated"];

/// Rounding of single precision, relative to the size of the numbers.
const ROUNDING: f64 = 4e-6;

fn vec3(value: &Value) -> Vec3 {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{value}: {error}"))
}

/// Applies an object with the rows of a matrix to a point.
fn transformed(matrix: &Value, point: Vec3) -> Vec3 {
    [0, 1, 2].map(|row| {
        let [x, y, z, w]: [f64; 4] = serde_json::from_value(matrix["rows"][row].clone()).expect("a row");
        x * point[0] + y * point[1] + z * point[2] + w
    })
}

fn sum(points: impl Iterator<Item = Vec3>) -> Vec3 {
    points.fold([0.0; 3], |a, b| [0, 1, 2].map(|i| a[i] + b[i]))
}

fn scaled(point: Vec3, factor: &Value) -> Vec3 {
    point.map(|x| x * factor.as_f64().expect("a weight"))
}

fn explain(file: &Path, vertex: usize, options: &[String]) -> Value {
    let mut arguments: Vec<OsString> = vec!["explain".into(), file.into(), "--json".into()];
    arguments.extend(["--vertex".into(), vertex.to_string().into()]);
    arguments.extend(options.iter().map(OsString::from));
    let run = rigview(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.report());
    serde_json::from_str(&run.stdout).expect("JSON")
}

/// Compares vertices of the first primitive with those of `bake`.
fn check(file: &Path, options: &[&str]) {
    let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
    let baked = bake(file, &options).unwrap_or_else(|error| panic!("{error}")).pose(Instant::default());
    let primitive = &baked.meshes[0].primitives[0];
    let last = primitive.positions.len() - 1;
    for vertex in [0, last / 3, last / 2, last] {
        let found = explain(file, vertex, &options);
        let name = format!("{} vertex {vertex} {options:?}\n{found:#}", file.display());
        // In single precision, as in the baked file: numbers are read from JSON with an error of the last digit.
        let single = |point: Vec3| point.map(|x| x as f32);
        assert_eq!(single(vec3(&found["position"])), single(primitive.positions[vertex]), "{name}");
        let baked_normal = primitive.normals.as_ref().map(|normals| normals[vertex].vector);
        assert_eq!(found["normal"].is_null(), baked_normal.is_none(), "{name}");
        if let Some(normal) = baked_normal {
            assert!(distance(vec3(&found["normal"]), normal) < 1e-6, "{name}");
        }
        let list = |key: &str| found[key].as_array().expect("an array").iter();
        // Morph targets.
        let (rest, morphed) = (vec3(&found["rest_position"]), vec3(&found["morphed_position"]));
        let deltas = list("morphs").map(|morph| scaled(vec3(&morph["delta"]), &morph["weight"]));
        let size = 1.0 + sum(list("morphs").map(|morph| vec3(&morph["delta"]).map(f64::abs))).into_iter().sum::<f64>();
        assert!(distance(sum([rest].into_iter().chain(deltas)), morphed) < ROUNDING * size, "{name}");
        // Joints.
        let moved = |term: &Value| transformed(&term["world_from_mesh"], morphed);
        let size = 1.0 + list("joints").flat_map(|term| vec3(&term["moved_position"])).fold(0.0, |a, b| b.abs().max(a));
        for term in list("joints") {
            assert!(distance(moved(term), vec3(&term["moved_position"])) < ROUNDING * size, "{name}");
            let summand = scaled(vec3(&term["moved_position"]), &term["weight"]);
            assert!(distance(summand, vec3(&term["summand"])) < 1e-12 * size, "{name}");
        }
        let total = sum(list("joints").map(|term| scaled(moved(term), &term["weight"])));
        assert!(distance(total, vec3(&found["sum"])) < ROUNDING * size, "{name}");
        assert!(distance(total, primitive.positions[vertex]) < ROUNDING * size, "{name}");
        // Nodes of a rigid mesh, from the mesh to the root.
        let chain = list("nodes").rev().fold(morphed, |point, link| transformed(&link["parent_from_node"], point));
        let is_skinned = list("joints").any(|term| !term["skin_joint"].is_null());
        assert_eq!(is_skinned, found["nodes"].as_array().expect("an array").is_empty(), "{name}");
        assert!(is_skinned || distance(chain, primitive.positions[vertex]) < ROUNDING * size, "{name}");
    }
}

#[test]
fn numbers_are_those_of_bake() {
    for model in shipped() {
        check(&model, &["--time", "37%"]);
    }
    let folder = TempDir::new().expect("a folder for temporary files");
    let mut both = rigs::arm().rig;
    let lift = both.floats("VEC3", &[0.0, 0.5, 2.0].repeat(3));
    both.object("meshes", 0)["primitives"][0]["targets"] = json!([{}, {"POSITION": lift}]);
    both.object("meshes", 0)["weights"] = json!([1.0, 0.25]);
    let both = both.write_glb(folder.path(), "both");
    check(&both, &["--time", "0.5"]);
    check(&both, &["--clip", "none", "--morph-weight", "1=-3", "--pose", "2=0,0,30,1,2,3,1,2,1"]);
    for (name, rig) in rigs::all() {
        check(&rig.write_glb(folder.path(), name), &["--time", "0.3"]);
    }
    let Some(models) = samples("explain") else { return };
    let is_one = |path: &&Path| SAMPLES.iter().any(|name| path.components().any(|part| part.as_os_str() == *name));
    let models: Vec<&Path> = models.iter().map(|path| path.as_path()).filter(is_one).collect();
    assert!(models.len() >= SAMPLES.len(), "{models:?}");
    models.iter().for_each(|model| check(model, &["--time", "37%"]));
}

#[test]
fn text_names_each_step() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let file = rigs::arm().rig.write_glb(folder.path(), "arm");
    let arguments = ["explain", file.to_str().expect("UTF-8"), "--vertex", "1", "--clip", "bend", "--time", "1"];
    let run = rigview(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.report());
    // The elbow at (0, 1, 0) turns by 90 degrees about Z.
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[1], "position in the file: (1, 1, 0)", "{}", run.stdout);
    let turned =
        ", weight 0.5: rotation 90\u{b0} about (0, 0, 1), translation (1, 1, 0); moves it to (0, 2, 0), adds (0, 1, 0)";
    assert!(lines.iter().any(|line| line.ends_with(turned)), "{}", run.stdout);
    assert!(
        lines.iter().any(|line| line.ends_with(", weight 0.5: identity; moves it to (1, 1, 0), adds (0.5, 0.5, 0)"))
    );
    assert!(lines.contains(&"position in the world: (0.5, 1.5, 0)"), "{}", run.stdout);
}
