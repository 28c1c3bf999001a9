//! Tokens of a GPU over GPUs, where a technique hides; and a layer of every technique at one place of it.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::overlap::{Map, Params, Place, Technique, Verdict};
use ringside_core::quantity::{Unit, counted, grouped};
use ringside_drawing::charts::overlap_map;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::{Module, Props, outcome, readings};
use crate::ui;
use crate::ui::table::{Table, numbers, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

type Shown = outcome::Shown<Map>;

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let model = Signal::derive(move || params.with(|p| p.model));
    let input = ModelInput::new(model, move |model| state.update(|p| p.model = model));
    let shown = Shown::new(params, Map::new, |_| Params::standard());
    let subtitle = Signal::derive(move || {
        params.with(|p| format!("{} on {}, {}", p.model.name(), p.gpu.name, p.wires.in_words()))
    });
    let finding = Signal::derive(move || shown.error().unwrap_or_else(|| shown.with(Map::finding)));
    let chart = Memo::new(move |_| shown.with(overlap_map::chart));
    let quantities = Memo::new(move |_| shown.with(|map| map.params.quantities(map)));
    view! {
        <ModelFigure
            props
            state
            input
            subtitle
            finding
            controls=Controls::of(state).special("model", input.choose_any()).draw()
            below=Some(view! { {readings::view(&Params::ENTRY, quantities)} {input.panel()} }.into_any())
            table=move || table(shown)
        >
            {shown
                .frame(
                    view! {
                        <div class="overlap">{ui::chart::view("overlap-plane", chart)} {layer(shown)}</div>
                    }
                        .into_any(),
                )}
        </ModelFigure>
    }
    .into_any()
}

/// A layer of every technique at the place of the state: arithmetic and waiting, and under them what is sent.
fn layer(shown: Shown) -> AnyView {
    let rows = move || {
        shown.with(|map| {
            let tokens = map.params.tokens as f64;
            let row = |place: &Place| row(place, tokens, place.technique == map.params.technique);
            map.here.iter().map(row).collect_view()
        })
    };
    let head = move || {
        shown.with(|map| {
            let gpus = counted(map.params.gpus, "GPU", "GPUs");
            format!("A layer on {gpus} with {} each", counted(map.params.tokens, "token", "tokens"))
        })
    };
    view! {
        <p class="overlap-key">
            <span>{head}</span>
            <span><i class="computes"></i>"computes"</span>
            <span><i class="waits"></i>"waits"</span>
            <span><i class="sends"></i>"sends"</span>
        </p>
        <ul class="overlap-rows">{rows}</ul>
    }
    .into_any()
}

fn row(place: &Place, tokens: f64, chosen: bool) -> AnyView {
    let ([forward, backward], [there, back]) = (place.terms.arithmetic(tokens), place.terms.send(tokens));
    let (first, second) = (forward.max(there), backward.max(back));
    let all = (first + second).max(f64::MIN_POSITIVE);
    let part = |class: &'static str, time: f64| {
        view! { <i class=class style:width=format!("{:.3}%", 100.0 * time / all)></i> }
    };
    let lane = |class: &'static str, rest: &'static str, [a, b]: [f64; 2]| {
        let parts = [(class, a), (rest, first - a), (class, b), (rest, second - b)];
        view! { <span class="lane">{parts.map(|(class, time)| part(class, time)).collect_view()}</span> }
    };
    let impossible = matches!(place.verdict, Verdict::Impossible(_));
    let bars = (!impossible).then(|| {
        view! {
            <span class="overlap-bars" aria-hidden="true">
                {lane("computes", "waits", [forward, backward])} {lane("sends", "rest", [there, back])}
            </span>
        }
    });
    let name = match (place.technique, place.terms.tp) {
        (Technique::Mix, tp) if tp > 0 => format!("{} {tp}", place.technique.label()),
        _ => place.technique.label().to_owned(),
    };
    view! {
        <li class="overlap-row" class:chosen=chosen class:out=impossible aria-current=chosen.then_some("true")>
            <span class="overlap-name">{name}</span>
            {bars}
            <span class="overlap-verdict">{place.in_words(tokens)}</span>
        </li>
    }
    .into_any()
}

/// The places as a table.
fn table(shown: Shown) -> AnyView {
    let seconds = |value: f64| Unit::Seconds.format(value);
    let row = move |place: &Place, tokens: f64| {
        let ([forward, backward], [there, back]) = (place.terms.arithmetic(tokens), place.terms.send(tokens));
        let cells = [forward, there, backward, back].map(|time| {
            let text = if place.terms.flows.is_empty() { "–".to_owned() } else { seconds(time) };
            view! { <td class="number">{text}</td> }
        });
        let from = place.hides_from.map_or("–".to_owned(), |tokens| grouped(tokens.ceil() as u64));
        view! {
            <tr>
                <th scope="row">{place.technique.label()}</th>
                {cells.into_iter().collect_view()}
                <td class="number">{from}</td>
                <td>{place.in_words(tokens)}</td>
            </tr>
        }
    };
    let rows = move || {
        shown.with(|map| {
            let tokens = map.params.tokens as f64;
            map.here.iter().map(|place| row(place, tokens)).collect_view()
        })
    };
    view! {
        <Table
            columns=[
                words("Technique"),
                numbers("computes, forward"),
                numbers("sends"),
                numbers("computes, backward"),
                numbers("sends"),
                numbers("free from tokens"),
                words("here"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
