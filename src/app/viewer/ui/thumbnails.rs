//! Thumbnails of model files. Child processes draw them, so that a broken file or driver only costs its thumbnail.

use super::widgets::paint_focus;
use crate::app::tasks::contact_sheet::worst_pose_corner;
use egui::{
    Align, Color32, ColorImage, Context, Label, Layout, Pos2, Rect, RichText, Role, Sense, Shape, StrokeKind,
    TextureHandle, TextureOptions, Ui, UiBuilder, Vec2, WidgetInfo, pos2,
};
use rigview_core::util::regular_file::read_bytes;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Width and height of a tile in points.
pub(crate) const TILE: [f32; 2] = [88.0, 88.0];

/// Side of a thumbnail in points.
const THUMBNAIL: f32 = 64.0;

/// Side in texels: twice that of the strip.
const SIDE: u32 = 128;

/// Number of thumbnails at 64 KiB from which the known ones are drawn again.
const MAX_THUMBNAILS: usize = 512;
/// Maximum size of the sheet of the worst joints in bytes.
const MAX_SHEET_BYTES: u64 = 1 << 28;

/// What a child process draws of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Picture {
    Thumbnail,
    /// The sheet of the worst joints.
    WorstJoints,
}

/// `None` for a picture that waits, or that could not be drawn.
type Textures = Arc<Mutex<HashMap<(Picture, PathBuf), Option<TextureHandle>>>>;

/// The known thumbnails, and the queue of those to draw. The default draws none.
#[derive(Default)]
pub(crate) struct Thumbnails {
    textures: Textures,
    requests: Option<Sender<(Picture, PathBuf)>>,
}

impl Thumbnails {
    /// Calls `wake` for each thumbnail that is drawn. The thread ends after the thumbnail in progress when this is dropped.
    pub(crate) fn new(context: &Context, wake: impl Fn() + Send + 'static) -> Self {
        let (textures, context) = (Textures::default(), context.clone());
        let (requests, queue) = channel::<(Picture, PathBuf)>();
        let drawn = Arc::clone(&textures);
        std::thread::spawn(move || {
            let mut waiting = Vec::new();
            loop {
                // The latest first, in their order: they are still visible after a scroll.
                let latest: Vec<_> = queue.try_iter().collect();
                waiting.extend(latest.into_iter().rev());
                let Some((picture, file)) = waiting.pop().or_else(|| queue.recv().ok()) else { return };
                if let Some(image) = draw(picture, &file) {
                    let texture = context.load_texture(file.to_string_lossy(), image, TextureOptions::LINEAR);
                    drawn.lock().unwrap_or_else(PoisonError::into_inner).insert((picture, file), Some(texture));
                    wake();
                }
            }
        });
        Self { textures, requests: Some(requests) }
    }

    /// Draws the thumbnail of a changed file, or all, again when they are next shown.
    pub(crate) fn forget(&self, file: Option<&Path>) {
        let mut textures = self.textures.lock().unwrap_or_else(PoisonError::into_inner);
        textures.retain(|(_, other), _| file.is_some_and(|file| other != file));
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
        let square = Rect::from_center_size(center, Vec2::splat(THUMBNAIL));
        self.paint(ui, (Picture::Thumbnail, file), square, |size| Rect::from_min_size(Pos2::ZERO, size));
        let text_rect = rect.shrink(4.0).with_min_y(rect.min.y + 6.0 + THUMBNAIL);
        // A child, so that the tile's own space stays that of the caller.
        let centered = Layout::top_down(Align::Center);
        let mut text = ui.new_child(UiBuilder::new().max_rect(text_rect).layout(centered));
        text.visuals_mut().override_text_color = selected.then_some(ui.visuals().selection.stroke.color);
        text.add(Label::new(RichText::new(label).small()).truncate().selectable(false));
        response.on_hover_text(file.display().to_string()).clicked()
    }

    /// Paints the joint of a rank in its worst pose.
    pub(crate) fn paint_worst_joint(&self, ui: &Ui, file: &Path, rank: usize, square: Rect) {
        let [left, top] = worst_pose_corner(rank, [SIDE; 2]).map(|x| x as f32);
        let cell = Rect::from_min_size(pos2(left, top), Vec2::splat(SIDE as f32));
        self.paint(ui, (Picture::WorstJoints, file), square, |_| cell);
    }

    /// Paints a part of a picture, in texels of its size, or an empty square until it is drawn.
    fn paint(&self, ui: &Ui, (picture, file): (Picture, &Path), square: Rect, part: impl FnOnce(Vec2) -> Rect) {
        let mut textures = self.textures.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (picture, file.to_owned());
        match textures.get(&key) {
            Some(Some(texture)) => {
                let size = texture.size_vec2();
                let part = part(size);
                let scale = (square.size() / part.size()).min_elem();
                let rect = Rect::from_center_size(square.center(), part.size() * scale);
                let uv =
                    Rect::from_min_max((part.min.to_vec2() / size).to_pos2(), (part.max.to_vec2() / size).to_pos2());
                ui.painter().add(Shape::image(texture.id(), rect, uv, Color32::WHITE));
                return;
            }
            Some(None) => {}
            None => {
                if textures.len() >= MAX_THUMBNAILS {
                    textures.clear();
                }
                textures.insert(key.clone(), None);
                // Only fails if the thread panicked, which the panic hook reports.
                let _ = self.requests.as_ref().map(|requests| requests.send(key));
            }
        }
        ui.painter().rect(square, 3.0, ui.visuals().faint_bg_color, ui.visuals().window_stroke, StrokeKind::Inside);
    }
}

/// Runs `rigview thumbnail`, which limits its time and memory, or `rigview sheet`.
fn draw(picture: Picture, file: &Path) -> Option<ColorImage> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    let file = std::path::absolute(file).ok()?;
    let size = SIDE.to_string();
    let folder = tempfile::tempdir().ok()?;
    let sheet = folder.path().join("sheet.png");
    match picture {
        // A program that renders beside the window makes it slow.
        Picture::Thumbnail => command.arg("thumbnail").arg(file).args(["-", "--size", &size, "--timeout", "30"]),
        Picture::WorstJoints => {
            command.arg("sheet").arg(file).args(["--flex", "--size", &format!("{size}x{size}"), "-o"]).arg(&sheet)
        }
    };
    // CREATE_NO_WINDOW: no console flashes.
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, 0x0800_0000);
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let png = match picture {
        Picture::Thumbnail => output.stdout,
        Picture::WorstJoints => read_bytes(&sheet, MAX_SHEET_BYTES).ok()?,
    };
    let image = image::load_from_memory_with_format(&png, image::ImageFormat::Png).ok()?.into_rgba8();
    Some(ColorImage::from_rgba_unmultiplied([image.width() as usize, image.height() as usize], &image))
}
