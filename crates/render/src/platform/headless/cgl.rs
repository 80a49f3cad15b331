//! Headless contexts by CGL, without a window.
//!
//! glutin's CGL contexts wait for the main thread, which may itself wait for the thread of an export.

use crate::gpu::Gpu;
use crate::platform::PlatformError;
use cgl::{
    CGLChoosePixelFormat, CGLContextObj, CGLCreateContext, CGLDestroyContext, CGLError, CGLPixelFormatAttribute,
    CGLReleasePixelFormat, CGLSetCurrentContext, kCGLPFAAccelerated, kCGLPFAAllowOfflineRenderers,
    kCGLPFAOpenGLProfile,
};
use std::ffi::CStr;
use std::marker::PhantomData;
use std::ptr;
use std::rc::Rc;

/// `kCGLOGLPVersion_GL4_Core`: OpenGL 4.1, which contains 3.3. The other core profile is 3.2.
const GL4_CORE_PROFILE: CGLPixelFormatAttribute = 0x4100;

/// `kCGLBadPixelFormat`.
const NO_PIXEL_FORMAT: CGLError = 10002;

/// A headless context, current on the thread that created it.
///
/// Objects created with [`gpu`](Self::gpu) must be dropped first. A second context on the same thread replaces the
/// first as current. Several threads may have contexts; those of a software renderer run one at a time.
/// Contexts have no default framebuffer.
pub struct Headless {
    // In drop order: GL functions, context.
    gpu: Rc<Gpu>,
    _context: Context,
}

/// Owns a context that is current on this thread.
struct Context {
    raw: CGLContextObj,
    /// Not `Send`: the context is current on one thread.
    _thread: PhantomData<*const ()>,
}

impl Headless {
    /// Creates a context on a graphics card, or with the software renderer of macOS.
    ///
    /// # Errors
    /// When macOS has no OpenGL 4.1, or refuses the context.
    pub fn new() -> Result<Self, PlatformError> {
        // Virtual machines have the software renderer only.
        let context = Context::new(&[kCGLPFAAccelerated])
            .or_else(|_| Context::new(&[]))
            .map_err(|error| PlatformError::no_headless(format_args!("CGL error {error}")))?;
        // SAFETY: `name` is a C string. The OpenGL framework is linked.
        let load = |name: &CStr| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }.cast_const();
        // SAFETY: the context is current on this thread. `Self` keeps it alive and current, and drops it after `gpu`.
        let gpu = unsafe { Gpu::new(load) }?;
        Ok(Self { gpu, _context: context })
    }

    /// Describes the devices to choose from: none, since the system chooses.
    pub fn devices() -> Vec<String> {
        Vec::new()
    }

    /// Returns the GL context.
    pub fn gpu(&self) -> &Rc<Gpu> {
        &self.gpu
    }
}

impl Context {
    /// Creates a context of a pixel format with `attributes`, and makes it current.
    fn new(attributes: &[CGLPixelFormatAttribute]) -> Result<Self, CGLError> {
        let profile = [kCGLPFAOpenGLProfile, GL4_CORE_PROFILE, kCGLPFAAllowOfflineRenderers];
        let attributes = [&profile, attributes, &[0]].concat();
        let (mut format, mut count, mut raw) = (ptr::null_mut(), 0, ptr::null_mut());
        // SAFETY: the attributes end with 0, and the results are written to variables.
        unsafe {
            check(CGLChoosePixelFormat(attributes.as_ptr(), &mut format, &mut count))?;
            if format.is_null() {
                return Err(NO_PIXEL_FORMAT);
            }
            let created = check(CGLCreateContext(format, ptr::null_mut(), &mut raw));
            CGLReleasePixelFormat(format);
            created?;
        }
        let context = Self { raw, _thread: PhantomData };
        // SAFETY: the context is alive.
        check(unsafe { CGLSetCurrentContext(context.raw) })?;
        Ok(context)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context is alive, and no object of it remains (field order of `Headless`).
        unsafe {
            if cgl::CGLGetCurrentContext() == self.raw {
                CGLSetCurrentContext(ptr::null_mut());
            }
            CGLDestroyContext(self.raw);
        }
    }
}

/// Converts the result of a CGL function, where 0 is no error.
fn check(error: CGLError) -> Result<(), CGLError> {
    if error == 0 { Ok(()) } else { Err(error) }
}
