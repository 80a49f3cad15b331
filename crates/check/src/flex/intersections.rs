//! Triangles of a surface that intersect each other, by a grid.

use nalgebra::Vector3;
use std::collections::HashMap;

/// Maximum triangles of a cell that are compared. More are in a cell of a surface with many triangles of very different size.
const MAX_PER_CELL: usize = 24;

/// Maximum cells along each axis that a triangle is entered into.
const MAX_CELLS: i64 = 4;

/// For each triangle, `true` if it intersects another one with which it shares no position. The cost is linear in the triangles.
pub(super) fn intersecting_triangles(
    positions: &[Vector3<f64>],
    triangles: &[[usize; 3]],
    welded: &[u32],
) -> Vec<bool> {
    let mut intersects = vec![false; triangles.len()];
    let corners = |i: usize| triangles[i].map(|corner| &positions[corner]);
    let extent = |i: usize| {
        let [a, b, c] = corners(i);
        (a.sup(b).sup(c) - a.inf(b).inf(c)).max()
    };
    let size = 1.5 * (0..triangles.len()).map(extent).sum::<f64>() / triangles.len() as f64;
    if !(size > 0.0 && size.is_finite()) {
        return intersects;
    }
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    for i in 0..triangles.len() {
        let [a, b, c] = corners(i);
        let cell = |v: Vector3<f64>| v.map(|x| (x / size).floor() as i64);
        let (min, max) = (cell(a.inf(b).inf(c)), cell(a.sup(b).sup(c)));
        let range = |axis: usize| min[axis]..=max[axis].min(min[axis].saturating_add(MAX_CELLS - 1));
        for x in range(0) {
            for y in range(1) {
                for z in range(2) {
                    let cell = cells.entry([x, y, z]).or_default();
                    if cell.len() < MAX_PER_CELL {
                        cell.push(i as u32);
                    }
                }
            }
        }
    }
    for cell in cells.values() {
        for (k, i) in cell.iter().map(|i| *i as usize).enumerate() {
            for j in cell[k + 1..].iter().map(|j| *j as usize) {
                let shares = triangles[i].iter().any(|a| triangles[j].iter().any(|b| welded[*a] == welded[*b]));
                if !(shares || intersects[i] && intersects[j]) && intersect(corners(i), corners(j)) {
                    intersects[i] = true;
                    intersects[j] = true;
                }
            }
        }
    }
    intersects
}

/// Returns `true` if an edge of one triangle passes through the other.
fn intersect(a: [&Vector3<f64>; 3], b: [&Vector3<f64>; 3]) -> bool {
    let passes = |edges: [&Vector3<f64>; 3], triangle| (0..3).any(|i| crosses(edges[i], edges[(i + 1) % 3], triangle));
    let apart = |axis: usize| {
        let range = |t: [&Vector3<f64>; 3]| {
            let [a, b, c] = t.map(|v| v[axis]);
            [a.min(b).min(c), a.max(b).max(c)]
        };
        let ([a, b], [c, d]) = (range(a), range(b));
        b < c || d < a
    };
    !(0..3).any(apart) && (passes(a, b) || passes(b, a))
}

/// Returns `true` if the segment from `p` to `q` passes through a triangle.
fn crosses(p: &Vector3<f64>, q: &Vector3<f64>, [a, b, c]: [&Vector3<f64>; 3]) -> bool {
    let normal = (b - a).cross(&(c - a));
    let (from, to) = (normal.dot(&(p - a)), normal.dot(&(q - a)));
    if from * to >= 0.0 {
        return false;
    }
    let point = p.lerp(q, from / (from - to));
    let inside = |s: &Vector3<f64>, e: &Vector3<f64>| normal.dot(&(e - s).cross(&(point - s))) > 0.0;
    inside(a, b) && inside(b, c) && inside(c, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_through_each_other_are_found_and_neighbors_are_not() {
        let v = Vector3::new;
        let positions = [
            v(0.0, 0.0, 0.0),
            v(1.0, 0.0, 0.0),
            v(0.0, 1.0, 0.0),
            v(1.0, 1.0, 0.0),
            v(0.2, 0.2, -0.5),
            v(0.3, 0.2, 0.5),
            v(0.2, 0.4, 0.5),
            v(5.0, 5.0, 5.0),
        ];
        let triangles = [[0, 1, 2], [1, 3, 2], [4, 5, 6], [3, 1, 7]];
        let welded: Vec<u32> = (0..8).collect();
        assert_eq!(intersecting_triangles(&positions, &triangles, &welded), [true, false, true, false]);
        assert_eq!(intersecting_triangles(&positions[..4], &triangles[..2], &welded), [false; 2]);
        assert!(intersecting_triangles(&[], &[], &[]).is_empty());
        let nan = [Vector3::repeat(f64::NAN); 8];
        assert_eq!(intersecting_triangles(&nan, &triangles, &welded), [false; 4]);
    }
}
