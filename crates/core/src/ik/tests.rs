use super::*;
use crate::crowd::{Crowd, CrowdAnimator, Instance};
use crate::import::{ImportOptions, open};
use crate::math::{Affine, SimdLevel, Transform};
use crate::model::{ClipIndex, InstanceIndex, JointIndex, Model};
use crate::palette::{BlockIndex, MatrixFormat, Rig};
use crate::pose::{LayerScratch, ModelPose, Pose};
use crate::retarget::{RigMap, retarget_clips};
use nalgebra::{UnitQuaternion, Vector2, Vector3};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Pseudo-random numbers from -1 to 1.
struct Random(u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
    }

    fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.number())
    }
}

/// Returns the positions of a limb's joints after the rotations of its bones.
fn turned([root, middle, end]: [Vector3<f64>; 3], [upper, lower]: [UnitQuaternion<f64>; 2]) -> [Vector3<f64>; 3] {
    let new_middle = root + upper * (middle - root);
    [root, new_middle, new_middle + lower * (end - middle)]
}

#[test]
fn targets_in_reach_are_met_and_the_bend_plane_turns_by_the_smallest_rotation() {
    let mut random = Random(1);
    for _ in 0..10_000 {
        let joints = [(); 3].map(|()| random.vector());
        let [thigh, shin] = [joints[1] - joints[0], joints[2] - joints[1]];
        let (near, far) = ((thigh.norm() - shin.norm()).abs(), thigh.norm() + shin.norm());
        let distance = near + (far - near) * (0.5 + 0.499 * random.number());
        let Some(way) = random.vector().try_normalize(0.1) else { continue };
        let rotations = two_bone(joints, joints[0] + way * distance, random.vector());
        let after = turned(joints, rotations);
        assert!((after[2] - joints[0] - way * distance).norm() < 1e-5 * far, "{joints:?}");
        let (before, axis) = ((joints[2] - joints[0]).normalize(), thigh.cross(&shin));
        let smallest = UnitQuaternion::rotation_between(&before, &way);
        if let Some(normal) = smallest
            .map(|smallest| smallest * axis)
            .filter(|_| axis.norm() > 0.06 * thigh.norm() * (thigh + shin).norm() && before.dot(&way) > -0.99)
        {
            let bent = (after[1] - after[0]).cross(&(after[2] - after[1]));
            let off = bent.norm() * normal.norm() - bent.dot(&normal);
            assert!(off < 1e-6, "the limb bends in its plane, and to its side: {off:e}");
        }
    }
}

#[test]
fn limbs_of_a_rig_reach_under_scaled_and_mirrored_parents() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/body.glb");
    let mut model = open(&file, &ImportOptions::default()).unwrap().model;
    let map = RigMap::detect(&model);
    let ends: Vec<JointIndex> = map.feet(&model).unwrap().legs.iter().map(|leg| leg.limb.end).collect();
    let mut random = Random(7);
    for scale in [[1.0; 3], [-0.01, 0.01, 0.01], [3.0, 3.0, -3.0]] {
        let root = model.skeleton.joints().iter().position(|joint| joint.parent.is_none()).unwrap();
        let mut joints = model.skeleton.joints().to_vec();
        joints[root].rest.scale = scale.into();
        model.skeleton = crate::model::Skeleton::new(joints, model.skeleton.rest_morph_weights().to_vec());
        for end in &ends {
            let limb = map.limb(&model.skeleton, *end).unwrap();
            let mut pose = Pose::rest(&model.skeleton);
            let posed = |pose: &Pose| {
                let mut posed = ModelPose::default();
                posed.update(&model.skeleton, pose);
                [limb.upper, limb.lower, limb.end].map(|joint| posed.model_from_joint(joint).translation)
            };
            let [hip, knee, ankle] = posed(&pose);
            let length = (knee - hip).norm() + (ankle - knee).norm();
            let target = hip + (ankle - hip) * 0.8 + random.vector() * 0.1 * length;
            for (joint, transform) in limb.reach(&model.skeleton, &pose, target, None).unwrap() {
                pose.parent_from_joint[joint.get()] = transform;
            }
            let off = (posed(&pose)[2] - target).norm();
            assert!(off < 1e-6 * length, "{scale:?}: {off}");
        }
    }
    assert_eq!(map.limb(&model.skeleton, map.feet(&model).unwrap().hips), None, "the hips end no limb");
}

/// An arm of the example body, and its joints' positions in a pose.
struct ArmOfBody {
    model: Model,
    limb: Limb,
    middle: Vector3<f64>,
    outward: Vector3<f64>,
}

