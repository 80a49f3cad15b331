//! Icons, drawn as shapes so that they are sharp at every scale.

use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, pos2, vec2};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Icon {
    Play,
    PlayReversed,
    Pause,
    FirstFrame,
    LastFrame,
    NextFrame,
    PreviousFrame,
    NextKey,
    PreviousKey,
    Close,
    Check,
    /// Rows of keys.
    DopeSheet,
    /// A circular arrow.
    Reset,
    Wireframe,
    Grid,
    /// A ball on its shadow.
    Ground,
    Eye,
    EyeClosed,
    // Kinds of items.
    Bone,
    Node,
    Mesh,
    Skin,
    Material,
    Light,
    Camera,
    Scene,
    // Tabs.
    /// A film.
    Clip,
    /// From a bone to another.
    Retarget,
    /// Sliders.
    Properties,
    Face,
    Warning,
    /// A bent arm.
    Bend,
    /// Two halves.
    Compare,
    /// Three people.
    Crowd,
}

/// Draws an icon of 10 by 10 points.
pub(crate) fn draw(painter: &Painter, center: Pos2, icon: Icon, color: Color32) {
    let at = |x: f32, y: f32| pos2(center.x + x, center.y + y);
    let polygon = |points: Vec<Pos2>| {
        painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
    };
    let line = |ends: [Pos2; 2], width: f32| {
        painter.line_segment(ends, Stroke::new(width, color));
    };
    let outline = |corners: Vec<Pos2>, width: f32| {
        painter.add(Shape::closed_line(corners, Stroke::new(width, color)));
    };
    let bar = |x: f32| {
        painter.rect_filled(Rect::from_center_size(at(x, 0.0), vec2(2.0, 10.0)), 0.0, color);
    };
    let triangle = |x: f32, direction: f32, size: f32| {
        polygon(vec![
            at(x - direction * size, -size),
            at(x + direction * size * 0.8, 0.0),
            at(x - direction * size, size),
        ]);
    };
    let arrow = |x: f32, direction: f32| {
        line([at(x - direction * 2.0, -4.0), at(x + direction * 2.0, 0.0)], 1.6);
        line([at(x + direction * 2.0, 0.0), at(x - direction * 2.0, 4.0)], 1.6);
    };
    let diamond = |x: f32| polygon(vec![at(x - 3.0, 0.0), at(x, -3.5), at(x + 3.0, 0.0), at(x, 3.5)]);
    match icon {
        Icon::Play => triangle(0.0, 1.0, 5.5),
        Icon::PlayReversed => triangle(0.0, -1.0, 5.5),
        Icon::Pause => {
            for x in [-2.75, 2.75] {
                painter.rect_filled(Rect::from_center_size(at(x, 0.0), vec2(3.0, 10.0)), 0.5, color);
            }
        }
        Icon::FirstFrame => {
            bar(-4.5);
            triangle(1.0, -1.0, 4.5);
        }
        Icon::LastFrame => {
            bar(4.5);
            triangle(-1.0, 1.0, 4.5);
        }
        Icon::NextFrame => arrow(0.0, 1.0),
        Icon::PreviousFrame => arrow(0.0, -1.0),
        Icon::NextKey => {
            arrow(-3.0, 1.0);
            diamond(3.5);
        }
        Icon::PreviousKey => {
            arrow(3.0, -1.0);
            diamond(-3.5);
        }
        Icon::DopeSheet => {
            for (x, y) in [(-3.5, -2.8), (1.5, -2.8), (-1.5, 2.8), (3.5, 2.8)] {
                polygon(vec![at(x - 2.2, y), at(x, y - 2.6), at(x + 2.2, y), at(x, y + 2.6)]);
            }
        }
        Icon::Bone => {
            let corners = [(-4.5, 4.5), (-3.5, 0.0), (4.5, -4.5), (0.0, 3.5)];
            polygon(corners.map(|(x, y)| at(x, y)).to_vec());
        }
        Icon::Node => {
            line([at(-4.0, 0.0), at(4.0, 0.0)], 1.2);
            line([at(0.0, -4.0), at(0.0, 4.0)], 1.2);
        }
        Icon::Mesh => outline(vec![at(0.0, -4.0), at(4.5, 3.5), at(-4.5, 3.5)], 1.3),
        Icon::Skin => {
            outline(vec![at(0.0, -4.0), at(4.5, 3.5), at(-4.5, 3.5)], 1.3);
            painter.circle_filled(at(0.0, 0.8), 1.6, color);
        }
        Icon::Material => {
            painter.circle_stroke(at(0.0, 0.0), 4.2, Stroke::new(1.3, color));
            painter.circle_filled(at(-1.3, -1.3), 1.3, color);
        }
        Icon::Light => {
            painter.circle_filled(at(0.0, 0.0), 2.2, color);
            for i in 0..8 {
                let (sin, cos) = (i as f32 * std::f32::consts::FRAC_PI_4).sin_cos();
                line([at(3.4 * cos, 3.4 * sin), at(5.2 * cos, 5.2 * sin)], 1.1);
            }
        }
        Icon::Camera => {
            painter.rect_filled(Rect::from_min_max(at(-5.0, -3.0), at(1.5, 3.5)), 1.0, color);
            polygon(vec![at(2.2, 0.2), at(5.0, -2.5), at(5.0, 3.0)]);
        }
        Icon::Scene => outline(vec![at(0.0, -3.5), at(5.0, 0.0), at(0.0, 3.5), at(-5.0, 0.0)], 1.3),
        Icon::Wireframe => {
            let [top, right, bottom, left] = [at(0.0, -5.0), at(5.0, 0.0), at(0.0, 5.0), at(-5.0, 0.0)];
            outline(vec![top, right, bottom, left], 1.1);
            line([left, right], 1.1);
            line([top, bottom], 1.1);
        }
        Icon::Grid => {
            for x in [-1.0_f32, -0.33, 0.33, 1.0] {
                line([at(2.6 * x, -3.5), at(5.5 * x, 4.0)], 1.1);
            }
            for (y, half) in [(-3.5, 2.6), (-0.8, 3.65), (4.0, 5.5)] {
                line([at(-half, y), at(half, y)], 1.1);
            }
        }
        Icon::Ground => {
            painter.add(Shape::ellipse_filled(at(0.5, 3.6), vec2(5.2, 1.5), color.gamma_multiply(0.55)));
            painter.circle_filled(at(0.0, -1.0), 3.6, color);
        }
        Icon::Eye | Icon::EyeClosed => {
            let stroke = Stroke::new(1.2, color);
            let lid = |up: f32| {
                let point = |i: i32| {
                    let x = i as f32 / 4.0;
                    at(5.0 * x, up * 3.2 * (1.0 - x * x))
                };
                painter.add(Shape::line((-4..=4).map(point).collect(), stroke));
            };
            lid(1.0);
            if icon == Icon::Eye {
                lid(-1.0);
                painter.circle_filled(at(0.0, 0.0), 1.7, color);
            } else {
                for (x, y) in [(-3.5, 1.7), (0.0, 3.2), (3.5, 1.7)] {
                    painter.line_segment([at(x, y), at(1.25 * x, y + 2.2)], stroke);
                }
            }
        }
        Icon::Check => {
            let stroke = Stroke::new(1.6, color);
            painter.add(Shape::line(vec![at(-4.0, 0.5), at(-1.2, 3.5), at(4.0, -3.5)], stroke));
        }
        Icon::Reset => {
            let stroke = Stroke::new(1.4, color);
            let point = |degrees: f32| {
                let angle = degrees.to_radians();
                at(4.0 * angle.cos(), 4.0 * angle.sin())
            };
            painter.add(Shape::line((0..=14).map(|i| point(-60.0 + 20.0 * i as f32)).collect(), stroke));
            polygon(vec![at(-1.0, -6.6), at(3.6, -3.6), at(-1.0, -0.8)]);
        }
        Icon::Clip => {
            painter.rect_stroke(
                Rect::from_center_size(at(0.0, 0.0), vec2(13.0, 11.0)),
                1.5,
                Stroke::new(1.3, color),
                StrokeKind::Middle,
            );
            triangle(0.3, 1.0, 3.0);
        }
        Icon::Retarget => {
            let bone = |x: f32| {
                painter.line_segment([at(x, -4.5), at(x, 4.5)], Stroke::new(1.6, color));
                painter.circle_filled(at(x, -4.5), 1.8, color);
                painter.circle_filled(at(x, 4.5), 1.8, color);
            };
            bone(-5.0);
            bone(5.5);
            arrow(0.0, 1.0);
        }
        Icon::Properties => {
            for (y, knob) in [(-4.0, 2.5), (0.0, -2.5), (4.0, 1.0)] {
                painter.line_segment([at(-6.0, y), at(6.0, y)], Stroke::new(1.2, color));
                painter.circle_filled(at(knob, y), 1.9, color);
            }
        }
        Icon::Face => {
            painter.circle_stroke(at(0.0, 0.0), 5.8, Stroke::new(1.3, color));
            painter.circle_filled(at(-2.1, -1.5), 1.0, color);
            painter.circle_filled(at(2.1, -1.5), 1.0, color);
            let smile = [-2.8_f32, -1.4, 0.0, 1.4, 2.8].map(|x| at(x, 3.2 - 0.18 * x * x));
            painter.add(Shape::line(smile.to_vec(), Stroke::new(1.2, color)));
        }
        Icon::Warning => {
            outline(vec![at(0.0, -5.6), at(6.2, 5.0), at(-6.2, 5.0)], 1.3);
            line([at(0.0, -1.8), at(0.0, 1.6)], 1.3);
            painter.circle_filled(at(0.0, 3.3), 0.9, color);
        }
        Icon::Bend => {
            let joints = [at(-5.5, -4.0), at(-1.0, 4.5), at(5.5, -1.5)];
            painter.add(Shape::line(joints.to_vec(), Stroke::new(2.0, color)));
            joints.iter().for_each(|joint| _ = painter.circle_filled(*joint, 2.1, color));
        }
        Icon::Compare => {
            let whole = Rect::from_center_size(at(0.0, 0.0), vec2(13.0, 11.0));
            painter.rect_filled(whole.with_max_x(center.x), 0.0, color);
            painter.rect_stroke(whole, 1.0, Stroke::new(1.3, color), StrokeKind::Middle);
        }
        Icon::Crowd => {
            for (x, y) in [(-4.6, -0.6), (4.6, -0.6), (0.0, 0.6)] {
                painter.circle_filled(at(x, y - 3.2), 2.0, color);
                polygon(vec![at(x - 2.6, y + 4.4), at(x - 1.6, y - 0.4), at(x + 1.6, y - 0.4), at(x + 2.6, y + 4.4)]);
            }
        }
        Icon::Close => {
            line([at(-3.5, -3.5), at(3.5, 3.5)], 1.4);
            line([at(-3.5, 3.5), at(3.5, -3.5)], 1.4);
        }
    }
}
