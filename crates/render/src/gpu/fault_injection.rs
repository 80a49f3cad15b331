//! Faults in the calls of a real driver, for tests: each function that the renderer calls is wrapped.

use super::error_check::CONTEXT_LOST;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{CStr, c_void};

/// A fault of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The context is lost at this call: it and all later calls do nothing (KHR_robustness).
    LostContext,
    /// An allocation, or a mapping, runs out of memory.
    OutOfMemory,
    /// The content of a mapped buffer is lost.
    LostMapping,
    /// A framebuffer is incomplete.
    IncompleteFramebuffer,
    /// A shader does not compile.
    Compilation,
    /// A program does not link.
    Link,
}

/// The calls of a context under a fault.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Calls {
    /// All calls.
    pub(crate) all: u32,
    /// Those that the fault concerns.
    pub(crate) concerned: u32,
    /// Those after the driver has reported the loss of the context, besides `glGetError`.
    pub(crate) after_loss: u32,
}

#[derive(Clone, Copy)]
struct Injection {
    fault: Fault,
    /// The call that fails, among those that the fault concerns.
    call: u32,
    calls: Calls,
    is_armed: bool,
    is_lost: bool,
    is_reported: bool,
    /// Error that the driver reports next.
    error: u32,
}

thread_local! {
    static INJECTION: Cell<Option<Injection>> = const { Cell::new(None) };
    /// Functions of the driver.
    static FUNCTIONS: RefCell<HashMap<String, *const c_void>> = RefCell::default();
}

/// Lets one call of the next context of this thread fail; `u32::MAX` for none.
pub(crate) fn inject(fault: Fault, call: u32) {
    let calls = Calls::default();
    let injection =
        Injection { fault, call, calls, is_armed: false, is_lost: false, is_reported: false, error: glow::NO_ERROR };
    INJECTION.set(Some(injection));
}

/// Ends the injection. Returns the calls since [`inject`].
pub(crate) fn end() -> Calls {
    INJECTION.take().map(|injection| injection.calls).unwrap_or_default()
}

/// Counts the calls from now on. `glow` cannot read the version of a lost context, so its initialization comes before.
pub(super) fn arm() {
    INJECTION.set(INJECTION.get().map(|injection| Injection { is_armed: true, ..injection }));
}

/// Returns a wrapper of a function of the driver; or the function, if this thread has no injection.
pub(super) fn wrap(name: &CStr, function: *const c_void) -> *const c_void {
    if INJECTION.get().is_none() || function.is_null() {
        return function;
    }
    let name = name.to_str().unwrap_or_default();
    FUNCTIONS.with_borrow_mut(|functions| functions.insert(name.to_owned(), function));
    // `glow` panics at a call of a function that is missing here.
    wrapper(name).unwrap_or(std::ptr::null())
}

fn function(name: &str) -> *const c_void {
    FUNCTIONS.with_borrow(|functions| functions[name])
}

impl Fault {
    fn concerns(self, name: &str) -> bool {
        match self {
            Self::LostContext => true,
            Self::OutOfMemory => matches!(
                name,
                "glBufferData"
                    | "glCompressedTexImage2D"
                    | "glGenerateMipmap"
                    | "glMapBufferRange"
                    | "glRenderbufferStorage"
                    | "glRenderbufferStorageMultisample"
                    | "glTexImage2D"
                    | "glTexImage2DMultisample"
                    | "glTexImage3D"
            ),
            Self::LostMapping => name == "glUnmapBuffer",
            Self::IncompleteFramebuffer => name == "glCheckFramebufferStatus",
            Self::Compilation => name == "glCompileShader",
            Self::Link => name == "glLinkProgram",
        }
    }
}

