use super::limits::{LimitKey, PermittedRange};
use super::measures::Measures;
use super::{Profile, ProfileDraft};
use crate::{Issue, Severity, check_file};
use rigview_core::import::{ImageLoading, ImportOptions, ImportPolicy, Imported, open};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn asset(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/assets").join(name)
}

fn opened(file: &Path) -> Imported {
    open(file, &ImportOptions::default().with_images(ImageLoading::SizesOnly)).unwrap()
}

/// The issues of a file by a profile, without those of the file alone.
fn issues_of(file: &Path, profile: &Profile) -> Vec<Issue> {
    let mut issues = check_file(file, &ImportPolicy::default(), None, Some(profile));
    issues.retain(|issue| issue.code.starts_with("RIGVIEW_PROFILE_"));
    issues
}

fn issues(file: &Path, text: &str) -> Vec<Issue> {
    issues_of(file, &Profile::from_toml(text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

/// The hare with a change of its JSON, as a file of a folder.
fn changed(folder: &TempDir, name: &str, change: impl FnOnce(&mut Value)) -> PathBuf {
    let bytes = std::fs::read(asset("hare.glb")).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let mut json: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    change(&mut json);
    let file = folder.path().join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, crate::tests::valid_file::glb(&json, &bytes[28 + length..])).unwrap();
    file
}

/// The first node of this name.
fn node<'a>(json: &'a mut Value, name: &str) -> &'a mut Value {
    let nodes = json["nodes"].as_array_mut().unwrap();
    nodes.iter_mut().find(|node| node["name"] == name).unwrap()
}

#[test]
fn each_limit_finds_a_value_one_unit_beyond_it() {
    let mut measured = 0;
    for file in ["hare.glb", "body.glb", "windmill.glb"].map(asset) {
        let imported = opened(&file);
        for key in LimitKey::ALL {
            let values = Measures::new(&imported).of(key);
            let Some(worst) = values.iter().max_by(|a, b| a.value.total_cmp(&b.value)) else { continue };
            measured += 1;
            let unit = if key.is_count() { 1.0 } else { 1e-4 };
            let of = |range: &str| issues(&file, &format!("name = \"p\"\n[limits]\n{} = {range}", key.name()));
            assert_eq!(of(&format!("{:?}", worst.value)), [], "{}", key.name());
            let found = of(&format!("{:?}", worst.value - unit));
            assert!(!found.is_empty() && found.iter().any(|issue| issue.pointer == worst.pointer), "{found:?}");
            let message = &found.iter().find(|issue| issue.pointer == worst.pointer).unwrap().message;
            let expected = format!("has {}; the profile \"p\" permits at most ", key.format(worst.value));
            assert!(message.starts_with(&format!("{}: ", key.name())) && message.contains(&expected), "{message}");
            let least = values.iter().map(|found| found.value).fold(f64::INFINITY, f64::min);
            assert_eq!(of(&format!("{{ min = {least:?} }}")), [], "{}", key.name());
            let found = of(&format!("{{ min = {:?}, max = 1e300 }}", least + unit));
            assert!(
                !found.is_empty() && found.iter().all(|issue| issue.message.contains(" permits at least ")),
                "{found:?}"
            );
        }
    }
    // The body has no clips, and the windmill no skin whose root could travel.
    assert_eq!(measured, 3 * LimitKey::ALL.len() - 3);
}

