use super::*;
use rigview_core::import::{ImageLoading, ImportOptions, open};
use rigview_core::model::{ClipIndex, KeyValues, Model};
use std::path::Path;
use std::sync::Arc;

/// The text of the rig, and those of all clips.
fn texts(model: &Model) -> Vec<String> {
    let clips =
        (0..model.clips.len() as u32).map(|clip| describe_clip(model, ClipIndex(clip), DEFAULT_TOLERANCE).unwrap());
    std::iter::once(describe_rig(model)).chain(clips).collect()
}

/// The differences of the texts of two models.
fn between(golden: &Model, model: &Model, tolerance: f64) -> Vec<String> {
    texts(golden).iter().zip(&texts(model)).flat_map(|(a, b)| differences(a, b, tolerance)).collect()
}

fn hare() -> Model {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/hare.glb");
    open(&file, &ImportOptions::default().with_images(ImageLoading::Skip)).unwrap().model
}

/// The differences of a model that `change` changes.
fn after(change: impl Fn(&mut Model)) -> Vec<String> {
    let mut model = hare();
    change(&mut model);
    between(&hare(), &model, DEFAULT_TOLERANCE)
}

#[test]
fn text_is_sorted_and_short() {
    let model = hare();
    for text in texts(&model) {
        let keys: Vec<&str> = text.lines().filter_map(|line| line.rsplit_once(": ")).map(|(key, _)| key).collect();
        assert_eq!(keys.len(), text.lines().count(), "each line has a key");
        let unique: std::collections::HashSet<&&str> = keys.iter().collect();
        assert_eq!(unique.len(), keys.len(), "keys are unique");
        assert!(!text.contains("-0 "));
    }
    let texts = texts(&model);
    assert!(texts[0].contains("joint \"head\" parent: "), "{}", &texts[0]);
    // A line per track, with about ten bytes per key, where a matrix takes a hundred.
    let keys: usize = model
        .clips
        .iter()
        .flat_map(|clip| clip.tracks.iter().map(|track| clip.timelines[track.timeline].times_secs().len()))
        .sum();
    let bytes: usize = texts[1..].iter().map(String::len).sum();
    assert!(bytes < 20 * keys, "{bytes} bytes, {keys} keys");
    assert!(after(|_| ()).is_empty());
}

#[test]
fn order_of_the_file_does_not_matter() {
    let found = after(|model| model.clips.iter_mut().for_each(|clip| clip.tracks.reverse()));
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_key_in_the_middle_of_a_clip_is_found() {
    let mut model = hare();
    let model_joints = model.skeleton.clone();
    let clip = &mut model.clips[0];
    let track = clip.tracks.iter_mut().find(|track| matches!(track.keys, KeyValues::Rotation(_))).unwrap();
    let times = clip.timelines[track.timeline].times_secs();
    let KeyValues::Rotation(keys) = &mut track.keys else { unreachable!() };
    let middle = keys.len() / 2;
    // A rotation by 10 degrees about X, after the key.
    let (s, c) = (5.0_f32.to_radians().sin(), 5.0_f32.to_radians().cos());
    let q = keys[middle];
    Arc::make_mut(keys)[middle] = [q.x * c + q.w * s, q.y * c + q.z * s, q.z * c - q.y * s, q.w * c - q.x * s].into();
    let joint = model_joints.joint(track.joint).name.clone().unwrap();
    let expected = format!("joint {joint:?} at {}", times[middle]);
    let found = between(&hare(), &model, DEFAULT_TOLERANCE);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with(&expected) && found[0].contains(" s: rotated by 10.00"), "{found:?} {expected}");
    assert!(between(&hare(), &model, 0.5).is_empty(), "the tolerance is 0.5");
}

#[test]
fn changes_near_the_tolerance_are_decided_by_it() {
    let text = |x: i32| format!("joint \"a\" translation: linear; unit 0.0001; {x}; 0; 0\n");
    assert!(differences(&text(0), &text(1), 1e-4).is_empty());
    assert_eq!(differences(&text(0), &text(4), 1e-4), ["joint \"a\": moved by 0.000400"]);
    assert!(differences(&text(0), &text(4), 1e-3).is_empty());
}

#[test]
fn changed_times_interpolations_and_constant_tracks_are_found() {
    let golden = "keys 1: 0 500000 500000\njoint \"a\" translation: linear; unit 0.0001; keys 1; 0 10000 0; 0; 0\n";
    let found = |text: &str| differences(golden, text, DEFAULT_TOLERANCE);
    assert_eq!(
        found(&golden.replace("keys 1: 0 500000 500000", "keys 1: 0 400000 600000")),
        ["joint \"a\" translation at 0.4 s: is new", "joint \"a\" translation at 0.5 s: is missing"]
    );
    assert_eq!(found(&golden.replace("linear", "step")), ["joint \"a\" translation: linear is now step"]);
    assert_eq!(
        found("joint \"a\" translation: linear; unit 0.0001; 0; 0; 0\n"),
        ["joint \"a\" at 0.5 s: moved by 1.000000", "joint \"a\" at 1 s: moved by 1.000000"]
    );
    assert_eq!(found(""), ["joint \"a\" translation: is missing"]);
    assert_eq!(found(&golden.replace("keys 1; 0 10000 0", "keys 9; 0")).len(), 1, "an unknown line of keys");
}

#[test]
fn moved_joints_swapped_weights_and_binds_are_found() {
    let found = after(|model| {
        let mut joints = model.skeleton.joints().to_vec();
        let end = joints.iter_mut().rev().find(|joint| joint.exact_rest_matrix.is_none()).unwrap();
        end.rest.translation.y += 0.01;
        model.skeleton = rigview_core::model::Skeleton::new(joints, model.skeleton.rest_morph_weights().to_vec());
    });
    assert!(!found.is_empty() && found[0].contains("moved by 0.010000"), "{found:?}");
    let swap = |model: &mut Model| {
        let meshes = model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives);
        let vertices = meshes.map(rigview_core::model::Primitive::vertices_mut);
        let influences = vertices.filter_map(|vertices| vertices.influences.as_mut()).next().unwrap();
        let per_vertex = influences.per_vertex;
        let mut pairs = influences.slots.chunks(per_vertex).zip(influences.weights.chunks_mut(per_vertex));
        pairs.find(|(slots, weights)| slots[0] != slots[1] && weights[0] != weights[1]).unwrap().1.swap(0, 1);
    };
    let found = after(swap);
    assert!(matches!(&found[..], [text] if text.contains(" weights: ") && text.contains(" is now ")), "{found:?}");
    let found = after(|model| Arc::make_mut(&mut model.skins[0].joint_from_mesh)[1].translation.x -= 0.5);
    assert!(matches!(&found[..], [text] if text.ends_with("inverse bind: moved by 0.500000")), "{found:?}");
}

#[test]
fn names_are_quoted() {
    let mut model = hare();
    for joint in ["\u{202e}a: b\n", "\u{202e}a: b\n"] {
        let mut joints = model.skeleton.joints().to_vec();
        joints.iter_mut().skip(1).take(2).for_each(|found| found.name = Some(joint.to_owned()));
        model.skeleton = rigview_core::model::Skeleton::new(joints, model.skeleton.rest_morph_weights().to_vec());
    }
    let text = describe_rig(&model);
    assert!(!text.contains('\u{202e}') && text.contains("joint \"\\u{202e}a: b\\n\" #"), "{text}");
    assert!(differences(&text, &text, 0.0).is_empty());
}
