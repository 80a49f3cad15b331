//! Grounds under the feet: slopes, steps, height fields, and queries of the caller.

use crate::math::simd::{Float4, MAX_LANES};
use nalgebra::{Vector2, Vector3};
use std::fmt;
use std::sync::Arc;

/// Largest number of nodes of a height field.
const MAX_NODES: usize = 1 << 18;

/// Largest number of nodes that the triangles of a height field are rasterized to, all together.
const MAX_RASTERIZED: f64 = 1e8;

/// Length of a step, relative to its height.
const STEP_LENGTH: f64 = 2.0;

/// Part of the length of a step that rises.
const RISER: f64 = 0.1;

/// The ground below a point, in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundPoint {
    /// Height along +Y, in meters. Without a finite height, the ground is level at the height of the point.
    pub height: f64,
    /// The direction that points away from the ground, of any length. The ground is level unless its Y is above 0.
    pub normal: Vector3<f64>,
}

/// A query of the height of a ground, such as rays of a physics engine.
///
/// An update of a crowd calls it from several threads, for batches of points. It may read a state that changes between updates: feet
/// on a moving platform follow it. [`Ground`] implements the trait for slopes, steps, grids of heights and meshes.
///
/// ```
/// use rigview_core::ik::{Ground, GroundPoint, GroundQuery};
/// use rigview_core::nalgebra::Vector3;
/// use std::sync::Mutex;
///
/// /// A lift of 2 by 2 meters in a flat world.
/// struct Lift {
///     height: Mutex<f64>,
/// }
///
/// impl GroundQuery for Lift {
///     fn height_and_normal(&self, points: &[Vector3<f64>], found: &mut [GroundPoint]) {
///         let lift = *self.height.lock().unwrap();
///         for (point, found) in points.iter().zip(found) {
///             let is_on_lift = point.x.abs() <= 1.0 && point.z.abs() <= 1.0;
///             *found = GroundPoint { height: if is_on_lift { lift } else { 0.0 }, normal: Vector3::y() };
///         }
///     }
/// }
///
/// let ground = Ground::from_query(Lift { height: Mutex::new(3.0) });
/// assert_eq!([ground.height(0.5, 0.5), ground.height(7.0, 0.0)], [3.0, 0.0]);
/// ```
pub trait GroundQuery: Send + Sync {
    /// Sets `found` to the ground below or above each of `points`, in world space and meters.
    ///
    /// The points lie below feet and hips, on the flat ground that the clips are made for, at the placement of the instance. So a ray
    /// down from a step above the point finds the storey of the instance.
    fn height_and_normal(&self, points: &[Vector3<f64>], found: &mut [GroundPoint]);

    /// Like [`height_and_normal`](Self::height_and_normal), for a ground without the edges of steps, which bodies and feet in the air
    /// follow. The default is the exact ground, over whose steps bodies jump.
    fn smooth_height_and_normal(&self, points: &[Vector3<f64>], found: &mut [GroundPoint]) {
        self.height_and_normal(points, found);
    }
}

impl fmt::Debug for dyn GroundQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GroundQuery")
    }
}

/// A ground: the height at each point of the plane of X and Z, in world space.
///
/// Feet on the ground follow its exact height, and feet in the air a smooth one. Heights have single precision;
/// [`max_error`](Self::max_error) is the error of a mesh beyond that.
///
/// ```
/// use rigview_core::ik::Ground;
///
/// let ground = Ground::slope(45.0);
/// assert!((ground.height(7.0, 2.0) - 2.0).abs() < 1e-12);
/// // One triangle as the ground; the smooth height is the mean within two meters.
/// let corners = [[0.0, 0.0, 0.0], [0.0, 1.0, 8.0], [8.0, 0.0, 0.0]].map(Into::into);
/// let ground = Ground::from_triangles([corners].iter().copied(), 2.0).unwrap();
/// assert!((ground.height(1.0, 4.0) - 0.5).abs() < 1e-6);
/// ```
#[derive(Clone, Debug)]
pub struct Ground(GroundKind);

