//! Samples of a progressive image, and the light whose shadow each of them shows.
//!
//! Direct light is estimated with a control variate: `L = L_unshadowed - w_i S_i`, the mean over the samples, where `S_i` is
//! the part of light `i` that its shadow map blocks, and `w_i` the inverse of the probability that light `i` is chosen.
//! Virtual point lights are not in `L_unshadowed`: a sample adds `w_i (L_i - S_i)` instead.

use super::environment::EnvironmentSampler;
use super::{Camera, EnvironmentLight, Lens, Light, LightKind, Lighting, VirtualPointLight};
use nalgebra::{Matrix3, Rotation3, Vector3};
use rigview_core::math::{Aabb, Affine};
use std::f64::consts::TAU;

/// Angular radius of the sun in radians.
const SUN_ANGULAR_RADIUS: f64 = 0.00465;

/// Maximum angle between the axis and the sides of a shadow map with perspective, in radians. Wider maps are too coarse.
const MAX_HALF_ANGLE: f64 = std::f64::consts::FRAC_PI_3;

/// Every sample of this number shows light that surfaces emit, if there is other light.
const EMISSION_PERIOD: u32 = 4;

/// Angle between the axis and the sides of the shadow map of an emitting surface, in radians. Beyond are 3 percent of its light, which
/// has no shadow.
const EMISSION_HALF_ANGLE: f64 = 1.4;

/// Minimum ratio of near to far distance of a shadow map with perspective, which preserves depth precision.
const MIN_NEAR_TO_FAR: f64 = 1e-3;

/// Sequence of the samples that a progressive image averages.
///
/// Each sample has another position in the pixel and the shadow of another light. The sequence depends on lighting, bounds and length alone; each part of it covers pixel and lights evenly
/// (Owen-scrambled Sobol sequence, Burley 2020).
#[derive(Clone, Debug)]
pub struct FrameSamples {
    environment: Option<(EnvironmentLight, EnvironmentSampler)>,
    shadow_maps: Vec<LightShadowMap>,
    virtual_point_lights: Vec<VirtualPointLight>,
    bounds: Aabb,
    count: u32,
    /// Width of the window of pixel positions in pixels.
    window_width: f64,
    /// The image is shown once, after the last sample. All samples then have the mip bias of `count` samples.
    is_shown_complete: bool,
}

/// Width of the pixel filter in pixels, as in Cycles by default. A filter that is as wide as a pixel draws thin lines as steps.
const FILTER_WIDTH: f64 = 3.0;

/// Variance of a Blackman-Harris window whose width is 1.
const WINDOW_VARIANCE: f64 = 0.019_184;

/// Variance of a box whose width is 1.
const BOX_VARIANCE: f64 = 1.0 / 12.0;

/// Overlap of the parts of a lobe that the samples stand for. More is less noise, and more blur.
const LOBE_OVERLAP: f64 = 2.0;

/// One of the samples that a progressive image averages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameSample {
    /// Position in the pixel filter relative to the pixel's center, in pixels. The density of all positions is the filter: a
    /// Blackman-Harris window of three pixels' width, less with multisampling.
    pub pixel_offset: [f64; 2],
    /// Added to the mip level of material textures: not positive. Samples of finer levels, averaged, filter color, normals and
    /// roughness after shading.
    pub texture_lod_bias: f64,
    /// Importance sampling of reflections of the environment.
    pub ggx: GgxSample,
    /// The light whose shadow map this sample draws; `None` without lights, and for antialiasing alone.
    pub light: Option<SampledLight>,
    /// The light whose shadowed part is subtracted from the one-bounce radiance of occluders, with a `light` of the environment.
    pub reflected_light: Option<SampledLight>,
}

/// Random pair and extent of one sample of the GGX lobes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GgxSample {
    /// Pair from 0 to 1 for importance sampling of visible normals.
    pub random: [f64; 2],
    /// Solid angle of the sample over that of the lobe; selects the mip level.
    pub fraction: f64,
}

/// A light that one sample shadows: term `i` of the estimator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampledLight {
    /// The light.
    pub light: SampledLightKind,
    /// `w_i`, the inverse of the probability that this light is chosen.
    pub inverse_probability: f64,
    /// Camera of the shadow map, at the light.
    pub shadow_camera: Camera,
}