#[test]
fn files_keep_the_profile_that_was_written_from_them() {
    let files = ["hare.glb", "body.glb", "windmill.glb"].map(asset);
    for files in [&files[..1], &files[1..2], &files[2..], &files] {
        let mut draft = ProfileDraft::default();
        files.iter().for_each(|file| draft.add(&opened(file)));
        let text = draft.text("good");
        let profile = Profile::from_toml(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        for file in files {
            assert_eq!(issues_of(file, &profile), [], "{text}");
        }
    }
}

#[test]
fn skeleton_is_compared_with_names_roles_and_a_reference() {
    let folder = tempfile::tempdir().unwrap();
    let same = changed(&folder, "same.glb", |_| ());
    let text = |rest: &str| {
        let profile = folder.path().join("p.toml");
        std::fs::write(&profile, format!("[skeleton]\nexact = 'same.glb'\n{rest}")).unwrap();
        Profile::open(&profile).unwrap()
    };
    let joint = {
        let imported = opened(&same);
        let joint = imported.model.skins[0].joints[3];
        imported.model.skeleton.joint(joint).name.clone().unwrap()
    };
    let messages = |file: &Path, rest: &str| -> Vec<String> {
        issues_of(file, &text(rest)).into_iter().map(|issue| issue.message).collect()
    };
    assert_eq!(messages(&same, ""), [""; 0]);
    let renamed = changed(&folder, "renamed.glb", |json| node(json, &joint)["name"] = json!("joint_socket"));
    let found = messages(&renamed, "");
    assert!(
        found.iter().any(|message| message.starts_with(&format!("the joint \"{joint}\" of the reference"))),
        "{found:?}"
    );
    assert!(
        found.iter().any(|message| message.starts_with("the joint \"joint_socket\" is not in the ref")),
        "{found:?}"
    );
    let found = messages(&renamed, "allowed-extra = ['*_socket']");
    assert!(!found.iter().any(|message| message.contains("is not in the reference")), "{found:?}");
    let moved = changed(&folder, "moved.glb", |json| {
        let node = node(json, &joint);
        let x = node["translation"][0].as_f64().unwrap_or(0.0);
        node["translation"] = json!([x + 0.02, node["translation"][1], node["translation"][2]]);
    });
    let found = messages(&moved, "");
    assert!(found.len() == 1 && found[0].contains("moved by 0.0200 m"), "{found:?}");
    let required = |names: &str| issues(&asset("body.glb"), &format!("[skeleton]\nrequired = {names}"));
    assert_eq!(required("['hips', 'leftUpperArm']"), []);
    assert_eq!(issues(&same, &format!("[skeleton]\nrequired = ['{joint}']")), []);
    let found = required("['hips', 'tail']");
    assert!(found.len() == 1 && found[0].message.starts_with("the joint \"tail\" is missing"), "{found:?}");
}

#[test]
fn clips_and_materials_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let same = changed(&folder, "same.glb", |_| ());
    let clip = opened(&same).model.clips[0].name.clone().unwrap();
    for (rule, is_kept) in [
        (format!("required = ['{clip}']"), true),
        ("required = ['Backflip']".to_owned(), false),
        ("names = '^[A-Za-z0-9_ ]+$'".to_owned(), true),
        ("names = '^x'".to_owned(), false),
        ("frame-rate = 7.3".to_owned(), false),
    ] {
        let found = issues(&same, &format!("[clips]\n{rule}"));
        assert_eq!(found.is_empty(), is_kept, "{rule}: {found:?}");
        assert!(found.iter().all(|issue| issue.code == "RIGVIEW_PROFILE_CLIP"), "{found:?}");
    }
    let listen = |rule: &str| issues(&asset("hare.glb"), &format!("[clips]\n{rule}"));
    assert_eq!(listen("loops = ['listen', 'hop', 'other']"), []);
    let extended = changed(&folder, "extended.glb", |json| {
        json["materials"] = json!([{"name": "skin", "doubleSided": true, "extensions": {"KHR_materials_sheen": {}}}]);
        json["extensionsUsed"] = json!(["KHR_materials_sheen"]);
    });
    let found = issues(&extended, "[materials]\nallowed-extensions = ['KHR_materials_unlit']\ndouble-sided = false");
    let messages: Vec<&str> = found.iter().map(|issue| &*issue.message).collect();
    assert!(messages[0].starts_with("\"skin\" is double-sided"), "{messages:?}");
    assert!(messages[1].starts_with("\"skin\" has the extension \"KHR_materials_sheen\""), "{messages:?}");
    let allowed = "[materials]\nallowed-extensions = ['KHR_materials_sheen']\ndouble-sided = true";
    assert_eq!(issues(&extended, allowed), []);
}

#[test]
fn profiles_extend_each_other_and_override_parts_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let [hero, prop] = ["hero.glb", "props/a/chair.glb"].map(|name| changed(&folder, name, |_| ()));
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("base.toml", "name = 'base'\n[limits]\nclips = 0\ntriangles = 10000000");
    write("p.toml", "extends = 'base.toml'\n[[override]]\nfiles = 'props/**'\n[override.limits]\nclips = 100");
    let profile = Profile::open(&folder.path().join("p.toml")).unwrap();
    assert_eq!(profile.name(), "p");
    assert_eq!((issues_of(&hero, &profile).len(), issues_of(&prop, &profile).len()), (1, 0));
    write("circle.toml", "extends = 'circle.toml'");
    let error = Profile::open(&folder.path().join("circle.toml")).unwrap_err();
    assert!(error.contains("circle.toml: more than 8 profiles extend each other"), "{error}");
    write("lost.toml", "extends = 'missing.toml'");
    assert!(Profile::open(&folder.path().join("lost.toml")).unwrap_err().contains("missing.toml: "));
}

#[test]
fn rules_set_severities_of_any_code() {
    let check = |text: &str| {
        let profile = Profile::from_toml(text).unwrap();
        check_file(&asset("hare.glb"), &ImportPolicy::default(), None, Some(&profile))
    };
    let cost = |issues: &[Issue]| {
        issues.iter().find(|issue| issue.code == "RIGVIEW_INSTANCE_COST").map(|issue| issue.severity)
    };
    assert_eq!(cost(&check("")), Some(Severity::Info));
    assert_eq!(cost(&check("[rules]\nRIGVIEW_INSTANCE_COST = 'error'")), Some(Severity::Error));
    assert_eq!(cost(&check("[rules]\nRIGVIEW_INSTANCE_COST = 'off'")), None);
}

