//! Animation pointers (KHR_animation_pointer) and node visibility (KHR_node_visibility).

use super::*;
use crate::model::{
    CameraProperty, Interpolation, JointIndex, KeyValues, LightProperty, MaterialIndex, MaterialProperty,
    PropertyTarget, PropertyTrack, TextureSlot,
};

const TRANSFORM: &str = "extensions/KHR_texture_transform";

impl File {
    /// A triangle with a material, a light and a camera that have all properties.
    fn with_everything() -> Self {
        let mut file = Self::triangle();
        let coords = file.floats("VEC2", &[0.0; 6]);
        file.set("/meshes/0/primitives/0/attributes/TEXCOORD_0", json!(coords));
        file.set("/meshes/0/primitives/0/material", json!(0));
        file.set("/textures", json!([{}]));
        let texture = json!({ "index": 0 });
        file.set(
            "/materials",
            json!([
                {
                    "alphaMode": "MASK",
                    "pbrMetallicRoughness": { "baseColorTexture": texture },
                    "normalTexture": texture,
                    "extensions": {
                        "KHR_materials_emissive_strength": {},
                        "KHR_materials_clearcoat": { "clearcoatTexture": texture },
                        "KHR_materials_iridescence": {},
                        "KHR_materials_volume": {},
                    },
                },
                { "extensions": { "KHR_materials_pbrSpecularGlossiness": {} } },
            ]),
        );
        file.set("/cameras", json!([{ "type": "perspective", "perspective": { "yfov": 1, "znear": 0.1 } }]));
        file.set("/nodes/0/camera", json!(0));
        file.set("/nodes/0/extensions", json!({ "KHR_lights_punctual": { "light": 1 } }));
        let lights = json!([{ "type": "point" }, { "type": "spot" }]);
        file.set("/extensions", json!({ "KHR_lights_punctual": { "lights": lights } }));
        file
    }

    /// Adds an animation of one channel with a pointer.
    fn point(&mut self, pointer: &str, interpolation: &str, times: &[f32], kind: &str, values: &[f32]) {
        self.animate(0, "pointer", interpolation, times, kind, values);
        let last = self.json["animations"].as_array().unwrap().len() - 1;
        let target = json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": pointer } } });
        self.set(&format!("/animations/{last}/channels/0/target"), target);
    }

    /// Returns the only property track of the last animation.
    fn pointed(&self) -> PropertyTrack {
        let loaded = self.load().unwrap_or_else(|error| panic!("{error}"));
        let clip = loaded.model.clips.last().unwrap();
        let [track] = &clip.property_tracks[..] else { panic!("{:?}", loaded.diagnostics) };
        assert!(clip.tracks.is_empty());
        track.clone()
    }
}

#[test]
fn node_pointers_become_joint_tracks() {
    for (property, kind, values) in [
        ("translation", "VEC3", &[1.0, 2.0, 3.0][..]),
        ("rotation", "VEC4", &[0.0, 1.0, 0.0, 0.0]),
        ("scale", "VEC3", &[1.0, 2.0, 3.0]),
    ] {
        let mut file = File::triangle();
        file.point(&format!("/nodes/0/{property}"), "LINEAR", &[0.5], kind, values);
        let (loaded, messages) = file.loaded();
        let clip = &loaded.model.clips[0];
        assert_eq!((messages, clip.property_tracks.len(), clip.tracks.len()), (vec![], 0, 1), "{property}");
        assert_eq!((clip.tracks[0].joint, clip.duration_secs), (JointIndex(0), 0.5));
        let numbers: Vec<f32> = match &clip.tracks[0].keys {
            KeyValues::Translation(list) | KeyValues::Scale(list) => list[0].iter().copied().collect(),
            KeyValues::Rotation(list) => list[0].iter().copied().collect(),
            KeyValues::Weights(list) => list.to_vec(),
        };
        assert_eq!(numbers, values);
    }
}

#[test]
fn pointers_animate_nodes_that_are_stored_as_a_matrix() {
    let matrix = |shear: f64| json!([1, 0, 0, 0, shear, 1, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1]);
    for (shear, expected) in [
        (0.0, Some("its matrix is decomposed")),
        // Rounding noise is not reported.
        (3e-6, None),
        (0.5, Some("node 0 \"Root\", matrix: clips move this node, so the shear in its matrix is lost")),
    ] {
        let mut file = File::triangle();
        file.set("/nodes/0/matrix", matrix(shear));
        file.point("/nodes/0/translation", "LINEAR", &[0.0, 1.0], "VEC3", &[0.0, 0.0, 0.0, 0.0, 2.0, 0.0]);
        let (loaded, messages) = file.loaded();
        assert_eq!(messages.len(), usize::from(expected.is_some()), "{messages:?}");
        assert!(expected.is_none_or(|expected| messages[0].contains(expected)), "{messages:?}");
        let mut pose = crate::pose::Pose::default();
        let (model, mut cursor) = (&loaded.model, crate::pose::Cursor::default());
        crate::pose::sample(&model.skeleton, &model.clips[0], 1.0, &mut cursor, &mut pose);
        let mut posed = crate::pose::ModelPose::default();
        posed.update(&model.skeleton, &pose);
        assert_eq!(posed.model_from_joint(JointIndex(0)).translation.y, 2.0, "shear {shear}");
    }
}

