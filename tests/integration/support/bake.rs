//! Bakes a file with the program, and compares the result with the reference and with analytic values.

use super::compare::{check_form, compare};
use super::glb::Rig;
use super::reference::{Direction, Document, Instant, PosedCrowd, PosedPrimitive, Vec3, distance};
use super::run::{Output, rigview};
use super::tolerance;
use std::ffi::OsString;
use std::path::Path;
use tempfile::TempDir;

/// A time, scene and clip with the options of `bake`.
#[derive(Clone, Debug)]
pub(crate) struct Shot {
    /// Arguments of the reference.
    pub(crate) instant: Instant,
    /// Arguments of the program.
    pub(crate) options: Vec<String>,
}

impl Shot {
    /// A file without clips, no options.
    pub(crate) fn still() -> Self {
        Self { instant: Instant::default(), options: Vec::new() }
    }

    /// The rest pose of a file with clips.
    pub(crate) fn rest() -> Self {
        Self { options: vec!["--clip".to_owned(), "none".to_owned()], ..Self::still() }
    }

    /// The first clip, which is the default, at a time in seconds.
    pub(crate) fn at(time: f64) -> Self {
        let instant = Instant { clip: Some(0), time, ..Instant::default() };
        Self { instant, options: vec!["--time".to_owned(), time.to_string()] }
    }

    /// A clip by its number at a time in seconds.
    pub(crate) fn clip(clip: usize, time: f64) -> Self {
        let mut shot = Self::at(time);
        shot.instant.clip = Some(clip);
        shot.with(&["--clip", &clip.to_string()])
    }

    /// A scene by its number.
    pub(crate) fn scene(mut self, scene: usize) -> Self {
        self.instant.scene = Some(scene);
        self.with(&["--scene", &scene.to_string()])
    }

    /// Further options.
    pub(crate) fn with(mut self, options: &[&str]) -> Self {
        self.options.extend(options.iter().map(|option| (*option).to_owned()));
        self
    }
}

/// Runs `rigview bake FILE -o OUTPUT OPTIONS`.
pub(crate) fn run_bake(file: &Path, output: &Path, options: &[String]) -> Output {
    let mut arguments: Vec<OsString> = vec!["bake".into(), file.into(), "-o".into(), output.into()];
    arguments.extend(options.iter().map(OsString::from));
    rigview(&arguments)
}

/// Bakes a file and reads the result. The error contains the program's message or the faults of its file.
pub(crate) fn bake(file: &Path, options: &[String]) -> Result<Document, String> {
    let folder = TempDir::new().expect("a folder for temporary files");
    let output = folder.path().join("posed.glb");
    let run = run_bake(file, &output, options);
    if run.code != Some(0) || !output.is_file() {
        return Err(format!("bake failed\n{}", run.report()));
    }
    let baked = Document::open(&output);
    check_form(&format!("$ {}\nthe baked file breaks rules:", run.command), &baked)?;
    Ok(baked)
}

/// Bakes a rig and compares the result with the reference and with `analytic`.
///
/// `analytic` runs twice: on the result of the reference, then on the baked result.
pub(crate) fn check(label: &str, rig: &Rig, shot: &Shot, analytic: impl Fn(&AnalyticCheck)) {
    let folder = TempDir::new().expect("a folder for temporary files");
    check_file(label, &rig.write_glb(folder.path(), "rig"), shot, analytic);
}

/// [`check`] for a file.
pub(crate) fn check_file(label: &str, file: &Path, shot: &Shot, analytic: impl Fn(&AnalyticCheck)) {
    let expected = Document::open(file).pose(shot.instant);
    analytic(&AnalyticCheck {
        label: format!("{label}: reference"),
        posed: &expected,
        tolerance: tolerance::REFERENCE_ANALYTIC,
    });
    let label = format!("{label} [{}]", shot.options.join(" "));
    let baked = bake(file, &shot.options).unwrap_or_else(|fault| panic!("{label}: {fault}"));
    let actual = baked.pose(Instant::default());
    compare(&format!("{label}: bake differs from the reference"), &expected, &actual, tolerance::REFERENCE)
        .unwrap_or_else(|fault| panic!("{fault}"));
    analytic(&AnalyticCheck { label: format!("{label}: bake"), posed: &actual, tolerance: tolerance::ANALYTIC });
}

/// [`check`] without analytic values.
pub(crate) fn check_by_reference(label: &str, rig: &Rig, shot: &Shot) {
    check(label, rig, shot, |_| {});
}

/// A pose that is compared with analytic values.
pub(crate) struct AnalyticCheck<'a> {
    /// Source of the pose, for messages.
    label: String,
    /// The pose.
    posed: &'a PosedCrowd,
    /// Maximum distance, relative to the size of the model or to 1, whichever is larger.
    tolerance: f64,
}

