//! Rotate gizmo: screen-space rings, hit testing, and the rotation for a drag.

use super::camera::{Camera, Lens};
use super::ray::Ray;
use nalgebra::{Unit, UnitQuaternion, Vector3};
use rigview_core::math::{Affine, Transform};

use std::f64::consts::{PI, TAU};

/// Ring radius in viewport heights.
const RADIUS: f64 = 0.11;

/// Hit distance in viewport heights.
const HIT_DISTANCE: f64 = 0.014;

/// A ring counts as edge-on if the cosine between its axis and the view direction is smaller. Its drag then follows a straight
/// line.
const MIN_RING_COSINE: f64 = 0.25;

/// Number of segments of a drawn ring.
const RING_POINTS: usize = 64;

/// A position in viewport heights from the top left corner.
pub(super) type Position = [f64; 2];

/// The rings of a joint as seen by a camera.
#[derive(Clone, Debug)]
pub struct RotateGizmo {
    camera: Camera,
    /// Width over height of the viewport.
    aspect: f64,
    center: Vector3<f64>,
    /// Rotation axes in world space, normalized.
    axes: [Vector3<f64>; 3],
    /// Sign of the rotation: -1 if the parent is mirrored.
    handedness: f64,
    /// Ring radius in meters.
    radius: f64,
}

/// A drag of one ring.
#[derive(Clone, Debug)]
pub struct RotateDrag {
    gizmo: RotateGizmo,
    /// 0 is X, 1 is Y, 2 is Z.
    pub axis: usize,
    mode: DragMode,
    /// `parent_from_joint` at the start of the drag.
    start: Transform,
    /// Rotation since then.
    pub rotation_radians: f64,
}

#[derive(Clone, Copy, Debug)]
enum DragMode {
    /// Around the ring; the last angle.
    Around(f64),
    /// Along a line: its start and normalized direction.
    Along(Position, Position),
}

impl RotateGizmo {
    /// The gizmo of a joint; `None` for a degenerate transform, or behind the camera.
    pub fn new(
        world_from_parent: &Affine,
        parent_from_joint: &Transform,
        camera: &Camera,
        aspect: f64,
    ) -> Option<Self> {
        let center = world_from_parent.transform_point(parent_from_joint.translation);
        let rotation = parent_from_joint.rotation.to_rotation_matrix();
        let axis = |i: usize| {
            world_from_parent.transform_vector(rotation.matrix().column(i).into_owned()).try_normalize(1e-30)
        };
        let axes = [axis(0)?, axis(1)?, axis(2)?];
        let depth = -camera.view_from_world().transform_point(center).z;
        let height = match camera.lens {
            Lens::Perspective { fov_y } => 2.0 * depth * libm::tan(0.5 * fov_y),
            Lens::Orthographic { half_size: [half_width, half_height] } => 2.0 * half_height.max(half_width / aspect),
        };
        let handedness = if world_from_parent.determinant() < 0.0 { -1.0 } else { 1.0 };
        let gizmo = Self { camera: *camera, aspect, center, axes, handedness, radius: RADIUS * height };
        (depth > 0.0 && gizmo.radius.is_finite() && gizmo.radius > 0.0).then_some(gizmo)
    }

    /// Projects a point; `None` behind the camera.
    fn project(&self, point: Vector3<f64>) -> Option<Position> {
        let p = self.camera.projection_from_world(self.aspect) * point.push(1.0);
        (p.w > 0.0).then(|| [(0.5 + 0.5 * p.x / p.w) * self.aspect, 0.5 - 0.5 * p.y / p.w])
    }

    /// Two orthogonal directions in the plane of a ring.
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

    /// Normalized direction from the center to the eye.
    fn to_eye(&self) -> Vector3<f64> {
        match self.camera.lens {
            Lens::Perspective { .. } => (self.camera.eye_in_world() - self.center).normalize(),
            Lens::Orthographic { .. } => self.camera.world_from_view.linear.column(2).into_owned(),
        }
    }

