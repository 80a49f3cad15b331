//! Files that require extensions.

use crate::support::bake::{Shot, check};
use crate::support::glb::Rig;
use crate::support::models::REQUIRED_EXTENSIONS;
use crate::support::rigs::{TRIANGLE, arm};
use serde_json::json;

/// A triangle in a file that uses, and optionally requires, an extension.
fn with_extension(extension: &str, required: bool) -> Rig {
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    rig.node(json!({"mesh": mesh}));
    rig.set("extensionsUsed", json!([extension]));
    if required {
        rig.set("extensionsRequired", json!([extension]));
    }
    rig
}

#[test]
fn supported_extensions_may_be_required() {
    for extension in REQUIRED_EXTENSIONS {
        let label = format!("{extension} required");
        check(&label, &with_extension(extension, true), &Shot::still(), |hand| hand.positions(0, 0, &TRIANGLE));
    }
}

#[test]
fn unsupported_used_extension_is_no_error() {
    for extension in ["EXT_lights_image_based", "ACME_wobble"] {
        let label = format!("{extension} used");
        check(&label, &with_extension(extension, false), &Shot::still(), |hand| hand.positions(0, 0, &TRIANGLE));
    }
    // An animation that turns something else than a node, by an extension: the rest of the clip plays.
    let mut arm = arm();
    arm.rig.set("extensionsUsed", json!(["KHR_animation_pointer"]));
    let target = json!({"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/nodes/0/extensions/ACME_wobble/size"}}});
    let channels = arm.rig.object("animations", 0)["channels"].as_array_mut().expect("channels");
    channels.insert(0, json!({"sampler": 0, "target": target}));
    check("KHR_animation_pointer", &arm.rig, &Shot::at(1.0), |hand| {
        hand.positions(0, 0, &[[0.0, 0.0, 0.0], [0.5, 1.5, 0.0], [-1.0, 1.0, 0.0]]);
    });
}
