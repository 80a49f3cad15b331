//! The moving parts of a clip, as data and as text: turns, speed, swing, travel and shape keys. [`PartAnalysis`] measures them.

use crate::loop_seam::{PartSeam, drives_expression, visible_speed_jump};
use nalgebra::{Unit, Vector3};
use rigview_core::math::Affine;
use rigview_core::model::{CarriedSurface, Clip, JointIndex, Model, SceneIndex, carried_surfaces};
use rigview_core::pose::{MovingPart, PartRotation, moving_parts};
use rigview_core::util::text::{fixed, quoted};
use serde::Serialize;
use std::cmp::Ordering;

/// Speeds within this are even: three digits of the printed speed.
const EVEN: f64 = 1e-3;

/// Angles between axes below this are 0 in a list, in radians.
const SAME_AXIS: f64 = 5e-3;

/// A moving part of a clip: a joint that it moves. Its JSON is that of `rigview info --json`.
#[derive(Clone, Debug, Serialize)]
pub struct PartInfo {
    /// Of the node.
    pub name: Option<String>,
    /// Index of the node in the file.
    pub node: usize,
    /// `None` if it does not rotate.
    pub rotation: Option<RotationInfo>,
    /// Diagonal of the box of its positions at the keys, in meters if the unit is known, with the parents at rest. The range of values
    /// of a joint that drives an expression (VRM).
    pub travel: f64,
    /// Its scale changes.
    pub scales: bool,
    /// The morph target weights that change.
    pub morph_weights: Vec<MorphRange>,
    /// Whether its motion closes with the clip.
    pub seam: PartSeam,
    /// The joint in the skeleton of the model.
    #[serde(skip)]
    pub joint: JointIndex,
    /// Area that it carries.
    #[serde(skip)]
    area: f64,
    /// `true` for a joint of a skin.
    #[serde(skip)]
    is_skinned: bool,
    /// Its translation is the value of an expression.
    #[serde(skip)]
    is_expression: bool,
    /// [`Model::length_unit`].
    #[serde(skip)]
    unit: &'static str,
}

/// The rotation of a part.
#[derive(Clone, Debug, Serialize)]
pub struct RotationInfo {
    /// Unit vector in the space of the joint.
    pub axis_in_joint: [f64; 3],
    /// Unit vector in model space, with the parents at rest.
    pub axis_in_world: [f64; 3],
    /// From the first key to the last, with sign: counterclockwise is positive.
    pub degrees: f64,
    /// Smallest and largest angle from the first key, in degrees.
    pub range_degrees: [f64; 2],
    /// Whole turns, with sign; `null` for a swing.
    pub turns: Option<f64>,
    /// Smallest, mean and largest revolutions per minute; `null` where a STEP jumps.
    pub rpm: [f64; 3],
    /// The speed is the same all the time, within a thousandth.
    pub is_even: bool,
    /// Shortest time after which it repeats, up to whole turns; `None` if the clip does not close.
    pub period_secs: Option<f64>,
    /// Distance from the axis to the centroid of the surface that the part carries, in meters.
    pub pivot_distance: Option<f64>,
    /// A visible change of the speed between the end of the loop and its start.
    #[serde(skip)]
    pub speed_jump: Option<String>,
}

/// The values of a morph target weight.
#[derive(Clone, Debug, Serialize)]
pub struct MorphRange {
    /// Index among the weights of the joint.
    pub index: usize,
    /// Smallest and largest value at the keys.
    pub range: [f32; 2],
    /// Of the morph target; empty for that of a mesh that is not drawn.
    #[serde(skip)]
    name: String,
}

/// The reference of speed ratios: a part that makes whole turns.
pub struct ReferencePart {
    joint: JointIndex,
    title: String,
    rpm: f64,
}

/// Measures the moving parts of the clips of one scene. It keeps what does not depend on the clip.
pub struct PartAnalysis {
    /// Of each joint.
    surfaces: Vec<CarriedSurface>,
    rest_pose: Vec<Affine>,
    skinned: Vec<bool>,
    /// Names of the morph targets by index among the skeleton's weights.
    morph_names: Vec<String>,
}

impl PartAnalysis {
    /// # Panics
    /// If the model has no such scene.
    pub fn new(model: &Model, scene: SceneIndex) -> Self {
        let rest_pose = model.skeleton.rest_model_pose();
        let mut skinned = vec![false; model.skeleton.len()];
        model.skins.iter().flat_map(|skin| &skin.joints).for_each(|joint| skinned[joint.get()] = true);
        let mut morph_names = vec![String::new(); model.skeleton.rest_morph_weights().len()];
        model.morphs().into_iter().for_each(|morph| morph_names[morph.weight_index] = morph.name);
        Self { surfaces: carried_surfaces(model, scene), rest_pose, skinned, morph_names }
    }