    /// The closed polyline of a ring; each vertex with a flag for the near side.
    pub fn ring_points(&self, axis: usize) -> Vec<(Position, bool)> {
        let to_eye = self.to_eye();
        let at = |i: usize| {
            let point = self.point(axis, TAU * i as f64 / RING_POINTS as f64);
            Some((self.project(point)?, (point - self.center).dot(&to_eye) > -0.05 * self.radius))
        };
        (0..=RING_POINTS).filter_map(at).collect()
    }

    /// The ring at a position.
    pub fn hit_test(&self, position: Position) -> Option<usize> {
        let distance = |axis: usize| {
            let ring_points = self.ring_points(axis);
            let near = |pair: &[(Position, bool)]| {
                // The far side does not win over the near side of another ring.
                let penalty = if pair[0].1 { 0.0 } else { 0.5 * HIT_DISTANCE };
                distance_to_line(position, pair[0].0, pair[1].0) + penalty
            };
            ring_points.windows(2).map(near).fold(f64::INFINITY, f64::min)
        };
        let (axis, distance) =
            (0..3).map(|axis| (axis, distance(axis))).min_by(|a, b| a.1.total_cmp(&b.1)).expect("three rings");
        (distance < HIT_DISTANCE).then_some(axis)
    }

    /// Position of the center.
    pub fn center(&self) -> Option<Position> {
        self.project(self.center)
    }

    /// Returns `true` at the center, by which a limb is moved.
    pub fn hits_center(&self, [x, y]: Position) -> bool {
        self.center().is_some_and(|center| (center[0] - x).hypot(center[1] - y) < HIT_DISTANCE)
    }

    /// Returns the movement of the center by a drag between two positions, in the plane that faces the camera; in world space.
    pub fn movement(&self, from: Position, to: Position) -> Option<Vector3<f64>> {
        let normal = self.camera.world_from_view.linear.column(2).into_owned();
        let [from, to] = [from, to].map(|[x, y]| {
            let ray = Ray::through(&self.camera, self.aspect, [x / self.aspect, y]);
            let point =
                ray.origin + ray.direction * ((self.center - ray.origin).dot(&normal) / ray.direction.dot(&normal));
            point.iter().all(|x| x.is_finite()).then_some(point)
        });
        Some(to? - from?)
    }

    /// Begins a drag of the ring at a position, of a joint in this pose.
    pub fn begin_drag(&self, position: Position, start: Transform) -> Option<RotateDrag> {
        let axis = self.hit_test(position)?;
        let edge_on = self.axes[axis].dot(&self.to_eye()).abs() < MIN_RING_COSINE;
        let mode = match self.angle(axis, position).filter(|_| !edge_on) {
            Some(angle) => DragMode::Around(angle),
            None => DragMode::Along(position, self.tangent(axis, position)),
        };
        Some(RotateDrag { gizmo: self.clone(), axis, mode, start, rotation_radians: 0.0 })
    }

    /// Angle of a position on the plane of a ring.
    fn angle(&self, axis: usize, position: Position) -> Option<f64> {
        let ray = Ray::through(&self.camera, self.aspect, [position[0] / self.aspect, position[1]]);
        let cosine = ray.direction.dot(&self.axes[axis]);
        if cosine.abs() < 1e-9 {
            return None;
        }
        let along = (self.center - ray.origin).dot(&self.axes[axis]) / cosine;
        let from_center = ray.origin + ray.direction * along - self.center;
        let [u, v] = self.plane(axis);
        Some(libm::atan2(from_center.dot(&v), from_center.dot(&u)))
    }

    /// Screen-space tangent of a ring at a position.
    fn tangent(&self, axis: usize, position: Position) -> Position {
        let positions: Vec<Position> = self.ring_points(axis).into_iter().map(|(position, _)| position).collect();
        // The near side wins where both sides overlap.
        let near: Vec<bool> = self.ring_points(axis).into_iter().map(|(_, near)| near).collect();
        let distance =
            |i: usize| distance_to_line(position, positions[i], positions[i + 1]) + if near[i] { 0.0 } else { 1.0 };
        let best = (0..positions.len().saturating_sub(1)).min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
        let Some(best) = best else { return [1.0, 0.0] };
        let direction = [positions[best + 1][0] - positions[best][0], positions[best + 1][1] - positions[best][1]];
        let length = direction[0].hypot(direction[1]).max(1e-12);
        direction.map(|part| part / length)
    }
}

