//! Half-edge collapses in the order of their error.

use super::geometry::{distance_to_segment, nearest_barycentric, normal, width};
use super::mesh::{Mesh, SimplifiedMesh};
use nalgebra::Vector3;
use smallvec::SmallVec;
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

/// Triangles of a level relative to the previous one.
const LEVEL_RATIO: f64 = 0.7;

/// Triangle count of the coarsest level.
const MIN_TRIANGLES: usize = 4;

/// Minimum cosine between the normals of a triangle before and after a collapse.
const MIN_NORMAL_COSINE: f64 = 0.1;

/// Error of a part or material that vanishes, relative to its thickness. Thin parts keep their coverage longer than others.
const VANISHING_FACTOR: f64 = 2.0;

/// Removed points that are measured for one collapse. A level measures all.
const MAX_MEASURED_SOURCES: usize = 16;

/// Removed points that are measured for a collapse by which a part vanishes.
const MAX_MEASURED_VANISHING_SOURCES: usize = 256;

/// Points with more triangles stay as they are, which bounds the work per point.
const MAX_TRIANGLES_PER_POINT: usize = 64;

/// Marks a removed triangle.
const REMOVED: [u32; 3] = [u32::MAX; 3];

/// Returns levels of detail, from fine to coarse, each with at most [`LEVEL_RATIO`] of the previous one's triangles.
pub(in crate::render::gpu_model) fn simplify(mesh: &Mesh<'_>) -> Vec<SimplifiedMesh> {
    let mut collapser = Collapser::new(mesh);
    let mut levels: Vec<SimplifiedMesh> = Vec::new();
    let mut target = (collapser.live as f64 * LEVEL_RATIO) as usize;
    while target >= MIN_TRIANGLES && collapser.collapse_to(target) {
        let error = collapser.level_error().max(levels.last().map_or(0.0, |level| level.error));
        levels.push(SimplifiedMesh { triangles: collapser.merged_triangles(error), error });
        target = (collapser.live as f64 * LEVEL_RATIO) as usize;
    }
    levels
}

/// Vertices at one position.
struct Point {
    position: Vector3<f64>,
    /// Points that were collapsed into this one, and itself.
    sources: Vec<u32>,
    /// Materials of its triangles in the full mesh, at most [`MAX_TRIANGLES_PER_POINT`], which bounds the work per source.
    materials: SmallVec<[u32; 2]>,
    locked: bool,
    /// Number of changes to the triangles around this point.
    revision: u32,
    /// May contain removed triangles, at most half of all.
    triangles: Vec<u32>,
    /// Number of removed triangles among them.
    removed: usize,
}

/// State of a mesh between collapses.
struct Collapser<'a> {
    mesh: &'a Mesh<'a>,
    points: Vec<Point>,
    point_of_vertex: Vec<u32>,
    /// A vertex of each point.
    vertex_of_point: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    /// Number of existing triangles.
    live: usize,
    heap: BinaryHeap<Reverse<Candidate>>,
    /// Largest error of all collapses.
    error: f64,
    moved: Vec<Moved>,
}

/// A possible collapse of `from` into `to`.
#[derive(PartialEq)]
struct Candidate {
    error: f64,
    length: f64,
    from: u32,
    to: u32,
    revisions: [u32; 2],
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_error = self.error.total_cmp(&other.error).then(self.length.total_cmp(&other.length));
        by_error.then_with(|| (self.from, self.to).cmp(&(other.from, other.to)))
    }
}

/// A triangle of a collapsed point.
struct Moved {
    triangle: u32,
    /// Vertex at the collapsed point.
    vertex: u32,
    /// The triangle after the collapse; `None` if it vanishes.
    vertices: Option<[u32; 3]>,
}

/// The nearest point of a triangle.
#[derive(Clone, Copy)]
struct Nearest {
    distance: f64,
    barycentric: [f64; 3],
    vertices: [u32; 3],
}

