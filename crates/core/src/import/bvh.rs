//! BVH motion capture files: conversion to glTF.
//!
//! Each joint becomes a node without a mesh, each End Site a node that ends in `_end`, and the motion one animation with a key
//! at every frame. Position channels replace OFFSET, unless that collapses the skeleton: then they are added to it. Lengths keep their
//! unit, which is usually the centimeter.

use super::diagnostics::Diagnostics;
use super::error::ImportError;
use super::json::{BYTE_ORDER_MARK, check_limit};
use super::limits::{Limit, Limits};
use crate::gltf_format::glb;
use crate::util::text::{counted, quoted};
use nalgebra::{UnitQuaternion, Vector3};
use serde_json::{Value, json};
use std::borrow::Cow;

/// Generator of the glTF that a BVH file becomes.
pub const BVH_GENERATOR: &str = "BVH";

/// Time of a frame in seconds, if that in the file is unusable.
const DEFAULT_FRAME_SECS: f64 = 1.0 / 30.0;

/// Shortest time of a frame in seconds: shorter ones round to equal key times.
const MIN_FRAME_SECS: f64 = 1e-4;

/// Largest mean length of bones by position channels, relative to that by OFFSET, of a skeleton that collapses.
const MAX_COLLAPSED_LENGTH: f64 = 0.1;

/// One number of each frame.
#[derive(Clone, Copy)]
enum Channel {
    /// Position along an axis.
    Position(u8),
    /// Rotation about an axis, in degrees.
    Rotation(u8),
    /// Scale along an axis. Programs disagree on whether children inherit it; Blender leaves it out, too.
    Scale,
}

impl Channel {
    fn parse(word: &str) -> Option<Self> {
        let axis = "xyz".find(word.get(..1)?.to_ascii_lowercase().as_str())? as u8;
        match &word[1..] {
            kind if kind.eq_ignore_ascii_case("position") => Some(Self::Position(axis)),
            kind if kind.eq_ignore_ascii_case("rotation") => Some(Self::Rotation(axis)),
            kind if kind.eq_ignore_ascii_case("scale") => Some(Self::Scale),
            _ => None,
        }
    }
}

/// Joint or End Site.
struct BvhJoint<'a> {
    /// The name of the joint, for an End Site that of its parent.
    name: &'a str,
    is_end: bool,
    parent: Option<u32>,
    offset: Vector3<f64>,
}

/// The joints, parents first, and what moves them.
struct Hierarchy<'a> {
    joints: Vec<BvhJoint<'a>>,
    /// The channels in the order of their numbers in a frame, with their joints.
    channels: Vec<(u32, Channel)>,
}

/// The keys of a joint with channels. Other joints cost nothing per frame.
struct JointKeys<'a> {
    joint: u32,
    channels: &'a [(u32, Channel)],
    /// Offsets of the keys in the buffer; `None` without such channels.
    translations: Option<usize>,
    rotations: Option<usize>,
}

impl JointKeys<'_> {
    /// Writes the key of a frame from its numbers. Rotations apply in the order of their channels, the first one outermost.
    fn write(&self, frame: usize, numbers: &[f64], offset: Vector3<f64>, bin: &mut [u8]) {
        let (mut position, mut rotation) = (offset, UnitQuaternion::identity());
        for ((_, channel), number) in self.channels.iter().zip(numbers) {
            match channel {
                Channel::Position(axis) => position[usize::from(*axis)] = *number,
                Channel::Rotation(axis) => {
                    let axis = Vector3::ith_axis(usize::from(*axis));
                    rotation *= UnitQuaternion::from_axis_angle(&axis, number.to_radians());
                }
                Channel::Scale => {}
            }
        }
        let mut write = |start: Option<usize>, values: &[f64]| {
            let Some(start) = start else { return };
            let bytes = bin[start + 4 * frame * values.len()..].chunks_exact_mut(4);
            bytes.zip(values).for_each(|(bytes, value)| bytes.copy_from_slice(&(*value as f32).to_le_bytes()));
        };
        write(self.translations, position.as_slice());
        write(self.rotations, rotation.coords.as_slice());
    }
}

/// The frames as the buffer of a glTF file: the times, then the keys of each joint.
struct Motion<'a> {
    keys: Vec<JointKeys<'a>>,
    frames: usize,
    bin: Vec<u8>,
}

