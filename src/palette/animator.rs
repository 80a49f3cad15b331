//! A crowd's update on the vector units of the processor.

use super::kernel::{Blocks, Scratch};
use super::plan::Program;
use super::{Crowd, MatrixFormat, Palette, PaletteLayout};
use crate::math::SimdLevel;
use crate::math::simd::MAX_LANES;
use crate::model::{ClipIndex, Model};
use rayon::prelude::*;
use std::cell::RefCell;

/// The clips of a model made ready to be played by many instances at once.
///
/// Does the work of [`Crowd::update`], a lane of the vector unit for an instance. It works in single precision: the result
/// differs by some millionths of a matrix's size. It does not depend on the number of threads, nor on the [`SimdLevel`].
///
/// Clips are made ready when a crowd first plays them, alone or blended with others, and kept while it does.
#[derive(Clone, Debug)]
pub struct Animator {
    packing: MatrixFormat,
    programs: Vec<Prepared>,
    /// For each role of the crowd last posed, its program; none where only double precision will do.
    of_roles: Vec<Option<usize>>,
    /// The revision of that crowd.
    crowd_revision: u64,
}

/// A program and what it is of.
#[derive(Clone, Debug)]
struct Prepared {
    clips: Vec<Option<ClipIndex>>,
    /// Of joints put by hand; 0 for none.
    hand_revision: u64,
    /// None where lanes cannot hold it.
    program: Option<Program>,
    used: bool,
}

/// Instances that one task poses; as many as need not be divided further to keep threads busy.
const INSTANCES_PER_TASK: usize = 4 * MAX_LANES;

/// A palette up to this size is taken to stay in a cache of the processor.
const CACHED_BYTES: usize = 16 << 20;

/// The largest number that may be written.
const LARGEST: f64 = f32::MAX as f64 / 16.0;

/// Fewer instances than this with joints put by hand are left to double precision: making ready would cost more.
const FEWEST_BY_HAND: usize = 8;

