//! Lookup table of the sheen albedo (KHR_materials_sheen), by angle and roughness.

use crate::gpu::{Gpu, GpuError, VolumeTexture};
use std::rc::Rc;

/// Entries along each axis: cosine and roughness, evenly spaced from 0 to 1.
pub(crate) const SIZE: usize = 32;

/// The entries as little-endian `f32`, row by row of equal roughness. Computing them takes 100 ms; a test does, and
/// `write_table` replaces the file.
static TABLE: &[u8; SIZE * SIZE * 4] = include_bytes!("sheen_albedo.f32");

/// The table, uploaded at its first use.
#[derive(Default)]
pub(crate) struct SheenAlbedoLut(Option<VolumeTexture>);

impl SheenAlbedoLut {
    pub(crate) fn bind(&mut self, gpu: &Rc<Gpu>, unit: u32) -> Result<(), GpuError> {
        if self.0.is_none() {
            let texels: Vec<[f32; 3]> =
                TABLE.as_chunks::<4>().0.iter().map(|bytes| [f32::from_le_bytes(*bytes); 3]).collect();
            self.0 = Some(VolumeTexture::new(gpu, [SIZE, SIZE, 1], &texels)?);
        }
        if let Some(texture) = &self.0 {
            texture.bind(unit);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn computed_table() -> Vec<u8> {
        let fraction = |i: usize| i as f64 / (SIZE - 1) as f64;
        let entry = |i: usize| albedo(fraction(i % SIZE), fraction(i / SIZE)) as f32;
        (0..SIZE * SIZE).flat_map(|i| entry(i).to_le_bytes()).collect()
    }

    /// Directional albedo: the integral of lobe times cosine over the hemisphere.
    fn albedo(n_dot_v: f64, roughness: f64) -> f64 {
        const STEPS: usize = 48;
        let alpha = (roughness * roughness).max(1e-3);
        // The lobe is undefined at grazing angles.
        let n_dot_v = n_dot_v.clamp(1e-3, 1.0);
        let (sine_v, lambda_v) = ((1.0 - n_dot_v * n_dot_v).sqrt(), lambda(n_dot_v, alpha));
        let mut sum = 0.0;
        for i in 0..STEPS {
            // Quadratic spacing samples grazing light, where the lobe is strong, more densely.
            let x = (i as f64 + 0.5) / STEPS as f64;
            let n_dot_l = x * x;
            let sine_l = (1.0 - n_dot_l * n_dot_l).sqrt();
            let masking_shadowing = 1.0 + lambda_v + lambda(n_dot_l, alpha);
            let mut azimuth_sum = 0.0;
            for j in 0..STEPS {
                let azimuth = (j as f64 + 0.5) / STEPS as f64 * PI;
                let l_dot_v = n_dot_l * n_dot_v + sine_l * sine_v * libm::cos(azimuth);
                let n_dot_h = (n_dot_l + n_dot_v) / (2.0 + 2.0 * l_dot_v).max(1e-12).sqrt();
                let sine_squared = (1.0 - n_dot_h * n_dot_h).max(1e-7);
                azimuth_sum += libm::pow(sine_squared, 0.5 / alpha);
            }
            let distribution = (2.0 + 1.0 / alpha) / (2.0 * PI) * azimuth_sum / STEPS as f64;
            // 2x is the derivative of the spacing. The cosines of lobe and light cancel.
            sum += distribution / (masking_shadowing * 4.0 * n_dot_v) * 2.0 * PI * 2.0 * x / STEPS as f64;
        }
        sum.min(1.0)
    }

    /// Must match `sheen_lambda` in `shaders/material_features.glsl` (Estevez and Kulla 2017).
    fn lambda(cosine: f64, alpha: f64) -> f64 {
        let square = (1.0 - alpha) * (1.0 - alpha);
        let mix = |rough: f64, fine: f64| rough + (fine - rough) * square;
        let (a, b, c) = (mix(21.5473, 25.3245), mix(3.82987, 3.32435), mix(0.19823, 0.16801));
        let (d, e) = (mix(-1.97760, -1.27393), mix(-4.32054, -4.85967));
        let fit = |x: f64| a / (1.0 + b * libm::pow(x.max(1e-6), c)) + d * x + e;
        libm::exp(if cosine < 0.5 { fit(cosine) } else { 2.0 * fit(0.5) - fit(1.0 - cosine) })
    }

    #[test]
    fn table_holds_the_integral() {
        assert!(TABLE[..] == computed_table());
    }

    #[test]
    #[ignore = "writes a source file"]
    fn write_table() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/render/sheen_albedo.f32"), computed_table()).unwrap();
    }

    #[test]
    fn albedo_grows_towards_grazing_angles_and_stays_below_one() {
        for step in 1..=10 {
            let roughness = f64::from(step) / 10.0;
            let (straight, grazing) = (albedo(1.0, roughness), albedo(0.1, roughness));
            assert!(straight < grazing && (0.0..1.0).contains(&straight), "{roughness}: {straight}, {grazing}");
        }
        // At normal incidence: nearly 0 for low roughness, about an eighth for roughness 1.
        assert!(albedo(1.0, 0.2) < 1e-3);
        assert!((0.05..0.25).contains(&albedo(1.0, 1.0)), "{}", albedo(1.0, 1.0));
    }
}
