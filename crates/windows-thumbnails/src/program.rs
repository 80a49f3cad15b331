//! `rigview.exe thumbnail`, with a stream of COM as its standard input.

use crate::job::Job;
use std::ffi::OsString;
use std::io::{Error, Read as _, Result, Write as _};
use std::os::windows::ffi::OsStringExt as _;
use std::os::windows::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{Builder, scope};
use std::time::Duration;
use windows::Win32::Foundation::HMODULE;
use windows::Win32::System::Com::IStream;
use windows::Win32::System::LibraryLoader::{
    GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT, GetModuleFileNameW,
    GetModuleHandleExW,
};
use windows::Win32::System::Threading::CREATE_NO_WINDOW;
use windows::core::PCWSTR;

/// Limit of the memory of the program, as on Linux.
const MAX_MEMORY_BYTES: usize = 2 << 30;

/// The program ends after 10 s, unless a driver hangs.
const TIMEOUT: Duration = Duration::from_secs(15);

/// The longest path of Windows. A result of this length is cut.
const MAX_PATH_LENGTH: usize = 1 << 15;

/// 2048 x 2048 pixels do not exceed it.
const MAX_PNG_BYTES: u64 = 32 << 20;

/// Returns a PNG of the model in `stream`, of at most `size` pixels per side.
pub(crate) fn thumbnail(stream: &IStream, size: u32) -> Result<Vec<u8>> {
    let size = size.clamp(16, 2048).to_string();
    let mut child = Command::new(library_path()?.with_file_name("rigview.exe"))
        .args(["thumbnail", "-", "-", "--size", &size])
        .creation_flags(CREATE_NO_WINDOW.0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let no_pipe = || Error::other("the program has no pipe");
    let (stdin, stdout) = (child.stdin.take().ok_or_else(no_pipe)?, child.stdout.take().ok_or_else(no_pipe)?);
    // Before the program has read anything.
    let job = Job::new(&child, MAX_MEMORY_BYTES).inspect_err(|_| {
        let _ = child.kill();
    })?;
    let (done, is_done) = channel::<()>();
    let job = &job;
    scope(|scope| {
        // The end of the program closes the pipes, so that nothing below waits longer.
        Builder::new().spawn_scoped(scope, move || {
            if is_done.recv_timeout(TIMEOUT) == Err(RecvTimeoutError::Timeout) {
                job.terminate();
            }
        })?;
        let _done = done;
        let reader = Builder::new().spawn_scoped(scope, || {
            let mut png = Vec::new();
            stdout.take(MAX_PNG_BYTES).read_to_end(&mut png).map(|_| png)
        })?;
        let copied = copy(stream, stdin);
        let png = reader.join().map_err(|_| Error::other("a thread panicked"))?;
        let status = child.wait()?;
        copied?;
        match status.success() {
            true => png,
            false => Err(Error::other("the model has no thumbnail")),
        }
    })
}

/// Copies a stream, on the thread to which it belongs, until its end or that of the program.
///
/// Nothing cancels a `Read` of the stream, such as that of a file that is only in a cloud: it can outlast [`TIMEOUT`].
fn copy(stream: &IStream, mut stdin: ChildStdin) -> Result<()> {
    let mut buffer = [0; 1 << 16];
    loop {
        let mut count = 0;
        // SAFETY: the buffer has the size that is passed.
        unsafe { stream.Read(buffer.as_mut_ptr().cast(), buffer.len() as u32, Some(&mut count)).ok()? };
        if count == 0 || stdin.write_all(&buffer[..count as usize]).is_err() {
            return Ok(());
        }
    }
}

/// Returns the path of this DLL.
fn library_path() -> Result<PathBuf> {
    static ADDRESS: u8 = 0;
    let flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    let mut path = vec![0; MAX_PATH_LENGTH];
    let mut library = HMODULE::default();
    // SAFETY: the address is in this library, and the results are variables of this function.
    let length = unsafe {
        GetModuleHandleExW(flags, PCWSTR((&raw const ADDRESS).cast()), &mut library)?;
        GetModuleFileNameW(Some(library), &mut path)
    };
    let path = path.get(..length as usize).filter(|path| !path.is_empty() && path.len() < MAX_PATH_LENGTH);
    // Without its folder, the name of the program would be looked up in the search path.
    let path = path.map(|path| PathBuf::from(OsString::from_wide(path))).filter(|path| path.is_absolute());
    path.ok_or_else(|| Error::other("the path of this library is unknown"))
}
