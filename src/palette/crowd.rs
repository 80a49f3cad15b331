//! Many instances of one model: where each stands, and what it plays.

use super::block_order::BlockOrder;
use super::instance_record::{InstanceRecord, LayerState};
use super::matrix_format::{distance_to_similarity, scale_and_rotation};
use crate::math::simd::Group;
use crate::math::{Affine, SupportHull};
use crate::model::{ClipIndex, Model};
use crate::pose::{Layer, LoopMode, MAX_LAYERS, Playback, PoseOverride, shares_of};
use nalgebra::Vector3;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// One of the crowd, as it is put in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance {
    /// Where it stands.
    pub world_from_model: Affine,
    /// What it plays; `None` for the rest pose.
    pub clip: Option<ClipIndex>,
    /// Where in the clip it is.
    pub timing: Playback,
}

impl Instance {
    /// The instance that is alone: where the file puts it, at the clock's own time.
    pub fn alone(clip: Option<ClipIndex>) -> Self {
        Self { world_from_model: Affine::IDENTITY, clip, timing: Playback::ONCE }
    }

    /// An instance at a place that plays a clip again and again, ahead of the clock by `phase_secs`.
    pub fn new(world_from_model: Affine, clip: Option<ClipIndex>, phase_secs: f64) -> Self {
        Self { world_from_model, clip, timing: Playback::looping(phase_secs) }
    }
}

/// Instances of one model that share a clock; at least one.
///
/// Each takes 64 bytes. Where not all play the same, or only some are posed, four more tell whose place in the palette is whose;
/// where some placement is no similarity (it shears, or scales unevenly), 48 more hold it. Numbers of a placement are kept in
/// single precision, translations in twice that.
#[derive(Clone, Debug)]
pub struct Crowd {
    pub(super) records: Vec<InstanceRecord>,
    /// Rows of the linear parts, where some placement is no similarity; else none.
    pub(super) linear: Vec<[Group; 3]>,
    /// Whether anybody is turned or scaled.
    pub(super) turned: bool,
    /// Whether any placement keeps sides, any mirrors, any flattens.
    pub(super) signs: [bool; 3],
    /// The largest sum of a linear part's numbers, and the largest number of a translation.
    pub(super) bounds: [f64; 2],
    roles: Vec<Role>,
    role_numbers: HashMap<Role, u16>,
    pub(super) layers: Vec<LayerState>,
    hand_poses: Vec<(PoseOverride, u64)>,
    roster: BlockOrder,
    /// Those of the roster who are posed, if not all are.
    shown: BlockOrder,
    /// Whether only they are.
    is_choosy: bool,
    /// Whether the roster is out of date.
    stale: bool,
    /// A number that changes with what is played, and no other crowd has.
    revision: u64,
}

/// What some instances have in common: which clips they play, and how they are put by hand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Role {
    /// The clip of each layer; behind them, where weights leave something to the rest pose, none.
    pub(super) clips: Vec<Option<ClipIndex>>,
    pub(super) hand: Option<PoseOverrideIndex>,
}

/// A [`PoseOverride`] of a crowd, which any of its instances may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PoseOverrideIndex(u32);

/// The revision of the crowd or hand pose that is set next, whichever that is; 0 is none's.
static NEXT_REVISION: AtomicU64 = AtomicU64::new(1);

fn next_revision() -> u64 {
    NEXT_REVISION.fetch_add(1, Ordering::Relaxed)
}

/// Up to so many turned instances, the outline of a crowd is the outline of every one.
const HULLS_TO_MERGE: usize = 256;

