//! External files and limits, for every command.

use crate::support::reference::chunks;
use crate::support::rigs;
use crate::support::run::rigview_in;
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

/// JSON and buffer of an arm with a clip.
fn arm() -> (Value, Vec<u8>) {
    let bytes = rigs::arm().rig.glb();
    let (json, bin) = chunks(&bytes);
    (serde_json::from_slice(json).expect("JSON"), bin.expect("a binary chunk").to_vec())
}

/// Counts the files that other processes open in a folder.
#[cfg(target_os = "linux")]
struct OpenedFiles(rustix::fd::OwnedFd);

#[cfg(target_os = "linux")]
impl OpenedFiles {
    fn watch(folder: &Path) -> Self {
        use rustix::fs::inotify;
        let queue = inotify::init(inotify::CreateFlags::NONBLOCK).expect("inotify");
        inotify::add_watch(&queue, folder, inotify::WatchFlags::OPEN).expect("a folder");
        Self(queue)
    }

    /// The names of what was opened since the last call, without the folder `except`.
    fn take(&self, except: &str) -> Vec<String> {
        let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
        let mut events = rustix::fs::inotify::Reader::new(&self.0, &mut buffer);
        let mut names = Vec::new();
        while let Ok(event) = events.next() {
            let name = event.file_name().map_or(".".to_owned(), |name| name.to_string_lossy().into_owned());
            if name != except {
                names.push(name);
            }
        }
        names
    }
}

/// A test of what is opened, as a message may be right although the file was read.
#[cfg(target_os = "linux")]
#[test]
fn nothing_outside_of_the_folder_is_opened() {
    use std::os::unix::fs::symlink;
    let world = TempDir::new().expect("a folder for temporary files");
    let (outside, inside) = (world.path().to_owned(), world.path().join("model"));
    std::fs::create_dir(&inside).expect("a folder");
    std::fs::create_dir(outside.join("private")).expect("a folder");
    let (mut json, bin) = arm();
    json["buffers"][0]["uri"] = json!("own.bin");
    let external = outside.join("secret.bin").display().to_string();
    let uris = ["../secret.bin", "%2e%2e/secret.bin", "..\\secret.bin", "link.bin", &external, "deep/../../secret.bin"];
    json["images"] = uris.iter().map(|uri| json!({"uri": uri})).collect();
    json["textures"] = (0..uris.len()).map(|source| json!({"source": source})).collect();
    json["materials"] =
        (0..uris.len()).map(|index| json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": index}}})).collect();
    std::fs::write(inside.join("arm.gltf"), json.to_string()).expect("a file");
    std::fs::write(inside.join("own.bin"), bin).expect("a file");
    std::fs::write(outside.join("secret.bin"), "secret").expect("a file");
    std::fs::write(outside.join("secret.toml"), "api_token = 'secret'").expect("a file");
    std::fs::write(outside.join("private/a name.glb"), "secret").expect("a file");
    symlink("../secret.bin", inside.join("link.bin")).expect("a link");
    symlink("../private/a name.glb", inside.join("linked.glb")).expect("a link");
    symlink("../private", inside.join("folder")).expect("a link");
    let suite = |name: &str, text: &str| {
        std::fs::write(inside.join(name), format!("[defaults]\nsize = [32, 32]\n[[shot]]\n{text}")).expect("a suite");
    };
    suite("suite.toml", "model = \"arm.gltf\"\nname = \"x\"");
    suite("glob.toml", "model = \"../private/*\"");
    suite("folder.toml", "model = \"folder/*\"");
    suite("clips.toml", "model = \"linked.glb\"\nclip = \"*\"");
    suite("link.toml", "model = \"*.glb\"\nclip = \"*\"");
    let watched = [&outside, &outside.join("private")].map(|folder| OpenedFiles::watch(folder));
    let opened = || watched.iter().flat_map(|folder| folder.take("model")).collect::<Vec<_>>();
    // The test sees what is opened.
    std::fs::read(outside.join("private/a name.glb")).expect("a file");
    assert_eq!(opened(), ["a name.glb"]);
    for (command, code) in [
        ("shot arm.gltf -o out.png --size 32x32", 0),
        ("shot arm.gltf -o out.png --size 32x32", 0),
        ("check arm.gltf", 1),
        ("info arm.gltf", 0),
        ("bake arm.gltf -o out.glb", 0),
        ("diff arm.gltf arm.gltf", 0),
        ("test suite.toml --untrusted --update -o report", 0),
        ("test suite.toml --untrusted --skip-unchanged -o report", 0),
        ("test suite.toml --skip-unchanged -o report", 0),
        ("test glob.toml --untrusted -o report", 2),
        ("test folder.toml --untrusted -o report", 2),
        ("test clips.toml --untrusted -o report", 2),
        ("test link.toml --untrusted -o report", 2),
    ] {
        let run = rigview_in(&inside, &command.split(' ').collect::<Vec<_>>());
        assert_eq!(run.code, Some(code), "{}", run.report());
        assert_eq!(opened(), Vec::<String>::new(), "{}", run.report());
        assert!(!run.report().contains("a name"), "{}", run.report());
    }
    // The map of joints is a side file.
    symlink("../secret.toml", inside.join("arm.rigmap.toml")).expect("a link");
    for (command, code) in [("rig-map arm.gltf", 1), ("test suite.toml --untrusted -o report", 2)] {
        let run = rigview_in(&inside, &command.split(' ').collect::<Vec<_>>());
        assert_eq!(run.code, Some(code), "{}", run.report());
        assert!(opened().is_empty() && !run.report().contains("api_token"), "{}", run.report());
        assert!(run.report().contains("arm.rigmap.toml"), "{}", run.report());
    }
}

/// The hash of the inputs in a golden depends on side files only as far as they are drawn.
#[test]
fn large_side_files_are_not_read_for_their_hash() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let (mut json, bin) = arm();
    json["buffers"][0]["uri"] = json!("own.bin");
    json["images"] = (0..20).map(|i| json!({"uri": format!("{}large.bin", "./".repeat(i))})).collect();
    std::fs::write(folder.path().join("arm.gltf"), json.to_string()).expect("a file");
    std::fs::write(folder.path().join("own.bin"), bin).expect("a file");
    // Sparse: it takes no space.
    let large = std::fs::File::create(folder.path().join("large.bin")).expect("a file");
    large.set_len(900 << 20).expect("a file system with sparse files");
    std::fs::write(folder.path().join("suite.toml"), "[[shot]]\nmodel = \"arm.gltf\"\nsize = [32, 32]\n")
        .expect("a suite");
    let run = crate::support::run::watched(
        folder.path(),
        &[],
        &["test", "suite.toml", "--update", "-o", "report"],
        std::time::Duration::from_secs(300),
    );
    assert_eq!(run.output.code, Some(0), "{}", run.output.report());
    // A read takes a second per GiB.
    assert!(run.took.as_secs() < 10 && run.memory < 900 << 20, "{:?}, {} MiB", run.took, run.memory >> 20);
}

