//! The loop over the nodes of a batch, for both matrix formats.

use super::algebra::{load_map, store_map};
use super::output::{LaneBatch, NODES_PER_PASS, Output};
use crate::animate::plan::{MatrixOutput, NodeChannels, PlanNode};
use crate::ik::Rigid;
use crate::math::simd::{LaneArray, Simd};

/// Maps of `N` components per lane, and the palette matrices that they become.
pub(super) trait NodeTransformFormat<S: Simd, const N: usize> {
    /// Index of the translation's first component.
    const TRANSLATION: usize;

    /// Returns `parent_from_node`; `layer_channels` has the channels of each layer.
    fn local_transform(batch: &LaneBatch<'_, S>, node: &PlanNode, layer_channels: &[NodeChannels]) -> [S::F32; N];

    /// Returns `a b`.
    fn product(a: &[S::F32; N], b: &[S::F32; N]) -> [S::F32; N];

    /// Returns the transform of a rigid motion.
    fn from_rigid(simd: S, rigid: &Rigid<S::F32>) -> [S::F32; N];

    /// Returns `transform` of a point.
    fn transform_point(transform: &[S::F32; N], point: [S::F32; 3]) -> [S::F32; 3];

    /// Writes the palette matrix of a node with `transform`.
    fn write(batch: &LaneBatch<'_, S>, transform: &[S::F32; N], output: &MatrixOutput, out: &mut Output<'_>);
}

/// Poses a batch and writes its matrices, unless constraints run first. `world_from_node` holds the placement, then receives each node.
#[inline(always)]
pub(super) fn pose_nodes<S: Simd, const N: usize, F: NodeTransformFormat<S, N>>(
    batch: &LaneBatch<'_, S>,
    world_from_node: &mut [LaneArray],
    out: &mut Output<'_>,
) {
    let (simd, plan) = (batch.simd, batch.plan);
    let layer_count = plan.layers.len();
    let (root_outputs, mut outputs) = match plan.constraint_points.is_empty() {
        true => plan.outputs.split_at(plan.root_output_count),
        false => Default::default(),
    };
    for output in root_outputs {
        out.prefetch.prefetch_next();
        let transform = load_map::<S, N>(simd, world_from_node, 0);
        F::write(batch, &transform, output, out);
    }
    let mut first = 1;
    for (nodes, clip_channels) in
        plan.nodes.chunks(NODES_PER_PASS).zip(plan.clip_channels.chunks(NODES_PER_PASS * layer_count))
    {
        for (index, (node, layer_channels)) in nodes.iter().zip(clip_channels.chunks_exact(layer_count)).enumerate() {
            store_map(simd, world_from_node, first + index, &F::local_transform(batch, node, layer_channels));
        }
        for (index, node) in nodes.iter().enumerate() {
            let mut transform = load_map::<S, N>(simd, world_from_node, first + index);
            let parent = load_map::<S, N>(simd, world_from_node, node.parent);
            if node.parent == 0 && !batch.has_linear_part {
                for i in F::TRANSLATION..F::TRANSLATION + 3 {
                    transform[i] = transform[i] + parent[i];
                }
            } else {
                transform = F::product(&parent, &transform);
            }
            store_map(simd, world_from_node, first + index, &transform);
            let (node_outputs, rest) = outputs.split_at(node.output_count.min(outputs.len()));
            outputs = rest;
            for output in node_outputs {
                out.prefetch.prefetch_next();
                F::write(batch, &transform, output, out);
            }
        }
        first += nodes.len();
    }
}
