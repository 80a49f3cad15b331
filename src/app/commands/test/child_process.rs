//! A process that runs some shots for `--isolate`.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

const STDERR: &str = "stderr.txt";
/// Maximum bytes that are read from the end of standard error.
const MAX_STDERR_BYTES: u64 = 4096;

/// The process and the folder of its report. Both end when dropped.
pub(crate) struct ChildProcess {
    pub(super) child: Child,
    pub(super) folder: TempDir,
}

impl ChildProcess {
    /// Starts `command`, whose report is in `folder`.
    pub(crate) fn start(mut command: Command, folder: TempDir) -> io::Result<Self> {
        // Ctrl+C reaches this process only, which ends the child.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        #[cfg(windows)]
        std::os::windows::process::CommandExt::creation_flags(&mut command, CREATE_NEW_PROCESS_GROUP);
        let stderr = File::create(folder.path().join(STDERR))?;
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr).spawn()?;
        Ok(Self { child, folder })
    }

    pub(crate) fn kill(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The last error on standard error, as in `: out of memory`; empty without one.
    pub(crate) fn last_error(&self) -> String {
        let read = || -> io::Result<Vec<u8>> {
            let (mut file, mut bytes) = (File::open(self.folder.path().join(STDERR))?, Vec::new());
            let skipped = file.metadata()?.len().saturating_sub(MAX_STDERR_BYTES);
            file.seek(SeekFrom::Start(skipped))?;
            file.take(MAX_STDERR_BYTES).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let text = String::from_utf8_lossy(&read().unwrap_or_default()).into_owned();
        let error = text.lines().rev().find_map(|line| line.strip_prefix("error: "));
        error.map_or_else(String::new, |error| format!(": {error}"))
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(windows)]
const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
