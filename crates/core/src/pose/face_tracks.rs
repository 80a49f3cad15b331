//! Expressions and gaze of VRM animations, as tracks of an avatar.

use super::sample::{track_rotation, track_translation};
use crate::math::Transform;
use crate::model::{
    Clip, Expression, ExpressionGroup, ExpressionIndex, ExpressionOverride, FaceDriver, FaceJoint, Gaze, GazeKind,
    GazeRange, HumanBoneJoint, Interpolation, JointIndex, KeyValues, MaterialChange, Model, PropertyTarget,
    PropertyTrack, Timeline, TimelineIndex, Track,
};
use nalgebra::{UnitQuaternion, Vector3, Vector4};
use std::collections::{BTreeSet, HashSet};

/// Longest time between sampled keys in seconds.
const MAX_KEY_SECS: f64 = 1.0 / 30.0;

/// Largest number of keys of a track.
const MAX_KEYS: usize = 20_000;

/// Largest number of weights and other changes over the keys of a clip, which bounds time and memory.
const MAX_CHANGES: usize = 20_000_000;

/// Conversion of the tracks of [`Model::face_joints`] to tracks of an avatar.
///
/// Expressions are combined by the rules of [`Expression::combined_weights`] and [`Expression::combined_materials`]. The gaze rotates
/// the eyes or drives the expressions `lookUp` to `lookRight`. The result has the keys of the source where it is linear between them.
/// Elsewhere (splines, the gaze, overrides that blend) it has 30 keys per second, and a pair of keys where a value jumps.
pub(crate) struct FaceTracks<'a> {
    target: &'a Model,
    /// The joint of the source that drives each expression, as a pair with the index of the expression.
    expressions: Vec<(JointIndex, ExpressionIndex)>,
    gaze: Option<(JointIndex, &'a Gaze)>,
    eyes: Vec<Eye>,
    /// The expressions `lookLeft`, `lookRight`, `lookDown` and `lookUp`.
    look_expressions: [Option<ExpressionIndex>; 4],
    /// Expressions of the source that the target lacks, sorted.
    pub(crate) missing: Vec<String>,
    /// Expressions of the target that change nothing that can be drawn, sorted.
    pub(crate) without_effect: Vec<String>,
    /// `true` if the source has a gaze and the target has neither eyes nor expressions for it.
    pub(crate) lacks_gaze: bool,
}

/// An eye of an avatar whose gaze rotates bones.
struct Eye {
    joint: JointIndex,
    is_left: bool,
    rest: Transform,
    /// Rotation of the parent at rest.
    model_from_parent: UnitQuaternion<f64>,
}

/// The tracks of one clip.
struct Drivers<'a> {
    clip: &'a Clip,
    expressions: Vec<(&'a Track, ExpressionIndex)>,
    gaze: Option<&'a Track>,
}

impl<'a> FaceTracks<'a> {
    /// Finds the expressions and eyes of `target` that the clips of `source` animate.
    pub(crate) fn new(source: &Model, target: &'a Model) -> Self {
        let animated: HashSet<JointIndex> =
            source.clips.iter().flat_map(|clip| &clip.tracks).map(|track| track.joint).collect();
        let mut tracks = Self {
            target,
            expressions: Vec::new(),
            gaze: None,
            eyes: Vec::new(),
            look_expressions: ["lookLeft", "lookRight", "lookDown", "lookUp"].map(|name| target.find_expression(name)),
            missing: Vec::new(),
            without_effect: Vec::new(),
            lacks_gaze: false,
        };
        for FaceJoint { joint, driver } in source.face_joints.iter().filter(|face| animated.contains(&face.joint)) {
            match driver {
                FaceDriver::Expression(name) => match target.find_expression(name) {
                    Some(index) if tracks.expressions.iter().any(|(_, other)| *other == index) => {}
                    Some(index) => {
                        tracks.expressions.push((*joint, index));
                        let expression = &target.expressions[index];
                        // Such as the preset `neutral`, which often does nothing but suppress others.
                        let suppresses = expression.overrides != [ExpressionOverride::None; 3];
                        if !expression.has_effect() && !suppresses {
                            tracks.without_effect.push(expression.label());
                        }
                    }
                    None => tracks.missing.push(name.clone()),
                },
                FaceDriver::Gaze => tracks.gaze = target.gaze.as_ref().map(|gaze| (*joint, gaze)),
            }
        }
        tracks.missing.sort();
        tracks.without_effect.sort();
        if tracks.gaze.is_some_and(|(_, gaze)| gaze.kind == GazeKind::Bones) {
            tracks.eyes = eyes(target);
        }
        let has_gaze = |face: &FaceJoint| face.driver == FaceDriver::Gaze && animated.contains(&face.joint);
        let can_look = match tracks.gaze {
            Some((_, gaze)) if gaze.kind == GazeKind::Bones => !tracks.eyes.is_empty(),
            Some(_) => tracks.look_expressions.iter().any(Option::is_some),
            None => false,
        };
        tracks.lacks_gaze = source.face_joints.iter().any(has_gaze) && !can_look;
        tracks
    }

