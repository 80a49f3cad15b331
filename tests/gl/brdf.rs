//! The GGX lobe in double precision.

use nalgebra::Vector3;
use std::f64::consts::PI;

type V3 = Vector3<f64>;

/// Distribution times visibility of anisotropic GGX, with squared roughness along the first two axes.
pub(crate) fn lobe([t, b, n]: [V3; 3], v: V3, l: V3, at: f64, ab: f64) -> f64 {
    let h = (v + l).normalize();
    let d = 1.0 / (PI * at * ab * ((h.dot(&t) / at).powi(2) + (h.dot(&b) / ab).powi(2) + h.dot(&n).powi(2)).powi(2));
    let lambda = |w: V3| {
        let slope = ((at * w.dot(&t)).powi(2) + (ab * w.dot(&b)).powi(2)) / w.dot(&n).powi(2);
        0.5 * ((1.0 + slope).sqrt() - 1.0)
    };
    d / (1.0 + lambda(v) + lambda(l)) / (4.0 * n.dot(&l) * n.dot(&v))
}

/// Integrates a function of the unit direction over the hemisphere around the third axis.
pub(crate) fn hemisphere_integral([t, b, n]: [V3; 3], function: impl Fn(V3) -> V3) -> V3 {
    const ROWS: usize = 400;
    const COLUMNS: usize = 800;
    let mut sum = V3::zeros();
    for i in 0..ROWS * COLUMNS {
        let (z, angle) = (((i / COLUMNS) as f64 + 0.5) / ROWS as f64, ((i % COLUMNS) as f64 + 0.5) / COLUMNS as f64);
        let (radius, angle) = ((1.0 - z * z).sqrt(), 2.0 * PI * angle);
        sum += function(t * (radius * angle.cos()) + b * (radius * angle.sin()) + n * z);
    }
    sum * (2.0 * PI / (ROWS * COLUMNS) as f64)
}

/// A lobe's factor for multiple scattering, and its directional albedo with that factor.
pub(crate) struct SpecularEnergy {
    pub(crate) gain: f64,
    pub(crate) albedo: f64,
}

/// Returns the energy of a lobe with reflectances `f0` at normal incidence and `f90` at grazing angles.
pub(crate) fn specular(roughness: f64, n_dot_v: f64, f0: f64, f90: f64) -> SpecularEnergy {
    let [scale, bias] = ggx_albedo(roughness, n_dot_v);
    let gain = multiple_scattering_gain(scale + bias, roughness, f0 + (f90 - f0) / 21.0);
    SpecularEnergy { gain, albedo: (f0 * scale + f90 * bias) * gain }
}

/// Turquin 2019, with the tint of Kulla and Conty 2017.
pub(crate) fn multiple_scattering_gain(energy: f64, roughness: f64, mean_fresnel: f64) -> f64 {
    let alpha = roughness.powi(2);
    let mean_energy = 1.0 - alpha * (0.2904 + alpha * (0.9039 - 0.6117 * alpha));
    let tint = mean_fresnel * mean_energy / (1.0 - mean_fresnel * (1.0 - mean_energy));
    1.0 + tint * (1.0 / energy - 1.0).max(0.0)
}

/// `mx_ggx_dir_albedo_analytic` of MaterialX: the factors of `f0` and `f90`.
pub(crate) fn ggx_albedo(roughness: f64, x: f64) -> [f64; 2] {
    let y = roughness.powi(2);
    let terms = [1.0, x, y, x * y, x * x, y * y, x * x * y, x * y * y, x * x * y * y];
    let factors = [
        [0.1003, -0.6303, 9.748, -2.038, 29.34, -8.245, -26.44, 19.99, -5.448],
        [0.9345, -2.323, 2.229, -3.748, 1.424, -0.7684, 1.436, 0.2913, 0.6286],
        [1.0, -1.765, 8.263, 11.53, 28.96, -7.507, -36.11, 15.86, 33.37],
        [1.0, 0.2281, 15.94, -55.83, 13.08, 41.26, 54.9, 300.2, -285.1],
    ];
    let [a, b, c, d] =
        factors.map(|factors| factors.iter().zip(terms).map(|(factor, term)| factor * term).sum::<f64>());
    [(a / c).clamp(0.0, 1.0), (b / d).clamp(0.0, 1.0)]
}
