//! The range of motion test of rigs with planted faults, and of real rigs.

mod humanoid;
mod puppet;

use super::*;
use crate::check;
use crate::{Issue, Severity};
use puppet::{
    Fault, NECK, VARIATIONS, Variation, puppet, puppet_with_eyes, puppet_with_helpers, puppet_with_stray_vertex,
};
use rigview_core::import::{ImageLoading, ImportOptions, ImportPolicy, from_bytes, open};
use rigview_core::model::{Model, Scene, SceneIndex};
use rigview_core::palette::Rig;
use std::path::{Path, PathBuf};

/// Adds the models of a folder with their subfolders.
fn add_models(folder: &Path, models: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            add_models(&path, models);
        } else if path.extension().is_some_and(|extension| ["glb", "gltf", "vrm"].iter().any(|x| *x == extension)) {
            models.push(path);
        }
    }
}

/// The range of motion test of a file; `None` without skins.
fn flex_of(file: &Path) -> Option<Flex> {
    let model = open(file, &ImportOptions::default().with_images(ImageLoading::Skip)).ok()?.model;
    let has_skin = !model.skins.is_empty();
    let scene = model.default_scene;
    has_skin.then(|| measure(&Rig::new(model, scene).unwrap(), &FlexLimits::default(), &|_, _| true))
}

#[test]
fn real_rigs_have_few_false_alarms() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut models = Vec::new();
    let of_others =
        ["RIGVIEW_SAMPLE_MODELS", "RIGVIEW_RIGS"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    for folder in [root.join("tests/fixtures"), root.join("crates/core/assets")].into_iter().chain(of_others) {
        add_models(&folder, &mut models);
    }
    let (mut joints, mut alarms) = (0, Vec::new());
    for path in models {
        for joint in flex_of(&path).into_iter().flat_map(|flex| flex.joints) {
            joints += 1;
            if joint.score() > 1.0 {
                alarms.push(format!("{}: {} {}", path.display(), joint.name, joint.worst().unwrap()));
            }
        }
    }
    assert!(joints > 10 && 20 * alarms.len() < joints, "{} of {joints}: {alarms:#?}", alarms.len());
}

/// The issues of a file by the range.
fn flex_issues(file: Vec<u8>) -> Vec<Issue> {
    let mut flex = FlexCheck::new(FlexLimits::default(), &|_, _| ());
    let issues = check(file, None, &ImportPolicy::default(), Some(&mut flex));
    let broken = issues.iter().find(|issue| issue.severity == Severity::Error);
    assert!(broken.is_none() && flex.flex.unwrap().is_complete, "{broken:?}");
    issues.into_iter().filter(|issue| issue.code.starts_with("RIGVIEW_FLEX_")).collect()
}

/// Asserts that each fault is found, and nothing without one.
fn assert_faults_are_found(file: fn(Option<Fault>, &Variation) -> Vec<u8>) {
    for (i, variation) in VARIATIONS.iter().enumerate() {
        assert_eq!(flex_issues(file(None, variation)), [], "{i}");
        for fault in Fault::ALL {
            let (expected, nodes) = match fault {
                Fault::SwappedWeights | Fault::UnboundPatch => ("RIGVIEW_FLEX_LEFT_BEHIND", 2..8),
                Fault::CollapsingElbow => ("RIGVIEW_FLEX_VOLUME", 2..8),
                Fault::ForgottenSide => ("RIGVIEW_FLEX_ASYMMETRY", 2..8),
                Fault::WrongBind => ("RIGVIEW_FLEX_BIND_OFFSET", 2..8),
                Fault::SmearedNeck => ("RIGVIEW_FLEX_SMEAR", NECK..NECK + 1),
            };
            let issues = flex_issues(file(Some(fault), variation));
            let nodes: Vec<String> = nodes.map(|node| format!("/nodes/{node}")).collect();
            let found = issues.iter().any(|issue| issue.code == expected && nodes.contains(&issue.pointer));
            assert!(found, "{i} {fault:?}: {issues:#?}");
        }
    }
}

#[test]
fn planted_faults_are_found_and_healthy_puppets_have_none() {
    assert_faults_are_found(puppet);
}

