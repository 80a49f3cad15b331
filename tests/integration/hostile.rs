//! Broken files give an error or an image in bounded time, never a panic.

use crate::support::bake::run_bake;
use crate::support::glb::container;
use crate::support::models::{name, shipped};
use crate::support::random::Random;
use crate::support::rigs;
use rigview::import::{ImportOptions, from_bytes};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Time limit for the import of one broken file, in a debug build with other tests in parallel.
const LIMIT: Duration = Duration::from_secs(10);

/// Broken variants of each file for the library, and for the program.
const VARIANTS: usize = 2000;
const VARIANTS_RUN: usize = 10;

/// Replacements of a JSON number.
const SPLICES: [&str; 22] = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "255",
    "256",
    "65535",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "18446744073709551615",
    "1e38",
    "-1e39",
    "1e400",
    "0.5",
    "1.0",
    "null",
    "\"7\"",
    "[0]",
];

/// A valid file to mutate.
struct Source {
    name: String,
    /// The bytes of a GLB.
    bytes: Vec<u8>,
}

impl Source {
    /// Test rigs and shipped models.
    fn all() -> Vec<Self> {
        let rigs = rigs::all().into_iter().filter(|(name, _)| !name.contains("320"));
        let mut sources: Vec<Self> = rigs.map(|(name, rig)| Self { name: name.to_owned(), bytes: rig.glb() }).collect();
        for path in shipped() {
            sources.push(Self { name: name(&path), bytes: std::fs::read(&path).expect("a shipped model") });
        }
        sources
    }

    /// Offset of the end of the JSON.
    fn json_end(&self) -> usize {
        20 + u32::from_le_bytes(self.bytes[12..16].try_into().expect("four bytes")) as usize
    }

    fn chunks(&self) -> (&[u8], &[u8]) {
        let (json, rest) = self.bytes.split_at(self.json_end());
        (&json[20..], rest.get(8..).unwrap_or_default())
    }

    /// A mutated file and the name of the mutation.
    fn broken(&self, random: &mut Random) -> (String, Vec<u8>) {
        let mut bytes = self.bytes.clone();
        match random.below(10) {
            0 => {
                let length = random.below(bytes.len());
                bytes.truncate(length);
                (format!("cut to {length} bytes"), bytes)
            }
            1 => {
                // The header agrees with the cut, so that it is found further on.
                let (json, binary) = self.chunks();
                let length = random.below(binary.len());
                (format!("binary chunk cut to {length} bytes"), container(json, &binary[..length]))
            }
            2 => {
                let end = self.json_end();
                (flip(&mut bytes, 0..end, random), bytes)
            }
            3 => {
                let range = self.json_end()..bytes.len();
                (flip(&mut bytes, range, random), bytes)
            }
            4 | 5 => {
                let (json, binary) = self.chunks();
                let (what, json) = spliced(json, random);
                (what, container(&json, binary))
            }
            6..=8 => {
                let (json, binary) = self.chunks();
                let mut value: Value = serde_json::from_slice(json).expect("the source's JSON");
                let what = change_something(&mut value, random);
                (what, container(&serde_json::to_vec(&value).expect("JSON"), binary))
            }
            _ => {
                let range = 0..bytes.len();
                let what: Vec<String> =
                    (0..1 + random.below(20)).map(|_| flip(&mut bytes, range.clone(), random)).collect();
                (what.join(", "), bytes)
            }
        }
    }
}

/// Flips a bit in a range.
fn flip(bytes: &mut [u8], range: std::ops::Range<usize>, random: &mut Random) -> String {
    let (place, bit) = (range.start + random.below(range.len()), random.below(8));
    if let Some(byte) = bytes.get_mut(place) {
        *byte ^= 1 << bit;
    }
    format!("bit {bit} of byte {place} flipped")
}

