//! Axes and ranges of joints, by the anatomy of the body at its bind pose.
//!
//! Knees fold the heel to the seat, elbows the hand to the shoulder, and fingers to the palm. These directions come from the positions
//! of hips, shoulders, knuckles and toes, since the axes of a joint's own space are arbitrary.

use super::mesh::FlexMesh;
use nalgebra::{Matrix3, Unit, UnitQuaternion, Vector3};
use rigview_core::math::Affine;
use rigview_core::model::{HumanBoneJoint, Joint, JointIndex, Model, Skeleton, Skin};
use rigview_core::pose::ModelPose;
use rigview_core::retarget::{RigMap, Role};
use std::collections::BTreeMap;

/// Ranges in degrees of a joint.
#[derive(Clone, Copy)]
struct Ranges {
    /// A bend: towards the direction of the role, and against it.
    bend: [f64; 2],
    /// A bend sideways: away from the body, and towards it.
    sideways: [f64; 2],
    /// A twist about the bone, in both directions.
    twist: f64,
}

const fn ranges(bend: [f64; 2], sideways: [f64; 2], twist: f64) -> Ranges {
    Ranges { bend, sideways, twist }
}

/// For joints without a role.
const DEFAULT_RANGES: Ranges = ranges([45.0; 2], [30.0; 2], 30.0);

/// For the joints of a body; roles with a side without it. Active ranges of motion of adults (AAOS), where they are below: a joint
/// that holds them is fit for acting. Knees, elbows and fingers bend against their direction by a tenth.
const RANGES_BY_ROLE: [(&str, Ranges); 17] = [
    ("hips", ranges([30.0; 2], [30.0; 2], 30.0)),
    ("spine", ranges([30.0; 2], [20.0; 2], 20.0)),
    ("chest", ranges([30.0; 2], [20.0; 2], 20.0)),
    ("upperChest", ranges([30.0; 2], [20.0; 2], 20.0)),
    ("neck", ranges([30.0; 2], [25.0; 2], 40.0)),
    ("head", ranges([30.0; 2], [25.0; 2], 50.0)),
    ("jaw", ranges([20.0, 2.0], [5.0; 2], 0.0)),
    ("Eye", ranges([20.0; 2], [20.0; 2], 0.0)),
    ("Shoulder", ranges([20.0; 2], [20.0; 2], 0.0)),
    ("UpperArm", ranges([70.0, 30.0], [70.0; 2], 45.0)),
    ("LowerArm", ranges([110.0, 11.0], [0.0; 2], 70.0)),
    ("Hand", ranges([60.0; 2], [25.0; 2], 40.0)),
    ("UpperLeg", ranges([80.0, 25.0], [35.0, 20.0], 30.0)),
    ("LowerLeg", ranges([110.0, 11.0], [0.0; 2], 10.0)),
    ("Foot", ranges([40.0, 20.0], [20.0; 2], 15.0)),
    ("Toes", ranges([35.0, 20.0], [10.0; 2], 0.0)),
    // Fingers.
    ("", ranges([60.0, 6.0], [10.0; 2], 0.0)),
];

/// Part of the ranges for quadrupeds, whose limbs are inside of the trunk's skin to the elbow and the knee.
const QUADRUPED: f64 = 0.5;

/// Sine of the angle between a bone and a direction below which the direction does not define a bend.
const MIN_ACROSS: f64 = 0.3;

/// Sines of the bends at the bind pose that define the plane of further bends: from 10 degrees on, the plane is not only noise of the
/// modeling; from 25 on, a bend shows its direction, too.
const PLANE_BEND: f64 = 0.17;
const DIRECTION_BEND: f64 = 0.42;

/// Sine of the largest such bend.
const MAX_BEND: f64 = 0.9;

/// Largest distance between joints of the same place, in sizes of the mesh.
const SAME_PLACE: f64 = 1e-3;

/// Smallest part of the range that is left for a joint that is bent at rest.
const MIN_LEFT: f64 = 0.3;

const FINGERS: [&str; 4] = ["Index", "Middle", "Ring", "Little"];

