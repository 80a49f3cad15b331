//! Quaternions `x, y, z, w` with one value per lane.

use super::SimdFloat;

/// Returns the product of two quaternions.
#[inline(always)]
pub(crate) fn quat_mul<V: SimdFloat>(a: [V; 4], b: [V; 4]) -> [V; 4] {
    [
        (a[3] * b[0] + a[0] * b[3]) + (a[1] * b[2] - a[2] * b[1]),
        (a[3] * b[1] + a[1] * b[3]) + (a[2] * b[0] - a[0] * b[2]),
        (a[3] * b[2] + a[2] * b[3]) + (a[0] * b[1] - a[1] * b[0]),
        (a[3] * b[3] - a[0] * b[0]) - (a[1] * b[1] + a[2] * b[2]),
    ]
}

/// Rotates a vector by a unit quaternion: `v + w (q x 2v) + q x (q x 2v)`.
#[inline(always)]
pub(crate) fn rotate<V: SimdFloat>([x, y, z, w]: [V; 4], v: [V; 3]) -> [V; 3] {
    let [dx, dy, dz] = [v[0] + v[0], v[1] + v[1], v[2] + v[2]];
    let (cx, cy, cz) = (y * dz - z * dy, z * dx - x * dz, x * dy - y * dx);
    [v[0] + w * cx + (y * cz - z * cy), v[1] + w * cy + (z * cx - x * cz), v[2] + w * cz + (x * cy - y * cx)]
}
