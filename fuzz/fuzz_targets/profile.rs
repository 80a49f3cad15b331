//! Arbitrary text as a profile of checks: a profile with a name, or an error in one line.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview_check::profile::Profile;
use rigview_fuzz::assert_printable;

fuzz_target!(|text: &str| {
    match Profile::from_toml(text) {
        Ok(profile) => {
            assert_printable(profile.name());
            assert!(!profile.name().trim().is_empty());
        }
        Err(reason) => {
            assert_printable(&reason);
            assert!(!reason.is_empty() && reason.len() < 2000, "{} bytes", reason.len());
        }
    }
});