/// Replaces one number of the JSON.
fn spliced(json: &[u8], random: &mut Random) -> (String, Vec<u8>) {
    let is_number = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    let starts: Vec<usize> = (1..json.len())
        .filter(|i| (json[*i].is_ascii_digit() || json[*i] == b'-') && b":[, \n".contains(&json[i - 1]))
        .collect();
    let start = starts[random.below(starts.len())];
    let end = start + json[start..].iter().take_while(|byte| is_number(byte)).count();
    let splice = SPLICES[random.below(SPLICES.len())];
    let old = String::from_utf8_lossy(&json[start..end]).into_owned();
    let new = [&json[..start], splice.as_bytes(), &json[end..]].concat();
    (format!("{old} at byte {start} of the JSON replaced by {splice}"), new)
}

/// Removes a random JSON value, or replaces it by an invalid value or by another value of the file.
fn change_something(json: &mut Value, random: &mut Random) -> String {
    let mut paths = Vec::new();
    collect_paths(json, String::new(), &mut paths);
    let path = paths[random.below(paths.len())].clone();
    let odd =
        [Value::Null, json!([]), json!({}), json!("\u{0}"), json!(-7), json!([1, 2, 3]), json!(true), json!(1e30)];
    let other = match random.below(3) {
        0 => None,
        1 => Some(odd[random.below(odd.len())].clone()),
        _ => json.pointer(&paths[random.below(paths.len())]).cloned(),
    };
    if let Some(other) = other {
        let what = format!("{path} replaced by {}", other.to_string().chars().take(60).collect::<String>());
        *json.pointer_mut(&path).expect("a path that was found") = other;
        return what;
    }
    let (parent, key) = path.rsplit_once('/').expect("a path");
    match json.pointer_mut(parent).expect("a path that was found") {
        Value::Object(map) => drop(map.remove(key)),
        Value::Array(list) => drop(list.remove(key.parse().expect("a number"))),
        _ => unreachable!("only objects and lists have keys"),
    }
    format!("{path} removed")
}

/// Paths of all values below a value. No key needs escaping.
fn collect_paths(value: &Value, path: String, paths: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, child)| (key.clone(), child)).collect(),
        Value::Array(list) => list.iter().enumerate().map(|(i, child)| (i.to_string(), child)).collect(),
        _ => Vec::new(),
    };
    for (key, child) in children {
        let path = format!("{path}/{key}");
        paths.push(path.clone());
        collect_paths(child, path, paths);
    }
}

/// Imports bytes and describes any failure other than an error.
fn read(bytes: &[u8]) -> Result<bool, String> {
    let start = Instant::now();
    let result = catch_unwind(AssertUnwindSafe(|| from_bytes(bytes.to_vec(), None, &ImportOptions::default()).is_ok()));
    let seconds = start.elapsed();
    match result {
        Err(panic) => {
            let message = panic.downcast_ref::<String>().cloned();
            let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Err(format!("panic: {}", message.unwrap_or_default()))
        }
        Ok(_) if seconds > LIMIT => Err(format!("took {seconds:?}")),
        Ok(is_ok) => Ok(is_ok),
    }
}

#[test]
fn valid_files_import() {
    for source in Source::all() {
        assert_eq!(read(&source.bytes), Ok(true), "{}", source.name);
    }
}

