//! The drawing: the whole model as a bar, and one of its layers under it as a map whose areas are to scale.

use leptos::prelude::*;
use ringside_core::model::anatomy::{Anatomy, Group, Measure, Piece, PieceId, Place};
use ringside_core::quantity::grouped;
use ringside_drawing::scale::percent;

use super::{Shown, State, amount, share};
use crate::ui::segmented::Segmented;

/// A rectangle in percent of the drawing: where it starts and how long it is along the flow, and across it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Area {
    along: (f64, f64),
    across: (f64, f64),
}

/// A piece in the drawing.
#[derive(Debug, Clone, PartialEq, Default)]
struct Tile {
    area: Area,
    amount: String,
    spoken: String,
    class: &'static str,
    /// How much of it one token uses, in percent.
    used: f64,
    note: String,
}

/// The columns of the map: what goes together in a layer.
const COLUMNS: [&[Group]; 3] = [&[Group::Attention, Group::Matrix], &[Group::Mlp], &[Group::Small]];

/// A heading over a column.
#[derive(Debug, Clone, PartialEq, Default)]
struct Heading {
    start: f64,
    width: f64,
    text: String,
}

/// Everything that is drawn.
#[derive(Debug, Clone, PartialEq, Default)]
struct Drawing {
    /// Stretches of layers in the bar: start, width, how many layers, what they are called.
    stretches: Vec<(f64, f64, u64, String)>,
    /// The layer that the map shows, in the bar.
    lens: (f64, f64),
    /// Pieces outside the layers, in the bar.
    outside: Vec<(&'static str, Tile)>,
    /// Pieces of the layer.
    inside: Vec<(&'static str, Tile)>,
    headings: Vec<Heading>,
    whole: String,
    layer: String,
}

impl Drawing {
    fn of(a: &Anatomy) -> Self {
        let measure = a.params.show;
        let mut drawing = Self::default();
        drawing.bar(a, measure);
        drawing.map(a, measure);
        drawing
    }

    fn bar(&mut self, a: &Anatomy, measure: Measure) {
        let spans = a.spans(measure);
        let total: f64 = spans.iter().map(|s| s.amount).sum();
        let of_total = |n: f64| if total > 0.0 { n / total * 100.0 } else { 0.0 };
        let shown = a.layer(measure);
        let mut start = 0.0;
        for span in spans {
            let width = of_total(span.amount);
            match span.place {
                Place::Before | Place::After => {
                    let mut along = start;
                    for p in a.pieces.iter().filter(|p| p.place == span.place) {
                        let size = of_total(p.amount(measure));
                        let area = Area { along: (along, size), across: (0.0, 100.0) };
                        self.outside.push((p.id, Tile::of(p, measure, area, (total, "the model"))));
                        along += size;
                    }
                }
                _ if span.layers > 0 => {
                    let name = match (span.place, a.shape.moe_layers()) {
                        (_, 0) => "layers",
                        (Place::Dense, _) => "dense layers",
                        _ => "layers with experts",
                    };
                    self.stretches.push((start, width, span.layers, format!("{} {name}", grouped(span.layers))));
                    if span.place == shown.kind {
                        self.lens = (start, width / span.layers as f64);
                    }
                }
                _ => {}
            }
            start += width;
        }
        self.whole = format!("The whole model: {}", said(measure, total));
    }

    fn map(&mut self, a: &Anatomy, measure: Measure) {
        let layer = a.layer(measure);
        let whole = layer.amount;
        let of_whole = |n: f64| if whole > 0.0 { n / whole * 100.0 } else { 0.0 };
        let mut start = 0.0;
        for groups in COLUMNS {
            let pieces: Vec<&Piece> = layer.pieces.iter().copied().filter(|p| groups.contains(&p.group())).collect();
            let column: f64 = pieces.iter().map(|p| p.amount_here(measure)).sum();
            let width = of_whole(column);
            let mut top = 0.0;
            for p in pieces {
                let size = if column > 0.0 { p.amount_here(measure) / column * 100.0 } else { 0.0 };
                let area = Area { along: (start, width), across: (top, size) };
                self.inside.push((p.id, Tile::of(p, measure, area, (whole, "the layer"))));
                top += size;
            }
            let text =
                format!("{} {}", groups.first().map_or("", |g| g.label(a.shape.moe.is_some())), share(column, whole));
            self.headings.push(Heading { start, width, text });
            start += width;
        }
        let kind = match (layer.kind, a.shape.dense_layers(), a.shape.moe_layers()) {
            (Place::Dense, _, 0) | (Place::Mixture, 0, _) => "layers",
            (Place::Dense, ..) => "dense layers",
            _ => "layers with experts",
        };
        self.layer = format!("One of {} {kind}: {}", grouped(layer.layers), said(measure, layer.amount));
    }

    fn tile(&self, id: &str) -> Option<&Tile> {
        self.outside.iter().chain(&self.inside).find(|(name, _)| *name == id).map(|(_, tile)| tile)
    }
}

/// "8.03 B parameters", "17.2 GFLOP a token, forward".
fn said(measure: Measure, value: f64) -> String {
    let text = amount(measure, value);
    match measure {
        Measure::Params => format!("{text} parameters"),
        Measure::Flops => format!("{text} per token, forward"),
    }
}

impl Tile {
    /// The tile of a piece; `whole` is what its share is of, and what that is called.
    fn of(p: &Piece, measure: Measure, area: Area, whole: (f64, &str)) -> Self {
        let value = p.amount_here(measure);
        let text = amount(measure, value);
        let part_used = measure == Measure::Params && p.used < p.copies;
        let note = match (part_used, p.copies > 1) {
            (true, _) => format!("{} of {} used by a token", grouped(p.used), grouped(p.copies)),
            (false, true) => format!("× {}", grouped(p.copies)),
            _ => String::new(),
        };
        let spoken = format!("{}: {}, {} of {}", p.id, said(measure, value), share(value, whole.0), whole.1);
        let used = if part_used { p.used as f64 / p.copies.max(1) as f64 * 100.0 } else { 100.0 };
        Self { area, amount: text, spoken, class: p.group().id(), used, note }
    }
}

/// The bar, the lens from it to the map, the map.
pub(super) fn view(state: State, shown: Shown) -> AnyView {
    let drawing = Memo::new(move |_| shown.with(Drawing::of));
    let ids = |of: fn(&Drawing) -> &Vec<(&'static str, Tile)>| {
        move || drawing.with(|d| of(d).iter().map(|(id, _)| *id).collect::<Vec<_>>())
    };
    let tile = move |id: &'static str| tile(state, drawing, id);
    let stretches = move || {
        let stretch = |(start, width, layers, text): (f64, f64, u64, String)| {
            view! {
                <div class="stretch" style:left=percent(start) style:width=percent(width)>
                    <i style:background-size=percent(100.0 / layers as f64)></i>
                    <span>{text}</span>
                </div>
            }
        };
        drawing.with(|d| d.stretches.clone()).into_iter().map(stretch).collect_view()
    };
    let lens = move || {
        let (start, width) = drawing.with(|d| d.lens);
        format!("{start:.3},0 {:.3},0 100,100 0,100", start + width)
    };
    let headings = move || {
        let heading = |h: Heading| {
            view! { <span style:left=percent(h.start) style:width=percent(h.width)><b>{h.text}</b></span> }
        };
        drawing.with(|d| d.headings.clone()).into_iter().map(heading).collect_view()
    };
    // A form of its own, so that the radio buttons of two figures on a page are two groups.
    view! {
        <form class="map-form" on:submit=|event| event.prevent_default()>
            <div class="pieces" role="radiogroup" aria-label="Pieces of the model">
                <p class="map-caption">{move || drawing.with(|d| d.whole.clone())}</p>
                <div class="whole">
                    <div aria-hidden="true">{stretches}</div>
                    <For each=ids(|d| &d.outside) key=|id| *id children=tile />
                </div>
                <svg class="lens" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
                    <polygon points=lens />
                </svg>
                <div class="map-head">
                    <p class="map-caption">{move || drawing.with(|d| d.layer.clone())}</p>
                    {kinds(state, shown)}
                </div>
                <p class="headings" aria-hidden="true">{headings}</p>
                <div class="map"><For each=ids(|d| &d.inside) key=|id| *id children=tile /></div>
            </div>
        </form>
    }
    .into_any()
}

/// Which kind of layer the map shows, where there are two: a piece of the other is chosen.
fn kinds(state: State, shown: Shown) -> AnyView {
    let both = Memo::new(move |_| shown.with(|a| a.shape.moe_layers() > 0 && a.shape.dense_layers() > 0));
    let value = Signal::derive(move || {
        shown.with(|a| if a.layer(a.params.show).kind == Place::Dense { "up_proj" } else { "expert_up_proj" })
    });
    let options = vec![("up_proj", "Dense"), ("expert_up_proj", "With experts")];
    let set = move |id| state.update(|p| p.piece = PieceId(id));
    view! {
        <div class="kinds" hidden=move || !both.get()>
            <Segmented name="kind" label="Layer" options value set />
        </div>
    }
    .into_any()
}

fn tile(state: State, drawing: Memo<Drawing>, id: &'static str) -> AnyView {
    let tile = Memo::new(move |_| drawing.with(|d| d.tile(id).cloned()).unwrap_or_default());
    let selected = Memo::new(move |_| state.params().with(|p| p.piece.0 == id));
    let at = move |of: fn(&Area) -> f64| move || tile.with(|t| percent(of(&t.area)));
    // What has no area is in the table of pieces, not in the way of the arrow keys.
    let none = move || tile.with(|t| t.area.along.1 <= 0.0 || t.area.across.1 <= 0.0);
    // One text: a class that is set apart would go whenever the text is set anew.
    let class = move || {
        let marks = [(" selected", selected.get()), (" partly", tile.with(|t| t.used < 100.0))];
        let marks: String = marks.into_iter().filter_map(|(mark, on)| on.then_some(mark)).collect();
        tile.with(|t| format!("tile {}{marks}", t.class))
    };
    view! {
        <label
            class=class
            hidden=none
            title=move || tile.with(|t| t.spoken.clone())
            style=("--along", at(|a| a.along.0))
            style=("--length", at(|a| a.along.1))
            style=("--across", at(|a| a.across.0))
            style=("--breadth", at(|a| a.across.1))
        >
            <input
                type="radio"
                name="piece"
                value=id
                aria-label=move || tile.with(|t| t.spoken.clone())
                prop:checked=selected
                on:change=move |_| state.update(|p| p.piece = PieceId(id))
            />
            <i class="unused" style:left=move || tile.with(|t| percent(t.used))></i>
            <span class="tile-text">
                <b>{id}</b>
                <span>{move || tile.with(|t| t.amount.clone())}</span>
                <small>{move || tile.with(|t| t.note.clone())}</small>
            </span>
        </label>
    }
    .into_any()
}
