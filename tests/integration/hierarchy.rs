//! Transforms: nodes, hierarchies, skins and scenes.

use crate::support::bake::{Shot, check, check_by_reference};
use crate::support::glb::{Channel, Rig};
use crate::support::reference::Vec3;
use crate::support::rigs::{self, NO_TURN, QUARTER_ABOUT_Z, TRIANGLE, arm, skinned, translation};
use serde_json::{Value, json};
use std::f64::consts::FRAC_1_SQRT_2;

/// A rotation by 90 degrees about Y.
const QUARTER_ABOUT_Y: [f64; 4] = [0.0, FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2];

/// The triangle, translated.
fn triangle_at(x: f64, y: f64, z: f64) -> [Vec3; 3] {
    TRIANGLE.map(|p| [p[0] + x, p[1] + y, p[2] + z])
}

/// A triangle on one node.
fn triangle_under(node: Value) -> Rig {
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    let index = rig.node(node);
    rig.object("nodes", index)["mesh"] = json!(mesh);
    rig
}

#[test]
fn node_transform_order_is_scale_rotate_translate() {
    let rig = triangle_under(json!({"translation": [10, 0, 0], "rotation": QUARTER_ABOUT_Y, "scale": [2, 3, 4]}));
    check("TRS node", &rig, &Shot::still(), |hand| {
        hand.meshes(1);
        hand.positions(0, 0, &[[10.0, 0.0, 0.0], [10.0, 0.0, -2.0], [10.0, 3.0, 0.0]]);
        hand.normals(0, 0, &[[1.0, 0.0, 0.0]; 3]);
        hand.tangents(0, 0, &[[0.0, 0.0, -1.0, 1.0]; 3]);
        hand.triangles(0, 0, &[[0, 1, 2]]);
    });
}

#[test]
fn node_matrix_is_column_major() {
    // The map of the test above.
    let rig = triangle_under(json!({"matrix": [0, 0, -2, 0, 0, 3, 0, 0, 4, 0, 0, 0, 10, 0, 0, 1]}));
    check("matrix node", &rig, &Shot::still(), |hand| {
        hand.positions(0, 0, &[[10.0, 0.0, 0.0], [10.0, 0.0, -2.0], [10.0, 3.0, 0.0]]);
        hand.normals(0, 0, &[[1.0, 0.0, 0.0]; 3]);
        hand.tangents(0, 0, &[[0.0, 0.0, -1.0, 1.0]; 3]);
    });
}