#[test]
fn broken_files_do_not_panic() {
    let (mut faults, mut read_count, mut count) = (Vec::new(), 0, 0);
    for (i, source) in Source::all().iter().enumerate() {
        for seed in 0..VARIANTS {
            let (what, bytes) = source.broken(&mut Random((i * VARIANTS + seed) as u64));
            count += 1;
            match read(&bytes) {
                Ok(is_ok) => read_count += usize::from(is_ok),
                Err(fault) => faults.push(format!("{}, seed {seed}, {what}: {fault}", source.name)),
            }
        }
    }
    println!("{count} broken files, {read_count} of them still read");
    assert!(faults.is_empty(), "{} of {count}:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn truncated_files_are_refused() {
    let bytes = rigs::arm().rig.glb();
    for length in 0..bytes.len() {
        assert_eq!(read(&bytes[..length]), Ok(false), "cut to {length} of {} bytes", bytes.len());
    }
}

#[test]
fn broken_json_does_not_panic() {
    // A buffer in a data URI: flipped bits break the JSON, the URI or the numbers behind it.
    let text = rigs::arm().rig.embedded();
    assert_eq!(read(&text), Ok(true));
    for seed in 0..VARIANTS {
        let (mut random, mut bytes) = (Random(seed as u64), text.clone());
        let range = 0..bytes.len();
        let what: Vec<String> =
            (0..1 + random.below(3)).map(|_| flip(&mut bytes, range.clone(), &mut random)).collect();
        if random.below(4) == 0 {
            bytes.truncate(random.below(text.len()));
        }
        let _ = read(&bytes).unwrap_or_else(|fault| panic!("seed {seed}, {}: {fault}", what.join(", ")));
    }
}

#[test]
fn decompression_bombs_are_refused() {
    let huge = [
        r#"{"asset":{"version":"2.0"},"accessors":[{"componentType":5126,"type":"MAT4","count":4294967295}],
            "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"accessors":[{"componentType":5126,"type":"VEC3","count":2000000000,
            "min":[0,0,0],"max":[0,0,0]}],
            "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":1}],
            "bufferViews":[{"buffer":0,"byteLength":12}],"buffers":[{"byteLength":9007199254740991}],
            "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":1}],
            "bufferViews":[{"buffer":0,"byteLength":12}],"buffers":[{"byteLength":12,"uri":"/dev/zero"}],
            "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"children":[0]}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"children":[1]},{"children":[0]}],"scenes":[{"nodes":[0]}]}"#,
    ];
    for json in huge {
        assert_eq!(read(json.as_bytes()), Ok(false), "{json}");
        assert_eq!(read(&container(json.as_bytes(), &[])), Ok(false), "{json}");
    }
    // A device among the files beside a model.
    let folder = TempDir::new().expect("a folder for temporary files");
    let base = Some(folder.path());
    let device = from_bytes(huge[3].as_bytes().to_vec(), base, &ImportOptions::default());
    assert!(device.is_err(), "{}", huge[3]);
    // Nested deeper than any stack.
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let json = format!(
            "{{\"asset\":{{\"version\":\"2.0\"}},\"extras\":{}0{}}}",
            open.repeat(1 << 20),
            close.repeat(1 << 20)
        );
        let _ = read(json.as_bytes()).unwrap_or_else(|fault| panic!("a million of {open}: {fault}"));
    }
}

#[test]
fn broken_files_exit_with_one_line_and_no_output() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let mut faults = Vec::new();
    for (i, source) in Source::all().iter().enumerate() {
        for seed in 0..VARIANTS_RUN {
            let (what, bytes) = source.broken(&mut Random(1_000_000 + (i * VARIANTS_RUN + seed) as u64));
            let own = folder.path().join(format!("{i}-{seed}"));
            std::fs::create_dir(&own).expect("a writable folder");
            let (file, output) = (own.join("broken.glb"), own.join("posed.glb"));
            std::fs::write(&file, bytes).expect("a writable folder");
            let run = run_bake(&file, &output, &["--time".to_owned(), "0.5".to_owned()]);
            let entries = std::fs::read_dir(&own).expect("a folder");
            let mut left: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
            left.sort();
            let fault = if run.code == Some(0) {
                (left != [file, output]).then(|| format!("{left:?} is left\n{}", run.report()))
            } else {
                let stray = (left != [file.clone()]).then(|| format!("{left:?} is left\n{}", run.report()));
                run.refusal(&file).err().or(stray)
            };
            faults.extend(fault.map(|fault| format!("{}, seed {seed}, {what}: {fault}", source.name)));
        }
    }
    assert!(faults.is_empty(), "{}:\n{}", faults.len(), faults.join("\n"));
}
