//! Files of a git repository, read by the program `git`.

use rigview_core::import::{ImportPolicy, Limit, ModelOutline};
use rigview_core::util::text::excerpt;
use std::collections::HashSet;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

/// The files of a working tree, compared with a revision. Their paths have no links.
pub struct ChangedFiles {
    /// Tracked files that are as in the revision.
    pub unchanged: HashSet<PathBuf>,
    /// Files that differ, or that exist in one of both only.
    pub changed: HashSet<PathBuf>,
}

impl ChangedFiles {
    /// Returns the path of a file that need not exist, with the links of its folder resolved.
    pub fn root_path(&self, file: &Path) -> Option<PathBuf> {
        let folder = file.parent().map(|folder| if folder == Path::new("") { Path::new(".") } else { folder })?;
        Some(folder.canonicalize().ok()?.join(file.file_name()?))
    }
}

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

    /// Finds the commit that wrote the present contents of a tracked file; with `entry`, the one that added or removed this text last.
    ///
    /// Returns `None` if no commit did. The first commit of a shallow clone stands for those before.
    ///
    /// # Errors
    /// As of [`open`](Self::open).
    pub fn of_last_change(file: &Path, entry: Option<&str>) -> Result<Option<Self>, String> {
        let folder = file.parent().unwrap_or(Path::new("."));
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let added = entry.map(|entry| format!("-S{entry}"));
        // Without programs that the configuration of the repository may name.
        let mut log = vec![
            "--literal-pathspecs",
            "log",
            "-1",
            "--format=%H",
            "--no-show-signature",
            "--no-textconv",
            "--no-ext-diff",
        ];
        log.extend(added.as_deref());
        log.extend(["--", &*name]);
        match &*line(&run(folder, &log)?) {
            "" => Ok(None),
            commit => Self::open(folder, commit).map(Some),
        }
    }

    /// Returns the hash of the commit.
    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// Compares the files of the working tree with the revision.
    ///
    /// # Errors
    /// If git fails.
    pub fn changed_files(&self) -> Result<ChangedFiles, String> {
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
            // The configuration of a submodule could name programs, too.
            "--ignore-submodules=dirty",
            &self.commit,
            "--",
        ];
        // A comparison of contents runs filters. Those of the user's own configuration stay, such as Git LFS.
        let changed = paths(git(&self.root, &changed, Stdio::piped(), &local_filters(&self.root))?);
        let mut tracked = paths(run(&self.root, &["ls-files", "-z"])?);
        tracked.retain(|file| !changed.contains(file));
        Ok(ChangedFiles { unchanged: tracked, changed })
    }

    /// Returns the bytes of a file in the revision; `None` if it is not there.
    ///
    /// # Errors
    /// If the path is outside the repository, git fails, or the file has more than `max_bytes`.
    pub fn read(&self, file: &Path, max_bytes: u64) -> Result<Option<Vec<u8>>, String> {
        let object = self.object(file, max_bytes)?;
        object.map(|object| run(&self.root, &["cat-file", "blob", &object])).transpose()
    }

    /// Writes a file of the revision into the folder `to`, at its path in the repository. Returns its path there; `None` if the
    /// revision does not have it.
    ///
    /// # Errors
    /// If it cannot be written; else as of [`read`](Self::read).
    pub fn extract(&self, file: &Path, to: &Path, max_bytes: u64) -> Result<Option<PathBuf>, String> {
        let Some(object) = self.object(file, max_bytes)? else { return Ok(None) };
        let target = to.join(self.path_of(file)?);
        let create = || {
            std::fs::create_dir_all(target.parent().unwrap_or(to))?;
            std::fs::File::create(&target)
        };
        let created = create().map_err(|error| format!("{}: {error}", target.display()))?;
        // The blob does not pass through memory.
        git(&self.root, &["cat-file", "blob", &object], created.into(), &[])?;
        Ok(Some(target))
    }

    /// Returns the name of a file's blob in the revision; `None` if it is not there.
    fn object(&self, file: &Path, max_bytes: u64) -> Result<Option<String>, String> {
        let path = self.path_of(file)?;
        let object = format!("{}:{}", self.commit, path.display()).replace(std::path::MAIN_SEPARATOR, "/");
        if run(&self.root, &["cat-file", "-e", &object]).is_err() {
            let is_listed = run(&self.root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &object]).is_ok();
            return match is_listed {
                true => {
                    Err("git has not fetched its contents, as in a partial clone; run `git fetch --refetch`".to_owned())
                }
                false => Ok(None),
            };
        }
        let size = line(&run(&self.root, &["cat-file", "-s", &object])?);
        let is_too_large = size.parse::<u64>().is_ok_and(|size| size > max_bytes);
        let advice = format!("if you trust the file, add --limit file={size}");
        match is_too_large {
            true => Err(format!("{}: {size} bytes are more than {max_bytes}; {advice}", path.display())),
            false => Ok(Some(object)),
        }
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
pub fn extract_model(file: &Path, revision: &str, to: &Path, policy: &ImportPolicy) -> Result<PathBuf, String> {
    let revision = Revision::open(file.parent().unwrap_or(Path::new(".")), revision)?;
    let max_bytes = policy.limits.get(Limit::File);
    let old = revision.extract(file, to, max_bytes)?.ok_or("the revision does not have this file")?;
    // The importer reports what is missing.
    let outline = ModelOutline::open(&old, policy);
    for side in outline.map_or_else(|_| Vec::new(), |outline| outline.external_files()) {
        if let Ok(relative) = side.strip_prefix(old.parent().unwrap_or(to)) {
            let _ = revision.extract(&file.with_file_name(relative), to, max_bytes);
        }
    }
    Ok(old)
}

