//! A folder with a suite, models and goldens, and runs of `rigview test` in it.

use crate::support::reports::{Case, junit_cases, reported_shots};
use crate::support::run::{Output, rigview_in};
use image::RgbaImage;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder with a suite and models.
pub(crate) struct World(pub(crate) TempDir);

impl World {
    pub(crate) fn new(suite: &str) -> Self {
        let folder = TempDir::new().expect("a folder for temporary files");
        std::fs::create_dir(folder.path().join("models")).expect("a folder");
        for model in ["windmill.glb", "hare.glb"] {
            let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(model);
            std::fs::copy(shipped, folder.path().join("models").join(model)).expect("a model");
        }
        std::fs::write(folder.path().join("suite.toml"), suite).expect("a suite");
        Self(folder)
    }

    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.0.path().join(inside)
    }

    pub(crate) fn test(&self, words: &[&str]) -> Output {
        let words: Vec<&str> = ["test", "suite.toml", "-o", "report"].iter().chain(words).copied().collect();
        rigview_in(self.0.path(), &words)
    }

    pub(crate) fn golden(&self, name: &str) -> PathBuf {
        self.path(&format!("goldens/{name}.png"))
    }

    /// Shots of a report, from its JSON lines.
    pub(crate) fn shots(&self, report: &str) -> Vec<Value> {
        reported_shots(&self.path(report))
    }

    pub(crate) fn names(&self, report: &str) -> Vec<String> {
        self.shots(report).iter().map(|shot| shot["name"].as_str().expect("a name").to_owned()).collect()
    }

    pub(crate) fn junit(&self) -> Vec<Case> {
        junit_cases(&std::fs::read_to_string(self.path("report/junit.xml")).expect("a report"))
    }

    /// Changes a golden.
    pub(crate) fn edit(&self, name: &str, change: impl Fn(&mut RgbaImage)) {
        let mut image = image::open(self.golden(name)).expect("a golden").to_rgba8();
        change(&mut image);
        image.save(self.golden(name)).expect("the golden");
    }
}
