//! Humanoids with random spaces of their joints, in many stances, places and sizes: where their limbs fold to, in closed form.

use super::puppet::{BoundJoint, skinned_glb};
use crate::flex::FlexPose;
use crate::flex::mesh::FlexMesh;
use crate::flex::poses::RangeOfMotion;
use crate::tests::mills::Random;
use nalgebra::{Matrix3, Matrix4, Rotation3, Unit, Vector3};
use rigview_core::crowd::{Crowd, CrowdAnimator};
use rigview_core::import::{ImportOptions, from_bytes};
use rigview_core::math::Affine;
use rigview_core::model::{JointIndex, Model};
use rigview_core::palette::Rig;
use rigview_core::pose::{ModelPose, PoseOverride};

const SEEDS: u64 = 160;

/// A body in the space with X to its left, Y up and Z to its front.
#[derive(Default)]
struct Humanoid {
    names: Vec<String>,
    parents: Vec<Option<usize>>,
    positions: Vec<Vector3<f64>>,
    /// Bones with the direction that they fold to: joint, the one at its other end, and a perpendicular unit vector.
    folds: Vec<(usize, usize, Vector3<f64>)>,
}

impl Humanoid {
    fn add(&mut self, name: String, parent: usize, position: Vector3<f64>) -> usize {
        self.names.push(name);
        self.parents.push((!self.positions.is_empty()).then_some(parent));
        self.positions.push(position);
        self.positions.len() - 1
    }

    fn add_fold(&mut self, joint: usize, end: usize, towards: Vector3<f64>) {
        let along = (self.positions[end] - self.positions[joint]).normalize();
        self.folds.push((joint, end, (towards - along * along.dot(&towards)).normalize()));
    }

