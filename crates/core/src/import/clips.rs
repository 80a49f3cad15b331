//! Converts animations to clips.

use super::accessor::AccessorReader;
use super::diagnostic::JsonLocation;
use super::diagnostics::Diagnostics;
use super::error::ImportError;
use super::hierarchy::unit_quaternion;
use super::json::{Animation, Channel};
use super::limits::Limit;
use super::pointers::{PointerResolver, PointerTarget, ValueConversion, pointer_of_channel};
use super::source::GltfFile;
use crate::gltf_format::{ComponentType, ElementFormat, ElementType};
use crate::model::{
    Clip, Interpolation, JointIndex, KeyValues, PropertyTarget, PropertyTrack, Timeline, TimelineIndex, Track,
};
use crate::util::text::counted;
use gltf::json;
use json::animation::Property;
use json::validation::Checked;
use nalgebra::{Vector3, Vector4};
use serde_json::Value;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

pub(super) fn read(
    gltf_file: &GltfFile,
    reader: &AccessorReader,
    pointers: &PointerResolver,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<Clip>, ImportError> {
    let document = &gltf_file.document;
    let mut clips = Vec::with_capacity(document.animations.len());
    let mut cache = KeyCache::default();
    // A number has at least one byte, so that the limit does not refuse keys that no tracks share.
    let max = gltf_file.policy.limits.get(Limit::KeyValues).max(gltf_file.size_bytes());
    for (i, animation) in document.animations.iter().enumerate() {
        let mut clip_reader = ClipReader {
            reader,
            pointers,
            animation,
            value: document.element("animations", i),
            at: document.location("animations", i),
            cache: &mut cache,
            timelines: Vec::new(),
            timeline_of_accessor: HashMap::new(),
            animated_joints: HashSet::new(),
            animated_properties: HashSet::new(),
            ignored: BTreeMap::new(),
            repairs: BTreeMap::new(),
        };
        clips.push(clip_reader.read(diagnostics)?);
        if cache.value_count > max {
            let (limit, what) = (Limit::KeyValues, "key values of all tracks".into());
            return Err(ImportError::Limit {
                pointer: "/animations".into(),
                what,
                count: cache.value_count,
                limit,
                max,
            });
        }
    }
    Ok(clips)
}

/// Converts one animation.
struct ClipReader<'a> {
    reader: &'a AccessorReader<'a>,
    pointers: &'a PointerResolver<'a>,
    animation: &'a Animation,
    /// The JSON of `animation`.
    value: &'a Value,
    at: JsonLocation,
    cache: &'a mut KeyCache,
    /// The timelines of the tracks so far, without duplicates.
    timelines: Vec<Timeline>,
    /// Indices into `timelines` by input accessor.
    timeline_of_accessor: HashMap<usize, TimelineIndex>,
    /// Joint and property of each track so far.
    animated_joints: HashSet<(JointIndex, u8)>,
    /// Target of each property track so far.
    animated_properties: HashSet<PropertyTarget>,
    /// By reason: the first ignored channel, and the number of them.
    ignored: BTreeMap<String, (usize, usize)>,
    /// By problem: the first repaired channel, and the number of repaired keys.
    repairs: BTreeMap<&'static str, (usize, usize)>,
}

/// Key times and values of all clips, each accessor decoded once.
#[derive(Default)]
struct KeyCache {
    /// By input accessor: the first accessor with these times, or the reason to ignore the channels of that accessor.
    times: HashMap<usize, Result<InputTimes, String>>,
    /// By the bits of the times.
    times_by_bits: HashMap<Vec<u32>, InputTimes>,
    /// By output accessor.
    vectors: HashMap<usize, Arc<[Vector3<f32>]>>,
    /// By output accessor, and whether two of three values are tangents, which are not normalized.
    rotations: HashMap<(usize, bool), Arc<[Vector4<f32>]>>,
    /// By output accessor.
    morph_weights: HashMap<usize, Arc<[f32]>>,
    /// By output accessor, component count, conversion, and whether two of three values are tangents.
    properties: HashMap<(usize, usize, ValueConversion, bool), Arc<[f32]>>,
    /// Numbers in the values of all tracks, counted with each track.
    value_count: u64,
}

