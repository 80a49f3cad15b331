//! Samples of a progressive image.

use super::environment::EnvironmentSampler;
use super::{Camera, EnvironmentLight, Lens, LightSource, Lighting};
use crate::math::Aabb;
use nalgebra::{Rotation3, Vector3};

/// Angular radius of the sun in radians.
const SUN_ANGULAR_RADIUS: f64 = 0.00465;

/// Sequence of the draws that a progressive image averages.
///
/// Each draw has another position in the pixel and in the aperture, another time in the exposure, and the shadow of another light. The sequence depends on the lighting
/// and the bounds alone; each part of it covers pixel and lights evenly (Owen-scrambled Sobol sequence, Burley 2020).
#[derive(Clone, Debug)]
pub struct FrameSamples {
    environment: Option<(EnvironmentLight, EnvironmentSampler)>,
    /// Directional lights: unit vector towards the light, and illuminance.
    directional: Vec<(Vector3<f64>, [f64; 3])>,
    bounds: Aabb,
}

/// One of the draws that a progressive image averages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameSample {
    /// Position in the pixel relative to its center, in pixels.
    pub pixel_offset: [f64; 2],
    /// Position in the aperture relative to its center, in its radius.
    pub aperture_offset: [f64; 2],
    /// Time in the exposure, from 0 to 1.
    pub shutter_time: f64,
    /// The light whose shadow this draw shows; `None` without an environment and directional lights.
    pub light: Option<LightSample>,
}

/// Light from one direction of an environment, or a directional light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LightSample {
    /// Unit vector from the scene to the light.
    pub to_light_in_world: Vector3<f64>,
    /// Linear illuminance in lux, divided by the probability of the sample.
    pub illuminance_rgb: [f64; 3],
    /// The part of the environment that the sample stands for, in steradians; 0 for a directional light.
    pub solid_angle: f64,
    /// Camera of the shadow map, with parallel rays.
    pub shadow_camera: Camera,
}

impl FrameSamples {
    /// Samples `lighting` around models within `bounds`, in world space.
    pub fn new(lighting: &Lighting, bounds: &Aabb) -> Self {
        let with_sampler = |light: &EnvironmentLight| {
            let sampler = EnvironmentSampler::new(&light.environment).filter(|_| light.intensity > 0.0)?;
            Some((light.clone(), sampler))
        };
        let directional = lighting.lights.iter().filter_map(|light| match light.source {
            LightSource::Directional { to_light_in_world } => Some((to_light_in_world, light.intensity_rgb)),
            LightSource::Punctual { .. } => None,
        });
        Self {
            environment: lighting.environment.as_ref().and_then(with_sampler),
            directional: directional.collect(),
            bounds: *bounds,
        }
    }

    /// Returns sample `index`.
    pub fn get(&self, index: u32) -> FrameSample {
        let number = |dimension: u32| f64::from(sobol_burley::sample(index, dimension, 0));
        FrameSample {
            pixel_offset: [number(2) - 0.5, number(3) - 0.5],
            aperture_offset: on_disk([number(4), number(5)]),
            shutter_time: number(6),
            light: self.light(index),
        }
    }

    /// Returns one of the lights in turn.
    fn light(&self, index: u32) -> Option<LightSample> {
        let count = self.directional.len() + usize::from(self.environment.is_some());
        let chosen = (index as usize).checked_rem(count)?;
        let turn = index / count as u32;
        let [u, v] = [0, 1].map(|dimension| f64::from(sobol_burley::sample(turn, dimension, 0)));
        let (to_light_in_world, illuminance, solid_angle) = match (self.directional.get(chosen), &self.environment) {
            (Some(&(to_light, illuminance)), _) => (on_sun(to_light, [u, v]), illuminance, 0.0),
            (None, Some((light, sampler))) => {
                let (direction, solid_angle) = sampler.sample([u, v]);
                let weight = |radiance: f32| f64::from(radiance) * light.intensity * solid_angle;
                let to_light = Rotation3::from_axis_angle(&Vector3::y_axis(), light.rotation) * direction;
                (to_light, light.environment.radiance(direction.cast()).map(weight), solid_angle)
            }
            (None, None) => return None,
        };
        Some(LightSample {
            to_light_in_world,
            illuminance_rgb: illuminance.map(|x| x * count as f64),
            solid_angle: solid_angle * count as f64,
            shadow_camera: Camera::of_directional_light(to_light_in_world, &self.bounds)?,
        })
    }
}

impl FrameSample {
    /// Returns `camera` at the sample's position in the aperture, with its image, of `size` pixels, shifted so that the plane in
    /// focus stays in place and the sample's position in the pixel is in the pixel's center.
    pub fn camera(&self, camera: &Camera, size: [u32; 2]) -> Camera {
        let mut sampled = *camera;
        for (axis, pixels) in size.into_iter().enumerate() {
            sampled.shift[axis] -= 2.0 * self.pixel_offset[axis] / f64::from(pixels);
        }
        if let (Some(aperture), Lens::Perspective { .. }) = (camera.aperture, camera.lens) {
            let projection = camera.projection_from_view(f64::from(size[0]) / f64::from(size[1]));
            for axis in 0..2 {
                let offset = aperture.radius * self.aperture_offset[axis];
                sampled.world_from_view.translation += camera.world_from_view.linear.column(axis) * offset;
                sampled.shift[axis] += offset * projection[(axis, axis)] / aperture.focus_distance;
            }
        }
        sampled
    }
}

/// Maps a point of the unit square to a unit vector towards a point of the sun's disk.
fn on_sun(to_center: Vector3<f64>, point: [f64; 2]) -> Vector3<f64> {
    let [x, y] = on_disk(point).map(|x| SUN_ANGULAR_RADIUS * x);
    let across = to_center.cross(&if to_center.y.abs() < 0.9 { Vector3::y() } else { Vector3::x() }).normalize();
    let along = across.cross(&to_center);
    (to_center + across * x + along * y).normalize()
}

/// Maps a point of the unit square to the unit disk, uniformly.
fn on_disk([u, v]: [f64; 2]) -> [f64; 2] {
    let (radius, turn) = (u.sqrt(), std::f64::consts::TAU * v);
    [radius * libm::cos(turn), radius * libm::sin(turn)]
}
