//! The numbers behind the drawing: every recipe.

use leptos::prelude::*;
use ringside_core::float::block::RECIPES;
use ringside_core::quantity::{Unit, number};
use ringside_core::quantization::{Outcome, Shown};

use crate::ui::table::{Table, numbers, words};

/// The table.
pub(super) fn view(shown: Memo<Shown>) -> AnyView {
    let row = move |i: usize| {
        let cell =
            move |text: fn(&Outcome) -> String| move || shown.with(|s| s.recipes.get(i).map(text).unwrap_or_default());
        view! {
            <tr>
                <th scope="row">{RECIPES[i].name}</th>
                <td class="number">{cell(|r| Unit::Fraction.format(r.error))}</td>
                <td class="number">{cell(|r| Unit::Fraction.format(r.zero))}</td>
                <td class="number">{cell(|r| number(r.bits))}</td>
            </tr>
        }
    };
    view! {
        <Table
            columns=[words("Recipe"), numbers("Error"), numbers("Become zero"), numbers("Bits per value")]
            rows=(0..RECIPES.len()).map(row).collect_view().into_any()
        />
    }
    .into_any()
}
