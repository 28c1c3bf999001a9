//! What a learner sees.
//!
//! - [`shell`]: header, contents, pages.
//! - [`widgets`]: one file per widget, and their registry.
//! - [`exercises`]: one file per kind of exercise.
//! - [`ui`]: sliders, fields, figures: no word of the domain.
//! - [`store`]: everything that a learner has done, as `ringside_learner` reads it.
//! - [`data`]: the files of the course.
//! - [`clock`]: what time it is.
//! - [`router`]: which page the address names.
//!
//! Arithmetic in a view is a bug: numbers come from `ringside_core`.

mod app;
pub mod clock;
pub mod data;
pub mod deferred;
pub mod exercises;
mod once;
pub mod page;
mod panicked;
mod progress;
pub mod router;
pub mod shell;
pub mod store;
pub mod style;
pub mod ui;
pub mod widgets;
pub mod worker;

/// Mounts the app over whatever the page shows while it loads.
pub fn start() {
    panicked::watch();
    shell::prerendered::take_out();
    leptos::mount::mount_to_body(app::App);
}
