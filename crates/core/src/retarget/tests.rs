//! Tests with bodies built in code.

use super::{RetargetError, RigMap, Role, RoleSource, retarget_clips};
use crate::ik::Limb;
use crate::math::{Affine, Transform};
use crate::model::{
    Clip, HumanBoneJoint, Interpolation, Joint, JointIndex, KeyValues, Model, Skeleton, Skin, Timeline, Track,
};
use crate::pose::{Cursor, ModelPose, Pose, sample};
use nalgebra::{UnitQuaternion, Vector3};

/// A joint of a body: name, parent, position in model space.
pub(super) type Bone = (&'static str, Option<usize>, [f64; 3]);

/// The name of the other side.
fn mirrored(name: &'static str) -> &'static str {
    name.replace("left", "right").leak()
}

/// A humanoid in T pose that faces +Z, in meters. Names are roles of VRM, or `-` for a joint without a role.
pub(super) fn humanoid() -> Vec<Bone> {
    let mut bones: Vec<Bone> = vec![
        ("-", None, [0.0, 0.0, 0.0]),
        ("hips", Some(0), [0.0, 1.0, 0.0]),
        ("spine", Some(1), [0.0, 1.1, -0.01]),
        ("chest", Some(2), [0.0, 1.25, -0.02]),
        ("upperChest", Some(3), [0.0, 1.4, -0.02]),
        ("neck", Some(4), [0.0, 1.55, 0.0]),
        ("head", Some(5), [0.0, 1.65, 0.01]),
        ("-", Some(6), [0.0, 1.85, 0.01]),
    ];
    let left = [
        ["leftShoulder", "leftUpperArm", "leftLowerArm", "leftHand"],
        ["leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes"],
        ["leftThumbMetacarpal", "leftThumbProximal", "leftThumbDistal", "-"],
        ["leftIndexProximal", "leftIndexIntermediate", "leftIndexDistal", "-"],
        ["leftLittleProximal", "leftLittleIntermediate", "leftLittleDistal", "-"],
    ];
    for (x, names) in [(1.0, left), (-1.0, left.map(|names| names.map(mirrored)))] {
        let limbs = [
            [[0.05, 1.5, 0.0], [0.18, 1.5, -0.01], [0.46, 1.5, -0.02], [0.71, 1.5, 0.0]],
            [[0.1, 0.95, 0.0], [0.1, 0.52, 0.01], [0.1, 0.09, 0.0], [0.1, 0.02, 0.14]],
            [[0.73, 1.49, 0.03], [0.76, 1.48, 0.06], [0.79, 1.48, 0.07], [0.81, 1.48, 0.08]],
            [[0.8, 1.5, 0.03], [0.84, 1.5, 0.03], [0.87, 1.5, 0.03], [0.89, 1.5, 0.03]],
            [[0.79, 1.5, -0.04], [0.82, 1.5, -0.045], [0.84, 1.5, -0.05], [0.86, 1.5, -0.05]],
        ];
        let hand = bones.len() + 3;
        for (limb, (names, positions)) in names.into_iter().zip(limbs).enumerate() {
            for (i, (name, position)) in names.into_iter().zip(positions).enumerate() {
                let root = [4, 1, hand, hand, hand][limb];
                let parent = if i == 0 { root } else { bones.len() - 1 };
                bones.push((name, Some(parent), [x * position[0], position[1], position[2]]));
            }
        }
    }
    bones
}

/// A dog that faces +Z.
pub(super) fn quadruped() -> Vec<Bone> {
    let mut bones: Vec<Bone> = vec![
        ("hips", None, [0.0, 0.6, -0.4]),
        ("spine", Some(0), [0.0, 0.62, -0.2]),
        ("chest", Some(1), [0.0, 0.62, 0.05]),
        ("neck", Some(2), [0.0, 0.7, 0.3]),
        ("head", Some(3), [0.0, 0.8, 0.45]),
        ("-", Some(4), [0.0, 0.78, 0.6]),
        ("-", Some(0), [0.0, 0.65, -0.5]),
        ("-", Some(6), [0.0, 0.7, -0.8]),
    ];
    let left =
        [["leftUpperArm", "leftLowerArm", "leftHand", "-"], ["leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes"]];
    for (x, names) in [(1.0, left), (-1.0, left.map(|names| names.map(mirrored)))] {
        let limbs = [
            [[0.1, 0.5, 0.25], [0.1, 0.3, 0.2], [0.1, 0.08, 0.22], [0.1, 0.0, 0.28]],
            [[0.1, 0.55, -0.4], [0.1, 0.33, -0.3], [0.1, 0.13, -0.45], [0.1, 0.02, -0.4]],
        ];
        for (limb, (names, positions)) in names.into_iter().zip(limbs).enumerate() {
            for (i, (name, position)) in names.into_iter().zip(positions).enumerate() {
                let parent = if i == 0 { [2, 0][limb] } else { bones.len() - 1 };
                bones.push((name, Some(parent), [x * position[0], position[1], position[2]]));
            }
        }
    }
    bones
}

/// A model of bones without rotations at rest.
pub(super) fn model(bones: &[Bone], name: impl Fn(usize, &str) -> String) -> Model {
    let joint = |(i, (role, parent, position)): (usize, &Bone)| {
        let origin = parent.map_or(Vector3::zeros(), |parent| Vector3::from(bones[parent].2));
        Joint {
            name: Some(name(i, role)).filter(|name| !name.is_empty()),
            node: i,
            parent: parent.map(|parent| JointIndex(parent as u32)),
            rest: Transform { translation: Vector3::from(*position) - origin, ..Transform::identity() },
            exact_rest_matrix: None,
            morph_weights: 0..0,
        }
    };
    Model { skeleton: Skeleton::new(bones.iter().enumerate().map(joint).collect(), Vec::new()), ..Model::default() }
}

/// The joints of a map as indices.
fn joints_of(map: &RigMap) -> Vec<Option<usize>> {
    Role::all().map(|role| map.get(role).map(|mapped| mapped.joint.get())).collect()
}

/// The joints that the bones name.
fn expected(bones: &[Bone]) -> Vec<Option<usize>> {
    Role::all().map(|role| bones.iter().position(|bone| bone.0 == role.to_string())).collect()
}

/// Asserts that the map has the roles for which `is_expected` returns `true`, and no wrong ones.
fn assert_maps(bones: &[Bone], map: &RigMap, label: &str, is_expected: impl Fn(&str) -> bool) {
    for (role, (found, expected)) in Role::all().zip(joints_of(map).into_iter().zip(expected(bones))) {
        if is_expected(&role.to_string()) {
            assert_eq!(found, expected, "{label}: {role}");
        }
    }
}

/// The name of a role in the spelling of a maker; roles without an entry have none.
pub(super) fn spelling(role: &str, words: [&str; 18], left: &str, right: &str, format: &str) -> String {
    let (side, part) = match (role.strip_prefix("left"), role.strip_prefix("right")) {
        (Some(part), _) => (left, part),
        (_, Some(part)) => (right, part),
        _ => ("", role),
    };
    const PARTS: &str = "hips spine chest upperChest neck head Shoulder UpperArm LowerArm Hand UpperLeg LowerLeg Foot Toes \
        IndexProximal IndexIntermediate IndexDistal ThumbMetacarpal";
    let Some(index) = PARTS.split(' ').position(|name| name == part) else { return "extra".into() };
    match side {
        "" => format.replace("{side}", "").replace("{part}", words[index]).replace("__", "_"),
        side => format.replace("{side}", side).replace("{part}", words[index]),
    }
}

/// Maker, left, right, format of names with a side, and the words of the parts in the order of [`spelling`].
pub(super) const MAKERS: &str = "
Mixamo | Left | Right | mixamorig:{side}{part} | Hips Spine Spine1 Spine2 Neck Head Shoulder Arm ForeArm Hand UpLeg Leg Foot ToeBase HandIndex1 HandIndex2 HandIndex3 HandThumb1
Mixamo with another prefix | Left | Right | walker_7:{side}{part} | Hips Spine Spine1 Spine2 Neck Head Shoulder Arm ForeArm Hand UpLeg Leg Foot ToeBase HandIndex1 HandIndex2 HandIndex3 HandThumb1
Unreal | l | r | {part}_{side} | pelvis spine_01 spine_02 spine_03 neck_01 head clavicle upperarm lowerarm hand thigh calf foot ball index_01 index_02 index_03 thumb_01
Unity | Left | Right | {side}{part} | Hips Spine Chest UpperChest Neck Head Shoulder UpperArm LowerArm Hand UpperLeg LowerLeg Foot Toes IndexProximal IndexIntermediate IndexDistal ThumbProximal
Rigify | L | R | DEF-{part}.{side} | hips spine.001 spine.002 spine.003 neck head shoulder upper_arm forearm hand thigh shin foot toe f_index.01 f_index.02 f_index.03 thumb.01
VRoid | _L_ | _R_ | J_Bip{side}{part} | _C_Hips _C_Spine _C_Chest _C_UpperChest _C_Neck _C_Head Shoulder UpperArm LowerArm Hand UpperLeg LowerLeg Foot ToeBase Index1 Index2 Index3 Thumb1
SMPL | L | R | {side}_{part} | Pelvis Spine1 Spine2 Spine3 Neck Head Collar Shoulder Elbow Wrist Hip Knee Ankle Foot Index1 Index2 Index3 Thumb1
SMPL-X | left | right | {side}_{part} | pelvis spine1 spine2 spine3 neck head collar shoulder elbow wrist hip knee ankle foot index1 index2 index3 thumb1
Biped | L | R | Bip001 {side} {part} | Pelvis Spine Spine1 Spine2 Neck Head Clavicle UpperArm Forearm Hand Thigh Calf Foot Toe0 Finger1 Finger11 Finger12 Finger0
Character Creator | L | R | CC_Base_{side}_{part} | Hip Waist Spine01 Spine02 NeckTwist01 Head Clavicle Upperarm Forearm Hand Thigh Calf Foot ToeBase Index1 Index2 Index3 Thumb1
Daz | l | r | {side}{part} | pelvis abdomen chestLower chestUpper neckLower head Collar ShldrBend ForearmBend Hand ThighBend Shin Foot Toe Index1 Index2 Index3 Thumb1
Maya | L | R | {part}_{side} | Root Spine1 Chest Chest2 Neck Head Scapula Shoulder Elbow Wrist Hip Knee Ankle Toes IndexFinger1 IndexFinger2 IndexFinger3 ThumbFinger1
MakeHuman | _L | _R | {part}{side} | Hips Spine1 Spine2 Spine3 Neck Head Clavicle UpArm LoArm Hand UpLeg LoLeg Foot Toe Index_1 Index_2 Index_3 Thumb_1
MMD | 左 | 右 | {side}{part} | 腰 上半身 上半身2 上半身3 首 頭 肩 腕 ひじ 手首 足 ひざ 足首 つま先 人指１ 人指２ 人指３ 親指０
Names of clinical joints | Left | Right | {side}{part} | Hips Chest Chest2 Chest3 Neck Head Collar Shoulder Elbow Wrist Hip Knee Ankle Toe Index1 Index2 Index3 Thumb1
lower case | left | right | {side}{part} | hips spine chest upperchest neck head shoulder upperarm lowerarm hand upperleg lowerleg foot toes index1 index2 index3 thumb1
";

#[test]
fn names_of_makers_are_known() {
    for row in MAKERS.trim().lines() {
        let [maker, left, right, format, words] = row.split('|').map(str::trim).collect::<Vec<_>>().try_into().unwrap();
        let bones = humanoid();
        let words: [&str; 18] = words.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let model =
            model(
                &bones,
                |_, role| if role == "-" { "other".into() } else { spelling(role, words, left, right, format) },
            );
        let map = RigMap::detect(&model);
        assert_maps(&bones, &map, maker, |role| {
            !role.contains("Little") && !role.contains("Thumb") || role.ends_with("Metacarpal")
        });
        let by_name = Role::all().filter_map(|role| map.get(role)).filter(|mapped| mapped.source == RoleSource::Name);
        let confidences: Vec<f32> = by_name.map(|mapped| mapped.confidence).collect();
        assert!(
            confidences.len() >= 24 && confidences.iter().all(|confidence| *confidence >= 0.9),
            "{maker}: {confidences:?}"
        );
        assert_eq!((map.missing().count(), map.is_quadruped()), (0, false), "{maker}");
    }
}

/// Roles that the structure alone gives.
fn is_of_body(role: &str) -> bool {
    !["Thumb", "Index", "Middle", "Ring", "Little"].iter().any(|finger| role.contains(finger))
}

#[test]
fn structure_finds_the_roles_without_names_and_with_permuted_names() {
    for (bones, label) in [(humanoid(), "humanoid"), (quadruped(), "quadruped")] {
        let nameless = model(&bones, |_, _| String::new());
        let map = RigMap::detect(&nameless);
        assert_maps(&bones, &map, label, is_of_body);
        assert_eq!((map.missing().count(), map.is_quadruped()), (0, label == "quadruped"), "{label}");
        for step in [3, 5, 7, 11, 13] {
            let permuted = model(&bones, |i, _| bones[(i * step + 2) % bones.len()].0.to_owned());
            let map = RigMap::detect(&permuted);
            assert_maps(&bones, &map, &format!("{label}, permuted by {step}"), is_of_body);
        }
    }
}

#[test]
fn structure_does_not_depend_on_scale_pose_and_twin_sides() {
    let bones = humanoid();
    for scale in [0.01, 1.0, 100.0] {
        let mut model = model(&bones, |_, _| String::new());
        let mut joints = model.skeleton.joints().to_vec();
        for (i, joint) in joints.iter_mut().enumerate() {
            joint.rest.translation *= scale;
            // An A pose with bent knees, and no symmetry.
            if ["leftUpperArm", "leftLowerLeg", "rightUpperLeg"].contains(&bones[i].0) {
                joint.rest.rotation = UnitQuaternion::from_euler_angles(0.4, 0.1, -0.3);
            }
        }
        model.skeleton = Skeleton::new(joints, Vec::new());
        assert_maps(&bones, &RigMap::detect(&model), &scale.to_string(), is_of_body);
    }
}

#[test]
fn human_bones_of_vrm_are_read() {
    let bones = humanoid();
    let mut model = model(&bones, |_, _| "same".into());
    let old =
        |name: &str| name.replace("ThumbProximal", "ThumbIntermediate").replace("ThumbMetacarpal", "ThumbProximal");
    for rename in [|name: &str| name.to_owned(), old] {
        let bone = |(i, bone): (usize, &Bone)| HumanBoneJoint { joint: JointIndex(i as u32), bone: rename(bone.0) };
        model.human_bones = bones.iter().enumerate().map(bone).collect();
        assert_maps(&bones, &RigMap::detect(&model), "VRM", |_| true);
    }
}

#[test]
fn joint_of_a_role_is_set_and_removed() {
    let bones = humanoid();
    let model = model(&bones, |_, role| role.into());
    let mut map = RigMap::detect(&model);
    let [toes, hand] = ["leftToes", "leftHand"].map(|name| Role::from_name(name).unwrap());
    map.set(&model.skeleton, [(hand, None)]);
    assert!(map.get(hand).is_none() && map.is_cleared(hand) && !map.is_cleared(toes));
    // A joint moves from one role to another.
    map.set(&model.skeleton, [(toes, Some(JointIndex(6)))]);
    let found = map.get(toes).unwrap();
    assert_eq!((found.joint, found.source, map.get(Role::HEAD)), (JointIndex(6), RoleSource::User, None));
    assert!(map.is_cleared(Role::HEAD));
}

#[test]
fn joints_in_the_same_place_are_no_pair_of_limbs() {
    let bones = [("root", None, [0.0; 3]), ("a", Some(0), [0.0, 1.0, 0.0]), ("b", Some(0), [0.0, 1.0, 0.0])];
    let map = RigMap::detect(&model(&bones, |_, role| role.into()));
    assert_eq!(Role::all().find(|role| map.get(*role).is_some()), None);
}

#[test]
fn deep_and_wide_skeletons_map_in_linear_time() {
    let chain: Vec<Bone> = (0..100_000).map(|i: usize| ("leftFoot", i.checked_sub(1), [0.0, i as f64, 0.0])).collect();
    RigMap::detect(&model(&chain, |_, role| role.into()));
    let star: Vec<Bone> = (0..100_000)
        .map(|i: usize| ("hand.l", (i > 0).then_some(i % 2).filter(|p| *p < i), [i as f64, 1.0, 0.0]))
        .collect();
    RigMap::detect(&model(&star, |_, role| role.into()));
}

/// A random number from -1 to 1.
pub(super) fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn random_rotation(state: &mut u64, max_angle: f64) -> UnitQuaternion<f64> {
    let axis = Vector3::from_fn(|_, _| random(state));
    UnitQuaternion::new(axis * (max_angle / 3.0_f64.sqrt()))
}

/// Adds a clip that rotates every joint with a role and moves the hips, with four keys.
fn add_dance(model: &mut Model, bones: &[Bone], hip_motion: f64) {
    let mut state = 7;
    let mut tracks = Vec::new();
    for (i, bone) in bones.iter().enumerate().filter(|(_, bone)| bone.0 != "-") {
        let rest = model.skeleton.joints()[i].rest;
        let rotation = |state: &mut u64| (rest.rotation * random_rotation(state, 0.8)).coords.cast();
        let keys = KeyValues::Rotation((0..4).map(|_| rotation(&mut state)).collect());
        let track = |keys| Track {
            joint: JointIndex(i as u32),
            timeline: 0.into(),
            interpolation: Interpolation::Linear,
            keys,
        };
        tracks.push(track(keys));
        if bone.0 == "hips" {
            let step = |_| (rest.translation + Vector3::from_fn(|_, _| random(&mut state)) * hip_motion).cast();
            tracks.push(track(KeyValues::Translation((0..4).map(step).collect())));
        }
    }
    let timelines = vec![Timeline::new(vec![0.0, 1.0 / 30.0, 2.0 / 30.0, 0.1])];
    model.clips.push(Clip { name: Some("dance".into()), duration_secs: 0.1, timelines, tracks, ..Clip::default() });
}

/// Returns `model_from_joint` of all joints.
pub(super) fn posed(model: &Model, clip: usize, time_secs: f64) -> Vec<Affine> {
    let (mut pose, mut model_pose) = (Pose::default(), ModelPose::default());
    sample(&model.skeleton, &model.clips[clip], time_secs, &mut Cursor::default(), &mut pose);
    model_pose.update(&model.skeleton, &pose);
    (0..model.skeleton.len()).map(|i| *model_pose.model_from_joint(JointIndex(i as u32))).collect()
}

/// Changes the rest pose, the axes of the bones, and the scale. Positions of joints at rest are those of the posed skeleton.
fn other_rig(bones: &[Bone], pose: impl Fn(&str) -> UnitQuaternion<f64>, seed: Option<u64>, scale: f64) -> Model {
    let mut model = model(bones, |i, _| format!("b{i}"));
    let mut joints = model.skeleton.joints().to_vec();
    let mut state = seed.unwrap_or_default();
    let axes: Vec<UnitQuaternion<f64>> = joints
        .iter()
        .map(|_| if seed.is_some() { random_rotation(&mut state, 3.0) } else { UnitQuaternion::identity() })
        .collect();
    for (i, joint) in joints.iter_mut().enumerate() {
        let parent = joint.parent.map_or(UnitQuaternion::identity(), |parent| axes[parent.get()]);
        joint.rest.rotation = parent.inverse() * pose(bones[i].0) * axes[i];
        joint.rest.translation = parent.inverse() * joint.rest.translation * scale;
    }
    model.skeleton = Skeleton::new(joints, Vec::new());
    model
}

/// A map by the roles in the bones.
pub(super) fn map_of(model: &Model, bones: &[Bone]) -> RigMap {
    let mut map = RigMap::detect(model);
    let named = bones.iter().enumerate().filter(|(_, bone)| bone.0 != "-");
    map.set(&model.skeleton, named.map(|(i, bone)| (Role::from_name(bone.0).unwrap(), Some(JointIndex(i as u32)))));
    map
}

/// Arms that hang down by 45 degrees, and legs apart.
fn a_pose(role: &str) -> UnitQuaternion<f64> {
    let about_z = |degrees: f64| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), f64::to_radians(degrees));
    match role {
        "leftUpperArm" => about_z(-45.0),
        "rightUpperArm" => about_z(45.0),
        "leftUpperLeg" => about_z(10.0),
        "rightUpperLeg" => about_z(-10.0),
        "leftLowerArm" => UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -0.3),
        _ => UnitQuaternion::identity(),
    }
}

