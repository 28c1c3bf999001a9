//! The course as data: what a learner reads.
//!
//! The crate has two halves. The **schema** ([`schema`], [`search`], [`filter`], [`words`], [`language`], [`route`]) is always there: the types of the
//! JSON files that the browser fetches, the search over them, the filters of the sources. The rest needs the feature `render`
//! (on by default) and runs when the site is built: it reads `content/`, checks it, and renders it to those files, so that no Markdown, LaTeX or TOML
//! parser is downloaded by a reader.
//!
//! This crate knows no browser and no Leptos. Content names widgets, quantities and answers by string id.

pub mod filter;
pub mod language;
pub mod route;
pub mod schema;
pub mod search;
pub mod words;

#[cfg(feature = "render")]
mod article;
#[cfg(feature = "render")]
mod coverage;
#[cfg(feature = "render")]
mod data;
#[cfg(feature = "render")]
mod diagnostic;
#[cfg(feature = "render")]
mod drawn;
#[cfg(feature = "render")]
mod evaluated;
#[cfg(feature = "render")]
mod extent;
#[cfg(feature = "render")]
mod fragment;
#[cfg(feature = "render")]
mod html;
#[cfg(feature = "render")]
mod kept;
#[cfg(feature = "render")]
mod markdown;
#[cfg(feature = "render")]
mod names;
#[cfg(feature = "render")]
mod notebook;
#[cfg(feature = "render")]
mod repeated;
#[cfg(feature = "render")]
mod search_index;
#[cfg(feature = "render")]
mod site;
#[cfg(feature = "render")]
mod source;
#[cfg(feature = "render")]
mod toml_reader;
#[cfg(feature = "render")]
mod vocabulary;
#[cfg(feature = "render")]
mod world;

#[cfg(feature = "render")]
pub use coverage::coverage;
#[cfg(feature = "render")]
pub use diagnostic::Mode;
#[cfg(feature = "render")]
pub use kept::{anticipate, remember, worked_out};
#[cfg(feature = "render")]
pub use site::{Route, Site, build, build_tree, draft, slide};
#[cfg(feature = "render")]
pub use source::Tree;
#[cfg(feature = "render")]
pub use vocabulary::vocabulary;
