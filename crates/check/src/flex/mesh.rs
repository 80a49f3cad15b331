//! The skinned triangles of a scene, and the triangles that each joint deforms.

use nalgebra::Vector3;
use rigview_core::math::{Aabb, Affine, Transform};
use rigview_core::model::{JointIndex, Skeleton, SkinIndex};
use rigview_core::palette::{BlockIndex, Palette, PosedPrimitive, RangeJoints, Rig, SkinningInputs};
use rigview_core::pose::{ModelPose, PoseOverride};
use std::collections::HashMap;
use std::ops::Range;

/// Maximum steps from joints to their ancestors, over all corners of triangles: about 2 s.
const MAX_STEPS: usize = 1 << 28;

/// Smallest part of the mesh that counts as the surface of a joint.
const MIN_AREA: f64 = 1e-6;

/// Smallest weight that counts as an influence.
const MIN_WEIGHT: f64 = 1e-3;

/// The skinned triangles of the default scene. Vertices are numbered over all draws.
pub(super) struct FlexMesh<'a> {
    draws: Vec<SkinningInputs<'a>>,
    /// Index of each draw in the layout.
    layout_draws: Vec<usize>,
    skins: Vec<(SkinIndex, &'a [JointIndex])>,
    /// Draw of each vertex, and its index there.
    sources: Vec<(u32, u32)>,
    /// First influence of each vertex, and the end of the last.
    starts: Vec<usize>,
    influences: Vec<(JointIndex, f64)>,
    /// The first vertex at the position of each vertex.
    pub(super) welded: Vec<u32>,
    pub(super) rest_positions: Vec<Vector3<f64>>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// Per joint, the triangles that its rotation deforms.
    pub(super) deformed: Vec<Vec<u32>>,
    /// Per joint, the area that follows it: area times the weight of the joint itself.
    pub(super) areas: Vec<f64>,
    /// Sum of these areas.
    area: f64,
    /// Per joint, the next joint above that has weights.
    pub(super) above: Vec<Option<JointIndex>>,
    /// Per joint, the centroid of that area, times the area.
    pub(super) moments: Vec<Vector3<f64>>,
    /// `false` if the rig has more joints and triangles than the budget allows.
    pub(super) is_complete: bool,
}

impl<'a> FlexMesh<'a> {
    /// Collects the skinned draws of `rig`, without [`deformed`](Self::find_deformed) triangles. `palette` has the rest pose.
    pub(super) fn new(rig: &'a Rig, palette: &Palette) -> Self {
        let (model, joint_count) = (rig.model(), rig.model().skeleton.len());
        let mut mesh = Self {
            draws: Vec::new(),
            layout_draws: Vec::new(),
            skins: Vec::new(),
            sources: Vec::new(),
            starts: vec![0],
            influences: Vec::new(),
            welded: Vec::new(),
            rest_positions: Vec::new(),
            triangles: Vec::new(),
            deformed: vec![Vec::new(); joint_count],
            areas: vec![0.0; joint_count],
            area: 0.0,
            above: vec![None; joint_count],
            moments: vec![Vector3::zeros(); joint_count],
            is_complete: true,
        };
        for (index, draw) in rig.layout().draws.iter().enumerate().filter(|(_, draw)| draw.skinned) {
            let RangeJoints::Skin(skin) = rig.layout().matrix_ranges[draw.matrix_range].joints else { continue };
            let inputs = SkinningInputs::new(rig, draw);
            let Some(influences) = inputs.influences else { continue };
            let (joints, first) = (&model.skins[skin.get()].joints, mesh.sources.len() as u32);
            let triangles = inputs.primitive.triangles();
            mesh.triangles.extend(triangles.as_chunks::<3>().0.iter().map(|corners| corners.map(|i| first + i)));
            for vertex in 0..inputs.vertex_count() {
                let of_vertex = influences.of_vertex(vertex).filter(|(_, weight)| f64::from(*weight) > MIN_WEIGHT);
                let of_vertex = of_vertex.map(|(slot, weight)| (joints[slot.get()], f64::from(weight)));
                mesh.influences.extend(of_vertex);
                mesh.starts.push(mesh.influences.len());
                mesh.sources.push((mesh.draws.len() as u32, vertex as u32));
            }
            mesh.draws.push(inputs);
            mesh.layout_draws.push(index);
            mesh.skins.push((skin, joints));
        }
        let all: Vec<u32> = (0..mesh.sources.len() as u32).collect();
        mesh.rest_positions = mesh.positions(palette);
        let mut first_at = HashMap::with_capacity(all.len());
        let key = |position: &Vector3<f64>| position.map(|x| (x + 0.0).to_bits());
        mesh.welded =
            all.iter().zip(&mesh.rest_positions).map(|(i, p)| *first_at.entry(key(p)).or_insert(*i)).collect();
        mesh
    }

