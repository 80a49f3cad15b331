//! Map of roles to joints.

use super::role::{Part, Role, Side};
use super::{joint_names, joint_structure};
use crate::import::Diagnostic;
use crate::math::Affine;
use crate::model::{HumanBoneJoint, JointIndex, Model, Skeleton};
use crate::util::regular_file::read_text;
use crate::util::text::{excerpt, quoted};
use serde_json::{Map, Value, json};
use std::fmt::{self, Write};
use std::path::Path;

/// The reason why a joint has a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleSource {
    /// The humanoid of VRM.
    Vrm,
    /// The name of the joint.
    Name,
    /// The place of the joint in the skeleton.
    Structure,
    /// A file of the user.
    File,
}

impl fmt::Display for RoleSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Vrm => "VRM",
            Self::Name => "name",
            Self::Structure => "structure",
            Self::File => "file",
        })
    }
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
/// // The user corrects the map by a file.
/// map.apply_toml(&imported.model.skeleton, "leftLowerLeg = ''\nleftFoot = 'mixamorig:LeftLeg'")?;
/// assert_eq!(map.get(Role::from_name("leftLowerLeg").ok_or("no role")?), None);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RigMap {
    joints: [Option<MappedJoint>; Role::COUNT],
    /// `true` for roles that a file or [`set`](RigMap::set) left without a joint.
    is_cleared: [bool; Role::COUNT],
    is_quadruped: bool,
}

/// Roles without which a clip is not transferred.
const REQUIRED: [Part; 4] = [Part::UpperArm, Part::LowerArm, Part::UpperLeg, Part::LowerLeg];

impl RigMap {
    /// Finds the roles by the human bones of VRM, else by names and by structure.
    pub fn detect(model: &Model) -> Self {
        let skeleton = &model.skeleton;
        let mut is_skinned = vec![false; skeleton.len()];
        for joint in model.skins.iter().flat_map(|skin| &skin.joints) {
            is_skinned[joint.get()] = true;
        }
        let rest = rest_pose(skeleton);
        let mut map = Self { joints: [None; Role::COUNT], is_cleared: [false; Role::COUNT], is_quadruped: false };
        let by_vrm = vrm_bones(model);
        if by_vrm.iter().any(Option::is_some) {
            map.add(&by_vrm, RoleSource::Vrm, |_| 1.0);
        } else {
            map.detect_by_names_and_structure(skeleton, &is_skinned, &rest);
        }
        map.is_quadruped = map.has_horizontal_spine(&rest);
        map
    }

    /// Finds the roles of a model, and applies `map_file`, else `MODEL.rigmap.toml` next to the model if that exists.
    ///
    /// # Errors
    /// If the map cannot be read or is invalid; the message names the file.
    pub fn of_file(model: &Model, model_file: &Path, map_file: Option<&Path>) -> Result<Self, RigMapError> {
        let mut map = Self::detect(model);
        let beside = model_file.with_extension("rigmap.toml");
        if let Some(file) = map_file.or_else(|| beside.exists().then_some(&*beside)) {
            let in_file = |problem: String| RigMapError::File { file: file.display().to_string(), problem };
            let text = read_text(file, MAX_FILE_BYTES).map_err(|error| in_file(error.to_string()))?;
            map.apply_toml(&model.skeleton, &text).map_err(|error| in_file(error.to_string()))?;
        }
        Ok(map)
    }

