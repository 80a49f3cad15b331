//! Profiles as TOML files: bases, overrides for parts of a folder, and the reference skeleton.

use super::limits::{LimitKey, PermittedRange};
use super::reference_skeleton::ReferenceSkeleton;
use crate::codes::{Code, Severity};
use regex_automata::meta::Regex;
use rigview_core::import::{ImageLoading, ImportOptions, ImportPolicy, open};
use rigview_core::util::regular_file::read_text;
use rigview_core::util::text::{excerpt, one_line};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum size of a profile in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Maximum number of profiles of which each extends the next.
const MAX_BASES: usize = 8;
/// Maximum memory of a compiled pattern in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// A profile, checked as a whole: names of keys and codes, patterns, bases and the reference skeleton.
#[derive(Clone, Debug)]
pub struct Profile {
    name: String,
    rules: Rules,
    overrides: Vec<(Pattern, Rules)>,
    /// The folder that the patterns of overrides are relative to.
    folder: PathBuf,
}

/// The rules for a file. `None` and missing keys permit everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    /// Name of the profile.
    pub(crate) name: String,
    pub(super) limits: BTreeMap<LimitKey, PermittedRange>,
    pub(super) skeleton: SkeletonRules,
    pub(super) reference: Option<Arc<ReferenceSkeleton>>,
    pub(super) clips: ClipRules,
    pub(super) materials: MaterialRules,
    /// `None` for codes that are off.
    severities: BTreeMap<String, Option<Severity>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct SkeletonRules {
    /// Roles, or names of joints.
    pub(super) required: Option<Vec<String>>,
    exact: Option<PathBuf>,
    /// Patterns of names that the reference skeleton need not have.
    pub(super) allowed_extra: Option<Vec<Pattern>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ClipRules {
    pub(super) required: Option<Vec<String>>,
    pub(super) names: Option<NamePattern>,
    pub(super) frame_rate: Option<f64>,
    pub(super) loops: Option<Vec<String>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct MaterialRules {
    pub(super) allowed_extensions: Option<Vec<String>>,
    pub(super) double_sided: Option<bool>,
}

/// The tables that a profile and its overrides have. Both repeat their keys, since `serde(flatten)` does not refuse unknown ones.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct ProfileFile {
    name: Option<String>,
    extends: Option<PathBuf>,
    #[serde(rename = "override")]
    overrides: Vec<OverrideTable>,
    limits: BTreeMap<LimitKey, PermittedRange>,
    skeleton: SkeletonRules,
    clips: ClipRules,
    materials: MaterialRules,
    rules: BTreeMap<CodeName, Level>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct OverrideTable {
    files: Pattern,
    #[serde(default)]
    limits: BTreeMap<LimitKey, PermittedRange>,
    #[serde(default)]
    skeleton: SkeletonRules,
    #[serde(default)]
    clips: ClipRules,
    #[serde(default)]
    materials: MaterialRules,
    #[serde(default)]
    rules: BTreeMap<CodeName, Level>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Level {
    Error,
    Warning,
    Info,
    Off,
}

impl Level {
    fn severity(self) -> Option<Severity> {
        match self {
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Info => Some(Severity::Info),
            Self::Off => None,
        }
    }
}

/// The name of an existing code.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct CodeName(String);

impl<'de> Deserialize<'de> for CodeName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        match Code::find(&name) {
            Some(_) => Ok(Self(name)),
            None => Err(D::Error::custom(format!("`{}` is no code of `rigview check`", excerpt(&name)))),
        }
    }
}

/// A pattern of names and paths: `*` for any characters but slashes, `**` for any, `?` for one.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Regex);

impl Pattern {
    pub(super) fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pattern = String::deserialize(deserializer)?;
        let mut expression = "^(?s:".to_owned();
        let mut rest = pattern.chars().peekable();
        while let Some(c) = rest.next() {
            match c {
                '*' if rest.next_if_eq(&'*').is_some() => expression.push_str(".*"),
                '*' => expression.push_str("[^/]*"),
                '?' => expression.push_str("[^/]"),
                c if c.is_alphanumeric() || !c.is_ascii() => expression.push(c),
                c => expression.extend(['\\', c]),
            }
        }
        expression.push_str(")$");
        compiled(&expression).map(Self).map_err(D::Error::custom)
    }
}

/// A regular expression that names of clips match, with its text.
#[derive(Clone, Debug)]
pub(super) struct NamePattern {
    pub(super) text: String,
    pub(super) regex: Regex,
}

impl<'de> Deserialize<'de> for NamePattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(Self { regex: compiled(&text).map_err(D::Error::custom)?, text })
    }
}

fn compiled(expression: &str) -> Result<Regex, String> {
    let config = Regex::config().nfa_size_limit(Some(MAX_PATTERN_BYTES));
    let compiled = Regex::builder().configure(config).build(expression);
    compiled.map_err(|error| {
        let reason = error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string);
        let last = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        format!("`{}` is no regular expression: {}", excerpt(expression), excerpt(&last))
    })
}

impl Profile {
    /// Reads a profile and those that it extends, and opens its reference skeletons. Paths are relative to the file that has them.
    ///
    /// # Errors
    /// If a file cannot be read or is wrong: one line with the file and the remedy.
    pub fn open(file: &Path) -> Result<Self, String> {
        Self::open_within(file, MAX_BASES)
    }

