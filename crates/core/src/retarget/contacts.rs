//! Contacts of feet and hands, and two-bone inverse kinematics that keeps them in place.

use super::role::{BodyPart, Role, Side};
use super::transfer::{Sample, Transfer};
use crate::ik::two_bone;
use crate::model::{Clip, JointIndex, Skeleton};
use crate::pose::{Cursor, ModelPose, Pose, sample};
use nalgebra::{UnitQuaternion, Vector3};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// Largest speed of a foot that stands still, in lengths of a leg per second.
const MAX_SPEED: f64 = 0.3;

/// Half of the time in seconds over which the speed is measured. The noise of motion capture is fast and returns.
const SPEED_SECS: f64 = 0.04;

/// Largest displacement of a foot that keeps one place, relative to the length of a leg.
const MAX_DRIFT: f64 = 0.04;

/// Largest displacement of a foot that slowly moves on the ground, relative to the length of a leg.
const MAX_SLOW_DRIFT: f64 = 0.08;

/// Largest speed of such a foot from the first to the last frame, in lengths of a leg per second. A foot on a treadmill is faster.
const MAX_SLOW_SPEED: f64 = 0.1;

/// Largest displacement of a foot, relative to the length of a leg, in the frames before and after it is slow that belong to a contact.
const MAX_EDGE_DRIFT: f64 = 0.012;

/// Longest time in seconds of noise that interrupts a contact.
const MAX_INTERRUPTION_SECS: f64 = 0.05;

/// Largest speed of a knee in radians per second beyond that in the source, and turn from one key to the next.
const MAX_KNEE_SPEED: f64 = 60.0 * MAX_KNEE_STEP;
const MAX_KNEE_STEP: f64 = 4.5 / 180.0 * std::f64::consts::PI;

/// Largest number of times that the pelvis is lowered for slower knees.
const KNEE_PASSES: usize = 6;

/// Shortest clip that walks in place, in seconds.
const MIN_BELT_SECS: f64 = 0.3;

/// Largest height above its lowest position of a foot that moves with the ground, relative to the length of a leg.
const MAX_BELT_HEIGHT: f64 = 0.1;

/// Largest difference between the velocity of such a foot and that of the ground, relative to the latter.
const MAX_BELT_DIFFERENCE: f64 = 0.35;

/// Smallest part of the time in which a foot moves with the ground.
const MIN_BELT_PART: f64 = 0.4;

/// Largest speed of the hips of a body that walks in place, relative to that of the ground.
const MAX_BELT_TRAVEL: f64 = 0.15;

/// Largest height of a foot on the ground above its lowest position, relative to the length of a leg.
const MAX_HEIGHT: f64 = 0.15;

/// Shortest contact in seconds.
const MIN_CONTACT_SECS: f64 = 0.08;

/// Shortest contact of a hand in seconds. Hands that swing back in a walk are still for about half of that.
const MIN_HAND_CONTACT_SECS: f64 = 0.4;

/// Smallest displacement of the shoulder during a contact of a hand, relative to the length of a leg. Hands at rest have no contact.
const MIN_SHOULDER_TRAVEL: f64 = 0.1;

/// Time in seconds in which a foot leaves or reaches its place on the ground.
const BLEND_SECS: f64 = 0.2;

/// Half of the time in seconds over which the motion of the pelvis is smoothed.
const PELVIS_SECS: f64 = 0.1;

/// Largest drop and rise of the pelvis, relative to the length of a leg.
const MAX_DROP: f64 = 0.3;

/// Heights of a hip above its ankle between which the pelvis starts to rise with the foot, relative to the length of the leg. Lower bodies
/// sit or lie.
const UPRIGHT_HEIGHTS: [f64; 2] = [0.5, 0.9];

/// Largest extension of a leg, relative to its length.
const MAX_EXTENSION: f64 = 0.9999;

/// The contacts of the feet and hands in a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ContactReport {
    /// Number of times that a foot stands still.
    pub count: usize,
    /// Number of times that a hand stays in its place while the shoulder moves.
    pub hand_count: usize,
    /// Number of keys in all contacts: a key at which two feet stand counts twice.
    pub frame_count: usize,
    /// Largest displacement of a foot or hand in a contact of the written clip, relative to the length of a leg.
    pub max_slide: f64,
    /// The same without inverse kinematics.
    pub max_slide_before: f64,
    /// The same in the source, relative to the length of its leg.
    pub max_slide_of_source: f64,
}

