//! Three rings around a joint by which a hand turns it about its own axes: where they are seen, and what a drag does.

use crate::app::viewer::analysis::picking::Ray;
use crate::math::{Affine, Transform};
use crate::scene::{Camera, Lens};
use nalgebra::{Unit, UnitQuaternion, Vector3};
use std::f64::consts::{PI, TAU};

/// Radius of the rings, in heights of the picture.
const RADIUS: f64 = 0.11;

/// How near to a ring a hand must be, in heights of the picture.
const REACH: f64 = 0.014;

/// A ring whose axis is nearer to the picture's plane than this (as a cosine) is seen from its edge: a hand follows it as a
/// straight line.
const EDGE_ON: f64 = 0.25;

/// Points of a ring as it is drawn.
const POINTS: usize = 64;

/// A place of the picture in heights of it, from its upper left corner.
pub(crate) type Place = [f64; 2];

/// The rings of a joint as a camera sees them.
#[derive(Clone, Debug)]
pub(crate) struct RotateGizmo {
    camera: Camera,
    /// Width of the picture over its height.
    aspect: f64,
    center: Vector3<f64>,
    /// What the joint turns about, of unit length, in world space.
    axes: [Vector3<f64>; 3],
    /// Which way it turns there: -1 where its parent is mirrored.
    sense: f64,
    /// In meters.
    radius: f64,
}

/// A ring in the hand.
#[derive(Clone, Debug)]
pub(crate) struct Drag {
    rings: RotateGizmo,
    /// Which of the rings: 0 X, 1 Y, 2 Z.
    pub(crate) axis: usize,
    grip: DragMode,
    /// `parent_from_joint` when it was taken.
    from: Transform,
    /// Radians since then.
    pub(crate) turned: f64,
}

/// How a hand holds a ring.
#[derive(Clone, Copy, Debug)]
enum DragMode {
    /// It goes around; the angle where it was last.
    Around(f64),
    /// It goes along a line: where it began, and the line's direction, of unit length.
    Along(Place, Place),
}

impl RotateGizmo {
    /// The rings of a joint; `None` where it cannot be turned, or is not before the camera.
    pub(crate) fn new(
        world_from_parent: &Affine,
        parent_from_joint: &Transform,
        camera: &Camera,
        aspect: f64,
    ) -> Option<Self> {
        let center = world_from_parent.point(parent_from_joint.translation);
        let turn = parent_from_joint.rotation.to_rotation_matrix();
        let axis = |i: usize| world_from_parent.vector(turn.matrix().column(i).into_owned()).try_normalize(1e-30);
        let axes = [axis(0)?, axis(1)?, axis(2)?];
        let depth = -camera.view_from_world().point(center).z;
        let height = match camera.lens {
            Lens::Perspective { fov_y } => 2.0 * depth * libm::tan(0.5 * fov_y),
            Lens::Orthographic { half_size: [half_width, half_height] } => 2.0 * half_height.max(half_width / aspect),
        };
        let sense = if world_from_parent.determinant() < 0.0 { -1.0 } else { 1.0 };
        let rings = Self { camera: *camera, aspect, center, axes, sense, radius: RADIUS * height };
        (depth > 0.0 && rings.radius.is_finite() && rings.radius > 0.0).then_some(rings)
    }

    /// Where a point is seen; `None` behind the camera.
    fn place(&self, point: Vector3<f64>) -> Option<Place> {
        let p = self.camera.projection_from_world(self.aspect) * point.push(1.0);
        (p.w > 0.0).then(|| [(0.5 + 0.5 * p.x / p.w) * self.aspect, 0.5 - 0.5 * p.y / p.w])
    }

    /// Two directions in the plane of a ring, at right angles.
    fn plane(&self, axis: usize) -> [Vector3<f64>; 2] {
        let normal = self.axes[axis];
        let next = self.axes[(axis + 1) % 3];
        let u = (next - normal * normal.dot(&next)).try_normalize(1e-9);
        let u = u.unwrap_or_else(|| normal.cross(&Vector3::new(0.3, 0.5, 0.81)).normalize());
        [u, normal.cross(&u)]
    }

