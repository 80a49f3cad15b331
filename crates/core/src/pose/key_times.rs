//! Key times of a clip: of each animated joint, and of all joints.

use crate::model::{Clip, JointIndex, TimelineIndex};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Key times of a clip in seconds, computed once per clip. All lists are sorted and without duplicates.
#[derive(Debug, Default)]
pub struct KeyTimes {
    all: Vec<f32>,
    /// Animated joints in skeleton order, with an index into `times`.
    joints: Vec<(JointIndex, usize)>,
    /// Joints with the same timelines share a list.
    times: Vec<Vec<f32>>,
}

impl KeyTimes {
    /// Collects the key times of `clip`.
    pub fn new(clip: &Clip) -> Self {
        let mut timelines_of: BTreeMap<u32, BTreeSet<TimelineIndex>> = BTreeMap::new();
        for track in &clip.tracks {
            timelines_of.entry(track.joint.0).or_default().insert(track.timeline);
        }
        let mut keys = Self { all: merged(clip, clip.tracks.iter().map(|track| track.timeline)), ..Self::default() };
        let mut lists: HashMap<BTreeSet<TimelineIndex>, usize> = HashMap::new();
        for (joint, timelines) in timelines_of {
            let index = *lists.entry(timelines).or_insert_with_key(|timelines| {
                keys.times.push(merged(clip, timelines.iter().copied()));
                keys.times.len() - 1
            });
            keys.joints.push((JointIndex(joint), index));
        }
        keys
    }

    /// Key times of one joint, or of all; empty for a joint without tracks.
    pub fn of(&self, joint: Option<JointIndex>) -> &[f32] {
        let Some(joint) = joint else { return &self.all };
        self.row_of(joint).map_or(&[], |row| self.row(row).1)
    }

    /// Number of animated joints.
    pub fn row_count(&self) -> usize {
        self.joints.len()
    }

    /// An animated joint and its key times.
    pub fn row(&self, row: usize) -> (JointIndex, &[f32]) {
        let (joint, times) = self.joints[row];
        (joint, &self.times[times])
    }

    /// The row of a joint; `None` if the clip does not animate it.
    pub fn row_of(&self, joint: JointIndex) -> Option<usize> {
        self.joints.binary_search_by_key(&joint.0, |(joint, _)| joint.0).ok()
    }
}

/// The times of several timelines.
fn merged(clip: &Clip, timelines: impl Iterator<Item = TimelineIndex>) -> Vec<f32> {
    let timelines: HashSet<TimelineIndex> = timelines.collect();
    let mut times: Vec<f32> =
        timelines.into_iter().flat_map(|timeline| clip.timelines[timeline].times_secs().iter().copied()).collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

/// Number of joints with a track.
pub fn animated_joint_count(clip: &Clip) -> usize {
    clip.tracks.iter().map(|track| track.joint).collect::<HashSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Interpolation, KeyValues, Timeline, Track};
    use nalgebra::Vector3;

    #[test]
    fn key_times_are_sorted_and_unique() {
        let track = |joint, timeline| Track {
            joint: JointIndex(joint),
            timeline: TimelineIndex(timeline),
            interpolation: Interpolation::Linear,
            keys: KeyValues::Translation([Vector3::zeros(); 3].into()),
        };
        let clip = Clip {
            timelines: vec![Timeline::new([0.0, 0.5, 1.0]), Timeline::new([0.25, 0.5, 0.5])],
            tracks: vec![track(4, 1), track(0, 0), track(4, 1), track(2, 1), track(3, 0), track(3, 1)],
            ..Clip::default()
        };
        let keys = KeyTimes::new(&clip);
        assert_eq!(keys.of(None), [0.0, 0.25, 0.5, 1.0]);
        assert_eq!(keys.of(Some(JointIndex(4))), [0.25, 0.5]);
        assert!(keys.of(Some(JointIndex(7))).is_empty());
        let rows: Vec<u32> = (0..keys.row_count()).map(|row| keys.row(row).0.0).collect();
        assert_eq!(rows, [0, 2, 3, 4]);
        assert_eq!((keys.row(0).1.len(), keys.row(2).1.len()), (3, 4));
        assert_eq!((keys.row_of(JointIndex(3)), keys.row_of(JointIndex(1))), (Some(2), None));
        assert_eq!(keys.times.len(), 3, "joints of the same timelines share a list");
        assert_eq!(animated_joint_count(&clip), 4);
    }
}
