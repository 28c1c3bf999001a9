//! The numbers behind the drawing: a row for each bucket.

use leptos::prelude::*;
use ringside_core::ddp::{Kind, Timeline};
use ringside_core::quantity::{Unit, grouped};

use super::Shown;
use crate::ui::table::{Table, numbers, words};

/// Most buckets that are listed.
const MOST: usize = 250;

/// The table.
pub(super) fn view(shown: Shown) -> AnyView {
    (move || shown.timeline.with(|t| Some(table(t)))).into_any()
}

fn table(t: &Timeline) -> AnyView {
    let last = t.blocks.last().map_or(0, |b| b.pass);
    let row = |(i, bucket): (usize, &ringside_core::ddp::Bucket)| {
        let block = t.blocks.iter().find(|b| b.pass == last && b.kind == Kind::AllReduce(i as u32));
        let time = |of: fn(&ringside_core::ddp::Block) -> f64| {
            block.map_or_else(|| "never".to_owned(), |b| Unit::Seconds.format(of(b)))
        };
        view! {
            <tr>
                <th scope="row">{i.to_string()}</th>
                <td>{t.contents(bucket)}</td>
                <td class="number">{time(|b| b.ready)}</td>
                <td class="number">{time(|b| b.start)}</td>
                <td class="number">{time(|b| b.end)}</td>
            </tr>
        }
    };
    let more = t.buckets.len().saturating_sub(MOST);
    let rows = t.buckets.iter().take(MOST).enumerate().map(row).collect_view();
    view! {
        <Table
            caption="Buckets of the last micro-batch, in the order in which they start"
            columns=[words("Bucket"), words("Has"), numbers("Complete"), numbers("Starts"), numbers("Ends")]
            rows=rows.into_any()
        />
        {(more > 0).then(|| view! { <p class="fine">{format!("and {} more.", grouped(more as u64))}</p> })}
    }
    .into_any()
}
