//! Clusters of the vertices of a draw, with bounding spheres of their posed positions.

use nalgebra::{Matrix3, Vector3};
use rigview_core::math::{Aabb, SupportHull};
use rigview_core::model::MorphTarget;
use rigview_core::palette::{BlockIndex, Palette, PosedPrimitive, SkinningInputs};
use std::collections::HashMap;
use std::ops::Range;

/// Vertices per cluster: a test of a sphere costs as much as a few vertices.
const CLUSTER_VERTICES: usize = 16;

/// Clusters per group, which is tested first.
const GROUP_CLUSTERS: usize = 16;

/// Error of a position in single precision, relative to the terms that it is the sum of.
const ROUNDING: f64 = 4e-6;

/// The vertices of a draw in clusters of neighbors with similar influences, and these in groups.
///
/// Vertices whose bounding sphere is inside a hull add nothing to it. They need not be skinned.
pub(super) struct VertexClusters<'a> {
    vertices: SkinningInputs<'a>,
    /// Vertices in the order of the clusters.
    order: Vec<u32>,
    clusters: Vec<Cluster>,
    groups: Vec<Cluster>,
    /// Influences of all clusters and groups.
    influences: Vec<ClusterInfluence>,
    /// Slots that the influences refer to.
    slots: Vec<usize>,
}

/// Vertices with a sphere around their positions in mesh space.
struct Cluster {
    /// In the order of the clusters.
    vertices: Range<usize>,
    influences: Range<usize>,
    center: Vector3<f64>,
    radius: f64,
    /// Largest sum of the magnitudes of a vertex's weights.
    max_weight_sum: f64,
    /// Largest difference of a vertex's sum of weights from the sum of the mean weights.
    weight_sum_deviation: f64,
    /// Longest displacement by each morph target.
    displacements: Vec<f64>,
}

/// Weights of one slot in a cluster.
struct ClusterInfluence {
    /// Index in the slots of the draw.
    slot: usize,
    mean_weight: f64,
    /// Largest difference from the mean.
    deviation: f64,
}

/// A matrix of the palette in double precision.
struct SlotMatrix {
    linear: Matrix3<f64>,
    translation: Vector3<f64>,
    /// Bound of the growth of a vector.
    growth: f64,
}

impl<'a> VertexClusters<'a> {
    pub(super) fn new(vertices: SkinningInputs<'a>) -> Self {
        let vertex_indices = 0..vertices.vertex_count() as u32;
        let position = |vertex: u32| vertices.position(vertex as usize).cast();
        let mut bounds = Aabb::EMPTY;
        vertex_indices.clone().for_each(|vertex| bounds.add(position(vertex)));
        let key = |vertex: u32| {
            // Vertices of the same strongest joints move alike.
            let mut strongest = [(0.0, 0); 2];
            for (slot, weight) in influences_of(&vertices, vertex) {
                if weight > strongest[0].0 {
                    strongest = [(weight, slot), strongest[0]];
                } else if weight > strongest[1].0 {
                    strongest[1] = (weight, slot);
                }
            }
            let place = bounds.morton_code(position(vertex));
            (strongest[0].1, strongest[1].1, place)
        };
        let mut order: Vec<_> = vertex_indices.map(|vertex| (key(vertex), vertex)).collect();
        order.sort_unstable();
        let order: Vec<u32> = order.into_iter().map(|(_, vertex)| vertex).collect();
        let (mut influences, mut slots, mut slot_indices) = (Vec::new(), Vec::new(), HashMap::new());
        let mut of_size = |size: usize| -> Vec<Cluster> {
            let firsts = (0..order.len()).step_by(size);
            let ranges = firsts.map(|first| first..(first + size).min(order.len()));
            let mut index_of = |slot: usize| {
                *slot_indices.entry(slot).or_insert_with(|| {
                    slots.push(slot);
                    slots.len() - 1
                })
            };
            ranges
                .map(|range| Cluster::new(&vertices, range.clone(), &order[range], &mut influences, &mut index_of))
                .collect()
        };
        let (clusters, groups) = (of_size(CLUSTER_VERTICES), of_size(CLUSTER_VERTICES * GROUP_CLUSTERS));
        Self { vertices, order, clusters, groups, influences, slots }
    }

