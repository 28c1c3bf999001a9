//! What was wrong with a run, told on request, and what others saw and did.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::loss_detective::{Params, published as others};
use ringside_core::quantity::{Unit, grouped};

use super::one_picture::{self, Own};
use super::{Module, Props};
use crate::ui::state::State;
use crate::ui::table::{Table, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    one_picture::view::<Params>(props, |live| Own {
        over: Some(answer(live.state)),
        under: Some(published(live.state)),
        ..Own::default()
    })
}

/// A button, and the cause once it was pressed. Another run hides it again.
fn answer(state: State<Params>) -> AnyView {
    let params = state.params();
    let told = Memo::new(move |_| params.with(|p| p.told));
    view! {
        <p class="verdict">
            <button
                type="button"
                class="secondary"
                aria-expanded=move || told.get().to_string()
                on:click=move |_| state.update(|p| p.told = !p.told)
            >
                {move || if told.get() { "Hide what was wrong" } else { "What was wrong?" }}
            </button>
            <span role="status">{move || if told.get() { params.with(Params::answer) } else { String::new() }}</span>
        </p>
    }
    .into_any()
}

/// Incidents that were published: words and numbers are theirs, and the run here that is made like one is told with its cause.
fn published(state: State<Params>) -> AnyView {
    let told = Memo::new(move |_| state.params().with(|p| p.told));
    let row = move |p: &'static others::Published| {
        let cost = p.hours().map_or("–".to_owned(), |(hours, device_hours)| {
            format!("{}, {} accelerator-hours", Unit::Seconds.format(hours * 3600.0), grouped(device_hours as u64))
        });
        view! {
            <tr>
                <th scope="row">{p.run}</th>
                <td>{p.seen}</td>
                <td>{p.done}</td>
                <td>{p.numbers}</td>
                <td>{cost}</td>
                <td>
                    {move || match p.like {
                        Some(case) if told.get() => format!("run {}", case.label()),
                        Some(_) => "…".to_owned(),
                        None => "–".to_owned(),
                    }}
                </td>
                <td>{p.source}</td>
            </tr>
        }
    };
    view! {
        <details class="published">
            <summary>"What others saw and did"</summary>
            <Table
                columns=[
                    words("Run"),
                    words("Seen"),
                    words("Done"),
                    words("Numbers, as published"),
                    words("Cost of going back once"),
                    words("Simulated here"),
                    words("Source"),
                ]
                rows=others::ALL.iter().map(row).collect_view().into_any()
            />
            <p class="fine">"No curve of theirs is drawn here. “What was wrong?” also says which run here is made like which."</p>
        </details>
    }
    .into_any()
}