impl<'a> Collapser<'a> {
    fn new(mesh: &'a Mesh<'a>) -> Self {
        let welded = mesh.welded_vertices();
        let mut points: Vec<Point> = Vec::new();
        let mut vertex_of_point = Vec::new();
        let mut known = HashMap::new();
        let point_of_vertex: Vec<u32> = (0..mesh.positions.len())
            .map(|vertex| {
                let point = *known.entry(mesh.point_key(vertex)).or_insert_with(|| {
                    let position = Vector3::from(mesh.positions[vertex]).cast();
                    let sources = vec![points.len() as u32];
                    points.push(Point {
                        position,
                        sources,
                        materials: SmallVec::new(),
                        locked: false,
                        revision: 0,
                        triangles: Vec::new(),
                        removed: 0,
                    });
                    vertex_of_point.push(vertex as u32);
                    points.len() as u32 - 1
                });
                points[point as usize].locked |= mesh.locked[vertex];
                point
            })
            .collect();
        let point = |vertex: u32| point_of_vertex[vertex as usize];
        let triangles: Vec<[u32; 3]> = mesh
            .triangles
            .as_chunks::<3>()
            .0
            .iter()
            .map(|triangle| triangle.map(|vertex| welded[vertex as usize]))
            .filter(|&[a, b, c]| point(a) != point(b) && point(b) != point(c) && point(c) != point(a))
            .collect();
        for (index, triangle) in triangles.iter().enumerate() {
            let material = mesh.materials[triangle[0] as usize];
            for &vertex in triangle {
                let Point { triangles, materials, .. } = &mut points[point(vertex) as usize];
                triangles.push(index as u32);
                if materials.last() != Some(&material) && materials.len() < MAX_TRIANGLES_PER_POINT {
                    materials.push(material);
                }
            }
        }
        let mut collapser = Self {
            mesh,
            points,
            point_of_vertex,
            vertex_of_point,
            live: triangles.len(),
            triangles,
            heap: BinaryHeap::new(),
            error: 0.0,
            moved: Vec::new(),
        };
        for point in 0..collapser.points.len() as u32 {
            for neighbor in collapser.neighbors(point) {
                collapser.push(point, neighbor);
            }
        }
        collapser
    }

    fn point(&self, vertex: u32) -> u32 {
        self.point_of_vertex[vertex as usize]
    }

    fn position(&self, vertex: u32) -> Vector3<f64> {
        self.points[self.point(vertex) as usize].position
    }

    fn material(&self, triangle: [u32; 3]) -> u32 {
        self.mesh.materials[triangle[0] as usize]
    }

    fn corners(&self, triangle: [u32; 3]) -> [Vector3<f64>; 3] {
        triangle.map(|vertex| self.position(vertex))
    }