    fn point(&self, axis: usize, angle: f64) -> Vector3<f64> {
        let [u, v] = self.plane(axis);
        let (sin, cos) = libm::sincos(angle);
        self.center + (u * cos + v * sin) * self.radius
    }

    /// Towards the eye from the middle, of unit length.
    fn to_eye(&self) -> Vector3<f64> {
        match self.camera.lens {
            Lens::Perspective { .. } => (self.camera.eye_in_world() - self.center).normalize(),
            Lens::Orthographic { .. } => self.camera.world_from_view.linear.column(2).into_owned(),
        }
    }

    /// A ring as it is seen, closed: places, and whether each is on the side of the viewer.
    pub(crate) fn seen(&self, axis: usize) -> Vec<(Place, bool)> {
        let to_eye = self.to_eye();
        let at = |i: usize| {
            let point = self.point(axis, TAU * i as f64 / POINTS as f64);
            Some((self.place(point)?, (point - self.center).dot(&to_eye) > -0.05 * self.radius))
        };
        (0..=POINTS).filter_map(at).collect()
    }

    /// The ring that a hand at `place` reaches.
    pub(crate) fn nearest(&self, place: Place) -> Option<usize> {
        let distance = |axis: usize| {
            let seen = self.seen(axis);
            let near = |pair: &[(Place, bool)]| {
                // The far side is there to be seen, not to be taken from under the near side of another.
                let penalty = if pair[0].1 { 0.0 } else { 0.5 * REACH };
                distance_to_line(place, pair[0].0, pair[1].0) + penalty
            };
            seen.windows(2).map(near).fold(f64::INFINITY, f64::min)
        };
        let (axis, distance) =
            (0..3).map(|axis| (axis, distance(axis))).min_by(|a, b| a.1.total_cmp(&b.1)).expect("three rings");
        (distance < REACH).then_some(axis)
    }

    /// Takes the ring that a hand at `place` reaches, of a joint that stands so.
    pub(crate) fn begin_drag(&self, place: Place, from: Transform) -> Option<Drag> {
        let axis = self.nearest(place)?;
        let edge_on = self.axes[axis].dot(&self.to_eye()).abs() < EDGE_ON;
        let grip = match self.angle(axis, place).filter(|_| !edge_on) {
            Some(angle) => DragMode::Around(angle),
            None => DragMode::Along(place, self.tangent(axis, place)),
        };
        Some(Drag { rings: self.clone(), axis, grip, from, turned: 0.0 })
    }

    /// Where on a ring's plane a place is, as an angle about its axis.
    fn angle(&self, axis: usize, place: Place) -> Option<f64> {
        let ray = Ray::through(&self.camera, self.aspect, [place[0] / self.aspect, place[1]]);
        let steep = ray.direction.dot(&self.axes[axis]);
        if steep.abs() < 1e-9 {
            return None;
        }
        let along = (self.center - ray.origin).dot(&self.axes[axis]) / steep;
        let from_center = ray.origin + ray.direction * along - self.center;
        let [u, v] = self.plane(axis);
        Some(libm::atan2(from_center.dot(&v), from_center.dot(&u)))
    }

    /// The direction in which a ring runs where a hand takes it.
    fn tangent(&self, axis: usize, place: Place) -> Place {
        let places: Vec<Place> = self.seen(axis).into_iter().map(|(place, _)| place).collect();
        // Of the two sides that lie over each other the near one counts: it comes with its own direction.
        let near: Vec<bool> = self.seen(axis).into_iter().map(|(_, near)| near).collect();
        let distance = |i: usize| distance_to_line(place, places[i], places[i + 1]) + if near[i] { 0.0 } else { 1.0 };
        let best = (0..places.len().saturating_sub(1)).min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
        let Some(best) = best else { return [1.0, 0.0] };
        let way = [places[best + 1][0] - places[best][0], places[best + 1][1] - places[best][1]];
        let length = way[0].hypot(way[1]).max(1e-12);
        way.map(|part| part / length)
    }
}

