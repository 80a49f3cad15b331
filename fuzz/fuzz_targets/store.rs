//! Arbitrary text as the manifest of a golden store: its names are files of one folder, and what it reads has its hash.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview_fuzz::assert_printable;
use rigview_suite::store::Store;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

/// A store with the object of the empty file.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("rigview-fuzz-store-{}", std::process::id()));
        let object = folder.join("e3/b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        std::fs::create_dir_all(folder.join("e3")).expect("a folder");
        std::fs::write(object, []).expect("an object");
        folder
    })
}

fuzz_target!(|text: &str| {
    let manifest = folder().join("manifest");
    std::fs::write(&manifest, text).expect("a manifest");
    match Store::open(folder(), &manifest) {
        Ok(store) => {
            let names = store.names();
            assert!(names.len() <= text.lines().count() && names.is_sorted());
            for name in names.iter().take(20) {
                let parts: Vec<Component> = Path::new(name).components().collect();
                assert!(matches!(parts[..], [Component::Normal(_)]), "{name:?}");
                assert!(store.path_of(name).starts_with(folder()));
                match store.read(name) {
                    Ok(bytes) => assert_eq!(bytes, Some(Vec::new())),
                    Err(reason) => assert_printable(&reason),
                }
            }
        }
        Err(error) => assert_printable(&error.to_string()),
    }
});
