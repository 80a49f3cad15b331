//! Textures of the file: thumbnails with size and format, single channels, and the materials that use them.

use super::crowd::format_bytes;
use super::property_table::{part_row, table};
use crate::app::viewer::analysis::outline::named;
use crate::app::viewer::state::{Document, Selection};
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::widgets::{heading, wrapped_label};
use egui::{
    CollapsingHeader, Color32, ColorImage, Label, Rect, RichText, Sense, StrokeKind, TextureHandle, TextureOptions, Ui,
    pos2, vec2,
};
use image::{ImageBuffer, Rgba, imageops};
use rigview_check::curves::trimmed;
use rigview_core::model::{Image, MaterialIndex, MeshIndex, Model, TextureSlot, TextureTransform};
use rigview_render::render::{ImageChannels, texture_bytes};
use rigview_render::scene::{UV_LAYOUT_SIZE, UvLayout};
use std::collections::HashMap;

/// Side of a thumbnail in points.
const THUMBNAIL: f32 = 40.0;

/// Maximum side of a preview in texels.
const MAX_PREVIEW: u32 = 512;

/// What a preview shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Channel {
    /// Red, green and blue without alpha.
    #[default]
    Color,
    /// One component as gray.
    Component(usize),
}

/// Uploaded previews, and the open texture.
#[derive(Default)]
pub(crate) struct TexturesState {
    open: Option<usize>,
    channel: Channel,
    previews: HashMap<(usize, Channel), TextureHandle>,
    /// Images of texture coordinates with their facts, by mesh and primitive; `None` without triangles or coordinates.
    uv_layouts: HashMap<(MeshIndex, usize), Option<(TextureHandle, String)>>,
}

impl TexturesState {
    /// Frees the uploaded images.
    pub(crate) fn free(&mut self) {
        self.previews.clear();
        self.uv_layouts.clear();
    }
}

/// Adds a row per image that `material` uses, or any without one, and the preview of the open one.
pub(crate) fn show(
    ui: &mut Ui,
    state: &mut TexturesState,
    document: &Document,
    material: Option<MaterialIndex>,
    ctx: &UiContext<'_>,
) {
    let model = document.scene.model();
    let is_used = |index: usize, material| document.image_uses[index].iter().any(|(other, _)| *other == material);
    let is_listed = |index: usize| material.is_none_or(|material| is_used(index, material));
    let images: Vec<_> = model.images.iter().enumerate().filter(|(index, _)| is_listed(*index)).collect();
    if images.is_empty() {
        return;
    }
    heading(ui, "Textures");
    for (index, image) in images {
        if image_row(ui, state, document, index, image) {
            state.open = Some(index).filter(|_| state.open != Some(index));
            state.channel = Channel::Color;
        }
        if state.open == Some(index) {
            inspector(ui, state, document, index, ctx);
        }
    }
}

/// Adds the texture coordinates of a primitive over its base color texture.
pub(super) fn uv_layout(ui: &mut Ui, state: &mut TexturesState, model: &Model, mesh: MeshIndex, number: usize) {
    let primitive = &model.meshes[mesh.get()].primitives[number];
    let material = primitive.material.map(|material| &model.materials[material.get()]);
    let texture = material.and_then(|material| material.textures[TextureSlot::BaseColor]);
    let (set, transform) = texture.map_or((0, TextureTransform::default()), |it| (it.tex_coord as usize, it.transform));
    if primitive.vertices.tex_coords.get(set).is_none_or(Vec::is_empty) {
        return;
    }
    CollapsingHeader::new("UV layout").id_salt(("UV layout", mesh.get(), number)).show(ui, |ui| {
        let load = || {
            let layout = UvLayout::new(primitive, set, &transform)?;
            let image = ColorImage::from_rgba_unmultiplied([UV_LAYOUT_SIZE; 2], &layout.rgba);
            let texture = ui.ctx().load_texture("UV layout", image, TextureOptions::LINEAR);
            let [covered, overlapping] = [layout.covered, layout.overlapping].map(|part| trimmed(100.0 * part, 1));
            let note = if layout.is_incomplete { "; too large to be complete" } else { "" };
            Some((texture, format!("Covers {covered} % of the texture, {overlapping} % of that overlaps (red){note}")))
        };
        let layout = state.uv_layouts.entry((mesh, number)).or_insert_with(load).clone();
        let Some((layout, facts)) = layout else {
            ui.weak("No triangles");
            return;
        };
        let side = ui.available_width().min(320.0);
        let (rect, _) = ui.allocate_exact_size(vec2(side, side), Sense::hover());
        ui.painter().rect_filled(rect, 0.0, Color32::from_gray(40));
        if let Some(image) = texture.and_then(|texture| model.textures[texture.texture.get()].image) {
            paint_preview(ui, state, &model.images[image.get()], image.get(), Channel::Color, rect);
            ui.painter().rect_filled(rect, 0.0, Color32::from_black_alpha(110));
        }
        ui.painter().image(layout.id(), rect, Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0)), Color32::WHITE);
        wrapped_label(ui, RichText::new(facts).weak());
    });
}

