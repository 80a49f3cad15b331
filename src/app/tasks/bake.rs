//! Writes the posed mesh as a static .glb.

use crate::app::AppError;
use crate::app::files::atomic_write;
use crate::app::files::output_path::check_output;
use crate::app::notices::scene_notices;
use crate::app::scene::LoadedScene;
use crate::cli::BakeArgs;
use crate::request::SceneRequest;
use nalgebra::Vector3;
use rayon::prelude::*;
use rigview_core::export::{ExportError, StaticGlb, StaticMesh, posed_vertex_bytes};
use rigview_core::import::ImageLoading;
use rigview_core::palette::{BlockIndex, Skinning, skin_on_cpu};
use rigview_render::platform::headless::Headless;
use rigview_render::render::{RenderOptions, Renderer};
use std::io::Seek;
use std::path::Path;

/// Size of a batch of posed vertices in memory; a batch has at least one primitive.
const BATCH_BYTES: u64 = 16 << 20;

/// Maximum size of the binary chunk in memory until the JSON chunk is complete; larger ones spill to a file.
const MAX_MEMORY_BYTES: usize = 64 << 20;

/// Poses the model and writes the mesh. Returns notices.
pub(crate) fn make(args: &BakeArgs) -> Result<Vec<String>, AppError> {
    let request = &args.pose;
    let inputs = [args.file.as_path()].into_iter().chain(request.model_files());
    check_output(&args.output, inputs, &request.import.policy(), Some("glb"))?;
    let loaded = open_posed(&args.file, request)?;
    let export_error = |error| match error {
        ExportError::Write(source) => AppError::output(&args.output, source),
        error => AppError::in_file(&args.file, error),
    };
    let instance_bytes: u64 = loaded.layout().draws.iter().map(|draw| posed_vertex_bytes(loaded.model(), draw)).sum();
    if instance_bytes.saturating_mul(loaded.palette().instance_count() as u64) > u64::from(u32::MAX) {
        // Checked before the mesh is posed.
        return Err(export_error(ExportError::TooLarge));
    }
    let mut bin = atomic_write::scratch(&args.output, MAX_MEMORY_BYTES);
    let mut glb = StaticGlb::new(loaded.model(), &mut bin);
    if args.gpu {
        pose_on_gpu(&loaded, |mesh| glb.add(&mesh).map_err(export_error))?;
    } else {
        pose_on_cpu(&loaded, |mesh| glb.add(&mesh)).map_err(export_error)?;
    }
    let head = glb.finish(&loaded.gltf_file).map_err(export_error)?;
    atomic_write::write_atomic_with(&args.output, |file| {
        bin.rewind()?;
        file.write_all(&head)?;
        std::io::copy(&mut bin, file).map(drop)
    })?;
    let notice = || format!("{}: the scene has no mesh; the result is empty", loaded.file.display());
    Ok(scene_notices(&loaded).into_iter().chain(loaded.has_no_mesh().then(notice)).collect())
}

/// Opens a scene and poses it, at its place in the world.
pub(crate) fn open_posed(file: &Path, request: &SceneRequest) -> Result<LoadedScene, AppError> {
    let mut loaded = LoadedScene::open(file, request, ImageLoading::Skip)?;
    if loaded.origin != Vector3::zeros() {
        // The result keeps the position of the model.
        loaded.set_origin(Vector3::zeros());
    }
    let time_secs = loaded.time_secs(request);
    loaded.pose_in_double_precision(time_secs);
    Ok(loaded)
}

/// Pairs of block and draw index, in the order of the palette.
fn block_draws(loaded: &LoadedScene) -> impl Iterator<Item = (BlockIndex, usize)> {
    let blocks = loaded.palette().blocks();
    blocks.flat_map(|block| (0..loaded.layout().draws.len()).map(move |draw| (block, draw)))
}

fn pose_on_cpu(
    loaded: &LoadedScene,
    mut add: impl FnMut(StaticMesh) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let pose = |&(block, draw): &(BlockIndex, usize)| {
        let instance = loaded.crowd.instance_of_block(block);
        let draw = loaded.layout().draws[draw];
        StaticMesh { instance, draw, vertices: skin_on_cpu(loaded.rig(), loaded.palette(), block, &draw) }
    };
    let (mut batch, mut bytes) = (Vec::new(), 0);
    let mut remaining = block_draws(loaded).peekable();
    while let Some(next) = remaining.next() {
        batch.push(next);
        bytes += posed_vertex_bytes(loaded.model(), &loaded.layout().draws[next.1]);
        if bytes >= BATCH_BYTES || remaining.peek().is_none() {
            let posed: Vec<StaticMesh> = batch.par_iter().map(pose).collect();
            posed.into_iter().try_for_each(&mut add)?;
            (batch, bytes) = (Vec::new(), 0);
        }
    }
    Ok(())
}

fn pose_on_gpu(loaded: &LoadedScene, mut add: impl FnMut(StaticMesh) -> Result<(), AppError>) -> Result<(), AppError> {
    let headless = Headless::new()?;
    // Vertices are read back draw by draw.
    let options = RenderOptions { separate_draw_calls: true, ..RenderOptions::default() };
    let mut renderer = Renderer::new(headless.gpu(), options)?;
    let model = renderer.upload(loaded.model(), loaded.layout())?;
    block_draws(loaded).try_for_each(|(block, draw)| {
        let vertices =
            renderer.skinning_readback(&model, loaded.layout(), loaded.palette(), draw, block, Skinning::Linear)?;
        let instance = loaded.crowd.instance_of_block(block);
        add(StaticMesh { instance, draw: loaded.layout().draws[draw], vertices })
    })
}
