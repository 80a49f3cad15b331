//! A plan to shots: every model with every value of every option.

use super::error::{Problem, SuiteError};
use super::parse::{Axis, Block, Choice, Plan};
use super::{MAX_SHOTS, Shot, glob};
use crate::util::text::excerpt;
use std::collections::HashMap;
use std::path::Path;

/// The most bytes of a name: with what is added to it still a file's name everywhere.
const MAX_NAME: usize = 120;

/// All shots, in the order of the file; models before clips, clips before times.
pub(super) fn shots(plan: &Plan, folder: &Path) -> Result<Vec<Shot>, SuiteError> {
    let mut shots = Vec::new();
    let mut lines: HashMap<String, usize> = HashMap::new();
    for block in &plan.blocks {
        let mut models = Vec::new();
        let mut many = block.many_models;
        for model in &block.models {
            // What is there under just this name is no pattern.
            if glob::is_pattern(model) && !folder.join(model).exists() {
                many = true;
                models.extend(glob::matches(model, folder).map_err(|problem| problem.at(block.line))?);
            } else {
                models.push(model.clone());
            }
        }
        let each = block.axes.iter().try_fold(models.len(), |all, axis| all.checked_mul(axis.choices.len()));
        if each.is_none_or(|each| each.saturating_add(shots.len()) > MAX_SHOTS) {
            return Err(Problem::TooManyShots { limit: MAX_SHOTS }.at(block.line));
        }
        for model in &models {
            for values in combinations(&block.axes) {
                let name = name(block, model, many, &values).map_err(|problem| problem.at(block.line))?;
                if let Some(first) = lines.insert(name.to_lowercase(), block.line) {
                    return Err(Problem::SameName { name, first }.at(block.line));
                }
                shots.push(Shot {
                    name,
                    model: model.clone(),
                    options: values.iter().flat_map(|(_, choice)| choice.words.iter().cloned()).collect(),
                    limits: block.limits,
                    reason: block.reason.clone(),
                    line: block.line,
                });
            }
        }
    }
    Ok(shots)
}

/// Every choice of the first axis with every one of the others, the last axis the fastest.
fn combinations(axes: &[Axis]) -> Vec<Vec<(&Axis, &Choice)>> {
    axes.iter().fold(vec![Vec::new()], |shorter, axis| {
        let with = |values: &Vec<(_, _)>| {
            let longer = |choice| values.iter().copied().chain([(axis, choice)]).collect();
            axis.choices.iter().map(longer).collect::<Vec<Vec<_>>>()
        };
        shorter.iter().flat_map(with).collect()
    })
}

/// A shot's name: the given one or the model's, and whatever tells it from the others of its table.
///
/// What an option's default is does not show in it, so that a changed default leaves names as they are.
fn name(block: &Block, model: &str, many: bool, values: &[(&Axis, &Choice)]) -> Result<String, Problem> {
    let stem = stem(model);
    let mut name = match &block.name {
        Some(name) if many => format!("{name}-{stem}"),
        Some(name) => name.clone(),
        None => stem,
    };
    for (axis, choice) in values {
        let tells = axis.choices.len() > 1 || (block.name.is_none() && !axis.is_default);
        if tells {
            name = format!("{name}-{}", slug(&choice.text));
        }
    }
    let fits = name.len() <= MAX_NAME && !name.is_empty() && !name.starts_with(['.', '-']);
    if fits && name.chars().all(is_plain) {
        Ok(name)
    } else {
        Err(Problem::BadName { name: excerpt(&name), limit: MAX_NAME })
    }
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// A model's file without folder and ending, as a name has it.
pub(super) fn stem(model: &str) -> String {
    let file = model.rsplit('/').next().unwrap_or(model);
    Path::new(file).file_stem().map_or_else(String::new, |stem| slug(&stem.to_string_lossy()))
}

/// Text as a name has it.
pub(super) fn slug(text: &str) -> String {
    text.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}
