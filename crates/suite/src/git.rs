//! Files of a git repository, read by the program `git`.

use crate::suite::external_files;
use std::collections::HashSet;
use std::io::{Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

/// Maximum bytes of a file that is read from a revision.
const MAX_FILE_BYTES: u64 = 4 << 30;

/// A repository and one of its commits.
pub struct Revision {
    /// Folder of the working tree, with links resolved.
    root: PathBuf,
    /// Hash of the commit.
    commit: String,
}

impl Revision {
    /// Finds the repository that `folder` is in, and the commit that `name` refers to.
    ///
    /// # Errors
    /// If git is not installed, there is no repository, or no such revision.
    pub fn open(folder: &Path, name: &str) -> Result<Self, String> {
        let root = line(&run(folder, &["rev-parse", "--show-toplevel"])?);
        let commit = format!("{name}^{{commit}}");
        let commit = line(&run(folder, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]).map_err(
            |reason| {
                format!("`{name}` is no revision of this repository; fetch it, in CI with the whole history: {reason}")
            },
        )?);
        let root = PathBuf::from(root).canonicalize().map_err(|error| error.to_string())?;
        Ok(Self { root, commit })
    }

    /// Returns the files that are as in the revision. Their paths have no links.
    ///
    /// # Errors
    /// If git fails.
    pub fn unchanged_files(&self) -> Result<HashSet<PathBuf>, String> {
        let paths = |text: Vec<u8>| -> HashSet<PathBuf> {
            let text = String::from_utf8_lossy(&text).into_owned();
            text.split('\0').filter(|path| !path.is_empty()).map(|path| self.root.join(path)).collect()
        };
        let changed = [
            "diff",
            "--name-only",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--ignore-submodules=none",
            &self.commit,
            "--",
        ];
        let changed = paths(run(&self.root, &changed)?);
        let mut tracked = paths(run(&self.root, &["ls-files", "-z"])?);
        tracked.retain(|file| !changed.contains(file));
        Ok(tracked)
    }

    /// Returns the bytes of a file in the revision; `None` if it is not there.
    ///
    /// # Errors
    /// If the path is outside the repository, git fails, or the file is too large.
    pub fn read(&self, file: &Path) -> Result<Option<Vec<u8>>, String> {
        let path = self.path_of(file)?;
        let object = format!("{}:{}", self.commit, path.display()).replace(std::path::MAIN_SEPARATOR, "/");
        if run(&self.root, &["cat-file", "-e", &object]).is_err() {
            return Ok(None);
        }
        let size = line(&run(&self.root, &["cat-file", "-s", &object])?);
        if size.parse::<u64>().is_ok_and(|size| size > MAX_FILE_BYTES) {
            return Err(format!("{}: larger than {} GiB", path.display(), MAX_FILE_BYTES >> 30));
        }
        run(&self.root, &["cat-file", "blob", &object]).map(Some)
    }

    /// Writes a file of the revision into the folder `to`, at its path in the repository. Returns its path there; `None` if the
    /// revision does not have it.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn extract(&self, file: &Path, to: &Path) -> Result<Option<PathBuf>, String> {
        let Some(bytes) = self.read(file)? else { return Ok(None) };
        let target = to.join(self.path_of(file)?);
        let write = || {
            std::fs::create_dir_all(target.parent().unwrap_or(to))?;
            std::fs::File::create(&target)?.write_all(&bytes)
        };
        write().map_err(|error| format!("{}: {error}", target.display()))?;
        Ok(Some(target))
    }

    /// The path of a file in the repository. The file need not exist any more.
    fn path_of(&self, file: &Path) -> Result<PathBuf, String> {
        let outside = || format!("{}: is not in the git repository {}", file.display(), self.root.display());
        let absolute = std::path::absolute(file).map_err(|error| error.to_string())?;
        let mut path = PathBuf::new();
        for part in absolute.components() {
            match part {
                Component::ParentDir => drop(path.pop()),
                part => path.push(part),
            }
        }
        // The folder may be a link, or be gone.
        let existing = path.ancestors().skip(1).find_map(|folder| Some((folder, folder.canonicalize().ok()?)));
        let (folder, resolved) = existing.ok_or_else(outside)?;
        let rest = path.strip_prefix(folder).map_err(|_| outside())?;
        resolved.join(rest).strip_prefix(&self.root).map(Path::to_owned).map_err(|_| outside())
    }
}

