//! The kernels of the operation, each as a bar of its launches, as long as what they move.

use leptos::prelude::*;
use ringside_core::kernels::fusion::Prediction;
use ringside_core::kernels::rows::{Kernel, Launch};
use ringside_core::quantity::Unit;
use ringside_drawing::scale::{Linear, percent};

use super::Shown;

pub(super) fn view(shown: Shown) -> AnyView {
    let op = Memo::new(move |_| shown.with(|p| p.op));
    view! {
        <div class="fusion-bars">
            <p class="plot-title">
                "What each launch moves" <span>": " <i class="swatch reads"></i> "read from memory" <i class="swatch writes"></i> "written to it"</span>
            </p>
            {move || op.get().kernels().iter().map(|kernel| row(shown, kernel)).collect_view()}
        </div>
    }
    .into_any()
}

fn row(shown: Shown, kernel: &'static Kernel) -> AnyView {
    let prediction = Memo::new(move |_| shown.with(|p| p.predict(kernel, p.sizes)));
    let pressed = move || shown.with(|p| p.kernel.id() == kernel.id).to_string();
    let choose = move |_| shown.choose(kernel.id);
    let segment = |launch: &'static Launch| view! { <Segment shown launch /> };
    let measured = Memo::new(move |_| shown.at(kernel.id));
    let here = move || {
        measured.with(|m| {
            m.as_ref().map(|m| {
                let right = if m.verified { "✓" } else { "wrong" };
                let whose = if m.instead.is_empty() { "here" } else { "on the CPU" };
                format!("{whose} {} {right}", Unit::Seconds.format(m.seconds))
            })
        })
    };
    view! {
        <div class="fusion-row">
            <button type="button" class="quiet" aria-pressed=pressed title=kernel.about on:click=choose>{kernel.label}</button>
            <div class="fusion-bar" aria-hidden="true">{kernel.launches.iter().map(segment).collect_view()}</div>
            <p class="fusion-says">
                <b>{move || prediction.with(words)}</b>
                <small>{here}</small>
            </p>
        </div>
    }
    .into_any()
}

fn words(p: &Prediction) -> String {
    let launches = if p.launches == 1 { "launch" } else { "launches" };
    let bytes = Unit::Bytes.format(p.moved.total() as f64);
    format!("{bytes}, {} {launches}, {}", p.launches, Unit::Seconds.format(p.time()))
}

/// One launch: as wide as what it moves, of what the unfused kernels move.
#[component]
fn Segment(shown: Shown, launch: &'static Launch) -> impl IntoView {
    let width = move || {
        shown.with(|p| {
            let whole = p.all().iter().map(|(_, p)| p.moved.total()).max().unwrap_or(1);
            percent(Linear::to(whole as f64).percent(launch.moved(p.sizes).total() as f64))
        })
    };
    let tip = move || {
        shown.with(|p| {
            let moved = launch.moved(p.sizes);
            let bytes = |n: u64| Unit::Bytes.format(n as f64);
            format!("{}: reads {}, writes {}", launch.name, bytes(moved.read), bytes(moved.written))
        })
    };
    let parts = move || {
        shown.with(|p| {
            let moved = launch.moved(p.sizes);
            format!("{}fr {}fr", moved.read, moved.written)
        })
    };
    view! {
        <span class="fusion-launch" title=tip style:width=width style:grid-template-columns=parts>
            <i class="reads"></i>
            <i class="writes"></i>
            <span>{launch.name}</span>
        </span>
    }
}
