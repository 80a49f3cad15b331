//! Neutral studio of spherical Gaussian lights, which are prefiltered in closed form.

use super::Environment;
use nalgebra::Vector3;

/// Texels per layer without border.
const SIDE: usize = 62;

/// A spherical Gaussian light.
struct SphericalGaussian {
    /// Direction of the lobe; any length.
    towards: [f32; 3],
    /// The radiance is exp(sharpness * (cos - 1)) times the peak.
    sharpness: f32,
    /// Peak radiance.
    radiance: f32,
}

const LIGHTS: [SphericalGaussian; 6] = [
    // Key light, from the upper left.
    SphericalGaussian { towards: [-0.62, 0.78, 0.72], sharpness: 14.0, radiance: 7.2 },
    // Fill light from the right.
    SphericalGaussian { towards: [0.95, 0.12, 0.45], sharpness: 5.0, radiance: 0.35 },
    // Two rim lights from behind.
    SphericalGaussian { towards: [0.75, 0.35, -0.75], sharpness: 16.0, radiance: 3.6 },
    SphericalGaussian { towards: [-0.85, 0.30, -0.60], sharpness: 22.0, radiance: 1.8 },
    // Ceiling and floor.
    SphericalGaussian { towards: [0.0, 1.0, 0.0], sharpness: 6.0, radiance: 0.5 },
    SphericalGaussian { towards: [0.0, -1.0, 0.1], sharpness: 2.5, radiance: 0.13 },
];

/// Radiance of the room.
const AMBIENT: f32 = 0.12;

/// Returns the studio.
pub(super) fn environment() -> Environment {
    let blurred: Vec<Vec<SphericalGaussian>> =
        (0..Environment::LAYERS).map(|layer| LIGHTS.iter().map(|light| blur(light, layer)).collect()).collect();
    Environment::new(SIDE, |direction, layer| {
        let radiance = blurred[layer].iter().map(|light| {
            light.radiance * libm::expf(light.sharpness * (direction.dot(&Vector3::from(light.towards)) - 1.0))
        });
        [AMBIENT + radiance.sum::<f32>(); 3]
    })
}

/// Convolves a light with the lobe of a layer. The direction of the result has unit length.
fn blur(light: &SphericalGaussian, layer: usize) -> SphericalGaussian {
    let lobe = if layer == Environment::ROUGHNESS_LAYERS {
        // That of the cosine.
        2.0
    } else {
        let roughness = layer as f32 / (Environment::ROUGHNESS_LAYERS - 1) as f32;
        // GGX lobe as a spherical Gaussian (Wang et al. 2009), at most as wide as that of the cosine's square root.
        0.5 / roughness.powi(4).max(1e-6) + 1.2
    };
    let sharpness = light.sharpness * lobe / (light.sharpness + lobe);
    let integral = |sharpness: f32| (1.0 - libm::expf(-2.0 * sharpness)) / sharpness;
    let radiance = light.radiance * integral(light.sharpness) / integral(sharpness);
    SphericalGaussian { towards: Vector3::from(light.towards).normalize().into(), sharpness, radiance }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blur_conserves_energy() {
        let environment = environment();
        let texels = environment.side() * environment.side();
        let mean: Vec<f64> = environment
            .texels()
            .chunks_exact(texels)
            .map(|layer| super::super::octahedron::mean(environment.side(), layer)[0])
            .collect();
        assert!(mean.iter().all(|light| (light / mean[0] - 1.0).abs() < 0.01), "{mean:?}");
        // Suitable average brightness.
        assert!((0.3..0.9).contains(&mean[0]), "{mean:?}");
    }
}