/// Writes a model of a revision with its side files into the folder `to`. Returns its path there.
///
/// # Errors
/// If there is no such revision, or it does not have the model.
pub fn extract_model(file: &Path, revision: &str, to: &Path) -> Result<PathBuf, String> {
    let revision = Revision::open(file.parent().unwrap_or(Path::new(".")), revision)?;
    let old = revision.extract(file, to)?.ok_or("the revision does not have this file")?;
    // The importer reports what is missing.
    for side in external_files(&old) {
        if let Ok(relative) = side.strip_prefix(old.parent().unwrap_or(to)) {
            let _ = revision.extract(&file.with_file_name(relative), to);
        }
    }
    Ok(old)
}

/// Runs git in `folder`, and returns its output.
fn run(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let folder = if folder == Path::new("") { Path::new(".") } else { folder };
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => "git is not installed".to_owned(),
        _ => format!("git cannot be started: {error}"),
    };
    let mut child = command.spawn().map_err(failed)?;
    let mut stderr = child.stderr.take().ok_or("git has no standard error")?;
    let messages = std::thread::spawn(move || {
        let mut text = Vec::new();
        // Only the reason for a failure is lost.
        let _ = stderr.read_to_end(&mut text);
        String::from_utf8_lossy(&text).lines().next().unwrap_or_default().to_owned()
    });
    let output = child.wait_with_output().map_err(failed)?;
    let message = messages.join().unwrap_or_default();
    if output.status.success() { Ok(output.stdout) } else { Err(format!("git failed: {message}")) }
}

fn line(text: &[u8]) -> String {
    String::from_utf8_lossy(text).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_revision_are_read_and_changes_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let git = |arguments: &[&str]| {
            let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
            run(folder.path(), &[&identity, arguments].concat()).unwrap()
        };
        assert!(Revision::open(folder.path(), "HEAD").is_err());
        git(&["init", "-q"]);
        std::fs::create_dir_all(path("a b/ü")).unwrap();
        for name in ["a b/ü/1.bin", "2.bin", "3.bin"] {
            std::fs::write(path(name), name).unwrap();
        }
        git(&["add", "-A"]);
        git(&["commit", "-qm", "first"]);
        std::fs::write(path("2.bin"), "changed").unwrap();
        std::fs::write(path("new.bin"), "new").unwrap();
        let revision = Revision::open(&path("a b"), "HEAD").unwrap();
        let root = folder.path().canonicalize().unwrap();
        let unchanged = revision.unchanged_files().unwrap();
        assert_eq!(unchanged, HashSet::from(["a b/ü/1.bin", "3.bin"].map(|name| root.join(name))));
        assert_eq!(revision.read(&path("2.bin")).unwrap().as_deref(), Some(&b"2.bin"[..]));
        assert_eq!(revision.read(&path("a b/../a b/ü/1.bin")).unwrap().as_deref(), Some("a b/ü/1.bin".as_bytes()));
        assert_eq!(revision.read(&path("new.bin")).unwrap(), None);
        assert!(revision.read(&path("../x.bin")).unwrap_err().contains("is not in the git repository"));
        std::fs::remove_dir_all(path("a b")).unwrap();
        let to = tempfile::tempdir().unwrap();
        let extracted = revision.extract(&path("a b/ü/1.bin"), to.path()).unwrap();
        assert_eq!(extracted, Some(to.path().join("a b/ü/1.bin")));
        for name in ["missing", "--output=x", "HEAD:2.bin"] {
            assert!(
                Revision::open(folder.path(), name).is_err_and(|reason| reason.contains("is no revision")),
                "{name}"
            );
        }
    }
}
