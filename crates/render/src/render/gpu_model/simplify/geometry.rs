//! Distances and sizes of triangles.

use nalgebra::Vector3;

/// Returns the normal of a triangle, twice its area long.
pub(super) fn normal([a, b, c]: [Vector3<f64>; 3]) -> Vector3<f64> {
    (b - a).cross(&(c - a))
}

/// Returns the smallest height of a triangle.
pub(super) fn width(corners: [Vector3<f64>; 3]) -> f64 {
    let [a, b, c] = corners;
    let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
    if longest > 0.0 { normal(corners).norm() / longest } else { 0.0 }
}

pub(super) fn distance_to_segment(point: Vector3<f64>, [start, end]: [Vector3<f64>; 2]) -> f64 {
    let direction = end - start;
    let t = ((point - start).dot(&direction) / direction.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    (start + direction * t - point).norm()
}

/// Returns barycentric coordinates of the point of a triangle that is nearest to `point` (Ericson, "Real-Time Collision
/// Detection", 5.1.5).
pub(super) fn nearest_barycentric(point: Vector3<f64>, [a, b, c]: [Vector3<f64>; 3]) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, point - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let bp = point - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let cp = point - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3).max(f64::MIN_POSITIVE);
        return [1.0 - t, t, 0.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6).max(f64::MIN_POSITIVE);
        return [1.0 - t, 0.0, t];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6)).max(f64::MIN_POSITIVE);
        return [0.0, 1.0 - t, t];
    }
    let sum = (va + vb + vc).max(f64::MIN_POSITIVE);
    [va / sum, vb / sum, vc / sum]
}

#[cfg(test)]
pub(in crate::render::gpu_model) fn distance(point: Vector3<f64>, triangles: &[[Vector3<f64>; 3]]) -> f64 {
    let distances = triangles.iter().map(|corners| {
        let weights = nearest_barycentric(point, *corners);
        (point - (0..3).map(|i| corners[i] * weights[i]).sum::<Vector3<f64>>()).norm()
    });
    distances.fold(f64::INFINITY, f64::min)
}