    fn new(random: &mut Random) -> Self {
        let v = Vector3::new;
        let mut body = Self::default();
        let armature = body.add("Armature".to_owned(), 0, v(0.0, 0.0, 0.0));
        let hips = body.add("hips".to_owned(), armature, v(0.0, 1.0, 0.0));
        let spine = body.add("spine".to_owned(), hips, v(0.0, 1.1, 0.01));
        let chest = body.add("chest".to_owned(), spine, v(0.0, 1.25, 0.0));
        let neck = body.add("neck".to_owned(), chest, v(0.0, 1.5, -0.02));
        body.add("head".to_owned(), neck, v(0.0, 1.6, 0.0));
        // T-poses, and A-poses down to 60 degrees.
        let lowered = if random.below(2) == 0 { 0.0 } else { random.within(0.3, 1.05) };
        let [ahead, bent, pronation, curl] =
            [(-0.2, 0.2), (-0.08, 0.08), (-1.2, 1.2), (0.0, 0.14)].map(|(min, max)| random.within(min, max));
        let [spread, knee] = [(0.0, 0.2), (-0.06, 0.12)].map(|(min, max)| random.within(min, max));
        for (side, x) in [("left", 1.0), ("right", -1.0)] {
            let mirrored = |v: Vector3<f64>| v.component_mul(&Vector3::new(x, 1.0, 1.0));
            // The arm and its hand, on the left side: along, towards the palm, towards the index finger.
            let turn = |axis: Unit<Vector3<f64>>, angle: f64| Rotation3::from_axis_angle(&axis, angle);
            let arm = turn(Vector3::y_axis(), -ahead) * turn(Vector3::z_axis(), -lowered);
            let forearm = arm * turn(Vector3::y_axis(), -bent);
            let hand = forearm * turn(Vector3::x_axis(), pronation);
            let [along, palm, index] = [Vector3::x(), -Vector3::y(), Vector3::z()].map(|axis| hand * axis);
            let (front, back) = (Vector3::z(), -Vector3::z());
            let mut at = v(0.05, 1.42, 0.0);
            let shoulder = body.add(format!("{side}Shoulder"), chest, mirrored(at));
            at += v(0.12, 0.0, 0.0);
            let upper = body.add(format!("{side}UpperArm"), shoulder, mirrored(at));
            at += arm * Vector3::x() * 0.28;
            let lower = body.add(format!("{side}LowerArm"), upper, mirrored(at));
            at += forearm * Vector3::x() * 0.25;
            let wrist = body.add(format!("{side}Hand"), lower, mirrored(at));
            body.add_fold(lower, wrist, front);
            let phalanx = turn(Unit::new_normalize(hand * Vector3::z()), -curl) * along * 0.03;
            for (k, finger) in ["Index", "Middle", "Ring", "Little"].into_iter().enumerate() {
                let knuckle = at + along * 0.09 + index * (0.03 - 0.02 * k as f64);
                let mut parent = wrist;
                for (i, part) in ["Proximal", "Intermediate", "Distal"].into_iter().enumerate() {
                    let here = mirrored(knuckle + phalanx * i as f64);
                    let joint = body.add(format!("{side}{finger}{part}"), parent, here);
                    if i > 0 {
                        body.add_fold(parent, joint, mirrored(palm));
                    }
                    parent = joint;
                }
            }
            let thumb = (along + index).normalize() * 0.03;
            let mut parent = wrist;
            for (i, part) in ["Metacarpal", "Proximal", "Distal"].into_iter().enumerate() {
                let here = mirrored(at + along * 0.02 + index * 0.02 + thumb * i as f64);
                let joint = body.add(format!("{side}Thumb{part}"), parent, here);
                if i > 0 {
                    body.add_fold(parent, joint, mirrored(palm - index));
                }
                parent = joint;
            }
            let leg = turn(Vector3::z_axis(), spread) * -Vector3::y();
            let mut at = v(0.1, 0.95, 0.0);
            let thigh = body.add(format!("{side}UpperLeg"), hips, mirrored(at));
            at += leg * 0.45;
            let shin = body.add(format!("{side}LowerLeg"), thigh, mirrored(at));
            at += turn(Vector3::x_axis(), knee) * leg * 0.42;
            let foot = body.add(format!("{side}Foot"), shin, mirrored(at));
            body.add(format!("{side}Toes"), foot, mirrored(at + v(0.02, -0.07, 0.13)));
            body.add_fold(shin, foot, back);
        }
        body
    }

    fn is_below(&self, joint: usize, ancestor: usize) -> bool {
        std::iter::successors(Some(joint), |joint| self.parents[*joint]).any(|found| found == ancestor)
    }
}

/// A humanoid in a file.
struct Case {
    body: Humanoid,
    model: Model,
    /// Rotation from the space of the body to model space.
    model_from_body: Matrix3<f64>,
    /// Degrees by which elbows are bent at rest, but not at the bind pose.
    bent_at_rest: f64,
}

