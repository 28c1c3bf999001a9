//! One's own measurements: nccl-tests' output pasted, what could not be read of it, and what its columns are.

use leptos::prelude::*;
use ringside_core::collective::Algo;
use ringside_core::network::measured::{EXAMPLE, EXAMPLE_SOURCE, Fault, Report, Row, read};
use ringside_core::network::sizes::{Params, Point, Points};
use ringside_core::quantity::grouped;

use super::Live;
use crate::ui::later::Later;
use crate::ui::unique_id;

/// What came of what was pasted.
#[derive(Debug, Clone, PartialEq)]
struct Outcome {
    rows: usize,
    program: Option<&'static str>,
    /// Whether the program is one whose model is drawn.
    modelled: bool,
    ranks: Option<usize>,
    faults: Vec<Fault>,
    old_formula: bool,
}

impl Outcome {
    fn of(report: &Report) -> Self {
        Self {
            rows: report.rows.len(),
            program: report.program.map(|p| p.name),
            modelled: report.program.is_none_or(|p| p.op.is_some()),
            ranks: report.ranks,
            faults: report.faults.clone(),
            old_formula: report.old_formula,
        }
    }

    fn sentence(&self) -> String {
        if self.rows == 0 {
            return "No row of nccl-tests was found.".to_owned();
        }
        let sizes = if self.rows == 1 { "1 size".to_owned() } else { format!("{} sizes", self.rows) };
        let program =
            self.program.map_or_else(|| " of a program that is not named".to_owned(), |name| format!(" of {name}"));
        let ranks = match self.ranks {
            Some(ranks) => format!(" on {} ranks", grouped(ranks as u64)),
            None => "; the number of ranks is not said: set it above".to_owned(),
        };
        let model =
            if self.modelled { "" } else { ". The curves are another operation’s: there is no model of this one" };
        let old = if self.old_formula {
            " The algbw column is that of nccl-tests before June 2020, which left out a rank’s own part; it is computed anew from \
             size and time. busbw is as printed."
        } else {
            ""
        };
        format!("Read: {sizes}{program}{ranks}{model}.{old}")
    }
}

/// What each column of nccl-tests says.
const COLUMNS: [(&str, &str); 8] = [
    ("size", "S, the bytes of the whole buffer. For an all-gather or reduce-scatter that is all parts together."),
    (
        "count, type",
        "Elements that each rank gives, and their type: count × bytes of the type is S, or S over the ranks.",
    ),
    (
        "redop, root",
        "How parts are put together (sum), and the rank that sends or receives where one does; −1 where none does.",
    ),
    ("out-of-place", "The result goes to another buffer than the input."),
    ("in-place", "The result overwrites the input, as gradients do in training."),
    ("time", "Microseconds of one call: the mean of many calls, of the slowest rank’s view."),
    ("algbw", "S / time. It falls as ranks are added even if every link is as busy as before."),
    (
        "busbw",
        "algbw × what every rank must send in units of S: 2(n − 1)/n for an all-reduce. Compare this one with the link’s peak.",
    ),
];

/// The panel.
pub(super) fn view(live: Live<Params>) -> AnyView {
    let state = live.state;
    let id = unique_id("nccl-tests");
    let text = RwSignal::new(String::new());
    let outcome = RwSignal::new(None::<Outcome>);
    let calm = Later::after(300);
    let take = move |pasted: &str| {
        let report = read(pasted);
        outcome.set(Some(Outcome::of(&report)));
        state.update(|p| {
            let point =
                |r: &Row| Point { bytes: r.bytes, time: r.out_of_place.time, in_place: r.in_place.map(|s| s.time) };
            p.measured = Points(report.rows.iter().map(point).collect());
            p.ranks = report.ranks.unwrap_or(p.ranks);
            if let Some(op) = report.program.and_then(|program| program.op) {
                p.op = op;
                if !p.algo.does(op) {
                    p.algo = Algo::Ring;
                }
            }
        });
    };
    let clear = move || {
        calm.cancel();
        text.set(String::new());
        outcome.set(None);
        state.update(|p| p.measured.0.clear());
    };
    let typed = move |event| {
        let pasted = event_target_value(&event);
        text.set(pasted.clone());
        if pasted.trim().is_empty() {
            clear();
        } else {
            calm.run(move || take(&pasted));
        }
    };
    let example = move |_| {
        text.set(EXAMPLE.to_owned());
        take(EXAMPLE);
    };
    let measured = Memo::new(move |_| state.params().with(|p| !p.measured.is_empty()));
    let said = move || {
        outcome.get().map(|outcome| {
            let class = if outcome.rows > 0 { "went-well" } else { "" };
            let faults = outcome.faults.iter().map(|f| view! { <li>{f.message.clone()}</li> }).collect_view();
            let any = !outcome.faults.is_empty();
            view! {
                <p class=class>{outcome.sentence()}</p>
                {any.then(|| view! { <div class="message"><p>"Not used:"</p><ul>{faults}</ul></div> })}
            }
        })
    };
    let columns =
        COLUMNS.map(|(name, text)| view! { <tr><th scope="row"><code>{name}</code></th><td>{text}</td></tr> });
    view! {
        <details class="fold measure">
            <summary>"Your own nccl-tests: paste its output"</summary>
            <div class="measure-body">
                <div>
                    <label for=id.clone()>"Output of all_reduce_perf or another program of nccl-tests. It stays in your browser."</label>
                    <textarea
                        id=id
                        rows="8"
                        spellcheck="false"
                        autocomplete="off"
                        placeholder="#  size  count  type  redop  root  time  algbw  busbw #wrong …"
                        aria-invalid=move || outcome.with(|o| o.as_ref().is_some_and(|o| o.rows == 0)).then_some("true")
                        prop:value=text
                        on:input=typed
                    ></textarea>
                    <p class="measure-buttons">
                        <button type="button" class="secondary" on:click=example>"Try an example"</button>
                        <button type="button" class="secondary" disabled=move || !measured.get() on:click=move |_| clear()>
                            "Clear"
                        </button>
                    </p>
                    <p class="fine">
                        "The example: " <a href=EXAMPLE_SOURCE.url>{EXAMPLE_SOURCE.title}</a> "."
                    </p>
                    <div role="status">{said}</div>
                </div>
                <div>
                    <p class="fine">{move || live.with(|_, sizes| sizes.columns_finding())}</p>
                    <table>
                        <caption>"What the columns say"</caption>
                        <tbody>{columns.into_iter().collect_view()}</tbody>
                    </table>
                    <p class="fine">
                        "#wrong counts results that differ from the right ones; N/A where they were not looked at. NCCL’s own log lines among \
                         the rows are passed over."
                    </p>
                </div>
            </div>
        </details>
    }
    .into_any()
}
