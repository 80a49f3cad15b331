//! ZIP archives, read in place: the directory once, and each entry when a model refers to it.
//!
//! Nothing is extracted to disk. The size of an entry is bounded before and while it is decompressed, and entries may not share bytes,
//! so that the cost of an archive is linear in its size and in the bytes that are read.

use super::external_file::{FileError, ReadLength};
use super::limits::{Limit, Limits};
use super::uri::{leaves_folder, without_dots};
use crate::util::fallible::fallible;
use crate::util::text::quoted;
use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Mutex, PoisonError};

/// Maximum size of the directory in bytes: 400,000 entries with names of 100 characters.
const MAX_DIRECTORY_BYTES: u64 = 64 << 20;

/// Maximum length of the comment at the end of an archive.
const MAX_COMMENT_BYTES: u64 = u16::MAX as u64;

const LOCAL_HEADER: [u8; 4] = *b"PK\x03\x04";
const DIRECTORY_ENTRY: [u8; 4] = *b"PK\x01\x02";
const END: [u8; 4] = *b"PK\x05\x06";
const END_64: [u8; 4] = *b"PK\x06\x06";
const END_64_LOCATOR: [u8; 4] = *b"PK\x06\x07";

const LOCAL_HEADER_BYTES: u64 = 30;
const DIRECTORY_ENTRY_BYTES: usize = 46;
const END_BYTES: usize = 22;
const END_64_BYTES: usize = 56;
const END_64_LOCATOR_BYTES: u64 = 20;

/// Maximum ratio of Deflate.
const MAX_RATIO: u64 = 1032;

/// Codes 128 to 255 of code page 437, the encoding of names without a flag.
const CP437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// An open archive with its directory.
pub(super) struct Archive {
    file: Mutex<Box<dyn ReadSeek>>,
    /// By path: with `/`, without `.` and `..`.
    entries: BTreeMap<String, Entry>,
}

/// A file or a buffer.
pub(super) trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

struct Entry {
    /// Offset of the local header.
    offset: u64,
    compressed_bytes: u64,
    /// Size of the content in bytes, by the directory.
    size: u64,
    crc: u32,
    method: u16,
    is_encrypted: bool,
    is_link: bool,
}

/// Returns `true` if a file with these first bytes is a ZIP archive.
pub(super) fn is_zip(start: &[u8]) -> bool {
    start.starts_with(&LOCAL_HEADER) || start.starts_with(&END)
}

impl Archive {
    /// Reads the directory of an archive.
    pub(super) fn open(mut file: Box<dyn ReadSeek>, limits: &Limits) -> Result<Self, FileError> {
        let end = find_end(&mut *file)?;
        let max = limits.get(Limit::Elements);
        if end.count > max {
            return Err(FileError::TooManyEntries { count: end.count, max });
        }
        if end.directory_bytes > MAX_DIRECTORY_BYTES {
            let (size, max) = (end.directory_bytes, MAX_DIRECTORY_BYTES >> 20);
            return Err(damaged(format!("its directory has {size} bytes, more than {max} MiB; unpack it")));
        }
        let directory = read_at(&mut *file, end.directory_offset, end.directory_bytes)?;
        let (mut entries, mut ranges, mut rest) = (BTreeMap::new(), Vec::new(), &directory[..]);
        for i in 0..end.count {
            let (raw_name, name_bytes, entry, tail) =
                directory_entry(rest).ok_or_else(|| damaged(format!("entry {i} of its directory {IS_CUT}")))?;
            rest = tail;
            // Tools of Windows write its separators.
            let name = raw_name.replace('\\', "/");
            if name.contains('\0') || leaves_folder(&name) {
                let name = quoted(&raw_name);
                return Err(damaged(format!(
                    "the path {name} leads out of the archive; do not unpack it, it is unsafe"
                )));
            }
            let end = entry.offset.checked_add(LOCAL_HEADER_BYTES + name_bytes as u64);
            let end = end.and_then(|data| data.checked_add(entry.compressed_bytes));
            ranges.push((entry.offset, end.unwrap_or(u64::MAX)));
            if !name.ends_with('/') {
                // As in an unpacked archive, the last of equal names counts.
                entries.insert(without_dots(&name), entry);
            }
        }
        ranges.push((end.directory_offset, u64::MAX));
        ranges.sort_unstable();
        if let Some(pair) = ranges.windows(2).find(|pair| pair[0].1 > pair[1].0) {
            let at = pair[1].0;
            return Err(damaged(format!("two of its entries overlap at byte {at}; download or copy it again")));
        }
        Ok(Self { file: Mutex::new(file), entries })
    }