/// Origin of a sampled light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SampledLightKind {
    /// Light from one direction of the environment, which is black without one.
    Environment {
        /// Linear illuminance in lux of a surface that faces the light.
        illuminance_rgb: [f64; 3],
        /// The part of the environment that the sample stands for, in steradians.
        solid_angle: f64,
    },
    /// The light of this index, as far as the shadow camera sees.
    Light(usize),
    /// Light that a surface emits. Illuminance at distances below the square root of the area, which is that of one sample, is that at
    /// this distance.
    VirtualPointLight(VirtualPointLight),
}

/// A shadow map of a directional, point or spot light.
#[derive(Clone, Copy, Debug)]
struct LightShadowMap {
    /// Index of the light.
    light: usize,
    rays: Rays,
}

/// Rays of a light that one shadow map covers.
#[derive(Clone, Copy, Debug)]
enum Rays {
    Parallel {
        to_light: Vector3<f64>,
    },
    /// Axes as those of a camera, and the angle from the axis of view to the sides.
    Cone {
        eye: Vector3<f64>,
        axes: Matrix3<f64>,
        half_angle: f64,
    },
    /// One side of a cube around the light. Axes as those of a camera.
    CubeSide {
        eye: Vector3<f64>,
        axes: Matrix3<f64>,
    },
}

impl FrameSamples {
    /// Returns `count` samples of `lighting` and of the light that surfaces emit, around models within `bounds`, in world space.
    /// `virtual_point_lights` are the points of [`virtual_point_lights`](super::virtual_point_lights).
    ///
    /// A quarter of the samples shows light that surfaces emit, if any does. With lights, they have half of the others; the rest shows
    /// the light of the environment, and light that surfaces reflect. A point light within the models needs twelve of the others.
    pub fn new(lighting: &Lighting, virtual_point_lights: Vec<VirtualPointLight>, bounds: &Aabb, count: u32) -> Self {
        let with_sampler = |light: &EnvironmentLight| {
            let sampler = EnvironmentSampler::new(&light.environment).filter(|_| light.intensity > 0.0)?;
            Some((light.clone(), sampler))
        };
        Self {
            environment: lighting.environment.as_ref().and_then(with_sampler),
            shadow_maps: shadow_maps(&lighting.lights, bounds),
            virtual_point_lights,
            bounds: *bounds,
            count,
            window_width: FILTER_WIDTH,
            is_shown_complete: false,
        }
    }

    /// Returns `count` samples that differ in their positions only, for antialiasing. Light is that of an image of one draw.
    ///
    /// With multisampling, which filters by a box of one pixel, the positions are closer together: both filters have the variance of
    /// one without multisampling.
    pub fn antialiasing(count: u32, is_multisampled: bool) -> Self {
        let box_variance = if is_multisampled { BOX_VARIANCE } else { 0.0 };
        Self {
            environment: None,
            shadow_maps: Vec::new(),
            virtual_point_lights: Vec::new(),
            bounds: Aabb::EMPTY,
            count,
            window_width: (FILTER_WIDTH * FILTER_WIDTH - box_variance / WINDOW_VARIANCE).sqrt(),
            is_shown_complete: true,
        }
    }

    /// Returns sample `index`.
    ///
    /// # Panics
    /// If `index` is not below the number of samples.
    pub fn get(&self, index: u32) -> FrameSample {
        assert!(index < self.count, "sample {index} of {}", self.count);
        let number = |dimension: u32| f64::from(sobol_burley::sample(index, dimension, 0));
        let (light, reflected_light) = self.lights(index);
        // Each sample has the texels of a level that all samples that are shown with it resolve.
        let shown = if self.is_shown_complete { self.count } else { index + 1 };
        FrameSample {
            pixel_offset: [number(2), number(3)].map(|number| self.window_width * blackman_harris(number)),
            // Other dimensions would change the images of high quality.
            ggx: GgxSample { random: [number(7), number(8)], fraction: LOBE_OVERLAP / f64::from(self.count) },
            texture_lod_bias: -0.5 * libm::log2(f64::from(shown)),
            light,
            reflected_light,
        }
    }

