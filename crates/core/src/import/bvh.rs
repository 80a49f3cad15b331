//! BVH motion capture files: conversion to glTF.
//!
//! Each joint becomes a node without a mesh, each End Site a node that ends in `_end`, and the motion one animation with a key
//! at every frame. Position channels replace OFFSET, as in Blender. Lengths keep their unit, which is usually the centimeter.

use super::diagnostics::Diagnostics;
use super::error::ImportError;
use super::json::BYTE_ORDER_MARK;
use super::limits::{Limit, Limits};
use crate::gltf_format::glb;
use crate::util::text::quoted;
use nalgebra::{UnitQuaternion, Vector3};
use serde_json::{Value, json};

/// Time of a frame in seconds, if that in the file is unusable.
const DEFAULT_FRAME_SECS: f64 = 1.0 / 30.0;

/// Shortest time of a frame in seconds: shorter ones round to equal key times.
const MIN_FRAME_SECS: f64 = 1e-4;

/// One number of each frame.
#[derive(Clone, Copy)]
enum Channel {
    /// Position along an axis.
    Position(usize),
    /// Rotation about an axis, in degrees.
    Rotation(usize),
}

impl Channel {
    fn parse(word: &str) -> Option<Self> {
        let axis = "xyz".find(word.get(..1)?.to_ascii_lowercase().as_str())?;
        match &word[1..] {
            kind if kind.eq_ignore_ascii_case("position") => Some(Self::Position(axis)),
            kind if kind.eq_ignore_ascii_case("rotation") => Some(Self::Rotation(axis)),
            _ => None,
        }
    }
}

/// Joint or End Site.
struct BvhJoint {
    name: String,
    children: Vec<usize>,
    offset: Vector3<f64>,
    channels: Vec<Channel>,
    /// Values of all frames.
    translations: Vec<f32>,
    rotations: Vec<f32>,
}

impl BvhJoint {
    /// Adds a key from the numbers of a frame. Rotations apply in the order of their channels, the first one outermost.
    fn add_key(&mut self, numbers: &[f64]) {
        let (mut position, mut rotation) = (self.offset, UnitQuaternion::identity());
        let (mut moves, mut rotates) = (false, false);
        for (channel, number) in self.channels.iter().zip(numbers) {
            match channel {
                Channel::Position(axis) => (position[*axis], moves) = (*number, true),
                Channel::Rotation(axis) => {
                    let axis = Vector3::ith_axis(*axis);
                    rotation *= UnitQuaternion::from_axis_angle(&axis, number.to_radians());
                    rotates = true;
                }
            }
        }
        if moves {
            self.translations.extend(position.map(|x| x as f32).iter());
        }
        if rotates {
            self.rotations.extend(rotation.coords.map(|x| x as f32).iter());
        }
    }
}

/// Returns `true` if the file begins like BVH.
pub fn is_bvh(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes).trim_ascii_start();
    text.get(..9).is_some_and(|word| word.eq_ignore_ascii_case(b"HIERARCHY"))
}

/// Converts a BVH file to a GLB container. Time and memory are linear in its length.
pub(super) fn to_glb(bytes: &[u8], limits: &Limits, diagnostics: &mut Diagnostics) -> Result<Vec<u8>, ImportError> {
    let text = String::from_utf8_lossy(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes));
    let mut words = Words::new(&text);
    words.next();
    let (mut joints, roots) = read_hierarchy(&mut words)?;
    let (frame_secs, frames) = read_motion(words, &mut joints, limits, diagnostics)?;
    write_glb(&joints, &roots, frame_secs, frames)
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

fn number(word: &str) -> Option<f64> {
    word.parse().ok().filter(|number: &f64| (*number as f32).is_finite())
}

