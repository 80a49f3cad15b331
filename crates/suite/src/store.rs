//! Goldens outside of git: files by the hash of their content, and a manifest of names and hashes.
//!
//! The store is a folder: on a disk, on a network share, or one that a program synchronizes. Objects never change, so that
//! concurrent runs and any order of synchronization are safe. The manifest belongs into git. Its lines are those of `sha256sum`.

use rigview_core::util::regular_file::{open_regular, read_text};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Time after which a manifest is read again on file systems without locks. Reading and writing take less.
const SETTLE_TIME: Duration = Duration::from_millis(100);
/// Maximum number of writes of the manifest by a flush on file systems without locks.
const MAX_ATTEMPTS: usize = 20;
/// Time between two writes of the manifest, so that the time of an update is linear in the number of goldens.
const WRITE_INTERVAL: Duration = Duration::from_secs(1);
const MAX_MANIFEST_BYTES: u64 = 64 << 20;
const MAX_OBJECT_BYTES: u64 = 1 << 30;

/// A store or its manifest cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A system error.
    #[error("{}", .file.display())]
    Io {
        /// The manifest or an object.
        file: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The manifest is a folder, a device, or too large.
    #[error("{}: is no manifest", .file.display())]
    NotAManifest {
        /// The manifest.
        file: PathBuf,
    },
    /// A line of the manifest has another form.
    #[error(
        "{}: line {line}: expected a hash of 64 digits, two spaces and a name; is a merge unfinished?",
        .file.display()
    )]
    Line {
        /// The manifest.
        file: PathBuf,
        /// Line number, from 1.
        line: usize,
    },
}

impl StoreError {
    fn io(file: &Path) -> impl FnOnce(io::Error) -> Self {
        let file = file.to_owned();
        |source| Self::Io { file, source }
    }
}

/// A store, as one suite uses it.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    manifest: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Hash by name of the golden.
    hashes: BTreeMap<String, String>,
    /// Changes that the manifest may not have yet; `None` removes a name.
    changes: BTreeMap<String, Option<String>>,
    last_write: Option<Instant>,
}

impl Store {
    /// Opens the store in `folder` with a manifest, which need not exist.
    ///
    /// # Errors
    /// If the manifest cannot be read.
    pub fn open(folder: &Path, manifest: &Path) -> Result<Self, StoreError> {
        let state = State { hashes: read_manifest(manifest)?, changes: BTreeMap::new(), last_write: None };
        Ok(Self { folder: folder.to_owned(), manifest: manifest.to_owned(), state: Mutex::new(state) })
    }

    /// The manifest file.
    pub fn manifest(&self) -> &Path {
        &self.manifest
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn object(&self, hash: &str) -> PathBuf {
        self.folder.join(&hash[..2]).join(&hash[2..])
    }

    /// The names of all goldens, sorted.
    pub fn names(&self) -> Vec<String> {
        self.state().hashes.keys().cloned().collect()
    }

    /// The file with a golden; a file that does not exist if there is no golden of this name.
    pub fn path_of(&self, name: &str) -> PathBuf {
        match self.state().hashes.get(name) {
            Some(hash) => self.object(hash),
            None => self.folder.join("missing").join(name),
        }
    }

    /// Reads the golden `name`; `None` if the manifest has no such name.
    ///
    /// # Errors
    /// The reason, if the folder lacks the golden, or if its content has another hash.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        let Some(hash) = self.state().hashes.get(name).cloned() else { return Ok(None) };
        let file = self.object(&hash);
        let folder = self.folder.display();
        match read_object(&file) {
            Ok(bytes) if hash_of(&bytes) == hash => Ok(Some(bytes)),
            Ok(_) => {
                Err(format!("{} is not the file of its hash; delete it, and synchronize the store", file.display()))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(format!("the store {folder} does not have it; is it mounted and synchronized?"))
            }
            Err(error) => Err(error.to_string()),
        }
    }

    /// Stores the golden `name`. [`flush`](Self::flush) completes the manifest.
    ///
    /// # Errors
    /// If the folder or the manifest cannot be written.
    pub fn put(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let hash = hash_of(bytes);
        let object = self.object(&hash);
        if !read_object(&object).is_ok_and(|found| found == bytes) {
            write_atomic(&object, bytes).map_err(StoreError::io(&object))?;
        } else if let Ok(file) = File::options().append(true).open(&object) {
            // It is used again: `gc` keeps young objects. Without the permission, its age counts.
            let _ = file.set_modified(SystemTime::now());
        }
        self.change(name, Some(hash))
    }

