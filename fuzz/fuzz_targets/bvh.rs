//! Arbitrary text after the first word of a BVH file: a model within the limits, or an error with a line or a limit.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview_core::import::{ImportOptions, Limit, from_bytes};
use rigview_fuzz::assert_printable;

fuzz_target!(|text: &str| {
    let mut options = ImportOptions::default();
    options.policy.limits.set(Limit::Elements, 1000);
    match from_bytes(format!("HIERARCHY {text}").into_bytes(), None, &options) {
        Ok(imported) => assert!(imported.model.skeleton.len() <= 1000),
        Err(error) => assert_printable(&error.to_string()),
    }
});
