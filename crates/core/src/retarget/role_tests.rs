//! Roles of bodies in seeded hierarchies, under the names of many makers.

use super::joint_names::stated_side;
use super::role::Side;
use super::tests::{Bone, MAKERS, add_walk, humanoid, model, posed, quadruped, random, spelling};
use super::{BodyKind, RigMap, Role, retarget_clips};
use crate::math::Transform;
use crate::model::{Clip, Interpolation, JointIndex, KeyValues, Model, Skeleton, Timeline, Track};
use nalgebra::{UnitQuaternion, Vector3};

/// Arrangements of the joints around the hips.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pelvis {
    /// Legs and spine are children of the hips.
    Plain,
    /// Legs are children of a joint beside the spine; the joint above both is the hips by name.
    BesideSpine,
    /// The same, but the joint above the legs has the name of the hips, and the joint above both that of a root.
    NamedBesideSpine,
    /// A joint with the name of a hip is between the hips and each leg.
    HipJoints,
}

/// Bones with their names.
type Named = Vec<(Bone, String)>;

fn position_of(bones: &Named, role: &str) -> usize {
    bones.iter().position(|(bone, _)| bone.0 == role).unwrap()
}

/// Inserts a joint without a role between the joints of the roles and their parent.
fn insert_above(bones: &mut Named, roles: &[&str], name: &str) {
    let first = roles.iter().map(|role| position_of(bones, role)).min().unwrap();
    let parent = bones[first].0.1;
    let place = bones[parent.unwrap()].0.2;
    for (bone, _) in bones.iter_mut() {
        bone.1 = bone.1.map(|parent| parent + usize::from(parent >= first));
    }
    bones.insert(first, (("-", parent, [place[0], place[1] - 0.02, place[2]]), name.into()));
    for role in roles {
        let at = position_of(bones, role);
        bones[at].0.1 = Some(first);
    }
}

/// Adds a chain of joints below that of a role.
fn add_chain(bones: &mut Named, role: &str, name: &str, step: [f64; 3], count: usize) {
    let mut parent = position_of(bones, role);
    for i in 1..=count {
        let place = std::array::from_fn(|axis| bones[parent].0.2[axis] + step[axis]);
        bones.push((("-", Some(parent), place), name.replace('#', &i.to_string())));
        parent = bones.len() - 1;
    }
}

/// Puts the children of each joint in a random order, so that no role depends on the order of joints.
fn shuffled(bones: &Named, state: &mut u64) -> Named {
    let (mut order, mut open) = (Vec::new(), vec![0]);
    while let Some(joint) = open.pop() {
        order.push(joint);
        let mut children: Vec<usize> = (0..bones.len()).filter(|i| bones[*i].0.1 == Some(joint)).collect();
        for i in (1..children.len()).rev() {
            children.swap(i, ((random(state) + 1.0) / 2.0 * (i + 1) as f64) as usize % (i + 1));
        }
        open.extend(children);
    }
    let place = |old: usize| order.iter().position(|joint| *joint == old).unwrap();
    order
        .iter()
        .map(|old| ((bones[*old].0.0, bones[*old].0.1.map(place), bones[*old].0.2), bones[*old].1.clone()))
        .collect()
}

fn model_of(bones: &Named, turn: UnitQuaternion<f64>) -> Model {
    let only_bones: Vec<Bone> = bones.iter().map(|(bone, _)| *bone).collect();
    let mut model = model(&only_bones, |i, _| bones[i].1.clone());
    let mut joints = model.skeleton.joints().to_vec();
    let root = joints[0].rest;
    joints[0].rest = Transform { translation: turn * root.translation, rotation: turn * root.rotation, ..root };
    model.skeleton = Skeleton::new(joints, Vec::new());
    model
}

/// Asserts that no role with a side has a joint whose name states the other side.
fn assert_sides(model: &Model, map: &RigMap, label: &str) {
    for role in Role::all() {
        let (Some(side), Some(mapped)) = (role.side(), map.get(role)) else { continue };
        let name = model.skeleton.joint(mapped.joint).name.as_deref().unwrap_or_default();
        assert!(stated_side(name).is_none_or(|stated| stated == side), "{label}: {role} is {name}");
    }
}

