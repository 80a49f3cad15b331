//! Animation of many instances: clips compiled to plans, the SIMD kernel, and the double-precision reference.

mod double_precision;
mod instance_record;
mod kernel;
mod key_lookup;
mod packed_keys;
mod plan;

pub(crate) use double_precision::ReferenceInstance;
pub(crate) use instance_record::{BlockInstances, InstanceData, InstanceRecord, LayerState};
pub(crate) use kernel::{KernelScratch, PoseJob};
pub(crate) use plan::{AnimationPlan, ClipKeys, FoldedRig, PlacementSigns, PlanLayer};
