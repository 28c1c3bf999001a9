//! The table, what to measure next, the sums.

use leptos::prelude::*;
use ringside_core::catalogue;
use ringside_core::quantity::bound;
use ringside_core::run::{
    Assumed, Cause, Ledger, Link, Missing, Next, Question, Report, Row, Setting, Stop, Takes, setting_at,
};

use super::{Desk, MISSING};
use crate::ui::copy_link::copy_text;
use crate::ui::link::to_widget;
use crate::ui::table::{Table, numbers, silent, words};
use crate::ui::unsaid::{self, NOT_SAID};

/// All but the verdict, which stands before it.
pub(super) fn view(desk: Desk, report: &Report) -> AnyView {
    let missing = report.missing.iter().map(|missing| asked(desk, missing)).collect_view();
    let assumed = report.assumed.iter().map(|one| assumed(desk, one)).collect_view();
    view! {
        <section class="run-report">
            {(!report.missing.is_empty())
                .then(|| {
                    view! {
                        <div class="message" id=MISSING tabindex="-1">
                            <p>"What is missing:"</p>
                            <ul>{missing}</ul>
                        </div>
                    }
                })}
            {report.question.as_ref().map(|asked| question(desk, asked))}
            {(!report.rows.is_empty()).then(|| table(&report.rows))}
            {(!report.assumed.is_empty())
                .then(|| {
                    view! {
                        <div class="run-assumed sans">
                            <p>"Assumed, because no value was read:"</p>
                            <ul>{assumed}</ul>
                        </div>
                    }
                })}
            {(!report.next.is_empty()).then(|| next(&report.next))}
            {report.ledgers.iter().enumerate().map(ledger).collect_view()}
        </section>
    }
    .into_any()
}

/// What makes the run fail: the line, why, what to do, and the figure that shows it.
pub(super) fn stops(stops: &[(String, Stop)]) -> AnyView {
    let stops = stops.iter().map(|(name, stop)| {
        let line = (!stop.text.is_empty()).then(|| view! { <p class="sign-line"><code>{stop.text.clone()}</code></p> });
        let link = stop.link.as_ref().map(|link| {
            let title = catalogue::find(link.figure).map_or("", |entry| entry.title);
            view! { <p><a href=address(link)>{format!("See it: {title}")}</a></p> }
        });
        view! {
            <section>
                <h2>{stop.what.clone()} " " <small>{stop.place(name)}</small></h2>
                {line}
                <p>{stop.why.clone()}</p>
                {link}
            </section>
        }
    });
    view! { <div class="message run-stops">{stops.collect_view()}</div> }.into_any()
}

/// The setting that decides most, with what each of its values makes of the prediction.
fn question(desk: Desk, asked: &Question) -> AnyView {
    let setting = asked.setting;
    let rows = asked.answers.iter().map(|answer| {
        let id = answer.id;
        let [step, memory] = answer.rows.each_ref().map(Row::predicted_text);
        let too_large = answer.is_too_large.then(|| view! { " " <small>"more than the GPU has"</small> });
        view! {
            <tr>
                <th scope="row">{answer.label}</th>
                <td class="number">{step}</td>
                <td class="number">{memory} {too_large}</td>
                <td class="no-print">
                    <button
                        type="button"
                        class="secondary"
                        aria-label=format!("Choose {}: {}", setting.label, answer.label)
                        on:click=move |_| desk.give(setting, id)
                    >
                        "Choose"
                    </button>
                </td>
            </tr>
        }
    });
    let columns = vec![words(setting.label), numbers("Step time"), numbers("Memory per GPU"), silent("Choose")];
    let rows = rows.collect_view().into_any();
    view! {
        <section class="run-question">
            <p>{bound(&asked.sentence)}</p>
            <Table scroll=setting.label class="run-table" columns=columns rows=rows />
        </section>
    }
    .into_any()
}