impl Drag {
    /// The rings as they were when one was taken.
    pub(crate) fn rings(&self) -> &RotateGizmo {
        &self.rings
    }

    /// Follows a hand to `place`; `parent_from_joint` from now on. With `step_radians` above 0 it turns by whole steps.
    pub(crate) fn drag_to(&mut self, place: Place, step_radians: f64) -> Transform {
        match &mut self.grip {
            DragMode::Around(last) => {
                if let Some(angle) = self.rings.angle(self.axis, place) {
                    // The short way from where it was: rounds add up.
                    self.turned += (angle - *last + PI).rem_euclid(TAU) - PI;
                    *last = angle;
                }
            }
            DragMode::Along(from, way) => {
                let along = (place[0] - from[0]) * way[0] + (place[1] - from[1]) * way[1];
                self.turned = along / RADIUS;
            }
        }
        turned(&self.from, self.axis, self.rings.sense * self.whole_steps(step_radians))
    }

    fn whole_steps(&self, step: f64) -> f64 {
        if step > 0.0 { (self.turned / step).round() * step } else { self.turned }
    }
}

/// A joint turned about one of its own axes.
pub(crate) fn turned(transform: &Transform, axis: usize, radians: f64) -> Transform {
    let own = [Vector3::x(), Vector3::y(), Vector3::z()][axis];
    let turn = UnitQuaternion::from_axis_angle(&Unit::new_unchecked(own), radians);
    Transform { rotation: UnitQuaternion::new_normalize((transform.rotation * turn).into_inner()), ..*transform }
}

