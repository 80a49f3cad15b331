//! Writer of ZIP archives, also of invalid ones.

use flate2::Crc;
use flate2::write::DeflateEncoder;
use std::io::Write;

/// Fields of an entry besides its name and content.
#[derive(Clone, Copy)]
pub(crate) struct Fields {
    /// 0 is stored, 8 is Deflate. The content of others is stored.
    pub(crate) method: u16,
    pub(crate) flags: u16,
    /// Mode of Unix.
    pub(crate) mode: u16,
    /// The size that the headers state, if it differs.
    pub(crate) size: Option<u32>,
    /// The offset that the directory states, if it differs.
    pub(crate) offset: Option<u32>,
}

impl Default for Fields {
    fn default() -> Self {
        Self { method: 8, flags: 0, mode: 0o100_644, size: None, offset: None }
    }
}

/// An archive in memory.
#[derive(Default)]
pub(crate) struct Zip {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
}

impl Zip {
    /// An archive of compressed files.
    pub(crate) fn of(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut zip = Self::default();
        files.iter().for_each(|(name, content)| zip.add(name.as_bytes(), content, Fields::default()));
        zip.finish()
    }

    pub(crate) fn add(&mut self, name: &[u8], content: &[u8], fields: Fields) {
        let mut crc = Crc::new();
        crc.update(content);
        let data = match fields.method {
            8 => {
                let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::default());
                encoder.write_all(content).expect("memory");
                encoder.finish().expect("memory")
            }
            _ => content.to_vec(),
        };
        let size = fields.size.unwrap_or(content.len() as u32);
        let mut common = Vec::new();
        for number in [20, fields.flags, fields.method, 0, 0x21] {
            common.extend(u16::to_le_bytes(number));
        }
        for number in [crc.sum(), data.len() as u32, size] {
            common.extend(u32::to_le_bytes(number));
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0; 2]);
        let offset = fields.offset.unwrap_or(self.bytes.len() as u32);
        self.bytes.extend([&b"PK\x03\x04"[..], &common, name, &data].concat());
        let attributes = u32::from(fields.mode) << 16;
        let tail = [&[0; 6][..], &attributes.to_le_bytes(), &offset.to_le_bytes()].concat();
        // Made by Unix.
        self.directory.extend([&b"PK\x01\x02\x14\x03"[..], &common, &tail, name].concat());
        self.count += 1;
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        let Self { mut bytes, directory, count } = self;
        let offset = bytes.len() as u32;
        bytes.extend_from_slice(&directory);
        bytes.extend(b"PK\x05\x06\0\0\0\0");
        bytes.extend([count, count].map(u16::to_le_bytes).concat());
        bytes.extend([directory.len() as u32, offset].map(u32::to_le_bytes).concat());
        bytes.extend([0; 2]);
        bytes
    }
}