#[derive(Clone, Debug)]
enum GroundKind {
    /// Rise per meter of Z.
    Slope(f64),
    /// Height of a step; the steps lead up towards +Z.
    Steps(f64),
    /// Its error in meters; see [`Ground::max_error`].
    Field(HeightField, f64),
    Query(Arc<dyn GroundQuery>),
}

/// Heights at the nodes of a grid.
#[derive(Clone, Debug)]
pub(crate) struct HeightField {
    origin: Vector2<f64>,
    /// Nodes per meter.
    density: Vector2<f64>,
    counts: [usize; 2],
    /// See [`vectors`](Self::vectors).
    nodes: Vec<[Float4; 2]>,
}

/// Heights and slopes at one point.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GroundSample<V> {
    pub(crate) height: V,
    /// Rise along X and along Z.
    pub(crate) slopes: [V; 2],
    pub(crate) smooth_height: V,
    pub(crate) smooth_slopes: [V; 2],
}

impl<V: Copy> GroundSample<V> {
    /// A ground whose smooth height is the exact one.
    pub(crate) fn even(height: V, slopes: [V; 2]) -> Self {
        Self { height, slopes, smooth_height: height, smooth_slopes: slopes }
    }
}

impl Ground {
    /// A slope that rises towards +Z and has the height 0 at the origin.
    ///
    /// # Panics
    /// If the angle is not between -89 and 89 degrees.
    pub fn slope(degrees: f64) -> Self {
        assert!(degrees.abs() <= 89.0, "a slope that can be stood on");
        Self(GroundKind::Slope(libm::tan(degrees.to_radians())))
    }

    /// Steps that lead up towards +Z, each twice as long as high. The first begins at the origin.
    ///
    /// # Panics
    /// If the height is not above 0.
    pub fn steps(height: f64) -> Self {
        assert!(height > 0.0 && height.is_finite(), "steps with a height");
        Self(GroundKind::Steps(height))
    }

    /// A ground whose heights a query of the caller returns.
    pub fn from_query(query: impl GroundQuery + 'static) -> Self {
        Self(GroundKind::Query(Arc::new(query)))
    }

    /// A grid of heights in meters, row by row: those of `columns` points along +X, then the next row along +Z. `origin` is X and Z of the
    /// first point, and `spacing` the distance of columns and of rows, in meters.
    ///
    /// Heights and normals are exact at the points and interpolated between them; beside the grid, its border continues. The smooth height
    /// is the mean within `smooth_radius` meters. A point takes 32 bytes.
    ///
    /// `None` without two columns and two full rows, or if a number is not finite, or the spacing is not above 0.
    ///
    /// ```
    /// use rigview_core::ik::Ground;
    ///
    /// // A terrain of 3 by 2 points, 1 m apart along X and 2 m along Z.
    /// let heights = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0];
    /// let terrain = Ground::from_heights([10.0, 20.0].into(), [1.0, 2.0].into(), 3, &heights, 0.5).unwrap();
    /// assert_eq!([10.0, 11.5, 12.0].map(|x| terrain.height(x, 21.0)), [0.0, 0.5, 1.0]);
    /// ```
    pub fn from_heights(
        origin: Vector2<f64>,
        spacing: Vector2<f64>,
        columns: usize,
        heights: &[f64],
        smooth_radius: f64,
    ) -> Option<Self> {
        let rows = heights.len().checked_div(columns)?;
        let is_grid = columns >= 2 && rows >= 2 && heights.len() == rows * columns;
        let is_finite = heights.iter().chain(origin.iter()).chain(spacing.iter()).all(|x| x.is_finite());
        let is_valid = is_grid && is_finite && spacing.min() > 0.0 && smooth_radius.is_finite();
        is_valid.then(|| {
            let field = HeightField::new(origin, spacing, [columns, rows], heights, smooth_radius);
            Self(GroundKind::Field(field, 0.0))
        })
    }

