//! The JSON before it is taken for glTF: weighed, parsed, mended. The text stands alone, or in a good file's place.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview_fuzz::{container, open};

fuzz_target!(|bytes: &[u8]| {
    drop(open(bytes.to_vec()));
    // As one value among good ones, so that the walk over it is reached.
    let value = [br#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{}],"accessors":"#, bytes, b"}"].concat();
    drop(open(container(&value, &[0; 64])));
});
