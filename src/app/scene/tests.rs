//! Shipped models for tests.

use super::LoadedScene;
use crate::request::SceneRequest;
use rigview_core::import::ImageLoading;
use std::path::{Path, PathBuf};

pub(crate) fn shipped_model(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(file)
}

pub(crate) fn shipped_scene(file: &str, request: &SceneRequest) -> LoadedScene {
    LoadedScene::open(&shipped_model(file), request, ImageLoading::SizesOnly).unwrap()
}
