//! The table, the sums, what is missing, what to measure next.

use leptos::prelude::*;
use ringside_core::catalogue;
use ringside_core::run::{Cause, Ledger, Link, Report};

use crate::ui::link::to_widget;
use crate::ui::table::{Table, numbers, words};

pub(super) fn view(report: &Report) -> AnyView {
    let missing = report.missing.iter().map(|why| view! { <li>{why.clone()}</li> }).collect_view();
    let assumed =
        report.assumed.iter().map(|a| view! { <li>{a.sentence.clone()} " " <code>{a.key}</code></li> }).collect_view();
    let ledgers = report.ledgers.iter().map(ledger).collect_view();
    view! {
        <section class="run-report">
            <p class="finding" role="note">{report.verdict.clone()}</p>
            {(!report.missing.is_empty()).then(|| view! { <div class="message"><p>"What is missing:"</p><ul>{missing}</ul></div> })}
            {(!report.rows.is_empty()).then(|| table(report))}
            {(!report.assumed.is_empty())
                .then(|| view! { <div class="run-assumed sans"><p>"Assumed, because nothing you pasted says otherwise:"</p><ul>{assumed}</ul></div> })}
            {next(report)} {ledgers}
        </section>
    }
    .into_any()
}

fn table(report: &Report) -> AnyView {
    let rows = report.rows.iter().map(|row| {
        let label = match &row.link {
            Some(link) => view! { <a href=address(link)>{row.label.clone()}</a> }.into_any(),
            None => row.label.clone().into_any(),
        };
        view! {
            <tr data-row=row.id>
                <th scope="row">{label}</th>
                <td class="number">{row.predicted_text()}</td>
                <td class="number">{row.measured_text()}</td>
                <td class="number">{row.gap_text()}</td>
                <td class="small">{row.from.clone()}</td>
            </tr>
        }
    });
    let columns =
        vec![words("Quantity"), numbers("Predicted"), numbers("Measured"), numbers("Gap"), words("Measured where")];
    view! {
        <Table scroll="Predicted and measured" class="run-table" columns=columns rows=rows.collect_view().into_any() />
    }
    .into_any()
}

fn address(link: &Link) -> String {
    to_widget(link.figure, &link.query)
}

/// A sum, part by part, each with a bar.
fn ledger(ledger: &Ledger) -> AnyView {
    let most = ledger.predicted.iter().chain(&ledger.gap).map(|c| c.size.abs()).fold(ledger.remainder.abs(), f64::max);
    let unit = ledger.unit;
    let line = move |label: AnyView, size: f64, why: String, kind: &'static str| {
        let share = if most > 0.0 { size.abs() / most * 100.0 } else { 0.0 };
        view! {
            <tr class=kind>
                <th scope="row">{label}</th>
                <td class="number">{unit.format(size)}</td>
                <td class="run-bar" aria-hidden="true">
                    <svg viewBox="0 0 100 10" preserveAspectRatio="none" width="100%" height="10">
                        <rect x="0" y="1" width=format!("{share:.2}") height="8" />
                    </svg>
                </td>
                <td class="small">{why}</td>
            </tr>
        }
    };
    let of_cause = |c: &Cause, kind| {
        let label = match &c.link {
            Some(link) => {
                let title = catalogue::find(link.figure).map_or("", |entry| entry.title);
                view! { <a href=address(link) title=title>{c.label.clone()}</a> }.into_any()
            }
            None => c.label.clone().into_any(),
        };
        line(label, c.size, c.why.clone(), kind)
    };
    let predicted = ledger.predicted.iter().map(|c| of_cause(c, "predicted")).collect_view();
    let gap = ledger.gap.iter().map(|c| of_cause(c, "named")).collect_view();
    let rest = ledger.is_measured.then(|| {
        line("Unexplained".into_any(), ledger.remainder, "What nothing you pasted accounts for.".to_owned(), "rest")
    });
    let total = if ledger.is_measured { "Measured" } else { "Predicted" };
    let total = line(total.into_any(), ledger.total, String::new(), "total");
    let columns = vec![words("Part"), numbers("Size"), words(""), words("Why")];
    let rows = view! { {predicted} {gap} {rest} {total} }.into_any();
    view! {
        <section class="run-ledger" data-ledger=ledger.id>
            <h2>{ledger.title}</h2>
            <Table scroll=ledger.title class="run-table" columns=columns rows=rows />
        </section>
    }
    .into_any()
}

fn next(report: &Report) -> AnyView {
    if report.next.is_empty() {
        return ().into_any();
    }
    let steps = report.next.iter().map(|next| {
        let command = (!next.command.is_empty())
            .then(|| view! { <pre class="code" tabindex="0"><code>{next.command.clone()}</code></pre> });
        view! { <li>{next.why.clone()} {command}</li> }
    });
    view! {
        <section class="run-next">
            <h2>"What to find out next"</h2>
            <p class="small sans">"The cheapest comes first."</p>
            <ol>{steps.collect_view()}</ol>
        </section>
    }
    .into_any()
}