impl RotateDrag {
    /// The gizmo at the start of the drag.
    pub fn gizmo(&self) -> &RotateGizmo {
        &self.gizmo
    }

    /// Continues the drag. Returns `parent_from_joint`, rotated in multiples of `step_radians` if that is above 0.
    pub fn drag_to(&mut self, position: Position, step_radians: f64) -> Transform {
        match &mut self.mode {
            DragMode::Around(last) => {
                if let Some(angle) = self.gizmo.angle(self.axis, position) {
                    // The shortest rotation, so that turns accumulate.
                    self.rotation_radians += (angle - *last + PI).rem_euclid(TAU) - PI;
                    *last = angle;
                }
            }
            DragMode::Along(from, direction) => {
                let along = (position[0] - from[0]) * direction[0] + (position[1] - from[1]) * direction[1];
                self.rotation_radians = along / RADIUS;
            }
        }
        rotated(&self.start, self.axis, self.gizmo.handedness * self.whole_steps(step_radians))
    }

    fn whole_steps(&self, step: f64) -> f64 {
        if step > 0.0 { (self.rotation_radians / step).round() * step } else { self.rotation_radians }
    }
}

/// Rotates a joint about one of its local axes.
fn rotated(transform: &Transform, axis: usize, radians: f64) -> Transform {
    let local_axis = [Vector3::x(), Vector3::y(), Vector3::z()][axis];
    let rotation = UnitQuaternion::from_axis_angle(&Unit::new_unchecked(local_axis), radians);
    Transform { rotation: UnitQuaternion::new_normalize((transform.rotation * rotation).into_inner()), ..*transform }
}