#[test]
fn sheared_matrix_is_kept() {
    let r = FRAC_1_SQRT_2;
    // z grows with x: the surface leans, and its normal with it.
    let mut rig = triangle_under(json!({"matrix": [1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}));
    check("sheared matrix", &rig, &Shot::still(), |hand| {
        hand.positions(0, 0, &[[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]);
        hand.normals(0, 0, &[[-r, 0.0, r]; 3]);
        hand.tangents(0, 0, &[[r, 0.0, r, 1.0]; 3]);
    });
    // The shear reaches children, moved ones too.
    let child = rig.node(json!({"mesh": 0, "translation": [2, 0, 0], "rotation": QUARTER_ABOUT_Z}));
    rig.object("nodes", 0)["children"] = json!([child]);
    check("child of a sheared matrix", &rig, &Shot::still(), |hand| {
        hand.positions(1, 0, &[[2.0, 0.0, 2.0], [2.0, 1.0, 2.0], [1.0, 0.0, 1.0]]);
    });
}

#[test]
fn non_uniform_parent_scale_shears() {
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    let (s, c) = ((std::f64::consts::PI / 8.0).sin(), (std::f64::consts::PI / 8.0).cos());
    let child = rig.node(json!({"mesh": mesh, "rotation": [0.0, 0.0, s, c]}));
    rig.node(json!({"children": [child], "scale": [2, 1, 1]}));
    let r = FRAC_1_SQRT_2;
    check("uneven scale above 45 degrees", &rig, &Shot::still(), |hand| {
        hand.positions(0, 0, &[[0.0, 0.0, 0.0], [2.0 * r, r, 0.0], [-2.0 * r, r, 0.0]]);
        hand.normals(0, 0, &[[0.0, 0.0, 1.0]; 3]);
        let t = [2.0 / 5.0_f64.sqrt(), 1.0 / 5.0_f64.sqrt(), 0.0, 1.0];
        hand.tangents(0, 0, &[t; 3]);
    });
}

#[test]
fn hierarchy_of_10000_levels_works() {
    // Each node takes a step forward and turns left: four of them walk around a square.
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    let depth = 10_002;
    for node in 0..depth {
        rig.node(json!({"translation": [1, 0, 0], "rotation": QUARTER_ABOUT_Z, "children": [node + 1]}));
    }
    rig.node(json!({"mesh": mesh}));
    check("10002 nodes deep", &rig, &Shot::still(), |hand| {
        // Two steps of the square are left: (1,0) and (1,1), and a half turn.
        hand.positions(0, 0, &[[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]);
    });
}

#[test]
fn meshes_are_ordered_depth_first() {
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    let numbered = |rig: &mut Rig, x: i32, children: &[usize]| {
        let mut node = json!({"mesh": mesh, "translation": [x, 0, 0]});
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        rig.node(node)
    };
    let leaf = numbered(&mut rig, 1, &[]);
    let second = numbered(&mut rig, 10, &[]);
    let first = numbered(&mut rig, 100, &[leaf]);
    let empty = rig.node(json!({"translation": [0, 5, 0]}));
    let root = numbered(&mut rig, 1000, &[first, empty, second]);
    let other = numbered(&mut rig, 5000, &[]);
    rig.add("scenes", json!({"nodes": [other, root]}));
    check("drawing order", &rig, &Shot::still(), |hand| {
        hand.meshes(5);
        for (i, x) in [5000.0, 1000.0, 1100.0, 1101.0, 1010.0].into_iter().enumerate() {
            hand.positions(i, 0, &triangle_at(x, 0.0, 0.0));
        }
    });
}

#[test]
fn primitive_without_positions_is_skipped() {
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    let normals = rig.floats("VEC3", &[0.0, 0.0, 1.0].repeat(3));
    let drawn = rig.object("meshes", mesh)["primitives"][0].clone();
    rig.object("meshes", mesh)["primitives"] = json!([{"attributes": {"NORMAL": normals}}, drawn, drawn]);
    let undrawn = rig.mesh(json!({"attributes": {"NORMAL": normals}}));
    rig.node(json!({"mesh": undrawn}));
    rig.node(json!({"mesh": mesh}));
    check("primitives without positions", &rig, &Shot::still(), |hand| {
        hand.meshes(1);
        hand.positions(0, 0, &TRIANGLE);
        hand.positions(0, 1, &TRIANGLE);
    });
}

#[test]
fn skinned_vertices_follow_joints() {
    check("bent arm", &arm().rig, &Shot::at(1.0), |hand| {
        hand.meshes(1);
        hand.positions(0, 0, &[[0.0, 0.0, 0.0], [0.5, 1.5, 0.0], [-1.0, 1.0, 0.0]]);
        hand.normals(0, 0, &[[0.0, 0.0, 1.0]; 3]);
        let r = FRAC_1_SQRT_2;
        hand.tangents(0, 0, &[[1.0, 0.0, 0.0, 1.0], [r, r, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]]);
    });
    check("arm at rest", &arm().rig, &Shot::rest(), |hand| {
        hand.positions(0, 0, &[[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 2.0, 0.0]]);
    });
}

#[test]
fn rest_pose_uses_node_transforms() {
    let mut arm = arm();
    let elbow = arm.joints[1];
    arm.rig.object("nodes", elbow)["rotation"] = json!(QUARTER_ABOUT_Z);
    let bent = [[0.0, 0.0, 0.0], [0.5, 1.5, 0.0], [-1.0, 1.0, 0.0]];
    check("rest pose", &arm.rig, &Shot::rest(), |hand| hand.positions(0, 0, &bent));
    let straight = [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 2.0, 0.0]];
    check("first key", &arm.rig, &Shot::at(0.0), |hand| hand.positions(0, 0, &straight));
}

#[test]
fn skinned_node_transform_is_ignored() {
    let bent = [[0.0, 0.0, 0.0], [0.5, 1.5, 0.0], [-1.0, 1.0, 0.0]];
    for (label, node) in [
        ("moved", json!({"translation": [1, 2, 3], "rotation": QUARTER_ABOUT_Y})),
        ("flattened", json!({"scale": [0, 0, 0]})),
        ("mirrored", json!({"scale": [-1, 1, 1]})),
        ("a matrix", json!({"matrix": [0, 0, -2, 0, 0, 3, 0, 0, 4, 0, 0, 0, 10, 0, 0, 1]})),
    ] {
        let mut arm = arm();
        let body = arm.rig.object("nodes", arm.body);
        for (name, value) in node.as_object().unwrap() {
            body[name] = value.clone();
        }
        check(&format!("skinned node {label}"), &arm.rig, &Shot::at(1.0), |hand| {
            hand.positions(0, 0, &bent);
            hand.triangles(0, 0, &[[0, 1, 2]]);
        });
        // Nor that of its parents.
        let mut below = rigs::arm();
        let parent = below.rig.node(node);
        below.rig.object("nodes", parent)["children"] = json!([below.body]);
        check(&format!("parent of a skinned node {label}"), &below.rig, &Shot::at(1.0), |hand| {
            hand.positions(0, 0, &bent);
            hand.triangles(0, 0, &[[0, 1, 2]]);
        });
    }
    // Nor where a clip takes it.
    let mut arm = arm();
    let times = arm.rig.floats("SCALAR", &[0.0, 1.0]);
    let values = arm.rig.floats("VEC3", &[0.0, 0.0, 0.0, 7.0, 7.0, 7.0]);
    let sampler = json!({"input": times, "output": values});
    let clip = arm.rig.object("animations", 0);
    clip["samplers"].as_array_mut().unwrap().push(sampler);
    let channel = json!({"sampler": 1, "target": {"node": arm.body, "path": "translation"}});
    clip["channels"].as_array_mut().unwrap().push(channel);
    check("skinned node moved by a clip", &arm.rig, &Shot::at(1.0), |hand| hand.positions(0, 0, &bent));
}

#[test]
fn transforms_above_joints_apply() {
    // As Blender exports: an armature of scale 0.01 that carries both the body and the joints.
    let mut arm = arm();
    let hips = arm.rig.node(json!({"children": [arm.joints[0]], "translation": [0, 100, 0]}));
    let armature = json!({"children": [hips, arm.body], "scale": [0.01, 0.01, 0.01], "rotation": QUARTER_ABOUT_Z});
    arm.rig.node(armature);
    check("armature", &arm.rig, &Shot::at(1.0), |hand| {
        hand.positions(0, 0, &[[-1.0, 0.0, 0.0], [-1.015, 0.005, 0.0], [-1.01, -0.01, 0.0]]);
    });
}

#[test]
fn models_far_from_origin_are_exact() {
    // Vertices stored far off and brought back by the bind matrices, as Blender writes an object that was moved.
    let mut rig = Rig::new();
    let positions = TRIANGLE.map(|p| [p[0] + 20.0, p[1] - 7.0, p[2] + 3.0]);
    let mesh = skinned(&mut rig, &positions, &[vec![(0, 1.0)], vec![(0, 0.5), (1, 0.5)], vec![(1, 1.0)]]);
    let bind = rig.floats("MAT4", &translation(-20.0, 7.0, -3.0).repeat(2));
    let joints = [rig.node(json!({})), rig.node(json!({"rotation": QUARTER_ABOUT_Z}))];
    let skin = rig.add("skins", json!({"joints": joints, "inverseBindMatrices": bind}));
    rig.node(json!({"mesh": mesh, "skin": skin}));
    check("vertices 20 m off", &rig, &Shot::still(), |hand| {
        hand.positions(0, 0, &[[0.0, 0.0, 0.0], [0.5, 0.5, 0.0], [-1.0, 0.0, 0.0]]);
    });
    let root = rig.node(json!({"children": joints, "translation": [8, 3, -5], "rotation": QUARTER_ABOUT_Y}));
    check("joints 10 m off", &rig, &Shot::still(), |hand| {
        hand.positions(0, 0, &[[8.0, 3.0, -5.0], [8.0, 3.5, -5.5], [8.0, 3.0, -4.0]]);
    });
    rig.object("nodes", root)["scale"] = json!([0.01, 0.01, 0.01]);
    check("a hundredth of it", &rig, &Shot::still(), |hand| {
        hand.positions(0, 0, &[[8.0, 3.0, -5.0], [8.0, 3.005, -5.005], [8.0, 3.0, -4.99]]);
    });
}

#[test]
fn instance_distance_costs_no_precision() {
    // What single precision has left at this distance is far more than is allowed of a triangle of this size.
    for distance in [100.0, 4096.0, 60_000.0] {
        let mut rig = Rig::new();
        let positions = TRIANGLE.map(|p| [p[0] + distance, p[1], p[2]]);
        let mesh = skinned(&mut rig, &positions, &[vec![(0, 1.0)], vec![(0, 0.5), (1, 0.5)], vec![(1, 1.0)]]);
        let bind = rig.floats("MAT4", &translation(-distance, 0.0, 0.0).repeat(2));
        let joints = [rig.node(json!({})), rig.node(json!({"rotation": QUARTER_ABOUT_Z}))];
        let skin = rig.add("skins", json!({"joints": joints, "inverseBindMatrices": bind}));
        rig.node(json!({"mesh": mesh, "skin": skin}));
        check(&format!("vertices {distance} m off"), &rig, &Shot::still(), |hand| {
            hand.positions(0, 0, &[[0.0, 0.0, 0.0], [0.5, 0.5, 0.0], [-1.0, 0.0, 0.0]]);
        });
        // The same, but for a mesh that nothing skins.
        let mut rigid = Rig::new();
        let positions = rigid.floats("VEC3", &positions.concat());
        let mesh = rigid.mesh(json!({"attributes": {"POSITION": positions}}));
        rigid.node(json!({"mesh": mesh, "translation": [-distance, 0, 0]}));
        check(&format!("a rigid mesh {distance} m off"), &rigid, &Shot::still(), |hand| {
            hand.positions(0, 0, &TRIANGLE)
        });
    }
}

#[test]
fn skinned_node_may_be_joint_or_ancestor() {
    let bent = [[0.0, 0.0, 0.0], [0.5, 1.5, 0.0], [-1.0, 1.0, 0.0]];
    let mut below = arm();
    let (body, shoulder) = (below.body, below.joints[0]);
    below.rig.object("nodes", body)["children"] = json!([shoulder]);
    check("joints below the skinned node", &below.rig, &Shot::at(1.0), |hand| hand.positions(0, 0, &bent));
    below.rig.object("nodes", body)["translation"] = json!([5, 0, 0]);
    check("joints below a moved skinned node", &below.rig, &Shot::at(1.0), |hand| {
        hand.positions(0, 0, &bent.map(|p| [p[0] + 5.0, p[1], p[2]]));
    });

    // The elbow carries its own mesh; its vertices follow the joints once, not twice.
    let mut own = arm();
    let (body, elbow) = (own.body, own.joints[1]);
    let node = own.rig.object("nodes", body).clone();
    own.rig.object("nodes", elbow)["mesh"] = node["mesh"].clone();
    own.rig.object("nodes", elbow)["skin"] = node["skin"].clone();
    *own.rig.object("nodes", body) = json!({});
    check("a joint with the mesh it moves", &own.rig, &Shot::at(1.0), |hand| hand.positions(0, 0, &bent));
}

#[test]
fn missing_inverse_bind_matrices_are_identity() {
    let mut arm = arm();
    arm.rig.object("skins", 0).as_object_mut().unwrap().remove("inverseBindMatrices");
    // The elbow at (0,1,0) now turns vertices as if they were stored in its own axes.
    check("no inverse bind matrices", &arm.rig, &Shot::at(1.0), |hand| {
        hand.positions(0, 0, &[[0.0, 0.0, 0.0], [0.0, 1.5, 0.0], [-2.0, 1.0, 0.0]]);
    });
}

#[test]
fn skins_and_rigid_meshes_share_joints() {
    let mut arm = arm();
    let rig = &mut arm.rig;
    // The same joints in another order, so that slot and joint differ, and bind matrices of its own.
    let bind = rig.floats("MAT4", &[translation(0.0, -1.0, 0.0), translation(0.0, 0.0, 0.5)].concat());
    let swapped = rig.add("skins", json!({"joints": [arm.joints[1], arm.joints[0]], "inverseBindMatrices": bind}));
    // The same mesh under it: what was on the shoulder is now on the elbow.
    rig.node(json!({"mesh": 0, "skin": swapped}));
    // Another mesh under the first skin.
    let positions = [[0.0, 1.0, 0.0], [0.0, 1.0, 1.0], [2.0, 1.0, 0.0]];
    let other = skinned(rig, &positions, &[vec![(1, 1.0)], vec![(1, 1.0)], vec![(1, 1.0)]]);
    rig.node(json!({"mesh": other, "skin": 0}));
    check("shared joints", &arm.rig, &Shot::at(1.0), |hand| {
        hand.meshes(3);
        hand.positions(0, 0, &[[0.0, 0.0, 0.0], [0.5, 1.5, 0.0], [-1.0, 1.0, 0.0]]);
        hand.positions(1, 0, &[[1.0, 1.0, 0.0], [0.5, 1.5, 0.25], [0.0, 2.0, 0.5]]);
        hand.positions(2, 0, &[[0.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 3.0, 0.0]]);
    });
}

#[test]
fn primitive_without_joints_is_rigid() {
    let mut arm = arm();
    let plain = arm.rig.triangle();
    let rigid = arm.rig.object("meshes", plain)["primitives"][0].clone();
    arm.rig.object("meshes", 0)["primitives"].as_array_mut().unwrap().push(rigid);
    arm.rig.object("nodes", arm.body)["translation"] = json!([0, 0, 4]);
    // Joints without a skin are not used either.
    arm.rig.node(json!({"mesh": 0, "translation": [3, 0, 0]}));
    check("rigid primitive", &arm.rig, &Shot::at(1.0), |hand| {
        hand.positions(0, 0, &[[0.0, 0.0, 0.0], [0.5, 1.5, 0.0], [-1.0, 1.0, 0.0]]);
        hand.positions(0, 1, &triangle_at(0.0, 0.0, 4.0));
        hand.positions(1, 0, &[[3.0, 0.0, 0.0], [4.0, 1.0, 0.0], [3.0, 2.0, 0.0]]);
        hand.positions(1, 1, &triangle_at(3.0, 0.0, 0.0));
    });
}

#[test]
fn mirrored_node_flips_winding_and_keeps_normals() {
    for (label, node, flips) in [
        ("X", json!({"scale": [-1, 1, 1]}), true),
        ("Z", json!({"scale": [1, 1, -1]}), true),
        ("XY", json!({"scale": [-1, -1, 1]}), false),
        ("XYZ", json!({"scale": [-1, -1, -1], "rotation": QUARTER_ABOUT_Y}), true),
        ("matrix", json!({"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -3, 0, 0, 0, 0, 1]}), true),
    ] {
        let rig = triangle_under(node);
        check(&format!("mirrored along {label}"), &rig, &Shot::still(), |hand| {
            hand.triangles(0, 0, &[if flips { [0, 2, 1] } else { [0, 1, 2] }]);
        });
    }
    // A mirror within a mirror is none.
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    let child = rig.node(json!({"mesh": mesh, "scale": [-1, 1, 1]}));
    rig.node(json!({"mesh": mesh, "scale": [1, 1, -2], "children": [child]}));
    check("mirror within a mirror", &rig, &Shot::still(), |hand| {
        hand.triangles(0, 0, &[[0, 2, 1]]);
        hand.normals(0, 0, &[[0.0, 0.0, -1.0]; 3]);
        hand.tangents(0, 0, &[[1.0, 0.0, 0.0, -1.0]; 3]);
        hand.triangles(1, 0, &[[0, 1, 2]]);
        hand.normals(1, 0, &[[0.0, 0.0, -1.0]; 3]);
        hand.tangents(1, 0, &[[-1.0, 0.0, 0.0, 1.0]; 3]);
    });
}

#[test]
fn mirrored_joints_flip_winding() {
    let mut arm = arm();
    arm.rig.object("nodes", arm.joints[0])["scale"] = json!([-1, 1, 1]);
    check("mirrored shoulder", &arm.rig, &Shot::at(1.0), |hand| {
        hand.positions(0, 0, &[[0.0, 0.0, 0.0], [-0.5, 1.5, 0.0], [1.0, 1.0, 0.0]]);
        hand.triangles(0, 0, &[[0, 2, 1]]);
        hand.normals(0, 0, &[[0.0, 0.0, 1.0]; 3]);
    });
}

#[test]
fn clip_may_mirror_over_time() {
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    let node = rig.node(json!({"mesh": mesh}));
    let (times, values) = (rig.floats("SCALAR", &[0.0, 1.0]), rig.floats("VEC3", &[1.0, 1.0, 1.0, 1.0, 1.0, -1.0]));
    rig.clip("through", &[Channel { node, path: "scale", interpolation: "LINEAR", times, values }]);
    for (time, triangle, z) in [(0.25, [0, 1, 2], 1.0), (0.75, [0, 2, 1], -1.0)] {
        check("scale through zero", &rig, &Shot::at(time), |hand| {
            hand.triangles(0, 0, &[triangle]);
            hand.normals(0, 0, &[[0.0, 0.0, z]; 3]);
        });
    }
    // Flattened along the normal the surface still has one; its sign is anybody's guess.
    check_by_reference("flattened on the way", &rig, &Shot::at(0.5));
}

#[test]
fn zero_scale_bakes_valid_file() {
    for scale in [[0, 0, 0], [0, 1, 1], [0, 0, 1], [1, 0, 0]] {
        let rig = triangle_under(json!({"scale": scale, "translation": [1, 2, 3]}));
        check_by_reference(&format!("scale {scale:?}"), &rig, &Shot::still());
    }
}

#[test]
fn scene_option_accepts_index_and_name() {
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    let nodes: Vec<usize> = (0..3).map(|x| rig.node(json!({"mesh": mesh, "translation": [x, 0, 0]}))).collect();
    for (name, list) in [("left", vec![nodes[0]]), ("right", vec![nodes[2], nodes[1]])] {
        rig.add("scenes", json!({"name": name, "nodes": list}));
    }
    rig.set("scene", json!(1));
    let right = [triangle_at(2.0, 0.0, 0.0), triangle_at(1.0, 0.0, 0.0)];
    check("the file's scene", &rig, &Shot::still(), |hand| {
        hand.meshes(2);
        hand.positions(0, 0, &right[0]);
        hand.positions(1, 0, &right[1]);
    });
    check("scene 0", &rig, &Shot::still().scene(0), |hand| {
        hand.meshes(1);
        hand.positions(0, 0, &TRIANGLE);
    });
    let mut by_name = Shot::still().with(&["--scene", "left"]);
    by_name.instant.scene = Some(0);
    check("scene left", &rig, &by_name, |hand| hand.meshes(1));

    rig.set("scene", Value::Null);
    check("the first scene", &rig, &Shot::still(), |hand| hand.meshes(1));

    rig.set("scenes", Value::Null);
    check("no scenes", &rig, &Shot::still(), |hand| {
        hand.meshes(3);
        hand.positions(2, 0, &triangle_at(2.0, 0.0, 0.0));
    });
}

#[test]
fn joints_need_no_relation_to_mesh_node() {
    let mut rig = Rig::new();
    let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mesh = skinned(&mut rig, &positions, &[vec![(0, 1.0)], vec![(1, 1.0)], vec![(2, 1.0)]]);
    // Three joints in two branches below nodes that are no joints.
    let far = rig.node(json!({"translation": [0, 0, 3]}));
    let between = rig.node(json!({"children": [far], "rotation": QUARTER_ABOUT_Y}));
    let near = rig.node(json!({"children": [between], "translation": [1, 0, 0]}));
    let other = rig.node(json!({"translation": [0, -1, 0]}));
    rig.node(json!({"children": [near, other], "scale": [2, 2, 2]}));
    let skin = rig.add("skins", json!({"joints": [far, other, near]}));
    rig.node(json!({"mesh": mesh, "skin": skin}));
    check("scattered joints", &rig, &Shot::still(), |hand| {
        hand.positions(0, 0, &[[8.0, 0.0, 0.0], [2.0, -2.0, 0.0], [2.0, 2.0, 0.0]]);
    });
}

#[test]
fn random_rigs_match_reference() {
    for (label, rig) in rigs::all() {
        check_by_reference(label, &rig, &Shot::rest());
        for time in [0.0, 0.25, 0.5, 1.375, 2.0] {
            check_by_reference(label, &rig, &Shot::at(time));
        }
    }
    let mut still = rigs::mirrors();
    still.set("animations", Value::Null);
    check_by_reference("mirrors without a clip", &still, &Shot::still());
    assert_ne!(NO_TURN, QUARTER_ABOUT_Z);
}

#[test]
fn rounding_of_a_matrix_does_not_freeze_its_joint() {
    let folder = tempfile::TempDir::new().expect("a folder for temporary files");
    // A rotation about 1 2 3, with the digits of `printf %g`, and the same with shear.
    let digits: [f64; 16] = [
        0.781639, 0.550117, -0.293958, 0.0, -0.482929, 0.83203, 0.272956, 0.0, 0.39474, -0.0713925, 0.916015, 0.0, 0.0,
        0.0, 0.0, 1.0,
    ];
    let mut sheared = digits;
    sheared[4] += 0.3;
    let pose = |matrix: [f64; 16], options: &[&str]| {
        let rig = triangle_under(json!({"name": "arm", "matrix": matrix}));
        let file = rig.write_glb(folder.path(), "rig.glb");
        crate::support::bake::bake(&file, &options.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
    };
    assert!(pose(digits, &[]).is_ok());
    let corner = |options: &[&str]| {
        let document = pose(digits, options).expect("a posed model");
        let positions = &document.object("meshes", 0)["primitives"][0]["attributes"]["POSITION"];
        document.accessor(positions.as_u64().expect("an accessor") as usize).row(1).to_vec()
    };
    let (rest, turned) = (corner(&[]), corner(&["--pose", "arm=0,0,90"]));
    assert!((0..3).any(|axis| (rest[axis] - turned[axis]).abs() > 0.5), "{rest:?} {turned:?}");
    let refused = pose(sheared, &["--pose", "arm=0,0,90"]).expect_err("a joint with shear");
    assert!(refused.contains("joint `arm` has shear") && refused.contains("in Blender"), "{refused}");
}
