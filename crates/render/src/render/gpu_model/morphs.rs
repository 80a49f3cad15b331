//! Sparse morph targets: only nonzero deltas are stored.

use crate::gpu::ArrayTexture;
use rigview_core::model::{MorphTarget, Primitive, Vertices};

/// Location of each vertex's deltas.
pub(crate) struct MorphRuns {
    /// First texel and number of entries per vertex.
    pub(crate) runs: Vec<[u32; 2]>,
    /// Texels per entry: position delta with target index, normal delta, tangent delta, color delta, and the deltas of two
    /// texture coordinate sets each. The last texels are omitted if no target has such deltas.
    pub(crate) texels_per_entry: usize,
}

/// Deltas of all primitives of a model.
#[derive(Default)]
pub(crate) struct MorphDeltas {
    texels: Vec<[f32; 4]>,
}

/// Deltas of a morph target that the shader adds.
struct Deltas<'a> {
    /// Of positions, normals and tangents.
    vectors: [Option<&'a [[f32; 3]]>; 3],
    colors: Option<&'a [[f32; 4]]>,
    /// Of the uploaded texture coordinate sets; empty without any.
    tex_coords: Vec<Option<&'a Vec<[f32; 2]>>>,
}

impl<'a> Deltas<'a> {
    fn new(target: &'a MorphTarget, vertices: &Vertices, tex_coord_sets: &[u32]) -> Self {
        let mut tex_coords = Vec::new();
        if !target.tex_coords.is_empty() {
            tex_coords = tex_coord_sets.iter().map(|set| target.tex_coords_of(*set as usize)).collect();
        }
        Self {
            vectors: [
                target.positions.as_deref(),
                target.normals.as_deref().filter(|_| vertices.normals.is_some()),
                target.tangents.as_deref().filter(|_| vertices.tangents.is_some()),
            ],
            colors: target.colors.as_deref().filter(|_| vertices.colors.is_some()),
            tex_coords,
        }
    }

    /// Returns the number of texels up to the last attribute with deltas; 0 without any.
    fn texels_per_entry(&self) -> usize {
        let attributes = self.vectors.map(|deltas| deltas.is_some()).into_iter().chain([self.colors.is_some()]);
        let pairs = self.tex_coords.chunks(2).map(|sets| sets.iter().any(Option::is_some));
        attributes.chain(pairs).enumerate().filter(|(_, exists)| *exists).last().map_or(0, |(index, _)| index + 1)
    }

    fn texel(&self, index: usize, vertex: usize) -> [f32; 4] {
        match index {
            0..3 => {
                let [x, y, z] = self.vectors[index].map_or([0.0; 3], |deltas| deltas[vertex]);
                [x, y, z, 0.0]
            }
            3 => self.colors.map_or([0.0; 4], |deltas| deltas[vertex]),
            _ => {
                let set = |i: usize| self.tex_coords.get(2 * (index - 4) + i).copied().flatten();
                let [[u, v], [s, t]] = [0, 1].map(|i| set(i).map_or([0.0; 2], |deltas| deltas[vertex]));
                [u, v, s, t]
            }
        }
    }

    fn moves(&self, vertex: usize) -> bool {
        (0..self.texels_per_entry()).any(|index| self.texel(index, vertex) != [0.0; 4])
    }
}

impl MorphDeltas {
    /// Adds a primitive's targets; `None` without targets.
    ///
    /// A vertex has an entry for each target that moves it, in target order.
    pub(crate) fn add(&mut self, primitive: &Primitive, tex_coord_sets: &[u32]) -> Option<MorphRuns> {
        if primitive.targets.is_empty() {
            return None;
        }
        let deltas_of = |target| Deltas::new(target, &primitive.vertices, tex_coord_sets);
        let targets: Vec<Deltas> = primitive.targets.iter().map(deltas_of).collect();
        let texels_per_entry = targets.iter().map(Deltas::texels_per_entry).max().unwrap_or(0).max(1);

        // The first pass counts, the second fills.
        let count = primitive.vertices.positions.len();
        let mut entries = vec![0_u32; count];
        for deltas in targets.iter().filter(|deltas| deltas.texels_per_entry() > 0) {
            for (vertex, entries) in entries.iter_mut().enumerate() {
                *entries += u32::from(deltas.moves(vertex));
            }
        }
        let mut next = self.texels.len();
        let mut runs = Vec::with_capacity(count);
        for &entries in &entries {
            runs.push([next as u32, entries]);
            next += entries as usize * texels_per_entry;
        }
        self.texels.resize(next, [0.0; 4]);
        let mut next_texels: Vec<usize> = runs.iter().map(|run| run[0] as usize).collect();
        for (target, deltas) in targets.iter().enumerate() {
            if deltas.texels_per_entry() == 0 {
                continue;
            }
            for (vertex, next) in next_texels.iter_mut().enumerate() {
                if deltas.moves(vertex) {
                    let texels = &mut self.texels[*next..*next + texels_per_entry];
                    texels.iter_mut().enumerate().for_each(|(index, texel)| *texel = deltas.texel(index, vertex));
                    texels[0][3] = target as f32;
                    *next += texels_per_entry;
                }
            }
        }
        Some(MorphRuns { runs, texels_per_entry })
    }

    /// Returns the deltas as whole rows of an [`ArrayTexture`], and their number without the padding.
    pub(super) fn into_rows(mut self) -> (Vec<[f32; 4]>, usize) {
        let count = self.texels.len();
        self.texels.resize(count.next_multiple_of(ArrayTexture::SIDE), [0.0; 4]);
        (self.texels, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn only_deltas_that_move_a_vertex_are_kept() {
        let target = |positions: [[f32; 3]; 3]| MorphTarget { positions: Some(positions.into()), ..Default::default() };
        let (a, b) = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
        let primitive = Primitive {
            topology: Default::default(),
            vertices: Vertices { positions: vec![[0.0; 3]; 3], ..Default::default() }.into(),
            targets: vec![target([a, [0.0; 3], [0.0; 3]]), MorphTarget::default(), target([b, [0.0; 3], b])].into(),
            ..Primitive::default()
        };
        let mut texels = MorphDeltas { texels: vec![[9.0; 4]] };
        let morph = texels.add(&primitive, &[]).unwrap();
        assert_eq!((morph.texels_per_entry, morph.runs), (1, vec![[1, 2], [3, 0], [3, 1]]));
        assert_eq!(texels.texels[1..], [[1.0, 2.0, 3.0, 0.0], [4.0, 5.0, 6.0, 2.0], [4.0, 5.0, 6.0, 2.0]]);
    }
}
