//! Transfer of poses: rotations relative to the rest pose, in model space.

use super::body::Body;
use super::directions::{local_rotation, rotation_of, swing};
use super::role::{BodyPart, Role, Side};
use super::twist::{LimbBone, TwistJoint, twist_joints};
use crate::math::{Affine, Transform};
use crate::model::{Clip, Interpolation, JointIndex, KeyValues, Timeline, Track};
use crate::pose::ModelPose;
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3, Vector4};
use std::collections::{BTreeSet, HashMap};

/// Largest difference of the proportions of equal skeletons.
const PROPORTION_TOLERANCE: f64 = 1e-3;

/// A joint of the target that follows the source.
pub(super) struct Node {
    pub(super) role: Option<Role>,
    pub(super) joint: JointIndex,
    /// Indices of two joints in [`Transfer::sources`], and the weight of the second.
    source: (usize, usize, f64),
    /// Rotation in model space while the source is at rest.
    pub(super) aligned: UnitQuaternion<f64>,
    /// For a joint that is not below the joint of its parent role, such as a foot moved by inverse kinematics: the index of the node of
    /// that role, and the position of the joint relative to it at rest.
    detached: Option<(usize, Vector3<f64>)>,
}

impl Node {
    pub(super) fn is_detached(&self) -> bool {
        self.detached.is_some()
    }
}

/// A joint of the target with the indices of its node and of its twist joint.
pub(super) struct ChainJoint {
    pub(super) joint: JointIndex,
    node: Option<usize>,
    twist: Option<usize>,
}

/// One time of a clip.
pub(super) struct Sample {
    /// Rotations of the nodes in model space.
    pub(super) rotations: Vec<UnitQuaternion<f64>>,
    /// Position of the hips in model space.
    pub(super) hips: Vector3<f64>,
}

/// The transfer from one rig to another.
pub(super) struct Transfer<'a> {
    pub(super) source: &'a Body<'a>,
    pub(super) target: &'a Body<'a>,
    /// From directions of the source to those of the target.
    target_from_source: UnitQuaternion<f64>,
    /// From lengths of the source to those of the target.
    scale: f64,
    /// Position of the hips while the target stands in the rest pose of the source.
    hips: Vector3<f64>,
    /// Positions of the middle between the legs at rest: in the source relative to its hips, and in the target in its hips. Hips may be
    /// anywhere around that.
    legs: [Vector3<f64>; 2],
    /// Joints of the source, and their rotations at rest, inverted.
    pub(super) sources: Vec<(JointIndex, UnitQuaternion<f64>)>,
    pub(super) nodes: Vec<Node>,
    pub(super) twists: Vec<TwistJoint>,
    /// Joints of the target that are animated, and those above, parents first.
    pub(super) chain: Vec<ChainJoint>,
}

impl<'a> Transfer<'a> {
    pub(super) fn new(source: &'a Body<'a>, target: &'a Body<'a>) -> Self {
        let target_from_source = target.basis * source.basis.inverse();
        let mut transfer = Self {
            source,
            target,
            target_from_source,
            scale: target.leg_length / source.leg_length,
            hips: target.hips_position,
            legs: [Vector3::zeros(); 2],
            sources: Vec::new(),
            nodes: Vec::new(),
            twists: Vec::new(),
            chain: Vec::new(),
        };
        transfer.add_nodes();
        let rest_poses_match = transfer.align();
        if let Some((of_source, of_target)) =
            middle_of_legs(source, &source.rest).zip(middle_of_legs(target, &target.rest))
        {
            let [from, to] = [source, target].map(|body| &body.rest[body.hips.get()]);
            let in_target = rotation_of(to).inverse() * (of_target - to.translation);
            transfer.legs = [of_source - from.translation, in_target];
        }
        let joints: Vec<JointIndex> = transfer.nodes.iter().map(|node| node.joint).collect();
        transfer.twists = twist_joints(target, source.skeleton, &joints, &transfer.limb_bones());
        transfer.add_chain();
        // The rest pose of motion capture that is apart from the ground says little about standing.
        if !rest_poses_match && !target.map.is_quadruped() && source.is_grounded() && target.is_grounded() {
            transfer.hips = transfer.standing_hips();
        }
        transfer
    }

