//! The clips that play when a file opens.

use super::MAX_LAYERS;
use crate::model::{Clip, ClipIndex, JointIndex, KeyValues, Model, PropertyTarget, Track};
use std::collections::{HashMap, HashSet};

/// A clip plays first if this many times its moving joints are at least those of any other clip.
const MIN_PARTS: usize = 3;

/// Something that layers blend with weights of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Animated {
    Joint(JointIndex),
    MorphWeights(JointIndex),
    Property(PropertyTarget),
}

/// Returns all clips, the longest first.
pub fn clips_by_duration(model: &Model) -> Vec<ClipIndex> {
    let mut clips: Vec<ClipIndex> = (0..model.clips.len() as u32).map(ClipIndex).collect();
    let duration = |clip: &ClipIndex| model.clips[clip.get()].duration_secs;
    clips.sort_by(|a, b| duration(b).total_cmp(&duration(a)));
    clips
}

/// Returns the clips to play together when a file opens; the first one sets the length. Empty without clips.
///
/// These are all clips, the longest first, if no two animate the same joint, morph weights or property: an object has a clip of its own in
/// Blender's export mode Actions. Otherwise, it is the first clip that moves at least a third as many joints as any clip does.
///
/// Linear in keys.
pub fn opening_clips(model: &Model) -> Vec<ClipIndex> {
    if model.clips.len() < 2 || are_disjoint(&model.clips) {
        return clips_by_duration(model);
    }
    let moving = |clip: &Clip| {
        let moved = clip.tracks.iter().filter(|track| is_moving(clip, track)).map(|track| track.joint);
        moved.collect::<HashSet<JointIndex>>().len()
    };
    let counts: Vec<usize> = model.clips.iter().map(moving).collect();
    let most = counts.iter().copied().max().unwrap_or_default();
    let first = counts.iter().position(|count| MIN_PARTS * count >= most).unwrap_or_default();
    vec![ClipIndex(first as u32)]
}

/// Returns `true` if at least two clips have tracks, no two animate the same, and one pose can have all of them.
fn are_disjoint(clips: &[Clip]) -> bool {
    let mut clip_of = HashMap::new();
    let is_own = |(index, clip): (usize, &Clip)| {
        let of_joints = clip.tracks.iter().map(|track| match track.keys {
            KeyValues::Weights(_) => Animated::MorphWeights(track.joint),
            _ => Animated::Joint(track.joint),
        });
        let all = of_joints.chain(clip.property_tracks.iter().map(|track| Animated::Property(track.target)));
        all.fold(true, |is_own, animated| is_own & (*clip_of.entry(animated).or_insert(index) == index))
    };
    let with_tracks = clips.iter().filter(|clip| !clip.tracks.is_empty() || !clip.property_tracks.is_empty());
    // A layer is left for the rest pose, and one for a cross-fade.
    with_tracks.count() > 1 && clips.len() + 2 <= MAX_LAYERS && clips.iter().enumerate().all(is_own)
}

/// Returns `true` if two keys of a track of `clip` differ.
fn is_moving(clip: &Clip, track: &Track) -> bool {
    fn differ<T: PartialEq>(values: &[T], key_count: usize) -> bool {
        let mut keys = values.chunks((values.len() / key_count).max(1));
        keys.next().is_some_and(|first| keys.any(|key| key != first))
    }
    let key_count = clip.timelines[track.timeline].times_secs().len();
    match &track.keys {
        KeyValues::Translation(values) | KeyValues::Scale(values) => differ(values, key_count),
        KeyValues::Rotation(values) => differ(values, key_count),
        KeyValues::Weights(values) => differ(values, key_count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{ImageLoading, ImportOptions, open};
    use std::path::Path;

    /// The shipped windmill with its clip split into one per joint, and the whole clip.
    fn windmill() -> (Model, Clip) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/windmill.glb");
        let mut model = open(&file, &ImportOptions::default().with_images(ImageLoading::Skip)).unwrap().model;
        let whole = std::mem::take(&mut model.clips).remove(0);
        let joints: Vec<JointIndex> = whole.tracks.iter().map(|track| track.joint).collect();
        for (i, joint) in joints.iter().enumerate().filter(|(i, joint)| joints[..*i].last() != Some(joint)) {
            let tracks = whole.tracks.iter().filter(|track| track.joint == *joint).cloned().collect();
            model.clips.push(Clip { duration_secs: i as f32, tracks, property_tracks: Vec::new(), ..whole.clone() });
        }
        (model, whole)
    }

    #[test]
    fn clips_of_different_joints_open_together() {
        let (mut model, _) = windmill();
        assert!(model.clips.len() > 1);
        let opening = opening_clips(&model);
        assert_eq!(opening.len(), model.clips.len());
        assert_eq!(opening[0].get(), model.clips.len() - 1, "the longest");
        assert!(opening.is_sorted_by(|a, b| a > b));
        // One joint in two clips.
        model.clips.push(model.clips[0].clone());
        assert_eq!(opening_clips(&model).len(), 1);
    }

    #[test]
    fn a_clip_that_moves_few_joints_does_not_open_before_one_that_moves_many() {
        let (mut model, whole) = windmill();
        let single = model.clips[0].clone();
        let mut first_of = |clips: [&Clip; 2]| {
            model.clips = clips.map(Clip::clone).to_vec();
            opening_clips(&model)
        };
        assert_eq!(first_of([&single, &whole]), [ClipIndex(1)]);
        assert_eq!(first_of([&whole, &single]), [ClipIndex(0)]);
        assert_eq!(first_of([&whole, &whole]), [ClipIndex(0)], "the first of equal ones");
        // Equal keys move nothing.
        let mut still = whole.clone();
        for track in &mut still.tracks {
            if let KeyValues::Rotation(values) = &mut track.keys {
                *values = vec![values[0]; values.len()].into();
            }
        }
        assert_eq!(first_of([&still, &whole]), [ClipIndex(1)]);
        model.clips.clear();
        assert_eq!(opening_clips(&model), []);
    }
}
