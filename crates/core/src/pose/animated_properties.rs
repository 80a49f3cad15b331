//! Animated material, light, camera and visibility properties.

use super::blend_weights::{WHOLE, positive_weight};
use super::hidden_joints::HiddenJoints;
use super::sample::sample_property;
use super::{Layer, PoseOverride, clamp_to_clip};
use crate::model::{
    CameraIndex, CameraNode, CameraProperty, JointIndex, LightIndex, LightNode, Material, MaterialChange,
    MaterialIndex, Model, PropertyTarget,
};
use std::collections::HashMap;

/// Animated material, light, camera and visibility properties at one time. Contains only changed objects.
///
/// ```
/// use rigview_core::pose::{AnimatedProperties, Layer, Playback};
///
/// # use rigview_core::{import::{ImportOptions, OpenError, open}, model::{ClipIndex, MaterialIndex}};
/// # fn main() -> Result<(), OpenError> {
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
/// # let model = open(file, &ImportOptions::default())?.model;
/// // The clips of this file animate joints only (KHR_animation_pointer animates the rest).
/// let layers = [Layer::new(Some(ClipIndex(0)), Playback::ONCE)];
/// let properties = AnimatedProperties::new(&model, &layers, 0.5);
/// let material = properties.material(MaterialIndex(0)).unwrap_or(&model.materials[0]);
/// assert_eq!(material.name, model.materials[0].name);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct AnimatedProperties {
    /// Changed materials, in full.
    materials: HashMap<MaterialIndex, Material>,
    lights: HashMap<LightIndex, LightNode>,
    cameras: HashMap<CameraIndex, CameraNode>,
    hidden: HiddenJoints,
}

/// The components of a property, summed over layers, and the total weight of the layers that animate it.
struct Sum {
    target: PropertyTarget,
    components: [f64; PropertyTarget::MAX_COMPONENTS],
    weight: f64,
}

impl AnimatedProperties {
    /// Samples the properties of a model that plays `layers` at the clock's `clock_secs`.
    ///
    /// Numbers are weighted sums over the layers that animate a property, normalized above a sum of 1; below, the model's value gets
    /// the remainder. A joint is visible if its blended visibility is at least 0.5.
    pub fn new(model: &Model, layers: &[Layer], clock_secs: f64) -> Self {
        let mut sums: Vec<Sum> = Vec::new();
        let mut sum_of: HashMap<PropertyTarget, usize> = HashMap::new();
        let weights = layers.iter().map(|layer| (layer, positive_weight(layer.blend_weight())));
        for (layer, weight) in weights.filter(|(_, weight)| *weight > 0.0) {
            let Some(clip) = layer.clip.map(|clip| &model.clips[clip.get()]) else { continue };
            let duration_secs = f64::from(clip.duration_secs);
            let time_secs = clamp_to_clip(layer.playback.clip_time(clock_secs, duration_secs), clip);
            let is_visibility = |target: &PropertyTarget| matches!(target, PropertyTarget::Visible(_));
            for track in clip.property_tracks.iter().filter(|track| !is_visibility(&track.target)) {
                let target = track.target;
                let sum = *sum_of.entry(target).or_insert_with(|| {
                    sums.push(Sum { target, components: [0.0; PropertyTarget::MAX_COMPONENTS], weight: 0.0 });
                    sums.len() - 1
                });
                let sum = &mut sums[sum];
                sum.weight += weight;
                for (sum, x) in sum.components.iter_mut().zip(sample_property(clip, track, time_secs)) {
                    *sum += weight * x;
                }
            }
        }
        let mut properties = Self::default();
        let nodes = NodesByFileIndex::new(model, &sums);
        // Near and far planes, which are valid together.
        let mut depth_ranges: HashMap<CameraIndex, [Option<f64>; 2]> = HashMap::new();
        for mut sum in sums {
            if sum.weight > WHOLE {
                sum.components.iter_mut().for_each(|component| *component /= sum.weight);
                sum.weight = 1.0;
            }
            properties.set(model, &nodes, sum, &mut depth_ranges);
        }
        for (index, [near, far]) in depth_ranges {
            let camera = properties.cameras.entry(index).or_insert_with(|| model.cameras[index.get()].clone());
            camera.set_depth_range(near, far);
        }
        properties.hidden.sample(model, layers, clock_secs);
        properties
    }

