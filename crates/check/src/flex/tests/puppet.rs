//! A puppet with planted faults: a trunk, two arms and two legs, with smooth weights.

use crate::tests::valid_file::glb;
use nalgebra::{Matrix4, Rotation3, UnitQuaternion, Vector3};
use rigview_core::math::{Affine, Transform};
use serde_json::{Value, json};

/// A fault of the puppet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    SwappedWeights,
    UnboundPatch,
    CollapsingElbow,
    ForgottenSide,
    WrongBind,
    SmearedNeck,
}

impl Fault {
    pub(super) const ALL: [Self; 6] = [
        Self::SwappedWeights,
        Self::UnboundPatch,
        Self::CollapsingElbow,
        Self::ForgottenSide,
        Self::WrongBind,
        Self::SmearedNeck,
    ];
}

/// What differs between the puppets of one fault.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variation {
    pub(super) size: f64,
    /// Rotation of the whole puppet, in degrees about X.
    pub(super) tilt: f64,
    /// Rotation of the axes of all joints, in degrees.
    pub(super) joint_axes: f64,
    /// Names of trunk, arms, legs and head.
    pub(super) names: [&'static str; 4],
    /// Rings per limb, and vertices per ring.
    pub(super) density: [usize; 2],
    /// Second kind of the fault, and the other arm.
    pub(super) other: bool,
}

const NAMES: [[&str; 4]; 4] = [
    ["hips,spine", "arm.S,forearm.S,hand.S", "thigh.S,shin.S", "neck,head"],
    [
        "mixamorig:Hips,mixamorig:Spine",
        "mixamorig:SArm,mixamorig:SForeArm,mixamorig:SHand",
        "mixamorig:SUpLeg,mixamorig:SLeg",
        "mixamorig:Neck,mixamorig:Head",
    ],
    ["Bone,Bone.001", "", "", ""],
    ["pelvis,spine_01", "upperarm_S,lowerarm_S,hand_S", "thigh_S,calf_S", "neck_01,head"],
];

pub(super) const VARIATIONS: [Variation; 6] = [
    Variation { size: 1.0, tilt: 0.0, joint_axes: 0.0, names: NAMES[0], density: [16, 8], other: false },
    Variation { size: 0.01, tilt: 0.0, joint_axes: 90.0, names: NAMES[1], density: [24, 12], other: true },
    Variation { size: 100.0, tilt: 90.0, joint_axes: 33.0, names: NAMES[2], density: [16, 6], other: false },
    Variation { size: 1.0, tilt: -90.0, joint_axes: 180.0, names: NAMES[3], density: [60, 24], other: true },
    Variation { size: 3.0, tilt: 180.0, joint_axes: -70.0, names: NAMES[2], density: [30, 16], other: true },
    Variation { size: 0.3, tilt: 0.0, joint_axes: 120.0, names: NAMES[1], density: [12, 8], other: false },
];

/// The joints: hips and spine; arm, forearm and hand of both sides; thigh and shin of both sides; neck and head. Names end in
/// their side.
struct Joint {
    name: String,
    parent: Option<usize>,
    position: Vector3<f64>,
}

struct Puppet {
    joints: Vec<Joint>,
    positions: Vec<Vector3<f64>>,
    influences: Vec<Vec<(usize, f64)>>,
    triangles: Vec<[usize; 3]>,
}

const FOREARMS: [usize; 2] = [3, 6];
pub(super) const NECK: usize = 12;