impl Motion<'_> {
    fn read(&self, at: usize) -> f64 {
        f64::from(f32::from_le_bytes(std::array::from_fn(|i| self.bin[at + i])))
    }

    /// Returns the offset in the buffer of each position of a joint other than a root, with its joint and axis.
    fn positions<'b>(&'b self, joints: &'b [BvhJoint]) -> impl Iterator<Item = (usize, u32, usize)> + 'b {
        let keys = self.keys.iter().filter(|keys| joints[keys.joint as usize].parent.is_some());
        keys.flat_map(move |keys| {
            let axes = keys.channels.iter().filter_map(|(_, channel)| match channel {
                Channel::Position(axis) => keys.translations.map(|start| (start, usize::from(*axis))),
                Channel::Rotation(_) | Channel::Scale => None,
            });
            axes.flat_map(move |(start, axis)| {
                (0..self.frames).map(move |frame| (start + 4 * (3 * frame + axis), keys.joint, axis))
            })
        })
    }

    /// Returns `true` if the positions of joints are near zero, unlike their offsets.
    fn is_collapsed(&self, joints: &[BvhJoint]) -> bool {
        let (mut by_position, mut by_offset) = (0.0, 0.0);
        for (at, joint, axis) in self.positions(joints) {
            by_position += self.read(at).abs();
            by_offset += joints[joint as usize].offset[axis].abs();
        }
        by_position < MAX_COLLAPSED_LENGTH * by_offset
    }

    /// Adds the offsets of joints to their positions.
    fn add_offsets(&mut self, joints: &[BvhJoint]) {
        let sums: Vec<(usize, f64)> = self
            .positions(joints)
            .map(|(at, joint, axis)| (at, self.read(at) + joints[joint as usize].offset[axis]))
            .collect();
        for (at, sum) in sums {
            self.bin[at..at + 4].copy_from_slice(&(sum as f32).to_le_bytes());
        }
    }
}

/// Starts of comments, which BVH itself does not have. Some libraries write their license in them.
const COMMENTS: [&str; 2] = ["#", "//"];

/// Returns `true` if the file begins like BVH, after comments.
pub fn is_bvh(bytes: &[u8]) -> bool {
    let mut text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes).trim_ascii_start();
    while COMMENTS.iter().any(|start| text.starts_with(start.as_bytes())) {
        let end = text.iter().position(|byte| b"\r\n".contains(byte)).unwrap_or(text.len());
        text = text[end..].trim_ascii_start();
    }
    text.get(..9).is_some_and(|word| word.eq_ignore_ascii_case(b"HIERARCHY"))
}

/// Removes comments at the start of lines, and after a space in lines without the name of a joint.
fn without_comments(text: &str) -> String {
    let of_line = |line: &str| {
        let has_name = ["ROOT", "JOINT"].iter().any(|keyword| {
            line.trim_start().get(..keyword.len()).is_some_and(|word| word.eq_ignore_ascii_case(keyword))
        });
        let indent = line.len() - line.trim_start().len();
        let starts_comment = |at: &usize| *at == indent || !has_name && line[..*at].ends_with([' ', '\t']);
        let first = |start: &&str| line.match_indices(*start).map(|(at, _)| at).find(starts_comment);
        line[..COMMENTS.iter().filter_map(first).min().unwrap_or(line.len())].to_owned()
    };
    text.split('\n').map(of_line).collect::<Vec<_>>().join("\n")
}

/// Converts a BVH file to a GLB container.
///
/// Time and memory are linear in its length, and the limits are checked before memory is allocated: memory is at most 8 bytes of keys
/// for each byte of the motion, and 64 bytes and the JSON for each joint.
pub(super) fn to_glb(bytes: &[u8], limits: &Limits, diagnostics: &mut Diagnostics) -> Result<Vec<u8>, ImportError> {
    // A joint has one brace, and the motion has none.
    let joints = bytes.iter().filter(|byte| **byte == b'{').count();
    check_limit(limits, Limit::Elements, joints as u64, || (String::new(), "its joints".into()))?;
    let mut text = String::from_utf8_lossy(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes));
    if text.contains('\r') {
        text = Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"));
    }
    if COMMENTS.iter().any(|start| text.contains(start)) {
        text = Cow::Owned(without_comments(&text));
    }
    let mut words = Words::new(&text);
    words.next();
    let hierarchy = read_hierarchy(&mut words)?;
    if hierarchy.channels.iter().any(|(_, channel)| matches!(channel, Channel::Scale)) {
        diagnostics.push("", "its channels of scale, such as Xscale, are left out");
    }
    let max_key_values = limits.get(Limit::KeyValues).max(bytes.len() as u64);
    let motion = read_motion(words, &hierarchy, max_key_values, diagnostics)?;
    let has_comma = |word: &&str| word.contains(',') && number(word).is_some();
    if let Some(word) = text.contains(',').then(|| text.split_whitespace().find(has_comma)).flatten() {
        let message = format!(
            "it has decimal commas, such as {}; export it again with decimal points for other programs",
            quoted(word)
        );
        diagnostics.push("", message);
    }
    let json = write_json(&hierarchy.joints, &motion, limits)?;
    glb::write_text(json.into_bytes(), motion.bin).ok_or_else(|| ImportError::Bvh {
        line: 1,
        problem: "the motion exceeds 4 GiB as glTF; cut it into several files".into(),
    })
}