impl ContactReport {
    /// Returns the contacts of both reports.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            hand_count: self.hand_count + other.hand_count,
            frame_count: self.frame_count + other.frame_count,
            max_slide: self.max_slide.max(other.max_slide),
            max_slide_before: self.max_slide_before.max(other.max_slide_before),
            max_slide_of_source: self.max_slide_of_source.max(other.max_slide_of_source),
        }
    }
}

/// Contacts in a clip that is not measured yet.
pub(super) struct Planted {
    /// Joints of the target, and the keys of their contacts.
    contacts: Vec<(JointIndex, Range<usize>)>,
    leg_length: f64,
    /// Velocity per second of the ground on which the feet stand, if the clip walks in place.
    belt: Vector3<f64>,
    /// Without the displacements in the written clip.
    report: ContactReport,
}

impl Planted {
    /// Returns the contacts with the displacements of the source, which a copied clip has.
    pub(super) fn of_copy(self) -> ContactReport {
        let slide = self.report.max_slide_of_source;
        ContactReport { max_slide: slide, max_slide_before: slide, ..self.report }
    }

    /// Returns the contacts with the displacements in the written clip, whose first timeline has its keys.
    pub(super) fn measure(self, skeleton: &Skeleton, clip: &Clip) -> ContactReport {
        let Self { contacts, leg_length, belt, mut report } = self;
        let times_secs = clip.timelines.first().map_or(&[][..], |timeline| timeline.times_secs());
        let (mut cursor, mut pose, mut model_pose) = (Cursor::default(), Pose::default(), ModelPose::default());
        let mut firsts = vec![None; contacts.len()];
        // Each key once, for all contacts that it belongs to.
        let mut order: Vec<usize> = (0..contacts.len()).collect();
        order.sort_by_key(|contact| contacts[*contact].1.start);
        let (mut open, mut next) = (Vec::new(), 0);
        for (key, time) in times_secs.iter().enumerate() {
            while next < order.len() && contacts[order[next]].1.start <= key {
                open.push(order[next]);
                next += 1;
            }
            open.retain(|contact: &usize| contacts[*contact].1.contains(&key));
            if open.is_empty() {
                continue;
            }
            sample(skeleton, clip, f64::from(*time), &mut cursor, &mut pose);
            model_pose.update(skeleton, &pose);
            for &contact in &open {
                let place = model_pose.model_from_joint(contacts[contact].0).translation - belt * f64::from(*time);
                let first = firsts[contact].get_or_insert(place);
                report.max_slide = report.max_slide.max((place - *first).norm() / leg_length);
            }
        }
        report
    }
}

/// A leg: indices of nodes, and the points that touch the ground.
struct Leg {
    upper: usize,
    lower: usize,
    foot: usize,
    /// Node of the toes, else of the foot.
    point: usize,
    source_point: JointIndex,
    /// Hip, knee and ankle of the source.
    source_joints: [JointIndex; 3],
    /// Angles of the knee of the source, in radians.
    source_bends: Vec<f64>,
    /// Positions of the point in the source, as positions in the target, and those of the upper joint.
    track: Vec<Vector3<f64>>,
    upper_track: Vec<Vector3<f64>>,
    /// Height of the point at rest in the source, as a height in the target, and in the target.
    rest_heights: [f64; 2],
}

/// The legs of a transfer, or the arms of a humanoid, and their motion in the source.
pub(super) struct Contacts<'a> {
    transfer: &'a Transfer<'a>,
    legs: Vec<Leg>,
    are_hands: bool,
}

/// A leg of the target at one time.
#[derive(Clone, Copy)]
struct LegPose {
    hip: Vector3<f64>,
    knee: Vector3<f64>,
    ankle: Vector3<f64>,
    point: Vector3<f64>,
}

impl<'a> Contacts<'a> {
    pub(super) fn of_feet(transfer: &'a Transfer<'a>) -> Self {
        Self::new(transfer, false)
    }

    /// No contacts for a quadruped, whose front legs have feet.
    pub(super) fn of_hands(transfer: &'a Transfer<'a>) -> Self {
        Self::new(transfer, true)
    }

