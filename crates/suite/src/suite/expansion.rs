//! Expansion of a suite file to shots: each model with each value of each option.

use super::error::{SuiteError, SuiteErrorKind};
use super::glob;
use super::parse::{OptionValue, OptionValues, ShotTable, SuiteFile};
use super::shot::Shot;
use super::shot_name::{MAX_NAME_BYTES, is_reserved, is_valid, model_names, slug};
use rigview_core::util::text::excerpt;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

/// Maximum number of shots of a suite.
pub const MAX_SHOTS: usize = 20_000;
/// Maximum bytes of the options of all shots. Each shot has a copy of the options of its table.
const MAX_OPTION_BYTES: usize = 64 << 20;

/// All shots, in the order of the file; models vary slowest, then clips, then times.
pub(super) fn shots(file: &SuiteFile, folder: &Path) -> Result<Vec<Shot>, SuiteError> {
    let mut shots = Vec::new();
    let mut lines: HashMap<String, usize> = HashMap::new();
    let mut option_bytes = 0_usize;
    for table in &file.shots {
        let (line, mut models) = (table.shot.line, Vec::new());
        let mut has_several = table.is_model_array;
        for model in &table.models {
            // An existing file of this name takes precedence over a glob.
            if glob::is_pattern(model) && !folder.join(model).exists() {
                has_several = true;
                models.extend(glob::matches(model, folder).map_err(|problem| problem.at(line))?);
            } else {
                models.push(model.clone());
            }
        }
        let added = table.axes.iter().try_fold(models.len(), |all, axis| all.checked_mul(axis.choices.len()));
        if added.is_none_or(|added| added.saturating_add(shots.len()) > MAX_SHOTS) {
            return Err(SuiteErrorKind::TooManyShots { limit: MAX_SHOTS }.at(line));
        }
        let longest = |axis: &OptionValues| axis.choices.iter().map(OptionValue::bytes).max().unwrap_or(0);
        let bytes = table.axes.iter().map(|axis| longest(axis)).sum::<usize>()
            + table.shot.reason.as_ref().map_or(0, String::len);
        option_bytes = models.len().max(added.unwrap_or(0)).saturating_mul(bytes).saturating_add(option_bytes);
        if option_bytes > MAX_OPTION_BYTES {
            return Err(SuiteErrorKind::TooMuchText { limit: MAX_OPTION_BYTES }.at(line));
        }
        for (model, model_name) in models.iter().zip(model_names(&models)) {
            for values in combinations(&table.axes) {
                let name = name(table, &model_name, has_several, &values).map_err(|problem| problem.at(line))?;
                if let Some(first) = lines.insert(name.to_lowercase(), line) {
                    return Err(SuiteErrorKind::DuplicateName { name, first }.at(line));
                }
                shots.push(Shot {
                    name,
                    model: model.clone(),
                    options: values.iter().flat_map(|(_, choice)| choice.args.iter().cloned()).collect(),
                    option_lines: values
                        .iter()
                        .flat_map(|(axis, choice)| choice.args.iter().map(|_| axis.line))
                        .collect(),
                    ..table.shot.clone()
                });
            }
        }
    }
    Ok(shots)
}

/// The Cartesian product of the axes; the last axis varies fastest.
fn combinations(axes: &[Rc<OptionValues>]) -> Vec<Vec<(&OptionValues, &OptionValue)>> {
    axes.iter().fold(vec![Vec::new()], |shorter, axis| {
        let extended = |values: &Vec<(_, _)>| {
            let longer = |choice| values.iter().copied().chain([(&**axis, choice)]).collect();
            axis.choices.iter().map(longer).collect::<Vec<Vec<_>>>()
        };
        shorter.iter().flat_map(extended).collect()
    })
}

/// The name of a shot: that of the table or `model_name`, and the values that distinguish it within the table.
///
/// Values from `[defaults]` are not part of it, so that a changed default does not change names.
fn name(
    table: &ShotTable,
    model_name: &str,
    has_several: bool,
    values: &[(&OptionValues, &OptionValue)],
) -> Result<String, SuiteErrorKind> {
    let mut name = match &table.name {
        Some(name) if has_several => format!("{name}-{model_name}"),
        Some(name) => name.clone(),
        None => model_name.to_owned(),
    };
    for (axis, choice) in values {
        let distinguishes = axis.choices.len() > 1 || (table.name.is_none() && !axis.is_default);
        if distinguishes {
            name = format!("{name}-{}", slug(&choice.text));
        }
    }
    if is_reserved(&name) {
        Err(SuiteErrorKind::ReservedName { name })
    } else if is_valid(&name) {
        Ok(name)
    } else {
        Err(SuiteErrorKind::InvalidName { name: excerpt(&name), limit: MAX_NAME_BYTES })
    }
}