/// Words of a text, with their lines.
#[derive(Clone, Copy)]
struct Words<'a> {
    rest: &'a str,
    /// Number of the line at the start of `rest`, from 1.
    line: usize,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1 }
    }

    /// Skips `bytes`, and returns them.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.bytes().filter(|byte| *byte == b'\n').count();
        self.rest = rest;
        taken
    }

    /// Returns the next word, or brace; empty at the end.
    fn next(&mut self) -> &'a str {
        self.take(self.rest.len() - self.rest.trim_start().len());
        let end = match self.rest.starts_with(['{', '}']) {
            true => 1,
            false => self.rest.find(|c: char| c.is_whitespace() || "{}".contains(c)).unwrap_or(self.rest.len()),
        };
        self.take(end)
    }

    /// Returns the rest of the line, up to a brace.
    fn rest_of_line(&mut self) -> &'a str {
        let end = self.rest.find(['\n', '{']).unwrap_or(self.rest.len());
        self.take(end).trim()
    }

    fn error(&self, problem: impl Into<String>) -> ImportError {
        ImportError::Bvh { line: self.line, problem: problem.into() }
    }

    /// Reads a number within the range of single precision.
    fn number(&mut self) -> Result<f64, ImportError> {
        let word = self.next();
        number(word).ok_or_else(|| self.error(format!("{} is not a number", quoted(word))))
    }
}

/// Parses a number, with a decimal point or comma.
fn number(word: &str) -> Option<f64> {
    let parsed = word.parse().or_else(|_| word.replacen(',', ".", 1).parse());
    parsed.ok().filter(|number: &f64| (*number as f32).is_finite())
}

/// Reads the joints up to MOTION or the end.
fn read_hierarchy<'a>(words: &mut Words<'a>) -> Result<Hierarchy<'a>, ImportError> {
    let (mut joints, mut channels, mut open) = (Vec::<BvhJoint>::new(), Vec::new(), Vec::<u32>::new());
    loop {
        let word = words.next();
        let keyword = word.to_ascii_uppercase();
        match (&keyword[..], open.last().copied()) {
            ("MOTION" | "", None) => break,
            ("ROOT", None) | ("JOINT" | "END" | "ENDSITE" | "END_SITE", Some(_)) => {
                let rest = words.rest_of_line();
                let parent = open.last().copied();
                let is_end = keyword.starts_with("END");
                let name = parent.filter(|_| is_end).map_or(rest, |parent| joints[parent as usize].name);
                if words.next() != "{" {
                    return Err(words.error(format!("{{ is missing after {}", quoted(name))));
                }
                open.push(joints.len() as u32);
                joints.push(BvhJoint { name, is_end, parent, offset: Vector3::zeros() });
            }
            ("}", Some(_)) => drop(open.pop()),
            ("OFFSET", Some(joint)) => {
                for axis in 0..3 {
                    joints[joint as usize].offset[axis] = words.number()?;
                }
            }
            ("CHANNELS", Some(joint)) => {
                let (count, mut found) = (words.number()?, 0.0);
                // One by one: the count comes from the file.
                while found < count {
                    let word = words.next();
                    let channel = Channel::parse(word).ok_or_else(|| {
                        words.error(format!(
                            "{} is not a channel, such as Xposition or Zrotation; export the file again",
                            quoted(word)
                        ))
                    })?;
                    channels.push((joint, channel));
                    found += 1.0;
                }
            }
            ("", _) => return Err(words.error("the file ends within its hierarchy; copy or export it again")),
            _ => return Err(words.error(format!("{} is not expected here; export the file again", quoted(word)))),
        }
    }
    if joints.is_empty() {
        return Err(words.error("it has no joints; export the file again, with the skeleton"));
    }
    // A joint may state its channels after its children, whose numbers follow its own.
    channels.sort_by_key(|(joint, _)| *joint);
    Ok(Hierarchy { joints, channels })
}

/// The numbers of frames, from lines with one frame each, several, or a part of one.
struct Frames<'a, Lines: Iterator<Item = (&'a str, usize)>> {
    /// Lines that are not blank, with their numbers.
    lines: Lines,
    channels: usize,
    /// The numbers of a line with several frames that are not read yet, reversed.
    rest: Vec<f64>,
    /// Number of a line that has further numbers after those of a frame, and their count.
    excess: Option<(usize, usize)>,
}

/// The reason why the motion ends.
enum End {
    /// It has no more lines.
    Whole,
    /// A line with too few numbers, and their count.
    WrongCount(usize, usize),
}

