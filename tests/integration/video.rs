//! Videos and contact sheets: contents, and no leftover files.

#[cfg(unix)]
use crate::support::glb::Rig;
use crate::support::run::{Output, names, rigview_in, watched};
#[cfg(unix)]
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;
#[cfg(unix)]
use std::time::Instant;
use tempfile::TempDir;

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name)
}

fn film(folder: &Path, output: &str, words: &str) -> Output {
    let windmill = shipped("windmill.glb");
    let mut arguments = vec!["video", windmill.to_str().expect("a UTF-8 path"), "-o", output, "--size", "64x40"];
    arguments.extend(words.split_whitespace());
    rigview_in(folder, &arguments)
}

/// Composed frames of a GIF and their delays in centiseconds.
fn frames_of_gif(file: &Path) -> (Vec<Vec<u8>>, Vec<u16>) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(std::fs::File::open(file).expect("the film")).expect("a GIF");
    let width = usize::from(decoder.width());
    let mut canvas = vec![0_u8; width * usize::from(decoder.height()) * 4];
    let (mut frames, mut delays) = (Vec::new(), Vec::new());
    while let Some(frame) = decoder.read_next_frame().expect("a frame") {
        let before = canvas.clone();
        for (i, pixel) in frame.buffer.chunks_exact(4).enumerate() {
            let x = usize::from(frame.left) + i % usize::from(frame.width);
            let y = usize::from(frame.top) + i / usize::from(frame.width);
            if pixel[3] > 0 {
                canvas[(y * width + x) * 4..][..4].copy_from_slice(pixel);
            }
        }
        frames.push(canvas.clone());
        delays.push(frame.delay);
        if frame.dispose == gif::DisposalMethod::Background {
            canvas = before;
            canvas.fill(0);
        }
    }
    (frames, delays)
}

#[test]
fn gif_shows_one_loop() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let run = film(folder.path(), "a.gif", "--fps 3 --clip gust");
    assert!(run.code == Some(0) && run.stdout.is_empty() && run.stderr.is_empty(), "{}", run.report());
    assert_eq!(names(folder.path()), ["a.gif"]);
    let (frames, delays) = frames_of_gif(&folder.path().join("a.gif"));
    let shown: u16 = delays.iter().sum();
    let seconds = f64::from(shown) / 100.0;
    assert_eq!(frames.len(), (seconds * 3.0).round() as usize);
    // The first moment is not shown again at the end, and neighbors are not the same.
    assert!(frames.len() > 3 && frames[0] != frames[frames.len() - 1] && frames[0] != frames[1]);
    assert!(frames.iter().all(|frame| frame.chunks_exact(4).all(|pixel| pixel[3] == 255)));

    // Colors are those of the image, but for what 255 colors cost.
    let png = folder.path().join("first.png");
    let windmill = shipped("windmill.glb");
    let words = ["shot", windmill.to_str().unwrap(), "-o", "first.png", "--size", "64x40", "--clip", "gust"];
    assert_eq!(rigview_in(folder.path(), &words).code, Some(0));
    let image = image::open(png).expect("an image").to_rgba8().into_raw();
    let off: u64 = image.iter().zip(&frames[0]).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    assert!(off < image.len() as u64 * 5, "colors are off by {} on average", off as f64 / image.len() as f64);
}

#[test]
fn turntable_rotates_once_and_static_model_is_one_frame() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let run = film(folder.path(), "a.gif", "--turntable --clip none --range 0,2 --fps 4");
    assert!(run.code == Some(0) && run.stderr.is_empty(), "{}", run.report());
    let (frames, delays) = frames_of_gif(&folder.path().join("a.gif"));
    assert_eq!((frames.len(), delays.iter().sum::<u16>()), (8, 200));
    for (i, frame) in frames.iter().enumerate() {
        assert!(frames[..i].iter().all(|other| other != frame), "frame {i} is seen from where another one is");
    }
    let run = film(folder.path(), "still.gif", "--clip none");
    assert!(run.code == Some(0), "{}", run.report());
    assert_eq!(frames_of_gif(&folder.path().join("still.gif")).0.len(), 1);
}