    /// Adds the tracks of `clip`, a clip of the source, to `result`. Replaces tracks of the same joints and properties.
    pub(crate) fn add(&self, clip: &Clip, result: &mut Clip) {
        let find = |joint: JointIndex, is_kind: fn(&KeyValues) -> bool| {
            clip.tracks.iter().find(|track| track.joint == joint && is_kind(&track.keys))
        };
        let value_track = |(joint, index): &(JointIndex, ExpressionIndex)| {
            Some((find(*joint, |keys| matches!(keys, KeyValues::Translation(_)))?, *index))
        };
        let drivers = Drivers {
            clip,
            expressions: self.expressions.iter().filter_map(value_track).collect(),
            gaze: self.gaze.and_then(|(joint, _)| find(joint, |keys| matches!(keys, KeyValues::Rotation(_)))),
        };
        if drivers.expressions.is_empty() && drivers.gaze.is_none() {
            return;
        }
        let targets = self.targets(&drivers);
        let (times, interpolation) = self.key_times(&drivers, MAX_KEYS.min(MAX_CHANGES / targets.cost.max(1)).max(2));
        let keys = self.sample(&drivers, &targets, &times);
        let timeline = TimelineIndex(result.timelines.len() as u32);
        result.timelines.push(Timeline::new(times));
        let kind = |keys: &KeyValues| std::mem::discriminant(keys);
        let mut tracks = Vec::new();
        for (joint, values) in targets.joints.into_iter().zip(keys.weights) {
            tracks.push(Track { joint, timeline, interpolation, keys: KeyValues::Weights(values.into()) });
        }
        for (eye, values) in self.eyes.iter().zip(keys.eyes).filter(|_| drivers.gaze.is_some()) {
            tracks.push(Track { joint: eye.joint, timeline, interpolation, keys: KeyValues::Rotation(values.into()) });
        }
        result
            .tracks
            .retain(|old| !tracks.iter().any(|new| new.joint == old.joint && kind(&new.keys) == kind(&old.keys)));
        result.tracks.extend(tracks);
        let property = |(change, values): (MaterialChange, Vec<f32>)| PropertyTrack {
            target: PropertyTarget::Material(change.material, change.property),
            timeline,
            interpolation,
            values: values.into(),
        };
        let properties: Vec<PropertyTrack> = targets.materials.into_iter().zip(keys.materials).map(property).collect();
        result.property_tracks.retain(|old| !properties.iter().any(|new| new.target == old.target));
        result.property_tracks.extend(properties);
        // A clip that moves nothing else begins with its face.
        let first = result.timelines.iter().map(|timeline| timeline.times_secs()[0]).reduce(f32::min);
        result.first_key_secs = first.unwrap_or(result.first_key_secs);
    }

    /// Returns the joints and materials that the expressions of `drivers` change.
    fn targets(&self, drivers: &Drivers<'_>) -> Targets {
        let all = &self.target.expressions;
        let looks = self.look_expressions.iter().flatten().filter(|_| drivers.gaze.is_some() && self.eyes.is_empty());
        let values: Vec<(ExpressionIndex, f32)> =
            drivers.expressions.iter().map(|(_, index)| index).chain(looks).map(|index| (*index, 0.0)).collect();
        let weights = Expression::combined_weights(all, &values);
        let skeleton = &self.target.skeleton;
        let mut owner = vec![None; skeleton.rest_morph_weights().len()];
        for (i, joint) in skeleton.joints().iter().enumerate() {
            // GPU instances share the weights of their parent.
            if owner.get(joint.morph_weights.start) == Some(&None) {
                owner[joint.morph_weights.clone()].fill(Some(JointIndex(i as u32)));
            }
        }
        let joints: BTreeSet<JointIndex> = weights.iter().filter_map(|(weight, _)| owner[*weight]).collect();
        let materials = Expression::combined_materials(all, &values);
        let binds = values.iter().map(|(index, _)| &all[*index]).map(|it| it.morph_weights.len() + it.materials.len());
        let widths = joints.iter().map(|joint| skeleton.joint(*joint).morph_weights.len());
        let cost = binds.sum::<usize>() + widths.sum::<usize>() + values.len();
        Targets { joints: joints.into_iter().collect(), materials, cost }
    }

