//! What a person did since the last picture, in turns.

use egui::{Event, RawInput};

/// Turns of one picture at most; what is left comes together.
const MOST: usize = 16;

/// Cuts what came in since the last picture into turns, each of which panels are laid out for.
///
/// What is under the pointer is found once for each layout, where the pointer was last: pressed on a slider's knob and drawn away
/// before the next picture, it would be somewhere else by then. So nothing that the pointer does comes after a button in one turn.
pub(crate) fn in_turns(mut input: RawInput) -> Vec<RawInput> {
    let (mut turns, mut turn): (Vec<Vec<Event>>, Vec<Event>) = Default::default();
    let mut after_button = false;
    for event in std::mem::take(&mut input.events) {
        let is_button = matches!(event, Event::PointerButton { .. });
        let by_pointer = is_button || matches!(event, Event::PointerMoved(_) | Event::PointerGone);
        if after_button && by_pointer && turns.len() < MOST - 1 {
            turns.push(std::mem::take(&mut turn));
            after_button = false;
        }
        after_button |= is_button;
        turn.push(event);
    }
    turns.push(turn);
    turns.into_iter().map(|events| RawInput { events, ..input.clone() }).collect()
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
    fn nothing_of_the_pointer_comes_after_a_button() {
        let events = vec![moved(1.0), moved(2.0), button(2.0, true), Event::Copy, moved(3.0), button(3.0, false)];
        let turns = in_turns(RawInput { events: events.clone(), ..RawInput::default() });
        let of_turns: Vec<&[Event]> = turns.iter().map(|turn| &turn.events[..]).collect();
        assert_eq!(of_turns, [&events[..4], &events[4..]]);
        assert_eq!(in_turns(RawInput::default()).len(), 1);
        let many = (0..100).flat_map(|_| [button(1.0, true), button(1.0, false)]).collect::<Vec<_>>();
        let turns = in_turns(RawInput { events: many.clone(), ..RawInput::default() });
        assert_eq!(turns.len(), MOST);
        assert_eq!(turns.into_iter().flat_map(|turn| turn.events).collect::<Vec<_>>(), many);
    }

    #[test]
    fn a_knob_drawn_away_before_the_next_picture_goes_along() {
        let context = egui::Context::default();
        let mut value = 0.0_f32;
        let mut knob = Rect::NOTHING;
        let mut lay_out = |events: Vec<Event>| {
            let screen_rect = Some(Rect::from_min_size(egui::Pos2::ZERO, vec2(400.0, 100.0)));
            for input in in_turns(RawInput { screen_rect, events, ..RawInput::default() }) {
                let output = context.run_ui(input, |ui| {
                    let area = Rect::from_min_size(pos2(10.0, 10.0), vec2(200.0, 20.0));
                    knob = ui.put(area, egui::Slider::new(&mut value, 0.0..=1.0).show_value(false)).rect;
                });
                output.drop_without_applying_deltas();
            }
            (value, knob)
        };
        lay_out(Vec::new());
        let (_, knob) = lay_out(Vec::new());
        let (start, beyond) = (knob.left() + 4.0, knob.right() + 60.0);
        let (value, _) =
            lay_out(vec![moved(start), button(start, true), moved(beyond), moved(beyond), button(beyond, false)]);
        assert!((value - 1.0).abs() < 1e-6, "{value}");
    }
}
