//! Expansion of a suite file to shots: each model with each value of each option.

use super::confinement::{Trust, is_beneath};
use super::error::{SuiteError, SuiteErrorKind};
use super::glob;
use super::parse::{EVERY_CLIP, NO_CLIP, OptionValue, OptionValues, ShotTable, SuiteFile};
use super::shot::{Shot, ShotKind};
use super::shot_name::{MAX_NAME_BYTES, is_reserved, is_valid, model_names, slug};
use rigview_core::import::{ImportPolicy, ModelOutline};
use rigview_core::util::text::excerpt;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Maximum number of shots of a suite.
pub const MAX_SHOTS: usize = 20_000;
/// Maximum bytes of the options of all shots. Each shot has a copy of the options of its table.
const MAX_OPTION_BYTES: usize = 64 << 20;
/// Maximum bytes of a clip's name in the name of a shot.
const MAX_CLIP_BYTES: usize = 60;

/// The clips of each model that was read; `None` if it cannot be read.
type ClipChoices = HashMap<PathBuf, Option<Vec<OptionValue>>>;

/// All shots, in the order of the file; models vary slowest, then clips, then times.
pub(super) fn shots(file: &SuiteFile, folder: &Path, trust: Trust) -> Result<Vec<Shot>, SuiteError> {
    let mut shots = Vec::new();
    let mut lines: HashMap<String, usize> = HashMap::new();
    let (mut option_bytes, mut clips) = (0_usize, ClipChoices::new());
    for table in &file.shots {
        let (line, mut models) = (table.shot.line, Vec::new());
        let confine = |path: &str| match trust {
            Trust::Untrusted if !is_beneath(folder, &folder.join(path)) => {
                Err(SuiteErrorKind::OutsideFolder { path: excerpt(path) })
            }
            _ => Ok(()),
        };
        let mut has_several = table.is_model_array;
        for model in &table.models {
            // Before anything is visited.
            confine(if glob::is_pattern(model) { glob::literal_prefix(model) } else { model })
                .map_err(|problem| problem.at(line))?;
            // An existing file of this name takes precedence over a glob.
            if glob::is_pattern(model) && !folder.join(model).exists() {
                has_several = true;
                models.extend(glob::matches(model, folder).map_err(|problem| problem.at(line))?);
            } else {
                models.push(model.clone());
            }
        }
        let reason_bytes = table.shot.reason.as_ref().map_or(0, String::len);
        for (model, model_name) in models.iter().zip(model_names(&models)) {
            // A link that a glob matches.
            confine(model).map_err(|problem| problem.at(line))?;
            let mut axes: Vec<Rc<OptionValues>> =
                table.axes.iter().map(|axis| with_clips(axis, &folder.join(model), &mut clips)).collect();
            let is_at_rest = |axis: &Rc<OptionValues>| {
                axis.is_every_clip && axis.choices.iter().all(|choice| choice.args == [NO_CLIP])
            };
            if axes.iter().any(is_at_rest) {
                // The rest pose is the same at all times.
                axes.retain(|axis| axis.option != "time");
            }
            let added = axes.iter().try_fold(1_usize, |all, axis| all.checked_mul(axis.choices.len()));
            let added = added.filter(|added| added.saturating_add(shots.len()) <= MAX_SHOTS);
            let added = added.ok_or_else(|| SuiteErrorKind::TooManyShots { limit: MAX_SHOTS }.at(line))?;
            let longest = |axis: &OptionValues| axis.choices.iter().map(OptionValue::bytes).max().unwrap_or(0);
            let bytes = axes.iter().map(|axis| longest(axis)).sum::<usize>() + reason_bytes;
            option_bytes = added.max(1).saturating_mul(bytes).saturating_add(option_bytes);
            if option_bytes > MAX_OPTION_BYTES {
                return Err(SuiteErrorKind::TooMuchText { limit: MAX_OPTION_BYTES }.at(line));
            }
            for values in combinations(&axes) {
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

/// Replaces `clip = "*"` by the clips of a model, or by its rest pose if it has none.
///
/// The shots of a model that cannot be read keep the option, so that they fail with the reason.
fn with_clips(axis: &Rc<OptionValues>, model: &Path, clips: &mut ClipChoices) -> Rc<OptionValues> {
    if !axis.is_every_clip {
        return Rc::clone(axis);
    }
    let read = || Some(clip_choices(ModelOutline::open(model, &ImportPolicy::default()).ok()?.clip_names()));
    let clips = clips.entry(model.to_owned()).or_insert_with(read);
    let Some(clips) = clips else { return Rc::clone(axis) };
    let choices = axis.choices.iter().flat_map(|choice| match choice.args == [EVERY_CLIP] {
        true => clips.as_slice(),
        false => std::slice::from_ref(choice),
    });
    let mut choices: Vec<OptionValue> = choices.cloned().collect();
    // A model without clips has its rest pose once.
    let mut has_rest_pose = false;
    choices.retain(|choice| choice.args != [NO_CLIP] || !std::mem::replace(&mut has_rest_pose, true));
    Rc::new(OptionValues { option: axis.option.clone(), choices, ..**axis })
}

/// The choices for clips of these names: by name, or by index if it has none or another meaning. Without clips, the rest pose.
fn clip_choices(names: &[Option<String>]) -> Vec<OptionValue> {
    let (mut seen, mut texts) = (HashSet::new(), HashSet::new());
    if names.is_empty() {
        return vec![OptionValue { args: vec![NO_CLIP.to_owned()], text: "none".to_owned() }];
    }
    let choices = names.iter().enumerate().map(|(index, name)| {
        // A name refers to the first of several clips.
        let is_first = seen.insert(name.as_deref());
        let name = name.as_deref().filter(|name| is_first && !["all", "none", "*"].contains(name));
        let clip = name.map_or_else(|| index.to_string(), str::to_owned);
        let slug = slug(&clip);
        let mut text = slug[..slug.floor_char_boundary(MAX_CLIP_BYTES)].to_owned();
        if !texts.insert(text.to_lowercase()) {
            text = format!("{text}-{index}");
        }
        OptionValue { args: vec![format!("--clip={clip}")], text }
    });
    choices.collect()
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
        None => match table.shot.kind {
            ShotKind::Image => model_name.to_owned(),
            ShotKind::Pose { .. } => format!("{model_name}-pose"),
            ShotKind::Check { .. } => format!("{model_name}-check"),
        },
    };
    for (axis, choice) in values {
        let distinguishes = axis.is_every_clip || axis.choices.len() > 1 || (table.name.is_none() && !axis.is_default);
        if distinguishes && !choice.text.is_empty() {
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