    /// The highest points of triangles on a grid of at most 262,144 nodes. `None` if no triangle covers an area of the ground.
    ///
    /// Heights are interpolated between the nodes: [`max_error`](Self::max_error) is the error of a mesh that is finer than the grid.
    /// Points beside the triangles have the height of the nearest point in their row, else of the nearest row. The smooth height is
    /// the mean within `smooth_radius`. The time is linear in the number of triangles.
    pub fn from_triangles(
        triangles: impl Iterator<Item = [Vector3<f64>; 3]> + Clone,
        smooth_radius: f64,
    ) -> Option<Self> {
        let triangles = triangles.filter(|triangle| triangle.iter().all(|corner| corner.iter().all(|x| x.is_finite())));
        let (mut low, mut high, mut area) = (Vector2::repeat(f64::INFINITY), Vector2::repeat(f64::NEG_INFINITY), 0.0);
        for triangle in triangles.clone() {
            let [from, to] = extent(&triangle);
            (low, high) = (low.inf(&from), high.sup(&to));
            area += (to - from).product();
        }
        let size = high - low;
        if !(size.min() > 0.0 && size.max() < 1e9 * size.min()) {
            return None;
        }
        let max_nodes = (MAX_RASTERIZED * size.product() / area).clamp(64.0, MAX_NODES as f64);
        let mut cell = (size.product() / max_nodes).sqrt().max(size.max() / (max_nodes / 8.0));
        let counts = |cell: f64| [size.x, size.y].map(|length| (length / cell).ceil() as usize + 1);
        while counts(cell).iter().product::<usize>() > max_nodes as usize {
            cell *= 1.01;
        }
        let counts = counts(cell);
        let cell = size.component_div(&Vector2::from(counts.map(|count| (count - 1) as f64)));
        let rasterized = |counts: [usize; 2], offset: f64| {
            let mut heights = vec![f64::NEG_INFINITY; counts[0] * counts[1]];
            for triangle in triangles.clone() {
                let to_nodes = |corner: Vector3<f64>| {
                    Vector3::new((corner.x - low.x) / cell.x - offset, corner.y, (corner.z - low.y) / cell.y - offset)
                };
                rasterize(&triangle.map(to_nodes), counts, &mut heights);
            }
            heights
        };
        let mut heights = rasterized(counts, 0.0);
        fill_gaps(&mut heights, counts[0])?;
        let field = HeightField::new(low, cell, counts, &heights, smooth_radius);
        let cells = counts.map(|count| count - 1);
        let mut max_error = 0.0_f64;
        for (i, height) in rasterized(cells, 0.5).into_iter().enumerate().filter(|(_, height)| height.is_finite()) {
            let place = Vector2::new((i % cells[0]) as f64 + 0.5, (i / cells[0]) as f64 + 0.5);
            let center = low + place.component_mul(&cell);
            max_error = max_error.max((height - field.sample(center.x, center.y).height).abs());
        }
        // A corner may be below another triangle, but the ground is not below a corner.
        for corner in triangles.clone().flatten() {
            max_error = max_error.max(corner.y - field.sample(corner.x, corner.z).height);
        }
        Some(Self(GroundKind::Field(field, max_error)))
    }

    /// Returns the largest error of a height in meters that [`from_triangles`](Self::from_triangles) found: at the centers of its cells,
    /// and at corners of triangles above it. 0 for other grounds.
    pub fn max_error(&self) -> f64 {
        if let GroundKind::Field(_, max_error) = &self.0 { *max_error } else { 0.0 }
    }

    /// Returns the height at a point.
    pub fn height(&self, x: f64, z: f64) -> f64 {
        self.sample(Vector3::new(x, 0.0, z)).height
    }

    /// Returns the smooth height at a point.
    pub fn smooth_height(&self, x: f64, z: f64) -> f64 {
        self.sample(Vector3::new(x, 0.0, z)).smooth_height
    }

