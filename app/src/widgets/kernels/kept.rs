//! Measurements that the learner keeps: from this machine, or from a file of another one.

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_core::kernels::measured::{self, Measured};
use ringside_core::quantity::{Unit, counted};
use serde::Deserialize as _;

use super::{Runner, ladder};
use crate::store::store;
use crate::ui::file;
use crate::ui::said::{self, Said};
use crate::ui::table::{Table, numbers, words};
use crate::ui::unique_id;

/// All that are kept. Tracks. What another version kept and this one cannot read is not shown.
pub(in crate::widgets) fn all() -> Vec<Measured> {
    store().with(|doc| {
        let kept = doc.measured.as_array().map(Vec::as_slice).unwrap_or_default();
        kept.iter().filter_map(|one| Measured::deserialize(one).ok()).collect()
    })
}

/// Keeps these and no others, and what cannot be read aside.
fn write(kept: &[Measured]) {
    store().update(|doc| doc.put("measured", |doc| &mut doc.measured, Some(&kept.to_vec())));
}

/// Keeps these; of the same run, the newer one.
fn keep(new: Vec<Measured>) {
    let mut kept = all();
    kept.retain(|old| !new.iter().any(|m| m.same_run(old)));
    kept.extend(new);
    write(&kept);
}

/// Keeps this one, and forgets what it takes the place of.
pub(in crate::widgets) fn replace(new: Measured, is_old: impl Fn(&Measured) -> bool) {
    let mut kept = all();
    kept.retain(|old| !is_old(old));
    kept.push(new);
    write(&kept);
}

/// What of `runner` can be kept, and a table of what is kept of these families of kernels, the first of which names files.
pub(in crate::widgets) fn view(runner: Runner, families: &[&'static str]) -> AnyView {
    let said: Said = RwSignal::new(None);
    let name = families.first().copied().unwrap_or_default();
    let families = StoredValue::new(families.to_vec());
    let is_mine = move |m: &Measured| families.with_value(|all| all.contains(&m.family.as_str()));
    let mine = Memo::new(move |_| {
        let mut list = all();
        list.retain(is_mine);
        list
    });
    let fresh = Memo::new(move |_| runner.measured().with(Vec::is_empty));
    let none = Memo::new(move |_| mine.with(Vec::is_empty));
    let keep_now = move |_| {
        let new = runner.measured().get_untracked();
        said.set(Some(Ok(format!("{} kept.", many(&new)))));
        keep(new);
    };
    let save = move |extension: &'static str, media: &'static str, text: fn(&[Measured]) -> String| {
        move |_| {
            said.set(Some(file::save(&format!("{name}-kernels.{extension}"), media, &mine.with_untracked(|m| text(m)))))
        }
    };
    let forget = move |_| {
        let others: Vec<Measured> = all().into_iter().filter(|m| !is_mine(m)).collect();
        write(&others);
        said.set(Some(Ok("All kept measurements of these kernels are forgotten.".to_owned())));
    };
    let add = move |event| {
        let Some(chosen) = file::chosen(&event) else { return };
        spawn_local(async move {
            let read = match file::read_text(&chosen, 2e6).await {
                Ok(text) => measured::from_json(&text),
                Err(why) => Err(why),
            };
            said.set(Some(read.map(|new| {
                let text = format!("{} added.", many(&new));
                keep(new);
                text
            })));
        });
    };
    let id = unique_id("measurements");
    view! {
        <div class="bench-kept">
            <div class="bench-actions">
                <button type="button" class="secondary" disabled=move || fresh.get() on:click=keep_now>
                    "Keep these results"
                </button>
                <button
                    type="button"
                    class="quiet"
                    disabled=move || none.get()
                    on:click=save("json", "application/json", measured::json)
                >
                    "Save as JSON"
                </button>
                <button type="button" class="quiet" disabled=move || none.get() on:click=save("csv", "text/csv", measured::csv)>
                    "Save as CSV"
                </button>
                <label class="bench-file" for=id.clone()>"Add a file from another machine"</label>
                <input type="file" id=id accept="application/json,.json" on:change=add />
                <button type="button" class="quiet" disabled=move || none.get() on:click=forget>"Forget all"</button>
            </div>
            {said::say(said)}
            <Show when=move || !none.get()>{table(mine)}</Show>
        </div>
    }
    .into_any()
}

/// "1 measurement", "3 measurements".
fn many(measured: &[Measured]) -> String {
    counted(measured.len() as u64, "measurement", "measurements")
}

fn table(mine: Memo<Vec<Measured>>) -> AnyView {
    let row = |m: &Measured| {
        view! {
            <tr>
                <th scope="row">{m.kernel.clone()}</th>
                <td>{m.sizes_in_words()}</td>
                <td>{m.device.clone()}</td>
                <td class="number">{Unit::FlopPerSecond.format(m.rate())}</td>
                <td class="number">{ladder::spread(m)}</td>
                <td class="number">{ladder::error(m)}</td>
            </tr>
        }
    };
    view! {
        <Table
            scroll="Kept measurements"
            caption="Kept in this browser"
            columns=[
                words("Kernel"),
                words("Sizes"),
                words("Device"),
                numbers("Speed"),
                numbers("Time (middle half)"),
                numbers("Error / bound"),
            ]
            rows=(move || mine.with(|all| all.iter().map(row).collect_view())).into_any()
        />
    }
    .into_any()
}