    /// Removes a name from the manifest. Its object remains for other branches, until [`gc`].
    ///
    /// # Errors
    /// If the manifest cannot be written.
    pub fn remove(&self, name: &str) -> Result<(), StoreError> {
        self.change(name, None)
    }

    fn change(&self, name: &str, hash: Option<String>) -> Result<(), StoreError> {
        let mut state = self.state();
        match &hash {
            Some(hash) => state.hashes.insert(name.to_owned(), hash.clone()),
            None => state.hashes.remove(name),
        };
        state.changes.insert(name.to_owned(), hash);
        if state.last_write.is_none_or(|time| time.elapsed() >= WRITE_INTERVAL) {
            return self.write(&mut state);
        }
        Ok(())
    }

    /// Writes the changes to the manifest. Other runs may have changed other names of it.
    ///
    /// # Errors
    /// If the manifest cannot be written.
    pub fn flush(&self) -> Result<(), StoreError> {
        self.write(&mut self.state())
    }

    fn write(&self, state: &mut State) -> Result<(), StoreError> {
        state.last_write = Some(Instant::now());
        if state.changes.is_empty() {
            return Ok(());
        }
        // Some network shares have no locks.
        let lock = open_lock(&self.folder.join("lock"));
        let is_locked = lock.as_ref().is_ok_and(|lock| lock.lock().is_ok());
        for _ in 0..MAX_ATTEMPTS {
            let mut hashes = read_manifest(&self.manifest)?;
            let former = hashes.clone();
            for (name, hash) in &state.changes {
                match hash {
                    Some(hash) => hashes.insert(name.clone(), hash.clone()),
                    None => hashes.remove(name),
                };
            }
            if hashes != former {
                let text: String = hashes.iter().map(|(name, hash)| format!("{hash}  {name}\n")).collect();
                write_atomic(&self.manifest, text.as_bytes()).map_err(StoreError::io(&self.manifest))?;
            }
            if is_locked {
                state.changes.clear();
                break;
            }
            if hashes == former {
                break;
            }
            // Without a lock, another run may write what it has read before this write. The run keeps its changes for later writes.
            std::thread::sleep(SETTLE_TIME);
        }
        Ok(())
    }

    /// Returns the goldens of the manifest that are missing, or whose content has another hash, one line each.
    pub fn verify(&self) -> Vec<String> {
        let state = self.state();
        let problem = |(name, hash): (&String, &String)| {
            let file = self.object(hash);
            match hash_of_file(&file) {
                Ok(found) if found == *hash => None,
                Ok(_) => Some(format!("{name}: {} is damaged; delete it, and synchronize the store", file.display())),
                Err(error) => Some(format!("{name}: {} cannot be read: {error}", file.display())),
            }
        };
        state.hashes.iter().filter_map(problem).collect()
    }
}

/// What [`gc`] has deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deleted {
    /// Number of objects.
    pub objects: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// Deletes objects older than `min_age` that no manifest of `stores` names. All stores have one folder.
///
/// # Errors
/// If a folder cannot be read, or an object cannot be deleted.
pub fn gc(stores: &[Store], min_age: Duration, dry_run: bool) -> io::Result<Deleted> {
    let used: BTreeSet<PathBuf> =
        stores.iter().flat_map(|store| store.names().into_iter().map(|name| store.path_of(&name))).collect();
    let mut deleted = Deleted::default();
    let folders: BTreeSet<&Path> = stores.iter().map(|store| store.folder.as_path()).collect();
    for folder in folders {
        for group in std::fs::read_dir(folder)? {
            let group = group?.path();
            if !is_hash(&group.file_name().unwrap_or_default().to_string_lossy(), 2) {
                continue;
            }
            for object in std::fs::read_dir(&group)? {
                let object = object?;
                let (path, found) = (object.path(), object.metadata()?);
                let age = found.modified()?.elapsed().unwrap_or_default();
                // A write that was interrupted leaves a temporary file.
                let is_object = found.is_file();
                if is_object && age >= min_age && !used.contains(&path) {
                    deleted = Deleted { objects: deleted.objects + 1, bytes: deleted.bytes + found.len() };
                    if !dry_run {
                        std::fs::remove_file(&path)?;
                    }
                }
            }
        }
    }
    Ok(deleted)
}

