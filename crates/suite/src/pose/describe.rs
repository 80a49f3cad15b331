//! Text of the poses of a model.

use super::HEADER;
use rigview_core::math::{Aabb, Affine};
use rigview_core::model::{Clip, Interpolation, JointIndex, KeyValues, Model, Primitive, Skin, Track};
use rigview_core::pose::{Cursor, Pose, sample_tracks};
use rigview_core::util::hash::{FNV_OFFSET_BASIS, fnv1a};
use std::collections::{BTreeMap, HashMap};

/// Maximum number of lines of a text.
pub const MAX_LINES: usize = 400_000;

/// Maximum bytes of the text of all clips: morph weights can be many per key.
const MAX_CLIP_BYTES: usize = 128 << 20;

/// A line, with what it is sorted by.
struct Line {
    /// Names of the mesh, skin or clip, and of the joint.
    names: [String; 2],
    time_secs: f64,
    /// The value follows a colon.
    text: String,
}

/// Returns the text, with a line per mesh, bind matrix and joint, and one per key of each joint of each clip. It is sorted by
/// names, so that the order of the file does not matter.
///
/// Matrices are `parent_from_joint` in rows; those of a skin are inverse bind matrices.
///
/// `None` if there are more than [`MAX_LINES`], or too many morph weights.
pub fn describe(model: &Model) -> Option<String> {
    let joints = joint_names(model);
    let mut sections =
        [meshes(model, &joints), skins(model, &joints), rest_pose(model, &joints), clips(model, &joints)?];
    if sections.iter().map(Vec::len).sum::<usize>() > MAX_LINES {
        return None;
    }
    let mut text = format!("{HEADER}\n");
    for section in &mut sections {
        section.sort_by(|a, b| a.names.cmp(&b.names).then(a.time_secs.total_cmp(&b.time_secs)));
        section.iter().for_each(|line| text.extend([line.text.as_str(), "\n"]));
    }
    Some(text)
}

/// The quoted name of each item; with its number if other items have this name.
fn unique_names<'a>(names: impl Iterator<Item = (Option<&'a str>, String)> + Clone) -> Vec<String> {
    let mut counts = HashMap::new();
    names.clone().for_each(|(name, _)| *counts.entry(name).or_insert(0) += 1);
    let unique = |(name, number): (Option<&str>, String)| match name {
        Some(text) if counts[&name] == 1 => format!("{text:?}"),
        Some(text) => format!("{text:?} #{number}"),
        None => format!("#{number}"),
    };
    names.map(unique).collect()
}

/// Numbers are those of the nodes; copies of a node by GPU instancing are numbered, too.
fn joint_names(model: &Model) -> Vec<String> {
    let mut copies = HashMap::new();
    let numbers = model.skeleton.joints().iter().map(|joint| {
        let copy = copies.entry(joint.node).and_modify(|copy| *copy += 1).or_insert(0);
        if *copy == 0 { joint.node.to_string() } else { format!("{}.{copy}", joint.node) }
    });
    let numbers: Vec<String> = numbers.collect();
    unique_names(model.skeleton.joints().iter().map(|joint| joint.name.as_deref()).zip(numbers))
}

fn numbered<'a>(names: impl Iterator<Item = &'a Option<String>> + Clone) -> Vec<String> {
    unique_names(names.enumerate().map(|(index, name)| (name.as_deref(), index.to_string())))
}

fn line(names: [&str; 2], text: String) -> Line {
    Line { names: names.map(str::to_owned), time_secs: 0.0, text }
}

