//! Accelerators and the links between them, as the figures compute with them: tables that sort, and compare with one of their rows.

use leptos::prelude::*;
use ringside_core::hardware::links::{BETWEEN, BRIDGES, INSIDE, LATENCY_SOURCE, Link, Wiring};
use ringside_core::hardware::{ALL, REPORTED_SOURCE, Source};
use ringside_core::quantity::{Unit, bytes_binary};
use ringside_drawing::table::{Cell, Row};

use super::section;
use crate::ui::sorted;

/// Both sections.
pub(super) fn view() -> AnyView {
    view! { {accelerators()} {links()} }.into_any()
}

fn source(source: &Source) -> Cell {
    Cell::link(source.title, source.url)
}

fn accelerators() -> impl IntoView {
    const HEADS: &[&str] = &[
        "Accelerator",
        "Memory as sold",
        "As the driver reports",
        "As a process sees it",
        "Bandwidth",
        "Dense peak",
        "Type",
        "Dense peak, fp8",
        "Ridge, FLOP a byte",
        "Source",
    ];
    let rows = ALL.iter().map(|a| Row {
        id: format!("gpu-{}", a.id),
        name: a.name.to_owned(),
        cells: vec![
            Cell::number(a.sold.0, Unit::Bytes.format(a.sold.0)),
            a.reported.map_or(Cell::none(), |r| Cell::number(r.0, bytes_binary(r.0))),
            a.seen.map_or(Cell::none(), |_| Cell::number(a.memory.0, bytes_binary(a.memory.0))),
            Cell::number(a.bandwidth, Unit::BytesPerSecond.format(a.bandwidth)),
            Cell::number(a.peak, Unit::FlopPerSecond.format(a.peak)),
            Cell::words(a.peak_dtype),
            a.fp8.map_or(Cell::none(), |peak| Cell::number(peak, Unit::FlopPerSecond.format(peak))),
            Cell::number(a.peak / a.bandwidth, Unit::Ratio.format(a.peak / a.bandwidth)),
            source(&a.source),
        ],
    });
    let content = view! {
        <p>
            "What the figures compute with. A GPU’s memory is what a process sees, as PyTorch’s out-of-memory messages in public threads say it; where that column is empty nobody says, and the figures take the capacity as sold, read as decimal GB. The driver reports somewhat more than a process sees ("
            <a href=REPORTED_SOURCE.url rel="noopener external">"its source"</a>
            "). Peaks are dense, with fp32 accumulation and without sparsity."
        </p>
        {sorted::view("Accelerators", HEADS, rows.collect())}
    };
    section("hardware", content)
}

fn links() -> impl IntoView {
    const HEADS: &[&str] =
        &["Link", "Where", "Bandwidth, one way", "Latency", "Bytes under way", "What shares it", "Source"];
    let places = [("in a node", INSIDE), ("between nodes", BETWEEN), ("between sockets", BRIDGES)];
    let rows = places.into_iter().flat_map(|(place, links)| links.iter().map(move |link| row(place, link)));
    let content = view! {
        <p>
            "A link is two numbers: the time to the first byte, and the bytes per second after it, in one direction. Their product is what must be under way to keep it busy. Latencies are those that NCCL plans with ("
            <a href=LATENCY_SOURCE.url rel="noopener external">{LATENCY_SOURCE.title}</a> ")."
        </p>
        {sorted::view("Interconnects", HEADS, rows.collect())}
    };
    section("links", content)
}

fn row(place: &'static str, link: &Link) -> Row {
    let shared = match link.wiring {
        Wiring::Port => "one port for all peers",
        Wiring::Mesh => "a wire to each peer",
    };
    let under_way = link.under_way();
    Row {
        id: format!("link-{}", link.id),
        name: link.name.to_owned(),
        cells: vec![
            Cell::words(place),
            Cell::number(link.bandwidth, Unit::BytesPerSecond.format(link.bandwidth)),
            Cell::number(link.latency, Unit::Seconds.format(link.latency)),
            Cell::number(under_way, Unit::Bytes.format(under_way)),
            Cell::words(shared),
            source(&link.source),
        ],
    }
}
