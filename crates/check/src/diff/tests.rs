//! Tests with a chain of joints and known changes.

use super::{DiffTarget, RigDiff, Tolerances};
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
                timeline: 0.into(),
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

/// Compares with the default tolerances, and without the list of what is not compared.
fn diff_of(before: &Model, after: &Model) -> RigDiff {
    RigDiff { not_compared: Vec::new(), ..RigDiff::of(before, after, &Tolerances::default()) }
}

const CHAIN: [(&str, Option<u32>); 4] = [("Root", None), ("Hip", Some(0)), ("Knee", Some(1)), ("Foot", Some(2))];

fn chain() -> Model {
    rig(&CHAIN, [0.0, 0.5, 0.5, 1.0], 1.0, |_, _| {})
}

#[test]
fn models_without_a_common_joint_are_said_to_be_unrelated() {
    let summary = |a: &Model, b: &Model| RigDiff::of(a, b, &Tolerances::default()).summary();
    // Roots in one place, so that none counts as renamed.
    let of_names = |names: [&str; 3]| rig(&names.map(|name| (name, None)), [0.0; 4], 0.0, |_, _| {});
    let (first, second) = (of_names(["a", "b", "c"]), of_names(["d", "e", "f"]));
    let sentence = "no joint of one is in the other, by path, name or place; ";
    assert!(summary(&first, &second).starts_with(sentence), "{}", summary(&first, &second));
    for related in [&first, &of_names(["d", "e", "c"]), &Model::default()] {
        assert!(!summary(&first, related).contains("no joint of one"), "{}", summary(&first, related));
    }
}

#[test]
fn equal_rigs_have_no_differences() {
    assert!(diff_of(&chain(), &chain()).is_empty());
    assert_eq!(RigDiff::default().text(), "no differences\n");
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
    let diff = diff_of(&chain(), &other);
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
    let diff = diff_of(&chain(), &rig(&joints, [0.0, 0.5, 0.5, 1.0], 1.0, |_, _| {}));
    assert_eq!(diff.joints.added, ["Root/Hip/Foot/Toe"]);
    assert_eq!((diff.joints.removed.len(), diff.joints.moved.len()), (0, 0));
    let [foot] = &diff.joints.reparented[..] else { panic!("{diff:?}") };
    assert_eq!((foot.before.as_str(), foot.after.as_str()), ("Root/Hip/Knee/Foot", "Root/Hip/Foot"));
    let back = diff_of(&rig(&joints, [0.0, 0.5, 0.5, 1.0], 1.0, |_, _| {}), &chain());
    assert_eq!(back.joints.removed, ["Root/Hip/Foot/Toe"]);
}

#[test]
fn joint_of_another_name_in_the_same_place_is_renamed() {
    let weights = [0.0, 0.5, 0.5, 1.0];
    let joints = [("Root", None), ("Hip", Some(0)), ("Knee_L", Some(1)), ("Foot_L", Some(2))];
    let diff = diff_of(&chain(), &rig(&joints, weights, 1.0, |_, _| {}));
    let found: Vec<_> = diff.joints.renamed.iter().map(|joint| (joint.before.as_str(), joint.after.as_str())).collect();
    assert_eq!(found, [("Root/Hip/Knee", "Root/Hip/Knee_L"), ("Root/Hip/Knee/Foot", "Root/Hip/Knee_L/Foot_L")]);
    assert_eq!(
        diff.text(),
        "joints\n  ~ Root/Hip/Knee renamed to Knee_L\n  ~ Root/Hip/Knee/Foot renamed to Foot_L\n",
        "weights and clips are equal"
    );
    // Two in one place, or another rest transform: no match.
    let twins = [("Root", None), ("Hip", Some(0)), ("A", Some(1)), ("B", Some(1))];
    let diff = diff_of(&chain(), &rig(&twins, weights, 1.0, |_, _| {}));
    assert_eq!((diff.joints.renamed.len(), diff.joints.added.len()), (0, 2));
    let moved = rig(&joints, weights, 1.0, |node, rest| rest.translation.x += if node == 2 { 0.1 } else { 0.0 });
    assert!(diff_of(&chain(), &moved).joints.renamed.is_empty());
}