/// Counts a call. Returns its result if the driver does not execute it.
fn intercept(name: &str) -> Option<u64> {
    let mut injection = INJECTION.get().filter(|injection| injection.is_armed)?;
    let is_concerned = injection.fault.concerns(name);
    let is_it = is_concerned && injection.calls.concerned == injection.call;
    injection.calls.all += 1;
    injection.calls.concerned += u32::from(is_concerned);
    injection.calls.after_loss += u32::from(injection.is_reported && name != "glGetError");
    let result = match injection.fault {
        Fault::LostContext if is_it || injection.is_lost => {
            injection.is_lost = true;
            let (code, reports) = match name {
                "glGetError" => (CONTEXT_LOST, true),
                "glGetGraphicsResetStatus" | "glGetGraphicsResetStatusARB" => (glow::GUILTY_CONTEXT_RESET, true),
                "glClientWaitSync" => (glow::WAIT_FAILED, false),
                _ => (0, false),
            };
            injection.is_reported |= reports;
            Some(u64::from(code))
        }
        Fault::OutOfMemory if is_it => {
            injection.error = glow::OUT_OF_MEMORY;
            Some(0)
        }
        Fault::IncompleteFramebuffer if is_it => Some(u64::from(glow::FRAMEBUFFER_UNSUPPORTED)),
        Fault::Compilation | Fault::Link if is_it => Some(0),
        _ if name == "glGetError" && injection.error != glow::NO_ERROR => {
            Some(u64::from(std::mem::replace(&mut injection.error, glow::NO_ERROR)))
        }
        _ => None,
    };
    INJECTION.set(Some(injection));
    if is_it && injection.fault == Fault::LostMapping {
        lose_mapping();
        return Some(0);
    }
    result
}

/// Unmaps the buffer at `GL_ARRAY_BUFFER`, and overwrites it.
fn lose_mapping() {
    type Unmap = unsafe extern "system" fn(u32) -> u8;
    type GetParameter = unsafe extern "system" fn(u32, u32, *mut i32);
    type Write = unsafe extern "system" fn(u32, isize, isize, *const c_void);
    // SAFETY: OpenGL 3.3 has these functions with these types, and the buffer has this size.
    unsafe {
        std::mem::transmute::<*const c_void, Unmap>(function("glUnmapBuffer"))(glow::ARRAY_BUFFER);
        let mut size = 0;
        let get = std::mem::transmute::<*const c_void, GetParameter>(function("glGetBufferParameteriv"));
        get(glow::ARRAY_BUFFER, glow::BUFFER_SIZE, &raw mut size);
        let bytes = vec![0xaa_u8; size as usize];
        let write = std::mem::transmute::<*const c_void, Write>(function("glBufferSubData"));
        write(glow::ARRAY_BUFFER, 0, size as isize, bytes.as_ptr().cast());
    }
}

