//! Rules that the stored values of an accessor must satisfy because of its use.

use super::accessor_view::AccessorView;
use super::issue::Issues;
use super::transforms::QUATERNION_LENGTH_TOLERANCE;
use rigview_core::util::text::counted;

/// Tolerance of the length of a stored direction, which may have been quantized to bytes.
const DIRECTION_LENGTH_TOLERANCE: f64 = 0.00674;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataRule {
    /// Not negative, increasing.
    KeyTimes,
    /// Unit quaternions; of cubic splines, without the tangents around each.
    Quaternions { cubic: bool },
    /// Last row 0 0 0 1.
    InverseBindMatrices,
    /// Unit vectors.
    Directions,
    /// Unit vectors and a sign.
    Tangents,
    /// 0 to 1.
    Colors,
    /// Below the limit; of triangles, without two equal corners.
    Indices { limit: u64, triangles: bool },
}

/// Number of elements that violate a rule, and the first of them with its value.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) count: u64,
    pub(super) first: u64,
    pub(super) value: f64,
}

impl Tally {
    pub(super) fn add(&mut self, is_violation: bool, element: u64, value: f64) {
        if is_violation {
            if self.count == 0 {
                (self.first, self.value) = (element, value);
            }
            self.count += 1;
        }
    }
}

/// One rule during the pass over the elements.
pub(super) struct RuleState {
    rule: DataRule,
    /// Violations of each condition of the rule, in the order of the report.
    violations: [Tally; 3],
    previous_time: f64,
    corners: [f64; 3],
}

impl RuleState {
    pub(super) fn new(rule: DataRule) -> Self {
        Self { rule, violations: [Tally::default(); 3], previous_time: 0.0, corners: [0.0; 3] }
    }

    /// Checks element `i` with these stored components.
    pub(super) fn visit(&mut self, i: u64, components: &[f64], view: &AccessorView<'_>) {
        let (component, normalized) = (view.component(), view.format.normalized);
        let real = |x: f64| if normalized { component.normalize(x) } else { x };
        let length = |components: &[f64]| components.iter().map(|x| real(*x).powi(2)).sum::<f64>().sqrt();
        match self.rule {
            DataRule::KeyTimes => {
                let time = components[0];
                self.violations[0].add(time < 0.0, i, time);
                if time >= 0.0 {
                    self.violations[1].add(i > 0 && time <= self.previous_time, i, time);
                    self.previous_time = time;
                }
            }
            DataRule::Quaternions { cubic } => {
                if !cubic || i % 3 == 1 {
                    let length = length(components);
                    self.violations[0].add((length - 1.0).abs() > QUATERNION_LENGTH_TOLERANCE, i, length);
                }
            }
            DataRule::InverseBindMatrices => {
                if let [_, _, _, a, _, _, _, b, _, _, _, c, _, _, _, d] = components {
                    self.violations[0].add([*a, *b, *c, *d] != [0.0, 0.0, 0.0, 1.0], i, *d);
                }
            }
            DataRule::Directions | DataRule::Tangents => {
                let length = length(&components[..components.len().min(3)]);
                self.violations[0].add((length - 1.0).abs() > DIRECTION_LENGTH_TOLERANCE, i, length);
                if let (DataRule::Tangents, Some(sign)) = (self.rule, components.get(3)) {
                    self.violations[1].add(real(*sign).abs() != 1.0, i, *sign);
                }
            }
            DataRule::Colors => {
                for x in components {
                    self.violations[0].add(!(0.0..=1.0).contains(x) && !x.is_nan(), i, *x);
                }
            }
            DataRule::Indices { limit, triangles } => {
                let index = components[0];
                self.violations[0].add(index >= limit as f64, i, index);
                self.violations[1].add(index == component.max_value(), i, index);
                self.corners[(i % 3) as usize] = index;
                let [a, b, c] = self.corners;
                let is_degenerate = triangles && i % 3 == 2 && (a == b || b == c || a == c);
                self.violations[2].add(is_degenerate, i / 3, index);
            }
        }
    }

    pub(super) fn report(&self, at: &str, issues: &mut Issues) {
        let mut add = |code, tally: Tally, [one, many]: [&str; 2], rest: std::fmt::Arguments<'_>| {
            if tally.count > 0 {
                issues.add(code, at, format_args!("{}{rest}", counted(tally.count as usize, one, many)));
            }
        };
        let [a, b, c] = self.violations;
        match self.rule {
            DataRule::KeyTimes => {
                let rest = format_args!(
                    " before 0, first key {} at {} s; move the action's start to frame 0 or later",
                    a.first, a.value
                );
                add("ACCESSOR_ANIMATION_INPUT_NEGATIVE", a, ["key is", "keys are"], rest);
                let rest = format_args!(
                    " later than the previous one, first key {} at {} s; export the file again",
                    b.first, b.value
                );
                add("ACCESSOR_ANIMATION_INPUT_NON_INCREASING", b, ["key is not", "keys are not"], rest);
            }
            DataRule::Quaternions { .. } => {
                let rest = format_args!(", first key {} with length {}; export the file again", a.first, a.value);
                let noun = ["rotation is not a unit quaternion", "rotations are not unit quaternions"];
                add("ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION", a, noun, rest);
            }
            DataRule::InverseBindMatrices => {
                let rest = format_args!(" with the row 0 0 0 1, first matrix {}; export the file again", a.first);
                add("ACCESSOR_INVALID_IBM", a, ["matrix does not end", "matrices do not end"], rest);
            }
            DataRule::Directions | DataRule::Tangents => {
                let rest = format_args!(
                    " length 1, first element {} with {}; recalculate normals in Blender (Shift N) and export again",
                    a.first, a.value
                );
                add("ACCESSOR_VECTOR3_NON_UNIT", a, ["direction does not have", "directions do not have"], rest);
                let rest = format_args!(" other than 1 and -1, first {} in element {}", b.value, b.first);
                add("ACCESSOR_INVALID_SIGN", b, ["tangent has a sign", "tangents have a sign"], rest);
            }
            DataRule::Colors => {
                let rest = format_args!(" outside 0 to 1, first {} in element {}", a.value, a.first);
                add("ACCESSOR_NON_CLAMPED", a, ["component is", "components are"], rest);
            }
            DataRule::Indices { limit, .. } => {
                let rest = format_args!(
                    " that do not exist, first {} at position {}; there are {limit}; export the file again",
                    a.value, a.first
                );
                add("ACCESSOR_INDEX_OOB", a, ["index refers to vertices", "indices refer to vertices"], rest);
                let rest = format_args!(" {}, which restarts strips on some GPUs; export the file again", b.value);
                add("ACCESSOR_INDEX_PRIMITIVE_RESTART", b, ["index is", "indices are"], rest);
                let rest = format_args!(" two equal corners and no area");
                add("ACCESSOR_INDEX_TRIANGLE_DEGENERATE", c, ["triangle has", "triangles have"], rest);
            }
        }
    }
}