impl Crowd {
    /// A crowd of these.
    ///
    /// # Panics
    /// If there are none, or more than 2^32 - 1.
    pub fn new(instances: impl IntoIterator<Item = Instance>) -> Self {
        let instances = instances.into_iter();
        let mut crowd = Self {
            records: Vec::with_capacity(instances.size_hint().0),
            linear: Vec::new(),
            turned: false,
            signs: [false; 3],
            bounds: [0.0; 2],
            roles: Vec::new(),
            role_numbers: HashMap::new(),
            layers: Vec::new(),
            hand_poses: Vec::new(),
            roster: BlockOrder::default(),
            shown: BlockOrder::default(),
            is_choosy: false,
            stale: true,
            revision: 0,
        };
        for Instance { world_from_model, clip, timing } in instances {
            let map = &world_from_model;
            let similarity = if map.linear == nalgebra::Matrix3::identity() {
                if !crowd.linear.is_empty() {
                    crowd.linear.push(rows_of(map));
                }
                (1.0, nalgebra::UnitQuaternion::identity())
            } else {
                crowd.turned = true;
                if crowd.linear.is_empty() && distance_to_similarity(map) > 1e-6 {
                    // Those before it were similarities.
                    crowd.linear = crowd.records.iter().map(|record| rows_of(&record.world_from_model())).collect();
                    crowd.linear.push(rows_of(map));
                } else if !crowd.linear.is_empty() {
                    crowd.linear.push(rows_of(map));
                }
                scale_and_rotation(map)
            };
            let determinant = map.determinant();
            crowd.signs[if determinant > 0.0 {
                0
            } else if determinant < 0.0 {
                1
            } else {
                2
            }] = true;
            for (bound, here) in crowd.bounds.iter_mut().zip([map.linear.abs().sum(), map.translation.amax()]) {
                // What is no number stays none.
                *bound = if here <= *bound { *bound } else { here };
            }
            let mut record = InstanceRecord::new(map, similarity, &timing);
            record.role = match crowd.roles.last() {
                Some(last) if last.clips == [clip] => crowd.roles.len() as u16 - 1,
                _ => crowd.role(Role { clips: vec![clip], hand: None }),
            };
            crowd.records.push(record);
        }
        assert!(!crowd.records.is_empty(), "a crowd of nobody");
        assert!(u32::try_from(crowd.records.len()).is_ok(), "a crowd without end");
        crowd
    }

    /// A crowd of one, where the file puts it, at the clock's own time.
    pub fn of_one(clip: Option<ClipIndex>) -> Self {
        Self::new(vec![Instance::alone(clip)])
    }

    /// Number of instances.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Never: a crowd has somebody.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Where an instance stands.
    pub fn placement(&self, instance: usize) -> Affine {
        let record = &self.records[instance];
        match self.linear.get(instance) {
            None => record.world_from_model(),
            Some(rows) => {
                let linear = nalgebra::Matrix3::from_fn(|row, column| f64::from(rows[row].0[column]));
                Affine { linear, translation: record.translation() }
            }
        }
    }

