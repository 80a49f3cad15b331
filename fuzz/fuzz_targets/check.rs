//! Arbitrary bytes are checked without a panic, and all messages are printable.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview_check::{Severity, check_bytes};
use rigview_fuzz::{assert_printable, file, low_limits};

fuzz_target!(init: rigview_fuzz::allow_caught_panics(), |bytes: &[u8]| {
    for issue in check_bytes(file(bytes), None, &low_limits()) {
        assert_printable(&issue.message);
        assert!(!issue.pointer.contains('\0') || issue.severity <= Severity::Error);
    }
});
