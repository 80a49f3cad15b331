//! Helpers of the fuzz targets.

pub mod document;

use rigview_core::import::{ImportError, ImportOptions, ImportPolicy, Limit, Imported, from_bytes};
use std::collections::HashSet;
use std::sync::Mutex;

/// Replaces libFuzzer's panic hook, which aborts, so that rigview can catch panics of decoders.
///
/// libFuzzer still reports panics that are not caught. Prints one line per location of a panic.
pub fn allow_caught_panics() {
    static LOCATIONS: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    std::panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(ToString::to_string).unwrap_or_default();
        if LOCATIONS.lock().is_ok_and(|mut seen| seen.get_or_insert_default().insert(location)) {
            eprintln!("{panic}");
        }
    }));
}

/// Returns a valid GLB container with this JSON and BIN chunk.
pub fn container(json: &[u8], bin: &[u8]) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], data: &[u8], padding: u8| {
        let mut data = data.to_vec();
        data.resize(data.len().next_multiple_of(4), padding);
        [&(data.len() as u32).to_le_bytes()[..], kind, &data].concat()
    };
    let chunks = [chunk(b"JSON", json, b' '), chunk(b"BIN\0", bin, 0)].concat();
    [&b"glTF"[..], &2u32.to_le_bytes(), &(chunks.len() as u32 + 12).to_le_bytes(), &chunks].concat()
}

/// Returns the file of a fuzzer input.
///
/// Most mutations of a GLB container are rejected because of its lengths. Therefore JSON, a zero and the BIN chunk are
/// also accepted, and are put into a valid container.
pub fn file(bytes: &[u8]) -> Vec<u8> {
    match bytes.iter().position(|byte| *byte == 0) {
        Some(end) if bytes.starts_with(b"{") => container(&bytes[..end], &bytes[end + 1..]),
        _ => bytes.to_vec(),
    }
}

/// Returns a policy with low limits, so that each run is fast.
pub fn low_limits() -> ImportPolicy {
    let mut policy = ImportPolicy::default();
    for (limit, value) in [
        (Limit::AccessorData, 16 << 20),
        (Limit::ZeroAccessors, 1 << 20),
        (Limit::Image, 16 << 20),
        (Limit::Images, 64 << 20),
        (Limit::JsonMemory, 64 << 20),
    ] {
        policy.limits.set(limit, value);
    }
    policy
}

/// Imports bytes, and checks that all messages are printable.
pub fn open(bytes: Vec<u8>) -> Result<Imported, ImportError> {
    let options = ImportOptions::default().with_policy(low_limits());
    let result = from_bytes(bytes, None, &options);
    match &result {
        Ok(loaded) => {
            assert!(!loaded.model.scenes.is_empty());
            loaded.diagnostics.iter().for_each(|diagnostic| assert_printable(&diagnostic.message));
        }
        Err(error) => assert_printable(&error.to_string()),
    }
    result
}

/// Checks that a message has no control characters and is not too long.
pub fn assert_printable(message: &str) {
    assert!(!message.is_empty() && !message.contains(char::is_control), "{message:?}");
    assert!(message.len() < 4000, "{} bytes", message.len());
}

/// A stream of numbers from bytes; zeros after the end.
pub struct Numbers<'a>(pub &'a [u8]);

impl Numbers<'_> {
    /// Returns the next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// Returns the next number, mostly small and sometimes of any size.
    pub fn number(&mut self) -> u64 {
        match self.byte() {
            small @ 0..200 => u64::from(small),
            200..230 => u64::from(u16::from_le_bytes([self.byte(), self.byte()])),
            230..245 => u64::from(u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])),
            245..250 => u64::MAX - u64::from(self.byte()),
            _ => 1 << (self.byte() % 64),
        }
    }
}
