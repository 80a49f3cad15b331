//! Differences between clips.

use super::context::Context;
use super::joints;
use super::names::{Names, position};
use super::tolerances::Quantity;
use super::values::{Array, Change, Comparer, Components, Value, degrees_between};
use rigview_core::model::{
    Clip, ClipIndex, Interpolation, JointIndex, KeyValues, Model, PropertyTarget, PropertyTrack, Timeline, Track,
};
use rigview_core::pose::{Cursor, Pose, reset_tracks, sample_tracks};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Number of evenly spaced times at which curves are compared.
const SAMPLE_COUNT: usize = 121;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ClipsDiff {
    pub(crate) added: Vec<String>,
    pub(crate) removed: Vec<String>,
    pub(crate) changed: Vec<ClipDiff>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ClipDiff {
    pub(crate) clip: String,
    /// Before and after.
    pub(crate) duration_secs: [f64; 2],
    /// Time of the first key before and after.
    pub(crate) first_key_secs: [f64; 2],
    /// Channels before and after.
    pub(crate) channels: [usize; 2],
    /// Keys of all channels before and after.
    pub(crate) keys: [usize; 2],
    /// Joints with different curves, largest difference first.
    pub(crate) joints: Vec<CurveDiff>,
    /// Tracks with another interpolation, other key times, or other values that are not curves of `joints`.
    pub(crate) tracks: Vec<Change>,
}

/// Maximum differences between the curves of a joint over the clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CurveDiff {
    pub(crate) joint: String,
    /// In the file's units, in the parent's space.
    pub(crate) distance: f64,
    pub(crate) degrees: f64,
    pub(crate) scale: f64,
    /// Time of the largest difference in rotation, or in translation if the rotations are equal.
    pub(crate) at_secs: f64,
}

/// Returns the clip of this name in a report.
pub(super) fn find_clip(model: &Model, requested: &str) -> Option<ClipIndex> {
    position("clip", model.clips.iter().map(|clip| clip.name.as_deref()), requested).map(ClipIndex)
}

impl ClipsDiff {
    /// Compares clips of the same name.
    pub(crate) fn of(context: &Context<'_>, comparer: &mut Comparer) -> Self {
        let [before, after] = context.models;
        let names = Names::new(
            "clip",
            context.models.map(|model| model.clips.iter().map(|clip| clip.name.as_deref()).collect()),
        );
        let mut comparison = Comparison {
            context,
            poses: [before, after].map(|model| Pose::rest(&model.skeleton)),
            names: context.models.map(|model| {
                let lights = model.lights.iter().map(|light| ("light", light.gltf_index, &light.name));
                let cameras = model.cameras.iter().map(|camera| ("camera", camera.gltf_index, &camera.name));
                let named = lights.chain(cameras).filter_map(|(kind, i, name)| Some(((kind, i), name.as_deref()?)));
                named.collect()
            }),
            max_distance: comparer.tolerances.of(Quantity::Distance, joints::size(before)),
            comparer,
        };
        let mut changed = Vec::new();
        for &(i, j) in &names.pairs {
            changed.extend(comparison.compare(&names.shown[1][j], [&before.clips[i], &after.clips[j]]));
        }
        Self { added: names.added, removed: names.removed, changed }
    }
}

/// What all comparisons of clips share.
struct Comparison<'a> {
    context: &'a Context<'a>,
    /// The rest poses between two comparisons: a comparison changes and restores only the joints of its clips.
    poses: [Pose; 2],
    max_distance: f64,
    /// Names of the lights and cameras of both models, by kind and index in the file.
    names: [HashMap<(&'static str, u32), &'a str>; 2],
    comparer: &'a mut Comparer,
}

/// A joint track or property track.
struct AnyTrack<'a> {
    what: &'static str,
    /// Shared number of the joint; `None` for a property track.
    joint: Option<usize>,
    interpolation: Interpolation,
    times: &'a Timeline,
    values: Array<'a>,
}

