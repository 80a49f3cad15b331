//! The triangles that one joint deforms, and their measures in a pose.

use super::intersections::intersecting_triangles;
use super::mesh::{FlexMesh, cube};
use nalgebra::Vector3;
use rigview_core::math::Aabb;
use rigview_core::model::JointIndex;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// Largest part of the parent's area in the body that a loss is relative to, in areas of the joint: a trunk is larger than an arm.
const MAX_PARENT_AREA: f64 = 2.0;

/// Smallest ratio of the weight of the joint above to that of a joint at a vertex that follows both alike.
const EQUAL: f64 = 0.8;

/// Measures of a joint in one pose, each relative to the rest pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FlexMeasures {
    /// Volume that is kept: the mean determinant of the blended rotations, by area. It is that of thin slices of a solid body.
    pub(super) volume: f64,
    /// Mean radius of the cross-section at the joint.
    pub(super) cross_section: f64,
    /// 95th percentile of the lengths of edges.
    pub(super) stretch: f64,
    /// Area.
    pub(super) area: f64,
    /// Fraction of the triangles that intersect others only in the pose.
    pub(super) intersections: f64,
}

/// Connected edges between vertices that follow a joint and vertices that do not.
pub(super) struct Boundary {
    /// Each edge: its vertex outside, its vertex inside, and the fraction of the edge at which the weight of the joint is a half.
    pub(super) edges: Vec<BoundaryEdge>,
    /// The smallest edge, by welded vertices: equal for the same boundary of another joint.
    pub(super) key: (u32, u32),
    center: Vector3<f64>,
    radius: f64,
}

/// An edge across a boundary, by indices into [`Region::vertices`].
#[derive(Clone, Copy)]
pub(super) struct BoundaryEdge {
    pub(super) outside: usize,
    pub(super) inside: usize,
    fraction: f64,
}

/// The triangles that the rotation of one joint deforms.
pub(super) struct Region {
    pub(super) vertices: Vec<u32>,
    triangles: Vec<[usize; 3]>,
    welded: Vec<u32>,
    rest: Vec<Vector3<f64>>,
    rest_pivot: Vector3<f64>,
    /// Triangles that intersect others at rest.
    rest_intersections: Vec<bool>,
    pub(super) boundaries: Vec<Boundary>,
    /// Edges of boundaries that are far from the joint, by welded vertices: tears, which the stretch leaves out.
    far_edges: HashSet<(u32, u32)>,
    /// Per vertex, the weight that follows the joint.
    weights: Vec<f64>,
    /// Area of the body around the joint, which a loss of volume is relative to.
    body_area: f64,
    /// Part of the joint's own surface that follows the joint above as much.
    pub(super) smear: f64,
}

impl Region {
    /// Collects the region of `joint`, whose subtree in depth-first order is that of `subtrees`. `above` is the next joint above with weights,
    /// and `near` the largest distance of a boundary that belongs to the joint.
    pub(super) fn new(
        mesh: &FlexMesh<'_>,
        joint: JointIndex,
        above: Option<JointIndex>,
        pivot: Vector3<f64>,
        near: f64,
        subtrees: &[Range<usize>],
    ) -> Self {
        let mut index_of = HashMap::new();
        let mut vertices = Vec::new();
        let index = |vertex: &u32| {
            *index_of.entry(*vertex).or_insert_with(|| {
                vertices.push(*vertex);
                vertices.len() - 1
            })
        };
        let corners = mesh.deformed[joint.get()].iter().flat_map(|triangle| &mesh.triangles[*triangle as usize]);
        let corners: Vec<usize> = corners.map(index).collect();
        let follows = |(other, _): &&(JointIndex, f64)| subtrees[joint.get()].contains(&subtrees[other.get()].start);
        let sum = |vertex: &u32| mesh.influences(*vertex).iter().filter(follows).map(|(_, weight)| weight).sum();
        let sums: Vec<f64> = vertices.iter().map(sum).collect();
        let mut region = Self {
            triangles: corners.as_chunks::<3>().0.to_vec(),
            welded: vertices.iter().map(|vertex| mesh.welded[*vertex as usize]).collect(),
            rest: vertices.iter().map(|vertex| mesh.rest_positions[*vertex as usize]).collect(),
            rest_pivot: pivot,
            rest_intersections: Vec::new(),
            boundaries: Vec::new(),
            far_edges: HashSet::new(),
            weights: sums,
            body_area: 0.0,
            smear: 0.0,
            vertices,
        };
        region.boundaries = region.find_boundaries();
        let far = region.boundaries.iter().filter(|boundary| region.distance(boundary) > near);
        region.far_edges = far.flat_map(|boundary| &boundary.edges).map(|edge| region.edge_key(edge)).collect();
        let own = mesh.areas[joint.get()];
        let of_above = above.map_or(0.0, |above| mesh.areas[above.get()]);
        let all: f64 = region.triangles.iter().map(|corners| area(&region.rest, corners)).sum();
        region.body_area = all.max(own + of_above.min(MAX_PARENT_AREA * own));
        if let Some(above) = above {
            let weight = |i: usize, of: JointIndex| {
                let influences = mesh.influences(region.vertices[i]).iter();
                influences.filter(|(other, _)| *other == of).map(|(_, weight)| weight).sum::<f64>()
            };
            let is_smeared = |i: &usize| {
                let own = weight(*i, joint);
                own > 0.0 && weight(*i, above) >= EQUAL * own
            };
            let smeared = region.triangles.iter().filter(|corners| corners.iter().all(is_smeared));
            let own_area =
                |c: &[usize; 3]| area(&region.rest, c) * c.map(|i| weight(i, joint)).iter().sum::<f64>() / 3.0;
            region.smear = Some(smeared.map(own_area).sum::<f64>() / own).filter(|x| x.is_finite()).unwrap_or(0.0);
        }
        region.rest_intersections = intersecting_triangles(&region.rest, &region.triangles, &region.welded);
        region
    }

