//! The course as data: what a learner reads.
//!
//! The crate has two halves. The **schema** ([`schema`], [`search`]) is always there: the types of the JSON files that
//! the browser fetches, and the search over them. The rest needs the feature `render` (on by default) and runs when the
//! site is built: it reads `content/`, checks it, and renders it to those files, so that no Markdown, LaTeX or TOML
//! parser is downloaded by a reader.
//!
//! This crate knows no browser and no Leptos. Content names widgets, quantities and answers by string id.

pub mod schema;
pub mod search;