#[test]
fn roles_of_makers_hold_in_all_hierarchies() {
    let mut state = 3;
    // Upright, lying on the back, along X, and turned about all axes.
    let turns = [Vector3::zeros(), Vector3::x() * -1.57, Vector3::z() * 1.57, Vector3::new(0.7, 2.0, -0.4)];
    for (row, (pelvis, turn)) in MAKERS.trim().lines().flat_map(|row| {
        let pelvises = [Pelvis::Plain, Pelvis::BesideSpine, Pelvis::NamedBesideSpine, Pelvis::HipJoints];
        pelvises.into_iter().flat_map(move |pelvis| turns.map(|turn| (row, (pelvis, turn))))
    }) {
        let [maker, left, right, format, words] = row.split('|').map(str::trim).collect::<Vec<_>>().try_into().unwrap();
        let words: [&str; 18] = words.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let name = |role: &str| match role {
            "-" => "other".to_owned(),
            role => spelling(role, words, left, right, format),
        };
        let mut bones: Named = humanoid().into_iter().map(|bone| (bone, name(bone.0))).collect();
        // Of other widths and lengths.
        let width = 1.0 + 0.3 * random(&mut state);
        bones.iter_mut().for_each(|(bone, _)| bone.2[0] *= width);
        let legs = ["leftUpperLeg", "rightUpperLeg"];
        match pelvis {
            Pelvis::Plain => {}
            Pelvis::BesideSpine => insert_above(&mut bones, &legs, "PelvisLower"),
            Pelvis::NamedBesideSpine => {
                let hips = position_of(&bones, "hips");
                let name = std::mem::replace(&mut bones[hips].1, "Base".into());
                insert_above(&mut bones, &legs, &name);
            }
            Pelvis::HipJoints => {
                for leg in legs {
                    insert_above(&mut bones, &[leg], if leg.starts_with('l') { "LHipJoint" } else { "RHipJoint" });
                }
            }
        }
        // Longer than arms.
        add_chain(&mut bones, "hips", "tail_#", [0.0, 0.05, -0.2], 8);
        for (side, x) in [("L", 1.0), ("R", -1.0)] {
            add_chain(&mut bones, "head", &format!("ear_#_{side}"), [0.1 * x, 0.3, 0.0], 4);
            add_chain(&mut bones, "head", &format!("hair_string_#_{side}"), [0.05 * x, -0.3, -0.1], 3);
            add_chain(&mut bones, "hips", &format!("skirt_mid_#_{side}"), [0.15 * x, -0.3, 0.0], 4);
        }
        let bones = shuffled(&bones, &mut state);
        let model = model_of(&bones, UnitQuaternion::new(turn));
        let map = RigMap::detect(&model);
        let label = format!("{maker}, {pelvis:?}, {turn:?}");
        assert_eq!(map.missing().map(|role| role.to_string()).collect::<Vec<_>>(), [""; 0], "{label}");
        for role in Role::all().filter(|role| !role.is_finger()) {
            let expected = bones.iter().position(|(bone, _)| bone.0 == role.to_string());
            let found = map.get(role).map(|mapped| mapped.joint.get());
            // Makers without a name for a joint between thigh and hips, and for roles of the spine, use structure.
            assert!(found.is_none() || found == expected, "{label}: {role} is {:?}", found.map(|i| &bones[i]));
        }
        assert_sides(&model, &map, &label);
    }
}

