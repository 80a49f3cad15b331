//! Image of the texture coordinates of a primitive: what is covered, what is covered twice, and edges.

use rigview_core::model::{Primitive, TextureTransform};

/// Side of the image in texels.
pub const UV_LAYOUT_SIZE: usize = 512;

/// Texels that are filled at most, so that many large triangles take a bounded time.
const MAX_FILLED: u64 = 100_000_000;

/// Texel of an edge, before its blending.
const EDGE: [u8; 4] = [255, 255, 255, 200];
/// Texel inside one triangle.
const COVERED: [u8; 4] = [90, 150, 255, 90];
/// Texel inside several triangles.
const OVERLAPPING: [u8; 4] = [255, 70, 50, 190];

/// Texture coordinates of a primitive as an image over the unit square.
#[derive(Clone, Debug, PartialEq)]
pub struct UvLayout {
    /// [`UV_LAYOUT_SIZE`] rows of RGBA bytes from the top, V = 0; sRGB-encoded with straight alpha.
    pub rgba: Vec<u8>,
    /// Part of the unit square that triangles cover, from 0 to 1.
    pub covered: f64,
    /// Part of the covered texels that several triangles cover, from 0 to 1.
    pub overlapping: f64,
    /// `true` if some triangles are left out, because too many texels are filled.
    pub is_incomplete: bool,
}

impl UvLayout {
    /// Draws the triangles of a texture coordinate set, after a transform. Each triangle moves by whole units to where its center is
    /// in the unit square; what remains outside is cut.
    ///
    /// Returns `None` if the primitive has no triangles or lacks the set.
    pub fn new(primitive: &Primitive, set: usize, transform: &TextureTransform) -> Option<Self> {
        let coords = primitive.vertices.tex_coords.get(set).filter(|coords| !coords.is_empty())?;
        let corners = primitive.triangles();
        if corners.is_empty() {
            return None;
        }
        let mut counts = vec![0_u8; UV_LAYOUT_SIZE * UV_LAYOUT_SIZE];
        let mut is_edge = vec![false; counts.len()];
        let mut filled = 0;
        for corners in corners.as_chunks::<3>().0 {
            if filled > MAX_FILLED {
                break;
            }
            let Some(triangle) = in_texels(corners.map(|corner| transform.apply(coords[corner as usize]))) else {
                continue;
            };
            filled += fill(triangle, &mut counts);
            for i in 0..3 {
                filled += line(triangle[i], triangle[(i + 1) % 3], &mut is_edge);
            }
        }
        let number = |min: u8| counts.iter().filter(|count| **count >= min).count() as f64;
        let rgba = counts.iter().zip(&is_edge).flat_map(|(count, is_edge)| match (count, is_edge) {
            (2.., _) => OVERLAPPING,
            (_, true) => EDGE,
            (1, _) => COVERED,
            (0, _) => [0; 4],
        });
        Some(Self {
            rgba: rgba.collect(),
            covered: number(1) / counts.len() as f64,
            overlapping: number(2) / number(1).max(1.0),
            is_incomplete: filled > MAX_FILLED,
        })
    }
}

/// Returns the corners in texels; `None` if one is not finite.
fn in_texels(triangle: [[f32; 2]; 3]) -> Option<[[f64; 2]; 3]> {
    let corners = triangle.map(|corner| corner.map(f64::from));
    let tile = [0, 1].map(|axis| ((corners[0][axis] + corners[1][axis] + corners[2][axis]) / 3.0).floor());
    let moved = corners.map(|[u, v]| [u - tile[0], v - tile[1]].map(|x| x * UV_LAYOUT_SIZE as f64));
    moved.as_flattened().iter().all(|x| x.is_finite()).then_some(moved)
}

/// The texels whose centers are between two positions along an axis.
fn centers(min: f64, max: f64) -> std::ops::Range<usize> {
    let limit = |x: f64| (x - 0.5).ceil().clamp(0.0, UV_LAYOUT_SIZE as f64) as usize;
    limit(min)..limit(max)
}

/// Counts a triangle at the texels whose centers it contains. Neighbors share no texel. Returns the number of texels.
fn fill(triangle: [[f64; 2]; 3], counts: &mut [u8]) -> u64 {
    let ys = triangle.map(|[_, y]| y);
    let rows = centers(ys.into_iter().fold(f64::MAX, f64::min), ys.into_iter().fold(f64::MIN, f64::max));
    let mut filled = rows.len() as u64;
    for row in rows {
        let y = row as f64 + 0.5;
        // A row crosses two edges; an edge contains its upper end only.
        let (mut left, mut right) = (f64::MAX, f64::MIN);
        for i in 0..3 {
            // From the upper end, so that both triangles of an edge compute the same position.
            let (a, b) = (triangle[i], triangle[(i + 1) % 3]);
            let (a, b) = if a[1] <= b[1] { (a, b) } else { (b, a) };
            if a[1] <= y && y < b[1] {
                let x = a[0] + (b[0] - a[0]) * ((y - a[1]) / (b[1] - a[1]));
                (left, right) = (left.min(x), right.max(x));
            }
        }
        if left < right {
            let columns = centers(left, right);
            filled += columns.len() as u64;
            let row = &mut counts[row * UV_LAYOUT_SIZE..(row + 1) * UV_LAYOUT_SIZE];
            row[columns].iter_mut().for_each(|count| *count = count.saturating_add(1));
        }
    }
    filled
}

