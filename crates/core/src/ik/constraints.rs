//! Constraints that change poses after sampling: limbs that reach targets, joints that aim, feet on the ground.

use super::feet::{MAX_LEGS, MovedLeg, PosedLeg, body_on_ground, move_legs};
use super::ground::{Ground, GroundSample};
use super::limb::Limb;
use super::solver::{AimLimits, LimbLengths, aim, bend_limb};
use super::targets::{ConstraintIndex, ConstraintTargets, Targets};
use super::vector::{Rigid, add, scaled, sub};
use crate::math::Affine;
use crate::math::simd::{NumericBackend, ScalarF64};
use crate::model::{InstanceIndex, JointIndex, Skeleton};
use crate::pose::ModelPose;
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

/// Constraints after sampling, for one pose and for every instance of a crowd.
///
/// Constraints run from the root of the skeleton on, whatever their order here. Each moves its joints as rigid parts in world space, and all
/// joints below follow. [`CrowdAnimator::set_constraints`](crate::crowd::CrowdAnimator::set_constraints) applies them to crowds, in SIMD;
/// [`apply`](Self::apply) changes one pose in double precision. Targets and ground are those of each crowd; see [`ConstraintTargets`].
///
/// ```
/// use rigview_core::crowd::{Crowd, CrowdAnimator, Instance};
/// use rigview_core::ik::{Aim, PoseConstraints, Target};
/// use rigview_core::math::Affine;
/// use rigview_core::model::ClipIndex;
/// use rigview_core::nalgebra::Vector3;
/// use rigview_core::palette::Rig;
///
/// # use rigview_core::import::{ImportOptions, open};
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
/// # let model = open(file, &ImportOptions::default()).unwrap().model;
/// let head = model.skeleton.find("head").unwrap();
/// let mut constraints = PoseConstraints::new(&model.skeleton);
/// let look = constraints.add_aim(&model.skeleton, Aim::new(head, Vector3::z(), 1.2));
/// let (mut crowd, rig) = (Crowd::new((0..10).map(|_| Instance::new(Affine::IDENTITY, Some(ClipIndex(0)), 0.0))), {
///     let scene = model.default_scene;
///     Rig::new(model, scene).unwrap()
/// });
/// let mut animator = CrowdAnimator::new(&rig);
/// animator.set_constraints(Some(constraints));
/// // Three of ten look at a point of the world.
/// for instance in crowd.indices().take(3) {
///     let target = Target { point: Vector3::new(3.0, 1.0, 4.0), weight: 1.0 };
///     crowd.set_target(look, instance, target);
/// }
/// animator.update(&mut crowd, 0.5);
/// ```
#[derive(Clone, Debug)]
pub struct PoseConstraints {
    constraints: Vec<Constraint>,
    /// Joint at which each constraint starts.
    roots: Vec<JointIndex>,
    /// Order of evaluation.
    order: Vec<usize>,
    points: Vec<ConstraintPoint>,
    /// Joint of each part.
    parts: Vec<JointIndex>,
    /// Part of each joint.
    part_of_joint: Vec<Option<u16>>,
}

/// A joint that turns towards targets.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Aim {
    /// The joint.
    pub joint: JointIndex,
    /// The direction in the space of the joint that points to the target.
    pub forward: Vector3<f64>,
    /// Largest angle that the joint follows, in radians.
    pub max_angle: f64,
    /// The part of that angle by which the joint turns, from 0 to 1. Joints below follow the rest.
    pub weight: f64,
    /// Angles of the target between which the joint turns back to its pose, in radians; `None` to follow targets behind it.
    pub fade_cone: Option<[f64; 2]>,
}

impl Aim {
    /// A joint that turns by up to `max_angle` and follows targets all around.
    pub fn new(joint: JointIndex, forward: Vector3<f64>, max_angle: f64) -> Self {
        Self { joint, forward, max_angle, weight: 1.0, fade_cone: None }
    }
}

