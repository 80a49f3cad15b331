//! Many instances of one model, each at its own time.

use super::placements::Placements;
use super::texels::write_instance;
use super::{Mirroring, Packing, Palette, PaletteLayout};
use crate::math::{Affine, Bounds, Hull};
use crate::model::{Clip, Model};
use crate::pose::{Cursor, ModelPose, Pose, clamp_to_clip, sample};
use nalgebra::Vector3;
use rayon::prelude::*;

/// One of the crowd.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Where it stands.
    pub world_from_model: Affine,
    /// How far it is ahead of the crowd's clock, in seconds.
    pub phase_secs: f64,
    cursor: Cursor,
}

impl Instance {
    /// The instance that is alone: at the origin, at the clock's own time.
    pub fn alone() -> Self {
        Self::new(Affine::IDENTITY, 0.0)
    }

    /// An instance at a place, ahead of the clock by `phase_secs`.
    pub fn new(world_from_model: Affine, phase_secs: f64) -> Self {
        Self { world_from_model, phase_secs, cursor: Cursor::default() }
    }

    /// The time at which its clip is sampled when the crowd's clock shows `time_secs`.
    ///
    /// Clamped to the clip, but for an instance that is ahead: that one goes round, so that phases stay spread.
    pub fn clip_secs(&self, time_secs: f64, clip: &Clip) -> f64 {
        let duration = f64::from(clip.duration_secs);
        let time = clamp_to_clip(time_secs, clip);
        if self.phase_secs == 0.0 || duration == 0.0 { time } else { (time + self.phase_secs).rem_euclid(duration) }
    }
}

/// Instances that share a model and a clock; at least one.
#[derive(Clone, Debug)]
pub struct Crowd {
    instances: Vec<Instance>,
    /// The same places as the lanes read them.
    placements: Placements,
}

/// Empty ground between neighbours in a grid, in sizes of the model.
const GRID_GAP: f64 = 0.25;

/// Instances that one task poses. Fixed, so that the work is cut the same way on any number of threads.
const INSTANCES_PER_TASK: usize = 16;

impl Crowd {
    /// A crowd of these.
    ///
    /// # Panics
    /// If there are none.
    pub fn new(instances: Vec<Instance>) -> Self {
        assert!(!instances.is_empty(), "a crowd of nobody");
        let placements = Placements::new(&instances);
        Self { instances, placements }
    }

    /// A crowd of one, where the file puts it.
    pub fn of_one() -> Self {
        Self::new(vec![Instance::alone()])
    }

    /// `count` instances on a square grid on the ground, centred at the origin, for a model with `bounds`.
    ///
    /// The first keeps phase 0; the others are spread over `duration_secs` by the golden ratio, so that neighbours
    /// differ and any number of them is spread evenly.
    pub fn on_grid(count: usize, bounds: &Bounds, duration_secs: f64) -> Self {
        if count <= 1 {
            return Self::of_one();
        }
        let footprint = bounds.extent().x.max(bounds.extent().z);
        let size = if footprint > 0.0 { footprint } else { bounds.extent().y.max(1e-3) };
        let spacing = size * (1.0 + GRID_GAP);
        let columns = (count as f64).sqrt().ceil() as usize;
        let rows = count.div_ceil(columns);
        let place = |i: usize| {
            let x = (i % columns) as f64 - (columns - 1) as f64 / 2.0;
            // The first row stands in front; the last one, which may have gaps, at the back.
            let z = (rows - 1) as f64 / 2.0 - (i / columns) as f64;
            Affine::from_translation(Vector3::new(x * spacing, 0.0, z * spacing))
        };
        let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
        let phase = |i: usize| (i as f64 * golden).fract() * duration_secs;
        Self::new((0..count).map(|i| Instance::new(place(i), phase(i))).collect())
    }

    /// All instances.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    pub(super) fn placements(&self) -> &Placements {
        &self.placements
    }

    /// The outline of all instances of a model with outline `hull`, each turned and scaled as the first.
    pub fn hull(&self, hull: &Hull) -> Hull {
        let mut places = Hull::default();
        for instance in &self.instances {
            places.add(instance.world_from_model.translation.cast());
        }
        let first = self.instances[0].world_from_model;
        let mut all = Hull::default();
        // The outermost instances, each once: one of them is the outermost in many directions.
        let mut outermost: Vec<Vector3<f64>> = places.points().collect();
        outermost.sort_by(|a, b| a.iter().partial_cmp(b.iter()).unwrap_or(std::cmp::Ordering::Equal));
        outermost.dedup();
        for translation in outermost {
            all.merge(&hull.transformed(&Affine { translation, ..first }));
        }
        all
    }

    /// Poses every instance at the clock's `time_secs` and writes the palette: in double precision, one joint after the
    /// other. [`Animator`](super::Animator) does the same for many at once.
    ///
    /// Without a clip all stand in the rest pose. The result does not depend on the number of threads.
    ///
    /// # Panics
    /// If `palette` was made for another layout.
    pub fn update(
        &mut self,
        model: &Model,
        layout: &PaletteLayout,
        clip: Option<&Clip>,
        time_secs: f64,
        palette: &mut Palette,
    ) {
        let (packing, stride) = (palette.packing(), palette.stride_texels());
        let texels = palette.resize(self.instances.len());
        // An empty layout has empty blocks, which cannot be cut from a slice.
        let blocks = stride.max(1) * INSTANCES_PER_TASK;
        let mirroring = if stride == 0 {
            vec![None; layout.sections.len()]
        } else {
            self.instances
                .par_chunks_mut(INSTANCES_PER_TASK)
                .zip(texels.par_chunks_mut(blocks))
                .map(|(instances, texels)| {
                    pose_task(instances, texels, stride, packing, model, layout, clip, time_secs)
                })
                .reduce(|| vec![None; layout.sections.len()], join_mirroring)
        };
        palette.set_mirroring(mirroring.into_iter().map(Option::unwrap_or_default).collect());
    }
}

#[expect(clippy::too_many_arguments, reason = "a loop body given a name, called once")]
fn pose_task(
    instances: &mut [Instance],
    texels: &mut [[f32; 4]],
    stride: usize,
    packing: Packing,
    model: &Model,
    layout: &PaletteLayout,
    clip: Option<&Clip>,
    time_secs: f64,
) -> Vec<Option<Mirroring>> {
    let mut pose = Pose::rest(&model.skeleton);
    let mut model_pose = ModelPose::default();
    let mut mirroring = vec![None; layout.sections.len()];
    for (instance, block) in instances.iter_mut().zip(texels.chunks_mut(stride)) {
        if let Some(clip) = clip {
            let clip_secs = instance.clip_secs(time_secs, clip);
            sample(&model.skeleton, clip, clip_secs, &mut instance.cursor, &mut pose);
        }
        model_pose.update(&model.skeleton, &pose);
        write_instance(block, packing, model, layout, &instance.world_from_model, (&pose, &model_pose), &mut mirroring);
    }
    mirroring
}

fn join_mirroring(mut a: Vec<Option<Mirroring>>, b: Vec<Option<Mirroring>>) -> Vec<Option<Mirroring>> {
    for (a, b) in a.iter_mut().zip(b) {
        *a = match (*a, b) {
            (Some(x), Some(y)) => Some(x.and(y)),
            (x, y) => x.or(y),
        };
    }
    a
}