/// The axes of one joint, and the ranges about them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct JointMotion {
    /// Axes of bend, of bend sideways and of twist, in the space of the parent at rest.
    pub(super) axes: [Unit<Vector3<f64>>; 3],
    /// Degrees about each axis, and against it; not negative.
    pub(super) degrees: [[f64; 2]; 3],
    /// `true` if the joint has a role in a body.
    pub(super) has_role: bool,
}

/// The joint of each role, by the name of the role.
type Roles = BTreeMap<String, JointIndex>;

/// A body at its bind pose, in the space of its mesh.
struct Body<'a> {
    roles: &'a Roles,
    bind: &'a [Affine],
    /// Direction of each joint's bone.
    along: Vec<Vector3<f64>>,
    directions: Option<Directions>,
    is_quadruped: bool,
}

/// Perpendicular directions of a body.
#[derive(Clone, Copy)]
struct Directions {
    up: Vector3<f64>,
    left: Vector3<f64>,
    front: Vector3<f64>,
}

/// Returns the motion of each joint.
pub(super) fn joint_motions(model: &Model, rest: &ModelPose, mesh: &FlexMesh<'_>) -> Vec<JointMotion> {
    let by_name = find_roles(model, rest, mesh);
    let bind = bind_pose(model, rest, mesh);
    let body = Body::new(&by_name, &bind, bone_directions(model, rest, mesh, &bind));
    let mut roles: Vec<Option<&str>> = vec![None; model.skeleton.len()];
    by_name.iter().for_each(|(role, joint)| roles[joint.get()] = Some(role.as_str()));
    let joints = model.skeleton.joints().iter().zip(roles).enumerate();
    let motion = |(i, (joint, role)): (usize, (&Joint, Option<&str>))| {
        let index = JointIndex(i as u32);
        let in_mesh = match role {
            Some(role) => body.axes(role, index),
            None => body.default_axes(index, joint.parent),
        };
        // The space of the joint carries its axes from the bind pose to the rest pose.
        let to_joint = bind[i].linear.try_inverse().unwrap_or_else(Matrix3::identity);
        let parent_from_joint = joint.matrix_of(&joint.rest).linear;
        let axes = in_mesh.map(|axis| map_axis(&parent_from_joint, *map_axis(&to_joint, axis)));
        let of_role = |role: &str| {
            let (_, name) = split_side(role);
            let ranges = RANGES_BY_ROLE.iter().find(|(of, _)| *of == name || of.is_empty());
            ranges.map_or(DEFAULT_RANGES, |(_, ranges)| *ranges)
        };
        let Ranges { bend, sideways, twist } = role.map_or(DEFAULT_RANGES, of_role);
        let mut degrees = [bend, sideways, [twist; 2]];
        if let Some(role) = role {
            let model_from_parent = joint.parent.map(|parent| rest.model_from_joint(parent).linear);
            let bend_axis = map_axis(&model_from_parent.unwrap_or_else(Matrix3::identity), *axes[0]);
            let bent = body.bend_at_rest(role, index, rest, bend_axis);
            degrees[0][0] = (bend[0] - bent).clamp(MIN_LEFT * bend[0], bend[0] + 20.0);
            degrees[1][1] = sideways[1].min(body.room_below(role, index));
            if body.is_quadruped {
                degrees = degrees.map(|range| range.map(|degrees| QUADRUPED * degrees));
            }
        }
        JointMotion { axes, degrees, has_role: role.is_some() }
    };
    joints.map(motion).collect()
}

impl<'a> Body<'a> {
    fn new(roles: &'a Roles, bind: &'a [Affine], along: Vec<Vector3<f64>>) -> Self {
        let mut body = Self { roles, bind, along, directions: None, is_quadruped: false };
        body.is_quadruped = body.has_legs_across_spine();
        body.directions = body.find_directions();
        for (role, joint) in roles {
            if let Some(along) = body.bone(role, *joint) {
                body.along[joint.get()] = along;
            }
        }
        body
    }

    /// Returns the position of the joint of a role.
    fn position(&self, role: &str) -> Option<Vector3<f64>> {
        Some(self.bind[self.roles.get(role)?.get()].translation)
    }

    /// Sum of the vectors from a role of the right side to that of the left.
    fn across(&self, part: &str) -> Vector3<f64> {
        let [left, right] = ["left", "right"].map(|side| self.position(&format!("{side}{part}")));
        left.zip(right).map_or(Vector3::zeros(), |(left, right)| left - right)
    }