/// Retargets all clips of `source` to `target`, and returns the largest distance of a joint with a role from where it is in the source.
fn position_error(source: &Model, target: &mut Model, bones: &[Bone], scale: f64) -> f64 {
    let (source_map, target_map) = (map_of(source, bones), map_of(target, bones));
    let found = retarget_clips(target, &target_map, source, &source_map).unwrap();
    let mut error: f64 = 0.0;
    for time in [0.0, 1.0 / 30.0, 2.0 / 30.0, 0.1] {
        let (expected, actual) = (posed(source, 0, time), posed(target, found.clips.start, time));
        for (i, _) in bones.iter().enumerate().filter(|(_, bone)| bone.0 != "-") {
            error = error.max((expected[i].translation - actual[i].translation / scale).norm());
        }
    }
    error
}

#[test]
fn same_skeleton_with_other_rest_axes_scale_and_names_has_the_same_pose() {
    let bones = humanoid();
    let mut source = model(&bones, |_, role| role.into());
    // High above the ground, so that no foot stands.
    add_dance(&mut source, &bones, 20.0);
    let straight = |_: &str| UnitQuaternion::identity();
    for (label, mut target, scale) in [
        ("rest pose", other_rig(&bones, a_pose, None, 1.0), 1.0),
        ("axes", other_rig(&bones, straight, Some(3), 1.0), 1.0),
        ("scale", other_rig(&bones, straight, None, 0.01), 0.01),
        ("all", other_rig(&bones, a_pose, Some(4), 0.01), 0.01),
    ] {
        let error = position_error(&source, &mut target, &bones, scale);
        assert!(error < 1e-5, "{label}: {error}");
    }
}

