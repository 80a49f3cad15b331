//! In place of `archive` in builds without the feature `zip`: no archive is opened.

use super::external_file::{FileError, ReadLength};
use super::limits::Limits;
use std::io::{Read, Seek};

pub(super) enum Archive {}

pub(super) trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

pub(super) fn is_zip(start: &[u8]) -> bool {
    start.starts_with(b"PK\x03\x04")
}

impl Archive {
    pub(super) fn open(_: Box<dyn ReadSeek>, _: &Limits) -> Result<Self, FileError> {
        let problem = "it is a ZIP archive, which needs the cargo feature `zip`; unpack it";
        Err(FileError::Archive(problem.to_owned()))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        match *self {}
        #[expect(unreachable_code, reason = "gives the type")]
        std::iter::empty()
    }

    pub(super) fn read(&self, _: &str, _: ReadLength) -> Result<Vec<u8>, FileError> {
        match *self {}
    }
}
