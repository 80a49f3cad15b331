//! Camera framing: the camera that fits a hull.

use nalgebra::{Rotation3, Vector3};
use rigview_core::math::{Aabb, Affine, SupportHull};

/// Margin as a fraction of the image.
const MARGIN: f64 = 0.06;

/// Distance from the origin, in diagonals of the bounds, above which single precision would be visible: at 5,000, normals
/// that are computed from positions are uneven.
const MAX_ORIGIN_DISTANCE: f64 = 100.0;

/// Returns the target point and the camera distance at which `hull` fills an image of this aspect ratio.
///
/// The camera is at `backward`, a unit vector, times the distance from the target. `fov_y` is the vertical field of view in
/// radians. The target is in the space of the hull.
///
/// The four side planes of the frustum have known directions. Each is moved outward until it touches the farthest point.
/// The camera is at their intersection. The tighter pair determines the distance; the other pair centers the model.
pub fn fit_camera(hull: &SupportHull, backward: Vector3<f64>, fov_y: f64, aspect: f64) -> (Vector3<f64>, f64) {
    let bounds = hull.bounds();
    if bounds.is_empty() {
        return (Vector3::zeros(), 3.0);
    }
    let axes: Affine = super::Camera::look_at(backward, Vector3::zeros(), fov_y).world_from_view;
    let (right, up) = (axes.linear.column(0).into_owned(), axes.linear.column(1).into_owned());
    let tan_y = libm::tan(0.5 * fov_y) * (1.0 - MARGIN);
    let center = bounds.center();
    let size = bounds.diagonal();

    // For one image axis: coordinates of each point along it and towards the camera, and the support distances of both
    // view planes.
    let coordinates = |across: &Vector3<f64>| -> Vec<[f64; 2]> {
        hull.points().map(|point| [across.dot(&(point - center)), backward.dot(&(point - center))]).collect()
    };
    let support = |points: &[[f64; 2]], tan: f64| {
        let support = |side: f64| points.iter().map(|[x, z]| side * x + tan * z).fold(f64::NEG_INFINITY, f64::max);
        [support(1.0), support(-1.0)]
    };
    let tan_x = tan_y * aspect;
    let (points_x, points_y) = (coordinates(&right), coordinates(&up));
    let (support_x, support_y) = (support(&points_x, tan_x), support(&points_y, tan_y));
    let distance_of = |[plus, minus]: [f64; 2], tan: f64| (plus + minus) / (2.0 * tan);
    let distance = distance_of(support_x, tan_x).max(distance_of(support_y, tan_y)).max(size * 0.05).max(1e-9);
    let offset_x = center_in_image(&points_x, support_x, tan_x, distance);
    let offset_y = center_in_image(&points_y, support_y, tan_y, distance);
    (center + right * offset_x + up * offset_y, distance)
}

/// Like [`fit_camera`] for parallel projection: the distance is that of a perspective camera with the same height at the target.
pub fn fit_orthographic(hull: &SupportHull, backward: Vector3<f64>, fov_y: f64, aspect: f64) -> (Vector3<f64>, f64) {
    let bounds = hull.bounds();
    if bounds.is_empty() {
        return (Vector3::zeros(), 3.0);
    }
    let axes = super::Camera::look_at(backward, Vector3::zeros(), fov_y).world_from_view.linear;
    let center = bounds.center();
    let range = |axis: usize| {
        let across = axes.column(axis).into_owned();
        let coordinates = hull.points().map(|point| across.dot(&(point - center)));
        coordinates.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), x| (min.min(x), max.max(x)))
    };
    let [(left, right), (bottom, top)] = [range(0), range(1)];
    let target = center + axes.column(0) * ((left + right) / 2.0) + axes.column(1) * ((bottom + top) / 2.0);
    let half_height =
        ((top - bottom) / 2.0).max((right - left) / (2.0 * aspect)).max(bounds.diagonal() * 0.01).max(1e-9);
    (target, half_height / (libm::tan(0.5 * fov_y) * (1.0 - MARGIN)))
}

/// Returns `true` if single precision would be visible at a model with these bounds.
pub fn is_far_from_origin(bounds: &Aabb) -> bool {
    let center = bounds.center();
    !bounds.is_empty()
        && center.iter().all(|x| x.is_finite())
        && center.norm() > MAX_ORIGIN_DISTANCE * bounds.diagonal()
}

/// Returns the hull of a model rotated about the vertical axis through its center.
pub fn turntable_hull(hull: &SupportHull) -> SupportHull {
    /// Number of angles.
    const STEPS: usize = 48;
    let center = hull.bounds().center();
    let mut all = SupportHull::default();
    for step in 0..STEPS {
        let angle = std::f64::consts::TAU * step as f64 / STEPS as f64;
        let linear = *Rotation3::from_axis_angle(&Vector3::y_axis(), angle).matrix();
        all.merge(&hull.transformed(&Affine { linear, translation: center - linear * center }));
    }
    all
}

/// Returns the camera offset that makes the margins on both sides equal, by bisection.
fn center_in_image(points: &[[f64; 2]], [plus, minus]: [f64; 2], tan: f64, distance: f64) -> f64 {
    let (mut low, mut high) = (plus - tan * distance, tan * distance - minus);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
        for [x, z] in points {
            let in_image = (x - middle) / (distance - z).max(1e-12 * distance);
            min = min.min(in_image);
            max = max.max(in_image);
        }
        if max + min > 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::super::Orbit;
    use super::*;

    #[test]
    fn framed_box_touches_margin_and_stays_in_image() {
        let boxes = [[1.0, 1.0, 1.0], [10.0, 0.1, 0.1], [0.1, 10.0, 0.1], [0.1, 0.1, 10.0], [1e-6, 2e-6, 1e-6]];
        for (half, aspect) in boxes.into_iter().flat_map(|half| [0.4, 1.0, 16.0 / 9.0, 3.0].map(|a| (half, a))) {
            let offset = Vector3::new(100.0, -7.0, 3.0) * half[1];
            let bounds = Aabb { min: offset - Vector3::from(half), max: offset + Vector3::from(half) };
            let camera = Orbit::framing(&SupportHull::from_aabb(&bounds), aspect).camera(&bounds);
            let mut farthest = 0.0_f64;
            for corner in bounds.corners() {
                let p = camera.projection_from_world(aspect) * corner.push(1.0);
                assert!(p.z.abs() <= p.w, "{half:?}, {aspect}: outside the depth range");
                farthest = farthest.max((p.x / p.w).abs()).max((p.y / p.w).abs());
            }
            assert!((0.9..=0.95).contains(&farthest), "{half:?}, {aspect}: reaches {farthest}");
        }
    }
}
