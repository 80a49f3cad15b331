//! Lints of mechanical motion: parts that turn.

use super::copies::{self, PartMotion};
use super::rest_rig::RestRig;
use crate::issue::Issues;
use crate::loop_seam::{seam_speeds, visible_speed_jump};
use nalgebra::{Matrix3x2, Unit, Vector3, Vector4};
use rigview_core::model::{Clip, Interpolation, JointIndex, KeyValues};
use rigview_core::pose::{MovingPart, PartRotation, moving_parts};
use rigview_core::util::text::fixed;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::f64::consts::{PI, TAU};

/// Angle between two keys whose direction is ambiguous, in radians: half a turn, less the rounding of a quaternion.
const AMBIGUOUS: f64 = 0.98 * PI;
/// Difference of the speeds at both ends of a loop, relative to the mean speed, that is visible as a whole.
const SPEED_JUMP: f64 = 0.5;
/// Step of the speed from one key to the next, relative to the mean speed, that is visible.
const SPEED_STEP: f64 = 0.1;
/// Longest hold that looks like a fault of some frames, in seconds.
const STUTTER_SECS: f64 = 0.25;
/// Part of a step from key to key by which a missing one may differ from it.
const STEP_TOLERANCE: f64 = 0.25;
/// Largest step from frame to frame, in radians.
const MAX_FRAME_STEP: f64 = PI / 3.0;
/// Keys of a clip that has one at each frame.
const MIN_FRAMES: f64 = 8.0;
/// Keys per second of such a clip.
const MIN_FRAME_RATE: f64 = 20.0;
/// Distance of a time from a whole frame by rounding, in frames.
const FRAME_TOLERANCE: f64 = 0.02;
/// Multiple at which frame ranges end, besides whole seconds.
const ROUND_FRAMES: f64 = 50.0;
/// Keys of a rotation that is not sampled.
const FEW_KEYS: usize = 4;
/// Wobble of an axis that is visible, in radians.
const WOBBLE: f64 = 0.05;
/// Smallest swing that shears visibly below a non-uniform scale, in radians.
const SHEARING_SWING: f64 = 0.1;
/// Ratio of two scales that shears visibly.
const SHEARING_RATIO: f64 = 1.02;
/// Part of the size of a mesh by which an axis may pass beside it.
const AXIS_MARGIN: f64 = 0.1;

pub(super) fn check(rig: &RestRig<'_>, issues: &mut Issues) {
    let in_skins: HashSet<JointIndex> = rig.model.skins.iter().flat_map(|skin| skin.joints.iter().copied()).collect();
    let carries = carries_visible(rig);
    let (mut motion, mut fields) = (PartMotion::new(rig), InstanceFields::new(rig));
    for (i, clip) in rig.model.clips.iter().enumerate() {
        let at = format!("/animations/{i}");
        let parts = moving_parts(rig.model, &rig.rest_pose, clip);
        // A clip of one key is a pose.
        let is_still = parts.is_empty() && clip.property_tracks.is_empty();
        if is_still && clip.duration_secs > clip.first_key_secs && !clip.tracks.is_empty() {
            issues.add("RIGVIEW_CLIP_MOVES_NOTHING", &at, format_args!("{}", moves_nothing(rig, clip)));
        }
        let is_invisible = carries.contains(&true) && parts.iter().all(|part| !carries[part.joint.get()]);
        if is_invisible && !parts.is_empty() && clip.property_tracks.is_empty() {
            let moved: Vec<JointIndex> = parts.iter().map(|part| part.joint).collect();
            let names = rig.names(&moved);
            let message = format!(
                "nothing visible moves: no mesh, camera or light is below {}; if it is meant to move one, set it as the parent in Blender (Ctrl P)",
                names
            );
            issues.add("RIGVIEW_CLIP_MOVES_NOTHING", &at, format_args!("{message}"));
        }
        check_rotations(rig, clip, &parts, &at, issues, &in_skins);
        check_lost_turns(rig, clip, &parts, &at, issues, &in_skins);
        fields.check(&parts, &at, issues);
        motion.add(&parts, &in_skins);
    }
    copies::check(rig, &motion, issues);
}

/// `true` for each joint that carries a mesh, a skin's joint, a camera or a light, itself or below it. All are `false` in a file without meshes.
fn carries_visible(rig: &RestRig<'_>) -> Vec<bool> {
    let (model, joints) = (rig.model, rig.skeleton().joints());
    let mut carries = vec![false; joints.len()];
    if rig.mesh_nodes.is_empty() {
        return carries;
    }
    let meshes = rig.mesh_nodes.keys().copied();
    let skins = model.skins.iter().flat_map(|skin| skin.joints.iter().copied());
    let cameras = model.cameras.iter().map(|camera| camera.joint);
    let lights = model.lights.iter().map(|light| light.joint);
    meshes.chain(skins).chain(cameras).chain(lights).for_each(|joint| carries[joint.get()] = true);
    for (i, joint) in joints.iter().enumerate().rev() {
        if let Some(parent) = joint.parent {
            carries[parent.get()] |= carries[i];
        }
    }
    carries
}

