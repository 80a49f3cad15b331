//! Shadow catcher: a ground plane that shows only shadows.

use super::Camera;
use crate::math::Aabb;
use nalgebra::Vector3;

/// A horizontal plane that shows the shadow of the models above it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowCatcher {
    /// The point below the center of the models.
    pub center: Vector3<f64>,
    /// Radius at which the plane has faded, in meters.
    pub radius: f64,
    /// Unit vector towards the sun.
    pub to_sun: Vector3<f64>,
    /// Camera of the shadow map, with parallel rays.
    pub sun: Camera,
    /// Tangent of half the sun's angular diameter: penumbra width per meter of distance to the caster.
    pub softness: f64,
    /// Darkness of the umbra, 0 to 1.
    pub strength: f64,
}

impl ShadowCatcher {
    /// Sine of the minimum elevation of the sun.
    const MIN_SUN_SINE: f64 = 0.1;
    /// Distance of the plane below the lowest point, relative to the radius of the bounds.
    const GAP_RATIO: f64 = 2e-3;

    /// Returns a plane below `bounds` in world space; `None` if the bounds are empty or the sun is too low.
    pub fn beneath(bounds: &Aabb, to_sun: Vector3<f64>) -> Option<Self> {
        let to_sun = to_sun.try_normalize(0.0)?;
        let (middle, radius) = (bounds.center(), bounds.diagonal() / 2.0);
        if to_sun.y.is_nan() || to_sun.y < Self::MIN_SUN_SINE {
            return None;
        }
        let sun = Camera::of_directional_light(to_sun, bounds)?;
        // Slightly below, so that a floor in the model hides it.
        let height = bounds.min.y - Self::GAP_RATIO * radius;
        let center = Vector3::new(middle.x, height, middle.z);
        // The farthest shadow; the plane gets a margin.
        let shadow_radius = radius + 2.0 * radius * (1.0 - to_sun.y * to_sun.y).sqrt() / to_sun.y;
        Some(Self {
            center,
            radius: (1.3 * shadow_radius).min(6.0 * radius),
            to_sun,
            sun,
            softness: 0.07,
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
            let catcher = ShadowCatcher::beneath(&bounds, Vector3::from(to_sun)).unwrap();
            assert!((catcher.center - Vector3::new(1.0, 0.5, -0.5)).norm() < 0.01 && catcher.center.y < 0.5);
            for corner in bounds.corners() {
                let projected = catcher.sun.projection_from_world(1.0) * corner.push(1.0);
                assert!((projected / projected.w).xyz().abs().max() <= 1.0, "{to_sun:?}, {corner}: {projected}");
            }
        }
        assert!(ShadowCatcher::beneath(&bounds, Vector3::new(1.0, 0.0, 0.0)).is_none());
        assert!(ShadowCatcher::beneath(&bounds, Vector3::zeros()).is_none());
        assert!(ShadowCatcher::beneath(&Aabb::EMPTY, Vector3::y()).is_none());
    }
}