/// A body with legs, such as that of a [`RigMap`](crate::retarget::RigMap::feet).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Feet {
    /// The hips.
    pub hips: JointIndex,
    /// Two legs, or those of a quadruped: the rear ones first.
    pub legs: Vec<Leg>,
    /// Height of the ground in model space for which the clips are made.
    pub model_ground: f64,
    /// Length of the shortest leg at rest, in model space.
    pub leg_length: f64,
}

/// A leg with its foot.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Leg {
    /// From the hip to the ankle.
    pub limb: Limb,
    /// The joint of the toes, else that of the foot.
    pub toes: JointIndex,
}

impl Leg {
    /// Combines a limb from the hip to the ankle with its toes, or with its end for a foot without toes.
    pub fn new(limb: Limb, toes: JointIndex) -> Self {
        Self { limb, toes }
    }
}

impl Feet {
    /// Combines the legs of a body whose clips are made for a ground at the height `model_ground` in model space.
    ///
    /// ```
    /// use rigview_core::ik::{Feet, Leg, Limb, PoseConstraints};
    /// use rigview_core::nalgebra::Vector3;
    ///
    /// # use rigview_core::import::{ImportOptions, open};
    /// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/body.glb"));
    /// # let model = open(file, &ImportOptions::default()).unwrap().model;
    /// let skeleton = &model.skeleton;
    /// let joint = |name: &str| skeleton.find(name).unwrap();
    /// let legs = ["L", "R"].map(|side| {
    ///     let joints = ["thigh", "shin", "foot"].map(|part| joint(&format!("{part}.{side}")));
    ///     Leg::new(Limb::new(skeleton, joints, Vector3::z()), joint(&format!("toe.{side}")))
    /// });
    /// let feet = Feet::new(skeleton, joint("hips"), legs.to_vec(), 0.0);
    /// PoseConstraints::new(skeleton).add_feet(skeleton, &feet);
    /// ```
    ///
    /// # Panics
    /// If `skeleton` lacks a joint.
    pub fn new(skeleton: &Skeleton, hips: JointIndex, legs: Vec<Leg>, model_ground: f64) -> Self {
        let at_rest = |joint| skeleton.rest_model_from_joint(joint).translation;
        let length = |Leg { limb, .. }: &Leg| {
            let [hip, knee, ankle] = [limb.upper, limb.lower, limb.end].map(at_rest);
            (knee - hip).norm() + (ankle - knee).norm()
        };
        let leg_length = legs.iter().map(length).reduce(f64::min).unwrap_or_default();
        Self { hips, legs, model_ground, leg_length }
    }
}

/// A point that follows a joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConstraintPoint {
    /// `None` for the model.
    pub(crate) joint: Option<JointIndex>,
    pub(crate) offset: Vector3<f64>,
}

/// A constraint, with the indices of its points and parts. `parent` is the part whose joints the constraint's joints are below.
#[derive(Clone, Debug)]
enum Constraint {
    Reach { points: usize, part: usize, parent: Option<u16> },
    Aim { points: usize, part: usize, parent: Option<u16>, limits: AimLimits },
    Feet { points: usize, part: usize, rest_heights: [[f32; 2]; 2], leg_count: usize },
}

/// Points of a limb: its joints and its bend.
const LIMB_POINTS: usize = 4;

/// The instances for which constraints run.
pub(crate) trait ConstraintContext {
    type NumericBackend: NumericBackend;

    fn backend(&self) -> Self::NumericBackend;

    /// Returns the position of a point after sampling, in world space.
    fn point(&self, point: usize) -> [Lane<Self>; 3];

    /// Returns position and weight of the targets of the instances.
    fn target(&mut self, targets: &Targets) -> ([Lane<Self>; 3], Lane<Self>);

    /// Samples the ground below points on the flat ground of the clip, in world space.
    fn ground(&mut self, ground: &Ground, point: [Lane<Self>; 3]) -> GroundSample<Lane<Self>>;

