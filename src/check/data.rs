//! The stored numbers: bounds, and what their use asks of them. One issue tells of all items of an accessor.

use super::accessor_view::{Component, AccessorView};
use super::file::{Accessor, CheckedFile};
use super::issue::{JsonPath, Issues};
use super::references::DataRule;
use super::transforms::UNIT_QUATERNION;
use crate::util::text::counted;
use std::collections::BTreeMap;

/// How far from 1 the length of a stored direction may be: it may have been quantized to bytes.
const UNIT_DIRECTION: f64 = 0.00674;

/// How often something is wrong, and where first.
#[derive(Clone, Copy, Default)]
struct Tally {
    count: u64,
    first: u64,
    value: f64,
}

impl Tally {
    fn add(&mut self, wrong: bool, item: u64, value: f64) {
        if wrong {
            if self.count == 0 {
                (self.first, self.value) = (item, value);
            }
            self.count += 1;
        }
    }
}

/// Checks the numbers of all accessors.
pub(super) fn check(file: &CheckedFile<'_>, rules: &BTreeMap<usize, Vec<(DataRule, String)>>, issues: &mut Issues) {
    let at_list = JsonPath::ROOT.key("accessors");
    for (i, accessor) in file.accessors.iter().enumerate() {
        let at = at_list.item(i);
        let Some(items) = items(file, accessor, &at, issues) else { continue };
        sparse(&items, &at, issues);
        let none = Vec::new();
        check_items(accessor, &items, rules.get(&i).unwrap_or(&none), &at, issues);
    }
}

/// The items of an accessor that holds something, unless that would take for ever.
fn items<'a>(file: &'a CheckedFile<'_>, accessor: &Accessor, at: &JsonPath<'_>, issues: &mut Issues) -> Option<AccessorView<'a>> {
    if accessor.view.is_none() && accessor.sparse.is_none() {
        return None;
    }
    let items = AccessorView::new(file, accessor)?;
    if !file.budget.take(items.count.saturating_mul(items.width as u64)) {
        let message = format_args!("its numbers are not checked: the accessors of the file overlap too often");
        issues.add("RIGVIEW_CHECK_SKIPPED", at, message);
        return None;
    }
    Some(items)
}

fn sparse(items: &AccessorView<'_>, at: &JsonPath<'_>, issues: &mut Issues) {
    let (mut beyond, mut falling) = (Tally::default(), Tally::default());
    let mut last = None;
    for (i, place) in (0..).zip(items.places()) {
        beyond.add(*place >= items.count, i, *place as f64);
        falling.add(last.is_some_and(|last| *place <= last), i, *place as f64);
        last = Some(*place);
    }
    let at = at.key("sparse");
    if beyond.count > 0 {
        let message = format_args!(
            "{} sparse indices are beyond the last item, first {} at place {}",
            beyond.count, beyond.value, beyond.first
        );
        issues.add("ACCESSOR_SPARSE_INDEX_OOB", at, message);
    }
    if falling.count > 0 {
        let message =
            format_args!("sparse indices must increase; {} do not, first at place {}", falling.count, falling.first);
        issues.add("ACCESSOR_SPARSE_INDICES_NON_INCREASING", at, message);
    }
}

/// What is found out about one accessor in one pass.
struct Pass {
    least: [f64; 16],
    most: [f64; 16],
    below: [u64; 16],
    above: [u64; 16],
    not_finite: Tally,
}