    /// Sum of the vectors of both sides from one role to another.
    fn sum(&self, from: &str, to: &str) -> Vector3<f64> {
        let side = |side| Some(self.position(&format!("{side}{to}"))? - self.position(&format!("{side}{from}"))?);
        ["left", "right"].into_iter().filter_map(side).sum()
    }

    /// Returns `true` if the legs are across the spine, whatever the axis of the file is.
    fn has_legs_across_spine(&self) -> bool {
        let direction = |from, to| (self.position(to)? - self.position(from)?).try_normalize(1e-9);
        let (spine, leg) = (direction("hips", "head"), direction("leftUpperLeg", "leftLowerLeg"));
        spine.zip(leg).is_some_and(|(spine, leg)| spine.dot(&leg).abs() < 0.6)
    }

    fn find_directions(&self) -> Option<Directions> {
        let top = self.position("head").or_else(|| self.position("neck"));
        let spine = self.position("hips").zip(top).map(|(hips, top)| top - hips);
        let legs = self.sum("LowerLeg", "UpperLeg");
        let up = if self.is_quadruped { legs } else { spine.unwrap_or(legs) }.try_normalize(1e-9)?;
        let left = self.across("UpperLeg") + self.across("UpperArm");
        let mut left = (left - up * left.dot(&up)).try_normalize(1e-9)?;
        // Names of the wrong sides turn the front to the back.
        let front = left.cross(&up);
        let ahead = match (self.is_quadruped, spine) {
            (true, Some(spine)) => spine,
            _ => self.sum("Foot", "Toes"),
        };
        if front.dot(&ahead) < -0.5 * ahead.norm() {
            left = -left;
        }
        Some(Directions { up, left, front: left.cross(&up) })
    }

    /// Returns the direction of the bone of a role, if other roles or the body define it.
    fn bone(&self, role: &str, joint: JointIndex) -> Option<Vector3<f64>> {
        let (side, part) = split_side(role);
        let here = self.bind[joint.get()].translation;
        let next = match part {
            "hips" | "spine" | "chest" | "upperChest" | "neck" | "head" => {
                return self.directions.map(|body| if self.is_quadruped { body.front } else { body.up });
            }
            "Eye" => return self.directions.map(|body| body.front),
            "Hand" => {
                let knuckles = FINGERS.iter().filter_map(|finger| self.position(&format!("{side}{finger}Proximal")));
                let knuckles: Vec<Vector3<f64>> = knuckles.collect();
                let count = knuckles.len() as f64;
                return (knuckles.iter().sum::<Vector3<f64>>() - here * count).try_normalize(1e-9);
            }
            "Shoulder" => "UpperArm".to_owned(),
            "UpperArm" => "LowerArm".to_owned(),
            "LowerArm" => "Hand".to_owned(),
            "UpperLeg" => "LowerLeg".to_owned(),
            "LowerLeg" => "Foot".to_owned(),
            "Foot" => "Toes".to_owned(),
            "ThumbMetacarpal" => "ThumbProximal".to_owned(),
            "ThumbProximal" => "ThumbDistal".to_owned(),
            _ => match (part.strip_suffix("Proximal"), part.strip_suffix("Intermediate")) {
                (Some(finger), _) => format!("{finger}Intermediate"),
                (_, Some(finger)) => format!("{finger}Distal"),
                _ => return None,
            },
        };
        (self.position(&format!("{side}{next}"))? - here).try_normalize(1e-9)
    }

