//! What a person takes away from the window: the picture, and the command that makes it.

use crate::app::pose_overrides::{morph_args, put_args};
use crate::app::viewer::state::Backdrop;
use crate::app::viewer::state::document::Shown;
use crate::request::{BackgroundRequest, DEFAULT_BACKGROUND_BLUR, LightRequest, RenderRequest, SceneRequest};
use crate::scene::Orbit;
use std::path::{Path, PathBuf};

/// The arguments of `rigview shot` that make the picture in the window.
pub(crate) fn shot_args(
    shown: &Shown,
    (asked, light, samples): (&SceneRequest, &LightRequest, u32),
    backdrop: Backdrop,
    size: [u32; 2],
) -> RenderRequest {
    let stage = &shown.stage;
    let model = stage.model();
    let name_of = |names: Vec<Option<&str>>, place: usize| -> String {
        // A name that another one has too, or that is a number, would mean something else.
        let name = names[place].filter(|name| names.iter().position(|other| other == &Some(*name)) == Some(place));
        name.filter(|name| name.parse::<usize>().is_err() && *name != "none").map_or(place.to_string(), str::to_owned)
    };
    let clips = || model.clips.iter().map(|clip| clip.name.as_deref()).collect();
    let clip = match stage.clip {
        _ if !shown.crowd.clips.is_empty() => None,
        None if model.clips.is_empty() => None,
        None => Some("none".to_owned()),
        Some(clip) if clip.get() == 0 => None,
        Some(clip) => Some(name_of(clips(), clip.get())),
    };
    let scenes = || model.scenes.iter().map(|scene| scene.name.as_deref()).collect();
    let scene = (stage.scene != model.default_scene).then(|| name_of(scenes(), stage.scene.get()));
    let cameras = || model.cameras.iter().map(|camera| camera.name.as_deref()).collect();
    let variants = || model.variants.iter().map(Option::as_deref).collect();
    let camera = shown.through.map(|camera| name_of(cameras(), camera.get()));
    let aspect = f64::from(size[0]) / f64::from(size[1]);
    let first_view = Orbit::framing(&stage.hull, aspect);
    let (mut eye, mut target) = (None, None);
    if camera.is_none() && shown.orbit != first_view {
        eye = Some(shown.camera().eye_in_world().into());
        target = Some(shown.orbit.target.into());
    }
    RenderRequest {
        file: stage.file.clone(),
        scene: SceneRequest {
            clip,
            time_secs: shown.clock_secs(),
            scene,
            variant: shown.variant.map(|variant| name_of(variants(), variant)),
            clip_sources: asked.clip_sources.clone(),
            layers: stage.blend().to_args(shown.clock_secs(), |clip| name_of(clips(), clip.get())),
            joint_poses: put_args(model, stage.hand()),
            morph_weights: morph_args(model, stage.hand()),
            ignore_required: asked.ignore_required,
            import: asked.import.clone(),
            crowd: shown.crowd.clone(),
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
        debug_view: shown.look.clone(),
        samples,
    }
}

/// A name beside `model` that no file has yet: `fox-1.png`, `fox-2.png` and so on, with `what` behind the model's.
pub(crate) fn free_name(model: &Path, what: &str, extension: &str) -> PathBuf {
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
        assert_eq!(free_name(&model, "", "png"), folder.path().join("fox.v2-1.png"));
        assert_eq!(free_name(&model, "-sheet", "gif"), folder.path().join("fox.v2-sheet-1.gif"));
        std::fs::write(folder.path().join("fox.v2-1.png"), b"").unwrap();
        assert_eq!(free_name(&model, "", "png"), folder.path().join("fox.v2-2.png"));
    }
}
