//! Animations of the file to clips.

use super::accessor::{Format, Reader};
use super::error::ImportError;
use super::hierarchy::unit_quaternion;
use super::json::{Animation, Channel, Document};
use super::notice::{Notices, Place, counted};
use crate::model::{Clip, Interpolation, JointIndex, Keys, Skeleton, Timeline, Track};
use gltf::json;
use json::accessor::{ComponentType, Type};
use json::animation::Property;
use json::validation::Checked;
use nalgebra::{Vector3, Vector4};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Reads all animations. `joint_of_node` holds the joint of each node.
pub(super) fn read(
    document: &Document,
    reader: &Reader,
    skeleton: &Skeleton,
    joint_of_node: &[JointIndex],
    notices: &mut Notices,
) -> Result<Vec<Clip>, ImportError> {
    let mut clips = Vec::with_capacity(document.animations.len());
    for (i, animation) in document.animations.iter().enumerate() {
        let mut source = ClipSource {
            reader,
            skeleton,
            joint_of_node,
            animation,
            at: document.place("animations", i),
            timelines: Timelines::default(),
            moved: HashSet::new(),
            left_out: BTreeMap::new(),
            flaws: BTreeMap::new(),
        };
        clips.push(source.read(notices)?);
    }
    Ok(clips)
}

/// An animation of the file, and what is known of it so far.
struct ClipSource<'a> {
    reader: &'a Reader<'a>,
    skeleton: &'a Skeleton,
    joint_of_node: &'a [JointIndex],
    animation: &'a Animation,
    at: Place,
    timelines: Timelines,
    /// Joint and property of each track.
    moved: HashSet<(JointIndex, u8)>,
    /// Why channels were left out, the first such channel, and how many.
    left_out: BTreeMap<String, (usize, usize)>,
    /// What was mended in channels, the first such channel, and how many keys.
    flaws: BTreeMap<&'static str, (usize, usize)>,
}

/// The timelines of one clip, each distinct one once.
#[derive(Default)]
struct Timelines {
    list: Vec<Timeline>,
    of_accessor: HashMap<usize, Result<usize, &'static str>>,
    /// Timelines by the bits of their times.
    of_bits: HashMap<Vec<u32>, usize>,
}

/// What became of a channel.
enum Outcome {
    Track(Track),
    /// Why it cannot play.
    LeftOut(String),
}

