//! View mode and overlays of a loaded scene at one time.

use crate::app::FileError;
use crate::app::scene::LoadedScene;
use crate::app::scene::lookup::{PathPoint, find_joint, find_path_point, joint_name};
use crate::app::scene::selection::{HiddenParts, Selection};
use crate::request::{DebugViewRequest, GhostsRequest, OverlayRequest};
use nalgebra::Vector3;
use rigview_core::crowd::{Crowd, CrowdAnimator, Instance};
use rigview_core::math::{Aabb, Affine, SupportHull};
use rigview_core::model::{InstanceIndex, Model};
use rigview_core::palette::{Palette, Skinning};
use rigview_core::pose::{LoopMode, Playback};
use rigview_render::image_text::LegendPanel;
use rigview_render::scene::{
    BoneStyle, DEFAULT_TEXELS_PER_METER, DebugView, GhostPose, Grid, JointTable, Overlay, ViewMode, shown_joints,
};
use rigview_render::scene::{dominant_joints, influence_stats};

/// Owns what a frame's [`DebugView`] borrows.
pub(crate) struct DebugViewBuilder {
    view_mode: ViewMode,
    texels_per_meter: Option<u32>,
    skinning: Skinning,
    wireframe: bool,
    joint_table: Option<JointTable>,
    pub(crate) overlay: Overlay,
    /// Palettes of ghosts and rest poses. Ghosts have a color and an opacity.
    ghost_palettes: Vec<(Palette, Option<[f32; 4]>)>,
    /// Position of the rest pose relative to the model.
    rest_offset: Option<Vector3<f64>>,
    /// Hull of the source of a motion.
    source_hull: Option<SupportHull>,
    /// Name of the joint whose weights are shown.
    weighted_joint: Option<String>,
    has_legend: bool,
    hidden_draws: Vec<bool>,
    highlighted_draws: Vec<bool>,
}

/// Samples of a motion path per second.
const PATH_SAMPLES_PER_SEC: f64 = 30.0;
/// Maximum number of samples of a motion path.
const MAX_PATH_SAMPLES: f64 = 600.0;
/// Distance of the rest pose from the model, relative to its width.
const REST_POSE_DISTANCE: f64 = 1.15;
/// Maximum number of instances with ghosts and rest poses.
const MAX_GHOST_INSTANCES: usize = 100;
/// Maximum number of joints of all instances of a model without a mesh that are drawn.
const MAX_SKELETON_JOINTS: usize = 10_000;
/// Colors of earlier and later poses, sRGB.
const GHOST_BEFORE: [f32; 3] = [0.22, 0.52, 1.0];
const GHOST_AFTER: [f32; 3] = [1.0, 0.55, 0.15];

