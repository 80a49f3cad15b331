//! The double-precision path: one instance at a time. The SIMD kernel is tested against it.

use crate::math::Affine;
use crate::model::Model;
use crate::palette::BlockWriter;
use crate::pose::{Layer, LayerScratch, ModelPose, Pose, PoseOverride, sample_layers};
use std::cell::RefCell;

/// Buffers that a thread keeps between instances.
#[derive(Default)]
struct Scratch {
    layers: LayerScratch,
    pose: Pose,
    model_pose: ModelPose,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// One instance to pose.
pub(crate) struct ReferenceInstance<'a> {
    pub(crate) layers: &'a [Layer],
    pub(crate) pose_override: Option<&'a PoseOverride>,
    pub(crate) world_from_model: Affine,
}

impl ReferenceInstance<'_> {
    /// Samples the layers at the clock's `clock_secs` and applies the pose override.
    pub(crate) fn pose(&self, model: &Model, clock_secs: f64, scratch: &mut LayerScratch, pose: &mut Pose) {
        sample_layers(model, self.layers, clock_secs, scratch, pose);
        if let Some(pose_override) = self.pose_override {
            pose_override.apply(pose);
        }
    }

    /// Poses the instance, calls `modify` with its pose, and writes its block.
    pub(crate) fn write_block(
        &self,
        writer: BlockWriter<'_>,
        clock_secs: f64,
        block: &mut [[f32; 4]],
        modify: impl FnOnce(&Pose, &mut ModelPose),
    ) {
        // `modify` may pose other instances on this thread, by an update of its own or in rayon.
        let mut scratch = SCRATCH.take();
        let (Scratch { layers, pose, model_pose }, model) = (&mut scratch, writer.rig.model());
        self.pose(model, clock_secs, layers, pose);
        model_pose.update(&model.skeleton, pose);
        modify(pose, model_pose);
        writer.write(&self.world_from_model, pose, model_pose, block);
        SCRATCH.set(scratch);
    }
}
