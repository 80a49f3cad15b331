//! What retargeting assumes about a rig, and settings that replace it.

use nalgebra::Vector3;
use std::fmt;

/// Kind of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// A body with two legs and two arms.
    Biped,
    /// A body on four legs.
    Quadruped,
    /// A body that is neither, such as a fish, a spider or a machine.
    Other,
}

impl BodyKind {
    /// Returns the kind of this name: `biped`, `quadruped` or `other`.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Biped, Self::Quadruped, Self::Other].into_iter().find(|kind| kind.to_string() == name)
    }
}

impl fmt::Display for BodyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Biped => "biped",
            Self::Quadruped => "quadruped",
            Self::Other => "other",
        })
    }
}

/// The pose in which two bodies are taken to be alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceSource {
    /// The rest pose of the file.
    Rest,
    /// The pose in which the largest skin is bound to its joints.
    Bind,
    /// The first frame of the first clip.
    FirstFrame,
    /// A T pose that is built from the directions of the bones; for a quadruped, its mean pose while its feet are on the ground.
    Built {
        /// `true` if the arms are 45 degrees below the horizontal, as in an A pose.
        arms_down: bool,
    },
}

impl ReferenceSource {
    /// Returns the source with this name in a rig map: `file`, `first-frame`, `T` or `A`.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::Rest, Self::FirstFrame, Self::Built { arms_down: false }, Self::Built { arms_down: true }];
        all.into_iter().find(|source| source.name() == name)
    }

    /// Returns the name in a rig map; `bind` for the bind pose, which no rig map sets.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rest => "file",
            Self::Bind => "bind",
            Self::FirstFrame => "first-frame",
            Self::Built { arms_down: false } => "T",
            Self::Built { arms_down: true } => "A",
        }
    }
}

/// What [`retarget_clips`](super::retarget_clips) assumes about a rig.
///
/// Its [`Display`](fmt::Display) is what a rig has: `no rest pose: T assumed, up +Z, facing -Y`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reference {
    /// The pose in which the body is taken to be like the other one.
    pub source: ReferenceSource,
    /// `true` if [`ReferenceSettings::rest`] is this source, `false` if it is an estimate.
    pub is_set: bool,
    /// The kind of the body.
    pub kind: BodyKind,
    /// Unit vector in model space.
    pub up: Vector3<f64>,
    /// Direction to the front of the body in the reference pose; a unit vector in model space.
    pub facing: Vector3<f64>,
    /// Height of the ground in the clips, along `up`, in the unit of the model; 0 unless the pose is built.
    pub ground: f64,
    /// `true` if left and right are not those of the names: [`RigMap::sides_are_exchanged`](super::RigMap::sides_are_exchanged).
    pub sides_are_exchanged: bool,
    /// `true` if the pose is built from frames of the clips. One that is built without frames depends on the rest pose alone; a quadruped
    /// then has the legs of a dog.
    pub(super) from_clips: bool,
    /// How sure the assumption is, from 0 to 1: at most as sure as the roles of hips, head, arms and legs.
    pub confidence: f32,
}

impl Reference {
    /// Confidence from which an assumption is called certain.
    const HIGH_CONFIDENCE: f32 = 0.9;
    /// Confidence below which an assumption needs a look.
    pub const LOW_CONFIDENCE: f32 = 0.6;

    /// Returns the confidence of a retargeting, which is as sure as the less certain of motion and model, with both in words:
    /// `confidence 0.72: the motion is likely, the model is certain`.
    pub fn confidence_of(both: &[Self; 2]) -> String {
        let [motion, model] = both.map(|reference| match reference.confidence {
            confidence if confidence >= Self::HIGH_CONFIDENCE => "certain",
            confidence if confidence >= Self::LOW_CONFIDENCE => "likely",
            _ => "uncertain",
        });
        let whole = both[0].confidence.min(both[1].confidence);
        format!("confidence {whole:.2}: the motion is {motion}, the model is {model}")
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind == BodyKind::Other {
            return write!(f, "the kind other: its joints follow those of the same names");
        }
        let is_stance = self.kind == BodyKind::Quadruped;
        f.write_str(match (self.source, self.is_set) {
            (ReferenceSource::Rest, false) => "a rest pose",
            (ReferenceSource::Rest, true) => "its rest pose, as set",
            (ReferenceSource::Bind, _) => "no rest pose: bind pose of the skin assumed",
            (ReferenceSource::FirstFrame, _) => "its first frame as rest pose",
            (ReferenceSource::Built { .. }, false) if is_stance && !self.from_clips => {
                "no rest pose and no clips: stance of a dog assumed"
            }
            (ReferenceSource::Built { .. }, true) if is_stance && !self.from_clips => "the stance of a dog, as set",
            (ReferenceSource::Built { .. }, false) if is_stance => "no rest pose: stance of its clips assumed",
            (ReferenceSource::Built { .. }, true) if is_stance => "the stance of its clips, as set",
            (ReferenceSource::Built { arms_down: false }, false) => "no rest pose: T assumed",
            (ReferenceSource::Built { arms_down: true }, false) => "no rest pose: A assumed",
            (ReferenceSource::Built { arms_down: false }, true) => "a T pose, as set",
            (ReferenceSource::Built { arms_down: true }, true) => "an A pose, as set",
        })?;
        if is_stance {
            f.write_str(", quadruped")?;
        }
        let (up, facing) = (AxisName(self.up), AxisName(self.facing));
        write!(f, ", up {up}, facing {facing}")?;
        if self.ground != 0.0 {
            write!(f, ", lowest foot on the ground at {:.3}", self.ground)?;
        }
        f.write_str(if self.sides_are_exchanged { ", left and right exchanged against the names" } else { "" })
    }
}