macro_rules! wrappers {
    ($($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        $(
            #[allow(non_snake_case, reason = "the name of OpenGL")]
            unsafe extern "system" fn $name($($argument: $type),*) $(-> $result)? {
                if let Some(result) = intercept(stringify!($name)) {
                    // SAFETY: the result is an integer or a pointer of at most eight bytes, or nothing.
                    return unsafe { std::mem::transmute_copy(&result) };
                }
                type Function = unsafe extern "system" fn($($type),*) $(-> $result)?;
                // SAFETY: the driver's function of this name has this type; the caller passes valid arguments.
                unsafe { std::mem::transmute::<*const c_void, Function>(function(stringify!($name)))($($argument),*) }
            }
        )*

        fn wrapper(name: &str) -> Option<*const c_void> {
            match name {
                $(stringify!($name) => Some($name as *const c_void),)*
                _ => None,
            }
        }
    };
}

// All pointers are alike here. The results of a lost context are little-endian integers.
wrappers! {
    glActiveTexture(a: u32);
    glAttachShader(a: u32, b: u32);
    glBeginQuery(a: u32, b: u32);
    glBeginTransformFeedback(a: u32);
    glBindBuffer(a: u32, b: u32);
    glBindBufferBase(a: u32, b: u32, c: u32);
    glBindBufferRange(a: u32, b: u32, c: u32, d: isize, e: isize);
    glBindFramebuffer(a: u32, b: u32);
    glBindRenderbuffer(a: u32, b: u32);
    glBindSampler(a: u32, b: u32);
    glBindTexture(a: u32, b: u32);
    glBindVertexArray(a: u32);
    glBlendEquation(a: u32);
    glBlendEquationSeparate(a: u32, b: u32);
    glBlendFunc(a: u32, b: u32);
    glBlitFramebuffer(a: i32, b: i32, c: i32, d: i32, e: i32, f: i32, g: i32, h: i32, i: u32, j: u32);
    glBufferData(a: u32, b: isize, c: *const c_void, d: u32);
    glBufferSubData(a: u32, b: isize, c: isize, d: *const c_void);
    glCheckFramebufferStatus(a: u32) -> u32;
    glClearBufferfv(a: u32, b: i32, c: *const c_void);
    glClientWaitSync(a: *const c_void, b: u32, c: u64) -> u32;
    glColorMask(a: u8, b: u8, c: u8, d: u8);
    glCompileShader(a: u32);
    glCompressedTexImage2D(a: u32, b: i32, c: u32, d: i32, e: i32, f: i32, g: i32, h: *const c_void);
    glCreateProgram() -> u32;
    glCreateShader(a: u32) -> u32;
    glCullFace(a: u32);
    glDeleteBuffers(a: i32, b: *const c_void);
    glDeleteFramebuffers(a: i32, b: *const c_void);
    glDeleteProgram(a: u32);
    glDeleteQueries(a: i32, b: *const c_void);
    glDeleteRenderbuffers(a: i32, b: *const c_void);
    glDeleteSamplers(a: i32, b: *const c_void);
    glDeleteShader(a: u32);
    glDeleteSync(a: *const c_void);
    glDeleteTextures(a: i32, b: *const c_void);
    glDeleteVertexArrays(a: i32, b: *const c_void);
    glDepthFunc(a: u32);
    glDepthMask(a: u8);
    glDepthRange(a: f64, b: f64);
    glDisable(a: u32);
    glDrawArrays(a: u32, b: i32, c: i32);
    glDrawArraysInstanced(a: u32, b: i32, c: i32, d: i32);
    glDrawBuffer(a: u32);
    glDrawElementsInstanced(a: u32, b: i32, c: u32, d: *const c_void, e: i32);
    glEnable(a: u32);
    glEnableVertexAttribArray(a: u32);
    glEndQuery(a: u32);
    glEndTransformFeedback();
    glFenceSync(a: u32, b: u32) -> *const c_void;
    glFinish();
    glFramebufferRenderbuffer(a: u32, b: u32, c: u32, d: u32);
    glFramebufferTexture2D(a: u32, b: u32, c: u32, d: u32, e: i32);
    glFrontFace(a: u32);
    glGenBuffers(a: i32, b: *const c_void);
    glGenFramebuffers(a: i32, b: *const c_void);
    glGenQueries(a: i32, b: *const c_void);
    glGenRenderbuffers(a: i32, b: *const c_void);
    glGenSamplers(a: i32, b: *const c_void);
    glGenTextures(a: i32, b: *const c_void);
    glGenVertexArrays(a: i32, b: *const c_void);
    glGenerateMipmap(a: u32);
    glGetActiveUniformsiv(a: u32, b: i32, c: *const c_void, d: u32, e: *const c_void);
    glGetBufferSubData(a: u32, b: isize, c: isize, d: *const c_void);
    glGetError() -> u32;
    glGetFloatv(a: u32, b: *const c_void);
    glGetGraphicsResetStatus() -> u32;
    glGetGraphicsResetStatusARB() -> u32;
    glGetIntegerv(a: u32, b: *const c_void);
    glGetProgramBinary(a: u32, b: i32, c: *const c_void, d: *const c_void, e: *const c_void);
    glGetProgramInfoLog(a: u32, b: i32, c: *const c_void, d: *const c_void);
    glGetProgramiv(a: u32, b: u32, c: *const c_void);
    glGetQueryObjectui64v(a: u32, b: u32, c: *const c_void);
    glGetQueryObjectuiv(a: u32, b: u32, c: *const c_void);
    glGetShaderInfoLog(a: u32, b: i32, c: *const c_void, d: *const c_void);
    glGetShaderiv(a: u32, b: u32, c: *const c_void);
    glGetString(a: u32) -> *const c_void;
    glGetStringi(a: u32, b: u32) -> *const c_void;
    glGetTexImage(a: u32, b: i32, c: u32, d: u32, e: *const c_void);
    glGetTexLevelParameteriv(a: u32, b: i32, c: u32, d: *const c_void);
    glGetUniformBlockIndex(a: u32, b: *const c_void) -> u32;
    glGetUniformIndices(a: u32, b: i32, c: *const c_void, d: *const c_void);
    glGetUniformLocation(a: u32, b: *const c_void) -> i32;
    glLineWidth(a: f32);
    glLinkProgram(a: u32);
    glMapBufferRange(a: u32, b: isize, c: isize, d: u32) -> *const c_void;
    glMaxShaderCompilerThreadsKHR(a: u32);
    glPixelStorei(a: u32, b: i32);
    glPolygonMode(a: u32, b: u32);
    glProgramBinary(a: u32, b: u32, c: *const c_void, d: i32);
    glProgramParameteri(a: u32, b: u32, c: i32);
    glQueryCounter(a: u32, b: u32);
    glReadBuffer(a: u32);
    glReadPixels(a: i32, b: i32, c: i32, d: i32, e: u32, f: u32, g: *const c_void);
    glRenderbufferStorage(a: u32, b: u32, c: i32, d: i32);
    glRenderbufferStorageMultisample(a: u32, b: i32, c: u32, d: i32, e: i32);
    glSamplerParameterf(a: u32, b: u32, c: f32);
    glSamplerParameteri(a: u32, b: u32, c: i32);
    glScissor(a: i32, b: i32, c: i32, d: i32);
    glShaderSource(a: u32, b: i32, c: *const c_void, d: *const c_void);
    glTexBuffer(a: u32, b: u32, c: u32);
    glTexImage2D(a: u32, b: i32, c: i32, d: i32, e: i32, f: i32, g: u32, h: u32, i: *const c_void);
    glTexImage2DMultisample(a: u32, b: i32, c: u32, d: i32, e: i32, f: u8);
    glTexImage3D(a: u32, b: i32, c: i32, d: i32, e: i32, f: i32, g: i32, h: u32, i: u32, j: *const c_void);
    glTexParameterfv(a: u32, b: u32, c: *const c_void);
    glTexParameteri(a: u32, b: u32, c: i32);
    glTexSubImage2D(a: u32, b: i32, c: i32, d: i32, e: i32, f: i32, g: u32, h: u32, i: *const c_void);
    glTexSubImage3D(a: u32, b: i32, c: i32, d: i32, e: i32, f: i32, g: i32, h: i32, i: u32, j: u32, k: *const c_void);
    glTransformFeedbackVaryings(a: u32, b: i32, c: *const c_void, d: u32);
    glUniform1i(a: i32, b: i32);
    glUniformBlockBinding(a: u32, b: u32, c: u32);
    glUnmapBuffer(a: u32) -> u8;
    glUseProgram(a: u32);
    glVertexAttribDivisor(a: u32, b: u32);
    glVertexAttribIPointer(a: u32, b: i32, c: u32, d: i32, e: *const c_void);
    glVertexAttribPointer(a: u32, b: i32, c: u32, d: u8, e: i32, f: *const c_void);
    glViewport(a: i32, b: i32, c: i32, d: i32);
}
