//! Key bindings.

use crate::util::modifier_key::modifier_key;

/// A key that can be bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Space,
    Left,
    Right,
    Up,
    Down,
    Escape,
    Tab,
    PageUp,
    PageDown,
    Home,
    End,
    F(u8),
    /// Lower case.
    Letter(char),
}

/// Pressed modifier keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Modifiers {
    pub shift: bool,
    /// Ctrl, or Command on macOS.
    pub control: bool,
    pub alt: bool,
}

/// A key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyBinding {
    /// Ctrl, or Command on macOS.
    pub(crate) control: bool,
    /// Ignored for symbols, which need Shift on some keyboards.
    pub(crate) shift: bool,
    /// Ignored for symbols, too.
    pub(crate) alt: bool,
    pub(crate) key: Key,
}

impl std::fmt::Display for KeyBinding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.control {
            f.write_str(concat!(modifier_key!(), "+"))?;
        }
        if self.shift {
            f.write_str("Shift+")?;
        }
        if self.alt {
            f.write_str("Alt+")?;
        }
        match self.key {
            Key::Space => f.write_str("Space"),
            Key::Left => f.write_str("Left"),
            Key::Right => f.write_str("Right"),
            Key::Up => f.write_str("Up"),
            Key::Down => f.write_str("Down"),
            Key::Escape => f.write_str("Esc"),
            Key::Tab => f.write_str("Tab"),
            Key::PageUp => f.write_str("Page Up"),
            Key::PageDown => f.write_str("Page Down"),
            Key::Home => f.write_str("Home"),
            Key::End => f.write_str("End"),
            Key::F(number) => write!(f, "F{number}"),
            Key::Letter(letter) => write!(f, "{}", letter.to_ascii_uppercase()),
        }
    }
}