/// Vertex count, bounding box and a hash of the weights of each mesh.
fn meshes(model: &Model, joints: &[String]) -> Vec<Line> {
    let skins = skins_of_meshes(model);
    let named = model.meshes.iter().zip(numbered(model.meshes.iter().map(|mesh| &mesh.name)));
    let described = named.enumerate().map(|(index, (mesh, name))| {
        let (mut bounds, mut vertices, mut weights) = (Aabb::EMPTY, 0, 0_u64);
        for primitive in &mesh.primitives {
            vertices += primitive.vertices.positions.len();
            bounds.merge(&Aabb::from_positions(&primitive.vertices.positions));
            weights = weights.wrapping_add(weights_hash(primitive, skins.get(&index).copied(), joints));
        }
        let bounds = if bounds.is_empty() { String::new() } else { numbers(bounds.min.iter().chain(&bounds.max)) };
        let text = format!(
            "mesh {name} vertices: {vertices}\nmesh {name} bounds: {bounds}\nmesh {name} weights: {weights:016x}"
        );
        line([&name, ""], text)
    });
    described.collect()
}

/// The skin of the first node that shows each mesh.
fn skins_of_meshes(model: &Model) -> HashMap<usize, &Skin> {
    let mut skins = HashMap::new();
    for node in model.scenes.iter().flat_map(|scene| &scene.mesh_nodes) {
        if let Some(skin) = node.skin {
            skins.entry(node.mesh.get()).or_insert(&model.skins[skin.get()]);
        }
    }
    skins
}

/// A hash of positions, joints and weights that does not depend on the order of the vertices.
fn weights_hash(primitive: &Primitive, skin: Option<&Skin>, joints: &[String]) -> u64 {
    let vertices = &primitive.vertices;
    let Some(influences) = &vertices.influences else { return 0 };
    let of_vertex = |(vertex, position): (usize, &[f32; 3])| {
        let mut hash = fnv1a(FNV_OFFSET_BASIS, position.iter().flat_map(|x| (x + 0.0).to_bits().to_le_bytes()));
        let mut used: Vec<_> = influences.of_vertex(vertex).filter(|(_, weight)| *weight > 0.0).collect();
        used.sort_by_key(|(slot, _)| *slot);
        for (slot, weight) in used {
            let joint = skin.and_then(|skin| skin.joints.get(slot.get()));
            let name = joint.map_or_else(|| slot.get().to_string(), |joint| joints[joint.get()].clone());
            hash = fnv1a(fnv1a(hash, name.bytes()), weight.to_bits().to_le_bytes());
        }
        hash
    };
    vertices.positions.iter().enumerate().map(of_vertex).fold(0, u64::wrapping_add)
}

fn skins(model: &Model, joints: &[String]) -> Vec<Line> {
    let names = numbered(model.skins.iter().map(|skin| &skin.name));
    let binds = model.skins.iter().zip(&names).flat_map(|(skin, name)| {
        skin.joints.iter().zip(skin.joint_from_mesh.iter()).map(move |(joint, bind)| {
            let joint = &joints[joint.get()];
            line([name, joint], format!("skin {name} joint {joint} inverse bind: {}", matrix(bind)))
        })
    });
    binds.collect()
}

fn rest_pose(model: &Model, joints: &[String]) -> Vec<Line> {
    let described = model.skeleton.joints().iter().zip(joints).map(|(joint, name)| {
        let parent = joint.parent.map_or("none", |parent| &joints[parent.get()]);
        let rest = matrix(&joint.matrix_of(&joint.rest));
        line([name, ""], format!("joint {name} parent: {parent}\njoint {name} rest: {rest}"))
    });
    described.collect()
}

