//! The figure of the first screen, whole: the app makes it alive in its place (`app/src/widgets/memory_breakdown/glance.rs`)
//! and its frame is that of every figure (`app/src/ui/figure.rs`).

use ringside_core::catalogue::Entry;
use ringside_core::hardware;
use ringside_core::memory::breakdown::ENTRY;
use ringside_core::memory::{Breakdown, Optimizer, Params, breakdown};
use ringside_core::query::Query;

use crate::html::escape;
use crate::markdown::{quantities, still};
use ringside_drawing::caption::{compared_with, sentences};
use ringside_drawing::memory::{Drawn, PARAMETERS, RANKS, Slider, subtitle};

/// Nothing is to be pressed before the app is there.
const NOT_YET: &str = "disabled";

/// `memory-breakdown` as it is without a query.
pub(super) fn memory() -> String {
    let query = Query::default();
    // The default parameters are possible; a test says so.
    breakdown(&Params::read(&query).0).map_or_else(|_| still(&ENTRY, &query), |b| figure(&ENTRY, &query, &b))
}

fn figure(entry: &Entry, query: &Query, b: &Breakdown) -> String {
    let drawn = Drawn::of(&b.params, b);
    let finding = b.finding();
    let (lead, rest) = sentences(&finding);
    format!(
        "<div class=\"figure-room\"><figure class=\"figure sans\" data-widget=\"{id}\" data-query=\"\" aria-labelledby=\"first-figure\">\n\
         <div class=\"figure-head\"><p class=\"figure-title\" id=\"first-figure\">{title}</p>\
         <p class=\"figure-subtitle\">{subtitle}</p>\n\
         <div class=\"figure-tools\"><span class=\"copy\"><button type=\"button\" class=\"quiet\" {NOT_YET}>Copy link</button></span>\
         <a class=\"quiet\" href=\"w/{id}/\">Open alone</a>\
         <button type=\"button\" class=\"quiet\" data-project=\"\" {NOT_YET}>Project</button>\
         <button type=\"button\" class=\"quiet\" data-share=\"\" {NOT_YET}>Share</button></div></div>\n\
         <div class=\"figure-alert\" role=\"alert\"></div>\n<div data-island=\"figure\"></div>\n\
         <div class=\"stage\"><div class=\"deck\"><form class=\"controls\" id=\"first-controls\" autocomplete=\"off\"><div class=\"control-row\">\n{controls}</div>\n\
         <p class=\"visually-hidden\"><output data-quantity=\"params\" data-value=\"{params}\" aria-live=\"off\">{count}</output> \
         parameters</p></form></div>\n\
         <p class=\"finding\" aria-live=\"polite\" aria-atomic=\"true\"><b>{lead}</b></p>\n\
         <div class=\"drawing\" data-drawing=\"\"><div class=\"plot\">{plot}</div><div class=\"below\">{below}</div></div></div>\n\
         <figcaption><div class=\"caption-row\">\
         <p class=\"finding-rest\">{rest}</p>{compared}</div>\n\
         <p class=\"fine\"{no_notes}>{notes}</p>\n\
         <details class=\"numbers\"><summary>The numbers</summary>\
         <div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"The numbers\">{numbers}</div></details>\
         </figcaption>\n</figure></div>\n",
        id = entry.id,
        title = escape(entry.title),
        subtitle = escape(&subtitle(&b.params)),
        controls = controls(b),
        params = b.size.params,
        count = (PARAMETERS.format)(b.size.params),
        plot = drawn.plot.markup("form=\"first-controls\""),
        below = drawn.readout.markup(NOT_YET),
        lead = escape(lead),
        rest = escape(rest.trim_start()),
        compared = compared_with(entry.id)
            .map(|html| format!("<details class=\"checked\">{html}</details>"))
            .unwrap_or_default(),
        no_notes = if b.notes.is_empty() { " hidden" } else { "" },
        notes = escape(&b.notes.join(" ")),
        numbers = quantities(entry, query),
    )
}

fn controls(b: &Breakdown) -> String {
    let optimizers: Vec<_> = Optimizer::ALL.map(|o| (o.id(), o.label())).to_vec();
    let gpus: Vec<_> = hardware::ALL.iter().map(|gpu| (gpu.id, gpu.name)).collect();
    let p = &b.params;
    [
        slider(&PARAMETERS, b),
        slider(&RANKS, b),
        select("optimizer", "Optimizer", &optimizers, p.optimizer.id()),
        select("gpu", "GPU", &gpus, p.gpu.id),
    ]
    .concat()
}

/// As `app/src/ui/slider.rs` has it.
fn slider(slider: &Slider, b: &Breakdown) -> String {
    let Slider { name, label, scale, format, value } = *slider;
    let (value, last) = (value(&b.params, b), scale.last());
    let (text, position) = (escape(&format(value)), scale.position(value));
    format!(
        "<div class=\"field slider\"><div class=\"field-head\"><label for=\"first-{name}\">{label}</label>\
         <span class=\"number-field\"><input type=\"text\" inputmode=\"text\" autocomplete=\"off\" spellcheck=\"false\" \
         data-for=\"{name}\" aria-label=\"{label}: type a value\" aria-describedby=\"first-{name}-error\" value=\"{text}\">\
         <span class=\"field-error\" id=\"first-{name}-error\" role=\"alert\"></span></span></div>\
         <input type=\"range\" id=\"first-{name}\" name=\"{name}\" min=\"0\" max=\"{last}\" step=\"1\" value=\"{position}\" \
         aria-valuetext=\"{text}\"></div>\n"
    )
}

/// As `app/src/ui/select.rs` has it.
fn select(name: &str, label: &str, options: &[(&str, &str)], chosen: &str) -> String {
    let option = |(value, text): &(&str, &str)| {
        let selected = if *value == chosen { " selected" } else { "" };
        format!("<option value=\"{}\"{selected}>{}</option>", escape(value), escape(text))
    };
    let options: String = options.iter().map(option).collect();
    format!(
        "<div class=\"field\"><label for=\"first-{name}\">{label}</label><select id=\"first-{name}\" name=\"{name}\">\
         {options}</select></div>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_figure_is_whole() {
        let html = memory();
        for part in [
            "<div class=\"figure-room\"><figure class=\"figure sans\" data-widget=\"memory-breakdown\"",
            "name=\"params\" min=\"0\" max=\"540\" step=\"1\" value=\"290\" aria-valuetext=\"30 B\"",
            "<option value=\"adamw\" selected>AdamW</option>",
            "<output data-quantity=\"total\" data-value=\"480000000000\"",
            "✓ checked against ",
            "<td><data class=\"value\" value=\"60000000000\">",
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
    }
}
