//! Skins and the influences of vertices.

use super::*;
use crate::math::Affine;
use crate::model::{JointIndex, SkinIndex, SkinSlot};

#[test]
fn skin_joints_and_vertex_slots_are_read() {
    let (loaded, messages) = File::skinned().loaded();
    assert_eq!(messages, [""; 0]);
    let skin = &loaded.model.skins[0];
    assert_eq!(
        (skin.joints.as_slice(), skin.joint_from_mesh[1]),
        (&[JointIndex(1), JointIndex(2)][..], Affine::IDENTITY)
    );
    let influences = primitive(&loaded).vertices.influences.as_ref().unwrap();
    assert_eq!(influences.per_vertex, 2);
    assert_eq!(influences.of_vertex(2).collect::<Vec<_>>(), [(SkinSlot(0), 0.5), (SkinSlot(1), 0.5)]);
    assert_eq!(loaded.model.scenes[0].drawables[0].skin, Some(SkinIndex(0)));
}

#[test]
fn joint_and_weight_encodings_decode_equally() {
    let (expected, _) = File::skinned().loaded();
    let expected = primitive(&expected).vertices.influences.clone().unwrap();
    let joints = [0u16, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0];
    let shares = [255u16, 0, 0, 0, 255, 0, 0, 0, 128, 127, 0, 0];
    for (wide_joints, weights) in [(true, FLOAT), (false, UNSIGNED_BYTE), (true, UNSIGNED_SHORT)] {
        let mut file = File::skinned();
        if wide_joints {
            let bytes: Vec<u8> = joints.iter().flat_map(|x| x.to_le_bytes()).collect();
            let accessor = file.accessor(&bytes, UNSIGNED_SHORT, "VEC4", 3);
            file.set("/meshes/0/primitives/0/attributes/JOINTS_0", json!(accessor));
        }
        let bytes: Vec<u8> = match weights {
            UNSIGNED_BYTE => shares.iter().map(|x| *x as u8).collect(),
            _ => shares.iter().flat_map(|x| (x * 257).to_le_bytes()).collect(),
        };
        if weights != FLOAT {
            let accessor = file.accessor(&bytes, weights, "VEC4", 3);
            file.set(&format!("/accessors/{accessor}/normalized"), json!(true));
            file.set("/meshes/0/primitives/0/attributes/WEIGHTS_0", json!(accessor));
        }
        let (loaded, messages) = file.loaded();
        let found = primitive(&loaded).vertices.influences.as_ref().unwrap();
        assert_eq!((&found.slots, messages.len()), (&expected.slots, 0));
        assert!(found.weights.iter().zip(&expected.weights).all(|(a, b)| (a - b).abs() < 0.003));
    }
    let mut file = File::skinned();
    file.set("/accessors/1/componentType", json!(FLOAT)).set("/accessors/1/count", json!(0));
    file.refused("JOINTS_0: accessor 1 holds VEC4 of FLOAT, VEC4 of UNSIGNED_BYTE or UNSIGNED_SHORT is needed");
}

#[test]
fn twelve_influences_per_vertex_are_reduced_to_eight() {
    let mut file = File::skinned();
    file.set("/nodes", Value::Array((0..13).map(|_| json!({})).collect()))
        .set("/nodes/0", json!({ "mesh": 0, "skin": 0 }));
    file.set("/skins/0/joints", json!((1..13).collect::<Vec<_>>()));
    for set in 0..3u8 {
        let joints: Vec<u8> = (0..3).flat_map(|_| (0..4).map(|i| set * 4 + i)).collect();
        let joints = file.accessor(&joints, UNSIGNED_BYTE, "VEC4", 3);
        let weights = file.floats("VEC4", &[[0.02, 0.03, 0.15, 0.4 / 3.0]; 3].concat());
        file.set(&format!("/meshes/0/primitives/0/attributes/JOINTS_{set}"), json!(joints));
        file.set(&format!("/meshes/0/primitives/0/attributes/WEIGHTS_{set}"), json!(weights));
    }
    // Keeps three weights of 0.15, three of 0.1333 and two of 0.03.
    let loaded =
        file.notice("3 vertices have more than 8 joints; the 8 strongest are kept, and at most 9.00 % of the weight");
    let influences = primitive(&loaded).vertices.influences.as_ref().unwrap();
    assert_eq!(influences.per_vertex, 8);
    let slots: Vec<u16> = influences.of_vertex(1).map(|(slot, _)| slot.0).collect();
    assert_eq!(slots, [2, 6, 10, 3, 7, 11, 1, 5]);
    assert!((influences.of_vertex(1).map(|(_, weight)| weight).sum::<f32>() - 1.0).abs() < 1e-6);
}

