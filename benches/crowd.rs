//! What a frame of a crowd costs before anything is drawn: sampling, hierarchy, palette. And what opening a file costs.
//!
//! The throughput is in matrices: one matrix of one instance for one frame. What is measured is one thread; the error to
//! double precision is printed beside. `docs/performance.md` tells more.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rigview::import::{ImageLoading, ImportOptions, open};
use rigview::math::{Aabb, Affine};
use rigview::model::{ClipIndex, Model, SceneIndex};
use rigview::palette::{Animator, Crowd, Instance, MatrixFormat, Palette, PaletteLayout, SimdLevel};
use rigview::pose::{Cursor, ModelPose, Pose, sample};
use rigview::scene::layout::{PlaybackRules, grid};
use std::path::{Path, PathBuf};

/// Sizes of a crowd.
const COUNTS: [usize; 5] = [1, 100, 1000, 10_000, 100_000];

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name).with_extension("glb")
}

/// A shipped model with what is needed to animate its first clip.
struct Rig {
    model: Model,
    layout: PaletteLayout,
    packing: MatrixFormat,
}

impl Rig {
    fn new(name: &str) -> Self {
        let options = ImportOptions { images: ImageLoading::Skip, ..ImportOptions::default() };
        let model = open(&shipped(name), &options).expect("a shipped model").model;
        let layout = PaletteLayout::new(&model, SceneIndex(0));
        let packing = MatrixFormat::choose(&model, &layout);
        Self { model, layout, packing }
    }

    fn duration_secs(&self) -> f64 {
        f64::from(self.model.clips[0].duration_secs)
    }

    fn crowd(&self, count: usize) -> Crowd {
        PlaybackRules::of(Some(ClipIndex(0))).crowd(&grid(count, &Aabb::EMPTY), &[], &self.model)
    }

    fn matrices(&self, count: usize) -> Throughput {
        Throughput::Elements(count as u64 * u64::from(self.layout.matrix_count))
    }

    /// The largest difference of lanes and double precision, over the largest number of its kind.
    fn error(&self) -> f64 {
        let phase = |i: usize| self.duration_secs() * i as f64 / 100.0;
        let place = |i: usize| Instance::new(Affine::IDENTITY, Some(ClipIndex(0)), phase(i));
        let mut crowd = Crowd::new((0..100).map(place));
        let mut palettes = [0, 1].map(|_| Palette::new(&self.layout, self.packing));
        let [exact, lanes] = &mut palettes;
        crowd.update(&self.model, &self.layout, 0.1, exact);
        let mut animator = Animator::new(self.packing);
        animator.update(&self.model, &self.layout, &mut crowd, 0.1, SimdLevel::best(), lanes);
        let (mut worst, mut largest) = ([0.0_f64; 2], [0.0_f64; 2]);
        let per_matrix = self.packing.texels_per_matrix();
        for instance in 0..100 {
            for matrix in 0..self.layout.matrix_count as usize {
                let [a, b] = [&palettes[0], &palettes[1]]
                    .map(|palette| self.packing.read(&palette.block(instance)[matrix * per_matrix..]));
                for (column, (a, b)) in a.concat().iter().zip(&b.concat()).enumerate().map(|(i, ab)| (i % 4, ab)) {
                    let kind = usize::from(column == 3);
                    worst[kind] = worst[kind].max(f64::from((a - b).abs()));
                    largest[kind] = largest[kind].max(f64::from(a.abs()));
                }
            }
        }
        (worst[0] / largest[0]).max(worst[1] / largest[1].max(f64::MIN_POSITIVE))
    }
}

