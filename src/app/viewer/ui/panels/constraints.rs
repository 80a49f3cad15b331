//! Section of the clips panel: the ground under the feet, and what the heads look at.

use crate::app::viewer::actions::{FileAction, PoseAction};
use crate::app::viewer::state::{Document, FilePurpose, LookAt};
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::widgets::{NUMBER_WIDTH, fit_sliders, heading, value_row};
use crate::request::{GroundRequest, LookAtRequest};
use egui::{ComboBox, Ui};

/// Adds the section, if the model has a skin.
pub(super) fn show(ui: &mut Ui, document: &Document, ctx: &UiContext<'_>) {
    if document.scene.model().skins.is_empty() {
        return;
    }
    heading(ui, "Ground and gaze");
    fit_sliders(ui);
    ui.spacing_mut().combo_width = (ui.spacing().slider_width + NUMBER_WIDTH).min(100.0);
    let [feet, heads] = &document.constraint_problems;
    row_unless(ui, feet, |ui| ground_row(ui, document.request().motion.feet_on.as_ref(), ctx));
    row_unless(ui, heads, |ui| look_at_row(ui, document, ctx));
}

/// A row that is disabled if there is a problem, which is its tooltip.
fn row_unless(ui: &mut Ui, problem: &Option<String>, row: impl FnOnce(&mut Ui)) {
    let row = ui.add_enabled_ui(problem.is_none(), row).response;
    if let Some(problem) = problem {
        row.on_disabled_hover_text(problem);
    }
}

/// The ground under the feet.
fn ground_row(ui: &mut Ui, feet_on: Option<&GroundRequest>, ctx: &UiContext<'_>) {
    let name = |ground: Option<&GroundRequest>| ground.map_or("Flat".to_owned(), GroundRequest::label);
    let mut ground = feet_on.cloned();
    value_row(ui, "Ground", "Puts the feet on another ground", &mut ground, None, |ui, ground| {
        ComboBox::from_id_salt("ground").selected_text(name(ground.as_ref())).show_ui(ui, |ui| {
            for choice in std::iter::once(None).chain(GroundRequest::CHOICES.map(Some)) {
                ui.selectable_value(ground, choice.clone(), name(choice.as_ref()));
            }
            ctx.push_if(ui.button("File...").clicked(), FileAction::Choose(FilePurpose::Ground));
        });
    });
    ctx.push_if(ground.as_ref() != feet_on, FileAction::SetGround(ground));
}

/// What the heads look at.
fn look_at_row(ui: &mut Ui, document: &Document, ctx: &UiContext<'_>) {
    let before = match document.request().motion.look_at {
        None => None,
        Some(_) if document.looks_at_pointer => Some(LookAt::Pointer),
        Some(LookAtRequest::Camera) => Some(LookAt::Camera),
        // A point of the command line is none of the choices.
        Some(LookAtRequest::Point(_)) => Some(LookAt::Point),
    };
    let mut look_at = before;
    value_row(ui, "Look at", "Turns heads and eyes", &mut look_at, None, |ui, look_at| {
        let choices = [(None, "Clip"), (Some(LookAt::Camera), "Camera"), (Some(LookAt::Pointer), "Pointer")];
        ui.horizontal_wrapped(|ui| {
            choices.into_iter().for_each(|(choice, name)| _ = ui.selectable_value(look_at, choice, name));
        });
    });
    ctx.push_if(look_at != before, PoseAction::SetLookAt(look_at));
}
