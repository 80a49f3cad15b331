//! Caches in the user's cache folder: prefiltered environments, keyed by a hash of the source file, and programs of the GPU.

use rigview_render::disk_cache::{DiskCache, stable_hash};
use rigview_render::gpu::{DeviceType, Gpu};
use rigview_render::scene::Environment;
use std::path::PathBuf;

/// Increase it when prefiltering changes.
const VERSION: u64 = 4;

/// About twelve environments of 40 MB, or 80 of 6 MB.
const MAX_BYTES: u64 = 480 << 20;

pub(crate) struct EnvironmentCache {
    cache: Option<DiskCache>,
}

/// Returns the user's folder for a cache; `None` on platforms without one.
fn cache_folder(name: &str) -> Option<PathBuf> {
    Some(directories::ProjectDirs::from("", "", "rigview")?.cache_dir().join(name))
}

/// Caches programs of hardware. Software renderers gain nothing.
pub(crate) fn cache_programs(gpu: &Gpu) {
    if let (DeviceType::Hardware, Some(folder)) = (gpu.device_type(), cache_folder("programs")) {
        gpu.cache_programs(folder);
    }
}

impl EnvironmentCache {
    /// The cache in the user's cache folder, disabled on platforms without one.
    pub(crate) fn of_user() -> Self {
        Self { cache: cache_folder("environments").map(|folder| DiskCache::new(folder, MAX_BYTES)) }
    }

    /// Returns the environment of a file with these `bytes`, from the cache or from `make`.
    pub(crate) fn get<E>(&self, bytes: &[u8], make: impl FnOnce() -> Result<Environment, E>) -> Result<Environment, E> {
        let key = stable_hash(&(VERSION, bytes));
        if let Some(kept) = self.cache.as_ref().and_then(|cache| Environment::from_bytes(&cache.get(key)?)) {
            return Ok(kept);
        }
        let environment = make()?;
        if let Some(cache) = &self.cache {
            cache.put(key, &environment.to_bytes());
        }
        Ok(environment)
    }
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
        let cache = EnvironmentCache { cache: Some(DiskCache::new(folder.path().to_owned(), MAX_BYTES)) };
        assert_eq!([made(&cache, b"one", 1.0), made(&cache, b"one", 1.0), made(&cache, b"two", 2.0)], [1, 0, 1]);
        assert_eq!([made(&cache, b"one", 1.0), made(&cache, b"two", 2.0)], [0, 0]);
    }

    #[test]
    fn entries_of_another_form_are_recomputed() {
        let folder = tempfile::TempDir::new().unwrap();
        let cache = DiskCache::new(folder.path().to_owned(), MAX_BYTES);
        let whole = Environment::constant([1.0; 3]).to_bytes();
        for broken in [&whole[..whole.len() / 2], &whole[..7], b"", &[0xff; 64]] {
            cache.put(stable_hash(&(VERSION, b"one".as_slice())), broken);
            let cache = EnvironmentCache { cache: Some(DiskCache::new(folder.path().to_owned(), MAX_BYTES)) };
            assert_eq!([made(&cache, b"one", 1.0), made(&cache, b"one", 1.0)], [1, 0]);
        }
    }

    #[test]
    fn without_a_cache_environments_are_computed() {
        let cache = EnvironmentCache { cache: None };
        assert_eq!([made(&cache, b"one", 1.0), made(&cache, b"one", 1.0)], [1, 1]);
    }
}
