//! Colors, fonts and spacing of the dark and the light theme.

use crate::app::viewer::state::Theme;
use egui::{
    Align2, Area, Color32, Context, CornerRadius, FontFamily, FontId, Frame, Id, LayerId, Margin, Order, Pos2, Shadow,
    Stroke, Style, TextStyle, ThemePreference, Ui, Visuals, vec2,
};

struct Colors {
    panel: Color32,
    field: Color32,
    hovered: Color32,
    pressed: Color32,
    line: Color32,
    text: Color32,
    strong: Color32,
    weak: Color32,
    accent: Color32,
    warn: Color32,
    error: Color32,
}

const fn gray(level: u8) -> Color32 {
    Color32::from_rgb(level, level, level)
}

const DARK: Colors = Colors {
    panel: Color32::from_rgb(37, 38, 41),
    field: Color32::from_rgb(28, 29, 31),
    hovered: Color32::from_rgb(60, 62, 66),
    pressed: Color32::from_rgb(72, 75, 80),
    line: Color32::from_rgb(56, 58, 62),
    text: Color32::from_rgb(212, 214, 217),
    strong: gray(250),
    weak: Color32::from_rgb(150, 154, 160),
    accent: Color32::from_rgb(66, 128, 214),
    warn: Color32::from_rgb(240, 180, 76),
    error: Color32::from_rgb(242, 112, 106),
};

const LIGHT: Colors = Colors {
    panel: Color32::from_rgb(242, 242, 243),
    field: gray(255),
    hovered: Color32::from_rgb(223, 225, 228),
    pressed: Color32::from_rgb(206, 209, 214),
    line: Color32::from_rgb(196, 198, 203),
    text: Color32::from_rgb(42, 44, 48),
    strong: gray(0),
    weak: Color32::from_rgb(101, 105, 112),
    accent: Color32::from_rgb(38, 104, 196),
    warn: Color32::from_rgb(158, 98, 0),
    error: Color32::from_rgb(190, 40, 36),
};

/// Defines both themes, and clicks of any duration.
///
/// egui knows the time of frames, not of events. With its limit of 0.8 s a click is lost when a frame in between takes
/// longer, as the first frames of a large model do with a software renderer.
pub(crate) fn apply(context: &Context) {
    context.options_mut(|options| options.input_options.max_click_duration = f64::INFINITY);
    for (theme, colors, visuals) in
        [(egui::Theme::Dark, DARK, Visuals::dark()), (egui::Theme::Light, LIGHT, Visuals::light())]
    {
        context.style_mut_of(theme, |style| {
            set_fonts_and_spacing(style);
            style.visuals = with_colors(visuals, &colors);
        });
    }
}

/// Switches to the theme of the settings.
pub(crate) fn follow(context: &Context, theme: Theme) {
    let preference = match theme {
        Theme::System => ThemePreference::System,
        Theme::Dark => ThemePreference::Dark,
        Theme::Light => ThemePreference::Light,
    };
    context.set_theme(preference);
}

fn set_fonts_and_spacing(style: &mut Style) {
    let sans = |size| FontId::new(size, FontFamily::Proportional);
    style.text_styles = [
        (TextStyle::Small, sans(12.0)),
        (TextStyle::Body, sans(13.0)),
        (TextStyle::Button, sans(13.0)),
        (TextStyle::Heading, sans(15.0)),
        (TextStyle::Monospace, FontId::new(12.0, FontFamily::Monospace)),
    ]
    .into();
    style.spacing.item_spacing = vec2(6.0, 4.0);
    style.spacing.button_padding = vec2(6.0, 2.0);
    style.spacing.interact_size = vec2(28.0, 20.0);
    style.spacing.indent = 14.0;
    style.spacing.icon_width = 14.0;
    style.spacing.menu_margin = Margin::symmetric(4, 4);
    style.spacing.scroll.floating = true;
    style.interaction.tooltip_delay = 0.5;
    style.interaction.selectable_labels = false;
    // Animations and a blinking cursor would redraw an idle window.
    style.animation_time = 0.0;
    style.explanation_tooltips = false;
}

