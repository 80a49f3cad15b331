//! Models in ZIP archives.

use crate::support::reference::chunks;
use crate::support::rigs;
use crate::support::run::{names, rigview_in};
use crate::support::zip::{Fields, Zip};
use rigview::import::{ImportOptions, ImportPolicy, Limit, from_bytes, models_in_archive, open};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

/// A red texture of one texel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";

/// JSON of a textured arm with a clip whose buffer and image are external, and its buffer.
fn arm(buffer: &str, image: &str) -> (Vec<u8>, Vec<u8>) {
    let rigs::Arm { mut rig, .. } = rigs::arm();
    let uv = rig.floats("VEC2", &[0.5; 6]);
    rig.object("meshes", 0)["primitives"][0]["attributes"]["TEXCOORD_0"] = json!(uv);
    let bytes = rig.glb();
    let (json, bin) = chunks(&bytes);
    let mut json: Value = serde_json::from_slice(json).expect("JSON");
    json["buffers"][0]["uri"] = json!(buffer);
    json["images"] = json!([{"uri": image}]);
    json["textures"] = json!([{"source": 0}]);
    json["materials"] = json!([{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]);
    json["meshes"][0]["primitives"][0]["material"] = json!(0);
    (serde_json::to_vec(&json).expect("JSON"), bin.expect("a binary chunk").to_vec())
}

/// The archive of one model, as a shop delivers it.
fn shop() -> Vec<u8> {
    let (json, bin) = arm("scene.bin", "textures/base%20color.png");
    let texture: &[(&str, &[u8])] = &[("__MACOSX/._scene.gltf", b"\0"), ("arm/textures/base color.png", PNG)];
    Zip::of(
        &[
            &[("license.txt", b"CC0".as_slice()), ("arm/", b""), ("arm/scene.gltf", &json)],
            texture,
            &[("arm/scene.bin", &bin)],
        ]
        .concat(),
    )
}

/// The error of the import, with its causes.
fn refusal(bytes: Vec<u8>, policy: &ImportPolicy) -> String {
    let error = from_bytes(bytes, None, &ImportOptions::default().with_policy(policy.clone())).map(drop);
    error.expect_err("a refusal").to_string()
}

/// An archive of the arm as a container.
fn with_arm(change: impl FnOnce(&mut Zip)) -> Vec<u8> {
    let mut zip = Zip::default();
    zip.add(b"arm.glb", &rigs::arm().rig.glb(), Fields::default());
    change(&mut zip);
    zip.finish()
}

#[test]
fn commands_read_an_archive_like_its_unpacked_files() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let (json, bin) = arm("scene.bin", "textures/base%20color.png");
    std::fs::create_dir_all(folder.path().join("arm/textures")).expect("a folder");
    for (name, bytes) in [("scene.gltf", &json[..]), ("scene.bin", &bin), ("textures/base color.png", PNG)] {
        std::fs::write(folder.path().join("arm").join(name), bytes).expect("a file");
    }
    std::fs::write(folder.path().join("shop.zip"), shop()).expect("a file");
    let run = |words: &[&str], file: &str| {
        let words: Vec<&str> = words.iter().map(|word| if *word == "IN" { file } else { word }).collect();
        let run = rigview_in(folder.path(), &words);
        assert_eq!(run.code, Some(0), "{}", run.report());
        (run.stdout.replace(file, "IN"), run.stderr.replace(file, "IN"))
    };
    for words in [&["check", "IN"][..], &["diff", "IN", "arm/scene.gltf"]] {
        assert_eq!(run(words, "shop.zip"), run(words, "arm/scene.gltf"), "{words:?}");
        assert_eq!(run(words, "shop.zip/arm/scene.gltf"), run(words, "arm/scene.gltf"), "{words:?}");
    }
    let pixels = |words: &[&str], file: &str| {
        run(words, file);
        image::open(folder.path().join("out.png")).expect("an image").to_rgba8()
    };
    for words in [&["shot", "IN", "-o", "out.png", "--size", "64x64"][..], &["thumbnail", "IN", "out.png"]] {
        let expected = pixels(words, "arm/scene.gltf");
        assert_eq!(pixels(words, "shop.zip"), expected);
        assert_eq!(pixels(words, "shop.zip/arm/scene.gltf"), expected);
        assert!(expected.pixels().any(|pixel| pixel[0] > 2 * pixel[1] && pixel[3] > 0), "the texture is red");
    }
    let (info, _) = run(&["info", "IN"], "shop.zip");
    assert!(info.contains("1 clip") || info.contains("clips"), "{info}");
    assert_eq!(names(folder.path()), ["arm", "out.png", "shop.zip"], "nothing is extracted");
}

