//! Edits of the valid file, with their issues.

use super::valid_file::{glb, poke, remove, set, valid_file};
use crate::{Issue, Severity, check_bytes};
use rigview_core::import::ImportPolicy;
use serde_json::{Value, json};

/// Codes of warnings and errors.
fn warnings_and_errors(issues: &[Issue]) -> Vec<&'static str> {
    issues.iter().filter(|issue| issue.severity > Severity::Info).map(|issue| issue.code).collect()
}

#[test]
fn valid_file_has_no_warnings() {
    let (json, bytes) = valid_file();
    let issues = check_bytes(glb(&json, &bytes), None, &ImportPolicy::default());
    assert_eq!(warnings_and_errors(&issues), [""; 0], "{issues:#?}");
    assert_eq!(
        issues.iter().map(|issue| issue.code).collect::<Vec<_>>(),
        ["RIGVIEW_INSTANCE_COST", "RIGVIEW_CLIP_MOVES_NOTHING"]
    );
}

/// A file after the edits of a row.
pub(super) fn edited((mut json, mut bytes): (Value, Vec<u8>), edits: &str) -> (Value, Vec<u8>) {
    let index = |word: &str| word.parse::<usize>().unwrap();
    for edit in edits.split(" ; ").filter(|edit| !edit.is_empty()) {
        let (verb, rest) = edit.split_once(' ').unwrap();
        let words: Vec<&str> = rest.split(' ').collect();
        match verb {
            "remove" => words.iter().for_each(|pointer| remove(&mut json, pointer)),
            "copy" => {
                let value = json.pointer(words[0]).unwrap().clone();
                set(&mut json, words[1], value);
            }
            "use" => set(&mut json, "/extensionsUsed", json!([rest])),
            "grow" => bytes.extend(vec![0; index(rest)]),
            "poke" => {
                let data: Vec<u8> = words[2].as_bytes().chunks(2).map(hex).collect();
                poke(&json, &mut bytes, index(words[0]), index(words[1]), &data);
            }
            "float" => {
                let number: f32 = words[2].parse().unwrap();
                poke(&json, &mut bytes, index(words[0]), 4 * index(words[1]), &number.to_le_bytes());
            }
            pointer => set(&mut json, pointer, serde_json::from_str(rest).unwrap_or_else(|e| panic!("{edit}: {e}"))),
        }
    }
    (json, bytes)
}

fn hex(digits: &[u8]) -> u8 {
    u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap()
}

