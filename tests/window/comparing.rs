//! Comparison of two files, and pose overrides.

use super::capture::Image;
use super::viewer::{Viewer, asset, end, is_paused, start};

#[test]
fn comparison_shows_split_and_difference() {
    let (hare, windmill) = (asset("hare.glb"), asset("windmill.glb"));
    let files = [&hare, &windmill].map(|file| file.to_str().unwrap());
    let viewer = Viewer::open([400, 300], &[files[0], files[1], "--compare", "--clip", "none"]);
    viewer.wait_for_rest();
    let split = viewer.image();
    viewer.key("e");
    viewer.wait_for_image("the difference", |image| *image != split && !image.is_gray());
    viewer.key("v");
    viewer.wait_for_same("both again", &split);
    viewer.close();
}

#[test]
fn comparison_with_itself_is_equal_until_reload() {
    let hare = asset("hare.glb");
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.glb");
    std::fs::copy(&hare, &copy).unwrap();
    let files = [&hare, &copy].map(|file| file.to_str().unwrap());
    let viewer = Viewer::open([400, 300], &[files[0], files[1], "--compare"]);
    viewer.key("space");
    viewer.wait_for_title("it pauses", is_paused);
    viewer.go_to_start();
    viewer.wait_for_same("both halves", &Image::shot(&hare, [400, 300], &[]));
    viewer.key("e");
    viewer.wait_for_image("no difference", Image::is_gray);
    viewer.wait_for_rest();
    std::fs::copy(asset("windmill.glb"), &copy).unwrap();
    viewer.wait_for_image("the second file is another one", |image| !image.is_gray());
    viewer.close();
}

#[test]
fn panes_side_by_side_match_screenshots_and_share_the_camera() {
    let hare = asset("hare.glb");
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.glb");
    std::fs::copy(&hare, &copy).unwrap();
    let files = [&hare, &copy].map(|file| file.to_str().unwrap());
    let viewer = Viewer::open([403, 300], &[files[0], files[1], "--compare", "--clip", "none"]);
    viewer.wait_for_rest();
    viewer.key("shift+v");
    // The change of the aspect ratio keeps the model in view, but does not frame it.
    viewer.key("Home");
    let shot = Image::shot(&hare, [200, 300], &["--clip", "none"]);
    let panes = |image: &Image| [image.columns(0, 200), image.columns(203, 200)];
    let gap =
        viewer.wait_for_image("both panes", |image| panes(image).iter().all(|pane| *pane == shot)).columns(200, 3);
    assert_eq!(gap.pixels_of([0, 0, 0]).1, 900, "a black gap");
    // The wheel zooms towards the same place of both panes.
    viewer.display.xdotool("mousemove 303 150 click 4");
    // While the view moves, each pane has a quality of its own.
    let zoomed = viewer.wait_for_image("a closer view in both panes", |image| {
        let [first, second] = panes(image);
        first != shot && first == second
    });
    let [first, _] = panes(&zoomed);
    viewer.key("v");
    viewer.wait_for_image("one viewport", |image| panes(image)[0] != first);
    viewer.close();
}

#[test]
fn comparison_starts_where_the_files_differ() {
    let folder = tempfile::tempdir().unwrap();
    let changed = folder.path().join("changed.glb");
    let compare = |model: &str| {
        let model = asset(model);
        // Another red of the cap of the windmill, or of the nose of the hare, with the same number of bytes.
        let mut bytes = std::fs::read(&model).unwrap();
        let at = bytes.windows(18).position(|window| window == b"0.2746773064136505").unwrap();
        bytes[at + 2] = b'9';
        std::fs::write(&changed, bytes).unwrap();
        let files = [&model, &changed].map(|file| file.to_str().unwrap());
        Viewer::open([400, 300], &[files[0], files[1], "--compare", "--clip", "none"])
    };
    let viewer = compare("windmill.glb");
    let [a, b] =
        [asset("windmill.glb"), changed.clone()].map(|file| Image::shot(&file, [400, 300], &["--clip", "none"]));
    // The cap is between 174 and 249, more of it at the right.
    let parts = |image: &Image| [image.columns(0, 210), image.columns(236, 164)];
    let [[left_of_a, right_of_a], [left_of_b, right_of_b]] = [parts(&a), parts(&b)];
    assert!(left_of_a != left_of_b && right_of_a != right_of_b, "the change is on both sides");
    let expected = [left_of_a, right_of_b];
    viewer.wait_for_image("the divider is on the cap", |image| parts(image) == expected);
    viewer.close();
    let viewer = compare("hare.glb");
    // The divider would cover the nose.
    viewer.wait_for_image("two panes", |image| image.columns(199, 2).pixels_of([0, 0, 0]).1 == 600);
    viewer.close();
}

