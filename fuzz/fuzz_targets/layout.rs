//! Arbitrary text as a layout, in CSV and JSON: finite placements, or an error with a line of the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview_render::scene::layout::{LayoutFormat, parse_layout};
use rigview_fuzz::assert_printable;

fuzz_target!(|text: &str| {
    for format in [LayoutFormat::Csv, LayoutFormat::Json] {
        match parse_layout(text, format) {
            Ok(layout) => {
                assert!(!layout.placements.is_empty() && layout.placements.len() <= text.len());
                for instance in &layout.placements {
                    let affine = instance.placement();
                    assert!(affine.linear.iter().chain(&affine.translation).all(|x| x.is_finite()), "{instance:?}");
                    let mut clip_uses = layout.clip_uses_of(instance).iter();
                    assert!(clip_uses.all(|clip_use| (clip_use.clip as usize) < layout.clips.len()));
                }
            }
            Err(error) => {
                assert!((1..=text.lines().count().max(1) + 1).contains(&error.line), "{error}");
                assert_printable(&error.to_string());
            }
        }
    }
});
