//! Sparse morph targets: only nonzero deltas are stored.

use crate::gpu::{ArrayTexture, Gpu};
use crate::render::error::RenderError;
use rigview_core::model::Primitive;
use std::rc::Rc;

/// Location of each vertex's deltas.
pub(crate) struct MorphRuns {
    /// First texel and number of entries per vertex.
    pub(crate) runs: Vec<[u32; 2]>,
    /// Texels per entry: position delta with target index, normal delta, tangent delta.
    pub(crate) texels_per_entry: usize,
}

/// Deltas of all primitives of a model.
#[derive(Default)]
pub(crate) struct MorphTexels {
    texels: Vec<[f32; 4]>,
}

/// Deltas of one attribute of a target, by vertex.
type Deltas<'a> = Option<&'a [[f32; 3]]>;

impl MorphTexels {
    /// Adds a primitive's targets; `None` without targets.
    ///
    /// A vertex has an entry for each target that moves it, in target order.
    pub(crate) fn add(&mut self, primitive: &Primitive) -> Option<MorphRuns> {
        if primitive.targets.is_empty() {
            return None;
        }
        let (has_normals, has_tangents) = (primitive.vertices.normals.is_some(), primitive.vertices.tangents.is_some());
        let targets: Vec<[Deltas; 3]> = primitive
            .targets
            .iter()
            .map(|target| {
                [
                    target.positions.as_deref(),
                    target.normals.as_deref().filter(|_| has_normals),
                    target.tangents.as_deref().filter(|_| has_tangents),
                ]
            })
            .collect();
        let any = |attribute: usize| targets.iter().any(|deltas| deltas[attribute].is_some());
        let texels_per_entry = if any(2) { 3 } else { 1 + usize::from(any(1)) };

        // The first pass counts, the second fills.
        let count = primitive.vertices.positions.len();
        let moves = |deltas: &[Deltas; 3], vertex: usize| deltas.iter().flatten().any(|d| d[vertex] != [0.0; 3]);
        let mut entries = vec![0_u32; count];
        for deltas in targets.iter().filter(|deltas| deltas.iter().any(Option::is_some)) {
            for (vertex, entries) in entries.iter_mut().enumerate() {
                *entries += u32::from(moves(deltas, vertex));
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
            if deltas.iter().all(Option::is_none) {
                continue;
            }
            for (vertex, next) in next_texels.iter_mut().enumerate() {
                if moves(deltas, vertex) {
                    for (attribute, texel) in self.texels[*next..*next + texels_per_entry].iter_mut().enumerate() {
                        let [x, y, z] = deltas[attribute].map_or([0.0; 3], |deltas| deltas[vertex]);
                        *texel = [x, y, z, if attribute == 0 { target as f32 } else { 0.0 }];
                    }
                    *next += texels_per_entry;
                }
            }
        }
        Some(MorphRuns { runs, texels_per_entry })
    }

    /// Uploads all deltas; `None` if there are none.
    pub(crate) fn upload(self, gpu: &Rc<Gpu>) -> Result<Option<ArrayTexture>, RenderError> {
        let limit = ArrayTexture::capacity(gpu);
        if self.texels.len() > limit {
            return Err(RenderError::MorphsTooLarge { texels: self.texels.len(), limit });
        }
        Ok(if self.texels.is_empty() { None } else { Some(ArrayTexture::new(gpu, self.texels)?) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::model::{MorphTarget, Vertices};

    #[test]
    fn only_deltas_that_move_a_vertex_are_kept() {
        let target = |positions: [[f32; 3]; 3]| MorphTarget { positions: Some(positions.into()), ..Default::default() };
        let (a, b) = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
        let primitive = Primitive {
            topology: Default::default(),
            vertices: Vertices { positions: vec![[0.0; 3]; 3], ..Default::default() },
            indices: None,
            material: None,
            variant_materials: Vec::new(),
            targets: vec![target([a, [0.0; 3], [0.0; 3]]), MorphTarget::default(), target([b, [0.0; 3], b])],
        };
        let mut texels = MorphTexels { texels: vec![[9.0; 4]] };
        let morph = texels.add(&primitive).unwrap();
        assert_eq!((morph.texels_per_entry, morph.runs), (1, vec![[1, 2], [3, 0], [3, 1]]));
        assert_eq!(texels.texels[1..], [[1.0, 2.0, 3.0, 0.0], [4.0, 5.0, 6.0, 2.0], [4.0, 5.0, 6.0, 2.0]]);
    }
}
