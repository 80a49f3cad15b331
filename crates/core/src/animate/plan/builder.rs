//! Construction of plan nodes from joints: constant joints are folded into their neighbors.

use super::clip_keys::{ChannelPacker, Magnitudes, PlanLayer, constant_transform};
use super::folded_rig::{FoldedRig, to_similarity};
use super::nodes::{
    ConstTransform, FactorRows, LaneRotation, LayerFactor, MAX_MAGNITUDE, NodeChannels, PlanNode, RotationChannel,
};
use super::resolved_joint::{ResolvedJoint, sign};
use crate::animate::packed_keys::PackedKeysBuilder;
use crate::math::{Affine, Transform};
use crate::model::JointIndex;
use crate::palette::MatrixFormat;

/// The node that a joint follows, and the constant transform between them.
#[derive(Clone, Copy)]
pub(super) struct AnimatedAncestor {
    /// Index of the node plus one; 0 for the placement.
    pub(super) node: usize,
    pub(super) node_from_joint: Affine,
    /// Sign of the determinant of `model_from_joint`; `None` if it changes.
    pub(super) sign: Option<f64>,
    /// `true` if the keys of the child joints are already multiplied by `node_from_joint`.
    is_in_keys: bool,
}

impl AnimatedAncestor {
    pub(super) const PLACEMENT: Self =
        Self { node: 0, node_from_joint: Affine::IDENTITY, sign: Some(1.0), is_in_keys: true };
}

pub(super) struct PlanBuilder<'a> {
    pub(super) format: MatrixFormat,
    pub(super) folded: &'a FoldedRig,
    pub(super) layers: &'a [PlanLayer],
    /// For each joint, `true` if the keys of a joint that moves are relative to it.
    is_anchor: Vec<bool>,
    pub(super) nodes: Vec<PlanNode>,
    pub(super) clip_channels: Vec<NodeChannels>,
    pub(super) inverse_starts: Vec<ConstTransform>,
    pub(super) factor_rows: FactorRows,
    pub(super) lane_rotations: Vec<LaneRotation>,
    /// Maximum magnitudes of linear part and translation, for the placement and each node.
    pub(super) bounds: Vec<Magnitudes>,
}

impl<'a> PlanBuilder<'a> {
    /// Begins a plan of `layers`. Joints move, unless they are constant or `is_overridden`.
    pub(super) fn new(
        format: MatrixFormat,
        folded: &'a FoldedRig,
        layers: &'a [PlanLayer],
        is_overridden: impl Fn(JointIndex) -> bool,
    ) -> Self {
        let mut builder = Self {
            format,
            folded,
            layers,
            is_anchor: vec![false; folded.joints.len()],
            nodes: Vec::new(),
            clip_channels: Vec::new(),
            inverse_starts: Vec::new(),
            factor_rows: FactorRows::new(layers.len()),
            lane_rotations: Vec::new(),
            bounds: vec![Magnitudes { linear: 1.0, translation: 0.0 }],
        };
        for (i, joint) in folded.joints.iter().enumerate().filter(|(_, joint)| joint.is_used) {
            let joint_index = JointIndex(i as u32);
            if let (Some(anchor), false) =
                (joint.anchor, builder.is_constant(joint_index) || is_overridden(joint_index))
            {
                builder.is_anchor[anchor.get()] = true;
            }
        }
        builder
    }

    /// Returns `true` if all blended layers hold a joint in the same transform, and no additive one moves it.
    fn is_constant(&self, joint: JointIndex) -> bool {
        let constant = |layer: &PlanLayer| layer.clip.joints[joint.get()].constant;
        let Some(Some(first)) = self.blended().next().map(constant) else { return false };
        self.layers
            .iter()
            .all(|layer| constant(layer).is_some_and(|constant| layer.is_additive() || constant.is_equal(&first)))
    }

    fn blended(&self) -> impl Iterator<Item = &'a PlanLayer> + use<'a> {
        self.layers.iter().filter(|layer| !layer.is_additive())
    }