    /// Replaces the values of the materials that an override changes.
    pub fn apply_override(&mut self, model: &Model, pose_override: &PoseOverride) {
        for MaterialChange { material: index, property, difference } in pose_override.materials() {
            let Some(at_rest) = model.materials.get(index.get()) else { continue };
            let mut value = difference.map(f64::from);
            for (x, at_rest) in value.iter_mut().zip(at_rest.clone().property_mut(*property).into_iter().flatten()) {
                *x += f64::from(*at_rest);
            }
            self.materials.entry(*index).or_insert_with(|| at_rest.clone()).set_property(*property, &value);
        }
    }

    /// Sets a material, light or camera property; the planes of a camera go to `depth_ranges`.
    fn set(
        &mut self,
        model: &Model,
        nodes: &NodesByFileIndex,
        sum: Sum,
        depth_ranges: &mut HashMap<CameraIndex, [Option<f64>; 2]>,
    ) {
        let rest = 1.0 - sum.weight;
        let blended = |i: usize, at_rest: f64| sum.components[i] + if rest > 0.0 { rest * at_rest } else { 0.0 };
        match sum.target {
            PropertyTarget::Material(index, property) => {
                let material = self.materials.entry(index).or_insert_with(|| model.materials[index.get()].clone());
                let Some(at_rest) = material.property_mut(property) else { return };
                let mut components = sum.components;
                for (i, x) in at_rest.iter().enumerate() {
                    components[i] = blended(i, f64::from(*x));
                }
                material.set_property(property, &components);
            }
            PropertyTarget::Light(gltf_index, property) => {
                for &index in nodes.lights.get(&gltf_index).into_iter().flatten() {
                    let light = &model.lights[index.get()];
                    let at_rest = light.property(property);
                    let components = [0, 1, 2].map(|i| blended(i, at_rest[i]));
                    self.lights.entry(index).or_insert_with(|| light.clone()).set_property(property, &components);
                }
            }
            PropertyTarget::Camera(gltf_index, property) => {
                for &index in nodes.cameras.get(&gltf_index).into_iter().flatten() {
                    let camera = &model.cameras[index.get()];
                    let value = blended(0, camera.property(property));
                    match property {
                        CameraProperty::Near => depth_ranges.entry(index).or_default()[0] = Some(value),
                        CameraProperty::Far => depth_ranges.entry(index).or_default()[1] = Some(value),
                        _ => {
                            self.cameras.entry(index).or_insert_with(|| camera.clone()).set_property(property, value);
                        }
                    }
                }
            }
            // Sampled by `HiddenJoints`.
            PropertyTarget::Visible(_) => {}
        }
    }

    /// Returns a material if it differs from the model's.
    pub fn material(&self, index: MaterialIndex) -> Option<&Material> {
        self.materials.get(&index)
    }

    /// Returns the current state of a light.
    pub fn light<'a>(&'a self, model: &'a Model, index: LightIndex) -> &'a LightNode {
        self.lights.get(&index).unwrap_or(&model.lights[index.get()])
    }

    /// Returns the current state of a camera.
    pub fn camera<'a>(&'a self, model: &'a Model, index: CameraIndex) -> &'a CameraNode {
        self.cameras.get(&index).unwrap_or(&model.cameras[index.get()])
    }

    /// Returns `true` if a joint is hidden.
    pub fn is_hidden(&self, joint: JointIndex) -> bool {
        self.hidden.contains(joint)
    }
}

/// The model's lights and cameras by their index in the file.
#[derive(Default)]
struct NodesByFileIndex {
    lights: HashMap<u32, Vec<LightIndex>>,
    cameras: HashMap<u32, Vec<CameraIndex>>,
}