    /// Returns the parts that a clip of the model moves, in the order of the skeleton.
    ///
    /// # Panics
    /// If `model` is not that of [`new`](Self::new), or `clip` is not [valid](Model::validate) for it.
    pub fn of_clip(&self, model: &Model, clip: &Clip) -> Vec<PartInfo> {
        let seams = PartSeam::of_joints(model, &self.rest_pose, clip);
        let parts = moving_parts(model, &self.rest_pose, clip);
        parts.iter().map(|part| self.info(model, part, seams[&part.joint])).collect()
    }

    /// Returns the first joints with vertices below a joint, those that carry the largest surface first.
    ///
    /// # Panics
    /// If `model` is not that of [`new`](Self::new), or it has no such joint.
    pub fn carried_by(
        &self,
        model: &Model,
        joint: JointIndex,
        has_vertices: impl Fn(JointIndex) -> bool,
    ) -> Vec<JointIndex> {
        let (mut is_open, mut carried) = (vec![false; model.skeleton.len()], Vec::new());
        is_open[joint.get()] = true;
        for (index, child) in (0..).map(JointIndex).zip(model.skeleton.joints()) {
            if child.parent.is_some_and(|parent| is_open[parent.get()]) {
                match has_vertices(index) {
                    true => carried.push(index),
                    false => is_open[index.get()] = true,
                }
            }
        }
        let area = |joint: &JointIndex| self.surfaces[joint.get()].area;
        carried.sort_by(|a, b| area(b).total_cmp(&area(a)).then(a.cmp(b)));
        carried
    }

    fn info(&self, model: &Model, part: &MovingPart, seam: PartSeam) -> PartInfo {
        let joint = model.skeleton.joint(part.joint);
        let surface = &self.surfaces[part.joint.get()];
        let pivot = &self.rest_pose[part.joint.get()].translation;
        let is_expression = drives_expression(model, part.joint);
        PartInfo {
            name: joint.name.clone(),
            node: joint.node,
            rotation: part.rotation.as_ref().map(|rotation| {
                RotationInfo::new(rotation, surface.distance_from_axis(pivot, &rotation.axis_in_model))
            }),
            travel: rounded(part.travel),
            scales: part.scales,
            morph_weights: part
                .morph_weights
                .iter()
                .map(|(index, range)| {
                    let name = self.morph_names[joint.morph_weights.start + index].clone();
                    MorphRange { index: *index, range: *range, name }
                })
                .collect(),
            seam: PartSeam {
                degrees: rounded(seam.degrees),
                distance: rounded(seam.distance),
                morph_weight: rounded(seam.morph_weight),
            },
            joint: part.joint,
            area: surface.area,
            is_skinned: self.skinned[part.joint.get()],
            is_expression,
            unit: if is_expression { "of its value" } else { model.length_unit() },
        }
    }
}

impl RotationInfo {
    fn new(rotation: &PartRotation, pivot_distance: Option<f64>) -> Self {
        let degrees = |angle: f64| rounded(angle.to_degrees());
        let axis = |axis: &Unit<Vector3<f64>>| [0, 1, 2].map(|i| rounded(axis[i]));
        Self {
            axis_in_joint: axis(&rotation.axis_in_joint),
            axis_in_world: axis(&rotation.axis_in_model),
            degrees: degrees(rotation.angle),
            range_degrees: rotation.range.map(degrees),
            turns: rotation.whole_turns(),
            rpm: rotation.rpm.map(rounded),
            is_even: rotation.unevenness() <= EVEN,
            period_secs: rotation.period_secs.map(rounded),
            pivot_distance: pivot_distance.map(rounded),
            speed_jump: visible_speed_jump(rotation),
        }
    }

    /// Returns `true` for an even rotation by more than a turn that the clip cuts before it closes.
    fn is_open_turn(&self) -> bool {
        self.turns.is_none() && self.is_even && self.degrees.abs() > 360.0
    }

    /// Describes the rotation in a few words each.
    fn facts(&self, reference: Option<&ReferencePart>) -> Vec<String> {
        let axes = [self.axis_in_joint, self.axis_in_world].map(axis_text);
        let axis = if axes[0] == axes[1] { axes[0].clone() } else { format!("{} (world {})", axes[0], axes[1]) };
        let [least, mean, greatest] = self.rpm;
        let [from, to] = [least, greatest].map(|rpm| fixed(rpm, 1));
        let is_open_turn = self.is_open_turn();
        let speeds = match least.is_finite() && greatest.is_finite() {
            true if from == to => format!("{from} rpm"),
            true => format!("{from} to {to} rpm"),
            false => "in steps".to_owned(),
        };
        let mut facts = Vec::new();
        if let Some(turns) = self.turns {
            facts.push(format!("{turns} {}", if turns.abs() == 1.0 { "turn" } else { "turns" }));
            facts.push(format!("{} rpm about {axis}", fixed(mean, 1)));
            facts.push(if self.is_even { format!("even within {} %", EVEN * 100.0) } else { speeds });
        } else if is_open_turn {
            facts.push(format!("turns by {} degrees", fixed(self.degrees, 1)));
            facts.push(format!("{} rpm about {axis}", fixed(mean, 1)));
            facts.push(format!("even, a turn takes {:.2} s", 60.0 / mean.abs()));
        } else {
            let [from, to] = self.range_degrees.map(|degrees| fixed(degrees, 1));
            facts.extend([format!("swings {from} to {to} degrees about {axis}"), speeds]);
        }
        facts.extend(self.period_secs.map(|secs| format!("period {secs:.2} s")));
        facts.extend(self.speed_jump.clone());
        if let Some(reference) = reference.filter(|reference| reference.rpm != 0.0 && self.turns.is_some()) {
            facts.push(format!("{} : 1 to {}", fixed(mean / reference.rpm, 2), reference.title));
        }
        let distance = self.pivot_distance.filter(|_| self.turns.is_some());
        facts.extend(distance.map(|distance| format!("pivot {distance:.2} m from the center of what it carries")));
        facts
    }
}

