//! Matching of the joints of two skeletons.

use super::{Joint, JointIndex, Skeleton};
use std::collections::HashMap;

impl Skeleton {
    /// Returns for each joint the joint of `other` with the same path, else the joint with the same name, if that name occurs once in
    /// both skeletons. No two joints have the same match, and the matches of `other` are the inverse.
    ///
    /// Paths are equal if the joints and all their ancestors have the same names or none, and the same ordinals among siblings of that
    /// name: the second of two siblings `a` matches the second one. The time is proportional to the number of joints.
    ///
    /// ```
    /// # use rigview_core::import::{ImportOptions, open};
    /// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
    /// # let skeleton = open(file, &ImportOptions::default()).unwrap().model.skeleton;
    /// let matches = skeleton.match_joints(&skeleton);
    /// assert!(matches.iter().zip(0..).all(|(joint, index)| joint.is_some_and(|joint| joint.0 == index)));
    /// ```
    pub fn match_joints(&self, other: &Self) -> Vec<Option<JointIndex>> {
        let by_path: HashMap<_, _> = keys(other).zip((0..).map(JointIndex)).collect();
        let mut matches: Vec<Option<JointIndex>> = Vec::with_capacity(self.len());
        for (parent, name, ordinal) in keys(self) {
            let parent = match parent {
                Some(parent) => matches[parent.get()].map(Some),
                None => Some(None),
            };
            matches.push(parent.and_then(|parent| by_path.get(&(parent, name, ordinal)).copied()));
        }
        let mut is_matched = vec![false; other.len()];
        matches.iter().flatten().for_each(|joint| is_matched[joint.get()] = true);
        let names_of_other = unique_names(other.joints());
        for (name, index) in unique_names(self.joints()) {
            if let (Some(index), Some(Some(found))) = (index, names_of_other.get(name))
                && matches[index.get()].is_none()
                && !is_matched[found.get()]
            {
                matches[index.get()] = Some(*found);
            }
        }
        matches
    }
}

/// Returns parent, name, and ordinal among the siblings of that name, of each joint.
fn keys(skeleton: &Skeleton) -> impl Iterator<Item = (Option<JointIndex>, Option<&str>, u32)> {
    let mut counts = HashMap::new();
    skeleton.joints().iter().map(move |joint| {
        let (parent, name) = (joint.parent, joint.name.as_deref());
        let count = counts.entry((parent, name)).or_insert(0_u32);
        *count += 1;
        (parent, name, *count)
    })
}

/// Returns the joint of each name; `None` if several have it.
fn unique_names(joints: &[Joint]) -> HashMap<&str, Option<JointIndex>> {
    let mut found = HashMap::new();
    for (joint, index) in joints.iter().zip(0..) {
        if let Some(name) = joint.name.as_deref() {
            found.entry(name).and_modify(|index| *index = None).or_insert(Some(JointIndex(index)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;

    fn skeleton(joints: &[(&str, Option<u32>)]) -> Skeleton {
        let joint = |&(name, parent): &(&str, Option<u32>)| Joint {
            name: (!name.is_empty()).then(|| name.to_owned()),
            node: 0,
            parent: parent.map(JointIndex),
            rest: Transform::identity(),
            exact_rest_matrix: None,
            morph_weights: 0..0,
        };
        Skeleton::new(joints.iter().map(joint).collect(), Vec::new())
    }

    fn matches(a: &[(&str, Option<u32>)], b: &[(&str, Option<u32>)]) -> Vec<Option<u32>> {
        let (a, b) = (skeleton(a), skeleton(b));
        let (found, back) = (a.match_joints(&b), b.match_joints(&a));
        for (i, joint) in found.iter().enumerate() {
            assert!(joint.is_none_or(|joint| back[joint.get()] == Some(JointIndex(i as u32))), "{found:?} {back:?}");
        }
        assert_eq!(found.iter().flatten().count(), back.iter().flatten().count());
        found.into_iter().map(|joint| joint.map(|joint| joint.0)).collect()
    }

    #[test]
    fn equal_siblings_match_by_ordinal() {
        let twins = [("r", None), ("a", Some(0)), ("a", Some(0)), ("a#2", Some(0)), ("", Some(0)), ("", Some(0))];
        assert_eq!(matches(&twins, &twins), [0, 1, 2, 3, 4, 5].map(Some));
        let fewer = [("r", None), ("a#2", Some(0)), ("a", Some(0)), ("", Some(0))];
        assert_eq!(matches(&twins, &fewer), [Some(0), Some(2), None, Some(1), Some(3), None]);
    }

    #[test]
    fn moved_joints_match_by_a_unique_name() {
        let a = [("r", None), ("hip", Some(0)), ("foot", Some(1)), ("x", Some(1)), ("x", Some(2))];
        let b = [("r", None), ("foot", Some(0)), ("x", Some(1)), ("x", Some(0))];
        assert_eq!(matches(&a, &b), [Some(0), None, Some(1), None, None]);
    }
}