    /// Returns the rise per meter of Z of a slope.
    #[inline(always)]
    pub(crate) fn rise(&self) -> Option<f64> {
        if let GroundKind::Slope(rise) = &self.0 { Some(*rise) } else { None }
    }

    #[inline(always)]
    pub(crate) fn field(&self) -> Option<&HeightField> {
        if let GroundKind::Field(field, _) = &self.0 { Some(field) } else { None }
    }

    #[inline]
    pub(crate) fn sample(&self, point: Vector3<f64>) -> GroundSample<f64> {
        let (x, z) = (point.x, point.z);
        match &self.0 {
            GroundKind::Slope(rise) => GroundSample::even(rise * z, [0.0, *rise]),
            GroundKind::Steps(step) => {
                let steps = z / (STEP_LENGTH * step);
                let riser = ((steps - steps.floor()) / RISER).min(1.0);
                let height = step * (steps.floor() + riser * riser * (3.0 - 2.0 * riser));
                // The mean height of a step is that of the line in its middle.
                let smooth_height = step * (steps + 0.5 - 0.5 * RISER);
                GroundSample { height, slopes: [0.0; 2], smooth_height, smooth_slopes: [0.0, 1.0 / STEP_LENGTH] }
            }
            GroundKind::Field(field, _) => field.sample(x, z),
            GroundKind::Query(query) => {
                let mut sample = [GroundSample::default()];
                sample_query(&**query, &[point], &mut sample);
                sample[0]
            }
        }
    }

    /// Samples the ground at up to [`MAX_LANES`] points.
    pub(crate) fn sample_all(&self, points: &[Vector3<f64>], samples: &mut [GroundSample<f64>]) {
        match &self.0 {
            GroundKind::Query(query) => sample_query(&**query, points, samples),
            _ => points.iter().zip(samples).for_each(|(point, sample)| *sample = self.sample(*point)),
        }
    }

    /// Returns the corners of quads that show a slope or steps around the origin, in pairs from -X to +X along Z; none for
    /// other grounds.
    pub fn preview_quads(&self, radius: f64) -> Vec<[Vector3<f64>; 2]> {
        let lines: Vec<f64> = match &self.0 {
            GroundKind::Slope(_) => vec![-radius, radius],
            GroundKind::Steps(step) => {
                let length = STEP_LENGTH * step;
                let count = (radius / length).ceil().min(MAX_NODES as f64 / 32.0) as i64;
                let riser = |i: i64| (0..=4).map(move |part| (i as f64 + RISER * f64::from(part) / 4.0) * length);
                (-count..=count).flat_map(riser).collect()
            }
            GroundKind::Field(..) | GroundKind::Query(_) => Vec::new(),
        };
        let line = |z: f64| [-radius, radius].map(|x| Vector3::new(x, self.height(x, z), z));
        lines.into_iter().map(line).collect()
    }
}

impl GroundQuery for Ground {
    fn height_and_normal(&self, points: &[Vector3<f64>], found: &mut [GroundPoint]) {
        for (point, found) in points.iter().zip(found) {
            let GroundSample { height, slopes: [x, z], .. } = self.sample(*point);
            *found = GroundPoint { height, normal: Vector3::new(-x, 1.0, -z) };
        }
    }

    fn smooth_height_and_normal(&self, points: &[Vector3<f64>], found: &mut [GroundPoint]) {
        for (point, found) in points.iter().zip(found) {
            let GroundSample { smooth_height: height, smooth_slopes: [x, z], .. } = self.sample(*point);
            *found = GroundPoint { height, normal: Vector3::new(-x, 1.0, -z) };
        }
    }
}