#[test]
fn several_models_of_an_archive_have_paths() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let glb = rigs::arm().rig.glb();
    let files: [(&str, &[u8]); 4] =
        [("b/arm.glb", &glb), ("a.GLB", &glb), ("readme.txt", b"-"), ("b/.hidden.glb", &glb)];
    std::fs::write(folder.path().join("Shop.ZIP"), Zip::of(&files)).expect("a file");
    let run = rigview_in(folder.path(), &["shot", "Shop.ZIP", "-o", "a.png"]);
    let error = "the archive has several models; open one by its path: \"Shop.ZIP/a.GLB\", \"Shop.ZIP/b/arm.glb\"";
    assert_eq!(run.refusal(Path::new("Shop.ZIP")), Ok(error));
    let run = rigview_in(folder.path(), &["info", "Shop.ZIP"]);
    assert!(run.code == Some(0) && run.stdout.contains("Shop.ZIP/b/arm.glb"), "{}", run.report());
    // As the files of a folder.
    for input in ["Shop.ZIP", "."] {
        let run = rigview_in(folder.path(), &["check", input]);
        let lines: Vec<_> = run.stdout.lines().filter(|line| line.contains("Shop.ZIP/")).collect();
        assert_eq!(lines.len(), 2, "{}", run.report());
    }
    let run = rigview_in(folder.path(), &["shot", "Shop.ZIP/c.glb", "-o", "a.png"]);
    assert!(run.refusal(Path::new("Shop.ZIP/c.glb")).is_ok(), "{}", run.report());
    let models = models_in_archive(&folder.path().join("Shop.ZIP"), &ImportPolicy::default().limits).unwrap();
    assert!(models.iter().all(|model| open(model, &ImportOptions::default()).is_ok()) && models.len() == 2);
}

#[test]
fn paths_that_leave_the_archive_are_refused() {
    let names =
        ["../a.bin", "a/../../b", "/etc/passwd", "C:\\a.bin", "c:a", "\\\\host\\share\\a", "..\\a", "a\0b", "//a"];
    for name in names {
        let zip = with_arm(|zip| zip.add(name.as_bytes(), b"-", Fields::default()));
        let error = refusal(zip, &ImportPolicy::default());
        assert!(error.contains("leads out of the archive"), "{name}: {error}");
    }
    // Separators of Windows, and names in both encodings.
    for (name, uri) in [
        (&b"a\\b.bin"[..], "a/b.bin"),
        (b"\x81ber.bin", "%C3%BCber.bin"),
        ("über.bin".as_bytes(), "%C3%BCber.bin"),
        (b"x/../b.bin", "b.bin"),
    ] {
        let (json, bin) = arm(uri, "c.png");
        let mut zip = Zip::default();
        zip.add(b"arm.gltf", &json, Fields::default());
        zip.add(name, &bin, Fields { method: 0, ..Fields::default() });
        zip.add(b"c.png", PNG, Fields::default());
        let loaded = from_bytes(zip.finish(), None, &ImportOptions::default()).unwrap_or_else(|e| panic!("{uri}: {e}"));
        assert!(loaded.diagnostics.is_empty(), "{uri}: {:?}", loaded.diagnostics);
    }
}

#[test]
fn a_model_reads_all_of_its_archive_and_nothing_else() {
    let folder = TempDir::new().expect("a folder for temporary files");
    std::fs::write(folder.path().join("secret.png"), PNG).expect("a file");
    let outside = folder.path().join("secret.png").display().to_string();
    for (image, is_read) in [
        ("../textures/a.png", true),
        ("../../secret.png", false),
        ("../shop.zip/textures/a.png", false),
        (outside.as_str(), false),
        ("file:///etc/passwd", false),
        ("http://localhost/a.png", false),
    ] {
        let (json, bin) = arm("scene.bin", image);
        let files: [(&str, &[u8]); 3] =
            [("models/scene.gltf", &json), ("models/scene.bin", &bin), ("textures/a.png", PNG)];
        let path = folder.path().join("shop.zip");
        std::fs::write(&path, Zip::of(&files)).expect("a file");
        let mut options = ImportOptions::default();
        options.policy.allow_external_paths = !is_read;
        let loaded = open(&path, &options).unwrap_or_else(|e| panic!("{image}: {e}"));
        assert_eq!(loaded.diagnostics.is_empty(), is_read, "{image}: {:?}", loaded.diagnostics);
        assert_eq!(loaded.gltf_file.image_bytes(0).is_ok(), is_read);
    }
}

#[test]
fn archives_of_zip64_are_read() {
    let zip = |is_64: bool| {
        let mut zip = if is_64 { Zip::of_64_bits() } else { Zip::default() };
        let (json, bin) = arm("scene.bin", "base.png");
        for (name, content) in [("scene.gltf", &json[..]), ("scene.bin", &bin), ("base.png", PNG)] {
            zip.add(name.as_bytes(), content, Fields::default());
        }
        zip.finish()
    };
    let [plain, large] = [zip(false), zip(true)];
    let model = |bytes: &[u8]| {
        let loaded = from_bytes(bytes.to_vec(), None, &ImportOptions::default()).expect("a model");
        format!("{:?} {:?}", loaded.model, loaded.diagnostics)
    };
    assert_eq!(model(&plain), model(&large));
    // The offset of the record of ZIP64 is in its locator, 34 bytes before the end.
    let mut damaged = large.clone();
    let at = large.len() - 34;
    damaged[at..at + 8].copy_from_slice(&u64::MAX.to_le_bytes());
    let error = refusal(damaged, &ImportPolicy::default());
    assert!(error.contains("download or copy it again"), "{error}");
}

