//! `rigview bake`: the posed mesh as a file.

use super::progress::Progress;
use super::stage::Stage;
use super::{AppError, FileError, output, report};
use crate::cli::BakeArgs;
use crate::export::{StaticMesh, static_glb};
use crate::import::ImageLoading;
use crate::palette::{PosedVertices, skin_on_cpu};
use crate::platform::headless::Headless;
use crate::render::{RenderOptions, Renderer};
use rayon::prelude::*;

/// Poses the mesh and writes it.
pub(super) fn run(args: &BakeArgs) -> Result<(), AppError> {
    let progress = Progress::start(format!("baking {}", args.file.display()));
    let mut stage = Stage::open(&args.file, &args.pose, ImageLoading::Skip)?;
    stage.pose_exactly(args.pose.time);
    let meshes = if args.gpu { pose_on_gpu(&stage)? } else { pose_on_cpu(&stage) };
    let glb = static_glb(stage.model(), &stage.loaded.asset, &meshes)
        .map_err(|source| AppError::File { file: args.file.clone(), source: Box::new(FileError::Export(source)) })?;
    output::write_whole(&args.output, &glb)?;
    drop(progress);
    report::notices(&args.file, &stage.loaded.notices);
    if meshes.is_empty() {
        report::notice(format_args!("{}: the scene has no mesh: the result is empty", args.file.display()));
    }
    Ok(())
}

/// Every draw of every instance, in the order in which they are written.
fn parts(stage: &Stage) -> Vec<(usize, usize)> {
    let instances = 0..stage.palette.instance_count();
    instances.flat_map(|instance| (0..stage.layout.draws.len()).map(move |draw| (instance, draw))).collect()
}

fn part(stage: &Stage, instance: usize, draw: usize, vertices: PosedVertices) -> StaticMesh {
    StaticMesh { instance, draw: stage.layout.draws[draw], vertices }
}

fn pose_on_cpu(stage: &Stage) -> Vec<StaticMesh> {
    let pose = |(instance, draw): (usize, usize)| {
        let posed = skin_on_cpu(stage.model(), &stage.layout, &stage.palette, instance, &stage.layout.draws[draw]);
        part(stage, instance, draw, posed)
    };
    parts(stage).into_par_iter().map(pose).collect()
}

fn pose_on_gpu(stage: &Stage) -> Result<Vec<StaticMesh>, AppError> {
    let headless = Headless::new()?;
    let mut renderer = Renderer::new(headless.gpu(), RenderOptions::default())?;
    let model = renderer.upload(stage.model(), &stage.layout)?;
    let mut pose = |(instance, draw): (usize, usize)| {
        let posed = renderer.pose_vertices(&model, &stage.layout, &stage.palette, draw, instance)?;
        Ok(part(stage, instance, draw, posed))
    };
    parts(stage).into_iter().map(&mut pose).collect()
}