impl DebugViewBuilder {
    /// Prepares the view that `request` describes, at `time_secs`.
    pub(crate) fn new(request: &DebugViewRequest, scene: &LoadedScene, time_secs: f64) -> Result<Self, FileError> {
        let model = scene.model();
        let mode_request = request.view_mode.as_ref();
        let view_mode = mode_request.map_or(ViewMode::Material, |mode| mode.view_mode);
        let joint_of = |name: &Option<String>| name.as_ref().map(|name| find_joint(model, name)).transpose();
        let weighted_joint = joint_of(&mode_request.and_then(|mode| mode.joint.clone()))?;
        let selected = joint_of(&request.joint)?.or(weighted_joint);
        let mut overlay = Overlay::default();
        if request.has(OverlayRequest::Grid) {
            overlay.grid = Some(Grid::under(scene.bounds()));
        }
        if request.has(OverlayRequest::Bounds) {
            overlay.depth_tested.cuboid(scene.bounds(), [0.95, 0.85, 0.3, 0.9], 1.5);
        }
        if request.has(OverlayRequest::ScaleFigure) {
            overlay.depth_tested.scale_figure(scene.bounds());
        }
        let source = || Some((scene.motion()?, scene.clip?, scene.rig_map().ok()?.feet(model).ok()?));
        let source = request.has(OverlayRequest::MotionSource).then(source).flatten();
        let source_hull =
            source.and_then(|(motion, clip, feet)| motion.add_skeleton(&mut overlay, &feet, clip, time_secs));
        let [skeleton, axes] = [OverlayRequest::Skeleton, OverlayRequest::Axes].map(|overlay| request.has(overlay));
        let style = BoneStyle { x_ray: true, axes, selected };
        for scene in scene.models().filter(|scene| scene.is_skeleton()) {
            let max_instances = (MAX_SKELETON_JOINTS / scene.model().skeleton.len()).max(1);
            for instance in scene.crowd.indices().take(max_instances) {
                let transforms = scene.world_from_all_joints(instance, time_secs);
                overlay.add_skeleton_model(scene.model(), |joint| transforms[joint.get()], style);
            }
        }
        if !scene.is_skeleton() && (skeleton || axes || request.joint.is_some()) {
            let shown = shown_joints(model, scene.layout());
            let transforms = scene.world_from_all_joints(InstanceIndex(0), time_secs);
            overlay.add_skeleton(model, &shown, |joint| transforms[joint.get()], style);
        }
        for name in &request.motion_paths {
            add_motion_path(&mut overlay, scene, find_path_point(model, name)?, time_secs);
        }
        let mut view = Self {
            view_mode,
            texels_per_meter: mode_request.and_then(|mode| mode.texels_per_meter),
            skinning: request.skinning.unwrap_or_default(),
            wireframe: request.has(OverlayRequest::Wireframe),
            joint_table: view_mode.needs_joint_table().then(|| JointTable::new(model, scene.layout(), weighted_joint)),
            overlay,
            ghost_palettes: Vec::new(),
            rest_offset: None,
            source_hull,
            weighted_joint: weighted_joint.map(|joint| joint_name(model, joint)),
            has_legend: request.has(OverlayRequest::Legend),
            hidden_draws: HiddenParts::find(model, request)?.draws(scene),
            highlighted_draws: match &request.highlight {
                Some(part) => Selection::find(model, part)?.draws(scene),
                None => Vec::new(),
            },
        };
        if request.has(OverlayRequest::RestPose) {
            let offset = Vector3::x() * scene.bounds().extent().x.max(1e-9) * REST_POSE_DISTANCE;
            let instances = first_placements(scene, offset).map(|placement| Instance::new(placement, None, 0.0));
            let palette = pose_palette(CrowdAnimator::new(scene.rig()), Crowd::new(instances), 0.0);
            view.ghost_palettes.push((palette, None));
            view.rest_offset = Some(offset);
        }
        if let Some(ghosts) = request.ghosts {
            view.add_ghosts(scene, ghosts, time_secs);
        }
        Ok(view)
    }

    /// Adds ghosts, the farthest first. Skips times beyond the ends of a clip that does not loop.
    fn add_ghosts(&mut self, scene: &LoadedScene, ghosts: GhostsRequest, time_secs: f64) {
        let loops = scene.crowd.layers(InstanceIndex(0)).any(|layer| layer.playback.loop_mode != LoopMode::Once);
        for step in (1..=ghosts.count).rev() {
            let opacity = 0.6 * (1.0 - f64::from(step - 1) / f64::from(ghosts.count)) as f32;
            for (sign, [r, g, b]) in [(-1.0, GHOST_BEFORE), (1.0, GHOST_AFTER)] {
                let ghost_secs = time_secs + sign * f64::from(step) * ghosts.spacing_secs;
                if loops || (0.0..=scene.duration_secs()).contains(&ghost_secs) {
                    // With layers and pose overrides.
                    let (animator, crowd) = scene.copies(first_placements(scene, Vector3::zeros()));
                    self.ghost_palettes.push((pose_palette(animator, crowd, ghost_secs), Some([r, g, b, opacity])));
                }
            }
        }
    }