#[test]
fn sides_of_unknown_names_follow_their_letters() {
    let mut state = 5;
    for (body, is_quadruped) in [(humanoid(), false), (quadruped(), true)] {
        for (format, seed) in
            ["seg#_@", "@ Seg #", "bone.#.@", "@Part#"].into_iter().flat_map(|f| [(f, 0), (f, 1), (f, 2)])
        {
            let name = |(i, bone): (usize, &Bone)| match &bone.0[..1] {
                "l" => format.replace('#', &i.to_string()).replace('@', "L"),
                "r" => format.replace('#', &i.to_string()).replace('@', "R"),
                _ => format!("mid{i}"),
            };
            let mut bones: Named = body.iter().enumerate().map(|bone| (*bone.1, name(bone))).collect();
            // Feet point backward, and one pair of limbs is turned to the other side.
            for (bone, _) in bones.iter_mut() {
                if seed == 1 && (bone.0.ends_with("Toes") || bone.0.ends_with("Foot")) {
                    bone.2[2] -= 0.4;
                }
                if seed == 2 && bone.0.contains("Leg") {
                    bone.2[0] = -bone.2[0];
                }
            }
            let bones = shuffled(&bones, &mut state);
            let model = model_of(&bones, UnitQuaternion::identity());
            let map = RigMap::detect(&model);
            let label = format!("{format}, {seed}, quadruped: {is_quadruped}");
            assert_eq!(map.missing().count(), 0, "{label}");
            assert_sides(&model, &map, &label);
            for role in Role::all().filter(|role| role.side() == Some(Side::Left)) {
                let bone = map.get(role).map(|mapped| bones[mapped.joint.get()].0.0);
                assert!(bone.is_none_or(|bone| bone == "-" || bone.starts_with("left")), "{label}: {role} is {bone:?}");
            }
        }
    }
}

#[test]
fn thing_that_is_no_limb_has_no_role() {
    // A shark: a spine that ends in a tail, fins in pairs, and a head with a jaw.
    let mut bones: Named = vec![
        (("-", None, [0.0, 1.0, 0.0]), "root".into()),
        (("hips", Some(0), [0.0, 1.0, -0.2]), "body_1".into()),
        (("head", Some(1), [0.0, 1.0, 0.8]), "head".into()),
        (("jaw", Some(2), [0.0, 0.9, 0.9]), "jaw".into()),
    ];
    add_chain(&mut bones, "hips", "tail_#", [0.0, 0.0, -0.4], 6);
    for (side, x) in [("l", 1.0), ("r", -1.0)] {
        add_chain(&mut bones, "hips", &format!("back_fin_#_{side}"), [0.15 * x, -0.1, 0.0], 3);
        add_chain(&mut bones, "head", &format!("front_fin_#_{side}"), [0.2 * x, -0.1, 0.0], 3);
    }
    let model = model_of(&bones, UnitQuaternion::identity());
    let map = RigMap::detect(&model);
    let mapped: Vec<&str> =
        Role::all().filter_map(|role| map.get(role)).map(|mapped| &*bones[mapped.joint.get()].1).collect();
    assert_eq!(mapped, ["head", "jaw"]);
    // The same without names: its fins are too short for legs.
    for (_, name) in &mut bones {
        name.clear();
    }
    assert_eq!(RigMap::detect(&model_of(&bones, UnitQuaternion::identity())).missing().count(), 10);
    for (name, parent) in
        [("earring_L", "head"), ("hair_spring_l", "head"), ("Skirt_Middle_L", "hips"), ("legend_R", "hips")]
    {
        let mut bones: Named = humanoid().into_iter().map(|bone| (bone, bone.0.to_owned())).collect();
        let parent = position_of(&bones, parent);
        bones.push((("-", Some(parent), [0.1, 1.9, 0.0]), name.into()));
        let map = RigMap::detect(&model_of(&bones, UnitQuaternion::identity()));
        assert!(
            Role::all().all(|role| map.get(role).is_none_or(|mapped| mapped.joint.get() + 1 < bones.len())),
            "{name}"
        );
    }
}