/// Opens the lock of a store, which several people share, without a change: a link could lead to a file of this user, and a pipe
/// would block.
fn open_lock(file: &Path) -> io::Result<File> {
    match File::options().write(true).create_new(true).open(file) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => match std::fs::symlink_metadata(file)?.is_file() {
            // An exclusive lock of a network share needs the permission to write.
            true => File::options().write(true).open(file),
            false => Err(io::Error::other("it is not a regular file")),
        },
        opened => opened,
    }
}

fn read_manifest(file: &Path) -> Result<BTreeMap<String, String>, StoreError> {
    let text = match read_text(file, MAX_MANIFEST_BYTES) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) if error.kind() == ErrorKind::InvalidInput => {
            return Err(StoreError::NotAManifest { file: file.to_owned() });
        }
        text => text.map_err(StoreError::io(file))?,
    };
    let parsed = text.lines().enumerate().map(|(number, line)| {
        let parts = line.split_once("  ").filter(|(hash, name)| is_hash(hash, 64) && is_name(name));
        let (hash, name) = parts.ok_or_else(|| StoreError::Line { file: file.to_owned(), line: number + 1 })?;
        Ok((name.to_owned(), hash.to_owned()))
    });
    parsed.collect()
}

fn is_hash(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_name(name: &str) -> bool {
    // `.` and `..` are folders.
    name.chars().any(|c| c != '.') && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'))
}

/// Reads an object, which another program may have replaced by anything.
fn read_object(file: &Path) -> io::Result<Vec<u8>> {
    let file = open_regular(file)?.ok_or_else(|| io::Error::other("not a regular file"))?;
    let mut bytes = Vec::new();
    file.take(MAX_OBJECT_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_OBJECT_BYTES {
        return Err(io::Error::other("file too large"));
    }
    Ok(bytes)
}

fn hash_of(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Hashes a regular file in blocks.
fn hash_of_file(file: &Path) -> io::Result<String> {
    let mut file = open_regular(file)?.ok_or_else(|| io::Error::other("it is not a regular file"))?;
    let (mut hash, mut block) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut block)? {
            0 => return Ok(hexadecimal(&hash.finalize())),
            count => hash.update(&block[..count]),
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a temporary file in the same folder and renames it.
fn write_atomic(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut temporary = tempfile::Builder::new();
    temporary.prefix(".rigview-");
    #[cfg(unix)]
    {
        // The default mode, for a share of several users; the umask applies.
        use std::os::unix::fs::PermissionsExt;
        temporary.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut temporary = temporary.tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.persist(file).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goldens_are_stored_by_their_content_and_named_in_the_manifest() {
        let folder = tempfile::tempdir().unwrap();
        let (objects, manifest) = (folder.path().join("store"), folder.path().join("suite.goldens"));
        let store = Store::open(&objects, &manifest).unwrap();
        assert!(!store.path_of("a.png").exists() && store.read("a.png") == Ok(None));
        for (name, bytes) in [("b.png", "one"), ("a.png", "two"), ("c.png", "one")] {
            store.put(name, bytes.as_bytes()).unwrap();
        }
        store.flush().unwrap();
        let text = std::fs::read_to_string(&manifest).unwrap();
        let names: Vec<&str> = text.lines().map(|line| &line[66..]).collect();
        assert_eq!(names, ["a.png", "b.png", "c.png"]);
        assert!(
            text.starts_with("3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3  a.png\n"),
            "SHA-256"
        );
        let store = Store::open(&objects, &manifest).unwrap();
        assert_eq!(store.read("c.png").unwrap().unwrap(), b"one");
        assert_eq!(store.path_of("c.png"), store.path_of("b.png"));
        assert!(store.verify().is_empty());
        std::fs::write(store.path_of("a.png"), "damaged").unwrap();
        assert!(matches!(&store.verify()[..], [text] if text.starts_with("a.png: ") && text.contains("is damaged")));
        // Another golden under the hash is not the golden, and an update replaces it.
        std::fs::copy(store.path_of("b.png"), store.path_of("a.png")).unwrap();
        assert!(store.read("a.png").is_err_and(|reason| reason.contains("is not the file of its hash")));
        store.put("a.png", b"two").unwrap();
        assert_eq!(store.read("a.png").unwrap().unwrap(), b"two");
        std::fs::remove_file(store.path_of("a.png")).unwrap();
        assert!(store.read("a.png").is_err_and(|reason| reason.contains("synchronized")));
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_in_the_folder_change_and_block_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (objects, manifest) = (folder.path().join("store"), folder.path().join("suite.goldens"));
        let store = Store::open(&objects, &manifest).unwrap();
        std::fs::create_dir(&objects).unwrap();
        let precious = folder.path().join("precious");
        std::fs::write(&precious, "precious").unwrap();
        std::os::unix::fs::symlink("../precious", objects.join("lock")).unwrap();
        store.put("a.png", b"one").unwrap();
        store.flush().unwrap();
        assert_eq!(std::fs::read(&precious).unwrap(), b"precious");
        assert_eq!(Store::open(&objects, &manifest).unwrap().names(), ["a.png"]);
        let pipe = |file: &Path| {
            std::fs::remove_file(file).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(file).status().unwrap().success());
        };
        pipe(&objects.join("lock"));
        pipe(&store.path_of("a.png"));
        store.remove("b.png").unwrap();
        store.flush().unwrap();
        let found = store.verify();
        assert!(matches!(&found[..], [text] if text.contains("is not a regular file")), "{found:?}");
        std::fs::remove_file(store.path_of("a.png")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", store.path_of("a.png")).unwrap();
        assert_eq!(store.verify().len(), 1);
    }

    #[test]
    fn runs_of_two_processes_keep_the_names_of_both() {
        let folder = tempfile::tempdir().unwrap();
        let (objects, manifest) = (folder.path().join("store"), folder.path().join("suite.goldens"));
        let stores = [Store::open(&objects, &manifest).unwrap(), Store::open(&objects, &manifest).unwrap()];
        std::thread::scope(|scope| {
            for (number, store) in stores.iter().enumerate() {
                scope.spawn(move || {
                    (0..100).for_each(|i| store.put(&format!("{number}-{i}.png"), format!("{i}").as_bytes()).unwrap());
                    store.flush().unwrap();
                });
            }
        });
        let store = Store::open(&objects, &manifest).unwrap();
        assert_eq!((store.names().len(), store.verify()), (200, Vec::new()));
        store.remove("0-7.png").unwrap();
        store.flush().unwrap();
        assert_eq!(Store::open(&objects, &manifest).unwrap().names().len(), 199);
    }

    #[test]
    fn without_locks_lines_that_another_run_overwrites_are_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let (objects, manifest) = (folder.path().join("store"), folder.path().join("suite.goldens"));
        // A folder cannot be locked.
        std::fs::create_dir_all(objects.join("lock")).unwrap();
        let store = Store::open(&objects, &manifest).unwrap();
        let hash = "a".repeat(64);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !manifest.exists() {
                    std::thread::yield_now();
                }
                write_atomic(&manifest, format!("{hash}  other.png\n").as_bytes()).unwrap();
            });
            store.put("own.png", b"own").unwrap();
        });
        assert_eq!(Store::open(&objects, &manifest).unwrap().names(), ["other.png", "own.png"]);
        std::fs::write(&manifest, format!("{hash}  other.png\n")).unwrap();
        store.flush().unwrap();
        assert_eq!(Store::open(&objects, &manifest).unwrap().names(), ["other.png", "own.png"]);
    }

    #[test]
    fn gc_deletes_old_objects_without_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let (objects, manifest) = (folder.path().join("store"), folder.path().join("suite.goldens"));
        let store = Store::open(&objects, &manifest).unwrap();
        store.put("a.png", b"old").unwrap();
        let old = store.path_of("a.png");
        store.put("a.png", b"new").unwrap();
        std::fs::write(objects.join("notes.txt"), "kept").unwrap();
        let run = |age, dry_run| gc(std::slice::from_ref(&store), Duration::from_secs(age), dry_run).unwrap();
        assert_eq!(run(3600, false), Deleted::default(), "young");
        assert_eq!(run(0, true), Deleted { objects: 1, bytes: 3 });
        assert!(old.exists());
        assert_eq!(run(0, false), Deleted { objects: 1, bytes: 3 });
        assert!(!old.exists() && store.path_of("a.png").exists() && objects.join("notes.txt").exists());
    }

    #[test]
    fn hostile_manifests_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = folder.path().join("suite.goldens");
        let hash = "a".repeat(64);
        for line in [
            format!("{hash}  ../x"),
            format!("{hash}  .."),
            format!("{hash} a.png"),
            "../../etc  a.png".into(),
            "<<<<<<< HEAD".into(),
        ] {
            std::fs::write(&manifest, format!("{hash}  a.png\n{line}\n")).unwrap();
            let error = Store::open(folder.path(), &manifest).unwrap_err();
            assert!(matches!(error, StoreError::Line { line: 2, .. }), "{error}");
        }
    }
}