/// Returns `true` if the row is clicked.
fn image_row(ui: &mut Ui, state: &mut TexturesState, document: &Document, index: usize, image: &Image) -> bool {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), THUMBNAIL + 4.0), Sense::click());
    if !ui.is_rect_visible(rect) {
        return response.clicked();
    }
    if response.hovered() || state.open == Some(index) {
        ui.painter().rect_filled(rect, 4.0, ui.visuals().widgets.hovered.weak_bg_fill);
    }
    let square = Rect::from_min_size(rect.min + vec2(2.0, 2.0), vec2(THUMBNAIL, THUMBNAIL));
    paint_preview(ui, state, image, index, Channel::Color, square);
    let text_rect = Rect::from_min_max(pos2(square.max.x + 8.0, rect.min.y + 3.0), rect.max);
    let mut content = ui.new_child(egui::UiBuilder::new().max_rect(text_rect));
    content.spacing_mut().item_spacing.y = 1.0;
    let name = match (&image.name, document.image_uses[index].first()) {
        (None, Some((material, slot))) => {
            format!("{}, {}", material_name(document.scene.model(), *material), slot.name())
        }
        (name, _) => named(name.as_deref(), "image", index),
    };
    content.add(Label::new(name).truncate());
    let (format, _) = document.image_formats.get(index).copied().flatten().unwrap_or_default();
    let format = format.rsplit('/').next().unwrap_or_default().to_uppercase().replace("VND-MS.DDS", "DDS");
    let text = match image.width {
        0 => "missing".to_owned(),
        width => format!("{width} \u{d7} {}  {format}", image.height),
    };
    content.add(Label::new(RichText::new(text).small().weak()).truncate());
    response.on_hover_text("Click for channels and materials").clicked()
}

pub(super) fn material_name(model: &Model, material: MaterialIndex) -> String {
    named(model.materials[material.get()].name.as_deref(), "material", material.get())
}

/// Channels, a large preview, numbers, and links to the materials.
fn inspector(ui: &mut Ui, state: &mut TexturesState, document: &Document, index: usize, ctx: &UiContext<'_>) {
    let model = document.scene.model();
    let image = &model.images[index];
    let uses = &document.image_uses[index];
    ui.indent(("texture", index), |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            for (channel, name) in channels(uses) {
                if ui.selectable_label(state.channel == channel, name).clicked() {
                    state.channel = channel;
                }
            }
        });
        let width = ui.available_width().min(320.0);
        let height = width * (image.height.max(1) as f32 / image.width.max(1) as f32).clamp(0.1, 2.0);
        let (rect, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
        paint_preview(ui, state, image, index, state.channel, rect);
        let (_, file_bytes) = document.image_formats.get(index).copied().flatten().unwrap_or_default();
        let gpu_bytes = texture_bytes(image, ImageChannels::new(model).of_image(index));
        table(ui, "texture", &[("In the file", format_bytes(file_bytes)), ("GPU memory", format_bytes(gpu_bytes))]);
        if uses.is_empty() {
            wrapped_label(ui, RichText::new("No material uses this texture.").weak());
        }
        for (material, slot) in uses {
            let name = material_name(model, *material);
            part_row(ui, &name, slot.name(), Selection::Material(*material), ctx);
        }
    });
}