    fn new(transfer: &'a Transfer<'a>, are_hands: bool) -> Self {
        let mut legs = Vec::new();
        let quadruped = transfer.target.map.is_quadruped();
        let limbs = [
            [BodyPart::UpperLeg, BodyPart::LowerLeg, BodyPart::Foot, BodyPart::Toes],
            [BodyPart::UpperArm, BodyPart::LowerArm, BodyPart::Hand, BodyPart::Hand],
        ];
        let limbs = match (quadruped, are_hands) {
            (true, false) => &limbs[..],
            (true, true) => &[],
            (false, false) => &limbs[..1],
            (false, true) => &limbs[1..],
        };
        for limb in limbs {
            for side in Side::BOTH {
                let roles = limb.map(|part| Role::sided(part, side));
                let [Some(upper), Some(lower), Some(foot), toes] = roles.map(|role| transfer.node(role)) else {
                    continue;
                };
                // A foot that is apart from its leg follows the shin.
                let is_detached = transfer.nodes[lower].is_detached();
                let (point, point_role) = toes.map_or((foot, roles[2]), |toes| (toes, roles[3]));
                let [Some(source_point), Some(hip), Some(knee), Some(ankle)] =
                    [point_role, roles[0], roles[1], roles[2]]
                        .map(|role| transfer.source.map.joint(role).filter(|_| !is_detached))
                else {
                    continue;
                };
                let (track, upper_track) = (Vec::new(), Vec::new());
                let mut leg = Leg {
                    upper,
                    lower,
                    foot,
                    point,
                    source_point,
                    source_joints: [hip, knee, ankle],
                    source_bends: Vec::new(),
                    track,
                    upper_track,
                    rest_heights: [0.0; 2],
                };
                let up = transfer.target.up();
                // Of two legs, one may be lifted at rest. Those of motion capture are spread, each in its own way.
                let are_on_origin = transfer.source.is_grounded() && transfer.target.is_grounded();
                let sides = if are_on_origin { Side::BOTH } else { [side; 2] };
                let part = limb[if toes.is_some() { 3 } else { 2 }];
                leg.rest_heights = [f64::INFINITY; 2];
                for role in sides.map(|side| Role::sided(part, side)) {
                    let joints = transfer.source.map.joint(role).zip(transfer.target.map.joint(role));
                    let Some((source, target)) = joints else { continue };
                    let at_rest = transfer.position(transfer.source.standing_position(source)).dot(&up);
                    let in_target = transfer.target.standing_position(target).dot(&up);
                    leg.rest_heights = [leg.rest_heights[0].min(at_rest), leg.rest_heights[1].min(in_target)];
                }
                legs.push(leg);
            }
        }
        Self { transfer, legs, are_hands }
    }

    /// Adds a pose of the source.
    pub(super) fn add(&mut self, pose: &ModelPose) {
        let at = |joint| pose.model_from_joint(joint).translation;
        for leg in &mut self.legs {
            let [hip, knee, ankle] = leg.source_joints.map(at);
            leg.track.push(self.transfer.position(at(leg.source_point)));
            leg.upper_track.push(self.transfer.position(hip));
            leg.source_bends.push((knee - hip).angle(&(ankle - knee)));
        }
    }

