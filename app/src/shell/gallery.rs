//! The gallery: every figure under what it is for, as the build rendered it.

use leptos::prelude::*;

use super::fragment;
use crate::data::library;
use crate::deferred::{PageView, lazy};

lazy! {
    /// Downloads the page.
    reference: pub fn load() -> PageView {
        view
    }
}

fn view() -> AnyView {
    fragment::view(library().figures, Callback::new(|_| ()))
}
