//! Differences between joint hierarchies, and matching of joints by name.

use super::names::numbered;
use super::tolerances::{Quantity, Tolerances};
use super::values::{Change, Comparer, degrees_between, numbers, text};
use rigview_core::math::{Affine, Transform};
use rigview_core::model::{Joint, JointIndex, Model};
use rigview_core::util::text::excerpt;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Joints of two models, matched by path, name or place.
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
    /// Both models have joints, and none is matched.
    pub(crate) is_unrelated: bool,
    pub(crate) renamed: Vec<Renamed>,
    pub(crate) reparented: Vec<Reparented>,
    pub(crate) moved: Vec<Moved>,
    /// Other properties.
    pub(crate) changed: Vec<Change>,
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

/// Returns the path of each joint. Repeated names of siblings are numbered.
fn paths(model: &Model) -> Vec<String> {
    let joints = model.skeleton.joints();
    let name = |joint: &Joint| joint.name.as_deref().unwrap_or("(unnamed)").replace('/', "|");
    let names = numbered(joints.iter().map(|joint| (joint.parent, name(joint))));
    let mut paths: Vec<String> = Vec::with_capacity(joints.len());
    for (joint, name) in joints.iter().zip(names) {
        paths.push(match joint.parent.map(|parent| &paths[parent.get()]) {
            Some(parent) if parent.len() > MAX_PARENT_BYTES => {
                let parent = parent.rsplit('/').next().unwrap_or_default();
                format!("…/{}/{name}", excerpt(parent))
            }
            Some(parent) => format!("{parent}/{name}"),
            None => name,
        });
    }
    paths
}

