//! The hull of an animated model over the duration of a clip.

use super::bones::add_skeleton_to_hull;
use super::vertex_clusters::VertexClusters;
use nalgebra::{Vector3, Vector4};
use rayon::prelude::*;
use rigview_core::crowd::{Crowd, CrowdAnimator, Instance};
use rigview_core::math::{Aabb, Affine, SupportHull};
use rigview_core::model::{ClipIndex, InstanceIndex, Model, Primitive};
use rigview_core::palette::{BlockIndex, MatrixFormat, Palette, Rig, SkinningInputs};
use rigview_core::pose::{Layer, LayerScratch, ModelPose, Pose, PoseOverride};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Limit of vertices times time samples of a clip. Larger models are sampled at fewer times. Most vertices are skipped.
const MAX_SAMPLED_VERTICES: u64 = 64_000_000;

/// A joint takes about as much time as this number of vertices.
const VERTICES_PER_JOINT: u64 = 100;

/// Number of time samples of a clip.
const TIME_SAMPLES: std::ops::RangeInclusive<u64> = 3..=61;

/// For models of more vertices: rigid primitives of more than [`MAX_POSED_NODES`] nodes use their bounding boxes.
const MAX_POSED_VERTICES: u64 = 3_000_000;

/// Number of nodes up to which each vertex of a rigid primitive is posed.
const MAX_POSED_NODES: usize = 8;

/// Returns the support hull of all drawn vertices, or of the skeleton if there are none, over the duration of `clip`, in model space.
///
/// Skins the vertices at equally spaced times that include both ends; of a clip that starts late, from its first key. Without a clip, or if its duration is 0, skins one
/// pose.
///
/// # Panics
/// If the clip does not exist.
pub fn clip_hull(rig: &Rig, clip: Option<ClipIndex>) -> SupportHull {
    posed_clip_hull(rig, clip, &[], &PoseOverride::new(), Vector3::zeros())
}

/// Returns the hull like [`clip_hull`], with pose overrides, relative to `origin`, which is subtracted in double precision.
///
/// `layers` replace the clip if there are any; then `clip` only determines the duration.
///
/// # Panics
/// If a clip or a joint does not exist.
pub fn posed_clip_hull(
    rig: &Rig,
    clip: Option<ClipIndex>,
    layers: &[Layer],
    overrides: &PoseOverride,
    origin: Vector3<f64>,
) -> SupportHull {
    // This format holds any matrix.
    let rig = &rig.with_format(MatrixFormat::Mat3x4);
    let vertices = rig.vertex_count();
    let clip_of_model = clip.map(|clip| &rig.model().clips[clip.get()]);
    let end_secs = clip_of_model.map_or(0.0, |clip| f64::from(clip.duration_secs));
    // All samples before the first key have the same pose.
    let start_secs = clip_of_model.filter(|clip| clip.starts_late()).map_or(0.0, |clip| f64::from(clip.first_key_secs));
    let duration = end_secs - start_secs;
    let sample_count = match duration > 0.0 {
        true => {
            let joints = rig.model().skeleton.joints().len() as u64;
            let cost = vertices.saturating_add(joints * VERTICES_PER_JOINT).max(1);
            (MAX_SAMPLED_VERTICES / cost).clamp(*TIME_SAMPLES.start(), *TIME_SAMPLES.end())
        }
        false => 1,
    };
    let crowd = || {
        let world_from_model = Affine::from_translation(-origin);
        let mut crowd = Crowd::new([Instance { world_from_model, ..Instance::single(clip) }]);
        if !layers.is_empty() {
            crowd.set_layers(InstanceIndex(0), layers);
        }
        if !overrides.is_empty() {
            let overrides = crowd.add_override(overrides.clone());
            crowd.set_override(InstanceIndex(0), Some(overrides));
        }
        crowd
    };
    if rig.layout().draws.is_empty() {
        return skeleton_hull(rig.model(), &crowd(), sample_count, [start_secs, end_secs]);
    }
    let pose = |animator: &mut CrowdAnimator, sample: u64| {
        let time_secs = start_secs + duration * sample as f64 / (sample_count - 1).max(1) as f64;
        animator.update_in_double_precision(&mut crowd(), time_secs);
    };
    let HullInputs { draws, boxes } = HullInputs::new(rig, vertices);
    let mut first = SupportHull::default();
    let mut animator = CrowdAnimator::new(rig);
    pose(&mut animator, 0);
    for draw in &draws {
        let posed = draw.posed(animator.palette(), BlockIndex(0));
        (0..draw.vertex_count()).for_each(|vertex| first.add(posed.posed_position(vertex).into()));
    }
    boxes.iter().for_each(|draw| draw.add_to(animator.palette(), &mut first));
    if sample_count == 1 {
        return first;
    }
    // The hull of the first pose contains most vertices of the others.
    let clusters: Vec<VertexClusters<'_>> = draws.into_par_iter().map(VertexClusters::new).collect();
    let samples: Vec<u64> = (1..sample_count).collect();
    let hull_of = |samples: &[u64]| {
        let (mut hull, mut animator) = (first.clone(), CrowdAnimator::new(rig));
        for sample in samples {
            pose(&mut animator, *sample);
            clusters.iter().for_each(|clusters| clusters.add_to(animator.palette(), &mut hull));
            boxes.iter().for_each(|draw| draw.add_to(animator.palette(), &mut hull));
        }
        hull
    };
    let hulls: Vec<SupportHull> =
        samples.par_chunks(samples.len().div_ceil(rayon::current_num_threads())).map(hull_of).collect();
    hulls.iter().fold(SupportHull::default(), |mut union, hull| {
        union.merge(hull);
        union
    })
}

