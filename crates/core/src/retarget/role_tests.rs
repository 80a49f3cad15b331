//! Roles of bodies in seeded hierarchies, under the names of many makers.

use super::joint_names::stated_side;
use super::role::Side;
use super::tests::{Bone, MAKERS, humanoid, model, quadruped, random, spelling};
use super::{RigMap, Role};
use crate::math::Transform;
use crate::model::{Model, Skeleton};
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
