//! MP4 and WebM, encoded by an ffmpeg process.

use super::spec::VideoSpec;
use crate::app::AppError;
use crate::app::files::atomic_write::AtomicFile;
use crate::app::files::converter::keep_tail;
use rigview_render::platform::install_hints;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

/// Process creation flag of Windows: no window for the console.
#[cfg(windows)]
const CREATE_NO_WINDOW: u32 = 0x0800_0000;

pub(crate) struct Ffmpeg {
    child: Child,
    /// Reads the error output, so that a full pipe does not block ffmpeg.
    messages: Option<JoinHandle<Vec<u8>>>,
    output: Option<AtomicFile>,
}

impl Ffmpeg {
    pub(crate) fn new(file: &Path, spec: VideoSpec, webm: bool) -> Result<Self, AppError> {
        let output = AtomicFile::new(file)?;
        let ([width, height], (frames, secs)) = (spec.size, spec.schedule.frame_rate());
        let mut command = Command::new("ffmpeg");
        command.args(["-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba"]);
        command.args(["-s", &format!("{width}x{height}"), "-framerate", &format!("{frames}/{secs}"), "-i", "-"]);
        // BT.709 with explicit tags, so that players do not guess the color space.
        let format = if webm && spec.transparent { "yuva420p" } else { "yuv420p" };
        command.args(["-vf", &format!("scale=out_color_matrix=bt709:out_range=tv,format={format}")]);
        command.args(["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]);
        if webm {
            command.args(["-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-f", "webm"]);
        } else {
            command.args("-c:v libx264 -crf 17 -preset medium -movflags +faststart -f mp4".split(' '));
        }
        // Without the protocol, ffmpeg reads one from a path with a colon.
        let mut url = OsString::from("file:");
        url.push(output.path());
        command.arg(url).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        // Otherwise Ctrl+C in a terminal would end ffmpeg first, and the video would fail instead of being canceled.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        // A window without a console would show the console of ffmpeg.
        #[cfg(windows)]
        std::os::windows::process::CommandExt::creation_flags(&mut command, CREATE_NO_WINDOW);
        let mut child = command.spawn().map_err(|error| {
            AppError::ExportFailed(match error.kind() {
                std::io::ErrorKind::NotFound => format!(
                    "needs ffmpeg, which was not found: install it (such as `{}`), or \
                     write a .gif, an animated .png or an image sequence (frames/%04d.png)",
                    install_hints::FFMPEG
                ),
                _ => format!("ffmpeg failed to start: {error}"),
            })
        })?;
        let stderr = child.stderr.take().expect("stderr is piped");
        let messages = Some(std::thread::spawn(move || {
            let last = Mutex::default();
            keep_tail(stderr, &last);
            last.into_inner().unwrap_or_else(PoisonError::into_inner)
        }));
        Ok(Self { child, messages, output: Some(output) })
    }

    pub(crate) fn add(&mut self, rgba: &[u8]) -> Result<(), AppError> {
        let input = self.child.stdin.as_mut().expect("stdin is piped");
        match input.write_all(rgba) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.failure()),
        }
    }

    pub(crate) fn finish(mut self) -> Result<(), AppError> {
        drop(self.child.stdin.take());
        match self.child.wait() {
            Ok(status) if status.success() => self.output.take().expect("present until finish").finish(),
            _ => Err(self.failure()),
        }
    }

    /// Ends ffmpeg and returns the last line of its error output.
    fn failure(&mut self) -> AppError {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
        let messages = self.messages.take().and_then(|messages| messages.join().ok()).unwrap_or_default();
        let messages = String::from_utf8_lossy(&messages);
        let line = messages.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("no error message");
        AppError::ExportFailed(format!("ffmpeg failed: {line}"))
    }
}

impl Drop for Ffmpeg {
    fn drop(&mut self) {
        // `finish` has taken the output and waited for the process.
        if self.output.is_some() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
