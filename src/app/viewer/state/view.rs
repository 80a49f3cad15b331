//! What the window shows of every file: view mode, overlays and light.

use crate::request::{
    BackgroundRequest, DEFAULT_BACKGROUND_BLUR, DebugViewRequest, EnvironmentRequest, GhostsRequest, LightRequest,
    OfView, OverlayRequest, ViewModeRequest, ViewRequest,
};
use rigview_core::model::{JointIndex, Model};
use rigview_render::scene::{ToneMapping, ViewMode};

/// The request for the view of every file, and what its switches restore.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ViewState {
    /// Without items of a file: the joint of the view mode and of the bones is the selected one. All fields of the light are
    /// set. The key light is the first of its lights; the others are those of the command line.
    pub(crate) request: ViewRequest,
    /// The path of the selected joint is shown.
    pub(crate) shows_motion_path: bool,
    /// The target of the texel density in another view mode, in texels per meter.
    unused_texel_target: Option<u32>,
    /// The ghosts while they are off.
    unused_ghosts: GhostsRequest,
    /// The key light while it is off.
    unused_key_light: Option<KeyLight>,
}

/// The backgrounds with a name, in cycling order. `None` is a gradient.
pub(crate) const BACKGROUNDS: [(Option<BackgroundRequest>, &str); 5] = [
    (None, "Studio"),
    (Some(BackgroundRequest::Color([1.0; 3])), "White"),
    (Some(BackgroundRequest::Color([0.5; 3])), "Gray"),
    (Some(BackgroundRequest::Color([0.0; 3])), "Black"),
    (Some(BackgroundRequest::Environment(DEFAULT_BACKGROUND_BLUR)), "Environment"),
];

/// Returns `true` if the backgrounds differ in the blur at most.
pub(crate) fn is_same_background(a: Option<BackgroundRequest>, b: Option<BackgroundRequest>) -> bool {
    let is_environment = |background| matches!(background, Some(BackgroundRequest::Environment(_)));
    a == b || (is_environment(a) && is_environment(b))
}

/// Returns the next background in cycling order; the first one after a custom color.
pub(crate) fn next_background(present: Option<BackgroundRequest>) -> Option<BackgroundRequest> {
    let index = BACKGROUNDS.iter().position(|(background, _)| is_same_background(*background, present));
    BACKGROUNDS[index.map_or(0, |index| (index + 1) % BACKGROUNDS.len())].0
}

/// A directional light that the user places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct KeyLight {
    /// Vector towards the light, of any length.
    pub(crate) to_light: [f64; 3],
    pub(crate) illuminance_lux: f64,
}

impl Default for KeyLight {
    fn default() -> Self {
        let mut light = Self { to_light: [0.0, 0.0, 1.0], illuminance_lux: 3.0 };
        light.set_angles(Self::DEFAULT_ANGLES);
        light
    }
}

impl KeyLight {
    /// From the upper left, as the key light of the studio.
    const DEFAULT_ANGLES: [f64; 2] = [-40.0, 40.0];

    /// Azimuth (0 in front of the model, on +Z; 90 on +X) and elevation in degrees.
    pub(crate) fn angles(&self) -> [f64; 2] {
        let [x, y, z] = self.to_light;
        [x.atan2(z), y.atan2(x.hypot(z))].map(f64::to_degrees)
    }

    /// Rounds the vector, so that commands stay short.
    pub(crate) fn set_angles(&mut self, angles: [f64; 2]) {
        let [(azimuth_sin, azimuth_cos), (elevation_sin, elevation_cos)] =
            angles.map(|degrees| libm::sincos(degrees.to_radians()));
        self.set_direction([azimuth_sin * elevation_cos, elevation_sin, azimuth_cos * elevation_cos]);
    }

    /// Sets the unit vector towards the light, rounded.
    pub(crate) fn set_direction(&mut self, to_light: [f64; 3]) {
        // Adding 0 turns -0 into 0.
        self.to_light = to_light.map(|x| (x * 1e4).round() / 1e4 + 0.0);
    }
}

