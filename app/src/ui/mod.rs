//! Building blocks with no word of the domain in them.

pub mod dialog;