    /// Returns the anchor of a joint, given its parent's.
    pub(super) fn add_joint(&mut self, parent: &AnimatedAncestor, index: JointIndex) -> Option<AnimatedAncestor> {
        let layers = self.layers;
        let joints = || layers.iter().map(|layer| &layer.clip.joints[index.get()]);
        let first = &self.blended().next()?.clip.joints[index.get()];
        let is_constant = self.is_constant(index);
        let is_blended = layers.len() > 1 && !is_constant;
        // Blends of scales with different signs pass through zero, each component at its own time.
        let local_sign = match is_blended {
            false => first.sign,
            true => joints().all(|joint| joint.preserves_handedness).then_some(1.0),
        };
        let sign = parent.sign.zip(local_sign).map(|(a, b)| a * b);
        let folded = &self.folded.joints[index.get()];
        if let (true, Some(constant)) = (is_constant, first.constant) {
            let node_from_joint = parent.node_from_joint * constant.parent_from_joint();
            if self.is_anchor[index.get()] {
                let node = self.add_constant(parent.node, &(node_from_joint * folded.bind.joint_from_node()))?;
                return Some(AnimatedAncestor {
                    node,
                    node_from_joint: folded.bind.node_from_joint(),
                    sign,
                    is_in_keys: true,
                });
            }
            return Some(AnimatedAncestor {
                node_from_joint,
                sign,
                is_in_keys: parent.is_in_keys && first.is_folded,
                ..*parent
            });
        }
        let parent_node = match folded.anchor_from_parent {
            Some(_) if parent.is_in_keys => parent.node,
            in_keys => {
                let keys_from_parent =
                    in_keys.map_or(Some(Affine::IDENTITY), |transform| transform.to_affine().inverse())?;
                self.add_constant(parent.node, &(parent.node_from_joint * keys_from_parent))?
            }
        };
        let mut max = Magnitudes { linear: 0.0, translation: 0.0 };
        let mirror_rotation = first.node.as_ref()?.mirror_rotation;
        for joint in self.blended().map(|layer| &layer.clip.joints[index.get()]) {
            let node = joint.node.as_ref()?;
            max.linear = max.linear.max(node.max.linear);
            max.translation = max.translation.max(node.max.translation);
        }
        let has_additive = layers.iter().any(PlanLayer::is_additive);
        let first_inverse_start = has_additive.then_some(self.inverse_starts.len());
        for (layer, joint) in layers.iter().zip(joints()) {
            let node = joint.node.as_ref().filter(|node| node.mirror_rotation == mirror_rotation)?;
            if layer.is_additive() {
                let inverse = layer.clip.additive_reference_inverse(&node.channels)?;
                let inverse_scale = inverse.scale.iter().fold(1.0_f64, |max, x| max.max(f64::from(x.abs())));
                max.linear *= (node.max.linear * inverse_scale).max(1.0);
                max.translation += 2.0 * node.max.translation;
                self.inverse_starts.push(inverse);
            } else if has_additive {
                self.inverse_starts.push(ConstTransform::default());
            }
            self.clip_channels.push(node.channels.clone());
        }
        let node = self.push(parent_node, is_blended, max)?;
        let factor_row = self.factor_rows.add(layers.iter().map(|layer| LayerFactor {
            mask: layer.mask.as_ref().map_or(1.0, |mask| mask.factor(index)),
            is_animated: layer.clip.animates_joint(index),
        }));
        let added = &mut self.nodes[node - 1];
        (added.factor_row, added.first_inverse_start) = (factor_row, first_inverse_start);
        let node_from_joint = folded.bind.node_from_joint();
        Some(AnimatedAncestor { node, node_from_joint, sign, is_in_keys: folded.constant.is_none() })
    }

    /// Returns the anchor of a joint whose rotation differs from instance to instance; translation and scale are those of `transform`.
    pub(super) fn add_overridden(
        &mut self,
        parent: &AnimatedAncestor,
        index: JointIndex,
        transform: &Transform,
    ) -> Option<AnimatedAncestor> {
        let folded = &self.folded.joints[index.get()];
        let (parent_node, parent_transform) = match to_similarity(&parent.node_from_joint) {
            Some(parent_transform) => (parent.node, parent_transform),
            None => (self.add_constant(parent.node, &parent.node_from_joint)?, Transform::identity()),
        };
        let (rotation, translation, scale) = (None, None, None);
        let (exact_matrix, is_animated) = (None, true);
        let joint = ResolvedJoint { transform: *transform, exact_matrix, rotation, translation, scale, is_animated };
        let mut packer = ChannelPacker { keys: PackedKeysBuilder::new(&[]), format: self.format };
        let mut packed = packer.pack(&parent_transform, &folded.bind, &joint)?;
        packed.channels.rotation = RotationChannel::Lane(self.lane_rotations.len() as u32);
        let after = packed.mirror_rotation * folded.bind.rotation;
        self.lane_rotations.push(LaneRotation { joint: index, before: parent_transform.rotation, after });
        self.push_channels(&packed.channels);
        let node = self.push(parent_node, false, packed.max)?;
        let sign = parent.sign.map(|parent| parent * sign(transform.scale.product()));
        let node_from_joint = folded.bind.node_from_joint();
        Some(AnimatedAncestor { node, node_from_joint, sign, is_in_keys: folded.constant.is_none() })
    }

    /// Adds a node that does not move and returns its index plus one.
    fn add_constant(&mut self, parent: usize, parent_from_node: &Affine) -> Option<usize> {
        let constant = constant_transform(self.format, parent_from_node)?;
        let rotation = RotationChannel::Constant;
        let channels = NodeChannels { rotation, translation: None, scale: None, constant };
        self.push_channels(&channels);
        let (linear, translation) = (parent_from_node.linear.abs().sum(), parent_from_node.translation.abs().sum());
        self.push(parent, false, Magnitudes { linear, translation })
    }

    /// Adds the channels of a node that is not blended.
    fn push_channels(&mut self, channels: &NodeChannels) {
        self.clip_channels.resize(self.clip_channels.len() + self.layers.len(), channels.clone());
    }

    fn push(&mut self, parent: usize, is_blended: bool, max: Magnitudes) -> Option<usize> {
        let of_parent = self.bounds[parent];
        let linear = 3.0 * of_parent.linear * max.linear;
        let translation = of_parent.linear * max.translation + of_parent.translation;
        if !(linear <= MAX_MAGNITUDE && translation <= MAX_MAGNITUDE) {
            return None;
        }
        self.bounds.push(Magnitudes { linear, translation });
        self.nodes.push(PlanNode { parent, is_blended, factor_row: 0, first_inverse_start: None, output_count: 0 });
        Some(self.nodes.len())
    }
}