/// Distance of a point to a line segment.
fn distance_to_line(p: Position, a: Position, b: Position) -> f64 {
    let (ab, ap) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let length_squared = ab[0] * ab[0] + ab[1] * ab[1];
    let t = if length_squared > 0.0 { (ap[0] * ab[0] + ap[1] * ab[1]) / length_squared } else { 0.0 };
    let t = t.clamp(0.0, 1.0);
    (ap[0] - t * ab[0]).hypot(ap[1] - t * ab[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seen from +Z: the Z ring is a circle, the others are lines.
    fn from_front(parent: Affine, joint: Transform) -> RotateGizmo {
        let camera = Camera::look_at(Vector3::new(0.0, 0.0, 10.0), Vector3::zeros(), 0.6);
        RotateGizmo::new(&parent, &joint, &camera, 1.5).unwrap()
    }

    #[test]
    fn rings_have_the_given_size_and_are_hit_where_they_are_drawn() {
        let gizmo = from_front(Affine::IDENTITY, Transform::identity());
        let circle = gizmo.ring_points(2);
        assert!(circle.iter().all(|([x, y], near)| ((x - 0.75).hypot(y - 0.5) - RADIUS).abs() < 1e-9 && *near));
        let diagonal = RADIUS * 0.5_f64.sqrt();
        assert_eq!(gizmo.hit_test([0.75 + diagonal, 0.5 - diagonal]), Some(2));
        assert_eq!(gizmo.hit_test([0.75, 0.5 - 0.6 * RADIUS]), Some(0), "the ring about X stands upright");
        assert_eq!(gizmo.hit_test([0.75 + 0.6 * RADIUS, 0.5]), Some(1), "the one about Y lies flat");
        assert_eq!(gizmo.hit_test([0.75 + 0.4 * RADIUS, 0.5 - 0.4 * RADIUS]), None);
        assert_eq!(gizmo.hit_test([0.1, 0.1]), None);
    }

    #[test]
    fn circular_drag_accumulates_turns() {
        let gizmo = from_front(Affine::IDENTITY, Transform::identity());
        let at = |degrees: f64| {
            let (sin, cos) = libm::sincos(degrees.to_radians());
            [0.75 + RADIUS * cos, 0.5 - RADIUS * sin]
        };
        let mut drag = gizmo.begin_drag(at(45.0), Transform::identity()).unwrap();
        assert_eq!(drag.axis, 2);
        let quarter = drag.drag_to(at(135.0), 0.0);
        let expected = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), PI / 2.0);
        assert!(quarter.rotation.angle_to(&expected) < 1e-9);
        for degrees in [200.0, 300.0, 400.0, 480.0] {
            drag.drag_to(at(degrees), 0.0);
        }
        assert!((drag.rotation_radians.to_degrees() - 435.0).abs() < 1e-6, "{}", drag.rotation_radians.to_degrees());
        let stepped = drag.drag_to(at(482.0), 5.0_f64.to_radians());
        assert!(
            stepped.rotation.angle_to(&UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 75.0_f64.to_radians()))
                < 1e-9
        );
    }

    #[test]
    fn edge_on_ring_is_dragged_along_a_line() {
        let gizmo = from_front(Affine::IDENTITY, Transform::identity());
        // The near side of the Y ring runs to the right.
        let mut drag = gizmo.begin_drag([0.75 + 0.5 * RADIUS, 0.5], Transform::identity()).unwrap();
        assert_eq!(drag.axis, 1);
        let rotated = drag.drag_to([0.75 + 1.0 * RADIUS, 0.5], 0.0);
        let front = rotated.rotation * Vector3::z();
        assert!((drag.rotation_radians.abs() - 0.5).abs() < 1e-9 && front.x > 0.4, "{front}");
    }

    #[test]
    fn mirrored_parents_and_rotated_joints_follow_the_pointer() {
        let mut mirror = Affine::IDENTITY;
        mirror.linear[(0, 0)] = -2.0;
        let joint = Transform { rotation: UnitQuaternion::from_euler_angles(0.4, 0.5, 0.9), ..Transform::identity() };
        for parent in [Affine::IDENTITY, mirror] {
            let gizmo = from_front(parent, joint);
            for axis in 0..3 {
                // A point on the ring follows the pointer.
                let [from, to] = [0.3, 0.8].map(|angle| gizmo.project(gizmo.point(axis, angle)).unwrap());
                let mut drag = RotateDrag {
                    mode: DragMode::Around(gizmo.angle(axis, from).unwrap()),
                    gizmo: gizmo.clone(),
                    axis,
                    start: joint,
                    rotation_radians: 0.0,
                };
                let after = drag.drag_to(to, 0.0);
                let [before, after] = [&joint, &after].map(|transform| {
                    let local_axis = [Vector3::y(), Vector3::z(), Vector3::x()][axis];
                    (parent.transform_vector(transform.rotation * local_axis)).normalize()
                });
                let swept = before.cross(&after).dot(&gizmo.axes[axis]);
                if parent == Affine::IDENTITY {
                    assert!((before.angle(&after) - 0.5).abs() < 1e-6, "{axis}");
                }
                assert!(swept > 0.1, "{axis}: {swept}");
            }
        }
    }

    #[test]
    fn center_follows_the_pointer_in_the_plane_of_the_view() {
        let gizmo = from_front(Affine::from_translation(Vector3::new(0.3, -0.2, 1.0)), Transform::identity());
        let [x, y] = gizmo.center().unwrap();
        assert!(gizmo.hits_center([x, y]) && !gizmo.hits_center([x + 0.05, y]));
        let moved = gizmo.center + gizmo.movement([x, y + 0.01], [x + 0.2, y - 0.09]).unwrap();
        let [to_x, to_y] = gizmo.project(moved).unwrap();
        assert!((to_x - x - 0.2).abs() < 1e-9 && (to_y - y + 0.1).abs() < 1e-9 && (moved.z - 1.0).abs() < 1e-9);
    }

    #[test]
    fn gizmo_behind_the_camera_is_none() {
        let camera = Camera::look_at(Vector3::new(0.0, 0.0, -10.0), Vector3::new(0.0, 0.0, -20.0), 0.6);
        assert!(RotateGizmo::new(&Affine::IDENTITY, &Transform::identity(), &camera, 1.0).is_none());
        let mut flat = Affine::IDENTITY;
        flat.linear[(1, 1)] = 0.0;
        let camera = Camera::look_at(Vector3::new(0.0, 0.0, 10.0), Vector3::zeros(), 0.6);
        assert!(RotateGizmo::new(&flat, &Transform::identity(), &camera, 1.0).is_none());
    }
}
