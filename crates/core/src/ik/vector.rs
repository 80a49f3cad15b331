//! Vectors and rotations of the solvers, with one value per lane.

use crate::math::simd::{NumericBackend, SimdFloat, quat_mul, rotate};

#[inline(always)]
pub(super) fn add<V: SimdFloat>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(super) fn sub<V: SimdFloat>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(super) fn scaled<V: SimdFloat>(a: [V; 3], factor: V) -> [V; 3] {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

#[inline(always)]
pub(super) fn dot<V: SimdFloat>(a: [V; 3], b: [V; 3]) -> V {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn cross<V: SimdFloat>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Returns `x`, or 0 where it is negative.
#[inline(always)]
pub(super) fn positive<N: NumericBackend>(n: N, x: N::Float) -> N::Float {
    (x + x.flip_sign_where_negative(x)) * n.constant(0.5)
}

#[inline(always)]
pub(super) fn max<N: NumericBackend>(n: N, x: N::Float, bound: N::Float) -> N::Float {
    bound + positive(n, x - bound)
}

/// Returns the smaller value: exactly `bound` for any larger `x`.
#[inline(always)]
pub(super) fn min<N: NumericBackend>(n: N, x: N::Float, bound: N::Float) -> N::Float {
    bound - positive(n, bound - x)
}

/// Returns a value from 0 to 1 that rises smoothly while `x` does.
#[inline(always)]
pub(super) fn smooth_step<N: NumericBackend>(n: N, x: N::Float) -> N::Float {
    let x = min(n, positive(n, x), n.constant(1.0));
    x * x * (n.constant(3.0) - (x + x))
}

/// Returns the components of the parallel unit vector; `if_zero` for zero.
#[inline(always)]
pub(super) fn unit<N: NumericBackend, const C: usize>(n: N, v: [N::Float; C], if_zero: [N::Float; C]) -> [N::Float; C] {
    let mut square = v[0] * v[0];
    for x in &v[1..] {
        square = square + *x * *x;
    }
    let inverse = n.constant(1.0) / square.sqrt();
    let mut unit = v;
    for i in 0..C {
        unit[i] = square.select_eq_zero(if_zero[i], v[i] * inverse);
    }
    unit
}

/// Returns the part of `v` that is perpendicular to the unit vector `axis`.
#[inline(always)]
pub(super) fn perpendicular<V: SimdFloat>(v: [V; 3], axis: [V; 3]) -> [V; 3] {
    sub(v, scaled(axis, dot(v, axis)))
}

/// Returns the length of a vector and its inverse, 0 for zero.
#[inline(always)]
pub(super) fn length<N: NumericBackend>(n: N, v: [N::Float; 3]) -> (N::Float, N::Float) {
    let length = dot(v, v).sqrt();
    (length, length.select_eq_zero(n.constant(0.0), n.constant(1.0) / length))
}

/// Returns `if_zero` where `x` is zero.
#[inline(always)]
pub(super) fn select_eq_zero<V: SimdFloat>(x: V, if_zero: [V; 3], otherwise: [V; 3]) -> [V; 3] {
    let mut selected = otherwise;
    for i in 0..3 {
        selected[i] = x.select_eq_zero(if_zero[i], otherwise[i]);
    }
    selected
}

/// Returns a multiple of the smallest rotation from one unit vector to another; half a turn about `axis` for opposite ones.
#[inline(always)]
pub(super) fn scaled_rotation_between<N: NumericBackend>(
    n: N,
    from: [N::Float; 3],
    to: [N::Float; 3],
    axis: [N::Float; 3],
) -> [N::Float; 4] {
    let v = cross(from, to);
    let w = n.constant(1.0) + dot(from, to);
    let square = dot(v, v) + w * w;
    let [x, y, z] = select_eq_zero(square, axis, v);
    [x, y, z, w]
}

/// A rotation, then a translation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rigid<V> {
    /// Unit quaternion `x, y, z, w`.
    pub(crate) rotation: [V; 4],
    pub(crate) translation: [V; 3],
}

impl<V: SimdFloat> Rigid<V> {
    #[inline(always)]
    pub(super) fn identity<N: NumericBackend<Float = V>>(n: N) -> Self {
        let (zero, one) = (n.constant(0.0), n.constant(1.0));
        Self { rotation: [zero, zero, zero, one], translation: [zero; 3] }
    }

    #[inline(always)]
    pub(super) fn transform_point(&self, point: [V; 3]) -> [V; 3] {
        add(rotate(self.rotation, point), self.translation)
    }

    /// Returns the rotation that takes `pivot` to `moved_pivot`.
    #[inline(always)]
    pub(super) fn about(rotation: [V; 4], pivot: [V; 3], moved_pivot: [V; 3]) -> Self {
        Self { rotation, translation: sub(moved_pivot, rotate(rotation, pivot)) }
    }

    /// Returns this map followed by a rotation that takes `pivot`, a point after this map, to `moved_pivot`.
    #[inline(always)]
    pub(super) fn then(&self, rotation: [V; 4], pivot: [V; 3], moved_pivot: [V; 3]) -> Self {
        let translation = add(rotate(rotation, sub(self.translation, pivot)), moved_pivot);
        Self { rotation: quat_mul(rotation, self.rotation), translation }
    }
}