    /// Returns the paths of all files in the archive.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Reads the content of a file.
    pub(super) fn read(&self, name: &str, length: ReadLength) -> Result<Vec<u8>, FileError> {
        let missing = || FileError::Io(io::ErrorKind::NotFound.into());
        let entry = self.entries.get(name).ok_or_else(missing)?;
        let refused = |problem: String| FileError::Archive(format!("{problem} in the archive; unpack it"));
        if entry.is_encrypted {
            return Err(refused(format!("{} is encrypted", quoted(name))));
        }
        if entry.is_link {
            return Err(refused(format!("{} is a link", quoted(name))));
        }
        let max = match length {
            ReadLength::First(max) => max.min(entry.size),
            ReadLength::AllOf(limit) if entry.size > limit => {
                return Err(FileError::TooLong { size: entry.size, limit });
            }
            ReadLength::AllOf(_) => entry.size,
        };
        let compressed = match entry.method {
            0 => self.compressed(entry, max)?,
            // Deflate adds few bytes to what it cannot compress.
            8 => self.compressed(entry, max.saturating_add(max / 8).saturating_add(4096))?,
            method => {
                let name = quoted(name);
                return Err(refused(format!(
                    "{name} is compressed by {}, which rigview does not read,",
                    method_name(method)
                )));
            }
        };
        let broken = |problem: String| {
            FileError::Archive(format!(
                "{} is damaged in the archive: {problem}; download or copy it again",
                quoted(name)
            ))
        };
        let mut content = match entry.method {
            0 => compressed,
            _ => inflate(&compressed, max).map_err(|error| match error.kind() {
                io::ErrorKind::OutOfMemory => FileError::Io(error),
                _ => broken(error.to_string()),
            })?,
        };
        if max < entry.size {
            content.truncate(usize::try_from(max).unwrap_or(usize::MAX));
        }
        if content.len() as u64 != max {
            let found = if content.len() as u64 > max { "more".to_owned() } else { content.len().to_string() };
            return Err(broken(format!("it has {found} bytes, its directory says {max}")));
        }
        let mut crc = Crc::new();
        crc.update(&content);
        // A fuzzer cannot guess a checksum.
        match max == entry.size && crc.sum() != entry.crc && !cfg!(fuzzing) {
            true => Err(broken("its checksum differs".to_owned())),
            false => Ok(content),
        }
    }

    /// Returns the first bytes of an entry as stored: at most `max`.
    fn compressed(&self, entry: &Entry, max: u64) -> Result<Vec<u8>, FileError> {
        // A thread that panicked has read, and the position is set again.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let header = read_at(&mut **file, entry.offset, LOCAL_HEADER_BYTES)?;
        if !header.starts_with(&LOCAL_HEADER) {
            return Err(damaged(format!("no entry begins at byte {}; download or copy it again", entry.offset)));
        }
        let lengths = u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28));
        let start = entry.offset.saturating_add(LOCAL_HEADER_BYTES + lengths);
        read_at(&mut **file, start, entry.compressed_bytes.min(max))
    }
}

const IS_CUT: &str = "is cut or damaged; download or copy it again";

/// An error of the archive as a whole.
fn damaged(problem: String) -> FileError {
    FileError::Archive(format!("the ZIP archive cannot be read: {problem}"))
}

fn method_name(method: u16) -> String {
    match method {
        9 => "Deflate64".to_owned(),
        12 => "bzip2".to_owned(),
        14 => "LZMA".to_owned(),
        93 => "Zstandard".to_owned(),
        95 => "XZ".to_owned(),
        _ => format!("method {method}"),
    }
}

/// Decompresses at most `max` bytes, and one more if there is more.
fn inflate(compressed: &[u8], max: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let capacity = max.min((compressed.len() as u64).saturating_mul(MAX_RATIO));
    let capacity = usize::try_from(capacity).unwrap_or(usize::MAX);
    fallible(|| content.try_reserve_exact(capacity)).map_err(|_| io::ErrorKind::OutOfMemory)?;
    DeflateDecoder::new(compressed).take(max.saturating_add(1)).read_to_end(&mut content)?;
    Ok(content)
}

/// Reads bytes that the file must have.
fn read_at(file: &mut dyn ReadSeek, offset: u64, length: u64) -> Result<Vec<u8>, FileError> {
    file.seek(SeekFrom::Start(offset)).map_err(FileError::Io)?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes).map_err(FileError::Io)?;
    match bytes.len() as u64 == length {
        true => Ok(bytes),
        false => Err(damaged("it ends early; download or copy it again".to_owned())),
    }
}

/// The directory of an archive.
struct End {
    count: u64,
    directory_bytes: u64,
    directory_offset: u64,
}