    /// Returns the values of all driven expressions, and pitch and yaw of the gaze in radians.
    fn values(&self, drivers: &Drivers<'_>, time_secs: f64) -> (Vec<(ExpressionIndex, f32)>, [f64; 2]) {
        let value = |(track, index): &(&Track, ExpressionIndex)| {
            (*index, track_translation(drivers.clip, track, time_secs).map_or(0.0, |translation| translation.x as f32))
        };
        let mut values: Vec<(ExpressionIndex, f32)> = drivers.expressions.iter().map(value).collect();
        let rotation = drivers.gaze.and_then(|track| track_rotation(drivers.clip, track, time_secs));
        let (Some(rotation), Some((_, gaze))) = (rotation, self.gaze) else { return (values, [0.0; 2]) };
        let forward = rotation * Vector3::z();
        // Positive to the left and downward.
        let yaw = libm::atan2(forward.x, forward.z);
        let pitch = -libm::asin(forward.y.clamp(-1.0, 1.0));
        if gaze.kind == GazeKind::Expressions {
            let outputs = [(yaw, &gaze.outer), (-yaw, &gaze.outer), (pitch, &gaze.down), (-pitch, &gaze.up)];
            for (index, (angle, range)) in self.look_expressions.iter().zip(outputs) {
                // A track of the expression itself takes precedence.
                if let Some(index) = index.filter(|index| !values.iter().any(|(other, _)| other == index)) {
                    values.push((index, range.output(angle.to_degrees().max(0.0)) as f32));
                }
            }
        }
        (values, [pitch, yaw])
    }

    fn sample(&self, drivers: &Drivers<'_>, targets: &Targets, times: &[f32]) -> Keys {
        let (all, skeleton) = (&self.target.expressions, &self.target.skeleton);
        let mut keys = Keys {
            weights: vec![Vec::new(); targets.joints.len()],
            materials: vec![Vec::new(); targets.materials.len()],
            eyes: vec![Vec::new(); self.eyes.len()],
        };
        let base: Vec<Vec<f32>> = targets.materials.iter().map(|change| self.material_value(change)).collect();
        let mut weights = skeleton.rest_morph_weights().to_vec();
        for time in times {
            let (values, angles) = self.values(drivers, f64::from(*time));
            for (index, weight) in Expression::combined_weights(all, &values) {
                weights[index] = weight;
            }
            for (joint, keys) in targets.joints.iter().zip(&mut keys.weights) {
                keys.extend(&weights[skeleton.joint(*joint).morph_weights.clone()]);
            }
            let changes = Expression::combined_materials(all, &values);
            for ((base, keys), change) in base.iter().zip(&mut keys.materials).zip(&changes) {
                keys.extend(base.iter().zip(change.difference).map(|(base, difference)| base + difference));
            }
            let suppression = Expression::suppression(all, &values)[ExpressionGroup::LookAt as usize];
            let angles = angles.map(|angle| angle * (1.0 - f64::from(suppression)));
            for (eye, keys) in self.eyes.iter().zip(&mut keys.eyes) {
                keys.push(self.eye_rotation(eye, angles));
            }
        }
        keys
    }

    fn material_value(&self, change: &MaterialChange) -> Vec<f32> {
        let mut material = self.target.materials[change.material.get()].clone();
        material.property_mut(change.property).map(|value| value.to_vec()).unwrap_or_default()
    }