/// Returns the hull of a skeleton without a mesh over the clip of the crowd's only instance.
fn skeleton_hull(model: &Model, crowd: &Crowd, sample_count: u64, [start_secs, end_secs]: [f64; 2]) -> SupportHull {
    let mut hull = SupportHull::default();
    let world_from_model = crowd.placement(InstanceIndex(0));
    let (mut scratch, mut pose, mut model_pose) = (LayerScratch::default(), Pose::default(), ModelPose::default());
    for sample in 0..sample_count {
        let time_secs = start_secs + (end_secs - start_secs) * sample as f64 / (sample_count - 1).max(1) as f64;
        crowd.pose(InstanceIndex(0), model, time_secs, &mut scratch, &mut pose);
        model_pose.update(&model.skeleton, &pose);
        add_skeleton_to_hull(model, |joint| world_from_model * *model_pose.model_from_joint(joint), &mut hull);
    }
    hull
}

/// The draws of a layout, without duplicates.
struct HullInputs<'a> {
    /// Draws whose vertices are posed.
    draws: Vec<SkinningInputs<'a>>,
    /// Draws that use their bounding box.
    boxes: Vec<BoundingBoxDraw>,
}

/// A rigid draw that uses its bounding box.
struct BoundingBoxDraw {
    /// First texel of its matrix.
    first_texel: usize,
    /// Relative to the position offset of its matrix range.
    corners: Vec<Vector3<f32>>,
}

impl<'a> HullInputs<'a> {
    fn new(rig: &'a Rig, vertices: u64) -> Self {
        let (model, layout) = (rig.model(), rig.layout());
        let mut node_counts: HashMap<_, usize> = HashMap::new();
        for draw in &layout.draws {
            *node_counts.entry((draw.mesh, draw.primitive)).or_default() += 1;
        }
        let (mut seen, mut bounds_of) = (HashSet::new(), HashMap::new());
        let (mut draws, mut boxes) = (Vec::new(), Vec::new());
        for draw in &layout.draws {
            let mesh = (draw.mesh, draw.primitive);
            // Several primitives may have the same vertices.
            let Primitive { vertices: shared, targets, .. } = &model.meshes[draw.mesh.get()].primitives[draw.primitive];
            let geometry = (Arc::as_ptr(shared), Arc::as_ptr(targets));
            if !seen.insert((geometry, draw.matrix_range, draw.first_morph_weight)) {
                continue;
            }
            let is_rigid = !draw.skinned && draw.first_morph_weight.is_none();
            if vertices <= MAX_POSED_VERTICES || node_counts[&mesh] <= MAX_POSED_NODES || !is_rigid {
                draws.push(SkinningInputs::new(rig, draw));
                continue;
            }
            let matrix_range = &layout.matrix_ranges[draw.matrix_range];
            let bounds = bounds_of
                .entry((mesh, matrix_range.position_offset.map(f32::to_bits)))
                .or_insert_with(|| Aabb::from_positions(&layout.positions(model, draw)));
            boxes.push(BoundingBoxDraw {
                first_texel: matrix_range.first_matrix as usize * rig.format().texels_per_matrix(),
                corners: bounds.corners().map(|corner| corner.cast()).collect(),
            });
        }
        Self { draws, boxes }
    }
}

impl BoundingBoxDraw {
    /// Adds the posed corners in the first block of the palette to a hull.
    fn add_to(&self, palette: &Palette, hull: &mut SupportHull) {
        let rows = palette.format().read(&palette.block(BlockIndex(0))[self.first_texel..]);
        for corner in &self.corners {
            hull.add(Vector3::from(rows.map(|row| Vector4::from(row).dot(&corner.push(1.0)))));
        }
    }
}
