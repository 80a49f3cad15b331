//! A crowd's update on the vector units of the processor.

use super::kernel::{Blocks, Scratch};
use super::program::Program;
use super::{Crowd, Packing, Palette, PaletteLayout};
use crate::math::Dispatch;
use crate::math::lanes::MAX_LANES;
use crate::model::{Clip, Model};
use rayon::prelude::*;
use std::cell::RefCell;

/// A model's clip made ready to be played by many instances at once.
///
/// Does the work of [`Crowd::update`], a lane of the vector unit for an instance. It works in single precision: the result
/// differs by some millionths of a matrix's size. It does not depend on the number of threads, nor on the [`Dispatch`].
#[derive(Clone, Debug)]
pub struct Animator {
    program: Program,
    clip_secs: f32,
}

/// Instances that one task poses; as many as need not be divided further to keep threads busy.
const INSTANCES_PER_TASK: usize = 4 * MAX_LANES;

/// The largest number that may be written.
const LARGEST: f64 = f32::MAX as f64 / 16.0;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Animator {
    /// Prepares `clip` of `model`, or the rest pose, for palettes of `layout` and `packing`.
    ///
    /// `None` where only [`Crowd::update`] will do: numbers that single precision has no room to multiply (beyond 1e12),
    /// and a [`Packing::Similarity`] that does not hold what the clip does ([`Packing::choose`] tells).
    pub fn new(model: &Model, layout: &PaletteLayout, clip: Option<&Clip>, packing: Packing) -> Option<Self> {
        let program = Program::new(model, layout, clip, packing)?;
        Some(Self { program, clip_secs: clip.map_or(0.0, |clip| clip.duration_secs) })
    }

    /// Whether the instances of `crowd` can be posed: else their places are too far for single precision, or not to be
    /// held by [`Packing::Similarity`].
    pub fn covers(&self, crowd: &Crowd) -> bool {
        let placements = crowd.placements();
        let [linear, translation] = placements.bounds;
        (placements.similar || self.program.packing == Packing::Rows)
            && linear * self.program.bound + translation <= LARGEST
    }

    /// Joints that the clip moves, as far as any matrix follows them.
    pub fn moved_joints(&self) -> usize {
        self.program.nodes.len()
    }

    /// Bytes of the clip's keys, as they are laid out for this.
    pub fn clip_bytes(&self) -> usize {
        self.program.rows.size_bytes()
    }

    /// Poses every instance of `crowd` at the clock's `time_secs` and writes the palette.
    ///
    /// # Panics
    /// If `palette` was made for another layout or packing, if the crowd is not [covered](Self::covers), or if this
    /// processor lacks the instructions.
    pub fn update(&self, crowd: &Crowd, time_secs: f64, dispatch: Dispatch, palette: &mut Palette) {
        let (program, stride) = (&self.program, self.program.stride);
        assert_eq!((palette.packing(), palette.stride_texels()), (program.packing, stride), "another layout's palette");
        assert!(self.covers(crowd), "a crowd that stands where lanes do not reach");
        let placements = crowd.placements();
        let count = crowd.instances().len();
        let duration_secs = f64::from(self.clip_secs);
        // Not `clamp`: a time that is not a number becomes 0.
        let time_secs = time_secs.max(0.0).min(duration_secs);
        let pose = |task: usize, texels: &mut [[f32; 4]]| {
            SCRATCH.with_borrow_mut(|scratch| {
                let count = texels.len() / stride;
                let first = task * INSTANCES_PER_TASK;
                dispatch.run(Blocks { program, placements, first, count, texels, time_secs, duration_secs, scratch });
            });
        };
        let texels = palette.resize(count);
        if stride > 0 {
            let blocks = stride * INSTANCES_PER_TASK;
            if count <= INSTANCES_PER_TASK || rayon::current_num_threads() == 1 {
                texels.chunks_mut(blocks).enumerate().for_each(|(task, texels)| pose(task, texels));
            } else {
                texels.par_chunks_mut(blocks).enumerate().for_each(|(task, texels)| pose(task, texels));
            }
        }
        palette.set_mirroring(program.mirroring_of(placements.signs));
    }
}
