//! Memory advice for the operating system.

mod huge_pages;

pub(crate) use huge_pages::advise_huge_pages;
