//! Contacts of feet and hands, and two-bone inverse kinematics that keeps them in place.

use super::role::{BodyPart, Role, Side};
use super::transfer::{Sample, Transfer};
use crate::ik::two_bone;
use crate::model::JointIndex;
use crate::pose::ModelPose;
use nalgebra::{UnitQuaternion, Vector3};
use std::collections::HashMap;
use std::ops::Range;

/// Largest speed of a foot that stands still, in lengths of a leg per second.
const MAX_SPEED: f64 = 0.3;

/// Largest displacement of a foot that stands still, relative to the length of a leg.
const MAX_DRIFT: f64 = 0.04;

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

/// Largest drop of the pelvis, relative to the length of a leg.
const MAX_DROP: f64 = 0.3;

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
    /// Largest displacement of a foot or hand in a contact, relative to the length of a leg.
    pub max_slide: f64,
    /// The same without inverse kinematics.
    pub max_slide_before: f64,
}

impl ContactReport {
    /// Returns the contacts of both reports.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            hand_count: self.hand_count + other.hand_count,
            max_slide: self.max_slide.max(other.max_slide),
            max_slide_before: self.max_slide_before.max(other.max_slide_before),
        }
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
    source_upper: JointIndex,
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
                let is_detached = [lower, foot].iter().any(|node| transfer.nodes[*node].is_detached());
                let (point, point_role) = toes.map_or((foot, roles[2]), |toes| (toes, roles[3]));
                let [source_point, source_upper] =
                    [point_role, roles[0]].map(|role| transfer.source.map.joint(role).filter(|_| !is_detached));
                let Some((source_point, source_upper)) = source_point.zip(source_upper) else { continue };
                let (track, upper_track) = (Vec::new(), Vec::new());
                let mut leg = Leg {
                    upper,
                    lower,
                    foot,
                    point,
                    source_point,
                    source_upper,
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
        let position = |joint| self.transfer.position(pose.model_from_joint(joint).translation);
        for leg in &mut self.legs {
            leg.track.push(position(leg.source_point));
            leg.upper_track.push(position(leg.source_upper));
        }
    }

    /// Moves legs and pelvis so that the feet stand still where they do in the source; for hands, the arms alone.
    pub(super) fn plant(self, times_secs: &[f32], samples: &mut [Sample]) -> ContactReport {
        let up = self.transfer.target.up();
        let length = self.transfer.target.leg_length;
        let contacts: Vec<Vec<Range<usize>>> = self.legs.iter().map(|leg| self.contacts(leg, times_secs)).collect();
        if contacts.iter().all(Vec::is_empty) {
            return ContactReport::default();
        }
        let poses: Vec<Vec<LegPose>> = self.leg_poses(samples);
        let offsets: Vec<Vec<Vector3<f64>>> = self
            .legs
            .iter()
            .zip(&contacts)
            .enumerate()
            .map(|(i, (leg, contacts))| {
                let points: Vec<Vector3<f64>> = poses.iter().map(|legs| legs[i].point).collect();
                let up = (!self.are_hands).then_some(up);
                offsets(leg, contacts, &points, times_secs, up)
            })
            .collect();
        let needed: Vec<f64> = (0..samples.len())
            .map(|i| {
                let needed = |leg: usize| {
                    let offset = offsets[leg][i];
                    let is_moved = offset != Vector3::zeros() && !self.are_hands;
                    if is_moved { poses[i][leg].needed_drop(offset, up) } else { 0.0 }
                };
                (0..self.legs.len()).map(needed).fold(0.0, f64::max).min(MAX_DROP * length)
            })
            .collect();
        for (i, drop) in smooth_maximum(&needed, times_secs).into_iter().enumerate() {
            for (leg, nodes) in self.legs.iter().enumerate() {
                let pose = poses[i][leg];
                if drop > 0.0 || offsets[leg][i] != Vector3::zeros() {
                    let [upper, lower] = pose.reach(pose.ankle + offsets[leg][i], pose.hip - up * drop, self.bend());
                    let rotations = &mut samples[i].rotations;
                    rotations[nodes.upper] = upper * rotations[nodes.upper];
                    rotations[nodes.lower] = lower * rotations[nodes.lower];
                }
            }
            samples[i].hips -= up * drop;
        }
        let after = self.leg_poses(samples);
        let slide = |poses: &[Vec<LegPose>]| {
            let of_contact = |leg: usize, contact: &Range<usize>| {
                let first = poses[contact.start][leg].point;
                contact.clone().map(|i| (poses[i][leg].point - first).norm() / length).fold(0.0, f64::max)
            };
            let legs = contacts.iter().enumerate();
            legs.flat_map(|(leg, contacts)| contacts.iter().map(move |contact| of_contact(leg, contact)))
                .fold(0.0, f64::max)
        };
        let count = contacts.iter().map(Vec::len).sum();
        let (count, hand_count) = if self.are_hands { (0, count) } else { (count, 0) };
        ContactReport { count, hand_count, max_slide: slide(&after), max_slide_before: slide(&poses) }
    }

    /// Returns the direction in which a straight limb bends.
    fn bend(&self) -> Vector3<f64> {
        self.transfer.target.basis * if self.are_hands { -Vector3::z() } else { Vector3::z() }
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
        let lowest = track.iter().map(|position| position.dot(&up)).fold(f64::INFINITY, f64::min);
        let is_slow = |i: usize| {
            let (before, after) = (i.saturating_sub(1), (i + 1).min(track.len() - 1));
            let secs = f64::from(times_secs[after]) - f64::from(times_secs[before]);
            (track[after] - track[before]).norm() <= MAX_SPEED * length * secs
        };
        let is_low = |i: usize| track[i].dot(&up) - lowest <= MAX_HEIGHT * length;
        let stands = |i: usize| is_slow(i) && (self.are_hands || is_low(i));
        let min_secs = if self.are_hands { MIN_HAND_CONTACT_SECS } else { MIN_CONTACT_SECS };
        let is_contact = |range: &Range<usize>| {
            let secs = f64::from(times_secs[range.end - 1]) - f64::from(times_secs[range.start]);
            let travel = |i: usize| (leg.upper_track[i] - leg.upper_track[range.start]).norm();
            let moves = || range.clone().any(|i| travel(i) >= MIN_SHOULDER_TRAVEL * length);
            range.len() > 1 && secs >= min_secs && (!self.are_hands || moves())
        };
        let (mut contacts, mut start) = (Vec::new(), 0);
        while start < track.len() {
            let stays = |i: &usize| stands(*i) && (track[*i] - track[start]).norm() <= MAX_DRIFT * length;
            let end = start + (start..track.len()).take_while(stays).count();
            let range = start..end.max(start + 1);
            start = range.end;
            contacts.extend(Some(range).filter(is_contact));
        }
        contacts
    }
}

