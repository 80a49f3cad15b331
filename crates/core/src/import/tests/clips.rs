//! Animations.

use super::*;
use crate::model::{Clip, Interpolation, JointIndex, Keys};

fn only(loaded: &Loaded) -> &Clip {
    let [clip] = loaded.model.clips.as_slice() else { panic!("not one clip") };
    clip
}

#[test]
fn late_start_and_single_key_are_valid() {
    let mut file = File::triangle();
    file.animate(0, "translation", "STEP", &[0.8333, 2.0], "VEC3", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let (loaded, messages) = file.loaded();
    let clip = only(&loaded);
    assert_eq!((clip.name.as_deref(), clip.first_key_secs, clip.duration_secs), (Some("Walk"), 0.8333, 2.0));
    assert_eq!((clip.tracks[0].joint, clip.tracks[0].interpolation), (JointIndex(0), Interpolation::Step));
    assert!(matches!(&clip.tracks[0].keys, Keys::Translation(list) if list[1].y == 5.0));
    assert!(messages.is_empty());

    let mut file = File::triangle();
    file.animate(0, "scale", "LINEAR", &[1.0], "VEC3", &[1.0, 2.0, 3.0]);
    assert_eq!(only(&file.loaded().0).duration_secs, 1.0);
}

#[test]
fn rotation_keys_are_normalized_except_tangents() {
    let mut file = File::triangle();
    let key = [9.0, 9.0, 9.0, 9.0, 0.0, 0.0, 0.6001, 0.8001, 7.0, 7.0, 7.0, 7.0];
    file.animate(0, "rotation", "CUBICSPLINE", &[0.0, 1.0], "VEC4", &[key, key].concat());
    let (loaded, messages) = file.loaded();
    let Keys::Rotation(list) = &only(&loaded).tracks[0].keys else { panic!() };
    assert_eq!((list[0].x, list[2].w, list.len()), (9.0, 7.0, 6));
    assert!((list[1].norm() - 1.0).abs() < 1e-6 && messages.is_empty());

    let mut file = File::triangle();
    file.animate(0, "rotation", "LINEAR", &[0.0, 1.0], "VEC4", &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
    let (loaded, messages) = file.loaded();
    let Keys::Rotation(list) = &only(&loaded).tracks[0].keys else { panic!() };
    assert_eq!((list[0].w, list[1].w), (1.0, 1.0));
    assert!(messages.iter().any(|text| text.contains("of length 0")) && messages.len() == 2, "{messages:?}");
}

#[test]
fn normalized_integer_outputs_decode() {
    for (component, bytes) in [
        (BYTE, vec![0, 0, 0, 127, 0, 0, 0, 129]),
        (SHORT, [0i16, 0, 0, 32767, 0, 0, 0, -32767].iter().flat_map(|x| x.to_le_bytes()).collect()),
    ] {
        let mut file = File::triangle();
        file.animate(0, "rotation", "LINEAR", &[0.0, 1.0], "VEC4", &[0.0; 8]);
        let output = file.accessor(&bytes, component, "VEC4", 2);
        file.set("/animations/0/samplers/0/output", json!(output));
        file.refused("VEC4 of FLOAT or of normalized BYTE or SHORT is needed");
        file.set(&format!("/accessors/{output}/normalized"), json!(true));
        let loaded = file.load().unwrap();
        let Keys::Rotation(list) = &only(&loaded).tracks[0].keys else { panic!() };
        assert_eq!((list[0].w, list[1].w), (1.0, -1.0));
    }
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
    let timelines: Vec<usize> = only(&loaded).tracks.iter().map(|track| track.timeline).collect();
    assert_eq!((timelines.as_slice(), only(&loaded).timelines.len()), (&[0, 0, 1][..], 2));
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
    with(
        "target",
        json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": {} } }),
        "KHR_animation_pointer",
    );
    with("target/node", json!(77), "a node that does not exist (1 node); in Blender, export without GPU instances");
    with("target/path", json!("weights"), "morph weights of a node whose mesh has none");
    with("target/path", json!("translation"), "an earlier channel of this animation has the same target");
    file()
        .set("/animations/0/channels/1/sampler", json!(5))
        .refused("channel 1: sampler 5 does not exist, the file has 1");

    let times = |times: &[f32], text: &str| {
        let mut file = file();
        let (input, output) = (file.floats("SCALAR", times), file.floats("VEC3", &[0.0; 6]));
        file.set("/animations/0/samplers/-", json!({ "input": input, "output": output }));
        file.set("/animations/0/channels/1/sampler", json!(1));
        if text.contains("finite") { file.refused(text) } else { drop(file.notice(text)) }
    };
    times(&[1.0, 0.5], "its key times decrease");
    times(&[-1.0, 0.5], "its first key is before 0");
    times(&[0.0, f32::NAN], "the time of key 1 is not finite");
    let mut equal = file();
    equal.animate(0, "scale", "LINEAR", &[1.0, 1.0], "VEC3", &[0.0; 6]);
    assert_eq!(equal.loaded().1.len(), 0);
}

#[test]
fn value_count_mismatch_is_an_error() {
    let mut file = File::triangle();
    file.animate(0, "translation", "LINEAR", &[0.0, 1.0], "VEC3", &[0.0; 9]);
    file.refused("animation 0 \"Walk\", channel 0, output: there are 3 values for keys that need 2");
    file.set("/animations/0/samplers/0/interpolation", json!("CUBICSPLINE")).refused("for keys that need 6");
    let mut file = File::triangle();
    file.animate(0, "translation", "LINEAR", &[0.0], "SCALAR", &[0.0]);
    file.refused("channel 0, output: accessor 2 holds SCALAR of FLOAT, VEC3 of FLOAT is needed");
    let mut file = File::triangle();
    file.animate(0, "translation", "LINEAR", &[0.0], "VEC3", &[0.0, f32::INFINITY, 0.0]);
    file.refused("a value is not finite (accessor 2)");
}

#[test]
fn morph_weight_channels_animate_their_node() {
    let mut file = File::triangle();
    let delta = file.floats("VEC3", &[1.0; 9]);
    file.set("/meshes/0/primitives/0/targets", json!([{ "POSITION": delta }, {}]));
    file.set("/meshes/0/weights", json!([0.25, 0.5])).set("/meshes/0/extras", json!({ "targetNames": ["a", "b"] }));
    file.animate(0, "weights", "LINEAR", &[0.0, 1.0], "SCALAR", &[0.0, 0.0, 1.0, 1.0]);
    let (loaded, messages) = file.loaded();
    assert_eq!(messages, [""; 0]);
    let (skeleton, mesh) = (&loaded.model.skeleton, &loaded.model.meshes[0]);
    assert_eq!((skeleton.rest_weights(), skeleton.joints()[0].weights.clone()), (&[0.25, 0.5][..], 0..2));
    assert_eq!((mesh.target_count, mesh.target_names.as_slice()), (2, &["a".to_owned(), "b".to_owned()][..]));
    assert!(matches!(&only(&loaded).tracks[0].keys, Keys::Weights(list) if list.len() == 4));
    file.set("/nodes/0/weights", json!([1]))
        .notice("node 0 \"Root\", weights: there are 1 weights for 2 morph targets");
}