impl ArmOfBody {
    fn both() -> [Self; 2] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/body.glb");
        let model = open(&file, &ImportOptions::default()).unwrap().model;
        let map = RigMap::detect(&model);
        ["L", "R"].map(|side| {
            let hand = model.skeleton.find(&format!("hand.{side}")).unwrap();
            let limb = map.limb(&model.skeleton, hand).unwrap();
            let body = limb.body.unwrap();
            let rest = model.skeleton.rest_model_from_joint(body.joint.unwrap());
            let (middle, outward) =
                (rest.transform_point(body.middle), rest.transform_vector(body.axes[0]).normalize());
            assert!((outward.x - if side == "L" { 1.0 } else { -1.0 }).abs() < 1e-6, "{outward}");
            Self { model: model.clone(), limb, middle, outward }
        })
    }

    fn joints(&self, pose: &Pose) -> [Vector3<f64>; 3] {
        let mut posed = ModelPose::default();
        posed.update(&self.model.skeleton, pose);
        [self.limb.upper, self.limb.lower, self.limb.end].map(|joint| posed.model_from_joint(joint).translation)
    }

    fn reach(&self, pose: &Pose, target: Vector3<f64>, elbow: Option<Vector3<f64>>) -> Pose {
        let mut pose = pose.clone();
        for (joint, transform) in self.limb.reach(&self.model.skeleton, &pose, target, elbow).unwrap() {
            pose.parent_from_joint[joint.get()] = transform;
        }
        pose
    }

    /// The rest pose with the arm straight to the side.
    fn straight(&self) -> Pose {
        let rest = Pose::rest(&self.model.skeleton);
        let [root, ..] = self.joints(&rest);
        self.reach(&rest, root + self.outward * 100.0, None)
    }

    fn length(&self, pose: &Pose) -> f64 {
        let [root, elbow, hand] = self.joints(pose);
        (elbow - root).norm() + (hand - elbow).norm()
    }
}

#[test]
fn elbows_of_straight_arms_point_down_and_back_and_stay_on_their_side() {
    let mut random = Random(3);
    for arm in ArmOfBody::both() {
        let start = arm.straight();
        let length = arm.length(&start);
        let [root, elbow, hand] = arm.joints(&start);
        assert!((elbow - root).normalize().dot(&(hand - root).normalize()) > 0.9999, "straight");
        for _ in 0..2000 {
            // From the middle of the body to the side, and in front of it.
            let way = random.vector();
            let way = Vector3::new(way.x, way.y, way.z.abs()).normalize();
            let target = root + way * length * (0.5 + 0.4 * random.number());
            if (target - arm.middle).dot(&arm.outward) < 0.0 {
                continue;
            }
            let pose = arm.reach(&start, target, None);
            let [new_root, elbow, hand] = arm.joints(&pose);
            assert!((hand - target).norm() < 1e-5 * length, "{target}: the hand is {}", (hand - target).norm());
            let beside = (elbow - arm.middle).dot(&arm.outward);
            assert!(beside > -1e-6, "{target}: the elbow crosses the middle of the body by {beside}");
            if hand.y < new_root.y {
                assert!(elbow.y < new_root.y + 1e-4 * length, "{target}: the elbow is above the shoulder");
            }
        }
        // Straight to the front, and half way there to the side.
        let front = arm.joints(&arm.reach(&start, root + Vector3::z() * 0.7 * length, None));
        assert!(front[1].y < front[0].y - 0.2 * length, "down: {front:?}");
        let side = arm.joints(&arm.reach(&start, root + arm.outward * 0.7 * length, None));
        assert!(
            side[1].y < side[0].y - 0.1 * length && side[1].z < side[0].z - 0.1 * length,
            "down and back: {side:?}"
        );
    }
}

#[test]
fn bent_arms_start_where_they_are_and_follow_without_a_jump() {
    for arm in ArmOfBody::both() {
        let start = arm.straight();
        let length = arm.length(&start);
        let [root, ..] = arm.joints(&start);
        let target = root + (arm.outward * 0.3 + Vector3::new(0.0, -0.2, 0.5)) * length;
        // An elbow that the user turned outward.
        let bent = arm.reach(&start, target, None);
        let bent =
            arm.reach(&bent, arm.joints(&bent)[2], Some(root + arm.outward * length + Vector3::y() * 0.2 * length));
        let before = arm.joints(&bent);
        let same = arm.joints(&arm.reach(&bent, before[2], None));
        assert!((same[1] - before[1]).norm() < 1e-5 * length, "{same:?} instead of {before:?}");
        let mut last = before[1];
        for step in 1..=100 {
            let way = Vector3::new(0.0, 0.4, -0.1) * length * f64::from(step) / 100.0;
            let elbow = arm.joints(&arm.reach(&bent, before[2] + way, None))[1];
            assert!((elbow - last).norm() < 0.03 * length, "step {step}: {}", (elbow - last).norm() / length);
            last = elbow;
        }
    }
}

#[test]
fn elbow_points_to_the_given_point_and_the_hand_stays() {
    for arm in ArmOfBody::both() {
        let start = arm.straight();
        let length = arm.length(&start);
        let [root, ..] = arm.joints(&start);
        let bent = arm.reach(&start, root + Vector3::new(0.0, -0.1, 0.6) * length, None);
        let [root, _, hand] = arm.joints(&bent);
        for direction in [arm.outward, Vector3::y(), -Vector3::y(), -arm.outward] {
            let [_, elbow, same] = arm.joints(&arm.reach(&bent, hand, Some(root + direction)));
            let axis = (hand - root).normalize();
            let [to, found] = [direction, elbow - root].map(|v| (v - axis * v.dot(&axis)).normalize());
            assert!((same - hand).norm() < 1e-5 * length && to.dot(&found) > 0.9999, "{direction}: {found}");
        }
    }
}

#[test]
fn shoulder_blade_follows_within_its_range() {
    for arm in ArmOfBody::both() {
        let Some(shoulder) = arm.limb.body.unwrap().shoulder else { panic!("the body has shoulder blades") };
        let mut pose = arm.straight();
        let rest = arm.model.skeleton.joint(shoulder).rest.rotation;
        let [root, ..] = arm.joints(&pose);
        let lowered = arm.reach(&pose, root - Vector3::y() * arm.length(&pose), None);
        let angle = rest.angle_to(&lowered.parent_from_joint[shoulder.get()].rotation);
        assert!(angle > 0.1, "{angle}");
        // Many drags add up to no more than the range.
        for i in 0..40 {
            let target = root + if i % 2 == 0 { arm.outward } else { Vector3::y() } * arm.length(&pose);
            pose = arm.reach(&pose, target, None);
            assert!(rest.angle_to(&pose.parent_from_joint[shoulder.get()].rotation) < 0.4001);
        }
    }
}