/// Runs git in `folder`, and returns its output.
fn run(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    git(folder, arguments, Stdio::piped(), &[])
}

/// Returns the keys of the filters that the repository's own configuration defines.
fn local_filters(folder: &Path) -> Vec<String> {
    let keys = ["--local", "--worktree"].map(|scope| {
        let list = ["config", scope, "--includes", "-z", "--name-only", "--get-regexp", r"^filter\."];
        // Without filters it fails.
        String::from_utf8_lossy(&run(folder, &list).unwrap_or_default()).into_owned()
    });
    keys.iter().flat_map(|keys| keys.split('\0')).filter(|key| !key.is_empty()).map(str::to_owned).collect()
}

/// Runs git without the programs that the configuration of an unpacked repository may name. `cleared` are keys of its configuration.
///
/// Returns the output if `stdout` is a pipe.
fn git(folder: &Path, arguments: &[&str], stdout: Stdio, cleared: &[String]) -> Result<Vec<u8>, String> {
    let folder = if folder == Path::new("") { Path::new(".") } else { folder };
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(arguments).stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped());
    // A fetch of missing objects runs `core.sshCommand` and helpers of transports.
    command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none");
    let first = std::env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse::<usize>().ok()).unwrap_or(0);
    let fixed = [("core.fsmonitor", "false"), ("protocol.ext.allow", "never"), ("core.hooksPath", "/dev/null")];
    let config: Vec<_> = fixed.into_iter().chain(cleared.iter().map(|key| (key.as_str(), ""))).collect();
    for (i, (key, value)) in config.iter().enumerate() {
        command.env(format!("GIT_CONFIG_KEY_{}", first + i), key).env(format!("GIT_CONFIG_VALUE_{}", first + i), value);
    }
    command.env("GIT_CONFIG_COUNT", (first + config.len()).to_string());
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => "git is not installed".to_owned(),
        _ => format!("git cannot be started: {error}"),
    };
    let mut child = command.spawn().map_err(failed)?;
    // The child has its own copy of a file that is its output.
    drop(command);
    let mut stderr = child.stderr.take().ok_or("git has no standard error")?;
    let messages = std::thread::spawn(move || {
        let mut text = Vec::new();
        // Only the reason for a failure is lost.
        let _ = stderr.read_to_end(&mut text);
        String::from_utf8_lossy(&text).lines().next().unwrap_or_default().to_owned()
    });
    let output = child.wait_with_output().map_err(failed)?;
    let message = messages.join().unwrap_or_default();
    match (output.status.success(), &*message) {
        (true, _) => Ok(output.stdout),
        (false, "") => Err(format!("git {} failed without a message", arguments.first().unwrap_or(&""))),
        (false, message) => Err(format!("git failed: {}", excerpt(message))),
    }
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
        let unchanged = revision.changed_files().unwrap().unchanged;
        assert_eq!(unchanged, HashSet::from(["a b/ü/1.bin", "3.bin"].map(|name| root.join(name))));
        assert_eq!(revision.read(&path("2.bin"), 9).unwrap().as_deref(), Some(&b"2.bin"[..]));
        assert_eq!(revision.read(&path("a b/../a b/ü/1.bin"), 99).unwrap().as_deref(), Some("a b/ü/1.bin".as_bytes()));
        assert_eq!(revision.read(&path("new.bin"), 9).unwrap(), None);
        assert!(revision.read(&path("../x.bin"), 9).unwrap_err().contains("is not in the git repository"));
        std::fs::remove_dir_all(path("a b")).unwrap();
        let to = tempfile::tempdir().unwrap();
        let extracted = revision.extract(&path("a b/ü/1.bin"), to.path(), 99).unwrap();
        assert_eq!(std::fs::read(extracted.as_ref().unwrap()).unwrap(), "a b/ü/1.bin".as_bytes());
        let refusal = revision.read(&path("2.bin"), 4).unwrap_err();
        assert!(refusal.contains("5 bytes") && refusal.contains("--limit file=5"), "{refusal}");
        assert_eq!(extracted, Some(to.path().join("a b/ü/1.bin")));
        for name in ["missing", "--output=x", "HEAD:2.bin"] {
            assert!(
                Revision::open(folder.path(), name).is_err_and(|reason| reason.contains("is no revision")),
                "{name}"
            );
        }
    }
}