    /// Returns the transform of a part from its place after sampling to its new place, in world space.
    fn part(&self, part: usize) -> Rigid<Lane<Self>>;

    fn set_part(&mut self, part: usize, transform: &Rigid<Lane<Self>>);
}

/// A value of the instances of a context.
pub(crate) type Lane<C> = <<C as ConstraintContext>::NumericBackend as NumericBackend>::Float;

impl PoseConstraints {
    /// No constraints.
    pub fn new(skeleton: &Skeleton) -> Self {
        Self {
            constraints: Vec::new(),
            roots: Vec::new(),
            order: Vec::new(),
            points: Vec::new(),
            parts: Vec::new(),
            part_of_joint: vec![None; skeleton.len()],
        }
    }

    /// Adds a limb whose end reaches the targets of the instances. Joints at its end turn with the lower bone.
    ///
    /// # Panics
    /// If a joint does not exist, another constraint moves it, or the constraints move too many joints.
    pub fn add_reach(&mut self, skeleton: &Skeleton, limb: Limb) -> ConstraintIndex {
        let points = self.add_limb_points(&limb);
        let part = self.add_parts(&[limb.upper, limb.lower]);
        self.add(skeleton, limb.upper, Constraint::Reach { points, part, parent: None })
    }

    /// Adds a joint that turns to the targets of the instances.
    ///
    /// # Panics
    /// If the joint does not exist, another constraint moves it, or the constraints move too many joints.
    pub fn add_aim(&mut self, skeleton: &Skeleton, aim: Aim) -> ConstraintIndex {
        let Aim { joint, forward, .. } = aim;
        let points = self.points.len();
        self.points.extend([Vector3::zeros(), forward].map(|offset| ConstraintPoint { joint: Some(joint), offset }));
        let part = self.add_parts(&[joint]);
        let limits = AimLimits::new(aim.max_angle, aim.weight, aim.fade_cone);
        self.add(skeleton, joint, Constraint::Aim { points, part, parent: None, limits })
    }

    /// Adds a body whose feet follow the ground of the targets, wherever its placement is above or below.
    ///
    /// All joints of the model move with the body; its legs bend. A foot that stands in the clip stands on the ground and tilts with it,
    /// and one in the air follows a smooth height, so that nothing jumps. The pelvis sinks where a leg is too short. The direction up
    /// is +Y.
    ///
    /// # Panics
    /// If there are no legs or more than four, if a joint does not exist, or if another constraint moves it.
    pub fn add_feet(&mut self, skeleton: &Skeleton, feet: &Feet) -> ConstraintIndex {
        let leg_count = feet.legs.len();
        assert!((1..=MAX_LEGS).contains(&leg_count), "one to four legs");
        let points = self.points.len();
        self.points.push(ConstraintPoint { joint: None, offset: Vector3::y() * feet.model_ground });
        self.points.push(ConstraintPoint { joint: Some(feet.hips), offset: Vector3::zeros() });
        let root = skeleton.joints().iter().position(|joint| joint.parent.is_none()).unwrap_or_default();
        let part = self.add_parts(&[JointIndex(root as u32)]);
        let mut rest_heights = [[f64::INFINITY; 2]; 2];
        for (i, Leg { limb, toes }) in feet.legs.iter().enumerate() {
            self.add_limb_points(limb);
            self.points.push(ConstraintPoint { joint: Some(*toes), offset: Vector3::zeros() });
            self.add_parts(&[limb.upper, limb.lower, limb.end]);
            let at_rest = |joint| skeleton.rest_model_from_joint(joint).translation;
            let [hip, knee, ankle] = [limb.upper, limb.lower, limb.end].map(at_rest);
            let length = ((knee - hip).norm() + (ankle - knee).norm()).max(f64::MIN_POSITIVE);
            // Of two legs, one that is lifted in the rest pose does not count.
            for (height, joint) in rest_heights[i / 2].iter_mut().zip([ankle, at_rest(*toes)]) {
                *height = height.min((joint.y - feet.model_ground) / length);
            }
        }
        let rest_heights = rest_heights.map(|pair| pair.map(|height| height as f32));
        self.add(skeleton, JointIndex(root as u32), Constraint::Feet { points, part, rest_heights, leg_count })
    }

