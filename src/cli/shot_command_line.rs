//! Options of `shot`: parsing into a request, and back into a command line.

use super::ShotArgs;
use crate::request::{
    BackgroundRequest, ClipWeight, CrowdRequest, DebugViewRequest, ExposureRequest, ImportRequest, LayoutRequest,
    LightRequest, Quality, RenderRequest, SceneRequest, TONE_MAPPINGS,
};
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser};
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

/// Returns the long names of all options of `shot`, with aliases.
pub fn shot_option_names() -> Vec<String> {
    let command = ShotCommandLine::command();
    let names = command.get_arguments().filter_map(|argument| argument.get_long_and_visible_aliases());
    let hidden = command.get_arguments().filter_map(|argument| argument.get_all_aliases());
    names.flatten().chain(hidden.flatten()).map(str::to_owned).collect()
}

/// Parses options such as `--time=0.5` for an image of `file`. An error is one line.
pub fn parse_shot_options(file: PathBuf, options: &[String]) -> Result<RenderRequest, String> {
    let mut words: Vec<std::ffi::OsString> = options.iter().map(Into::into).collect();
    words.extend(["-o".into(), PLACEHOLDER_OUTPUT.into(), "--".into(), file.into()]);
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
    // Exhaustive patterns, here and below: a new field is a compile error.
    let RenderRequest {
        file: _,
        scene,
        size,
        eye,
        target,
        fov_degrees,
        orthographic,
        camera,
        aperture,
        focus,
        shutter_secs,
        background,
        light,
        debug_view,
        quality,
        samples,
        level_of_detail,
    } = request;
    let defaults = RenderRequest::new(PathBuf::new());
    let mut options = Options::default();
    options.add_scene(scene);
    options.add("size", (*size != defaults.size).then(|| format!("{}x{}", size[0], size[1])));
    options.add("eye", eye.map(|eye| comma_separated(&eye)));
    options.add("target", target.map(|target| comma_separated(&target)));
    options.add("fov", fov_degrees.map(|fov| fov.to_string()));
    options.add_flag("orthographic", *orthographic);
    options.add("camera", camera.clone());
    options.add("aperture", aperture.map(|aperture| aperture.to_string()));
    options.add("focus", focus.map(|focus| focus.to_string()));
    options.add("shutter", shutter_secs.map(|shutter| shutter.to_string()));
    let background = background.map(|background| match background {
        BackgroundRequest::Color(color) => comma_separated(&color),
        BackgroundRequest::Transparent => "transparent".to_owned(),
        BackgroundRequest::Environment(blur) => format!("environment:{blur}"),
    });
    options.add("background", background);
    options.add_light(light);
    options.add_debug_view(debug_view);
    options.add("quality", (*quality == Quality::High).then(|| "high".to_owned()));
    options.add(
        "samples",
        samples.filter(|samples| *samples != quality.default_samples()).map(|samples| samples.to_string()),
    );
    options.add("lod", level_of_detail.then(|| "auto".to_owned()));
    let ImportRequest { allow_external_paths, limits } = &scene.import;
    for (limit, value) in limits {
        options.add("limit", Some(format!("{limit}={}", limit.format(*value))));
    }
    options.add_flag("ignore-required", scene.ignore_required);
    options.add_flag("allow-external-files", *allow_external_paths);
    [options.values, options.flags].concat()
}

/// Options with a value, and flags, which follow them.
#[derive(Default)]
struct Options {
    values: Vec<String>,
    flags: Vec<String>,
}

impl Options {
    fn add(&mut self, name: &str, value: Option<String>) {
        self.values.extend(value.map(|value| format!("--{name}={value}")));
    }

    /// Adds an option per item.
    fn add_each<T: ToString>(&mut self, name: &str, items: &[T]) {
        items.iter().for_each(|item| self.add(name, Some(item.to_string())));
    }

    fn add_number(&mut self, name: &str, number: f64, default: f64) {
        self.add(name, (number != default).then(|| number.to_string()));
    }

    fn add_flag(&mut self, name: &str, on: bool) {
        self.flags.extend(on.then(|| format!("--{name}")));
    }

    fn add_scene(&mut self, request: &SceneRequest) {
        let SceneRequest {
            clip,
            time_secs,
            scene,
            variant,
            clip_sources,
            layers,
            joint_poses,
            morph_weights,
            ignore_required: _,
            import: _,
            crowd,
        } = request;
        self.add("clip", clip.clone());
        self.add_number("time", *time_secs, 0.0);
        self.add("scene", scene.clone());
        self.add("variant", variant.clone());
        clip_sources.iter().for_each(|file| self.add("clips-from", Some(file.display().to_string())));
        self.add_each("layer", layers);
        self.add_each("pose", joint_poses);
        self.add_each("morph-weight", morph_weights);
        self.add_crowd(crowd);
    }