#[test]
fn rotations_of_the_same_skeleton_are_those_of_the_source() {
    let bones = humanoid();
    let mut source = model(&bones, |_, role| role.into());
    add_dance(&mut source, &bones, 20.0);
    let mut target = other_rig(&bones, |_| UnitQuaternion::identity(), Some(5), 1.0);
    let rest: Vec<Affine> = target.skeleton.rest_model_pose();
    assert!(position_error(&source, &mut target, &bones, 1.0) < 1e-5);
    for time in [0.0, 0.1] {
        let (expected, actual) = (posed(&source, 0, time), posed(&target, 0, time));
        for (i, bone) in bones.iter().enumerate().filter(|(_, bone)| bone.0 != "-") {
            // Both rotate by the same from their rest poses.
            let rotation = actual[i].linear * rest[i].linear.transpose();
            assert!((rotation - expected[i].linear).amax() < 1e-5, "{}", bone.0);
        }
    }
}

#[test]
fn there_and_back_is_the_source() {
    let bones = humanoid();
    let mut source = model(&bones, |_, role| role.into());
    add_dance(&mut source, &bones, 20.0);
    let mut there = other_rig(&bones, a_pose, Some(6), 0.01);
    assert!(position_error(&source, &mut there, &bones, 0.01) < 1e-5);
    let mut back = model(&bones, |_, role| role.into());
    assert!(position_error(&there, &mut back, &bones, 100.0) < 1e-4 * 0.01);
    let (expected, actual) = (posed(&source, 0, 0.05), posed(&back, 0, 0.05));
    let error = expected.iter().zip(&actual).map(|(a, b)| (a.translation - b.translation).norm()).fold(0.0, f64::max);
    assert!(error < 1e-4, "{error}");
}