    fn triangles_of(&self, point: u32) -> impl Iterator<Item = (u32, [u32; 3])> + '_ {
        let triangles = self.points[point as usize].triangles.iter();
        triangles.map(|&index| (index, self.triangles[index as usize])).filter(|(_, vertices)| *vertices != REMOVED)
    }

    fn has_many_triangles(&self, point: u32) -> bool {
        let Point { triangles, removed, .. } = &self.points[point as usize];
        triangles.len() - removed > MAX_TRIANGLES_PER_POINT
    }

    /// Returns the points that share a triangle with `point`, in a fixed order; none for a point with many triangles.
    fn neighbors(&self, point: u32) -> SmallVec<[u32; 16]> {
        let mut neighbors = SmallVec::new();
        if self.has_many_triangles(point) {
            return neighbors;
        }
        for (_, triangle) in self.triangles_of(point) {
            for other in triangle.map(|vertex| self.point(vertex)) {
                if other != point && !neighbors.contains(&other) {
                    neighbors.push(other);
                }
            }
        }
        neighbors
    }

    /// Collapses until at most `count` triangles exist. Returns `false` if that is impossible.
    fn collapse_to(&mut self, count: usize) -> bool {
        while self.live > count {
            let Some(Reverse(candidate)) = self.heap.pop() else { return false };
            let Candidate { from, to, .. } = candidate;
            if self.points[from as usize].triangles.is_empty() || self.points[to as usize].triangles.is_empty() {
                continue;
            }
            let is_current = candidate.revisions == self.revisions(from, to);
            let mut moved = std::mem::take(&mut self.moved);
            let error = self.evaluate(from, to, &mut moved);
            let vanishing = moved.iter().filter(|moved| moved.vertices.is_none()).count();
            match error {
                Some(error) if !is_current && error > candidate.error => self.push_evaluated(from, to, error),
                Some(error) if vanishing < self.live => self.apply(from, to, error, &moved),
                _ => {}
            }
            self.moved = moved;
        }
        true
    }

    fn revisions(&self, from: u32, to: u32) -> [u32; 2] {
        [from, to].map(|point| self.points[point as usize].revision)
    }

    fn push(&mut self, from: u32, to: u32) {
        let mut moved = std::mem::take(&mut self.moved);
        if let Some(error) = self.evaluate(from, to, &mut moved) {
            self.push_evaluated(from, to, error);
        }
        self.moved = moved;
    }

    fn push_evaluated(&mut self, from: u32, to: u32, error: f64) {
        let length = (self.points[from as usize].position - self.points[to as usize].position).norm();
        let revisions = self.revisions(from, to);
        self.heap.push(Reverse(Candidate { error, length, from, to, revisions }));
    }

    fn apply(&mut self, from: u32, to: u32, error: f64, moved: &[Moved]) {
        let around = self.neighbors(from);
        let vanishing: SmallVec<[u32; 4]> = self.vanishing_points(from, to, moved).collect();
        for &Moved { triangle, vertices, .. } in moved {
            match vertices {
                Some(vertices) => {
                    self.triangles[triangle as usize] = vertices;
                    self.points[to as usize].triangles.push(triangle);
                }
                None => {
                    for vertex in std::mem::replace(&mut self.triangles[triangle as usize], REMOVED) {
                        let point = self.point(vertex) as usize;
                        let Point { triangles, removed, .. } = &mut self.points[point];
                        *removed += 1;
                        if 2 * *removed > triangles.len() {
                            triangles.retain(|&other| self.triangles[other as usize] != REMOVED);
                            *removed = 0;
                        }
                    }
                    self.live -= 1;
                }
            }
        }
        let Point { triangles, removed, .. } = &mut self.points[from as usize];
        triangles.clear();
        *removed = 0;
        for point in vanishing.into_iter().chain([from]) {
            let mut sources = std::mem::take(&mut self.points[point as usize].sources);
            let target = &mut self.points[to as usize].sources;
            // Sources are copied to the longer list, which bounds the copies per source.
            if sources.len() > target.len() {
                std::mem::swap(target, &mut sources);
            }
            target.extend(sources);
        }
        self.error = self.error.max(error);
        around.iter().for_each(|&point| self.points[point as usize].revision += 1);
        for neighbor in self.neighbors(to) {
            self.push(to, neighbor);
            self.push(neighbor, to);
        }
    }

    /// Returns the error after collapsing `from` into `to`, and the triangles of `from`; `None` if the collapse is not allowed.
    fn evaluate(&self, from: u32, to: u32, moved: &mut Vec<Moved>) -> Option<f64> {
        moved.clear();
        let (source, target) = (&self.points[from as usize], &self.points[to as usize]);
        if source.locked || self.has_many_triangles(from) || self.has_many_triangles(to) {
            return None;
        }
        let border = self.border(from)?;
        for (index, triangle) in self.triangles_of(from) {
            let corner = triangle.iter().position(|&vertex| self.point(vertex) == from)?;
            let vertex = triangle[corner];
            let mut vertices = triangle;
            vertices[corner] = self.vertex_at(from, to, vertex)?;
            let vanishes = triangle.iter().any(|&vertex| self.point(vertex) == to);
            if !vanishes {
                let (before, after) = (normal(self.corners(triangle)), normal(self.corners(vertices)));
                if before.dot(&after) <= MIN_NORMAL_COSINE * before.norm() * after.norm() && before.norm() > 0.0 {
                    return None;
                }
            }
            moved.push(Moved { triangle: index, vertex, vertices: (!vanishes).then_some(vertices) });
        }
        let mut error = 0.0_f64;
        if let Some([previous, next]) = border {
            let other = match to {
                _ if to == next => previous,
                _ if to == previous => next,
                _ => return None,
            };
            let chord = [target.position, self.points[other as usize].position];
            error = distance_to_segment(source.position, chord);
        }
        let unmoved = self.triangles_of(to).filter(|(index, _)| moved.iter().all(|moved| moved.triangle != *index));
        let after: SmallVec<[[u32; 3]; 16]> =
            moved.iter().filter_map(|moved| moved.vertices).chain(unmoved.map(|(_, vertices)| vertices)).collect();
        let part_vanishes = moved.iter().all(|moved| moved.vertices.is_none());
        if part_vanishes {
            let step = source.sources.len().div_ceil(MAX_MEASURED_VANISHING_SOURCES);
            let distances = source.sources.iter().step_by(step);
            let distances = distances.map(|&source| (self.points[source as usize].position - target.position).norm());
            error = VANISHING_FACTOR * distances.fold(0.0, f64::max);
            if after.is_empty() {
                return Some(error);
            }
        }
        for point in self.vanishing_points(from, to, moved).chain([from]) {
            let sources = &self.points[point as usize].sources;
            let step = sources.len().div_ceil(MAX_MEASURED_SOURCES);
            for &source in sources.iter().step_by(step) {
                error = error.max(self.source_error(source, to, after.iter().copied()));
            }
        }
        if part_vanishes {
            return Some(error);
        }
        for (i, Moved { vertex, .. }) in moved.iter().enumerate() {
            if moved[..i].iter().all(|earlier| earlier.vertex != *vertex) {
                let of_vertex = moved.iter().filter(|moved| moved.vertex == *vertex).filter_map(|moved| moved.vertices);
                error = error.max(self.attribute_error(*vertex, of_vertex));
            }
        }
        // Surface that the collapse adds, for example across a concave part.
        for vertices in moved.iter().filter_map(|moved| moved.vertices) {
            let corners = self.corners(vertices);
            let center = (corners[0] + corners[1] + corners[2]) / 3.0;
            let before = moved.iter().map(|moved| self.triangles[moved.triangle as usize]);
            let before = before.filter(|before| self.material(*before) == self.material(vertices));
            error = error.max(self.nearest(center, before)?.distance);
        }
        Some(error)
    }

    /// Returns the points which lose all triangles when `from` is collapsed into `to`: the tips of flat parts.
    fn vanishing_points(&self, from: u32, to: u32, moved: &[Moved]) -> impl Iterator<Item = u32> {
        let tips =
            moved.iter().filter(|moved| moved.vertices.is_none()).flat_map(|moved| self.points_of(moved.triangle));
        let mut tips: SmallVec<[u32; 4]> = tips.filter(|point| ![from, to].contains(point)).collect();
        tips.sort_unstable();
        tips.dedup();
        let connects = |[a, b, c]: [u32; 3]| [from, to].iter().all(|end| [a, b, c].contains(end));
        tips.retain(|tip| self.triangles_of(*tip).all(|(index, _)| connects(self.points_of(index))));
        tips.into_iter()
    }

    fn points_of(&self, triangle: u32) -> [u32; 3] {
        self.triangles[triangle as usize].map(|vertex| self.point(vertex))
    }

    /// Returns the points before and after `point` on a border; `None` in the outer option for points where borders meet.
    fn border(&self, point: u32) -> Option<Option<[u32; 2]>> {
        let (mut before, mut after) = (SmallVec::<[u32; 16]>::new(), SmallVec::<[u32; 16]>::new());
        for (_, triangle) in self.triangles_of(point) {
            let [a, b, c] = triangle.map(|vertex| self.point(vertex));
            let (next, previous) = if a == point {
                (b, c)
            } else if b == point {
                (c, a)
            } else {
                (a, b)
            };
            after.push(next);
            before.push(previous);
        }
        let mut starts = before.iter().filter(|point| !after.contains(point));
        let mut ends = after.iter().filter(|point| !before.contains(point));
        match (starts.next(), ends.next()) {
            (None, None) => Some(None),
            (Some(&previous), Some(&next)) if starts.next().is_none() && ends.next().is_none() => {
                Some(Some([previous, next]))
            }
            _ => None,
        }
    }

    /// Returns the vertex at point `to` that replaces `vertex` of point `from`: one of the same surface, else the
    /// most similar one of its material.
    fn vertex_at(&self, from: u32, to: u32, vertex: u32) -> Option<u32> {
        let at_target = |triangle: [u32; 3]| triangle.into_iter().find(|&other| self.point(other) == to);
        let of_vertex = self.triangles_of(from).filter(|(_, triangle)| triangle.contains(&vertex));
        if let Some(connected) = of_vertex.filter_map(|(_, triangle)| at_target(triangle)).min() {
            return Some(connected);
        }
        let difference = |other: &u32| {
            let pairs = self.mesh.attributes.of(vertex).iter().zip(self.mesh.attributes.of(*other));
            pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f32>()
        };
        let material = |vertex: u32| self.mesh.materials[vertex as usize];
        let candidates = self.triangles_of(to).filter_map(|(_, triangle)| at_target(triangle));
        let candidates = candidates.filter(|other| material(*other) == material(vertex));
        candidates.min_by(|a, b| difference(a).total_cmp(&difference(b)).then(a.cmp(b)))
    }

    fn nearest(&self, position: Vector3<f64>, triangles: impl Iterator<Item = [u32; 3]>) -> Option<Nearest> {
        let nearest = triangles.map(|vertices| {
            let corners = self.corners(vertices);
            let barycentric = nearest_barycentric(position, corners);
            let point: Vector3<f64> = (0..3).map(|i| corners[i] * barycentric[i]).sum();
            Nearest { distance: (position - point).norm(), barycentric, vertices }
        });
        nearest.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    /// Returns the shift of textures and the change of shading at a vertex, as a distance.
    ///
    /// A change of shading counts by the width of the triangles that show it, and so does the largest shift.
    fn attribute_error(&self, vertex: u32, triangles: impl Iterator<Item = [u32; 3]> + Clone) -> f64 {
        let stride = self.mesh.attributes.stride;
        if stride == 0 {
            return 0.0;
        }
        let position = self.position(vertex);
        let Some(Nearest { distance, barycentric, vertices }) = self.nearest(position, triangles.clone()) else {
            return 0.0;
        };
        let corners = vertices.map(|vertex| self.mesh.attributes.of(vertex));
        let interpolated =
            (0..stride).map(|i| (0..3).map(|corner| barycentric[corner] * f64::from(corners[corner][i])).sum());
        let width = triangles.map(|vertices| width(self.corners(vertices))).fold(0.0, f64::max);
        distance + self.mesh.attributes.difference(self.mesh.attributes.of(vertex), interpolated, width)
    }

    /// Returns how far skinning may move a point from the nearest point of a triangle, because their weights differ.
    ///
    /// Each joint is assumed to rotate by at most 60 degrees, relative to its parent.
    fn skin_error(&self, point: u32, &Nearest { barycentric, vertices, .. }: &Nearest) -> f64 {
        let Some(skin) = &self.mesh.skin else { return 0.0 };
        let position = self.points[point as usize].position;
        let corner = |i: usize, factor: f64| (vertices[i], factor);
        let interpolated = [0, 1, 2].map(|i| corner(i, -barycentric[i]));
        let own = (self.vertex_of_point[point as usize], 1.0);
        let of_weights = skin.displacement(position, &[own, interpolated[0], interpolated[1], interpolated[2]]);
        // A triangle with varying weights stays flat where the full mesh bends.
        let of_bend: f64 = (0..3)
            .filter(|&i| barycentric[i] > 0.0)
            .map(|i| {
                let terms = [interpolated[0], interpolated[1], interpolated[2], corner(i, 1.0)];
                barycentric[i] * skin.rotation(&terms) * (self.position(vertices[i]) - position).norm()
            })
            .sum();
        of_weights + of_bend
    }

    /// Returns the distance of a point of the full mesh, which is now at `target`, from the nearest of `triangles` of each
    /// of its materials. A material without triangles vanishes there.
    fn source_error(&self, source: u32, target: u32, triangles: impl Iterator<Item = [u32; 3]> + Clone) -> f64 {
        let [source_point, target] = [source, target].map(|point| &self.points[point as usize]);
        let of_material = |material: &u32| {
            let own = triangles.clone().filter(|triangle| self.material(*triangle) == *material);
            match self.nearest(source_point.position, own) {
                Some(nearest) => nearest.distance + self.skin_error(source, &nearest),
                None => VANISHING_FACTOR * (source_point.position - target.position).norm(),
            }
        };
        source_point.materials.iter().map(of_material).fold(0.0, f64::max)
    }

    /// Returns the error of the present triangles: that of the collapses, or the measured distance of a removed point if larger.
    fn level_error(&self) -> f64 {
        let mut error = self.error;
        for (index, point) in self.points.iter().enumerate().filter(|(_, point)| !point.triangles.is_empty()) {
            let mut around: SmallVec<[[u32; 3]; 64]> = SmallVec::new();
            around.extend(self.triangles_of(index as u32).map(|(_, vertices)| vertices));
            for neighbor in self.neighbors(index as u32).into_iter().filter(|&point| !self.has_many_triangles(point)) {
                around.extend(self.triangles_of(neighbor).map(|(_, vertices)| vertices));
            }
            let source_error = |&source: &u32| self.source_error(source, index as u32, around.iter().copied());
            error = point.sources.iter().map(source_error).fold(error, f64::max);
        }
        error
    }

    /// Returns the present triangles. The vertices of a point are merged where that changes attributes by at most `error`.
    fn merged_triangles(&self, error: f64) -> Vec<u32> {
        let material = |vertex: u32| self.mesh.materials[vertex as usize];
        let mut merged: HashMap<u32, u32> = HashMap::new();
        for index in (0..self.points.len() as u32).filter(|&point| !self.has_many_triangles(point)) {
            let mut kept = SmallVec::<[u32; 8]>::new();
            for (_, triangle) in self.triangles_of(index) {
                let Some(vertex) = triangle.into_iter().find(|&vertex| self.point(vertex) == index) else { continue };
                if merged.contains_key(&vertex) || kept.contains(&vertex) {
                    continue;
                }
                let of_vertex = self.triangles_of(index).filter(|(_, triangle)| triangle.contains(&vertex));
                let width = of_vertex.map(|(_, triangle)| width(self.corners(triangle))).fold(0.0, f64::max);
                let own = self.mesh.attributes.of(vertex);
                let fits = |other: &&u32| {
                    let attributes = self.mesh.attributes.of(**other).iter().map(|value| f64::from(*value));
                    material(vertex) == material(**other)
                        && self.mesh.attributes.difference(own, attributes, width) <= error
                };
                match kept.iter().find(fits) {
                    Some(other) => _ = merged.insert(vertex, *other),
                    None => kept.push(vertex),
                }
            }
        }
        let vertices = self.triangles.iter().filter(|triangle| **triangle != REMOVED).flatten();
        vertices.map(|vertex| merged.get(vertex).copied().unwrap_or(*vertex)).collect()
    }
}