/// Length of each clip, interpolation of its tracks, and a matrix and morph weights of each animated joint at its key times.
fn clips(model: &Model, joints: &[String]) -> Option<Vec<Line>> {
    let (mut lines, mut bytes, mut pose) = (Vec::new(), 0, Pose::rest(&model.skeleton));
    for (clip, clip_name) in model.clips.iter().zip(numbered(model.clips.iter().map(|clip| &clip.name))) {
        let length = numbers([clip.first_key_secs, clip.duration_secs].map(f64::from).iter());
        lines.push(line([&clip_name, ""], format!("clip {clip_name} first and last key: {length}")));
        let mut by_joint: BTreeMap<JointIndex, Vec<&Track>> = BTreeMap::new();
        clip.tracks.iter().for_each(|track| by_joint.entry(track.joint).or_default().push(track));
        for (joint, tracks) in by_joint {
            let name = &joints[joint.get()];
            let key = format!("clip {clip_name} joint {name}");
            let modes: Vec<String> = tracks.iter().map(|track| mode(track)).collect();
            lines.push(line([&clip_name, name], format!("{key} tracks: {}", modes.join(", "))));
            let times = key_times(clip, &tracks);
            if lines.len() + times.len() > MAX_LINES {
                return None;
            }
            // Only the tracks of one joint are sampled, so that the time is linear in the number of keys.
            let own = own_tracks(clip, &tracks);
            let has_weights = tracks.iter().any(|track| matches!(track.keys, KeyValues::Weights(_)));
            let mut cursor = Cursor::default();
            for time_secs in times {
                sample_tracks(&model.skeleton, &own, time_secs, &mut cursor, &mut pose);
                let key = format!("{key} at {} s", number(time_secs));
                let local = model.skeleton.joint(joint).matrix_of(&pose.parent_from_joint[joint.get()]);
                let mut text = format!("{key}: {}", matrix(&local));
                if has_weights {
                    let weights = pose.morph_weights_of(&model.skeleton, joint).iter().copied().map(f64::from);
                    text += &format!("\n{key} morph weights: {}", numbers(weights.collect::<Vec<_>>().iter()));
                }
                bytes += text.len();
                if bytes > MAX_CLIP_BYTES {
                    return None;
                }
                lines.push(Line { time_secs, ..line([&clip_name, name], text) });
            }
        }
    }
    Some(lines)
}

/// Property and interpolation of a track.
fn mode(track: &Track) -> String {
    let property = match track.keys {
        KeyValues::Translation(_) => "translation",
        KeyValues::Rotation(_) => "rotation",
        KeyValues::Scale(_) => "scale",
        KeyValues::Weights(_) => "weights",
    };
    let interpolation = match track.interpolation {
        Interpolation::Step => "step",
        Interpolation::Linear => "linear",
        Interpolation::CubicSpline => "cubic spline",
    };
    format!("{property} {interpolation}")
}

/// The key times of tracks, ascending; with the middle between two keys of a spline, which depends on the tangents.
fn key_times(clip: &Clip, tracks: &[&Track]) -> Vec<f64> {
    let mut times = Vec::new();
    for track in tracks {
        let keys = clip.timelines[track.timeline].times_secs();
        times.extend(keys.iter().copied().map(f64::from));
        if track.interpolation == Interpolation::CubicSpline {
            times.extend(keys.windows(2).map(|pair| 0.5 * (f64::from(pair[0]) + f64::from(pair[1]))));
        }
    }
    times.sort_by(f64::total_cmp);
    // Times that are equal in the text would be two lines with one name.
    times.dedup_by_key(|time| number(*time));
    times
}

/// A clip of these tracks only.
fn own_tracks(clip: &Clip, tracks: &[&Track]) -> Clip {
    let mut own = Clip { duration_secs: clip.duration_secs, first_key_secs: clip.first_key_secs, ..Clip::default() };
    for (timeline, track) in tracks.iter().enumerate() {
        own.timelines.push(clip.timelines[track.timeline].clone());
        own.tracks.push(Track { timeline, ..(*track).clone() });
    }
    own
}

/// The three upper rows of a matrix.
fn matrix(matrix: &Affine) -> String {
    let rows =
        (0..3).flat_map(|row| (0..3).map(move |column| matrix.linear[(row, column)]).chain([matrix.translation[row]]));
    numbers(rows.collect::<Vec<_>>().iter())
}

fn numbers<'a>(numbers: impl Iterator<Item = &'a f64>) -> String {
    numbers.map(|x| number(*x)).collect::<Vec<_>>().join(" ")
}

/// A number with at most six decimals.
fn number(x: f64) -> String {
    let text = format!("{x:.6}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "-0" => "0".to_owned(),
        text => text.to_owned(),
    }
}