#[test]
fn limbs_of_other_proportions_have_the_directions_of_the_source() {
    let bones = humanoid();
    let mut source = model(&bones, |_, role| role.into());
    add_dance(&mut source, &bones, 20.0);
    let mut target = other_rig(&bones, a_pose, Some(8), 1.0);
    let mut joints = target.skeleton.joints().to_vec();
    for (i, joint) in joints.iter_mut().enumerate() {
        joint.rest.translation *= 0.7 + 0.1 * (i % 5) as f64;
    }
    target.skeleton = Skeleton::new(joints, Vec::new());
    position_error(&source, &mut target, &bones, 1.0);
    let at = |name: &str| bones.iter().position(|bone| bone.0 == name).unwrap();
    let (expected, actual) = (posed(&source, 0, 0.05), posed(&target, 0, 0.05));
    for (from, to) in [
        ("leftUpperArm", "leftLowerArm"),
        ("rightLowerArm", "rightHand"),
        ("leftUpperLeg", "leftLowerLeg"),
        ("rightLowerLeg", "rightFoot"),
        ("leftIndexProximal", "leftIndexIntermediate"),
    ] {
        let direction = |pose: &[Affine]| (pose[at(to)].translation - pose[at(from)].translation).normalize();
        let angle = direction(&expected).angle(&direction(&actual)).to_degrees();
        assert!(angle < 0.01, "{from}: {angle}");
    }
}

