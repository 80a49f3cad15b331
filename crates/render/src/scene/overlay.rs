//! Debug lines, triangles and ground grid in world space.

use nalgebra::{Matrix4, Vector3};
use rigview_core::math::Aabb;

/// Debug geometry of a frame. Colors are sRGB-encoded with straight alpha; widths are in pixels, times [`DebugView::pixels_per_point`](super::DebugView::pixels_per_point).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// The ground grid.
    pub grid: Option<Grid>,
    /// Geometry that nearer surfaces hide.
    pub depth_tested: DebugLines,
    /// Geometry in front of everything else.
    pub always_on_top: DebugLines,
}

/// Lines and triangles in the renderer's layout.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DebugLines {
    /// Start and width, end, start color, end color.
    pub(crate) lines: Vec<[[f32; 4]; 4]>,
    /// Three corners and color. Opaque, lit from the camera.
    pub(crate) triangles: Vec<[[f32; 4]; 4]>,
}

/// Square ground grid that fades outwards, with the X axis red and the Z axis blue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Center of the visible part. The lines are aligned to the origin.
    pub center: [f64; 3],
    /// Radius at which the grid has faded, in meters.
    pub radius: f64,
    /// Line spacing in meters, a power of ten.
    pub cell_size: f64,
    /// Cells per major line.
    pub cells_per_major: u32,
}

/// Height of the scale figure in meters.
const FIGURE_HEIGHT: f64 = 1.8;

/// One side of the scale figure from the neck to the crotch, in meters: distance from the middle, and height.
const FIGURE_SIDE: [[f64; 2]; 15] = [
    [0.045, 1.57],
    [0.055, 1.51],
    [0.19, 1.46],
    [0.235, 1.36],
    [0.31, 0.84],
    [0.26, 0.82],
    [0.165, 1.3],
    [0.13, 1.08],
    [0.17, 0.92],
    [0.14, 0.5],
    [0.1, 0.08],
    [0.16, 0.0],
    [0.04, 0.0],
    [0.03, 0.5],
    [0.0, 0.84],
];

impl Grid {
    /// Returns a grid for a model of these bounds, with cells of a tenth to a third of its size.
    pub fn under(bounds: &Aabb) -> Self {
        let size = if bounds.is_empty() { 1.0 } else { bounds.diagonal().max(1e-9) };
        let cell_size = libm::pow(10.0, libm::log10(size / 3.0).floor());
        let center = if bounds.is_empty() { Vector3::zeros() } else { bounds.center() };
        // Multiples of major cells, so that the grid fades alike at any position.
        let snap = |x: f64| (x / (cell_size * 10.0)).round() * cell_size * 10.0;
        let (center, radius) = ([snap(center.x), 0.0, snap(center.z)], (3.0 * size).max(12.0 * cell_size));
        Self { center, radius, cell_size, cells_per_major: 10 }
    }

