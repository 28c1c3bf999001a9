//! The roofs, and what lies under them.

use leptos::prelude::*;
use ringside_drawing::charts::roofline::{Measured, chart};

use super::Shown;
use crate::ui;

pub(super) fn view(shown: Shown) -> AnyView {
    let chart = Memo::new(move |_| {
        let measured = Measured { own: shown.own.get(), ladder: shown.points(true), kept: shown.points(false) };
        shown.placed.with(|placed| chart(placed, &measured))
    });
    ui::chart::view("roofs", chart)
}
