//! Error checks: `glGetError` and context loss.

use super::{Gpu, GpuError};
use glow::HasContext;
use rigview_core::util::text::one_line;
use std::ffi::{CStr, c_void};
use std::io::Write as _;

/// `glGetGraphicsResetStatus`: 0 without a reset.
pub(super) type ResetStatus = unsafe extern "system" fn() -> u32;

/// `GL_CONTEXT_LOST`, reported by drivers with robustness extensions.
pub(super) const CONTEXT_LOST: u32 = 0x0507;

/// Returns the function that reports resets (GL_KHR_robustness, core in OpenGL 4.5, or GL_ARB_robustness), if
/// supported.
pub(super) fn reset_status(gl: &glow::Context, load: &mut dyn FnMut(&CStr) -> *const c_void) -> Option<ResetStatus> {
    let (extensions, version) = (gl.supported_extensions(), gl.version());
    let name = if (version.major, version.minor) >= (4, 5) || extensions.contains("GL_KHR_robustness") {
        c"glGetGraphicsResetStatus"
    } else if extensions.contains("GL_ARB_robustness") {
        c"glGetGraphicsResetStatusARB"
    } else {
        return None;
    };
    let function = load(name);
    // SAFETY: the context has the extension, so the function takes nothing and returns a GLenum.
    (!function.is_null()).then(|| unsafe { std::mem::transmute::<*const c_void, ResetStatus>(function) })
}

/// Errors of presented frames.
#[derive(Default)]
pub(super) struct PresentedErrors {
    codes: Vec<u32>,
    next: Option<GpuError>,
}

/// Writes the messages of the driver to stderr, if it supports them (KHR_debug).
pub(super) fn print_messages(gl: &mut glow::Context) {
    if !gl.supports_debug() {
        return;
    }
    let print = |_, kind, _, severity, message: &str| {
        let kind = match kind {
            glow::DEBUG_TYPE_ERROR => "error",
            glow::DEBUG_TYPE_DEPRECATED_BEHAVIOR => "deprecated",
            glow::DEBUG_TYPE_UNDEFINED_BEHAVIOR => "undefined behavior",
            glow::DEBUG_TYPE_PORTABILITY => "portability",
            glow::DEBUG_TYPE_PERFORMANCE => "performance",
            _ => "message",
        };
        if severity != glow::DEBUG_SEVERITY_NOTIFICATION {
            let _ = writeln!(std::io::stderr(), "OpenGL {kind}: {}", one_line(message.trim()));
        }
    };
    // SAFETY: the `Gpu` invariant; the extension is supported.
    unsafe {
        gl.enable(glow::DEBUG_OUTPUT);
        // Otherwise a message comes after the call that it is about.
        gl.enable(glow::DEBUG_OUTPUT_SYNCHRONOUS);
        gl.debug_message_callback(print);
    }
}

impl Gpu {
    /// Returns errors since the last check, in debug builds only. `during` describes the activity.
    ///
    /// # Errors
    /// When OpenGL reported one.
    pub(crate) fn debug_check(&self, during: &'static str) -> Result<(), GpuError> {
        if cfg!(debug_assertions) { self.check_errors(during) } else { Ok(()) }
    }

    /// Returns errors since the last check.
    ///
    /// # Errors
    /// When OpenGL reported one.
    pub(crate) fn check_errors(&self, during: &'static str) -> Result<(), GpuError> {
        // SAFETY: the `Gpu` invariant.
        let code = unsafe { self.functions().get_error() };
        if code == glow::NO_ERROR {
            return Ok(());
        }
        // A lost context may report errors forever.
        for _ in 0..16 {
            // SAFETY: the `Gpu` invariant.
            if unsafe { self.functions().get_error() } == glow::NO_ERROR {
                break;
            }
        }
        match code {
            CONTEXT_LOST => Err(self.lost(during, "")),
            code => Err(GpuError::Gl { during, code }),
        }
    }

    /// Checks for a driver reset, which need not set an error. Intended for the end of a frame, which waits for the
    /// driver anyway.
    ///
    /// # Errors
    /// When the context is lost.
    pub(crate) fn check_reset(&self, during: &'static str) -> Result<(), GpuError> {
        let Some(status) = self.reset_status else { return Ok(()) };
        let _lock = self.functions();
        // SAFETY: the `Gpu` invariant; the function belongs to the current context.
        let cause = match unsafe { status() } {
            glow::NO_ERROR => return Ok(()),
            glow::GUILTY_CONTEXT_RESET => " by what was drawn",
            glow::INNOCENT_CONTEXT_RESET => " by another program",
            _ => "",
        };
        Err(self.lost(during, cause))
    }

    /// Reports that the context is lost. Its objects are not deleted from now on: they are gone.
    pub(crate) fn lost(&self, during: &'static str, cause: &'static str) -> GpuError {
        self.is_lost.set(true);
        GpuError::Lost { during, cause }
    }

    /// Returns `true` once an error has reported that the context is lost.
    pub fn is_lost(&self) -> bool {
        self.is_lost.get()
    }

