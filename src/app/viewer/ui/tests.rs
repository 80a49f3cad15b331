//! The panels without a window: input events go to egui, its accessibility tree has the places of controls, and actions change the state.

use super::context::{JobStatus, UiContext};
use super::layout::{self, GuiState};
use super::{input_batches, theme};
use crate::app::scene::LoadedScene;
use crate::app::viewer::actions::commands::of_key;
use crate::app::viewer::actions::dispatch::dispatch;
use crate::app::viewer::actions::{Key, Modifiers, PlaybackAction, PoseAction, SelectionAction, tests as actions};
use crate::app::viewer::jobs::export_args::render_request;
use crate::app::viewer::state::{AppState, Dialog, Document, Selection, Tab};
use crate::cli::shot_options;
use crate::request::SceneRequest;
use egui::{Context, Event, MouseWheelSource, MouseWheelUnit, PointerButton, Pos2, RawInput, Rect, TouchPhase, pos2};
use rigview_check::moving_parts::{PartAnalysis, part_lines};
use rigview_core::import::ImageLoading;

const SIZE: [f32; 2] = [1000.0, 700.0];

/// Panels with a shipped model, paused at the start of its first clip.
struct Panels {
    context: Context,
    gui: GuiState,
    state: AppState,
    /// Labels of the last layout with their places, in reading order.
    controls: Vec<(String, Rect)>,
}

impl Panels {
    fn open(model: &str) -> Self {
        Self::with(actions::state(model))
    }

    fn with(mut state: AppState) -> Self {
        let context = Context::default();
        theme::apply(&context);
        context.enable_accesskit();
        dispatch(&mut state, PlaybackAction::GoToStart, 1.0);
        let mut panels = Self { context, gui: GuiState::default(), state, controls: Vec::new() };
        panels.settle();
        panels
    }

    /// Lays out as for one frame of the window, and applies the actions.
    fn send(&mut self, events: Vec<Event>) {
        self.send_at(None, events);
    }

