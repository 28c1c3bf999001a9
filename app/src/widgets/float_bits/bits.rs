//! The bits of the number in both formats, to be flipped.

use leptos::html;
use leptos::prelude::*;
use ringside_core::float::Format;
use ringside_core::float::bits::{Held, Shown};
use ringside_core::quantity::in_tens;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

use super::State;

/// Both rows.
pub(super) fn view(state: State, shown: Memo<Shown>) -> AnyView {
    [0, 1].map(|i| row(state, shown, i)).into_iter().collect_view().into_any()
}

/// The field that a bit belongs to.
fn field(format: Format, bit: u32) -> &'static str {
    match bit {
        bit if bit < format.mantissa_bits => "mantissa",
        bit if bit < format.mantissa_bits + format.exponent_bits => "exponent",
        _ => "sign",
    }
}

/// How many bits each field has, in its colour.
fn fields(format: Format) -> AnyView {
    let sign = u32::from(format.signed());
    let all = [("sign", sign), ("exponent", format.exponent_bits), ("mantissa", format.mantissa_bits)];
    let one = |(name, bits): (&'static str, u32)| view! { <span class=format!("field-of {name}")>{format!("{bits} {name}")}</span> };
    all.into_iter().filter(|(_, bits)| *bits > 0).map(one).collect_view().into_any()
}

fn row(state: State, shown: Memo<Shown>, i: usize) -> AnyView {
    let held = Memo::new(move |_| shown.with(|s| s.held[i]));
    let format = Memo::new(move |_| held.get().format);
    let name = move || format.get().name;
    let error = move || {
        let held = held.get();
        match held.error {
            0.0 => String::new(),
            error => format!("off by {}", in_tens(error)),
        }
    };
    view! {
        <section class="bits" data-row=i.to_string()>
            <p class="bits-head">
                <b>{name}</b>
                {move || fields(format.get())}
                <span>{move || held.with(Held::kind)}</span>
                <code>{move || format!("0x{:0width$x}", held.get().code, width = format.get().bits().div_ceil(4) as usize)}</code>
            </p>
            {move || buttons(state, held, format.get(), i)}
            <p class="bits-value">
                <span>{move || held.with(Held::formula)}</span>
                <b>{move || format!("= {}", held.with(Held::text))}</b>
                <span>{error}</span>
            </p>
        </section>
    }
    .into_any()
}

/// The bits as buttons. Arrow keys go from one to the next, so that the row is one stop of the tab key.
fn buttons(state: State, held: Memo<Held>, format: Format, i: usize) -> AnyView {
    let stop = RwSignal::new(format.bits() - 1);
    let root = NodeRef::<html::Div>::new();
    let go = move |bit: u32| {
        stop.set(bit);
        let found = root.get_untracked().and_then(|r| r.query_selector(&format!("[data-bit='{bit}']")).ok().flatten());
        if let Some(button) = found.and_then(|b| b.dyn_into::<HtmlElement>().ok()) {
            // A browser that cannot focus leaves the focus where it is.
            _ = button.focus();
        }
    };
    let keydown = move |event: leptos::ev::KeyboardEvent| {
        let last = format.bits() - 1;
        let to = match event.key().as_str() {
            "ArrowLeft" => (stop.get_untracked() + 1).min(last),
            "ArrowRight" => stop.get_untracked().saturating_sub(1),
            "Home" => last,
            "End" => 0,
            _ => return,
        };
        event.prevent_default();
        go(to);
    };
    let button = move |bit: u32| {
        let on = move || held.get().code >> bit & 1 == 1;
        let digit = move || if on() { "1" } else { "0" };
        let field = field(format, bit);
        let first = bit + 1 == format.mantissa_bits || bit + 1 == format.mantissa_bits + format.exponent_bits;
        view! {
            <button
                type="button"
                class=format!("bit {field}")
                class:first=first
                data-bit=bit.to_string()
                aria-pressed=move || on().to_string()
                aria-label=move || format!("{field} bit {bit}: {}", digit())
                tabindex=move || if stop.get() == bit { "0" } else { "-1" }
                on:focus=move |_| stop.set(bit)
                on:click=move |_| state.update(|p| *p = p.flipped(i, bit))
            >
                {digit}
            </button>
        }
    };
    view! {
        <div
            class="bit-row"
            class:many=format.bits().gt(&32)
            role="group"
            aria-label=format!("Bits of {}, from the sign to the last of the mantissa", format.name)
            node_ref=root
            on:keydown=keydown
        >
            {(0..format.bits()).rev().map(button).collect_view()}
        </div>
    }
    .into_any()
}