    /// Adds the posed vertices of the first block of the palette to a hull.
    pub(super) fn add_to(&self, palette: &Palette, hull: &mut SupportHull) {
        let posed = self.vertices.posed(palette, BlockIndex(0));
        let matrices: Vec<SlotMatrix> = self.slots.iter().map(|slot| SlotMatrix::new(posed.matrix(*slot))).collect();
        let is_inside = |cluster: &Cluster, hull: &SupportHull| {
            let (center, radius) = cluster.bounding_sphere(&self.influences, &posed, &matrices);
            hull.is_unaffected_by_sphere(center.cast(), radius as f32)
        };
        for (group, clusters) in self.groups.iter().zip(self.clusters.chunks(GROUP_CLUSTERS)) {
            if is_inside(group, hull) {
                continue;
            }
            for cluster in clusters {
                if !is_inside(cluster, hull) {
                    for vertex in &self.order[cluster.vertices.clone()] {
                        hull.add(posed.posed_position(*vertex as usize).into());
                    }
                }
            }
        }
    }
}

impl Cluster {
    /// Makes the cluster of `members`, at `range` in the order of the clusters. Appends its influences; `index_of` returns the
    /// index of a slot.
    fn new(
        vertices: &SkinningInputs<'_>,
        range: Range<usize>,
        members: &[u32],
        all_influences: &mut Vec<ClusterInfluence>,
        index_of: &mut impl FnMut(usize) -> usize,
    ) -> Self {
        let position = |vertex: &u32| vertices.position(*vertex as usize).cast::<f64>();
        let mut bounds = Aabb::EMPTY;
        members.iter().for_each(|vertex| bounds.add(position(vertex)));
        let center = bounds.center();
        let distances = members.iter().map(|vertex| (position(vertex) - center).norm());
        let radius = distances.fold(0.0, f64::max);
        let (mut influences, mut weight_sums, mut max_weight_sum) = (Vec::new(), WeightRange::default(), 0.0_f64);
        for vertex in members {
            let (mut sum, mut magnitude) = (0.0, 0.0);
            for (slot, weight) in influences_of(vertices, *vertex).filter(|(_, weight)| *weight != 0.0) {
                influences.push((slot, weight));
                sum += weight;
                magnitude += weight.abs();
            }
            weight_sums.add(sum);
            max_weight_sum = max_weight_sum.max(magnitude);
        }
        influences.sort_unstable_by_key(|(slot, _)| *slot);
        let first_influence = all_influences.len();
        for of_slot in influences.chunk_by(|(a, _), (b, _)| a == b) {
            let mut weights = WeightRange::default();
            of_slot.iter().for_each(|(_, weight)| weights.add(*weight));
            if of_slot.len() < members.len() {
                weights.add(0.0);
            }
            let mean_weight = weights.sum / members.len() as f64;
            let deviation = weights.deviation_from(mean_weight);
            all_influences.push(ClusterInfluence { slot: index_of(of_slot[0].0), mean_weight, deviation });
        }
        let mean_sum = weight_sums.sum / members.len() as f64;
        let longest = |target: &MorphTarget| {
            let deltas = target.positions.as_deref().unwrap_or_default();
            let lengths = members.iter().filter_map(|vertex| deltas.get(*vertex as usize));
            lengths.map(|delta| Vector3::from(*delta).cast::<f64>().norm()).fold(0.0, f64::max)
        };
        Self {
            vertices: range,
            influences: first_influence..all_influences.len(),
            center,
            radius,
            max_weight_sum,
            weight_sum_deviation: weight_sums.deviation_from(mean_sum),
            displacements: vertices.primitive.targets.iter().map(longest).collect(),
        }
    }