    /// What an instance plays: one layer, or several.
    pub fn layers(&self, instance: usize) -> impl ExactSizeIterator<Item = Layer> + '_ {
        let record = &self.records[instance];
        let clips = &self.role_of(instance).clips;
        let alone = record.layers == 0;
        let count = if alone { 1 } else { usize::from(record.layers) };
        (0..count).map(move |i| {
            if alone {
                return Layer::new(clips[0], record.timing());
            }
            let LayerState { timing, weight } = self.layers[record.first_layer as usize + i];
            Layer { clip: clips[i], weight, timing }
        })
    }

    /// Lets an instance play these, all at once. While the clips stay the same, this changes a few numbers and no more.
    ///
    /// # Panics
    /// If there are more than [`MAX_LAYERS`].
    pub fn set_layers(&mut self, instance: usize, layers: &[Layer]) {
        assert!(layers.len() <= MAX_LAYERS, "too many layers");
        let mut shares = [0.0; MAX_LAYERS];
        let at_rest = shares_of(layers.iter().map(|layer| layer.weight), &mut shares) > 0.0;
        let clips = || layers.iter().map(|layer| layer.clip).chain(at_rest.then_some(None));
        let role = self.role_of(instance);
        if !role.clips.iter().copied().eq(clips()) {
            let role = Role { clips: clips().collect(), hand: role.hand };
            self.records[instance].role = self.role(role);
            self.stale = true;
        }
        let record = &mut self.records[instance];
        if let ([layer], false) = (layers, at_rest) {
            record.set_timing(&layer.timing);
            record.layers = 0;
            return;
        }
        if usize::from(record.layers) != layers.len() {
            record.first_layer = self.layers.len() as u32;
            record.layers = layers.len() as u8;
            self.layers.resize(self.layers.len() + layers.len(), LayerState { timing: Playback::ONCE, weight: 0.0 });
        }
        for (state, layer) in self.layers[record.first_layer as usize..].iter_mut().zip(layers) {
            *state = LayerState { timing: layer.timing, weight: layer.weight };
        }
    }

    /// Lets every instance play `clip`, each at the timing that it has; layers are gone.
    pub fn play_everywhere(&mut self, clip: Option<ClipIndex>) {
        for instance in 0..self.len() {
            let layer = self.layers(instance).next().map(|layer| layer.timing);
            self.set_layers(instance, &[Layer::new(clip, layer.unwrap_or_default())]);
        }
        self.layers.clear();
    }

    /// Adds joints put by hand, for [`set_hand`](Self::set_hand).
    pub fn add_pose_override(&mut self, pose: PoseOverride) -> PoseOverrideIndex {
        self.hand_poses.push((pose, next_revision()));
        PoseOverrideIndex(self.hand_poses.len() as u32 - 1)
    }

    /// Changes joints put by hand, of all instances that have them so.
    pub fn update_pose_override(&mut self, index: PoseOverrideIndex, pose: PoseOverride) {
        self.hand_poses[index.0 as usize] = (pose, next_revision());
        self.revision = next_revision();
    }

    /// Joints put by hand.
    pub fn pose_override_at(&self, index: PoseOverrideIndex) -> &PoseOverride {
        &self.hand_poses[index.0 as usize].0
    }

    /// Puts the joints of an instance by hand, or leaves them to its clips.
    pub fn set_hand(&mut self, instance: usize, hand: Option<PoseOverrideIndex>) {
        let role = self.role_of(instance);
        if role.hand != hand {
            let role = Role { clips: role.clips.clone(), hand };
            self.records[instance].role = self.role(role);
            self.stale = true;
        }
    }

    /// How an instance's joints are put by hand.
    pub fn hand(&self, instance: usize) -> Option<PoseOverrideIndex> {
        self.role_of(instance).hand
    }

    /// The clips that are played, each once.
    pub fn clips(&self) -> Vec<ClipIndex> {
        let mut used = vec![false; self.roles.len()];
        self.records.iter().for_each(|record| used[usize::from(record.role)] = true);
        let roles = self.roles.iter().zip(used).filter_map(|(role, used)| used.then_some(role));
        let mut clips: Vec<ClipIndex> = roles.flat_map(|role| &role.clips).copied().flatten().collect();
        clips.sort_unstable();
        clips.dedup();
        clips
    }

    /// Whether all play the same one clip at its own speed, so that all is as it was when the clip is over.
    pub fn in_step(&self) -> bool {
        let first = &self.records[0];
        let same = |record: &InstanceRecord| {
            let Playback { speed, loop_mode, .. } = record.timing();
            record.role == first.role && record.layers == 0 && speed == 1.0 && loop_mode != LoopMode::PingPong
        };
        self.records.iter().all(same)
    }

    /// The number of the instance whose matrices are the palette's block `block`, since the last update.
    pub fn instance_of_block(&self, block: usize) -> usize {
        self.roster().instance(block)
    }

    pub(super) fn role_of(&self, instance: usize) -> &Role {
        &self.roles[usize::from(self.records[instance].role)]
    }

    pub(super) fn roles(&self) -> &[Role] {
        &self.roles
    }

    /// Joints put by hand, and a number that changes with them.
    pub(super) fn hand_of(&self, role: &Role) -> Option<&(PoseOverride, u64)> {
        role.hand.map(|index| &self.hand_poses[index.0 as usize])
    }

    /// Those who are posed: everybody, unless some were chosen.
    pub(super) fn roster(&self) -> &BlockOrder {
        if self.is_choosy { &self.shown } else { &self.roster }
    }

    /// Everybody, whether posed or not.
    pub(super) fn everybody(&self) -> &BlockOrder {
        &self.roster
    }

    /// Poses everybody from now on; whether that is anything new.
    pub(super) fn show_all(&mut self) -> bool {
        std::mem::replace(&mut self.is_choosy, false)
    }

    /// Poses only those of `chosen` from now on, and leaves those before in it; whether they are others.
    pub(super) fn show_only(&mut self, chosen: &mut BlockOrder) -> bool {
        let same = self.is_choosy && self.shown == *chosen;
        std::mem::swap(&mut self.shown, chosen);
        self.is_choosy = true;
        !same
    }

    /// Brings the roster up to date.
    pub(super) fn settle(&mut self) {
        if self.stale {
            self.forget_layers();
            self.roster.fill(&self.records, self.roles.len());
            (self.stale, self.is_choosy) = (false, false);
            self.revision = next_revision();
        }
    }

    /// A number that changes with what is played, from one settled crowd to the next.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// Lets go of layers that nobody has any more, once they are most of all.
    fn forget_layers(&mut self) {
        let used: usize = self.records.iter().map(|record| usize::from(record.layers)).sum();
        if self.layers.len() <= 2 * used + 1024 {
            return;
        }
        let mut layers = Vec::with_capacity(used);
        for record in self.records.iter_mut().filter(|record| record.layers > 0) {
            let first = record.first_layer as usize;
            record.first_layer = layers.len() as u32;
            layers.extend_from_slice(&self.layers[first..][..usize::from(record.layers)]);
        }
        self.layers = layers;
    }

    fn role(&mut self, role: Role) -> u16 {
        let next = self.roles.len();
        *self.role_numbers.entry(role).or_insert_with_key(|role| {
            self.roles.push(role.clone());
            u16::try_from(next).expect("at most 65536 different ways to play")
        })
    }

    /// The outline of all instances of a model with outline `hull`.
    pub fn hull(&self, hull: &SupportHull) -> SupportHull {
        let mut all = SupportHull::default();
        if self.len() <= HULLS_TO_MERGE {
            (0..self.len()).for_each(|instance| all.merge(&hull.transformed(&self.placement(instance))));
            return all;
        }
        // Those that reach farthest, each once: one of them is the outermost in many directions.
        let radius = hull.points().map(|point| point.norm()).fold(0.0, f64::max);
        let placement = |instance: usize| match self.turned {
            true => self.placement(instance),
            false => Affine::from_translation(self.records[instance].translation()),
        };
        for instance in outermost(self.len(), |instance| {
            let map = placement(instance);
            (map.translation, radius * map.linear.norm() / 3.0_f64.sqrt())
        }) {
            all.merge(&hull.transformed(&placement(instance)));
        }
        for instance in 0..self.len() {
            all.widen(&hull.bounds().transformed(&placement(instance)));
        }
        all
    }

    /// The layers of an instance, into `layers`; how many they are.
    pub(super) fn layers_into(&self, instance: usize, layers: &mut [Layer; MAX_LAYERS]) -> usize {
        let mut count = 0;
        for (slot, layer) in layers.iter_mut().zip(self.layers(instance)) {
            *slot = layer;
            count += 1;
        }
        count
    }

    /// The clips and the joints put by hand of a role, from the model that the crowd is of.
    ///
    /// # Panics
    /// If a clip does not exist.
    pub(super) fn clips_of<'a>(role: &Role, model: &'a Model) -> Vec<Option<&'a crate::model::Clip>> {
        role.clips.iter().map(|clip| clip.map(|clip| &model.clips[clip.get()])).collect()
    }
}

