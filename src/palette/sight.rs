//! Who of a crowd may be in a picture: the others need not be posed.

use super::reach::{Parts, reach};
use super::roster::Roster;
use super::{Crowd, PaletteLayout};
use crate::math::{Ball, Frustum, Side};
use crate::model::Model;

/// Instances that are looked at together before each is by itself.
const INSTANCES_PER_GROUP: usize = 64;

/// What rounding to single precision may add to a ball, in parts of its radius and of its distance from the world's origin.
const ROUNDING: f64 = 1e-5;

/// Finds out which instances of a crowd a camera may see, by balls that hold each whatever its clips do.
#[derive(Clone, Debug)]
pub struct Sight {
    parts: Parts,
    /// The revision of the crowd that the rest is of.
    crowd_revision: u64,
    /// For each role, the ball in model space.
    reaches: Vec<Ball>,
    /// For each so many instances in the roster's order, the ball around all of theirs.
    groups: Vec<Ball>,
    /// Memory kept from call to call.
    next: Roster,
}

impl Sight {
    /// Of models that are drawn with `layout`.
    pub fn new(model: &Model, layout: &PaletteLayout) -> Self {
        Self {
            parts: Parts::new(model, layout),
            crowd_revision: 0,
            reaches: Vec::new(),
            groups: Vec::new(),
            next: Roster::default(),
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
        self.next.order.clear();
        self.next.runs.clear();
        let mut start = 0;
        let mut group_side = (usize::MAX, Side::Across);
        for &(role, end) in &all.runs {
            for place in start..end {
                let group = place / INSTANCES_PER_GROUP;
                if group_side.0 != group {
                    group_side = (group, view.side_of(&self.groups[group]));
                }
                let instance = all.order[place];
                let is_in = match group_side.1 {
                    Side::Inside => true,
                    Side::Outside => false,
                    Side::Across => {
                        let ball = in_world(crowd, instance as usize, &self.reaches[usize::from(role)]);
                        view.side_of(&ball) != Side::Outside
                    }
                };
                if is_in {
                    self.next.order.push(instance);
                }
            }
            self.next.runs.push((role, self.next.order.len()));
            start = end;
        }
        match self.next.order.len() == all.order.len() {
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
        self.reaches.resize(crowd.roles().len(), Ball::EMPTY);
        for &(role, end) in &all.runs {
            if std::mem::replace(&mut start, end) < end {
                let role_content = &crowd.roles()[usize::from(role)];
                let hand = crowd.hand_of(role_content).map(|(pose, _)| pose);
                let clips = Crowd::clips_of(role_content, model);
                self.reaches[usize::from(role)] = reach(model, layout, parts, &clips, hand);
            }
        }
        self.groups.clear();
        for (group, instances) in all.order.chunks(INSTANCES_PER_GROUP).enumerate() {
            let first = group * INSTANCES_PER_GROUP;
            let mut ball = Ball::EMPTY;
            for (role, from, to) in all.runs_within(first, first + instances.len()) {
                for &instance in &instances[from - first..to - first] {
                    ball.merge(&in_world(crowd, instance as usize, &self.reaches[usize::from(role)]));
                }
            }
            self.groups.push(ball);
        }
    }
}

/// The ball of an instance in the world, with room for rounding. One that has no size in numbers is everywhere.
fn in_world(crowd: &Crowd, instance: usize, reach: &Ball) -> Ball {
    let mut ball = reach.transformed(&crowd.placement(instance));
    ball.radius += ROUNDING * (ball.radius + ball.centre.amax());
    if !(ball.radius.is_finite() && ball.centre.amax().is_finite()) {
        return Ball { centre: nalgebra::Vector3::zeros(), radius: f64::INFINITY };
    }
    ball
}

#[cfg(test)]
mod tests {
    use super::super::{Instance, Packing, Palette, skin_on_cpu};
    use super::*;
    use crate::import::{self, ImageLoading, ImportOptions};
    use crate::math::Affine;
    use crate::model::ClipIndex;
    use crate::pose::{HandPose, Layer, LoopMode, Timing};
    use nalgebra::{Rotation3, Vector3};

    fn open(file: &str) -> (Model, PaletteLayout) {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(file);
        let options = ImportOptions { images: ImageLoading::Skip, ..ImportOptions::default() };
        let model = import::open(&file, &options).unwrap().model;
        let layout = PaletteLayout::new(&model, model.default_scene);
        (model, layout)
    }

    fn place(i: usize) -> Affine {
        let linear = *Rotation3::from_axis_angle(&Vector3::y_axis(), i as f64).matrix() * (1.0 + 0.1 * (i % 5) as f64);
        Affine { linear, translation: Vector3::new((i % 20) as f64 * 3.0, 0.0, (i / 20) as f64 * 3.0) }
    }

    /// A crowd of several clips, layers and hands.
    fn crowd(model: &Model, count: usize) -> Crowd {
        let clips = model.clips.len().max(1) as u32;
        let instance = |i: usize| Instance::new(place(i), Some(ClipIndex(i as u32 % clips)), 0.37 * i as f64);
        let mut crowd = Crowd::new((0..count).map(instance));
        let timing = Timing { speed: 1.5, phase_secs: 0.2, loop_mode: LoopMode::PingPong };
        for i in (0..count).step_by(3) {
            let layer = |clip, weight| Layer { clip: Some(ClipIndex(clip % clips)), weight, timing };
            crowd.set_layers(i, &[layer(0, 0.3), layer(1, 0.4)]);
        }
        let mut hand = HandPose::new();
        let moved = model.skeleton.len() as u32 / 2;
        let mut put = model.skeleton.joint(crate::model::JointIndex(moved)).rest;
        put.translation.y += 1.0;
        hand.set(crate::model::JointIndex(moved), put);
        let hand = crowd.add_hand_pose(hand);
        (0..count).step_by(7).for_each(|i| crowd.set_hand(i, Some(hand)));
        crowd
    }

    #[test]
    fn a_reach_holds_every_vertex_at_every_time() {
        for file in ["windmill.glb", "hare.glb"] {
            let (model, layout) = open(file);
            let mut crowd = crowd(&model, 42);
            crowd.settle();
            let mut sight = Sight::new(&model, &layout);
            sight.measure(&model, &layout, &crowd);
            let (mut least_room, mut size) = (f64::INFINITY, 0.0_f64);
            for time in 0..9 {
                let mut palette = Palette::new(&layout, Packing::Rows);
                crowd.update(&model, &layout, 0.19 * f64::from(time), &mut palette);
                for block in 0..crowd.len() {
                    let instance = crowd.instance_of_block(block);
                    let role = crowd.records[instance].role;
                    let ball = in_world(&crowd, instance, &sight.reaches[usize::from(role)]);
                    let group = &sight.groups[block / INSTANCES_PER_GROUP];
                    for draw in &layout.draws {
                        for p in skin_on_cpu(&model, &layout, &palette, block, draw).positions {
                            let p = Vector3::from(p).cast::<f64>();
                            let room = ball.radius - (p - ball.centre).norm();
                            assert!(room >= 0.0 && (p - group.centre).norm() <= group.radius, "{file}: {instance}");
                            (least_room, size) = (least_room.min(room / ball.radius), size.max(ball.radius));
                        }
                    }
                }
            }
            // Loose balls would be of no use.
            assert!(least_room < 0.35, "{file}: there is always {least_room} of {size} left");
        }
    }

    #[test]
    fn who_is_left_out_has_nothing_in_the_view() {
        let (model, layout) = open("hare.glb");
        let mut crowd = crowd(&model, 300);
        let mut sight = Sight::new(&model, &layout);
        let everybody = {
            let mut palette = Palette::new(&layout, Packing::Rows);
            crowd.update(&model, &layout, 0.4, &mut palette);
            let blocks = (0..crowd.len()).map(|block| (crowd.instance_of_block(block), palette.block(block).to_vec()));
            blocks.collect::<std::collections::HashMap<_, _>>()
        };
        let eye = Vector3::new(20.0, 2.0, 20.0);
        let mut left_out = 0;
        for turn in 0..8 {
            let way = Rotation3::from_axis_angle(&Vector3::y_axis(), 0.8 * f64::from(turn)) * Vector3::z();
            let mut camera = crate::scene::Camera::look_at(eye, eye + way, 0.7);
            (camera.near, camera.far) = (0.1, 15.0);
            let projection = camera.projection_from_world(1.5);
            sight.look(&model, &layout, &mut crowd, Some(&Frustum::new(&projection)));
            assert!(!sight.look(&model, &layout, &mut crowd, Some(&Frustum::new(&projection))), "nothing has changed");
            let mut palette = Palette::new(&layout, Packing::Rows);
            crowd.update(&model, &layout, 0.4, &mut palette);
            let seen: Vec<usize> = (0..palette.instance_count()).map(|block| crowd.instance_of_block(block)).collect();
            left_out += crowd.len() - seen.len();
            for (block, instance) in seen.iter().enumerate() {
                assert_eq!(palette.block(block), everybody[instance], "{instance}");
            }
            // Everybody again, to look at those who were left out.
            assert!(sight.look(&model, &layout, &mut crowd, None));
            crowd.update(&model, &layout, 0.4, &mut palette);
            for block in (0..crowd.len()).filter(|block| !seen.contains(&crowd.instance_of_block(*block))) {
                for draw in &layout.draws {
                    let positions = skin_on_cpu(&model, &layout, &palette, block, draw).positions;
                    let clip: Vec<_> =
                        positions.iter().map(|p| projection * Vector3::from(*p).cast::<f64>().push(1.0)).collect();
                    let outside = |axis: usize, sign: f64| clip.iter().all(|p| sign * p[axis] > p.w);
                    assert!((0..3).any(|axis| outside(axis, 1.0) || outside(axis, -1.0)), "{turn}, block {block}");
                }
            }
        }
        assert!(left_out > 1500, "{left_out} of 2400");
    }
}
