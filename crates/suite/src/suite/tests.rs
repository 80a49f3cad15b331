use super::*;
use crate::compare::Tolerances;
use std::collections::HashSet;
use std::path::Path;

/// Some options of `rigview shot`.
fn options() -> Vec<String> {
    let options = "background camera clip environment eye fov ignore-required instances light limit morph-weight output overlay samples \
                   size target time wireframe";
    options.split_whitespace().map(str::to_owned).collect()
}

fn read(text: &str, folder: &Path) -> Result<Suite, SuiteError> {
    from_text(text, folder, &options(), Trust::Trusted)
}

fn shots(text: &str) -> Vec<Shot> {
    read(text, Path::new(".")).unwrap_or_else(|e| panic!("{e}")).shots
}

fn names(text: &str) -> Vec<String> {
    shots(text).into_iter().map(|shot| shot.name).collect()
}

fn refusal(text: &str) -> String {
    read(text, Path::new(".")).unwrap_err().to_string()
}

#[test]
fn arrays_of_values_expand_in_a_fixed_order() {
    let text = r#"
        [[shot]]
        model = "fox.glb"
        time = [0, 0.50]
        clip = ["Walk", "Run|fast"]
    "#;
    assert_eq!(names(text), ["fox-Walk-t0", "fox-Walk-t0.5", "fox-Run_fast-t0", "fox-Run_fast-t0.5"]);
    assert_eq!(shots(text)[3].options, ["--clip=Run|fast", "--time=0.5"]);
    assert_eq!(shots(text)[0].line, 2);
}

/// A glTF file with clips of these names in `folder`.
fn write_model(folder: &Path, file: &str, clips: &str) {
    std::fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
    std::fs::write(folder.join(file), format!("{{\"asset\": {{}}, \"animations\": [{clips}], \"nodes\": []}}"))
        .unwrap();
}

#[test]
fn every_clip_makes_a_shot_per_clip() {
    let folder = tempfile::tempdir().unwrap();
    let clips =
        r#"{"name": "Run|fast"}, {"name": "Run_Fast"}, {"name": "Run|fast"}, {}, {"name": 3}, {"name": "none"}"#;
    write_model(folder.path(), "fox.gltf", clips);
    write_model(folder.path(), "chair.gltf", "");
    std::fs::write(folder.path().join("broken.gltf"), "{").unwrap();
    let shots = |table: &str| read(&format!("[[shot]]\nclip = \"*\"\n{table}"), folder.path()).unwrap().shots;
    let fox = shots("model = \"fox.gltf\"\ntime = \"50%\"");
    let options: Vec<&str> = fox.iter().map(|shot| shot.options[0].as_str()).collect();
    assert_eq!(options, ["Run|fast", "Run_Fast", "2", "3", "4", "5"].map(|clip| format!("--clip={clip}")));
    assert_eq!(fox[0].options[1], "--time=50%");
    let names: Vec<&str> = fox.iter().map(|shot| shot.name.as_str()).collect();
    let expected = ["Run_fast", "Run_Fast-1", "2", "3", "4", "5"].map(|clip| format!("fox-{clip}-t50pct"));
    assert_eq!(names, expected);
    // A model without clips shows its rest pose; one that cannot be read fails as a shot.
    let others = shots("name = \"all\"\nmodel = [\"chair.gltf\", \"broken.gltf\"]");
    let others: Vec<(&str, &str)> = others.iter().map(|shot| (shot.name.as_str(), shot.options[0].as_str())).collect();
    assert_eq!(others, [("all-chair-none", "--clip=none"), ("all-broken-_", "--clip=*")]);
    let listed = read("[[shot]]\nmodel = \"fox.gltf\"\nclip = [\"*\", \"none\"]", folder.path()).unwrap();
    assert_eq!(listed.shots.len(), 7);
    let long = format!("{{\"name\": \"{}\"}}", "体".repeat(100));
    write_model(folder.path(), "long.gltf", &[long.as_str(), long.as_str()].join(","));
    assert_eq!(shots("model = \"long.gltf\"").len(), 2, "names are cut");
}

