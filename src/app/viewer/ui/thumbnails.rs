//! Thumbnails of model files. Child processes draw them, so that a broken file or driver only costs its thumbnail.

use super::widgets::paint_focus;
use egui::{
    Align, Color32, ColorImage, Context, Label, Layout, Rect, RichText, Role, Sense, Shape, StrokeKind, TextureHandle,
    TextureOptions, Ui, UiBuilder, Vec2, WidgetInfo, pos2,
};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Width and height of a tile in points.
pub(crate) const TILE: [f32; 2] = [88.0, 88.0];

/// Side of a thumbnail in points.
const THUMBNAIL: f32 = 64.0;

/// Size in texels: twice that of the strip.
const SIZE: &str = "128";

/// Number of thumbnails at 64 KiB from which the known ones are drawn again.
const MAX_THUMBNAILS: usize = 512;

/// `None` for a file that waits, or that has no thumbnail.
type Textures = Arc<Mutex<HashMap<PathBuf, Option<TextureHandle>>>>;

/// The known thumbnails, and the queue of those to draw. The default draws none.
#[derive(Default)]
pub(crate) struct Thumbnails {
    textures: Textures,
    requests: Option<Sender<PathBuf>>,
}

impl Thumbnails {
    /// Calls `wake` for each thumbnail that is drawn. The thread ends after the thumbnail in progress when this is dropped.
    pub(crate) fn new(context: &Context, wake: impl Fn() + Send + 'static) -> Self {
        let (textures, context) = (Textures::default(), context.clone());
        let (requests, queue) = channel::<PathBuf>();
        let drawn = Arc::clone(&textures);
        std::thread::spawn(move || {
            for file in queue {
                if let Some(image) = draw(&file) {
                    let texture = context.load_texture(file.to_string_lossy(), image, TextureOptions::LINEAR);
                    drawn.lock().unwrap_or_else(PoisonError::into_inner).insert(file, Some(texture));
                    wake();
                }
            }
        });
        Self { textures, requests: Some(requests) }
    }

    /// Draws the thumbnail of a changed file again when it is next shown.
    pub(crate) fn forget(&self, file: &Path) {
        self.textures.lock().unwrap_or_else(PoisonError::into_inner).remove(file);
    }

    /// Adds a [tile](TILE) with thumbnail and label. Returns `true` if it is clicked.
    pub(crate) fn tile(&self, ui: &mut Ui, rect: Rect, file: &Path, label: &str, selected: bool) -> bool {
        let response = ui.interact(rect, ui.scope_id().with(file), Sense::click());
        if selected || response.hovered() {
            let fill = match selected {
                true => ui.visuals().selection.bg_fill,
                false => ui.visuals().widgets.hovered.weak_bg_fill,
            };
            ui.painter().rect_filled(rect.shrink(2.0), 4.0, fill);
        }
        paint_focus(ui, &response);
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, selected, label));
        let center = pos2(rect.center().x, rect.min.y + 4.0 + THUMBNAIL / 2.0);
        self.paint(ui, file, Rect::from_center_size(center, Vec2::splat(THUMBNAIL)));
        let text_rect = rect.shrink(4.0).with_min_y(rect.min.y + 6.0 + THUMBNAIL);
        // A child, so that the tile's own space stays that of the caller.
        let centered = Layout::top_down(Align::Center);
        let mut text = ui.new_child(UiBuilder::new().max_rect(text_rect).layout(centered));
        text.add(Label::new(RichText::new(label).small()).truncate().selectable(false));
        response.on_hover_text(file.display().to_string()).clicked()
    }

    /// Paints the thumbnail of `file`, or an empty square until it is drawn.
    fn paint(&self, ui: &Ui, file: &Path, square: Rect) {
        let mut textures = self.textures.lock().unwrap_or_else(PoisonError::into_inner);
        match textures.get(file) {
            Some(Some(texture)) => {
                let scale = (square.size() / texture.size_vec2()).min_elem();
                let rect = Rect::from_center_size(square.center(), texture.size_vec2() * scale);
                let uv = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
                ui.painter().add(Shape::image(texture.id(), rect, uv, Color32::WHITE));
                return;
            }
            Some(None) => {}
            None => {
                if textures.len() >= MAX_THUMBNAILS {
                    textures.clear();
                }
                textures.insert(file.to_owned(), None);
                // Only fails if the thread panicked, which the panic hook reports.
                let _ = self.requests.as_ref().map(|requests| requests.send(file.to_owned()));
            }
        }
        ui.painter().rect(square, 3.0, ui.visuals().faint_bg_color, ui.visuals().window_stroke, StrokeKind::Inside);
    }
}

/// Runs `rigview thumbnail`, which limits its time and memory.
fn draw(file: &Path) -> Option<ColorImage> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.arg("thumbnail").arg(std::path::absolute(file).ok()?).args(["-", "--size", SIZE]);
    // CREATE_NO_WINDOW: no console flashes.
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, 0x0800_0000);
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let image = image::load_from_memory_with_format(&output.stdout, image::ImageFormat::Png).ok()?.into_rgba8();
    Some(ColorImage::from_rgba_unmultiplied([image.width() as usize, image.height() as usize], &image))
}
