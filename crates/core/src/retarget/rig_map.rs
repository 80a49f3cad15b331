//! Map of roles to joints.

use super::reference::{BodyKind, ReferenceSettings};
use super::role::{BodyPart, Role, Side};
use super::walking::walking_direction;
use super::{joint_names, joint_structure, sides};
use crate::math::Affine;
use crate::model::{HumanBoneJoint, JointIndex, Model, Skeleton};

/// The reason why a joint has a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleSource {
    /// The humanoid of VRM.
    Vrm,
    /// The name of the joint.
    Name,
    /// The place of the joint in the skeleton.
    Structure,
    /// [`RigMap::set`].
    User,
}

/// The joint of a role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MappedJoint {
    /// The joint.
    pub joint: JointIndex,
    /// Confidence from 0 to 1.
    pub confidence: f32,
    /// Where the role comes from.
    pub source: RoleSource,
}

/// Map of roles to the joints of one skeleton. No joint has two roles.
///
/// ```
/// use rigview_core::import::{ImportOptions, from_bytes};
/// use rigview_core::retarget::{RigMap, Role};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bvh = b"HIERARCHY ROOT mixamorig:Hips { OFFSET 0 90 0 CHANNELS 0
///     JOINT mixamorig:LeftUpLeg { OFFSET 9 -5 0 CHANNELS 0 JOINT mixamorig:LeftLeg { OFFSET 0 -40 0 CHANNELS 0 } } }";
/// let imported = from_bytes(&bvh[..], None, &ImportOptions::default())?;
/// let mut map = RigMap::detect(&imported.model);
/// let knee = map.get(Role::from_name("leftLowerLeg").ok_or("no role")?).ok_or("no knee")?;
/// assert_eq!(imported.model.skeleton.joint(knee.joint).name.as_deref(), Some("mixamorig:LeftLeg"));
/// // A correction: the joint is a foot.
/// let foot = Role::from_name("leftFoot").ok_or("no role")?;
/// map.set(&imported.model.skeleton, [(foot, Some(knee.joint))]);
/// assert_eq!(map.get(Role::from_name("leftLowerLeg").ok_or("no role")?), None);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RigMap {
    joints: [Option<MappedJoint>; Role::COUNT],
    /// `true` for roles that [`set`](RigMap::set) left without a joint.
    is_cleared: [bool; Role::COUNT],
    /// `true` if the sides of the roles are not those of the names.
    sides_are_exchanged: bool,
    /// The kind unless the settings have one.
    kind: BodyKind,
    settings: ReferenceSettings,
}

/// Parts of names of front legs.
const FRONT_LEG_WORDS: [&str; 5] = ["front", "paw", "hoof", "foreleg", "forefoot"];

/// Parts of names of arms.
const ARM_WORDS: [&str; 4] = ["arm", "elbow", "wrist", "hand"];

/// Smallest number of finger joints of a body with hands.
const MIN_FINGER_JOINTS: usize = 6;

/// Maximum number of required roles that may be missing.
const MAX_MISSING: usize = 4;

/// Largest confidence of a role whose side contradicts the name of its joint.
const EXCHANGED_CONFIDENCE: f32 = 0.7;

/// Roles without which a clip is not transferred by roles.
const REQUIRED: [BodyPart; 4] = [BodyPart::UpperArm, BodyPart::LowerArm, BodyPart::UpperLeg, BodyPart::LowerLeg];

impl RigMap {
    /// Finds the roles by the human bones of VRM, else by names and by structure.
    pub fn detect(model: &Model) -> Self {
        let skeleton = &model.skeleton;
        let mut is_skinned = vec![false; skeleton.len()];
        for joint in model.skins.iter().flat_map(|skin| &skin.joints) {
            is_skinned[joint.get()] = true;
        }
        let rest = skeleton.rest_model_pose();
        let mut map = Self {
            joints: [None; Role::COUNT],
            is_cleared: [false; Role::COUNT],
            sides_are_exchanged: false,
            kind: BodyKind::Other,
            settings: ReferenceSettings::default(),
        };
        let by_vrm = vrm_bones(model);
        if by_vrm.iter().any(Option::is_some) {
            map.add(&by_vrm, RoleSource::Vrm, |_| 1.0);
        } else {
            map.detect_by_names_and_structure(model, &is_skinned, &rest);
        }
        map.kind = map.detect_kind(skeleton, &rest);
        map.correct_sides(model, &rest);
        map
    }

