//! A suite over all models: it passes repeatedly, and detects every change of a model.

use crate::support::models::{name, samples, shipped};
use crate::support::mutate::Original;
use crate::support::reports::reported_shots;
use crate::support::run::{Output, program, rigview_in, watched_program};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Time of every image, in seconds of the first clip.
const TIME: f32 = 0.4;

/// A folder with models, a suite and goldens.
struct World {
    folder: TempDir,
    models: Vec<Original>,
}

impl World {
    /// Uses the shipped models, and one of `step` sample models if available, with defaults of the suite.
    fn blessed(defaults: &str, step: usize) -> Self {
        let folder = TempDir::new().expect("a folder for temporary files");
        let samples = samples("suites_over_all_models").unwrap_or_default().into_iter().step_by(step);
        let files: Vec<PathBuf> = shipped().into_iter().chain(samples).collect();
        let models: Vec<Original> = files.iter().map(|path| Original::whole(name(path), path)).collect();
        let world = Self { folder, models };
        world.write_suite(defaults, |_| true);
        world.write(|_| true, |_| {});
        let run = world.run("4", &["--update"]);
        assert_eq!(run.code, Some(0), "{}", run.report());
        world
    }

    fn write_suite(&self, defaults: &str, wanted: impl Fn(&usize) -> bool) {
        let mut suite = format!("[defaults]\n{defaults}\ntime = {TIME}\nignore-required = true\n");
        for i in (0..self.models.len()).filter(wanted) {
            suite += &format!("[[shot]]\nname = \"{i}\"\nmodel = \"{i}.glb\"\n");
        }
        std::fs::write(self.folder.path().join("suite.toml"), suite).expect("a suite");
    }

    fn run(&self, threads: &str, more: &[&str]) -> Output {
        self.run_by(&program(), threads, more)
    }

    fn run_by(&self, program: &Path, threads: &str, more: &[&str]) -> Output {
        self.run_with(program, &[("RAYON_NUM_THREADS", threads), ("LP_NUM_THREADS", threads)], threads, more)
    }

    fn run_with(&self, program: &Path, variables: &[(&str, &str)], jobs: &str, more: &[&str]) -> Output {
        let words = [&["test", "suite.toml", "-o", "report", "--jobs", jobs], more].concat();
        watched_program(program, self.folder.path(), variables, &words, Duration::from_secs(1800)).output
    }

    /// Writes modified models.
    fn write(&self, wanted: impl Fn(usize) -> bool, change: impl Fn(&mut Original)) {
        for (i, model) in self.models.iter().enumerate().filter(|(i, _)| wanted(*i)) {
            let mut model = model.clone();
            change(&mut model);
            std::fs::write(self.folder.path().join(format!("{i}.glb")), model.glb()).expect("a model");
        }
    }

    fn shots(&self) -> Vec<Value> {
        reported_shots(&self.folder.path().join("report"))
    }

    /// Models whose images changed.
    fn differing(&self) -> BTreeSet<usize> {
        self.shots().iter().filter(|shot| shot["status"] != "passed").map(number).collect()
    }

    /// Models that rigview refuses because of their compression.
    fn left_out(&self) -> BTreeSet<usize> {
        let left_out = |shot: &Value| shot["notices"].to_string().contains("compress");
        let shots = self.shots();
        shots.iter().filter(|shot| left_out(shot)).map(number).collect()
    }

    fn names(&self, of: &BTreeSet<usize>) -> Vec<&str> {
        of.iter().map(|i| self.models[*i].name.as_str()).collect()
    }
}

/// The model of a shot.
fn number(shot: &Value) -> usize {
    shot["name"].as_str().and_then(|name| name.parse().ok()).expect("a number")
}

