//! Joints that came, went, moved or hang elsewhere.

use crate::model::{JointIndex, Model};
use serde::Serialize;
use std::collections::HashMap;

/// Turned by less than this is the same, in degrees.
const SAME_DEGREES: f64 = 0.01;
/// Scaled by less than this is the same.
const SAME_SCALE: f64 = 1e-4;
/// Moved by less than this share of the rig's size is the same.
const SAME_SHARE: f64 = 1e-5;

/// Joints of two models that are the same by their names.
pub(crate) struct Matched {
    /// Names from the root down, one for each joint, each once.
    pub(crate) paths: [Vec<String>; 2],
    /// For each joint of the first model its twin.
    pub(crate) after_of: Vec<Option<JointIndex>>,
    /// For each joint of the second model its twin.
    pub(crate) before_of: Vec<Option<JointIndex>>,
}

/// What differs between two hierarchies.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct JointsDiff {
    /// Paths of joints that only the second model has.
    pub(crate) added: Vec<String>,
    /// Paths of joints that only the first has.
    pub(crate) removed: Vec<String>,
    /// Joints that hang on another parent.
    pub(crate) reparented: Vec<Reparented>,
    /// Joints that rest elsewhere within their parent.
    pub(crate) moved: Vec<Moved>,
}

/// A joint that hangs on another parent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Reparented {
    pub(crate) before: String,
    pub(crate) after: String,
}

/// A joint that rests elsewhere within its parent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Moved {
    pub(crate) joint: String,
    /// From the old place to the new one, in the file's units.
    pub(crate) distance: f64,
    /// The new place less the old one.
    pub(crate) offset: [f64; 3],
    /// How far it is turned.
    pub(crate) degrees: f64,
    /// The new scale over the old one.
    pub(crate) scale: [f64; 3],
}

/// Each joint's names from the root down; of brothers of one name the later ones are numbered.
fn paths(model: &Model) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let mut taken: HashMap<String, u32> = HashMap::new();
    for joint in model.skeleton.joints() {
        let name = joint.name.clone().unwrap_or_else(|| "(unnamed)".to_owned()).replace('/', "|");
        let path = match joint.parent {
            Some(parent) => format!("{}/{name}", paths[parent.get()]),
            None => name,
        };
        let count = taken.entry(path.clone()).or_insert(0);
        *count += 1;
        paths.push(if *count > 1 { format!("{path}#{count}") } else { path });
    }
    paths
}

impl Matched {
    /// Matches by path; what is left, by names that occur once in each model.
    pub(crate) fn new(before: &Model, after: &Model) -> Self {
        let paths = [paths(before), paths(after)];
        let place: HashMap<&str, usize> = paths[1].iter().enumerate().map(|(i, path)| (path.as_str(), i)).collect();
        let mut after_of: Vec<Option<JointIndex>> =
            paths[0].iter().map(|path| place.get(path.as_str()).map(|i| JointIndex(*i as u32))).collect();
        let mut before_of = vec![None; paths[1].len()];
        for (i, twin) in after_of.iter().enumerate() {
            if let Some(twin) = twin {
                before_of[twin.get()] = Some(JointIndex(i as u32));
            }
        }
        let only_name = |model: &Model| {
            let mut places: HashMap<String, Option<usize>> = HashMap::new();
            for (i, joint) in model.skeleton.joints().iter().enumerate() {
                if let Some(name) = &joint.name {
                    places.entry(name.clone()).and_modify(|place| *place = None).or_insert(Some(i));
                }
            }
            places
        };
        let (names_before, names_after) = (only_name(before), only_name(after));
        for (name, place) in &names_before {
            if let (Some(i), Some(Some(j))) = (place, names_after.get(name))
                && after_of[*i].is_none()
                && before_of[*j].is_none()
            {
                (after_of[*i], before_of[*j]) = (Some(JointIndex(*j as u32)), Some(JointIndex(*i as u32)));
            }
        }
        Self { paths, after_of, before_of }
    }

    /// The path of a joint of the first model.
    pub(crate) fn before(&self, joint: JointIndex) -> &str {
        &self.paths[0][joint.get()]
    }

    /// The path of a joint of the second model.
    pub(crate) fn after(&self, joint: JointIndex) -> &str {
        &self.paths[1][joint.get()]
    }
}

impl JointsDiff {
    /// Compares two hierarchies at rest.
    pub(crate) fn of(before: &Model, after: &Model, matched: &Matched) -> Self {
        let mut diff = Self::default();
        let (old, new) = (before.skeleton.joints(), after.skeleton.joints());
        let size = old.iter().map(|joint| joint.rest.translation.norm()).fold(0.0, f64::max);
        for (j, path) in matched.paths[1].iter().enumerate() {
            if matched.before_of[j].is_none() {
                diff.added.push(path.clone());
            }
        }
        for (i, path) in matched.paths[0].iter().enumerate() {
            let Some(twin) = matched.after_of[i] else {
                diff.removed.push(path.clone());
                continue;
            };
            let parent_twin = old[i].parent.map(|parent| matched.after_of[parent.get()]);
            if parent_twin != new[twin.get()].parent.map(Some) {
                let after = matched.after(twin).to_owned();
                diff.reparented.push(Reparented { before: path.clone(), after });
            }
            let (a, b) = (old[i].rest, new[twin.get()].rest);
            let offset = b.translation - a.translation;
            let degrees = degrees_between(&a.rotation, &b.rotation);
            let scale = [0, 1, 2].map(|axis| match a.scale[axis] {
                0.0 if b.scale[axis] == 0.0 => 1.0,
                x => b.scale[axis] / x,
            });
            let is_same = offset.norm() <= SAME_SHARE * size
                && degrees <= SAME_DEGREES
                && scale.iter().all(|s| (s - 1.0).abs() <= SAME_SCALE);
            if !is_same {
                let joint = matched.after(twin).to_owned();
                diff.moved.push(Moved { joint, distance: offset.norm(), offset: offset.into(), degrees, scale });
            }
        }
        diff
    }
}

/// The angle between two rotations, whichever sign their quaternions have.
pub(crate) fn degrees_between(a: &nalgebra::UnitQuaternion<f64>, b: &nalgebra::UnitQuaternion<f64>) -> f64 {
    let between = a.inverse() * b;
    2.0 * libm::atan2(between.imag().norm(), between.w.abs()).to_degrees()
}