#[test]
fn a_body_without_names_and_toes_faces_where_it_walks() {
    for (travel, yaw_degrees) in [(1.0, 0.0), (1.0, 180.0), (0.0, 180.0), (0.0, 90.0), (1.0, -90.0)] {
        // Without toes, hands and head are the ends of their bones.
        let bones: Vec<Bone> = humanoid();
        let mut model = model(&bones, |_, role| role.into());
        add_walk(&mut model, &bones);
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), f64::to_radians(yaw_degrees));
        for track in &mut model.clips[0].tracks {
            if let KeyValues::Translation(keys) = &mut track.keys {
                *keys = keys.iter().map(|key| Vector3::new(key.x, key.y, key.z * travel)).collect();
            }
        }
        let mut joints = model.skeleton.joints().to_vec();
        joints[0].rest.rotation = turn;
        for (joint, bone) in joints.iter_mut().zip(&bones) {
            joint.name = None;
            // Feet end at the ankles, and so do the toes.
            if bone.0.ends_with("Toes") {
                joint.rest.translation = Vector3::zeros();
            }
        }
        model.skeleton = Skeleton::new(joints, Vec::new());
        let map = RigMap::detect(&model);
        for role in ["leftUpperLeg", "leftLowerLeg", "rightUpperArm", "rightUpperLeg"] {
            let found = map.get(Role::from_name(role).unwrap()).map(|mapped| bones[mapped.joint.get()].0);
            assert_eq!(found, Some(role), "travel {travel}, turned by {yaw_degrees}");
        }
    }
}

/// A body that has neither two legs and two arms nor four legs, with and without names.
fn other_bodies() -> Vec<(&'static str, Named)> {
    let trunk = |names: &[&str]| -> Named {
        let bone = |(i, name): (usize, &&str)| (("-", i.checked_sub(1), [0.0, 0.5, 0.25 * i as f64]), name.to_string());
        let mut bones: Named = names.iter().enumerate().map(bone).collect();
        bones[0].0.0 = "hips";
        bones
    };
    let with_legs = |bones: &mut Named, parent: usize, names: &[&str], size: f64| {
        for (k, name) in names.iter().enumerate() {
            for (side, x) in [("L", 1.0), ("R", -1.0)] {
                let mut parent = parent;
                let z = bones[parent].0.2[2] + 0.1 * k as f64;
                for (i, [out, up]) in [[0.1, 0.5], [0.4, 0.8], [0.8, 0.3], [0.9, 0.0]].into_iter().enumerate() {
                    let name = name.replace('#', &(i + 1).to_string()).replace('@', side);
                    bones.push((("-", Some(parent), [x * size * out, up, z]), name));
                    parent = bones.len() - 1;
                }
            }
        }
    };
    let mut spider = trunk(&["root", "body", "head"]);
    with_legs(&mut spider, 1, &["leg1_@_#", "leg2_@_#", "leg3_@_#", "leg4_@_#"], 1.0);
    let mut unequal = trunk(&["root", "thorax", "thorax_2", "thorax_3", "head"]);
    for (segment, name) in ["leg_a_#_@", "leg_b_#_@", "leg_c_#_@"].into_iter().enumerate() {
        with_legs(&mut unequal, segment + 1, &[name], 1.0 - 0.1 * segment as f64);
    }
    let mut ant = trunk(&["root", "thorax", "thorax_2", "thorax_3", "head"]);
    for (segment, name) in ["hind_leg_#_@", "mid_leg_#_@", "front_leg_#_@"].into_iter().enumerate() {
        with_legs(&mut ant, segment + 1, &[name], 1.0);
    }
    let mut car = trunk(&["root", "chassis"]);
    for (axle, z) in [("front", 1.2), ("rear", -1.2)] {
        for (side, x) in [("L", 0.8), ("R", -0.8)] {
            let first = car.len();
            car.push((("-", Some(1), [x * 0.6, 0.4, z]), format!("upper_arm_{axle}_{side}")));
            car.push((("-", Some(first), [x, 0.3, z]), format!("wheel_{axle}_{side}")));
        }
    }
    let mut crane = trunk(&["base", "slew", "shoulder", "elbow", "wrist", "hand"]);
    with_legs(&mut crane, 5, &["finger_@_#"], 0.1);
    let snake = trunk(&["root", "spine_1", "spine_2", "spine_3", "spine_4", "spine_5", "neck", "head", "jaw"]);
    vec![("spider", spider), ("insect", unequal), ("ant", ant), ("car", car), ("crane", crane), ("snake", snake)]
}

