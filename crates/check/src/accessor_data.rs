//! The stored values of accessors: `min` and `max`, NaN, sparse indices and [`DataRule`]s. One issue covers all elements.

use super::accessor_view::AccessorView;
use super::checked_file::{Accessor, CheckedFile};
use super::data_rules::{DataRule, RuleState, Tally};
use super::issue::Issues;
use super::json_path::JsonPath;
use rigview_core::gltf_format::ComponentType;
use std::collections::BTreeMap;

/// Checks all accessors; `rules` are by accessor index, each with the pointer of its issues.
pub(super) fn check(file: &CheckedFile<'_>, rules: &BTreeMap<usize, Vec<(DataRule, String)>>, issues: &mut Issues) {
    let at_array = JsonPath::ROOT.key("accessors");
    for (i, accessor) in file.accessors.iter().enumerate() {
        let at = at_array.item(i);
        let Some(view) = view(file, accessor, &at, issues) else { continue };
        check_sparse_indices(&view, &at, issues);
        check_elements(accessor, &view, rules.get(&i).map_or(&[], Vec::as_slice), &at, issues);
    }
}

/// The view of an accessor that is not all zeros, within the budget.
fn view<'a>(
    file: &'a CheckedFile<'_>,
    accessor: &Accessor,
    at: &JsonPath<'_>,
    issues: &mut Issues,
) -> Option<AccessorView<'a>> {
    if accessor.view.is_none() && accessor.sparse.is_none() {
        return None;
    }
    let view = AccessorView::new(file, accessor)?;
    if !file.budget.spend(view.count.saturating_mul(view.component_count as u64)) {
        let message = format_args!("its values are not checked: the accessors of the file overlap too often");
        issues.add("RIGVIEW_CHECK_SKIPPED", at, message);
        return None;
    }
    Some(view)
}

fn check_sparse_indices(view: &AccessorView<'_>, at: &JsonPath<'_>, issues: &mut Issues) {
    let (mut out_of_range, mut unsorted) = (Tally::default(), Tally::default());
    let mut previous = None;
    for (i, index) in (0..).zip(view.sparse_indices()) {
        out_of_range.add(*index >= view.count, i, *index as f64);
        unsorted.add(previous.is_some_and(|previous| *index <= previous), i, *index as f64);
        previous = Some(*index);
    }
    let at = at.key("sparse");
    if let Tally { count: count @ 1.., value, first } = out_of_range {
        let message = format_args!("{count} sparse indices exceed the last element, first {value} at position {first}");
        issues.add("ACCESSOR_SPARSE_INDEX_OOB", at, message);
    }
    if let Tally { count: count @ 1.., first, .. } = unsorted {
        let message = format_args!("sparse indices must increase; {count} do not, first at position {first}");
        issues.add("ACCESSOR_SPARSE_INDICES_NON_INCREASING", at, message);
    }
}

/// Statistics of one component of all elements.
#[derive(Clone, Copy)]
struct ComponentRange {
    min: f64,
    max: f64,
    /// Elements below the stated minimum.
    below: u64,
    /// Elements above the stated maximum.
    above: u64,
}

fn check_elements(
    accessor: &Accessor,
    view: &AccessorView<'_>,
    rules: &[(DataRule, String)],
    at: &JsonPath<'_>,
    issues: &mut Issues,
) {
    let stated = |bounds: &Option<Vec<f64>>, k: usize| bounds.as_ref().and_then(|b| b.get(k)).copied();
    let bounds: [(f64, f64); 16] = std::array::from_fn(|k| {
        (stated(&accessor.min, k).unwrap_or(f64::NAN), stated(&accessor.max, k).unwrap_or(f64::NAN))
    });
    let mut ranges = [ComponentRange { min: f64::INFINITY, max: f64::NEG_INFINITY, below: 0, above: 0 }; 16];
    let mut not_finite = Tally::default();
    let mut states: Vec<RuleState> = rules.iter().map(|(rule, _)| RuleState::new(*rule)).collect();
    let mut components = [0.0; 16];
    let is_float = view.component() == ComponentType::F32;
    for i in 0..view.count {
        view.get(i, &mut components);
        let components = &components[..view.component_count];
        for ((x, range), (min, max)) in components.iter().zip(&mut ranges).zip(&bounds) {
            range.min = range.min.min(*x);
            range.max = range.max.max(*x);
            range.below += u64::from(x < min);
            range.above += u64::from(x > max);
            not_finite.add(is_float && !x.is_finite(), i, *x);
        }
        for state in &mut states {
            state.visit(i, components, view);
        }
    }
    if let Tally { count: count @ 1.., first, value } = not_finite {
        let message = format_args!(
            "{count} values are NaN or infinite, first {value} in element {first}; look for faulty drivers or a scale of 0, and export again"
        );
        issues.add("ACCESSOR_INVALID_FLOAT", at, message);
    }
    let (at_min, at_max) = (at.key("min"), at.key("max"));
    for (k, min) in accessor.min.iter().flatten().enumerate() {
        let codes = ["ACCESSOR_MIN_MISMATCH", "ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND"];
        check_bound(*min, ranges[k].min, ranges[k].below, codes, &at_min.item(k), issues);
    }
    for (k, max) in accessor.max.iter().flatten().enumerate() {
        let codes = ["ACCESSOR_MAX_MISMATCH", "ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND"];
        check_bound(*max, ranges[k].max, ranges[k].above, codes, &at_max.item(k), issues);
    }
    for (state, (_, at)) in states.iter().zip(rules) {
        state.report(at, issues);
    }
}

fn check_bound(
    stated: f64,
    actual: f64,
    outside: u64,
    [mismatch, out_of_bound]: [&'static str; 2],
    at: &JsonPath<'_>,
    issues: &mut Issues,
) {
    if stated != actual {
        let message = format_args!("the stated bound is {stated}, the actual one {actual}; export the file again");
        issues.add(mismatch, at, message);
        if outside > 0 {
            issues.add(out_of_bound, at, format_args!("{outside} elements exceed the stated bound {stated}"));
        }
    }
}