    /// Moves legs and pelvis so that the feet stand still where they do in the source; for hands, the arms alone.
    ///
    /// In a clip that walks in place, the ground moves like the belt of a treadmill, and a foot stands still relative to it.
    pub(super) fn plant(mut self, times_secs: &[f32], samples: &mut [Sample]) -> Planted {
        let up = self.transfer.target.up();
        let length = self.transfer.target.leg_length;
        let belt = self.belt(times_secs);
        let on_belt = |place: Vector3<f64>, key: usize| place - belt * f64::from(times_secs[key]);
        for leg in &mut self.legs {
            leg.track.iter_mut().enumerate().for_each(|(key, place)| *place = on_belt(*place, key));
        }
        let contacts: Vec<Vec<Range<usize>>> = self.legs.iter().map(|leg| self.contacts(leg, times_secs)).collect();
        let mut planted = Planted { contacts: Vec::new(), leg_length: length, belt, report: ContactReport::default() };
        if contacts.iter().all(Vec::is_empty) {
            return planted;
        }
        let mut poses: Vec<Vec<LegPose>> = self.leg_poses(samples);
        for (i, (leg, contacts)) in self.legs.iter().zip(&contacts).enumerate() {
            for contact in contacts {
                let slide = |place: &dyn Fn(usize) -> Vector3<f64>| {
                    let first = place(contact.start);
                    contact.clone().map(|key| (place(key) - first).norm() / length).fold(0.0, f64::max)
                };
                let report = &mut planted.report;
                *(if self.are_hands { &mut report.hand_count } else { &mut report.count }) += 1;
                report.frame_count += contact.len();
                report.max_slide_before = report.max_slide_before.max(slide(&|key| on_belt(poses[key][i].point, key)));
                report.max_slide_of_source = report.max_slide_of_source.max(slide(&|key| leg.track[key]));
                planted.contacts.push((self.transfer.nodes[leg.point].joint, contact.clone()));
            }
        }
        let offsets = |poses: &[Vec<LegPose>]| -> Vec<Vec<FootOffset>> {
            let of_leg = |(i, (leg, contacts)): (usize, (&Leg, &Vec<Range<usize>>))| {
                let points = poses.iter().enumerate().map(|(key, legs)| on_belt(legs[i].point, key));
                let points: Vec<Vector3<f64>> = points.collect();
                offsets(leg, contacts, &points, times_secs, (!self.are_hands).then_some(up), length)
            };
            self.legs.iter().zip(&contacts).enumerate().map(of_leg).collect()
        };
        let mut found = offsets(&poses);
        if !self.are_hands {
            let rises = self.rises(&poses, &found, times_secs);
            for ((poses, sample), rise) in poses.iter_mut().zip(&mut *samples).zip(rises) {
                poses.iter_mut().for_each(|pose| pose.translate(up * rise));
                sample.hips += up * rise;
            }
            found = offsets(&poses);
        }
        let offsets: Vec<Vec<Vector3<f64>>> =
            found.into_iter().map(|of_leg| of_leg.into_iter().map(|offset| offset.offset).collect()).collect();
        let drops = match self.are_hands {
            true => vec![0.0; samples.len()],
            false => self.drops(&poses, &offsets, times_secs),
        };
        for (leg, nodes) in self.legs.iter().enumerate() {
            let needed = |i: usize| poses[i][leg].bend_at(offsets[leg][i], up * drops[i]);
            let mut bends: Vec<f64> = (0..samples.len()).map(needed).collect();
            if !self.are_hands {
                let steps = self.knee_steps(&poses, leg, times_secs);
                let (above, below) = (slow_bound(&bends, &steps, 1.0), slow_bound(&bends, &steps, -1.0));
                bends = above.into_iter().zip(below).map(|(above, below)| (above + below) / 2.0).collect();
            }
            for (i, bend) in bends.into_iter().enumerate() {
                let pose = poses[i][leg];
                let is_slowed = (bend - pose.bend_at(offsets[leg][i], up * drops[i])).abs() > 1e-6;
                if drops[i] > 0.0 || offsets[leg][i] != Vector3::zeros() || is_slowed {
                    let (hip, mut target) = (pose.hip - up * drops[i], pose.ankle + offsets[leg][i]);
                    if is_slowed {
                        // A knee that turns more slowly than the foot needs holds the foot off its place.
                        target = hip + (target - hip).try_normalize(1e-12).unwrap_or(-up) * pose.length_at(bend);
                    }
                    let rotations = &mut samples[i].rotations;
                    let [upper, lower] = pose.reach(target, hip, self.bend(nodes, rotations));
                    rotations[nodes.upper] = upper * rotations[nodes.upper];
                    rotations[nodes.lower] = lower * rotations[nodes.lower];
                }
            }
        }
        samples.iter_mut().zip(drops).for_each(|(sample, drop)| sample.hips -= up * drop);
        planted
    }

    /// Returns the velocity per second of the ground of a clip that walks in place: that of the lower foot most of the time, if the hips
    /// stay. Zero for other clips.
    fn belt(&self, times_secs: &[f32]) -> Vector3<f64> {
        let (up, length) = (self.transfer.target.up(), self.transfer.target.leg_length);
        let flat = |v: Vector3<f64>| v - up * v.dot(&up);
        let (last, secs) = (times_secs.len() - 1, f64::from(times_secs[times_secs.len() - 1] - times_secs[0]));
        if self.are_hands || self.legs.is_empty() || secs < MIN_BELT_SECS {
            return Vector3::zeros();
        }
        let height = |leg: &Leg, key: usize| leg.track[key].dot(&up);
        let lowest = self.legs.iter().map(|leg| (0..=last).map(|key| height(leg, key)).fold(f64::INFINITY, f64::min));
        let lowest: Vec<f64> = lowest.collect();
        // Velocities of the foot that is nearer to the ground than the others.
        let mut velocities = Vec::new();
        for key in 0..=last {
            let above = |leg: usize| height(&self.legs[leg], key) - lowest[leg];
            let Some(leg) = (0..self.legs.len()).min_by(|a, b| above(*a).total_cmp(&above(*b))) else { continue };
            let (before, after) = around(times_secs, key);
            if above(leg) <= MAX_BELT_HEIGHT * length && after > before {
                let track = &self.legs[leg].track;
                velocities.push(flat(track[after] - track[before]) / f64::from(times_secs[after] - times_secs[before]));
            }
        }
        let median = |axis: usize| {
            let mut values: Vec<f64> = velocities.iter().map(|velocity| velocity[axis]).collect();
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or_default()
        };
        let middle = Vector3::from_fn(|axis, _| median(axis));
        let agrees = |velocity: &&Vector3<f64>| (*velocity - middle).norm() <= MAX_BELT_DIFFERENCE * middle.norm();
        let same: Vec<&Vector3<f64>> = velocities.iter().filter(agrees).collect();
        let belt = same.iter().copied().sum::<Vector3<f64>>() / same.len().max(1) as f64;
        let hips = |key: usize| self.legs.iter().map(|leg| leg.upper_track[key]).sum::<Vector3<f64>>();
        let travel = flat(hips(last) - hips(0)) / self.legs.len() as f64 / secs;
        let is_belt = belt.norm() > MAX_SPEED * length
            && same.len() as f64 >= MIN_BELT_PART * times_secs.len() as f64
            && travel.norm() < MAX_BELT_TRAVEL * belt.norm();
        if is_belt { belt } else { Vector3::zeros() }
    }