    /// As `send`, with the time of the frame; by default it is a sixtieth of a second later.
    fn send_at(&mut self, time_secs: Option<f64>, events: Vec<Event>) {
        let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, SIZE.into()));
        for input in input_batches::split(RawInput { screen_rect, events, time: time_secs, ..RawInput::default() }) {
            let ctx = UiContext::new(&self.state, JobStatus::default(), [640, 480]);
            let gui = &mut self.gui;
            let output = self.context.run_ui(input, |ui| _ = layout::run(ui, gui, &ctx));
            let nodes = output.platform_output.accesskit_update.iter().flat_map(|update| &update.nodes);
            let control = |node: &egui::accesskit::Node| {
                let (label, bounds) = (node.label().or(node.value())?, node.bounds()?);
                let [min, max] =
                    [[bounds.x0, bounds.y0], [bounds.x1, bounds.y1]].map(|[x, y]| pos2(x as f32, y as f32));
                Some((label.to_owned(), Rect { min, max }))
            };
            self.controls = nodes.filter_map(|(_, node)| control(node)).collect();
            output.drop_without_applying_deltas();
            for action in ctx.actions.into_inner() {
                dispatch(&mut self.state, action, 1.0);
            }
        }
    }

    /// Lays out until sizes and places do not change.
    fn settle(&mut self) {
        (0..3).for_each(|_| self.send(Vec::new()));
    }

    fn button(&mut self, pos: Pos2, button: PointerButton, pressed: bool) {
        self.send(vec![Event::PointerMoved(pos), pointer_button(pos, button, pressed)]);
    }

    fn click_at(&mut self, pos: Pos2) {
        self.send(vec![Event::PointerMoved(pos)]);
        self.button(pos, PointerButton::Primary, true);
        self.button(pos, PointerButton::Primary, false);
        self.settle();
    }

    /// The place of the first control with this label.
    fn place(&self, label: &str) -> Rect {
        let labels = || self.controls.iter().map(|(label, _)| label);
        let found = self.controls.iter().find(|(name, _)| name == label);
        found.unwrap_or_else(|| panic!("no {label}: {:?}", labels().collect::<Vec<_>>())).1
    }

    fn click(&mut self, label: &str) {
        self.click_at(self.place(label).center());
    }

    /// Applies the command of a key of the viewer.
    fn key(&mut self, key: Key, modifiers: Modifiers) {
        let action = of_key(key, modifiers).expect("a command");
        dispatch(&mut self.state, action, 1.0);
        self.settle();
    }

    /// Options of the copied command without those in `base`, the camera and the numbers of poses; and `playing`.
    fn options(&self, base: &[String]) -> String {
        let mut options = shot_options(&render_request(&self.state, [400, 300]).expect("a command"));
        let is_camera = |option: &str| option.starts_with("--eye=") || option.starts_with("--target=");
        options.retain(|option| !base.contains(option) && !is_camera(option));
        let poses = options.iter_mut().filter(|option| option.starts_with("--pose="));
        poses.for_each(|option| option.truncate(option.rfind('=').expect("a value")));
        options.extend(self.document().is_moving().then(|| "playing".to_owned()));
        options.join(" ")
    }

    /// Does a step of `steps.txt`.
    fn step(&mut self, step: &str) {
        let words: Vec<&str> = step.split(' ').collect();
        let position = |word: &str| {
            let (x, y) = word.split_once(',').expect("a position");
            pos2(x.parse().expect("a number"), y.parse().expect("a number"))
        };
        let joint = |panels: &Self| panels.document().scene.model().skeleton.find(words[1]).expect("a joint");
        match words[0] {
            "click" => self.click(&words[1..].join(" ")),
            "at" => self.click_at(position(words[1])),
            "drag" => {
                self.send(vec![Event::PointerMoved(position(words[1]))]);
                self.button(position(words[1]), PointerButton::Primary, true);
                self.send(vec![Event::PointerMoved(position(words[2]))]);
                self.button(position(words[2]), PointerButton::Primary, false);
                self.settle();
            }
            "select" => {
                let part = Selection::Joint(joint(self));
                dispatch(&mut self.state, SelectionAction::Select(Some(part)), 1.0);
            }
            "raise" => {
                let joint = joint(self);
                let mut pose = self.document().scene.model().skeleton.joints()[joint.get()].rest;
                pose.translation.y += 1.0;
                dispatch(&mut self.state, PoseAction::SetJointPoses(joint, vec![(joint, pose)]), 1.0);
            }
            "wait" => (0..30).for_each(|_| self.state.document.as_mut().expect("a document").advance(0.1)),
            chord => {
                let (modifiers, key) = chord.rsplit_once('+').unwrap_or(("", chord));
                let key = match key {
                    "Left" => Key::Left,
                    "Right" => Key::Right,
                    "Up" => Key::Up,
                    "Down" => Key::Down,
                    _ => Key::Character(key.chars().next().expect("a character")),
                };
                let has = |name| modifiers.contains(name);
                self.key(key, Modifiers { shift: has("shift"), control: has("ctrl"), ..PLAIN });
            }
        }
    }

    fn document(&self) -> &Document {
        self.state.document.as_ref().expect("a document")
    }

    /// Asserts the time in the clip, in seconds.
    fn assert_time(&self, range: std::ops::Range<f64>, what: &str) {
        let time_secs = self.document().clock_secs();
        assert!(range.contains(&time_secs), "{what}: {time_secs} s");
    }
}

const PLAIN: Modifiers = Modifiers { control: false, shift: false, alt: false, control_and_command: false };

pub(super) fn pointer_button(pos: Pos2, button: PointerButton, pressed: bool) -> Event {
    Event::PointerButton { pos, button, pressed, modifiers: egui::Modifiers::NONE }
}

/// A position on the timeline, as a part of the width of the window.
fn on_timeline(share: f32) -> Pos2 {
    pos2(SIZE[0] * share, SIZE[1] - 20.0)
}

#[test]
fn scrubbing_pauses_and_release_resumes() {
    let mut panels = Panels::open("windmill.glb");
    for is_playing in [false, true] {
        if is_playing {
            panels.key(Key::Space, PLAIN);
        }
        assert_eq!(panels.document().is_moving(), is_playing);
        panels.button(on_timeline(0.5), PointerButton::Primary, true);
        panels.assert_time(1.9..2.1, "the middle of the clip");
        panels.send(vec![Event::PointerMoved(on_timeline(0.25))]);
        panels.assert_time(0.9..1.1, "further back");
        assert!(!panels.document().is_moving(), "held");
        panels.button(on_timeline(0.25), PointerButton::Primary, false);
        assert_eq!(panels.document().is_moving(), is_playing, "after the release");
    }
}