    /// The axes of a joint with a role, in the space of the mesh.
    fn axes(&self, role: &str, joint: JointIndex) -> [Vector3<f64>; 3] {
        let along = self.along[joint.get()];
        let Some(body) = self.directions else { return self.default_axes(joint, self.parent_of(role)) };
        let (side, part) = split_side(role);
        let (back, down) = (-body.front, -body.up);
        let out = if side == "right" { -body.left } else { body.left };
        let trunk = if self.is_quadruped { down } else { body.front };
        let (towards, otherwise) = match part {
            "LowerLeg" => (back, down),
            "LowerArm" | "UpperArm" => (body.front, body.up),
            "UpperLeg" => (body.front, body.up),
            "Shoulder" => (body.front, body.up),
            "jaw" | "Eye" | "Foot" => (down, back),
            "Toes" => (body.up, body.front),
            "hips" | "spine" | "chest" | "upperChest" | "neck" | "head" => (trunk, down),
            _ if self.is_quadruped => (back, down),
            "Hand" => (self.palm(side, &body).0, back),
            _ => {
                let (palm, to_little) = self.palm(side, &body);
                (if part.starts_with("Thumb") { palm + to_little } else { palm }, to_little)
            }
        };
        let across = |direction: Vector3<f64>| along.cross(&direction.normalize());
        let bend = Some(across(towards)).filter(|axis| axis.norm() > MIN_ACROSS).unwrap_or_else(|| across(otherwise));
        let mut bend = bend.try_normalize(1e-9).unwrap_or(body.left);
        if is_hinge(part)
            && let Some(bound) = self.bend_axis(joint, self.parent_of(role))
            && (bound.normalize().dot(&bend) > 0.5 || bound.norm() > DIRECTION_BEND)
        {
            bend = bound.normalize();
        }
        // Away from the body: arms are raised, and legs spread.
        let outward = match part {
            "UpperArm" => across(body.up),
            "UpperLeg" => across(out),
            _ => Vector3::zeros(),
        };
        let sideways = Some(outward).filter(|axis| axis.norm() > MIN_ACROSS);
        let sideways = sideways.map_or_else(|| along.cross(&bend), |axis| axis.normalize());
        [bend, sideways, along]
    }

    /// The axes of a joint without a role, in the space of the mesh.
    fn default_axes(&self, joint: JointIndex, parent: Option<JointIndex>) -> [Vector3<f64>; 3] {
        let along = self.along[joint.get()];
        let bend = along.cross(&Vector3::z());
        let bend = if bend.norm() < MIN_ACROSS { along.cross(&Vector3::y()) } else { bend };
        let bend = self.bend_axis(joint, parent).unwrap_or(bend).normalize();
        [bend, along.cross(&bend), along]
    }

    /// Returns the joint of the next mapped role towards the hips.
    fn parent_of(&self, role: &str) -> Option<JointIndex> {
        let (side, part) = split_side(role);
        let parent = match part {
            "LowerArm" => "UpperArm".to_owned(),
            "LowerLeg" => "UpperLeg".to_owned(),
            _ => match (part.strip_suffix("Intermediate"), part.strip_suffix("Distal")) {
                (Some(finger), _) => format!("{finger}Proximal"),
                (_, Some(finger)) => format!("{finger}Intermediate"),
                _ => return None,
            },
        };
        self.roles.get(&format!("{side}{parent}")).copied()
    }

    /// Returns the axis about which a joint is bent at the bind pose, as long as the sine of the bend; `None` for a straight one.
    fn bend_axis(&self, joint: JointIndex, parent: Option<JointIndex>) -> Option<Vector3<f64>> {
        let above = self.bind[joint.get()].translation - self.bind[parent?.get()].translation;
        let axis = above.try_normalize(1e-9)?.cross(&self.along[joint.get()]);
        (PLANE_BEND..MAX_BEND).contains(&axis.norm()).then_some(axis)
    }

    /// Returns the normal of the palm, and the direction in the palm from the index finger to the little finger.
    fn palm(&self, side: &str, body: &Directions) -> (Vector3<f64>, Vector3<f64>) {
        let position = |part: &str| self.position(&format!("{side}{part}"));
        // The thumb is beside the index finger.
        let thumb = position("ThumbMetacarpal").or_else(|| position("ThumbProximal"));
        let fingers: Vec<Vector3<f64>> =
            FINGERS.iter().filter_map(|finger| position(&format!("{finger}Proximal"))).collect();
        let hand = self.roles.get(&format!("{side}Hand"));
        let along = hand.map_or(body.up, |hand| self.along[hand.get()]);
        let to_little = match (&fingers[..], thumb, hand) {
            ([index, .., little], _, _) => Some(little - index),
            (_, Some(thumb), Some(hand)) => Some(self.bind[hand.get()].translation - thumb),
            _ => None,
        };
        let to_little = to_little.and_then(|to| (to - along * along.dot(&to)).try_normalize(1e-9));
        let is_right = side == "right";
        let Some(to_little) = to_little else {
            // The palms of a T-pose face down, with the thumbs in front.
            let out = if is_right { -body.left } else { body.left };
            let swing = UnitQuaternion::rotation_between(&out, &along).unwrap_or_default();
            return (swing * -body.up, swing * -body.front);
        };
        let names_are_swapped = self.across("UpperArm").dot(&body.left) < 0.0;
        let palm = to_little.cross(&along);
        (if is_right != names_are_swapped { -palm } else { palm }, to_little)
    }