    /// Returns the light of sample `index`, emission, lights and environment in turn, and the reflected one.
    fn lights(&self, index: u32) -> (Option<SampledLight>, Option<SampledLight>) {
        let has_lights = !self.shadow_maps.is_empty();
        let has_directions = has_lights || self.environment.is_some();
        let mut subsequence = Subsequence { count: self.count, index };
        if !self.virtual_point_lights.is_empty() {
            let period = if has_directions { EMISSION_PERIOD } else { 1 };
            let count = self.count.div_ceil(period);
            if index.is_multiple_of(period) {
                return (self.emission(Subsequence { count, index: index / period }), None);
            }
            subsequence = Subsequence { count: self.count - count, index: index - index / period - 1 };
        }
        match subsequence.split(2) {
            _ if !has_directions => (None, None),
            _ if !has_lights => (self.direction(subsequence), None),
            (0, subsequence) => (self.shadow_map(subsequence, self.count), None),
            (_, subsequence) => (self.direction(subsequence), self.shadow_map(subsequence, subsequence.count)),
        }
    }

    /// Returns light that a surface emits.
    fn emission(&self, subsequence: Subsequence) -> Option<SampledLight> {
        let mut light = self.virtual_point_lights[subsequence.index as usize % self.virtual_point_lights.len()];
        light.area /= f64::from(subsequence.count);
        let axes = Camera::look_at(light.position_in_world, light.position_in_world + light.normal_in_world, 1.0);
        let rays = Rays::Cone {
            eye: light.position_in_world,
            axes: axes.world_from_view.linear,
            half_angle: EMISSION_HALF_ANGLE,
        };
        let shadow_camera = rays.camera(subsequence.point(), &self.bounds)?;
        Some(SampledLight {
            light: SampledLightKind::VirtualPointLight(light),
            inverse_probability: subsequence.inverse_probability(self.count),
            shadow_camera,
        })
    }

    /// Returns the light of a shadow map, with a weight for `count` samples.
    fn shadow_map(&self, subsequence: Subsequence, count: u32) -> Option<SampledLight> {
        let (chosen, subsequence) = subsequence.split(self.shadow_maps.len() as u32);
        let LightShadowMap { light, rays } = self.shadow_maps[chosen as usize];
        let shadow_camera = rays.camera(subsequence.point(), &self.bounds)?;
        Some(SampledLight {
            light: SampledLightKind::Light(light),
            inverse_probability: subsequence.inverse_probability(count),
            shadow_camera,
        })
    }

    /// Returns the light from a direction of the environment.
    fn direction(&self, subsequence: Subsequence) -> Option<SampledLight> {
        let (to_light_in_world, illuminance_rgb, solid_angle) = match &self.environment {
            Some((light, sampler)) => {
                let (direction, solid_angle) = sampler.sample(subsequence.point());
                let to_light_in_world = Rotation3::from_axis_angle(&Vector3::y_axis(), light.rotation) * direction;
                let illuminance = |radiance: f32| f64::from(radiance) * light.intensity * solid_angle;
                (to_light_in_world, light.environment.radiance(direction.cast()).map(illuminance), solid_angle)
            }
            None => (on_sphere(subsequence.point()), [0.0; 3], 2.0 * TAU),
        };
        Some(SampledLight {
            light: SampledLightKind::Environment { illuminance_rgb, solid_angle },
            inverse_probability: subsequence.inverse_probability(self.count),
            shadow_camera: Camera::of_directional_light(to_light_in_world, &self.bounds)?,
        })
    }
}

/// Position in a subsequence of the samples.
#[derive(Clone, Copy)]
struct Subsequence {
    count: u32,
    index: u32,
}

impl Subsequence {
    /// Splits the subsequence into `parts`, by index modulo `parts`. Returns the part of this index, and the position in it.
    fn split(self, parts: u32) -> (u32, Self) {
        let part = self.index % parts;
        (part, Self { count: (self.count - part).div_ceil(parts), index: self.index / parts })
    }

    /// Returns the inverse of the fraction of `count` samples that are in this subsequence.
    fn inverse_probability(self, count: u32) -> f64 {
        f64::from(count) / f64::from(self.count)
    }

