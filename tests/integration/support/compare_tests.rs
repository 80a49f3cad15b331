//! The comparison detects wrong poses.

use super::compare::{check_form, compare};
use super::glb::{Data, Rig, Store};
use super::reference::{Document, Instant, PosedCrowd};
use super::{rigs, tolerance};
use serde_json::json;

/// The bent arm.
fn arm() -> PosedCrowd {
    let instant = Instant { clip: Some(0), time: 1.0, ..Instant::default() };
    Document::parse(&rigs::arm().rig.glb(), None).pose(instant)
}

/// Asserts that the comparison reports a change of the arm, with all of these words.
fn assert_found(change: impl Fn(&mut PosedCrowd), words: &[&str]) {
    let mut changed = arm();
    change(&mut changed);
    let fault = compare("title", &arm(), &changed, tolerance::REFERENCE).expect_err("a difference");
    assert!(words.iter().all(|word| fault.contains(word)), "{words:?} in {fault}");
}

#[test]
fn poses_within_tolerance_compare_equal() {
    assert_eq!(compare("title", &arm(), &arm(), 0.0), Ok(()));
    let mut near = arm();
    near.meshes[0].primitives[0].positions[2][1] += 0.9 * tolerance::REFERENCE * arm().size();
    assert_eq!(compare("title", &arm(), &near, tolerance::REFERENCE), Ok(()));
    assert!(compare("title", &arm(), &near, tolerance::REFERENCE / 2.0).is_err());
}

#[test]
fn every_difference_is_reported() {
    let far = 1.2 * tolerance::REFERENCE * arm().size();
    assert_found(|p| p.meshes[0].primitives[0].positions[1][2] += far, &["title", "node 2 (body)", "vertex 1"]);
    assert_found(|p| p.meshes[0].primitives[0].positions[2][0] = f64::NAN, &["vertex 2", "NaN"]);
    assert_found(|p| p.meshes[0].primitives[0].positions.truncate(2), &["3 vertices", "2"]);
    assert_found(|p| p.meshes[0].primitives[0].material = Some(3), &["material"]);
    assert_found(|p| p.meshes[0].primitives[0].mode = 5, &["mode"]);
    assert_found(|p| p.meshes[0].primitives[0].indices.swap(0, 1), &["corner"]);
    assert_found(|p| p.meshes[0].primitives[0].indices.truncate(0), &["corner"]);
    assert_found(|p| p.meshes[0].primitives[0].normals = None, &["normal"]);
    assert_found(|p| p.meshes[0].primitives[0].normals.as_mut().unwrap()[1].vector[0] += 1e-4, &["normal", "vertex 1"]);
    assert_found(|p| p.meshes[0].primitives[0].normals.as_mut().unwrap()[0].vector[0] = f64::NAN, &["normal"]);
    assert_found(|p| p.meshes[0].primitives[0].tangents.as_mut().unwrap()[2].w = -1.0, &["tangent", "vertex 2"]);
    assert_found(|p| drop(p.meshes[0].primitives.pop()), &["primitives"]);
    assert_found(|p| drop(p.meshes.pop()), &["drawn meshes"]);
}

/// A valid static file.
fn sound() -> Rig {
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    let indices = rig.data(&Data::new("SCALAR", &[0.0, 1.0, 2.0]).integers(Store::U16));
    rig.object("meshes", mesh)["primitives"][0]["indices"] = json!(indices);
    rig.node(json!({"mesh": mesh}));
    rig
}

#[test]
fn every_violated_rule_is_reported() {
    let form = |rig: &Rig| check_form("title", &Document::parse(&rig.glb(), None));
    assert_eq!(form(&sound()), Ok(()));
    type Change<'a> = &'a dyn Fn(&mut Rig);
    let changes: [(Change, &str); 10] = [
        (&|rig| rig.set("animations", json!([])), "animations"),
        (&|rig| rig.object("nodes", 0)["translation"] = json!([0, 0, 1]), "translation"),
        (&|rig| assert_eq!(rig.node(json!({"mesh": 0})), 1), "mesh"),
        (&|rig| rig.object("accessors", 0)["max"] = json!([1, 1, 0.5]), "max"),
        (&|rig| drop(rig.object("accessors", 0).as_object_mut().unwrap().remove("min")), "min"),
        (&|rig| rig.object("bufferViews", 1)["byteOffset"] = json!(34), "multiple of 4"),
        (&|rig| rig.object("meshes", 0)["weights"] = json!([1]), "weights"),
        (&|rig| rig.object("meshes", 0)["primitives"][0]["targets"] = json!([{}]), "targets"),
        (&|rig| rig.object("accessors", 0)["count"] = json!(2), "elements for"),
        (&|rig| rig.object("accessors", 1)["bufferView"] = json!(0), "length"),
    ];
    for (change, word) in changes {
        let mut rig = sound();
        change(&mut rig);
        let fault = form(&rig).expect_err(word);
        assert!(fault.contains(word), "{word} in {fault}");
    }
}