    /// Returns the cell size with its unit, such as `10 cm`.
    pub fn cell_label(&self) -> String {
        let meters = self.cell_size;
        let (value, unit) = match meters {
            m if m >= 1000.0 => (m / 1000.0, "km"),
            m if m >= 0.999 => (m, "m"),
            m if m >= 0.00999 => (m * 100.0, "cm"),
            m if m >= 0.000_999 => (m * 1000.0, "mm"),
            m => (m * 1e6, "um"),
        };
        let text = format!("{value:.3}");
        format!("{} {unit}", text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl DebugLines {
    /// Adds a line.
    pub fn line(&mut self, from: Vector3<f64>, to: Vector3<f64>, color: [f32; 4], width: f32) {
        self.gradient_line(from, to, [color, color], width);
    }

    /// Adds a line with a color gradient.
    pub fn gradient_line(&mut self, from: Vector3<f64>, to: Vector3<f64>, [a, b]: [[f32; 4]; 2], width: f32) {
        let (from, to) = (from.cast::<f32>(), to.cast::<f32>());
        if from.iter().chain(&to).all(|x| x.is_finite()) {
            self.lines.push([from.push(width).into(), to.push(0.0).into(), a, b]);
        }
    }

    /// Adds a round dot.
    pub fn dot(&mut self, at: Vector3<f64>, color: [f32; 4], diameter: f32) {
        self.line(at, at, color, diameter);
    }

    /// Adds an opaque triangle.
    pub fn triangle(&mut self, corners: [Vector3<f64>; 3], [r, g, b]: [f32; 3]) {
        let corners = corners.map(|corner| corner.cast::<f32>());
        if corners.iter().all(|corner| corner.iter().all(|x| x.is_finite())) {
            let [p, q, s] = corners.map(|corner| corner.push(0.0).into());
            self.triangles.push([p, q, s, [r, g, b, 1.0]]);
        }
    }

    /// Adds the twelve edges of a box.
    pub fn cuboid(&mut self, bounds: &Aabb, color: [f32; 4], width: f32) {
        if bounds.is_empty() {
            return;
        }
        let corners: Vec<Vector3<f64>> = bounds.corners().collect();
        for (i, a) in corners.iter().enumerate() {
            for b in &corners[i + 1..] {
                // The ends of an edge differ along one axis.
                if (0..3).filter(|&axis| a[axis] != b[axis]).count() == 1 {
                    self.line(*a, *b, color, width);
                }
            }
        }
    }

    /// Adds the outline of a person of 1.8 m and a ruler to the left of a model of these bounds, on its ground.
    ///
    /// The ruler is at least as high as both. The distance of its ticks is a power of ten in meters; every fifth is longer.
    pub fn scale_figure(&mut self, bounds: &Aabb) {
        if bounds.is_empty() {
            return;
        }
        let (color, width) = ([0.25, 0.72, 0.88, 1.0], 2.0);
        let height = bounds.extent().y.max(FIGURE_HEIGHT);
        let ground = Vector3::new(bounds.min.x, bounds.min.y, bounds.center().z);
        let figure = ground - Vector3::x() * (0.1 * height + 0.35);
        let at = |[x, y]: [f64; 2]| figure + Vector3::new(x, y, 0.0);
        for side in [-1.0, 1.0] {
            for part in FIGURE_SIDE.windows(2) {
                let [from, to] = [part[0], part[1]].map(|[x, y]| at([side * x, y]));
                self.line(from, to, color, width);
            }
            let head = |i: u32| {
                let (sin, cos) = libm::sincos(f64::from(i) * std::f64::consts::PI / 12.0);
                at([side * 0.085 * sin, 1.68 + 0.12 * cos])
            };
            (0..12).for_each(|i| self.line(head(i), head(i + 1), color, width));
        }
        let step = libm::pow(10.0, libm::log10(height / 3.0).floor());
        let ticks = (height / step - 1e-6).ceil() as u32;
        let ruler = |tick: u32, x: f64| figure + Vector3::new(-0.35 - x * height, f64::from(tick) * step, 0.0);
        self.line(ruler(0, 0.0), ruler(ticks, 0.0), color, width);
        for tick in 0..=ticks {
            let length = if tick.is_multiple_of(5) { 0.04 } else { 0.02 };
            self.line(ruler(tick, 0.0), ruler(tick, length), color, width);
        }
    }

    /// Returns `true` without lines and triangles.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.triangles.is_empty()
    }

    /// Returns the numbers of lines (dots included) and triangles.
    pub fn counts(&self) -> [usize; 2] {
        [self.lines.len(), self.triangles.len()]
    }

    fn points(&self) -> impl Iterator<Item = Vector3<f64>> + '_ {
        let lines = self.lines.iter().flat_map(|line| &line[..2]);
        let triangles = self.triangles.iter().flat_map(|triangle| &triangle[..3]);
        lines.chain(triangles).map(|[x, y, z, _]| Vector3::new(*x, *y, *z).cast())
    }
}

impl Overlay {
    /// Returns `true` if nothing is drawn.
    pub fn is_empty(&self) -> bool {
        self.grid.is_none() && self.depth_tested.is_empty() && self.always_on_top.is_empty()
    }