    /// Returns the local rotation of an eye that looks downward by `pitch` and to the left by `yaw`.
    fn eye_rotation(&self, eye: &Eye, [pitch, yaw]: [f64; 2]) -> Vector4<f32> {
        let Some((_, gaze)) = self.gaze else { return eye.rest.rotation.coords.cast() };
        let horizontal = if (yaw > 0.0) == eye.is_left { &gaze.outer } else { &gaze.inner };
        let vertical = if pitch > 0.0 { &gaze.down } else { &gaze.up };
        let mapped =
            |angle: f64, range: &GazeRange| range.output(angle.abs().to_degrees()).to_radians().copysign(angle);
        let front = self.target.front();
        // From the left hand of the body to the right one, so that positive angles look down.
        let right_to_left = Vector3::y_axis().cross(&front);
        let axis = nalgebra::Unit::new_normalize(right_to_left);
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), mapped(yaw, horizontal))
            * UnitQuaternion::from_axis_angle(&axis, mapped(pitch, vertical));
        let in_parent = eye.model_from_parent.inverse() * turn * eye.model_from_parent;
        (in_parent * eye.rest.rotation).coords.cast()
    }

    /// Returns at most `max_keys` times of keys, and their interpolation.
    fn key_times(&self, drivers: &Drivers<'_>, max_keys: usize) -> (Vec<f32>, Interpolation) {
        let tracks: Vec<&Track> = drivers.expressions.iter().map(|(track, _)| *track).chain(drivers.gaze).collect();
        let times_of = |track: &Track| drivers.clip.timelines[track.timeline].times_secs();
        let is_step = |track: &&Track| track.interpolation == Interpolation::Step;
        let total: usize = tracks.iter().map(|track| times_of(track).len()).sum();
        let mut times: Vec<f32> = match total <= max_keys {
            true => tracks.iter().flat_map(|track| times_of(track)).copied().collect(),
            false => tracks.iter().filter_map(|track| times_of(track).first()).copied().collect(),
        };
        let last = tracks.iter().filter_map(|track| times_of(track).last()).copied().fold(0.0, f32::max);
        times.push(last);
        if tracks.iter().all(is_step) && total <= max_keys {
            return (sorted(times), Interpolation::Step);
        }
        let mut is_curved = total > max_keys || drivers.gaze.is_some();
        for track in tracks.iter().filter(|track| is_step(track)) {
            times.extend(times_of(track).iter().skip(1).map(|time| time.next_down()).filter(|time| *time > 0.0));
        }
        for (track, index) in &drivers.expressions {
            let expression = &self.target.expressions[*index];
            let has = |kind: ExpressionOverride| expression.overrides.contains(&kind);
            is_curved |= track.interpolation == Interpolation::CubicSpline;
            is_curved |= has(ExpressionOverride::Blend) && drivers.expressions.len() > 1;
            if track.interpolation != Interpolation::Linear {
                continue;
            }
            for pair in times_of(track).windows(2).take(max_keys) {
                let [a, b] = [pair[0], pair[1]].map(|time| {
                    track_translation(drivers.clip, track, f64::from(time)).map_or(0.0, |translation| translation.x)
                });
                // Where the output jumps, or is clamped.
                let jumps = [(0.5, expression.is_binary), (0.0, has(ExpressionOverride::Block))];
                let clamps = [0.0, 1.0].map(|level| (level, a.min(b) < level && a.max(b) > level));
                for (level, _) in jumps.into_iter().chain(clamps).filter(|(_, matters)| *matters) {
                    if (a > level) != (b > level) {
                        let at = f64::from(pair[0]) + f64::from(pair[1] - pair[0]) * (level - a) / (b - a);
                        let at = (at as f32).clamp(pair[0], pair[1]);
                        times.extend([at.next_down().max(pair[0]), at, at.next_up().min(pair[1])]);
                    }
                }
            }
        }
        times = sorted(times);
        if times.len() > max_keys {
            times = vec![times[0], last];
            is_curved = true;
        }
        if is_curved {
            add_even_steps(&mut times, max_keys);
        }
        (times, Interpolation::Linear)
    }
}

/// What the expressions of a clip change.
struct Targets {
    joints: Vec<JointIndex>,
    /// The properties; the differences are unused.
    materials: Vec<MaterialChange>,
    /// Number of values that a key needs.
    cost: usize,
}

/// Values of all keys, in the order of the targets.
struct Keys {
    weights: Vec<Vec<f32>>,
    materials: Vec<Vec<f32>>,
    eyes: Vec<Vec<Vector4<f32>>>,
}

