//! A window that is never shown, as the target of a WGL context.

use std::io;
use std::num::NonZeroIsize;
use std::ptr::{null, null_mut};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use windows_sys::Win32::Foundation::{HINSTANCE, HWND};
use windows_sys::Win32::System::LibraryLoader::GetModuleHandleW;
use windows_sys::Win32::System::Threading::GetCurrentThreadId;
use windows_sys::Win32::UI::WindowsAndMessaging::{
    CS_OWNDC, CreateWindowExW, DefWindowProcW, DestroyWindow, DispatchMessageW, GetMessageW, MSG, PostThreadMessageW,
    RegisterClassExW, WM_QUIT, WNDCLASSEXW, WS_POPUP,
};
use windows_sys::w;
use winit::raw_window_handle::{RawWindowHandle, Win32WindowHandle};

/// A window of one pixel, on a thread of its own that handles its messages.
///
/// Without a message loop, programs that broadcast messages (installers, the settings) would wait for this window while a
/// long task runs on the caller's thread.
pub(super) struct HiddenWindow {
    handle: Win32WindowHandle,
    thread_id: u32,
    thread: Option<JoinHandle<()>>,
}

impl HiddenWindow {
    /// Creates the window.
    ///
    /// # Errors
    /// When the system refuses a window or a thread.
    pub(super) fn new() -> io::Result<Self> {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::Builder::new().name("hidden window".to_owned()).spawn(move || {
            // SAFETY: the thread destroys the window that it created.
            unsafe {
                let created = create();
                let window = created.as_ref().ok().map(|&(window, _)| window);
                let handle = created.map(|(window, module)| (window as isize, module as isize, GetCurrentThreadId()));
                if sender.send(handle).is_ok() && window.is_some() {
                    handle_messages();
                }
                if let Some(window) = window {
                    DestroyWindow(window);
                }
            }
        })?;
        let (window, module, thread_id) = receiver.recv().map_err(io::Error::other)??;
        let window = NonZeroIsize::new(window).ok_or_else(|| io::Error::other("no window"))?;
        let mut handle = Win32WindowHandle::new(window);
        // glutin reads the window's class from this module.
        handle.hinstance = NonZeroIsize::new(module);
        Ok(Self { handle, thread_id, thread: Some(thread) })
    }

    /// Returns the handle, valid while `self` lives.
    pub(super) fn handle(&self) -> RawWindowHandle {
        RawWindowHandle::Win32(self.handle)
    }
}

impl Drop for HiddenWindow {
    fn drop(&mut self) {
        // SAFETY: the message has no pointers. The thread has a message queue, since it created a window.
        let posted = unsafe { PostThreadMessageW(self.thread_id, WM_QUIT, 0, 0) };
        if let Some(thread) = self.thread.take()
            && posted != 0
        {
            let _ = thread.join();
        }
    }
}

/// Creates the window on this thread, and returns it with the module of its class.
unsafe fn create() -> io::Result<(HWND, HINSTANCE)> {
    const CLASS_NAME: *const u16 = w!("rigview headless");
    // SAFETY: the class outlives this module's code, and the strings are static.
    unsafe {
        let module = GetModuleHandleW(null());
        let class = WNDCLASSEXW {
            cbSize: size_of::<WNDCLASSEXW>() as u32,
            style: CS_OWNDC,
            lpfnWndProc: Some(DefWindowProcW),
            hInstance: module,
            lpszClassName: CLASS_NAME,
            ..Default::default()
        };
        // Fails for the second window, since the class exists then.
        RegisterClassExW(&raw const class);
        let window =
            CreateWindowExW(0, CLASS_NAME, null(), WS_POPUP, 0, 0, 1, 1, null_mut(), null_mut(), module, null());
        if window.is_null() { Err(io::Error::last_os_error()) } else { Ok((window, module)) }
    }
}

/// Handles the messages of this thread's windows until it receives `WM_QUIT`.
unsafe fn handle_messages() {
    let mut message = MSG::default();
    // SAFETY: the message is valid for writes; -1 is an error.
    unsafe {
        while GetMessageW(&raw mut message, null_mut(), 0, 0) > 0 {
            DispatchMessageW(&raw const message);
        }
    }
}
