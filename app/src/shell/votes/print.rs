//! The cards, on paper.

use leptos::prelude::*;
use ringside_cards::{Sheet, svg};

use super::{handed_out, handed_out_field};
use crate::shell::{print, teach};

/// All cards of a class, as they are printed.
pub(super) fn view() -> AnyView {
    let sheet = RwSignal::new(Sheet::Two);
    let cards =
        move || (1..=handed_out()).filter_map(svg).map(|card| view! { <li inner_html=card></li> }).collect_view();
    let side = move || format!("{}mm", sheet.get().side());
    let choice = move |of: Sheet| {
        let label =
            format!("{} per sheet, for up to about {:.0} m with a 1080p camera", of.cards(), of.reach().floor());
        view! {
            <label>
                <input type="radio" name="sheet" prop:checked=move || sheet.get() == of on:change=move |_| sheet.set(of) />
                " " {label}
            </label>
        }
    };
    view! {
        <article class="cards-page">
            {teach::pages()}
            <h1>"Voting cards"</h1>
            <p class="lede">
                "Hand out one card per person. To vote, everyone turns their card so that the letter of their answer is on top and holds it still, facing the camera."
            </p>
            <p>
                "In a projected figure, in the presenter window or in a mission, press \"Count cards with the camera\" where hands are counted. The browser reads each picture at once and stores none. "
                "Letters are small on purpose: neighbors can’t read them. Print on matte paper, keep the white edge, and hold cards by the edge."
            </p>
            <form class="cards-choices sans" on:submit=move |event| event.prevent_default()>
                {handed_out_field()}
                <fieldset>
                    <legend>"Size"</legend>
                    {Sheet::ALL.map(choice).into_iter().collect_view()}
                </fieldset>
                <button type="button" on:click=move |_| print::whole_page()>"Print the cards"</button>
            </form>
            <ol class="cards-sheets" style=("--side", side)>{cards}</ol>
        </article>
    }
    .into_any()
}
