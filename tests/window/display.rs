//! A private X server.

use std::io::{BufRead, BufReader, ErrorKind};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConfigureWindowAux, ConnectionExt, EventMask, ImageFormat, InputFocus, MapState,
    Window,
};
use x11rb::rust_connection::RustConnection;

/// Timeout of every wait.
const LIMIT: Duration = Duration::from_secs(60);

/// Polls until there is a value.
pub(crate) fn wait_for<T>(what: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = poll() {
            return value;
        }
        assert!(start.elapsed() < LIMIT, "not within {} s: {what}", LIMIT.as_secs());
        thread::sleep(Duration::from_millis(20));
    }
}

/// A child process, killed with the test.
pub(crate) struct Program(pub(crate) Child);

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Xvfb, and a connection to it.
pub(crate) struct Display {
    // Closed before the server ends.
    pub(crate) connection: RustConnection,
    pub(crate) root: Window,
    pub(crate) name: String,
    _server: Program,
}

/// Starts a program; fails with its package name if it is missing.
fn command(name: &str, package: &str, start: impl FnOnce(Command) -> std::io::Result<Child>) -> Child {
    start(Command::new(name)).unwrap_or_else(|error| match error.kind() {
        ErrorKind::NotFound => panic!("{name} is missing: apt install {package}"),
        _ => panic!("{name}: {error}"),
    })
}

impl Display {
    /// Starts the server on a free display number.
    pub(crate) fn start() -> Self {
        let arguments = ["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"];
        let mut server = Program(command("Xvfb", "xvfb", |mut xvfb| {
            xvfb.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
        }));
        let mut number = String::new();
        BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut number).unwrap();
        assert!(!number.trim().is_empty(), "Xvfb did not start");
        let name = format!(":{}", number.trim());
        let (connection, screen) = wait_for("the X server answers", || RustConnection::connect(Some(&name)).ok());
        let root = connection.setup().roots[screen].root;
        Self { connection, root, name, _server: server }
    }

    /// Runs xdotool with these arguments.
    pub(crate) fn xdotool(&self, words: &str) {
        let mut xdotool = Program(command("xdotool", "xdotool", |mut xdotool| {
            xdotool.args(words.split_whitespace()).env("DISPLAY", &self.name).stdin(Stdio::null()).spawn()
        }));
        assert!(xdotool.0.wait().unwrap().success(), "xdotool {words}");
    }

    /// The atom of a name.
    pub(crate) fn atom(&self, name: &str) -> u32 {
        self.connection.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom
    }

    /// Visible windows.
    pub(crate) fn windows(&self) -> Vec<Window> {
        let windows = self.connection.query_tree(self.root).unwrap().reply().unwrap().children;
        let is_seen = |window: &Window| {
            let attributes = self.connection.get_window_attributes(*window).unwrap().reply();
            attributes.is_ok_and(|attributes| attributes.map_state == MapState::VIEWABLE)
        };
        windows.into_iter().filter(is_seen).collect()
    }

    /// Title of a window; empty if the window is gone.
    pub(crate) fn title(&self, window: Window) -> String {
        let property = self.atom("_NET_WM_NAME");
        let reply = self.connection.get_property(false, window, property, AtomEnum::ANY, 0, 1024).unwrap().reply();
        reply.map(|reply| String::from_utf8(reply.value).unwrap()).unwrap_or_default()
    }

    /// Resizes a window.
    pub(crate) fn resize(&self, window: Window, [width, height]: [u32; 2]) {
        let size = ConfigureWindowAux::new().width(width).height(height);
        self.connection.configure_window(window, &size).unwrap().check().unwrap();
    }

    /// Focuses a window.
    pub(crate) fn focus(&self, window: Window) {
        self.connection.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME).unwrap().check().unwrap();
    }

    /// Sends a message to a window.
    pub(crate) fn send(&self, window: Window, kind: &str, data: [u32; 5]) {
        let message = ClientMessageEvent::new(32, window, self.atom(kind), data);
        self.connection.send_event(false, window, EventMask::NO_EVENT, message).unwrap().check().unwrap();
    }

    /// Size and RGB pixels of a window, top row first; `None` during a resize.
    pub(crate) fn pixels(&self, window: Window) -> Option<([u32; 2], Vec<u8>)> {
        let geometry = self.connection.get_geometry(window).unwrap().reply().ok()?;
        let (width, height) = (geometry.width, geometry.height);
        let image = self.connection.get_image(ImageFormat::Z_PIXMAP, window, 0, 0, width, height, !0).unwrap();
        let bgrx = image.reply().ok()?.data;
        let rgb = bgrx.chunks_exact(4).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect();
        Some(([width.into(), height.into()], rgb))
    }
}