#[test]
fn models_and_clips_without_a_shot_are_found() {
    let folder = tempfile::tempdir().unwrap();
    write_model(folder.path(), "models/fox.gltf", r#"{"name": "Walk"}, {"name": "Run"}, {"name": "Walk"}, {}"#);
    for model in ["models/hare.gltf", "models/new/elk.gltf", "other/bear.gltf", "models/clips.gltf"] {
        write_model(folder.path(), model, r#"{"name": "Idle"}"#);
    }
    std::fs::write(folder.path().join("models/fox.bin"), "").unwrap();
    let shot = |file: &str, clips: Option<&[&str]>| ModelOfShot {
        file: folder.path().join(file),
        clips: clips.map(|clips| clips.iter().map(|clip| (*clip).to_owned()).collect()),
    };
    let is_model = |file: &Path| file.extension().is_some_and(|extension| extension == "gltf");
    let found = |shots: &[ModelOfShot]| -> Vec<String> {
        let found = uncovered(shots, is_model).unwrap().into_iter();
        let start = format!("{}/", folder.path().display());
        found.map(|text| text.replace('\\', "/").replace(&start.replace('\\', "/"), "")).collect()
    };
    let fox = [shot("models/fox.gltf", Some(&["Walk"])), shot("models/fox.gltf", Some(&["3", "none"]))];
    let clips = shot("models/clips.gltf", None);
    assert_eq!(
        found(&[&fox[..], std::slice::from_ref(&clips)].concat()),
        ["models/fox.gltf: clip `Run`", "models/fox.gltf: clip `Walk`", "models/hare.gltf", "models/new/elk.gltf"]
    );
    let all = [shot("models/fox.gltf", Some(&["1", "2"])), shot("models/hare.gltf", Some(&["0"]))];
    let elk = shot("models/new/elk.gltf", Some(&["Idle"]));
    assert!(found(&[&fox[..], &all, &[clips, elk, shot("missing/a.gltf", None)]].concat()).is_empty());
}

#[test]
fn kinds_take_their_own_keys() {
    let text = r#"
        [defaults]
        size = "64x64"
        limit = "images=1G"
        [[shot]]
        model = "fox.glb"
        kind = "pose"
        tolerance = 0.5
        [[shot]]
        model = "fox.glb"
        kind = "image"
    "#;
    // The clips of a model that cannot be read are unknown.
    assert_eq!(names(text), ["fox-pose", "fox-pose-_", "fox"]);
    let found = shots(text);
    assert_eq!(
        (&found[0].kind, &found[0].options[..]),
        (&ShotKind::Pose { tolerance: 0.5 }, &["--clip=none", "--limit=images=1G"].map(str::to_owned)[..])
    );
    assert_eq!((&found[2].kind, found[2].options.len()), (&ShotKind::Image, 2));
    let folder = tempfile::tempdir().unwrap();
    write_model(folder.path(), "fox.gltf", r#"{"name": "Run"}, {"name": "Walk"}"#);
    write_model(folder.path(), "box.gltf", "");
    let suite = read("[[shot]]\nmodel = \"*.gltf\"\nkind = \"pose\"\n", folder.path()).unwrap();
    let names: Vec<&str> = suite.shots.iter().map(|shot| shot.name.as_str()).collect();
    assert_eq!(names, ["box-pose", "fox-pose", "fox-pose-Run", "fox-pose-Walk"]);
    for (from, to, message) in [
        ("tolerance = 0.5", "size = \"9x9\"", "line 8: a shot of kind = \"pose\" takes no `size`"),
        ("tolerance = 0.5", "mask = []", "a shot of kind = \"pose\" takes no `mask`"),
        ("tolerance = 0.5", "tolerance = -1", "`tolerance` takes a number from 0, not -1"),
        ("kind = \"image\"", "tolerance = 1", "a shot of kind = \"image\" takes no `tolerance`"),
        ("kind = \"image\"", "profile = \"p.toml\"", "a shot of kind = \"image\" takes no `profile`"),
        ("kind = \"image\"", "kind = \"video\"", "`kind` takes \"image\", \"pose\" or \"check\", not `video`"),
    ] {
        let found = refusal(&text.replace(from, to));
        assert!(found.contains(message), "{found}");
    }
}

#[test]
fn inner_arrays_repeat_an_option_in_one_shot() {
    let text = r#"
        [[shot]]
        name = "a"
        model = "a.glb"
        morph-weight = [["smile=1", "blink=0.5"], "smile=0"]
    "#;
    let shots = shots(text);
    assert_eq!(shots[0].options, ["--morph-weight=smile=1", "--morph-weight=blink=0.5"]);
    assert_eq!(shots[1].options, ["--morph-weight=smile=0"]);
    assert_eq!(shots[0].name, "a-morph-weight-smile_1_blink_0.5");
    assert!(refusal(&text.replace("\"blink=0.5\"", "[1]")).contains("or an array of strings for one shot"));
}

#[test]
fn repeated_options_have_bounded_memory() {
    let long = "x".repeat(40_000);
    let text =
        format!("[[shot]]\nmodel = \"a.glb\"\nclip = \"{long}\"\nname = \"a\"\ntime = {:?}", [0; 2000].map(|_| 0));
    assert!(refusal(&text).contains("the options of all shots have more than 64 MiB"));
}

#[test]
fn vectors_are_one_value_and_lights_are_repeated() {
    let text = r#"
        [[shot]]
        name = "a"
        model = "a.glb"
        eye = [0, 1.5, -2]
        target = "0,0,0"
        size = [320, 180]
        light = [[0, 1, 0, 3], "1,0,0,2"]
        background = [[0, 0, 0], "transparent"]
        ignore-required = true
    "#;
    assert_eq!(names(text), ["a-background-0_0_0", "a-background-transparent"]);
    assert_eq!(
        shots(text)[1].options,
        [
            "--size=320x180",
            "--background=transparent",
            "--eye=0,1.5,-2",
            "--ignore-required",
            "--light=0,1,0,3",
            "--light=1,0,0,2",
            "--target=0,0,0"
        ]
    );
}

#[test]
fn defaults_apply_unless_overridden_and_are_not_in_names() {
    let text = r#"
        [defaults]
        size = "64x64"
        samples = 4
        [[shot]]
        model = "a.glb"
        [[shot]]
        model = "a.glb"
        samples = 1
    "#;
    assert_eq!(names(text), ["a", "a-samples-1"]);
    assert_eq!(shots(text)[0].options, ["--size=64x64", "--samples=4"]);
    assert_eq!(shots(text)[1].options, ["--size=64x64", "--samples=1"]);
}

#[test]
fn globs_find_files_and_extend_names() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["models/b.glb", "models/a.glb", "models/deep/c.glb", "models/a.txt", "models/x[1].glb"] {
        let file = folder.path().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "").unwrap();
    }
    let found = |model: &str| -> Vec<(String, String)> {
        let suite = read(&format!("[[shot]]\nmodel = {model}\nname = \"n\""), folder.path()).unwrap();
        suite.shots.into_iter().map(|shot| (shot.name, shot.model)).collect()
    };
    let pair = |name: &str, model: &str| (name.to_owned(), model.to_owned());
    assert_eq!(found("\"models/[ab].glb\""), [pair("n-a", "models/a.glb"), pair("n-b", "models/b.glb")]);
    assert_eq!(found("\"models/x[1].glb\""), [pair("n", "models/x[1].glb")]);
    assert_eq!(found("\"**/c.glb\""), [pair("n-c", "models/deep/c.glb")]);
    assert_eq!(found("[\"models/a.glb\"]"), [pair("n-a", "models/a.glb")]);
    let text = "[[shot]]\nmodel = \"models/*.obj\"";
    let refusal = read(text, folder.path()).unwrap_err().to_string();
    assert!(refusal.starts_with("line 1: no file matches `models/*.obj`"), "{refusal}");
    let refusal = read("[[shot]]\nmodel = 'models\\*.obj'", folder.path()).unwrap_err().to_string();
    assert!(refusal.ends_with("globs separate folders by `/`"), "{refusal}");
}

#[test]
fn limits_apply_to_all_shots_or_to_one() {
    let text = r#"
        [limits]
        flip-mean = 0.5
        reason = "two GPUs"
        [[shot]]
        model = "a.glb"
        [[shot]]
        model = "b.glb"
        limits = { max-channel-diff = 9, different-pixels = 0.5, reason = "stars twinkle" }
    "#;
    let shots = shots(text);
    assert_eq!(shots[0].limits, Tolerances { flip_mean: 0.5, ..Tolerances::default() });
    assert_eq!(shots[0].reason.as_deref(), Some("two GPUs"));
    assert_eq!(
        shots[1].limits,
        Tolerances { flip_mean: 0.5, max_channel_diff: 9, different_pixels: 0.5, ..Tolerances::default() }
    );
    assert_eq!(shots[1].reason.as_deref(), Some("stars twinkle"));
}

#[test]
fn errors_are_one_line_with_a_line_number() {
    let shot = "[[shot]]\nmodel = \"a.glb\"\n";
    for (text, expected) in [
        (String::new(), "no [[shot]]"),
        ("shot = []".to_owned(), "no [[shot]]"),
        ("shot = 1".to_owned(), "line 1: `shot` takes [[shot]] tables, not 1"),
        ("\n\nmodels = 1".to_owned(), "line 3: unknown key `models`; known are goldens, defaults, limits, shot"),
        ("\ngolden = \"x\"".to_owned(), "line 2: unknown key `golden`; did you mean `goldens`?"),
        ("[[shots]]".to_owned(), "line 1: unknown key `shots`; did you mean `shot`?"),
        ("[[shot]]\nmodle = \"a.glb\"".to_owned(), "line 2: unknown key `modle`; did you mean `model`?"),
        (
            format!("{shot}\nignore-require = false"),
            "line 4: unknown key `ignore-require`; did you mean `ignore-required`?",
        ),
        (format!("{shot}\nexpect_fail = \"x\""), "line 4: unknown key `expect_fail`; did you mean `expect-failure`?"),
        (format!("[defaults]\n\noverlai = true\n{shot}"), "line 3: unknown key `overlai`; did you mean `overlay`?"),
        (format!("[defaults]\nmodel = \"b.glb\"\n{shot}"), "line 2: `model` is a key of [[shot]], not of [defaults]"),
        ("\n[[shot]\n".to_owned(), "line 2: "),
        (
            "goldens = \"../\\u001b[31m\"".to_owned(),
            r"line 1: the goldens must be in the suite's own folder or in one inside it, not in `../\u{1b}[31m`",
        ),
        ("[[shot]]\nname = \"a\"".to_owned(), "line 1: this shot has no model"),
        (format!("{shot}name = \"../a\""), "line 1: `../a` is not a valid shot name"),
        (format!("{shot}name = \"{}\"", "a".repeat(200)), "is not a valid shot name"),
        (format!("{shot}name = \"Aux.1\""), "line 1: `Aux.1` is a device on Windows"),
        (
            format!("{shot}output = \"x.png\""),
            "line 3: unknown key `output`; known are name, model, more-models, kind, limits",
        ),
        (format!("{shot}\"-o\" = \"x.png\""), "line 3: unknown key `-o`"),
        (format!("{shot}time = []"), "line 3: `time` takes at least one value, not an empty array"),
        (format!("{shot}time = [[0, 1]]"), "line 3: `time` takes a string, a number"),
        (format!("{shot}time = 1979-05-27"), "line 3: `time` takes a string, a number, true or false, not a"),
        (format!("{shot}{shot}"), "line 3: duplicate shot `a`, the first is in line 1"),
        (format!("{shot}[[shot]]\nmodel = \"A.glb\""), "line 3: duplicate shot `A`"),
        (format!("{shot}limits = {{ max-channel-diff = 3 }}"), "line 3: limits need a reason"),
        (
            format!("{shot}limits = {{ max-channel-diff = 1.5, reason = \"x\" }}"),
            "line 3: `max-channel-diff` takes an integer",
        ),
        (
            format!("{shot}limits = {{ flips = 1, reason = \"x\" }}"),
            "line 3: unknown key `flips`; known are max-channel-diff",
        ),
        (
            format!("{shot}limits = {{\n reason = \"x\",\n pixles = 1 }}"),
            "line 5: unknown key `pixles`; did you mean `pixels`?",
        ),
        (format!("goldens = \"../x\"\n{shot}"), "line 1: the goldens must be in the suite's own folder"),
        (format!("goldens = \"/x\"\n{shot}"), "line 1: the goldens must be"),
    ] {
        let refusal = refusal(&text);
        assert!(refusal.contains(expected) && !refusal.contains(char::is_control), "{text:?}: {refusal}");
    }
}

#[test]
fn small_file_cannot_make_unlimited_shots() {
    let hundred = (0..100).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    let text = format!(
        "[[shot]]\nmodel=\"a.glb\"\ntime=[{hundred}]\nfov=[{hundred}]\nsamples=[{hundred}]\ninstances=[{hundred}]"
    );
    assert!(refusal(&text).contains("more than 20000 shots"), "{}", refusal(&text));
    let nested = format!("a = {}", "[".repeat(100_000));
    assert!(refusal(&nested).starts_with("line 1: "), "{}", refusal(&nested));
}

#[test]
fn shards_are_complete_and_stable() {
    let text = |end: usize| {
        let times = (0..end).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
        format!("[[shot]]\nmodel = \"a.glb\"\ntime = [{times}]")
    };
    let (few, more) = (shots(&text(64)), shots(&text(70)));
    for count in [1, 2, 3, 8] {
        let part = |shot: &Shot| -> Vec<u32> {
            (1..=count).filter(|&number| Shard { number, count }.contains(&shot.name)).collect()
        };
        assert!(more.iter().all(|shot| part(shot).len() == 1));
        assert!(few.iter().zip(&more).all(|(a, b)| part(a) == part(b)));
        let mut sizes = vec![0; count as usize];
        few.iter().for_each(|shot| sizes[part(shot)[0] as usize - 1] += 1);
        assert!(sizes.iter().all(|size| *size >= 64 / count / 4), "{sizes:?}");
    }
    assert!("0/2".parse::<Shard>().is_err() && "3/2".parse::<Shard>().is_err() && "2".parse::<Shard>().is_err());
}

#[test]
fn filter_is_a_substring_or_a_glob() {
    let matches = |filter: &str, name: &str| filter.parse::<Filter>().unwrap().matches(name);
    assert!(matches("ox-W", "fox-Walk") && matches("fox-*", "fox-Walk") && !matches("*-Run", "fox-Walk"));
}

#[test]
fn starter_suite_has_every_clip_at_parts_of_its_time() {
    let folder = tempfile::tempdir().unwrap();
    write_model(folder.path(), "a b/fox.gltf", r#"{"name": "Walk"}, {"name": "Run"}"#);
    write_model(folder.path(), "box.gltf", "");
    let text = starter_suite(&["**/*.gltf".to_owned()]);
    assert!(text.ends_with("\n[[shot]]\nmodel = \"**/*.gltf\"\nclip = \"*\"\ntime = [\"17%\", \"61%\"]\n"), "{text}");
    let suite = read(&text, folder.path()).unwrap();
    let names: Vec<&str> = suite.shots.iter().map(|shot| shot.name.as_str()).collect();
    let expected = ["fox-Walk-t17pct", "fox-Walk-t61pct", "fox-Run-t17pct", "fox-Run-t61pct", "box-none"];
    assert_eq!(names, expected);
    write_model(folder.path(), "c/fox.gltf", r#"{"name": "Walk"}"#);
    write_model(folder.path(), "d\u{202e}\".gltf", "");
    let added = added_shots(&["c/fox.gltf".to_owned(), "d\u{202e}\".gltf".to_owned()], &suite);
    assert!(added.contains("name = \"c\"\nmodel = \"c/fox.gltf\"\n") && !added.contains('\u{202e}'), "{added}");
    std::fs::remove_file(folder.path().join("d\u{202e}\".gltf")).unwrap();
    let listed = starter_suite(&["box.gltf".to_owned(), "a b/fox.gltf".to_owned()]);
    assert_eq!(read(&listed, folder.path()).unwrap().shots.len(), 5);
}

#[test]
fn number_of_pixels_is_an_integer_and_later_limits_replace_it() {
    let text = |limits: &str| {
        format!(
            "[limits]\npixels = 40\nchanged-pixels = 0.5\nreason = \"hair\"\n[[shot]]\nmodel = \"a.glb\"\n\
             limits = {{ {limits}, reason = \"fur\" }}\n"
        )
    };
    let limits = |limits: &str| shots(&text(limits))[0].limits;
    let suite = Tolerances { pixel_count: Some(40), changed_pixels: 0.5, ..Tolerances::default() };
    assert_eq!(limits("flip-mean = 0.5"), Tolerances { flip_mean: 0.5, ..suite });
    assert_eq!(limits("pixels = 0"), Tolerances { pixel_count: Some(0), ..suite });
    assert_eq!(limits("changed-pixels = 0.1"), Tolerances { pixel_count: None, changed_pixels: 0.1, ..suite });
    for wrong in ["0.003", "-1", "\"40\""] {
        let message = refusal(&text(&format!("pixels = {wrong}")));
        assert!(message.contains("`pixels` takes a number of pixels, such as 40"), "{message}");
    }
}

#[test]
fn masks_are_rectangles_and_files() {
    let masks = |masks: &str| {
        let text = format!("[defaults]\nmask = [0, 0, 9, 9]\n[[shot]]\nmodel = \"a.glb\"\n{masks}\n");
        read(&text, Path::new(".")).map(|suite| suite.shots[0].mask.to_vec()).map_err(|error| error.to_string())
    };
    assert_eq!(masks(""), Ok(vec![MaskRegion::Pixels([0, 0, 9, 9])]));
    assert_eq!(masks("mask = []"), Ok(vec![]));
    assert_eq!(masks("mask = [0, 0.5, 1, 0.5]"), Ok(vec![MaskRegion::Fraction([0.0, 0.5, 1.0, 0.5])]));
    let both = vec![MaskRegion::File("a.png".into()), MaskRegion::Pixels([1, 2, 3, 4])];
    assert_eq!(masks("mask = [\"a.png\", [1, 2, 3, 4]]"), Ok(both));
    for wrong in ["[[1, 2, 3]]", "[0, 0, 0, 1]", "[-1, 0, 1, 1]", "[0.0, 0, 2, 1]", "[0.0, 0, nan, 1]", "true"] {
        let message = masks(&format!("mask = {wrong}")).unwrap_err();
        assert!(message.starts_with("line 5: `mask` takes a PNG file, or left, top, width and height"), "{message}");
    }
    let joint = |margin| MaskRegion::Joint { joint: "Hair".to_owned(), margin };
    assert_eq!(masks("mask = { joint = \"Hair\" }"), Ok(vec![joint(2)]));
    let both = vec![joint(8), MaskRegion::Pixels([1, 2, 3, 4])];
    assert_eq!(masks("mask = [{ joint = \"Hair\", margin = 8 }, [1, 2, 3, 4]]"), Ok(both));
    for (wrong, expected) in [
        ("{ margin = 8 }", "`mask` takes a PNG file"),
        ("{ joint = 1 }", "`mask` takes a PNG file"),
        ("{ joint = \"Hair\", margin = -1 }", "`margin` takes a number of pixels, not -1"),
        ("{ joints = \"Hair\" }", "unknown key `joints`; did you mean `joint`?"),
    ] {
        let message = masks(&format!("mask = {wrong}")).unwrap_err();
        assert!(message.starts_with(&format!("line 5: {expected}")), "{message}");
    }
    assert!(masks(&format!("mask = {:?}", vec!["a.png"; 101])).unwrap_err().contains("at most 100 regions"));
}

#[test]
fn filter_that_is_a_name_selects_this_shot_only() {
    let names = HashSet::from(["arm", "arm-pose", "hare"]);
    let selected = |text: &str| {
        let filter = text.parse::<Filter>().unwrap().for_names(&names);
        let mut selected: Vec<&str> = names.iter().copied().filter(|name| filter.matches(name)).collect();
        selected.sort_unstable();
        selected
    };
    assert_eq!(selected("arm"), ["arm"]);
    assert_eq!((selected("ar"), selected("*arm*")), (vec!["arm", "arm-pose", "hare"], vec!["arm", "arm-pose"]));
}

#[test]
fn more_models_are_arguments_of_one_shot() {
    let text = "[[shot]]\nmodel = \"a.glb\"\nmore-models = [\"b.glb:3\", \"-c.glb\"]\noverlay = [\"grid\", \"legend\"]";
    assert_eq!(names(text), ["a-b.glb_3_-c.glb-grid_legend"]);
    assert_eq!(shots(text)[0].options, ["b.glb:3", "./-c.glb", "--overlay=grid", "--overlay=legend"]);
}