    /// Returns the joints that aim.
    ///
    /// Heads of a crowd look at a point with the joints of [`RigMap::gaze`](crate::retarget::RigMap::gaze).
    pub fn aims(&self) -> impl Iterator<Item = ConstraintIndex> {
        let all = self.constraints.iter().enumerate();
        all.filter(|(_, constraint)| matches!(constraint, Constraint::Aim { .. })).map(|(i, _)| ConstraintIndex(i))
    }

    /// Changes the pose of one instance with these targets, in double precision. No effect if the placement has no inverse.
    ///
    /// # Panics
    /// If the pose is that of another skeleton.
    pub fn apply(
        &self,
        targets: &ConstraintTargets,
        instance: InstanceIndex,
        world_from_model: &Affine,
        model_pose: &mut ModelPose,
    ) {
        let Some(model_from_world) = world_from_model.inverse() else { return };
        let mut parts = [Rigid::identity(ScalarF64); MAX_PARTS];
        let mut pose = ConstrainedPose {
            constraints: self,
            instance,
            world_from_model,
            model_pose: &*model_pose,
            parts: &mut parts,
        };
        self.run(targets, &mut pose);
        for (joint, part) in self.part_of_joint.iter().enumerate() {
            let Some(part) = part else { continue };
            let Rigid { rotation: [x, y, z, w], translation } = parts[usize::from(*part)];
            let rotation = UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z));
            let linear: Matrix3<f64> = rotation.to_rotation_matrix().into_inner();
            let moved = Affine { linear, translation: translation.into() };
            model_pose.move_joint(JointIndex(joint as u32), &(model_from_world * moved * *world_from_model));
        }
    }

    fn add_limb_points(&mut self, limb: &Limb) -> usize {
        let first = self.points.len();
        let joints = [limb.upper, limb.lower, limb.end].map(|joint| (joint, Vector3::zeros()));
        let points = joints.into_iter().chain([(limb.upper, limb.bend)]);
        self.points.extend(points.map(|(joint, offset)| ConstraintPoint { joint: Some(joint), offset }));
        first
    }

    fn add_parts(&mut self, joints: &[JointIndex]) -> usize {
        let is_free = |joint: &JointIndex| joint.get() < self.part_of_joint.len() && !self.parts.contains(joint);
        assert!(joints.iter().all(is_free), "a joint that no other constraint moves");
        assert!(self.parts.len() + joints.len() <= MAX_PARTS, "too many constraints");
        let first = self.parts.len();
        self.parts.extend(joints);
        first
    }

    fn add(&mut self, skeleton: &Skeleton, root: JointIndex, constraint: Constraint) -> ConstraintIndex {
        self.constraints.push(constraint);
        self.roots.push(root);
        self.order.push(self.constraints.len() - 1);
        self.order.sort_by_key(|constraint| self.roots[*constraint]);
        let body = self.constraints.iter().find_map(|constraint| match constraint {
            Constraint::Feet { part, .. } => Some(*part as u16),
            _ => None,
        });
        for (i, joint) in skeleton.joints().iter().enumerate() {
            let own = self.parts.iter().position(|part| part.get() == i).map(|part| part as u16);
            let of_parent = joint.parent.map_or(body, |parent| self.part_of_joint[parent.get()]);
            self.part_of_joint[i] = own.or(of_parent);
        }
        for (constraint, root) in self.constraints.iter_mut().zip(&self.roots) {
            if let Constraint::Reach { parent, .. } | Constraint::Aim { parent, .. } = constraint {
                let above = skeleton.joint(*root).parent;
                *parent = above.map_or(body, |above| self.part_of_joint[above.get()]);
            }
        }
        ConstraintIndex(self.constraints.len() - 1)
    }

    pub(crate) fn points(&self) -> &[ConstraintPoint] {
        &self.points
    }

    pub(crate) fn joint_count(&self) -> usize {
        self.part_of_joint.len()
    }

    pub(crate) fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// Returns a bit for each part that never turns.
    pub(crate) fn translations(&self) -> u32 {
        let of_constraint = |constraint: &Constraint| match constraint {
            Constraint::Feet { part, leg_count, .. } if *leg_count != MAX_LEGS => 1 << part,
            _ => 0,
        };
        self.constraints.iter().map(of_constraint).sum()
    }

    /// Returns the part with which a joint moves.
    pub(crate) fn part_of(&self, joint: JointIndex) -> Option<u16> {
        self.part_of_joint[joint.get()]
    }

    /// Runs all constraints: sets the transform of every part.
    #[inline(always)]
    pub(crate) fn run<C: ConstraintContext>(&self, targets: &ConstraintTargets, context: &mut C) {
        for constraint in &self.order {
            let of_constraint = targets.of(*constraint);
            match &self.constraints[*constraint] {
                Constraint::Reach { points, part, parent } => reach(context, [*points, *part], *parent, of_constraint),
                Constraint::Aim { points, part, parent, limits } => {
                    let n = context.backend();
                    let above = above(context, *parent);
                    let origin = above.transform_point(context.point(*points));
                    let tip = above.transform_point(context.point(points + 1));
                    let (target, weight) = context.target(of_constraint);
                    let rotation = aim(n, sub(tip, origin), sub(target, origin), weight, limits);
                    context.set_part(*part, &above.then(rotation, origin, origin));
                }
                Constraint::Feet { points, part, rest_heights, leg_count } => {
                    let first = [*points, *part];
                    let Some(ground) = targets.ground() else {
                        let still = Rigid::identity(context.backend());
                        (0..=3 * leg_count).for_each(|i| context.set_part(part + i, &still));
                        continue;
                    };
                    match *leg_count {
                        MAX_LEGS => put_feet::<C, true>(context, first, *rest_heights, MAX_LEGS, ground),
                        count => put_feet::<C, false>(context, first, *rest_heights, count, ground),
                    }
                }
            }
        }
    }
}