fn moves_nothing(rig: &RestRig<'_>, clip: &Clip) -> String {
    let mut joints: Vec<JointIndex> = clip.tracks.iter().map(|track| track.joint).collect();
    joints.dedup();
    format!(
        "nothing moves, because the keys of each track are equal: {}; two keys that are 360 degrees apart are the same rotation in glTF: tick Animation > Sampling Animations in Blender's export",
        rig.names(&joints)
    )
}

/// The lints of rotations; one issue of each code per clip, which names the first parts.
fn check_rotations(
    rig: &RestRig<'_>,
    clip: &Clip,
    parts: &[MovingPart],
    at: &str,
    issues: &mut Issues,
    in_skins: &HashSet<JointIndex>,
) {
    let mut found: BTreeMap<&'static str, Vec<(String, String)>> = BTreeMap::new();
    let rotations = parts.iter().filter_map(|part| Some((part.joint, part.rotation.as_ref()?)));
    for (joint, rotation) in rotations {
        let mut add = |(code, text, remedy): Finding| {
            found.entry(code).or_default().push((format!("{} {text}", rig.name(joint)), remedy.to_owned()));
        };
        if rotation.longest_step > AMBIGUOUS {
            add((
                "RIGVIEW_TURN_AMBIGUOUS",
                format!("turns by {:.0} degrees between two keys", rotation.longest_step.to_degrees()),
                "which way it turns is not defined; set a key at least every 90 degrees, or tick Animation > Sampling Animations in Blender's export",
            ));
        }
        // Those of skins have RIGVIEW_JOINT_NON_UNIFORM_SCALE.
        if let Some(ratio) = shear_ratio(rig, joint, rotation).filter(|_| !in_skins.contains(&joint)) {
            add((
                "RIGVIEW_TURN_SHEARS",
                format!("turns below a scale whose axes differ by a factor of {ratio:.2}"),
                "it is sheared as it turns; apply the scale of its parents in Blender (Ctrl+A, Scale), unless they are animated",
            ));
        }
        // A character that turns is no shaft.
        let is_shaft = rotation.wobble <= WOBBLE;
        if is_shaft {
            missing_frame(rotation).into_iter().for_each(&mut add);
        }
        if rotation.whole_turns().is_none() || (in_skins.contains(&joint) && !is_shaft) {
            continue;
        }
        uneven_loop(rotation, clip).into_iter().for_each(&mut add);
        if is_shaft {
            repeated_frame(rotation, clip).into_iter().for_each(&mut add);
        } else {
            let text = format!("turns about an axis that wobbles by {:.1} degrees", rotation.wobble.to_degrees());
            add(("RIGVIEW_TURN_WOBBLES", text, "if it is a shaft, key the rotation about one axis only"));
        }
        if let Some(distance) = distance_from_axis(rig, joint, rotation) {
            add((
                "RIGVIEW_TURN_ORBITS",
                format!("turns about an axis {distance:.2} m beside its mesh"),
                "if it is meant to turn in place, set its origin in Blender: Object > Set Origin > Origin to Geometry",
            ));
        }
    }
    for (code, texts) in found {
        let (first, remedy) = &texts[0];
        let others = if texts.len() > 1 { format!(", and {} more", texts.len() - 1) } else { String::new() };
        issues.add(code, at, format_args!("{first}{others}; {remedy}"));
    }
}

/// Code, text about the part, and remedy.
type Finding = (&'static str, String, &'static str);