    /// Returns `true` if the end of a line or the corner of a triangle is in view.
    pub fn has_point_in_view(&self, projection_from_world: &Matrix4<f64>) -> bool {
        let is_in_view = |point: Vector3<f64>| {
            let p = projection_from_world * point.push(1.0);
            p.w > 0.0 && [p.x, p.y, p.z].iter().all(|x| x.abs() <= p.w)
        };
        self.depth_tested.points().chain(self.always_on_top.points()).any(is_in_view)
    }

    /// Returns bounds that the depth range must enclose.
    pub fn bounds(&self) -> Aabb {
        let mut bounds = Aabb::EMPTY;
        for point in self.depth_tested.points().chain(self.always_on_top.points()) {
            bounds.add(point);
        }
        if let Some(grid) = &self.grid {
            let center = Vector3::from(grid.center);
            bounds.add(center - Vector3::new(grid.radius, 0.0, grid.radius));
            bounds.add(center + Vector3::new(grid.radius, 0.0, grid.radius));
        }
        bounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn box_has_twelve_edges_and_bounds_contain_all_geometry() {
        let mut overlay = Overlay::default();
        assert!(overlay.is_empty());
        let bounds = Aabb { min: Vector3::zeros(), max: Vector3::new(1.0, 2.0, 3.0) };
        overlay.depth_tested.cuboid(&bounds, [1.0; 4], 1.0);
        assert_eq!(overlay.depth_tested.counts(), [12, 0]);
        overlay.always_on_top.dot(Vector3::new(5.0, 0.0, 0.0), [1.0; 4], 3.0);
        overlay.always_on_top.dot(Vector3::new(f64::NAN, 0.0, 0.0), [1.0; 4], 3.0);
        assert_eq!(overlay.always_on_top.counts(), [1, 0]);
        let all = overlay.bounds();
        assert_eq!((all.min, all.max), (Vector3::zeros(), Vector3::new(5.0, 2.0, 3.0)));
    }

    #[test]
    fn scale_figure_stands_beside_the_model() {
        for size in [0.01, 1.7, 250.0] {
            let bounds = Aabb { min: Vector3::new(1.0, -2.0, 3.0), max: Vector3::new(2.0, size - 2.0, 4.0) };
            let mut overlay = Overlay::default();
            overlay.depth_tested.scale_figure(&bounds);
            let all = overlay.bounds();
            assert!(all.max.x < 1.0 && (all.min.y + 2.0).abs() < 1e-5, "{all:?}");
            assert!((size.max(1.8)..size.max(1.8) * 1.4).contains(&(all.extent().y + 1e-5)), "{all:?}");
            assert!(overlay.depth_tested.counts()[0] < 100);
            let at_feet = bounds.min - Vector3::new(0.1 * size.max(1.8) + 0.35, 0.0, -0.5);
            let figure = overlay.depth_tested.points().filter(|point| (point - at_feet).x.abs() < 0.32);
            assert!((figure.map(|point| point.y).fold(f64::MIN, f64::max) + 0.2).abs() < 1e-3);
        }
        let mut empty = DebugLines::default();
        empty.scale_figure(&Aabb::EMPTY);
        assert!(empty.is_empty());
    }

    #[test]
    fn grid_cells_are_a_power_of_ten_near_the_model_size() {
        for (size, cell, words) in [
            (1.8, 0.1, "10 cm"),
            (150.0, 10.0, "10 m"),
            (0.05, 0.01, "1 cm"),
            (4000.0, 1000.0, "1 km"),
            (6.0, 1.0, "1 m"),
        ] {
            let bounds = Aabb { min: Vector3::zeros(), max: Vector3::new(size, 0.0, 0.0) };
            let grid = Grid::under(&bounds);
            assert!((grid.cell_size / cell - 1.0).abs() < 1e-12, "{size}: {}", grid.cell_size);
            assert_eq!(grid.cell_label(), words);
        }
    }
}