    fn add_crowd(&mut self, request: &CrowdRequest) {
        let CrowdRequest { instances, other_models, layout, clips, phase_spread, speed_spread, seed } = request;
        self.add("instances", (*instances != 1).then(|| instances.to_string()));
        self.add_each("add-model", other_models);
        self.add("layout", layout.as_ref().map(LayoutRequest::to_string));
        let clip_list = || clips.iter().map(ClipWeight::to_string).collect::<Vec<_>>().join(",");
        self.add("clips", (!clips.is_empty()).then(clip_list));
        self.add("phase-spread", phase_spread.map(|spread| spread.to_string()));
        self.add_number("speed-spread", *speed_spread, 0.0);
        self.add("seed", (*seed != 0).then(|| seed.to_string()));
    }

    fn add_light(&mut self, request: &LightRequest) {
        let LightRequest {
            environment,
            environment_rotation_degrees,
            environment_intensity,
            lights,
            file_lights,
            shadow_catcher,
            occlusion,
            exposure,
            tone_mapping,
        } = request;
        self.add("environment", environment.as_ref().map(ToString::to_string));
        self.add_number("environment-rotation", *environment_rotation_degrees, 0.0);
        self.add_number("environment-intensity", *environment_intensity, 1.0);
        lights.iter().for_each(|light| self.add("light", Some(comma_separated(light))));
        self.add("file-lights", file_lights.map(|on| if on { "on" } else { "off" }.to_owned()));
        self.add(
            "exposure",
            exposure.filter(|exposure| *exposure != ExposureRequest::Stops(0.0)).map(|exposure| exposure.to_string()),
        );
        let operator = TONE_MAPPINGS.into_iter().find(|(operator, ..)| Some(*operator) == *tone_mapping);
        self.add("tone-mapping", operator.map(|(_, name, _)| name.to_owned()));
        self.add("occlusion", (*occlusion == Some(true)).then(|| "on".to_owned()));
        self.add_flag("shadow-catcher", *shadow_catcher);
    }

    fn add_debug_view(&mut self, request: &DebugViewRequest) {
        let DebugViewRequest {
            view_mode,
            wireframe,
            skeleton,
            axes,
            joint,
            bounds,
            grid,
            ghosts,
            motion_paths,
            rest_pose,
            hide,
            isolate,
            highlight,
            legend,
        } = request;
        self.add("view-mode", view_mode.as_ref().map(ToString::to_string));
        self.add("joint", joint.clone());
        self.add("ghosts", ghosts.map(|ghosts| ghosts.to_string()));
        self.add_each("motion-path", motion_paths);
        self.add_flag("wireframe", *wireframe);
        self.add_flag("skeleton", *skeleton);
        self.add_flag("axes", *axes);
        self.add_flag("bounds", *bounds);
        self.add_flag("grid", *grid);
        self.add_flag("show-rest-pose", *rest_pose);
        hide.iter().for_each(|part| self.add("hide", Some(part.to_string())));
        self.add("isolate", isolate.as_ref().map(ToString::to_string));
        self.add("highlight", highlight.as_ref().map(ToString::to_string));
        self.add_flag("legend", *legend);
    }
}