#[test]
fn wrong_profiles_are_refused_with_line_and_key() {
    for (text, expected) in [
        ("limit = 1", "line 1: unknown field `limit`"),
        ("[limits]\n\npolygons = 1", "line 3: unknown variant `polygons`, expected one of `file-bytes`"),
        ("[limits]\ntriangles = 'many'", "line 2: \"many\" is not a number, a size such as \"5M\""),
        ("[limits]\ntriangles = { max = 1, most = 2 }", "line 2: "),
        ("[limits]\nheight = { min = 2, max = 1 }", "line 2: "),
        ("[limits]\ntriangles = nan", "line 2: nan is not a number"),
        ("[rules]\nNODE_VOID = 'off'", "line 2: `NODE_VOID` is no code of `rigview check`"),
        ("[rules]\nNODE_EMPTY = 'fatal'", "line 2: unknown variant `fatal`, expected one of `error`, `warning`"),
        ("[clips]\nnames = '['", "line 2: `[` is no regular expression: unclosed character class"),
        ("[clips]\nframe-rate = 0", "frame-rate: expected a number above 0"),
        ("[clips]\nnames = '(a{1000}){1000}'", "line 2: `(a{1000}){1000}` is no regular expression: "),
        ("[[override]]\nlimits = {}", "line 1: missing field `files`"),
    ] {
        let error = Profile::from_toml(text).unwrap_err();
        assert!(error.starts_with(expected) && !error.contains('\n'), "{text:?}: {error}");
    }
    let sizes =
        Profile::from_toml("[limits]\nfile-bytes = '5M'\ntexture-bytes = '1.5K'").unwrap().rules_for(None).limits;
    let max = |key: LimitKey| sizes.get(&key).map(|range: &PermittedRange| range.max);
    assert_eq!([LimitKey::FileBytes, LimitKey::TextureBytes].map(max), [Some(5.0 * 1048576.0), Some(1536.0)]);
}

/// The folder of the profiles that rigview has.
fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/profiles")
}

#[test]
fn name_is_a_line_with_text() {
    for (text, name) in
        [("", "profile"), (r#"name = """#, "profile"), (r#"name = " \n""#, "profile"), (r#"name = "a\nb""#, "a b")]
    {
        assert_eq!(Profile::from_toml(text).unwrap().name(), name, "{text}");
    }
}

#[test]
fn shipped_profiles_open_and_name_their_source() {
    // A package of this crate alone has none.
    if !shipped().exists() {
        eprintln!("skipped: no folder of profiles");
        return;
    }
    for name in ["mobile-character", "vrm-1", "decentraland-wearable"] {
        let file = shipped().join(name).with_extension("toml");
        let profile = Profile::open(&file).unwrap();
        assert!(std::fs::read_to_string(&file).unwrap().contains("https://"), "{name} has no source");
        // The hare is no humanoid, and has 12,000 triangles.
        let [body, hare] = ["body.glb", "hare.glb"].map(|model| issues_of(&asset(model), &profile));
        assert!(body.is_empty() && !hare.is_empty(), "{name}: {body:?}, {hare:?}");
    }
}

/// The schema of editors has the keys of the parser, and no other.
#[test]
fn json_schema_has_all_keys() {
    let Ok(text) = std::fs::read_to_string(shipped().join("profile.schema.json")) else {
        eprintln!("skipped: no folder of profiles");
        return;
    };
    let schema: Value = serde_json::from_str(&text).unwrap();
    let keys = |table: &str| -> Vec<String> {
        let properties = schema["$defs"][table]["properties"].as_object().unwrap();
        properties.keys().cloned().collect()
    };
    let mut limits = keys("limits");
    let mut expected = LimitKey::ALL.map(|key| key.name().to_owned());
    limits.sort();
    expected.sort();
    assert_eq!(limits, expected);
    let value = |table: &str, key: &str| match (table, key) {
        (_, "exact") => String::new(),
        (_, "names") => "'x'".to_owned(),
        (_, "frame-rate") => "30".to_owned(),
        (_, "double-sided") => "false".to_owned(),
        _ => "[]".to_owned(),
    };
    for table in ["skeleton", "clips", "materials"] {
        let keys = keys(table);
        for key in keys.iter().filter(|key| *key != "exact") {
            Profile::from_toml(&format!("[{table}]\n{key} = {}", value(table, key))).unwrap();
        }
        let error = Profile::from_toml(&format!("[{table}]\nother = 1")).unwrap_err();
        assert!(keys.iter().all(|key| error.contains(&format!("`{key}`"))), "{error}");
        assert_eq!(error.matches('`').count(), 2 * (1 + keys.len()), "{error}");
    }
}
