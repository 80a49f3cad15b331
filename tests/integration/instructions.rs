//! Instruction counts of the crowd update by Valgrind, compared with the figures in this file. Other programs on the
//! machine do not change them.

use crate::support::models::{open_model, shipped};
use rigview::crowd::{Crowd, CrowdAnimator, Instance};
use rigview::math::Affine;
use rigview::math::SimdLevel;
use rigview::model::ClipIndex;
use rigview::palette::{PaletteLayout, Rig};
use std::process::Command;

/// Instances that one thread poses.
const INSTANCES: u32 = 64;

/// Environment variable of the test below: frame count and SIMD level.
const FRAMES: &str = "RIGVIEW_COUNTED_FRAMES";
const DISPATCH: &str = "RIGVIEW_COUNTED_DISPATCH";

/// Instructions per matrix and frame, over all shipped models, in the test profile on x86-64.
const EXPECTED: [(&str, f64); 2] = [("baseline", 230.0), ("avx2", 140.0)];

/// Allowed factor. Compilers differ.
const MAX_FACTOR: f64 = 1.5;

#[test]
fn kernel_instruction_count_does_not_grow() {
    let valgrind = Command::new("valgrind").arg("--version").output();
    if !cfg!(target_arch = "x86_64") || valgrind.is_err() {
        eprintln!("skipped: instructions::kernel_instruction_count_does_not_grow needs Valgrind on x86-64");
        return;
    }
    for (dispatch, expected) in EXPECTED {
        if SimdLevel::ALL.into_iter().any(|known| known.name() == dispatch && !known.is_available()) {
            continue;
        }
        let (few, many) = (count(dispatch, 2), count(dispatch, 12));
        let found = (many - few) as f64 / (10.0 * f64::from(INSTANCES) * f64::from(matrices()));
        eprintln!("{dispatch}: {found:.1} instructions per matrix and frame; expected {expected}");
        assert!(found < MAX_FACTOR * expected, "{dispatch}: {found:.1} instructions per matrix, expected {expected}");
        assert!(
            found > expected / MAX_FACTOR,
            "{dispatch}: {found:.1} instructions per matrix: replace {expected} in EXPECTED"
        );
    }
}

/// Instructions of a run of the test below.
fn count(dispatch: &str, frames: u32) -> u64 {
    let this = std::env::current_exe().expect("path of the test program");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(this)
        .args(["--exact", "--ignored", "instructions::pose_crowd_for_instruction_count"])
        .env(FRAMES, frames.to_string())
        .env(DISPATCH, dispatch)
        .output()
        .expect("Valgrind");
    let reported = String::from_utf8_lossy(&output.stderr);
    let line = reported.lines().find_map(|line| line.split_once("Collected : "));
    let counted = line.and_then(|(_, number)| number.trim().parse().ok()).filter(|_| output.status.success());
    counted.unwrap_or_else(|| panic!("Valgrind counted nothing:\n{reported}"))
}

fn matrices() -> u32 {
    let of = |file: &std::path::PathBuf| {
        let model = open_model(file);
        PaletteLayout::new(&model, model.default_scene).matrix_count
    };
    shipped().iter().map(of).sum()
}

#[test]
#[ignore = "is run by the test above, under Valgrind"]
fn pose_crowd_for_instruction_count() {
    let number = |name: &str| std::env::var(name).unwrap_or_default();
    let frames: u32 = number(FRAMES).parse().unwrap_or(1);
    let wanted = number(DISPATCH);
    let dispatch = SimdLevel::ALL.into_iter().find(|dispatch| dispatch.name() == wanted).unwrap_or(SimdLevel::Baseline);
    for file in shipped() {
        let model = open_model(&file);
        let scene = model.default_scene;
        let mut animator = CrowdAnimator::new(&Rig::new(model, scene).unwrap());
        animator.set_simd_level(dispatch);
        let instance = |i: u32| Instance::new(Affine::IDENTITY, Some(ClipIndex(0)), f64::from(i) * 0.01);
        let mut crowd = Crowd::new((0..INSTANCES).map(instance));
        for frame in 0..frames {
            animator.update(&mut crowd, f64::from(frame) / 60.0);
        }
    }
}