#[test]
fn targets_beyond_reach_stretch_the_limb_without_a_jump() {
    let joints = [Vector3::zeros(), Vector3::new(0.1, -1.0, 0.3), Vector3::new(0.0, -1.8, 0.1)];
    let length = (joints[1] - joints[0]).norm() + (joints[2] - joints[1]).norm();
    let way = Vector3::new(0.3, -1.0, 0.8).normalize();
    let mut last = None::<[Vector3<f64>; 3]>;
    for step in -1000..=1000 {
        let distance = length * (1.0 + 1e-5 * f64::from(step));
        let after = turned(joints, two_bone(joints, way * distance, Vector3::z()));
        let reached = way * distance.min(length);
        assert!((after[2] - reached).norm() < 1e-9, "{step}");
        if let Some(last) = last {
            assert!((after[1] - last[1]).norm() < 0.01, "{step}");
        }
        last = Some(after);
    }
    let [_, middle, end] = turned(joints, two_bone(joints, way * 1e9, Vector3::z()));
    assert!((middle.normalize() - way).norm() < 1e-9 && (end - way * length).norm() < 1e-9);
}

#[test]
fn small_moves_of_the_target_turn_bones_a_little() {
    let joints = [Vector3::zeros(), Vector3::new(0.1, -1.0, 0.3), Vector3::new(0.0, -1.8, 0.1)];
    let mut random = Random(2);
    for _ in 0..2_000 {
        let target = joints[2] + random.vector();
        if target.norm() < 0.3 || target.norm() > 1.8 || target.y > 0.5 {
            continue;
        }
        let near = target + random.vector() * 1e-6;
        let [a, b] = [target, near].map(|target| two_bone(joints, target, Vector3::z()));
        for i in 0..2 {
            assert!(a[i].angle_to(&b[i]) < 1e-4, "{target}");
        }
    }
}

#[test]
fn straight_limb_bends_to_the_given_side_and_the_present_pose_is_kept() {
    let straight = [2.0, 1.0, 0.0].map(|height| Vector3::y() * height);
    for bend in [Vector3::z(), -Vector3::x(), Vector3::new(1.0, 5.0, 1.0)] {
        let after = turned(straight, two_bone(straight, Vector3::y() * 0.4, bend));
        assert!((after[2] - Vector3::y() * 0.4).norm() < 1e-9);
        let aside = Vector3::new(after[1].x, 0.0, after[1].z);
        assert!(aside.normalize().dot(&Vector3::new(bend.x, 0.0, bend.z).normalize()) > 1.0 - 1e-9, "{bend}");
    }
    let mut random = Random(3);
    for _ in 0..1_000 {
        let joints = [(); 3].map(|()| random.vector());
        for rotation in two_bone(joints, joints[2], random.vector()) {
            assert!(rotation.angle() < 1e-6, "{joints:?}");
        }
    }
}

#[test]
fn degenerate_limbs_and_targets_stay_finite() {
    let [zero, x, y] = [Vector3::zeros(), Vector3::x(), Vector3::y()];
    for joints in [[zero; 3], [zero, zero, x], [zero, x, x], [zero, x, zero], [zero, x, x * 2.0], [y, zero, x]] {
        for target in [zero, x, -x, y, x * 1e-200, x * 1e12] {
            for bend in [zero, x, y] {
                let [upper, lower] = two_bone(joints, target, bend);
                for rotation in [upper, lower] {
                    assert!((rotation.norm() - 1.0).abs() < 1e-9, "{joints:?} to {target}, {bend}: {rotation}");
                }
            }
        }
    }
}

/// The body of the guide with its walk, and its map.
fn walking_body() -> (Model, RigMap) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let source = open(&folder.join("walk.bvh"), &ImportOptions::default()).unwrap().model;
    let mut target = open(&folder.join("body.glb"), &ImportOptions::default()).unwrap().model;
    let (source_map, map) = (RigMap::detect(&source), RigMap::detect(&target));
    retarget_clips(&mut target, &map, &source, &source_map).unwrap();
    (target, map)
}

fn placed(i: usize) -> Instance {
    let transform = Transform {
        translation: Vector3::new(3.0 * i as f64, 0.0, 200.0 - 7.0 * i as f64),
        rotation: UnitQuaternion::from_euler_angles(0.0, 0.7 * i as f64, 0.0),
        scale: Vector3::repeat(0.5 + 0.1 * (i % 9) as f64),
    };
    Instance::new(transform.to_affine(), Some(ClipIndex(0)), 0.13 * i as f64)
}