#[test]
fn standing_legs_keep_the_bend_of_the_source_if_those_of_the_target_are_bent_at_rest() {
    let bones = humanoid();
    let mut source = model(&bones, |_, role| role.into());
    let keys = KeyValues::Rotation([UnitQuaternion::<f64>::identity().coords.cast(); 2].into());
    let tracks = vec![Track { joint: JointIndex(1), timeline: 0.into(), interpolation: Interpolation::Linear, keys }];
    let timelines = vec![Timeline::new(vec![0.0, 0.5])];
    source.clips.push(Clip { duration_secs: 0.5, timelines, tracks, ..Clip::default() });
    let bent = |role: &str| {
        let part = ["UpperLeg", "LowerLeg", "Foot"].iter().position(|part| role.ends_with(part));
        UnitQuaternion::new(Vector3::x() * part.map_or(0.0, |part| [-0.5, 1.0, -0.5][part]))
    };
    let mut target = other_rig(&bones, bent, Some(3), 1.0);
    let mut joints = target.skeleton.joints().to_vec();
    joints[2].rest.translation *= 0.7;
    target.skeleton = Skeleton::new(joints, Vec::new());
    let maps = (map_of(&source, &bones), map_of(&target, &bones));
    let found = retarget_clips(&mut target, &maps.1, &source, &maps.0).unwrap();
    assert_eq!(found.contacts[0].count, 2);
    let at = |name: &str| bones.iter().position(|bone| bone.0 == name).unwrap();
    let (expected, actual) = (posed(&source, 0, 0.25), posed(&target, 0, 0.25));
    for (from, to) in [("leftUpperLeg", "leftLowerLeg"), ("rightLowerLeg", "rightFoot")] {
        let direction = |pose: &[Affine]| pose[at(to)].translation - pose[at(from)].translation;
        let angle = direction(&expected).angle(&direction(&actual)).to_degrees();
        assert!(angle < 1.0, "{from}: {angle}");
    }
}

#[test]
fn rotation_of_a_spine_is_distributed() {
    let bones = humanoid();
    let mut short = bones.clone();
    // Hips, spine and chest become the parents of what is above them.
    for bone in &mut short {
        if bone.1 == Some(4) {
            bone.1 = Some(3);
        }
    }
    short[4] = ("-", Some(0), [0.0, 0.0, 0.0]);
    let mut source = model(&bones, |_, role| role.into());
    add_dance(&mut source, &bones, 20.0);
    let mut target = model(&short, |_, role| role.into());
    let maps = (map_of(&source, &bones), map_of(&target, &short));
    retarget_clips(&mut target, &maps.1, &source, &maps.0).unwrap();
    let (expected, actual) = (posed(&source, 0, 0.1), posed(&target, 0, 0.1));
    // Hips, the end of the spine, and the head.
    for (from, to) in [(1, 1), (4, 3), (6, 6)] {
        assert!((expected[from].linear - actual[to].linear).amax() < 1e-5, "{from}");
    }
}

#[test]
fn twist_joints_take_the_part_of_the_roll_at_their_place() {
    let bones = humanoid();
    let at = |bones: &[Bone], name: &str| bones.iter().position(|bone| bone.0 == name).unwrap();
    // Joints beside the left arm, and between the joints of the right one.
    let mut rig = bones.clone();
    for (name, end) in [("leftUpperArm", "leftLowerArm"), ("leftLowerArm", "leftHand")] {
        let (start, [a, b]) = (at(&rig, name), [name, end].map(|name| Vector3::from(rig[at(&rig, name)].2)));
        for place in [0.25, 0.75] {
            rig.push(("-", Some(start), (a + (b - a) * place).into()));
        }
    }
    for (name, end) in [("rightLowerArm", "rightHand"), ("rightUpperArm", "rightLowerArm")] {
        let (start, middle) = (at(&rig, name), at(&rig, end));
        let place = (Vector3::from(rig[start].2) + Vector3::from(rig[middle].2)) * 0.5;
        rig.insert(middle, ("-", Some(start), place.into()));
        for bone in &mut rig {
            bone.1 = bone.1.map(|parent| parent + usize::from(parent >= middle));
        }
        rig[middle].1 = Some(start);
        rig[middle + 1].1 = Some(middle);
    }
    let mut source = model(&bones, |_, role| role.into());
    let rolls = [("leftUpperArm", 60.0), ("leftHand", -80.0), ("rightUpperArm", -50.0), ("rightHand", 70.0)];
    let about = |from: &str, to: &str, degrees: f64| {
        let axis = Vector3::from(bones[at(&bones, to)].2) - Vector3::from(bones[at(&bones, from)].2);
        UnitQuaternion::new(axis.normalize() * f64::to_radians(degrees))
    };
    let axes = [
        ("leftUpperArm", "leftLowerArm"),
        ("leftLowerArm", "leftHand"),
        ("rightUpperArm", "rightLowerArm"),
        ("rightLowerArm", "rightHand"),
    ];
    let track = |i: usize| Track {
        joint: JointIndex(at(&bones, rolls[i].0) as u32),
        timeline: 0.into(),
        interpolation: Interpolation::Linear,
        keys: KeyValues::Rotation([about(axes[i].0, axes[i].1, rolls[i].1).coords.cast()].into()),
    };
    let timelines = vec![Timeline::new(vec![0.0])];
    source.clips.push(Clip { timelines, tracks: (0..4).map(track).collect(), ..Clip::default() });
    for seed in [None, Some(5)] {
        let mut target = other_rig(&rig, |_| UnitQuaternion::identity(), seed, 1.0);
        let maps = (map_of(&source, &bones), map_of(&target, &rig));
        let rest = posed(
            &{
                let mut target = target.clone();
                target.clips.push(Clip::default());
                target
            },
            0,
            0.0,
        );
        retarget_clips(&mut target, &maps.1, &source, &maps.0).unwrap();
        let pose = posed(&target, 0, 0.0);
        let change = |joint: usize| pose[joint].linear * rest[joint].linear.try_inverse().unwrap();
        let extra = bones.len() + 2;
        let [upper, lower] = [["leftUpperArm", "leftLowerArm"], ["leftLowerArm", "leftHand"]]
            .map(|[from, to]| move |degrees: f64| about(from, to, degrees).to_rotation_matrix().into_inner());
        let whole = upper(60.0);
        for (joint, expected) in [
            // The upper arm itself has the whole roll; at the shoulder, nothing rolls.
            (at(&rig, "leftUpperArm"), whole),
            (extra, upper(15.0)),
            (extra + 1, upper(45.0)),
            (extra + 2, whole * lower(-20.0)),
            (extra + 3, whole * lower(-60.0)),
            (at(&rig, "leftHand"), whole * lower(-80.0)),
        ] {
            assert!((change(joint) - expected).amax() < 1e-5, "{joint}: {}", change(joint));
        }
        let [upper, lower] = [["rightUpperArm", "rightLowerArm"], ["rightLowerArm", "rightHand"]]
            .map(|[from, to]| move |degrees: f64| about(from, to, degrees).to_rotation_matrix().into_inner());
        for (joint, expected) in [
            (at(&rig, "rightUpperArm"), upper(0.0)),
            (at(&rig, "rightUpperArm") + 1, upper(-25.0)),
            (at(&rig, "rightLowerArm"), upper(-50.0)),
            (at(&rig, "rightLowerArm") + 1, upper(-50.0) * lower(35.0)),
            (at(&rig, "rightHand"), upper(-50.0) * lower(70.0)),
        ] {
            assert!((change(joint) - expected).amax() < 1e-5, "{joint}: {}", change(joint));
        }
    }
}