/// Largest number of parts of [`PoseConstraints`].
const MAX_PARTS: usize = 32;

/// Returns the transform of the part above a constraint.
#[inline(always)]
fn above<C: ConstraintContext>(context: &C, parent: Option<u16>) -> Rigid<Lane<C>> {
    match parent {
        Some(parent) => context.part(parent.into()),
        None => Rigid::identity(context.backend()),
    }
}

#[inline(always)]
fn reach<C: ConstraintContext>(context: &mut C, [points, part]: [usize; 2], parent: Option<u16>, targets: &Targets) {
    let n = context.backend();
    let above = above(context, parent);
    let root = above.transform_point(context.point(points));
    let middle = above.transform_point(context.point(points + 1));
    let end = above.transform_point(context.point(points + 2));
    let bend = above.transform_point(context.point(points + 3));
    let (target, weight) = context.target(targets);
    let target = add(end, scaled(sub(target, end), weight));
    let joints = [root, middle, end];
    let bent = bend_limb(n, joints, &LimbLengths::new(n, joints), target, sub(bend, root));
    context.set_part(part, &above.then(bent.upper, root, root));
    context.set_part(part + 1, &above.then(bent.lower, middle, bent.middle));
}

/// Puts the feet of a body on the ground. `TURNS` is `true` for a body on four legs.
#[inline(always)]
fn put_feet<C: ConstraintContext, const TURNS: bool>(
    context: &mut C,
    [points, part]: [usize; 2],
    rest_heights: [[f32; 2]; 2],
    leg_count: usize,
    ground: &Ground,
) {
    let n = context.backend();
    let zero = n.constant(0.0);
    let flat = GroundSample { height: zero, slopes: [zero; 2], smooth_height: zero, smooth_slopes: [zero; 2] };
    let mut of_pairs = [[zero; 2]; 2];
    for (pair, heights) in of_pairs.iter_mut().zip(rest_heights) {
        *pair = [n.constant(heights[0]), n.constant(heights[1])];
    }
    let (none, base) = ([zero; 3], context.point(points)[1]);
    let mut legs =
        [PosedLeg { joints: [none; 3], toes: none, bend: none, rest_heights: of_pairs[0], ground: flat }; MAX_LEGS];
    let legs = &mut legs[..leg_count];
    for (i, leg) in legs.iter_mut().enumerate() {
        let first = points + 2 + i * (LIMB_POINTS + 1);
        leg.joints = [context.point(first), context.point(first + 1), context.point(first + 2)];
        leg.bend = context.point(first + 3);
        leg.rest_heights = of_pairs[i / 2];
        leg.toes = context.point(first + LIMB_POINTS);
        let [x, _, z] = PosedLeg::middle_of_foot(n, leg.joints[2], leg.toes);
        leg.ground = context.ground(ground, [x, base, z]);
    }
    let hips = context.point(points + 1);
    let mut body = if TURNS {
        let (mut ends, mut heights) = ([hips; 2], [zero; 2]);
        for i in 0..2 {
            ends[i] = scaled(add(legs[2 * i].joints[0], legs[2 * i + 1].joints[0]), n.constant(0.5));
            heights[i] = context.ground(ground, [ends[i][0], base, ends[i][2]]).smooth_height;
        }
        body_on_ground(n, base, ends, heights)
    } else {
        let height = context.ground(ground, [hips[0], base, hips[2]]).smooth_height;
        Rigid { translation: [zero, height - base, zero], ..Rigid::identity(n) }
    };
    let still = Rigid::identity(n);
    let mut moved = [MovedLeg { upper: still, lower: still, foot: still }; MAX_LEGS];
    move_legs::<_, TURNS>(n, base, &mut body, legs, &mut moved);
    context.set_part(part, &body);
    for (i, leg) in moved[..leg_count].iter().enumerate() {
        context.set_part(part + 1 + 3 * i, &leg.upper);
        context.set_part(part + 2 + 3 * i, &leg.lower);
        context.set_part(part + 3 + 3 * i, &leg.foot);
    }
}