/// Samples a query at up to [`MAX_LANES`] points.
fn sample_query(query: &dyn GroundQuery, points: &[Vector3<f64>], samples: &mut [GroundSample<f64>]) {
    let none = GroundPoint { height: f64::NAN, normal: Vector3::y() };
    let [mut exact, mut smooth] = [[none; MAX_LANES]; 2];
    query.height_and_normal(points, &mut exact[..points.len()]);
    query.smooth_height_and_normal(points, &mut smooth[..points.len()]);
    let of_point = |GroundPoint { height, normal }: GroundPoint, point: &Vector3<f64>| {
        let slopes = [-normal.x / normal.y, -normal.z / normal.y];
        let is_ground = height.is_finite() && normal.y > 0.0 && slopes.iter().all(|slope| slope.is_finite());
        (if height.is_finite() { height } else { point.y }, if is_ground { slopes } else { [0.0; 2] })
    };
    for (((exact, smooth), point), sample) in exact.into_iter().zip(smooth).zip(points).zip(samples) {
        let ((height, slopes), (smooth_height, smooth_slopes)) = (of_point(exact, point), of_point(smooth, point));
        *sample = GroundSample { height, slopes, smooth_height, smooth_slopes };
    }
}

impl HeightField {
    /// `cell` is the distance of the nodes.
    fn new(origin: Vector2<f64>, cell: Vector2<f64>, counts: [usize; 2], heights: &[f64], smooth_radius: f64) -> Self {
        let mut smooth = heights.to_vec();
        let radii = [0, 1].map(|i| (smooth_radius / (2.0 * cell[i])).clamp(0.0, counts[i] as f64) as usize);
        (0..2).for_each(|_| blur(&mut smooth, counts, radii));
        let node = |i: usize| {
            [heights, &smooth].map(|heights| {
                let [along_x, along_z] = slopes(heights, counts, i);
                Float4([heights[i], along_x / cell.x, along_z / cell.y, 0.0].map(|x| x as f32))
            })
        };
        let nodes = (0..heights.len()).map(node).collect();
        Self { origin, density: cell.map(f64::recip), counts, nodes }
    }

    /// Returns the first node of the cell at a point, and the place in the cell along X and Z, from 0 to 1.
    #[inline(always)]
    pub(crate) fn locate(&self, x: f64, z: f64) -> (usize, [f32; 2]) {
        let place = |at: f64, i: usize| {
            let count = self.counts[i];
            let at = ((at - self.origin[i]) * self.density[i]).clamp(0.0, (count - 1) as f64);
            let node = (at as usize).min(count - 2);
            (node, (at - node as f64) as f32)
        };
        let (column, u) = place(x, 0);
        let (row, v) = place(z, 1);
        (row * self.counts[0] + column, [u, v])
    }

    /// The two vectors of each node, rows along X: first the exact height and its slopes along X and Z, then those of the smooth height.
    #[inline(always)]
    pub(crate) fn vectors(&self) -> &[Float4] {
        self.nodes.as_flattened()
    }

    /// Number of vectors of a row.
    #[inline(always)]
    pub(crate) fn row_len(&self) -> usize {
        2 * self.counts[0]
    }

    fn sample(&self, x: f64, z: f64) -> GroundSample<f64> {
        let (node, [u, v]) = self.locate(x, z);
        let (near, far) = (2 * node, 2 * node + self.row_len());
        let [exact, smooth] = [0, 1].map(|i| {
            std::array::from_fn::<f64, 3, _>(|k| {
                let at = |first: usize| {
                    let [left, right] = [first + i, first + i + 2].map(|vector| self.vectors()[vector].0[k]);
                    left + (right - left) * u
                };
                f64::from(at(near) + (at(far) - at(near)) * v)
            })
        });
        GroundSample {
            height: exact[0],
            slopes: [exact[1], exact[2]],
            smooth_height: smooth[0],
            smooth_slopes: [smooth[1], smooth[2]],
        }
    }
}

/// Returns the smallest and the largest X and Z.
fn extent(triangle: &[Vector3<f64>; 3]) -> [Vector2<f64>; 2] {
    let [a, b, c] = triangle.map(|corner| corner.xz());
    [a.inf(&b).inf(&c), a.sup(&b).sup(&c)]
}

