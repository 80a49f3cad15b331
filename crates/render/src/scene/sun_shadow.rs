//! Shadow of the dominant light, and the plane that shows it.

use super::{Camera, Lens};
use nalgebra::{Matrix4, RowVector4, Vector3};
use rigview_core::math::Aabb;

/// Softness of the shadow of a directional light on a shadow catcher: that of a studio light, which is larger than the sun.
const SOFTNESS: f64 = 0.07;

/// Darkness of this shadow.
const STRENGTH: f64 = 0.6;

/// Width of the widest penumbra per meter of distance to the caster.
const MAX_PENUMBRA: f64 = 0.5;

/// Steps of the place of a shadow map, as a fraction of its half width. Coarser steps are more views with equal maps, and fewer texels in view.
const PLACE_STEP: f64 = 0.25;

/// Margin of a shadow map around what is in view, as a fraction of its half width: half a step, and the width of the filter.
const MARGIN: f64 = 0.5 * PLACE_STEP + 0.01;

/// Shadow of one light on all models, in a single draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SunShadow {
    /// Unit vector towards the sun.
    pub to_sun: Vector3<f64>,
    /// Bounds of the models in world space.
    pub bounds: Aabb,
    /// Camera of a shadow map of all models, with parallel rays.
    pub camera: Camera,
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
    /// Sine of the angular radius of the light; 1 is the whole sky.
    pub softness: f64,
}

impl SunShadow {
    /// Returns the shadow of models within `bounds` in world space, without a plane. `None` if the bounds are empty or a point.
    pub fn new(bounds: &Aabb, to_sun: Vector3<f64>) -> Option<Self> {
        let to_sun = to_sun.try_normalize(0.0)?;
        let camera = Camera::of_directional_light(to_sun, bounds)?;
        Some(Self { to_sun, bounds: *bounds, camera, catcher: None })
    }

    /// Returns the shadow with a plane below the models, unless the sun is too low for one. `None` as for
    /// [`new`](Self::new).
    pub fn with_catcher(bounds: &Aabb, to_sun: Vector3<f64>) -> Option<Self> {
        let shadow = Self::new(bounds, to_sun)?;
        Some(Self { catcher: ShadowCatcher::beneath(bounds, shadow.to_sun, SOFTNESS, STRENGTH), ..shadow })
    }

    /// Returns the shadow of a uniform sky on a plane below the models. It is dark where they touch the plane. `None` as for
    /// [`new`](Self::new).
    pub fn of_sky(bounds: &Aabb) -> Option<Self> {
        let shadow = Self::new(bounds, Vector3::y())?;
        Some(Self { catcher: ShadowCatcher::beneath(bounds, shadow.to_sun, 1.0, 1.0), ..shadow })
    }

    /// Returns the camera of a shadow map that looks towards the sun from beneath the models.
    pub(crate) fn camera_beneath(&self) -> Camera {
        Camera::of_directional_light(-self.to_sun, &self.bounds).unwrap_or(self.camera)
    }

    /// Returns the part of a shadow catcher's plane that the shadow reaches: least x and z, largest x and z, in world space.
    pub(crate) fn rect_on(&self, catcher: &ShadowCatcher) -> [f64; 4] {
        let elevation_sine = self.to_sun.y.max(ShadowCatcher::MIN_SUN_SINE);
        let mut shadow = Aabb::EMPTY;
        for corner in self.bounds.corners() {
            let distance = (corner.y - catcher.center.y) / elevation_sine;
            // The penumbra, as far as it is dark, with room for the filter of the shadow map.
            let penumbra = (1.5 * catcher.softness).min(MAX_PENUMBRA) * distance;
            let margin = (penumbra + 0.01 * self.bounds.diagonal()) / elevation_sine;
            let point = corner - self.to_sun * distance;
            shadow.add(point.add_scalar(-margin));
            shadow.add(point.add_scalar(margin));
        }
        let (min, max) = (catcher.center.add_scalar(-catcher.radius), catcher.center.add_scalar(catcher.radius));
        let (min, max) = (shadow.min.sup(&min), shadow.max.inf(&max));
        [min.x, min.z, max.x, max.z]
    }

    /// Returns the camera of a shadow map that covers what `view` sees of the models in an image of this aspect ratio, and all casters
    /// towards the sun.
    ///
    /// Width and place are rounded: views that differ a little have the same map, with the same texels.
    pub(crate) fn camera_of_view(&self, view: &Camera, aspect: f64) -> Camera {
        let Lens::Orthographic { half_size: [max_half_width, _] } = self.camera.lens else { return self.camera };
        let axes = self.camera.world_from_view.linear;
        let mut seen = Aabb::EMPTY;
        for point in corners_in_view(&self.bounds, &view.projection_from_world(aspect)) {
            seen.add(axes.tr_mul(&point));
        }
        let seen_half_width = 0.5 * seen.extent().xy().max();
        // Widths are powers of the root of 2.
        let half_width = libm::exp2(0.5 * libm::ceil(2.0 * libm::log2(seen_half_width / (1.0 - MARGIN))));
        if !(half_width > 0.0 && half_width < max_half_width) {
            return self.camera;
        }
        let mut camera = self.camera;
        camera.lens = Lens::Orthographic { half_size: [half_width; 2] };
        let step = PLACE_STEP * half_width;
        let eye = axes.tr_mul(&camera.world_from_view.translation);
        let place = seen.center().map(|x| libm::round(x / step) * step);
        camera.world_from_view.translation = axes * Vector3::new(place.x, place.y, eye.z);
        camera
    }
}

