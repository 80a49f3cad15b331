//! Interpolation of keys (appendix C of the specification).

use super::matrix::{dot, normalized};

/// The keys of one property of one node.
#[derive(Debug)]
pub(crate) struct Sampler {
    /// Key times in seconds.
    pub(crate) times: Vec<f64>,
    /// Key values; with CUBICSPLINE in-tangent, value and out-tangent of each key.
    pub(crate) values: Vec<f64>,
    /// `STEP`, `LINEAR` or `CUBICSPLINE`.
    pub(crate) interpolation: String,
    /// `true` for rotations.
    pub(crate) rotation: bool,
}

impl Sampler {
    /// The value at a time in seconds. Times outside of the keys are clamped.
    pub(crate) fn at(&self, time: f64) -> Vec<f64> {
        let (last, spline) = (self.times.len() - 1, self.interpolation == "CUBICSPLINE");
        let width = self.values.len() / self.times.len() / if spline { 3 } else { 1 };
        // `part` is 0 for the in-tangent, 1 for the value, 2 for the out-tangent.
        let stored = |key: usize, part: usize| {
            let place = if spline { 3 * key + part } else { key };
            &self.values[place * width..(place + 1) * width]
        };
        let unit = |value: &[f64]| if self.rotation { normalized(value) } else { value.to_vec() };

        if time <= self.times[0] {
            return unit(stored(0, 1));
        }
        if time >= self.times[last] {
            return unit(stored(last, 1));
        }
        let key = (0..last).rfind(|&k| self.times[k] <= time).expect("a key before this time");
        let duration = self.times[key + 1] - self.times[key];
        let t = (time - self.times[key]) / duration;

        match self.interpolation.as_str() {
            // C.2: v(t) = v_k.
            "STEP" => unit(stored(key, 1)),
            // C.4, spherical linear interpolation, for rotations.
            "LINEAR" if self.rotation => slerp(&unit(stored(key, 1)), &unit(stored(key + 1, 1)), t),
            // C.3: v(t) = (1 - t) v_k + t v_k+1.
            "LINEAR" => {
                let (a, b) = (stored(key, 1), stored(key + 1, 1));
                a.iter().zip(b).map(|(a, b)| (1.0 - t) * a + t * b).collect()
            }
            // C.5: tangents are scaled by the time between the keys; rotations are normalized.
            "CUBICSPLINE" => {
                let (t2, t3) = (t * t, t * t * t);
                let value: Vec<f64> = (0..width)
                    .map(|i| {
                        (2.0 * t3 - 3.0 * t2 + 1.0) * stored(key, 1)[i]
                            + duration * (t3 - 2.0 * t2 + t) * stored(key, 2)[i]
                            + (-2.0 * t3 + 3.0 * t2) * stored(key + 1, 1)[i]
                            + duration * (t3 - t2) * stored(key + 1, 0)[i]
                    })
                    .collect();
                unit(&value)
            }
            other => panic!("interpolation {other}"),
        }
    }
}

/// C.4: spherical linear interpolation of unit quaternions along the shorter arc.
fn slerp(a: &[f64], b: &[f64], t: f64) -> Vec<f64> {
    let d = dot(a, b);
    let s = if d < 0.0 { -1.0 } else { 1.0 };
    let angle = d.abs().min(1.0).acos();
    let (from_a, from_b) = if angle < 1e-6 {
        // sin(angle) vanishes; the straight line differs from the arc by less than 1e-18 here.
        (1.0 - t, t)
    } else {
        ((angle * (1.0 - t)).sin() / angle.sin(), (angle * t).sin() / angle.sin())
    };
    let value: Vec<f64> = a.iter().zip(b).map(|(a, b)| from_a * a + s * from_b * b).collect();
    normalized(&value)
}