/// Set-ups of the light by name: the default, a key and a fill light, and two lights from behind.
pub(crate) fn light_set_ups() -> [(&'static str, LightRequest); 3] {
    let with_lights = |lights: &[[f64; 4]], environment_intensity| LightRequest {
        lights: lights.to_vec(),
        environment: Some(EnvironmentRequest::Neutral),
        environment_intensity,
        tone_mapping: Some(ToneMapping::Neutral),
        file_lights: Some(true),
        ..ViewRequest::default().light
    };
    [
        ("Neutral", ViewRequest::default().light),
        ("Portfolio", with_lights(&[[-0.5, 0.64, 0.58, 1.9], [0.8, 0.3, 0.5, 0.4]], 0.45)),
        ("Rim", with_lights(&[[-0.8, 0.3, -0.5, 3.2], [0.8, 0.4, -0.45, 2.2]], 0.25)),
    ]
}

impl ViewState {
    /// The state at start.
    pub(crate) fn new(request: &ViewRequest) -> Self {
        let named = &request.debug_view;
        let mut request = request.of_view();
        if named.joint.is_some() && !named.has(OverlayRequest::Skeleton) {
            request.debug_view.overlays.push(OverlayRequest::Skeleton);
        }
        Self {
            shows_motion_path: !named.motion_paths.is_empty(),
            unused_texel_target: None,
            unused_ghosts: GhostsRequest::default(),
            unused_key_light: None,
            request,
        }
    }

    /// What surfaces show.
    pub(crate) fn view_mode(&self) -> ViewMode {
        self.request.debug_view.view_mode.as_ref().map_or(ViewMode::Material, |mode| mode.view_mode)
    }

    /// Returns `true` if the tint of the selection does not falsify the colors of the view mode.
    pub(crate) fn shows_highlight(&self) -> bool {
        matches!(self.view_mode(), ViewMode::Material | ViewMode::Solid)
    }

    pub(crate) fn set_view_mode(&mut self, view_mode: ViewMode) {
        let former = self.request.debug_view.view_mode.take();
        self.unused_texel_target = former.and_then(|mode| mode.texels_per_meter).or(self.unused_texel_target);
        let texels_per_meter = self.unused_texel_target.filter(|_| view_mode == ViewMode::TexelDensity);
        let mode = ViewModeRequest { texels_per_meter, ..view_mode.into() };
        self.request.debug_view.view_mode = Some(mode).filter(|_| view_mode != ViewMode::Material);
    }

    /// The view mode of the weights of the selected joint, in the chosen colors.
    pub(crate) fn weights_mode(&self) -> ViewMode {
        Some(self.view_mode()).filter(|mode| mode.needs_joint()).unwrap_or(ViewMode::Weights)
    }

    /// Returns `true` if the overlay is drawn.
    pub(crate) fn has(&self, overlay: OverlayRequest) -> bool {
        self.request.debug_view.has(overlay)
    }

    pub(crate) fn toggle(&mut self, overlay: OverlayRequest) {
        let overlays = &mut self.request.debug_view.overlays;
        match overlays.contains(&overlay) {
            true => overlays.retain(|other| *other != overlay),
            false => overlays.push(overlay),
        }
    }

    pub(crate) fn toggle_ghosts(&mut self) {
        let ghosts = &mut self.request.debug_view.ghosts;
        match ghosts.take() {
            Some(shown) => self.unused_ghosts = shown,
            None => *ghosts = Some(self.unused_ghosts),
        }
    }

    /// The request for the renderer with `joint` selected. Modes and overlays that need a joint are omitted without one.
    pub(crate) fn debug_view(&self, model: &Model, joint: Option<JointIndex>) -> DebugViewRequest {
        let joint = joint.map(|joint| model.skeleton.unambiguous_name(joint));
        let mut request = self.request.debug_view.clone();
        if let Some(mode) = request.view_mode.take_if(|mode| mode.view_mode.needs_joint()) {
            request.view_mode = joint.clone().map(|joint| ViewModeRequest { joint: Some(joint), ..mode });
        }
        let shows_bones = request.has(OverlayRequest::Skeleton) || request.has(OverlayRequest::Axes);
        request.joint = joint.clone().filter(|_| shows_bones);
        request.motion_paths = joint.filter(|_| self.shows_motion_path).into_iter().collect();
        request
    }

    /// Returns the key light if it is on.
    pub(crate) fn key_light(&self) -> Option<KeyLight> {
        let lights = &self.request.light.lights;
        let [x, y, z, illuminance_lux] = *lights.first().filter(|_| self.unused_key_light.is_none())?;
        Some(KeyLight { to_light: [x, y, z], illuminance_lux })
    }

    /// Turns the key light on, or changes it.
    pub(crate) fn set_key_light(&mut self, light: KeyLight) {
        let [x, y, z] = light.to_light;
        let replaced = usize::from(self.key_light().is_some());
        self.request.light.lights.splice(..replaced, [[x, y, z, light.illuminance_lux]]);
        self.unused_key_light = None;
    }

    pub(crate) fn toggle_key_light(&mut self) {
        match self.key_light() {
            Some(light) => {
                self.unused_key_light = Some(light);
                self.request.light.lights.remove(0);
            }
            None => self.set_key_light(self.unused_key_light.unwrap_or_default()),
        }
    }

    /// Number of directional lights of the command line after the key light.
    pub(crate) fn other_light_count(&self) -> usize {
        self.request.light.lights.len() - usize::from(self.key_light().is_some())
    }

    pub(crate) fn remove_other_lights(&mut self) {
        self.request.light.lights.truncate(usize::from(self.key_light().is_some()));
    }

    /// Replaces the light by a set-up.
    pub(crate) fn set_up_light(&mut self, light: LightRequest) {
        (self.request.light, self.unused_key_light) = (light, None);
    }

    pub(crate) fn rotate_environment(&mut self, degrees: f64) {
        let rotation = &mut self.request.light.environment_rotation_degrees;
        *rotation = (((*rotation + degrees + 180.0).rem_euclid(360.0) - 180.0) * 10.0).round() / 10.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::scene::tests::joint;
    use crate::request::ExposureRequest;
    use rigview_core::model::Skeleton;
    use rigview_core::palette::Skinning;
    use rigview_render::scene::Sky;

    #[test]
    fn texel_target_survives_another_view_mode() {
        let mut view = ViewState::new(&ViewRequest::default());
        let mode = ViewModeRequest { texels_per_meter: Some(300), ..ViewMode::TexelDensity.into() };
        view.request.debug_view.view_mode = Some(mode.clone());
        view.set_view_mode(ViewMode::Normals);
        assert_eq!(view.request.debug_view.view_mode, Some(ViewMode::Normals.into()));
        view.set_view_mode(ViewMode::TexelDensity);
        assert_eq!(view.request.debug_view.view_mode, Some(mode));
    }

    fn model() -> Model {
        let joints = [(4, Some("tail")), (7, Some("tail")), (9, None)].map(|(node, name)| joint(node, name, None));
        Model { skeleton: Skeleton::new(joints.into(), Vec::new()), ..Model::default() }
    }

    fn view() -> ViewState {
        ViewState::new(&ViewRequest::default())
    }

    #[test]
    fn modes_that_need_a_joint_are_omitted_without_one() {
        let (model, mut view) = (model(), view());
        assert_eq!(view.debug_view(&model, None), DebugViewRequest::default());
        view.set_view_mode(ViewMode::Weights);
        view.shows_motion_path = true;
        assert_eq!(view.debug_view(&model, None), DebugViewRequest::default());
        let request = view.debug_view(&model, Some(JointIndex(0)));
        assert_eq!(request.view_mode.unwrap().to_string(), "weights:tail");
        assert_eq!(request.motion_paths, ["tail"]);
        // Duplicate and missing names are replaced by node indices.
        let word = |joint| view.debug_view(&model, Some(JointIndex(joint))).motion_paths[0].clone();
        assert_eq!([word(1), word(2)], ["7", "9"]);
    }

    #[test]
    fn switches_restore_what_they_hide() {
        let mut view = view();
        let ghosts = GhostsRequest { count: 5, spacing_secs: 0.25 };
        (0..2).for_each(|_| view.toggle(OverlayRequest::Grid));
        view.toggle_ghosts();
        assert_eq!(view.request.debug_view.ghosts, Some(GhostsRequest::default()));
        view.request.debug_view.ghosts = Some(ghosts);
        view.toggle_ghosts();
        assert_eq!(view.request, ViewRequest::default());
        view.toggle_ghosts();
        assert_eq!(view.request.debug_view.ghosts, Some(ghosts));

        view.toggle_key_light();
        let light = view.request.light.clone().without_defaults();
        assert_eq!(light.environment, Some(EnvironmentRequest::Neutral));
        assert_eq!((light.tone_mapping, light.file_lights), (Some(ToneMapping::Neutral), Some(true)));
        let key_light = KeyLight { illuminance_lux: 7.0, ..KeyLight::default() };
        view.set_key_light(key_light);
        view.toggle_key_light();
        assert_eq!((view.key_light(), &view.request.light), (None, &ViewRequest::default().light));
        view.toggle_key_light();
        assert_eq!(view.key_light(), Some(key_light));

        let lights = vec![[0.0, 1.0, 0.0, 3.0], [1.0, 0.0, 0.0, 2.0]];
        view.set_up_light(LightRequest { lights: lights.clone(), ..LightRequest::default() });
        view.toggle_key_light();
        assert_eq!((view.key_light(), view.other_light_count()), (None, 1));
        view.toggle_key_light();
        assert_eq!((&view.request.light.lights, view.other_light_count()), (&lights, 1));
        view.remove_other_lights();
        assert_eq!(view.request.light.lights, lights[..1]);
    }

    #[test]
    fn command_line_sets_the_initial_view() {
        let named = DebugViewRequest {
            overlays: vec![OverlayRequest::Skeleton, OverlayRequest::Grid],
            skinning: Some(Skinning::DualQuaternion),
            ..DebugViewRequest::default()
        };
        let shown = |debug_view: &DebugViewRequest, joint| {
            let request = ViewRequest { debug_view: debug_view.clone(), ..ViewRequest::default() };
            ViewState::new(&request.with_window_defaults()).debug_view(&model(), joint)
        };
        assert_eq!(shown(&named, None), named);
        assert_eq!(shown(&named, Some(JointIndex(0))).joint.as_deref(), Some("tail"));
        let joint = DebugViewRequest { joint: Some("9".to_owned()), ..DebugViewRequest::default() };
        let expected = DebugViewRequest { overlays: vec![OverlayRequest::Skeleton], ..joint.clone() };
        assert_eq!(shown(&joint, Some(JointIndex(2))), expected);
        let legend = DebugViewRequest { overlays: vec![OverlayRequest::Legend], ..DebugViewRequest::default() };
        assert_eq!(shown(&legend, None), DebugViewRequest::default(), "the panels show one");
    }

    #[test]
    fn lights_round_trip() {
        let lights = vec![[-1.0, 2.0, 0.5, 4.0], [0.0, 1.0, 0.0, 1.0]];
        let (occlusion, shadow_catcher, exposure) = (Some(true), Some(true), Some(ExposureRequest::Auto));
        let of_window = LightRequest { occlusion, shadow_catcher, exposure, ..Default::default() };
        assert_eq!(ViewRequest::default().light.without_defaults(), of_window);
        for request in [
            LightRequest { lights: lights.clone(), ..LightRequest::default() },
            LightRequest {
                lights,
                environment: Some(EnvironmentRequest::Sky(Sky::Night)),
                file_lights: Some(true),
                tone_mapping: Some(ToneMapping::Agx),
                exposure: Some(ExposureRequest::Stops(-1.5)),
                ..LightRequest::default()
            },
            LightRequest {
                environment: Some(EnvironmentRequest::File("sky.hdr".into())),
                environment_rotation_degrees: 30.0,
                environment_intensity: 0.5,
                shadow_catcher: Some(true),
                file_lights: Some(false),
                ..LightRequest::default()
            },
        ] {
            assert_eq!(request.clone().with_defaults().without_defaults(), request);
        }
    }

    #[test]
    fn key_light_angles_round_trip() {
        let mut light = KeyLight::default();
        for angles in [[-40.0, 40.0], [0.0, 0.0], [170.0, -60.0], [90.0, 89.0]] {
            light.set_angles(angles);
            let found = light.angles();
            assert!((0..2).all(|i| (found[i] - angles[i]).abs() < 0.5), "{found:?}");
        }
    }

    #[test]
    fn environment_rotation_wraps_and_backgrounds_cycle() {
        let mut view = view();
        view.rotate_environment(170.0);
        view.rotate_environment(20.04);
        assert_eq!(view.request.light.environment_rotation_degrees, -170.0);
        let environment = Some(BackgroundRequest::Environment(0.9));
        assert_eq!(next_background(environment), None);
        assert_eq!(next_background(Some(BackgroundRequest::Color([0.2; 3]))), None);
        assert_eq!(next_background(None), BACKGROUNDS[1].0);
    }
}
