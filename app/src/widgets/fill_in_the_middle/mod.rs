//! Fill in the middle: a document that can be changed, with its hole, beside the sequence that comes of it.

mod page;
mod tokens;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::fim::context::{FILES, similarity};
use ringside_core::fim::figure::{CONTEXT, Params, STEPS, Shown, TOKENIZER, TRAINING, View};
use ringside_core::fim::pieces::{Kind, Piece, slice};
use ringside_core::quantity::{grouped, number};

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::table::{Table, numbers, words};
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// How the pieces are played.
const PACE: Pace = Pace { whole: 6000.0, longest: 1200.0, shortest: 150.0 };

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    // How far it has been played changes no sequence.
    let still = Memo::new(move |_| Params { step: STEPS, ..params.get() });
    let shown = Memo::new(move |_| still.with(|p| p.evaluate().ok()));
    let quantities =
        Memo::new(move |_| still.with(|p| shown.with(|s| s.as_ref().map_or_else(Vec::new, |s| p.quantities(s)))));
    let finding = move || still.with(|p| shown.with(|s| s.as_ref().map_or_else(String::new, |s| p.finding(s))));
    let is = move |view: View| params.with(|p| p.view == view);
    let mut controls = Controls::of(state);
    let [context, training, tokenizer] = [CONTEXT, TRAINING, TOKENIZER].map(|heading| controls.take(heading));
    let steps = Signal::derive(move || shown.with(|s| s.as_ref().map_or(0, |s| s.pieces.len()).min(STEPS as usize)));
    let step = Signal::derive(move || params.with(|p| p.step as usize).min(steps.get()));
    let to = move |step: usize| {
        let all = steps.get_untracked();
        state.update(|p| p.step = if step >= all { STEPS } else { step as u64 });
    };
    let place = Signal::derive(move || format!("{} of {} pieces", step.get(), steps.get()));
    let transport = view! {
        <div class="bare" class:nowhere=move || is(View::Tokens)>
            <Transport steps step set=to playback=PACE.of(steps) place alone=props.alone />
        </div>
    };
    view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(move || params.with(subtitle))
            finding=Signal::derive(finding)
            controls=controls.draw()
            transport=transport.into_any()
            below=Some(readings::view(&Params::ENTRY, quantities))
            table=move || table(shown)
        >
            <div class="fim">
                <div class="fim-both">
                    {page::view(state, shown)}
                    <div class="fim-out">
                        {legend()}
                        <div class:nowhere=move || is(View::Tokens)>{sequence(shown, step)}</div>
                        <div class:nowhere=move || !is(View::Tokens)>{tokens::view(still, shown)}</div>
                    </div>
                </div>
                <div class="fim-more">
                    {training} <div class="bare" class:nowhere=move || !is(View::Editor)>{context}</div>
                    <div class="bare" class:nowhere=move || !is(View::Tokens)>{tokenizer}</div>
                </div>
            </div>
        </ModelFigure>
    }
    .into_any()
}

fn subtitle(p: &Params) -> String {
    match p.view {
        View::Packed => format!("a packed sample, FIM rate {}", number(p.rate)),
        View::Tokens => format!("{} tokens in the vocabulary", grouped(p.bpe().size() as u64)),
        View::Train | View::Editor => format!("{}, {}", p.format.label(), p.format.order(p.order).label()),
    }
}

/// What the colours mean.
fn legend() -> AnyView {
    let all = [Kind::Prefix, Kind::Middle, Kind::Suffix, Kind::File, Kind::Sentinel];
    let one = |kind: Kind| view! { <span class=class(kind)>{kind.label()}</span> };
    view! { <p class="fim-legend">{all.map(one).into_iter().collect_view()}</p> }.into_any()
}

/// The class of a piece.
fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Sentinel => "piece sentinel",
        Kind::Prefix => "piece prefix",
        Kind::Middle => "piece middle",
        Kind::Suffix => "piece suffix",
        Kind::File => "piece file",
        Kind::Path => "piece path",
        Kind::Plain => "piece",
    }
}

/// The sequence; what has not been played is there and not seen.
fn sequence(shown: Memo<Option<Shown>>, step: Signal<usize>) -> AnyView {
    let pieces = move || {
        shown.with(|s| {
            let all: &[Piece] = s.as_ref().map_or(&[], |s| &s.pieces);
            let one = |(i, piece): (usize, &Piece)| {
                let later = move || i >= step.get();
                view! { <span class=class(piece.kind) class:later=later>{piece.text.clone()}</span> }
            };
            all.iter().enumerate().map(one).collect_view()
        })
    };
    view! { <pre class="fim-text" tabindex="0" role="group" aria-label="The sequence that the model sees">{pieces}</pre> }.into_any()
}

/// The pieces, and the files that an editor could take.
fn table(shown: Memo<Option<Shown>>) -> AnyView {
    let rows = move || {
        shown.with(|s| {
            let all: &[Piece] = s.as_ref().map_or(&[], |s| &s.pieces);
            let row = |piece: &Piece| {
                view! {
                    <tr>
                        <th scope="row">{piece.kind.label()}</th>
                        <td class="number">{grouped(piece.text.chars().count() as u64)}</td>
                        <td><code>{piece.text.replace('\n', "⏎")}</code></td>
                    </tr>
                }
            };
            all.iter().map(row).collect_view()
        })
    };
    let files = move || {
        shown.with(|s| {
            let prefix = s.as_ref().map_or_else(String::new, |s| slice(&s.document, 0, s.hole[0]));
            let row = |file: &ringside_core::fim::context::Open| {
                view! {
                    <tr>
                        <th scope="row">{file.path}</th>
                        <td class="number">{file.minutes}</td>
                        <td class="number">{number(similarity(file.text, &prefix))}</td>
                    </tr>
                }
            };
            FILES.iter().map(row).collect_view()
        })
    };
    view! {
        <Table columns=[words("Piece"), numbers("characters"), words("text")] rows=rows.into_any() />
        <Table
            caption="Files beside the document"
            columns=[words("File"), numbers("minutes since it was looked at"), numbers("names shared with the prefix")]
            rows=files.into_any()
        />
    }
    .into_any()
}
