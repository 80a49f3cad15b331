//! Skins and the influences of vertices.

use super::*;

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
fn invalid_skins_are_left_out() {
    let mut file = File::skinned();
    file.set("/skins/0/joints", json!([]));
    let loaded = file.reported("skin 0: it has no joints");
    let [mesh_node] = loaded.model.scenes[0].mesh_nodes.as_slice() else { panic!("not one mesh node") };
    assert_eq!(mesh_node.skin, None);
    file.set("/skins/0/joints", json!([1, 9]));
    file.reported("skin 0: joint node 9 does not exist, the file has 3");
    file.set("/skins/0/joints", json!([1]));
    file.reported("mesh 0 \"Body\", primitive 0: vertex 1 follows joint 1 of its skin, which has 1");
    file.set("/skins/0/joints", json!([1, 2])).set("/nodes/0/skin", json!(3));
    file.reported("node 0: skin 3 does not exist, the file has 1");
    let mut file = File::skinned();
    file.set("/accessors/1/componentType", json!(FLOAT)).set("/accessors/1/count", json!(0));
    file.reported("JOINTS_0: accessor 1 holds VEC4 of FLOAT, VEC4 of UNSIGNED_BYTE or UNSIGNED_SHORT is needed");
}

#[test]
fn invalid_inverse_bind_matrices_leave_out_the_skin() {
    let mut file = File::skinned();
    let mut matrices = [0.0; 32];
    for i in [0, 5, 10, 15, 16, 21, 26, 31] {
        matrices[i] = 1.0;
    }
    let accessor = file.floats("MAT4", &matrices);
    file.set("/skins/0/inverseBindMatrices", json!(accessor));
    file.set("/skins/0/joints", json!([1, 2, 0])).reported("skin 0, inverse bind matrices: there are 2 for 3 joints");
    file.set("/skins/0/joints", json!([1, 2]));
    matrices[3] = 0.5;
    let accessor = file.floats("MAT4", &matrices);
    file.set("/skins/0/inverseBindMatrices", json!(accessor)).notice("1 matrix has a last row other than 0 0 0 1");
    matrices[0] = f32::NAN;
    let accessor = file.floats("MAT4", &matrices);
    file.set("/skins/0/inverseBindMatrices", json!(accessor)).reported("matrix 0 holds a number that is not finite");
}

#[test]
fn skins_share_inverse_bind_matrices_of_the_same_accessor() {
    let mut file = File::skinned();
    let matrix = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let accessor = file.floats("MAT4", &matrix.repeat(100));
    let skin = |joints: usize| json!({ "joints": vec![1; joints], "inverseBindMatrices": accessor });
    file.set("/skins", (0..200).map(|_| skin(2)).chain([skin(1)]).collect());
    let mut options = ImportOptions::default();
    options.policy.limits.set(Limit::AccessorData, 0);
    let skins = from_bytes(file.glb(), None, &options).unwrap().model.skins;
    assert!(std::sync::Arc::ptr_eq(&skins[0].joint_from_mesh, &skins[199].joint_from_mesh));
    assert_eq!(skins[200].joint_from_mesh.len(), 1);
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
