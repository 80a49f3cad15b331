//! Who of a crowd may be in a picture: the others need not be posed.

use super::animated_bounds::{Parts, reach};
use super::block_order::BlockOrder;
use super::{Crowd, PaletteLayout};
use crate::math::{BoundingSphere, Frustum, Side};
use crate::model::Model;

/// Instances that are looked at together before each is by itself.
const INSTANCES_PER_GROUP: usize = 64;

/// What rounding to single precision may add to a ball, in parts of its radius and of its distance from the world's origin.
const ROUNDING: f64 = 1e-5;

/// Finds out which instances of a crowd a camera may see, by balls that hold each whatever its clips do.
#[derive(Clone, Debug)]
pub struct FrustumCuller {
    parts: Parts,
    /// The revision of the crowd that the rest is of.
    crowd_revision: u64,
    /// For each role, the ball in model space.
    reaches: Vec<BoundingSphere>,
    /// For each so many instances in the roster's order, the ball around all of theirs.
    groups: Vec<BoundingSphere>,
    /// Memory kept from call to call.
    next: BlockOrder,
}

impl FrustumCuller {
    /// Of models that are drawn with `layout`.
    pub fn new(model: &Model, layout: &PaletteLayout) -> Self {
        Self {
            parts: Parts::new(model, layout),
            crowd_revision: 0,
            reaches: Vec::new(),
            groups: Vec::new(),
            next: BlockOrder::default(),
        }
    }

    /// From now on only those of `crowd` are posed that `view` may show, or all again; whether that changes anything.
    ///
    /// What is left out has no vertex in the view at any time: no picture without its shadow lacks anything.
    ///
    /// # Panics
    /// If the crowd was made for another model than this.
    pub fn look(&mut self, model: &Model, layout: &PaletteLayout, crowd: &mut Crowd, view: Option<&Frustum>) -> bool {
        crowd.settle();
        let Some(view) = view else { return crowd.show_all() };
        self.measure(model, layout, crowd);
        let all = crowd.everybody();
        self.next.clear();
        let mut start = 0;
        let mut group_side = (usize::MAX, Side::Across);
        for &(role, end) in &all.runs {
            for place in start..end {
                let group = place / INSTANCES_PER_GROUP;
                if group_side.0 != group {
                    group_side = (group, view.side_of(&self.groups[group]));
                }
                let instance = all.instance(place);
                let is_in = match group_side.1 {
                    Side::Inside => true,
                    Side::Outside => false,
                    Side::Across => {
                        let ball = in_world(crowd, instance, &self.reaches[usize::from(role)]);
                        view.side_of(&ball) != Side::Outside
                    }
                };
                if is_in {
                    self.next.push(instance);
                }
            }
            self.next.end_run(role);
            start = end;
        }
        match self.next.len() == all.len() {
            true => crowd.show_all(),
            false => crowd.show_only(&mut self.next),
        }
    }

    /// Brings the balls up to date.
    fn measure(&mut self, model: &Model, layout: &PaletteLayout, crowd: &Crowd) {
        if std::mem::replace(&mut self.crowd_revision, crowd.revision()) == crowd.revision() {
            return;
        }
        let all = crowd.everybody();
        let parts = &self.parts;
        let mut start = 0;
        self.reaches.clear();
        self.reaches.resize(crowd.roles().len(), BoundingSphere::EMPTY);
        for &(role, end) in &all.runs {
            if std::mem::replace(&mut start, end) < end {
                let role_content = &crowd.roles()[usize::from(role)];
                let hand = crowd.hand_of(role_content).map(|(pose, _)| pose);
                let clips = Crowd::clips_of(role_content, model);
                self.reaches[usize::from(role)] = reach(model, layout, parts, &clips, hand);
            }
        }
        self.groups.clear();
        for first in (0..all.len()).step_by(INSTANCES_PER_GROUP) {
            let mut ball = BoundingSphere::EMPTY;
            for (role, from, to) in all.runs_within(first, all.len().min(first + INSTANCES_PER_GROUP)) {
                for instance in all.instances(from..to) {
                    ball.merge(&in_world(crowd, instance, &self.reaches[usize::from(role)]));
                }
            }
            self.groups.push(ball);
        }
    }
}

impl FrustumCuller {
    /// The ball in the world that holds all of an instance, whatever it plays, since the last [`look`](Self::look) with a view.
    pub fn ball(&self, crowd: &Crowd, instance: usize) -> BoundingSphere {
        in_world(crowd, instance, &self.reaches[usize::from(crowd.records[instance].role)])
    }
}

/// The ball of an instance in the world, with room for rounding. One that has no size in numbers is everywhere.
fn in_world(crowd: &Crowd, instance: usize, reach: &BoundingSphere) -> BoundingSphere {
    let mut ball = reach.transformed(&crowd.placement(instance));
    ball.radius += ROUNDING * (ball.radius + ball.center.amax());
    if !(ball.radius.is_finite() && ball.center.amax().is_finite()) {
        return BoundingSphere { center: nalgebra::Vector3::zeros(), radius: f64::INFINITY };
    }
    ball
}
