//! Tests with a chain of joints and known changes.

use super::{DiffTarget, RigDiff};
use nalgebra::{UnitQuaternion, Vector3, Vector4};
use rigview_core::math::{Affine, Transform};
use rigview_core::model::{
    Clip, Influences, Interpolation, Joint, JointIndex, KeyValues, Mesh, MeshIndex, MeshNode, Model, Primitive, Scene,
    Skeleton, Skin, SkinIndex, SkinSlot, Timeline, Topology, Track, Vertices,
};

/// Returns a chain of `joints` (names and parents), 1 m apart. `second` has the weights of joint 2 on four vertices, the rest
/// is on joint 1. A clip rotates joint 1 by `turn` radians.
fn rig(joints: &[(&str, Option<u32>)], second: [f32; 4], turn: f64, edit: impl Fn(usize, &mut Transform)) -> Model {
    let made = joints.iter().enumerate().map(|(node, (name, parent))| {
        let mut rest = Transform { translation: Vector3::y(), ..Transform::identity() };
        edit(node, &mut rest);
        let (name, parent) = (Some((*name).to_owned()), parent.map(JointIndex));
        Joint { name, node, parent, rest, exact_rest_matrix: None, morph_weights: 0..0 }
    });
    let vertices = Vertices {
        positions: vec![[0.0; 3]; 4],
        influences: Some(Influences {
            per_vertex: 2,
            slots: [SkinSlot(0), SkinSlot(1)].repeat(4),
            weights: second.iter().flat_map(|w| [1.0 - w, *w]).collect(),
        }),
        ..Vertices::default()
    };
    let turned = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), turn);
    let key = |q: UnitQuaternion<f64>| -> Vector4<f32> { q.coords.cast() };
    Model {
        skeleton: Skeleton::new(made.collect(), Vec::new()),
        skins: vec![Skin {
            name: None,
            joints: vec![JointIndex(1), JointIndex(2)],
            joint_from_mesh: [Affine::IDENTITY; 2].into(),
        }],
        meshes: vec![Mesh {
            name: Some("Body".to_owned()),
            primitives: vec![Primitive {
                topology: Topology::Points,
                vertices: vertices.into(),
                ..Primitive::default()
            }],
            ..Mesh::default()
        }],
        clips: vec![Clip {
            name: Some("Bend".to_owned()),
            duration_secs: 2.0,
            first_key_secs: 0.0,
            timelines: vec![Timeline::new([0.0, 2.0])],
            tracks: vec![Track {
                joint: JointIndex(1),
                timeline: 0,
                interpolation: Interpolation::Linear,
                keys: KeyValues::Rotation([key(UnitQuaternion::identity()), key(turned)].into()),
            }],
            property_tracks: Vec::new(),
        }],
        scenes: vec![Scene {
            mesh_nodes: vec![MeshNode { joint: JointIndex(0), mesh: MeshIndex(0), skin: Some(SkinIndex(0)) }],
            ..Scene::default()
        }],
        ..Model::default()
    }
}

const CHAIN: [(&str, Option<u32>); 4] = [("Root", None), ("Hip", Some(0)), ("Knee", Some(1)), ("Foot", Some(2))];

fn chain() -> Model {
    rig(&CHAIN, [0.0, 0.5, 0.5, 1.0], 1.0, |_, _| {})
}

#[test]
fn equal_rigs_have_no_differences() {
    assert!(RigDiff::of(&chain(), &chain()).is_empty());
    assert_eq!(RigDiff::default().text(), "the rigs are the same\n");
}

#[test]
fn moved_joint_is_reported_in_units_and_degrees() {
    let other = rig(&CHAIN, [0.0, 0.5, 0.5, 1.0], 1.0, |node, rest| {
        if node == 2 {
            rest.translation += Vector3::new(0.3, 0.0, 0.4);
            rest.rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 30.0_f64.to_radians());
        }
        if node == 3 {
            rest.scale *= 2.0;
        }
    });
    let diff = RigDiff::of(&chain(), &other);
    let [knee, foot] = &diff.joints.moved[..] else { panic!("{diff:?}") };
    assert_eq!(knee.joint, "Root/Hip/Knee");
    assert!((knee.distance - 0.5).abs() < 1e-12 && (knee.degrees - 30.0).abs() < 1e-9, "{knee:?}");
    assert_eq!((foot.distance, foot.scale), (0.0, [2.0; 3]));
    assert_eq!(
        diff.text(),
        "joints\n  ~ Root/Hip/Knee: moved by 0.5 (0.3, 0, 0.4), rotated by 30°\n  ~ Root/Hip/Knee/Foot: scaled by 2, 2, 2\n"
    );
}

