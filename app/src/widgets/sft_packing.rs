//! Rows of tokens: conversations padded, packed or cut, with what the loss counts.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::post_training::packing::talks::TALKS;
use ringside_core::post_training::packing::{Batch, Cell, Params, Whose};
use ringside_core::quantity::grouped;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, played, readings};
use crate::ui::markup::renewed;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// How fast it is played.
const PACE: Pace = Pace { whole: 8_000.0, longest: 1_200.0, shortest: 400.0 };

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let still = played::whole(params);
    let batch = Memo::new(move |_| still.with(Batch::new));
    let steps = Signal::derive(move || batch.with(|b| b.placed.len()));
    // All of it is on show until somebody steps.
    let step = Signal::derive(move || match params.with(|p| p.step) as usize {
        0 => steps.get(),
        step => step.min(steps.get()),
    });
    let set = move |to: usize| state.update(|p| p.step = to.max(1) as u64);
    let place = Signal::derive(move || {
        batch.with(|b| {
            let at = step.get();
            let placed = at.checked_sub(1).and_then(|i| b.placed.get(i));
            let says = placed.map_or_else(String::new, |(talk, row)| {
                let name = TALKS.get(*talk).map_or("", |talk| talk.name);
                format!(": “{name}” into row {}", row + 1)
            });
            format!("Conversation {at} of {}{says}", b.placed.len())
        })
    });
    let playback = PACE.of(steps);
    let quantities = Memo::new(move |_| still.with(|p| batch.with(|b| p.quantities(b))));
    let picture = move || params.with(|p| batch.with(|b| picture(p, b, step.get())));
    let controls = Controls::of(state).draw();
    view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(move || {
                params.with(|p| format!("{} conversations, {}, loss on {}", grouped(p.talks), p.layout.label(), p.counted.label()))
            })
            finding=Signal::derive(move || still.with(|p| batch.with(|b| p.finding(b))))
            controls
            transport=view! { <Transport steps step set playback place alone=props.alone /> }.into_any()
            below=Some(readings::view(&Params::ENTRY, quantities))
            table=move || table(still, batch)
        >
            <div class="packing" use:renewed=picture></div>
        </ModelFigure>
    }
    .into_any()
}

/// The class of a token.
fn class(cell: &Cell) -> &'static str {
    match cell.whose {
        Whose::Template => "template",
        Whose::System => "system",
        Whose::User => "user",
        Whose::Assistant => "assistant",
    }
}

/// The rows, and the text of the conversation that was placed last.
fn picture(params: &Params, batch: &Batch, step: usize) -> String {
    let mut html = String::from("<ul class=\"legend packing-legend\">");
    for (class, name) in [
        ("template", "template"),
        ("system", "system"),
        ("user", "user"),
        ("assistant", "assistant"),
        ("has-loss", "has a loss"),
        ("padding", "padding"),
    ] {
        // Writing to a string does not fail.
        let _ = write!(html, "<li><i class=\"swatch {class}\"></i>{name}</li>");
    }
    html.push_str("</ul>");
    let there: Vec<usize> = batch.placed.iter().take(step).map(|(talk, _)| *talk).collect();
    let (wide, high) = (batch.width.max(1), batch.rows.len().max(1));
    let _ = write!(
        html,
        "<svg class=\"packing-rows\" viewBox=\"0 0 {wide} {high}\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"{} rows of {wide} slots; {} tokens, {} with a loss\">",
        batch.rows.len(),
        batch.tokens(),
        batch.counted()
    );
    let mut paths: [(&str, String); 6] =
        ["padding", "template", "system", "user", "assistant", "has-loss"].map(|class| (class, String::new()));
    let mut edges = String::new();
    for (y, row) in batch.rows.iter().enumerate() {
        let _ = write!(paths[0].1, "M0 {:.2}h{wide}v.76h-{wide}z", y as f64 + 0.12);
        let shown = |cell: &&Cell| there.contains(&cell.talk);
        for (x, cell) in row.iter().enumerate().filter(|(_, cell)| shown(cell)) {
            if let Some((_, path)) = paths.iter_mut().find(|(name, _)| *name == class(cell)) {
                let _ = write!(path, "M{x} {:.2}h1v.76h-1z", y as f64 + 0.12);
            }
            if cell.counted {
                let _ = write!(paths[5].1, "M{x} {:.2}h1v.2h-1z", y as f64 + 0.68);
            }
            if x > 0 && row.get(x - 1).is_some_and(|before| before.talk != cell.talk) {
                let _ = write!(edges, "M{x} {:.2}v.9", y as f64 + 0.05);
            }
        }
    }
    for (class, path) in &paths {
        let _ = write!(html, "<path class=\"{class}\" d=\"{path}\"/>");
    }
    let open = if params.blocks { "" } else { " open" };
    let _ = write!(html, "<path class=\"edge{open}\" d=\"{edges}\"/></svg>");
    text(&mut html, batch, there.last().copied());
    html
}

/// A conversation as its tokens.
fn text(html: &mut String, batch: &Batch, talk: Option<usize>) {
    let Some((which, talk)) = talk.and_then(|i| TALKS.get(i).map(|talk| (i, talk))) else { return };
    let _ = write!(html, "<p class=\"packing-text\"><b>{}</b> ", talk.name);
    for (index, (piece, _)) in talk.tokens.iter().enumerate() {
        let Some(cell) = batch.cells().find(|cell| cell.talk == which && cell.index == index) else {
            let _ = write!(html, "<span class=\"gone\">{}</span>", visible(piece));
            continue;
        };
        let counted = if cell.counted { " has-loss" } else { "" };
        let _ = write!(html, "<span class=\"{}{counted}\">{}</span>", class(cell), visible(piece));
    }
    html.push_str("</p>");
}

/// A token as it can be read: spaces and line ends shown, signs of markup written out.
fn visible(piece: &str) -> String {
    let piece = piece.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    if piece.is_empty() { "·".to_owned() } else { piece.replace('\n', "⏎").replace(' ', "\u{a0}") }
}

/// Every conversation: its tokens, its row, and what a token of its answer weighs.
fn table(params: Memo<Params>, batch: Memo<Batch>) -> AnyView {
    let rows = move || {
        params.with(|p| {
            batch.with(|b| {
                let row = |(talk, row): &(usize, usize)| {
                    let cells = || b.cells().filter(|cell| cell.talk == *talk);
                    let weight = b.weight(*talk, p.weighting);
                    view! {
                        <tr>
                            <th scope="row">{TALKS.get(*talk).map_or("", |talk| talk.name)}</th>
                            <td class="number">{row + 1}</td>
                            <td class="number">{cells().count()}</td>
                            <td class="number">{cells().filter(|cell| cell.counted).count()}</td>
                            <td class="number">{ringside_core::quantity::Unit::Fraction.format(weight)}</td>
                        </tr>
                    }
                };
                b.placed.iter().map(row).collect_view()
            })
        })
    };
    view! {
        <Table
            columns=[
                words("Conversation"),
                numbers("row"),
                numbers("tokens there"),
                numbers("with a loss"),
                numbers("of the loss, each"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
