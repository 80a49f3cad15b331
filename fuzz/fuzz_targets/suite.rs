//! Any text as a suite: shots with names of their own, or a mistake in one line.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview::cli::ShotArgs;
use rigview::suite::{MAX_SHOTS, from_text};
use rigview_fuzz::assert_printable;
use std::collections::HashSet;
use std::path::Path;

fuzz_target!(|text: &str| {
    // A folder that is not there: patterns find nothing, and nothing is looked through.
    match from_text(text, Path::new("/rigview-fuzz-nowhere")) {
        Ok(suite) => {
            assert!(suite.shots.len() <= MAX_SHOTS);
            let names: HashSet<String> = suite.shots.iter().map(|shot| shot.name.to_lowercase()).collect();
            assert_eq!(names.len(), suite.shots.len());
            for shot in suite.shots.iter().take(20) {
                assert!(!shot.name.contains(['/', '\\', '\0']) && !shot.name.starts_with('.'), "{:?}", shot.name);
                match ShotArgs::from_options(shot.model.clone().into(), &shot.options) {
                    // What is understood can be said again.
                    Ok(args) => {
                        let again = ShotArgs::from_options(shot.model.clone().into(), &args.options());
                        assert_eq!(again.expect("its own options").options(), args.options());
                        assert_printable(&args.command(Path::new(&shot.model)));
                    }
                    Err(message) => assert!(!message.is_empty()),
                }
            }
        }
        Err(error) => assert_printable(&error.to_string()),
    }
});
