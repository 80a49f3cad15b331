//! Benchmarks of crowd updates (sampling, hierarchy, palette) and of imports.
//!
//! Throughput is in palette matrices per second, on one thread except in `threads`. Also prints the error of the SIMD path
//! relative to double precision. See `docs/performance.md`.
#![allow(missing_docs, reason = "`criterion_group!` makes a public function")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rigview::crowd::{Crowd, CrowdAnimator, Instance};
use rigview::import::{ImageLoading, ImportOptions, open};
use rigview::math::SimdLevel;
use rigview::math::{Aabb, Affine};
use rigview::model::{ClipIndex, SceneIndex};
use rigview::palette::{BlockIndex, Rig};
use rigview::pose::{Cursor, ModelPose, Pose, sample};
use rigview::scene::layout::{PlaybackRules, grid};
use std::path::{Path, PathBuf};

/// Sizes of a crowd.
const COUNTS: [usize; 5] = [1, 100, 1000, 10_000, 100_000];

fn asset_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name).with_extension("glb")
}

/// A model from `assets` that plays its first clip.
struct Sample(Rig);

impl Sample {
    fn new(name: &str) -> Self {
        let options = ImportOptions::default().with_images(ImageLoading::Skip);
        let model = open(&asset_path(name), &options).expect("a model from assets").model;
        Self(Rig::new(model, SceneIndex(0)).unwrap())
    }

    fn duration_secs(&self) -> f64 {
        f64::from(self.0.model().clips[0].duration_secs)
    }

    fn crowd(&self, count: usize) -> Crowd {
        PlaybackRules::for_clip(Some(ClipIndex(0))).crowd(&grid(count, &Aabb::EMPTY), &[], self.0.model())
    }

    fn throughput(&self, count: usize) -> Throughput {
        Throughput::Elements(count as u64 * u64::from(self.0.layout().matrix_count))
    }

    /// Returns the maximum difference of SIMD and double precision, relative to the largest magnitude.
    ///
    /// Linear parts and translations have separate maxima.
    fn error(&self) -> f64 {
        let phase = |i: usize| self.duration_secs() * i as f64 / 100.0;
        let instance = |i: usize| Instance::new(Affine::IDENTITY, Some(ClipIndex(0)), phase(i));
        let mut crowd = Crowd::new((0..100).map(instance));
        let mut animator = CrowdAnimator::new(&self.0);
        animator.update_in_double_precision(&mut crowd, 0.1);
        let reference = animator.palette().clone();
        animator.update(&mut crowd, 0.1);
        let format = self.0.format();
        let (mut max_error, mut max_magnitude) = ([0.0_f64; 2], [0.0_f64; 2]);
        let per_matrix = format.texels_per_matrix();
        for instance in 0..100 {
            for matrix in 0..self.0.layout().matrix_count as usize {
                let [a, b] = [&reference, animator.palette()]
                    .map(|palette| format.read(&palette.block(BlockIndex(instance as u32))[matrix * per_matrix..]));
                for (column, (a, b)) in a.concat().iter().zip(&b.concat()).enumerate().map(|(i, ab)| (i % 4, ab)) {
                    let part = usize::from(column == 3);
                    max_error[part] = max_error[part].max(f64::from((a - b).abs()));
                    max_magnitude[part] = max_magnitude[part].max(f64::from(a.abs()));
                }
            }
        }
        (max_error[0] / max_magnitude[0]).max(max_error[1] / max_magnitude[1].max(f64::MIN_POSITIVE))
    }
}

