//! Arbitrary JSON: size estimate, parsing and normalization, as a whole file and as one value of a valid file.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview_fuzz::{container, open};

fuzz_target!(init: rigview_fuzz::allow_caught_panics(), |bytes: &[u8]| {
    drop(open(bytes.to_vec()));
    // As one value among valid ones, so that normalization is reached.
    let value =
        [br#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{}],"accessors":"#, bytes, b"}"].concat();
    drop(open(container(&value, &[0; 64])));
});