impl PartInfo {
    fn title(&self) -> String {
        self.name.as_deref().map_or_else(|| format!("node {}", self.node), quoted)
    }

    /// The rotation, if it is of whole turns.
    pub fn turns(&self) -> Option<&RotationInfo> {
        self.rotation.as_ref().filter(|rotation| rotation.turns.is_some())
    }

    /// A joint of a skin that does not turn: a character has many.
    fn is_bone(&self) -> bool {
        self.is_skinned && self.turns().is_none()
    }

    /// Describes the motion in a few words each. The ratio is to the mean speed of another part.
    pub fn facts(&self, reference: Option<&ReferencePart>) -> Vec<String> {
        let reference = reference.filter(|reference| reference.joint != self.joint);
        let mut facts = self.rotation.as_ref().map_or_else(Vec::new, |rotation| rotation.facts(reference));
        // Shorter ones read as 0.000.
        if self.travel >= 0.0005 {
            facts.push(match self.is_expression {
                true => format!("the expression changes by {:.2}", self.travel),
                false => format!("travels {:.3} {}", self.travel, self.unit),
            });
        }
        if self.scales {
            facts.push("scales".to_owned());
        }
        for MorphRange { index, range: [min, max], name } in &self.morph_weights {
            let name = if name.is_empty() { index.to_string() } else { quoted(name) };
            let [min, max] = [min, max].map(|x| fixed(f64::from(*x), 2));
            facts.push(format!("shape key {name} {min} to {max}"));
        }
        let gaps = self.seam.gaps(self.travel, self.unit);
        facts.extend(gaps.map(|gaps| format!("open by {gaps} at the end of the loop")));
        facts
    }
}

/// The order of parts by the area that they carry, the largest first. Joints of skins that do not turn are the last.
pub fn by_area(a: &PartInfo, b: &PartInfo) -> Ordering {
    a.is_bone().cmp(&b.is_bone()).then(b.area.total_cmp(&a.area)).then(a.joint.cmp(&b.joint))
}

/// Returns the reference of gears: the part of a joint if it turns, else the first of the [sorted](by_area) parts that does.
pub fn reference_part<'a>(
    sorted: impl IntoIterator<Item = &'a PartInfo>,
    joint: Option<JointIndex>,
) -> Option<ReferencePart> {
    let turning: Vec<_> = sorted.into_iter().filter_map(|part| Some((part, part.turns()?.rpm[1]))).collect();
    let chosen = turning.iter().find(|(part, _)| Some(part.joint) == joint).or(turning.first());
    chosen.map(|&(part, rpm)| ReferencePart { joint: part.joint, title: part.title(), rpm })
}

/// Describes the first parts, without joints of skins that do not turn. Returns the number of other parts, too.
pub fn part_lines(parts: &[PartInfo], max: usize) -> (Vec<String>, usize) {
    let mut parts = parts.to_vec();
    parts.sort_by(by_area);
    let reference = reference_part(&parts, None);
    let shown = parts.iter().take_while(|part| !part.is_bone()).take(max);
    let line = |part: &PartInfo| format!("{}: {}", part.title(), part.facts(reference.as_ref()).join(", "));
    let lines: Vec<String> = shown.map(line).collect();
    let others = parts.len() - lines.len();
    (lines, others)
}

/// `+Z` for an axis of the coordinate system.
fn axis_text(axis: [f64; 3]) -> String {
    for (i, name) in ["X", "Y", "Z"].into_iter().enumerate() {
        if axis[i].abs() > SAME_AXIS.cos() {
            return format!("{}{name}", if axis[i] < 0.0 { '-' } else { '+' });
        }
    }
    let [x, y, z] = axis;
    format!("({}, {}, {})", fixed(x, 2), fixed(y, 2), fixed(z, 2))
}

/// Rounds to six decimals, since keys are in single precision. 0 has no sign.
fn rounded(x: f64) -> f64 {
    (x * 1e6).round() / 1e6 + 0.0
}
