//! The program with its window.

use super::capture::Image;
use super::display::{Display, Program, wait_for};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use x11rb::protocol::xproto::Window;

/// Timeout of an image, below that of every wait, so that a failure keeps the image.
const IMAGE_LIMIT: Duration = Duration::from_secs(50);

/// A shipped model.
pub(crate) fn asset(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name)
}

/// The program without its window.
pub(crate) fn start(display: Option<&Display>, arguments: &[&str]) -> Program {
    start_with_variable(display, None, arguments)
}

/// The program, with a variable of its environment.
fn start_with_variable(display: Option<&Display>, variable: Option<(&str, &str)>, arguments: &[&str]) -> Program {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rigview"));
    for variable in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
        command.env_remove(variable);
    }
    if let Some(display) = display {
        command.env("DISPLAY", &display.name);
    }
    command.envs(variable);
    // Tests neither read nor write the user's settings.
    command.arg("--no-config").args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Program(command.spawn().unwrap())
}

/// Waits for exit; returns exit code and stderr without driver messages.
pub(crate) fn end(mut program: Program) -> (Option<i32>, Vec<String>) {
    let status = wait_for("the program ends", || program.0.try_wait().unwrap());
    let mut text = String::new();
    program.0.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    let of_driver = |line: &&str| line.starts_with("libEGL") || line.starts_with("MESA");
    (status.code(), text.lines().filter(|line| !of_driver(line)).map(str::to_owned).collect())
}

/// The program and its window on a display.
pub(crate) struct Viewer {
    program: Program,
    pub(crate) window: Window,
    pub(crate) display: Display,
}

impl Viewer {
    /// Opens a window of `size` without panels and waits for its model.
    pub(crate) fn open(size: [u32; 2], arguments: &[&str]) -> Self {
        Self::open_with_panels(size, &[&["--no-ui"], arguments].concat())
    }

    /// Opens a window of `size` and waits for its model.
    pub(crate) fn open_with_panels(size: [u32; 2], arguments: &[&str]) -> Self {
        Self::start(size, None, arguments)
    }

    /// Opens a window of `size` and waits for its model. The programs that it starts are searched in `path`.
    pub(crate) fn open_with_path(size: [u32; 2], path: &str, arguments: &[&str]) -> Self {
        Self::open_with_variable(size, ("PATH", path), arguments)
    }

    /// Opens a window of `size` with a variable of its environment, and waits for its model.
    pub(crate) fn open_with_variable(size: [u32; 2], variable: (&str, &str), arguments: &[&str]) -> Self {
        Self::start(size, Some(variable), arguments)
    }

    fn start(size: [u32; 2], variable: Option<(&str, &str)>, arguments: &[&str]) -> Self {
        let display = Display::start();
        let program = start_with_variable(Some(&display), variable, arguments);
        let window = wait_for("the window opens", || {
            display.windows().into_iter().find(|&window| display.title(window).ends_with("rigview"))
        });
        display.resize(window, size);
        display.focus(window);
        let viewer = Self { program, window, display };
        viewer.wait_for_title("a model is shown", |title| !title.starts_with("loading"));
        viewer
    }

    /// Opens a window of `size` with a model of the project, paused at the start of its first clip.
    pub(crate) fn paused(size: [u32; 2], model: &str) -> Self {
        let viewer = Self::open(size, &[asset(model).to_str().unwrap()]);
        viewer.key("space");
        viewer.wait_for_title("it pauses", is_paused);
        viewer.go_to_start();
        viewer
    }

    /// Seeks to the exact start of the clip by stepping through the next clip, since the title shows hundredths only.
    pub(crate) fn go_to_start(&self) {
        let clip = |title: &str| title.split(" - ").nth(1).map(str::to_owned);
        let present = clip(&self.title());
        self.key("Down");
        self.wait_for_title("the next clip", |title| clip(title) != present);
        self.key("Up");
        self.wait_for_title("the clip's start", |title| clip(title) == present && time(title) == Some(0.0));
    }

    pub(crate) fn title(&self) -> String {
        self.display.title(self.window)
    }

    pub(crate) fn wait_for_title(&self, what: &str, mut is_right: impl FnMut(&str) -> bool) -> String {
        let mut last = String::new();
        wait_for(&format!("{what} (title)"), || {
            let title = self.title();
            if title != last {
                eprintln!("title: {title}");
                last.clone_from(&title);
            }
            is_right(&title).then_some(title)
        })
    }

