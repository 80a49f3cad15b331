//! Height fields under the feet.

use crate::math::simd::Float4;
use nalgebra::{Vector2, Vector3};

/// Largest number of nodes of a height field.
const MAX_NODES: usize = 1 << 18;

/// Largest number of nodes that the triangles of a height field are rasterized to, all together.
const MAX_RASTERIZED: f64 = 1e8;

/// Length of a step, relative to its height.
const STEP_LENGTH: f64 = 2.0;

/// Part of the length of a step that rises.
const RISER: f64 = 0.1;

/// A ground: the height at each point of the plane of X and Z, in world space.
///
/// Feet on the ground follow its exact height, and feet in the air a smooth one.
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
    Field(HeightField),
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

    /// The highest points of triangles on a grid of at most 262,144 nodes. `None` if no triangle covers an area of the ground.
    ///
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
        let mut heights = vec![f64::NEG_INFINITY; counts[0] * counts[1]];
        for triangle in triangles {
            let to_nodes =
                |corner: Vector3<f64>| Vector3::new((corner.x - low.x) / cell.x, corner.y, (corner.z - low.y) / cell.y);
            rasterize(&triangle.map(to_nodes), counts, &mut heights);
        }
        fill_gaps(&mut heights, counts[0])?;
        let mut smooth = heights.clone();
        let radii = [0, 1].map(|i| (smooth_radius / (2.0 * cell[i])).clamp(0.0, counts[i] as f64) as usize);
        (0..2).for_each(|_| blur(&mut smooth, counts, radii));
        let node = |i: usize| {
            [&heights, &smooth].map(|heights| {
                let [along_x, along_z] = slopes(heights, counts, i);
                Float4([heights[i], along_x / cell.x, along_z / cell.y, 0.0].map(|x| x as f32))
            })
        };
        let nodes = (0..heights.len()).map(node).collect();
        let density = cell.map(f64::recip);
        Some(Self(GroundKind::Field(HeightField { origin: low, density, counts, nodes })))
    }

    /// Returns the height at a point.
    pub fn height(&self, x: f64, z: f64) -> f64 {
        self.sample(x, z).height
    }

    /// Returns the smooth height at a point.
    pub fn smooth_height(&self, x: f64, z: f64) -> f64 {
        self.sample(x, z).smooth_height
    }

    /// Returns the rise per meter of Z of a slope.
    #[inline(always)]
    pub(crate) fn rise(&self) -> Option<f64> {
        if let GroundKind::Slope(rise) = &self.0 { Some(*rise) } else { None }
    }

    #[inline(always)]
    pub(crate) fn field(&self) -> Option<&HeightField> {
        if let GroundKind::Field(field) = &self.0 { Some(field) } else { None }
    }

    #[inline]
    pub(crate) fn sample(&self, x: f64, z: f64) -> GroundSample<f64> {
        match &self.0 {
            GroundKind::Slope(rise) => {
                let (height, slopes) = (rise * z, [0.0, *rise]);
                GroundSample { height, slopes, smooth_height: height, smooth_slopes: slopes }
            }
            GroundKind::Steps(step) => {
                let steps = z / (STEP_LENGTH * step);
                let riser = ((steps - steps.floor()) / RISER).min(1.0);
                let height = step * (steps.floor() + riser * riser * (3.0 - 2.0 * riser));
                // The mean height of a step is that of the line in its middle.
                let smooth_height = step * (steps + 0.5 - 0.5 * RISER);
                GroundSample { height, slopes: [0.0; 2], smooth_height, smooth_slopes: [0.0, 1.0 / STEP_LENGTH] }
            }
            GroundKind::Field(field) => field.sample(x, z),
        }
    }

    /// Returns the corners of quads that show a slope or steps around the origin, in pairs from -X to +X along Z; none for triangles.
    pub fn preview_quads(&self, radius: f64) -> Vec<[Vector3<f64>; 2]> {
        let lines: Vec<f64> = match &self.0 {
            GroundKind::Slope(_) => vec![-radius, radius],
            GroundKind::Steps(step) => {
                let length = STEP_LENGTH * step;
                let count = (radius / length).ceil().min(MAX_NODES as f64 / 32.0) as i64;
                let riser = |i: i64| (0..=4).map(move |part| (i as f64 + RISER * f64::from(part) / 4.0) * length);
                (-count..=count).flat_map(riser).collect()
            }
            GroundKind::Field(_) => Vec::new(),
        };
        let line = |z: f64| [-radius, radius].map(|x| Vector3::new(x, self.height(x, z), z));
        lines.into_iter().map(line).collect()
    }
}

impl HeightField {
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
