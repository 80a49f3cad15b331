//! A driver for tests, which fails on demand.

use super::error_check::CONTEXT_LOST;
use super::{Gpu, GpuError};
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_void};
use std::rc::Rc;

thread_local! {
    /// Error that it reports next.
    pub(super) static ERROR: Cell<u32> = const { Cell::new(0) };
    /// Reset status.
    pub(super) static RESET: Cell<u32> = const { Cell::new(0) };
    /// Its only extension.
    static EXTENSION: Cell<&'static CStr> = const { Cell::new(c"GL_KHR_robustness") };
    /// `GL_RENDERER`.
    pub(super) static RENDERER: Cell<&'static CStr> = const { Cell::new(c"a driver that fails") };
    /// A limit with another value than the others.
    pub(super) static LIMIT: Cell<Option<(u32, i32)>> = const { Cell::new(None) };
    /// Content of the last buffer.
    pub(super) static STORAGE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// Number of calls of `glUnmapBuffer` that lose the content.
    pub(super) static LOST_MAPPINGS: Cell<u32> = const { Cell::new(0) };
    /// Number of calls of `glMapBufferRange`.
    pub(super) static MAPPINGS: Cell<u32> = const { Cell::new(0) };
    /// Number of deleted buffers and textures.
    pub(super) static DELETED: Cell<i32> = const { Cell::new(0) };
    /// Number of waits for a fence that expire, and the result of the next one.
    pub(super) static WAITS: Cell<(u32, u32)> = const { Cell::new((0, glow::CONDITION_SATISFIED)) };
}

extern "system" fn get_string(name: u32) -> *const u8 {
    let text = if name == glow::VERSION { c"3.3.0 (Core Profile)" } else { RENDERER.get() };
    text.as_ptr().cast()
}
extern "system" fn get_stringi(_: u32, _: u32) -> *const u8 {
    EXTENSION.get().as_ptr().cast()
}
unsafe extern "system" fn get_integer(name: u32, number: *mut i32) {
    let value = match (name, LIMIT.get()) {
        (glow::MAJOR_VERSION | glow::MINOR_VERSION, _) => 3,
        (glow::NUM_EXTENSIONS, _) => 1,
        (name, Some((limit, value))) if name == limit => value,
        _ => 65536,
    };
    // SAFETY: the caller provides room for one integer.
    unsafe { *number = value };
}
extern "system" fn get_error() -> u32 {
    match ERROR.get() {
        CONTEXT_LOST => CONTEXT_LOST,
        code => {
            ERROR.set(0);
            code
        }
    }
}
extern "system" fn reset_status() -> u32 {
    RESET.get()
}
unsafe extern "system" fn gen_one(_: i32, id: *mut u32) {
    // SAFETY: the caller provides room for one id.
    unsafe { *id = 1 };
}
extern "system" fn buffer_data(_: u32, size: isize, _: *const c_void, _: u32) {
    STORAGE.set(vec![0; size as usize]);
}
unsafe extern "system" fn buffer_sub_data(_: u32, offset: isize, size: isize, data: *const c_void) {
    // SAFETY: the caller provides so many bytes.
    let data = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size as usize) };
    STORAGE.with_borrow_mut(|storage| storage[offset as usize..][..data.len()].copy_from_slice(data));
}
extern "system" fn map_buffer_range(_: u32, _: isize, _: isize, _: u32) -> *mut c_void {
    MAPPINGS.set(MAPPINGS.get() + 1);
    STORAGE.with_borrow_mut(|storage| storage.as_mut_ptr().cast())
}
extern "system" fn unmap_buffer(_: u32) -> u8 {
    let Some(lost) = LOST_MAPPINGS.get().checked_sub(1) else { return 1 };
    LOST_MAPPINGS.set(lost);
    STORAGE.with_borrow_mut(|storage| storage.fill(0xaa));
    0
}
extern "system" fn fence_sync(_: u32, _: u32) -> *const c_void {
    std::ptr::dangling::<u8>().cast()
}
extern "system" fn client_wait_sync(_: *const c_void, _: u32, _: u64) -> u32 {
    let (expiring, result) = WAITS.get();
    let Some(expiring) = expiring.checked_sub(1) else { return result };
    WAITS.set((expiring, result));
    glow::TIMEOUT_EXPIRED
}
extern "system" fn delete(count: i32, _: *const u32) {
    DELETED.set(DELETED.get() + count);
}
macro_rules! do_nothing {
    ($($name:ident($($argument:ty),*);)*) => { $(extern "system" fn $name($(_: $argument),*) {})* };
}
do_nothing! {
    bind(u32, u32);
    delete_sync(*const c_void);
    active_texture(u32);
    tex_parameter(u32, u32, i32);
    pixel_store(u32, i32);
    tex_image(u32, i32, i32, i32, i32, i32, u32, u32, *const c_void);
}

fn load(name: &CStr) -> *const c_void {
    match name.to_str().unwrap() {
        "glGetString" => get_string as *const c_void,
        "glGetStringi" => get_stringi as *const c_void,
        "glGetIntegerv" => get_integer as *const c_void,
        "glGetError" => get_error as *const c_void,
        "glGetGraphicsResetStatus" | "glGetGraphicsResetStatusARB" => reset_status as *const c_void,
        "glGenBuffers" | "glGenTextures" => gen_one as *const c_void,
        "glBindBuffer" | "glBindTexture" => bind as *const c_void,
        "glDeleteBuffers" | "glDeleteTextures" => delete as *const c_void,
        "glBufferData" => buffer_data as *const c_void,
        "glBufferSubData" => buffer_sub_data as *const c_void,
        "glMapBufferRange" => map_buffer_range as *const c_void,
        "glUnmapBuffer" => unmap_buffer as *const c_void,
        "glFenceSync" => fence_sync as *const c_void,
        "glClientWaitSync" => client_wait_sync as *const c_void,
        "glDeleteSync" => delete_sync as *const c_void,
        "glActiveTexture" => active_texture as *const c_void,
        "glTexParameteri" => tex_parameter as *const c_void,
        "glPixelStorei" => pixel_store as *const c_void,
        "glTexImage2D" => tex_image as *const c_void,
        _ => std::ptr::null(),
    }
}

/// Returns a context of the driver.
pub(super) fn new_gpu() -> Result<Rc<Gpu>, GpuError> {
    // SAFETY: the functions are those of the fake driver.
    unsafe { Gpu::new(load) }
}

/// Returns a context of the driver with one extension.
pub(super) fn failing_gpu(extension: &'static CStr) -> Rc<Gpu> {
    EXTENSION.set(extension);
    new_gpu().unwrap()
}
