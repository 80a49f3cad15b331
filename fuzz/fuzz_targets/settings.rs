//! Arbitrary text as settings of the window: what is saved is read as the same settings.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview::app::parsers::settings;

fuzz_target!(init: rigview_fuzz::allow_caught_panics(), |text: &str| {
    let saved = settings(text).expect("settings can be saved");
    assert_eq!(settings(&saved).as_deref(), Ok(&*saved));
});