    /// Degrees by which a knee, an elbow or a finger is bent at rest towards its direction.
    fn bend_at_rest(&self, role: &str, joint: JointIndex, rest: &ModelPose, axis: Unit<Vector3<f64>>) -> f64 {
        let position = |joint: JointIndex| rest.model_from_joint(joint).translation;
        let (side, part) = split_side(role);
        let next = match part {
            "LowerArm" => "Hand".to_owned(),
            "LowerLeg" => "Foot".to_owned(),
            _ => part.replace("Intermediate", "Distal"),
        };
        let next = self.roles.get(&format!("{side}{next}"));
        let (Some(parent), Some(next)) = (self.parent_of(role), next) else { return 0.0 };
        let (above, below) = (position(joint) - position(parent), position(*next) - position(joint));
        axis.dot(&above.cross(&below)).atan2(above.dot(&below)).to_degrees()
    }

    /// Degrees by which a limb can go towards the body sideways: arms hang down at most.
    fn room_below(&self, role: &str, joint: JointIndex) -> f64 {
        match (self.directions, split_side(role).1) {
            (Some(body), "UpperArm") if !self.is_quadruped => self.along[joint.get()].angle(&-body.up).to_degrees(),
            _ => f64::INFINITY,
        }
    }
}

/// Splits the name of a role into its side, if it has one, and the rest.
fn split_side(role: &str) -> (&str, &str) {
    let split = |side| Some((side, role.strip_prefix(side)?));
    split("left").or_else(|| split("right")).unwrap_or(("", role))
}

/// Returns `true` for joints that bend in one plane only.
fn is_hinge(part: &str) -> bool {
    let is_finger = part.ends_with("Intermediate") || part.ends_with("Distal");
    part == "LowerArm" || part == "LowerLeg" || is_finger && !part.starts_with("Thumb")
}

/// Maps the axis of a rotation, which a mirroring map turns over.
fn map_axis(linear: &Matrix3<f64>, axis: Vector3<f64>) -> Unit<Vector3<f64>> {
    let mapped = linear * axis * linear.determinant().signum();
    Unit::try_new(mapped, 1e-12).unwrap_or_else(Vector3::x_axis)
}

/// Finds the joint of each role.
///
/// Control rigs have joints without weights at the places of others. Roles are found without them, as names and structure are those of a
/// body then.
fn find_roles(model: &Model, rest: &ModelPose, mesh: &FlexMesh<'_>) -> Roles {
    let near = SAME_PLACE * mesh.size();
    let position = |joint: JointIndex| rest.model_from_joint(joint).translation;
    let joints = model.skeleton.joints();
    // Per joint, itself or a joint below at the same place, with weights.
    let mut with_weights: Vec<Option<JointIndex>> = vec![None; joints.len()];
    for (i, joint) in joints.iter().enumerate().rev() {
        let index = JointIndex(i as u32);
        if mesh.has_weights(index) {
            with_weights[i] = Some(index);
        }
        if let (Some(found), Some(parent)) = (with_weights[i], joint.parent)
            && (position(found) - position(parent)).norm() <= near
        {
            with_weights[parent.get()] = Some(found);
        }
    }
    let is_helper = |joint: JointIndex| with_weights[joint.get()].is_some_and(|found| found != joint);
    // The joints without helpers: their indices in the model, and the index there of each joint or the one above it.
    let (mut kept, mut kept_of, mut reduced) = (Vec::new(), Vec::new(), Vec::new());
    for (i, joint) in joints.iter().enumerate() {
        let index = JointIndex(i as u32);
        let parent: Option<JointIndex> = joint.parent.and_then(|parent: JointIndex| kept_of[parent.get()]);
        if is_helper(index) {
            kept_of.push(parent);
            continue;
        }
        let above = parent.and_then(|parent| rest.model_from_joint(kept[parent.get()]).inverse());
        let local = above.unwrap_or(Affine::IDENTITY) * *rest.model_from_joint(index);
        reduced.push(Joint { parent, rest: local.to_transform(), exact_rest_matrix: None, ..joint.clone() });
        kept_of.push(Some(JointIndex(kept.len() as u32)));
        kept.push(index);
    }
    let in_reduced = |joint: JointIndex| kept_of[joint.get()].filter(|_| !is_helper(joint));
    let skin = |skin: &Skin| Skin {
        joints: skin.joints.iter().filter_map(|joint| in_reduced(*joint)).collect(),
        name: None,
        joint_from_mesh: [].into(),
    };
    let bones = model.human_bones.iter();
    let without_helpers = Model {
        skeleton: Skeleton::new(reduced, model.skeleton.rest_morph_weights().to_vec()),
        skins: model.skins.iter().map(skin).collect(),
        human_bones: bones
            .filter_map(|bone| Some(HumanBoneJoint { joint: in_reduced(bone.joint)?, ..bone.clone() }))
            .collect(),
        ..Model::default()
    };
    let map = RigMap::detect(&without_helpers);
    Role::all().filter_map(|role| Some((role.to_string(), kept[map.get(role)?.joint.get()]))).collect()
}

