//! The arguments of `shot` from words, and back to a command line.

use super::{BackgroundArg, ClipShare, CrowdArgs, LayoutArg, LightArgs, LookArgs, PoseArgs, ShotArgs, TrustArgs};
use crate::util::text::one_line;
use clap::{Parser, ValueEnum};
use std::path::{Path, PathBuf};

/// What stands for the picture's file where only the picture matters.
const ANY_OUTPUT: &str = "OUT.png";

#[derive(Parser)]
#[command(name = "rigview shot", no_binary_name = true, disable_help_flag = true)]
struct ShotLine {
    #[command(flatten)]
    args: ShotArgs,
}

impl ShotArgs {
    /// The arguments for a picture of `file`, with options such as `--time=0.5`. The error is one line.
    pub fn from_options(file: PathBuf, options: &[String]) -> Result<Self, String> {
        let mut words: Vec<std::ffi::OsString> = options.iter().map(Into::into).collect();
        words.extend(["-o".into(), ANY_OUTPUT.into(), "--".into(), file.into()]);
        ShotLine::try_parse_from(words).map(|line| line.args.gathered()).map_err(|error| {
            let text = error.to_string();
            let text = text.split("\n\n").next().unwrap_or_default();
            let text = text.strip_prefix("error: ").unwrap_or(text);
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        })
    }

    /// The same with the files that its options name taken from `folder` on, as a suite's are; a new option of a file belongs
    /// here.
    #[must_use]
    pub fn with_files_in(mut self, folder: &Path) -> Self {
        let environment = self.light.environment.as_mut();
        if let Some(file) = environment.filter(|name| !["neutral", "none"].contains(&name.as_str())) {
            *file = folder.join(&file).to_string_lossy().into_owned();
        }
        if let Some(LayoutArg::File(file)) = &mut self.pose.crowd.layout {
            *file = folder.join(&file);
        }
        for file in &mut self.pose.borrow {
            *file = folder.join(&file);
        }
        for party in &mut self.pose.crowd.with {
            party.file = folder.join(&party.file);
        }
        for share in &mut self.pose.crowd.clips {
            if let Some(file) = share.lender() {
                share.clip = folder.join(file).to_string_lossy().into_owned();
            }
        }
        self
    }

    /// The same with what `trust` grants to all models; what a picture's own options say of a limit goes first.
    #[must_use]
    pub fn trusted_as(mut self, trust: &TrustArgs) -> Self {
        let own = &mut self.pose.trust;
        own.allow_external_paths |= trust.allow_external_paths;
        own.limits = [trust.limits.as_slice(), &own.limits].concat();
        self
    }

    /// The arguments of a picture of `file` without options.
    ///
    /// # Panics
    /// Never: a picture without options is a picture.
    pub fn usual(file: PathBuf) -> Self {
        Self::from_options(file, &[]).expect("no option is needed")
    }

