//! Octahedral map with +Y in the center (Engelhardt and Dachsbacher 2008).

use nalgebra::Vector3;

/// Returns the direction of a texel, counted with the border, in a map of `side` texels without it.
pub(super) fn direction(side: usize, x: usize, y: usize) -> Vector3<f32> {
    direction_at([x, y].map(|i| (2 * i) as f32 / side as f32 - 1.0 - 1.0 / side as f32))
}

/// Returns the direction at map coordinates, from -1 to 1 without the border.
pub(super) fn direction_at([mut u, mut v]: [f32; 2]) -> Vector3<f32> {
    // The border continues on the adjacent face.
    if u.abs() > 1.0 {
        (u, v) = (2.0_f32.copysign(u) - u, -v);
    }
    if v.abs() > 1.0 {
        (u, v) = (-u, 2.0_f32.copysign(v) - v);
    }
    let up = 1.0 - u.abs() - v.abs();
    let (x, z) = if up < 0.0 { ((1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v)) } else { (u, v) };
    Vector3::new(x, up, z).normalize()
}

/// Returns the nearest texel of a direction, counted with the border.
pub(super) fn texel(side: usize, direction: Vector3<f32>) -> [usize; 2] {
    unfold(direction).map(|u| (((u + 1.0) / 2.0 * side as f32) as usize).min(side - 1) + 1)
}

/// Returns the solid angle of a texel around a unit direction, in steradians.
pub(super) fn solid_angle(side: usize, direction: Vector3<f32>) -> f64 {
    let width = 2.0 / side as f64;
    width * width * direction.cast::<f64>().abs().sum().powi(3)
}

/// Mirrors `octahedral` in `shaders/brdf.glsl`.
fn unfold(d: Vector3<f32>) -> [f32; 2] {
    let p = [d.x, d.z].map(|x| x / d.abs().sum());
    if d.y >= 0.0 { p } else { [(1.0 - p[1].abs()).copysign(p[0]), (1.0 - p[0].abs()).copysign(p[1])] }
}

/// Returns the mean over the sphere of a map with border.
#[cfg(test)]
pub(super) fn mean(side: usize, texels: &[[f32; 3]]) -> [f64; 3] {
    let (mut sums, mut total) = ([0.0; 3], 0.0);
    for y in 1..side - 1 {
        for x in 1..side - 1 {
            let weight = solid_angle(side - 2, direction(side - 2, x, y));
            total += weight;
            for (sum, light) in sums.iter_mut().zip(texels[y * side + x]) {
                *sum += f64::from(light) * weight;
            }
        }
    }
    sums.map(|sum| sum / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_map_back_to_their_texels_and_the_border_repeats_its_neighbors() {
        const SIDE: usize = 6;
        for y in 0..SIDE + 2 {
            for x in 0..SIDE + 2 {
                let inside = (1..=SIDE).contains(&x) && (1..=SIDE).contains(&y);
                let p = unfold(direction(SIDE, x, y));
                let texel = p.map(|u| (u + 1.0) / 2.0 * SIDE as f32 + 0.5);
                assert!(texel.iter().all(|t| (t - t.round()).abs() < 1e-4 && (0.9..6.1).contains(t)), "{texel:?}");
                if inside {
                    assert_eq!(super::texel(SIDE, direction(SIDE, x, y)), [x, y]);
                    assert!((texel[0] - x as f32).abs() < 1e-4 && (texel[1] - y as f32).abs() < 1e-4);
                }
            }
        }
        // The left border mirrors the left column.
        assert!((direction(SIDE, 0, 2) - direction(SIDE, 1, SIDE - 1)).norm() < 1e-6);
    }
}
