//! Environments as they were made ready before: blurring a large panorama takes longer than drawing with it.
//!
//! They lie in the platform's cache folder, each under a number that its file's bytes make, so that a file that changes is
//! another one. Whatever goes wrong with them goes wrong in silence: then an environment is made ready anew.

use crate::scene::Environment;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// To be changed with how environments are made ready.
const VERSION: u64 = 1;

/// What a file begins with.
const MAGIC: [u8; 8] = *b"rvenv\0\0\x01";

/// Environments that are kept: those used last. Each takes about 6 MB.
const MOST: usize = 12;

/// The largest that is read back.
const MOST_BYTES: u64 = 64 << 20;

/// The folder of kept environments.
pub(crate) struct EnvironmentCache {
    folder: Option<PathBuf>,
}

impl EnvironmentCache {
    /// That of the person who runs this; none where the platform has no such folder.
    pub(crate) fn of_user() -> Self {
        let folder = directories::ProjectDirs::from("", "", "rigview").map(|all| all.cache_dir().join("environments"));
        Self { folder }
    }

    /// The environment of a file of these bytes: as it was kept, else as `make` makes it, which is then kept.
    pub(crate) fn get<E>(&self, bytes: &[u8], make: impl FnOnce() -> Result<Environment, E>) -> Result<Environment, E> {
        let file = self.folder.as_ref().map(|folder| folder.join(format!("{:032x}", key(bytes))));
        if let Some(kept) = file.as_deref().and_then(read) {
            return Ok(kept);
        }
        let environment = make()?;
        if let (Some(folder), Some(file)) = (&self.folder, file) {
            let _ = write(folder, &file, &environment);
            let _ = forget_oldest(folder);
        }
        Ok(environment)
    }
}

/// A number for bytes that no other file's are likely to have.
fn key(bytes: &[u8]) -> u128 {
    let half = |salt: u64| {
        // Without a secret, so that it is the same the next time; two halves of it make an accident unlikely.
        #[expect(deprecated, reason = "the standard library has no other hasher that is the same in every run")]
        let mut hasher = std::hash::SipHasher::new_with_keys(VERSION, salt);
        bytes.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}

/// The environment in a file, if it is whole.
fn read(file: &Path) -> Option<Environment> {
    // Before it is opened: opening a pipe would wait for whoever writes into it.
    fs::metadata(file).ok().filter(|there| there.is_file() && there.len() <= MOST_BYTES)?;
    let mut bytes = Vec::new();
    fs::File::open(file).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    let (magic, rest) = bytes.split_first_chunk::<8>()?;
    let (sum, rest) = rest.split_first_chunk::<16>()?;
    let (side, texels) = rest.split_first_chunk::<4>()?;
    if *magic != MAGIC || u128::from_le_bytes(*sum) != key(rest) {
        return None;
    }
    let numbers = texels.as_chunks::<12>().0.iter();
    let number = |texel: &[u8; 12], i: usize| f32::from_le_bytes([0, 1, 2, 3].map(|byte| texel[4 * i + byte]));
    let texels = numbers.map(|texel| [0, 1, 2].map(|i| number(texel, i))).collect();
    let environment = Environment::from_layers(u32::from_le_bytes(*side) as usize, texels)?;
    // Those used last are kept longest.
    if let Ok(file) = fs::File::options().append(true).open(file) {
        let _ = file.set_modified(SystemTime::now());
    }
    Some(environment)
}

fn write(folder: &Path, file: &Path, environment: &Environment) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut content = (environment.side() as u32).to_le_bytes().to_vec();
    content.extend(environment.texels().iter().flatten().flat_map(|x| x.to_le_bytes()));
    let mut temporary = tempfile::Builder::new().prefix(".rigview-").tempfile_in(folder)?;
    temporary.write_all(&MAGIC)?;
    temporary.write_all(&key(&content).to_le_bytes())?;
    temporary.write_all(&content)?;
    temporary.persist(file).map_err(|error| error.error)?;
    Ok(())
}

/// Removes those that were not used for longest, beyond the number that is kept.
fn forget_oldest(folder: &Path) -> std::io::Result<()> {
    let mut kept: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        // Nothing but its own is ever removed.
        let is_own = name.to_str().is_some_and(|name| name.len() == 32 && name.bytes().all(|b| b.is_ascii_hexdigit()));
        if is_own {
            kept.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    kept.sort();
    for (_, file) in kept.iter().take(kept.len().saturating_sub(MOST)) {
        fs::remove_file(file)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// How often an environment was made for these bytes, and whether it was the right one.
    fn made(cache: &EnvironmentCache, bytes: &[u8], light: f32) -> usize {
        let count = Cell::new(0);
        let make = || -> Result<_, ()> {
            count.set(count.get() + 1);
            Ok(Environment::constant([light; 3]))
        };
        let environment = cache.get(bytes, make).unwrap();
        let expected = Environment::constant([light; 3]);
        assert_eq!((environment.side(), environment.texels()), (expected.side(), expected.texels()));
        assert_eq!(environment.irradiance(), expected.irradiance());
        count.get()
    }

    #[test]
    fn an_environment_is_made_once_and_by_the_bytes_of_its_file() {
        let folder = tempfile::TempDir::new().unwrap();
        let cache = EnvironmentCache { folder: Some(folder.path().join("new").join("folder")) };
        assert_eq!([made(&cache, b"one", 1.0), made(&cache, b"one", 1.0), made(&cache, b"two", 2.0)], [1, 0, 1]);
        assert_eq!([made(&cache, b"one", 1.0), made(&cache, b"two", 2.0)], [0, 0]);
    }

    #[test]
    fn a_kept_file_that_is_broken_is_made_anew() {
        let folder = tempfile::TempDir::new().unwrap();
        let cache = EnvironmentCache { folder: Some(folder.path().to_owned()) };
        assert_eq!(made(&cache, b"one", 1.0), 1);
        let file = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let whole = fs::read(&file).unwrap();
        let mut flipped = whole.clone();
        flipped[1000] ^= 1;
        let endless = [&MAGIC[..], &[0xff; 64]].concat();
        for broken in [&whole[..whole.len() / 2], &whole[..7], b"", &flipped, &endless] {
            fs::write(&file, broken).unwrap();
            assert_eq!([made(&cache, b"one", 1.0), made(&cache, b"one", 1.0)], [1, 0]);
        }
    }

    #[test]
    fn where_nothing_can_be_kept_it_is_made_each_time() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for folder in [None, Some(file.path().join("within a file"))] {
            let cache = EnvironmentCache { folder };
            assert_eq!([made(&cache, b"one", 1.0), made(&cache, b"one", 1.0)], [1, 1]);
        }
    }

    #[test]
    fn the_cache_has_an_end_and_leaves_the_files_of_others_alone() {
        let folder = tempfile::TempDir::new().unwrap();
        let other = folder.path().join("notes.txt");
        fs::write(&other, "mine").unwrap();
        let cache = EnvironmentCache { folder: Some(folder.path().to_owned()) };
        for i in 0..MOST + 5 {
            made(&cache, &[i as u8], i as f32);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), MOST + 1);
        assert!(other.exists());
        assert_eq!(made(&cache, &[MOST as u8 + 4], MOST as f32 + 4.0), 0, "the last one is kept");
    }
}