    /// Cube around its vertices at rest, with a margin for their poses.
    pub(super) fn bounds(&self) -> Aabb {
        let mut bounds = Aabb::EMPTY;
        self.rest.iter().for_each(|position| bounds.add(*position));
        cube(bounds.center(), 0.6 * bounds.extent().max())
    }

    fn find_boundaries(&self) -> Vec<Boundary> {
        let sums = &self.weights;
        let mut edges: HashMap<(u32, u32), (usize, BoundaryEdge)> = HashMap::new();
        // Edges of one triangle are in one boundary: a union-find over the edges.
        let mut roots: Vec<usize> = Vec::new();
        for corners in &self.triangles {
            let mut first = None;
            for (a, b) in [(0, 1), (1, 2), (2, 0)].map(|(a, b)| (corners[a], corners[b])) {
                if (sums[a] < 0.5) == (sums[b] < 0.5) {
                    continue;
                }
                let (outside, inside) = if sums[a] < 0.5 { (a, b) } else { (b, a) };
                let fraction = (0.5 - sums[outside]) / (sums[inside] - sums[outside]);
                let count = edges.len();
                let edge = BoundaryEdge { outside, inside, fraction };
                let id = edges.entry(self.edge_key(&edge)).or_insert((count, edge)).0;
                if id == roots.len() {
                    roots.push(id);
                }
                match first {
                    None => first = Some(id),
                    Some(first) => {
                        let (a, b) = (root(&mut roots, first), root(&mut roots, id));
                        roots[a.max(b)] = a.min(b);
                    }
                }
            }
        }
        // In the order of the file, since the order of a hash map changes.
        let mut ordered: Vec<(usize, BoundaryEdge)> = edges.into_values().collect();
        ordered.sort_by_key(|(id, _)| *id);
        let mut boundaries: BTreeMap<usize, Vec<BoundaryEdge>> = BTreeMap::new();
        for (id, edge) in ordered {
            boundaries.entry(root(&mut roots, id)).or_default().push(edge);
        }
        boundaries.into_values().filter(|edges| edges.len() > 2).map(|edges| self.boundary(edges)).collect()
    }

    fn edge_key(&self, edge: &BoundaryEdge) -> (u32, u32) {
        let (a, b) = (self.welded[edge.outside], self.welded[edge.inside]);
        (a.min(b), a.max(b))
    }

    fn boundary(&self, edges: Vec<BoundaryEdge>) -> Boundary {
        let key = edges.iter().map(|edge| self.edge_key(edge)).min().unwrap_or_default();
        let (center, radius) = center_and_radius(&self.rest, &edges);
        Boundary { edges, key, center, radius }
    }

    /// Distance of a boundary from the joint, in radii of the boundary.
    pub(super) fn distance(&self, boundary: &Boundary) -> f64 {
        (boundary.center - self.rest_pivot).norm() / boundary.radius
    }

    /// Returns the longest boundary within a distance of the joint.
    fn main_boundary(&self, near: f64) -> Option<&Boundary> {
        let near = self.boundaries.iter().filter(|boundary| self.distance(boundary) <= near);
        near.max_by_key(|boundary| boundary.edges.len())
    }