#[test]
fn detached_feet_follow_their_legs() {
    let bones = humanoid();
    // The foot is a child of the root, before the leg that it follows.
    let foot = bones.iter().position(|bone| bone.0 == "leftFoot").unwrap();
    let place = |i: usize| if i == foot { 1 } else { i + usize::from(i > 0 && i < foot) };
    let mut detached = bones.clone();
    for (i, bone) in bones.iter().enumerate() {
        detached[place(i)] = (bone.0, bone.1.map(place).map(|parent| if i == foot { 0 } else { parent }), bone.2);
    }
    let mut source = model(&bones, |_, role| role.into());
    add_dance(&mut source, &bones, 20.0);
    let mut target = model(&detached, |_, role| role.into());
    let maps = (map_of(&source, &bones), map_of(&target, &detached));
    retarget_clips(&mut target, &maps.1, &source, &maps.0).unwrap();
    let (expected, actual) = (posed(&source, 0, 0.1), posed(&target, 0, 0.1));
    for (i, bone) in bones.iter().enumerate().filter(|(_, bone)| bone.0 != "-") {
        let error = (expected[i].translation - actual[place(i)].translation).norm();
        assert!(error < 1e-5, "{}: {error}", bone.0);
    }
}

#[test]
fn skinned_feet_apart_from_their_legs_are_found_by_name() {
    let bones = humanoid();
    let mut detached = bones.clone();
    for bone in detached.iter_mut().filter(|bone| bone.0.ends_with("Foot")) {
        bone.1 = Some(0);
    }
    let mut target = model(&detached, |_, role| role.into());
    let joints: Vec<JointIndex> = (0..bones.len() as u32).map(JointIndex).collect();
    target.skins.push(Skin { joints, ..Skin::default() });
    assert_maps(&bones, &RigMap::detect(&target), "feet", |_| true);
}

#[test]
fn other_joints_follow_by_name() {
    let bones = humanoid();
    let mut source = model(&bones, |i, role| if role == "-" { format!("extra {i}") } else { role.into() });
    add_dance(&mut source, &bones, 20.0);
    let tail = bones.len() - 1;
    let keys = KeyValues::Rotation([UnitQuaternion::from_euler_angles(1.0, 0.0, 0.0).coords.cast(); 4].into());
    for joint in [7, tail] {
        let joint = JointIndex(joint as u32);
        let track = Track { joint, timeline: 0.into(), interpolation: Interpolation::Step, keys: keys.clone() };
        source.clips[0].tracks.push(track);
    }
    let mut target = model(&bones, |i, role| if i == 7 { "extra 7".into() } else { role.into() });
    let maps = (map_of(&source, &bones), map_of(&target, &bones));
    let found = retarget_clips(&mut target, &maps.1, &source, &maps.0).unwrap();
    let track = target.clips[0].tracks.iter().find(|track| track.joint == JointIndex(7)).unwrap();
    assert!(matches!(&track.keys, KeyValues::Rotation(found) if found.len() == 4));
    assert_eq!(found.unmatched.joints, [format!("extra {tail}")]);
}

/// Joints with tracks, each with its number of rotation tracks.
fn rotation_tracks(model: &Model) -> std::collections::BTreeMap<JointIndex, usize> {
    let mut counts = std::collections::BTreeMap::new();
    for track in &model.clips[0].tracks {
        if matches!(track.keys, KeyValues::Rotation(_)) {
            *counts.entry(track.joint).or_insert(0) += 1;
        }
    }
    counts
}

#[test]
fn joints_of_one_name_follow_their_own_or_are_reported() {
    let mut bones = humanoid();
    let first = bones.len();
    bones.extend([("-", Some(1), [0.0, 1.0, -0.1]), ("-", Some(1), [0.0, 1.1, -0.1])]);
    let named = |root: &'static str| {
        model(&bones, |i, role| match i {
            0 => root.into(),
            i if i >= first => "tail".into(),
            _ => role.into(),
        })
    };
    let mut source = named("root");
    add_dance(&mut source, &bones, 1.0);
    let keys = KeyValues::Rotation([UnitQuaternion::from_euler_angles(1.0, 0.0, 0.0).coords.cast(); 4].into());
    for joint in [first, first + 1] {
        let joint = JointIndex(joint as u32);
        let track = Track { joint, timeline: 0.into(), interpolation: Interpolation::Linear, keys: keys.clone() };
        source.clips[0].tracks.push(track);
    }
    for (root, is_matched) in [("root", true), ("armature", false)] {
        let mut target = named(root);
        let maps = (map_of(&source, &bones), map_of(&target, &bones));
        let found = retarget_clips(&mut target, &maps.1, &source, &maps.0).unwrap();
        let tracks = rotation_tracks(&target);
        assert!(tracks.values().all(|count| *count == 1), "{tracks:?}");
        let tails = [first, first + 1].map(|joint| tracks.contains_key(&JointIndex(joint as u32)));
        assert_eq!((tails, found.unmatched.joints.is_empty()), ([is_matched; 2], is_matched), "{root}");
    }
}