    /// Returns `error`, or that the context is lost: then each call fails in its own way.
    pub(super) fn failure(&self, during: &'static str, error: GpuError) -> GpuError {
        match self.check_reset(during).and_then(|()| self.check_errors(during)) {
            Err(lost @ GpuError::Lost { .. }) => lost,
            _ => error,
        }
    }

    /// Checks for a reset and for out-of-memory after presenting a frame. Other errors do not end the program, because egui
    /// draws in the same context: [`take_error`](Self::take_error) returns them.
    ///
    /// # Errors
    /// When the context is lost, or memory ran out.
    pub(crate) fn check_presented(&self, during: &'static str) -> Result<(), GpuError> {
        self.check_reset(during)?;
        match self.check_errors(during) {
            Err(error @ GpuError::Gl { code, .. }) if code != glow::OUT_OF_MEMORY => {
                let mut errors = self.presented_errors.take();
                if !errors.codes.contains(&code) {
                    errors.codes.push(code);
                    errors.next = Some(error);
                }
                self.presented_errors.set(errors);
                Ok(())
            }
            result => result,
        }
    }

    /// Returns an error of the driver in a presented frame, once per code.
    pub fn take_error(&self) -> Option<GpuError> {
        let mut errors = self.presented_errors.take();
        let error = errors.next.take();
        self.presented_errors.set(errors);
        error
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake_driver::{ERROR, RESET, failing_gpu};
    use super::super::{Buffer, Channels, ColorSpace, Texture2d, TextureFormat};
    use super::*;

    #[test]
    fn reset_is_reported_with_cause_and_hint() {
        for extension in [c"GL_KHR_robustness", c"GL_ARB_robustness"] {
            let gpu = failing_gpu(extension);
            RESET.set(0);
            assert!(gpu.check_reset("drawing").is_ok());
            for (status, words) in [
                (glow::GUILTY_CONTEXT_RESET, "was reset by what was drawn, while drawing"),
                (glow::INNOCENT_CONTEXT_RESET, "was reset by another program, while drawing"),
                (glow::UNKNOWN_CONTEXT_RESET, "was reset, while drawing"),
            ] {
                RESET.set(status);
                let message = gpu.check_reset("drawing").unwrap_err().to_string();
                assert!(message.contains(words) && message.contains("start again"), "{message}");
                assert!(!message.contains('\n'));
            }
        }
        // Without the extension there is no reset status.
        assert!(failing_gpu(c"GL_EXT_something").check_reset("drawing").is_ok());
    }

    #[test]
    fn repeated_errors_of_lost_context_are_bounded() {
        let gpu = failing_gpu(c"GL_EXT_something");
        ERROR.set(CONTEXT_LOST);
        let error = gpu.check_errors("drawing").unwrap_err();
        assert!(matches!(error, GpuError::Lost { during: "drawing", .. }), "{error}");
        ERROR.set(0);
    }

    #[test]
    fn window_reports_errors_once_and_ends_at_out_of_memory_and_loss() {
        let gpu = failing_gpu(c"GL_KHR_robustness");
        for (error, reset, is_ok) in [
            (0, 0, true),
            (glow::INVALID_ENUM, 0, true),
            (glow::OUT_OF_MEMORY, 0, false),
            (CONTEXT_LOST, 0, false),
            (0, glow::UNKNOWN_CONTEXT_RESET, false),
        ] {
            ERROR.set(error);
            RESET.set(reset);
            assert_eq!(gpu.check_presented("drawing").is_ok(), is_ok, "{error:#x} {reset:#x}");
        }
        assert!(matches!(gpu.take_error(), Some(GpuError::Gl { code: glow::INVALID_ENUM, .. })));
        assert!(gpu.take_error().is_none());
        RESET.set(0);
        for (error, is_new) in [(glow::INVALID_ENUM, false), (glow::INVALID_OPERATION, true)] {
            ERROR.set(error);
            assert!(gpu.check_presented("drawing").is_ok());
            assert_eq!(gpu.take_error().is_some(), is_new, "{error:#x}");
        }
        ERROR.set(0);
        RESET.set(0);
    }

    #[test]
    fn out_of_memory_is_reported_at_allocation() {
        let gpu = failing_gpu(c"GL_KHR_robustness");
        RESET.set(0);
        ERROR.set(glow::OUT_OF_MEMORY);
        let buffer = Buffer::with_bytes(&gpu, &[0; 64]).err().unwrap().to_string();
        assert!(buffer.contains("filling a buffer") && buffer.contains("fewer instances"), "{buffer}");
        ERROR.set(glow::OUT_OF_MEMORY);
        let format = TextureFormat::Texels(ColorSpace::Linear, Channels::RGBA);
        let texture = Texture2d::new(&gpu, format, vec![[4, 4]]).err().unwrap().to_string();
        assert!(texture.contains("allocating a texture") && texture.contains("smaller textures"), "{texture}");
        assert!(gpu.check_errors("drawing").is_ok(), "a reported error is cleared");
    }
}
