//! The layout on show: where its time goes, why it is the best, what it sends, and why others are impossible.

use leptos::prelude::*;
use ringside_core::planner::{Step, words};
use ringside_core::quantity::{Unit, bytes_decimal, grouped, number};

use super::Shown;
use crate::ui::scale::percent;
use crate::ui::table::{Table, numbers, words};

/// The layout in words, what to do with it, and its time by what it is for.
pub(super) fn view(shown: Shown) -> AnyView {
    let is_best = move || shown.cursor.with(Option::is_none) || shown.with(|found, layout| found.best == Some(*layout));
    let title = move || shown.with(|_, layout| words::layout(&layout.choice));
    let fits = move || shown.with(|_, layout| layout.fits);
    let lead = move || match (is_best(), fits()) {
        (true, _) => "The fastest that fits",
        (false, true) => "On the front",
        (false, false) => "On the front, and does not fit",
    };
    let pin = move |_| {
        if let Some(choice) = shown.layout.with_untracked(|l| l.map(|l| l.choice)) {
            shown.state.update(|p| *p = p.pinned(&choice));
        }
    };
    let step = Memo::new(move |_| {
        let choice = shown.choice();
        shown
            .hunt
            .with(|found| choice.zip(found.job.as_ref()).map(|(choice, job)| job.step(&choice)).unwrap_or_default())
    });
    let reasons = move || {
        shown.hunt.with(|found| {
            let row = |r: &words::Reason| view! { <div><dt>{r.value.clone()}</dt><dd>{r.why.clone()}</dd></div> };
            found.reasons.iter().map(row).collect_view()
        })
    };
    view! {
        <section class="planner-chosen">
            <div class="planner-head">
                <p>
                    <small>{lead}</small>
                    <b>{title}</b>
                </p>
                <button type="button" class="quiet" class:nowhere=is_best on:click=move |_| shown.cursor.set(None)>
                    "Back to the best"
                </button>
                <button type="button" class="secondary" on:click=pin>"Pin this layout"</button>
            </div>
            {times(step)}
            <div class:nowhere=move || !is_best()>
                <p class="planner-title">"Why this one"</p>
                <dl class="planner-reasons">{reasons}</dl>
            </div>
        </section>
    }
    .into_any()
}

/// A bar to scale, and what its parts are.
fn times(step: Memo<Step>) -> AnyView {
    let parts = Step::default().parts();
    let look =
        move |i: usize| step.with(|s| (s.parts().get(i).map_or(0.0, |part| part.2), s.total().max(f64::MIN_POSITIVE)));
    let bar = (0..parts.len()).map(|i| {
        let share = move || {
            let (seconds, total) = look(i);
            seconds / total * 100.0
        };
        view! { <i class=format!("for-{}", parts[i].0) style:width=move || percent(share())></i> }
    });
    let list = (0..parts.len()).map(|i| {
        let (id, label, _) = parts[i];
        let text = move || {
            let (seconds, total) = look(i);
            format!("{} · {}", Unit::Seconds.format(seconds), Unit::Fraction.format(seconds / total))
        };
        view! {
            <li class:nowhere=move || look(i).0 <= 0.0>
                <i class=format!("swatch for-{id}") aria-hidden="true"></i>
                {label}
                " "
                <b>{text}</b>
            </li>
        }
    });
    view! {
        <div class="step-bar" aria-hidden="true">{bar.collect_view()}</div>
        <ul class="step-parts" aria-label="Where a step’s time goes">{list.collect_view()}</ul>
    }
    .into_any()
}

/// What each axis sends, how often, and over what.
pub(super) fn traffic(shown: Shown) -> AnyView {
    let rows = move || {
        let choice = shown.choice();
        shown.hunt.with(|found| {
            choice.zip(found.job.as_ref()).map(|(choice, job)| {
                let row = |t: ringside_core::planner::Traffic| {
                    view! {
                        <tr>
                            <th scope="row">{format!("{} {}", t.axis.id(), t.group.ranks)}</th>
                            <td>{t.what}</td>
                            <td class="number">{bytes_decimal(t.bytes)}</td>
                            <td class="number">{number(t.times)}</td>
                            <td>{words::place(job, t.group)}</td>
                        </tr>
                    }
                };
                job.traffic(&choice).into_iter().map(row).collect_view()
            })
        })
    };
    view! {
        <Table
            scroll="What each axis sends"
            caption="What a GPU sends in a step, by axis"
            class="planner-traffic"
            columns=[words("Axis"), words("Sends"), numbers("Bytes"), numbers("Times"), words("Over")]
            rows=rows.into_any()
        />
    }
    .into_any()
}

/// Why the others are impossible.
pub(super) fn refusals(shown: Shown) -> AnyView {
    let rows = move || {
        shown.hunt.with(|found| {
            let row = |r: &ringside_core::planner::Refused| {
                view! {
                    <tr>
                        <td>{r.example.rule()}</td>
                        <td>{r.example.to_string()}</td>
                        <td class="number">{grouped(r.count)}</td>
                    </tr>
                }
            };
            found.refused.iter().map(row).collect_view()
        })
    };
    let none = move || shown.hunt.with(|found| found.refused.is_empty());
    view! {
        <details class="fold" class:nowhere=none>
            <summary>"Why others are not possible"</summary>
            <Table
                scroll="Why others are not possible"
                columns=[words("Rule"), words("The first that breaks it"), numbers("How many")]
                rows=rows.into_any()
            />
        </details>
    }
    .into_any()
}
