//! Caches in the user's cache folder: prefiltered environments, keyed by a hash of the source file, and programs of the GPU.

use rigview_render::disk_cache::{DiskCache, stable_hash};
use rigview_render::gpu::{Gpu, Tier};
use rigview_render::scene::{CubeMap, Environment};
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
    if let (Tier::Hardware, Some(folder)) = (gpu.tier(), cache_folder("programs")) {
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
        if let Some(kept) = self.cache.as_ref().and_then(|cache| decode(&cache.get(key)?)) {
            return Ok(kept);
        }
        let environment = make()?;
        if let Some(cache) = &self.cache {
            cache.put(key, &encode(&environment));
        }
        Ok(environment)
    }
}

/// Decodes an entry; returns `None` if it is damaged.
fn decode(entry: &[u8]) -> Option<Environment> {
    let (side, content) = entry.split_first_chunk::<4>()?;
    let (cube_side, content) = content.split_first_chunk::<4>()?;
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
    Environment::from_layers(side, texels, cube_map)
}

fn encode(environment: &Environment) -> Vec<u8> {
    let cube_map = environment.cube_map();
    let sides = [environment.side(), cube_map.map_or(0, CubeMap::side)];
    let mut content: Vec<u8> = sides.iter().flat_map(|side| (*side as u32).to_le_bytes()).collect();
    content.extend(environment.texels().iter().flatten().flat_map(|x| x.to_le_bytes()));
    content.extend(cube_map.into_iter().flat_map(CubeMap::texels).flat_map(|texel| texel.to_le_bytes()));
    content
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
        let whole = encode(&Environment::constant([1.0; 3]));
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