#[test]
fn apng_and_image_sequence_match_shots() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let words = "--fps 2 --clip gust --background transparent";
    assert_eq!(film(folder.path(), "a.png", words).code, Some(0));
    assert_eq!(film(folder.path(), "frames/f%03d.png", words).code, Some(0));
    let images = names(&folder.path().join("frames"));
    assert_eq!(names(folder.path()), ["a.png", "frames"]);
    assert_eq!(images[..2], ["f000.png", "f001.png"]);

    let mut decoder =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(folder.path().join("a.png")).unwrap()));
    decoder.set_transformations(png::Transformations::IDENTITY);
    let mut reader = decoder.read_info().expect("a PNG");
    let control = *reader.info().animation_control().expect("an animated PNG");
    assert_eq!((control.num_frames as usize, control.num_plays), (images.len(), 0));
    let mut canvas = vec![0_u8; 64 * 40 * 4];
    for name in &images {
        let mut part = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut part).expect("a frame");
        let control = *reader.info().frame_control().expect("a frame of the animation");
        for (row, bytes) in part[..frame.buffer_size()].chunks_exact(frame.line_size).enumerate() {
            let first = ((control.y_offset as usize + row) * 64 + control.x_offset as usize) * 4;
            canvas[first..first + bytes.len()].copy_from_slice(bytes);
        }
        let image = image::open(folder.path().join("frames").join(name)).expect("an image").to_rgba8();
        assert!(image.into_raw() == canvas, "{name} is not the frame of the animated PNG");
    }
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Command, Stdio};

    /// Installs a script as `ffmpeg` on a separate PATH.
    fn ffmpeg(folder: &Path, script: &str) -> String {
        let bin = folder.join("bin");
        std::fs::create_dir_all(&bin).unwrap();
        let program = bin.join("ffmpeg");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default())
    }

    #[test]
    fn ffmpeg_receives_frames_and_errors_are_reported() {
        let folder = TempDir::new().expect("a folder for temporary files");
        // The last argument is the file to write.
        let path = ffmpeg(folder.path(), "for last; do :; done; cat > \"${last#file:}\"; echo \"$@\" > bin/words");
        let windmill = shipped("windmill.glb");
        let arguments =
            ["video", windmill.to_str().unwrap(), "-o", "a.mp4", "--size", "63x40", "--fps", "2", "--clip", "gust"];
        let run = watched(folder.path(), &[("PATH", &path)], &arguments, Duration::from_secs(60)).output;
        assert!(run.code == Some(0) && run.stderr.contains("64 x 40 pixels"), "{}", run.report());
        let bytes = std::fs::metadata(folder.path().join("a.mp4")).unwrap().len();
        assert!(bytes > 0 && bytes.is_multiple_of(64 * 40 * 4), "{bytes} bytes");
        let words = std::fs::read_to_string(folder.path().join("bin/words")).unwrap();
        assert!(words.contains("-s 64x40") && words.contains("libx264"), "{words}");
        assert_eq!(names(folder.path()), ["a.mp4", "bin"]);

        std::fs::remove_file(folder.path().join("a.mp4")).unwrap();
        let path = ffmpeg(folder.path(), "cat > /dev/null; echo 'Unknown encoder libx264' >&2; exit 1");
        let run = watched(folder.path(), &[("PATH", &path)], &arguments, Duration::from_secs(60)).output;
        assert!(run.code == Some(1) && run.stderr.contains("Unknown encoder libx264"), "{}", run.report());
        assert_eq!(names(folder.path()), ["bin"]);
    }

    #[test]
    fn long_error_output_of_ffmpeg_does_not_block() {
        let folder = TempDir::new().expect("a folder for temporary files");
        // More than a pipe holds, before any frame is read.
        let script = "head -c 300000 /dev/zero | tr '\\0' x >&2; echo >&2; cat > /dev/null; echo 'no room' >&2; exit 1";
        let path = ffmpeg(folder.path(), script);
        let windmill = shipped("windmill.glb");
        let arguments = ["video", windmill.to_str().unwrap(), "-o", "a.mp4", "--size", "64x40", "--fps", "2"];
        let run = watched(folder.path(), &[("PATH", &path)], &arguments, Duration::from_secs(60)).output;
        assert!(run.code == Some(1) && run.stderr.ends_with("ffmpeg failed: no room\n"), "{}", run.report());
    }

    /// Ctrl+C in a terminal signals the whole process group.
    #[test]
    fn interrupt_of_the_process_group_is_not_a_failure_of_ffmpeg() {
        use std::os::unix::process::CommandExt;
        if is_ignored(2) {
            eprintln!("skipped: interrupt_of_the_process_group_is_not_a_failure_of_ffmpeg, since SIGINT is ignored");
            return;
        }
        let folder = TempDir::new().expect("a folder for temporary files");
        let path = ffmpeg(folder.path(), "touch bin/begun; exec cat > /dev/null");
        let windmill = shipped("windmill.glb");
        let mut child = Command::new(env!("CARGO_BIN_EXE_rigview"))
            .args(["video", windmill.to_str().unwrap(), "-o", "a.mp4", "--fps", "240", "--loops", "20"])
            .current_dir(folder.path())
            .env("PATH", &path)
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        for _ in 0..600 {
            if folder.path().join("bin/begun").exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        std::thread::sleep(Duration::from_millis(300));
        let group = format!("-{}", child.id());
        assert!(Command::new("kill").args(["-2", "--", &group]).status().unwrap().success());
        let ended = (0..600).find_map(|_| {
            std::thread::sleep(Duration::from_millis(50));
            child.try_wait().unwrap()
        });
        if ended.is_none() {
            child.kill().unwrap();
        }
        let mut stderr = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut stderr).unwrap();
        assert_eq!(ended.and_then(|status| status.code()), Some(130), "{stderr}");
        assert!(!stderr.contains("ffmpeg"), "{stderr}");
        assert_eq!(names(folder.path()), ["bin"]);
    }

    /// While an encoder blocks, the video cannot stop by itself. Exit handlers of libraries would run at the same time.
    #[cfg(target_os = "linux")]
    #[test]
    fn interrupt_of_a_blocked_encoder_exits_without_exit_handlers() {
        if is_ignored(2) {
            eprintln!("skipped: interrupt_of_a_blocked_encoder_exits_without_exit_handlers, since SIGINT is ignored");
            return;
        }
        let folder = TempDir::new().expect("a folder for temporary files");
        // A library whose exit handler leaves a file.
        let source =
            "#include <fcntl.h>\n__attribute__((destructor)) static void end(void) { creat(\"exited\", 0600); }";
        std::fs::write(folder.path().join("end.c"), source).unwrap();
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-o", "end.so", "end.c"]).current_dir(folder.path());
        assert!(compiler.status().expect("cc, which Rust needs, too").success());
        let library = folder.path().join("end.so");
        let rigview = |arguments: &[&str], path: &str| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_rigview"));
            command.args(arguments).current_dir(folder.path()).env("PATH", path).stderr(Stdio::piped());
            command.env("LD_PRELOAD", &library);
            command
        };
        // The library works.
        assert!(rigview(&["--version"], "").output().unwrap().status.success());
        std::fs::remove_file(folder.path().join("exited")).expect("the file of the exit handler");

        let path = ffmpeg(folder.path(), "unset LD_PRELOAD; touch bin/begun; exec sleep 60");
        let windmill = shipped("windmill.glb");
        let arguments = ["video", windmill.to_str().unwrap(), "-o", "a.mp4", "--fps", "240", "--loops", "20"];
        // The second interrupt ends it at once.
        for interrupts in [1, 2] {
            let mut child = rigview(&arguments, &path).spawn().unwrap();
            let wait_for = |condition: &mut dyn FnMut() -> bool| {
                (0..600).any(|_| {
                    std::thread::sleep(Duration::from_millis(50));
                    condition()
                })
            };
            assert!(wait_for(&mut || folder.path().join("bin/begun").exists()), "ffmpeg was not started");
            // The pipe to ffmpeg is full by then.
            std::thread::sleep(Duration::from_secs(2));
            let process = child.id().to_string();
            for _ in 0..interrupts {
                assert_eq!(child.try_wait().unwrap(), None);
                assert!(Command::new("kill").args(["-2", &process]).status().unwrap().success());
                std::thread::sleep(Duration::from_millis(100));
            }
            if !wait_for(&mut || child.try_wait().unwrap().is_some()) {
                child.kill().unwrap();
            }
            assert_eq!(child.wait().unwrap().code(), Some(130));
            assert!(!folder.path().join("exited").exists(), "exit handlers have run");
            std::fs::remove_file(folder.path().join("bin/begun")).unwrap();
            assert_eq!(names(folder.path()), ["bin", "end.c", "end.so"]);
        }
    }

    /// A frame of the file takes many seconds without a GPU, so the work cannot stop between two frames.
    #[test]
    fn sigterm_stops_a_long_frame_within_about_a_second() {
        if is_ignored(15) {
            eprintln!("skipped: sigterm_stops_a_long_frame_within_about_a_second, since SIGTERM is ignored");
            return;
        }
        let folder = TempDir::new().expect("a folder for temporary files");
        let mut rig = Rig::new();
        let mesh = rig.triangle();
        let count = 60_000;
        for i in 0..count {
            rig.node(json!({"mesh": mesh, "translation": [i % 250, i / 250, 0], "scale": [200, 200, 1]}));
        }
        rig.set("scenes", json!([{"nodes": (0..count).collect::<Vec<_>>()}]));
        let model = rig.write_glb(folder.path(), "many");
        let words = |words: &str| -> Vec<String> { words.split_whitespace().map(str::to_owned).collect() };
        for arguments in [
            words("sheet many.glb -o a.png --size 1280x720"),
            words("video many.glb -o a.png --turntable --size 1920x1080"),
            words("video many.glb -o frames/%04d.png --turntable --size 1920x1080"),
        ] {
            let started = Instant::now();
            let mut child = Command::new(env!("CARGO_BIN_EXE_rigview"))
                .args(&arguments)
                .current_dir(model.parent().unwrap())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            // Past reading the file.
            std::thread::sleep(Duration::from_secs(5));
            assert_eq!(child.try_wait().unwrap(), None, "{arguments:?} ended within {:?}", started.elapsed());
            let signal = Instant::now();
            assert!(Command::new("kill").args(["-15", &child.id().to_string()]).status().unwrap().success());
            let ended = (0..400).any(|_| {
                std::thread::sleep(Duration::from_millis(25));
                child.try_wait().unwrap().is_some()
            });
            let took = signal.elapsed();
            if !ended {
                child.kill().unwrap();
            }
            let output = child.wait_with_output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(130), "{arguments:?}: {stderr}");
            assert!(took < Duration::from_secs(3), "{arguments:?} took {took:?}");
            assert!(stderr.contains("stopped; nothing was written"), "{stderr}");
            let _ = std::fs::remove_dir(folder.path().join("frames"));
            assert_eq!(names(folder.path()), ["many.glb"], "{arguments:?}");
        }
    }

    /// Returns `true` if this process ignores a signal, which child processes inherit.
    fn is_ignored(signal: u32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let bits = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0);
        bits >> (signal - 1) & 1 != 0
    }

    #[test]
    fn interrupted_video_leaves_nothing() {
        let [hup, int, term] = [1, 2, 15];
        let windmill = shipped("windmill.glb");
        for (output, signal) in [("a.png", int), ("frames/%d.png", term), ("a.gif", term), ("b.png", hup)] {
            if is_ignored(signal) {
                // Started by nohup, or in the background of a shell. The video then continues, as it should.
                eprintln!("skipped: video::unix::interrupted_video_leaves_nothing, its part with signal {signal}");
                continue;
            }
            let folder = TempDir::new().expect("a folder for temporary files");
            let mut child = Command::new(env!("CARGO_BIN_EXE_rigview"))
                .args(["video", windmill.to_str().unwrap(), "-o", output, "--fps", "240", "--loops", "50"])
                .current_dir(folder.path())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            // Until it has begun to write.
            let watched = folder.path().join(if output.starts_with('f') { "frames" } else { "" });
            for _ in 0..600 {
                if std::fs::read_dir(&watched).is_ok_and(|mut entries| entries.next().is_some()) {
                    break;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            std::thread::sleep(Duration::from_millis(300));
            assert!(
                Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().unwrap().success()
            );
            let ended = (0..600).find_map(|_| {
                std::thread::sleep(Duration::from_millis(50));
                child.try_wait().unwrap()
            });
            if ended.is_none() {
                child.kill().unwrap();
            }
            assert_eq!(ended.and_then(|status| status.code()), Some(130), "signal {signal}");
            assert_eq!(std::fs::read_dir(&watched).unwrap().count(), 0, "something is left of {output}");
        }
    }
}

#[test]
fn contact_sheet_has_all_clips_and_is_deterministic() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let hare = shipped("hare.glb");
    let sheet = |output: &str, words: &str| {
        let mut arguments = vec!["sheet", hare.to_str().unwrap(), "-o", output, "--size", "60x40", "--frames", "3"];
        arguments.extend(words.split_whitespace());
        let run = rigview_in(folder.path(), &arguments);
        assert!(run.code == Some(0) && run.stderr.is_empty(), "{}", run.report());
        image::open(folder.path().join(output)).expect("a sheet").to_rgba8()
    };
    let all = sheet("all.png", "");
    // The rest pose and two clips, of three images each.
    assert_eq!(all.dimensions(), (8 + 3 * 68, 16 + 30 + 3 * (22 + 40 + 18 + 8)));
    assert!(sheet("again.png", "") == all);
    let one = sheet("one.png", "--clip nod");
    assert_eq!(one.dimensions(), (8 + 3 * 68, 16 + 30 + 88));
    let row = |sheet: &image::RgbaImage, top: u32| -> Vec<u8> {
        (0..40)
            .flat_map(|y| (8..68).flat_map(move |x| [(x, top + y)]))
            .flat_map(|(x, y)| sheet.get_pixel(x, y).0)
            .collect()
    };
    assert!(row(&all, 8 + 30 + 88 + 22) == row(&one, 8 + 30 + 22), "thumbnails depend on other clips");
}
