//! Two documents that differ by a few mutations: `diff` of a model with itself is empty.

#![no_main]

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use rigview::check::diff::{RigDiff, Tolerances};
use rigview_fuzz::document::Document;
use rigview_fuzz::open;

fuzz_target!(init: rigview_fuzz::allow_caught_panics(), |bytes: &[u8]| {
    let _ = run(&mut Unstructured::new(bytes));
});

fn run(input: &mut Unstructured<'_>) -> Result<()> {
    let mutation_count = input.int_in_range(1..=6)?;
    let mut document = Document::valid(input)?;
    let Ok(before) = open(document.glb()) else { return Ok(()) };
    for _ in 0..mutation_count {
        document.mutate(input)?;
    }
    let Ok(after) = open(document.glb()) else { return Ok(()) };
    for (a, b) in [(&before, &after), (&after, &before), (&after, &after)] {
        let text = RigDiff::of_files(a, b, &Tolerances::default()).text();
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
        assert!(!std::ptr::eq(a, b) || RigDiff::of_files(a, b, &Tolerances::EXACT).is_empty(), "{text}");
    }
    Ok(())
}