impl ClipSource<'_> {
    fn read(&mut self, notices: &mut Notices) -> Result<Clip, ImportError> {
        let animation = self.animation;
        let mut tracks = Vec::with_capacity(animation.channels.len());
        for (i, channel) in animation.channels.iter().enumerate() {
            match self.track(i, channel)? {
                Outcome::Track(track) => tracks.push(track),
                Outcome::LeftOut(why) => self.left_out.entry(why).or_insert((i, 0)).1 += 1,
            }
        }
        for (why, (first, count)) in std::mem::take(&mut self.left_out) {
            let at = self.channel(first);
            let more = if count > 1 {
                format!(" (and {} like it)", counted(count - 1, "channel", "channels"))
            } else {
                String::new()
            };
            notices.add(&at, format!("it is left out{more}: {why}"));
        }
        for (flaw, (first, count)) in std::mem::take(&mut self.flaws) {
            notices.add(&self.channel(first), format!("{flaw} ({})", counted(count, "key", "keys")));
        }
        let timelines = std::mem::take(&mut self.timelines.list);
        let used =
            || tracks.iter().filter_map(|track| timelines.get(track.timeline)).map(|timeline| &timeline.times_secs);
        let duration_secs = used().filter_map(|times| times.last()).copied().fold(0.0, f32::max);
        let first = used().filter_map(|times| times.first()).copied().reduce(f32::min);
        if tracks.is_empty() {
            notices.add(&self.at, "nothing in it can be played");
        }
        let first_key_secs = first.unwrap_or(0.0);
        Ok(Clip { name: animation.name.clone(), duration_secs, first_key_secs, timelines, tracks })
    }

    /// Where a channel stands.
    fn channel(&self, i: usize) -> Place {
        self.at.part(format!("channels/{i}"), format!("channel {i}"))
    }

    /// The track of a channel.
    fn track(&mut self, i: usize, channel: &Channel) -> Result<Outcome, ImportError> {
        let at = || self.channel(i);
        let left_out = |why: &str| Ok(Outcome::LeftOut(why.to_owned()));
        let sampler = channel.sampler.value();
        let count = self.animation.samplers.len();
        let Some(sampler) = self.animation.samplers.get(sampler) else {
            return Err(ImportError::NoSuch { at: at(), kind: "sampler", index: sampler, count });
        };
        let Checked::Valid(path) = channel.target.path else {
            return left_out("it moves a property that is not played yet, such as those of KHR_animation_pointer");
        };
        let Some(node) = channel.target.node else { return left_out("it names no node to move") };
        let Some(&joint) = self.joint_of_node.get(node.value()) else {
            // Without the node's number, so that a crowd of such channels is told of once.
            let nodes = counted(self.joint_of_node.len(), "node", "nodes");
            let text =
                format!("it moves a node that does not exist ({nodes}); in Blender, export without GPU instances");
            return Ok(Outcome::LeftOut(text));
        };
        let targets = self.skeleton.joints().get(joint.get()).map_or(0, |joint| joint.weights.len());
        if path == Property::MorphTargetWeights && targets == 0 {
            return left_out("it moves morph weights of a node whose mesh has none");
        }
        let Checked::Valid(interpolation) = sampler.interpolation else {
            return left_out("its interpolation is none that glTF knows");
        };
        let interpolation = match interpolation {
            json::animation::Interpolation::Step => Interpolation::Step,
            json::animation::Interpolation::Linear => Interpolation::Linear,
            json::animation::Interpolation::CubicSpline => Interpolation::CubicSpline,
        };
        if self.moved.contains(&(joint, path as u8)) {
            return left_out("an earlier channel of this animation moves the same");
        }
        let timeline = match self.timeline(i, sampler.input.value())? {
            Ok(timeline) => timeline,
            Err(why) => return left_out(why),
        };
        let keys = self.timelines.list.get(timeline).map_or(0, |timeline| timeline.times_secs.len());
        let width = if path == Property::MorphTargetWeights { targets } else { 1 };
        let values = keys * interpolation.values_per_key() * width;
        match self.keys(i, path, sampler.output.value(), values, interpolation)? {
            Ok(keys) => {
                self.moved.insert((joint, path as u8));
                Ok(Outcome::Track(Track { joint, timeline, interpolation, keys }))
            }
            Err(why) => Ok(Outcome::LeftOut(why)),
        }
    }

    /// The timeline of an input accessor; in the inner error, why it is none.
    fn timeline(&mut self, channel: usize, accessor: usize) -> Result<Result<usize, &'static str>, ImportError> {
        if let Some(known) = self.timelines.of_accessor.get(&accessor) {
            return Ok(*known);
        }
        let at = || self.channel(channel).part("sampler", "input");
        let fits = |f: Format| f.kind == Type::Scalar && f.component == ComponentType::F32;
        let found = match self.reader.read(accessor, "SCALAR of FLOAT", fits) {
            Ok(packed) => {
                let times = packed.scalars();
                if let Some(key) = times.iter().position(|time| !time.is_finite()) {
                    let problem = format!("the time of key {key} is not finite (accessor {accessor})");
                    return Err(ImportError::Data { at: at(), problem });
                }
                match times.as_slice() {
                    [] => Err("it has no keys"),
                    [first, ..] if *first < 0.0 => {
                        Err("its first key is before 0; in Blender, move it to frame 0 or later")
                    }
                    times if !times.is_sorted() => Err("its key times decrease; export the file again"),
                    times => Ok(self.timelines.add(times)),
                }
            }
            Err(fault) => return Err(ImportError::Accessor { at: at(), fault }),
        };
        self.timelines.of_accessor.insert(accessor, found);
        Ok(found)
    }

    /// The values of an output accessor, of which there must be `count`; in the inner error, why there are none.
    fn keys(
        &mut self,
        channel: usize,
        path: Property,
        accessor: usize,
        count: usize,
        interpolation: Interpolation,
    ) -> Result<Result<Keys, String>, ImportError> {
        let place = self.channel(channel).part("sampler", "output");
        let fraction =
            |f: Format| f.component == ComponentType::F32 || (f.normalized && f.component != ComponentType::U32);
        let packed = match path {
            Property::Translation | Property::Scale => self
                .reader
                .read(accessor, "VEC3 of FLOAT", |f| f.kind == Type::Vec3 && f.component == ComponentType::F32),
            Property::Rotation => {
                let fits = |f: Format| f.kind == Type::Vec4 && fraction(f);
                self.reader.read(accessor, "VEC4 of FLOAT or of normalised BYTE or SHORT", fits)
            }
            Property::MorphTargetWeights => {
                let fits = |f: Format| f.kind == Type::Scalar && fraction(f);
                self.reader.read(accessor, "SCALAR of FLOAT or of normalised BYTE or SHORT", fits)
            }
        };
        let packed = packed.map_err(|fault| ImportError::Accessor { at: place.clone(), fault })?;
        if packed.count != count {
            let found = counted(packed.count, "value", "values");
            let problem = format!("there are {found} for keys that need {count} (accessor {accessor})");
            return Err(ImportError::Data { at: place, problem });
        }
        let keys = match path {
            Property::Translation => Keys::Translation(vectors(&packed.floats::<3>())),
            Property::Scale => Keys::Scale(vectors(&packed.floats::<3>())),
            Property::Rotation => Keys::Rotation(self.rotations(channel, &packed.floats::<4>(), interpolation)),
            Property::MorphTargetWeights => Keys::Weights(packed.scalars()),
        };
        let finite = match &keys {
            Keys::Translation(list) | Keys::Scale(list) => list.iter().flatten().all(|x| x.is_finite()),
            Keys::Rotation(list) => list.iter().flatten().all(|x| x.is_finite()),
            Keys::Weights(list) => list.iter().all(|x| x.is_finite()),
        };
        if !finite {
            let problem = format!("a value is not finite (accessor {accessor})");
            return Err(ImportError::Data { at: place, problem });
        }
        Ok(Ok(keys))
    }

    /// Rotation keys at unit length, tangents as they are.
    fn rotations(&mut self, channel: usize, list: &[[f32; 4]], interpolation: Interpolation) -> Vec<Vector4<f32>> {
        let per_key = interpolation.values_per_key();
        let mut out = Vec::with_capacity(list.len());
        let (mut zero, mut long) = (0, 0);
        for (i, value) in list.iter().enumerate() {
            let is_tangent = per_key == 3 && i % 3 != 1;
            if is_tangent || value.iter().any(|x| !x.is_finite()) {
                out.push(Vector4::from(*value));
                continue;
            }
            let (unit, flaw) = unit_quaternion(value.map(f64::from));
            if flaw.is_some() {
                let is_zero = value.iter().all(|x| x.abs() < 1e-30);
                zero += usize::from(is_zero);
                long += usize::from(!is_zero);
            }
            out.push(unit.coords.map(|x| x as f32));
        }
        for (flaw, count) in [
            ("rotations of length 0 are taken for no rotation", zero),
            ("rotations whose length is not 1 are scaled to it", long),
        ] {
            if count > 0 {
                self.flaws.entry(flaw).or_insert((channel, 0)).1 += count;
            }
        }
        out
    }
}

impl Timelines {
    /// The place of a timeline of these times, which need not be new.
    fn add(&mut self, times: &[f32]) -> usize {
        let bits = times.iter().map(|time| time.to_bits()).collect();
        *self.of_bits.entry(bits).or_insert_with(|| {
            self.list.push(Timeline { times_secs: times.to_vec() });
            self.list.len() - 1
        })
    }
}

fn vectors(list: &[[f32; 3]]) -> Vec<Vector3<f32>> {
    list.iter().map(|value| Vector3::from(*value)).collect()
}
