//! What the fuzz targets share.

use rigview::import::{ImportError, ImportOptions, Limit, Loaded, ImportPolicy, from_bytes};

/// A GLB container of a JSON text and bytes, with lengths that fit.
pub fn container(json: &[u8], bin: &[u8]) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], data: &[u8], padding: u8| {
        let mut data = data.to_vec();
        data.resize(data.len().next_multiple_of(4), padding);
        [&(data.len() as u32).to_le_bytes()[..], kind, &data].concat()
    };
    let chunks = [chunk(b"JSON", json, b' '), chunk(b"BIN\0", bin, 0)].concat();
    [&b"glTF"[..], &2u32.to_le_bytes(), &(chunks.len() as u32 + 12).to_le_bytes(), &chunks].concat()
}

/// A file of what the fuzzer made.
///
/// Most changes of a GLB container break its lengths and are soon refused. So a text that begins like JSON, with a zero
/// behind it, is put into a container whose lengths fit; what follows the zero are its bytes.
pub fn file(bytes: &[u8]) -> Vec<u8> {
    match bytes.iter().position(|byte| *byte == 0) {
        Some(end) if bytes.starts_with(b"{") => container(&bytes[..end], &bytes[end + 1..]),
        _ => bytes.to_vec(),
    }
}

/// Trust that keeps each run small, so that there are many.
pub fn little_trust() -> ImportPolicy {
    let mut trust = ImportPolicy::default();
    for (limit, value) in [
        (Limit::AccessorData, 16 << 20),
        (Limit::ZeroAccessors, 1 << 20),
        (Limit::Image, 16 << 20),
        (Limit::Images, 64 << 20),
        (Limit::JsonMemory, 64 << 20),
    ] {
        trust.limits.set(limit, value);
    }
    trust
}

/// Opens bytes, and sees that a refusal can be printed.
pub fn open(bytes: Vec<u8>) -> Result<Loaded, ImportError> {
    let options = ImportOptions { policy: little_trust(), ..ImportOptions::default() };
    let opened = from_bytes(bytes, None, &options);
    match &opened {
        Ok(loaded) => {
            assert!(!loaded.model.scenes.is_empty());
            loaded.diagnostics.iter().for_each(|notice| assert_printable(&notice.message));
        }
        Err(error) => assert_printable(&error.to_string()),
    }
    opened
}

/// A message must not steer a terminal, nor fill it.
pub fn assert_printable(message: &str) {
    assert!(!message.is_empty() && !message.contains(char::is_control), "{message:?}");
    assert!(message.len() < 4000, "{} bytes", message.len());
}

/// Bytes as numbers, one after the other; zeros when there are no more.
pub struct Numbers<'a>(pub &'a [u8]);

impl Numbers<'_> {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// The next four bytes as a number that is mostly small, and sometimes any.
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
