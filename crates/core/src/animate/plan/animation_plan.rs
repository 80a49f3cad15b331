//! Compilation of clips for the SIMD kernel.

use super::builder::{NodeAnchor, PlanBuilder, folded_binds};
use super::nodes::{LaneRotation, MAX_MAGNITUDE, MatrixOutput, MorphWeightChannel, NodeChannels, PlanNode};
use super::resolved_joint::{ResolvedJoint, resolve_joints, sign};
use crate::animate::packed_keys::{PackedKeys, PackedKeysBuilder};
use crate::math::Affine;
use crate::model::{Clip, KeyValues, Skeleton, Track};
use crate::palette::{MatrixFormat, Mirroring, PaletteLayout, Rig};
use crate::pose::PoseOverride;
use nalgebra::Vector4;
use std::collections::HashMap;
use std::ops::Range;

/// The animation of one instance, compiled for the SIMD kernel.
///
/// Compiled for one clip, or for several that are blended. A blended joint is a node if any clip moves it, or if the clips
/// hold it in different transforms; it then has a [`NodeChannels`] per clip.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnimationPlan {
    pub(crate) format: MatrixFormat,
    pub(crate) keys: PackedKeys,
    /// Length of each clip in seconds; more than one are blended.
    pub(crate) durations_secs: Vec<f64>,
    /// Parents before children.
    pub(crate) nodes: Vec<PlanNode>,
    /// For each node, its channels in each clip.
    pub(crate) clip_channels: Vec<NodeChannels>,
    /// Rotations of pose overrides, which differ from instance to instance.
    pub(crate) lane_rotations: Vec<LaneRotation>,
    /// First the matrices that follow no node, then those of each node in turn.
    pub(crate) outputs: Vec<MatrixOutput>,
    /// Number of outputs that follow the placement of the instance, not a node.
    pub(crate) root_output_count: usize,
    /// Texels of constant morph weights.
    pub(crate) constant_morph_weights: Vec<(usize, [f32; 4])>,
    /// Texels of animated morph weights.
    pub(crate) animated_morph_weights: Vec<usize>,
    /// For each texel of animated weights, its channel in each clip.
    pub(crate) morph_weight_channels: Vec<MorphWeightChannel>,
    pub(crate) stride_texels: usize,
    /// Mirroring of each section for placements that do not mirror.
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
    /// Compiles `clips` (`None` is the rest pose) with a pose override. Instances may differ in the rotations of the override, which
    /// the kernel reads per lane; its translations and scales are compiled.
    ///
    /// Returns `None` if the matrix format or single precision cannot hold the result.
    ///
    /// # Panics
    /// If `clips` is empty.
    pub(crate) fn new(rig: &Rig, clips: &[Option<&Clip>], pose_override: Option<&PoseOverride>) -> Option<Self> {
        assert!(!clips.is_empty(), "a plan needs a clip");
        let (model, layout, format) = (rig.model(), rig.layout(), rig.format());
        let mut builder = PlanBuilder {
            keys: PackedKeysBuilder::new(clips),
            format,
            folded_binds: folded_binds(rig),
            nodes: Vec::new(),
            clip_channels: Vec::new(),
            lane_rotations: Vec::new(),
            bounds: vec![(1.0, 0.0)],
        };
        let joints: Vec<Vec<ResolvedJoint<'_>>> =
            clips.iter().map(|clip| resolve_joints(model, *clip, pose_override, format)).collect();
        let used = layout.used_joints(model);
        let mut anchors: Vec<Option<NodeAnchor>> = vec![None; model.skeleton.len()];
        for (i, joint) in model.skeleton.joints().iter().enumerate() {
            if used[i] {
                let parent = match joint.parent {
                    Some(parent) => anchors[parent.get()]?,
                    None => NodeAnchor { node: 0, node_from_joint: Affine::IDENTITY, sign: Some(1.0) },
                };
                let joint_per_clip: Vec<&ResolvedJoint<'_>> = joints.iter().map(|joints| &joints[i]).collect();
                anchors[i] = Some(builder.add_joint(&parent, &joint_per_clip, i)?);
            }
        }
        let durations_secs = clips.iter().map(|clip| clip.map_or(0.0, |clip| f64::from(clip.duration_secs))).collect();
        let mut plan = Self { format, durations_secs, ..Self::default() };
        let first_morph_weight_texel = plan.add_outputs(rig, &mut builder, &anchors)?;
        plan.add_morph_weights(rig, clips, &mut builder.keys, first_morph_weight_texel);
        plan.nodes = builder.nodes;
        plan.clip_channels = builder.clip_channels;
        plan.lane_rotations = builder.lane_rotations;
        plan.keys = builder.keys.build()?;
        plan.stride_texels = first_morph_weight_texel + layout.morph_weight_texels() as usize;
        (plan.max_magnitude <= MAX_MAGNITUDE).then_some(plan)
    }

    /// Adds the matrices of all sections and returns the number of their texels.
    fn add_outputs(
        &mut self,
        rig: &Rig,
        builder: &mut PlanBuilder<'_>,
        anchors: &[Option<NodeAnchor>],
    ) -> Option<usize> {
        let mut by_node = vec![Vec::new(); builder.nodes.len() + 1];
        let mut texel = 0;
        for section in &rig.layout().sections {
            let mut mirroring = None;
            for (joint, joint_from_mesh) in PaletteLayout::matrices_of(rig.model(), section) {
                let anchor = anchors[joint.get()]?;
                let node_from_mesh = anchor.node_from_joint * joint_from_mesh;
                let constant = builder.constant_map(&node_from_mesh)?;
                let [x, y, z, _] = constant.rotation;
                let has_linear_part = [x, y, z, constant.scale[0] - 1.0].iter().any(|off| off.abs() > 1e-9);
                let translation_only = !has_linear_part;
                let twice_translation = constant.translation.map(|x| 2.0 * x);
                by_node[anchor.node].push(MatrixOutput {
                    texel,
                    node_from_mesh: constant,
                    twice_translation,
                    translation_only,
                });
                texel += self.format.texels_per_matrix();
                let (linear, translation) = builder.bounds[anchor.node];
                let magnitude = node_from_mesh.linear.abs().sum() + node_from_mesh.translation.abs().sum();
                self.max_magnitude = self.max_magnitude.max(linear * magnitude + translation);
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
        self.outputs = by_node.concat();
        Some(texel)
    }

    fn add_morph_weights(
        &mut self,
        rig: &Rig,
        clips: &[Option<&Clip>],
        keys: &mut PackedKeysBuilder<'_>,
        first_texel: usize,
    ) {
        let skeleton = &rig.model().skeleton;
        let tracks_by_range: Vec<_> = clips.iter().map(|clip| morph_weight_tracks(skeleton, *clip)).collect();
        for &(joint, first) in &rig.layout().morph_weights {
            let range = skeleton.joint(joint).morph_weights.clone();
            let rest = &skeleton.rest_morph_weights()[range.clone()];
            let tracks: Vec<Option<&Track>> =
                tracks_by_range.iter().map(|tracks| tracks.get(&range).copied()).collect();
            for four in 0..rest.len().div_ceil(4) {
                let texel = first_texel + first as usize / 4 + four;
                let count = rest.len() - 4 * four;
                let at_rest = [0, 1, 2, 3].map(|i| if i < count { rest[4 * four + i] } else { 0.0 });
                if tracks.iter().all(Option::is_none) {
                    self.constant_morph_weights.push((texel, at_rest));
                    continue;
                }
                self.animated_morph_weights.push(texel);
                for (clip, track) in tracks.iter().enumerate() {
                    let channels = match track.map(|track| (track, &track.keys)) {
                        Some((track, KeyValues::Weights(values))) => {
                            let value = |key: usize| {
                                let stored = &values[key * rest.len() + 4 * four..];
                                Vector4::from_fn(|i, _| if i < count { f64::from(stored[i]) } else { 0.0 })
                            };
                            MorphWeightChannel::Animated(keys.add_morph_weights(clip, track, value))
                        }
                        _ => MorphWeightChannel::Constant(at_rest),
                    };
                    self.morph_weight_channels.push(channels);
                }
            }
        }
    }

    /// Returns the mirroring of each section over all placements.
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

/// Returns the last track of each range of morph weights. Nodes with the same mesh share a range.
fn morph_weight_tracks<'a>(skeleton: &Skeleton, clip: Option<&'a Clip>) -> HashMap<Range<usize>, &'a Track> {
    let tracks = clip.into_iter().flat_map(|clip| &clip.tracks);
    let of_weights = tracks.filter(|track| matches!(track.keys, KeyValues::Weights(_)));
    of_weights.map(|track| (skeleton.joint(track.joint).morph_weights.clone(), track)).collect()
}
