//! Disk cache of prefiltered environments, keyed by a hash of the source file.
//!
//! All cache errors are ignored; the environment is then recomputed.

use rigview_render::scene::{CubeMap, Environment};
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Increase it when prefiltering changes.
const VERSION: u64 = 3;

const MAGIC: [u8; 8] = *b"rvenv\0\0\x02";

/// Least recently used entries are deleted. An entry has 6 to 40 MB.
const MAX_ENTRIES: usize = 12;

/// Maximum size of an entry.
const MAX_ENTRY_BYTES: u64 = 64 << 20;

pub(crate) struct EnvironmentCache {
    folder: Option<PathBuf>,
}

impl EnvironmentCache {
    /// The cache in the user's cache folder, disabled on platforms without one.
    pub(crate) fn of_user() -> Self {
        let folder = directories::ProjectDirs::from("", "", "rigview").map(|all| all.cache_dir().join("environments"));
        Self { folder }
    }

    /// Returns the environment of a file with these `bytes`, from the cache or from `make`.
    pub(crate) fn get<E>(&self, bytes: &[u8], make: impl FnOnce() -> Result<Environment, E>) -> Result<Environment, E> {
        let file = self.folder.as_ref().map(|folder| folder.join(format!("{:032x}", key(bytes))));
        if let Some(kept) = file.as_deref().and_then(read) {
            return Ok(kept);
        }
        let environment = make()?;
        if let (Some(folder), Some(file)) = (&self.folder, file) {
            let _ = write(folder, &file, &environment);
            let _ = evict_oldest(folder);
        }
        Ok(environment)
    }
}

/// 128-bit hash of the bytes.
fn key(bytes: &[u8]) -> u128 {
    let half = |salt: u64| {
        // Fixed keys: the hash must be the same in every run.
        #[expect(deprecated, reason = "the standard library has no other hasher that is the same in every run")]
        let mut hasher = std::hash::SipHasher::new_with_keys(VERSION, salt);
        bytes.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}

/// Reads an entry; returns `None` if it is damaged.
fn read(file: &Path) -> Option<Environment> {
    // Opening a pipe would block.
    fs::metadata(file).ok().filter(|there| there.is_file() && there.len() <= MAX_ENTRY_BYTES)?;
    let mut bytes = Vec::new();
    fs::File::open(file).ok()?.take(MAX_ENTRY_BYTES).read_to_end(&mut bytes).ok()?;
    let (magic, rest) = bytes.split_first_chunk::<8>()?;
    let (sum, rest) = rest.split_first_chunk::<16>()?;
    let (side, content) = rest.split_first_chunk::<4>()?;
    let (cube_side, content) = content.split_first_chunk::<4>()?;
    if *magic != MAGIC || u128::from_le_bytes(*sum) != key(rest) {
        return None;
    }
    let side = u32::from_le_bytes(*side) as usize;
    let (texels, cube_texels) =
        content.split_at_checked(side.checked_mul(side)?.checked_mul(12 * Environment::LAYERS)?)?;
    let numbers = texels.as_chunks::<12>().0.iter();
    let number = |texel: &[u8; 12], i: usize| f32::from_le_bytes([0, 1, 2, 3].map(|byte| texel[4 * i + byte]));
    let texels = numbers.map(|texel| [0, 1, 2].map(|i| number(texel, i))).collect();
    let cube_map = match u32::from_le_bytes(*cube_side) as usize {
        0 => None,
        side => Some(CubeMap::new(side, cube_texels.as_chunks().0.iter().copied().map(u32::from_le_bytes).collect())?),
    };
    let environment = Environment::from_layers(side, texels, cube_map)?;
    // Marks the entry as used.
    if let Ok(file) = fs::File::options().append(true).open(file) {
        let _ = file.set_modified(SystemTime::now());
    }
    Some(environment)
}

fn write(folder: &Path, file: &Path, environment: &Environment) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let cube_map = environment.cube_map();
    let sides = [environment.side(), cube_map.map_or(0, CubeMap::side)];
    let mut content: Vec<u8> = sides.iter().flat_map(|side| (*side as u32).to_le_bytes()).collect();
    content.extend(environment.texels().iter().flatten().flat_map(|x| x.to_le_bytes()));
    content.extend(cube_map.into_iter().flat_map(CubeMap::texels).flat_map(|texel| texel.to_le_bytes()));
    let mut temporary = tempfile::Builder::new().prefix(".rigview-").tempfile_in(folder)?;
    temporary.write_all(&MAGIC)?;
    temporary.write_all(&key(&content).to_le_bytes())?;
    temporary.write_all(&content)?;
    temporary.persist(file).map_err(|error| error.error)?;
    Ok(())
}