fn case(seed: u64) -> Case {
    let mut random = Random(seed);
    let body = Humanoid::new(&mut random);
    // The space of the mesh: Y-up, Z-up or any; and that of the model by the armature.
    let upright = Rotation3::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
    let yaw = Rotation3::from_axis_angle(&Vector3::y_axis(), random.within(-3.0, 3.0));
    let any = Rotation3::from_axis_angle(&random.axis(), random.within(0.0, 3.0));
    let mesh_from_body = [Rotation3::identity(), yaw, upright, any][random.below(4) as usize];
    let size = 10.0_f64.powf(random.within(-2.0, 2.0));
    let model_from_mesh = match random.below(3) {
        0 => Matrix4::identity(),
        1 => (yaw * mesh_from_body.inverse()).to_homogeneous(),
        _ => mesh_from_body.inverse().to_homogeneous() * Matrix4::new_scaling(1.0 / size),
    };
    let mirror = Matrix3::from_diagonal(&Vector3::new(-1.0, 1.0, 1.0));
    let spaces = random.below(3);
    let mut linears: Vec<Matrix3<f64>> = Vec::new();
    for (i, name) in body.names.iter().enumerate() {
        let left = body
            .names
            .iter()
            .position(|other| name.strip_prefix("right").is_some_and(|part| *other == format!("left{part}")));
        linears.push(match (left, spaces) {
            // Spaces of the right side are mirror images, and either turned by a half or mirroring.
            (Some(left), 0) => mirror * linears[left] * mirror,
            (Some(left), 1) => mirror * linears[left],
            _ if i == 0 => Matrix3::identity(),
            _ => Rotation3::from_axis_angle(&random.axis(), random.within(0.0, 3.1)).into_inner(),
        });
    }
    let bent_at_rest = if random.below(3) == 0 { 30.0 } else { 0.0 };
    let elbows: Vec<_> = body.folds.iter().filter(|(joint, _, _)| body.names[*joint].ends_with("LowerArm")).collect();
    let in_mesh = mesh_from_body.to_homogeneous() * Matrix4::new_scaling(size);
    let joints = (0..body.names.len()).map(|i| {
        let mut in_body = linears[i].to_homogeneous();
        in_body.fixed_view_mut::<3, 1>(0, 3).copy_from(&body.positions[i]);
        let mut rest = in_body;
        for (elbow, wrist, towards) in elbows.iter().filter(|(elbow, _, _)| body.is_below(i, *elbow)) {
            let along = body.positions[*wrist] - body.positions[*elbow];
            let axis = Unit::new_normalize(along.cross(towards));
            let turn = Rotation3::from_axis_angle(&axis, f64::to_radians(bent_at_rest)).to_homogeneous();
            let pivot = body.positions[*elbow];
            rest = Matrix4::new_translation(&pivot) * turn * Matrix4::new_translation(&-pivot) * rest;
        }
        let unscaled = |matrix: Matrix4<f64>| matrix * Matrix4::new_scaling(1.0 / size);
        BoundJoint {
            name: body.names[i].clone(),
            parent: body.parents[i],
            rest: model_from_mesh * unscaled(in_mesh * rest),
            bind: unscaled(in_mesh * in_body),
        }
    });
    // A triangle around each joint.
    let joints: Vec<BoundJoint> = joints.collect();
    let corners = (0..3 * joints.len()).map(|i| {
        let offset = Vector3::ith(i % 3, 0.004);
        (in_mesh * (body.positions[i / 3] + offset).push(1.0)).xyz()
    });
    let positions: Vec<Vector3<f64>> = corners.collect();
    let influences: Vec<_> = (0..positions.len()).map(|i| vec![(i / 3, 1.0)]).collect();
    let triangles: Vec<_> = (0..joints.len()).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let bytes = skinned_glb(&joints, &positions, &influences, &triangles);
    let model = from_bytes(bytes, None, &ImportOptions::default()).unwrap().model;
    let turn = model_from_mesh.fixed_view::<3, 3>(0, 0) * mesh_from_body.matrix();
    let model_from_body = turn / turn.column(0).norm();
    Case { body, model, model_from_body, bent_at_rest }
}

/// Positions of the joints in a pose, in model space.
fn posed(model: &Model, pose: &PoseOverride) -> Vec<Vector3<f64>> {
    let mut matrices: Vec<Affine> = Vec::new();
    for (i, joint) in model.skeleton.joints().iter().enumerate() {
        let local = joint.matrix_of(pose.get(JointIndex(i as u32)).unwrap_or(&joint.rest));
        matrices.push(joint.parent.map_or(local, |parent| matrices[parent.get()] * local));
    }
    matrices.iter().map(|matrix| matrix.translation).collect()
}