#[test]
fn keys_beyond_single_precision_are_an_error_of_the_source() {
    let bones = humanoid();
    let mut source = model(&bones, |_, role| role.into());
    add_dance(&mut source, &bones, 1.0);
    for track in &mut source.clips[0].tracks {
        if let KeyValues::Translation(keys) = &mut track.keys {
            *keys = keys.iter().map(|_| Vector3::repeat(1e38)).collect();
        }
    }
    let mut target = other_rig(&bones, |_| UnitQuaternion::identity(), None, 1e6);
    let maps = (map_of(&source, &bones), map_of(&target, &bones));
    let error = retarget_clips(&mut target, &maps.1, &source, &maps.0).unwrap_err();
    assert!(error == RetargetError::NotFinite { clip: "dance".into() } && error.is_of_source(), "{error}");
    assert!(target.clips.is_empty());
    let chain = model(&[("a", None, [0.0; 3])], |_, name| name.into());
    let error = retarget_clips(&mut target, &maps.1, &chain, &RigMap::detect(&chain)).unwrap_err();
    assert!(error.is_of_source() && error.to_string().starts_with("the source is neither a biped nor a "), "{error}");
}

#[test]
fn maps_without_limbs_and_of_other_bodies_are_refused() {
    let (human, dog) = (humanoid(), quadruped());
    let mut source = model(&human, |_, role| role.into());
    add_dance(&mut source, &human, 1.0);
    let mut target = model(&dog, |_, role| role.into());
    let maps = (map_of(&source, &human), map_of(&target, &dog));
    assert_eq!(retarget_clips(&mut target, &maps.1, &source, &maps.0).unwrap_err(), RetargetError::OtherBody);
    let mut chain = model(&[("a", None, [0.0; 3]), ("b", Some(0), [0.0, 1.0, 0.0])], |_, name| name.into());
    let map = RigMap::detect(&chain);
    let error = retarget_clips(&mut chain, &map, &source, &maps.0).unwrap_err().to_string();
    let expected = "the target is neither a biped nor a quadruped (it has no joints for hips, head, leftUpperArm";
    assert!(error.starts_with(expected) && error.contains("), and 0 of ") && !error.contains('\n'), "{error}");
}

/// A walk: each foot stands for half of the time while the hips move on.
pub(super) fn add_walk(model: &mut Model, bones: &[Bone]) {
    let joint = |name: &str| JointIndex(bones.iter().position(|bone| bone.0 == name).unwrap() as u32);
    let count = 121;
    let times_secs: Vec<f32> = (0..count).map(|i| i as f32 / 60.0).collect();
    let (thigh, shin) = (0.43, 0.43);
    let mut tracks = Vec::new();
    let mut add =
        |joint, keys| tracks.push(Track { joint, timeline: 0.into(), interpolation: Interpolation::Linear, keys });
    let hips = |time: f64| Vector3::new(0.0, 0.96, time);
    add(joint("hips"), KeyValues::Translation(times_secs.iter().map(|time| hips(f64::from(*time)).cast()).collect()));
    for (side, phase) in [("left", 0.0), ("right", 0.5)] {
        let mut keys = [Vec::new(), Vec::new(), Vec::new()];
        for time in &times_secs {
            let time = f64::from(*time);
            // A step takes a second.
            let step = (time + phase).floor();
            let part = time + phase - step;
            let swing = (2.0 * part - 1.0).max(0.0);
            let foot_z = step - phase + 0.25 + swing;
            let height = 0.09 + 0.1 * (swing * std::f64::consts::PI).sin();
            let way = Vector3::new(0.0, height - (0.96 - 0.05), foot_z - time);
            let distance = way.norm().min(0.999 * (thigh + shin));
            let bend = ((thigh * thigh + distance * distance - shin * shin) / (2.0 * thigh * distance)).acos();
            let angle = way.z.atan2(-way.y);
            let about_x = |angle: f64| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), angle);
            keys[0].push(about_x(-angle - bend).coords.cast());
            keys[1].push(about_x(2.0 * bend).coords.cast());
            keys[2].push(about_x(angle - bend).coords.cast());
        }
        for (part, keys) in ["UpperLeg", "LowerLeg", "Foot"].into_iter().zip(keys) {
            add(joint(&format!("{side}{part}")), KeyValues::Rotation(keys.into()));
        }
    }
    let duration_secs = times_secs[count - 1];
    model.clips.push(Clip { duration_secs, timelines: vec![Timeline::new(times_secs)], tracks, ..Clip::default() });
}

#[test]
fn standing_feet_do_not_slide_in_other_proportions() {
    let bones = humanoid();
    let mut source = model(&bones, |_, role| role.into());
    add_walk(&mut source, &bones);
    for (label, thigh, shin, hips) in [
        ("same", 1.0, 1.0, 1.0),
        ("long thighs", 1.3, 0.8, 1.0),
        ("short shins", 1.0, 0.7, 1.0),
        ("wide", 0.9, 1.2, 1.6),
    ] {
        let mut target = model(&bones, |_, role| role.into());
        let mut joints = target.skeleton.joints().to_vec();
        for (joint, bone) in joints.iter_mut().zip(&bones) {
            match &bone.0[bone.0.len().saturating_sub(8)..] {
                "LowerLeg" => joint.rest.translation *= thigh,
                "UpperLeg" => joint.rest.translation.x *= hips,
                _ if bone.0.ends_with("Foot") => joint.rest.translation *= shin,
                "hips" => joint.rest.translation.y += 0.43 * (thigh - 1.0) + 0.43 * (shin - 1.0),
                _ => {}
            }
        }
        target.skeleton = Skeleton::new(joints, Vec::new());
        let maps = (map_of(&source, &bones), map_of(&target, &bones));
        let found = retarget_clips(&mut target, &maps.1, &source, &maps.0).unwrap();
        let report = found.contacts[0];
        assert!(report.count >= 4 && report.max_slide < 0.02, "{label}: {report:?}");
        // Nothing pops: joints move at most a little farther than in the source from one frame to the next.
        let speed = |model: &Model, clip: usize| {
            let poses: Vec<_> = (0..=120).map(|frame| posed(model, clip, f64::from(frame) / 60.0)).collect();
            let step = |pair: &[Vec<Affine>]| {
                let steps = pair[0].iter().zip(&pair[1]).map(|(a, b)| (a.translation - b.translation).norm());
                steps.fold(0.0, f64::max)
            };
            poses.windows(2).map(step).fold(0.0, f64::max)
        };
        let (expected, actual) = (speed(&source, 0), speed(&target, 0));
        assert!(actual < 2.0 * expected, "{label}: {actual} against {expected}");
    }
}

