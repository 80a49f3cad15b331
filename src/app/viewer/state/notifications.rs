//! Notifications: short messages over the viewport.

use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Time after which an info message disappears.
const DISPLAY_DURATION: Duration = Duration::from_secs(5);

/// Time after which a message with a button disappears.
const BUTTON_DISPLAY_DURATION: Duration = Duration::from_secs(15);

/// Older messages are dropped above this count, so that the stack stays readable.
const MAX_NOTIFICATIONS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotificationKind {
    Info,
    /// Stays until it is dismissed or cleared.
    Error,
}

#[derive(Clone, Debug)]
pub(crate) struct Notification {
    pub(crate) kind: NotificationKind,
    pub(crate) text: String,
    /// A written file, whose folder a button opens.
    pub(crate) file: Option<PathBuf>,
    pushed_at: Instant,
}

impl Notification {
    fn expiry(&self) -> Instant {
        self.pushed_at + if self.file.is_some() { BUTTON_DISPLAY_DURATION } else { DISPLAY_DURATION }
    }
}

/// The visible messages, the latest last.
#[derive(Debug, Default)]
pub(crate) struct Notifications {
    pub(crate) list: Vec<Notification>,
}

impl Notifications {
    /// Adds a message. An equal earlier message is removed.
    pub(crate) fn push(&mut self, kind: NotificationKind, text: String, now: Instant) {
        self.add(Notification { kind, text, file: None, pushed_at: now });
    }

    /// Adds the message that `file` was written.
    pub(crate) fn push_saved(&mut self, file: PathBuf, now: Instant) {
        let text = format!("Saved {}", file.display());
        self.add(Notification { kind: NotificationKind::Info, text, file: Some(file), pushed_at: now });
    }

    fn add(&mut self, notification: Notification) {
        self.list.retain(|other| other.text != notification.text);
        self.list.push(notification);
        let surplus = self.list.len().saturating_sub(MAX_NOTIFICATIONS);
        self.list.drain(..surplus);
    }

    pub(crate) fn clear_errors(&mut self) {
        self.list.retain(|notification| notification.kind != NotificationKind::Error);
    }

    /// Removes the message at `index`, if there is one.
    pub(crate) fn dismiss(&mut self, index: usize) {
        if index < self.list.len() {
            self.list.remove(index);
        }
    }

    /// Removes expired messages; errors expire only if `errors_expire`. Returns `true` if any was removed.
    pub(crate) fn remove_expired(&mut self, now: Instant, errors_expire: bool) -> bool {
        let count = self.list.len();
        self.list.retain(|notification| {
            let expires = errors_expire || notification.kind == NotificationKind::Info;
            !expires || now < notification.expiry()
        });
        self.list.len() != count
    }

    pub(crate) fn next_expiry(&self, errors_expire: bool) -> Option<Instant> {
        let expiring = self.list.iter().filter(|other| errors_expire || other.kind == NotificationKind::Info);
        expiring.map(Notification::expiry).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn info_expires_and_errors_stay_until_cleared() {
        let (mut notifications, now) = (Notifications::default(), Instant::now());
        notifications.push(NotificationKind::Info, "copied".into(), now);
        notifications.push(NotificationKind::Error, "broken".into(), now);
        assert_eq!(notifications.next_expiry(false), Some(now + DISPLAY_DURATION));
        assert!(!notifications.remove_expired(now, false));
        assert!(notifications.remove_expired(now + DISPLAY_DURATION, false));
        assert_eq!((notifications.list.len(), notifications.next_expiry(false)), (1, None));
        assert_eq!(notifications.next_expiry(true), Some(now + DISPLAY_DURATION));
        notifications.clear_errors();
        assert!(notifications.list.is_empty());
    }

    #[test]
    fn saved_files_have_a_button_for_longer() {
        let (mut notifications, now) = (Notifications::default(), Instant::now());
        notifications.push_saved("/a/fox.png".into(), now);
        assert_eq!(notifications.list[0].text, "Saved /a/fox.png");
        assert!(!notifications.remove_expired(now + DISPLAY_DURATION, true));
        assert_eq!(notifications.next_expiry(false), Some(now + BUTTON_DISPLAY_DURATION));
        assert!(notifications.remove_expired(now + BUTTON_DISPLAY_DURATION, false));
    }

    #[test]
    fn equal_messages_merge_and_the_count_is_limited() {
        let (mut notifications, now) = (Notifications::default(), Instant::now());
        (0..2).for_each(|_| notifications.push(NotificationKind::Info, "a".into(), now));
        assert_eq!(notifications.list.len(), 1);
        (0..10).for_each(|i| notifications.push(NotificationKind::Info, i.to_string(), now));
        assert_eq!((notifications.list.len(), notifications.list[3].text.as_str()), (MAX_NOTIFICATIONS, "9"));
        notifications.dismiss(0);
        notifications.dismiss(7);
        assert_eq!(notifications.list.len(), MAX_NOTIFICATIONS - 1);
    }
}