#[test]
fn all_animatable_properties_have_a_pointer() {
    use MaterialProperty as M;
    let material = |value| PropertyTarget::Material(MaterialIndex(0), value);
    let old = |value| PropertyTarget::Material(MaterialIndex(1), value);
    let base = "/materials/0/pbrMetallicRoughness";
    let old_base = "/materials/1/extensions/KHR_materials_pbrSpecularGlossiness";
    for (pointer, target, kind) in [
        (format!("{base}/baseColorFactor"), material(M::BaseColor), "VEC4"),
        (format!("{base}/metallicFactor"), material(M::Metallic), "SCALAR"),
        (format!("{base}/roughnessFactor"), material(M::Roughness), "SCALAR"),
        (
            format!("{base}/baseColorTexture/{TRANSFORM}/offset"),
            material(M::TextureOffset(TextureSlot::BaseColor)),
            "VEC2",
        ),
        (
            format!("/materials/0/normalTexture/{TRANSFORM}/rotation"),
            material(M::TextureRotation(TextureSlot::Normal)),
            "SCALAR",
        ),
        (
            format!("/materials/0/extensions/KHR_materials_clearcoat/clearcoatTexture/{TRANSFORM}/scale"),
            material(M::TextureScale(TextureSlot::Clearcoat)),
            "VEC2",
        ),
        ("/materials/0/emissiveFactor".into(), material(M::Emissive), "VEC3"),
        ("/materials/0/alphaCutoff".into(), material(M::AlphaCutoff), "SCALAR"),
        ("/materials/0/normalTexture/scale".into(), material(M::NormalScale), "SCALAR"),
        ("/materials/0/occlusionTexture/strength".into(), material(M::OcclusionStrength), "SCALAR"),
        (
            "/materials/0/extensions/KHR_materials_emissive_strength/emissiveStrength".into(),
            material(M::EmissiveStrength),
            "SCALAR",
        ),
        (
            "/materials/0/extensions/KHR_materials_iridescence/iridescenceThicknessMaximum".into(),
            material(M::IridescenceThicknessMax),
            "SCALAR",
        ),
        ("/materials/0/extensions/KHR_materials_volume/attenuationColor".into(), material(M::AttenuationColor), "VEC3"),
        (format!("{old_base}/diffuseFactor"), old(M::BaseColor), "VEC4"),
        (format!("{old_base}/specularFactor"), old(M::SpecularGlossinessSpecular), "VEC3"),
        (
            "/extensions/KHR_lights_punctual/lights/1/color".into(),
            PropertyTarget::Light(1, LightProperty::Color),
            "VEC3",
        ),
        (
            "/extensions/KHR_lights_punctual/lights/1/spot/outerConeAngle".into(),
            PropertyTarget::Light(1, LightProperty::OuterCone),
            "SCALAR",
        ),
        ("/cameras/0/perspective/yfov".into(), PropertyTarget::Camera(0, CameraProperty::FovY), "SCALAR"),
    ] {
        let mut file = File::with_everything();
        let width = if kind == "SCALAR" { 1 } else { kind[3..].parse().unwrap() };
        let values: Vec<f32> = (0..2 * width).map(|x| x as f32).collect();
        file.point(&pointer, "STEP", &[0.0, 1.0], kind, &values);
        let track = file.pointed();
        assert_eq!(
            (track.target, &*track.values, track.interpolation),
            (target, &*values, Interpolation::Step),
            "{pointer}"
        );
    }
}

#[test]
fn glossiness_converts_to_roughness() {
    let pointer = "/materials/1/extensions/KHR_materials_pbrSpecularGlossiness/glossinessFactor";
    let mut file = File::with_everything();
    file.point(pointer, "CUBICSPLINE", &[0.0], "SCALAR", &[0.5, 0.25, -2.0]);
    let track = file.pointed();
    assert_eq!(track.target, PropertyTarget::Material(MaterialIndex(1), MaterialProperty::Roughness));
    assert_eq!(*track.values, [-0.5, 0.75, 2.0]);
}

