//! Color space of windows on macOS.
//!
//! Without one, macOS takes sRGB values for values of the display, whose primaries are wider: all colors are too saturated.

use block2::RcBlock;
use objc2_app_kit::{
    NSColorSpace, NSView, NSWindow, NSWindowDidChangeBackingPropertiesNotification, NSWindowDidChangeScreenNotification,
};
use objc2_foundation::{NSNotification, NSNotificationCenter};
use std::ptr::NonNull;
use winit::raw_window_handle::{HasWindowHandle, RawWindowHandle};
use winit::window::Window;

/// Declares the content of the window as sRGB, also after it moves to another display, where AppKit resets the color space.
///
/// Call it once, on the main thread. The observers stay registered until the process ends.
pub(super) fn keep_srgb(window: &Window) {
    let Ok(RawWindowHandle::AppKit(handle)) = window.window_handle().map(|handle| handle.as_raw()) else { return };
    // SAFETY: the view is alive as long as `window`. Windows exist on the main thread only.
    let view = unsafe { handle.ns_view.cast::<NSView>().as_ref() };
    let Some(window) = view.window() else { return };
    set_srgb(&window);
    let on_change = RcBlock::new(|notification: NonNull<NSNotification>| {
        // SAFETY: AppKit passes a notification that is alive during the call.
        let sender = unsafe { notification.as_ref() }.object();
        if let Some(window) = sender.and_then(|sender| sender.downcast::<NSWindow>().ok()) {
            set_srgb(&window);
        }
    });
    // SAFETY: AppKit exports the names, which are constant.
    let names = unsafe { [NSWindowDidChangeBackingPropertiesNotification, NSWindowDidChangeScreenNotification] };
    for name in names {
        // SAFETY: the sender is a window, as these notifications require. Without a queue the block runs on the thread of
        // the sender, the main one. The block has no state.
        let _ = unsafe {
            NSNotificationCenter::defaultCenter().addObserverForName_object_queue_usingBlock(
                Some(name),
                Some(&window),
                None,
                &on_change,
            )
        };
    }
}

/// Sets the color space, unless it is set: a change is a notification.
fn set_srgb(window: &NSWindow) {
    let srgb = NSColorSpace::sRGBColorSpace();
    if window.colorSpace().as_ref() != Some(&srgb) {
        window.setColorSpace(Some(&srgb));
    }
}