/// Reads the joints up to MOTION or the end. Returns them, parents first, and the indices of the roots.
fn read_hierarchy(words: &mut Words) -> Result<(Vec<BvhJoint>, Vec<usize>), ImportError> {
    let (mut joints, mut roots, mut open) = (Vec::<BvhJoint>::new(), Vec::new(), Vec::<usize>::new());
    loop {
        let word = words.next();
        let keyword = word.to_ascii_uppercase();
        match (&keyword[..], open.last().copied()) {
            ("MOTION" | "", None) => break,
            ("ROOT", None) | ("JOINT" | "END", Some(_)) => {
                let rest = words.rest_of_line();
                let parent = open.last().copied();
                let name = match parent {
                    // Many End Sites of a joint with a long name would need quadratic memory.
                    Some(parent) if keyword == "END" => {
                        joints[parent].name.chars().take(80).chain("_end".chars()).collect()
                    }
                    _ => rest.to_owned(),
                };
                if words.next() != "{" {
                    return Err(words.error(format!("{{ is missing after {}", quoted(&name))));
                }
                match parent {
                    Some(parent) => {
                        let index = joints.len();
                        joints[parent].children.push(index);
                    }
                    None => roots.push(joints.len()),
                }
                open.push(joints.len());
                joints.push(BvhJoint {
                    name,
                    children: Vec::new(),
                    offset: Vector3::zeros(),
                    channels: Vec::new(),
                    translations: Vec::new(),
                    rotations: Vec::new(),
                });
            }
            ("}", Some(_)) => drop(open.pop()),
            ("OFFSET", Some(joint)) => {
                for axis in 0..3 {
                    joints[joint].offset[axis] = words.number()?;
                }
            }
            ("CHANNELS", Some(joint)) => {
                let count = words.number()?;
                // One by one: the count comes from the file.
                while (joints[joint].channels.len() as f64) < count {
                    let word = words.next();
                    let channel = Channel::parse(word).ok_or_else(|| {
                        words.error(format!(
                            "{} is not a channel, such as Xposition or Zrotation; export the file again",
                            quoted(word)
                        ))
                    })?;
                    joints[joint].channels.push(channel);
                }
            }
            ("", _) => return Err(words.error("the file ends within its hierarchy; copy or export it again")),
            _ => return Err(words.error(format!("{} is not expected here; export the file again", quoted(word)))),
        }
    }
    if joints.is_empty() {
        return Err(words.error("it has no joints; export the file again, with the skeleton"));
    }
    Ok((joints, roots))
}

/// Reads the frames into the joints. Returns the time per frame and the number of frames.
fn read_motion(
    mut words: Words,
    joints: &mut [BvhJoint],
    limits: &Limits,
    diagnostics: &mut Diagnostics,
) -> Result<(f64, usize), ImportError> {
    let channel_count: usize = joints.iter().map(|joint| joint.channels.len()).sum();
    let mut stated = None;
    let mut frame_secs = None;
    // The header: `Frames: N` and `Frame Time: SECONDS`, in any order.
    loop {
        let mut next = words;
        let key = next.next().to_ascii_lowercase();
        if !key.starts_with("frame") {
            break;
        }
        let rest = next.rest_of_line();
        let value = [&key[..], rest].concat();
        let value = number(value.rsplit([':', ' ', '\t']).next().unwrap_or_default());
        if rest.to_ascii_lowercase().starts_with("time") {
            frame_secs = value
        } else {
            stated = value
        }
        words = next;
    }
    let frame_secs = frame_secs.filter(|secs| *secs >= MIN_FRAME_SECS).unwrap_or_else(|| {
        diagnostics.push("", "its frame time is missing or too short; 30 frames per second are assumed");
        DEFAULT_FRAME_SECS
    });
    let max_frames = stated.unwrap_or(f64::INFINITY);
    let (mut frames, mut numbers) = (0, Vec::with_capacity(channel_count.min(words.rest.len())));
    let mut lines = words.rest.split('\n').zip(words.line..).filter(|(line, _)| !line.trim().is_empty());
    while channel_count > 0 && (frames as f64) < max_frames {
        let Some((line, line_number)) = lines.next() else { break };
        numbers.clear();
        for word in line.split_whitespace() {
            numbers.push(number(word).ok_or_else(|| {
                let problem = format!("{} in frame {frames} is not a number; export the file again", quoted(word));
                ImportError::Bvh { line: line_number, problem }
            })?);
        }
        if numbers.len() != channel_count {
            let message = format!(
                "line {line_number}: frame {frames} has {} numbers for {channel_count} channels; the motion ends before \
                 it; copy or export the file again",
                numbers.len()
            );
            diagnostics.push("", message);
            break;
        }
        let mut key_bytes = 0;
        let mut rest = &numbers[..];
        for joint in &mut *joints {
            let (own, others) = rest.split_at(joint.channels.len());
            joint.add_key(own);
            rest = others;
            key_bytes += 4 * (joint.translations.len() + joint.rotations.len()) as u64;
        }
        frames += 1;
        let max = limits.get(Limit::Decompressed);
        if key_bytes > max {
            let what = format!("bytes of the keys of {frames} frames");
            return Err(ImportError::Limit {
                pointer: String::new(),
                what,
                count: key_bytes,
                limit: Limit::Decompressed,
                max,
            });
        }
    }
    if let Some(stated) = stated
        && channel_count > 0
        && (frames as f64) < stated
    {
        diagnostics.push("", format!("it has {frames} of {stated} frames; copy or export the file again"));
    }
    Ok((frame_secs, frames))
}

