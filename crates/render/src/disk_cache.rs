//! A bounded cache of files in one folder.
//!
//! All errors are ignored; what is missing or damaged is computed again.

use rigview_core::util::regular_file::read_bytes;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const MAGIC: [u8; 8] = *b"rvcache\x01";

/// A folder of entries, of which the least recently used are deleted.
#[derive(Debug)]
pub struct DiskCache {
    folder: PathBuf,
    /// Maximum size of all entries together.
    max_bytes: u64,
}

/// 128-bit hash that is the same in every run.
pub fn stable_hash(content: &impl Hash) -> u128 {
    let half = |salt: u64| {
        #[expect(deprecated, reason = "the standard library has no other hasher that is the same in every run")]
        let mut hasher = std::hash::SipHasher::new_with_keys(0, salt);
        content.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}

impl DiskCache {
    /// The cache in `folder`, which is created at the first [`put`](Self::put). Entries together have at most `max_bytes`.
    pub fn new(folder: PathBuf, max_bytes: u64) -> Self {
        Self { folder, max_bytes }
    }

    /// Returns the entry of `key`; `None` if there is none, or if it is damaged.
    pub fn get(&self, key: u128) -> Option<Vec<u8>> {
        let file = self.file(key);
        let bytes = read_bytes(&file, self.max_bytes).ok()?;
        let (magic, rest) = bytes.split_first_chunk::<8>()?;
        let (sum, content) = rest.split_first_chunk::<16>()?;
        if *magic != MAGIC || u128::from_le_bytes(*sum) != stable_hash(&content) {
            return None;
        }
        let content = content.to_vec();
        // Marks the entry as used.
        if let Ok(file) = fs::File::options().append(true).open(file) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(content)
    }

    /// Adds an entry, and deletes old ones.
    pub fn put(&self, key: u128, content: &[u8]) {
        let _ = self.write(key, content).and_then(|()| self.evict());
    }

    fn file(&self, key: u128) -> PathBuf {
        self.folder.join(format!("{key:032x}"))
    }

    fn write(&self, key: u128, content: &[u8]) -> std::io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut temporary = tempfile::Builder::new().prefix(".rigview-").tempfile_in(&self.folder)?;
        temporary.write_all(&MAGIC)?;
        temporary.write_all(&stable_hash(&content).to_le_bytes())?;
        temporary.write_all(content)?;
        temporary.persist(self.file(key)).map_err(|error| error.error)?;
        Ok(())
    }

    /// Deletes the least recently used entries.
    fn evict(&self) -> std::io::Result<()> {
        let mut entries: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let (path, there) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?)))?;
            if is_own(&path) {
                entries.push((there.modified()?, there.len(), path));
            }
        }
        entries.sort();
        let mut total: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, file) in entries {
            if total <= self.max_bytes {
                break;
            }
            fs::remove_file(file)?;
            total -= bytes;
        }
        Ok(())
    }
}

/// Files of other programs are never deleted.
fn is_own(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.len() == 32 && name.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_key() {
        let folder = tempfile::TempDir::new().unwrap();
        let cache = DiskCache::new(folder.path().join("new").join("folder"), 1000);
        assert_eq!(cache.get(1), None);
        cache.put(1, b"one");
        cache.put(2, b"");
        assert_eq!((cache.get(1), cache.get(2), cache.get(3)), (Some(b"one".to_vec()), Some(Vec::new()), None));
        assert_eq!(stable_hash(&"rigview"), 0x8c0b_5b3e_b488_66ae_f5b4_447f_f6cd_74ce);
    }

    #[test]
    fn damaged_entries_are_missing() {
        let folder = tempfile::TempDir::new().unwrap();
        let cache = DiskCache::new(folder.path().to_owned(), 1000);
        cache.put(1, b"content");
        let file = cache.file(1);
        let whole = fs::read(&file).unwrap();
        let mut flipped = whole.clone();
        flipped[26] ^= 1;
        for broken in [&whole[..whole.len() - 1], &whole[..7], b"", &flipped, &[0; 2000]] {
            fs::write(&file, broken).unwrap();
            assert_eq!(cache.get(1), None);
        }
    }

    #[test]
    fn folder_that_cannot_be_created_is_an_empty_cache() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let cache = DiskCache::new(file.path().join("within a file"), 1000);
        cache.put(1, b"one");
        assert_eq!(cache.get(1), None);
    }

    #[test]
    fn least_recently_used_entries_are_deleted() {
        let folder = tempfile::TempDir::new().unwrap();
        let other = folder.path().join("notes.txt");
        fs::write(&other, [0; 5000]).unwrap();
        let cache = DiskCache::new(folder.path().to_owned(), 500);
        cache.put(0, &[0; 100]);
        for key in 1..10 {
            cache.put(key, &[0; 100]);
            std::thread::sleep(std::time::Duration::from_millis(10));
            assert!(cache.get(0).is_some(), "used each time");
        }
        // Four of 124 bytes.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4 + 1);
        assert!(other.exists() && cache.get(9).is_some() && cache.get(1).is_none());
    }
}
