//! The ground that a sun's shadow falls on.

use super::{Camera, Lens};
use crate::math::{Aabb, Affine};
use nalgebra::{Matrix3, Vector3};

/// Level ground that shows nothing but the shadow of what stands on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowCatcher {
    /// The point beneath the middle of what stands on it.
    pub center: Vector3<f64>,
    /// How far from there it fades to nothing, in meters.
    pub radius: f64,
    /// Unit vector towards the sun.
    pub to_sun: Vector3<f64>,
    /// The sun as it sees what casts shadows: parallel rays that hold all of it.
    pub sun: Camera,
    /// The half of the sun's angle, as its tangent: how much wider a shadow's edge is for each meter from what casts it.
    pub softness: f64,
    /// Share of light that the darkest shadow takes, 0 to 1.
    pub strength: f64,
}

impl ShadowCatcher {
    /// The sine of the lowest sun that casts a shadow.
    const LOWEST_SUN: f64 = 0.1;
    /// How far beneath the lowest point it lies, as a share of the size.
    const BENEATH: f64 = 2e-3;

    /// The ground beneath `bounds`, in the light of a sun; `None` where there is nothing to stand on it, or the sun is too
    /// low or too weak to see.
    pub fn beneath(bounds: &Aabb, to_sun: Vector3<f64>) -> Option<Self> {
        let to_sun = to_sun.try_normalize(0.0)?;
        let (middle, radius) = (bounds.center(), bounds.diagonal() / 2.0);
        if !(to_sun.y >= Self::LOWEST_SUN && radius > 0.0 && radius.is_finite()) {
            return None;
        }
        // Seen from the sun, up is wherever the ground is not seen edge-on.
        let right = Vector3::z().cross(&to_sun).try_normalize(1e-6).unwrap_or_else(Vector3::x);
        let linear = Matrix3::from_columns(&[right, to_sun.cross(&right), to_sun]);
        let sun = Camera {
            world_from_view: Affine { linear, translation: middle + to_sun * (2.0 * radius) },
            lens: Lens::Orthographic { half_size: [radius * 1.05; 2] },
            near: 0.0,
            far: 4.0 * radius,
        };
        // A little beneath, so that a floor that the model brings hides it.
        let height = bounds.min.y - Self::BENEATH * radius;
        let center = Vector3::new(middle.x, height, middle.z);
        // As far as the longest shadow of what is in the bounds, and some more for its edge.
        let reach = radius + 2.0 * radius * (1.0 - to_sun.y * to_sun.y).sqrt() / to_sun.y;
        Some(Self { center, radius: (1.3 * reach).min(6.0 * radius), to_sun, sun, softness: 0.07, strength: 0.6 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sun_sees_all_that_stands_on_the_ground() {
        let bounds = Aabb { min: Vector3::new(-1.0, 0.5, -2.0), max: Vector3::new(3.0, 4.0, 1.0) };
        for to_sun in [[0.0, 1.0, 0.0], [0.5, 0.3, -0.4], [-3.0, 0.6, 0.1]] {
            let ground = ShadowCatcher::beneath(&bounds, Vector3::from(to_sun)).unwrap();
            assert!((ground.center - Vector3::new(1.0, 0.5, -0.5)).norm() < 0.01 && ground.center.y < 0.5);
            for corner in bounds.corners() {
                let seen = ground.sun.projection_from_world(1.0) * corner.push(1.0);
                assert!((seen / seen.w).xyz().abs().max() <= 1.0, "{to_sun:?}, {corner}: {seen}");
            }
        }
        assert!(ShadowCatcher::beneath(&bounds, Vector3::new(1.0, 0.0, 0.0)).is_none());
        assert!(ShadowCatcher::beneath(&bounds, Vector3::zeros()).is_none());
        assert!(ShadowCatcher::beneath(&Aabb::EMPTY, Vector3::y()).is_none());
    }
}
