//! Lights of the file.

use super::*;
use crate::model::LightShape;
use serde_json::json;

/// A triangle whose node carries the light.
fn lit_by(light: serde_json::Value) -> File {
    let mut file = File::triangle();
    file.set("/extensions", json!({ "KHR_lights_punctual": { "lights": [light] } }))
        .set("/nodes/0/extensions", json!({ "KHR_lights_punctual": { "light": 0 } }));
    file
}

#[test]
fn lights_are_read_with_their_defaults() {
    for (json, intensity, shape) in [
        (json!({ "type": "directional", "intensity": 3.5 }), 3.5, LightShape::Directional),
        (json!({ "type": "point" }), 1.0, LightShape::Point { range: None }),
        (json!({ "type": "point", "range": 4 }), 1.0, LightShape::Point { range: Some(4.0) }),
        (
            json!({ "type": "spot" }),
            1.0,
            LightShape::Spot { range: None, inner: 0.0, outer: std::f64::consts::FRAC_PI_4 },
        ),
        (
            json!({ "type": "spot", "spot": { "innerConeAngle": 0.25, "outerConeAngle": 0.5 } }),
            1.0,
            LightShape::Spot { range: None, inner: 0.25, outer: 0.5 },
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
fn lights_that_make_no_sense_are_left_out() {
    for (json, why) in [
        (json!({ "type": "moon" }), "light 0: its type is none that is known; it is left out"),
        (json!({ "type": "point", "range": 0 }), "light 0: its range is no number above 0; it is left out"),
        (json!({ "type": "point", "intensity": -1 }), "light 0: its intensity is no number from 0 up; it is left out"),
        (json!({ "type": "point", "color": [1, "x", 0] }), "light 0: its color is no number; it is left out"),
    ] {
        assert!(lit_by(json).notice(why).model.lights.is_empty());
    }
    let mut file = lit_by(json!({ "type": "point" }));
    file.set("/nodes/0/extensions", json!({ "KHR_lights_punctual": { "light": 1 } }));
    assert!(file.notice("it names a light that is not there").model.lights.is_empty());
}
