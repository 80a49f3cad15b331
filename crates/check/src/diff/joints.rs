//! Differences between joint hierarchies, and matching of joints by name.

use rigview_core::model::{Joint, JointIndex, Model};
use rigview_core::util::hash::{FNV_OFFSET_BASIS, fnv1a};
use rigview_core::util::text::excerpt;
use serde::Serialize;
use std::collections::HashMap;

const SAME_DEGREES: f64 = 0.01;
const SAME_SCALE: f64 = 1e-4;
/// Relative to the largest rest translation.
const SAME_DISTANCE_RATIO: f64 = 1e-5;

/// Joints of two models, matched by name.
pub(crate) struct Matched {
    /// Path of each joint from the root. Long ones are cut.
    pub(crate) paths: [Vec<String>; 2],
    /// For each joint of the first model, its match.
    pub(crate) after_of: Vec<Option<JointIndex>>,
    /// For each joint of the second model, its match.
    pub(crate) before_of: Vec<Option<JointIndex>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct JointsDiff {
    /// Paths of joints only in the second model.
    pub(crate) added: Vec<String>,
    /// Paths of joints only in the first model.
    pub(crate) removed: Vec<String>,
    pub(crate) renamed: Vec<Renamed>,
    pub(crate) reparented: Vec<Reparented>,
    pub(crate) moved: Vec<Moved>,
}

/// Paths of a joint with another name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Renamed {
    pub(crate) before: String,
    pub(crate) after: String,
}

/// Paths of a joint with a different parent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Reparented {
    pub(crate) before: String,
    pub(crate) after: String,
}

/// A joint with a different rest transform.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Moved {
    pub(crate) joint: String,
    /// Length of `offset`.
    pub(crate) distance: f64,
    /// New minus old translation, in the file's units.
    pub(crate) offset: [f64; 3],
    /// Angle between the rotations.
    pub(crate) degrees: f64,
    /// New scale divided by the old scale.
    pub(crate) scale: [f64; 3],
}

/// Maximum length of the part of a path before the joint's own name. Complete paths of a deep chain take quadratic memory.
const MAX_PARENT_BYTES: usize = 500;

/// Returns the path of each joint with a hash of the complete path. Repeated names of siblings are numbered.
fn paths(model: &Model) -> (Vec<String>, Vec<u64>) {
    let (mut paths, mut hashes): (Vec<String>, Vec<u64>) = Default::default();
    let mut taken: HashMap<(Option<JointIndex>, String), u32> = HashMap::new();
    for joint in model.skeleton.joints() {
        let name = joint.name.as_deref().unwrap_or("(unnamed)").replace('/', "|");
        let count = taken.entry((joint.parent, name.clone())).or_insert(0);
        *count += 1;
        let name = if *count > 1 { format!("{name}#{count}") } else { name };
        let parent_hash = joint.parent.map_or(FNV_OFFSET_BASIS, |parent| hashes[parent.get()]);
        hashes.push(fnv1a(parent_hash, name.bytes().chain(*b"/")));
        paths.push(match joint.parent.map(|parent| &paths[parent.get()]) {
            Some(parent) if parent.len() > MAX_PARENT_BYTES => {
                let parent = parent.rsplit('/').next().unwrap_or_default();
                format!("…/{}/{name}", excerpt(parent))
            }
            Some(parent) => format!("{parent}/{name}"),
            None => name,
        });
    }
    (paths, hashes)
}

/// Returns the joint of this path in a report; without one, the only joint of this name.
pub(super) fn find_joint(model: &Model, path: &str) -> Option<JointIndex> {
    let joints = model.skeleton.joints();
    let name = path.rsplit('/').next();
    let mut of_name = (0..joints.len()).filter(|joint| joints[*joint].name.as_deref() == name);
    let by_path = || paths(model).0.iter().position(|other| other == path);
    let index = by_path().or_else(|| of_name.next().filter(|_| of_name.next().is_none()))?;
    Some(JointIndex(index as u32))
}

/// Parent and rest transform of a joint.
type Place = (Option<JointIndex>, [u32; 10]);

fn place(joint: &Joint, parent: Option<JointIndex>) -> Place {
    let (t, r, s) = (&joint.rest.translation, &joint.rest.rotation, &joint.rest.scale);
    // Adding 0 turns -0 into 0.
    (parent, [t.x, t.y, t.z, r.i, r.j, r.k, r.w, s.x, s.y, s.z].map(|x| (x as f32 + 0.0).to_bits()))
}