    /// Adds a node for each role in both maps, and for the spine of the target.
    fn add_nodes(&mut self) {
        let (source, target) = (self.source, self.target);
        let spine: BTreeSet<JointIndex> = target.spine.iter().copied().collect();
        let is_spine = |role: Role| [Role::SPINE, Role::CHEST, Role::UPPER_CHEST].contains(&role);
        for role in Role::all() {
            let Some((from, to)) = source.map.joint(role).zip(target.map.joint(role)) else { continue };
            if role == Role::HIPS {
                // Joints between the hips and the legs may turn back a rotation of the hips.
                let slots = self.pelvis().map(|joint| self.add_source(joint));
                self.add_node(Some(role), to, (slots[0], slots[1], 0.5));
            } else if !is_spine(role) && !spine.contains(&to) {
                let slot = self.add_source(from);
                self.add_node(Some(role), to, (slot, slot, 0.0));
            }
            if role == Role::HIPS && !source.spine.is_empty() {
                let slots: Vec<usize> =
                    [from].iter().chain(&source.spine).map(|joint| self.add_source(*joint)).collect();
                let (from, to) = (source.spine.len(), target.spine.len());
                for (i, joint) in target.spine.iter().enumerate() {
                    let at = (i + 1) as f64 * from as f64 / to as f64;
                    let before = (at.floor() as usize).min(from);
                    self.add_node(None, *joint, (slots[before], slots[(before + 1).min(from)], at - before as f64));
                }
            }
        }
    }

    /// Returns the joints from which the left and the right leg of the source branch off: usually both are the hips.
    fn pelvis(&self) -> [JointIndex; 2] {
        let hips = self.source.hips;
        Side::BOTH.map(|side| {
            let leg = self.source.map.joint(Role::sided(BodyPart::UpperLeg, side));
            leg.and_then(|leg| self.source.skeleton.joint(leg).parent).filter(|parent| *parent > hips).unwrap_or(hips)
        })
    }

    fn add_source(&mut self, joint: JointIndex) -> usize {
        self.sources.push((joint, rotation_of(&self.source.rest[joint.get()]).inverse()));
        self.sources.len() - 1
    }

    fn add_node(&mut self, role: Option<Role>, joint: JointIndex, source: (usize, usize, f64)) {
        self.nodes.push(Node { role, joint, source, aligned: UnitQuaternion::identity(), detached: None });
    }

    pub(super) fn node(&self, role: Role) -> Option<usize> {
        self.nodes.iter().position(|node| node.role == Some(role))
    }

    /// Returns the node that a node follows: the next one towards the hips.
    fn parent(&self, node: usize) -> Option<usize> {
        let spine = |i: usize| self.nodes.iter().position(|node| self.target.spine.get(i) == Some(&node.joint));
        let Some(mut role) = self.nodes[node].role else {
            let place = self.target.spine.iter().position(|joint| *joint == self.nodes[node].joint)?;
            return place.checked_sub(1).map_or_else(|| self.node(Role::HIPS), spine);
        };
        loop {
            role = role.parent()?;
            let found = match role {
                Role::UPPER_CHEST => self.target.spine.len().checked_sub(1).and_then(spine),
                role => self.node(role),
            };
            if found.is_some() {
                return found;
            }
        }
    }

    /// Returns positions of a node at rest in the source, as directions of the target, and in the target.
    fn positions(&self, node: usize) -> [Vector3<f64>; 2] {
        let Node { joint, source: (first, second, _), .. } = self.nodes[node];
        let at = |joint: JointIndex| self.target_from_source * self.source.rest[joint.get()].translation * self.scale;
        if joint == self.target.hips {
            return [at(self.source.hips), self.target.rest[joint.get()].translation];
        }
        let slot = if self.nodes[node].role.is_none() && first != second && self.nodes[node].source.2 > 0.5 {
            second
        } else {
            first
        };
        [at(self.sources[slot].0), self.target.rest[joint.get()].translation]
    }

