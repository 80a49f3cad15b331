//! Arbitrary text as a suite: shots with distinct names, or an error.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview::cli::{Shell, parse_shot_options, shot_command_line, shot_options};
use rigview_suite::suite::Trust;
use rigview_suite::suite::{MAX_SHOTS, from_text};
use rigview_fuzz::assert_printable;
use std::collections::HashSet;
use std::path::Path;

fuzz_target!(init: rigview_fuzz::allow_caught_panics(), |text: &str| {
    let options = ["size", "time", "samples", "instances", "morph"].map(String::from);
    // The folder does not exist, so that globs match nothing.
    match from_text(text, Path::new("/rigview-fuzz-nowhere"), &options, Trust::Untrusted) {
        Ok(suite) => {
            assert!(suite.shots.len() <= MAX_SHOTS);
            let names: HashSet<String> = suite.shots.iter().map(|shot| shot.name.to_lowercase()).collect();
            assert_eq!(names.len(), suite.shots.len());
            for shot in suite.shots.iter().take(20) {
                assert!(!shot.name.contains(['/', '\\', '\0']) && !shot.name.starts_with('.'), "{:?}", shot.name);
                match parse_shot_options(shot.model.clone().into(), &shot.options) {
                    // Formatted options parse to the same request.
                    Ok(request) => {
                        let options = shot_options(&request);
                        let again = parse_shot_options(shot.model.clone().into(), &options).expect("formatted options");
                        assert_eq!(shot_options(&again), options);
                        for shell in [Shell::Posix, Shell::Windows] {
                            assert_printable(&shot_command_line(&request, Path::new(&shot.model), shell));
                        }
                    }
                    Err(message) => assert!(!message.is_empty()),
                }
            }
        }
        Err(error) => assert_printable(&error.to_string()),
    }
});