    /// Returns how far the pelvis sinks at each key, so that the legs reach the places of their feet and the knees turn slowly.
    fn drops(&self, poses: &[Vec<LegPose>], offsets: &[Vec<Vector3<f64>>], times_secs: &[f32]) -> Vec<f64> {
        let (up, max_drop) = (self.transfer.target.up(), MAX_DROP * self.transfer.target.leg_length);
        let needed = |i: usize| {
            let needed = |leg: usize| {
                let offset = offsets[leg][i];
                if offset != Vector3::zeros() { poses[i][leg].needed_drop(offset, up, MAX_EXTENSION) } else { 0.0 }
            };
            (0..self.legs.len()).map(needed).fold(0.0, f64::max).min(max_drop)
        };
        let mut needed: Vec<f64> = (0..poses.len()).map(needed).collect();
        let mut drops = smooth_maximum(&needed, times_secs);
        for _ in 0..KNEE_PASSES {
            let mut is_changed = false;
            for (leg, offsets) in offsets.iter().enumerate() {
                let bend = |i: usize| poses[i][leg].bend_at(offsets[i], up * drops[i]);
                let bends: Vec<f64> = (0..poses.len()).map(bend).collect();
                let steps = self.knee_steps(poses, leg, times_secs);
                for (i, bound) in slow_bound(&bends, &steps, 1.0).into_iter().enumerate() {
                    // A knee bends earlier than its foot needs while the pelvis sinks.
                    if bound > bends[i] + 1e-4 && needed[i] < max_drop {
                        let pose = &poses[i][leg];
                        let extension = pose.length_at(bound) / pose.length_at(0.0);
                        let drop = pose.needed_drop(offsets[i], up, extension).min(max_drop);
                        is_changed |= drop > needed[i];
                        needed[i] = needed[i].max(drop);
                    }
                }
            }
            if !is_changed {
                break;
            }
            drops = smooth_maximum(&needed, times_secs);
        }
        drops
    }

    /// Returns the direction in which a straight limb bends, which turns with its upper bone.
    fn bend(&self, leg: &Leg, rotations: &[UnitQuaternion<f64>]) -> Vector3<f64> {
        let from_rest = rotations[leg.upper] * self.transfer.nodes[leg.upper].aligned.inverse();
        from_rest * self.transfer.target.basis * if self.are_hands { -Vector3::z() } else { Vector3::z() }
    }

    /// Returns how far the pelvis rises at each key, so that legs whose feet would be below the ground keep their knees: those of wide
    /// hips that tilt. It is the mean of the feet that stand.
    fn rises(&self, poses: &[Vec<LegPose>], offsets: &[Vec<FootOffset>], times_secs: &[f32]) -> Vec<f64> {
        let (up, length) = (self.transfer.target.up(), self.transfer.target.leg_length);
        let [low, high] = UPRIGHT_HEIGHTS;
        let rise = |i: usize| {
            let (mut sum, mut weights) = (0.0, 0.0);
            for (pose, offsets) in poses[i].iter().zip(offsets) {
                let height = (pose.hip - pose.ankle).dot(&up) / pose.length_at(0.0).max(1e-300);
                sum += offsets[i].offset.dot(&up) * smooth_step((height - low) / (high - low));
                weights += offsets[i].weight;
            }
            (sum / f64::max(weights, 1.0)).clamp(0.0, MAX_DROP * length)
        };
        let rises: Vec<f64> = (0..poses.len()).map(rise).collect();
        // Twice, since knees follow.
        smooth_mean(&smooth_mean(&rises, times_secs), times_secs)
    }

