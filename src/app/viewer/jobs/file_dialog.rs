//! Native file dialog on a background thread.

use super::event::{EventSink, UserEvent};
use crate::app::viewer::state::file_list::FilePurpose;
use crate::request::{CONVERTIBLE_EXTENSIONS, PANORAMA_FILE_EXTENSIONS};
use rigview_core::import::{MODEL_FILE_EXTENSIONS, file_on_disk};
use std::path::Path;
use std::pin::Pin;
use std::time::Duration;
use winit::window::Window;

/// If the dialog returns nothing within this time, no dialog backend is installed and the user types a path instead.
const DIALOG_UNAVAILABLE_THRESHOLD: Duration = Duration::from_millis(400);

type Choice = Pin<Box<dyn Future<Output = Option<rfd::FileHandle>> + Send>>;

/// Returns `true` if a dialog without a choice never opened, since no program for it is installed.
pub(crate) fn is_unavailable(shown_for: Duration) -> bool {
    cfg!(all(unix, not(target_vendor = "apple"))) && shown_for < DIALOG_UNAVAILABLE_THRESHOLD
}

/// Shows the dialog over `window`, in the folder of `open_file`; the choice arrives as [`UserEvent::FileChosen`].
pub(crate) fn show(purpose: FilePurpose, window: &Window, open_file: Option<&Path>, sink: EventSink) {
    let models = [&MODEL_FILE_EXTENSIONS[..], &CONVERTIBLE_EXTENSIONS].concat();
    let (name, extensions): (_, &[&str]) = match purpose {
        FilePurpose::Environment => ("Panoramas", &PANORAMA_FILE_EXTENSIONS),
        FilePurpose::FlexLimits | FilePurpose::Profile => ("TOML files", &["toml"]),
        _ => ("Models", &models),
    };
    let mut dialog = rfd::AsyncFileDialog::new()
        .set_parent(window)
        .set_title(match purpose {
            FilePurpose::Open => "Open a model",
            FilePurpose::Compare => "Compare with another model",
            FilePurpose::ImportClips => "Import clips from another model",
            FilePurpose::Environment => "Light with a panorama",
            FilePurpose::Ground => "Ground for the feet",
            FilePurpose::FlexLimits => "Limits of the range of motion test",
            FilePurpose::Profile => "Rules of a project",
            FilePurpose::ExportFolder => "Folder for exports",
        })
        .add_filter(name, extensions)
        .add_filter("All files", &["*"]);
    if let Some(file) = open_file.and_then(|file| std::path::absolute(file).ok()) {
        dialog = dialog.set_directory(file_on_disk(&file).parent().unwrap_or(Path::new("/")));
    }
    // The dialog opens when the future is made, on the main thread.
    let choice: Choice = match purpose {
        FilePurpose::ExportFolder => Box::pin(dialog.pick_folder()),
        _ => Box::pin(dialog.pick_file()),
    };
    std::thread::spawn(move || {
        let file = pollster::block_on(choice).map(|file| file.path().to_owned());
        sink(UserEvent::FileChosen(purpose, file));
    });
}