    /// Returns `true` if both skeletons have the same proportions.
    fn have_same_proportions(&self, parents: &[Option<usize>]) -> bool {
        self.source.spine.len() == self.target.spine.len()
            && (0..self.nodes.len()).all(|node| {
                let Some(parent) = parents[node] else { return true };
                let ([a, b], [c, d]) = (self.positions(node), self.positions(parent));
                ((a - c).norm() - (b - d).norm()).abs() <= PROPORTION_TOLERANCE * self.target.leg_length
            })
    }

    /// Turns each limb of the target, at rest, into the direction that it has in the source. Returns `true` if both skeletons have the same
    /// proportions.
    fn align(&mut self) -> bool {
        let parents: Vec<Option<usize>> = (0..self.nodes.len()).map(|node| self.parent(node)).collect();
        let rest_poses_match = self.have_same_proportions(&parents);
        let mut children = vec![Vec::new(); self.nodes.len()];
        for (node, parent) in parents.iter().enumerate() {
            if let Some(parent) = parent {
                children[*parent].push(node);
            }
        }
        let mut corrections = vec![UnitQuaternion::identity(); self.nodes.len()];
        // Nodes of the spine follow that of the hips; others follow roles before them.
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|node| self.nodes[*node].joint);
        for node in order {
            let inherited = parents[node].map_or(UnitQuaternion::identity(), |parent| corrections[parent]);
            let [from, to] = self.positions(node);
            let directions: Vec<[Vector3<f64>; 2]> = children[node]
                .iter()
                .map(|child| {
                    let [child_from, child_to] = self.positions(*child);
                    [child_from - from, child_to - to]
                })
                .collect();
            corrections[node] = match self.nodes[node].role {
                _ if rest_poses_match => fit_rotation(inherited, &directions),
                Some(role) => self.correction(role, inherited, &directions),
                None => UnitQuaternion::identity(),
            };
            let rest = rotation_of(&self.target.rest[self.nodes[node].joint.get()]);
            self.nodes[node].aligned = corrections[node] * rest;
        }
        for (node, parent) in parents.into_iter().enumerate() {
            let Some(parent) = parent else { continue };
            let joint = |node: usize| self.nodes[node].joint;
            let mut ancestors =
                std::iter::successors(Some(joint(node)), |&joint| self.target.skeleton.joint(joint).parent);
            if !ancestors.any(|ancestor| ancestor == joint(parent)) {
                let [at, parent_at] = [node, parent].map(|node| self.target.rest[joint(node).get()].translation);
                let in_parent = rotation_of(&self.target.rest[joint(parent).get()]).inverse() * (at - parent_at);
                self.nodes[node].detached = Some((parent, in_parent));
            }
        }
        rest_poses_match
    }

    /// Returns the position of the hips at which the lower ankle of the aligned pose is as high as at rest.
    fn standing_hips(&self) -> Vector3<f64> {
        let (up, hips) = (self.target.up(), self.target.hips_position);
        let (rotations, mut pose) = (self.nodes.iter().map(|node| node.aligned).collect(), HashMap::new());
        self.pose(&Sample { rotations, hips }, &mut pose);
        let ankles = Side::BOTH.into_iter().filter_map(|side| self.node(Role::sided(BodyPart::Foot, side)));
        let ankles = ankles.map(|node| self.nodes[node].joint);
        let heights = ankles.map(|joint| [pose[&joint].1.translation, self.target.standing_position(joint)]);
        let lowest = heights
            .map(|positions| positions.map(|position| position.dot(&up)))
            .reduce(|a, b| [a[0].min(b[0]), a[1].min(b[1])]);
        hips + lowest.map_or(Vector3::zeros(), |[aligned, rest]| up * (rest - aligned))
    }

    /// Returns the rotation that takes a joint of other proportions to the rest pose of the source.
    ///
    /// Bodies and heads are upright and feet flat at rest, whatever the directions of their bones.
    fn correction(
        &self,
        role: Role,
        inherited: UnitQuaternion<f64>,
        directions: &[[Vector3<f64>; 2]],
    ) -> UnitQuaternion<f64> {
        let is = |part: BodyPart| Side::BOTH.iter().any(|side| role == Role::sided(part, *side));
        if is(BodyPart::Foot) {
            let up = self.target.up();
            let [Some(from), Some(to)] = [0, 1].map(|i| {
                let direction = directions.first()?[i];
                (direction - up * direction.dot(&up)).try_normalize(1e-9)
            }) else {
                return UnitQuaternion::identity();
            };
            return swing(to, from);
        }
        let is_limb = [BodyPart::UpperArm, BodyPart::LowerArm, BodyPart::UpperLeg, BodyPart::LowerLeg, BodyPart::Hand]
            .into_iter()
            .any(is);
        if is_limb || role.is_finger() {
            let mean = directions.iter().fold([Vector3::zeros(); 2], |sum, [from, to]| [sum[0] + from, sum[1] + to]);
            // A hand with a thumb alone has no direction.
            let has_direction = !is(BodyPart::Hand) || directions.len() > 1;
            return fit_rotation(inherited, if has_direction { std::slice::from_ref(&mean) } else { &[] });
        }
        if is(BodyPart::Toes) { inherited } else { UnitQuaternion::identity() }
    }

    /// Returns the bones of the limbs. The roll of a first bone is that relative to the body.
    fn limb_bones(&self) -> Vec<LimbBone> {
        let limbs = [
            [BodyPart::UpperArm, BodyPart::LowerArm, BodyPart::Hand],
            [BodyPart::UpperLeg, BodyPart::LowerLeg, BodyPart::Foot],
        ];
        let mut bones = Vec::new();
        for (limb, side) in limbs.into_iter().flat_map(|limb| Side::BOTH.map(|side| (limb, side))) {
            for (i, pair) in limb.windows(2).enumerate() {
                let [Some(bone), Some(tip)] = [pair[0], pair[1]].map(|part| self.node(Role::sided(part, side))) else {
                    continue;
                };
                let roll_node = if i == 0 { self.parent(bone) } else { Some(tip) };
                if let Some(roll_node) = roll_node.filter(|_| !self.nodes[tip].is_detached()) {
                    bones.push(LimbBone { bone, tip, roll_node });
                }
            }
        }
        bones
    }

    fn add_chain(&mut self) {
        let skeleton = self.target.skeleton;
        let mut needed = vec![false; skeleton.len()];
        for joint in self.nodes.iter().map(|node| node.joint).chain(self.twists.iter().map(|twist| twist.joint)) {
            needed[joint.get()] = true;
        }
        for (i, joint) in skeleton.joints().iter().enumerate().rev() {
            if let Some(parent) = joint.parent
                && needed[i]
            {
                needed[parent.get()] = true;
            }
        }
        let by_joint: HashMap<JointIndex, usize> =
            self.nodes.iter().enumerate().map(|(i, node)| (node.joint, i)).collect();
        // Detached joints, and those below, come after the joints that they follow.
        let mut is_last = vec![false; skeleton.len()];
        for (i, joint) in skeleton.joints().iter().enumerate() {
            let node = by_joint.get(&JointIndex(i as u32));
            is_last[i] = node.is_some_and(|node| self.nodes[*node].is_detached())
                || joint.parent.is_some_and(|parent| is_last[parent.get()]);
        }
        let mut joints: Vec<usize> = (0..skeleton.len()).filter(|i| needed[*i]).collect();
        joints.sort_by_key(|i| is_last[*i]);
        let twists: HashMap<JointIndex, usize> =
            self.twists.iter().enumerate().map(|(i, twist)| (twist.joint, i)).collect();
        let joints = joints.into_iter().map(|i| JointIndex(i as u32));
        let driven =
            |joint| ChainJoint { joint, node: by_joint.get(&joint).copied(), twist: twists.get(&joint).copied() };
        self.chain = joints.map(driven).collect();
    }

    /// Transfers a pose of the source.
    pub(super) fn sample(&self, pose: &ModelPose) -> Sample {
        let delta = |(joint, rest_inverse): &(JointIndex, UnitQuaternion<f64>)| {
            let delta = rotation_of(pose.model_from_joint(*joint)) * rest_inverse;
            self.target_from_source * delta * self.target_from_source.inverse()
        };
        let deltas: Vec<UnitQuaternion<f64>> = self.sources.iter().map(delta).collect();
        let rotation = |node: &Node| {
            let (first, second, t) = node.source;
            // Opposite rotations have no blend.
            let delta = deltas[first].try_slerp(&deltas[second], t, 1e-9).unwrap_or(deltas[first]);
            delta * node.aligned
        };
        let rotations: Vec<UnitQuaternion<f64>> = self.nodes.iter().map(rotation).collect();
        Sample { hips: self.hips_at(pose, &rotations), rotations }
    }

    /// Returns the position of the hips with which the middle between the legs is where it is in the source.
    fn hips_at(&self, pose: &ModelPose, rotations: &[UnitQuaternion<f64>]) -> Vector3<f64> {
        let [of_source, in_target] = self.legs;
        let at = |joint: JointIndex| pose.model_from_joint(joint).translation;
        let legs = Side::BOTH.map(|side| self.source.map.joint(Role::sided(BodyPart::UpperLeg, side)).map(at));
        let (Some(left), Some(right), Some(hips)) = (legs[0], legs[1], self.node(Role::HIPS)) else {
            return self.position(at(self.source.hips));
        };
        self.position((left + right) / 2.0 - of_source) + self.nodes[hips].aligned * in_target
            - rotations[hips] * in_target
    }

    /// Returns the map of [`position`](Self::position).
    pub(super) fn target_from_source(&self) -> Affine {
        let linear = self.target_from_source.to_rotation_matrix().into_inner() * self.scale;
        Affine { linear, translation: self.position(Vector3::zeros()) }
    }

    /// Converts a position in the model space of the source to that of the target.
    pub(super) fn position(&self, in_source: Vector3<f64>) -> Vector3<f64> {
        self.hips + self.target_from_source * (in_source - self.source.hips_position) * self.scale
    }

    /// Computes `parent_from_joint` and `model_from_joint` of the chain, in its order.
    pub(super) fn pose(&self, sample: &Sample, pose: &mut HashMap<JointIndex, (Transform, Affine)>) {
        pose.clear();
        for &ChainJoint { joint, node, twist } in &self.chain {
            let data = self.target.skeleton.joint(joint);
            let parent = data.parent.map_or(Affine::IDENTITY, |parent| pose[&parent].1);
            let mut local = data.rest;
            let rolled = twist.map(|twist| self.twists[twist].rotation(&sample.rotations));
            if let Some(rotation) = rolled.or(node.map(|node| sample.rotations[node])).filter(|_| !data.has_shear()) {
                local.rotation = local_rotation(&parent, rotation);
            }
            if let Some(node) = node.filter(|_| !data.has_shear()) {
                let position = match self.nodes[node].detached {
                    _ if joint == self.target.hips => Some(sample.hips),
                    Some((parent, in_parent)) => pose.get(&self.nodes[parent].joint).map(|(_, model_from_parent)| {
                        model_from_parent.translation + sample.rotations[parent] * in_parent
                    }),
                    None => None,
                };
                if let Some((position, parent_from_model)) = position.zip(parent.inverse()) {
                    local.translation = parent_from_model.transform_point(position);
                }
            }
            pose.insert(joint, (local, parent * data.matrix_of(&local)));
        }
    }

    /// Returns a clip of the target with the rotations and positions of `samples`.
    pub(super) fn write(&self, clip: &Clip, times_secs: Vec<f32>, samples: &[Sample]) -> Clip {
        let of_nodes = self.nodes.iter().map(|node| (node.joint, node.joint == self.target.hips || node.is_detached()));
        let is_node = |joint| self.nodes.iter().any(|node| node.joint == joint);
        let twists = self.twists.iter().map(|twist| twist.joint).filter(|joint| !is_node(*joint));
        // Animated joints, and whether they move.
        let animated: Vec<(JointIndex, bool)> = of_nodes.chain(twists.map(|joint| (joint, false))).collect();
        let mut keys = vec![(Vec::new(), Vec::new()); animated.len()];
        let mut pose = HashMap::new();
        for sample in samples {
            self.pose(sample, &mut pose);
            for ((joint, moves), (rotations, translations)) in animated.iter().zip(&mut keys) {
                let (local, _) = pose[joint];
                let key: Vector4<f32> = local.rotation.coords.cast();
                // The shorter way between keys has quaternions of equal signs.
                let is_opposite = rotations.last().is_some_and(|last: &Vector4<f32>| last.dot(&key) < 0.0);
                rotations.push(if is_opposite { -key } else { key });
                if *moves {
                    translations.push(local.translation.cast());
                }
            }
        }
        let track = |joint, keys| Track { joint, timeline: 0.into(), interpolation: Interpolation::Linear, keys };
        let mut tracks = Vec::new();
        for ((joint, _), (rotations, translations)) in animated.into_iter().zip(keys) {
            if self.target.skeleton.joint(joint).has_shear() {
                continue;
            }
            tracks.push(track(joint, KeyValues::Rotation(rotations.into())));
            if !translations.is_empty() {
                tracks.push(track(joint, KeyValues::Translation(translations.into())));
            }
        }
        Clip {
            name: clip.name.clone(),
            duration_secs: clip.duration_secs,
            first_key_secs: times_secs.first().copied().unwrap_or_default(),
            timelines: vec![Timeline::new(times_secs)],
            tracks,
            property_tracks: Vec::new(),
        }
    }
}

