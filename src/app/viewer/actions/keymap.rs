//! Key bindings.

use crate::app::viewer::state::modifier_key::modifier_key;

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
    Character(char),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Modifiers {
    pub shift: bool,
    /// Ctrl, or Command on macOS.
    pub control: bool,
    pub alt: bool,
    /// Ctrl and Command together, on macOS.
    pub control_and_command: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyBinding {
    /// Ctrl, or Command on macOS.
    pub(crate) control: bool,
    /// Ignored for symbols, which need Shift on some keyboards.
    pub(crate) shift: bool,
    /// Ignored for symbols, too.
    pub(crate) alt: bool,
    pub(crate) key: Key,
    /// Bound on macOS only.
    pub(crate) macos_only: bool,
    /// Ctrl with Command. Only macOS distinguishes them.
    pub(crate) control_and_command: bool,
}

impl KeyBinding {
    /// Returns `true` if the binding is that of `key` with `modifiers`.
    pub(crate) fn matches(&self, key: Key, modifiers: Modifiers) -> bool {
        // Symbols may need Shift on some keyboards.
        let is_symbol = matches!(key, Key::Character(letter) if !letter.is_alphanumeric());
        let shift_alt_match = (self.shift, self.alt) == (modifiers.shift, modifiers.alt);
        let control_match =
            (self.control, self.control_and_command) == (modifiers.control, modifiers.control_and_command);
        self.key == key && control_match && (is_symbol || shift_alt_match)
    }
}

impl std::fmt::Display for KeyBinding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.control_and_command {
            f.write_str("Ctrl+")?;
        }
        if self.control {
            f.write_str(if self.macos_only { "Cmd+" } else { concat!(modifier_key!(), "+") })?;
        }
        if self.shift {
            f.write_str("Shift+")?;
        }
        if self.alt {
            f.write_str("Alt+")?;
        }
        match self.key {
            Key::Escape => f.write_str("Esc"),
            Key::PageUp => f.write_str("Page Up"),
            Key::PageDown => f.write_str("Page Down"),
            Key::F(number) => write!(f, "F{number}"),
            Key::Character(letter) => write!(f, "{}", letter.to_ascii_uppercase()),
            named => write!(f, "{named:?}"),
        }
    }
}
