//! A loaded model with its instances and animation state.

use crate::app::error::{FileError, RigMapError};
use crate::app::scene::clip_blend::Blend;
use crate::app::scene::crowd_spec::CrowdSpec;
use crate::app::scene::lookup::PathPoint;
use crate::app::scene::motion::{ImportedMotion, rig_map_of};
use crate::request::{ClipWeight, SceneRequest};
use nalgebra::Vector3;
use rigview_core::crowd::{Crowd, CrowdAnimator, PoseOverrideIndex};
use rigview_core::import::{Diagnostic, GltfFile};
use rigview_core::math::{Aabb, SimdLevel, SupportHull};
use rigview_core::model::{Clip, ClipIndex, InstanceIndex, Model, SceneIndex};
use rigview_core::palette::{Palette, PaletteLayout, Rig};
use rigview_core::pose::PoseOverride;
use rigview_core::retarget::RigMap;
use rigview_render::scene::DetailSelection;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// A model, one of its scenes, a clip and a crowd, ready to be posed at any time.
pub(crate) struct LoadedModel {
    /// Path as given by the user.
    pub(crate) file: PathBuf,
    /// Its JSON, and its bytes until the model is uploaded.
    pub(crate) gltf_file: GltfFile,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) scene_index: SceneIndex,
    /// The main clip, `None` for the rest pose; with several clips, the first.
    pub(crate) clip: Option<ClipIndex>,
    /// The clips that play if the request names none.
    pub(crate) opening_clips: Vec<ClipIndex>,
    /// True if every instance plays the same clip at speed 1, so that the pose repeats each loop.
    pub(super) all_loop_together: bool,
    /// Duration of completed loops; only advances if not `all_loop_together`.
    pub(super) loop_offset_secs: f64,
    pub(super) spec: CrowdSpec,
    /// Pose overrides of every instance.
    pub(super) overrides: PoseOverride,
    /// Index of `overrides` in the crowd.
    pub(super) overrides_index: Option<PoseOverrideIndex>,
    pub(super) blend: Blend,
    /// Clock time at which the hull and the places of the instances have the weights of a running cross-fade; `None` for those before it.
    pub(super) fade_clock_secs: Option<f64>,
    /// For each instance, the number of clips that it plays without a blend; empty if each plays one. They are its first layers.
    pub(super) own_layers: Vec<u8>,
    pub(super) motion_paths: Mutex<HashMap<PathPoint, Arc<[Vector3<f64>]>>>,
    pub(crate) crowd: Crowd,
    /// Support hull of all instances over the whole clip, in world space; that of the first model has the instances of all models.
    pub(crate) hull: SupportHull,
    /// The point of model space at the place of each instance. Zero except for a model far from its origin.
    pub(crate) origin: Vector3<f64>,
    /// Owns the rig, and the palette of the last [`pose_at_clock`](super::LoadedScene::pose_at_clock).
    pub(crate) animator: CrowdAnimator,
    /// Levels of detail of the instances; `None` for full meshes.
    pub(super) detail: Option<DetailSelection>,
    /// Size of the model file with its external files; 0 if unknown.
    pub(crate) file_bytes: u64,
    /// Factor of the intensities of its lights.
    pub(super) light_scale: f64,
}

impl LoadedModel {
    /// Palette size of the crowd.
    pub(super) fn matrix_bytes(&self) -> u64 {
        self.palette().stride_texels() as u64 * 16 * self.spec.instance_count() as u64
    }

    /// Returns `true` if the skeleton is drawn in place of meshes, which the scene lacks.
    pub(crate) fn is_skeleton(&self) -> bool {
        self.layout().draws.is_empty() && !self.model().skeleton.is_empty()
    }

    pub(crate) fn rig(&self) -> &Rig {
        self.animator.rig()
    }

    pub(crate) fn model(&self) -> &Model {
        self.rig().model()
    }

    /// Indices of the clips of other files.
    pub(crate) fn imported_clips(&self) -> std::ops::Range<usize> {
        self.spec.file_clips..self.model().clips.len()
    }

    pub(crate) fn layout(&self) -> &PaletteLayout {
        self.rig().layout()
    }

    /// Palette of the last [`pose_at_clock`](super::LoadedScene::pose_at_clock).
    pub(crate) fn palette(&self) -> &Palette {
        self.animator.palette()
    }