    /// Returns a point of the unit square. The points of the sequence cover it evenly.
    fn point(self) -> [f64; 2] {
        [0, 1].map(|dimension| f64::from(sobol_burley::sample(self.index, dimension, 0)))
    }
}

/// Returns shadow maps that cover all models in the light of each light.
fn shadow_maps(lights: &[Light], bounds: &Aabb) -> Vec<LightShadowMap> {
    let (center, radius) = (bounds.center(), 0.5 * bounds.diagonal());
    let mut maps = Vec::new();
    if !(radius > 0.0 && radius.is_finite()) {
        return maps;
    }
    for (light, Light { kind, .. }) in lights.iter().enumerate() {
        match *kind {
            LightKind::Directional { to_light_in_world } => {
                maps.push(LightShadowMap { light, rays: Rays::Parallel { to_light: to_light_in_world } });
            }
            LightKind::Punctual { position_in_world: eye, cone, .. } => {
                // The cone of the light, or that around the models, if it is narrower.
                let distance = (center - eye).norm();
                let around_models = (center - eye, libm::asin((radius / distance).min(1.0)));
                let of_light = cone.map(|cone| (cone.axis_in_world, cone.outer_angle));
                let narrowest = of_light.filter(|(_, angle)| *angle < around_models.1).unwrap_or(around_models);
                // A margin for the filter.
                let half_angle = 1.02 * narrowest.1;
                if half_angle <= MAX_HALF_ANGLE {
                    let axes = Camera::look_at(eye, eye + narrowest.0, 1.0).world_from_view.linear;
                    maps.push(LightShadowMap { light, rays: Rays::Cone { eye, axes, half_angle } });
                } else {
                    for backward in
                        [Vector3::x(), Vector3::y(), Vector3::z()].into_iter().flat_map(|axis| [axis, -axis])
                    {
                        let right = backward.yzx();
                        let axes = Matrix3::from_columns(&[right, backward.cross(&right), backward]);
                        maps.push(LightShadowMap { light, rays: Rays::CubeSide { eye, axes } });
                    }
                }
            }
        }
    }
    maps
}

impl Rays {
    /// Returns the camera of the shadow map, rotated by a point of the unit square, so that the mean of many maps has no texels.
    /// `None` if the bounds are empty or a point.
    fn camera(self, point: [f64; 2], bounds: &Aabb) -> Option<Camera> {
        let [x, y] = point.map(|x| TAU * x);
        let (eye, linear, half_angle) = match self {
            Self::Parallel { to_light } => return Camera::of_directional_light(on_sun(to_light, point), bounds),
            Self::Cone { eye, axes, half_angle } => {
                (eye, axes * Rotation3::from_axis_angle(&Vector3::z_axis(), x), half_angle)
            }
            Self::CubeSide { eye, axes } => {
                // All sides of the cube have the same rotation.
                let rotation = Rotation3::from_axis_angle(&Vector3::y_axis(), x)
                    * Rotation3::from_axis_angle(&Vector3::x_axis(), y);
                (eye, rotation * axes, std::f64::consts::FRAC_PI_4)
            }
        };
        let mut camera = Camera {
            world_from_view: Affine { linear, translation: eye },
            lens: Lens::Perspective { fov_y: 2.0 * half_angle },
            shift: [0.0; 2],
            near: 0.0,
            far: 0.0,
        };
        camera.fit_depth(bounds);
        camera.near = camera.near.max(MIN_NEAR_TO_FAR * camera.far);
        Some(camera)
    }
}

impl FrameSample {
    /// Returns `camera` with its image, of `size` pixels, shifted so that the sample's position in the pixel is in the pixel's center.
    pub fn camera(&self, camera: &Camera, size: [u32; 2]) -> Camera {
        let mut sampled = *camera;
        for (axis, pixels) in size.into_iter().enumerate() {
            sampled.shift[axis] -= 2.0 * self.pixel_offset[axis] / f64::from(pixels);
        }
        sampled
    }
}