/// The rows of a linear part.
fn rows_of(map: &Affine) -> [Group; 3] {
    [0, 1, 2].map(|row| Group([0, 1, 2, 3].map(|i| if i < 3 { map.linear[(row, i)] as f32 } else { 0.0 })))
}

/// The balls that reach farthest in each of many directions, by number, each once.
fn outermost(count: usize, ball: impl Fn(usize) -> (Vector3<f64>, f64)) -> Vec<usize> {
    let directions: Vec<Vector3<f64>> = SupportHull::directions().collect();
    let mut best = vec![(f64::NEG_INFINITY, 0); directions.len()];
    for number in 0..count {
        let (center, radius) = ball(number);
        for (best, direction) in best.iter_mut().zip(&directions) {
            let reach = center.dot(direction) + radius;
            if reach > best.0 {
                *best = (reach, number);
            }
        }
    }
    let mut numbers: Vec<usize> = best.into_iter().map(|(_, number)| number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Aabb, Transform};
    use nalgebra::UnitQuaternion;

    fn place(i: usize) -> Affine {
        let angle = i as f64 * 0.37;
        Transform {
            translation: Vector3::new(i as f64 * 1234.5, 0.1, -(i as f64).sqrt()),
            rotation: UnitQuaternion::from_euler_angles(angle, -angle, 0.5 * angle),
            scale: Vector3::repeat(if i.is_multiple_of(3) { -0.5 } else { 2.0 }),
        }
        .to_affine()
    }

    #[test]
    fn a_crowd_gives_back_what_was_put_in() {
        let timing = Playback { speed: -0.25, phase_secs: 0.1, loop_mode: crate::pose::LoopMode::PingPong };
        let instance = |i| Instance { world_from_model: place(i), clip: Some(ClipIndex(i as u32 % 3)), timing };
        let crowd = Crowd::new((0..50).map(instance));
        for i in 0..50 {
            let (got, put) = (crowd.placement(i), place(i));
            assert!((got.linear - put.linear).amax() < 1e-6, "{i}");
            assert!((got.translation - put.translation).amax() < 1e-9 * put.translation.amax(), "{i}");
            assert_eq!(crowd.layers(i).collect::<Vec<_>>(), [Layer::new(Some(ClipIndex(i as u32 % 3)), timing)]);
        }
        let uneven = Transform { scale: Vector3::new(1.0, 2.0, 3.0), ..Transform::identity() }.to_affine();
        let crowd = Crowd::new(vec![Instance::new(place(1), None, 0.0), Instance::new(uneven, None, 0.0)]);
        assert_eq!(crowd.placement(1), uneven);
        assert!((crowd.placement(0).linear - place(1).linear).amax() < 1e-6);
    }

    #[test]
    fn layers_come_back_and_do_not_pile_up() {
        let mut crowd = Crowd::new([0, 1, 2].map(|i| Instance::new(place(i), Some(ClipIndex(0)), 0.0)));
        let layer = |clip, weight| Layer { weight, ..Layer::new(Some(ClipIndex(clip)), Playback::looping(0.5)) };
        for round in 0..10_000 {
            let share = round as f32 / 10_000.0;
            let fade = Layer::cross_fade(layer(0, 1.0), layer(round % 2, 1.0), share);
            crowd.set_layers(1, &fade);
            assert_eq!(crowd.layers(1).collect::<Vec<_>>(), fade);
            crowd.set_layers(2, &[layer(2, 0.5)]);
            assert_eq!(crowd.layers(2).collect::<Vec<_>>(), [layer(2, 0.5)]);
            crowd.set_layers(1, &[layer(1, 1.0)]);
            crowd.settle();
        }
        assert_eq!(crowd.layers(0).next().unwrap().clip, Some(ClipIndex(0)));
        assert_eq!(crowd.clips(), [0, 1, 2].map(ClipIndex));
        assert!(crowd.layers.len() < 5000 && crowd.roles().len() <= 5);
    }

    #[test]
    fn joints_put_by_hand_belong_to_those_who_are_told() {
        let mut crowd = Crowd::new([0, 1, 2].map(|i| Instance::new(place(i), None, 0.0)));
        let hand = crowd.add_pose_override(PoseOverride::new());
        crowd.set_hand(1, Some(hand));
        assert_eq!([0, 1, 2].map(|i| crowd.hand(i)), [None, Some(hand), None]);
        crowd.settle();
        assert_eq!([0, 1, 2].map(|block| crowd.instance_of_block(block)), [0, 2, 1]);
        crowd.set_hand(1, None);
        crowd.settle();
        assert_eq!([0, 1, 2].map(|block| crowd.instance_of_block(block)), [0, 1, 2]);
    }

    #[test]
    fn the_outline_of_many_is_that_of_each() {
        let bounds = Aabb { min: Vector3::new(-1.0, 0.0, -0.2), max: Vector3::new(0.5, 2.0, 0.2) };
        let hull = SupportHull::of_bounds(&bounds);
        let instance = |i| Instance::new(place(i), None, 0.0);
        let crowd = Crowd::new((0..1000).map(instance));
        let mut expected = SupportHull::default();
        (0..1000).for_each(|i| expected.merge(&hull.transformed(&crowd.placement(i))));
        let got = crowd.hull(&hull);
        let size = expected.bounds().diagonal();
        assert!((got.bounds().min - expected.bounds().min).amax() < 1e-6 * size);
        assert!((got.bounds().max - expected.bounds().max).amax() < 1e-6 * size);
    }
}
