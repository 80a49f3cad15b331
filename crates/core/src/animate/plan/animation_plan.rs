//! Compilation of animation sets for the SIMD kernel.

use super::builder::{AnimatedAncestor, PlanBuilder};
use super::clip_keys::{PlanLayer, constant_transform};
use super::folded_rig::FoldedRig;
use super::nodes::{
    ConstTransform, FactorRows, LaneRotation, LayerFactor, MAX_MAGNITUDE, MatrixOutput, MorphWeightChannel,
    NodeChannels, PlanNode, PlanPoint,
};
use super::resolved_joint::sign;
use crate::ik::PoseConstraints;
use crate::model::JointIndex;
use crate::palette::{MatrixFormat, Mirroring, PaletteLayout, Rig};
use crate::pose::PoseOverride;

/// The animation of one instance, compiled for the SIMD kernel.
///
/// Compiled for one clip, or for several that are blended. A blended joint is a node if any clip moves it, or if the clips
/// hold it in different transforms; it then has a [`NodeChannels`] per layer.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnimationPlan {
    pub(crate) format: MatrixFormat,
    /// More than one are blended.
    pub(crate) layers: Vec<PlanLayer>,
    pub(crate) factor_rows: FactorRows,
    /// Parents before children.
    pub(crate) nodes: Vec<PlanNode>,
    /// For each node, its channels in each layer.
    pub(crate) clip_channels: Vec<NodeChannels>,
    /// For each blended node, the inverse start of each layer; empty without additive layers.
    pub(crate) inverse_starts: Vec<ConstTransform>,
    /// Rotations of pose overrides, which differ from instance to instance.
    pub(crate) lane_rotations: Vec<LaneRotation>,
    /// First the matrices that follow no node, then those of each node in turn.
    pub(crate) outputs: Vec<MatrixOutput>,
    /// Points of the constraints after sampling.
    pub(crate) constraint_points: Vec<PlanPoint>,
    /// For each output, the part of the constraints that it moves with; empty without constraints.
    pub(crate) output_parts: Vec<Option<u16>>,
    /// Number of outputs that follow the placement of the instance, not a node.
    pub(crate) root_output_count: usize,
    /// Texels of constant morph weights.
    pub(crate) constant_morph_weights: Vec<(usize, [f32; 4])>,
    /// Texels of animated morph weights, each with its row of [`FactorRows`].
    pub(crate) animated_morph_weights: Vec<(usize, usize)>,
    /// For each texel of animated weights, its channel in each layer.
    pub(crate) morph_weight_channels: Vec<MorphWeightChannel>,
    pub(crate) stride_texels: usize,
    /// Mirroring of each matrix range for placements that do not mirror.
    pub(crate) mirroring: Vec<Mirroring>,
    /// Maximum magnitude of any matrix component, before the placement.
    pub(crate) max_magnitude: f64,
}

/// The signs of the determinants of a crowd's placements.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlacementSigns {
    pub(crate) any_positive: bool,
    pub(crate) any_negative: bool,
    pub(crate) any_zero: bool,
}

impl AnimationPlan {
    /// Compiles `layers` with a pose override. Instances may differ in the rotations of the override, which the kernel reads per lane;
    /// its translations and scales are compiled.
    ///
    /// Returns `None` if the matrix format or single precision cannot hold the result.
    ///
    /// # Panics
    /// If `layers` is empty.
    pub(crate) fn new(
        rig: &Rig,
        folded: &FoldedRig,
        layers: Vec<PlanLayer>,
        pose_override: Option<&PoseOverride>,
        constraints: Option<&PoseConstraints>,
    ) -> Option<Self> {
        assert!(!layers.is_empty(), "a plan needs a layer");
        let (model, format) = (rig.model(), rig.format());
        let overridden = |index: JointIndex| {
            let pose = pose_override.filter(|_| !model.skeleton.joint(index).has_shear());
            pose.and_then(|pose| pose.get(index))
        };
        let mut builder = PlanBuilder::new(format, folded, &layers, |index| overridden(index).is_some());
        let mut anchors: Vec<Option<AnimatedAncestor>> = vec![None; model.skeleton.len()];
        for (i, joint) in model.skeleton.joints().iter().enumerate().filter(|(i, _)| folded.joints[*i].is_used) {
            let parent = match joint.parent {
                Some(parent) => anchors[parent.get()]?,
                None => AnimatedAncestor::PLACEMENT,
            };
            let index = JointIndex(i as u32);
            anchors[i] = Some(match overridden(index) {
                Some(transform) => builder.add_overridden(&parent, index, transform)?,
                None => builder.add_joint(&parent, index)?,
            });
        }
        let mut plan = Self { format, ..Self::default() };
        let first_morph_weight_texel = plan.add_outputs(rig, &mut builder, &anchors, constraints)?;
        for point in constraints.into_iter().flat_map(PoseConstraints::points) {
            let anchor = point.joint.map_or(Some(AnimatedAncestor::PLACEMENT), |joint| anchors[joint.get()])?;
            let offset = anchor.node_from_joint.transform_point(point.offset);
            plan.constraint_points.push(PlanPoint { node: anchor.node, offset: offset.map(|x| x as f32).into() });
        }
        plan.nodes = builder.nodes;
        plan.clip_channels = builder.clip_channels;
        plan.lane_rotations = builder.lane_rotations;
        plan.inverse_starts = builder.inverse_starts;
        plan.factor_rows = builder.factor_rows;
        plan.layers = layers;
        plan.add_morph_weights(rig, first_morph_weight_texel);
        plan.stride_texels = first_morph_weight_texel + rig.layout().morph_weight_texels() as usize;
        (plan.max_magnitude <= MAX_MAGNITUDE).then_some(plan)
    }

