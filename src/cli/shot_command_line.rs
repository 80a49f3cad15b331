//! Options of `shot`: parsing into a request, and back into a command line.

use super::ShotArgs;
use crate::request::{OVERLAYS, Quality, RenderRequest, TONE_MAPPINGS, skinning_name};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, CommandFactory, Parser};
use rigview_core::util::text::one_line;
use std::path::{Path, PathBuf};

/// Placeholder for the output file, which is not part of a request.
const PLACEHOLDER_OUTPUT: &str = "OUT.png";

#[derive(Parser)]
#[command(name = "rigview shot", no_binary_name = true, disable_help_flag = true)]
struct ShotCommandLine {
    #[command(flatten)]
    args: ShotArgs,
}

/// Returns the long names of all options of `shot`.
pub fn shot_option_names() -> Vec<String> {
    ShotCommandLine::command().get_arguments().filter_map(Arg::get_long).map(str::to_owned).collect()
}

/// Parses options such as `--time=0.5` for an image of `file`; words without a dash are more models. An error is one line.
pub fn parse_shot_options(file: PathBuf, options: &[String]) -> Result<RenderRequest, String> {
    let (options, models): (Vec<&String>, Vec<&String>) = options.iter().partition(|option| option.starts_with('-'));
    let mut words: Vec<std::ffi::OsString> = options.into_iter().map(Into::into).collect();
    words.extend(["-o".into(), PLACEHOLDER_OUTPUT.into(), "--".into(), file.into()]);
    words.extend(models.into_iter().map(Into::into));
    ShotCommandLine::try_parse_from(words).map(|line| RenderRequest::from(&line.args)).map_err(|error| {
        let similar = match error.get(ContextKind::SuggestedArg) {
            Some(ContextValue::String(option)) => format!("; did you mean `{}`?", option.trim_start_matches('-')),
            _ => String::new(),
        };
        let text = error.to_string();
        let text = text.split("\n\n").next().unwrap_or_default();
        let text = text.strip_prefix("error: ").unwrap_or(text);
        text.split_whitespace().collect::<Vec<_>>().join(" ") + &similar
    })
}

/// Returns the options that differ from the defaults.
pub fn shot_options(request: &RenderRequest) -> Vec<String> {
    let defaults = options_with_values(&RenderRequest::new(PathBuf::new()));
    let changed = options_with_values(request).into_iter().zip(defaults).filter(|(option, default)| option != default);
    let options =
        changed.flat_map(|((name, values), _)| values.into_iter().map(move |value| format!("--{name}={value}")));
    let flags = flags(request).into_iter().filter(|(_, on)| *on).map(|(name, _)| format!("--{name}"));
    options.chain(flags).collect()
}

/// Returns each option with its values, one per repetition.
fn options_with_values(request: &RenderRequest) -> Vec<(&'static str, Vec<String>)> {
    let RenderRequest { scene, light, debug_view: view, .. } = request;
    let crowd = &scene.crowd;
    let clips = (!crowd.clips.is_empty()).then(|| separated(&crowd.clips));
    let own_samples = request.samples.filter(|samples| *samples != request.quality.default_samples());
    let operator = TONE_MAPPINGS.into_iter().find(|(operator, ..)| Some(*operator) == light.tone_mapping);
    let limits = scene.import.limits.iter().map(|(limit, value)| format!("{limit}={}", limit.format(*value)));
    let overlays: Vec<&str> =
        OVERLAYS.into_iter().filter(|(overlay, ..)| view.has(*overlay)).map(|(_, name, _)| name).collect();
    let on_or_off = |on: bool| if on { "on" } else { "off" };
    // Adding 0 turns -0 into 0.
    vec![
        ("clip", texts(&scene.clip)),
        ("time", texts([scene.time])),
        ("scene", texts(&scene.scene)),
        ("variant", texts(&scene.variant)),
        ("clips-from", texts(scene.motion.clip_sources.iter().map(|file| file.display()))),
        ("feet-on", texts(&scene.motion.feet_on)),
        ("look-at", texts(scene.motion.look_at)),
        ("layer", texts(&scene.layers)),
        ("flex", texts(scene.flex)),
        ("pose", texts(&scene.joint_poses)),
        ("expression", texts(&scene.expressions)),
        ("morph-weight", texts(&scene.morph_weights)),
        ("instances", texts([crowd.instances])),
        ("layout", texts(&crowd.layout)),
        ("clips", texts(clips)),
        ("phase-spread", texts(crowd.phase_spread)),
        ("speed-spread", texts([crowd.speed_spread + 0.0])),
        ("seed", texts([crowd.seed])),
        ("size", texts([request.size.map(|side| side.to_string()).join("x")])),
        ("eye", texts(request.eye.map(|eye| separated(&eye)))),
        ("target", texts(request.target.map(|target| separated(&target)))),
        ("fov", texts(request.fov_degrees)),
        ("camera", texts(&request.camera)),
        ("background", texts(request.background)),
        ("environment", texts(&light.environment)),
        ("environment-rotation", texts([light.environment_rotation_degrees + 0.0])),
        ("environment-intensity", texts([light.environment_intensity])),
        ("light", texts(light.lights.iter().map(|light| separated(light)))),
        ("file-lights", texts(light.file_lights.map(on_or_off))),
        ("exposure", texts([light.exposure()])),
        ("tone-mapping", texts(operator.map(|(_, name, _)| name))),
        ("occlusion", texts([on_or_off(light.occlusion())])),
        ("shadow-catcher", texts([on_or_off(light.shadow_catcher())])),
        ("view-mode", texts(&view.view_mode)),
        ("skinning", texts(view.skinning.map(skinning_name))),
        ("joint", texts(&view.joint)),
        ("ghosts", texts(view.ghosts)),
        ("motion-path", texts(&view.motion_paths)),
        ("hide", texts(&view.hide)),
        ("isolate", texts(&view.isolate)),
        ("highlight", texts(&view.highlight)),
        ("quality", texts([if request.quality == Quality::High { "high" } else { "standard" }])),
        ("samples", texts(own_samples)),
        ("anisotropy", texts([request.anisotropy])),
        ("lod", texts([if request.level_of_detail { "auto" } else { "off" }])),
        ("limit", texts(limits)),
        ("converter", texts(&scene.conversion.converter)),
        ("overlay", texts((!overlays.is_empty()).then(|| overlays.join(",")))),
    ]
}

