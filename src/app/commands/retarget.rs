//! `rigview retarget` and `rigview rig-map`.

use crate::app::console::report;
use crate::app::error::RigMapError;
use crate::app::files::atomic_write::write_atomic;
use crate::app::files::model_file::{motion_diagnostics, open_model};
use crate::app::files::output_path::check_output;
use crate::app::files::rig_map_file::{
    cleared_diagnostics, confidence_diagnostics, low_confidence, open_rig_map, to_lines, to_toml,
};
use crate::app::{AppError, FileError};
use crate::cli::{RetargetArgs, RigMapArgs};
use crate::request::{ConversionRequest, ImportRequest};
use rigview_core::export::glb_with_clips;
use rigview_core::import::{ImageLoading, ImportOptions, Imported, name_clip_by_file};
use rigview_core::model::{Clip, Model};
use rigview_core::retarget::{ContactReport, Reference, Resampling, Retargeted, RigMap, retarget_clips};
use rigview_core::util::text::{counted, excerpt};
use std::path::Path;

fn open(file: &Path, policy: &ImportRequest, conversion: &ConversionRequest) -> Result<(Imported, RigMap), AppError> {
    let options = ImportOptions::default().with_images(ImageLoading::Skip).with_policy(policy.policy());
    let loaded = open_model(file, conversion, &options)?;
    let map = open_rig_map(&loaded.model, file, &policy.policy()).map_err(|error| AppError::in_file(file, error))?;
    Ok((loaded, map))
}

pub(crate) fn retarget(args: &RetargetArgs) -> Result<(), AppError> {
    let is_vrm = |path: &Path| path.extension().is_some_and(|found| found.eq_ignore_ascii_case("vrm"));
    // An avatar stays one; another model does not become one by its name.
    let extension = if is_vrm(&args.output) && is_vrm(&args.target) { "vrm" } else { "glb" };
    check_output(&args.output, [&*args.source, &*args.target], &args.policy.policy(), Some(extension))?;
    let (source, mut source_map) = open(&args.source, &args.policy, &args.conversion)?;
    if source.model.clips.is_empty() {
        return Err(AppError::in_file(&args.source, FileError::NoClips));
    }
    let (mut target, mut map) = open(&args.target, &args.policy, &args.conversion)?;
    let sides = [(&mut source_map, &source.model, &args.source), (&mut map, &target.model, &args.target)];
    for (is_of_model, (map, model, file)) in [false, true].into_iter().zip(sides) {
        let lines = args.assume.iter().filter(|assumption| assumption.is_of_model == is_of_model);
        let lines = lines.map(|line| (line.name.clone(), line.value.as_str().into())).collect();
        let applied = map.apply(&model.skeleton, &lines).map_err(|error| error.to_string());
        let in_option = |problem| RigMapError::File { file: "--assume".to_owned(), problem };
        applied.map_err(|problem| AppError::in_file(file, in_option(problem)))?;
    }
    let found = retarget_clips(&mut target.model, &map, &source.model, &source_map);
    let found = found.map_err(|error| {
        let file = if error.is_of_source() { &args.source } else { &args.target };
        AppError::in_file(file, error)
    })?;
    name_clip_by_file(&mut target.model.clips[found.clips.clone()], &args.source);
    let files = [&*args.source, &*args.target];
    if let Some((file, message)) = low_confidence(found.references, files).into_iter().find(|_| args.deny.is_some()) {
        return Err(AppError::in_file(file, FileError::LowConfidence(message)));
    }
    let glb = glb_with_clips(&target.gltf_file, &target.model, found.clips.clone());
    write_atomic(&args.output, &glb.map_err(|error| AppError::in_file(&args.target, error))?)?;
    let cleared = cleared_diagnostics([(&map, &args.target), (&source_map, &args.source)]);
    let of_files = [(&args.source, &source), (&args.target, &target)].into_iter();
    let notices = of_files.flat_map(|(file, loaded)| motion_diagnostics(file, &loaded.diagnostics));
    let notices = notices.chain(found.unmatched.diagnostics(args.source.display())).chain(cleared);
    let notices = notices.chain(confidence_diagnostics(found.references, files));
    let notices = notices.map(|diagnostic| diagnostic.message).chain(found.resampled.iter().map(Resampling::to_string));
    report::notices(&notices.collect::<Vec<_>>());
    report::lines(&clip_lines(&found, &target.model).into_iter().chain(reference_lines(&found)).collect())
}

/// Returns what is assumed about the rigs, and how sure that is.
fn reference_lines(retargeted: &Retargeted) -> Vec<String> {
    match retargeted.references {
        Some([motion, model]) => vec![
            format!("the motion has {motion}"),
            format!("the model has {model}"),
            Reference::confidence_of(&[motion, model]),
        ],
        None => vec!["the motion has the skeleton of the model: its clips are copied".to_owned()],
    }
}

/// Returns one line per clip: its name in `target`, and how far standing feet slide.
fn clip_lines(retargeted: &Retargeted, target: &Model) -> Vec<String> {
    let line = |(clip, report): (&Clip, &ContactReport)| {
        let name = clip.name.as_deref().map_or_else(|| "(unnamed)".to_owned(), excerpt);
        let feet = counted(report.count, "contact of a foot", "contacts of feet");
        let hands = match report.hand_count {
            0 => String::new(),
            count => format!(" and {}", counted(count, "contact of a hand", "contacts of hands")),
        };
        match report.count + report.hand_count {
            0 => format!("{name}: {:.3} s, no foot stands still", clip.duration_secs),
            _ => format!(
                "{name}: {:.3} s, {feet}{hands}, {} in all, slide {:.2} % of the leg length ({:.2} % in the source, {:.2} % without correction)",
                clip.duration_secs,
                counted(report.frame_count, "key", "keys"),
                100.0 * report.max_slide,
                100.0 * report.max_slide_of_source,
                100.0 * report.max_slide_before
            ),
        }
    };
    target.clips[retargeted.clips.clone()].iter().zip(&retargeted.contacts).map(line).collect()
}

pub(crate) fn rig_map(args: &RigMapArgs) -> Result<(), AppError> {
    let (loaded, map) = open(&args.file, &args.policy, &args.conversion)?;
    let rig = &loaded.model.skeleton;
    if let Some(output) = &args.output {
        check_output(output, [&*args.file], &args.policy.policy(), Some("toml"))?;
        return write_atomic(output, to_toml(&map, rig).as_bytes());
    }
    match args.json {
        true => report::json(&map.to_json(rig)),
        false => report::lines(&to_lines(&map, rig).into_iter().collect()),
    }
}
