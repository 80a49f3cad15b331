//! What fibers return of white light from all around (KHR_materials_sheen), by angle and roughness.

use crate::gpu::{Gpu, GpuError, VolumeTexture};
use rayon::prelude::*;
use std::f64::consts::PI;
use std::rc::Rc;

/// Cosines, and roughnesses, that the table has: from 0 to 1, evenly apart.
pub(crate) const SIDE: usize = 32;

/// The table, made when the first fibers are drawn.
#[derive(Default)]
pub(crate) struct SheenAlbedo(Option<VolumeTexture>);

impl SheenAlbedo {
    /// Shows it to the shaders at `unit`.
    pub(crate) fn bind(&mut self, gpu: &Rc<Gpu>, unit: u32) -> Result<(), GpuError> {
        if self.0.is_none() {
            let at = |i: usize| i as f64 / (SIDE - 1) as f64;
            let texel = |i: usize| [albedo(at(i % SIDE), at(i / SIDE)) as f32; 3];
            let texels: Vec<[f32; 3]> = (0..SIDE * SIDE).into_par_iter().map(texel).collect();
            self.0 = Some(VolumeTexture::new(gpu, [SIDE, SIDE, 1], &texels)?);
        }
        if let Some(texture) = &self.0 {
            texture.bind(unit);
        }
        Ok(())
    }
}

/// The integral of lobe times cosine over the upper half of directions to the light.
fn albedo(n_dot_v: f64, roughness: f64) -> f64 {
    const STEPS: usize = 48;
    let alpha = (roughness * roughness).max(1e-3);
    // Straight along the surface nothing is defined.
    let n_dot_v = n_dot_v.clamp(1e-3, 1.0);
    let (sine_v, hidden_v) = ((1.0 - n_dot_v * n_dot_v).sqrt(), lambda(n_dot_v, alpha));
    let mut sum = 0.0;
    for i in 0..STEPS {
        // Squares lie closer together where light grazes and the lobe is strong.
        let x = (i as f64 + 0.5) / STEPS as f64;
        let n_dot_l = x * x;
        let (sine_l, hidden) = ((1.0 - n_dot_l * n_dot_l).sqrt(), 1.0 + hidden_v + lambda(n_dot_l, alpha));
        let mut around = 0.0;
        for j in 0..STEPS {
            let turn = (j as f64 + 0.5) / STEPS as f64 * PI;
            let l_dot_v = n_dot_l * n_dot_v + sine_l * sine_v * libm::cos(turn);
            let n_dot_h = (n_dot_l + n_dot_v) / (2.0 + 2.0 * l_dot_v).max(1e-12).sqrt();
            let sine_squared = (1.0 - n_dot_h * n_dot_h).max(1e-7);
            around += libm::pow(sine_squared, 0.5 / alpha);
        }
        let distribution = (2.0 + 1.0 / alpha) / (2.0 * PI) * around / STEPS as f64;
        // Twice x is what the square does to a step; the cosines of lobe and light cancel.
        sum += distribution / (hidden * 4.0 * n_dot_v) * 2.0 * PI * 2.0 * x / STEPS as f64;
    }
    sum.min(1.0)
}

/// The twin of the shader's `sheen_lambda` (Estevez and Kulla 2017).
fn lambda(cosine: f64, alpha: f64) -> f64 {
    let square = (1.0 - alpha) * (1.0 - alpha);
    let mix = |rough: f64, fine: f64| rough + (fine - rough) * square;
    let (a, b, c) = (mix(21.5473, 25.3245), mix(3.82987, 3.32435), mix(0.19823, 0.16801));
    let (d, e) = (mix(-1.97760, -1.27393), mix(-4.32054, -4.85967));
    let l = |x: f64| a / (1.0 + b * libm::pow(x.max(1e-6), c)) + d * x + e;
    libm::exp(if cosine < 0.5 { l(cosine) } else { 2.0 * l(0.5) - l(1.0 - cosine) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fibers_return_more_where_they_are_grazed_and_never_all() {
        for step in 1..=10 {
            let roughness = f64::from(step) / 10.0;
            let (straight, grazing) = (albedo(1.0, roughness), albedo(0.1, roughness));
            assert!(straight < grazing && (0.0..1.0).contains(&straight), "{roughness}: {straight}, {grazing}");
        }
        // Known values of the lobe: nothing straight on from fine fibers, about an eighth from rough ones.
        assert!(albedo(1.0, 0.2) < 1e-3);
        assert!((0.05..0.25).contains(&albedo(1.0, 1.0)), "{}", albedo(1.0, 1.0));
    }
}