    /// Exchanges left and right if the names have those of a body that looks to the other side.
    fn correct_sides(&mut self, model: &Model, rest: &[Affine]) {
        let is_named = |mapped: &MappedJoint| mapped.source == RoleSource::Name;
        let joints = self.joints.map(|mapped| Some(mapped?.joint));
        if self.kind != BodyKind::Biped
            || !self.joints.iter().flatten().any(is_named)
            || !sides::are_exchanged(model, &joints, rest)
        {
            return;
        }
        self.sides_are_exchanged = true;
        for left in Role::all().filter(|role| role.side() == Some(Side::Left)) {
            self.joints.swap(left.index(), left.mirrored().index());
        }
        for (mapped, _) in self.joints.iter_mut().zip(Role::all()).filter(|(_, role)| role.side().is_some()) {
            let Some(mapped) = mapped else { continue };
            mapped.confidence = mapped.confidence.min(EXCHANGED_CONFIDENCE);
        }
    }

    /// Returns `true` if left and right were exchanged against the names of the joints, since toes, knees and the walk of the body show
    /// that it looks to the other side; `false` if the user set all roles with a side.
    pub fn sides_are_exchanged(&self) -> bool {
        let is_estimate = |role: Role| self.get(role).is_some_and(|mapped| mapped.source != RoleSource::User);
        self.sides_are_exchanged && Role::all().any(|role| role.side().is_some() && is_estimate(role))
    }

    fn detect_by_names_and_structure(&mut self, model: &Model, is_skinned: &[bool], rest: &[Affine]) {
        let skeleton = &model.skeleton;
        let mut by_name = joint_names::find(skeleton, is_skinned);
        set_hips_above_legs_and_trunk(skeleton, &mut by_name);
        let named = by_name;
        let dropped = drop_misplaced(skeleton, &mut by_name);
        // Without a skin, all joints are bones.
        let has_skin = is_skinned.contains(&true);
        let is_part: Vec<bool> = is_skinned.iter().map(|is_skinned| *is_skinned || !has_skin).collect();
        let is_part = without_appendages(skeleton, with_ancestors(skeleton, is_part));
        let by_structure = joint_structure::find(skeleton, rest, &is_part, |hips, feet| {
            let to_foot = |foot: &JointIndex| (rest[foot.get()].translation - rest[hips.get()].translation).norm();
            let leg_length = feet.iter().map(to_foot).fold(0.0, f64::max);
            Some(walking_direction(skeleton, &model.clips, hips, feet, nalgebra::Vector3::y(), leg_length)?.0)
        });
        let count = |roles: &[Option<JointIndex>; Role::COUNT]| {
            required_roles().filter(|role| roles[role.index()].is_some()).count()
        };
        // Names that contradict the hierarchy are wrong, as a whole.
        let names_are_right =
            4 * dropped <= named.iter().flatten().count() && 2 * count(&by_name) >= count(&by_structure);
        if names_are_right {
            let agrees = |role: Role| by_structure[role.index()] == by_name[role.index()];
            self.add(&by_name, RoleSource::Name, |role| if agrees(role) { 1.0 } else { 0.9 });
        }
        let mut by_structure = by_structure;
        if names_are_right {
            drop_other_sides(skeleton, &mut by_structure);
        }
        self.add(&by_structure, RoleSource::Structure, |_| if names_are_right { 0.7 } else { 0.6 });
        let mut joints = self.joints.map(|mapped| mapped.map(|mapped| mapped.joint));
        drop_misplaced(skeleton, &mut joints);
        for (mapped, joint) in self.joints.iter_mut().zip(joints) {
            *mapped = mapped.filter(|_| joint.is_some());
        }
        // Feet may be apart from their legs, such as those of robots that inverse kinematics moves.
        let feet = [BodyPart::Foot, BodyPart::Toes]
            .into_iter()
            .flat_map(|part| Side::BOTH.map(|side| Role::sided(part, side)));
        for role in feet.filter(|_| names_are_right) {
            let mut feet = [None; Role::COUNT];
            feet[role.index()] = named[role.index()].filter(|joint| is_skinned[joint.get()]);
            self.add(&feet, RoleSource::Name, |_| 0.7);
        }
        // Names that state arms and legs do so whatever else the body has.
        let mut limbs = required_roles().filter(|role| role.side().is_some());
        let are_named = limbs.all(|role| self.get(role).is_some_and(|mapped| mapped.source == RoleSource::Name));
        let tops = [BodyPart::UpperArm, BodyPart::UpperLeg].into_iter();
        let tops = tops.flat_map(|part| Side::BOTH.map(|side| Role::sided(part, side)));
        let tops: Vec<JointIndex> = tops.filter_map(|role| self.joint(role)).collect();
        if (!are_named || self.has_four_legs(skeleton, rest))
            && joint_structure::has_further_limbs(skeleton, rest, &is_part, &tops)
        {
            let of_limbs = Role::all().filter(|role| role.side().is_some());
            of_limbs.for_each(|role| self.joints[role.index()] = None);
        }
        self.add_spine(skeleton);
    }

