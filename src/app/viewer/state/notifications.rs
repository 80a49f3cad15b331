//! Lines that tell a person what happened.

use std::time::{Duration, Instant};

/// How long a line stays.
const STAYS: Duration = Duration::from_secs(5);

/// More lines than this are not read.
const MOST: usize = 4;

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Something was done.
    Done,
    /// Something went wrong; the line stays until it is put away or no longer true.
    Trouble,
}

/// A line.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// What it is about.
    pub(crate) kind: Kind,
    /// The words.
    pub(crate) text: String,
    /// When it came.
    told_at: Instant,
}

/// The lines of late, the latest last.
#[derive(Debug, Default)]
pub(crate) struct Notifications {
    lines: Vec<Line>,
}

impl Notifications {
    /// Tells something.
    pub(crate) fn tell(&mut self, kind: Kind, text: String, now: Instant) {
        self.lines.retain(|line| line.text != text);
        self.lines.push(Line { kind, text, told_at: now });
        let surplus = self.lines.len().saturating_sub(MOST);
        self.lines.drain(..surplus);
    }

    /// Forgets troubles: they are over.
    pub(crate) fn forget_troubles(&mut self) {
        self.lines.retain(|line| line.kind != Kind::Trouble);
    }

    /// Puts a line away.
    pub(crate) fn put_away(&mut self, place: usize) {
        if place < self.lines.len() {
            self.lines.remove(place);
        }
    }

    /// Forgets lines that have been there long enough; of troubles too if `all` go by themselves. Whether it did.
    pub(crate) fn forget_old(&mut self, now: Instant, all: bool) -> bool {
        let count = self.lines.len();
        self.lines.retain(|line| (line.kind == Kind::Trouble && !all) || now < line.told_at + STAYS);
        self.lines.len() != count
    }

    /// When to look again for lines that have been there long enough.
    pub(crate) fn next(&self, all: bool) -> Option<Instant> {
        let goes = |line: &&Line| all || line.kind != Kind::Trouble;
        self.lines.iter().filter(goes).map(|line| line.told_at + STAYS).min()
    }

    /// The lines.
    pub(crate) fn lines(&self) -> &[Line] {
        &self.lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_by_themselves_and_troubles_stay() {
        let (mut news, now) = (Notifications::default(), Instant::now());
        news.tell(Kind::Done, "copied".into(), now);
        news.tell(Kind::Trouble, "broken".into(), now);
        assert_eq!(news.next(false), Some(now + STAYS));
        assert!(!news.forget_old(now, false));
        assert!(news.forget_old(now + STAYS, false));
        assert_eq!((news.lines().len(), news.next(false), news.next(true)), (1, None, Some(now + STAYS)));
        news.forget_troubles();
        assert!(news.lines().is_empty());
    }

    #[test]
    fn the_same_line_is_told_once_and_many_are_too_many() {
        let (mut news, now) = (Notifications::default(), Instant::now());
        (0..2).for_each(|_| news.tell(Kind::Done, "a".into(), now));
        assert_eq!(news.lines().len(), 1);
        (0..10).for_each(|i| news.tell(Kind::Done, i.to_string(), now));
        assert_eq!((news.lines().len(), news.lines()[3].text.as_str()), (MOST, "9"));
        news.put_away(0);
        news.put_away(7);
        assert_eq!(news.lines().len(), MOST - 1);
    }
}