/// Returns `mesh_from_joint` of each joint at the bind pose of the largest skin.
///
/// A joint without a weight there follows its children with one, else its parent, by its rest transform: its matrix moves no vertex, and
/// exporters write anything.
fn bind_pose(model: &Model, rest: &ModelPose, mesh: &FlexMesh<'_>) -> Vec<Affine> {
    let joints = model.skeleton.joints();
    let mut bind: Vec<Option<Affine>> = vec![None; joints.len()];
    let largest = model.skins.iter().rev().max_by_key(|skin| skin.joints.len());
    for (joint, matrix) in largest.iter().flat_map(|skin| skin.joints.iter().zip(skin.joint_from_mesh.iter())) {
        bind[joint.get()] = matrix.inverse().filter(|_| mesh.areas[joint.get()] > 0.0);
    }
    for (i, joint) in joints.iter().enumerate().rev() {
        if let (Some(here), Some(parent)) = (bind[i], joint.parent)
            && bind[parent.get()].is_none()
        {
            bind[parent.get()] =
                joint.matrix_of(&joint.rest).inverse().map(|joint_from_parent| here * joint_from_parent);
        }
    }
    let mut pose: Vec<Affine> = Vec::with_capacity(joints.len());
    for (i, joint) in joints.iter().enumerate() {
        let below_parent = || joint.parent.map(|parent| pose[parent.get()] * joint.matrix_of(&joint.rest));
        let here = bind[i].or_else(below_parent).unwrap_or_else(|| *rest.model_from_joint(JointIndex(i as u32)));
        pose.push(here);
    }
    pose
}

/// Returns the direction of each joint's bone at the bind pose: to its children, else to the area that follows it, else away from its
/// parent.
fn bone_directions(model: &Model, rest: &ModelPose, mesh: &FlexMesh<'_>, bind: &[Affine]) -> Vec<Vector3<f64>> {
    let joints = model.skeleton.joints();
    let position = |i: usize| bind[i].translation;
    let mut to_children = vec![Vector3::zeros(); joints.len()];
    for (i, joint) in joints.iter().enumerate() {
        if let Some(parent) = joint.parent {
            to_children[parent.get()] += position(i) - position(parent.get());
        }
    }
    let direction = |i: usize| {
        let joint_from_model = rest.model_from_joint(JointIndex(i as u32)).inverse();
        let center = joint_from_model.map(|matrix| matrix.transform_point(mesh.moments[i] / mesh.areas[i]));
        let to_area = center.map_or(Vector3::zeros(), |center| bind[i].transform_vector(center));
        let from_parent = joints[i].parent.map_or_else(Vector3::y, |parent| position(i) - position(parent.get()));
        let usable = |v: &Vector3<f64>| v.norm() > 1e-9 && v.iter().all(|x| x.is_finite());
        [to_children[i], to_area, from_parent].into_iter().find(usable).unwrap_or_else(Vector3::y).normalize()
    };
    (0..joints.len()).map(direction).collect()
}