/// Displays a direction: the name of its axis, else its components.
struct AxisName(Vector3<f64>);

impl fmt::Display for AxisName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (largest, Vector3 { data, .. }) = (self.0.iamax(), self.0);
        let [[x, y, z]] = data.0;
        match self.0.amax() > 0.999 {
            true => write!(f, "{}{}", if self.0[largest] < 0.0 { '-' } else { '+' }, ['X', 'Y', 'Z'][largest]),
            false => write!(f, "({x:.2}, {y:.2}, {z:.2})"),
        }
    }
}

/// Returns the name of the axis of a unit vector: `+X`, `-X`, `+Y`, `-Y`, `+Z` or `-Z`; its components if it is along no axis.
pub fn axis_name(direction: Vector3<f64>) -> String {
    AxisName(direction).to_string()
}

/// Returns the unit vector of an axis: `+X`, `-X`, `+Y`, `-Y`, `+Z` or `-Z`.
pub(super) fn axis_from_name(name: &str) -> Option<Vector3<f64>> {
    let axes = (0..3).flat_map(|axis| [1.0, -1.0].map(|sign| Vector3::ith(axis, sign)));
    axes.into_iter().find(|axis| AxisName(*axis).to_string() == name)
}

/// Parts of the [`Reference`] of a rig that the user sets. The others are estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReferenceSettings {
    /// The kind of the body.
    pub kind: Option<BodyKind>,
    /// Up of the clips and the reference pose: a unit vector in model space.
    pub up: Option<Vector3<f64>>,
    /// Direction to the front of the body in the reference pose: a unit vector in model space.
    pub facing: Option<Vector3<f64>>,
    /// The reference pose.
    pub rest: Option<ReferenceSource>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_axes_kinds_and_poses_round_trip() {
        for name in ["+X", "-X", "+Y", "-Y", "+Z", "-Z"] {
            assert_eq!(AxisName(axis_from_name(name).unwrap()).to_string(), name);
        }
        assert_eq!(axis_from_name("X"), None);
        for name in ["file", "first-frame", "T", "A"] {
            assert_eq!(ReferenceSource::from_name(name).map(ReferenceSource::name), Some(name));
        }
        assert_eq!((ReferenceSource::from_name("bind"), BodyKind::from_name("fish")), (None, None));
        for kind in [BodyKind::Biped, BodyKind::Quadruped, BodyKind::Other] {
            assert_eq!(BodyKind::from_name(&kind.to_string()), Some(kind));
        }
    }

    #[test]
    fn a_reference_is_a_phrase() {
        let reference = Reference {
            source: ReferenceSource::Built { arms_down: false },
            is_set: false,
            kind: BodyKind::Biped,
            up: Vector3::z(),
            facing: -Vector3::y(),
            ground: 0.0,
            sides_are_exchanged: false,
            from_clips: true,
            confidence: 0.72,
        };
        assert_eq!(reference.to_string(), "no rest pose: T assumed, up +Z, facing -Y");
        assert_eq!(Reference { is_set: true, ..reference }.to_string(), "a T pose, as set, up +Z, facing -Y");
        let in_air = Reference { ground: 0.93, ..reference }.to_string();
        assert_eq!(in_air, format!("{reference}, lowest foot on the ground at 0.930"));
        let dog = Reference { kind: BodyKind::Quadruped, ..reference };
        assert_eq!(dog.to_string(), "no rest pose: stance of its clips assumed, quadruped, up +Z, facing -Y");
        let still = Reference { from_clips: false, ..dog };
        assert_eq!(
            still.to_string(),
            "no rest pose and no clips: stance of a dog assumed, quadruped, up +Z, facing -Y"
        );
        let exchanged = Reference { sides_are_exchanged: true, ..reference }.to_string();
        assert_eq!(exchanged, format!("{reference}, left and right exchanged against the names"));
        let set = Reference { is_set: true, ..still };
        assert_eq!(set.to_string(), "the stance of a dog, as set, quadruped, up +Z, facing -Y");
        let fish = Reference { kind: BodyKind::Other, confidence: 0.95, ..reference };
        assert_eq!(fish.to_string(), "the kind other: its joints follow those of the same names");
        let both = [reference, fish];
        assert_eq!(Reference::confidence_of(&both), "confidence 0.72: the motion is likely, the model is certain");
        let low = Reference { confidence: 0.59, ..fish };
        assert_eq!(Reference::confidence_of(&[low, fish])[..16], *"confidence 0.59:");
        assert!(Reference::confidence_of(&[low, fish]).contains("the motion is uncertain"));
    }
}
