//! The moving parts of each clip, as data and as lines: turns, speed, swing and travel.

use nalgebra::{Unit, Vector3};
use rigview_core::math::Affine;
use rigview_core::model::{CarriedSurface, ClipIndex, JointIndex, Model, SceneIndex, carried_surfaces};
use rigview_core::pose::{MovingPart, PartRotation, moving_parts};
use rigview_core::util::text::quoted;
use serde::Serialize;

/// Speeds within this are even: three digits of the printed speed.
const EVEN: f64 = 1e-3;

/// Angles between axes below this are 0 in a list, in radians.
const SAME_AXIS: f64 = 5e-3;

/// A moving part of a clip.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PartInfo {
    pub(crate) name: Option<String>,
    pub(crate) node: usize,
    pub(crate) rotation: Option<RotationInfo>,
    /// Diagonal of the box of its positions at the keys, in meters, with the parents at rest.
    pub(crate) travel: f64,
    pub(crate) scales: bool,
    pub(crate) morph_weights: Vec<MorphRange>,
    #[serde(skip)]
    joint: JointIndex,
    /// Area that it carries.
    #[serde(skip)]
    area: f64,
    /// `true` for a joint of a skin.
    #[serde(skip)]
    is_skinned: bool,
}

/// The rotation of a part.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RotationInfo {
    pub(crate) axis_in_joint: [f64; 3],
    /// With the parents at rest.
    pub(crate) axis_in_world: [f64; 3],
    /// From the first key to the last, with sign: counterclockwise is positive.
    pub(crate) degrees: f64,
    pub(crate) range_degrees: [f64; 2],
    /// Whole turns, with sign; `null` for a swing.
    pub(crate) turns: Option<f64>,
    /// Smallest, mean and largest revolutions per minute; `null` where a STEP jumps.
    pub(crate) rpm: [f64; 3],
    /// The speed is the same all the time, within [`EVEN`].
    pub(crate) is_even: bool,
    pub(crate) period_secs: Option<f64>,
    /// Distance from the axis to the centroid of the surface that the part carries, in meters.
    pub(crate) pivot_distance: Option<f64>,
}

/// The values of a morph target weight.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MorphRange {
    pub(crate) index: usize,
    pub(crate) range: [f32; 2],
}

/// Measures the moving parts of clips of one scene.
pub(crate) struct PartAnalysis<'a> {
    model: &'a Model,
    surfaces: Vec<CarriedSurface>,
    rest_pose: Vec<Affine>,
    skinned: Vec<bool>,
}

impl<'a> PartAnalysis<'a> {
    pub(crate) fn new(model: &'a Model, scene: SceneIndex) -> Self {
        let rest_pose = model.skeleton.rest_model_pose();
        let mut skinned = vec![false; model.skeleton.len()];
        model.skins.iter().flat_map(|skin| &skin.joints).for_each(|joint| skinned[joint.get()] = true);
        Self { model, surfaces: carried_surfaces(model, scene), rest_pose, skinned }
    }

    /// Returns the parts that a clip moves, in the order of the skeleton.
    pub(crate) fn of_clip(&self, clip: ClipIndex) -> Vec<PartInfo> {
        let parts = moving_parts(self.model, &self.rest_pose, &self.model.clips[clip.get()]);
        parts.iter().map(|part| self.info(part)).collect()
    }

    fn info(&self, part: &MovingPart) -> PartInfo {
        let joint = self.model.skeleton.joint(part.joint);
        let surface = &self.surfaces[part.joint.get()];
        let pivot = &self.rest_pose[part.joint.get()].translation;
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
                .map(|(index, range)| MorphRange { index: *index, range: *range })
                .collect(),
            joint: part.joint,
            area: surface.area,
            is_skinned: self.skinned[part.joint.get()],
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
        }
    }

    /// Describes the rotation; the ratio is to the mean speed of `reference`.
    fn text(&self, reference: Option<(&str, f64)>) -> String {
        let axes = [self.axis_in_joint, self.axis_in_world].map(axis_text);
        let axis = if axes[0] == axes[1] { axes[0].clone() } else { format!("{} (world {})", axes[0], axes[1]) };
        let [least, mean, greatest] = self.rpm;
        let Some(turns) = self.turns else {
            let [from, to] = self.range_degrees;
            let period = self.period_secs.map_or(String::new(), |secs| format!(", once in {secs:.2} s"));
            return format!("swings {from:.1} to {to:.1} degrees about {axis}{period}");
        };
        let mut text =
            format!("{turns} {}, {mean:.1} rpm about {axis}", if turns.abs() == 1.0 { "turn" } else { "turns" });
        if self.is_even {
            text += &format!(", even within {} %", EVEN * 100.0);
        } else if least.is_finite() && greatest.is_finite() {
            text += &format!(", {least:.1} to {greatest:.1} rpm");
        } else {
            text += ", in steps";
        }
        if let Some((name, rpm)) = reference.filter(|(_, rpm)| *rpm != 0.0) {
            text += &format!(", {:.2} : 1 to {name}", mean / rpm);
        }
        if let Some(distance) = self.pivot_distance {
            text += &format!(", pivot {distance:.2} m from the center of what it carries");
        }
        text
    }
}

impl PartInfo {
    fn title(&self) -> String {
        self.name.as_deref().map_or_else(|| format!("node {}", self.node), quoted)
    }

    fn turns(&self) -> Option<&RotationInfo> {
        self.rotation.as_ref().filter(|rotation| rotation.turns.is_some())
    }

    fn text(&self, reference: Option<(&str, f64)>) -> String {
        let mut parts: Vec<String> = self.rotation.iter().map(|rotation| rotation.text(reference)).collect();
        if self.travel > 0.0 {
            parts.push(format!("travels {:.3} m", self.travel));
        }
        if self.scales {
            parts.push("scales".to_owned());
        }
        for MorphRange { index, range: [min, max] } in &self.morph_weights {
            parts.push(format!("shape key {index} {min:.2} to {max:.2}"));
        }
        format!("{}: {}", self.title(), parts.join("; "))
    }
}

/// Describes the parts that turn, and those that are no joint of a skin: those with the largest surface first, at most `max`. Returns the
/// number of other parts, too.
pub(crate) fn part_lines(parts: &[PartInfo], max: usize) -> (Vec<String>, usize) {
    let mut shown: Vec<&PartInfo> = parts.iter().filter(|part| part.turns().is_some() || !part.is_skinned).collect();
    shown.sort_by(|a, b| b.area.total_cmp(&a.area).then(a.joint.cmp(&b.joint)));
    shown.truncate(max);
    // The largest turning part is the reference of gears.
    let first = shown.iter().find_map(|part| Some((part.joint, part.title(), part.turns()?.rpm[1])));
    let line = |part: &&PartInfo| {
        let reference = first.as_ref().filter(|(joint, ..)| *joint != part.joint);
        part.text(reference.map(|(_, name, rpm)| (&name[..], *rpm)))
    };
    let lines: Vec<String> = shown.iter().map(line).collect();
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
    format!("({x:.2}, {y:.2}, {z:.2})")
}

/// Rounds to six decimals, since keys are in single precision. 0 has no sign.
fn rounded(x: f64) -> f64 {
    (x * 1e6).round() / 1e6 + 0.0
}