    /// Bounds of all instances over the whole clip, in world space.
    pub(crate) fn bounds(&self) -> &Aabb {
        self.hull.bounds()
    }

    /// Returns the azimuth of a camera in front of the model, in radians.
    pub(crate) fn front_yaw(&self) -> f64 {
        let front = self.model().front();
        libm::atan2(front.x, front.z)
    }

    pub(crate) fn playing_clip(&self) -> Option<&Clip> {
        self.clip.map(|clip| &self.model().clips[clip.get()])
    }

    /// The clips that the first instance plays, with its blend, without duplicates. A fade is not included.
    pub(crate) fn playing_clips(&self) -> Vec<ClipIndex> {
        let mut clips: Vec<ClipIndex> = Vec::new();
        for layer in self.crowd.layers(InstanceIndex(0)).filter(|layer| layer.weight > 0.0) {
            clips.extend(layer.clip.filter(|clip| !clips.contains(clip)));
        }
        clips
    }

    /// The file from which the playing clip is retargeted, else the first such file.
    pub(crate) fn motion(&self) -> Option<&ImportedMotion> {
        let plays = |motion: &&ImportedMotion| self.clip.is_some_and(|clip| motion.clips.contains(&clip.get()));
        self.spec.motions.iter().find(plays).or(self.spec.motions.first())
    }

    /// The roles of the joints.
    pub(crate) fn rig_map(&self) -> Result<&RigMap, RigMapError> {
        rig_map_of(&self.spec.rig_map, self.model(), &self.file, self.gltf_file.policy())
    }

    /// The reasons why feet cannot follow a ground, and why heads cannot look at a target.
    pub(crate) fn constraint_problems(&self) -> [Option<String>; 2] {
        match self.rig_map() {
            Ok(map) => [map.feet(self.model()).err(), map.gaze(self.model()).err()]
                .map(|error| error.map(|error| FileError::from(error).to_string())),
            Err(error) => [0; 2].map(|_| Some(error.to_string())),
        }
    }

    /// Duration of the clip, 0 without one.
    pub(crate) fn duration_secs(&self) -> f64 {
        self.playing_clip().map_or(0.0, |clip| f64::from(clip.duration_secs))
    }

    /// Time of the first key of the clip, 0 without one.
    pub(crate) fn first_key_secs(&self) -> f64 {
        self.playing_clip().map_or(0.0, |clip| f64::from(clip.first_key_secs))
    }

    pub(crate) fn time_secs(&self, request: &SceneRequest) -> f64 {
        request.time.secs([self.first_key_secs(), self.duration_secs()])
    }

    /// Counts loops when the playback time wraps around from `before_secs` to `after_secs`.
    pub(crate) fn advance_loops(&mut self, before_secs: f64, after_secs: f64) {
        let (duration, delta_secs) = (self.duration_secs(), after_secs - before_secs);
        if !self.all_loop_together && delta_secs.abs() > 0.5 * duration {
            self.loop_offset_secs -= duration.copysign(delta_secs);
        }
    }

    /// Clock time at a time of the clip: completed loops are added.
    pub(crate) fn clock_secs(&self, time_secs: f64) -> f64 {
        time_secs + self.loop_offset_secs
    }

    pub(crate) fn copy_loop_offset(&mut self, other: &Self) {
        self.loop_offset_secs = other.loop_offset_secs;
    }

    pub(crate) fn crowd_clips(&self) -> Vec<ClipWeight> {
        self.spec.clip_weights()
    }

    /// Poses with a given instruction set.
    pub(crate) fn pose_with_simd(&mut self, clock_secs: f64, level: SimdLevel) {
        self.animator.set_simd_level(level);
        self.animator.update(&mut self.crowd, clock_secs);
    }

    pub(crate) fn pose_in_double_precision(&mut self, clock_secs: f64) {
        self.animator.update_in_double_precision(&mut self.crowd, clock_secs);
    }

    /// Poses every instance at a clock time.
    pub(super) fn pose(&mut self, clock_secs: f64) {
        // The single precision of SIMD would be spent on the distance from the origin.
        match self.crowd.len() == 1 || self.origin != Vector3::zeros() {
            true => self.pose_in_double_precision(clock_secs),
            false => self.pose_with_simd(clock_secs, SimdLevel::best()),
        }
    }
}