    /// Returns center and radius of a sphere that contains the posed vertices of a cluster.
    ///
    /// Bound: `|p(v) - p(c)| <= |sum(w_j L_j (v - c))| + |sum((w_j - m_j) (q_j - q))|`. Here `p(v) = sum(w_j (L_j v +
    /// t_j))` is a posed vertex of weights `w`, `p(c) = sum(m_j q_j)` the cluster's center `c` posed by the mean
    /// weights `m`, and `q_j = L_j c + t_j`. The point `q` is arbitrary if the weights have equal sums.
    fn bounding_sphere(
        &self,
        all_influences: &[ClusterInfluence],
        posed: &PosedPrimitive<'_>,
        matrices: &[SlotMatrix],
    ) -> (Vector3<f64>, f64) {
        let influences = &all_influences[self.influences.clone()];
        let displacement: f64 = self
            .displacements
            .iter()
            .enumerate()
            .map(|(target, length)| f64::from(posed.morph_weight(target).abs()) * length)
            .sum();
        let extent = self.radius + displacement;
        let (mut center, mut mean_sum, mut growth, mut magnitude) = (Vector3::zeros(), 0.0, 0.0_f64, 0.0);
        for influence in influences {
            let matrix = &matrices[influence.slot];
            center += matrix.transform(self.center) * influence.mean_weight;
            mean_sum += influence.mean_weight;
            growth = growth.max(matrix.growth);
            let weight = influence.mean_weight.abs() + influence.deviation;
            magnitude += weight * (matrix.growth * (self.center.norm() + extent) + matrix.translation.norm());
        }
        let reference = if mean_sum > 0.0 { center / mean_sum } else { center };
        let mut radius = self.max_weight_sum * growth * extent + self.weight_sum_deviation * reference.norm();
        for influence in influences {
            let offset = matrices[influence.slot].transform(self.center) - reference;
            radius += influence.deviation * offset.norm();
        }
        (center, radius + ROUNDING * magnitude)
    }
}

impl SlotMatrix {
    fn new(rows: [[f32; 4]; 3]) -> Self {
        let linear = Matrix3::from_fn(|row, column| f64::from(rows[row][column]));
        let translation = Vector3::from_fn(|row, _| f64::from(rows[row][3]));
        // The largest eigenvalue of a symmetric matrix is at most its largest sum of magnitudes in a row. Exact for similarities.
        let gram = linear.transpose() * linear;
        let growth = (0..3).map(|row| gram.row(row).abs().sum()).fold(0.0, f64::max).sqrt();
        Self { linear, translation, growth }
    }

    fn transform(&self, point: Vector3<f64>) -> Vector3<f64> {
        self.linear * point + self.translation
    }
}

/// Range and sum of weights.
#[derive(Default)]
struct WeightRange {
    sum: f64,
    /// Minimum and maximum; `None` without weights.
    range: Option<(f64, f64)>,
}

impl WeightRange {
    fn add(&mut self, weight: f64) {
        let (min, max) = self.range.unwrap_or((weight, weight));
        self.range = Some((min.min(weight), max.max(weight)));
        self.sum += weight;
    }

    /// Returns the largest difference from `mean`.
    fn deviation_from(&self, mean: f64) -> f64 {
        self.range.map_or(0.0, |(min, max)| (max - mean).max(mean - min))
    }
}

/// Slots and weights of a vertex; slot 0 for rigid meshes.
fn influences_of(vertices: &SkinningInputs<'_>, vertex: u32) -> impl Iterator<Item = (usize, f64)> {
    let rigid = vertices.influences.is_none().then_some((0, 1.0));
    let skinned = vertices.influences.into_iter().flat_map(move |influences| influences.of_vertex(vertex as usize));
    rigid.into_iter().chain(skinned.map(|(slot, weight)| (usize::from(slot.0), f64::from(weight))))
}

#[cfg(test)]
mod tests {
    use super::super::clip_hull;
    use super::*;
    use nalgebra::UnitQuaternion;
    use rigview_core::crowd::{Crowd, CrowdAnimator};
    use rigview_core::math::{Affine, Transform};
    use rigview_core::model::{
        Clip, ClipIndex, Influences, Interpolation, Joint, JointIndex, KeyValues, Mesh, MeshIndex, MeshNode, Model,
        Primitive, Scene, SceneIndex, Skeleton, Skin, SkinIndex, SkinSlot, Timeline, Topology, Track, Vertices,
    };
    use rigview_core::palette::{MatrixFormat, Rig, skin_positions_on_cpu};

    const JOINTS: usize = 6;
    const VERTICES: usize = 700;
    const TARGETS: usize = 2;