#[test]
fn knees_elbows_and_fingers_fold_as_those_of_people() {
    let mut faults = Vec::new();
    let mut checked = 0;
    for seed in 0..SEEDS {
        let Case { body, model, model_from_body, bent_at_rest } = case(seed);
        let scene = model.default_scene;
        let rig = Rig::new(model, scene).unwrap();
        let model = rig.model();
        let rest = ModelPose::rest(&model.skeleton);
        let mut animator = CrowdAnimator::new(&rig);
        animator.update(&mut Crowd::single(None), 0.0);
        let mut mesh = FlexMesh::new(&rig, animator.palette());
        mesh.find_deformed(&model.skeleton);
        let range = RangeOfMotion::new(model, &rest, &mesh);
        let index =
            |name: &str| model.skeleton.joints().iter().position(|joint| joint.name.as_deref() == Some(name)).unwrap();
        for (joint, end, towards) in &body.folds {
            let name = &body.names[*joint];
            let [joint_index, end_index] = [joint, end].map(|joint| index(&body.names[*joint]));
            let along = (body.positions[*end] - body.positions[*joint]).normalize();
            // The elbow above turns the hand at rest.
            let elbow = body.folds.iter().find(|(elbow, _, _)| {
                elbow != joint && body.names[*elbow].ends_with("LowerArm") && body.is_below(*joint, *elbow)
            });
            let turn = elbow.map_or_else(Rotation3::identity, |(elbow, wrist, towards)| {
                let along = body.positions[*wrist] - body.positions[*elbow];
                Rotation3::from_axis_angle(&Unit::new_normalize(along.cross(towards)), bent_at_rest.to_radians())
            });
            let [along, towards] = [along, *towards].map(|direction| model_from_body * (turn * direction));
            let from_bind = if name.ends_with("LowerArm") { bent_at_rest } else { 0.0 };
            let poses = range.poses(JointIndex(joint_index as u32), None);
            let bends: Vec<(&FlexPose, f64)> = poses
                .iter()
                .filter_map(|pose| {
                    let degrees = pose.description.strip_prefix("bent by ")?.strip_suffix(" degrees")?;
                    Some((pose, degrees.parse().ok()?))
                })
                .collect();
            let [(_, fold), (_, back)] = bends[..] else { panic!("{seed} {name}: {poses:?}") };
            let is_human = (40.0..=125.0).contains(&fold) && (-0.11 * 130.0..=-0.09 * 60.0).contains(&back);
            for (pose, degrees) in bends {
                let angle = f64::to_radians(degrees + from_bind);
                let expected = along * angle.cos() + towards * angle.sin();
                let positions = posed(model, &pose.joints);
                let actual = positions[end_index] - positions[joint_index];
                checked += 1;
                // Descriptions have whole degrees.
                let off = actual.angle(&expected).to_degrees();
                if off > 2.0 || !is_human {
                    faults.push(format!("{seed} {name} {}: {off:.0} degrees off", pose.description));
                }
            }
            // The same in plain terms: the heel is behind, the hand in front and nearer to the shoulder, the finger on the side of the palm.
            let positions =
                posed(model, &poses.iter().find(|pose| pose.description.starts_with("bent by ")).unwrap().joints);
            if (positions[end_index] - positions[joint_index]).dot(&towards) <= 0.0 {
                faults.push(format!("{seed} {name}: the end is on the wrong side"));
            }
            if let Some(part) = name
                .strip_suffix("LowerArm")
                .map(|side| format!("{side}UpperArm"))
                .or(name.strip_suffix("LowerLeg").map(|side| format!("{side}UpperLeg")))
            {
                let at_rest = posed(model, &PoseOverride::new());
                let distance = |positions: &[Vector3<f64>]| (positions[end_index] - positions[index(&part)]).norm();
                if distance(&positions) > 0.75 * distance(&at_rest) {
                    faults.push(format!("{seed} {name}: the end is not nearer to the body"));
                }
            }
        }
    }
    assert!(
        faults.is_empty() && checked > 20 * SEEDS,
        "{} of {checked}: {:#?}",
        faults.len(),
        &faults[..faults.len().min(40)]
    );
}