impl Comparison<'_> {
    fn compare(&mut self, name: &str, clips: [&Clip; 2]) -> Option<ClipDiff> {
        // Exhaustive patterns: a new field does not compile until it is compared.
        let [a, b] = clips.map(|clip| {
            let Clip { name: _, duration_secs, first_key_secs, timelines: _, tracks, property_tracks } = clip;
            (f64::from(*duration_secs), f64::from(*first_key_secs), tracks.len() + property_tracks.len())
        });
        let key_count = |clip: &Clip| {
            let timelines = clip.tracks.iter().map(|track| track.timeline);
            let timelines = timelines.chain(clip.property_tracks.iter().map(|track| track.timeline));
            timelines.map(|timeline| clip.timelines[timeline].times_secs().len()).sum::<usize>()
        };
        let (duration_secs, first_key_secs, channels) = ([a.0, b.0], [a.1, b.1], [a.2, b.2]);
        let keys = clips.map(key_count);
        let joints = self.curves(clips);
        let tracks = self.tracks(clips, &joints);
        let is_same = |[a, b]: [f64; 2]| (a - b).abs() <= self.comparer.tolerances.seconds;
        let same = is_same(duration_secs)
            && is_same(first_key_secs)
            && channels[0] == channels[1]
            && keys[0] == keys[1]
            && joints.is_empty()
            && tracks.is_empty();
        let clip = name.to_owned();
        (!same).then_some(ClipDiff { clip, duration_secs, first_key_secs, channels, keys, joints, tracks })
    }

    /// Returns all tracks of a clip by joint and property.
    fn tracks_of<'a>(&self, side: usize, clip: &'a Clip) -> BTreeMap<(usize, u32, String), AnyTrack<'a>> {
        let mut tracks = BTreeMap::new();
        for track in &clip.tracks {
            let Track { joint, timeline, interpolation, keys } = track;
            let id = self.context.joints.id(side, *joint);
            let is_spline = *interpolation == Interpolation::CubicSpline;
            let (kind, what, quantity, components, width) = match keys {
                KeyValues::Translation(keys) => (0, "translation", Quantity::Distance, Components::Vec3(keys), 3),
                KeyValues::Rotation(keys) => {
                    // Tangents are no rotations.
                    let quantity = if is_spline { Quantity::Value } else { Quantity::Rotation };
                    (1, "rotation", quantity, Components::Vec4(keys), 4)
                }
                KeyValues::Scale(keys) => (2, "scale", Quantity::Scale, Components::Vec3(keys), 3),
                KeyValues::Weights(keys) => {
                    let count = self.context.models[side].skeleton.joint(*joint).morph_weights.len();
                    (3, "morph weights", Quantity::Weight, Components::F32(keys), count.max(1))
                }
            };
            let values = Array { quantity, components, width, noun: "values" };
            let (interpolation, times) = (*interpolation, &clip.timelines[*timeline]);
            let track = AnyTrack { what, joint: Some(id), interpolation, times, values };
            tracks.insert((id, kind, String::new()), track);
        }
        for track in &clip.property_tracks {
            let PropertyTrack { target, timeline, interpolation, values } = track;
            let name = self.property(side, *target);
            let values = Array {
                quantity: Quantity::Value,
                components: Components::F32(values),
                width: target.component_count().max(1),
                noun: "values",
            };
            let (interpolation, times) = (*interpolation, &clip.timelines[*timeline]);
            let track = AnyTrack { what: "", joint: None, interpolation, times, values };
            tracks.insert((usize::MAX, 0, name), track);
        }
        tracks
    }

    fn property(&self, side: usize, target: PropertyTarget) -> String {
        let name = |kind: &'static str, index: u32| match self.names[side].get(&(kind, index)) {
            Some(name) => format!("{kind} {name}"),
            None => format!("{kind} {index}"),
        };
        match target {
            PropertyTarget::Material(material, property) => {
                format!("{property:?} of material {}", self.context.material(side, Some(material)))
            }
            PropertyTarget::Light(index, property) => format!("{property:?} of {}", name("light", index)),
            PropertyTarget::Camera(index, property) => format!("{property:?} of {}", name("camera", index)),
            PropertyTarget::Visible(joint) => format!("visibility of {}", self.context.joints.shared_path(side, joint)),
        }
    }

    /// Compares the tracks of both clips key by key. Values of the `curves` that differ are not repeated.
    fn tracks(&mut self, clips: [&Clip; 2], curves: &[CurveDiff]) -> Vec<Change> {
        let curves: BTreeSet<&str> = curves.iter().map(|curve| curve.joint.as_str()).collect();
        let [before, mut after] = [self.tracks_of(0, clips[0]), self.tracks_of(1, clips[1])];
        let mut changes = Vec::new();
        let mut add = |name: String, what: &str, before: String, after: String, extent| {
            changes.push(Change { name, what: what.to_owned(), before, after, extent });
        };
        let keys = |track: &AnyTrack<'_>| format!("{} keys", track.times.times_secs().len());
        let joints = &self.context.joints;
        let name = |key: &(usize, u32, String), track: &AnyTrack<'_>| match track.joint {
            Some(joint) => format!("{} of {}", track.what, joints.path(joint)),
            None => key.2.clone(),
        };
        for (key, a) in &before {
            let name = || name(key, a);
            let Some(b) = after.remove(key) else {
                add(name(), "track", keys(a), "none".to_owned(), None);
                continue;
            };
            if a.interpolation != b.interpolation {
                let [before, after] = [a, &b].map(|track| format!("{:?}", track.interpolation));
                add(name(), "interpolation", before, after, None);
            }
            let times = [a, &b].map(|track| {
                let components = Components::F32(track.times.times_secs());
                Value::Array(Array { quantity: Quantity::Seconds, components, width: 1, noun: "keys" })
            });
            if let Some(change) = self.comparer.change("", "key times".to_owned(), &times[0], &times[1]) {
                add(name(), "key times", change.before, change.after, change.extent);
            }
            let is_in_curve = key.1 < 3 && a.joint.is_some_and(|joint| curves.contains(joints.path(joint)));
            let values = [a, &b].map(|track| Value::Array(track.values));
            if !is_in_curve && let Some(change) = self.comparer.change("", "values".to_owned(), &values[0], &values[1])
            {
                add(name(), "values", change.before, change.after, change.extent);
            }
        }
        for (key, track) in &after {
            add(name(key, track), "track", "none".to_owned(), keys(track), None);
        }
        changes
    }

    /// Returns the joints of both models that either clip animates and whose curves differ.
    fn curves(&mut self, clips: [&Clip; 2]) -> Vec<CurveDiff> {
        let (models, matched, poses) = (&self.context.models, &self.context.joints, &mut self.poses);
        let tolerances = self.comparer.tolerances;
        let animated = |clip: &Clip| -> Vec<JointIndex> {
            clip.tracks.iter().filter(|t| !matches!(t.keys, KeyValues::Weights(_))).map(|track| track.joint).collect()
        };
        let mut pairs: BTreeSet<(JointIndex, JointIndex)> = BTreeSet::new();
        pairs.extend(animated(clips[0]).into_iter().filter_map(|joint| Some((joint, matched.after_of[joint.get()]?))));
        pairs.extend(animated(clips[1]).into_iter().filter_map(|joint| Some((matched.before_of[joint.get()]?, joint))));
        let mut found: Vec<CurveDiff> = pairs
            .iter()
            .map(|(_, joint)| CurveDiff {
                joint: matched.after(*joint).to_owned(),
                distance: 0.0,
                degrees: 0.0,
                scale: 0.0,
                at_secs: 0.0,
            })
            .collect();
        let mut cursors = [Cursor::default(), Cursor::default()];
        let duration = f64::from(clips[0].duration_secs.max(clips[1].duration_secs));
        for step in 0..SAMPLE_COUNT {
            let time = duration * step as f64 / (SAMPLE_COUNT - 1) as f64;
            for (i, clip) in clips.iter().enumerate() {
                let clamped_time = time.min(f64::from(clip.duration_secs));
                sample_tracks(&models[i].skeleton, clip, clamped_time, &mut cursors[i], &mut poses[i]);
            }
            for ((a, b), curve) in pairs.iter().zip(&mut found) {
                let (a, b) = (poses[0].parent_from_joint[a.get()], poses[1].parent_from_joint[b.get()]);
                let distance = (a.translation - b.translation).norm();
                let degrees = degrees_between(&a.rotation, &b.rotation);
                if degrees > curve.degrees || (curve.degrees <= tolerances.degrees && distance > curve.distance) {
                    curve.at_secs = time;
                }
                curve.distance = curve.distance.max(distance);
                curve.degrees = curve.degrees.max(degrees);
                curve.scale = curve.scale.max((a.scale - b.scale).amax());
            }
        }
        for (i, clip) in clips.iter().enumerate() {
            reset_tracks(&models[i].skeleton, clip, &mut poses[i]);
        }
        found.retain(|curve| {
            curve.distance > self.max_distance || curve.degrees > tolerances.degrees || curve.scale > tolerances.scale
        });
        found.sort_by(|a, b| b.degrees.total_cmp(&a.degrees).then(b.distance.total_cmp(&a.distance)));
        found
    }
}
