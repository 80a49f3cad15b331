//! What must be calculated for one instance of a rig, worked out once: moved joints, and the matrices that follow them.
//!
//! What no clip moves is multiplied in double precision here and is gone: a chain of joints at rest becomes part of the
//! next moved joint's keys, or of `joint_from_mesh`.
//!
//! A program is of one clip, or of several that are blended: then a joint that any of them moves, or that they leave in
//! different places, is one that moves, with a [`Part`] for each clip.

mod build;
mod local;

use super::{MatrixFormat, Mirroring, PaletteLayout, Section};
use crate::math::Affine;
use crate::model::{Clip, Keys, Model, Track};
use crate::pose::PoseOverride;
use crate::pose::packed_keys::{Channel, ClipRows, RowsBuilder};
use build::{Builder, Standing, binds_of};
use local::{Local, locals_of, sign};
use nalgebra::Vector4;

/// The largest number that a product along a chain may reach; beyond, single precision has no room to multiply.
const LARGEST: f64 = 1e30;

/// Arcs up to this many radians take the shorter polynomials.
pub(super) const SHORT_ARC: f64 = 0.4;

/// Everything that the lanes calculate for one instance.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub(super) packing: MatrixFormat,
    pub(super) rows: ClipRows,
    /// Length of each clip in seconds; more than one are blended.
    pub(super) durations_secs: Vec<f64>,
    /// Parents before children.
    pub(super) nodes: Vec<Node>,
    /// Where each node's map comes from: for each node one for each clip.
    pub(super) parts: Vec<Part>,
    /// Matrices to be written: first those of [`placed`](Self::placed), then those of each node in turn.
    pub(super) slots: Vec<Slot>,
    /// How many slots follow no node, but where the instance stands.
    pub(super) placed: usize,
    /// Texels of morph weights that no clip moves.
    pub(super) fixed_weights: Vec<(usize, [f32; 4])>,
    /// Texels of morph weights that a clip moves.
    pub(super) moved_weights: Vec<usize>,
    /// What moves them: for each texel one for each clip.
    pub(super) weight_parts: Vec<WeightPart>,
    /// Texels of an instance.
    pub(super) stride: usize,
    /// For each section, whether it mirrors where instances themselves do not.
    pub(super) mirroring: Vec<Mirroring>,
    /// The largest number of any matrix, before an instance's own placement.
    pub(super) bound: f64,
}

/// A joint that moves, or a map that no transform can hold.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The parent's number plus one; 0 for where the instance stands.
    pub(super) parent: usize,
    /// Whether its parts are blended; else the first is all of it.
    pub(super) blended: bool,
    /// How many slots follow it.
    pub(super) slot_count: usize,
}

/// How one clip moves a node.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) rotation: RotationSource,
    /// Where it comes from when it moves.
    pub(super) translation: Option<Channel>,
    /// As above; for [`MatrixFormat::QuatTranslationScale`] its X.
    pub(super) scale: Option<Channel>,
    /// What does not move.
    pub(super) fixed: Fixed,
}

/// How one clip sets four morph weights.
#[derive(Clone, Copy, Debug)]
pub(super) enum WeightPart {
    Fixed([f32; 4]),
    Moved(Channel),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RotationSource {
    Fixed,
    /// All arcs are at most [`SHORT_ARC`].
    Short(Channel),
    Long(Channel),
    Spline(Channel),
}

/// The parts of a node at rest.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fixed {
    /// Rotation, or with a scale that does not move either, both; rows.
    pub(super) linear: [f32; 9],
    /// For [`MatrixFormat::QuatTranslationScale`], and where a spline of rotations passes through zero.
    pub(super) rotation: [f32; 4],
    pub(super) translation: [f32; 3],
    /// For [`MatrixFormat::QuatTranslationScale`] three times the same, with its sign.
    pub(super) scale: [f32; 3],
}

impl Fixed {
    /// Whether nothing is scaled.
    #[inline(always)]
    pub(super) fn unscaled(&self) -> bool {
        self.scale == [1.0; 3]
    }
}