#[test]
fn stages_have_equal_bits_at_every_simd_level_and_in_every_crowd_and_are_near_double_precision() {
    let (model, map) = walking_body();
    let (skeleton, scene) = (model.skeleton.clone(), model.default_scene);
    let joint = |name: &str| skeleton.find(name).unwrap();
    let arm = Limb::new(&skeleton, ["upper_arm.L", "forearm.L", "hand.L"].map(joint), -Vector3::z());
    let aim = Aim { weight: 0.7, fade_cone: Some([1.5, 2.0]), ..Aim::new(joint("head"), Vector3::y(), 1.0) };
    let all: Vec<JointIndex> = (0..skeleton.len() as u32).map(JointIndex).collect();
    let rig = Rig::new(model, scene).unwrap().with_joints(&all);
    for format in [MatrixFormat::Mat3x4, MatrixFormat::QuatTranslationScale] {
        let mut constraints = PoseConstraints::new(&skeleton);
        let (look, hold) = (constraints.add_aim(&skeleton, aim), constraints.add_reach(&skeleton, arm));
        constraints.add_feet(&skeleton, &map.feet(rig.model()).unwrap());
        let mut animator = CrowdAnimator::new(&rig.with_format(format));
        animator.set_constraints(Some(constraints));
        let mut crowd = Crowd::new((0..40).map(placed));
        crowd.set_ground(Some(Arc::new(Ground::steps(0.3))));
        for i in 0..40 {
            let point = placed(i).world_from_model.translation + Vector3::new(0.3, 1.2, 0.4);
            crowd.set_target(look, InstanceIndex(i as u32), Target { point, weight: (i % 3) as f32 / 2.0 });
            crowd.set_target(hold, InstanceIndex(i as u32), Target { point, weight: (i % 2) as f32 });
        }
        animator.update_in_double_precision(&mut crowd, 0.4);
        let reference = animator.palette().texels().to_vec();
        animator.update(&mut crowd, 0.4);
        assert_eq!(animator.simd_instance_count(&crowd), 40);
        let found = animator.palette().texels().to_vec();
        for (a, b) in found.iter().flatten().zip(reference.iter().flatten()) {
            // A quaternion and its negative are one rotation.
            let off = (a - b).abs().min((a + b).abs());
            // The angle of a leg that is nearly straight depends on the square root of the rounding error.
            assert!(off <= 2e-3 * (1.0 + b.abs()), "{format:?}: {a} instead of {b}");
        }
        for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
            animator.set_simd_level(level);
            animator.update(&mut crowd, 0.4);
            assert!(animator.palette().texels() == found, "{}", level.name());
        }
        let mut alone = Crowd::new([placed(0)]);
        alone.set_targets(crowd.targets().clone());
        animator.update(&mut alone, 0.4);
        assert!(animator.palette().block(BlockIndex(0)) == &found[..animator.palette().stride_texels()]);
    }
}

#[test]
fn reaching_hands_and_aiming_heads_meet_their_targets() {
    let (model, _) = walking_body();
    let (skeleton, scene) = (model.skeleton.clone(), model.default_scene);
    let [upper, lower, hand, head] =
        ["upper_arm.L", "forearm.L", "hand.L", "head"].map(|name| skeleton.find(name).unwrap());
    let mut constraints = PoseConstraints::new(&skeleton);
    let hold = constraints.add_reach(&skeleton, Limb::new(&skeleton, [upper, lower, hand], -Vector3::z()));
    let look = constraints.add_aim(&skeleton, Aim::new(head, Vector3::y(), 3.2));
    let mut animator = CrowdAnimator::new(&Rig::new(model, scene).unwrap().with_joints(&[upper, lower, hand, head]));
    let mut crowd = Crowd::new((0..20).map(placed));
    animator.update(&mut crowd, 0.3);
    let (shoulders, before): (Vec<_>, Vec<_>) =
        (animator.joint_matrices(&crowd, upper).collect(), animator.joint_matrices(&crowd, hand).collect());
    let target = |i: usize| {
        shoulders[i].1.translation + Vector3::new(0.0, -0.1, 0.25) * placed(i).world_from_model.determinant().cbrt()
    };
    (0..10).for_each(|i| crowd.set_target(hold, InstanceIndex(i as u32), Target { point: target(i), weight: 1.0 }));
    (0..10).for_each(|i| crowd.set_target(look, InstanceIndex(i as u32), Target { point: target(i), weight: 1.0 }));
    animator.set_constraints(Some(constraints));
    animator.update(&mut crowd, 0.3);
    for (i, world_from_hand) in animator.joint_matrices(&crowd, hand) {
        let expected = if i < InstanceIndex(10) { target(i.get()) } else { before[i.get()].1.translation };
        assert!((world_from_hand.translation - expected).norm() < 1e-4, "{i}");
    }
    for (i, world_from_head) in animator.joint_matrices(&crowd, head).filter(|(i, _)| *i < InstanceIndex(10)) {
        let forward = world_from_head.linear * Vector3::y();
        assert!(forward.angle(&(target(i.get()) - world_from_head.translation)) < 1e-4, "{i}");
    }
}

