//! Finder's open event: Open With, a double click, a drop on the Dock. Its files are no arguments of the program.
//!
//! `application:openURLs:` of an application delegate would be shorter. But winit 0.30.13 registers a delegate, against its
//! documentation, and panics if it is replaced.

use objc2::rc::Retained;
use objc2::{DefinedClass, MainThreadMarker, MainThreadOnly, define_class, msg_send, sel};
use objc2_app_kit::NSApplicationWillFinishLaunchingNotification;
use objc2_foundation::{NSAppleEventDescriptor, NSAppleEventManager, NSNotification, NSNotificationCenter, NSObject};
use std::path::PathBuf;

/// `kCoreEventClass`
const CORE_EVENT_CLASS: u32 = u32::from_be_bytes(*b"aevt");

/// `kAEOpenDocuments`
const OPEN_DOCUMENTS: u32 = u32::from_be_bytes(*b"odoc");

/// `keyDirectObject`: the list of files.
const DIRECT_OBJECT: u32 = u32::from_be_bytes(*b"----");

define_class!(
    // SAFETY: NSObject has no requirements for subclasses, and the class does not implement `Drop`.
    #[unsafe(super(NSObject))]
    #[thread_kind = MainThreadOnly]
    #[ivars = Box<dyn Fn(Vec<PathBuf>)>]
    struct OpenEventHandler;

    impl OpenEventHandler {
        /// Replaces AppKit's handler. AppKit sets it before this notification, and the first event follows after it.
        #[unsafe(method(willFinishLaunching:))]
        fn will_finish_launching(&self, _: &NSNotification) {
            let manager = NSAppleEventManager::sharedAppleEventManager();
            // SAFETY: these are the types of the method. The selector is the method below, with the arguments of a handler.
            let () = unsafe {
                msg_send![
                    &manager,
                    setEventHandler: self,
                    andSelector: sel!(openFiles:reply:),
                    forEventClass: CORE_EVENT_CLASS,
                    andEventID: OPEN_DOCUMENTS,
                ]
            };
        }

        #[unsafe(method(openFiles:reply:))]
        fn open_files(&self, event: &NSAppleEventDescriptor, _: &NSAppleEventDescriptor) {
            // SAFETY: these are the types of the method.
            let list: Option<Retained<NSAppleEventDescriptor>> =
                unsafe { msg_send![event, paramDescriptorForKeyword: DIRECT_OBJECT] };
            let files = list.map_or(Vec::new(), |list| paths(&list));
            if !files.is_empty() {
                (self.ivars())(files);
            }
        }
    }
);

/// Calls `open` on the main thread with the files of each open event. The first event precedes winit's `resumed`.
///
/// Call it once, on the main thread, before the event loop runs.
pub fn on_open_files(open: impl Fn(Vec<PathBuf>) + 'static) {
    let Some(main_thread) = MainThreadMarker::new() else { return };
    let handler = OpenEventHandler::alloc(main_thread).set_ivars(Box::new(open));
    // SAFETY: `init` of NSObject has this signature.
    let handler: Retained<OpenEventHandler> = unsafe { msg_send![super(handler), init] };
    // SAFETY: the selector is a method of the handler that takes a notification. AppKit exports the name.
    unsafe {
        NSNotificationCenter::defaultCenter().addObserver_selector_name_object(
            &handler,
            sel!(willFinishLaunching:),
            Some(NSApplicationWillFinishLaunchingNotification),
            None,
        );
    }
    // Neither notifications nor events retain their handler, which is needed until the process ends.
    let _ = Retained::into_raw(handler);
}

/// Returns the paths of a list of files, or of a single file.
fn paths(list: &NSAppleEventDescriptor) -> Vec<PathBuf> {
    let path = |item: &NSAppleEventDescriptor| item.fileURLValue()?.to_file_path();
    match list.numberOfItems() {
        0 => path(list).into_iter().collect(),
        // Indices start at 1.
        count => (1..=count).filter_map(|i| path(&*list.descriptorAtIndex(i)?)).collect(),
    }
}