/// Channels with the names of their contents, then the components.
fn channels(uses: &[(MaterialIndex, TextureSlot)]) -> Vec<(Channel, &'static str)> {
    use Channel::{Color, Component};
    let mut channels: Vec<(Channel, &str)> = Vec::new();
    for (_, slot) in uses {
        let named: &[_] = match slot {
            TextureSlot::BaseColor => &[(Color, "Base color"), (Component(3), "Opacity")],
            TextureSlot::MetallicRoughness => &[(Component(1), "Roughness"), (Component(2), "Metalness")],
            TextureSlot::Occlusion => &[(Component(0), "Occlusion")],
            TextureSlot::Normal => &[(Color, "Normal")],
            TextureSlot::Emissive => &[(Color, "Emission")],
            _ => &[],
        };
        for entry in named {
            if !channels.contains(entry) {
                channels.push(*entry);
            }
        }
    }
    if !channels.iter().any(|(channel, _)| *channel == Color) {
        channels.insert(0, (Color, "Color"));
    }
    channels.extend([(Component(0), "R"), (Component(1), "G"), (Component(2), "B"), (Component(3), "A")]);
    channels
}

fn paint_preview(ui: &Ui, state: &mut TexturesState, image: &Image, index: usize, channel: Channel, rect: Rect) {
    if image.rgba.is_empty() {
        ui.painter().rect(rect, 3.0, ui.visuals().extreme_bg_color, ui.visuals().window_stroke, StrokeKind::Inside);
        return;
    }
    let preview = state.previews.entry((index, channel)).or_insert_with(|| {
        let name = format!("texture {index} {channel:?}");
        ui.ctx().load_texture(name, preview(image, channel), TextureOptions::LINEAR)
    });
    let uv = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
    ui.painter().image(preview.id(), rect, uv, Color32::WHITE);
    ui.painter().rect_stroke(rect, 0.0, ui.visuals().window_stroke, StrokeKind::Inside);
}

/// Downsamples an image.
fn preview(image: &Image, channel: Channel) -> ColorImage {
    let (width, height) = (image.width.max(1), image.height.max(1));
    let scale = f64::from(width.max(height).min(MAX_PREVIEW)) / f64::from(width.max(height));
    let [width, height] = [width, height].map(|side| ((f64::from(side) * scale).round() as u32).max(1));
    let Some(texels) = ImageBuffer::<Rgba<u8>, _>::from_raw(image.width, image.height, &image.rgba[..]) else {
        return ColorImage::default();
    };
    let texels = imageops::thumbnail(&texels, width, height);
    let pixel = |Rgba([r, g, b, a]): &Rgba<u8>| match channel {
        Channel::Color => Color32::from_rgb(*r, *g, *b),
        Channel::Component(component) => Color32::from_gray([*r, *g, *b, *a][component]),
    };
    ColorImage::new([width as usize, height as usize], texels.pixels().map(pixel).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn previews_are_downsampled_and_show_channels() {
        let texel = |i: usize| if (i / 1024).is_multiple_of(2) { [200, 10, 0, 255] } else { [100, 30, 0, 55] };
        let image =
            Image { width: 1024, height: 256, rgba: (0..1024 * 256).flat_map(texel).collect(), ..Image::default() };
        let color = preview(&image, Channel::Color);
        assert_eq!((color.size, color.pixels[7]), ([512, 128], Color32::from_rgb(150, 20, 0)));
        assert_eq!(preview(&image, Channel::Component(3)).pixels[0], Color32::from_gray(155));
    }

    #[test]
    fn channels_are_named_by_their_use() {
        let names = |slots: &[TextureSlot]| -> Vec<&str> {
            let uses: Vec<_> = slots.iter().map(|slot| (MaterialIndex(0), *slot)).collect();
            channels(&uses).into_iter().map(|(_, name)| name).collect()
        };
        assert_eq!(names(&[]), ["Color", "R", "G", "B", "A"]);
        assert_eq!(
            names(&[TextureSlot::MetallicRoughness, TextureSlot::Occlusion]),
            ["Color", "Roughness", "Metalness", "Occlusion", "R", "G", "B", "A"]
        );
        assert_eq!(names(&[TextureSlot::BaseColor])[..2], ["Base color", "Opacity"]);
    }
}
