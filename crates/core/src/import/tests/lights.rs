//! Lights.

use super::*;
use crate::model::LightShape;
use serde_json::json;

/// A triangle whose node has the light.
fn lit_by(light: serde_json::Value) -> File {
    let mut file = File::triangle();
    file.set("/extensions", json!({ "KHR_lights_punctual": { "lights": [light] } }))
        .set("/nodes/0/extensions", json!({ "KHR_lights_punctual": { "light": 0 } }));
    file
}

#[test]
fn missing_light_properties_have_defaults() {
    for (json, intensity, shape) in [
        (json!({ "type": "directional", "intensity": 3.5 }), 3.5, LightShape::Directional),
        (json!({ "type": "point" }), 1.0, LightShape::Point { range: None }),
        (json!({ "type": "point", "range": 4 }), 1.0, LightShape::Point { range: Some(4.0) }),
        (
            json!({ "type": "spot" }),
            1.0,
            LightShape::Spot { range: None, inner_angle: 0.0, outer_angle: std::f64::consts::FRAC_PI_4 },
        ),
        (
            json!({ "type": "spot", "spot": { "innerConeAngle": 0.25, "outerConeAngle": 0.5 } }),
            1.0,
            LightShape::Spot { range: None, inner_angle: 0.25, outer_angle: 0.5 },
        ),
    ] {
        let (loaded, messages) = lit_by(json).loaded();
        assert_eq!(messages, [""; 0]);
        let [light] = &loaded.model.lights[..] else { panic!("not one light") };
        assert_eq!((light.intensity, light.shape, light.color), (intensity, shape, [1.0; 3]));
        assert_eq!(loaded.model.scenes[0].lights, [crate::model::LightIndex(0)]);
    }
}

#[test]
fn invalid_lights_are_ignored() {
    for (json, why) in [
        (json!({ "type": "moon" }), "light 0: its type is unknown; it is ignored"),
        (json!({ "type": "point", "range": 0 }), "light 0: its range is not a number above 0; it is ignored"),
        (
            json!({ "type": "point", "intensity": -1 }),
            "light 0: its intensity is not a number of at least 0; it is ignored",
        ),
    ] {
        assert!(lit_by(json).notice(why).model.lights.is_empty());
    }
    let loaded = lit_by(json!({ "type": "point", "color": [1, "x", 0] })).notice("color: these are not 3 numbers");
    assert_eq!(loaded.model.lights[0].color, [1.0; 3]);
    let mut file = lit_by(json!({ "type": "point" }));
    file.set("/nodes/0/extensions", json!({ "KHR_lights_punctual": { "light": 1 } }));
    assert!(file.notice("its light does not exist").model.lights.is_empty());
}