/// Limits of inputs that are not models.
#[test]
fn layouts_compared_images_and_shots_of_strangers_are_limited() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let (mut json, bin) = arm();
    json["buffers"][0]["uri"] = json!("own.bin");
    std::fs::write(folder.path().join("arm.gltf"), json.to_string()).expect("a file");
    std::fs::write(folder.path().join("own.bin"), bin).expect("a file");
    image::RgbImage::new(64, 16).save(folder.path().join("a.png")).expect("an image");
    std::fs::write(folder.path().join("crowd.csv"), "# comment\nx,z\n0,1\n\n2,3\n").expect("a layout");
    std::fs::write(folder.path().join("crowd.json"), "[{\"position\":[0,0,1]},{\"position\":[2,0,3]}]")
        .expect("a layout");
    let suite = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), format!("[[shot]]\nmodel = \"arm.gltf\"\n{text}\n")).expect("a suite");
    };
    suite("size.toml", "size = [8192, 8192]\nsamples = 4");
    suite("samples.toml", "size = [512, 512]\nsamples = 4096");
    suite("instances.toml", "size = [32, 32]\ninstances = 70000");
    let run = |words: &str| rigview_in(folder.path(), &words.split(' ').collect::<Vec<_>>());
    for (words, code, option) in [
        ("bake arm.gltf --layout crowd.csv -o out.glb --limit instances=1", 1, "instances=2"),
        ("bake arm.gltf --layout crowd.json -o out.glb --limit instances=1", 1, "instances=2"),
        ("compare a.png a.png --limit image=1K", 2, "image=1M"),
        ("test size.toml --untrusted -o report", 2, "image=1G"),
        ("test samples.toml --untrusted -o report", 2, "image=4G"),
        ("test instances.toml --untrusted -o report", 2, "instances=70000"),
    ] {
        let refused = run(words);
        assert!(refused.code == Some(code), "{}", refused.report());
        assert!(refused.stderr.contains(&format!("--limit {option}")), "{}", refused.report());
    }
    for words in [
        "bake arm.gltf --layout crowd.csv -o out.glb --limit instances=2",
        "bake arm.gltf --layout crowd.json -o out.glb --limit instances=2",
        "compare a.png a.png",
    ] {
        assert_eq!(run(words).code, Some(0), "{}", run(words).report());
    }
}
