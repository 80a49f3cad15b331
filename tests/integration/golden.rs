//! Golden pictures of the shipped models, taken by the program itself: `tests/golden/suite.toml` lists them.

use crate::support::run::rigview;
use std::path::Path;

#[test]
fn shipped_models_look_as_they_did() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let suite = root.join("tests/golden/suite.toml");
    let report = root.join("tests/output/golden");
    let run = rigview(&[Path::new("test"), &suite, Path::new("-o"), &report]);
    assert!(run.code == Some(0) && run.stderr.is_empty(), "{}", run.report());
    assert!(!run.stdout.contains("stray"), "{}", run.report());
}

#[test]
fn a_picture_does_not_depend_on_threads() {
    let folder = tempfile::TempDir::new().expect("a folder for temporary files");
    let file = format!("{}/assets/windmill.glb", env!("CARGO_MANIFEST_DIR"));
    let mut pictures = Vec::new();
    for threads in ["1", "2", "7"] {
        let picture = folder.path().join(format!("{threads}.png"));
        let picture_name = picture.to_string_lossy().into_owned();
        let mut words = vec!["shot", file.as_str(), "-o", &picture_name];
        words.extend(["--size", "160x90", "--instances", "100", "--time", "1.3"]);
        let run =
            crate::support::run::rigview_with(&[("RAYON_NUM_THREADS", threads), ("LP_NUM_THREADS", threads)], &words);
        assert_eq!(run.code, Some(0), "{}", run.report());
        pictures.push(std::fs::read(picture).expect("the picture"));
    }
    assert!(pictures.iter().all(|picture| *picture == pictures[0]));
}