    /// Numbers of the Sobol sequence between -1 and 1.
    struct Numbers {
        next: u32,
        seed: u32,
    }

    impl Numbers {
        fn next(&mut self) -> f64 {
            self.next += 1;
            2.0 * f64::from(sobol_burley::sample(self.next, 0, self.seed)) - 1.0
        }

        fn vector(&mut self, size: f64) -> Vector3<f64> {
            Vector3::from_fn(|_, _| size * self.next())
        }

        fn rotation(&mut self) -> UnitQuaternion<f64> {
            UnitQuaternion::from_scaled_axis(self.vector(2.0))
        }
    }

    /// A chain of joints that rotate in a clip, with a skinned and morphed mesh. `weight_noise` changes the sums of weights.
    fn rig(seed: u32, weight_noise: f64, skinned: bool) -> Rig {
        let mut numbers = Numbers { next: 0, seed };
        let joint = |node: usize, numbers: &mut Numbers| Joint {
            name: None,
            node,
            parent: node.checked_sub(1).map(|parent| JointIndex(parent as u32)),
            rest: Transform {
                translation: numbers.vector(1.0),
                rotation: numbers.rotation(),
                scale: numbers.vector(0.3).add_scalar(1.0),
            },
            exact_rest_matrix: None,
            morph_weights: if node == 0 { 0..TARGETS } else { TARGETS..TARGETS },
        };
        let joints: Vec<Joint> = (0..JOINTS).map(|node| joint(node, &mut numbers)).collect();
        let rotations = (0..JOINTS)
            .map(|joint| Track {
                joint: JointIndex(joint as u32),
                timeline: 0.into(),
                interpolation: Interpolation::Linear,
                keys: KeyValues::Rotation((0..3).map(|_| numbers.rotation().coords.cast()).collect()),
            })
            .collect();
        let clip = Clip {
            name: None,
            duration_secs: 1.0,
            first_key_secs: 0.0,
            timelines: vec![Timeline::new([0.0, 0.4, 1.0])],
            tracks: rotations,
            property_tracks: Vec::new(),
        };
        let positions: Vec<Vector3<f32>> = (0..VERTICES).map(|_| numbers.vector(1.0).cast()).collect();
        let per_vertex = 4;
        let mut influences = Influences { per_vertex, slots: Vec::new(), weights: Vec::new() };
        for position in &positions {
            // Neighbors have similar weights.
            let first = ((position.x + 1.0) * 2.0) as u16;
            for index in 0..per_vertex as u16 {
                influences.slots.push(SkinSlot((first + index) % JOINTS as u16));
                let weight = [0.6, 0.3, 0.1, 0.0][usize::from(index)] + weight_noise * numbers.next();
                influences.weights.push(weight as f32);
            }
        }
        let target = |numbers: &mut Numbers| MorphTarget {
            positions: Some((0..VERTICES).map(|_| numbers.vector(0.1).cast::<f32>().into()).collect()),
            ..MorphTarget::default()
        };
        let primitive = Primitive {
            topology: Topology::Points,
            vertices: Vertices {
                positions: positions.iter().map(|position| (*position).into()).collect(),
                influences: skinned.then_some(influences),
                ..Vertices::default()
            }
            .into(),
            targets: (0..TARGETS).map(|_| target(&mut numbers)).collect::<Vec<_>>().into(),
            ..Primitive::default()
        };
        let model = Model {
            skeleton: Skeleton::new(joints, vec![0.7, -0.4]),
            skins: vec![Skin {
                name: None,
                joints: (0..JOINTS as u32).map(JointIndex).collect(),
                joint_from_mesh: (0..JOINTS).map(|_| Affine::from_translation(numbers.vector(1.0))).collect(),
            }],
            meshes: vec![Mesh { target_count: TARGETS, primitives: vec![primitive], ..Mesh::default() }],
            scenes: vec![Scene {
                mesh_nodes: vec![MeshNode {
                    joint: JointIndex(0),
                    mesh: MeshIndex(0),
                    skin: skinned.then_some(SkinIndex(0)),
                }],
                ..Scene::default()
            }],
            clips: vec![clip],
            ..Model::default()
        };
        let rig = Rig::new(model, SceneIndex(0)).unwrap();
        rig.with_format(MatrixFormat::Mat3x4)
    }

