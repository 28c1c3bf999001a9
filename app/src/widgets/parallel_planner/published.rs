//! Published runs beside what this model makes of them: those that it misses too.

use crate::ui::table::{Table, numbers, silent, words};
use leptos::html;
use leptos::prelude::*;
use ringside_core::planner::published::{NEAR, Published, all};
use ringside_core::quantity::{Unit, number};

/// Made when it is first opened: it works out every run.
pub(super) fn view() -> AnyView {
    let node = NodeRef::<html::Details>::new();
    let open = RwSignal::new(false);
    let toggled = move |_| open.set(node.get_untracked().is_some_and(|details| details.open()));
    view! {
        <details class="fold published" node_ref=node on:toggle=toggled>
            <summary>"Published runs, and how near this comes"</summary>
            <Show when=move || open.get()>{table()}</Show>
        </details>
    }
    .into_any()
}

fn table() -> AnyView {
    let runs = all();
    let met = runs.iter().filter(|run| run.error().abs() <= NEAR).count();
    let row = |run: &Published| {
        let error = run.error();
        let near = error.abs() <= NEAR;
        let sign = if error < 0.0 { "−" } else { "+" };
        view! {
            <tr class:missed=!near>
                <th scope="row">{run.name.clone()} <small>{run.source}</small></th>
                <td class="number">{Unit::Fraction.format(run.published())}</td>
                <td class="number">{Unit::Fraction.format(run.computed())}</td>
                <td class="number">{format!("{sign}{}%", number(100.0 * error.abs()))}</td>
                <td>{if near { "met" } else { "missed" }}</td>
            </tr>
        }
    };
    let rows = runs.iter().map(row).collect_view();
    view! {
        <p class="fine">
            {format!(
                "{met} of {} are met within {}. One table of efficiencies serves them all: nothing is tuned for any run. Where a \
                 source does not say the micro-batch, the chunks or what is recomputed, the values here are guesses.",
                runs.len(),
                Unit::Fraction.format(NEAR),
            )}
        </p>
        <Table
            scroll="Published runs"
            caption="Utilization, counted as each source counts it"
            columns=[
                words("Run"),
                numbers("Published"),
                numbers("Computed"),
                numbers("Off by"),
                silent("Met or missed"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