#[test]
fn heads_look_at_one_point_as_far_as_they_turn() {
    let (model, map) = walking_body();
    let (skeleton, scene) = (model.skeleton.clone(), model.default_scene);
    let [neck, head] = map.gaze(&model).unwrap()[..] else { panic!("neck and head without eyes") };
    let mut constraints = PoseConstraints::new(&skeleton);
    [head, neck].iter().for_each(|aim| _ = constraints.add_aim(&skeleton, *aim));
    let point = Vector3::new(20.0, 1.0, 150.0);
    let mut animator = CrowdAnimator::new(&Rig::new(model, scene).unwrap().with_joints(&[neck.joint, head.joint]));
    let mut crowd = Crowd::new((0..40).map(placed));
    for aim in constraints.aims() {
        let target = Target { point, weight: 1.0 };
        assert!(crowd.set_common_target(aim, target) && !crowd.set_common_target(aim, target));
    }
    let forwards = |animator: &CrowdAnimator, crowd: &Crowd, aim: Aim| -> Vec<(Vector3<f64>, Vector3<f64>)> {
        let forward = |(_, map): (InstanceIndex, Affine)| ((map.linear * aim.forward).normalize(), map.translation);
        animator.joint_matrices(crowd, aim.joint).map(forward).collect()
    };
    animator.update(&mut crowd, 0.3);
    let before = [neck, head].map(|aim| forwards(&animator, &crowd, aim));
    animator.set_constraints(Some(constraints));
    animator.update(&mut crowd, 0.3);
    let after = [neck, head].map(|aim| forwards(&animator, &crowd, aim));
    let (mut reached, mut limited, mut released) = (0, 0, 0);
    for i in 0..40 {
        let way = point - after[1][i].1;
        let needed = before[1][i].0.angle(&way);
        let [of_neck, of_head] = [0, 1].map(|joint| before[joint][i].0.angle(&after[joint][i].0));
        if needed < 1.1 {
            assert!(after[1][i].0.angle(&way) < 1e-3, "{needed}");
            assert!((of_neck - 0.5 * before[0][i].0.angle(&way)).abs() < 1e-2, "{needed}: {of_neck}");
            reached += 1;
        } else if needed < 1.5 {
            assert!((of_head - needed.min(1.2)).abs() < 0.1, "{needed}: {of_head}");
            limited += 1;
        } else if needed > 2.5 {
            assert!(of_neck < 1e-3 && of_head < 1e-3, "{needed}: {of_neck}, {of_head}");
            released += 1;
        }
    }
    assert!(reached > 5 && limited > 1 && released > 5, "{reached}, {limited}, {released}");
}

#[test]
fn target_that_passes_behind_does_not_turn_the_head_at_once() {
    let (model, map) = walking_body();
    let mut constraints = PoseConstraints::new(&model.skeleton);
    let aims = map.gaze(&model).unwrap();
    aims.iter().for_each(|aim| _ = constraints.add_aim(&model.skeleton, *aim));
    let mut targets = ConstraintTargets::default();
    let forward = |targets: &ConstraintTargets| {
        let (mut posed, head) = (ModelPose::rest(&model.skeleton), aims[1]);
        constraints.apply(targets, InstanceIndex(0), &Affine::IDENTITY, &mut posed);
        posed.model_from_joint(head.joint).linear * head.forward
    };
    let (mut last, mut largest) = (forward(&targets), 0.0_f64);
    for degrees in 0..=360 {
        let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
        let target = Target { point: Vector3::new(1e3 * sin, 1.6, 1e3 * cos), weight: 1.0 };
        constraints.aims().for_each(|aim| _ = targets.set_all(aim, target));
        let next = forward(&targets);
        assert!(next.angle(&last).to_degrees() < 5.0, "{degrees}: {}", next.angle(&last).to_degrees());
        largest = largest.max(next.angle(&Vector3::z()));
        last = next;
    }
    assert!((largest - 1.2).abs() < 0.02, "{largest}");
}