    /// Adds joints for roles that have none.
    fn add(
        &mut self,
        joints: &[Option<JointIndex>; Role::COUNT],
        source: RoleSource,
        confidence: impl Fn(Role) -> f32,
    ) {
        for role in Role::all() {
            let Some(joint) = joints[role.index()] else { continue };
            let is_used = self.joints.iter().flatten().any(|mapped| mapped.joint == joint);
            if self.joints[role.index()].is_none() && !is_used {
                self.joints[role.index()] = Some(MappedJoint { joint, confidence: confidence(role), source });
            }
        }
    }

    /// Gives the joints between the hips and the neck the roles of the spine.
    fn add_spine(&mut self, skeleton: &Skeleton) {
        let trunk: Vec<usize> = self.spine(skeleton).iter().map(|joint| joint.get()).collect();
        for role in [Role::SPINE, Role::CHEST, Role::UPPER_CHEST] {
            self.joints[role.index()] = None;
        }
        let mut joints = [None; Role::COUNT];
        for (role, joint) in
            joint_structure::spine_roles(trunk.len()).into_iter().zip(joint_structure::spine_joints(&trunk))
        {
            joints[role.index()] = Some(JointIndex(joint as u32));
        }
        self.add(&joints, RoleSource::Structure, |_| 0.9);
    }

    /// Returns the joint of a role.
    pub fn get(&self, role: Role) -> Option<MappedJoint> {
        self.joints[role.index()]
    }

    /// Returns the kind of the body: that of the settings, else what names and structure show. The front legs of a quadruped have the
    /// roles of arms.
    pub fn kind(&self) -> BodyKind {
        self.settings.kind.unwrap_or(self.kind)
    }

    /// Returns `true` for a body on four legs.
    pub(super) fn is_quadruped(&self) -> bool {
        self.kind() == BodyKind::Quadruped
    }

    /// Returns `true` if a motion can be transferred by roles.
    pub(super) fn has_body(&self) -> bool {
        let has_leg = self.joint(Role::sided(BodyPart::UpperLeg, Side::Left)).is_some();
        self.joint(Role::HIPS).is_some() && has_leg && self.missing().count() <= MAX_MISSING
    }

    fn detect_kind(&self, skeleton: &Skeleton, rest: &[Affine]) -> BodyKind {
        match self.has_body() {
            false => BodyKind::Other,
            true if self.has_four_legs(skeleton, rest) => BodyKind::Quadruped,
            true => BodyKind::Biped,
        }
    }

    /// Returns what the user sets about the reference pose.
    pub fn settings(&self) -> &ReferenceSettings {
        &self.settings
    }

    /// Sets parts of the reference pose that are estimated otherwise. Clips of the same skeleton are then not copied.
    pub fn set_reference(&mut self, settings: ReferenceSettings) {
        self.settings = settings;
    }

    /// Returns the required roles without a joint: hips, head, arms and legs.
    pub fn missing(&self) -> impl Iterator<Item = Role> {
        required_roles().filter(|role| self.get(*role).is_none())
    }

    /// Returns the lowest confidence of the required roles.
    pub(super) fn least_confidence(&self) -> f32 {
        required_roles().filter_map(|role| Some(self.get(role)?.confidence)).fold(1.0, f32::min)
    }

    pub(super) fn joint(&self, role: Role) -> Option<JointIndex> {
        self.get(role).map(|mapped| mapped.joint)
    }