/// The whole update, by each set of instructions and for each size of a crowd.
fn update(criterion: &mut Criterion) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    for name in ["windmill", "hare"] {
        let rig = Rig::new(name);
        println!("{name}: lanes differ from double precision by {:.1e}", rig.error());
        let mut group = criterion.benchmark_group(format!("update {name}"));
        for count in COUNTS {
            let mut crowd = rig.crowd(count);
            let mut animator = Animator::new(rig.packing);
            let mut palette = Palette::new(&rig.layout, rig.packing);
            let (model, layout) = (&rig.model, &rig.layout);
            group.throughput(rig.matrices(count));
            let mut time_secs = 0.0;
            let mut tick = || {
                time_secs = (time_secs + 1.0 / 60.0) % rig.duration_secs();
                time_secs
            };
            for dispatch in SimdLevel::ALL.into_iter().filter(|dispatch| dispatch.is_available()) {
                group.bench_function(BenchmarkId::new(dispatch.name(), count), |bencher| {
                    pool.install(|| {
                        bencher.iter(|| animator.update(model, layout, &mut crowd, tick(), dispatch, &mut palette))
                    });
                });
            }
            group.bench_function(BenchmarkId::new("scalar", count), |bencher| {
                pool.install(|| bencher.iter(|| crowd.update(model, layout, tick(), &mut palette)));
            });
        }
        group.finish();
    }
}

/// The same on one thread, two, and so on, up to as many as this machine has.
fn threads(criterion: &mut Criterion) {
    let rig = Rig::new("windmill");
    let count = 20_000;
    let (mut crowd, mut animator) = (rig.crowd(count), Animator::new(rig.packing));
    let mut palette = Palette::new(&rig.layout, rig.packing);
    let mut group = criterion.benchmark_group("threads, 20,000 windmills");
    group.throughput(rig.matrices(count));
    let most = std::thread::available_parallelism().map_or(1, usize::from);
    for threads in (0..).map(|i| 1 << i).take_while(|threads| *threads <= most) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        group.bench_function(threads.to_string(), |bencher| {
            pool.install(|| {
                bencher.iter(|| {
                    animator.update(&rig.model, &rig.layout, &mut crowd, 0.3, SimdLevel::best(), &mut palette);
                });
            });
        });
    }
    group.finish();
}

/// What the memory takes to be written, for as many bytes as a crowd's palette has, and nothing else.
fn write_limit(criterion: &mut Criterion) {
    let rig = Rig::new("windmill");
    let mut group = criterion.benchmark_group("writing the palette of windmills alone");
    for count in COUNTS {
        let mut palette = Palette::new(&rig.layout, rig.packing);
        rig.crowd(count).update(&rig.model, &rig.layout, 0.0, &mut palette);
        let mut texels = palette.texels().to_vec();
        group.throughput(rig.matrices(count));
        let mut number = 0.0;
        group.bench_function(count.to_string(), |bencher| {
            bencher.iter(|| {
                number += 1.0;
                std::hint::black_box(&mut texels).fill([number; 4]);
            });
        });
    }
    group.finish();
}

/// The steps of the scalar path; the lanes have none, for they do all of it in one pass.
fn stages(criterion: &mut Criterion) {
    let rig = Rig::new("hare");
    let (skeleton, clip) = (&rig.model.skeleton, &rig.model.clips[0]);
    let (mut cursor, mut pose, mut model_pose) = (Cursor::default(), Pose::default(), ModelPose::default());
    let mut time_secs = 0.0;
    let mut group = criterion.benchmark_group("stages of one hare");
    group.throughput(rig.matrices(1));
    group.bench_function("sample", |bencher| {
        bencher.iter(|| {
            time_secs = (time_secs + 1.0 / 60.0) % rig.duration_secs();
            sample(skeleton, clip, time_secs, &mut cursor, &mut pose);
        });
    });
    group.bench_function("hierarchy", |bencher| bencher.iter(|| model_pose.update(skeleton, &pose)));
    group.finish();
}

/// What a clip costs before it plays.
fn prepare(criterion: &mut Criterion) {
    let rig = Rig::new("windmill");
    criterion.bench_function("prepare windmill", |bencher| {
        let mut crowd = rig.crowd(2);
        bencher.iter(|| Animator::new(rig.packing).prepare(&rig.model, &rig.layout, &mut crowd));
    });
}

fn import(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("import");
    for name in ["windmill", "hare"] {
        for (images, what) in [(ImageLoading::Skip, "without images"), (ImageLoading::Decode, "with images")] {
            group.bench_function(format!("{name} {what}"), |bencher| {
                bencher.iter(|| {
                    open(&shipped(name), &ImportOptions { images, ..ImportOptions::default() })
                        .expect("a shipped model")
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, update, threads, write_limit, stages, prepare, import);
criterion_main!(benches);