impl Puppet {
    fn new(variation: &Variation) -> Self {
        let mut joints = Vec::new();
        let mut add = |list: &str, side: &str, mut parent: Option<usize>, points: &[[f64; 3]]| {
            let mut names = list.split(',');
            for point in points {
                let name = names.next().map_or_else(String::new, |name| name.replace('S', side));
                joints.push(Joint { name, parent, position: Vector3::from(*point) });
                parent = Some(joints.len() - 1);
            }
        };
        let [trunk, arm, leg, head] = variation.names;
        add(trunk, "S", None, &[[0.0, 0.9, 0.0], [0.0, 1.15, 0.0]]);
        for (side, x) in [("L", 1.0), ("R", -1.0)] {
            let side = if arm.contains(':') { ["Left", "Right"][usize::from(x < 0.0)] } else { side };
            add(arm, side, Some(1), &[[0.2 * x, 1.4, 0.0], [0.45 * x, 1.4, -0.01], [0.7 * x, 1.4, 0.0]]);
        }
        for (side, x) in [("L", 1.0), ("R", -1.0)] {
            let side = if arm.contains(':') { ["Left", "Right"][usize::from(x < 0.0)] } else { side };
            add(leg, side, Some(0), &[[0.12 * x, 0.9, 0.0], [0.12 * x, 0.5, 0.01]]);
        }
        add(head, "", Some(1), &[[0.0, 1.6, 0.0], [0.0, 1.75, 0.0]]);
        let mut puppet = Self { joints, positions: Vec::new(), influences: Vec::new(), triangles: Vec::new() };
        puppet.add_tube(variation.density, [[0.0, 0.8, 0.0], [0.0, 1.6, 0.0]], 0.16, &[(0, 0.0), (1, 0.35)], 0.16);
        for (first, x) in [(2, 1.0), (5, -1.0)] {
            let chain = [(1, 0.0), (first, 0.12), (first + 1, 0.37), (first + 2, 0.62)];
            puppet.add_tube(variation.density, [[0.08 * x, 1.4, 0.0], [0.85 * x, 1.4, 0.0]], 0.06, &chain, 0.06);
        }
        for (first, x) in [(8, 1.0), (10, -1.0)] {
            let chain = [(0, 0.0), (first, 0.1), (first + 1, 0.5)];
            puppet.add_tube(variation.density, [[0.12 * x, 1.0, 0.0], [0.12 * x, 0.0, 0.0]], 0.08, &chain, 0.08);
        }
        puppet.add_tube(
            variation.density,
            [[0.0, 1.5, 0.0], [0.0, 2.0, 0.0]],
            0.07,
            &[(1, 0.0), (NECK, 0.1), (NECK + 1, 0.25)],
            0.07,
        );
        puppet
    }

    /// Adds a closed tube. From the distance of each joint in `chain` on, in meters, its vertices follow that joint, after a transition.
    fn add_tube(
        &mut self,
        [rings, around]: [usize; 2],
        ends: [[f64; 3]; 2],
        radius: f64,
        chain: &[(usize, f64)],
        transition: f64,
    ) {
        let [start, end] = ends.map(Vector3::from);
        let along = (end - start).normalize();
        let (side, length) = (any_across(&along), (end - start).norm());
        let first = self.positions.len();
        for ring in 0..=rings {
            let distance = length * ring as f64 / rings as f64;
            let radius = if ring == 0 || ring == rings { 0.3 * radius } else { radius };
            for i in 0..around {
                let angle = std::f64::consts::TAU * i as f64 / around as f64;
                let offset = side * angle.cos() + along.cross(&side) * angle.sin();
                self.positions.push(start + along * distance + offset * radius);
                self.influences.push(weights_at(chain, distance, transition));
            }
        }
        for ring in 0..rings {
            for i in 0..around {
                let corner = |ring: usize, i: usize| first + ring * around + i % around;
                let (a, b, c, d) = (corner(ring, i), corner(ring, i + 1), corner(ring + 1, i), corner(ring + 1, i + 1));
                self.triangles.extend([[a, b, c], [b, d, c]]);
            }
        }
        for i in 1..around - 1 {
            let last = first + rings * around;
            self.triangles.extend([[first, first + i + 1, first + i], [last, last + i, last + i + 1]]);
        }
    }

    /// Replaces influences; `change` gets the position of the vertex.
    fn change_influences(&mut self, change: impl Fn(&Vector3<f64>, &mut Vec<(usize, f64)>)) {
        for (position, influences) in self.positions.iter().zip(&mut self.influences) {
            change(position, influences);
        }
    }