/// Finds the end of the archive, also of ZIP64.
fn find_end(file: &mut dyn ReadSeek) -> Result<End, FileError> {
    let size = file.seek(SeekFrom::End(0)).map_err(FileError::Io)?;
    let start = size.saturating_sub(MAX_COMMENT_BYTES + END_BYTES as u64);
    let tail = read_at(file, start, size - start)?;
    // The comment may contain the signature. The record ends where the file ends.
    let ends_here = |at: &usize| {
        let record = &tail[*at..];
        record.starts_with(&END) && usize::from(u16_at(record, 20)) + END_BYTES == record.len()
    };
    let at = (0..tail.len()).rev().find(ends_here).ok_or_else(|| damaged(format!("its end {IS_CUT}")))?;
    let record = &tail[at..];
    let [disk, directory_disk] = [4, 6].map(|offset| u16_at(record, offset));
    let mut end = End {
        count: u16_at(record, 10).into(),
        directory_bytes: u32_at(record, 12).into(),
        directory_offset: u32_at(record, 16).into(),
    };
    let is_64 =
        end.count == u64::from(u16::MAX) || [end.directory_bytes, end.directory_offset].contains(&u64::from(u32::MAX));
    let locator = (start + at as u64).checked_sub(END_64_LOCATOR_BYTES).filter(|_| is_64);
    if let Some(locator) = locator.map(|locator| read_at(file, locator, END_64_LOCATOR_BYTES)).transpose()?
        && locator.starts_with(&END_64_LOCATOR)
    {
        let record = read_at(file, u64_at(&locator, 8), END_64_BYTES as u64)?;
        if !record.starts_with(&END_64) {
            return Err(damaged(format!("its end {IS_CUT}")));
        }
        let [count, directory_bytes, directory_offset] = [32, 40, 48].map(|offset| u64_at(&record, offset));
        end = End { count, directory_bytes, directory_offset };
    } else if disk != 0 || directory_disk != 0 {
        return Err(damaged("it is a part of an archive of several files; unpack it".to_owned()));
    }
    // A lower bound of the size, so that the count is true.
    match end.directory_bytes / DIRECTORY_ENTRY_BYTES as u64 >= end.count {
        true => Ok(end),
        false => Err(damaged(format!("its directory {IS_CUT}"))),
    }
}

/// Splits the first entry from a directory: its name, the length of that in bytes, the entry, and the other entries.
fn directory_entry(bytes: &[u8]) -> Option<(String, usize, Entry, &[u8])> {
    let header = bytes.get(..DIRECTORY_ENTRY_BYTES).filter(|header| header.starts_with(&DIRECTORY_ENTRY))?;
    let [name_bytes, extra_bytes, comment_bytes] = [28, 30, 32].map(|offset| usize::from(u16_at(header, offset)));
    let (name, rest) = bytes[DIRECTORY_ENTRY_BYTES..].split_at_checked(name_bytes)?;
    let (extra, rest) = rest.split_at_checked(extra_bytes)?;
    let rest = rest.get(comment_bytes..)?;
    let flags = u16_at(header, 8);
    // The upper byte of the version is the system: 3 is Unix, whose modes are the upper half of the attributes.
    let (system, mode) = (header[5], u32_at(header, 38) >> 16);
    let mut entry = Entry {
        offset: u32_at(header, 42).into(),
        compressed_bytes: u32_at(header, 20).into(),
        size: u32_at(header, 24).into(),
        crc: u32_at(header, 16),
        method: u16_at(header, 10),
        is_encrypted: flags & 1 != 0,
        is_link: system == 3 && mode & 0o170_000 == 0o120_000,
    };
    // ZIP64: the numbers that do not fit, in this order.
    let mut large = zip64_numbers(extra).chunks_exact(8).map(|number| u64_at(number, 0));
    for number in [&mut entry.size, &mut entry.compressed_bytes, &mut entry.offset] {
        if *number == u64::from(u32::MAX) {
            *number = large.next().unwrap_or(*number);
        }
    }
    let is_utf8 = flags & 1 << 11 != 0;
    let name = match std::str::from_utf8(name) {
        Ok(name) => name.to_owned(),
        Err(_) if is_utf8 => String::from_utf8_lossy(name).into_owned(),
        Err(_) => name.iter().map(|&byte| cp437(byte)).collect(),
    };
    Some((name, name_bytes, entry, rest))
}

/// Returns the content of the extra field of ZIP64.
fn zip64_numbers(mut extra: &[u8]) -> &[u8] {
    while let Some((head, tail)) = extra.split_at_checked(4) {
        let Some((content, rest)) = tail.split_at_checked(u16_at(head, 2).into()) else { break };
        if u16_at(head, 0) == 1 {
            return content;
        }
        extra = rest;
    }
    &[]
}

fn cp437(byte: u8) -> char {
    match byte.checked_sub(128) {
        None => char::from(byte),
        Some(upper) => CP437.chars().nth(upper.into()).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

/// Little-endian numbers; 0 beyond the end.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).and_then(|bytes| bytes.try_into().ok()).map_or(0, u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
}