impl AnalyticCheck<'_> {
    /// The number of drawn meshes.
    pub(crate) fn meshes(&self, count: usize) {
        assert_eq!(self.posed.meshes.len(), count, "{}: drawn meshes", self.label);
    }

    /// A drawn primitive.
    fn primitive(&self, mesh: usize, primitive: usize) -> &PosedPrimitive {
        let posed = self.posed.meshes.get(mesh).and_then(|mesh| mesh.primitives.get(primitive));
        posed.unwrap_or_else(|| panic!("{}: drawn mesh {mesh}, primitive {primitive} does not exist", self.label))
    }

    /// The positions of all vertices of a primitive.
    pub(crate) fn positions(&self, mesh: usize, primitive: usize, expected: &[Vec3]) {
        self.points(
            &format!("mesh {mesh}, primitive {primitive}"),
            &self.primitive(mesh, primitive).positions,
            expected,
        );
    }

    /// The normals of all vertices of a primitive.
    pub(crate) fn normals(&self, mesh: usize, primitive: usize, expected: &[Vec3]) {
        let normals = self.primitive(mesh, primitive).normals.as_deref().unwrap_or_default();
        self.points(&format!("mesh {mesh}, primitive {primitive}, normals"), &vectors(normals), expected);
    }

    /// The tangents of all vertices of a primitive, with their handedness.
    pub(crate) fn tangents(&self, mesh: usize, primitive: usize, expected: &[[f64; 4]]) {
        let tangents = self.primitive(mesh, primitive).tangents.as_deref().unwrap_or_default();
        let label = format!("mesh {mesh}, primitive {primitive}, tangents");
        let vectors_expected: Vec<Vec3> = expected.iter().map(|t| [t[0], t[1], t[2]]).collect();
        self.points(&label, &vectors(tangents), &vectors_expected);
        let signs = |list: &[f64]| list.iter().map(|w| w.signum()).collect::<Vec<_>>();
        let (found, wanted): (Vec<f64>, Vec<f64>) =
            (tangents.iter().map(|t| t.w).collect(), expected.iter().map(|t| t[3]).collect());
        assert_eq!(signs(&found), signs(&wanted), "{}: {label}, handedness", self.label);
    }

    /// Triangles of a primitive, each starting at its smallest index.
    pub(crate) fn triangles(&self, mesh: usize, primitive: usize, expected: &[[usize; 3]]) {
        let found: Vec<[usize; 3]> = self
            .primitive(mesh, primitive)
            .triangles()
            .into_iter()
            .map(|mut corners| {
                let smallest = (0..3).min_by_key(|i| corners[*i]).expect("three corners");
                corners.rotate_left(smallest);
                corners
            })
            .collect();
        assert_eq!(found, expected, "{}: mesh {mesh}, primitive {primitive}, triangles", self.label);
    }

    /// One set of texture coordinates of a primitive.
    pub(crate) fn tex_coords(&self, mesh: usize, primitive: usize, set: usize, expected: &[[f64; 2]]) {
        let found = self.primitive(mesh, primitive).tex_coords.get(&set).cloned().unwrap_or_default();
        let label = format!("mesh {mesh}, primitive {primitive}, TEXCOORD_{set}");
        self.rows(&label, &found, &expected.iter().map(|row| row.to_vec()).collect::<Vec<_>>());
    }

    /// The colors of a primitive.
    pub(crate) fn colors(&self, mesh: usize, primitive: usize, expected: &[[f64; 4]]) {
        let found = self.primitive(mesh, primitive).colors.get(&0).cloned().unwrap_or_default();
        let label = format!("mesh {mesh}, primitive {primitive}, COLOR_0");
        self.rows(&label, &found, &expected.iter().map(|row| row.to_vec()).collect::<Vec<_>>());
    }

    /// Compares points.
    fn points(&self, what: &str, found: &[Vec3], expected: &[Vec3]) {
        assert_eq!(found.len(), expected.len(), "{}: {what}: number of vertices", self.label);
        for (vertex, (a, b)) in expected.iter().zip(found).enumerate() {
            let size = a.iter().fold(self.posed.size().max(1.0), |largest, x| largest.max(x.abs()));
            assert!(
                distance(*a, *b) <= self.tolerance * size,
                "{}: {what}, vertex {vertex}: expected {a:?}, found {b:?}",
                self.label
            );
        }
    }

    /// Compares copied values.
    fn rows(&self, what: &str, found: &[Vec<f64>], expected: &[Vec<f64>]) {
        assert_eq!(found.len(), expected.len(), "{}: {what}: number of vertices", self.label);
        for (vertex, (a, b)) in expected.iter().zip(found).enumerate() {
            let same = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= self.tolerance);
            assert!(same, "{}: {what}, vertex {vertex}: expected {a:?}, found {b:?}", self.label);
        }
    }
}

/// Vectors without handedness.
fn vectors(directions: &[Direction]) -> Vec<Vec3> {
    directions.iter().map(|direction| direction.vector).collect()
}