fn with_colors(mut visuals: Visuals, colors: &Colors) -> Visuals {
    visuals.panel_fill = colors.panel;
    visuals.window_fill = colors.panel;
    visuals.extreme_bg_color = colors.field;
    visuals.faint_bg_color = colors.panel;
    visuals.code_bg_color = colors.field;
    visuals.weak_text_color = Some(colors.weak);
    visuals.warn_fg_color = colors.warn;
    visuals.error_fg_color = colors.error;
    visuals.hyperlink_color = colors.strong;
    visuals.window_stroke = Stroke::new(1.0, colors.line);
    visuals.window_corner_radius = CornerRadius::same(6);
    visuals.menu_corner_radius = CornerRadius::same(5);
    let shadow = Shadow { offset: [0, 4], blur: 16, spread: 0, color: Color32::from_black_alpha(70) };
    (visuals.popup_shadow, visuals.window_shadow) = (shadow, shadow);
    visuals.selection.bg_fill = colors.accent;
    visuals.selection.stroke = Stroke::new(1.0, gray(255));
    visuals.text_cursor.blink = false;
    // Rails have the color of fields, which a panel of the light theme nearly has, too.
    visuals.slider_trailing_fill = true;
    visuals.indent_has_left_vline = false;
    let widgets = &mut visuals.widgets;
    for (widget, fill, edge, text) in [
        (&mut widgets.noninteractive, colors.panel, colors.line, colors.text),
        // Radio buttons and check boxes are seen when they are off.
        (&mut widgets.inactive, colors.field, colors.weak.gamma_multiply(0.5), colors.text),
        (&mut widgets.hovered, colors.hovered, colors.line, colors.strong),
        (&mut widgets.active, colors.pressed, colors.line, colors.strong),
        (&mut widgets.open, colors.hovered, colors.line, colors.strong),
    ] {
        widget.bg_fill = fill;
        widget.weak_bg_fill = fill;
        widget.bg_stroke = Stroke::new(1.0, edge);
        widget.fg_stroke = Stroke::new(1.0, text);
        widget.corner_radius = CornerRadius::same(4);
        widget.expansion = 0.0;
    }
    // Marks the control with the keyboard focus, too.
    visuals.widgets.active.bg_stroke = Stroke::new(1.5, colors.accent);
    visuals
}

pub(crate) fn bar_frame(ui: &Ui) -> Frame {
    Frame::new().fill(ui.visuals().panel_fill).inner_margin(Margin::symmetric(8, 3))
}

/// A color of lines or text on a panel; darker in the light theme, for contrast.
pub(crate) fn on_panel(ui: &Ui, color: Color32) -> Color32 {
    if ui.visuals().dark_mode { color } else { color.lerp_to_gamma(Color32::BLACK, 0.35) }
}

/// Color of what the user changed: overridden joints, their marks over the model and in lists. Amber is for problems.
pub(crate) const OVERRIDE_COLOR: Color32 = Color32::from_rgb(186, 120, 255);

/// Names and colors of the axes: X red, Y green, Z blue, as the joint axes of the debug view.
pub(crate) const AXIS_NAMES: [&str; 3] = ["X", "Y", "Z"];
pub(crate) const AXIS_COLORS: [Color32; 3] =
    [Color32::from_rgb(235, 59, 71), Color32::from_rgb(107, 199, 38), Color32::from_rgb(51, 117, 250)];

/// Color of the playhead, of keys of the selected joint and of active handles.
pub(crate) fn accent(ui: &Ui) -> Color32 {
    ui.visuals().selection.bg_fill
}

/// Shows `content` in a translucent frame over the viewport.
pub(crate) fn card(ui: &Ui, id: &str, position: Pos2, pivot: Align2, content: impl FnOnce(&mut Ui)) {
    let [r, g, b, _] = ui.visuals().panel_fill.to_array();
    let frame = Frame::new()
        .fill(Color32::from_rgba_unmultiplied(r, g, b, 235))
        .stroke(ui.visuals().window_stroke)
        .corner_radius(6.0)
        .inner_margin(Margin::symmetric(12, 8));
    let LayerId { id, order } = card_layer(id);
    let size_before = ui.ctx().memory(|memory| memory.area_rect(id)).map(|rect| rect.size());
    let area = Area::new(id).order(order).fixed_pos(position).pivot(pivot);
    let response = area.show(ui.ctx(), |ui| frame.show(ui, content)).response;
    // The pivot applies to the size of the last layout: a card of another size would jump.
    if size_before != Some(response.rect.size()) {
        ui.ctx().request_discard("card size");
    }
}

/// The layer of a [`card`]. Dialogs that open later cover it.
pub(crate) fn card_layer(id: &str) -> LayerId {
    LayerId::new(Order::Middle, Id::unique(id))
}
