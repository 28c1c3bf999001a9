//! Time over the rows of the matrix: predicted, and as measured.

use leptos::prelude::*;
use ringside_drawing::charts::kernel_fusion::chart;

use super::Shown;
use crate::ui;

pub(super) fn view(shown: Shown) -> AnyView {
    let chart = Memo::new(move |_| shown.with(|p| shown.runner.measured().with(|measured| chart(p, measured))));
    ui::chart::view("fusion-sizes", chart)
}