    /// Adds the matrices of all matrix ranges and returns the number of their texels.
    fn add_outputs(
        &mut self,
        rig: &Rig,
        builder: &mut PlanBuilder<'_>,
        anchors: &[Option<AnimatedAncestor>],
        constraints: Option<&PoseConstraints>,
    ) -> Option<usize> {
        let mut by_node = vec![Vec::new(); builder.nodes.len() + 1];
        let mut texel = 0;
        for matrix_range in &rig.layout().matrix_ranges {
            let mut mirroring = None;
            for (joint, joint_from_mesh) in PaletteLayout::matrices_of(rig.model(), matrix_range) {
                let anchor = anchors[joint.get()]?;
                let node_from_mesh = anchor.node_from_joint * joint_from_mesh;
                let constant = constant_transform(self.format, &node_from_mesh)?;
                let [x, y, z, _] = constant.rotation;
                let has_linear_part = [x, y, z, constant.scale[0] - 1.0].iter().any(|off| off.abs() > 1e-9);
                let translation_only = !has_linear_part;
                let twice_translation = constant.translation.map(|x| 2.0 * x);
                let output = MatrixOutput { texel, node_from_mesh: constant, twice_translation, translation_only };
                by_node[anchor.node].push((output, constraints.and_then(|constraints| constraints.part_of(joint))));
                texel += self.format.texels_per_matrix();
                let bounds = builder.bounds[anchor.node];
                let magnitude = node_from_mesh.linear.abs().sum() + node_from_mesh.translation.abs().sum();
                self.max_magnitude = self.max_magnitude.max(bounds.linear * magnitude + bounds.translation);
                let mirrors = match anchor.sign.map(|s| s * sign(joint_from_mesh.determinant())) {
                    Some(s) if s < 0.0 => Mirroring::Always,
                    Some(s) if s > 0.0 => Mirroring::Never,
                    _ => Mirroring::Mixed,
                };
                mirroring = Some(mirroring.map_or(mirrors, |m: Mirroring| m.union(mirrors)));
            }
            self.mirroring.push(mirroring.unwrap_or_default());
        }
        self.root_output_count = by_node[0].len();
        for (node, outputs) in builder.nodes.iter_mut().zip(&by_node[1..]) {
            node.output_count = outputs.len();
        }
        let has_constraints = constraints.is_some();
        self.output_parts = by_node.iter().flatten().filter(|_| has_constraints).map(|(_, part)| *part).collect();
        self.outputs = by_node.into_iter().flatten().map(|(output, _)| output).collect();
        Some(texel)
    }

    fn add_morph_weights(&mut self, rig: &Rig, first_texel: usize) {
        let skeleton = &rig.model().skeleton;
        let texels = rig.layout().morph_weights.iter().flat_map(|&(joint, first)| {
            (0..skeleton.joint(joint).morph_weights.len().div_ceil(4)).map(move |four| first as usize / 4 + four)
        });
        for (i, texel) in texels.enumerate() {
            let channels = self.layers.iter().map(|layer| layer.clip.morph_weights[i]);
            match channels.clone().next() {
                Some(MorphWeightChannel::Constant(at_rest))
                    if channels.clone().all(|channel| matches!(channel, MorphWeightChannel::Constant(_))) =>
                {
                    self.constant_morph_weights.push((first_texel + texel, at_rest));
                }
                _ => {
                    // Masks do not apply to morph weights.
                    let factors = self.layers.iter().map(|layer| layer.clip.animates_morph_weights(i));
                    let row = self.factor_rows.add(factors.map(|is_animated| LayerFactor { mask: 1.0, is_animated }));
                    self.animated_morph_weights.push((first_texel + texel, row));
                    self.morph_weight_channels.extend(channels);
                }
            }
        }
    }

    /// Returns the mirroring of each matrix range over all placements.
    pub(crate) fn mirroring_with(&self, placements: PlacementSigns) -> impl Iterator<Item = Mirroring> {
        self.mirroring.iter().map(move |&kept| {
            let mirrored = match kept {
                Mirroring::Never => Mirroring::Always,
                Mirroring::Always => Mirroring::Never,
                Mirroring::Mixed => Mirroring::Mixed,
            };
            let found = [
                (placements.any_positive, kept),
                (placements.any_negative, mirrored),
                (placements.any_zero, Mirroring::Never),
            ];
            found.into_iter().filter_map(|(any, m)| any.then_some(m)).reduce(Mirroring::union).unwrap_or_default()
        })
    }
}
