//! Export arguments: the request that renders the current frame.

use crate::app::scene::lookup::name_or_index;
use crate::app::viewer::state::{AppState, Document, document::playing_name};
use crate::cli::shot_options;
use crate::request::{DebugViewRequest, OfView, OverlayRequest, Quality, RenderRequest, SceneRequest, TimeRequest};
use rigview_core::model::ClipIndex;
use std::path::PathBuf;

/// The request that renders the current frame of the open file, with `size` in pixels; `None` without a file.
pub(crate) fn render_request(state: &AppState, size: [u32; 2]) -> Option<RenderRequest> {
    let document = state.document.as_ref()?;
    let view = &state.view.request;
    let loaded = &document.scene;
    let model = loaded.model();
    let cameras = || model.cameras.iter().map(|camera| camera.name.as_deref());
    let camera = document.camera.model_camera.map(|camera| name_or_index(cameras(), camera.get()));
    let aspect = f64::from(size[0]) / f64::from(size[1]);
    let first_view = loaded.first_view(&loaded.hull, aspect);
    let orbit = &document.camera.orbit;
    let is_free = camera.is_none();
    let (mut eye, mut target) = (None, None);
    // A command frames the rest pose, too.
    if is_free && (*orbit != first_view || view.debug_view.has(OverlayRequest::RestPose)) {
        eye = Some((orbit.eye() + loaded.origin).into());
        target = Some((orbit.target + loaded.origin).into());
    }
    Some(RenderRequest {
        scene: scene_request(document),
        size,
        eye,
        target,
        fov_degrees: (is_free && orbit.fov_y != first_view.fov_y).then(|| degrees(orbit.fov_y)),
        orthographic: is_free && orbit.orthographic,
        camera,
        background: state.settings.background,
        light: state.light().without_defaults(),
        debug_view: document.view_request(&state.view, document.joint()),
        level_of_detail: view.level_of_detail && loaded.instance_count() > 1,
        quality: view.quality,
        samples: (view.quality == Quality::Standard).then_some(view.samples),
        ..RenderRequest::new(loaded.file.clone())
    })
}

/// The shortest number of degrees that gives `radians`, if that is a round one: conversion and inverse differ in the last bit.
fn degrees(radians: f64) -> f64 {
    let degrees = (radians.to_degrees() * 1e6).round() / 1e6;
    if degrees.to_radians() == radians { degrees } else { radians.to_degrees() }
}

/// The request for contents and pose of the current frame.
fn scene_request(document: &Document) -> SceneRequest {
    let (mut request, scene, clock_secs) = (document.request().clone(), &document.scene, document.clock_secs());
    let clips = scene.model().clips.iter().map(|clip| clip.name.as_deref());
    let name = |clip: ClipIndex| name_or_index(clips.clone(), clip.get());
    let own: Vec<ClipIndex> = scene.clip.into_iter().chain(scene.together().iter().copied()).collect();
    // What plays without an option needs none. During a cross-fade, its target is a layer.
    request.clip = request.clip.and(Some(playing_name(scene)).filter(|_| own.is_empty() || own != scene.opening_clips));
    scene.blend().add_fade(&mut request.layers, &own, clock_secs, name);
    request.time = TimeRequest::Secs(clock_secs);
    request
}

/// The options of one file that the open file needs, and another file does not get.
pub(crate) fn file_options(document: &Document) -> Vec<String> {
    let options = |scene: SceneRequest, (hide, isolate)| {
        let debug_view = DebugViewRequest { hide, isolate, ..DebugViewRequest::default() };
        shot_options(&RenderRequest { scene, debug_view, ..RenderRequest::new(PathBuf::new()) })
    };
    let request = SceneRequest { time: TimeRequest::default(), ..scene_request(document) };
    let of_view = options(request.of_view(), Default::default());
    let mut all = options(request, document.hidden.requests(document.scene.model()));
    all.retain(|option| !of_view.contains(option));
    all
}