    fn plant(&mut self, fault: Fault, variation: &Variation) {
        let arm = usize::from(variation.other);
        let (forearm, sign) = (FOREARMS[arm], [1.0, -1.0][arm]);
        let swap = |a: usize, b: usize, influences: &mut Vec<(usize, f64)>| {
            for (joint, _) in influences {
                *joint = if *joint == a {
                    b
                } else if *joint == b {
                    a
                } else {
                    *joint
                };
            }
        };
        match fault {
            // Left and right, or upper arm and forearm.
            Fault::SwappedWeights if variation.other => {
                self.change_influences(|_, list| swap(FOREARMS[0], FOREARMS[1], list));
            }
            Fault::SwappedWeights => self.change_influences(|_, list| swap(forearm, forearm - 1, list)),
            Fault::UnboundPatch => self.change_influences(|position, list| {
                if (0.52..0.64).contains(&(sign * position.x)) && position.y > 1.41 {
                    *list = vec![(0, 1.0)];
                }
            }),
            Fault::CollapsingElbow => self.change_influences(|position, list| {
                // Smoothed until the whole arm is between its two joints.
                let distance = sign * position.x - 0.2;
                if (0.02..0.48).contains(&distance) && (position.y - 1.4).abs() < 0.1 {
                    let weight = 0.4 + 0.4 * distance;
                    *list = vec![(forearm - 1, 1.0 - weight), (forearm, weight)];
                }
            }),
            Fault::ForgottenSide => self.change_influences(|_, list| {
                let of_trunk: Vec<_> = list.iter().filter(|(joint, _)| *joint == 1).copied().collect();
                let rest = 1.0 - of_trunk.iter().map(|(_, weight)| weight).sum::<f64>();
                if list.iter().any(|(joint, _)| (forearm - 1..=forearm + 1).contains(joint)) {
                    *list = of_trunk.into_iter().chain([(forearm - 1, rest)]).collect();
                }
            }),
            Fault::WrongBind => {}
            Fault::SmearedNeck => self.change_influences(|_, list| {
                if let Some(weight) = list.iter().find(|(joint, _)| *joint == NECK).map(|(_, weight)| *weight) {
                    let of_parent = list.iter().find(|(joint, _)| *joint == 1).map_or(0.0, |(_, weight)| *weight);
                    list.retain(|(joint, _)| ![1, NECK].contains(joint));
                    list.extend([(NECK, weight / 2.0), (1, of_parent + weight / 2.0)]);
                }
            }),
        }
    }

    /// Writes the puppet as GLB. `with_helpers` adds a joint without weights above each, as control rigs have: at nearly its place, with a
    /// bind matrix of anywhere.
    fn to_glb(&self, fault: Option<Fault>, variation: &Variation, with_helpers: bool) -> Vec<u8> {
        let world = Rotation3::from_axis_angle(&Vector3::x_axis(), variation.tilt.to_radians());
        let place = |v: &Vector3<f64>| world * v * variation.size;
        let turn = |i: usize| {
            let axis = nalgebra::Unit::new_normalize(Vector3::new(1.0, 0.5 * i as f64, -0.3));
            UnitQuaternion::from_axis_angle(&axis, variation.joint_axes.to_radians())
        };
        let model_from_joint = |i: usize| turn(i).to_homogeneous().append_translation(&place(&self.joints[i].position));
        let joints = self.joints.iter().enumerate().map(|(i, joint)| {
            let rest = model_from_joint(i);
            let mut bind = rest;
            if fault == Some(Fault::WrongBind) && i == FOREARMS[usize::from(variation.other)] {
                bind = bind.append_translation(&(world * Vector3::new(0.02, 0.12, 0.04) * variation.size));
            }
            BoundJoint { name: joint.name.clone(), parent: joint.parent, rest, bind }
        });
        let mut joints: Vec<BoundJoint> = joints.collect();
        let count = if with_helpers { joints.len() } else { 0 };
        for i in 1..count {
            let helper = BoundJoint {
                name: format!("MCH-{}", joints[i].name),
                parent: joints[i].parent,
                rest: joints[i].rest.append_translation(&Vector3::repeat(1e-4 * variation.size)),
                bind: Matrix4::new_translation(&Vector3::new(70.0, -300.0, 20.0 * i as f64)),
            };
            joints[i].parent = Some(joints.len());
            joints.push(helper);
        }
        let positions: Vec<Vector3<f64>> = self.positions.iter().map(place).collect();
        skinned_glb(&joints, &positions, &self.influences, &self.triangles)
    }
}