/// Returns the joints without a match by their place; `None` for several in one place.
fn unmatched(model: &Model, matches: &[Option<JointIndex>]) -> HashMap<Place, Option<JointIndex>> {
    let mut found = HashMap::new();
    for (i, joint) in model.skeleton.joints().iter().enumerate().filter(|(i, _)| matches[*i].is_none()) {
        let index = Some(JointIndex(i as u32));
        found.entry(place(joint, joint.parent)).and_modify(|joint| *joint = None).or_insert(index);
    }
    found
}

impl Matched {
    /// Matches by path, then by names that occur once in each model, then children of matched parents by their rest transform, if it
    /// occurs once among the children without a match: those are renamed.
    pub(crate) fn new(before: &Model, after: &Model) -> Self {
        let ((paths_before, hashes_before), (paths_after, hashes_after)) = (paths(before), paths(after));
        let index: HashMap<u64, u32> = hashes_after.into_iter().zip(0..).collect();
        let mut after_of: Vec<Option<JointIndex>> =
            hashes_before.iter().map(|hash| index.get(hash).copied().map(JointIndex)).collect();
        let paths = [paths_before, paths_after];
        let mut before_of = vec![None; paths[1].len()];
        for (i, other) in after_of.iter().enumerate() {
            if let Some(other) = other {
                before_of[other.get()] = Some(JointIndex(i as u32));
            }
        }
        let unique_names = |model: &Model| {
            let mut indices: HashMap<String, Option<usize>> = HashMap::new();
            for (i, joint) in model.skeleton.joints().iter().enumerate() {
                if let Some(name) = &joint.name {
                    indices.entry(name.clone()).and_modify(|index| *index = None).or_insert(Some(i));
                }
            }
            indices
        };
        let (names_before, names_after) = (unique_names(before), unique_names(after));
        for (name, index) in &names_before {
            if let (Some(i), Some(Some(j))) = (index, names_after.get(name))
                && after_of[*i].is_none()
                && before_of[*j].is_none()
            {
                (after_of[*i], before_of[*j]) = (Some(JointIndex(*j as u32)), Some(JointIndex(*i as u32)));
            }
        }
        let (left_before, left_after) = (unmatched(before, &after_of), unmatched(after, &before_of));
        for (i, joint) in before.skeleton.joints().iter().enumerate() {
            let is_only_one = left_before.get(&place(joint, joint.parent)).is_some_and(Option::is_some);
            let parent = joint.parent.map(|parent| after_of[parent.get()]);
            if is_only_one
                && parent != Some(None)
                && let Some(Some(other)) = left_after.get(&place(joint, parent.flatten()))
            {
                (after_of[i], before_of[other.get()]) = (Some(*other), Some(JointIndex(i as u32)));
            }
        }
        Self { paths, after_of, before_of }
    }

    /// Returns the path of a joint of the first model.
    pub(crate) fn before(&self, joint: JointIndex) -> &str {
        &self.paths[0][joint.get()]
    }

    /// Returns the path of a joint of the second model.
    pub(crate) fn after(&self, joint: JointIndex) -> &str {
        &self.paths[1][joint.get()]
    }
}

impl JointsDiff {
    /// Compares the rest poses.
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
            let Some(other) = matched.after_of[i] else {
                diff.removed.push(path.clone());
                continue;
            };
            let after = matched.after(other);
            if old[i].name != new[other.get()].name {
                diff.renamed.push(Renamed { before: path.clone(), after: after.to_owned() });
            }
            let expected_parent = old[i].parent.map(|parent| matched.after_of[parent.get()]);
            if expected_parent != new[other.get()].parent.map(Some) {
                diff.reparented.push(Reparented { before: path.clone(), after: after.to_owned() });
            }
            let (a, b) = (old[i].rest, new[other.get()].rest);
            let offset = b.translation - a.translation;
            let degrees = degrees_between(&a.rotation, &b.rotation);
            let scale = [0, 1, 2].map(|axis| match a.scale[axis] {
                0.0 if b.scale[axis] == 0.0 => 1.0,
                x => b.scale[axis] / x,
            });
            let is_same = offset.norm() <= SAME_DISTANCE_RATIO * size
                && degrees <= SAME_DEGREES
                && scale.iter().all(|s| (s - 1.0).abs() <= SAME_SCALE);
            if !is_same {
                let joint = after.to_owned();
                diff.moved.push(Moved { joint, distance: offset.norm(), offset: offset.into(), degrees, scale });
            }
        }
        diff
    }
}

/// Returns the angle between two rotations, independent of the signs of the quaternions.
pub(crate) fn degrees_between(a: &nalgebra::UnitQuaternion<f64>, b: &nalgebra::UnitQuaternion<f64>) -> f64 {
    let between = a.inverse() * b;
    2.0 * libm::atan2(between.imag().norm(), between.w.abs()).to_degrees()
}