#[test]
fn entries_that_are_not_read_have_a_remedy() {
    let link = Fields { mode: 0o120_777, ..Fields::default() };
    let nested = Zip::of(&[("arm.glb", &rigs::arm().rig.glb())]);
    let model = |fields: Fields| {
        let mut zip = Zip::default();
        zip.add(b"arm.glb", &rigs::arm().rig.glb(), fields);
        zip.finish()
    };
    let mut wrong = model(Fields::default());
    wrong[14 + 20 + 200] ^= 1;
    let cut = shop();
    for (bytes, expected) in [
        (model(Fields { flags: 1, ..Fields::default() }), "\"arm.glb\" is encrypted in the archive; unpack it"),
        (
            model(Fields { method: 9, ..Fields::default() }),
            "\"arm.glb\" is compressed by Deflate64, which rigview does not read, in the archive; unpack it",
        ),
        (model(Fields { method: 93, ..Fields::default() }), "by Zstandard"),
        (model(link), "\"arm.glb\" is a link in the archive; unpack it"),
        (Zip::of(&[("source/a.zip", &nested)]), "the archive has no glTF model, but \"source/a.zip\"; unpack it"),
        (Zip::of(&[("source/a.FBX", b"-")]), "the archive has no glTF model, but \"source/a.FBX\"; unpack it"),
        (Zip::of(&[("source/a.glb", &nested)]), "\"source/a.glb\" is an archive in the archive; unpack it"),
        (Zip::of(&[]), "the archive has no .glb, .gltf, .vrm, .vrma or .bvh file"),
        (cut[..cut.len() - 1].to_vec(), "its end is cut or damaged; download or copy it again"),
        (wrong, "is damaged in the archive"),
    ] {
        let error = refusal(bytes, &ImportPolicy::default());
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn bombs_are_bounded() {
    let mut policy = ImportPolicy::default();
    policy.limits.set(Limit::File, 1 << 20);
    let zeros = vec![0; 64 << 20];
    let model = |size: Option<u32>| {
        let mut zip = Zip::default();
        zip.add(b"a.glb", &zeros, Fields { size, ..Fields::default() });
        zip.finish()
    };
    let bomb = model(None);
    assert!(bomb.len() < 1 << 17);
    assert!(refusal(bomb, &policy).contains("67108864 is more than the 1048576"));
    // The stated size is a lie: no more than that is decompressed.
    assert!(refusal(model(Some(1000)), &policy).contains("it has more bytes, its directory says 1000"));
    assert!(refusal(model(Some(u32::MAX - 1)), &policy).contains("4294967294 is more than the 1048576"));
    policy.limits.set(Limit::File, 1 << 40);
    assert!(refusal(model(Some(u32::MAX - 1)), &policy).contains("its directory says 4294967294"));
    // Buffers and images, too.
    let (json, _) = arm("scene.bin", "a.png");
    let zip = Zip::of(&[("arm.gltf", &json), ("scene.bin", &zeros), ("a.png", &zeros)]);
    policy.limits.set(Limit::ImageFile, 1 << 20);
    let options = ImportOptions::default().with_policy(policy.clone());
    let loaded = from_bytes(zip, None, &options).expect("a model");
    let is_refused = |message: &str| message.contains("67108864 bytes, more than the 1048576");
    let found = loaded.diagnostics.iter().any(|diagnostic| is_refused(&diagnostic.message));
    assert!(found, "{:?}", loaded.diagnostics);
    // Entries that share bytes, and too many.
    let overlap = with_arm(|zip| zip.add(b"b.glb", b"-", Fields { offset: Some(0), ..Fields::default() }));
    assert!(refusal(overlap, &policy).contains("overlap"));
    policy.limits.set(Limit::Elements, 1);
    let two = with_arm(|zip| zip.add(b"b.txt", b"-", Fields::default()));
    assert!(refusal(two, &policy).contains("entries of the archive: 2 is more than the 1"));
}

#[test]
fn truncations_and_flipped_bits_end_with_a_message() {
    let zip = shop();
    let options = ImportOptions::default();
    let harmless =
        |bytes: Vec<u8>| from_bytes(bytes, None, &options).map_or_else(|error| !error.to_string().is_empty(), |_| true);
    assert!((0..zip.len()).all(|end| harmless(zip[..end].to_vec())));
    for bit in 0..8 * zip.len() {
        let mut bytes = zip.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(harmless(bytes), "bit {bit}");
    }
}