/// Control rigs have joints without weights, of zero length, and with arbitrary bind matrices.
#[test]
fn helper_joints_without_weights_are_no_fault_and_hide_none() {
    assert_faults_are_found(puppet_with_helpers);
}

#[test]
fn one_vertex_on_the_wrong_joint_is_counted() {
    for variation in &VARIATIONS {
        let mut flex = FlexCheck::new(FlexLimits::default(), &|_, _| ());
        check(puppet_with_stray_vertex(variation), None, &ImportPolicy::default(), Some(&mut flex));
        let bad: Vec<JointFlex> = flex.flex.unwrap().joints.into_iter().filter(|joint| joint.score() > 1.0).collect();
        let found: Vec<_> =
            bad.iter().map(|joint| (joint.joint.get(), joint.torn_patches, joint.torn_vertices)).collect();
        // Neighbors of few vertices may be torn by it.
        assert!(bad.len() <= 2 && found[0].1 == 1 && found[0].2 == 1, "{variation:?}: {found:?}");
    }
}

#[test]
fn meshes_without_another_side_are_no_asymmetry() {
    for variation in &VARIATIONS {
        assert_eq!(flex_issues(puppet_with_eyes(variation)), [], "{variation:?}");
    }
}

#[test]
fn limits_decide_what_is_an_issue() {
    let strict = FlexLimits::from_toml("volume = 0.95\nasymmetry = 1.5").unwrap();
    let mut flex = FlexCheck::new(strict, &|_, _| ());
    let issues = check(puppet(None, &VARIATIONS[0]), None, &ImportPolicy::default(), Some(&mut flex));
    let of_volume: Vec<&Issue> = issues.iter().filter(|issue| issue.code == "RIGVIEW_FLEX_VOLUME").collect();
    assert!(of_volume.iter().any(|issue| issue.message.contains("joint \"forearm.L\" keeps 9")), "{issues:#?}");
    assert!(of_volume.iter().all(|issue| issue.message.contains("(limit 95 %); in Blender")), "{issues:#?}");
    for (text, problem) in [
        ("volume = 0", "line 1: 0 is not a number above 0"),
        ("\ntension = 2.0", "line 2: unknown field `tension`"),
        ("stretch = nan", "is not a number above 0"),
        ("stretch =", "line 1: "),
    ] {
        let error = FlexLimits::from_toml(text).unwrap_err();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn model_without_skins_has_no_findings() {
    let model = Model { scenes: vec![Scene::default()], ..Model::default() };
    let empty = measure(&Rig::new(model, SceneIndex(0)).unwrap(), &FlexLimits::default(), &|_, _| panic!("no joints"));
    assert_eq!((empty.joints.len(), empty.is_complete), (0, true));
}

#[test]
fn mirror_differences_are_zero_on_symmetric_rigs_and_one_on_swapped_weights() {
    for variation in &VARIATIONS {
        let differences = |fault| {
            let model = from_bytes(puppet(fault, variation), None, &ImportOptions::default()).unwrap().model;
            let (scene, vertices) = (model.default_scene, model.meshes[0].primitives[0].vertices.positions.len());
            let differences = mirror_differences(&Rig::new(model, scene).unwrap());
            assert_eq!(differences[0].len(), vertices);
            differences.concat()
        };
        assert!(differences(None).iter().all(|value| value.abs() < 0.02), "{variation:?}");
        // The second kind swaps the weights of both sides, which is symmetric.
        let swapped = differences(Some(Fault::SwappedWeights)).iter().any(|value| *value > 0.5);
        assert_eq!(swapped, !variation.other, "{variation:?}");
        let differs = differences(Some(Fault::ForgottenSide)).iter().any(|value| *value > 0.5);
        assert!(differs, "{variation:?}");
    }
}

#[test]
fn measurement_stops_before_the_joint_that_is_refused() {
    let hare = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/assets/hare.glb");
    let model = open(&hare, &ImportOptions::default()).unwrap().model;
    let scene = model.default_scene;
    let flex = measure(&Rig::new(model, scene).unwrap(), &FlexLimits::default(), &|done, _| done < 2);
    assert_eq!((flex.joints.len(), flex.is_complete), (2, false));
}