    /// Skins all vertices.
    fn positions(&self, palette: &Palette) -> Vec<Vector3<f64>> {
        let posed = self.draws_at_rest(palette);
        let position =
            |(draw, vertex): &(u32, u32)| Vector3::from(posed[*draw as usize].posed_position(*vertex as usize)).cast();
        self.sources.iter().map(position).collect()
    }

    /// The draws with the palette of the rest pose.
    pub(super) fn draws_at_rest<'b>(&'b self, palette: &'b Palette) -> Vec<PosedPrimitive<'b>> {
        self.draws.iter().map(|draw| draw.posed(palette, BlockIndex(0))).collect()
    }

    /// Skins a vertex while some joints are moved from the rest pose. The cost does not depend on the number of joints of the rig.
    pub(super) fn posed(&self, at_rest: &[PosedPrimitive<'_>], moves: &Moves<'_>, vertex: u32) -> Vector3<f64> {
        let mut posed = self.rest_positions[vertex as usize];
        let (draw, vertex) = self.sources[vertex as usize];
        let (inputs, at_rest, vertex) = (&self.draws[draw as usize], &at_rest[draw as usize], vertex as usize);
        let joints = self.skins[draw as usize].1;
        let moved = |slot: usize| moves.of(joints[slot]);
        let influences = inputs.influences.iter().flat_map(|influences| influences.of_vertex(vertex));
        let moving = influences.filter(|(slot, weight)| *weight != 0.0 && moved(slot.get()).next().is_some());
        for (slot, weight) in moving {
            let mut position = inputs.position(vertex);
            for (i, target) in inputs.primitive.targets.iter().enumerate() {
                if let Some(deltas) = target.positions.as_ref().filter(|_| at_rest.morph_weight(i) != 0.0) {
                    position += Vector3::from(deltas[vertex]) * at_rest.morph_weight(i);
                }
            }
            let matrix = at_rest.matrix(slot.get()).map(nalgebra::Vector4::from);
            let from: Vector3<f64> = Vector3::from(matrix.map(|row| row.dot(&position.push(1.0)))).cast();
            // The lowest joint moves first.
            let to = moved(slot.get()).fold(from, |point, movement| movement.transform_point(point));
            posed += (to - from) * f64::from(weight);
        }
        posed
    }

    /// Returns the index in the layout of the draw of a vertex.
    pub(super) fn layout_draw(&self, vertex: usize) -> usize {
        self.layout_draws[self.sources[vertex].0 as usize]
    }

    /// Returns the skin of a vertex.
    pub(super) fn skin(&self, vertex: u32) -> SkinIndex {
        self.skins[self.sources[vertex as usize].0 as usize].0
    }

    /// Returns the position of a vertex as modeled, in the space of its mesh.
    pub(super) fn modeled_position(&self, vertex: u32) -> Vector3<f64> {
        let (draw, vertex) = self.sources[vertex as usize];
        self.draws[draw as usize].position(vertex as usize).cast()
    }

    /// Returns `true` if some of the surface follows the joint itself.
    pub(super) fn has_weights(&self, joint: JointIndex) -> bool {
        self.areas[joint.get()] > MIN_AREA * self.area
    }

    /// Diagonal of the box around all vertices at rest.
    pub(super) fn size(&self) -> f64 {
        let mut bounds = Aabb::EMPTY;
        self.rest_positions.iter().for_each(|position| bounds.add(*position));
        Some(bounds.extent().norm()).filter(|size| size.is_finite()).unwrap_or(0.0)
    }

    /// The first vertex at each position.
    pub(super) fn welded_vertices(&self) -> impl Iterator<Item = u32> {
        let first = |(vertex, first): (usize, &u32)| (vertex == *first as usize).then_some(*first);
        self.welded.iter().enumerate().filter_map(first)
    }

    /// Returns joints and weights of a vertex.
    pub(super) fn influences(&self, vertex: u32) -> &[(JointIndex, f64)] {
        &self.influences[self.starts[vertex as usize]..self.starts[vertex as usize + 1]]
    }

    /// Returns the joint with the largest weight at a vertex.
    pub(super) fn strongest_joint(&self, vertex: u32) -> Option<JointIndex> {
        self.influences(vertex).iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(joint, _)| *joint)
    }