/// Returns the corners of the part of `bounds` between the sides and beyond the near plane of a camera.
fn corners_in_view(bounds: &Aabb, projection_from_world: &Matrix4<f64>) -> Vec<Vector3<f64>> {
    let row = |i| projection_from_world.row(i).into_owned();
    let view_planes = [row(3) + row(0), row(3) - row(0), row(3) + row(1), row(3) - row(1), row(3) + row(2)];
    let (mut corners, mut box_planes) = (Vec::new(), Vec::new());
    for axis in 0..3 {
        for (side, normal) in [(bounds.min, 1.0), (bounds.max, -1.0)] {
            let face = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[u, v]| {
                let mut corner = side;
                for (axis, end) in [((axis + 1) % 3, u), ((axis + 2) % 3, v)] {
                    corner[axis] = [bounds.min, bounds.max][end][axis];
                }
                corner
            });
            corners.extend(clipped(&face, &view_planes));
            let mut plane = RowVector4::zeros();
            (plane[axis], plane[3]) = (normal, -normal * side[axis]);
            box_planes.push(plane);
        }
    }
    // The near plane is in the box if the camera is.
    if let Some(world_from_projection) = projection_from_world.try_inverse() {
        let near = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| {
            let corner = world_from_projection * Vector3::new(x, y, -1.0).push(1.0);
            corner.xyz() / corner.w
        });
        corners.extend(clipped(&near, &box_planes));
    }
    corners
}

/// Returns the part of a convex polygon on the positive side of all planes (Sutherland and Hodgman 1974).
fn clipped(polygon: &[Vector3<f64>], planes: &[RowVector4<f64>]) -> Vec<Vector3<f64>> {
    planes.iter().fold(polygon.to_vec(), |polygon, plane| {
        let distances: Vec<f64> = polygon.iter().map(|corner| (plane * corner.push(1.0)).x).collect();
        let mut kept = Vec::new();
        for (i, corner) in polygon.iter().enumerate() {
            let next = (i + 1) % polygon.len();
            if distances[i] >= 0.0 {
                kept.push(*corner);
            }
            if (distances[i] < 0.0) != (distances[next] < 0.0) {
                kept.push(corner.lerp(&polygon[next], distances[i] / (distances[i] - distances[next])));
            }
        }
        kept
    })
}

impl ShadowCatcher {
    /// Sine of the minimum elevation of the sun.
    const MIN_SUN_SINE: f64 = 0.1;
    /// Distance of the plane below the lowest point, relative to the radius of the bounds.
    const GAP_RATIO: f64 = 2e-3;

    /// Returns a plane below `bounds`; `None` if the sun is too low.
    fn beneath(bounds: &Aabb, to_sun: Vector3<f64>, softness: f64, strength: f64) -> Option<Self> {
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
            strength,
            softness,
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

    #[test]
    fn shadow_map_of_a_view_covers_what_is_in_view() {
        let bounds = Aabb { min: Vector3::new(-1.0, 0.0, -0.5), max: Vector3::new(1.0, 2.0, 0.5) };
        let shadow = SunShadow::new(&bounds, Vector3::new(-0.5, 0.64, 0.58)).unwrap();
        let Lens::Orthographic { half_size: [max_half_width, _] } = shadow.camera.lens else { panic!() };
        let aspect = 1.5;
        let grid = |i: usize| (i as f64 + 0.5) / 20.0;
        // From outside, near a corner, and within the box.
        for (eye, target, max_ratio) in [
            ([0.0, 1.0, 9.0], [0.0, 1.0, 0.0], 1.0),
            ([0.1, 1.7, 1.5], [0.1, 1.7, 0.0], 0.9),
            ([1.2, 2.2, 0.6], [1.0, 2.0, 0.5], 1.0),
            ([0.0, 1.0, 0.0], [1.0, 1.0, 0.3], 0.8),
        ] {
            let mut view = Camera::look_at(eye.into(), target.into(), 0.6);
            view.fit_depth(&bounds);
            let camera = shadow.camera_of_view(&view, aspect);
            let Lens::Orthographic { half_size: [half_width, _] } = camera.lens else { panic!() };
            assert!(half_width <= max_ratio * max_half_width, "{eye:?}: {half_width} of {max_half_width}");
            let mut seen = 0;
            for i in 0..8000 {
                let extent =
                    bounds.extent().component_mul(&Vector3::new(grid(i % 20), grid(i / 20 % 20), grid(i / 400)));
                let point = (bounds.min + extent).push(1.0);
                let is_within = |camera: &Camera, aspect| {
                    let p = camera.projection_from_world(aspect) * point;
                    p.xyz().amax() <= p.w
                };
                if is_within(&view, aspect) {
                    seen += 1;
                    assert!(is_within(&camera, 1.0), "{eye:?}: {point}");
                }
            }
            assert!(seen > 20, "{eye:?}: {seen}");
            // The same map for a view that moves by a thousandth.
            let mut moved = view;
            moved.world_from_view.translation.x += 1e-3 * half_width;
            assert_eq!(shadow.camera_of_view(&moved, aspect), camera, "{eye:?}");
        }
        // A view of nothing.
        let away = Camera::look_at(Vector3::new(0.0, 1.0, 9.0), Vector3::new(0.0, 1.0, 18.0), 0.6);
        assert_eq!(shadow.camera_of_view(&away, aspect), shadow.camera);
    }
}