/// Reports a rotation whose speed is uneven in a loop, by the first of these: a hold of some frames, a stop or a step of the speed at the
/// seam, a step anywhere else.
fn uneven_loop(rotation: &PartRotation, clip: &Clip) -> Option<Finding> {
    // A STEP has no speed.
    if rotation.longest_step == 0.0 {
        return None;
    }
    let (mean, held_secs) = (rotation.rpm[1], rotation.held_secs);
    if held_secs > 0.0 && held_secs <= STUTTER_SECS {
        return Some((
            "RIGVIEW_TURN_STUTTERS",
            format!("stands still for {held_secs:.3} s in its turn"),
            "delete the repeated keys, and set the end of the action to its last key",
        ));
    }
    let step = rotation.speed_step.filter(|step| step.size() > SPEED_STEP * mean.abs());
    let is_at_seam = step.is_some_and(|step| step.at_secs >= f64::from(clip.duration_secs));
    let remedy = "if it is meant to turn evenly, select the keys in Blender's Graph Editor and set Interpolation Mode (T) to Linear";
    if held_secs > 0.0 {
        let mean = fixed(mean, 1);
        let text = format!("stands still for {held_secs:.3} s in each loop, and turns with {mean} rpm in the mean");
        return Some(("RIGVIEW_TURN_STOPS_IN_LOOP", text, remedy));
    }
    if let Some(text) = visible_speed_jump(rotation).or_else(|| is_at_seam.then(|| seam_speeds(rotation))) {
        return Some(("RIGVIEW_TURN_STOPS_IN_LOOP", text, remedy));
    }
    step.map(|step| {
        let text = format!(
            "turns with {} rpm before {:.3} s and {} after it, with {} in the mean",
            fixed(step.rpm[0], 1),
            step.at_secs,
            fixed(step.rpm[1], 1),
            fixed(mean, 1)
        );
        ("RIGVIEW_TURN_SPEED_STEP", text, "if it is meant to turn evenly, delete the keys between its first and its last in Blender's Graph Editor, and set Interpolation Mode (T) to Linear")
    })
}

/// Reports an even rotation that ends one key before a whole turn.
fn missing_frame(rotation: &PartRotation) -> Option<Finding> {
    let gap = (rotation.angle / TAU).round() * TAU - rotation.angle;
    let [first, last] = rotation.end_rpm.map(|rpm| rpm * TAU / 60.0);
    let step = (first + last) / 2.0 * rotation.key_secs;
    let is_even = (first - last).abs() < SPEED_JUMP * last.abs();
    let is_one_step = (gap / step - 1.0).abs() < STEP_TOLERANCE && gap.abs() < MAX_FRAME_STEP;
    let is_sampled = rotation.angle.abs() > MIN_FRAMES * step.abs();
    (!rotation.is_closed && is_even && is_one_step && is_sampled).then(|| {
        let text = format!(
            "turns evenly and ends {:.1} degrees before a whole turn, one frame of {:.3} s too early: a loop jumps there",
            gap.abs().to_degrees(),
            rotation.key_secs
        );
        let remedy = "in Blender, set the key of the whole turn one frame after the last frame, and export up to that key";
        ("RIGVIEW_LOOP_FRAME_MISSING", text, remedy)
    })
}

/// Reports a whole turn of keys at each frame that lasts a frame less than a round number of frames: its last frame was meant to be the
/// one before the whole turn.
fn repeated_frame(rotation: &PartRotation, clip: &Clip) -> Option<Finding> {
    let secs = f64::from(clip.duration_secs);
    let frames = (secs / rotation.key_secs).round();
    let rate = (frames / secs).round();
    // Of the frame rates in use, all are whole numbers.
    let is_sampled =
        frames >= MIN_FRAMES && rate >= MIN_FRAME_RATE && (frames / rate - secs).abs() < FRAME_TOLERANCE / rate;
    let is_round = |frames: f64| (frames / rate).fract() == 0.0 || frames % ROUND_FRAMES == 0.0;
    (is_sampled && is_round(frames + 1.0) && !is_round(frames)).then(|| {
        let text = format!(
            "makes its whole turn in {frames} frames ({secs:.3} s), and in {} ({:.3} s) with one more: where first and last frame are both shown, as in Blender, it stands still for a frame",
            frames + 1.0,
            (frames + 1.0) / rate
        );
        ("RIGVIEW_LOOP_FRAME_REPEATED", text, "if it is meant to last one more, move its last key one frame later in Blender (Dope Sheet: G, X, 1)")
    })
}

/// Reports rotations of a few keys that are the same rotation in different numbers, beside others that make whole turns: whole turns
/// between the keys, which a quaternion does not keep.
fn check_lost_turns(
    rig: &RestRig<'_>,
    clip: &Clip,
    parts: &[MovingPart],
    at: &str,
    issues: &mut Issues,
    in_skins: &HashSet<JointIndex>,
) {
    let turns = |part: &MovingPart| part.rotation.as_ref().is_some_and(|rotation| rotation.whole_turns().is_some());
    if !parts.iter().any(turns) {
        return;
    }
    let lost: Vec<JointIndex> = clip
        .tracks
        .iter()
        .filter(|track| track.interpolation != Interpolation::CubicSpline && !in_skins.contains(&track.joint))
        .filter(|track| match &track.keys {
            KeyValues::Rotation(keys) if (2..=FEW_KEYS).contains(&keys.len()) => {
                let is_equal = |key: &Vector4<f32>| keys[0].dot(key).abs() > 1.0 - 1e-6;
                keys.iter().all(is_equal) && keys.iter().any(|key| key != &keys[0])
            }
            _ => false,
        })
        .map(|track| track.joint)
        .collect();
    if !lost.is_empty() {
        let message = format!(
            "keys of the same rotation in different numbers, as 360 degrees between them would give, so that it stands still: {}; tick Animation > Sampling Animations in Blender's export, or set a key at least every 90 degrees",
            rig.names(&lost)
        );
        issues.add("RIGVIEW_TURN_LOST", at, format_args!("{message}"));
    }
}

