//! Posing by the SIMD kernel or by the double-precision reference.

use crate::app::scene::LoadedScene;
use rigview_core::math::SimdLevel;

/// Poses the crowd at `time_secs` with SIMD, or with the double-precision path if `dispatch` is `None`.
pub(crate) fn update(scene: &mut LoadedScene, dispatch: Option<SimdLevel>, time_secs: f64) {
    match dispatch {
        Some(dispatch) => scene.pose_with_simd(time_secs, dispatch),
        None => scene.pose_reference(time_secs),
    }
}