fn sorted(mut times: Vec<f32>) -> Vec<f32> {
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

/// Adds times between those that are farther apart than [`MAX_KEY_SECS`]; the total is about `max_keys`.
fn add_even_steps(times: &mut Vec<f32>, max_keys: usize) {
    let length = f64::from(times[times.len() - 1]) - f64::from(times[0]);
    let max_gap = MAX_KEY_SECS.max(length / (max_keys.saturating_sub(times.len()) + 1) as f64);
    let mut steps = Vec::new();
    for pair in times.windows(2) {
        let (start, gap) = (f64::from(pair[0]), f64::from(pair[1]) - f64::from(pair[0]));
        // A key of the source may be slightly late.
        let count = (gap / max_gap - 1e-3).ceil().max(1.0);
        steps.extend((1..count as usize).map(|step| (start + gap * step as f64 / count) as f32));
    }
    steps.append(times);
    *times = sorted(steps);
}

/// Returns the eyes of an avatar.
fn eyes(target: &Model) -> Vec<Eye> {
    let rest = target.skeleton.rest_model_pose();
    let eye = |bone: &HumanBoneJoint| {
        let joint = target.skeleton.joint(bone.joint);
        let is_eye = ["leftEye", "rightEye"].contains(&bone.bone.as_str()) && !joint.has_shear();
        let rotation =
            joint.parent.map_or(UnitQuaternion::identity(), |parent| rest[parent.get()].to_transform().rotation);
        let is_valid = is_eye && rotation.coords.iter().all(|x| x.is_finite());
        is_valid.then(|| Eye {
            joint: bone.joint,
            is_left: bone.bone == "leftEye",
            rest: joint.rest,
            model_from_parent: rotation,
        })
    };
    target.human_bones.iter().filter_map(eye).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Joint, Material, MaterialIndex, MaterialProperty, Skeleton};
    use crate::pose::{AnimatedProperties, Cursor, Layer, Playback, Pose, sample};

    fn joint(name: &str, parent: Option<u32>, morph_weights: std::ops::Range<usize>) -> Joint {
        let parent = parent.map(JointIndex);
        let rest = Transform::identity();
        Joint { name: Some(name.to_owned()), node: 0, parent, rest, exact_rest_matrix: None, morph_weights }
    }

    fn expression(name: &str, weights: &[(usize, f32)]) -> Expression {
        Expression { name: name.to_owned(), morph_weights: weights.to_vec(), ..Expression::default() }
    }

    /// A face with three morph targets, the last of weight 0.25 at rest, and two eyes.
    fn avatar(expressions: Vec<Expression>) -> Model {
        let joints = vec![joint("face", None, 0..3), joint("l", Some(0), 3..3), joint("r", Some(0), 3..3)];
        let bone = |joint: u32, bone: &str| HumanBoneJoint { joint: JointIndex(joint), bone: bone.to_owned() };
        Model {
            skeleton: Skeleton::new(joints, vec![0.0, 0.0, 0.25]),
            materials: vec![Material { roughness: 0.5, ..Material::default() }],
            human_bones: vec![bone(1, "leftEye"), bone(2, "rightEye")],
            expressions,
            ..Model::default()
        }
    }

    /// An animation of one second per joint: the keys of an expression, at even times.
    fn animation(tracks: &[(&str, Interpolation, &[f32])]) -> Model {
        let mut model = Model::default();
        let mut clip = Clip { duration_secs: 1.0, ..Clip::default() };
        for (i, (name, interpolation, values)) in tracks.iter().enumerate() {
            let joint = JointIndex(i as u32);
            let last = (values.len() - 1).max(1) as f32;
            clip.timelines.push(Timeline::new((0..values.len()).map(|key| key as f32 / last).collect::<Vec<_>>()));
            let keys = KeyValues::Translation(values.iter().map(|x| Vector3::new(*x, 9.0, 9.0)).collect());
            clip.tracks.push(Track { joint, timeline: (i as u32).into(), interpolation: *interpolation, keys });
            model.face_joints.push(FaceJoint { joint, driver: FaceDriver::Expression((*name).to_owned()) });
        }
        model.clips.push(clip);
        model
    }

    fn transferred(source: &Model, target: &Model) -> Clip {
        let mut clip = Clip { duration_secs: 1.0, ..Clip::default() };
        FaceTracks::new(source, target).add(&source.clips[0], &mut clip);
        clip
    }

    fn pose_at(target: &Model, clip: &Clip, time_secs: f64) -> Pose {
        let mut pose = Pose::default();
        sample(&target.skeleton, clip, time_secs, &mut Cursor::default(), &mut pose);
        pose
    }

    const LINEAR: Interpolation = Interpolation::Linear;

    #[test]
    fn expressions_become_morph_tracks_with_the_keys_of_the_source() {
        let target = avatar(vec![expression("happy", &[(0, 1.0), (1, 0.5)])]);
        let source = animation(&[("happy", LINEAR, &[0.0, 1.0, 0.0])]);
        let clip = transferred(&source, &target);
        assert_eq!(clip.timelines[0].times_secs(), [0.0, 0.5, 1.0]);
        assert_eq!(pose_at(&target, &clip, 0.5).morph_weights, [1.0, 0.5, 0.25]);
        assert_eq!(pose_at(&target, &clip, 0.25).morph_weights, [0.5, 0.25, 0.25]);
        let step = animation(&[("happy", Interpolation::Step, &[0.0, 1.0, 0.0])]);
        assert_eq!(transferred(&step, &target).tracks[0].interpolation, Interpolation::Step);
    }

    #[test]
    fn presets_are_found_by_the_names_of_both_versions() {
        let preset_names = vec!["joy".to_owned(), "happy".to_owned()];
        let target = avatar(vec![Expression { preset_names, ..expression("\u{559c}\u{3073}", &[(0, 1.0)]) }]);
        assert_eq!(
            ["joy", "happy", "\u{559c}\u{3073}"].map(|name| target.find_expression(name)),
            [Some(ExpressionIndex(0)); 3]
        );
        assert_eq!(target.expressions[0].label(), "\u{559c}\u{3073} (joy, happy)");
        let clip = transferred(&animation(&[("happy", LINEAR, &[0.0, 1.0])]), &target);
        assert_eq!(pose_at(&target, &clip, 1.0).morph_weights[0], 1.0);
    }

    /// The tracks equal the rules of expressions at every time, between keys too.
    #[test]
    fn tracks_follow_binary_values_and_overrides_at_every_time() {
        let blink = Expression { group: Some(ExpressionGroup::Blink), ..expression("blink", &[(1, 1.0)]) };
        for (kind, is_binary, tolerance) in [
            (ExpressionOverride::None, false, 1e-6),
            (ExpressionOverride::None, true, 1e-6),
            (ExpressionOverride::Block, false, 1e-6),
            (ExpressionOverride::Blend, true, 1e-6),
            // A product of two linear values, sampled 30 times per second: slopes of 4.5 and 2.4 are off by up to 0.003.
            (ExpressionOverride::Blend, false, 0.004),
        ] {
            let mut happy = Expression { is_binary, ..expression("happy", &[(0, 1.0)]) };
            happy.overrides[ExpressionGroup::Blink as usize] = kind;
            let target = avatar(vec![happy, blink.clone()]);
            let source = animation(&[
                ("happy", LINEAR, &[-0.5, 0.0, 0.9, 1.7, 0.2, 0.0]),
                ("blink", LINEAR, &[0.0, 0.8, 1.0, 0.3]),
            ]);
            let clip = transferred(&source, &target);
            for step in 0..=997 {
                let time = f64::from(step) / 997.0;
                let value = |i: u32| {
                    let track = &source.clips[0].tracks[i as usize];
                    (i.into(), track_translation(&source.clips[0], track, time).unwrap().x as f32)
                };
                let expected = Expression::combined_weights(&target.expressions, &[value(0), value(1)]);
                let weights = pose_at(&target, &clip, time).morph_weights;
                for (index, weight) in expected {
                    let error = (weights[index] - weight).abs();
                    assert!(error <= tolerance, "{kind:?} {is_binary} at {time}: {} not {weight}", weights[index]);
                }
            }
        }
    }

    #[test]
    fn materials_of_expressions_become_property_tracks() {
        let (material, property) = (MaterialIndex(0), MaterialProperty::Roughness);
        let change = MaterialChange { material, property, difference: [0.25, 0.0, 0.0, 0.0] };
        let mut target = avatar(vec![Expression { materials: vec![change], ..expression("happy", &[]) }]);
        let clip = transferred(&animation(&[("happy", LINEAR, &[0.0, 1.0])]), &target);
        assert!(clip.tracks.is_empty());
        target.clips.push(clip);
        let layer = Layer::new(Some(crate::model::ClipIndex(0)), Playback::ONCE);
        let values = AnimatedProperties::new(&target, &[layer], 0.5);
        assert_eq!(values.material(material).unwrap().roughness, 0.625);
    }

    #[test]
    fn what_the_avatar_lacks_is_reported() {
        let mut source = animation(&[("happy", LINEAR, &[0.0, 1.0]), ("grin", LINEAR, &[1.0]), ("aa", LINEAR, &[1.0])]);
        source.face_joints[2].driver = FaceDriver::Gaze;
        let target = avatar(vec![expression("grin", &[])]);
        let face = FaceTracks::new(&source, &target);
        assert_eq!(
            (&face.missing[..], &face.without_effect[..]),
            (&["happy".to_owned()][..], &["grin".to_owned()][..])
        );
        assert!(face.lacks_gaze);
    }

    const RANGES: Gaze = Gaze {
        kind: GazeKind::Bones,
        inner: GazeRange { max_degrees: 90.0, max_output: 8.0 },
        outer: GazeRange { max_degrees: 90.0, max_output: 18.0 },
        down: GazeRange { max_degrees: 90.0, max_output: 45.0 },
        up: GazeRange { max_degrees: 90.0, max_output: 90.0 },
    };

    /// A gaze to the left and down.
    fn gaze_animation(yaw_degrees: f64, pitch_degrees: f64) -> Model {
        let mut source = animation(&[("gaze", LINEAR, &[0.0])]);
        source.face_joints[0].driver = FaceDriver::Gaze;
        let turn = UnitQuaternion::from_euler_angles(0.0, yaw_degrees.to_radians(), 0.0)
            * UnitQuaternion::from_euler_angles(pitch_degrees.to_radians(), 0.0, 0.0);
        source.clips[0].tracks[0].keys = KeyValues::Rotation([turn.coords.cast()].into());
        source
    }

    #[test]
    fn gaze_rotates_the_eyes_of_both_versions_within_their_ranges() {
        for faces_negative_z in [false, true] {
            let target = Model { gaze: Some(RANGES), faces_negative_z, ..avatar(Vec::new()) };
            let front = target.front();
            let left = Vector3::y().cross(&front);
            let directions = |yaw: f64, pitch: f64| {
                let clip = transferred(&gaze_animation(yaw, pitch), &target);
                let pose = pose_at(&target, &clip, 0.0);
                [1, 2].map(|eye| {
                    let direction = pose.parent_from_joint[eye].rotation * front;
                    let yaw = direction.dot(&left).atan2(direction.dot(&front)).to_degrees();
                    [yaw.round(), (-direction.y).asin().to_degrees().round()]
                })
            };
            assert_eq!(directions(45.0, 0.0), [[9.0, 0.0], [4.0, 0.0]]);
            assert_eq!(directions(-90.0, 0.0), [[-8.0, 0.0], [-18.0, 0.0]]);
            assert_eq!(directions(0.0, 30.0), [[0.0, 15.0]; 2]);
            assert_eq!(directions(0.0, -30.0), [[0.0, -30.0]; 2]);
        }
    }

    #[test]
    fn gaze_drives_expressions() {
        let look = |name: &str, weight: usize| Expression {
            group: Some(ExpressionGroup::LookAt),
            ..expression(name, &[(weight, 1.0)])
        };
        let range = GazeRange { max_degrees: 90.0, max_output: 1.0 };
        let gaze = Gaze { kind: GazeKind::Expressions, inner: range, outer: range, down: range, up: range };
        let expressions = vec![look("lookLeft", 0), look("lookDown", 1)];
        let target = Model { gaze: Some(gaze), ..avatar(expressions) };
        let weights = |yaw: f64, pitch: f64| {
            let clip = transferred(&gaze_animation(yaw, pitch), &target);
            pose_at(&target, &clip, 0.0).morph_weights[..2].iter().map(|x| (x * 100.0).round()).collect::<Vec<_>>()
        };
        assert_eq!((weights(45.0, 0.0), weights(-45.0, 9.0)), (vec![50.0, 0.0], vec![0.0, 10.0]));
    }

    #[test]
    fn keys_of_long_clips_are_bounded() {
        let target = avatar(vec![expression("happy", &[(0, 1.0)])]);
        let source = animation(&[("happy", LINEAR, &vec![0.5; 3 * MAX_KEYS])]);
        let clip = transferred(&source, &target);
        assert!(clip.timelines[0].times_secs().len() <= MAX_KEYS + 1);
        assert_eq!(pose_at(&target, &clip, 0.7).morph_weights[0], 0.5);
    }
}