/// GPU instances (EXT_mesh_gpu_instancing): joints below that of their node.
struct InstanceFields<'a> {
    rig: &'a RestRig<'a>,
    of_joints: HashMap<JointIndex, Vec<JointIndex>>,
}

impl<'a> InstanceFields<'a> {
    fn new(rig: &'a RestRig<'a>) -> Self {
        let mut of_joints: HashMap<JointIndex, Vec<JointIndex>> = HashMap::new();
        for (i, joint) in rig.skeleton().joints().iter().enumerate() {
            if let Some(parent) = joint.parent.filter(|parent| rig.skeleton().joint(*parent).node == joint.node) {
                of_joints.entry(parent).or_default().push(JointIndex(i as u32));
            }
        }
        Self { rig, of_joints }
    }

    /// Reports rotations of instances that are at different distances from the axis. Those of a ring are at one distance. Each node is
    /// measured once, in the first clip that rotates it.
    fn check(&mut self, parts: &[MovingPart], at: &str, issues: &mut Issues) {
        for part in parts {
            let Some(rotation) = &part.rotation else { continue };
            let Some(instances) = self.of_joints.remove(&part.joint) else { continue };
            let axis = rotation.axis_in_joint.into_inner();
            let distance = |joint: &JointIndex| {
                let place = self.rig.skeleton().joint(*joint).rest.translation;
                (place - axis * place.dot(&axis)).norm()
            };
            let ends = |(least, most): (f64, f64), distance: f64| (least.min(distance), most.max(distance));
            let (least, most) = instances.iter().map(distance).fold((f64::INFINITY, 0.0), ends);
            let node = self.rig.mesh_nodes.get(&instances[0]);
            let size = node.map_or(0.0, |node| self.rig.mesh_bounds[node.mesh.get()].diagonal());
            if most > size && most - least > 0.1 * most && rotation.range[1] - rotation.range[0] > SHEARING_SWING {
                let message = format_args!(
                    "{} rotates its {} instances about one axis, up to {most:.2} m away from it, and none about its own origin; in Blender, animate copies that share the mesh (Alt D) instead of instances, or untick Scene Graph > GPU Instances in the export",
                    self.rig.name(part.joint),
                    instances.len()
                );
                issues.add("RIGVIEW_INSTANCES_SWING", at, message);
            }
        }
    }
}

/// Returns the ratio of the scales across the axis of a rotation that its parents have at rest, if it shears.
fn shear_ratio(rig: &RestRig<'_>, joint: JointIndex, rotation: &PartRotation) -> Option<f64> {
    let swing = rotation.range[1] - rotation.range[0];
    let parent = rig.skeleton().joint(joint).parent.filter(|_| swing > SHEARING_SWING)?;
    let linear = rig.model_from_joint(parent).linear;
    let axis = linear.try_inverse()? * rotation.axis_in_model.into_inner();
    let axis = Unit::try_new(axis, 0.0)?;
    let u = axis.cross(&Vector3::ith(axis.iamin(), 1.0)).normalize();
    let across = linear * Matrix3x2::from_columns(&[u, axis.cross(&u)]);
    let scales = (across.transpose() * across).symmetric_eigenvalues().map(|x| x.max(0.0).sqrt());
    let ratio = scales.max() / scales.min();
    (ratio > SHEARING_RATIO && ratio.is_finite()).then_some(ratio)
}

/// Returns the distance in meters from the axis of a rotation to the box of the joint's own mesh, if it passes beside the box.
fn distance_from_axis(rig: &RestRig<'_>, joint: JointIndex, rotation: &PartRotation) -> Option<f64> {
    let node = rig.mesh_nodes.get(&joint).filter(|node| node.skin.is_none())?;
    let bounds = &rig.mesh_bounds[node.mesh.get()];
    let (center, half) = (bounds.center(), bounds.extent() / 2.0);
    let axis = rotation.axis_in_joint.into_inner();
    // The point of the axis nearest to the center.
    let offset = axis * center.dot(&axis) - center;
    let outside = (offset.abs() - half).sup(&Vector3::zeros());
    let is_beside = outside.norm() > AXIS_MARGIN * half.norm();
    is_beside.then(|| (rig.model_from_joint(joint).linear * offset).norm())
}
