//! Notices: non-fatal findings of a task, one line each.

use crate::app::scene::lookup::{joint_name, name_or_index, weight_name};
use crate::app::scene::selection::Selection;
use crate::app::scene::{LoadedModel, LoadedScene};
use crate::request::{DebugViewRequest, LayoutRequest, LightRequest, PartRequest, SceneRequest};
use rigview_check::{loop_discontinuity, visible_speed_jump};
use rigview_core::model::ClipIndex;
use rigview_core::palette::{MatrixFormat, Skinning};
use rigview_core::pose::moving_parts;
use rigview_core::util::text::quoted;

/// Maximum number of diagnostics per file; `info` prints all.
const MAX_DIAGNOSTICS: usize = 12;

/// Maximum number of jumps at the seam of a loop that are listed.
const MAX_SEAM_JUMPS: usize = 4;

/// Returns the diagnostics of all models, each with its file.
pub(crate) fn scene_notices(scene: &LoadedScene) -> Vec<String> {
    scene.drawn().flat_map(model_notices).collect()
}

fn model_notices(model: &LoadedModel) -> Vec<String> {
    let (file, diagnostics) = (model.file.display(), &model.diagnostics);
    let listed = diagnostics.iter().take(MAX_DIAGNOSTICS);
    let mut notices: Vec<String> = listed.map(|diagnostic| format!("{file}: {}", diagnostic.message)).collect();
    if let Some(more @ 1..) = diagnostics.len().checked_sub(MAX_DIAGNOSTICS) {
        notices.push(format!("{file}: and {more} more; `rigview info {file}` lists all of them"));
    }
    notices
}

/// Returns a notice for a scene without meshes, whose images show the skeleton.
pub(crate) fn no_mesh_notice(scene: &LoadedScene) -> Option<String> {
    let shown = match scene.is_skeleton() {
        true => "its bones, cameras and lights are shown",
        false => "nothing is shown",
    };
    scene.has_no_mesh().then(|| format!("{}: the scene has no mesh; {shown}", scene.file.display()))
}

/// Returns a notice for dual quaternions of a model with scales that they cannot hold.
pub(crate) fn dual_quaternion_notice(scene: &LoadedScene, request: &DebugViewRequest) -> Option<String> {
    let is_stretched = || scene.drawn().find(|scene| scene.rig().format() == MatrixFormat::Mat3x4);
    let stretched = (request.skinning == Some(Skinning::DualQuaternion)).then(is_stretched).flatten()?;
    let file = stretched.file.display();
    Some(format!(
        "{file}: dual quaternions hold one scale for all axes; if its joints have a non-uniform scale in this pose, it is not shown"
    ))
}

/// Returns a notice for images that show nothing of their model.
pub(crate) fn out_of_view_notice(scene: &LoadedScene, is_empty: bool) -> Option<String> {
    let notice =
        || format!("{}: nothing of the model is in view; the image shows only the background", scene.file.display());
    is_empty.then(notice)
}

/// Returns a notice for lights of the file in physical units, which make surfaces white with the default exposure.
pub(crate) fn overexposure_notice(scene: &LoadedScene, light: &LightRequest) -> Option<String> {
    let stops = -scene.auto_exposure_ev;
    let is_overexposed = stops > 0.0 && light.exposure.is_none() && light.uses_file_lights();
    let file = scene.file.display();
    is_overexposed.then(|| {
        format!("{file}: its lights are {stops:.0} stops too bright, so that surfaces are white; add --exposure auto")
    })
}

/// Returns a notice for clips that a request plays without naming them, unless it is the first of the file.
pub(crate) fn opening_clips_notice(scene: &LoadedScene, request: &SceneRequest) -> Option<String> {
    let is_of_file = matches!(request.crowd.layout, Some(LayoutRequest::File(_)));
    if request.clip.is_some() || !request.crowd.clips.is_empty() || is_of_file {
        return None;
    }
    let clips = &scene.model().clips;
    let name = |clip: ClipIndex| name_or_index(clips.iter().map(|clip| clip.name.as_deref()), clip.get());
    match scene.clip? {
        _ if !scene.together().is_empty() => {
            Some(format!("its {} clips move different parts and play together; --clip NAME plays one", clips.len()))
        }
        ClipIndex(0) => None,
        clip => {
            let (shown, first) = (name(clip), name(ClipIndex(0)));
            Some(format!(
                "plays clip `{shown}`, since `{first}` moves less than a third as many joints; --clip NAME plays another"
            ))
        }
    }
}

/// Returns a notice for clips whose end visibly differs from their start, in a video that loops.
pub(crate) fn loop_seam_notice(scene: &LoadedScene) -> Option<String> {
    let model = scene.model();
    let (name, rest_pose) = (|joint| quoted(&joint_name(model, joint)), model.skeleton.rest_model_pose());
    let weight = |joint, weight| weight_name(model, joint, weight);
    let mut jumps = Vec::new();
    for clip in scene.clip.iter().chain(scene.together()) {
        let clip = &model.clips[clip.get()];
        let seam = loop_discontinuity(model, &rest_pose, clip);
        jumps.extend(seam.and_then(|seam| seam.travel_text(name)));
        jumps.extend(seam.iter().flat_map(|seam| seam.visible_jumps(scene.bounds().diagonal(), name, weight)));
        let parts = moving_parts(model, &rest_pose, clip);
        let speeds = parts
            .iter()
            .filter_map(|part| Some(format!("{} {}", name(part.joint), visible_speed_jump(part.rotation.as_ref()?)?)));
        jumps.extend(speeds);
    }
    jumps.truncate(MAX_SEAM_JUMPS);
    (!jumps.is_empty()).then(|| format!("{}: where the video loops, {}", scene.file.display(), jumps.join(", ")))
}

/// Returns a notice for each hidden or isolated joint that has no mesh, so that nothing changes.
pub(crate) fn joint_without_mesh_notices(
    scene: &LoadedScene,
    request: &DebugViewRequest,
) -> impl Iterator<Item = String> {
    let is = move |part: &&PartRequest, has: fn(Selection, &LoadedScene) -> bool| {
        Selection::find(scene.model(), part).is_ok_and(|part| has(part, scene))
    };
    let hidden = request.hide.iter().filter(move |part| is(part, Selection::has_no_mesh));
    let isolated = request.isolate.iter().filter(move |part| is(part, Selection::deforms_all));
    let hidden = hidden.map(|part| format!("--hide {part} hides nothing, since it has no mesh of its own"));
    hidden.chain(
        isolated.map(|part| {
            format!("--isolate {part} hides nothing, since it has no mesh of its own and deforms all of them")
        }),
    )
}

/// Returns a notice for a time outside of the clip.
pub(crate) fn clamped_time_notice(scene: &LoadedScene, request: &SceneRequest) -> Option<String> {
    let (time_secs, end_secs) = (scene.time_secs(request), scene.duration_secs());
    let is_outside =
        request.crowd.instances == 1 && scene.playing_clip().is_some() && !(0.0..=end_secs).contains(&time_secs);
    let is_outside = is_outside && !scene.plays_several_clips();
    let shown_secs = time_secs.clamp(0.0, end_secs) as f32;
    is_outside.then(|| format!("the time {time_secs} s is outside of the clip; the image shows {shown_secs} s"))
}

/// Returns a notice if the GPU uses another number of samples per pixel than requested.
pub(crate) fn samples_notice(requested: u32, actual: u32) -> Option<String> {
    (requested != actual).then(|| format!("--samples {requested} is not supported by this GPU; using {actual}"))
}
