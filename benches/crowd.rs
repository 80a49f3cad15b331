//! What a frame of a crowd costs before anything is drawn: sampling, hierarchy, palette. And what opening a file costs.
//!
//! The throughput is in joints: one joint of one instance for one frame.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rigview::import::{ImageLoading, ImportOptions, open};
use rigview::math::Bounds;
use rigview::model::SceneIndex;
use rigview::palette::{Crowd, Packing, Palette, PaletteLayout};
use std::path::{Path, PathBuf};

const INSTANCES: usize = 1000;

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name).with_extension("glb")
}

fn update(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("update a crowd of 1000");
    for name in ["windmill", "hare"] {
        let options = ImportOptions { images: ImageLoading::Skip };
        let model = open(&shipped(name), &options).expect("a shipped model").model;
        let clip = &model.clips[0];
        let layout = PaletteLayout::new(&model, SceneIndex(0));
        let mut crowd = Crowd::on_grid(INSTANCES, &Bounds::EMPTY, f64::from(clip.duration_secs));
        let mut palette = Palette::new(&layout, Packing::choose(&model, &layout));
        let mut time_secs = 0.0;
        group.throughput(Throughput::Elements((INSTANCES * model.skeleton.len()) as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                time_secs += 1.0 / 60.0;
                crowd.update(&model, &layout, Some(clip), time_secs, &mut palette);
            });
        });
    }
    group.finish();
}

fn import(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("import");
    for name in ["windmill", "hare"] {
        for (images, what) in [(ImageLoading::Skip, "without images"), (ImageLoading::Decode, "with images")] {
            group.bench_function(format!("{name} {what}"), |bencher| {
                bencher.iter(|| open(&shipped(name), &ImportOptions { images }).expect("a shipped model"));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, update, import);
criterion_main!(benches);
