//! The numbers behind the drawing: every event, as an operator's log has them.

use leptos::prelude::*;
use ringside_core::failure::campaign::What;
use ringside_core::failure::{Failures, Outcome, moment};
use ringside_core::quantity::{Unit, grouped};

use crate::ui::table::{Table, numbers, words};
use crate::widgets::outcome::Shown;

/// Events that are listed.
const MOST: usize = 500;

/// The table.
pub(super) fn view(params: Memo<Failures>, shown: Shown<Outcome>) -> AnyView {
    let rows = move || {
        params.with(|p| {
            shown.with(|o| {
                let row = |event: &ringside_core::failure::campaign::Event| {
                    let what = match event.what {
                        What::Failure(i) => p.rates.components().get(i).map_or("", |c| c.name),
                        What::Alarm => "wrong numbers found out",
                        What::Stop => "planned stop",
                        What::Regrown => "replicas rejoin",
                    };
                    let node =
                        if matches!(event.what, What::Failure(_)) { grouped(event.node) } else { "–".to_owned() };
                    view! {
                        <tr>
                            <th scope="row">{moment(event.at)}</th>
                            <td>{what}</td>
                            <td class="number">{node}</td>
                            <td class="number">{Unit::Seconds.format(event.noticed - event.at)}</td>
                            <td class="number">{Unit::Seconds.format(event.lost)}</td>
                            <td class="number">{Unit::Seconds.format(event.back - event.at)}</td>
                        </tr>
                    }
                };
                Some(o.campaign.events.iter().take(MOST).map(row).collect_view())
            })
        })
    };
    view! {
        <Table
            columns=[
                words("When"),
                words("What"),
                numbers("Node"),
                numbers("Noticed after"),
                numbers("Work undone"),
                numbers("Running again after"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