#[test]
fn weight_sums_have_the_tolerance_of_the_validator() {
    let with_weights = |weights: [f32; 2]| {
        let mut file = File::skinned();
        let accessor = file.floats("VEC4", &[[weights[0], weights[1], 0.0, 0.0]; 3].concat());
        let joints = file.accessor(&[0, 1, 0, 0].repeat(3), UNSIGNED_BYTE, "VEC4", 3);
        file.set("/meshes/0/primitives/0/attributes/WEIGHTS_0", json!(accessor));
        file.set("/meshes/0/primitives/0/attributes/JOINTS_0", json!(joints));
        file
    };
    // Rounding to single precision.
    assert_eq!(with_weights([0.3, 0.7 + 1e-7]).loaded().1, [""; 0]);
    with_weights([0.3, 0.699]).notice("3 vertices have weights whose sum is not 1 (such as 0.999)");
}

#[test]
fn incomplete_skins_are_errors() {
    let mut file = File::skinned();
    file.set("/skins/0/joints", json!([]));
    file.refused("skin 0: it has no joints");
    file.set("/skins/0/joints", json!([1, 9]));
    file.refused("skin 0: joint node 9 does not exist, the file has 3");
    file.set("/skins/0/joints", json!([1]));
    file.refused("mesh 0 \"Body\", primitive 0: vertex 1 follows joint 1 of its skin, which has 1");
    file.set("/skins/0/joints", json!([1, 2])).set("/nodes/0/skin", json!(3));
    file.refused("node 0: skin 3 does not exist, the file has 1");
}

#[test]
fn inverse_bind_matrices_are_read_and_their_count_checked() {
    let mut file = File::skinned();
    let mut matrices = [0.0; 32];
    for i in [0, 5, 10, 15, 16, 21, 26, 31] {
        matrices[i] = 1.0;
    }
    matrices[12] = 4.0;
    let accessor = file.floats("MAT4", &matrices);
    file.set("/skins/0/inverseBindMatrices", json!(accessor));
    let (loaded, messages) = file.loaded();
    assert_eq!((loaded.model.skins[0].joint_from_mesh[0].translation.x, messages.len()), (4.0, 0));

    file.set("/skins/0/joints", json!([1, 2, 0])).refused("skin 0, inverse bind matrices: there are 2 for 3 joints");
    file.set("/skins/0/joints", json!([1, 2]));
    matrices[3] = 0.5;
    let accessor = file.floats("MAT4", &matrices);
    file.set("/skins/0/inverseBindMatrices", json!(accessor)).notice("1 matrix has a last row other than 0 0 0 1");
    matrices[0] = f32::NAN;
    let accessor = file.floats("MAT4", &matrices);
    file.set("/skins/0/inverseBindMatrices", json!(accessor)).refused("matrix 0 holds a number that is not finite");
}

#[test]
fn mesh_and_skin_mismatches_are_reported() {
    let mut file = File::skinned();
    file.set("/skins/0/joints", json!([1, 2, 1])).notice("1 joint is in it more than once");
    let mut file = File::skinned();
    file.set("/nodes/0", json!({ "mesh": 0 })).notice("node 0: its mesh has joints and weights, but it has no skin");
    file.set("/nodes/0", json!({ "skin": 0 })).notice("node 0: it has a skin, but no mesh");
    let mut file = File::skinned();
    file.json["meshes"][0]["primitives"][0]["attributes"].as_object_mut().unwrap().remove("WEIGHTS_0");
    let (loaded, messages) = file.loaded();
    assert!(primitive(&loaded).vertices.influences.is_none());
    assert!(messages[0].contains("JOINTS_0 without WEIGHTS_0") && messages[1].contains("cannot follow its skin"));
}

#[test]
fn more_than_256_joints_open() {
    let mut file = File::skinned();
    file.set("/nodes", Value::Array((0..1001).map(|_| json!({})).collect()))
        .set("/nodes/0", json!({ "mesh": 0, "skin": 0 }));
    file.set("/skins/0/joints", json!((1..1001).collect::<Vec<_>>()));
    let joints: Vec<u8> = [999u16, 0, 0, 0, 256, 0, 0, 0, 0, 500, 0, 0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let joints = file.accessor(&joints, UNSIGNED_SHORT, "VEC4", 3);
    file.set("/meshes/0/primitives/0/attributes/JOINTS_0", json!(joints));
    let (loaded, _) = file.loaded();
    let influences = primitive(&loaded).vertices.influences.as_ref().unwrap();
    assert_eq!(influences.slots.iter().map(|slot| slot.0).collect::<Vec<_>>(), [999, 0, 256, 0, 0, 500]);
}