#[test]
fn play_range_is_dragged_and_undone() {
    let mut panels = Panels::open("windmill.glb");
    let control = Modifiers { control: true, ..PLAIN };
    panels.key(Key::Character('p'), PLAIN);
    // All of it may come within one frame.
    let button = |pos, pressed| pointer_button(pos, PointerButton::Primary, pressed);
    let [start, end] = [0.6, 0.3].map(on_timeline);
    panels.send(vec![Event::PointerMoved(start), button(start, true), Event::PointerMoved(end), button(end, false)]);
    panels.key(Key::Home, control);
    // Both ends are frames near the positions of the pointer.
    panels.assert_time(1.1..1.3, "start of the range");
    panels.key(Key::End, PLAIN);
    panels.assert_time(2.3..2.5, "end of the range");
    panels.key(Key::Character('z'), control);
    panels.key(Key::End, PLAIN);
    panels.assert_time(4.0..4.001, "the whole clip");
    panels.key(Key::Character('z'), Modifiers { shift: true, ..control });
    panels.key(Key::End, PLAIN);
    panels.assert_time(2.3..2.5, "the range again");
    panels.key(Key::Character('p'), Modifiers { alt: true, ..PLAIN });
    panels.key(Key::End, PLAIN);
    panels.assert_time(4.0..4.001, "no range");
}

#[test]
fn wheel_zooms_the_timeline_and_not_the_camera() {
    let mut panels = Panels::open("windmill.glb");
    let (middle, end) = (on_timeline(0.5), pos2(SIZE[0] - 20.0, SIZE[1] - 20.0));
    let camera = panels.document().camera();
    let zoomed = |panels: &mut Panels| {
        panels.send(vec![Event::PointerMoved(middle)]);
        for _ in 0..4 {
            let (unit, delta, modifiers) = (MouseWheelUnit::Line, egui::vec2(0.0, 1.0), egui::Modifiers::NONE);
            let (phase, source) = (TouchPhase::Move, MouseWheelSource::Wheel);
            panels.send(vec![Event::MouseWheel { unit, delta, modifiers, phase, source }]);
            // egui scrolls smoothly.
            (0..30).for_each(|_| panels.send(Vec::new()));
        }
    };
    zoomed(&mut panels);
    panels.click_at(end);
    panels.assert_time(2.1..3.8, "nearer to the middle");
    let before = panels.document().clock_secs();
    // The content follows the middle button.
    panels.button(end, PointerButton::Middle, true);
    panels.send(vec![Event::PointerMoved(middle)]);
    panels.button(middle, PointerButton::Middle, false);
    panels.click_at(end);
    panels.assert_time(before + 0.2..4.001, "later");
    panels.key(Key::Home, Modifiers { shift: true, ..PLAIN });
    panels.click_at(middle);
    panels.assert_time(1.9..2.1, "the whole clip");
    assert_eq!(panels.document().camera(), camera);
}

#[test]
fn dope_sheet_selects_joints_and_goes_to_keys() {
    let mut panels = Panels::open("windmill.glb");
    let control = Modifiers { control: true, ..PLAIN };
    panels.key(Key::F(12), Modifiers { shift: true, ..PLAIN });
    let is_at = |panels: &Panels, secs: f64, what: &str| panels.assert_time(secs - 0.006..secs + 0.006, what);
    // The last key of the first joint, which has a key every 12 frames.
    panels.click_at(pos2(982.0, 548.0));
    is_at(&panels, 4.0, "the key");
    panels.key(Key::Left, control);
    is_at(&panels, 3.5, "the key before it of the same joint");
    // The name of the second joint, which has a key every other frame.
    panels.click_at(pos2(80.0, 568.0));
    panels.key(Key::Left, control);
    is_at(&panels, 82.0 / 24.0, "a key of the second joint");
    // Between two keys of the first joint.
    panels.click_at(pos2(933.0, 548.0));
    is_at(&panels, 82.0 / 24.0, "the same time");
    panels.key(Key::Left, control);
    is_at(&panels, 3.0, "a key of the first joint");
    let labels = |panels: &Panels| panels.controls.iter().map(|(label, _)| label.clone()).collect::<Vec<_>>();
    let keys = labels(&panels);
    let curves = Modifiers { shift: true, ..PLAIN };
    panels.key(Key::F(6), curves);
    assert_ne!(labels(&panels), keys, "its curves");
    panels.key(Key::F(6), curves);
    assert_eq!(labels(&panels), keys, "the keys again");
}

