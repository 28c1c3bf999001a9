//! The drawing: an SM's warp slots with the blocks in them, and what the blocks take of each resource.

use leptos::prelude::*;
use ringside_core::occupancy::definition::Limit;
use ringside_core::occupancy::{Held, Params, Room};
use ringside_core::quantity::{bytes_binary, grouped};
use ringside_drawing::scale::percent;

use crate::widgets::outcome::Shown;

pub(super) fn view(params: Memo<Params>, shown: Shown<Held>) -> AnyView {
    let slots = Memo::new(move |_| shown.with(Held::slots));
    let rooms = Memo::new(move |_| params.with(|p| shown.with(|held| held.rooms(p))));
    let blocks = Memo::new(move |_| shown.with(|held| held.residency.blocks));
    let partition = |(i, slots): (usize, Vec<Option<u64>>)| {
        // Two rows of them.
        let columns = slots.len().div_ceil(2).max(1).to_string();
        view! {
            <div class="sm-partition">
                <p>{format!("Scheduler {}", i + 1)}</p>
                <div class="sm-slots" style:--columns=columns>{slots.into_iter().map(slot).collect_view()}</div>
            </div>
        }
    };
    let row = move |room: Room| resource(room, blocks.get());
    view! {
        <div class="occupancy sm" aria-hidden="true">
            <p class="plot-title">"Warp slots of an SM " <span>"each filled one has the number of its block"</span></p>
            <div class="sm-partitions">
                {move || slots.get().into_iter().enumerate().map(partition).collect_view()}
            </div>
            <div class="sm-rooms">{move || rooms.get().into_iter().map(row).collect_view()}</div>
        </div>
    }
    .into_any()
}

fn slot(block: Option<u64>) -> impl IntoView {
    let class = match block {
        None => "slot",
        Some(block) if block % 2 == 0 => "slot even",
        Some(_) => "slot odd",
    };
    view! { <i class=class>{block.map(|block| block + 1)}</i> }
}

/// A resource as a bar: a piece for each block, and what is left.
fn resource(room: Room, blocks: u64) -> impl IntoView {
    let width = percent(if room.capacity > 0.0 { (100.0 * room.block / room.capacity).min(100.0) } else { 0.0 });
    let piece = |block: u64| {
        let class = if block.is_multiple_of(2) { "even" } else { "odd" };
        view! { <i class=class style:width=width.clone()></i> }
    };
    let amount = |n: f64| if room.limit == Limit::Shared { bytes_binary(n) } else { grouped(n as u64) };
    let allows = match room.allows {
        None => "not used".to_owned(),
        Some(0) => "does not fit".to_owned(),
        Some(1) => "allows 1 block".to_owned(),
        Some(n) => format!("allows {n} blocks"),
    };
    // Where not even one block fits, the bar is as full as it can be.
    let too_much = room.allows == Some(0);
    view! {
        <div class="sm-room" class:limits=room.limits class:too-much=too_much>
            <p>
                <b>{room.limit.label()}</b>
                <small>{format!("{} of {} per block", amount(room.block), amount(room.capacity))}</small>
            </p>
            <div class="sm-bar">
                {(0..blocks).map(piece).collect_view()}
                {too_much.then(|| view! { <i class="over" style:width=width.clone()></i> })}
            </div>
            <p class="sm-allows">{allows}</p>
        </div>
    }
}