impl NodesByFileIndex {
    /// Collects the kinds that `sums` change.
    fn new(model: &Model, sums: &[Sum]) -> Self {
        let any = |kind: fn(&PropertyTarget) -> bool| sums.iter().any(|sum| kind(&sum.target));
        let mut nodes = Self::default();
        if any(|target| matches!(target, PropertyTarget::Light(..))) {
            for (light, index) in model.lights.iter().zip(0..) {
                nodes.lights.entry(light.gltf_index).or_default().push(LightIndex(index));
            }
        }
        if any(|target| matches!(target, PropertyTarget::Camera(..))) {
            for (camera, index) in model.cameras.iter().zip(0..) {
                nodes.cameras.entry(camera.gltf_index).or_default().push(CameraIndex(index));
            }
        }
        nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::{
        Clip, ClipIndex, Interpolation, Joint, LightProperty, LightShape, MaterialProperty, Projection, PropertyTrack,
        Skeleton, Timeline,
    };
    use crate::pose::Playback;

    fn track(target: PropertyTarget, interpolation: Interpolation, values: &[f32]) -> PropertyTrack {
        PropertyTrack { target, timeline: 0.into(), interpolation, values: values.into() }
    }

    /// A chain of three joints with a material, a light and a camera, and a clip of two seconds per list of tracks.
    fn model(clips: Vec<Vec<PropertyTrack>>) -> Model {
        let joint = |i: usize| Joint {
            name: None,
            node: i,
            parent: i.checked_sub(1).map(|i| JointIndex(i as u32)),
            rest: Transform::identity(),
            exact_rest_matrix: None,
            morph_weights: 0..0,
        };
        let clip = |property_tracks| Clip {
            duration_secs: 2.0,
            timelines: vec![Timeline::new([0.0, 2.0])],
            property_tracks,
            ..Clip::default()
        };
        let (name, joint_1) = (None, JointIndex(1));
        let projection = Projection::Perspective { fov_y: 1.0, aspect: None, near: 0.1, far: None };
        let shape = LightShape::Spot { range: None, inner_angle: 0.1, outer_angle: 0.5 };
        Model {
            skeleton: Skeleton::new((0..3).map(joint).collect(), Vec::new()),
            materials: vec![Material { roughness: 0.5, ..Material::default() }],
            lights: vec![LightNode {
                gltf_index: 7,
                name: name.clone(),
                joint: joint_1,
                color: [1.0; 3],
                intensity: 5.0,
                shape,
            }],
            cameras: vec![CameraNode { gltf_index: 3, name, joint: joint_1, projection }],
            clips: clips.into_iter().map(clip).collect(),
            ..Model::default()
        }
    }

    fn at(model: &Model, clip: u32, time_secs: f64) -> AnimatedProperties {
        AnimatedProperties::new(model, &[Layer::new(Some(ClipIndex(clip)), Playback::ONCE)], time_secs)
    }

    const ROUGHNESS: PropertyTarget = PropertyTarget::Material(MaterialIndex(0), MaterialProperty::Roughness);

    #[test]
    fn material_properties_interpolate_in_all_modes() {
        let color = PropertyTarget::Material(MaterialIndex(0), MaterialProperty::BaseColor);
        let model = model(vec![
            vec![track(ROUGHNESS, Interpolation::Step, &[0.25, 1.0])],
            vec![track(color, Interpolation::Linear, &[0.0, 0.5, 1.0, 1.0, 1.0, 0.5, 0.0, 1.0])],
            // From 0 with slope 0.5 to 1 with slope 0.5 over two seconds: a straight line.
            vec![track(ROUGHNESS, Interpolation::CubicSpline, &[0.0, 0.0, 0.5, 0.5, 1.0, 0.0])],
        ]);
        let material = |clip, time| at(&model, clip, time).material(MaterialIndex(0)).unwrap().clone();
        assert_eq!([0.0, 1.9, 2.0].map(|time| material(0, time).roughness), [0.25, 0.25, 1.0]);
        assert_eq!(material(1, 0.5).base_color, [0.25, 0.5, 0.75, 1.0]);
        assert_eq!([0.0, 0.5, 1.0, 2.0].map(|time| material(2, time).roughness), [0.0, 0.25, 0.5, 1.0]);
        assert_eq!(material(1, 0.5).roughness, 0.5, "properties without a track keep the model's value");
    }

    #[test]
    fn spline_overshoot_is_clamped_to_valid_range() {
        let steep = [0.0, 0.0, 40.0, -40.0, 1.0, 0.0];
        let model = model(vec![vec![track(ROUGHNESS, Interpolation::CubicSpline, &steep)]]);
        assert_eq!(at(&model, 0, 1.0).material(MaterialIndex(0)).unwrap().roughness, 1.0);
    }

    #[test]
    fn layers_blend_with_values_of_the_model() {
        let model = model(vec![vec![track(ROUGHNESS, Interpolation::Linear, &[1.0, 1.0])], vec![]]);
        let layer = |clip, weight| Layer { weight, ..Layer::new(Some(ClipIndex(clip)), Playback::ONCE) };
        let values = AnimatedProperties::new(&model, &[layer(0, 0.25), layer(1, 0.75)], 0.0);
        assert_eq!(values.material(MaterialIndex(0)).unwrap().roughness, 0.625);
    }

    #[test]
    fn lights_and_cameras_are_matched_by_file_index() {
        let model = model(vec![vec![
            track(PropertyTarget::Light(7, LightProperty::Intensity), Interpolation::Linear, &[0.0, 8.0]),
            track(PropertyTarget::Light(7, LightProperty::OuterCone), Interpolation::Linear, &[0.5, 9.0]),
            track(PropertyTarget::Camera(3, CameraProperty::FovY), Interpolation::Linear, &[1.0, 2.0]),
            track(PropertyTarget::Camera(3, CameraProperty::Near), Interpolation::Linear, &[-1.0, -1.0]),
        ]]);
        let values = at(&model, 0, 1.5);
        let light = values.light(&model, LightIndex(0));
        let LightShape::Spot { outer_angle, inner_angle, range } = light.shape else { panic!("{light:?}") };
        assert_eq!((light.intensity, light.color, inner_angle, range), (6.0, [1.0; 3], 0.1, None));
        assert_eq!(outer_angle, std::f64::consts::FRAC_PI_2, "the cone is at most a hemisphere");
        let expected = Projection::Perspective { fov_y: 1.75, aspect: None, near: 0.1, far: None };
        assert_eq!(values.camera(&model, CameraIndex(0)).projection, expected);
    }

    #[test]
    fn near_and_far_planes_are_set_together() {
        let planes = |near: f32, far: f32| {
            let near = track(PropertyTarget::Camera(3, CameraProperty::Near), Interpolation::Step, &[near; 2]);
            let far = track(PropertyTarget::Camera(3, CameraProperty::Far), Interpolation::Step, &[far; 2]);
            [vec![near.clone(), far.clone()], vec![far, near]]
        };
        let clips = [planes(9.0, 100.0), planes(0.5, 3.0), planes(5.0, 4.0)].concat();
        let mut model = model(clips);
        model.cameras[0].projection = Projection::Perspective { fov_y: 1.0, aspect: None, near: 4.0, far: Some(8.0) };
        for (clip, expected) in
            [[9.0, 100.0], [9.0, 100.0], [0.5, 3.0], [0.5, 3.0], [4.0, 8.0], [4.0, 8.0]].into_iter().enumerate()
        {
            let values = at(&model, clip as u32, 0.5);
            let Projection::Perspective { near, far, .. } = values.camera(&model, CameraIndex(0)).projection else {
                panic!()
            };
            assert_eq!([near, far.unwrap()], expected, "clip {clip}");
        }
    }

    #[test]
    fn descendants_of_hidden_joint_are_hidden() {
        let shows = PropertyTarget::Visible(JointIndex(1));
        let mut model = model(vec![vec![], vec![track(shows, Interpolation::Step, &[1.0, 0.0])]]);
        let hidden = |values: &AnimatedProperties| [0, 1, 2].map(|joint| values.is_hidden(JointIndex(joint)));
        assert_eq!(hidden(&at(&model, 0, 0.0)), [false; 3]);
        assert_eq!(hidden(&at(&model, 1, 1.0)), [false; 3]);
        assert_eq!(hidden(&at(&model, 1, 2.0)), [false, true, true]);
        model.hidden_joints = vec![JointIndex(1)];
        assert_eq!(hidden(&at(&model, 0, 0.0)), [false, true, true]);
        assert_eq!(hidden(&at(&model, 1, 0.0)), [false; 3], "a clip overrides the visibility of the file");
    }
}
