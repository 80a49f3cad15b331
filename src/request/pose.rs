//! Pose overrides and layered clips of a request.

use super::parse::{finite, numbers, shortest_f64};
use nalgebra::{UnitQuaternion, Vector3};
use rigview_core::math::Transform;
use std::fmt;
use std::str::FromStr;

/// What replaces the pose of a joint: `JOINT=RX,RY,RZ[,X,Y,Z[,SX,SY,SZ]]`, or `JOINT=in-place`.
#[derive(Clone, Debug, PartialEq)]
pub struct JointPoseRequest {
    /// Name, or node index.
    pub joint: String,
    /// The replacement.
    pub pose: JointPose,
}

/// The pose of a joint in a request.
#[derive(Clone, Debug, PartialEq)]
pub enum JointPose {
    /// The local transform.
    Transform {
        /// Degrees about X, then Y, then Z of the parent, as Blender's XYZ Euler.
        rotation_degrees: [f64; 3],
        /// Translation in the parent; without one, that of the rest pose.
        translation: Option<[f64; 3]>,
        /// Without one, the scale of the rest pose.
        scale: Option<[f64; 3]>,
    },
    /// That of each clip, at the horizontal position of its first key.
    InPlace,
}

/// The text form of [`JointPose::InPlace`].
const IN_PLACE: &str = "in-place";

impl JointPoseRequest {
    /// Describes `transform` by short numbers: angles within a millionth of a degree, lengths and factors in single precision.
    /// Omits what equals `rest`.
    pub fn new(joint: String, transform: &Transform, rest: &Transform) -> Self {
        let (x, y, z) = transform.rotation.euler_angles();
        // Adding 0 turns -0 into 0.
        let rotation_degrees = [x, y, z].map(|angle| (angle.to_degrees() * 1e6).round() / 1e6 + 0.0);
        let short = |vector: Vector3<f64>| -> [f64; 3] { vector.map(|x| shortest_f64(x as f32)).into() };
        let scale = (transform.scale != rest.scale).then(|| short(transform.scale));
        let needs_translation = transform.translation != rest.translation || scale.is_some();
        let translation = needs_translation.then(|| short(transform.translation));
        Self { joint, pose: JointPose::Transform { rotation_degrees, translation, scale } }
    }

    /// Returns `true` if clips keep the joint in place.
    pub fn is_in_place(&self) -> bool {
        self.pose == JointPose::InPlace
    }

    /// Returns `parent_from_joint`, given the joint's rest transform; `None` if clips move the joint in place.
    pub fn transform(&self, rest: &Transform) -> Option<Transform> {
        let JointPose::Transform { rotation_degrees, translation, scale } = self.pose else { return None };
        let [x, y, z] = rotation_degrees.map(f64::to_radians);
        Some(Transform {
            translation: translation.map_or(rest.translation, Vector3::from),
            rotation: UnitQuaternion::from_euler_angles(x, y, z),
            scale: scale.map_or(rest.scale, Vector3::from),
        })
    }
}

impl fmt::Display for JointPoseRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let JointPose::Transform { rotation_degrees, translation, scale } = self.pose else {
            return write!(f, "{}={IN_PLACE}", self.joint);
        };
        let numbers = [Some(rotation_degrees), translation, scale].into_iter().flatten().flatten();
        let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
        write!(f, "{}={}", self.joint, numbers.join(","))
    }
}

impl FromStr for JointPoseRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "expected JOINT=RX,RY,RZ in degrees, such as Head=0,30,0; X,Y,Z in meters and a scale may follow; or JOINT=in-place";
        let (joint, list) = text.rsplit_once('=').filter(|(joint, _)| !joint.is_empty()).ok_or(expected)?;
        if list == IN_PLACE {
            return Ok(Self { joint: joint.to_owned(), pose: JointPose::InPlace });
        }
        let values = match list.split(',').count() {
            3 => numbers::<3>(list)?.to_vec(),
            6 => numbers::<6>(list)?.to_vec(),
            9 => numbers::<9>(list)?.to_vec(),
            _ => return Err(expected.to_owned()),
        };
        let (triples, _) = values.as_chunks::<3>();
        let pose = JointPose::Transform {
            rotation_degrees: triples[0],
            translation: triples.get(1).copied(),
            scale: triples.get(2).copied(),
        };
        Ok(Self { joint: joint.to_owned(), pose })
    }
}

