//! Text of the rig of a model, and of one of its clips.

use super::DEFAULT_TOLERANCE;
use super::track_text::{ROTATION, TrackLines, WEIGHTS, numbers};
use rigview_core::math::{Aabb, Affine};
use rigview_core::model::{Clip, ClipIndex, Interpolation, KeyValues, Model, Primitive, Skin, Track};
use rigview_core::pose::{Cursor, Pose, sample_tracks};
use rigview_core::util::hash::{FNV_OFFSET_BASIS, fnv1a};
use std::collections::{BTreeMap, HashMap};

/// Maximum number of keys of a clip.
pub const MAX_KEYS: usize = 400_000;
/// Maximum number of values of a clip: morph weights can be many per key.
const MAX_VALUES: usize = 16 << 20;

/// Lines, by the names of the mesh, skin or joint.
type Lines = BTreeMap<[String; 2], String>;

/// Returns the text of meshes, bind matrices and rest pose, sorted by names, so that the order of the file does not matter.
///
/// Matrices are `parent_from_joint` in rows; those of a skin are inverse bind matrices.
pub fn describe_rig(model: &Model) -> String {
    let joints = joint_names(model);
    let sections = [meshes(model, &joints), skins(model, &joints), rest_pose(model, &joints)];
    sections.iter().flat_map(BTreeMap::values).map(|line| format!("{line}\n")).collect()
}

/// Returns the text of a clip: its length, and the values of each track, in a line each, sorted by names.
///
/// `tolerance` is that of [`differences`](super::differences), on which the number of decimals depends. `None` if it has more than
/// [`MAX_KEYS`], or too many morph weights.
///
/// # Panics
/// If the model does not have the clip.
pub fn describe_clip(model: &Model, clip: ClipIndex, tolerance: f64) -> Option<String> {
    let (clip, joints) = (&model.clips[clip.get()], joint_names(model));
    let length = numbers([clip.first_key_secs, clip.duration_secs].map(f64::from).iter());
    let tracks: BTreeMap<[&str; 2], &Track> =
        clip.tracks.iter().map(|track| ([joints[track.joint.get()].as_str(), mode(track)[0]], track)).collect();
    let (mut key_count, mut value_count, mut pose) = (0, 0, Pose::rest(&model.skeleton));
    let mut lines = TrackLines::default();
    for ([joint, property], track) in tracks {
        let times_secs = key_times(clip, track);
        key_count += times_secs.len();
        let width = model.skeleton.joint(track.joint).morph_weights.len().max(3);
        value_count += times_secs.len().saturating_mul(width);
        if key_count > MAX_KEYS || value_count > MAX_VALUES {
            return None;
        }
        // Only this track is sampled, so that the time is linear in the number of keys.
        let (own, mut cursor) = (own_track(clip, track), Cursor::default());
        let at = |time_secs: &f64| {
            sample_tracks(&model.skeleton, &own, *time_secs, &mut cursor, &mut pose);
            values(model, track, &pose)
        };
        let values: Vec<Vec<f64>> = times_secs.iter().map(at).collect();
        let name = format!("joint {joint} {property}");
        lines.add(&name, mode(track)[1], &times_secs, &values, unit(property, &values, tolerance));
    }
    Some(format!("first and last key: {length}\n{}", lines.finish()))
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

/// Vertex count, bounding box and a hash of the weights of each mesh.
fn meshes(model: &Model, joints: &[String]) -> Lines {
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
        ([name, String::new()], text)
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

fn skins(model: &Model, joints: &[String]) -> Lines {
    let names = numbered(model.skins.iter().map(|skin| &skin.name));
    let binds = model.skins.iter().zip(&names).flat_map(|(skin, name)| {
        skin.joints.iter().zip(skin.joint_from_mesh.iter()).map(move |(joint, bind)| {
            let joint = &joints[joint.get()];
            let text = format!("skin {name} joint {joint} inverse bind: {}", matrix(bind));
            ([name.clone(), joint.clone()], text)
        })
    });
    binds.collect()
}

fn rest_pose(model: &Model, joints: &[String]) -> Lines {
    let described = model.skeleton.joints().iter().zip(joints).map(|(joint, name)| {
        let parent = joint.parent.map_or("none", |parent| &joints[parent.get()]);
        let rest = matrix(&joint.matrix_of(&joint.rest));
        let text = format!("joint {name} parent: {parent}\njoint {name} rest: {rest}");
        ([name.clone(), String::new()], text)
    });
    described.collect()
}

/// Property and interpolation of a track.
fn mode(track: &Track) -> [&'static str; 2] {
    let property = match track.keys {
        KeyValues::Translation(_) => "translation",
        KeyValues::Rotation(_) => ROTATION,
        KeyValues::Scale(_) => "scale",
        KeyValues::Weights(_) => WEIGHTS,
    };
    let interpolation = match track.interpolation {
        Interpolation::Step => "step",
        Interpolation::Linear => "linear",
        Interpolation::CubicSpline => "cubic spline",
    };
    [property, interpolation]
}

/// The key times of a track, ascending; with the middle between two keys of a spline, which depends on the tangents.
fn key_times(clip: &Clip, track: &Track) -> Vec<f64> {
    let keys = clip.timelines[track.timeline].times_secs();
    let mut times: Vec<f64> = keys.iter().copied().map(f64::from).collect();
    if track.interpolation == Interpolation::CubicSpline {
        times.extend(keys.windows(2).map(|pair| 0.5 * (f64::from(pair[0]) + f64::from(pair[1]))));
        times.sort_by(f64::total_cmp);
    }
    times
}

/// The values of the property of a track in a pose; a rotation is its axis times its angle in degrees.
fn values(model: &Model, track: &Track, pose: &Pose) -> Vec<f64> {
    let transform = &pose.parent_from_joint[track.joint.get()];
    match track.keys {
        KeyValues::Translation(_) => transform.translation.as_slice().to_vec(),
        KeyValues::Rotation(_) => transform.rotation.scaled_axis().iter().map(|x| x.to_degrees()).collect(),
        KeyValues::Scale(_) => transform.scale.as_slice().to_vec(),
        KeyValues::Weights(_) => {
            pose.morph_weights_of(&model.skeleton, track.joint).iter().copied().map(f64::from).collect()
        }
    }
}

/// The unit of the values of a track: about a digit more than `tolerance`, relative to the largest value.
fn unit(property: &str, values: &[Vec<f64>], tolerance: f64) -> f64 {
    let unit = if tolerance >= DEFAULT_TOLERANCE { 1e-4 } else { 1e-6 };
    if property == ROTATION {
        // Degrees, of which there are 57 in the unit of the tolerance.
        return 10.0 * unit;
    }
    let largest = values.iter().flatten().fold(1.0, |largest: f64, x| largest.max(x.abs()));
    unit * 10_f64.powi((largest.log10() + 1e-9).floor().clamp(0.0, 30.0) as i32)
}

/// A clip of this track only.
fn own_track(clip: &Clip, track: &Track) -> Clip {
    Clip {
        duration_secs: clip.duration_secs,
        first_key_secs: clip.first_key_secs,
        timelines: vec![clip.timelines[track.timeline].clone()],
        tracks: vec![Track { timeline: 0.into(), ..track.clone() }],
        ..Clip::default()
    }
}

/// The three upper rows of a matrix.
fn matrix(matrix: &Affine) -> String {
    let rows =
        (0..3).flat_map(|row| (0..3).map(move |column| matrix.linear[(row, column)]).chain([matrix.translation[row]]));
    numbers(rows.collect::<Vec<_>>().iter())
}