    pub(crate) fn ghosts(&self) -> Vec<GhostPose<'_>> {
        self.ghost_palettes.iter().map(|(palette, ghost)| GhostPose { palette, color: *ghost }).collect()
    }

    pub(crate) fn debug_view<'a>(&'a self, ghosts: &'a [GhostPose<'a>]) -> DebugView<'a> {
        DebugView {
            mode: self.view_mode,
            texels_per_meter: self.texels_per_meter,
            pixels_per_point: None,
            joint_table: self.joint_table.as_ref(),
            skinning: self.skinning,
            wireframe: self.wireframe,
            overlay: (!self.overlay.is_empty()).then_some(&self.overlay),
            ghosts,
            hidden_draws: &self.hidden_draws,
            highlighted_draws: &self.highlighted_draws,
        }
    }

    /// Returns the legend of an image, if it is requested and fits.
    pub(crate) fn legend(&self, scene: &LoadedScene, size: [u32; 2]) -> Option<LegendPanel> {
        if !self.has_legend {
            return None;
        }
        let joints = match self.view_mode {
            ViewMode::DominantJoint => dominant_joints(&influence_stats(scene.model())),
            _ => Vec::new(),
        };
        let legend = self.view_mode.legend(&scene.model().skeleton, &joints);
        let weighted_joint = self.weighted_joint.as_ref().map(|name| format!("joint {name}"));
        let grid = self.overlay.grid.map(|grid| format!("grid of {}", grid.cell_label()));
        let flat_normals = flat_normals_note(scene.model(), self.view_mode);
        let target = (self.view_mode == ViewMode::TexelDensity).then(|| texel_target_note(self.texels_per_meter));
        let note: Vec<String> = weighted_joint.into_iter().chain(target).chain(grid).chain(flat_normals).collect();
        let note = (!note.is_empty()).then(|| note.join(", "));
        if legend.is_none() && note.is_none() {
            return None;
        }
        LegendPanel::new(size, legend.as_ref(), note.as_deref())
    }

    /// Support hull of everything that is framed.
    pub(crate) fn hull(&self, scene: &LoadedScene) -> SupportHull {
        let mut hull = scene.hull.clone();
        self.source_hull.iter().for_each(|source| hull.merge(source));
        if let Some(offset) = self.rest_offset {
            hull.merge(&scene.hull.transformed(&Affine::from_translation(offset)));
        }
        hull
    }

    /// Bounds for the depth range, including overlays.
    pub(crate) fn depth_bounds(&self, hull: &SupportHull) -> Aabb {
        let mut bounds = *hull.bounds();
        bounds.merge(&self.overlay.bounds());
        bounds
    }
}

/// Placements of the first instances, moved by `offset`.
fn first_placements(scene: &LoadedScene, offset: Vector3<f64>) -> impl Iterator<Item = Affine> {
    let instances = scene.crowd.indices().take(MAX_GHOST_INSTANCES);
    instances.map(move |instance| Affine::from_translation(offset) * scene.crowd.placement(instance))
}

fn pose_palette(mut animator: CrowdAnimator, mut crowd: Crowd, clock_secs: f64) -> Palette {
    animator.update_in_double_precision(&mut crowd, clock_secs);
    animator.into_palette()
}

/// Returns the target of the texel density for a legend.
pub(crate) fn texel_target_note(texels_per_meter: Option<u32>) -> String {
    format!("target {} texels per meter; stripes: no texture", texels_per_meter.unwrap_or(DEFAULT_TEXELS_PER_METER))
}

fn add_motion_path(overlay: &mut Overlay, scene: &LoadedScene, point: PathPoint, time_secs: f64) {
    if scene.playing_clip().is_none() {
        overlay.add_motion_path(&scene.path_at(point, std::iter::once(time_secs)), Some(0));
        return;
    }
    let duration = scene.duration_secs();
    let steps = (duration * PATH_SAMPLES_PER_SEC).ceil().clamp(1.0, MAX_PATH_SAMPLES);
    let transforms = scene.motion_path(point, steps as usize);
    let playback = scene.crowd.layers(InstanceIndex(0)).next().map_or(Playback::ONCE, |layer| layer.playback);
    let fraction = if duration > 0.0 { playback.clip_time(time_secs, duration) / duration } else { 0.0 };
    overlay.add_motion_path(&transforms, Some((fraction * steps).round() as usize));
}
/// The note of the normals view for a model with meshes that have no normals.
pub(crate) fn flat_normals_note(model: &Model, mode: ViewMode) -> Option<String> {
    let primitives = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let is_flat = primitives.into_iter().any(|primitive| primitive.vertices.normals.is_none());
    (mode == ViewMode::Normals && is_flat).then(|| "meshes without normals: flat".to_owned())
}