/// One pose in double precision.
struct ConstrainedPose<'a> {
    constraints: &'a PoseConstraints,
    instance: InstanceIndex,
    world_from_model: &'a Affine,
    model_pose: &'a ModelPose,
    parts: &'a mut [Rigid<f64>; MAX_PARTS],
}

impl ConstraintContext for ConstrainedPose<'_> {
    type NumericBackend = ScalarF64;

    fn backend(&self) -> ScalarF64 {
        ScalarF64
    }

    fn point(&self, point: usize) -> [f64; 3] {
        let ConstraintPoint { joint, offset } = self.constraints.points[point];
        let in_model = joint.map_or(offset, |joint| self.model_pose.model_from_joint(joint).transform_point(offset));
        self.world_from_model.transform_point(in_model).into()
    }

    fn target(&mut self, targets: &Targets) -> ([f64; 3], f64) {
        let target = targets.get(self.instance);
        (target.point.into(), target.weight.into())
    }

    fn ground(&mut self, ground: &Ground, point: [f64; 3]) -> GroundSample<f64> {
        ground.sample(point.into())
    }

    fn part(&self, part: usize) -> Rigid<f64> {
        self.parts[part]
    }

    fn set_part(&mut self, part: usize, transform: &Rigid<f64>) {
        self.parts[part] = *transform;
    }
}