    /// Presses a key or a chord.
    pub(crate) fn key(&self, name: &str) {
        self.display.xdotool(&format!("key {name}"));
    }

    /// The image in the window.
    pub(crate) fn image(&self) -> Image {
        wait_for("the window has pixels", || self.display.pixels(self.window).map(Image::new))
    }

    /// Waits until the window shows an image; fails with the last one.
    pub(crate) fn wait_for_image(&self, what: &str, is_right: impl Fn(&Image) -> bool) -> Image {
        let start = Instant::now();
        wait_for(what, || {
            let image = self.image();
            if is_right(&image) {
                return Some(image);
            }
            assert!(start.elapsed() < IMAGE_LIMIT, "{what}: {}", image.keep(&format!("{what} seen")).display());
            None
        })
    }

    /// Waits until the window shows exactly this image; fails with the difference.
    pub(crate) fn wait_for_same(&self, what: &str, expected: &Image) {
        let start = Instant::now();
        wait_for(&format!("{what} (the same bytes)"), || {
            let image = self.image();
            if start.elapsed() > IMAGE_LIMIT {
                let [seen, shot] =
                    [(&image, "seen"), (expected, "expected")].map(|(image, is)| image.keep(&format!("{what} {is}")));
                panic!("{what}: {}: {} and {}", image.difference(expected), seen.display(), shot.display());
            }
            (image == *expected).then_some(())
        });
    }

    /// Waits for a second with almost no CPU time, in which no thread waits for a busy processor or runs a child process either.
    pub(crate) fn wait_for_rest(&self) {
        wait_for("a second goes by without work", || {
            let before = self.processor_ticks();
            for _ in 0..20 {
                std::thread::sleep(Duration::from_millis(50));
                if self.has_working_thread() {
                    return None;
                }
            }
            (self.processor_ticks() - before <= 1).then_some(())
        });
    }

    /// Waits until no notification appears or disappears for longer than each is shown (5 s); returns the image.
    pub(crate) fn wait_for_last_notification(&self) -> Image {
        wait_for("the same image for 6 s", || {
            self.wait_for_rest();
            let image = self.image();
            std::thread::sleep(Duration::from_secs(6));
            (self.image() == image).then_some(image)
        })
    }

    /// CPU time of the program in hundredths of a second.
    fn processor_ticks(&self) -> u64 {
        let fields = stat_fields(Path::new(&format!("/proc/{}", self.program.0.id()))).unwrap();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    }

    /// Returns `true` if a thread of the program runs, waits for a processor, or started a process that has not ended, as for thumbnails.
    fn has_working_thread(&self) -> bool {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.program.0.id())).unwrap();
        // A thread may have ended since it was listed. Kernels without CONFIG_PROC_CHILDREN have no list of children.
        threads.flatten().any(|thread| {
            let is_runnable = stat_fields(&thread.path()).is_some_and(|fields| fields[0] == "R");
            is_runnable || std::fs::read_to_string(thread.path().join("children")).is_ok_and(|list| !list.is_empty())
        })
    }

    /// Sends SIGTERM.
    pub(crate) fn ask_to_end(&self) {
        let pid = self.program.0.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    }

    /// Waits for exit; returns exit code and stderr.
    pub(crate) fn end(self) -> (Option<i32>, Vec<String>) {
        end(self.program)
    }

    /// Quits by shortcut; asserts an empty stderr.
    pub(crate) fn close(self) {
        self.key("ctrl+q");
        assert_eq!(self.end(), (Some(0), vec![]));
    }
}

/// Fields of a process or thread from its state on; the 12th and 13th are user and system time. `None` if it has ended.
fn stat_fields(folder: &Path) -> Option<Vec<String>> {
    let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
    // The name before the state stands in parentheses and may hold anything.
    Some(stat.rsplit_once(')').unwrap().1.split_whitespace().map(str::to_owned).collect())
}

/// Returns `true` if the title shows a pause.
pub(crate) fn is_paused(title: &str) -> bool {
    title.contains("(paused)")
}

/// Time in seconds of a title.
pub(crate) fn time(title: &str) -> Option<f64> {
    title.split_once(" / ")?.0.rsplit_once(' ')?.1.parse().ok()
}