/// What is missing, with controls that say it.
fn asked(desk: Desk, missing: &Missing) -> AnyView {
    let controls = missing.asks.iter().map(|setting| control(desk, *setting)).collect_view();
    let has_any = !missing.asks.is_empty();
    view! {
        <li>
            {bound(&missing.sentence)}
            {has_any.then(|| view! { <div class="control-grid sans no-print">{controls}</div> })}
        </li>
    }
    .into_any()
}

/// A control that says a setting by hand.
fn control(desk: Desk, setting: Setting) -> AnyView {
    match setting.takes {
        Takes::Choice(list) => {
            let set = Callback::new(move |id: &'static str| desk.give(setting, id));
            unsaid::choice(setting.key, setting.label, NOT_SAID, list, Signal::stored(""), set)
        }
        Takes::Whole(least, most) => {
            let set = Callback::new(move |n: Option<u64>| {
                if let Some(n) = n {
                    desk.give(setting, &n.to_string());
                }
            });
            unsaid::number(setting.key, setting.label, [least, most], Signal::stored(None), set)
        }
    }
}

/// What is assumed, with a control that says it instead.
fn assumed(desk: Desk, assumed: &Assumed) -> AnyView {
    let control = match setting_at(assumed.key) {
        Some(setting) => control(desk, setting),
        None => view! { <code>{assumed.key}</code> }.into_any(),
    };
    view! {
        <li>
            <span>{bound(&assumed.sentence)}</span>
            <div class="run-say no-print">{control}</div>
        </li>
    }
    .into_any()
}

fn table(rows: &[Row]) -> AnyView {
    let rows = rows.iter().map(|row| {
        let label = match &row.link {
            Some(link) => view! { <a href=address(link)>{row.label.clone()}</a> }.into_any(),
            None => row.label.clone().into_any(),
        };
        let from = (!row.from.is_empty()).then(|| view! { <small>{bound(&row.from)}</small> });
        view! {
            <tr data-row=row.id data-measured=row.measured.is_some().to_string()>
                <th scope="row">{label}</th>
                <td class="number">{row.predicted_text()}</td>
                <td class="number measured">{row.measured_text()} " " {from}</td>
                <td class="number">{row.gap_text()}</td>
            </tr>
        }
    });
    let columns = vec![words("Quantity"), numbers("Predicted"), numbers("Measured"), numbers("Gap")];
    view! {
        <Table scroll="Predicted and measured" class="run-table" columns=columns rows=rows.collect_view().into_any() />
    }
    .into_any()
}

pub(super) fn address(link: &Link) -> String {
    to_widget(link.figure, &link.query)
}

/// Where a bar begins and ends: parts stand one after another, so that they add up before one's eyes.
struct Bars {
    at: f64,
    most: f64,
}

impl Bars {
    fn of(ledger: &Ledger) -> Self {
        let sizes = ledger.predicted.iter().chain(&ledger.gap).map(|c| c.size).chain([ledger.remainder]);
        let reached = sizes.scan(0.0, |at: &mut f64, size| {
            *at += size;
            Some(*at)
        });
        Self { at: 0.0, most: reached.fold(ledger.total, f64::max) }
    }

    /// Left edge and width, of 100, of the next part.
    fn next(&mut self, size: f64) -> [f64; 2] {
        let (from, to) = (self.at, self.at + size);
        self.at = to;
        self.span(from.min(to), from.max(to))
    }

    fn span(&self, from: f64, to: f64) -> [f64; 2] {
        let share = |value: f64| if self.most > 0.0 { (value / self.most * 100.0).clamp(0.0, 100.0) } else { 0.0 };
        [share(from), share(to) - share(from)]
    }
}

/// A line of a sum.
fn part(label: AnyView, why: &str, size: f64, text: String, [x, width]: [f64; 2], kind: &'static str) -> AnyView {
    let why = (!why.is_empty()).then(|| view! { <small>{bound(why)}</small> });
    view! {
        <tr class=kind class:minus=size < 0.0>
            <th scope="row">{label} " " {why}</th>
            <td class="number">{text}</td>
            <td class="run-bar" aria-hidden="true">
                <svg viewBox="0 0 100 10" preserveAspectRatio="none" width="100%" height="12">
                    <rect x=format!("{x:.2}") y="0" width=format!("{width:.2}") height="10" />
                </svg>
            </td>
        </tr>
    }
    .into_any()
}

/// A sum, part by part, each with a bar: the first is open.
fn ledger((at, ledger): (usize, &Ledger)) -> AnyView {
    let mut bars = Bars::of(ledger);
    let mut of_cause = |c: &Cause, text: String, kind| {
        let label = match &c.link {
            Some(link) => {
                let title = catalogue::find(link.figure).map_or("", |entry| entry.title);
                view! { <a href=address(link) title=title>{c.label.clone()}</a> }.into_any()
            }
            None => c.label.clone().into_any(),
        };
        part(label, &c.why, c.size, text, bars.next(c.size), kind)
    };
    let predicted: Vec<AnyView> =
        ledger.predicted.iter().map(|c| of_cause(c, ledger.text(c.size), "predicted")).collect();
    let gap: Vec<AnyView> = ledger.gap.iter().map(|c| of_cause(c, ledger.gap_text(c.size), "named")).collect();
    let rest = ledger.unexplained().map(|text| {
        let why = "Nothing that you brought accounts for it.";
        part("Unexplained".into_any(), why, ledger.remainder, text, bars.next(ledger.remainder), "rest")
    });
    let total = if ledger.is_measured { "Measured" } else { "Predicted" };
    let total =
        part(total.into_any(), "", ledger.total, ledger.text(ledger.total), bars.span(0.0, ledger.total), "total");
    let columns = vec![words("Part"), numbers("Size"), silent("Bar")];
    let rows = view! { {predicted} {gap} {rest} {total} }.into_any();
    let table = view! { <Table scroll=ledger.title class="run-table" columns=columns rows=rows /> };
    if at == 0 {
        view! {
            <section class="run-ledger" data-ledger=ledger.id>
                <h2>{ledger.title}</h2>
                {table}
            </section>
        }
        .into_any()
    } else {
        view! {
            <details class="run-ledger no-print" data-ledger=ledger.id>
                <summary class="sans">{ledger.title}</summary>
                {table}
            </details>
            <p class="run-paper">{in_a_line(ledger)}</p>
        }
        .into_any()
    }
}

/// A sum on paper: `Why the reported MFU differs: MFU as the course counts 44%, A different peak −22 points.`
fn in_a_line(ledger: &Ledger) -> String {
    let predicted = ledger.predicted.iter().map(|c| format!("{} {}", c.label, ledger.text(c.size)));
    let gap = ledger.gap.iter().map(|c| format!("{} {}", c.label, ledger.gap_text(c.size)));
    let rest = ledger.unexplained().map(|text| format!("Unexplained {text}"));
    let parts: Vec<String> = predicted.chain(gap).chain(rest).collect();
    format!("{}: {}.", ledger.title, parts.join("; "))
}

fn next(steps: &[Next]) -> AnyView {
    let steps = steps.iter().map(|next| {
        let text = StoredValue::new(next.command.clone());
        let command = (!next.command.is_empty()).then(|| {
            view! {
                <div class="run-command">
                    <pre tabindex="0" role="group" aria-label="Command"><code>{next.command.clone()}</code></pre>
                    {copy_text("Copy the command", move || Some(text.get_value()))}
                </div>
            }
        });
        view! { <li>{bound(&next.why)} {command}</li> }
    });
    view! {
        <section class="run-next">
            <h2>"What to measure next"</h2>
            <p class="small sans">"The cheapest comes first."</p>
            <ol class="sans">{steps.collect_view()}</ol>
        </section>
    }
    .into_any()
}