impl<'a, Lines: Iterator<Item = (&'a str, usize)>> Frames<'a, Lines> {
    /// Reads the numbers of the next frame, whose index is for messages.
    fn next(&mut self, frame: usize, numbers: &mut Vec<f64>) -> Result<Result<(), End>, ImportError> {
        numbers.clear();
        if !self.rest.is_empty() {
            let start = self.rest.len() - self.channels;
            numbers.extend(self.rest.drain(start..).rev());
            return Ok(Ok(()));
        }
        let mut first = None;
        while numbers.len() < self.channels {
            let before = numbers.len();
            let Some((line, line_number)) = self.lines.next() else {
                return Ok(Err(first.map_or(End::Whole, |(line, count)| End::WrongCount(line, count))));
            };
            for word in line.split_whitespace() {
                numbers.push(number(word).ok_or_else(|| {
                    let problem = format!("{} in frame {frame} is not a number; export the file again", quoted(word));
                    ImportError::Bvh { line: line_number, problem }
                })?);
            }
            let (first_line, count) = *first.get_or_insert((line_number, numbers.len()));
            if before > 0 && numbers.len() > self.channels {
                return Ok(Err(End::WrongCount(first_line, count)));
            }
        }
        if numbers.len().is_multiple_of(self.channels) {
            self.rest.extend(numbers.drain(self.channels..).rev());
        } else {
            self.excess = self.excess.or(first.map(|(line, _)| (line, numbers.len())));
            numbers.truncate(self.channels);
        }
        Ok(Ok(()))
    }
}

/// Reads the header of the motion, `Frames: N` and `Frame Time: SECONDS` in any order, and returns both numbers.
fn read_header(words: &mut Words) -> [Option<f64>; 2] {
    let mut header = [None; 2];
    loop {
        let mut next = *words;
        let key = next.next().to_ascii_lowercase();
        if !key.starts_with("frame") {
            return header;
        }
        let line = [&key[..], " ", next.rest_of_line()].concat().to_ascii_lowercase();
        let line = line.trim_end();
        let is_time = line["frame".len()..].trim_start().starts_with("time");
        header[usize::from(is_time)] = number(line.rsplit([':', ' ', '\t']).next().unwrap_or_default());
        *words = next;
    }
}

/// Reads the frames. `max_key_values` bounds the numbers of all keys.
fn read_motion<'a>(
    mut words: Words,
    hierarchy: &'a Hierarchy,
    max_key_values: u64,
    diagnostics: &mut Diagnostics,
) -> Result<Motion<'a>, ImportError> {
    let Hierarchy { joints, channels } = hierarchy;
    let [stated, frame_secs] = read_header(&mut words);
    let frame_secs = frame_secs.filter(|secs| *secs >= MIN_FRAME_SECS).unwrap_or_else(|| {
        diagnostics.push("", "its frame time is missing or too short; 30 frames per second are assumed");
        DEFAULT_FRAME_SECS
    });
    let lines = words.rest.split('\n').zip(words.line..).filter(|(line, _)| !line.trim().is_empty());
    let max_frames = match channels.len() {
        0 => 0,
        count => words.rest.split_whitespace().count().div_ceil(count),
    };
    let max_frames = stated.map_or(max_frames, |stated| max_frames.min(stated as usize));
    let mut size = 4 * max_frames;
    let mut reserve = |is_used: bool, components: usize| {
        let start = size;
        size += if is_used { 4 * components * max_frames } else { 0 };
        is_used.then_some(start)
    };
    let keys_of_joint = |channels: &'a [(u32, Channel)]| JointKeys {
        joint: channels[0].0,
        channels,
        translations: reserve(channels.iter().any(|(_, channel)| matches!(channel, Channel::Position(_))), 3),
        rotations: reserve(channels.iter().any(|(_, channel)| matches!(channel, Channel::Rotation(_))), 4),
    };
    let keys: Vec<JointKeys> = channels.chunk_by(|a, b| a.0 == b.0).map(keys_of_joint).collect();
    let count = (size / 4 - max_frames) as u64;
    if count > max_key_values {
        let what = format!("numbers in the keys of {max_frames} frames");
        let (pointer, limit, max) = (String::new(), Limit::KeyValues, max_key_values);
        return Err(ImportError::Limit { pointer, what, count, limit, max });
    }
    let (mut frames, mut numbers, mut bin) = (0, Vec::new(), vec![0; size]);
    let mut source = Frames { lines, channels: channels.len(), rest: Vec::new(), excess: None };
    while frames < max_frames {
        match source.next(frames, &mut numbers)? {
            Ok(()) => {}
            Err(End::Whole) => break,
            Err(End::WrongCount(line, count)) => {
                let message = format!(
                    "line {line}: frame {frames} has {count} numbers for {} channels; the motion ends before it; copy or export the \
                     file again",
                    channels.len()
                );
                diagnostics.push("", message);
                break;
            }
        }
        let time = (frames as f64 * frame_secs) as f32;
        bin[4 * frames..][..4].copy_from_slice(&time.to_le_bytes());
        let mut rest = &numbers[..];
        for keys in &keys {
            let (own, others) = rest.split_at(keys.channels.len());
            keys.write(frames, own, joints[keys.joint as usize].offset, &mut bin);
            rest = others;
        }
        frames += 1;
    }
    if let Some(stated) = stated
        && !channels.is_empty()
        && (frames as f64) < stated
    {
        diagnostics.push("", format!("it has {frames} of {stated} frames; copy or export the file again"));
    }
    if let Some((line, count)) = source.excess {
        let message = format!(
            "line {line}: a frame has {count} numbers for {} channels; further numbers are ignored in each line; export the file again",
            channels.len()
        );
        diagnostics.push("", message);
    }
    if stated.is_some_and(|stated| frames as f64 == stated.floor()) {
        let is_motion =
            |(line, _): &(&str, usize)| line.split_whitespace().next().is_some_and(|word| number(word).is_some());
        let lines = source.lines.filter(is_motion).count() + source.rest.len() / channels.len().max(1);
        if lines > 0 && !channels.is_empty() {
            let message = format!(
                "it states {}; {} beyond that {} ignored; correct the number after \"Frames:\", or export the file again",
                counted(frames, "frame", "frames"),
                counted(lines, "line of motion", "lines of motion"),
                if lines == 1 { "is" } else { "are" }
            );
            diagnostics.push("", message);
        }
    }
    let mut motion = Motion { keys, frames, bin };
    if motion.is_collapsed(joints) {
        motion.add_offsets(joints);
        let message =
            "its position channels in place of OFFSET collapse the skeleton; they are added to OFFSET instead";
        diagnostics.push("", message);
    }
    Ok(motion)
}