#[test]
fn command_palette_finds_clip_by_name() {
    let mut panels = Panels::open("windmill.glb");
    let press = |panels: &mut Panels, key: egui::Key| {
        let modifiers = egui::Modifiers::NONE;
        panels.send(vec![Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers }]);
        panels.settle();
    };
    panels.gui.toggle_dialog(Dialog::CommandPalette);
    // Both in the first frame of the palette, as when frames take long.
    panels.send(vec![Event::Text("gu".to_owned()), Event::Text("st".to_owned())]);
    press(&mut panels, egui::Key::Enter);
    assert_eq!(panels.document().clip().and_then(|clip| clip.name.as_deref()), Some("gust"));
    assert_eq!(panels.gui.dialog, None);
    panels.gui.toggle_dialog(Dialog::CommandPalette);
    panels.settle();
    panels.send(vec![Event::Text("reverse".to_owned())]);
    press(&mut panels, egui::Key::Escape);
    assert_eq!(panels.gui.dialog, None);
    assert!(!panels.document().playback.backwards, "closed without doing anything");
}

#[test]
fn row_of_the_outliner_selects_its_part() {
    let mut panels = Panels::open("windmill.glb");
    panels.click("tower");
    let document = panels.document();
    let selected = document.selection.expect("a selection");
    assert_eq!(document.part_name(selected), "tower");
}

#[test]
fn table_of_roles_fits_a_narrow_panel() {
    let mut request = SceneRequest::default();
    request.motion.clip_sources = vec!["docs/book/motion/walk.bvh".into()];
    let scene = LoadedScene::open("docs/book/motion/body.glb".as_ref(), &request, ImageLoading::Skip).unwrap();
    let mut state = AppState { document: Some(Document::new(scene, &request, 24.0, 1.0)), ..actions::empty_state() };
    (state.settings.panels.sidebar_width, state.settings.panels.tab) = (200.0, Tab::Retarget);
    let panels = Panels::with(state);
    let places = panels.controls.iter().filter(|(label, _)| label == "forearm.L").map(|(_, place)| *place);
    let joint = places.max_by(|a, b| a.min.x.total_cmp(&b.min.x)).expect("the joint of the model");
    assert!(joint.width() > 30.0 && joint.max.x <= SIZE[0] && panels.place("leftLowerArm").width() > 30.0, "{joint:?}");
}

#[test]
fn click_counts_when_a_frame_takes_long() {
    let mut panels = Panels::open("windmill.glb");
    let pos = panels.place("tower").center();
    let button = |pressed| pointer_button(pos, PointerButton::Primary, pressed);
    let start_secs = panels.context.input(|input| input.time);
    panels.send_at(Some(start_secs + 1.0), vec![Event::PointerMoved(pos), button(true)]);
    panels.send_at(Some(start_secs + 31.0), vec![button(false)]);
    let document = panels.document();
    assert_eq!(document.part_name(document.selection.expect("a selection")), "tower");
}

#[test]
fn motion_table_has_the_text_of_info_and_selects_joints() {
    let mut panels = Panels::open("windmill.glb");
    let rows = |panels: &Panels| -> Vec<String> {
        let mut rows: Vec<_> = panels.controls.iter().filter(|(label, _)| label.contains(" about ")).collect();
        rows.sort_by(|(_, a), (_, b)| a.min.y.total_cmp(&b.min.y));
        rows.into_iter().map(|(label, _)| label.clone()).collect()
    };
    let turn = rows(&panels);
    let analysis = PartAnalysis::new(panels.document().scene.model(), panels.document().scene.scene_index);
    let lines = |panels: &Panels| {
        let parts = analysis.of_clip(panels.document().scene.model(), panels.document().clip().expect("a clip"));
        part_lines(&parts, 6).0
    };
    let line = lines(&panels).swap_remove(0);
    assert!(line.contains("1 turn, 15.0 rpm") && line.contains("even within"), "{line}");
    assert_eq!(turn[0], line.replace('"', ""));
    panels.click(&turn[0]);
    let selected = panels.document().selection.expect("a selection");
    assert_eq!(panels.document().part_name(selected), "rotor");
    panels.click("gust");
    let gust = rows(&panels);
    assert_eq!(gust[0], lines(&panels)[0].replace('"', ""));
    assert!(gust[0].contains("3 turns") && gust != turn, "{gust:?}");
    panels.click(&gust[0]);
    assert!(panels.document().selection.is_none(), "a second click deselects");
}

#[test]
fn steps_are_options_of_the_copied_command() {
    let (mut panels, mut base, mut faults) = (None, Vec::new(), Vec::new());
    for line in include_str!("steps.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let Some((step, expected)) = line.split_once(':') else {
            let opened: &mut Panels = panels.insert(Panels::open(line));
            base = shot_options(&render_request(&opened.state, [400, 300]).unwrap());
            continue;
        };
        let panels = panels.as_mut().unwrap();
        panels.step(step);
        let found = panels.options(&base);
        if found != expected.trim() {
            faults.push(format!("{line}\nfound {found}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