    fn detect_by_names_and_structure(&mut self, skeleton: &Skeleton, is_skinned: &[bool], rest: &[Affine]) {
        let mut by_name = joint_names::find(skeleton, is_skinned);
        set_hips_above_legs(skeleton, &mut by_name);
        let named = by_name;
        let dropped = drop_misplaced(skeleton, &mut by_name);
        // Without a skin, all joints are bones.
        let has_skin = is_skinned.contains(&true);
        let is_part: Vec<bool> = is_skinned.iter().map(|is_skinned| *is_skinned || !has_skin).collect();
        let is_part = with_ancestors(skeleton, is_part);
        let by_structure = joint_structure::find(skeleton, rest, &is_part);
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
        self.add(&by_structure, RoleSource::Structure, |_| if names_are_right { 0.7 } else { 0.6 });
        let mut joints = self.joints.map(|mapped| mapped.map(|mapped| mapped.joint));
        drop_misplaced(skeleton, &mut joints);
        for (mapped, joint) in self.joints.iter_mut().zip(joints) {
            *mapped = mapped.filter(|_| joint.is_some());
        }
        // Feet may be apart from their legs, such as those of robots that inverse kinematics moves.
        let feet = [Part::Foot, Part::Toes].into_iter().flat_map(|part| Side::BOTH.map(|side| Role::sided(part, side)));
        for role in feet.filter(|_| names_are_right) {
            let mut feet = [None; Role::COUNT];
            feet[role.index()] = named[role.index()].filter(|joint| is_skinned[joint.get()]);
            self.add(&feet, RoleSource::Name, |_| 0.7);
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

    /// Returns `true` for a body on four legs. The front legs have the roles of arms.
    pub fn is_quadruped(&self) -> bool {
        self.is_quadruped
    }

    /// Returns the required roles without a joint: hips, head, arms and legs.
    pub fn missing(&self) -> impl Iterator<Item = Role> {
        required_roles().filter(|role| self.get(*role).is_none())
    }

    pub(super) fn joint(&self, role: Role) -> Option<JointIndex> {
        self.get(role).map(|mapped| mapped.joint)
    }

    /// Returns the joints above the hips, up to the one from which neck and arms branch off.
    pub(super) fn spine(&self, skeleton: &Skeleton) -> Vec<JointIndex> {
        let Some(hips) = self.joint(Role::HIPS) else { return Vec::new() };
        let branch = |role| self.joint(role).and_then(|joint| skeleton.joint(joint).parent);
        let arms = || {
            let arm =
                |side| self.joint(Role::sided(Part::Shoulder, side)).or(self.joint(Role::sided(Part::UpperArm, side)));
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

    fn has_horizontal_spine(&self, rest: &[Affine]) -> bool {
        let position = |role| Some(rest[self.joint(role)?.get()].translation);
        let arm = |side| position(Role::sided(Part::UpperArm, side));
        let Some(((hips, left), right)) = position(Role::HIPS).zip(arm(Side::Left)).zip(arm(Side::Right)) else {
            return false;
        };
        let spine = (left + right) / 2.0 - hips;
        spine.y.abs() < 0.5 * spine.norm()
    }

    /// Returns diagnostics of the roles that one of two maps sets to none and the other one has. The files are those of the models.
    pub fn cleared_diagnostics(maps: [(&Self, &Path); 2]) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for (i, (map, file)) in maps.into_iter().enumerate() {
            let other = maps[1 - i].0;
            let is_cleared = |role: &Role| map.is_cleared[role.index()] && other.get(*role).is_some();
            let roles: Vec<String> = Role::all().filter(is_cleared).map(|role| role.to_string()).collect();
            let message = format!(
                "{} sets {} to none, so that retargeted clips leave it out; select its joint in the tab Retarget, or remove its line",
                file.with_extension("rigmap.toml").display(),
                roles.join(", "),
            );
            diagnostics.extend((!roles.is_empty()).then(|| Diagnostic::new("", message)));
        }
        diagnostics
    }

    /// Returns the reasons why feet cannot follow a ground, and why heads cannot look at a target.
    pub fn stage_problems(&self, model: &Model) -> [Option<String>; 2] {
        [self.feet(model).err(), self.gaze(model).err()].map(|error| error.map(|error| error.to_string()))
    }

    /// Returns the map as lines of a table: role, joint, confidence and source; then the required roles without a joint.
    pub fn lines(&self, skeleton: &Skeleton) -> Vec<String> {
        let kind = if self.is_quadruped { "quadruped" } else { "humanoid" };
        let mut lines = vec![format!("{kind}, {} of {} roles", self.joints.iter().flatten().count(), Role::COUNT)];
        for role in Role::all() {
            let Some(mapped) = self.get(role) else { continue };
            let joint = skeleton.joint(mapped.joint);
            let name = joint.name.as_deref().map_or_else(|| format!("node {}", joint.node), excerpt);
            lines.push(format!("  {:<24} {name:<32} {:.1}  {}", role.to_string(), mapped.confidence, mapped.source));
        }
        lines.extend(self.missing().map(|role| format!("  {:<24} missing", role.to_string())));
        lines
    }

    /// Returns the map as JSON: an object per role with the glTF node, its name, confidence and source.
    pub fn to_json(&self, skeleton: &Skeleton) -> Value {
        let roles = Role::all().filter_map(|role| {
            let mapped = self.get(role)?;
            let joint = skeleton.joint(mapped.joint);
            let confidence = (f64::from(mapped.confidence) * 100.0).round() / 100.0;
            let source = mapped.source.to_string();
            let value = json!({ "node": joint.node, "name": joint.name, "confidence": confidence, "source": source });
            Some((role.to_string(), value))
        });
        let missing: Vec<String> = self.missing().map(|role| role.to_string()).collect();
        json!({ "quadruped": self.is_quadruped, "roles": roles.collect::<Map<_, _>>(), "missing": missing })
    }

    /// Returns a TOML file with the joint of each role, for [`apply_toml`](Self::apply_toml).
    pub fn to_toml(&self, skeleton: &Skeleton) -> String {
        let mut text =
            "# Role = joint, by name or by index of the glTF node. '' leaves a role without a joint.\n".to_owned();
        for role in Role::all() {
            let Some(mapped) = self.get(role) else {
                if self.is_cleared[role.index()] {
                    let _ = writeln!(text, "{role} = ''");
                }
                continue;
            };
            let joint = skeleton.joint(mapped.joint);
            let is_clear = |name: &&String| skeleton.find(name) == Some(mapped.joint);
            // Writing to a string cannot fail.
            let _ = match joint.name.as_ref().filter(is_clear) {
                Some(name) => writeln!(text, "{role} = {}", toml::Value::from(name.as_str())),
                None => writeln!(text, "{role} = {}", joint.node),
            };
        }
        text
    }

    /// Replaces the joints of the roles in a TOML file: `leftFoot = "name"`, `leftFoot = 12` for a glTF node, or `''` for none.
    ///
    /// # Errors
    /// If it is not TOML, or names an unknown role or joint: one line with the remedy.
    pub fn apply_toml(&mut self, skeleton: &Skeleton, text: &str) -> Result<(), RigMapError> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| RigMapError::Syntax {
            line: 1 + text.get(..error.span().map_or(0, |span| span.start)).unwrap_or_default().matches('\n').count(),
            message: error.message().to_owned(),
        })?;
        for (name, value) in &table {
            let role = Role::from_name(name).ok_or_else(|| RigMapError::UnknownRole { name: quoted(name) })?;
            let unknown = || RigMapError::UnknownJoint { role, joint: quoted(&value.to_string()) };
            let joint = match value {
                toml::Value::String(name) if name.is_empty() => None,
                toml::Value::String(name) => Some(skeleton.find(name).ok_or_else(unknown)?),
                toml::Value::Integer(node) => {
                    let found = skeleton.joints().iter().position(|joint| i64::try_from(joint.node) == Ok(*node));
                    Some(JointIndex(found.ok_or_else(unknown)? as u32))
                }
                _ => return Err(unknown()),
            };
            self.set_joint(role, joint);
        }
        self.is_quadruped = self.has_horizontal_spine(&rest_pose(skeleton));
        Ok(())
    }

    /// Sets the joint of a role, as a file does. Another role of the joint is left without one.
    pub fn set(&mut self, skeleton: &Skeleton, role: Role, joint: Option<JointIndex>) {
        self.set_joint(role, joint);
        self.is_quadruped = self.has_horizontal_spine(&rest_pose(skeleton));
    }

    fn set_joint(&mut self, role: Role, joint: Option<JointIndex>) {
        for (mapped, is_cleared) in self.joints.iter_mut().zip(&mut self.is_cleared) {
            if joint.is_some() && mapped.map(|mapped| mapped.joint) == joint {
                (*mapped, *is_cleared) = (None, true);
            }
        }
        self.joints[role.index()] = joint.map(|joint| MappedJoint { joint, confidence: 1.0, source: RoleSource::File });
        self.is_cleared[role.index()] = joint.is_none();
    }
}

/// Maximum size of a file with a map in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Error of a file with a map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RigMapError {
    /// An error in a file.
    #[error("{file}: {problem}")]
    File {
        /// The path.
        file: String,
        /// The problem.
        problem: String,
    },
    /// It is not TOML.
    #[error("line {line}: {message}; write one line per role, such as leftFoot = \"foot.l\"")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The error of the parser.
        message: String,
    },
    /// Not a role.
    #[error("{name} is not a role; the roles are the human bones of VRM 1.0, such as hips and leftUpperArm")]
    UnknownRole {
        /// The name, quoted.
        name: String,
    },
    /// Not a joint.
    #[error("{role}: the model has no joint {joint}; `rigview info` lists the joints")]
    UnknownJoint {
        /// The role.
        role: Role,
        /// The joint in the file, quoted.
        joint: String,
    },
}