#[test]
fn hands_keep_their_place_while_the_shoulder_moves() {
    let bones = humanoid();
    let mut source = model(&bones, |_, role| role.into());
    let map = map_of(&source, &bones);
    let joint = |name: &str| JointIndex(bones.iter().position(|bone| bone.0 == name).unwrap() as u32);
    let (hips, hand) = (joint("hips"), joint("leftHand"));
    let arm = Limb { body: None, ..map.limb(&source.skeleton, hand).unwrap() };
    // A squat with the left hand on a table, and one without a table.
    let times_secs: Vec<f32> = (0..=120).map(|i| i as f32 / 60.0).collect();
    for is_held in [true, false] {
        let mut pose = Pose::rest(&source.skeleton);
        let (mut translations, mut rotations) = (Vec::new(), [Vec::new(), Vec::new()]);
        for time in &times_secs {
            let depth = 0.3 * (f64::from(*time) * std::f64::consts::PI).sin().powi(2);
            pose.parent_from_joint[hips.get()].translation.y = 1.0 - depth;
            let place = Vector3::new(0.5, 1.2, 0.3);
            let bent = arm.reach(&source.skeleton, &pose, place, None).unwrap();
            for (keys, (joint, bent)) in rotations.iter_mut().zip(bent) {
                let rest = source.skeleton.joint(joint).rest;
                keys.push(if is_held { bent.rotation } else { rest.rotation }.coords.cast());
            }
            translations.push(pose.parent_from_joint[hips.get()].translation.cast());
        }
        let [upper, lower] = rotations.map(|keys| KeyValues::Rotation(keys.into()));
        let keys = [(hips, KeyValues::Translation(translations.into())), (arm.upper, upper), (arm.lower, lower)];
        let track = |(joint, keys)| Track { joint, timeline: 0.into(), interpolation: Interpolation::Linear, keys };
        let timelines = vec![Timeline::new(times_secs.clone())];
        let tracks = keys.map(track).into();
        source.clips.push(Clip { duration_secs: 2.0, timelines, tracks, ..Clip::default() });
    }
    let mut target = model(&bones, |_, role| role.into());
    let mut joints = target.skeleton.joints().to_vec();
    for (joint, bone) in joints.iter_mut().zip(&bones) {
        if bone.0.ends_with("LowerArm") || bone.0.ends_with("Hand") {
            joint.rest.translation *= 1.2;
        }
    }
    target.skeleton = Skeleton::new(joints, Vec::new());
    let mut target_map = map_of(&target, &bones);
    // The whole body sinks, with its feet.
    target_map.set(&target.skeleton, ["leftFoot", "rightFoot"].map(|foot| (Role::from_name(foot).unwrap(), None)));
    let found = retarget_clips(&mut target, &target_map, &source, &map).unwrap();
    let [held, free] = found.contacts[..] else { panic!("two clips") };
    assert!(held.hand_count == 1 && held.max_slide < 1e-3 && held.max_slide_before > 0.03, "{held:?}");
    assert!(free.hand_count == 0, "{free:?}");
    let at = |clip: usize, frame: i32| posed(&target, clip, f64::from(frame) / 60.0)[hand.get()].translation;
    for frame in 0..=120 {
        assert!((at(0, frame) - at(0, 0)).norm() < 1e-3, "{frame}");
        let depth = 0.3 * (f64::from(frame) / 60.0 * std::f64::consts::PI).sin().powi(2);
        assert!((at(1, frame) - at(1, 0) + Vector3::y() * depth).norm() < 1e-4, "{frame}");
    }
}

#[test]
fn mirrored_pose_swaps_left_and_right_for_any_axes_of_joints() {
    let bones = humanoid();
    let model = model(&bones, |_, role| role.into());
    let map = map_of(&model, &bones);
    let skeleton = &model.skeleton;
    let mut pose = Pose::rest(skeleton);
    // Joints without a role stay, so that a root above the hips would not be mirrored.
    for i in Role::all().filter_map(|role| map.joint(role)).map(JointIndex::get) {
        let transform = &mut pose.parent_from_joint[i];
        let angle = |k: usize| ((i * 7 + k * 13) % 11) as f64 * 0.08 - 0.4;
        transform.rotation *= UnitQuaternion::from_euler_angles(angle(0), angle(1), angle(2));
    }
    let hips = map.joint(Role::HIPS).unwrap();
    pose.parent_from_joint[hips.get()].translation += Vector3::new(0.2, -0.1, 0.3);
    let mirrored = |pose: &Pose| {
        let mut mirrored = pose.clone();
        for (joint, transform) in map.mirrored(skeleton, pose) {
            mirrored.parent_from_joint[joint.get()] = transform;
        }
        mirrored
    };
    let positions = |pose: &Pose| {
        let mut posed = ModelPose::default();
        posed.update(skeleton, pose);
        Role::all()
            .map(|role| map.joint(role).map(|joint| posed.model_from_joint(joint).translation))
            .collect::<Vec<_>>()
    };
    let (before, after) = (positions(&pose), positions(&mirrored(&pose)));
    for (role, after) in Role::all().zip(&after) {
        let partner = Role::all().position(|other| other == role.mirrored()).unwrap();
        let (Some(after), Some(before)) = (after, before[partner]) else { continue };
        let expected = Vector3::new(-before.x, before.y, before.z);
        assert!((after - expected).norm() < 1e-9, "{role}: {after} instead of {expected}");
    }
    let twice = mirrored(&mirrored(&pose));
    for (role, (a, b)) in Role::all().zip(positions(&twice).into_iter().zip(before)) {
        assert!(a.zip(b).is_none_or(|(a, b)| (a - b).norm() < 1e-9), "{role}: mirrored twice");
    }
    assert!(map.mirrored(skeleton, &Pose::rest(skeleton)).is_empty(), "the rest pose is symmetric");
}
