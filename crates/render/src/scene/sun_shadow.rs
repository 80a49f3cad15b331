//! Shadow of the dominant light, and the plane that shows it.

use super::Camera;
use nalgebra::Vector3;
use rigview_core::math::Aabb;

/// Tangent of half the sun's angular diameter: penumbra width per meter of distance to the caster.
const SOFTNESS: f64 = 0.07;

/// Shadow of one light on all models, in a single draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SunShadow {
    /// Unit vector towards the sun.
    pub to_sun: Vector3<f64>,
    /// Camera of the shadow map, with parallel rays.
    pub camera: Camera,
    /// Tangent of half the sun's angular diameter: penumbra width per meter of distance to the caster.
    pub softness: f64,
    /// Plane that shows the shadow. Models show the shadow if the sun is one of the lights.
    pub catcher: Option<ShadowCatcher>,
}

/// Shadow catcher: a horizontal plane that shows only the shadow of the models above it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowCatcher {
    /// The point below the center of the models.
    pub center: Vector3<f64>,
    /// Radius at which the plane has faded, in meters.
    pub radius: f64,
    /// Darkness of the umbra, 0 to 1.
    pub strength: f64,
}

impl SunShadow {
    /// Returns the shadow of models within `bounds` in world space, without a plane. `None` if the bounds are empty or a point.
    pub fn new(bounds: &Aabb, to_sun: Vector3<f64>) -> Option<Self> {
        let to_sun = to_sun.try_normalize(0.0)?;
        Some(Self { to_sun, camera: Camera::of_directional_light(to_sun, bounds)?, softness: SOFTNESS, catcher: None })
    }

    /// Returns the shadow with a plane below the models, unless the sun is too low for one. `None` as for
    /// [`new`](Self::new).
    pub fn with_catcher(bounds: &Aabb, to_sun: Vector3<f64>) -> Option<Self> {
        let shadow = Self::new(bounds, to_sun)?;
        Some(Self { catcher: ShadowCatcher::beneath(bounds, shadow.to_sun), ..shadow })
    }
}

impl ShadowCatcher {
    /// Sine of the minimum elevation of the sun.
    const MIN_SUN_SINE: f64 = 0.1;
    /// Distance of the plane below the lowest point, relative to the radius of the bounds.
    const GAP_RATIO: f64 = 2e-3;

    /// Returns a plane below `bounds`; `None` if the sun is too low.
    fn beneath(bounds: &Aabb, to_sun: Vector3<f64>) -> Option<Self> {
        let (middle, radius) = (bounds.center(), bounds.diagonal() / 2.0);
        if to_sun.y.is_nan() || to_sun.y < Self::MIN_SUN_SINE {
            return None;
        }
        // Slightly below, so that a floor in the model hides it.
        let height = bounds.min.y - Self::GAP_RATIO * radius;
        // The farthest shadow; the plane gets a margin.
        let shadow_radius = radius + 2.0 * radius * (1.0 - to_sun.y * to_sun.y).sqrt() / to_sun.y;
        Some(Self {
            center: Vector3::new(middle.x, height, middle.z),
            radius: (1.3 * shadow_radius).min(6.0 * radius),
            strength: 0.6,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shadow_map_contains_the_bounds() {
        let bounds = Aabb { min: Vector3::new(-1.0, 0.5, -2.0), max: Vector3::new(3.0, 4.0, 1.0) };
        for to_sun in [[0.0, 1.0, 0.0], [0.5, 0.3, -0.4], [-3.0, 0.6, 0.1]] {
            let shadow = SunShadow::with_catcher(&bounds, Vector3::from(to_sun)).unwrap();
            let center = shadow.catcher.unwrap().center;
            assert!((center - Vector3::new(1.0, 0.5, -0.5)).norm() < 0.01 && center.y < 0.5);
            for corner in bounds.corners() {
                let projected = shadow.camera.projection_from_world(1.0) * corner.push(1.0);
                assert!((projected / projected.w).xyz().abs().max() <= 1.0, "{to_sun:?}, {corner}: {projected}");
            }
        }
        assert!(SunShadow::with_catcher(&bounds, Vector3::new(1.0, 0.0, 0.0)).unwrap().catcher.is_none());
        assert!(SunShadow::with_catcher(&bounds, Vector3::zeros()).is_none());
        assert!(SunShadow::with_catcher(&Aabb::EMPTY, Vector3::y()).is_none());
    }
}