fn required_roles() -> impl Iterator<Item = Role> {
    let limbs = REQUIRED.into_iter().flat_map(|part| Side::BOTH.map(|side| Role::sided(part, side)));
    [Role::HIPS, Role::HEAD].into_iter().chain(limbs)
}

/// Returns `model_from_joint` of every joint at rest.
pub(super) fn rest_pose(skeleton: &Skeleton) -> Vec<Affine> {
    let mut pose = Vec::<Affine>::with_capacity(skeleton.len());
    for joint in skeleton.joints() {
        let parent_from_joint = joint.matrix_of(&joint.rest);
        pose.push(joint.parent.map_or(Affine::IDENTITY, |parent| pose[parent.get()]) * parent_from_joint);
    }
    pose
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

/// Makes the common parent of the legs the hips, if the joint of that name is not above both.
fn set_hips_above_legs(skeleton: &Skeleton, roles: &mut [Option<JointIndex>; Role::COUNT]) {
    let leg = |side| roles[Role::sided(Part::UpperLeg, side).index()];
    if let (Some(left), Some(right)) = (leg(Side::Left), leg(Side::Right))
        && let Some(common) = common_ancestor(skeleton, left, right)
        && !roles[Role::HIPS.index()].is_some_and(|hips| hips == common || is_below(skeleton, common, hips))
    {
        roles[Role::HIPS.index()] = Some(common);
    }
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
