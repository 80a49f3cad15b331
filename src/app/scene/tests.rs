//! Shipped models and joints for tests.

use super::LoadedScene;
use crate::request::SceneRequest;
use rigview_core::import::ImageLoading;
use rigview_core::math::Transform;
use rigview_core::model::{Joint, JointIndex};
use std::path::{Path, PathBuf};

pub(crate) fn shipped_model(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(file)
}

pub(crate) fn shipped_scene(file: &str, request: &SceneRequest) -> LoadedScene {
    LoadedScene::open(&shipped_model(file), request, ImageLoading::SizesOnly).unwrap()
}

/// A joint of a node without a transform.
pub(crate) fn joint(node: usize, name: Option<&str>, parent: Option<u32>) -> Joint {
    Joint {
        name: name.map(str::to_owned),
        node,
        parent: parent.map(JointIndex),
        rest: Transform::identity(),
        exact_rest_matrix: None,
        morph_weights: 0..0,
    }
}