/// The times of an input accessor.
#[derive(Clone)]
struct InputTimes {
    /// The first accessor with these times.
    accessor: usize,
    timeline: Timeline,
}

/// The result of a channel.
enum ChannelResult {
    Track(Track),
    PropertyTrack(PropertyTrack),
    /// Ignored, for this reason.
    Ignored(String),
}

impl ClipReader<'_> {
    fn read(&mut self, diagnostics: &mut Diagnostics) -> Result<Clip, ImportError> {
        let animation = self.animation;
        let mut tracks = Vec::with_capacity(animation.channels.len());
        let mut property_tracks = Vec::new();
        for (i, channel) in animation.channels.iter().enumerate() {
            // An invalid channel is reported.
            let Some(channel) = channel else { continue };
            let result = self.track(i, channel);
            let Some(result) = diagnostics.or_leave_out(result, "the channel is ignored")? else { continue };
            match result {
                ChannelResult::Track(track) => tracks.push(track),
                ChannelResult::PropertyTrack(track) => property_tracks.push(track),
                ChannelResult::Ignored(reason) => self.ignored.entry(reason).or_insert((i, 0)).1 += 1,
            }
        }
        for (reason, (first, count)) in std::mem::take(&mut self.ignored) {
            let at = self.channel(first);
            let more = if count > 1 {
                format!(" (and {} like it)", counted(count - 1, "channel", "channels"))
            } else {
                String::new()
            };
            diagnostics.add(&at, format!("it is ignored{more}: {reason}"));
        }
        for (repair, (first, count)) in std::mem::take(&mut self.repairs) {
            diagnostics.add(&self.channel(first), format!("{repair} ({})", counted(count, "key", "keys")));
        }
        let timelines = std::mem::take(&mut self.timelines);
        let times = || timelines.iter().map(Timeline::times_secs);
        let duration_secs = times().filter_map(|times| times.last()).copied().fold(0.0, f32::max);
        let first = times().filter_map(|times| times.first()).copied().reduce(f32::min);
        if tracks.is_empty() && property_tracks.is_empty() {
            diagnostics.add(&self.at, "nothing in it can be played");
        }
        let first_key_secs = first.unwrap_or(0.0);
        Ok(Clip { name: animation.name.clone(), duration_secs, first_key_secs, timelines, tracks, property_tracks })
    }

    fn channel(&self, i: usize) -> JsonLocation {
        self.at.child(format!("channels/{i}"), format!("channel {i}"))
    }

    fn track(&mut self, i: usize, channel: &Channel) -> Result<ChannelResult, ImportError> {
        let at = || self.channel(i);
        let ignored = |reason: &str| Ok(ChannelResult::Ignored(reason.to_owned()));
        let sampler = channel.sampler.value();
        let count = self.animation.samplers.len();
        let Some(sampler) = self.animation.samplers.get(sampler) else {
            return Err(ImportError::MissingReference { at: at(), kind: "sampler", index: sampler, count });
        };
        let Some(sampler) = sampler else { return ignored("its sampler is invalid") };
        let (node, path) = match (pointer_of_channel(self.value, i), channel.target.path) {
            (Some(pointer), _) => match self.pointers.resolve(pointer) {
                Ok(PointerTarget::Node(node, path)) => (node, path),
                Ok(PointerTarget::Property(target, conversion)) => {
                    return self.property_track(i, sampler, target, conversion);
                }
                Err(reason) => return Ok(ChannelResult::Ignored(reason)),
            },
            (None, Checked::Invalid) => {
                return ignored(
                    "its target property is not defined in glTF, or it has no pointer (KHR_animation_pointer)",
                );
            }
            (None, Checked::Valid(path)) => match channel.target.node {
                Some(node) => (node.value(), path),
                None => return ignored("it has no target node"),
            },
        };
        let Some(&joint) = self.pointers.joint_of_node.get(node) else {
            // The message omits the node index, so that many such channels are reported once.
            let nodes = counted(self.pointers.joint_of_node.len(), "node", "nodes");
            let text =
                format!("it moves a node that does not exist ({nodes}); in Blender, export without GPU instances");
            return Ok(ChannelResult::Ignored(text));
        };
        let joints = self.pointers.model.skeleton.joints();
        let morph_target_count = joints.get(joint.get()).map_or(0, |joint| joint.morph_weights.len());
        if path == Property::MorphTargetWeights && morph_target_count == 0 {
            return ignored("it moves morph weights of a node whose mesh has none");
        }
        let Some(interpolation) = interpolation(sampler) else { return ignored(UNKNOWN_INTERPOLATION) };
        if self.animated_joints.contains(&(joint, path as u8)) {
            return ignored(ANIMATED_TWICE);
        }
        let times = match self.times(i, sampler.input.value())? {
            Ok(times) => times,
            Err(reason) => return Ok(ChannelResult::Ignored(reason)),
        };
        let elements_per_value = if path == Property::MorphTargetWeights { morph_target_count } else { 1 };
        let count = times.timeline.times_secs().len() * interpolation.values_per_key() * elements_per_value;
        let keys = self.keys(i, path, sampler.output.value(), count, interpolation)?;
        self.animated_joints.insert((joint, path as u8));
        let timeline = self.timeline(times);
        Ok(ChannelResult::Track(Track { joint, timeline, interpolation, keys }))
    }

    /// Reads the property track of a channel (KHR_animation_pointer).
    fn property_track(
        &mut self,
        channel: usize,
        sampler: &json::animation::Sampler,
        target: PropertyTarget,
        conversion: ValueConversion,
    ) -> Result<ChannelResult, ImportError> {
        let ignored = |reason: &str| Ok(ChannelResult::Ignored(reason.to_owned()));
        let interpolation = match (interpolation(sampler), conversion) {
            (None, _) => return ignored(UNKNOWN_INTERPOLATION),
            (Some(_), ValueConversion::Bool) => Interpolation::Step,
            (Some(interpolation), _) => interpolation,
        };
        if self.animated_properties.contains(&target) {
            return ignored(ANIMATED_TWICE);
        }
        let times = match self.times(channel, sampler.input.value())? {
            Ok(times) => times,
            Err(reason) => return Ok(ChannelResult::Ignored(reason)),
        };
        let at = self.channel(channel).child("sampler", "output");
        let (component_count, accessor) = (target.component_count(), sampler.output.value());
        let (expected, element) = match component_count {
            1 => ("SCALAR", ElementType::Scalar),
            2 => ("VEC2", ElementType::Vec2),
            3 => ("VEC3", ElementType::Vec3),
            _ => ("VEC4", ElementType::Vec4),
        };
        let is_spline = interpolation == Interpolation::CubicSpline;
        let is_tangent = |i: usize| is_spline && i / component_count % 3 != 1;
        let convert = |(i, [value]): (usize, [f32; 1])| match conversion {
            ValueConversion::Raw => value,
            ValueConversion::Glossiness if is_tangent(i) => -value,
            ValueConversion::Glossiness => 1.0 - value,
            ValueConversion::Bool => f32::from(value != 0.0),
        };
        // Integers that are not normalized are allowed too.
        let read = || read_finite(self.reader, accessor, &at, expected, |f| f.element == element);
        let key = (accessor, component_count, conversion, is_spline);
        let values =
            shared(&mut self.cache.properties, key, || Ok(read()?.into_iter().enumerate().map(convert).collect()))?;
        let count = times.timeline.times_secs().len() * interpolation.values_per_key();
        check_count(values.len() / component_count, count, &at, accessor)?;
        self.cache.value_count += values.len() as u64;
        self.animated_properties.insert(target);
        let timeline = self.timeline(times);
        Ok(ChannelResult::PropertyTrack(PropertyTrack { target, timeline, interpolation, values }))
    }

    /// Returns the index of the timeline with these times, and adds it if it is new.
    fn timeline(&mut self, InputTimes { accessor, timeline }: InputTimes) -> TimelineIndex {
        *self.timeline_of_accessor.entry(accessor).or_insert_with(|| {
            self.timelines.push(timeline);
            TimelineIndex(self.timelines.len() as u32 - 1)
        })
    }

    /// Returns the times of an input accessor. The inner error is the reason to ignore the channel.
    fn times(&mut self, channel: usize, accessor: usize) -> Result<Result<InputTimes, String>, ImportError> {
        if let Some(known) = self.cache.times.get(&accessor) {
            return Ok(known.clone());
        }
        let times = match self.read_times(channel, accessor) {
            Err(error) if error.is_limit() => return Err(error),
            Err(ImportError::Accessor { problem, .. }) => Err(problem.to_string()),
            Err(ImportError::InvalidData { problem, .. }) => Err(problem),
            Err(error) => return Err(error),
            Ok(times) => times.map_err(str::to_owned),
        };
        self.cache.times.insert(accessor, times.clone());
        Ok(times)
    }

    fn read_times(&mut self, channel: usize, accessor: usize) -> Result<Result<InputTimes, &'static str>, ImportError> {
        let at = || self.channel(channel).child("sampler", "input");
        let fits = |f: ElementFormat| f.element == ElementType::Scalar && f.component == ComponentType::F32;
        let data = self.reader.read(accessor, "SCALAR of FLOAT", fits);
        let times = data.map_err(|problem| ImportError::Accessor { at: at(), problem })?.scalars();
        if let Some(key) = times.iter().position(|time| !time.is_finite()) {
            let problem = format!("the time of key {key} is not finite (accessor {accessor})");
            return Err(ImportError::InvalidData { at: at(), problem });
        }
        Ok(match times.as_slice() {
            [] => Err("it has no keys"),
            [first, ..] if *first < 0.0 => Err("its first key is before 0; in Blender, move it to frame 0 or later"),
            times if !times.is_sorted() => Err("its key times decrease; export the file again"),
            times => {
                let bits = times.iter().map(|time| time.to_bits()).collect();
                let new = || InputTimes { accessor, timeline: Timeline::new(times) };
                Ok(self.cache.times_by_bits.entry(bits).or_insert_with(new).clone())
            }
        })
    }

    /// Reads the `count` elements of an output accessor.
    fn keys(
        &mut self,
        channel: usize,
        path: Property,
        accessor: usize,
        count: usize,
        interpolation: Interpolation,
    ) -> Result<KeyValues, ImportError> {
        let at = &self.channel(channel).child("sampler", "output");
        let (reader, cache) = (self.reader, &mut *self.cache);
        let is_float_or_normalized =
            |f: ElementFormat| f.component == ComponentType::F32 || (f.normalized && f.component != ComponentType::U32);
        let (keys, found, components) = match path {
            Property::Translation | Property::Scale => {
                let fits = |f: ElementFormat| f.element == ElementType::Vec3 && f.component == ComponentType::F32;
                let read = || read_finite::<3>(reader, accessor, at, "VEC3 of FLOAT", fits);
                let read = || Ok(read()?.into_iter().map(Vector3::from).collect());
                let values = shared(&mut cache.vectors, accessor, read)?;
                let found = values.len();
                let is_scale = path == Property::Scale;
                (if is_scale { KeyValues::Scale(values) } else { KeyValues::Translation(values) }, found, 3)
            }
            Property::Rotation => {
                let is_spline = interpolation == Interpolation::CubicSpline;
                let fits = |f: ElementFormat| f.element == ElementType::Vec4 && is_float_or_normalized(f);
                let expected = "VEC4 of FLOAT or of normalized BYTE or SHORT";
                let values = shared(&mut cache.rotations, (accessor, is_spline), || {
                    let list = read_finite(reader, accessor, at, expected, fits)?;
                    Ok(rotations(channel, &list, is_spline, &mut self.repairs))
                })?;
                let found = values.len();
                (KeyValues::Rotation(values), found, 4)
            }
            Property::MorphTargetWeights => {
                let fits = |f: ElementFormat| f.element == ElementType::Scalar && is_float_or_normalized(f);
                let expected = "SCALAR of FLOAT or of normalized BYTE or SHORT";
                let values = shared(&mut cache.morph_weights, accessor, || {
                    Ok(read_finite::<1>(reader, accessor, at, expected, fits)?.into_iter().flatten().collect())
                })?;
                let found = values.len();
                (KeyValues::Weights(values), found, 1)
            }
        };
        check_count(found, count, at, accessor)?;
        cache.value_count += (found * components) as u64;
        Ok(keys)
    }
}