/// Returns the middle between the first joints of the legs; `None` if one is missing.
fn middle_of_legs(body: &Body<'_>, pose: &[Affine]) -> Option<Vector3<f64>> {
    let [left, right] = Side::BOTH.map(|side| body.map.joint(Role::sided(BodyPart::UpperLeg, side)));
    Some((pose[left?.get()].translation + pose[right?.get()].translation) / 2.0)
}

/// Returns the rotation nearest to `inherited` that takes the second directions to the first ones.
fn fit_rotation(inherited: UnitQuaternion<f64>, directions: &[[Vector3<f64>; 2]]) -> UnitQuaternion<f64> {
    let unit: Vec<[Vector3<f64>; 2]> =
        directions.iter().filter_map(|[from, to]| Some([from.try_normalize(1e-9)?, to.try_normalize(1e-9)?])).collect();
    let Some([from, to]) = unit.first() else { return inherited };
    let first = swing(inherited * to, *from) * inherited;
    // Two directions have a unique rotation: the second turns about the first.
    let second = unit[1..].iter().max_by(|a, b| from.cross(&a[0]).norm().total_cmp(&from.cross(&b[0]).norm()));
    let Some([second_from, second_to]) = second.filter(|second| from.cross(&second[0]).norm() > 0.05) else {
        return first;
    };
    let axes = |a: &Vector3<f64>, b: &Vector3<f64>| {
        let normal = a.cross(b).try_normalize(1e-9)?;
        Some(Matrix3::from_columns(&[*a, normal, a.cross(&normal)]))
    };
    match axes(from, second_from).zip(axes(to, second_to)) {
        Some((from, to)) => {
            UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(from * to.transpose()))
        }
        None => first,
    }
}