/// The value of a morph weight: `[NODE:]TARGET=WEIGHT`; or of an expression: `NAME=VALUE`.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphWeightRequest {
    /// `[NODE:]TARGET`: name or index of the target, of all nodes or of one; or of an expression.
    pub target: String,
    /// The weight, or the value of the expression.
    pub weight: f64,
}

impl fmt::Display for MorphWeightRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.target, self.weight)
    }
}

impl FromStr for MorphWeightRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "expected TARGET=WEIGHT, such as smile=0.5";
        let (target, weight) = text.rsplit_once('=').filter(|(target, _)| !target.is_empty()).ok_or(expected)?;
        Ok(Self { target: target.to_owned(), weight: finite(weight)? })
    }
}

/// A clip that is blended with the main one: `CLIP[:WEIGHT[@SECONDS]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerRequest {
    /// Name or index.
    pub clip: String,
    /// Above 0; the main clip has weight 1 without a layer of its own.
    pub weight: f64,
    /// Time of the clip when the clock is at 0, in seconds.
    pub start_offset_secs: f64,
}

impl fmt::Display for LayerRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.clip, self.weight)?;
        if self.start_offset_secs == 0.0 { Ok(()) } else { write!(f, "@{}", self.start_offset_secs) }
    }
}

impl FromStr for LayerRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let weight_and_offset = |text: &str| {
            let (weight, offset) = text.split_once('@').unwrap_or((text, "0"));
            Some((finite(weight).ok()?, finite(offset).ok()?))
        };
        let parsed = text.rsplit_once(':').and_then(|(clip, rest)| Some((clip, weight_and_offset(rest)?)));
        let (clip, (weight, start_offset_secs)) = parsed.unwrap_or((text, (1.0, 0.0)));
        if clip.is_empty() || !(weight > 0.0 && weight <= 1e9) {
            return Err("expected a clip and a weight above 0, such as Run:0.5".to_owned());
        }
        Ok(Self { clip: clip.to_owned(), weight, start_offset_secs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_forms_round_trip() {
        for text in ["Head=0,30,-5.5", "a=b=1,2,3,4,5,6", "7=0,0,0,1,1,1,2,2,2", "Hips=in-place"] {
            assert_eq!(text.parse::<JointPoseRequest>().unwrap().to_string(), text);
        }
        for text in ["Run:0.5", "a:b:2@1.25", "3:1"] {
            assert_eq!(text.parse::<LayerRequest>().unwrap().to_string(), text);
        }
        for text in ["smile=0.5", "Face:a=b=-1"] {
            assert_eq!(text.parse::<MorphWeightRequest>().unwrap().to_string(), text);
        }
        let layer = LayerRequest { clip: "Run".to_owned(), weight: 1.0, start_offset_secs: 0.0 };
        assert_eq!("Run".parse(), Ok(layer));
    }

    #[test]
    fn invalid_text_is_an_error() {
        for text in ["Head", "=1,2,3", "Head=1,2", "Head=1,2,x", "Head=1,2,3,4"] {
            assert!(text.parse::<JointPoseRequest>().is_err(), "{text}");
        }
        for text in ["smile", "=1", "smile=x"] {
            assert!(text.parse::<MorphWeightRequest>().is_err(), "{text}");
        }
        for text in ["Run:0", ":1", ""] {
            assert!(text.parse::<LayerRequest>().is_err(), "{text}");
        }
    }

    #[test]
    fn transforms_round_trip_as_text() {
        let rest = Transform { translation: Vector3::new(0.0, 1.0, 0.0), ..Transform::identity() };
        let rotated = Transform { rotation: UnitQuaternion::from_euler_angles(0.3, -1.1, 2.0), ..rest };
        let all = Transform {
            translation: Vector3::new(0.5, -0.25, 3.0),
            scale: Vector3::new(1.0, 2.0, 0.5),
            rotation: UnitQuaternion::from_euler_angles(-3.0, 1.5, 0.001),
        };
        for (transform, numbers) in [(rotated, 3), (Transform { scale: rest.scale, ..all }, 6), (all, 9)] {
            let text = JointPoseRequest::new("Head".to_owned(), &transform, &rest).to_string();
            assert_eq!(text.split(',').count(), numbers, "{text}");
            let parsed = text.parse::<JointPoseRequest>().unwrap().transform(&rest).unwrap();
            assert!(parsed.rotation.angle_to(&transform.rotation) < 1e-7, "{text}");
            assert!(text.len() < 80, "{text}");
            assert_eq!((parsed.translation, parsed.scale), (transform.translation, transform.scale));
        }
    }
}
