//! Animations.

use super::*;
use crate::model::{Clip, KeyValues, Track};
use std::sync::Arc;

fn only(loaded: &Imported) -> &Clip {
    let [clip] = loaded.model.clips.as_slice() else { panic!("not one clip") };
    clip
}

#[test]
fn rotation_keys_of_other_lengths_are_reported() {
    let mut file = File::triangle();
    file.animate(0, "rotation", "LINEAR", &[0.0, 1.0], "VEC4", &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
    let (loaded, messages) = file.loaded();
    let KeyValues::Rotation(list) = &only(&loaded).tracks[0].keys else { panic!() };
    assert_eq!((list[0].w, list[1].w), (1.0, 1.0));
    assert!(messages.iter().any(|text| text.contains("of length 0")) && messages.len() == 2, "{messages:?}");
}

#[test]
fn equal_timelines_are_deduplicated() {
    let mut file = File::triangle();
    file.animate(0, "translation", "LINEAR", &[0.0, 1.0], "VEC3", &[0.0; 6]);
    let (same, other) = (file.floats("SCALAR", &[0.0, 1.0]), file.floats("SCALAR", &[0.0, 2.0]));
    file.set("/animations/0/samplers/-", json!({ "input": same, "output": 2 }));
    file.set("/animations/0/samplers/-", json!({ "input": other, "output": 2 }));
    file.set("/animations/0/channels/-", json!({ "sampler": 1, "target": { "node": 0, "path": "scale" } }));
    file.set("/nodes/-", json!({}));
    file.set("/animations/0/channels/-", json!({ "sampler": 2, "target": { "node": 1, "path": "scale" } }));
    let loaded = file.load().unwrap();
    let timelines: Vec<usize> = only(&loaded).tracks.iter().map(|track| track.timeline.get()).collect();
    assert_eq!((timelines.as_slice(), only(&loaded).timelines.len()), (&[0, 0, 1][..], 2));
}

#[test]
fn clips_share_key_times_of_the_same_accessor() {
    let mut file = File::triangle();
    let times: Vec<f32> = (0..5000).map(|i| i as f32).collect();
    file.animate(0, "scale", "STEP", &times, "VEC3", &[1.0; 15_000]);
    let mut clip = file.json["animations"][0].clone();
    // The output has the wrong count, so that the second clip has no timeline.
    let output = file.floats("VEC3", &[0.0; 3]);
    clip["samplers"][0]["output"] = json!(output);
    file.set("/animations/-", file.json["animations"][0].clone());
    for _ in 0..200 {
        file.set("/animations/-", clip.clone());
    }
    let mut options = ImportOptions::default();
    options.policy.limits.set(Limit::AccessorData, 0);
    let clips = from_bytes(file.glb(), None, &options).unwrap().model.clips;
    let [first, second] = [0, 1].map(|clip| clips[clip].timelines[0].times_secs());
    assert!(std::ptr::eq(first, second) && clips[2..].iter().all(|clip| clip.timelines.is_empty()));
}

/// An exporter that removes duplicate data writes one accessor for all equal keys.
#[test]
fn tracks_and_clips_share_the_keys_of_an_accessor() {
    const NODES: u64 = 200;
    const KEYS: u64 = 5000;
    let mut file = File::triangle();
    let times: Vec<f32> = (0..KEYS).map(|i| i as f32).collect();
    file.animate(0, "rotation", "LINEAR", &times, "VEC4", &[[0.0, 0.0, 0.0, 2.0]; KEYS as usize].concat());
    for node in 1..NODES {
        file.set("/nodes/-", json!({}));
        let channel = json!({ "sampler": 0, "target": { "node": node, "path": "rotation" } });
        file.set("/animations/0/channels/-", channel);
    }
    file.set("/animations/-", file.json["animations"][0].clone());
    let import = |key_values| {
        let mut options = ImportOptions::default();
        options.policy.limits.set(Limit::AccessorData, 0);
        options.policy.limits.set(Limit::KeyValues, key_values);
        from_bytes(file.glb(), None, &options)
    };
    let needed = 2 * NODES * KEYS * 4;
    let loaded = import(needed).unwrap();
    let tracks: Vec<&Track> = loaded.model.clips.iter().flat_map(|clip| &clip.tracks).collect();
    let values = |track: &Track| match &track.keys {
        KeyValues::Rotation(values) => Arc::clone(values),
        other => panic!("{other:?}"),
    };
    assert_eq!(tracks.len() as u64, 2 * NODES);
    assert!(tracks.iter().all(|track| Arc::ptr_eq(&values(track), &values(tracks[0]))));
    assert_eq!(values(tracks[0])[1].w, 1.0);
    // The repair of the shared keys is reported once.
    let [repair] = &loaded.diagnostics[..] else { panic!("{:?}", loaded.diagnostics) };
    assert!(repair.to_string().ends_with("are normalized (5000 keys)"), "{repair}");

    let change = import(needed - 1).unwrap_err().policy_change();
    assert_eq!(change, Some(PolicyChange::RaiseLimit { limit: Limit::KeyValues, needed }));
}

#[test]
fn unplayable_channels_are_ignored_and_reported() {
    let file = || {
        let mut file = File::triangle();
        file.animate(0, "translation", "LINEAR", &[0.0, 1.0], "VEC3", &[0.0; 6]);
        let channel = json!({ "sampler": 0, "target": { "node": 0, "path": "scale" } });
        file.set("/animations/0/channels/-", channel);
        file
    };
    let with = |pointer: &str, value: Value, text: &str| {
        let loaded = file().set(&format!("/animations/0/channels/1/{pointer}"), value).notice(text);
        assert_eq!(only(&loaded).tracks.len(), 1);
    };
    with("target", json!({ "path": "scale" }), "animation 0 \"Walk\", channel 1: it is ignored: it has no target node");
    let target = json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": {} } });
    file().set("/animations/0/channels/1/target", target).reported("KHR_animation_pointer: pointer is missing");
    with("target/node", json!(77), "a node that does not exist (1 node); in Blender, export without GPU instances");
    with("target/path", json!("weights"), "morph weights of a node whose mesh has none");
    with("target/path", json!("translation"), "an earlier channel of this animation has the same target");
    with("sampler", json!(5), "channel 1: sampler 5 does not exist, the file has 1; the channel is ignored");

    let times = |times: &[f32], text: &str| {
        let mut file = file();
        let (input, output) = (file.floats("SCALAR", times), file.floats("VEC3", &[0.0; 6]));
        file.set("/animations/0/samplers/-", json!({ "input": input, "output": output }));
        file.set("/animations/0/channels/1/sampler", json!(1));
        file.notice(text);
    };
    times(&[1.0, 0.5], "its key times decrease");
    times(&[-1.0, 0.5], "its first key is before 0");
    times(&[0.0, f32::NAN], "the time of key 1 is not finite");
    let mut equal = file();
    equal.animate(0, "scale", "LINEAR", &[1.0, 1.0], "VEC3", &[0.0; 6]);
    assert_eq!(equal.loaded().1.len(), 0);
}

#[test]
fn channels_with_invalid_values_are_ignored() {
    let mut file = File::triangle();
    file.animate(0, "translation", "LINEAR", &[0.0, 1.0], "VEC3", &[0.0; 9]);
    file.reported("animation 0 \"Walk\", channel 0, output: there are 3 values for keys that need 2");
    file.set("/animations/0/samplers/0/interpolation", json!("CUBICSPLINE")).reported("for keys that need 6");
    let mut file = File::triangle();
    file.animate(0, "translation", "LINEAR", &[0.0], "SCALAR", &[0.0]);
    file.reported("channel 0, output: accessor 2 holds SCALAR of FLOAT, VEC3 of FLOAT is needed");
    let mut file = File::triangle();
    file.animate(0, "rotation", "LINEAR", &[0.0], "VEC4", &[0.0; 4]);
    file.set("/accessors/2/componentType", json!(BYTE));
    file.reported("VEC4 of FLOAT or of normalized BYTE or SHORT is needed");
    let mut file = File::triangle();
    file.animate(0, "translation", "LINEAR", &[0.0], "VEC3", &[0.0, f32::INFINITY, 0.0]);
    file.reported("a value is not finite (accessor 2)");
}

#[test]
fn morph_targets_have_names_and_a_weight_each() {
    let mut file = File::triangle();
    let delta = file.floats("VEC3", &[1.0; 9]);
    file.set("/meshes/0/primitives/0/targets", json!([{ "POSITION": delta }, {}]));
    file.set("/meshes/0/weights", json!([0.25, 0.5])).set("/meshes/0/extras", json!({ "targetNames": ["a", "b"] }));
    let (loaded, messages) = file.loaded();
    assert_eq!(messages, [""; 0]);
    assert_eq!(loaded.model.meshes[0].target_names, ["a", "b"]);
    file.set("/nodes/0/weights", json!([1]))
        .notice("node 0 \"Root\", weights: there are 1 weights for 2 morph targets");
}

/// Report KhronosGroup/glTF-Blender-IO#641, and a demo file with `"interpolation": 0`.
#[test]
fn other_channels_play_beside_an_invalid_one() {
    for (pointer, value, text) in [
        ("samplers/1/output", Value::Null, "samplers, 1: output is missing"),
        ("samplers/1/output", json!(99), "accessor 99 does not exist"),
        ("samplers/1/input", json!("x"), "samplers, 1, input: this is not an integer"),
        ("samplers/1/interpolation", json!(0), "interpolation: this is not a string"),
        ("samplers/1", json!([]), "samplers, 1: this is not an object"),
        ("channels/1", json!(7), "channels, 1: this is not an object"),
        ("channels/1/target", json!("Root"), "channels, 1, target: this is not an object"),
        ("channels/1/sampler", json!(-2), "channels, 1, sampler: this is not an integer"),
    ] {
        let mut file = File::triangle();
        file.animate(0, "translation", "LINEAR", &[0.0, 1.0], "VEC3", &[0.0; 6]);
        file.set("/animations/0/samplers/-", json!({ "input": 1, "output": 2 }));
        file.set("/animations/0/channels/-", json!({ "sampler": 1, "target": { "node": 0, "path": "scale" } }));
        let loaded = file.set(&format!("/animations/0/{pointer}"), value).reported(text);
        assert_eq!(only(&loaded).tracks.len(), 1, "{text}");
        assert_eq!(loaded.model.scenes[0].mesh_nodes.len(), 1);
    }
}