#[test]
fn weights_are_compared_per_vertex() {
    let diff = diff_of(&chain(), &rig(&CHAIN, [0.0, 0.75, 0.501, 1.0], 1.0, |_, _| {}));
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
    let diff = diff_of(&chain(), &other);
    let [bend] = &diff.clips.changed[..] else { panic!("{diff:?}") };
    let [hip] = &bend.joints[..] else { panic!("{bend:?}") };
    assert!((hip.degrees - 0.5_f64.to_degrees()).abs() < 1e-4 && hip.at_secs == 2.0, "{hip:?}");
    assert_eq!((bend.duration_secs, bend.channels, bend.keys), ([2.0, 2.0], [1, 1], [2, 2]));
    other.clips[0].name = Some("Bow".to_owned());
    let diff = diff_of(&chain(), &other);
    assert_eq!((diff.clips.added, diff.clips.removed), (vec!["Bow".to_owned()], vec!["Bend".to_owned()]));
    let mut longer = chain();
    longer.clips[0].timelines[0] = Timeline::new([0.0, 2.5]);
    longer.clips[0].duration_secs = 2.5;
    let diff = diff_of(&chain(), &longer);
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
    let diff = diff_of(&chain(), &other);
    let [change, ..] = &diff.meshes.changed[..] else { panic!("{diff:?}") };
    assert_eq!((change.what.as_str(), change.before.as_str(), change.after.as_str()), ("vertices", "4", "5"));
    assert_eq!(diff.materials.added, ["Fur"]);
    let diff = diff_of(&other, &third);
    assert!(diff.text().contains("~ Fur: roughness: 1 -> 0.25"), "{}", diff.text());
}

#[test]
fn paths_of_a_deep_chain_are_cut() {
    let chain = |count: u32| -> Vec<(&str, Option<u32>)> { (0..count).map(|i| ("bone", i.checked_sub(1))).collect() };
    let still = |_: usize, _: &mut Transform| {};
    let (short, long) = (rig(&chain(5000), [0.5; 4], 1.0, still), rig(&chain(5001), [0.5; 4], 1.0, still));
    assert!(diff_of(&short, &short).is_empty());
    let diff = diff_of(&short, &long);
    let path = &diff.joints.added[0];
    assert!(diff.joints.added.len() == 1 && path.starts_with("…/bone/bone") && path.len() < 600, "{path}");
}

#[test]
fn targets_of_lines_are_found_in_the_model_that_has_them() {
    let chain = [("Root", None), ("Hip", Some(0)), ("Knee", Some(1))];
    let before = rig(&chain, [0.5; 4], 0.5, |_, _| {});
    let after = rig(&[chain[0], chain[1], ("Knee", Some(0)), ("Toe", Some(2))], [0.5; 4], 1.0, |_, _| {});
    let lines = diff_of(&before, &after).lines();
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

/// A generator of numbers below `max` (xorshift).
fn random(state: &mut u64, max: usize) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state % max as u64) as usize
}

/// Returns a rig whose joints, meshes, materials, clips and other items repeat a few names.
fn random_rig(state: &mut u64) -> Model {
    let count = 3 + random(state, 12);
    let names = ["a", "a", "a#2", "b", "joint 1", "clip 0", "mesh 1", "a/b", ""];
    let mut model = rig(&CHAIN, [0.0, 0.5, 0.5, 1.0], 1.0, |_, _| {});
    let name = |state: &mut u64| Some(names[random(state, names.len())].to_owned()).filter(|name| !name.is_empty());
    let mut joints = Vec::new();
    for node in 0..count {
        let parent = (node > 0 && random(state, 5) > 0).then(|| JointIndex(random(state, node) as u32));
        let rest = Transform { translation: Vector3::x() * random(state, 3) as f64, ..Transform::identity() };
        joints.push(Joint { name: name(state), node, parent, rest, exact_rest_matrix: None, morph_weights: 0..0 });
    }
    model.skeleton = Skeleton::new(joints, Vec::new());
    for _ in 0..random(state, 4) {
        model.clips.push(Clip { name: name(state), ..model.clips[0].clone() });
        model.meshes.push(Mesh { name: name(state), ..model.meshes[0].clone() });
        model.materials.push(rigview_core::model::Material { name: name(state), ..Default::default() });
        model.skins.push(Skin { name: name(state), ..model.skins[0].clone() });
        model.scenes.push(Scene { name: name(state), ..model.scenes[0].clone() });
        model.variants.push(name(state));
    }
    model
}