/// Deletes the least recently used entries.
fn evict_oldest(folder: &Path) -> std::io::Result<()> {
    let mut kept: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        // Never deletes files of other programs.
        let is_own = name.to_str().is_some_and(|name| name.len() == 32 && name.bytes().all(|b| b.is_ascii_hexdigit()));
        if is_own {
            kept.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    kept.sort();
    for (_, file) in kept.iter().take(kept.len().saturating_sub(MAX_ENTRIES)) {
        fs::remove_file(file)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Gets an environment, checks it and counts the calls of `make`.
    fn made(cache: &EnvironmentCache, bytes: &[u8], light: f32) -> usize {
        let count = Cell::new(0);
        let make = || -> Result<_, ()> {
            count.set(count.get() + 1);
            Ok(Environment::constant([light; 3]))
        };
        let environment = cache.get(bytes, make).unwrap();
        let expected = Environment::constant([light; 3]);
        assert_eq!((environment.side(), environment.texels()), (expected.side(), expected.texels()));
        count.get()
    }

    #[test]
    fn environments_are_cached_by_file_content() {
        let folder = tempfile::TempDir::new().unwrap();
        let cache = EnvironmentCache { folder: Some(folder.path().join("new").join("folder")) };
        assert_eq!([made(&cache, b"one", 1.0), made(&cache, b"one", 1.0), made(&cache, b"two", 2.0)], [1, 0, 1]);
        assert_eq!([made(&cache, b"one", 1.0), made(&cache, b"two", 2.0)], [0, 0]);
    }

    #[test]
    fn damaged_entries_are_recomputed() {
        let folder = tempfile::TempDir::new().unwrap();
        let cache = EnvironmentCache { folder: Some(folder.path().to_owned()) };
        assert_eq!(made(&cache, b"one", 1.0), 1);
        let file = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let whole = fs::read(&file).unwrap();
        let mut flipped = whole.clone();
        flipped[1000] ^= 1;
        let oversized = [&MAGIC[..], &[0xff; 64]].concat();
        for broken in [&whole[..whole.len() / 2], &whole[..7], b"", &flipped, &oversized] {
            fs::write(&file, broken).unwrap();
            assert_eq!([made(&cache, b"one", 1.0), made(&cache, b"one", 1.0)], [1, 0]);
        }
    }

    #[test]
    fn missing_cache_folder_recomputes() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for folder in [None, Some(file.path().join("within a file"))] {
            let cache = EnvironmentCache { folder };
            assert_eq!([made(&cache, b"one", 1.0), made(&cache, b"one", 1.0)], [1, 1]);
        }
    }

    #[test]
    fn cache_evicts_only_its_own_oldest_entries() {
        let folder = tempfile::TempDir::new().unwrap();
        let other = folder.path().join("notes.txt");
        fs::write(&other, "mine").unwrap();
        let cache = EnvironmentCache { folder: Some(folder.path().to_owned()) };
        for i in 0..MAX_ENTRIES + 5 {
            made(&cache, &[i as u8], i as f32);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), MAX_ENTRIES + 1);
        assert!(other.exists());
        assert_eq!(made(&cache, &[MAX_ENTRIES as u8 + 4], MAX_ENTRIES as f32 + 4.0), 0, "the last one is kept");
    }
}
