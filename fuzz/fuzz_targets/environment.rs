//! Arbitrary bytes as a Radiance or OpenEXR environment: as many texels as the size says, or an error.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview_core::import::{Limit, Limits, read_panorama};
use rigview_fuzz::{allow_caught_panics, assert_printable};

fuzz_target!(init: allow_caught_panics(), |bytes: &[u8]| {
    let mut limits = Limits::default();
    limits.set(Limit::Environment, 1 << 16);
    match read_panorama(bytes, &limits) {
        Ok(panorama) => {
            assert!(panorama.texels.len() <= 1 << 16);
            assert_eq!(panorama.texels.len(), panorama.width * panorama.height);
        }
        Err(error) => assert_printable(&error.to_string()),
    }
});
