//! Joints and morph weights put by hand, and clips that play beside the first.

use super::values::{finite, numbers};
use crate::math::Transform;
use nalgebra::{UnitQuaternion, Vector3};

/// A joint put by hand, as asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct PutArg {
    /// Its name, or its node's number.
    pub joint: String,
    /// Degrees about X, then Y, then Z of its parent, as Blender's XYZ Euler.
    pub turn_degrees: [f64; 3],
    /// Where it stands in its parent; where it stands at rest without.
    pub place: Option<[f64; 3]>,
    /// Its scale; that at rest without.
    pub scale: Option<[f64; 3]>,
}

/// A morph weight put by hand, as asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphArg {
    /// Its target's name or number; a node's name or number and a colon may stand before it.
    pub target: String,
    /// How strongly it is applied.
    pub weight: f64,
}

/// A clip that plays beside the first, as asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerArg {
    /// Its name or number.
    pub clip: String,
    /// How strongly: the first clip has 1.
    pub weight: f64,
    /// Where it is when the clock shows 0, in seconds.
    pub phase_secs: f64,
}

impl PutArg {
    /// What says this of a joint that stands at rest as `rest`.
    pub fn new(joint: String, transform: &Transform, rest: &Transform) -> Self {
        let (x, y, z) = transform.rotation.euler_angles();
        let turn_degrees = [x, y, z].map(f64::to_degrees);
        let scale = (transform.scale != rest.scale).then(|| transform.scale.into());
        let moved = transform.translation != rest.translation || scale.is_some();
        Self { joint, turn_degrees, place: moved.then(|| transform.translation.into()), scale }
    }

    /// `parent_from_joint` of the joint, which stands at rest as `rest`.
    pub fn transform(&self, rest: &Transform) -> Transform {
        let [x, y, z] = self.turn_degrees.map(f64::to_radians);
        Transform {
            translation: self.place.map_or(rest.translation, Vector3::from),
            rotation: UnitQuaternion::from_euler_angles(x, y, z),
            scale: self.scale.map_or(rest.scale, Vector3::from),
        }
    }
}

impl std::fmt::Display for PutArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let numbers = [Some(self.turn_degrees), self.place, self.scale].into_iter().flatten().flatten();
        let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
        write!(f, "{}={}", self.joint, numbers.join(","))
    }
}

impl std::fmt::Display for MorphArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.target, self.weight)
    }
}

impl std::fmt::Display for LayerArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.clip, self.weight)?;
        if self.phase_secs == 0.0 { Ok(()) } else { write!(f, "@{}", self.phase_secs) }
    }
}

pub(super) fn put(text: &str) -> Result<PutArg, String> {
    let expected = "expected JOINT=RX,RY,RZ in degrees, such as Head=0,30,0; X,Y,Z in meters and a scale may follow";
    let (joint, list) = text.rsplit_once('=').filter(|(joint, _)| !joint.is_empty()).ok_or(expected)?;
    let triples = match list.split(',').count() {
        3 => numbers::<3>(list)?.to_vec(),
        6 => numbers::<6>(list)?.to_vec(),
        9 => numbers::<9>(list)?.to_vec(),
        _ => return Err(expected.to_owned()),
    };
    let triple = |place: usize| triples.get(place * 3..place * 3 + 3).map(|three| [three[0], three[1], three[2]]);
    let turn_degrees = triple(0).ok_or(expected)?;
    Ok(PutArg { joint: joint.to_owned(), turn_degrees, place: triple(1), scale: triple(2) })
}

pub(super) fn morph(text: &str) -> Result<MorphArg, String> {
    let expected = "expected TARGET=WEIGHT, such as smile=0.5";
    let (target, weight) = text.rsplit_once('=').filter(|(target, _)| !target.is_empty()).ok_or(expected)?;
    Ok(MorphArg { target: target.to_owned(), weight: finite(weight)? })
}

pub(super) fn layer(text: &str) -> Result<LayerArg, String> {
    let strength = |text: &str| {
        let (weight, phase) = text.split_once('@').unwrap_or((text, "0"));
        Some((finite(weight).ok()?, finite(phase).ok()?))
    };
    let (clip, (weight, phase_secs)) =
        match text.rsplit_once(':').and_then(|(clip, rest)| Some((clip, strength(rest)?))) {
            Some(found) => found,
            None => (text, (1.0, 0.0)),
        };
    if clip.is_empty() || !(weight > 0.0 && weight <= 1e9) {
        return Err("expected a clip and a weight above 0, such as Run:0.5".to_owned());
    }
    Ok(LayerArg { clip: clip.to_owned(), weight, phase_secs })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_as_they_were() {
        for text in ["Head=0,30,-5.5", "a=b=1,2,3,4,5,6", "7=0,0,0,1,1,1,2,2,2"] {
            assert_eq!(put(text).unwrap().to_string(), text);
        }
        for text in ["Run:0.5", "a:b:2@1.25", "3:1"] {
            assert_eq!(layer(text).unwrap().to_string(), text);
        }
        for text in ["smile=0.5", "Face:a=b=-1"] {
            assert_eq!(morph(text).unwrap().to_string(), text);
        }
        assert!(morph("smile").is_err() && morph("=1").is_err() && morph("smile=x").is_err());
        assert_eq!(layer("Run").unwrap(), LayerArg { clip: "Run".to_owned(), weight: 1.0, phase_secs: 0.0 });
        for text in ["Head", "=1,2,3", "Head=1,2", "Head=1,2,x", "Head=1,2,3,4"] {
            assert!(put(text).is_err(), "{text}");
        }
        assert!(layer("Run:0").is_err() && layer(":1").is_err() && layer("").is_err());
    }

    #[test]
    fn a_transform_comes_back_from_its_words() {
        let rest = Transform { translation: Vector3::new(0.0, 1.0, 0.0), ..Transform::identity() };
        let turned = Transform { rotation: UnitQuaternion::from_euler_angles(0.3, -1.1, 2.0), ..rest };
        let all = Transform {
            translation: Vector3::new(0.5, -0.25, 3.0),
            scale: Vector3::new(1.0, 2.0, 0.5),
            rotation: UnitQuaternion::from_euler_angles(-3.0, 1.5, 0.001),
        };
        for (transform, numbers) in [(turned, 3), (Transform { scale: rest.scale, ..all }, 6), (all, 9)] {
            let text = PutArg::new("Head".to_owned(), &transform, &rest).to_string();
            assert_eq!(text.split(',').count(), numbers, "{text}");
            let back = put(&text).unwrap().transform(&rest);
            assert!(back.rotation.angle_to(&transform.rotation) < 1e-12, "{text}");
            assert_eq!((back.translation, back.scale), (transform.translation, transform.scale));
        }
    }
}