    /// Returns how far the knee of a leg turns at most from each key to the next: as far as in the source, or without correction if that is
    /// less, and a little farther; at least as far as without correction.
    fn knee_steps(&self, poses: &[Vec<LegPose>], leg: usize, times_secs: &[f32]) -> Vec<f64> {
        let source = &self.legs[leg].source_bends;
        let step = |i: usize| {
            let own = (poses[i + 1][leg].bend() - poses[i][leg].bend()).abs();
            let secs = f64::from(times_secs[i + 1]) - f64::from(times_secs[i]);
            own.max(own.min((source[i + 1] - source[i]).abs()) + (MAX_KNEE_SPEED * secs).min(MAX_KNEE_STEP))
        };
        (0..poses.len().saturating_sub(1)).map(step).collect()
    }

    /// Returns the legs of the target at the time of each sample.
    fn leg_poses(&self, samples: &[Sample]) -> Vec<Vec<LegPose>> {
        let mut pose = HashMap::new();
        let mut poses = Vec::with_capacity(samples.len());
        for sample in samples {
            self.transfer.pose(sample, &mut pose);
            let position = |node: usize| pose[&self.transfer.nodes[node].joint].1.translation;
            let leg_pose = |leg: &Leg| LegPose {
                hip: position(leg.upper),
                knee: position(leg.lower),
                ankle: position(leg.foot),
                point: position(leg.point),
            };
            poses.push(self.legs.iter().map(leg_pose).collect());
        }
        poses
    }

    /// Returns the ranges of samples in which a foot stands still near the ground, or a hand in any place while the shoulder moves.
    fn contacts(&self, leg: &Leg, times_secs: &[f32]) -> Vec<Range<usize>> {
        let (track, length, up) = (&leg.track, self.transfer.target.leg_length, self.transfer.target.up());
        let time = |i: usize| f64::from(times_secs[i]);
        let distance = |a: usize, b: usize| (track[a] - track[b]).norm() / length;
        let lowest = track.iter().map(|position| position.dot(&up)).fold(f64::INFINITY, f64::min);
        let is_low = |i: usize| self.are_hands || track[i].dot(&up) - lowest <= MAX_HEIGHT * length;
        let is_slow = |i: usize| {
            let (before, after) = around(times_secs, i);
            distance(before, after) <= MAX_SPEED * (time(after) - time(before))
        };
        let mut runs: Vec<Range<usize>> = Vec::new();
        for i in (0..track.len()).filter(|i| is_slow(*i) && is_low(*i)) {
            match runs.last_mut() {
                Some(run)
                    if run.end == i
                        || time(i) - time(run.end - 1) <= MAX_INTERRUPTION_SECS
                            && distance(i, run.end - 1) <= MAX_DRIFT =>
                {
                    run.end = i + 1;
                }
                _ => runs.push(i..i + 1),
            }
        }
        // The speed at the edges is also that of a step.
        for k in 0..runs.len() {
            let (min, max) =
                (if k == 0 { 0 } else { runs[k - 1].end }, runs.get(k + 1).map_or(track.len(), |run| run.start));
            let Range { start, end } = runs[k];
            let is_edge = |i: usize, edge: usize| is_low(i) && distance(i, edge) <= MAX_EDGE_DRIFT;
            let before = (min..start).rev().take_while(|i| is_edge(*i, start)).count();
            let after = (end..max).take_while(|i| is_edge(*i, end - 1)).count();
            runs[k] = start - before..end + after;
        }
        let (min_secs, max_drift) = match self.are_hands {
            true => (MIN_HAND_CONTACT_SECS, MAX_DRIFT),
            false => (MIN_CONTACT_SECS, MAX_SLOW_DRIFT),
        };
        let is_contact = |range: &Range<usize>| {
            let secs = time(range.end - 1) - time(range.start);
            let travel = |i: usize| (leg.upper_track[i] - leg.upper_track[range.start]).norm();
            let moves = || range.clone().any(|i| travel(i) >= MIN_SHOULDER_TRAVEL * length);
            let keeps_place = || range.clone().all(|i| distance(i, range.start) <= MAX_DRIFT);
            let is_slow = || distance(range.end - 1, range.start) <= MAX_SLOW_SPEED * secs;
            range.len() > 1 && secs >= min_secs && (!self.are_hands || moves()) && (keeps_place() || is_slow())
        };
        let mut contacts: Vec<Range<usize>> = Vec::new();
        for run in runs {
            let mut start = run.start;
            while start < run.end {
                let count = (start..run.end).take_while(|i| distance(*i, start) <= max_drift).count();
                let range = start..start + count.max(1);
                start = range.end;
                contacts.extend(Some(range).filter(is_contact));
            }
        }
        // A foot needs time from one place to the next, the more the farther that is.
        for k in 1..contacts.len() {
            let is_near = |end: usize, start: usize| {
                let way = (distance(end - 1, start) / MAX_SLOW_DRIFT).min(1.0);
                time(start) - time(end - 1) < way * BLEND_SECS / 2.0
            };
            let (mut end, mut start) = (contacts[k - 1].end, contacts[k].start);
            while is_near(end, start) && end - contacts[k - 1].start > 2 && contacts[k].end - start > 2 {
                (end, start) = (end - 1, start + 1);
            }
            (contacts[k - 1].end, contacts[k].start) = (end, start);
        }
        contacts
    }
}