/// Returns the values with a key. Reads them unless an earlier track did.
fn shared<K: Eq + Hash, T>(
    cache: &mut HashMap<K, Arc<[T]>>,
    key: K,
    read: impl FnOnce() -> Result<Vec<T>, ImportError>,
) -> Result<Arc<[T]>, ImportError> {
    Ok(match cache.entry(key) {
        Entry::Occupied(entry) => Arc::clone(entry.get()),
        Entry::Vacant(entry) => Arc::clone(entry.insert(read()?.into())),
    })
}

/// Reads the elements of an output accessor.
fn read_finite<const N: usize>(
    reader: &AccessorReader,
    accessor: usize,
    at: &JsonLocation,
    expected: &'static str,
    fits: impl Fn(ElementFormat) -> bool,
) -> Result<Vec<[f32; N]>, ImportError> {
    let data = reader.read(accessor, expected, fits);
    let values = data.map_err(|problem| ImportError::Accessor { at: at.clone(), problem })?.floats();
    if values.as_flattened().iter().all(|x| x.is_finite()) {
        return Ok(values);
    }
    let problem = format!("a value is not finite (accessor {accessor})");
    Err(ImportError::InvalidData { at: at.clone(), problem })
}

/// Normalizes rotation keys, but not their tangents.
fn rotations(
    channel: usize,
    list: &[[f32; 4]],
    is_spline: bool,
    repairs: &mut BTreeMap<&'static str, (usize, usize)>,
) -> Vec<Vector4<f32>> {
    let (mut zero_count, mut scaled_count) = (0, 0);
    let normalize = |(i, value): (usize, &[f32; 4])| {
        if is_spline && i % 3 != 1 {
            return Vector4::from(*value);
        }
        let (unit, problem) = unit_quaternion(value.map(f64::from));
        if problem.is_some() {
            let is_zero = value.iter().all(|x| x.abs() < 1e-30);
            zero_count += usize::from(is_zero);
            scaled_count += usize::from(!is_zero);
        }
        unit.coords.map(|x| x as f32)
    };
    let out = list.iter().enumerate().map(normalize).collect();
    for (repair, count) in [
        ("rotations of length 0 are replaced by the identity", zero_count),
        ("rotations whose length is not 1 are normalized", scaled_count),
    ] {
        if count > 0 {
            repairs.entry(repair).or_insert((channel, 0)).1 += count;
        }
    }
    out
}

const UNKNOWN_INTERPOLATION: &str = "its interpolation is not defined in glTF";
const ANIMATED_TWICE: &str = "an earlier channel of this animation has the same target";

fn interpolation(sampler: &json::animation::Sampler) -> Option<Interpolation> {
    Some(match sampler.interpolation {
        Checked::Valid(json::animation::Interpolation::Step) => Interpolation::Step,
        Checked::Valid(json::animation::Interpolation::Linear) => Interpolation::Linear,
        Checked::Valid(json::animation::Interpolation::CubicSpline) => Interpolation::CubicSpline,
        Checked::Invalid => return None,
    })
}

/// Returns an error if an accessor does not have one value per key.
fn check_count(found: usize, count: usize, at: &JsonLocation, accessor: usize) -> Result<(), ImportError> {
    if found == count {
        return Ok(());
    }
    let found = counted(found, "value", "values");
    let problem = format!("there are {found} for keys that need {count} (accessor {accessor})");
    Err(ImportError::InvalidData { at: at.clone(), problem })
}