/// A joint of a file.
pub(super) struct BoundJoint {
    /// Empty for none.
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    /// `model_from_joint` at rest.
    pub(super) rest: Matrix4<f64>,
    /// `mesh_from_joint` at the bind pose.
    pub(super) bind: Matrix4<f64>,
}

/// Writes a skinned mesh as GLB. Parents precede their children; vertices have up to four influences.
pub(super) fn skinned_glb(
    joints: &[BoundJoint],
    positions: &[Vector3<f64>],
    influences: &[Vec<(usize, f64)>],
    triangles: &[[usize; 3]],
) -> Vec<u8> {
    let mut nodes: Vec<Value> = Vec::new();
    let mut matrices: Vec<f32> = Vec::new();
    for (i, joint) in joints.iter().enumerate() {
        let parent_from_model = joint.parent.map_or_else(Matrix4::identity, |p| joints[p].rest.try_inverse().unwrap());
        let local = parent_from_model * joint.rest;
        let linear = local.fixed_view::<3, 3>(0, 0).into_owned();
        let Transform { translation, rotation, scale } =
            Affine { linear, translation: local.column(3).xyz() }.to_transform();
        let mut node = json!({
            "translation": translation.as_slice(), "rotation": rotation.coords.as_slice(), "scale": scale.as_slice()
        });
        if !joint.name.is_empty() {
            node["name"] = json!(joint.name);
        }
        let children: Vec<usize> = (0..joints.len()).filter(|child| joints[*child].parent == Some(i)).collect();
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        nodes.push(node);
        matrices.extend(joint.bind.try_inverse().unwrap().iter().map(|x| *x as f32));
    }
    nodes.push(json!({"mesh": 0, "skin": 0}));
    let coordinates: Vec<f32> = positions.iter().flat_map(|v| v.map(|x| x as f32).data.0[0]).collect();
    let mut slots: Vec<u8> = Vec::new();
    let mut weights: Vec<f32> = Vec::new();
    for list in influences {
        for k in 0..4 {
            let (slot, weight) = list.get(k).copied().filter(|(_, weight)| *weight > 0.0).unwrap_or((0, 0.0));
            slots.push(slot as u8);
            weights.push(weight as f32);
        }
    }
    let indices: Vec<u8> = triangles.iter().flatten().flat_map(|i| (*i as u32).to_le_bytes()).collect();
    let floats = |values: &[f32]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let count = positions.len();
    let (mut bytes, mut views, mut accessors) = (Vec::new(), Vec::new(), Vec::new());
    for (data, component, kind, count) in [
        (floats(&coordinates), 5126, "VEC3", count),
        (slots, 5121, "VEC4", count),
        (floats(&weights), 5126, "VEC4", count),
        (indices, 5125, "SCALAR", 3 * triangles.len()),
        (floats(&matrices), 5126, "MAT4", joints.len()),
    ] {
        views.push(json!({"buffer": 0, "byteOffset": bytes.len(), "byteLength": data.len()}));
        accessors
            .push(json!({"bufferView": views.len() - 1, "componentType": component, "type": kind, "count": count}));
        bytes.extend(data);
    }
    let bound = |pick: fn(f32, f32) -> f32| {
        let of = |axis: usize| coordinates[axis..].iter().step_by(3).copied().reduce(pick).unwrap();
        json!([of(0), of(1), of(2)])
    };
    (accessors[0]["min"], accessors[0]["max"]) = (bound(f32::min), bound(f32::max));
    let roots: Vec<usize> =
        (0..=joints.len()).filter(|i| joints.get(*i).is_none_or(|joint| joint.parent.is_none())).collect();
    let json = json!({
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": bytes.len()}], "bufferViews": views, "accessors": accessors,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}, "indices": 3}]}],
        "skins": [{"joints": (0..joints.len()).collect::<Vec<_>>(), "inverseBindMatrices": 4}],
        "nodes": nodes, "scenes": [{"nodes": roots}], "scene": 0,
    });
    glb(&json, &bytes)
}