/// Complete updates at each SIMD level, and in double precision.
fn update(criterion: &mut Criterion) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    for name in ["windmill", "hare"] {
        let sample = Sample::new(name);
        println!("{name}: SIMD results differ from double precision by {:.1e}", sample.error());
        let mut group = criterion.benchmark_group(format!("update {name}"));
        for count in COUNTS {
            let (mut crowd, mut animator) = (sample.crowd(count), CrowdAnimator::new(&sample.0));
            group.throughput(sample.throughput(count));
            let mut time_secs = 0.0;
            let mut tick = || {
                time_secs = (time_secs + 1.0 / 60.0) % sample.duration_secs();
                time_secs
            };
            for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
                animator.set_simd_level(level);
                group.bench_function(BenchmarkId::new(level.name(), count), |bencher| {
                    pool.install(|| bencher.iter(|| animator.update(&mut crowd, tick())));
                });
            }
            group.bench_function(BenchmarkId::new("scalar", count), |bencher| {
                pool.install(|| bencher.iter(|| animator.update_in_double_precision(&mut crowd, tick())));
            });
        }
        group.finish();
    }
}

/// Updates with 1, 2, 4, ... threads, up to the number of processors.
fn threads(criterion: &mut Criterion) {
    let sample = Sample::new("windmill");
    let count = 20_000;
    let (mut crowd, mut animator) = (sample.crowd(count), CrowdAnimator::new(&sample.0));
    let mut group = criterion.benchmark_group("threads, 20,000 windmills");
    group.throughput(sample.throughput(count));
    let max_threads = std::thread::available_parallelism().map_or(1, usize::from);
    for threads in (0..).map(|i| 1 << i).take_while(|threads| *threads <= max_threads) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        group.bench_function(threads.to_string(), |bencher| {
            pool.install(|| bencher.iter(|| animator.update(&mut crowd, 0.3)));
        });
    }
    group.finish();
}

/// Memory bandwidth limit: fills a buffer of the palette's size.
fn write_limit(criterion: &mut Criterion) {
    let sample = Sample::new("windmill");
    let mut group = criterion.benchmark_group("writing the palette of windmills alone");
    for count in COUNTS {
        let mut animator = CrowdAnimator::new(&sample.0);
        animator.update_in_double_precision(&mut sample.crowd(count), 0.0);
        let mut texels = animator.palette().texels().to_vec();
        group.throughput(sample.throughput(count));
        let mut value = 0.0;
        group.bench_function(count.to_string(), |bencher| {
            bencher.iter(|| {
                value += 1.0;
                std::hint::black_box(&mut texels).fill([value; 4]);
            });
        });
    }
    group.finish();
}

/// The steps of the double-precision path. The SIMD path is a single pass.
fn stages(criterion: &mut Criterion) {
    let sample_rig = Sample::new("hare");
    let (skeleton, clip) = (&sample_rig.0.model().skeleton, &sample_rig.0.model().clips[0]);
    let (mut cursor, mut pose, mut model_pose) = (Cursor::default(), Pose::default(), ModelPose::default());
    let mut time_secs = 0.0;
    let mut group = criterion.benchmark_group("stages of one hare");
    group.throughput(sample_rig.throughput(1));
    group.bench_function("sample", |bencher| {
        bencher.iter(|| {
            time_secs = (time_secs + 1.0 / 60.0) % sample_rig.duration_secs();
            sample(skeleton, clip, time_secs, &mut cursor, &mut pose);
        });
    });
    group.bench_function("hierarchy", |bencher| bencher.iter(|| model_pose.update(skeleton, &pose)));
    group.finish();
}

/// Compilation of a clip's plan.
fn prepare(criterion: &mut Criterion) {
    let sample = Sample::new("windmill");
    criterion.bench_function("prepare windmill", |bencher| {
        let mut crowd = sample.crowd(2);
        bencher.iter(|| CrowdAnimator::new(&sample.0).prepare(&mut crowd));
    });
}

fn import(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("import");
    for name in ["windmill", "hare"] {
        for (images, what) in [(ImageLoading::Skip, "without images"), (ImageLoading::Decode, "with images")] {
            group.bench_function(format!("{name} {what}"), |bencher| {
                bencher.iter(|| {
                    open(&asset_path(name), &ImportOptions::default().with_images(images)).expect("a model from assets")
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, update, threads, write_limit, stages, prepare, import);
criterion_main!(benches);