/// Programs that are kept at most; whoever plays something else is left to double precision.
const MOST_PROGRAMS: usize = 512;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Animator {
    /// An animator for palettes of `packing`, with nothing made ready.
    pub fn new(packing: MatrixFormat) -> Self {
        Self { packing, programs: Vec::new(), of_roles: Vec::new(), crowd_revision: 0 }
    }

    /// Makes ready what `crowd` plays and is not ready yet, and forgets what it does not play any more.
    ///
    /// [`update`](Self::update) does so by itself; this is for those who want to choose the moment.
    ///
    /// Left to double precision are numbers that single precision has no room to multiply (beyond 1e12), and what a
    /// [`MatrixFormat::QuatTranslationScale`] does not hold ([`MatrixFormat::choose`] tells).
    pub fn prepare(&mut self, model: &Model, layout: &PaletteLayout, crowd: &mut Crowd) {
        crowd.settle();
        if std::mem::replace(&mut self.crowd_revision, crowd.revision()) == crowd.revision() {
            return;
        }
        self.programs.iter_mut().for_each(|prepared| prepared.used = false);
        self.of_roles.clear();
        self.of_roles.resize(crowd.roles().len(), None);
        let mut start = 0;
        for &(role_number, end) in &crowd.everybody().runs {
            let count = end - std::mem::replace(&mut start, end);
            let Some(role) = crowd.roles().get(usize::from(role_number)).filter(|_| count > 0) else { continue };
            let hand = crowd.hand_of(role).filter(|(pose, _)| !pose.is_empty());
            // Programs know nothing of weights put by hand.
            if hand.is_some_and(|(pose, _)| count < FEWEST_BY_HAND || !pose.weights().is_empty()) {
                continue;
            }
            let hand_revision = hand.map_or(0, |(_, revision)| *revision);
            let is_it = |p: &Prepared| p.hand_revision == hand_revision && p.clips == role.clips;
            let number = match self.programs.iter().position(is_it) {
                Some(number) => number,
                None if self.programs.len() >= MOST_PROGRAMS => continue,
                None => {
                    let clips = Crowd::clips_of(role, model);
                    let program = Program::new(model, layout, &clips, hand.map(|(pose, _)| pose), self.packing);
                    self.programs.push(Prepared { clips: role.clips.clone(), hand_revision, program, used: true });
                    self.programs.len() - 1
                }
            };
            self.programs[number].used = true;
            let covers = |program: &Program| {
                let [linear, translation] = crowd.bounds;
                (crowd.linear.is_empty() || self.packing == MatrixFormat::Mat3x4)
                    && linear * program.bound + translation <= LARGEST
            };
            self.of_roles[usize::from(role_number)] =
                self.programs[number].program.as_ref().is_some_and(covers).then_some(number);
        }
        if self.programs.iter().any(|prepared| !prepared.used) {
            self.forget();
        }
    }

    fn forget(&mut self) {
        let mut next = 0;
        let mut place = |prepared: &Prepared| {
            next += usize::from(prepared.used);
            next.wrapping_sub(1)
        };
        let moved: Vec<usize> = self.programs.iter().map(&mut place).collect();
        self.programs.retain(|prepared| prepared.used);
        self.of_roles.iter_mut().flatten().for_each(|number| *number = moved[*number]);
    }

    /// How many of the crowd last made ready are posed by lanes; the others are posed in double precision.
    pub fn covered(&self, crowd: &Crowd) -> usize {
        let mut start = 0;
        let of_run = |&(role, end): &(u16, usize)| {
            let count = end - std::mem::replace(&mut start, end);
            if self.of_roles[usize::from(role)].is_some() { count } else { 0 }
        };
        crowd.everybody().runs.iter().map(of_run).sum()
    }

    /// Joints that clips move, as far as any matrix follows them; of all that is ready, the most.
    pub fn moved_joints(&self) -> usize {
        self.ready().map(|program| program.nodes.len()).max().unwrap_or(0)
    }

    /// Bytes of the clips' keys, as they are laid out for this.
    pub fn clip_bytes(&self) -> usize {
        self.ready().map(|program| program.rows.size_bytes()).sum()
    }

    fn ready(&self) -> impl Iterator<Item = &Program> {
        self.programs.iter().filter_map(|prepared| prepared.program.as_ref())
    }

    /// Poses every instance of `crowd` at the clock's `time_secs`, or those that [`FrustumCuller::look`](super::Sight::look) has chosen,
    /// and writes the palette, in the order of [`Crowd::instance_of_block`].
    ///
    /// # Panics
    /// If `palette` was made for another layout or packing, if the crowd was made for another model, or if this processor
    /// lacks the instructions.
    pub fn update(
        &mut self,
        model: &Model,
        layout: &PaletteLayout,
        crowd: &mut Crowd,
        time_secs: f64,
        dispatch: SimdLevel,
        palette: &mut Palette,
    ) {
        assert_eq!(palette.packing(), self.packing, "another packing's palette");
        self.prepare(model, layout, crowd);
        let (this, crowd) = (&*self, &*crowd);
        let (stride, roster) = (palette.stride_texels(), crowd.roster());
        let (texels, flags) = palette.resize((roster.len(), crowd.len()), layout.sections.len());
        let cached = size_of_val(texels) <= CACHED_BYTES;
        let pose = |task: usize, texels: &mut [[f32; 4]]| {
            let first = task * INSTANCES_PER_TASK;
            let end = first + texels.len() / stride;
            for (role, start, stop) in roster.runs_within(first, end) {
                let texels = &mut texels[(start - first) * stride..(stop - first) * stride];
                match this.program(role) {
                    Some(program) => SCRATCH.with_borrow_mut(|scratch| {
                        assert_eq!(program.stride, stride, "another layout's palette");
                        dispatch.run(Blocks {
                            program,
                            crowd,
                            blocks: start..stop,
                            texels,
                            cached,
                            time_secs,
                            scratch,
                        });
                    }),
                    None => {
                        for (instance, block) in roster.instances(start..stop).zip(texels.chunks_mut(stride)) {
                            let block = (this.packing, block);
                            crowd.write(instance, (model, layout), time_secs, block, flags);
                        }
                    }
                }
            }
        };
        if stride > 0 {
            let count = roster.len();
            let blocks = stride * INSTANCES_PER_TASK;
            if count <= INSTANCES_PER_TASK || rayon::current_num_threads() == 1 {
                texels.chunks_mut(blocks).enumerate().for_each(|(task, texels)| pose(task, texels));
            } else {
                texels.par_chunks_mut(blocks).enumerate().for_each(|(task, texels)| pose(task, texels));
            }
        }
        let mut start = 0;
        for &(role, end) in &roster.runs {
            if let Some(program) = this.program(role).filter(|_| end > start) {
                for (section, mirroring) in program.mirroring_of(crowd.signs).enumerate() {
                    flags.note(section, mirroring);
                }
            }
            start = end;
        }
        palette.note_mirroring();
        crowd.write_values(model, layout, time_secs, palette);
    }

    fn program(&self, role: u16) -> Option<&Program> {
        let number = self.of_roles.get(usize::from(role)).copied().flatten()?;
        self.programs[number].program.as_ref()
    }
}