/// Returns the options without a value.
fn flags(request: &RenderRequest) -> [(&'static str, bool); 4] {
    let RenderRequest { scene, .. } = request;
    [
        ("retarget", scene.motion.retarget),
        ("orthographic", request.orthographic),
        ("ignore-required", scene.ignore_required),
        ("allow-external-files", scene.import.allow_external_paths),
    ]
}

fn texts<T: ToString>(values: impl IntoIterator<Item = T>) -> Vec<String> {
    values.into_iter().map(|value| value.to_string()).collect()
}

/// Returns the values, separated by commas.
fn separated<T: ToString>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

/// The shell that a command is quoted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// A POSIX shell.
    Posix,
    /// cmd.exe and PowerShell.
    Windows,
}

impl Shell {
    /// That of this system.
    pub const NATIVE: Self = if cfg!(windows) { Self::Windows } else { Self::Posix };
}

/// Returns the shell command that renders `request`, with `file` as the first model. A name like an option gets `./` in front.
///
/// Texts in images are for [`Shell::Posix`] on every system, so that images are equal.
pub fn shot_command_line(request: &RenderRequest, file: &Path, shell: Shell) -> String {
    let file_word = |file: String| if file.starts_with('-') { format!("./{file}") } else { file };
    let quoted = |word: &str| quoted(word, shell);
    let mut words = vec!["rigview".to_owned(), "shot".to_owned(), quoted(&file_word(file.to_string_lossy().into()))];
    words.extend(request.scene.crowd.other_models.iter().map(|model| quoted(&file_word(model.to_string()))));
    words.extend(shot_options(request).iter().map(|option| quoted(option)));
    words.extend(["-o".to_owned(), PLACEHOLDER_OUTPUT.to_owned()]);
    words.join(" ")
}