/// Returns the joint of this path in a report; without one, the only joint of this name.
pub(super) fn find_joint(model: &Model, path: &str) -> Option<JointIndex> {
    let joints = model.skeleton.joints();
    let name = path.rsplit('/').next();
    let mut of_name = (0..joints.len()).filter(|joint| joints[*joint].name.as_deref() == name);
    let by_path = || paths(model).iter().position(|other| other == path);
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
    /// Matches by path and by name, see [`Skeleton::match_joints`](rigview_core::model::Skeleton::match_joints), then children of
    /// matched parents by their rest transform, if it occurs once among the children without a match: those are renamed.
    pub(crate) fn new(before: &Model, after: &Model) -> Self {
        let mut after_of = before.skeleton.match_joints(&after.skeleton);
        let paths = [paths(before), paths(after)];
        let mut before_of = vec![None; paths[1].len()];
        for (i, other) in after_of.iter().enumerate() {
            if let Some(other) = other {
                before_of[other.get()] = Some(JointIndex(i as u32));
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

    /// Returns the path of a joint of the second model.
    pub(crate) fn after(&self, joint: JointIndex) -> &str {
        &self.paths[1][joint.get()]
    }

    /// Returns a number of a joint of the first (0) or second model (1) that matched joints share.
    pub(crate) fn id(&self, side: usize, joint: JointIndex) -> usize {
        match (side, self.after_of.get(joint.get())) {
            (0, Some(Some(after))) => after.get(),
            (0, _) => self.paths[1].len() + joint.get(),
            _ => joint.get(),
        }
    }

    /// Returns the path of the joint with this number, in the second model if that has it.
    pub(crate) fn path(&self, id: usize) -> &str {
        let in_first = || self.paths[0].get(id - self.paths[1].len());
        self.paths[1].get(id).or_else(in_first).map_or("", String::as_str)
    }

    /// Returns the path of a joint of the first (0) or second model (1), in the second model if that has it.
    pub(crate) fn shared_path(&self, side: usize, joint: JointIndex) -> &str {
        self.path(self.id(side, joint))
    }
}

impl JointsDiff {
    /// Compares hierarchies, rest poses, default morph weights and visibility.
    pub(crate) fn of([before, after]: [&Model; 2], matched: &Matched, comparer: &mut Comparer) -> Self {
        let mut diff = Self::default();
        let (old, new) = (before.skeleton.joints(), after.skeleton.joints());
        let tolerances = comparer.tolerances;
        let max_distance = tolerances.of(Quantity::Distance, size(before));
        let hidden = [before, after].map(|model| model.hidden_joints.iter().copied().collect::<HashSet<JointIndex>>());
        let is_matched = matched.after_of.iter().any(Option::is_some);
        diff.is_unrelated = !is_matched && !old.is_empty() && !new.is_empty();
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
            let after_path = matched.after(other);
            let joints = [&old[i], &new[other.get()]];
            // The index of the node has no meaning.
            let [a, b] = joints.map(|joint| {
                let Joint { name, node: _, parent, rest, exact_rest_matrix, morph_weights } = joint;
                (name, parent, rest, exact_rest_matrix, morph_weights)
            });
            if a.0 != b.0 {
                diff.renamed.push(Renamed { before: path.clone(), after: after_path.to_owned() });
            }
            let expected_parent = a.1.map(|parent| matched.after_of[parent.get()]);
            if expected_parent != b.1.map(Some) {
                diff.reparented.push(Reparented { before: path.clone(), after: after_path.to_owned() });
            }
            diff.moved.extend(moved(after_path, a.2, b.2, max_distance, &tolerances));
            let weights = |model: &'_ Model, range: &Range<usize>| {
                let weights = &model.skeleton.rest_morph_weights()[range.clone()];
                weights.iter().map(|weight| f64::from(*weight)).collect::<Vec<_>>()
            };
            // GPU instances share the weights of their parent.
            let parents_weights = |joint: &Joint, joints: &[Joint]| {
                joint.parent.is_some_and(|parent| joints[parent.get()].morph_weights == joint.morph_weights)
            };
            let is_shared = parents_weights(joints[0], old) && parents_weights(joints[1], new);
            let hidden = [hidden[0].contains(&JointIndex(i as u32)), hidden[1].contains(&other)];
            let properties = |exact: &Option<Affine>, rest: &Transform, weights: Vec<f64>, hidden: bool| {
                let mut properties =
                    vec![numbers("default morph weights", Quantity::Weight, weights), text("visible", !hidden)];
                if a.3.is_some() || b.3.is_some() {
                    let matrix = exact.unwrap_or_else(|| rest.to_affine());
                    properties.push(numbers("matrix", Quantity::Value, matrix.linear.iter().copied()));
                    properties.push(numbers(
                        "matrix translation",
                        Quantity::Distance,
                        matrix.translation.iter().copied(),
                    ));
                }
                properties
            };
            let weights = match is_shared {
                true => Default::default(),
                false => [weights(before, a.4), weights(after, b.4)],
            };
            let [old_weights, new_weights] = weights;
            let pair = [properties(a.3, a.2, old_weights, hidden[0]), properties(b.3, b.2, new_weights, hidden[1])];
            diff.changed.extend(comparer.properties(after_path, pair));
        }
        diff
    }
}

/// Returns the largest rest translation.
pub(super) fn size(model: &Model) -> f64 {
    model.skeleton.joints().iter().map(|joint| joint.rest.translation.norm()).fold(0.0, f64::max)
}

fn moved(joint: &str, a: &Transform, b: &Transform, max_distance: f64, tolerances: &Tolerances) -> Option<Moved> {
    let offset = b.translation - a.translation;
    let degrees = degrees_between(&a.rotation, &b.rotation);
    let scale = [0, 1, 2].map(|axis| match a.scale[axis] {
        0.0 if b.scale[axis] == 0.0 => 1.0,
        x => b.scale[axis] / x,
    });
    let is_same = offset.norm() <= max_distance
        && (degrees <= tolerances.degrees || a.rotation == b.rotation)
        && scale.iter().all(|s| (s - 1.0).abs() <= tolerances.scale);
    let joint = joint.to_owned();
    (!is_same).then(|| Moved { joint, distance: offset.norm(), offset: offset.into(), degrees, scale })
}