fn check_items(accessor: &Accessor, items: &AccessorView<'_>, rules: &[(DataRule, String)], at: &JsonPath<'_>, issues: &mut Issues) {
    let width = items.width;
    let bound = |list: &Option<Vec<f64>>| {
        let mut out = [f64::NAN; 16];
        out.iter_mut().zip(list.iter().flatten()).for_each(|(out, x)| *out = *x);
        out
    };
    let (min, max) = (bound(&accessor.min), bound(&accessor.max));
    let mut pass = Pass {
        least: [f64::INFINITY; 16],
        most: [f64::NEG_INFINITY; 16],
        below: [0; 16],
        above: [0; 16],
        not_finite: Tally::default(),
    };
    let mut states: Vec<RuleState> = rules.iter().map(|(rule, _)| RuleState::new(*rule)).collect();
    let mut numbers = [0.0; 16];
    let floats = items.component == Component::F32;
    for i in 0..items.count {
        items.get(i, &mut numbers);
        for k in 0..width {
            let x = numbers[k];
            pass.least[k] = pass.least[k].min(x);
            pass.most[k] = pass.most[k].max(x);
            pass.below[k] += u64::from(x < min[k]);
            pass.above[k] += u64::from(x > max[k]);
            if floats {
                pass.not_finite.add(!x.is_finite(), i, x);
            }
        }
        for run in &mut states {
            run.item(i, &numbers[..width], items.component, accessor.normalized);
        }
    }
    if pass.not_finite.count > 0 {
        let Tally { count, first, value } = pass.not_finite;
        let message = format_args!(
            "{count} numbers are no numbers, first {value} in item {first}; look for faulty drivers or a scale of 0, and export again"
        );
        issues.add("ACCESSOR_INVALID_FLOAT", at, message);
    }
    bounds(accessor, &pass, width, at, issues);
    for (run, (_, place)) in states.iter().zip(rules) {
        run.report(place, issues);
    }
}

fn bounds(accessor: &Accessor, pass: &Pass, width: usize, at: &JsonPath<'_>, issues: &mut Issues) {
    let sides = [
        ("min", &accessor.min, &pass.least, &pass.below, "ACCESSOR_MIN_MISMATCH", "ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND"),
        ("max", &accessor.max, &pass.most, &pass.above, "ACCESSOR_MAX_MISMATCH", "ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND"),
    ];
    for (name, stated, actual, beyond, mismatch, outside) in sides {
        let Some(stated) = stated else { continue };
        let at = at.key(name);
        for k in 0..width {
            if stated[k] == actual[k] {
                continue;
            }
            let message =
                format_args!("{name} says {}, the numbers say {}; export the file again", stated[k], actual[k]);
            issues.add(mismatch, at.item(k), message);
            if beyond[k] > 0 {
                let message = format_args!("{} items lie beyond {name} = {}", beyond[k], stated[k]);
                issues.add(outside, at.item(k), message);
            }
        }
    }
}

/// One job while the items pass by.
struct RuleState {
    rule: DataRule,
    wrong: Tally,
    other: Tally,
    last: f64,
    corners: [f64; 3],
}

impl RuleState {
    fn new(rule: DataRule) -> Self {
        Self { rule, wrong: Tally::default(), other: Tally::default(), last: 0.0, corners: [0.0; 3] }
    }

    fn item(&mut self, i: u64, numbers: &[f64], component: Component, normalized: bool) {
        let to_real = |x: f64| if normalized { component.to_real(x) } else { x };
        let length = |numbers: &[f64]| numbers.iter().map(|x| to_real(*x).powi(2)).sum::<f64>().sqrt();
        match self.rule {
            DataRule::Times => {
                let time = numbers[0];
                self.wrong.add(time < 0.0, i, time);
                if time >= 0.0 {
                    self.other.add(i > 0 && time <= self.last, i, time);
                    self.last = time;
                }
            }
            DataRule::Quaternions { cubic } => {
                if !cubic || i % 3 == 1 {
                    let length = length(numbers);
                    self.wrong.add((length - 1.0).abs() > UNIT_QUATERNION, i, length);
                }
            }
            DataRule::InverseBind => {
                if let [_, _, _, a, _, _, _, b, _, _, _, c, _, _, _, d] = numbers {
                    self.wrong.add([*a, *b, *c, *d] != [0.0, 0.0, 0.0, 1.0], i, *d);
                }
            }
            DataRule::Directions | DataRule::Tangents => {
                let length = length(&numbers[..numbers.len().min(3)]);
                self.wrong.add((length - 1.0).abs() > UNIT_DIRECTION, i, length);
                if let (DataRule::Tangents, Some(sign)) = (self.rule, numbers.get(3)) {
                    self.other.add(to_real(*sign).abs() != 1.0, i, *sign);
                }
            }
            DataRule::Colors => {
                for x in numbers {
                    self.wrong.add(!(0.0..=1.0).contains(x) && !x.is_nan(), i, *x);
                }
            }
            DataRule::Indices { limit, triangles } => {
                let index = numbers[0];
                self.wrong.add(index >= limit as f64, i, index);
                self.other.add(index == component.max_value(), i, index);
                self.corners[(i % 3) as usize] = index;
                let [a, b, c] = self.corners;
                if triangles && i % 3 == 2 && (a == b || b == c || a == c) {
                    self.last += 1.0;
                }
            }
        }
    }