/// Returns the keys between which the speed at a key is measured.
fn around(times_secs: &[f32], key: usize) -> (usize, usize) {
    let time = f64::from(times_secs[key]);
    let before = times_secs.partition_point(|at| f64::from(*at) < time - SPEED_SECS);
    let after = times_secs.partition_point(|at| f64::from(*at) <= time + SPEED_SECS) - 1;
    (before.min(key.saturating_sub(1)), after.max((key + 1).min(times_secs.len() - 1)))
}

/// Displacement of a foot or hand to its place.
#[derive(Clone, Copy, Default)]
struct FootOffset {
    offset: Vector3<f64>,
    /// The part of the contact, from 0 to 1.
    weight: f64,
}

/// Returns the displacement of a foot or hand at each sample to its place: all of it in contacts, and a part before and after. A foot
/// stands on the ground, whose direction is `up`.
fn offsets(
    leg: &Leg,
    contacts: &[Range<usize>],
    points: &[Vector3<f64>],
    times_secs: &[f32],
    up: Option<Vector3<f64>>,
    leg_length: f64,
) -> Vec<FootOffset> {
    let mut offsets = vec![FootOffset::default(); points.len()];
    for contact in contacts {
        let count = contact.len() as f64;
        let mean = points[contact.clone()].iter().sum::<Vector3<f64>>() / count;
        let on_ground = up.map(|up| {
            let height = leg.track[contact.clone()].iter().map(|position| position.dot(&up)).sum::<f64>() / count;
            let [source_rest, target_rest] = leg.rest_heights;
            up * (target_rest + height - source_rest - mean.dot(&up))
        });
        let place = mean + on_ground.unwrap_or_default();
        // A foot that moves farther than noise keeps a part of its way.
        let first = leg.track[contact.start];
        let farthest = leg.track[contact.clone()].iter().map(|position| (position - first).norm()).fold(0.0, f64::max);
        let part = 0.5 * (1.0 - MAX_DRIFT * leg_length / farthest.max(MAX_DRIFT * leg_length));
        let middle = leg.track[contact.clone()].iter().sum::<Vector3<f64>>() / count;
        for i in contact.clone() {
            let way = (leg.track[i] - middle) * part;
            let on_ground = up.map_or(Vector3::zeros(), |up| up * way.dot(&up));
            offsets[i] = FootOffset { offset: place + way - on_ground - points[i], weight: 1.0 };
        }
    }
    let time = |i: usize| f64::from(times_secs[i]);
    let mut ends = contacts.iter().map(|contact| contact.end - 1).map(Some).collect::<Vec<_>>();
    ends.insert(0, None);
    let starts = contacts.iter().map(|contact| Some(contact.start)).chain([None]);
    for (before, after) in ends.into_iter().zip(starts) {
        let range = before.map_or(0, |before| before + 1)..after.unwrap_or(points.len());
        let gap = before.zip(after).map_or(f64::INFINITY, |(before, after)| time(after) - time(before));
        let blend_secs = BLEND_SECS.min(gap);
        let weight = |secs: f64| smooth_step((1.0 - secs / blend_secs).max(0.0));
        let [from, to] = [before, after].map(|i| i.map_or(Vector3::zeros(), |i| offsets[i].offset));
        for i in range {
            let leaves = before.map_or(0.0, |before| weight(time(i) - time(before)));
            let reaches = after.map_or(0.0, |after| weight(time(after) - time(i)));
            offsets[i] = FootOffset { offset: from * leaves + to * reaches, weight: leaves + reaches };
        }
    }
    offsets
}