#[test]
fn gaze_of_joints_with_other_axes_faces_the_front() {
    let (model, map) = walking_body();
    let rest = ModelPose::rest(&model.skeleton);
    for aim in map.gaze(&model).unwrap() {
        let forward = rest.model_from_joint(aim.joint).linear * aim.forward;
        assert!((forward - Vector3::z()).norm() < 1e-9, "{forward}");
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/windmill.glb");
    let windmill = open(&file, &ImportOptions::default()).unwrap().model;
    let error = RigMap::detect(&windmill).gaze(&windmill).unwrap_err().to_string();
    assert!(error.starts_with("the model has no joints for head"), "{error}");
}

fn model_from_rest(model: &Model, joint: JointIndex) -> Vector3<f64> {
    let rest = ModelPose::rest(&model.skeleton);
    rest.model_from_joint(joint).translation
}

/// Poses instances with their feet on a ground. Returns `world_from_joint` of a joint with and without, in double precision.
fn on_ground(
    model: &Model,
    feet: &Feet,
    ground: &Arc<Ground>,
    placement: Affine,
    time_secs: f64,
    joint: JointIndex,
) -> [Affine; 2] {
    let mut constraints = PoseConstraints::new(&model.skeleton);
    constraints.add_feet(&model.skeleton, feet);
    let mut crowd = Crowd::new([Instance { world_from_model: placement, ..Instance::single(Some(ClipIndex(0))) }]);
    let (mut pose, mut model_pose) = (Pose::default(), ModelPose::default());
    crowd.pose(InstanceIndex(0), model, time_secs, &mut LayerScratch::default(), &mut pose);
    model_pose.update(&model.skeleton, &pose);
    let before = placement * *model_pose.model_from_joint(joint);
    crowd.set_ground(Some(Arc::clone(ground)));
    constraints.apply(crowd.targets(), InstanceIndex(0), &placement, &mut model_pose);
    [placement * *model_pose.model_from_joint(joint), before]
}

#[test]
fn flat_ground_changes_nothing_and_lifts_the_body() {
    let (model, map) = walking_body();
    let feet = map.feet(&model).unwrap();
    let flat = Arc::new(Ground::slope(0.0));
    for step in 0..20 {
        for joint in (0..model.skeleton.len() as u32).map(JointIndex) {
            let placement = Affine::from_translation(Vector3::new(0.0, 3.0, 0.0));
            let [after, before] = on_ground(&model, &feet, &flat, placement, 0.1 * f64::from(step), joint);
            let expected = before.translation - Vector3::y() * 3.0;
            assert!((after.translation - expected).norm() < 1e-6, "{joint:?} at {step}");
            assert!((after.linear - before.linear).amax() < 1e-6, "{joint:?} at {step}");
        }
    }
}

#[test]
fn feet_keep_their_height_above_a_slope_and_move_without_jumps() {
    let (model, map) = walking_body();
    let feet = map.feet(&model).unwrap();
    for degrees in [-20.0, 10.0, 20.0] {
        let ground = Arc::new(Ground::slope(degrees));
        let normal = Vector3::new(0.0, 1.0, -f64::to_radians(degrees).tan()).normalize();
        for leg in &feet.legs {
            for joint in [leg.limb.end, leg.toes] {
                let mut last = None::<Vector3<f64>>;
                for step in 0..200 {
                    let [after, before] =
                        on_ground(&model, &feet, &ground, Affine::IDENTITY, f64::from(step) / 75.0, joint);
                    let height = before.translation.y - feet.model_ground;
                    let off = after.translation.dot(&normal) - height;
                    let stands = height < model_from_rest(&model, joint).y - feet.model_ground + 0.03 * feet.leg_length;
                    // In the air, the pelvis sinks less than a leg on the ground needs.
                    let max_off = if stands { 0.01 } else { 0.1 } * feet.leg_length;
                    assert!(off.abs() < max_off, "{degrees}, {joint:?} at {step}: {off}");
                    let jump = last.map_or(0.0, |last| (after.translation - last).norm());
                    assert!(jump < 0.12, "{degrees}, {joint:?} at {step}: {jump}");
                    last = Some(after.translation);
                }
            }
        }
    }
}

#[test]
fn height_field_of_triangles_is_exact_on_planes_and_bounded() {
    let corner = |x: f64, z: f64| Vector3::new(x, 0.5 * x - 0.25 * z, z);
    let square = [
        [corner(-4.0, -4.0), corner(-4.0, 4.0), corner(4.0, 4.0)],
        [corner(-4.0, -4.0), corner(4.0, 4.0), corner(4.0, -4.0)],
    ];
    let field = Ground::from_triangles(square.iter().copied(), 0.5).unwrap();
    for (x, z) in [(0.0, 0.0), (3.99, -3.99), (-1.234, 2.5)] {
        assert!((field.height(x, z) - (0.5 * x - 0.25 * z)).abs() < 1e-5, "{x}, {z}");
        let slopes = field.sample(Vector3::new(x, 0.0, z)).slopes;
        assert!((slopes[0] - 0.5).abs() < 1e-4 && (slopes[1] + 0.25).abs() < 1e-4, "{slopes:?}");
    }
    assert!(field.smooth_height(0.0, 0.0).abs() < 1e-5 && field.max_error() < 1e-5);
    // Beside the triangles, the border continues.
    assert!((field.height(100.0, 0.0) - 2.0).abs() < 1e-5);
    // The highest of several surfaces counts, and gaps have the height next to them.
    let table = [[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]].map(|[x, z]| Vector3::new(x, 7.0, z));
    let both = Ground::from_triangles(square[..1].iter().copied().chain([table]), 0.0).unwrap();
    assert!((both.height(-0.5, 0.5) - 7.0).abs() < 1e-5);
    assert!((both.height(3.0, -3.0) - both.height(-3.0, -3.0)).abs() < 0.1);
    // No area, or not finite.
    assert!(Ground::from_triangles([[Vector3::y(); 3]].into_iter(), 0.0).is_none());
    let wall = [Vector3::zeros(), Vector3::y(), Vector3::new(0.0, 0.0, 1.0)];
    assert!(Ground::from_triangles([wall, [Vector3::repeat(f64::NAN); 3]].into_iter(), 0.0).is_none());
    // Many large triangles get a coarse grid.
    let started = std::time::Instant::now();
    let many = std::iter::repeat_n(square, 200_000).flatten();
    assert!((Ground::from_triangles(many, 0.0).unwrap().height(1.0, 1.0) - 0.25).abs() < 1e-5);
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
}

/// A terrain of triangles with sides of a meter, and a plain grid of its heights.
fn terrain(side: usize) -> (Vec<[Vector3<f64>; 3]>, Vec<f64>) {
    let height = |column: usize, row: usize| 0.5 * (1.3 * column as f64).sin() * (1.1 * row as f64).cos();
    let corner = |column: usize, row: usize| Vector3::new(column as f64, height(column, row), row as f64);
    let cells = (0..side * side).map(|i| (i % side, i / side));
    let triangles = cells.flat_map(|(x, z)| {
        let [a, b, c, d] = [(x, z), (x, z + 1), (x + 1, z + 1), (x + 1, z)].map(|(x, z)| corner(x, z));
        [[a, b, c], [a, c, d]]
    });
    let heights = (0..(side + 1) * (side + 1)).map(|i| height(i % (side + 1), i / (side + 1)));
    (triangles.collect(), heights.collect())
}

#[test]
fn error_of_a_terrain_is_found_and_a_grid_of_its_heights_has_none() {
    for (side, expected) in [(64, 0.005..0.05), (256, 0.02..0.2), (512, 0.08..0.6)] {
        let (triangles, heights) = terrain(side);
        let mesh = Ground::from_triangles(triangles.iter().copied(), 0.5).unwrap();
        let grid = Ground::from_heights(Vector2::zeros(), Vector2::repeat(1.0), side + 1, &heights, 0.5).unwrap();
        let error = |ground: &Ground| {
            let at = |i: usize| ground.height((i % (side + 1)) as f64, (i / (side + 1)) as f64);
            heights.iter().enumerate().map(|(i, height)| (at(i) - height).abs()).fold(0.0, f64::max)
        };
        let (found, of_corners) = (mesh.max_error(), error(&mesh));
        assert!(expected.contains(&found) && of_corners < 1.3 * found, "{side}: {found}, at corners {of_corners}");
        assert!(error(&grid) < 1e-6 && grid.max_error() == 0.0, "{side}");
    }
}

#[test]
fn grids_that_are_no_grid_are_none() {
    let grid = |columns, heights: &[f64], spacing: f64| {
        Ground::from_heights(Vector2::zeros(), Vector2::repeat(spacing), columns, heights, 1.0)
    };
    assert!(grid(2, &[0.0; 4], 1.0).is_some());
    for (columns, heights, spacing) in [
        (0, &[0.0; 4][..], 1.0),
        (1, &[0.0; 4], 1.0),
        (4, &[0.0; 4], 1.0),
        (2, &[0.0; 5], 1.0),
        (2, &[0.0, 0.0, f64::NAN, 0.0], 1.0),
        (2, &[0.0; 4], 0.0),
        (2, &[0.0; 4], f64::INFINITY),
    ] {
        assert!(grid(columns, heights, spacing).is_none(), "{columns}, {heights:?}, {spacing}");
    }
}

/// A ground of the caller whose calls are counted: a platform that moves, with no ground beyond 100 m.
#[derive(Default)]
struct Platform {
    height: Mutex<f64>,
    points: AtomicUsize,
}

impl GroundQuery for Arc<Platform> {
    fn height_and_normal(&self, points: &[Vector3<f64>], found: &mut [GroundPoint]) {
        assert_eq!(points.len(), found.len());
        self.points.fetch_add(points.len(), Ordering::Relaxed);
        let rise = 20.0_f64.to_radians().tan();
        for (point, found) in points.iter().zip(found) {
            let height = *self.height.lock().unwrap() + rise * point.z;
            let normal = Vector3::new(0.0, 3.0, -3.0 * rise);
            *found = match point.x < 100.0 {
                true => GroundPoint { height, normal },
                false => GroundPoint { height: f64::NAN, normal: -normal },
            };
        }
    }
}

#[test]
fn feet_follow_a_moving_ground_of_the_caller_as_they_do_its_formula() {
    let (model, map) = walking_body();
    let (feet, scene) = (map.feet(&model).unwrap(), model.default_scene);
    let foot = feet.legs[0].limb.end;
    let mut constraints = PoseConstraints::new(&model.skeleton);
    constraints.add_feet(&model.skeleton, &feet);
    let mut animator = CrowdAnimator::new(&Rig::new(model, scene).unwrap().with_joints(&[foot]));
    animator.set_constraints(Some(constraints));
    let at = |x: f64| Instance::new(Affine::from_translation(Vector3::new(x, 3.0, 0.0)), Some(ClipIndex(0)), 0.0);
    let instances = || (0..20).map(|i| at(f64::from(i)));
    let heights = |animator: &mut CrowdAnimator, crowd: &mut Crowd| -> Vec<f64> {
        animator.update(crowd, 0.4);
        animator.joint_matrices(crowd, foot).map(|(_, map)| map.translation.y).collect()
    };
    let (mut on_slope, platform) = (Crowd::new(instances()), Arc::new(Platform::default()));
    on_slope.set_ground(Some(Arc::new(Ground::slope(20.0))));
    let expected = heights(&mut animator, &mut on_slope);
    let mut crowd = Crowd::new(instances());
    crowd.set_ground(Some(Arc::new(Ground::from_query(Arc::clone(&platform)))));
    for height in [0.0, 2.5, -1.0] {
        *platform.height.lock().unwrap() = height;
        for (found, expected) in heights(&mut animator, &mut crowd).iter().zip(&expected) {
            assert!((found - expected - height).abs() < 1e-3, "{found}, not {expected} + {height}");
        }
    }
    assert!(platform.points.load(Ordering::Relaxed) > 0);
    // Where the query finds no ground, feet are as on a flat ground at the placement.
    let mut beyond = Crowd::new([at(200.0)]);
    let in_clip = heights(&mut animator, &mut beyond);
    beyond.set_ground(Some(Arc::new(Ground::from_query(platform))));
    assert!((heights(&mut animator, &mut beyond)[0] - in_clip[0]).abs() < 1e-3);
}

#[test]
fn targets_and_ground_are_those_of_the_crowd_and_follow_removed_instances() {
    let (model, map) = walking_body();
    let (skeleton, scene) = (model.skeleton.clone(), model.default_scene);
    let [upper, lower, hand] = ["upper_arm.L", "forearm.L", "hand.L"].map(|name| skeleton.find(name).unwrap());
    let mut constraints = PoseConstraints::new(&skeleton);
    let hold = constraints.add_reach(&skeleton, Limb::new(&skeleton, [upper, lower, hand], -Vector3::z()));
    constraints.add_feet(&skeleton, &map.feet(&model).unwrap());
    let mut animator = CrowdAnimator::new(&Rig::new(model, scene).unwrap().with_joints(&[hand]));
    animator.set_constraints(Some(constraints));
    let target = |i: usize| Target { point: Vector3::new(3.0 * i as f64, 1.0, 200.0), weight: 1.0 };
    // Own targets of all instances, and of the first ones only.
    for own in [12, 5] {
        let mut crowd = Crowd::new((0..12).map(placed));
        crowd.set_common_target(hold, target(99));
        (0..own).for_each(|i| crowd.set_target(hold, InstanceIndex(i as u32), target(i)));
        let mut expected: Vec<Target> = (0..12).map(|i| target(if i < own { i } else { 99 })).collect();
        for removed in [2, 9, 0, 8] {
            crowd.swap_remove(InstanceIndex(removed as u32));
            expected.swap_remove(removed);
        }
        crowd.push(placed(20));
        expected.push(target(99));
        let found: Vec<Target> = (0..crowd.len()).map(|i| crowd.targets().get(hold, InstanceIndex(i as u32))).collect();
        assert_eq!(found, expected, "{own}");
    }
    // Another crowd of the same animator has no targets and no ground: its poses are those of the clip.
    let hands = |animator: &mut CrowdAnimator, crowd: &mut Crowd| -> Vec<Affine> {
        animator.update(crowd, 0.3);
        animator.joint_matrices(crowd, hand).map(|(_, map)| map).collect()
    };
    let mut other = Crowd::new((0..12).map(placed));
    let free = hands(&mut animator, &mut other);
    let mut crowd = Crowd::new((0..12).map(placed));
    crowd.set_ground(Some(Arc::new(Ground::slope(30.0))));
    crowd.set_common_target(hold, target(0));
    assert!(hands(&mut animator, &mut crowd) != free);
    assert!(hands(&mut animator, &mut other) == free);
    animator.set_constraints(None);
    for (found, expected) in hands(&mut animator, &mut other).iter().zip(&free) {
        assert!((found.translation - expected.translation).norm() < 1e-3, "{found:?}, not {expected:?}");
    }
}

#[test]
fn joint_that_a_program_moves_keeps_the_constraints_below_it() {
    let (model, _) = walking_body();
    let (skeleton, scene) = (model.skeleton.clone(), model.default_scene);
    let [spine, upper, lower, hand] =
        ["spine", "upper_arm.L", "forearm.L", "hand.L"].map(|name| skeleton.find(name).unwrap());
    let mut constraints = PoseConstraints::new(&skeleton);
    let hold = constraints.add_reach(&skeleton, Limb::new(&skeleton, [upper, lower, hand], -Vector3::z()));
    let rig = Rig::new(model, scene).unwrap().with_joints(&[hand]);
    let mut animator = CrowdAnimator::new(&rig);
    animator.set_constraints(Some(constraints));
    let mut crowd = Crowd::new([placed(0)]);
    let target = crowd.placement(InstanceIndex(0)).transform_point(Vector3::new(0.3, 1.2, 0.4));
    crowd.set_target(hold, InstanceIndex(0), Target { point: target, weight: 1.0 });
    animator.update(&mut crowd, 0.3);
    let reached = animator.joint_matrices(&crowd, hand).next().unwrap().1.translation;
    let shift = Affine::from_translation(Vector3::new(0.0, 0.5, 0.0));
    // The callback updates another crowd of the rig, which poses on this thread, too.
    let nested = Mutex::new((Crowd::new((0..100).map(placed)), CrowdAnimator::new(&rig)));
    let modify = |pose: &mut crate::crowd::PosedInstance<'_>| {
        let (crowd, animator) = &mut *nested.lock().unwrap();
        animator.update(crowd, 0.1);
        animator.update_in_double_precision(crowd, 0.1);
        let moved = shift * *pose.model_from_joint(spine);
        pose.set_model_from_joint(spine, moved);
    };
    animator.update_with(&mut crowd, 0.3, |_| true, modify);
    let found = animator.joint_matrices(&crowd, hand).next().unwrap().1.translation;
    let expected = reached + crowd.placement(InstanceIndex(0)).linear * Vector3::new(0.0, 0.5, 0.0);
    assert!((found - expected).norm() < 1e-3, "{found}, not {expected}");
}