    /// Returns `true` if all edges of a boundary have one end in common.
    pub(super) fn is_around_one_vertex(&self, boundary: &Boundary) -> bool {
        let is_same = |end: fn(&BoundaryEdge) -> usize| {
            let mut ends = boundary.edges.iter().map(|edge| self.welded[end(edge)]);
            ends.next().is_some_and(|first| ends.all(|other| other == first))
        };
        is_same(|edge| edge.inside) || is_same(|edge| edge.outside)
    }

    /// Median ratio of the lengths of a boundary's edges to those at rest.
    pub(super) fn boundary_stretch(&self, boundary: &Boundary, posed: &[Vector3<f64>]) -> f64 {
        let length =
            |positions: &[Vector3<f64>], edge: &BoundaryEdge| (positions[edge.inside] - positions[edge.outside]).norm();
        let ratio =
            |edge: &BoundaryEdge| Some(length(posed, edge) / length(&self.rest, edge)).filter(|x| x.is_finite());
        percentile(boundary.edges.iter().filter_map(ratio).collect(), 0.5)
    }

    /// Measures a pose, in which the joint is rotated by `angle`. `near` is that of [`new`](Self::new).
    pub(super) fn measure(&self, posed: &[Vector3<f64>], angle: f64, near: f64) -> FlexMeasures {
        let mut lengths = Vec::with_capacity(3 * self.triangles.len());
        let (mut loss, mut rest_area, mut posed_area) = (0.0, 0.0, 0.0);
        for corners in &self.triangles {
            let at_rest = area(&self.rest, corners);
            rest_area += at_rest;
            posed_area += area(posed, corners);
            // The determinant of w * rotation + (1 - w) * identity is 1 less this.
            let lost = |i: usize| 2.0 * self.weights[i] * (1.0 - self.weights[i]) * (1.0 - angle.cos());
            loss += at_rest * corners.map(lost).iter().sum::<f64>() / 3.0;
            for (a, b) in [(0, 1), (1, 2), (2, 0)].map(|(a, b)| (corners[a], corners[b])) {
                let ratio = (posed[b] - posed[a]).norm() / (self.rest[b] - self.rest[a]).norm();
                let is_tear = || {
                    let (a, b) = (self.welded[a], self.welded[b]);
                    self.far_edges.contains(&(a.min(b), a.max(b)))
                };
                let is_measured = ratio.is_finite() && (self.far_edges.is_empty() || !is_tear());
                lengths.extend(Some(ratio).filter(|_| is_measured));
            }
        }
        let section =
            self.main_boundary(near).map_or(1.0, |main| center_and_radius(posed, &main.edges).1 / main.radius);
        let now = intersecting_triangles(posed, &self.triangles, &self.welded);
        let new = now.iter().zip(&self.rest_intersections).filter(|(now, before)| **now && !**before).count();
        let usable = |x: f64| if x.is_finite() { x } else { 1.0 };
        FlexMeasures {
            volume: usable(1.0 - loss / self.body_area),
            cross_section: usable(section),
            stretch: percentile(lengths, 0.95),
            area: usable(posed_area / rest_area),
            intersections: new as f64 / self.triangles.len().max(1) as f64,
        }
    }
}

fn area(positions: &[Vector3<f64>], corners: &[usize; 3]) -> f64 {
    let [a, b, c] = corners.map(|corner| positions[corner]);
    (b - a).cross(&(c - a)).norm() / 2.0
}

fn root(roots: &mut [usize], mut i: usize) -> usize {
    while roots[i] != i {
        roots[i] = roots[roots[i]];
        i = roots[i];
    }
    i
}

/// Center of the points at which half the weight follows the joint, and their mean distance from it.
fn center_and_radius(positions: &[Vector3<f64>], edges: &[BoundaryEdge]) -> (Vector3<f64>, f64) {
    let point = |edge: &BoundaryEdge| positions[edge.outside].lerp(&positions[edge.inside], edge.fraction);
    let count = edges.len() as f64;
    let center = edges.iter().map(point).sum::<Vector3<f64>>() / count;
    (center, edges.iter().map(|edge| (point(edge) - center).norm()).sum::<f64>() / count)
}

/// Returns the value below which a fraction of the values is; 1 without values.
fn percentile(mut values: Vec<f64>, fraction: f64) -> f64 {
    if values.is_empty() {
        return 1.0;
    }
    let index = (fraction * (values.len() - 1) as f64).round() as usize;
    *values.select_nth_unstable_by(index, f64::total_cmp).1
}
