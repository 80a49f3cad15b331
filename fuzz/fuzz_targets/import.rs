//! Arbitrary bytes are imported or rejected without a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview_fuzz::{file, open};

fuzz_target!(init: rigview_fuzz::allow_caught_panics(), |bytes: &[u8]| drop(open(file(bytes))));