#[test]
fn instance_on_a_high_ground_is_visible_with_the_margin_of_its_crowd() {
    let (model, map) = walking_body();
    let (feet, scene) = (map.feet(&model).unwrap(), model.default_scene);
    let mut constraints = PoseConstraints::new(&model.skeleton);
    constraints.add_feet(&model.skeleton, &feet);
    let mut animator = CrowdAnimator::new(&Rig::new(model, scene).unwrap());
    animator.set_constraints(Some(constraints));
    let mut crowd = Crowd::new((0..3).map(|i| Instance { world_from_model: Affine::IDENTITY, ..placed(i) }));
    crowd.set_ground(Some(Arc::new(Ground::from_query(Arc::new(Platform {
        height: Mutex::new(20.0),
        ..Platform::default()
    })))));
    // A box of 10 m around the bodies where they stand: 20 m above their placements.
    let projection = nalgebra::Matrix4::new_orthographic(-5.0, 5.0, 15.0, 25.0, -5.0, 5.0);
    let frustum = crate::math::Frustum::new(&projection);
    let mut shown = |margin: f64| {
        crowd.set_culling_margin(margin);
        animator.cull(&mut crowd, Some(&frustum));
        animator.update(&mut crowd, 0.3);
        animator.palette().instance_count()
    };
    assert_eq!([0.0, 20.0, 0.0].map(&mut shown), [0, 3, 0]);
}
