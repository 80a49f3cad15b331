//! Export arguments: the request that renders the current frame.

use crate::app::scene::lookup::name_or_index;
use crate::app::scene::pose_overrides::{expression_requests, joint_pose_requests, morph_weight_requests};
use crate::app::viewer::state::AppState;
use crate::request::{DebugViewRequest, Quality, RenderRequest, SceneRequest, TimeRequest};

/// The request that renders the current frame of the open file, with `size` in pixels; `None` without a file.
pub(crate) fn render_request(state: &AppState, size: [u32; 2]) -> Option<RenderRequest> {
    let (document, request) = (state.document.as_ref()?, &state.request);
    let light = state.light.with_exposure(state.exposure_ev()).without_defaults();
    let quality = state.view_options.quality;
    let loaded = &document.scene;
    let model = loaded.model();
    let clips = || model.clips.iter().map(|clip| clip.name.as_deref());
    let clip = match loaded.clip {
        _ if !document.crowd.clips.is_empty() => None,
        None if model.clips.is_empty() => None,
        None => Some("none".to_owned()),
        Some(clip) if clip.get() == 0 => None,
        Some(clip) => Some(name_or_index(clips(), clip.get())),
    };
    let scenes = || model.scenes.iter().map(|scene| scene.name.as_deref());
    let scene = (loaded.scene_index != model.default_scene).then(|| name_or_index(scenes(), loaded.scene_index.get()));
    let cameras = || model.cameras.iter().map(|camera| camera.name.as_deref());
    let variants = || model.variants.iter().map(Option::as_deref);
    let camera = document.camera.model_camera.map(|camera| name_or_index(cameras(), camera.get()));
    let aspect = f64::from(size[0]) / f64::from(size[1]);
    let first_view = loaded.first_view(&loaded.hull, aspect);
    let orbit = &document.camera.orbit;
    let is_free = camera.is_none();
    let (mut eye, mut target) = (None, None);
    if is_free && *orbit != first_view {
        eye = Some((orbit.eye() + loaded.origin).into());
        target = Some((orbit.target + loaded.origin).into());
    }
    Some(RenderRequest {
        scene: SceneRequest {
            clip,
            time: TimeRequest::Secs(document.clock_secs()),
            scene,
            variant: document.variant.map(|variant| name_or_index(variants(), variant)),
            layers: loaded.blend().to_requests(document.clock_secs(), |clip| name_or_index(clips(), clip.get())),
            joint_poses: joint_pose_requests(model, loaded.overrides()),
            expressions: expression_requests(model, loaded.overrides()),
            morph_weights: morph_weight_requests(model, loaded.overrides()),
            crowd: document.crowd.clone(),
            ..request.scene.clone()
        },
        size,
        eye,
        target,
        fov_degrees: (is_free && orbit.fov_y != first_view.fov_y).then_some(orbit.fov_y.to_degrees()),
        orthographic: is_free && orbit.orthographic,
        camera,
        background: state.settings.backdrop.request(state.light.background_blur),
        light,
        debug_view: DebugViewRequest { highlight: None, ..document.debug_view.clone() },
        quality,
        samples: (quality == Quality::Standard).then_some(request.samples),
        ..RenderRequest::new(loaded.file.clone())
    })
}