fn write_glb(joints: &[BvhJoint], roots: &[usize], frame_secs: f64, frames: usize) -> Result<Vec<u8>, ImportError> {
    let (mut bin, mut views, mut accessors) = (Vec::new(), Vec::new(), Vec::new());
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut add = |values: &[f32], kind: &str, components: usize| {
        views.push(json!({ "buffer": 0, "byteOffset": bin.len(), "byteLength": 4 * values.len() }));
        bin.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        let count = values.len() / components;
        accessors.push(json!({ "bufferView": accessors.len(), "componentType": 5126, "count": count, "type": kind }));
        accessors.len() - 1
    };
    if frames > 0 {
        let times: Vec<f32> = (0..frames).map(|frame| (frame as f64 * frame_secs) as f32).collect();
        let input = add(&times, "SCALAR", 1);
        for (node, joint) in joints.iter().enumerate() {
            let tracks = [("translation", &joint.translations, "VEC3", 3), ("rotation", &joint.rotations, "VEC4", 4)];
            for (path, values, kind, components) in tracks {
                if !values.is_empty() {
                    channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
                    samplers.push(json!({ "input": input, "output": add(values, kind, components) }));
                }
            }
        }
        accessors[input]["min"] = json!([f64::from(times[0])]);
        accessors[input]["max"] = json!([f64::from(times[frames - 1])]);
    }
    let node = |joint: &BvhJoint| {
        let mut node = json!({ "translation": joint.offset.as_slice() });
        if !joint.name.is_empty() {
            node["name"] = joint.name.as_str().into();
        }
        if !joint.children.is_empty() {
            node["children"] = joint.children.as_slice().into();
        }
        node
    };
    let mut root = json!({
        "asset": { "version": "2.0", "generator": "BVH" },
        "scene": 0,
        "scenes": [{ "nodes": roots }],
        "nodes": joints.iter().map(node).collect::<Vec<Value>>(),
    });
    if frames > 0 {
        root["buffers"] = json!([{ "byteLength": bin.len() }]);
        root["bufferViews"] = views.into();
        root["accessors"] = accessors.into();
        root["animations"] = json!([{ "samplers": samplers, "channels": channels }]);
    }
    glb::write(&root, bin).ok_or_else(|| ImportError::Bvh {
        line: 1,
        problem: "the motion exceeds 4 GiB as glTF; cut it into several files".into(),
    })
}

#[cfg(test)]
mod tests {
    use crate::import::{ImportError, ImportOptions, Imported, Limit, from_bytes};
    use crate::model::{ClipIndex, JointIndex, Model};
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
            WALK.replace("Frames: 2\nFrame Time: 0.05", "Frame Time: 0.05\nFrames: 2\n"),
            WALK.replace('{', "{ ").replace('\t', " "),
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
        let text = WALK.replace("0.05", "0");
        assert_eq!(import(&text).unwrap().model.clips[0].duration_secs, 1.0 / 30.0);
        assert!(messages(&text)[0].contains("30 frames per second"));
        let skeleton = import(WALK.split("MOTION").next().unwrap()).unwrap().model;
        assert_eq!((skeleton.skeleton.len(), skeleton.clips.len()), (3, 0));
    }

    #[test]
    fn errors_name_line_and_remedy() {
        for (from, to, expected) in [
            ("-170", "nan", "line 19: \"nan\" in frame 1 is not a number"),
            ("-170", "1e99", "line 19: \"1e99\" in frame 1 is not a number"),
            ("OFFSET 10", "OFFSET ten", "line 7: \"ten\" is not a number"),
            ("Zposition", "Zscale", "line 5: \"Zscale\" is not a channel"),
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
        let mut options = ImportOptions::default();
        options.policy.limits.set(Limit::Decompressed, 60);
        let error = from_bytes(WALK.as_bytes(), None, &options).unwrap_err();
        assert!(error.is_limit() && error.to_string().contains("keys of 2 frames"), "{error}");
    }
}