/// Returns the displacement of a foot or hand at each sample to its place: all of it in contacts, and a part before and after. A foot
/// stands on the ground, whose direction is `up`.
fn offsets(
    leg: &Leg,
    contacts: &[Range<usize>],
    points: &[Vector3<f64>],
    times_secs: &[f32],
    up: Option<Vector3<f64>>,
) -> Vec<Vector3<f64>> {
    let mut offsets = vec![Vector3::zeros(); points.len()];
    for contact in contacts {
        let count = contact.len() as f64;
        let mean = points[contact.clone()].iter().sum::<Vector3<f64>>() / count;
        let on_ground = up.map(|up| {
            let height = leg.track[contact.clone()].iter().map(|position| position.dot(&up)).sum::<f64>() / count;
            let [source_rest, target_rest] = leg.rest_heights;
            up * (target_rest + height - source_rest - mean.dot(&up))
        });
        let place = mean + on_ground.unwrap_or_default();
        for i in contact.clone() {
            offsets[i] = place - points[i];
        }
    }
    let time = |i: usize| f64::from(times_secs[i]);
    let smooth = |x: f64| x * x * (3.0 - 2.0 * x);
    let mut ends = contacts.iter().map(|contact| contact.end - 1).map(Some).collect::<Vec<_>>();
    ends.insert(0, None);
    let starts = contacts.iter().map(|contact| Some(contact.start)).chain([None]);
    for (before, after) in ends.into_iter().zip(starts) {
        let range = before.map_or(0, |before| before + 1)..after.unwrap_or(points.len());
        let gap = before.zip(after).map_or(f64::INFINITY, |(before, after)| time(after) - time(before));
        let blend_secs = BLEND_SECS.min(gap);
        let weight = |secs: f64| smooth((1.0 - secs / blend_secs).max(0.0));
        let [from, to] = [before, after].map(|i| i.map_or(Vector3::zeros(), |i| offsets[i]));
        for i in range {
            let leaves = before.map_or(0.0, |before| weight(time(i) - time(before)));
            let reaches = after.map_or(0.0, |after| weight(time(after) - time(i)));
            offsets[i] = from * leaves + to * reaches;
        }
    }
    offsets
}

/// Returns values that are at least `values` and change smoothly over time.
fn smooth_maximum(values: &[f64], times_secs: &[f32]) -> Vec<f64> {
    let window = |i: usize| {
        let time = f64::from(times_secs[i]);
        let start = times_secs.partition_point(|at| f64::from(*at) < time - PELVIS_SECS);
        start..times_secs.partition_point(|at| f64::from(*at) <= time + PELVIS_SECS)
    };
    let maximum = |i: usize| values[window(i)].iter().copied().fold(0.0, f64::max);
    let maxima: Vec<f64> = (0..values.len()).map(maximum).collect();
    (0..values.len()).map(|i| maxima[window(i)].iter().sum::<f64>() / window(i).len() as f64).collect()
}

impl LegPose {
    /// Returns how far the hip sinks for the leg to reach its ankle, moved by `offset`.
    fn needed_drop(&self, offset: Vector3<f64>, up: Vector3<f64>) -> f64 {
        let reach = MAX_EXTENSION * ((self.knee - self.hip).norm() + (self.ankle - self.knee).norm());
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
