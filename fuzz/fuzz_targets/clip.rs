//! Clips with arbitrary keys at arbitrary times: the pose does not depend on the cursor's history.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview_core::pose::{Cursor, ModelPose, Pose, sample};
use rigview_fuzz::{Numbers, container, open};
use serde_json::json;

fuzz_target!(|bytes: &[u8]| {
    let (head, bin) = bytes.split_at(bytes.len().min(24));
    let mut numbers = Numbers(head);
    let keys = numbers.byte() % 9;
    let mode = ["LINEAR", "STEP", "CUBICSPLINE"][usize::from(numbers.byte() % 3)];
    let path = ["translation", "rotation", "scale", "weights"][usize::from(numbers.byte() % 4)];
    let stored = [5126, 5120, 5121, 5122, 5123, 5126, 5126, 5126][usize::from(numbers.byte() % 8)];
    let kind = match path {
        "rotation" => "VEC4",
        "weights" => "SCALAR",
        _ => "VEC3",
    };
    let values = usize::from(keys) * if mode == "CUBICSPLINE" { 3 } else { 1 };
    let json = json!({
        "asset": {"version": "2.0"}, "buffers": [{"byteLength": bin.len()}],
        "bufferViews": [
            {"buffer": 0, "byteLength": usize::from(keys) * 4},
            {"buffer": 0, "byteOffset": usize::from(keys) * 4, "byteLength": bin.len().saturating_sub(usize::from(keys) * 4)},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": keys, "min": [0], "max": [1]},
            {"bufferView": 1, "componentType": stored, "type": kind, "count": values, "normalized": stored != 5126},
            {"componentType": 5126, "type": "VEC3", "count": 3},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 2}, "targets": [{"POSITION": 2}]}]}],
        "nodes": [{"mesh": 0}, {"children": [0]}], "scenes": [{"nodes": [1]}],
        "animations": [{
            "channels": [{"sampler": 0, "target": {"node": 0, "path": path}}],
            "samplers": [{"input": 0, "output": 1, "interpolation": mode}],
        }],
    });
    let Ok(loaded) = open(container(json.to_string().as_bytes(), bin)) else { return };
    let skeleton = &loaded.model.skeleton;
    let (mut pose, mut fresh, mut cursor) = (Pose::rest(skeleton), Pose::rest(skeleton), Cursor::default());
    for clip in &loaded.model.clips {
        for _ in 0..8 {
            let fraction = f64::from(numbers.byte()) / 200.0 - 0.1;
            let time = f64::from(clip.duration_secs) * fraction;
            sample(skeleton, clip, time, &mut cursor, &mut pose);
            sample(skeleton, clip, time, &mut Cursor::default(), &mut fresh);
            assert_eq!(format!("{pose:?}"), format!("{fresh:?}"), "the pose depends on the cursor's history");
            let mut model_pose = ModelPose::default();
            model_pose.update(skeleton, &pose);
        }
    }
});