/// One matrix of the palette.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// Its first texel in the instance's block.
    pub(super) texel: usize,
    /// From the mesh, counted from its section's origin, to the node.
    pub(super) node_from_mesh: Fixed,
    /// Whether [`node_from_mesh`](Self::node_from_mesh) is but a translation; only told for [`MatrixFormat::QuatTranslationScale`].
    pub(super) shift_only: bool,
}
impl Program {
    /// The program of `model` playing one of its clips, or several at once, with joints put by `hand`, written as `packing`
    /// says; `None` where lanes cannot hold it. A clip that is none is the rest pose.
    ///
    /// # Panics
    /// If there is no clip, not even none.
    pub(super) fn new(
        model: &Model,
        layout: &PaletteLayout,
        clips: &[Option<&Clip>],
        hand: Option<&PoseOverride>,
        packing: MatrixFormat,
    ) -> Option<Self> {
        assert!(!clips.is_empty(), "a program of nothing");
        let mut builder = Builder {
            rows: RowsBuilder::new(clips),
            packing,
            binds: binds_of(model, layout, packing),
            nodes: Vec::new(),
            parts: Vec::new(),
            bounds: vec![(1.0, 0.0)],
        };
        let locals: Vec<Vec<Local<'_>>> = clips.iter().map(|clip| locals_of(model, *clip, hand, packing)).collect();
        let used = used_joints(model, layout);
        let mut standings: Vec<Option<Standing>> = vec![None; model.skeleton.len()];
        for (i, joint) in model.skeleton.joints().iter().enumerate() {
            if used[i] {
                let parent = match joint.parent {
                    Some(parent) => standings[parent.get()]?,
                    None => Standing { node: 0, node_from_joint: Affine::IDENTITY, sign: Some(1.0) },
                };
                let of_clips: Vec<&Local<'_>> = locals.iter().map(|locals| &locals[i]).collect();
                standings[i] = Some(builder.stand(&parent, &of_clips, i)?);
            }
        }
        let durations_secs = clips.iter().map(|clip| clip.map_or(0.0, |clip| f64::from(clip.duration_secs))).collect();
        let mut program = Self { packing, durations_secs, ..Self::default() };
        let mut by_node = vec![Vec::new(); builder.nodes.len() + 1];
        let mut texel = 0;
        for section in &layout.sections {
            let mut mirroring = None;
            for (joint, joint_from_mesh) in PaletteLayout::joints_of(model, section) {
                let standing = standings[joint.get()]?;
                let node_from_mesh = standing.node_from_joint * joint_from_mesh;
                let fixed = builder.fixed_map(&node_from_mesh)?;
                let [x, y, z, _] = fixed.rotation;
                let turns = [x, y, z, fixed.scale[0] - 1.0].iter().any(|off| off.abs() > 1e-9);
                by_node[standing.node].push(Slot { texel, node_from_mesh: fixed, shift_only: !turns });
                texel += packing.texels_per_matrix();
                let (linear, translation) = builder.bounds[standing.node];
                let reach = node_from_mesh.linear.abs().sum() + node_from_mesh.translation.abs().sum();
                program.bound = program.bound.max(linear * reach + translation);
                let mirrors = match standing.sign.map(|s| s * sign(joint_from_mesh.determinant())) {
                    Some(s) if s < 0.0 => Mirroring::Always,
                    Some(s) if s > 0.0 => Mirroring::Never,
                    _ => Mirroring::Mixed,
                };
                mirroring = Some(mirroring.map_or(mirrors, |m: Mirroring| m.and(mirrors)));
            }
            program.mirroring.push(mirroring.unwrap_or_default());
        }
        program.placed = by_node[0].len();
        for (node, slots) in builder.nodes.iter_mut().zip(&by_node[1..]) {
            node.slot_count = slots.len();
        }
        program.slots = by_node.concat();
        program.add_weights(&mut builder.rows, model, layout, clips, texel);
        program.nodes = builder.nodes;
        program.parts = builder.parts;
        program.rows = builder.rows.build()?;
        program.stride = texel + layout.weight_texels() as usize;
        (program.bound <= LARGEST).then_some(program)
    }

    fn add_weights(
        &mut self,
        rows: &mut RowsBuilder<'_>,
        model: &Model,
        layout: &PaletteLayout,
        clips: &[Option<&Clip>],
        first_texel: usize,
    ) {
        for &(joint, first) in &layout.weights {
            let range = model.skeleton.joint(joint).weights.clone();
            let rest = &model.skeleton.rest_weights()[range.clone()];
            // Copies of a mesh share the weights of the joint that they hang from.
            let moves = |track: &&Track| {
                matches!(track.keys, Keys::Weights(_)) && model.skeleton.joint(track.joint).weights == range
            };
            let track_of = |clip: Option<_>| clip.and_then(|clip: &Clip| clip.tracks.iter().rfind(moves));
            let tracks: Vec<Option<&Track>> = clips.iter().map(|clip| track_of(*clip)).collect();
            for four in 0..rest.len().div_ceil(4) {
                let texel = first_texel + first as usize / 4 + four;
                let count = rest.len() - 4 * four;
                let at_rest = [0, 1, 2, 3].map(|i| if i < count { rest[4 * four + i] } else { 0.0 });
                if tracks.iter().all(Option::is_none) {
                    self.fixed_weights.push((texel, at_rest));
                    continue;
                }
                self.moved_weights.push(texel);
                for (clip, track) in tracks.iter().enumerate() {
                    let part = match track.map(|track| (track, &track.keys)) {
                        Some((track, Keys::Weights(values))) => {
                            let value = |key: usize| {
                                let stored = &values[key * rest.len() + 4 * four..];
                                Vector4::from_fn(|i, _| if i < count { f64::from(stored[i]) } else { 0.0 })
                            };
                            WeightPart::Moved(rows.add_numbers((clip, track), false, value))
                        }
                        _ => WeightPart::Fixed(at_rest),
                    };
                    self.weight_parts.push(part);
                }
            }
        }
    }

    /// Whether each section mirrors, for the signs of the instances' own placements: any above, below and at zero.
    pub(super) fn mirroring_of(
        &self,
        [any_kept, any_mirrored, any_flat]: [bool; 3],
    ) -> impl Iterator<Item = Mirroring> {
        self.mirroring.iter().map(move |&kept| {
            let mirrored = match kept {
                Mirroring::Never => Mirroring::Always,
                Mirroring::Always => Mirroring::Never,
                Mirroring::Mixed => Mirroring::Mixed,
            };
            let found = [(any_kept, kept), (any_mirrored, mirrored), (any_flat, Mirroring::Never)];
            found.into_iter().filter_map(|(any, m)| any.then_some(m)).reduce(Mirroring::and).unwrap_or_default()
        })
    }
}
/// Joints that a matrix follows, and their ancestors.
pub(super) fn used_joints(model: &Model, layout: &PaletteLayout) -> Vec<bool> {
    let joints = model.skeleton.joints();
    let mut used = vec![false; joints.len()];
    let followed =
        |section: &Section| PaletteLayout::joints_of(model, section).map(|(joint, _)| joint).collect::<Vec<_>>();
    for joint in layout.sections.iter().flat_map(followed) {
        used[joint.get()] = true;
    }
    for i in (0..joints.len()).rev() {
        if let (true, Some(parent)) = (used[i], joints[i].parent) {
            used[parent.get()] = true;
        }
    }
    used
}