/// Offset, components per element, element count and stride of an accessor of floats in the buffer; otherwise
/// `None`.
fn floats(model: &Original, accessor: &Value) -> Option<(usize, usize, usize, usize)> {
    let accessor = &model.json["accessors"][usize::try_from(accessor.as_u64()?).ok()?];
    let view = &model.json["bufferViews"][usize::try_from(accessor["bufferView"].as_u64()?).ok()?];
    let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
    let width = match accessor["type"].as_str()? {
        "SCALAR" => 1,
        "VEC3" => 3,
        "VEC4" => 4,
        _ => return None,
    };
    let stride = view["byteStride"].as_u64().map_or(width * 4, |stride| stride as usize);
    let start = number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
    (accessor["componentType"] == 5126).then(|| (start, width, number(&accessor["count"]), stride))
}

fn read(model: &Original, at: usize) -> f32 {
    f32::from_le_bytes(model.bin[at..at + 4].try_into().expect("four bytes"))
}

fn write(model: &mut Original, at: usize, value: f32) {
    model.bin[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

/// Moves most of each vertex's first weight to its second joint. Returns `true` if there was one.
fn change_weight(model: &mut Original) -> bool {
    let mut changed = false;
    let meshes = model.json["meshes"].as_array().cloned().unwrap_or_default();
    for primitive in meshes.iter().flat_map(|mesh| mesh["primitives"].as_array().cloned().unwrap_or_default()) {
        let Some((start, 4, count, stride)) = floats(model, &primitive["attributes"]["WEIGHTS_0"]) else { continue };
        for vertex in 0..count {
            let at = start + vertex * stride;
            let (first, second) = (read(model, at), read(model, at + 4));
            write(model, at, first * 0.2);
            write(model, at + 4, second + first * 0.8);
        }
        changed = true;
    }
    changed
}

/// Changes the last key before the image's time in every channel of the first clip. Returns `true` if there was one.
fn change_key(model: &mut Original) -> bool {
    let mut changed = false;
    let clip = model.json["animations"][0].clone();
    for channel in clip["channels"].as_array().into_iter().flatten() {
        let sampler = &clip["samplers"][channel["sampler"].as_u64().expect("a number") as usize];
        let path = channel["target"]["path"].as_str().unwrap_or_default();
        let (Some((times, 1, keys, step)), Some((values, width, count, stride))) =
            (floats(model, &sampler["input"]), floats(model, &sampler["output"]))
        else {
            continue;
        };
        let key = (0..keys).take_while(|key| read(model, times + key * step) <= TIME).last().unwrap_or(0);
        let (each, place) = if sampler["interpolation"] == "CUBICSPLINE" { (3, 1) } else { (1, 0) };
        // Of weights, a key has as many as there are targets.
        let items = count / (keys * each);
        let at = |item: usize, number: usize| values + ((key * each + place) * items + item) * stride + number * 4;
        match path {
            "rotation" => {
                // A quarter of a turn about X, after what it was.
                let half = std::f32::consts::FRAC_PI_8;
                let (sine, cosine) = half.sin_cos();
                let q: Vec<f32> = (0..4).map(|i| read(model, at(0, i))).collect();
                let turned = [
                    cosine * q[0] + sine * q[3],
                    cosine * q[1] + sine * q[2],
                    cosine * q[2] - sine * q[1],
                    cosine * q[3] - sine * q[0],
                ];
                turned.iter().enumerate().for_each(|(i, x)| write(model, at(0, i), *x));
            }
            "scale" => {
                let size = read(model, at(0, 1));
                write(model, at(0, 1), size * 1.5);
            }
            "translation" | "weights" => {
                for number in 0..width {
                    let value = read(model, at(0, number));
                    write(model, at(0, number), value * 1.5 + 0.3);
                }
            }
            _ => continue,
        }
        changed = true;
    }
    changed
}

/// Changes the green component of every material. Returns `true` if there was one.
fn change_color(model: &mut Original) -> bool {
    let materials = model.json["materials"].as_array_mut();
    let mut changed = false;
    for material in materials.into_iter().flatten() {
        let rough = &mut material["pbrMetallicRoughness"];
        if rough.is_null() {
            *rough = json!({});
        }
        let color =
            rough["baseColorFactor"].as_array().cloned().unwrap_or(vec![json!(1), json!(1), json!(1), json!(1)]);
        let green = color[1].as_f64().expect("a number");
        let other = if green > 0.5 { green * 0.5 } else { green + 0.3 };
        rough["baseColorFactor"] = json!([color[0], other, color[2], color[3]]);
        changed = true;
    }
    changed
}

#[test]
fn suite_passes_twice_and_detects_changes() {
    check_changes(8);
}

#[test]
#[ignore = "slow: make test-all"]
fn dense_suite_passes_twice_and_detects_changes() {
    check_changes(1);
}

/// Changes models of a suite, and compares those whose images differ.
fn check_changes(step: usize) {
    let world = World::blessed("size = [96, 72]", step);
    let left_out = world.left_out();
    for threads in ["1", "4"] {
        let run = world.run(threads, &[]);
        assert_eq!(run.code, Some(0), "{}", run.report());
    }
    type Change = fn(&mut Original) -> bool;
    let changes: [(&str, Change); 3] =
        [("a joint's weight", change_weight), ("a clip's key", change_key), ("a material's color", change_color)];
    for (what, change) in changes {
        let shown = |i: usize| !left_out.contains(&i) && change(&mut world.models[i].clone());
        let touched: BTreeSet<usize> = (0..world.models.len()).filter(|i| shown(*i)).collect();
        assert!(!touched.is_empty(), "no model has {what}");
        world.write(
            |i| touched.contains(&i),
            |model| {
                change(model);
            },
        );
        let run = world.run("4", &[]);
        assert_eq!(run.code, Some(1), "{what}: {}", run.report());
        let differing = world.differing();
        let wrongly: Vec<&str> = world.names(&differing.difference(&touched).copied().collect());
        assert!(wrongly.is_empty(), "{what}: not changed, and yet they differ: {wrongly:?}");
        let unseen: Vec<&str> = world.names(&touched.difference(&differing).copied().collect());
        println!("{what}: {} models, seen in {}; not in {unseen:?}", touched.len(), differing.len());
        assert!(unseen.is_empty(), "{what}: changed, but undetected: {unseen:?}");
        world.write(|i| touched.contains(&i), |_| {});
    }
    other_shader_is_detected(&world, &left_out);
    let run = world.run("4", &[]);
    assert_eq!(run.code, Some(0), "{}", run.report());
}

/// Prints the table of docs/measurements.md: images of other renderers against goldens of llvmpipe with 4 samples.
#[test]
#[ignore = "a measurement of many minutes"]
fn renderer_table() {
    const SIZE: &str = "size = [160, 120]";
    let wanted = std::env::var("RIGVIEW_RENDERER_TABLE").unwrap_or_default();
    type Change = fn(&mut Original) -> bool;
    let changes: [(&str, Change); 3] = [("weight", change_weight), ("key", change_key), ("color", change_color)];
    for (label, golden_samples, samples, variable) in [
        ("llvmpipe, 128 bits", 4, 4, ("LP_NATIVE_VECTOR_WIDTH", "128")),
        ("llvmpipe, 1 sample", 4, 1, ("LP_NUM_THREADS", "2")),
        ("softpipe, 1 sample", 4, 1, ("GALLIUM_DRIVER", "softpipe")),
        ("softpipe, 1 sample, goldens with 1 sample", 1, 1, ("GALLIUM_DRIVER", "softpipe")),
    ] {
        if !label.contains(wanted.as_str()) {
            continue;
        }
        let world = World::blessed(&format!("{SIZE}\nsamples = {golden_samples}"), 1);
        let defaults = format!("{SIZE}\nsamples = {samples}");
        let left_out = world.left_out();
        let changed_of = |wanted: &BTreeSet<usize>| {
            world.write_suite(&defaults, |i| wanted.contains(i));
            world.run_with(&program(), &[variable], "2", &[]);
            let renderer = world.shots().iter().filter(|shot| shot["same_driver"] == true).count();
            (world.differing(), renderer)
        };
        let all: BTreeSet<usize> = (0..world.models.len()).filter(|i| !left_out.contains(i)).collect();
        let (alarms, same_driver) = changed_of(&all);
        println!(
            "{label}: {} false alarms in {} images ({same_driver} of the same renderer): {:?}",
            alarms.len(),
            all.len(),
            world.names(&alarms)
        );
        for (what, change) in changes {
            let touched: BTreeSet<usize> =
                all.iter().copied().filter(|i| change(&mut world.models[*i].clone())).collect();
            world.write(|i| touched.contains(&i), |model| _ = change(model));
            let missed: BTreeSet<usize> = touched.difference(&changed_of(&touched).0).copied().collect();
            println!("{label}: {what}: {} missed of {}: {:?}", missed.len(), touched.len(), world.names(&missed));
            world.write(|i| touched.contains(&i), |_| {});
        }
    }
}

/// A shader line, and a replacement of equal length that halves the light.
const LINE: [&str; 2] = [
    "    color_out = (color_out + emissive) * frame.exposure;\n",
    "    color_out = (color_out + emissive) * 0.5           ;\n",
];

/// The program with the replacement. The binary contains the shaders as text.
fn with_another_shader(folder: &Path) -> PathBuf {
    let mut bytes = std::fs::read(program()).expect("the program");
    let is_there = |place: &usize| bytes[*place..].starts_with(LINE[0].as_bytes());
    let places: Vec<usize> = (0..bytes.len()).filter(is_there).collect();
    assert!(!places.is_empty() && LINE[0].len() == LINE[1].len(), "mesh.frag has another line by now");
    for place in places {
        bytes[place..place + LINE[1].len()].copy_from_slice(LINE[1].as_bytes());
    }
    let other = folder.join("rigview-with-another-shader");
    std::fs::copy(program(), &other).expect("a program");
    std::fs::write(&other, bytes).expect("a program");
    other
}

/// Asserts that lit models change if one shader line changes.
fn other_shader_is_detected(world: &World, left_out: &BTreeSet<usize>) {
    let other = with_another_shader(world.folder.path());
    let is_lit = |model: &Original| {
        let is_unlit = |material: &Value| material["extensions"]["KHR_materials_unlit"].is_object();
        model.json["materials"].as_array().is_none_or(|materials| !materials.iter().any(is_unlit))
            && model.json["meshes"].is_array()
    };
    let lit = (0..world.models.len()).filter(|i| !left_out.contains(i) && is_lit(&world.models[*i]));
    let lit: BTreeSet<usize> = lit.collect();
    let run = world.run_by(&other, "4", &[]);
    assert_eq!(run.code, Some(1), "{}", run.report());
    let differing = world.differing();
    println!("a shader's line: {} models are lit, seen in {}", lit.len(), differing.len());
    let unseen: Vec<&str> = world.names(&lit.difference(&differing).copied().collect());
    assert!(unseen.is_empty(), "a shader's line: changed, but undetected: {unseen:?}");
}

#[test]
fn environment_path_is_relative_to_suite() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let inside = folder.path().join("suites");
    std::fs::create_dir(&inside).expect("a folder");
    std::fs::copy(&shipped()[0], inside.join("model.glb")).expect("a model");
    let sky = image::Rgb32FImage::from_fn(8, 4, |x, y| image::Rgb([x as f32, 0.5, y as f32]));
    sky.save(inside.join("sky.hdr")).expect("a panorama");
    let suite = "[[shot]]\nname = \"sky\"\nmodel = \"model.glb\"\nsize = [32, 32]\nenvironment = \"sky.hdr\"\n";
    std::fs::write(inside.join("suite.toml"), suite).expect("a suite");
    let run = rigview_in(folder.path(), &["test", "suites/suite.toml", "--update"]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    for (from, suite) in [(folder.path(), "suites/suite.toml"), (&inside, "suite.toml"), (Path::new("/"), "")] {
        let whole = inside.join("suite.toml").display().to_string();
        let report = folder.path().join("report").display().to_string();
        let run = rigview_in(from, &["test", if suite.is_empty() { &whole } else { suite }, "-o", &report]);
        assert_eq!(run.code, Some(0), "{}", run.report());
    }
    // The reported command is relative to the suite's folder.
    let text = std::fs::read_to_string(folder.path().join("report/report.jsonl")).expect("a report");
    assert!(text.contains("rigview shot model.glb") && text.contains("--environment=sky.hdr"), "{text}");
}