/// Returns the JSON of the glTF file. It is text, as a `Value` would need many times the memory before its limit is checked.
fn write_json(joints: &[BvhJoint], motion: &Motion, limits: &Limits) -> Result<String, ImportError> {
    // The joints by parent, in the order of the file; roots come first.
    let mut children: Vec<u32> = (0..joints.len() as u32).collect();
    children.sort_by_key(|child| joints[*child as usize].parent);
    let mut children = children.into_iter().peekable();
    let mut children_of = |parent: Option<u32>| {
        let numbers = std::iter::from_fn(|| children.next_if(|child| joints[*child as usize].parent == parent));
        numbers.map(|child| child.to_string()).collect::<Vec<_>>().join(",")
    };
    let mut json = format!(
        r#"{{"asset":{{"version":"2.0","generator":"{BVH_GENERATOR}"}},"scene":0,"scenes":[{{"nodes":[{}]}}],"nodes":["#,
        children_of(None)
    );
    let mut size = json.len() as u64;
    for (i, joint) in joints.iter().enumerate() {
        let [x, y, z] = joint.offset.into();
        let mut node = format!(r#"{}{{"translation":[{x:?},{y:?},{z:?}]"#, if i == 0 { "" } else { "," });
        if joint.is_end || !joint.name.is_empty() {
            let name = match joint.is_end {
                // Many End Sites of a joint with a long name would need quadratic memory.
                true => joint.name.chars().take(80).chain("_end".chars()).collect(),
                false => joint.name.to_owned(),
            };
            node += &format!(r#","name":{}"#, Value::from(name));
        }
        match children_of(Some(i as u32)) {
            none if none.is_empty() => node.push('}'),
            children => node += &format!(r#","children":[{children}]}}"#),
        }
        // Beyond the limit it is only counted.
        size += node.len() as u64;
        if size <= limits.get(Limit::Json) {
            json += &node;
        }
    }
    check_limit(limits, Limit::Json, size, || (String::new(), "bytes of JSON".into()))?;
    json.push(']');
    let Motion { keys, frames, bin } = motion;
    if *frames > 0 {
        let (mut views, mut accessors) = (Vec::new(), Vec::new());
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        let mut add = |start: usize, kind: &str, components: usize| {
            let (view, size) = (views.len(), 4 * components * frames);
            views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": size }));
            accessors.push(json!({ "bufferView": view, "componentType": 5126, "count": frames, "type": kind }));
            view
        };
        let input = add(0, "SCALAR", 1);
        for keys in keys {
            let tracks = [("translation", keys.translations, "VEC3", 3), ("rotation", keys.rotations, "VEC4", 4)];
            for (path, start, kind, components) in tracks {
                if let Some(start) = start {
                    channels.push(json!({ "sampler": samplers.len(), "target": { "node": keys.joint, "path": path } }));
                    samplers.push(json!({ "input": input, "output": add(start, kind, components) }));
                }
            }
        }
        let time = |frame: usize| f32::from_le_bytes(std::array::from_fn(|i| bin[4 * frame + i]));
        accessors[input]["min"] = json!([f64::from(time(0))]);
        accessors[input]["max"] = json!([f64::from(time(frames - 1))]);
        json += &format!(
            r#","buffers":[{{"byteLength":{}}}],"bufferViews":{},"accessors":{},"animations":[{}]"#,
            bin.len(),
            Value::from(views),
            Value::from(accessors),
            json!({ "samplers": samplers, "channels": channels }),
        );
    }
    json.push('}');
    Ok(json)
}

#[cfg(test)]
mod tests {
    use crate::import::{ImportError, ImportOptions, Imported, Limit, from_bytes};
    use crate::model::{ClipIndex, JointIndex, KeyValues, Model};
    use crate::pose::{Cursor, ModelPose, Pose, sample};
    use nalgebra::{Rotation3, Vector3};

    /// A hip with six channels, a leg whose rotations come in another order, and a foot.
    const WALK: &str = "HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 90 0\n\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
        \tJOINT Left Leg {\n\t\tOFFSET 10 -5 0\n\t\tCHANNELS 3 Yrotation Zrotation Xrotation\n\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 -80 0\n\t\t}\n\t}\n}\n\
        MOTION\nFrames: 2\nFrame Time: 0.05\n1 2 3 10 20 30 40 50 60\n0 91 0 0 0 0 0 0 -170\n";

    fn import(text: &str) -> Result<Imported, ImportError> {
        from_bytes(text.as_bytes(), None, &ImportOptions::default())
    }

    fn messages(text: &str) -> Vec<String> {
        import(text).unwrap().diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect()
    }

    fn posed(model: &Model, time_secs: f64) -> ModelPose {
        let (mut pose, mut model_pose) = (Pose::default(), ModelPose::default());
        sample(&model.skeleton, &model.clips[ClipIndex(0).get()], time_secs, &mut Cursor::default(), &mut pose);
        model_pose.update(&model.skeleton, &pose);
        model_pose
    }

    #[test]
    fn joints_and_frames_are_exact() {
        let model = import(WALK).unwrap().model;
        let names: Vec<_> = model.skeleton.joints().iter().map(|joint| joint.name.as_deref().unwrap()).collect();
        assert_eq!(names, ["Hips", "Left Leg", "Left Leg_end"]);
        assert_eq!(model.skeleton.joints()[0].rest.translation, Vector3::new(0.0, 90.0, 0.0));
        let clip = &model.clips[0];
        assert_eq!((clip.duration_secs, clip.tracks.len(), clip.timelines.len()), (0.05, 3, 1));
        let about = |axis: usize, degrees: f64| {
            let axis = [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()][axis];
            *Rotation3::from_axis_angle(&axis, f64::to_radians(degrees)).matrix()
        };
        let first = posed(&model, 0.0);
        let hips = about(2, 10.0) * about(0, 20.0) * about(1, 30.0);
        let leg = hips * about(1, 40.0) * about(2, 50.0) * about(0, 60.0);
        let at = Vector3::new(1.0, 2.0, 3.0) + hips * Vector3::new(10.0, -5.0, 0.0);
        assert!((first.model_from_joint(JointIndex(1)).linear - leg).amax() < 1e-6);
        let foot = first.model_from_joint(JointIndex(2)).translation;
        assert!((foot - (at + leg * Vector3::new(0.0, -80.0, 0.0))).amax() < 1e-5, "{foot}");
        assert!((posed(&model, 0.05).model_from_joint(JointIndex(1)).linear - about(0, -170.0)).amax() < 1e-6);
    }

    #[test]
    fn spellings_of_one_file_are_equal() {
        let end = |text: &str| *posed(&import(text).unwrap().model, 0.03).model_from_joint(JointIndex(2));
        let expected = end(WALK);
        for text in [
            WALK.replace('\n', "\r\n"),
            format!("\u{feff}{WALK}"),
            WALK.to_lowercase(),
            WALK.replace("Frame Time: 0.05", "Frame Time:\t5e-2"),
            WALK.replace("Frames: 2", "Frames:2"),
            WALK.replace("Frame Time: 0.05", "FrameTime: 0.05"),
            WALK.replace("Frame Time: 0.05", "FrameTime:0.05"),
            WALK.replace("0.05", "0,05").replace("-80", "-80,0"),
            WALK.replace('\n', "\r"),
            // A frame on several lines, and all frames on one.
            WALK.replace("1 2 3 10", "1 2 3\n10").replace("40 50 60", "\n40 50\n60"),
            WALK.replace("60\n0 91", "60 0 91"),
            WALK.replace(" 60\n", " 60 7\n").replace(" -170\n", " -170 8\n"),
            WALK.replace("Frames: 2\nFrame Time: 0.05", "Frame Time: 0.05\nFrames: 2\n"),
            WALK.replace('{', "{ ").replace('\t', " "),
            WALK.replace("End Site", "EndSite"),
            WALK.replace("End Site", "End_Site"),
            format!("# A license: {{ }} // by\r\n// of two # lines\n{WALK}"),
            WALK.replace("MOTION", "# motion\nMOTION // 2 # frames")
                .replace("90 0\n", "90 0 # up\n")
                .replace("60\n", "60\n#\n"),
            WALK.replace("Xposition", "Xscale Xposition")
                .replace("1 2 3", "9 1 2 3")
                .replace("0 91", "9 0 91")
                .replace("S 6", "S 7"),
        ] {
            assert_eq!(end(&text), expected, "{text}");
        }
    }

    #[test]
    fn missing_frames_and_values_end_the_motion_with_a_diagnostic() {
        let text = WALK.replace("Frames: 2", "Frames: 9");
        assert_eq!(messages(&text), ["it has 2 of 9 frames; copy or export the file again"]);
        let text = WALK.replace(" -170\n", "\n");
        let found = messages(&text);
        assert!(found[0].starts_with("line 19: frame 1 has 8 numbers for 9 channels"), "{found:?}");
        assert_eq!(import(&text).unwrap().model.clips[0].timelines[0].times_secs(), [0.0]);
        for (frames, lines) in
            [("0 frames", "2 lines of motion beyond that are"), ("1 frame", "1 line of motion beyond that is")]
        {
            let text = WALK.replace("Frames: 2", &format!("Frames: {}", &frames[..1]));
            let found = messages(&text);
            assert!(found[0].starts_with(&format!("it states {frames}; {lines} ignored")), "{found:?}");
            let found = messages(&text.replace("60\n0 91", "60 0 91"));
            assert!(found.len() == 1 && found[0].starts_with(&format!("it states {frames};")), "{found:?}");
        }
        let found = messages(&WALK.replace(" 60\n", " 60 7\n").replace(" -170\n", " -170 8\n"));
        assert!(
            found.len() == 1 && found[0].starts_with("line 18: a frame has 10 numbers for 9 channels"),
            "{found:?}"
        );
        let found = messages(&WALK.replace("0.05", "0,05"));
        assert!(found.len() == 1 && found[0].starts_with("it has decimal commas, such as \"0,05\""), "{found:?}");
        for same in [WALK.to_owned(), WALK.replace('\n', "\r"), format!("{WALK}\u{1a}"), format!("{WALK}\n\n  \n")] {
            assert_eq!(messages(&same), [""; 0], "{same:?}");
        }
        let text = WALK.replace("0.05", "0");
        assert_eq!(import(&text).unwrap().model.clips[0].duration_secs, 1.0 / 30.0);
        assert!(messages(&text)[0].contains("30 frames per second"));
        let skeleton = import(WALK.split("MOTION").next().unwrap()).unwrap().model;
        assert_eq!((skeleton.skeleton.len(), skeleton.clips.len()), (3, 0));
    }

    #[test]
    fn comments_and_scales_leave_names_and_unscaled_joints_as_they_are() {
        let text =
            WALK.replace("Hips", "Bip01 #1 //x").replace("Zrotation Xrotation Yrotation", "Xscale Yscale Zscale");
        let imported = import(&text).unwrap();
        assert_eq!(imported.model.skeleton.joints()[0].name.as_deref(), Some("Bip01 #1 //x"));
        assert!(
            imported.model.clips[0]
                .tracks
                .iter()
                .all(|track| track.joint != JointIndex(0) || matches!(track.keys, KeyValues::Translation(_)))
        );
        assert_eq!(messages(&text), ["its channels of scale, such as Xscale, are left out"]);
        let only_scale = WALK.replace("Yrotation Zrotation Xrotation", "Xscale Yscale Zscale");
        assert_eq!(import(&only_scale).unwrap().model.clips[0].tracks.len(), 2);
    }

    #[test]
    fn positions_that_collapse_the_skeleton_are_added_to_offsets() {
        let file = |frame: &str| {
            let channels = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation";
            format!(
                "HIERARCHY ROOT a{{OFFSET 0 1 0 {channels} JOINT b{{OFFSET 10 -5 0 {channels} JOINT c{{OFFSET 0 -40 0 {channels} End Site{{OFFSET \
                 0 -5 0}}}}}}}}\nMOTION\nFrames: 1\nFrame Time: 0.05\n0 90 0 0 0 0 {frame} 0 0 0 {frame} 0 0 0\n"
            )
        };
        // Near zero, with a small displacement, and as long as OFFSET.
        for (frame, end, is_collapsed) in [
            ("0 0 0", [10.0, 40.0, 0.0], true),
            ("0 0 1", [10.0, 40.0, 2.0], true),
            ("0 -20 0", [0.0, 45.0, 0.0], false),
        ] {
            let text = file(frame);
            let found = posed(&import(&text).unwrap().model, 0.0).model_from_joint(JointIndex(3)).translation;
            assert!((found - Vector3::from(end)).amax() < 1e-5, "{frame}: {found}");
            assert_eq!(messages(&text).iter().any(|message| message.contains("collapse the skeleton")), is_collapsed);
        }
        // The root of motion capture is often at its origin.
        assert_eq!(messages(&WALK.replace("1 2 3 10", "0 0 0 10").replace("0 91 0 0", "0 0 0 0")), [""; 0]);
    }

    #[test]
    fn errors_name_line_and_remedy() {
        for (from, to, expected) in [
            ("-170", "nan", "line 19: \"nan\" in frame 1 is not a number"),
            ("-170", "1e99", "line 19: \"1e99\" in frame 1 is not a number"),
            ("OFFSET 10", "OFFSET ten", "line 7: \"ten\" is not a number"),
            ("Zposition", "Zshear", "line 5: \"Zshear\" is not a channel"),
            ("CHANNELS 3", "CHANNELS 4", "line 9: \"End\" is not a channel"),
            ("CHANNELS 6", "CHANNELS 5", "line 5: \"Yrotation\" is not expected here"),
            ("ROOT Hips\n{", "ROOT Hips\n", "line 4: { is missing after \"Hips\""),
            ("\n}\nMOTION", "\nMOTION", "line 14: \"MOTION\" is not expected here"),
            ("End Site", "Begin Site", "line 9: \"Begin\" is not expected here"),
            ("ROOT", "MOTION", "line 2: it has no joints"),
        ] {
            let text = WALK.replacen(from, to, 1);
            let error = import(&text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}\n{expected}\n{text}");
        }
    }

    #[test]
    fn truncated_files_open_or_give_an_error() {
        for end in 9..WALK.len() {
            match import(&WALK[..end]) {
                Ok(imported) => assert_eq!(imported.model.skeleton.len(), 3, "{end}"),
                Err(error) => assert!(error.to_string().starts_with("line "), "{end}: {error}"),
            }
        }
    }

    #[test]
    fn replaced_bytes_open_or_give_an_error() {
        for at in 9..WALK.len() {
            for byte in "{}\n 9-e.N".chars() {
                let text = format!("{}{byte}{}", &WALK[..at], &WALK[at + 1..]);
                if let Err(error) = import(&text) {
                    assert!(error.to_string().starts_with("line "), "{error}: {text}");
                }
            }
        }
    }

    #[test]
    fn size_is_bounded_by_that_of_the_file_and_by_limits() {
        let depth = 100_000;
        let deep = format!("HIERARCHY ROOT a{{{}{}}}", "JOINT b{".repeat(depth), "}".repeat(depth));
        assert_eq!(import(&deep).unwrap().model.skeleton.len(), depth + 1);
        // Neither counts nor long names multiply.
        let counts = WALK.replace("Frames: 2", "Frames: 1e30").replace("CHANNELS 3", "CHANNELS 1e30");
        assert!(import(&counts).unwrap_err().to_string().contains("is not a channel"));
        let ends = format!("HIERARCHY ROOT {}{{{}}}", "n".repeat(100_000), "End Site{}".repeat(10_000));
        let model = import(&ends).unwrap().model;
        assert!(model.skeleton.joints()[1..].iter().all(|joint| joint.name.as_ref().unwrap().len() == 84));
        // Each channel of one joint gives four numbers, from two bytes.
        let frames = 2000;
        let turns = format!(
            "HIERARCHY ROOT a{{CHANNELS 1 Xrotation}}\nMOTION\nFrames: {frames}\nFrame Time: 1\n{}",
            "0\n".repeat(frames)
        );
        let mut options = ImportOptions::default();
        options.policy.limits.set(Limit::KeyValues, 10);
        let error = from_bytes(turns.as_bytes(), None, &options).unwrap_err();
        assert!(
            error.is_limit() && error.to_string().starts_with("numbers in the keys of 2000 frames: 8000"),
            "{error}"
        );
        // Short lines reserve no keys for the channels of long ones.
        let channels = "CHANNELS 1000".to_owned() + &" Xrotation".repeat(1000);
        let lines = format!(
            "HIERARCHY ROOT a{{{}}}\nMOTION\nFrame Time: 1\n{}",
            format!("JOINT b{{{channels}}}").repeat(20),
            "0\n".repeat(frames)
        );
        assert_eq!(import(&lines).unwrap().model.clips.len(), 0);
        for (limit, value, expected) in
            [(Limit::Elements, 2, "its joints: 3 is more than the 2"), (Limit::Json, 300, "bytes of JSON: ")]
        {
            let mut options = ImportOptions::default();
            options.policy.limits.set(limit, value);
            let error = from_bytes(WALK.as_bytes(), None, &options).unwrap_err();
            assert!(error.is_limit() && error.to_string().starts_with(expected), "{error}");
        }
    }
}