#[test]
fn added_removed_and_reparented_joints_are_reported() {
    let joints = [("Root", None), ("Hip", Some(0)), ("Knee", Some(1)), ("Foot", Some(1)), ("Toe", Some(3))];
    let diff = RigDiff::of(&chain(), &rig(&joints, [0.0, 0.5, 0.5, 1.0], 1.0, |_, _| {}));
    assert_eq!(diff.joints.added, ["Root/Hip/Foot/Toe"]);
    assert_eq!((diff.joints.removed.len(), diff.joints.moved.len()), (0, 0));
    let [foot] = &diff.joints.reparented[..] else { panic!("{diff:?}") };
    assert_eq!((foot.before.as_str(), foot.after.as_str()), ("Root/Hip/Knee/Foot", "Root/Hip/Foot"));
    let back = RigDiff::of(&rig(&joints, [0.0, 0.5, 0.5, 1.0], 1.0, |_, _| {}), &chain());
    assert_eq!(back.joints.removed, ["Root/Hip/Foot/Toe"]);
}

#[test]
fn joint_of_another_name_in_the_same_place_is_renamed() {
    let weights = [0.0, 0.5, 0.5, 1.0];
    let joints = [("Root", None), ("Hip", Some(0)), ("Knee_L", Some(1)), ("Foot_L", Some(2))];
    let diff = RigDiff::of(&chain(), &rig(&joints, weights, 1.0, |_, _| {}));
    let found: Vec<_> = diff.joints.renamed.iter().map(|joint| (joint.before.as_str(), joint.after.as_str())).collect();
    assert_eq!(found, [("Root/Hip/Knee", "Root/Hip/Knee_L"), ("Root/Hip/Knee/Foot", "Root/Hip/Knee_L/Foot_L")]);
    assert_eq!(
        diff.text(),
        "joints\n  ~ Root/Hip/Knee renamed to Knee_L\n  ~ Root/Hip/Knee/Foot renamed to Foot_L\n",
        "weights and clips are equal"
    );
    // Two in one place, or another rest transform: no match.
    let twins = [("Root", None), ("Hip", Some(0)), ("A", Some(1)), ("B", Some(1))];
    let diff = RigDiff::of(&chain(), &rig(&twins, weights, 1.0, |_, _| {}));
    assert_eq!((diff.joints.renamed.len(), diff.joints.added.len()), (0, 2));
    let moved = rig(&joints, weights, 1.0, |node, rest| rest.translation.x += if node == 2 { 0.1 } else { 0.0 });
    assert!(RigDiff::of(&chain(), &moved).joints.renamed.is_empty());
}

#[test]
fn weights_are_compared_per_vertex() {
    let diff = RigDiff::of(&chain(), &rig(&CHAIN, [0.0, 0.75, 0.501, 1.0], 1.0, |_, _| {}));
    let found: Vec<_> = diff.weights.iter().map(|w| (w.joint.as_str(), w.vertices, w.changed, w.largest)).collect();
    // A vertex with weight 1 on the knee has weight 0 on the hip.
    assert_eq!(found, [("Root/Hip", [3, 3], Some(1), 0.25), ("Root/Hip/Knee", [3, 3], Some(1), 0.25)]);
    let lines: Vec<_> = diff.lines().into_iter().map(|line| (line.text, line.target)).collect();
    let target = |path: &str| Some(DiffTarget::Weights(path.to_owned()));
    let text = "  ~ Body: weights of 2 joints differ, most Root/Hip (1 vertex, up to 0.25)";
    assert_eq!(lines[0], ("weights".to_owned(), None));
    assert_eq!(lines[1], (text.to_owned(), target("Root/Hip")));
    let text = "      Root/Hip/Knee: 1 vertex, up to 0.25 (moves 3 -> 3)";
    assert_eq!(lines[3], (text.to_owned(), target("Root/Hip/Knee")));
}

