//! A mesh to simplify.

use nalgebra::Vector3;
use rigview_core::model::Influences;
use smallvec::SmallVec;
use std::collections::HashMap;

/// Weight of attributes: textures and shading may shift twice as far as the surface.
const ATTRIBUTE_WEIGHT: f64 = 0.5;

/// Assumed rotation of a joint from the bind pose, relative to its parent: 60 degrees, which move a point at distance 1 by 1. One
/// joint at 90 degrees exceeds the error of a level by at most 1.42 times.
const MAX_CHORD: f64 = 1.0;

/// A triangle mesh with one value of each attribute per vertex.
pub(in crate::render::gpu_model) struct Mesh<'a> {
    pub(in crate::render::gpu_model) positions: Vec<[f32; 3]>,
    /// The material of each vertex. Triangles have one material.
    pub(in crate::render::gpu_model) materials: Vec<u32>,
    /// Three vertices per triangle.
    pub(in crate::render::gpu_model) triangles: Vec<u32>,
    pub(in crate::render::gpu_model) attributes: Attributes,
    pub(in crate::render::gpu_model) skin: Option<Skin<'a>>,
    /// `true` for vertices that never move.
    pub(in crate::render::gpu_model) locked: Vec<bool>,
}

/// Vertex attributes that a collapse changes.
pub(in crate::render::gpu_model) struct Attributes {
    /// Components per vertex.
    pub(in crate::render::gpu_model) stride: usize,
    /// The first components, which affect shading: an error of 1 changes the whole color. The others are texture coordinates,
    /// scaled to mesh units.
    pub(in crate::render::gpu_model) shading: usize,
    pub(in crate::render::gpu_model) values: Vec<f32>,
}

/// Influences and joints of a skinned mesh.
pub(in crate::render::gpu_model) struct Skin<'a> {
    pub(in crate::render::gpu_model) influences: &'a Influences,
    /// Position of each skin slot's joint in mesh space.
    pub(in crate::render::gpu_model) joints: Vec<Vector3<f64>>,
    /// Slot of the nearest ancestor of each slot's joint.
    pub(in crate::render::gpu_model) parents: Vec<Option<usize>>,
}

/// Triangles of a level of detail.
pub(in crate::render::gpu_model) struct SimplifiedMesh {
    /// Three vertices per triangle.
    pub(in crate::render::gpu_model) triangles: Vec<u32>,
    /// Maximum distance from the full mesh, in mesh units.
    pub(in crate::render::gpu_model) error: f64,
}

impl Mesh<'_> {
    /// Returns for each vertex the first one with equal attributes.
    pub(super) fn welded_vertices(&self) -> Vec<u32> {
        let mut known = HashMap::new();
        let key = |vertex: usize| {
            let attributes = self.attributes.of(vertex as u32).iter().map(|value| value.to_bits());
            (self.point_key(vertex), self.materials[vertex], attributes.collect::<SmallVec<[u32; 12]>>())
        };
        (0..self.positions.len()).map(|vertex| *known.entry(key(vertex)).or_insert(vertex as u32)).collect()
    }

    /// Returns the bits of position and skin weights.
    pub(super) fn point_key(&self, vertex: usize) -> SmallVec<[u32; 8]> {
        // Adding zero makes the zeros of both signs equal.
        let mut key: SmallVec<[u32; 8]> = self.positions[vertex].iter().map(|x| (x + 0.0).to_bits()).collect();
        if let Some(Skin { influences, .. }) = &self.skin {
            let used = influences.of_vertex(vertex).filter(|(_, weight)| *weight > 0.0);
            used.for_each(|(slot, weight)| key.extend([u32::from(slot.0), weight.to_bits()]));
        }
        key
    }
}

impl Skin<'_> {
    /// Returns a bound of how far apart skinning moves a point by two sets of weights, which are those of vertices, each times its
    /// factor. The factors add up to zero.
    pub(super) fn displacement(&self, position: Vector3<f64>, terms: &[(u32, f64)]) -> f64 {
        let moved = |(slot, change): &(usize, f64)| change.abs() * (position - self.joints[*slot]).norm();
        MAX_CHORD * self.branch_sums(terms).iter().map(moved).sum::<f64>()
    }

    /// Like [`displacement`](Self::displacement), for a vector of length 1.
    pub(super) fn rotation(&self, terms: &[(u32, f64)]) -> f64 {
        MAX_CHORD * self.branch_sums(terms).iter().map(|(_, change)| change.abs()).sum::<f64>()
    }

    /// Returns the sum of the weights of vertices, each times its factor, by skin slot, of a joint and its descendants.
    ///
    /// A joint's matrix is that of its parent after a rotation about the joint. So the sum of all matrices, each times its weight, is
    /// the sum of these rotations, each times the weight of its branch.
    fn branch_sums(&self, terms: &[(u32, f64)]) -> SmallVec<[(usize, f64); 32]> {
        let mut sums = SmallVec::<[(usize, f64); 32]>::new();
        for &(vertex, factor) in terms {
            for (slot, weight) in self.influences.of_vertex(vertex as usize).filter(|(_, weight)| *weight != 0.0) {
                let change = factor * f64::from(weight);
                let mut branch = Some(slot.get());
                while let Some(slot) = branch {
                    match sums.iter_mut().find(|(other, _)| *other == slot) {
                        Some((_, sum)) => *sum += change,
                        None => sums.push((slot, change)),
                    }
                    branch = self.parents[slot];
                }
            }
        }
        sums
    }
}

impl Attributes {
    /// Returns the change of attributes as a distance, for triangles of this width.
    pub(super) fn difference(&self, own: &[f32], others: impl Iterator<Item = f64>, width: f64) -> f64 {
        let (mut shade, mut shift) = (0.0, 0.0);
        for (i, (own, other)) in own.iter().zip(others).enumerate() {
            let difference = other - f64::from(*own);
            *(if i < self.shading { &mut shade } else { &mut shift }) += difference * difference;
        }
        ATTRIBUTE_WEIGHT * (shade.sqrt().min(1.0) * width + shift.sqrt().min(width))
    }

    pub(super) fn of(&self, vertex: u32) -> &[f32] {
        &self.values[vertex as usize * self.stride..][..self.stride]
    }
}