#[test]
fn bodies_that_are_neither_bipeds_nor_quadrupeds_have_the_kind_other() {
    for (body, mut bones) in other_bodies() {
        for is_named in [true, false] {
            if !is_named {
                bones.iter_mut().for_each(|(_, name)| name.clear());
            }
            let map = RigMap::detect(&model_of(&bones, UnitQuaternion::identity()));
            assert_eq!(map.kind(), BodyKind::Other, "{body}, named: {is_named}: {map:?}");
            let is_limb = |role: &Role| role.side().is_some() && !role.is_finger() && map.get(*role).is_some();
            let limbs: Vec<String> = Role::all().filter(is_limb).map(|role| role.to_string()).collect();
            assert!(limbs.is_empty() || body == "car", "{body}, named: {is_named}: {limbs:?}");
        }
    }
    // Wings of a named body are no legs; a dog with wings has four.
    for (mut bones, kind) in [(humanoid(), BodyKind::Biped), (quadruped(), BodyKind::Quadruped)].map(|(bones, kind)| {
        let named: Named = bones.into_iter().map(|bone| (bone, bone.0.to_owned())).collect();
        (named, kind)
    }) {
        for (side, x) in [("L", 1.0), ("R", -1.0)] {
            add_chain(&mut bones, "spine", &format!("wing_#_{side}"), [0.3 * x, 0.1, 0.0], 4);
        }
        assert_eq!(RigMap::detect(&model_of(&bones, UnitQuaternion::identity())).kind(), kind);
    }
}

#[test]
fn clips_of_other_bodies_follow_names_relative_to_the_rest_poses() {
    for (body, bones) in other_bodies() {
        let mut source = model_of(&bones, UnitQuaternion::identity());
        let mut state = 9;
        let turns: Vec<_> =
            bones.iter().map(|_| UnitQuaternion::new(Vector3::from_fn(|_, _| random(&mut state)))).collect();
        let way = Vector3::new(0.3, -0.1, 0.7);
        let mut tracks = Vec::new();
        for (i, turn) in turns.iter().enumerate() {
            let joint = JointIndex(i as u32);
            let mut add =
                |keys| tracks.push(Track { joint, timeline: 0.into(), interpolation: Interpolation::Linear, keys });
            add(KeyValues::Rotation([turn.coords.cast()].into()));
            if i == 0 {
                add(KeyValues::Translation([(source.skeleton.joints()[0].rest.translation + way).cast()].into()));
            }
        }
        source.clips.push(Clip { timelines: vec![Timeline::new(vec![0.0])], tracks, ..Clip::default() });
        // Twice as large, with other axes of all joints, and of another length at the end.
        let mut target = model_of(&bones, UnitQuaternion::identity());
        let mut joints = target.skeleton.joints().to_vec();
        let axes: Vec<_> =
            joints.iter().map(|_| UnitQuaternion::new(Vector3::from_fn(|_, _| random(&mut state)))).collect();
        for joint in 0..joints.len() {
            let parent = joints[joint].parent.map_or_else(UnitQuaternion::identity, |parent| axes[parent.get()]);
            joints[joint].rest.translation = parent.inverse() * joints[joint].rest.translation * 2.0;
            joints[joint].rest.rotation = parent.inverse() * axes[joint];
        }
        target.skeleton = Skeleton::new(joints, Vec::new());
        let maps = [&source, &target].map(RigMap::detect);
        let found = retarget_clips(&mut target, &maps[1], &source, &maps[0]).expect(body);
        assert_eq!(found.references.expect(body).map(|reference| reference.kind), [BodyKind::Other; 2], "{body}");
        let (expected, actual) = (posed(&source, 0, 0.0), posed(&target, found.clips.start, 0.0));
        for i in 0..bones.len() {
            let place = (expected[i].translation * 2.0 - actual[i].translation).norm();
            assert!(place < 1e-5, "{body}, {}: {place}", bones[i].1);
        }
        // A humanoid has other names.
        let mut human = model(&humanoid(), |_, role| role.to_owned());
        let map = RigMap::detect(&human);
        let error = retarget_clips(&mut human, &map, &source, &maps[0]).expect_err(body).to_string();
        assert!(error.starts_with("the source is neither a biped nor a quadruped (it has no joints for "), "{error}");
    }
}