fn comma_separated(numbers: &[f64]) -> String {
    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(",")
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

/// Returns the shell command that renders `request`, with `file` as the model. A name like an option gets `./` in front.
///
/// Texts in images are for [`Shell::Posix`] on every system, so that images are equal.
pub fn shot_command_line(request: &RenderRequest, file: &Path, shell: Shell) -> String {
    let file = file.to_string_lossy();
    let file = if file.starts_with('-') { format!("./{file}") } else { file.into_owned() };
    let quoted = |word: &str| quoted(word, shell);
    let mut words = vec!["rigview".to_owned(), "shot".to_owned(), quoted(&file)];
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

    #[test]
    fn options_round_trip() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let all = words(
            "--clip=Walk --time=-0.5 --scene=1 --instances=3 --add-model=b.glb --add-model=c.glb:4 --size=64x32 --eye=-1,2.5,3 --target=0,0,0 --fov=40 \
             --background=0,0.5,1 --light=0,1,0,3 --light=-1,0,0,2 --samples=1 --limit=images=4G --limit=elements=7 --ignore-required --allow-external-files",
        );
        let request = parse_shot_options(PathBuf::from("-a b.glb"), &all).unwrap();
        assert_eq!(shot_options(&request), all);
        for (shell, model) in [(Shell::Posix, "'./-a b.glb'"), (Shell::Windows, "\"./-a b.glb\"")] {
            let command = shot_command_line(&request, Path::new("-a b.glb"), shell);
            assert!(command.starts_with(&format!("rigview shot {model} --clip=Walk --time=-0.5 ")), "{command}");
        }
        let view = words(
            "--view-mode=weights:b_Head_05 --joint=4 --ghosts=3:0.05 --motion-path=a --motion-path=b --hide=Head --hide=node:rig:Hips --hide=mesh:a --isolate=material:b --highlight=skin:0 --wireframe --skeleton --axes --bounds \
             --grid --show-rest-pose --legend",
        );
        assert_eq!(shot_options(&parse_shot_options("a".into(), &view).unwrap()), view);
        for mode in ["--view-mode=rigid", "--view-mode=vertex-colors", "--view-mode=weights:a b:c"] {
            let view = [mode.to_owned()];
            assert_eq!(shot_options(&parse_shot_options("a".into(), &view).unwrap()), view);
        }
        let crowd = words(
            "--instances=500 --layout=scatter --clips=Walk:2,Run,a:1:1,walk.glb:0.5 --phase-spread=0.25 --speed-spread=0.1 \
             --seed=7 --size=64x32",
        );
        assert_eq!(shot_options(&parse_shot_options("a".into(), &crowd).unwrap()), crowd);
        let posed = words(
            "--clips-from=walk.glb --layer=Run:0.5 --layer=Walk:1@0.25 --pose=Head=0,30,-5 --pose=tail=1,2,3,4,5,6 --morph-weight=Face:smile=0.5",
        );
        assert_eq!(shot_options(&parse_shot_options("a".into(), &posed).unwrap()), posed);
        let light = words(
            "--environment=sunset --environment-rotation=-30 --light=0,1,0,3 --file-lights=on --exposure=auto --tone-mapping=agx",
        );
        assert_eq!(shot_options(&parse_shot_options("a".into(), &light).unwrap()), light);
        let street = words("--layout=a-street.csv");
        assert_eq!(shot_options(&parse_shot_options("a".into(), &street).unwrap()), street);
        let parallel = words("--eye=1,2,3 --fov=40 --lod=auto --orthographic");
        assert_eq!(shot_options(&parse_shot_options("a".into(), &parallel).unwrap()), parallel);
        for high in ["--quality=high", "--quality=high --samples=4"] {
            assert_eq!(shot_options(&parse_shot_options("a".into(), &words(high)).unwrap()), words(high));
        }
        let lens = words("--aperture=0.03 --focus=2 --shutter=0.02 --quality=high");
        assert_eq!(shot_options(&parse_shot_options("a".into(), &lens).unwrap()), lens);
        assert_eq!(shot_options(&parse_shot_options("a".into(), &lens[..3]).unwrap()), lens);
        let camera = words("--camera=Front --background=transparent");
        assert_eq!(shot_options(&parse_shot_options("a".into(), &camera).unwrap()), camera);
        let plain = parse_shot_options("a".into(), &[]).unwrap();
        assert_eq!(plain, RenderRequest::new("a".into()));
        let command = |file: &str| shot_command_line(&plain, Path::new(file), Shell::Posix);
        assert_eq!(command("/some folder/a.glb"), "rigview shot '/some folder/a.glb' -o OUT.png");
        assert_eq!(command("-a.glb"), "rigview shot ./-a.glb -o OUT.png");
    }

    #[test]
    fn words_are_quoted_per_system() {
        assert_eq!(quoted("it's", Shell::Posix), r"'it'\''s'");
        assert_eq!(quoted("100%", Shell::Posix), "100%");
        assert_eq!(quoted(r"C:\models\a.glb", Shell::Windows), r"C:\models\a.glb");
        assert_eq!(quoted(r"C:\my models\", Shell::Windows), r#""C:\my models\\""#);
        assert_eq!(quoted(r#"say \"hi""#, Shell::Windows), r#""say \\\"hi\"""#);
        assert_eq!(quoted("it's", Shell::Windows), r#""it's""#);
    }

    #[test]
    fn option_files_resolve_relative_to_the_folder() {
        let environment = |name: &str| {
            let request = parse_shot_options("a".into(), &[format!("--environment={name}")]).unwrap();
            request.with_files_in(Path::new("suites")).light.environment.unwrap().to_string()
        };
        assert_eq!(environment("sky.hdr"), Path::new("suites").join("sky.hdr").to_str().unwrap());
        assert_eq!(environment("/sky.hdr"), "/sky.hdr");
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
            ("--view-mode=heat", "expected one of material, solid, weights"),
            ("--view-mode=weights", "expected a joint, such as weights:Head"),
            ("--view-mode=depth:Head", "`depth` takes no joint"),
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