    /// The options that make the picture what it is, but for those that are as usual.
    pub fn options(&self) -> Vec<String> {
        // Named one by one, so that a new argument is not forgotten.
        let Self {
            file: _,
            others: _,
            output: _,
            pose,
            size: [width, height],
            eye,
            target,
            fov,
            camera,
            background,
            light,
            look,
            samples,
        } = self;
        let LightArgs {
            environment,
            environment_rotation,
            environment_intensity,
            lights,
            ground,
            exposure,
            tone_mapping,
        } = light;
        let LookArgs {
            look: surface,
            wireframe,
            skeleton,
            axes,
            joint,
            bounds,
            grid,
            ghosts,
            trails,
            rest_beside,
            legend,
        } = look;
        let PoseArgs { clip, time, scene, variant, borrow, layers, puts, morphs, ignore_required, trust, crowd } = pose;
        let CrowdArgs { instances, with, layout, clips, phase_spread, speed_spread, seed } = crowd;
        let TrustArgs { allow_external_paths, limits } = trust;
        let usual = ShotLine::try_parse_from(["-o", ANY_OUTPUT, "FILE"]).map(|line| line.args).ok();
        let is_usual = |same: &dyn Fn(&Self) -> bool| usual.as_ref().is_some_and(same);
        let listed = |numbers: &[f64]| numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        let mut options = Vec::new();
        let mut add = |name: &str, value: Option<String>| {
            options.extend(value.map(|value| format!("--{name}={value}")));
        };
        add("clip", clip.clone());
        add("time", (*time != 0.0).then(|| time.to_string()));
        add("scene", scene.clone());
        add("variant", variant.clone());
        borrow.iter().for_each(|file| add("borrow", Some(file.display().to_string())));
        layers.iter().for_each(|layer| add("layer", Some(layer.to_string())));
        puts.iter().for_each(|put| add("put", Some(put.to_string())));
        morphs.iter().for_each(|morph| add("morph", Some(morph.to_string())));
        add("instances", (*instances != 1).then(|| instances.to_string()));
        with.iter().for_each(|party| add("with", Some(party.to_string())));
        add("layout", layout.as_ref().map(LayoutArg::to_string));
        let listed_clips = || clips.iter().map(ClipShare::to_string).collect::<Vec<_>>().join(",");
        add("clips", (!clips.is_empty()).then(listed_clips));
        add("phase-spread", phase_spread.map(|spread| spread.to_string()));
        add("speed-spread", (*speed_spread != 0.0).then(|| speed_spread.to_string()));
        add("seed", (*seed != 0).then(|| seed.to_string()));
        add("size", (!is_usual(&|usual| usual.size == self.size)).then(|| format!("{width}x{height}")));
        add("eye", eye.map(|eye| listed(&eye)));
        add("target", target.map(|target| listed(&target)));
        add("fov", fov.map(|fov| fov.to_string()));
        add("camera", camera.clone());
        add(
            "background",
            background.map(|background| match background {
                BackgroundArg::Color(color) => listed(&color),
                BackgroundArg::Transparent => "transparent".to_owned(),
                BackgroundArg::Environment(blur) => format!("environment:{blur}"),
            }),
        );
        add("environment", environment.clone());
        add("environment-rotation", (*environment_rotation != 0.0).then(|| environment_rotation.to_string()));
        add("environment-intensity", (*environment_intensity != 1.0).then(|| environment_intensity.to_string()));
        lights.iter().for_each(|light| add("light", Some(listed(light))));
        add("exposure", (*exposure != 0.0).then(|| exposure.to_string()));
        let curve = tone_mapping.and_then(|curve| curve.to_possible_value());
        add("tone-mapping", curve.map(|curve| curve.get_name().to_owned()));
        add("look", surface.as_ref().map(ToString::to_string));
        add("joint", joint.clone());
        add("ghosts", ghosts.map(|ghosts| ghosts.to_string()));
        trails.iter().for_each(|joint| add("trail", Some(joint.clone())));
        add("samples", (!is_usual(&|usual| usual.samples == *samples)).then(|| samples.to_string()));
        for (limit, value) in limits {
            add("limit", Some(format!("{limit}={}", limit.format(*value))));
        }
        let flags = [
            ("wireframe", wireframe),
            ("skeleton", skeleton),
            ("axes", axes),
            ("bounds", bounds),
            ("grid", grid),
            ("ground", ground),
            ("rest-beside", rest_beside),
            ("legend", legend),
            ("ignore-required", ignore_required),
            ("allow-external-files", allow_external_paths),
        ];
        options.extend(flags.iter().filter(|(_, on)| **on).map(|(name, _)| format!("--{name}")));
        options
    }

