//! Valid documents with a few mutations: check and import agree, and poses do not depend on the instruction set.
//!
//! With `RIGVIEW_FUZZ_DOCUMENTS=FOLDER` the documents of the inputs are written there, for other validators.

#![no_main]

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use rigview_check::{Severity, check_bytes};
use rigview_core::crowd::{Crowd, CrowdAnimator, Instance};
use rigview_core::math::{Affine, SimdLevel};
use rigview_core::model::{ClipIndex, Model};
use rigview_core::palette::{BlockIndex, Rig, skin_on_cpu};
use rigview_fuzz::document::Document;
use rigview_fuzz::{assert_printable, low_limits, open};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

fuzz_target!(init: rigview_fuzz::allow_caught_panics(), |bytes: &[u8]| {
    let _ = run(&mut Unstructured::new(bytes));
});

fn run(input: &mut Unstructured<'_>) -> Result<()> {
    let mutation_count = input.int_in_range(0..=4)?;
    let mut document = Document::valid(input)?;
    for _ in 0..mutation_count {
        document.mutate(input)?;
    }
    let glb = document.glb();
    if let Some(folder) = std::env::var_os("RIGVIEW_FUZZ_DOCUMENTS") {
        let mut hash = DefaultHasher::new();
        glb.hash(&mut hash);
        std::fs::write(Path::new(&folder).join(format!("{:016x}.glb", hash.finish())), &glb).expect("a file");
    }
    let issues = check_bytes(glb.clone(), None, &low_limits());
    issues.iter().for_each(|issue| assert_printable(&issue.message));
    let errors: Vec<_> = issues.iter().filter(|issue| issue.severity == Severity::Error).collect();
    let loaded = open(glb);
    if mutation_count == 0 {
        assert!(errors.is_empty(), "{errors:?} {:#}", document.json);
    }
    match loaded {
        Ok(loaded) => pose(loaded.model),
        Err(error) => assert!(mutation_count > 0 && !issues.is_empty(), "{error} {:#}", document.json),
    }
    Ok(())
}

/// Poses all scenes by all clips, and compares the instruction sets bit by bit.
fn pose(model: Model) {
    let clips: Vec<Option<ClipIndex>> = (0..model.clips.len() as u32).map(|i| Some(ClipIndex(i))).collect();
    let scene = model.default_scene;
    let rig = Rig::new(model, scene).unwrap();
    let instance = |i: usize| {
        let clip = if clips.is_empty() { None } else { clips[i % clips.len()] };
        Instance::new(Affine::IDENTITY, clip, 0.1 * i as f64)
    };
    // Enough instances for the lanes of every instruction set.
    let mut crowd = Crowd::new((0..20).map(instance));
    let mut animator = CrowdAnimator::new(&rig);
    let mut expected: Option<Vec<[u32; 4]>> = None;
    for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
        animator.set_simd_level(level);
        animator.update(&mut crowd, 0.3);
        // All NaN values are equal.
        let bits = |x: f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
        let texels: Vec<[u32; 4]> = animator.palette().texels().iter().map(|texel| texel.map(bits)).collect();
        assert!(expected.as_ref().is_none_or(|expected| *expected == texels), "{}", level.name());
        expected = Some(texels);
    }
    animator.bounding_sphere(&mut crowd, 0);
    animator.update_in_double_precision(&mut crowd, 0.3);
    for draw in &rig.layout().draws {
        skin_on_cpu(&rig, animator.palette(), BlockIndex(0), draw);
    }
}
