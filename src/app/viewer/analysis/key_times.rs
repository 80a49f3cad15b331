//! Key times of a clip.

use crate::model::{Clip, JointIndex};
use std::collections::HashSet;

/// Sorted unique key times in seconds, of one joint or of all.
pub(crate) fn key_times(clip: &Clip, joint: Option<JointIndex>) -> Vec<f32> {
    let tracks = clip.tracks.iter().filter(|track| joint.is_none_or(|joint| track.joint == joint));
    let timelines: HashSet<usize> = tracks.map(|track| track.timeline).collect();
    let mut times: Vec<f32> =
        timelines.into_iter().flat_map(|timeline| clip.timelines[timeline].times_secs.iter().copied()).collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

/// Number of joints with a track.
pub(crate) fn animated_joint_count(clip: &Clip) -> usize {
    clip.tracks.iter().map(|track| track.joint).collect::<HashSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Interpolation, Keys, Timeline, Track};
    use nalgebra::Vector3;

    #[test]
    fn key_times_are_sorted_and_unique() {
        let track = |joint, timeline| Track {
            joint: JointIndex(joint),
            timeline,
            interpolation: Interpolation::Linear,
            keys: Keys::Translation(vec![Vector3::zeros(); 3]),
        };
        let timeline = |times: [f32; 3]| Timeline { times_secs: times.to_vec() };
        let clip = Clip {
            timelines: vec![timeline([0.0, 0.5, 1.0]), timeline([0.25, 0.5, 0.5])],
            tracks: vec![track(0, 0), track(1, 1), track(1, 1)],
            ..Clip::default()
        };
        assert_eq!(key_times(&clip, None), [0.0, 0.25, 0.5, 1.0]);
        assert_eq!(key_times(&clip, Some(JointIndex(1))), [0.25, 0.5]);
        assert!(key_times(&clip, Some(JointIndex(7))).is_empty());
        assert_eq!(animated_joint_count(&clip), 2);
    }
}
