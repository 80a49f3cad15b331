//! Any bytes open or are refused.
//!
//! Run with `cargo +nightly fuzz run import fuzz/seeds/import`; the first folder named takes what is found.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview::import::{ImportOptions, from_bytes};

fuzz_target!(|bytes: &[u8]| {
    // Most changes of a GLB container break its lengths and are soon refused. So a text that begins like JSON, with a
    // zero behind it, is put into a container whose lengths fit; what follows the zero are its bytes.
    let end = bytes.iter().position(|byte| *byte == 0);
    let bytes = match end {
        Some(end) if bytes.starts_with(b"{") => container(&bytes[..end], &bytes[end + 1..]),
        _ => bytes.to_vec(),
    };
    match from_bytes(bytes, None, &ImportOptions::default()) {
        Ok(loaded) => assert!(!loaded.model.scenes.is_empty()),
        Err(error) => assert!(!error.to_string().contains(char::is_control)),
    }
});

fn container(json: &[u8], bin: &[u8]) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], data: &[u8], padding: u8| {
        let mut data = data.to_vec();
        data.resize(data.len().next_multiple_of(4), padding);
        [&(data.len() as u32).to_le_bytes()[..], kind, &data].concat()
    };
    let chunks = [chunk(b"JSON", json, b' '), chunk(b"BIN\0", bin, 0)].concat();
    [&b"glTF"[..], &2u32.to_le_bytes(), &(chunks.len() as u32 + 12).to_le_bytes(), &chunks].concat()
}