#[test]
fn random_rigs_with_repeated_names_do_not_differ_from_themselves() {
    let mut state = 0x9E37_79B9_7F4A_7C15;
    for _ in 0..500 {
        let model = random_rig(&mut state);
        let diff = RigDiff::of(&model, &model.clone(), &Tolerances::EXACT);
        assert!(diff.is_empty(), "{}\n{:?}", diff.text(), model.skeleton);
        // A removed or added item of a repeated name is found.
        let mut fewer = model.clone();
        fewer.clips.pop();
        fewer.materials.pop();
        fewer.meshes.pop();
        fewer.scenes.iter_mut().for_each(|scene| scene.mesh_nodes.clear());
        let diff = diff_of(&model, &fewer);
        assert_eq!((diff.clips.removed.len(), diff.meshes.removed.len()), (1, 1), "{}", diff.text());
        assert_eq!(diff.materials.removed.len(), model.materials.len().min(1), "{}", diff.text());
    }
}

#[test]
fn second_of_two_equal_names_is_compared() {
    let mut before = chain();
    before.clips.push(before.clips[0].clone());
    before.meshes.push(before.meshes[0].clone());
    let mut after = before.clone();
    let KeyValues::Rotation(keys) = &after.clips[1].tracks[0].keys else { panic!() };
    after.clips[1].tracks[0].keys = KeyValues::Rotation([keys[0], keys[0]].into());
    after.meshes[1].primitives[0].vertices_mut().positions[2] = [0.0, 3.0, 4.0];
    let diff = diff_of(&before, &after);
    assert_eq!((diff.clips.changed.len(), diff.clips.changed[0].clip.as_str()), (1, "Bend#2"));
    let text = "  ~ Body#2: positions: 1 of 4 differ, up to 5 at index 2: (0, 0, 0) -> (0, 3, 4)\n";
    assert!(diff.text().contains(text), "{}", diff.text());
}

#[test]
fn tracks_are_compared_by_key() {
    let interpolated = |interpolation, last: f32| {
        let mut model = chain();
        let still: Vector4<f32> = Vector4::w();
        let clip = &mut model.clips[0];
        clip.timelines = vec![Timeline::new([0.0, 1.0, last])];
        clip.tracks[0].interpolation = interpolation;
        clip.tracks[0].keys = KeyValues::Rotation([still; 3].into());
        clip.duration_secs = 2.0;
        model
    };
    let linear = interpolated(Interpolation::Linear, 2.0);
    let text = diff_of(&linear, &interpolated(Interpolation::Step, 2.0)).text();
    assert!(text.contains("rotation of Root/Hip, interpolation: Linear -> Step"), "{text}");
    let text = diff_of(&linear, &interpolated(Interpolation::Linear, 1.5)).text();
    assert!(
        text.contains("rotation of Root/Hip, key times: 1 of 3 differ, up to 0.5 at index 2: (2) -> (1.5)"),
        "{text}"
    );
}

#[test]
fn tolerances_are_set_by_name() {
    let turned = rig(&CHAIN, [0.0, 0.5, 0.5, 1.0], 1.0, |node, rest| {
        rest.rotation = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), (node as f64 * 0.005).to_radians());
    });
    let mut tolerances = Tolerances::default();
    assert_eq!(diff_of(&chain(), &turned).joints.moved.len(), 1, "0.005, 0.01 and 0.015 degrees");
    assert!(tolerances.set("degrees", 0.1) && !tolerances.set("angle", 1.0));
    assert!(RigDiff::of(&chain(), &turned, &tolerances).is_empty());
    assert_eq!(RigDiff::of(&chain(), &turned, &Tolerances::EXACT).joints.moved.len(), 3);
}