/// The hare below a node at this place on the X axis.
fn hare_at(x: f64) -> Vec<u8> {
    let bytes = std::fs::read(asset("hare.glb")).unwrap();
    let json_end = 20 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let mut json: serde_json::Value = serde_json::from_slice(&bytes[20..json_end]).unwrap();
    let roots = json["scenes"][0]["nodes"].take();
    let nodes = json["nodes"].as_array_mut().unwrap();
    nodes.push(serde_json::json!({"translation": [x, 0, 0], "children": roots}));
    json["scenes"][0]["nodes"] = serde_json::json!([nodes.len() - 1]);
    let mut text = serde_json::to_vec(&json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let sizes = [20 + text.len() + bytes.len() - json_end, text.len()].map(|size| (size as u32).to_le_bytes());
    [b"glTF\x02\0\0\0", &sizes[0][..], &sizes[1], b"JSON", &text, &bytes[json_end..]].concat()
}

#[test]
fn second_file_far_from_the_origin_has_the_place_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first.glb", "second.glb"].map(|name| folder.path().join(name));
    // The fur in both halves, after the second hare moves by 0.25 m.
    let compare = |distance: f64| {
        std::fs::write(&first, hare_at(distance)).unwrap();
        std::fs::write(&second, hare_at(distance)).unwrap();
        let files = [&first, &second].map(|file| file.to_str().unwrap());
        let viewer = Viewer::open([400, 300], &[files[0], files[1], "--compare", "--clip", "none"]);
        let same = Image::shot(&first, [400, 300], &["--clip", "none"]);
        viewer.wait_for_same("both halves", &same);
        viewer.key("e");
        viewer.wait_for_image("no difference", Image::is_gray);
        viewer.key("v");
        viewer.wait_for_same("both halves again", &same);
        std::fs::write(&second, hare_at(distance + 0.25)).unwrap();
        viewer.wait_for_image("the second half moves", |image| *image != same);
        viewer.wait_for_rest();
        let moved = viewer.image().fur();
        viewer.close();
        moved
    };
    let (near, far) = (compare(0.0), compare(1e6));
    assert!((near.0[0] - far.0[0]).abs() < 1.0 && near.1.abs_diff(far.1) < near.1 / 50, "{near:?} {far:?}");
}

#[test]
fn click_on_a_difference_frames_its_joint() {
    let hare = asset("hare.glb");
    let folder = tempfile::tempdir().unwrap();
    let renamed = folder.path().join("renamed.glb");
    // The same number of bytes, so that the file stays valid.
    let bytes = std::fs::read(&hare).unwrap();
    let at = bytes.windows(6).position(|window| window == b"\"head\"").unwrap();
    std::fs::write(&renamed, [&bytes[..at], b"\"heaD\"", &bytes[at + 6..]].concat()).unwrap();
    let files = [&hare, &renamed].map(|file| file.to_str().unwrap());
    let viewer = Viewer::open_with_panels([1000, 700], &[files[0], files[1], "--compare", "--clip", "none"]);
    viewer.display.xdotool("mousemove 400 10");
    viewer.wait_for_rest();
    let fur = viewer.image().fur().1;
    // The joint exists under the old name in the first file only, so that one of the upper lines frames it.
    let is_framed = (180..420).step_by(9).any(|y| {
        viewer.display.xdotool(&format!("mousemove 720 {y} click 1"));
        std::thread::sleep(std::time::Duration::from_millis(300));
        viewer.image().fur().1 > fur * 5 / 4
    });
    assert!(is_framed, "no line of the list frames the head");
    viewer.key("ctrl+q");
    assert_eq!(viewer.end().0, Some(0));
}

#[test]
fn compare_requires_two_files() {
    let (code, lines) = end(start(None, &[asset("hare.glb").to_str().unwrap(), "--compare"]));
    assert_eq!(code, Some(2), "{lines:?}");
    assert!(lines[0].contains("--compare shows two files, not 1"), "{lines:?}");
}

#[test]
fn pose_overrides_and_layers_match_screenshot() {
    let hare = asset("hare.glb");
    let options = ["--pose", "head=10,20,30", "--layer", "1:0.5", "--clip", "0"];
    let viewer = Viewer::open([400, 300], &[&[hare.to_str().unwrap()], &options[..]].concat());
    viewer.key("space");
    viewer.wait_for_title("it pauses", is_paused);
    viewer.key("ctrl+Home");
    viewer.wait_for_same("a pose override, two clips", &Image::shot(&hare, [400, 300], &options));
    viewer.close();
}