    /// Reads a profile without files: no base, and no reference skeleton.
    ///
    /// # Errors
    /// If it is not TOML, or a key, code or pattern is wrong: one line.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        Self::resolve(parse(text)?, Path::new(""), "profile", 0)
    }

    /// The name that the profile has, else that of its file: one line.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn open_within(file: &Path, bases: usize) -> Result<Self, String> {
        let in_file = |reason: String| format!("{}: {reason}", file.display());
        let text = read_text(file, MAX_FILE_BYTES).map_err(|error| in_file(error.to_string()))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let folder = file.parent().unwrap_or(Path::new(""));
        Self::resolve(parse(&text).map_err(in_file)?, folder, &name, bases).map_err(|reason| match reason {
            // An error of a base has its file.
            reason if reason.contains(".toml: ") => reason,
            reason => in_file(reason),
        })
    }

    fn resolve(parsed: ProfileFile, folder: &Path, name: &str, bases: usize) -> Result<Self, String> {
        let ProfileFile { name: own_name, extends, overrides, limits, skeleton, clips, materials, rules } = parsed;
        let mut profile = match extends {
            None => {
                Self { name: String::new(), rules: Rules::default(), overrides: Vec::new(), folder: PathBuf::new() }
            }
            Some(base) if bases > 0 => Self::open_within(&folder.join(base), bases - 1)?,
            Some(_) => return Err(format!("more than {MAX_BASES} profiles extend each other, perhaps in a circle")),
        };
        profile.name = one_line(own_name.as_deref().filter(|name| !name.trim().is_empty()).unwrap_or(name));
        profile.folder = folder.to_owned();
        profile.rules.add(Rules::new(limits, skeleton, clips, materials, rules, folder)?);
        for OverrideTable { files, limits, skeleton, clips, materials, rules } in overrides {
            profile.overrides.push((files, Rules::new(limits, skeleton, clips, materials, rules, folder)?));
        }
        Ok(profile)
    }

    /// Returns the rules for a model: those of all files, then those of each override whose pattern matches its path. The path is
    /// relative to the folder of the profile, else as it is.
    pub(crate) fn rules_for(&self, model: Option<&Path>) -> Rules {
        let mut rules = Rules { name: self.name.clone(), ..self.rules.clone() };
        let Some(model) = model else { return rules };
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let (model, folder) = (absolute(model), absolute(&self.folder));
        let path = model.strip_prefix(&folder).unwrap_or(&model).to_string_lossy();
        let path = path.replace(std::path::MAIN_SEPARATOR, "/");
        for (_, of_files) in self.overrides.iter().filter(|(files, _)| files.matches(&path)) {
            rules.add(of_files.clone());
        }
        rules
    }
}

impl Rules {
    fn new(
        limits: BTreeMap<LimitKey, PermittedRange>,
        skeleton: SkeletonRules,
        clips: ClipRules,
        materials: MaterialRules,
        rules: BTreeMap<CodeName, Level>,
        folder: &Path,
    ) -> Result<Self, String> {
        if clips.frame_rate.is_some_and(|rate| !(rate > 0.0 && rate.is_finite())) {
            return Err("frame-rate: expected a number above 0".to_owned());
        }
        let reference = skeleton.exact.as_ref().map(|file| {
            let file = folder.join(file);
            let options = ImportOptions::default().with_images(ImageLoading::Skip).with_policy(ImportPolicy::default());
            let opened = open(&file, &options).map_err(|error| one_line(&error.to_string()))?;
            ReferenceSkeleton::new(&opened.model, &file)
        });
        let severities = rules.into_iter().map(|(code, level)| (code.0, level.severity())).collect();
        let reference = reference.transpose()?.map(Arc::new);
        Ok(Self { name: String::new(), limits, skeleton, reference, clips, materials, severities })
    }

    /// Replaces what `other` has.
    fn add(&mut self, other: Self) {
        let Self { name: _, limits, skeleton, reference, clips, materials, severities } = other;
        self.limits.extend(limits);
        self.severities.extend(severities);
        let SkeletonRules { required, exact, allowed_extra } = skeleton;
        replace(&mut self.skeleton.required, required);
        replace(&mut self.skeleton.exact, exact);
        replace(&mut self.skeleton.allowed_extra, allowed_extra);
        replace(&mut self.reference, reference);
        let ClipRules { required, names, frame_rate, loops } = clips;
        replace(&mut self.clips.required, required);
        replace(&mut self.clips.names, names);
        replace(&mut self.clips.frame_rate, frame_rate);
        replace(&mut self.clips.loops, loops);
        let MaterialRules { allowed_extensions, double_sided } = materials;
        replace(&mut self.materials.allowed_extensions, allowed_extensions);
        replace(&mut self.materials.double_sided, double_sided);
    }

    /// Returns the severity of a code in this profile; `None` if it is off.
    pub(crate) fn severity(&self, code: &str, default: Severity) -> Option<Severity> {
        self.severities.get(code).copied().unwrap_or(Some(default))
    }
}

fn replace<T>(value: &mut Option<T>, other: Option<T>) {
    if other.is_some() {
        *value = other;
    }
}

fn parse(text: &str) -> Result<ProfileFile, String> {
    toml::from_str(text).map_err(|error| {
        let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or_default();
        format!("line {}: {}", 1 + before.matches('\n').count(), one_line(error.message()))
    })
}
