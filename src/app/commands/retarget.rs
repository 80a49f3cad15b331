//! `rigview retarget` and `rigview rig-map`.

use crate::app::console::report;
use crate::app::files::atomic_write::write_atomic;
use crate::app::files::model_file::open_model;
use crate::app::files::output_path::check_output;
use crate::app::{AppError, FileError};
use crate::cli::{RetargetArgs, RigMapArgs};
use crate::request::ImportRequest;
use rigview_core::import::{ImageLoading, ImportOptions, Imported};
use rigview_core::retarget::{RigMap, retarget_clips};
use rigview_render::export::glb_with_clips;
use std::path::{Path, PathBuf};

fn open(file: &Path, policy: &ImportRequest, map: &Option<PathBuf>) -> Result<(Imported, RigMap), AppError> {
    let options = ImportOptions::default().with_images(ImageLoading::Skip).with_policy(policy.policy());
    let loaded = open_model(file, &options)?;
    let map = RigMap::of_file(&loaded.model, file, map.as_deref()).map_err(|error| AppError::in_file(file, error))?;
    Ok((loaded, map))
}

pub(crate) fn retarget(args: &RetargetArgs) -> Result<(), AppError> {
    check_output(&args.output, [&*args.source, &*args.target], Some("glb"))?;
    let (source, source_map) = open(&args.source, &args.policy, &args.source_map)?;
    if source.model.clips.is_empty() {
        return Err(AppError::in_file(&args.source, FileError::NoClips));
    }
    let (mut target, map) = open(&args.target, &args.policy, &args.rig_map)?;
    let found = retarget_clips(&mut target.model, &map, &source.model, &source_map);
    let found = found.map_err(|error| AppError::in_file(&args.target, error))?;
    let glb = glb_with_clips(&target.gltf_file, &target.model, found.clips.clone());
    write_atomic(&args.output, &glb.map_err(|error| AppError::in_file(&args.target, error))?)?;
    let cleared = RigMap::cleared_diagnostics([(&map, &args.target), (&source_map, &args.source)]);
    let notices = found.unmatched.diagnostics(args.source.display()).into_iter().chain(cleared);
    report::notices(&notices.map(|diagnostic| diagnostic.message).collect::<Vec<_>>());
    report::lines(&found.lines(&target.model).into_iter().collect())
}

pub(crate) fn rig_map(args: &RigMapArgs) -> Result<(), AppError> {
    let (loaded, map) = open(&args.file, &args.policy, &args.rig_map)?;
    let rig = &loaded.model.skeleton;
    if let Some(output) = &args.output {
        check_output(output, [&*args.file], Some("toml"))?;
        return write_atomic(output, map.to_toml(rig).as_bytes());
    }
    if args.json { report::json(&map.to_json(rig)) } else { report::lines(&map.lines(rig).into_iter().collect()) }
}