/// Returns a smooth step from 0 to 1.
fn smooth_step(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// Returns the samples near one, over which the motion of the pelvis is smoothed.
fn window(times_secs: &[f32], i: usize) -> Range<usize> {
    let time = f64::from(times_secs[i]);
    let start = times_secs.partition_point(|at| f64::from(*at) < time - PELVIS_SECS);
    start..times_secs.partition_point(|at| f64::from(*at) <= time + PELVIS_SECS)
}

/// Returns the means of `values`, which are not negative, over the windows of all samples.
fn smooth_mean(values: &[f64], times_secs: &[f32]) -> Vec<f64> {
    let sums = values.iter().scan(0.0, |sum, value| {
        *sum += value;
        Some(*sum)
    });
    let sums: Vec<f64> = std::iter::once(0.0).chain(sums).collect();
    (0..values.len())
        .map(|i| {
            let Range { start, end } = window(times_secs, i);
            // Differences of sums are not exact.
            let mean = (sums[end] - sums[start]) / (end - start) as f64;
            if mean > 1e-9 * sums[values.len()] { mean } else { 0.0 }
        })
        .collect()
}

/// Returns values that are at least `values` and change smoothly over time.
fn smooth_maximum(values: &[f64], times_secs: &[f32]) -> Vec<f64> {
    // Candidates for the maximum of a window, which only moves forward: later ones are smaller.
    let (mut candidates, mut next) = (VecDeque::new(), 0);
    let mut maxima = Vec::with_capacity(values.len());
    for i in 0..values.len() {
        let Range { start, end } = window(times_secs, i);
        for added in next..end {
            while candidates.back().is_some_and(|last: &usize| values[*last] <= values[added]) {
                candidates.pop_back();
            }
            candidates.push_back(added);
        }
        next = end;
        while candidates.front().is_some_and(|first| *first < start) {
            candidates.pop_front();
        }
        maxima.push(candidates.front().map_or(0.0, |first| values[*first].max(0.0)));
    }
    smooth_mean(&maxima, times_secs)
}

/// Returns the values next to `values`, above for `sign` 1 and below for -1, that differ from key to key by at most `steps`.
fn slow_bound(values: &[f64], steps: &[f64], sign: f64) -> Vec<f64> {
    let mut bound: Vec<f64> = values.iter().map(|value| sign * value).collect();
    for (i, step) in steps.iter().enumerate() {
        bound[i + 1] = bound[i + 1].max(bound[i] - step);
    }
    for (i, step) in steps.iter().enumerate().rev() {
        bound[i] = bound[i].max(bound[i + 1] - step);
    }
    bound.into_iter().map(|value| sign * value).collect()
}

impl LegPose {
    fn translate(&mut self, way: Vector3<f64>) {
        [&mut self.hip, &mut self.knee, &mut self.ankle, &mut self.point].into_iter().for_each(|joint| *joint += way);
    }

    fn bones(&self) -> [Vector3<f64>; 2] {
        [self.knee - self.hip, self.ankle - self.knee]
    }

    /// Returns the angle of the knee in radians; 0 for a straight leg.
    fn bend(&self) -> f64 {
        let [thigh, shin] = self.bones();
        thigh.angle(&shin)
    }

    /// Returns the angle of the knee while the ankle is moved by `offset`, and the hip down by `drop`.
    fn bend_at(&self, offset: Vector3<f64>, drop: Vector3<f64>) -> f64 {
        let [thigh, shin] = self.bones().map(|bone| bone.norm());
        let way = (self.ankle + offset - self.hip + drop).norm();
        ((way * way - thigh * thigh - shin * shin) / (2.0 * thigh * shin).max(1e-300)).clamp(-1.0, 1.0).acos()
    }

    /// Returns the distance from hip to ankle at an angle of the knee.
    fn length_at(&self, bend: f64) -> f64 {
        let [thigh, shin] = self.bones().map(|bone| bone.norm());
        (thigh * thigh + shin * shin + 2.0 * thigh * shin * bend.cos()).max(0.0).sqrt()
    }

    /// Returns how far the hip sinks for the leg to reach its ankle, moved by `offset`, at an extension relative to its length.
    fn needed_drop(&self, offset: Vector3<f64>, up: Vector3<f64>, extension: f64) -> f64 {
        let reach = extension * self.length_at(0.0);
        let way = self.ankle + offset - self.hip;
        let height = way.dot(&up);
        let across = (way - up * height).norm();
        match way.norm() > reach && across < reach {
            true => (-height - (reach * reach - across * across).sqrt()).max(0.0),
            false => 0.0,
        }
    }

    /// Returns the rotations of thigh and shin with which the ankle reaches `target` from the hip at `hip`.
    fn reach(&self, target: Vector3<f64>, hip: Vector3<f64>, forward: Vector3<f64>) -> [UnitQuaternion<f64>; 2] {
        let shift = hip - self.hip;
        two_bone([self.hip, self.knee, self.ankle].map(|joint| joint + shift), target, forward)
    }
}