    /// Fills `deformed`, `areas`, `moments` and `above`.
    pub(super) fn find_deformed(&mut self, skeleton: &Skeleton) {
        let mut steps = 0;
        // The weight of each corner on a joint with its descendants.
        let mut sums: Vec<(JointIndex, [f64; 3])> = Vec::new();
        let add = |sums: &mut Vec<(JointIndex, [f64; 3])>, joint: JointIndex, corners: [f64; 3]| match sums
            .iter_mut()
            .find(|(other, _)| *other == joint)
        {
            Some((_, sums)) => sums.iter_mut().zip(corners).for_each(|(sum, more)| *sum += more),
            None => sums.push((joint, corners)),
        };
        for (i, corners) in self.triangles.iter().enumerate() {
            let [a, b, c] = corners.map(|corner| self.rest_positions[corner as usize]);
            let (area, center) = ((b - a).cross(&(c - a)).norm() / 2.0, (a + b + c) / 3.0);
            sums.clear();
            for (corner, vertex) in corners.iter().enumerate() {
                for (joint, weight) in
                    &self.influences[self.starts[*vertex as usize]..self.starts[*vertex as usize + 1]]
                {
                    self.areas[joint.get()] += area * weight / 3.0;
                    self.area += area * weight / 3.0;
                    self.moments[joint.get()] += center * (area * weight / 3.0);
                    add(&mut sums, *joint, std::array::from_fn(|i| if i == corner { *weight } else { 0.0 }));
                }
            }
            // Joints precede those below them. Above a joint that all corners follow, nothing deforms the triangle.
            let is_partial = |corners: &[f64; 3]| corners.iter().any(|sum| *sum < 1.0 - 2.0 * MIN_WEIGHT);
            while sums.len() > 1 || sums.iter().any(|(_, corners)| is_partial(corners)) {
                let lowest = (0..sums.len()).max_by_key(|k| sums[*k].0).unwrap_or_default();
                let (joint, corners) = sums.swap_remove(lowest);
                if is_partial(&corners) {
                    self.deformed[joint.get()].push(i as u32);
                }
                if let Some(parent) = skeleton.joint(joint).parent {
                    add(&mut sums, parent, corners);
                }
                steps += 1 + sums.len();
            }
            if steps > MAX_STEPS {
                self.is_complete = false;
                return;
            }
        }
        for (i, joint) in skeleton.joints().iter().enumerate() {
            let next =
                |parent: JointIndex| if self.has_weights(parent) { Some(parent) } else { self.above[parent.get()] };
            self.above[i] = joint.parent.and_then(next);
        }
    }
}

/// The joints that a pose moves from the rest pose.
pub(super) struct Moves<'a> {
    /// The positions of each joint and those below it, in depth-first order.
    subtrees: &'a [Range<usize>],
    /// Movements in model space, each of all joints at some positions of that order; the highest joint first.
    moves: Vec<(Range<usize>, Affine)>,
}

impl<'a> Moves<'a> {
    pub(super) fn new(
        skeleton: &Skeleton,
        rest: &ModelPose,
        subtrees: &'a [Range<usize>],
        pose: &PoseOverride,
    ) -> Self {
        let movement = |(index, transform): &(JointIndex, Transform)| {
            let joint = skeleton.joint(*index);
            let model_from_parent = joint.parent.map_or(Affine::IDENTITY, |parent| *rest.model_from_joint(parent));
            let local = joint.matrix_of(transform) * joint.matrix_of(&joint.rest).inverse()?;
            Some((*index, model_from_parent * local * model_from_parent.inverse()?))
        };
        let mut moves: Vec<_> = pose.joints().iter().filter_map(movement).collect();
        moves.sort_by_key(|(joint, _)| *joint);
        let moves = moves.into_iter().map(|(joint, movement)| (subtrees[joint.get()].clone(), movement)).collect();
        Self { subtrees, moves }
    }

    /// The movements of a joint, the lowest first.
    fn of(&self, joint: JointIndex) -> impl Iterator<Item = &Affine> {
        let position = self.subtrees[joint.get()].start;
        self.moves.iter().rev().filter(move |(moved, _)| moved.contains(&position)).map(|(_, movement)| movement)
    }
}

/// Returns the cube with this center and half edge.
pub(super) fn cube(center: Vector3<f64>, half: f64) -> Aabb {
    Aabb { min: center.add_scalar(-half), max: center.add_scalar(half) }
}
