//! A crowd's update one instance after the other, in double precision: what the lanes are held against.

use super::buffer::{MirrorFlags, write_instance};
use super::{Crowd, Palette, PaletteLayout};
use crate::model::Model;
use crate::pose::{AnimatedProperties, Layer, LayerScratch, MAX_LAYERS, ModelPose, Playback, Pose, sample_layers};
use rayon::prelude::*;
use std::cell::RefCell;

/// Instances that one task poses. Fixed, so that the work is cut the same way on any number of threads.
const INSTANCES_PER_TASK: usize = 16;

/// Memory that a thread keeps from instance to instance.
#[derive(Default)]
struct Scratch {
    layers: LayerScratch,
    pose: Pose,
    model_pose: ModelPose,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Crowd {
    /// Poses every instance at the clock's `time_secs`, or those that [`FrustumCuller::look`](super::Sight::look) has chosen, and writes
    /// the palette: in double precision, one joint after the other. [`Animator`](super::Animator) does the same for many at once.
    ///
    /// Blocks of the palette are in the order of [`instance_of_block`](Self::instance_of_block): the order of the instances
    /// where all play the same. The result does not depend on the number of threads.
    ///
    /// # Panics
    /// If `palette` was made for another layout, or the crowd for another model.
    pub fn update(&mut self, model: &Model, layout: &PaletteLayout, time_secs: f64, palette: &mut Palette) {
        self.settle();
        let roster = self.roster();
        let (packing, stride) = (palette.packing(), palette.stride_texels());
        let (texels, flags) = palette.resize((roster.len(), self.len()), layout.sections.len());
        // An empty layout has empty blocks, which cannot be cut from a slice.
        if stride > 0 {
            let pose = |(task, texels): (usize, &mut [[f32; 4]])| {
                let first = task * INSTANCES_PER_TASK;
                let instances = roster.instances(first..roster.len());
                for (instance, block) in instances.zip(texels.chunks_mut(stride)) {
                    self.write(instance, (model, layout), time_secs, (packing, block), flags);
                }
            };
            let task = stride * INSTANCES_PER_TASK;
            if roster.len() <= INSTANCES_PER_TASK || rayon::current_num_threads() == 1 {
                texels.chunks_mut(task).enumerate().for_each(pose);
            } else {
                texels.par_chunks_mut(task).enumerate().for_each(pose);
            }
        }
        palette.note_mirroring();
        self.write_values(model, layout, time_secs, palette);
    }

    /// Notes what the clips make of materials, and hides what is hidden, once all blocks are written.
    pub(super) fn write_values(&self, model: &Model, layout: &PaletteLayout, time_secs: f64, palette: &mut Palette) {
        palette.set_values(self.values(0, model, time_secs));
        if !AnimatedProperties::vary(model) {
            return;
        }
        for (block, instance) in self.roster().instances(0..self.roster().len()).enumerate() {
            let values = self.values(instance, model, time_secs);
            if values.any_hidden() {
                palette.hide(layout, block, &values);
            }
        }
    }

    /// What the clips of one instance make of materials, lights, cameras and visibility when the clock shows `time_secs`.
    pub fn values(&self, instance: usize, model: &Model, time_secs: f64) -> AnimatedProperties {
        let mut layers = [Layer::new(None, Playback::ONCE); MAX_LAYERS];
        let count = self.layers_into(instance, &mut layers);
        AnimatedProperties::new(model, &layers[..count], time_secs)
    }

    /// Sets `pose` to that of one instance when the clock shows `time_secs`: its layers, then the joints put by hand.
    ///
    /// # Panics
    /// If the crowd was made for another model.
    pub fn pose(&self, instance: usize, model: &Model, time_secs: f64, scratch: &mut LayerScratch, pose: &mut Pose) {
        let mut layers = [Layer::new(None, Playback::ONCE); MAX_LAYERS];
        let count = self.layers_into(instance, &mut layers);
        sample_layers(model, &layers[..count], time_secs, scratch, pose);
        if let Some((hand, _)) = self.hand_of(self.role_of(instance)) {
            hand.apply(pose);
        }
    }

    /// Poses one instance and writes its block.
    pub(super) fn write(
        &self,
        instance: usize,
        (model, layout): (&Model, &PaletteLayout),
        time_secs: f64,
        (packing, block): (super::MatrixFormat, &mut [[f32; 4]]),
        flags: &MirrorFlags,
    ) {
        SCRATCH.with_borrow_mut(|Scratch { layers: scratch, pose, model_pose }| {
            self.pose(instance, model, time_secs, scratch, pose);
            model_pose.update(&model.skeleton, pose);
            write_instance(block, packing, model, layout, &self.placement(instance), (pose, model_pose), flags);
        });
    }
}