#[test]
fn clips_are_compared_by_duration_and_curves() {
    let mut other = rig(&CHAIN, [0.0, 0.5, 0.5, 1.0], 1.5, |_, _| {});
    let diff = RigDiff::of(&chain(), &other);
    let [bend] = &diff.clips.changed[..] else { panic!("{diff:?}") };
    let [hip] = &bend.joints[..] else { panic!("{bend:?}") };
    assert!((hip.degrees - 0.5_f64.to_degrees()).abs() < 1e-4 && hip.at_secs == 2.0, "{hip:?}");
    assert_eq!((bend.duration_secs, bend.channels, bend.keys), ([2.0, 2.0], [1, 1], [2, 2]));
    other.clips[0].name = Some("Bow".to_owned());
    let diff = RigDiff::of(&chain(), &other);
    assert_eq!((diff.clips.added, diff.clips.removed), (vec!["Bow".to_owned()], vec!["Bend".to_owned()]));
    let mut longer = chain();
    longer.clips[0].timelines[0] = Timeline::new([0.0, 2.5]);
    longer.clips[0].duration_secs = 2.5;
    let diff = RigDiff::of(&chain(), &longer);
    assert_eq!(diff.clips.changed[0].duration_secs, [2.0, 2.5]);
    assert!(diff.text().contains("~ Bend: 2 -> 2.5 s, 1 joint moves differently"), "{}", diff.text());
}

#[test]
fn meshes_and_materials_are_compared_by_name() {
    let mut other = chain();
    let vertices = other.meshes[0].primitives[0].vertices_mut();
    vertices.positions.push([0.0; 3]);
    vertices.influences = None;
    other.materials.push(rigview_core::model::Material { name: Some("Fur".to_owned()), ..Default::default() });
    let mut third = other.clone();
    third.materials[0].roughness = 0.25;
    let diff = RigDiff::of(&chain(), &other);
    let [change] = &diff.meshes.changed[..] else { panic!("{diff:?}") };
    assert_eq!((change.what, change.before.as_str(), change.after.as_str()), ("vertices", "4", "5"));
    assert_eq!(diff.materials.added, ["Fur"]);
    let diff = RigDiff::of(&other, &third);
    assert!(diff.text().contains("~ Fur: roughness: 1.0000 -> 0.2500"), "{}", diff.text());
}

#[test]
fn paths_of_a_deep_chain_are_cut() {
    let chain = |count: u32| -> Vec<(&str, Option<u32>)> { (0..count).map(|i| ("bone", i.checked_sub(1))).collect() };
    let still = |_: usize, _: &mut Transform| {};
    let (short, long) = (rig(&chain(5000), [0.5; 4], 1.0, still), rig(&chain(5001), [0.5; 4], 1.0, still));
    assert!(RigDiff::of(&short, &short).is_empty());
    let diff = RigDiff::of(&short, &long);
    let path = &diff.joints.added[0];
    assert!(diff.joints.added.len() == 1 && path.starts_with("…/bone/bone") && path.len() < 600, "{path}");
}

#[test]
fn targets_of_lines_are_found_in_the_model_that_has_them() {
    let chain = [("Root", None), ("Hip", Some(0)), ("Knee", Some(1))];
    let before = rig(&chain, [0.5; 4], 0.5, |_, _| {});
    let after = rig(&[chain[0], chain[1], ("Knee", Some(0)), ("Toe", Some(2))], [0.5; 4], 1.0, |_, _| {});
    let lines = RigDiff::of(&before, &after).lines();
    let target = |text: &str| lines.iter().find(|line| line.text.contains(text)).unwrap().target.clone().unwrap();
    let joint = |text: &str, model| target(text).find(model).and_then(|item| item.joint).map(|joint| joint.0);
    assert_eq!((joint("+ Root/Knee/Toe", &after), joint("+ Root/Knee/Toe", &before)), (Some(3), None));
    // A reparented joint has another path in the second model.
    assert_eq!((joint("reparented", &before), joint("reparented", &after)), (Some(2), Some(2)));
    let curve = target("apart, at 2 s").find(&before).unwrap();
    assert_eq!((curve.clip.unwrap().0, curve.joint.unwrap().0, curve.time_secs), (0, 1, Some(2.0)));
    assert_eq!(curve.mesh, None);
    assert!(lines.iter().filter(|line| !line.text.starts_with(' ')).all(|line| line.target.is_none()), "{lines:?}");
}