#[test]
fn edited_files_have_the_issues_of_their_rows() {
    let mut missed = Vec::new();
    for row in include_str!("codes.txt").lines().filter(|row| !row.starts_with('#')) {
        let (expected, edits) = row.split_once(" |").unwrap();
        let (json, bytes) = edited(valid_file(), edits.trim_start());
        let issues = check_bytes(glb(&json, &bytes), None, &ImportPolicy::default());
        let has = |code: &str| issues.iter().any(|issue| issue.code == code);
        let is_right = |expected: &str| match (expected.strip_prefix('!'), expected.split_once('@')) {
            (Some(code), _) => !has(code),
            (_, Some((code, pointer))) => issues.iter().any(|issue| issue.code == code && issue.pointer == pointer),
            _ if expected == "valid" => issues.iter().all(|issue| issue.severity != Severity::Error),
            _ => has(expected),
        };
        if !expected.split(' ').all(is_right) {
            let found: Vec<_> = issues.iter().map(|issue| format!("{}@{}", issue.code, issue.pointer)).collect();
            missed.push(format!("{row}\nfound {}", found.join(" ")));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn every_container_fault_is_reported_with_its_code() {
    let (json, bytes) = valid_file();
    let whole = glb(&json, &bytes);
    let json_end = 20 + u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize;
    let codes = |bytes: Vec<u8>| {
        check_bytes(bytes, None, &ImportPolicy::default()).into_iter().map(|issue| issue.code).collect::<Vec<_>>()
    };
    let edited = |at: usize, data: &[u8]| {
        let mut bytes = whole.clone();
        bytes[at..at + data.len()].copy_from_slice(data);
        bytes
    };
    let grown = |chunk: &[u8]| {
        let mut bytes = [&whole, chunk].concat();
        let length = (bytes.len() as u32).to_le_bytes();
        bytes[8..12].copy_from_slice(&length);
        bytes
    };
    for (code, bytes) in [
        ("GLB_UNEXPECTED_END_OF_HEADER", whole[..8].to_vec()),
        ("GLB_INVALID_MAGIC", edited(0, b"glTT")),
        ("GLB_INVALID_VERSION", edited(4, &[1])),
        ("GLB_LENGTH_TOO_SMALL", edited(8, &[12, 0, 0, 0])),
        ("GLB_LENGTH_MISMATCH", edited(8, &((whole.len() + 4) as u32).to_le_bytes())),
        ("GLB_CHUNK_TOO_BIG", edited(json_end, &u32::MAX.to_le_bytes())),
        ("GLB_CHUNK_LENGTH_UNALIGNED", edited(12, &[whole[12] - 1])),
        ("GLB_EMPTY_CHUNK", edited(12, &[0; 4])),
        ("GLB_EMPTY_BIN_CHUNK", glb(&json, &[])),
        ("GLB_DUPLICATE_CHUNK", grown(b"\0\0\0\0BIN\0")),
        ("GLB_UNEXPECTED_FIRST_CHUNK", edited(16, b"BIN\0")),
        ("GLB_UNEXPECTED_BIN_CHUNK", {
            let mut bytes = edited(json_end + 4, b"OWN\0");
            bytes.extend(b"\0\0\0\0BIN\0");
            let length = (bytes.len() as u32).to_le_bytes();
            bytes[8..12].copy_from_slice(&length);
            bytes
        }),
        ("GLB_UNKNOWN_CHUNK_TYPE", grown(b"\0\0\0\0OWN\0")),
        ("GLB_UNEXPECTED_END_OF_CHUNK_HEADER", whole[..json_end + 4].to_vec()),
        ("GLB_UNEXPECTED_END_OF_CHUNK_DATA", whole[..whole.len() - 4].to_vec()),
        ("GLB_EXTRA_DATA", [&whole[..], &[0; 8]].concat()),
        ("BUFFER_MISSING_GLB_DATA", edited(json_end + 4, b"OWN\0")),
        ("INVALID_JSON", edited(20, b"x")),
        // Padding of zeros, which is that of the BIN chunk.
        ("INVALID_JSON", {
            let mut bytes = [&whole[..json_end], &[0; 4], &whole[json_end..]].concat();
            for at in [8, 12] {
                let length = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) + 4;
                bytes[at..at + 4].copy_from_slice(&length.to_le_bytes());
            }
            bytes
        }),
        ("INVALID_JSON", b"not a model".to_vec()),
        ("INVALID_JSON", Vec::new()),
        ("INVALID_JSON", [&b"\xef\xbb\xbf"[..], json.to_string().as_bytes()].concat()),
        ("TYPE_MISMATCH", b"[]".to_vec()),
        ("UNDEFINED_PROPERTY", b"{}".to_vec()),
    ] {
        let found = codes(bytes);
        assert!(found.contains(&code), "{code}: {found:?}");
    }
}

#[test]
fn files_of_other_formats_are_named() {
    let issues = check_bytes(b"BLENDER-v500".to_vec(), None, &ImportPolicy::default());
    let message = "this is not a glTF file: it is a Blender file; open it there and export glTF 2.0; rigview opens .glb, .gltf, .vrm, .bvh and .zip";
    assert_eq!(
        issues.iter().map(|issue| (issue.code, &*issue.message)).collect::<Vec<_>>(),
        [("INVALID_JSON", message)]
    );
}
