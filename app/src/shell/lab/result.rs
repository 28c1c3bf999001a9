//! What a lab's script printed, beside what was predicted and what the model says.

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_core::answer::Asked;
use ringside_core::lab::{self, Held, Row};

use crate::data::fetch_text;
use crate::store::store;
use crate::ui::said::{Said, say};
use crate::ui::table::{Table, numbers, words};

/// As much of a paste as is kept: scripts print some kilobytes.
const LONGEST: usize = 200_000;

/// The field to paste into, and what comes of it.
pub(super) fn view(id: String) -> AnyView {
    let kept = store().peek(|doc| doc.labs.get(&id).map(|note| note.pasted.clone()));
    let pasted = RwSignal::new(kept.unwrap_or_default());
    let is_example = RwSignal::new(false);
    let said: Said = RwSignal::new(None);
    let lab = StoredValue::new(id);
    let held = Memo::new(move |_| {
        pasted.with(|text| (!text.trim().is_empty()).then(|| lab.with_value(|id| lab::read(text, Some(id)))))
    });
    let paste = move |event| {
        let text = event_target_value(&event);
        is_example.set(false);
        said.set(None);
        if text.len() > LONGEST {
            said.set(Some(Err(format!(
                "That is longer than {LONGEST} characters. Paste the end of it: the block with the lines before and after it."
            ))));
            return;
        }
        pasted.set(text.clone());
        store().update(|doc| doc.labs.entry(lab.get_value()).or_default().pasted = text);
    };
    let example = move |_| {
        spawn_local(async move {
            match fetch_text(&format!("labs/{}.txt", lab.get_value())).await {
                Ok(text) => {
                    is_example.set(true);
                    said.set(None);
                    pasted.set(text);
                }
                Err(why) => said.set(Some(Err(why))),
            }
        });
    };
    let clear = move |_| {
        is_example.set(false);
        said.set(None);
        pasted.set(String::new());
        store().update(|doc| doc.labs.entry(lab.get_value()).or_default().pasted.clear());
    };
    view! {
        <label class="lab-paste sans">
            <span>"What the script printed, with the lines before and after the block"</span>
            <textarea rows="5" spellcheck="false" prop:value=move || pasted.get() on:input=paste></textarea>
        </label>
        <p class="actions sans">
            <button type="button" class="quiet" on:click=example>
                "Use what it printed on our machine"
            </button>
            <Show when=move || pasted.with(|text| !text.is_empty())>
                <button type="button" class="quiet" on:click=clear>
                    "Clear"
                </button>
            </Show>
        </p>
        {say(said)}
        <div aria-live="polite">
            {move || match held.get() {
                None => ().into_any(),
                Some(Err(why)) => {
                    view! {
                        <div class="message">
                            {why.into_iter().map(|why| view! { <p>{why}</p> }).collect_view()}
                        </div>
                    }
                        .into_any()
                }
                Some(Ok(held)) => table(held, lab.get_value(), is_example.get()),
            }}
        </div>
    }
    .into_any()
}

fn table(held: Held, id: String, is_example: bool) -> AnyView {
    let note = Memo::new(move |_| store().with(|doc| doc.labs.get(&id).cloned().unwrap_or_default()));
    let from = if is_example { "Measured by us: " } else { "Measured: " };
    let rows = held
        .rows
        .into_iter()
        .map(|row| {
            let what = row.what.clone();
            let typed = Memo::new(move |_| note.with(|note| note.predicted.get(&what).cloned()));
            line(row, typed)
        })
        .collect_view();
    let columns =
        vec![words("What"), numbers("You"), numbers("Model"), numbers("Measured"), numbers("Difference"), words("Why")];
    let offer = (!is_example && (!held.setup.is_empty() || held.times.is_some()))
        .then(|| super::setup::offer(held.setup, held.times));
    view! {
        <p class="finding" role="note">{held.finding}</p>
        <p class="sans small">{from}{held.on}"."</p>
        <Table scroll="Predicted and measured" class="lab-result" columns rows=rows.into_any() />
        {offer}
    }
    .into_any()
}

/// A row of the table. What was typed and cannot be read says so in its cell.
fn line(row: Row, typed: Memo<Option<String>>) -> AnyView {
    let unit = row.unit;
    let (holds, difference) = (row.holds(), row.difference());
    let (predicted, measured) = (row.text(row.predicted), row.measured_text());
    let yours = move || match typed.get() {
        None => "–".to_owned(),
        Some(text) => Asked::of(unit).read(&text).map_or_else(|why| why, |value| unit.format(value)),
    };
    view! {
        <tr class:off=!holds>
            <th scope="row">{row.what}</th>
            <td class="number">{yours}</td>
            <td class="number">{predicted}</td>
            <td class="number">{measured}</td>
            <td class="number">
                <span class="mark" aria-hidden="true">{if holds { "✓" } else { "≠" }}</span>
                " "
                {difference}
            </td>
            <td>{row.why}</td>
        </tr>
    }
    .into_any()
}