    /// The command that makes this picture, for a shell. `file` is how it calls the model; of a path from the root only
    /// the file's name is told, since the rest is another machine's business.
    pub fn command(&self, file: &Path) -> String {
        let name = if file.is_absolute() { file.file_name().map_or(file, Path::new) } else { file };
        let mut words = vec!["rigview".to_owned(), "shot".to_owned(), quoted(&name.to_string_lossy())];
        words.extend(self.options().iter().map(|option| quoted(option)));
        words.extend(["-o".to_owned(), ANY_OUTPUT.to_owned()]);
        words.join(" ")
    }
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=+./,:%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", one_line(word).replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_back_as_they_were() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let all = words(
            "--clip=Walk --time=-0.5 --scene=1 --instances=3 --with=b.glb --with=c.glb:4 --size=64x32 --eye=-1,2.5,3 --target=0,0,0 --fov=40 \
             --background=0,0.5,1 --light=0,1,0,3 --light=-1,0,0,2 --samples=1 --limit=images=4G --limit=elements=7 --ignore-required --allow-external-files",
        );
        let args = ShotArgs::from_options(PathBuf::from("-a b.glb"), &all).unwrap();
        assert_eq!(args.options(), all);
        assert!(args.command(Path::new("-a b.glb")).starts_with("rigview shot '-a b.glb' --clip=Walk --time=-0.5 "));
        let look = words(
            "--look=weights:b_Head_05 --joint=4 --ghosts=3:0.05 --trail=a --trail=b --wireframe --skeleton --axes --bounds \
             --grid --rest-beside --legend",
        );
        assert_eq!(ShotArgs::from_options("a".into(), &look).unwrap().options(), look);
        for look in ["--look=rigid", "--look=vertex-colors", "--look=weights:a b:c"] {
            let look = [look.to_owned()];
            assert_eq!(ShotArgs::from_options("a".into(), &look).unwrap().options(), look);
        }
        let crowd = words(
            "--instances=500 --layout=scatter --clips=Walk:2,Run,a:1:1,walk.glb:0.5 --phase-spread=0.25 --speed-spread=0.1 \
             --seed=7 --size=64x32",
        );
        assert_eq!(ShotArgs::from_options("a".into(), &crowd).unwrap().options(), crowd);
        let posed = words(
            "--borrow=walk.glb --layer=Run:0.5 --layer=Walk:1@0.25 --put=Head=0,30,-5 --put=tail=1,2,3,4,5,6 --morph=Face:smile=0.5",
        );
        assert_eq!(ShotArgs::from_options("a".into(), &posed).unwrap().options(), posed);
        let street = words("--layout=a-street.csv");
        assert_eq!(ShotArgs::from_options("a".into(), &street).unwrap().options(), street);
        let camera = words("--camera=Front --background=transparent");
        assert_eq!(ShotArgs::from_options("a".into(), &camera).unwrap().options(), camera);
        let plain = ShotArgs::from_options("a".into(), &[]).unwrap();
        assert_eq!(plain.command(Path::new("/somewhere/a.glb")), "rigview shot a.glb -o OUT.png");
    }

    #[test]
    fn files_of_a_suite_are_taken_from_its_folder() {
        let environment = |name: &str| {
            let args = ShotArgs::from_options("a".into(), &[format!("--environment={name}")]).unwrap();
            args.with_files_in(Path::new("suites")).light.environment.unwrap()
        };
        assert_eq!(environment("sky.hdr"), Path::new("suites").join("sky.hdr").to_str().unwrap());
        assert_eq!(environment("/sky.hdr"), "/sky.hdr");
        assert_eq!((environment("neutral").as_str(), environment("none").as_str()), ("neutral", "none"));
        let crowd = ["--layout=street.csv".to_owned(), "--clips=Walk,b.glb:2".to_owned()];
        let crowd = ShotArgs::from_options("a".into(), &crowd).unwrap().with_files_in(Path::new("s")).pose.crowd;
        assert_eq!(crowd.layout, Some(LayoutArg::File(Path::new("s").join("street.csv"))));
        assert_eq!(crowd.clips[0].to_string(), "Walk");
        assert_eq!(crowd.clips[1].lender(), Some(Path::new("s").join("b.glb").as_path()));
    }

    #[test]
    fn a_refusal_is_one_line() {
        for (option, expected) in [
            ("--size=1", "invalid value '1' for '--size <WxH>': expected a width and a height"),
            ("--sise=1x1", "unexpected argument '--sise' found"),
            ("--time=soon", "`soon` is not a number"),
            ("--look=heat", "expected one of material, solid, weights"),
            ("--look=weights", "which joint? Such as weights:Head"),
            ("--look=depth:Head", "`depth` takes no joint"),
            ("--ghosts=0", "a number from 1 to 20"),
            ("--ghosts=2:0", "seconds above 0"),
        ] {
            let refusal = ShotArgs::from_options("a".into(), &[option.to_owned()]).unwrap_err();
            assert!(refusal.contains(expected) && !refusal.contains('\n'), "{refusal}");
        }
        let both = ["--camera=0".to_owned(), "--fov=40".to_owned()];
        let refusal = ShotArgs::from_options("a".into(), &both).unwrap_err();
        assert!(refusal.contains("cannot be used with"), "{refusal}");
    }
}
