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
    /// Every number of the directory is that of ZIP64.
    is_64: bool,
}

impl Zip {
    /// An archive of compressed files.
    pub(crate) fn of(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut zip = Self::default();
        files.iter().for_each(|(name, content)| zip.add(name.as_bytes(), content, Fields::default()));
        zip.finish()
    }

    /// An empty archive whose directory is that of ZIP64.
    pub(crate) fn of_64_bits() -> Self {
        Self { is_64: true, ..Self::default() }
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
        let (mut extra, mut stated_offset) = (Vec::new(), offset);
        if self.is_64 {
            let numbers = [u64::from(size), data.len() as u64, u64::from(offset)];
            // Another extra field comes before that of ZIP64.
            extra = [&b"UT\x01\0\0\x01\0\x18\0"[..], &numbers.map(u64::to_le_bytes).concat()].concat();
            common[14..22].fill(0xff);
            common[24..26].copy_from_slice(&(extra.len() as u16).to_le_bytes());
            stated_offset = u32::MAX;
        }
        let tail = [&[0; 6][..], &attributes.to_le_bytes(), &stated_offset.to_le_bytes()].concat();
        // Made by Unix.
        self.directory.extend([&b"PK\x01\x02\x14\x03"[..], &common, &tail, name, &extra].concat());
        self.count += 1;
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        let Self { mut bytes, directory, count, is_64 } = self;
        let (offset, size) = (bytes.len() as u32, directory.len() as u32);
        bytes.extend_from_slice(&directory);
        if is_64 {
            let record = bytes.len() as u64;
            bytes.extend(b"PK\x06\x06\x2c\0\0\0\0\0\0\0\x2d\0\x2d\0\0\0\0\0\0\0\0\0");
            bytes.extend([count.into(), count.into(), u64::from(size), offset.into()].map(u64::to_le_bytes).concat());
            bytes.extend(b"PK\x06\x07\0\0\0\0");
            bytes.extend(record.to_le_bytes());
            bytes.extend(b"\x01\0\0\0");
        }
        let stated = |number: u32| if is_64 { u32::MAX } else { number };
        let count = if is_64 { u16::MAX } else { count };
        bytes.extend(b"PK\x05\x06\0\0\0\0");
        bytes.extend([count, count].map(u16::to_le_bytes).concat());
        bytes.extend([size, offset].map(|number| stated(number).to_le_bytes()).concat());
        bytes.extend([0; 2]);
        bytes
    }
}
