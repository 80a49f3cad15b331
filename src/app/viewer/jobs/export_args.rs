//! Export arguments: the request that renders the current frame.

use crate::app::scene::lookup::name_or_index;
use crate::app::scene::pose_overrides::{joint_pose_requests, morph_weight_requests};
use crate::app::viewer::state::document::Document;
use crate::app::viewer::state::{Backdrop, LightSettings};
use crate::request::{DebugViewRequest, Quality, RenderRequest, SceneRequest};
use rigview_render::scene::Orbit;

/// The parts of a render request that do not belong to the document.
pub(crate) struct ViewportRequest<'a> {
    pub(crate) scene: &'a SceneRequest,
    pub(crate) light: &'a LightSettings,
    pub(crate) exposure_ev: f64,
    pub(crate) quality: Quality,
    pub(crate) samples: u32,
    pub(crate) backdrop: Backdrop,
    /// Width and height in pixels.
    pub(crate) size: [u32; 2],
}

/// The request that renders the current frame of `document`.
pub(crate) fn render_request(document: &Document, viewport: &ViewportRequest<'_>) -> RenderRequest {
    let (size, request) = (viewport.size, viewport.scene);
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
    let first_view = Orbit::framing(&loaded.hull, aspect);
    let orbit = &document.camera.orbit;
    let is_free = camera.is_none();
    let (mut eye, mut target) = (None, None);
    if is_free && *orbit != first_view {
        eye = Some(orbit.eye().into());
        target = Some(orbit.target.into());
    }
    RenderRequest {
        file: loaded.file.clone(),
        scene: SceneRequest {
            clip,
            time_secs: document.clock_secs(),
            scene,
            variant: document.variant.map(|variant| name_or_index(variants(), variant)),
            clip_sources: request.clip_sources.clone(),
            layers: loaded.blend().to_requests(document.clock_secs(), |clip| name_or_index(clips(), clip.get())),
            joint_poses: joint_pose_requests(model, loaded.overrides()),
            morph_weights: morph_weight_requests(model, loaded.overrides()),
            ignore_required: request.ignore_required,
            import: request.import.clone(),
            crowd: document.crowd.clone(),
        },
        size,
        eye,
        target,
        fov_degrees: (is_free && orbit.fov_y != first_view.fov_y).then_some(orbit.fov_y.to_degrees()),
        orthographic: is_free && orbit.orthographic,
        camera,
        aperture: None,
        focus: None,
        shutter_secs: None,
        background: viewport.backdrop.request(viewport.light.background_blur),
        light: viewport.light.with_exposure(viewport.exposure_ev).without_defaults(),
        debug_view: DebugViewRequest { highlight: None, ..document.debug_view.clone() },
        quality: viewport.quality,
        samples: (viewport.quality == Quality::Standard).then_some(viewport.samples),
        level_of_detail: false,
        anisotropy: 1,
    }
}
