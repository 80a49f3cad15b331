//! Reorders triangles and vertices for the GPU's vertex caches.

use meshopt_rs::vertex::cache::{analyze_vertex_cache, optimize_vertex_cache};
use meshopt_rs::vertex::fetch::{analyze_vertex_fetch, optimize_vertex_fetch_remap};

/// Size of the simulated vertex cache.
const CACHE_SIZE: usize = 32;

/// A new order is used only if its cost is below this fraction of the old cost.
const MAX_COST_RATIO: f64 = 0.9;

/// Maximum number of triangles that are visited per ordered triangle. Regular meshes need 18, a sphere's poles hardly more.
const MAX_VISITED_TRIANGLES: f64 = 256.0;

/// Orders triangles for the vertex cache (Forsyth, "Linear-Speed Vertex Cache Optimization", 2006); `None` without a gain, or
/// if some vertices have so many triangles that the time would not be linear.
pub(super) fn optimize_triangle_order(indices: &[u32], vertex_count: usize) -> Option<Vec<u32>> {
    let multiple_of_3 = indices.len() - indices.len() % 3;
    if multiple_of_3 < 6 || indices.iter().any(|&index| index as usize >= vertex_count) {
        return None;
    }
    let mut triangle_counts = vec![0_u32; vertex_count];
    indices[..multiple_of_3].iter().for_each(|&index| triangle_counts[index as usize] += 1);
    // A triangle changes the scores of all triangles of its vertices.
    let visited: f64 = triangle_counts.into_iter().map(|count| f64::from(count).powi(2)).sum();
    if visited > MAX_VISITED_TRIANGLES * (multiple_of_3 / 3) as f64 {
        return None;
    }
    let mut ordered = vec![0; multiple_of_3];
    optimize_vertex_cache(&mut ordered, &indices[..multiple_of_3], vertex_count);
    let misses = |indices| {
        let count = analyze_vertex_cache(indices, vertex_count, CACHE_SIZE, 0, 0).vertices_transformed;
        count as f64
    };
    let gains = misses(&ordered) < MAX_COST_RATIO * misses(&indices[..multiple_of_3]);
    gains.then_some(ordered)
}

/// Limit of `analyze_vertex_fetch`, whose byte count is 32 bits wide.
const MAX_INDICES: usize = 1 << 24;

/// A new vertex order.
pub(super) struct VertexOrder {
    /// Old index of each vertex.
    pub(super) order: Vec<u32>,
    /// Triangle indices in the new order.
    pub(super) indices: Vec<u32>,
}

/// Orders vertices by first use, for the memory cache; `None` without a gain.
pub(super) fn optimize_vertex_order(indices: &[u32], vertex_count: usize) -> Option<VertexOrder> {
    if indices.len() > MAX_INDICES
        || !indices.len().is_multiple_of(3)
        || indices.iter().any(|&i| i as usize >= vertex_count)
    {
        return None;
    }
    let mut new_index = vec![0; vertex_count];
    let used = optimize_vertex_fetch_remap(&mut new_index, indices);
    let remapped: Vec<u32> = indices.iter().map(|&index| new_index[index as usize]).collect();
    let fetched = |indices: &[u32]| analyze_vertex_fetch(indices, vertex_count, size_of::<[f32; 3]>()).bytes_fetched;
    if f64::from(fetched(&remapped)) >= MAX_COST_RATIO * f64::from(fetched(indices)) {
        return None;
    }
    // Unused vertices come last.
    let mut order = vec![0; vertex_count];
    let mut last = used;
    for (old, &new) in new_index.iter().enumerate() {
        let new = if (new as usize) < used {
            new as usize
        } else {
            last += 1;
            last - 1
        };
        order[new] = old as u32;
    }
    Some(VertexOrder { order, indices: remapped })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optimized_triangle_order_keeps_triangles() {
        // A grid with shuffled triangles.
        let (side, corner) = (20_u32, |x: u32, y: u32| y * 21 + x);
        let mut triangles: Vec<[u32; 3]> = (0..side * side)
            .map(|i| (i * 7919) % (side * side))
            .flat_map(|i| {
                let (x, y) = (i % side, i / side);
                let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x, y + 1), corner(x + 1, y + 1)];
                [[a, b, d], [a, d, c]]
            })
            .collect();
        let indices = triangles.concat();
        let ordered = optimize_triangle_order(&indices, 21 * 21).unwrap();
        let misses = |indices: &[u32]| analyze_vertex_cache(indices, 21 * 21, 16, 0, 0).vertices_transformed;
        assert!(2 * misses(&ordered) < misses(&indices), "{} and {}", misses(&ordered), misses(&indices));
        // Triangles are compared up to rotation of their corners.
        let canonical = |[a, b, c]: [u32; 3]| [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap();
        let mut found: Vec<[u32; 3]> = ordered.as_chunks::<3>().0.iter().map(|triangle| canonical(*triangle)).collect();
        triangles.iter_mut().for_each(|triangle| *triangle = canonical(*triangle));
        found.sort_unstable();
        triangles.sort_unstable();
        assert_eq!(found, triangles);
        assert_eq!(optimize_triangle_order(&ordered, 21 * 21), None, "already in order");
        assert_eq!(
            (optimize_triangle_order(&[0, 1, 9, 0, 1, 2], 9), optimize_triangle_order(&[0, 1, 2], 3)),
            (None, None)
        );
    }

    #[test]
    fn vertex_of_many_triangles_keeps_the_order() {
        // A fan with shuffled triangles.
        let optimized = |count: u32| {
            let ring = (0..count).map(|i| 1 + (i * 7919) % count);
            let indices: Vec<u32> = ring.flat_map(|i| [0, i, 1 + i % count]).collect();
            optimize_triangle_order(&indices, count as usize + 1)
        };
        assert!(optimized(200).is_some());
        assert_eq!(optimized(400_000), None, "ordered in time that is quadratic");
    }

    #[test]
    fn optimized_vertex_order_is_a_permutation() {
        // Scattered vertices, more than a cache holds; every hundredth is unused.
        let count = 200_000_u32;
        let indices: Vec<u32> = (0..count).map(|i| (i.wrapping_mul(7919)) % count).filter(|i| i % 100 > 0).collect();
        let indices = &indices[..indices.len() / 3 * 3];
        let VertexOrder { order, indices: remapped } = optimize_vertex_order(indices, count as usize).unwrap();
        let back: Vec<u32> = remapped.iter().map(|&index| order[index as usize]).collect();
        assert_eq!(back, indices);
        let mut all = order.clone();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..count), "each vertex once");
        assert!(optimize_vertex_order(&remapped, count as usize).is_none(), "already in order");
        assert!(optimize_vertex_order(&[0, 1, 9], 9).is_none() && optimize_vertex_order(&[0, 1], 2).is_none());
    }
}