#[test]
fn unsupported_pointers_are_reported() {
    let check = |pointer: &str, text: &str| {
        let mut file = File::with_everything();
        file.point(pointer, "LINEAR", &[0.0], "SCALAR", &[1.0]);
        let (loaded, messages) = file.loaded();
        assert!(messages.iter().any(|message| message.contains(text)), "{pointer}: {messages:?}");
        assert!(loaded.model.clips[0].property_tracks.is_empty(), "{pointer}");
    };
    check("/materials/9/alphaCutoff", "\"/materials/9/alphaCutoff\", which does not exist");
    check("/materials/0/extensions/KHR_materials_sheen/sheenRoughnessFactor", "which does not exist");
    check(&format!("/materials/0/emissiveTexture/{TRANSFORM}/rotation"), "which does not exist");
    check("/extensions/KHR_lights_punctual/lights/2/intensity", "which does not exist");
    check("/nodes/9/extensions/KHR_node_visibility/visible", "which does not exist");
    for pointer in ["", "/", "nodes/0/scale", "/nodes/x/scale", "/nodes/0/name", "/cameras/0/perspective/aspectRatio"] {
        check(pointer, "which is not supported");
    }
    check("/extensions/EXT_lights_image_based/lights/0/intensity", "EXT_lights_image_based");
    check("/materials/0/a\u{1b}[2J", "a\\u{1b}[2J");
}

#[test]
fn channels_with_another_value_format_are_ignored() {
    let mut file = File::with_everything();
    file.point("/materials/0/alphaCutoff", "LINEAR", &[0.0, 1.0], "SCALAR", &[0.0; 3]);
    file.reported("there are 3 values for keys that need 2");
    let mut file = File::with_everything();
    file.point("/materials/0/emissiveFactor", "LINEAR", &[0.0], "VEC4", &[0.0; 4]);
    file.reported("VEC3 is needed");
    let mut file = File::with_everything();
    file.point("/materials/0/alphaCutoff", "LINEAR", &[0.0], "SCALAR", &[f32::NAN]);
    file.reported("a value is not finite");
}

#[test]
fn second_channel_of_a_property_is_ignored() {
    let mut file = File::with_everything();
    file.point("/materials/0/alphaCutoff", "LINEAR", &[0.0], "SCALAR", &[0.5]);
    let channel = file.json["animations"][0]["channels"][0].clone();
    file.set("/animations/0/channels/-", channel);
    let (loaded, messages) = file.loaded();
    assert!(messages[1].contains("an earlier channel of this animation has the same target"), "{messages:?}");
    assert_eq!(loaded.model.clips[0].property_tracks.len(), 1);
}

#[test]
fn never_visible_drawables_are_removed() {
    let mut file = File::triangle();
    file.set("/nodes", json!([{ "children": [1] }, { "mesh": 0 }, { "mesh": 0 }]))
        .set("/scenes/0/nodes", json!([0, 2]));
    let drawn = |file: &File| file.load().unwrap().model.scenes[0].mesh_nodes.len();
    assert_eq!(drawn(&file), 2);
    file.set("/nodes/0/extensions", json!({ "KHR_node_visibility": { "visible": false } }));
    let (loaded, messages) = file.loaded();
    assert_eq!((loaded.model.scenes[0].mesh_nodes.len(), messages), (1, vec![]));
    assert!(loaded.model.hidden_joints.is_empty(), "joints without meshes need no hiding");
    file.set("/nodes/0/extensions", json!({ "KHR_node_visibility": { "visible": true } }));
    assert_eq!(drawn(&file), 2);
}

#[test]
fn animated_visibility_keeps_drawables_and_uses_step_interpolation() {
    let mut file = File::triangle();
    file.set("/nodes/0/extensions", json!({ "KHR_node_visibility": { "visible": false } }));
    let input = file.floats("SCALAR", &[0.0, 1.0]);
    for (values, drawn) in [([0, 1], 1), ([0, 0], 0)] {
        let output = file.accessor(&values, UNSIGNED_BYTE, "SCALAR", 2);
        let target = json!({ "path": "pointer",
            "extensions": { "KHR_animation_pointer": { "pointer": "/nodes/0/extensions/KHR_node_visibility/visible" } } });
        file.set(
            "/animations",
            json!([{ "samplers": [{ "input": input, "output": output }],
                "channels": [{ "sampler": 0, "target": target }] }]),
        );
        let track = file.pointed();
        assert_eq!((track.target, track.interpolation), (PropertyTarget::Visible(JointIndex(0)), Interpolation::Step));
        assert_eq!(*track.values, values.map(f32::from));
        assert_eq!(file.load().unwrap().model.scenes[0].mesh_nodes.len(), drawn);
    }
}