    fn report(&self, at: &str, issues: &mut Issues) {
        let Tally { count, first, value } = self.wrong;
        let again = "export the file again";
        if count > 0 {
            match self.rule {
                DataRule::Times => {
                    let message = format_args!(
                        "{} before 0, first key {first} at {value} s; move the action's start to frame 0 or later",
                        counted(count as usize, "key lies", "keys lie")
                    );
                    issues.add("ACCESSOR_ANIMATION_INPUT_NEGATIVE", at, message);
                }
                DataRule::Quaternions { .. } => {
                    let message = format_args!(
                        "{}, first in item {first} with length {value}; {again}",
                        counted(count as usize, "rotation is no unit quaternion", "rotations are no unit quaternions")
                    );
                    issues.add("ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION", at, message);
                }
                DataRule::InverseBind => {
                    let message = format_args!(
                        "{} with the row 0 0 0 1, first number {first}; {again}",
                        counted(count as usize, "matrix does not end", "matrices do not end")
                    );
                    issues.add("ACCESSOR_INVALID_IBM", at, message);
                }
                DataRule::Directions | DataRule::Tangents => {
                    let message = format_args!(
                        "{} length 1, first in item {first} with {value}; recalculate normals in Blender (Shift N) and export again",
                        counted(count as usize, "direction is not of", "directions are not of")
                    );
                    issues.add("ACCESSOR_VECTOR3_NON_UNIT", at, message);
                }
                DataRule::Colors => {
                    let message = format_args!(
                        "{} 0 to 1, first {value} in item {first}",
                        counted(count as usize, "number is outside", "numbers are outside")
                    );
                    issues.add("ACCESSOR_NON_CLAMPED", at, message);
                }
                DataRule::Indices { limit, .. } => {
                    let message = format_args!(
                        "{}, first {value} at place {first}; there are {limit}; {again}",
                        counted(
                            count as usize,
                            "index names a vertex that does not exist",
                            "indices name vertices that do not exist"
                        )
                    );
                    issues.add("ACCESSOR_INDEX_OOB", at, message);
                }
            }
        }
        let Tally { count, first, value } = self.other;
        if count > 0 {
            match self.rule {
                DataRule::Times => {
                    let message = format_args!(
                        "{} the one before, first key {first} at {value} s; {again}",
                        counted(count as usize, "key does not come after", "keys do not come after")
                    );
                    issues.add("ACCESSOR_ANIMATION_INPUT_NON_INCREASING", at, message);
                }
                DataRule::Tangents => {
                    let message = format_args!(
                        "{} that is neither 1 nor -1, first {value} in item {first}",
                        counted(count as usize, "tangent has a sign", "tangents have a sign")
                    );
                    issues.add("ACCESSOR_INVALID_SIGN", at, message);
                }
                DataRule::Indices { .. } => {
                    let message = format_args!(
                        "{} {value}, which restarts strips on some machines; {again}",
                        counted(count as usize, "index is", "indices are")
                    );
                    issues.add("ACCESSOR_INDEX_PRIMITIVE_RESTART", at, message);
                }
                _ => {}
            }
        }
        if self.last > 0.0 && matches!(self.rule, DataRule::Indices { .. }) {
            let message = format_args!(
                "{} two corners at one vertex and nothing to show",
                counted(self.last as usize, "triangle has", "triangles have")
            );
            issues.add("ACCESSOR_INDEX_TRIANGLE_DEGENERATE", at, message);
        }
    }
}