    fn rigs() -> impl Iterator<Item = Rig> {
        let kinds = [(0.0, true), (0.02, true), (0.4, true), (0.0, false)];
        (0..3).flat_map(move |seed| kinds.map(|(noise, skinned)| rig(seed, noise, skinned)))
    }

    fn palette_at(rig: &Rig, time_secs: f64) -> CrowdAnimator {
        let mut animator = CrowdAnimator::new(rig);
        animator.update_in_double_precision(&mut Crowd::single(Some(ClipIndex(0))), time_secs);
        animator
    }

    #[test]
    fn spheres_contain_all_posed_vertices() {
        for rig in rigs() {
            let clusters = VertexClusters::new(SkinningInputs::new(&rig, &rig.layout().draws[0]));
            let mut seen = [false; VERTICES];
            for step in 0..20 {
                let animator = palette_at(&rig, 0.05 * f64::from(step));
                let posed = clusters.vertices.posed(animator.palette(), BlockIndex(0));
                let matrices: Vec<_> = clusters.slots.iter().map(|slot| SlotMatrix::new(posed.matrix(*slot))).collect();
                for cluster in clusters.clusters.iter().chain(&clusters.groups) {
                    let (center, radius) = cluster.bounding_sphere(&clusters.influences, &posed, &matrices);
                    for vertex in &clusters.order[cluster.vertices.clone()] {
                        let position = Vector3::from(posed.posed_position(*vertex as usize)).cast();
                        let distance = (position - center).norm();
                        assert!(distance <= radius, "vertex {vertex}: {distance} beyond {radius}");
                        seen[*vertex as usize] = true;
                    }
                }
            }
            assert_eq!(seen, [true; VERTICES]);
        }
    }

    #[test]
    fn hull_of_clip_equals_that_of_all_vertices() {
        for rig in rigs() {
            let mut expected = SupportHull::default();
            for sample in 0..61 {
                let animator = palette_at(&rig, f64::from(sample) / 60.0);
                for position in skin_positions_on_cpu(&rig, animator.palette(), BlockIndex(0), &rig.layout().draws[0]) {
                    expected.add(position.into());
                }
            }
            assert!(clip_hull(&rig, Some(ClipIndex(0))) == expected);
        }
    }

    #[test]
    fn clusters_inside_the_hull_are_skipped() {
        let rig = rig(0, 0.0, true);
        let clusters = VertexClusters::new(SkinningInputs::new(&rig, &rig.layout().draws[0]));
        let animator = palette_at(&rig, 0.5);
        let large = SupportHull::from_aabb(&Aabb { min: Vector3::repeat(-1e3), max: Vector3::repeat(1e3) });
        let mut hull = large.clone();
        clusters.add_to(animator.palette(), &mut hull);
        assert!(hull == large);
        let mut hull = SupportHull::default();
        clusters.add_to(animator.palette(), &mut hull);
        let points = hull.points().count();
        assert!(points > 0 && hull.bounds().diagonal() > 1.0);
    }

    #[test]
    fn vertices_that_are_not_finite_do_not_hide_others() {
        let mut model = rig(1, 0.0, false).model().clone();
        // Finite in the file, but not in a pose.
        model.meshes[0].primitives[0].vertices_mut().positions[3] = [f32::MAX; 3];
        let rig = Rig::new(model, SceneIndex(0)).unwrap().with_format(MatrixFormat::Mat3x4);
        let clusters = VertexClusters::new(SkinningInputs::new(&rig, &rig.layout().draws[0]));
        let (mut hull, mut expected) = (SupportHull::default(), SupportHull::default());
        let animator = palette_at(&rig, 0.5);
        clusters.add_to(animator.palette(), &mut hull);
        let positions = skin_positions_on_cpu(&rig, animator.palette(), BlockIndex(0), &rig.layout().draws[0]);
        assert!(positions.iter().flatten().any(|x| !x.is_finite()));
        for position in positions {
            expected.add(position.into());
        }
        assert!(hull == expected);
    }
}
