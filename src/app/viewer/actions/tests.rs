//! Tests of actions on the state, without a window.

use super::Action;
use super::dispatch::dispatch;
use super::effect::Effect;
use crate::app::scene::LoadedScene;
use crate::app::viewer::state::AppState;
use crate::app::viewer::state::document::Document;
use crate::import::ImageLoading;
use crate::request::{DebugViewRequest, LightRequest, SceneRequest, ViewRequest};
use std::path::Path;

fn document(file: &str) -> Document {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(file);
    let request = SceneRequest::default();
    Document::new(LoadedScene::open(&file, &request, ImageLoading::Skip).unwrap(), &request, 24.0, 1.0)
}

/// The state with a shipped model.
pub(super) fn state(file: &str) -> AppState {
    let request = ViewRequest {
        files: Vec::new(),
        scene: SceneRequest::default(),
        light: LightRequest::default(),
        debug_view: DebugViewRequest::default(),
        samples: 1,
        compare: false,
        hide_panels: false,
        ignore_settings: true,
    };
    let mut state = AppState::new(request, Default::default());
    state.document = Some(document(file));
    state
}

#[test]
fn one_version_is_kept_until_another_file_opens() {
    let mut state = state("hare.glb");
    assert_eq!(dispatch(&mut state, Action::CompareWithVersion, 1.0), None);
    assert!(state.notifications.list()[0].text.starts_with("No earlier version"));
    assert!(!state.compare_with_version() && !state.close_comparison() && !state.release_version());

    assert!(!state.keep_version(document("windmill.glb")));
    assert_eq!(dispatch(&mut state, Action::CompareWithVersion, 1.0), Some(Effect::CompareWithVersion));
    assert!(state.compare_with_version() && state.previous_version.is_none());
    let compared = |state: &AppState| {
        let comparison = state.comparison.as_ref().unwrap();
        (comparison.document.as_ref().unwrap().scene.model().clips.len(), comparison.names(Path::new("a.glb")))
    };
    let windmill = document("windmill.glb").scene.model().clips.len();
    let names = ["a.glb (now)", "windmill.glb (before reload)"].map(str::to_owned);
    assert_eq!(compared(&state), (windmill, names));

    // A reload replaces the compared version; the end of the comparison keeps it.
    assert!(state.keep_version(document("hare.glb")));
    assert_eq!(compared(&state).1[1], "hare.glb (before reload)");
    assert_eq!(dispatch(&mut state, Action::CloseComparison, 1.0), Some(Effect::CloseComparison));
    assert!(state.comparison.is_none() && state.previous_version.is_some());

    assert!(state.compare_with_version());
    assert!(state.release_version(), "the comparison ends with the version");
    assert!(state.comparison.is_none() && state.previous_version.is_none());
}