/// Marks the texels along a line. Returns the number of steps.
fn line(from: [f64; 2], to: [f64; 2], is_edge: &mut [bool]) -> u64 {
    let size = UV_LAYOUT_SIZE as f64;
    let length = (to[0] - from[0]).abs().max((to[1] - from[1]).abs());
    // Farther corners are outside of the image.
    let steps = length.ceil().min(4.0 * size).max(1.0);
    for step in 0..=steps as usize {
        let t = step as f64 / steps;
        let [x, y] = [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * t);
        if (0.0..size).contains(&x) && (0.0..size).contains(&y) {
            is_edge[y as usize * UV_LAYOUT_SIZE + x as usize] = true;
        }
    }
    steps as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::model::Vertices;
    use std::sync::Arc;

    fn layout(coords: &[[f32; 2]], indices: &[u32], transform: &TextureTransform) -> Option<UvLayout> {
        let positions = vec![[0.0; 3]; coords.len()];
        let vertices = Vertices { positions, tex_coords: vec![coords.to_vec()], ..Vertices::default() };
        let indices = Some(Arc::from(indices));
        UvLayout::new(&Primitive { vertices: Arc::new(vertices), indices, ..Primitive::default() }, 0, transform)
    }

    const SQUARE: [[f32; 2]; 4] = [[0.0, 0.0], [0.5, 0.0], [0.5, 0.5], [0.0, 0.5]];
    const PLAIN: fn() -> TextureTransform = TextureTransform::default;

    #[test]
    fn neighbors_do_not_overlap_and_stacked_triangles_do() {
        for indices in [[0, 1, 2, 0, 2, 3], [0, 1, 2, 2, 0, 3], [2, 1, 0, 0, 2, 3]] {
            let found = layout(&SQUARE, &indices, &PLAIN()).unwrap();
            assert_eq!((found.covered, found.overlapping, found.is_incomplete), (0.25, 0.0, false), "{indices:?}");
        }
        let stacked = layout(&SQUARE, &[0, 1, 2, 0, 2, 3, 0, 1, 3], &PLAIN()).unwrap();
        assert!((stacked.overlapping - 0.5).abs() < 0.01, "{}", stacked.overlapping);
        let texel = |found: &UvLayout, [x, y]: [usize; 2]| {
            let first = 4 * (y * UV_LAYOUT_SIZE + x);
            <[u8; 4]>::try_from(&found.rgba[first..first + 4]).unwrap()
        };
        assert_eq!(texel(&stacked, [20, 10]), OVERLAPPING);
        assert_eq!(texel(&stacked, [200, 250]), COVERED);
        assert_eq!(texel(&stacked, [400, 100]), [0; 4]);
        assert_eq!(texel(&stacked, [0, 200]), OVERLAPPING);
    }

    #[test]
    fn transforms_and_whole_units_move_triangles() {
        let far = SQUARE.map(|[u, v]| [u + 7.0, v - 3.0]);
        let plain = layout(&SQUARE, &[0, 1, 2, 0, 2, 3], &PLAIN()).unwrap();
        assert_eq!(layout(&far, &[0, 1, 2, 0, 2, 3], &PLAIN()).unwrap(), plain);
        let twice = TextureTransform { scale: [2.0; 2], ..PLAIN() };
        assert_eq!(layout(&SQUARE, &[0, 1, 2, 0, 2, 3], &twice).unwrap().covered, 1.0);
    }

    #[test]
    fn extreme_coordinates_take_bounded_time() {
        for x in [f32::NAN, f32::INFINITY, f32::MAX, -1e30, 1e-40] {
            let coords = [[x, 0.0], [1.0, x], [0.5, 0.5], [x, x]];
            assert!(layout(&coords, &[0, 1, 2, 1, 2, 3], &PLAIN()).is_some(), "{x}");
        }
        let large = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]];
        let many = layout(&large, &[0, 1, 2].repeat(10_000), &PLAIN()).unwrap();
        assert!(many.is_incomplete && many.overlapping == 1.0);
        assert_eq!(layout(&large, &[], &PLAIN()), None);
    }
}