    /// Returns the joints above the hips, up to the one from which neck and arms branch off.
    pub(super) fn spine(&self, skeleton: &Skeleton) -> Vec<JointIndex> {
        let Some(hips) = self.joint(Role::HIPS) else { return Vec::new() };
        let branch = |role| self.joint(role).and_then(|joint| skeleton.joint(joint).parent);
        let arms = || {
            let arm = |side| {
                self.joint(Role::sided(BodyPart::Shoulder, side)).or(self.joint(Role::sided(BodyPart::UpperArm, side)))
            };
            common_ancestor(skeleton, arm(Side::Left)?, arm(Side::Right)?)
        };
        let Some(end) = arms().or_else(|| branch(Role::NECK)).or_else(|| branch(Role::HEAD)) else { return Vec::new() };
        let mut spine: Vec<JointIndex> = std::iter::successors(Some(end), |&joint| skeleton.joint(joint).parent)
            .take_while(|&joint| joint > hips)
            .collect();
        let reaches_hips = spine.last().is_some_and(|joint| skeleton.joint(*joint).parent == Some(hips));
        if !reaches_hips {
            spine.clear();
        }
        spine.reverse();
        spine
    }

    /// Returns `true` if the names of the front limbs are those of legs, or the front limbs at rest are legs: beside the hind legs, across
    /// the spine, and as low. A level spine alone is that of a body that lies.
    fn has_four_legs(&self, skeleton: &Skeleton, rest: &[Affine]) -> bool {
        let fingers = Role::all().filter(|role| role.is_finger() && self.joint(*role).is_some()).count();
        if fingers >= MIN_FINGER_JOINTS || self.joints.iter().flatten().any(|mapped| mapped.source == RoleSource::Vrm) {
            return false;
        }
        let parts = [BodyPart::UpperArm, BodyPart::LowerArm, BodyPart::Hand];
        let roles = parts.into_iter().flat_map(|part| Side::BOTH.map(|side| Role::sided(part, side)));
        let names = roles.filter_map(|role| skeleton.joint(self.joint(role)?).name.as_ref());
        let names: Vec<String> = names.map(|name| name.to_lowercase()).collect();
        let has = |words: &[&str]| names.iter().any(|name| words.iter().any(|word| name.contains(word)));
        let (are_legs, are_arms) = (has(&FRONT_LEG_WORDS), has(&ARM_WORDS));
        if are_legs && !are_arms {
            return true;
        }
        let position = |part: BodyPart, side| Some(rest[self.joint(Role::sided(part, side))?.get()].translation);
        let middle = |part| position(part, Side::Left).zip(position(part, Side::Right)).map(|(a, b)| (a + b) / 2.0);
        let limb = |parts: [BodyPart; 3]| Some((middle(parts[0])?, middle(parts[2]).or_else(|| middle(parts[1]))?));
        let legs = limb([BodyPart::UpperLeg, BodyPart::LowerLeg, BodyPart::Foot]);
        let Some(((hip, foot), (shoulder, hand))) = legs.zip(limb(parts)) else { return false };
        let unit = |v: nalgebra::Vector3<f64>| v.try_normalize(1e-9);
        let Some(((leg, arm), spine)) = unit(foot - hip).zip(unit(hand - shoulder)).zip(unit(shoulder - hip)) else {
            return false;
        };
        let max_height = if are_arms { 0.3 } else { 0.5 } * (foot - hip).norm();
        spine.dot(&leg).abs() < 0.6 && arm.dot(&leg) > 0.6 && (hand - foot).dot(&leg).abs() < max_height
    }

    /// Returns `true` if [`set`](Self::set) left the role without a joint.
    pub fn is_cleared(&self, role: Role) -> bool {
        self.is_cleared[role.index()]
    }

    /// Sets the joints of roles, or none. Another role of such a joint is left without one.
    pub fn set(&mut self, skeleton: &Skeleton, joints: impl IntoIterator<Item = (Role, Option<JointIndex>)>) {
        for (role, joint) in joints {
            for (mapped, is_cleared) in self.joints.iter_mut().zip(&mut self.is_cleared) {
                if joint.is_some() && mapped.map(|mapped| mapped.joint) == joint {
                    (*mapped, *is_cleared) = (None, true);
                }
            }
            let mapped = joint.map(|joint| MappedJoint { joint, confidence: 1.0, source: RoleSource::User });
            (self.joints[role.index()], self.is_cleared[role.index()]) = (mapped, joint.is_none());
        }
        self.kind = self.detect_kind(skeleton, &skeleton.rest_model_pose());
    }
}

fn required_roles() -> impl Iterator<Item = Role> {
    let limbs = REQUIRED.into_iter().flat_map(|part| Side::BOTH.map(|side| Role::sided(part, side)));
    [Role::HIPS, Role::HEAD].into_iter().chain(limbs)
}

