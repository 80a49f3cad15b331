//! Splits a frame's input events into batches, with one egui layout for each.

use egui::{Event, RawInput};

/// Maximum number of batches per frame; the last one takes all remaining events.
const MAX_BATCHES: usize = 16;

/// Splits `input` so that no pointer event follows a button event in the same batch, and no release a move.
///
/// egui finds the widget under the pointer once per layout, at the last pointer position. A press on a slider that is
/// dragged away within the same frame would otherwise miss the slider. A drag ends before the position of its release
/// reaches the widget, so the last move needs a layout of its own.
pub(crate) fn split(mut input: RawInput) -> Vec<RawInput> {
    let (mut batches, mut batch): (Vec<Vec<Event>>, Vec<Event>) = Default::default();
    let (mut after_button, mut after_move) = (false, false);
    for event in std::mem::take(&mut input.events) {
        let is_button = matches!(event, Event::PointerButton { .. });
        let is_release = matches!(event, Event::PointerButton { pressed: false, .. });
        let is_move = matches!(event, Event::PointerMoved(_) | Event::PointerGone);
        let needs_layout = after_button && (is_button || is_move) || after_move && is_release;
        if needs_layout && batches.len() < MAX_BATCHES - 1 {
            batches.push(std::mem::take(&mut batch));
            (after_button, after_move) = (false, false);
        }
        after_button |= is_button;
        after_move |= is_move;
        batch.push(event);
    }
    batches.push(batch);
    batches.into_iter().map(|events| RawInput { events, ..input.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::{Modifiers, PointerButton, Rect, pos2, vec2};

    fn moved(x: f32) -> Event {
        Event::PointerMoved(pos2(x, 20.0))
    }

    fn button(x: f32, pressed: bool) -> Event {
        Event::PointerButton { pos: pos2(x, 20.0), button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE }
    }

    #[test]
    fn no_pointer_event_follows_a_button_within_a_batch_and_no_release_a_move() {
        let events = vec![moved(1.0), moved(2.0), button(2.0, true), Event::Copy, moved(3.0), button(3.0, false)];
        let batches = split(RawInput { events: events.clone(), ..RawInput::default() });
        let batched: Vec<&[Event]> = batches.iter().map(|batch| &batch.events[..]).collect();
        assert_eq!(batched, [&events[..4], &events[4..5], &events[5..]]);
        assert_eq!(split(RawInput::default()).len(), 1);
        let many = (0..100).flat_map(|_| [button(1.0, true), button(1.0, false)]).collect::<Vec<_>>();
        let batches = split(RawInput { events: many.clone(), ..RawInput::default() });
        assert_eq!(batches.len(), MAX_BATCHES);
        assert_eq!(batches.into_iter().flat_map(|batch| batch.events).collect::<Vec<_>>(), many);
    }

    #[test]
    fn slider_dragged_away_within_one_frame_follows_the_pointer() {
        let context = egui::Context::default();
        let mut value = 0.0_f32;
        let mut slider = Rect::NOTHING;
        let mut lay_out = |events: Vec<Event>| {
            let screen_rect = Some(Rect::from_min_size(egui::Pos2::ZERO, vec2(400.0, 100.0)));
            for input in split(RawInput { screen_rect, events, ..RawInput::default() }) {
                let output = context.run_ui(input, |ui| {
                    let area = Rect::from_min_size(pos2(10.0, 10.0), vec2(200.0, 20.0));
                    slider = ui.put(area, egui::Slider::new(&mut value, 0.0..=1.0).show_value(false)).rect;
                });
                output.drop_without_applying_deltas();
            }
            (value, slider)
        };
        lay_out(Vec::new());
        let (_, slider) = lay_out(Vec::new());
        let (start, beyond) = (slider.left() + 4.0, slider.right() + 60.0);
        let (value, _) =
            lay_out(vec![moved(start), button(start, true), moved(beyond), moved(beyond), button(beyond, false)]);
        assert!((value - 1.0).abs() < 1e-6, "{value}");
    }
}