/// Raises the nodes under a triangle to it; X and Z count nodes.
fn rasterize(triangle: &[Vector3<f64>; 3], counts: [usize; 2], heights: &mut [f64]) {
    /// Distance in nodes at which a node counts as covered.
    const TOLERANCE: f64 = 1e-6;
    let [a, b, c] = triangle;
    let [low, high] = extent(triangle);
    let area = (b - a).xz().perp(&(c - a).xz());
    if area.abs() < 1e-12 {
        return;
    }
    let [columns, rows] = [0, 1].map(|i| {
        let last = ((high[i] + TOLERANCE).floor() as usize).min(counts[i] - 1);
        ((low[i] - TOLERANCE).ceil().max(0.0)) as usize..=last
    });
    for row in rows {
        for column in columns.clone() {
            let point = Vector2::new(column as f64, row as f64);
            let weight = |p: &Vector3<f64>, q: &Vector3<f64>| (q - p).xz().perp(&(point - p.xz())) / area;
            let weights = [weight(b, c), weight(c, a), weight(a, b)];
            if weights.iter().all(|weight| *weight >= -TOLERANCE) {
                let height = weights[0] * a.y + weights[1] * b.y + weights[2] * c.y;
                let node = &mut heights[row * counts[0] + column];
                *node = node.max(height);
            }
        }
    }
}

/// Gives nodes without a height that of the nearest node in their row, or the nearest row. Returns `None` if no node has one.
fn fill_gaps(heights: &mut [f64], row_len: usize) -> Option<()> {
    let is_set = |height: &f64| height.is_finite();
    for row in heights.chunks_mut(row_len) {
        let set: Vec<usize> = (0..row_len).filter(|i| is_set(&row[*i])).collect();
        for (k, &i) in set.iter().enumerate() {
            let from = if k == 0 { 0 } else { (set[k - 1] + i).div_ceil(2) };
            let to = set.get(k + 1).map_or(row_len, |next| (i + next).div_ceil(2));
            let height = row[i];
            row[from..to].fill(height);
        }
    }
    let set: Vec<usize> = (0..heights.len() / row_len).filter(|row| is_set(&heights[row * row_len])).collect();
    for (k, &row) in set.iter().enumerate() {
        let from = if k == 0 { 0 } else { (set[k - 1] + row).div_ceil(2) };
        let to = set.get(k + 1).map_or(heights.len() / row_len, |next| (row + next).div_ceil(2));
        for other in (from..to).filter(|other| *other != row) {
            heights.copy_within(row * row_len..(row + 1) * row_len, other * row_len);
        }
    }
    (!set.is_empty()).then_some(())
}

/// Replaces each height by the mean of the rectangle of `2 radius + 1` nodes around it; the border repeats.
fn blur(heights: &mut [f64], counts: [usize; 2], radii: [usize; 2]) {
    let mut line = Vec::new();
    for (axis, step) in [(0, 1), (1, counts[0])] {
        let count = counts[axis];
        for first in (0..counts[1 - axis]).map(|i| i * if axis == 0 { counts[0] } else { 1 }) {
            line.clear();
            line.extend((0..count).map(|i| heights[first + i * step]));
            let at = |i: isize| line[i.clamp(0, count as isize - 1) as usize];
            let radius = radii[axis] as isize;
            let mut sum: f64 = (-radius..=radius).map(at).sum();
            for i in 0..count as isize {
                heights[first + i as usize * step] = sum / (2 * radius + 1) as f64;
                sum += at(i + radius + 1) - at(i - radius);
            }
        }
    }
}

/// Returns the rise from node to node along X and along Z.
fn slopes(heights: &[f64], counts: [usize; 2], node: usize) -> [f64; 2] {
    let slope = |place: usize, count: usize, step: usize| {
        let (before, after) = (place.min(1), (count - 1 - place).min(1));
        (heights[node + after * step] - heights[node - before * step]) / (before + after) as f64
    };
    [slope(node % counts[0], counts[0], 1), slope(node / counts[0], counts[1], counts[0])]
}