/// From a place to a line between two others.
fn distance_to_line(p: Place, a: Place, b: Place) -> f64 {
    let (ab, ap) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let length_squared = ab[0] * ab[0] + ab[1] * ab[1];
    let share = if length_squared > 0.0 { (ap[0] * ab[0] + ap[1] * ab[1]) / length_squared } else { 0.0 };
    let share = share.clamp(0.0, 1.0);
    (ap[0] - share * ab[0]).hypot(ap[1] - share * ab[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seen from +Z, so that the ring about Z is a circle and the others are lines.
    fn from_front(parent: Affine, joint: Transform) -> RotateGizmo {
        let camera = Camera::look_at(Vector3::new(0.0, 0.0, 10.0), Vector3::zeros(), 0.6);
        RotateGizmo::new(&parent, &joint, &camera, 1.5).unwrap()
    }

    #[test]
    fn a_ring_is_as_large_as_it_is_meant_to_be_and_is_reached_where_it_is_seen() {
        let rings = from_front(Affine::IDENTITY, Transform::identity());
        let circle = rings.seen(2);
        assert!(circle.iter().all(|([x, y], near)| ((x - 0.75).hypot(y - 0.5) - RADIUS).abs() < 1e-9 && *near));
        let diagonal = RADIUS * 0.5_f64.sqrt();
        assert_eq!(rings.nearest([0.75 + diagonal, 0.5 - diagonal]), Some(2));
        assert_eq!(rings.nearest([0.75, 0.5 - 0.6 * RADIUS]), Some(0), "the ring about X stands upright");
        assert_eq!(rings.nearest([0.75 + 0.6 * RADIUS, 0.5]), Some(1), "the one about Y lies flat");
        assert_eq!(rings.nearest([0.75 + 0.4 * RADIUS, 0.5 - 0.4 * RADIUS]), None);
        assert_eq!(rings.nearest([0.1, 0.1]), None);
    }

    #[test]
    fn a_hand_that_goes_around_turns_the_joint_as_far_and_rounds_add_up() {
        let rings = from_front(Affine::IDENTITY, Transform::identity());
        let at = |degrees: f64| {
            let (sin, cos) = libm::sincos(degrees.to_radians());
            [0.75 + RADIUS * cos, 0.5 - RADIUS * sin]
        };
        let mut drag = rings.begin_drag(at(45.0), Transform::identity()).unwrap();
        assert_eq!(drag.axis, 2);
        let quarter = drag.drag_to(at(135.0), 0.0);
        let expected = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), PI / 2.0);
        assert!(quarter.rotation.angle_to(&expected) < 1e-9);
        for degrees in [200.0, 300.0, 400.0, 480.0] {
            drag.drag_to(at(degrees), 0.0);
        }
        assert!((drag.turned.to_degrees() - 435.0).abs() < 1e-6, "{}", drag.turned.to_degrees());
        let stepped = drag.drag_to(at(482.0), 5.0_f64.to_radians());
        assert!(
            stepped.rotation.angle_to(&UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 75.0_f64.to_radians()))
                < 1e-9
        );
    }

    #[test]
    fn a_ring_seen_from_its_edge_is_followed_along_it() {
        let rings = from_front(Affine::IDENTITY, Transform::identity());
        // The near side of the ring about Y runs to the right: what is in front goes along with the hand.
        let mut drag = rings.begin_drag([0.75 + 0.5 * RADIUS, 0.5], Transform::identity()).unwrap();
        assert_eq!(drag.axis, 1);
        let turned = drag.drag_to([0.75 + 1.0 * RADIUS, 0.5], 0.0);
        let front = turned.rotation * Vector3::z();
        assert!((drag.turned.abs() - 0.5).abs() < 1e-9 && front.x > 0.4, "{front}");
    }

    #[test]
    fn a_mirrored_parent_and_a_turned_joint_follow_the_hand_too() {
        let mut mirror = Affine::IDENTITY;
        mirror.linear[(0, 0)] = -2.0;
        let joint = Transform { rotation: UnitQuaternion::from_euler_angles(0.4, 0.5, 0.9), ..Transform::identity() };
        for parent in [Affine::IDENTITY, mirror] {
            let rings = from_front(parent, joint);
            for axis in 0..3 {
                // What lies on the ring under the hand goes where the hand goes.
                let [from, to] = [0.3, 0.8].map(|angle| rings.place(rings.point(axis, angle)).unwrap());
                let mut drag = Drag {
                    grip: DragMode::Around(rings.angle(axis, from).unwrap()),
                    rings: rings.clone(),
                    axis,
                    from: joint,
                    turned: 0.0,
                };
                let after = drag.drag_to(to, 0.0);
                let [before, after] = [&joint, &after].map(|transform| {
                    let own = [Vector3::y(), Vector3::z(), Vector3::x()][axis];
                    (parent.vector(transform.rotation * own)).normalize()
                });
                let swept = before.cross(&after).dot(&rings.axes[axis]);
                if parent == Affine::IDENTITY {
                    assert!((before.angle(&after) - 0.5).abs() < 1e-6, "{axis}");
                }
                assert!(swept > 0.1, "{axis}: {swept}");
            }
        }
    }

    #[test]
    fn behind_the_camera_there_is_nothing_to_hold() {
        let camera = Camera::look_at(Vector3::new(0.0, 0.0, -10.0), Vector3::new(0.0, 0.0, -20.0), 0.6);
        assert!(RotateGizmo::new(&Affine::IDENTITY, &Transform::identity(), &camera, 1.0).is_none());
        let mut flat = Affine::IDENTITY;
        flat.linear[(1, 1)] = 0.0;
        let camera = Camera::look_at(Vector3::new(0.0, 0.0, 10.0), Vector3::zeros(), 0.6);
        assert!(RotateGizmo::new(&flat, &Transform::identity(), &camera, 1.0).is_none());
    }
}
