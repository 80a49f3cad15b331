//! Influences: joints per vertex and weights.

use crate::support::bake::{Shot, check, check_by_reference};
use crate::support::glb::Rig;
use crate::support::rigs::{TRIANGLE, skinned, tangle};
use serde_json::json;

/// The triangle on joints at (0,0,0), (0,0,1), (0,0,2) and so on. All vertices have equal influences.
fn ladder(joints: usize, influences: &[(usize, f64)]) -> Rig {
    let mut rig = Rig::new();
    let mesh = skinned(&mut rig, &TRIANGLE, &[influences.to_vec(), influences.to_vec(), influences.to_vec()]);
    let list: Vec<usize> = (0..joints).map(|z| rig.node(json!({"translation": [0, 0, z]}))).collect();
    let skin = rig.add("skins", json!({"joints": list}));
    rig.node(json!({"mesh": mesh, "skin": skin}));
    rig
}

/// Asserts the height of the posed triangle.
fn raised(label: &str, rig: &Rig, height: f64) {
    check(label, rig, &Shot::still(), |hand| hand.positions(0, 0, &TRIANGLE.map(|p| [p[0], p[1], height])));
}

/// Equal weights of the first joints: the mean height is half of the last joint's. Also an animated rig.
fn up_to_eight_count(counts: std::ops::RangeInclusive<usize>) {
    for count in counts {
        let equal: Vec<(usize, f64)> = (0..count).map(|joint| (joint, 1.0 / count as f64)).collect();
        raised(&format!("{count} equal influences"), &ladder(12, &equal), (count.min(8) as f64 - 1.0) / 2.0);
        let rig = tangle(16, count, 20, count as u64);
        for time in [0.0, 0.8125, 2.0] {
            check_by_reference(&format!("tangle with {count} influences"), &rig, &Shot::at(time));
        }
    }
}

#[test]
fn one_to_eight_influences_apply() {
    up_to_eight_count(1..=8);
}

#[test]
fn largest_eight_of_twelve_influences_apply() {
    up_to_eight_count(9..=12);
    // The small weights come first, so that neither the first eight nor the first sets are the right ones.
    let mut influences: Vec<(usize, f64)> = (0..4).map(|joint| (joint, 0.01)).collect();
    influences.extend((4..12).map(|joint| (joint, 0.12)));
    raised("four small weights and eight large ones", &ladder(12, &influences), 7.5);
}

#[test]
fn truncated_weight_is_reported() {
    let influences: Vec<(usize, f64)> = (0..10).map(|joint| (joint, 0.1)).collect();
    let folder = tempfile::TempDir::new().expect("a folder for temporary files");
    let file = ladder(12, &influences).write_glb(folder.path(), "ten");
    let run = crate::support::bake::run_bake(&file, &folder.path().join("posed.glb"), &[]);
    let message = "3 vertices have more than 8 joints; the 8 strongest are kept, and at most 20.00 % of the weight";
    assert!(run.stderr.contains(message), "{}", run.report());
}

#[test]
fn influence_sets_may_have_zero_slots() {
    // All the weight is in the second and third set.
    let mut influences = vec![(0, 0.0); 12];
    influences[5] = (2, 0.25);
    influences[11] = (6, 0.75);
    raised("weights in later sets", &ladder(8, &influences), 5.0);
}

#[test]
fn weights_are_normalized() {
    for (label, influences, height) in [
        ("sum 0.5", vec![(0, 0.25), (4, 0.25)], 2.0),
        ("sum 3", vec![(0, 1.0), (1, 1.0), (5, 1.0)], 2.0),
        ("sum 0.001", vec![(1, 0.00025), (5, 0.00075)], 4.0),
        ("sum 1000", vec![(2, 500.0), (4, 500.0)], 3.0),
        ("one weight of 0.98", vec![(3, 0.98)], 3.0),
        ("sum 2 in two sets", vec![(0, 0.25), (1, 0.25), (2, 0.25), (3, 0.25), (6, 1.0)], 3.75),
    ] {
        raised(label, &ladder(8, &influences), height);
    }
}

#[test]
fn unweighted_vertex_follows_first_joint() {
    raised("zero weights", &ladder(8, &[(5, 0.0), (3, 0.0)]), 5.0);
    raised("zero weights in two sets", &ladder(8, &[(4, 0.0), (0, 0.0), (0, 0.0), (0, 0.0), (2, 0.0)]), 4.0);
}

#[test]
fn duplicate_joint_weights_add() {
    raised("joint 6 named twice", &ladder(8, &[(6, 0.25), (2, 0.5), (6, 0.25)]), 4.0);
    raised("joint 6 named in both sets", &ladder(8, &[(6, 0.25), (2, 0.5), (0, 0.0), (0, 0.0), (6, 0.25)]), 4.0);
}

#[test]
fn joint_indices_above_255_are_supported() {
    raised("joint 299 of 300", &ladder(300, &[(299, 0.5), (1, 0.5)]), 150.0);
    raised("joint 1023 of 1024", &ladder(1024, &[(1023, 1.0)]), 1023.0);
    let rig = tangle(600, 4, 1200, 600);
    check_by_reference("tangle of 600 joints", &rig, &Shot::at(1.25));
}