/// Returns the joints of the human bones of VRM.
fn vrm_bones(model: &Model) -> [Option<JointIndex>; Role::COUNT] {
    let mut roles = [None; Role::COUNT];
    // VRM 0.x has other names for the joints of a thumb.
    let is_version_0 = model.human_bones.iter().any(|bone| bone.bone.ends_with("ThumbIntermediate"));
    for HumanBoneJoint { joint, bone } in &model.human_bones {
        let name = match is_version_0 {
            true => bone.replace("ThumbProximal", "ThumbMetacarpal").replace("ThumbIntermediate", "ThumbProximal"),
            false => bone.clone(),
        };
        if let Some(role) = Role::from_name(&name) {
            roles[role.index()] = Some(*joint);
        }
    }
    roles
}

/// Makes the common parent of the legs the hips, if the joint of that name is not above both, or that of legs and trunk, if the legs
/// hang on a joint beside the spine.
fn set_hips_above_legs_and_trunk(skeleton: &Skeleton, roles: &mut [Option<JointIndex>; Role::COUNT]) {
    let leg = |side| roles[Role::sided(BodyPart::UpperLeg, side).index()];
    let arm = |side| Role::sided(BodyPart::UpperArm, side);
    let (Some(left), Some(right)) = (leg(Side::Left), leg(Side::Right)) else { return };
    let Some(mut common) = common_ancestor(skeleton, left, right) else { return };
    let is_above = |above: JointIndex, joint| above == joint || is_below(skeleton, joint, above);
    if let Some(hips) = roles[Role::HIPS.index()].filter(|hips| is_above(*hips, common)) {
        common = hips;
    }
    let trunk = [Role::NECK, Role::HEAD, arm(Side::Left), arm(Side::Right)];
    let trunk = trunk.into_iter().find_map(|role| roles[role.index()]);
    if let Some(trunk) = trunk.filter(|trunk| !is_above(common, *trunk)) {
        common = common_ancestor(skeleton, common, trunk).unwrap_or(common);
    }
    roles[Role::HIPS.index()] = Some(common);
}

fn is_below(skeleton: &Skeleton, joint: JointIndex, ancestor: JointIndex) -> bool {
    let parent = |&joint: &JointIndex| skeleton.joint(joint).parent;
    std::iter::successors(parent(&joint), parent).any(|found| found == ancestor)
}

/// Returns the deepest joint above both.
fn common_ancestor(skeleton: &Skeleton, mut a: JointIndex, mut b: JointIndex) -> Option<JointIndex> {
    // Parents precede their children.
    loop {
        (a, b) = (skeleton.joint(a.max(b)).parent?, a.min(b));
        if a == b {
            return Some(a);
        }
    }
}

/// Removes the roles whose joint is not below that of their parent role. Returns their number.
fn drop_misplaced(skeleton: &Skeleton, roles: &mut [Option<JointIndex>; Role::COUNT]) -> usize {
    let mut dropped = 0;
    for role in Role::all() {
        let Some(joint) = roles[role.index()] else { continue };
        let parent = std::iter::successors(role.parent(), |role| role.parent()).find_map(|role| roles[role.index()]);
        if parent.is_some_and(|parent| !is_below(skeleton, joint, parent)) {
            roles[role.index()] = None;
            dropped += 1;
        }
    }
    dropped
}

/// Removes the roles with a side whose joint has a name of the other side.
fn drop_other_sides(skeleton: &Skeleton, roles: &mut [Option<JointIndex>; Role::COUNT]) {
    for role in Role::all() {
        let joint = roles[role.index()].filter(|_| role.side().is_some());
        let stated = joint.and_then(|joint| joint_names::stated_side(skeleton.joint(joint).name.as_deref()?));
        if stated.is_some() && stated != role.side() {
            roles[role.index()] = None;
        }
    }
}

/// Removes tails, fins and the like with all that is below.
fn without_appendages(skeleton: &Skeleton, mut is_part: Vec<bool>) -> Vec<bool> {
    for (i, joint) in skeleton.joints().iter().enumerate() {
        // The name of a root is often that of the character.
        let Some(parent) = joint.parent else { continue };
        is_part[i] &= is_part[parent.get()] && !joint.name.as_deref().is_some_and(joint_names::is_appendage);
    }
    is_part
}

fn with_ancestors(skeleton: &Skeleton, mut is_part: Vec<bool>) -> Vec<bool> {
    for (i, joint) in skeleton.joints().iter().enumerate().rev() {
        if let Some(parent) = joint.parent
            && is_part[i]
        {
            is_part[parent.get()] = true;
        }
    }
    is_part
}
