//! Golden images of the shipped models. `tests/golden/suite.toml` lists them.

#[cfg(unix)]
use crate::support::models::samples;
use crate::support::run::{Output, rigview, rigview_with};
use std::path::Path;

/// Runs a suite; returns its result. Its report is in `tests/output/NAME`, its shaders, which `make shaders` checks, in
/// `tests/output/shaders/NAME`.
fn run_suite(suite: &Path, name: &str) -> Output {
    let output = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/output");
    let (report, shaders) = (output.join(name), output.join("shaders").join(name));
    // Those of a former version.
    let _ = std::fs::remove_dir_all(&shaders);
    std::fs::create_dir_all(&shaders).expect("a folder");
    let variable = ("RIGVIEW_SHADER_DUMP", shaders.to_str().expect("a UTF-8 path"));
    rigview_with(&[variable], &[Path::new("test"), suite, Path::new("-o"), &report])
}

#[test]
fn shipped_models_match_goldens() {
    let run = run_suite(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/suite.toml"), "golden");
    assert!(run.code == Some(0) && run.stderr.is_empty(), "{}", run.report());
    assert!(!run.stdout.contains("obsolete"), "{}", run.report());
}

#[test]
fn more_samples_than_the_driver_has_are_several_draws() {
    let folder = tempfile::TempDir::new().expect("a folder for temporary files");
    let file = format!("{}/assets/hare.glb", env!("CARGO_MANIFEST_DIR"));
    let opacities = |samples: &str| {
        let image = folder.path().join(format!("{samples}.png"));
        let words = ["shot", &file, "--size", "160x120", "--background", "transparent", "--samples", samples, "-o"]
            .map(Path::new);
        let run = rigview(&[&words[..], &[&image]].concat());
        assert!(run.code == Some(0) && run.stderr.is_empty(), "{}", run.report());
        let pixels = image::open(&image).expect("an image").into_rgba8();
        pixels.pixels().map(|pixel| pixel[3]).collect::<std::collections::BTreeSet<u8>>().len()
    };
    // Software drivers have four samples.
    assert_eq!(opacities("4"), 5);
    assert!(opacities("64") > 40);
}

/// Materials and extensions of sample models. The goldens were reviewed against the screenshots of the sample models.
#[test]
#[cfg(unix)]
fn sample_materials_match_goldens() {
    if samples("sample_materials_match_goldens").is_none() {
        return;
    }
    let models = std::env::var_os("RIGVIEW_SAMPLE_MODELS").expect("the folder of the sample models");
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/materials");
    let folder = tempfile::TempDir::new().expect("a folder for temporary files");
    std::os::unix::fs::symlink(models, folder.path().join("models")).expect("a link to the models");
    for entry in std::fs::read_dir(&here).expect("the goldens") {
        let file = entry.expect("a golden").path();
        if file.is_file() {
            let name = file.file_name().expect("its name");
            std::fs::copy(&file, folder.path().join(name)).expect("a copy");
        }
    }
    let run = run_suite(&folder.path().join("suite.toml"), "materials");
    assert_eq!(run.code, Some(0), "{}", run.report());
    assert!(!run.stdout.contains("obsolete"), "{}", run.report());
}