/// A unit vector perpendicular to `along`.
fn any_across(along: &Vector3<f64>) -> Vector3<f64> {
    let across = along.cross(&Vector3::z());
    if across.norm() > 0.5 { across.normalize() } else { Vector3::x() }
}

/// Weights at a distance along a chain of joints; within `transition` of a joint it shares with the joint before.
fn weights_at(chain: &[(usize, f64)], distance: f64, transition: f64) -> Vec<(usize, f64)> {
    let mut weights = vec![(chain[0].0, 1.0)];
    for (joint, start) in &chain[1..] {
        let x = ((distance - start) / (2.0 * transition) + 0.5).clamp(0.0, 1.0);
        let weight = x * x * (3.0 - 2.0 * x);
        weights.iter_mut().for_each(|(_, other)| *other *= 1.0 - weight);
        weights.push((*joint, weight));
    }
    weights.retain(|(_, weight)| *weight > 1e-6);
    weights
}

/// Returns a puppet as GLB, with a fault or healthy.
pub(super) fn puppet(fault: Option<Fault>, variation: &Variation) -> Vec<u8> {
    planted(fault, variation).to_glb(fault, variation, false)
}

/// The same with helper joints between its joints.
pub(super) fn puppet_with_helpers(fault: Option<Fault>, variation: &Variation) -> Vec<u8> {
    planted(fault, variation).to_glb(fault, variation, true)
}

/// Returns a healthy puppet with a joint for each eye, of which the right one has both eyes. On its left side is a pouch.
pub(super) fn puppet_with_eyes(variation: &Variation) -> Vec<u8> {
    let mut puppet = planted(None, variation);
    for (x, joint) in [(1.0, EYES[0]), (-1.0, EYES[1])] {
        let position = Vector3::new(0.03 * x, 1.85, 0.08);
        puppet.joints.push(Joint { name: format!("eye {joint}"), parent: Some(NECK + 1), position });
        let ends = [[0.03 * x, 1.85, 0.06], [0.03 * x, 1.85, 0.1]];
        puppet.add_tube([4, 6], ends, 0.02, &[(EYES[1], 0.0)], 0.01);
    }
    puppet.add_tube([4, 8], [[0.25, 0.9, 0.0], [0.4, 0.9, 0.0]], 0.1, &[(8, 0.0)], 0.01);
    puppet.to_glb(None, variation, false)
}

/// Returns a healthy puppet but for one vertex of the left arm, which follows the right shin.
pub(super) fn puppet_with_stray_vertex(variation: &Variation) -> Vec<u8> {
    let mut puppet = planted(None, variation);
    let place = Vector3::new(0.5, 1.46, 0.0);
    let distance = |i: &usize| (puppet.positions[*i] - place).norm();
    let nearest = (0..puppet.positions.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap();
    puppet.influences[nearest] = vec![(11, 1.0)];
    puppet.to_glb(None, variation, false)
}

/// The joints of the eyes of [`puppet_with_eyes`].
const EYES: [usize; 2] = [NECK + 2, NECK + 3];

fn planted(fault: Option<Fault>, variation: &Variation) -> Puppet {
    let mut puppet = Puppet::new(variation);
    if let Some(fault) = fault {
        puppet.plant(fault, variation);
    }
    puppet
}