/// Quotes a word. Programs on Windows do not understand single quotes.
fn quoted(word: &str, shell: Shell) -> String {
    let own = if shell == Shell::Windows { '\\' } else { '%' };
    let plain = |c: char| c.is_alphanumeric() || "-_=+./,:@".contains(c) || c == own;
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    let word = one_line(word);
    if shell == Shell::Posix {
        return format!("'{}'", word.replace('\'', "'\\''"));
    }
    // Backslashes before a double quote, also the closing one, are doubled.
    let parts: Vec<String> = word
        .split('"')
        .map(|part| part.to_owned() + &"\\".repeat(part.len() - part.trim_end_matches('\\').len()))
        .collect();
    format!("\"{}\"", parts.join("\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::LayoutRequest;
    use std::collections::BTreeSet;

    #[test]
    fn every_option_is_written() {
        let request = RenderRequest::new(PathBuf::new());
        let mut written: BTreeSet<&str> = options_with_values(&request).iter().map(|(name, _)| *name).collect();
        written.extend(flags(&request).map(|(name, _)| name));
        // The output is no part of a request.
        written.insert("output");
        let command = ShotCommandLine::command();
        let parsed: BTreeSet<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
        assert_eq!(written, parsed);
    }

    #[test]
    fn options_round_trip() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let all = words(
            "--clip=Walk --time=-0.5 --scene=1 --instances=3 --size=64x32 --eye=-1,2.5,3 --target=0,0,0 --fov=40 \
             --background=0,0.5,1 --light=0,1,0,3 --light=-1,0,0,2 --samples=1 --limit=images=4G --limit=elements=7 --ignore-required --allow-external-files",
        );
        let at = all.iter().position(|option| option == "--ignore-required").unwrap();
        let all = [&all[..at], &["--converter='my tool' {in} {out}".to_owned()], &all[at..]].concat();
        let models = ["b.glb", "c.glb:4"].map(str::to_owned);
        let request = parse_shot_options(PathBuf::from("-a b.glb"), &[&all[..], &models].concat()).unwrap();
        assert_eq!(shot_options(&request), all);
        for (shell, model) in [(Shell::Posix, "'./-a b.glb'"), (Shell::Windows, "\"./-a b.glb\"")] {
            let command = shot_command_line(&request, Path::new("-a b.glb"), shell);
            assert!(
                command.starts_with(&format!("rigview shot {model} b.glb c.glb:4 --clip=Walk --time=-0.5 ")),
                "{command}"
            );
        }
        let view = words(
            "--view-mode=weights:b_Head_05 --joint=4 --ghosts=3:0.05 --motion-path=a --motion-path=b --hide=Head --hide=node:rig:Hips --hide=mesh:a --isolate=material:b --highlight=skin:0 --overlay=skeleton,axes,wireframe,bounds,grid,scale-figure,motion-source,rest-pose,legend",
        );
        assert_eq!(shot_options(&parse_shot_options("a".into(), &view).unwrap()), view);
        for mode in ["--skinning=rigid", "--view-mode=vertex-colors", "--view-mode=weights:a b:c"] {
            let view = [mode.to_owned()];
            assert_eq!(shot_options(&parse_shot_options("a".into(), &view).unwrap()), view);
        }
        let crowd = words(
            "--instances=500 --layout=scatter --clips=Walk:2,Run,a:1:1,walk.glb:0.5 --phase-spread=0.25 --speed-spread=0.1 \
             --seed=7 --size=64x32",
        );
        assert_eq!(shot_options(&parse_shot_options("a".into(), &crowd).unwrap()), crowd);
        let posed = words(
            "--clips-from=walk.glb --feet-on=slope:20 --look-at=-0.5,1.6,3 --layer=Run:0.5 --layer=Walk:1@0.25 --pose=Head=0,30,-5 --pose=tail=1,2,3,4,5,6 --expression=happy=0.5 --morph-weight=Face:smile=0.5",
        );
        assert_eq!(shot_options(&parse_shot_options("a".into(), &posed).unwrap()), posed);
        let camera = words("--look-at=camera --retarget");
        assert_eq!(shot_options(&parse_shot_options("a".into(), &camera).unwrap()), camera);
        let light = words(
            "--environment=sunset --environment-rotation=-30 --light=0,1,0,3 --file-lights=on --exposure=auto --tone-mapping=agx",
        );
        assert_eq!(shot_options(&parse_shot_options("a".into(), &light).unwrap()), light);
        let street = words("--layout=a-street.csv");
        assert_eq!(shot_options(&parse_shot_options("a".into(), &street).unwrap()), street);
        let parallel = words("--eye=1,2,3 --fov=40 --anisotropy=8 --lod=auto --orthographic");
        assert_eq!(shot_options(&parse_shot_options("a".into(), &parallel).unwrap()), parallel);
        for high in ["--quality=high", "--quality=high --samples=4"] {
            assert_eq!(shot_options(&parse_shot_options("a".into(), &words(high)).unwrap()), words(high));
        }
        let percent = words("--time=12.5%");
        assert_eq!(shot_options(&parse_shot_options("a".into(), &percent).unwrap()), percent);
        let camera = words("--camera=Front --background=transparent");
        assert_eq!(shot_options(&parse_shot_options("a".into(), &camera).unwrap()), camera);
        let plain = parse_shot_options("a".into(), &[]).unwrap();
        assert_eq!(plain, RenderRequest::new("a".into()));
        let command = |file: &str| shot_command_line(&plain, Path::new(file), Shell::Posix);
        assert_eq!(command("/some folder/a.glb"), "rigview shot '/some folder/a.glb' -o OUT.png");
        assert_eq!(command("-a.glb"), "rigview shot ./-a.glb -o OUT.png");
    }

    #[test]
    fn array_of_a_vector_option_is_one_value_in_suites() {
        let command = ShotCommandLine::command();
        let is_vector = |form: &str| form.split('|').any(|form| form.starts_with("X,Y,Z") || form.starts_with("R,G,B"));
        let vectors = command.get_arguments().filter(|argument| {
            argument.get_value_names().is_some_and(|names| names.iter().any(|name| is_vector(name)))
        });
        let names: Vec<&str> = vectors.filter_map(Arg::get_long).collect();
        assert!(names.len() >= 5, "{names:?}");
        for name in names {
            let text = format!("[[shot]]\nmodel = \"a.glb\"\n{name} = [0, 1, 0.5]\n");
            let suite = rigview_suite::suite::from_text(
                &text,
                Path::new("."),
                &shot_option_names(),
                rigview_suite::suite::Trust::Trusted,
            )
            .unwrap();
            let options: Vec<&[String]> = suite.shots.iter().map(|shot| shot.options.as_slice()).collect();
            assert_eq!(options, [[format!("--{name}=0,1,0.5")]]);
        }
    }

    #[test]
    fn words_are_quoted_per_system() {
        assert_eq!(quoted("it's", Shell::Posix), r"'it'\''s'");
        assert_eq!(quoted("100%", Shell::Posix), "100%");
        assert_eq!(quoted(r"C:\models\a.glb", Shell::Windows), r"C:\models\a.glb");
        assert_eq!(quoted(r"C:\my models\", Shell::Windows), r#""C:\my models\\""#);
        assert_eq!(quoted(r#"say \"hi""#, Shell::Windows), r#""say \\\"hi\"""#);
        assert_eq!(quoted("it's", Shell::Windows), r#""it's""#);
        for word in ["it's", "100%", r"C:\my models\", r#"say \"hi""#, r"\\srv\a b", r"it\'s", "'", ""] {
            for shell in [Shell::Posix, Shell::Windows] {
                let command =
                    rigview_suite::report::ShotCommand::parse(&format!("rigview shot {}", quoted(word, shell)));
                assert_eq!(command.models, [word], "{shell:?}");
            }
        }
    }

    #[test]
    fn option_files_resolve_relative_to_the_folder() {
        let environment = |name: &str| {
            let request = parse_shot_options("a".into(), &[format!("--environment={name}")]).unwrap();
            request.with_files_in(Path::new("suites")).light.environment.unwrap().to_string()
        };
        assert_eq!(environment("sky.hdr"), Path::new("suites").join("sky.hdr").to_str().unwrap());
        assert_eq!(environment("/sky.hdr"), "/sky.hdr");
        let ground = parse_shot_options("a".into(), &["--feet-on=hill.glb".to_owned()]).unwrap();
        let ground = ground.with_files_in(Path::new("suites")).scene.motion.feet_on.unwrap();
        assert_eq!(ground.file(), Some(Path::new("suites").join("hill.glb").as_path()));
        for name in ["neutral", "overcast", "sunset", "night", "none"] {
            assert_eq!(environment(name), name);
        }
        let crowd = ["--layout=street.csv".to_owned(), "--clips=Walk,b.glb:2".to_owned()];
        let crowd = parse_shot_options("a".into(), &crowd).unwrap().with_files_in(Path::new("s")).scene.crowd;
        assert_eq!(crowd.layout, Some(LayoutRequest::File(Path::new("s").join("street.csv"))));
        assert_eq!(crowd.clips[0].to_string(), "Walk");
        assert_eq!(crowd.clips[1].clip_source(), Some(Path::new("s").join("b.glb").as_path()));
    }

    #[test]
    fn parse_errors_are_one_line() {
        for (option, expected) in [
            ("--size=1", "invalid value '1' for '--size <WxH>': expected a width and a height"),
            ("--sise=1x1", "unexpected argument '--sise' found; did you mean `size`?"),
            ("--time=soon", "`soon` is not a number"),
            ("--time=101%", "expected a percentage from 0% to 100%"),
            ("--view-mode=heat", "expected one of material, solid, weights"),
            ("--view-mode=weights", "expected a joint, such as weights:Head"),
            ("--view-mode=depth:Head", "`depth` takes no joint"),
            ("--look-at=1,2", "expected `camera`, or a point such as 0,1.6,3"),
            ("--ghosts=0", "a number from 1 to 20"),
            ("--ghosts=2:0", "seconds above 0"),
        ] {
            let error = parse_shot_options("a".into(), &[option.to_owned()]).unwrap_err();
            assert!(error.contains(expected) && !error.contains('\n'), "{error}");
        }
        let both = ["--camera=0".to_owned(), "--fov=40".to_owned()];
        let error = parse_shot_options("a".into(), &both).unwrap_err();
        assert!(error.contains("cannot be used with"), "{error}");
    }
}