/// Returns the position at which the integral of a Blackman-Harris window (Harris 1978) from -0.5 to 0.5 is this fraction of the whole.
fn blackman_harris(fraction: f64) -> f64 {
    let [a0, a1, a2, a3] = [0.358_75, 0.488_29, 0.141_28, 0.011_68];
    let cosine_integral = |number: f64, x: f64| libm::sin(TAU * number * x) / (TAU * number);
    let integral = |x: f64| {
        let waves = a1 * cosine_integral(1.0, x) + a2 * cosine_integral(2.0, x) + a3 * cosine_integral(3.0, x);
        0.5 + x + waves / a0
    };
    let (mut low, mut high) = (-0.5, 0.5);
    // Exact to 32 bits.
    for _ in 0..32 {
        let middle = 0.5 * (low + high);
        if integral(middle) < fraction {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
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
    let (radius, turn) = (u.sqrt(), TAU * v);
    [radius * libm::cos(turn), radius * libm::sin(turn)]
}

/// Maps a point of the unit square to the unit sphere, uniformly.
fn on_sphere([u, v]: [f64; 2]) -> Vector3<f64> {
    let (y, turn) = (1.0 - 2.0 * u, TAU * v);
    let radius = (1.0 - y * y).sqrt();
    Vector3::new(radius * libm::cos(turn), y, radius * libm::sin(turn))
}

#[cfg(test)]
mod tests {
    use super::super::{Cone, Environment};
    use super::*;
    use std::sync::Arc;

    const BOUNDS: Aabb = Aabb { min: Vector3::new(-2.0, 0.0, -1.0), max: Vector3::new(2.0, 4.0, 3.0) };

    fn punctual(eye: [f64; 3], cone: Option<Cone>) -> Light {
        let kind = LightKind::Punctual { position_in_world: eye.into(), range: None, cone };
        Light { kind, intensity_rgb: [1.0; 3] }
    }

    /// A grid of points in the bounds.
    fn points() -> impl Iterator<Item = Vector3<f64>> {
        let size = BOUNDS.max - BOUNDS.min;
        let at = |i: usize| (i as f64 + 0.37) / 6.0;
        (0..216).map(move |i| BOUNDS.min + Vector3::new(at(i % 6), at(i / 6 % 6), at(i / 36)).component_mul(&size))
    }

    #[test]
    fn shadow_maps_cover_the_light_on_the_models_once() {
        let inner = Cone { axis_in_world: Vector3::new(0.6, -0.8, 0.0), inner_angle: 0.1, outer_angle: 0.3 };
        let wide = Cone { outer_angle: 1.5, ..inner };
        let cases = [
            ("directional", Light::directional(Vector3::new(1.0, 2.0, 0.5), 1.0), 1),
            ("point light outside", punctual([3.0, 9.0, -8.0], None), 1),
            ("point light inside", punctual([0.2, 1.0, 0.3], None), 6),
            ("point light in the center", punctual([0.0, 2.0, 1.0], None), 6),
            ("spot light inside", punctual([0.2, 3.0, 0.3], Some(inner)), 1),
            ("wide spot light inside", punctual([0.2, 3.0, 0.3], Some(wide)), 6),
            ("spot light that is wider than the models", punctual([-30.0, 42.0, 1.0], Some(wide)), 1),
        ];
        for (name, light, maps) in cases {
            let samples = FrameSamples::new(&Lighting::from_lights(vec![light]), Vec::new(), &BOUNDS, 8 * maps);
            assert_eq!(samples.shadow_maps.len() as u32, maps, "{name}");
            for turn in 0..4 {
                let cameras: Vec<_> =
                    (0..maps).map(|i| samples.get(2 * (maps * turn + i)).light.unwrap().shadow_camera).collect();
                for point in points() {
                    let is_lit = match light.kind {
                        LightKind::Punctual { position_in_world, cone: Some(cone), .. } => {
                            (point - position_in_world).angle(&cone.axis_in_world) < cone.outer_angle
                        }
                        _ => true,
                    };
                    let is_seen = |camera: &&Camera| {
                        let p = camera.projection_from_world(1.0) * point.push(1.0);
                        p.w > 0.0 && p.xyz().amax() <= p.w
                    };
                    let seen = cameras.iter().filter(is_seen).count();
                    assert!(seen == 1 || (seen == 0 && !is_lit), "{name}: {point} is in {seen} maps");
                }
            }
        }
    }

    #[test]
    fn positions_in_the_pixel_filter_have_the_density_of_the_window() {
        let samples = FrameSamples::new(&Lighting::default(), Vec::new(), &BOUNDS, 4096);
        let window = |x: f64| {
            let cos = |number: f64| (TAU * number * x).cos();
            0.358_75 + 0.488_29 * cos(1.0) + 0.141_28 * cos(2.0) + 0.011_68 * cos(3.0)
        };
        let (bins, steps) = (30, 100);
        let mut counts = [[0_u32; 30]; 2];
        for index in 0..4096 {
            for (counts, offset) in counts.iter_mut().zip(samples.get(index).pixel_offset) {
                counts[((offset / 3.0 + 0.5) * bins as f64) as usize] += 1;
            }
        }
        for bin in 0..bins {
            let at = |step: usize| (bin as f64 + (step as f64 + 0.5) / steps as f64) / bins as f64 - 0.5;
            let mean = (0..steps).map(|step| window(at(step))).sum::<f64>() / steps as f64;
            let expected = 4096.0 * mean / (0.358_75 * bins as f64);
            for counts in counts {
                assert!((f64::from(counts[bin]) - expected).abs() < 4.0, "bin {bin}: {} of {expected}", counts[bin]);
            }
        }
    }

    #[test]
    fn positions_and_multisampling_have_the_variance_of_the_filter() {
        let variance_of = |is_multisampled| {
            let samples = FrameSamples::antialiasing(4096, is_multisampled);
            (0..4096).map(|index| samples.get(index).pixel_offset[0].powi(2)).sum::<f64>() / 4096.0
        };
        // The sum of independent offsets has the sum of their variances.
        let (single, multisampled) = (variance_of(false), variance_of(true) + 1.0 / 12.0);
        assert!(
            (single - 9.0 * 0.019_184).abs() < 1e-4 && (single - multisampled).abs() < 1e-4,
            "{single}, {multisampled}"
        );
    }

    #[test]
    fn weights_of_each_shadow_map_add_up_to_the_number_of_samples() {
        let lights = vec![Light::directional(Vector3::y(), 1.0), punctual([0.0, 2.0, 1.0], None)];
        let environment = Some(EnvironmentLight::new(Arc::new(Environment::constant([0.5; 3]))));
        let emitted = VirtualPointLight {
            position_in_world: Vector3::zeros(),
            normal_in_world: Vector3::y(),
            intensity_rgb: [1.0; 3],
            area: 1.0,
        };
        for (environment, emitted) in [(None, None), (environment.clone(), None), (environment, Some(emitted))] {
            let lighting = Lighting { environment, ..Lighting::from_lights(lights.clone()) };
            let virtual_point_lights: Vec<_> = emitted.into_iter().collect();
            for count in [20, 37, 256] {
                let samples = FrameSamples::new(&lighting, virtual_point_lights.clone(), &BOUNDS, count);
                let mut sums = [0.0; 4];
                let (mut reflected, mut directions) = ([0.0; 2], 0);
                for index in 0..count {
                    let sample = samples.get(index);
                    let SampledLight { light, inverse_probability, .. } = sample.light.unwrap();
                    sums[match light {
                        SampledLightKind::Light(index) => index,
                        SampledLightKind::Environment { .. } => 2,
                        SampledLightKind::VirtualPointLight(_) => 3,
                    }] += inverse_probability;
                    let Some(SampledLight { light, inverse_probability, .. }) = sample.reflected_light else {
                        continue;
                    };
                    let SampledLightKind::Light(index) = light else { panic!("{light:?} is reflected") };
                    reflected[index] += inverse_probability;
                    directions += 1;
                }
                let emission_maps = virtual_point_lights.len() as f64;
                for (sum, maps) in sums.into_iter().zip([1.0, 6.0, 1.0, emission_maps]) {
                    assert!((sum - f64::from(count) * maps).abs() < 1e-9, "{count} samples: {sums:?}");
                }
                let others = if emitted.is_some() { count - count.div_ceil(4) } else { count };
                assert_eq!(directions, others / 2);
                for (sum, maps) in reflected.into_iter().zip([1.0, 6.0]) {
                    assert!((sum - f64::from(directions) * maps).abs() < 1e-9, "{count} samples: {reflected:?}");
                }
            }
        }
    }
}
