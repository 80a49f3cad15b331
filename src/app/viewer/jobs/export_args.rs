//! What a person takes away from the window: the picture, and the command that makes it.

use crate::app::scene::pose_overrides::{joint_pose_requests, morph_weight_requests};
use crate::app::viewer::state::Backdrop;
use crate::app::viewer::state::document::Document;
use crate::request::{BackgroundRequest, DEFAULT_BACKGROUND_BLUR, LightRequest, RenderRequest, SceneRequest};
use crate::scene::Orbit;
use std::path::{Path, PathBuf};

/// The arguments of `rigview shot` that make the picture in the window.
pub(crate) fn shot_args(
    document: &Document,
    (asked, light, samples): (&SceneRequest, &LightRequest, u32),
    backdrop: Backdrop,
    size: [u32; 2],
) -> RenderRequest {
    let loaded = &document.scene;
    let model = loaded.model();
    let name_of = |names: Vec<Option<&str>>, place: usize| -> String {
        // A name that another one has too, or that is a number, would mean something else.
        let name = names[place].filter(|name| names.iter().position(|other| other == &Some(*name)) == Some(place));
        name.filter(|name| name.parse::<usize>().is_err() && *name != "none").map_or(place.to_string(), str::to_owned)
    };
    let clips = || model.clips.iter().map(|clip| clip.name.as_deref()).collect();
    let clip = match loaded.clip {
        _ if !document.crowd.clips.is_empty() => None,
        None if model.clips.is_empty() => None,
        None => Some("none".to_owned()),
        Some(clip) if clip.get() == 0 => None,
        Some(clip) => Some(name_of(clips(), clip.get())),
    };
    let scenes = || model.scenes.iter().map(|scene| scene.name.as_deref()).collect();
    let scene = (loaded.scene != model.default_scene).then(|| name_of(scenes(), loaded.scene.get()));
    let cameras = || model.cameras.iter().map(|camera| camera.name.as_deref()).collect();
    let variants = || model.variants.iter().map(Option::as_deref).collect();
    let camera = document.model_camera.map(|camera| name_of(cameras(), camera.get()));
    let aspect = f64::from(size[0]) / f64::from(size[1]);
    let first_view = Orbit::framing(&loaded.hull, aspect);
    let (mut eye, mut target) = (None, None);
    if camera.is_none() && document.orbit != first_view {
        eye = Some(document.camera().eye_in_world().into());
        target = Some(document.orbit.target.into());
    }
    RenderRequest {
        file: loaded.file.clone(),
        scene: SceneRequest {
            clip,
            time_secs: document.clock_secs(),
            scene,
            variant: document.variant.map(|variant| name_of(variants(), variant)),
            clip_sources: asked.clip_sources.clone(),
            layers: loaded.blend().to_requests(document.clock_secs(), |clip| name_of(clips(), clip.get())),
            joint_poses: joint_pose_requests(model, loaded.overrides()),
            morph_weights: morph_weight_requests(model, loaded.overrides()),
            ignore_required: asked.ignore_required,
            import: asked.import.clone(),
            crowd: document.crowd.clone(),
        },
        size,
        eye,
        target,
        fov_degrees: None,
        camera,
        background: match backdrop {
            Backdrop::Studio => None,
            Backdrop::Environment => Some(BackgroundRequest::Environment(DEFAULT_BACKGROUND_BLUR)),
            color => color.color().map(|color| BackgroundRequest::Color(color.map(f64::from))),
        },
        light: light.clone(),
        debug_view: document.look.clone(),
        samples,
    }
}

/// A name beside `model` that no file has yet: `fox-1.png`, `fox-2.png` and so on, with `what` behind the model's.
pub(crate) fn unique_output_path(model: &Path, what: &str, extension: &str) -> PathBuf {
    let stem = model.file_stem().unwrap_or(model.as_os_str()).to_string_lossy();
    let name = |number: usize| model.with_file_name(format!("{stem}{what}-{number}.{extension}"));
    let taken = (1..10_000).find(|&number| !name(number).exists());
    name(taken.unwrap_or(10_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_do_not_replace_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("fox.v2.glb");
        assert_eq!(unique_output_path(&model, "", "png"), folder.path().join("fox.v2-1.png"));
        assert_eq!(unique_output_path(&model, "-sheet", "gif"), folder.path().join("fox.v2-sheet-1.gif"));
        std::fs::write(folder.path().join("fox.v2-1.png"), b"").unwrap();
        assert_eq!(unique_output_path(&model, "", "png"), folder.path().join("fox.v2-2.png"));
    }
}
