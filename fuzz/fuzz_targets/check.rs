//! Any bytes are checked, in words that can be printed; what can be opened after all has no code for a refusal.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview::check::{Severity, check_bytes};
use rigview_fuzz::{assert_printable, file, little_trust};

fuzz_target!(|bytes: &[u8]| {
    for issue in check_bytes(file(bytes), None, &little_trust()) {
        assert_printable(&issue.message);
        assert!(!issue.pointer.contains('\0') || issue.severity <= Severity::Error);
    }
});
