use super::*;
use rigview_core::import::{ImageLoading, ImportOptions, open};
use rigview_core::model::{KeyValues, Model};
use std::path::Path;
use std::sync::Arc;

fn hare() -> Model {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/hare.glb");
    open(&file, &ImportOptions::default().with_images(ImageLoading::Skip)).unwrap().model
}

/// The differences of a model that `change` changes.
fn after(change: impl Fn(&mut Model)) -> Vec<String> {
    let mut model = hare();
    let golden = describe(&model).unwrap();
    change(&mut model);
    differences(&golden, &describe(&model).unwrap(), DEFAULT_TOLERANCE).unwrap()
}

#[test]
fn text_is_sorted_and_short() {
    let text = describe(&hare()).unwrap();
    let keys: Vec<&str> = text.lines().skip(1).filter_map(|line| line.rsplit_once(": ")).map(|(key, _)| key).collect();
    assert_eq!(keys.len() + 1, text.lines().count(), "each line has a key");
    let unique: std::collections::HashSet<&&str> = keys.iter().collect();
    assert_eq!(unique.len(), keys.len(), "keys are unique");
    assert!(!text.contains("-0 ") && text.lines().all(|line| line.len() < 300));
    assert!(text.contains("joint \"head\" parent: "), "{}", &text[..2000]);
    assert!(after(|_| ()).is_empty());
}

#[test]
fn order_of_the_file_does_not_matter() {
    let found = after(|model| {
        model.clips.reverse();
        model.clips.iter_mut().for_each(|clip| clip.tracks.reverse());
    });
    let other: Vec<&String> = found.iter().filter(|text| !text.contains(" tracks: ")).collect();
    assert!(other.is_empty(), "{other:?}");
}

#[test]
fn a_key_in_the_middle_of_a_clip_is_found() {
    let mut model = hare();
    let golden = describe(&model).unwrap();
    let name = model.clips[0].name.clone().unwrap();
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
    let expected = format!("clip {name:?} joint {joint:?} at {}", times[middle]);
    let found = differences(&golden, &describe(&model).unwrap(), DEFAULT_TOLERANCE).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with(&expected) && found[0].ends_with(" s: rotated by 10.000 degrees"),
        "{found:?} {expected}"
    );
    assert!(differences(&golden, &describe(&model).unwrap(), 0.5).unwrap().is_empty(), "the tolerance is 0.5");
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
    let found = after(|model| drop(model.clips.pop()));
    assert!(found.len() > 10 && found.iter().all(|text| text.ends_with(": is missing")), "{found:?}");
}

#[test]
fn other_files_and_duplicate_names_are_handled() {
    let mut model = hare();
    let text = describe(&model).unwrap();
    for golden in ["", "x", "version https://git-lfs.github.com/spec/v1"] {
        assert!(differences(golden, &text, DEFAULT_TOLERANCE).unwrap_err().contains("rigview pose 1"));
    }
    for clip in &mut model.clips {
        clip.name = Some("\u{202e}a: b\n".to_owned());
    }
    let text = describe(&model).unwrap();
    assert!(!text.contains('\u{202e}') && text.contains("clip \"\\u{202e}a: b\\n\" #1 joint"));
    assert!(differences(&text, &text, 0.0).unwrap().is_empty());
}
